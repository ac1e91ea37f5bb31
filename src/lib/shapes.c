/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- shapes and memory orders of operands. */
#include "array/handle.h"
#include "array/layout.h"
#include "lib/internal.h"
#include <string.h>

KNX_HOT kni_type knl_shaped(kn_dtype d, const kn_shape *shape) { return kni_type_of(d, shape->ndim, shape->dim); }

kni_atom knl_reshape(kna_op *op, kni_atom a, const kn_shape *shape)
{
    return kna_failed(op) ? KN_ATOM_NONE : knb_reshape(op->b, a, shape->ndim, shape->dim);
}

kni_atom knl_flatten(kna_op *op, kni_atom a)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_shape flat = {1, {kni_type_size(knb_type(op->b, a))}};
    return knl_reshape(op, a, &flat);
}

kni_atom knl_axes_last(kna_op *op, kni_atom a, int n, const int64_t *axes)
{
    if (kna_failed(op))
        return a;
    kni_type t = knb_type(op->b, a);
    kn_shape shape = {.ndim = 0};
    int64_t order[KN_MAX_NDIM], size = 1;
    for (int i = 0, j = 0; i < t.ndim; i++) {
        if (j < n && axes[j] == i) {
            order[t.ndim - n + j++] = i;
            size = knx_dim_mul(size, t.dim[i]);
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
    return knl_reshape(op, knb_transpose(op->b, a, order), &shape);
}

kni_atom knl_insert_axes(kna_op *op, kni_atom a, const kn_shape *shape, const bool *is_new)
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

kni_atom knl_keep_axes(kna_op *op, kni_atom reduced, kni_type before, int n, const int64_t *axes)
{
    kn_shape shape = {.ndim = before.ndim};
    bool is_new[KN_MAX_NDIM] = {false};
    for (int i = 0; i < n; i++)
        is_new[axes[i]] = true;
    for (int i = 0; i < before.ndim; i++)
        shape.dim[i] = is_new[i] ? 1 : before.dim[i];
    return knl_insert_axes(op, reduced, &shape, is_new);
}

int knl_axis_tuple(kna_op *op, kn_axes given, int ndim, const char *name, int64_t axes[KN_MAX_NDIM])
{
    bool seen[KN_MAX_NDIM] = {false};
    int n = knl_axis_count(op, given);
    for (int i = 0; i < n && !kna_failed(op); i++)
        if (given.axis[i] < -ndim || given.axis[i] >= ndim)
            kna_fail(op, KN_ERROR_AXIS, "%s%saxis %lld is out of bounds for array of dimension %d", name ? name : "",
                     name ? ": " : "", (long long)given.axis[i], ndim);
    for (int i = 0; i < n && !kna_failed(op); i++) {
        int axis = given.axis[i] < 0 ? given.axis[i] + ndim : given.axis[i];
        if (seen[axis] && name)
            kna_fail(op, KN_ERROR_VALUE, "repeated axis in `%s` argument", name);
        else if (seen[axis])
            kna_fail(op, KN_ERROR_VALUE, "repeated axis");
        seen[axis] = true;
    }
    return kna_failed(op) ? 0 : kna_axes(op, given, ndim, KNA_AXES_ALL, axes);
}

/* NumPy leaves out the leading axes of 1 that are too many, and tells what is left. */
void knl_cannot_broadcast(kna_op *op, kni_type from, const kn_shape *to)
{
    knx_text p = {0}, q = {0};
    int skip = 0;
    while (from.ndim - skip > to->ndim && knx_dim_eq(from.dim[skip], 1))
        skip++;
    kna_fail(op, KN_ERROR_VALUE, "could not broadcast input array from shape %s into shape %s",
             knx_show_shape(&p, from.ndim - skip, from.dim + skip), knx_show_shape(&q, to->ndim, to->dim));
}

/* Fortran-contiguous. */
bool knl_lies_in_fortran_order(kna_op *op, kn_array x)
{
    const kna_array *a = kna_failed(op) || kna_handle_is_foreign(x) ? NULL : kna_array_of(op, x);
    if (!a)
        return false;
    int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM];
    int ndim = a->type.ndim;
    for (int i = 0; i < ndim; i++) {
        dim[i] = a->type.dim[ndim - 1 - i];
        stride[i] = a->stride[ndim - 1 - i];
    }
    return kna_is_contiguous(kni_type_of(a->type.dtype, ndim, dim), stride);
}

/* Fortran-contiguous and not C-contiguous. */
bool knl_is_fortran(kna_op *op, kn_array x)
{
    if (kna_type(op, x).ndim < 2 || kna_failed(op)) /* a C number stays one: it is not looked at as an array */
        return false;
    const kna_array *a = kna_handle_is_foreign(x) ? NULL : kna_array_of(op, x);
    return a && !kna_is_contiguous(a->type, a->stride) && knl_lies_in_fortran_order(op, x);
}

kni_atom knl_reversed(kna_op *op, kni_atom a)
{
    int64_t order[KN_MAX_NDIM];
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, a).ndim;
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    return ndim > 1 ? knb_transpose(op->b, a, order) : a;
}

char knl_order(kna_op *op, const char *order)
{
    char c = order ? order[0] : 'C';
    if (c >= 'a' && c <= 'z')
        c = (char)(c - 'a' + 'A');
    if (c && strchr("CFAK", c) && (!order || !order[1]))
        return c;
    kna_fail(op, KN_ERROR_VALUE, "order must be one of 'C', 'F', 'A', or 'K' (got '%.20s')", order);
    return 'C';
}

bool knl_order_is_fortran(kna_op *op, const char *order)
{
    char c = knl_order(op, order);
    if (c == 'A' || c == 'K')
        kna_fail(op, KN_ERROR_VALUE, "only 'C' or 'F' order is permitted");
    return c == 'F';
}

char knl_read_order(kna_op *op, const char *order, kn_array x, bool keeps)
{
    char c = knl_order(op, order);
    if (c == 'K' && !keeps)
        kna_fail(op, KN_ERROR_VALUE, "order 'K' is not permitted for reshaping");
    return c != 'A' ? c : knl_is_fortran(op, x) ? 'F' : 'C';
}

bool knl_too_many_axes(kna_op *op, int64_t ndim)
{
    if (ndim >= 0 && ndim <= KN_MAX_NDIM)
        return false;
    kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %lld", KN_MAX_NDIM,
             (long long)ndim);
    return true;
}

KNX_HOT int64_t knl_within(int64_t v, int64_t extent)
{
    const int64_t longest = (int64_t)1 << 59; /* an expression has room for it */
    int64_t most = knx_is_symbolic(extent) ? longest : extent + 1;
    return knl_is_extent(v) ? v : v > most ? most : v < -most ? -most : v;
}

KNX_HOT int64_t knl_cut(int64_t at, int64_t extent, int64_t low, int64_t high)
{
    at = knl_within(at, extent);
    if (!knx_dim_le(0, at))
        at = knx_dim_add(at, extent);
    return knx_dim_max(low, knx_dim_min(high, at));
}

kni_atom knl_number(kna_op *op, kn_dtype d, knx_scalar_bits bits)
{
    return op->b->hook ? kna_number_atom(op, d, bits) : knb_literal(op->b, d, false, bits);
}

kni_atom knl_number_of(kna_op *op, kn_dtype d, int64_t n)
{
    if (knx_is_symbolic(n))
        return knb_dimension(op->b, d, n);
    return knl_number(op, d, knx_is_integer(d) ? knx_scalar_from_int(d, n) : knx_scalar_from_double(d, (double)n));
}

bool knl_is_writeable(kna_op *op, kn_array x, const char *what)
{
    kna_handle_kind kind = KN_H_NONE;
    const kna_array *a = kna_failed(op) ? NULL : kna_handle_peek(x, &kind);
    if (kind == KN_H_VIEW && (!a->writeable || a->storage->readonly))
        kna_fail(op, KN_ERROR_VALUE, "%s is read-only", what);
    return !kna_failed(op);
}
