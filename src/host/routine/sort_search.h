/* SPDX-License-Identifier: Apache-2.0
 * sort_search.h -- binary searches in lines that are sorted. */
#ifndef KN_HOST_ROUTINE_SORT_SEARCH_H
#define KN_HOST_ROUTINE_SORT_SEARCH_H
#include "base/dtype.h"

/* Of `outer` lines a, each of `length` real numbers, and as many lines v of `many` numbers: how many numbers of a come
 * before each of v (right: before it or equal to it), NaN last. Lines that are not sorted get the result of the same
 * comparisons. */
typedef struct knr_search {
    kn_dtype dtype;
    int64_t outer, length, many;
    bool right;
    int threads;
} knr_search;
void knr_search_run(const knr_search *s, const void *a, const void *v, int64_t *y);
#endif
