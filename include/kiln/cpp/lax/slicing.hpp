/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/slicing.hpp -- the functions of kiln/lax/slicing.h in C++. */
/* Made by scripts/make-api.py from api/lax/slicing.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_SLICING_HPP
#define KILN_CPP_LAX_SLICING_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace lax {
struct slice_opts {
    KILN_OPTION((::kiln::optional_shape), strides, {}) /* 1 */
    kn_lax_slice_opts c() const {
        kn_lax_slice_opts to_ = {}; to_.size_ = sizeof to_; to_.strides = detail::c_of(strides); return to_; }
};
/* jax.lax.slice: the part of x from start_indices up to limit_indices without them, one for each axis. TypeError
 * unless 0 <= start <= limit <= extent. kn_lax_slice(x, KN_SHAPE(0, 1), KN_SHAPE(2, 3), .strides = &KN_SHAPE(1, 2)) */
inline array slice(const ::kiln::operand &x, const ::kiln::shape &start_indices, const ::kiln::shape &limit_indices,
    const ::kiln::lax::slice_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_slice_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_slice(x_h, &start_indices, &limit_indices, &opts_c))); }
struct slice_in_dim_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((int64_t), stride, 1) /* 0; 1 */
    kn_lax_slice_in_dim_opts c() const {
        kn_lax_slice_in_dim_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.stride = detail::c_of(stride); return to_; }
};
/* jax.lax.slice_in_dim: a part of one axis, 0, and all of the others. Negative bounds count from its end; KN_END is
 * None. */
inline array slice_in_dim(const ::kiln::operand &x, int64_t start_index, int64_t limit_index, const
    ::kiln::lax::slice_in_dim_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_slice_in_dim_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_slice_in_dim(x_h, start_index, limit_index, &opts_c))); }
struct index_in_dim_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), keepdims, true) /* 0; true */
    kn_lax_index_in_dim_opts c() const {
        kn_lax_index_in_dim_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.keepdims = detail::c_of(keepdims); return to_; }
};
/* jax.lax.index_in_dim: one element of an axis, 0, which stays with extent 1. IndexError. */
inline array index_in_dim(const ::kiln::operand &x, int64_t index, const ::kiln::lax::index_in_dim_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_index_in_dim_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_index_in_dim(x_h, index, &opts_c))); }
struct dynamic_opts {
    KILN_OPTION((bool), allow_negative_indices, true)
    kn_lax_dynamic_opts c() const {
        kn_lax_dynamic_opts to_ = {}; to_.size_ = sizeof to_;
        to_.allow_negative_indices = detail::c_of(allow_negative_indices); return to_; }
};
using dynamic_slice_opts = ::kiln::lax::dynamic_opts;
/* jax.lax.dynamic_slice: a part of x of fixed sizes from computed start indices on: kn_lax_dynamic_slice(x,
 * KN_LIST(i, 0), KN_SHAPE(1, 2)). ValueError unless there is an index for each axis; TypeError for sizes beyond the
 * extents. */
inline array dynamic_slice(const ::kiln::operand &x, const ::kiln::operands &start_indices, const ::kiln::shape
    &slice_sizes, const ::kiln::lax::dynamic_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_list start_indices_h = start_indices.list(); kn_lax_dynamic_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_dynamic_slice(x_h, start_indices_h, &slice_sizes,
    &opts_c))); }
struct dynamic_in_dim_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), allow_negative_indices, true) /* 0; true */
    kn_lax_dynamic_in_dim_opts c() const {
        kn_lax_dynamic_in_dim_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.allow_negative_indices = detail::c_of(allow_negative_indices); return to_; }
};
using dynamic_slice_in_dim_opts = ::kiln::lax::dynamic_in_dim_opts;
/* jax.lax.dynamic_slice_in_dim: slice_size elements of one axis, 0, from a computed index on; all of the others. */
inline array dynamic_slice_in_dim(const ::kiln::operand &x, const ::kiln::operand &start_index, int64_t slice_size,
    const ::kiln::lax::dynamic_in_dim_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array start_index_h = start_index.c(); kn_lax_dynamic_in_dim_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_dynamic_slice_in_dim(x_h, start_index_h,
    slice_size, &opts_c))); }
struct dynamic_index_in_dim_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((bool), keepdims, true)
    KILN_OPTION((bool), allow_negative_indices, true)
    kn_lax_dynamic_index_in_dim_opts c() const {
        kn_lax_dynamic_index_in_dim_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.keepdims = detail::c_of(keepdims); to_.allow_negative_indices = detail::c_of(allow_negative_indices); return
        to_; }
};
/* jax.lax.dynamic_index_in_dim: one element, at a computed index, of an axis, 0, which stays with extent 1. */
inline array dynamic_index_in_dim(const ::kiln::operand &x, const ::kiln::operand &index, const
    ::kiln::lax::dynamic_index_in_dim_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array index_h = index.c(); kn_lax_dynamic_index_in_dim_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_dynamic_index_in_dim(x_h, index_h, &opts_c))); }
using dynamic_update_slice_opts = ::kiln::lax::dynamic_opts;
/* jax.lax.dynamic_update_slice: x with `update`, of its dtype, written from computed start indices on; a new array. */
inline array dynamic_update_slice(const ::kiln::operand &x, const ::kiln::operand &update, const ::kiln::operands
    &start_indices, const ::kiln::lax::dynamic_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array update_h = update.c(); kn_list
    start_indices_h = start_indices.list(); kn_lax_dynamic_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_dynamic_update_slice(x_h, update_h, start_indices_h, &opts_c))); }
using dynamic_update_slice_in_dim_opts = ::kiln::lax::dynamic_opts;
/* jax.lax.dynamic_update_slice_in_dim: x with `update` written from a computed index on along one axis; elsewhere
 * from 0 on. */
inline array dynamic_update_slice_in_dim(const ::kiln::operand &x, const ::kiln::operand &update, const ::kiln::operand
    &start_index, int axis, const ::kiln::lax::dynamic_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array update_h = update.c(); kn_array
    start_index_h = start_index.c(); kn_lax_dynamic_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_dynamic_update_slice_in_dim(x_h, update_h, start_index_h, axis, &opts_c))); }
using dynamic_update_index_in_dim_opts = ::kiln::lax::dynamic_opts;
/* jax.lax.dynamic_update_index_in_dim: x with one element of an axis, at a computed index, replaced; update may
 * leave that axis out. */
inline array dynamic_update_index_in_dim(const ::kiln::operand &x, const ::kiln::operand &update, const ::kiln::operand
    &index, int axis, const ::kiln::lax::dynamic_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array update_h = update.c(); kn_array index_h = index.c();
    kn_lax_dynamic_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_dynamic_update_index_in_dim(x_h, update_h, index_h, axis, &opts_c))); }
/* jax.lax.index_take: for each place in the index arrays (one-dimensional integers, one array per axis) the part of
 * x there, stacked in front. Negative indices count from the end. */
inline array index_take(const ::kiln::operand &x, const ::kiln::operands &indices, const ::kiln::axes &axes, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_list indices_h = indices.list(); c_.here(); return
    array::share(c_.take(kn_lax_index_take(x_h, indices_h, &axes))); }
struct gather_opts {
    KILN_OPTION((int), mode, {})
    KILN_OPTION((bool), indices_are_sorted, {})
    KILN_OPTION((bool), unique_indices, {})
    kn_lax_gather_opts c() const {
        kn_lax_gather_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.indices_are_sorted = detail::c_of(indices_are_sorted); to_.unique_indices = detail::c_of(unique_indices);
        return to_; }
};
/* jax.lax.gather: slices of x of these sizes from the places that the vectors along the last axis of `indices` name:
 * kn_lax_gather(x, i, ((kn_lax_gather_dimension_numbers){.offset_dims = KN_AXIS(1), ...}), KN_SHAPE(1, 3)) */
inline array gather(const ::kiln::operand &x, const ::kiln::operand &indices, const kn_lax_gather_dimension_numbers
    &dimension_numbers, const ::kiln::shape &slice_sizes, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_lax_gather_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_lax_gather(x_h, indices_h, &dimension_numbers, &slice_sizes, &opts_c))); }
using scatter_opts = ::kiln::lax::gather_opts;
/* jax.lax.scatter: x with the updates (of its dtype) written at those places, in their order. */
inline array scatter(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::operand &updates, const
    kn_lax_scatter_dimension_numbers &dimension_numbers, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_array updates_h = updates.c();
    kn_lax_gather_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_scatter(x_h, indices_h,
    updates_h, &dimension_numbers, &opts_c))); }
using scatter_add_opts = ::kiln::lax::gather_opts;
/* x with the updates added at those places (jax.lax.scatter_add); equal places add up. The next functions subtract,
 * multiply, or keep what is smaller or larger. */
inline array scatter_add(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::operand &updates, const
    kn_lax_scatter_dimension_numbers &dimension_numbers, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_array updates_h = updates.c();
    kn_lax_gather_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_scatter_add(x_h, indices_h,
    updates_h, &dimension_numbers, &opts_c))); }
using scatter_sub_opts = ::kiln::lax::gather_opts;
/* x less the updates at those places (jax.lax.scatter_sub) */
inline array scatter_sub(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::operand &updates, const
    kn_lax_scatter_dimension_numbers &dimension_numbers, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_array updates_h = updates.c();
    kn_lax_gather_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_scatter_sub(x_h, indices_h,
    updates_h, &dimension_numbers, &opts_c))); }
using scatter_mul_opts = ::kiln::lax::gather_opts;
/* x times the updates at those places (jax.lax.scatter_mul) */
inline array scatter_mul(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::operand &updates, const
    kn_lax_scatter_dimension_numbers &dimension_numbers, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_array updates_h = updates.c();
    kn_lax_gather_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_scatter_mul(x_h, indices_h,
    updates_h, &dimension_numbers, &opts_c))); }
using scatter_min_opts = ::kiln::lax::gather_opts;
/* x with the smaller one of the element and the update at those places (jax.lax.scatter_min) */
inline array scatter_min(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::operand &updates, const
    kn_lax_scatter_dimension_numbers &dimension_numbers, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_array updates_h = updates.c();
    kn_lax_gather_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_scatter_min(x_h, indices_h,
    updates_h, &dimension_numbers, &opts_c))); }
using scatter_max_opts = ::kiln::lax::gather_opts;
/* x with the larger one of the element and the update at those places (jax.lax.scatter_max) */
inline array scatter_max(const ::kiln::operand &x, const ::kiln::operand &indices, const ::kiln::operand &updates, const
    kn_lax_scatter_dimension_numbers &dimension_numbers, const ::kiln::lax::gather_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_h = indices.c(); kn_array updates_h = updates.c();
    kn_lax_gather_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_scatter_max(x_h, indices_h,
    updates_h, &dimension_numbers, &opts_c))); }
} // namespace lax
} // namespace kiln
#endif
