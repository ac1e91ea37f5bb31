/* SPDX-License-Identifier: Apache-2.0
 * compose.h -- what losses and other functions of optax that are made of public functions share. */
#ifndef KN_OPTIM_COMPOSE_H
#define KN_OPTIM_COMPOSE_H
#include "lib/compose.h"

static inline kn_array kno_num(double v) { return kn_like_double(v); }

/* TypeError unless x is of a real floating-point dtype, in optax's words. */
bool kno_floats(knl_body *c, kn_array x);
/* Without an axis along the last one. */
kn_array kno_sum_along(kn_array x, kn_axes axis, bool keepdims, kn_array where);
kn_array kno_last_sum(kn_array x);

/* The function of one struct that a loop takes, as function##_function. */
#define KNO_STEP(function, Captured, State, Out)                                        \
    static const kn_function function##_function = {.size_ = sizeof(kn_function),       \
                                                    .name = #function,                  \
                                                    .call = function,                   \
                                                    .captured_bytes = sizeof(Captured), \
                                                    .out_bytes = sizeof(Out),           \
                                                    .n_args = 1,                        \
                                                    .arg_bytes = {sizeof(State)}};

/* The loop of two such functions: the arrays of the state become what they end with. most: steps at most; 0: no bound.
 * False after an error, which the arrays carry. */
bool kno_repeat(const kn_function *goes_on, const kn_function *step, const void *captured, void *state, int64_t most);
#endif
