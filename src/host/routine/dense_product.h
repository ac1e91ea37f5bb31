/* SPDX-License-Identifier: Apache-2.0
 * dense_product.h -- products of the matrices of dense.h by product.h, at its speed and on its threads. An element is
 * what docs/determinism.md says of products; where it is added to what was there, that is one more rounding. */
#ifndef KN_HOST_ROUTINE_DENSE_PRODUCT_H
#define KN_HOST_ROUTINE_DENSE_PRODUCT_H
#include "host/routine/dense.h"

typedef enum { KNR_PLAIN, KNR_TRANSPOSED, KNR_ADJOINT, KNR_CONJUGATED } knr_turn;
typedef enum { KNR_SET, KNR_PLUS, KNR_MINUS } knr_into;
/* c = x y, c += x y or c -= x y, where x is a or what `turn` makes of it. c overlaps neither. Planes that are missing
 * (im NULL) are zero. */
void knr_dense_product(const knr_multiplier *p, const knr_dense *c, knr_into into, const knr_dense *a, knr_turn turn_a,
                       const knr_dense *b, knr_turn turn_b);
/* rows x columns numbers become zero */
void knr_dense_clear(const knr_dense *x);
#endif
