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

const bench_case bench_calls[] = {
    {"jit_call_10", "us", 1, ASK_ALL, 0.3, 0, setup, run_jit, values_jit, free, {{0}}},
    {"eager_add_10", "us", 1, ASK_ALL, 0.6, 0, setup, run_add, values_add, free, {{0}}},
    {0},
};
