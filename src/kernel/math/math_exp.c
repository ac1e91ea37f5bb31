/* SPDX-License-Identifier: Apache-2.0
 * math_exp.c -- exp, exp2, expm1, logistic, sinh, cosh, tanh as programs in the kernel IR. Polynomials:
 * scripts/fit/functions.py.
 *
 * x = n ln 2 + r; e^r = 1 + h + (lo + r^2 P(r)), where h is exact and 1 + h is kept in two parts, so that the last
 * addition is nearly the only rounding. Clamps are written so that NaN passes: MAX(c, x) is c > x ? c : x. */
#include "kernel/expr.h"
#include <math.h>

static const double exp32[] = {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558aep-5, 0x1.12397cp-7, 0x1.6a4efp-10};
static const double exp64[] = {
    0x1.000000000000ap-1,  0x1.5555555555505p-3,  0x1.55555555506bcp-5,  0x1.1111111125203p-7,  0x1.6c16c18476e13p-10,
    0x1.a01a0137cca8ap-13, 0x1.a019995faee9ep-16, 0x1.71df0873b6d00p-19, 0x1.28adfc01298dep-22, 0x1.adabac65569c3p-26};
/* (e^r - 1 - r - r^2 / 2) / r^3 */
static const double expm1_64[] = {0x1.555555555553ep-3,  0x1.5555555553b0dp-5,  0x1.1111111118d02p-7,
                                  0x1.6c16c179feb3dp-10, 0x1.a01a0171aeda8p-13, 0x1.a019b39d81523p-16,
                                  0x1.71de97772c7a4p-19, 0x1.289764b6a4019p-22, 0x1.ae48f7683bbacp-26};
/* to 31 bits, of e^r - 1, too: where the result has two parts */
static const double exp32_fine[] = {0.5, 0x1.555554p-3, 0x1.5554f8p-5, 0x1.1112dap-7, 0x1.6d3a3ap-10, 0x1.9e6ef4p-13};
/* sinh a = a + a^3 S(a^2), a < 1 */
static const double sinh32[] = {0x1.555556p-3, 0x1.1110ep-7, 0x1.a022bap-13, 0x1.756cacp-19};
static const double sinh64[] = {0x1.5555555555556p-3,  0x1.111111111101ep-7,  0x1.a01a01a037285p-13,
                                0x1.71de3a3b01bd8p-19, 0x1.ae646ffd3cd1ap-26, 0x1.6116ef6d4c331p-33,
                                0x1.b5cada502024ep-41};
/* tanh a = a + a^3 T(a^2), a < 1 */
static const double tanh32[] = {-0x1.55553cp-2, 0x1.110be4p-3, -0x1.b9623cp-5, 0x1.6009c2p-6,
                                -0x1.04607cp-7, 0x1.2da248p-9, -0x1.77d3a6p-12};

static const double tanh64[] = {-0x1.555555555550fp-2,  0x1.111111110d7dcp-3,   -0x1.ba1ba1b80fe36p-5,
                                0x1.664f48368ba49p-6,   -0x1.226e2ebd744b8p-7,  0x1.d6d30fc1f585bp-9,
                                -0x1.7d9bca389a9f7p-10, 0x1.352131b5064b8p-11,  -0x1.f33618c467862p-13,
                                0x1.8d7a538015da8p-14,  -0x1.2eb29acbb7fb3p-15, 0x1.9e0ca0465048dp-17,
                                -0x1.cade294964341p-19, 0x1.5f3e96b30d1c7p-21,  -0x1.0d1eefddeed92p-24};

/* The reduction: n as a float, the exact h = x - n * (ln 2 rounded), and the rest of n ln 2. */
static void reduce(knk_builder *k, knk_node x, knk_node *n, knk_node *h, knk_node *rest)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    *n = RINT(MUL(x, NUM(d, f ? 0x1.715476p+0 : 0x1.71547652b82fep+0)));
    *h = FMA(*n, NUM(d, f ? -0x1.62e43p-1 : -0x1.62e42fefa39efp-1), x);
    *rest = NUM(d, f ? 0x1.05c61p-29 : -0x1.abc9e3b39803fp-56);
}

/* e^(h + tail + a rest) = *hi + *lo, where a rest is far below h, and tail too (it may be KNK_NONE). */
static void parts_of(knk_builder *k, knk_node h, knk_node tail, knk_node a, knk_node rest, knk_node *hi, knk_node *lo)
{
    knx_dtype_id d = knk_dtype(k, h);
    knk_node one = NUM(d, 1), w = ADD(one, h), e = SUB(h, SUB(w, one));
    knk_node low = tail == KNK_NONE ? MUL(a, rest) : FMA(a, rest, tail), r = ADD(h, low);
    knk_node poly = d == KN_ID_F32 ? POLYNOMIAL(r, exp32_fine) : POLYNOMIAL(r, exp64);
    knk_node small = FMA(poly, MUL(r, r), ADD(e, low));
    *hi = ADD(w, small);
    *lo = ADD(SUB(w, *hi), small);
}

void knk_exp_parts(knk_builder *k, knk_node x, knk_node tail, knk_node *hi, knk_node *lo, knk_node *n)
{
    knk_node h, rest;
    reduce(k, x, n, &h, &rest);
    parts_of(k, h, tail, *n, rest, hi, lo);
}

/* e^(x + tail) for clamped x; the part of it that the last addition lost goes to *lost, where that is wanted. */
static knk_node exp_core(knk_builder *k, knk_node x, knk_node tail, knk_node *lost)
{
    knk_node hi, lo, n;
    knk_exp_parts(k, x, tail, &hi, &lo, &n);
    if (lost)
        *lost = MUL(lo, SCALB(NUM(knk_dtype(k, x), 1), n));
    return SCALB(hi, n);
}

/* e^x for clamped x: the sum of 1, h and what is small, from the right. */
static knk_node exp_short(knk_builder *k, knk_node x)
{
    knk_node n, h, rest, one = NUM(knk_dtype(k, x), 1);
    reduce(k, x, &n, &h, &rest);
    knk_node r = FMA(n, rest, h), p = knk_is_f32(k, x) ? POLYNOMIAL(r, exp32) : POLYNOMIAL(r, exp64);
    return SCALB(ADD(one, ADD(h, FMA(p, MUL(r, r), MUL(n, rest)))), n);
}

knk_node knk_exp_sum(knk_builder *k, knk_node x, knk_node tail)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    x = MAX(NUM(d, f ? -104 : -746), x);
    x = MIN(NUM(d, f ? 89 : 710), x);
    return tail == KNK_NONE ? exp_short(k, x) : exp_core(k, x, tail, NULL);
}

knk_node knk_exp(knk_builder *k, knk_node x) { return knk_exp_sum(k, x, KNK_NONE); }

/* 2^n e^(a ln 2), a = x - n; the product in two parts. */
knk_node knk_exp2(knk_builder *k, knk_node x)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node ln2 = NUM(d, f ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1);
    x = MAX(NUM(d, f ? -152 : -1078), x);
    x = MIN(NUM(d, f ? 129 : 1025), x);
    knk_node n = RINT(x), a = SUB(x, n), h = MUL(a, ln2), hi, lo;
    knk_node rest = NUM(d, f ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56);
    parts_of(k, h, FMA(a, ln2, NEG(h)), a, rest, &hi, &lo);
    return SCALB(hi, n);
}

/* 2^n (1 - 2^-n + h + small): only the last sum rounds, the first ones are carried in two parts. */
static knk_node expm1_f32(knk_builder *k, knk_node x)
{
    knk_node n, h, rest, one = F32(1);
    reduce(k, MIN(F32(89), MAX(F32(-18), x)), &n, &h, &rest);
    knk_node r_lo = MUL(n, rest), r = ADD(h, r_lo), t = SCALB(one, NEG(n)), c = SUB(one, t), s = ADD(c, h);
    knk_node e = ADD(SUB(SUB(one, c), t), ADD(SUB(c, s), h));
    knk_node sum = ADD(s, FMA(POLYNOMIAL(r, exp32_fine), MUL(r, r), ADD(e, r_lo)));
    return MUL(ADD(sum, sum), SCALB(one, SUB(n, one))); /* in two steps: 2^128 is no float */
}

/* 2^n - 1 + 2^n (h + h^2/2 + small), n in -60 .. 1026: all is divided by 2^n, summed in two parts and multiplied in two
 * exact steps. */
static knk_node expm1_f64(knk_builder *k, knk_node x)
{
    knk_node n, h, rest, one = F64(1);
    reduce(k, MIN(F64(710), MAX(F64(-40), x)), &n, &h, &rest);
    knk_node r_lo = MUL(n, rest), r = ADD(h, r_lo), t = SCALB(one, NEG(n)), part = SCALB(one, SUB(n, one));
    knk_node c = SUB(one, t), s = ADD(c, h), e = ADD(SUB(SUB(one, c), t), ADD(SUB(c, s), h));
    knk_node half = MUL(h, F64(0.5)), q = MUL(half, h), v = ADD(s, q); /* h^2/2 in two parts, too */
    e = ADD(ADD(e, r_lo), ADD(ADD(SUB(s, v), q), FMA(half, h, NEG(q))));
    knk_node small = FMA(MUL(r, MUL(r, r)), POLYNOMIAL(r, expm1_64), FMA(h, r_lo, e));
    return MUL(MUL(ADD(v, small), F64(2)), part); /* in this order: half a subnormal would round */
}

knk_node knk_expm1(knk_builder *k, knk_node x)
{
    knk_node y = knk_is_f32(k, x) ? expm1_f32(k, x) : expm1_f64(k, x);
    return knk_or_bits(k, y, knk_sign_bit(k, x)); /* -0 stays */
}

/* (a + a_lost) / (b + c + c_lost), with what the sum and the quotient lost put right to first order. */
static knk_node quotient(knk_builder *k, knk_node a, knk_node a_lost, knk_node b, knk_node c, knk_node c_lost)
{
    knk_node d = ADD(b, c), t = SUB(d, b), d_lost = ADD(ADD(SUB(b, SUB(d, t)), SUB(c, t)), c_lost);
    knk_node inverse = DIV(NUM(knk_dtype(k, a), 1), d), q = MUL(a, inverse), r = ADD(FMA(NEG(q), d, a), a_lost);
    return FMA(FMA(NEG(q), d_lost, r), inverse, q);
}

/* The same with one division: the quotient of the first parts, and its rest times the inverse. 2^n comes last. */
static knk_node logistic_f32(knk_builder *k, knk_node x)
{
    knk_node hi, lo, n, zero = F32(0), one = F32(1), left = LT(x, zero);
    knk_exp_parts(k, MAX(F32(-104), NEG(ABS(x))), KNK_NONE, &hi, &lo, &n);
    knk_node scale = SCALB(one, n), z = MUL(hi, scale), d = ADD(one, z), d_lo = FMA(lo, scale, ADD(SUB(one, d), z));
    knk_node above = SELECT(left, hi, one), inverse = DIV(one, d), q = MUL(above, inverse);
    knk_node rest = ADD(FMA(NEG(q), d, above), FMA(NEG(q), d_lo, SELECT(left, lo, zero)));
    return MUL(FMA(rest, inverse, q), SELECT(left, scale, one));
}

knk_node knk_logistic(knk_builder *k, knk_node x)
{
    if (knk_is_f32(k, x))
        return logistic_f32(k, x);
    knk_node zero = F64(0), one = F64(1), left = LT(x, zero), lost;
    knk_node z = exp_core(k, MAX(F64(-746), NEG(ABS(x))), KNK_NONE, &lost);
    return quotient(k, SELECT(left, z, one), SELECT(left, lost, zero), one, z, lost);
}

/* 1 - 2 / (e^2a + 1) from 1 on, where an error of e^2a counts little; a polynomial below. */
knk_node knk_tanh(knk_builder *k, knk_node x)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node a = ABS(x), c = MIN(NUM(d, f ? 9.25 : 20), a), s = MUL(a, a), one = NUM(d, 1), n, h, rest;
    reduce(k, ADD(c, c), &n, &h, &rest);
    knk_node r = FMA(n, rest, h), e = SCALB(ADD(one, FMA(EITHER(r, exp32, exp64), MUL(r, r), r)), n);
    knk_node big = SUB(one, DIV(NUM(d, 2), ADD(e, one)));
    knk_node small = FMA(MUL(a, s), EITHER(s, tanh32, tanh64), a);
    return knk_or_bits(k, SELECT(LT(a, one), small, big), knk_sign_bit(k, x));
}

/* z + sign / (4 z) with z = e^a / 2 */
static knk_node half_powers(knk_builder *k, knk_node a, double sign)
{
    bool f = knk_is_f32(k, a);
    knx_dtype_id d = knk_dtype(k, a);
    knk_node hi, lo, n, four = NUM(d, 4);
    knk_exp_parts(k, MIN(NUM(d, f ? 90 : 711), a), KNK_NONE, &hi, &lo, &n);
    knk_node z = SCALB(hi, SUB(n, NUM(d, 1))), part = SCALB(NUM(d, 0.5), SUB(n, NUM(d, 2)));
    return ADD(z, FMA(MUL(lo, four), part, DIV(NUM(d, sign / 4), z)));
}

knk_node knk_sinh(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node a = ABS(x), s = MUL(a, a), near = FMA(MUL(a, s), EITHER(s, sinh32, sinh64), a);
    return knk_or_bits(k, SELECT(LT(a, NUM(d, 1)), near, half_powers(k, a, -1)), knk_sign_bit(k, x));
}

knk_node knk_cosh(knk_builder *k, knk_node x) { return half_powers(k, ABS(x), 1); }
