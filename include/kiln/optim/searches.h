/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/searches.h -- L-BFGS and line searches, as optax: transformations that evaluate the loss on the way. A
 * step gets it as .value_fn of kn_optim_update, with its value at the parameters as .value:
 *
 * kn_optim_apply(lbfgs, &state, KN_TREE(&p), KN_TREE(&g), .value = v, .value_fn = KN_FN(loss)); */
/* Made by scripts/make-api.py from api/optim/searches.api. */
/* clang-format off */
#ifndef KILN_OPTIM_SEARCHES_H
#define KILN_OPTIM_SEARCHES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_optim_scale_by_lbfgs_opts {
    size_t size_;
    int memory_size;         /* 10: differences that are remembered */
    bool scale_init_precond; /* true: begin with a multiple of the identity */
} kn_optim_scale_by_lbfgs_opts;
KN_API kn_optim_scale_by_lbfgs_opts kn_optim_scale_by_lbfgs_opts_default(void);
/* optax.scale_by_lbfgs: updates times an approximation of the inverse of the Hessian, made of the last memory_size
 * differences of the parameters and of their gradients (Liu and Nocedal 1989). The first step is the gradient, of
 * norm 1 at most. The state keeps memory_size arrays of the shape of each parameter, twice. ValueError for a
 * memory_size below 1 */
KN_API kn_optimizer kn_optim_scale_by_lbfgs(const kn_optim_scale_by_lbfgs_opts *opts);
typedef struct kn_optim_lbfgs_opts {
    size_t size_;
    double learning_rate;               /* NAN: of the step (1) */
    kn_schedule learning_rate_schedule; /* by the step, in the place of the number */
    kn_array learning_rate_array;       /* a 0-d array, in the place of the number */
    int memory_size;                    /* 10: differences that are remembered */
    bool scale_init_precond;            /* true: begin with a multiple of the identity */
    /* how long steps are: kn_optim_scale_by_zoom_linesearch(20, .initial_guess_strategy = "one") if not given,
     * kn_optim_identity() for no search */
    kn_optimizer linesearch;
} kn_optim_lbfgs_opts;
KN_API kn_optim_lbfgs_opts kn_optim_lbfgs_opts_default(void);
/* optax.lbfgs: L-BFGS: steps along the gradient times an approximation of the inverse of the Hessian, as long as a
 * line search finds. Steps need .value and .value_fn of kn_optim_update unless linesearch is kn_optim_identity().
 * For losses without noise. ValueError for a memory_size below 1 */
KN_API kn_optimizer kn_optim_lbfgs(const kn_optim_lbfgs_opts *opts);
typedef struct kn_optim_scale_by_backtracking_linesearch_opts {
    size_t size_;
    double slope_rtol;        /* 1e-4: the loss has to fall by this part of what its slope promises */
    double decrease_factor;   /* 0.8: times the rate where it does not */
    double increase_factor;   /* 1.5: times the rate of the step before, for the first try */
    double max_learning_rate; /* 1: no rate is larger */
    double atol;              /* the loss may be higher by this */
    double rtol;              /* and by this part of it */
    bool store_grad;          /* keep the gradient behind the step, for kn_optim_value_and_grad_from_state */
} kn_optim_scale_by_backtracking_linesearch_opts;
KN_API kn_optim_scale_by_backtracking_linesearch_opts kn_optim_scale_by_backtracking_linesearch_opts_default(void);
/* optax.scale_by_backtracking_linesearch: updates times a rate after which the loss has fallen enough: f(p + rate u)
 * <= (1 + rtol) f(p) + rate slope_rtol <u, g> + atol (Armijo). It is shortened until then, max_backtracking_steps
 * times at most. Steps need .value and .value_fn of kn_optim_update. Where nothing but infinities and NANs is found
 * the rate is 0. There is no .verbose: .info in the state says how the search went. value_fn sees the parameters in
 * their own dtypes. ValueError for a negative number of steps; TypeError from a step without .value or .value_fn,
 * and for functions that do not take the parameters or return no real scalar */
KN_API kn_optimizer kn_optim_scale_by_backtracking_linesearch(int64_t max_backtracking_steps,
    const kn_optim_scale_by_backtracking_linesearch_opts *opts);
typedef struct kn_optim_scale_by_zoom_linesearch_opts {
    size_t size_;
    double max_learning_rate;           /* NAN: no rate is larger (NAN: any) */
    double tol;                         /* of both conditions */
    double increase_factor;             /* 2: times the rate, while it is too short */
    double slope_rtol;                  /* 1e-4: the loss has to fall by this part of what its slope promises */
    double curv_rtol;                   /* 0.9: its slope has to be smaller than this part of the first one */
    /* 1e-6: where losses differ by less than this part, slopes decide (NAN: nowhere) */
    double approx_dec_rtol;
    double stepsize_precision;          /* 1e-5: intervals smaller than this are not searched any more */
    const char *initial_guess_strategy; /* "keep"; or "one": the first try: a rate of 1, or that of the step before */
} kn_optim_scale_by_zoom_linesearch_opts;
KN_API kn_optim_scale_by_zoom_linesearch_opts kn_optim_scale_by_zoom_linesearch_opts_default(void);
/* optax.scale_by_zoom_linesearch: updates times a rate after which the loss has fallen enough, f(p + rate u) <= f(p)
 * + rate slope_rtol <u, g> + tol, and is flat enough along u, |<u, g(p + rate u)>| <= curv_rtol |<u, g>| + tol
 * (Nocedal and Wright 1999, algorithms 3.5 and 3.6). The loss and its gradient are worked out max_linesearch_steps
 * times at most; the state keeps those behind the step, for kn_optim_value_and_grad_from_state, and in .info how the
 * search went (there is no .verbose). value_fn sees the parameters in their own dtypes. Steps need .value and
 * .value_fn of kn_optim_update. ValueError for another strategy and a negative number of steps; TypeError from a
 * step without .value or .value_fn, and for functions that do not take the parameters or return no real scalar */
KN_API kn_optimizer kn_optim_scale_by_zoom_linesearch(int64_t max_linesearch_steps,
    const kn_optim_scale_by_zoom_linesearch_opts *opts);
/* optax.value_and_grad_from_state: the loss and its gradients at the parameters, a tree like them: those that a line
 * search left in the state, or from value_fn where that has none yet (where the value in it is infinite or NAN). 0,
 * or -1 with an error: ValueError where no value and gradients are in the state (a search without .store_grad),
 * KeyError where there are several, TypeError for functions that do not take the parameters or return no real scalar */
KN_API int kn_optim_value_and_grad_from_state(kn_fn value_fn, kn_tree params, kn_tree state, kn_array *value,
    kn_tree *grad);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_scale_by_lbfgs(...)                                                                                   \
    KN_F0O(kn_optim_scale_by_lbfgs, kn_optim_scale_by_lbfgs_opts, (.memory_size = 10, .scale_init_precond = true, ),   \
    __VA_ARGS__)
#define kn_optim_lbfgs(...)                                                                                            \
    KN_F0O(kn_optim_lbfgs, kn_optim_lbfgs_opts, (.learning_rate = __builtin_nan(""), .memory_size = 10,                \
    .scale_init_precond = true, ), __VA_ARGS__)
#define kn_optim_scale_by_backtracking_linesearch(max_backtracking_steps, ...)                                         \
    KN_G1O(kn_optim_scale_by_backtracking_linesearch, kn_optim_scale_by_backtracking_linesearch_opts,                  \
    (.slope_rtol = 1e-4, .decrease_factor = 0.8, .increase_factor = 1.5, .max_learning_rate = 1, ), int64_t,           \
    max_backtracking_steps, __VA_ARGS__)
#define kn_optim_scale_by_zoom_linesearch(max_linesearch_steps, ...)                                                   \
    KN_G1O(kn_optim_scale_by_zoom_linesearch, kn_optim_scale_by_zoom_linesearch_opts,                                  \
    (.max_learning_rate = __builtin_nan(""), .increase_factor = 2, .slope_rtol = 1e-4, .curv_rtol = 0.9,               \
    .approx_dec_rtol = 1e-6, .stepsize_precision = 1e-5, .initial_guess_strategy = "keep", ), int64_t,                 \
    max_linesearch_steps, __VA_ARGS__)
#define kn_optim_value_and_grad_from_state(value_fn, params, state, value, grad)                                       \
    KN_OPTIM_VALUE_AND_GRAD_FROM_STATE_(__COUNTER__, value_fn, params, state, value, grad)
#define KN_OPTIM_VALUE_AND_GRAD_FROM_STATE_(c, value_fn, params, state, value, grad)                                   \
    __extension__({ KN_TAKE(kn_fn, 1, c, value_fn) KN_TAKE(kn_tree, 2, c, params) KN_TAKE(kn_tree, 3, c, state)        \
    KN_TAKE(kn_array *, 4, c, value) KN_TAKE(kn_tree *, 5, c, grad) KN_HERE();                                         \
    (kn_optim_value_and_grad_from_state)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c)); })
#endif
#endif
