/* SPDX-License-Identifier: Apache-2.0
 * views.c -- what shows the memory of another array in another way; see also shapes.c and indexing/indexing.c. */
#include "array/handle.h"
#include "array/layout.h"
#include "kiln/memory.h"
#include "lib/compose.h"
#include <string.h>

kni_atom knl_bytes_as(kna_op *op, kni_atom a, kn_dtype d)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (knb_type(op->b, a).dtype->kind == KN_KIND_BOOL)
        a = knb_bitcast(op->b, a, KN_U8);
    if (knb_type(op->b, a).dtype == d)
        return a;
    if (d->kind != KN_KIND_BOOL)
        return knb_bitcast_last_axis(op->b, a, d);
    return knb_bitcast(op->b, knb_bitcast_last_axis(op->b, a, KN_U8), d);
}

/* Of another size: NumPy's conditions, and the bytes along the last axis. */
static kni_atom view_last_axis(kna_op *op, kn_array x, kni_atom a, kn_dtype d)
{
    kni_type t = knb_type(op->b, a);
    int last = t.ndim - 1;
    if (t.dtype == KN_DT(KEY) || d == KN_DT(KEY))
        kna_fail(op, KN_ERROR_TYPE, "does not accept random keys");
    else if (!t.ndim)
        kna_fail(op, KN_ERROR_VALUE, "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    const kna_array *v = kna_failed(op) || kna_handle_is_foreign(x) ? NULL : kna_array_of(op, x);
    if (v && t.dim[last] != 1 && kni_type_size(t) && v->stride[last] != t.dtype->size)
        kna_fail(op, KN_ERROR_VALUE, "To change to a dtype of a different size, the last axis must be contiguous");
    if (v && v->storage->pin && (uintptr_t)v->storage->pin->buffer->data % d->align)
        kna_fail(op, KN_ERROR_VALUE, "%s wants memory aligned to %d bytes", d->name, d->align);
    return kna_failed(op) ? a : knl_bytes_as(op, a, d);
}

kn_array kn_view(kn_array x, kn_dtype dtype)
{
    kna_op op;
    kna_begin(&op, "view");
    kni_atom a = kna_in(&op, x);
    kn_dtype d = kna_failed(&op) ? NULL : knb_type(op.b, a).dtype;
    if (!dtype)
        kna_fail(&op, KN_ERROR_TYPE, "a dtype is missing");
    if (kna_failed(&op) || d == dtype)
        return kna_end_view(&op, x, a, a);
    return kna_end_view(&op, x, a,
                        d->size == dtype->size ? knb_bitcast(op.b, a, dtype) : view_last_axis(&op, x, a, dtype));
}

kn_array kn_as_strided(kn_array x, const kn_shape *shape, const kn_shape *strides, const kn_as_strided_opts *opts)
{
    KNX_OPTS(kn_as_strided_opts, o, opts);
    kna_op op;
    kna_begin(&op, "as_strided");
    shape = kna_shape(&op, shape);
    strides = kna_shape(&op, strides);
    const kna_array *a = kna_array_of(&op, x);
    if (!kna_failed(&op) && (shape->ndim < 0 || shape->ndim > KN_MAX_NDIM))
        kna_fail(&op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, shape->ndim);
    if (!kna_failed(&op) && shape->ndim != strides->ndim)
        kna_fail(&op, KN_ERROR_VALUE, "mismatch in length of strides and shape");
    for (int d = 0; !kna_failed(&op) && d < shape->ndim; d++)
        if (shape->dim[d] < 0)
            kna_fail(&op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (!kna_failed(&op))
        kna_fail_with(&op, kni_type_check_size(knl_shaped(a->type.dtype, shape)));
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kna_layout l;
    kna_layout_of(a, &l);
    l.type = knl_shaped(a->type.dtype, shape);
    memcpy(l.stride, strides->dim, (size_t)shape->ndim * sizeof *l.stride);
    l.writeable = l.writeable && o.writeable;
    return kna_end_strided(&op, x, &l);
}

/* The axes of windows: all, or those that were given, each in 0..ndim-1; a window may go along an axis twice. */
static int axes_of_windows(kna_op *op, kn_axes given, int n, int ndim, int64_t *axis)
{
    int count = given.n > 0 && kna_axes_fit(op, given, "axis") ? given.n - 1 : ndim;
    if (given.n <= 0 && n != ndim)
        kna_fail(
            op, KN_ERROR_VALUE,
            "Since axis is `None`, must provide window_shape for all dimensions of `x`; got %d window_shape elements "
            "and `x.ndim` is %d.",
            n, ndim);
    for (int i = 0; i < count && !kna_failed(op); i++) {
        int a = given.n > 0 ? given.axis[i] : i;
        if (a < -ndim || a >= ndim)
            kna_fail(op, KN_ERROR_AXIS, "axis %d is out of bounds for array of dimension %d", a, ndim);
        axis[i] = a < 0 ? a + ndim : a;
    }
    if (!kna_failed(op) && given.n > 0 && n != count)
        kna_fail(
            op, KN_ERROR_VALUE,
            "Must provide matching length window_shape and axis; got %d window_shape elements and %d axes elements.", n,
            count);
    return count;
}

kn_array kn_sliding_window_view(kn_array x, const kn_shape *window_shape, const kn_sliding_window_view_opts *opts)
{
    KNX_OPTS(kn_sliding_window_view_opts, o, opts);
    knl_body c;
    knl_begin(&c, "sliding_window_view");
    kna_op *op = &c.op;
    int64_t axis[KN_MAX_NDIM];
    window_shape = kna_shape(op, window_shape);
    kni_type t = kna_type(op, x);
    for (int i = 0; i < window_shape->ndim && !kna_failed(op); i++)
        if (window_shape->dim[i] < 0)
            kna_fail(op, KN_ERROR_VALUE, "`window_shape` cannot contain negative values");
    int n = kna_failed(op) ? 0 : axes_of_windows(op, o.axis, window_shape->ndim, t.ndim, axis);
    if (kna_failed(op) || knl_too_many_axes(op, t.ndim + n))
        return knl_end(&c, NULL);
    kn_shape shape = {.ndim = t.ndim + n}, strides = {.ndim = t.ndim + n};
    kn_strides s = kn_strides_of(x);
    for (int d = 0; d < t.ndim; d++) {
        shape.dim[d] = t.dim[d];
        strides.dim[d] = s.stride[d];
    }
    for (int i = 0; i < n && !kna_failed(op); i++) {
        int64_t *left = &shape.dim[axis[i]], window = window_shape->dim[i];
        if (kna_need_number(op, *left, "windows slide over it") && *left < window)
            kna_fail(op, KN_ERROR_VALUE, "window shape cannot be larger than input array shape");
        *left -= window - 1;
        shape.dim[t.ndim + i] = window;
        strides.dim[t.ndim + i] = s.stride[axis[i]];
    }
    const kn_as_strided_opts w = {.size_ = sizeof w, .writeable = o.writeable};
    return knl_end(&c, kna_failed(op) ? NULL : kn_as_strided(x, &shape, &strides, &w));
}
