/* SPDX-License-Identifier: Apache-2.0
 * sort.h -- stable sorting of several arrays together along one dimension. */
#ifndef KN_HOST_ROUTINE_SORT_H
#define KN_HOST_ROUTINE_SORT_H
#include "base/dtype.h"

/* The arrays are [outer, length, inner], C-contiguous. The first n_key of them are compared, one after the other: NaN
 * after everything, -0 equal to +0, complex numbers by real, then by imaginary part. All of them are rearranged
 * alike; or, with `positions`, y[0] gets the positions of elements in that order, int64. */
typedef struct knr_sort {
    int n, n_key;
    const kn_dtype *dtype; /* n of them */
    int64_t outer, length, inner;
    bool positions;
    int threads; /* at most; for any number the result is the same */
} knr_sort;

/* Bytes, perhaps an expression of an unknown length; of the dtypes only the first is read. */
int64_t knr_sort_workspace(const knr_sort *s);
void knr_sort_run(const knr_sort *s, const void *const *x, void *const *y, void *workspace);
#endif
