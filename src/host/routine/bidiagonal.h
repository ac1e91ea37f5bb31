/* SPDX-License-Identifier: Apache-2.0
 * bidiagonal.h -- singular values and vectors of real upper bidiagonal matrices: by QR steps, or with vectors by
 * divide and conquer. The matrix and all of which there are O(n) numbers are float64, vectors have their dtype, to
 * the precision of that. */
#ifndef KN_HOST_ROUTINE_BIDIAGONAL_H
#define KN_HOST_ROUTINE_BIDIAGONAL_H
#include "host/routine/dense.h"

enum { KNR_BIDIAGONAL_SMALL = 24 };

typedef struct knr_bidiagonal {
    int64_t n;
    bool vectors;
    int threads;
    double epsilon; /* of rounding */
    double *d, *e;  /* n and n - 1 numbers, which change: d becomes the singular values, falling */
    knr_dense u, v; /* their rows become the left and the right vectors */
    /* spare, of the same size; numbers of which there are n */
    knr_dense copy_u, copy_v, left, right;
    double *delta; /* n x ld numbers */
    int64_t ld;
    double *z, *spare[4];
    int64_t *order, *kept;
    uint8_t *side;
    knr_multiplier multiplier;
} knr_bidiagonal;
/* real: the vectors' dtype; left, right: n x n real numbers of it, if there are vectors. */
knr_bidiagonal knr_bidiagonal_take(knr_arena *a, kn_dtype real, int64_t n, bool vectors, const knr_dense *left,
                                   const knr_dense *right, int threads);
/* Of finite numbers, not far from 1 in size. False if it does not converge. */
bool knr_bidiagonal_run(const knr_bidiagonal *b);

/* Parts of it: steps until e is zero, with the rotations applied to the rows of u and v; values made positive,
 * falling. */
bool knr_bidiagonal_steps(const knr_bidiagonal *b);
void knr_bidiagonal_sort(const knr_bidiagonal *b);
bool knr_bidiagonal_divide(const knr_bidiagonal *b);
#endif
