/* SPDX-License-Identifier: Apache-2.0
 * math_trig.c -- sin, cos, tan as programs in the kernel IR. Polynomials: scripts/fit/functions.py.
 *
 * |x| = q pi/2 + r + lo with |r| <= pi/4. Up to a limit pi/2 in three parts does; beyond it a cold path multiplies x
 * by the bits of 2/pi that matter (Payne and Hanek), in 64-bit integers. */
#include "kernel/expr.h"
#include <math.h>

static const double sin32[] = {-0x1.555546p-3, 0x1.110778p-7, -0x1.9953f8p-13};
static const double cos32[] = {0x1.55554ap-5, -0x1.6c0c2ap-10, 0x1.99e90ep-16};
static const double sin64[] = {-0x1.5555555555548p-3, 0x1.111111110f758p-7,   -0x1.a01a019bf142fp-13,
                               0x1.71de355e28f1cp-19, -0x1.ae5e53ba98de3p-26, 0x1.5d8dfe229ebe4p-33};
static const double cos64[] = {0x1.555555555554bp-5,   -0x1.6c16c16c15014p-10, 0x1.a01a019c8eee4p-16,
                               -0x1.27e4f7f1542bep-22, 0x1.1ee9db97db413p-29,  -0x1.8fa66182c9d5ep-37};
static const double tan32[] = {0x1.55556p-2, 0x1.110d9ep-3,  0x1.bad9c2p-5, 0x1.5cc0d4p-6,
                               0x1.62cb3p-7, 0x1.9c0f6ep-14, 0x1.1e91bap-8};

/* An angle: quadrant (an integer as wide as the float; its last two bits count), rest and its tail. */
typedef struct angle {
    knk_node q, r, lo;
} angle;

/* Words of 2/pi after 16 (f32) and 34 (f64) zero bits. */
static const uint64_t two_over_pi32[] = {0x0000a2f9836e4e44, 0x1529fc2757d1f534, 0xddc0db6295993c43,
                                         0x9041fe5163abdebb};
static const uint64_t two_over_pi64[] = {0x0000000028be60db, 0x9391054a7f09d5f4, 0x7d4d377036d8a566, 0x4f10e4107f9458ea,
                                         0xf7aef1586dc91b8e, 0x909374b801924bba, 0x827464873f877ac7, 0x2c4a69cfba208d7d,
                                         0x4baed1213a671c09, 0xad17df904e64758e, 0x60d4ce7d272117e2, 0xef7e4a0ec7fe25ff,
                                         0xf7816603fbcbc462, 0xd6829b47db4d9fb3, 0xc9f2c26dd3d18fd9, 0xa797fa8b5d49eeb1,
                                         0xfaf97c5ecf41ce7d, 0xe294a4ba9afed7ec, 0x47e357421580cc11};

/* 64 bits from bit `shift` of high:low on. */
static knk_node window(knk_builder *k, knk_node high, knk_node low, knk_node shift)
{
    return OR(SHL(high, shift), SHR(low, SUB(U64(64), shift)));
}

/* The high 32 bits of a product; a < 2^24. */
static knk_node high_of_u32(knk_builder *k, knk_node a, knk_node b)
{
    knk_node mask = U32(0xffff), s = U32(16), a0 = AND(a, mask), a1 = SHR(a, s), b0 = AND(b, mask), b1 = SHR(b, s);
    knk_node middle = ADD(MUL(a0, b1), SHR(MUL(a0, b0), s));
    return ADD(ADD(MUL(a1, b1), SHR(middle, s)), SHR(ADD(MUL(a1, b0), AND(middle, mask)), s));
}

/* hi + lo as a float and its tail, where |hi| >= |lo| or hi is 0. */
static void two_sum(knk_builder *k, knk_node *hi, knk_node *lo)
{
    knk_node s = ADD(*hi, *lo);
    *lo = ADD(SUB(*hi, s), *lo);
    *hi = s;
}

/* |x| from 2^13 on, in 32 bits, so that lanes stay as they are: m times 96 bits of 2/pi from bit t on. */
static angle huge_f32(knk_builder *k, knk_node a)
{
    knk_node bits = BITS(U32, a), m = OR(AND(bits, U32(0x7fffff)), U32(0x800000)),
             t = SUB(SHR(bits, U32(23)), U32(136));
    knk_node by_64 = NE(AND(t, U32(64)), U32(0)), by_32 = NE(AND(t, U32(32)), U32(0)), shift = AND(t, U32(31)), w[4];
    uint32_t word[8];
    for (int i = 0; i < 8; i++)
        word[i] = (uint32_t)(two_over_pi32[i / 2] >> (i % 2 ? 0 : 32));
    for (int i = 0; i < 4; i++)
        w[i] = SELECT(by_64, SELECT(by_32, U32(word[i + 3]), U32(word[i + 2])),
                      SELECT(by_32, U32(word[i + 1]), U32(word[i])));
    for (int i = 0; i < 3; i++)
        w[i] = OR(SHL(w[i], shift), SHR(w[i + 1], SUB(U32(32), shift)));
    knk_node product = MUL(m, w[1]), low = ADD(product, high_of_u32(k, m, w[2]));
    knk_node high = ADD(ADD(MUL(m, w[0]), high_of_u32(k, m, w[1])), CAST(U32, LT(low, product)));
    knk_node q = SHR(ADD(high, U32(1u << 29)), U32(30)), f = BITS(I32, SUB(high, SHL(q, U32(30))));
    /* (f + low 2^-32) 2^-30 quadrants, times pi/2 in two parts */
    knk_node hi = CAST(F32, f), lo = FMA(CAST(F32, SHR(low, U32(16))), F32(0x1p-16), CAST(F32, SUB(f, CAST(I32, hi))));
    two_sum(k, &hi, &lo);
    lo = FMA(CAST(F32, AND(low, U32(0xffff))), F32(0x1p-32), lo);
    two_sum(k, &hi, &lo);
    knk_node c1 = F32(0x1.921fb6p-30), c2 = F32(-0x1.777a5cp-55), r = MUL(hi, c1);
    knk_node tail = FMA(lo, c1, FMA(hi, c2, FMA(hi, c1, NEG(r))));
    two_sum(k, &r, &tail);
    return (angle){q, SELECT(LT(a, F32(INFINITY)), r, F32(NAN)), tail};
}

/* The high 64 bits of a product; a < 2^53. */
static knk_node high_product(knk_builder *k, knk_node a, knk_node b)
{
    knk_node mask = U64(0xffffffff), s = U64(32), a0 = AND(a, mask), a1 = SHR(a, s), b0 = AND(b, mask), b1 = SHR(b, s);
    knk_node middle = ADD(MUL(a1, b0), SHR(MUL(a0, b0), s)), other = ADD(MUL(a0, b1), AND(middle, mask));
    return ADD(ADD(MUL(a1, b1), SHR(middle, s)), SHR(other, s));
}

/* |x| from 2^20 on: the same with 128 bits of result. */
static angle huge_f64(knk_builder *k, knk_node a)
{
    knk_node bits = BITS(U64, a), m = OR(AND(bits, U64(((uint64_t)1 << 52) - 1)), U64((uint64_t)1 << 52)),
             t = SUB(SHR(bits, U64(52)), U64(1043)), w[19];
    knk_node shift = AND(t, U64(63));
    int n = 19;
    for (int i = 0; i < n; i++)
        w[i] = U64(two_over_pi64[i]);
    for (int step = 8; step; step /= 2) { /* words t / 64 .. t / 64 + 3 */
        knk_node move = NE(AND(t, U64((uint64_t)64 * (unsigned)step)), U64(0));
        n -= step;
        for (int i = 0; i < n; i++)
            w[i] = SELECT(move, w[i + step], w[i]);
    }
    knk_node w0 = window(k, w[0], w[1], shift), w1 = window(k, w[1], w[2], shift), w2 = window(k, w[2], w[3], shift);
    knk_node low = ADD(MUL(m, w1), high_product(k, m, w2)), carry = CAST(U64, LT(low, MUL(m, w1)));
    knk_node high = ADD(ADD(MUL(m, w0), high_product(k, m, w1)), carry);
    knk_node q = SHR(ADD(high, U64((uint64_t)1 << 61)), U64(62)), f = BITS(I64, SUB(high, SHL(q, U64(62))));
    knk_node h = CAST(F64, f), l = FMA(CAST(F64, SUB(f, CAST(I64, h))), F64(0x1p64), CAST(F64, low));
    /* (h + l 2^-64) quadrants of 2^-62, times pi/2 in two parts */
    knk_node s = FMA(l, F64(0x1p-64), h), s_lo = FMA(l, F64(0x1p-64), SUB(h, s));
    knk_node p1 = F64(0x1.921fb54442d18p-62), p2 = F64(0x1.1a62633145c07p-116), r = MUL(s, p1);
    knk_node lo = ADD(FMA(s, p1, NEG(r)), FMA(s, p2, MUL(s_lo, p1)));
    return (angle){q, SELECT(LT(a, F64(INFINITY)), r, F64(NAN)), lo};
}

/* a < 2^13 (f32), 2^20 (f64). The quadrant is left in the last bits of a large number, pi/2 is in three parts: the
 * first one leaves h, which is exact; n times the second one is exact, and so is what its subtraction rounds away. */
static angle reduce(knk_builder *k, knk_node a)
{
    bool f = knk_is_f32(k, a);
    knx_dtype_id d = knk_dtype(k, a);
    knk_node large = NUM(d, f ? 0x1.8p23 : 0x1.8p52), p2 = NUM(d, f ? 0x1.778p-25 : -0x1.1a626331p-54);
    knk_node q = FMA(a, NUM(d, f ? 0x1.45f306p-1 : 0x1.45f306dc9c883p-1), large), n = SUB(q, large);
    knk_node h = FMA(n, NUM(d, f ? -0x1.921fb6p+0 : -0x1.921fb54442d18p+0), a), r = FMA(n, p2, h);
    knk_node lo = FMA(n, NUM(d, f ? -0x1.68c234p-39 : -0x1.1701b839a2520p-88), FMA(n, p2, SUB(h, r)));
    return (angle){knk_bitcast(k, f ? KN_ID_U32 : KN_ID_U64, q), r, lo};
}

/* sin(r + lo) = r + (r^3 S + lo);  cos(r + lo) = 1 - s/2 + (s^2 C - r lo), 1 - s/2 in two parts */
static knk_node sin_of(knk_builder *k, angle x, knk_node s)
{
    knk_node p = knk_is_f32(k, x.r) ? POLYNOMIAL(s, sin32) : POLYNOMIAL(s, sin64);
    return ADD(x.r, FMA(MUL(x.r, s), p, x.lo));
}

static knk_node cos_of(knk_builder *k, angle x, knk_node s)
{
    knx_dtype_id d = knk_dtype(k, s);
    knk_node one = NUM(d, 1), half = NUM(d, -0.5), w = FMA(s, half, one), e = FMA(s, half, SUB(one, w));
    knk_node p = d == KN_ID_F32 ? POLYNOMIAL(s, cos32) : POLYNOMIAL(s, cos64);
    return ADD(w, FMA(MUL(s, s), p, FMA(x.r, NEG(x.lo), e)));
}

/* sin(y + quarters pi/2), with the sign of x, if there is one, flipped in. */
static knk_node sin_of_angle(knk_builder *k, angle y, int quarters, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, y.r), u = d == KN_ID_F32 ? KN_ID_U32 : KN_ID_U64;
    knk_node one = knk_const(k, u, 1), q = ADD(y.q, knk_const(k, u, (uint64_t)quarters)), s = MUL(y.r, y.r);
    knk_node odd = NE(AND(q, one), knk_const(k, u, 0)), flip = SHL(q, knk_const(k, u, d == KN_ID_F32 ? 30 : 62));
    if (x != KNK_NONE)
        flip = XOR(flip, knk_bitcast(k, u, x));
    knk_node v = SELECT(odd, cos_of(k, y, s), sin_of(k, y, s));
    return knk_xor_bits(k, v, knk_sign_bit(k, knk_bitcast(k, d, flip)));
}

/* The cold side is all of it, so that the other one pays for a single test. */
static knk_node sin_turned(knk_builder *k, knk_node x, int quarters, knk_node sign)
{
    knk_node a = ABS(x);
    bool f = knk_is_f32(k, x);
    knk_node far = LE(NUM(knk_dtype(k, x), f ? 0x1p13 : 0x1p20), a);
    knk_node near = sin_of_angle(k, reduce(k, a), quarters, sign);
    return COLD(far, sin_of_angle(k, f ? huge_f32(k, a) : huge_f64(k, a), quarters, sign), near);
}

knk_node knk_sin(knk_builder *k, knk_node x) { return sin_turned(k, x, 0, x); }
knk_node knk_cos(knk_builder *k, knk_node x) { return sin_turned(k, x, 1, KNK_NONE); }

/* cos x - 1 = -2 sin(x / 2)^2 */
PROGRAM(knk_cosm1, k, x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node s = knk_sin(k, MUL(x, NUM(d, 0.5)));
    return MUL(MUL(s, s), NUM(d, -2));
}

/* t = r + (r^3 T + lo / cos^2 r), in odd quadrants -1 / t, with what s = r^2, t and the quotient lost. Of what is so
 * small a few hundredths may be wrong: 1 + 1.6 s is near 1 / cos^2 r, and r / 2 near the slope of r^3 T. */
static knk_node tan_of_angle_f32(knk_builder *k, angle y)
{
    knk_node s = MUL(y.r, y.r), s_lo = FMA(y.r, y.r, NEG(s)), one = F32(1);
    knk_node lo = FMA(y.lo, FMA(s, F32(1.6), one), MUL(MUL(y.r, F32(0.5)), s_lo));
    knk_node up = FMA(MUL(y.r, s), POLYNOMIAL(s, tan32), lo), t = ADD(y.r, up), t_lo = ADD(SUB(y.r, t), up);
    knk_node q = DIV(F32(-1), t), rest = FMA(q, t_lo, FMA(q, t, one));
    return SELECT(NE(AND(y.q, U32(1)), U32(0)), FMA(q, rest, q), t);
}

/* sin / cos, or -cos / sin in odd quadrants, with all of them in two parts. */
static knk_node tan_of_angle_f64(knk_builder *k, angle y)
{
    knk_node odd = NE(AND(y.q, U64(1)), U64(0)), s = MUL(y.r, y.r), one = F64(1), half = F64(-0.5);
    knk_node w = FMA(s, half, one), e = FMA(s, half, SUB(one, w));
    knk_node up = FMA(MUL(y.r, s), POLYNOMIAL(s, sin64), MUL(y.lo, w));
    knk_node sine = ADD(y.r, up), sine_lo = ADD(SUB(y.r, sine), up);
    knk_node down = FMA(MUL(s, s), POLYNOMIAL(s, cos64), FMA(y.r, NEG(y.lo), e));
    knk_node cosine = ADD(w, down), cosine_lo = ADD(SUB(w, cosine), down);
    knk_node n = SELECT(odd, cosine, sine), n_lo = SELECT(odd, cosine_lo, sine_lo);
    knk_node d = SELECT(odd, NEG(sine), cosine), d_lo = SELECT(odd, NEG(sine_lo), cosine_lo);
    knk_node inverse = DIV(one, d), t = MUL(n, inverse);
    return FMA(FMA(NEG(t), d_lo, ADD(FMA(NEG(t), d, n), n_lo)), inverse, t);
}

static knk_node tan_of_angle(knk_builder *k, angle y)
{
    return knk_is_f32(k, y.r) ? tan_of_angle_f32(k, y) : tan_of_angle_f64(k, y);
}

knk_node knk_tan(knk_builder *k, knk_node x)
{
    knk_node a = ABS(x);
    bool f = knk_is_f32(k, x);
    knk_node far = LE(NUM(knk_dtype(k, x), f ? 0x1p13 : 0x1p20), a), near = tan_of_angle(k, reduce(k, a));
    knk_node t = COLD(far, tan_of_angle(k, f ? huge_f32(k, a) : huge_f64(k, a)), near);
    return knk_xor_bits(k, t, knk_sign_bit(k, x));
}
