/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/contrib.h -- newer optimizers: those of optax.contrib, and optimistic ones. Learning rates, weight
 * decay and masks are as in kiln/optim/optimizers.h. */
/* Made by scripts/make-api.py from api/optim/contrib.api. */
/* clang-format off */
#ifndef KILN_OPTIM_CONTRIB_H
#define KILN_OPTIM_CONTRIB_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_optim_optimistic_adam_opts {
    size_t size_;
    double learning_rate; /* NAN: has to be given */
    double optimism;      /* NAN: weight of the change (the learning rate) */
    double b1;            /* 0.9: what is kept of the mean of gradients at each step */
    double b2;            /* 0.999: what is kept of the mean of squares at each step */
    double eps;           /* 1e-8: added to the root that is the divisor */
    double eps_root;      /* added below the root */
    bool nesterov;        /* true: look one step ahead */
} kn_optim_optimistic_adam_opts;
KN_API kn_optim_optimistic_adam_opts kn_optim_optimistic_adam_opts_default(void);
/* optax.optimistic_adam: adam whose step looks ahead by the change since the step before, for games between networks
 * (Daskalakis et al. 2017) */
KN_API kn_optimizer kn_optim_optimistic_adam(const kn_optim_optimistic_adam_opts *opts);
typedef struct kn_optim_optimistic_adam_v2_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double alpha;                       /* 1: weight of the step */
    double beta;                        /* 1: weight of its change */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    bool nesterov;                      /* true: look one step ahead */
} kn_optim_optimistic_adam_v2_opts;
KN_API kn_optim_optimistic_adam_v2_opts kn_optim_optimistic_adam_v2_opts_default(void);
/* optax.optimistic_adam_v2: optimistic_adam with a learning rate that may be a schedule */
KN_API kn_optimizer kn_optim_optimistic_adam_v2(const kn_optim_optimistic_adam_v2_opts *opts);
typedef struct kn_optim_acprop_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-16: added to the root that is the divisor */
    double eps_root;                    /* 1e-16: added to the mean of squares */
    double weight_decay;                /* times the parameter, added to its step */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_acprop_opts;
KN_API kn_optim_acprop_opts kn_optim_acprop_opts_default(void);
/* optax.contrib.acprop: the gradient divided by the root of the mean, up to the step before, of its squared distance
 * from its mean (Zhuang et al. 2021) */
KN_API kn_optimizer kn_optim_acprop(const kn_optim_acprop_opts *opts);
typedef struct kn_optim_ademamix_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double b3;                          /* 0.9999: what is kept of the second, slower mean of gradients */
    double alpha;                       /* 5: weight of the slower mean */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double weight_decay;                /* times the parameter, added to its step */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_ademamix_opts;
KN_API kn_optim_ademamix_opts kn_optim_ademamix_opts_default(void);
/* optax.contrib.ademamix: adam with two means of the gradients, a fast one and a slow one (Pagliardini et al. 2024) */
KN_API kn_optimizer kn_optim_ademamix(const kn_optim_ademamix_opts *opts);
typedef struct kn_optim_simplified_ademamix_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.99: what is kept of the sum of gradients at each step */
    double b2;                          /* 0.95: what is kept of the mean of squares */
    double alpha;                       /* weight of the newest gradient */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double weight_decay;                /* times the parameter, added to its step */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_simplified_ademamix_opts;
KN_API kn_optim_simplified_ademamix_opts kn_optim_simplified_ademamix_opts_default(void);
/* optax.contrib.simplified_ademamix: ademamix with one sum of the gradients (Morwani et al. 2025) */
KN_API kn_optimizer kn_optim_simplified_ademamix(const kn_optim_simplified_ademamix_opts *opts);
typedef struct kn_optim_adopt_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.9999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-6: the least divisor */
    bool nesterov;                      /* look one step ahead */
    bool use_clipping;                  /* true: quotients are clipped to the fourth root of the step's number */
} kn_optim_adopt_opts;
KN_API kn_optim_adopt_opts kn_optim_adopt_opts_default(void);
/* optax.contrib.adopt: adam that divides by the root of the mean of squares of the step before, which makes it
 * converge for every b2 (Taniguchi et al. 2024) */
KN_API kn_optimizer kn_optim_adopt(const kn_optim_adopt_opts *opts);
typedef struct kn_optim_cocob_opts {
    size_t size_;
    double learning_rate;               /* 1: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double alpha;                       /* 100: how careful the first bets are */
    double eps;                         /* 1e-8: the least scale */
    double weight_decay;                /* times the parameter, added to its step */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_cocob_opts;
KN_API kn_optim_cocob_opts kn_optim_cocob_opts_default(void);
/* optax.contrib.cocob: coin betting: each parameter bets on the sign of its gradient; no rate has to be found
 * (Orabona, Tommasi 2017) */
KN_API kn_optimizer kn_optim_cocob(const kn_optim_cocob_opts *opts);
typedef struct kn_optim_dadapt_adamw_opts {
    size_t size_;
    double learning_rate;               /* 1: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double estim_lr0;                   /* 1e-6: the first estimate of the distance */
    double weight_decay;                /* times the parameter, added to its step */
} kn_optim_dadapt_adamw_opts;
KN_API kn_optim_dadapt_adamw_opts kn_optim_dadapt_adamw_opts_default(void);
/* optax.contrib.dadapt_adamw: adamw whose rate is estimated on the way (Defazio, Mishchenko 2023) */
KN_API kn_optimizer kn_optim_dadapt_adamw(const kn_optim_dadapt_adamw_opts *opts);
typedef struct kn_optim_dog_opts {
    size_t size_;
    double learning_rate;               /* 1: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    /* "heuristic"; or "distance", "learning_rate": what init_value is: relative to 1 + the norm of the parameters, a
     * distance, or a rate */
    const char *init_step;
    double init_value;                  /* 1e-6: of the first step */
    double eps;                         /* 1e-8: added below the root */
    double weight_decay;                /* NAN: times the parameter, added to its gradient (none) */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_dog_opts;
KN_API kn_optim_dog_opts kn_optim_dog_opts_default(void);
/* optax.contrib.dog: gradient descent whose rate is the largest distance from the start over the root of the sum of
 * the gradients' squares (Ivgi et al. 2023) */
KN_API kn_optimizer kn_optim_dog(const kn_optim_dog_opts *opts);
typedef struct kn_optim_dowg_opts {
    size_t size_;
    double learning_rate;               /* 1: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double init_estim_sq_dist;          /* NAN: the first square of the distance (eps) */
    double eps;                         /* 1e-4: added to the root */
    double weight_decay;                /* NAN: times the parameter, added to its gradient (none) */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_dowg_opts;
KN_API kn_optim_dowg_opts kn_optim_dowg_opts_default(void);
/* optax.contrib.dowg: dog with the gradients weighted by the distance (Khaled et al. 2023) */
KN_API kn_optimizer kn_optim_dowg(const kn_optim_dowg_opts *opts);
typedef struct kn_optim_madgrad_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double momentum;                    /* 0.9: what is kept of the parameters at each step */
    double weight_decay;                /* times the parameter, added to its gradient */
    double eps;                         /* 1e-6: added to the rate, and to the cube root that is the divisor */
} kn_optim_madgrad_opts;
KN_API kn_optim_madgrad_opts kn_optim_madgrad_opts_default(void);
/* optax.contrib.madgrad: momentum by averaging with the cube root of the sum of squares (Defazio, Jelassi 2021) */
KN_API kn_optimizer kn_optim_madgrad(const kn_optim_madgrad_opts *opts);
typedef struct kn_optim_momo_opts {
    size_t size_;
    double learning_rate;               /* 1: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double beta;                        /* 0.9: what is kept of the means */
    double lower_bound;                 /* of the loss */
    double weight_decay;                /* times the parameter, added to its step */
    bool adapt_lower_bound;             /* the bound is found on the way */
} kn_optim_momo_opts;
KN_API kn_optim_momo_opts kn_optim_momo_opts_default(void);
/* optax.contrib.momo: momentum whose step is as long as a model of the loss above its lower bound allows, and the
 * learning rate at most (Schaipp et al. 2023). The loss is .value of kn_optim_update */
KN_API kn_optimizer kn_optim_momo(const kn_optim_momo_opts *opts);
typedef struct kn_optim_momo_adam_opts {
    size_t size_;
    double learning_rate;               /* 1e-2: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double lower_bound;                 /* of the loss */
    double weight_decay;                /* times the parameter, added to its step */
    bool adapt_lower_bound;             /* the bound is found on the way */
} kn_optim_momo_adam_opts;
KN_API kn_optim_momo_adam_opts kn_optim_momo_adam_opts_default(void);
/* optax.contrib.momo_adam: momo with adam's scaling */
KN_API kn_optimizer kn_optim_momo_adam(const kn_optim_momo_adam_opts *opts);
typedef struct kn_optim_muon_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    int64_t ns_steps;                   /* 5: of Newton and Schulz */
    double beta;                        /* 0.95: what is kept of the mean of gradients */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double weight_decay;                /* times the matrix, added to its step */
    kn_tree weight_decay_mask;          /* what decays: a tree of booleans, one per parameter or one for all (all) */
    bool nesterov;                      /* true: look one step ahead */
    bool adaptive;                      /* times the product of the mean and its orthogonal factor */
    double adam_b1;                     /* 0.9: b1 of what is no matrix */
    double adam_b2;                     /* 0.999: b2 of it */
    double adam_eps_root;               /* eps_root of it */
    double adam_weight_decay;           /* weight decay of it */
    double adam_learning_rate;          /* NAN: its learning rate (that of the matrices) */
    /* NAN: the root mean square that updates have (else they are scaled by their shape) */
    double consistent_rms;
} kn_optim_muon_opts;
KN_API kn_optim_muon_opts kn_optim_muon_opts_default(void);
/* optax.contrib.muon: momentum of matrices made orthogonal by Newton's and Schulz's iteration, and adamw for all
 * that has not two dimensions (Jordan et al. 2024) */
KN_API kn_optimizer kn_optim_muon(const kn_optim_muon_opts *opts);
typedef struct kn_optim_prodigy_opts {
    size_t size_;
    double learning_rate;               /* 1: of the step */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double beta3;                       /* NAN: what is kept of the weighted gradients (the root of b2) */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double estim_lr0;                   /* 1e-6: the first estimate of the distance */
    double estim_lr_coef;               /* 1: times the estimate */
    double weight_decay;                /* times the parameter, added to its step */
    bool safeguard_warmup;              /* the estimate does not depend on the rate's warmup */
} kn_optim_prodigy_opts;
KN_API kn_optim_prodigy_opts kn_optim_prodigy_opts_default(void);
/* optax.contrib.prodigy: adamw whose rate is estimated on the way, faster than dadapt_adamw does (Mishchenko,
 * Defazio 2023) */
KN_API kn_optimizer kn_optim_prodigy(const kn_optim_prodigy_opts *opts);
typedef struct kn_optim_schedule_free_sgd_opts {
    size_t size_;
    double learning_rate;   /* 1: of the step */
    int64_t warmup_steps;   /* steps in which the rate grows from 0 */
    double b1;              /* 0.9: how far the gradient's point is towards the mean */
    double weight_decay;    /* NAN: times the parameter, added to its gradient (none) */
    double weight_lr_power; /* 2: the weight of a step in the mean: its largest rate to this power */
} kn_optim_schedule_free_sgd_opts;
KN_API kn_optim_schedule_free_sgd_opts kn_optim_schedule_free_sgd_opts_default(void);
/* optax.contrib.schedule_free_sgd: sgd without a schedule: the parameters lie between a point that descends and its
 * mean (Defazio et al. 2024). kn_optim_schedule_free_eval_params gives the mean */
KN_API kn_optimizer kn_optim_schedule_free_sgd(const kn_optim_schedule_free_sgd_opts *opts);
typedef struct kn_optim_schedule_free_adamw_opts {
    size_t size_;
    double learning_rate;   /* 0.0025: of the step */
    int64_t warmup_steps;   /* steps in which the rate grows from 0 */
    double b1;              /* 0.9: how far the gradient's point is towards the mean */
    double b2;              /* 0.999: what is kept of the mean of squares at each step */
    double eps;             /* 1e-8: added to the root that is the divisor */
    double weight_decay;    /* times the parameter, added to its step */
    double weight_lr_power; /* 2: the weight of a step in the mean: its largest rate to this power */
} kn_optim_schedule_free_adamw_opts;
KN_API kn_optim_schedule_free_adamw_opts kn_optim_schedule_free_adamw_opts_default(void);
/* optax.contrib.schedule_free_adamw: adamw without a schedule */
KN_API kn_optimizer kn_optim_schedule_free_adamw(const kn_optim_schedule_free_adamw_opts *opts);
typedef struct kn_optim_sophia_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.965: what is kept of the mean of gradients */
    double b2;                          /* 0.99: what is kept of the mean of estimates */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double gamma;                       /* 0.01: times the estimate */
    double clip_threshold;              /* 1: the largest element of an update (NAN: none) */
    int64_t update_interval;            /* 10: steps from one estimate that is looked at to the next */
    double weight_decay;                /* 1e-4: times the parameter, added to its step */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_sophia_opts;
KN_API kn_optim_sophia_opts kn_optim_sophia_opts_default(void);
/* optax.contrib.sophia: the mean of the gradients divided by a mean of the Hessian's diagonal, and clipped (Liu et
 * al. 2023). The estimates of the diagonal are .hessian of kn_optim_update */
KN_API kn_optimizer kn_optim_sophia(const kn_optim_sophia_opts *opts);
typedef struct kn_optim_scale_by_acprop_opts {
    size_t size_;
    double b1;       /* 0.9: what is kept of the mean of gradients at each step */
    double b2;       /* 0.999: what is kept of the mean of squares at each step */
    double eps;      /* 1e-16: added to the root that is the divisor */
    double eps_root; /* 1e-16: added to the mean of squares */
} kn_optim_scale_by_acprop_opts;
KN_API kn_optim_scale_by_acprop_opts kn_optim_scale_by_acprop_opts_default(void);
/* optax.contrib.scale_by_acprop: updates as acprop makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_acprop(const kn_optim_scale_by_acprop_opts *opts);
typedef struct kn_optim_scale_by_ademamix_opts {
    size_t size_;
    double b1;       /* 0.9: what is kept of the mean of gradients at each step */
    double b2;       /* 0.999: what is kept of the mean of squares at each step */
    double b3;       /* 0.9999: what is kept of the second, slower mean of gradients */
    double alpha;    /* 6: weight of the slower mean */
    double eps;      /* 1e-8: added to the root that is the divisor */
    double eps_root; /* added below the root */
} kn_optim_scale_by_ademamix_opts;
KN_API kn_optim_scale_by_ademamix_opts kn_optim_scale_by_ademamix_opts_default(void);
/* optax.contrib.scale_by_ademamix: updates as ademamix makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_ademamix(const kn_optim_scale_by_ademamix_opts *opts);
typedef struct kn_optim_scale_by_simplified_ademamix_opts {
    size_t size_;
    double b1;       /* 0.99: what is kept of the sum of gradients at each step */
    double b2;       /* 0.95: what is kept of the mean of squares */
    double alpha;    /* weight of the newest gradient */
    double eps;      /* 1e-8: added to the root that is the divisor */
    double eps_root; /* added below the root */
} kn_optim_scale_by_simplified_ademamix_opts;
KN_API kn_optim_scale_by_simplified_ademamix_opts kn_optim_scale_by_simplified_ademamix_opts_default(void);
/* optax.contrib.scale_by_simplified_ademamix: updates as simplified_ademamix makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_simplified_ademamix(const kn_optim_scale_by_simplified_ademamix_opts *opts);
typedef struct kn_optim_scale_by_adopt_opts {
    size_t size_;
    double b1;         /* 0.9: what is kept of the mean of gradients at each step */
    double b2;         /* 0.9999: what is kept of the mean of squares at each step */
    double eps;        /* 1e-6: the least divisor */
    bool nesterov;     /* look one step ahead */
    bool use_clipping; /* true: quotients are clipped to the fourth root of the step's number */
} kn_optim_scale_by_adopt_opts;
KN_API kn_optim_scale_by_adopt_opts kn_optim_scale_by_adopt_opts_default(void);
/* optax.contrib.scale_by_adopt: updates as adopt makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_adopt(const kn_optim_scale_by_adopt_opts *opts);
typedef struct kn_optim_scale_by_cocob_opts {
    size_t size_;
    double alpha; /* 100: how careful the first bets are */
    double eps;   /* 1e-8: the least scale */
} kn_optim_scale_by_cocob_opts;
KN_API kn_optim_scale_by_cocob_opts kn_optim_scale_by_cocob_opts_default(void);
/* optax.contrib.scale_by_cocob: updates as cocob makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_cocob(const kn_optim_scale_by_cocob_opts *opts);
typedef struct kn_optim_scale_by_madgrad_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double momentum;                    /* 0.9: what is kept of the parameters at each step */
    double eps;                         /* 1e-6: added to the rate, and to the cube root that is the divisor */
} kn_optim_scale_by_madgrad_opts;
KN_API kn_optim_scale_by_madgrad_opts kn_optim_scale_by_madgrad_opts_default(void);
/* optax.contrib.scale_by_madgrad: updates as madgrad makes them, without weight decay */
KN_API kn_optimizer kn_optim_scale_by_madgrad(const kn_optim_scale_by_madgrad_opts *opts);

/* ---- Around another optimizer. */
typedef struct kn_optim_schedule_free_opts {
    size_t size_;
    /* NAN: has to be given: that of the base optimizer, this, or one of the next two */
    double learning_rate;
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: how far the gradient's point is towards the mean */
    double weight_lr_power;             /* 2: the weight of a step in the mean: its largest rate to this power */
} kn_optim_schedule_free_opts;
KN_API kn_optim_schedule_free_opts kn_optim_schedule_free_opts_default(void);
/* optax.contrib.schedule_free: an optimizer without a schedule (Defazio et al. 2024): the base optimizer moves a
 * point z, and the parameters, where gradients are taken, lie between z and the mean of all z so far. Evaluate the
 * model at kn_optim_schedule_free_eval_params */
KN_API kn_optimizer kn_optim_schedule_free(kn_optimizer base_optimizer, const kn_optim_schedule_free_opts *opts);
/* optax.contrib.schedule_free_eval_params: the parameters to evaluate a model with: the mean that schedule_free
 * keeps between the lines. The state is that of kn_optim_schedule_free. KeyError for another */
KN_API kn_tree kn_optim_schedule_free_eval_params(kn_tree state, kn_tree params);
typedef struct kn_optim_sam_opts {
    size_t size_;
    int sync_period;  /* 2: steps of the adversary, and the one of the optimizer */
    bool reset_state; /* true: the adversary begins anew behind each step of the optimizer */
} kn_optim_sam_opts;
KN_API kn_optim_sam_opts kn_optim_sam_opts_default(void);
/* optax.contrib.sam: sharpness-aware minimization (Foret et al. 2021): sync_period - 1 steps uphill of the adversary
 * (kn_optim_chain(kn_optim_normalize(), kn_optim_sgd(...))), then the step of the optimizer, with the gradient from
 * up there, back from where they began. One call is one step, as in optax without opaque_mode */
KN_API kn_optimizer kn_optim_sam(kn_optimizer optimizer, kn_optimizer adv_optimizer, const kn_optim_sam_opts *opts);
/* optax.contrib.normalize: updates divided by the norm of all of them together */
KN_API kn_optimizer kn_optim_normalize(void);
typedef struct kn_optim_reduce_on_plateau_opts {
    size_t size_;
    double factor;             /* 0.1: times the scale, between 0 and 1 */
    int64_t patience;          /* 10: judgements without a better loss before that */
    double rtol;               /* 1e-4: better is lower by this part */
    double atol;               /* and by this */
    int64_t cooldown;          /* judgements after a reduction that do not count */
    int64_t accumulation_size; /* 1: losses whose mean is judged */
    double min_scale;          /* no lower */
} kn_optim_reduce_on_plateau_opts;
KN_API kn_optim_reduce_on_plateau_opts kn_optim_reduce_on_plateau_opts_default(void);
/* optax.contrib.reduce_on_plateau: updates times a scale that becomes smaller where the loss (.value of
 * kn_optim_update) has not become lower for a while. ValueError for factors and tolerances that make no sense */
KN_API kn_optimizer kn_optim_reduce_on_plateau(const kn_optim_reduce_on_plateau_opts *opts);
/* an optimizer for each group of parameters. param_labels is a tree of integers, one per parameter or one for all:
 * which of the n transforms it is for. IndexError for a label that has none */
KN_API kn_optimizer kn_optim_partition(int n, const kn_optimizer *transforms, kn_tree param_labels);
typedef struct kn_optim_conditionally_opts {
    size_t size_;
    int64_t from;  /* the first step at which the condition holds */
    int64_t to;    /* INT64_MAX: and the first one behind it */
    int64_t every; /* 1: from then on each so many steps */
} kn_optim_conditionally_opts;
KN_API kn_optim_conditionally_opts kn_optim_conditionally_opts_default(void);
/* the inner transformation at some steps, zeros at the others, which do not change its state */
KN_API kn_optimizer kn_optim_conditionally_mask(kn_optimizer inner, const kn_optim_conditionally_opts *opts);
/* the inner transformation at some steps; at the others the updates stay as they are */
KN_API kn_optimizer kn_optim_conditionally_transform(kn_optimizer inner, const kn_optim_conditionally_opts *opts);
/* optax.flatten: the inner transformation sees all parameters as one vector, which is faster for many small ones.
 * ValueError of kn_optim_init for transformations that keep parameters */
KN_API kn_optimizer kn_optim_flatten(kn_optimizer inner);
/* an estimate of the diagonal of a loss's Hessian: (H v) v for random signs v. loss: a function of the parameters
 * alone. What kn_optim_sophia takes as .hessian */
KN_API kn_tree kn_optim_hutchinson_estimator_diag_hessian(kn_fn loss, kn_tree params, kn_array key);
/* optax.selective_transform: the optimizer for the parameters whose mask is false, and zeros for the others.
 * freeze_mask is a tree of booleans, one per parameter or one for all */
KN_API kn_optimizer kn_optim_selective_transform(kn_optimizer optimizer, kn_tree freeze_mask);
typedef struct kn_optim_scale_by_muon_opts {
    size_t size_;
    int64_t ns_steps; /* 5: of Newton and Schulz */
    double beta;      /* 0.95: what is kept of the mean of gradients */
    double eps;       /* 1e-8: added to the root that is the divisor */
    bool nesterov;    /* true: look one step ahead */
    bool adaptive;    /* times the product of the mean and its orthogonal factor */
} kn_optim_scale_by_muon_opts;
KN_API kn_optim_scale_by_muon_opts kn_optim_scale_by_muon_opts_default(void);
/* optax.contrib.scale_by_muon: updates of matrices as muon makes them, without a rate; all that has not two
 * dimensions stays as it is */
KN_API kn_optimizer kn_optim_scale_by_muon(const kn_optim_scale_by_muon_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_optimistic_adam(...)                                                                                  \
    KN_F0O(kn_optim_optimistic_adam, kn_optim_optimistic_adam_opts, (.learning_rate = __builtin_nan(""),               \
    .optimism = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999, .eps = 1e-8, .nesterov = true, ), __VA_ARGS__)
#define kn_optim_optimistic_adam_v2(...)                                                                               \
    KN_F0O(kn_optim_optimistic_adam_v2, kn_optim_optimistic_adam_v2_opts, (.learning_rate = __builtin_nan(""),         \
    .alpha = 1, .beta = 1, .b1 = 0.9, .b2 = 0.999, .eps = 1e-8, .nesterov = true, ), __VA_ARGS__)
#define kn_optim_acprop(...)                                                                                           \
    KN_F0O(kn_optim_acprop, kn_optim_acprop_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,         \
    .eps = 1e-16, .eps_root = 1e-16, ), __VA_ARGS__)
#define kn_optim_ademamix(...)                                                                                         \
    KN_F0O(kn_optim_ademamix, kn_optim_ademamix_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,     \
    .b3 = 0.9999, .alpha = 5, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_simplified_ademamix(...)                                                                              \
    KN_F0O(kn_optim_simplified_ademamix, kn_optim_simplified_ademamix_opts, (.learning_rate = __builtin_nan(""),       \
    .b1 = 0.99, .b2 = 0.95, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_adopt(...)                                                                                            \
    KN_F0O(kn_optim_adopt, kn_optim_adopt_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.9999,          \
    .eps = 1e-6, .use_clipping = true, ), __VA_ARGS__)
#define kn_optim_cocob(...)                                                                                            \
    KN_F0O(kn_optim_cocob, kn_optim_cocob_opts, (.learning_rate = 1, .alpha = 100, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_dadapt_adamw(...)                                                                                     \
    KN_F0O(kn_optim_dadapt_adamw, kn_optim_dadapt_adamw_opts, (.learning_rate = 1, .b1 = 0.9, .b2 = 0.999,             \
    .eps = 1e-8, .estim_lr0 = 1e-6, ), __VA_ARGS__)
#define kn_optim_dog(...)                                                                                              \
    KN_F0O(kn_optim_dog, kn_optim_dog_opts, (.learning_rate = 1, .init_step = "heuristic", .init_value = 1e-6,         \
    .eps = 1e-8, .weight_decay = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_dowg(...)                                                                                             \
    KN_F0O(kn_optim_dowg, kn_optim_dowg_opts, (.learning_rate = 1, .init_estim_sq_dist = __builtin_nan(""),            \
    .eps = 1e-4, .weight_decay = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_madgrad(...)                                                                                          \
    KN_F0O(kn_optim_madgrad, kn_optim_madgrad_opts, (.learning_rate = __builtin_nan(""), .momentum = 0.9, .eps = 1e-6, \
    ), __VA_ARGS__)
#define kn_optim_momo(...) KN_F0O(kn_optim_momo, kn_optim_momo_opts, (.learning_rate = 1, .beta = 0.9, ), __VA_ARGS__)
#define kn_optim_momo_adam(...)                                                                                        \
    KN_F0O(kn_optim_momo_adam, kn_optim_momo_adam_opts, (.learning_rate = 1e-2, .b1 = 0.9, .b2 = 0.999, .eps = 1e-8,   \
    ), __VA_ARGS__)
#define kn_optim_muon(...)                                                                                             \
    KN_F0O(kn_optim_muon, kn_optim_muon_opts, (.learning_rate = __builtin_nan(""), .ns_steps = 5, .beta = 0.95,        \
    .eps = 1e-8, .nesterov = true, .adam_b1 = 0.9, .adam_b2 = 0.999, .adam_learning_rate = __builtin_nan(""),          \
    .consistent_rms = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_prodigy(...)                                                                                          \
    KN_F0O(kn_optim_prodigy, kn_optim_prodigy_opts, (.learning_rate = 1, .b1 = 0.9, .b2 = 0.999,                       \
    .beta3 = __builtin_nan(""), .eps = 1e-8, .estim_lr0 = 1e-6, .estim_lr_coef = 1, ), __VA_ARGS__)
#define kn_optim_schedule_free_sgd(...)                                                                                \
    KN_F0O(kn_optim_schedule_free_sgd, kn_optim_schedule_free_sgd_opts, (.learning_rate = 1, .b1 = 0.9,                \
    .weight_decay = __builtin_nan(""), .weight_lr_power = 2, ), __VA_ARGS__)
#define kn_optim_schedule_free_adamw(...)                                                                              \
    KN_F0O(kn_optim_schedule_free_adamw, kn_optim_schedule_free_adamw_opts, (.learning_rate = 0.0025, .b1 = 0.9,       \
    .b2 = 0.999, .eps = 1e-8, .weight_lr_power = 2, ), __VA_ARGS__)
#define kn_optim_sophia(...)                                                                                           \
    KN_F0O(kn_optim_sophia, kn_optim_sophia_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.965, .b2 = 0.99,        \
    .eps = 1e-8, .gamma = 0.01, .clip_threshold = 1, .update_interval = 10, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_scale_by_acprop(...)                                                                                  \
    KN_F0O(kn_optim_scale_by_acprop, kn_optim_scale_by_acprop_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-16,             \
    .eps_root = 1e-16, ), __VA_ARGS__)
#define kn_optim_scale_by_ademamix(...)                                                                                \
    KN_F0O(kn_optim_scale_by_ademamix, kn_optim_scale_by_ademamix_opts, (.b1 = 0.9, .b2 = 0.999, .b3 = 0.9999,         \
    .alpha = 6, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_scale_by_simplified_ademamix(...)                                                                     \
    KN_F0O(kn_optim_scale_by_simplified_ademamix, kn_optim_scale_by_simplified_ademamix_opts, (.b1 = 0.99, .b2 = 0.95, \
    .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_scale_by_adopt(...)                                                                                   \
    KN_F0O(kn_optim_scale_by_adopt, kn_optim_scale_by_adopt_opts, (.b1 = 0.9, .b2 = 0.9999, .eps = 1e-6,               \
    .use_clipping = true, ), __VA_ARGS__)
#define kn_optim_scale_by_cocob(...)                                                                                   \
    KN_F0O(kn_optim_scale_by_cocob, kn_optim_scale_by_cocob_opts, (.alpha = 100, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_scale_by_madgrad(...)                                                                                 \
    KN_F0O(kn_optim_scale_by_madgrad, kn_optim_scale_by_madgrad_opts, (.learning_rate = __builtin_nan(""),             \
    .momentum = 0.9, .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_schedule_free(base_optimizer, ...)                                                                    \
    KN_G1O(kn_optim_schedule_free, kn_optim_schedule_free_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9,        \
    .weight_lr_power = 2, ), kn_optimizer, base_optimizer, __VA_ARGS__)
#define kn_optim_schedule_free_eval_params(state, params)                                                              \
    KN_G2(kn_optim_schedule_free_eval_params, kn_tree, state, kn_tree, params)
#define kn_optim_sam(optimizer, adv_optimizer, ...)                                                                    \
    KN_G2O(kn_optim_sam, kn_optim_sam_opts, (.sync_period = 2, .reset_state = true, ), kn_optimizer, optimizer,        \
    kn_optimizer, adv_optimizer, __VA_ARGS__)
#define kn_optim_normalize() (KN_HERE(), (kn_optim_normalize)())
#define kn_optim_reduce_on_plateau(...)                                                                                \
    KN_F0O(kn_optim_reduce_on_plateau, kn_optim_reduce_on_plateau_opts, (.factor = 0.1, .patience = 10, .rtol = 1e-4,  \
    .accumulation_size = 1, ), __VA_ARGS__)
#define kn_optim_partition(n, transforms, param_labels) KN_OPTIM_PARTITION_(__COUNTER__, n, transforms, param_labels)
#define KN_OPTIM_PARTITION_(c, n, transforms, param_labels)                                                            \
    __extension__({ KN_TAKE(int, 1, c, n) KN_TAKE(const kn_optimizer *, 2, c, transforms)                              \
    KN_TAKE(kn_tree, 3, c, param_labels) KN_HERE(); (kn_optim_partition)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_conditionally_mask(inner, ...)                                                                        \
    KN_G1O(kn_optim_conditionally_mask, kn_optim_conditionally_opts, (.to = INT64_MAX, .every = 1, ), kn_optimizer,    \
    inner, __VA_ARGS__)
#define kn_optim_conditionally_transform(inner, ...)                                                                   \
    KN_G1O(kn_optim_conditionally_transform, kn_optim_conditionally_opts, (.to = INT64_MAX, .every = 1, ),             \
    kn_optimizer, inner, __VA_ARGS__)
#define kn_optim_flatten(inner) KN_G1(kn_optim_flatten, kn_optimizer, inner)
#define kn_optim_hutchinson_estimator_diag_hessian(loss, params, key)                                                  \
    KN_OPTIM_HUTCHINSON_ESTIMATOR_DIAG_HESSIAN_(__COUNTER__, loss, params, key)
#define KN_OPTIM_HUTCHINSON_ESTIMATOR_DIAG_HESSIAN_(c, loss, params, key)                                              \
    __extension__({ KN_TAKE(kn_fn, 1, c, loss) KN_TAKE(kn_tree, 2, c, params) kn_array KN_V(3, c) = KN_LIKE(key);      \
    KN_HERE(); (kn_optim_hutchinson_estimator_diag_hessian)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_selective_transform(optimizer, freeze_mask)                                                           \
    KN_G2(kn_optim_selective_transform, kn_optimizer, optimizer, kn_tree, freeze_mask)
#define kn_optim_scale_by_muon(...)                                                                                    \
    KN_F0O(kn_optim_scale_by_muon, kn_optim_scale_by_muon_opts, (.ns_steps = 5, .beta = 0.95, .eps = 1e-8,             \
    .nesterov = true, ), __VA_ARGS__)
#endif
#endif
