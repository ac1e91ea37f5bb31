/* SPDX-License-Identifier: Apache-2.0
 * math_common.c -- pieces that several functions share; maximum, minimum, integer powers, hypot. */
#include "kernel/expr.h"
#include <math.h>

knk_node knk_polynomial(knk_builder *k, knk_node x, int n, const double *c)
{
    knx_dtype_id d = knk_dtype(k, x);
    knk_node p = NUM(d, c[n - 1]);
    for (int i = n - 2; i >= 0; i--)
        p = FMA(p, x, NUM(d, c[i]));
    return p;
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
    knk_node down = DIV(c, ADD(h, h));
    return SELECT(EQ(h, NUM(knk_dtype(k, h), 0)), h, SUB(h, down));
}

knk_node knk_hypot(knk_builder *k, knk_node x, knk_node y)
{
    knx_dtype_id d = knk_dtype(k, x);
    bool f = d == KN_ID_F32;
    knk_node a = ABS(x), b = ABS(y), infinite = NUM(d, INFINITY), one = NUM(d, 1);
    knk_node large = MAX(a, b), small = MIN(b, a); /* one of them in any order where they are equal: the same */
    knk_node huge = LT(NUM(d, f ? 0x1p60 : 0x1p500), large), tiny = LT(large, NUM(d, f ? 0x1p-40 : 0x1p-500));
    knk_node less = NUM(d, f ? 0x1p-100 : 0x1p-600), more = NUM(d, f ? 0x1p100 : 0x1p600);
    knk_node down = SELECT(huge, less, SELECT(tiny, more, one)), up = SELECT(huge, more, SELECT(tiny, less, one));
    knk_node h = MUL(corrected_root(k, MUL(large, down), MUL(small, down)), up);
    h = SELECT(OR(NE(x, x), NE(y, y)), ADD(x, y), h);
    return SELECT(OR(EQ(a, infinite), EQ(b, infinite)), infinite, h);
}
