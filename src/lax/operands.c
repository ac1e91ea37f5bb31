/* SPDX-License-Identifier: Apache-2.0
 * operands.c -- operands that are not promoted, and lists of numbers and arrays. */
#include "lax/internal.h"
#include <string.h>

/* ---- Dtypes. */

static int rank_of(kn_dtype d) { return d->kind == KN_KIND_BOOL ? 0 : knx_is_integer(d) ? 1 : knx_is_float(d) ? 2 : 3; }

static void dtypes_differ(kna_op *op, int n, const kni_type *t)
{
    knx_text s = {0};
    for (int i = 0; i < n; i++)
        knx_text_add(&s, "%s%s", i ? ", " : "", kna_strong_dtype(t[i])->name);
    kna_fail(op, KN_ERROR_TYPE, "requires arguments to have the same dtypes, got %s.", s.s);
}

enum { FEW = 8 };

void knlax_same_dtypes(kna_op *op, int n, const kn_array *x, kni_atom *a)
{
    kni_type few[FEW], *t = n > FEW ? knx_alloc((size_t)n * sizeof *t) : few;
    kn_dtype d = NULL;
    if (!t)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; t && i < n; i++) {
        t[i] = kna_type(op, x[i]);
        if (!t[i].weak && !d)
            d = t[i].dtype;
    }
    if (!d && !kna_failed(op))
        d = kna_result_type(op, n, x);
    KN_KNOWN(kna_failed(op) || d);
    bool differ = false, alone = true;
    for (int i = 0; t && i < n; i++)
        alone = alone && t[i].weak;
    for (int i = 0; t && i < n && !kna_failed(op); i++)
        differ |= t[i].weak ? rank_of(t[i].dtype) > rank_of(d) : t[i].dtype != d;
    if (differ)
        dtypes_differ(op, n, t);
    for (int i = 0; i < n; i++)
        a[i] = kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, x[i], d);
    for (int i = 0; alone && i < n && !kna_failed(op); i++)
        a[i] = kna_number_alone(op, a[i]);
    if (t != few)
        knx_free(t);
}

static bool is_kind(kn_dtype d, char kind)
{
    switch (kind) {
    case 'b': return d->kind == KN_KIND_BOOL;
    case 'i': return knx_is_integer(d);
    case 's': return d->kind == 'i';
    case 'f': return knx_is_float(d);
    default: return knx_is_complex(d);
    }
}

bool knlax_accepts(kna_op *op, kn_dtype d, const char *kinds, int position)
{
    static const struct {
        char kind;
        const char *name;
    } names[] = {{'i', "integer"}, {'f', "floating"}, {'c', "complexfloating"}, {'s', "signedinteger"}, {'b', "bool"}};
    knx_text t = {0}, at = {0};
    if (kna_failed(op))
        return false;
    for (const char *k = kinds; *k; k++)
        if (is_kind(d, *k))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strchr(kinds, names[i].kind))
            knx_text_add(&t, "%s%s", t.length ? ", " : "", names[i].name);
    if (position >= 0)
        knx_text_add(&at, " at position %d", position);
    kna_fail(op, KN_ERROR_TYPE, "does not accept dtype %s%s. Accepted dtypes%s are subtypes of %s.", d->name, at.s,
             at.s, t.s);
    return false;
}

kni_atom knlax_strong(kna_op *op, kni_atom a)
{
    knx_scalar_bits bits;
    kni_type t = knb_type(op->b, a);
    if (kna_failed(op) || !t.weak)
        return a;
    return knb_literal_value(op->b, a, &bits)
               ? knb_literal(op->b, t.dtype, false, bits)
               : knb_emit1(op->b, &knp_prim_convert_element_type, &(kni_p_convert){.new_dtype = t.dtype}, 1, &a);
}

/* ---- Shapes. */

static void numbers_of_dimensions_differ(kna_op *op, int n, const kni_atom *a)
{
    bool seen[KN_MAX_NDIM + 1] = {false};
    knx_text s = {0};
    for (int i = 0; i < n; i++)
        seen[knb_type(op->b, a[i]).ndim] = true;
    for (int i = 1; i <= KN_MAX_NDIM; i++)
        if (seen[i])
            knx_text_add(&s, "%s%d", s.length ? ", " : "", i);
    kna_fail(op, KN_ERROR_TYPE, "arrays must have the same number of dimensions, got {%s}", s.s);
}

static void shapes_do_not_fit(kna_op *op, int n, const kni_atom *a)
{
    knx_text s = {0};
    for (int i = 0; i < n; i++) {
        kni_type t = knb_type(op->b, a[i]);
        if (t.ndim)
            knlax_tuple((knx_text_add(&s, "%s", s.length ? ", " : ""), &s), t.ndim, t.dim);
    }
    kna_fail(op, KN_ERROR_TYPE, "got incompatible shapes for broadcasting: %s.", s.s);
}

void knlax_operands(kna_op *op, int n, const kn_array *x, kni_atom *a)
{
    int64_t dim[KN_MAX_NDIM];
    int ndim = 0;
    knlax_same_dtypes(op, n, x, a);
    for (int i = 0; i < n && !kna_failed(op); i++) {
        kni_type t = knb_type(op->b, a[i]);
        if (t.ndim && !ndim)
            memcpy(dim, t.dim, (size_t)(ndim = t.ndim) * sizeof *dim);
        else if (t.ndim && t.ndim != ndim)
            numbers_of_dimensions_differ(op, n, a);
        for (int k = 0; t.ndim == ndim && k < ndim && !kna_failed(op); k++) {
            if (knx_dim_eq(dim[k], 1))
                dim[k] = t.dim[k];
            else if (!knx_dim_eq(t.dim[k], 1) && !knx_dim_eq(t.dim[k], dim[k]))
                shapes_do_not_fit(op, n, a);
        }
    }
    for (int i = 0; i < n && !kna_failed(op); i++)
        if (knb_type(op->b, a[i]).ndim)
            a[i] = knb_broadcast_to(op->b, a[i], kni_type_of(KN_DT(F32), ndim, dim));
}

kni_type knlax_shaped(kn_dtype d, const kn_shape *shape) { return kni_type_of(d, shape->ndim, shape->dim); }

/* ---- Lists of numbers. */

const char *knlax_tuple(knx_text *t, int n, const int64_t *v)
{
    knx_text_add(t, "(");
    for (int i = 0; i < n; i++)
        knx_text_add(t, "%s", i ? ", " : ""), knx_dim_show(t, v[i]);
    knx_text_add(t, n == 1 ? ",)" : ")");
    return t->s;
}

int knlax_list_of(kna_op *op, const kn_axes *axes, int64_t v[KN_MAX_NDIM])
{
    if (kna_failed(op))
        return 0;
    int n = axes->n > 0 ? axes->n - 1 : 0;
    for (int i = 0; i < n; i++)
        v[i] = axes->axis[i];
    return n;
}

int knlax_axes(kna_op *op, const kn_axes *axes, int ndim, int64_t v[KN_MAX_NDIM])
{
    int n = knlax_list(op, axes, v);
    for (int i = 0; i < n && !kna_failed(op); i++)
        v[i] = kna_normalize_axis(op, v[i], ndim);
    return kna_failed(op) ? 0 : n;
}

int knlax_axis(kna_op *op, kn_axes axis, int ndim, int if_not_given)
{
    if (axis.n == 0 || axis.n == 1)
        axis = (kn_axes){.n = 2, .axis = {if_not_given}};
    return kna_failed(op) ? 0 : kna_axis(op, axis, ndim, 0);
}

/* ---- Lists of arrays. */

kn_list knlax_end_list(kna_op *op, int n, const kni_atom *a)
{
    kn_array *y = knx_alloc(((size_t)n + 1) * sizeof *y);
    if (!y)
        kna_fail_with(op, knx_error_nomem());
    bool failed = kna_failed(op);
    if (!failed)
        kna_end_n(op, n, a, y);
    else
        kna_end_plain(op);
    kn_list list = kn_list_from(y, failed ? 0 : n);
    knx_free(y);
    return list;
}

kni_atom *(knlax_read_list)(kna_op *op, kn_list list, bool same, int *n)
{
    const kn_array *x = NULL;
    *n = kntree_list_read(op, list, &x);
    if (kna_failed(op) || *n < 0)
        return NULL;
    kni_atom *a = knx_alloc(((size_t)*n + 1) * sizeof *a);
    if (!a)
        kna_fail_with(op, knx_error_nomem());
    else if (same && *n)
        knlax_same_dtypes(op, *n, x, a);
    for (int i = 0; a && !same && i < *n; i++)
        a[i] = kna_in(op, x[i]);
    if (kna_failed(op)) {
        knx_free(a);
        return NULL;
    }
    return a;
}
