/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn/dropout.hpp -- the functions of kiln/nn/dropout.h in C++. */
/* Made by scripts/make-api.py from api/nn/dropout.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_DROPOUT_HPP
#define KILN_CPP_NN_DROPOUT_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct dropout_opts {
    KILN_OPTION((bool), deterministic, {}) /* x itself; the key is not looked at and may be KN_NONE */
    KILN_OPTION((::kiln::axes), broadcast_axes, {}) /* one draw for all along these */
    kn_nn_dropout_opts c() const {
        kn_nn_dropout_opts to_ = {}; to_.size_ = sizeof to_; to_.deterministic = detail::c_of(deterministic);
        to_.broadcast_axes = detail::c_of(broadcast_axes); return to_; }
};
struct stochastic_depth_opts {
    KILN_OPTION((bool), deterministic, {}) /* x itself; the key is not looked at and may be KN_NONE */
    kn_nn_stochastic_depth_opts c() const {
        kn_nn_stochastic_depth_opts to_ = {}; to_.size_ = sizeof to_; to_.deterministic = detail::c_of(deterministic);
        return to_; }
};
/* flax.linen.Dropout: each element of x is 0 with probability rate, and x / (1 - rate) otherwise. A rate of 0 gives
 * x, 1 zeros. ValueError for others than 0 .. 1 */
inline array dropout(const ::kiln::operand &key, const ::kiln::operand &x, double rate, const ::kiln::nn::dropout_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array x_h = x.c(); kn_nn_dropout_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_dropout(key_h, x_h, rate, &opts_c))); }
/* each example of x, along the first axis, is 0 with probability rate as a whole, and x / (1 - rate) otherwise: for
 * the branch of a residual layer (torchvision's mode "row"). ValueError for a scalar x */
inline array stochastic_depth(const ::kiln::operand &key, const ::kiln::operand &x, double rate, const
    ::kiln::nn::stochastic_depth_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array x_h = x.c(); kn_nn_stochastic_depth_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_stochastic_depth(key_h, x_h, rate, &opts_c))); }
} // namespace nn
} // namespace kiln
#endif
