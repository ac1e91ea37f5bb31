/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/sorting.h -- sorting, searching and counting; what all chapters have in common is told in kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/sorting.api. */
/* clang-format off */
#ifndef KILN_NUMPY_SORTING_H
#define KILN_NUMPY_SORTING_H
#include "kiln/numpy/manipulation.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
/* sorting is always stable */
typedef struct kn_sort_opts {
    size_t size_;
    kn_axes axis;
    bool stable;
    const char *kind; /* NULL, "quicksort"; or "mergesort", "heapsort", "stable" */
    bool descending;  /* the largest first, NaN last all the same */
} kn_sort_opts;
KN_API kn_sort_opts kn_sort_opts_default(void);
typedef struct kn_partition_opts { size_t size_; kn_axes axis; const char *kind; bool descending; } kn_partition_opts;
KN_API kn_partition_opts kn_partition_opts_default(void);
typedef struct kn_top_k_opts {
    size_t size_;
    kn_axes axis;
    const char *mode; /* "largest" or "smallest" */
    bool sorted;      /* true: they are, whatever it says */
} kn_top_k_opts;
KN_API kn_top_k_opts kn_top_k_opts_default(void);
typedef struct kn_searchsorted_opts {
    size_t size_;
    const char *side; /* NULL, "left"; or "right" */
    kn_array sorter;  /* positions that sort a */
} kn_searchsorted_opts;
KN_API kn_searchsorted_opts kn_searchsorted_opts_default(void);
typedef struct kn_digitize_opts { size_t size_; bool right; } kn_digitize_opts;
KN_API kn_digitize_opts kn_digitize_opts_default(void);

/* ---- Sorting: stable, NaN last; complex numbers by real, then imaginary part. */
/* np.sort: the elements in ascending order (with .descending the largest first) along the last axis unless another
 * is given; KN_AXIS_NONE: flattened */
KN_API kn_array kn_sort(kn_array x, const kn_sort_opts *opts);
/* x.sort(), along the last axis unless another is given: 0, or -1 with an error */
KN_API int kn_sort_in_place(kn_array x, const kn_sort_opts *opts);
/* np.argsort: the positions that sort x, equal elements in their order; int64 */
KN_API kn_array kn_argsort(kn_array x, const kn_sort_opts *opts);
/* np.lexsort: positions that sort by the last key first, then by the one before; along the last axis; int64 */
KN_API kn_array kn_lexsort(kn_list keys, const kn_squeeze_opts *opts);
/* np.sort_complex: the sorted array as complex numbers; short integers give complex64, others complex128 */
KN_API kn_array kn_sort_complex(kn_array a);
/* np.partition: the array so that the element at kth is where sorting puts it: in front of it what is smaller,
 * behind it what is larger, both in the order in which they came. kth may be many and is looked at; ValueError if
 * out of bounds. Last axis unless another is given; KN_AXIS_NONE: flattened */
KN_API kn_array kn_partition(kn_array a, kn_array kth, const kn_partition_opts *opts);
/* x.partition(kth): 0, or -1 with an error */
KN_API int kn_partition_in_place(kn_array x, kn_array kth, const kn_partition_opts *opts);
/* np.argpartition: the positions that bring x into the order of kn_partition; int64 */
KN_API kn_array kn_argpartition(kn_array a, kn_array kth, const kn_partition_opts *opts);
typedef struct kn_top_k_result { kn_array values, indices; } kn_top_k_result;
/* np.top_k: the k largest (smallest) along an axis, best first, and where they are; NaN comes last */
KN_API kn_top_k_result kn_top_k(kn_array a, int64_t k, const kn_top_k_opts *opts);

/* ---- Searching. */
/* np.searchsorted: where in the sorted vector a each of v would go, before (right: behind) equal ones; int64 */
KN_API kn_array kn_searchsorted(kn_array a, kn_array v, const kn_searchsorted_opts *opts);
/* np.digitize: the number of the bin that x is in, 0 in front of all of them: bins[i - 1] <= x < bins[i], with
 * .right bins[i - 1] < x <= bins[i]. ValueError if the bins (a vector) neither rise nor fall, where values are known */
KN_API kn_array kn_digitize(kn_array x, kn_array bins, const kn_digitize_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_sort(x, ...) KN_F1O(kn_sort, kn_sort_opts, (), x, __VA_ARGS__)
#define kn_sort_in_place(x, ...) KN_F1O(kn_sort_in_place, kn_sort_opts, (), x, __VA_ARGS__)
#define kn_argsort(x, ...) KN_F1O(kn_argsort, kn_sort_opts, (), x, __VA_ARGS__)
#define kn_lexsort(keys, ...) KN_G1O(kn_lexsort, kn_squeeze_opts, (), kn_list, keys, __VA_ARGS__)
#define kn_sort_complex(a) KN_F1(kn_sort_complex, a)
#define kn_partition(a, kth, ...) KN_F2O(kn_partition, kn_partition_opts, (), a, kth, __VA_ARGS__)
#define kn_partition_in_place(x, kth, ...) KN_F2O(kn_partition_in_place, kn_partition_opts, (), x, kth, __VA_ARGS__)
#define kn_argpartition(a, kth, ...) KN_F2O(kn_argpartition, kn_partition_opts, (), a, kth, __VA_ARGS__)
#define kn_top_k(a, k, ...) KN_H1O(kn_top_k, kn_top_k_opts, (.sorted = true, ), a, int64_t, k, __VA_ARGS__)
#define kn_searchsorted(a, v, ...) KN_F2O(kn_searchsorted, kn_searchsorted_opts, (), a, v, __VA_ARGS__)
#define kn_digitize(x, bins, ...) KN_F2O(kn_digitize, kn_digitize_opts, (), x, bins, __VA_ARGS__)
#endif
#endif
