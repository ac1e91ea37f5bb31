/* SPDX-License-Identifier: Apache-2.0
 * schedule.c -- schedules: numbers that depend on the step, as optax.schedules. Their numbers are operands of the plan,
 * so that a schedule with others compiles nothing anew. */
#include "array/handle.h"
#include "lib/internal.h"
#include "optim/optimizer.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { CONSTANT, POLYNOMIAL, EXPONENTIAL, COSINE, PIECEWISE, INTERPOLATE, JOIN } schedule_kind;

struct kno_schedule {
    atomic_int refs;
    schedule_kind kind;
    double p[5];
    bool flag[2];
    int n;                       /* of the lists */
    kn_optim_boundary *boundary; /* of the piecewise and joined ones, in order */
    kno_schedule **part;         /* joined: n + 1 */
};

/* ---- Objects. */

kno_schedule *kno_schedule_retain(const kno_schedule *s)
{
    kno_schedule *same = (kno_schedule *)(uintptr_t)s;
    if (same)
        atomic_fetch_add(&same->refs, 1);
    return same;
}

void kno_schedule_release(const kno_schedule *schedule)
{
    kno_schedule *s = (kno_schedule *)(uintptr_t)schedule;
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
        return;
    for (int i = 0; s->part && i <= s->n; i++)
        kno_schedule_release(s->part[i]);
    knx_free(s->part);
    knx_free(s->boundary);
    knx_free(s);
}

static kno_schedule *fresh(schedule_kind kind, const double p[5])
{
    kno_schedule *s = knx_alloc_zero(sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    s->kind = kind;
    for (int i = 0; i < 5; i++)
        s->p[i] = p[i];
    return s;
}
#define NEW(kind, ...) fresh(kind, (const double[5]){__VA_ARGS__})

kno_schedule *kno_schedule_get(kna_op *op, kn_schedule schedule) { return kna_handle_in(op, KN_H_SCHEDULE, schedule); }

static void drop_schedule(void *s) { kno_schedule_release(s); }

/* Ends the operation: s (taken over) as a handle; NULL if the operation failed. */
static kn_schedule finish(kna_op *op, kno_schedule *s)
{
    if (!s)
        kna_fail_with(op, knx_error_nomem());
    if (kna_end_plain(op))
        return kna_handle_new(KN_H_SCHEDULE, s, drop_schedule);
    kno_schedule_release(s);
    return NULL;
}

/* ---- Making them. */

static kno_schedule *polynomial(double init, double end, double power, int64_t steps, int64_t begin)
{
    if (steps <= 0)
        return NEW(CONSTANT, init);
    return NEW(POLYNOMIAL, init, end, power, (double)steps, begin < 0 ? 0 : (double)begin);
}

static kno_schedule *exponential(double init, int64_t steps, double rate, int64_t begin, bool staircase, double end)
{
    if (steps <= 0 || rate == 0)
        return NEW(CONSTANT, init);
    kno_schedule *s = NEW(EXPONENTIAL, init, (double)steps, rate, begin < 0 ? 0 : (double)begin, end);
    if (s)
        s->flag[0] = staircase;
    return s;
}

static kno_schedule *cosine(kna_op *op, double init, int64_t steps, double alpha, double exponent)
{
    if (steps <= 0)
        kna_fail(op, KN_ERROR_VALUE, "The cosine_decay_schedule requires positive decay_steps, got decay_steps=%lld.",
                 (long long)steps);
    return NEW(COSINE, init, (double)steps, alpha, exponent);
}

static int by_step(const void *a, const void *b)
{
    int64_t x = ((const kn_optim_boundary *)a)->step, y = ((const kn_optim_boundary *)b)->step;
    return (x > y) - (x < y);
}

static bool set_boundaries(kno_schedule *s, int n, const kn_optim_boundary *boundary)
{
    s->boundary = knx_alloc(((size_t)n + 1) * sizeof *boundary);
    for (int i = 0; s->boundary && i < n; i++)
        s->boundary[i] = boundary[i];
    s->n = s->boundary ? n : 0;
    if (s->n)
        qsort(s->boundary, (size_t)n, sizeof *boundary, by_step);
    return s->boundary != NULL;
}

static kno_schedule *piecewise(kna_op *op, schedule_kind kind, double init, int n, const kn_optim_boundary *boundary)
{
    kna_given_list(op, n, boundary, INT_MAX - 1, "boundaries");
    for (int i = 0; i < n && !kna_failed(op); i++)
        if (!(boundary[i].scale >= 0))
            kna_fail(op, KN_ERROR_VALUE, "`%s` expects non-negative scale factors",
                     kind == PIECEWISE ? "piecewise_constant_schedule" : "piecewise_interpolate_schedule");
    kno_schedule *s = kna_failed(op) ? NULL : NEW(kind, init);
    if (s && set_boundaries(s, n, boundary))
        return s;
    kno_schedule_release(s);
    return NULL;
}

/* n + 1 parts, taken over also on failure, with n boundaries between them */
static kno_schedule *join(int n, kno_schedule *const *part, const kn_optim_boundary *boundary)
{
    kno_schedule *s = NEW(JOIN, 0);
    bool ok = s && set_boundaries(s, n, boundary);
    kno_schedule **copy = ok ? knx_alloc(((size_t)n + 1) * sizeof *copy) : NULL;
    for (int i = 0; i <= n; i++) {
        ok = ok && copy && part[i];
        if (copy)
            copy[i] = part[i];
        else
            kno_schedule_release(part[i]);
    }
    if (s)
        s->part = copy;
    if (ok)
        return s;
    kno_schedule_release(s);
    return NULL;
}

static kno_schedule *pair(kno_schedule *first, kno_schedule *second, int64_t boundary)
{
    return join(1, (kno_schedule *[]){first, second}, &(kn_optim_boundary){.step = boundary});
}

static kno_schedule *warmup_cosine(kna_op *op, const kn_optim_sgdr_cycle *c)
{
    double alpha = c->peak_value == 0.0 ? 0.0 : c->end_value / c->peak_value;
    int64_t decay;
    if (__builtin_sub_overflow(c->decay_steps, c->warmup_steps, &decay)) {
        kna_fail(op, KN_ERROR_OVERFLOW, "the cycle has too many steps");
        return NULL;
    }
    return pair(polynomial(c->init_value, c->peak_value, 1, c->warmup_steps, 0),
                cosine(op, c->peak_value, decay, alpha, c->exponent), c->warmup_steps);
}

/* ---- The public ones. */

kn_schedule kn_optim_constant_schedule(double value)
{
    kna_op op;
    kna_begin(&op, "optim_constant_schedule");
    return finish(&op, NEW(CONSTANT, value));
}

kn_schedule kn_optim_polynomial_schedule(double init_value, double end_value, double power, int64_t transition_steps,
                                         const kn_optim_linear_schedule_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_polynomial_schedule");
    KNX_OPTS(kn_optim_linear_schedule_opts, o, opts);
    return finish(&op, polynomial(init_value, end_value, power, transition_steps, o.transition_begin));
}

kn_schedule kn_optim_linear_schedule(double init_value, double end_value, int64_t transition_steps,
                                     const kn_optim_linear_schedule_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_linear_schedule");
    KNX_OPTS(kn_optim_linear_schedule_opts, o, opts);
    return finish(&op, polynomial(init_value, end_value, 1, transition_steps, o.transition_begin));
}

kn_schedule kn_optim_exponential_decay(double init_value, int64_t transition_steps, double decay_rate,
                                       const kn_optim_exponential_decay_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_exponential_decay");
    KNX_OPTS(kn_optim_exponential_decay_opts, o, opts);
    return finish(&op,
                  exponential(init_value, transition_steps, decay_rate, o.transition_begin, o.staircase, o.end_value));
}

kn_schedule kn_optim_cosine_decay_schedule(double init_value, int64_t decay_steps,
                                           const kn_optim_cosine_decay_schedule_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_cosine_decay_schedule");
    KNX_OPTS(kn_optim_cosine_decay_schedule_opts, o, opts);
    return finish(&op, cosine(&op, init_value, decay_steps, o.alpha, o.exponent));
}

kn_schedule kn_optim_piecewise_constant_schedule(double init_value, int n, const kn_optim_boundary *boundaries)
{
    kna_op op;
    kna_begin(&op, "optim_piecewise_constant_schedule");
    return finish(&op, piecewise(&op, PIECEWISE, init_value, n, boundaries));
}

static kno_schedule *interpolated(kna_op *op, bool by_cosine, double init, int n, const kn_optim_boundary *boundary)
{
    kno_schedule *s = piecewise(op, INTERPOLATE, init, n, boundary);
    if (s)
        s->flag[0] = by_cosine;
    return s;
}

kn_schedule kn_optim_piecewise_interpolate_schedule(const char *interpolate_type, double init_value, int n,
                                                    const kn_optim_boundary *boundaries)
{
    kna_op op;
    kna_begin(&op, "optim_piecewise_interpolate_schedule");
    const char *type = kna_given_pointer(&op, interpolate_type, "interpolate_type") ? interpolate_type : "";
    bool by_cosine = strcmp(type, "cosine") == 0;
    if (!by_cosine && strcmp(type, "linear") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "`interpolate_type` must be either 'cosine' or 'linear'");
    return finish(&op, interpolated(&op, by_cosine, init_value, n, boundaries));
}

kn_optim_onecycle_opts kn_optim_linear_onecycle_schedule_opts_default(void) { return kn_optim_onecycle_opts_default(); }

/* The step at this part of all steps, as Python's int makes it of a float. */
static int64_t step_at(kna_op *op, double part, int64_t steps)
{
    double at = part * (double)steps;
    if (at > -0x1p63 && at < 0x1p63)
        return (int64_t)at;
    if (at != at)
        kna_fail(op, KN_ERROR_VALUE, "cannot convert float NaN to integer");
    else
        kna_fail(op, KN_ERROR_OVERFLOW, "step %g of a schedule does not fit an integer", at);
    return 0;
}

kn_schedule kn_optim_linear_onecycle_schedule(int64_t transition_steps, double peak_value,
                                              const kn_optim_onecycle_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_linear_onecycle_schedule");
    KNX_OPTS(kn_optim_onecycle_opts, o, opts);
    if (transition_steps <= 0)
        kna_fail(&op, KN_ERROR_VALUE, "A linear onecycle schedule was set with a non-positive `transition_steps`");
    const kn_optim_boundary boundary[] = {{step_at(&op, o.pct_start, transition_steps), o.div_factor},
                                          {step_at(&op, o.pct_final, transition_steps), 1.0 / o.div_factor},
                                          {transition_steps, 1.0 / o.final_div_factor}};
    return finish(&op, interpolated(&op, false, peak_value / o.div_factor, 3, boundary));
}

kn_schedule kn_optim_cosine_onecycle_schedule(int64_t transition_steps, double peak_value,
                                              const kn_optim_onecycle_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_cosine_onecycle_schedule");
    KNX_OPTS(kn_optim_onecycle_opts, o, opts);
    if (transition_steps <= 0)
        kna_fail(&op, KN_ERROR_VALUE, "A linear onecycle schedule was set with a non-positive `transition_steps`");
    const kn_optim_boundary boundary[] = {{step_at(&op, o.pct_start, transition_steps), o.div_factor},
                                          {transition_steps, 1.0 / (o.div_factor * o.final_div_factor)}};
    return finish(&op, interpolated(&op, true, peak_value / o.div_factor, 2, boundary));
}

kn_schedule kn_optim_warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps)
{
    kna_op op;
    kna_begin(&op, "optim_warmup_constant_schedule");
    return finish(&op, polynomial(init_value, peak_value, 1, warmup_steps, 0));
}

kn_schedule kn_optim_warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
                                                  int64_t decay_steps,
                                                  const kn_optim_warmup_cosine_decay_schedule_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_warmup_cosine_decay_schedule");
    KNX_OPTS(kn_optim_warmup_cosine_decay_schedule_opts, o, opts);
    const kn_optim_sgdr_cycle cycle = {init_value, peak_value, warmup_steps, decay_steps, o.end_value, o.exponent};
    return finish(&op, warmup_cosine(&op, &cycle));
}

kn_schedule kn_optim_warmup_exponential_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
                                                       int64_t transition_steps, double decay_rate,
                                                       const kn_optim_exponential_decay_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_warmup_exponential_decay_schedule");
    KNX_OPTS(kn_optim_exponential_decay_opts, o, opts);
    kno_schedule *decay =
        exponential(peak_value, transition_steps, decay_rate, o.transition_begin, o.staircase, o.end_value);
    return finish(&op, pair(polynomial(init_value, peak_value, 1, warmup_steps, 0), decay, warmup_steps));
}

kn_schedule kn_optim_join_schedules(int n, const kn_schedule *schedules, const int64_t *boundaries)
{
    kna_op op;
    kna_begin(&op, "optim_join_schedules");
    kna_given_list(&op, n, schedules, INT_MAX - 1, "schedules");
    kna_given_list(&op, n > 1 ? n - 1 : 0, boundaries, INT_MAX - 1, "boundaries");
    kno_schedule **part = knx_alloc_zero(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *part), *s = NULL;
    kn_optim_boundary *boundary = knx_alloc(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *boundary);
    if (n < 1)
        kna_fail(&op, KN_ERROR_VALUE, "there must be at least one schedule");
    else if (!part || !boundary)
        kna_fail_with(&op, knx_error_nomem());
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        part[i] = kno_schedule_retain(kno_schedule_get(&op, schedules[i]));
        if (i + 1 < n)
            boundary[i] = (kn_optim_boundary){.step = boundaries[i]};
    }
    if (!kna_failed(&op))
        s = join(n - 1, part, boundary);
    for (int i = 0; part && i < n && kna_failed(&op); i++)
        kno_schedule_release(part[i]);
    knx_free(part);
    knx_free(boundary);
    return finish(&op, s);
}

kn_schedule kn_optim_sgdr_schedule(int n, const kn_optim_sgdr_cycle *cycles)
{
    kna_op op;
    kna_begin(&op, "optim_sgdr_schedule");
    kna_given_list(&op, n, cycles, INT_MAX - 1, "cycles");
    kno_schedule **part = knx_alloc_zero(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *part), *s = NULL;
    kn_optim_boundary *boundary = knx_alloc(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *boundary);
    int64_t step = 0;
    if (n < 1)
        kna_fail(&op, KN_ERROR_VALUE, "there must be at least one cycle");
    else if (!part || !boundary)
        kna_fail_with(&op, knx_error_nomem());
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        kn_optim_sgdr_cycle c = cycles[i];
        c.exponent = c.exponent == 0 ? 1 : c.exponent;
        part[i] = warmup_cosine(&op, &c);
        if (__builtin_add_overflow(step, c.decay_steps, &step))
            kna_fail(&op, KN_ERROR_OVERFLOW, "the cycles have too many steps");
        boundary[i] = (kn_optim_boundary){.step = step};
    }
    if (part && boundary && n > 0 && !kna_failed(&op))
        s = join(n - 1, part, boundary);
    for (int i = 0; part && i < n && kna_failed(&op); i++)
        kno_schedule_release(part[i]);
    knx_free(part);
    knx_free(boundary);
    return finish(&op, s);
}

/* ---- Their values. */

static kni_atom number(kno_pass *s, kni_atom like, double v)
{
    return knb_convert(s->b, kno_operand(s, v), knb_type(s->b, like).dtype);
}

static kni_atom polynomial_at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_builder *b = s->b;
    kni_atom steps = number(s, c, f->p[3]), one = knb_like(b, c, 1);
    if (f->p[4] != 0)
        c = knb_sub(b, c, number(s, c, f->p[4]));
    c = knb_min(b, knb_max(b, c, knb_like(b, c, 0)), steps);
    kni_atom rest = knb_sub(b, one, knb_div(b, c, steps));
    if (f->p[2] != 1)
        rest = knb_pow(b, rest, number(s, c, f->p[2]));
    return knb_add(b, knb_mul(b, number(s, c, f->p[0] - f->p[1]), rest), number(s, c, f->p[1]));
}

static kni_atom exponential_at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_builder *b = s->b;
    c = f->p[3] != 0 ? knb_sub(b, c, number(s, c, f->p[3])) : c;
    kni_atom p = knb_div(b, c, number(s, c, f->p[1])), init = number(s, c, f->p[0]);
    p = f->flag[0] ? knb_floor(b, p) : p;
    kni_atom rate = number(s, c, f->p[2]);
    kni_type t = knb_type(b, p);
    kni_atom decayed = knb_mul(b, init, knb_pow(b, t.ndim ? knb_broadcast_to(b, rate, t) : rate, p));
    kni_atom y = knb_select(b, knb_le(b, c, knb_like(b, c, 0)), init, decayed);
    if (isnan(f->p[4]))
        return y;
    return (f->p[2] < 1.0 ? knb_max : knb_min)(b, y, number(s, c, f->p[4]));
}

static kni_atom cosine_at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_builder *b = s->b;
    kni_atom steps = number(s, c, f->p[1]);
    c = knb_min(b, c, steps);
    kni_atom angle = knb_div(b, kno_times(b, M_PI, c), steps), y = kno_times(b, 0.5, kno_plus(b, knb_cos(b, angle), 1));
    if (f->p[3] != 1)
        y = knb_pow(b, y, number(s, c, f->p[3]));
    if (f->p[2] != 0)
        y = knb_add(b, knb_mul(b, number(s, c, 1 - f->p[2]), y), number(s, c, f->p[2]));
    return knb_mul(b, number(s, c, f->p[0]), y);
}

static kni_atom piecewise_at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_builder *b = s->b;
    kni_atom v = number(s, c, f->p[0]);
    for (int i = 0; i < f->n; i++) {
        kni_atom before = knb_lt(b, c, number(s, c, (double)f->boundary[i].step));
        v = knb_select(b, before, v, knb_mul(b, number(s, c, f->boundary[i].scale), v));
    }
    kni_type t = knb_type(b, c);
    return t.ndim ? knb_broadcast_to(b, v, t) : v;
}

static kni_atom interpolate_at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_builder *b = s->b;
    kni_atom y = knb_like(b, c, 0);
    double value = f->p[0], bound = 0;
    for (int i = 0; i < f->n; i++) {
        double next = (double)f->boundary[i].step, to = value * f->boundary[i].scale;
        double size = next - bound > 1 ? next - bound : 1;
        kni_atom from = number(s, c, bound), end = number(s, c, next), start_value = number(s, c, value);
        kni_atom end_value = number(s, c, to);
        kni_atom inside = knb_and(b, knb_le(b, from, c), knb_lt(b, c, end));
        kni_atom pct = knb_div(b, knb_sub(b, c, from), number(s, c, size)), part;
        if (f->flag[0])
            part = knb_add(
                b, end_value,
                knb_mul(b, number(s, c, (value - to) / 2.0), kno_plus(b, knb_cos(b, kno_times(b, M_PI, pct)), 1)));
        else
            part = knb_add(b, knb_mul(b, knb_sub(b, end_value, start_value), pct), start_value);
        y = knb_add(b, y, knb_select(b, inside, part, knb_like(b, c, 0)));
        value = to;
        bound = next;
    }
    kni_atom last = knb_select(b, knb_le(b, number(s, c, bound), c), number(s, c, value), knb_like(b, c, 0));
    return knb_add(b, y, last);
}

static kni_atom at(kno_pass *s, const kno_schedule *f, kni_atom c);

static kni_atom join_at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_builder *b = s->b;
    kni_atom y = at(s, f->part[0], c);
    for (int i = 0; i < f->n; i++) {
        kni_atom boundary = number(s, c, (double)f->boundary[i].step);
        y = knb_select(b, knb_lt(b, c, boundary), y, at(s, f->part[i + 1], knb_sub(b, c, boundary)));
    }
    return y;
}

/* Schedules are as deep in each other as somebody wrote calls. */
static kni_atom at(kno_pass *s, const kno_schedule *f, kni_atom c)
{
    kni_type t = knb_type(s->b, c);
    switch (f->kind) {
    case CONSTANT: {
        kni_atom v = number(s, c, f->p[0]);
        return t.ndim ? knb_broadcast_to(s->b, v, t) : v;
    }
    case POLYNOMIAL: return polynomial_at(s, f, c);
    case EXPONENTIAL: return exponential_at(s, f, c);
    case COSINE: return cosine_at(s, f, c);
    case PIECEWISE: return piecewise_at(s, f, c);
    case INTERPOLATE: return interpolate_at(s, f, c);
    case JOIN: break;
    }
    return join_at(s, f, c);
}

kni_atom kno_schedule_at(kno_pass *s, const kno_schedule *f, kni_atom count)
{
    if (kna_failed(s->op))
        return KN_ATOM_NONE;
    if (!knx_is_float(knb_type(s->b, count).dtype))
        count = knb_convert(s->b, count, kna_default_float());
    return at(s, f, count);
}

kn_array kn_optim_schedule_at(kn_schedule schedule, kn_array count)
{
    kna_op op;
    kna_begin(&op, "optim_schedule_at");
    const kno_schedule *f = kno_schedule_get(&op, schedule);
    kni_atom c = kna_in(&op, count);
    knx_arena arena = KN_ARENA_INIT;
    kno_pass s = {.op = &op, .b = op.b, .arena = &arena};
    if (!kna_failed(&op) && !knx_is_integer(knb_type(op.b, c).dtype) && !knx_is_float(knb_type(op.b, c).dtype))
        kna_fail(&op, KN_ERROR_TYPE, "a step is a real number, but its dtype is %s", knb_type(op.b, c).dtype->name);
    kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : kno_schedule_at(&s, f, c);
    return kna_end(&op, y);
}
