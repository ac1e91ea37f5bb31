/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn.h -- functions of neural networks, as jax.nn. Integers become the context's default float (but for relu). */
#ifndef KILN_NN_H
#define KILN_NN_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. `where` (NULL: not given) takes only the elements where it is true: the others count as absent. */
typedef struct kn_nn_softmax_opts { size_t size_; kn_axes axis; kn_array where; } kn_nn_softmax_opts; /* axis: last */
typedef struct kn_nn_logsumexp_opts {
    size_t size_; kn_axes axis; kn_array b; bool keepdims; kn_array where; /* axis: all */
} kn_nn_logsumexp_opts;
typedef struct kn_nn_one_hot_opts { size_t size_; kn_axes axis; kn_dtype dtype; } kn_nn_one_hot_opts; /* axis: last */
typedef struct kn_special_softmax_opts { size_t size_; kn_axes axis; } kn_special_softmax_opts; /* axis: all of them */
KN_API kn_nn_softmax_opts kn_nn_softmax_opts_default(void);
KN_API kn_special_softmax_opts kn_special_softmax_opts_default(void);
KN_API kn_nn_logsumexp_opts kn_nn_logsumexp_opts_default(void);
KN_API kn_nn_one_hot_opts kn_nn_one_hot_opts_default(void);

KN_API kn_array kn_nn_relu(kn_array x);    /* jax.nn.relu: max(x, 0); its derivative at 0 is 0 */
KN_API kn_array kn_nn_sigmoid(kn_array x); /* jax.nn.sigmoid: 1 / (1 + e^-x) */
KN_API kn_array kn_nn_silu(kn_array x);    /* jax.nn.silu: x sigmoid(x) */
/* jax.nn.softmax: e^x / sum e^x; elements left out give 0 */
KN_API kn_array kn_nn_softmax(kn_array x, const kn_nn_softmax_opts *opts);
/* jax.nn.log_softmax; elements left out give -inf */
KN_API kn_array kn_nn_log_softmax(kn_array x, const kn_nn_softmax_opts *opts);
/* jax.nn.logsumexp: log(sum b e^x); NaN where the sum is negative */
KN_API kn_array kn_nn_logsumexp(kn_array x, const kn_nn_logsumexp_opts *opts);
/* scipy.special.softmax: e^x / sum e^x; over all axes if none is given */
KN_API kn_array kn_special_softmax(kn_array x, const kn_special_softmax_opts *opts);
/* scipy.special.log_softmax: its logarithm */
KN_API kn_array kn_special_log_softmax(kn_array x, const kn_special_softmax_opts *opts);
KN_API kn_array kn_special_logsumexp(kn_array x, const kn_nn_logsumexp_opts *opts); /* scipy.special.logsumexp */
/* jax.nn.one_hot: a new axis with 1 at number x and 0 elsewhere; numbers outside give zeros; default float */
KN_API kn_array kn_nn_one_hot(kn_array x, int64_t num_classes, const kn_nn_one_hot_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_relu(x) KN_F1(kn_nn_relu, x)
#define kn_nn_sigmoid(x) KN_F1(kn_nn_sigmoid, x)
#define kn_nn_silu(x) KN_F1(kn_nn_silu, x)
#define kn_nn_softmax(x, ...) KN_F1O(kn_nn_softmax, kn_nn_softmax_opts, (), x, __VA_ARGS__)
#define kn_nn_log_softmax(x, ...) KN_F1O(kn_nn_log_softmax, kn_nn_softmax_opts, (), x, __VA_ARGS__)
#define kn_nn_logsumexp(x, ...) KN_F1O(kn_nn_logsumexp, kn_nn_logsumexp_opts, (), x, __VA_ARGS__)
#define kn_special_softmax(x, ...) KN_F1O(kn_special_softmax, kn_special_softmax_opts, (), x, __VA_ARGS__)
#define kn_special_log_softmax(x, ...) KN_F1O(kn_special_log_softmax, kn_special_softmax_opts, (), x, __VA_ARGS__)
#define kn_special_logsumexp(x, ...) KN_F1O(kn_special_logsumexp, kn_nn_logsumexp_opts, (), x, __VA_ARGS__)
#define kn_nn_one_hot(x, num_classes, ...)                                                                             \
    KN_H1O(kn_nn_one_hot, kn_nn_one_hot_opts, (), x, int64_t, num_classes, __VA_ARGS__)
#endif
#endif
