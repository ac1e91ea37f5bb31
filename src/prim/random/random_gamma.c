/* SPDX-License-Identifier: Apache-2.0
 * random_gamma.c -- samples of Gamma(a, 1), or their logarithms, one for each a.
 *
 *     type       keys, whose shape is that of a's first axes, and floats a: a's type
 *     jvp        by a: random_gamma_grad(a, sample), of the logarithms divided by the sample
 *     batch      one more axis in front of both
 *     expand     Marsaglia and Tsang, "A simple method for generating gamma variables" (2000): rejection, in a loop
 *                that runs until every sample is accepted; each has a key of its own, so that none depends on the
 *                others. The same steps as JAX
 */
#include "prim/iterate.h"

static knx_error *gamma_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_KEY));
    KN_TRY(knp_accepts(r->xt[1].dtype, KNP_FLOAT));
    bool fits = r->xt[0].ndim <= r->xt[1].ndim;
    for (int i = 0; fits && i < r->xt[0].ndim; i++)
        fits = knx_dim_eq(r->xt[0].dim[i], r->xt[1].dim[i]);
    knx_text keys = {0}, parameters = {0};
    if (!fits)
        return knx_error_new(KN_ERROR_TYPE, "random_gamma takes keys whose shape begins that of a, got %s and %s",
                             knx_show_shape(&keys, r->xt[0].ndim, r->xt[0].dim),
                             knx_show_shape(&parameters, r->xt[1].ndim, r->xt[1].dim));
    KN_TRY(knp_type_like(r->arena, r->xt[1], r->xt[1].dtype, y));
    y->weak = false;
    return NULL;
}

/* One expansion. */
typedef struct gamma_samples {
    kni_builder *b; /* where the samples are made */
    kn_dtype d;
    kni_type t;
} gamma_samples;

static kni_atom num(kni_builder *b, const gamma_samples *g, double v) { return knb_number(b, g->d, v); }

/* 1 + c x for normal numbers x, again and again until it is positive. out: x and that. */
static void positive(kni_builder *b, const gamma_samples *g, kni_atom on, kni_atom keys, kni_atom c, kni_atom out[2])
{
    enum { C, ON, KEY, X, V };
    knp_iteration it;
    kni_atom end[V];
    knp_iterate(&it, b, 1, V, (const kni_atom[]){c, on, keys, knb_full(b, g->t, 0), knb_full(b, g->t, -1)});
    kni_builder *body = &it.body;
    kni_atom x = knb_random_normal(body, knb_subkey(body, it.in[KEY], 1), g->d, 0, NULL);
    kni_atom v = knb_add(body, num(body, g, 1), knb_mul(body, x, it.in[C]));
    kni_atom wrong = knb_le(body, v, num(body, g, 0));
    knp_iterate_end(&it, (const kni_atom[]){wrong, knb_subkey(body, it.in[KEY], 0), x, v}, end);
    out[0] = end[X - 1];
    out[1] = end[V - 1];
}

/* The accepted numbers V: d V is a sample for parameters of at least one. */
static kni_atom accepted(const gamma_samples *g, kni_atom keys, kni_atom d, kni_atom c)
{
    enum { D, C, ON, KEY, V, COUNT };
    knp_iteration it;
    kni_atom end[COUNT], xv[2];
    kni_type mask = g->t;
    mask.dtype = KN_DT(BOOL);
    knp_iterate(&it, g->b, 2, COUNT - 2,
                (const kni_atom[]){d, c, knb_full(g->b, mask, 1), keys, knb_full(g->b, g->t, 1)});
    kni_builder *b = &it.body;
    const kni_atom *in = it.in;
    positive(b, g, in[ON], knb_subkey(b, in[KEY], 1), in[C], xv);
    kni_atom u = knb_random_unit(b, knb_subkey(b, in[KEY], 2), g->d, 0, NULL), one = num(b, g, 1);
    kni_atom square = knb_mul(b, xv[0], xv[0]), v = knb_mul(b, knb_mul(b, xv[1], xv[1]), xv[1]);
    kni_atom near = knb_sub(b, one, knb_mul(b, num(b, g, 0.0331), knb_mul(b, square, square)));
    kni_atom far = knb_mul(b, in[D], knb_add(b, knb_sub(b, one, v), knb_log(b, v)));
    far = knb_add(b, knb_mul(b, square, num(b, g, 0.5)), far);
    kni_atom again = knb_and(b, knb_ge(b, u, near), knb_ge(b, knb_log(b, u), far));
    knp_iterate_end(&it, (const kni_atom[]){again, knb_subkey(b, in[KEY], 0), v}, end);
    return end[V - 2];
}

/* keys: one for each sample. */
static void make_samples(const kni_rule *r, kni_atom keys, kni_atom *y)
{
    const kni_p_random_gamma *p = r->params;
    kni_builder *b = r->b;
    gamma_samples g = {b, r->yt[0].dtype, r->yt[0]};
    kni_atom a = r->x[1], one = num(b, &g, 1), third = num(b, &g, 1. / 3), zero = num(b, &g, 0);
    kni_atom large = knb_ge(b, a, one); /* others are made from a + 1 */
    kni_atom d = knb_sub(b, knb_select(b, large, a, knb_add(b, a, one)), third);
    kni_atom c = knb_div(b, third, knb_sqrt(b, d));
    kni_atom v = accepted(&g, knb_subkey(b, keys, 0), d, c), last = knb_subkey(b, keys, 1), power = knb_div(b, one, a);
    if (p->log_space) {
        kni_atom log_u = knb_neg(b, knb_random_exponential(b, last, g.d, 0, NULL));
        kni_atom none = knb_or(b, large, knb_eq(b, log_u, zero));
        kni_atom boost = knb_select(b, none, zero, knb_mul(b, log_u, power));
        y[0] = knb_add(b, knb_add(b, knb_log(b, d), knb_log(b, v)), boost);
    } else {
        kni_atom u = knb_sub(b, one, knb_random_unit(b, last, g.d, 0, NULL));
        y[0] = knb_mul(b, knb_mul(b, d, v), knb_select(b, large, one, knb_pow(b, u, power)));
    }
}

static knx_error *gamma_expand(const kni_rule *r, kni_atom *y)
{
    int keys = r->xt[0].ndim;
    kni_type t = r->yt[0];
    make_samples(r, knb_random_split(r->b, r->x[0], t.ndim - keys, t.dim + keys), y);
    return NULL;
}

static void gamma_spread(const kni_rule *r, kni_spread *s) { knp_spread_counted(r, s, r->xt[0].ndim, KNI_PARALLEL); }

/* The keys of a part are those of its positions, as random_split has it. */
static knx_error *gamma_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    int lead = r->xt[0].ndim;
    kni_type whole = l->yt[0], keys = r->yt[0], whole_keys = whole;
    keys.dtype = whole_keys.dtype = KN_DT(KEY);
    const kni_p_random_split shape = {{whole.ndim - lead, whole.dim + lead}};
    kni_rule split = *r;
    kni_local where = *l;
    kni_atom key = KN_ATOM_NONE;
    split.prim = &knp_prim_random_split;
    split.params = &shape;
    split.n_in = 1;
    split.yt = &keys;
    where.yt = &whole_keys;
    KN_TRY(split.prim->local(&split, &where, &key));
    make_samples(r, key, y);
    return NULL;
}

static double tiny_of(kn_dtype d) { return d == KN_DT(F16) ? 0x1p-14 : d == KN_DT(F64) ? 0x1p-1022 : 0x1p-126; }

static void gamma_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const kni_p_random_gamma *p = r->params;
    kni_builder *b = r->b;
    kni_atom sample = r->y[0];
    if (tx[1] == KN_ATOM_ZERO)
        return;
    if (p->log_space) { /* where the sample is zero only because it was rounded: the smallest number */
        sample = knb_exp(b, sample);
        kni_atom none = knb_eq(b, sample, knb_like(b, sample, 0));
        sample = knb_select(b, none, knb_like(b, sample, tiny_of(r->yt[0].dtype)), sample);
    }
    kni_atom slope = knb_random_gamma_grad(b, r->x[1], sample);
    ty[0] = knb_mul(b, tx[1], p->log_space ? knb_div(b, slope, sample) : slope);
}

static knx_error *gamma_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_atom x[2];
    for (int i = 0; i < 2; i++)
        x[i] = knp_batched_at(r, i, size, axis[i], 0);
    y[0] = knb_emit1(r->b, r->prim, r->params, 2, x);
    axis_out[0] = 0;
    return NULL;
}

const kni_prim knp_prim_random_gamma = {
    .name = "random_gamma",
    .n_in = 2,
    .n_out = 1,
    .fields = kni_fields_random_gamma,
    .params_size = sizeof(kni_p_random_gamma),
    .factors = "k, k m -> k m",
    .doc = "samples of the gamma distribution, one for each parameter (jax.random.gamma)",
    .type = gamma_type,
    .jvp = gamma_jvp,
    .batch = gamma_batch,
    .expand = gamma_expand,
    .spread = gamma_spread,
    .local = gamma_local,
    .cost = knp_cost_function,
};
