/* SPDX-License-Identifier: Apache-2.0
 * kiln/control.h -- control flow that stays inside a trace (jax.lax). */
#ifndef KILN_CONTROL_H
#define KILN_CONTROL_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* carry = init; while (condition(carry)) carry = body(carry); out = carry (jax.lax.while_loop).
 *
 * kn_while_loop(KN_FN(condition), KN_FN(body), &end, &start): both functions take what `init` has, one argument or
 * several; the condition returns one bool[], the body what it takes, with the same shapes and dtypes: a TypeError
 * names the array that differs. Both are recorded abstractly; arrays that they capture are operands. Under vmap each
 * lane stops when it is done. Differentiable in forward mode (kn_jvp, kn_jacfwd, kn_linearize); in reverse mode a
 * ValueError. Returns 0; -1 with an error otherwise (then the outputs carry it). */
KN_API int kn_while_loop(kn_fn condition, kn_fn body, const kn_outs *outs, const kn_args *init);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_while_loop(condition, body, out, ...) KN_WHILE_LOOP_(__COUNTER__, condition, body, out, __VA_ARGS__)
#define KN_WHILE_LOOP_(c, condition, body, out, ...)                                                                   \
    __extension__({ kn_fn KN_V(fun, c) = (condition); kn_fn KN_V(fun2, c) = (body); __auto_type KN_V(res, c) = (out);  \
    KN_ARGS_OF_(c, __VA_ARGS__) KN_HERE(); (kn_while_loop)(KN_V(fun, c), KN_V(fun2, c), KN_OUTS_OF(KN_V(res, c)),      \
    &KN_V(arg, c)); })
#endif
#endif
