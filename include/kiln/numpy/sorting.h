/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/sorting.h -- sorting and searching; what all chapters have in common
 * is told in kiln/numpy.h. */
/* clang-format off */
#ifndef KILN_NUMPY_SORTING_H
#define KILN_NUMPY_SORTING_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_sort_opts { size_t size_; kn_axes axis; bool stable; } kn_sort_opts; /* sorting is always stable */
KN_API kn_sort_opts kn_sort_opts_default(void);

/* ---- Sorting: stable, NaN last. */
KN_API kn_array kn_sort(kn_array x, const kn_sort_opts *opts);    /* np.sort; last axis, KN_AXIS_NONE: flattened */
KN_API kn_array kn_argsort(kn_array x, const kn_sort_opts *opts); /* np.argsort: int64 */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_sort(x, ...) KN_F1O(kn_sort, kn_sort_opts, (), x, __VA_ARGS__)
#define kn_argsort(x, ...) KN_F1O(kn_argsort, kn_sort_opts, (), x, __VA_ARGS__)
#endif
#endif
