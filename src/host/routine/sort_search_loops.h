/* SPDX-License-Identifier: Apache-2.0
 * sort_search_loops.h -- inner loops of sort_search.c, one set for each instruction set. */
#ifndef KN_HOST_ROUTINE_SORT_SEARCH_LOOPS_H
#define KN_HOST_ROUTINE_SORT_SEARCH_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

/* How many of `length` numbers a come before each of n numbers v, as sort_search.h has it. flip: bits of integers that
 * are turned over to make them signed. Returns how many of the n are done: as many as fill registers. */
typedef int64_t knr_search_line(const void *a, int64_t length, const void *v, int64_t n, bool right, uint64_t flip,
                                int64_t *y);

/* [0], [1] integers of 4 and 8 bytes, [2], [3] floats; NULL: there is no such loop */
typedef struct knr_search_loops {
    knr_search_line *line[4];
} knr_search_loops;
extern const knr_search_loops knr_search_loops_base, knr_search_loops_avx2, knr_search_loops_avx512;
#endif
