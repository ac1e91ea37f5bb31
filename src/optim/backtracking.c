/* SPDX-License-Identifier: Apache-2.0
 * backtracking.c -- the line search that shortens the step until the loss has fallen enough (Armijo). */
#include "optim/alias.h"
#include "optim/loop.h"
#include "optim/mixed.h"
#include "optim/objective.h"

/* p[]: the options in their order; flag[0]: store_grad. The state: learning rate, value, gradients (flag[0]), the
 * number of steps, the error. */
enum { MOST, SLOPE_RTOL, DECREASE, INCREASE, LONGEST, ATOL, RTOL };

static void backtracking_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"learning_rate", "value", "grad", "info"}, *const info[] = {
                                                                                       "num_linesearch_steps",
                                                                                       "decrease_error"};
    kni_type real = kni_scalar_type(kno_search_dtype(l));
    kno_lay(l, real, 1);
    kno_lay(l, real, INFINITY);
    if (t->flag[0])
        kno_lay_like(l, 0);
    else
        kno_lay_none(l);
    kno_lay_scalar(l, KN_DT(I64));
    kno_lay(l, real, INFINITY);
    kno_lay_node(l, "BacktrackingLinesearchInfo", 2, info);
    kno_lay_node(l, "ScaleByBacktrackingLinesearchState", 4, field);
}

/* The loop's carry, and its constants, behind which come parameters, updates and what the objective captured. */
enum { RATE_NOW, VALUE_NOW, ERROR_NOW, ROUND, CARRIES };
enum { SLOPE, VALUE, SCALARS };

/* By how much the loss did not fall enough; inf where it is no number. */
static kni_atom decrease_error(kni_builder *b, const kno_transform *t, kni_atom rate, const kni_atom *given,
                               kni_atom value)
{
    kni_atom allowed = kno_times(b, 1 + t->p[RTOL], given[VALUE]);
    kni_atom fallen = kno_mixed_mul(b, kno_times(b, t->p[SLOPE_RTOL], rate), given[SLOPE]);
    kni_atom error = kno_mixed_sub(b, kno_mixed_sub(b, value, allowed), fallen);
    error = knb_select(b, knb_ne(b, error, error), knb_like(b, error, INFINITY), error);
    return knb_max(b, error, knb_like(b, error, 0));
}

static void backtracking_round(kno_pass *s, const kno_transform *t, knp_frame *f)
{
    kni_builder *b = &f->b;
    int n = s->n;
    const kni_atom *param = f->in + SCALARS, *update = param + n, *constant = update + n;
    const kni_atom *carry = constant + kno_objective_constants(s, KNO_VALUE, NULL);
    kni_atom *at = kno_room(s, (size_t)n, sizeof *at);
    kni_atom first = knb_le(b, carry[ROUND], knb_like(b, carry[ROUND], 0));
    kni_atom rate = carry[RATE_NOW], shorter = kno_times(b, t->p[DECREASE], rate);
    rate = knb_select(b, first, rate, shorter);
    kno_points(b, n, param, rate, update, at);
    kno_objective_call(s, b, KNO_VALUE, constant, at, &f->out[VALUE_NOW]);
    f->out[RATE_NOW] = rate;
    f->out[ERROR_NOW] = decrease_error(b, t, rate, f->in, f->out[VALUE_NOW]);
    f->out[ROUND] = kno_plus(b, carry[ROUND], 1);
}

static void goes_on(const kno_transform *t, knp_frame *f)
{
    kni_builder *b = &f->b;
    kni_atom error = f->in[ERROR_NOW], round = f->in[ROUND];
    kni_atom reached = knb_le(b, error, knb_like(b, error, t->p[ATOL]));
    f->out[0] = knb_and(b, knb_not(b, reached), knb_le(b, round, knb_like(b, round, t->p[MOST])));
}

/* The gradients at the last point that was tried; zeros where there was none. */
static void store_gradients(kno_pass *s, const kni_atom *end, const kni_atom *update, kni_atom *to)
{
    kni_builder *b = s->b;
    int n = s->n, count = kno_objective_constants(s, KNO_VALUE_AND_GRAD, NULL);
    kni_atom *constant = kno_room(s, (size_t)count, sizeof *constant), *at = kno_room(s, (size_t)n, sizeof *at),
             *y = kno_room(s, (size_t)n + 1, sizeof *y);
    if (kna_failed(s->op))
        return;
    kno_objective_constants(s, KNO_VALUE_AND_GRAD, constant);
    kno_points(b, n, s->param, end[RATE_NOW], update, at);
    kno_objective_call(s, b, KNO_VALUE_AND_GRAD, constant, at, y);
    kni_atom any = knb_gt(b, end[ROUND], knb_like(b, end[ROUND], 0));
    for (int i = 0; i < n; i++)
        to[i] = kno_where(b, any, kno_spread(b, y[i + 1], to[i]), knb_zeros(b, s->type[i]));
}

static void backtracking_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    struct kno_objective *o = kno_objective_of(s);
    int n = s->n, kept = t->flag[0] ? n : 0;
    const kni_atom *old = s->state;
    kni_atom *new = s->next, end[CARRIES], *conj = kno_room(s, (size_t)n, sizeof *conj);
    kno_loop l;
    if (kna_failed(s->op))
        return;
    kni_atom value = kno_search_value(s), rate = kno_times(b, t->p[INCREASE], old[0]);
    for (int i = 0; i < n; i++)
        conj[i] = knb_conj(b, o->grad[i]);
    int count = kno_objective_constants(s, KNO_VALUE, NULL);
    kno_loop_room(s, &l, SCALARS + 2 * n + count, CARRIES);
    if (kna_failed(s->op))
        return;
    kni_atom slope = kno_vdot(s, s->u, conj);
    l.init[SLOPE] = knx_is_complex(knb_type(b, slope).dtype) ? knb_real(b, slope) : slope;
    l.init[VALUE] = value;
    for (int i = 0; i < n; i++) {
        l.init[SCALARS + i] = s->param[i];
        l.init[SCALARS + n + i] = s->u[i];
    }
    kno_objective_constants(s, KNO_VALUE, l.init + SCALARS + 2 * n);
    kni_atom *begin = l.init + l.n_const;
    begin[RATE_NOW] = knb_min(b, rate, knb_like(b, rate, t->p[LONGEST]));
    begin[VALUE_NOW] = value;
    begin[ERROR_NOW] = knb_number(b, kna_default_float(), INFINITY);
    begin[ROUND] = knb_integer(b, KN_DT(I64), 0);
    if (kno_loop_begin(s, &l)) {
        goes_on(t, &l.cond);
        backtracking_round(s, t, &l.body);
    }
    kno_loop_end(s, &l, end);
    kni_atom stuck = knb_eq(b, end[ERROR_NOW], knb_like(b, end[ERROR_NOW], INFINITY));
    new[0] = knb_select(b, stuck, knb_like(b, end[RATE_NOW], 0), end[RATE_NOW]);
    new[1] = knb_convert(b, end[VALUE_NOW], knb_type(b, old[1]).dtype);
    for (int i = 0; i < kept; i++)
        new[2 + i] = old[2 + i];
    if (kept)
        store_gradients(s, end, s->u, new + 2);
    new[2 + kept] = end[ROUND];
    new[3 + kept] = knb_convert(b, end[ERROR_NOW], knb_type(b, old[1]).dtype);
    kno_scale_updates(s, new[0]);
    s->state += 4 + kept;
    s->next += 4 + kept;
}

const kno_rule kno_backtracking = {"scale_by_backtracking_linesearch", true, backtracking_layout, backtracking_update};

kn_optimizer kn_optim_scale_by_backtracking_linesearch(int64_t max_backtracking_steps,
                                                       const kn_optim_scale_by_backtracking_linesearch_opts *opts)
{
    BEGIN(scale_by_backtracking_linesearch);
    if (max_backtracking_steps < 0)
        kna_fail(&op, KN_ERROR_VALUE, "max_backtracking_steps must be at least 0, but is %lld",
                 (long long)max_backtracking_steps);
    kno_transform *t = KNO_NEW(kno_backtracking, (double)max_backtracking_steps, o.slope_rtol, o.decrease_factor,
                               o.increase_factor, o.max_learning_rate, o.atol, o.rtol);
    return kno_finish(&op, kno_flagged(t, o.store_grad, false, false));
}
