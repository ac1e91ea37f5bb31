/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/reductions.hpp -- the functions of kiln/numpy/reductions.h in C++. */
/* Made by scripts/make-api.py from api/numpy/reductions.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_REDUCTIONS_HPP
#define KILN_CPP_NUMPY_REDUCTIONS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct sum_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), initial, {})
    KILN_OPTION((::kiln::array), where, {})
    kn_sum_opts c() const {
        kn_sum_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.dtype = detail::c_of(dtype);
        to_.keepdims = detail::c_of(keepdims); to_.initial = detail::c_of(initial); to_.where = detail::c_of(where);
        return to_; }
};
struct mean_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), where, {})
    kn_mean_opts c() const {
        kn_mean_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.dtype = detail::c_of(dtype);
        to_.keepdims = detail::c_of(keepdims); to_.where = detail::c_of(where); return to_; }
};
struct var_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((double), ddof, {})
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), where, {})
    KILN_OPTION((double), correction, {}) /* another name for ddof */
    KILN_OPTION((::kiln::array), mean, {}) /* the mean if it is known, with the reduced axes as keepdims leaves them */
    kn_var_opts c() const {
        kn_var_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.dtype = detail::c_of(dtype);
        to_.ddof = detail::c_of(ddof); to_.keepdims = detail::c_of(keepdims); to_.where = detail::c_of(where);
        to_.correction = detail::c_of(correction); to_.mean = detail::c_of(mean); return to_; }
};
struct max_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), initial, {})
    KILN_OPTION((::kiln::array), where, {})
    kn_max_opts c() const {
        kn_max_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.keepdims = detail::c_of(keepdims); to_.initial = detail::c_of(initial); to_.where = detail::c_of(where);
        return to_; }
};
struct any_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), where, {})
    kn_any_opts c() const {
        kn_any_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.keepdims = detail::c_of(keepdims); to_.where = detail::c_of(where); return to_; }
};
struct argmax_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), keepdims, {})
    kn_argmax_opts c() const {
        kn_argmax_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.keepdims = detail::c_of(keepdims); return to_; }
};
/* np.sum: the sum; small integers and bool add up in 64 bits */
inline array sum(const ::kiln::operand &x, const ::kiln::sum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_sum(x_h, &opts_c))); }
using prod_opts = ::kiln::sum_opts;
/* np.prod: the product; small integers and bool in 64 bits */
inline array prod(const ::kiln::operand &x, const ::kiln::sum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_prod(x_h, &opts_c))); }
/* np.mean: the mean; float16 is added up in float32; integers give float64 */
inline array mean(const ::kiln::operand &x, const ::kiln::mean_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_mean_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_mean(x_h, &opts_c))); }
/* np.var: the variance: the mean of |x - mean|^2, divided by n - ddof */
inline array var(const ::kiln::operand &x, const ::kiln::var_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_var_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_var(x_h, &opts_c))); }
using std_opts = ::kiln::var_opts;
/* np.std: the standard deviation: the root of kn_var */
inline array std(const ::kiln::operand &x, const ::kiln::var_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_var_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_std(x_h, &opts_c))); }
/* np.max: the largest element. NaN if there is one; complex numbers by their real parts first. ValueError for no
 * elements without `initial`, and for a mask without it */
inline array max(const ::kiln::operand &x, const ::kiln::max_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_max_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_max(x_h, &opts_c))); }
using min_opts = ::kiln::max_opts;
/* np.min: the smallest element; as kn_max */
inline array min(const ::kiln::operand &x, const ::kiln::max_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_max_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_min(x_h, &opts_c))); }
using amax_opts = ::kiln::max_opts;
/* kn_max */
inline array amax(const ::kiln::operand &x, const ::kiln::max_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_max_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_amax(x_h, &opts_c))); }
using amin_opts = ::kiln::max_opts;
/* kn_min */
inline array amin(const ::kiln::operand &x, const ::kiln::max_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_max_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_amin(x_h, &opts_c))); }
using ptp_opts = ::kiln::argmax_opts;
/* np.ptp: the range of the elements, max - min */
inline array ptp(const ::kiln::operand &x, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ptp(x_h, &opts_c))); }
/* np.any: is an element not 0? NaN is not; false of none */
inline array any(const ::kiln::operand &x, const ::kiln::any_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_any_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_any(x_h, &opts_c))); }
using all_opts = ::kiln::any_opts;
/* np.all: are all elements not 0? true of none */
inline array all(const ::kiln::operand &x, const ::kiln::any_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_any_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_all(x_h, &opts_c))); }
/* np.argmax: where the maximum stands: int64; the first NaN, else the first maximum. Without an axis counted in the
 * flattened array */
inline array argmax(const ::kiln::operand &x, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_argmax(x_h, &opts_c))); }
using argmin_opts = ::kiln::argmax_opts;
/* np.argmin: where the minimum stands: int64; the first NaN, else the first minimum */
inline array argmin(const ::kiln::operand &x, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_argmin(x_h, &opts_c))); }
using count_nonzero_opts = ::kiln::argmax_opts;
/* np.count_nonzero: how many elements are not 0: int64 */
inline array count_nonzero(const ::kiln::operand &x, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_count_nonzero(x_h, &opts_c))); }
using nansum_opts = ::kiln::sum_opts;
/* np.nansum: the sum of what is not NaN; 0 where all are NaN */
inline array nansum(const ::kiln::operand &x, const ::kiln::sum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nansum(x_h, &opts_c))); }
using nanprod_opts = ::kiln::sum_opts;
/* np.nanprod: the product of what is not NaN; 1 where all are NaN */
inline array nanprod(const ::kiln::operand &x, const ::kiln::sum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sum_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanprod(x_h, &opts_c))); }
using nanmean_opts = ::kiln::mean_opts;
/* np.nanmean: the mean of what is not NaN; NaN where all are */
inline array nanmean(const ::kiln::operand &x, const ::kiln::mean_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_mean_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanmean(x_h, &opts_c))); }
using nanvar_opts = ::kiln::var_opts;
/* np.nanvar: the variance of what is not NaN; NaN where ddof or fewer are left */
inline array nanvar(const ::kiln::operand &x, const ::kiln::var_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_var_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanvar(x_h, &opts_c))); }
using nanstd_opts = ::kiln::var_opts;
/* np.nanstd: the root of kn_nanvar */
inline array nanstd(const ::kiln::operand &x, const ::kiln::var_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_var_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanstd(x_h, &opts_c))); }
using nanmax_opts = ::kiln::max_opts;
/* np.nanmax: the largest element that is not NaN; NaN where all are */
inline array nanmax(const ::kiln::operand &x, const ::kiln::max_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_max_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanmax(x_h, &opts_c))); }
using nanmin_opts = ::kiln::max_opts;
/* np.nanmin: the smallest element that is not NaN; NaN where all are */
inline array nanmin(const ::kiln::operand &x, const ::kiln::max_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_max_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanmin(x_h, &opts_c))); }
using nanargmax_opts = ::kiln::argmax_opts;
/* np.nanargmax: where the largest element that is not NaN stands; ValueError where all are NaN; -1 there if values
 * are not known, under jit and vmap */
inline array nanargmax(const ::kiln::operand &x, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanargmax(x_h, &opts_c))); }
using nanargmin_opts = ::kiln::argmax_opts;
/* np.nanargmin: where the smallest element that is not NaN stands; as kn_nanargmax */
inline array nanargmin(const ::kiln::operand &x, const ::kiln::argmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_argmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nanargmin(x_h, &opts_c))); }
} // namespace kiln
#endif
