/* SPDX-License-Identifier: Apache-2.0
 * gather.c -- gather: windows of an array, from starts that are data; all reading by computed indices.
 *
 *     type       the points' dimensions, with those of the windows at offset_dims
 *     jvp        linear in the operand: the same windows of its tangent, zero where a fill value came out
 *     transpose  scatter-add of the cotangent into zeros
 *     batch      operand: one more window dimension; indices: one more dimension of points; both: a pair of batching
 *                dimensions
 *     lower      a routine; IndexError in the mode CHECK
 *     put        scatter to the same places
 */
#include "prim/index.h"

typedef kn_p_gather params_t;

static kn_error *gather_type(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y)
{
    const params_t *p = params;
    knp_indexing how = knp_indexing_of_gather(p);
    (void)n_in, (void)n_out;
    int points = x[1].ndim - 1, ndim = points + p->offset_dims.n;
    KN_TRY(knp_check_indexing("gather", &how, x[0], x[1], ndim));
    if (p->slice_sizes.n != x[0].ndim)
        return knx_error(KN_ERROR_TYPE, "gather: slice_sizes must have length equal to the number of axes %d, got %d",
                         x[0].ndim, p->slice_sizes.n);
    knp_dims dim = {.n = ndim <= KN_MAX_NDIM ? ndim : KN_MAX_NDIM};
    for (int d = 0, w = 0; d < x[0].ndim; d++) {
        int64_t size = p->slice_sizes.v[d];
        bool dropped = knp_contains(how.dropped, d) || knp_contains(how.table_batching, d);
        if (size < 0 || size > x[0].dim[d] || (dropped && size > 1))
            return knx_error(KN_ERROR_TYPE, "gather: slice size %lld does not fit dimension %d of extent %lld%s",
                             (long long)size, d, (long long)x[0].dim[d], dropped ? ", which is collapsed" : "");
        if (!dropped && how.window.v[w] < KN_MAX_NDIM)
            dim.v[how.window.v[w++]] = size;
    }
    for (int d = 0, i = 0; d < dim.n; d++)
        if (!knp_contains(how.window, d))
            dim.v[d] = x[1].dim[i++];
    return knp_type_dims(a, x[0].dtype, x[0].weak, ndim, dim.v, y);
}

static void gather_jvp(const kn_rule *r, const kn_atom *tx, kn_atom *ty)
{
    params_t p = *(const params_t *)r->params;
    p.mode = knp_mode_of_tangent(p.mode);
    ty[0] = knb_gather(r->b, tx[0], r->x[1], &p);
}

/* Scattering to where this reads from: what the indices miss is left out. */
static kn_p_scatter same_places(const kn_rule *r)
{
    knp_indexing how = knp_indexing_of_gather(r->params);
    how.mode = how.mode == KN_GATHER_FILL_ZERO ? KN_GATHER_FILL
               : how.mode == KN_GATHER_CHECK   ? KN_GATHER_PROMISE
                                               : how.mode;
    return knp_scatter_params(&how);
}

static kn_error *gather_transpose(const kn_rule *r, const kn_atom *ct, kn_atom *ct_in)
{
    kn_p_scatter q = same_places(r);
    ct_in[0] = knb_scatter_add(r->b, knb_zeros(r->b, r->xt[0]), r->x[1], ct[0], &q);
    return NULL;
}

static kn_atom gather_put(const kn_rule *r, kn_atom v)
{
    kn_p_scatter q = same_places(r);
    return knb_scatter(r->b, r->x[0], r->x[1], v, &q);
}

static kn_error *gather_batch(const kn_rule *r, int64_t size, const int *axis, kn_atom *y, int *axis_out)
{
    const params_t *p = r->params;
    knp_indexing_lists lists;
    bool table = axis[0] >= 0, indices = axis[1] >= 0;
    knp_indexing old = knp_indexing_of_gather(p), how = knp_batch_indexing(&old, table, indices, &lists);
    knp_dims sizes = {.n = 0};
    if (table)
        sizes = knp_insert(p->slice_sizes, 0, indices && size ? 1 : size);
    params_t q = knp_gather_params(&how, table ? knp_ints(&sizes) : p->slice_sizes);
    kn_atom x = table ? knb_move_axis(r->b, r->x[0], axis[0], 0) : r->x[0];
    kn_atom i = indices ? knb_move_axis(r->b, r->x[1], axis[1], 0) : r->x[1];
    y[0] = knb_gather(r->b, x, i, &q);
    axis_out[0] = 0;
    return NULL;
}

static kn_error *gather_run(const kn_routine_args *args)
{
    const params_t *p = args->params;
    knp_indexing how = knp_indexing_of_gather(p);
    knr_windows w;
    knp_describe_windows(&how, args->xt[0], args->xt[1], args->yt[0], p->slice_sizes, true, &w);
    return knr_gather(&w, args->x[0], args->x[1], args->y[0]);
}

static bool gather_may_fail(const void *params) { return ((const params_t *)params)->mode == KN_GATHER_CHECK; }

const kn_prim kn_prim_gather = {
    .name = "gather",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_CAN_FAIL,
    .linear_in = 1,
    .fields = kni_fields_gather,
    .params_size = sizeof(params_t),
    .factors = "n w, p i -> p w",
    .doc = "windows of an array that begin where the indices say (jax.lax.gather)",
    .type = gather_type,
    .jvp = gather_jvp,
    .transpose = gather_transpose,
    .batch = gather_batch,
    .run = gather_run,
    .may_fail = gather_may_fail,
    .put = gather_put,
};
