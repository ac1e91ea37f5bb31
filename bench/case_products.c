/* SPDX-License-Identifier: Apache-2.0
 * case_products.c -- products of square matrices beside BLAS libraries. Below 128 rows a call is so short that a
 * program of 1,000 products, each of the one before, stands for it; the libraries are called 1,000 times. */
#include "inputs.h"
#include "libraries.h"
#include <math.h>
#include <string.h>

enum { STEPS = 1000 };
typedef struct product {
    kn_scope scope;
    int64_t n;
    kn_dtype operand, result;
    bool chain; /* STEPS products */
    kn_array a, b;
    kn_fn f;
    void *to[2]; /* results of libraries */
} product;

static kn_array once(const kn_array *a, const kn_array *b) { return kn_matmul(*a, *b); }
static kn_array wide_of(const kn_array *a, const kn_array *b, kn_dtype wide)
{
    kn_lax_dot_dimension_numbers d = {.lhs_contract = KN_AXIS(1), .rhs_contract = KN_AXIS(0)};
    return kn_lax_dot_general(*a, *b, d, .preferred_element_type = wide);
}
static kn_array once_i32(const kn_array *a, const kn_array *b) { return wide_of(a, b, KN_I32); }
static kn_array once_f32(const kn_array *a, const kn_array *b) { return wide_of(a, b, KN_F32); }
static kn_array steps(const kn_array *a, const kn_array *b)
{
    kn_array x = *b;
    for (int i = 0; i < STEPS; i++)
        x = kn_matmul(*a, x);
    return x;
}
KN_FUNCTION(once, kn_array, kn_array, kn_array)
KN_FUNCTION(once_i32, kn_array, kn_array, kn_array)
KN_FUNCTION(once_f32, kn_array, kn_array, kn_array)
KN_FUNCTION(steps, kn_array, kn_array, kn_array)

/* Symmetric and orthogonal, so that numbers stay as large as they are. */
static kn_array sines(int64_t n)
{
    kn_array i = kn_arange(1, n + 1, 1, .dtype = KN_F64);
    kn_array x = kn_sin(kn_mul(kn_outer(i, i), acos(-1) / (double)(n + 1)));
    return kn_astype(kn_mul(x, sqrt(2 / (double)(n + 1))), KN_F32);
}

static product *new_product(int64_t n, kn_dtype operand, kn_dtype result)
{
    product *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (product){.scope = kn_scope_begin(), .n = n, .operand = operand, .result = result, .chain = n < 128};
    s->a = s->chain ? sines(n) : bench_wave(KN_SHAPE(n, n), 1.7);
    s->b = bench_wave(KN_SHAPE(n, n), 0.9);
    bool bytes = kn_dtype_size(operand) == 1;
    s->a = kn_astype(bytes ? kn_mul(s->a, 127) : s->a, operand);
    s->b = kn_astype(bytes ? kn_mul(s->b, 127) : s->b, operand);
    kn_eval(s->a);
    kn_eval(s->b);
    s->f = kn_jit(s->chain            ? KN_FN(steps)
                  : operand == result ? KN_FN(once)
                  : bytes             ? KN_FN(once_i32)
                                      : KN_FN(once_f32));
    for (int i = 0; i < 2; i++)
        s->to[i] = aligned_alloc(64, ((size_t)(n * n) * kn_dtype_size(result) + 63) & ~(size_t)63);
    return s;
}

static void teardown(void *state)
{
    product *s = state;
    free(s->to[0]);
    free(s->to[1]);
    kn_scope_end(&s->scope);
    free(s);
}

static double run(void *state, int times)
{
    product *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array c;
        kn_call(s->f, &c, &s->a, &s->b);
    }
    return bench_now() - start;
}

static bool multiply(const product *s, bench_library l, const void *a, const void *b, void *c)
{
    int64_t n = s->n;
    if (s->operand == KN_F32)
        return library_sgemm(l, n, n, n, a, b, c);
    if (s->operand == KN_F64)
        return library_dgemm(l, n, n, n, a, b, c);
    if (s->operand == KN_I8)
        return library_i8gemm(l, n, n, n, a, b, c);
    return library_bf16gemm(l, n, n, n, a, b, c);
}

/* The result is in to[1]. */
static bool all_steps(product *s, bench_library l)
{
    const void *a = kn_data_bytes(s->a, s->operand), *b = kn_data_bytes(s->b, s->operand);
    bool good = true;
    for (int i = 0; good && i < (s->chain ? STEPS : 1); i++)
        good = multiply(s, l, a, i ? s->to[i & 1] : b, s->to[(i & 1) ^ 1]);
    if (s->chain)
        memcpy(s->to[1], s->to[0], (size_t)(s->n * s->n) * kn_dtype_size(s->result));
    return good;
}

static double run_library(product *s, bench_library l, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++)
        if (!all_steps(s, l))
            return -1;
    return bench_now() - start;
}
static double run_openblas(void *state, int times) { return run_library(state, LIB_OPENBLAS, times); }
static double run_blis(void *state, int times) { return run_library(state, LIB_BLIS, times); }
static double run_onednn(void *state, int times) { return run_library(state, LIB_ONEDNN, times); }
static double run_mkl(void *state, int times) { return run_library(state, LIB_MKL, times); }

/* The lengths of the rows of a, or of the columns. */
static double *lengths(kn_array a, int axis)
{
    kn_array wide = kn_astype(a, KN_F64), length = kn_sqrt(kn_sum(kn_mul(wide, wide), KN_AXIS(axis)));
    size_t bytes = (size_t)kn_size(length) * sizeof(double);
    double *to = malloc(bytes);
    if (to)
        kn_copy_to(length, to, bytes);
    return to;
}

/* Both may be wrong by n rounding errors of the sum of |a b|, which is at most the product of the lengths. */
static double differs(void *state, int other)
{
    KN_SCOPE;
    product *s = state;
    kn_array mine;
    kn_call(s->f, &mine, &s->a, &s->b);
    if (!all_steps(s, (bench_library)(other % LIB_COUNT)))
        return -1;
    kn_array theirs = kn_wrap(s->to[1], KN_SHAPE(s->n, s->n), s->result, .readonly = true);
    kn_array gap = kn_abs(kn_sub(kn_astype(mine, KN_F64), kn_astype(theirs, KN_F64)));
    double u = s->operand == KN_F64 ? 0x1p-53 : s->operand == KN_I8 ? 0 : 0x1p-24, worst = 0;
    double *rows = lengths(s->a, 1), *columns = lengths(s->b, 0);
    const double *d = kn_data(gap, double);
    for (int64_t i = 0; i < s->n && rows && columns && d; i++)
        for (int64_t j = 0; j < s->n; j++) {
            double allowed = 2 * (double)s->n * u * rows[i] * columns[j] * (s->chain ? STEPS : 1);
            double part = d[i * s->n + j] <= allowed ? d[i * s->n + j] / (allowed + 1e-300) : INFINITY;
            worst = fmax(worst, part);
        }
    bool good = rows && columns && d;
    free(rows);
    free(columns);
    return good ? worst : INFINITY;
}

#define SETUP(name, n, operand, result) \
    static void *setup_##name(void) { return new_product(n, operand, result); }
SETUP(16, 16, KN_F32, KN_F32)
SETUP(32, 32, KN_F32, KN_F32)
SETUP(64, 64, KN_F32, KN_F32)
SETUP(128, 128, KN_F32, KN_F32)
SETUP(256, 256, KN_F32, KN_F32)
SETUP(512, 512, KN_F32, KN_F32)
SETUP(1000, 1000, KN_F32, KN_F32)
SETUP(1024, 1024, KN_F32, KN_F32)
SETUP(2048, 2048, KN_F32, KN_F32)
SETUP(f64_1024, 1024, KN_F64, KN_F64)
SETUP(i8_1024, 1024, KN_I8, KN_I32)
SETUP(bf16_1024, 1024, KN_BF16, KN_F32)

#define LIBRARIES(T, threads_)                                                       \
    {.name = "openblas " T, .run = run_openblas, .threads = threads_, .peer = true}, \
        {.name = "blis " T, .run = run_blis, .threads = threads_, .peer = true},     \
        {.name = "onednn " T, .run = run_onednn, .threads = threads_, .peer = true}, \
    {                                                                                \
        .name = "mkl " T, .run = run_mkl, .threads = threads_, .peer = true          \
    }
#define ROW(name_, unit_, size, times, ratio_, make)                                                 \
    {                                                                                                \
        .name = name_, .unit = unit_, .threads = 2, .setup = make, .run = run, .teardown = teardown, \
        .flops = 2.0 * size * size * size * times, .ratio = ratio_, .differs = differs, .other = {   \
            LIBRARIES("1T", 1),                                                                      \
            LIBRARIES("2T", 2)                                                                       \
        }                                                                                            \
    }
const bench_case bench_products[] = {
    ROW("product_f32_16", "GFLOP/s", 16, STEPS, 0.9, setup_16),
    ROW("product_f32_32", "GFLOP/s", 32, STEPS, 0.9, setup_32),
    ROW("product_f32_64", "GFLOP/s", 64, STEPS, 0.9, setup_64),
    ROW("product_f32_128", "GFLOP/s", 128, 1, 0.97, setup_128),
    ROW("product_f32_256", "GFLOP/s", 256, 1, 0.97, setup_256),
    ROW("product_f32_512", "GFLOP/s", 512, 1, 0.97, setup_512),
    ROW("product_f32_1000", "GFLOP/s", 1000, 1, 0.97, setup_1000),
    ROW("product_f32_1024", "GFLOP/s", 1024, 1, 0.97, setup_1024),
    ROW("product_f32_2048", "GFLOP/s", 2048, 1, 0.97, setup_2048),
    ROW("product_f64_1024", "GFLOP/s", 1024, 1, 0.97, setup_f64_1024),
    ROW("product_i8_1024", "GOP/s", 1024, 1, 0.97, setup_i8_1024),
    ROW("product_bf16_1024", "GFLOP/s", 1024, 1, 0, setup_bf16_1024),
    {0},
};
