/* SPDX-License-Identifier: Apache-2.0
 * tridiagonal.h -- eigenvalues and eigenvectors of real symmetric tridiagonal matrices by divide and conquer: the
 * matrix and all of which there are O(n) numbers in float64, vectors in their dtype, to the precision of that. */
#ifndef KN_HOST_ROUTINE_TRIDIAGONAL_H
#define KN_HOST_ROUTINE_TRIDIAGONAL_H
#include "host/routine/dense.h"

typedef struct knr_tridiagonal {
    int64_t n;
    double epsilon;        /* of rounding */
    double *d, *e;         /* n and n - 1 numbers, which change: d becomes the eigenvalues, rising */
    knr_dense q;           /* its rows become the eigenvectors; wanted only with `vectors` */
    bool vectors;
    knr_dense copy, by;    /* of the same size; spare */
    double *u;             /* n x ld numbers; spare */
    int64_t ld;
    double *z, *spare[4];
    int64_t *order, *kept;
    uint8_t *side;
    knr_multiplier multiplier;
    int threads;
} knr_tridiagonal;
/* real: the vectors' dtype; by: n x n real numbers of it, if there are vectors. */
knr_tridiagonal knr_tridiagonal_take(knr_arena *a, kn_dtype real, int64_t n, bool vectors, const knr_dense *by,
                                     int threads);
/* Of finite numbers. False if it does not converge. */
bool knr_tridiagonal_run(knr_tridiagonal *t);
#endif
