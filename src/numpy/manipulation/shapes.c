/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- other shapes for the same elements: reshape, transpose, new axes, broadcasting, flips. */
#include "array/handle.h"
#include "kiln/memory.h"
#include "lib/internal.h"
#include <stdlib.h>
#include <string.h>

kn_type knn_shaped(kn_dtype d, const kn_shape *shape) { return kni_type(d, shape->ndim, shape->dim); }

kn_atom knn_reshape(kna_op *op, kn_atom a, const kn_shape *shape)
{
    return kna_failed(op) ? KN_ATOM_NONE : knb_reshape(op->b, a, shape->ndim, shape->dim);
}

kn_atom knn_flatten(kna_op *op, kn_atom a)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_shape flat = {1, {kni_type_size(knb_type(op->b, a))}};
    return knn_reshape(op, a, &flat);
}

kn_atom knn_axes_last(kna_op *op, kn_atom a, int n, const int64_t *axes)
{
    if (kna_failed(op))
        return a;
    kn_type t = knb_type(op->b, a);
    kn_shape shape = {.ndim = 0};
    int64_t order[KN_MAX_NDIM], size = 1;
    for (int i = 0, j = 0; i < t.ndim; i++) {
        if (j < n && axes[j] == i) {
            order[t.ndim - n + j++] = i;
            size *= t.dim[i];
        } else {
            order[shape.ndim] = i;
            shape.dim[shape.ndim++] = t.dim[i];
        }
    }
    if (shape.ndim == KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
        return a;
    }
    shape.dim[shape.ndim++] = size;
    return knn_reshape(op, knb_transpose(op->b, a, order), &shape);
}

kn_atom knn_insert_axes(kna_op *op, kn_atom a, const kn_shape *shape, const bool *is_new)
{
    int64_t dimensions[KN_MAX_NDIM];
    int n = 0;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    for (int i = 0; i < shape->ndim; i++)
        if (!is_new[i])
            dimensions[n++] = i;
    return n == shape->ndim ? a : knb_broadcast_in_dim(op->b, a, shape->ndim, shape->dim, dimensions);
}

kn_atom knn_keep_axes(kna_op *op, kn_atom reduced, kn_type before, int n, const int64_t *axes)
{
    kn_shape shape = {.ndim = before.ndim};
    bool is_new[KN_MAX_NDIM] = {false};
    for (int i = 0; i < n; i++)
        is_new[axes[i]] = true;
    for (int i = 0; i < before.ndim; i++)
        shape.dim[i] = is_new[i] ? 1 : before.dim[i];
    return knn_insert_axes(op, reduced, &shape, is_new);
}

static void cannot_reshape(kna_op *op, int64_t size, const kn_shape *shape)
{
    kn_text t = {0};
    kna_fail(op, KN_ERROR_VALUE, "cannot reshape array of size %lld into shape %s", (long long)size,
             knx_show_shape(&t, shape->ndim, shape->dim));
}

/* The extent that one negative number stands for. */
static void work_out(kna_op *op, int64_t size, kn_shape *shape)
{
    int unknown = -1;
    size_t known = 1;
    bool too_large = false;
    kn_shape given = *shape;
    for (int i = 0; i < shape->ndim; i++) {
        if (shape->dim[i] < 0 && unknown >= 0) {
            kna_fail(op, KN_ERROR_VALUE, "can only specify one unknown dimension");
            return;
        }
        if (shape->dim[i] < 0)
            unknown = i;
        else
            too_large = too_large || (uint64_t)shape->dim[i] > SIZE_MAX ||
                        knx_mul_overflows(known, (size_t)shape->dim[i], &known);
    }
    bool fits = !too_large && (unknown >= 0 ? known != 0 && (uint64_t)size % known == 0 : known == (uint64_t)size);
    if (!fits)
        cannot_reshape(op, size, &given);
    else if (unknown >= 0)
        shape->dim[unknown] = size / (int64_t)known;
}

static bool too_many_axes(kna_op *op, int64_t ndim)
{
    if (ndim >= 0 && ndim <= KN_MAX_NDIM)
        return false;
    kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %lld", KN_MAX_NDIM,
             (long long)ndim);
    return true;
}

/* Fortran-contiguous and not C-contiguous. */
bool knn_is_fortran(kna_op *op, kn_array x)
{
    const kna_array *a = kna_failed(op) || kna_handle_is_foreign(x) ? NULL : kna_array_of(op, x);
    if (!a || kna_is_contiguous(a->type, a->stride))
        return false;
    int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM];
    int ndim = a->type.ndim;
    for (int i = 0; i < ndim; i++) {
        dim[i] = a->type.dim[ndim - 1 - i];
        stride[i] = a->stride[ndim - 1 - i];
    }
    return kna_is_contiguous(kni_type(a->type.dtype, ndim, dim), stride);
}

char knn_read_order(kna_op *op, const char *order, kn_array x, bool keeps)
{
    char c = order && *order ? order[0] : 'C';
    if (c >= 'a' && c <= 'z')
        c = (char)(c - 'a' + 'A');
    if (order && (!*order || order[1] || !strchr("CFAK", c)))
        kna_fail(op, KN_ERROR_VALUE, "order must be one of 'C', 'F', 'A', or 'K' (got '%s')", order);
    else if (c == 'K' && !keeps)
        kna_fail(op, KN_ERROR_VALUE, "order 'K' is not permitted for reshaping");
    return c != 'A' ? c : knn_is_fortran(op, x) ? 'F' : 'C';
}

/* The axes the other way round. */
static kn_atom reversed(kna_op *op, kn_atom a)
{
    int64_t order[KN_MAX_NDIM];
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, a).ndim;
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    return ndim > 1 ? knb_transpose(op->b, a, order) : a;
}

kn_array kn_reshape(kn_array x, const kn_shape *shape, const kn_reshape_opts *opts)
{
    KNN_OPTS(kn_reshape_opts, o, opts);
    kna_op op;
    kna_begin(&op, "reshape");
    shape = kna_shape(&op, shape);
    kn_atom a = kna_in(&op, x), y;
    kn_shape s;
    if (kna_failed(&op) || too_many_axes(&op, shape->ndim))
        return kna_end(&op, KN_ATOM_NONE);
    char order = knn_read_order(&op, o.order, x, false);
    s = *shape;
    work_out(&op, kni_type_size(knb_type(op.b, a)), &s);
    if (order == 'F') {
        kn_shape back = s;
        for (int i = 0; i < s.ndim; i++)
            back.dim[i] = s.dim[s.ndim - 1 - i];
        y = reversed(&op, knn_reshape(&op, reversed(&op, a), &back));
    } else
        y = knn_reshape(&op, a, &s);
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
    return kna_is_contiguous(kni_type(a->type.dtype, a->type.ndim, dim), stride);
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
static bool flat_order(const kna_array *a, char order, int64_t *axes)
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
    kna_walking_order(a, axes);
    return false;
}

static kn_array flattened(const char *name, kn_array x, const kn_ravel_opts *opts, bool copy)
{
    KNN_OPTS(kn_ravel_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    kn_atom a = kna_in(&op, x);
    char order = knn_read_order(&op, o.order, x, true);
    bool other = !kna_failed(&op) && kna_handle_is_foreign(x); /* of another context: as if its axes lay in order */
    const kna_array *base = kna_failed(&op) || other || (copy && order == 'C') ? NULL : kna_array_of(&op, x);
    int64_t axes[KN_MAX_NDIM];
    bool lies = base && flat_order(base, order, axes);
    kn_atom turned = other && order == 'F' ? reversed(&op, a) : a;
    if (base && base->type.ndim > 1 && order != 'C')
        turned = knb_transpose(op.b, a, axes);
    kn_atom y = knn_flatten(&op, turned);
    return lies && !copy ? kna_end_view(&op, x, a, y) : kna_end(&op, y);
}

kn_array kn_ravel(kn_array x, const kn_ravel_opts *opts) { return flattened("ravel", x, opts, false); }
kn_array kn_flatten(kn_array x, const kn_ravel_opts *opts) { return flattened("flatten", x, opts, true); }

kn_array kn_transpose(kn_array x, const kn_transpose_opts *opts)
{
    KNN_OPTS(kn_transpose_opts, o, opts);
    kna_op op;
    kna_begin(&op, "transpose");
    kn_atom a = kna_in(&op, x);
    int64_t order[KN_MAX_NDIM];
    bool seen[KN_MAX_NDIM] = {false};
    int ndim = knb_type(op.b, a).ndim;
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
    kn_atom a = kna_in(&op, x);
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
    int n = knn_axis_count(op, *given);
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
    kn_atom a = kna_in(&op, x);
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
    kn_atom a = kna_in(&op, x);
    int axes[KN_MAX_NDIM] = {0}, more = knn_axis_count(&op, *axis);
    bool is_new[KN_MAX_NDIM] = {false};
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_type t = knb_type(op.b, a);
    kn_shape shape = {.ndim = t.ndim + more};
    if (!too_many_axes(&op, shape.ndim))
        list_axes(&op, axis, shape.ndim, "", axes);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    for (int i = 0; i < more; i++)
        is_new[axes[i]] = true;
    for (int i = 0, old = 0; i < shape.ndim; i++)
        shape.dim[i] = is_new[i] ? 1 : t.dim[old++];
    return kna_end_view(&op, x, a, knn_insert_axes(&op, a, &shape, is_new));
}

kn_array kn_squeeze(kn_array x, const kn_squeeze_opts *opts)
{
    KNN_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "squeeze");
    kn_atom a = kna_in(&op, x);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_type t = knb_type(op.b, a);
    int64_t axes[KN_MAX_NDIM];
    int n = 0;
    if (!t.ndim && o.axis.n == 2 && (o.axis.axis[0] == 0 || o.axis.axis[0] == -1))
        o.axis.n = 0; /* NumPy lets a scalar have one */
    if (o.axis.n > 0) {
        n = kna_axes(&op, o.axis, t.ndim, KNA_AXES_ALL, axes);
        for (int i = 0; i < n && !kna_failed(&op); i++)
            if (t.dim[axes[i]] != 1)
                kna_fail(&op, KN_ERROR_VALUE, "cannot select an axis to squeeze out which has size not equal to one");
    } else {
        for (int i = 0; i < t.ndim; i++)
            if (t.dim[i] == 1)
                axes[n++] = i;
    }
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : n ? knb_squeeze(op.b, a, n, axes) : a);
}

kn_array kn_broadcast_to(kn_array x, const kn_shape *shape)
{
    kna_op op;
    kna_begin(&op, "broadcast_to");
    shape = kna_shape(&op, shape);
    kn_atom a = kna_in(&op, x);
    if (kna_failed(&op) || too_many_axes(&op, shape->ndim))
        return kna_end(&op, KN_ATOM_NONE);
    kn_type t = knb_type(op.b, a);
    kna_fail_with(&op, kni_type_check_size(knn_shaped(t.dtype, shape)));
    int lead = shape->ndim - t.ndim;
    bool fits = lead >= 0;
    for (int i = 0; i < t.ndim && fits; i++)
        fits = t.dim[i] == 1 || t.dim[i] == shape->dim[lead + i];
    if (!kna_failed(&op) && lead < 0)
        kna_fail(&op, KN_ERROR_VALUE, "input operand has more dimensions than allowed by the axis remapping");
    if (!kna_failed(&op) && !fits) {
        kn_text from = {0}, to = {0};
        kna_fail(&op, KN_ERROR_VALUE,
                 "operands could not be broadcast together with remapped shapes [original->remapped]: %s  and "
                 "requested shape %s",
                 knx_show_shape(&from, t.ndim, t.dim), knx_show_shape(&to, shape->ndim, shape->dim));
    }
    kn_atom wide = kna_failed(&op) ? KN_ATOM_NONE : knb_broadcast_to(op.b, a, knn_shaped(t.dtype, shape));
    kn_array y = kna_end_view(&op, x, a, wide);
    kna_set_readonly(y);
    return y;
}

kn_array kn_flip(kn_array x, const kn_squeeze_opts *opts)
{
    KNN_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "flip");
    kn_atom a = kna_in(&op, x);
    int64_t axes[KN_MAX_NDIM];
    int n = kna_failed(&op) ? 0 : kna_axes(&op, o.axis, knb_type(op.b, a).ndim, KNA_AXES_ALL, axes);
    return kna_end_view(&op, x, a, kna_failed(&op) || !n ? a : knb_rev(op.b, a, n, axes));
}
