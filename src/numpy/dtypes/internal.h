/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- dtypes in any of their forms. */
#ifndef KN_NUMPY_DTYPES_INTERNAL_H
#define KN_NUMPY_DTYPES_INTERNAL_H
#include "array/op.h"
#include "kiln/numpy/dtypes.h"

/* The dtype that np.dtype(text) is, or the TypeError that says why it is none here. */
knx_error *knn_dtype_named(const char *text, kn_dtype *d);
/* Its type: of an array or a C number its own, else a scalar of the dtype. */
kni_type knn_type_like(kna_op *op, kn_dtype_like like);
kn_dtype knn_dtype_like(kna_op *op, kn_dtype_like like); /* NULL: the operation failed */
/* The kind of its numbers, also of those that are only stored. */
static inline knx_kind knn_kind_of(kn_dtype d)
{
    knx_code code = knx_is_stored(d) ? (knx_code)knx_coding_of(d)->code : KNX_IEEE;
    return !knx_is_stored(d)     ? (knx_kind)d->kind
           : code == KNX_SIGNED   ? KN_KIND_INT
           : code == KNX_UNSIGNED ? KN_KIND_UINT
                                  : KN_KIND_FLOAT;
}
#endif
