/* SPDX-License-Identifier: Apache-2.0
 * elementwise.c -- jax.lax, element by element: one line per function with the kinds of dtypes that it takes. */
#include "lax/internal.h"
#include "lib/internal.h"

/* ---- One argument. */

static kni_atom one(kna_op *op, const char *name, kn_array x, const char *kinds)
{
    kna_begin(op, name);
    kni_atom a = kna_in(op, x);
    if (!kna_failed(op))
        knlax_accepts(op, knb_type(op->b, a).dtype, kinds, -1);
    return kna_failed(op) ? KN_ATOM_NONE : a;
}

#define ONE(function, name, kinds) ONE_AS(function, "lax." #name, name, kinds)
#define ONE_AS(function, name, helper, kinds)       \
    kn_array function(kn_array x)                   \
    {                                               \
        kna_op op;                                  \
        kni_atom a = one(&op, name, x, kinds);      \
        return kna_end(&op, knb_##helper(op.b, a)); \
    }
/* The row of unary.def whose public function is lax's, by NumPy's rules of dtypes. */
#define UNARY(...)
#define UNARY_SPECIAL(...)
#define UNARY_LAX(name, function, traits, ...) \
    kn_array function(kn_array x) { return knl_unary(x, &#function[sizeof "kn_" - 1], knb_##name, traits); }
#include "ir/unary.def"
#undef UNARY

ONE(kn_lax_neg, neg, "ifc")
ONE(kn_lax_sign, sign, "ifc")
ONE(kn_lax_floor, floor, "f")
ONE(kn_lax_ceil, ceil, "f")
ONE(kn_lax_is_finite, is_finite, "f")
ONE(kn_lax_exp, exp, "fc")
ONE(kn_lax_exp2, exp2, "fc")
ONE(kn_lax_expm1, expm1, "fc")
ONE(kn_lax_log, log, "fc")
ONE(kn_lax_log1p, log1p, "fc")
ONE(kn_lax_logistic, logistic, "fc")
ONE(kn_lax_sin, sin, "fc")
ONE(kn_lax_cos, cos, "fc")
ONE(kn_lax_tan, tan, "fc")
ONE(kn_lax_asin, asin, "fc")
ONE(kn_lax_acos, acos, "fc")
ONE(kn_lax_atan, atan, "fc")
ONE(kn_lax_sinh, sinh, "fc")
ONE(kn_lax_cosh, cosh, "fc")
ONE(kn_lax_tanh, tanh, "fc")
ONE(kn_lax_asinh, asinh, "fc")
ONE(kn_lax_acosh, acosh, "fc")
ONE(kn_lax_atanh, atanh, "fc")
ONE(kn_lax_sqrt, sqrt, "fc")
ONE(kn_lax_cbrt, cbrt, "f")
ONE(kn_lax_square, square, "ifc")
ONE(kn_lax_real, real, "c")
ONE(kn_lax_imag, imag, "c")
ONE_AS(kn_lax_bitwise_not, "lax.bitwise_not", not, "ib")
ONE(kn_lax_population_count, population_count, "i")
ONE(kn_lax_clz, clz, "i")
ONE(kn_lax_lgamma, lgamma, "f")
ONE(kn_lax_digamma, digamma, "f")
ONE(kn_lax_erf, erf, "f")
ONE(kn_lax_erfc, erfc, "f")
ONE(kn_lax_erf_inv, erf_inv, "f")
ONE(kn_lax_bessel_i0e, bessel_i0e, "f")
ONE(kn_lax_bessel_i1e, bessel_i1e, "f")
ONE(kn_lax_abs, abs, "sfc")

kn_array kn_lax_conj(kn_array x)
{
    kna_op op;
    kni_atom a = one(&op, "lax.conj", x, "fc");
    if (!kna_failed(&op) && !knx_is_complex(knb_type(op.b, a).dtype))
        return kna_end(&op, knb_complex(op.b, a, knb_like(op.b, a, 0)));
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_conj(op.b, a));
}

static kn_array integer_pow(const char *name, kn_array x, int64_t y)
{
    kna_op op;
    kni_atom a = one(&op, name, x, "ifc");
    if (!kna_failed(&op) && y < 0 && knx_is_integer(knb_type(op.b, a).dtype))
        kna_fail(&op, KN_ERROR_TYPE, "Integers cannot be raised to negative powers, got %lld", (long long)y);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_integer_pow(op.b, a, y));
}

kn_array kn_lax_integer_pow(kn_array x, int64_t y) { return integer_pow("lax.integer_pow", x, y); }
kn_array kn_lax_reciprocal(kn_array x) { return integer_pow("lax.reciprocal", x, -1); }

kn_array kn_lax_round(kn_array x, const kn_lax_round_opts *opts)
{
    KNX_OPTS(kn_lax_round_opts, o, opts);
    kna_op op;
    kni_atom a = one(&op, "lax.round", x, "f");
    kni_p_round p = {o.rounding_method};
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_emit1(op.b, &knp_prim_round, &p, 1, &a));
}

kn_array kn_lax_reduce_precision(kn_array x, int exponent_bits, int mantissa_bits)
{
    kna_op op;
    kni_atom a = one(&op, "lax.reduce_precision", x, "f");
    return kna_end(&op, kna_failed(&op) ? a : knb_reduce_precision(op.b, a, exponent_bits, mantissa_bits));
}

/* ---- Dtypes. */

static kn_dtype need_dtype(kna_op *op, kn_dtype d)
{
    if (!d && !kna_failed(op))
        kna_fail(op, KN_ERROR_TYPE, "null dtype");
    return kna_failed(op) ? KN_DT(F32) : kna_lookup_dtype(d, d);
}

kn_array kn_lax_convert_element_type(kn_array x, kn_dtype new_dtype)
{
    kna_op op;
    kna_begin(&op, "lax.convert_element_type");
    kn_dtype d = need_dtype(&op, new_dtype);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knlax_strong(&op, kna_in_converted(&op, x, d)));
}

kn_array kn_lax_bitcast_convert_type(kn_array x, kn_dtype new_dtype)
{
    kna_op op;
    kna_begin(&op, "lax.bitcast_convert_type");
    kn_dtype d = need_dtype(&op, new_dtype);
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op))
        return kna_end(&op, a);
    kni_type t = knb_type(op.b, a);
    if (d->size == t.dtype->size)
        return kna_end(&op, knb_bitcast(op.b, a, d));
    if (t.dtype->kind == KN_KIND_BOOL)
        kna_fail(&op, KN_ERROR_TYPE, "does not accept dtype bool");
    int64_t shape[KN_MAX_NDIM + 1];
    for (int i = 0; i < t.ndim; i++)
        shape[i] = t.dim[i];
    if (d->size < t.dtype->size) { /* an axis of one element behind becomes that of its parts */
        if (t.ndim == KN_MAX_NDIM)
            kna_fail(&op, KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM);
        shape[t.ndim] = 1;
        a = kna_failed(&op) ? a : knb_reshape(op.b, a, t.ndim + 1, shape);
        return kna_end(&op, kna_failed(&op) ? a : knb_bitcast_last_axis(op.b, a, d));
    }
    int64_t ratio = d->size / t.dtype->size;
    if (!t.ndim || !knx_dim_eq(t.dim[t.ndim - 1], ratio)) {
        knx_text s = {0};
        kna_fail(&op, KN_ERROR_VALUE,
                 "Attempting to convert array of shape %s from %s of size %d bits to %s of size %d bits failed",
                 knlax_tuple(&s, t.ndim, t.dim), t.dtype->name, 8 * t.dtype->size, d->name, 8 * d->size);
        return kna_end(&op, KN_ATOM_NONE);
    }
    a = knb_bitcast_last_axis(op.b, a, d);
    return kna_end(&op, knb_reshape(op.b, a, t.ndim - 1, shape));
}

/* ---- Two arguments. */

static void two_in(kna_op *op, kn_array x, kn_array y, const char *kinds, kni_atom a[2])
{
    kni_type t[] = {kna_type(op, x), kna_type(op, y)};
    for (int i = 0; i < 2 && !kna_failed(op); i++)
        if (!t[i].weak)
            knlax_accepts(op, t[i].dtype, kinds, i);
    knlax_operands(op, 2, (kn_array[]){x, y}, a);
    if (!kna_failed(op))
        knlax_accepts(op, knb_type(op->b, a[0]).dtype, kinds, 0);
    if (kna_failed(op))
        a[0] = a[1] = KN_ATOM_NONE;
}

static void two(kna_op *op, const char *name, kn_array x, kn_array y, const char *kinds, kni_atom a[2])
{
    kna_begin(op, name);
    two_in(op, x, y, kinds, a);
}

#define TWO(function, name, kinds) TWO_AS(function, "lax." #name, name, kinds)
#define TWO_AS(function, name, helper, kinds)                \
    kn_array function(kn_array x, kn_array y)                \
    {                                                        \
        kna_op op;                                           \
        kni_atom a[2];                                       \
        two(&op, name, x, y, kinds, a);                      \
        return kna_end(&op, knb_##helper(op.b, a[0], a[1])); \
    }
TWO(kn_lax_add, add, "ifc")
TWO(kn_lax_sub, sub, "ifc")
TWO(kn_lax_mul, mul, "ifc")
TWO(kn_lax_div, div, "ifc")
TWO(kn_lax_rem, rem, "if")
TWO(kn_lax_max, max, "ifcb")
TWO(kn_lax_min, min, "ifcb")
TWO(kn_lax_atan2, atan2, "f")
TWO(kn_lax_nextafter, nextafter, "f")
TWO(kn_lax_mulhi, mulhi, "i")
TWO(kn_lax_complex, complex, "f")
TWO(kn_lax_eq, eq, "ifcb")
TWO(kn_lax_ne, ne, "ifcb")
TWO(kn_lax_lt, lt, "ifb")
TWO(kn_lax_le, le, "ifb")
TWO(kn_lax_gt, gt, "ifb")
TWO(kn_lax_ge, ge, "ifb")
TWO_AS(kn_lax_bitwise_and, "lax.bitwise_and", and, "ib")
TWO_AS(kn_lax_bitwise_or, "lax.bitwise_or", or, "ib")
TWO_AS(kn_lax_bitwise_xor, "lax.bitwise_xor", xor, "ib")
TWO(kn_lax_shift_left, shift_left, "i")
TWO(kn_lax_shift_right_arithmetic, shift_right_arithmetic, "i")
TWO(kn_lax_shift_right_logical, shift_right_logical, "i")
TWO(kn_lax_igamma, igamma, "f")
TWO(kn_lax_igammac, igammac, "f")
TWO(kn_lax_igamma_grad_a, igamma_grad_a, "f")
TWO(kn_lax_random_gamma_grad, random_gamma_grad, "f")
TWO(kn_lax_zeta, zeta, "f")
TWO(kn_lax_polygamma, polygamma, "f")

kn_array kn_lax_pow(kn_array x, kn_array y)
{
    kna_op op;
    kni_atom a[2];
    kna_begin(&op, "lax.pow");
    kni_type base = kna_type(&op, x), power = kna_type(&op, y);
    if (!power.weak && knx_is_integer(power.dtype) && !base.weak && knx_is_inexact(base.dtype)) {
        a[0] = kna_in(&op, x);
        a[1] = kna_in_as(&op, y, base.dtype);
    } else
        two_in(&op, x, y, "fc", a);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_pow(op.b, a[0], a[1]));
}

/* ---- More arguments. */

kn_array kn_lax_clamp(kn_array lower, kn_array x, kn_array upper)
{
    kna_op op;
    kni_atom a[3];
    kna_begin(&op, "lax.clamp");
    knlax_same_dtypes(&op, 3, (kn_array[]){lower, x, upper}, a);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_clamp(op.b, a[0], a[1], a[2]));
}

kn_array kn_lax_betainc(kn_array a, kn_array b, kn_array x)
{
    kna_op op;
    kni_atom in[3];
    kna_begin(&op, "lax.betainc");
    knlax_operands(&op, 3, (kn_array[]){a, b, x}, in);
    if (!kna_failed(&op))
        knlax_accepts(&op, knb_type(op.b, in[0]).dtype, "f", 0);
    kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : knb_regularized_incomplete_beta(op.b, in[0], in[1], in[2]);
    return kna_end(&op, y);
}

static void check_cases(kna_op *op, kni_atom which, int n, const kni_atom *a)
{
    knx_text s = {0};
    bool differ = false;
    kni_type first = knb_type(op->b, a[0]), w = knb_type(op->b, which);
    for (int i = 0; i < n; i++) {
        kni_type t = knb_type(op->b, a[i]);
        differ |= !kni_type_same_shape(t, first);
        knlax_tuple((knx_text_add(&s, "%s", i ? ", " : ""), &s), t.ndim, t.dim);
    }
    if (differ)
        kna_fail(op, KN_ERROR_TYPE, "cases must have the same shapes, got [%s].", s.s);
    else if (w.ndim && !kni_type_same_shape(w, first)) {
        knx_text r = {0}, c = {0};
        kna_fail(op, KN_ERROR_TYPE,
                 "`which` must be scalar or have the same shape as cases, got `which` shape %s but case shape %s.",
                 knlax_tuple(&r, w.ndim, w.dim), knlax_tuple(&c, first.ndim, first.dim));
    } else if (w.dtype != KN_DT(BOOL) && !knx_is_integer(w.dtype))
        kna_fail(op, KN_ERROR_TYPE, "`which` must be boolean or integer type, got %s.", w.dtype->name);
    else if (w.dtype == KN_DT(BOOL) && n > 2)
        kna_fail(op, KN_ERROR_TYPE, "select with boolean `which` cannot have > 2 cases.");
}

static kn_array select_n(kna_op *op, kn_array which, int n, const kn_array *x)
{
    kni_atom *a = knx_alloc(((size_t)n + 1) * sizeof *a), y = KN_ATOM_NONE, w = KN_ATOM_NONE;
    if (!a)
        kna_fail_with(op, knx_error_nomem());
    else if (!n && !kna_failed(op))
        kna_fail(op, KN_ERROR_TYPE, "select must have at least one case");
    if (!kna_failed(op)) {
        w = kna_type(op, which).weak && kna_type(op, which).dtype != KN_DT(BOOL) ? kna_in_as(op, which, KN_DT(I32))
                                                                                 : kna_in(op, which);
        knlax_same_dtypes(op, n, x, a);
    }
    if (!kna_failed(op))
        check_cases(op, w, n, a);
    if (!kna_failed(op) && knx_is_integer(knb_type(op->b, w).dtype))
        w = knb_convert(op->b, w, KN_DT(I32));
    if (!kna_failed(op))
        y = knb_select_n(op->b, w, n, a);
    knx_free(a);
    return kna_end(op, y);
}

kn_array kn_lax_select(kn_array pred, kn_array yes, kn_array no)
{
    kna_op op;
    kna_begin(&op, "lax.select");
    return select_n(&op, pred, 2, (kn_array[]){no, yes});
}

kn_array kn_lax_select_n(kn_array which, kn_list cases)
{
    kna_op op;
    const kn_array *x = NULL;
    kna_begin(&op, "lax.select_n");
    int n = kntree_list_read(&op, cases, &x);
    return select_n(&op, which, kna_failed(&op) || n < 0 ? 0 : n, x);
}

kn_list kn_lax_optimization_barrier(kn_list operands)
{
    kna_op op;
    int n = 0;
    kna_begin(&op, "lax.optimization_barrier");
    kni_atom *a = knlax_read_list(&op, operands, false, &n);
    if (a && n)
        knb_optimization_barrier(op.b, n, a, a);
    kn_list list = knlax_end_list(&op, a ? n : 0, a);
    knx_free(a);
    return list;
}
