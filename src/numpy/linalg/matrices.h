/* SPDX-License-Identifier: Apache-2.0
 * matrices.h -- what the functions of linear algebra share: operands as matrices of one inexact dtype, right-hand
 * sides, stacks of matrices lined up with each other. */
#ifndef KN_NUMPY_LINALG_MATRICES_H
#define KN_NUMPY_LINALG_MATRICES_H
#include "kiln/linalg.h"
#include "lib/internal.h"

enum { KNN_MAX_MATRICES = 3 };
typedef struct knn_matrices {
    kna_op op;
    kn_dtype dtype;                /* of all operands and of the results; float32, float64 or complex */
    kni_atom x[KNN_MAX_MATRICES];  /* the operands, in this dtype */
    int64_t rows, columns;         /* of x[0] */
} knn_matrices;

typedef enum { KNN_ANY_MATRIX, KNN_SQUARE } knn_matrix_kind;

/* Begins an operation: x[0] is a stack of matrices, the others are any arrays. False after an error. */
bool knn_matrices_begin(knn_matrices *m, const char *name, knn_matrix_kind kind, int n, const kn_array *x);
kn_array knn_matrices_end(knn_matrices *m, kni_atom y);

/* A right-hand side: one vector if it has one axis, else a stack of matrices whose axes in front are broadcast with
 * those of x[0]. */
typedef struct knn_right_side {
    bool vector;
    kn_shape batch;
    kni_atom y; /* (batch, rows, columns) */
} knn_right_side;
bool knn_right_side_begin(knn_matrices *m, kni_atom y, int64_t rows, knn_right_side *r);
/* x, of which the last `tail` axes are no stack, repeated for all of the stack. */
kni_atom knn_stacked(knn_matrices *m, const knn_right_side *r, kni_atom x, int tail);
kni_atom knn_right_side_end(knn_matrices *m, const knn_right_side *r, kni_atom x); /* without the vector's column */

/* The identity of n rows in stacks like those of x[0]: (..., n, n). */
kni_atom knn_identity(knn_matrices *m, int64_t n);
/* x with its rows (last - 1) or columns (last) cut to `from` ... `to`. */
kni_atom knn_cut(kni_builder *b, kni_atom x, bool columns, int64_t from, int64_t to);
kni_atom knn_last(kni_builder *b, kni_atom x, int64_t from, int64_t to); /* the last axis, also of vectors */
/* x^H */
kni_atom knn_adjoint(kni_builder *b, kni_atom x);
/* How many are true, looked at; 0, and the operation fails, where values cannot be. */
int64_t knn_count(kna_op *op, kn_array truth);
/* polar.c: u, h, number of iterations (int32), whether they converged, of matrices that are not wide */
void knn_qdwh(kni_builder *b, kni_atom x, int max_iterations, double eps, kni_atom out[4]);
/* U^-1 L^-1 y */
kni_atom knn_solve_lu(kni_builder *b, kni_atom lu, kni_atom y);
#endif
