/* SPDX-License-Identifier: Apache-2.0
 * float.c -- operands of layers: real floats, computed in float32 where they are stored in 16 bits. */
#include "nn/operand.h"

knnn_float knnn_floats(kna_op *op, int n, const kn_array *x)
{
    kn_dtype d = knnn_inexact(op, n, x);
    if (!kna_failed(op) && (!d || !knx_is_float(d)))
        kna_fail(op, KN_ERROR_TYPE, "arrays of real numbers are needed, but got %s", d ? d->name : "none");
    if (kna_failed(op))
        return (knnn_float){KN_DT(F32), KN_DT(F32)};
    return (knnn_float){d, d->size < 4 ? KN_DT(F32) : d};
}

void knnn_need_integers(kna_op *op, kn_array x, const char *name)
{
    kni_type t = kna_type(op, x);
    if (!kna_failed(op) && !knx_is_integer(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "%s must be integers, but got %s", name, t.dtype->name);
}

kni_atom knnn_along(kna_op *op, kn_array x, kn_dtype d, const char *name, kni_type t, int n, const int64_t *axes)
{
    kni_type given = kna_type(op, x);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    bool fits = given.ndim == 0 || given.ndim == n;
    for (int i = 0; i < n && fits && given.ndim; i++)
        fits = knx_dim_eq(given.dim[i], t.dim[axes[i]]);
    int64_t want[KN_MAX_NDIM];
    knx_text has = {0}, needs = {0};
    for (int i = 0; i < n; i++)
        want[i] = t.dim[axes[i]];
    if (!kna_failed(op) && !fits)
        kna_fail(op, KN_ERROR_VALUE, "%s must have the shape %s, but has %s", name, knx_show_shape(&needs, n, want),
                 knx_show_shape(&has, given.ndim, given.dim));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom a = kna_in_as(op, x, d);
    return given.ndim ? knb_broadcast_in_dim(op->b, a, t.ndim, t.dim, axes) : a;
}
