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
static const double i0_near_for_float[] = {0x1.ffffffffef847p-1,  0x1.00000001102f0p+5,  0x1.ffffffd62e11ep+7,
                                           0x1.c71c7417cae59p+9,  0x1.c71c520d6dfa5p+10, 0x1.23465aa47b04dp+11,
                                           0x1.02df88662460bp+11, 0x1.52924cfbe5d84p+10, 0x1.4f131fe899502p+9,
                                           0x1.1a3856c1204b9p+8,  0x1.f976f872516f9p+5,  0x1.44079970dd171p+5};
static const double i0_far_for_float[] = {
    0x1.9884533d7e1aep-2,  0x1.988448aa08a36p-5, 0x1.cba8ef3a044ebp-6,  0x1.d7691970ee3adp-6, 0x1.0ca1fde2176e9p-4,
    -0x1.cfeb85b92023dp-2, 0x1.0fcc93ae09664p+3, -0x1.1e1dd46b5a986p+6, 0x1.4d66222a9e14dp+8, -0x1.221090185cc2bp+9};
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
static const double i1_near_for_float[] = {0x1.fffffffffcbc0p-2, 0x1.0000000058ecep+3, 0x1.555555499a910p+5,
                                           0x1.c71c72ed4566dp+6, 0x1.6c16b32b677cdp+7, 0x1.845d533fbefbcp+7,
                                           0x1.27de294b98c72p+7, 0x1.527625176790dp+6, 0x1.2a71f8716b65ap+5,
                                           0x1.bf85c41d27611p+3, 0x1.7eb66d2b50512p+1, 0x1.a3f00dbe182fcp+0};
static const double i1_far_for_float[] = {
    0x1.9884533d02295p-2, -0x1.32633b8319635p-3, -0x1.7f070e03b4ddcp-5, -0x1.4b1f6734d4df2p-5, -0x1.482b37f86c947p-4,
    0x1.e718f4cc9f212p-2, -0x1.248d9b13aa03fp+3, 0x1.3158cb51bf28cp+6,  -0x1.622db1ec05539p+8, 0x1.3103cd535e3e9p+9};

typedef struct table {
    int n;
    const double *c;
} table;
#define TABLE(t) ((table){(int)(sizeof(t) / sizeof *(t)), t})

/* I(a) e^-a, of the order 0 or 1: from a polynomial in a^2 / 128 up to `edge`, from one in 1 / a beyond. What a^2 lost
 * in rounding counts: it goes into the power of e, by a bound of the derivative of log I that is nearly attained. */
static knk_node scaled(knk_builder *k, knk_node a, int order, double edge, table near, table far)
{
    knk_node s = MUL(a, a), r = DIV(F64(1), a), p = knk_polynomial(k, MUL(s, F64(0x1p-7)), near.n, near.c), e;
    if (edge < 10) {
        e = knk_exp_for_float(k, NEG(a));
    } else {
        knk_node grow = ADD(F64(order + 0.5), SQRT(ADD(s, F64((order + 1) * (order + 1)))));
        knk_node lost = DIV(FMA(a, a, NEG(s)), ADD(grow, grow));
        e = knk_exp_sum(k, NEG(a), SELECT(LT(F64(edge), a), F64(0), lost));
    }
    knk_node close = MUL(order ? MUL(p, a) : p, e), distant = DIV(knk_polynomial(k, r, far.n, far.c), SQRT(a));
    return COLD(LT(F64(edge), a), distant, close);
}

static knk_node i0e_for_float(knk_builder *k, knk_node x)
{
    return scaled(k, ABS(x), 0, 8, TABLE(i0_near_for_float), TABLE(i0_far_for_float));
}

static knk_node i1e_for_float(knk_builder *k, knk_node x)
{
    return scaled(k, ABS(x), 1, 8, TABLE(i1_near_for_float), TABLE(i1_far_for_float));
}

knk_node knk_i0e(knk_builder *k, knk_node x)
{
    if (knk_is_f32(k, x))
        return knk_in_f64(k, i0e_for_float, x);
    return scaled(k, ABS(x), 0, 12, TABLE(i0_near), TABLE(i0_far));
}

knk_node knk_i1e(knk_builder *k, knk_node x)
{
    knk_node y =
        knk_is_f32(k, x) ? knk_in_f64(k, i1e_for_float, x) : scaled(k, ABS(x), 1, 12, TABLE(i1_near), TABLE(i1_far));
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}
