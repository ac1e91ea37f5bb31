/* SPDX-License-Identifier: Apache-2.0
 * fma.c -- multiply-adds with one rounding by arithmetic, on vectors of WebAssembly, several times as fast as the C
 * library's fma, which counts with integers: S. Boldo and G. Melquiond, Emulation of FMA and correctly rounded sums:
 * proved algorithms using rounding to odd (2008). A sum that is rounded to odd can be rounded once more to fewer
 * digits, or be added to a larger number, and the result is rounded once. */
#include "base/fma.h"

#if defined(__wasm_simd128__)
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef double v2 __attribute__((vector_size(16)));
typedef float v4 __attribute__((vector_size(16)));
typedef int64_t i2 __attribute__((vector_size(16)));

/* a + b rounded to nearest, and what is missing (D. Knuth) */
static inline v2 two_sum(v2 a, v2 b, v2 *rest)
{
    v2 sum = a + b, back = sum - a;
    *rest = (a - (sum - back)) + (b - back);
    return sum;
}

/* a + b: where something is missing and the last bit is even, the neighbour on its side. */
static inline v2 odd_sum(v2 a, v2 b)
{
    v2 rest, sum = two_sum(a, b, &rest);
    i2 step = (((i2)rest ^ (i2)sum) >> 63) | 1; /* towards zero: -1 */
    i2 moves = (rest != 0) & (((i2)sum & 1) == 0) & (sum - sum == 0);
    return (v2)((i2)sum + (step & moves));
}

/* Upper halves of 26 bits (T. J. Dekker). */
static inline v2 upper(v2 a)
{
    v2 t = a * 134217729.0;
    return t - (t - a);
}

/* Are nothing's parts beyond the range? Factors between 2^-480 and 2^480, or zero. */
static inline bool in_range(v128_t a, v128_t b, v128_t c)
{
    v2 x = (v2)wasm_f64x2_abs(a), y = (v2)wasm_f64x2_abs(b), z = (v2)wasm_f64x2_abs(c);
    i2 fine =
        (x <= 0x1p480) & (y <= 0x1p480) & (z <= 0x1p1000) & ((x >= 0x1p-480) | (x == 0)) & ((y >= 0x1p-480) | (y == 0));
    return wasm_i64x2_all_true((v128_t)fine);
}

/* (musl's fma forgets the sign of a product that is too small for a number where nothing is added to it; its fmaf wants
 * rounding modes, which WebAssembly has none of.) */
static double by_the_library(double a, double b, double c) { return c == 0 && a != 0 && b != 0 ? a * b : fma(a, b, c); }

static __attribute__((noinline)) v128_t out_of_range(v128_t a, v128_t b, v128_t c)
{
    v2 x = (v2)a, y = (v2)b, z = (v2)c;
    return (v128_t)(v2){by_the_library(x[0], y[0], z[0]), by_the_library(x[1], y[1], z[1])};
}

v128_t knx_exact_fma8(v128_t a_, v128_t b_, v128_t c_)
{
    if (!in_range(a_, b_, c_))
        return out_of_range(a_, b_, c_);
    v2 a = (v2)a_, b = (v2)b_, c = (v2)c_, product = a * b;
    v2 a_high = upper(a), a_low = a - a_high, b_high = upper(b), b_low = b - b_high;
    v2 rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    v2 low, last, middle = two_sum(c, rest, &low), high = two_sum(product, middle, &last);
    v2 sum = high + odd_sum(last, low);
    i2 zero = sum == 0; /* its sign is that of the plain sum */
    return wasm_v128_bitselect((v128_t)(product + c), (v128_t)sum, (v128_t)zero);
}

/* The product of two float32 is exact in float64. */
static inline v2 exact_product(v4 a, v4 b)
{
    return (v2)wasm_f64x2_promote_low_f32x4((v128_t)a) * (v2)wasm_f64x2_promote_low_f32x4((v128_t)b);
}

/* May rounding the sum once more, to float32, be wrong? It lies half between two of them, or below their range. */
static inline i2 is_doubtful(v2 sum)
{
    return ((i2)sum << 35 == INT64_MIN) | ((v2)wasm_f64x2_abs((v128_t)sum) < 0x1p-126);
}

v128_t knx_exact_fma4(v128_t a_, v128_t b_, v128_t c_)
{
#define UPPER(x) __builtin_shufflevector(x, x, 2, 3, 2, 3)
    v4 a = (v4)a_, b = (v4)b_, c = (v4)c_;
    v2 x = exact_product(a, b), y = exact_product(UPPER(a), UPPER(b));
    v2 z = (v2)wasm_f64x2_promote_low_f32x4((v128_t)c), w = (v2)wasm_f64x2_promote_low_f32x4((v128_t)UPPER(c));
    v2 low = x + z, high = y + w;
    if (wasm_v128_any_true((v128_t)(is_doubtful(low) | is_doubtful(high)))) {
        low = odd_sum(x, z);
        high = odd_sum(y, w);
    }
    v4 first = (v4)wasm_f32x4_demote_f64x2_zero((v128_t)low), second = (v4)wasm_f32x4_demote_f64x2_zero((v128_t)high);
    return (v128_t)__builtin_shufflevector(first, second, 0, 1, 4, 5);
#undef UPPER
}
#endif
