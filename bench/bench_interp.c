/* SPDX-License-Identifier: Apache-2.0
 * bench_interp.c -- times of the kernel interpreter: tiny launches, chains, reductions over rows and columns,
 * functions. Development only. */
#include "kernel/internal.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one launch: the best of 15 samples, since other work only ever slows one down. */
static double time_of(const knk_kernel *k, const knk_launch *l, int lanes)
{
    void *scratch = aligned_alloc(64, (knk_scratch_bytes(k) + 63) / 64 * 64);
    double best = 1e9;
    int times = 1;
    for (;; times *= 4) {
        double start = now();
        for (int i = 0; i < times; i++)
            knk_interpret_with(k, l, scratch, lanes);
        if (now() - start > 2e-3)
            break;
    }
    for (int j = 0; j < 15; j++) {
        double start = now();
        for (int i = 0; i < times; i++)
            knk_interpret_with(k, l, scratch, lanes);
        double t = (now() - start) / times;
        best = t < best ? t : best;
    }
    free(scratch);
    return best;
}

static const uint8_t one[] = {KNK_STRIDE_ONE, KNK_STRIDE_ONE, KNK_STRIDE_ONE};

static knk_kernel *finish(knk_builder *b)
{
    knk_kernel *k;
    knx_error *e = knk_finish(b, &k);
    if (e) {
        fprintf(stderr, "%s\n", e->message);
        exit(1);
    }
    return k;
}

static void elementwise(const char *name, knk_node (*f)(knk_builder *, knk_node), knx_dtype_id d, int64_t n, int nodes,
                        void *x, void *y)
{
    knk_builder *b = knk_new(1);
    knk_begin_stage(b, 0);
    int in = knk_add_buffer(b, d, false), out = knk_add_buffer(b, d, true), m = knk_add_map(b, one);
    knk_store(b, out, m, f(b, knk_load(b, in, m, KNK_NONE, KNK_NONE, KNK_NONE)));
    knk_kernel *k = finish(b);
    int64_t stride[] = {1};
    knk_map_values mv = {0, stride};
    void *buffers[] = {x, y};
    knk_launch l = {buffers, &mv, &n, NULL};
    double t = time_of(k, &l, KNK_LANES_AUTO);
    printf("%-24s n %9lld  %12.1f ns  %7.4f ns/element  %7.4f ns/element/op  (%d nodes)\n", name, (long long)n, t * 1e9,
           t * 1e9 / (double)n, t * 1e9 / (double)n / nodes, k->n_node);
    knk_release(k);
}

static knk_node add_one(knk_builder *b, knk_node x)
{
    return knk_binary(b, KNK_ADD, x, knk_const_double(b, knk_dtype(b, x), 1));
}

static knk_node chain10(knk_builder *b, knk_node x)
{
    knx_dtype_id d = knk_dtype(b, x);
    static const struct {
        knk_op op;
        double c;
    } step[] = {{KNK_MUL, 1.5}, {KNK_ADD, .3}, {KNK_MUL, 0},  {KNK_ADD, -.7}, {KNK_MUL, 0},
                {KNK_ADD, .1},  {KNK_MAX, 0},  {KNK_MUL, .5}, {KNK_SUB, 0}};
    knk_node t = x;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        t = knk_binary(b, step[i].op, t, step[i].c != 0 ? knk_const_double(b, d, step[i].c) : x);
    return knk_binary(b, KNK_MUL, t, t);
}

static void reduction(const char *name, int64_t par, int64_t inner, int64_t par_stride, int64_t inner_stride, int lanes,
                      void *x, void *y, knk_reduction how)
{
    knk_builder *b = knk_new(1);
    uint8_t cls[] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY};
    int in = knk_add_buffer(b, KN_ID_F32, false), out = knk_add_buffer(b, KN_ID_F32, true);
    knk_begin_stage(b, 1);
    int m = knk_add_map(b, cls);
    knk_node r = knk_reduce(b, how, knk_load(b, in, m, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(b, 0);
    int o = knk_add_map(b, one);
    knk_store(b, out, o, r);
    knk_kernel *k = finish(b);
    int64_t s0[] = {par_stride, inner_stride}, s1[] = {1};
    knk_map_values mv[] = {{0, s0}, {0, s1}};
    void *buffers[] = {x, y};
    const int64_t *ext[] = {&inner, NULL};
    knk_launch l = {buffers, mv, &par, ext};
    double t = time_of(k, &l, lanes);
    printf("%-24s %lld x %lld  %12.1f ns  %7.4f ns/element\n", name, (long long)par, (long long)inner, t * 1e9,
           t * 1e9 / (double)par / (double)inner);
    knk_release(k);
}

static knk_node half_trip(knk_builder *b, knk_node x) { return knk_cast(b, KN_ID_F32, knk_cast(b, KN_ID_F16, x)); }
static knk_node select_less(knk_builder *b, knk_node x)
{
    knk_node c = knk_const_double(b, knk_dtype(b, x), .5);
    return knk_select(b, knk_binary(b, KNK_LT, x, c), c, x);
}

int main(void)
{
    enum { N = 10000000 };
    float *x = aligned_alloc(64, N * 8), *y = aligned_alloc(64, N * 8);
    for (int i = 0; i < N; i++)
        x[i] = (float)((double)i / N), y[i] = 0;
    memset(x + N, 0, N * 4);
    elementwise("x + 1", add_one, KN_ID_F32, 10, 1, x, y);
    elementwise("x + 1", add_one, KN_ID_F32, 1000, 1, x, y);
    elementwise("x + 1", add_one, KN_ID_F32, N, 1, x, y);
    elementwise("chain of 10", chain10, KN_ID_F32, 10, 10, x, y);
    elementwise("chain of 10", chain10, KN_ID_F32, 1000, 10, x, y);
    elementwise("chain of 10", chain10, KN_ID_F32, 100000, 10, x, y);
    elementwise("chain of 10", chain10, KN_ID_F32, N, 10, x, y);
    elementwise("f16 and back", half_trip, KN_ID_F32, 100000, 2, x, y);
    elementwise("x < .5 ? .5 : x", select_less, KN_ID_F32, 100000, 2, x, y);
    double *xd = malloc(sizeof *xd * 100000);
    for (int i = 0; i < 100000; i++)
        xd[i] = (i + 1) * 1e-5;
    static const struct {
        const char *name;
        knk_node (*f)(knk_builder *, knk_node);
    } function[] = {{"exp", knk_exp},     {"log", knk_log},           {"sin", knk_sin},
                    {"cos", knk_cos},     {"tanh", knk_tanh},         {"log1p", knk_log1p},
                    {"expm1", knk_expm1}, {"logistic", knk_logistic}, {"erf_inv", knk_erf_inv_xla}};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        elementwise(function[i].name, function[i].f, KN_ID_F32, 100000, 1, x + 1, y);
        elementwise("    f64", function[i].f, KN_ID_F64, 100000, 1, xd, y);
    }
    free(xd);
    for (int how = KNK_RED_ADD; how <= KNK_RED_MAX; how += 3) {
        reduction("rows", 4096, 1024, 1024, 1, KNK_LANES_AUTO, x, y, (knk_reduction)how);
        reduction("columns", 1024, 4096, 1, 1024, KNK_LANES_AUTO, x, y, (knk_reduction)how);
        reduction("all", 1, N, 0, 1, KNK_LANES_AUTO, x, y, (knk_reduction)how);
        reduction("short rows", 100000, 10, 10, 1, KNK_LANES_AUTO, x, y, (knk_reduction)how);
        reduction("short rows, by rows", 100000, 10, 10, 1, KNK_LANES_ROW, x, y, (knk_reduction)how);
        reduction("short columns", 100000, 10, 1, 100000, KNK_LANES_AUTO, x, y, (knk_reduction)how);
    }
    free(x);
    free(y);
    return 0;
}
