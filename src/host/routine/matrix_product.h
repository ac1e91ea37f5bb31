/* SPDX-License-Identifier: Apache-2.0
 * matrix_product.h -- products of matrices inside of factorisations: float32, float64, complex64 or complex128, any
 * strides, planned and run at once; or matrices of dense.h. The order of additions is docs/determinism.md's
 * ("Products"); where an element is added to what was there, that is one more rounding. */
#ifndef KN_HOST_ROUTINE_MATRIX_PRODUCT_H
#define KN_HOST_ROUTINE_MATRIX_PRODUCT_H
#include "host/routine/dense.h"
#include "host/routine/product.h"

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

typedef enum { KNR_PLAIN, KNR_TRANSPOSED, KNR_ADJOINT, KNR_CONJUGATED } knr_turn;
/* c = x y, c += x y or c -= x y, where x is a or what `turn` makes of it. c overlaps neither. Planes that are missing
 * (im NULL) are zero. */
void knr_dense_product(const knr_multiplier *p, const knr_dense *c, knr_into into, const knr_dense *a, knr_turn turn_a,
                       const knr_dense *b, knr_turn turn_b);
/* rows x columns numbers become zero */
void knr_dense_clear(const knr_dense *x);
#endif
