/* SPDX-License-Identifier: Apache-2.0
 * sinc_i0.c -- sinc and i0, with the functions of the builder that they are. */
#include "array/formula.h"
#include "lib/formulas.h"
#include "lib/internal.h"
#include <math.h>

/* sin(x) / x */
static kni_atom sinc_value(kni_builder *b, const kni_atom *x)
{
    kni_atom zero = knb_eq(b, *x, knb_like(b, *x, 0)), one = knb_full(b, knb_type(b, *x), 1);
    kni_atom safe = knb_select(b, zero, one, *x);
    return knb_select(b, zero, one, knb_div(b, knb_sin(b, safe), safe));
}

static kni_atom sinc_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t);
static const kna_formula sinc_formula = {"sinc", "sinc_jvp", 1, sinc_value, sinc_tangent};

/* The slope is (cos x - y) / x; near 0 its series, -x/3 (1 - x^2/(2 5) (1 - x^2/(4 7) (...))). */
static kni_atom sinc_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    kni_atom size = knb_abs(b, *x), near = knb_lt(b, size, knb_like(b, size, 1)),
             zero = knb_full(b, knb_type(b, *x), 0);
    kni_atom one = knb_full(b, knb_type(b, *x), 1), u = knb_select(b, near, *x, zero), v = knb_select(b, near, one, *x);
    kni_atom s = knb_mul(b, u, u), series = one;
    for (int k = 10; k > 0; k--)
        series = knb_sub(b, one, knb_mul(b, knb_mul(b, s, knb_like(b, u, 1.0 / (2 * k * (2 * k + 3)))), series));
    series = knb_mul(b, knb_mul(b, u, knb_like(b, u, -1.0 / 3)), series);
    (void)y;
    kni_atom far = knb_div(b, knb_sub(b, knb_cos(b, v), knl_sinc(b, v)), v);
    return knb_mul(b, *t, knb_select(b, near, series, far));
}

kni_atom knl_sinc(kni_builder *b, kni_atom x) { return kna_formula_of(b, &sinc_formula, &x); }

static kni_atom sinc_of_pi(kni_builder *b, kni_atom x) { return knl_sinc(b, knb_mul(b, x, knb_like(b, x, M_PI))); }

static kn_array in_float(const char *name, kn_array x, bool takes_complex, kni_atom (*f)(kni_builder *, kni_atom))
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, x);
    if (kna_failed(&op) || knl_not_a_number(&op, name, t.dtype))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_complex(t.dtype) && !takes_complex)
        kna_fail(&op, KN_ERROR_TYPE, "%s not supported for complex values", name);
    kn_dtype d = knl_inexact_for(kna_strong_dtype(t)), wide = d->size == 2 ? KN_DT(F32) : d;
    kni_atom a = kna_in_as(&op, x, d);
    if (!kna_failed(&op))
        a = knb_astype(op.b, f(op.b, knb_astype(op.b, a, wide)), d);
    return f == knl_i0 ? kna_end_like(&op, a, x) : kna_end_in_order(&op, a, 1, &x); /* i0's begins with a copy */
}

kn_array kn_sinc(kn_array x) { return in_float("sinc", x, true, sinc_of_pi); }
kn_array kn_i0(kn_array x) { return in_float("i0", x, false, knl_i0); }
