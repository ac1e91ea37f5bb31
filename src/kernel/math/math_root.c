/* SPDX-License-Identifier: Apache-2.0
 * math_root.c -- cbrt, rsqrt as programs in the kernel IR. Polynomials: scripts/fit/functions.py. */
#include "kernel/expr.h"
#include <math.h>

/* z near x^(-1/3): h = 1 - x z^3 puts it right, and x z^2 is the root; one step of Newton's method with an exact rest
 * is the last one. The first z is a line in the bits of x. */
static knk_node cbrt_normal(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node one = NUM(d, 1), third = NUM(d, 1.0 / 3), z;
    if (f) {
        knk_node bits = FMA(CAST(F32, BITS(I32, x)), F32(-1.0 / 3), F32(0x54a1f000));
        z = BITS(F32, CAST(I32, bits));
    } else {
        knk_node high = CAST(F64, CAST(I32, SHR(BITS(I64, x), I64(32))));
        z = BITS(F64, SHL(CAST(I64, CAST(I32, FMA(high, F64(-1.0 / 3), F64(0x553ef0ff)))), I64(32)));
    }
    for (int step = 0; step < 2; step++) {
        knk_node h = FMA(NEG(MUL(x, z)), MUL(z, z), one), p = FMA(h, FMA(h, NUM(d, 14.0 / 81), NUM(d, 2.0 / 9)), third);
        z = FMA(MUL(z, h), f && step ? third : p, z);
    }
    knk_node zz = MUL(z, z), y = MUL(x, zz), yy = MUL(y, y), rest = FMA(NEG(yy), y, x);
    rest = FMA(NEG(FMA(y, y, NEG(yy))), y, rest);
    return FMA(rest, MUL(zz, third), y);
}

/* Subnormal numbers are scaled in the cold part; zeros, infinities and NaN stay as they are. */
knk_node knk_cbrt(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    double least = f ? 0x1p-100 : 0x1p-1000;
    knk_node a = ABS(x), zero = NUM(d, 0);
    knk_node scaled = MUL(cbrt_normal(k, MUL(a, NUM(d, f ? 0x1p72 : 0x1p150))), NUM(d, f ? 0x1p-24 : 0x1p-50));
    knk_node special = SELECT(AND(LT(zero, a), LT(a, NUM(d, least))), scaled, a);
    return knk_or_bits(k, COLD(knk_outside(k, a, least, INFINITY), special, cbrt_normal(k, a)), knk_sign_bit(k, x));
}

/* y = 1 / sqrt(x) with its error put right to first order: y + y (1 - x y^2) / 2 */
knk_node knk_rsqrt(knk_builder *k, knk_node x)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node one = NUM(d, 1), s = SQRT(x), y = DIV(one, s), t = MUL(x, y), t_lo = FMA(x, y, NEG(t));
    knk_node h = FMA(NEG(t_lo), y, FMA(NEG(t), y, one)), fine = AND(LT(NUM(d, 0), s), LT(s, NUM(d, INFINITY)));
    return SELECT(fine, FMA(MUL(y, NUM(d, 0.5)), h, y), y);
}
