/* SPDX-License-Identifier: Apache-2.0
 * case_rows.c -- reductions and what is built of them along rows: softmax, layer norm, their gradients, sums, maxima. */
#include "inputs.h"

typedef struct {
    bench_call call; /* first: rows of x alone are run as such */
    kn_array gain, bias, g;
} rows;
typedef struct {
    kn_array x, gain, bias;
} Parts;

static kn_array norm_of(kn_array x, kn_array gain, kn_array bias)
{
    kn_array d = kn_sub(x, kn_mean(x, KN_AXIS(-1), .keepdims = true));
    kn_array variance = kn_mean(kn_mul(d, d), KN_AXIS(-1), .keepdims = true);
    return kn_add(kn_mul(kn_div(d, kn_sqrt(kn_add(variance, 1e-5f))), gain), bias);
}

static kn_array softmax(const kn_array *x) { return kn_nn_softmax(*x); }
static kn_array softmax_loss(const kn_array *x, const kn_array *g) { return kn_sum(kn_mul(kn_nn_softmax(*x), *g)); }
static kn_array layer_norm(const Parts *p) { return norm_of(p->x, p->gain, p->bias); }
static kn_array layer_norm_loss(const Parts *p, const kn_array *g)
{
    return kn_sum(kn_mul(norm_of(p->x, p->gain, p->bias), *g));
}
static kn_array sum_0(const kn_array *x) { return kn_sum(*x, KN_AXIS(0)); }
static kn_array sum_1(const kn_array *x) { return kn_sum(*x, KN_AXIS(1)); }
static kn_array max_1(const kn_array *x) { return kn_max(*x, KN_AXIS(1)); }
KN_FUNCTION(softmax, kn_array, kn_array)
KN_FUNCTION(softmax_loss, kn_array, kn_array, kn_array)
KN_FUNCTION(layer_norm, kn_array, Parts)
KN_FUNCTION(layer_norm_loss, kn_array, Parts, kn_array)
KN_FUNCTION(sum_0, kn_array, kn_array)
KN_FUNCTION(sum_1, kn_array, kn_array)
KN_FUNCTION(max_1, kn_array, kn_array)

static rows *begin(void)
{
    rows *s = calloc(1, sizeof *s);
    if (s)
        s->call.scope = kn_scope_begin();
    return s;
}

static void *new_rows(kn_fn (*f)(void))
{
    rows *s = begin();
    if (!s)
        return NULL;
    s->call.x = kn_mul(bench_wave(KN_SHAPE(4096, 1024), 1.7), 3.0f);
    s->g = bench_wave(KN_SHAPE(4096, 1024), 0.9);
    s->gain = bench_wave(KN_SHAPE(1024), 0.3);
    s->bias = bench_wave(KN_SHAPE(1024), 0.7);
    kn_eval(s->call.x);
    s->call.f = f();
    return s;
}
static void *new_square(kn_fn (*f)(void))
{
    rows *s = begin();
    if (!s)
        return NULL;
    s->call.x = bench_wave(KN_SHAPE(4096, 4096), 1.7);
    s->call.f = f();
    return s;
}

#define SETUP(name, make, fn)                     \
    static kn_fn make_##name(void) { return fn; } \
    static void *setup_##name(void) { return make(make_##name); }
SETUP(softmax, new_rows, kn_jit(KN_FN(softmax)))
SETUP(softmax_grad, new_rows, kn_jit(kn_grad(KN_FN(softmax_loss))))
SETUP(norm, new_rows, kn_jit(KN_FN(layer_norm)))
SETUP(norm_grad, new_rows, kn_jit(kn_grad(KN_FN(layer_norm_loss))))
SETUP(sum_0, new_square, kn_jit(KN_FN(sum_0)))
SETUP(sum_1, new_square, kn_jit(KN_FN(sum_1)))
SETUP(max_1, new_square, kn_jit(KN_FN(max_1)))

static double run_xg(void *state, int times)
{
    rows *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        kn_call(s->call.f, &y, &s->call.x, &s->g);
    }
    return bench_now() - start;
}
static double run_parts(void *state, int times)
{
    rows *s = state;
    Parts p = {s->call.x, s->gain, s->bias};
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        kn_call(s->call.f, &y, &p);
    }
    return bench_now() - start;
}
static double run_parts_grad(void *state, int times)
{
    rows *s = state;
    Parts p = {s->call.x, s->gain, s->bias}, d;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_call(s->call.f, &d, &p, &s->g);
    }
    return bench_now() - start;
}

static int values_x(void *state, double *out)
{
    KN_SCOPE;
    return bench_picks(bench_call_value(state), out, 4);
}
static int values_xg(void *state, double *out)
{
    KN_SCOPE;
    rows *s = state;
    kn_array y;
    kn_call(s->call.f, &y, &s->call.x, &s->g);
    return bench_picks(y, out, 4);
}
static int values_parts(void *state, double *out)
{
    KN_SCOPE;
    rows *s = state;
    Parts p = {s->call.x, s->gain, s->bias};
    kn_array y;
    kn_call(s->call.f, &y, &p);
    return bench_picks(y, out, 4);
}
static int values_parts_grad(void *state, double *out)
{
    KN_SCOPE;
    rows *s = state;
    Parts p = {s->call.x, s->gain, s->bias}, d;
    kn_call(s->call.f, &d, &p, &s->g);
    return bench_picks(d.x, out, 4) + bench_picks(d.gain, out + 4, 2) + bench_picks(d.bias, out + 6, 2);
}

/* name, unit, threads, ask, goal, tolerance, setup, run, values, teardown */
const bench_case bench_rows[] = {
    {"softmax", "ms", 2, ASK_ALL, 0.8, 1e-4, setup_softmax, bench_call_run, values_x, .teardown = bench_call_teardown},
    {"softmax_grad", "ms", 2, ASK_ALL, 1.6, 1e-2, setup_softmax_grad, run_xg, values_xg,
     .teardown = bench_call_teardown},
    {"layer_norm", "ms", 2, ASK_ALL, 0.6, 1e-3, setup_norm, run_parts, values_parts, .teardown = bench_call_teardown},
    {"layer_norm_grad", "ms", 2, ASK_ALL, 1.2, 1e-2, setup_norm_grad, run_parts_grad, values_parts_grad,
     .teardown = bench_call_teardown},
    {"sum_axis_0", "ms", 2, ASK_ALL, 1.4, 2e-2, setup_sum_0, bench_call_run, values_x, .teardown = bench_call_teardown},
    {"sum_axis_1", "ms", 2, ASK_ALL, 1.4, 2e-2, setup_sum_1, bench_call_run, values_x, .teardown = bench_call_teardown},
    {"max_axis_1", "ms", 2, ASK_ALL, 1.3, 0, setup_max_1, bench_call_run, values_x, .teardown = bench_call_teardown},
    {0},
};
