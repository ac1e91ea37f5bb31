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
/* asinh a = a + a^3 P(a^2), a < 1/2; acosh(1 + t) = sqrt(2 t) (1 + t P(t)), t < 1/2 */
static const double asinh32[] = {-0x1.555536p-3, 0x1.3324f6p-4, -0x1.6b969p-5, 0x1.cd6e44p-6, -0x1.b177dcp-7};
static const double acosh32[] = {-0x1.555536p-4, 0x1.3324f6p-6, -0x1.6b969p-8, 0x1.cd6e44p-10, -0x1.b177dcp-12};
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

knk_node knk_log(knk_builder *k, knk_node x)
{
    knk_node m, e;
    knk_split(k, x, &m, &e);
    return with_special(k, x, log_sum(k, e, SUB(m, NUM(knk_dtype(k, x), 1)), KNK_NONE));
}

/* log2 and log10: e * hi + (f - f^2/2) * scale in two parts, and what is small times the scale. hi: the logarithm of 2,
 * a product of it and an exponent is exact. */
static knk_node log_scaled(knk_builder *k, knk_node x, double hi, double lo, double scale, double scale_lo)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node m, e, c = NUM(d, scale), small;
    knk_split(k, x, &m, &e);
    knk_node f = SUB(m, NUM(d, 1)), u = MUL(NUM(d, -0.5), f), half = MUL(u, f), v = ADD(f, half);
    knk_node v_lo = ADD(ADD(SUB(f, v), half), FMA(u, f, NEG(half)));
    if (d == KN_ID_F32) {
        small = FMA(MUL(f, MUL(f, f)), POLYNOMIAL(f, log32), v_lo);
    } else {
        knk_node s = DIV(f, ADD(F64(2), f)), z = MUL(s, s);
        small = FMA(s, SUB(MUL(z, POLYNOMIAL(z, log64)), half), v_lo);
    }
    knk_node p = MUL(v, c), p_lo = FMA(v, NUM(d, scale_lo), FMA(v, c, NEG(p)));
    knk_node sum, rest = add_parts(k, e, hi, lo, p, FMA(small, c, p_lo), &sum);
    return with_special(k, x, ADD(sum, rest));
}

knk_node knk_log2(knk_builder *k, knk_node x)
{
    return knk_is_f32(k, x) ? log_scaled(k, x, 1, 0, 0x1.715476p+0, 0x1.4ae0cp-26)
                            : log_scaled(k, x, 1, 0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}

knk_node knk_log10(knk_builder *k, knk_node x)
{
    return knk_is_f32(k, x) ? log_scaled(k, x, 0x1.3442p-2, -0x1.95ec1p-19, 0x1.bcb7b2p-2, -0x1.5b235ep-27)
                            : log_scaled(k, x, 0x1.34413509f8p-2, -0x1.80433b83b532ap-44, 0x1.bcb7b1526e50ep-2,
                                         0x1.95355baaafad3p-57);
}

/* log(1 + x + x_lo) + more ln 2; x_lo, far below x, and more may be KNK_NONE. */
static knk_node log1p_parts(knk_builder *k, knk_node x, knk_node x_lo, knk_node more)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node one = NUM(d, 1), u = ADD(one, x), m, e;
    knk_split(k, u, &m, &e);
    knk_node near = EQ(e, NUM(d, 0)), b = SUB(u, one), lost = ADD(SUB(one, SUB(u, b)), SUB(x, b));
    if (x_lo != KNK_NONE)
        lost = ADD(lost, x_lo);
    knk_node tail = DIV(SELECT(near, x_lo == KNK_NONE ? NUM(d, 0) : x_lo, lost), u), f = SELECT(near, x, SUB(m, one));
    if (more != KNK_NONE)
        e = ADD(e, more);
    return with_special(k, u, log_sum(k, e, f, tail));
}

knk_node knk_log1p(knk_builder *k, knk_node x)
{
    /* -0 stays; NaN below -1 whatever its sign */
    return knk_or_bits(k, log1p_parts(k, x, KNK_NONE, KNK_NONE), knk_sign_bit(k, x));
}

/* log(x + s) in f32, where s is a root of x^2 + 1 or x^2 - 1, x + s at least 3/2. What the sum lost is known, and what
 * the root lost is share * (1 - (large - small) (x + s)) / (x + s), nearly; of both a tenth may be wrong, so 1 - f +
 * f^2 does for 1 / (1 + f). Beyond 2^12 it is log 2 x. */
static knk_node log_of_sum(knk_builder *k, knk_node large, knk_node small, double share, knk_node x)
{
    knk_node one = F32(1), zero = F32(0), far = LT(F32(0x1p12), x), y = ADD(large, small), m, e;
    knk_node y_lo = SUB(small, SUB(y, large)), gap = SUB(large, small);
    knk_split_normal(k, SELECT(far, x, y), &m, &e);
    knk_node f = SUB(m, one), inverse = SCALB(FMA(f, f, SUB(one, f)), NEG(e));
    knk_node rest = FMA(NEG(gap), y_lo, FMA(NEG(gap), y, one));
    knk_node tail = MUL(FMA(MUL(rest, F32(share)), inverse, y_lo), inverse);
    knk_node l = log_sum(k, ADD(e, SELECT(far, one, zero)), f, SELECT(far, zero, tail));
    return SELECT(LT(x, F32(INFINITY)), l, x);
}

static knk_node asinh_f32(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x), z = MUL(a, a), big = log_of_sum(k, SQRT(FMA(a, a, F32(1))), a, 0.76, a);
    return SELECT(LT(a, F32(0.5)), FMA(MUL(a, z), POLYNOMIAL(z, asinh32), a), big);
}

static knk_node asinh_f64(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x), one = F64(1), big = LT(F64(0x1p60), a), aa = MUL(a, a), q = ADD(one, aa), b = SUB(q, one);
    knk_node q_lo = ADD(ADD(SUB(one, SUB(q, b)), SUB(aa, b)), FMA(a, a, NEG(aa)));
    knk_node s = SQRT(q), s_lo = DIV(ADD(FMA(NEG(s), s, q), q_lo), ADD(s, s));
    knk_node d = ADD(s, one), d_lo = ADD(SUB(one, SUB(d, s)), s_lo), c = DIV(aa, d);
    knk_node c_lo = DIV(FMA(NEG(c), d_lo, ADD(FMA(NEG(c), d, aa), FMA(a, a, NEG(aa)))), d);
    knk_node w = ADD(a, c), w_lo = ADD(ADD(SUB(a, w), c), c_lo);
    return log1p_parts(k, SELECT(big, a, w), SELECT(big, F64(0), w_lo), SELECT(big, one, F64(0)));
}

knk_node knk_asinh(knk_builder *k, knk_node x)
{
    knk_node y = knk_is_f32(k, x) ? asinh_f32(k, x) : asinh_f64(k, x);
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}

/* Below 3/2 sqrt(2 t) (1 + t P(t)), t = x - 1, which is exact, with what the root lost; NaN below 1. */
static knk_node acosh_f32(knk_builder *k, knk_node x)
{
    knk_node one = F32(1), t = SUB(x, one), tt = ADD(t, t), low = LT(x, F32(1.5));
    knk_node s = SQRT(SELECT(low, tt, MUL(t, ADD(x, one)))); /* one root for both */
    knk_node s_lo = DIV(FMA(NEG(s), s, tt), MAX(F32(FLT_MIN), ADD(s, s)));
    knk_node near = ADD(s, FMA(MUL(s, t), POLYNOMIAL(t, acosh32), s_lo));
    return SELECT(low, near, log_of_sum(k, x, s, -1.1, x));
}

/* log(1 + t + sqrt(t (t + 2))), t = x - 1, which is exact */
knk_node knk_acosh(knk_builder *k, knk_node x)
{
    if (knk_is_f32(k, x))
        return acosh_f32(k, x);
    knk_node one = F64(1), two = F64(2), big = LT(F64(0x1p60), x);
    knk_node t = SELECT(LT(x, one), F64(NAN), SUB(x, one)), p = ADD(t, two), p_lo = SUB(t, SUB(p, two));
    knk_node q = MUL(t, p), q_lo = FMA(t, p_lo, FMA(t, p, NEG(q))), s = SQRT(q);
    knk_node s_lo = DIV(ADD(FMA(NEG(s), s, q), q_lo), MAX(F64(DBL_MIN), ADD(s, s)));
    knk_node w = ADD(s, t), w_lo = ADD(ADD(SUB(s, w), t), s_lo);
    return log1p_parts(k, SELECT(big, x, w), SELECT(big, F64(0), w_lo), SELECT(big, one, F64(0)));
}

/* log(1 + 2 a / (1 - a)) / 2 */
knk_node knk_atanh(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node a = ABS(x), one = NUM(d, 1), two = ADD(a, a), b = SUB(one, a), b_lo = SUB(SUB(one, b), a), w = DIV(two, b);
    knk_node w_lo = DIV(FMA(NEG(w), b_lo, FMA(NEG(w), b, two)), b);
    return knk_or_bits(k, MUL(NUM(d, 0.5), log1p_parts(k, w, w_lo, KNK_NONE)), knk_sign_bit(k, x));
}

/* log a = e ln 2 + s (2 + z (2/3 + z Q(z))) with all but z Q(z) in two parts. */
void knk_log_parts(knk_builder *k, knk_node a, knk_node *hi, knk_node *lo)
{
    bool f32 = knk_is_f32(k, a);
    knx_dtype_id dt = knk_dtype(k, a);
    knk_node m, e, two = NUM(dt, 2), one = NUM(dt, 1);
    knk_split(k, a, &m, &e);
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
    knk_node hi, lo;
    knk_log_parts(k, x, &hi, &lo);
    return with_special(k, x, hi);
}
