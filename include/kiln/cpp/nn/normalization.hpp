/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/normalization.hpp -- the functions of kiln/nn/normalization.h in C++. */
/* Made by scripts/make-api.py from api/nn/normalization.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_NORMALIZATION_HPP
#define KILN_CPP_NN_NORMALIZATION_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct layer_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the last one */
    KILN_OPTION((::kiln::array), scale, {}) /* of the extents of these axes, in their order, or a number */
    KILN_OPTION((::kiln::array), bias, {}) /* as scale */
    KILN_OPTION((double), epsilon, 1e-5)
    kn_nn_layer_norm_opts c() const {
        kn_nn_layer_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.scale = detail::c_of(scale); to_.bias = detail::c_of(bias); to_.epsilon = detail::c_of(epsilon); return to_;
        }
};
struct rms_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the last one */
    KILN_OPTION((::kiln::array), scale, {}) /* of the extents of these axes, in their order, or a number */
    KILN_OPTION((double), epsilon, 1e-6)
    kn_nn_rms_norm_opts c() const {
        kn_nn_rms_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.scale = detail::c_of(scale); to_.epsilon = detail::c_of(epsilon); return to_; }
};
struct group_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the channels */
    KILN_OPTION((::kiln::array), scale, {}) /* a number for each channel */
    KILN_OPTION((::kiln::array), bias, {}) /* a number for each channel */
    KILN_OPTION((double), epsilon, 1e-5)
    kn_nn_group_norm_opts c() const {
        kn_nn_group_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.scale = detail::c_of(scale); to_.bias = detail::c_of(bias); to_.epsilon = detail::c_of(epsilon); return to_;
        }
};
struct batch_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the channels */
    KILN_OPTION((::kiln::array), scale, {}) /* a number for each channel */
    KILN_OPTION((::kiln::array), bias, {}) /* a number for each channel */
    KILN_OPTION((double), epsilon, 1e-5)
    KILN_OPTION((double), momentum, 0.99) /* in training: how much of the running statistics stays */
    KILN_OPTION((bool), unbiased, {})
    kn_nn_batch_norm_opts c() const {
        kn_nn_batch_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.scale = detail::c_of(scale); to_.bias = detail::c_of(bias); to_.epsilon = detail::c_of(epsilon);
        to_.momentum = detail::c_of(momentum); to_.unbiased = detail::c_of(unbiased); return to_; }
};
struct weight_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the outputs */
    KILN_OPTION((::kiln::array), scale, {}) /* a number for each output: the length of its weights */
    KILN_OPTION((double), epsilon, 1e-12)
    kn_nn_weight_norm_opts c() const {
        kn_nn_weight_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.scale = detail::c_of(scale); to_.epsilon = detail::c_of(epsilon); return to_; }
};
struct spectral_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the outputs */
    KILN_OPTION((int64_t), steps, 1)
    KILN_OPTION((double), epsilon, 1e-12)
    kn_nn_spectral_norm_opts c() const {
        kn_nn_spectral_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.steps = detail::c_of(steps); to_.epsilon = detail::c_of(epsilon); return to_; }
};
/* flax.linen.LayerNorm: (x - mean) / sqrt(variance + epsilon) scale + bias, mean and variance over axes (the last
 * one) */
inline array layer_norm(const ::kiln::operand &x, const ::kiln::nn::layer_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_layer_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_layer_norm(x_h, &opts_c))); }
/* flax.linen.RMSNorm: x / sqrt(mean(x^2) + epsilon) scale over axes (the last one): a layer norm that leaves the
 * mean as it is */
inline array rms_norm(const ::kiln::operand &x, const ::kiln::nn::rms_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_rms_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_rms_norm(x_h, &opts_c))); }
/* flax.linen.GroupNorm: x normalized over all axes but the first, in num_groups groups of neighbouring channels,
 * then scale and bias of each channel. ValueError unless the number of channels is a multiple of num_groups */
inline array group_norm(const ::kiln::operand &x, int64_t num_groups, const ::kiln::nn::group_norm_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_group_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_group_norm(x_h, num_groups, &opts_c))); }
using instance_norm_opts = ::kiln::nn::group_norm_opts;
/* flax.linen.InstanceNorm: x normalized over all axes but the first and the channels, then scale and bias of each
 * channel */
inline array instance_norm(const ::kiln::operand &x, const ::kiln::nn::group_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_group_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_instance_norm(x_h, &opts_c))); }
/* flax.linen.BatchNorm: (x - mean) / sqrt(variance + epsilon) scale + bias with the statistics that are given: batch
 * norm after training */
inline array batch_norm(const ::kiln::operand &x, const ::kiln::operand &mean, const ::kiln::operand &variance, const
    ::kiln::nn::batch_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array mean_h = mean.c(); kn_array variance_h = variance.c();
    kn_nn_batch_norm_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_nn_batch_norm(x_h, mean_h,
    variance_h, &opts_c))); }
struct batch_norm_result { array y; array mean; array variance; };
using batch_norm_train_opts = ::kiln::nn::batch_norm_opts;
/* batch norm while training: x normalized by the mean and the variance of this batch, over all axes but the
 * channels, and the running statistics after it, momentum old + (1 - momentum) of the batch, which are constants in
 * derivatives. ValueError for a momentum outside of 0 .. 1 */
inline ::kiln::nn::batch_norm_result batch_norm_train(const ::kiln::operand &x, const ::kiln::operand &mean, const
    ::kiln::operand &variance, const ::kiln::nn::batch_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array mean_h = mean.c(); kn_array variance_h = variance.c();
    kn_nn_batch_norm_opts opts_c = opts.c(); c_.here(); kn_nn_batch_norm_result
    r_ = c_.value(kn_nn_batch_norm_train(x_h, mean_h, variance_h, &opts_c)); return
    ::kiln::nn::batch_norm_result{array::share(r_.y), array::share(r_.mean), array::share(r_.variance)}; }
/* flax.linen.WeightNorm: the weights of each output divided by their length, sqrt(sum w^2 + epsilon), times scale:
 * length and direction are learnt apart */
inline array weight_norm(const ::kiln::operand &w, const ::kiln::nn::weight_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array w_h = w.c(); kn_nn_weight_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_weight_norm(w_h, &opts_c))); }
struct spectral_norm_result { array w; array u; array sigma; };
/* flax.linen.SpectralNorm: w divided by its largest singular value, sigma, as power iterations estimate it that go
 * on from u, a vector of the outputs: w seen as a matrix of outputs and all the rest. Returns the next u, too, a
 * constant in derivatives; after training divide by the last sigma. ValueError for fewer than one step */
inline ::kiln::nn::spectral_norm_result spectral_norm(const ::kiln::operand &w, const ::kiln::operand &u, const
    ::kiln::nn::spectral_norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array w_h = w.c(); kn_array u_h = u.c(); kn_nn_spectral_norm_opts opts_c = opts.c();
    c_.here(); kn_nn_spectral_norm_result r_ = c_.value(kn_nn_spectral_norm(w_h, u_h, &opts_c)); return
    ::kiln::nn::spectral_norm_result{array::share(r_.w), array::share(r_.u), array::share(r_.sigma)}; }
} // namespace nn
} // namespace kiln
#endif
