/* SPDX-License-Identifier: Apache-2.0
 * search.c -- searchsorted: how many elements of a sorted vector come before each of others.
 *
 *     type       the second operand's as int64
 *     jvp        none: counts
 *     transpose  none
 *     batch      vectors of their own for the first axes, or one for all
 *     lower      a routine
 */
#include "prim/rules.h"
#include "host/routine/sort_search.h"

static knx_error *search_type(kni_rule *r, kni_type *y)
{
    const kni_p_searchsorted *p = r->params;
    kni_type a = r->xt[0], v = r->xt[1];
    KN_TRY(knp_accepts(a.dtype, KNP_REALS | KNP_BOOL));
    bool fits = p->batch >= 0 && a.ndim == p->batch + 1 && v.ndim >= p->batch && a.dtype == v.dtype;
    for (int i = 0; fits && i < p->batch; i++)
        fits = knx_dim_eq(a.dim[i], v.dim[i]);
    if (!fits) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_TYPE, "elements %s cannot be looked for in %s with batch=%lld",
                             kni_type_text(&s, v, true), kni_type_text(&t, a, true), (long long)p->batch);
    }
    return knp_type_like(r->arena, v, KN_DT(I64), y);
}

static knx_error *search_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_searchsorted p = *(const kni_p_searchsorted *)r->params;
    bool one = axis[0] < 0 && !p.batch; /* vector for all */
    kni_atom a = one ? r->x[0] : knp_batched_at(r, 0, size, axis[0], 0), v = knp_batched_at(r, 1, size, axis[1], 0);
    p.batch += !one;
    y[0] = knb_searchsorted(r->b, a, v, &p);
    axis_out[0] = 0;
    return NULL;
}

static knx_error *search_run(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_searchsorted *p = r->params;
    kni_type a = r->xt[0], v = r->xt[1];
    int batch = (int)p->batch;
    const knr_search s = {.dtype = a.dtype,
                          .outer = knp_product((kni_ints){batch, a.dim}),
                          .length = a.dim[batch],
                          .many = knp_product((kni_ints){v.ndim - batch, v.dim + batch}),
                          .right = p->right,
                          .threads = args->threads};
    knr_search_run(&s, args->x[0], args->x[1], args->y[0]);
    return NULL;
}

/* The vector is whole: counts of its parts would add up if it is sorted, which nobody checks. */
static void search_spread(const kni_rule *r, kni_spread *s)
{
    int batch = (int)((const kni_p_searchsorted *)r->params)->batch;
    kni_type v = r->xt[1];
    knp_spread_first(r, s, batch, 0);
    for (int d = batch; d < v.ndim; d++)
        knp_spread_pair(s, v.dim[d], 1, d, 0, d);
}

static double search_cost(const kni_rule *r)
{
    return 2 * knp_levels(r->xt[0].dim[r->xt[0].ndim - 1]) * kni_type_count(r->xt[1]);
}

const kni_prim knp_prim_searchsorted = {
    .name = "searchsorted",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_THREADS,
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .fields = kni_fields_searchsorted,
    .params_size = sizeof(kni_p_searchsorted),
    .factors = "b n, b m -> b m",
    .doc =
        "how many elements of a sorted vector, one for each of the first `batch` axes, come before those of the second "
        "operand; right: or are equal to them; NaN last (np.searchsorted)",
    .type = search_type,
    .batch = search_batch,
    .run = search_run,
    .spread = search_spread,
    .cost = search_cost,
};
