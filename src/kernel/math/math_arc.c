/* SPDX-License-Identifier: Apache-2.0
 * math_arc.c -- asin, acos, atan, atan2 as programs in the kernel IR. Polynomials: scripts/fit/functions.py.
 *
 * Results are base + s + p: one of the multiples of pi/4 (in two parts), a number that is known up to p, and p, which
 * is small beside it; so the last addition is nearly the only rounding. */
#include "kernel/expr.h"
#include <math.h>

/* asin t = t + t^3 P(t^2), t <= 1/2 */
static const double asin32[] = {0x1.5555c8p-3, 0x1.330206p-4, 0x1.747b6cp-5, 0x1.8c41dp-6, 0x1.59591cp-5};
static const double asin64[] = {0x1.5555555555390p-3, 0x1.333333336e7f5p-4,  0x1.6db6db427c2f2p-5,
                                0x1.f1c72c3832811p-6, 0x1.6e89f455e1247p-6,  0x1.1c6be03e507adp-6,
                                0x1.c6fddf404cebfp-7, 0x1.8ec23183ec6e5p-7,  0x1.abd676677b6adp-8,
                                0x1.3fefac50604d3p-6, -0x1.09cb277f3436fp-6, 0x1.056aa14cf1052p-5};
/* atan t = t + t^3 P(t^2), t <= 1/2 */
static const double atan64[] = {-0x1.5555555555516p-2, 0x1.999999999113fp-3,  -0x1.249249215dcc9p-3,
                                0x1.c71c7090e01d9p-4,  -0x1.745cf4ca4c0b7p-4, 0x1.3b113db1cdd79p-4,
                                -0x1.10f31e7553615p-4, 0x1.dfe96e5eceac1p-5,  -0x1.a39839025083fp-5,
                                0x1.56f53fd06dd61p-5,  -0x1.c17e0c12fdeedp-6, 0x1.4b8176364c429p-7};
static const double atan32[] = {-0x1.555512p-2, 0x1.997b14p-3, -0x1.224af2p-3, 0x1.a00c5cp-4, -0x1.a41f46p-5};

/* pi in two parts, times a power of two. */
static knk_node pi_high(knk_builder *k, knx_dtype_id d, double scale)
{
    return NUM(d, (d == KN_ID_F32 ? 0x1.921fb6p+1 : 0x1.921fb54442d18p+1) * scale);
}

static knk_node pi_low(knk_builder *k, knx_dtype_id d, double scale)
{
    return NUM(d, (d == KN_ID_F32 ? -0x1.777a5cp-24 : 0x1.1a62633145c07p-53) * scale);
}

/* base + base_lo + s + p, |s| <= |base| or base = 0 */
static knk_node sum(knk_builder *k, knk_node base, knk_node base_lo, knk_node s, knk_node p)
{
    knk_node y = ADD(base, s), e = ADD(SUB(base, y), s);
    return ADD(y, ADD(e, ADD(base_lo, p)));
}

/* asin |x| where |x| <= 1/2, else asin sqrt((1 - |x|) / 2), as *s + *p. The other arc is pi/2 less twice that. */
static knk_node arc(knk_builder *k, knk_node x, knk_node *s, knk_node *p)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node a = ABS(x), half = NUM(d, 0.5), zero = NUM(d, 0), far = LT(half, a);
    knk_node z = SELECT(far, FMA(a, NUM(d, -0.5), half), MUL(a, a)), root = SQRT(z);
    knk_node lost = MUL(FMA(NEG(root), root, z), knk_rough_inverse(k, ADD(root, root)));
    *s = SELECT(far, root, a);
    *p = FMA(MUL(*s, z), f ? POLYNOMIAL(z, asin32) : POLYNOMIAL(z, asin64), SELECT(far, lost, zero));
    return far;
}

knk_node knk_asin(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node s, p, far = arc(k, x, &s, &p), minus = NUM(d, -2);
    knk_node y = sum(k, pi_high(k, d, 0.5), pi_low(k, d, 0.5), MUL(minus, s), MUL(minus, p));
    return knk_or_bits(k, SELECT(far, y, ADD(s, p)), knk_sign_bit(k, x));
}

knk_node knk_acos(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node s, p, far = arc(k, x, &s, &p), zero = NUM(d, 0), left = LT(x, zero);
    knk_node scale = SELECT(far, SELECT(left, NUM(d, -2), NUM(d, 2)), SELECT(left, NUM(d, 1), NUM(d, -1)));
    knk_node base = SELECT(far, SELECT(left, pi_high(k, d, 1), zero), pi_high(k, d, 0.5));
    knk_node base_lo = SELECT(far, SELECT(left, pi_low(k, d, 1), zero), pi_low(k, d, 0.5));
    return sum(k, base, base_lo, MUL(scale, s), MUL(scale, p));
}

/* The angle of (b, a), a and b not negative and not both 0; half a turn less it where the sign bit `turn` is set. The
 * quotient is at most 1/2: of a and b, or of what is left from a quarter or half of a quarter turn. */
static knk_node angle(knk_builder *k, knk_node a, knk_node b, knk_node turn)
{
    knx_dtype_id d = knk_dtype(k, a);
    knk_node zero = NUM(d, 0), flat = LE(ADD(a, a), b), steep = LE(ADD(b, b), a), total = ADD(a, b);
    knk_node back = SUB(total, a), error = ADD(SUB(a, SUB(total, back)), SUB(b, back));
    knk_node above = SELECT(flat, a, SELECT(steep, NEG(b), SUB(a, b))),
             below = SELECT(flat, b, SELECT(steep, a, total));
    knk_node below_lo = SELECT(OR(flat, steep), zero, error);
    knk_node base = SELECT(flat, zero, SELECT(steep, pi_high(k, d, 0.5), pi_high(k, d, 0.25)));
    knk_node base_lo = SELECT(flat, zero, SELECT(steep, pi_low(k, d, 0.5), pi_low(k, d, 0.25)));
    if (turn != KNK_NONE) {
        knk_node left = d == KN_ID_F32 ? NE(BITS(U32, turn), U32(0)) : NE(BITS(U64, turn), U64(0));
        above = knk_xor_bits(k, above, turn);
        base = SELECT(left, SUB(pi_high(k, d, 1), base), base);
        base_lo = SELECT(left, SUB(pi_low(k, d, 1), base_lo), base_lo);
    }
    knk_node inverse = DIV(NUM(d, 1), below), t = MUL(above, inverse), z = MUL(t, t);
    knk_node t_lo = MUL(FMA(NEG(t), below_lo, FMA(NEG(t), below, above)), inverse);
    knk_node p = d == KN_ID_F32 ? POLYNOMIAL(z, atan32) : POLYNOMIAL(z, atan64);
    return sum(k, base, base_lo, t, FMA(MUL(t, z), p, t_lo));
}

knk_node knk_atan(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node y = angle(k, MIN(NUM(d, 0x1p100), ABS(x)), NUM(d, 1), KNK_NONE); /* inf / inf is no number */
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}

/* Infinite operands become 1 and the others beside them 0. Small and huge ones are scaled, so that what a quotient
 * leaves is a float. */
knk_node knk_atan2(knk_builder *k, knk_node y, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node a = ABS(y), b = ABS(x), zero = NUM(d, 0), one = NUM(d, 1), infinite = NUM(d, INFINITY), high = MAX(a, b);
    knk_node huge = LT(NUM(d, f ? 0x1p125 : 0x1p1000), high), tiny = LT(high, NUM(d, f ? 0x1p60 : 0x1p480));
    knk_node scale = SELECT(huge, NUM(d, 0x1p-3), SELECT(tiny, NUM(d, f ? 0x1p60 : 0x1p500), one));
    knk_node any = EQ(high, infinite), u = MUL(a, scale), v = MUL(b, scale);
    u = COLD(any, SELECT(EQ(a, infinite), one, zero), u);
    v = COLD(any, SELECT(EQ(b, infinite), one, zero), v);
    knk_node r = angle(k, u, SELECT(EQ(high, zero), one, v), knk_sign_bit(k, x));
    return SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), knk_xor_bits(k, r, knk_sign_bit(k, y)));
}
