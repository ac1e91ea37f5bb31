/* SPDX-License-Identifier: Apache-2.0
 * case_calls.c -- what a call costs: a jitted function and an eager addition on 10 elements, looked at each time. */
#include "bench.h"
#include <kiln/kiln.h>
#include <stdlib.h>

typedef struct {
    kn_array x;
    kn_fn f;
} calls;

static kn_array plus_one(const kn_array *x) { return kn_add(*x, 1.0); }
KN_FUNCTION(plus_one, kn_array, kn_array)

static void *setup(void)
{
    calls *s = malloc(sizeof *s);
    if (s)
        *s = (calls){kn_arange(0, 10, 1, .dtype = KN_F64), kn_jit(KN_FN(plus_one))};
    return s;
}

static double run_jit(void *state, int times)
{
    calls *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array out;
        kn_call(s->f, &out, &s->x);
    }
    return bench_now() - start;
}

static double run_add(void *state, int times)
{
    calls *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_eval(kn_add(s->x, s->x));
    }
    return bench_now() - start;
}

static int values_jit(void *state, double *out)
{
    calls *s = state;
    kn_array y;
    kn_call(s->f, &y, &s->x);
    out[0] = kn_item(kn_sum(y));
    return 1;
}

static int values_add(void *state, double *out)
{
    calls *s = state;
    out[0] = kn_item(kn_sum(kn_add(s->x, s->x)));
    return 1;
}

/* Without arrays: a kernel of 10 elements, and one of 51 operations on 8. */
typedef struct {
    kn_prepared p;
    double in[16], out[16];
    _Alignas(64) char workspace[1 << 16];
} prepared;

static kn_array fifty_one(const kn_array *x)
{
    kn_array y = kn_mul(*x, 0.5f);
    for (int i = 0; i < 25; i++)
        y = kn_add(kn_mul(y, *x), 0.25f + (float)i);
    return y;
}
KN_FUNCTION(fifty_one, kn_array, kn_array)

static void *prepare(kn_fn fn, kn_array example)
{
    KN_SCOPE;
    prepared *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->p = kn_prepare(fn, KN_ARGS(&example), .threads = 1);
    if (!s->p || kn_prepared_workspace_bytes(s->p) > sizeof s->workspace)
        return NULL;
    return s;
}
static void *setup_prepared(void) { return prepare(KN_FN(plus_one), kn_zeros(KN_SHAPE(10), .dtype = KN_F64)); }
static void *setup_fifty_one(void) { return prepare(KN_FN(fifty_one), kn_zeros(KN_SHAPE(8), .dtype = KN_F32)); }

static double run_prepared(void *state, int times)
{
    prepared *s = state;
    const void *in[] = {s->in};
    void *out[] = {s->out};
    double start = bench_now();
    for (int i = 0; i < times; i++)
        kn_prepared_run(s->p, in, out, s->workspace);
    return bench_now() - start;
}
static double run_fifty_one(void *state, int times) { return run_prepared(state, times) / 51; }

static void free_prepared(void *state)
{
    kn_prepared_free(((prepared *)state)->p);
    free(state);
}

const bench_case bench_calls[] = {
    {"jit_call_10", "us", 1, ASK_ALL, 0.3, 0, setup, run_jit, values_jit, .teardown = free},
    {"eager_add_10", "us", 1, ASK_ALL, 0.6, 0, setup, run_add, values_add, .teardown = free},
    {"prepared_call_10", "ns", 1, 0, 10, 0, setup_prepared, run_prepared, NULL, .teardown = free_prepared},
    {"prepared_op_8", "ns", 1, 0, 0.3, 0, setup_fifty_one, run_fifty_one, NULL, .teardown = free_prepared},
    {0},
};
