/* SPDX-License-Identifier: Apache-2.0
 * division.c -- division with a remainder, as Python and C define it. */
#include "lib/formulas.h"

/* A zero with the sign of y, and x's tangent: x is a zero. */
static kni_atom zero_like(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom constant = knb_stop_gradient(b, x);
    return knb_select(b, knl_sign_bit(b, y), knb_neg(b, knb_sub(b, constant, x)), knb_sub(b, x, constant));
}

static void of_integers(kni_builder *b, kni_atom x, kni_atom y, kni_atom *quotient, kni_atom *rest)
{
    kni_atom zero = knb_like(b, y, 0), none = knb_eq(b, y, zero), divisor = knb_select(b, none, knb_like(b, y, 1), y);
    kni_atom q = knb_div(b, x, divisor), r = knb_rem(b, x, divisor);
    if (knb_type(b, x).dtype->kind == KN_KIND_INT) {
        /* a rest that is not 0 and has the other sign: r < 0 or, where the divisor is negative, ~r < -1 */
        kni_atom sign =
            knb_shift_right_arithmetic(b, divisor, knb_like(b, divisor, 8 * knb_type(b, x).dtype->size - 1));
        kni_atom below = knb_lt(b, knb_xor(b, r, sign), sign);
        q = knb_select(b, below, knb_sub(b, q, knb_like(b, q, 1)), q);
        r = knb_select(b, below, knb_add(b, r, divisor), r);
    }
    *quotient = knb_select(b, none, zero, q);
    *rest = knb_select(b, none, zero, r);
}

/* Python's divmod: the rest is exact, the quotient follows from it. */
static void of_floats(kni_builder *b, kni_atom x, kni_atom y, kni_atom *quotient, kni_atom *rest)
{
    kni_atom zero = knb_like(b, x, 0), none = knb_eq(b, y, zero), r = knb_rem(b, x, y), plain = knb_div(b, x, y);
    plain = knb_stop_gradient(b, plain);
    kni_atom other = knb_xor(b, knb_lt(b, r, zero), knb_lt(b, y, zero)), exact = knb_eq(b, r, zero);
    kni_atom below = knb_and(b, knb_not(b, exact), other);
    kni_atom q = knb_stop_gradient(b, knb_div(b, knb_sub(b, x, r), y));
    q = knb_select(b, below, knb_sub(b, q, knb_like(b, q, 1)), q);
    kni_atom whole = knb_floor(b, q), beyond = knb_gt(b, knb_sub(b, q, whole), knb_like(b, q, 0.5));
    whole = knb_select(b, beyond, knb_add(b, whole, knb_like(b, q, 1)), whole);
    whole = knb_select(b, knb_eq(b, q, zero), knl_copysign(b, knb_mul(b, q, zero), plain), whole);
    *quotient = knb_select(b, none, plain, whole);
    *rest = knb_select(b, below, knb_add(b, r, y), knb_select(b, exact, zero_like(b, r, y), r));
}

void knl_floor_and_rest(kni_builder *b, kni_atom x, kni_atom y, kni_atom *quotient, kni_atom *rest)
{
    bool floats = knb_type(b, x).dtype->kind == KN_KIND_FLOAT;
    (floats ? of_floats : of_integers)(b, x, y, quotient, rest);
}

kni_atom knl_floor_divide(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom quotient, rest;
    knl_floor_and_rest(b, x, y, &quotient, &rest);
    return quotient;
}

kni_atom knl_modulo(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom quotient, rest;
    knl_floor_and_rest(b, x, y, &quotient, &rest);
    return rest;
}

kni_atom knl_fmod(kni_builder *b, kni_atom x, kni_atom y)
{
    if (knb_type(b, x).dtype->kind == KN_KIND_FLOAT)
        return knb_rem(b, x, y);
    kni_atom none = knb_eq(b, y, knb_like(b, y, 0)), divisor = knb_select(b, none, knb_like(b, y, 1), y);
    return knb_select(b, none, knb_like(b, y, 0), knb_rem(b, x, divisor));
}
