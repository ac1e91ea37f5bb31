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
} // namespace optim
} // namespace kiln
#endif
