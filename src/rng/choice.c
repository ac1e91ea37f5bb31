/* SPDX-License-Identifier: Apache-2.0
 * choice.c -- elements drawn with or without replacement, with probabilities or without. */
#include "lib/compose.h"
#include "rng/order.h"
#include <math.h>
#include <string.h>

/* What NumPy says; RandomState says it in other words. */
typedef struct texts {
    const char *no_integer, *not_positive, *empty, *p_axes, *p_size, *p_nan, *p_negative, *p_sum, *too_many;
} texts;
static const texts of_generator = {
    "a must be a sequence or an integer, not %s",
    "a must be a positive integer unless no samples are taken",
    "a cannot be empty unless no samples are taken",
    "p must be 1-dimensional",
    "a and p must have same size",
    "Probabilities contain NaN",
    "Probabilities are not non-negative",
    "Probabilities do not sum to 1. See Notes section of docstring for more information.",
    "Cannot take a larger sample than population when replace is False",
};
static const texts of_random_state = {
    "a must be 1-dimensional or an integer",
    "a must be greater than 0 unless no samples are taken",
    "'a' cannot be empty unless no samples are taken",
    "'p' must be 1-dimensional",
    "'a' and 'p' must have same size",
    "probabilities contain NaN",
    "probabilities are not non-negative",
    "probabilities do not sum to 1",
    "Cannot take a larger sample than population when 'replace=False'",
};

typedef struct choice {
    knrng_call c;
    const texts *say;
    kn_array a;
    bool number, replace, shuffle;
    int axis;
    int64_t population, n; /* n: how many are drawn */
    knrng_param p;
    bool has_p;
} choice;

static void fail(choice *w, const char *text)
{
    if (!kna_failed(&w->c.op))
        kna_fail(&w->c.op, KN_ERROR_VALUE, "%s", text);
}

static bool take_population(choice *w, kn_axes given)
{
    kna_op *op = &w->c.op;
    kni_type t = kna_type(op, w->a);
    if (kna_failed(op))
        return false;
    w->number = t.ndim == 0;
    if (w->number && !knx_is_integer(t.dtype)) {
        if (w->c.g->legacy)
            fail(w, w->say->no_integer);
        else
            kna_fail(op, KN_ERROR_VALUE, "a must be a sequence or an integer, not a number of dtype %s", t.dtype->name);
    } else if (w->number) {
        const void *at = kna_look(op, w->a, &t);
        if (at)
            knx_convert(t.dtype, at, KN_DT(I64), &w->population);
        if (at && w->population <= 0 && w->n != 0)
            fail(w, w->say->not_positive);
    } else if (w->c.g->legacy && t.ndim != 1) {
        fail(w, "a must be 1-dimensional");
    } else {
        w->axis = kna_axis(op, given, t.ndim, 0);
        w->population = kna_failed(op) ? 0 : t.dim[w->axis];
        if (w->population == 0 && w->n != 0)
            fail(w, w->say->empty);
    }
    return !kna_failed(op);
}

/* W. Kahan's sum. */
double knrng_kahan_sum(const knrng_number *v, int64_t n)
{
    double sum = n > 0 ? v[0].d : 0.0, lost = 0.0;
    for (int64_t i = 1; i < n; i++) {
        double y = v[i].d - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static bool take_probabilities(choice *w, kn_array p)
{
    kna_op *op = &w->c.op;
    kn_dtype d = kna_type(op, p).dtype;
    if (!knrng_take(&w->c, p, false, NAN, &w->p))
        return false;
    double tolerance = d == KN_DT(F32) ? 0x1.6a09e6p-12 : d == KN_DT(F16) ? 0x1p-5 : 0x1p-26;
    double sum = knrng_kahan_sum(w->p.v, w->p.n);
    bool negative = false;
    for (int64_t i = 0; i < w->p.n; i++)
        negative = negative || w->p.v[i].d < 0;
    if (w->p.shape.ndim != 1)
        fail(w, w->say->p_axes);
    else if (w->p.n != w->population)
        fail(w, w->say->p_size);
    else if (isnan(sum))
        fail(w, w->say->p_nan);
    else if (negative)
        fail(w, w->say->p_negative);
    else if (fabs(sum - 1.) > tolerance)
        fail(w, w->say->p_sum);
    w->has_p = true;
    return !kna_failed(op);
}

/* ---- Positions. */

static void distribution_of(const double *p, int64_t n, double *cdf)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        cdf[i] = sum = i ? sum + p[i] : p[i];
    for (int64_t i = 0; i < n; i++)
        cdf[i] /= sum;
}

/* How many are at most x. */
static int64_t search(const double *cdf, int64_t n, double x)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (x < cdf[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void with_probabilities(choice *w, int64_t *out)
{
    double *cdf = knx_alloc((size_t)w->population * sizeof *cdf + 1);
    if (!cdf) {
        kna_fail_with(&w->c.op, knx_error_nomem());
        return;
    }
    distribution_of((const double *)w->p.v, w->population, cdf);
    for (int64_t i = 0; i < w->n; i++) {
        int64_t k = search(cdf, w->population, knrng_unit(&w->c.r));
        out[i] = k < w->population ? k : w->population - 1;
    }
    knx_free(cdf);
}

/* Rounds: those that were drawn have probability 0 in the next one; of equal ones in a round the first counts. */
static void without_replacement(choice *w, int64_t *out)
{
    int64_t m = w->population, found = 0, likely = 0;
    for (int64_t i = 0; i < m; i++)
        likely += w->p.v[i].d > 0;
    if (likely < w->n) {
        fail(w, "Fewer non-zero entries in p than size");
        return;
    }
    double *p = knx_alloc((size_t)m * 2 * sizeof *p + 1), *cdf = p + m;
    if (!p) {
        kna_fail_with(&w->c.op, knx_error_nomem());
        return;
    }
    memcpy(p, w->p.v, (size_t)m * sizeof *p);
    while (found < w->n) {
        int64_t draws = w->n - found;
        distribution_of(p, m, cdf);
        for (int64_t i = 0; i < draws; i++) {
            int64_t k = search(cdf, m, knrng_unit(&w->c.r));
            if (k < m && p[k] != 0) { /* zero from now on marks it */
                out[found++] = k;
                p[k] = 0;
            }
        }
    }
    knx_free(p);
}

/* R. Floyd's way: j, or a number below it that was not drawn yet; a set of them in a table. */
static void by_set(choice *w, int64_t *out)
{
    uint64_t size = 1;
    while (size <= (uint64_t)(1.2 * (double)w->n))
        size *= 2;
    int64_t *set = knx_alloc(size * sizeof *set);
    knrng_pieces none = {0};
    if (!set) {
        kna_fail_with(&w->c.op, knx_error_nomem());
        return;
    }
    memset(set, 0xff, size * sizeof *set);
    for (int64_t j = w->population - w->n, i = 0; j < w->population; j++, i++) {
        int64_t v = (int64_t)knrng_bounded(&w->c.r, 64, (uint64_t)j, false, &none);
        uint64_t at = (uint64_t)v & (size - 1);
        while (set[at] != -1 && set[at] != v)
            at = (at + 1) & (size - 1);
        if (set[at] == v) {
            v = j;
            at = (uint64_t)v & (size - 1);
            while (set[at] != -1)
                at = (at + 1) & (size - 1);
        }
        set[at] = out[i] = v;
    }
    knx_free(set);
    if (w->shuffle)
        knrng_shuffle_last(&w->c.r, out, w->n, 1);
}

static void without_probabilities(choice *w, int64_t *out)
{
    int64_t m = w->population, n = w->n;
    if (!w->c.g->legacy && !(m > 10000 && n > m / (w->shuffle ? 50 : 20))) {
        by_set(w, out);
        return;
    }
    int64_t *v = w->c.g->legacy ? knrng_order(&w->c, m) : knl_integer_room(&w->c.op, m);
    for (int64_t i = 0; v && i < m && !w->c.g->legacy; i++)
        v[i] = i;
    if (v && !w->c.g->legacy)
        knrng_shuffle_last(&w->c.r, v, m, m - n > 1 ? m - n : 1);
    if (v && n)
        memcpy(out, w->c.g->legacy ? v : v + (m - n), (size_t)n * sizeof *v);
    knx_free(v);
}

static void draw_positions(choice *w, int64_t *out)
{
    if (w->replace && w->has_p)
        with_probabilities(w, out);
    else if (w->replace && w->n)
        knrng_fill_bounded(&w->c.r, 64, 0, (uint64_t)(w->population - 1), w->c.g->legacy, (size_t)w->n, out);
    else if (w->replace)
        return;
    else if (w->n > w->population)
        fail(w, w->say->too_many);
    else if (w->has_p)
        without_replacement(w, out);
    else
        without_probabilities(w, out);
}

static kn_array choose(choice *w, const void *handle, bool legacy, const kn_shape *size, kn_array p, kn_axes axis)
{
    knrng_call *c = &w->c;
    w->say = legacy ? &of_random_state : &of_generator;
    bool ok = knrng_begin(c, "choice", handle, legacy, size);
    kn_shape shape = c->shape;
    w->n = ok ? kni_type_size(kni_type_of(KN_DT(I64), shape.ndim, shape.dim)) : 0;
    ok = ok && take_population(w, axis) && (!p || take_probabilities(w, p));
    int64_t *position = ok ? knl_integer_room(&c->op, w->n) : NULL;
    if (position) {
        knrng_expect(&c->r, (size_t)w->n);
        draw_positions(w, position);
        knrng_give_back(&c->r);
    }
    kn_array result;
    if (kna_failed(&c->op)) {
        result = knrng_failed(c);
    } else if (!w->number) {
        result = knrng_take_slices(c, w->a, w->axis, position, w->n, &shape);
    } else {
        knx_buffer *b = knrng_room(c, KN_DT(I64));
        if (b && position && w->n)
            memcpy(b->data, position, (size_t)w->n * sizeof *position);
        result = b ? kna_from_buffer(&c->op, kni_type_of(KN_DT(I64), shape.ndim, shape.dim), b) : knrng_failed(c);
    }
    knx_free(position);
    knrng_forget(1, &w->p);
    return result;
}

kn_array kn_rng_choice(kn_rng rng, kn_array a, const kn_shape *size, const kn_rng_choice_opts *opts)
{
    kn_rng_choice_opts o = opts ? *opts : kn_rng_choice_opts_default();
    choice w = {.a = a, .replace = o.replace, .shuffle = o.shuffle};
    return choose(&w, rng, false, size, o.p, o.axis);
}

kn_array kn_random_state_choice(kn_random_state state, kn_array a, const kn_shape *size,
                                const kn_random_state_choice_opts *opts)
{
    kn_random_state_choice_opts o = opts ? *opts : kn_random_state_choice_opts_default();
    choice w = {.a = a, .replace = o.replace};
    return choose(&w, state, true, size, o.p, (kn_axes){0});
}
