/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim.h -- optimizers, losses and schedules, as optax: pure functions of trees. The parameters, their
 * gradients and the state are trees of arrays: KN_TREE(&net), or kn_tree handles. They work in a function that is
 * traced, too.
 *
 * kn_optimizer adam = kn_optim_adam(.learning_rate = 1e-3); kn_tree state = kn_optim_init(adam, KN_TREE(&net)); ...
 * kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&grad)); in a loop */
/* Made by scripts/make-api.py from api/optim.api. */
/* clang-format off */
#ifndef KILN_OPTIM_H
#define KILN_OPTIM_H
#include "kiln/optim/assignment.h"
#include "kiln/optim/functions.h"
#include "kiln/optim/losses.h"
#include "kiln/optim/optimizers.h"
#include "kiln/optim/contrib.h"
#include "kiln/optim/around.h"
#include "kiln/optim/projections.h"
#include "kiln/optim/scales.h"
#include "kiln/optim/searches.h"
#include "kiln/optim/trees.h"
#include "kiln/optim/schedules.h"
#include "kiln/optim/transforms.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Steps. Functions that return a status give 0, or -1 with an error; then nothing was changed. */
/* What some optimizers ask for: value, the loss at the parameters (polyak_sgd, momo, reduce_on_plateau); hessian, a
 * tree like the gradients of estimates of the diagonal of the loss's Hessian (sophia;
 * kn_optim_hutchinson_estimator_diag_hessian). Line searches (lbfgs, scale_by_zoom_linesearch,
 * scale_by_backtracking_linesearch) ask for value and for value_fn, KN_FN(loss): the loss as a function of the
 * parameters alone, as kn_grad takes it; data that it needs are arrays that it captures (KN_CLOSURE). grad: its
 * gradients at the parameters, where they are not those that the step is given. */
typedef struct kn_optim_update_opts {
    size_t size_; kn_array value; kn_tree hessian; kn_fn value_fn; kn_tree grad;
} kn_optim_update_opts;
KN_API kn_optim_update_opts kn_optim_update_opts_default(void);
/* the optimizer's state before the first step, as optax has it: for adam a count, then the moments, all zero; for
 * sgd the traces, if any. Its leaves have names: [0].mu.w1 */
KN_API kn_tree kn_optim_init(kn_optimizer optimizer, kn_tree params);
/* one step of an optimizer without touching the parameters: what to add to them, and the next state. params may be
 * NULL unless the optimizer asks for them (weight decay); then that is an error */
KN_API int kn_optim_update(kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params, kn_tree *updates,
    kn_tree *new_state, const kn_optim_update_opts *opts);
/* optax.apply_updates: parameters plus updates, leaf by leaf, in the parameters' dtypes: a new tree */
KN_API kn_tree kn_optim_apply_updates(kn_tree params, kn_tree updates);
/* a whole step: kn_optim_update and kn_optim_apply_updates; new parameters and the new state take the old places. 0,
 * or -1 with an error; then nothing was changed */
KN_API int kn_optim_apply(kn_optimizer optimizer, kn_tree *state, kn_tree params, kn_tree grads,
    const kn_optim_update_opts *opts);

/* ---- Helpers. */
/* optax.global_norm: the norm of all arrays of a tree together, the root of the sum of all |x|^2: a number */
KN_API kn_array kn_optim_global_norm(kn_tree tree);
/* optax.incremental_update: step_size new + (1 - step_size) old, leaf by leaf: a slow copy of parameters that
 * follows them */
KN_API kn_tree kn_optim_incremental_update(kn_tree new_tensors, kn_tree old_tensors, double step_size);
/* optax.periodic_update: the new tree where steps is a multiple of the period, else the old one: a copy that is
 * renewed now and then */
KN_API kn_tree kn_optim_periodic_update(kn_tree new_tensors, kn_tree old_tensors, kn_array steps, int64_t
    update_period);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_init(optimizer, params) KN_G2(kn_optim_init, kn_optimizer, optimizer, kn_tree, params)
#define kn_optim_update(optimizer, grads, state, params, updates, new_state, ...)                                      \
    KN_OPTIM_UPDATE_(__COUNTER__, optimizer, grads, state, params, updates, new_state, __VA_ARGS__)
#define KN_OPTIM_UPDATE_(c, optimizer, grads, state, params, updates, new_state, ...)                                  \
    __extension__({ KN_TAKE(kn_optimizer, 1, c, optimizer) KN_TAKE(kn_tree, 2, c, grads) KN_TAKE(kn_tree, 3, c, state) \
    KN_TAKE(kn_tree, 4, c, params) KN_TAKE(kn_tree *, 5, c, updates) KN_TAKE(kn_tree *, 6, c, new_state) KN_OPTS(c,    \
    kn_optim_update_opts, (), __VA_ARGS__) KN_HERE(); (kn_optim_update)(KN_V(1, c), KN_V(2, c), KN_V(3, c),            \
    KN_V(4, c), KN_V(5, c), KN_V(6, c), KN_V(opt, c)); })
#define kn_optim_apply_updates(params, updates) KN_G2(kn_optim_apply_updates, kn_tree, params, kn_tree, updates)
#define kn_optim_apply(optimizer, state, params, grads, ...)                                                           \
    KN_OPTIM_APPLY_(__COUNTER__, optimizer, state, params, grads, __VA_ARGS__)
#define KN_OPTIM_APPLY_(c, optimizer, state, params, grads, ...)                                                       \
    __extension__({ KN_TAKE(kn_optimizer, 1, c, optimizer) KN_TAKE(kn_tree *, 2, c, state)                             \
    KN_TAKE(kn_tree, 3, c, params) KN_TAKE(kn_tree, 4, c, grads) KN_OPTS(c, kn_optim_update_opts, (), __VA_ARGS__)     \
    KN_HERE(); (kn_optim_apply)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_optim_global_norm(tree) KN_G1(kn_optim_global_norm, kn_tree, tree)
#define kn_optim_incremental_update(new_tensors, old_tensors, step_size)                                               \
    KN_OPTIM_INCREMENTAL_UPDATE_(__COUNTER__, new_tensors, old_tensors, step_size)
#define KN_OPTIM_INCREMENTAL_UPDATE_(c, new_tensors, old_tensors, step_size)                                           \
    __extension__({ KN_TAKE(kn_tree, 1, c, new_tensors) KN_TAKE(kn_tree, 2, c, old_tensors)                            \
    KN_TAKE(double, 3, c, step_size) KN_HERE(); (kn_optim_incremental_update)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_periodic_update(new_tensors, old_tensors, steps, update_period)                                       \
    KN_OPTIM_PERIODIC_UPDATE_(__COUNTER__, new_tensors, old_tensors, steps, update_period)
#define KN_OPTIM_PERIODIC_UPDATE_(c, new_tensors, old_tensors, steps, update_period)                                   \
    __extension__({ KN_TAKE(kn_tree, 1, c, new_tensors) KN_TAKE(kn_tree, 2, c, old_tensors) kn_array                   \
    KN_V(3, c) = KN_LIKE(steps); KN_TAKE(int64_t, 4, c, update_period) KN_HERE();                                      \
    (kn_optim_periodic_update)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#endif
#endif
