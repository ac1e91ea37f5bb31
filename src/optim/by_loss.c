/* SPDX-License-Identifier: Apache-2.0
 * by_loss.c -- transformations of optax.contrib that look at the loss (.value of kn_optim_update).
 *
 *     momo, momo_adam   the longest step after which a model of the loss is not below its lower bound
 *     plateau           smaller updates from where the loss no longer falls
 */
#include "optim/optimizer.h"
#include <float.h>
#include <math.h>

/* The loss in this dtype; false: it was not given. */
static bool value_of(kno_pass *s, kn_dtype d, kni_atom *value)
{
    if (s->value == KN_ATOM_NONE)
        kna_fail(s->op, KN_ERROR_TYPE, "update_fn() missing 1 required keyword-only argument: 'value'");
    else
        *value = knb_convert(s->b, s->value, d);
    return s->value != KN_ATOM_NONE;
}

/* ---- momo: p[] is learning_rate, b1, b2, eps, lower_bound, weight_decay; flag[0]: adapt_lower_bound, flag[1]: adam.
 */

enum { RATE, B1, B2, EPS, LOWER, DECAY };

static void momo_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"exp_avg", "barf", "gamma", "lb", "count"}, *const adam[] = {
                                                                                        "exp_avg", "exp_avg_sq",
                                                                                        "barf",    "gamma",
                                                                                        "lb",      "count"};
    kn_dtype d = kno_lowest_dtype(l);
    kno_lay_like(l, 0);
    if (t->flag[1])
        kno_lay_like(l, 0);
    kno_lay_scalar(l, d);
    kno_lay_scalar(l, d);
    kno_lay(l, kni_scalar_type(d), t->p[LOWER]);
    kno_lay_scalar(l, KN_DT(I32));
    if (t->flag[1])
        kno_lay_node(l, "MomoAdamState", 6, adam);
    else
        kno_lay_node(l, "MomoState", 5, field);
}

/* Scalars of one step, all of one dtype. */
typedef struct model {
    kni_builder *b;
    double least;
    kni_atom rate, shrink, loss, product, along, norm, bias, bound; /* shrink: 1 + rate decay */
} model;

static kni_atom minus(kni_builder *b, kni_atom x, kni_atom y) { return knb_sub(b, x, y); }

/* shrink (loss - bias bound - product) + along; without `bound`: bound is 0 */
static kni_atom cap_of(const model *m, kni_atom bound)
{
    kni_builder *b = m->b;
    kni_atom rest = bound == KN_ATOM_NONE ? m->loss : minus(b, m->loss, knb_mul(b, m->bias, bound));
    return knb_add(b, knb_mul(b, m->shrink, minus(b, rest, m->product)), m->along);
}

static kni_atom at_least(kni_builder *b, kni_atom x, double v) { return knb_max(b, x, knb_like(b, x, v)); }

/* The bound, lowered where the model is below it already. */
static kni_atom lowered(const model *m)
{
    kni_builder *b = m->b;
    kni_atom cap = cap_of(m, KN_ATOM_NONE), edge = knb_mul(b, m->shrink, m->bias);
    kni_atom below = knb_lt(b, cap, knb_mul(b, edge, m->bound));
    return knb_select(b, below, at_least(b, knb_div(b, cap, kno_times(b, 2, edge)), m->least), m->bound);
}

/* The step, and the bound behind it. */
static kni_atom step_of(model *m, bool adapts)
{
    kni_builder *b = m->b;
    kni_atom bound = adapts ? lowered(m) : m->bound;
    kni_atom longest = knb_div(b, at_least(b, cap_of(m, bound), 0), m->norm);
    kni_atom none = knb_le(b, m->norm, knb_like(b, m->norm, DBL_EPSILON));
    longest = knb_select(b, none, knb_like(b, longest, 0), longest);
    kni_atom tau = knb_min(b, knb_div(b, m->rate, m->bias), longest);
    if (adapts) {
        kni_atom rest = minus(b, knb_add(b, m->loss, m->along), m->product);
        rest = minus(b, rest, knb_mul(b, kno_times(b, 0.5, tau), m->norm));
        m->bound = at_least(b, knb_div(b, rest, m->bias), m->least);
    }
    return tau;
}

/* The means of gradients, and what they are divided by (flag[1]; else NULL). */
static kni_atom *momo_means(kno_pass *s, const kno_transform *t, kni_atom decay, kni_atom count)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom *below = t->flag[1] ? kno_room(s, (size_t)n, sizeof *below) : NULL;
    kni_atom correction = t->flag[1] ? kno_correction(b, t->p[B2], count) : KN_ATOM_NONE;
    for (int i = 0; i < n && !kna_failed(s->op); i++) {
        kni_atom g = s->u[i], d = kno_spread(b, decay, g), rest = knb_sub(b, knb_like(b, d, 1), d);
        kni_atom old = knb_mul(b, d, s->state[i]);
        s->next[i] = knb_add(b, old, knb_mul(b, rest, g));
        if (below) {
            kni_atom nu = s->next[n + i] = kno_weighted(b, t->p[B2], s->state[n + i], 1 - t->p[B2], knb_mul(b, g, g));
            below[i] = kno_plus(b, knb_sqrt(b, kno_corrected(b, nu, correction)), t->p[EPS]);
        }
    }
    return below;
}

static kni_atom mixed(kni_builder *b, kni_atom decay, kni_atom old, kni_atom new)
{
    kni_atom kept = knb_mul(b, decay, old), rest = knb_sub(b, knb_like(b, decay, 1), decay);
    return knb_add(b, kept, knb_mul(b, rest, kno_spread(b, new, old)));
}

static void momo_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n, arrays = t->flag[1] ? 2 * n : n;
    const kni_atom *old = s->state + arrays, before = old[3];
    kni_atom *new = s->next + arrays, *mean = s->next, value = KN_ATOM_NONE;
    kn_dtype d = knb_type(b, old[0]).dtype;
    if (!value_of(s, d, &value))
        return;
    kni_atom count = kno_next_count(b, before), decay = knb_number(b, d, t->p[B1]);
    if (!t->flag[1]) /* the first gradient counts in full */
        decay = knb_select(b, knb_eq(b, before, knb_like(b, before, 0)), knb_like(b, decay, 0), decay);
    kni_atom *below = momo_means(s, t, decay, count);
    kni_atom *weighted = kno_room(s, (size_t)n, sizeof *weighted);
    for (int i = 0; i < n && !kna_failed(s->op); i++)
        weighted[i] = below ? knb_div(b, mean[i], below[i]) : mean[i];
    if (kna_failed(s->op))
        return;
    model m = {.b = b, .least = t->p[LOWER], .bound = old[2]};
    m.rate = knb_convert(b, kno_rate(s, t, before), d);
    m.shrink = kno_plus(b, kno_times(b, t->p[DECAY], m.rate), 1);
    m.loss = new[0] = mixed(b, decay, old[0], value);
    m.product = new[1] = mixed(b, decay, old[1], kno_vdot(s, s->u, s->param));
    m.along = knb_convert(b, kno_vdot(s, mean, s->param), d);
    m.norm = knb_convert(b, kno_vdot(s, mean, weighted), d);
    m.bias = t->flag[1] ? knb_convert(b, kno_correction(b, t->p[B1], count), d) : knb_number(b, d, 1);
    kni_atom tau = step_of(&m, t->flag[0]);
    new[2] = m.bound;
    new[3] = count;
    kni_atom shrunk = knb_div(b, kno_times(b, -t->p[DECAY], m.rate), m.shrink);
    for (int i = 0; i < n; i++) {
        kni_atom kept = knb_mul(b, kno_spread(b, shrunk, s->param[i]), s->param[i]);
        s->u[i] = knb_sub(b, kept, knb_mul(b, kno_spread(b, tau, weighted[i]), weighted[i]));
    }
    s->state += arrays + 4;
    s->next += arrays + 4;
}

const kno_rule kno_momo = {"momo", true, momo_layout, momo_update};

/* ---- plateau: p[] is factor, patience, rtol, atol, cooldown, accumulation_size, min_scale. */

static void plateau_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"scale", "best_value", "plateau_count", "cooldown_count", "count", "avg_value"};
    (void)t;
    kno_lay(l, kni_scalar_type(kno_lowest_dtype(l)), 1);
    kno_lay(l, kni_scalar_type(kno_highest_dtype(l)), INFINITY);
    for (int i = 0; i < 3; i++)
        kno_lay_scalar(l, KN_DT(I32));
    kno_lay_scalar(l, kno_highest_dtype(l));
    kno_lay_node(l, "ReduceLROnPlateauState", 6, field);
}

enum { SCALE, BEST, PLATEAU, COOLDOWN, COUNT, MEAN };

/* What becomes of the state when enough losses have been seen. */
static void judge(kni_builder *b, const kno_transform *t, const kni_atom *old, kni_atom mean, kni_atom *new)
{
    kni_atom zero = knb_like(b, old[PLATEAU], 0), patience = knb_like(b, zero, t->p[1]);
    kni_atom target = kno_plus(b, kno_times(b, 1 - t->p[2], old[BEST]), -t->p[3]);
    kni_atom better = knb_lt(b, mean, target);
    new[BEST] = knb_select(b, better, mean, old[BEST]);
    kni_atom plateau = knb_select(b, better, zero, kno_next_count(b, old[PLATEAU]));
    kni_atom cools = knb_gt(b, old[COOLDOWN], zero), reached = knb_eq(b, plateau, patience);
    kni_atom smaller = knb_select(b, reached, kno_times(b, t->p[0], old[SCALE]), old[SCALE]);
    smaller = knb_max(b, smaller, knb_like(b, smaller, t->p[6]));
    new[SCALE] = knb_select(b, cools, old[SCALE], smaller);
    new[PLATEAU] = knb_select(b, knb_or(b, cools, reached), zero, plateau);
    kni_atom begins = knb_select(b, reached, knb_like(b, zero, t->p[4]), zero);
    new[COOLDOWN] = knb_select(b, cools, kno_plus(b, old[COOLDOWN], -1), begins);
    new[COUNT] = zero;
    new[MEAN] = knb_like(b, mean, 0);
}

static void plateau_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    const kni_atom *old = s->state;
    kni_atom value = KN_ATOM_NONE, judged[6];
    kn_dtype d = knb_type(b, old[MEAN]).dtype;
    if (!value_of(s, d, &value))
        return;
    kni_atom count = kno_next_count(b, old[COUNT]), n = knb_convert(b, old[COUNT], d);
    kni_atom sum = knb_add(b, knb_mul(b, n, old[MEAN]), value), mean = knb_div(b, sum, knb_convert(b, count, d));
    kni_atom now = knb_eq(b, count, knb_like(b, count, t->p[5]));
    judge(b, t, old, mean, judged);
    const kni_atom otherwise[6] = {old[SCALE], old[BEST], old[PLATEAU], old[COOLDOWN], count, mean};
    for (int i = 0; i < 6; i++)
        s->next[i] = knb_select(b, now, judged[i], otherwise[i]);
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_mul(b, kno_spread(b, s->next[SCALE], s->u[i]), s->u[i]);
    s->state += 6;
    s->next += 6;
}

const kno_rule kno_plateau = {"reduce_on_plateau", false, plateau_layout, plateau_update};
