/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn.h -- functions of neural networks, as jax.nn. Integers and booleans become the context's default float
 * where nothing else is said. TypeError for random keys; complex numbers where the formula makes sense for them. */
/* Made by scripts/make-api.py from api/nn.api. */
/* clang-format off */
#ifndef KILN_NN_H
#define KILN_NN_H
#include "kiln/lax/windows.h"
#include "kiln/nn/attention.h"
#include "kiln/nn/dropout.h"
#include "kiln/nn/embedding.h"
#include "kiln/nn/normalization.h"
#include "kiln/nn/quantize.h"
#include "kiln/nn/recurrent.h"
#include "kiln/nn/sampling.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. `where` (NULL: not given) takes only the elements where it is true: the others count as absent. */
typedef struct kn_nn_softmax_opts { size_t size_; kn_axes axis; kn_array where; } kn_nn_softmax_opts; /* axis: last */
KN_API kn_nn_softmax_opts kn_nn_softmax_opts_default(void);
typedef struct kn_nn_logsumexp_opts {
    size_t size_;
    kn_axes axis;   /* not given, all */
    kn_array b;     /* NULL, 1: weights */
    bool keepdims;
    kn_array where;
} kn_nn_logsumexp_opts;
KN_API kn_nn_logsumexp_opts kn_nn_logsumexp_opts_default(void);
typedef struct kn_nn_logmeanexp_opts {
    size_t size_;
    kn_axes axis;   /* not given, all */
    kn_array where;
    bool keepdims;
} kn_nn_logmeanexp_opts;
KN_API kn_nn_logmeanexp_opts kn_nn_logmeanexp_opts_default(void);
typedef struct kn_nn_one_hot_opts { size_t size_; kn_axes axis; kn_dtype dtype; } kn_nn_one_hot_opts; /* axis: last */
KN_API kn_nn_one_hot_opts kn_nn_one_hot_opts_default(void);
typedef struct kn_nn_leaky_relu_opts { size_t size_; kn_array negative_slope; } kn_nn_leaky_relu_opts; /* NULL, 0.01 */
KN_API kn_nn_leaky_relu_opts kn_nn_leaky_relu_opts_default(void);
typedef struct kn_nn_elu_opts { size_t size_; kn_array alpha; } kn_nn_elu_opts; /* NULL, 1 */
KN_API kn_nn_elu_opts kn_nn_elu_opts_default(void);
typedef struct kn_nn_squareplus_opts { size_t size_; kn_array b; } kn_nn_squareplus_opts; /* NULL, 4 */
KN_API kn_nn_squareplus_opts kn_nn_squareplus_opts_default(void);
typedef struct kn_nn_gelu_opts { size_t size_; bool approximate; } kn_nn_gelu_opts; /* true */
KN_API kn_nn_gelu_opts kn_nn_gelu_opts_default(void);
typedef struct kn_nn_glu_opts { size_t size_; kn_axes axis; } kn_nn_glu_opts; /* last */
KN_API kn_nn_glu_opts kn_nn_glu_opts_default(void);
typedef struct kn_nn_standardize_opts {
    size_t size_;
    kn_axes axis;          /* not given, the last one */
    kn_array mean;         /* NULL, that of x */
    kn_array variance;     /* NULL, that of x */
    kn_array epsilon;      /* NULL, 1e-5 */
    kn_array where;        /* the elements that count */
    /* "fast"; or "stable": "fast": mean(x^2) - mean(x)^2, not below 0; "stable": mean((x - mean(x))^2) */
    const char *algorithm;
} kn_nn_standardize_opts;
KN_API kn_nn_standardize_opts kn_nn_standardize_opts_default(void);
typedef struct kn_special_softmax_opts { size_t size_; kn_axes axis; } kn_special_softmax_opts; /* all of them */
KN_API kn_special_softmax_opts kn_special_softmax_opts_default(void);

/* ---- Activation functions. Elementwise; options that are arrays broadcast with x. */
/* jax.nn.identity: x itself, in its dtype: the activation function that changes nothing */
KN_API kn_array kn_nn_identity(kn_array x);
/* jax.nn.relu: max(x, 0) of each element, integers in their dtype. The derivative at 0 is 0; NaN stays NaN */
KN_API kn_array kn_nn_relu(kn_array x);
/* jax.nn.relu6: min(max(x, 0), 6) of each element; the derivative at 0 and 6 is 0 */
KN_API kn_array kn_nn_relu6(kn_array x);
/* jax.nn.sigmoid: 1 / (1 + e^-x) of each element: between 0 and 1, 0.5 at 0. Large |x| do not overflow */
KN_API kn_array kn_nn_sigmoid(kn_array x);
/* jax.nn.softplus: log(1 + e^x) of each element, a smooth max(x, 0); e^x does not overflow on the way */
KN_API kn_array kn_nn_softplus(kn_array x);
/* jax.nn.sparse_plus: of each element: 0 up to -1, (x + 1)^2 / 4 up to 1, x from there; a softplus that is exactly 0
 * far left */
KN_API kn_array kn_nn_sparse_plus(kn_array x);
/* jax.nn.sparse_sigmoid: (x + 1) / 2 of each element, kept within 0 and 1: the derivative of kn_nn_sparse_plus */
KN_API kn_array kn_nn_sparse_sigmoid(kn_array x);
/* jax.nn.soft_sign: x / (|x| + 1) of each element: between -1 and 1, slower to arrive there than tanh */
KN_API kn_array kn_nn_soft_sign(kn_array x);
/* jax.nn.silu: x sigmoid(x) of each element, also called swish: like relu, but smooth, and a little below 0 for
 * negative x */
KN_API kn_array kn_nn_silu(kn_array x);
KN_API kn_array kn_nn_swish(kn_array x); /* jax.nn.swish: x sigmoid(x) of each element: another name of kn_nn_silu */
/* jax.nn.log_sigmoid: the logarithm of the sigmoid of each element, -softplus(-x): right where the sigmoid itself is
 * 0 in floating point */
KN_API kn_array kn_nn_log_sigmoid(kn_array x);
/* jax.nn.leaky_relu: x of each element, or negative_slope x where x < 0; the slope may be an array that broadcasts
 * with x */
KN_API kn_array kn_nn_leaky_relu(kn_array x, const kn_nn_leaky_relu_opts *opts);
/* jax.nn.hard_sigmoid: relu6(x + 3) / 6 of each element: a sigmoid of straight lines, 0 up to -3 and 1 from 3 */
KN_API kn_array kn_nn_hard_sigmoid(kn_array x);
/* jax.nn.hard_silu: x hard_sigmoid(x) of each element: 0 up to -3, x from 3 */
KN_API kn_array kn_nn_hard_silu(kn_array x);
/* jax.nn.hard_swish: x hard_sigmoid(x) of each element: another name of kn_nn_hard_silu */
KN_API kn_array kn_nn_hard_swish(kn_array x);
/* jax.nn.hard_tanh: x of each element kept within -1 and 1, integers in their dtype */
KN_API kn_array kn_nn_hard_tanh(kn_array x);
/* jax.nn.tanh: the hyperbolic tangent of each element, as kn_tanh: between -1 and 1 */
KN_API kn_array kn_nn_tanh(kn_array x);
/* jax.nn.elu: x of each element, or alpha (e^x - 1) where x <= 0: never below -alpha */
KN_API kn_array kn_nn_elu(kn_array x, const kn_nn_elu_opts *opts);
/* jax.nn.celu: max(x, 0) + alpha (e^(min(x, 0) / alpha) - 1) of each element: an elu whose derivative is 1 at 0 for
 * each alpha */
KN_API kn_array kn_nn_celu(kn_array x, const kn_nn_elu_opts *opts);
/* jax.nn.selu: 1.0507 elu(x, alpha = 1.6733) of each element, with all their digits: keeps mean 0 and variance 1
 * from layer to layer */
KN_API kn_array kn_nn_selu(kn_array x);
/* jax.nn.gelu: x times the normal distribution function of x, of each element; by a formula with tanh unless
 * .approximate = false */
KN_API kn_array kn_nn_gelu(kn_array x, const kn_nn_gelu_opts *opts);
/* jax.nn.glu: the first half of x along an axis (the last one) times the sigmoid of the second half: half as many
 * elements there. AssertionError for an odd extent */
KN_API kn_array kn_nn_glu(kn_array x, const kn_nn_glu_opts *opts);
/* jax.nn.squareplus: (x + sqrt(x^2 + b)) / 2 of each element: a smooth max(x, 0) without exponentials; b = 0 is relu */
KN_API kn_array kn_nn_squareplus(kn_array x, const kn_nn_squareplus_opts *opts);
KN_API kn_array kn_nn_mish(kn_array x);  /* jax.nn.mish: x tanh(softplus(x)) of each element */
/* jax.nn.log1mexp: log(1 - e^-x) of each element x >= 0, right near 0 and far away, too; NaN below 0 */
KN_API kn_array kn_nn_log1mexp(kn_array x);

/* ---- Along axes. */
/* jax.nn.softmax: e^x / sum e^x along axes (the last one): positive numbers that add to 1. The largest x is taken
 * off first, so large x do not overflow; elements that `where` leaves out give 0 */
KN_API kn_array kn_nn_softmax(kn_array x, const kn_nn_softmax_opts *opts);
/* jax.nn.log_softmax: the logarithm of softmax, x - log(sum e^x), along axes (the last one); finite where softmax
 * itself is 0 in floating point. Elements that `where` leaves out give -inf */
KN_API kn_array kn_nn_log_softmax(kn_array x, const kn_nn_softmax_opts *opts);
/* jax.nn.logsumexp: log(sum b e^x) over axes (all), without overflow; b (1) are weights that broadcast with x. NaN
 * where the sum is negative */
KN_API kn_array kn_nn_logsumexp(kn_array x, const kn_nn_logsumexp_opts *opts);
/* scipy.special.softmax: e^x / sum e^x over axes, over all of them if none is given (kn_nn_softmax: the last one) */
KN_API kn_array kn_special_softmax(kn_array x, const kn_special_softmax_opts *opts);
/* scipy.special.log_softmax: the logarithm of softmax, x - log(sum e^x), over axes, over all of them if none is
 * given */
KN_API kn_array kn_special_log_softmax(kn_array x, const kn_special_softmax_opts *opts);
/* scipy.special.logsumexp: log(sum b e^x) over axes (all), without overflow; NaN where the sum is negative */
KN_API kn_array kn_special_logsumexp(kn_array x, const kn_nn_logsumexp_opts *opts);
typedef struct kn_nn_logsumexp_result { kn_array value, sign; } kn_nn_logsumexp_result;
/* log |sum b e^x| over axes, real, and the sign of the sum: kn_nn_logsumexp with JAX's return_sign, for sums that
 * may be negative */
KN_API kn_nn_logsumexp_result kn_nn_logsumexp_sign(kn_array x, const kn_nn_logsumexp_opts *opts);
/* jax.nn.logmeanexp: log(mean e^x) over axes (all), without overflow */
KN_API kn_array kn_nn_logmeanexp(kn_array x, const kn_nn_logmeanexp_opts *opts);
/* jax.nn.standardize: (x - mean) / sqrt(variance + epsilon) along axes (the last one): layer normalization without
 * weights. Mean and variance are those of x unless they are given; then they broadcast with x. ValueError for
 * another algorithm */
KN_API kn_array kn_nn_standardize(kn_array x, const kn_nn_standardize_opts *opts);
/* jax.nn.one_hot: a new axis (the last one) of num_classes elements, with 1 at number x and 0 elsewhere; numbers
 * outside give zeros. The default float unless a dtype is given */
KN_API kn_array kn_nn_one_hot(kn_array x, int64_t num_classes, const kn_nn_one_hot_opts *opts);

/* ---- Pooling, as flax.linen: over windows of window_shape along the axes between the batch axes, of which there
 * may be any number, and the last one, the channels: kn_nn_max_pool(x, KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2)).
 * AssertionError for strides, pads and operands with other numbers of axes. */
typedef struct kn_nn_pool_opts {
    size_t size_;
    const kn_shape *strides; /* all 1 */
    kn_lax_pads padding;     /* VALID */
    bool channels_first;     /* the channels are the axis in front of those of the windows */
    bool count_include_pad;  /* true: of avg_pool: the padding counts as zeros (true) */
} kn_nn_pool_opts;
KN_API kn_nn_pool_opts kn_nn_pool_opts_default(void);
/* flax.linen.max_pool: the largest element of each window, NaN if one is; padding does not count */
KN_API kn_array kn_nn_max_pool(kn_array x, const kn_shape *window_shape, const kn_nn_pool_opts *opts);
/* flax.linen.min_pool: the smallest element of each window, NaN if one is; padding does not count */
KN_API kn_array kn_nn_min_pool(kn_array x, const kn_shape *window_shape, const kn_nn_pool_opts *opts);
/* flax.linen.avg_pool: the mean of each window: the sum divided by the number of positions, or of those that are not
 * padding (.count_include_pad = false) */
KN_API kn_array kn_nn_avg_pool(kn_array x, const kn_shape *window_shape, const kn_nn_pool_opts *opts);
/* flax.linen.pool: the elements of each window joined by a function of two numbers, from init on, as
 * kn_lax_reduce_window; init has to be the function's identity */
KN_API kn_array kn_nn_pool(kn_array x, kn_array init, kn_fn reduce_fn, const kn_shape *window_shape,
    const kn_nn_pool_opts *opts);

/* ---- Products of blocks that have scales. */
typedef struct kn_nn_scaled_matmul_opts { size_t size_; kn_dtype preferred_element_type; } kn_nn_scaled_matmul_opts;
KN_API kn_nn_scaled_matmul_opts kn_nn_scaled_matmul_opts_default(void);
/* jax.nn.scaled_matmul: the products of two batches of matrices that have a scale for each block of their last axis:
 * lhs (B, M, K) and rhs (B, N, K), each block multiplied with its scale, of (B, M, K / block) and (B, N, K / block),
 * then contracted over K: (B, M, N) in preferred_element_type (float32). ValueError for shapes that do not fit */
KN_API kn_array kn_nn_scaled_matmul(kn_array lhs, kn_array rhs, kn_array lhs_scales, kn_array rhs_scales,
    const kn_nn_scaled_matmul_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_identity(x) KN_F1(kn_nn_identity, x)
#define kn_nn_relu(x) KN_F1(kn_nn_relu, x)
#define kn_nn_relu6(x) KN_F1(kn_nn_relu6, x)
#define kn_nn_sigmoid(x) KN_F1(kn_nn_sigmoid, x)
#define kn_nn_softplus(x) KN_F1(kn_nn_softplus, x)
#define kn_nn_sparse_plus(x) KN_F1(kn_nn_sparse_plus, x)
#define kn_nn_sparse_sigmoid(x) KN_F1(kn_nn_sparse_sigmoid, x)
#define kn_nn_soft_sign(x) KN_F1(kn_nn_soft_sign, x)
#define kn_nn_silu(x) KN_F1(kn_nn_silu, x)
#define kn_nn_swish(x) KN_F1(kn_nn_swish, x)
#define kn_nn_log_sigmoid(x) KN_F1(kn_nn_log_sigmoid, x)
#define kn_nn_leaky_relu(x, ...) KN_F1O(kn_nn_leaky_relu, kn_nn_leaky_relu_opts, (), x, __VA_ARGS__)
#define kn_nn_hard_sigmoid(x) KN_F1(kn_nn_hard_sigmoid, x)
#define kn_nn_hard_silu(x) KN_F1(kn_nn_hard_silu, x)
#define kn_nn_hard_swish(x) KN_F1(kn_nn_hard_swish, x)
#define kn_nn_hard_tanh(x) KN_F1(kn_nn_hard_tanh, x)
#define kn_nn_tanh(x) KN_F1(kn_nn_tanh, x)
#define kn_nn_elu(x, ...) KN_F1O(kn_nn_elu, kn_nn_elu_opts, (), x, __VA_ARGS__)
#define kn_nn_celu(x, ...) KN_F1O(kn_nn_celu, kn_nn_elu_opts, (), x, __VA_ARGS__)
#define kn_nn_selu(x) KN_F1(kn_nn_selu, x)
#define kn_nn_gelu(x, ...) KN_F1O(kn_nn_gelu, kn_nn_gelu_opts, (.approximate = true, ), x, __VA_ARGS__)
#define kn_nn_glu(x, ...) KN_F1O(kn_nn_glu, kn_nn_glu_opts, (), x, __VA_ARGS__)
#define kn_nn_squareplus(x, ...) KN_F1O(kn_nn_squareplus, kn_nn_squareplus_opts, (), x, __VA_ARGS__)
#define kn_nn_mish(x) KN_F1(kn_nn_mish, x)
#define kn_nn_log1mexp(x) KN_F1(kn_nn_log1mexp, x)
#define kn_nn_softmax(x, ...) KN_F1O(kn_nn_softmax, kn_nn_softmax_opts, (), x, __VA_ARGS__)
#define kn_nn_log_softmax(x, ...) KN_F1O(kn_nn_log_softmax, kn_nn_softmax_opts, (), x, __VA_ARGS__)
#define kn_nn_logsumexp(x, ...) KN_F1O(kn_nn_logsumexp, kn_nn_logsumexp_opts, (), x, __VA_ARGS__)
#define kn_special_softmax(x, ...) KN_F1O(kn_special_softmax, kn_special_softmax_opts, (), x, __VA_ARGS__)
#define kn_special_log_softmax(x, ...) KN_F1O(kn_special_log_softmax, kn_special_softmax_opts, (), x, __VA_ARGS__)
#define kn_special_logsumexp(x, ...) KN_F1O(kn_special_logsumexp, kn_nn_logsumexp_opts, (), x, __VA_ARGS__)
#define kn_nn_logsumexp_sign(x, ...) KN_F1O(kn_nn_logsumexp_sign, kn_nn_logsumexp_opts, (), x, __VA_ARGS__)
#define kn_nn_logmeanexp(x, ...) KN_F1O(kn_nn_logmeanexp, kn_nn_logmeanexp_opts, (), x, __VA_ARGS__)
#define kn_nn_standardize(x, ...)                                                                                      \
    KN_F1O(kn_nn_standardize, kn_nn_standardize_opts, (.algorithm = "fast", ), x, __VA_ARGS__)
#define kn_nn_one_hot(x, num_classes, ...)                                                                             \
    KN_H1O(kn_nn_one_hot, kn_nn_one_hot_opts, (), x, int64_t, num_classes, __VA_ARGS__)
#define kn_nn_max_pool(x, window_shape, ...)                                                                           \
    KN_P1O(kn_nn_max_pool, kn_nn_pool_opts, (.count_include_pad = true, ), x, kn_shape, window_shape, __VA_ARGS__)
#define kn_nn_min_pool(x, window_shape, ...)                                                                           \
    KN_P1O(kn_nn_min_pool, kn_nn_pool_opts, (.count_include_pad = true, ), x, kn_shape, window_shape, __VA_ARGS__)
#define kn_nn_avg_pool(x, window_shape, ...)                                                                           \
    KN_P1O(kn_nn_avg_pool, kn_nn_pool_opts, (.count_include_pad = true, ), x, kn_shape, window_shape, __VA_ARGS__)
#define kn_nn_pool(x, init, reduce_fn, window_shape, ...)                                                              \
    KN_NN_POOL_(__COUNTER__, x, init, reduce_fn, window_shape, __VA_ARGS__)
#define KN_NN_POOL_(c, x, init, reduce_fn, window_shape, ...)                                                          \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(init);                             \
    KN_TAKE(kn_fn, 3, c, reduce_fn) KN_TAKE(kn_shape, 4, c, window_shape) KN_OPTS(c, kn_nn_pool_opts,                  \
    (.count_include_pad = true, ), __VA_ARGS__) KN_HERE(); (kn_nn_pool)(KN_V(1, c), KN_V(2, c), KN_V(3, c),            \
    &KN_V(4, c), KN_V(opt, c)); })
#define kn_nn_scaled_matmul(lhs, rhs, lhs_scales, rhs_scales, ...)                                                     \
    KN_F4O(kn_nn_scaled_matmul, kn_nn_scaled_matmul_opts, (), lhs, rhs, lhs_scales, rhs_scales, __VA_ARGS__)
#endif
#endif
