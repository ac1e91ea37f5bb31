/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/scales.h -- more transformations of optax that scale updates by their history: what the optimizers of
 * kiln/optim/optimizers.h are made of, each as a kn_optimizer of its own, without a learning rate. */
/* Made by scripts/make-api.py from api/optim/scales.api. */
/* clang-format off */
#ifndef KILN_OPTIM_SCALES_H
#define KILN_OPTIM_SCALES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_optim_scale_by_adadelta_opts {
    size_t size_;
    double rho;   /* 0.9: what is kept of the means of squares */
    double eps;   /* 1e-6: added below both roots */
} kn_optim_scale_by_adadelta_opts;
KN_API kn_optim_scale_by_adadelta_opts kn_optim_scale_by_adadelta_opts_default(void);
/* optax.scale_by_adadelta: updates as adadelta makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_adadelta(const kn_optim_scale_by_adadelta_opts *opts);
typedef struct kn_optim_scale_by_adamax_opts {
    size_t size_;
    double b1;    /* 0.9: what is kept of the mean of gradients at each step */
    double b2;    /* 0.999: what is kept of the mean of squares at each step */
    double eps;   /* 1e-8: added to the root that is the divisor */
} kn_optim_scale_by_adamax_opts;
KN_API kn_optim_scale_by_adamax_opts kn_optim_scale_by_adamax_opts_default(void);
/* optax.scale_by_adamax: updates as adamax makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_adamax(const kn_optim_scale_by_adamax_opts *opts);
typedef struct kn_optim_scale_by_adan_opts {
    size_t size_;
    double b1;       /* 0.98: of the mean of gradients */
    double b2;       /* 0.92: of the mean of their changes */
    double b3;       /* 0.99: of the mean of squares */
    double eps;      /* 1e-8: added to the root that is the divisor */
    double eps_root; /* added below the root */
} kn_optim_scale_by_adan_opts;
KN_API kn_optim_scale_by_adan_opts kn_optim_scale_by_adan_opts_default(void);
/* optax.scale_by_adan: updates as adan makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_adan(const kn_optim_scale_by_adan_opts *opts);
typedef struct kn_optim_scale_by_amsgrad_opts {
    size_t size_;
    double b1;               /* 0.9: what is kept of the mean of gradients at each step */
    double b2;               /* 0.999: what is kept of the mean of squares at each step */
    double eps;              /* 1e-8: added to the root that is the divisor */
    double eps_root;         /* added below the root */
    bool bias_correction_mu; /* true: the mean of gradients is without bias */
    bool bias_correction_nu; /* true: so is that of squares */
} kn_optim_scale_by_amsgrad_opts;
KN_API kn_optim_scale_by_amsgrad_opts kn_optim_scale_by_amsgrad_opts_default(void);
/* optax.scale_by_amsgrad: updates as amsgrad makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_amsgrad(const kn_optim_scale_by_amsgrad_opts *opts);
typedef struct kn_optim_scale_by_belief_opts {
    size_t size_;
    double b1;       /* 0.9: what is kept of the mean of gradients at each step */
    double b2;       /* 0.999: what is kept of the mean of squares at each step */
    double eps;      /* 1e-16: added to the root that is the divisor */
    double eps_root; /* 1e-16: added below the root */
    bool nesterov;   /* look one step ahead */
} kn_optim_scale_by_belief_opts;
KN_API kn_optim_scale_by_belief_opts kn_optim_scale_by_belief_opts_default(void);
/* optax.scale_by_belief: updates as adabelief makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_belief(const kn_optim_scale_by_belief_opts *opts);
typedef struct kn_optim_scale_by_distance_over_gradients_opts {
    size_t size_;
    double reps_rel;     /* 1e-6: the first distance, relative to 1 + the norm of the parameter */
    double eps;          /* 1e-8: added below the root */
    double global_scale; /* 1: times each update */
} kn_optim_scale_by_distance_over_gradients_opts;
KN_API kn_optim_scale_by_distance_over_gradients_opts kn_optim_scale_by_distance_over_gradients_opts_default(void);
/* optax.scale_by_distance_over_gradients: each parameter's updates times its largest distance from where it began,
 * over the root of the sum of its gradients' squares (Ivgi et al. 2023): no rate has to be found */
KN_API kn_optimizer
    kn_optim_scale_by_distance_over_gradients(const kn_optim_scale_by_distance_over_gradients_opts *opts);
typedef struct kn_optim_scale_by_factored_rms_opts {
    size_t size_;
    bool factored;                  /* true: large matrices keep the means of their rows and columns alone */
    double decay_rate;              /* 0.8: the exponent of the decay */
    int64_t step_offset;            /* steps that were taken before */
    int64_t min_dim_size_to_factor; /* 128: smaller extents are not factored */
    double epsilon;                 /* 1e-30: added to squares */
} kn_optim_scale_by_factored_rms_opts;
KN_API kn_optim_scale_by_factored_rms_opts kn_optim_scale_by_factored_rms_opts_default(void);
/* optax.scale_by_factored_rms: gradients divided by the root of the mean of their squares, which for large matrices
 * is a product of a column and a row (adafactor) */
KN_API kn_optimizer kn_optim_scale_by_factored_rms(const kn_optim_scale_by_factored_rms_opts *opts);
typedef struct kn_optim_scale_by_novograd_opts {
    size_t size_;
    double b1;           /* 0.9: what is kept of the mean of gradients at each step */
    double b2;           /* 0.25: what is kept of the square of the norm */
    double eps;          /* 1e-8: added to the root that is the divisor */
    double eps_root;     /* added below the root */
    double weight_decay; /* times the parameter, added to its step */
} kn_optim_scale_by_novograd_opts;
KN_API kn_optim_scale_by_novograd_opts kn_optim_scale_by_novograd_opts_default(void);
/* optax.scale_by_novograd: updates as novograd makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_novograd(const kn_optim_scale_by_novograd_opts *opts);
typedef struct kn_optim_scale_by_optimistic_gradient_opts {
    size_t size_;
    double alpha; /* 1: weight of the gradient */
    double beta;  /* 1: weight of its change since the step before */
} kn_optim_scale_by_optimistic_gradient_opts;
KN_API kn_optim_scale_by_optimistic_gradient_opts kn_optim_scale_by_optimistic_gradient_opts_default(void);
/* optax.scale_by_optimistic_gradient: (alpha + beta) g - beta g of the step before (Mokhtari et al. 2019) */
KN_API kn_optimizer kn_optim_scale_by_optimistic_gradient(const kn_optim_scale_by_optimistic_gradient_opts *opts);
typedef struct kn_optim_scale_by_polyak_opts {
    size_t size_;
    double f_min;             /* the smallest value that the loss can have */
    double max_learning_rate; /* 1: the largest step */
    double eps;               /* added to the square of the gradient */
    const char *variant;      /* "sps"; or "sps+" */
} kn_optim_scale_by_polyak_opts;
KN_API kn_optim_scale_by_polyak_opts kn_optim_scale_by_polyak_opts_default(void);
/* optax.scale_by_polyak: updates times Polyak's step (loss - f_min) / |g|^2, at most max_learning_rate; the loss is
 * .value of kn_optim_update */
KN_API kn_optimizer kn_optim_scale_by_polyak(const kn_optim_scale_by_polyak_opts *opts);
typedef struct kn_optim_scale_by_radam_opts {
    size_t size_;
    double b1;        /* 0.9: what is kept of the mean of gradients at each step */
    double b2;        /* 0.999: what is kept of the mean of squares at each step */
    double eps;       /* 1e-8: added to the root that is the divisor */
    double eps_root;  /* added below the root */
    double threshold; /* 5: of the variance, from which it is rectified */
    bool nesterov;    /* look one step ahead */
} kn_optim_scale_by_radam_opts;
KN_API kn_optim_scale_by_radam_opts kn_optim_scale_by_radam_opts_default(void);
/* optax.scale_by_radam: updates as radam makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_radam(const kn_optim_scale_by_radam_opts *opts);
typedef struct kn_optim_scale_by_rprop_opts {
    size_t size_;
    double learning_rate; /* NAN: has to be given: the first step of each element */
    double eta_minus;     /* 0.5: times the step where the sign of the gradient changes */
    double eta_plus;      /* 1.2: times the step where it stays */
    double min_step_size; /* 1e-6: no shorter */
    double max_step_size; /* 50: no longer */
} kn_optim_scale_by_rprop_opts;
KN_API kn_optim_scale_by_rprop_opts kn_optim_scale_by_rprop_opts_default(void);
/* optax.scale_by_rprop: a step size for each element, which grows while the gradient's sign stays, times that sign */
KN_API kn_optimizer kn_optim_scale_by_rprop(const kn_optim_scale_by_rprop_opts *opts);
typedef struct kn_optim_scale_by_sm3_opts {
    size_t size_;
    double b1;    /* 0.9: what is kept of the mean of gradients at each step */
    double b2;    /* 1: what is kept of the accumulators */
    double eps;   /* 1e-8: added to the root that is the divisor */
} kn_optim_scale_by_sm3_opts;
KN_API kn_optim_scale_by_sm3_opts kn_optim_scale_by_sm3_opts_default(void);
/* optax.scale_by_sm3: updates as sm3 makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_sm3(const kn_optim_scale_by_sm3_opts *opts);
typedef struct kn_optim_scale_by_stddev_opts {
    size_t size_;
    double decay;         /* 0.9: what is kept of both means */
    double eps;           /* 1e-8: added to the variance, or to its root */
    double initial_scale; /* of the mean of squares */
    bool eps_in_sqrt;     /* true: eps is below the root */
    bool bias_correction; /* both means are without bias */
} kn_optim_scale_by_stddev_opts;
KN_API kn_optim_scale_by_stddev_opts kn_optim_scale_by_stddev_opts_default(void);
/* optax.scale_by_stddev: gradients divided by the standard deviation that they have had of late */
KN_API kn_optimizer kn_optim_scale_by_stddev(const kn_optim_scale_by_stddev_opts *opts);
typedef struct kn_optim_scale_by_yogi_opts {
    size_t size_;
    double b1;                        /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                        /* 0.999: what is kept of the mean of squares at each step */
    double eps;                       /* 1e-3: added to the root that is the divisor */
    double eps_root;                  /* added below the root */
    double initial_accumulator_value; /* 1e-6: both means begin with */
} kn_optim_scale_by_yogi_opts;
KN_API kn_optim_scale_by_yogi_opts kn_optim_scale_by_yogi_opts_default(void);
/* optax.scale_by_yogi: updates as yogi makes them, without a rate */
KN_API kn_optimizer kn_optim_scale_by_yogi(const kn_optim_scale_by_yogi_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_scale_by_adadelta(...)                                                                                \
    KN_F0O(kn_optim_scale_by_adadelta, kn_optim_scale_by_adadelta_opts, (.rho = 0.9, .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_scale_by_adamax(...)                                                                                  \
    KN_F0O(kn_optim_scale_by_adamax, kn_optim_scale_by_adamax_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-8, ),           \
    __VA_ARGS__)
#define kn_optim_scale_by_adan(...)                                                                                    \
    KN_F0O(kn_optim_scale_by_adan, kn_optim_scale_by_adan_opts, (.b1 = 0.98, .b2 = 0.92, .b3 = 0.99, .eps = 1e-8, ),   \
    __VA_ARGS__)
#define kn_optim_scale_by_amsgrad(...)                                                                                 \
    KN_F0O(kn_optim_scale_by_amsgrad, kn_optim_scale_by_amsgrad_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-8,            \
    .bias_correction_mu = true, .bias_correction_nu = true, ), __VA_ARGS__)
#define kn_optim_scale_by_belief(...)                                                                                  \
    KN_F0O(kn_optim_scale_by_belief, kn_optim_scale_by_belief_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-16,             \
    .eps_root = 1e-16, ), __VA_ARGS__)
#define kn_optim_scale_by_distance_over_gradients(...)                                                                 \
    KN_F0O(kn_optim_scale_by_distance_over_gradients, kn_optim_scale_by_distance_over_gradients_opts,                  \
    (.reps_rel = 1e-6, .eps = 1e-8, .global_scale = 1, ), __VA_ARGS__)
#define kn_optim_scale_by_factored_rms(...)                                                                            \
    KN_F0O(kn_optim_scale_by_factored_rms, kn_optim_scale_by_factored_rms_opts, (.factored = true, .decay_rate = 0.8,  \
    .min_dim_size_to_factor = 128, .epsilon = 1e-30, ), __VA_ARGS__)
#define kn_optim_scale_by_novograd(...)                                                                                \
    KN_F0O(kn_optim_scale_by_novograd, kn_optim_scale_by_novograd_opts, (.b1 = 0.9, .b2 = 0.25, .eps = 1e-8, ),        \
    __VA_ARGS__)
#define kn_optim_scale_by_optimistic_gradient(...)                                                                     \
    KN_F0O(kn_optim_scale_by_optimistic_gradient, kn_optim_scale_by_optimistic_gradient_opts, (.alpha = 1, .beta = 1,  \
    ), __VA_ARGS__)
#define kn_optim_scale_by_polyak(...)                                                                                  \
    KN_F0O(kn_optim_scale_by_polyak, kn_optim_scale_by_polyak_opts, (.max_learning_rate = 1, .variant = "sps", ),      \
    __VA_ARGS__)
#define kn_optim_scale_by_radam(...)                                                                                   \
    KN_F0O(kn_optim_scale_by_radam, kn_optim_scale_by_radam_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-8,                \
    .threshold = 5, ), __VA_ARGS__)
#define kn_optim_scale_by_rprop(...)                                                                                   \
    KN_F0O(kn_optim_scale_by_rprop, kn_optim_scale_by_rprop_opts, (.learning_rate = __builtin_nan(""),                 \
    .eta_minus = 0.5, .eta_plus = 1.2, .min_step_size = 1e-6, .max_step_size = 50, ), __VA_ARGS__)
#define kn_optim_scale_by_sm3(...)                                                                                     \
    KN_F0O(kn_optim_scale_by_sm3, kn_optim_scale_by_sm3_opts, (.b1 = 0.9, .b2 = 1, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_scale_by_stddev(...)                                                                                  \
    KN_F0O(kn_optim_scale_by_stddev, kn_optim_scale_by_stddev_opts, (.decay = 0.9, .eps = 1e-8, .eps_in_sqrt = true,   \
    ), __VA_ARGS__)
#define kn_optim_scale_by_yogi(...)                                                                                    \
    KN_F0O(kn_optim_scale_by_yogi, kn_optim_scale_by_yogi_opts, (.b1 = 0.9, .b2 = 0.999, .eps = 1e-3,                  \
    .initial_accumulator_value = 1e-6, ), __VA_ARGS__)
#endif
#endif
