/* SPDX-License-Identifier: Apache-2.0
 * matrix_product.h -- products of matrices inside of factorisations: float32, float64, complex64 or complex128, any
 * strides, planned and run at once. The order of additions is docs/determinism.md's ("Products"). */
#ifndef KN_HOST_ROUTINE_MATRIX_PRODUCT_H
#define KN_HOST_ROUTINE_MATRIX_PRODUCT_H
#include "host/routine/linalg_tile.h"

/* Where products are made. With `most` they are not: it becomes the largest workspace that one of them asks for. */
typedef struct knr_products {
    kn_dtype dtype;
    int threads; /* at least 1 */
    void *workspace;
    size_t *most;
} knr_products;

typedef struct knr_operand {
    const void *at;
    int64_t row, column; /* strides in elements */
} knr_operand;
typedef struct knr_result {
    void *at;
    int64_t row, column;
} knr_result;
typedef struct knr_extents {
    int64_t m, n, k;
} knr_extents;

/* c = a b, or c -= a b: a is m x k, b is k x n. c = a b needs neighbours that are adjacent; c -= a b none. An extent of
 * 0 changes nothing. */
void knr_matrix_multiply(const knr_products *p, knr_extents e, knr_operand a, knr_operand b, knr_result c);
void knr_matrix_lose(const knr_products *p, knr_extents e, knr_operand a, knr_operand b, knr_result c);
#endif
