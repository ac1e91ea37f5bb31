/* SPDX-License-Identifier: Apache-2.0
 * math_rem.c -- what is left of a division of floats (C's fmod) as a program in the kernel IR.
 *
 * With q = trunc(x / y) that is x - q y, exactly, as one fma, as long as q is exact: below 2^24 (2^53). Of a quotient
 * just below a whole number the rounded one is that number; the rest is then negative, a float too, and |y| puts it
 * right. Larger quotients, infinite x and y = 0 are left to the operation of the IR. */
#include "kernel/expr.h"
#include <math.h>

knk_node knk_rem(knk_builder *k, knk_node x, knk_node y)
{
    knx_dtype_id d = knk_dtype(k, x);
    if (d != KN_ID_F32 && d != KN_ID_F64)
        return knk_binary(k, KNK_REM, x, y);
    knk_node a = ABS(x), b = ABS(y), quotient = ABS(DIV(x, y)), q = knk_unary(k, KNK_TRUNC, quotient);
    knk_node rest = FMA(NEG(q), b, a);
    rest = SELECT(LT(rest, NUM(d, 0)), ADD(rest, b), rest);
    rest = knk_or_bits(k, SELECT(LT(a, b), a, rest), knk_sign_bit(k, x));
    knk_node exact = LT(quotient, NUM(d, d == KN_ID_F32 ? 0x1p24 : 0x1p53));
    return COLD(NOT(exact), knk_binary(k, KNK_REM, x, y), rest);
}
