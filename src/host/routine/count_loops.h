/* SPDX-License-Identifier: Apache-2.0
 * count_loops.h -- inner loops of count.c, one set for each instruction set. */
#ifndef KN_HOST_ROUTINE_COUNT_LOOPS_H
#define KN_HOST_ROUTINE_COUNT_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

enum { KNR_COUNT_STRIP = 1024 }; /* elements, at most, whose numbers are made at a time */

/* Bins between edges that are about equally far apart, in the dtype of the edges. The place of v is (v - low) / width
 * * n_bin: its bin is the whole part unless it is so close to a whole number that there is doubt. */
enum { KNR_MOST_EQUAL_BINS = 1 << 24 };
typedef struct knr_equal_bins {
    double low, high, width, doubt; /* doubt: from 0.5 on about all */
    int64_t n_bin;
} knr_equal_bins;

typedef struct knr_count_loops {
    /* The bin of each of n numbers, -1 outside, n_bin where there is doubt: whether there is anywhere. */
    bool (*equal_f32)(const knr_equal_bins *e, const float *x, int64_t n, int64_t *number);
    bool (*equal_f64)(const knr_equal_bins *e, const double *x, int64_t n, int64_t *number);
} knr_count_loops;
extern const knr_count_loops knr_count_loops_base, knr_count_loops_avx2, knr_count_loops_avx512;
#endif
