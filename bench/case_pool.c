/* SPDX-License-Identifier: Apache-2.0
 * case_pool.c -- the largest of each 2x2 elements: 8 images of 56x56 with 64 features, and the gradient. */
#include "inputs.h"

typedef struct pool {
    kn_scope scope;
    bool grad;
    kn_array x, g;
    kn_fn f;
} pool;

static kn_array forward(const kn_array *x) { return kn_nn_max_pool(*x, KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2)); }
static kn_array loss(const kn_array *x, const kn_array *g) { return kn_sum(kn_mul(forward(x), *g)); }
KN_FUNCTION(forward, kn_array, kn_array)
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

static void *setup(bool grad)
{
    pool *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->grad = grad;
    s->x = bench_wave(KN_SHAPE(8, 56, 56, 64), 1.7);
    s->g = bench_wave(KN_SHAPE(8, 28, 28, 64), 0.3);
    s->f = kn_jit(grad ? kn_grad(KN_FN(loss)) : KN_FN(forward));
    return s;
}
static void *setup_forward(void) { return setup(false); }
static void *setup_grad(void) { return setup(true); }

static void teardown(void *state)
{
    pool *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

static void call(const pool *s, kn_array *y)
{
    if (s->grad)
        kn_call(s->f, y, &s->x, &s->g);
    else
        kn_call(s->f, y, &s->x);
}

static double run(void *state, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        call(state, &y);
    }
    return bench_now() - start;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    kn_array y;
    call(state, &y);
    return bench_picks(y, out, 8);
}

#define ROW(name_, make)                                                                                         \
    {                                                                                                            \
        .name = name_, .unit = "us", .threads = 2, .ask = ASK_JAX, .tolerance = 1e-6, .setup = make, .run = run, \
        .values = values, .teardown = teardown, .ratio = 1                                                       \
    }
const bench_case bench_pools[] = {
    ROW("max_pool_2x2", setup_forward),
    ROW("max_pool_2x2_grad", setup_grad),
    {0},
};
