/* SPDX-License-Identifier: Apache-2.0
 * math_erf.c -- the inverse error function with the numbers of jax.lax.erf_inv on CPU: Giles' polynomials in w =
 * -log(1 - x^2), and XLA's own log and log1p in front of them. Each multiply-add is one fma where XLA's compiled code
 * has one, and only there. */
#include "kernel/expr.h"
#include <math.h>

/* Polynomials in w - 2.5 (w < 5) and sqrt(w) - 3; f64: w - 3.125 (w < 6.25), sqrt(w) - 3.25 (w < 16), sqrt(w) - 5. */
static const double center32[] = {0x1.805c5ep+0,   0x1.f91ec6p-3,   -0x1.11c9dep-8, -0x1.48a81p-10, 0x1.ca65b6p-13,
                                  -0x1.26b582p-18, -0x1.d8e6aep-19, 0x1.70966cp-22, 0x1.e2cb1p-26};
static const double tail32[] = {0x1.6a9efcp+1,  0x1.006db6p+0,  0x1.354afcp-7,  -0x1.f38baep-8, 0x1.7824f6p-8,
                                -0x1.e17bcep-9, 0x1.61b8e4p-10, 0x1.a76ad6p-14, -0x1.a3e136p-13};
static const double numerator32[] = {0x1.40a202p+4, 0x1.c8e75ap+5, 0x1.e798ecp+5, 0x1.de9738p+4,
                                     0x1.a509f4p+2, 0x1.fe818ap-2, 0x1.7bc096p-15};
static const double denominator32[] = {
    0x1.e0f304p+5, 0x1.b0db14p+7, 0x1.351946p+8, 0x1.bb865ap+7, 0x1.4c30b6p+6, 0x1.e2035ap+3, 1};
static const double center64[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13e28p-3,   -0x1.8b6c33114f909p-8,  -0x1.845769484fca8p-11,
    0x1.879c2a212f024p-13,  -0x1.d1d1f7b8736f6p-17, -0x1.6e8a5434ae8a2p-20, 0x1.c6b4f5d03b787p-22,
    -0x1.f36cd6d3d46a9p-26, -0x1.1a9e38dc84d6p-28,  0x1.20f47ccf46b3cp-30,  -0x1.dc583d118a561p-35,
    -0x1.c8859c4e5c0afp-37, 0x1.72a22c2d77e2p-39,   -0x1.6f2167040d8e2p-44, -0x1.6d33eed66c487p-45,
    0x1.de4acfd9e26bap-48,  0x1.82e11898132ep-56,   -0x1.33689090a6b96p-53, 0x1.9ba72cd589b91p-57,
    0x1.7b83eef0b7c9fp-60,  -0x1.8ddf93324d327p-63, -0x1.135d2e746e627p-68};
static const double middle64[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d39p+0,   0x1.5ffcfe5b76afcp-8,   -0x1.ebadabb891bbdp-9,
    0x1.468eeca533cf8p-9,   -0x1.ba924132f38b1p-10, 0x1.f3cc55ad40c25p-11,  -0x1.7448a89ef8aa3p-12,
    0x1.932cd54c8a222p-16,  0x1.1e684d0b9188ap-14,  -0x1.8cef1f80281f2p-15, 0x1.a29a0cacdfb23p-17,
    0x1.8860cd5d652f6p-19,  -0x1.0d5db812b5083p-18, 0x1.936388a3790adp-20,  0x1.395abcd554c6cp-26,
    -0x1.2777453dd3955p-22, 0x1.85cbe52878635p-24,  0x1.3040f87dbd932p-29};
static const double tail64[] = {0x1.3664ddd1ad7fbp+2,   0x1.02a30d1fba0dcp+0,   -0x1.22ea5df04047cp-13,
                                -0x1.c2f36a8fc5d53p-13, 0x1.3ebf4eb00938fp-14,  -0x1.4a3497e1e0facp-16,
                                0x1.2fbd29d093d2bp-18,  -0x1.0a8d40ea372ccp-20, 0x1.ebc8bb824cb54p-23,
                                -0x1.22d220fdf9c3ep-24, 0x1.f4c20e1334af8p-26,  -0x1.0102e495fb9cp-26,
                                0x1.05ac6a8fba182p-27,  -0x1.0468fb24e2f5fp-28, 0x1.9e6bf2dda45e3p-30,
                                -0x1.18feec0e38727p-32, -0x1.dcec3a7785389p-36};
static const double numerator64[] = {0x1.40a202d99830ap+4, 0x1.c8e7597479a1p+5,  0x1.e798eb86c3351p+5,
                                     0x1.de9738b8cb9c9p+4, 0x1.a509f46f4fa53p+2, 0x1.fe818a0fe1a83p-2,
                                     0x1.7bc0962b395cap-15};
static const double denominator64[] = {0x1.e0f304466448ep+5,
                                       0x1.b0db13e48e066p+7,
                                       0x1.351945dc908a5p+8,
                                       0x1.bb86590fcfb56p+7,
                                       0x1.4c30b52213498p+6,
                                       0x1.e20359e903e37p+3,
                                       1};

/* XLA's log of an f32 (Cephes), with its grouping of the polynomial. */
static knk_node log_f32(knk_builder *k, knk_node x)
{
    knk_node bits = BITS(U32, SELECT(LT(F32(0x1p-126), x), x, F32(0x1p-126))), zero = F32(0), one = F32(1);
    knk_node e = ADD(CAST(F32, SUB(BITS(I32, SHR(bits, U32(23))), I32(127))), one);
    knk_node m = BITS(F32, OR(AND(bits, U32(0x807fffff)), U32(0x3f000000))), low = LT(m, F32(0x1.6a09e6p-1));
    knk_node f = ADD(ADD(m, F32(-1)), SELECT(low, m, zero)), ff = MUL(f, f), fff = MUL(ff, f);
    e = SUB(e, SELECT(low, one, zero));
    knk_node a = FMA(FMA(f, F32(0x1.204376p-4), F32(-0x1.d7a37p-4)), f, F32(0x1.de4a34p-4));
    knk_node b = FMA(FMA(f, F32(-0x1.fcba9ep-4), F32(0x1.23d37ep-3)), f, F32(-0x1.555cap-3));
    knk_node c = FMA(FMA(f, F32(0x1.999d58p-3), F32(-0x1.fffff8p-3)), f, F32(0x1.555554p-2));
    knk_node p = FMA(FMA(FMA(a, fff, b), fff, c), fff, MUL(e, F32(-0x1.bd0106p-13)));
    knk_node y = FMA(e, F32(0x1.63p-1), ADD(FMA(ff, F32(-0.5), f), p));
    y = SELECT(LT(zero, x), y, SELECT(EQ(x, zero), F32(-INFINITY), F32(NAN)));
    return SELECT(EQ(x, F32(INFINITY)), x, y);
}

/* log(1 + t): a quotient for small t, else the logarithm of the rounded sum. */
static knk_node log1p_xla(knk_builder *k, knk_node t)
{
    bool f = knk_is_f32(k, t);
    knx_dtype_id d = knk_dtype(k, t);
    knk_node tt = MUL(t, t), n = f ? POLYNOMIAL(t, numerator32) : POLYNOMIAL(t, numerator64),
             q = f ? POLYNOMIAL(t, denominator32) : POLYNOMIAL(t, denominator64);
    knk_node small = ADD(t, FMA(tt, NUM(d, -0.5), MUL(MUL(t, tt), DIV(n, q)))), u = ADD(t, NUM(d, 1));
    return SELECT(LT(ABS(t), NUM(d, f ? 0x1.a8279ap-2 : 0x1.a827999fcef32p-2)), small,
                  f ? log_f32(k, u) : knk_log_best(k, u));
}

knk_node knk_erf_inv_xla(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node l = log1p_xla(k, MUL(x, NEG(x))), root = SQRT(NEG(l)), p;
    if (d == KN_ID_F32) {
        knk_node tail = SUB(root, F32(3)), center = SUB(F32(-2.5), l);
        p = COLD(NOT(LT(F32(-5), l)), POLYNOMIAL(tail, tail32), POLYNOMIAL(center, center32));
    } else {
        knk_node tail = SUB(root, F64(5)), middle = SUB(root, F64(3.25)), center = SUB(F64(-3.125), l);
        p = COLD(NOT(LT(F64(-6.25), l)), POLYNOMIAL(middle, middle64), POLYNOMIAL(center, center64));
        p = COLD(NOT(LT(F64(-16), l)), POLYNOMIAL(tail, tail64), p);
    }
    return MUL(x, SELECT(EQ(ABS(x), NUM(d, 1)), NUM(d, INFINITY), p));
}
