/* SPDX-License-Identifier: Apache-2.0
 * private.c -- differential privacy, of optax.contrib: the gradients of single examples, clipped and with noise. The
 * leaves of gradients have the examples as their first axis, which the updates have no more. */
#include "optim/alias.h"
#include "optim/optimizer.h"
#include "random/keys.h"

bool kno_takes_examples(const kno_transform *t)
{
    while (t->rule != &kno_private) {
        if (!t->n_child || (t->rule != &kno_chained && t->rule != &kno_schedule_free && t->rule != &kno_split))
            return false;
        t = t->child[0];
    }
    return true;
}

/* p[] is l2_norm_clip, noise_multiplier and the halves of the seed. */
static void private_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"rng_key"};
    kno_lay_key(l, (uint64_t)t->p[2] << 32 | (uint64_t)t->p[3], t->number);
    kno_lay_node(l, "DifferentiallyPrivateAggregateState", 1, field);
}

/* The leaves' common first extent; false with the op failed. */
static bool examples(kno_pass *s, int64_t *n)
{
    bool ok = true;
    if (!s->n)
        kna_fail(s->op, KN_ERROR_VALUE, "a tree without gradients");
    for (int i = 0; i < s->n && ok; i++) {
        kni_type g = knb_type(s->b, s->u[i]);
        ok = g.ndim == s->type[i].ndim + 1 && (!i || knx_dim_eq(g.dim[0], *n));
        *n = ok ? g.dim[0] : 0;
    }
    if (!ok)
        kna_fail(s->op, KN_ERROR_VALUE,
                 "Unlike other transforms, `per_example_global_norm_clip` expects `grads` to have a batch dimension "
                 "in the 0th axis.");
    return s->n && ok && !kna_failed(s->op);
}

/* The sum of squares of each example. */
static kni_atom squares_of(kni_builder *b, kni_atom g)
{
    int64_t axes[KN_MAX_NDIM];
    kni_atom square = kno_real_squared(b, g);
    int n = knb_type(b, square).ndim;
    for (int i = 1; i < n; i++)
        axes[i - 1] = i;
    return n > 1 ? knb_reduce_sum(b, square, n - 1, axes) : square;
}

/* What each example is multiplied with: no more than 1; so much that its norm is the limit; 1 for NaN, so that a
 * gradient of nothing but zeros counts under any limit. */
static kni_atom clips_of(kno_pass *s, double limit)
{
    kni_builder *b = s->b;
    kni_atom all = squares_of(b, s->u[0]);
    for (int i = 1; i < s->n; i++) {
        kni_atom one = squares_of(b, s->u[i]);
        kn_dtype d = knx_promote(knb_type(b, all).dtype, knb_type(b, one).dtype);
        all = knb_add(b, knb_convert(b, all, d), knb_convert(b, one, d));
    }
    kni_atom norm = knb_sqrt(b, all), by = knb_div(b, knb_full(b, knb_type(b, norm), limit), norm);
    by = knb_min(b, by, knb_full(b, knb_type(b, by), 1));
    return knb_select(b, knb_ne(b, by, by), knb_full(b, knb_type(b, by), 1), by);
}

static kni_atom weighted_sum(kni_builder *b, kni_atom by, kni_atom g)
{
    static int64_t first;
    kn_dtype d = knx_promote(knb_type(b, by).dtype, knb_type(b, g).dtype);
    const kni_ints axis = {1, &first}, none = {0, NULL};
    return knb_dot_general(b, knb_convert(b, by, d), knb_convert(b, g, d),
                           &(kni_p_dot_general){axis, axis, none, none, NULL});
}

static kni_atom key_of(kni_builder *b, kni_atom keys, int64_t i)
{
    return knb_squeeze(b, knb_slice(b, keys, &i, (int64_t[]){i + 1}, NULL), 1, (int64_t[]){0});
}

static void private_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int64_t n = 0, wanted = (int64_t)s->n + 1;
    if (!examples(s, &n))
        return;
    kni_atom by = clips_of(s, t->p[0]), keys = knrandom_split(b, kno_take(s), 1, &wanted);
    kno_put_key(s, key_of(b, keys, 0), &keys);
    for (int i = 0; i < s->n && !kna_failed(s->op); i++) {
        kni_atom sum = weighted_sum(b, by, s->u[i]);
        kni_type type = knb_type(b, sum);
        kni_atom noise = knrandom_normal(b, key_of(b, keys, i + 1), type.dtype, type.ndim, type.dim);
        sum = knb_add(b, sum, kno_times(b, t->p[0] * t->p[1], noise));
        /* Where parameters are of several dtypes the noise is of the widest one, as in optax. */
        s->u[i] = knb_convert(b, knb_div(b, sum, kno_count_like(b, sum, 1, &n)), s->type[i].dtype);
    }
}

const kno_rule kno_private = {"differentially_private_aggregate", false, private_layout, private_update};

static kno_transform *aggregate(kna_op *op, double l2_norm_clip, double noise_multiplier, int64_t seed, kn_array key)
{
    kno_transform *t = KNO_NEW(kno_private, l2_norm_clip, noise_multiplier, KNO_SEED(seed));
    if (!(l2_norm_clip >= 0))
        kna_fail(op, KN_ERROR_VALUE, "l2_norm_clip must be non-negative, but is %g", l2_norm_clip);
    if (!(noise_multiplier >= 0))
        kna_fail(op, KN_ERROR_VALUE, "noise_multiplier must be non-negative, but is %g", noise_multiplier);
    if (!t || !key || kna_failed(op))
        return t;
    kni_type type = kna_type(op, key);
    knx_text text = {0};
    if (!kna_failed(op) && (type.ndim || type.dtype->kind != KN_KIND_KEY))
        kna_fail(op, KN_ERROR_TYPE, "key is a single random key, as of kn_random_key, but this is %s",
                 kni_type_text(&text, type, true));
    knx_error *e = kna_failed(op) ? NULL : kna_array_value(key, &t->number);
    if (e)
        kna_fail_with(op, e);
    return t;
}

kn_optimizer kn_optim_differentially_private_aggregate(double l2_norm_clip, double noise_multiplier,
                                                       const kn_optim_differentially_private_aggregate_opts *opts)
{
    BEGIN(differentially_private_aggregate);
    return kno_finish(&op, aggregate(&op, l2_norm_clip, noise_multiplier, o.seed, o.key));
}

kn_optimizer kn_optim_dpsgd(const kn_optim_dpsgd_opts *opts)
{
    BEGIN(dpsgd);
    kno_transform *rate = RATE();
    if (isnan(o.l2_norm_clip) || isnan(o.noise_multiplier))
        kna_fail(&op, KN_ERROR_TYPE, "missing required option '%s'",
                 isnan(o.l2_norm_clip) ? "l2_norm_clip" : "noise_multiplier");
    END(aggregate(&op, o.l2_norm_clip, o.noise_multiplier, o.seed, o.key), trace_or_none(o.momentum, o.nesterov), rate);
}
