/* SPDX-License-Identifier: Apache-2.0
 * tridiagonal.h -- eigenvalues and eigenvectors of real symmetric tridiagonal matrices, in float64, by divide and
 * conquer. */
#ifndef KN_HOST_ROUTINE_TRIDIAGONAL_H
#define KN_HOST_ROUTINE_TRIDIAGONAL_H
#include "host/routine/dense.h"

typedef struct knr_tridiagonal {
    int64_t n;
    double *d, *e;         /* n and n - 1 numbers, which change: d becomes the eigenvalues, rising */
    knr_dense q;           /* its rows become the eigenvectors; wanted only with `vectors` */
    bool vectors;
    knr_dense copy, u;     /* of the same size; spare */
    double *z, *spare[4];
    int64_t *order, *kept;
    uint8_t *side;
    knr_multiplier multiplier;
    int threads;
} knr_tridiagonal;
knr_tridiagonal knr_tridiagonal_take(knr_arena *a, int64_t n, bool vectors, int threads);
/* Of finite numbers. False if it does not converge. */
bool knr_tridiagonal_run(knr_tridiagonal *t);
#endif
