/* SPDX-License-Identifier: Apache-2.0
 * sort.h -- stable sorting of several arrays together along one dimension. */
#ifndef KN_HOST_ROUTINE_SORT_H
#define KN_HOST_ROUTINE_SORT_H
#include "base/dtype.h"

/* The arrays are [outer, length, inner], C-contiguous. The first n_key of them are compared, one after the other: NaN
 * after everything, -0 equal to +0, complex numbers by real, then by imaginary part. All of them are rearranged
 * alike. */
typedef struct knr_sort {
    int n, n_key;
    const kn_dtype *dtype; /* n of them */
    int64_t outer, length, inner;
    bool far;    /* lines may have more than 2^32 elements */
    int threads; /* at most; for any number the result is the same */
} knr_sort;

/* Lines of up to so many elements go to a thread each; all threads work on one longer line after the other. */
enum { KNR_SORT_SHARE = 1 << 16 };
/* Bytes, perhaps an expression of an unknown length; of the dtypes only the first is read. */
int64_t knr_sort_workspace(const knr_sort *s);
void knr_sort_run(const knr_sort *s, const void *const *x, void *const *y, void *workspace);

/* The k largest elements of lines, largest first and equal ones in the order of their positions: values (outer x k x
 * inner) and positions. NaN is larger than anything. Not of complex numbers. */
typedef struct knr_top {
    kn_dtype dtype;
    int64_t outer, length, inner, k; /* k <= length */
} knr_top;
size_t knr_top_workspace(const knr_top *t);
void knr_top_run(const knr_top *t, const void *x, void *values, int32_t *positions, void *workspace);
#endif
