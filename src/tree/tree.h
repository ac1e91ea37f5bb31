/* SPDX-License-Identifier: Apache-2.0
 * tree.h -- trees for the other libraries. */
#ifndef KN_TREE_TREE_H
#define KN_TREE_TREE_H
#include "array/op.h"
#include "tree/structure.h"
#include "kiln/function.h"

int kntree_tree_size(kn_tree t);                       /* -1 if t is not a tree */
kn_array kntree_tree_at(kn_tree t, int i);             /* NULL if it is not there */
/* into a viewed struct: plain store; into an owning tree: takes the place of the old array */
bool kntree_tree_put(kn_tree t, int i, kn_array x);
/* Reads all arrays of a tree into out (room for `max`); -1 with the op failed if t is no tree or has more. */
int kntree_tree_read(kna_op *op, kn_tree t, int max, kn_array *out);
/* The arrays of a list: their number, or -1 with the op failed. *arrays points into the list. */
int kntree_list_read(kna_op *op, kn_list list, const kn_array **arrays);

/* ---- For functions that return no array: errors are reported under the name of the operation. */
typedef struct kntree_tree {
    int n;
    kn_array *at;             /* the viewed struct's fields, or `own` */
    kntree_structure *structure; /* NULL until somebody asks: kntree_structure_in */
    const kn_fields *fields;  /* of a viewed struct; NULL: no names */
    kn_array own[];           /* handles retained by the tree */
} kntree_tree;
void kntree_tree_failed(const char *operation, knx_error *e /* taken over */);
kntree_tree *kntree_tree_get(const char *operation, kn_tree t);  /* NULL after reporting an error */
const kntree_structure *kntree_structure_in(const char *operation, kntree_tree *t); /* borrowed; NULL after reporting */
/* A new tree that owns these arrays: as many as the structure (taken over, NULL: no memory) has leaves. */
kn_tree kntree_tree_new(const char *operation, kntree_structure *s, const kn_array *arrays);
/* The path of leaf i as "['w'][0]", for messages: "" where a tree is one leaf, or nothing is known. */
const char *kntree_tree_leaf_path(knx_text *text, kn_tree t, int i);
const char *kntree_structure_leaf_path(knx_text *text, const kntree_structure *s, int i);
/* A function's result or argument in the C struct that it has, as messages name it. */
const char *kntree_field_path(knx_text *text, const kn_fields *fields, size_t bytes, int i);
/* tree_devices.c: a tree like this one of what `move` makes of its arrays; NULL after an error. */
kn_tree kntree_moved(const char *operation, kn_tree tree, kn_array (*move)(kn_array x, const void *where),
                     const void *where);
#endif
