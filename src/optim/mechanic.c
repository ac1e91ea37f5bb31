/* SPDX-License-Identifier: Apache-2.0
 * mechanic.c -- mechanize of optax.contrib: the scale of another optimizer's updates is learned (Cutkosky et al. 2023).
 * There is one gambler for each rate at which the past is forgotten, 0.9, 0.99, ...; the scale is the sum of their
 * stakes. Updates are counted from where the parameters were at the first step. */
#include "optim/alias.h"
#include "optim/optimizer.h"

/* p[] is weight_decay, eps, s_init, num_betas. */
enum { DECAY, EPS, FIRST, BETAS, MOST_BETAS = 100 };

static void mechanic_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"base_optimizer_state", "count", "r", "m", "v", "s", "x0"};
    int64_t *n = knx_arena_zero(&l->arena, sizeof *n);
    if (!n) {
        l->failed = true;
        return;
    }
    if (knx_is_complex(kno_lowest_dtype(l)) != knx_is_complex(kno_highest_dtype(l)))
        kno_lay_wrong(l, knx_error_new(KN_ERROR_TYPE, "mechanize: parameters are real or complex, not both: "
                                                      "kn_optim_split_real_and_imaginary makes all of them real"));
    *n = (int64_t)t->p[BETAS];
    kni_type each = kni_type_of(kno_lowest_dtype(l), 1, n);
    t->child[0]->rule->layout(l, t->child[0]);
    kno_lay_scalar(l, KN_DT(I32));
    for (int i = 0; i < 3; i++)
        kno_lay(l, each, 0);
    kno_lay(l, each, t->p[FIRST]);
    kno_lay_params(l);
    kno_lay_node(l, "MechanicState", 7, field);
}

/* 0.9, 0.99, ... */
static kni_atom betas_of(kni_builder *b, kni_type like)
{
    kni_atom beta[MOST_BETAS];
    int n = (int)like.dim[0];
    double power = 1;
    for (int i = 0; i < n; i++) {
        power *= 0.1;
        beta[i] = knb_full(b, kni_type_of(like.dtype, 1, (int64_t[]){1}), 1 - power);
    }
    return knb_concatenate(b, n, beta, 0);
}

/* A scalar as a vector like this one. */
static kni_atom each_of(kni_builder *b, kni_atom scalar, kni_atom like)
{
    return knb_broadcast_to(b, kno_spread(b, scalar, like), knb_type(b, like));
}

/* The larger one (or the smaller one); complex numbers are ordered by their real parts, then the imaginary ones. */
static kni_atom extreme(kni_builder *b, kni_atom x, kni_atom y, bool largest)
{
    if (!knx_is_complex(knb_type(b, x).dtype))
        return largest ? knb_max(b, x, y) : knb_min(b, x, y);
    kni_atom re = knb_real(b, x), other = knb_real(b, y), im = knb_imag(b, x), imaginary = knb_imag(b, y);
    kni_atom tie = knb_and(b, knb_eq(b, re, other), largest ? knb_gt(b, im, imaginary) : knb_lt(b, im, imaginary));
    kni_atom first = knb_or(b, largest ? knb_gt(b, re, other) : knb_lt(b, re, other), tie);
    return knb_select(b, first, x, y);
}

/* The gamblers' next state, r, m, v and s, from their last one: h is what this step has won for a stake of 1. */
static void gamble(kni_builder *b, const kno_transform *t, const kni_atom *old, kni_atom h, kni_atom *new)
{
    kni_atom r = old[0], m = old[1], v = old[2], s = old[3], beta = betas_of(b, knb_type(b, r));
    kni_atom won = each_of(b, h, m), clipped = extreme(b, extreme(b, knb_neg(b, m), won, true), m, false);
    new[1] = extreme(b, knb_mul(b, beta, m), each_of(b, kno_plus(b, knb_abs(b, h), t->p[EPS]), m), true);
    new[2] = knb_add(b, knb_mul(b, knb_mul(b, beta, beta), v), each_of(b, knb_mul(b, h, h), v));
    new[0] = knb_add(b, knb_mul(b, beta, r), knb_mul(b, clipped, s));
    kni_atom gained = extreme(b, each_of(b, knb_like(b, r, 0), r), new[0], true);
    kni_atom wealth = knb_add(b, kno_times(b, t->p[FIRST] / t->p[BETAS], new[1]), gained);
    new[3] = knb_div(b, wealth, kno_plus(b, knb_sqrt(b, new[2]), t->p[EPS]));
}

/* The gradients with weight decay: their norm times the scale, in the direction of the parameters. */
static void decay(kno_pass *s, const kno_transform *t, kni_atom scale, kni_atom *g)
{
    kni_builder *b = s->b;
    kni_atom of_g = knb_sqrt(b, kno_norm_squared(s, g)), of_p = knb_sqrt(b, kno_norm_squared(s, s->param));
    of_p = kno_plus(b, of_p, t->p[EPS]);
    for (int i = 0; i < s->n; i++) {
        kni_atom p = s->param[i], by = kno_times(b, t->p[DECAY], kno_spread(b, scale, p));
        by = knb_div(b, knb_mul(b, by, kno_spread(b, of_g, p)), kno_spread(b, of_p, p));
        g[i] = knb_add(b, g[i], knb_mul(b, by, p));
    }
}

static void mechanic_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom *u = kno_room(s, (size_t)n, sizeof *u), *back = kno_room(s, (size_t)n, sizeof *back);
    if (kna_failed(s->op))
        return;
    kno_child_step(s, t->child[0], s->param, u);
    if (kna_failed(s->op))
        return;
    kni_atom count = kno_take(s), first = knb_eq(b, count, knb_like(b, count, 0));
    kno_put(s, kno_next_count(b, count));
    const kni_atom *old = s->state, *from = old + 4;
    kni_atom *new = s->next, *begun = new + 4, scale = kno_sum(b, old[3]), some = kno_plus(b, scale, t->p[EPS]);
    decay(s, t, scale, s->u);
    for (int i = 0; i < n; i++) {
        begun[i] = kno_where(b, first, s->param[i], from[i]);
        back[i] = knb_div(b, knb_sub(b, begun[i], s->param[i]), kno_spread(b, some, s->param[i]));
    }
    gamble(b, t, old, kno_spread(b, kno_vdot(s, s->u, back), old[0]), new);
    scale = kno_sum(b, new[3]);
    for (int i = 0; i < n; i++) {
        kni_atom way = knb_sub(b, back[i], u[i]), by = knb_mul(b, kno_spread(b, scale, way), way);
        s->u[i] = knb_sub(b, knb_sub(b, begun[i], by), s->param[i]);
    }
    s->state += 4 + n;
    s->next += 4 + n;
}

const kno_rule kno_mechanic = {"mechanize", true, mechanic_layout, mechanic_update};

kn_optimizer kn_optim_mechanize(kn_optimizer base_optimizer, const kn_optim_mechanize_opts *opts)
{
    BEGIN(mechanize);
    if (o.num_betas < 1 || o.num_betas > MOST_BETAS)
        kna_fail(&op, KN_ERROR_VALUE, "num_betas must be from 1 to %d, but is %lld", MOST_BETAS,
                 (long long)o.num_betas);
    return kno_finish(&op, kno_with(kno_around(&op, &kno_mechanic, base_optimizer),
                                    (const double[KNO_NUMBERS]){o.weight_decay, o.eps, o.s_init, (double)o.num_betas}));
}
