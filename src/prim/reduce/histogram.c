/* SPDX-License-Identifier: Apache-2.0
 * histogram.c -- how many elements of a vector are in each bin between neighbouring edges.
 *
 *     type       one less than the edges, as int64
 *     jvp        none: counts
 *     transpose  none
 *     batch      vectors and edges of their own for the first axes
 *     lower      a routine
 */
#include "host/routine/count.h"
#include "prim/rules.h"

static knx_error *histogram_type(kni_rule *r, kni_type *y)
{
    const kni_p_histogram *p = r->params;
    kni_type x = r->xt[0], e = r->xt[1];
    bool fits = p->batch >= 0 && x.ndim == p->batch + 1 && e.ndim == x.ndim && x.dtype == e.dtype &&
                (x.dtype == KN_DT(F32) || x.dtype == KN_DT(F64));
    for (int i = 0; fits && i < p->batch; i++)
        fits = knx_dim_eq(x.dim[i], e.dim[i]);
    if (!fits || !knx_dim_lt(1, e.dim[e.ndim - 1])) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_TYPE, "elements %s cannot be counted between edges %s with batch=%lld",
                             kni_type_text(&s, x, true), kni_type_text(&t, e, true), (long long)p->batch);
    }
    knp_dims shape = knp_dims_of(e);
    shape.v[e.ndim - 1] = knx_dim_sub(shape.v[e.ndim - 1], 1);
    return knp_type_dims(r->arena, KN_DT(I64), false, shape.n, shape.v, y);
}

static knx_error *histogram_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_histogram p = *(const kni_p_histogram *)r->params;
    p.batch++;
    kni_atom x = knp_batched_at(r, 0, size, axis[0], 0), e = knp_batched_at(r, 1, size, axis[1], 0);
    y[0] = knb_histogram(r->b, x, e, &p);
    axis_out[0] = 0;
    return NULL;
}

static knr_histogram one_of(const kni_rule *r, int threads)
{
    const kni_p_histogram *p = r->params;
    int last = (int)p->batch;
    return (knr_histogram){r->xt[0].dtype, r->xt[0].dim[last], r->xt[1].dim[last] - 1, p->equal, threads};
}

static knx_bytes histogram_workspace(const kni_rule *r)
{
    const knr_histogram h = one_of(r, r->threads);
    return (knx_bytes)knr_histogram_workspace(&h);
}

static knx_error *histogram_run(const kni_rule *r, const kni_routine_args *args)
{
    const knr_histogram h = one_of(r, args->threads);
    int64_t lines = knp_product((kni_ints){(int)((const kni_p_histogram *)r->params)->batch, r->xt[0].dim});
    const char *x = args->x[0], *edges = args->x[1];
    int64_t *y = args->y[0];
    for (int64_t l = 0; l < lines; l++, x += h.n * h.dtype->size, edges += (h.n_bin + 1) * h.dtype->size, y += h.n_bin)
        knr_histogram_run(&h, x, edges, y, args->workspace);
    return NULL;
}

/* Counts add up. */
static void histogram_spread(const kni_rule *r, kni_spread *s)
{
    int batch = (int)((const kni_p_histogram *)r->params)->batch;
    knp_spread_first(r, s, batch, 0);
    kni_factor *f = kni_factor_new(s, KNI_SUM, r->xt[0].dim[batch]);
    kni_factor_in(f, 0, batch);
    if (f)
        f->even = true;
}

static double histogram_cost(const kni_rule *r) { return 4 * kni_type_count(r->xt[0]); }

const kni_prim knp_prim_histogram = {
    .name = "histogram",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_THREADS,
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .fields = kni_fields_histogram,
    .params_size = sizeof(kni_p_histogram),
    .factors = "b n, b m -> b k",
    .doc = "how many elements of a vector, one for each of the first `batch` axes, are from each edge on and below the "
           "next one, the last one with its edge; equal: about as far apart (np.histogram)",
    .type = histogram_type,
    .batch = histogram_batch,
    .workspace = histogram_workspace,
    .run = histogram_run,
    .spread = histogram_spread,
    .cost = histogram_cost,
};
