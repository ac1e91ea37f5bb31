/* SPDX-License-Identifier: Apache-2.0
 * count.h -- how often numbers stand in an array. */
#ifndef KN_HOST_ROUTINE_COUNT_H
#define KN_HOST_ROUTINE_COUNT_H
#include <stdbool.h>
#include <stdint.h>

/* count[b]: how many of the n numbers are b, from 0 to n_bin - 1; others do not count. By so many threads at most.
 * False: no memory. */
bool knr_count(const int64_t *x, int64_t n, int64_t n_bin, int64_t *count, int threads);
#endif
