/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/sorting.hpp -- the functions of kiln/numpy/sorting.h in C++. */
/* Made by scripts/make-api.py from api/numpy/sorting.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_SORTING_HPP
#define KILN_CPP_NUMPY_SORTING_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/manipulation.hpp"

namespace kiln {
struct sort_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), stable, {})
    KILN_OPTION((::kiln::text), kind, {}) /* "quicksort" */
    KILN_OPTION((bool), descending, {}) /* the largest first, NaN last all the same */
    kn_sort_opts c() const {
        kn_sort_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.stable = detail::c_of(stable);
        to_.kind = detail::c_of(kind); to_.descending = detail::c_of(descending); return to_; }
};
struct partition_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::text), kind, {})
    KILN_OPTION((bool), descending, {})
    kn_partition_opts c() const {
        kn_partition_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.kind = detail::c_of(kind); to_.descending = detail::c_of(descending); return to_; }
};
struct top_k_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::text), mode, {}) /* "largest" or "smallest" */
    KILN_OPTION((bool), sorted, true) /* they are, whatever it says */
    kn_top_k_opts c() const {
        kn_top_k_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.mode = detail::c_of(mode);
        to_.sorted = detail::c_of(sorted); return to_; }
};
struct searchsorted_opts {
    KILN_OPTION((::kiln::text), side, {}) /* "left" */
    KILN_OPTION((::kiln::array), sorter, {}) /* positions that sort a */
    kn_searchsorted_opts c() const {
        kn_searchsorted_opts to_ = {}; to_.size_ = sizeof to_; to_.side = detail::c_of(side);
        to_.sorter = detail::c_of(sorter); return to_; }
};
struct digitize_opts {
    KILN_OPTION((bool), right, {})
    kn_digitize_opts c() const {
        kn_digitize_opts to_ = {}; to_.size_ = sizeof to_; to_.right = detail::c_of(right); return to_; }
};
/* np.sort: the elements in ascending order (with .descending the largest first) along the last axis unless another
 * is given; KN_AXIS_NONE: flattened */
inline array sort(const ::kiln::operand &x, const ::kiln::sort_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sort_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_sort(x_h, &opts_c))); }
using sort_in_place_opts = ::kiln::sort_opts;
/* x.sort(), along the last axis unless another is given: 0, or -1 with an error */
inline int sort_in_place(const ::kiln::operand &x, const ::kiln::sort_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sort_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_sort_in_place(x_h, &opts_c)); }
using argsort_opts = ::kiln::sort_opts;
/* np.argsort: the positions that sort x, equal elements in their order; int64 */
inline array argsort(const ::kiln::operand &x, const ::kiln::sort_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sort_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_argsort(x_h, &opts_c))); }
using lexsort_opts = ::kiln::squeeze_opts;
/* np.lexsort: positions that sort by the last key first, then by the one before; along the last axis; int64 */
inline array lexsort(const ::kiln::operands &keys, const ::kiln::squeeze_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list keys_h = keys.list(); kn_squeeze_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lexsort(keys_h, &opts_c))); }
/* np.sort_complex: the sorted array as complex numbers; short integers give complex64, others complex128 */
inline array sort_complex(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_sort_complex(a_h))); }
/* np.partition: the array so that the element at kth is where sorting puts it: in front of it what is smaller,
 * behind it what is larger, both in the order in which they came. kth may be many and is looked at; ValueError if
 * out of bounds. Last axis unless another is given; KN_AXIS_NONE: flattened */
inline array partition(const ::kiln::operand &a, const ::kiln::operand &kth, const ::kiln::partition_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array kth_h = kth.c(); kn_partition_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_partition(a_h, kth_h, &opts_c))); }
using partition_in_place_opts = ::kiln::partition_opts;
/* x.partition(kth): 0, or -1 with an error */
inline int partition_in_place(const ::kiln::operand &x, const ::kiln::operand &kth, const ::kiln::partition_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array kth_h = kth.c(); kn_partition_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_partition_in_place(x_h, kth_h, &opts_c)); }
using argpartition_opts = ::kiln::partition_opts;
/* np.argpartition: the positions that bring x into the order of kn_partition; int64 */
inline array argpartition(const ::kiln::operand &a, const ::kiln::operand &kth, const ::kiln::partition_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array kth_h = kth.c(); kn_partition_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_argpartition(a_h, kth_h, &opts_c))); }
struct top_k_result { array values; array indices; };
/* np.top_k: the k largest (smallest) along an axis, best first, and where they are; NaN comes last */
inline ::kiln::top_k_result top_k(const ::kiln::operand &a, int64_t k, const ::kiln::top_k_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_top_k_opts opts_c = opts.c(); c_.here(); kn_top_k_result
    r_ = c_.value(kn_top_k(a_h, k, &opts_c)); return ::kiln::top_k_result{array::share(r_.values),
    array::share(r_.indices)}; }
/* np.searchsorted: where in the sorted vector a each of v would go, before (right: behind) equal ones; int64 */
inline array searchsorted(const ::kiln::operand &a, const ::kiln::operand &v, const ::kiln::searchsorted_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array v_h = v.c(); kn_searchsorted_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_searchsorted(a_h, v_h, &opts_c))); }
/* np.digitize: the number of the bin that x is in, 0 in front of all of them: bins[i - 1] <= x < bins[i], with
 * .right bins[i - 1] < x <= bins[i]. ValueError if the bins (a vector) neither rise nor fall, where values are known */
inline array digitize(const ::kiln::operand &x, const ::kiln::operand &bins, const ::kiln::digitize_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array bins_h = bins.c(); kn_digitize_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_digitize(x_h, bins_h, &opts_c))); }
} // namespace kiln
#endif
