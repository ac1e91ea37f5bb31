/* SPDX-License-Identifier: Apache-2.0
 * floating.c -- functions of floats: rounding, signs, neighbours, mantissas and exponents. */
#include "array/formula.h"
#include "lib/formulas.h"
#include "lib/internal.h"
#include "base/digits.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Formulas of two operands; ufunc.c has their functions. */

static kn_dtype bits_of(kn_dtype d) { return d->size == 2 ? KN_DT(I16) : d->size == 4 ? KN_DT(I32) : KN_DT(I64); }

kni_atom knl_sign_bit(kni_builder *b, kni_atom x)
{
    kn_dtype d = bits_of(knb_type(b, x).dtype);
    return knb_lt(b, knb_bitcast(b, knb_stop_gradient(b, x), d), knb_integer(b, d, 0));
}

kni_atom knl_is_nan(kni_builder *b, kni_atom x) { return knb_ne(b, x, x); }

kni_atom knl_copysign(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom size = knb_abs(b, x);
    return knb_select(b, knl_sign_bit(b, y), knb_neg(b, size), size);
}

kni_atom knl_nextafter(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom next = knb_nextafter(b, x, y);
    if (b->error || knb_type(b, x).dtype != KN_DT(F16))
        return next;
    return knb_select(b, knb_eq(b, x, y), x, next); /* NumPy's of float16 stays at the zero where it is */
}

kni_atom knl_heaviside(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom zero = knb_like(b, x, 0), sides = knb_select(b, knb_lt(b, x, zero), zero, knb_full(b, knb_type(b, x), 1));
    sides = knb_select(b, knl_is_nan(b, x), knb_like(b, x, NAN), sides);
    return knb_select(b, knb_eq(b, x, zero), y, sides);
}

/* log(e^x + e^y), or of another base; `rest` is log(1 + base^-d). */
static kni_atom log_add(kni_builder *b, kni_atom x, kni_atom y, kni_atom (*rest)(kni_builder *, kni_atom))
{
    kni_atom d = knb_sub(b, x, y), none = knl_is_nan(b, d); /* equal infinities, or NaN */
    kni_atom distance = knb_abs(b, knb_select(b, none, knb_like(b, d, 0), d));
    kni_atom sum = knb_add(b, knb_max(b, x, y), rest(b, knb_neg(b, distance)));
    return knb_select(b, none, knb_add(b, x, y), sum);
}

static kni_atom log1p_exp(kni_builder *b, kni_atom d) { return knb_log1p(b, knb_exp(b, d)); }
static kni_atom log1p_exp2(kni_builder *b, kni_atom d)
{
    return knb_mul(b, knb_log1p(b, knb_exp2(b, d)), knb_like(b, d, 1.44269504088896340736));
}

static kni_atom finite_above(kni_builder *b, kni_atom x)
{
    return knb_select(b, knb_eq(b, x, knb_like(b, x, INFINITY)), knb_like(b, x, 0), x);
}

/* The sum of t[i] base^(x[i] - y): right where the operands are equal, to every order, as the steps' are not. */
static kni_atom log_add_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t,
                                kni_atom (*power)(kni_builder *, kni_atom))
{
    kni_atom part[2], sum = finite_above(b, y);
    for (int i = 0; i < 2; i++)
        part[i] = knb_mul(b, t[i], power(b, knb_sub(b, finite_above(b, x[i]), sum)));
    return knb_add(b, part[0], part[1]);
}

static kni_atom exp_value(kni_builder *b, const kni_atom *x) { return log_add(b, x[0], x[1], log1p_exp); }
static kni_atom exp_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    return log_add_tangent(b, x, y, t, (knb_exp));
}
static const kna_formula exp_formula = {"logaddexp", "logaddexp_jvp", 2, exp_value, exp_tangent};

static kni_atom exp2_value(kni_builder *b, const kni_atom *x) { return log_add(b, x[0], x[1], log1p_exp2); }
static kni_atom exp2_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    return log_add_tangent(b, x, y, t, (knb_exp2));
}
static const kna_formula exp2_formula = {"logaddexp2", "logaddexp2_jvp", 2, exp2_value, exp2_tangent};

kni_atom knl_log_add_exp(kni_builder *b, kni_atom x, kni_atom y)
{
    return kna_formula_of(b, &exp_formula, (const kni_atom[]){x, y});
}
kni_atom knl_log_add_exp2(kni_builder *b, kni_atom x, kni_atom y)
{
    return kna_formula_of(b, &exp2_formula, (const kni_atom[]){x, y});
}

static kni_atom ignoring_nan(kni_builder *b, kni_atom x, kni_atom y, kni_atom (*f)(kni_builder *, kni_atom, kni_atom))
{
    if (!knx_is_inexact(knb_type(b, x).dtype))
        return f(b, x, y);
    return knb_select(b, knl_is_nan(b, y), x, knb_select(b, knl_is_nan(b, x), y, f(b, x, y)));
}

kni_atom knl_fmax(kni_builder *b, kni_atom x, kni_atom y) { return ignoring_nan(b, x, y, knb_max); }
kni_atom knl_fmin(kni_builder *b, kni_atom x, kni_atom y) { return ignoring_nan(b, x, y, knb_min); }

/* ---- One operand, real; 16-bit floats are computed in float32 where `wide`. */

typedef struct real {
    kna_op op;
    kni_builder *b;
    kn_dtype d; /* of the result */
    kni_atom x;
} real;

static bool begin(real *r, const char *name, kn_array x, bool wide)
{
    kna_begin(&r->op, name);
    r->b = r->op.b;
    kni_type t = kna_type(&r->op, x);
    if (kna_failed(&r->op) || knl_not_a_number(&r->op, name, t.dtype))
        return false;
    if (knx_is_complex(t.dtype))
        knl_not_supported(&r->op, name);
    r->d = knl_float_for(t);
    r->x = kna_in_as(&r->op, x, r->d);
    if (wide && r->d->size == 2)
        r->x = knb_astype(r->b, r->x, KN_DT(F32));
    return !kna_failed(&r->op);
}

static kn_array end(real *r, kn_array x, kni_atom y)
{
    return kna_end_in_order(&r->op, kna_failed(&r->op) ? KN_ATOM_NONE : knb_astype(r->b, y, r->d), 1, &x);
}

static kni_atom nothing(void) { return KN_ATOM_NONE; }

kn_array kn_fabs(kn_array x)
{
    real r;
    return begin(&r, "fabs", x, false) ? end(&r, x, knb_abs(r.b, r.x)) : kna_end(&r.op, nothing());
}

kn_array kn_signbit(kn_array x)
{
    real r;
    bool ok = begin(&r, "signbit", x, false);
    return kna_end_in_order(&r.op, ok ? knl_sign_bit(r.b, r.x) : nothing(), 1, &x);
}

/* The distance to the next number away from zero, with the sign of x. */
kn_array kn_spacing(kn_array x)
{
    real r;
    if (!begin(&r, "spacing", x, false))
        return kna_end(&r.op, nothing());
    kni_atom size = knb_full(r.b, knb_type(r.b, r.x), INFINITY), up = knl_copysign(r.b, size, r.x);
    kni_atom zero = knb_eq(r.b, r.x, knb_like(r.b, r.x, 0)), to = size;
    if (r.d != KN_DT(F16)) /* float16 counts upwards, the others outwards, and from both zeros upwards */
        to = knb_select(r.b, zero, size, up);
    kni_atom step = knb_sub(r.b, knb_nextafter(r.b, r.x, to), r.x);
    kni_atom finite = knb_lt(r.b, knb_abs(r.b, r.x), knb_like(r.b, r.x, INFINITY));
    return end(&r, x, knb_select(r.b, finite, step, knb_like(r.b, r.x, NAN)));
}

static kn_array scaled(const char *name, kn_array x, double factor)
{
    real r;
    if (!begin(&r, name, x, true))
        return kna_end(&r.op, nothing());
    return end(&r, x, knb_mul(r.b, r.x, knb_like(r.b, r.x, factor)));
}

kn_array kn_deg2rad(kn_array x) { return scaled("deg2rad", x, M_PI / 180); }
kn_array kn_radians(kn_array x) { return scaled("radians", x, M_PI / 180); }
kn_array kn_rad2deg(kn_array x) { return scaled("rad2deg", x, 180 / M_PI); }
kn_array kn_degrees(kn_array x) { return scaled("degrees", x, 180 / M_PI); }

/* ---- Rounding. */

static kni_atom truncated(kni_builder *b, kni_atom x)
{
    return knb_select(b, knb_lt(b, x, knb_like(b, x, 0)), knb_ceil(b, x), knb_floor(b, x));
}

static kn_array whole(const char *name, kn_array x, kni_atom (*f)(kni_builder *, kni_atom))
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, x);
    if (kna_failed(&op) || knl_not_a_number(&op, name, t.dtype))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_complex(t.dtype))
        knl_not_supported(&op, f == truncated ? "trunc" : name);
    kni_atom a = kna_in(&op, x);
    if (!kna_failed(&op) && knx_is_float(t.dtype))
        a = f(op.b, a);
    return kna_end_in_order(&op, a, 1, &x);
}

kn_array kn_floor(kn_array x) { return whole("floor", x, knb_floor); }
kn_array kn_ceil(kn_array x) { return whole("ceil", x, knb_ceil); }
kn_array kn_trunc(kn_array x) { return whole("trunc", x, truncated); }
kn_array kn_fix(kn_array x) { return whole("fix", x, truncated); }

/* f of both parts of complex numbers. */
static kni_atom by_parts(kni_builder *b, kni_atom x, const int *decimals,
                         kni_atom (*f)(kni_builder *, kni_atom, const int *))
{
    if (!knx_is_complex(knb_type(b, x).dtype))
        return f(b, x, decimals);
    return knb_complex(b, f(b, knb_real(b, x), decimals), f(b, knb_imag(b, x), decimals));
}

/* To so many decimals, halves to even; NULL: to whole numbers. */
static kni_atom rounded(kni_builder *b, kni_atom a, const int *decimals)
{
    if (!decimals || !*decimals)
        return knb_round(b, a, true);
    bool up = *decimals > 0;
    char text[16];
    const char *end;
    double ten = INFINITY; /* 10 to the number of decimals, rounded once */
    snprintf(text, sizeof text, "1e%d", *decimals > 0 ? *decimals : *decimals > -400 ? -*decimals : 400);
    knx_parse_double(text, &end, &ten);
    kni_atom power = knb_like(b, a, ten);
    a = knb_round(b, up ? knb_mul(b, a, power) : knb_div(b, a, power), true);
    return up ? knb_div(b, a, power) : knb_mul(b, a, power);
}

kn_array kn_rint(kn_array x)
{
    kna_op op;
    kna_begin(&op, "rint");
    kni_type t = kna_type(&op, x);
    if (kna_failed(&op) || knl_not_a_number(&op, "rint", t.dtype))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom a = kna_in_as(&op, x, knl_float_for(t));
    return kna_end_in_order(&op, kna_failed(&op) ? a : by_parts(op.b, a, NULL, rounded), 1, &x);
}

kn_array kn_round(kn_array x, const kn_round_opts *opts)
{
    KNX_OPTS(kn_round_opts, o, opts);
    kna_op op;
    kna_begin(&op, "round");
    kni_type t = kna_type(&op, x);
    if (kna_failed(&op) || knl_not_a_number(&op, "round", t.dtype))
        return kna_end(&op, KN_ATOM_NONE);
    bool integer = knx_is_integer(t.dtype);
    if (t.dtype->kind == KN_KIND_BOOL && o.decimals)
        kna_fail(&op, KN_ERROR_TYPE,
                 "Cannot cast ufunc '%s' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'",
                 o.decimals > 0 ? "multiply" : "divide");
    if (integer && o.decimals >= 0)
        return kna_end_like(&op, kna_in(&op, x), x);
    kn_dtype d = integer ? kna_strong_dtype(t) : knl_float_for(t);
    kni_atom a = kna_in_as(&op, x, integer ? KN_DT(F64) : d);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    a = by_parts(op.b, a, &o.decimals, rounded);
    return kna_end_in_order(&op, knb_astype(op.b, a, d), 1, &x);
}

kn_array kn_around(kn_array x, const kn_round_opts *opts) { return kn_round(x, opts); }

/* ---- Parts of numbers. */

kn_modf_result kn_modf(kn_array x)
{
    real r;
    kn_array y[2];
    kni_atom parts[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    if (begin(&r, "modf", x, true)) {
        kni_builder *b = r.b;
        kni_atom n = truncated(b, r.x), infinite = knb_eq(b, knb_abs(b, r.x), knb_like(b, r.x, INFINITY));
        kni_atom below = knb_neg(b, knb_sub(b, knb_neg(b, r.x), knb_neg(b, n))); /* zeros have the sign of x */
        kni_atom rest = knb_select(b, knl_sign_bit(b, r.x), below, knb_sub(b, r.x, n));
        kni_atom zero = knl_copysign(b, knb_full(b, knb_type(b, r.x), 0), r.x);
        parts[0] = knb_astype(b, knb_select(b, infinite, zero, rest), r.d);
        parts[1] = knb_astype(b, n, r.d);
    }
    knl_end_two(&r.op, parts, y, 1, &x);
    return (kn_modf_result){y[0], y[1]};
}

/* 2^n for n of the bits' dtype, as large as normal numbers allow. */
static kni_atom power_of_two(kni_builder *b, kni_atom n, kn_dtype d)
{
    kn_dtype i = knb_type(b, n).dtype;
    int mantissa = d->size == 4 ? 23 : 52, bias = d->size == 4 ? 127 : 1023;
    kni_atom biased = knb_add(b, n, knb_integer(b, i, bias));
    return knb_bitcast(b, knb_shift_left(b, biased, knb_integer(b, i, mantissa)), d);
}

/* x = m 2^e with 1/2 <= |m| < 1; of 0, infinities and NaN, x and 0. The tangent is that of x 2^-e. */
static void split_exponent(kni_builder *b, kni_atom x, kni_atom *m, kni_atom *e)
{
    kn_dtype d = knb_type(b, x).dtype, i = bits_of(d);
    int mantissa = d->size == 4 ? 23 : 52, bias = d->size == 4 ? 127 : 1023, mask = 2 * bias + 1, lift = mantissa + 1;
    kni_atom size = knb_abs(b, knb_stop_gradient(b, x));
    kni_atom least = knb_number(b, d, d->size == 4 ? 0x1p-126 : 0x1p-1022);
    kni_atom small = knb_lt(b, size, least), up = knb_like(b, x, ldexp(1, lift)), one = knb_like(b, x, 1);
    kni_atom normal = knb_mul(b, x, knb_select(b, small, knb_broadcast_to(b, up, knb_type(b, x)), one));
    kni_atom bits = knb_bitcast(b, knb_stop_gradient(b, normal), i);
    kni_atom stored =
        knb_and(b, knb_shift_right_logical(b, bits, knb_integer(b, i, mantissa)), knb_integer(b, i, mask));
    kni_atom plain = knb_or(b, knb_eq(b, size, knb_like(b, x, 0)), knb_eq(b, stored, knb_integer(b, i, mask)));
    kni_atom zero = knb_integer(b, i, 0), exponent = knb_sub(b, stored, knb_integer(b, i, bias - 1));
    exponent = knb_select(b, plain, zero, exponent);
    /* 2^-e in two factors, as it can be below the normal numbers */
    kni_atom none = knb_full(b, knb_type(b, exponent), 0);
    kni_atom share = knb_select(b, knb_gt(b, exponent, zero), knb_integer(b, i, 2), none);
    kni_atom first = power_of_two(b, knb_sub(b, share, exponent), d), second = power_of_two(b, knb_neg(b, share), d);
    kni_atom scaled_down = knb_mul(b, knb_mul(b, normal, first), second);
    *m = knb_select(b, plain, x, scaled_down);
    *e = knb_sub(b, exponent, knb_select(b, small, knb_select(b, plain, zero, knb_integer(b, i, lift)), zero));
}

kn_frexp_result kn_frexp(kn_array x)
{
    real r;
    kn_array y[2];
    kni_atom parts[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    if (begin(&r, "frexp", x, true)) {
        split_exponent(r.b, r.x, &parts[0], &parts[1]);
        parts[0] = knb_astype(r.b, parts[0], r.d);
        parts[1] = knb_astype(r.b, parts[1], KN_DT(I32));
    }
    knl_end_two(&r.op, parts, y, 1, &x);
    return (kn_frexp_result){y[0], y[1]};
}

static kni_atom between(kni_builder *b, kni_atom n, int64_t low, int64_t high)
{
    kn_dtype i = knb_type(b, n).dtype;
    return knb_min(b, knb_max(b, n, knb_integer(b, i, low)), knb_integer(b, i, high));
}

/* x 2^n, rounded once. */
static kni_atom load_exponent(kni_builder *b, kni_atom x, kni_atom n)
{
    kn_dtype d = knb_type(b, x).dtype, i = bits_of(d);
    int most = d->size == 4 ? 127 : 1023;
    kni_atom m, e, plain = knb_not(b, knb_lt(b, knb_abs(b, x), knb_like(b, x, INFINITY)));
    split_exponent(b, x, &m, &e);
    n = knb_astype(b, between(b, n, -8 * most, 8 * most), i);
    kni_atom total = knb_sub(b, knb_add(b, e, n), knb_integer(b, i, 1)), main_part = between(b, total, 1 - most, most);
    kni_atom rest = between(b, knb_sub(b, total, main_part), 2 - most, most);
    kni_atom y = knb_mul(b, knb_mul(b, m, knb_like(b, m, 2)), power_of_two(b, main_part, d));
    return knb_select(b, plain, x, knb_mul(b, y, power_of_two(b, rest, d)));
}

kn_array kn_ldexp(kn_array x1, kn_array x2)
{
    kna_op op;
    kna_begin(&op, "ldexp");
    const kn_array both[] = {x1, x2};
    kn_shape shape;
    kni_type t = kna_type(&op, x1), n = kna_type(&op, x2);
    kna_common_shape(&op, 2, both, &shape);
    if (kna_failed(&op) || knl_not_a_number(&op, "ldexp", t.dtype))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_complex(t.dtype) || (n.dtype->kind != KN_KIND_BOOL && !knx_is_integer(n.dtype)) ||
        (n.dtype == KN_DT(U64)))
        knl_not_supported(&op, "ldexp");
    kn_dtype d = knl_float_for(t), wide;
    if (t.weak && knx_is_integer(t.dtype) && !n.weak) /* NumPy's first loop that takes a Python integer */
        d = KN_DT(F16);
    wide = d->size == 2 ? KN_DT(F32) : d;
    kni_type full = knl_shaped(KN_DT(F32), &shape);
    kni_atom a = kna_in_as(&op, x1, d), power = kna_in_as(&op, x2, KN_DT(I64));
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    a = knb_broadcast_to(op.b, knb_astype(op.b, a, wide), full);
    a = load_exponent(op.b, a, knb_broadcast_to(op.b, power, full));
    return kna_end_in_order(&op, knb_astype(op.b, a, d), 2, both);
}
