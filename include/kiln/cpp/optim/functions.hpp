/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/functions.hpp -- the functions of kiln/optim/functions.h in C++. */
/* Made by scripts/make-api.py from api/optim/functions.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_FUNCTIONS_HPP
#define KILN_CPP_OPTIM_FUNCTIONS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
/* optax.second_order.hvp: the loss's Hessian by the parameters times v, a vector as kn_tree_ravel makes it of the
 * parameters: a tree like them. No Hessian is made: it costs a few gradients. ValueError where v has another length
 * or dtype */
inline pytree hvp(const ::kiln::fn &loss, const ::kiln::operand &v, const ::kiln::pytree &params, const ::kiln::operand
    &inputs, const ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array v_h = v.c(); kn_array inputs_h = inputs.c(); kn_array targets_h = targets.c();
    c_.here(); return pytree(c_.take(kn_optim_hvp(loss.c(), v_h, params.c(), inputs_h, targets_h))); }
/* optax.second_order.hessian_diag: the diagonal of the loss's Hessian by the parameters, exactly: a vector in the
 * order and dtype of kn_tree_ravel. As many products as there are parameters, all at once
 * (kn_optim_hutchinson_estimator_diag_hessian estimates it with one) */
inline array hessian_diag(const ::kiln::fn &loss, const ::kiln::pytree &params, const ::kiln::operand &inputs, const
    ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array inputs_h = inputs.c(); kn_array targets_h = targets.c(); c_.here(); return
    array::share(c_.take(kn_optim_hessian_diag(loss.c(), params.c(), inputs_h, targets_h))); }
/* optax.second_order.fisher_diag: the diagonal of the observed Fisher matrix: the squares of the gradient by the
 * parameters, as a vector in the order of kn_tree_ravel */
inline array fisher_diag(const ::kiln::fn &negative_log_likelihood, const ::kiln::pytree &params, const ::kiln::operand
    &inputs, const ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array inputs_h = inputs.c(); kn_array targets_h = targets.c(); c_.here(); return
    array::share(c_.take(kn_optim_fisher_diag(negative_log_likelihood.c(), params.c(), inputs_h, targets_h))); }
struct make_perturbed_fun_opts {
    KILN_OPTION((int64_t), num_samples, 1000) /* so many shifts, all at once */
    KILN_OPTION((double), sigma, 0.1) /* how wide they are */
    KILN_OPTION((::kiln::array), sigma_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((::kiln::text), noise, "gumbel") /* what they are drawn from */
    KILN_OPTION((bool), use_baseline, true)
    kn_optim_make_perturbed_fun_opts c() const {
        kn_optim_make_perturbed_fun_opts to_ = {}; to_.size_ = sizeof to_; to_.num_samples = detail::c_of(num_samples);
        to_.sigma = detail::c_of(sigma); to_.sigma_array = detail::c_of(sigma_array); to_.noise = detail::c_of(noise);
        to_.use_baseline = detail::c_of(use_baseline); return to_; }
};
/* optax.perturbations.make_perturbed_fun: a function of (key, x) that is the mean of fun(x + sigma z) over random z:
 * an estimate of a smooth function, whose derivatives of any order come from values of fun alone (Berthet et al.
 * 2020), so that fun may be an argmax, a sort, a program that decides. fun takes one struct or tree of floats and
 * returns one of any kind; key is a kn_random_key. The same key gives the same shifts. TypeError for another number
 * of arguments, ValueError for num_samples below 1 */
inline fn make_perturbed_fun(const ::kiln::fn &fun, const ::kiln::optim::make_perturbed_fun_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_make_perturbed_fun_opts opts_c = opts.c(); c_.here(); return
    fn(c_.take(kn_optim_make_perturbed_fun(fun.c(), &opts_c))); }
} // namespace optim
} // namespace kiln
#endif
