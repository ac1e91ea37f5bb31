/* SPDX-License-Identifier: Apache-2.0
 * tree.h -- trees for the other libraries. */
#ifndef KN_ARRAY_TREE_H
#define KN_ARRAY_TREE_H
#include "array/op.h"
#include "kiln/function.h"

int kna_tree_size(kn_tree t);                          /* -1 if t is not a tree */
kn_array kna_tree_at(kn_tree t, int i);                /* NULL if it is not there */
/* into a viewed struct: plain store; into an owning tree: takes the place of the old array */
bool kna_tree_put(kn_tree t, int i, kn_array x);
/* Reads all arrays of a tree into out (room for `max`); -1 with the op failed if t is no tree or has more. */
int kna_tree_read(kna_op *op, kn_tree t, int max, kn_array *out);
/* The arrays of a list: their number, or -1 with the op failed. *arrays points into the list. */
int kna_list_read(kna_op *op, kn_list list, const kn_array **arrays);
#endif
