/* SPDX-License-Identifier: Apache-2.0
 * math_erfc.c -- the error function and its complement as programs in the kernel IR. Polynomials:
 * scripts/fit/special.py.
 *
 * With a = |x|, up to about 1: erf a = a + a E(a^2). Beyond, erf a = 1 - 2^-Q(a); erfc a = e^(-a^2) C(t) / (a + 2)
 * with t = (a - 2) / (a + 2), where the power, the polynomial and the quotient are carried in two parts. */
#include "kernel/expr.h"
#include <math.h>

static const double erf64[] = {0x1.06eba8214db69p-3,   -0x1.812746b037a23p-2,  0x1.ce2f21a0456a1p-4,
                               -0x1.b82ce31349108p-6,  0x1.565bcd2a7ef37p-8,   -0x1.c02db8d9675dbp-11,
                               0x1.f9a3aef074facp-14,  -0x1.f4dc28cfcb8e4p-17, 0x1.ba5f1280303d3p-20,
                               -0x1.633cdfbd8f85bp-23, 0x1.11651a93412a6p-26,  -0x1.ba407d9e29d7fp-30,
                               0x1.2dd50afbfb1a4p-33};
/* f32: up to 7/8; erfc a = 2^-(first + u Q(u)), u = a - at, from there;
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

#define ERFC64_FIRST  0x1.058671b52c776p+0
#define ERFC64_SECOND -0x1.5fd386754eff9p-1
#define ERFC64_LOST   -0x1.3b83c701df899p-56
static const double erfc64_rest[] = {
    0x1.1e2deea6b1178p-2,   -0x1.2a88e6107d562p-5,  -0x1.606e41552bfd9p-6,  0x1.a89eaff883850p-8,
    0x1.9517bb735f2ccp-9,   -0x1.b6fbf9b782da8p-11, -0x1.5ba43923f92acp-11, 0x1.20543318e3beep-15,
    0x1.2efa4ba8f420ap-13,  0x1.1e750732939f5p-15,  -0x1.6c077bfccd511p-16, -0x1.0e66f6a84792ap-16,
    -0x1.2cc73e8a4cd5cp-20, 0x1.e6f884e394e51p-19,  0x1.0bbd3599ff32fp-19,  0x1.718cd840df0b6p-25,
    -0x1.34ee7c0f3a6acp-21, -0x1.a1d47b80567dcp-22, 0x1.c8a8d80accf52p-26,  0x1.65416b252c8d1p-23,
    0x1.3824549b686fep-26,  -0x1.11ea870427291p-25};
/* up to 1 and from there */
#define EXPONENT64_AT    1.5
#define EXPONENT64_FIRST 0x1.387fa16ee7dacp+2
static const double exponent64[] = {
    0x1.43f9ee140affbp+2,   0x1.49adc5433a9b2p+0,  0x1.31343fc563585p-5,  -0x1.1bf6dd7736ef4p-7,  0x1.db78bbded1b64p-10,
    -0x1.46b438aac8826p-12, 0x1.0ffb3e77f2878p-15, 0x1.0043fa777c397p-18, -0x1.cb1ac88b92112p-19, 0x1.3d0de8289e238p-20,
    -0x1.29be77c69e14cp-22, 0x1.56458a729c409p-25, 0x1.3af73cef32223p-30, -0x1.698a0af31a3ddp-29, 0x1.ae2d2da062a5ap-31,
    -0x1.fe53006842442p-34, 0x1.00d60c26d6da9p-37};
static const double power64[] = {1,
                                 0x1.62e42fefa39efp-1,
                                 0x1.ebfbdff82c5a1p-3,
                                 0x1.c6b08d704a15cp-5,
                                 0x1.3b2ab6fba06aep-7,
                                 0x1.5d87fe7891387p-10,
                                 0x1.4309130e0d94cp-13,
                                 0x1.ffcbfcb27f8f3p-17,
                                 0x1.62bfc91682af6p-20,
                                 0x1.b52475e33998bp-24,
                                 0x1.e61967107d69ep-28,
                                 0x1.ea8504c19281ap-32};

#define HALFWAY 0x1.e88p-2 /* erf of it is nearly 1/2 */

static knk_node erf_near(knk_builder *k, knk_node x)
{
    knk_node s = MUL(x, x);
    return FMA(x, knk_is_f32(k, x) ? POLYNOMIAL(s, erf32) : POLYNOMIAL(s, erf64), x);
}

/* 1 - erfc a. What is left of the exponent without its whole part rounds only once. */
knk_node knk_erf(knk_builder *k, knk_node x)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node a = ABS(x), u = SUB(MIN(NUM(d, f ? 4 : 5.96), a), NUM(d, f ? EXPONENT32_AT : EXPONENT64_AT));
    knk_node q = f ? POLYNOMIAL(u, exponent32) : POLYNOMIAL(u, exponent64), nu = NEG(u);
    knk_node first = NUM(d, f ? -EXPONENT32_FIRST : -EXPONENT64_FIRST), n = RINT(FMA(nu, q, first));
    knk_node left = FMA(nu, q, SUB(first, n)), one = NUM(d, 1);
    knk_node far = SUB(one, SCALB(f ? POLYNOMIAL(left, power32) : POLYNOMIAL(left, power64), n));
    knk_node y = SELECT(LT(a, NUM(d, f ? 0.875 : 1)), erf_near(k, a), far);
    return knk_or_bits(k, y, knk_sign_bit(k, x));
}

/* With w = 1 / (a + 2): w, the power and the polynomial are carried in two parts. */
knk_node knk_erfc(knk_builder *k, knk_node x)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node from = NUM(d, f ? 0.475 : HALFWAY), a = MAX(from, MIN(NUM(d, f ? 10.25 : 27.5), ABS(x))), s = MUL(a, a);
    knk_node e, e_lo, n, one = NUM(d, 1), c = NUM(d, 2);
    knk_exp_parts(k, NEG(s), NEG(FMA(a, a, NEG(s))), &e, &e_lo, &n);
    knk_node sum = ADD(a, c), sum_lo = SUB(a, SUB(sum, c)), w = DIV(one, sum);
    knk_node lost = FMA(NEG(w), sum_lo, FMA(NEG(w), sum, one)); /* of w, relative to it */
    knk_node u = MUL(NUM(d, -4), w), t = ADD(u, one), t_lo = FMA(u, lost, SUB(u, SUB(t, one)));
    knk_node first = NUM(d, f ? ERFC32_FIRST : ERFC64_FIRST), second = NUM(d, f ? ERFC32_SECOND : ERFC64_SECOND);
    knk_node rest = f ? TWO_CHAINS(t, erfc32_rest) : TWO_CHAINS(t, erfc64_rest);
    knk_node q = FMA(t, rest, second), q_lo = FMA(t, rest, SUB(second, q)), p = FMA(t, q, first);
    knk_node p_lo = ADD(FMA(t, q, SUB(first, p)), NUM(d, f ? ERFC32_LOST : ERFC64_LOST));
    p_lo = FMA(t, q_lo, FMA(t_lo, FMA(t, rest, q), p_lo));
    knk_node v = MUL(e, p), v_lo = FMA(e_lo, p, FMA(e, p_lo, FMA(e, p, NEG(v))));
    knk_node y = SCALB(FMA(v, w, MUL(w, FMA(v, lost, v_lo))), n);
    knk_node far = SELECT(LT(x, NUM(d, 0)), SUB(NUM(d, 2), y), y);
    return SELECT(LT(ABS(x), from), SUB(one, erf_near(k, x)), far);
}
