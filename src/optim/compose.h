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
#endif
