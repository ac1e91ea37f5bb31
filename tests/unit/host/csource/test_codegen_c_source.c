/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_c_source.c -- stage functions from C source against the interpreter, bit for bit: every operation and
 * cast of every dtype, reductions in every mode, loads of every kind, stages, cold selects. Each test compiles one unit,
 * once for the instructions of this machine and, some, once for none in particular. KILN_TEST_LONG=1: more dtypes and
 * strides; what takes the time is the compiler. */
#include "kernel/internal.h"
#include "support/c_maker.h"
#include "support/group.h"
#include "support/kernel_case.h"
#include "support/scratch.h"
#include "support/stage_driver.h"
#include "support/stages.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t dtypes[] = {KN_ID_BOOL, KN_ID_I8,  KN_ID_I16, KN_ID_I32, KN_ID_I64, KN_ID_U8,  KN_ID_U16,
                                 KN_ID_U32,  KN_ID_U64, KN_ID_F32, KN_ID_F64, KN_ID_F16, KN_ID_BF16};
enum { DTYPES = sizeof dtypes, ARITHMETIC = DTYPES - 2, MOST_RUNS = 8192 };

/* A test gathers runs first: a case and a style each. */
typedef struct a_run {
    kernel_case c;
    stages_style style;
} a_run;
static a_run *runs;
static int n_runs;

static bool thorough(void) { return getenv("KILN_TEST_LONG") != NULL; }

static void take(knk_kernel *k, const int64_t *par, const int64_t *inner, stages_style style)
{
    if (!runs)
        runs = test_malloc(MOST_RUNS * sizeof *runs);
    assert_true(n_runs < MOST_RUNS);
    knx_error *e = kernel_case_dense(knk_retain(k), par, inner, &runs[n_runs].c);
    assert_null(e);
    runs[n_runs++].style = style;
}

static knk_kernel *finish(knk_builder *b)
{
    knk_kernel *k = NULL;
    knx_error *e = knk_finish(b, &k);
    if (e)
        fail_msg("%s", e->message);
    return k;
}

/* The functions of all runs, by what tells requests apart. */
typedef struct known {
    knh_request r;
    uint8_t cls[KNH_MAX_STREAMS];
    int streams, number;
} known;
typedef struct gathering {
    c_unit *unit;
    known *at;
    int n;
    bool collects;
} gathering;

static knh_function *get(void *env, const knh_request *r)
{
    gathering *g = env;
    knh_stream stream[KNH_MAX_STREAMS];
    int n = knh_streams(r->kernel, r->stage, r->mode, stream), i = 0;
    assert_true(n >= 0);
    while (i < g->n && (g->at[i].r.kernel != r->kernel || g->at[i].r.stage != r->stage || g->at[i].r.mode != r->mode ||
                        memcmp(g->at[i].cls, r->cls, (size_t)n)))
        i++;
    if (i == g->n) {
        assert_true(g->collects && i < 2048);
        g->at[i] = (known){.r = *r, .streams = n, .number = c_unit_add(g->unit, r)};
        memcpy(g->at[i].cls, r->cls, (size_t)n);
        g->n++;
    }
    return g->collects ? NULL : c_unit_get(g->unit, g->at[i].number);
}

static void compare(a_run *q, gathering *g, uint64_t seed)
{
    kernel_data *want = kernel_data_new(&q->c, seed);
    assert_non_null(want);
    kernel_data *got = kernel_data_copy(&q->c, want);
    void *scratch = knx_buffer_new(interpreter_scratch(q->c.k) + 64);
    assert_true(got && scratch);
    knk_launch l = q->c.l;
    l.buffer = want->base;
    knk_interpret(q->c.k, &l, ((knx_buffer *)scratch)->data);
    l.buffer = got->base;
    assert_true(stages_run(q->c.k, &l, &q->style, get, g));
    char where[160];
    int64_t words = 0;
    if (kernel_data_differences(&q->c, got, want, &words, where, sizeof where)) {
        char *text = NULL;
        knk_text(q->c.k, &text);
        fail_msg("mode %d, extent %d: C and interpreter: %s\n%s", q->style.mode,
                 q->c.k->n_par ? (int)q->c.l.par[q->c.k->n_par - 1] : 0, where, text);
    }
    knx_buffer_release(scratch);
    kernel_data_free(want);
    kernel_data_free(got);
}

static void run_all(bool plain_too)
{
    static const char *const flags[] = {C_MAKER_QUICK, C_MAKER_PLAIN};
    if (!c_maker_works()) {
        print_message("no compiler here: nothing was compared\n");
        skip();
    }
    for (int f = 0; f < 1 + plain_too; f++) {
        gathering g = {.unit = c_unit_new(flags[f]), .at = test_malloc(2048 * sizeof(known)), .collects = true};
        for (int i = 0; i < n_runs; i++) {
            knk_launch l = runs[i].c.l;
            l.buffer = (void *const *)&l; /* not touched */
            assert_true(stages_run(runs[i].c.k, &l, &runs[i].style, get, &g));
        }
        assert_true(c_unit_compile(g.unit));
        g.collects = false;
        for (int i = 0; i < n_runs; i++)
            compare(&runs[i], &g, (uint64_t)i);
        c_unit_free(g.unit);
        test_free(g.at);
    }
    for (int i = 0; i < n_runs; i++)
        kernel_case_free(&runs[i].c);
    n_runs = 0;
    test_free(runs);
    runs = NULL;
}

static const uint8_t one_one[] = {KNK_STRIDE_ONE, KNK_STRIDE_ONE}, any_one[] = {KNK_STRIDE_ANY, KNK_STRIDE_ONE},
                     one_any[] = {KNK_STRIDE_ONE, KNK_STRIDE_ANY}, any_any[] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY},
                     zero_one[] = {KNK_STRIDE_ZERO, KNK_STRIDE_ONE}, one_zero[] = {KNK_STRIDE_ONE, KNK_STRIDE_ZERO};

static void store_new(knk_builder *b, int map, knk_node x)
{
    knk_store(b, knk_add_buffer(b, knk_dtype(b, x), true), map, x);
}

static knk_node load_new(knk_builder *b, int map, knx_dtype_id d)
{
    return knk_load(b, knk_add_buffer(b, d, false), map, KNK_NONE, KNK_NONE, KNK_NONE);
}

/* Operands inside of what the operation is defined for. */
static knk_node operation(knk_builder *b, knk_op op, knx_dtype_id d, const knk_node *x, knk_node pred)
{
    if (op == KNK_SCALB) {
        knk_node one = knk_const_double(b, d, 1), m = knk_unary(b, KNK_ABS, x[0]),
                 fits = knk_binary(b, KNK_AND, knk_binary(b, KNK_LE, knk_const_double(b, d, 0.5), m),
                                   knk_binary(b, KNK_LE, m, knk_const_double(b, d, 2)));
        knk_node n = knk_unary(b, KNK_RINT, knk_binary(b, KNK_MUL, x[1], knk_const_double(b, d, 37)));
        n = knk_binary(b, KNK_MAX, n, knk_const_double(b, d, -2200));
        n = knk_binary(b, KNK_MIN, n, knk_const_double(b, d, 2200));
        return knk_binary(b, op, knk_select(b, fits, x[0], one), n);
    }
    if (op == KNK_SELECT)
        return knk_select(b, pred, x[0], x[1]);
    switch (knk_op_table[op].n_operands) {
    case 1: return knk_unary(b, op, x[0]);
    case 2: return knk_binary(b, op, x[0], x[1]);
    default: return knk_ternary(b, op, x[0], x[1], x[2]);
    }
}

static bool is_legal(knk_op op, int d)
{
    knk_inst n[4] = {{.dtype = (uint8_t)d},
                     {.dtype = (uint8_t)d},
                     {.dtype = (uint8_t)d},
                     {.op = (uint8_t)op, .a = 0, .b = 1, .c = 2}};
    if (op == KNK_CONST || op == KNK_INDEX || op == KNK_LOAD || op == KNK_STORE || op == KNK_REDUCE || op == KNK_CAST ||
        op == KNK_BITCAST)
        return false;
    if (op == KNK_SELECT)
        n[0].dtype = KN_ID_BOOL;
    n[3].dtype = knk_op_table[op].result == 'B' ? KN_ID_BOOL : (uint8_t)d;
    return !knk_form_error(&n[3], n);
}

/* All operations of a dtype in one kernel. */
static knk_kernel *all_operations(int d)
{
    knk_builder *b = knk_new(2);
    knk_begin_stage(b, 0);
    int map = knk_add_map(b, any_one);
    knx_dtype_id id = (knx_dtype_id)d;
    knk_node x[3] = {load_new(b, map, id), load_new(b, map, id), load_new(b, map, id)},
             pred = load_new(b, map, KN_ID_BOOL);
    for (int op = 0; op < KNK_LOOP; op++)
        if (is_legal((knk_op)op, d))
            store_new(b, map, operation(b, (knk_op)op, id, x, pred));
    return finish(b);
}

static void every_operation(void **state)
{
    (void)state;
    for (int i = 0; i < ARITHMETIC; i++) {
        knk_kernel *k = all_operations(dtypes[i]);
        for (int64_t n = 0; n <= 40; n += 5)
            take(k, (int64_t[]){2, n}, NULL, (stages_style){.mode = KNH_POINTS});
        take(k, (int64_t[]){3, 2003}, NULL, (stages_style){.mode = KNH_POINTS});
        knk_release(k);
    }
    run_all(true);
}

/* Division and shifts of integers by constants have text of their own. */
static void constant_operands(void **state)
{
    (void)state;
    static const int64_t constant[] = {0, 3, -1, 7, 200};
    static const knk_op ops[] = {KNK_DIV, KNK_REM, KNK_SHL, KNK_SHR, KNK_SAR};
    for (int i = 1; i < 9; i++) {
        knx_dtype_id d = (knx_dtype_id)dtypes[i];
        knk_builder *b = knk_new(2);
        knk_begin_stage(b, 0);
        int map = knk_add_map(b, any_one);
        knk_node x = load_new(b, map, d);
        for (int j = 0; j < 25; j++)
            store_new(b, map, knk_binary(b, ops[j % 5], x, knk_const_int(b, d, constant[j / 5])));
        knk_kernel *k = finish(b);
        take(k, (int64_t[]){3, 203}, NULL, (stages_style){.mode = KNH_POINTS});
        if (thorough())
            take(k, (int64_t[]){3, 45}, NULL, (stages_style){.mode = KNH_POINTS, .any = true});
        knk_release(k);
    }
    run_all(false);
}

static void every_cast(void **state)
{
    (void)state;
    for (int i = 0; i < DTYPES; i++)
        for (int wide = 0; wide < 2; wide++) { /* 8 and 16 lanes */
            knk_builder *b = knk_new(2);
            knk_begin_stage(b, 0);
            int map = knk_add_map(b, any_one);
            knk_node x = load_new(b, map, (knx_dtype_id)dtypes[i]);
            if (!wide && knk_size(dtypes[i]) == 8) {
                knk_delete(b);
                continue;
            }
            for (int j = 0; j < DTYPES; j++) {
                if (!wide && knk_size(dtypes[j]) == 8)
                    continue;
                store_new(b, map, knk_cast(b, (knx_dtype_id)dtypes[j], x));
                if (knk_size(dtypes[i]) == knk_size(dtypes[j]) &&
                    (dtypes[i] == KN_ID_BOOL) == (dtypes[j] == KN_ID_BOOL))
                    store_new(b, map, knk_bitcast(b, (knx_dtype_id)dtypes[j], x));
            }
            knk_kernel *k = finish(b);
            take(k, (int64_t[]){2, 5000}, NULL, (stages_style){.mode = KNH_POINTS});
            if (thorough()) /* loads and stores like that: every_load */
                take(k, (int64_t[]){2, 43}, NULL, (stages_style){.mode = KNH_POINTS, .any = true});
            knk_release(k);
        }
    run_all(true);
}

/* Every reduction of a dtype over one inner loop, and a map of the elements beside it: 8 or 16 lanes. */
static knk_kernel *all_reductions(int d, const uint8_t *cls, bool eight)
{
    knk_builder *b = knk_new(1);
    knk_node reduced[8], n = 0;
    knk_begin_stage(b, 1);
    int map = knk_add_map(b, cls);
    knk_node x = load_new(b, map, (knx_dtype_id)d);
    for (int how = 0; how < 7; how++)
        if (how < KNK_RED_AND || !knk_is_float_id(d))
            reduced[n++] = knk_reduce(b, (knk_reduction)how, x);
    if (eight)
        reduced[n++] = knk_reduce(b, KNK_RED_ADD, knk_binary(b, KNK_MUL, knk_index(b, map), knk_cast(b, KN_ID_I64, x)));
    knk_begin_stage(b, 0);
    const uint8_t one = KNK_STRIDE_ONE;
    map = knk_add_map(b, &one);
    for (int i = 0; i < n; i++)
        store_new(b, map, reduced[i]);
    return finish(b);
}

static void every_reduction(void **state)
{
    (void)state;
    static const int64_t length[] = {0, 1, 3, 15, 16, 17, 63, 64, 65, 127, 200, 1000};
    static const knh_mode modes[] = {KNH_ROWS, KNH_RUNS, KNH_COLUMNS};
    for (int i = 0; i < ARITHMETIC; i++)
        for (int eight = 0; eight < (dtypes[i] == KN_ID_I8 || dtypes[i] == KN_ID_F32 ? 2 : 1); eight++) {
            knk_kernel *rows = all_reductions(dtypes[i], any_one, eight),
                       *columns = all_reductions(dtypes[i], one_any, eight);
            for (int m = 0; m < 3; m++)
                for (size_t l = 0; l < sizeof length / sizeof *length; l++) {
                    stages_style style = {.mode = modes[m], .run = l % 2 ? 0 : 1 + (int64_t)l * 7};
                    take(m == 2 ? columns : rows, (int64_t[]){m == 2 ? 21 : 3}, &length[l], style);
                }
            take(rows, (int64_t[]){1}, (int64_t[]){33000}, (stages_style){.mode = KNH_RUNS, .run = 1501});
            take(columns, (int64_t[]){3}, (int64_t[]){17000}, (stages_style){.mode = KNH_COLUMNS});
            if (thorough() || dtypes[i] == KN_ID_F32 || dtypes[i] == KN_ID_I8)
                take(columns, (int64_t[]){3}, (int64_t[]){77}, (stages_style){.mode = KNH_ROWS}); /* with a stride */
            knk_release(rows);
            knk_release(columns);
        }
    run_all(false);
}

/* Loads under a predicate, with an index, of one element for all lanes, with strides, and stores like that. */
static knk_kernel *loads(int d)
{
    static const uint8_t *const cls[] = {any_one, one_any, any_any, zero_one, one_zero};
    knk_builder *b = knk_new(2);
    knx_dtype_id id = (knx_dtype_id)d;
    knk_begin_stage(b, 0);
    int dense = knk_add_map(b, any_one);
    knk_node at = knk_cast(b, KN_ID_I64, load_new(b, dense, KN_ID_U8)), pred = load_new(b, dense, KN_ID_BOOL);
    for (size_t i = 0; i < sizeof cls / sizeof *cls; i++) {
        int map = knk_add_map(b, cls[i]), buffer = knk_add_buffer(b, id, false);
        knk_node plain = knk_load(b, buffer, map, KNK_NONE, KNK_NONE, KNK_NONE);
        store_new(b, dense, plain);
        store_new(b, dense, knk_load(b, buffer, map, KNK_NONE, pred, KNK_NONE));
        store_new(b, dense, knk_load(b, buffer, map, KNK_NONE, pred, plain));
        store_new(b, dense, knk_load(b, buffer, map, at, KNK_NONE, KNK_NONE));
        store_new(b, dense, knk_load(b, buffer, map, at, pred, plain));
        store_new(b, dense, knk_load(b, buffer, map, at, pred, KNK_NONE));
        store_new(b, dense, knk_load(b, buffer, map, knk_const_int(b, KN_ID_I64, 3), pred, plain));
        store_new(b, dense, knk_index(b, map));
        if (i < 3)
            store_new(b, map, plain);
    }
    return finish(b);
}

/* Without an index: 16 lanes. */
static knk_kernel *masked_loads(int d)
{
    static const uint8_t *const cls[] = {any_one, one_any, any_any, zero_one, one_zero};
    knk_builder *b = knk_new(2);
    knk_begin_stage(b, 0);
    int dense = knk_add_map(b, any_one);
    knk_node pred = load_new(b, dense, KN_ID_BOOL);
    for (size_t i = 0; i < sizeof cls / sizeof *cls; i++) {
        int map = knk_add_map(b, cls[i]), buffer = knk_add_buffer(b, (knx_dtype_id)d, false);
        knk_node other = load_new(b, map, (knx_dtype_id)d);
        store_new(b, dense, other);
        store_new(b, dense, knk_load(b, buffer, map, KNK_NONE, pred, KNK_NONE));
        store_new(b, dense, knk_load(b, buffer, map, KNK_NONE, pred, other));
    }
    return finish(b);
}

static void take_loads(int d)
{
    knk_kernel *k[2] = {loads(d), masked_loads(d)};
    for (int j = 0; j < 2; j++) {
        for (int64_t n = 1; n < 50; n += 7)
            take(k[j], (int64_t[]){3, n}, NULL, (stages_style){.mode = KNH_POINTS});
        take(k[j], (int64_t[]){19, 18}, NULL, (stages_style){.mode = KNH_POINTS, .lane = 1});
        take(k[j], (int64_t[]){2, 37}, NULL, (stages_style){.mode = KNH_POINTS, .any = true});
        knk_release(k[j]);
    }
}

static void every_load(void **state)
{
    (void)state;
    take_loads(KN_ID_F64);
    if (thorough()) {
        take_loads(KN_ID_BOOL);
        take_loads(KN_ID_F16);
    }
    take_loads(KN_ID_I8);
    run_all(false);
    take_loads(KN_ID_F32);
    run_all(true);
}

/* A softmax: a maximum, a sum of exponentials, a division, and values of points on the way. */
static knk_kernel *softmax(knx_dtype_id d)
{
    static const uint8_t one = KNK_STRIDE_ONE;
    knk_builder *b = knk_new(1);
    knk_begin_stage(b, 1);
    int x = knk_add_buffer(b, d, false), y = knk_add_buffer(b, d, true);
    knk_node top = knk_reduce(b, KNK_RED_MAX, knk_load(b, x, knk_add_map(b, any_one), KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(b, 1);
    knk_node e =
        knk_exp(b, knk_binary(b, KNK_SUB, knk_load(b, x, knk_add_map(b, any_one), KNK_NONE, KNK_NONE, KNK_NONE), top));
    knk_node sum = knk_reduce(b, KNK_RED_ADD, e);
    knk_begin_stage(b, 0);
    int point = knk_add_map(b, &one);
    knk_node inverse = knk_binary(b, KNK_DIV, knk_const_double(b, d, 1), sum),
             bits = knk_bitcast(b, d == KN_ID_F32 ? KN_ID_I32 : KN_ID_I64, sum);
    store_new(b, point, bits);
    knk_begin_stage(b, 1);
    int map = knk_add_map(b, any_one);
    e = knk_exp(b, knk_binary(b, KNK_SUB, knk_load(b, x, map, KNK_NONE, KNK_NONE, KNK_NONE), top));
    knk_store(b, y, map, knk_binary(b, KNK_MUL, e, inverse));
    return finish(b);
}

static void stages_of_a_softmax(void **state)
{
    (void)state;
    static const int64_t length[] = {1, 10, 64, 100, 300};
    for (int d = 0; d < 1 + thorough(); d++) {
        knk_kernel *k = softmax(d ? KN_ID_F64 : KN_ID_F32);
        for (size_t l = 0; l < sizeof length / sizeof *length; l++)
            for (int m = 0; m < 3; m++)
                take(k, (int64_t[]){7}, (int64_t[]){length[l], length[l], length[l]},
                     (stages_style){.mode = (knh_mode[]){KNH_ROWS, KNH_RUNS, KNH_COLUMNS}[m], .run = 13});
        knk_release(k);
    }
    run_all(true);
}

/* Functions with cold selects, also inside of each other and on values that all lanes share. */
static void functions_with_cold_paths(void **state)
{
    (void)state;
    static knk_node (*const f[])(knk_builder *, knk_node) = {knk_sin,  knk_cos,    knk_exp,  knk_log,
                                                             knk_tanh, knk_lgamma, knk_cbrt, knk_erf};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
            knk_builder *b = knk_new(2);
            knk_begin_stage(b, 0);
            int map = knk_add_map(b, any_one), shared = knk_add_map(b, one_zero);
            knk_node x = load_new(b, map, d ? KN_ID_F64 : KN_ID_F32),
                     y = load_new(b, shared, d ? KN_ID_F64 : KN_ID_F32);
            store_new(b, map, knk_binary(b, KNK_ADD, f[i](b, x), f[i](b, y)));
            store_new(b, map, f[i](b, knk_binary(b, KNK_MUL, f[i](b, x), knk_const_double(b, knk_dtype(b, x), 1e6))));
            knk_kernel *k = finish(b);
            take(k, (int64_t[]){5, 203}, NULL, (stages_style){.mode = KNH_POINTS});
            if (thorough() || i % 4 == 0)
                take(k, (int64_t[]){5, 3}, NULL, (stages_style){.mode = KNH_POINTS, .lane = 1});
            knk_release(k);
        }
    run_all(false);
}

/* Random kernels with loops: functions in the order in which scenes ask for them, first to be made, then to be run. */
typedef struct in_order {
    c_unit *unit;
    int number[512], n, at;
    bool collects;
} in_order;

static void nothing(knh_args *args) { (void)args; }

static knh_function *next_function(void *env, const knh_request *r)
{
    in_order *o = env;
    if (!o->collects)
        return c_unit_get(o->unit, o->number[o->at++]);
    assert_true(o->n < 512);
    o->number[o->n++] = c_unit_add(o->unit, r);
    return nothing;
}

static scene_way way_of(int seed)
{
    return (scene_way){.mode = KNH_POINTS, .any = seed % 3 == 0, .swap = seed % 4 == 0};
}

static void run_random_loops(int first, int n, const char *flags)
{
    scene *s = test_malloc((size_t)n * sizeof *s);
    in_order o = {.unit = c_unit_new(flags), .collects = true};
    for (int i = 0; i < n; i++) {
        scene_way way = way_of(i);
        scene_random_loops(&s[i], (uint64_t)(first + i));
        assert_true(scene_run(&s[i], s[i].buffer, &way, next_function, &o));
    }
    assert_true(c_unit_compile(o.unit));
    o.collects = false;
    for (int i = 0; i < n; i++) {
        char what[40];
        scene_way way = way_of(i);
        snprintf(what, sizeof what, "C, seed %d", first + i);
        assert_true(scene_check(&s[i], &way, next_function, &o, what));
        scene_free(&s[i]);
    }
    c_unit_free(o.unit);
    test_free(s);
}

static void random_loops(void **state)
{
    (void)state;
    const char *count = getenv("KN_TEST_COUNT");
    int n = count ? atoi(count) : thorough() ? 120 : 24;
    if (!c_maker_works())
        skip();
    run_random_loops(100, n, C_MAKER_QUICK);
    run_random_loops(500, n / 2, C_MAKER_PLAIN);
}

static void same_request_same_text(void **state)
{
    (void)state;
    knk_kernel *k = softmax(KN_ID_F32);
    uint8_t cls[KNH_MAX_STREAMS];
    memset(cls, KNK_STRIDE_ONE, sizeof cls);
    knh_request r = {.kernel = k, .stage = 1, .mode = KNH_ROWS, .cls = cls};
    knh_stream s[KNH_MAX_STREAMS];
    int n = knh_streams(k, 1, KNH_ROWS, s);
    cls[knh_stream_of(s, n, KNH_IMPORT, -1, -1, s[n - 2].node)] = KNK_STRIDE_ZERO;
    char *a = NULL, *b = NULL;
    assert_null(knh_c_source(&r, "f", &a));
    assert_null(knh_c_source(&r, "f", &b));
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "void f(struct knh_args *args)"));
    knx_free(a);
    knx_free(b);
    knk_release(k);
}

static void without_memory_it_is_an_error(void **state)
{
    (void)state;
    knk_kernel *k = softmax(KN_ID_F32);
    uint8_t cls[KNH_MAX_STREAMS];
    memset(cls, KNK_STRIDE_ONE, sizeof cls);
    knh_request r = {.kernel = k, .stage = 3, .mode = KNH_POINTS, .cls = cls};
    int failures = 0;
    for (;; failures++) {
        char *text = NULL;
        int64_t live = knx_alloc_live();
        knx_fail_after(failures, true);
        knx_error *e = knh_c_source(&r, "f", &text);
        knx_fail_after(-1, false);
        if (!e) {
            knx_free(text);
            break;
        }
        assert_int_equal(e->kind, KN_ERROR_MEMORY);
        assert_null(text);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
    assert_true(failures > 10);
    knk_release(k);
}

KN_TEST_GROUP(test_codegen_c_source)
{
    (void)one_one;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),
        cmocka_unit_test(constant_operands),
        cmocka_unit_test(every_cast),
        cmocka_unit_test(every_reduction),
        cmocka_unit_test(every_load),
        cmocka_unit_test(stages_of_a_softmax),
        cmocka_unit_test(functions_with_cold_paths),
        cmocka_unit_test(random_loops),
        cmocka_unit_test(same_request_same_text),
        cmocka_unit_test(without_memory_it_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
