/* SPDX-License-Identifier: Apache-2.0
 * extreme_isa.c -- the largest keys of columns and where they stand, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/extreme_loops.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#define HEAD(name)                                                                                                \
    static void name(const knr_extreme_code *code, const void *memory, int64_t rows, int64_t step, int64_t width, \
                     int64_t first, void *best_memory, void *at_memory)

/* The magnitude of a float with its sign; NaN is above all. */
#define FLOAT_KEY(bits, K)                                                      \
    static inline K key_##bits(K v, K infinity)                                 \
    {                                                                           \
        K most = INT##bits##_MAX, sign = v >> (bits - 1), magnitude = v & most; \
        K is_nan = -(K)(magnitude > infinity);                                  \
        return (((magnitude ^ sign) - sign) & ~is_nan) | (most & is_nan);       \
    }
FLOAT_KEY(16, int32_t)
FLOAT_KEY(32, int32_t)
FLOAT_KEY(64, int64_t)

/* Without a choice of stores, which compilers would turn into a branch. */
#define TAKE(lane, v, mask) lane ^= (lane ^ (v)) & (mask)

/* Lanes of keys of type K, from elements of type T. */
#define ROWS(name, T, K, KEY)                                        \
    HEAD(name)                                                       \
    {                                                                \
        const T *x = memory, flip = (T)code->flip;                   \
        const K infinity = (K)code->infinity;                        \
        K *restrict best = best_memory, *restrict at = at_memory;    \
        (void)infinity;                                              \
        for (int64_t i = 0; i < rows; i++, x += step)                \
            for (int64_t c = 0; c < width; c++) {                    \
                K v = (T)(x[c] ^ flip), key = KEY, before = best[c]; \
                K mask = -(K)(key > before);                         \
                best[c] = key > before ? key : before;               \
                TAKE(at[c], (K)(first + i), mask);                   \
            }                                                        \
    }
ROWS(integers_8, int8_t, int32_t, v)
ROWS(integers_16, int16_t, int32_t, v)
ROWS(integers_32, int32_t, int32_t, v)
ROWS(integers_64, int64_t, int64_t, v)
ROWS(floats_16, int16_t, int32_t, key_16(v, infinity))

/* Lanes of floats of type F, whose bits are a K. */
#define FLOAT_ROWS(name, F, K)                                      \
    HEAD(name)                                                      \
    {                                                               \
        const K *x = memory, flip = (K)code->flip;                  \
        K *restrict best = best_memory, *restrict at = at_memory;   \
        for (int64_t i = 0; i < rows; i++, x += step)               \
            for (int64_t c = 0; c < width; c++) {                   \
                K bits = x[c] ^ flip;                               \
                F v, before;                                        \
                memcpy(&v, &bits, sizeof v);                        \
                memcpy(&before, &best[c], sizeof before);           \
                K mask = -(K)(!(v <= before) & (before == before)); \
                TAKE(best[c], bits, mask);                          \
                TAKE(at[c], (K)(first + i), mask);                  \
            }                                                       \
    }
FLOAT_ROWS(floats_32, float, int32_t)
FLOAT_ROWS(floats_64, double, int64_t)

/* --- lines ---------------------------------------------------------------------------------------- */

enum { BLOCK = 1024, FEW = 128 };

/* The largest key of n elements, at least 1. */
#define AS_IT_IS(v, infinity) ((void)(infinity), (v))
#define MOST(name, T, KEY)                                                    \
    static T name##_most(const knr_extreme_code *code, const T *x, int64_t n) \
    {                                                                         \
        const T flip = (T)code->flip, infinity = (T)code->infinity;           \
        T here = (T)KEY((T)(x[0] ^ flip), infinity);                          \
        for (int64_t j = 0; j < n; j++) {                                     \
            T other = (T)KEY((T)(x[j] ^ flip), infinity);                     \
            here = other > here ? other : here;                               \
        }                                                                     \
        return here;                                                          \
    }

/* The same of floats, whose bits are a T: as floats, unless one of them is NaN. */
#if defined(__AVX512F__)
#define FLIPPED(x, flip, bits) _mm512_xor_si512(_mm512_loadu_si512(x), _mm512_set1_epi##bits(flip))
typedef __m512 lanes_32;
typedef __m512d lanes_64;
static inline lanes_32 load_32(const int32_t *x, int32_t flip) { return _mm512_castsi512_ps(FLIPPED(x, flip, 32)); }
static inline lanes_64 load_64(const int64_t *x, int64_t flip) { return _mm512_castsi512_pd(FLIPPED(x, flip, 64)); }
static inline lanes_32 larger_32(lanes_32 v, lanes_32 here) { return _mm512_max_ps(v, here); }
static inline lanes_64 larger_64(lanes_64 v, lanes_64 here) { return _mm512_max_pd(v, here); }
static inline int nan_32(lanes_32 v) { return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q); }
static inline int nan_64(lanes_64 v) { return _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q); }
#elif defined(__AVX2__)
#define FLIPPED(x, flip, splat) _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)(x)), splat(flip))
typedef __m256 lanes_32;
typedef __m256d lanes_64;
static inline lanes_32 load_32(const int32_t *x, int32_t flip)
{
    return _mm256_castsi256_ps(FLIPPED(x, flip, _mm256_set1_epi32));
}
static inline lanes_64 load_64(const int64_t *x, int64_t flip)
{
    return _mm256_castsi256_pd(FLIPPED(x, flip, _mm256_set1_epi64x));
}
static inline lanes_32 larger_32(lanes_32 v, lanes_32 here) { return _mm256_max_ps(v, here); }
static inline lanes_64 larger_64(lanes_64 v, lanes_64 here) { return _mm256_max_pd(v, here); }
static inline int nan_32(lanes_32 v) { return _mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)); }
static inline int nan_64(lanes_64 v) { return _mm256_movemask_pd(_mm256_cmp_pd(v, v, _CMP_UNORD_Q)); }
#endif
#if defined(__AVX512F__) || defined(__AVX2__)
#define FLOAT_MOST(bits, T)                                                               \
    MOST(key_##bits, T, key_##bits)                                                       \
    static T floats_##bits##_most(const knr_extreme_code *code, const T *x, int64_t n)    \
    {                                                                                     \
        enum { LANES = sizeof(lanes_##bits) / sizeof(T), SETS = 4, STEP = SETS * LANES }; \
        const T flip = (T)code->flip;                                                     \
        lanes_##bits here[SETS];                                                          \
        T rest[STEP];                                                                     \
        int nan = 0;                                                                      \
        int64_t i = STEP;                                                                 \
        if (n < STEP)                                                                     \
            return key_##bits##_most(code, x, n);                                         \
        for (int k = 0; k < SETS; k++) {                                                  \
            here[k] = load_##bits(x + k * LANES, flip);                                   \
            nan |= nan_##bits(here[k]);                                                   \
        }                                                                                 \
        for (; i + STEP <= n; i += STEP)                                                  \
            for (int k = 0; k < SETS; k++) {                                              \
                lanes_##bits v = load_##bits(x + i + k * LANES, flip);                    \
                nan |= nan_##bits(v);                                                     \
                here[k] = larger_##bits(v, here[k]);                                      \
            }                                                                             \
        if (nan)                                                                          \
            return key_##bits##_most(code, x, n);                                         \
        memcpy(rest, here, sizeof rest);                                                  \
        for (int k = 0; k < STEP; k++)                                                    \
            rest[k] ^= flip; /* as in memory */                                           \
        T most = key_##bits##_most(code, rest, STEP);                                     \
        T last = i < n ? key_##bits##_most(code, x + i, n - i) : most;                    \
        return last > most ? last : most;                                                 \
    }
#else
#define FLOAT_MOST(bits, T) MOST(floats_##bits, T, key_##bits)
#endif
MOST(integers_8, int8_t, AS_IT_IS)
MOST(integers_16, int16_t, AS_IT_IS)
MOST(integers_32, int32_t, AS_IT_IS)
MOST(integers_64, int64_t, AS_IT_IS)
MOST(floats_16, int16_t, key_16)
FLOAT_MOST(32, int32_t)
FLOAT_MOST(64, int64_t)

/* The first largest key of n elements, of which BLOCK are looked at before it is looked for. */
#define LINE(name, T, KEY)                                                                                \
    static int64_t name##_line(const knr_extreme_code *code, const void *memory, int64_t n, int64_t *key) \
    {                                                                                                     \
        const T *x = memory, flip = (T)code->flip, infinity = (T)code->infinity;                          \
        T best = 0;                                                                                       \
        int64_t at = -1;                                                                                  \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                          \
            T here = name##_most(code, x + i, n - i < BLOCK ? n - i : BLOCK);                             \
            at = at < 0 || here > best ? i : at;                                                          \
            best = at == i ? here : best;                                                                 \
        }                                                                                                 \
        for (int found = 0;; at += FEW) {                                                                 \
            int64_t end = n - at < FEW ? n : at + FEW;                                                    \
            for (int64_t j = at; j < end; j++)                                                            \
                found |= KEY((T)(x[j] ^ flip), infinity) == best;                                         \
            if (found)                                                                                    \
                break;                                                                                    \
        }                                                                                                 \
        while (KEY((T)(x[at] ^ flip), infinity) != best)                                                  \
            at++;                                                                                         \
        *key = best;                                                                                      \
        return at;                                                                                        \
    }
LINE(integers_8, int8_t, AS_IT_IS)
LINE(integers_16, int16_t, AS_IT_IS)
LINE(integers_32, int32_t, AS_IT_IS)
LINE(integers_64, int64_t, AS_IT_IS)
LINE(floats_16, int16_t, key_16)
LINE(floats_32, int32_t, key_32)
LINE(floats_64, int64_t, key_64)

#define BOTH(name)        \
    {                     \
        name, name##_line \
    }
const knr_extreme_loops KN_ISA_NAME(knr_extreme_loops)[8] = {BOTH(integers_8),  BOTH(integers_16), BOTH(integers_32),
                                                             BOTH(integers_64), {NULL, NULL},      BOTH(floats_16),
                                                             BOTH(floats_32),   BOTH(floats_64)};
