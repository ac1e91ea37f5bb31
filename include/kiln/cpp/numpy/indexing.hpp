/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/indexing.hpp -- the functions of kiln/numpy/indexing.h in C++. */
/* Made by scripts/make-api.py from api/numpy/indexing.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_INDEXING_HPP
#define KILN_CPP_NUMPY_INDEXING_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/manipulation.hpp"
#include "kiln/cpp/print.hpp"

namespace kiln {
struct take_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::text), mode, {}) /* "raise" */
    kn_take_opts c() const {
        kn_take_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.mode = detail::c_of(mode);
        return to_; }
};
struct copyto_opts {
    KILN_OPTION((::kiln::text), casting, "same_kind")
    KILN_OPTION((::kiln::array), where, {})
    kn_copyto_opts c() const {
        kn_copyto_opts to_ = {}; to_.size_ = sizeof to_; to_.casting = detail::c_of(casting);
        to_.where = detail::c_of(where); return to_; }
};
struct mode_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "raise" */
    kn_mode_opts c() const {
        kn_mode_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
struct indices_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* int64 */
    kn_indices_opts c() const {
        kn_indices_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct select_opts {
    KILN_OPTION((::kiln::array), default_, {}) /* 0 */
    kn_select_opts c() const {
        kn_select_opts to_ = {}; to_.size_ = sizeof to_; to_.default_ = detail::c_of(default_); return to_; }
};
struct fill_diagonal_opts {
    KILN_OPTION((bool), wrap, {})
    kn_fill_diagonal_opts c() const {
        kn_fill_diagonal_opts to_ = {}; to_.size_ = sizeof to_; to_.wrap = detail::c_of(wrap); return to_; }
};
struct diag_indices_opts {
    KILN_OPTION((int), ndim, 2)
    kn_diag_indices_opts c() const {
        kn_diag_indices_opts to_ = {}; to_.size_ = sizeof to_; to_.ndim = detail::c_of(ndim); return to_; }
};
struct tril_indices_opts {
    KILN_OPTION((int64_t), k, {})
    KILN_OPTION((int64_t), m, -1) /* as n */
    kn_tril_indices_opts c() const {
        kn_tril_indices_opts to_ = {}; to_.size_ = sizeof to_; to_.k = detail::c_of(k); to_.m = detail::c_of(m); return
        to_; }
};
struct unravel_index_opts {
    KILN_OPTION((::kiln::text), order, {}) /* or "F" */
    kn_unravel_index_opts c() const {
        kn_unravel_index_opts to_ = {}; to_.size_ = sizeof to_; to_.order = detail::c_of(order); return to_; }
};
struct ravel_multi_index_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "raise" */
    KILN_OPTION((::kiln::text), order, {})
    kn_ravel_multi_index_opts c() const {
        kn_ravel_multi_index_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.order = detail::c_of(order); return to_; }
};
/* np.take: the elements at these positions, of the flattened x unless an axis is given. IndexError for positions out
 * of bounds, unless .mode says what they become */
inline array take(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::take_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_take_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_take(x_h, indices_h, &opts_c))); }
using take_along_axis_opts = ::kiln::squeeze_opts;
/* np.take_along_axis: elements of each line along the axis (the last one unless given) at positions of its own */
inline array take_along_axis(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::squeeze_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_squeeze_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_take_along_axis(x_h, indices_h, &opts_c))); }
using choose_opts = ::kiln::mode_opts;
/* np.choose: element by element from the array of the list whose number is a's element. With .mode "raise" a is
 * looked at */
inline array choose(const ::kiln::operand &a, const ::kiln::operands &choices, const ::kiln::mode_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_list choices_h = choices.list(); kn_mode_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_choose(a_h, choices_h, &opts_c))); }
/* np.select: elements of the choice whose condition is the first that holds; else the default. Conditions are bool */
inline array select(const ::kiln::operands &condlist, const ::kiln::operands &choicelist, const ::kiln::select_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_list condlist_h = condlist.list(); kn_list choicelist_h = choicelist.list(); kn_select_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_select(condlist_h, choicelist_h, &opts_c))); }
/* np.nonzero: where a is not 0: one array of indices an axis, for NumPy's where of one argument, too */
inline std::vector<array> nonzero(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return detail::arrays_of(c_.take(kn_nonzero(a_h))); }
/* np.argwhere: where a is not 0: one row of indices for each such element */
inline array argwhere(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_argwhere(a_h))); }
/* np.flatnonzero: the positions in the flattened array where a is not 0 */
inline array flatnonzero(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_flatnonzero(a_h))); }
using compress_opts = ::kiln::squeeze_opts;
/* np.compress: what stands where the condition, a vector, holds along the axis; a is flattened unless an axis is
 * given */
inline array compress(const ::kiln::operand &condition, const ::kiln::operand &a, const ::kiln::squeeze_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array condition_h = condition.c(); kn_array a_h = a.c(); kn_squeeze_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_compress(condition_h, a_h, &opts_c))); }
/* np.extract: the elements of arr where the condition holds; both flattened */
inline array extract(const ::kiln::operand &condition, const ::kiln::operand &arr, place where = here())
{ detail::call c_(where); kn_array condition_h = condition.c(); kn_array arr_h = arr.c(); c_.here(); return
    array::share(c_.take(kn_extract(condition_h, arr_h))); }
/* np.ix_: vectors of positions along axes of their own, for an index of all combinations; masks (looked at) become
 * positions */
inline std::vector<array> ix_(const ::kiln::operands &list, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); c_.here(); return detail::arrays_of(c_.take(kn_ix_(list_h))); }
/* np.ravel_multi_index: positions in the flattened array of shape dims, of those along each axis. ValueError if out
 * of bounds, unless .mode says what they become; .order "F" has the first axis fastest */
inline array ravel_multi_index(const ::kiln::operands &multi_index, const ::kiln::shape &dims, const
    ::kiln::ravel_multi_index_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list multi_index_h = multi_index.list(); kn_ravel_multi_index_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_ravel_multi_index(multi_index_h, &dims, &opts_c))); }
/* np.unravel_index: positions along each axis, of those in the flattened array. ValueError if out of bounds */
inline std::vector<array> unravel_index(const ::kiln::operand &indices, const ::kiln::shape &shape, const
    ::kiln::unravel_index_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array indices_h = indices.c(); kn_unravel_index_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_unravel_index(indices_h, &shape, &opts_c))); }
/* np.indices: for each axis an array of the positions along it; stacked in front */
inline array indices(const ::kiln::shape &dimensions, const ::kiln::indices_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_indices_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_indices(&dimensions, &opts_c))); }
using indices_sparse_opts = ::kiln::indices_opts;
/* np.indices with sparse=True: each along its own axis */
inline std::vector<array> indices_sparse(const ::kiln::shape &dimensions, const ::kiln::indices_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_indices_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_indices_sparse(&dimensions, &opts_c))); }
/* np.diag_indices: the indices of the main diagonal of n by n (by n ...) elements */
inline std::vector<array> diag_indices(int64_t n, const ::kiln::diag_indices_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_diag_indices_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_diag_indices(n, &opts_c))); }
/* np.diag_indices_from: the indices of the main diagonal; ValueError unless all axes are equal */
inline std::vector<array> diag_indices_from(const ::kiln::operand &arr, place where = here())
{ detail::call c_(where); kn_array arr_h = arr.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_diag_indices_from(arr_h))); }
/* np.tril_indices: the indices of what kn_tril keeps of a matrix of n rows */
inline std::vector<array> tril_indices(int64_t n, const ::kiln::tril_indices_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tril_indices_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_tril_indices(n, &opts_c))); }
using triu_indices_opts = ::kiln::tril_indices_opts;
/* np.triu_indices: the indices of what kn_triu keeps of a matrix of n rows */
inline std::vector<array> triu_indices(int64_t n, const ::kiln::tril_indices_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_tril_indices_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_triu_indices(n, &opts_c))); }
using tril_indices_from_opts = ::kiln::diag_opts;
/* np.tril_indices_from: the indices of what kn_tril keeps of this matrix */
inline std::vector<array> tril_indices_from(const ::kiln::operand &arr, const ::kiln::diag_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array arr_h = arr.c(); kn_diag_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_tril_indices_from(arr_h, &opts_c))); }
using triu_indices_from_opts = ::kiln::diag_opts;
/* np.triu_indices_from: the indices of what kn_triu keeps of this matrix */
inline std::vector<array> triu_indices_from(const ::kiln::operand &arr, const ::kiln::diag_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array arr_h = arr.c(); kn_diag_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_triu_indices_from(arr_h, &opts_c))); }
using mask_indices_opts = ::kiln::diag_opts;
/* np.mask_indices: the indices where mask_func(ones, k) is not zero; kn_triu and kn_tril are such functions with
 * their options */
inline std::vector<array> mask_indices(int64_t n, kn_mask_func mask_func, const ::kiln::diag_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_diag_opts opts_c = opts.c(); c_.here(); return detail::arrays_of(c_.take(kn_mask_indices(n,
    mask_func, &opts_c))); }
/* x.fill(v); every element becomes v */
inline int fill(const ::kiln::operand &x, const ::kiln::operand &v, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array v_h = v.c(); c_.here(); return c_.value(kn_fill(x_h, v_h)); }
/* np.copyto: the values of `from`, broadcast, go into `to`, with .where there alone */
inline int copyto(const ::kiln::operand &to, const ::kiln::operand &from, const ::kiln::copyto_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array to_h = to.c(); kn_array from_h = from.c(); kn_copyto_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_copyto(to_h, from_h, &opts_c)); }
using put_opts = ::kiln::mode_opts;
/* np.put: a.flat[ind] = v, v again and again; looks at ind */
inline int put(const ::kiln::operand &a, const ::kiln::operand &ind, const ::kiln::operand &v, const ::kiln::mode_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array ind_h = ind.c(); kn_array v_h = v.c(); kn_mode_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_put(a_h, ind_h, v_h, &opts_c)); }
/* np.putmask: where the mask holds, element i becomes values[i % size] */
inline int putmask(const ::kiln::operand &a, const ::kiln::operand &mask, const ::kiln::operand &values, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array mask_h = mask.c(); kn_array values_h = values.c(); c_.here();
    return c_.value(kn_putmask(a_h, mask_h, values_h)); }
/* np.place (kn_place is a type): vals one after the other where mask holds; looks at mask */
inline int place_mask(const ::kiln::operand &arr, const ::kiln::operand &mask, const ::kiln::operand &vals, place
    where = here())
{ detail::call c_(where); kn_array arr_h = arr.c(); kn_array mask_h = mask.c(); kn_array vals_h = vals.c(); c_.here();
    return c_.value(kn_place_mask(arr_h, mask_h, vals_h)); }
/* np.put_along_axis: elements of each line along the axis at positions of its own become `values`; KN_AXIS_NONE: of
 * the flattened arr */
inline int put_along_axis(const ::kiln::operand &arr, const ::kiln::operand &indices, const ::kiln::operand &values,
    const ::kiln::axes &axis, place where = here())
{ detail::call c_(where); kn_array arr_h = arr.c(); kn_array indices_h = indices.c(); kn_array values_h = values.c();
    c_.here(); return c_.value(kn_put_along_axis(arr_h, indices_h, values_h, &axis)); }
/* np.fill_diagonal: the main diagonal becomes val, a number or a vector; wrap: goes on below a square */
inline int fill_diagonal(const ::kiln::operand &a, const ::kiln::operand &val, const ::kiln::fill_diagonal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array val_h = val.c(); kn_fill_diagonal_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_fill_diagonal(a_h, val_h, &opts_c)); }
/* x += y. TypeError where the result is not of x's kind, here and in the functions below */
inline int iadd(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_iadd(x_h, y_h)); }
/* x -= y */
inline int isub(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_isub(x_h, y_h)); }
/* x *= y */
inline int imul(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_imul(x_h, y_h)); }
/* x /= y; TypeError for integers */
inline int idiv(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_idiv(x_h, y_h)); }
/* x **= y */
inline int ipow(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_ipow(x_h, y_h)); }
/* x &= y */
inline int iand(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_iand(x_h, y_h)); }
/* x |= y */
inline int ior(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_ior(x_h, y_h)); }
/* x ^= y */
inline int ixor(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_ixor(x_h, y_h)); }
/* x //= y */
inline int ifloordiv(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_ifloordiv(x_h,
    y_h)); }
/* x %= y */
inline int imod(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_imod(x_h, y_h)); }
/* x <<= y */
inline int ilshift(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_ilshift(x_h, y_h));
    }
/* x >>= y */
inline int irshift(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_irshift(x_h, y_h));
    }
/* x @= y; ValueError where the product has another shape */
inline int imatmul(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return c_.value(kn_imatmul(x_h, y_h));
    }
} // namespace kiln
#endif
