/* SPDX-License-Identifier: Apache-2.0
 * case_attention.c -- attention of 8 heads, 1,024 queries and keys of length 64, float32, and its gradient; and how
 * much memory it needs. */
#include "inputs.h"

enum { HEADS = 8, LENGTH = 1024, SIZE = 64 };
typedef struct {
    kn_array q, k, v;
} Heads;
typedef struct {
    kn_scope scope;
    Heads x;
    kn_array w;
    kn_fn f, slow; /* slow: the function that f is the jitted one of */
    bool grad, rows_first;
} attention;

static kn_array attend(const Heads *x)
{
    kn_array scores = kn_mul(kn_matmul(x->q, kn_swapaxes(x->k, -1, -2)), 0.125f);
    return kn_matmul(kn_nn_softmax(scores), x->v);
}
static kn_array attend_nn(const Heads *x) { return kn_nn_dot_product_attention(x->q, x->k, x->v); }
static kn_array loss(const Heads *x, const kn_array *w) { return kn_sum(kn_mul(attend(x), *w)); }
static kn_array loss_nn(const Heads *x, const kn_array *w) { return kn_sum(kn_mul(attend_nn(x), *w)); }
KN_FUNCTION(attend, kn_array, Heads)
KN_FUNCTION(attend_nn, kn_array, Heads)
KN_FUNCTION(loss, kn_array, Heads, kn_array)
KN_FUNCTION(loss_nn, kn_array, Heads, kn_array)

static void inputs(attention *s, int length)
{
    kn_shape shape = s->rows_first ? KN_SHAPE(length, HEADS, SIZE) : KN_SHAPE(HEADS, length, SIZE);
    s->x = (Heads){bench_wave(shape, 1.7), bench_wave(shape, 0.9), bench_wave(shape, 0.3)};
    s->w = bench_wave(shape, 0.7);
}

static void *start(kn_fn fn, bool grad, bool rows_first)
{
    attention *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (attention){.scope = kn_scope_begin(), .grad = grad, .rows_first = rows_first};
    inputs(s, LENGTH);
    s->slow = fn;
    s->f = kn_jit(fn);
    return s;
}
#define SETUP(name, fn, grad, rows_first)          \
    static void *setup_##name(void)                \
    {                                              \
        kn_scope scope = kn_scope_begin();         \
        kn_fn f = fn;                              \
        kn_retain(f);                              \
        kn_scope_end(&scope);                      \
        attention *s = start(f, grad, rows_first); \
        return s;                                  \
    }
SETUP(forward, KN_FN(attend), false, false)
SETUP(gradient, kn_grad(KN_FN(loss)), true, false)
SETUP(forward_nn, KN_FN(attend_nn), false, true)
SETUP(gradient_nn, kn_grad(KN_FN(loss_nn)), true, true)

static void teardown(void *state)
{
    attention *s = state;
    kn_release(s->slow);
    kn_scope_end(&s->scope);
    free(s);
}

static double run(void *state, int times)
{
    attention *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        Heads d;
        if (s->grad)
            kn_call(s->f, &d, &s->x, &s->w);
        else
            kn_call(s->f, &y, &s->x);
    }
    return bench_now() - start;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    attention *s = state;
    kn_array y;
    Heads d;
    if (!s->grad) {
        kn_call(s->f, &y, &s->x);
        return bench_picks(y, out, 8);
    }
    kn_call(s->f, &d, &s->x, &s->w);
    return bench_picks(d.q, out, 3) + bench_picks(d.k, out + 3, 3) + bench_picks(d.v, out + 6, 2);
}

static void peaks(void *state)
{
    attention *s = state;
    printf("%26s", "peak memory");
    for (int length = LENGTH; length <= 4 * LENGTH; length *= 2) {
        KN_SCOPE;
        attention at = *s;
        inputs(&at, length);
        size_t peak = s->grad ? kn_fn_peak_bytes(s->slow, KN_ARGS(&at.x, &at.w), 2)
                              : kn_fn_peak_bytes(s->slow, KN_ARGS(&at.x), 2);
        double rows = (s->grad ? 7. : 4.) * HEADS * length * SIZE * 4;
        printf("  %d: %.1f MB (operands and results %.1f)", length, (double)peak / 1e6, rows / 1e6);
    }
    printf("\n");
}

#define ROW(name_, make, tolerance_, times)                                                                            \
    {                                                                                                                  \
        .name = name_, .unit = "ms", .threads = 2, .ask = ASK_JAX, .tolerance = tolerance_, .setup = make, .run = run, \
        .values = values, .teardown = teardown, .ratio = times, .note = peaks                                          \
    }
const bench_case bench_attention[] = {
    ROW("attention", setup_forward, 1e-3, 2),
    ROW("attention_grad", setup_gradient, 1e-2, 2),
    ROW("attention_nn", setup_forward_nn, 1e-3, 2),
    ROW("attention_nn_grad", setup_gradient_nn, 1e-2, 2),
    {0},
};
