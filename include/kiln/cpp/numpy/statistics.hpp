/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/statistics.hpp -- the functions of kiln/numpy/statistics.h in C++. */
/* Made by scripts/make-api.py from api/numpy/statistics.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_STATISTICS_HPP
#define KILN_CPP_NUMPY_STATISTICS_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/reductions.hpp"

namespace kiln {
struct quantile_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::text), method, {}) /* weights, for "inverted_cdf" only: of a's shape, or along the axes */
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), weights, {})
    kn_quantile_opts c() const {
        kn_quantile_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.method = detail::c_of(method); to_.keepdims = detail::c_of(keepdims); to_.weights = detail::c_of(weights);
        return to_; }
};
struct average_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::array), weights, {}) /* of a's shape, or along the axes */
    KILN_OPTION((::kiln::array *), returned, {}) /* if given, the sum of the weights is put there */
    KILN_OPTION((bool), keepdims, {})
    kn_average_opts c() const {
        kn_average_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.weights = detail::c_of(weights); to_.keepdims = detail::c_of(keepdims); return to_; }
};
struct cov_opts {
    KILN_OPTION((::kiln::array), y, {}) /* more variables */
    KILN_OPTION((bool), rowvar, true) /* each row is a variable */
    KILN_OPTION((bool), bias, {})
    KILN_OPTION((double), ddof, -1) /* that is 0 with bias and else 1 */
    KILN_OPTION((::kiln::array), fweights, {}) /* how often each observation counts, aweights: how much */
    KILN_OPTION((::kiln::array), aweights, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_cov_opts c() const {
        kn_cov_opts to_ = {}; to_.size_ = sizeof to_; to_.y = detail::c_of(y); to_.rowvar = detail::c_of(rowvar);
        to_.bias = detail::c_of(bias); to_.ddof = detail::c_of(ddof); to_.fweights = detail::c_of(fweights);
        to_.aweights = detail::c_of(aweights); to_.dtype = detail::c_of(dtype); return to_; }
};
struct corrcoef_opts {
    KILN_OPTION((::kiln::array), y, {})
    KILN_OPTION((bool), rowvar, true)
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_corrcoef_opts c() const {
        kn_corrcoef_opts to_ = {}; to_.size_ = sizeof to_; to_.y = detail::c_of(y); to_.rowvar = detail::c_of(rowvar);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct histogram_opts {
    KILN_OPTION((::kiln::array), bins, {}) /* their number (NULL: 10), or their edges */
    KILN_OPTION((::kiln::text), estimator, {})
    double range[2] = {};
    KILN_OPTION((bool), density, {}) /* divided by width and sum */
    KILN_OPTION((::kiln::array), weights, {})
    kn_histogram_opts c() const {
        kn_histogram_opts to_ = {}; to_.size_ = sizeof to_; to_.bins = detail::c_of(bins);
        to_.estimator = detail::c_of(estimator); detail::put(to_.range, range); to_.density = detail::c_of(density);
        to_.weights = detail::c_of(weights); return to_; }
};
struct histogram2d_opts {
    KILN_OPTION((std::vector<array>), bins, {}) /* one entry for both, or one each (NULL: 10) */
    double range[2][2] = {};
    KILN_OPTION((bool), density, {})
    KILN_OPTION((::kiln::array), weights, {})
    kn_histogram2d_opts c() const {
        kn_histogram2d_opts to_ = {}; to_.size_ = sizeof to_; to_.bins = detail::c_of(bins); detail::put(to_.range,
        range); to_.density = detail::c_of(density); to_.weights = detail::c_of(weights); return to_; }
};
struct histogramdd_opts {
    KILN_OPTION((std::vector<array>), bins, {}) /* one entry for all dimensions, or one each (NULL: 10) */
    const double (*range)[2] = {};
    KILN_OPTION((int), n_range, {})
    KILN_OPTION((bool), density, {})
    KILN_OPTION((::kiln::array), weights, {})
    kn_histogramdd_opts c() const {
        kn_histogramdd_opts to_ = {}; to_.size_ = sizeof to_; to_.bins = detail::c_of(bins); to_.range = range;
        to_.n_range = detail::c_of(n_range); to_.density = detail::c_of(density); to_.weights = detail::c_of(weights);
        return to_; }
};
struct bincount_opts {
    KILN_OPTION((::kiln::array), weights, {})
    KILN_OPTION((int64_t), minlength, {})
    kn_bincount_opts c() const {
        kn_bincount_opts to_ = {}; to_.size_ = sizeof to_; to_.weights = detail::c_of(weights);
        to_.minlength = detail::c_of(minlength); return to_; }
};
using median_opts = ::kiln::argmax_opts;
/* np.median: the element in the middle; of an even number of elements the mean of two */
inline array median(const ::kiln::operand &a, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_median(a_h, &opts_c))); }
/* np.quantile: what a part q of the elements is not above; between elements as .method says: "linear", "lower",
 * "higher", "nearest", "midpoint", "hazen" and the others of NumPy. ValueError for q outside of [0, 1], for another
 * method and for weights with a method but inverted_cdf. Values are checked only where they are known: not under jit
 * and vmap */
inline array quantile(const ::kiln::operand &a, const ::kiln::operand &q, const ::kiln::quantile_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array q_h = q.c(); kn_quantile_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_quantile(a_h, q_h, &opts_c))); }
using percentile_opts = ::kiln::quantile_opts;
/* np.percentile: kn_quantile with q in [0, 100] */
inline array percentile(const ::kiln::operand &a, const ::kiln::operand &q, const ::kiln::quantile_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array q_h = q.c(); kn_quantile_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_percentile(a_h, q_h, &opts_c))); }
using nanmedian_opts = ::kiln::argmax_opts;
/* np.nanmedian: the median of what is not NaN; NaN where all are */
inline array nanmedian(const ::kiln::operand &a, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanmedian(a_h, &opts_c))); }
using nanquantile_opts = ::kiln::quantile_opts;
/* np.nanquantile: as kn_quantile, of what is not NaN */
inline array nanquantile(const ::kiln::operand &a, const ::kiln::operand &q, const ::kiln::quantile_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array q_h = q.c(); kn_quantile_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_nanquantile(a_h, q_h, &opts_c))); }
using nanpercentile_opts = ::kiln::quantile_opts;
/* np.nanpercentile: as kn_percentile, of what is not NaN */
inline array nanpercentile(const ::kiln::operand &a, const ::kiln::operand &q, const ::kiln::quantile_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array q_h = q.c(); kn_quantile_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_nanpercentile(a_h, q_h, &opts_c))); }
/* np.average: the mean, in which each element counts by its weight. ZeroDivisionError where weights are known to add
 * up to 0 */
inline array average(const ::kiln::operand &a, const ::kiln::average_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_average_opts opts_c = opts.c(); detail::out_array
    returned_o(opts.returned); opts_c.returned = returned_o.c(); c_.here(); return array::share(c_.take(kn_average(a_h,
    &opts_c))); }
/* np.cov: the covariances of variables: a matrix with the variances on its diagonal. Divided by n - 1 unless .bias
 * or .ddof say otherwise */
inline array cov(const ::kiln::operand &m, const ::kiln::cov_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array m_h = m.c(); kn_cov_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_cov(m_h, &opts_c))); }
/* np.corrcoef: the correlations of variables: a matrix, each from -1 to 1 */
inline array corrcoef(const ::kiln::operand &x, const ::kiln::corrcoef_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_corrcoef_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_corrcoef(x_h, &opts_c))); }
struct histogram_result { array hist; array bin_edges; };
/* np.histogram: how many elements lie in each bin: int64, or sums of weights, of their dtype */
inline ::kiln::histogram_result histogram(const ::kiln::operand &a, const ::kiln::histogram_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_histogram_opts opts_c = opts.c(); c_.here(); kn_histogram_result
    r_ = c_.value(kn_histogram(a_h, &opts_c)); return ::kiln::histogram_result{array::share(r_.hist),
    array::share(r_.bin_edges)}; }
using histogram_bin_edges_opts = ::kiln::histogram_opts;
/* np.histogram_bin_edges: the edges of the bins that kn_histogram would use */
inline array histogram_bin_edges(const ::kiln::operand &a, const ::kiln::histogram_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_histogram_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_histogram_bin_edges(a_h, &opts_c))); }
struct histogram2d_result { array H; array xedges; array yedges; };
/* np.histogram2d: of points (x, y): H[i, j] of them lie in bin i of x and bin j of y */
inline ::kiln::histogram2d_result histogram2d(const ::kiln::operand &x, const ::kiln::operand &y, const
    ::kiln::histogram2d_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_histogram2d_opts opts_c = opts.c(); c_.here();
    kn_histogram2d_result r_ = c_.value(kn_histogram2d(x_h, y_h, &opts_c)); return
    ::kiln::histogram2d_result{array::share(r_.H), array::share(r_.xedges), array::share(r_.yedges)}; }
struct histogramdd_result { array H; std::vector<array> edges; };
/* np.histogramdd: of samples (N, D): how many lie in each of the bins along D axes; float64 */
inline ::kiln::histogramdd_result histogramdd(const ::kiln::operand &sample, const ::kiln::histogramdd_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array sample_h = sample.c(); kn_histogramdd_opts opts_c = opts.c(); c_.here();
    kn_histogramdd_result r_ = c_.value(kn_histogramdd(sample_h, &opts_c)); return
    ::kiln::histogramdd_result{array::share(r_.H), detail::arrays_of(r_.edges)}; }
/* np.bincount: how often each number occurs; looks at x. ValueError for negative numbers */
inline array bincount(const ::kiln::operand &x, const ::kiln::bincount_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_bincount_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_bincount(x_h, &opts_c))); }
} // namespace kiln
#endif
