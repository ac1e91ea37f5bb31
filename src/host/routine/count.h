/* SPDX-License-Identifier: Apache-2.0
 * count.h -- how often numbers stand in an array, or how many elements there are in the bins of a histogram. */
#ifndef KN_HOST_ROUTINE_COUNT_H
#define KN_HOST_ROUTINE_COUNT_H
#include "base/dtype.h"
#include "host/routine/count_loops.h"

/* The numbers of elements first .. first + n - 1, at most KNR_COUNT_STRIP; those that no bin has do not count. */
typedef void knr_count_number(const void *of, int64_t first, int64_t n, int64_t *number);

typedef struct knr_counting {
    int64_t n, n_bin;
    const int64_t *x; /* the numbers; NULL: they are made, of `of` */
    knr_count_number *number;
    const void *of;
    int threads; /* at most */
} knr_counting;

/* count[b]: how many of the n numbers are b, from 0 to n_bin - 1. Workspace: so many bytes. */
int64_t knr_count_workspace(const knr_counting *c);
void knr_count(const knr_counting *c, int64_t *count, void *workspace);

/* Bins between neighbours of n_bin + 1 float32 or float64 edges, the last bin with its last edge. `equal`: they are
 * about equally wide, so the number is worked out, and mended by one where an edge says so; else found by a search. */
typedef struct knr_histogram {
    kn_dtype dtype;
    int64_t n, n_bin; /* elements, bins: at least one */
    bool equal;
    int threads;
} knr_histogram;
int64_t knr_histogram_workspace(const knr_histogram *h);
void knr_histogram_run(const knr_histogram *h, const void *x, const void *edges, int64_t *count, void *workspace);
#endif
