/* SPDX-License-Identifier: Apache-2.0
 * fills.h -- loops over words that were made together, as compiled per instruction set. */
#ifndef KN_RNG_FILLS_H
#define KN_RNG_FILLS_H
#include "rng/word128.h"
#include <stdbool.h>
#include <stddef.h>

/* Of n words. Candidates of a ziggurat: bit i of `outside` says that candidate i does not lie inside for certain (those
 * from n on are zero). Integers: `from` plus the high words of w * count; true if all low words are at least the
 * threshold. pcg64: n is a multiple of KNRNG_LANES; the first states to give are those of the lanes, as low and high
 * words, and are so in the end; factor and increment of as many steps. */
enum { KNRNG_LANES = 8 };
typedef struct knrng_lanes {
    uint64_t low[KNRNG_LANES], high[KNRNG_LANES];
} knrng_lanes;
typedef struct knrng_fills {
    void (*normal)(const uint64_t *w, size_t n, double *x, uint64_t *outside);
    void (*exponential)(const uint64_t *w, size_t n, double *x, uint64_t *outside);
    void (*normal32)(const uint32_t *w, size_t n, float *x, uint64_t *outside);
    void (*exponential32)(const uint32_t *w, size_t n, float *x, uint64_t *outside);
    void (*units)(const uint64_t *w, size_t n, double *out);
    void (*units32)(const uint32_t *w, size_t n, float *out);
    bool (*narrow64)(const uint32_t *w, size_t n, uint64_t from, uint32_t count, uint32_t threshold, uint64_t *out);
    bool (*narrow32)(const uint32_t *w, size_t n, uint64_t from, uint32_t count, uint32_t threshold, uint32_t *out);
    void (*bits)(const uint32_t *w, size_t n, uint8_t *out); /* 32 of each, the lowest first */
    void (*units_of_pairs)(const uint32_t *w, size_t n, double *out); /* 2 n words */
    void (*twist)(uint32_t *key);                                      /* MT19937's next 624 words, */
    void (*temper)(const uint32_t *key, size_t n, uint32_t *out);      /* as they are given */
    void (*pcg64)(knrng_lanes *s, size_t n, uint64_t *out, knrng_word128 factor, knrng_word128 increment); /* or NULL */
} knrng_fills;
extern const knrng_fills knrng_fills_base, knrng_fills_avx2, knrng_fills_avx512;
#endif
