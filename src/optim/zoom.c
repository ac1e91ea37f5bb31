/* SPDX-License-Identifier: Apache-2.0
 * zoom.c -- the line search that finds a step after which the loss has fallen enough and is flat enough (the strong
 * conditions of Wolfe): Nocedal and Wright, algorithms 3.5 and 3.6.
 *
 * First the step grows until an interval is found that has such a step inside, then that interval becomes smaller. The
 * objective is evaluated once per round, at the step that the phase wants; what becomes of the state is worked out for
 * both phases and selected. */
#include "optim/alias.h"
#include "optim/loop.h"
#include "optim/mixed.h"
#include "optim/objective.h"
#include <string.h>

/* p[]: the options in their order (LONGEST, APPROXIMATE: NAN for none); flag[0]: begins with the step before. The
 * state: learning rate, value, gradients, the number of rounds, both errors. */
enum { MOST, LONGEST, TOL, INCREASE, SLOPE_RTOL, CURV_RTOL, APPROXIMATE, PRECISION };

static void zoom_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"learning_rate", "value", "grad", "info"}, *const info[] = {
                                                                                       "num_linesearch_steps",
                                                                                       "decrease_error",
                                                                                       "curvature_error"};
    kni_type real = kni_scalar_type(kno_search_dtype(l)), number = kni_scalar_type(kna_default_float());
    (void)t;
    kno_lay(l, real, 1);
    kno_lay(l, real, INFINITY);
    kno_lay_like(l, 0);
    kno_lay_scalar(l, KN_DT(I64));
    kno_lay(l, number, INFINITY);
    kno_lay(l, number, INFINITY);
    kno_lay_node(l, "ZoomLinesearchInfo", 3, info);
    kno_lay_node(l, "ScaleByZoomLinesearchState", 4, field);
}

/* A step with the loss and its slope there. */
typedef struct point {
    kni_atom step, value, slope;
} point;

/* The scalars of the carry; behind them the gradients at `now`, and at `safe`. */
enum {
    ROUND,
    NOW,
    LOW = NOW + 3,
    HIGH = LOW + 3,
    REF = HIGH + 3,
    SAFE = REF + 2,
    DECREASE = SAFE + 2,
    CURVATURE,
    FOUND,
    DONE,
    FAILED,
    SCALARS
};
/* The constants; behind them parameters, updates and what the objective captured. */
enum { GUESS, VALUE, SLOPE, CONSTANTS };

/* One round in the making. */
typedef struct round_ {
    kni_builder *b;
    const kno_transform *t;
    const kni_atom *given, *carry;         /* constants, scalars of the carry */
    point now;                             /* what was tried */
    kni_atom decrease, curvature, reached; /* errors of it; whether both are small enough */
    kni_atom fell;                         /* the loss fell enough */
} round_;

static point point_at(const kni_atom *a) { return (point){a[0], a[1], a[2]}; }

static point choose(kni_builder *b, kni_atom condition, point yes, point no)
{
    kni_atom step = kno_mixed_select(b, condition, yes.step, no.step);
    kni_atom value = kno_mixed_select(b, condition, yes.value, no.value);
    return (point){step, value, kno_mixed_select(b, condition, yes.slope, no.slope)};
}

static kni_atom compare(kni_builder *b, kni_atom (*with)(kni_builder *, kni_atom, kni_atom), kni_atom x, double v)
{
    return with(b, x, knb_like(b, x, v));
}

/* ---- Where to try next. */

static kni_atom real_dot(kno_pass *s, const kni_atom *x, const kni_atom *y)
{
    kni_atom dot = kno_vdot(s, x, y);
    return knx_is_complex(knb_type(s->b, dot).dtype) ? knb_real(s->b, dot) : dot;
}

static kni_atom longer(round_ *r, kni_atom *at_end)
{
    kni_builder *b = r->b;
    kni_atom first = compare(b, (knb_eq), r->carry[ROUND], 0);
    kni_atom step = kno_mixed_select(b, first, r->given[GUESS], kno_times(b, r->t->p[INCREASE], r->carry[NOW]));
    *at_end = knb_number(b, KN_DT(BOOL), 0);
    if (isnan(r->t->p[LONGEST]))
        return step;
    kni_atom longest = knb_like(b, step, r->t->p[LONGEST]);
    *at_end = knb_ge(b, step, longest);
    return knb_min(b, step, longest);
}

/* Where the cubic through three points with the slope at the first one is least; NAN where it is nowhere. */
static kni_atom least_of_cubic(kni_builder *b, point low, point high, const kni_atom *ref)
{
    kni_atom x = kno_mixed_sub(b, high.step, low.step), y = kno_mixed_sub(b, ref[0], low.step);
    kni_atom over_x = kno_mixed_sub(b, high.value, low.value), over_y = kno_mixed_sub(b, ref[1], low.value);
    over_x = kno_mixed_sub(b, over_x, kno_mixed_mul(b, low.slope, x));
    over_y = kno_mixed_sub(b, over_y, kno_mixed_mul(b, low.slope, y));
    kni_atom product = knb_mul(b, x, y), below = knb_mul(b, knb_mul(b, product, product), knb_sub(b, x, y));
    kni_atom xx = knb_mul(b, x, x), yy = knb_mul(b, y, y);
    kni_atom cubic = kno_mixed_sub(b, kno_mixed_mul(b, yy, over_x), kno_mixed_mul(b, xx, over_y));
    kni_atom xxx = knb_mul(b, x, xx), yyy = knb_mul(b, y, yy);
    kni_atom square = kno_mixed_sub(b, kno_mixed_mul(b, xxx, over_y), kno_mixed_mul(b, yyy, over_x));
    cubic = kno_mixed_div(b, cubic, below);
    square = kno_mixed_div(b, square, below);
    kni_atom radical = knb_sub(b, knb_mul(b, square, square), kno_mixed_mul(b, kno_times(b, 3, cubic), low.slope));
    kni_atom top = kno_mixed_add(b, knb_neg(b, square), knb_sqrt(b, radical));
    return kno_mixed_add(b, low.step, kno_mixed_div(b, top, kno_times(b, 3, cubic)));
}

/* The same of the parabola through two of them. */
static kni_atom least_of_parabola(kni_builder *b, point low, point high)
{
    kni_atom x = kno_mixed_sub(b, high.step, low.step), over = kno_mixed_sub(b, high.value, low.value);
    over = kno_mixed_sub(b, over, kno_mixed_mul(b, low.slope, x));
    kni_atom square = kno_mixed_div(b, over, knb_mul(b, x, x));
    return kno_mixed_sub(b, low.step, kno_mixed_div(b, low.slope, kno_times(b, 2, square)));
}

static kni_atom inside(kni_builder *b, kni_atom x, kni_atom left, kni_atom right, kni_atom margin)
{
    kni_atom above = kno_mixed_gt(b, x, knb_add(b, left, margin));
    return knb_and(b, above, kno_mixed_lt(b, x, knb_sub(b, right, margin)));
}

static kni_atom in_the_middle(round_ *r, kni_atom *too_small)
{
    kni_builder *b = r->b;
    point low = point_at(r->carry + LOW), high = point_at(r->carry + HIGH);
    kni_atom width = knb_abs(b, knb_sub(b, high.step, low.step));
    kni_atom left = knb_min(b, high.step, low.step), right = knb_max(b, high.step, low.step);
    *too_small = compare(b, (knb_le), width, r->t->p[PRECISION]);
    kni_atom cubic = least_of_cubic(b, low, high, r->carry + REF), parabola = least_of_parabola(b, low, high);
    kni_atom by_cubic = inside(b, cubic, left, right, kno_times(b, 0.2, width));
    kni_atom by_parabola = inside(b, parabola, left, right, kno_times(b, 0.1, width));
    kni_atom sum = knb_add(b, low.step, high.step), half = knb_div(b, sum, knb_like(b, sum, 2));
    return kno_mixed_select(b, by_cubic, cubic, kno_mixed_select(b, by_parabola, parabola, half));
}

/* ---- How good it is. */

static kni_atom positive(kni_builder *b, kni_atom error)
{
    error = knb_max(b, error, knb_like(b, error, 0));
    return knb_select(b, knb_ne(b, error, error), knb_like(b, error, INFINITY), error);
}

static void judge(round_ *r)
{
    kni_builder *b = r->b;
    const double *p = r->t->p;
    kni_atom value = r->given[VALUE], slope = r->given[SLOPE];
    kni_atom more = kno_mixed_sub(b, r->now.value, value);
    kni_atom due = kno_mixed_mul(b, kno_times(b, p[SLOPE_RTOL], r->now.step), slope);
    kni_atom error = kno_mixed_sub(b, more, due);
    if (!isnan(p[APPROXIMATE])) { /* close to a minimum values hardly differ, but slopes do */
        kni_atom steep = kno_mixed_sub(b, r->now.slope, kno_times(b, 2 * p[SLOPE_RTOL] - 1, slope));
        kni_atom far = kno_mixed_sub(b, more, kno_times(b, p[APPROXIMATE], knb_abs(b, value)));
        error = kno_mixed_min(b, kno_mixed_max(b, steep, far), error);
    }
    r->decrease = positive(b, error);
    kni_atom allowed = kno_times(b, p[CURV_RTOL], knb_abs(b, slope));
    r->curvature = positive(b, kno_mixed_sub(b, knb_abs(b, r->now.slope), allowed));
    r->fell = compare(b, (knb_le), r->decrease, p[TOL]);
    r->reached = compare(b, (knb_le), kno_mixed_max(b, r->decrease, r->curvature), p[TOL]);
}

/* ---- What becomes of the state. */

/* What a phase makes of the interval. */
typedef struct outcome {
    point low, high;
    kni_atom ref, ref_value, found, done, failed;
} outcome;

static outcome search_outcome(round_ *r, kni_atom at_end, kni_atom last)
{
    kni_builder *b = r->b;
    point before = point_at(r->carry + NOW);
    kni_atom later = compare(b, (knb_gt), r->carry[ROUND], 0), no_lower = kno_mixed_ge(b, r->now.value, before.value);
    kni_atom to_high = knb_or(b, compare(b, (knb_gt), r->decrease, 0), knb_and(b, no_lower, later));
    kni_atom to_low = knb_and(b, compare(b, (knb_ge), r->now.slope, 0), knb_not(b, to_high));
    outcome y = {.low = choose(b, to_low, r->now, before), .high = choose(b, to_low, before, r->now)};
    y.ref = y.low.step;
    y.ref_value = y.low.value;
    y.found = knb_or(b, knb_or(b, to_high, to_low), r->reached);
    y.done = knb_or(b, r->reached, knb_and(b, at_end, knb_not(b, y.found)));
    y.failed = knb_and(b, last, knb_not(b, y.done));
    return y;
}

static outcome zoom_outcome(round_ *r, kni_atom too_small, kni_atom last, kni_atom safe_step)
{
    kni_builder *b = r->b;
    point low = point_at(r->carry + LOW), high = point_at(r->carry + HIGH);
    kni_atom no_lower = kno_mixed_ge(b, r->now.value, low.value);
    kni_atom to_high = knb_or(b, compare(b, (knb_gt), r->decrease, 0), no_lower), to_low = knb_not(b, to_high);
    kni_atom climbs = kno_mixed_mul(b, r->now.slope, knb_sub(b, high.step, low.step));
    kni_atom turns = knb_and(b, compare(b, (knb_ge), climbs, 0), to_low);
    outcome y = {.low = choose(b, to_low, r->now, low),
                 .high = choose(b, turns, low, choose(b, to_high, r->now, high))};
    kni_atom high_goes = knb_or(b, to_high, turns);
    y.ref = kno_mixed_select(b, high_goes, high.step, low.step);
    y.ref_value = kno_mixed_select(b, high_goes, high.value, low.value);
    y.found = r->carry[FOUND];
    y.done = r->reached;
    kni_atom enough = knb_and(b, too_small, compare(b, (knb_gt), safe_step, 0));
    y.failed = knb_and(b, knb_or(b, last, enough), knb_not(b, y.done));
    return y;
}

static void put_point(kni_atom *to, point p)
{
    to[0] = p.step;
    to[1] = p.value;
    to[2] = p.slope;
}

/* Where the search failed, what is best: a step that lets the loss fall, or none if there is no number. */
static void settle(kni_builder *b, knp_frame *f, int n, kni_atom failed)
{
    kni_atom *y = f->out, *grad = y + SCALARS, *safe_grad = grad + n;
    kni_atom nowhere = compare(b, (knb_eq), y[DECREASE], INFINITY), good = compare(b, (knb_gt), y[SAFE], 0);
    kni_atom safe = knb_and(b, failed, knb_or(b, good, nowhere));
    y[NOW] = kno_mixed_select(b, safe, y[SAFE], y[NOW]);
    y[NOW + 1] = kno_mixed_select(b, safe, y[SAFE + 1], y[NOW + 1]);
    for (int i = 0; i < n; i++)
        grad[i] = kno_where(b, safe, safe_grad[i], grad[i]);
}

static void conclude(round_ *r, knp_frame *f, int n, outcome searched, outcome zoomed)
{
    kni_builder *b = r->b;
    kni_atom *y = f->out, found = r->carry[FOUND];
    y[ROUND] = kno_plus(b, r->carry[ROUND], 1);
    put_point(y + NOW, r->now);
    put_point(y + LOW, choose(b, found, zoomed.low, searched.low));
    put_point(y + HIGH, choose(b, found, zoomed.high, searched.high));
    y[REF] = kno_mixed_select(b, found, zoomed.ref, searched.ref);
    y[REF + 1] = kno_mixed_select(b, found, zoomed.ref_value, searched.ref_value);
    y[DECREASE] = r->decrease;
    y[CURVATURE] = r->curvature;
    y[FOUND] = knb_or(b, found, searched.found);
    y[DONE] = knb_select(b, found, zoomed.done, searched.done);
    y[FAILED] = knb_select(b, found, zoomed.failed, searched.failed);
    settle(b, f, n, y[FAILED]);
}

static void zoom_round(kno_pass *s, const kno_transform *t, knp_frame *f)
{
    kni_builder *b = &f->b;
    int n = s->n, count = kno_objective_constants(s, KNO_VALUE_AND_GRAD, NULL);
    const kni_atom *param = f->in + CONSTANTS, *update = param + n, *constant = update + n;
    kni_atom *at = kno_room(s, (size_t)n, sizeof *at), *y = kno_room(s, (size_t)n + 1, sizeof *y), at_end, too_small;
    round_ r = {.b = b, .t = t, .given = f->in, .carry = constant + count};
    const kni_atom *grad = r.carry + SCALARS, *safe_grad = grad + n;
    if (kna_failed(s->op))
        return;
    kni_atom found = r.carry[FOUND], next = longer(&r, &at_end);
    next = kno_mixed_select(b, found, in_the_middle(&r, &too_small), next);
    r.now.step = kno_spread(b, next, r.carry[NOW]);
    kno_points(b, n, param, r.now.step, update, at);
    kno_objective_call(s, b, KNO_VALUE_AND_GRAD, constant, at, y);
    r.now.value = y[0];
    for (int i = 0; i < n; i++)
        at[i] = knb_conj(b, y[i + 1]);
    kno_pass inner = {.op = s->op, .b = b, .arena = s->arena, .n = n};
    r.now.slope = real_dot(&inner, at, update);
    judge(&r);
    kni_atom lower = kno_mixed_lt(b, r.now.value, r.carry[SAFE + 1]);
    kni_atom safer = knb_and(b, r.fell, knb_or(b, knb_not(b, found), lower));
    f->out[SAFE] = kno_mixed_select(b, safer, r.now.step, r.carry[SAFE]);
    f->out[SAFE + 1] = kno_mixed_select(b, safer, r.now.value, r.carry[SAFE + 1]);
    for (int i = 0; i < n; i++) {
        f->out[SCALARS + i] = kno_spread(b, y[i + 1], grad[i]);
        f->out[SCALARS + n + i] = kno_where(b, safer, f->out[SCALARS + i], safe_grad[i]);
    }
    kni_atom last = compare(b, (knb_ge), kno_plus(b, r.carry[ROUND], 1), t->p[MOST]);
    outcome searched = search_outcome(&r, at_end, last), zoomed = zoom_outcome(&r, too_small, last, f->out[SAFE]);
    conclude(&r, f, n, searched, zoomed);
}

/* ---- A step. */

static void begin_carry(kno_pass *s, kni_atom *to, kn_dtype real, kni_atom value, kni_atom slope)
{
    kni_builder *b = s->b;
    kn_dtype number = kna_default_float();
    kni_atom zero = knb_number(b, number, 0), inf = knb_number(b, number, INFINITY), no = knb_number(b, KN_DT(BOOL), 0);
    to[ROUND] = knb_integer(b, KN_DT(I64), 0);
    put_point(to + NOW, (point){knb_number(b, real, 0), knb_convert(b, value, real), slope});
    put_point(to + LOW, (point){zero, value, slope});
    put_point(to + HIGH, (point){zero, value, slope});
    to[REF] = to[SAFE] = zero;
    to[REF + 1] = to[SAFE + 1] = value;
    to[DECREASE] = to[CURVATURE] = inf;
    to[FOUND] = to[DONE] = to[FAILED] = no;
    for (int i = 0; i < s->n; i++)
        to[SCALARS + i] = to[SCALARS + s->n + i] = s->objective->grad[i];
}

static void zoom_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    struct kno_objective *o = kno_objective_of(s);
    int n = s->n;
    const kni_atom *old = s->state;
    kni_atom *new = s->next, *end = kno_room(s, (size_t)SCALARS + 2 * (size_t)n, sizeof *end);
    kno_loop l;
    if (kna_failed(s->op))
        return;
    kni_atom value = kno_search_value(s), slope = real_dot(s, s->u, o->grad);
    kn_dtype real = knb_type(b, old[0]).dtype;
    int count = kno_objective_constants(s, KNO_VALUE_AND_GRAD, NULL);
    kno_loop_room(s, &l, CONSTANTS + 2 * n + count, SCALARS + 2 * n);
    if (kna_failed(s->op))
        return;
    l.init[GUESS] = t->flag[0] ? old[0] : knb_number(b, real, 1);
    l.init[VALUE] = value;
    l.init[SLOPE] = slope;
    for (int i = 0; i < n; i++) {
        l.init[CONSTANTS + i] = s->param[i];
        l.init[CONSTANTS + n + i] = s->u[i];
    }
    kno_objective_constants(s, KNO_VALUE_AND_GRAD, l.init + CONSTANTS + 2 * n);
    begin_carry(s, l.init + l.n_const, real, value, slope);
    if (kno_loop_begin(s, &l)) {
        l.cond.out[0] = knb_not(&l.cond.b, knb_or(&l.cond.b, l.cond.in[DONE], l.cond.in[FAILED]));
        zoom_round(s, t, &l.body);
    }
    kno_loop_end(s, &l, end);
    new[0] = end[NOW];
    new[1] = end[NOW + 1];
    for (int i = 0; i < n; i++)
        new[2 + i] = end[SCALARS + i];
    new[2 + n] = end[ROUND];
    new[3 + n] = end[DECREASE];
    new[4 + n] = end[CURVATURE];
    kno_scale_updates(s, new[0]);
    s->state += 5 + n;
    s->next += 5 + n;
}

const kno_rule kno_zoom = {"scale_by_zoom_linesearch", true, zoom_layout, zoom_update};

/* ---- Handles. */

static kno_transform *zoom_part(int64_t most, const kn_optim_scale_by_zoom_linesearch_opts *o, bool keeps)
{
    kno_transform *t = KNO_NEW(kno_zoom, (double)most, o->max_learning_rate, o->tol, o->increase_factor, o->slope_rtol,
                               o->curv_rtol, o->approx_dec_rtol, o->stepsize_precision);
    return kno_flagged(t, keeps, false, false);
}

kno_transform *kno_zoom_search(int max_linesearch_steps)
{
    kn_optim_scale_by_zoom_linesearch_opts o = kn_optim_scale_by_zoom_linesearch_opts_default();
    return zoom_part(max_linesearch_steps, &o, false);
}

kn_optimizer kn_optim_scale_by_zoom_linesearch(int64_t max_linesearch_steps,
                                               const kn_optim_scale_by_zoom_linesearch_opts *opts)
{
    BEGIN(scale_by_zoom_linesearch);
    const char *strategy = o.initial_guess_strategy ? o.initial_guess_strategy : "";
    bool keeps = strcmp(strategy, "keep") == 0;
    if (!keeps && strcmp(strategy, "one") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "Unknown initial guess strategy: %s", strategy);
    if (max_linesearch_steps < 0)
        kna_fail(&op, KN_ERROR_VALUE, "max_linesearch_steps must be at least 0, but is %lld",
                 (long long)max_linesearch_steps);
    return kno_finish(&op, zoom_part(max_linesearch_steps, &o, keeps));
}
