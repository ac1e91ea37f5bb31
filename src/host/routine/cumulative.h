/* SPDX-License-Identifier: Apache-2.0
 * cumulative.h -- sums, products, maxima and minima of the elements up to each one, along one axis of an array. */
#ifndef KN_HOST_ROUTINE_CUMULATIVE_H
#define KN_HOST_ROUTINE_CUMULATIVE_H
#include "base/dtype.h"

typedef enum {
    KNR_CUMULATE_SUM,
    KNR_CUMULATE_PRODUCT,
    KNR_CUMULATE_MAX,
    KNR_CUMULATE_MIN,
    KNR_CUMULATE_COUNT
} knr_cumulate;

/* y[o, i, k] joins x[o, 0, k], ..., x[o, i, k] (`reverse`: from the last one on) in the order of docs/determinism.md;
 * integers wrap, max and min are nan from the first nan on. C-contiguous outer x length x inner, no overlap; any
 * numbers (of complex ones the larger is NumPy's). */
void knr_cumulate_run(knr_cumulate how, kn_dtype d, int64_t outer, int64_t length, int64_t inner, bool reverse,
                      int threads, const void *x, void *y);

#endif
