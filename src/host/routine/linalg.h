/* SPDX-License-Identifier: Apache-2.0
 * linalg.h -- Cholesky and LU factorisations and triangular systems of one matrix of float32, float64, complex64 or
 * complex128. The order of all operations is docs/determinism.md's ("Factorisations"), whatever the layout and
 * instruction set and the number of threads (at most so many; a workspace is for as many, or more). Workspaces are
 * 64-byte aligned; results do not overlap operands. */
#ifndef KN_HOST_ROUTINE_LINALG_H
#define KN_HOST_ROUTINE_LINALG_H
#include "base/dtype.h"

/* l: the lower Cholesky factor of the n x n matrix whose lower triangle a holds, zeros above. False if a pivot is zero
 * or negative; then the lower triangle is NaN. */
size_t knr_cholesky_workspace(kn_dtype d, int64_t n, int threads);
bool knr_cholesky(kn_dtype d, int64_t n, const void *a, void *l, void *workspace, int threads);

/* lu: L (ones on its diagonal are not stored) and U of the m x n matrix a with rows permuted. pivots[k]: the row that
 * row k was swapped with, in this order, min(m, n) of them; row i of the permuted matrix is row permutation[i] of a.
 * False if a pivot is zero. */
size_t knr_lu_workspace(kn_dtype d, int64_t m, int64_t n, int threads);
bool knr_lu(kn_dtype d, int64_t m, int64_t n, const void *a, void *lu, int32_t *pivots, int32_t *permutation,
            void *workspace, int threads);

/* y: the inverse of the matrix with these factors; false was knr_lu's answer: with infinities and NaN. */
size_t knr_inverse_workspace(kn_dtype d, int64_t n, int threads);
void knr_inverse(kn_dtype d, int64_t n, const void *lu, const int32_t *permutation, void *y, void *workspace,
                 int threads);

/* x of op(a) x = b (or x op(a) = b, unless left_side): a is m x m, of which one triangle is read; b and x are m x n
 * (n x m). */
typedef struct knr_triangular {
    kn_dtype dtype;
    int64_t m, n;
    bool left_side, lower, transpose_a, conjugate_a, unit_diagonal;
} knr_triangular;

/* Triangular systems t x = b with a lower triangle t: where the first number of both is, and the strides, in elements.
 * An upper triangle is a lower one whose rows and columns are numbered from the end. */
typedef struct knr_solve_view {
    int64_t t_first, t_row, t_column, x_first, x_row, x_column;
} knr_solve_view;
knr_solve_view knr_triangular_view(const knr_triangular *s);

size_t knr_triangular_workspace(const knr_triangular *s, int threads);
void knr_triangular_run(const knr_triangular *s, const void *a, const void *b, void *x, void *workspace, int threads);

#endif
