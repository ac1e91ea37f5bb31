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
struct microbatch_opts {
    KILN_OPTION((int), accumulator, KN_OPTIM_SUM) /* for all arrays of the result */
    KILN_OPTION((::kiln::pytree), accumulators, {})
    KILN_OPTION((::kiln::axes), in_axes, {}) /* the batch axis: one for all argnums, or one for each */
    KILN_OPTION((::kiln::array), num_real_microbatches, {})
    kn_optim_microbatch_opts c() const {
        kn_optim_microbatch_opts to_ = {}; to_.size_ = sizeof to_; to_.accumulator = detail::c_of(accumulator);
        to_.accumulators = detail::c_of(accumulators); to_.in_axes = detail::c_of(in_axes);
        to_.num_real_microbatches = detail::c_of(num_real_microbatches); return to_; }
};
/* optax.microbatch: a function with the arguments of fun, those of argnums (structs or trees of arrays with a batch
 * axis) having a larger batch: fun is called for parts of microbatch_size elements, one after the other in a loop,
 * and its values are accumulated, so that memory for one part is enough. Part i of n has the elements i, i + n, i +
 * 2n, ... It is differentiated, jitted and mapped as fun is (without num_real_microbatches in reverse mode, too). A
 * microbatch_size of 0 gives fun itself. A mean divides by the number of all parts, a running mean by that of those
 * that were worked out; rows of CONCAT that were not are zero. ValueError where batches differ in size, where
 * microbatch_size does not divide it, for means of what is not floating point */
inline fn microbatch(const ::kiln::fn &fun, kn_argnums argnums, int64_t microbatch_size, const
    ::kiln::optim::microbatch_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_microbatch_opts opts_c = opts.c(); c_.here(); return
    fn(c_.take(kn_optim_microbatch(fun.c(), argnums, microbatch_size, &opts_c))); }
} // namespace optim
} // namespace kiln
#endif
