/* SPDX-License-Identifier: Apache-2.0
 * unary.c -- broadcasting, and the functions of one or three arrays that go element by element. Operands are
 * converted to one dtype by NumPy's rules; a scalar beside an array goes in as it is. */
#include "array/storage.h"
#include "lib/internal.h"
#include <string.h>

/* ---- Shapes and dtypes. */

kn_atom knn_spread(kna_op *op, kn_atom a, const kn_shape *shape)
{
    if (kna_failed(op) || knb_type(op->b, a).ndim == 0)
        return a;
    return knb_broadcast_to(op->b, a, knn_shaped(KN_DT(F32), shape));
}

kn_atom knn_operand(kna_op *op, kn_array x, kn_dtype d, const kn_shape *shape)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    return knn_spread(op, kna_in_as(op, x, d), shape);
}

bool knn_not_a_number(kna_op *op, const char *function, kn_dtype d)
{
    if (!d || d->kind != KN_KIND_KEY)
        return false;
    kna_fail(op, KN_ERROR_TYPE, "%s is not defined for dtype %s", function, d->name);
    return true;
}

void knn_not_supported(kna_op *op, const char *function)
{
    kna_fail(op, KN_ERROR_TYPE,
             "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced to any "
             "supported types "
             "according to the casting rule ''safe''",
             function);
}

kn_dtype knn_float_for(kn_type t)
{
    kn_dtype d = t.dtype;
    if (knx_is_inexact(d) && !t.weak)
        return d;
    if (t.weak)
        return knx_is_complex(d) ? kna_strong_dtype(t) : kna_default_float();
    return d->size == 1 ? KN_DT(F16) : d->size == 2 ? KN_DT(F32) : kna_default_float();
}

kn_dtype knn_inexact_for(kn_dtype d) { return knx_is_inexact(d) ? d : kna_default_float(); }

kn_atom knn_truth(kna_op *op, kn_atom a)
{
    if (kna_failed(op) || knb_type(op->b, a).dtype->kind == KN_KIND_BOOL)
        return a;
    return knb_ne(op->b, a, knb_like(op->b, a, 0));
}

kn_atom knn_self_equal(kna_op *op, kn_atom a) { return knb_eq(op->b, a, a); }

static kn_atom infinity_test(kna_op *op, kn_atom a, kn_atom (*compare)(kn_builder *, kn_atom, kn_atom), bool both)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (!knx_is_complex(knb_type(b, a).dtype))
        return compare(b, knb_abs(b, a), knb_like(b, a, __builtin_inf()));
    kn_atom re = infinity_test(op, knb_real(b, a), compare, both),
            im = infinity_test(op, knb_imag(b, a), compare, both);
    return both ? knb_and(b, re, im) : knb_or(b, re, im);
}

kn_atom knn_less_than_infinity(kna_op *op, kn_atom a) { return infinity_test(op, a, knb_lt, true); }

kn_atom knn_select(kna_op *op, kn_atom which, kn_atom yes, kn_atom no, const kn_shape *shape)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (knb_type(b, which).ndim == 0 && shape->ndim) { /* one condition for all: the cases have the full shape */
        yes = knb_broadcast_to(b, yes, knn_shaped(KN_DT(F32), shape));
        no = knb_broadcast_to(b, no, knn_shaped(KN_DT(F32), shape));
    }
    return knb_select(b, which, yes, no);
}

/* ---- One argument. */

#define BOOL_NEGATIVE                                                                                          \
    "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not " \
    "function instead."

typedef kn_atom (*one)(kn_builder *b, kn_atom x);

/* bool counts as int8 where NumPy has no loop for it. */
static kn_atom in_number(kna_op *op, kn_array x)
{
    kn_type t = kna_type(op, x);
    return t.dtype->kind == KN_KIND_BOOL ? kna_in_as(op, x, KN_DT(I8)) : kna_in(op, x);
}

/* A function of the table unary.def; `traits` is its column of dtypes. */
static kn_array from_table(kn_array x, const char *name, one f, const char *traits)
{
    kna_op op;
    kna_begin(&op, name);
    kn_type t = kna_type(&op, x);
    kn_atom a = KN_ATOM_NONE;
    if (kna_failed(&op) || knn_not_a_number(&op, name, t.dtype))
        return kna_end(&op, a);
    if (traits[0] == 'n') {
        a = f == knb_square ? in_number(&op, x) : kna_in(&op, x);
        if (f == knb_square)
            return kna_end_in_order(&op, f(op.b, a), 1, &x);
        if (f != knb_abs || (t.dtype->kind != KN_KIND_BOOL && t.dtype->kind != KN_KIND_UINT)) {
            if (t.dtype->kind == KN_KIND_BOOL)
                kna_fail(&op, KN_ERROR_TYPE, BOOL_NEGATIVE);
            a = f(op.b, a);
        }
        return kna_end_in_order(&op, a, 1, &x);
    }
    if (traits[1] != 'c' && knx_is_complex(t.dtype))
        knn_not_supported(&op, name);
    a = kna_in_as(&op, x, knn_float_for(t));
    return kna_end_in_order(&op, f(op.b, a), 1, &x);
}

#define UNARY(name, function, traits, ...) \
    kn_array function(kn_array x) { return from_table(x, &#function[sizeof "kn_" - 1], knb_##name, traits); }
#include "ir/unary.def"
#undef UNARY

kn_array kn_neg(kn_array x) { return kn_negative(x); }
kn_array kn_abs(kn_array x) { return kn_absolute(x); }
kn_array kn_asin(kn_array x) { return kn_arcsin(x); }
kn_array kn_acos(kn_array x) { return kn_arccos(x); }
kn_array kn_atan(kn_array x) { return kn_arctan(x); }
kn_array kn_asinh(kn_array x) { return kn_arcsinh(x); }
kn_array kn_acosh(kn_array x) { return kn_arccosh(x); }
kn_array kn_atanh(kn_array x) { return kn_arctanh(x); }

static kn_array no_loop_for_bool(kna_op *op, const char *name)
{
    kna_fail(op, KN_ERROR_TYPE, "ufunc '%s' did not contain a loop with signature matching types %s -> None", name,
             "<class 'numpy.dtypes.BoolDType'>");
    return kna_end(op, KN_ATOM_NONE);
}

kn_array kn_positive(kn_array x)
{
    kna_op op;
    kna_begin(&op, "positive");
    kn_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.dtype->kind == KN_KIND_BOOL)
        return no_loop_for_bool(&op, "positive");
    return kna_end_in_order(&op, kna_in(&op, x), 1, &x);
}

kn_array kn_sign(kn_array x)
{
    kna_op op;
    kna_begin(&op, "sign");
    kn_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.dtype->kind == KN_KIND_BOOL)
        return no_loop_for_bool(&op, "sign");
    return kna_end_in_order(&op, knb_sign(op.b, kna_in(&op, x)), 1, &x);
}

kn_array kn_reciprocal(kn_array x)
{
    kna_op op;
    kna_begin(&op, "reciprocal");
    kn_atom a = in_number(&op, x);
    return kna_end_in_order(&op, knb_div(op.b, knb_like(op.b, a, 1), a), 1, &x);
}

kn_array kn_conjugate(kn_array x)
{
    kna_op op;
    kna_begin(&op, "conjugate");
    return kna_end_in_order(&op, knb_conj(op.b, in_number(&op, x)), 1, &x);
}

kn_array kn_conj(kn_array x) { return kn_conjugate(x); }

/* ---- Three arguments; those of two are in ufunc.c. */

kn_array kn_clip(kn_array x, kn_array lo, kn_array hi)
{
    kna_op op;
    kna_begin(&op, "clip");
    const kn_array all[] = {x, lo, hi};
    kn_shape shape;
    kn_dtype d = kna_result_type(&op, 3, all);
    kna_common_shape(&op, 3, all, &shape);
    if (kna_failed(&op) || knn_not_a_number(&op, "clip", d))
        return kna_end(&op, KN_ATOM_NONE);
    if (lo && knn_beyond(&op, lo, d) < 0) /* bounds beyond all values are none */
        lo = NULL;
    if (hi && knn_beyond(&op, hi, d) > 0)
        hi = NULL;
    kn_atom a = knn_operand(&op, x, d, &shape);
    if (lo)
        a = knb_max(op.b, a, knn_operand(&op, lo, d, &shape));
    if (hi)
        a = knb_min(op.b, a, knn_operand(&op, hi, d, &shape));
    return kna_end_in_order(&op, a, 3, all);
}

/* ---- Bits. */

kn_array kn_bitwise_not(kn_array x)
{
    kna_op op;
    kna_begin(&op, "invert");
    kn_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.dtype->kind != KN_KIND_BOOL && !knx_is_integer(t.dtype))
        knn_not_supported(&op, "invert");
    return kna_end_in_order(&op, knb_not(op.b, kna_in(&op, x)), 1, &x);
}

kn_array kn_invert(kn_array x) { return kn_bitwise_not(x); }
kn_array kn_bitwise_invert(kn_array x) { return kn_bitwise_not(x); }
