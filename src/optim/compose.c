/* SPDX-License-Identifier: Apache-2.0
 * compose.c -- checks and sums that losses share. */
#include "optim/compose.h"

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
