/* SPDX-License-Identifier: Apache-2.0
 * grads.c -- derivatives against differences along random directions, as jax.test_util checks them. */
#include "base/context.h"
#include "kiln/jaxpr.h"
#include "testing/report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A function at a point: its arguments one array after the other, with the same parts. */
typedef struct point {
    kn_fn fn;
    kn_args parts;
    int n_in, n_out;
    kn_array *in;
    const kn_place *place;
    const kn_testing_check_opts *o;
    uint64_t seed;
} point;

static bool open_point(point *p, kn_fn fn, const kn_args *args, const kn_testing_check_opts *o, const kn_place *place)
{
    *p = (point){.fn = fn, .parts = *args, .place = place, .o = o, .seed = 1};
    for (int i = 0; i < args->n; i++) {
        if (args->part[i].bytes < sizeof(kn_array) || args->part[i].bytes % sizeof(kn_array)) {
            knx_report_new("testing_check_grads", KN_ERROR_TYPE, "argument %d is not a struct of arrays", i);
            return false;
        }
        p->n_in += (int)(args->part[i].bytes / sizeof(kn_array));
    }
    kn_jaxpr j = kn_make_jaxpr(fn, args, NULL);
    p->n_out = j ? kn_jaxpr_count(j).outvars : 0;
    p->in = p->n_out > 0 ? knx_alloc((size_t)p->n_in * sizeof *p->in + 1) : NULL;
    if (!p->in && p->n_out > 0) {
        knx_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
    }
    for (int i = 0, k = 0; p->in && i < args->n; i++) {
        memcpy(p->in + k, args->part[i].at, args->part[i].bytes);
        k += (int)(args->part[i].bytes / sizeof(kn_array));
    }
    return p->in != NULL;
}

/* The parts of the arguments with other arrays in them. */
static kn_args with_arrays(const point *p, const kn_array *x)
{
    kn_args a = p->parts;
    for (int i = 0, k = 0; i < a.n; i++) {
        a.part[i].at = x + k;
        k += (int)(a.part[i].bytes / sizeof(kn_array));
    }
    return a;
}

static kn_outs into(kn_array *y, int n) { return (kn_outs){1, {{y, (size_t)n * sizeof *y}}}; }

/* ---- Random directions. */

static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

static kn_array normal_like(point *p, kn_array x)
{
    kn_shape shape = kn_shape_of(x);
    kn_dtype d = kn_dtype_of(x);
    int64_t n = kn_size(x);
    double *v = d && n >= 0 ? knx_alloc((size_t)n * sizeof *v + 1) : NULL;
    if (!v)
        return x;
    for (int64_t i = 0; i < n; i++) {
        v[i] = -6; /* of variance 1, and nearly normal */
        for (int k = 0; k < 12; k++)
            v[i] += uniform(&p->seed);
    }
    kn_array y = kn_astype(kn_from_memory(v, &shape, KN_DT(F64)), d, NULL);
    knx_free(v);
    return y;
}

/* ---- Differences. */

static double tolerance(kn_array x, double given)
{
    kn_dtype d = kn_dtype_of(x);
    if (given >= 0 || !d)
        return given;
    return d == KN_DT(BF16) ? 1e-1 : d->size == 2 ? 1e-2 : d == KN_DT(F32) ? 2e-3 : d == KN_DT(C64) ? 1e-3 : 1e-5;
}

static bool close(point *p, kn_array x, kn_array y, const char *what)
{
    kn_testing_allclose_opts o = kn_testing_allclose_opts_default();
    o.rtol = tolerance(x, p->o->rtol);
    o.atol = tolerance(x, p->o->atol);
    o.err_msg = what;
    kn_here(p->place);
    return kn_testing_assert_allclose(x, y, &o) == 0;
}

/* The difference of the function at two points on both sides along a direction, over their distance. */
static bool numerical(point *p, const kn_array *direction, kn_array *out)
{
    kn_array *side[2], *moved = knx_alloc((size_t)p->n_in * sizeof *moved + 1);
    side[0] = knx_alloc(2 * (size_t)p->n_out * sizeof(kn_array) + 1);
    side[1] = side[0] ? side[0] + p->n_out : NULL;
    bool ok = moved && side[0];
    for (int s = 0; s < 2 && ok; s++) {
        for (int i = 0; i < p->n_in; i++)
            moved[i] = kn_add(p->in[i], kn_multiply(direction[i], kn_like_double(s ? -p->o->eps : p->o->eps)));
        kn_args a = with_arrays(p, moved);
        kn_outs y = into(side[s], p->n_out);
        ok = kn_call(p->fn, &y, &a) == 0;
    }
    for (int i = 0; ok && i < p->n_out; i++)
        out[i] = kn_multiply(kn_subtract(side[0][i], side[1][i]), kn_like_double(0.5 / p->o->eps));
    knx_free(moved);
    knx_free(side[0]);
    return ok;
}

/* Room for arrays in rows of the wider of arguments and results. */
static kn_array *rows(const point *p, int n)
{
    size_t wide = (size_t)(p->n_in > p->n_out ? p->n_in : p->n_out);
    return knx_alloc_zero((size_t)n * wide * sizeof(kn_array) + 1);
}

static bool check_values(point *p, const kn_array *y, kn_array *again)
{
    kn_args a = with_arrays(p, p->in);
    kn_outs o = into(again, p->n_out);
    bool ok = kn_call(p->fn, &o, &a) == 0;
    for (int i = 0; ok && i < p->n_out; i++)
        ok = close(p, y[i], again[i], "primal");
    return ok;
}

static bool check_forward(point *p, const char *what)
{
    kn_array *all = rows(p, 5);
    size_t wide = (size_t)(p->n_in > p->n_out ? p->n_in : p->n_out);
    if (!all)
        return false;
    kn_array *tangent = all, *y = all + wide, *dy = y + wide, *want = dy + wide, *again = want + wide;
    for (int i = 0; i < p->n_in; i++)
        tangent[i] = normal_like(p, p->in[i]);
    kn_args at = with_arrays(p, p->in), along = with_arrays(p, tangent);
    kn_outs oy = into(y, p->n_out), od = into(dy, p->n_out);
    bool ok = kn_jvp(p->fn, &at, &along, &oy, &od) == 0 && check_values(p, y, again) && numerical(p, tangent, want);
    for (int i = 0; ok && i < p->n_out; i++)
        ok = close(p, dy[i], want[i], what);
    knx_free(all);
    return ok;
}

static kn_array inner(int n, const kn_array *x, const kn_array *y)
{
    kn_array sum = NULL;
    for (int i = 0; i < n; i++) {
        kn_array s = kn_sum(kn_multiply(x[i], y[i]), NULL);
        sum = sum ? kn_add(sum, s) : s;
    }
    return sum;
}

static bool check_reverse(point *p, const char *what)
{
    kn_array *all = rows(p, 6);
    size_t wide = (size_t)(p->n_in > p->n_out ? p->n_in : p->n_out);
    if (!all)
        return false;
    kn_array *tangent = all, *y = all + wide, *out = y + wide, *cotangent = out + wide, *back = cotangent + wide,
             *again = back + wide;
    kn_args at = with_arrays(p, p->in), ct = {1, {{cotangent, (size_t)p->n_out * sizeof *cotangent}}};
    kn_outs oy = into(y, p->n_out), ob = into(back, p->n_in);
    kn_fn pullback = kn_vjp(p->fn, &at, &oy);
    bool ok = pullback && check_values(p, y, again);
    for (int i = 0; ok && i < p->n_in; i++)
        tangent[i] = normal_like(p, p->in[i]);
    ok = ok && numerical(p, tangent, out);
    for (int i = 0; ok && i < p->n_out; i++)
        cotangent[i] = normal_like(p, y[i]);
    ok = ok && kn_call(pullback, &ob, &ct) == 0;
    if (ok)
        ok = close(p, inner(p->n_in, tangent, back), inner(p->n_out, out, cotangent), what);
    knx_free(all);
    return ok;
}

/* ---- The functions. */

typedef enum { FORWARD = 1, REVERSE = 2 } modes;

static bool check(kn_fn fn, const kn_args *args, int order, int mode, const char *name, const kn_testing_check_opts *o,
                  const kn_place *place)
{
    static const char *const kinds[] = {"JVP", "VJP"}, *const results[] = {"tangent", "cotangent projection"};
    point p;
    bool ok = open_point(&p, fn, args, o, place);
    for (int k = 0; k < 2 && ok; k++) {
        char what[96], longer[128];
        kn_jac_opts all = {.size_ = sizeof all, .argnums = {.n = args->n}};
        if (!(mode & (k ? REVERSE : FORWARD)))
            continue;
        snprintf(what, sizeof what, "%s%s%.64s", kinds[k], *name ? " of " : "", name);
        snprintf(longer, sizeof longer, "%s %s", what, results[k]);
        ok = k ? check_reverse(&p, longer) : check_forward(&p, longer);
        for (int i = 0; i < args->n; i++)
            all.argnums.arg[i] = i;
        if (ok && order > 1) {
            kn_fn derivative = k ? kn_jacrev(fn, &all) : kn_jacfwd(fn, &all);
            ok = derivative && check(derivative, args, order - 1, mode, what, o, place);
        }
    }
    knx_free(p.in);
    return ok;
}

static int run(const char *name, kn_fn fn, const kn_args *args, int order, int mode, const kn_testing_check_opts *opts)
{
    kn_testing_check_opts o = kn_testing_check_opts_default();
    knx_read_options(&o, sizeof o, opts);
    kn_context c = knx_context();
    const kn_place *place = c ? c->here : NULL;
    if (!mode) {
        bool forward = !o.modes || strstr(o.modes, "fwd"), reverse = !o.modes || strstr(o.modes, "rev");
        mode = (forward ? FORWARD : 0) | (reverse ? REVERSE : 0);
        if (!mode)
            knx_report_new(name, KN_ERROR_VALUE, "modes must be one of 'fwd', 'rev', 'fwd,rev' (got '%s')", o.modes);
    }
    bool countable = args && args->n >= 0 && args->n <= KN_MAX_ARGS;
    if (!args)
        knx_report_new(name, KN_ERROR_TYPE, "null args");
    else if (!countable)
        knx_report_new(name, KN_ERROR_VALUE, "%d arguments", args->n);
    kn_scope scope = kn_scope_begin();
    bool ok = mode && countable && check(fn, args, order, mode, "", &o, place);
    kn_scope_end(&scope);
    return ok ? 0 : -1;
}

int kn_testing_check_jvp(kn_fn fn, const kn_args *args, const kn_testing_check_opts *opts)
{
    return run("testing_check_jvp", fn, args, 1, FORWARD, opts);
}

int kn_testing_check_vjp(kn_fn fn, const kn_args *args, const kn_testing_check_opts *opts)
{
    return run("testing_check_vjp", fn, args, 1, REVERSE, opts);
}

int kn_testing_check_grads(kn_fn fn, const kn_args *args, int order, const kn_testing_check_opts *opts)
{
    return run("testing_check_grads", fn, args, order, 0, opts);
}
