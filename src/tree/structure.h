/* SPDX-License-Identifier: Apache-2.0
 * structure.h -- what a tree is without its arrays: its nodes in the order of a walk that visits parents first. A
 * structure never changes. Nothing here recurses, so trees may be as deep as memory goes. */
#ifndef KN_TREE_STRUCTURE_H
#define KN_TREE_STRUCTURE_H
#include "base/memory.h"
#include "base/str.h"
#include "kiln/tree.h"

typedef struct kna_node {
    uint8_t kind;     /* KN_TREE_LEAF, ... */
    int children;     /* how many */
    int nodes, leaves; /* of the whole subtree, this one included */
    const char *key;  /* its name in a dict or struct; NULL: it has a position */
    const char *type; /* of a struct: the name of its C type */
} kna_node;

typedef struct kna_structure {
    atomic_int refs;
    kn_arena arena; /* texts */
    int n;
    kna_node *node;
} kna_structure;

kna_structure *kna_structure_retain(kna_structure *s);
void kna_structure_release(kna_structure *s); /* NULL is fine */
/* All of these give NULL without memory. */
kna_structure *kna_structure_one(int kind); /* a leaf, None, or an empty list, tuple or dict */
kna_structure *kna_structure_flat(int kind, int n); /* n leaves */
kna_structure *kna_structure_join(int kind, const char *type, int n, kna_structure *const *child,
                                  const char *const *key /* NULL: positions */);
kna_structure *kna_structure_sub(const kna_structure *s, int at); /* the subtree at node `at` */
/* `outer` with `inner` in the place of each leaf */
kna_structure *kna_structure_graft(const kna_structure *outer, const kna_structure *inner);
/* The structure of a C struct of so many bytes; names may be NULL. One array alone is a leaf. */
kna_structure *kna_structure_of_fields(const kn_fields *fields, size_t bytes);
bool kna_structure_equal(const kna_structure *a, const kna_structure *b); /* keys and types count */
void kna_structure_text(kn_str *out, const kna_structure *s);             /* PyTreeDef(...) */

/* The path of node `at`, from the root: node numbers of itself and what it is in, without the root. Their number;
 * -1 without memory. *path is the caller's to free. */
int kna_structure_path(const kna_structure *s, int at, int **path);
int kna_structure_parent(const kna_structure *s, int at);         /* -1 for the root */
int kna_structure_position(const kna_structure *s, int at);       /* among its siblings */
int kna_structure_leaf(const kna_structure *s, int leaf);         /* the node of leaf number `leaf`; -1 */
int kna_structure_first_leaf(const kna_structure *s, int at);     /* how many leaves come before node `at` */
int kna_structure_child(const kna_structure *s, int at, int i);   /* its node number; -1 */
int kna_structure_named(const kna_structure *s, int at, const char *name, size_t length); /* a child; -1 */
/* JAX's keystr of a node: ['a'][0].w; simple: a, 0 and w with the separator between them. */
void kna_structure_keystr(kn_str *out, const kna_structure *s, int at, bool simple, const char *separator);
/* How a and b differ, in JAX's words: NULL if they do not. With `prefix` b may go on where a has a leaf. `name`: what
 * a is called. Node ia of a and ib of b are compared. */
kn_error *kna_structure_compare(const char *name, const kna_structure *a, const kna_structure *b, bool prefix);
/* The node that a path in the user's form leads to ("layers[0].w", "['w']"), or KeyError, IndexError, ValueError. */
kn_error *kna_structure_find(const kna_structure *s, const char *path, int *at);
#endif
