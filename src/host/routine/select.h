/* SPDX-License-Identifier: Apache-2.0
 * select.h -- elements at given ranks of the sorted order, found without sorting, and what is made of them: partitions
 * and the largest elements. The order is that of sort.h; not of complex numbers. For any number of threads, and with
 * any instruction set, the results are the same. */
#ifndef KN_HOST_ROUTINE_SELECT_H
#define KN_HOST_ROUTINE_SELECT_H
#include "base/dtype.h"

/* x is [outer, length, inner], C-contiguous, and ranks is [outer, ranks, inner]: those of each line, in any order,
 * taken as the next one that there is if they are too small or too large.
 *     whole: y is like x. At each rank stands the element that the stable sort puts there, before it no larger and
 *     behind it no smaller ones; elements between two ranks, and those that are equal to the one at a rank, have
 *     the order that they came in.
 *     else: y is like ranks, the elements at these ranks.
 *     positions: y has positions in lines, int64, instead of elements. */
typedef struct knr_partition {
    kn_dtype dtype;
    int64_t outer, length, inner, ranks;
    bool whole, positions;
    int threads;
} knr_partition;

int64_t knr_partition_workspace(const knr_partition *p); /* bytes, perhaps an expression of unknown extents */
void knr_partition_run(const knr_partition *p, const void *x, const int64_t *ranks, void *y, void *workspace);

/* The k largest elements of lines, largest first and equal ones in the order of their positions: values (outer x k x
 * inner) and positions. NaN is larger than anything. */
typedef struct knr_top {
    kn_dtype dtype;
    int64_t outer, length, inner, k; /* k <= length */
    int threads;
} knr_top;
int64_t knr_top_workspace(const knr_top *t);
void knr_top_run(const knr_top *t, const void *x, void *values, int32_t *positions, void *workspace);
#endif
