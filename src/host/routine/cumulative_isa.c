/* SPDX-License-Identifier: Apache-2.0
 * cumulative_isa.c -- cumulative operations on vectors, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/cumulative_part.h"
#include "host/routine/cumulative_vector.h"

#if ONE_NUMBER
/* Lines by columns of one number. */
static void line_by(knr_cumulate_columns *f, int64_t size, const void *from, void *to, int64_t n, int64_t lines,
                    const knr_cumulate_part *p)
{
    char left_out[8], first[8];
    memcpy(first, p->carry, (size_t)size);
    for (int64_t line = 0; line < lines; line++) {
        memcpy(p->carry, first, (size_t)size);
        for (int64_t g = 0; g < n; g += 16) {
            const void *x[16];
            void *y[16];
            for (int i = 0; i < 16; i++) {
                bool is = g + i < n;
                int64_t at = (line * n + (p->reverse ? n - 1 - g - i : g + i)) * size;
                x[i] = is ? (const char *)from + at : x[0];
                y[i] = to && is ? (char *)to + at : left_out;
            }
            f(x, y, 1, p);
        }
    }
}
#endif

#if !ONE_NUMBER
static void short_lines4(bool real, const void *from, void *to, int64_t n, int64_t lines, const knr_cumulate_part *p);
static void short_lines8(bool real, const void *from, void *to, int64_t n, int64_t lines, const knr_cumulate_part *p);
#endif
#define columns_any_f64 (p->how == KNR_CUMULATE_MAX ? columns_max_f64 : columns_product_f64)
#define columns_max_u32 columns_any_u32
#define columns_sum_u32 columns_any_u32
#define columns_sum_u64 columns_any_u64
// clang-format off
#define num u32
#define T uint32_t
#define V vu32
#define SIZE 4
#define LANE vu32
#define BITS uint32_t
#define REAL 0
#include "host/routine/cumulative_loops.h"

#define num u64
#define T uint64_t
#define V vu64
#define SIZE 8
#define LANE vu64
#define BITS uint64_t
#define REAL 0
#include "host/routine/cumulative_loops.h"

#define num f32
#define T float
#define V vf32
#define SIZE 4
#define LANE vu32
#define BITS uint32_t
#define REAL 1
#define OTHER join_u32
#include "host/routine/cumulative_loops.h"

#define num f64
#define T double
#define V vf64
#define SIZE 8
#define LANE vu64
#define BITS uint64_t
#define REAL 1
#define OTHER join_u64
#include "host/routine/cumulative_loops.h"

#if !ONE_NUMBER
#define num c64
#define T kn_c64
#define V vf32
#define SIZE 8
#define LANE vu64
#define BITS uint64_t
#define REAL 1
#define PAIRS
#include "host/routine/cumulative_loops.h"

#define num c128
#define T kn_c128
#define V vf64
#define SIZE 16
#define LANE vu64
#define BITS uint64_t
#define REAL 1
#define PAIRS
#include "host/routine/cumulative_loops.h"

static void columns_sum_c64(const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p)
{
    columns_sum_f32(x, y, 2 * n, p);
}
#endif

// clang-format on
/* Integers below 32 bits to 32 bits and back, 8 at a time. */
#if VECTOR_BYTES == 64
ALWAYS __m128i least_8(__m256i v) { return _mm256_cvtepi32_epi8(v); }
ALWAYS __m128i least_16(__m256i v) { return _mm256_cvtepi32_epi16(v); }
#elif VECTOR_BYTES == 32
ALWAYS __m128i least_16(__m256i v)
{
    v = _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
    return _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}
ALWAYS __m128i least_8(__m256i v)
{
    __m128i w = _mm_and_si128(least_16(v), _mm_set1_epi16(0xff));
    return _mm_packus_epi16(w, w);
}
#endif
#if VECTOR_BYTES > 16
#define EIGHT(code)            \
    for (; i + 8 <= n; i += 8) \
        code;
#else
#define EIGHT(code)
#endif
#define CONVERT(name, from_type, to_type, code)             \
    static void name(const void *from, void *to, int64_t n) \
    {                                                       \
        const from_type *x = from;                          \
        to_type *y = to;                                    \
        int64_t i = 0;                                      \
        EIGHT(code)                                         \
        for (; i < n; i++)                                  \
            y[i] = (to_type)x[i];                           \
    }
#define WIDEN(load, how) \
    _mm256_storeu_si256((__m256i *)(y + i), _mm256_cvt##how##_epi32(load((const __m128i *)(x + i))))
#define NARROW(store, how) store((__m128i *)(y + i), how(_mm256_loadu_si256((const __m256i *)(x + i))))
CONVERT(from_i8, int8_t, int32_t, WIDEN(_mm_loadl_epi64, epi8))
CONVERT(from_u8, uint8_t, uint32_t, WIDEN(_mm_loadl_epi64, epu8))
CONVERT(from_i16, int16_t, int32_t, WIDEN(_mm_loadu_si128, epi16))
CONVERT(from_u16, uint16_t, uint32_t, WIDEN(_mm_loadu_si128, epu16))
CONVERT(to_8, uint32_t, uint8_t, NARROW(_mm_storel_epi64, least_8))
CONVERT(to_16, uint32_t, uint16_t, NARROW(_mm_storeu_si128, least_16))

const knr_cumulate_kinds KN_ISA_NAME(knr_cumulate) = {
    .loops = {{.size = 4,
               .line = {line_sum_f32, line_product_f32, line_max_f32, line_max_f32},
               .columns = {columns_sum_f32, columns_product_f32, columns_max_f32, columns_max_f32}},
              {.size = 8,
               .line = {line_sum_f64, line_any_f64, line_any_f64, line_any_f64},
               .columns = {columns_sum_f64, columns_product_f64, columns_max_f64, columns_max_f64}},
              {.size = 4,
               .line = {line_sum_u32, knr_cumulate_product_u32, line_max_u32, line_max_u32},
               .columns = {columns_any_u32, columns_any_u32, columns_any_u32, columns_any_u32}},
              {.size = 8,
               .line = {line_sum_u64, knr_cumulate_product_u64, knr_cumulate_max_u64, knr_cumulate_max_u64},
               .columns = {columns_any_u64, columns_any_u64, columns_any_u64, columns_any_u64}}},
#if !ONE_NUMBER
    .complex64 = {.size = 8,
                  .line = {line_sum_c64, line_product_c64},
                  .columns = {columns_sum_c64, knr_cumulate_product_c64}},
    .complex128 = {.size = 16, .line = {NULL, line_product_c128}, .columns = {NULL, knr_cumulate_product_c128}},
#endif
    .widen = {[KN_ID_I8] = from_i8, [KN_ID_U8] = from_u8, [KN_ID_I16] = from_i16, [KN_ID_U16] = from_u16},
    .narrow = {[KN_ID_I8] = to_8, [KN_ID_U8] = to_8, [KN_ID_I16] = to_16, [KN_ID_U16] = to_16},
};
