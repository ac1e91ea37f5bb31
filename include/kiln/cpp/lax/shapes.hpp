/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/shapes.hpp -- the functions of kiln/lax/shapes.h in C++. */
/* Made by scripts/make-api.py from api/lax/shapes.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_SHAPES_HPP
#define KILN_CPP_LAX_SHAPES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace lax {
/* jax.lax.iota: 0, 1, ... size - 1. TypeError for dtypes without numbers. */
inline array iota(const ::kiln::dtype &dtype, int64_t size, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_lax_iota(dtype, size))); }
/* jax.lax.broadcasted_iota: an array of a shape that counts 0, 1, ... along one dimension and repeats that along the
 * others. */
inline array broadcasted_iota(const ::kiln::dtype &dtype, const ::kiln::shape &shape, int dimension, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_lax_broadcasted_iota(dtype, &shape, dimension))); }
struct full_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* that of the value */
    kn_lax_full_opts c() const {
        kn_lax_full_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
/* jax.lax.full: a scalar everywhere. TypeError if fill_value is no scalar. */
inline array full(const ::kiln::shape &shape, const ::kiln::operand &fill_value, const ::kiln::lax::full_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array fill_value_h = fill_value.c(); kn_lax_full_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_full(&shape, fill_value_h, &opts_c))); }
struct full_like_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* that of x */
    KILN_OPTION((::kiln::optional_shape), shape, {}) /* that of x */
    kn_lax_full_like_opts c() const {
        kn_lax_full_like_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.shape = detail::c_of(shape); return to_; }
};
/* jax.lax.full_like: a scalar everywhere, with the dtype and shape of x. */
inline array full_like(const ::kiln::operand &x, const ::kiln::operand &fill_value, const ::kiln::lax::full_like_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array fill_value_h = fill_value.c(); kn_lax_full_like_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_full_like(x_h, fill_value_h, &opts_c))); }
/* jax.lax.empty: an array whose elements do not matter; here they are zeros. */
inline array empty(const ::kiln::shape &shape, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_lax_empty(&shape, dtype))); }
/* jax.lax.broadcast: x repeated along new axes of these sizes in front. */
inline array broadcast(const ::kiln::operand &x, const ::kiln::shape &sizes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_broadcast(x_h, &sizes)));
    }
/* jax.lax.broadcast_in_dim: x repeated to a shape: axis k of x becomes axis broadcast_dimensions[k] of the result,
 * in rising order. */
inline array broadcast_in_dim(const ::kiln::operand &x, const ::kiln::shape &shape, const ::kiln::axes
    &broadcast_dimensions, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_broadcast_in_dim(x_h,
    &shape, &broadcast_dimensions))); }
/* jax.lax.broadcast_like: x repeated to the shape of `like`, aligned at the last axis. ValueError if it does not
 * fit. */
inline array broadcast_like(const ::kiln::operand &x, const ::kiln::operand &like, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array like_h = like.c(); c_.here(); return
    array::share(c_.take(kn_lax_broadcast_like(x_h, like_h))); }
/* jax.lax.broadcast_to_rank: x with axes of extent 1 in front until there are `rank`; x itself if there are. */
inline array broadcast_to_rank(const ::kiln::operand &x, int rank, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_broadcast_to_rank(x_h,
    rank))); }
/* jax.lax.broadcast_shapes: what shapes are together; ndim is -1 after an error ("Incompatible shapes for
 * broadcasting: shapes=[(2,), (3,)]", ValueError). kn_lax_broadcast_shapes(KN_SHAPE(2, 1), KN_SHAPE(3)). */
inline ::kiln::shape broadcast_shapes(const std::vector<::kiln::shape> &shapes, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_lax_broadcast_shapes(static_cast<int>(shapes.size()),
    shapes.data())); }
struct reshape_opts {
    KILN_OPTION((::kiln::axes), dimensions, {}) /* the order in which x is read; not given: 0, 1, ... */
    kn_lax_reshape_opts c() const {
        kn_lax_reshape_opts to_ = {}; to_.size_ = sizeof to_; to_.dimensions = detail::c_of(dimensions); return to_; }
};
/* jax.lax.reshape: the same elements in row-major order; with .dimensions those of the transpose. No extent can be
 * -1: TypeError "reshape new_sizes must all be positive". */
inline array reshape(const ::kiln::operand &x, const ::kiln::shape &new_sizes, const ::kiln::lax::reshape_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_reshape_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_reshape(x_h, &new_sizes, &opts_c))); }
struct collapse_opts {
    KILN_OPTION((int), stop_dimension, KN_MAX_NDIM) /* not given: behind the last */
    kn_lax_collapse_opts c() const {
        kn_lax_collapse_opts to_ = {}; to_.size_ = sizeof to_; to_.stop_dimension = detail::c_of(stop_dimension); return
        to_; }
};
/* jax.lax.collapse: the axes from start_dimension on, up to stop_dimension without it, as one. */
inline array collapse(const ::kiln::operand &x, int start_dimension, const ::kiln::lax::collapse_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_collapse_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_collapse(x_h, start_dimension, &opts_c))); }
/* jax.lax.expand_dims: x with axes of extent 1 put in where the result shall have them. ValueError for repeated
 * ones. */
inline array expand_dims(const ::kiln::operand &x, const ::kiln::axes &dimensions, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_expand_dims(x_h,
    &dimensions))); }
/* jax.lax.squeeze: x without these axes of extent 1. ValueError for others. */
inline array squeeze(const ::kiln::operand &x, const ::kiln::axes &dimensions, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_squeeze(x_h,
    &dimensions))); }
/* jax.lax.transpose: x with its axes in another order: axis permutation[k] of x is axis k of the result. TypeError
 * if that is no permutation. */
inline array transpose(const ::kiln::operand &x, const ::kiln::axes &permutation, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_transpose(x_h,
    &permutation))); }
/* jax.lax.rev: x backwards along these dimensions. */
inline array rev(const ::kiln::operand &x, const ::kiln::axes &dimensions, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_rev(x_h, &dimensions))); }
/* jax.lax.pad: x with a value put in front of, behind and between its elements, so many for each axis: kn_lax_pad(x,
 * 0, KN_PADDING({1, 1, 0}, {0, 0, 1})). The value is a scalar of x's dtype. ValueError unless there is one entry per
 * axis. */
inline array pad(const ::kiln::operand &x, const ::kiln::operand &padding_value, const ::kiln::padding_config &config,
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array padding_value_h = padding_value.c(); c_.here(); return
    array::share(c_.take(kn_lax_pad(x_h, padding_value_h, config))); }
/* jax.lax.concatenate: arrays put behind each other along an axis; everything else is equal (TypeError). One array
 * comes back as it is. */
inline array concatenate(const ::kiln::operands &operands, int dimension, place where = here())
{ detail::call c_(where); kn_list operands_h = operands.list(); c_.here(); return
    array::share(c_.take(kn_lax_concatenate(operands_h, dimension))); }
struct stack_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* 0 */
    kn_lax_stack_opts c() const {
        kn_lax_stack_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
/* jax.lax.stack: arrays put beside each other along a new axis, 0; all arrays have one shape and dtype. */
inline array stack(const ::kiln::operands &operands, const ::kiln::lax::stack_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list operands_h = operands.list(); kn_lax_stack_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_stack(operands_h, &opts_c))); }
using unstack_opts = ::kiln::lax::stack_opts;
/* jax.lax.unstack: the parts along an axis, 0, without it. */
inline std::vector<array> unstack(const ::kiln::operand &x, const ::kiln::lax::stack_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_stack_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_lax_unstack(x_h, &opts_c))); }
using split_opts = ::kiln::lax::stack_opts;
/* jax.lax.split: parts of these sizes along an axis, 0. ValueError if they are not the whole axis. */
inline std::vector<array> split(const ::kiln::operand &x, const ::kiln::shape &sizes, const ::kiln::lax::stack_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_stack_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_lax_split(x_h, &sizes, &opts_c))); }
/* jax.lax.tile: x repeated so many times along each axis, as a whole. TypeError unless there is a number per axis. */
inline array tile(const ::kiln::operand &x, const ::kiln::shape &reps, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_tile(x_h, &reps))); }
} // namespace lax
} // namespace kiln
#endif
