/* SPDX-License-Identifier: Apache-2.0
 * math_bessel.c -- the modified Bessel functions I0 and I1 times e^-|x| as programs in the kernel IR. Polynomials:
 * scripts/fit/special.py. Near 0 a polynomial in x^2 times e^-|x|; far out one in 1 / |x| over sqrt |x|. */
#include "kernel/expr.h"
#include <math.h>

static const double i0_near[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+5,  0x1.0000000000001p+8,  0x1.c71c71c71c6dap+9, 0x1.c71c71c71cd5ep+10,
    0x1.23456789a6f6ep+11, 0x1.02e85c08e0692p+11, 0x1.522a43f0eaa29p+10, 0x1.522a443e76a8dp+9, 0x1.0b312fda98347p+8,
    0x1.5601add4a5dd4p+6,  0x1.69c9180dc187cp+4,  0x1.41a379e9dfb6ep+2,  0x1.e69b71ac5464cp-1, 0x1.40792b5060e53p-3,
    0x1.5b2a6e56cf5afp-6,  0x1.abfb8fe86f21cp-9,  0x1.fbe31e221b69dp-14, 0x1.1fa9557f0ff44p-14};
static const double i0_far[] = {
    0x1.9884533d43651p-2,  0x1.9884533d3ccf8p-5,   0x1.cb94dde5ea0e0p-6,  0x1.deba915bfecd0p-6,
    0x1.6eca17f3f7ff8p-5,  0x1.5dd9a0d0a97f1p-4,   0x1.93a3bcf86177dp-1,  -0x1.4c7f5caa198b1p+5,
    0x1.212baabd7556cp+11, -0x1.6e795398ce26ap+16, 0x1.5e5fe5e0cc75dp+21, -0x1.fc7ec128c2262p+25,
    0x1.183d2d079ad93p+30, -0x1.d1d79568936cbp+33, 0x1.1f18d5f3a3b88p+37, -0x1.fcaee31c73d85p+39,
    0x1.3228c4d5c6e57p+42, -0x1.c03982f2b2e91p+43, 0x1.2d0fb04b3f5dfp+44};
static const double i0_near32[] = {0x1p+0,         0x1p+5,        0x1p+8,        0x1.c71c6ap+9,
                                   0x1.c71d32p+10, 0x1.233e5p+11, 0x1.032cep+11, 0x1.4f389ap+10,
                                   0x1.6540fep+9,  0x1.878916p+7, 0x1.354e72p+7};
static const double i0_far32[] = {0x1.988454p-2, 0x1.987286p-5, 0x1.dcc62ep-6, -0x1.48380cp-6,
                                  0x1.264b04p+0, -0x1.9472ep+3, 0x1.2342a2p+6, -0x1.417934p+7};
static const double i1_near[] = {
    0x1.0000000000000p-1,  0x1.0000000000000p+3,  0x1.5555555555556p+5,  0x1.c71c71c71c6f9p+6, 0x1.6c16c16c16eecp+7,
    0x1.845c8a0ce1383p+7,  0x1.27e4fb77bd50ap+7,  0x1.522a43f2c817ap+6,  0x1.2c975906c9fe7p+5, 0x1.ab81e768122cdp+3,
    0x1.f176c00da776cp+1,  0x1.e261eedc259e0p-1,  0x1.8bd9e19593a50p-3,  0x1.161ddc739dba9p-5, 0x1.5575218667034p-8,
    0x1.5d052cfe2f340p-11, 0x1.8cbee66007df1p-14, 0x1.f31d2813c1cdcp-19, 0x1.d9d7acfb546e7p-20};
static const double i1_far[] = {
    0x1.9884533d43651p-2,  -0x1.32633e6df42f8p-3,  -0x1.7efc0de9605fep-5, -0x1.4f1ccaf743ab5p-5,
    -0x1.d6ff38df4a639p-5, -0x1.da187880df44fp-4,  0x1.12281fa32451ep-2,  -0x1.496fa74572192p+5,
    0x1.128c6f537c7ddp+11, -0x1.5b339d1662cdep+16, 0x1.4a17a64076daep+21, -0x1.dbfb9d4b068bbp+25,
    0x1.043597507c048p+30, -0x1.ac31e47c1360ep+33, 0x1.0498da24718a1p+37, -0x1.c6b28d5dab3c3p+39,
    0x1.0cb90158acf51p+42, -0x1.814c23bcc591ap+43, 0x1.f9f05f13e6d04p+43};
static const double i1_near32[] = {0x1p-1,        0x1p+3,        0x1.555556p+5, 0x1.c71c5cp+6,
                                   0x1.6c17ccp+7, 0x1.844f7ap+7, 0x1.2843e8p+7, 0x1.4edf92p+6,
                                   0x1.3e9e32p+5, 0x1.35e7f2p+3, 0x1.c3e57ap+2};
static const double i1_far32[] = {0x1.988454p-2, -0x1.3267aep-3, -0x1.766bfep-5, -0x1.70e47ap-4,
                                  0x1.0d099ep+0, -0x1.a05b04p+3, 0x1.2a8b82p+6,  -0x1.5af6f4p+7};

typedef struct table {
    int n;
    const double *c;
} table;
#define TABLE(t) ((table){(int)(sizeof(t) / sizeof *(t)), t})

/* I(a) e^-a, of the order 0 or 1: from a polynomial in a^2 / 128 up to `edge`, from one in 1 / a beyond. What a^2 lost
 * in rounding counts: it goes into the power of e, by a number near the derivative of log I. */
static knk_node scaled(knk_builder *k, knk_node a, int order, double edge, table near, table far)
{
    knx_dtype_id d = knk_dtype(k, a);
    knk_node s = MUL(a, a), r = DIV(NUM(d, 1), a), p = knk_polynomial(k, MUL(s, NUM(d, 0x1p-7)), near.n, near.c);
    knk_node lost = MUL(FMA(a, a, NEG(s)), MUL(NUM(d, 0.5), MIN(r, NUM(d, 0.5)))), beyond = LT(NUM(d, edge), a);
    knk_node e = knk_exp_sum(k, NEG(a), SELECT(beyond, NUM(d, 0), lost));
    knk_node close = MUL(order ? MUL(p, a) : p, e), distant = DIV(knk_polynomial(k, r, far.n, far.c), SQRT(a));
    return COLD(beyond, distant, close);
}

knk_node knk_i0e(knk_builder *k, knk_node x)
{
    if (knk_is_f32(k, x))
        return scaled(k, ABS(x), 0, 8, TABLE(i0_near32), TABLE(i0_far32));
    return scaled(k, ABS(x), 0, 12, TABLE(i0_near), TABLE(i0_far));
}

knk_node knk_i1e(knk_builder *k, knk_node x)
{
    knk_node y = knk_is_f32(k, x) ? scaled(k, ABS(x), 1, 8, TABLE(i1_near32), TABLE(i1_far32))
                                  : scaled(k, ABS(x), 1, 12, TABLE(i1_near), TABLE(i1_far));
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}
