/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim.h -- optimizers, as optax: pure functions of trees. The parameters, their gradients and the state are
 * trees of arrays: KN_TREE(&net), or kn_tree handles. They work in a function that is traced, too.
 *
 *     kn_optimizer adam = kn_optim_adam(.learning_rate = 1e-3);
 *     kn_tree state = kn_optim_init(adam, KN_TREE(&net));
 *     ... kn_optim_apply(adam, &state, KN_TREE(&net), KN_TREE(&grad)); in a loop */
#ifndef KILN_OPTIM_H
#define KILN_OPTIM_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. The learning rate has to be given; the others are optax's. A new rate compiles nothing anew. */
typedef struct kn_optim_sgd_opts {
    size_t size_; double learning_rate, momentum; bool nesterov; /* momentum: 0, none */
} kn_optim_sgd_opts;
typedef struct kn_optim_adam_opts {
    size_t size_; double learning_rate, b1, b2, eps, eps_root; bool nesterov; /* 0.9, 0.999, 1e-8, 0, false */
} kn_optim_adam_opts;
typedef struct kn_optim_adamw_opts {
    size_t size_; double learning_rate, b1, b2, eps, eps_root; bool nesterov; double weight_decay; /* decay: 1e-4 */
} kn_optim_adamw_opts;
KN_API kn_optim_sgd_opts kn_optim_sgd_opts_default(void);
KN_API kn_optim_adam_opts kn_optim_adam_opts_default(void);
KN_API kn_optim_adamw_opts kn_optim_adamw_opts_default(void);

/* ---- Optimizers. NULL with an error for options that make no sense. */
KN_API kn_optimizer kn_optim_sgd(const kn_optim_sgd_opts *opts);     /* optax.sgd: p - rate g; momentum: optax.trace */
KN_API kn_optimizer kn_optim_adam(const kn_optim_adam_opts *opts);   /* optax.adam */
KN_API kn_optimizer kn_optim_adamw(const kn_optim_adamw_opts *opts); /* optax.adamw: decoupled weight decay */

/* ---- Steps. Functions that return a status give 0, or -1 with an error; then nothing was changed. */
/* the state before the first step: for adam a count, then the moments, all zero; for sgd the traces, if any */
KN_API kn_tree kn_optim_init(kn_optimizer optimizer, kn_tree params);
/* what to add to the parameters, and the next state; params may be NULL unless there is weight decay */
KN_API int kn_optim_update(kn_optimizer optimizer, kn_tree grads, kn_tree state, kn_tree params, kn_tree *updates,
                           kn_tree *new_state);
/* optax.apply_updates: the sums, in the parameters' dtypes */
KN_API kn_tree kn_optim_apply_updates(kn_tree params, kn_tree updates);
/* a whole step: new parameters and the new state take the old places */
KN_API int kn_optim_apply(kn_optimizer optimizer, kn_tree *state, kn_tree params, kn_tree grads);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_OPTIM_(c, f, T, D, ...)                                                                                     \
    __extension__({ KN_OPTS(c, T, D, .size_ = sizeof(T) __VA_OPT__(, ) __VA_ARGS__) KN_HERE(); (f)(KN_V(opt, c)); })
#define KN_ADAM_DEFAULTS .learning_rate = __builtin_nan(""), .b1 = 0.9, .b2 = 0.999, .eps = 1e-8,
#define kn_optim_sgd(...)                                                                                              \
    KN_OPTIM_(__COUNTER__, kn_optim_sgd, kn_optim_sgd_opts, (.learning_rate = __builtin_nan(""), ), __VA_ARGS__)
#define kn_optim_adam(...) KN_OPTIM_(__COUNTER__, kn_optim_adam, kn_optim_adam_opts, (KN_ADAM_DEFAULTS), __VA_ARGS__)
#define kn_optim_adamw(...)                                                                                            \
    KN_OPTIM_(__COUNTER__, kn_optim_adamw, kn_optim_adamw_opts, (KN_ADAM_DEFAULTS .weight_decay = 1e-4, ), __VA_ARGS__)
#define kn_optim_init(optimizer, params) KN_G2(kn_optim_init, kn_optimizer, optimizer, kn_tree, params)
#define kn_optim_apply_updates(params, updates) KN_G2(kn_optim_apply_updates, kn_tree, params, kn_tree, updates)
#define kn_optim_update(optimizer, grads, state, params, updates, new_state)                                           \
    KN_OPTIM_UPDATE_(__COUNTER__, optimizer, grads, state, params, updates, new_state)
#define KN_OPTIM_UPDATE_(c, optimizer, grads, state, params, updates, new_state)                                       \
    __extension__({ kn_optimizer KN_V(1, c) = (optimizer); kn_tree KN_V(2, c) = (grads); kn_tree KN_V(3, c) = (state); \
        kn_tree KN_V(4, c) = (params); kn_tree *KN_V(5, c) = (updates); kn_tree *KN_V(6, c) = (new_state); KN_HERE();  \
        (kn_optim_update)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c), KN_V(6, c)); })
#define kn_optim_apply(optimizer, state, params, grads) KN_OPTIM_APPLY_(__COUNTER__, optimizer, state, params, grads)
#define KN_OPTIM_APPLY_(c, optimizer, state, params, grads)                                                            \
    __extension__({ kn_optimizer KN_V(1, c) = (optimizer); kn_tree *KN_V(2, c) = (state);                   \
        kn_tree KN_V(3, c) = (params); kn_tree KN_V(4, c) = (grads); KN_HERE();                                        \
        (kn_optim_apply)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#endif
#endif
