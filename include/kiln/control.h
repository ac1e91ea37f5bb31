/* SPDX-License-Identifier: Apache-2.0
 * kiln/control.h -- control flow that stays inside a trace (jax.lax). */
/* Made by scripts/make-api.py from api/control.api. */
/* clang-format off */
#ifndef KILN_CONTROL_H
#define KILN_CONTROL_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What `outs` gets, what `init`, `xs` and arguments are: a pointer to a struct of arrays, a kn_tree, or several of
 * them, KN_OUT(&a, &b) and KN_ARGS(&a, &b). Functions are recorded abstractly; arrays that they capture are
 * operands. All compose with kn_jit, kn_vmap, kn_grad, kn_jvp and with each other; docs/loops.md says how they run.
 * Each returns 0, or -1 with an error (then the outputs carry it).
 *
 * A carry keeps its shape and dtype: the TypeError names the leaf and both types. C numbers (kn_num) wait for a
 * dtype: one that a carry begins with takes that of what the body returns for it, one that a body or a branch
 * returns takes that of the carry or of the other branches. */

/* How a scan may run (.accept); 0: as it is best. */
enum {
    KN_SCAN_COMPILED_LOOP = 1, /* one native function */
    KN_SCAN_ROUTINE_CALLS = 2, /* a list of kernels and routines whose places are found once */
    KN_SCAN_STEPWISE = 4       /* its body as any program */
};

/* .checkpoint, beside 0 (all residuals are kept) and k > 0 (every k-th carry is kept, k steps are worked out again) */
enum { KN_CHECKPOINT_SQRT = -1 /* k is the square root of the length, rounded up */ };

/* Told after each step of a scan, steps counted from 1 on: `step` of `length`. It must not call Kiln. */
typedef void (*kn_scan_step)(void *env, int64_t step, int64_t length);
typedef struct kn_scan_opts {
    size_t size_;
    int64_t length;       /* needed if there are no xs; else it must be theirs */
    bool reverse;         /* from the last element to the first; outputs stand where their elements stand */
    int64_t unroll;       /* as in JAX, a hint that changes no results; 0 and 1: not */
    int64_t checkpoint;   /* what reverse mode keeps */
    int32_t accept;       /* paths; a ValueError if it would be another */
    kn_scan_step on_step;
    void *on_step_env;
    /* a label: how far the scan is, in a line as kn_progress_begin has it; instead of on_step. Looked at when the
     * scan is recorded: where no line would be written there is none */
    const char *progress;
} kn_scan_opts;
/* carry = init; for each element x of xs: {carry, y} = body(carry, x); out = {carry, stacked ys} (jax.lax.scan).
 *
 * kn_scan(KN_FN(body), &out, &init, &xs, ...): the arguments of body are those of init, then elements (along the
 * first axis) of those of xs; it returns the carry, then outputs. KN_NOTHING for xs needs .length, and then body
 * takes the carry alone. Differentiable in both modes. TypeError where a carry changes its shape or dtype: it names
 * the leaf. */
KN_API int kn_scan(kn_fn body, const kn_outs *outs, const kn_args *init, const kn_args *xs, const kn_scan_opts *opts);
typedef struct kn_while_opts {
    size_t size_;
    int64_t max_steps; /* at most so many rounds, then it ends whatever the condition says; 0: no bound */
} kn_while_opts;
/* carry = init; while (condition(carry)) carry = body(carry); out = carry (jax.lax.while_loop).
 *
 * kn_while_loop(KN_FN(condition), KN_FN(body), &end, &start, ...): both functions take what `init` has; the
 * condition returns one bool[], the body what it takes. Under vmap each lane stops when it is done. Differentiable
 * in forward mode, and with .max_steps in reverse mode (the carries of so many steps are recorded); without it that
 * is a ValueError. */
KN_API int kn_while_loop(kn_fn condition, kn_fn body, const kn_outs *outs, const kn_args *init,
    const kn_while_opts *opts);
typedef struct kn_fori_opts { size_t size_; int64_t checkpoint; } kn_fori_opts; /* as that of kn_scan */
/* carry = init; for (i = lower; i < upper; i++) carry = body(i, carry); out = carry (jax.lax.fori_loop).
 *
 * The body takes i (a scalar of the bounds' dtype) and the carry. Bounds are integers. If both are known when this
 * is recorded it is a scan, which has both modes of derivatives; else a while, which has forward mode. */
KN_API int kn_fori_loop(kn_array lower, kn_array upper, kn_fn body, const kn_outs *outs, const kn_args *init,
    const kn_fori_opts *opts);
/* out = pred ? on_true(args...) : on_false(args...) (jax.lax.cond). Only one of them runs. pred: a scalar, bool or a
 * number that is compared with 0. Both take the same arguments and return arrays of the same shapes and dtypes: a
 * TypeError names the one that differs. */
KN_API int kn_cond(kn_array pred, kn_fn on_true, kn_fn on_false, const kn_outs *outs, const kn_args *args);
/* out = pred ? on_true(true_args...) : on_false(false_args...): jax.lax.cond(pred, true_operand, true_fun,
 * false_operand, false_fun), with arguments for each branch. kn_cond_each(pred, &x, KN_FN(f), KN_ARGS(&y), KN_FN(g),
 * &out). TypeError where the results differ. */
KN_API int kn_cond_each(kn_array pred, const kn_args *true_args, kn_fn on_true, const kn_args *false_args, kn_fn
    on_false, const kn_outs *outs);
/* out = branches[index](args...), with index clamped to 0 .. n - 1 (jax.lax.switch). index: an integer scalar,
 * converted to int32 first, as JAX does it. */
KN_API int kn_switch(kn_array index, const kn_fn *branches, int n, const kn_outs *outs, const kn_args *args);
typedef struct kn_lax_map_opts {
    size_t size_;
    int64_t batch_size; /* so many elements at a time, as kn_vmap has them; 0: one after the other */
} kn_lax_map_opts;
/* out = f of each element of xs along the first axis, one after the other, stacked (jax.lax.map). */
KN_API int kn_lax_map(kn_fn f, const kn_outs *outs, const kn_args *xs, const kn_lax_map_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* clang-format off */
/* The kn_args that `p` is: itself if it came from KN_ARGS, else one part. */
#define KN_ONE_ARG(p)                                                                                                  \
    _Generic((p), kn_args *: (p), const kn_args *: (p), default: &(const kn_args){1, {{(p), KN_PART_BYTES(p)}}})
#define KN_SET_(c, i, p) __auto_type KN_V(i, c) = (p);
#define kn_scan(body, out, init, xs, ...) KN_SCAN_(__COUNTER__, body, out, init, xs, __VA_ARGS__)
#define KN_SCAN_(c, body, out, init, xs, ...)                                                                          \
    __extension__({ kn_fn KN_V(fun, c) = (body); KN_SET_(c, res, out) KN_SET_(c, 1, init) KN_SET_(c, 2, xs)            \
    KN_OPTS(c, kn_scan_opts, (), __VA_ARGS__) KN_HERE(); (kn_scan)(KN_V(fun, c), KN_OUTS_OF(KN_V(res, c)),             \
    KN_ONE_ARG(KN_V(1, c)), KN_ONE_ARG(KN_V(2, c)), KN_V(opt, c)); })
#define kn_while_loop(condition, body, out, init, ...)                                                                 \
    KN_WHILE_LOOP_(__COUNTER__, condition, body, out, init, __VA_ARGS__)
#define KN_WHILE_LOOP_(c, condition, body, out, init, ...)                                                             \
    __extension__({ kn_fn KN_V(fun, c) = (condition); kn_fn KN_V(fun2, c) = (body); KN_SET_(c, res, out)               \
    KN_SET_(c, 1, init) KN_OPTS(c, kn_while_opts, (), __VA_ARGS__) KN_HERE(); (kn_while_loop)(KN_V(fun, c),            \
    KN_V(fun2, c), KN_OUTS_OF(KN_V(res, c)), KN_ONE_ARG(KN_V(1, c)), KN_V(opt, c)); })
#define kn_fori_loop(lower, upper, body, out, init, ...)                                                               \
    KN_FORI_LOOP_(__COUNTER__, lower, upper, body, out, init, __VA_ARGS__)
#define KN_FORI_LOOP_(c, lower, upper, body, out, init, ...)                                                           \
    __extension__({ kn_array KN_V(low, c) = KN_LIKE(lower); kn_array KN_V(top, c) = KN_LIKE(upper); kn_fn KN_V(fun, c) \
    = (body); KN_SET_(c, res, out) KN_SET_(c, 1, init) KN_OPTS(c, kn_fori_opts, (), __VA_ARGS__) KN_HERE();            \
    (kn_fori_loop)(KN_V(low, c), KN_V(top, c), KN_V(fun, c), KN_OUTS_OF(KN_V(res, c)), KN_ONE_ARG(KN_V(1, c)),         \
    KN_V(opt, c)); })
#define kn_cond(pred, on_true, on_false, out, ...) KN_COND_(__COUNTER__, pred, on_true, on_false, out, __VA_ARGS__)
#define KN_COND_(c, pred, on_true, on_false, out, ...)                                                                 \
    __extension__({ kn_array KN_V(low, c) = KN_LIKE(pred); kn_fn KN_V(fun, c) = (on_true); kn_fn KN_V(fun2, c) =       \
    (on_false); KN_SET_(c, res, out) KN_ARGS_OF_(c, __VA_ARGS__) KN_HERE(); (kn_cond)(KN_V(low, c), KN_V(fun, c),      \
    KN_V(fun2, c), KN_OUTS_OF(KN_V(res, c)), &KN_V(arg, c)); })
#define kn_cond_each(pred, true_args, on_true, false_args, on_false, out)                                              \
    KN_COND_EACH_(__COUNTER__, pred, true_args, on_true, false_args, on_false, out)
#define KN_COND_EACH_(c, pred, true_args, on_true, false_args, on_false, out)                                          \
    __extension__({ kn_array KN_V(low, c) = KN_LIKE(pred); KN_SET_(c, 1, true_args) kn_fn KN_V(fun, c) = (on_true);    \
    KN_SET_(c, 2, false_args) kn_fn KN_V(fun2, c) = (on_false); KN_SET_(c, res, out) KN_HERE();                        \
    (kn_cond_each)(KN_V(low, c), KN_ONE_ARG(KN_V(1, c)), KN_V(fun, c), KN_ONE_ARG(KN_V(2, c)), KN_V(fun2, c),          \
    KN_OUTS_OF(KN_V(res, c))); })
#define kn_switch(index, branches, n, out, ...) KN_SWITCH_(__COUNTER__, index, branches, n, out, __VA_ARGS__)
#define KN_SWITCH_(c, index, branches, n, out, ...)                                                                    \
    __extension__({ kn_array KN_V(low, c) = KN_LIKE(index); const kn_fn *KN_V(fun, c) = (branches); int KN_V(cnt, c) = \
    (n); KN_SET_(c, res, out) KN_ARGS_OF_(c, __VA_ARGS__) KN_HERE(); (kn_switch)(KN_V(low, c), KN_V(fun, c),           \
    KN_V(cnt, c), KN_OUTS_OF(KN_V(res, c)), &KN_V(arg, c)); })
#define kn_lax_map(fn, out, xs, ...) KN_LAX_MAP_(__COUNTER__, fn, out, xs, __VA_ARGS__)
#define KN_LAX_MAP_(c, fn, out, xs, ...)                                                                               \
    __extension__({ kn_fn KN_V(fun, c) = (fn); KN_SET_(c, res, out) KN_SET_(c, 1, xs)                                  \
    KN_OPTS(c, kn_lax_map_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_map)(KN_V(fun, c), KN_OUTS_OF(KN_V(res, c)),       \
    KN_ONE_ARG(KN_V(1, c)), KN_V(opt, c)); })
#endif
#endif
