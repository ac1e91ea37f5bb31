/* SPDX-License-Identifier: Apache-2.0
 * banded.h -- tridiagonal and banded systems, and Cholesky factors of a matrix that changes by a vector; in float64.
 * Workspaces are 64-byte aligned. */
#ifndef KN_HOST_ROUTINE_BANDED_H
#define KN_HOST_ROUTINE_BANDED_H
#include "base/dtype.h"

/* x with the tridiagonal matrix of the diagonals low (whose first element is not read), d, up (the last one)
 * times x = b, of n x columns; by elimination with exchanged rows. */
size_t knr_tridiagonal_solve_workspace(int64_t n);
void knr_tridiagonal_solve(kn_dtype t, int64_t n, int64_t columns, const void *low, const void *d, const void *up,
                           const void *b, void *x, void *workspace);

/* x of n x columns with the matrix of `lower` diagonals below its own one and `upper` above, times x = b: row i of ab
 * has element (i + j - upper, j) at j. By elimination with exchanged rows; of definite matrices, which are Hermitian,
 * without. False: a pivot is 0, or not positive. */
size_t knr_banded_solve_workspace(int64_t n, int64_t columns, int64_t lower, int64_t upper);
bool knr_banded_solve(kn_dtype t, int64_t n, int64_t columns, int64_t lower, int64_t upper, bool definite,
                      const void *ab, const void *b, void *x, void *workspace);

/* y upper triangular with y^T y = r^T r + w w^T, for upper r; real numbers. */
size_t knr_cholesky_update_workspace(int64_t n);
void knr_cholesky_update(kn_dtype t, int64_t n, const void *r, const void *w, void *y, void *workspace);
#endif
