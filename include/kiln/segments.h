/* SPDX-License-Identifier: Apache-2.0
 * kiln/segments.h -- sums, products and extremes of the parts of an array that have the same number, as jax.ops.
 *
 * The element k of data, along its first axis, belongs to the segment segment_ids[k]; the result has the shape
 * (num_segments, ...) and data's dtype, with 0, 1, or the lowest or highest number where a segment is empty. Numbers
 * may come in any order; negative ones and those from num_segments on are dropped. */
/* Made by scripts/make-api.py from api/segments.api. */
/* clang-format off */
#ifndef KILN_SEGMENTS_H
#define KILN_SEGMENTS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_segment_opts {
    size_t size_;
    /* KN_NUM_SEGMENTS_OF_IDS: the largest number plus one (which looks at the numbers, so not under kn_jit) */
    int64_t num_segments;
    bool indices_are_sorted; /* a promise */
    bool unique_indices;     /* a promise, which lets kn_segment_prod be differentiated */
    /* reduce so many elements at a time, then their results, for precision, 0: all; mode of numbers outside: "fill"
     * or "drop" (the default), "clip" to the nearest one, "promise_in_bounds". */
    int64_t bucket_size;
    const char *mode;
} kn_segment_opts;
KN_API kn_segment_opts kn_segment_opts_default(void);
#define KN_NUM_SEGMENTS_OF_IDS INT64_MIN /* num_segments that is not given */
/* jax.ops.segment_sum: the sum of the elements with each number: result k is that of all data[i] with segment_ids[i]
 * == k. ValueError for a negative num_segments and for an unknown mode; TypeError unless segment_ids are integers
 * (all four functions). */
KN_API kn_array kn_segment_sum(kn_array data, kn_array segment_ids, const kn_segment_opts *opts);
/* jax.ops.segment_prod: the product of the elements with each number; 1 where there are none */
KN_API kn_array kn_segment_prod(kn_array data, kn_array segment_ids, const kn_segment_opts *opts);
/* jax.ops.segment_max: the largest of the elements with each number; -inf, or the smallest integer, where there are
 * none */
KN_API kn_array kn_segment_max(kn_array data, kn_array segment_ids, const kn_segment_opts *opts);
/* jax.ops.segment_min: the smallest of the elements with each number; inf, or the largest integer, where there are
 * none */
KN_API kn_array kn_segment_min(kn_array data, kn_array segment_ids, const kn_segment_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_segment_sum(data, segment_ids, ...)                                                                         \
    KN_F2O(kn_segment_sum, kn_segment_opts, (.num_segments = KN_NUM_SEGMENTS_OF_IDS, ), data, segment_ids,             \
    __VA_ARGS__)
#define kn_segment_prod(data, segment_ids, ...)                                                                        \
    KN_F2O(kn_segment_prod, kn_segment_opts, (.num_segments = KN_NUM_SEGMENTS_OF_IDS, ), data, segment_ids,            \
    __VA_ARGS__)
#define kn_segment_max(data, segment_ids, ...)                                                                         \
    KN_F2O(kn_segment_max, kn_segment_opts, (.num_segments = KN_NUM_SEGMENTS_OF_IDS, ), data, segment_ids,             \
    __VA_ARGS__)
#define kn_segment_min(data, segment_ids, ...)                                                                         \
    KN_F2O(kn_segment_min, kn_segment_opts, (.num_segments = KN_NUM_SEGMENTS_OF_IDS, ), data, segment_ids,             \
    __VA_ARGS__)
#endif
#endif
