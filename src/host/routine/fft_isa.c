/* SPDX-License-Identifier: Apache-2.0
 * fft_isa.c -- the inner loops of the Fourier transforms, compiled once per instruction set; fft_radix.h,
 * fft_groups.h and fft_lanes.h hold them for one type of number and are included for each; fft_roots.h holds those
 * of the tables. */
#include "base/isa_name.h"
#include "host/routine/fft_loops.h"
#include "host/routine/product_vector.h"
#include <stddef.h>

#if defined(__clang__)
#define APART static __attribute__((noinline))
#else
#define APART static __attribute__((noinline, noclone)) /* one copy, whatever is known of its arguments */
#endif

/* What a few numbers at an end go through: small rather than fast */
#define FEW APART __attribute__((cold))

/* Where the processor has no fused instruction its four calls stand in one place, and the code is to be small. */
#undef UNROLL
#if !SLOW_FMA && defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif !SLOW_FMA
#define UNROLL _Pragma("GCC unroll 32")
#else
#define UNROLL
#endif
#if SLOW_FMA
APART vf32 madd_f32(vf32 a, vf32 b, vf32 c) { return fma_f32(a, b, c); }
APART vf64 madd_f64(vf64 a, vf64 b, vf64 c) { return fma_f64(a, b, c); }
#else
#define madd_f32 fma_f32
#define madd_f64 fma_f64
#endif

/* Of two vectors the lanes with even and with odd numbers; a vector backwards; the even and the odd ones backwards, and
 * the lanes of two vectors in turn, backwards. */
#if VECTOR_BYTES == 64
#define EVENS_f32(a, b)      __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODDS_f32(a, b)       __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define BACK_f32(a)          __builtin_shufflevector(a, a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define EVENS_f64(a, b)      __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS_f64(a, b)       __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define BACK_f64(a)          __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#define BACK_EVENS_f32(a, b) __builtin_shufflevector(a, b, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0)
#define BACK_ODDS_f32(a, b)  __builtin_shufflevector(a, b, 31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1)
#define ZIP_BACK_LO_f32(a, b) \
    __builtin_shufflevector(a, b, 15, 31, 14, 30, 13, 29, 12, 28, 11, 27, 10, 26, 9, 25, 8, 24)
#define ZIP_BACK_HI_f32(a, b) __builtin_shufflevector(a, b, 7, 23, 6, 22, 5, 21, 4, 20, 3, 19, 2, 18, 1, 17, 0, 16)
#define BACK_EVENS_f64(a, b)  __builtin_shufflevector(a, b, 14, 12, 10, 8, 6, 4, 2, 0)
#define BACK_ODDS_f64(a, b)   __builtin_shufflevector(a, b, 15, 13, 11, 9, 7, 5, 3, 1)
#define ZIP_BACK_LO_f64(a, b) __builtin_shufflevector(a, b, 7, 15, 6, 14, 5, 13, 4, 12)
#define ZIP_BACK_HI_f64(a, b) __builtin_shufflevector(a, b, 3, 11, 2, 10, 1, 9, 0, 8)
#elif VECTOR_BYTES == 32
#define EVENS_f32(a, b)       __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS_f32(a, b)        __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define BACK_f32(a)           __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#define EVENS_f64(a, b)       __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODDS_f64(a, b)        __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define BACK_f64(a)           __builtin_shufflevector(a, a, 3, 2, 1, 0)
#define BACK_EVENS_f32(a, b)  __builtin_shufflevector(a, b, 14, 12, 10, 8, 6, 4, 2, 0)
#define BACK_ODDS_f32(a, b)   __builtin_shufflevector(a, b, 15, 13, 11, 9, 7, 5, 3, 1)
#define ZIP_BACK_LO_f32(a, b) __builtin_shufflevector(a, b, 7, 15, 6, 14, 5, 13, 4, 12)
#define ZIP_BACK_HI_f32(a, b) __builtin_shufflevector(a, b, 3, 11, 2, 10, 1, 9, 0, 8)
#define BACK_EVENS_f64(a, b)  __builtin_shufflevector(a, b, 6, 4, 2, 0)
#define BACK_ODDS_f64(a, b)   __builtin_shufflevector(a, b, 7, 5, 3, 1)
#define ZIP_BACK_LO_f64(a, b) __builtin_shufflevector(a, b, 3, 7, 2, 6)
#define ZIP_BACK_HI_f64(a, b) __builtin_shufflevector(a, b, 1, 5, 0, 4)
#else
#define EVENS_f32(a, b)       __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODDS_f32(a, b)        __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define BACK_f32(a)           __builtin_shufflevector(a, a, 3, 2, 1, 0)
#define EVENS_f64(a, b)       __builtin_shufflevector(a, b, 0, 2)
#define ODDS_f64(a, b)        __builtin_shufflevector(a, b, 1, 3)
#define BACK_f64(a)           __builtin_shufflevector(a, a, 1, 0)
#define BACK_EVENS_f32(a, b)  __builtin_shufflevector(a, b, 6, 4, 2, 0)
#define BACK_ODDS_f32(a, b)   __builtin_shufflevector(a, b, 7, 5, 3, 1)
#define ZIP_BACK_LO_f32(a, b) __builtin_shufflevector(a, b, 3, 7, 2, 6)
#define ZIP_BACK_HI_f32(a, b) __builtin_shufflevector(a, b, 1, 5, 0, 4)
#define BACK_EVENS_f64(a, b)  __builtin_shufflevector(a, b, 2, 0)
#define BACK_ODDS_f64(a, b)   __builtin_shufflevector(a, b, 3, 1)
#define ZIP_BACK_LO_f64(a, b) __builtin_shufflevector(a, b, 1, 3)
#define ZIP_BACK_HI_f64(a, b) __builtin_shufflevector(a, b, 0, 2)
#endif
#define ZIP_LO_f32(a, b) (vf32) zip_lo4((vu32)(a), (vu32)(b))
#define ZIP_HI_f32(a, b) (vf32) zip_hi4((vu32)(a), (vu32)(b))
#define ZIP_LO_f64(a, b) (vf64) zip_lo8((vu64)(a), (vu64)(b))
#define ZIP_HI_f64(a, b) (vf64) zip_hi8((vu64)(a), (vu64)(b))

/* the same with groups of 16 and of 32 bytes */
#if VECTOR_BYTES == 64
#define ZIP_LO_16(a, b) __builtin_shufflevector((vu64)(a), (vu64)(b), 0, 1, 8, 9, 2, 3, 10, 11)
#define ZIP_HI_16(a, b) __builtin_shufflevector((vu64)(a), (vu64)(b), 4, 5, 12, 13, 6, 7, 14, 15)
#define ZIP_LO_32(a, b) __builtin_shufflevector((vu64)(a), (vu64)(b), 0, 1, 2, 3, 8, 9, 10, 11)
#define ZIP_HI_32(a, b) __builtin_shufflevector((vu64)(a), (vu64)(b), 4, 5, 6, 7, 12, 13, 14, 15)
#elif VECTOR_BYTES == 32
#define ZIP_LO_16(a, b) __builtin_shufflevector((vu64)(a), (vu64)(b), 0, 1, 4, 5)
#define ZIP_HI_16(a, b) __builtin_shufflevector((vu64)(a), (vu64)(b), 2, 3, 6, 7)
#endif

/* A vector of parts of 16 bytes from memory, `step` bytes apart: the insertions run beside the loads, where shuffles of
 * whole vectors wait for each other. Within each part the low, or the high, halves of two vectors in turns. */
#if VECTOR_BYTES == 64
#define PART_AT(p, step, i) _mm_loadu_si128((const __m128i *)(const void *)((const char *)(p) + (i) * (step)))
#define PARTS(p, step)                                                                                              \
    _mm512_inserti32x4(                                                                                             \
        _mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(PART_AT(p, step, 0)), PART_AT(p, step, 1), 1), \
                           PART_AT(p, step, 2), 2),                                                                 \
        PART_AT(p, step, 3), 3)
#define PART_LO_4(a, b) _mm512_unpacklo_epi32((__m512i)(a), (__m512i)(b))
#define PART_HI_4(a, b) _mm512_unpackhi_epi32((__m512i)(a), (__m512i)(b))
#define PART_LO_8(a, b) _mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define PART_HI_8(a, b) _mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#elif VECTOR_BYTES == 32
#define PART_AT(p, step, i) _mm_loadu_si128((const __m128i *)(const void *)((const char *)(p) + (i) * (step)))
#define PARTS(p, step)      _mm256_inserti128_si256(_mm256_castsi128_si256(PART_AT(p, step, 0)), PART_AT(p, step, 1), 1)
#define PART_LO_4(a, b)     _mm256_unpacklo_epi32((__m256i)(a), (__m256i)(b))
#define PART_HI_4(a, b)     _mm256_unpackhi_epi32((__m256i)(a), (__m256i)(b))
#define PART_LO_8(a, b)     _mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b))
#define PART_HI_8(a, b)     _mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b))
#endif

/* A part of 16 or of 32 bytes of a vector, and its lanes from l to end, in their places, to memory */
#if VECTOR_BYTES == 64
#define STORE_16(p, v, g)            _mm_storeu_si128((__m128i *)(p), _mm512_extracti64x2_epi64((__m512i)(v), g))
#define STORE_32(p, v, g)            _mm256_storeu_si256((__m256i *)(p), _mm512_extracti64x4_epi64((__m512i)(v), g))
#define SOME(l, end)                 (((1u << (end)) - 1) & ~((1u << (l)) - 1))
#define STORE_SOME_f32(p, v, l, end) _mm512_mask_storeu_ps(p, (__mmask16)SOME(l, end), (__m512)(v))
#define STORE_SOME_f64(p, v, l, end) _mm512_mask_storeu_pd(p, (__mmask8)SOME(l, end), (__m512d)(v))
#elif VECTOR_BYTES == 32
#define STORE_16(p, v, g)            _mm_storeu_si128((__m128i *)(p), _mm256_extracti128_si256((__m256i)(v), g))
#define STORE_SOME_f32(p, v, l, end) _mm256_maskstore_ps(p, _mm256_andnot_si256(first4(l), first4(end)), (__m256)(v))
#define STORE_SOME_f64(p, v, l, end) _mm256_maskstore_pd(p, _mm256_andnot_si256(first8(l), first8(end)), (__m256d)(v))
#else
#define STORE_SOME_f32(p, v, l, end) memcpy(p + (l), (const float *)&(v) + (l), (size_t)((end) - (l)) * 4)
#define STORE_SOME_f64(p, v, l, end) memcpy(p + (l), (const double *)&(v) + (l), (size_t)((end) - (l)) * 8)
#endif

#define NUM   f32
#define T     float
#define BYTES 4
#include "host/routine/fft_radix.h"
#include "host/routine/fft_groups.h"
#include "host/routine/fft_lanes.h"
#undef F
#undef V
#undef NUM
#undef T
#undef BYTES

#define NUM   f64
#define T     double
#define BYTES 8
#include "host/routine/fft_radix.h"
#include "host/routine/fft_groups.h"
#include "host/routine/fft_lanes.h"
#undef F
#undef V
#undef NUM
#undef T
#undef BYTES

#include "host/routine/fft_roots.h"

#if VECTOR_BYTES == 32 /* vectors of four numbers are all that short lines want of AVX-512 */
typedef float vone_f32;
typedef double vone_f64;
typedef float vfour_f32 __attribute__((vector_size(16)));
typedef double vfour_f64 __attribute__((vector_size(32)));
#define madd_one_f32(a, b, c)  __builtin_fmaf(a, b, c)
#define madd_one_f64(a, b, c)  __builtin_fma(a, b, c)
#define madd_four_f32(a, b, c) (vfour_f32) _mm_fmadd_ps((__m128)(a), (__m128)(b), (__m128)(c))
#define madd_four_f64(a, b, c) (vfour_f64) _mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))

#define T                      float
#define BYTES                  4
#define PLAIN                  f32
#define ONE                    one_f32
#define FOUR                   four_f32
#include "host/routine/fft_short.h"
#undef T
#undef BYTES
#undef PLAIN
#undef ONE
#undef FOUR

#define T     double
#define BYTES 8
#define PLAIN f64
#define ONE   one_f64
#define FOUR  four_f64
#include "host/routine/fft_short.h"
#endif

#if VECTOR_BYTES > 16
#define ROWS_f32 rows_of_64_f32, rows_of_128_f32, rows_of_256_f32
#define ROWS_f64 rows_of_64_f64, rows_of_128_f64
#define last_f32 NULL
#else
#define ROWS_f32          NULL /* small code rather */
#define ROWS_f64          NULL
#define last_f32          NULL
#define last_f64          NULL
#define knr_fft_lines_f32 NULL
#define knr_fft_lines_f64 NULL
#endif
#define TABLE(num)                                                                                               \
    {                                                                                                            \
        pass_##num, groups_##num, {ROWS_##num}, cross_##num, last_##num, turn_over_##num, take_##num, put_##num, \
            times_##num, real_##num, real_lanes_##num, powers_##num, roots, turn_##num, knr_fft_lines_##num      \
    }
const knr_fft_loops KN_ISA_NAME(knr_fft)[2] = {TABLE(f32), TABLE(f64)};
