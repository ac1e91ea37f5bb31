/* SPDX-License-Identifier: Apache-2.0
 * qr.h -- QR factors of one matrix by Householder reflections, with or without exchanged columns, and what is made of
 * packed factors: the matrix q, and its products. Workspaces are 64-byte aligned; results do not overlap operands. */
#ifndef KN_HOST_ROUTINE_QR_H
#define KN_HOST_ROUTINE_QR_H
#include "base/dtype.h"

/* a = q r for m x n, k = min(m, n). With `packed`: r, and below its diagonal the vectors of the reflections, as
 * LAPACK's geqrf has them; tau: their k factors. pivot (if not NULL): column j of q r is column pivot[j] of a, chosen
 * so that the diagonal of r falls. Each of packed and tau, q (m x q_columns, q_columns k or m) and r (q_columns x n)
 * may be NULL. */
typedef struct knr_qr {
    kn_dtype dtype;
    int64_t m, n, q_columns;
    int threads; /* at most so many */
} knr_qr;
typedef struct knr_qr_results {
    void *packed, *tau, *q, *r;
    int32_t *pivot;
} knr_qr_results;
size_t knr_qr_workspace(const knr_qr *s, bool exchanges);
void knr_qr_run(const knr_qr *s, const void *a, const knr_qr_results *y, void *workspace);

/* The matrix of k reflections (their vectors are columns of the packed m x columns matrix), applied to a matrix c
 * (rows x n; m rows from the left, m columns from the right), or to the first `n` columns of the identity for c NULL.
 * `adjoint`: its adjoint. */
typedef struct knr_reflections {
    kn_dtype dtype;
    int64_t m, columns, k, rows, n;
    bool from_right, adjoint;
    int threads;
} knr_reflections;
size_t knr_reflections_workspace(const knr_reflections *s);
void knr_reflections_run(const knr_reflections *s, const void *packed, const void *tau, const void *c, void *y,
                         void *workspace);
#endif
