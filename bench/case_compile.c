/* SPDX-License-Identifier: Apache-2.0
 * case_compile.c -- how long it takes from a function that nobody knows to one that can be called. */
#include "inputs.h"

typedef struct {
    kn_scope scope;
    kn_array x;
    int64_t salt;
} compile;
typedef struct {
    int64_t salt;
} Salt; /* a constant of the function, so that each is a new one */

static kn_array functions(const Salt *salt, const kn_array *x)
{
    kn_array y = kn_mul(kn_sin(*x), kn_exp(kn_div(kn_neg(*x), (double)(10 + salt->salt))));
    return kn_mean(kn_add(kn_tanh(y), kn_mul(0.1, y)));
}
KN_FUNCTION_ENV(functions, kn_array, Salt, kn_array)

static void *setup(void)
{
    compile *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->x = bench_wave(KN_SHAPE(1000), 0.01);
    return s;
}

static void teardown(void *state)
{
    compile *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

/* Its first call, less one that finds everything. */
static double run(void *state, int times)
{
    compile *s = state;
    double total = 0;
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        Salt salt = {++s->salt};
        kn_array y;
        kn_fn f = kn_jit(KN_FN_ENV(functions, &salt));
        double start = bench_now();
        kn_call(f, &y, &s->x);
        double first = bench_now();
        kn_call(f, &y, &s->x);
        total += (first - start) - (bench_now() - first);
    }
    return total;
}

const bench_case bench_compile[] = {
    {"compile_chain", "ms", 1, ASK_JAX, 0.28, 0, setup, run, NULL,
     .teardown = teardown}, /* 1 us for each of 281 nodes */
    {0},
};
