/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/transforms.h -- gradient transformations, as optax.transforms: what optimizers are chained of. Each is a
 * kn_optimizer of its own. kn_optim_chain(kn_optim_clip_by_global_norm(1), kn_optim_adam(.learning_rate = 1e-3)). */
#ifndef KILN_OPTIM_TRANSFORMS_H
#define KILN_OPTIM_TRANSFORMS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Made of others. */
KN_API kn_optimizer kn_optim_chain(int n, const kn_optimizer *parts); /* one after the other; in C: a list of them */
/* `mask`: a tree of booleans, one per parameter or one for all; the inner one sees those that are true */
KN_API kn_optimizer kn_optim_masked(kn_optimizer inner, kn_tree mask);
KN_API kn_optimizer kn_optim_freeze(kn_tree mask);              /* no updates where it is true */
/* updates that are not finite are left out, unless more than so many come in a row */
KN_API kn_optimizer kn_optim_apply_if_finite(kn_optimizer inner, int max_consecutive_errors);
KN_API kn_optimizer kn_optim_apply_every(int k);                /* sums; gives them every k steps, zeros between */
typedef struct kn_optim_multi_steps_opts { size_t size_; bool use_grad_mean; } kn_optim_multi_steps_opts; /* true */
KN_API kn_optim_multi_steps_opts kn_optim_multi_steps_opts_default(void);
/* optax.MultiSteps: the inner one steps every k gradients, with their mean */
KN_API kn_optimizer kn_optim_multi_steps(kn_optimizer inner, int every_k, const kn_optim_multi_steps_opts *opts);
typedef struct kn_optim_lookahead_opts { size_t size_; bool reset_state; } kn_optim_lookahead_opts;
KN_API kn_optim_lookahead_opts kn_optim_lookahead_opts_default(void);
/* Parameters and updates are trees of two parts, fast and slow; gradients are those of the fast ones. Not in chains. */
KN_API kn_optimizer kn_optim_lookahead(kn_optimizer fast, int sync_period, double slow_step_size,
                                       const kn_optim_lookahead_opts *opts);

/* ---- Scaling and adding. */
KN_API kn_optimizer kn_optim_identity(void);
KN_API kn_optimizer kn_optim_set_to_zero(void);
KN_API kn_optimizer kn_optim_scale(double step_size);
KN_API kn_optimizer kn_optim_scale_by_learning_rate(double learning_rate);      /* times -rate */
KN_API kn_optimizer kn_optim_scale_by_learning_rate_array(kn_array learning_rate); /* of a 0-d array */
KN_API kn_optimizer kn_optim_scale_by_schedule(kn_schedule step_size);
typedef struct kn_optim_add_decayed_weights_opts {
    size_t size_; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_add_decayed_weights_opts;
KN_API kn_optim_add_decayed_weights_opts kn_optim_add_decayed_weights_opts_default(void);
KN_API kn_optimizer kn_optim_add_decayed_weights(double weight_decay, const kn_optim_add_decayed_weights_opts *opts);
KN_API kn_optimizer kn_optim_add_noise(double eta, double gamma, int64_t seed);
typedef struct kn_optim_trace_opts { size_t size_; bool nesterov; } kn_optim_trace_opts;
KN_API kn_optim_trace_opts kn_optim_trace_opts_default(void);
KN_API kn_optimizer kn_optim_trace(double decay, const kn_optim_trace_opts *opts);
typedef struct kn_optim_ema_opts { size_t size_; bool debias; } kn_optim_ema_opts; /* true */
KN_API kn_optim_ema_opts kn_optim_ema_opts_default(void);
KN_API kn_optimizer kn_optim_ema(double decay, const kn_optim_ema_opts *opts);

/* ---- Clipping and cleaning. */
KN_API kn_optimizer kn_optim_clip(double max_delta);
KN_API kn_optimizer kn_optim_clip_by_global_norm(double max_norm);
KN_API kn_optimizer kn_optim_clip_by_block_rms(double threshold);
KN_API kn_optimizer kn_optim_adaptive_grad_clip(double clipping, double eps);   /* optax's eps is 1e-3 */
KN_API kn_optimizer kn_optim_centralize(void);
KN_API kn_optimizer kn_optim_zero_nans(void);
KN_API kn_optimizer kn_optim_normalize_by_update_norm(double scale_factor, double eps); /* optax: 1, 1e-6 */
KN_API kn_optimizer kn_optim_keep_params_nonnegative(void);

/* ---- The scaling parts of the optimizers, with optax's defaults. */
#define KN_OPTIM_SCALE_BY(name, fields)                                                                                \
    typedef struct kn_optim_scale_by_##name##_opts { size_t size_; fields } kn_optim_scale_by_##name##_opts;           \
    KN_API kn_optim_scale_by_##name##_opts kn_optim_scale_by_##name##_opts_default(void);                              \
    KN_API kn_optimizer kn_optim_scale_by_##name(const kn_optim_scale_by_##name##_opts *opts);
KN_OPTIM_SCALE_BY(adam, double b1; double b2; double eps; double eps_root; bool nesterov;)
KN_OPTIM_SCALE_BY(rms, double decay; double eps; double initial_scale; bool eps_in_sqrt; bool bias_correction;)
KN_OPTIM_SCALE_BY(rss, double initial_accumulator_value; double eps;)
KN_OPTIM_SCALE_BY(lion, double b1; double b2;)
KN_OPTIM_SCALE_BY(trust_ratio, double min_norm; double trust_coefficient; double eps;)
KN_API kn_optimizer kn_optim_scale_by_sign(void);
KN_API kn_optimizer kn_optim_scale_by_param_block_norm(double min_scale);       /* optax: 1e-3 */
KN_API kn_optimizer kn_optim_scale_by_param_block_rms(double min_scale);        /* optax: 1e-3 */

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
#define kn_optim_apply_if_finite(inner, most) KN_G2(kn_optim_apply_if_finite, kn_optimizer, inner, int, most)
#define kn_optim_apply_every(k) KN_G1(kn_optim_apply_every, int, k)
#define kn_optim_multi_steps(inner, every_k, ...)                                                                      \
    KN_G2O(kn_optim_multi_steps, kn_optim_multi_steps_opts, (.use_grad_mean = true, ), kn_optimizer, inner, int,       \
        every_k, __VA_ARGS__)
#define kn_optim_lookahead(fast, sync_period, slow_step_size, ...)                                                     \
    KN_OPTIM_LOOKAHEAD_(__COUNTER__, fast, sync_period, slow_step_size, __VA_ARGS__)
#define KN_OPTIM_LOOKAHEAD_(c, fast, period, size, ...)                                                                \
    __extension__({ kn_optimizer KN_V(1, c) = (fast); int KN_V(2, c) = (period); double KN_V(3, c) = (size);           \
        KN_OPTS(c, kn_optim_lookahead_opts, (), __VA_ARGS__) KN_HERE();                                                \
        (kn_optim_lookahead)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_optim_scale(step_size) KN_G1(kn_optim_scale, double, step_size)
#define kn_optim_scale_by_learning_rate(rate) KN_G1(kn_optim_scale_by_learning_rate, double, rate)
#define kn_optim_scale_by_learning_rate_array(rate) KN_F1(kn_optim_scale_by_learning_rate_array, rate)
#define kn_optim_scale_by_schedule(schedule) KN_G1(kn_optim_scale_by_schedule, kn_schedule, schedule)
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
#define KN_OPTIM_T_(c, f, T, D, ...)                                                                                   \
    __extension__({ KN_OPTS(c, T, D, .size_ = sizeof(T) __VA_OPT__(, ) __VA_ARGS__) KN_HERE(); (f)(KN_V(opt, c)); })
#define kn_optim_scale_by_adam(...)                                                                                    \
    KN_OPTIM_T_(__COUNTER__, kn_optim_scale_by_adam, kn_optim_scale_by_adam_opts,                                      \
        (.b1 = 0.9, .b2 = 0.999, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_scale_by_rms(...)                                                                                     \
    KN_OPTIM_T_(__COUNTER__, kn_optim_scale_by_rms, kn_optim_scale_by_rms_opts,                                        \
        (.decay = 0.9, .eps = 1e-8, .eps_in_sqrt = true, ), __VA_ARGS__)
#define kn_optim_scale_by_rss(...)                                                                                     \
    KN_OPTIM_T_(__COUNTER__, kn_optim_scale_by_rss, kn_optim_scale_by_rss_opts,                                        \
        (.initial_accumulator_value = 0.1, .eps = 1e-7, ), __VA_ARGS__)
#define kn_optim_scale_by_lion(...)                                                                                    \
    KN_OPTIM_T_(__COUNTER__, kn_optim_scale_by_lion, kn_optim_scale_by_lion_opts, (.b1 = 0.9, .b2 = 0.99, ),           \
        __VA_ARGS__)
#define kn_optim_scale_by_trust_ratio(...)                                                                             \
    KN_OPTIM_T_(__COUNTER__, kn_optim_scale_by_trust_ratio, kn_optim_scale_by_trust_ratio_opts,                        \
        (.trust_coefficient = 1, ), __VA_ARGS__)
#endif
#endif
