/* SPDX-License-Identifier: Apache-2.0
 * one_hot.c -- numbers of classes as vectors. */
#include "kiln/nn.h"
#include "nn/operand.h"
#include "lib/internal.h"

/* x's elements beside the numbers of the classes, compared in a dtype that holds both. */
static kni_atom one_hot(kna_op *op, kni_atom x, int axis, int64_t n)
{
    kni_type t = knb_type(op->b, x);
    kn_dtype d = knx_is_inexact(t.dtype) || t.dtype == KN_DT(U64) ? t.dtype : KN_DT(I64);
    int64_t shape[KN_MAX_NDIM], old[KN_MAX_NDIM];
    if (t.dtype == KN_DT(F16) || t.dtype == KN_DT(BF16))
        d = KN_DT(F32);
    for (int i = 0; i < t.ndim; i++) {
        old[i] = i + (i >= axis);
        shape[old[i]] = t.dim[i];
    }
    shape[axis] = n;
    kni_atom classes = knb_convert(op->b, knb_iota(op->b, KN_DT(I64), t.ndim + 1, shape, axis), d);
    return knb_eq(op->b, knb_broadcast_in_dim(op->b, knb_convert(op->b, x, d), t.ndim + 1, shape, old), classes);
}

kn_array kn_nn_one_hot(kn_array x, int64_t num_classes, const kn_nn_one_hot_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_one_hot");
    KNX_OPTS(kn_nn_one_hot_opts, o, opts);
    kni_type t = kna_type(&op, x);
    kni_atom a = kna_in(&op, x);
    if (num_classes < 0)
        kna_fail(&op, KN_ERROR_VALUE, "num_classes must be non-negative, but is %lld", (long long)num_classes);
    else if (!kna_failed(&op) && t.ndim == KN_MAX_NDIM)
        kna_fail(&op, KN_ERROR_VALUE, "maximum supported dimension for an array is %d", KN_MAX_NDIM);
    int axis = kna_failed(&op) ? 0 : kna_axis(&op, o.axis, t.ndim + 1, -1);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(
        &op, knb_convert(op.b, one_hot(&op, a, axis, num_classes), kna_lookup_dtype(o.dtype, kna_default_float())));
}
