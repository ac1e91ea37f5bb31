/* SPDX-License-Identifier: Apache-2.0
 * candidates.h -- what a word says in a ziggurat: a layer, a place in it and a sign. Ninety-nine times in a hundred the
 * place lies under the curve for certain.
 *
 * A normal word is 8 bits of layer, one of sign, and the place; an exponential one the layer in 8 low bits, and the
 * place. Places are converted as signed numbers, which is faster. */
#ifndef KN_RNG_CANDIDATES_H
#define KN_RNG_CANDIDATES_H
#include "rng/tables.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline uint64_t knrng_normal_place(uint64_t w) { return w >> 9 & 0xfffffffffffff; } /* 52 bits */
static inline uint32_t knrng_normal_place32(uint32_t w) { return w >> 9; }                   /* 23 bits */
/* Bits that are not used come first. */
static inline unsigned knrng_exponential_index(uint64_t w) { return w >> 3 & 0xff; }
static inline unsigned knrng_exponential_index32(uint32_t w) { return w >> 1 & 0xff; }

/* x, which is not negative, with this sign: half of the signs would be predicted wrongly by a branch. */
static inline double knrng_signed_by(double x, uint64_t sign)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    u |= sign << 63;
    memcpy(&x, &u, sizeof u);
    return x;
}
static inline float knrng_signed_by32(float x, uint32_t sign)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    u |= sign << 31;
    memcpy(&x, &u, sizeof u);
    return x;
}

static inline double knrng_normal_candidate(uint64_t w, bool *inside)
{
    const knrng_layer *layer = &knrng_normal_layer[w & 0xff];
    *inside = knrng_normal_place(w) < layer->inside;
    return knrng_signed_by((double)(int64_t)knrng_normal_place(w) * layer->width, w >> 8 & 1);
}
static inline float knrng_normal_candidate32(uint32_t w, bool *inside)
{
    const knrng_layer32 *layer = &knrng_normal_layer32[w & 0xff];
    *inside = knrng_normal_place32(w) < layer->inside;
    return knrng_signed_by32((float)(int32_t)knrng_normal_place32(w) * layer->width, w >> 8 & 1);
}
static inline double knrng_exponential_candidate(uint64_t w, bool *inside)
{
    const knrng_layer *layer = &knrng_exponential_layer[knrng_exponential_index(w)];
    *inside = w >> 11 < layer->inside;
    return (double)(int64_t)(w >> 11) * layer->width;
}
static inline float knrng_exponential_candidate32(uint32_t w, bool *inside)
{
    const knrng_layer32 *layer = &knrng_exponential_layer32[knrng_exponential_index32(w)];
    *inside = w >> 9 < layer->inside;
    return (float)(int32_t)(w >> 9) * layer->width;
}
#endif
