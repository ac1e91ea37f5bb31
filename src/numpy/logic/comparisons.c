/* SPDX-License-Identifier: Apache-2.0
 * comparisons.c -- comparisons, truth values, where, and comparing whole arrays. */
#include "array/element.h"
#include "array/scalars.h"
#include "array/storage.h"
#include "lib/kept.h"
#include <string.h>

typedef kni_atom (*two)(kni_builder *b, kni_atom x, kni_atom y);

/* ---- Comparisons are exact for integers, whatever their dtypes. */

bool knl_weak_integer(kna_op *op, kn_array x, bool *is_unsigned, knx_scalar_bits *bits)
{
    kni_type t = kna_type(op, x), unused;
    const void *at = kna_is_number(op, x) && knx_is_integer(t.dtype) ? kna_look(op, x, &unused) : NULL;
    if (at)
        memcpy(bits, at, sizeof bits->u64);
    *is_unsigned = t.dtype == KN_DT(U64);
    return at != NULL;
}

bool knl_names_extent(kna_op *op, kn_array x, int64_t *extent)
{
    bool is_unsigned;
    knx_scalar_bits bits = {{0}};
    if (!knl_weak_integer(op, x, &is_unsigned, &bits) || is_unsigned || !knl_is_extent(bits.i64))
        return false;
    *extent = bits.i64;
    return true;
}

int knl_beyond(kna_op *op, kn_array x, kn_dtype d)
{
    bool is_unsigned;
    knx_scalar_bits bits = {{0}};
    if (!knx_is_integer(d) || !knl_weak_integer(op, x, &is_unsigned, &bits))
        return 0;
    if (!is_unsigned && knl_is_extent(bits.i64)) /* it is known when the function runs */
        return 0;
    if (knx_int_fits(d, is_unsigned, bits.u64))
        return 0;
    return is_unsigned || bits.i64 > 0 ? 1 : -1;
}

/* Whole numbers that have no common integer dtype: x is signed, y is uint64. A negative x is below every y. */
static kni_atom mixed(kna_op *op, two f, kni_atom x, kni_atom y, bool swapped, const kn_shape *shape)
{
    kni_builder *b = op->b;
    kni_atom negative = knb_lt(b, x, knb_like(b, x, 0)), same = knb_astype(b, x, KN_DT(U64));
    bool below = swapped ? f == knb_ne || f == knb_gt || f == knb_ge : f == knb_ne || f == knb_lt || f == knb_le;
    kni_atom result = swapped ? f(b, y, same) : f(b, same, y);
    kni_atom truth = knb_integer(b, KN_DT(BOOL), below);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    return knb_type(b, negative).ndim ? knb_select(b, negative, truth, knl_spread(op, result, shape))
                                      : knl_select(op, negative, truth, result, shape);
}

static kni_atom constant(kna_op *op, bool value, const kn_shape *shape)
{
    return knb_full(op->b, knl_shaped(KN_DT(BOOL), shape), value);
}

/* What f says about two numbers of which the first is larger (1) or smaller (-1). */
static bool verdict(two f, int order)
{
    return f == knb_ne || (order > 0 ? f == knb_gt || f == knb_ge : f == knb_lt || f == knb_le);
}

static kn_array compare(kn_ufunc which, two f, kn_array x, kn_array y)
{
    kna_op op;
    const char *name = knl_ufunc_name(which);
    kna_begin(&op, name);
    kn_array both[] = {x, y};
    kn_shape shape;
    kni_type s = kna_type(&op, x), t = kna_type(&op, y);
    kn_dtype d = kna_join(&op, 2, both, &shape);
    if (kna_failed(&op) || knl_not_a_number(&op, name, d))
        return kna_end(&op, KN_ATOM_NONE);
    int order = knl_beyond(&op, x, d) - knl_beyond(&op, y, d);
    if (order && !kna_failed(&op)) {
        (void)kna_in(&op, s.weak ? y : x);
        return kna_end_in_order(&op, constant(&op, verdict(f, order), &shape), 2, both);
    }
    int64_t extent;
    bool unknown = knx_is_integer(d) && (knl_names_extent(&op, x, &extent) || knl_names_extent(&op, y, &extent));
    if (unknown && d->size < 8 && d != KN_DT(I32)) /* which may be beyond all values */
        d = KN_DT(I64);
    if ((unknown && d == KN_DT(U64)) ||
        (d->kind == KN_KIND_FLOAT && knx_is_integer(s.dtype) && knx_is_integer(t.dtype))) {
        bool swapped = s.dtype->kind == KN_KIND_UINT;
        kni_atom a = knl_operand(&op, x, swapped ? KN_DT(U64) : KN_DT(I64), &shape);
        kni_atom b = knl_operand(&op, y, swapped ? KN_DT(I64) : KN_DT(U64), &shape);
        return kna_end_in_order(&op, mixed(&op, f, swapped ? b : a, swapped ? a : b, swapped, &shape), 2, both);
    }
    knx_scalar_bits bits;
    kn_dtype made = shape.ndim ? NULL : knl_scalar_ufunc(&op, which, d, x, NULL, y, &bits);
    if (made)
        return kna_end_element(&op, made, &bits);
    kn_array few = knl_short_ufunc(&op, which, d, x, y, &shape);
    if (few)
        return few;
    kni_atom a = knl_operand(&op, x, d, &shape), b = knl_operand(&op, y, d, &shape);
    return kna_end_in_order(&op, f(op.b, a, b), 2, both);
}

kn_array kn_equal(kn_array x, kn_array y) { return compare(kn_ufunc_equal, knb_eq, x, y); }
kn_array kn_not_equal(kn_array x, kn_array y) { return compare(kn_ufunc_not_equal, knb_ne, x, y); }
kn_array kn_less(kn_array x, kn_array y) { return compare(kn_ufunc_less, knb_lt, x, y); }
kn_array kn_less_equal(kn_array x, kn_array y) { return compare(kn_ufunc_less_equal, knb_le, x, y); }
kn_array kn_greater(kn_array x, kn_array y) { return compare(kn_ufunc_greater, knb_gt, x, y); }
kn_array kn_greater_equal(kn_array x, kn_array y) { return compare(kn_ufunc_greater_equal, knb_ge, x, y); }

/* ---- Kinds of numbers. Integers are all finite. */

static kn_array classify(const char *name, kn_array x, kni_atom (*f)(kna_op *op, kni_atom a), bool of_integers)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op) || knl_not_a_number(&op, name, knb_type(op.b, a).dtype))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_inexact(knb_type(op.b, a).dtype))
        return kna_end_in_order(&op, f(&op, a), 1, &x);
    kn_shape shape = knl_shape_of(&op, a);
    return kna_end_in_order(&op, constant(&op, of_integers, &shape), 1, &x);
}

static kni_atom is_nan(kna_op *op, kni_atom a) { return knb_ne(op->b, a, a); }
static kni_atom is_infinite(kna_op *op, kni_atom a)
{
    kni_builder *b = op->b;
    return knb_and(b, knl_self_equal(op, knb_abs(b, a)), knb_not(b, knl_less_than_infinity(op, a)));
}

kn_array kn_isnan(kn_array x) { return classify("isnan", x, is_nan, false); }
kn_array kn_isinf(kn_array x) { return classify("isinf", x, is_infinite, false); }
kn_array kn_isfinite(kn_array x) { return classify("isfinite", x, knl_less_than_infinity, true); }

/* ---- Truth. */

static kn_array logical(const char *name, two f, kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, name);
    kn_array both[] = {x, y};
    kn_shape shape;
    kna_common_shape(&op, 2, both, &shape);
    kni_atom a = kna_failed(&op) ? KN_ATOM_NONE : knl_spread(&op, knl_truth(&op, kna_in(&op, x)), &shape);
    kni_atom b = kna_failed(&op) ? KN_ATOM_NONE : knl_spread(&op, knl_truth(&op, kna_in(&op, y)), &shape);
    return kna_end_in_order(&op, f(op.b, a, b), 2, both);
}

kn_array kn_logical_and(kn_array x, kn_array y) { return logical("logical_and", knb_and, x, y); }
kn_array kn_logical_or(kn_array x, kn_array y) { return logical("logical_or", knb_or, x, y); }
kn_array kn_logical_xor(kn_array x, kn_array y) { return logical("logical_xor", knb_xor, x, y); }

kn_array kn_logical_not(kn_array x)
{
    kna_op op;
    kna_begin(&op, "logical_not");
    return kna_end_in_order(&op, knb_not(op.b, knl_truth(&op, kna_in(&op, x))), 1, &x);
}

kn_array kn_where(kn_array condition, kn_array x, kn_array y)
{
    kna_op op;
    kna_begin(&op, "where");
    kn_array all[] = {condition, x, y};
    kn_shape shape;
    kn_dtype d = kna_result_type(&op, 2, all + 1);
    kna_common_shape(&op, 3, all, &shape);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom c = knl_spread(&op, knl_truth(&op, kna_in(&op, condition)), &shape);
    kni_atom yes = knl_operand(&op, x, d, &shape), no = knl_operand(&op, y, d, &shape);
    return kna_end_in_order(&op, knl_select(&op, c, yes, no, &shape), 3, all);
}

/* ---- Whole arrays. */

/* The value of a C number that is a real one. */
static bool real_number(kna_op *op, kn_array x, double *v)
{
    kni_type t = kna_type(op, x), unused;
    int64_t extent;
    if (kna_failed(op) || !t.weak || knl_names_extent(op, x, &extent) || !kna_is_number(op, x) ||
        knx_is_complex(t.dtype) || t.dtype->kind == KN_KIND_BOOL)
        return false;
    const void *at = kna_look(op, x, &unused);
    if (at)
        knx_convert(t.dtype, at, KN_DT(F64), v);
    return at != NULL;
}

/* NumPy's test: |a - b| <= atol + rtol |b| where b is finite, or a == b. Of a C number b the right side is one, too,
 * and b may be beyond the dtype of a. */
static kni_atom closeness(kna_op *op, kn_array x, kn_array y, const kn_isclose_opts *o, kn_shape *shape)
{
    kn_array both[] = {x, y};
    kni_builder *b = op->b;
    kna_common_shape(op, 2, both, shape);
    kni_type ty = kna_type(op, y);
    kn_dtype d = kna_result_type(op, 2, both);
    if (kna_failed(op) || knl_not_a_number(op, "isclose", d))
        return KN_ATOM_NONE;
    kn_dtype dy = ty.weak ? d : ty.dtype; /* b becomes a float first, then both have a common dtype */
    dy = knl_inexact_for(dy);
    d = knx_is_inexact(d) ? d : knx_promote(d, dy);
    if (!d)
        return KN_ATOM_NONE;
    kni_atom p = knl_operand(op, x, d, shape), q = knl_operand(op, y, d, shape);
    kni_atom distance = knb_abs(b, knb_sub(b, p, q)), size = knb_abs(b, q);
    kni_atom bound, near;
    double v;
    if (!kna_failed(op) && real_number(op, y, &v)) {
        kn_dtype real = knb_type(b, size).dtype;
        kn_scope scope = kn_scope_begin();
        bound = knl_operand(op, kn_like_double(o->atol + o->rtol * __builtin_fabs(v)), real, shape);
        kn_scope_end(&scope);
        near = knb_le(b, distance, bound);
        near = __builtin_isfinite(v) ? near : knb_and(b, near, knl_less_than_infinity(op, q));
    } else {
        bound = knb_add(b, knb_like(b, size, o->atol), knb_mul(b, knb_like(b, size, o->rtol), size));
        near = knb_and(b, knb_le(b, distance, bound), knl_less_than_infinity(op, q));
    }
    kni_atom result = knb_or(b, near, knb_eq(b, p, q));
    if (o->equal_nan)
        result = knb_or(b, result, knb_and(b, knb_ne(b, p, p), knb_ne(b, q, q)));
    return result;
}

static kn_array isclose(const kn_array *x, const void *options)
{
    kna_op op;
    kn_shape shape;
    kna_begin(&op, "isclose");
    return kna_end_in_order(&op, closeness(&op, x[0], x[1], options, &shape), 2, x);
}

kn_array kn_isclose(kn_array a, kn_array b, const kn_isclose_opts *opts)
{
    KNX_OPTS(kn_isclose_opts, o, opts);
    const kn_array both[] = {a, b};
    return knl_kept(&(knl_call){"isclose", isclose, 2, both, &o, sizeof o});
}

static kni_atom all_of(kna_op *op, kni_atom a)
{
    int64_t axes[KN_MAX_NDIM];
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int ndim = knb_type(op->b, a).ndim;
    for (int i = 0; i < ndim; i++)
        axes[i] = i;
    return ndim ? knb_reduce_and(op->b, a, ndim, axes) : a;
}

/* Ends the operation `op` inside of `whole`, and looks at the one truth value that it made. The handles of both go with
 * a scope of their own. */
static bool answer(kna_op *whole, kna_op *op, kni_atom a)
{
    kn_scope scope = kn_scope_begin();
    kn_array result = kna_end(op, a);
    bool yes = kn_ok(result) && kn_item_bool(result);
    kn_scope_end(&scope);
    kna_end_plain(whole);
    return yes;
}

bool kn_allclose(kn_array a, kn_array b, const kn_isclose_opts *opts)
{
    KNX_OPTS(kn_isclose_opts, o, opts);
    kna_op whole, op;
    kn_shape shape;
    kna_begin(&whole, "allclose");
    kna_begin(&op, "allclose");
    return answer(&whole, &op, all_of(&op, closeness(&op, a, b, &o, &shape)));
}

bool kn_array_equal(kn_array a, kn_array b, const kn_array_equal_opts *opts)
{
    KNX_OPTS(kn_array_equal_opts, o, opts);
    kna_op whole, op;
    kna_begin(&whole, "array_equal");
    kna_begin(&op, "array_equal");
    kni_type s = kna_type(&op, a), t = kna_type(&op, b);
    if (kna_failed(&op) || !kni_type_same_shape(s, t)) {
        kna_end_plain(&op);
        kna_end_plain(&whole);
        return false;
    }
    kn_scope scope = kn_scope_begin();
    kn_array same = kn_equal(a, b);
    if (o.equal_nan && !kna_failed(&op))
        same = kn_logical_or(same, kn_logical_and(kn_isnan(a), kn_isnan(b)));
    bool yes = answer(&whole, &op, all_of(&op, kna_in(&op, same)));
    kn_scope_end(&scope);
    return yes;
}
