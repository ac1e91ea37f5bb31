/* SPDX-License-Identifier: Apache-2.0
 * bits.h -- bit generators: states that give words, one after the other. */
#ifndef KN_RNG_BITS_H
#define KN_RNG_BITS_H
#include "rng/seed.h"
#include "rng/word128.h"

typedef struct knrng_pcg {
    knrng_word128 state, increment;
} knrng_pcg;
typedef struct knrng_philox {
    uint64_t counter[4], key[2], buffer[4];
    int position; /* of the next word in the buffer; 4: there is none */
} knrng_philox;
enum { KNRNG_MT_WORDS = 624 };
typedef struct knrng_mt {
    uint32_t key[KNRNG_MT_WORDS];
    int position;
} knrng_mt;

/* What a generator's next words depend on. */
typedef union knrng_words {
    knrng_pcg pcg;
    knrng_philox philox;
    knrng_mt mt;
    uint64_t sfc[4]; /* three words and a counter */
} knrng_words;

typedef struct knrng_bits knrng_bits;
/* What a bit generator is. `pairs`: its words have 32 bits, and one of 64 is a pair of them, the first one high. */
typedef struct knrng_kind {
    const char *name;
    bool pairs;
    size_t bytes; /* of its knrng_words */
    size_t block; /* of Philox: words that are made together, a step of `advance`; 0: single ones */
    void (*seed)(knrng_bits *g, const knrng_seed *s);
    void (*fill)(knrng_bits *g, size_t n, uint64_t *out); /* the next n words of 64 bits */
    void (*fill32)(knrng_bits *g, size_t n, uint32_t *out); /* of pairs: the next n words of 32 bits */
    void (*advance)(knrng_bits *g, const uint64_t step[4]); /* NULL: it cannot */
    void (*jump)(knrng_bits *g, int64_t jumps);             /* NULL: it cannot */
    void (*get)(const knrng_bits *g, kn_bit_generator_state *state);
    void (*set)(knrng_bits *g, const kn_bit_generator_state *state);
} knrng_kind;
extern const knrng_kind knrng_kind_pcg64, knrng_kind_pcg64dxsm, knrng_kind_mt19937, knrng_kind_philox, knrng_kind_sfc64;

struct knrng_bits {
    int refs;
    const knrng_kind *kind;
    knrng_seed *seed; /* NULL: it has none */
    bool has_half;    /* the high half of the last word was not given yet */
    uint32_t half;
    union {
        knrng_words words;
        knrng_pcg pcg;
        knrng_philox philox;
        knrng_mt mt;
        uint64_t sfc[4];
    };
};

static inline size_t knrng_philox_left(const knrng_bits *g) { return 4 - (size_t)g->philox.position; }
static inline uint64_t knrng_word(knrng_bits *g)
{
    uint64_t w;
    g->kind->fill(g, 1, &w);
    return w;
}
/* The next word of 32 bits: the halves of one of 64, the low one first, unless the generator's words are so short. */
static inline uint32_t knrng_half(knrng_bits *g)
{
    uint32_t half;
    if (g->kind->pairs) {
        g->kind->fill32(g, 1, &half);
        return half;
    }
    g->has_half = !g->has_half;
    if (!g->has_half)
        return g->half;
    uint64_t w = knrng_word(g);
    g->half = (uint32_t)(w >> 32);
    return (uint32_t)w;
}
void knrng_halves(knrng_bits *g, size_t n, uint32_t *out); /* the next n of them */

/* A new one, of a seed (taken over; NULL: none, its state is zero). NULL without memory. */
knrng_bits *knrng_bits_new(const knrng_kind *kind, knrng_seed *seed);
knrng_bits *knrng_bits_retain(knrng_bits *g);
void knrng_bits_release(knrng_bits *g);                           /* NULL is fine */
kn_bit_generator knrng_bits_handle(knrng_bits *g);                /* takes it over */
knrng_bits *knrng_bits_in(kna_op *op, kn_bit_generator handle);   /* borrowed; NULL with the op failed */
/* May random numbers be drawn now? Not while a function is recorded: the numbers would be drawn once for all
 * calls. */
bool knrng_may_draw(kna_op *op);
knx_error *knrng_bits_child(const knrng_bits *g, knrng_bits **out);
void knrng_get_state(const knrng_bits *g, kn_bit_generator_state *state);
bool knrng_set_state(kna_op *op, knrng_bits *g, const kn_bit_generator_state *state); /* false: the op failed */
/* n words of 64 bits that an integer or an array of words stands for, the lowest first. `name`, for messages. */
bool knrng_words_of(kna_op *op, kn_array x, const char *name, int n, uint64_t *out);

/* mt19937.c: NumPy's seeding before there were seed sequences. */
void knrng_mt_seed(knrng_mt *mt, uint32_t seed);
void knrng_mt_seed_words(knrng_mt *mt, const uint32_t *word, size_t n);
/* The same of an argument, with NumPy's errors; NULL: entropy. The generator has no seed sequence then. */
void knrng_legacy_seed(kna_op *op, knrng_bits *g, kn_array seed);
#endif
