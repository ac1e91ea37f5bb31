/* SPDX-License-Identifier: Apache-2.0
 * math_common.c -- pieces that several functions share; maximum, minimum, integer powers, hypot. */
#include "kernel/expr.h"
#include <math.h>
#include <string.h>

knk_node knk_polynomial(knk_builder *k, knk_node x, int n, const double *c)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node p = NUM(d, c[n - 1]);
    for (int i = n - 2; i >= 0; i--)
        p = FMA(p, x, NUM(d, c[i]));
    return p;
}

knk_node knk_two_chains(knk_builder *k, knk_node x, int n, const double *c)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node s = MUL(x, x), p[2] = {NUM(d, c[n - 1]), NUM(d, c[n - 2])};
    for (int i = n - 3; i >= 3; i--)
        p[(n - 1 - i) % 2] = FMA(p[(n - 1 - i) % 2], s, NUM(d, c[i]));
    knk_node y = FMA(p[(n - 3) % 2], x, p[(n - 4) % 2]);
    for (int i = 2; i >= 0; i--)
        y = FMA(y, x, NUM(d, c[i]));
    return y;
}

knk_node knk_sign_bit(knk_builder *k, knk_node x)
{
    if (knk_is_f32(k, x))
        return BITS(F32, AND(BITS(U32, x), U32(0x80000000u)));
    return BITS(F64, AND(BITS(U64, x), U64((uint64_t)1 << 63)));
}

knk_node knk_or_bits(knk_builder *k, knk_node y, knk_node sign)
{
    return knk_is_f32(k, y) ? BITS(F32, OR(BITS(U32, y), BITS(U32, sign)))
                            : BITS(F64, OR(BITS(U64, y), BITS(U64, sign)));
}

knk_node knk_xor_bits(knk_builder *k, knk_node y, knk_node sign)
{
    return knk_is_f32(k, y) ? BITS(F32, XOR(BITS(U32, y), BITS(U32, sign)))
                            : BITS(F64, XOR(BITS(U64, y), BITS(U64, sign)));
}

knk_node knk_outside(knk_builder *k, knk_node x, double least, double end)
{
    float from32 = (float)least, to32 = (float)end;
    uint32_t low32, high32;
    uint64_t low64, high64;
    memcpy(&low32, &from32, 4), memcpy(&high32, &to32, 4);
    memcpy(&low64, &least, 8), memcpy(&high64, &end, 8);
    if (knk_is_f32(k, x))
        return LE(U32(high32 - low32), SUB(BITS(U32, x), U32(low32)));
    return LE(U64(high64 - low64), SUB(BITS(U64, x), U64(low64)));
}

knk_node knk_rough_inverse(knk_builder *k, knk_node x)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node r =
        f ? BITS(F32, SUB(U32(0x7ef311c7u), BITS(U32, x))) : BITS(F64, SUB(U64(0x7fde623822fc16e6), BITS(U64, x)));
    return MUL(r, FMA(NEG(x), r, NUM(d, 2)));
}

void knk_split_normal(knk_builder *k, knk_node x, knk_node *m, knk_node *e)
{
    if (knk_is_f32(k, x)) {
        knk_node bits = BITS(I32, x), n = SAR(SUB(bits, I32(0x3f3504f3)), I32(23));
        *m = BITS(F32, SUB(bits, SHL(n, I32(23))));
        *e = CAST(F32, n);
    } else {
        knk_node bits = BITS(I64, x), n = SAR(SUB(bits, I64(0x3fe6a09e667f3bcd)), I64(52));
        *m = BITS(F64, SUB(bits, SHL(n, I64(52))));
        *e = CAST(F64, CAST(I32, n));
    }
}

void knk_split(knk_builder *k, knk_node x, knk_node *m, knk_node *e)
{
    bool f = knk_is_f32(k, x);
    knx_dtype_id d = knk_dtype(k, x);
    knk_node tiny = LT(x, NUM(d, f ? 0x1p-126 : 0x1p-1022)), up = MUL(x, NUM(d, f ? 0x1p23 : 0x1p52));
    knk_split_normal(k, SELECT(tiny, up, x), m, e);
    *e = SUB(*e, SELECT(tiny, NUM(d, f ? 23 : 52), NUM(d, 0)));
}

knk_node knk_max_nan(knk_builder *k, knk_node a, knk_node b)
{
    knx_dtype_id d = knk_dtype(k, a);
    return d == KN_ID_F32 || d == KN_ID_F64 ? SELECT(NE(a, a), a, MAX(a, b)) : MAX(a, b);
}

knk_node knk_min_nan(knk_builder *k, knk_node a, knk_node b)
{
    knx_dtype_id d = knk_dtype(k, a);
    return d == KN_ID_F32 || d == KN_ID_F64 ? SELECT(NE(a, a), a, MIN(a, b)) : MIN(a, b);
}

/* sqrt(a^2 + b^2) with the rounding error of the sum and of the root put right to first order; a, b neither tiny nor
 * huge. */
static knk_node corrected_root(knk_builder *k, knk_node a, knk_node b)
{
    knk_node h = SQRT(FMA(a, a, MUL(b, b))), hh = MUL(h, h), aa = MUL(a, a);
    knk_node c = SUB(ADD(FMA(NEG(b), b, SUB(hh, aa)), FMA(h, h, NEG(hh))), FMA(a, a, NEG(aa)));
    return FMA(NEG(c), knk_rough_inverse(k, ADD(h, h)), h);
}

/* Of numbers of the usual size; all else is cold. MAX and MIN pass NaN on, one of them. */
knk_node knk_hypot(knk_builder *k, knk_node x, knk_node y)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    double low = f ? 0x1p-40 : 0x1p-500, high = f ? 0x1p60 : 0x1p500;
    knk_node a = ABS(x), b = ABS(y), infinite = NUM(d, INFINITY), zero = NUM(d, 0);
    knk_node large = MAX(a, b), small = MIN(b, a); /* one of them in any order where they are equal: the same */
    knk_node unusual = AND(knk_outside(k, large, low, high), NE(large, zero));
    knk_node huge = LT(NUM(d, 1), large), less = NUM(d, f ? 0x1p-100 : 0x1p-600), more = NUM(d, f ? 0x1p100 : 0x1p600);
    knk_node down = SELECT(huge, less, more), up = SELECT(huge, more, less);
    knk_node h = MUL(corrected_root(k, MUL(large, down), MUL(small, down)), up);
    h = SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), h);
    h = SELECT(OR(EQ(a, infinite), EQ(b, infinite)), infinite, h);
    return COLD(unusual, h, corrected_root(k, large, small));
}
