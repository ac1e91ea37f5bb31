/* SPDX-License-Identifier: Apache-2.0
 * test_wgsl_device.c -- random kernels, and reductions of all lengths that the order of joins tells apart, on a WebGPU
 * device, in every way in which points can be shared out: bit for bit beside the interpreter. KN_TEST_COUNT: how many
 * random kernels; a number on the command line: that one. */
#include "kernel/internal.h"
#include "support/group.h"
#include "support/wgsl_device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kng_gpu *g;
static int only, n_run, n_wrong, n_refused;

static bool has_rows(const knk_kernel *k)
{
    for (int s = 0; s < k->n_stage; s++)
        if (k->stage[s].n_inner)
            return true;
    return false;
}

/* In all ways; of a device that stops long loops only those that it finishes. */
static void check(const wgsl_case *c, const knw_facts *facts, const char *what)
{
    const uint32_t most = g->limits.maxStorageBuffersPerShaderStage;
    if (c->n_memory + 1 > (int)(most < KNG_SLOTS ? most : KNG_SLOTS)) {
        n_refused++;
        return;
    }
    for (int mode = KNW_POINTS; mode <= KNW_COLUMNS; mode++) {
        if (mode != KNW_POINTS && !has_rows(c->k))
            continue;
        if (!knw_fits(c->k, facts, &c->l, (knw_mode)mode))
            continue;
        n_run++;
        n_wrong += !wgsl_device_check(g, facts, c, (knw_mode)mode, what);
    }
}

static void finish(const char *what)
{
    print_message("%s: %d runs, %d wrong, %d refused\n", what, n_run, n_wrong, n_refused);
    int run = n_run, wrong = n_wrong;
    n_run = n_wrong = n_refused = 0;
    assert_true(run > 0 || only);
    assert_int_equal(wrong, 0);
}

/* ---- random kernels ---- */

static void random_kernels(void (*make)(scene *, uint64_t), const char *name, int n)
{
    knw_facts facts = g->facts;
    facts.most_turns = 0; /* these loops are short */
    for (int seed = only ? only : 1; seed <= (only ? only : n); seed++) {
        scene s;
        wgsl_case c;
        char what[60];
        facts.most_groups = seed % 3 ? g->facts.most_groups : 2; /* then grids are cut into rows */
        make(&s, (uint64_t)seed);
        snprintf(what, sizeof what, "%s %d", name, seed);
        if (knw_refuses(s.k)) {
            n_refused++;
        } else {
            wgsl_case_of_scene(&s, seed % 2 == 0, &c);
            check(&c, &facts, what);
            wgsl_case_free(&c);
        }
        scene_free(&s);
    }
    finish(name);
}

static int count(void)
{
    const char *text = getenv("KN_TEST_COUNT");
    return text ? atoi(text) : 150 / webgpu_every();
}

static void random_stages(void **state)
{
    (void)state;
    random_kernels(scene_random, "random stages", count());
}

static void random_loops(void **state)
{
    (void)state;
    random_kernels(scene_random_loops, "random loops", count());
}

/* ---- reductions ---- */

typedef struct shape {
    knx_dtype_id dtype;
    int n_par, n_inner;
    bool twice;  /* a second reduction, of the elements less the first one's result, which are stored */
    bool finite; /* elements are tenths of int16: no sum is NaN, and all are rounded */
} shape;

static knk_node load(const shape *s, knk_builder *b, int buffer, const uint8_t *cls, int *map)
{
    *map = knk_add_map(b, cls);
    knk_node x = knk_load(b, buffer, *map, KNK_NONE, KNK_NONE, KNK_NONE);
    return s->finite ? knk_binary(b, KNK_MUL, knk_cast(b, s->dtype, x), knk_const_double(b, s->dtype, 0.1)) : x;
}

static knk_kernel *reductions(const shape *s)
{
    knk_builder *b = knk_new(s->n_par);
    int in = knk_add_buffer(b, s->finite ? KN_ID_I16 : s->dtype, false), out[3], map;
    uint8_t cls[8];
    for (int i = 0; i < 2 + s->twice; i++)
        out[i] = knk_add_buffer(b, s->dtype, true);
    memset(cls, KNK_STRIDE_ANY, sizeof cls);
    knk_begin_stage(b, s->n_inner);
    knk_node x = load(s, b, in, cls, &map), sum = knk_reduce(b, KNK_RED_ADD, x), most = knk_reduce(b, KNK_RED_MAX, x);
    if (s->twice) {
        knk_begin_stage(b, s->n_inner);
        x = load(s, b, in, cls, &map);
        x = knk_binary(b, s->dtype == KN_ID_BOOL ? KNK_XOR : KNK_SUB, x, sum);
        knk_store(b, out[2], map, x);
        sum = knk_reduce(b, KNK_RED_ADD, knk_binary(b, KNK_MUL, x, x));
    }
    knk_begin_stage(b, 0);
    map = knk_add_map(b, cls);
    knk_store(b, out[0], map, sum);
    knk_store(b, out[1], map, most);
    knk_kernel *k = NULL;
    assert_null(knk_finish(b, &k));
    return k;
}

static void check_shape(const shape *s, const int64_t *par, const int64_t *inner, const knw_facts *facts)
{
    kernel_case from;
    wgsl_case c;
    char what[80];
    assert_null(kernel_case_dense(reductions(s), par, inner, &from));
    snprintf(what, sizeof what, "%d %s%s, %d parallel loops", (int)inner[0], knx_dtype_table[s->dtype].name,
             s->twice ? " twice" : "", s->n_par);
    assert_true(wgsl_case_of_kernel(&from, (uint64_t)inner[0] + 1, inner[0] % 2 == 0, &c));
    check(&c, facts, what);
    wgsl_case_free(&c);
    kernel_case_free(&from);
}

static void reductions_of_all_lengths(void **state)
{
    static const int64_t length[] = {0,         1,
                                     2,         3,
                                     5,         8,
                                     9,         15,
                                     16,        17,
                                     31,        32,
                                     33,        48,
                                     63,        64,
                                     65,        100,
                                     129,       1000,
                                     16383,     16384,
                                     16385,     2 * 16384 + 5,
                                     3 * 16384, 5 * 16384 + 7,
                                     7 * 16384};
    static const knx_dtype_id dtype[] = {KN_ID_F32, KN_ID_I64, KN_ID_F32, KN_ID_I8, KN_ID_BOOL, KN_ID_U16};
    (void)state;
    for (size_t i = 0; i < sizeof length / sizeof *length; i += (size_t)webgpu_every())
        for (size_t d = 0; d < (length[i] > 2000 ? 2 : sizeof dtype / sizeof *dtype); d++)
            for (int way = 0; way < 4; way++) {
                const shape s = {dtype[d], way & 2, 1, way & 1, d == 0};
                check_shape(&s, (int64_t[]){2, 3}, (int64_t[]){length[i], length[i]}, &g->facts);
            }
    finish("lengths");
}

/* More blocks than a workgroup has invocations. */
static void reductions_of_many_blocks(void **state)
{
    static const int64_t blocks[] = {63, 64, 65, 128, 131, 200};
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const shape s = {KN_ID_F32, 0, 1, i % 2, true};
        const int64_t n = blocks[i] * 16384 - 5000;
        check_shape(&s, (int64_t[]){1}, (int64_t[]){n, n}, &g->facts);
    }
    finish("many blocks");
}

static void reductions_over_several_loops(void **state)
{
    static const int64_t inner[][6] = {
        {3, 5, 2, 3, 5, 2}, {0, 4, 1, 0, 4, 1}, {20, 30, 40, 20, 30, 40}, {1, 1, 1, 1, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        for (int n_par = 0; n_par < 3; n_par++) {
            const shape s = {KN_ID_F32, n_par, 3, true, i > 1};
            check_shape(&s, (int64_t[]){3, 2}, inner[i], &g->facts);
        }
    finish("several loops");
}

/* Whatever the size of subgroups, and without any, the bits are the same. */
static void subgroups_of_all_sizes_join_in_one_order(void **state)
{
    static const int64_t length[] = {1, 17, 63, 1000, 16385, 70 * 16384 + 9};
    static const knx_dtype_id dtype[] = {KN_ID_F32, KN_ID_I64, KN_ID_BOOL, KN_ID_I8};
    (void)state;
    for (uint32_t size = 0; size <= 64; size = size ? 2 * size : 4)
        for (size_t i = 0; i < sizeof length / sizeof *length; i++)
            for (size_t d = 0; d < (length[i] > 2000 ? 1 : sizeof dtype / sizeof *dtype); d++) {
                const shape s = {dtype[d], length[i] < 2000, 1, true, i % 2};
                knw_facts facts = g->facts;
                facts.subgroup = size;
                check_shape(&s, (int64_t[]){5}, (int64_t[]){length[i], length[i]}, &facts);
            }
    finish("subgroups");
}

/* More workgroups than a device takes along one axis lie in rows of them. */
static void grids_are_cut(void **state)
{
    knw_facts facts = g->facts;
    const shape s = {KN_ID_F32, 2, 1, true, true};
    (void)state;
    facts.most_groups = 7;
    check_shape(&s, (int64_t[]){40, 30}, (int64_t[]){40, 40}, &facts);
    finish("grids");
}

/* ---- devices that end long loops: what is taken is right ---- */

static void check_turns(knk_kernel *k, const int64_t *par, const int64_t *inner, const char *what)
{
    kernel_case from;
    wgsl_case c;
    assert_non_null(k);
    assert_null(kernel_case_dense(k, par, inner, &from));
    assert_true(wgsl_case_of_kernel(&from, 1, false, &c));
    check(&c, &g->facts, what);
    wgsl_case_free(&c);
    kernel_case_free(&from);
}

/* The remainder of a float is a loop itself, a division of 64-bit integers has loops. */
static void loops_inside_of_operations_are_turns(void **state)
{
    static const char *const text[] = {
        "kernel 1\nbuffer 0 f32 write\nstage 0 inner 0 loops 1\nmap 0 1 0\n  %0 = const f32 0x3f333333\n"
        "  %1 = const f32 0x7f61b1e6\n  loop.0\n  %3 = carry.0 f32 %0\n  %4 = rem f32 %1 %3\n"
        "  %5 = add f32 %4 %0\n  next.0 %3 %5\n  end.0\n  %8 = last.0 f32 %3\n  store b0 m0 %8\n",
        "kernel 1\nbuffer 0 i64 write\nstage 0 inner 0 loops 1\nmap 0 1 0\n  %0 = const i64 0x7654321076543210\n"
        "  %1 = const i64 0x123456789a\n  loop.0\n  %3 = carry.0 i64 %1\n  %4 = rem i64 %0 %3\n"
        "  %5 = add i64 %4 %1\n  next.0 %3 %5\n  end.0\n  %8 = last.0 i64 %3\n  store b0 m0 %8\n"};
    static const int64_t turns[] = {1000, 6000, 20000, 60000};
    (void)state;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 4; i++) {
            char what[60];
            knk_kernel *k = NULL;
            assert_null(knk_parse(text[t], &k));
            snprintf(what, sizeof what, "%d turns of %s", (int)turns[i], t ? "i64" : "f32");
            check_turns(k, (int64_t[]){3}, &turns[i], what);
        }
    finish("turns of operations");
}

/* Rows of bytes: four elements at a time, whose words are put together in a loop. */
static void rows_of_bytes_have_more_turns(void **state)
{
    static const int64_t length[] = {1000, 20001, 50001, 62000, 1500000, 2500000, 3200001};
    (void)state;
    for (int i = 0; i < 7; i++) {
        char what[60];
        knk_builder *b = knk_new(0);
        knk_kernel *k = NULL;
        int in = knk_add_buffer(b, KN_ID_I8, false), out = knk_add_buffer(b, KN_ID_I8, true);
        knk_begin_stage(b, 1);
        int map = knk_add_map(b, (uint8_t[]){KNK_STRIDE_ONE});
        knk_node x = knk_load(b, in, map, KNK_NONE, KNK_NONE, KNK_NONE);
        knk_store(b, out, map, knk_binary(b, KNK_ADD, x, x));
        assert_null(knk_finish(b, &k));
        snprintf(what, sizeof what, "%d bytes", (int)length[i]);
        check_turns(k, NULL, &length[i], what);
    }
    finish("bytes");
}

KN_TEST_GROUP(test_wgsl_device)
{
    if (!(g = webgpu_first()))
        return 77;
    only = argc > 1 ? atoi(argv[1]) : 0;
    knd_lock();
    knx_error *error = kng_bring_facts(g);
    knd_unlock();
    if (error) {
        print_message("%s\n", error->message);
        knx_error_release(error);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_stages),
        cmocka_unit_test(random_loops),
        cmocka_unit_test(reductions_of_all_lengths),
        cmocka_unit_test(reductions_of_many_blocks),
        cmocka_unit_test(reductions_over_several_loops),
        cmocka_unit_test(subgroups_of_all_sizes_join_in_one_order),
        cmocka_unit_test(grids_are_cut),
        cmocka_unit_test(loops_inside_of_operations_are_turns),
        cmocka_unit_test(rows_of_bytes_have_more_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
