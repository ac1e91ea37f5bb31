/* SPDX-License-Identifier: Apache-2.0
 * math_root.c -- cbrt, rsqrt as programs in the kernel IR. Polynomials: scripts/fit/functions.py. */
#include "kernel/expr.h"
#include <math.h>

/* m^(-1/3) */
static const double cbrt32[] = {0x1.dfde6cp+0, -0x1.dc98bep+0, 0x1.8fa5aep+0, -0x1.678fcep-1, 0x1.06d80cp-3};
static const double cbrt64[] = {0x1.ffc7b689ea63ap+0,  -0x1.3e2db61f72c94p+1, 0x1.655d5a21e3376p+1,
                                -0x1.e5d8b65a8601fp+0, 0x1.66b48fd6f65a0p-1,  -0x1.ba84fa35f8d05p-4};

/* |x| = v 2^(3 j), v = m 2^r. z is near v^(-1/3): h = 1 - v z^3 puts it right, and v z^2 is the root; one step of
 * Newton's method with an exact rest is the last one. */
knk_node knk_cbrt(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node a = ABS(x), zero = NUM(d, 0), one = NUM(d, 1), third = NUM(d, 1.0 / 3), m, e;
    knk_split(k, a, &m, &e);
    knk_node j = RINT(MUL(e, third)), r = FMA(NUM(d, -3), j, e), up = LT(zero, r), down = LT(r, zero);
    knk_node v = MUL(m, SELECT(up, NUM(d, 2), SELECT(down, NUM(d, 0.5), one)));
    knk_node z = MUL(f ? POLYNOMIAL(m, cbrt32) : POLYNOMIAL(m, cbrt64),
                     SELECT(up, NUM(d, 0x1.965fea53d6e3dp-1), SELECT(down, NUM(d, 0x1.428a2f98d728bp+0), one)));
    knk_node h = FMA(NEG(MUL(v, z)), MUL(z, z), one);
    z = FMA(MUL(z, h), f ? third : FMA(h, NUM(d, 2.0 / 9), third), z);
    knk_node zz = MUL(z, z), y = MUL(v, zz), yy = MUL(y, y), rest = FMA(NEG(yy), y, v);
    rest = FMA(NEG(FMA(y, y, NEG(yy))), y, rest);
    knk_node root = SCALB(FMA(rest, MUL(zz, third), y), j), fine = AND(LT(zero, a), LT(a, NUM(d, INFINITY)));
    return knk_or_bits(k, COLD(NOT(fine), a, root), knk_sign_bit(k, x));
}

/* y = 1 / sqrt(x) with its error put right to first order: y + y (1 - x y^2) / 2 */
knk_node knk_rsqrt(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node one = NUM(d, 1), s = SQRT(x), y = DIV(one, s), t = MUL(x, y), t_lo = FMA(x, y, NEG(t));
    knk_node h = FMA(NEG(t_lo), y, FMA(NEG(t), y, one)), fine = AND(LT(NUM(d, 0), s), LT(s, NUM(d, INFINITY)));
    return SELECT(fine, FMA(MUL(y, NUM(d, 0.5)), h, y), y);
}
