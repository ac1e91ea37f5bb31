/* SPDX-License-Identifier: Apache-2.0
 * structure.h -- what a tree is without its arrays: its nodes in the order of a walk that visits parents first. A
 * structure never changes. Nothing here recurses, so trees may be as deep as memory goes. */
#ifndef KN_TREE_STRUCTURE_H
#define KN_TREE_STRUCTURE_H
#include "base/memory.h"
#include "base/str.h"
#include "kiln/tree.h"

typedef struct kntree_node {
    uint8_t kind;     /* KN_TREE_LEAF, ... */
    int children;     /* how many */
    int nodes, leaves; /* of the whole subtree, this one included */
    const char *key;  /* its name in a dict or struct; NULL: it has a position */
    const char *type; /* of a struct: the name of its C type */
} kntree_node;

typedef struct kntree_structure {
    atomic_int refs;
    knx_arena arena; /* texts */
    int n;
    kntree_node *node;
} kntree_structure;

kntree_structure *kntree_structure_retain(kntree_structure *s);
void kntree_structure_release(kntree_structure *s); /* NULL is fine */
/* All of these give NULL without memory. */
kntree_structure *kntree_structure_one(int kind); /* a leaf, None, or an empty list, tuple or dict */
kntree_structure *kntree_structure_flat(int kind, int n); /* n leaves */
kntree_structure *kntree_structure_join(int kind, const char *type, int n, kntree_structure *const *child,
                                  const char *const *key /* NULL: positions */);
kntree_structure *kntree_structure_sub(const kntree_structure *s, int at); /* the subtree at node `at` */
/* `outer` with `inner` in the place of each leaf; with inner[i] in the place of leaf i */
kntree_structure *kntree_structure_graft(const kntree_structure *outer, const kntree_structure *inner);
kntree_structure *kntree_structure_graft_each(const kntree_structure *outer, const kntree_structure *const *inner);
/* The structure of a C struct of so many bytes; names may be NULL. One array alone is a leaf. */
kntree_structure *kntree_structure_of_fields(const kn_fields *fields, size_t bytes);
bool kntree_structure_equal(const kntree_structure *a, const kntree_structure *b); /* keys and types count */
void kntree_add_quoted(knx_str *out, const char *text);                   /* 'name' as Python shows a string */
void kntree_structure_text(knx_str *out, const kntree_structure *s);      /* PyTreeDef(...) */

/* The path of node `at`, from the root: node numbers of itself and what it is in, without the root. Their number;
 * -1 without memory. *path is the caller's to free. */
int kntree_structure_path(const kntree_structure *s, int at, int **path);
int kntree_structure_parent(const kntree_structure *s, int at);   /* -1 for the root */
int kntree_structure_position(const kntree_structure *s, int at); /* among its siblings */
int kntree_structure_leaf(const kntree_structure *s, int leaf);   /* the node of leaf number `leaf`; -1 */
int kntree_structure_first_leaf(const kntree_structure *s, int at); /* how many leaves come before node `at` */
int kntree_structure_child(const kntree_structure *s, int at, int i); /* its node number; -1 */
int kntree_structure_named(const kntree_structure *s, int at, const char *name, size_t length); /* a child; -1 */
/* JAX's keystr of a node: ['a'][0].w; simple: a, 0 and w with the separator between them. */
void kntree_structure_keystr(knx_str *out, const kntree_structure *s, int at, bool simple, const char *separator);
/* How a and b differ, in JAX's words: NULL if they do not. With `prefix` b may go on where a has a leaf. `name`: what
 * a is called. Node ia of a and ib of b are compared. */
knx_error *kntree_structure_compare(const char *name, const kntree_structure *a, const kntree_structure *b,
                                    bool prefix);
/* The node that a path in the user's form leads to ("layers[0].w", "['w']"), or KeyError, IndexError, ValueError. */
knx_error *kntree_structure_find(const kntree_structure *s, const char *path, int *at);
#endif
