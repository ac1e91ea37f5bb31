/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/functions.h -- what optax makes of functions: second derivatives of losses (optax.second_order), means
 * over random shifts (optax.perturbations), and sums over parts of a batch (optax.microbatching). All of them work
 * in traces, too. */
/* Made by scripts/make-api.py from api/optim/functions.api. */
/* clang-format off */
#ifndef KILN_OPTIM_FUNCTIONS_H
#define KILN_OPTIM_FUNCTIONS_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Second derivatives. A loss is a function of params (a struct or a tree), inputs and targets (an array each),
 * and returns one real number. */
/* optax.second_order.hvp: the loss's Hessian by the parameters times v, a vector as kn_tree_ravel makes it of the
 * parameters: a tree like them. No Hessian is made: it costs a few gradients. ValueError where v has another length
 * or dtype */
KN_API kn_tree kn_optim_hvp(kn_fn loss, kn_array v, kn_tree params, kn_array inputs, kn_array targets);
/* optax.second_order.hessian_diag: the diagonal of the loss's Hessian by the parameters, exactly: a vector in the
 * order and dtype of kn_tree_ravel. As many products as there are parameters, all at once
 * (kn_optim_hutchinson_estimator_diag_hessian estimates it with one) */
KN_API kn_array kn_optim_hessian_diag(kn_fn loss, kn_tree params, kn_array inputs, kn_array targets);
/* optax.second_order.fisher_diag: the diagonal of the observed Fisher matrix: the squares of the gradient by the
 * parameters, as a vector in the order of kn_tree_ravel */
KN_API kn_array kn_optim_fisher_diag(kn_fn negative_log_likelihood, kn_tree params, kn_array inputs, kn_array targets);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_hvp(loss, v, params, inputs, targets) KN_OPTIM_HVP_(__COUNTER__, loss, v, params, inputs, targets)
#define KN_OPTIM_HVP_(c, loss, v, params, inputs, targets)                                                             \
    __extension__({ KN_TAKE(kn_fn, 1, c, loss) kn_array KN_V(2, c) = KN_LIKE(v); KN_TAKE(kn_tree, 3, c, params)        \
    kn_array KN_V(4, c) = KN_LIKE(inputs); kn_array KN_V(5, c) = KN_LIKE(targets); KN_HERE();                          \
    (kn_optim_hvp)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c)); })
#define kn_optim_hessian_diag(loss, params, inputs, targets)                                                           \
    KN_OPTIM_HESSIAN_DIAG_(__COUNTER__, loss, params, inputs, targets)
#define KN_OPTIM_HESSIAN_DIAG_(c, loss, params, inputs, targets)                                                       \
    __extension__({ KN_TAKE(kn_fn, 1, c, loss) KN_TAKE(kn_tree, 2, c, params) kn_array KN_V(3, c) = KN_LIKE(inputs);   \
    kn_array KN_V(4, c) = KN_LIKE(targets); KN_HERE(); (kn_optim_hessian_diag)(KN_V(1, c), KN_V(2, c), KN_V(3, c),     \
    KN_V(4, c)); })
#define kn_optim_fisher_diag(negative_log_likelihood, params, inputs, targets)                                         \
    KN_OPTIM_FISHER_DIAG_(__COUNTER__, negative_log_likelihood, params, inputs, targets)
#define KN_OPTIM_FISHER_DIAG_(c, negative_log_likelihood, params, inputs, targets)                                     \
    __extension__({ KN_TAKE(kn_fn, 1, c, negative_log_likelihood) KN_TAKE(kn_tree, 2, c, params) kn_array              \
    KN_V(3, c) = KN_LIKE(inputs); kn_array KN_V(4, c) = KN_LIKE(targets); KN_HERE();                                   \
    (kn_optim_fisher_diag)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#endif
#endif
