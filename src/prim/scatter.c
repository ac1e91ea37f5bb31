/* SPDX-License-Identifier: Apache-2.0
 * scatter.c -- scatter-add: an array with windows of updates added at starts that are data.
 *
 *     type       the operand's
 *     jvp        linear in operand and updates together
 *     transpose  operand: the cotangent; updates: the windows of the cotangent at the same places (gather)
 *     batch      operand and updates get the axis in front: a window dimension, or with batched indices a pair of
 *                batching dimensions
 *     lower      a routine that adds in C order of the updates; IndexError in the mode CHECK
 */
#include "prim/index.h"
#include <string.h>

typedef kn_p_scatter params_t;

static kn_error *scatter_type(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y)
{
    knp_indexing how = knp_indexing_of_scatter(params);
    (void)n_in, (void)n_out;
    KN_TRY(knp_accepts(x[0].dtype, KNP_NUMBERS | KNP_BOOL));
    if (x[2].dtype != x[0].dtype)
        return knx_error(KN_ERROR_TYPE, "scatter-add requires arguments to have the same dtypes, got %s, %s.",
                         x[0].dtype->name, x[2].dtype->name);
    KN_TRY(knp_check_indexing("scatter-add", &how, x[0], x[1], x[2].ndim));
    knp_dims sizes = knp_window_sizes(&how, x[0], x[2]);
    for (int d = 0; d < sizes.n; d++)
        if (sizes.v[d] > x[0].dim[d] && !(knp_contains(how.dropped, d) || knp_contains(how.table_batching, d)))
            return knx_error(
                KN_ERROR_TYPE,
                "Bounds of the window dimensions of updates must not exceed the bounds of the corresponding "
                "dimensions of operand. For dimension %d, updates bound is %lld, operand bound is %lld.",
                d, (long long)sizes.v[d], (long long)x[0].dim[d]);
    for (int d = 0, i = 0; d < x[2].ndim; d++)
        if (!knp_contains(how.window, d) && x[2].dim[d] != x[1].dim[i++])
            return knx_error(
                KN_ERROR_TYPE,
                "Bounds of the scatter dimensions of updates must be the same as the bounds of the corresponding "
                "dimensions of scatter indices. For dimension %d, updates bound is %lld, indices bound is %lld.",
                d, (long long)x[2].dim[d], (long long)x[1].dim[i - 1]);
    return knp_type_like(a, x[0], x[0].dtype, y);
}

static void scatter_jvp(const kn_rule *r, const kn_atom *tx, kn_atom *ty)
{
    params_t p = *(const params_t *)r->params;
    if (p.mode == KN_GATHER_CHECK)
        p.mode = KN_GATHER_PROMISE;
    ty[0] = tx[0];
    if (tx[2] != KN_ATOM_ZERO)
        ty[0] = knb_scatter_add(r->b, knb_instantiate(r->b, tx[0], r->xt[0]), r->x[1], tx[2], &p);
}

static kn_error *scatter_transpose(const kn_rule *r, const kn_atom *ct, kn_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = ct[0];
    if (r->x[2] == KN_ATOM_LINEAR) {
        knp_indexing how = knp_indexing_of_scatter(r->params);
        how.mode = knp_mode_of_tangent(how.mode);
        knp_dims sizes = knp_window_sizes(&how, r->xt[0], r->xt[2]);
        for (int d = 0; d < sizes.n; d++) /* what is collapsed may be empty */
            sizes.v[d] = sizes.v[d] < r->xt[0].dim[d] ? sizes.v[d] : r->xt[0].dim[d];
        kn_p_gather q = knp_gather_params(&how, knp_ints(&sizes));
        ct_in[2] = knb_gather(r->b, ct[0], r->x[1], &q);
    }
    return NULL;
}

static kn_error *scatter_batch(const kn_rule *r, int64_t size, const int *axis, kn_atom *y, int *axis_out)
{
    knp_indexing_lists lists;
    bool indices = axis[1] >= 0;
    knp_indexing old = knp_indexing_of_scatter(r->params), how = knp_batch_indexing(&old, true, indices, &lists);
    params_t q = knp_scatter_params(&how);
    kn_atom x = knp_batched_at(r, 0, size, axis[0], 0), updates = knp_batched_at(r, 2, size, axis[2], 0);
    kn_atom i = indices ? knb_move_axis(r->b, r->x[1], axis[1], 0) : r->x[1];
    y[0] = knb_scatter_add(r->b, x, i, updates, &q);
    axis_out[0] = 0;
    return NULL;
}

static kn_error *scatter_run(const kn_routine_args *args)
{
    knp_indexing how = knp_indexing_of_scatter(args->params);
    knp_dims sizes = knp_window_sizes(&how, args->xt[0], args->xt[2]);
    knr_windows w;
    knp_describe_windows(&how, args->xt[0], args->xt[1], args->xt[2], knp_ints(&sizes), false, &w);
    memcpy(args->y[0], args->x[0], kni_type_bytes(args->xt[0]));
    return knr_scatter_add(&w, args->y[0], args->x[1], args->x[2]);
}

static bool scatter_may_fail(const void *params) { return ((const params_t *)params)->mode == KN_GATHER_CHECK; }

static double scatter_cost(const void *params, int n_in, const kn_type *x, int n_out, const kn_type *y)
{
    (void)params, (void)n_in, (void)n_out, (void)y;
    return (double)kni_type_size(x[0]) + 2 * (double)kni_type_size(x[2]);
}

const kn_prim kn_prim_scatter_add = {
    .name = "scatter-add",
    .n_in = 3,
    .n_out = 1,
    .bits = KN_CAN_FAIL,
    .linear_in = 1 | 4,
    .fields = kni_fields_scatter,
    .params_size = sizeof(params_t),
    .factors = "n w, p i, p w -> n w",
    .doc = "an array with windows of updates added where the indices say, one after the other in C order "
           "(jax.lax.scatter_add)",
    .type = scatter_type,
    .jvp = scatter_jvp,
    .transpose = scatter_transpose,
    .batch = scatter_batch,
    .run = scatter_run,
    .may_fail = scatter_may_fail,
    .cost = scatter_cost,
};
