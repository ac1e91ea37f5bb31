/* SPDX-License-Identifier: Apache-2.0
 * fills_isa.c -- loops over many words, compiled once per instruction set: candidates of ziggurats, uniform numbers,
 * integers, and the words of PCG64 themselves. */
#include "base/isa_name.h"
#include "rng/candidates.h"
#include "rng/fills.h"
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#endif

/* ---- Candidates. */

#define CANDIDATES(name, W, T, candidate)                           \
    static void name(const W *w, size_t n, T *x, uint64_t *outside) \
    {                                                               \
        for (size_t i = 0; i < n; i += 64) {                        \
            size_t count = n - i < 64 ? n - i : 64;                 \
            uint64_t bits = 0;                                      \
            for (size_t k = 0; k < count; k++) {                    \
                bool inside;                                        \
                x[i + k] = candidate(w[i + k], &inside);            \
                bits |= (uint64_t)!inside << k;                     \
            }                                                       \
            outside[i / 64] = bits;                                 \
        }                                                           \
    }
CANDIDATES(normal32, uint32_t, float, knrng_normal_candidate32)
CANDIDATES(exponential32, uint32_t, float, knrng_exponential_candidate32)
#if !defined(__AVX512DQ__)
CANDIDATES(normal, uint64_t, double, knrng_normal_candidate)
CANDIDATES(exponential, uint64_t, double, knrng_exponential_candidate)
#else
/* Eight words at a time; a layer is looked up by two gathers. */
static inline __m512d widths(const knrng_layer *layers, __m512i index)
{
    return _mm512_i64gather_pd(index, &layers->width, sizeof *layers / 2);
}
static inline __m512i insides(const knrng_layer *layers, __m512i index)
{
    return _mm512_i64gather_epi64(index, &layers->inside, sizeof *layers / 2);
}

#define CANDIDATES_OF_8(name, candidate, INDEX, PLACE, SIGNED)                                              \
    static void name(const uint64_t *w, size_t n, double *x, uint64_t *outside)                             \
    {                                                                                                       \
        const knrng_layer *layers = knrng_##name##_layer;                                                   \
        for (size_t i = 0; i < n; i += 64) {                                                                \
            size_t count = n - i < 64 ? n - i : 64, k = 0;                                                  \
            uint64_t bits = 0;                                                                              \
            for (; k + 8 <= count; k += 8) {                                                                \
                __m512i v = _mm512_loadu_si512(w + i + k), place = PLACE(v);                                \
                __m512i index = _mm512_and_si512(INDEX(v), _mm512_set1_epi64(0x1fe)); /* twice the layer */ \
                __m512d y = _mm512_mul_pd(_mm512_cvtepi64_pd(place), widths(layers, index));                \
                _mm512_storeu_pd(x + i + k, SIGNED(y, v));                                                  \
                bits |= (uint64_t)_mm512_cmpge_epu64_mask(place, insides(layers, index)) << k;              \
            }                                                                                               \
            for (; k < count; k++) {                                                                        \
                bool inside;                                                                                \
                x[i + k] = candidate(w[i + k], &inside);                                                    \
                bits |= (uint64_t)!inside << k;                                                             \
            }                                                                                               \
            outside[i / 64] = bits;                                                                         \
        }                                                                                                   \
    }
#define NORMAL_INDEX(v) _mm512_slli_epi64(v, 1)
#define NORMAL_PLACE(v) _mm512_and_si512(_mm512_srli_epi64(v, 9), _mm512_set1_epi64(0xfffffffffffff))
#define NORMAL_SIGNED(y, v) \
    _mm512_or_pd(y, _mm512_castsi512_pd(_mm512_and_si512(_mm512_slli_epi64(v, 55), _mm512_set1_epi64(INT64_MIN))))
#define EXPONENTIAL_INDEX(v) _mm512_srli_epi64(v, 2)
#define EXPONENTIAL_PLACE(v) _mm512_srli_epi64(v, 11)
#define UNSIGNED(y, v)       y
CANDIDATES_OF_8(normal, knrng_normal_candidate, NORMAL_INDEX, NORMAL_PLACE, NORMAL_SIGNED)
CANDIDATES_OF_8(exponential, knrng_exponential_candidate, EXPONENTIAL_INDEX, EXPONENTIAL_PLACE, UNSIGNED)
#endif

/* ---- Uniform numbers. */

static void units(const uint64_t *w, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (double)(int64_t)(w[i] >> 11) * 0x1p-53;
}

static void units_of_pairs(const uint32_t *w, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double high = (double)(int32_t)(w[2 * i] >> 5), low = (double)(int32_t)(w[2 * i + 1] >> 6);
        out[i] = (high * 0x1p26 + low) * 0x1p-53;
    }
}

static void units32(const uint32_t *w, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(int32_t)(w[i] >> 8) * 0x1p-24f;
}

/* ---- Integers. */

#define NARROW(name, T)                                                                                      \
    static bool name(const uint32_t *w, size_t n, uint64_t from, uint32_t count, uint32_t threshold, T *out) \
    {                                                                                                        \
        uint64_t least = UINT64_MAX;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                                     \
            uint64_t m = (uint64_t)w[i] * count, low = m & UINT32_MAX;                                       \
            out[i] = (T)(from + (m >> 32));                                                                  \
            least = low < least ? low : least;                                                               \
        }                                                                                                    \
        return least >= threshold;                                                                           \
    }
NARROW(narrow64, uint64_t)
NARROW(narrow32, uint32_t)

static void bits(const uint32_t *w, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++, out += 32)
        for (int j = 0; j < 32; j++)
            out[j] = w[i] >> j & 1;
}

/* ---- MT19937. */

enum { MT_WORDS = 624, MT_FAR = 397 };

static inline uint32_t twisted(uint32_t this, uint32_t next, uint32_t far)
{
    uint32_t y = (this & 0x80000000u) | (next & 0x7fffffffu);
    return far ^ y >> 1 ^ (-(y & 1) & 0x9908b0dfu);
}

static void twist(uint32_t *k)
{
    for (int i = 0; i < MT_WORDS - MT_FAR; i++)
        k[i] = twisted(k[i], k[i + 1], k[i + MT_FAR]);
    for (int i = MT_WORDS - MT_FAR; i < MT_WORDS - 1; i++)
        k[i] = twisted(k[i], k[i + 1], k[i + MT_FAR - MT_WORDS]);
    k[MT_WORDS - 1] = twisted(k[MT_WORDS - 1], k[0], k[MT_FAR - 1]);
}

static void temper(const uint32_t *restrict k, size_t n, uint32_t *restrict out)
{
    for (size_t j = 0; j < n; j++) {
        uint32_t y = k[j];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        out[j] = y ^ y >> 18;
    }
}

/* ---- PCG64: eight states eight steps apart each, as 128 bits in two registers. */

#if defined(__AVX512DQ__)
static void pcg64(knrng_lanes *s, size_t n, uint64_t *out, knrng_word128 factor, knrng_word128 increment)
{
    const __m512i half = _mm512_set1_epi64(UINT32_MAX), one = _mm512_set1_epi64(1);
    const __m512i f0 = _mm512_set1_epi64((int64_t)(factor.low & UINT32_MAX)),
                  f1 = _mm512_set1_epi64((int64_t)(factor.low >> 32));
    const __m512i f_low = _mm512_set1_epi64((int64_t)factor.low), f_high = _mm512_set1_epi64((int64_t)factor.high);
    const __m512i c_low = _mm512_set1_epi64((int64_t)increment.low),
                  c_high = _mm512_set1_epi64((int64_t)increment.high);
    __m512i low = _mm512_loadu_si512(s->low), high = _mm512_loadu_si512(s->high);
    for (size_t i = 0; i < n; i += KNRNG_LANES) {
        _mm512_storeu_si512(out + i, _mm512_rorv_epi64(_mm512_xor_si512(high, low), _mm512_srli_epi64(high, 58)));
        __m512i low1 = _mm512_srli_epi64(low, 32);
        __m512i p00 = _mm512_mul_epu32(low, f0), p01 = _mm512_mul_epu32(low, f1);
        __m512i p10 = _mm512_mul_epu32(low1, f0), p11 = _mm512_mul_epu32(low1, f1);
        __m512i first = _mm512_add_epi64(p01, _mm512_srli_epi64(p00, 32));
        __m512i second = _mm512_add_epi64(p10, _mm512_and_si512(first, half));
        __m512i top =
            _mm512_add_epi64(_mm512_add_epi64(p11, _mm512_srli_epi64(first, 32)), _mm512_srli_epi64(second, 32));
        __m512i cross = _mm512_add_epi64(_mm512_mullo_epi64(high, f_low), _mm512_mullo_epi64(low, f_high));
        low = _mm512_add_epi64(_mm512_or_si512(_mm512_slli_epi64(second, 32), _mm512_and_si512(p00, half)), c_low);
        high = _mm512_add_epi64(_mm512_add_epi64(top, cross), c_high);
        high = _mm512_mask_add_epi64(high, _mm512_cmplt_epu64_mask(low, c_low), high, one);
    }
    _mm512_storeu_si512(s->low, low);
    _mm512_storeu_si512(s->high, high);
}
#else
#define pcg64 NULL
#endif

const knrng_fills KN_ISA_NAME(knrng_fills) = {normal,  exponential, normal32, exponential32, units,
                                              units32, narrow64,    narrow32, bits,          units_of_pairs,
                                              twist,   temper,      pcg64};
