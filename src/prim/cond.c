/* SPDX-License-Identifier: Apache-2.0
 * cond.c -- cond: one of several jaxprs, chosen by an index. */
#include "prim/frame.h"

static kn_error *cond_type(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y)
{
    const kn_p_cond *p = params;
    if (p->branches.n < 1 || n_in < 1)
        return knx_error(KN_ERROR_VALUE, "cond needs an index and at least one branch");
    const kni_jaxpr *j = p->branches.v[0];
    (void)x;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (!kni_type_copy(a, kni_out_type(j, i), &y[i]))
            return knx_error_nomem();
    *n_out = (int)j->n_out;
    return NULL;
}

const kn_prim kn_prim_cond = {
    .name = "cond",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_LOOPS | KN_CAN_FAIL,
    .loops = KN_LOOP_COND,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_cond,
    .params_size = sizeof(kn_p_cond),
    .doc = "one of several jaxprs, chosen by an index (jax.lax.cond, jax.lax.switch)",
    .type = cond_type,
};
