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

/* ---- Functions that have no derivative, or no useful one. */
typedef struct kn_optim_make_perturbed_fun_opts {
    size_t size_;
    int64_t num_samples;  /* 1000: so many shifts, all at once */
    double sigma;         /* 0.1: how wide they are */
    kn_array sigma_array; /* a 0-d array, in the place of the number */
    const char *noise;    /* "gumbel"; or "normal": what they are drawn from */
    /* true: less the value without a shift, which leaves the mean as it is and makes derivatives less noisy */
    bool use_baseline;
} kn_optim_make_perturbed_fun_opts;
KN_API kn_optim_make_perturbed_fun_opts kn_optim_make_perturbed_fun_opts_default(void);
/* optax.perturbations.make_perturbed_fun: a function of (key, x) that is the mean of fun(x + sigma z) over random z:
 * an estimate of a smooth function, whose derivatives of any order come from values of fun alone (Berthet et al.
 * 2020), so that fun may be an argmax, a sort, a program that decides. fun takes one struct or tree of floats and
 * returns one of any kind; key is a kn_random_key. The same key gives the same shifts. TypeError for another number
 * of arguments, ValueError for num_samples below 1 */
KN_API kn_fn kn_optim_make_perturbed_fun(kn_fn fun, const kn_optim_make_perturbed_fun_opts *opts);

/* ---- Batches that do not fit. */

/* How the values of a function for the parts of a batch become one: the sum over the parts, divided by their number;
 * the sum; the mean of those that there were so far; one behind the other along the first axis. */
enum { KN_OPTIM_MEAN = 1, KN_OPTIM_SUM, KN_OPTIM_RUNNING_MEAN, KN_OPTIM_CONCAT };
typedef struct kn_optim_microbatch_opts {
    size_t size_;
    int accumulator;                /* KN_OPTIM_SUM: for all arrays of the result */
    /* in its place: a tree of these numbers that is a prefix of the result, kn_tree_tuple(KN_OPTIM_CONCAT,
     * KN_OPTIM_SUM) */
    kn_tree accumulators;
    kn_axes in_axes;                /* not given, axis 0: the batch axis: one for all argnums, or one for each */
    kn_array num_real_microbatches; /* a 0-d integer array: only so many parts are worked out, at most all */
} kn_optim_microbatch_opts;
KN_API kn_optim_microbatch_opts kn_optim_microbatch_opts_default(void);
/* optax.microbatch: a function with the arguments of fun, those of argnums (structs or trees of arrays with a batch
 * axis) having a larger batch: fun is called for parts of microbatch_size elements, one after the other in a loop,
 * and its values are accumulated, so that memory for one part is enough. Part i of n has the elements i, i + n, i +
 * 2n, ... It is differentiated, jitted and mapped as fun is (without num_real_microbatches in reverse mode, too). A
 * microbatch_size of 0 gives fun itself. A mean divides by the number of all parts, a running mean by that of those
 * that were worked out; rows of CONCAT that were not are zero. ValueError where batches differ in size, where
 * microbatch_size does not divide it, for means of what is not floating point */
KN_API kn_fn kn_optim_microbatch(kn_fn fun, kn_argnums argnums, int64_t microbatch_size,
    const kn_optim_microbatch_opts *opts);

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
#define kn_optim_make_perturbed_fun(fun, ...)                                                                          \
    KN_G1O(kn_optim_make_perturbed_fun, kn_optim_make_perturbed_fun_opts, (.num_samples = 1000, .sigma = 0.1,          \
    .noise = "gumbel", .use_baseline = true, ), kn_fn, fun, __VA_ARGS__)
#define kn_optim_microbatch(fun, argnums, microbatch_size, ...)                                                        \
    KN_OPTIM_MICROBATCH_(__COUNTER__, fun, argnums, microbatch_size, __VA_ARGS__)
#define KN_OPTIM_MICROBATCH_(c, fun, argnums, microbatch_size, ...)                                                    \
    __extension__({ KN_TAKE(kn_fn, 1, c, fun) KN_TAKE(kn_argnums, 2, c, argnums)                                       \
    KN_TAKE(int64_t, 3, c, microbatch_size) KN_OPTS(c, kn_optim_microbatch_opts, (.accumulator = KN_OPTIM_SUM, ),      \
    __VA_ARGS__) KN_HERE(); (kn_optim_microbatch)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#endif
#endif
