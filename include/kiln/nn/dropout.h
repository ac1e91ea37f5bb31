/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/dropout.h -- what is left out at random while a network is trained. */
/* Made by scripts/make-api.py from api/nn/dropout.api. */
/* clang-format off */
#ifndef KILN_NN_DROPOUT_H
#define KILN_NN_DROPOUT_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_nn_dropout_opts {
    size_t size_;
    bool deterministic;     /* x itself; the key is not looked at and may be KN_NONE */
    kn_axes broadcast_axes; /* one draw for all along these */
} kn_nn_dropout_opts;
KN_API kn_nn_dropout_opts kn_nn_dropout_opts_default(void);
typedef struct kn_nn_stochastic_depth_opts {
    size_t size_;
    bool deterministic; /* x itself; the key is not looked at and may be KN_NONE */
} kn_nn_stochastic_depth_opts;
KN_API kn_nn_stochastic_depth_opts kn_nn_stochastic_depth_opts_default(void);
/* flax.linen.Dropout: each element of x is 0 with probability rate, and x / (1 - rate) otherwise. A rate of 0 gives
 * x, 1 zeros. ValueError for others than 0 .. 1 */
KN_API kn_array kn_nn_dropout(kn_array key, kn_array x, double rate, const kn_nn_dropout_opts *opts);
/* each example of x, along the first axis, is 0 with probability rate as a whole, and x / (1 - rate) otherwise: for
 * the branch of a residual layer (torchvision's mode "row"). ValueError for a scalar x */
KN_API kn_array kn_nn_stochastic_depth(kn_array key, kn_array x, double rate, const kn_nn_stochastic_depth_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_dropout(key, x, rate, ...) KN_NN_DROPOUT_(__COUNTER__, key, x, rate, __VA_ARGS__)
#define KN_NN_DROPOUT_(c, key, x, rate, ...)                                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(x); KN_TAKE(double, 3, c, rate)  \
    KN_OPTS(c, kn_nn_dropout_opts, (), __VA_ARGS__) KN_HERE(); (kn_nn_dropout)(KN_V(1, c), KN_V(2, c), KN_V(3, c),     \
    KN_V(opt, c)); })
#define kn_nn_stochastic_depth(key, x, rate, ...) KN_NN_STOCHASTIC_DEPTH_(__COUNTER__, key, x, rate, __VA_ARGS__)
#define KN_NN_STOCHASTIC_DEPTH_(c, key, x, rate, ...)                                                                  \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); kn_array KN_V(2, c) = KN_LIKE(x); KN_TAKE(double, 3, c, rate)  \
    KN_OPTS(c, kn_nn_stochastic_depth_opts, (), __VA_ARGS__) KN_HERE(); (kn_nn_stochastic_depth)(KN_V(1, c),           \
    KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#endif
#endif
