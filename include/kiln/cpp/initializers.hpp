/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/initializers.hpp -- the functions of kiln/initializers.h in C++. */
/* Made by scripts/make-api.py from api/initializers.api. */
/* clang-format off */
#ifndef KILN_CPP_INITIALIZERS_HPP
#define KILN_CPP_INITIALIZERS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace nn {
struct init_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_nn_init_opts c() const {
        kn_nn_init_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); return to_; }
};
struct init_uniform_opts {
    KILN_OPTION((double), scale, 1e-2)
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_nn_init_uniform_opts c() const {
        kn_nn_init_uniform_opts to_ = {}; to_.size_ = sizeof to_; to_.scale = detail::c_of(scale);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct init_normal_opts {
    KILN_OPTION((double), stddev, 1e-2)
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_nn_init_normal_opts c() const {
        kn_nn_init_normal_opts to_ = {}; to_.size_ = sizeof to_; to_.stddev = detail::c_of(stddev);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct init_truncated_normal_opts {
    KILN_OPTION((double), stddev, 1e-2)
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((double), lower, -2)
    KILN_OPTION((double), upper, 2)
    kn_nn_init_truncated_normal_opts c() const {
        kn_nn_init_truncated_normal_opts to_ = {}; to_.size_ = sizeof to_; to_.stddev = detail::c_of(stddev);
        to_.dtype = detail::c_of(dtype); to_.lower = detail::c_of(lower); to_.upper = detail::c_of(upper); return to_; }
};
struct init_fan_opts {
    KILN_OPTION((::kiln::axes), in_axis, {})
    KILN_OPTION((::kiln::axes), out_axis, {})
    KILN_OPTION((::kiln::axes), batch_axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_nn_init_fan_opts c() const {
        kn_nn_init_fan_opts to_ = {}; to_.size_ = sizeof to_; to_.in_axis = detail::c_of(in_axis);
        to_.out_axis = detail::c_of(out_axis); to_.batch_axis = detail::c_of(batch_axis);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct init_variance_scaling_opts {
    KILN_OPTION((::kiln::axes), in_axis, {})
    KILN_OPTION((::kiln::axes), out_axis, {})
    KILN_OPTION((::kiln::axes), batch_axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((double), scale, 1)
    KILN_OPTION((::kiln::text), mode, {}) /* "fan_in" */
    KILN_OPTION((::kiln::text), distribution, {}) /* "truncated_normal" */
    kn_nn_init_variance_scaling_opts c() const {
        kn_nn_init_variance_scaling_opts to_ = {}; to_.size_ = sizeof to_; to_.in_axis = detail::c_of(in_axis);
        to_.out_axis = detail::c_of(out_axis); to_.batch_axis = detail::c_of(batch_axis);
        to_.dtype = detail::c_of(dtype); to_.scale = detail::c_of(scale); to_.mode = detail::c_of(mode);
        to_.distribution = detail::c_of(distribution); return to_; }
};
struct init_orthogonal_opts {
    KILN_OPTION((double), scale, 1)
    KILN_OPTION((::kiln::axes), column_axis, {}) /* -1 */
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_nn_init_orthogonal_opts c() const {
        kn_nn_init_orthogonal_opts to_ = {}; to_.size_ = sizeof to_; to_.scale = detail::c_of(scale);
        to_.column_axis = detail::c_of(column_axis); to_.dtype = detail::c_of(dtype); return to_; }
};
using init_zeros_opts = ::kiln::nn::init_opts;
/* zeros of a shape. The key is not looked at */
inline array init_zeros(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_zeros(key_h, &shape, &opts_c))); }
using init_ones_opts = ::kiln::nn::init_opts;
/* ones of a shape. The key is not looked at */
inline array init_ones(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_ones(key_h, &shape, &opts_c))); }
using init_constant_opts = ::kiln::nn::init_opts;
/* a value, or an array of values that broadcasts to the shape. The key is not looked at */
inline array init_constant(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::operand &value, const
    ::kiln::nn::init_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_array value_h = value.c(); kn_nn_init_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_init_constant(key_h, &shape, value_h, &opts_c))); }
/* uniform numbers in [0, scale), where scale is 0.01 unless it is given */
inline array init_uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_uniform_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_uniform_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_uniform(key_h, &shape, &opts_c))); }
/* normal numbers of mean 0 and standard deviation stddev (0.01); complex dtypes too */
inline array init_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_normal_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_normal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_normal(key_h, &shape, &opts_c))); }
/* stddev (0.01) times standard normal numbers in (lower, upper), -2 and 2 unless they are given */
inline array init_truncated_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const
    ::kiln::nn::init_truncated_normal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_truncated_normal_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_nn_init_truncated_normal(key_h, &shape, &opts_c))); }
/* random numbers of mean 0 and variance scale / n, where n is the number of inputs (mode "fan_in"), of outputs
 * ("fan_out"), the mean of both, or its geometric form; inputs are axis -2, outputs axis -1, the others (of a
 * convolution) multiply both */
inline array init_variance_scaling(const ::kiln::operand &key, const ::kiln::shape &shape, const
    ::kiln::nn::init_variance_scaling_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_variance_scaling_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_nn_init_variance_scaling(key_h, &shape, &opts_c))); }
using init_glorot_uniform_opts = ::kiln::nn::init_fan_opts;
/* uniform numbers of mean 0 and variance 2 / (inputs + outputs): scale 1, fan_avg. In (-r, r) with r = sqrt(6 /
 * (inputs + outputs)) */
inline array init_glorot_uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_glorot_uniform(key_h, &shape, &opts_c))); }
using init_glorot_normal_opts = ::kiln::nn::init_fan_opts;
/* truncated normal numbers of mean 0 and variance 2 / (inputs + outputs): scale 1, fan_avg */
inline array init_glorot_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_glorot_normal(key_h, &shape, &opts_c))); }
using init_xavier_uniform_opts = ::kiln::nn::init_fan_opts;
/* uniform numbers of mean 0 and variance 2 / (inputs + outputs): another name of kn_nn_init_glorot_uniform */
inline array init_xavier_uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_xavier_uniform(key_h, &shape, &opts_c))); }
using init_xavier_normal_opts = ::kiln::nn::init_fan_opts;
/* truncated normal numbers of mean 0 and variance 2 / (inputs + outputs): another name of kn_nn_init_glorot_normal */
inline array init_xavier_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_xavier_normal(key_h, &shape, &opts_c))); }
using init_lecun_uniform_opts = ::kiln::nn::init_fan_opts;
/* uniform numbers of mean 0 and variance 1 / inputs: scale 1, fan_in. In (-r, r) with r = sqrt(3 / inputs) */
inline array init_lecun_uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_lecun_uniform(key_h, &shape, &opts_c))); }
using init_lecun_normal_opts = ::kiln::nn::init_fan_opts;
/* truncated normal numbers of mean 0 and variance 1 / inputs: scale 1, fan_in */
inline array init_lecun_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_lecun_normal(key_h, &shape, &opts_c))); }
using init_he_uniform_opts = ::kiln::nn::init_fan_opts;
/* uniform numbers of mean 0 and variance 2 / inputs, for layers before a relu: scale 2, fan_in. In (-r, r) with r =
 * sqrt(6 / inputs) */
inline array init_he_uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_he_uniform(key_h, &shape, &opts_c))); }
using init_he_normal_opts = ::kiln::nn::init_fan_opts;
/* truncated normal numbers of mean 0 and variance 2 / inputs, for layers before a relu: scale 2, fan_in */
inline array init_he_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_he_normal(key_h, &shape, &opts_c))); }
using init_kaiming_uniform_opts = ::kiln::nn::init_fan_opts;
/* uniform numbers of mean 0 and variance 2 / inputs: another name of kn_nn_init_he_uniform */
inline array init_kaiming_uniform(const ::kiln::operand &key, const ::kiln::shape &shape, const
    ::kiln::nn::init_fan_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_kaiming_uniform(key_h, &shape, &opts_c))); }
using init_kaiming_normal_opts = ::kiln::nn::init_fan_opts;
/* truncated normal numbers of mean 0 and variance 2 / inputs: another name of kn_nn_init_he_normal */
inline array init_kaiming_normal(const ::kiln::operand &key, const ::kiln::shape &shape, const ::kiln::nn::init_fan_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_fan_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_kaiming_normal(key_h, &shape, &opts_c))); }
/* an orthogonal matrix times scale: the columns (along column_axis, the last one), or the rows where those are
 * fewer, are orthonormal */
inline array init_orthogonal(const ::kiln::operand &key, const ::kiln::shape &shape, const
    ::kiln::nn::init_orthogonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_orthogonal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_orthogonal(key_h, &shape, &opts_c))); }
using init_delta_orthogonal_opts = ::kiln::nn::init_orthogonal_opts;
/* the filter of a convolution of 1 to 3 axes: an orthogonal matrix in the middle of zeros */
inline array init_delta_orthogonal(const ::kiln::operand &key, const ::kiln::shape &shape, const
    ::kiln::nn::init_orthogonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_nn_init_orthogonal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_init_delta_orthogonal(key_h, &shape, &opts_c))); }
} // namespace nn
} // namespace kiln
#endif
