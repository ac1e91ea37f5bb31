/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/around.h -- optimizers of optax.contrib that change what another one sees or does: a learned scale,
 * gradients of low rank, complex parameters as two real ones, gradients of single examples. */
/* Made by scripts/make-api.py from api/optim/around.api. */
/* clang-format off */
#ifndef KILN_OPTIM_AROUND_H
#define KILN_OPTIM_AROUND_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_optim_mechanize_opts {
    size_t size_;
    double weight_decay; /* 1e-2: added to the gradients, times their norm and the scale */
    double eps;          /* 1e-8: added to divisors */
    double s_init;       /* 1e-6: the scale to begin with */
    int64_t num_betas;   /* 6: how many rates of forgetting there are: 0.9, 0.99, ... (from 1 to 100) */
} kn_optim_mechanize_opts;
KN_API kn_optim_mechanize_opts kn_optim_mechanize_opts_default(void);
/* optax.contrib.mechanize: another optimizer, best with a learning rate of 1, whose updates are scaled by a factor
 * that is learned (Cutkosky et al. 2023). The parameters are counted from where they are at the first step, so the
 * state has a copy of them */
KN_API kn_optimizer kn_optim_mechanize(kn_optimizer base_optimizer, const kn_optim_mechanize_opts *opts);
/* optax.contrib.split_real_and_imaginary: an optimizer that sees each complex parameter as two real ones; real ones
 * stay as they are */
KN_API kn_optimizer kn_optim_split_real_and_imaginary(kn_optimizer inner);

/* ---- Low rank. */
/* Which axes of a parameter are a matrix's rows (reduction_axis; not given: 0) and columns (output_axis; not given: 1):
 * together all. With neither given the parameter stays as it is. */
typedef struct kn_optim_galore_dimension_numbers {
    kn_axes reduction_axis, output_axis;
} kn_optim_galore_dimension_numbers;
/* KN_GALORE_DIMENSION_NUMBERS({.reduction_axis = KN_AXIS(0), .output_axis = KN_AXIS(1, 2)}): one for all parameters of
 * two dimensions or more; or several, one for each parameter. */
typedef struct kn_optim_galore_dimension_numbers_list {
    int n; const kn_optim_galore_dimension_numbers *v;
} kn_optim_galore_dimension_numbers_list;
typedef struct kn_optim_scale_by_galore_opts {
    size_t size_;
    /* 128: of the projected gradients, at most */
    int64_t rank;
    /* 200: a new projection every so many steps */
    int64_t update_proj_gap;
    double scale;                                                           /* 1: of the updates */
    /* NULL, kn_optim_scale_by_adam(): which sees projected gradients and no parameters */
    kn_optimizer base_optimizer;
    /* what is a matrix (all that has two dimensions) */
    const kn_optim_galore_dimension_numbers_list *weight_dimension_numbers;
} kn_optim_scale_by_galore_opts;
KN_API kn_optim_scale_by_galore_opts kn_optim_scale_by_galore_opts_default(void);
/* optax.contrib.scale_by_galore: updates of matrices as galore makes them, without a rate; the base optimizer does
 * all else as it is */
KN_API kn_optimizer kn_optim_scale_by_galore(const kn_optim_scale_by_galore_opts *opts);
typedef struct kn_optim_galore_opts {
    size_t size_;
    /* NAN: has to be given: this, or one of the next two */
    double learning_rate;
    /* by the step, in the place of the number */
    kn_schedule learning_rate_schedule;
    /* a 0-d array, in the place of the number */
    kn_array learning_rate_array;
    /* 128: of the projected gradients, at most */
    int64_t rank;
    /* 200: a new projection every so many steps */
    int64_t update_proj_gap;
    double scale;                                                           /* 1: of the updates */
    /* NULL, kn_optim_scale_by_adam(): which sees projected gradients and no parameters */
    kn_optimizer base_optimizer;
    double weight_decay;                                                    /* times the parameter, added to its step */
    /* by the step, in the place of the number */
    kn_schedule weight_decay_schedule;
    /* what decays: a tree of booleans, one per parameter or one for all (all) */
    kn_tree mask;
    /* what is a matrix (all that has two dimensions) */
    const kn_optim_galore_dimension_numbers_list *weight_dimension_numbers;
} kn_optim_galore_opts;
KN_API kn_optim_galore_opts kn_optim_galore_opts_default(void);
/* optax.contrib.galore: adam for large matrices with less memory (Zhao et al. 2024): the gradient of a matrix is
 * projected to .rank dimensions of its shorter side's space by singular vectors that are computed (in float32) every
 * .update_proj_gap steps; base_optimizer keeps its moments there, and its updates are projected back. Other
 * parameters are not projected. ValueError of kn_optim_init for .weight_dimension_numbers that do not fit the
 * parameters, of kn_optim_update for a base_optimizer that needs parameters (adamw; .weight_decay is for that) */
KN_API kn_optimizer kn_optim_galore(const kn_optim_galore_opts *opts);

/* ---- Gradients of examples. Each leaf of the gradients has the examples as its first axis, as kn_vmap of kn_grad
 * gives them; the updates are as the parameters. */
typedef struct kn_optim_differentially_private_aggregate_opts {
    size_t size_;
    int64_t seed; /* of the key of the noise */
    kn_array key; /* NULL, kn_random_key(seed): of the noise */
} kn_optim_differentially_private_aggregate_opts;
KN_API kn_optim_differentially_private_aggregate_opts kn_optim_differentially_private_aggregate_opts_default(void);
/* optax.contrib.differentially_private_aggregate: the mean of the gradients of examples, each scaled down to a norm
 * of l2_norm_clip (of all leaves together) if it has more, with normal noise of standard deviation noise_multiplier
 * l2_norm_clip added to their sum (Abadi et al. 2016). It is the first of a chain. ValueError for gradients without
 * a common first axis */
KN_API kn_optimizer kn_optim_differentially_private_aggregate(double l2_norm_clip, double noise_multiplier,
    const kn_optim_differentially_private_aggregate_opts *opts);
typedef struct kn_optim_dpsgd_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double l2_norm_clip;                /* NAN: has to be given: the largest norm of an example's gradient */
    double noise_multiplier;            /* NAN: has to be given: the noise's standard deviation, as a part of that */
    int64_t seed;                       /* of the key of the noise */
    kn_array key;                       /* NULL, kn_random_key(seed): of the noise */
    double momentum;                    /* NAN: what is kept of the steps before (NAN: no momentum) */
    bool nesterov;                      /* look one step ahead */
} kn_optim_dpsgd_opts;
KN_API kn_optim_dpsgd_opts kn_optim_dpsgd_opts_default(void);
/* optax.contrib.dpsgd: sgd with differential privacy (Abadi et al. 2016): the steps of
 * kn_optim_differentially_private_aggregate, with momentum and a rate */
KN_API kn_optimizer kn_optim_dpsgd(const kn_optim_dpsgd_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_GALORE_DIMENSION_NUMBERS(...)                                                                               \
    (&(const kn_optim_galore_dimension_numbers_list){                                                                  \
        sizeof((const kn_optim_galore_dimension_numbers[]){__VA_ARGS__}) / sizeof(kn_optim_galore_dimension_numbers),  \
        (const kn_optim_galore_dimension_numbers[]){__VA_ARGS__}})
#define kn_optim_mechanize(base_optimizer, ...)                                                                        \
    KN_G1O(kn_optim_mechanize, kn_optim_mechanize_opts, (.weight_decay = 1e-2, .eps = 1e-8, .s_init = 1e-6,            \
    .num_betas = 6, ), kn_optimizer, base_optimizer, __VA_ARGS__)
#define kn_optim_split_real_and_imaginary(inner) KN_G1(kn_optim_split_real_and_imaginary, kn_optimizer, inner)
#define kn_optim_scale_by_galore(...)                                                                                  \
    KN_F0O(kn_optim_scale_by_galore, kn_optim_scale_by_galore_opts, (.rank = 128, .update_proj_gap = 200, .scale = 1,  \
    ), __VA_ARGS__)
#define kn_optim_galore(...)                                                                                           \
    KN_F0O(kn_optim_galore, kn_optim_galore_opts, (.learning_rate = __builtin_nan(""), .rank = 128,                    \
    .update_proj_gap = 200, .scale = 1, ), __VA_ARGS__)
#define kn_optim_differentially_private_aggregate(l2_norm_clip, noise_multiplier, ...)                                 \
    KN_G2O(kn_optim_differentially_private_aggregate, kn_optim_differentially_private_aggregate_opts, (), double,      \
    l2_norm_clip, double, noise_multiplier, __VA_ARGS__)
#define kn_optim_dpsgd(...)                                                                                            \
    KN_F0O(kn_optim_dpsgd, kn_optim_dpsgd_opts, (.learning_rate = __builtin_nan(""),                                   \
    .l2_norm_clip = __builtin_nan(""), .noise_multiplier = __builtin_nan(""), .momentum = __builtin_nan(""), ),        \
    __VA_ARGS__)
#endif
#endif
