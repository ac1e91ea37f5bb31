/* SPDX-License-Identifier: Apache-2.0
 * flat.h -- one array, element after element in C order. */
#ifndef KN_NUMPY_FLAT_H
#define KN_NUMPY_FLAT_H
#include "numpy/iteration/operand.h"

typedef struct knn_flat {
    kn_array array; /* retained */
    kn_shape shape; /* to which it is broadcast */
    knn_operand o;  /* its memory, from the first element on that is looked at; with that shape */
    int64_t index, size, at[KN_MAX_NDIM];
    char *now; /* the element that comes next */
} knn_flat;

kn_flatiter knn_flat_handle(knn_flat *f); /* takes it over; NULL without memory */
void knn_flat_free(knn_flat *f);
void knn_flat_reset(knn_flat *f);
void knn_flat_step(knn_flat *f);
/* Its memory as it is now: before the first element. False with the op failed. */
bool knn_flat_open(kna_op *op, knn_flat *f);
/* x as if it had this shape, to which it broadcasts (NULL: its own). NULL with the op failed. */
knn_flat *knn_flat_new(kna_op *op, kn_array x, const kn_shape *shape);
#endif
