/* SPDX-License-Identifier: Apache-2.0
 * trees.h -- functions of one or two trees, leaf by leaf. */
#ifndef KN_OPTIM_TREES_H
#define KN_OPTIM_TREES_H
#include "kiln/optim.h"
#include "tree/tree.h"

/* Of leaf i of the one tree, or of both (y NULL: there is one). */
typedef kn_array (*kno_leaf_function)(kn_array x, kn_array y, int i, const void *env);
/* A tree like a of what f gives; b NULL: one tree. ValueError for different structures. NULL after an error. */
kn_tree kno_map_trees(const char *name, kn_tree a, kn_tree b, kno_leaf_function f, const void *env);
/* What f gives of all leaves, joined from the first on; `first` without leaves. */
kn_array kno_fold_trees(const char *name, kn_tree a, kn_tree b, kno_leaf_function f,
                        kn_array (*join)(kn_array, kn_array), double first);
#endif
