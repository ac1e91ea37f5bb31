/* SPDX-License-Identifier: Apache-2.0
 * small_vector.h -- what small matrices in lanes need beside product_vector.h: comparisons as masks, choices, square
 * roots. A mask is a register of its own with AVX-512, elsewhere a vector of all ones and zeros. */
#ifndef KN_HOST_ROUTINE_SMALL_VECTOR_H
#define KN_HOST_ROUTINE_SMALL_VECTOR_H
#include "host/routine/product_vector.h"
#include <stdbool.h>

/* a function by itself, which a file may do without */
#define LEFT_OUT __attribute__((noinline, unused))

#if VECTOR_BYTES == 64
typedef __mmask16 mask_f32;
typedef __mmask8 mask_f64;
#define MASKS(num, V, U, M, reg, suffix, int_suffix, all)                                                    \
    ALWAYS M less_##num(V x, V y) { return _mm512_cmp_##suffix##_mask((reg)x, (reg)y, _CMP_LT_OQ); }         \
    ALWAYS M at_most_##num(V x, V y) { return _mm512_cmp_##suffix##_mask((reg)x, (reg)y, _CMP_LE_OQ); }      \
    ALWAYS M equal_##num(V x, V y) { return _mm512_cmp_##suffix##_mask((reg)x, (reg)y, _CMP_EQ_OQ); }        \
    ALWAYS M same_##num(U x, U y) { return _mm512_cmpeq_##int_suffix##_mask((__m512i)x, (__m512i)y); }       \
    ALWAYS V choose_##num(M which, V yes, V no)                                                              \
    {                                                                                                        \
        return (V)_mm512_mask_blend_##suffix(which, (reg)no, (reg)yes);                                      \
    }                                                                                                        \
    ALWAYS bool any_##num(M x) { return x != 0; }                                                            \
    ALWAYS bool lane_##num(M x, int l) { return x >> l & 1; }                                                \
    ALWAYS M not_##num(M x) { return (M)~x; }                                                                \
    ALWAYS V root_##num(V x) { return (V)_mm512_sqrt_##suffix((reg)x); }
MASKS(f32, vf32, vu32, mask_f32, __m512, ps, epi32, 0xffff)
MASKS(f64, vf64, vu64, mask_f64, __m512d, pd, epi64, 0xff)
#undef MASKS
#else
typedef vu32 mask_f32;
typedef vu64 mask_f64;
#define MASKS(num, V, U, M, lanes)                                                                              \
    ALWAYS M less_##num(V x, V y) { return (M)(x < y); }                                                        \
    ALWAYS M at_most_##num(V x, V y) { return (M)(x <= y); }                                                    \
    ALWAYS M equal_##num(V x, V y) { return (M)(x == y); }                                                      \
    ALWAYS M same_##num(U x, U y) { return (M)(x == y); }                                                       \
    ALWAYS V choose_##num(M which, V yes, V no) { return (V)(((U)yes & which) | ((U)no & ~which)); }            \
    ALWAYS bool any_##num(M x)                                                                                  \
    {                                                                                                           \
        uint64_t part[VECTOR_BYTES / 8], all = 0;                                                               \
        memcpy(part, &x, sizeof part);                                                                          \
        for (int i = 0; i < VECTOR_BYTES / 8; i++)                                                              \
            all |= part[i];                                                                                     \
        return all != 0;                                                                                        \
    }                                                                                                           \
    ALWAYS bool lane_##num(M x, int l) { return x[l] != 0; }                                                    \
    ALWAYS M not_##num(M x) { return ~x; }
MASKS(f32, vf32, vu32, mask_f32, VECTOR_BYTES / 4)
MASKS(f64, vf64, vu64, mask_f64, VECTOR_BYTES / 8)
#undef MASKS
#if VECTOR_BYTES == 32
ALWAYS vf32 root_f32(vf32 x) { return (vf32)_mm256_sqrt_ps((__m256)x); }
ALWAYS vf64 root_f64(vf64 x) { return (vf64)_mm256_sqrt_pd((__m256d)x); }
#else
ALWAYS vf32 root_f32(vf32 x)
{
    for (int l = 0; l < 4; l++)
        x[l] = __builtin_sqrtf(x[l]);
    return x;
}
ALWAYS vf64 root_f64(vf64 x)
{
    for (int l = 0; l < 2; l++)
        x[l] = __builtin_sqrt(x[l]);
    return x;
}
#endif
#endif

/* Eight numbers in a row: a register of half the size, one, or two. */
#if VECTOR_BYTES == 64
typedef __m512d eight_f64;
ALWAYS eight_f64 eight_load_f64(const double *p) { return _mm512_loadu_pd(p); }
ALWAYS void eight_store_f64(double *p, eight_f64 x) { _mm512_storeu_pd(p, x); }
ALWAYS eight_f64 eight_zero_f64(void) { return _mm512_setzero_pd(); }
ALWAYS eight_f64 eight_fma_f64(double f, eight_f64 x, eight_f64 y) { return _mm512_fmadd_pd(_mm512_set1_pd(f), x, y); }
#elif VECTOR_BYTES == 32
typedef struct eight_f64 {
    __m256d low, high;
} eight_f64;
ALWAYS eight_f64 eight_load_f64(const double *p)
{
    return (eight_f64){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
ALWAYS void eight_store_f64(double *p, eight_f64 x)
{
    _mm256_storeu_pd(p, x.low);
    _mm256_storeu_pd(p + 4, x.high);
}
ALWAYS eight_f64 eight_zero_f64(void) { return (eight_f64){_mm256_setzero_pd(), _mm256_setzero_pd()}; }
ALWAYS eight_f64 eight_fma_f64(double f, eight_f64 x, eight_f64 y)
{
    __m256d g = _mm256_set1_pd(f);
    return (eight_f64){_mm256_fmadd_pd(g, x.low, y.low), _mm256_fmadd_pd(g, x.high, y.high)};
}
#endif
#if VECTOR_BYTES >= 32
#define HAVE_EIGHT 1
typedef __m256 eight_f32;
ALWAYS eight_f32 eight_load_f32(const float *p) { return _mm256_loadu_ps(p); }
ALWAYS void eight_store_f32(float *p, eight_f32 x) { _mm256_storeu_ps(p, x); }
ALWAYS eight_f32 eight_zero_f32(void) { return _mm256_setzero_ps(); }
ALWAYS eight_f32 eight_fma_f32(float f, eight_f32 x, eight_f32 y) { return _mm256_fmadd_ps(_mm256_set1_ps(f), x, y); }
#else
#define HAVE_EIGHT 0
#endif
#endif
