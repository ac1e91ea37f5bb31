/* SPDX-License-Identifier: Apache-2.0
 * extreme.h -- positions of the largest or the smallest elements along one dimension. */
#ifndef KN_HOST_ROUTINE_EXTREME_H
#define KN_HOST_ROUTINE_EXTREME_H
#include "base/dtype.h"

/* The array is [outer, length, inner], C-contiguous, and the length at least 1. The position is that of the first NaN,
 * else of the first of the extreme elements, -0 being equal to +0; complex numbers compare by real, then by imaginary
 * part. */
typedef struct knr_extreme {
    kn_dtype dtype, index_dtype; /* of elements, of positions */
    int64_t outer, length, inner;
    bool largest;
    int threads; /* at most; for any number the result is the same */
} knr_extreme;

void knr_extreme_run(const knr_extreme *e, const void *x, void *y);
#endif
