/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim.hpp -- the functions of kiln/optim.h in C++. */
/* Made by scripts/make-api.py from api/optim.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_HPP
#define KILN_CPP_OPTIM_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/optim/assignment.hpp"
#include "kiln/cpp/optim/functions.hpp"
#include "kiln/cpp/optim/losses.hpp"
#include "kiln/cpp/optim/optimizers.hpp"
#include "kiln/cpp/optim/contrib.hpp"
#include "kiln/cpp/optim/around.hpp"
#include "kiln/cpp/optim/projections.hpp"
#include "kiln/cpp/optim/scales.hpp"
#include "kiln/cpp/optim/searches.hpp"
#include "kiln/cpp/optim/trees.hpp"
#include "kiln/cpp/optim/schedules.hpp"
#include "kiln/cpp/optim/transforms.hpp"

namespace kiln {
namespace optim {
struct update_opts {
    KILN_OPTION((::kiln::array), value, {})
    KILN_OPTION((::kiln::pytree), hessian, {})
    KILN_OPTION((::kiln::fn), value_fn, {})
    KILN_OPTION((::kiln::pytree), grad, {})
    kn_optim_update_opts c() const {
        kn_optim_update_opts to_ = {}; to_.size_ = sizeof to_; to_.value = detail::c_of(value);
        to_.hessian = detail::c_of(hessian); to_.value_fn = detail::c_of(value_fn); to_.grad = detail::c_of(grad);
        return to_; }
};
/* the optimizer's state before the first step, as optax has it: for adam a count, then the moments, all zero; for
 * sgd the traces, if any. Its leaves have names: [0].mu.w1 */
inline pytree init(const ::kiln::handle<kn_optimizer> &optimizer, const ::kiln::pytree &params, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_init(optimizer.c(), params.c()))); }
/* optax.apply_updates: parameters plus updates, leaf by leaf, in the parameters' dtypes: a new tree */
inline pytree apply_updates(const ::kiln::pytree &params, const ::kiln::pytree &updates, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_apply_updates(params.c(), updates.c()))); }
/* optax.global_norm: the norm of all arrays of a tree together, the root of the sum of all |x|^2: a number */
inline array global_norm(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_global_norm(tree.c()))); }
/* optax.incremental_update: step_size new + (1 - step_size) old, leaf by leaf: a slow copy of parameters that
 * follows them */
inline pytree incremental_update(const ::kiln::pytree &new_tensors, const ::kiln::pytree &old_tensors, double step_size,
    place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_incremental_update(new_tensors.c(), old_tensors.c(),
    step_size))); }
/* optax.periodic_update: the new tree where steps is a multiple of the period, else the old one: a copy that is
 * renewed now and then */
inline pytree periodic_update(const ::kiln::pytree &new_tensors, const ::kiln::pytree &old_tensors, const
    ::kiln::operand &steps, int64_t update_period, place where = here())
{ detail::call c_(where); kn_array steps_h = steps.c(); c_.here(); return
    pytree(c_.take(kn_optim_periodic_update(new_tensors.c(), old_tensors.c(), steps_h, update_period))); }
} // namespace optim
} // namespace kiln
#endif
