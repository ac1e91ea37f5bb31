/* SPDX-License-Identifier: Apache-2.0
 * math_erfc.c -- the error function and its complement as programs in the kernel IR. Polynomials:
 * scripts/fit/special.py.
 *
 * With a = |x|, up to erf a = 1/2: erf a = a + a E(a^2). Beyond: erfc a = e^(-a^2) C(t) / (1 + 2 a) with t = (a - c) /
 * (a + c), where the power, the polynomial and the quotient are carried in two parts. f32 is computed in f64 with
 * shorter polynomials. */
#include "kernel/expr.h"
#include <math.h>

static const double erf64[] = {0x1.06eba8214db69p-3,  -0x1.812746b037a7ep-2,  0x1.ce2f21a053592p-4,
                               -0x1.b82ce31dedf24p-6, 0x1.565bd100314eap-8,   -0x1.c02f3e39c3815p-11,
                               0x1.f9fdc72f10389p-14, -0x1.007d5939f992dp-16, 0x1.4d7f92b664d72p-19,
                               -0x1.03b030f487c96p-20};
static const double erf_for_float[] = {0x1.06eba800408d0p-3, -0x1.8127389b922fdp-2, 0x1.ce276964ade0ap-4,
                                       -0x1.b6af8db242bb3p-6, 0x1.380511e4e9664p-8};
#define ERFC64_FIRST 0x1.3e0a99a0ee914p+0
static const double erfc64_rest[] = {-0x1.1ebd220ea593bp-3,  -0x1.59e2c284b1988p-7,  0x1.8f702ec6b32f1p-4,
                                     -0x1.d76830c34fea5p-4,  0x1.686106046f319p-4,   -0x1.8ff5ef775a01ep-5,
                                     0x1.38ec667119ed5p-6,   -0x1.143c4c78c7e97p-8,  -0x1.3cf369b997d2bp-12,
                                     0x1.27e65bba22fe7p-11,  -0x1.fda9003edf08ap-14, -0x1.66dff46205017p-15,
                                     0x1.9707feacf3c4dp-16,  0x1.382db89d9c838p-19,  -0x1.fff055033b984p-19,
                                     -0x1.5eabfb774b16cp-25, 0x1.41f8cc0db60acp-21,  -0x1.6d2f9d2122f46p-27,
                                     -0x1.8d5540eedca7ep-24, 0x1.97408f5081c77p-30,  0x1.5dbdc9991f315p-27};
static const double erfc_for_float[] = {0x1.455ef0b3ba808p+0,  -0x1.c39b649269ce8p-4, -0x1.0bd672d60ce5bp-3,
                                        0x1.5271f7d913d52p-3,  -0x1.54822fcd433e8p-4, 0x1.76e53af0c1366p-7,
                                        0x1.0904c237b9e71p-7,  -0x1.5732d4edf4db1p-9, -0x1.2c40ce55e9eb9p-10,
                                        0x1.ae3c8fd24b7f2p-12, 0x1.8979e69f9df72p-13, -0x1.704bd798bd2e3p-15};

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

static knk_node small_for_float(knk_builder *k, knk_node x) { return FMA(x, POLYNOMIAL(MUL(x, x), erf_for_float), x); }

static knk_node tail_for_float(knk_builder *k, knk_node a)
{
    a = MAX(F64(HALFWAY), MIN(F64(10.25), a));
    knk_node c = F64(2.25), t = DIV(SUB(a, c), ADD(a, c)), e = knk_exp_for_float(k, NEG(MUL(a, a)));
    return DIV(MUL(e, POLYNOMIAL(t, erfc_for_float)), ADD(F64(1), ADD(a, a)));
}

static knk_node erf_for_f32(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x);
    return SELECT(LT(a, F64(HALFWAY)), small_for_float(k, a), SUB(F64(1), tail_for_float(k, a)));
}

static knk_node erfc_for_f32(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x), c = tail_for_float(k, a), far = SELECT(LT(x, F64(0)), SUB(F64(2), c), c);
    return SELECT(LT(a, F64(HALFWAY)), SUB(F64(1), small_for_float(k, x)), far);
}

knk_node knk_erf(knk_builder *k, knk_node x)
{
    knk_node y = knk_is_f32(k, x) ? knk_in_f64(k, erf_for_f32, x) : erf_f64(k, x);
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}

knk_node knk_erfc(knk_builder *k, knk_node x)
{
    return knk_is_f32(k, x) ? knk_in_f64(k, erfc_for_f32, x) : erfc_f64(k, x);
}
