/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/statistics.h -- quantiles, weighted means, correlations and histograms; sums, means and variances are
 * in reductions.h; what all chapters have in common is told in kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/statistics.api. */
/* clang-format off */
#ifndef KILN_NUMPY_STATISTICS_H
#define KILN_NUMPY_STATISTICS_H
#include "kiln/numpy/reductions.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_quantile_opts {
    size_t size_;
    kn_axes axis;
    const char *method; /* NULL, "linear": weights, for "inverted_cdf" only: of a's shape, or along the axes */
    bool keepdims;
    kn_array weights;
} kn_quantile_opts;
KN_API kn_quantile_opts kn_quantile_opts_default(void);
typedef struct kn_average_opts {
    size_t size_;
    kn_axes axis;
    kn_array weights;   /* of a's shape, or along the axes */
    kn_array *returned; /* if given, the sum of the weights is put there */
    bool keepdims;
} kn_average_opts;
KN_API kn_average_opts kn_average_opts_default(void);
typedef struct kn_cov_opts {
    size_t size_;
    kn_array y;        /* more variables */
    bool rowvar;       /* true: each row is a variable */
    bool bias;
    double ddof;       /* -1: that is 0 with bias and else 1 */
    kn_array fweights; /* how often each observation counts, aweights: how much */
    kn_array aweights;
    kn_dtype dtype;
} kn_cov_opts;
KN_API kn_cov_opts kn_cov_opts_default(void);
typedef struct kn_corrcoef_opts {
    size_t size_;
    kn_array y;
    bool rowvar;    /* true */
    kn_dtype dtype;
} kn_corrcoef_opts;
KN_API kn_corrcoef_opts kn_corrcoef_opts_default(void);
typedef struct kn_histogram_opts {
    size_t size_;
    kn_array bins;         /* their number (NULL: 10), or their edges */
    /* a rule for their number instead, "auto", "doane", "fd", "rice", "scott", "sqrt", "stone" or "sturges" (looks
     * at values) */
    const char *estimator;
    double range[2];       /* where they begin and end, {0, 0} for the smallest and the largest element */
    bool density;          /* divided by width and sum */
    kn_array weights;
} kn_histogram_opts;
KN_API kn_histogram_opts kn_histogram_opts_default(void);
typedef struct kn_histogram2d_opts {
    size_t size_;
    kn_list bins;       /* one entry for both, or one each (NULL: 10) */
    double range[2][2]; /* as above, one each */
    bool density;
    kn_array weights;
} kn_histogram2d_opts;
KN_API kn_histogram2d_opts kn_histogram2d_opts_default(void);
typedef struct kn_histogramdd_opts {
    size_t size_;
    kn_list bins;             /* one entry for all dimensions, or one each (NULL: 10) */
    const double (*range)[2]; /* n_range pairs, or NULL */
    int n_range;
    bool density;
    kn_array weights;
} kn_histogramdd_opts;
KN_API kn_histogramdd_opts kn_histogramdd_opts_default(void);
typedef struct kn_bincount_opts { size_t size_; kn_array weights; int64_t minlength; } kn_bincount_opts;
KN_API kn_bincount_opts kn_bincount_opts_default(void);

/* ---- Quantiles: over all axes unless some are given; NaN where there is one. Several q (a vector) come in front. */
/* np.median: the element in the middle; of an even number of elements the mean of two */
KN_API kn_array kn_median(kn_array a, const kn_argmax_opts *opts);
/* np.quantile: what a part q of the elements is not above; between elements as .method says: "linear", "lower",
 * "higher", "nearest", "midpoint", "hazen" and the others of NumPy. ValueError for q outside of [0, 1], for another
 * method and for weights with a method but inverted_cdf. Values are checked only where they are known: not under jit
 * and vmap */
KN_API kn_array kn_quantile(kn_array a, kn_array q, const kn_quantile_opts *opts);
/* np.percentile: kn_quantile with q in [0, 100] */
KN_API kn_array kn_percentile(kn_array a, kn_array q, const kn_quantile_opts *opts);
/* np.nanmedian: the median of what is not NaN; NaN where all are */
KN_API kn_array kn_nanmedian(kn_array a, const kn_argmax_opts *opts);
/* np.nanquantile: as kn_quantile, of what is not NaN */
KN_API kn_array kn_nanquantile(kn_array a, kn_array q, const kn_quantile_opts *opts);
/* np.nanpercentile: as kn_percentile, of what is not NaN */
KN_API kn_array kn_nanpercentile(kn_array a, kn_array q, const kn_quantile_opts *opts);

/* ---- Averages and correlations. */
/* np.average: the mean, in which each element counts by its weight. ZeroDivisionError where weights are known to add
 * up to 0 */
KN_API kn_array kn_average(kn_array a, const kn_average_opts *opts);
/* np.cov: the covariances of variables: a matrix with the variances on its diagonal. Divided by n - 1 unless .bias
 * or .ddof say otherwise */
KN_API kn_array kn_cov(kn_array m, const kn_cov_opts *opts);
/* np.corrcoef: the correlations of variables: a matrix, each from -1 to 1 */
KN_API kn_array kn_corrcoef(kn_array x, const kn_corrcoef_opts *opts);

/* ---- Histograms. Elements outside of all bins and NaN do not count; the last edge belongs to the last bin. */
typedef struct kn_histogram_result { kn_array hist, bin_edges; } kn_histogram_result;
typedef struct kn_histogram2d_result { kn_array H, xedges, yedges; } kn_histogram2d_result;
typedef struct kn_histogramdd_result { kn_array H; kn_list edges; } kn_histogramdd_result;
/* np.histogram: how many elements lie in each bin: int64, or sums of weights, of their dtype */
KN_API kn_histogram_result kn_histogram(kn_array a, const kn_histogram_opts *opts);
/* np.histogram_bin_edges: the edges of the bins that kn_histogram would use */
KN_API kn_array kn_histogram_bin_edges(kn_array a, const kn_histogram_opts *opts);
/* np.histogram2d: of points (x, y): H[i, j] of them lie in bin i of x and bin j of y */
KN_API kn_histogram2d_result kn_histogram2d(kn_array x, kn_array y, const kn_histogram2d_opts *opts);
/* np.histogramdd: of samples (N, D): how many lie in each of the bins along D axes; float64 */
KN_API kn_histogramdd_result kn_histogramdd(kn_array sample, const kn_histogramdd_opts *opts);
/* np.bincount: how often each number occurs; looks at x. ValueError for negative numbers */
KN_API kn_array kn_bincount(kn_array x, const kn_bincount_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_median(a, ...) KN_F1O(kn_median, kn_argmax_opts, (), a, __VA_ARGS__)
#define kn_quantile(a, q, ...) KN_F2O(kn_quantile, kn_quantile_opts, (), a, q, __VA_ARGS__)
#define kn_percentile(a, q, ...) KN_F2O(kn_percentile, kn_quantile_opts, (), a, q, __VA_ARGS__)
#define kn_nanmedian(a, ...) KN_F1O(kn_nanmedian, kn_argmax_opts, (), a, __VA_ARGS__)
#define kn_nanquantile(a, q, ...) KN_F2O(kn_nanquantile, kn_quantile_opts, (), a, q, __VA_ARGS__)
#define kn_nanpercentile(a, q, ...) KN_F2O(kn_nanpercentile, kn_quantile_opts, (), a, q, __VA_ARGS__)
#define kn_average(a, ...) KN_F1O(kn_average, kn_average_opts, (), a, __VA_ARGS__)
#define kn_cov(m, ...) KN_F1O(kn_cov, kn_cov_opts, (.rowvar = true, .ddof = -1, ), m, __VA_ARGS__)
#define kn_corrcoef(x, ...) KN_F1O(kn_corrcoef, kn_corrcoef_opts, (.rowvar = true, ), x, __VA_ARGS__)
#define kn_histogram(a, ...) KN_F1O(kn_histogram, kn_histogram_opts, (), a, __VA_ARGS__)
#define kn_histogram_bin_edges(a, ...) KN_F1O(kn_histogram_bin_edges, kn_histogram_opts, (), a, __VA_ARGS__)
#define kn_histogram2d(x, y, ...) KN_F2O(kn_histogram2d, kn_histogram2d_opts, (), x, y, __VA_ARGS__)
#define kn_histogramdd(sample, ...) KN_F1O(kn_histogramdd, kn_histogramdd_opts, (), sample, __VA_ARGS__)
#define kn_bincount(x, ...) KN_F1O(kn_bincount, kn_bincount_opts, (), x, __VA_ARGS__)
#endif
#endif
