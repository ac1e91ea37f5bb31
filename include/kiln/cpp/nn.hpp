/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/nn.hpp -- the functions of kiln/nn.h in C++. */
/* Made by scripts/make-api.py from api/nn.api. */
/* clang-format off */
#ifndef KILN_CPP_NN_HPP
#define KILN_CPP_NN_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/lax/windows.hpp"
#include "kiln/cpp/nn/attention.hpp"
#include "kiln/cpp/nn/dropout.hpp"
#include "kiln/cpp/nn/embedding.hpp"
#include "kiln/cpp/nn/normalization.hpp"
#include "kiln/cpp/nn/quantize.hpp"
#include "kiln/cpp/nn/recurrent.hpp"
#include "kiln/cpp/nn/sampling.hpp"

namespace kiln {
namespace nn {
struct softmax_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* last */
    KILN_OPTION((::kiln::array), where, {})
    kn_nn_softmax_opts c() const {
        kn_nn_softmax_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.where = detail::c_of(where); return to_; }
};
struct logsumexp_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* all */
    KILN_OPTION((::kiln::array), b, {}) /* weights */
    KILN_OPTION((bool), keepdims, {})
    KILN_OPTION((::kiln::array), where, {})
    kn_nn_logsumexp_opts c() const {
        kn_nn_logsumexp_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); to_.b = detail::c_of(b);
        to_.keepdims = detail::c_of(keepdims); to_.where = detail::c_of(where); return to_; }
};
struct logmeanexp_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* all */
    KILN_OPTION((::kiln::array), where, {})
    KILN_OPTION((bool), keepdims, {})
    kn_nn_logmeanexp_opts c() const {
        kn_nn_logmeanexp_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.where = detail::c_of(where); to_.keepdims = detail::c_of(keepdims); return to_; }
};
struct one_hot_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* last */
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_nn_one_hot_opts c() const {
        kn_nn_one_hot_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct leaky_relu_opts {
    KILN_OPTION((::kiln::array), negative_slope, {}) /* 0.01 */
    kn_nn_leaky_relu_opts c() const {
        kn_nn_leaky_relu_opts to_ = {}; to_.size_ = sizeof to_; to_.negative_slope = detail::c_of(negative_slope);
        return to_; }
};
struct elu_opts {
    KILN_OPTION((::kiln::array), alpha, {}) /* 1 */
    kn_nn_elu_opts c() const {
        kn_nn_elu_opts to_ = {}; to_.size_ = sizeof to_; to_.alpha = detail::c_of(alpha); return to_; }
};
struct squareplus_opts {
    KILN_OPTION((::kiln::array), b, {}) /* 4 */
    kn_nn_squareplus_opts c() const {
        kn_nn_squareplus_opts to_ = {}; to_.size_ = sizeof to_; to_.b = detail::c_of(b); return to_; }
};
struct gelu_opts {
    KILN_OPTION((bool), approximate, true)
    kn_nn_gelu_opts c() const {
        kn_nn_gelu_opts to_ = {}; to_.size_ = sizeof to_; to_.approximate = detail::c_of(approximate); return to_; }
};
struct glu_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* last */
    kn_nn_glu_opts c() const {
        kn_nn_glu_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct standardize_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the last one */
    KILN_OPTION((::kiln::array), mean, {}) /* that of x */
    KILN_OPTION((::kiln::array), variance, {}) /* that of x */
    KILN_OPTION((::kiln::array), epsilon, {}) /* 1e-5 */
    KILN_OPTION((::kiln::array), where, {}) /* the elements that count */
    KILN_OPTION((::kiln::text), algorithm, "fast")
    kn_nn_standardize_opts c() const {
        kn_nn_standardize_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.mean = detail::c_of(mean); to_.variance = detail::c_of(variance); to_.epsilon = detail::c_of(epsilon);
        to_.where = detail::c_of(where); to_.algorithm = detail::c_of(algorithm); return to_; }
};
} // namespace nn
namespace special {
struct softmax_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* all of them */
    kn_special_softmax_opts c() const {
        kn_special_softmax_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
} // namespace special
namespace nn {
/* jax.nn.identity: x itself, in its dtype: the activation function that changes nothing */
inline array identity(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_identity(x_h))); }
/* jax.nn.relu: max(x, 0) of each element, integers in their dtype. The derivative at 0 is 0; NaN stays NaN */
inline array relu(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_relu(x_h))); }
/* jax.nn.relu6: min(max(x, 0), 6) of each element; the derivative at 0 and 6 is 0 */
inline array relu6(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_relu6(x_h))); }
/* jax.nn.sigmoid: 1 / (1 + e^-x) of each element: between 0 and 1, 0.5 at 0. Large |x| do not overflow */
inline array sigmoid(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_sigmoid(x_h))); }
/* jax.nn.softplus: log(1 + e^x) of each element, a smooth max(x, 0); e^x does not overflow on the way */
inline array softplus(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_softplus(x_h))); }
/* jax.nn.sparse_plus: of each element: 0 up to -1, (x + 1)^2 / 4 up to 1, x from there; a softplus that is exactly 0
 * far left */
inline array sparse_plus(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_sparse_plus(x_h))); }
/* jax.nn.sparse_sigmoid: (x + 1) / 2 of each element, kept within 0 and 1: the derivative of kn_nn_sparse_plus */
inline array sparse_sigmoid(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_sparse_sigmoid(x_h))); }
/* jax.nn.soft_sign: x / (|x| + 1) of each element: between -1 and 1, slower to arrive there than tanh */
inline array soft_sign(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_soft_sign(x_h))); }
/* jax.nn.silu: x sigmoid(x) of each element, also called swish: like relu, but smooth, and a little below 0 for
 * negative x */
inline array silu(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_silu(x_h))); }
/* jax.nn.swish: x sigmoid(x) of each element: another name of kn_nn_silu */
inline array swish(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_swish(x_h))); }
/* jax.nn.log_sigmoid: the logarithm of the sigmoid of each element, -softplus(-x): right where the sigmoid itself is
 * 0 in floating point */
inline array log_sigmoid(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_log_sigmoid(x_h))); }
/* jax.nn.leaky_relu: x of each element, or negative_slope x where x < 0; the slope may be an array that broadcasts
 * with x */
inline array leaky_relu(const ::kiln::operand &x, const ::kiln::nn::leaky_relu_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_leaky_relu_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_leaky_relu(x_h, &opts_c))); }
/* jax.nn.hard_sigmoid: relu6(x + 3) / 6 of each element: a sigmoid of straight lines, 0 up to -3 and 1 from 3 */
inline array hard_sigmoid(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_hard_sigmoid(x_h))); }
/* jax.nn.hard_silu: x hard_sigmoid(x) of each element: 0 up to -3, x from 3 */
inline array hard_silu(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_hard_silu(x_h))); }
/* jax.nn.hard_swish: x hard_sigmoid(x) of each element: another name of kn_nn_hard_silu */
inline array hard_swish(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_hard_swish(x_h))); }
/* jax.nn.hard_tanh: x of each element kept within -1 and 1, integers in their dtype */
inline array hard_tanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_hard_tanh(x_h))); }
/* jax.nn.tanh: the hyperbolic tangent of each element, as kn_tanh: between -1 and 1 */
inline array tanh(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_tanh(x_h))); }
/* jax.nn.elu: x of each element, or alpha (e^x - 1) where x <= 0: never below -alpha */
inline array elu(const ::kiln::operand &x, const ::kiln::nn::elu_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_elu_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_elu(x_h, &opts_c))); }
using celu_opts = ::kiln::nn::elu_opts;
/* jax.nn.celu: max(x, 0) + alpha (e^(min(x, 0) / alpha) - 1) of each element: an elu whose derivative is 1 at 0 for
 * each alpha */
inline array celu(const ::kiln::operand &x, const ::kiln::nn::elu_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_elu_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_celu(x_h, &opts_c))); }
/* jax.nn.selu: 1.0507 elu(x, alpha = 1.6733) of each element, with all their digits: keeps mean 0 and variance 1
 * from layer to layer */
inline array selu(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_selu(x_h))); }
/* jax.nn.gelu: x times the normal distribution function of x, of each element; by a formula with tanh unless
 * .approximate = false */
inline array gelu(const ::kiln::operand &x, const ::kiln::nn::gelu_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_gelu_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_gelu(x_h, &opts_c))); }
/* jax.nn.glu: the first half of x along an axis (the last one) times the sigmoid of the second half: half as many
 * elements there. AssertionError for an odd extent */
inline array glu(const ::kiln::operand &x, const ::kiln::nn::glu_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_glu_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_glu(x_h, &opts_c))); }
/* jax.nn.squareplus: (x + sqrt(x^2 + b)) / 2 of each element: a smooth max(x, 0) without exponentials; b = 0 is relu */
inline array squareplus(const ::kiln::operand &x, const ::kiln::nn::squareplus_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_squareplus_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_squareplus(x_h, &opts_c))); }
/* jax.nn.mish: x tanh(softplus(x)) of each element */
inline array mish(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_mish(x_h))); }
/* jax.nn.log1mexp: log(1 - e^-x) of each element x >= 0, right near 0 and far away, too; NaN below 0 */
inline array log1mexp(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_nn_log1mexp(x_h))); }
/* jax.nn.softmax: e^x / sum e^x along axes (the last one): positive numbers that add to 1. The largest x is taken
 * off first, so large x do not overflow; elements that `where` leaves out give 0 */
inline array softmax(const ::kiln::operand &x, const ::kiln::nn::softmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_softmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_softmax(x_h, &opts_c))); }
using log_softmax_opts = ::kiln::nn::softmax_opts;
/* jax.nn.log_softmax: the logarithm of softmax, x - log(sum e^x), along axes (the last one); finite where softmax
 * itself is 0 in floating point. Elements that `where` leaves out give -inf */
inline array log_softmax(const ::kiln::operand &x, const ::kiln::nn::softmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_softmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_log_softmax(x_h, &opts_c))); }
/* jax.nn.logsumexp: log(sum b e^x) over axes (all), without overflow; b (1) are weights that broadcast with x. NaN
 * where the sum is negative */
inline array logsumexp(const ::kiln::operand &x, const ::kiln::nn::logsumexp_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_logsumexp_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_logsumexp(x_h, &opts_c))); }
} // namespace nn
namespace special {
/* scipy.special.softmax: e^x / sum e^x over axes, over all of them if none is given (kn_nn_softmax: the last one) */
inline array softmax(const ::kiln::operand &x, const ::kiln::special::softmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_special_softmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_special_softmax(x_h, &opts_c))); }
using log_softmax_opts = ::kiln::special::softmax_opts;
/* scipy.special.log_softmax: the logarithm of softmax, x - log(sum e^x), over axes, over all of them if none is
 * given */
inline array log_softmax(const ::kiln::operand &x, const ::kiln::special::softmax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_special_softmax_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_special_log_softmax(x_h, &opts_c))); }
using logsumexp_opts = ::kiln::nn::logsumexp_opts;
/* scipy.special.logsumexp: log(sum b e^x) over axes (all), without overflow; NaN where the sum is negative */
inline array logsumexp(const ::kiln::operand &x, const ::kiln::nn::logsumexp_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_logsumexp_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_special_logsumexp(x_h, &opts_c))); }
} // namespace special
namespace nn {
struct logsumexp_result { array value; array sign; };
using logsumexp_sign_opts = ::kiln::nn::logsumexp_opts;
/* log |sum b e^x| over axes, real, and the sign of the sum: kn_nn_logsumexp with JAX's return_sign, for sums that
 * may be negative */
inline ::kiln::nn::logsumexp_result logsumexp_sign(const ::kiln::operand &x, const ::kiln::nn::logsumexp_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_logsumexp_opts opts_c = opts.c(); c_.here();
    kn_nn_logsumexp_result r_ = c_.value(kn_nn_logsumexp_sign(x_h, &opts_c)); return
    ::kiln::nn::logsumexp_result{array::share(r_.value), array::share(r_.sign)}; }
/* jax.nn.logmeanexp: log(mean e^x) over axes (all), without overflow */
inline array logmeanexp(const ::kiln::operand &x, const ::kiln::nn::logmeanexp_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_logmeanexp_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_logmeanexp(x_h, &opts_c))); }
/* jax.nn.standardize: (x - mean) / sqrt(variance + epsilon) along axes (the last one): layer normalization without
 * weights. Mean and variance are those of x unless they are given; then they broadcast with x. ValueError for
 * another algorithm */
inline array standardize(const ::kiln::operand &x, const ::kiln::nn::standardize_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_standardize_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_standardize(x_h, &opts_c))); }
/* jax.nn.one_hot: a new axis (the last one) of num_classes elements, with 1 at number x and 0 elsewhere; numbers
 * outside give zeros. The default float unless a dtype is given */
inline array one_hot(const ::kiln::operand &x, int64_t num_classes, const ::kiln::nn::one_hot_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_one_hot_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_one_hot(x_h, num_classes, &opts_c))); }
struct pool_opts {
    KILN_OPTION((::kiln::optional_shape), strides, {}) /* all 1 */
    KILN_OPTION((::kiln::pads), padding, {}) /* VALID */
    KILN_OPTION((bool), channels_first, {}) /* the channels are the axis in front of those of the windows */
    KILN_OPTION((bool), count_include_pad, true) /* of avg_pool: the padding counts as zeros (true) */
    kn_nn_pool_opts c() const {
        kn_nn_pool_opts to_ = {}; to_.size_ = sizeof to_; to_.strides = detail::c_of(strides);
        to_.padding = detail::c_of(padding); to_.channels_first = detail::c_of(channels_first);
        to_.count_include_pad = detail::c_of(count_include_pad); return to_; }
};
using max_pool_opts = ::kiln::nn::pool_opts;
/* flax.linen.max_pool: the largest element of each window, NaN if one is; padding does not count */
inline array max_pool(const ::kiln::operand &x, const ::kiln::shape &window_shape, const ::kiln::nn::pool_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_pool_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_max_pool(x_h, &window_shape, &opts_c))); }
using min_pool_opts = ::kiln::nn::pool_opts;
/* flax.linen.min_pool: the smallest element of each window, NaN if one is; padding does not count */
inline array min_pool(const ::kiln::operand &x, const ::kiln::shape &window_shape, const ::kiln::nn::pool_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_pool_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_min_pool(x_h, &window_shape, &opts_c))); }
using avg_pool_opts = ::kiln::nn::pool_opts;
/* flax.linen.avg_pool: the mean of each window: the sum divided by the number of positions, or of those that are not
 * padding (.count_include_pad = false) */
inline array avg_pool(const ::kiln::operand &x, const ::kiln::shape &window_shape, const ::kiln::nn::pool_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_nn_pool_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_avg_pool(x_h, &window_shape, &opts_c))); }
/* flax.linen.pool: the elements of each window joined by a function of two numbers, from init on, as
 * kn_lax_reduce_window; init has to be the function's identity */
inline array pool(const ::kiln::operand &x, const ::kiln::operand &init, const ::kiln::fn &reduce_fn, const
    ::kiln::shape &window_shape, const ::kiln::nn::pool_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array init_h = init.c(); kn_nn_pool_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_nn_pool(x_h, init_h, reduce_fn.c(), &window_shape, &opts_c))); }
struct scaled_matmul_opts {
    KILN_OPTION((::kiln::dtype), preferred_element_type, {})
    kn_nn_scaled_matmul_opts c() const {
        kn_nn_scaled_matmul_opts to_ = {}; to_.size_ = sizeof to_;
        to_.preferred_element_type = detail::c_of(preferred_element_type); return to_; }
};
/* jax.nn.scaled_matmul: the products of two batches of matrices that have a scale for each block of their last axis:
 * lhs (B, M, K) and rhs (B, N, K), each block multiplied with its scale, of (B, M, K / block) and (B, N, K / block),
 * then contracted over K: (B, M, N) in preferred_element_type (float32). ValueError for shapes that do not fit */
inline array scaled_matmul(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::operand &lhs_scales,
    const ::kiln::operand &rhs_scales, const ::kiln::nn::scaled_matmul_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_array lhs_scales_h = lhs_scales.c();
    kn_array rhs_scales_h = rhs_scales.c(); kn_nn_scaled_matmul_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_nn_scaled_matmul(lhs_h, rhs_h, lhs_scales_h, rhs_scales_h, &opts_c))); }
} // namespace nn
} // namespace kiln
#endif
