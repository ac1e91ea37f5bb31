/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/transforms.h -- gradient transformations, as optax.transforms: what optimizers are chained of. Each is
 * a kn_optimizer of its own. kn_optim_chain(kn_optim_clip_by_global_norm(1), kn_optim_adam(.learning_rate = 1e-3)). */
/* Made by scripts/make-api.py from api/optim/transforms.api. */
/* clang-format off */
#ifndef KILN_OPTIM_TRANSFORMS_H
#define KILN_OPTIM_TRANSFORMS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Made of others. */
/* transformations one after the other: each works on the updates of the one before */
KN_API kn_optimizer kn_optim_chain(int n, const kn_optimizer *parts);
/* a transformation for some of the parameters: the inner one sees those whose mask is true, the updates of the
 * others stay as they are. `mask`: a tree of booleans, one per parameter or one for all */
KN_API kn_optimizer kn_optim_masked(kn_optimizer inner, kn_tree mask);
/* zeros in the place of updates where the mask (a tree of booleans, one per parameter or one for all) is true: those
 * parameters stay */
KN_API kn_optimizer kn_optim_freeze(kn_tree mask);
/* the inner transformation, but updates that are not all finite are left out (zeros, the state stays), unless more
 * than max_consecutive_errors come in a row */
KN_API kn_optimizer kn_optim_apply_if_finite(kn_optimizer inner, int max_consecutive_errors);
KN_API kn_optimizer kn_optim_apply_every(int k); /* the sum of the updates of k steps every k-th step, zeros between */
typedef struct kn_optim_multi_steps_opts {
    size_t size_;
    bool use_grad_mean; /* true: the mean of the gradients, not their sum */
} kn_optim_multi_steps_opts;
KN_API kn_optim_multi_steps_opts kn_optim_multi_steps_opts_default(void);
/* optax.MultiSteps: the inner optimizer steps every k gradients, with their mean (.use_grad_mean = false: their
 * sum); zeros between. For batches that do not fit memory at once */
KN_API kn_optimizer kn_optim_multi_steps(kn_optimizer inner, int every_k, const kn_optim_multi_steps_opts *opts);
typedef struct kn_optim_lookahead_opts {
    size_t size_;
    bool reset_state; /* the fast optimizer begins anew at each synchronization */
} kn_optim_lookahead_opts;
KN_API kn_optim_lookahead_opts kn_optim_lookahead_opts_default(void);
/* fast parameters take steps of the inner optimizer; every sync_period of them the slow ones move by slow_step_size
 * towards them, and the fast ones go back there. Parameters and updates are trees of two parts, fast and slow;
 * gradients are those of the fast ones. Not in chains */
KN_API kn_optimizer kn_optim_lookahead(kn_optimizer fast, int sync_period, double slow_step_size,
    const kn_optim_lookahead_opts *opts);

/* ---- Scaling and adding. */
KN_API kn_optimizer kn_optim_identity(void); /* optax.identity: updates as they are */
/* optax.set_to_zero: zeros in the place of the updates: nothing moves */
KN_API kn_optimizer kn_optim_set_to_zero(void);
/* optax.scale: updates times step_size; for steps downhill it is negative */
KN_API kn_optimizer kn_optim_scale(double step_size);
/* updates times -learning_rate: what makes gradients steps downhill, mostly the last of a chain */
KN_API kn_optimizer kn_optim_scale_by_learning_rate(double learning_rate);
/* updates times less a learning rate that is a 0-d array, for rates that a program computes (in a function that is
 * traced, too) */
KN_API kn_optimizer kn_optim_scale_by_learning_rate_array(kn_array learning_rate);
/* optax.scale_by_schedule: updates times the value of a schedule at the step, which the state counts from 0 */
KN_API kn_optimizer kn_optim_scale_by_schedule(kn_schedule step_size);
typedef struct kn_optim_add_decayed_weights_opts {
    size_t size_;
    kn_schedule weight_decay_schedule; /* by the step, in the place of the number */
    kn_tree mask;                      /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_add_decayed_weights_opts;
KN_API kn_optim_add_decayed_weights_opts kn_optim_add_decayed_weights_opts_default(void);
/* optax.add_decayed_weights: updates plus weight_decay times the parameters (.mask: those that it names,
 * .weight_decay_schedule in the place of the number); the update needs params */
KN_API kn_optimizer kn_optim_add_decayed_weights(double weight_decay, const kn_optim_add_decayed_weights_opts *opts);
/* optax.add_noise: updates plus normal noise of variance eta / (1 + step)^gamma, that of kn_random_key(seed) */
KN_API kn_optimizer kn_optim_add_noise(double eta, double gamma, int64_t seed);
typedef struct kn_optim_trace_opts { size_t size_; bool nesterov; } kn_optim_trace_opts; /* look one step ahead */
KN_API kn_optim_trace_opts kn_optim_trace_opts_default(void);
/* optax.trace: the sum of the updates, what came before times decay: momentum, as sgd has it; .nesterov looks one
 * step ahead */
KN_API kn_optimizer kn_optim_trace(double decay, const kn_optim_trace_opts *opts);
typedef struct kn_optim_ema_opts {
    size_t size_;
    bool debias;  /* true: without the bias of the beginning */
} kn_optim_ema_opts;
KN_API kn_optim_ema_opts kn_optim_ema_opts_default(void);
/* optax.ema: an exponential moving average of the updates, decay times what came before and 1 - decay times the new
 * one; without .debias it begins near 0 */
KN_API kn_optimizer kn_optim_ema(double decay, const kn_optim_ema_opts *opts);

/* ---- Clipping and cleaning. */
/* optax.clip: each element of the updates kept within -max_delta and max_delta */
KN_API kn_optimizer kn_optim_clip(double max_delta);
/* optax.clip_by_global_norm: updates scaled down so that the norm of all arrays together is at most max_norm; their
 * direction stays, and smaller ones stay as they are */
KN_API kn_optimizer kn_optim_clip_by_global_norm(double max_norm);
/* optax.clip_by_block_rms: each array of the updates scaled down to a root mean square of at most threshold */
KN_API kn_optimizer kn_optim_clip_by_block_rms(double threshold);
/* updates scaled down so that their norm is at most clipping times the norm of the parameters (at least eps; optax's
 * is 1e-3): of a whole vector, of each column of a matrix, of each output channel of a filter. The update needs
 * params */
KN_API kn_optimizer kn_optim_adaptive_grad_clip(double clipping, double eps);
/* optax.centralize: updates less the mean of each slice along the first axis (of a matrix: of each row), for arrays
 * of at least two axes; numbers and vectors stay */
KN_API kn_optimizer kn_optim_centralize(void);
KN_API kn_optimizer kn_optim_zero_nans(void); /* optax.zero_nans: 0 where an update is NaN */
/* updates times scale_factor, divided by their norm (plus eps) of all arrays together; optax's defaults are 1 and
 * 1e-6 */
KN_API kn_optimizer kn_optim_normalize_by_update_norm(double scale_factor, double eps);
/* optax.keep_params_nonnegative: updates that would take a parameter below 0 take it to 0; the update needs params */
KN_API kn_optimizer kn_optim_keep_params_nonnegative(void);

/* ---- The scaling parts of the optimizers, with optax's defaults. */
typedef struct kn_optim_scale_by_adam_opts {
    size_t size_;
    double b1;       /* 0.9: what is kept of the mean of gradients at each step */
    double b2;       /* 0.999: what is kept of the mean of squares at each step */
    double eps;      /* 1e-8: added to the root that is the divisor */
    double eps_root; /* added below the root */
    bool nesterov;   /* look one step ahead */
} kn_optim_scale_by_adam_opts;
KN_API kn_optim_scale_by_adam_opts kn_optim_scale_by_adam_opts_default(void);
/* optax.scale_by_adam: the scaling of adam: the mean of the updates divided by the root of the mean of their
 * squares, without learning rate and sign */
KN_API kn_optimizer kn_optim_scale_by_adam(const kn_optim_scale_by_adam_opts *opts);
typedef struct kn_optim_scale_by_rms_opts {
    size_t size_;
    double decay;         /* 0.9: what is kept of the mean of squares at each step */
    double eps;           /* 1e-8: added below the root, or to it */
    double initial_scale; /* the mean of squares before the first step */
    bool eps_in_sqrt;     /* true: eps is below the root */
    bool bias_correction; /* without the bias of the beginning */
} kn_optim_scale_by_rms_opts;
KN_API kn_optim_scale_by_rms_opts kn_optim_scale_by_rms_opts_default(void);
/* optax.scale_by_rms: updates divided by the root of the moving average of their squares */
KN_API kn_optimizer kn_optim_scale_by_rms(const kn_optim_scale_by_rms_opts *opts);
typedef struct kn_optim_scale_by_rss_opts {
    size_t size_;
    double initial_accumulator_value; /* 0.1: the sum of squares before the first step */
    double eps;                       /* 1e-7: added below the root */
} kn_optim_scale_by_rss_opts;
KN_API kn_optim_scale_by_rss_opts kn_optim_scale_by_rss_opts_default(void);
/* optax.scale_by_rss: updates divided by the root of the sum of all squares so far (0.1 at first), as adagrad does */
KN_API kn_optimizer kn_optim_scale_by_rss(const kn_optim_scale_by_rss_opts *opts);
typedef struct kn_optim_scale_by_lion_opts {
    size_t size_;
    double b1;    /* 0.9: weight of the mean so far in the step */
    double b2;    /* 0.99: what is kept of the mean at each step */
} kn_optim_scale_by_lion_opts;
KN_API kn_optim_scale_by_lion_opts kn_optim_scale_by_lion_opts_default(void);
/* optax.scale_by_lion: the sign of a mean of updates, as lion has it: b1 for the step, b2 for what is remembered */
KN_API kn_optimizer kn_optim_scale_by_lion(const kn_optim_scale_by_lion_opts *opts);
typedef struct kn_optim_scale_by_trust_ratio_opts {
    size_t size_;
    double min_norm;          /* norms are at least this */
    double trust_coefficient; /* 1: times the ratio */
    double eps;               /* added to the updates' norm */
} kn_optim_scale_by_trust_ratio_opts;
KN_API kn_optim_scale_by_trust_ratio_opts kn_optim_scale_by_trust_ratio_opts_default(void);
/* optax.scale_by_trust_ratio: updates times the norm of the parameters divided by that of the updates, array by
 * array; the update needs params */
KN_API kn_optimizer kn_optim_scale_by_trust_ratio(const kn_optim_scale_by_trust_ratio_opts *opts);
KN_API kn_optimizer kn_optim_scale_by_sign(void); /* optax.scale_by_sign: the signs of the updates alone */
/* updates times the norm of their parameters, array by array, at least min_scale (optax's default is 1e-3); the
 * update needs params */
KN_API kn_optimizer kn_optim_scale_by_param_block_norm(double min_scale);
/* updates times the root mean square of their parameters, array by array, at least min_scale (optax's default is
 * 1e-3); the update needs params */
KN_API kn_optimizer kn_optim_scale_by_param_block_rms(double min_scale);

/* ---- Clips outside of an optimizer, and what says whether a step should be left out. */
typedef struct kn_optim_unitwise_norm_opts {
    size_t size_;
    kn_axes axis; /* not given, by the number of dimensions: the axes of one unit */
} kn_optim_unitwise_norm_opts;
KN_API kn_optim_unitwise_norm_opts kn_optim_unitwise_norm_opts_default(void);
/* optax.transforms.unitwise_norm: the norm of the unit that each element is in, in the shape of x: along the first
 * axis of matrices and of three dimensions, along all but the last of four and five, of all else together.
 * ValueError for more dimensions without axis */
KN_API kn_array kn_optim_unitwise_norm(kn_array x, const kn_optim_unitwise_norm_opts *opts);
typedef struct kn_optim_unitwise_clip_opts {
    size_t size_;
    double div_eps; /* 1e-6: the least divisor */
} kn_optim_unitwise_clip_opts;
KN_API kn_optim_unitwise_clip_opts kn_optim_unitwise_clip_opts_default(void);
/* optax.transforms.unitwise_clip: grad, scaled to max_norm where g_norm is not below it. All three are of one shape
 * (ValueError) */
KN_API kn_array kn_optim_unitwise_clip(kn_array g_norm, kn_array max_norm, kn_array grad,
    const kn_optim_unitwise_clip_opts *opts);
/* optax.per_example_global_norm_clip: the sum over examples of their gradients, each scaled so that its norm over
 * all leaves is l2_norm_clip at most (Abadi et al. 2016). The first axis of each leaf is that of the examples
 * (ValueError). num_clipped (may be NULL) receives how many were scaled */
KN_API kn_tree kn_optim_per_example_global_norm_clip(kn_tree grads, double l2_norm_clip, kn_array *num_clipped);
typedef struct kn_optim_per_example_layer_norm_clip_opts {
    size_t size_;
    bool uniform; /* true: one share for each leaf; false: by its number of elements */
} kn_optim_per_example_layer_norm_clip_opts;
KN_API kn_optim_per_example_layer_norm_clip_opts kn_optim_per_example_layer_norm_clip_opts_default(void);
/* optax.per_example_layer_norm_clip: the same with a norm for each leaf: of K leaves each may have
 * global_l2_norm_clip / sqrt(K), or a share by its size (McMahan et al. 2017). num_clipped (may be NULL) receives
 * how many were scaled, a tree like grads */
KN_API kn_tree kn_optim_per_example_layer_norm_clip(kn_tree grads, double global_l2_norm_clip, kn_tree *num_clipped,
    const kn_optim_per_example_layer_norm_clip_opts *opts);
/* optax.skip_not_finite: is any element infinite or NaN? num_not_finite (may be NULL) receives how many are */
KN_API kn_array kn_optim_skip_not_finite(kn_tree updates, kn_array *num_not_finite);
/* optax.skip_large_updates: is the square of the norm of all updates not below max_squared_norm (true for NaN, too)?
 * norm_squared (may be NULL) receives it */
KN_API kn_array kn_optim_skip_large_updates(kn_tree updates, double max_squared_norm, kn_array *norm_squared);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_chain(...) KN_OPTIM_CHAIN_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_OPTIM_CHAIN_(c, count, ...)                                                                                 \
    __extension__({ const kn_optimizer KN_V(vec, c)[(count) + 1] = {__VA_ARGS__}; KN_HERE();                           \
        (kn_optim_chain)((count), KN_V(vec, c)); })
#define kn_optim_masked(inner, mask) KN_G2(kn_optim_masked, kn_optimizer, inner, kn_tree, mask)
#define kn_optim_freeze(mask) KN_G1(kn_optim_freeze, kn_tree, mask)
#define kn_optim_apply_if_finite(inner, max_consecutive_errors)                                                        \
    KN_G2(kn_optim_apply_if_finite, kn_optimizer, inner, int, max_consecutive_errors)
#define kn_optim_apply_every(k) KN_G1(kn_optim_apply_every, int, k)
#define kn_optim_multi_steps(inner, every_k, ...)                                                                      \
    KN_G2O(kn_optim_multi_steps, kn_optim_multi_steps_opts, (.use_grad_mean = true, ), kn_optimizer, inner, int,       \
    every_k, __VA_ARGS__)
#define kn_optim_lookahead(fast, sync_period, slow_step_size, ...)                                                     \
    KN_OPTIM_LOOKAHEAD_(__COUNTER__, fast, sync_period, slow_step_size, __VA_ARGS__)
#define KN_OPTIM_LOOKAHEAD_(c, fast, sync_period, slow_step_size, ...)                                                 \
    __extension__({ KN_TAKE(kn_optimizer, 1, c, fast) KN_TAKE(int, 2, c, sync_period)                                  \
    KN_TAKE(double, 3, c, slow_step_size) KN_OPTS(c, kn_optim_lookahead_opts, (), __VA_ARGS__) KN_HERE();              \
    (kn_optim_lookahead)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_optim_scale(step_size) KN_G1(kn_optim_scale, double, step_size)
#define kn_optim_scale_by_learning_rate(learning_rate) KN_G1(kn_optim_scale_by_learning_rate, double, learning_rate)
#define kn_optim_scale_by_learning_rate_array(learning_rate) KN_F1(kn_optim_scale_by_learning_rate_array, learning_rate)
#define kn_optim_scale_by_schedule(step_size) KN_G1(kn_optim_scale_by_schedule, kn_schedule, step_size)
#define kn_optim_add_decayed_weights(weight_decay, ...)                                                                \
    KN_G1O(kn_optim_add_decayed_weights, kn_optim_add_decayed_weights_opts, (), double, weight_decay, __VA_ARGS__)
#define kn_optim_trace(decay, ...) KN_G1O(kn_optim_trace, kn_optim_trace_opts, (), double, decay, __VA_ARGS__)
#define kn_optim_ema(decay, ...) KN_G1O(kn_optim_ema, kn_optim_ema_opts, (.debias = true, ), double, decay, __VA_ARGS__)
#define kn_optim_clip(max_delta) KN_G1(kn_optim_clip, double, max_delta)
#define kn_optim_clip_by_global_norm(max_norm) KN_G1(kn_optim_clip_by_global_norm, double, max_norm)
#define kn_optim_clip_by_block_rms(threshold) KN_G1(kn_optim_clip_by_block_rms, double, threshold)
#define kn_optim_adaptive_grad_clip(clipping, eps) KN_G2(kn_optim_adaptive_grad_clip, double, clipping, double, eps)
#define kn_optim_normalize_by_update_norm(scale_factor, eps)                                                           \
    KN_G2(kn_optim_normalize_by_update_norm, double, scale_factor, double, eps)
#define kn_optim_scale_by_adam(...)                                                                                    \
    KN_F0O(kn_optim_scale_by_adam, kn_optim_scale_by_adam_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_scale_by_rms(...)                                                                                     \
    KN_F0O(kn_optim_scale_by_rms, kn_optim_scale_by_rms_opts, (.decay = 0.9, .eps = 1e-8, .eps_in_sqrt = true, ),      \
    __VA_ARGS__)
#define kn_optim_scale_by_rss(...)                                                                                     \
    KN_F0O(kn_optim_scale_by_rss, kn_optim_scale_by_rss_opts, (.initial_accumulator_value = 0.1, .eps = 1e-7, ),       \
    __VA_ARGS__)
#define kn_optim_scale_by_lion(...)                                                                                    \
    KN_F0O(kn_optim_scale_by_lion, kn_optim_scale_by_lion_opts, (.b1 = 0.9, .b2 = 0.99, ), __VA_ARGS__)
#define kn_optim_scale_by_trust_ratio(...)                                                                             \
    KN_F0O(kn_optim_scale_by_trust_ratio, kn_optim_scale_by_trust_ratio_opts, (.trust_coefficient = 1, ), __VA_ARGS__)
#define kn_optim_unitwise_norm(x, ...) KN_F1O(kn_optim_unitwise_norm, kn_optim_unitwise_norm_opts, (), x, __VA_ARGS__)
#define kn_optim_unitwise_clip(g_norm, max_norm, grad, ...)                                                            \
    KN_F3O(kn_optim_unitwise_clip, kn_optim_unitwise_clip_opts, (.div_eps = 1e-6, ), g_norm, max_norm, grad,           \
    __VA_ARGS__)
#define kn_optim_per_example_global_norm_clip(grads, l2_norm_clip, num_clipped)                                        \
    KN_OPTIM_PER_EXAMPLE_GLOBAL_NORM_CLIP_(__COUNTER__, grads, l2_norm_clip, num_clipped)
#define KN_OPTIM_PER_EXAMPLE_GLOBAL_NORM_CLIP_(c, grads, l2_norm_clip, num_clipped)                                    \
    __extension__({ KN_TAKE(kn_tree, 1, c, grads) KN_TAKE(double, 2, c, l2_norm_clip)                                  \
    KN_TAKE(kn_array *, 3, c, num_clipped) KN_HERE(); (kn_optim_per_example_global_norm_clip)(KN_V(1, c), KN_V(2, c),  \
    KN_V(3, c)); })
#define kn_optim_per_example_layer_norm_clip(grads, global_l2_norm_clip, num_clipped, ...)                             \
    KN_OPTIM_PER_EXAMPLE_LAYER_NORM_CLIP_(__COUNTER__, grads, global_l2_norm_clip, num_clipped, __VA_ARGS__)
#define KN_OPTIM_PER_EXAMPLE_LAYER_NORM_CLIP_(c, grads, global_l2_norm_clip, num_clipped, ...)                         \
    __extension__({ KN_TAKE(kn_tree, 1, c, grads) KN_TAKE(double, 2, c, global_l2_norm_clip)                           \
    KN_TAKE(kn_tree *, 3, c, num_clipped) KN_OPTS(c, kn_optim_per_example_layer_norm_clip_opts, (.uniform = true, ),   \
    __VA_ARGS__) KN_HERE(); (kn_optim_per_example_layer_norm_clip)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c));  \
    })
#define kn_optim_skip_not_finite(updates, num_not_finite)                                                              \
    KN_G2(kn_optim_skip_not_finite, kn_tree, updates, kn_array *, num_not_finite)
#define kn_optim_skip_large_updates(updates, max_squared_norm, norm_squared)                                           \
    KN_OPTIM_SKIP_LARGE_UPDATES_(__COUNTER__, updates, max_squared_norm, norm_squared)
#define KN_OPTIM_SKIP_LARGE_UPDATES_(c, updates, max_squared_norm, norm_squared)                                       \
    __extension__({ KN_TAKE(kn_tree, 1, c, updates) KN_TAKE(double, 2, c, max_squared_norm)                            \
    KN_TAKE(kn_array *, 3, c, norm_squared) KN_HERE(); (kn_optim_skip_large_updates)(KN_V(1, c), KN_V(2, c),           \
    KN_V(3, c)); })
#endif
#endif
