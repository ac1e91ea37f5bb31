/* SPDX-License-Identifier: Apache-2.0
 * slopes.c -- derivatives: jvp against differences along a line, vjp against jvp and transposes against the functions
 * by inner products, second derivatives against differences of first ones. Differences are taken in double with
 * Richardson's four points,
 *     near = (f(h) - f(-h)) / 2h,  far = (f(2h) - f(-2h)) / 4h,  f'(0) = near + (near - far) / 3 + O(h^4),
 * h = 5e-4: the truncation is about h^4 f5 / 30 = 2e-15 f5, the rounding about 1e-12 f, both far below what is
 * allowed. Near a pole f5 is large: there near - far, about h^2 f3 / 2, says how much. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP    5e-4
#define ALLOWED 1e-6L /* of the largest value and derivative */
#define ROUGH   0.1L  /* of near - far */

static bool is_double(kn_dtype d) { return d == KN_DT(F64) || d == KN_DT(C128); }

/* x + t u, for those of the n inputs that have a direction (u[i].data not NULL). */
static void move(bench *b, int n, const tensor *x, const tensor *u, double t, tensor *to)
{
    for (int i = 0; i < n; i++) {
        to[i] = x[i];
        if (!u[i].data)
            continue;
        to[i] = tensor_new(&b->arena, x[i].dtype, x[i].ndim, x[i].dim);
        int64_t parts = x[i].n * (knx_is_complex(x[i].dtype) ? 2 : 1);
        for (int64_t k = 0; k < parts; k++)
            ((double *)to[i].data)[k] = ((const double *)x[i].data)[k] + t * ((const double *)u[i].data)[k];
    }
}

static num minus(num a, num b, long double s) { return (num){.re = (a.re - b.re) * s, .im = (a.im - b.im) * s}; }

/* The derivative of results first .. first + n of p at x along u against the tensors `slope`. */
static void against_differences(bench *b, const prog *p, const tensor *x, const tensor *u, int first, int n,
                                const tensor *slope)
{
    static const double at[4] = {STEP, -STEP, 2 * STEP, -2 * STEP};
    tensor y[4][MAX_VALUES], moved[MAX_VALUES];
    for (int k = 0; k < 4; k++) {
        move(b, p->n_in, x, u, at[k], moved);
        if (!prog_run(b, p, moved, y[k]))
            return;
    }
    long double scale = 1, worst = 0;
    char text[200] = "";
    for (int r = 0; r < n; r++)
        for (int64_t i = 0; i < slope[r].n; i++) {
            kn_dtype d = slope[r].dtype;
            num v[4], got = tensor_load(d, tensor_at(&slope[r], i));
            for (int k = 0; k < 4; k++)
                v[k] = tensor_load(d, tensor_at(&y[k][first + r], i));
            if (isnan(v[0].re) && isnan(v[1].re)) /* a fill value is a constant */
                memset(v, 0, sizeof v);
            num near = minus(v[0], v[1], 0.5L / STEP), far = minus(v[2], v[3], 0.25L / STEP);
            num bend = minus(near, far, 1), e = {.re = near.re + bend.re / 3, .im = near.im + bend.im / 3};
            num off = minus(e, got, 1);
            long double size = fmaxl(hypotl(v[0].re, v[0].im), hypotl(e.re, e.im));
            long double error = hypotl(off.re, off.im) - ROUGH * hypotl(bend.re, bend.im);
            scale = fmaxl(scale, size);
            if (error > worst || isnan(error)) {
                char s[96], t[96];
                worst = isnan(error) ? INFINITY : error;
                snprintf(text, sizeof text, "result %d element %lld: %s by the rule, %s by differences", r,
                         (long long)i, tensor_show(d, got, s), tensor_show(d, e, t));
            }
        }
    if (!(worst <= ALLOWED * scale))
        bench_fail(b, "%s", text);
}

/* Differences make sense: in double, few elements, and values that follow the derivative. */
static bool has_differences(const bench *b)
{
    if (b->s->flags & (NO_SLOPE | FLAT) || bench_size(b) > 300)
        return false;
    for (int i = 0; i < b->n_in; i++)
        if (bench_tangent(b, i) && !is_double(b->operand[b->input[i]].shape.dtype))
            return false;
    for (uint32_t k = 0; k < b->j->n_out; k++)
        if (knx_is_inexact(kni_out_type(b->j, k).dtype) && !is_double(kni_out_type(b->j, k).dtype))
            return false;
    return true;
}

/* A direction for each input that has a tangent; the others' are left without data. */
static void directions(bench *b, const tensor *x, tensor *u, uint64_t seed)
{
    seed += b->seed;
    for (int i = 0; i < b->n_in; i++) {
        u[i] = (tensor){0};
        if (bench_tangent(b, i))
            u[i] = bench_direction(b, tensor_type(&x[i]), &seed);
    }
}

static int append(const tensor *u, int n_in, tensor *to, int n) /* the tensors with data, behind to[n] */
{
    for (int i = 0; i < n_in; i++)
        if (u[i].data)
            to[n++] = u[i];
    return n;
}

/* --- jvp -------------------------------------------------------------------------------------- */

static bool is_flat(bench *b, int n, const tensor *slope)
{
    for (int k = 0; k < n; k++)
        for (int64_t i = 0; i < slope[k].n; i++) {
            num v = tensor_load(slope[k].dtype, tensor_at(&slope[k], i));
            if (v.re != 0 || v.im != 0) {
                bench_fail(b, "the derivative is not zero");
                return false;
            }
        }
    return true;
}

static void jvp_along(bench *b)
{
    bool tangent[MAX_OPERANDS];
    tensor x[MAX_VALUES], u[MAX_VALUES], value[MAX_VALUES], y[MAX_VALUES];
    kni_jaxpr *d = NULL;
    prog p, q = {0};
    bench_tangents(b, tangent);
    bench_fill(b, true, 1, x);
    directions(b, x, u, 2);
    append(u, b->n_in, x, b->n_in);
    bool ok = prog_open(b, b->j, &p) && bench_ok(b, knt_jvp(b->j, tangent, &d), "jvp") && prog_open(b, d, &q);
    ok = ok && prog_run(b, &p, x, value) && prog_run(b, &q, x, y);
    int n = p.n_out, inexact[MAX_VALUES], n_inexact = 0;
    for (int k = 0; ok && k < n; k++)
        if (knx_is_inexact(value[k].dtype))
            inexact[n_inexact++] = k;
    if (ok && q.n_out != n + n_inexact)
        bench_fail(b, "%d results and tangents where %d are expected", q.n_out, n + n_inexact);
    else if (ok && bench_same(b, "results with and without tangents", n, y, value)) {
        for (int k = 0; k < n_inexact; k++)
            if (!tensor_has_type(&y[n + k], tensor_type(&value[inexact[k]])))
                bench_fail(b, "the tangent of result %d has another type than the result", inexact[k]);
        if (b->s->flags & FLAT)
            is_flat(b, n_inexact, y + n);
        else if (!b->failed && has_differences(b))
            for (int k = 0; k < n_inexact; k++)
                against_differences(b, &p, x, u, inexact[k], 1, &y[n + k]);
    }
    prog_close(&p);
    prog_close(&q);
    kni_release(d);
}

/* With tangents of all inputs, then of one alone. */
static void each_and_all(bench *b, check_fn *check)
{
    bool tangent[MAX_OPERANDS];
    int n = bench_tangents(b, tangent);
    check(b);
    for (int i = 0; n > 1 && i < b->n_in && !b->failed; i++) {
        if (!tangent[i])
            continue;
        b->only = i + 1;
        check(b);
        if (b->failed) {
            size_t length = strlen(b->message);
            snprintf(b->message + length, sizeof b->message - length, " (a tangent of input %d alone)", i);
        }
    }
    b->only = 0;
}

void check_jvp(bench *b) { each_and_all(b, jvp_along); }

/* --- inner products --------------------------------------------------------------------------- */

/* The real part of the sum of products without conjugation: JAX's pairing of tangents and cotangents. *size: of the
 * terms' moduli. */
static long double pairing(int n, const tensor *a, const tensor *c, long double *size)
{
    long double sum = 0;
    for (int k = 0; k < n; k++)
        for (int64_t i = 0; i < a[k].n; i++) {
            num p = tensor_load(a[k].dtype, tensor_at(&a[k], i)), q = tensor_load(c[k].dtype, tensor_at(&c[k], i));
            sum += p.re * q.re - p.im * q.im;
            *size += hypotl(p.re, p.im) * hypotl(q.re, q.im);
        }
    return sum;
}

/* Rounding errors of both sides are a few ulp of the terms; a thousand are allowed, in the coarsest dtype at hand. */
static void same_pairing(bench *b, const char *what, long double left, long double right, long double size)
{
    long double eps = 0x1p-52L;
    for (int i = 0; i < b->n_in; i++)
        if (bench_tangent(b, i))
            eps = fmaxl(eps, tensor_epsilon(b->operand[b->input[i]].shape.dtype));
    for (uint32_t k = 0; k < b->j->n_out; k++)
        if (knx_is_inexact(kni_out_type(b->j, k).dtype))
            eps = fmaxl(eps, tensor_epsilon(kni_out_type(b->j, k).dtype));
    long double allowed = (eps > 0x1p-20L ? 30 : 1000) * eps * (size + eps);
    if (!(fabsl(left - right) <= allowed))
        bench_fail(b, "%s: %.17Lg and %.17Lg", what, left, right);
}

static bool same_types(bench *b, int n, const tensor *a, const tensor *c, const char *what)
{
    for (int k = 0; k < n; k++)
        if (!tensor_has_type(&a[k], tensor_type(&c[k]))) {
            bench_fail(b, "%s %d has the wrong type", what, k);
            return false;
        }
    return true;
}

/* The row says that it has no transpose: in its words, unless nothing is linear after all. */
static void refuses_transpose(bench *b, const kni_jaxpr *j, const bool *linear)
{
    kni_jaxpr *t = NULL;
    knx_error *e = knt_transpose(j, linear, &t);
    if (!e && j->n_eqn)
        bench_fail(b, "transposing is not refused");
    if (e && strcmp(e->message, b->s->prim->no_transpose) != 0)
        bench_fail(b, "transposing is refused with: %s", e->message);
    knx_error_release(e);
    kni_release(t);
}

static void vjp_of(bench *b, const knt_linearized *l, const tensor *x, const tensor *u, int n_u)
{
    bool linear[4 * MAX_VALUES] = {0};
    tensor y[4 * MAX_VALUES], value[MAX_VALUES], in[4 * MAX_VALUES], jt[MAX_VALUES], ct[MAX_VALUES], back[MAX_VALUES];
    kni_jaxpr *t = NULL;
    uint64_t seed = b->seed + 3;
    int n_res = (int)l->n_residual, n_out = (int)b->j->n_out, n_ct = (int)l->n_tangent_out;
    if (l->n_tangent_in != (uint32_t)n_u || l->primal->n_out != (uint32_t)(n_out + n_res) ||
        l->linear->n_in != (uint32_t)(n_res + n_u)) {
        bench_fail(b, "linearize: the numbers of inputs and results do not fit");
        return;
    }
    if (!bench_run(b, b->j, x, value) || !bench_run(b, l->primal, x, y) ||
        !bench_same(b, "linearized and plain", n_out, y, value))
        return;
    memcpy(in, y + n_out, (size_t)n_res * sizeof *in);
    memcpy(in + n_res, u, (size_t)n_u * sizeof *in);
    for (int i = 0; i < n_u; i++)
        linear[n_res + i] = true;
    bool ok = bench_run(b, l->linear, in, jt);
    if (ok && b->s->prim->no_transpose) {
        refuses_transpose(b, l->linear, linear);
        return;
    }
    ok = ok && bench_ok(b, knt_transpose(l->linear, linear, &t), "transpose");
    for (int k = 0; ok && k < n_ct; k++)
        in[n_res + k] = ct[k] = bench_direction(b, tensor_type(&jt[k]), &seed);
    if (ok && bench_run(b, t, in, back) && same_types(b, n_u, back, u, "cotangent")) {
        long double size = 0, left = pairing(n_ct, ct, jt, &size), right = pairing(n_u, back, u, &size);
        same_pairing(b, "<ct, J t> and <J' ct, t>", left, right, size);
        if (b->s->flags & FLAT)
            is_flat(b, n_ct, jt);
    }
    kni_release(t);
}

static void vjp_along(bench *b)
{
    bool tangent[MAX_OPERANDS];
    tensor x[MAX_VALUES], u[MAX_VALUES], all[MAX_VALUES];
    knt_linearized l = {0};
    bench_tangents(b, tangent);
    bench_fill(b, true, 1, x);
    directions(b, x, u, 2);
    int n_u = append(u, b->n_in, all, 0);
    if (bench_ok(b, knt_linearize(b->j, tangent, &l), "linearize"))
        vjp_of(b, &l, x, all, n_u);
    knt_linearized_free(&l);
}

void check_vjp(bench *b) { each_and_all(b, vjp_along); }

static void no_nans(tensor *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        num v = tensor_load(t->dtype, tensor_at(t, i));
        if (isnan(v.re))
            tensor_store(t->dtype, (num){0}, tensor_at(t, i));
    }
}

/* Operands that the row calls linear, one at a time: f(t) - f(0), so that an affine function of the others does not
 * matter. */
static void transpose_one(bench *b, int input)
{
    bool linear[MAX_OPERANDS] = {0};
    tensor x[MAX_VALUES], zero[MAX_VALUES], in[MAX_VALUES], y[MAX_VALUES], y0[MAX_VALUES], ct[MAX_VALUES],
        back[MAX_VALUES];
    kni_jaxpr *t = NULL;
    uint64_t seed = b->seed + 5;
    int n = 0, n_out = (int)b->j->n_out;
    bench_fill(b, true, 1, x);
    memcpy(zero, x, sizeof x);
    zero[input] = tensor_new(&b->arena, x[input].dtype, x[input].ndim, x[input].dim);
    linear[input] = true;
    if (!bench_run(b, b->j, x, y) || !bench_run(b, b->j, zero, y0) ||
        !bench_ok(b, knt_transpose(b->j, linear, &t), "transpose"))
        return;
    for (int i = 0; i < b->n_in; i++)
        if (i != input)
            in[n++] = x[i];
    for (int k = 0; k < n_out; k++)
        in[n + k] = ct[k] = bench_direction(b, tensor_type(&y[k]), &seed);
    if (bench_run(b, t, in, back) && same_types(b, 1, back, &x[input], "cotangent")) {
        long double size = 0, right = pairing(1, back, &x[input], &size), left;
        for (int k = 0; k < n_out; k++) /* fill values do not change */
            no_nans(&y[k]), no_nans(&y0[k]);
        left = pairing(n_out, ct, y, &size) - pairing(n_out, ct, y0, &size);
        same_pairing(b, "<ct, f(t) - f(0)> and <f' ct, t>", left, right, size);
    }
    kni_release(t);
}

void check_transpose(bench *b)
{
    for (uint32_t k = 0; k < b->j->n_out; k++)
        if (!knx_is_inexact(kni_out_type(b->j, k).dtype))
            return;
    for (int i = 0; i < b->n_in && !b->failed; i++)
        if (bench_tangent(b, i) && kni_linear_in(b->s->prim, b->input[i]) && b->j->n_eqn == 1)
            transpose_one(b, i);
}

/* --- second derivatives ----------------------------------------------------------------------- */

/* d/dx <v, J(x) u> along w, by the reverse of the forward derivative, against differences of <v, J(x) u>. */
static void reverse_over_forward(bench *b, const kni_jaxpr *forward, const tensor *x, const tensor *w)
{
    static const double at[4] = {STEP, -STEP, 2 * STEP, -2 * STEP};
    bool tangent[MAX_VALUES] = {0};
    tensor moved[MAX_VALUES], y[MAX_VALUES], ct[MAX_VALUES], in[MAX_VALUES], back[MAX_VALUES], along[MAX_VALUES];
    uint64_t seed = b->seed + 7;
    int n_w = append(w, b->n_in, along, 0), n_ct = 0, n = (int)b->j->n_out, n_out = (int)forward->n_out;
    long double size = 0, values = 0, along_w[4] = {0};
    for (int i = 0; i < b->n_in; i++)
        tangent[i] = w[i].data != NULL;
    kni_jaxpr *pull = bench_pullback(b, forward, tangent, &n_ct);
    prog p = {0};
    bool ok = pull && prog_open(b, forward, &p);
    for (int k = 0; ok && k < 4; k++) {
        move(b, (int)forward->n_in, x, w, at[k], moved);
        ok = prog_run(b, &p, moved, y);
        for (int r = 0; ok && !k && r < n_out; r++) /* only tangents count: <0, y> + <v, J u> */
            ct[r] = r < n ? tensor_new(&b->arena, y[r].dtype, y[r].ndim, y[r].dim)
                          : bench_direction(b, tensor_type(&y[r]), &seed);
        if (ok)
            along_w[k] = pairing(n_out - n, ct + n, y + n, &values);
    }
    if (ok) {
        /* cotangents of the results that can have one: a result's tangent may be zero whatever the inputs */
        knt_linearized l = {0};
        memcpy(in, x, (size_t)forward->n_in * sizeof *in);
        ok = bench_ok(b, knt_linearize(forward, tangent, &l), "linearize");
        for (int r = 0, i = (int)forward->n_in; ok && r < n_out; r++)
            if (l.out_tangent[r])
                in[i++] = ct[r];
        knt_linearized_free(&l);
    }
    if (ok && bench_run(b, pull, in, back)) {
        long double near = (along_w[0] - along_w[1]) / (2 * STEP), bend = near - (along_w[2] - along_w[3]) / (4 * STEP);
        long double rule = pairing(n_w, back, along, &size), slope = near + bend / 3;
        if (!(fabsl(rule - slope) <= ALLOWED * (1 + size + values) + ROUGH * fabsl(bend)))
            bench_fail(b, "d <v, J u>: %.17Lg by the rules, %.17Lg by differences", rule, slope);
    }
    prog_close(&p);
    kni_release(pull);
}

/* The forward derivative of the pullback x -> J'(x) ct along w, against differences. */
static void forward_over_reverse(bench *b, const tensor *x, const tensor *w)
{
    bool tangent[MAX_VALUES] = {0};
    tensor in[MAX_VALUES], all[MAX_VALUES], u[MAX_VALUES] = {0}, y[MAX_VALUES];
    int n_ct = 0;
    uint64_t seed = b->seed + 9;
    prog p = {0};
    kni_jaxpr *d = NULL;
    bench_tangents(b, tangent);
    kni_jaxpr *pull = bench_pullback(b, b->j, tangent, &n_ct);
    if (!pull)
        return;
    memcpy(in, x, (size_t)b->n_in * sizeof *in);
    memcpy(u, w, (size_t)b->n_in * sizeof *u);
    for (int k = 0; k < n_ct; k++)
        in[b->n_in + k] = bench_direction(b, kni_in_type(pull, (uint32_t)(b->n_in + k)), &seed);
    memcpy(all, in, sizeof in);
    append(w, b->n_in, all, (int)pull->n_in);
    if (prog_open(b, pull, &p) && bench_ok(b, knt_jvp(pull, tangent, &d), "jvp of vjp") && bench_run(b, d, all, y))
        against_differences(b, &p, in, u, 0, p.n_out, y + p.n_out);
    prog_close(&p);
    kni_release(d);
    kni_release(pull);
}

/* The forward derivative of x, u -> J(x) u along w, against differences: for rows without a transpose. */
static void forward_over_forward(bench *b, const kni_jaxpr *forward, const tensor *x, const tensor *w)
{
    bool tangent[MAX_VALUES] = {0};
    tensor all[MAX_VALUES], y[MAX_VALUES];
    prog p = {0};
    kni_jaxpr *d = NULL;
    for (int i = 0; i < b->n_in; i++)
        tangent[i] = w[i].data != NULL;
    memcpy(all, x, (size_t)forward->n_in * sizeof *all);
    append(w, b->n_in, all, (int)forward->n_in);
    if (prog_open(b, forward, &p) && bench_ok(b, knt_jvp(forward, tangent, &d), "jvp of jvp") &&
        bench_run(b, d, all, y))
        against_differences(b, &p, x, w, 0, p.n_out, y + p.n_out);
    prog_close(&p);
    kni_release(d);
}

void check_second(bench *b)
{
    bool tangent[MAX_OPERANDS];
    tensor x[MAX_VALUES], u[MAX_VALUES] = {0}, w[MAX_VALUES] = {0};
    kni_jaxpr *forward = NULL;
    if (!has_differences(b))
        return;
    bench_tangents(b, tangent);
    bench_fill(b, true, 1, x);
    directions(b, x, u, 11);
    directions(b, x, w, 12);
    append(u, b->n_in, x, b->n_in);
    bool ok = bench_ok(b, knt_jvp(b->j, tangent, &forward), "jvp");
    if (ok && b->s->prim->no_transpose)
        forward_over_forward(b, forward, x, w);
    else if (ok)
        reverse_over_forward(b, forward, x, w);
    kni_release(forward);
    if (!b->s->prim->no_transpose)
        forward_over_reverse(b, x, w);
}
