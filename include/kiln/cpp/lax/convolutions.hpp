/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/convolutions.hpp -- the functions of kiln/lax/convolutions.h in C++. */
/* Made by scripts/make-api.py from api/lax/convolutions.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_CONVOLUTIONS_HPP
#define KILN_CPP_LAX_CONVOLUTIONS_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/lax/products.hpp"
#include "kiln/cpp/lax/windows.hpp"

namespace kiln {
namespace lax {
/* jax.lax.conv_dimension_numbers: the lists for arrays of these shapes. TypeError if the words do not fit the shapes
 * or each other; then all is empty. */
inline kn_lax_conv_numbers conv_dimension_numbers(const ::kiln::shape &lhs_shape, const ::kiln::shape &rhs_shape, const
    kn_lax_conv_numbers &dimension_numbers, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_lax_conv_dimension_numbers(&lhs_shape, &rhs_shape,
    &dimension_numbers)); }
struct conv_general_dilated_opts {
    KILN_OPTION((::kiln::optional_shape), lhs_dilation, {})
    KILN_OPTION((::kiln::optional_shape), rhs_dilation, {})
    KILN_OPTION((kn_lax_conv_numbers), dimension_numbers, {})
    KILN_OPTION((int64_t), feature_group_count, 1)
    KILN_OPTION((int64_t), batch_group_count, 1)
    KILN_OPTION((::kiln::dtype), preferred_element_type, {}) /* of the result; NULL: that of the operands. */
    kn_lax_conv_general_dilated_opts c() const {
        kn_lax_conv_general_dilated_opts to_ = {}; to_.size_ = sizeof to_;
        to_.lhs_dilation = detail::c_of(lhs_dilation); to_.rhs_dilation = detail::c_of(rhs_dilation);
        to_.dimension_numbers = detail::c_of(dimension_numbers);
        to_.feature_group_count = detail::c_of(feature_group_count);
        to_.batch_group_count = detail::c_of(batch_group_count);
        to_.preferred_element_type = detail::c_of(preferred_element_type); return to_; }
};
/* jax.lax.conv_general_dilated: out[n, o, y...] = sum over i, k... of lhs[n, i, y strides + k - padding...] rhs[o,
 * i, k ...], zeros being outside of lhs. lhs and rhs have one dtype, any but keys. ValueError and TypeError as in
 * JAX for shapes and numbers that do not fit; RuntimeError for an unknown name of padding. */
inline array conv_general_dilated(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::shape
    &window_strides, const ::kiln::pads &padding, const ::kiln::lax::conv_general_dilated_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_conv_general_dilated_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_conv_general_dilated(lhs_h, rhs_h, &window_strides,
    padding, &opts_c))); }
using conv_opts = ::kiln::lax::dot_opts;
/* jax.lax.conv: the convolution of kn_lax_conv_general_dilated without dilations and groups, of axes in the default
 * order (batch, features, spatial ones). */
inline array conv(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::shape &window_strides, const
    ::kiln::pads &padding, const ::kiln::lax::dot_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_dot_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_lax_conv(lhs_h, rhs_h, &window_strides, padding, &opts_c))); }
struct conv_with_general_padding_opts {
    KILN_OPTION((::kiln::optional_shape), lhs_dilation, {})
    KILN_OPTION((::kiln::optional_shape), rhs_dilation, {})
    KILN_OPTION((::kiln::dtype), preferred_element_type, {})
    kn_lax_conv_with_general_padding_opts c() const {
        kn_lax_conv_with_general_padding_opts to_ = {}; to_.size_ = sizeof to_;
        to_.lhs_dilation = detail::c_of(lhs_dilation); to_.rhs_dilation = detail::c_of(rhs_dilation);
        to_.preferred_element_type = detail::c_of(preferred_element_type); return to_; }
};
/* jax.lax.conv_with_general_padding: the convolution of kn_lax_conv_general_dilated without groups, of axes in the
 * default order. */
inline array conv_with_general_padding(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::shape
    &window_strides, const ::kiln::pads &padding, const ::kiln::lax::conv_with_general_padding_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_conv_with_general_padding_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_conv_with_general_padding(lhs_h, rhs_h,
    &window_strides, padding, &opts_c))); }
struct conv_transpose_opts {
    KILN_OPTION((::kiln::optional_shape), rhs_dilation, {})
    KILN_OPTION((kn_lax_conv_numbers), dimension_numbers, {})
    KILN_OPTION((bool), transpose_kernel, {})
    KILN_OPTION((::kiln::dtype), preferred_element_type, {})
    KILN_OPTION((bool), use_consistent_padding, {})
    kn_lax_conv_transpose_opts c() const {
        kn_lax_conv_transpose_opts to_ = {}; to_.size_ = sizeof to_; to_.rhs_dilation = detail::c_of(rhs_dilation);
        to_.dimension_numbers = detail::c_of(dimension_numbers); to_.transpose_kernel = detail::c_of(transpose_kernel);
        to_.preferred_element_type = detail::c_of(preferred_element_type);
        to_.use_consistent_padding = detail::c_of(use_consistent_padding); return to_; }
};
/* jax.lax.conv_transpose: lhs with its elements `strides` apart under rhs; KN_SAME makes it `strides` times as
 * large. ValueError for more than three spatial axes without dimension_numbers. */
inline array conv_transpose(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::shape &strides, const
    ::kiln::pads &padding, const ::kiln::lax::conv_transpose_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_conv_transpose_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_conv_transpose(lhs_h, rhs_h, &strides, padding,
    &opts_c))); }
struct conv_general_dilated_patches_opts {
    KILN_OPTION((::kiln::optional_shape), lhs_dilation, {})
    KILN_OPTION((::kiln::optional_shape), rhs_dilation, {})
    KILN_OPTION((kn_lax_conv_numbers), dimension_numbers, {})
    KILN_OPTION((::kiln::dtype), preferred_element_type, {})
    kn_lax_conv_general_dilated_patches_opts c() const {
        kn_lax_conv_general_dilated_patches_opts to_ = {}; to_.size_ = sizeof to_;
        to_.lhs_dilation = detail::c_of(lhs_dilation); to_.rhs_dilation = detail::c_of(rhs_dilation);
        to_.dimension_numbers = detail::c_of(dimension_numbers);
        to_.preferred_element_type = detail::c_of(preferred_element_type); return to_; }
};
/* jax.lax.conv_general_dilated_patches: what a window of filter_shape (in the order of rhs) covers at each position,
 * in the features of the result: the features of lhs, then the elements of the window. */
inline array conv_general_dilated_patches(const ::kiln::operand &lhs, const ::kiln::shape &filter_shape, const
    ::kiln::shape &window_strides, const ::kiln::pads &padding, const ::kiln::lax::conv_general_dilated_patches_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_lax_conv_general_dilated_patches_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_lax_conv_general_dilated_patches(lhs_h, &filter_shape, &window_strides,
    padding, &opts_c))); }
using conv_general_dilated_local_opts = ::kiln::lax::conv_general_dilated_patches_opts;
/* jax.lax.conv_general_dilated_local: a convolution in which each position of the result has a kernel of its own.
 * The spatial axes of rhs are those of the result, its input features are those of the patches (above).
 * preferred_element_type is not used. */
inline array conv_general_dilated_local(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::shape
    &window_strides, const ::kiln::pads &padding, const ::kiln::shape &filter_shape, const
    ::kiln::lax::conv_general_dilated_patches_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_conv_general_dilated_patches_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_conv_general_dilated_local(lhs_h, rhs_h,
    &window_strides, padding, &filter_shape, &opts_c))); }
} // namespace lax
} // namespace kiln
#endif
