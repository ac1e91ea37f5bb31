/* SPDX-License-Identifier: Apache-2.0
 * division.c -- division with a remainder, as Python and C define it. */
#include "lib/formulas.h"

/* A zero with the sign of y, and x's tangent: x is a zero. */
static kn_atom zero_like(kn_builder *b, kn_atom x, kn_atom y)
{
    kn_atom constant = knb_stop_gradient(b, x);
    return knb_select(b, knn_sign_bit(b, y), knb_neg(b, knb_sub(b, constant, x)), knb_sub(b, x, constant));
}

static void of_integers(kn_builder *b, kn_atom x, kn_atom y, kn_atom *quotient, kn_atom *rest)
{
    kn_atom zero = knb_like(b, y, 0), none = knb_eq(b, y, zero), divisor = knb_select(b, none, knb_like(b, y, 1), y);
    kn_atom q = knb_div(b, x, divisor), r = knb_rem(b, x, divisor);
    if (knb_type(b, x).dtype->kind == KN_KIND_INT) {
        kn_atom other = knb_xor(b, knb_lt(b, r, zero), knb_lt(b, divisor, zero));
        kn_atom below = knb_and(b, knb_ne(b, r, zero), other);
        q = knb_select(b, below, knb_sub(b, q, knb_like(b, q, 1)), q);
        r = knb_select(b, below, knb_add(b, r, divisor), r);
    }
    *quotient = knb_select(b, none, zero, q);
    *rest = knb_select(b, none, zero, r);
}

/* Python's divmod: the rest is exact, the quotient follows from it. */
static void of_floats(kn_builder *b, kn_atom x, kn_atom y, kn_atom *quotient, kn_atom *rest)
{
    kn_atom zero = knb_like(b, x, 0), none = knb_eq(b, y, zero), r = knb_rem(b, x, y), plain = knb_div(b, x, y);
    plain = knb_stop_gradient(b, plain);
    kn_atom other = knb_xor(b, knb_lt(b, r, zero), knb_lt(b, y, zero)), exact = knb_eq(b, r, zero);
    kn_atom below = knb_and(b, knb_not(b, exact), other);
    kn_atom q = knb_stop_gradient(b, knb_div(b, knb_sub(b, x, r), y));
    q = knb_select(b, below, knb_sub(b, q, knb_like(b, q, 1)), q);
    kn_atom whole = knb_floor(b, q), beyond = knb_gt(b, knb_sub(b, q, whole), knb_like(b, q, 0.5));
    whole = knb_select(b, beyond, knb_add(b, whole, knb_like(b, q, 1)), whole);
    whole = knb_select(b, knb_eq(b, q, zero), knn_copysign(b, knb_mul(b, q, zero), plain), whole);
    *quotient = knb_select(b, none, plain, whole);
    *rest = knb_select(b, below, knb_add(b, r, y), knb_select(b, exact, zero_like(b, r, y), r));
}

void knn_floor_and_rest(kn_builder *b, kn_atom x, kn_atom y, kn_atom *quotient, kn_atom *rest)
{
    bool floats = knb_type(b, x).dtype->kind == KN_KIND_FLOAT;
    (floats ? of_floats : of_integers)(b, x, y, quotient, rest);
}

kn_atom knn_floor_divide(kn_builder *b, kn_atom x, kn_atom y)
{
    kn_atom quotient, rest;
    knn_floor_and_rest(b, x, y, &quotient, &rest);
    return quotient;
}

kn_atom knn_modulo(kn_builder *b, kn_atom x, kn_atom y)
{
    kn_atom quotient, rest;
    knn_floor_and_rest(b, x, y, &quotient, &rest);
    return rest;
}

kn_atom knn_fmod(kn_builder *b, kn_atom x, kn_atom y)
{
    if (knb_type(b, x).dtype->kind == KN_KIND_FLOAT)
        return knb_rem(b, x, y);
    kn_atom none = knb_eq(b, y, knb_like(b, y, 0)), divisor = knb_select(b, none, knb_like(b, y, 1), y);
    return knb_select(b, none, knb_like(b, y, 0), knb_rem(b, x, divisor));
}
