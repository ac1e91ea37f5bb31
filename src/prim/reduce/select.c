/* SPDX-License-Identifier: Apache-2.0
 * select.c -- partition: elements at given ranks of the order along a dimension; top_k: the largest elements along an
 * axis and where they are.
 *
 *     type       partition: the operand's, or the ranks'; int64 for positions. top_k: k elements, their positions as
 *                int32
 *     jvp        the tangents at the positions
 *     transpose  none: the order is a discrete choice (the gathers of a derivative have theirs)
 *     batch      one more dimension
 *     lower      a routine
 */
#include "prim/rules.h"
#include "host/routine/select.h"
#include <string.h>

static knx_error *partition_type(kni_rule *r, kni_type *y)
{
    const kni_p_partition *p = r->params;
    kni_type x = r->xt[0], ranks = r->xt[1];
    KN_TRY(knp_accepts(x.dtype, KNP_REALS | KNP_BOOL));
    if (ranks.dtype != KN_DT(I64))
        return knx_error_new(KN_ERROR_TYPE, "ranks must be int64, got %s", ranks.dtype->name);
    if (p->dimension < 0 || p->dimension >= x.ndim)
        return knp_axis_error(p->dimension, x.ndim);
    bool fits = x.ndim == ranks.ndim;
    for (int i = 0; i < x.ndim && fits; i++)
        fits = i == p->dimension || knx_dim_eq(x.dim[i], ranks.dim[i]);
    if (!fits) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_VALUE, "ranks of shape %s do not go with an array of shape %s along axis %lld",
                             knx_show_shape(&s, ranks.ndim, ranks.dim), knx_show_shape(&t, x.ndim, x.dim),
                             (long long)p->dimension);
    }
    return knp_type_like(r->arena, p->whole ? x : ranks, p->positions ? KN_DT(I64) : x.dtype, y);
}

static void partition_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_p_partition p = *(const kni_p_partition *)r->params;
    if (p.positions || tx[0] == KN_ATOM_ZERO)
        return;
    p.positions = true;
    ty[0] = knp_take_along(r->b, tx[0], knb_partition(r->b, r->x[0], r->x[1], &p), (int)p.dimension, p.whole);
}

static knx_error *partition_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_partition p = *(const kni_p_partition *)r->params;
    kni_atom x = knp_batched_at(r, 0, size, axis[0], 0), ranks = knp_batched_at(r, 1, size, axis[1], 0);
    p.dimension++;
    y[0] = knb_partition(r->b, x, ranks, &p);
    axis_out[0] = 0;
    return NULL;
}

static knr_partition describe(const kni_rule *r, int threads)
{
    const kni_p_partition *p = r->params;
    kni_type x = r->xt[0];
    int axis = (int)p->dimension;
    return (knr_partition){.dtype = x.dtype,
                           .outer = knp_product((kni_ints){axis, x.dim}),
                           .length = x.dim[axis],
                           .inner = knp_product((kni_ints){x.ndim - axis - 1, x.dim + axis + 1}),
                           .ranks = r->xt[1].dim[axis],
                           .whole = p->whole,
                           .positions = p->positions,
                           .threads = threads};
}

static knx_bytes partition_workspace(const kni_rule *r)
{
    knr_partition p = describe(r, r->threads);
    return (knx_bytes)knr_partition_workspace(&p);
}

static knx_error *partition_run(const kni_rule *r, const kni_routine_args *args)
{
    knr_partition p = describe(r, args->threads);
    if (!p.length) /* there is nothing at any rank */
        memset(args->y[0], 0, p.whole ? 0 : (size_t)(p.outer * p.ranks * p.inner) * (p.positions ? 8 : p.dtype->size));
    knr_partition_run(&p, args->x[0], args->x[1], args->y[0], args->workspace);
    return NULL;
}

static double partition_cost(const kni_rule *r) { return 8 * kni_type_count(r->xt[0]); }

static void partition_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_but(r, s, (kni_ints){1, &((const kni_p_partition *)r->params)->dimension});
}

const kni_prim knp_prim_partition = {
    .name = "partition",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_THREADS,
    .why_no_transpose = KN_WHY_DISCRETE,
    .fields = kni_fields_partition,
    .params_size = sizeof(kni_p_partition),
    .factors = "b n, b m -> b r",
    .doc = "the elements that stand at some ranks when x is sorted along a dimension, NaN last; whole: all of x, with "
           "these in their places, smaller ones before and larger ones behind them, as they come; or positions of the "
           "same (np.partition)",
    .type = partition_type,
    .jvp = partition_jvp,
    .batch = partition_batch,
    .spread = partition_spread,
    .run = partition_run,
    .workspace = partition_workspace,
    .cost = partition_cost,
};

/* --- top_k ------------------------------------------------------------------------------------ */

static knx_error *top_type(kni_rule *r, kni_type *y)
{
    const kni_p_top_k *p = r->params;
    knx_text t = {0};
    if (knx_is_complex(r->xt->dtype))
        return knx_error_new(KN_ERROR_VALUE, "is not compatible with complex inputs.");
    KN_TRY(knp_accepts(r->xt->dtype, KNP_REALS | KNP_BOOL));
    if (knx_dim_lt(p->k, 0))
        return knx_error_new(KN_ERROR_VALUE, "k argument must be nonnegative, got %s", knx_dim_show(&t, p->k));
    if (r->xt->ndim == 0)
        return knx_error_new(KN_ERROR_TYPE, "operand must have >= 1 dimension, got ()");
    if (p->axis < 0 || p->axis >= r->xt->ndim)
        return knp_axis_error(p->axis, r->xt->ndim);
    knx_show_shape(&t, r->xt->ndim, r->xt->dim);
    if (knx_dim_lt(r->xt->dim[p->axis], p->k)) {
        knx_text k = {0};
        return knx_error_new(KN_ERROR_VALUE,
                             "k argument must be no larger than size along axis; got k=%s with shape=%s and axis=%lld",
                             knx_dim_show(&k, p->k), t.s, (long long)p->axis);
    }
    if (!knx_is_symbolic(r->xt->dim[p->axis]) && r->xt->dim[p->axis] > INT32_MAX)
        return knx_error_new(KN_ERROR_VALUE, "returns int32 indices, which will overflow for operand.shape=%s", t.s);
    knp_dims d = knp_dims_of(*r->xt);
    d.v[p->axis] = p->k;
    KN_TRY(knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, &y[0]));
    return knp_type_dims(r->arena, KN_DT(I32), false, d.n, d.v, &y[1]);
}

static void top_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = knp_take_along(r->b, tx[0], r->y[1], (int)((const kni_p_top_k *)r->params)->axis, false);
}

static knx_error *top_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_top_k p = *(const kni_p_top_k *)r->params;
    (void)size;
    p.axis += p.axis >= axis[0];
    knb_emit(r->b, r->prim, &p, 1, r->x, y, 2);
    axis_out[0] = axis_out[1] = axis[0];
    return NULL;
}

static knr_top describe_top(const kni_p_top_k *p, kni_type x, int threads)
{
    int axis = (int)p->axis;
    return (knr_top){.dtype = x.dtype,
                     .outer = knp_product((kni_ints){axis, x.dim}),
                     .length = x.dim[axis],
                     .inner = knp_product((kni_ints){x.ndim - axis - 1, x.dim + axis + 1}),
                     .k = p->k,
                     .threads = threads};
}

static knx_bytes top_workspace(const kni_rule *r)
{
    knr_top t = describe_top(r->params, r->xt[0], r->threads);
    return (knx_bytes)knr_top_workspace(&t);
}

static knx_error *top_run(const kni_rule *r, const kni_routine_args *args)
{
    knr_top t = describe_top(r->params, r->xt[0], args->threads);
    knr_top_run(&t, args->x[0], args->y[0], args->y[1], args->workspace);
    return NULL;
}

static double top_cost(const kni_rule *r) { return 8 * kni_type_count(r->xt[0]); }

static void top_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_but(r, s, (kni_ints){1, &((const kni_p_top_k *)r->params)->axis});
}

const kni_prim knp_prim_top_k = {
    .name = "top_k",
    .n_in = 1,
    .n_out = 2,
    .bits = KN_THREADS,
    .why_no_transpose = KN_WHY_DISCRETE,
    .fields = kni_fields_top_k,
    .params_size = sizeof(kni_p_top_k),
    .factors = "n m -> k m, k m",
    .doc = "the k largest elements along an axis, the largest first, and their positions; nan is the largest "
           "(jax.lax.top_k)",
    .type = top_type,
    .jvp = top_jvp,
    .batch = top_batch,
    .spread = top_spread,
    .run = top_run,
    .workspace = top_workspace,
    .cost = top_cost,
};
