/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/reductions.h -- sums, extrema and statistics along axes; what all chapters have in common is told in
 * kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/reductions.api. */
/* clang-format off */
#ifndef KILN_NUMPY_REDUCTIONS_H
#define KILN_NUMPY_REDUCTIONS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_sum_opts {
    size_t size_; kn_axes axis; kn_dtype dtype; bool keepdims; kn_array initial; kn_array where;
} kn_sum_opts;
KN_API kn_sum_opts kn_sum_opts_default(void);
typedef struct kn_mean_opts { size_t size_; kn_axes axis; kn_dtype dtype; bool keepdims; kn_array where; } kn_mean_opts;
KN_API kn_mean_opts kn_mean_opts_default(void);
typedef struct kn_var_opts {
    size_t size_;
    kn_axes axis;
    kn_dtype dtype;
    double ddof;
    bool keepdims;
    kn_array where;
    double correction; /* another name for ddof */
    kn_array mean;     /* the mean if it is known, with the reduced axes as keepdims leaves them */
} kn_var_opts;
KN_API kn_var_opts kn_var_opts_default(void);
typedef struct kn_max_opts { size_t size_; kn_axes axis; bool keepdims; kn_array initial; kn_array where; } kn_max_opts;
KN_API kn_max_opts kn_max_opts_default(void);
typedef struct kn_any_opts { size_t size_; kn_axes axis; bool keepdims; kn_array where; } kn_any_opts;
KN_API kn_any_opts kn_any_opts_default(void);
typedef struct kn_argmax_opts { size_t size_; kn_axes axis; bool keepdims; } kn_argmax_opts;
KN_API kn_argmax_opts kn_argmax_opts_default(void);

/* ---- Reductions: over all axes unless some are given. */
/* np.sum: the sum; small integers and bool add up in 64 bits */
KN_API kn_array kn_sum(kn_array x, const kn_sum_opts *opts);
/* np.prod: the product; small integers and bool in 64 bits */
KN_API kn_array kn_prod(kn_array x, const kn_sum_opts *opts);
/* np.mean: the mean; float16 is added up in float32; integers give float64 */
KN_API kn_array kn_mean(kn_array x, const kn_mean_opts *opts);
/* np.var: the variance: the mean of |x - mean|^2, divided by n - ddof */
KN_API kn_array kn_var(kn_array x, const kn_var_opts *opts);
KN_API kn_array kn_std(kn_array x, const kn_var_opts *opts);    /* np.std: the standard deviation: the root of kn_var */
/* np.max: the largest element. NaN if there is one; complex numbers by their real parts first. ValueError for no
 * elements without `initial`, and for a mask without it */
KN_API kn_array kn_max(kn_array x, const kn_max_opts *opts);
KN_API kn_array kn_min(kn_array x, const kn_max_opts *opts);    /* np.min: the smallest element; as kn_max */
KN_API kn_array kn_amax(kn_array x, const kn_max_opts *opts);   /* kn_max */
KN_API kn_array kn_amin(kn_array x, const kn_max_opts *opts);   /* kn_min */
KN_API kn_array kn_ptp(kn_array x, const kn_argmax_opts *opts); /* np.ptp: the range of the elements, max - min */
/* np.any: is an element not 0? NaN is not; false of none */
KN_API kn_array kn_any(kn_array x, const kn_any_opts *opts);
KN_API kn_array kn_all(kn_array x, const kn_any_opts *opts);    /* np.all: are all elements not 0? true of none */
/* np.argmax: where the maximum stands: int64; the first NaN, else the first maximum. Without an axis counted in the
 * flattened array */
KN_API kn_array kn_argmax(kn_array x, const kn_argmax_opts *opts);
/* np.argmin: where the minimum stands: int64; the first NaN, else the first minimum */
KN_API kn_array kn_argmin(kn_array x, const kn_argmax_opts *opts);
/* np.count_nonzero: how many elements are not 0: int64 */
KN_API kn_array kn_count_nonzero(kn_array x, const kn_argmax_opts *opts);

/* ---- Reductions of the elements that are not NaN. */
/* np.nansum: the sum of what is not NaN; 0 where all are NaN */
KN_API kn_array kn_nansum(kn_array x, const kn_sum_opts *opts);
/* np.nanprod: the product of what is not NaN; 1 where all are NaN */
KN_API kn_array kn_nanprod(kn_array x, const kn_sum_opts *opts);
/* np.nanmean: the mean of what is not NaN; NaN where all are */
KN_API kn_array kn_nanmean(kn_array x, const kn_mean_opts *opts);
/* np.nanvar: the variance of what is not NaN; NaN where ddof or fewer are left */
KN_API kn_array kn_nanvar(kn_array x, const kn_var_opts *opts);
KN_API kn_array kn_nanstd(kn_array x, const kn_var_opts *opts); /* np.nanstd: the root of kn_nanvar */
/* np.nanmax: the largest element that is not NaN; NaN where all are */
KN_API kn_array kn_nanmax(kn_array x, const kn_max_opts *opts);
/* np.nanmin: the smallest element that is not NaN; NaN where all are */
KN_API kn_array kn_nanmin(kn_array x, const kn_max_opts *opts);
/* np.nanargmax: where the largest element that is not NaN stands; ValueError where all are NaN; -1 there if values
 * are not known, under jit and vmap */
KN_API kn_array kn_nanargmax(kn_array x, const kn_argmax_opts *opts);
/* np.nanargmin: where the smallest element that is not NaN stands; as kn_nanargmax */
KN_API kn_array kn_nanargmin(kn_array x, const kn_argmax_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_sum(x, ...) KN_F1O(kn_sum, kn_sum_opts, (), x, __VA_ARGS__)
#define kn_prod(x, ...) KN_F1O(kn_prod, kn_sum_opts, (), x, __VA_ARGS__)
#define kn_mean(x, ...) KN_F1O(kn_mean, kn_mean_opts, (), x, __VA_ARGS__)
#define kn_var(x, ...) KN_F1O(kn_var, kn_var_opts, (), x, __VA_ARGS__)
#define kn_std(x, ...) KN_F1O(kn_std, kn_var_opts, (), x, __VA_ARGS__)
#define kn_max(x, ...) KN_F1O(kn_max, kn_max_opts, (), x, __VA_ARGS__)
#define kn_min(x, ...) KN_F1O(kn_min, kn_max_opts, (), x, __VA_ARGS__)
#define kn_amax(x, ...) KN_F1O(kn_amax, kn_max_opts, (), x, __VA_ARGS__)
#define kn_amin(x, ...) KN_F1O(kn_amin, kn_max_opts, (), x, __VA_ARGS__)
#define kn_ptp(x, ...) KN_F1O(kn_ptp, kn_argmax_opts, (), x, __VA_ARGS__)
#define kn_any(x, ...) KN_F1O(kn_any, kn_any_opts, (), x, __VA_ARGS__)
#define kn_all(x, ...) KN_F1O(kn_all, kn_any_opts, (), x, __VA_ARGS__)
#define kn_argmax(x, ...) KN_F1O(kn_argmax, kn_argmax_opts, (), x, __VA_ARGS__)
#define kn_argmin(x, ...) KN_F1O(kn_argmin, kn_argmax_opts, (), x, __VA_ARGS__)
#define kn_count_nonzero(x, ...) KN_F1O(kn_count_nonzero, kn_argmax_opts, (), x, __VA_ARGS__)
#define kn_nansum(x, ...) KN_F1O(kn_nansum, kn_sum_opts, (), x, __VA_ARGS__)
#define kn_nanprod(x, ...) KN_F1O(kn_nanprod, kn_sum_opts, (), x, __VA_ARGS__)
#define kn_nanmean(x, ...) KN_F1O(kn_nanmean, kn_mean_opts, (), x, __VA_ARGS__)
#define kn_nanvar(x, ...) KN_F1O(kn_nanvar, kn_var_opts, (), x, __VA_ARGS__)
#define kn_nanstd(x, ...) KN_F1O(kn_nanstd, kn_var_opts, (), x, __VA_ARGS__)
#define kn_nanmax(x, ...) KN_F1O(kn_nanmax, kn_max_opts, (), x, __VA_ARGS__)
#define kn_nanmin(x, ...) KN_F1O(kn_nanmin, kn_max_opts, (), x, __VA_ARGS__)
#define kn_nanargmax(x, ...) KN_F1O(kn_nanargmax, kn_argmax_opts, (), x, __VA_ARGS__)
#define kn_nanargmin(x, ...) KN_F1O(kn_nanargmin, kn_argmax_opts, (), x, __VA_ARGS__)
#endif
#endif
