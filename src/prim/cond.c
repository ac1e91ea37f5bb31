/* SPDX-License-Identifier: Apache-2.0
 * cond.c -- cond: one of several jaxprs, chosen by an index.
 *
 *     type       the index is one int32; all branches take the operands behind it and give results of the same types
 *     body_types of the branches: the operands behind the index
 */
#include "prim/body.h"
#include "prim/frame.h"

/* --- type ------------------------------------------------------------------------------------- */

static kn_error *check_branches(const kn_p_cond *p, int n_in)
{
    if (p->branches.n < 1 || n_in < 1)
        return knx_error(KN_ERROR_VALUE, "cond needs an index and at least one branch");
    for (int k = 0; k < p->branches.n; k++) {
        const kni_jaxpr *j = p->branches.v[k];
        if (!j || j->n_const)
            return knx_error(KN_ERROR_VALUE, "cond needs jaxprs without constants");
        if (j->n_in != (uint32_t)n_in - 1)
            return knx_error(KN_ERROR_TYPE, "branch %d takes %u arrays, not %d", k, j->n_in, n_in - 1);
        if (j->n_out != p->branches.v[0]->n_out)
            return knx_error(KN_ERROR_TYPE, "branch %d returns %u arrays, but branch 0 returns %u", k, j->n_out,
                             p->branches.v[0]->n_out);
    }
    return NULL;
}

static kn_error *check_index(kn_type t)
{
    kn_text text = {0};
    if (t.dtype == KN_DT(I32) && !t.ndim)
        return NULL;
    return knx_error(KN_ERROR_TYPE, "the index of cond must be a scalar of type int32, not %s",
                     kni_type_text(&text, t, true));
}

static kn_error *check_inputs(const kn_p_cond *p, int n_in, const kn_type *x)
{
    for (int k = 0; k < p->branches.n; k++)
        for (int i = 1; i < n_in; i++) {
            kn_type t = kni_in_type(p->branches.v[k], (uint32_t)i - 1);
            kn_text has = {0}, given = {0};
            if (!knp_same_type(x[i], t))
                return knx_error(KN_ERROR_TYPE, "input %d of branch %d has type %s, but cond was given %s", i - 1, k,
                                 kni_type_text(&has, t, true), kni_type_text(&given, x[i], true));
        }
    return NULL;
}

/* The type of result i, which is a weak number only if all branches give one. */
static kn_error *result_type(const kn_p_cond *p, uint32_t i, kn_type *y)
{
    *y = kni_out_type(p->branches.v[0], i);
    for (int k = 1; k < p->branches.n; k++) {
        kn_type t = kni_out_type(p->branches.v[k], i);
        kn_text first = {0}, other = {0};
        if (!knp_same_type(*y, t)) {
            bool dtypes = t.dtype != y->dtype, shapes = !kni_type_same_shape(t, *y);
            return knx_error(
                KN_ERROR_TYPE,
                "branches of cond must return arrays of the same types, but result %u of branch 0 has type "
                "%s and that of branch %d has type %s, so %s",
                i, kni_type_text(&first, *y, true), k, kni_type_text(&other, t, true),
                dtypes && shapes ? "the dtypes do not match, and the shapes do not match"
                : dtypes         ? "the dtypes do not match"
                                 : "the shapes do not match");
        }
        y->weak = y->weak && t.weak;
    }
    return NULL;
}

static kn_error *cond_type(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y)
{
    const kn_p_cond *p = params;
    KN_TRY(check_branches(p, n_in));
    KN_TRY(check_index(x[0]));
    KN_TRY(check_inputs(p, n_in, x));
    uint32_t n = p->branches.v[0]->n_out;
    if ((uint32_t)*n_out < n)
        return knx_error(KN_ERROR_VALUE, "cond has more results than there is room for");
    for (uint32_t i = 0; i < n; i++) {
        kn_type t;
        KN_TRY(result_type(p, i, &t));
        if (!kni_type_copy(a, t, &y[i]))
            return knx_error_nomem();
    }
    *n_out = (int)n;
    return NULL;
}

static int cond_body_types(const void *params, int which, int n_in, const kn_type *x, kn_type *t)
{
    (void)params, (void)which;
    for (int i = 1; i < n_in; i++)
        t[i - 1] = x[i];
    return n_in > 0 ? n_in - 1 : 0;
}

/* --- the row ---------------------------------------------------------------------------------- */

static bool cond_may_fail(const void *params)
{
    const kn_p_cond *p = params;
    for (int k = 0; k < p->branches.n; k++)
        if (knp_body_may_fail(p->branches.v[k]))
            return true;
    return false;
}

/* of the dearest branch */
static double cond_cost(const void *params, int n_in, const kn_type *x, int n_out, const kn_type *y)
{
    const kn_p_cond *p = params;
    double most = 0;
    (void)n_in, (void)x, (void)n_out, (void)y;
    for (int k = 0; k < p->branches.n; k++) {
        double cost = knp_body_cost(p->branches.v[k]);
        most = cost > most ? cost : most;
    }
    return most;
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
    .may_fail = cond_may_fail,
    .body_types = cond_body_types,
    .cost = cond_cost,
};
