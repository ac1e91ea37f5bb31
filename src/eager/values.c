/* SPDX-License-Identifier: Apache-2.0
 * values.c -- arrays as values that may be lifted, and batch axes of two of them. */
#include "eager/eager.h"

kn_array kne_end_value(kna_op *op, kna_value *v)
{
    if (!v && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    kni_atom a = v ? kna_value_atom(op, v) : KN_ATOM_NONE;
    kna_value_release(v);
    return kna_end(op, a);
}

kna_value *kne_atom_value(kna_op *op, kni_atom a)
{
    kna_value *v = kna_failed(op) ? NULL : kna_atom_value(op, a);
    if (!v && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    return v;
}

kna_value *kne_value(kna_op *op, kn_array x)
{
    kni_type t = kna_type(op, x);
    kni_atom a = kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, x, kna_strong_dtype(t));
    return kne_atom_value(op, a);
}

bool kne_has(kna_op *op, const kna_value *v, const char *what)
{
    knx_text t = {0};
    if (!knx_is_inexact(v->type.dtype))
        kna_fail(op, KN_ERROR_TYPE, "%s has no %s: only arrays of floats and of complex numbers have",
                 kni_type_text(&t, v->type, true), what);
    return !kna_failed(op);
}

kna_value *kne_inexact(kna_op *op, kn_array x, const char *what)
{
    kna_value *v = kne_value(op, x);
    if (!v || kne_has(op, v, what))
        return v;
    kna_value_release(v);
    return NULL;
}

int kne_common_batch(kna_op *op, const kna_value *a, const kna_value *b, int64_t extent[KN_MAX_NDIM])
{
    int na = kna_batch_axes(a), nb = kna_batch_axes(b), n = na > nb ? na : nb;
    for (int k = 1; k <= n; k++) { /* from the last one on */
        int64_t ea = k <= na ? kna_physical_type(a).dim[na - k] : -1,
                eb = k <= nb ? kna_physical_type(b).dim[nb - k] : -1;
        if (ea >= 0 && eb >= 0 && ea != eb) {
            kna_fail(op, KN_ERROR_VALUE, "batch axes of different sizes: %lld and %lld", (long long)ea, (long long)eb);
            return -1;
        }
        extent[n - k] = ea >= 0 ? ea : eb;
    }
    return n;
}

kni_atom kne_with_batch(kna_op *op, kna_value *v, int n, const int64_t *extent)
{
    int own = kna_batch_axes(v);
    kni_type t = kna_physical_type(v);
    kni_atom a = kna_value_atom(op, kna_physical(v));
    int64_t dim[KN_MAX_NDIM];
    if (own == n || kna_failed(op))
        return a;
    if (t.ndim + n - own > KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "an array has at most %d dimensions, with batch axes", KN_MAX_NDIM);
        return KN_ATOM_NONE;
    }
    for (int k = 0; k < n - own; k++)
        dim[k] = extent[k];
    for (int k = 0; k < t.ndim; k++)
        dim[n - own + k] = t.dim[k];
    return knb_broadcast_to(op->b, a, kni_type_of(t.dtype, t.ndim + n - own, dim));
}

kni_atom kne_move_axis(kna_op *op, kni_atom x, int from, int to)
{
    int64_t order[KN_MAX_NDIM];
    int n = knb_type(op->b, x).ndim, at = 0;
    if (kna_failed(op) || from == to)
        return x;
    for (int k = 0; k < n; k++)
        order[k] = k == to ? from : -1;
    for (int k = 0; k < n; k++) {
        if (order[k] >= 0)
            continue;
        at += at == from;
        order[k] = at++;
    }
    return knb_transpose(op->b, x, order);
}
