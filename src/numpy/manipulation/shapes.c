/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- other shapes for the same elements: reshape, transpose, moved, new and dropped axes. */
#include "array/handle.h"
#include "kiln/memory.h"
#include "lib/internal.h"
#include <stdlib.h>
#include <string.h>

static void cannot_reshape(kna_op *op, int64_t size, const kn_shape *shape)
{
    knx_text t = {0}, s = {0};
    kna_fail(op, KN_ERROR_VALUE, "cannot reshape array of size %s into shape %s", knx_dim_show(&s, size),
             knx_show_shape(&t, shape->ndim, shape->dim));
}

/* The same of extents that are expressions: known is the product of the others. */
static void divide_symbolic(kna_op *op, int64_t size, int64_t known, int unknown, kn_shape *shape)
{
    int64_t rest = unknown < 0 || knx_dim_eq(known, 0) ? 0 : knx_dim_mod(size, known);
    if (unknown < 0 ? !knx_dim_eq(known, size)
                    : !knx_is_symbolic(known) && (!known || (!knx_is_symbolic(rest) && rest)))
        cannot_reshape(op, size, shape);
    else if (!knx_dim_eq(rest, 0)) {
        knx_text s = {0}, t = {0}, r = {0};
        kna_fail(op, KN_ERROR_DIMENSION, "cannot reshape array of size %s into shape %s: the remainder %s should be 0",
                 knx_dim_show(&s, size), knx_show_shape(&t, shape->ndim, shape->dim), knx_dim_show(&r, rest));
    } else if (unknown >= 0)
        shape->dim[unknown] = knx_dim_floordiv(size, known);
}

/* The extent that one negative number stands for. */
static void work_out(kna_op *op, int64_t size, kn_shape *shape)
{
    int unknown = -1;
    size_t known = 1;
    int64_t product = 1; /* of those that are given */
    bool too_large = false, symbolic = knx_is_symbolic(size) || knx_has_symbolic(shape->ndim, shape->dim);
    kn_shape given = *shape;
    for (int i = 0; i < shape->ndim; i++) {
        if (shape->dim[i] < 0 && unknown >= 0) {
            kna_fail(op, KN_ERROR_VALUE, "can only specify one unknown dimension");
            return;
        }
        if (shape->dim[i] < 0)
            unknown = i;
        else if (symbolic)
            product = knx_dim_mul(product, shape->dim[i]);
        else
            too_large = too_large || (uint64_t)shape->dim[i] > SIZE_MAX ||
                        knx_mul_overflows(known, (size_t)shape->dim[i], &known);
    }
    if (symbolic) {
        divide_symbolic(op, size, product, unknown, shape);
        return;
    }
    bool fits = !too_large && (unknown >= 0 ? known != 0 && (uint64_t)size % known == 0 : known == (uint64_t)size);
    if (!fits)
        cannot_reshape(op, size, &given);
    else if (unknown >= 0)
        shape->dim[unknown] = size / (int64_t)known;
}

/* The view of x, of type t, that has this shape; NULL: the ordinary path. */
static kn_array reshaped_at_once(kna_op *op, kn_array x, kni_type t, const kn_shape *shape)
{
    const kni_p_reshape p = {{shape->ndim, shape->dim}};
    kni_type y = knl_shaped(t.dtype, shape);
    if (kna_failed(op) || kni_type_is_symbolic(t) || kni_type_is_symbolic(y) || kni_type_same_shape(t, y))
        return NULL;
    return kna_end_step(op, x, &knp_prim_reshape, &p, y);
}

kn_array kn_reshape(kn_array x, const kn_shape *shape, const kn_reshape_opts *opts)
{
    KNX_OPTS(kn_reshape_opts, o, opts);
    kna_op op;
    kna_begin(&op, "reshape");
    shape = kna_shape(&op, shape);
    kni_type t = kna_type(&op, x);
    if (kna_failed(&op) || knl_too_many_axes(&op, shape->ndim))
        return kna_end(&op, KN_ATOM_NONE);
    char order = knl_read_order(&op, o.order, x, false);
    kn_shape s = *shape;
    work_out(&op, kni_type_size(t), &s);
    kn_array few = order == 'C' && o.copy < 0 ? reshaped_at_once(&op, x, t, &s) : NULL;
    if (few)
        return few;
    kni_atom a = kna_in(&op, x), y;
    if (order == 'F') {
        kn_shape back = s;
        for (int i = 0; i < s.ndim; i++)
            back.dim[i] = s.dim[s.ndim - 1 - i];
        y = knl_reversed(&op, knl_reshape(&op, knl_reversed(&op, a), &back));
    } else
        y = knl_reshape(&op, a, &s);
    int64_t fortran[KN_MAX_NDIM];
    for (int i = 0; i < s.ndim; i++)
        fortran[i] = s.ndim - 1 - i;
    if (o.copy > 0)
        return order == 'F' && s.ndim > 1 && !kna_failed(&op) ? kna_end_permuted(&op, y, fortran) : kna_end(&op, y);
    kn_array view = kna_end_view_ordered(&op, x, a, y, order == 'F' ? fortran : NULL);
    if (o.copy == 0 && view && !kn_shares_memory(x, view) && kn_size(view) > 0) {
        kna_begin(&op, "reshape");
        kna_fail(&op, KN_ERROR_VALUE, "Unable to avoid creating a copy while reshaping.");
        return kna_end(&op, KN_ATOM_NONE);
    }
    return view;
}

/* Do the elements lie one after the other, the axes from the outermost to the innermost in this order? */
static bool lies_in_order(const kna_array *a, const int64_t *order)
{
    int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM];
    for (int i = 0; i < a->type.ndim; i++) {
        dim[i] = a->type.dim[order[i]];
        stride[i] = a->stride[order[i]];
    }
    return kna_is_contiguous(kni_type_of(a->type.dtype, a->type.ndim, dim), stride);
}

/* Axes by falling strides. */
static void order_in_memory(const kna_array *a, int64_t *order)
{
    for (int i = 0; i < a->type.ndim; i++) {
        int to = i;
        for (; to > 0 && llabs(a->stride[order[to - 1]]) < llabs(a->stride[i]); to--)
            order[to] = order[to - 1];
        order[to] = i;
    }
}

/* The axes in the order in which the elements come, the outermost first. True: so they lie in memory. */
static bool flat_order(kna_op *op, const kna_array *a, char order, int64_t *axes)
{
    int ndim = a->type.ndim;
    for (int i = 0; i < ndim; i++)
        axes[i] = order == 'F' ? ndim - 1 - i : i;
    if (lies_in_order(a, axes))
        return true;
    if (order != 'K')
        return false;
    order_in_memory(a, axes);
    if (lies_in_order(a, axes))
        return true;
    kna_walking_order(op, a, NULL, axes);
    return false;
}

static kn_array flattened(const char *name, kn_array x, const kn_ravel_opts *opts, bool copy)
{
    KNX_OPTS(kn_ravel_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    char order = knl_read_order(&op, o.order, x, true);
    bool other = !kna_failed(&op) && kna_handle_is_foreign(x); /* of another context: as if its axes lay in order */
    bool none = kna_failed(&op) || other || (copy && order == 'C') || kna_is_number(&op, x);
    const kna_array *base = none ? NULL : kna_array_of(&op, x);
    int64_t axes[KN_MAX_NDIM];
    bool lies = base && flat_order(&op, base, order, axes);
    kni_atom turned = other && order == 'F' ? knl_reversed(&op, a) : a;
    if (base && base->type.ndim > 1 && order != 'C')
        turned = knb_transpose(op.b, a, axes);
    kni_atom y = knl_flatten(&op, turned);
    return lies && !copy ? kna_end_view(&op, x, a, y) : kna_end(&op, y);
}

kn_array kn_ravel(kn_array x, const kn_ravel_opts *opts) { return flattened("ravel", x, opts, false); }
kn_array kn_flatten(kn_array x, const kn_ravel_opts *opts) { return flattened("flatten", x, opts, true); }

/* NULL: the ordinary path. Builders make no equation where nothing changes. */
static kn_array transposed_at_once(kna_op *op, kn_array x, kni_type t, const int64_t *order)
{
    int64_t dim[KN_MAX_NDIM];
    bool changes = false;
    if (kna_failed(op) || kni_type_is_symbolic(t))
        return NULL;
    for (int i = 0; i < t.ndim; i++) {
        dim[i] = t.dim[order[i]];
        changes = changes || order[i] != i;
    }
    const kni_p_transpose p = {{t.ndim, order}};
    return changes ? kna_end_step(op, x, &knp_prim_transpose, &p, kni_type_of(t.dtype, t.ndim, dim)) : NULL;
}

kn_array kn_transpose(kn_array x, const kn_transpose_opts *opts)
{
    KNX_OPTS(kn_transpose_opts, o, opts);
    kna_op op;
    kna_begin(&op, "transpose");
    kni_type t = kna_type(&op, x);
    int64_t order[KN_MAX_NDIM];
    bool seen[KN_MAX_NDIM] = {false};
    int ndim = kna_failed(&op) ? 0 : t.ndim;
    if (o.axes.n > 0 && o.axes.n - 1 != ndim && !kna_failed(&op))
        kna_fail(&op, KN_ERROR_VALUE, "axes don't match array");
    for (int i = 0; i < ndim && !kna_failed(&op); i++) {
        int axis = o.axes.n > 0 ? kna_normalize_axis(&op, o.axes.axis[i], ndim) : ndim - 1 - i;
        if (kna_failed(&op))
            break;
        if (seen[axis])
            kna_fail(&op, KN_ERROR_VALUE, "repeated axis in transpose");
        seen[axis] = true;
        order[i] = axis;
    }
    kn_array few = transposed_at_once(&op, x, t, order);
    if (few)
        return few;
    kni_atom a = kna_in(&op, x);
    return kna_end_view(&op, x, a, kna_failed(&op) || !ndim ? a : knb_transpose(op.b, a, order));
}

/* One axis; messages name the argument. */
static int named_axis(kna_op *op, const char *name, int axis, int ndim)
{
    if (!*name || (axis >= -ndim && axis < ndim))
        return kna_normalize_axis(op, axis, ndim);
    kna_fail(op, KN_ERROR_AXIS, "%s: axis %d is out of bounds for array of dimension %d", name, axis, ndim);
    return 0;
}

kn_array kn_swapaxes(kn_array x, int axis1, int axis2)
{
    kna_op op;
    kna_begin(&op, "swapaxes");
    kni_atom a = kna_in(&op, x);
    int64_t order[KN_MAX_NDIM];
    int ndim = knb_type(op.b, a).ndim;
    int p = kna_failed(&op) ? 0 : named_axis(&op, "axis1", axis1, ndim),
        q = kna_failed(&op) ? 0 : named_axis(&op, "axis2", axis2, ndim);
    for (int i = 0; i < ndim; i++)
        order[i] = i == p ? q : i == q ? p : i;
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : knb_transpose(op.b, a, order));
}

/* Axes in the order given, normalized; `name` is the argument's, or empty. */
static int list_axes(kna_op *op, const kn_axes *given, int ndim, const char *name, int axes[KN_MAX_NDIM])
{
    int n = knl_axis_count(op, *given);
    bool seen[KN_MAX_NDIM] = {false};
    for (int i = 0; i < n && !kna_failed(op); i++) {
        axes[i] = named_axis(op, name, given->axis[i], ndim);
        if (kna_failed(op))
            break;
        if (seen[axes[i]] && *name)
            kna_fail(op, KN_ERROR_VALUE, "repeated axis in `%s` argument", name);
        else if (seen[axes[i]])
            kna_fail(op, KN_ERROR_VALUE, "repeated axis");
        seen[axes[i]] = true;
    }
    return n;
}

kn_array kn_moveaxis(kn_array x, const kn_axes *source, const kn_axes *destination)
{
    kna_op op;
    kna_begin(&op, "moveaxis");
    source = kna_axes_of(&op, source);
    destination = kna_axes_of(&op, destination);
    kni_atom a = kna_in(&op, x);
    int from[KN_MAX_NDIM], to[KN_MAX_NDIM], ndim = knb_type(op.b, a).ndim;
    int64_t order[KN_MAX_NDIM];
    bool moved[KN_MAX_NDIM] = {false}, taken[KN_MAX_NDIM] = {false};
    int n = list_axes(&op, source, ndim, "source", from);
    int m = list_axes(&op, destination, ndim, "destination", to);
    if (!kna_failed(&op) && n != m)
        kna_fail(&op, KN_ERROR_VALUE, "`source` and `destination` arguments must have the same number of elements");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    for (int i = 0; i < n; i++) {
        order[to[i]] = from[i];
        taken[to[i]] = moved[from[i]] = true;
    }
    for (int i = 0, old = 0; i < ndim; i++) {
        if (taken[i])
            continue;
        while (moved[old])
            old++;
        order[i] = old++;
    }
    return kna_end_view(&op, x, a, ndim ? knb_transpose(op.b, a, order) : a);
}

kn_array kn_expand_dims(kn_array x, const kn_axes *axis)
{
    kna_op op;
    kna_begin(&op, "expand_dims");
    axis = kna_axes_of(&op, axis);
    kni_atom a = kna_in(&op, x);
    int axes[KN_MAX_NDIM] = {0}, more = knl_axis_count(&op, *axis);
    bool is_new[KN_MAX_NDIM] = {false};
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a);
    kn_shape shape = {.ndim = t.ndim + more};
    if (!knl_too_many_axes(&op, shape.ndim))
        list_axes(&op, axis, shape.ndim, "", axes);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    for (int i = 0; i < more; i++)
        is_new[axes[i]] = true;
    for (int i = 0, old = 0; i < shape.ndim; i++)
        shape.dim[i] = is_new[i] ? 1 : t.dim[old++];
    return kna_end_view(&op, x, a, knl_insert_axes(&op, a, &shape, is_new));
}

/* Without axes to drop it has to be known which have an extent of 1. */
static void check_wide(kna_op *op, int axis, int64_t extent)
{
    int64_t lower, upper;
    knx_text t = {0};
    knx_dim_bounds(extent, &lower, &upper);
    if (lower <= 1 && upper >= 1)
        kna_fail(op, KN_ERROR_DIMENSION,
                 "without axes it must be known which extents are 1, but that of axis %d is %s: name the axes", axis,
                 knx_dim_show(&t, extent));
}

kn_array kn_squeeze(kn_array x, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "squeeze");
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a);
    int64_t axes[KN_MAX_NDIM];
    int n = 0;
    if (!t.ndim && o.axis.n == 2 && (o.axis.axis[0] == 0 || o.axis.axis[0] == -1))
        o.axis.n = 0; /* NumPy lets a scalar have one */
    if (o.axis.n > 0) {
        n = kna_axes(&op, o.axis, t.ndim, KNA_AXES_ALL, axes);
        for (int i = 0; i < n && !kna_failed(&op); i++)
            if (!knx_dim_eq(t.dim[axes[i]], 1))
                kna_fail(&op, KN_ERROR_VALUE, "cannot select an axis to squeeze out which has size not equal to one");
    } else {
        for (int i = 0; i < t.ndim && !kna_failed(&op); i++) {
            if (knx_dim_eq(t.dim[i], 1))
                axes[n++] = i;
            else
                check_wide(&op, i, t.dim[i]);
        }
    }
    if (!n && o.axis.n <= 0)
        return kna_end_same(&op, x, a);
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : n ? knb_squeeze(op.b, a, n, axes) : a);
}

kn_array kn_rollaxis(kn_array x, int axis, const kn_rollaxis_opts *opts)
{
    KNX_OPTS(kn_rollaxis_opts, o, opts);
    kna_op op;
    kna_begin(&op, "rollaxis");
    kni_atom a = kna_in(&op, x);
    int ndim = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim, start = o.start;
    int64_t order[KN_MAX_NDIM];
    axis = kna_failed(&op) ? 0 : kna_normalize_axis(&op, axis, ndim);
    if (!kna_failed(&op) && (start < -ndim || start > ndim))
        kna_fail(&op, KN_ERROR_AXIS, "'start' arg requires %d <= start < %d, but %d was passed in", -ndim, ndim + 1,
                 start);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    start += start < 0 ? ndim : 0;
    start -= axis < start;
    for (int i = 0, old = 0; i < ndim; i++) {
        if (i == start)
            order[i] = axis;
        else {
            old += old == axis;
            order[i] = old++;
        }
    }
    return kna_end_view(&op, x, a, knb_transpose(op.b, a, order));
}

kn_array kn_permute_dims(kn_array x, const kn_transpose_opts *opts) { return kn_transpose(x, opts); }

kn_array kn_matrix_transpose(kn_array x)
{
    kna_op op;
    kna_begin(&op, "matrix_transpose");
    kni_atom a = kna_in(&op, x);
    if (!kna_failed(&op) && knb_type(op.b, a).ndim < 2)
        kna_fail(&op, KN_ERROR_VALUE, "Input array must be at least 2-dimensional, but it is %d",
                 knb_type(op.b, a).ndim);
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : knb_swap_last(op.b, a));
}
