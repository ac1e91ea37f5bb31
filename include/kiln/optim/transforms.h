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
KN_API kn_optimizer kn_optim_chain(int n, const kn_optimizer *parts); /* one after the other; in C: a list of them */
/* `mask`: a tree of booleans, one per parameter or one for all; the inner one sees those that are true */
KN_API kn_optimizer kn_optim_masked(kn_optimizer inner, kn_tree mask);
KN_API kn_optimizer kn_optim_freeze(kn_tree mask);                    /* no updates where it is true */
/* updates that are not finite are left out, unless more than so many come in a row */
KN_API kn_optimizer kn_optim_apply_if_finite(kn_optimizer inner, int max_consecutive_errors);
KN_API kn_optimizer kn_optim_apply_every(int k); /* sums; gives them every k steps, zeros between */
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
KN_API kn_optimizer kn_optim_identity(void);                               /* optax.identity: updates as they are */
KN_API kn_optimizer kn_optim_set_to_zero(void);                            /* optax.set_to_zero: no updates */
KN_API kn_optimizer kn_optim_scale(double step_size);                      /* optax.scale: times step_size */
KN_API kn_optimizer kn_optim_scale_by_learning_rate(double learning_rate); /* times -rate */
KN_API kn_optimizer kn_optim_scale_by_learning_rate_array(kn_array learning_rate); /* of a 0-d array */
/* optax.scale_by_schedule: times the value at the step */
KN_API kn_optimizer kn_optim_scale_by_schedule(kn_schedule step_size);
typedef struct kn_optim_add_decayed_weights_opts {
    size_t size_; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_add_decayed_weights_opts;
KN_API kn_optim_add_decayed_weights_opts kn_optim_add_decayed_weights_opts_default(void);
/* optax.add_decayed_weights: plus weight_decay times the parameters */
KN_API kn_optimizer kn_optim_add_decayed_weights(double weight_decay, const kn_optim_add_decayed_weights_opts *opts);
/* optax.add_noise: plus normal numbers of variance eta / (1 + step)^gamma */
KN_API kn_optimizer kn_optim_add_noise(double eta, double gamma, int64_t seed);
typedef struct kn_optim_trace_opts { size_t size_; bool nesterov; } kn_optim_trace_opts;
KN_API kn_optim_trace_opts kn_optim_trace_opts_default(void);
/* optax.trace: momentum, the sum of what came before times decay */
KN_API kn_optimizer kn_optim_trace(double decay, const kn_optim_trace_opts *opts);
typedef struct kn_optim_ema_opts { size_t size_; bool debias; } kn_optim_ema_opts; /* true */
KN_API kn_optim_ema_opts kn_optim_ema_opts_default(void);
/* optax.ema: an exponential moving average */
KN_API kn_optimizer kn_optim_ema(double decay, const kn_optim_ema_opts *opts);

/* ---- Clipping and cleaning. */
KN_API kn_optimizer kn_optim_clip(double max_delta); /* optax.clip: within -max_delta and max_delta */
/* optax.clip_by_global_norm: scaled down to this norm of all together */
KN_API kn_optimizer kn_optim_clip_by_global_norm(double max_norm);
/* optax.clip_by_block_rms: each array scaled down to this root mean square */
KN_API kn_optimizer kn_optim_clip_by_block_rms(double threshold);
KN_API kn_optimizer kn_optim_adaptive_grad_clip(double clipping, double eps); /* optax's eps is 1e-3 */
KN_API kn_optimizer kn_optim_centralize(void);       /* optax.centralize: less the mean of each array */
KN_API kn_optimizer kn_optim_zero_nans(void);        /* optax.zero_nans: 0 for NaN */
KN_API kn_optimizer kn_optim_normalize_by_update_norm(double scale_factor, double eps); /* optax: 1, 1e-6 */
/* optax.keep_params_nonnegative: no parameter falls below 0 */
KN_API kn_optimizer kn_optim_keep_params_nonnegative(void);

/* ---- The scaling parts of the optimizers, with optax's defaults. */
typedef struct kn_optim_scale_by_adam_opts {
    size_t size_;
    double b1;       /* 0.9 */
    double b2;       /* 0.999 */
    double eps;      /* 1e-8 */
    double eps_root;
    bool nesterov;
} kn_optim_scale_by_adam_opts;
KN_API kn_optim_scale_by_adam_opts kn_optim_scale_by_adam_opts_default(void);
KN_API kn_optimizer kn_optim_scale_by_adam(const kn_optim_scale_by_adam_opts *opts); /* optax.scale_by_adam */
typedef struct kn_optim_scale_by_rms_opts {
    size_t size_;
    double decay;         /* 0.9 */
    double eps;           /* 1e-8 */
    double initial_scale;
    bool eps_in_sqrt;     /* true */
    bool bias_correction;
} kn_optim_scale_by_rms_opts;
KN_API kn_optim_scale_by_rms_opts kn_optim_scale_by_rms_opts_default(void);
KN_API kn_optimizer kn_optim_scale_by_rms(const kn_optim_scale_by_rms_opts *opts); /* optax.scale_by_rms */
typedef struct kn_optim_scale_by_rss_opts {
    size_t size_;
    double initial_accumulator_value; /* 0.1 */
    double eps;                       /* 1e-7 */
} kn_optim_scale_by_rss_opts;
KN_API kn_optim_scale_by_rss_opts kn_optim_scale_by_rss_opts_default(void);
KN_API kn_optimizer kn_optim_scale_by_rss(const kn_optim_scale_by_rss_opts *opts); /* optax.scale_by_rss */
typedef struct kn_optim_scale_by_lion_opts {
    size_t size_;
    double b1;    /* 0.9 */
    double b2;    /* 0.99 */
} kn_optim_scale_by_lion_opts;
KN_API kn_optim_scale_by_lion_opts kn_optim_scale_by_lion_opts_default(void);
KN_API kn_optimizer kn_optim_scale_by_lion(const kn_optim_scale_by_lion_opts *opts); /* optax.scale_by_lion */
typedef struct kn_optim_scale_by_trust_ratio_opts {
    size_t size_;
    double min_norm;
    double trust_coefficient; /* 1 */
    double eps;
} kn_optim_scale_by_trust_ratio_opts;
KN_API kn_optim_scale_by_trust_ratio_opts kn_optim_scale_by_trust_ratio_opts_default(void);
/* optax.scale_by_trust_ratio */
KN_API kn_optimizer kn_optim_scale_by_trust_ratio(const kn_optim_scale_by_trust_ratio_opts *opts);
KN_API kn_optimizer kn_optim_scale_by_sign(void);                         /* optax.scale_by_sign: the signs alone */
KN_API kn_optimizer kn_optim_scale_by_param_block_norm(double min_scale); /* optax: 1e-3 */
KN_API kn_optimizer kn_optim_scale_by_param_block_rms(double min_scale);  /* optax: 1e-3 */

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
#endif
#endif
