/* SPDX-License-Identifier: Apache-2.0
 * compose.c -- checks, sums and loops that functions of optax share. */
#include "optim/compose.h"
#include "kiln/control.h"

bool kno_floats(knl_body *c, kn_array x)
{
    kni_type t = kna_type(&c->op, x);
    if (!kna_failed(&c->op) && !knx_is_float(t.dtype))
        kna_fail(&c->op, KN_ERROR_TYPE,
                 "Expected the input to have a dtype that is a subdtype of <class 'jax.numpy.floating'>, but got %s",
                 t.dtype->name);
    return !kna_failed(&c->op);
}

kn_array kno_sum_along(kn_array x, kn_axes axis, bool keepdims, kn_array where)
{
    kn_sum_opts o = kn_sum_opts_default();
    o.axis = axis.n ? axis : knl_one_axis(-1);
    o.keepdims = keepdims;
    o.where = where;
    return kn_sum(x, &o);
}

kn_array kno_last_sum(kn_array x) { return kno_sum_along(x, (kn_axes){0}, false, NULL); }

bool kno_repeat(const kn_function *goes_on, const kn_function *step, const void *captured, void *state, int64_t most)
{
    const kn_while_opts bound = {.size_ = sizeof bound, .max_steps = most};
    size_t bytes = step->out_bytes;
    kn_fn condition = kn_fn_of(goes_on, captured), body = condition ? kn_fn_of(step, captured) : NULL;
    return body && !kn_while_loop(condition, body, &(const kn_outs){1, {{state, bytes}}},
                                  &(const kn_args){1, {{state, bytes}}}, &bound);
}
