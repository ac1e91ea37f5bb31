/* SPDX-License-Identifier: Apache-2.0
 * time.c -- how long a launch takes with stage functions in machine code, and with the same ones from C source through
 * the compiler with optimisation, on one thread: the least of many turns, taken in turn. */
#include "base/memory.h"
#include "kernel/internal.h"
#include "support/c_maker.h"
#include "tools/kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAT = 1 << 16, ROWS = 64, COLUMNS = 1024, TURNS = 25 };
static const uint8_t one = KNK_STRIDE_ONE, zero = KNK_STRIDE_ZERO, by_rows[] = {KNK_STRIDE_ANY, KNK_STRIDE_ONE},
                     by_columns[] = {KNK_STRIDE_ONE, KNK_STRIDE_ANY};

static knk_node load(knk_builder *b, int map, knx_dtype_id d)
{
    return knk_load(b, knk_add_buffer(b, d, false), map, KNK_NONE, KNK_NONE, KNK_NONE);
}

static void store(knk_builder *b, int map, knk_node x)
{
    knk_store(b, knk_add_buffer(b, knk_dtype(b, x), true), map, x);
}

static knk_node number(knk_builder *b, knk_node like, double v) { return knk_const_double(b, knk_dtype(b, like), v); }

/* One value of the class per point. */
static knk_node poly10(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = load(b, map, d), y = number(b, x, 0.1);
    for (int i = 0; i < 10; i++)
        y = knk_binary(b, KNK_ADD, knk_binary(b, KNK_MUL, y, x), number(b, x, 0.1 * i - 0.37));
    return y;
}
static knk_node sin_exp(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = load(b, map, d);
    return knk_binary(b, KNK_MUL, knk_sin(b, x), knk_exp(b, x));
}
static knk_node tanh_of(knk_builder *b, int map, knx_dtype_id d) { return knk_tanh(b, load(b, map, d)); }
static knk_node from_u8(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = knk_cast(b, d, load(b, map, KN_ID_U8));
    return knk_binary(b, KNK_MUL, knk_binary(b, KNK_SUB, x, number(b, x, 127.5)), number(b, x, 1 / 127.5));
}
static knk_node to_i8(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = load(b, map, d);
    x = knk_binary(b, KNK_MAX, knk_binary(b, KNK_MIN, knk_unary(b, KNK_RINT, x), number(b, x, 127)),
                   number(b, x, -128));
    return knk_cast(b, KN_ID_I8, x);
}
static knk_node taken(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node at = knk_cast(b, KN_ID_I64, load(b, map, KN_ID_I32));
    return knk_load(b, knk_add_buffer(b, d, false), knk_add_map(b, &zero), at, KNK_NONE, KNK_NONE);
}
static knk_node where(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = load(b, map, d), y = load(b, map, d), c = load(b, map, KN_ID_BOOL);
    c = knk_binary(b, KNK_AND, c, knk_binary(b, KNK_LT, x, y));
    return knk_select(b, c, knk_binary(b, KNK_MUL, x, y), knk_binary(b, KNK_ADD, x, y));
}
static knk_node compared(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = load(b, map, d), y = load(b, map, d);
    return knk_binary(b, KNK_OR, knk_binary(b, KNK_LT, x, y), knk_binary(b, KNK_EQ, x, number(b, x, 0)));
}
static knk_node halves(knk_builder *b, int map, knx_dtype_id d)
{
    knk_node x = knk_cast(b, KN_ID_F32, load(b, map, d)), y = knk_cast(b, KN_ID_F32, load(b, map, d));
    return knk_cast(b, d, knk_binary(b, KNK_ADD, x, y));
}

typedef struct kernel_class {
    const char *name;
    knk_node (*point)(knk_builder *b, int map, knx_dtype_id d);
    uint8_t dtype;
    int8_t how;         /* a reduction of it, -1: none */
    const uint8_t *cls; /* of the reduction's elements */
} kernel_class;

static knk_node plain(knk_builder *b, int map, knx_dtype_id d) { return load(b, map, d); }

static const kernel_class classes[] = {
    {"poly10 f32", poly10, KN_ID_F32, -1, NULL},
    {"poly10 f64", poly10, KN_ID_F64, -1, NULL},
    {"sin*exp f32", sin_exp, KN_ID_F32, -1, NULL},
    {"sin*exp f64", sin_exp, KN_ID_F64, -1, NULL},
    {"tanh f32", tanh_of, KN_ID_F32, -1, NULL},
    {"u8 to f32", from_u8, KN_ID_F32, -1, NULL},
    {"f32 to i8", to_i8, KN_ID_F32, -1, NULL},
    {"bf16 add", halves, KN_ID_BF16, -1, NULL},
    {"f16 add", halves, KN_ID_F16, -1, NULL},
    {"take f32", taken, KN_ID_F32, -1, NULL},
    {"take f64", taken, KN_ID_F64, -1, NULL},
    {"where f32", where, KN_ID_F32, -1, NULL},
    {"compare f32", compared, KN_ID_F32, -1, NULL},
    {"row sum f32", plain, KN_ID_F32, KNK_RED_ADD, by_rows},
    {"row sum f64", plain, KN_ID_F64, KNK_RED_ADD, by_rows},
    {"row max f32", plain, KN_ID_F32, KNK_RED_MAX, by_rows},
    {"row sum of poly10", poly10, KN_ID_F32, KNK_RED_ADD, by_rows},
    {"column sum f32", plain, KN_ID_F32, KNK_RED_ADD, by_columns},
    {"column max f32", plain, KN_ID_F32, KNK_RED_MAX, by_columns},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static knk_kernel *build(const kernel_class *c)
{
    knk_kernel *k = NULL;
    knk_builder *b = knk_new(1);
    knx_dtype_id d = (knx_dtype_id)c->dtype;
    knk_begin_stage(b, c->how >= 0);
    int map = knk_add_map(b, c->how >= 0 ? c->cls : &one);
    knk_node x = c->point(b, map, d);
    if (c->how >= 0) {
        x = knk_reduce(b, (knk_reduction)c->how, x);
        knk_begin_stage(b, 0);
        map = knk_add_map(b, &one);
    }
    store(b, map, x);
    knx_error *e = knk_finish(b, &k);
    if (e)
        fprintf(stderr, "%s: %s\n", c->name, e->message);
    knx_error_release(e);
    return k;
}

static knk_kernel *build_softmax(void)
{
    knk_kernel *k = NULL;
    knk_builder *b = knk_new(1);
    knk_begin_stage(b, 1);
    int x = knk_add_buffer(b, KN_ID_F32, false), y = knk_add_buffer(b, KN_ID_F32, true), map = knk_add_map(b, by_rows);
    knk_node top = knk_reduce(b, KNK_RED_MAX, knk_load(b, x, map, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(b, 1);
    map = knk_add_map(b, by_rows);
    knk_node e = knk_exp(b, knk_binary(b, KNK_SUB, knk_load(b, x, map, KNK_NONE, KNK_NONE, KNK_NONE), top));
    knk_store(b, y, map, e);
    knk_node sum = knk_reduce(b, KNK_RED_ADD, e);
    knk_begin_stage(b, 1);
    map = knk_add_map(b, by_rows);
    knk_store(b, y, map, knk_binary(b, KNK_DIV, knk_load(b, y, map, KNK_NONE, KNK_NONE, KNK_NONE), sum));
    knx_error_release(knk_finish(b, &k));
    return k;
}

/* Seconds of one launch. */
static double one_turn(const knh_generator *g, const kernel_case *c, const kernel_data *d, void *scratch, int launches)
{
    knk_launch l = c->l;
    l.buffer = d->base;
    double start = tool_seconds();
    for (int i = 0; i < launches; i++)
        knh_run_on(g, c->k, &l, scratch, 1);
    return (tool_seconds() - start) / launches;
}

static void plain_data(kernel_case *c, kernel_data *d) /* no special values: the usual case is what is timed */
{
    for (int b = 0; b < c->k->n_buffer; b++) {
        if (c->index[b] || c->alias[b] != b)
            continue;
        int dtype = c->k->buffer[b].dtype;
        for (int64_t i = c->low[b]; i < c->high[b]; i++)
            if (dtype == KN_ID_F32)
                ((float *)d->base[b])[i] = (float)((i * 7919) % 2003) * 0.002f - 2;
            else if (dtype == KN_ID_F64)
                ((double *)d->base[b])[i] = (double)((i * 7919) % 2003) * 0.002 - 2;
    }
}

static void time_case(const char *name, kernel_case *c)
{
    const knh_generator *const by[] = {knh_generator_named("avx512"), knh_generator_named("avx2"),
                                       c_maker(C_MAKER_FAST)};
    double least[3] = {1e9, 1e9, 1e9};
    kernel_data *d = kernel_data_new(c, 1);
    knx_buffer *scratch = tool_scratch(c->k, 1);
    if (!d)
        return;
    plain_data(c, d);
    for (int b = 0; b < 3; b++)
        if (by[b] && knh_generator_works(by[b]))
            one_turn(by[b], c, d, scratch->data, 1);
    for (int i = 0; i < TURNS; i++)
        for (int b = 0; b < 3; b++) {
            if (!by[b] || !knh_generator_works(by[b]))
                continue;
            double t = one_turn(by[b], c, d, scratch->data, 1 + (int)(2e-4 / least[b] < 200 ? 2e-4 / least[b] : 200));
            least[b] = t < least[b] ? t : least[b];
        }
    printf("%-28s", name);
    for (int b = 0; b < 3; b++)
        if (least[b] < 1e8)
            printf(" %10.0f", 1e9 * least[b]);
        else
            printf(" %10s", "-");
    printf(" %8.2f %8.2f\n", least[2] / least[0], least[2] / least[1]);
    fflush(stdout);
    kernel_data_free(d);
    knx_buffer_release(scratch);
}

static void time_kernel(const char *name, knk_kernel *k, int64_t par, int64_t inner)
{
    kernel_case c;
    const int64_t inners[] = {inner, inner, inner};
    knx_error *e = k ? kernel_case_dense(k, &par, inners, &c) : NULL;
    if (k && !e) {
        time_case(name, &c);
        kernel_case_free(&c);
    }
    knx_error_release(e);
}

int tool_time(int n, char **path)
{
    printf("%-28s %10s %10s %10s %8s %8s\n", "ns per launch", "avx512", "avx2", "C", "C/avx512", "C/avx2");
    for (int i = 0; i < n; i++) {
        kernel_case c;
        char *text = tool_read(path[i]);
        knx_error *e = text ? kernel_case_parse(text, &c) : NULL;
        const char *base = strrchr(path[i], '/');
        if (text && !e) {
            time_case(base ? base + 1 : path[i], &c);
            kernel_case_free(&c);
        }
        knx_error_release(e);
        free(text);
    }
    for (int i = 0; i < CLASSES && !n; i++) {
        bool columns = classes[i].cls == by_columns, rows = classes[i].how >= 0 && !columns;
        time_kernel(classes[i].name, build(&classes[i]),
                    rows      ? ROWS
                    : columns ? COLUMNS
                              : FLAT,
                    columns ? ROWS : COLUMNS);
    }
    if (!n)
        time_kernel("softmax f32", build_softmax(), ROWS, COLUMNS);
    return 0;
}
