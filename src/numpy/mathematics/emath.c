/* SPDX-License-Identifier: Apache-2.0
 * emath.c -- angles and parts of complex numbers, numbers instead of NaN; sinc, i0; and numpy.emath, where the dtype
 * depends on the values. */
#include "array/formula.h"
#include "lib/compose.h"
#include "lib/formulas.h"
#include <math.h>

kn_array kn_angle(kn_array z, const kn_angle_opts *opts)
{
    KNN_OPTS(kn_angle_opts, o, opts);
    knn_body c;
    knn_begin(&c, "angle");
    kn_type t = kna_type(&c.op, z);
    if (kna_failed(&c.op))
        return knn_end(&c, NULL);
    kn_array strong = kn_asarray(z, NULL);
    kn_array y =
        knx_is_complex(t.dtype) ? kn_arctan2(kn_imag(strong), kn_real(strong)) : kn_arctan2(kn_like_int(0), strong);
    return knn_end(&c, o.deg ? kn_multiply(y, kn_like_double(180 / M_PI)) : y);
}

/* ---- nan_to_num. */

static double largest(kn_dtype d)
{
    if (d == KN_DT(F16))
        return 65504;
    return d == KN_DT(BF16) ? 0x1.fep127 : d == KN_DT(F32) ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
}

static kn_atom replacement(kna_op *op, kn_array given, kn_dtype d, double otherwise)
{
    return given ? kna_in_as(op, given, d) : knb_number(op->b, d, otherwise);
}

static kn_atom made_finite(kna_op *op, kn_atom a, const kn_nan_to_num_opts *o)
{
    kn_builder *b = op->b;
    kn_dtype d = knb_type(b, a).dtype;
    const kn_shape shape = knn_shape_of(op, a);
    kn_type full = knn_shaped(d, &shape);
    kn_atom infinity = knb_number(b, d, INFINITY), minus = knb_number(b, d, -INFINITY);
    kn_atom up = knb_broadcast_to(b, replacement(op, o->posinf, d, largest(d)), full);
    kn_atom down = knb_broadcast_to(b, replacement(op, o->neginf, d, -largest(d)), full);
    kn_atom none = knb_broadcast_to(b, replacement(op, o->nan, d, 0), full);
    kn_atom y = knb_select(b, knb_eq(b, a, infinity), up, a);
    return knb_select(b, knn_is_nan(b, a), none, knb_select(b, knb_eq(b, a, minus), down, y));
}

kn_array kn_nan_to_num(kn_array x, const kn_nan_to_num_opts *opts)
{
    KNN_OPTS(kn_nan_to_num_opts, o, opts);
    kna_op op;
    kna_begin(&op, "nan_to_num");
    kn_atom a = kna_in(&op, x);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_dtype d = knb_type(op.b, a).dtype;
    if (knx_is_complex(d))
        a = knb_complex(op.b, made_finite(&op, knb_real(op.b, a), &o), made_finite(&op, knb_imag(op.b, a), &o));
    else if (knx_is_float(d))
        a = made_finite(&op, a, &o);
    return kna_end_in_order(&op, a, 1, &x);
}

/* ---- What depends on values. */

/* Is any element of this truth array true? Looked at. */
static bool any(knn_body *c, kn_array truth)
{
    kn_type t;
    const bool *at = kna_failed(&c->op) ? NULL : kna_look(&c->op, kn_any(truth, NULL), &t);
    return at && *at;
}

kn_array kn_real_if_close(kn_array a, const kn_real_if_close_opts *opts)
{
    KNN_OPTS(kn_real_if_close_opts, o, opts);
    knn_body c;
    knn_begin(&c, "real_if_close");
    kn_type t = kna_type(&c.op, a);
    if (kna_failed(&c.op))
        return knn_end(&c, NULL);
    kn_array x = kn_asarray(a, NULL);
    if (!knx_is_complex(t.dtype))
        return knn_end(&c, x);
    double tol = o.tol > 1 ? o.tol * (t.dtype == KN_DT(C64) ? 0x1p-23 : 0x1p-52) : o.tol;
    bool far = any(&c, kn_logical_not(kn_less(kn_absolute(kn_imag(x)), kn_like_double(tol))));
    return knn_end(&c, far ? x : kn_real(x));
}

static kn_array to_complex(knn_body *c, kn_array x)
{
    kn_type t = kna_type(&c->op, x);
    kn_dtype d = kna_failed(&c->op) ? NULL : kna_strong_dtype(t);
    bool narrow = d && (d == KN_DT(F32) || (knx_is_integer(d) && d->size <= 2));
    return kna_failed(&c->op) ? x : kn_astype(x, narrow ? KN_DT(C64) : KN_DT(C128), NULL);
}

typedef enum domain { NOT_NEGATIVE, UP_TO_ONE } domain;

/* x, or as complex numbers if one of its elements lies outside of the domain. */
static kn_array widened(knn_body *c, kn_array x, domain where)
{
    kn_type t = kna_type(&c->op, x);
    if (kna_failed(&c->op) || knx_is_complex(t.dtype))
        return x;
    kn_array outside = where == NOT_NEGATIVE ? kn_less(x, kn_like_int(0)) : kn_greater(kn_absolute(x), kn_like_int(1));
    return any(c, outside) ? to_complex(c, x) : x;
}

static kn_array emath(const char *name, kn_array (*f)(kn_array), kn_array x, domain where)
{
    knn_body c;
    knn_begin(&c, name);
    kn_array wide = widened(&c, x, where);
    return knn_end(&c, kna_failed(&c.op) ? NULL : f(wide));
}

kn_array kn_emath_sqrt(kn_array x) { return emath("emath_sqrt", kn_sqrt, x, NOT_NEGATIVE); }
kn_array kn_emath_log(kn_array x) { return emath("emath_log", kn_log, x, NOT_NEGATIVE); }
kn_array kn_emath_log2(kn_array x) { return emath("emath_log2", kn_log2, x, NOT_NEGATIVE); }
kn_array kn_emath_log10(kn_array x) { return emath("emath_log10", kn_log10, x, NOT_NEGATIVE); }
kn_array kn_emath_arccos(kn_array x) { return emath("emath_arccos", kn_arccos, x, UP_TO_ONE); }
kn_array kn_emath_arcsin(kn_array x) { return emath("emath_arcsin", kn_arcsin, x, UP_TO_ONE); }
kn_array kn_emath_arctanh(kn_array x) { return emath("emath_arctanh", kn_arctanh, x, UP_TO_ONE); }

kn_array kn_emath_logn(kn_array n, kn_array x)
{
    knn_body c;
    knn_begin(&c, "emath_logn");
    kn_array base = widened(&c, n, NOT_NEGATIVE), wide = widened(&c, x, NOT_NEGATIVE);
    return knn_end(&c, kna_failed(&c.op) ? NULL : kn_divide(kn_log(wide), kn_log(base)));
}

kn_array kn_emath_power(kn_array x, kn_array p)
{
    knn_body c;
    knn_begin(&c, "emath_power");
    kn_array wide = kn_asarray(widened(&c, x, NOT_NEGATIVE), NULL), power = kn_asarray(p, NULL);
    kn_type t = kna_type(&c.op, p);
    if (!kna_failed(&c.op) && knx_is_integer(t.dtype) && any(&c, kn_less(power, kn_like_int(0))))
        power = kn_multiply(power, kn_like_double(1));
    return knn_end(&c, kna_failed(&c.op) ? NULL : kn_power(wide, power));
}

/* ---- sinc, i0. */

/* sin(x) / x */
static kn_atom sinc_value(kn_builder *b, const kn_atom *x)
{
    kn_atom zero = knb_eq(b, *x, knb_like(b, *x, 0)), one = knb_full(b, knb_type(b, *x), 1);
    kn_atom safe = knb_select(b, zero, one, *x);
    return knb_select(b, zero, one, knb_div(b, knb_sin(b, safe), safe));
}

static kn_atom sinc_tangent(kn_builder *b, const kn_atom *x, kn_atom y, const kn_atom *t);
static const kna_formula sinc_formula = {"sinc", "sinc_jvp", 1, sinc_value, sinc_tangent};

/* The slope is (cos x - y) / x; near 0 its series, -x/3 (1 - x^2/(2 5) (1 - x^2/(4 7) (...))). */
static kn_atom sinc_tangent(kn_builder *b, const kn_atom *x, kn_atom y, const kn_atom *t)
{
    kn_atom size = knb_abs(b, *x), near = knb_lt(b, size, knb_like(b, size, 1)), zero = knb_full(b, knb_type(b, *x), 0);
    kn_atom one = knb_full(b, knb_type(b, *x), 1), u = knb_select(b, near, *x, zero), v = knb_select(b, near, one, *x);
    kn_atom s = knb_mul(b, u, u), series = one;
    for (int k = 10; k > 0; k--)
        series = knb_sub(b, one, knb_mul(b, knb_mul(b, s, knb_like(b, u, 1.0 / (2 * k * (2 * k + 3)))), series));
    series = knb_mul(b, knb_mul(b, u, knb_like(b, u, -1.0 / 3)), series);
    (void)y;
    kn_atom far = knb_div(b, knb_sub(b, knb_cos(b, v), knn_sinc(b, v)), v);
    return knb_mul(b, *t, knb_select(b, near, series, far));
}

kn_atom knn_sinc(kn_builder *b, kn_atom x) { return kna_formula_of(b, &sinc_formula, &x); }

static kn_atom sinc_of_pi(kn_builder *b, kn_atom x) { return knn_sinc(b, knb_mul(b, x, knb_like(b, x, M_PI))); }

static kn_array in_float(const char *name, kn_array x, bool takes_complex, kn_atom (*f)(kn_builder *, kn_atom))
{
    kna_op op;
    kna_begin(&op, name);
    kn_type t = kna_type(&op, x);
    if (kna_failed(&op) || knn_not_a_number(&op, name, t.dtype))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_complex(t.dtype) && !takes_complex)
        kna_fail(&op, KN_ERROR_TYPE, "%s not supported for complex values", name);
    kn_dtype d = knn_inexact_for(kna_strong_dtype(t)), wide = d->size == 2 ? KN_DT(F32) : d;
    kn_atom a = kna_in_as(&op, x, d);
    if (!kna_failed(&op))
        a = knb_astype(op.b, f(op.b, knb_astype(op.b, a, wide)), d);
    return kna_end_in_order(&op, a, 1, &x);
}

kn_array kn_sinc(kn_array x) { return in_float("sinc", x, true, sinc_of_pi); }
kn_array kn_i0(kn_array x) { return in_float("i0", x, false, knn_i0); }
