/* SPDX-License-Identifier: Apache-2.0
 * product.h -- the product of two arrays over any batch, free and contracted dimensions with any strides: what
 * dot_general runs. The order of its additions is docs/determinism.md's ("Products"), whatever the layout, blocking
 * and instruction set. */
#ifndef KN_ROUTINE_PRODUCT_H
#define KN_ROUTINE_PRODUCT_H
#include "base/dtype.h"

/* One group of dimensions, slowest first; strides in elements of a and of b (0 in the operand that lacks it). */
typedef struct knr_dims {
    int n;
    int64_t extent[KN_MAX_NDIM], a[KN_MAX_NDIM], b[KN_MAX_NDIM];
} knr_dims;

/* c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]; c is C-contiguous. Both operands have the dtype
 * `operand`; `result` is of the same kind and not narrower. */
typedef struct knr_product {
    kn_dtype operand, result;
    knr_dims batch, m, n, k;
} knr_product;

size_t knr_product_workspace(const knr_product *p); /* bytes; 0 if none is needed */
void knr_product_run(const knr_product *p, const void *a, const void *b, void *c,
                     void *workspace /* 64-byte aligned */);
#endif
