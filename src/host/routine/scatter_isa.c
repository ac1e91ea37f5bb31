/* SPDX-License-Identifier: Apache-2.0
 * scatter_isa.c -- starts of windows by owners, without a branch, sums of rows; compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/scatter_loops.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
static inline knr_start *put(knr_start *to, __mmask8 which, __m512i x)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(which, x));
    return to + __builtin_popcount(which);
}

/* Eight at a time; how many. */
static int64_t find_eights(const knr_plain_starts *s, int64_t n, knr_start **a, knr_start **b)
{
    __m512i zero = _mm512_setzero_si512(), back = _mm512_set1_epi64(s->back);
    __m512i most = _mm512_set1_epi64((long long)s->most), stride = _mm512_set1_epi64((long long)s->stride);
    __m512i factor = _mm512_set1_epi64(0x9e3779b1u), top = _mm512_set1_epi64(1ll << 31);
    __m512i point = _mm512_set_epi64(7ll << 32, 6ll << 32, 5ll << 32, 4ll << 32, 3ll << 32, 2ll << 32, 1ll << 32, 0);
    __m512i eight = _mm512_set1_epi64(8ll << 32);
    __m128i line = _mm_cvtsi32_si128(s->line_bits);
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        __m512i v = s->wide
                        ? _mm512_loadu_si512((const int64_t *)s->indices + k)
                        : _mm512_cvtepi32_epi64(_mm256_loadu_si256((const void *)((const int32_t *)s->indices + k)));
        v = _mm512_mask_add_epi64(v, _mm512_cmplt_epi64_mask(v, zero), v, back);
        __mmask8 inside = _mm512_cmple_epu64_mask(v, most), second = 0;
        __m512i at = _mm512_mul_epu32(v, stride), x = _mm512_or_si512(at, point);
        if (*b) {
            second = _mm512_test_epi64_mask(_mm512_mul_epu32(_mm512_srl_epi64(at, line), factor), top);
            *b = put(*b, inside & second, x);
        }
        *a = put(*a, inside & (__mmask8)~second, x);
        point = _mm512_add_epi64(point, eight);
    }
    return k;
}
#else
static int64_t find_eights(const knr_plain_starts *s, int64_t n, knr_start **a, knr_start **b)
{
    (void)s, (void)n, (void)a, (void)b;
    return 0;
}
#endif

#define PLACES(type)                                                        \
    for (int64_t k = 0; k < n; k++) {                                       \
        int64_t v = ((const type *)s->indices)[k];                          \
        v += v < 0 ? back : 0;                                              \
        outside |= (uint64_t)v > most;                                      \
        at[k] = (int64_t)(((uint64_t)at[k] & kept) + (uint64_t)v * stride); \
    }

static bool places(const knr_plain_starts *s, int64_t n, bool adds, int64_t *restrict at)
{
    uint64_t outside = 0, kept = adds ? UINT64_MAX : 0, most = s->most, stride = s->stride;
    int64_t back = s->back;
    if (s->wide)
        PLACES(int64_t)
    else
        PLACES(int32_t)
    return !outside;
}

static void find(const knr_plain_starts *s, int64_t n, knr_start *a, knr_start *b, int64_t *count)
{
    const knr_start *first = a, *other = b;
    knr_start none, *c = b ? b : &none;
    int bits = b != 0, line_bits = s->line_bits;
    uint64_t most = s->most, stride = s->stride;
    int64_t k = find_eights(s, n, &a, &b), back = s->back;
    const int64_t *wide = s->wide ? s->indices : 0;
    const int32_t *narrow = s->indices;
    c = b ? b : c;
    for (; k < n; k++) {
        int64_t v = wide ? wide[k] : narrow[k];
        v += v < 0 ? back : 0;
        knr_start x = knr_start_of((uint64_t)v * stride, (uint64_t)k);
        uint64_t inside = (uint64_t)v <= most, second = knr_owner(knr_at(x), line_bits, bits);
        *a = x;
        *c = x;
        a += inside & ~second;
        c += inside & second;
    }
    count[0] = a - first;
    if (other)
        count[1] = c - other;
}

#define ADD(name, type)                                                       \
    static void name(type *restrict to, const type *restrict from, int64_t n) \
    {                                                                         \
        for (int64_t i = 0; i < n; i++)                                       \
            to[i] += from[i];                                                 \
    }
ADD(add_4, float)
ADD(add_8, double)

const knr_scatter_loops KN_ISA_NAME(knr_scatter_loops) = {places, find, add_4, add_8};
