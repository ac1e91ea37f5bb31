/* SPDX-License-Identifier: Apache-2.0
 * views.c -- what shows the memory of another array in another way; see also shapes.c and indexing/indexing.c. */
#include "array/handle.h"
#include "array/layout.h"
#include "lib/internal.h"
#include <string.h>

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
    if (kna_failed(op))
        return a;
    if (t.dtype->kind == KN_KIND_BOOL)
        a = knb_bitcast(op->b, a, KN_U8);
    if (d->kind != KN_KIND_BOOL)
        return knb_bitcast_last_axis(op->b, a, d);
    return knb_bitcast(op->b, knb_bitcast_last_axis(op->b, a, KN_U8), d);
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

kn_array kn_as_strided(kn_array x, const kn_shape *shape, const kn_shape *strides)
{
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
    return kna_end_strided(&op, x, &l);
}
