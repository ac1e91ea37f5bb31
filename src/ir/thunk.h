/* SPDX-License-Identifier: Apache-2.0
 * thunk.h -- a function that becomes a jaxpr when somebody asks for it: the rule of a custom derivative. A rule
 * commonly calls its own function, so it cannot be recorded where that function is called; equations hold a thunk, and
 * transformations ask it for the types that they have. */
#ifndef KN_IR_THUNK_H
#define KN_IR_THUNK_H
#include "ir/jaxpr.h"

typedef struct kni_thunk kni_thunk;
/* What a thunk can do; `free` frees it with what it holds. */
typedef struct kni_thunk_kind {
    /* The jaxpr for inputs of these types: a new reference, without constvars. */
    knx_error *(*jaxpr)(kni_thunk *t, int n_in, const kni_type *in, kni_jaxpr **out);
    bool (*equal)(const kni_thunk *a, const kni_thunk *b); /* of this kind both */
    uint64_t (*hash)(const kni_thunk *t);
    void (*free)(kni_thunk *t);
    /* The name of result i, as ".w1", added to the text; "" if it has none. NULL: none has. */
    const char *(*leaf)(const kni_thunk *t, int i, knx_text *text);
} kni_thunk_kind;
struct kni_thunk {
    atomic_int refs;
    const kni_thunk_kind *kind;
    const char *name;      /* in texts and messages; lives as long as the thunk */
    const kni_jaxpr *held; /* the jaxpr that it always gives: the full form shows it. NULL: it depends on the types */
};

kni_thunk *kni_thunk_retain(const kni_thunk *t);
void kni_thunk_release(kni_thunk *t); /* NULL is fine */
bool kni_thunk_equal(const kni_thunk *a, const kni_thunk *b);
uint64_t kni_thunk_hash(const kni_thunk *t);
/* Asks t, and checks the numbers of inputs and results of what it gives (n_out < 0: any). */
knx_error *kni_thunk_jaxpr(kni_thunk *t, int n_in, const kni_type *in, int n_out, kni_jaxpr **out);
/* For messages: the name of result i, or `before`, its number and `behind`. */
const char *kni_thunk_leaf(const kni_thunk *t, int i, const char *before, const char *behind, knx_text *text);
/* One that always gives j (retained), or, with j NULL, one that is known by name only and gives an error: what the
 * text of a jaxpr has of a rule. NULL without memory. */
kni_thunk *kni_thunk_new(const char *name, const kni_jaxpr *j);
#endif
