/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/optimizers.h -- the optimizers of optax by their names. Each is a chain of the transformations in
 * kiln/optim/transforms.h; NULL with an error for options that make no sense.
 *
 * The learning rate has to be given where nothing else is said: a number, a schedule (.learning_rate_schedule, whose
 * step is counted in the state) or a 0-d array (.learning_rate_array). Another number compiles nothing anew. Weight
 * decay may be a schedule, too, and .mask is a tree of booleans, one per parameter (or one for all), that says what
 * decays (not given: all). The others are optax's, with its defaults. */
#ifndef KILN_OPTIM_OPTIMIZERS_H
#define KILN_OPTIM_OPTIMIZERS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* optax.sgd: p - rate g; momentum (not given: none): optax.trace */
typedef struct kn_optim_sgd_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double momentum; bool nesterov;
} kn_optim_sgd_opts;
KN_API kn_optim_sgd_opts kn_optim_sgd_opts_default(void);
KN_API kn_optimizer kn_optim_sgd(const kn_optim_sgd_opts *opts);
/* optax.adam. Defaults: b1 0.9, b2 0.999, eps 1e-8, eps_root 0 */
typedef struct kn_optim_adam_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root; bool nesterov;
} kn_optim_adam_opts;
KN_API kn_optim_adam_opts kn_optim_adam_opts_default(void);
KN_API kn_optimizer kn_optim_adam(const kn_optim_adam_opts *opts);
/* optax.nadam: adam with Nesterov's momentum. Defaults: b1 0.9, b2 0.999, eps 1e-8, eps_root 0 */
typedef struct kn_optim_nadam_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root;
} kn_optim_nadam_opts;
KN_API kn_optim_nadam_opts kn_optim_nadam_opts_default(void);
KN_API kn_optimizer kn_optim_nadam(const kn_optim_nadam_opts *opts);
/* optax.adamw: decoupled weight decay. Defaults: b1 0.9, b2 0.999, eps 1e-8, eps_root 0, weight_decay 1e-4 */
typedef struct kn_optim_adamw_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask; bool nesterov;
} kn_optim_adamw_opts;
KN_API kn_optim_adamw_opts kn_optim_adamw_opts_default(void);
KN_API kn_optimizer kn_optim_adamw(const kn_optim_adamw_opts *opts);
/* optax.nadamw. Defaults: b1 0.9, b2 0.999, eps 1e-8, eps_root 0, weight_decay 1e-4 */
typedef struct kn_optim_nadamw_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_nadamw_opts;
KN_API kn_optim_nadamw_opts kn_optim_nadamw_opts_default(void);
KN_API kn_optimizer kn_optim_nadamw(const kn_optim_nadamw_opts *opts);
/* optax.adamax. Defaults: b1 0.9, b2 0.999, eps 1e-8 */
typedef struct kn_optim_adamax_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps;
} kn_optim_adamax_opts;
KN_API kn_optim_adamax_opts kn_optim_adamax_opts_default(void);
KN_API kn_optimizer kn_optim_adamax(const kn_optim_adamax_opts *opts);
/* optax.adamaxw. Defaults: b1 0.9, b2 0.999, eps 1e-8, weight_decay 1e-4 */
typedef struct kn_optim_adamaxw_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_adamaxw_opts;
KN_API kn_optim_adamaxw_opts kn_optim_adamaxw_opts_default(void);
KN_API kn_optimizer kn_optim_adamaxw(const kn_optim_adamaxw_opts *opts);
/* optax.amsgrad. Defaults: b1 0.9, b2 0.999, eps 1e-8, eps_root 0, bias_correction_mu true, bias_correction_nu true
 * */
typedef struct kn_optim_amsgrad_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root; bool bias_correction_mu, bias_correction_nu;
} kn_optim_amsgrad_opts;
KN_API kn_optim_amsgrad_opts kn_optim_amsgrad_opts_default(void);
KN_API kn_optimizer kn_optim_amsgrad(const kn_optim_amsgrad_opts *opts);
/* optax.adabelief. Defaults: b1 0.9, b2 0.999, eps 1e-16, eps_root 1e-16 */
typedef struct kn_optim_adabelief_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root; bool nesterov;
} kn_optim_adabelief_opts;
KN_API kn_optim_adabelief_opts kn_optim_adabelief_opts_default(void);
KN_API kn_optimizer kn_optim_adabelief(const kn_optim_adabelief_opts *opts);
/* optax.adadelta: the learning rate may be left out. Defaults: rho 0.9, eps 1e-6, weight_decay 0 */
typedef struct kn_optim_adadelta_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double rho, eps, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_adadelta_opts;
KN_API kn_optim_adadelta_opts kn_optim_adadelta_opts_default(void);
KN_API kn_optimizer kn_optim_adadelta(const kn_optim_adadelta_opts *opts);
/* optax.adagrad. Defaults: initial_accumulator_value 0.1, eps 1e-7 */
typedef struct kn_optim_adagrad_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double initial_accumulator_value, eps;
} kn_optim_adagrad_opts;
KN_API kn_optim_adagrad_opts kn_optim_adagrad_opts_default(void);
KN_API kn_optimizer kn_optim_adagrad(const kn_optim_adagrad_opts *opts);
/* optax.adan. Defaults: b1 0.98, b2 0.92, b3 0.99, eps 1e-8, eps_root 1e-8, weight_decay 0 */
typedef struct kn_optim_adan_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, b3, eps, eps_root, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_adan_opts;
KN_API kn_optim_adan_opts kn_optim_adan_opts_default(void);
KN_API kn_optimizer kn_optim_adan(const kn_optim_adan_opts *opts);
/* optax.adafactor: the learning rate may be left out; NAN: no clipping, momentum or weight decay. Defaults:
 * min_dim_size_to_factor 128, decay_rate 0.8, decay_offset 0, multiply_by_parameter_scale true, clipping_threshold 1,
 * eps 1e-30, factored true */
typedef struct kn_optim_adafactor_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    int64_t min_dim_size_to_factor; double decay_rate, decay_offset; bool multiply_by_parameter_scale;
    double clipping_threshold, momentum, weight_decay_rate; kn_tree weight_decay_mask; double eps; bool factored;
} kn_optim_adafactor_opts;
KN_API kn_optim_adafactor_opts kn_optim_adafactor_opts_default(void);
KN_API kn_optimizer kn_optim_adafactor(const kn_optim_adafactor_opts *opts);
/* optax.rmsprop: momentum: not given, none. Defaults: decay 0.9, eps 1e-8, initial_scale 0, eps_in_sqrt true */
typedef struct kn_optim_rmsprop_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double decay, eps, initial_scale; bool eps_in_sqrt, centered; double momentum; bool nesterov, bias_correction;
} kn_optim_rmsprop_opts;
KN_API kn_optim_rmsprop_opts kn_optim_rmsprop_opts_default(void);
KN_API kn_optimizer kn_optim_rmsprop(const kn_optim_rmsprop_opts *opts);
/* optax.rprop. Defaults: eta_minus 0.5, eta_plus 1.2, min_step_size 1e-6, max_step_size 50 */
typedef struct kn_optim_rprop_opts {
    size_t size_; double learning_rate, eta_minus, eta_plus, min_step_size, max_step_size;
} kn_optim_rprop_opts;
KN_API kn_optim_rprop_opts kn_optim_rprop_opts_default(void);
KN_API kn_optimizer kn_optim_rprop(const kn_optim_rprop_opts *opts);
/* optax.lion. Defaults: b1 0.9, b2 0.99, weight_decay 1e-3 */
typedef struct kn_optim_lion_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_lion_opts;
KN_API kn_optim_lion_opts kn_optim_lion_opts_default(void);
KN_API kn_optimizer kn_optim_lion(const kn_optim_lion_opts *opts);
/* optax.lamb. Defaults: b1 0.9, b2 0.999, eps 1e-6, eps_root 0, weight_decay 0 */
typedef struct kn_optim_lamb_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root, weight_decay; kn_schedule weight_decay_schedule; kn_tree mask;
} kn_optim_lamb_opts;
KN_API kn_optim_lamb_opts kn_optim_lamb_opts_default(void);
KN_API kn_optimizer kn_optim_lamb(const kn_optim_lamb_opts *opts);
/* optax.lars. Defaults: weight_decay 0, trust_coefficient 0.001, eps 0, momentum 0.9 */
typedef struct kn_optim_lars_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double weight_decay; kn_schedule weight_decay_schedule; kn_tree weight_decay_mask; double trust_coefficient, eps;
    kn_tree trust_ratio_mask; double momentum; bool nesterov;
} kn_optim_lars_opts;
KN_API kn_optim_lars_opts kn_optim_lars_opts_default(void);
KN_API kn_optimizer kn_optim_lars(const kn_optim_lars_opts *opts);
/* optax.radam. Defaults: b1 0.9, b2 0.999, eps 1e-8, eps_root 0, threshold 5 */
typedef struct kn_optim_radam_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root, threshold; bool nesterov;
} kn_optim_radam_opts;
KN_API kn_optim_radam_opts kn_optim_radam_opts_default(void);
KN_API kn_optimizer kn_optim_radam(const kn_optim_radam_opts *opts);
/* optax.yogi. Defaults: b1 0.9, b2 0.999, eps 1e-3 */
typedef struct kn_optim_yogi_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps;
} kn_optim_yogi_opts;
KN_API kn_optim_yogi_opts kn_optim_yogi_opts_default(void);
KN_API kn_optimizer kn_optim_yogi(const kn_optim_yogi_opts *opts);
/* optax.novograd. Defaults: b1 0.9, b2 0.25, eps 1e-6, eps_root 0, weight_decay 0 */
typedef struct kn_optim_novograd_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double b1, b2, eps, eps_root, weight_decay;
} kn_optim_novograd_opts;
KN_API kn_optim_novograd_opts kn_optim_novograd_opts_default(void);
KN_API kn_optimizer kn_optim_novograd(const kn_optim_novograd_opts *opts);
/* optax.fromage. Defaults: min_norm 1e-6 */
typedef struct kn_optim_fromage_opts { size_t size_; double learning_rate, min_norm; } kn_optim_fromage_opts;
KN_API kn_optim_fromage_opts kn_optim_fromage_opts_default(void);
KN_API kn_optimizer kn_optim_fromage(const kn_optim_fromage_opts *opts);
/* optax.sm3. Defaults: momentum 0.9 */
typedef struct kn_optim_sm3_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double momentum;
} kn_optim_sm3_opts;
KN_API kn_optim_sm3_opts kn_optim_sm3_opts_default(void);
KN_API kn_optimizer kn_optim_sm3(const kn_optim_sm3_opts *opts);
/* optax.sign_sgd */
typedef struct kn_optim_sign_sgd_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
} kn_optim_sign_sgd_opts;
KN_API kn_optim_sign_sgd_opts kn_optim_sign_sgd_opts_default(void);
KN_API kn_optimizer kn_optim_sign_sgd(const kn_optim_sign_sgd_opts *opts);
/* optax.signum. Defaults: beta 0.9 */
typedef struct kn_optim_signum_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array; double beta;
} kn_optim_signum_opts;
KN_API kn_optim_signum_opts kn_optim_signum_opts_default(void);
KN_API kn_optimizer kn_optim_signum(const kn_optim_signum_opts *opts);
/* optax.noisy_sgd: noise of kn_random_key(seed). Defaults: eta 0.01, gamma 0.55, seed 0 */
typedef struct kn_optim_noisy_sgd_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double eta, gamma; int64_t seed;
} kn_optim_noisy_sgd_opts;
KN_API kn_optim_noisy_sgd_opts kn_optim_noisy_sgd_opts_default(void);
KN_API kn_optimizer kn_optim_noisy_sgd(const kn_optim_noisy_sgd_opts *opts);
/* optax.optimistic_gradient_descent. Defaults: alpha 1, beta 1 */
typedef struct kn_optim_optimistic_gradient_descent_opts {
    size_t size_; double learning_rate; kn_schedule learning_rate_schedule; kn_array learning_rate_array;
    double alpha, beta;
} kn_optim_optimistic_gradient_descent_opts;
KN_API kn_optim_optimistic_gradient_descent_opts kn_optim_optimistic_gradient_descent_opts_default(void);
KN_API kn_optimizer kn_optim_optimistic_gradient_descent(const kn_optim_optimistic_gradient_descent_opts *opts);
/* optax.polyak_sgd: the steps need .value = the loss; variant: sps or sps+. Defaults: max_learning_rate 1, scaling 1,
 * f_min 0, eps 0, variant "sps" */
typedef struct kn_optim_polyak_sgd_opts {
    size_t size_; double max_learning_rate, scaling, f_min, eps; const char *variant;
} kn_optim_polyak_sgd_opts;
KN_API kn_optim_polyak_sgd_opts kn_optim_polyak_sgd_opts_default(void);
KN_API kn_optimizer kn_optim_polyak_sgd(const kn_optim_polyak_sgd_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_OPTIM_(c, f, T, D, ...)                                                                                     \
    __extension__({ KN_OPTS(c, T, D, .size_ = sizeof(T) __VA_OPT__(, ) __VA_ARGS__) KN_HERE(); (f)(KN_V(opt, c)); })
#define kn_optim_sgd(...)                                                                                              \
    KN_OPTIM_(__COUNTER__, kn_optim_sgd, kn_optim_sgd_opts, (.learning_rate = __builtin_nan(""), .momentum =           \
        __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_adam(...)                                                                                             \
    KN_OPTIM_(__COUNTER__, kn_optim_adam, kn_optim_adam_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 =    \
        0.999, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_nadam(...)                                                                                            \
    KN_OPTIM_(__COUNTER__, kn_optim_nadam, kn_optim_nadam_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2    \
        = 0.999, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_adamw(...)                                                                                            \
    KN_OPTIM_(__COUNTER__, kn_optim_adamw, kn_optim_adamw_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2    \
        = 0.999, .eps = 1e-8, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_nadamw(...)                                                                                           \
    KN_OPTIM_(__COUNTER__, kn_optim_nadamw, kn_optim_nadamw_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9,      \
        .b2 = 0.999, .eps = 1e-8, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_adamax(...)                                                                                           \
    KN_OPTIM_(__COUNTER__, kn_optim_adamax, kn_optim_adamax_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9,      \
        .b2 = 0.999, .eps = 1e-8, ), __VA_ARGS__)
#define kn_optim_adamaxw(...)                                                                                          \
    KN_OPTIM_(__COUNTER__, kn_optim_adamaxw, kn_optim_adamaxw_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9,    \
        .b2 = 0.999, .eps = 1e-8, .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_amsgrad(...)                                                                                          \
    KN_OPTIM_(__COUNTER__, kn_optim_amsgrad, kn_optim_amsgrad_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9,    \
        .b2 = 0.999, .eps = 1e-8, .bias_correction_mu = true, .bias_correction_nu = true, ), __VA_ARGS__)
#define kn_optim_adabelief(...)                                                                                        \
    KN_OPTIM_(__COUNTER__, kn_optim_adabelief, kn_optim_adabelief_opts, (.learning_rate = __builtin_nan(""), .b1 =     \
        0.9, .b2 = 0.999, .eps = 1e-16, .eps_root = 1e-16, ), __VA_ARGS__)
#define kn_optim_adadelta(...)                                                                                         \
    KN_OPTIM_(__COUNTER__, kn_optim_adadelta, kn_optim_adadelta_opts, (.learning_rate = __builtin_nan(""), .rho =      \
        0.9, .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_adagrad(...)                                                                                          \
    KN_OPTIM_(__COUNTER__, kn_optim_adagrad, kn_optim_adagrad_opts, (.learning_rate = __builtin_nan(""),               \
        .initial_accumulator_value = 0.1, .eps = 1e-7, ), __VA_ARGS__)
#define kn_optim_adan(...)                                                                                             \
    KN_OPTIM_(__COUNTER__, kn_optim_adan, kn_optim_adan_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.98, .b2     \
        = 0.92, .b3 = 0.99, .eps = 1e-8, .eps_root = 1e-8, ), __VA_ARGS__)
#define kn_optim_adafactor(...)                                                                                        \
    KN_OPTIM_(__COUNTER__, kn_optim_adafactor, kn_optim_adafactor_opts, (.learning_rate = __builtin_nan(""),           \
        .min_dim_size_to_factor = 128, .decay_rate = 0.8, .multiply_by_parameter_scale = true, .clipping_threshold     \
        = 1, .momentum = __builtin_nan(""), .weight_decay_rate = __builtin_nan(""), .eps = 1e-30, .factored = true,    \
        ), __VA_ARGS__)
#define kn_optim_rmsprop(...)                                                                                          \
    KN_OPTIM_(__COUNTER__, kn_optim_rmsprop, kn_optim_rmsprop_opts, (.learning_rate = __builtin_nan(""), .decay =      \
        0.9, .eps = 1e-8, .eps_in_sqrt = true, .momentum = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_rprop(...)                                                                                            \
    KN_OPTIM_(__COUNTER__, kn_optim_rprop, kn_optim_rprop_opts, (.learning_rate = __builtin_nan(""), .eta_minus =      \
        0.5, .eta_plus = 1.2, .min_step_size = 1e-6, .max_step_size = 50, ), __VA_ARGS__)
#define kn_optim_lion(...)                                                                                             \
    KN_OPTIM_(__COUNTER__, kn_optim_lion, kn_optim_lion_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 =    \
        0.99, .weight_decay = 1e-3, ), __VA_ARGS__)
#define kn_optim_lamb(...)                                                                                             \
    KN_OPTIM_(__COUNTER__, kn_optim_lamb, kn_optim_lamb_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 =    \
        0.999, .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_lars(...)                                                                                             \
    KN_OPTIM_(__COUNTER__, kn_optim_lars, kn_optim_lars_opts, (.learning_rate = __builtin_nan(""),                     \
        .trust_coefficient = 0.001, .momentum = 0.9, ), __VA_ARGS__)
#define kn_optim_radam(...)                                                                                            \
    KN_OPTIM_(__COUNTER__, kn_optim_radam, kn_optim_radam_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2    \
        = 0.999, .eps = 1e-8, .threshold = 5, ), __VA_ARGS__)
#define kn_optim_yogi(...)                                                                                             \
    KN_OPTIM_(__COUNTER__, kn_optim_yogi, kn_optim_yogi_opts, (.learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 =    \
        0.999, .eps = 1e-3, ), __VA_ARGS__)
#define kn_optim_novograd(...)                                                                                         \
    KN_OPTIM_(__COUNTER__, kn_optim_novograd, kn_optim_novograd_opts, (.learning_rate = __builtin_nan(""), .b1 =       \
        0.9, .b2 = 0.25, .eps = 1e-6, ), __VA_ARGS__)
#define kn_optim_fromage(...)                                                                                          \
    KN_OPTIM_(__COUNTER__, kn_optim_fromage, kn_optim_fromage_opts, (.learning_rate = __builtin_nan(""), .min_norm     \
        = 1e-6, ), __VA_ARGS__)
#define kn_optim_sm3(...)                                                                                              \
    KN_OPTIM_(__COUNTER__, kn_optim_sm3, kn_optim_sm3_opts, (.learning_rate = __builtin_nan(""), .momentum = 0.9,      \
        ), __VA_ARGS__)
#define kn_optim_sign_sgd(...)                                                                                         \
    KN_OPTIM_(__COUNTER__, kn_optim_sign_sgd, kn_optim_sign_sgd_opts, (.learning_rate = __builtin_nan(""), ),          \
        __VA_ARGS__)
#define kn_optim_signum(...)                                                                                           \
    KN_OPTIM_(__COUNTER__, kn_optim_signum, kn_optim_signum_opts, (.learning_rate = __builtin_nan(""), .beta = 0.9,    \
        ), __VA_ARGS__)
#define kn_optim_noisy_sgd(...)                                                                                        \
    KN_OPTIM_(__COUNTER__, kn_optim_noisy_sgd, kn_optim_noisy_sgd_opts, (.learning_rate = __builtin_nan(""), .eta =    \
        0.01, .gamma = 0.55, ), __VA_ARGS__)
#define kn_optim_optimistic_gradient_descent(...)                                                                      \
    KN_OPTIM_(__COUNTER__, kn_optim_optimistic_gradient_descent, kn_optim_optimistic_gradient_descent_opts,            \
        (.learning_rate = __builtin_nan(""), .alpha = 1, .beta = 1, ), __VA_ARGS__)
#define kn_optim_polyak_sgd(...)                                                                                       \
    KN_OPTIM_(__COUNTER__, kn_optim_polyak_sgd, kn_optim_polyak_sgd_opts, (.max_learning_rate = 1, .scaling = 1,       \
        .variant = "sps", ), __VA_ARGS__)
#endif
#endif
