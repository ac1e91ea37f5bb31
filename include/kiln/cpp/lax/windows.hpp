/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/windows.hpp -- the functions of kiln/lax/windows.h in C++. */
/* Made by scripts/make-api.py from api/lax/windows.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_WINDOWS_HPP
#define KILN_CPP_LAX_WINDOWS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace lax {
/* jax.lax.padtype_to_pads: the pairs that such a name stands for, written to `pads`, one for each extent of
 * in_shape. Returns how many, -1 after an error. RuntimeError for other names, ValueError if the shapes differ in
 * length. */
inline int padtype_to_pads(const ::kiln::shape &in_shape, const ::kiln::shape &window_shape, const ::kiln::shape
    &window_strides, const ::kiln::text &padding, kn_lax_pad_pair *pads, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_lax_padtype_to_pads(&in_shape, &window_shape, &window_strides,
    padding.c(), pads)); }
struct reduce_window_opts {
    KILN_OPTION((::kiln::optional_shape), window_strides, {})
    KILN_OPTION((::kiln::pads), padding, {}) /* VALID */
    KILN_OPTION((::kiln::optional_shape), base_dilation, {})
    KILN_OPTION((::kiln::optional_shape), window_dilation, {})
    kn_lax_reduce_window_opts c() const {
        kn_lax_reduce_window_opts to_ = {}; to_.size_ = sizeof to_; to_.window_strides = detail::c_of(window_strides);
        to_.padding = detail::c_of(padding); to_.base_dilation = detail::c_of(base_dilation);
        to_.window_dilation = detail::c_of(window_dilation); return to_; }
};
/* jax.lax.reduce_window: by a function of two scalars, whose identity is init_value; both have the dtype of x. A
 * function that is one addition, maximum or minimum of its arguments with the right identity is one of the next
 * ones. The function captures no arrays (NotImplementedError). Windows of at most 16,384 elements.
 * kn_lax_reduce_window(x, -INFINITY, KN_FN(max2), KN_SHAPE(1, 2, 2, 1), .padding = KN_SAME) */
inline array reduce_window(const ::kiln::operand &x, const ::kiln::operand &init_value, const ::kiln::fn &computation,
    const ::kiln::shape &window_dimensions, const ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array init_value_h = init_value.c(); kn_lax_reduce_window_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_reduce_window(x_h, init_value_h, computation.c(),
    &window_dimensions, &opts_c))); }
using reduce_window_list_opts = ::kiln::lax::reduce_window_opts;
/* The same for several arrays of one shape at once, as kn_lax_reduce_list. */
inline std::vector<array> reduce_window_list(const ::kiln::operands &operands, const ::kiln::operands &init_values,
    const ::kiln::fn &computation, const ::kiln::shape &window_dimensions, const ::kiln::lax::reduce_window_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_list operands_h = operands.list(); kn_list init_values_h = init_values.list();
    kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_lax_reduce_window_list(operands_h, init_values_h, computation.c(), &window_dimensions,
    &opts_c))); }
using reduce_window_sum_opts = ::kiln::lax::reduce_window_opts;
/* The sum of the numbers in each window. TypeError for booleans. */
inline array reduce_window_sum(const ::kiln::operand &x, const ::kiln::shape &window_dimensions, const
    ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_reduce_window_sum(x_h, &window_dimensions, &opts_c))); }
using reduce_window_prod_opts = ::kiln::lax::reduce_window_opts;
/* The product of the numbers in each window; in JAX's texts reduce_window by mul. TypeError for booleans. */
inline array reduce_window_prod(const ::kiln::operand &x, const ::kiln::shape &window_dimensions, const
    ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_reduce_window_prod(x_h, &window_dimensions, &opts_c))); }
using reduce_window_max_opts = ::kiln::lax::reduce_window_opts;
/* The largest element of each window, NaN if one is; -inf, or the smallest integer, without elements. */
inline array reduce_window_max(const ::kiln::operand &x, const ::kiln::shape &window_dimensions, const
    ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_reduce_window_max(x_h, &window_dimensions, &opts_c))); }
using reduce_window_min_opts = ::kiln::lax::reduce_window_opts;
/* The smallest element of each window, NaN if one is; inf, or the largest integer, without elements. */
inline array reduce_window_min(const ::kiln::operand &x, const ::kiln::shape &window_dimensions, const
    ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_reduce_window_min(x_h, &window_dimensions, &opts_c))); }
using reduce_window_shape_tuple_opts = ::kiln::lax::reduce_window_opts;
/* jax.lax.reduce_window_shape_tuple: how many windows there are along each axis; ndim is -1 after an error. */
inline ::kiln::shape reduce_window_shape_tuple(const ::kiln::shape &operand_shape, const ::kiln::shape
    &window_dimensions, const ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_lax_reduce_window_shape_tuple(&operand_shape, &window_dimensions, &opts_c)); }
using select_and_gather_add_opts = ::kiln::lax::reduce_window_opts;
/* The elements of `tangents` at these places of `operand`, of the same shape; 0 where a window has no element, or
 * nothing better than the identity. Derivative of reduce_window_max and reduce_window_min. */
inline array select_and_gather_add(const ::kiln::operand &tangents, const ::kiln::operand &operand, kn_lax_select_prim
    select_prim, const ::kiln::shape &window_dimensions, const ::kiln::lax::reduce_window_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array tangents_h = tangents.c(); kn_array operand_h = operand.c();
    kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_select_and_gather_add(tangents_h, operand_h, select_prim, &window_dimensions,
    &opts_c))); }
using select_and_scatter_add_opts = ::kiln::lax::reduce_window_opts;
/* Zeros of operand's shape, and each element of `source`, one per window, added where the window's one is. Linear in
 * source. Without dilations: ValueError. */
inline array select_and_scatter_add(const ::kiln::operand &source, const ::kiln::operand &operand, kn_lax_select_prim
    select_prim, const ::kiln::shape &window_dimensions, const ::kiln::lax::reduce_window_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array source_h = source.c(); kn_array operand_h = operand.c(); kn_lax_reduce_window_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_select_and_scatter_add(source_h, operand_h,
    select_prim, &window_dimensions, &opts_c))); }
using select_and_scatter_opts = ::kiln::lax::reduce_window_opts;
/* As kn_lax_select_and_scatter_add, by functions: select(before, next) says whether the one before stays, scatter
 * joins what is there, init_value at first, with an element of source. Not differentiable. */
inline array select_and_scatter(const ::kiln::operand &operand, const ::kiln::operand &source, const ::kiln::operand
    &init_value, const ::kiln::fn &select, const ::kiln::fn &scatter, const ::kiln::shape &window_dimensions, const
    ::kiln::lax::reduce_window_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array operand_h = operand.c(); kn_array source_h = source.c(); kn_array
    init_value_h = init_value.c(); kn_lax_reduce_window_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_select_and_scatter(operand_h, source_h, init_value_h, select.c(), scatter.c(),
    &window_dimensions, &opts_c))); }
} // namespace lax
} // namespace kiln
#endif
