/* SPDX-License-Identifier: Apache-2.0
 * slicing.c -- jax.lax: slices at fixed and at computed places. */
#include "lax/internal.h"
#include <string.h>

/* ---- At fixed places. */

static kni_atom cut(kna_op *op, kni_atom a, const int64_t *start, const int64_t *limit, const int64_t *strides)
{
    int n = knb_type(op->b, a).ndim;
    kni_p_slice p = {{n, limit}, {n, start}, {strides ? n : 0, strides}};
    return kna_failed(op) ? KN_ATOM_NONE : knb_emit1(op->b, &knp_prim_slice, &p, 1, &a);
}

static void check_count(kna_op *op, const char *what, kni_type t, const kn_shape *v)
{
    knx_text s = {0}, u = {0};
    if (!kna_failed(op) && v->ndim != t.ndim)
        kna_fail(op, KN_ERROR_TYPE,
                 "%s must have the same length as the number of dimensions of the operand, got %s %s for operand shape "
                 "%s.",
                 what, what, knlax_tuple(&s, v->ndim, v->dim), knlax_tuple(&u, t.ndim, t.dim));
}

/* JAX's texts for bounds that are none. */
static void check_bounds(kna_op *op, kni_type t, const kn_shape *start, const kn_shape *limit, const kn_shape *strides)
{
    knx_text s = {0}, l = {0}, u = {0};
    bool beyond = false, less = false, negative = false, still = false;
    for (int i = 0; i < t.ndim; i++) {
        beyond |= !knx_dim_le(limit->dim[i], t.dim[i]);
        less |= !knx_dim_le(start->dim[i], limit->dim[i]);
        negative |= !knx_dim_le(0, start->dim[i]);
        still |= strides && !knx_dim_le(1, strides->dim[i]);
    }
    knlax_tuple(&s, start->ndim, start->dim);
    knlax_tuple(&l, limit->ndim, limit->dim);
    knlax_tuple(&u, t.ndim, t.dim);
    if (beyond)
        kna_fail(
            op, KN_ERROR_TYPE,
            "limit_indices must be less than or equal to operand shape, got limit_indices %s for operand shape %s.",
            l.s, u.s);
    else if (negative)
        kna_fail(op, KN_ERROR_TYPE, "start_indices must be greater than or equal to zero, got start_indices of %s.",
                 s.s);
    else if (less)
        kna_fail(op, KN_ERROR_TYPE,
                 "limit_indices must be greater than or equal to start_indices, got start_indices %s and limit_indices "
                 "%s.",
                 s.s, l.s);
    else if (still) {
        knx_text v = {0};
        kna_fail(op, KN_ERROR_TYPE, "strides must be positive, got %s", knlax_tuple(&v, strides->ndim, strides->dim));
    }
}

kn_array kn_lax_slice(kn_array x, const kn_shape *start_indices, const kn_shape *limit_indices,
                      const kn_lax_slice_opts *opts)
{
    KNX_OPTS(kn_lax_slice_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.slice");
    start_indices = kna_shape(&op, start_indices);
    limit_indices = kna_shape(&op, limit_indices);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    check_count(&op, "start_indices", t, start_indices);
    check_count(&op, "limit_indices", t, limit_indices);
    o.strides = kna_shape_or_null(&op, o.strides);
    if (o.strides)
        check_count(&op, "strides", t, o.strides);
    if (!kna_failed(&op))
        check_bounds(&op, t, start_indices, limit_indices, o.strides);
    return kna_end(&op, cut(&op, a, start_indices->dim, limit_indices->dim, o.strides ? o.strides->dim : NULL));
}

static kni_atom cut_axis(kna_op *op, kni_atom a, int axis, int64_t start, int64_t limit, int64_t stride)
{
    kni_type t = knb_type(op->b, a);
    kn_shape from = {t.ndim, {0}}, to = {t.ndim, {0}}, steps = {t.ndim, {0}};
    for (int i = 0; i < t.ndim; i++) {
        to.dim[i] = t.dim[i];
        steps.dim[i] = 1;
    }
    from.dim[axis] = start;
    to.dim[axis] = limit;
    steps.dim[axis] = stride;
    if (!kna_failed(op))
        check_bounds(op, t, &from, &to, &steps);
    return cut(op, a, from.dim, to.dim, steps.dim);
}

/* A place that is counted from the end if it is negative. */
static int64_t from_start(int64_t at, int64_t extent) { return knx_dim_lt(at, 0) ? knx_dim_add(at, extent) : at; }

static int an_axis(kna_op *op, kn_axes axis, kni_atom a)
{
    return kna_failed(op) ? 0 : knlax_axis(op, axis, knb_type(op->b, a).ndim, 0);
}

kn_array kn_lax_slice_in_dim(kn_array x, int64_t start_index, int64_t limit_index, const kn_lax_slice_in_dim_opts *opts)
{
    KNX_OPTS(kn_lax_slice_in_dim_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.slice_in_dim");
    kni_atom a = kna_in(&op, x);
    int axis = an_axis(&op, o.axis, a);
    if (kna_failed(&op))
        return kna_end(&op, a);
    int64_t extent = knb_type(op.b, a).dim[axis], limit = limit_index == KN_END ? extent : limit_index;
    return kna_end(&op, cut_axis(&op, a, axis, from_start(start_index, extent), from_start(limit, extent), o.stride));
}

kn_array kn_lax_index_in_dim(kn_array x, int64_t index, const kn_lax_index_in_dim_opts *opts)
{
    KNX_OPTS(kn_lax_index_in_dim_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.index_in_dim");
    kni_atom a = kna_in(&op, x);
    int axis = an_axis(&op, o.axis, a);
    int64_t extent = kna_failed(&op) ? 1 : knb_type(op.b, a).dim[axis], at = from_start(index, extent);
    if (!kna_failed(&op) && (knx_dim_lt(at, 0) || !knx_dim_lt(at, extent))) {
        knx_text s = {0}, u = {0};
        kna_fail(&op, KN_ERROR_INDEX, "index %s is out of bounds for axis %d with size %s", knx_dim_show(&s, index),
                 axis, knx_dim_show(&u, extent));
    }
    if (kna_failed(&op))
        return kna_end(&op, a);
    a = cut_axis(&op, a, axis, at, at + 1, 1);
    return kna_end(&op, o.keepdims ? a : knb_squeeze(op.b, a, 1, (int64_t[]){axis}));
}

/* ---- At computed places. */

/* The dtype of the indices: that of the arrays among them, else int64. */
static kn_dtype index_dtype(kna_op *op, int n, const kn_array *index)
{
    kn_dtype d = NULL;
    for (int i = 0; i < n; i++) {
        kni_type t = kna_type(op, index[i]);
        if (kna_failed(op))
            return KN_DT(I64);
        if (!knx_is_integer(t.dtype))
            kna_fail(op, KN_ERROR_TYPE, "index arguments must be integers, got %s.", t.dtype->name);
        else if (t.ndim)
            kna_fail(op, KN_ERROR_TYPE, "index arguments must be scalars, got an array of dimension %d", t.ndim);
        else if (!t.weak && d && d != t.dtype)
            kna_fail(op, KN_ERROR_TYPE, "index arguments must be integers of the same type, got: %s, %s", d->name,
                     t.dtype->name);
        else if (!t.weak)
            d = t.dtype;
    }
    return d ? d : KN_DT(I64);
}

/* An index of an axis, counted from the end if it is negative. */
static kni_atom wrapped(kna_op *op, kn_array index, kn_dtype d, int64_t extent, bool negative)
{
    knx_scalar_bits at = {.u = {0}};
    kni_type given = kna_type(op, index);
    const void *number = kna_is_number(op, index) ? kna_look(op, index, &given) : NULL;
    kni_atom i = kna_in_as(op, index, d);
    if (kna_failed(op) || d->kind == 'u')
        return i;
    if (number) {
        knx_convert(given.dtype, number, KN_DT(I64), &at);
        knx_text s = {0}, u = {0};
        bool below = knx_dim_lt(at.i64, 0);
        if (below && !negative)
            kna_fail(op, KN_ERROR_VALUE, "Index %s is out of bounds for dimension %s if allow_negative_indices=False",
                     knx_dim_show(&s, at.i64), knx_dim_show(&u, extent));
        return below ? knb_dimension(op->b, d, knx_dim_add(at.i64, extent)) : i;
    }
    if (!negative)
        return i;
    kni_atom below = knb_lt(op->b, i, knb_integer(op->b, d, 0));
    kni_atom from_end = knb_add(op->b, i, knb_dimension(op->b, d, extent));
    return knb_select_n(op->b, below, 2, (kni_atom[]){i, from_end});
}

static void wrap_all(kna_op *op, int n, const kn_array *index, kni_type t, bool negative, kni_atom *start)
{
    if (!kna_failed(op) && n != t.ndim) {
        knx_text s = {0};
        kna_fail(op, KN_ERROR_VALUE, "Length of slice indices must match number of operand dimensions (%d vs %s)", n,
                 knlax_tuple(&s, t.ndim, t.dim));
    }
    kn_dtype d = kna_failed(op) ? KN_DT(I64) : index_dtype(op, n, index);
    for (int i = 0; i < n && !kna_failed(op); i++)
        start[i] = wrapped(op, index[i], d, t.dim[i], negative);
}

/* An index for one axis, 0 for the others. */
static void wrap_one(kna_op *op, kn_array index, kni_type t, int axis, bool negative, kni_atom *start)
{
    kn_dtype d = index_dtype(op, 1, &index);
    for (int i = 0; i < t.ndim && !kna_failed(op); i++)
        start[i] = i == axis ? wrapped(op, index, d, t.dim[i], negative) : knb_integer(op->b, d, 0);
}

kn_array kn_lax_dynamic_slice(kn_array x, kn_list start_indices, const kn_shape *slice_sizes,
                              const kn_lax_dynamic_opts *opts)
{
    KNX_OPTS(kn_lax_dynamic_opts, o, opts);
    kna_op op;
    kni_atom start[KN_MAX_NDIM];
    const kn_array *index = NULL;
    kna_begin(&op, "lax.dynamic_slice");
    slice_sizes = kna_shape(&op, slice_sizes);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    int n = kntree_list_read(&op, start_indices, &index);
    if (!kna_failed(&op) && n == t.ndim)
        check_count(&op, "slice_sizes", t, slice_sizes);
    wrap_all(&op, n, index, t, o.allow_negative_indices, start);
    return kna_end(&op, kna_failed(&op) ? a : knb_dynamic_slice(op.b, a, start, slice_sizes->dim));
}

static kni_atom slice_axis(kna_op *op, kni_atom a, int axis, kn_array index, int64_t size, bool negative)
{
    kni_atom start[KN_MAX_NDIM];
    int64_t sizes[KN_MAX_NDIM];
    kni_type t = knb_type(op->b, a);
    if (kna_failed(op))
        return a;
    if (t.ndim)
        memcpy(sizes, t.dim, (size_t)t.ndim * sizeof *sizes);
    sizes[axis] = size;
    wrap_one(op, index, t, axis, negative, start);
    return kna_failed(op) ? a : knb_dynamic_slice(op->b, a, start, sizes);
}

kn_array kn_lax_dynamic_slice_in_dim(kn_array x, kn_array start_index, int64_t slice_size,
                                     const kn_lax_dynamic_in_dim_opts *opts)
{
    KNX_OPTS(kn_lax_dynamic_in_dim_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.dynamic_slice_in_dim");
    kni_atom a = kna_in(&op, x);
    int axis = an_axis(&op, o.axis, a);
    return kna_end(&op, slice_axis(&op, a, axis, start_index, slice_size, o.allow_negative_indices));
}

kn_array kn_lax_dynamic_index_in_dim(kn_array x, kn_array index, const kn_lax_dynamic_index_in_dim_opts *opts)
{
    KNX_OPTS(kn_lax_dynamic_index_in_dim_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.dynamic_index_in_dim");
    kni_atom a = kna_in(&op, x);
    int axis = an_axis(&op, o.axis, a);
    a = slice_axis(&op, a, axis, index, 1, o.allow_negative_indices);
    return kna_end(&op, o.keepdims || kna_failed(&op) ? a : knb_squeeze(op.b, a, 1, (int64_t[]){axis}));
}

kn_array kn_lax_dynamic_update_slice(kn_array x, kn_array update, kn_list start_indices,
                                     const kn_lax_dynamic_opts *opts)
{
    KNX_OPTS(kn_lax_dynamic_opts, o, opts);
    kna_op op;
    kni_atom start[KN_MAX_NDIM], a[2];
    const kn_array *index = NULL;
    kna_begin(&op, "lax.dynamic_update_slice");
    knlax_same_dtypes(&op, 2, (kn_array[]){x, update}, a);
    int n = kntree_list_read(&op, start_indices, &index);
    if (!kna_failed(&op))
        wrap_all(&op, n, index, knb_type(op.b, a[0]), o.allow_negative_indices, start);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_dynamic_update_slice(op.b, a[0], a[1], start));
}

static kn_array update_axis(const char *name, kn_array x, kn_array update, kn_array index, int given_axis,
                            const kn_lax_dynamic_opts *opts, bool one)
{
    KNX_OPTS(kn_lax_dynamic_opts, o, opts);
    kna_op op;
    kni_atom start[KN_MAX_NDIM], a[2];
    kna_begin(&op, name);
    knlax_same_dtypes(&op, 2, (kn_array[]){x, update}, a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a[0]), u = knb_type(op.b, a[1]);
    int axis = kna_normalize_axis(&op, given_axis, t.ndim);
    if (one && u.ndim + 1 == t.ndim && !kna_failed(&op))
        a[1] = knb_expand_dims(op.b, a[1], axis);
    if (!kna_failed(&op))
        wrap_one(&op, index, t, axis, o.allow_negative_indices, start);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_dynamic_update_slice(op.b, a[0], a[1], start));
}

kn_array kn_lax_dynamic_update_slice_in_dim(kn_array x, kn_array update, kn_array start_index, int axis,
                                            const kn_lax_dynamic_opts *opts)
{
    return update_axis("lax.dynamic_update_slice_in_dim", x, update, start_index, axis, opts, false);
}

kn_array kn_lax_dynamic_update_index_in_dim(kn_array x, kn_array update, kn_array index, int axis,
                                            const kn_lax_dynamic_opts *opts)
{
    return update_axis("lax.dynamic_update_index_in_dim", x, update, index, axis, opts, true);
}
