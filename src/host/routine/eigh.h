/* SPDX-License-Identifier: Apache-2.0
 * eigh.h -- Hermitian matrices: their tridiagonal form, eigenvalues and eigenvectors. Workspaces are 64-byte aligned;
 * results do not overlap operands. */
#ifndef KN_HOST_ROUTINE_EIGH_H
#define KN_HOST_ROUTINE_EIGH_H
#include "base/dtype.h"

/* a: n x n, of which one triangle is read. */
typedef struct knr_eigh {
    kn_dtype dtype;
    int64_t n;
    bool lower;
    bool vectors; /* of knr_eigh_run */
    int threads;  /* at most so many */
} knr_eigh;

/* w: n real eigenvalues, rising; v (if s->vectors): a v = v w, columns of length 1. False if a is not finite or the
 * iteration does not converge; then the results are NaN. */
size_t knr_eigh_workspace(const knr_eigh *s);
bool knr_eigh_run(const knr_eigh *s, const void *a, void *w, void *v, void *workspace);

/* a = q t q^H: d and e (real) are t's diagonals; packed: the vectors of q's reflections below its subdiagonal (above
 * its superdiagonal, unless lower: of the transposed matrix), d and e at their places; tau: their n - 1 factors. */
size_t knr_tridiagonalize_workspace(const knr_eigh *s);
void knr_tridiagonalize_run(const knr_eigh *s, const void *a, void *packed, void *d, void *e, void *tau,
                            void *workspace);
#endif
