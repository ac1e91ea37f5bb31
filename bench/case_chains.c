/* SPDX-License-Identifier: Apache-2.0
 * case_chains.c -- chains over 10^7 float32: fused by jit, beside the same operations one by one, and NumPy. */
#include "inputs.h"

typedef struct {
    kn_array x;
    kn_fn f;
    kn_array (*plain)(const kn_array *);
} chain;

static kn_array functions(const kn_array *x)
{
    kn_array y = kn_mul(kn_sin(*x), kn_exp(kn_div(kn_neg(*x), 10)));
    return kn_mean(kn_add(kn_tanh(y), kn_mul(0.1, y)));
}
KN_FUNCTION(functions, kn_array, kn_array)

static kn_array polynomial(const kn_array *x)
{
    static const double c[] = {0.25, 0.125, -0.0625, 0.03125};
    kn_array p = kn_add(kn_mul(*x, 0.5), 1);
    for (int i = 0; i < 4; i++)
        p = kn_add(kn_mul(p, *x), c[i]);
    return p;
}
KN_FUNCTION(polynomial, kn_array, kn_array)

static void *setup(int n, kn_fn f, kn_array (*plain)(const kn_array *))
{
    chain *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (chain){kn_mul(kn_astype(kn_arange(0, n, 1), KN_F32), 10.0 / n), f, plain};
    kn_eval(s->x);
    return s;
}

static void *setup_functions(void) { return setup(10000000, kn_jit(KN_FN(functions)), functions); }
static void *setup_polynomial(void) { return setup(10000000, kn_jit(KN_FN(polynomial)), polynomial); }
static void *setup_1000(void) { return setup(1000, kn_jit(KN_FN(functions)), functions); }
static void *setup_100000(void) { return setup(100000, kn_jit(KN_FN(functions)), functions); }

static double run(void *state, int times)
{
    chain *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array out;
        kn_call(s->f, &out, &s->x);
    }
    return bench_now() - start;
}

static double run_one_by_one(void *state, int times)
{
    chain *s = state;
    double start = bench_now();
    kn_set_lazy(false);
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_eval(s->plain(&s->x));
    }
    kn_set_lazy(true);
    return bench_now() - start;
}

/* As one writes it without jit: recorded anew each time, run when it is looked at. */
static double run_eager(void *state, int times)
{
    chain *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_eval(s->plain(&s->x));
    }
    return bench_now() - start;
}

static int values_functions(void *state, double *out)
{
    KN_SCOPE;
    chain *s = state;
    kn_array y;
    kn_call(s->f, &y, &s->x);
    out[0] = kn_item(y);
    return 1;
}

static int values_polynomial(void *state, double *out)
{
    KN_SCOPE;
    chain *s = state;
    kn_array y;
    kn_call(s->f, &y, &s->x);
    return bench_picks(y, out, 4);
}

/* name, unit, threads, ask, goal, tolerance, setup, run, values, teardown, others */
const bench_case bench_chains[] = {
    {"chain_1e7", "ms", 2, ASK_ALL, 5.8, 1e-3, setup_functions, run, values_functions, .teardown = free},
    {"chain_1e5", "us", 2, ASK_ALL, 80, 1e-3, setup_100000, run, values_functions, .teardown = free},
    {"chain_1e3", "us", 2, ASK_ALL, 1.5, 1e-3, setup_1000, run, values_functions, .teardown = free},
    {"eager_chain_1e5", "us", 2, ASK_NUMPY, 0, 1e-3, setup_100000, run_eager, values_functions, .teardown = free},
    {"eager_chain_1e3", "us", 2, ASK_NUMPY, 0, 1e-3, setup_1000, run_eager, values_functions, .teardown = free},
    {"polynomial_1e7", "ms", 2, ASK_ALL, 0, 1e-5, setup_polynomial, run, values_polynomial, .teardown = free,
     .other = {{.name = "op by op", .run = run_one_by_one}}},
    {0},
};
