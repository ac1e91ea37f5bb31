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
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double momentum;                    /* NAN: what is kept of the steps before (NAN: no momentum) */
    bool nesterov;                      /* look one step ahead */
} kn_optim_sgd_opts;
KN_API kn_optim_sgd_opts kn_optim_sgd_opts_default(void);
/* optax.sgd: stochastic gradient descent: p - rate g. With momentum (not given: none) the sum of the gradients, what
 * came before times momentum, takes the place of g, as in optax.trace; .nesterov looks one step ahead */
KN_API kn_optimizer kn_optim_sgd(const kn_optim_sgd_opts *opts);
typedef struct kn_optim_adam_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    bool nesterov;                      /* look one step ahead */
} kn_optim_adam_opts;
KN_API kn_optim_adam_opts kn_optim_adam_opts_default(void);
/* optax.adam: the mean of the gradients divided by the root of the mean of their squares, both exponential moving
 * averages (b1, b2) without bias: each parameter moves by about the learning rate, whatever the gradient's scale */
KN_API kn_optimizer kn_optim_adam(const kn_optim_adam_opts *opts);
typedef struct kn_optim_nadam_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
} kn_optim_nadam_opts;
KN_API kn_optim_nadam_opts kn_optim_nadam_opts_default(void);
/* optax.nadam: adam with Nesterov's momentum: the mean of the gradients looks one step ahead */
KN_API kn_optimizer kn_optim_nadam(const kn_optim_nadam_opts *opts);
typedef struct kn_optim_adamw_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double weight_decay;                /* 1e-4: times the parameter, added to its step before the learning rate */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
    bool nesterov;                      /* look one step ahead */
} kn_optim_adamw_opts;
KN_API kn_optim_adamw_opts kn_optim_adamw_opts_default(void);
/* optax.adamw: adam with decoupled weight decay: each step also takes learning rate times weight_decay times the
 * parameter off, which adam's division does not touch. .mask says which parameters decay */
KN_API kn_optimizer kn_optim_adamw(const kn_optim_adamw_opts *opts);
typedef struct kn_optim_nadamw_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double weight_decay;                /* 1e-4: times the parameter, added to its step before the learning rate */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_nadamw_opts;
KN_API kn_optim_nadamw_opts kn_optim_nadamw_opts_default(void);
/* optax.nadamw: adamw with Nesterov's momentum */
KN_API kn_optimizer kn_optim_nadamw(const kn_optim_nadamw_opts *opts);
typedef struct kn_optim_adamax_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the largest gradient */
    double eps;                         /* 1e-8: added to the largest gradient */
} kn_optim_adamax_opts;
KN_API kn_optim_adamax_opts kn_optim_adamax_opts_default(void);
/* optax.adamax: adam with the largest gradient of the past (which fades by b2) in the place of the root of their
 * mean square */
KN_API kn_optimizer kn_optim_adamax(const kn_optim_adamax_opts *opts);
typedef struct kn_optim_adamaxw_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the largest gradient */
    double eps;                         /* 1e-8: added to the largest gradient */
    double weight_decay;                /* 1e-4: times the parameter, added to its step before the learning rate */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_adamaxw_opts;
KN_API kn_optim_adamaxw_opts kn_optim_adamaxw_opts_default(void);
/* optax.adamaxw: adamax with decoupled weight decay, as adamw has it */
KN_API kn_optimizer kn_optim_adamaxw(const kn_optim_adamaxw_opts *opts);
typedef struct kn_optim_amsgrad_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    bool bias_correction_mu;            /* true: the mean without the bias of its beginning */
    bool bias_correction_nu;            /* true: the mean of squares without that bias */
} kn_optim_amsgrad_opts;
KN_API kn_optim_amsgrad_opts kn_optim_amsgrad_opts_default(void);
/* optax.amsgrad: adam whose mean of squares never falls: after a large gradient steps stay small */
KN_API kn_optimizer kn_optim_amsgrad(const kn_optim_amsgrad_opts *opts);
typedef struct kn_optim_adabelief_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-16: added to the root that is the divisor */
    double eps_root;                    /* 1e-16: added to the mean of squares at each step */
    bool nesterov;                      /* look one step ahead */
} kn_optim_adabelief_opts;
KN_API kn_optim_adabelief_opts kn_optim_adabelief_opts_default(void);
/* optax.adabelief: adam with the squares of what differs from the mean of the gradients, in the place of the squares
 * themselves: long steps where the gradient is as expected */
KN_API kn_optimizer kn_optim_adabelief(const kn_optim_adabelief_opts *opts);
typedef struct kn_optim_adadelta_opts {
    size_t size_;
    double learning_rate;               /* NAN: none, the sign stays */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double rho;                         /* 0.9: what is kept of the means of squares at each step */
    double eps;                         /* 1e-6: added below both roots */
    double weight_decay;                /* times the parameter, added to the gradient */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_adadelta_opts;
KN_API kn_optim_adadelta_opts kn_optim_adadelta_opts_default(void);
/* optax.adadelta: steps of the root mean square of the last steps, divided by that of the last gradients. The
 * learning rate may be left out; then, as in optax, steps keep the gradient's sign and go uphill: 1 is the usual one */
KN_API kn_optimizer kn_optim_adadelta(const kn_optim_adadelta_opts *opts);
typedef struct kn_optim_adagrad_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double initial_accumulator_value;   /* 0.1: the sum of squares before the first step */
    double eps;                         /* 1e-7: added below the root */
} kn_optim_adagrad_opts;
KN_API kn_optim_adagrad_opts kn_optim_adagrad_opts_default(void);
/* optax.adagrad: gradients divided by the root of the sum of all squares so far: steps become shorter and shorter */
KN_API kn_optimizer kn_optim_adagrad(const kn_optim_adagrad_opts *opts);
typedef struct kn_optim_adan_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.98: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.92: what is kept of the mean of differences */
    double b3;                          /* 0.99: what is kept of the mean of squares */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* 1e-8: added below the root */
    double weight_decay;                /* times the parameter, added to its step before the learning rate */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_adan_opts;
KN_API kn_optim_adan_opts kn_optim_adan_opts_default(void);
/* optax.adan: adam with Nesterov's momentum made of the differences between gradients (b2), and weight decay */
KN_API kn_optimizer kn_optim_adan(const kn_optim_adan_opts *opts);
typedef struct kn_optim_adafactor_opts {
    size_t size_;
    double learning_rate;               /* NAN: none, steps are scaled by the parameters alone */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    int64_t min_dim_size_to_factor;     /* 128: smaller matrices keep all their mean squares */
    double decay_rate;                  /* 0.8: the mean of squares keeps 1 - step^-rate */
    double decay_offset;                /* the step from which steps are counted */
    bool multiply_by_parameter_scale;   /* true: steps are times the root mean square of the parameters */
    double clipping_threshold;          /* 1: of the root mean square of a step */
    double momentum;                    /* NAN: what is kept of the steps before (NAN: no momentum) */
    double weight_decay_rate;           /* NAN: times the parameter, added to its step */
    kn_tree weight_decay_mask;          /* what decays, as mask elsewhere (all) */
    double eps;                         /* 1e-30: added to the squares */
    bool factored;                      /* true: mean squares by row and column */
} kn_optim_adafactor_opts;
KN_API kn_optim_adafactor_opts kn_optim_adafactor_opts_default(void);
/* optax.adafactor: adam with little memory: for matrices of at least min_dim_size_to_factor rows and columns the
 * mean squares are kept by row and by column. The learning rate may be left out; steps are scaled by the size of the
 * parameter. NAN: no clipping, momentum or weight decay */
KN_API kn_optimizer kn_optim_adafactor(const kn_optim_adafactor_opts *opts);
typedef struct kn_optim_rmsprop_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double decay;                       /* 0.9: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added below the root, or to it */
    double initial_scale;               /* the mean of squares before the first step */
    bool eps_in_sqrt;                   /* true: eps is below the root */
    bool centered;                      /* divide by the standard deviation */
    double momentum;                    /* NAN: what is kept of the steps before (NAN: no momentum) */
    bool nesterov;                      /* look one step ahead */
    bool bias_correction;               /* the mean of squares without the bias of its beginning */
} kn_optim_rmsprop_opts;
KN_API kn_optim_rmsprop_opts kn_optim_rmsprop_opts_default(void);
/* optax.rmsprop: gradients divided by the root of the moving average of their squares; .centered: by their standard
 * deviation; momentum (not given: none) as that of sgd */
KN_API kn_optimizer kn_optim_rmsprop(const kn_optim_rmsprop_opts *opts);
typedef struct kn_optim_rprop_opts {
    size_t size_;
    double learning_rate; /* NAN: the first step; has to be given */
    double eta_minus;     /* 0.5: the step where the sign changed is times this */
    double eta_plus;      /* 1.2: where it stayed, times this */
    double min_step_size; /* 1e-6: no step is shorter */
    double max_step_size; /* 50: no step is longer */
} kn_optim_rprop_opts;
KN_API kn_optim_rprop_opts kn_optim_rprop_opts_default(void);
/* optax.rprop: steps by signs alone: a parameter's step, at first the learning rate, is multiplied by eta_plus while
 * its gradient keeps the sign, and by eta_minus when it changes (min_step_size and max_step_size bound it) */
KN_API kn_optimizer kn_optim_rprop(const kn_optim_rprop_opts *opts);
typedef struct kn_optim_lion_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: weight of the mean so far in the step */
    double b2;                          /* 0.99: what is kept of the mean at each step */
    double weight_decay;                /* 1e-3: times the parameter, added to its step before the learning rate */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_lion_opts;
KN_API kn_optim_lion_opts kn_optim_lion_opts_default(void);
/* optax.lion: steps of the learning rate in the direction of the sign of a mean of gradients (b1 for the step, b2
 * for what is remembered), and weight decay */
KN_API kn_optimizer kn_optim_lion(const kn_optim_lion_opts *opts);
typedef struct kn_optim_lamb_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-6: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double weight_decay;                /* times the parameter, added to its step before the learning rate */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree mask;                       /* what decays: a tree of booleans, one per parameter or one for all (all) */
} kn_optim_lamb_opts;
KN_API kn_optim_lamb_opts kn_optim_lamb_opts_default(void);
/* optax.lamb: adam whose step is scaled by the norm of the parameters, array by array: for large batches */
KN_API kn_optimizer kn_optim_lamb(const kn_optim_lamb_opts *opts);
typedef struct kn_optim_lars_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double weight_decay;                /* times the parameter, added to the gradient */
    kn_schedule weight_decay_schedule;  /* by the step, in the place of the number */
    kn_tree weight_decay_mask;          /* what decays, as mask elsewhere (all) */
    double trust_coefficient;           /* 0.001: the step is that times the parameters' norm */
    double eps;                         /* added to the gradient's norm */
    kn_tree trust_ratio_mask;           /* what is scaled by norms (all) */
    double momentum;                    /* 0.9: what is kept of the steps before */
    bool nesterov;                      /* look one step ahead */
} kn_optim_lars_opts;
KN_API kn_optim_lars_opts kn_optim_lars_opts_default(void);
/* optax.lars: sgd whose step is scaled by trust_coefficient times the norm of the parameters divided by that of the
 * gradient, array by array, then momentum: for large batches */
KN_API kn_optimizer kn_optim_lars(const kn_optim_lars_opts *opts);
typedef struct kn_optim_radam_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-8: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double threshold;                   /* 5: so many gradients are to be known, in effect, before it divides */
    bool nesterov;                      /* look one step ahead */
} kn_optim_radam_opts;
KN_API kn_optim_radam_opts kn_optim_radam_opts_default(void);
/* optax.radam: adam that divides only when enough gradients are known to trust their mean square (threshold); before
 * that its steps are those of the mean of the gradients */
KN_API kn_optimizer kn_optim_radam(const kn_optim_radam_opts *opts);
typedef struct kn_optim_yogi_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the mean of gradients at each step */
    double b2;                          /* 0.999: what is kept of the mean of squares at each step */
    double eps;                         /* 1e-3: added to the root that is the divisor */
} kn_optim_yogi_opts;
KN_API kn_optim_yogi_opts kn_optim_yogi_opts_default(void);
/* optax.yogi: adam whose mean of squares moves by (1 - b2) g^2 up or down, not by a share of itself: after large
 * gradients it forgets slowly */
KN_API kn_optimizer kn_optim_yogi(const kn_optim_yogi_opts *opts);
typedef struct kn_optim_novograd_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double b1;                          /* 0.9: what is kept of the steps before */
    double b2;                          /* 0.25: what is kept of the mean of squared norms */
    double eps;                         /* 1e-6: added to the root that is the divisor */
    double eps_root;                    /* added below the root */
    double weight_decay;                /* times the parameter, added to its step before the learning rate */
} kn_optim_novograd_opts;
KN_API kn_optim_novograd_opts kn_optim_novograd_opts_default(void);
/* optax.novograd: adam with one mean of squares for each array, that of its norm: the gradient's direction stays */
KN_API kn_optimizer kn_optim_novograd(const kn_optim_novograd_opts *opts);
typedef struct kn_optim_fromage_opts {
    size_t size_;
    double learning_rate; /* NAN: has to be given */
    double min_norm;      /* 1e-6: norms are at least this */
} kn_optim_fromage_opts;
KN_API kn_optim_fromage_opts kn_optim_fromage_opts_default(void);
/* optax.fromage: steps in the gradient's direction as long as the learning rate times the norm of the parameters,
 * which then are divided by sqrt(1 + rate^2), array by array */
KN_API kn_optimizer kn_optim_fromage(const kn_optim_fromage_opts *opts);
typedef struct kn_optim_sm3_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double momentum;                    /* 0.9: what is kept of the steps before */
} kn_optim_sm3_opts;
KN_API kn_optim_sm3_opts kn_optim_sm3_opts_default(void);
/* optax.sm3: gradients divided by roots of sums of squares, of which only the largest by row and column are kept:
 * adagrad with little memory */
KN_API kn_optimizer kn_optim_sm3(const kn_optim_sm3_opts *opts);
typedef struct kn_optim_sign_sgd_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
} kn_optim_sign_sgd_opts;
KN_API kn_optim_sign_sgd_opts kn_optim_sign_sgd_opts_default(void);
/* optax.sign_sgd: p less learning rate times the sign of the gradient */
KN_API kn_optimizer kn_optim_sign_sgd(const kn_optim_sign_sgd_opts *opts);
typedef struct kn_optim_signum_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double beta;                        /* 0.9: what is kept of the mean of gradients at each step */
} kn_optim_signum_opts;
KN_API kn_optim_signum_opts kn_optim_signum_opts_default(void);
/* optax.signum: p less learning rate times the sign of the moving average of the gradients (beta) */
KN_API kn_optimizer kn_optim_signum(const kn_optim_signum_opts *opts);
typedef struct kn_optim_noisy_sgd_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double eta;                         /* 0.01: the noise's variance at the first step */
    double gamma;                       /* 0.55: how fast the noise fades */
    int64_t seed;                       /* of the key of the noise */
} kn_optim_noisy_sgd_opts;
KN_API kn_optim_noisy_sgd_opts kn_optim_noisy_sgd_opts_default(void);
/* optax.noisy_sgd: sgd with normal noise of variance eta / (1 + step)^gamma added to the gradient; the noise is that
 * of kn_random_key(seed), the same for the same seed */
KN_API kn_optimizer kn_optim_noisy_sgd(const kn_optim_noisy_sgd_opts *opts);
typedef struct kn_optim_optimistic_gradient_descent_opts {
    size_t size_;
    double learning_rate;               /* NAN: has to be given: this, or one of the next two */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    double alpha;                       /* 1: of the gradient */
    double beta;                        /* 1: of its difference to the one before */
} kn_optim_optimistic_gradient_descent_opts;
KN_API kn_optim_optimistic_gradient_descent_opts kn_optim_optimistic_gradient_descent_opts_default(void);
/* optax.optimistic_gradient_descent: sgd on (alpha + beta) g less beta times the gradient before: it does not circle
 * where two players pull in turn */
KN_API kn_optimizer kn_optim_optimistic_gradient_descent(const kn_optim_optimistic_gradient_descent_opts *opts);
typedef struct kn_optim_polyak_sgd_opts {
    size_t size_;
    double max_learning_rate; /* 1: no learning rate is larger */
    double scaling;           /* 1: of the learning rate */
    double f_min;             /* the smallest loss there is */
    double eps;               /* added to the squared norm of the gradient */
    const char *variant;      /* "sps"; or "sps+": "sps+": no step where the loss is below f_min */
} kn_optim_polyak_sgd_opts;
KN_API kn_optim_polyak_sgd_opts kn_optim_polyak_sgd_opts_default(void);
/* optax.polyak_sgd: sgd whose step is as long as reaching the smallest loss f_min in a straight line takes, (value -
 * f_min) / |g|^2, at most max_learning_rate. The steps need .value, the loss at the parameters */
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
