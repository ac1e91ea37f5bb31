/* SPDX-License-Identifier: Apache-2.0
 * math_pow.c -- pow as a program in the kernel IR. Polynomials: scripts/fit/functions.py. A positive normal base, or
 * 0, and a moderate exponent take the short way; all else is a cold path. float32 is worked out in pairs of float32. */
#include "kernel/expr.h"
#include <float.h>
#include <math.h>

/* log2 m = s (c0 + z (c1 + z Q(z))), s = (m - 1) / (m + 1), z = s^2; c1's low part is the first coefficient */
static const double log2_32[] = {-0x1.e2fe02p-28, 0x1.27770ep-1, 0x1.a5bbf4p-2, 0x1.59ef0ap-2};
/* (2^r - 1 - r ln 2) / r^2 */
static const double exp2_32[] = {0x1.ebfbep-3, 0x1.c6af86p-5, 0x1.3b2a4p-7, 0x1.5f054ap-10, 0x1.442d6ap-13};

/* What a number is raised to: y + y_lo; y_lo is KNK_NONE for none. odd: of a whole number that is known, whether it is
 * odd; -1: asked of y. */
typedef struct exponent {
    knk_node y, y_lo;
    int odd;
} exponent;

/* The product of a value in two parts and an exponent. */
static void raise_to(knk_builder *k, exponent y, knk_node *hi, knk_node *lo)
{
    knk_node p = MUL(y.y, *hi), tail = FMA(y.y, *lo, FMA(y.y, *hi, NEG(p)));
    if (y.y_lo != KNK_NONE)
        tail = FMA(y.y_lo, *hi, tail);
    *lo = tail;
    *hi = p;
}

/* a^y for f64 a >= 0: e^(y log a). Infinite exponents are clamped by exp. */
static knk_node power_f64(knk_builder *k, knk_node a, exponent y)
{
    knk_node m, e, hi, lo, zero = F64(0), infinite = F64(INFINITY);
    knk_split(k, a, &m, &e);
    knk_log_parts(k, m, e, &hi, &lo);
    hi = SELECT(EQ(a, zero), F64(-INFINITY), SELECT(LT(a, infinite), hi, a));
    raise_to(k, y, &hi, &lo);
    lo = SELECT(LT(ABS(hi), F64(800)), lo, zero);
    hi = SELECT(EQ(a, F64(1)), zero, hi); /* 1 to an infinite power */
    return knk_exp_sum(k, hi, lo);
}

/* The sum of the larger value and one in two parts: *lo has what *hi lost. */
static void plus(knk_builder *k, knk_node larger, knk_node *hi, knk_node *lo)
{
    knk_node s = ADD(larger, *hi);
    *lo = ADD(ADD(SUB(larger, s), *hi), *lo);
    *hi = s;
}

/* log2 x of m 2^n in float32, to about 36 bits. */
static void log2_parts(knk_builder *k, knk_node m, knk_node n, knk_node *hi, knk_node *lo)
{
    knk_node f = SUB(m, F32(1)), d = SUB(F32(-1), m), d_lo = SUB(SUB(F32(-1), d), m), inverse = DIV(F32(-1), d);
    knk_node s = MUL(f, inverse), s_lo = MUL(FMA(s, d_lo, FMA(s, d, f)), inverse);
    knk_node z = MUL(s, s), z_lo = FMA(s, ADD(s_lo, s_lo), FMA(s, s, NEG(z))), c1 = F32(0x1.ec709ep-1);
    *hi = MUL(z, c1);
    *lo = FMA(z, POLYNOMIAL(z, log2_32), FMA(z_lo, c1, FMA(z, c1, NEG(*hi))));
    *lo = ADD(*lo, F32(0x1.4ae0cp-25));
    plus(k, F32(0x1.715476p+1), hi, lo);
    knk_node l = MUL(s, *hi);
    *lo = FMA(s_lo, *hi, FMA(s, *lo, FMA(s, *hi, NEG(l))));
    *hi = l;
    plus(k, n, hi, lo);
}

/* 2^(t + t_lo) */
static knk_node exp2_sum(knk_builder *k, knk_node t, knk_node t_lo)
{
    t = MIN(F32(130), MAX(F32(-160), t));
    knk_node n = RINT(t), a = SUB(t, n), r = ADD(a, t_lo), ln2 = F32(0x1.62e43p-1), h = MUL(a, ln2);
    knk_node rest = FMA(t_lo, ln2, FMA(a, F32(-0x1.05c61p-29), FMA(a, ln2, NEG(h))));
    knk_node small = FMA(POLYNOMIAL(r, exp2_32), MUL(r, r), rest);
    return SCALB(ADD(F32(1), ADD(h, small)), n);
}

/* x^y for a positive normal x and a y that is not huge. */
static knk_node pow_near(knk_builder *k, knk_node x, exponent y)
{
    knk_node m, n, t, t_lo;
    knk_split_normal(k, x, &m, &n);
    if (knk_is_f32(k, x))
        log2_parts(k, m, n, &t, &t_lo);
    else
        knk_log_parts(k, m, n, &t, &t_lo);
    raise_to(k, y, &t, &t_lo);
    return knk_is_f32(k, x) ? exp2_sum(k, t, t_lo) : knk_exp_sum(k, t, t_lo);
}

/* a^y for any a >= 0. */
static knk_node power_f32(knk_builder *k, knk_node a, exponent y)
{
    knk_node m, n, t, t_lo, zero = F32(0), infinite = F32(INFINITY);
    knk_split(k, a, &m, &n);
    log2_parts(k, m, n, &t, &t_lo);
    t = SELECT(EQ(a, zero), F32(-INFINITY), SELECT(LT(a, infinite), t, a));
    raise_to(k, y, &t, &t_lo);
    t_lo = SELECT(LT(ABS(t), F32(200)), t_lo, zero);
    return exp2_sum(k, SELECT(EQ(a, F32(1)), zero, t), t_lo);
}

/* With all special cases. */
static knk_node pow_full(knk_builder *k, knk_node x, exponent e)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node y = e.y, zero = NUM(d, 0), one = NUM(d, 1), half_y = MUL(y, NUM(d, 0.5)), a = ABS(x);
    knk_node p = d == KN_ID_F32 ? power_f32(k, a, e) : power_f64(k, a, e), not_one = OR(NE(x, x), NE(y, y));
    if (e.odd < 0) {
        knk_node whole = EQ(RINT(y), y), odd = AND(whole, NE(RINT(half_y), half_y));
        p = knk_xor_bits(k, p, SELECT(odd, knk_sign_bit(k, x), zero));
        not_one = OR(AND(AND(LT(x, zero), LT(NUM(d, -INFINITY), x)), NOT(whole)), not_one);
    } else if (e.odd) {
        p = knk_xor_bits(k, p, knk_sign_bit(k, x));
    }
    p = SELECT(not_one, NUM(d, NAN), p);
    return SELECT(OR(EQ(y, zero), EQ(x, one)), one, p);
}

knk_node knk_pow(knk_builder *k, knk_node x, knk_node y)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    exponent e = {y, KNK_NONE, -1};
    knk_node zero = NUM(d, 0), is_zero = EQ(x, zero);
    knk_node odd_base = AND(knk_outside(k, x, f ? FLT_MIN : DBL_MIN, INFINITY),
                            f ? NE(BITS(U32, x), U32(0)) : NE(BITS(U64, x), U64(0)));
    knk_node far = OR(odd_base, NOT(LT(ABS(y), NUM(d, f ? 1024 : 0x1p32))));
    knk_node of_zero = SELECT(LT(zero, y), zero, SELECT(EQ(y, zero), NUM(d, 1), NUM(d, INFINITY)));
    /* Without the zero: tiny results are slow to make. */
    knk_node near = pow_near(k, SELECT(is_zero, NUM(d, 1), x), e);
    return COLD(far, pow_full(k, x, e), SELECT(is_zero, of_zero, near));
}

/* ---- Powers that are known beforehand. */

/* Integers: by squaring, wrapping. */
static knk_node integer_power(knk_builder *k, knk_node x, int64_t n)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node result = KNK_NONE, power = x;
    for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left; left >>= 1) {
        if (left & 1)
            result = result == KNK_NONE ? power : MUL(result, power);
        if (left > 1)
            power = MUL(power, power);
    }
    if (n == 0)
        return knk_const_int(k, d, 1);
    return n < 0 ? DIV(knk_const_int(k, d, 1), result) : result;
}

/* A number and what it lost by rounding; KNK_NONE: nothing. */
typedef struct pair {
    knk_node hi, lo;
} pair;

static pair product_of_pairs(knk_builder *k, pair x, pair y)
{
    knk_node p = MUL(x.hi, y.hi), lost = FMA(x.hi, y.hi, NEG(p));
    if (x.lo != KNK_NONE)
        lost = FMA(x.lo, y.hi, lost);
    if (y.lo != KNK_NONE)
        lost = FMA(x.hi, y.lo, lost);
    return (pair){p, lost};
}

/* By pow. A power that is no float is a sum of two, of which the second one is a float as good as exact. */
static knk_node power_by_pow(knk_builder *k, knk_node x, int64_t n)
{
    knx_dtype_id d = knk_dtype(k, x);
    uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n, least = 0, bit = 1;
    for (; (size - least) / bit >> (d == KN_ID_F32 ? 24 : 53); bit *= 2)
        least += size & bit;
    double sign = n < 0 ? -1 : 1;
    knk_node y = NUM(d, sign * (double)(size - least));
    return least ? pow_full(k, x, (exponent){y, NUM(d, sign * (double)least), (int)(n & 1)}) : knk_pow(k, x, y);
}

/* 3 <= |n| <= 64, or n = -2: by squaring, with what each product loses; by pow where that is too small to be kept. */
static knk_node power_by_products(knk_builder *k, knk_node x, int64_t n)
{
    knx_dtype_id d = knk_dtype(k, x);
    pair power = {x, KNK_NONE}, y = {KNK_NONE, KNK_NONE};
    if (n < 0) { /* the inverse first: it overflows and underflows only where the result does */
        knk_node one = NUM(d, 1), r = DIV(one, x);
        power = (pair){r, MUL(r, FMA(NEG(x), r, one))};
    }
    for (int64_t left = n < 0 ? -n : n; left; left >>= 1) {
        if (left & 1)
            y = y.hi == KNK_NONE ? power : product_of_pairs(k, y, power);
        if (left > 1)
            power = product_of_pairs(k, power, power);
    }
    knk_node size = ABS(y.hi), tiny = LT(size, NUM(d, d == KN_ID_F32 ? 0x1p-90 : 0x1p-960));
    /* zeros, infinities and NaN have nothing to add */
    knk_node sum = SELECT(LT(ABS(y.lo), size), ADD(y.hi, y.lo), y.hi);
    return COLD(AND(tiny, NE(x, NUM(d, 0))), power_by_pow(k, x, n), sum);
}

knk_node knk_integer_pow(knk_builder *k, knk_node x, int64_t n)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool is_float = d == KN_ID_F32 || d == KN_ID_F64;
    if (!is_float || (n >= -1 && n <= 2))
        return integer_power(k, x, n);
    return n >= -64 && n <= 64 ? power_by_products(k, x, n) : power_by_pow(k, x, n);
}
