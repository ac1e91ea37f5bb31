/* SPDX-License-Identifier: Apache-2.0
 * sort_search_isa.c -- searches in lanes of registers: each step gathers the elements that they look at. Compiled once
 * per instruction set, of which AVX-512 alone has such loops. */
#include "base/isa_name.h"
#include "host/routine/sort_search_loops.h"
#if defined(__AVX512F__)
#include <immintrin.h>

enum { VECTORS = 4 }; /* so many wait for memory at a time */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

/* Elements count that are not above a number: v; for left the next one below v, which is infinity for a NaN. What has
 * no such number (NaN for right: all count; the lowest integer for left: none does) is found out at the end. */
#define FLOAT(bits, infinity)                                                               \
    static inline int##bits##_t float_##bits(int##bits##_t v, bool right)                   \
    {                                                                                       \
        const int##bits##_t magnitude = v & INT##bits##_MAX;                                \
        const int##bits##_t low = !magnitude ? INT##bits##_MIN + 1 : v > 0 ? v - 1 : v + 1; \
        return right ? v : magnitude > infinity ? infinity : low;                           \
    }                                                                                       \
    static inline bool float_all_##bits(int##bits##_t v, bool right)                        \
    {                                                                                       \
        return right & ((v & INT##bits##_MAX) > infinity);                                  \
    }
FLOAT(32, 0x7f800000)
FLOAT(64, 0x7ff0000000000000)

#define KEEPS_f32(x, v, flip) ((void)(flip), _mm512_cmp_ps_mask((__m512)(x), (__m512)(v), _CMP_LE_OQ))
#define KEEPS_f64(x, v, flip) ((void)(flip), _mm512_cmp_pd_mask((__m512d)(x), (__m512d)(v), _CMP_LE_OQ))
#define KEEPS_i32(x, v, flip) _mm512_cmple_epi32_mask(_mm512_xor_si512(x, flip), v)
#define KEEPS_i64(x, v, flip) _mm512_cmple_epi64_mask(_mm512_xor_si512(x, flip), v)

/* which: i32, ...; NUMBER: what elements are compared with; ODD: whether the result is `end` whatever was found. */
#define LINE(which, bits, NUMBER, ODD, end)                                                                            \
    static int64_t search_##which(const void *a, int64_t length, const void *v, int64_t n, bool right,                 \
                                  uint64_t flip_bits, int64_t *y)                                                      \
    {                                                                                                                  \
        typedef int##bits##_t T;                                                                                       \
        enum { LANES = 512 / bits, MANY = VECTORS * LANES };                                                           \
        const __m512i flip = _mm512_set1_epi##bits((T)flip_bits);                                                      \
        int64_t i = 0;                                                                                                 \
        for (; i + MANY <= n; i += MANY) {                                                                             \
            const T *u = (const T *)v + i, turned = (T)flip_bits;                                                      \
            _Alignas(64) T number[MANY], at[MANY];                                                                     \
            __m512i wanted[VECTORS], found[VECTORS];                                                                   \
            for (int l = 0; l < MANY; l++)                                                                             \
                number[l] = NUMBER((T)(u[l] ^ turned), right);                                                         \
            UNROLL for (int k = 0; k < VECTORS; k++)                                                                   \
            {                                                                                                          \
                wanted[k] = _mm512_load_si512(number + k * LANES);                                                     \
                found[k] = _mm512_setzero_si512();                                                                     \
            }                                                                                                          \
            for (int64_t rest = length, half; rest; rest -= half) {                                                    \
                half = rest - rest / 2;                                                                                \
                const __m512i more = _mm512_set1_epi##bits((T)half);                                                   \
                UNROLL for (int k = 0; k < VECTORS; k++)                                                               \
                {                                                                                                      \
                    __m512i x = _mm512_i##bits##gather_epi##bits(found[k], (const T *)a + half - 1, sizeof(T));        \
                    found[k] = _mm512_mask_add_epi##bits(found[k], KEEPS_##which(x, wanted[k], flip), found[k], more); \
                }                                                                                                      \
            }                                                                                                          \
            UNROLL for (int k = 0; k < VECTORS; k++) _mm512_store_si512(at + k * LANES, found[k]);                     \
            for (int l = 0; l < MANY; l++)                                                                             \
                y[i + l] = ODD((T)(u[l] ^ turned), right) ? end : at[l];                                               \
        }                                                                                                              \
        return i;                                                                                                      \
    }
#define BELOW(v, right)   (T)((uint64_t)(v) - !(right))
#define NONE_32(v, right) (!(right) & ((v) == INT32_MIN))
#define NONE_64(v, right) (!(right) & ((v) == INT64_MIN))
LINE(i32, 32, BELOW, NONE_32, 0)
LINE(i64, 64, BELOW, NONE_64, 0)
LINE(f32, 32, float_32, float_all_32, length)
LINE(f64, 64, float_64, float_all_64, length)
const knr_search_loops KN_ISA_NAME(knr_search_loops) = {{search_i32, search_i64, search_f32, search_f64}};
#else
const knr_search_loops KN_ISA_NAME(knr_search_loops) = {{0}};
#endif
