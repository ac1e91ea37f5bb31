/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/schedules.h -- numbers that depend on the step, as optax.schedules: handles that optimizers take as
 * .learning_rate_schedule, and that kn_optim_schedule_at gives the value of. Arithmetic is in the default float. */
/* Made by scripts/make-api.py from api/optim/schedules.api. */
/* clang-format off */
#ifndef KILN_OPTIM_SCHEDULES_H
#define KILN_OPTIM_SCHEDULES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* the value of a schedule at a step: a number, or an integer or float array of steps, also a traced one */
KN_API kn_array kn_optim_schedule_at(kn_schedule schedule, kn_array step);
KN_API kn_schedule kn_optim_constant_schedule(double value); /* optax.constant_schedule: the same value at each step */
typedef struct kn_optim_linear_schedule_opts {
    size_t size_;
    int64_t transition_begin; /* steps before it begins */
} kn_optim_linear_schedule_opts;
KN_API kn_optim_linear_schedule_opts kn_optim_linear_schedule_opts_default(void);
/* optax.linear_schedule: from init_value to end_value in a straight line of so many steps, then constant;
 * transition_begin steps before are constant, too */
KN_API kn_schedule kn_optim_linear_schedule(double init_value, double end_value, int64_t transition_steps,
    const kn_optim_linear_schedule_opts *opts);
/* optax.polynomial_schedule: (init - end) (1 - step / steps)^power + end up to the number of steps, then the end
 * value */
KN_API kn_schedule kn_optim_polynomial_schedule(double init_value, double end_value, double power, int64_t
    transition_steps, const kn_optim_linear_schedule_opts *opts);
typedef struct kn_optim_exponential_decay_opts {
    size_t size_;
    int64_t transition_begin; /* steps before it begins */
    bool staircase;           /* the exponent is a whole number */
    double end_value;         /* NAN: none */
} kn_optim_exponential_decay_opts;
KN_API kn_optim_exponential_decay_opts kn_optim_exponential_decay_opts_default(void);
/* optax.exponential_decay: init rate^(step / steps); .staircase: in jumps at each multiple of the steps, .end_value:
 * no further than there */
KN_API kn_schedule kn_optim_exponential_decay(double init_value, int64_t transition_steps, double decay_rate,
    const kn_optim_exponential_decay_opts *opts);
typedef struct kn_optim_cosine_decay_schedule_opts {
    size_t size_;
    double alpha;    /* the last value, as a part of the first */
    double exponent; /* 1: of the cosine */
} kn_optim_cosine_decay_schedule_opts;
KN_API kn_optim_cosine_decay_schedule_opts kn_optim_cosine_decay_schedule_opts_default(void);
/* optax.cosine_decay_schedule: from init_value down to alpha init_value along half a cosine, then constant.
 * ValueError unless there are steps */
KN_API kn_schedule kn_optim_cosine_decay_schedule(double init_value, int64_t decay_steps,
    const kn_optim_cosine_decay_schedule_opts *opts);
typedef struct kn_optim_boundary { int64_t step; double scale; } kn_optim_boundary; /* what comes is scaled by it */
/* optax.piecewise_constant_schedule: init_value, multiplied by a scale at each boundary */
KN_API kn_schedule kn_optim_piecewise_constant_schedule(double init_value, int n, const kn_optim_boundary *boundaries);
/* init_value, multiplied by a scale up to each boundary, in straight lines ("linear") or half cosines ("cosine")
 * between them; constant after the last one. ValueError for another interpolate_type */
KN_API kn_schedule kn_optim_piecewise_interpolate_schedule(const char *interpolate_type, double init_value, int n,
    const kn_optim_boundary *boundaries);
typedef struct kn_optim_onecycle_opts {
    size_t size_;
    double pct_start;        /* 0.3: the part of the steps up to the peak */
    double pct_final;        /* 0.85: of the linear one */
    double div_factor;       /* 25: the peak divided by this is the first value */
    double final_div_factor; /* 1e4: the first value divided by this is the last one */
} kn_optim_onecycle_opts;
KN_API kn_optim_onecycle_opts kn_optim_onecycle_opts_default(void);
/* the default options of kn_optim_linear_onecycle_schedule, those of kn_optim_onecycle_opts_default(), for programs
 * that fill a struct of options */
KN_API kn_optim_onecycle_opts kn_optim_linear_onecycle_schedule_opts_default(void);
/* optax.linear_onecycle_schedule: from peak / div_factor up to the peak (at pct_start of the steps), down to where
 * it began (at pct_final) and on to a final_div_factor-th of it, in straight lines */
KN_API kn_schedule kn_optim_linear_onecycle_schedule(int64_t transition_steps, double peak_value,
    const kn_optim_onecycle_opts *opts);
/* optax.cosine_onecycle_schedule: from peak / div_factor up to the peak (at pct_start of the steps), then down to
 * peak / (div_factor final_div_factor), along half cosines */
KN_API kn_schedule kn_optim_cosine_onecycle_schedule(int64_t transition_steps, double peak_value,
    const kn_optim_onecycle_opts *opts);
/* optax.warmup_constant_schedule: from init_value to peak_value in a straight line of warmup_steps, then constant */
KN_API kn_schedule kn_optim_warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps);
typedef struct kn_optim_warmup_cosine_decay_schedule_opts {
    size_t size_;
    double end_value; /* the last value */
    double exponent;  /* 1: of the cosine */
} kn_optim_warmup_cosine_decay_schedule_opts;
KN_API kn_optim_warmup_cosine_decay_schedule_opts kn_optim_warmup_cosine_decay_schedule_opts_default(void);
/* optax.warmup_cosine_decay_schedule: from init_value to the peak in a straight line, then down to end_value (0)
 * along half a cosine; decay_steps counts the warm-up, too */
KN_API kn_schedule kn_optim_warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
    int64_t decay_steps, const kn_optim_warmup_cosine_decay_schedule_opts *opts);
/* optax.warmup_exponential_decay_schedule: from init_value to the peak in a straight line of warmup_steps, then peak
 * rate^(step / steps) */
KN_API kn_schedule kn_optim_warmup_exponential_decay_schedule(double init_value, double peak_value, int64_t
    warmup_steps, int64_t transition_steps, double decay_rate, const kn_optim_exponential_decay_opts *opts);
/* optax.join_schedules: one schedule after the other: n schedules, n - 1 boundaries; each begins to count at its own
 * boundary */
KN_API kn_schedule kn_optim_join_schedules(int n, const kn_schedule *schedules, const int64_t *boundaries);
typedef struct kn_optim_sgdr_cycle {
    double init_value, peak_value; int64_t warmup_steps, decay_steps; double end_value, exponent; /* 0: 1 */
} kn_optim_sgdr_cycle;
/* warm restarts: one warmup_cosine_decay_schedule after the other; decay_steps is the length of each cycle */
KN_API kn_schedule kn_optim_sgdr_schedule(int n, const kn_optim_sgdr_cycle *cycles);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_schedule_at(schedule, step) KN_OPTIM_SCHEDULE_AT_(__COUNTER__, schedule, step)
#define KN_OPTIM_SCHEDULE_AT_(c, schedule, step)                                                                       \
    __extension__({ KN_TAKE(kn_schedule, 1, c, schedule) kn_array KN_V(2, c) = KN_LIKE(step); KN_HERE();               \
    (kn_optim_schedule_at)(KN_V(1, c), KN_V(2, c)); })
#define kn_optim_constant_schedule(value) KN_G1(kn_optim_constant_schedule, double, value)
#define kn_optim_linear_schedule(init_value, end_value, transition_steps, ...)                                         \
    KN_OPTIM_LINEAR_SCHEDULE_(__COUNTER__, init_value, end_value, transition_steps, __VA_ARGS__)
#define KN_OPTIM_LINEAR_SCHEDULE_(c, init_value, end_value, transition_steps, ...)                                     \
    __extension__({ KN_TAKE(double, 1, c, init_value) KN_TAKE(double, 2, c, end_value)                                 \
    KN_TAKE(int64_t, 3, c, transition_steps) KN_OPTS(c, kn_optim_linear_schedule_opts, (), __VA_ARGS__) KN_HERE();     \
    (kn_optim_linear_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_optim_polynomial_schedule(init_value, end_value, power, transition_steps, ...)                              \
    KN_OPTIM_POLYNOMIAL_SCHEDULE_(__COUNTER__, init_value, end_value, power, transition_steps, __VA_ARGS__)
#define KN_OPTIM_POLYNOMIAL_SCHEDULE_(c, init_value, end_value, power, transition_steps, ...)                          \
    __extension__({ KN_TAKE(double, 1, c, init_value) KN_TAKE(double, 2, c, end_value) KN_TAKE(double, 3, c, power)    \
    KN_TAKE(int64_t, 4, c, transition_steps) KN_OPTS(c, kn_optim_linear_schedule_opts, (), __VA_ARGS__) KN_HERE();     \
    (kn_optim_polynomial_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_optim_exponential_decay(init_value, transition_steps, decay_rate, ...)                                      \
    KN_OPTIM_EXPONENTIAL_DECAY_(__COUNTER__, init_value, transition_steps, decay_rate, __VA_ARGS__)
#define KN_OPTIM_EXPONENTIAL_DECAY_(c, init_value, transition_steps, decay_rate, ...)                                  \
    __extension__({ KN_TAKE(double, 1, c, init_value) KN_TAKE(int64_t, 2, c, transition_steps)                         \
    KN_TAKE(double, 3, c, decay_rate) KN_OPTS(c, kn_optim_exponential_decay_opts, (.end_value = __builtin_nan(""), ),  \
    __VA_ARGS__) KN_HERE(); (kn_optim_exponential_decay)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_optim_cosine_decay_schedule(init_value, decay_steps, ...)                                                   \
    KN_G2O(kn_optim_cosine_decay_schedule, kn_optim_cosine_decay_schedule_opts, (.exponent = 1, ), double, init_value, \
    int64_t, decay_steps, __VA_ARGS__)
#define kn_optim_linear_onecycle_schedule(transition_steps, peak_value, ...)                                           \
    KN_G2O(kn_optim_linear_onecycle_schedule, kn_optim_onecycle_opts, (.pct_start = 0.3, .pct_final = 0.85,            \
    .div_factor = 25, .final_div_factor = 1e4, ), int64_t, transition_steps, double, peak_value, __VA_ARGS__)
#define kn_optim_cosine_onecycle_schedule(transition_steps, peak_value, ...)                                           \
    KN_G2O(kn_optim_cosine_onecycle_schedule, kn_optim_onecycle_opts, (.pct_start = 0.3, .pct_final = 0.85,            \
    .div_factor = 25, .final_div_factor = 1e4, ), int64_t, transition_steps, double, peak_value, __VA_ARGS__)
#define kn_optim_warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, ...)                  \
    KN_OPTIM_WARMUP_COSINE_DECAY_SCHEDULE_(__COUNTER__, init_value, peak_value, warmup_steps, decay_steps,             \
    __VA_ARGS__)
#define KN_OPTIM_WARMUP_COSINE_DECAY_SCHEDULE_(c, init_value, peak_value, warmup_steps, decay_steps, ...)              \
    __extension__({ KN_TAKE(double, 1, c, init_value) KN_TAKE(double, 2, c, peak_value)                                \
    KN_TAKE(int64_t, 3, c, warmup_steps) KN_TAKE(int64_t, 4, c, decay_steps) KN_OPTS(c,                                \
    kn_optim_warmup_cosine_decay_schedule_opts, (.exponent = 1, ), __VA_ARGS__) KN_HERE();                             \
    (kn_optim_warmup_cosine_decay_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_optim_warmup_exponential_decay_schedule(init_value, peak_value, warmup_steps, transition_steps, decay_rate, \
    ...)                                                                                                               \
    KN_OPTIM_WARMUP_EXPONENTIAL_DECAY_SCHEDULE_(__COUNTER__, init_value, peak_value, warmup_steps, transition_steps,   \
    decay_rate, __VA_ARGS__)
#define KN_OPTIM_WARMUP_EXPONENTIAL_DECAY_SCHEDULE_(c, init_value, peak_value, warmup_steps, transition_steps,         \
    decay_rate, ...)                                                                                                   \
    __extension__({ KN_TAKE(double, 1, c, init_value) KN_TAKE(double, 2, c, peak_value)                                \
    KN_TAKE(int64_t, 3, c, warmup_steps) KN_TAKE(int64_t, 4, c, transition_steps) KN_TAKE(double, 5, c, decay_rate)    \
    KN_OPTS(c, kn_optim_exponential_decay_opts, (.end_value = __builtin_nan(""), ), __VA_ARGS__) KN_HERE();            \
    (kn_optim_warmup_exponential_decay_schedule)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c),           \
    KN_V(opt, c)); })
#endif
#endif
