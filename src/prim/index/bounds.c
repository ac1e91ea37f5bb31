/* SPDX-License-Identifier: Apache-2.0
 * bounds.c -- check_bounds: an IndexError for indices that lie outside. What indexing that may fail becomes in a
 * program, so that what reads by the indices cannot fail and is computed where it is used.
 *
 *     type       integers with the numbers of a start along the last axis -> nothing
 *     jvp        none: integers
 *     batch      one more axis in front
 *     lower      a routine
 *     unfailing  two comparisons for each number
 */
#include "prim/index/index.h"
#include "transform/transform.h"

typedef kni_p_check_bounds params_t;

static knx_error *check_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    (void)y;
    KN_TRY(knp_accepts(r->xt->dtype, KNP_INTEGERS));
    if (!r->xt->ndim || !knx_dim_eq(r->xt->dim[r->xt->ndim - 1], p->most.n) || p->axis.n != p->most.n ||
        p->size.n != p->most.n)
        return knx_error_new(KN_ERROR_TYPE, "indices must have %d numbers along their last axis", p->most.n);
    return NULL;
}

static knx_error *check_run(const kni_rule *r, const kni_routine_args *args)
{
    const params_t *p = r->params;
    kni_type t = r->xt[0];
    knr_windows w; /* large: only what counts is set */
    w.index_dtype = t.dtype;
    w.n_index = p->most.n;
    w.n_point = t.ndim - 1;
    w.wraps = p->wraps;
    for (int d = 0; d < w.n_point; d++)
        w.point[d] = t.dim[d];
    for (int i = 0; i < w.n_index; i++) {
        w.index_most[i] = p->most.v[i];
        w.index_axis[i] = p->axis.v[i];
        w.index_size[i] = p->size.v[i];
    }
    return knr_check_bounds(&w, args->x[0], args->threads);
}

static kni_atom check_simplify(const kni_rule *r)
{
    params_t p = *(const params_t *)r->params;
    bool wraps;
    kni_atom i = knp_given_indices(r->b, r->x[0], p.size, 1, &wraps);
    if (p.wraps && wraps)
        return KN_ATOM_NONE;
    p.wraps = p.wraps || wraps;
    if (i != KN_ATOM_NONE)
        knb_check_bounds(r->b, i, &p);
    return i;
}

/* Number i of every start: is it outside? */
static kni_atom number_fails(kni_builder *b, kni_atom x, int i, int64_t most, int64_t least)
{
    kni_type t = knb_type(b, x);
    knp_dims from = {.n = t.ndim}, to = knp_dims_of(t);
    from.v[t.ndim - 1] = i;
    to.v[t.ndim - 1] = i + 1;
    if (t.dim[t.ndim - 1] != 1)
        x = knb_slice(b, x, from.v, to.v, NULL);
    x = knb_squeeze(b, x, 1, (const int64_t[]){t.ndim - 1});
    kni_atom negative = knb_lt(b, x, knb_dimension(b, t.dtype, least)),
             above = knb_gt(b, x, knb_dimension(b, t.dtype, most));
    return knb_or(b, negative, above);
}

kni_atom knp_outside(kni_builder *b, kni_atom x, const kni_p_check_bounds *p)
{
    kn_dtype d = knb_type(b, x).dtype;
    kni_atom outside = KN_ATOM_NONE;
    bool fits = d->kind == KN_KIND_INT && d->size >= 4; /* the largest starts into d */
    for (int i = 0; i < p->most.n; i++)
        fits = fits && (d->size == 8 || knx_dim_taken_le((p->wraps ? p->size : p->most).v[i], INT32_MAX));
    if (!fits)
        x = knb_convert(b, x, KN_DT(I64));
    for (int i = 0; i < p->most.n; i++)
        outside = knt_either_failed(b, outside,
                                    number_fails(b, x, i, p->most.v[i], p->wraps ? knx_dim_sub(0, p->size.v[i]) : 0));
    return outside == KN_ATOM_NONE ? knb_zeros(b, kni_scalar_type(KN_DT(BOOL))) : outside;
}

static knx_error *check_unfailing(const kni_rule *r, kni_atom *y, kni_atom *failed)
{
    (void)y;
    *failed = knp_outside(r->b, r->x[0], r->params);
    return NULL;
}

static double check_cost(const kni_rule *r) { return kni_type_count(r->xt[0]); }

/* Points are looked at one by one. */
static void check_spread(const kni_rule *r, kni_spread *s)
{
    for (int d = 0; d < r->xt[0].ndim - 1; d++)
        kni_factor_in(kni_factor_new(s, KNI_PARALLEL, r->xt[0].dim[d]), 0, d);
}

const kni_prim knp_prim_check_bounds = {
    .name = "check_bounds",
    .n_in = 1,
    .n_out = 0,
    .bits = KN_CAN_FAIL | KN_INTEGER_RESULT | KN_THREADS,
    .why_no_jvp = KN_WHY_INTEGERS,
    .fields = kni_fields_check_bounds,
    .params_size = sizeof(params_t),
    .factors = "p i -> ",
    .doc = "an IndexError if a number of the indices is negative or above the largest one for its place",
    .type = check_type,
    .batch = knp_batch_in_front,
    .run = check_run,
    .spread = check_spread,
    .unfailing = check_unfailing,
    .simplify = check_simplify,
    .cost = check_cost,
};
