/* SPDX-License-Identifier: Apache-2.0
 * schur.h -- general square matrices: their Hessenberg form, Schur form, eigenvalues and eigenvectors. Workspaces are
 * 64-byte aligned; results do not overlap operands. threads: at most so many. */
#ifndef KN_HOST_ROUTINE_SCHUR_H
#define KN_HOST_ROUTINE_SCHUR_H
#include "base/dtype.h"

/* a = q h q^H: packed holds h, and below its subdiagonal the vectors of q's reflections; tau: their n - 1 factors. */
size_t knr_hessenberg_workspace(kn_dtype d, int64_t n, int threads);
void knr_hessenberg_run(kn_dtype d, int64_t n, const void *a, void *packed, void *tau, void *workspace,
                        int threads);

/* a = z t z^H: t is upper triangular; of a real matrix with 2 x 2 blocks for conjugate eigenvalues, whose diagonal
 * elements are equal. z may be NULL. False if a is not finite or the iteration does not converge; then the results are
 * NaN. */
size_t knr_schur_workspace(kn_dtype d, int64_t n, int threads);
bool knr_schur_run(kn_dtype d, int64_t n, const void *a, void *t, void *z, void *workspace, int threads);

/* Eigenvalues w, and unless they are NULL eigenvectors: a right = right diag(w), left^H a = diag(w) left^H, columns of
 * length 1 whose largest element is real. All results are complex. */
size_t knr_eig_workspace(kn_dtype d, int64_t n, int threads);
bool knr_eig_run(kn_dtype d, int64_t n, const void *a, void *w, void *left, void *right, void *workspace,
                 int threads);
#endif
