/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/optimizers.h -- the optimizers of optax by their names. Each is a chain of the transformations in
 * kiln/optim/transforms.h; NULL with an error for options that make no sense.
 *
 * The learning rate has to be given where nothing else is said: a number, a schedule (.learning_rate_schedule, whose
 * step is counted in the state) or a 0-d array (.learning_rate_array). Another number compiles nothing anew. Weight
 * decay may be a schedule, too, and .mask is a tree of booleans, one per parameter (or one for all), that says what
 * decays (not given: all). The others are optax's, with its defaults. */
/* Made by scripts/make-api.py from api/optim/optimizers.api. */
/* clang-format off */
#ifndef KILN_OPTIM_OPTIMIZERS_H
#define KILN_OPTIM_OPTIMIZERS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_optim_sgd_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double momentum;                    /* NAN */
    bool nesterov;
} kn_optim_sgd_opts;
KN_API kn_optim_sgd_opts kn_optim_sgd_opts_default(void);
/* optax.sgd: p - rate g; momentum (not given: none): optax.trace */
KN_API kn_optimizer kn_optim_sgd(const kn_optim_sgd_opts *opts);
typedef struct kn_optim_adam_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double eps_root;
    bool nesterov;
} kn_optim_adam_opts;
KN_API kn_optim_adam_opts kn_optim_adam_opts_default(void);
KN_API kn_optimizer kn_optim_adam(const kn_optim_adam_opts *opts); /* optax.adam */
typedef struct kn_optim_nadam_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double eps_root;
} kn_optim_nadam_opts;
KN_API kn_optim_nadam_opts kn_optim_nadam_opts_default(void);
KN_API kn_optimizer kn_optim_nadam(const kn_optim_nadam_opts *opts); /* optax.nadam: adam with Nesterov's momentum */
typedef struct kn_optim_adamw_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double eps_root;
    double weight_decay;                /* 1e-4 */
    kn_schedule weight_decay_schedule;
    kn_tree mask;
    bool nesterov;
} kn_optim_adamw_opts;
KN_API kn_optim_adamw_opts kn_optim_adamw_opts_default(void);
KN_API kn_optimizer kn_optim_adamw(const kn_optim_adamw_opts *opts); /* optax.adamw: decoupled weight decay */
typedef struct kn_optim_nadamw_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double eps_root;
    double weight_decay;                /* 1e-4 */
    kn_schedule weight_decay_schedule;
    kn_tree mask;
} kn_optim_nadamw_opts;
KN_API kn_optim_nadamw_opts kn_optim_nadamw_opts_default(void);
KN_API kn_optimizer kn_optim_nadamw(const kn_optim_nadamw_opts *opts); /* optax.nadamw */
typedef struct kn_optim_adamax_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
} kn_optim_adamax_opts;
KN_API kn_optim_adamax_opts kn_optim_adamax_opts_default(void);
KN_API kn_optimizer kn_optim_adamax(const kn_optim_adamax_opts *opts); /* optax.adamax */
typedef struct kn_optim_adamaxw_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double weight_decay;                /* 1e-4 */
    kn_schedule weight_decay_schedule;
    kn_tree mask;
} kn_optim_adamaxw_opts;
KN_API kn_optim_adamaxw_opts kn_optim_adamaxw_opts_default(void);
KN_API kn_optimizer kn_optim_adamaxw(const kn_optim_adamaxw_opts *opts); /* optax.adamaxw */
typedef struct kn_optim_amsgrad_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double eps_root;
    bool bias_correction_mu;            /* true */
    bool bias_correction_nu;            /* true */
} kn_optim_amsgrad_opts;
KN_API kn_optim_amsgrad_opts kn_optim_amsgrad_opts_default(void);
KN_API kn_optimizer kn_optim_amsgrad(const kn_optim_amsgrad_opts *opts); /* optax.amsgrad */
typedef struct kn_optim_adabelief_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-16 */
    double eps_root;                    /* 1e-16 */
    bool nesterov;
} kn_optim_adabelief_opts;
KN_API kn_optim_adabelief_opts kn_optim_adabelief_opts_default(void);
KN_API kn_optimizer kn_optim_adabelief(const kn_optim_adabelief_opts *opts); /* optax.adabelief */
typedef struct kn_optim_adadelta_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double rho;                         /* 0.9 */
    double eps;                         /* 1e-6 */
    double weight_decay;
    kn_schedule weight_decay_schedule;
    kn_tree mask;
} kn_optim_adadelta_opts;
KN_API kn_optim_adadelta_opts kn_optim_adadelta_opts_default(void);
/* optax.adadelta: the learning rate may be left out */
KN_API kn_optimizer kn_optim_adadelta(const kn_optim_adadelta_opts *opts);
typedef struct kn_optim_adagrad_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double initial_accumulator_value;   /* 0.1 */
    double eps;                         /* 1e-7 */
} kn_optim_adagrad_opts;
KN_API kn_optim_adagrad_opts kn_optim_adagrad_opts_default(void);
KN_API kn_optimizer kn_optim_adagrad(const kn_optim_adagrad_opts *opts); /* optax.adagrad */
typedef struct kn_optim_adan_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.98 */
    double b2;                          /* 0.92 */
    double b3;                          /* 0.99 */
    double eps;                         /* 1e-8 */
    double eps_root;                    /* 1e-8 */
    double weight_decay;
    kn_schedule weight_decay_schedule;
    kn_tree mask;
} kn_optim_adan_opts;
KN_API kn_optim_adan_opts kn_optim_adan_opts_default(void);
KN_API kn_optimizer kn_optim_adan(const kn_optim_adan_opts *opts); /* optax.adan */
typedef struct kn_optim_adafactor_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    int64_t min_dim_size_to_factor;     /* 128 */
    double decay_rate;                  /* 0.8 */
    double decay_offset;
    bool multiply_by_parameter_scale;   /* true */
    double clipping_threshold;          /* 1 */
    double momentum;                    /* NAN */
    double weight_decay_rate;           /* NAN */
    kn_tree weight_decay_mask;
    double eps;                         /* 1e-30 */
    bool factored;                      /* true */
} kn_optim_adafactor_opts;
KN_API kn_optim_adafactor_opts kn_optim_adafactor_opts_default(void);
/* optax.adafactor: the learning rate may be left out; NAN: no clipping, momentum or weight decay */
KN_API kn_optimizer kn_optim_adafactor(const kn_optim_adafactor_opts *opts);
typedef struct kn_optim_rmsprop_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double decay;                       /* 0.9 */
    double eps;                         /* 1e-8 */
    double initial_scale;
    bool eps_in_sqrt;                   /* true */
    bool centered;
    double momentum;                    /* NAN */
    bool nesterov;
    bool bias_correction;
} kn_optim_rmsprop_opts;
KN_API kn_optim_rmsprop_opts kn_optim_rmsprop_opts_default(void);
KN_API kn_optimizer kn_optim_rmsprop(const kn_optim_rmsprop_opts *opts); /* optax.rmsprop: momentum: not given, none */
typedef struct kn_optim_rprop_opts {
    size_t size_;
    double learning_rate; /* NAN */
    double eta_minus;     /* 0.5 */
    double eta_plus;      /* 1.2 */
    double min_step_size; /* 1e-6 */
    double max_step_size; /* 50 */
} kn_optim_rprop_opts;
KN_API kn_optim_rprop_opts kn_optim_rprop_opts_default(void);
KN_API kn_optimizer kn_optim_rprop(const kn_optim_rprop_opts *opts); /* optax.rprop */
typedef struct kn_optim_lion_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.99 */
    double weight_decay;                /* 1e-3 */
    kn_schedule weight_decay_schedule;
    kn_tree mask;
} kn_optim_lion_opts;
KN_API kn_optim_lion_opts kn_optim_lion_opts_default(void);
KN_API kn_optimizer kn_optim_lion(const kn_optim_lion_opts *opts); /* optax.lion */
typedef struct kn_optim_lamb_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-6 */
    double eps_root;
    double weight_decay;
    kn_schedule weight_decay_schedule;
    kn_tree mask;
} kn_optim_lamb_opts;
KN_API kn_optim_lamb_opts kn_optim_lamb_opts_default(void);
KN_API kn_optimizer kn_optim_lamb(const kn_optim_lamb_opts *opts); /* optax.lamb */
typedef struct kn_optim_lars_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double weight_decay;
    kn_schedule weight_decay_schedule;
    kn_tree weight_decay_mask;
    double trust_coefficient;           /* 0.001 */
    double eps;
    kn_tree trust_ratio_mask;
    double momentum;                    /* 0.9 */
    bool nesterov;
} kn_optim_lars_opts;
KN_API kn_optim_lars_opts kn_optim_lars_opts_default(void);
KN_API kn_optimizer kn_optim_lars(const kn_optim_lars_opts *opts); /* optax.lars */
typedef struct kn_optim_radam_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-8 */
    double eps_root;
    double threshold;                   /* 5 */
    bool nesterov;
} kn_optim_radam_opts;
KN_API kn_optim_radam_opts kn_optim_radam_opts_default(void);
KN_API kn_optimizer kn_optim_radam(const kn_optim_radam_opts *opts); /* optax.radam */
typedef struct kn_optim_yogi_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.999 */
    double eps;                         /* 1e-3 */
} kn_optim_yogi_opts;
KN_API kn_optim_yogi_opts kn_optim_yogi_opts_default(void);
KN_API kn_optimizer kn_optim_yogi(const kn_optim_yogi_opts *opts); /* optax.yogi */
typedef struct kn_optim_novograd_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double b1;                          /* 0.9 */
    double b2;                          /* 0.25 */
    double eps;                         /* 1e-6 */
    double eps_root;
    double weight_decay;
} kn_optim_novograd_opts;
KN_API kn_optim_novograd_opts kn_optim_novograd_opts_default(void);
KN_API kn_optimizer kn_optim_novograd(const kn_optim_novograd_opts *opts); /* optax.novograd */
typedef struct kn_optim_fromage_opts {
    size_t size_;
    double learning_rate; /* NAN */
    double min_norm;      /* 1e-6 */
} kn_optim_fromage_opts;
KN_API kn_optim_fromage_opts kn_optim_fromage_opts_default(void);
KN_API kn_optimizer kn_optim_fromage(const kn_optim_fromage_opts *opts); /* optax.fromage */
typedef struct kn_optim_sm3_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double momentum;                    /* 0.9 */
} kn_optim_sm3_opts;
KN_API kn_optim_sm3_opts kn_optim_sm3_opts_default(void);
KN_API kn_optimizer kn_optim_sm3(const kn_optim_sm3_opts *opts); /* optax.sm3 */
typedef struct kn_optim_sign_sgd_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
} kn_optim_sign_sgd_opts;
KN_API kn_optim_sign_sgd_opts kn_optim_sign_sgd_opts_default(void);
KN_API kn_optimizer kn_optim_sign_sgd(const kn_optim_sign_sgd_opts *opts); /* optax.sign_sgd */
typedef struct kn_optim_signum_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double beta;                        /* 0.9 */
} kn_optim_signum_opts;
KN_API kn_optim_signum_opts kn_optim_signum_opts_default(void);
KN_API kn_optimizer kn_optim_signum(const kn_optim_signum_opts *opts); /* optax.signum */
typedef struct kn_optim_noisy_sgd_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double eta;                         /* 0.01 */
    double gamma;                       /* 0.55 */
    int64_t seed;
} kn_optim_noisy_sgd_opts;
KN_API kn_optim_noisy_sgd_opts kn_optim_noisy_sgd_opts_default(void);
/* optax.noisy_sgd: noise of kn_random_key(seed) */
KN_API kn_optimizer kn_optim_noisy_sgd(const kn_optim_noisy_sgd_opts *opts);
typedef struct kn_optim_optimistic_gradient_descent_opts {
    size_t size_;
    double learning_rate;               /* NAN */
    kn_schedule learning_rate_schedule;
    kn_array learning_rate_array;
    double alpha;                       /* 1 */
    double beta;                        /* 1 */
} kn_optim_optimistic_gradient_descent_opts;
KN_API kn_optim_optimistic_gradient_descent_opts kn_optim_optimistic_gradient_descent_opts_default(void);
/* optax.optimistic_gradient_descent */
KN_API kn_optimizer kn_optim_optimistic_gradient_descent(const kn_optim_optimistic_gradient_descent_opts *opts);
typedef struct kn_optim_polyak_sgd_opts {
    size_t size_;
    double max_learning_rate; /* 1 */
    double scaling;           /* 1 */
    double f_min;
    double eps;
    /* "sps": sps or sps+. Defaults: max_learning_rate 1, scaling 1, f_min 0, eps 0, variant {"sps" | "sps+"} "sps" */
    const char *variant;
} kn_optim_polyak_sgd_opts;
KN_API kn_optim_polyak_sgd_opts kn_optim_polyak_sgd_opts_default(void);
/* optax.polyak_sgd: the steps need .value = the loss */
KN_API kn_optimizer kn_optim_polyak_sgd(const kn_optim_polyak_sgd_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_sgd(...)                                                                                              \
    KN_F0O(kn_optim_sgd, kn_optim_sgd_opts, (.learning_rate = __builtin_nan(""), .momentum = __builtin_nan(""), ),     \
    __VA_ARGS__)
#define kn_optim_adam(...)                                                                                             \
    KN_F0O(kn_optim_adam, kn_optim_adam_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,             \
    .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_nadam(...)                                                                                            \
    KN_F0O(kn_optim_nadam, kn_optim_nadam_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,           \
    .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_adamw(...)                                                                                            \
    KN_F0O(kn_optim_adamw, kn_optim_adamw_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,           \
    .eps = 1e-8, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_nadamw(...)                                                                                           \
    KN_F0O(kn_optim_nadamw, kn_optim_nadamw_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,         \
    .eps = 1e-8, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_adamax(...)                                                                                           \
    KN_F0O(kn_optim_adamax, kn_optim_adamax_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,         \
    .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_adamaxw(...)                                                                                          \
    KN_F0O(kn_optim_adamaxw, kn_optim_adamaxw_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,       \
    .eps = 1e-8, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_amsgrad(...)                                                                                          \
    KN_F0O(kn_optim_amsgrad, kn_optim_amsgrad_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,       \
    .eps = 1e-8, .bias_correction_mu = true, .bias_correction_nu = true, ), __VA_ARGS__)
#define kn_optim_adabelief(...)                                                                                        \
    KN_F0O(kn_optim_adabelief, kn_optim_adabelief_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,   \
    .eps = 1e-16, .eps_root = 1e-16, ), __VA_ARGS__)
#define kn_optim_adadelta(...)                                                                                         \
    KN_F0O(kn_optim_adadelta, kn_optim_adadelta_opts, (.learning_rate = __builtin_nan(""), .rho = 0.9, .eps = 1e-6, ), \
    __VA_ARGS__)
#define kn_optim_adagrad(...)                                                                                          \
    KN_F0O(kn_optim_adagrad, kn_optim_adagrad_opts, (.learning_rate = __builtin_nan(""),                               \
    .initial_accumulator_value = 0.1, .eps = 1e-7, ), __VA_ARGS__)
#define kn_optim_adan(...)                                                                                             \
    KN_F0O(kn_optim_adan, kn_optim_adan_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.98, .b2 = 0.92, .b3 = 0.99, \
    .eps = 1e-8, .eps_root = 1e-8, ), __VA_ARGS__)
#define kn_optim_adafactor(...)                                                                                        \
    KN_F0O(kn_optim_adafactor, kn_optim_adafactor_opts, (.learning_rate = __builtin_nan(""),                           \
    .min_dim_size_to_factor = 128, .decay_rate = 0.8, .multiply_by_parameter_scale = true, .clipping_threshold = 1,    \
    .momentum = __builtin_nan(""), .weight_decay_rate = __builtin_nan(""), .eps = 1e-30, .factored = true, ),          \
    __VA_ARGS__)
#define kn_optim_rmsprop(...)                                                                                          \
    KN_F0O(kn_optim_rmsprop, kn_optim_rmsprop_opts, (.learning_rate = __builtin_nan(""), .decay = 0.9, .eps = 1e-8,    \
    .eps_in_sqrt = true, .momentum = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_rprop(...)                                                                                            \
    KN_F0O(kn_optim_rprop, kn_optim_rprop_opts, (.learning_rate = __builtin_nan(""), .eta_minus = 0.5,                 \
    .eta_plus = 1.2, .min_step_size = 1e-6, .max_step_size = 50, ), __VA_ARGS__)
#define kn_optim_lion(...)                                                                                             \
    KN_F0O(kn_optim_lion, kn_optim_lion_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.99,              \
    .weight_decay = 1e-3, ), __VA_ARGS__)
#define kn_optim_lamb(...)                                                                                             \
    KN_F0O(kn_optim_lamb, kn_optim_lamb_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,             \
    .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_lars(...)                                                                                             \
    KN_F0O(kn_optim_lars, kn_optim_lars_opts, (.learning_rate = __builtin_nan(""), .trust_coefficient = 0.001,         \
    .momentum = 0.9, ), __VA_ARGS__)
#define kn_optim_radam(...)                                                                                            \
    KN_F0O(kn_optim_radam, kn_optim_radam_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,           \
    .eps = 1e-8, .threshold = 5, ), __VA_ARGS__)
#define kn_optim_yogi(...)                                                                                             \
    KN_F0O(kn_optim_yogi, kn_optim_yogi_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999,             \
    .eps = 1e-3, ), __VA_ARGS__)
#define kn_optim_novograd(...)                                                                                         \
    KN_F0O(kn_optim_novograd, kn_optim_novograd_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.25,      \
    .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_fromage(...)                                                                                          \
    KN_F0O(kn_optim_fromage, kn_optim_fromage_opts, (.learning_rate = __builtin_nan(""), .min_norm = 1e-6, ),          \
    __VA_ARGS__)
#define kn_optim_sm3(...)                                                                                              \
    KN_F0O(kn_optim_sm3, kn_optim_sm3_opts, (.learning_rate = __builtin_nan(""), .momentum = 0.9, ), __VA_ARGS__)
#define kn_optim_sign_sgd(...)                                                                                         \
    KN_F0O(kn_optim_sign_sgd, kn_optim_sign_sgd_opts, (.learning_rate = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_signum(...)                                                                                           \
    KN_F0O(kn_optim_signum, kn_optim_signum_opts, (.learning_rate = __builtin_nan(""), .beta = 0.9, ), __VA_ARGS__)
#define kn_optim_noisy_sgd(...)                                                                                        \
    KN_F0O(kn_optim_noisy_sgd, kn_optim_noisy_sgd_opts, (.learning_rate = __builtin_nan(""), .eta = 0.01,              \
    .gamma = 0.55, ), __VA_ARGS__)
#define kn_optim_optimistic_gradient_descent(...)                                                                      \
    KN_F0O(kn_optim_optimistic_gradient_descent, kn_optim_optimistic_gradient_descent_opts,                            \
    (.learning_rate = __builtin_nan(""), .alpha = 1, .beta = 1, ), __VA_ARGS__)
#define kn_optim_polyak_sgd(...)                                                                                       \
    KN_F0O(kn_optim_polyak_sgd, kn_optim_polyak_sgd_opts, (.max_learning_rate = 1, .scaling = 1, .variant = "sps", ),  \
    __VA_ARGS__)
#endif
#endif
