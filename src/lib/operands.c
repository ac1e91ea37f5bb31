/* SPDX-License-Identifier: Apache-2.0
 * operands.c -- operands of functions that go element by element: dtypes and broadcasting; functions of one operand. */
#include "array/storage.h"
#include "lib/internal.h"
#include <string.h>

KNX_HOT kni_atom knl_spread(kna_op *op, kni_atom a, const kn_shape *shape)
{
    if (kna_failed(op) || knb_type(op->b, a).ndim == 0)
        return a;
    return knb_broadcast_to(op->b, a, knl_shaped(KN_DT(F32), shape));
}

KNX_HOT kni_atom knl_operand(kna_op *op, kn_array x, kn_dtype d, const kn_shape *shape)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    return knl_spread(op, kna_in_as(op, x, d), shape);
}

KNX_HOT bool knl_not_a_number(kna_op *op, const char *function, kn_dtype d)
{
    if (!d || d->kind != KN_KIND_KEY)
        return false;
    kna_fail(op, KN_ERROR_TYPE, "%s is not defined for dtype %s%s", function, d->name,
             knx_is_stored(d) ? ", which is only stored: convert it with kn_astype" : "");
    return true;
}

void knl_not_supported(kna_op *op, const char *function)
{
    kna_fail(op, KN_ERROR_TYPE,
             "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced to any "
             "supported types "
             "according to the casting rule ''safe''",
             function);
}

kn_dtype knl_float_for(kni_type t)
{
    kn_dtype d = t.dtype;
    if (knx_is_inexact(d) && !t.weak)
        return d;
    if (t.weak && d->kind != KN_KIND_BOOL) /* NumPy's True and False are of dtype bool */
        return knx_is_inexact(d) ? kna_strong_dtype(t) : kna_default_float();
    return d->size == 1 ? KN_DT(F16) : d->size == 2 ? KN_DT(F32) : kna_default_float();
}

kn_dtype knl_inexact_for(kn_dtype d) { return knx_is_inexact(d) ? d : kna_default_float(); }

kni_atom knl_truth(kna_op *op, kni_atom a)
{
    if (kna_failed(op) || knb_type(op->b, a).dtype->kind == KN_KIND_BOOL)
        return a;
    return knb_ne(op->b, a, knb_like(op->b, a, 0));
}

kni_atom knl_self_equal(kna_op *op, kni_atom a) { return knb_eq(op->b, a, a); }

static kni_atom infinity_test(kna_op *op, kni_atom a, kni_atom (*compare)(kni_builder *, kni_atom, kni_atom), bool both)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (!knx_is_complex(knb_type(b, a).dtype))
        return compare(b, knb_abs(b, a), knb_like(b, a, __builtin_inf()));
    kni_atom re = infinity_test(op, knb_real(b, a), compare, both),
             im = infinity_test(op, knb_imag(b, a), compare, both);
    return both ? knb_and(b, re, im) : knb_or(b, re, im);
}

kni_atom knl_less_than_infinity(kna_op *op, kni_atom a) { return infinity_test(op, a, knb_lt, true); }

kni_atom knl_select(kna_op *op, kni_atom which, kni_atom yes, kni_atom no, const kn_shape *shape)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (knb_type(b, which).ndim == 0 && shape->ndim) { /* one condition for all: the cases have the full shape */
        yes = knb_broadcast_to(b, yes, knl_shaped(KN_DT(F32), shape));
        no = knb_broadcast_to(b, no, knl_shaped(KN_DT(F32), shape));
    }
    return knb_select(b, which, yes, no);
}

/* ---- Functions of one operand. */

#define BOOL_NEGATIVE                                                                                          \
    "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not " \
    "function instead."

kni_atom knl_in_number(kna_op *op, kn_array x)
{
    kni_type t = kna_type(op, x);
    return t.dtype->kind == KN_KIND_BOOL ? kna_in_as(op, x, KN_DT(I8)) : kna_in(op, x);
}

kn_array knl_unary(kn_array x, const char *name, kni_atom (*f)(kni_builder *b, kni_atom x), const char *traits)
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, x);
    kni_atom a = KN_ATOM_NONE;
    if (kna_failed(&op) || knl_not_a_number(&op, name, t.dtype))
        return kna_end(&op, a);
    if (traits[0] == 'n') {
        a = f == knb_square ? knl_in_number(&op, x) : kna_in(&op, x);
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
        knl_not_supported(&op, name);
    a = kna_in_as(&op, x, knl_float_for(t));
    return kna_end_in_order(&op, f(op.b, a), 1, &x);
}
