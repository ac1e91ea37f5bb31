/* SPDX-License-Identifier: Apache-2.0
 * math_quantile.c -- the quantile of the normal distribution as a program in the kernel IR. Quotients of polynomials:
 * scripts/fit/special.py.
 *
 * The result is worked out for t = min(p, 1 - p) and then gets its sign. With q = t - 1/2 and s = q^2: in the middle
 * q (sqrt(2 pi) + s A(v) / B(v)) with v = 0.180625 - s; in the tail with r = sqrt(-2 log t): A(r) / B(r) - r. What r
 * lost to rounding goes into the numerator, times the slope there, so that one division does for all. */
#include "kernel/expr.h"
#include <math.h>

static const double middle32_above[] = {0x1.37fc2ap+2, 0x1.17049ep+6, 0x1.8baaaap+7, 0x1.9f8ee2p+4};
static const double middle32_below[] = {1, 0x1.45566cp+4, 0x1.be55fep+6, 0x1.243140p+7};
static const double tail32_above[] = {0x1.76e4cep+1, 0x1.3e59b4p+2, 0x1.da2edcp-1, 0x1.4d3708p-6};
static const double tail32_below[] = {1, 0x1.cbaffcp+1, 0x1.12c952p+1, 0x1.d16e06p-3, 0x1.8f9072p-9};
static const double middle64_above[] = {0x1.37fc2a497deabp+2,  0x1.7c77673577f53p+7,  0x1.5ca69f2881332p+11,
                                        0x1.2afb0b54dca03p+14, 0x1.e6ebe545618ecp+15, 0x1.51943d83974d0p+16,
                                        0x1.1fac43458c2c0p+15, 0x1.1f5ddf7b0bf01p+9};
static const double middle64_below[] = {1,
                                        0x1.6863195dbd510p+5,
                                        0x1.8c076e43b35bdp+9,
                                        0x1.aed0441c3a993p+12,
                                        0x1.e65569f923615p+14,
                                        0x1.112fcce276dd3p+16,
                                        0x1.09d73cf382a41p+16,
                                        0x1.388f10885b26ap+14};
/* in r - 2.25 up to r = 7.5, in r - 7.5 beyond */
static const double tail64_above[] = {0x1.af1549f0ea51fp-1,  0x1.0541e44813376p+0, 0x1.e6caa98b902b1p-2,
                                      0x1.b6757a837d3ecp-4,  0x1.84fa0f59d013dp-7, 0x1.2b963b5d5c282p-11,
                                      0x1.1953e3fdf3cdap-17, 0x1.a117ada79d244p-28};
static const double tail64_below[] = {1,
                                      0x1.75e2d37e87e1ap+0,
                                      0x1.b4f19fd4e1b9ep-1,
                                      0x1.0509a7aac4286p-2,
                                      0x1.501807dedc2ebp-5,
                                      0x1.bde74698f6d19p-9,
                                      0x1.03ab5d4c805acp-13,
                                      0x1.6158c67b72b5cp-20};
static const double far64_above[] = {0x1.967bb1c0cd364p-2,  0x1.06f7b69e16c2fp-3,  0x1.ee252fc5d7429p-7,
                                     0x1.a13b887bb20dcp-11, 0x1.3f477cc194553p-16, 0x1.8a37a1e579213p-23,
                                     0x1.18acf199cadfep-31, 0x1.051ecf3cb1af0p-44};
static const double far64_below[] = {1,
                                     0x1.a8562fb08ddb3p-2,
                                     0x1.0f2ab582371dap-4,
                                     0x1.50f553b508dc9p-8,
                                     0x1.a7a0e4de52da7p-13,
                                     0x1.ff983c2a1bf0fp-19,
                                     0x1.fc8050cbf5867p-26,
                                     0x1.1931145b025dfp-34};

typedef struct ratio {
    knk_node above, below;
} ratio;

static ratio tail_ratio(knk_builder *k, knk_node r)
{
    if (knk_is_f32(k, r))
        return (ratio){POLYNOMIAL(r, tail32_above), POLYNOMIAL(r, tail32_below)};
    knk_node v = SUB(r, F64(2.25)), u = SUB(r, F64(7.5)), far = LT(F64(7.5), r);
    return (ratio){COLD(far, POLYNOMIAL(u, far64_above), POLYNOMIAL(v, tail64_above)),
                   COLD(far, POLYNOMIAL(u, far64_below), POLYNOMIAL(v, tail64_below))};
}

PROGRAM(knk_ndtri, k, p)
{
    bool f = knk_is_f32(k, p);
    knx_dtype_id d = knk_dtype(k, p);
    knk_node half = NUM(d, 0.5), zero = NUM(d, 0), right = LT(half, p), t = SELECT(right, SUB(NUM(d, 1), p), p);
    knk_node q = SUB(t, half), s = MUL(q, q), v = FMA(NEG(q), q, NUM(d, 0.180625)), middle = LT(NUM(d, 0.075), t),
             log_hi, log_lo;
    knk_log_pair(k, t, &log_hi, &log_lo);
    knk_node square = MUL(NUM(d, -2), log_hi), r = SQRT(square);
    knk_node lost = FMA(NUM(d, -2), log_lo, FMA(NEG(r), r, square)); /* of r, times 2 r */
    ratio tail = tail_ratio(k, r);
    knk_node above = FMA(MUL(lost, NUM(d, -0.55)), tail.below, MUL(r, tail.above));
    knk_node c = NUM(d, f ? 0x1.40d932p+1 : 0x1.40d931ff62706p+1),
             c_lo = NUM(d, f ? -0x1.3b1f4ep-32 : -0x1.a6a0d6f814637p-53);
    knk_node first = MUL(c, q), rest = FMA(c_lo, q, FMA(c, q, NEG(first)));
    above = SELECT(middle, f ? POLYNOMIAL(v, middle32_above) : POLYNOMIAL(v, middle64_above), above);
    knk_node below = f ? POLYNOMIAL(v, middle32_below) : POLYNOMIAL(v, middle64_below);
    knk_node quotient = DIV(above, SELECT(middle, below, MUL(r, tail.below)));
    knk_node y = ADD(SELECT(middle, first, NEG(r)), SELECT(middle, FMA(MUL(q, s), quotient, rest), quotient));
    y = SELECT(LT(zero, t), y, SELECT(EQ(t, zero), NUM(d, -INFINITY), NUM(d, NAN)));
    return SELECT(right, NEG(y), y);
}
