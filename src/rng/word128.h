/* SPDX-License-Identifier: Apache-2.0
 * word128.h -- integers of 128 bits as pairs of words, also for compilers that have none. */
#ifndef KN_RNG_WORD128_H
#define KN_RNG_WORD128_H
#include <stdint.h>

typedef struct knrng_word128 {
    uint64_t low, high;
} knrng_word128;

/* The low word of a * b; *high receives the high one. */
static inline uint64_t knrng_multiply_words(uint64_t a, uint64_t b, uint64_t *high)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, first = a1 * b0 + (low >> 32), second = a0 * b1 + (uint32_t)first;
    *high = a1 * b1 + (first >> 32) + (second >> 32);
    return a * b;
#endif
}

static inline knrng_word128 knrng_add(knrng_word128 a, knrng_word128 b)
{
    uint64_t low = a.low + b.low;
    return (knrng_word128){low, a.high + b.high + (low < b.low)};
}

static inline knrng_word128 knrng_multiply(knrng_word128 a, knrng_word128 b)
{
    knrng_word128 r;
    r.low = knrng_multiply_words(a.low, b.low, &r.high);
    r.high += a.high * b.low + a.low * b.high;
    return r;
}
#endif
