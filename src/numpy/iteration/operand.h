/* SPDX-License-Identifier: Apache-2.0
 * operand.h -- an array as memory that an iterator walks over: pinned, and kept alive as long as the iterator is. */
#ifndef KN_NUMPY_OPERAND_H
#define KN_NUMPY_OPERAND_H
#include "array/handle.h"
#include "array/layout.h"
#include "lib/internal.h"

typedef struct knn_operand {
    kn_array array; /* retained; NULL: none */
    kna_pin *pin;   /* its memory; NULL: elements that the array's handle keeps */
    char *data;     /* the first element */
    kn_dtype dtype;
    bool writeable; /* opened for writing */
    int ndim;
    int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM]; /* bytes */
} knn_operand;

/* Opens x; an array of its own for a C number, and the elements of now for an array of another context. False with the
 * op failed. */
bool knn_operand_open(kna_op *op, kn_array x, bool write, knn_operand *o);
/* What was written to the array since then is seen, and what is written to the memory from now on is, too. The address
 * stays. */
bool knn_operand_refresh(kna_op *op, knn_operand *o);
void knn_operand_keep(knn_operand *copy); /* one more owner, of a copy of the structure */
void knn_operand_close(knn_operand *o);
int64_t knn_operand_size(const knn_operand *o);
#endif
