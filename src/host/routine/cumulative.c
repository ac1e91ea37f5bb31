/* SPDX-License-Identifier: Apache-2.0
 * cumulative.c -- cumulative sums, products, maxima and minima along an axis. Lines that lie side by side are worked on
 * together, so that memory is read in rows; the steps along a line are in order whatever the strides are. */
#include "host/routine/cumulative.h"
#include "base/half.h"

/* One line after another would go against the grain of memory: step i of all lines, then step i + 1. `step` is the
 * distance in elements from one row to the next that is joined. */
typedef void lines(const void *x, void *y, int64_t length, int64_t inner, int64_t step);

#define LINES(name, T, number, LOAD, STORE, JOIN)                                             \
    static void name(const void *from, void *to, int64_t length, int64_t inner, int64_t step) \
    {                                                                                         \
        const T *x = from;                                                                    \
        T *y = to;                                                                            \
        for (int64_t k = 0; k < inner; k++)                                                   \
            y[k] = x[k];                                                                      \
        if (inner == 1) {                                                                     \
            T last = x[0];                                                                    \
            for (int64_t i = 1; i < length; i++) {                                            \
                x += step, y += step;                                                         \
                number a = LOAD(last), b = LOAD(*x);                                          \
                *y = last = STORE(JOIN(a, b));                                                \
            }                                                                                 \
            return;                                                                           \
        }                                                                                     \
        for (int64_t i = 1; i < length; i++) {                                                \
            const T *before = y;                                                              \
            x += step, y += step;                                                             \
            for (int64_t k = 0; k < inner; k++) {                                             \
                number a = LOAD(before[k]), b = LOAD(x[k]);                                   \
                y[k] = STORE(JOIN(a, b));                                                     \
            }                                                                                 \
        }                                                                                     \
    }

#define AS_IT_IS(v)       (v)
#define TO_U8(v)          ((uint8_t)(v))
#define TO_U16(v)         ((uint16_t)(v))

#define PLUS(a, b)        ((a) + (b))
#define TIMES(a, b)       ((a) * (b))
#define LARGER(a, b)      ((a) > (b) ? (a) : (b))
#define SMALLER(a, b)     ((a) < (b) ? (a) : (b))
#define LARGER_NAN(a, b)  ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER_NAN(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

/* Sums and products of integers wrap: in unsigned numbers of 32 bits at least. */
#define WRAPPING(suffix, T, number, STORE)                \
    LINES(sum_##suffix, T, number, AS_IT_IS, STORE, PLUS) \
    LINES(product_##suffix, T, number, AS_IT_IS, STORE, TIMES)
#define ORDERED(suffix, T)                                \
    LINES(max_##suffix, T, T, AS_IT_IS, AS_IT_IS, LARGER) \
    LINES(min_##suffix, T, T, AS_IT_IS, AS_IT_IS, SMALLER)
#define FLOATING(suffix, T, number, LOAD, STORE)            \
    LINES(sum_##suffix, T, number, LOAD, STORE, PLUS)       \
    LINES(product_##suffix, T, number, LOAD, STORE, TIMES)  \
    LINES(max_##suffix, T, number, LOAD, STORE, LARGER_NAN) \
    LINES(min_##suffix, T, number, LOAD, STORE, SMALLER_NAN)

WRAPPING(u8, uint8_t, uint32_t, TO_U8)
WRAPPING(u16, uint16_t, uint32_t, TO_U16)
WRAPPING(u32, uint32_t, uint32_t, AS_IT_IS)
WRAPPING(u64, uint64_t, uint64_t, AS_IT_IS)
ORDERED(i8, int8_t)
ORDERED(i16, int16_t)
ORDERED(i32, int32_t)
ORDERED(i64, int64_t)
ORDERED(u8, uint8_t)
ORDERED(u16, uint16_t)
ORDERED(u32, uint32_t)
ORDERED(u64, uint64_t)
FLOATING(f16, uint16_t, float, knx_f16_to_f32, knx_f32_to_f16)
FLOATING(bf16, uint16_t, float, knx_bf16_to_f32, knx_f32_to_bf16)
FLOATING(f32, float, float, AS_IT_IS, AS_IT_IS)
FLOATING(f64, double, double, AS_IT_IS, AS_IT_IS)

/* By real parts first; whatever has a nan part is one. */
#define IS_NAN(a)         ((a).re != (a).re || (a).im != (a).im)
#define BEFORE(a, b)      ((a).re < (b).re || ((a).re == (b).re && (a).im < (b).im))
#define COMPLEX_MAX(a, b) (IS_NAN(a) || (!IS_NAN(b) && BEFORE(b, a)) ? (a) : (b))
#define COMPLEX_MIN(a, b) (IS_NAN(a) || (!IS_NAN(b) && BEFORE(a, b)) ? (a) : (b))
#define COMPLEX(suffix, T)                                                                                         \
    static inline T plus_##suffix(T a, T b) { return (T){a.re + b.re, a.im + b.im}; }                              \
    static inline T times_##suffix(T a, T b) { return (T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; } \
    LINES(sum_##suffix, T, T, AS_IT_IS, AS_IT_IS, plus_##suffix)                                                   \
    LINES(product_##suffix, T, T, AS_IT_IS, AS_IT_IS, times_##suffix)                                              \
    LINES(max_##suffix, T, T, AS_IT_IS, AS_IT_IS, COMPLEX_MAX)                                                     \
    LINES(min_##suffix, T, T, AS_IT_IS, AS_IT_IS, COMPLEX_MIN)
COMPLEX(c64, kn_c64)
COMPLEX(c128, kn_c128)

#define ROW(id, as, in_order) [KN_ID_##id] = {sum_##as, product_##as, max_##in_order, min_##in_order}
static lines *const lines_of[KN_ID_COUNT][4] = {
    ROW(I8, u8, i8),    ROW(I16, u16, i16), ROW(I32, u32, i32), ROW(I64, u64, i64),    ROW(U8, u8, u8),
    ROW(U16, u16, u16), ROW(U32, u32, u32), ROW(U64, u64, u64), ROW(F16, f16, f16),    ROW(BF16, bf16, bf16),
    ROW(F32, f32, f32), ROW(F64, f64, f64), ROW(C64, c64, c64), ROW(C128, c128, c128),
};

void knr_cumulate_run(knr_cumulate how, kn_dtype d, int64_t outer, int64_t length, int64_t inner, bool reverse,
                      const void *x, void *y)
{
    if (!outer || !length || !inner)
        return;
    int64_t slice = length * inner, first = reverse ? slice - inner : 0;
    for (int64_t o = 0; o < outer; o++) {
        int64_t at = (o * slice + first) * d->size;
        lines_of[d->id][how]((const char *)x + at, (char *)y + at, length, inner, reverse ? -inner : inner);
    }
}
