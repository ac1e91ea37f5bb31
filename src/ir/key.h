/* SPDX-License-Identifier: Apache-2.0
 * key.h -- what equations are found by: all but the extents in words, and the extents. Two with the same words are the
 * same but for their extents, unless something among the parameters is in the words by its hash alone. */
#ifndef KN_IR_KEY_H
#define KN_IR_KEY_H
#include "base/memory.h"
#include "ir/jaxpr.h"

typedef struct kni_key {
    KN_VEC(uint64_t) word;
    KN_VEC(int64_t) extent;
    bool fuse;  /* what it is for; if not, the lines of equations in jaxprs count: each is looked at by itself */
    bool loose; /* some words are hashes: who has the same ones may be another one */
} kni_key;

/* Adds an equation's parameters; false without memory. */
bool kni_key_params(kni_key *k, const kni_prim *p, const void *params);
uint64_t kni_key_hash(const kni_key *k); /* of the words */
bool kni_key_same_words(const kni_key *a, const kni_key *b);
bool kni_key_same_extents(const kni_key *a, const kni_key *b);
bool kni_key_copy(const kni_key *k, kni_key *out); /* false without memory: then out is empty */
void kni_key_free(kni_key *k);
size_t kni_key_bytes(const kni_key *k);
#endif
