/* SPDX-License-Identifier: Apache-2.0
 * math_erfc.c -- the error function and its complement as programs in the kernel IR. Polynomials:
 * scripts/fit/special.py.
 *
 * With a = |x|, up to erf a = 1/2: erf a = a + a E(a^2). Beyond: erfc a = e^(-a^2) C(t) / (1 + 2 a) with t = (a - c) /
 * (a + c), where the power, the polynomial and the quotient are carried in two parts. */
#include "kernel/expr.h"
#include <math.h>

static const double erf64[] = {0x1.06eba8214db69p-3,  -0x1.812746b037a7ep-2,  0x1.ce2f21a053592p-4,
                               -0x1.b82ce31dedf24p-6, 0x1.565bd100314eap-8,   -0x1.c02f3e39c3815p-11,
                               0x1.f9fdc72f10389p-14, -0x1.007d5939f992dp-16, 0x1.4d7f92b664d72p-19,
                               -0x1.03b030f487c96p-20};
#define ERFC64_FIRST 0x1.3e0a99a0ee914p+0
static const double erfc64_rest[] = {-0x1.1ebd220ea593bp-3,  -0x1.59e2c284b1988p-7,  0x1.8f702ec6b32f1p-4,
                                     -0x1.d76830c34fea5p-4,  0x1.686106046f319p-4,   -0x1.8ff5ef775a01ep-5,
                                     0x1.38ec667119ed5p-6,   -0x1.143c4c78c7e97p-8,  -0x1.3cf369b997d2bp-12,
                                     0x1.27e65bba22fe7p-11,  -0x1.fda9003edf08ap-14, -0x1.66dff46205017p-15,
                                     0x1.9707feacf3c4dp-16,  0x1.382db89d9c838p-19,  -0x1.fff055033b984p-19,
                                     -0x1.5eabfb774b16cp-25, 0x1.41f8cc0db60acp-21,  -0x1.6d2f9d2122f46p-27,
                                     -0x1.8d5540eedca7ep-24, 0x1.97408f5081c77p-30,  0x1.5dbdc9991f315p-27};
/* f32: erf a = a + a E(a^2) up to 7/8; erfc a = 2^-(first + u Q(u)), u = a - at, from there;
 * 2^f = P(f), |f| <= 1/2 */
static const double erf32[] = {0x1.06eba8p-3, -0x1.81274p-2,   0x1.ce2d5cp-4, -0x1.b7ff96p-6,
                               0x1.543226p-8, -0x1.a4da76p-11, 0x1.4a2fcep-14};
#define EXPONENT32_AT    0x1.ea5ep-1
#define EXPONENT32_FIRST 0x1.413e94p+1
static const double exponent32[] = {0x1.da35c6p+1,  0x1.35660ep+0, 0x1.ff80acp-5,
                                    -0x1.eb8d18p-7, 0x1.715abp-9,  -0x1.36977ap-12};
static const double power32[] = {
    1, 0x1.62e43p-1, 0x1.ebfbep-3, 0x1.c6af62p-5, 0x1.3b2a4p-7, 0x1.5f19fp-10, 0x1.442f3ap-13};
/* e^(a^2) erfc(a) (a + 2) = first + t (second + t Q(t)), t = (a - 2) / (a + 2) */
#define ERFC32_FIRST  0x1.058672p+0
#define ERFC32_SECOND -0x1.5fd386p-1
#define ERFC32_LOST   -0x1.2b4e22p-26 /* of the first one */
static const double erfc32_rest[] = {0x1.1e2de4p-2, -0x1.2a8aeap-5,  -0x1.605bd4p-6, 0x1.a9625cp-8,
                                     0x1.904b82p-9, -0x1.d0c58ap-11, -0x1.1c81dp-11, 0x1.d193a8p-14};

#define HALFWAY 0x1.e88p-2 /* erf of it is nearly 1/2 */

/* erfc a = (hi + lo) 2^n from HALFWAY on. */
typedef struct tail {
    knk_node hi, lo, n;
} tail;

static tail tail_f64(knk_builder *k, knk_node a)
{
    a = MAX(F64(HALFWAY), MIN(F64(27.5), a));
    knk_node s = MUL(a, a), e, e_lo, n, one = F64(1), c = F64(3.5), twice = ADD(a, a);
    knk_exp_parts(k, NEG(s), NEG(FMA(a, a, NEG(s))), &e, &e_lo, &n);
    knk_node t = DIV(SUB(a, c), ADD(a, c)), q = POLYNOMIAL(t, erfc64_rest), first = F64(ERFC64_FIRST);
    knk_node p = FMA(t, q, first), p_lo = FMA(t, q, SUB(first, p));
    knk_node d = ADD(one, twice), b = SUB(d, twice), d_lo = ADD(SUB(twice, SUB(d, b)), SUB(one, b));
    knk_node u = MUL(e, p), u_lo = FMA(e_lo, p, FMA(e, p_lo, FMA(e, p, NEG(u))));
    knk_node y = DIV(u, d), y_lo = DIV(FMA(NEG(y), d_lo, ADD(FMA(NEG(y), d, u), u_lo)), d);
    return (tail){y, y_lo, n};
}

/* top - erfc a */
static knk_node above_tail(knk_builder *k, knk_node top, tail c)
{
    knk_node scale = SCALB(F64(1), c.n), hi = MUL(c.hi, scale), s = SUB(top, hi);
    return ADD(s, SUB(SUB(SUB(top, s), hi), MUL(c.lo, scale)));
}

static knk_node erf_f64(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x), far = above_tail(k, F64(1), tail_f64(k, a));
    return COLD(NOT(LT(a, F64(HALFWAY))), far, FMA(a, POLYNOMIAL(MUL(a, a), erf64), a));
}

static knk_node erfc_f64(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x);
    tail c = tail_f64(k, a);
    /* in two steps: only the second one rounds, among the subnormals */
    knk_node right = MUL(MUL(ADD(c.hi, c.lo), SCALB(F64(1), ADD(c.n, F64(200)))), F64(0x1p-200));
    knk_node far = SELECT(LT(x, F64(0)), above_tail(k, F64(2), c), right);
    return COLD(NOT(LT(a, F64(HALFWAY))), far, SUB(F64(1), FMA(x, POLYNOMIAL(MUL(a, a), erf64), x)));
}

static knk_node erf_near(knk_builder *k, knk_node x) { return FMA(x, POLYNOMIAL(MUL(x, x), erf32), x); }

/* 1 - erfc a. What is left of the exponent without its whole part rounds only once. */
static knk_node erf_f32(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x), u = SUB(MIN(F32(4), a), F32(EXPONENT32_AT)), q = POLYNOMIAL(u, exponent32), nu = NEG(u);
    knk_node n = RINT(FMA(nu, q, F32(-EXPONENT32_FIRST))), f = FMA(nu, q, SUB(F32(-EXPONENT32_FIRST), n));
    knk_node far = SUB(F32(1), SCALB(POLYNOMIAL(f, power32), n));
    return SELECT(LT(a, F32(0.875)), erf_near(k, a), far);
}

/* With w = 1 / (a + 2): w, the power and the polynomial are carried in two parts. */
static knk_node erfc_f32(knk_builder *k, knk_node x)
{
    knk_node a = MAX(F32(0.475), MIN(F32(10.25), ABS(x))), s = MUL(a, a), e, e_lo, n, one = F32(1), two = F32(2);
    knk_exp_parts(k, NEG(s), NEG(FMA(a, a, NEG(s))), &e, &e_lo, &n);
    knk_node d = ADD(a, two), d_lo = SUB(a, SUB(d, two)), w = DIV(one, d);
    knk_node lost = FMA(NEG(w), d_lo, FMA(NEG(w), d, one)); /* of w, relative to it */
    knk_node u = MUL(F32(-4), w), t = ADD(u, one), t_lo = FMA(u, lost, SUB(u, SUB(t, one)));
    knk_node first = F32(ERFC32_FIRST), second = F32(ERFC32_SECOND), rest = POLYNOMIAL(t, erfc32_rest);
    knk_node q = FMA(t, rest, second), q_lo = FMA(t, rest, SUB(second, q)), p = FMA(t, q, first);
    knk_node slope = FMA(t, rest, q), p_lo = ADD(FMA(t, q, SUB(first, p)), F32(ERFC32_LOST));
    p_lo = FMA(t, q_lo, FMA(t_lo, slope, p_lo));
    knk_node v = MUL(e, p), v_lo = FMA(e_lo, p, FMA(e, p_lo, FMA(e, p, NEG(v)))), y = MUL(v, w);
    knk_node sum = ADD(y, FMA(v_lo, w, FMA(y, lost, FMA(v, w, NEG(y)))));
    /* in two steps: only the second one rounds, among the subnormals */
    knk_node c = MUL(MUL(sum, SCALB(one, ADD(n, F32(64)))), F32(0x1p-64));
    knk_node far = SELECT(LT(x, F32(0)), SUB(two, c), c);
    return SELECT(LT(ABS(x), F32(0.475)), SUB(one, erf_near(k, x)), far);
}

knk_node knk_erf(knk_builder *k, knk_node x)
{
    return knk_or_bits(k, knk_is_f32(k, x) ? erf_f32(k, x) : erf_f64(k, x), knk_sign_bit(k, x));
}

knk_node knk_erfc(knk_builder *k, knk_node x) { return knk_is_f32(k, x) ? erfc_f32(k, x) : erfc_f64(k, x); }
