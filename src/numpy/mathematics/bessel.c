/* SPDX-License-Identifier: Apache-2.0
 * bessel.c -- the modified Bessel functions I0 and I1, with derivatives that are right at 0, as those of their steps,
 * which go by |x|, are not: I0' = I1, I1' = I0 - I1 / x. */
#include "array/formula.h"
#include "lib/formulas.h"
#include <math.h>

static kni_atom unscaled(kni_builder *b, kni_atom scaled, kni_atom x)
{
    return knb_mul(b, scaled, knb_exp(b, knb_abs(b, x)));
}

static kni_atom i0_value(kni_builder *b, const kni_atom *x) { return unscaled(b, knb_bessel_i0e(b, *x), *x); }
static kni_atom i0_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    (void)y;
    return knb_mul(b, *t, knl_i1(b, *x));
}
static const kna_formula i0 = {"i0", "i0_jvp", 1, i0_value, i0_tangent};

/* I1(x) / x; for |x| < 2 the series, whose derivatives are right where the quotient is nearly 0 / 0:
 * 1/2 (1 + q/(1 2) (1 + q/(2 3) (1 + ...))), q = x^2 / 4 */
static kni_atom i1_over_x(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    kni_atom near = knb_lt(b, knb_abs(b, x), knb_like(b, x, 2)), one = knb_full(b, t, 1);
    kni_atom u = knb_select(b, near, x, one), v = knb_select(b, near, one, x);
    kni_atom q = knb_mul(b, knb_mul(b, u, u), knb_like(b, x, 0.25)), series = one;
    for (int k = 13; k > 0; k--)
        series = knb_add(b, one, knb_mul(b, knb_mul(b, q, knb_like(b, x, 1.0 / (k * (k + 1)))), series));
    return knb_select(b, near, knb_mul(b, series, knb_like(b, x, 0.5)), knb_div(b, knl_i1(b, v), v));
}

static kni_atom i1_value(kni_builder *b, const kni_atom *x) { return unscaled(b, knb_bessel_i1e(b, *x), *x); }
static kni_atom i1_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    (void)y;
    return knb_mul(b, *t, knb_sub(b, knl_i0(b, *x), i1_over_x(b, *x)));
}
static const kna_formula i1 = {"i1", "i1_jvp", 1, i1_value, i1_tangent};

kni_atom knl_i0(kni_builder *b, kni_atom x) { return kna_formula_of(b, &i0, &x); }
kni_atom knl_i1(kni_builder *b, kni_atom x) { return kna_formula_of(b, &i1, &x); }
