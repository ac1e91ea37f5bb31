/* SPDX-License-Identifier: Apache-2.0
 * svd.h -- singular values and vectors of one matrix. Workspaces are 64-byte aligned; results do not overlap
 * operands. */
#ifndef KN_HOST_ROUTINE_SVD_H
#define KN_HOST_ROUTINE_SVD_H
#include "base/dtype.h"

/* a = u diag(s) vh for m x n, k = min(m, n): s (k real numbers, falling), and with `vectors` u (m x k, or m x m if
 * full) and vh (k x n, or n x n). False if a is not finite or the iteration does not converge; then the results are
 * NaN. */
typedef struct knr_svd {
    kn_dtype dtype;
    int64_t m, n;
    bool vectors, full;
    int threads; /* at most so many */
} knr_svd;
size_t knr_svd_workspace(const knr_svd *s);
bool knr_svd_run(const knr_svd *s, const void *a, void *values, void *u, void *vh, void *workspace);
#endif
