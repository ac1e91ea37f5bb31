/* SPDX-License-Identifier: Apache-2.0
 * cumulative_vector.h -- what cumulative operations need of vectors beside product_vector.h: lanes moved by a table,
 * chosen by a mask, and the larger ones. Where there are no such vectors (ONE_NUMBER), on x86 without AVX2, a vector is
 * one number: small rather than fast. */
#ifndef KN_HOST_ROUTINE_CUMULATIVE_VECTOR_H
#define KN_HOST_ROUTINE_CUMULATIVE_VECTOR_H
#include "host/routine/product_vector.h"
#include <stdbool.h>

#if VECTOR_BYTES > 16 || defined(__wasm_simd128__)
#define ONE_NUMBER 0
#else
#define ONE_NUMBER 1
#endif

#if VECTOR_BYTES == 64
typedef __m512i bytes;
ALWAYS bytes all4(uint32_t x) { return _mm512_set1_epi32((int)x); }
ALWAYS bytes all8(uint64_t x) { return _mm512_set1_epi64((long long)x); }
typedef __mmask16 mask4;
typedef __mmask8 mask8;
ALWAYS bytes moved4(bytes x, vu32 from) { return _mm512_permutexvar_epi32((bytes)from, x); }
ALWAYS bytes moved8(bytes x, vu64 from) { return _mm512_permutexvar_epi64((bytes)from, x); }
ALWAYS mask4 is_set4(vu32 x) { return _mm512_test_epi32_mask((bytes)x, (bytes)x); }
ALWAYS mask8 is_set8(vu64 x) { return _mm512_test_epi64_mask((bytes)x, (bytes)x); }
ALWAYS mask4 below4(vu32 x, int64_t n) { return _mm512_cmplt_epi32_mask((bytes)x, all4((uint32_t)n)); }
ALWAYS mask8 below8(vu64 x, int64_t n) { return _mm512_cmplt_epi64_mask((bytes)x, all8((uint64_t)n)); }
ALWAYS bytes some4(const void *p, mask4 which) { return _mm512_maskz_loadu_epi32(which, p); }
ALWAYS bytes some8(const void *p, mask8 which) { return _mm512_maskz_loadu_epi64(which, p); }
ALWAYS void put_some4(void *p, bytes x, mask4 which) { _mm512_mask_storeu_epi32(p, which, x); }
ALWAYS void put_some8(void *p, bytes x, mask8 which) { _mm512_mask_storeu_epi64(p, which, x); }
ALWAYS bytes choose4(mask4 which, bytes yes, bytes no) { return _mm512_mask_blend_epi32(which, no, yes); }
ALWAYS bytes choose8(mask8 which, bytes yes, bytes no) { return _mm512_mask_blend_epi64(which, no, yes); }
ALWAYS vu32 places4(vu32 lane) { return lane; }
ALWAYS vu64 places8(vu64 lane) { return lane; }
ALWAYS void past_caches(void *p, bytes x) { _mm512_stream_si512((bytes *)p, x); }
#define LARGER_REAL(num, V, reg, suffix)                                                                     \
    ALWAYS V larger_##num(V x, V y)                                                                               \
    {                                                                                                             \
        return (V)_mm512_mask_mov_##suffix(_mm512_max_##suffix((reg)x, (reg)y),                               \
                                           _mm512_cmp_##suffix##_mask((reg)x, (reg)x, _CMP_UNORD_Q), (reg)x);     \
    }
LARGER_REAL(f32, vf32, __m512, ps)
LARGER_REAL(f64, vf64, __m512d, pd)
/* re re' - im im', re im' + im re': the fused instruction multiplies by 1. */
ALWAYS vf32 times_c64(vf32 x, vf32 y)
{
    vf32 cross = (vf32)_mm512_movehdup_ps((__m512)x) * (vf32)_mm512_permute_ps((__m512)y, 0xb1);
    y *= (vf32)_mm512_moveldup_ps((__m512)x);
    return (vf32)_mm512_fmaddsub_ps((__m512)y, _mm512_set1_ps(1), (__m512)cross);
}
ALWAYS vf64 times_c128(vf64 x, vf64 y)
{
    vf64 cross = (vf64)_mm512_permute_pd((__m512d)x, 0xff) * (vf64)_mm512_permute_pd((__m512d)y, 0x55);
    y *= (vf64)_mm512_movedup_pd((__m512d)x);
    return (vf64)_mm512_fmaddsub_pd((__m512d)y, _mm512_set1_pd(1), (__m512d)cross);
}
ALWAYS bytes spread16(const void *p) { return _mm512_broadcast_i32x4(_mm_loadu_si128(p)); }
ALWAYS vu32 larger_u32(vu32 x, vu32 y) { return (vu32)_mm512_max_epi32((bytes)x, (bytes)y); }
ALWAYS vu64 larger_u64(vu64 x, vu64 y) { return (vu64)_mm512_max_epi64((bytes)x, (bytes)y); }
#elif VECTOR_BYTES == 32
typedef __m256i bytes;
ALWAYS bytes all4(uint32_t x) { return _mm256_set1_epi32((int)x); }
ALWAYS bytes all8(uint64_t x) { return _mm256_set1_epi64x((long long)x); }
typedef bytes mask4, mask8;
ALWAYS bytes moved4(bytes x, vu32 from) { return _mm256_permutevar8x32_epi32(x, (bytes)from); }
ALWAYS bytes moved8(bytes x, vu64 from) { return _mm256_permutevar8x32_epi32(x, (bytes)from); }
ALWAYS mask4 is_set4(vu32 x) { return (bytes)(x != 0); }
ALWAYS mask8 is_set8(vu64 x) { return (bytes)(x != 0); }
ALWAYS mask4 below4(vu32 x, int64_t n) { return _mm256_cmpgt_epi32(all4((uint32_t)n), (bytes)x); }
ALWAYS mask8 below8(vu64 x, int64_t n) { return _mm256_cmpgt_epi64(all8((uint64_t)n), (bytes)x); }
ALWAYS bytes some4(const void *p, mask4 which) { return _mm256_maskload_epi32(p, which); }
ALWAYS bytes some8(const void *p, mask8 which) { return _mm256_maskload_epi64(p, which); }
ALWAYS void put_some4(void *p, bytes x, mask4 which) { _mm256_maskstore_epi32(p, which, x); }
ALWAYS void put_some8(void *p, bytes x, mask8 which) { _mm256_maskstore_epi64(p, which, x); }
ALWAYS bytes choose4(mask4 which, bytes yes, bytes no) { return _mm256_blendv_epi8(no, yes, which); }
ALWAYS bytes choose8(mask8 which, bytes yes, bytes no) { return _mm256_blendv_epi8(no, yes, which); }
ALWAYS vu32 places4(vu32 lane) { return lane; }
ALWAYS vu64 places8(vu64 lane) { return (lane << 1 | lane << 33) + ((uint64_t)1 << 32); } /* of its halves */
ALWAYS void past_caches(void *p, bytes x) { _mm256_stream_si256((bytes *)p, x); }
#define LARGER_REAL(num, V, reg, suffix)                                                                     \
    ALWAYS V larger_##num(V x, V y)                                                                               \
    {                                                                                                             \
        return (V)_mm256_blendv_##suffix(_mm256_max_##suffix((reg)x, (reg)y), (reg)x,                         \
                                         _mm256_cmp_##suffix((reg)x, (reg)x, _CMP_UNORD_Q));                      \
    }
LARGER_REAL(f32, vf32, __m256, ps)
LARGER_REAL(f64, vf64, __m256d, pd)
/* re re' - im im', re im' + im re' */
ALWAYS vf32 times_c64(vf32 x, vf32 y)
{
    vf32 cross = (vf32)_mm256_movehdup_ps((__m256)x) * (vf32)_mm256_permute_ps((__m256)y, 0xb1);
    return (vf32)_mm256_addsub_ps((__m256)(y * (vf32)_mm256_moveldup_ps((__m256)x)), (__m256)cross);
}
ALWAYS vf64 times_c128(vf64 x, vf64 y)
{
    vf64 cross = (vf64)_mm256_permute_pd((__m256d)x, 0xf) * (vf64)_mm256_permute_pd((__m256d)y, 0x5);
    return (vf64)_mm256_addsub_pd((__m256d)(y * (vf64)_mm256_movedup_pd((__m256d)x)), (__m256d)cross);
}
ALWAYS bytes spread16(const void *p) { return _mm256_broadcastsi128_si256(_mm_loadu_si128(p)); }
ALWAYS vu32 larger_u32(vu32 x, vu32 y) { return (vu32)_mm256_max_epi32((bytes)x, (bytes)y); }
ALWAYS vu64 larger_u64(vu64 x, vu64 y)
{
    return (vu64)choose8(_mm256_cmpgt_epi64((bytes)x, (bytes)y), (bytes)x, (bytes)y);
}
#elif !ONE_NUMBER
#include <wasm_simd128.h>
typedef v128_t bytes, mask4, mask8;
ALWAYS bytes all4(uint32_t x) { return wasm_u32x4_splat(x); }
ALWAYS bytes all8(uint64_t x) { return wasm_u64x2_splat(x); }
/* from: bytes, as places4 and places8 say */
ALWAYS bytes moved4(bytes x, vu32 from) { return wasm_i8x16_swizzle(x, (bytes)from); }
ALWAYS bytes moved8(bytes x, vu64 from) { return wasm_i8x16_swizzle(x, (bytes)from); }
ALWAYS mask4 is_set4(vu32 x) { return (bytes)(x != 0); }
ALWAYS mask8 is_set8(vu64 x) { return (bytes)(x != 0); }
ALWAYS mask4 below4(vu32 x, int64_t n) { return wasm_i32x4_lt((bytes)x, all4((uint32_t)n)); }
ALWAYS mask8 below8(vu64 x, int64_t n) { return wasm_i64x2_lt((bytes)x, all8((uint64_t)n)); }
ALWAYS bytes some4(const void *p, mask4 which)
{
    bytes x = {0};
    for (int i = 0; i < 4; i++)
        if (((vu32)which)[i])
            memcpy((char *)&x + 4 * i, (const char *)p + 4 * i, 4);
    return x;
}
ALWAYS bytes some8(const void *p, mask8 which)
{
    bytes x = {0};
    for (int i = 0; i < 2; i++)
        if (((vu64)which)[i])
            memcpy((char *)&x + 8 * i, (const char *)p + 8 * i, 8);
    return x;
}
ALWAYS void put_some4(void *p, bytes x, mask4 which)
{
    for (int i = 0; i < 4; i++)
        if (((vu32)which)[i])
            memcpy((char *)p + 4 * i, (const char *)&x + 4 * i, 4);
}
ALWAYS void put_some8(void *p, bytes x, mask8 which)
{
    for (int i = 0; i < 2; i++)
        if (((vu64)which)[i])
            memcpy((char *)p + 8 * i, (const char *)&x + 8 * i, 8);
}
ALWAYS bytes choose4(mask4 which, bytes yes, bytes no) { return wasm_v128_bitselect(yes, no, which); }
ALWAYS bytes choose8(mask8 which, bytes yes, bytes no) { return wasm_v128_bitselect(yes, no, which); }
ALWAYS vu32 places4(vu32 lane) { return lane * 0x04040404 + 0x03020100; }
ALWAYS vu64 places8(vu64 lane) { return lane * 0x0808080808080808 + 0x0706050403020100; }
ALWAYS void past_caches(void *p, bytes x) { memcpy(p, &x, sizeof x); }
ALWAYS vf32 larger_f32(vf32 x, vf32 y)
{
    return (vf32)wasm_v128_bitselect((bytes)x, (bytes)y, (bytes)((x > y) | (x != x)));
}
ALWAYS vf64 larger_f64(vf64 x, vf64 y)
{
    return (vf64)wasm_v128_bitselect((bytes)x, (bytes)y, (bytes)((x > y) | (x != x)));
}
/* re re' - im im', re im' + im re' */
ALWAYS vf32 times_c64(vf32 x, vf32 y)
{
    vf32 cross = __builtin_shufflevector(x, x, 1, 1, 3, 3) * __builtin_shufflevector(y, y, 1, 0, 3, 2);
    y *= __builtin_shufflevector(x, x, 0, 0, 2, 2);
    return __builtin_shufflevector(y - cross, y + cross, 0, 5, 2, 7);
}
ALWAYS vf64 times_c128(vf64 x, vf64 y)
{
    vf64 cross = __builtin_shufflevector(x, x, 1, 1) * __builtin_shufflevector(y, y, 1, 0);
    y *= __builtin_shufflevector(x, x, 0, 0);
    return __builtin_shufflevector(y - cross, y + cross, 0, 3);
}
ALWAYS bytes spread16(const void *p) { return wasm_v128_load(p); }
ALWAYS vu32 larger_u32(vu32 x, vu32 y) { return (vu32)wasm_i32x4_max((bytes)x, (bytes)y); }
ALWAYS vu64 larger_u64(vu64 x, vu64 y)
{
    return (vu64)choose8(wasm_i64x2_gt((bytes)x, (bytes)y), (bytes)x, (bytes)y);
}
#else
#undef UNROLL
#define UNROLL
ALWAYS float larger_f32(float x, float y) { return x > y || x != x ? x : y; }
ALWAYS double larger_f64(double x, double y) { return x > y || x != x ? x : y; }
ALWAYS uint32_t larger_u32(uint32_t x, uint32_t y) { return (int32_t)x > (int32_t)y ? x : y; }
ALWAYS uint64_t larger_u64(uint64_t x, uint64_t y) { return (int64_t)x > (int64_t)y ? x : y; }
#endif
#if !ONE_NUMBER
typedef uint32_t uint4;
typedef uint64_t uint8;
ALWAYS bytes spread4(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return all4(x);
}
ALWAYS bytes spread8(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return all8(x);
}
/* Numbers of 16 bytes are two lanes of 8. */
typedef mask8 mask16;
#define all16      all8
#define moved16    moved8
#define is_set16   is_set8
#define below16    below8
#define some16     some8
#define put_some16 put_some8
#define choose16   choose8
#define numbers16  (numbers8 >> 1)
#define uint16     uint8
/* For each step the lanes to join, and where what joins them is. A register has lines of n numbers; `number` counts
 * them, from the other end for `reverse`. */
#define TABLES(SIZE, LANE)                                                                         \
    typedef struct tables##SIZE {                                                                        \
        LANE from[4], last, number;                                                                      \
        mask##SIZE joins[4];                                                                                   \
    } tables##SIZE;                                                                                      \
    static __attribute__((noinline)) void fill_tables##SIZE(tables##SIZE *t, bool reverse, unsigned n)   \
    {                                                                                                    \
        const LANE flip = (LANE)all##SIZE(reverse ? (uint##SIZE)-1 : 0), end = (LANE)all##SIZE(reverse ? n : 0);    \
        const LANE lane = numbers##SIZE;                                                                 \
        LANE first = lane ^ lane;                                                                        \
        for (unsigned k = n; k < VECTOR_BYTES / SIZE; k += n)                                            \
            first = (LANE)choose##SIZE(below##SIZE(lane, k), (bytes)first, all##SIZE(k));                \
        const LANE l = ((lane - first) ^ flip) + end; /* n - 1 - number = ~number + n */                 \
        for (int i = 0; i < 4; i++) {                                                                    \
            t->joins[i] = is_set##SIZE(l & (1u << i));                                                   \
            t->from[i] = places##SIZE(first + (((l >> (i + 1) << (i + 1)) + ((1u << i) - 1)) ^ flip) + end); \
        }                                                                                                \
        t->last = places##SIZE(first + (((l ^ l) + (n - 1)) ^ flip) + end);                              \
        t->number = l;                                                                                   \
    }
#if VECTOR_BYTES == 64
static const vu32 numbers4 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const vu64 numbers8 = {0, 1, 2, 3, 4, 5, 6, 7};
#elif VECTOR_BYTES == 32
static const vu32 numbers4 = {0, 1, 2, 3, 4, 5, 6, 7};
static const vu64 numbers8 = {0, 1, 2, 3};
#else
static const vu32 numbers4 = {0, 1, 2, 3};
static const vu64 numbers8 = {0, 1};
#endif
ALWAYS vu64 places16(vu64 from) { return places8(from * 2 + (numbers8 & 1)); }
TABLES(4, vu32)
TABLES(8, vu64)
TABLES(16, vu64)
#endif
#endif
