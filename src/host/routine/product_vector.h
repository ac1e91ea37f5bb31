/* SPDX-License-Identifier: Apache-2.0
 * product_vector.h -- vectors for *_isa.c files: one machine register of numbers, fused multiply-add with one
 * rounding, loads and stores of the first lanes. Where there is no fused instruction (SLOW_FMA) the C library's fma, or
 * arithmetic, gives the same bits, slowly. */
#ifndef KN_HOST_ROUTINE_PRODUCT_VECTOR_H
#define KN_HOST_ROUTINE_PRODUCT_VECTOR_H
#include "base/fma.h"
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#if VECTOR_BYTES > 16
#include <immintrin.h>
#endif
#if VECTOR_BYTES > 16 || defined(__wasm_relaxed_simd__)
#define SLOW_FMA 0
#else
#define SLOW_FMA 1
#endif

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* every function that takes a vector is inlined: there is no call of it */
#endif
#define ALWAYS static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef float vf32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double vf64 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t vu32 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t vu64 __attribute__((vector_size(VECTOR_BYTES)));

ALWAYS vu32 fma_u32(vu32 a, vu32 b, vu32 c) { return a * b + c; }
ALWAYS vu64 fma_u64(vu64 a, vu64 b, vu64 c) { return a * b + c; }
ALWAYS uint32_t fma1_u32(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
ALWAYS uint64_t fma1_u64(uint64_t a, uint64_t b, uint64_t c) { return a * b + c; }
ALWAYS float fma1_f32(float a, float b, float c) { return knx_fmaf(a, b, c); }
ALWAYS double fma1_f64(double a, double b, double c) { return knx_fma(a, b, c); }

#if VECTOR_BYTES == 64
ALWAYS vf32 fma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
ALWAYS vf64 fma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
/* c - a b, which is fma(-a, b, c) */
ALWAYS vf32 fnma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c); }
ALWAYS vf64 fnma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
/* The first n numbers of 4 (load4, ...) or 8 bytes; the other lanes are zero, and memory behind them is not touched. */
ALWAYS vu32 load4(const void *p, int n) { return (vu32)_mm512_maskz_loadu_epi32((__mmask16)((1u << n) - 1), p); }
ALWAYS vu32 load8(const void *p, int n) { return (vu32)_mm512_maskz_loadu_epi64((__mmask8)((1u << n) - 1), p); }
ALWAYS void store4(void *p, vu32 v, int n) { _mm512_mask_storeu_epi32(p, (__mmask16)((1u << n) - 1), (__m512i)v); }
ALWAYS void store8(void *p, vu32 v, int n) { _mm512_mask_storeu_epi64(p, (__mmask8)((1u << n) - 1), (__m512i)v); }
#elif VECTOR_BYTES == 32
ALWAYS vf32 fma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
ALWAYS vf64 fma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
ALWAYS vf32 fnma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c); }
ALWAYS vf64 fnma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
ALWAYS __m256i first4(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
ALWAYS __m256i first8(int n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
ALWAYS vu32 load4(const void *p, int n) { return (vu32)_mm256_maskload_epi32((const int *)p, first4(n)); }
ALWAYS vu32 load8(const void *p, int n) { return (vu32)_mm256_maskload_epi64((const long long *)p, first8(n)); }
ALWAYS void store4(void *p, vu32 v, int n) { _mm256_maskstore_epi32((int *)p, first4(n), (__m256i)v); }
ALWAYS void store8(void *p, vu32 v, int n) { _mm256_maskstore_epi64((long long *)p, first8(n), (__m256i)v); }
#else
#if defined(__wasm_simd128__)
ALWAYS vf32 fma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)knx_fma4((v128_t)a, (v128_t)b, (v128_t)c); }
ALWAYS vf64 fma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)knx_fma8((v128_t)a, (v128_t)b, (v128_t)c); }
#else
ALWAYS vf32 fma_f32(vf32 a, vf32 b, vf32 c)
{
    for (int l = 0; l < 4; l++)
        c[l] = __builtin_fmaf(a[l], b[l], c[l]);
    return c;
}
ALWAYS vf64 fma_f64(vf64 a, vf64 b, vf64 c)
{
    for (int l = 0; l < 2; l++)
        c[l] = __builtin_fma(a[l], b[l], c[l]);
    return c;
}
#endif
#if defined(__wasm_relaxed_simd__)
ALWAYS vf32 fnma_f32(vf32 a, vf32 b, vf32 c) { return (vf32)wasm_f32x4_relaxed_nmadd((v128_t)a, (v128_t)b, (v128_t)c); }
ALWAYS vf64 fnma_f64(vf64 a, vf64 b, vf64 c) { return (vf64)wasm_f64x2_relaxed_nmadd((v128_t)a, (v128_t)b, (v128_t)c); }
#else
ALWAYS vf32 fnma_f32(vf32 a, vf32 b, vf32 c) { return fma_f32(-a, b, c); }
ALWAYS vf64 fnma_f64(vf64 a, vf64 b, vf64 c) { return fma_f64(-a, b, c); }
#endif
ALWAYS vu32 load4(const void *p, int n)
{
    vu32 v = {0};
    memcpy(&v, p, (size_t)n * 4);
    return v;
}
ALWAYS vu32 load8(const void *p, int n)
{
    vu32 v = {0};
    memcpy(&v, p, (size_t)n * 8);
    return v;
}
ALWAYS void store4(void *p, vu32 v, int n) { memcpy(p, &v, (size_t)n * 4); }
ALWAYS void store8(void *p, vu32 v, int n) { memcpy(p, &v, (size_t)n * 8); }
#endif

/* Lanes of x and y in turn: the first halves, the second halves. log2(lanes) rounds of it transpose a square of
 * vectors. */
#if VECTOR_BYTES == 64
ALWAYS vu32 zip_lo4(vu32 x, vu32 y)
{
    return __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
ALWAYS vu32 zip_hi4(vu32 x, vu32 y)
{
    return __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
ALWAYS vu64 zip_lo8(vu64 x, vu64 y) { return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11); }
ALWAYS vu64 zip_hi8(vu64 x, vu64 y) { return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15); }
#elif VECTOR_BYTES == 32
ALWAYS vu32 zip_lo4(vu32 x, vu32 y) { return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11); }
ALWAYS vu32 zip_hi4(vu32 x, vu32 y) { return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15); }
ALWAYS vu64 zip_lo8(vu64 x, vu64 y) { return __builtin_shufflevector(x, y, 0, 4, 1, 5); }
ALWAYS vu64 zip_hi8(vu64 x, vu64 y) { return __builtin_shufflevector(x, y, 2, 6, 3, 7); }
#else
ALWAYS vu32 zip_lo4(vu32 x, vu32 y) { return __builtin_shufflevector(x, y, 0, 4, 1, 5); }
ALWAYS vu32 zip_hi4(vu32 x, vu32 y) { return __builtin_shufflevector(x, y, 2, 6, 3, 7); }
ALWAYS vu64 zip_lo8(vu64 x, vu64 y) { return __builtin_shufflevector(x, y, 0, 2); }
ALWAYS vu64 zip_hi8(vu64 x, vu64 y) { return __builtin_shufflevector(x, y, 1, 3); }
#endif
#endif
