/* SPDX-License-Identifier: Apache-2.0
 * bounds.c -- check_bounds: an IndexError for indices that lie outside. What indexing that may fail becomes in a
 * program, so that what reads by the indices can not fail and is computed where it is used.
 *
 *     type       integers with the numbers of a start along the last axis -> nothing
 *     jvp        none: integers
 *     batch      one more axis in front
 *     lower      a routine
 */
#include "prim/index.h"

typedef kn_p_check_bounds params_t;

static kn_error *check_type(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y)
{
    const params_t *p = params;
    (void)n_in, (void)a, (void)n_out, (void)y;
    KN_TRY(knp_accepts(x->dtype, KNP_INTEGERS));
    if (!x->ndim || x->dim[x->ndim - 1] != p->most.n || p->axis.n != p->most.n || p->size.n != p->most.n)
        return knx_error(KN_ERROR_TYPE, "indices must have %d numbers along their last axis", p->most.n);
    return NULL;
}

static kn_error *check_run(const kn_routine_args *args)
{
    const params_t *p = args->params;
    kn_type t = args->xt[0];
    knr_windows w = {.index_dtype = t.dtype, .n_index = p->most.n, .n_point = t.ndim - 1};
    for (int d = 0; d < w.n_point; d++)
        w.point[d] = t.dim[d];
    for (int i = 0; i < w.n_index; i++) {
        w.index_most[i] = p->most.v[i];
        w.index_axis[i] = p->axis.v[i];
        w.index_size[i] = p->size.v[i];
    }
    return knr_check_bounds(&w, args->x[0]);
}

static double check_cost(const void *params, int n_in, const kn_type *x, int n_out, const kn_type *y)
{
    (void)params, (void)n_in, (void)n_out, (void)y;
    return (double)kni_type_size(x[0]);
}

const kn_prim kn_prim_check_bounds = {
    .name = "check_bounds",
    .n_in = 1,
    .n_out = 0,
    .bits = KN_CAN_FAIL | KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_INTEGERS,
    .fields = kni_fields_check_bounds,
    .params_size = sizeof(params_t),
    .factors = "p i -> ",
    .doc = "an IndexError if a number of the indices is negative or above the largest one for its place",
    .type = check_type,
    .batch = knp_batch_in_front,
    .run = check_run,
    .cost = check_cost,
};
