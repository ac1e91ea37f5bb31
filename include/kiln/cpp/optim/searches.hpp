/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/searches.hpp -- the functions of kiln/optim/searches.h in C++. */
/* Made by scripts/make-api.py from api/optim/searches.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_SEARCHES_HPP
#define KILN_CPP_OPTIM_SEARCHES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
struct scale_by_lbfgs_opts {
    KILN_OPTION((int), memory_size, 10) /* differences that are remembered */
    KILN_OPTION((bool), scale_init_precond, true) /* begin with a multiple of the identity */
    kn_optim_scale_by_lbfgs_opts c() const {
        kn_optim_scale_by_lbfgs_opts to_ = {}; to_.size_ = sizeof to_; to_.memory_size = detail::c_of(memory_size);
        to_.scale_init_precond = detail::c_of(scale_init_precond); return to_; }
};
/* optax.scale_by_lbfgs: updates times an approximation of the inverse of the Hessian, made of the last memory_size
 * differences of the parameters and of their gradients (Liu and Nocedal 1989). The first step is the gradient, of
 * norm 1 at most. The state keeps memory_size arrays of the shape of each parameter, twice. ValueError for a
 * memory_size below 1 */
inline handle<kn_optimizer> scale_by_lbfgs(const ::kiln::optim::scale_by_lbfgs_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_lbfgs_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_lbfgs(&opts_c))); }
struct lbfgs_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* of the step (1) */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((int), memory_size, 10) /* differences that are remembered */
    KILN_OPTION((bool), scale_init_precond, true) /* begin with a multiple of the identity */
    KILN_OPTION((::kiln::handle<kn_optimizer>), linesearch, {})
    kn_optim_lbfgs_opts c() const {
        kn_optim_lbfgs_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.memory_size = detail::c_of(memory_size);
        to_.scale_init_precond = detail::c_of(scale_init_precond); to_.linesearch = detail::c_of(linesearch); return
        to_; }
};
/* optax.lbfgs: L-BFGS: steps along the gradient times an approximation of the inverse of the Hessian, as long as a
 * line search finds. Steps need .value and .value_fn of kn_optim_update unless linesearch is kn_optim_identity().
 * For losses without noise. ValueError for a memory_size below 1 */
inline handle<kn_optimizer> lbfgs(const ::kiln::optim::lbfgs_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_lbfgs_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_lbfgs(&opts_c))); }
struct scale_by_backtracking_linesearch_opts {
    KILN_OPTION((double), slope_rtol, 1e-4) /* the loss has to fall by this part of what its slope promises */
    KILN_OPTION((double), decrease_factor, 0.8) /* times the rate where it does not */
    KILN_OPTION((double), increase_factor, 1.5) /* times the rate of the step before, for the first try */
    KILN_OPTION((double), max_learning_rate, 1) /* no rate is larger */
    KILN_OPTION((double), atol, {}) /* the loss may be higher by this */
    KILN_OPTION((double), rtol, {}) /* and by this part of it */
    KILN_OPTION((bool), store_grad, {}) /* keep the gradient behind the step, for kn_optim_value_and_grad_from_state */
    kn_optim_scale_by_backtracking_linesearch_opts c() const {
        kn_optim_scale_by_backtracking_linesearch_opts to_ = {}; to_.size_ = sizeof to_;
        to_.slope_rtol = detail::c_of(slope_rtol); to_.decrease_factor = detail::c_of(decrease_factor);
        to_.increase_factor = detail::c_of(increase_factor); to_.max_learning_rate = detail::c_of(max_learning_rate);
        to_.atol = detail::c_of(atol); to_.rtol = detail::c_of(rtol); to_.store_grad = detail::c_of(store_grad); return
        to_; }
};
/* optax.scale_by_backtracking_linesearch: updates times a rate after which the loss has fallen enough: f(p + rate u)
 * <= (1 + rtol) f(p) + rate slope_rtol <u, g> + atol (Armijo). It is shortened until then, max_backtracking_steps
 * times at most. Steps need .value and .value_fn of kn_optim_update. Where nothing but infinities and NANs is found
 * the rate is 0. There is no .verbose: .info in the state says how the search went. value_fn sees the parameters in
 * their own dtypes. ValueError for a negative number of steps; TypeError from a step without .value or .value_fn,
 * and for functions that do not take the parameters or return no real scalar */
inline handle<kn_optimizer> scale_by_backtracking_linesearch(int64_t max_backtracking_steps, const
    ::kiln::optim::scale_by_backtracking_linesearch_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_backtracking_linesearch_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_backtracking_linesearch(max_backtracking_steps, &opts_c))); }
struct scale_by_zoom_linesearch_opts {
    KILN_OPTION((double), max_learning_rate, __builtin_nan("")) /* no rate is larger (NAN: any) */
    KILN_OPTION((double), tol, {}) /* of both conditions */
    KILN_OPTION((double), increase_factor, 2) /* times the rate, while it is too short */
    KILN_OPTION((double), slope_rtol, 1e-4) /* the loss has to fall by this part of what its slope promises */
    KILN_OPTION((double), curv_rtol, 0.9) /* its slope has to be smaller than this part of the first one */
    KILN_OPTION((double), approx_dec_rtol, 1e-6)
    KILN_OPTION((double), stepsize_precision, 1e-5) /* intervals smaller than this are not searched any more */
    KILN_OPTION((::kiln::text), initial_guess_strategy, "keep")
    kn_optim_scale_by_zoom_linesearch_opts c() const {
        kn_optim_scale_by_zoom_linesearch_opts to_ = {}; to_.size_ = sizeof to_;
        to_.max_learning_rate = detail::c_of(max_learning_rate); to_.tol = detail::c_of(tol);
        to_.increase_factor = detail::c_of(increase_factor); to_.slope_rtol = detail::c_of(slope_rtol);
        to_.curv_rtol = detail::c_of(curv_rtol); to_.approx_dec_rtol = detail::c_of(approx_dec_rtol);
        to_.stepsize_precision = detail::c_of(stepsize_precision);
        to_.initial_guess_strategy = detail::c_of(initial_guess_strategy); return to_; }
};
/* optax.scale_by_zoom_linesearch: updates times a rate after which the loss has fallen enough, f(p + rate u) <= f(p)
 * + rate slope_rtol <u, g> + tol, and is flat enough along u, |<u, g(p + rate u)>| <= curv_rtol |<u, g>| + tol
 * (Nocedal and Wright 1999, algorithms 3.5 and 3.6). The loss and its gradient are worked out max_linesearch_steps
 * times at most; the state keeps those behind the step, for kn_optim_value_and_grad_from_state, and in .info how the
 * search went (there is no .verbose). value_fn sees the parameters in their own dtypes. Steps need .value and
 * .value_fn of kn_optim_update. ValueError for another strategy and a negative number of steps; TypeError from a
 * step without .value or .value_fn, and for functions that do not take the parameters or return no real scalar */
inline handle<kn_optimizer> scale_by_zoom_linesearch(int64_t max_linesearch_steps, const
    ::kiln::optim::scale_by_zoom_linesearch_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_zoom_linesearch_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_zoom_linesearch(max_linesearch_steps, &opts_c))); }
/* optax.value_and_grad_from_state: the loss and its gradients at the parameters, a tree like them: those that a line
 * search left in the state, or from value_fn where that has none yet (where the value in it is infinite or NAN). 0,
 * or -1 with an error: ValueError where no value and gradients are in the state (a search without .store_grad),
 * KeyError where there are several, TypeError for functions that do not take the parameters or return no real scalar */
inline int value_and_grad_from_state(const ::kiln::fn &value_fn, const ::kiln::pytree &params, const ::kiln::pytree
    &state, kn_array *value, kn_tree *grad, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_optim_value_and_grad_from_state(value_fn.c(), params.c(),
    state.c(), value, grad)); }
} // namespace optim
} // namespace kiln
#endif
