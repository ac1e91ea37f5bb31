/* SPDX-License-Identifier: Apache-2.0
 * math_log.c -- log, log2, log10, log1p, asinh, acosh, atanh as programs in the kernel IR. Polynomials:
 * scripts/fit/functions.py.
 *
 * x = m 2^e with m near 1, f = m - 1. f32: log m = f - f^2/2 + f^3 P(f). f64: s = f / (2 + f), log m = 2 s + s z L(z)
 * with z = s^2. e ln 2 + f is kept in two parts. */
#include "kernel/expr.h"
#include <float.h>
#include <math.h>

static const double log32[] = {0x1.555554p-2, -0x1.000226p-2, 0x1.99a01cp-3, -0x1.54728ap-3,
                               0x1.22d934p-3, -0x1.0d824ep-3, 0x1.055e8p-3,  -0x1.38c8a6p-4};
static const double log64[] = {0x1.5555555555592p-1, 0x1.999999997ff01p-2, 0x1.24924941e3c75p-2, 0x1.c71c52118dc30p-3,
                               0x1.74663da258a33p-3, 0x1.39a1d34f1a27dp-3, 0x1.2f04b064540f7p-3};
/* (log2(1 + f) - f / ln 2) / f^2, and the same of log10 */
static const double log2_32[] = {-0x1.71547p-1, 0x1.ec7092p-2,  -0x1.715adcp-2, 0x1.277fb6p-2, -0x1.eaae24p-3,
                                 0x1.a2c58p-3,  -0x1.8776e4p-3, 0x1.7edd5p-3,   -0x1.c56d3p-4};
static const double log10_32[] = {-0x1.bcb7aap-3, 0x1.287a7p-3,   -0x1.bcbf2ep-4, 0x1.63d026p-4, -0x1.276f7ap-4,
                                  0x1.f865bp-5,   -0x1.d74512p-5, 0x1.cc082ep-5,  -0x1.0ffaecp-5};
/* asinh a = a + a^3 P(a^2), a < 1/2 */
static const double asinh32[] = {-0x1.555536p-3, 0x1.3324f6p-4, -0x1.6b969p-5, 0x1.cd6e44p-6, -0x1.b177dcp-7};
static const double asinh64[] = {-0x1.55555555553f6p-3, 0x1.333333330adc4p-4,  -0x1.6db6db53e6e59p-5,
                                 0x1.f1c7142f91126p-6,  -0x1.6e8adda3430b5p-6, 0x1.1c43209733297p-6,
                                 -0x1.c8b10dea9e099p-7, 0x1.7467d36acfebdp-7,  -0x1.23edeae343e71p-7,
                                 0x1.7bbf4635cb8d7p-8,  -0x1.1e557ca19724cp-9};
/* atanh s = s + s^3 P(s^2), s < 1/3 */
static const double atanh32[] = {0x1.555558p-2, 0x1.9996d8p-3, 0x1.250512p-3, 0x1.b72b56p-4, 0x1.f08d3cp-4};
static const double atanh64[] = {0x1.5555555555535p-2, 0x1.99999999a078fp-3, 0x1.2492492089860p-3, 0x1.c71c741e0733dp-4,
                                 0x1.745cb3c573af3p-4, 0x1.3b1de06167d82p-4, 0x1.106785171a828p-4, 0x1.efdc25e03d2a5p-5,
                                 0x1.55a0cedf0ab25p-5, 0x1.5c8758eaa13e5p-4};
/* log m = s (2 + z (2/3 + z Q(z))), for pow */
static const double log64_second[] = {0x1.9999999999b31p-2, 0x1.2492492457babp-2, 0x1.c71c722d89af1p-3,
                                      0x1.745ce9d7eb728p-3, 0x1.3b1eee04cc998p-3, 0x1.0f7fbcf7d4c82p-3,
                                      0x1.0e4441a3141fap-3};
static const double log32_second[] = {0x1.999ap-2, 0x1.24528p-2, 0x1.dfa114p-3};
#define LN2_32      0x1.62e42feep-1 /* 32 bits: times an exponent it is exact */
#define LN2_32_REST 0x1.a39ef35793c76p-33

/* x > 0 and finite: y. Else what a logarithm gives: -inf at 0, NaN below, x itself for inf and NaN. */
static knk_node with_special(knk_builder *k, knk_node x, knk_node y)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node zero = NUM(d, 0), fine = AND(LT(zero, x), LT(x, NUM(d, INFINITY)));
    knk_node special = SELECT(LT(zero, x), x, SELECT(EQ(x, zero), NUM(d, -INFINITY), NUM(d, NAN)));
    return COLD(NOT(fine), special, y);
}

/* e * hi + f + (small + e * lo) as *sum + the result, with |f| <= |e * hi| or e = 0. */
static knk_node add_parts(knk_builder *k, knk_node e, double hi, double lo, knk_node f, knk_node small, knk_node *sum)
{
    knx_dtype_id d = knk_dtype(k, f);
    knk_node big = MUL(e, NUM(d, hi)), s = ADD(big, f), error = ADD(SUB(big, s), f);
    *sum = s;
    return ADD(error, FMA(e, NUM(d, lo), small));
}

/* e ln 2 + log(1 + f) + tail as *sum + the result; tail may be KNK_NONE. */
static knk_node log_core(knk_builder *k, knk_node e, knk_node f, knk_node tail, knk_node *sum)
{
    knk_node ff = MUL(f, f), small;
    if (knk_is_f32(k, f)) {
        small = FMA(MUL(f, ff), POLYNOMIAL(f, log32), MUL(F32(-0.5), ff));
    } else {
        knk_node s = DIV(f, ADD(F64(2), f)), z = MUL(s, s), half = MUL(F64(0.5), ff);
        small = SUB(MUL(s, FMA(z, POLYNOMIAL(z, log64), half)), half);
    }
    if (tail != KNK_NONE)
        small = ADD(small, tail);
    if (knk_is_f32(k, f))
        return add_parts(k, e, 0x1.62e4p-1, 0x1.7f7d1cp-20, f, small, sum);
    return add_parts(k, e, LN2_32, LN2_32_REST, f, small, sum);
}

static knk_node log_sum(knk_builder *k, knk_node e, knk_node f, knk_node tail)
{
    knk_node sum, rest = log_core(k, e, f, tail, &sum);
    return ADD(sum, rest);
}

void knk_log_pair(knk_builder *k, knk_node x, knk_node *hi, knk_node *lo)
{
    knk_node m, e, sum;
    knk_split(k, x, &m, &e);
    knk_node rest = log_core(k, e, SUB(m, NUM(knk_dtype(k, x), 1)), KNK_NONE, &sum);
    *hi = ADD(sum, rest);
    *lo = ADD(SUB(sum, *hi), rest);
}

/* A logarithm to another base than e: of 2, as hi + lo, where the product of hi and an exponent is exact; of e. */
typedef struct base {
    double hi, lo, of_e, of_e_lo;
    const double *square; /* f32: (the logarithm of 1 + f less f times that of e) / f^2 */
} base;

/* e * hi + f * of_e + the rest of it; the first two in two parts. */
static knk_node log_to_base(knk_builder *k, knk_node e, knk_node f, const base *b)
{
    knx_dtype_id d = knk_dtype(k, f);
    knk_node c = NUM(d, b->of_e), p = MUL(f, c), small = FMA(f, NUM(d, b->of_e_lo), FMA(f, c, NEG(p))), sum;
    if (d == KN_ID_F32) {
        small = FMA(MUL(f, f), knk_polynomial(k, f, 9, b->square), small);
    } else {
        knk_node s = DIV(f, ADD(F64(2), f)), z = MUL(s, s), half = MUL(MUL(F64(0.5), f), f);
        small = FMA(SUB(MUL(s, FMA(z, POLYNOMIAL(z, log64), half)), half), c, small);
    }
    knk_node rest = add_parts(k, e, b->hi, b->lo, p, small, &sum);
    return ADD(sum, rest);
}

static knk_node log_of_split(knk_builder *k, knk_node m, knk_node e, const base *b)
{
    knk_node f = SUB(m, NUM(knk_dtype(k, m), 1));
    return b ? log_to_base(k, e, f, b) : log_sum(k, e, f, KNK_NONE);
}

/* All but positive normal numbers are cold. */
static knk_node logarithm(knk_builder *k, knk_node x, const base *b)
{
    knk_node m, e, tiny_m, tiny_e, far = knk_outside(k, x, knk_is_f32(k, x) ? FLT_MIN : DBL_MIN, INFINITY);
    knk_split_normal(k, x, &m, &e);
    knk_split(k, x, &tiny_m, &tiny_e);
    return COLD(far, with_special(k, x, log_of_split(k, tiny_m, tiny_e, b)), log_of_split(k, m, e, b));
}

knk_node knk_log(knk_builder *k, knk_node x) { return logarithm(k, x, NULL); }

knk_node knk_log_normal(knk_builder *k, knk_node a)
{
    knk_node m, e;
    knk_split_normal(k, a, &m, &e);
    return log_of_split(k, m, e, NULL);
}

knk_node knk_log2(knk_builder *k, knk_node x)
{
    static const base of_f32 = {1, 0, 0x1.715476p+0, 0x1.4ae0cp-26, log2_32},
                      of_f64 = {1, 0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, NULL};
    return logarithm(k, x, knk_is_f32(k, x) ? &of_f32 : &of_f64);
}

knk_node knk_log10(knk_builder *k, knk_node x)
{
    static const base of_f32 = {0x1.3442p-2, -0x1.95ec1p-19, 0x1.bcb7b2p-2, -0x1.5b235ep-27, log10_32},
                      of_f64 = {0x1.34413509f8p-2, -0x1.80433b83b532ap-44, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                                NULL};
    return logarithm(k, x, knk_is_f32(k, x) ? &of_f32 : &of_f64);
}

knk_node knk_log1p(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node zero = NUM(d, 0), one = NUM(d, 1), u = ADD(one, x), m, e;
    knk_split_normal(k, u, &m, &e);
    knk_node near = EQ(e, zero), b = SUB(u, one), lost = ADD(SUB(one, SUB(u, b)), SUB(x, b)), f = SUB(m, one);
    knk_node inverse = knk_rough_inverse(k, MIN(NUM(d, 0x1p100), u)); /* what is lost beyond is nothing */
    knk_node y = log_sum(k, e, SELECT(near, x, f), SELECT(near, zero, MUL(lost, inverse)));
    return knk_or_bits(k, with_special(k, u, y), knk_sign_bit(k, x)); /* -0 stays; NaN below -1 whatever its sign */
}

/* log(x + s), where s is a root of x^2 + 1 or x^2 - 1, x + s at least 3/2. What the sum lost is known, and what the
 * root lost is share * (1 - (large - small) (x + s)) / (x + s), nearly; of both a tenth may be wrong. Where 1 / (4 x^2)
 * is nothing it is log 2 x. */
static knk_node log_of_sum(knk_builder *k, knk_node large, knk_node small, double share, knk_node x)
{
    bool is32 = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node one = NUM(d, 1), zero = NUM(d, 0), far = LT(NUM(d, is32 ? 0x1p12 : 0x1p28), x), y = ADD(large, small), m,
             e;
    knk_node y_lo = SUB(small, SUB(y, large)), gap = SUB(large, small);
    knk_split_normal(k, SELECT(far, x, y), &m, &e);
    knk_node f = SUB(m, one), inverse = knk_rough_inverse(k, y);
    knk_node rest = FMA(NEG(gap), y_lo, FMA(NEG(gap), y, one));
    knk_node tail = MUL(FMA(MUL(rest, NUM(d, share)), inverse, y_lo), inverse);
    knk_node l = log_sum(k, ADD(e, SELECT(far, one, zero)), f, SELECT(far, zero, tail));
    return SELECT(LT(x, NUM(d, INFINITY)), l, x);
}

knk_node knk_asinh(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node a = ABS(x), z = MUL(a, a), big = log_of_sum(k, SQRT(FMA(a, a, NUM(d, 1))), a, 0.76, a);
    knk_node y = SELECT(LT(a, NUM(d, 0.5)), FMA(MUL(a, z), EITHER(z, asinh32, asinh64), a), big);
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}

/* Below 3/2 2 asinh sqrt(t / 2), t = x - 1, which is exact, with what the root lost; NaN below 1. */
knk_node knk_acosh(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node one = NUM(d, 1), t = SUB(x, one), tt = ADD(t, t), z = MUL(t, NUM(d, 0.5)), low = LT(x, NUM(d, 1.5));
    knk_node s = SQRT(SELECT(low, tt, MUL(t, ADD(x, one)))); /* one root for both */
    knk_node s_lo = MUL(FMA(NEG(s), s, tt), knk_rough_inverse(k, ADD(s, s)));
    knk_node near = ADD(s, FMA(MUL(s, z), EITHER(z, asinh32, asinh64), s_lo));
    return SELECT(low, near, log_of_sum(k, x, s, -1.1, x));
}

/* log((1 + a) / (1 - a)) / 2: with p = (1 + a) 2^-e between q = 1 - a and 2 q it is e ln 2 / 2 + atanh s, s = (p - q) /
 * (p + q), all sums in two parts. Below 1/3 e is 0 and s is a. */
PROGRAM(knk_atanh, k, x)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool is32 = d == KN_ID_F32;
    knk_node a = ABS(x), zero = NUM(d, 0), one = NUM(d, 1), near = LT(a, NUM(d, 1.0 / 3)), e, scale;
    knk_node u = ADD(one, a), q = SUB(one, a), u_lo = SUB(a, SUB(u, one)), q_lo = SUB(SUB(one, q), a);
    if (is32) {
        knk_node n = SAR(SUB(BITS(I32, u), BITS(I32, q)), I32(23));
        e = CAST(F32, n), scale = BITS(F32, SHL(SUB(I32(127), n), I32(23)));
    } else {
        knk_node n = SAR(SUB(BITS(I64, u), BITS(I64, q)), I64(52));
        e = CAST(F64, CAST(I32, n)), scale = BITS(F64, SHL(SUB(I64(1023), n), I64(52)));
    }
    knk_node p = MUL(u, scale), above = SELECT(near, a, SUB(p, q)), below = SELECT(near, one, ADD(p, q));
    knk_node p_lo = MUL(u_lo, scale), above_lo = SUB(p_lo, q_lo),
             below_lo = ADD(ADD(SUB(p, below), q), ADD(p_lo, q_lo));
    knk_node inverse = DIV(one, below), s = MUL(above, inverse), z = MUL(s, s);
    knk_node rest = ADD(FMA(NEG(s), below, above), FMA(NEG(s), below_lo, above_lo));
    knk_node s_lo = SELECT(near, zero, MUL(rest, inverse)), small = FMA(MUL(s, z), EITHER(z, atanh32, atanh64), s_lo),
             sum;
    e = SELECT(near, zero, e);
    knk_node y =
        add_parts(k, e, is32 ? 0x1.62e4p-2 : LN2_32 / 2, is32 ? 0x1.7f7d1cp-21 : LN2_32_REST / 2, s, small, &sum);
    y = COLD(NOT(LT(a, one)), SELECT(EQ(a, one), NUM(d, INFINITY), NUM(d, NAN)), ADD(sum, y));
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}

void knk_log_parts(knk_builder *k, knk_node m, knk_node e, knk_node *hi, knk_node *lo)
{
    bool f32 = knk_is_f32(k, m);
    knx_dtype_id dt = knk_dtype(k, m);
    knk_node two = NUM(dt, 2), one = NUM(dt, 1);
    knk_node f = SUB(m, one), d = ADD(two, f), d_lo = SUB(f, SUB(d, two)), inverse = DIV(one, d);
    knk_node s = MUL(f, inverse), s_lo = MUL(FMA(NEG(s), d_lo, FMA(NEG(s), d, f)), inverse);
    knk_node z = MUL(s, s), z_lo = FMA(ADD(s, s), s_lo, FMA(s, s, NEG(z)));
    knk_node third = NUM(dt, f32 ? 0x1.555556p-1 : 0x1.5555555555555p-1);
    knk_node t = MUL(z, f32 ? POLYNOMIAL(z, log32_second) : POLYNOMIAL(z, log64_second)), c = ADD(third, t);
    knk_node c_lo = ADD(ADD(SUB(third, c), t), NUM(dt, f32 ? -0x1.555556p-26 : 0x1.5555555555555p-55));
    knk_node v = MUL(z, c), v_lo = ADD(FMA(z, c, NEG(v)), FMA(z, c_lo, MUL(z_lo, c)));
    knk_node w = ADD(two, v), w_lo = ADD(ADD(SUB(two, w), v), v_lo);
    knk_node l = MUL(s, w), l_lo = ADD(FMA(s, w, NEG(l)), FMA(s, w_lo, MUL(s_lo, w)));
    knk_node big = MUL(e, NUM(dt, f32 ? 0x1.62e4p-1 : LN2_32)), sum = ADD(big, l), error = ADD(SUB(big, sum), l);
    knk_node rest = ADD(error, FMA(e, NUM(dt, f32 ? 0x1.7f7d1cp-20 : LN2_32_REST), l_lo));
    *hi = ADD(sum, rest);
    *lo = ADD(SUB(sum, *hi), rest);
}

knk_node knk_log_best(knk_builder *k, knk_node x)
{
    knk_node m, e, hi, lo;
    knk_split(k, x, &m, &e);
    knk_log_parts(k, m, e, &hi, &lo);
    return with_special(k, x, hi);
}
