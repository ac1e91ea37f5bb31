/* SPDX-License-Identifier: Apache-2.0
 * thunk.h -- a function that becomes a jaxpr when somebody asks for it: the rule of a custom derivative. A rule
 * commonly calls its own function, so it cannot be recorded where that function is called; equations hold a thunk, and
 * transformations ask it for the types that they have. */
#ifndef KN_IR_THUNK_H
#define KN_IR_THUNK_H
#include "ir/jaxpr.h"

typedef struct kn_thunk kn_thunk;
/* What a thunk can do; `free` frees it with what it holds. */
typedef struct kn_thunk_kind {
    /* The jaxpr for inputs of these types: a new reference, without constvars. */
    kn_error *(*jaxpr)(kn_thunk *t, int n_in, const kn_type *in, kni_jaxpr **out);
    bool (*equal)(const kn_thunk *a, const kn_thunk *b); /* of this kind both */
    uint64_t (*hash)(const kn_thunk *t);
    void (*free)(kn_thunk *t);
    /* The name of result i, as ".w1", added to the text; "" if it has none. NULL: none has. */
    const char *(*leaf)(const kn_thunk *t, int i, kn_text *text);
} kn_thunk_kind;
struct kn_thunk {
    atomic_int refs;
    const kn_thunk_kind *kind;
    const char *name;      /* in texts and messages; lives as long as the thunk */
    const kni_jaxpr *held; /* the jaxpr that it always gives: the full form shows it. NULL: it depends on the types */
};

kn_thunk *kni_thunk_retain(const kn_thunk *t);
void kni_thunk_release(kn_thunk *t); /* NULL is fine */
bool kni_thunk_equal(const kn_thunk *a, const kn_thunk *b);
uint64_t kni_thunk_hash(const kn_thunk *t);
/* Asks t, and checks the numbers of inputs and results of what it gives (n_out < 0: any). */
kn_error *kni_thunk_jaxpr(kn_thunk *t, int n_in, const kn_type *in, int n_out, kni_jaxpr **out);
/* For messages: the name of result i, or `before`, its number and `behind`. */
const char *kni_thunk_leaf(const kn_thunk *t, int i, const char *before, const char *behind, kn_text *text);
/* One that always gives j (retained), or, with j NULL, one that is known by name only and gives an error: what the
 * text of a jaxpr has of a rule. NULL without memory. */
kn_thunk *kni_thunk_new(const char *name, const kni_jaxpr *j);
#endif
