/* SPDX-License-Identifier: Apache-2.0
 * math_gamma.c -- gamma, log |gamma| and its derivative as programs in the kernel IR. Polynomials:
 * scripts/fit/special.py.
 *
 * From 3/4 to 3 a quotient of polynomials in v = x - 1 (for lgamma 1/2 and one), times the distance from the zeros;
 * from -1/4 to 3/4 the same at x + 1, with the logarithm (the reciprocal) of x taken off; from 3 on Stirling's formula
 * with a fitted rest; below -1/4 the reflection at 0. gamma: from 2 to 3 a polynomial, products below 12, Stirling's
 * formula beyond, the reflection below 0. */
#include "kernel/expr.h"
#include <float.h>
#include <math.h>

static const double lgamma_above[] = {0x1.3c467e37db0c8p-4,  0x1.724b080836ae6p-5,   -0x1.4bef0a4644158p-2,
                                      -0x1.2bbc9b613b0b6p-1, -0x1.a4ff935dfe497p-2,  -0x1.1d63cfb05dd51p-3,
                                      -0x1.72526bd13d20fp-6, -0x1.900c314487612p-10, -0x1.e65b1cc91e818p-16};
static const double lgamma_below[] = {0x1.0000000000000p+0, 0x1.e17b9072a55e3p+1, 0x1.6f2248a08a9f1p+2,
                                      0x1.23b047fe07386p+2, 0x1.02692224bf94fp+1, 0x1.fb35094f1ddd3p-2,
                                      0x1.0197d1878b6ddp-4, 0x1.cdd4957ffe408p-9, 0x1.edc8f0f0f8848p-15};
static const double lgamma_far[] = {0x1.55555555551ffp-4,   -0x1.6c16c1626fd29p-9, 0x1.a019ecfd37f09p-11,
                                    -0x1.380dc720bc17fp-11, 0x1.b85d988d26746p-11, -0x1.e96bcfc1dc00fp-10,
                                    0x1.64eaf9826900ep-8,   -0x1.0a5cc73ed250ap-6, 0x1.308477e82b458p-5,
                                    -0x1.65f2804148e2ep-5};
static const double digamma_above[] = {0x1.4018e9a62525ep+0,  0x1.170c0362dbaeep+1,  0x1.71c75a13ac365p+0,
                                       0x1.e095b8e9531aap-2,  0x1.4666a0a25ee58p-4,  0x1.c403a9af4793cp-8,
                                       0x1.1b5f4762b488dp-12, 0x1.d339044728683p-19, 0x1.738b71830737cp-29};
static const double digamma_below[] = {0x1.0000000000000p+0, 0x1.36a9e5fbfd6f7p+1,  0x1.1b30baf9f19e3p+1,
                                       0x1.ff3d1bc4dc183p-1, 0x1.f24023cc9ce34p-3,  0x1.087091e4b6e9fp-5,
                                       0x1.21861fee7c22ep-9, 0x1.1a6465f3cde07p-14, 0x1.4fb71e420d436p-21};
static const double digamma_far[] = {
    0x1.555555555311fp-4,  -0x1.111110f4616f6p-7, 0x1.04102014ddebbp-8,  -0x1.11075e570bed1p-8, 0x1.eec8768bbd367p-8,
    -0x1.4d31f5f7657b4p-6, 0x1.1760606c132f4p-4,  -0x1.c9de0f1b97196p-3, 0x1.167e434c9a365p-1,  -0x1.55fde8ab00686p-1};
/* sin(pi r) / (pi r) and (1 / r - pi cot(pi r)) / r in r^2 */
static const double sin_pi[] = {0x1.0000000000000p+0,  -0x1.a51a6625307d3p+0,  0x1.9f9cb402bc429p-1,
                                -0x1.86a8e4720a1d6p-3, 0x1.ac6805cc8940ap-6,   -0x1.33816997943c6p-9,
                                0x1.3746a175216f7p-13, -0x1.d3e69dae7d01bp-18, 0x1.07430025ca29ap-22};
static const double cot_pi[] = {
    0x1.a51a6625307dap+1, 0x1.151322ac7cd58p+1,  0x1.0470984c6ac5ap+1, 0x1.010b3693f7a1cp+1,  0x1.004132d307660p+1,
    0x1.000f9fb5f97b5p+1, 0x1.000da4c725610p+1,  0x1.fefd131837ecep+0, 0x1.04fca080acbf6p+1,  0x1.b90aa392239a2p+0,
    0x1.b6d9e905e515ap+1, -0x1.9e0343758579fp+1, 0x1.e325b220dc1fep+3, -0x1.295a3e9e629dcp+4, 0x1.27fbb1a7c2eb3p+4};

/* gamma(2.5 + v), |v| <= 1/2 */
static const double gamma_middle[] = {0x1.544fa6d47b390p+0,   0x1.de9585f1a7093p-1,   0x1.4f224d4b7e013p-1,
                                      0x1.03f6d2fa4f56ep-2,   0x1.c138b894946a1p-4,   0x1.d0a9bc491b3e7p-6,
                                      0x1.5489cc69bc940p-7,   0x1.a55ed2382d9bfp-10,  0x1.8b8fcffb71bf7p-11,
                                      0x1.088517510754ep-18,  0x1.013bc571250d3p-14,  -0x1.ad84271671467p-17,
                                      0x1.e71e162f58900p-18,  -0x1.5853b68aec8c6p-19, 0x1.1db9955641054p-20,
                                      -0x1.b91b1f4ea1aefp-22, 0x1.bc76ea62e55bcp-23,  -0x1.80d5b5036a4d9p-24};

static const double lgamma_above32[] = {0x1.3c467ep-4, -0x1.81f352p-4, -0x1.d50d98p-3, -0x1.79fcacp-4, -0x1.f6cdf8p-8};
static const double lgamma_below32[] = {1, 0x1.f4b51p+0, 0x1.3bb10ep+0, 0x1.1a553p-2, 0x1.07f86p-6};
static const double lgamma_far32[] = {0x1.555552p-4, -0x1.6bfb24p-9, 0x1.964aaep-11, -0x1.ac5dbep-12};
static const double digamma_above32[] = {0x1.4018eap+0, 0x1.69182ep+0, 0x1.c236aap-2, 0x1.288e52p-5, 0x1.880d1ep-13};
static const double digamma_below32[] = {1, 0x1.cfc696p+0, 0x1.f9f03ap-1, 0x1.7c330ap-3, 0x1.2b0f26p-7};
static const double digamma_far32[] = {0x1.555546p-4, -0x1.10ea82p-7, 0x1.f7f52p-9, -0x1.661398p-9};
static const double sin_pi32[] = {1, -0x1.a51a5ap+0, 0x1.9f993cp-1, -0x1.8607cep-3, 0x1.95014ap-6};
static const double cot_pi32[] = {0x1.a51a7p+1,  0x1.150f6ap+1,  0x1.04ea6ep+1, 0x1.f36436p+0,
                                  0x1.3c021ep+1, -0x1.a1890ep-7, 0x1.8562ep+2};
/* gamma(2 + u) = 1 + u P(u), u < 1: exact where u is 0 */
static const double gamma_middle32[] = {0x1.b0ee62p-2,  0x1.a5b93ap-2, 0x1.4e312p-4,    0x1.2fc3dap-4,
                                        0x1.36b6cep-14, 0x1.5294aap-7, -0x1.9d98e2p-10, 0x1.a15b48p-11};

/* Where x lies. */
typedef struct place {
    knk_node reflected, low, a, v; /* x <= -1/4; |x| < 3/4; |x|; the middle part's argument */
} place;

static place place_of(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node a = ABS(x), reflected = LE(x, NUM(d, -0.25)), low = LT(a, NUM(d, 0.75));
    return (place){reflected, low, a, SELECT(low, SELECT(reflected, a, x), SUB(a, NUM(d, 1)))};
}

/* log gamma(a) for the part's |x| (for x where it is low and not reflected). */
static knk_node lgamma_of_size(knk_builder *k, place p)
{
    knx_dtype_id d = knk_dtype(k, p.a);
    bool f = d == KN_ID_F32;
    knk_node hi, lo, mantissa, e, a = p.a, v = p.v, one = NUM(d, 1),
                                  c = NUM(d, 0x1.acfe390c97d69p-2); /* (log(2 pi) - 1) / 2 */
    knk_split(k, MAX(NUM(d, f ? 0x1p-149 : 0x1p-1074), MIN(NUM(d, f ? FLT_MAX : DBL_MAX), a)), &mantissa, &e);
    knk_log_parts(k, mantissa, e, &hi, &lo);
    knk_node ratio = DIV(EITHER(v, lgamma_above32, lgamma_above), EITHER(v, lgamma_below32, lgamma_below));
    knk_node middle = MUL(MUL(v, SUB(v, one)), ADD(NUM(d, 0.5), ratio));
    middle = SELECT(p.low, SUB(SUB(middle, lo), hi), ADD(middle, NUM(d, 0))); /* no -0 at 1 */
    knk_node m = SUB(a, NUM(d, 0.5)), w = SUB(hi, one), w_lo = ADD(SUB(hi, ADD(w, one)), lo), r = DIV(one, a);
    knk_node big = MUL(m, w), big_lo = FMA(m, w_lo, FMA(m, w, NEG(big)));
    knk_node small = FMA(r, EITHER(MUL(r, r), lgamma_far32, lgamma_far), big_lo), s = ADD(big, c);
    knk_node far = ADD(s, ADD(ADD(SUB(big, s), c), small));
    far = SELECT(LT(big, NUM(d, f ? 0x1p120 : 0x1p1000)), far, MUL(a, w));
    return COLD(LE(NUM(d, 3), a), far, middle);
}

/* -log |x sin(pi x) / pi| - log gamma |x| below -1/4. */
knk_node knk_lgamma(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    place p = place_of(k, x);
    knk_node y = lgamma_of_size(k, p), r = SUB(p.a, RINT(p.a)), inf = NUM(d, INFINITY);
    knk_node sine = MUL(ABS(r), EITHER(MUL(r, r), sin_pi32, sin_pi)),
             other = NEG(ADD(knk_log_normal(k, MUL(p.a, sine)), y));
    y = COLD(p.reflected, SELECT(OR(EQ(r, NUM(d, 0)), EQ(p.a, inf)), inf, other), y);
    return SELECT(OR(EQ(p.a, NUM(d, 0)), EQ(p.a, inf)), inf, SELECT(NE(x, x), x, y));
}

static knk_node digamma_of_size(knk_builder *k, knk_node x, place p)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node v = p.v, ratio = DIV(EITHER(v, digamma_above32, digamma_above), EITHER(v, digamma_below32, digamma_below));
    knk_node zero = NUM(d, f ? 0x1.d8b618p-2 : 0x1.d8b618d5af8fep-2),
             zero_lo = NUM(d, f ? 0x1.ab5f2p-27 : -0x1.1e563779a1f5bp-56), from_zero = SUB(SUB(v, zero), zero_lo);
    knk_node middle = MUL(from_zero, ratio);
    middle = SELECT(p.low, SUB(middle, DIV(NUM(d, 1), SELECT(p.reflected, p.a, x))), middle);
    knk_node r = DIV(NUM(d, 1), p.a), s = MUL(r, r);
    knk_node far = SUB(SELECT(LT(p.a, NUM(d, INFINITY)), knk_log_normal(k, p.a), p.a),
                       FMA(s, EITHER(s, digamma_far32, digamma_far), MUL(NUM(d, 0.5), r)));
    return COLD(LE(NUM(d, 3), p.a), far, middle);
}

/* digamma |x| + 1 / |x| + pi cot(pi |x|) below -1/4; no number at the poles but 0. */
knk_node knk_digamma(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    place p = place_of(k, x);
    knk_node y = digamma_of_size(k, x, p), one = NUM(d, 1), r = SUB(p.a, RINT(p.a));
    knk_node cot = FMA(NEG(r), EITHER(MUL(r, r), cot_pi32, cot_pi), DIV(one, r)),
             other = ADD(ADD(y, DIV(one, p.a)), cot);
    return COLD(p.reflected, SELECT(EQ(r, NUM(d, 0)), NUM(d, NAN), other), y);
}

/* For 0 < a < 12 (f32: 14): gamma(2 + fraction) (a - 1) (a - 2) ... or over a (a + 1). */
static knk_node gamma_near(knk_builder *k, knk_node a)
{
    knx_dtype_id d = knk_dtype(k, a);
    bool f = d == KN_ID_F32;
    knk_node one = NUM(d, 1), u = SUB(a, knk_unary(k, KNK_FLOOR, a));
    knk_node y = f ? FMA(u, POLYNOMIAL(u, gamma_middle32), one) : POLYNOMIAL(SUB(u, NUM(d, 0.5)), gamma_middle);
    for (int i = 1; i <= (f ? 11 : 9); i++)
        y = MUL(y, SELECT(LE(NUM(d, i + 2), a), SUB(a, NUM(d, i)), one));
    return DIV(y, MUL(SELECT(LT(a, NUM(d, 2)), a, one), SELECT(LT(a, one), ADD(a, one), one)));
}

/* e^((a - 1/2) log a - a + far / a) sqrt(2 pi) for 12 <= a (f32: 14) as a product, each part of it in range up to a =
 * 190 (50). */
static knk_node gamma_far(knk_builder *k, knk_node a, knk_node *second)
{
    knk_node log_hi, log_lo, hi, lo, n, r, m;
    knx_dtype_id d = knk_dtype(k, a);
    bool f = d == KN_ID_F32;
    a = MAX(NUM(d, f ? 14 : 12), MIN(NUM(d, f ? 50 : 190), a));
    knk_split_normal(k, a, &r, &m);
    knk_log_parts(k, r, m, &log_hi, &log_lo);
    r = DIV(NUM(d, 1), a), m = SUB(a, NUM(d, 0.5));
    knk_node big = MUL(m, log_hi), lost = FMA(m, log_lo, FMA(m, log_hi, NEG(big)));
    knk_node x = SUB(big, a), x_lo = ADD(SUB(SUB(big, x), a), lost);
    knk_exp_parts(k, x, FMA(r, EITHER(MUL(r, r), lgamma_far32, lgamma_far), x_lo), &hi, &lo, &n);
    knk_node some = RINT(MUL(n, NUM(d, 0.5))), root = NUM(d, 0x1.40d931ff62706p+1);
    *second = SCALB(NUM(d, 1), SUB(n, some));
    return MUL(SCALB(ADD(hi, lo), some), root);
}

/* Below 0: -(-1)^n / (a r sin(pi r) / (pi r) gamma(a)), r = a - n. */
PROGRAM(knk_gamma, k, x)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node a = ABS(x), zero = NUM(d, 0), one = NUM(d, 1), two = NUM(d, 2), far = LE(NUM(d, f ? 14 : 12), a),
             left = LT(x, zero), second;
    knk_node first = gamma_far(k, a, &second), n = RINT(a), r = SUB(a, n);
    first = COLD(far, first, gamma_near(k, a)), second = COLD(far, second, one);
    knk_node y = MUL(first, second), exact = AND(EQ(r, zero), LT(y, NUM(d, f ? 0x1p23 : 0x1p45)));
    y = SELECT(exact, RINT(y), y);
    knk_node down = MUL(MUL(a, MUL(r, EITHER(MUL(r, r), sin_pi32, sin_pi))), first);
    knk_node odd = NE(MUL(RINT(MUL(n, NUM(d, 0.5))), two), n),
             other = DIV(DIV(SELECT(odd, one, NUM(d, -1)), down), second);
    y = COLD(left, SELECT(EQ(r, zero), NUM(d, NAN), other), y);
    return SELECT(LT(a, NUM(d, f ? 0x1p-30 : 0x1p-60)), DIV(one, x), y);
}
