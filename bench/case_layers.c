/* SPDX-License-Identifier: Apache-2.0
 * case_layers.c -- products as networks have them: many small ones, a dense layer, a matrix and a vector. */
#include "inputs.h"
#include "libraries.h"
#include "primitives.h"

typedef struct layer {
    kn_scope scope;
    int64_t batch, m, n, k;
    kn_array a, b, bias; /* bias: KN_NONE without one */
    kn_fn f;
    float *to;
    primitive *p[LIB_MAX_THREADS];
} layer;

static kn_array product(const kn_array *a, const kn_array *b) { return kn_matmul(*a, *b); }
static kn_array dense(const kn_array *a, const kn_array *b, const kn_array *bias)
{
    return kn_nn_relu(kn_add(kn_matmul(*a, *b), *bias));
}
KN_FUNCTION(product, kn_array, kn_array, kn_array)
KN_FUNCTION(dense, kn_array, kn_array, kn_array, kn_array)

static layer *new_layer(int64_t batch, int64_t m, int64_t n, int64_t k, bool bias)
{
    layer *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (layer){.scope = kn_scope_begin(), .batch = batch, .m = m, .n = n, .k = k};
    s->a = bench_wave(batch == 1 ? KN_SHAPE(m, k) : KN_SHAPE(batch, m, k), 1.7);
    s->b = bench_wave(batch == 1 ? KN_SHAPE(k, n) : KN_SHAPE(batch, k, n), 0.9);
    s->bias = bias ? bench_wave(KN_SHAPE(n), 0.3) : KN_NONE;
    s->f = kn_jit(bias ? KN_FN(dense) : KN_FN(product));
    s->to = aligned_alloc(64, ((size_t)(batch * m * n) * sizeof(float) + 63) & ~(size_t)63);
    return s;
}
static void *setup_batch(void) { return new_layer(64, 64, 64, 64, false); }
static void *setup_dense(void) { return new_layer(1, 64, 512, 784, true); }
static void *setup_row(void) { return new_layer(1, 1, 4096, 4096, false); }
static void *setup_column(void) { return new_layer(1, 4096, 1, 4096, false); }

static void teardown(void *state)
{
    layer *s = state;
    for (int i = 0; i < LIB_MAX_THREADS; i++)
        primitive_free(s->p[i]);
    free(s->to);
    kn_scope_end(&s->scope);
    free(s);
}

static void call(const layer *s, kn_array *out)
{
    if (s->bias)
        kn_call(s->f, out, &s->a, &s->b, &s->bias);
    else
        kn_call(s->f, out, &s->a, &s->b);
}

static double run(void *state, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array c;
        call(state, &c);
    }
    return bench_now() - start;
}

/* One product after the other, then bias and relu in a loop. */
static bool by_blas(const layer *s, bench_library l)
{
    const float *a = kn_data(s->a, float), *b = kn_data(s->b, float), *bias = s->bias ? kn_data(s->bias, float) : NULL;
    bool good = true;
    for (int64_t i = 0; i < s->batch; i++) {
        const float *x = a + i * s->m * s->k, *y = b + i * s->k * s->n;
        float *c = s->to + i * s->m * s->n;
        good = good && (s->m == 1   ? library_sgemv(l, true, s->k, s->n, y, x, c)
                        : s->n == 1 ? library_sgemv(l, false, s->m, s->k, x, y, c)
                                    : library_sgemm(l, s->m, s->n, s->k, x, y, c));
    }
    for (int64_t i = 0; bias && i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            float v = s->to[i * s->n + j] + bias[j];
            s->to[i * s->n + j] = v > 0 ? v : 0;
        }
    return good;
}

static bool by_primitive(layer *s)
{
    primitive **p = &s->p[libraries_threads() - 1];
    if (!*p)
        *p = primitive_matmul(s->batch, s->m, s->n, s->k, kn_data(s->a, float), kn_data(s->b, float),
                              s->bias ? kn_data(s->bias, float) : NULL, s->to);
    return primitive_run(*p, true);
}

static double run_library(layer *s, int which, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++)
        if (!(which < LIB_COUNT ? by_blas(s, (bench_library)which) : by_primitive(s)))
            return -1;
    return bench_now() - start;
}
static double run_openblas(void *state, int times) { return run_library(state, LIB_OPENBLAS, times); }
static double run_blis(void *state, int times) { return run_library(state, LIB_BLIS, times); }
static double run_sgemm(void *state, int times) { return run_library(state, LIB_ONEDNN, times); }
static double run_mkl(void *state, int times) { return run_library(state, LIB_MKL, times); }
static double run_primitive(void *state, int times) { return run_library(state, LIB_COUNT, times); }

static double differs(void *state, int other)
{
    KN_SCOPE;
    layer *s = state;
    kn_array mine;
    call(s, &mine);
    if (run_library(s, other / 2, 1) < 0)
        return -1;
    double most = bench_longest(s->a, -1) * bench_longest(s->b, -2);
    return bench_gap(mine, s->to, 2 * (double)(s->k + 1) * 0x1p-24 * (most + (s->bias ? 1 : 0)));
}

#define TWICE(name_, run_)                                           \
    {.name = name_ " 1T", .run = run_, .threads = 1, .peer = true},  \
    {                                                                \
        .name = name_ " 2T", .run = run_, .threads = 2, .peer = true \
    }
#define ROW(name_, make)                                                                                        \
    {                                                                                                           \
        .name = name_, .unit = "us", .threads = 2, .setup = make, .run = run, .teardown = teardown, .ratio = 1, \
        .differs = differs, .other = {                                                                          \
            TWICE("openblas", run_openblas),                                                                    \
            TWICE("blis", run_blis),                                                                            \
            TWICE("onednn sgemm", run_sgemm),                                                                   \
            TWICE("mkl", run_mkl),                                                                              \
            TWICE("onednn primitive", run_primitive)                                                            \
        }                                                                                                       \
    }
const bench_case bench_layers[] = {
    ROW("product_64_times_64", setup_batch),
    ROW("product_bias_relu", setup_dense),
    ROW("product_row_4096", setup_row),
    ROW("product_column_4096", setup_column),
    {0},
};
