/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/schedules.h -- numbers that depend on the step, as optax.schedules: handles that optimizers take as
 * .learning_rate_schedule, and that kn_optim_schedule_at gives the value of. Arithmetic is in the default float. */
#ifndef KILN_OPTIM_SCHEDULES_H
#define KILN_OPTIM_SCHEDULES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value at a step: a number, or an integer or float array of steps, also a traced one. */
KN_API kn_array kn_optim_schedule_at(kn_schedule schedule, kn_array step);

KN_API kn_schedule kn_optim_constant_schedule(double value);    /* optax.constant_schedule */
typedef struct kn_optim_linear_schedule_opts { size_t size_; int64_t transition_begin; } kn_optim_linear_schedule_opts;
KN_API kn_optim_linear_schedule_opts kn_optim_linear_schedule_opts_default(void);
/* optax.linear_schedule: from init to end in so many steps */
KN_API kn_schedule kn_optim_linear_schedule(double init_value, double end_value, int64_t transition_steps,
                                            const kn_optim_linear_schedule_opts *opts);
/* optax.polynomial_schedule: (init - end) (1 - step / steps)^power + end */
KN_API kn_schedule kn_optim_polynomial_schedule(double init_value, double end_value, double power,
                                                int64_t transition_steps, const kn_optim_linear_schedule_opts *opts);
typedef struct kn_optim_exponential_decay_opts {
    size_t size_; int64_t transition_begin; bool staircase; double end_value; /* NAN: none */
} kn_optim_exponential_decay_opts;
KN_API kn_optim_exponential_decay_opts kn_optim_exponential_decay_opts_default(void);
/* optax.exponential_decay: init rate^(step / steps) */
KN_API kn_schedule kn_optim_exponential_decay(double init_value, int64_t transition_steps, double decay_rate,
                                              const kn_optim_exponential_decay_opts *opts);
typedef struct kn_optim_cosine_decay_schedule_opts {
    size_t size_; double alpha, exponent; /* 0, 1 */
} kn_optim_cosine_decay_schedule_opts;
KN_API kn_optim_cosine_decay_schedule_opts kn_optim_cosine_decay_schedule_opts_default(void);
/* optax.cosine_decay_schedule; ValueError unless there are steps */
KN_API kn_schedule kn_optim_cosine_decay_schedule(double init_value, int64_t decay_steps,
                                                  const kn_optim_cosine_decay_schedule_opts *opts);
typedef struct kn_optim_boundary { int64_t step; double scale; } kn_optim_boundary; /* what comes is scaled by it */
KN_API kn_schedule kn_optim_piecewise_constant_schedule(double init_value, int n, const kn_optim_boundary *boundaries);
/* interpolate_type: linear or cosine */
KN_API kn_schedule kn_optim_piecewise_interpolate_schedule(const char *interpolate_type, double init_value, int n,
                                                           const kn_optim_boundary *boundaries);
typedef struct kn_optim_onecycle_opts {
    size_t size_; double pct_start, pct_final, div_factor, final_div_factor; /* 0.3, 0.85 (linear), 25, 1e4 */
} kn_optim_onecycle_opts;
KN_API kn_optim_onecycle_opts kn_optim_onecycle_opts_default(void);
KN_API kn_optim_onecycle_opts kn_optim_linear_onecycle_schedule_opts_default(void);
KN_API kn_schedule kn_optim_linear_onecycle_schedule(int64_t transition_steps, double peak_value,
                                                     const kn_optim_onecycle_opts *opts);
KN_API kn_schedule kn_optim_cosine_onecycle_schedule(int64_t transition_steps, double peak_value,
                                                     const kn_optim_onecycle_opts *opts);
/* optax.warmup_constant_schedule: linear to the peak, then constant */
KN_API kn_schedule kn_optim_warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps);
typedef struct kn_optim_warmup_cosine_decay_schedule_opts {
    size_t size_; double end_value, exponent; /* 0, 1 */
} kn_optim_warmup_cosine_decay_schedule_opts;
KN_API kn_optim_warmup_cosine_decay_schedule_opts kn_optim_warmup_cosine_decay_schedule_opts_default(void);
/* optax.warmup_cosine_decay_schedule; decay_steps counts the warm-up, too */
KN_API kn_schedule kn_optim_warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
                                                         int64_t decay_steps,
                                                         const kn_optim_warmup_cosine_decay_schedule_opts *opts);
KN_API kn_schedule kn_optim_warmup_exponential_decay_schedule(double init_value, double peak_value,
                                                              int64_t warmup_steps, int64_t transition_steps,
                                                              double decay_rate,
                                                              const kn_optim_exponential_decay_opts *opts);
/* optax.join_schedules: n schedules, n - 1 boundaries; each begins to count at its own boundary */
KN_API kn_schedule kn_optim_join_schedules(int n, const kn_schedule *schedules, const int64_t *boundaries);
typedef struct kn_optim_sgdr_cycle {
    double init_value, peak_value; int64_t warmup_steps, decay_steps; double end_value, exponent; /* 0: 1 */
} kn_optim_sgdr_cycle;
KN_API kn_schedule kn_optim_sgdr_schedule(int n, const kn_optim_sgdr_cycle *cycles); /* warm restarts */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_schedule_at(schedule, step) KN_OPTIM_AT_(__COUNTER__, schedule, step)
#define KN_OPTIM_AT_(c, schedule, step)                                                                                \
    __extension__({ kn_schedule KN_V(1, c) = (schedule); kn_array KN_V(2, c) = KN_LIKE(step); KN_HERE();               \
        (kn_optim_schedule_at)(KN_V(1, c), KN_V(2, c)); })
#define KN_OPTIM_S3_(c, f, T, D, A, x, B, y, C, z, ...)                                                                \
    __extension__({ A KN_V(1, c) = (x); B KN_V(2, c) = (y); C KN_V(3, c) = (z); KN_OPTS(c, T, D, __VA_ARGS__)          \
        KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_optim_constant_schedule(value) KN_G1(kn_optim_constant_schedule, double, value)
#define kn_optim_linear_schedule(init, end, steps, ...)                                                                \
    KN_OPTIM_S3_(__COUNTER__, kn_optim_linear_schedule, kn_optim_linear_schedule_opts, (), double, init, double, end,  \
        int64_t, steps, __VA_ARGS__)
#define kn_optim_polynomial_schedule(init, end, power, steps, ...)                                                     \
    KN_OPTIM_POLYNOMIAL_(__COUNTER__, init, end, power, steps, __VA_ARGS__)
#define KN_OPTIM_POLYNOMIAL_(c, init, end, power, steps, ...)                                                          \
    __extension__({ double KN_V(1, c) = (init); double KN_V(2, c) = (end); double KN_V(3, c) = (power);                \
        int64_t KN_V(4, c) = (steps); KN_OPTS(c, kn_optim_linear_schedule_opts, (), __VA_ARGS__) KN_HERE();            \
        (kn_optim_polynomial_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define KN_EXPONENTIAL_DEFAULTS (.end_value = __builtin_nan(""), )
#define kn_optim_exponential_decay(init, steps, rate, ...)                                                             \
    KN_OPTIM_S3_(__COUNTER__, kn_optim_exponential_decay, kn_optim_exponential_decay_opts, KN_EXPONENTIAL_DEFAULTS,    \
        double, init, int64_t, steps, double, rate, __VA_ARGS__)
#define kn_optim_cosine_decay_schedule(init, steps, ...)                                                               \
    KN_G2O(kn_optim_cosine_decay_schedule, kn_optim_cosine_decay_schedule_opts, (.exponent = 1, ), double, init,       \
        int64_t, steps, __VA_ARGS__)
#define KN_ONECYCLE_DEFAULTS (.pct_start = 0.3, .pct_final = 0.85, .div_factor = 25, .final_div_factor = 1e4, )
#define kn_optim_linear_onecycle_schedule(steps, peak, ...)                                                            \
    KN_G2O(kn_optim_linear_onecycle_schedule, kn_optim_onecycle_opts, KN_ONECYCLE_DEFAULTS, int64_t, steps, double,    \
        peak, __VA_ARGS__)
#define kn_optim_cosine_onecycle_schedule(steps, peak, ...)                                                            \
    KN_G2O(kn_optim_cosine_onecycle_schedule, kn_optim_onecycle_opts, KN_ONECYCLE_DEFAULTS, int64_t, steps, double,    \
        peak, __VA_ARGS__)
#define kn_optim_warmup_cosine_decay_schedule(init, peak, warmup, steps, ...)                                          \
    KN_OPTIM_WARMUP_COSINE_(__COUNTER__, init, peak, warmup, steps, __VA_ARGS__)
#define KN_OPTIM_WARMUP_COSINE_(c, init, peak, warmup, steps, ...)                                                     \
    __extension__({ double KN_V(1, c) = (init); double KN_V(2, c) = (peak); int64_t KN_V(3, c) = (warmup);             \
        int64_t KN_V(4, c) = (steps);                                                                                  \
        KN_OPTS(c, kn_optim_warmup_cosine_decay_schedule_opts, (.exponent = 1, ), __VA_ARGS__) KN_HERE();              \
        (kn_optim_warmup_cosine_decay_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_optim_warmup_exponential_decay_schedule(init, peak, warmup, steps, rate, ...)                               \
    KN_OPTIM_WARMUP_EXPONENTIAL_(__COUNTER__, init, peak, warmup, steps, rate, __VA_ARGS__)
#define KN_OPTIM_WARMUP_EXPONENTIAL_(c, init, peak, warmup, steps, rate, ...)                                          \
    __extension__({ double KN_V(1, c) = (init); double KN_V(2, c) = (peak); int64_t KN_V(3, c) = (warmup);             \
        int64_t KN_V(4, c) = (steps); double KN_V(5, c) = (rate);                                                      \
        KN_OPTS(c, kn_optim_exponential_decay_opts, KN_EXPONENTIAL_DEFAULTS, __VA_ARGS__) KN_HERE();                   \
        (kn_optim_warmup_exponential_decay_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c),       \
            KN_V(opt, c)); })
#endif
#endif
