/* SPDX-License-Identifier: Apache-2.0
 * seed.h -- seed sequences: entropy of any length is mixed into a pool, from which states of any length are made. */
#ifndef KN_RNG_SEED_H
#define KN_RNG_SEED_H
#include "array/op.h"
#include "kiln/random_state.h"

typedef struct knrng_seed {
    int refs;
    bool is_number; /* the entropy was given as one integer */
    size_t n_entropy, n_spawn_key;
    uint64_t *entropy; /* the integers as they were given; the spawn key behind them, in the same block */
    uint64_t *spawn_key;
    int64_t n_children; /* spawned so far */
    uint32_t pool_size;
    uint32_t *pool;
} knrng_seed;

/* Takes copies. NULL entropy: from the operating system. */
knx_error *knrng_seed_new(const uint64_t *entropy, size_t n_entropy, bool is_number, const uint64_t *spawn_key,
                          size_t n_spawn_key, uint32_t pool_size, knrng_seed **out);
knx_error *knrng_seed_child(knrng_seed *s, knrng_seed **out); /* the next one */
knrng_seed *knrng_seed_retain(knrng_seed *s);                 /* NULL is fine */
void knrng_seed_release(knrng_seed *s);                       /* NULL is fine */
void knrng_seed_words(const knrng_seed *s, size_t n, uint32_t *out);
void knrng_seed_words64(const knrng_seed *s, size_t n, uint64_t *out);
/* Integers that an array or number holds, from 0 on; to be freed by knx_free. NULL with the op failed. */
uint64_t *knrng_integers_in(kna_op *op, kn_array x, size_t *n, bool *is_number);
/* The seed that an argument stands for: NULL is entropy of the operating system. NULL with the op failed. */
knrng_seed *knrng_seed_of(kna_op *op, kn_array entropy);
kn_seed_sequence knrng_seed_handle(knrng_seed *s);              /* takes it over */
knrng_seed *knrng_seed_in(kna_op *op, kn_seed_sequence handle); /* borrowed; NULL with the op failed */
/* Spawns n children into `children`, each by `make`, which returns an error. 0, or -1 with the op ended by an error. */
typedef knx_error *knrng_make_child(void *parent, void *children, int i);
int knrng_spawn(kna_op *op, void *parent, int n, void *children, knrng_make_child *make);
#endif
