/* SPDX-License-Identifier: Apache-2.0
 * test_interp_forms.c -- the interpreter: edges of reductions, results in the memory of operands, loads under predicates, and
 * a loop for each form that the verifier accepts. */
#include "kernel/internal.h"
#include "support/group.h"
#include "support/scratch.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double sum_of(const double *x, int64_t n, knk_reduction how)
{
    static const uint8_t cls[] = {KNK_STRIDE_ONE};
    knk_builder *k = knk_new(0);
    int in = knk_add_buffer(k, KN_ID_F64, false), out = knk_add_buffer(k, KN_ID_F64, true);
    knk_begin_stage(k, 1);
    knk_node r = knk_reduce(k, how, knk_load(k, in, knk_add_map(k, cls), KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(k, 0);
    knk_store(k, out, knk_add_map(k, cls), r);
    knk_kernel *kernel;
    assert_null(knk_finish(k, &kernel));
    double result = 99;
    int64_t stride[] = {1};
    knk_map_values map[] = {{0, stride}, {0, stride}};
    void *buffer[] = {(void *)(uintptr_t)x, &result};
    const int64_t *inner[] = {&n, NULL};
    knk_launch l = {buffer, map, NULL, inner};
    void *scratch = aligned_alloc(64, (interpreter_scratch(kernel) + 63) / 64 * 64);
    knk_interpret(kernel, &l, scratch);
    free(scratch);
    knk_release(kernel);
    return result;
}

static void edges_of_reductions(void **state)
{
    (void)state;
    double x[] = {-0.0, -0.0, -0.0}, y[] = {1, NAN, 3}, z[] = {-0.0, 0.0};
    assert_true(sum_of(x, 3, KNK_RED_ADD) == 0 && !signbit(sum_of(x, 3, KNK_RED_ADD)));
    assert_true(sum_of(x, 0, KNK_RED_ADD) == 0 && sum_of(x, 0, KNK_RED_MUL) == 1);
    assert_true(sum_of(x, 0, KNK_RED_MAX) == -INFINITY && sum_of(x, 0, KNK_RED_MIN) == INFINITY);
    assert_true(isnan(sum_of(y, 3, KNK_RED_MAX)) && isnan(sum_of(y, 3, KNK_RED_MIN)) &&
                sum_of(y + 2, 1, KNK_RED_MAX) == 3);
    assert_true(!signbit(sum_of(z, 2, KNK_RED_MAX)));
}

/* x and y become f(x, y) and g(x, y) in their own memory. */
static void run_in_place(bool exchange, float *x, float *y, int64_t n)
{
    static const uint8_t cls[] = {KNK_STRIDE_ONE};
    knk_builder *k = knk_new(1);
    int b[4];
    for (int i = 0; i < 4; i++)
        b[i] = knk_add_buffer(k, KN_ID_F32, i >= 2);
    knk_begin_stage(k, 0);
    int m = knk_add_map(k, cls);
    knk_node u = knk_load(k, b[0], m, KNK_NONE, KNK_NONE, KNK_NONE),
             v = knk_load(k, b[1], m, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_store(k, b[2], m, exchange ? v : knk_binary(k, KNK_SUB, u, v));
    knk_store(k, b[3], m, exchange ? u : knk_binary(k, KNK_ADD, u, knk_binary(k, KNK_MUL, u, v)));
    knk_kernel *kernel;
    assert_null(knk_finish(k, &kernel));
    void *buffer[] = {x, y, x, y};
    int64_t stride[] = {1};
    knk_map_values map = {0, stride};
    knk_launch l = {buffer, &map, &n, NULL};
    void *scratch = aligned_alloc(64, (interpreter_scratch(kernel) + 63) / 64 * 64);
    knk_interpret(kernel, &l, scratch);
    free(scratch);
    knk_release(kernel);
}

static void in_place_works(void **state)
{
    (void)state;
    enum { N = 5000 };
    static float x[N], y[N], p[N], q[N];
    for (int exchange = 0; exchange < 2; exchange++) {
        for (int i = 0; i < N; i++)
            x[i] = p[i] = (float)i * 0.37f, y[i] = q[i] = (float)(N - i);
        run_in_place(exchange, x, y, N);
        for (int i = 0; i < N; i++)
            assert_true(exchange ? x[i] == q[i] && y[i] == p[i] : x[i] == p[i] - q[i] && y[i] == p[i] + p[i] * q[i]);
    }
}

/* x is read under a predicate that holds for all lanes, and another result lies in its memory. */
static void a_predicate_that_always_holds_reads_in_time(void **state)
{
    (void)state;
    enum { N = 100 };
    static const uint8_t one[] = {KNK_STRIDE_ONE};
    int32_t p[N], x[N], y[N];
    knk_builder *b = knk_new(1);
    int bp = knk_add_buffer(b, KN_ID_I32, false), bx = knk_add_buffer(b, KN_ID_I32, false),
        bo = knk_add_buffer(b, KN_ID_I32, true), by = knk_add_buffer(b, KN_ID_I32, true);
    knk_begin_stage(b, 0);
    int map = knk_add_map(b, one);
    knk_node u = knk_load(b, bp, map, KNK_NONE, KNK_NONE, KNK_NONE), small = knk_binary(b, KNK_ADD, u, u);
    knk_node v = knk_load(b, bx, map, KNK_NONE, knk_binary(b, KNK_LT, u, knk_const_int(b, KN_ID_I32, N)), KNK_NONE);
    knk_node over = knk_binary(b, KNK_MUL, small, u);
    knk_store(b, bo, map, over);
    knk_store(b, by, map, knk_binary(b, KNK_SUB, v, over));
    knk_kernel *kernel;
    assert_null(knk_finish(b, &kernel));
    for (int i = 0; i < N; i++)
        p[i] = i, x[i] = 1000 + i;
    int64_t n = N, unit = 1;
    knk_map_values maps[1] = {{0, &unit}};
    knk_launch l = {(void *[]){p, x, x, y}, maps, &n, NULL};
    void *scratch = aligned_alloc(64, (interpreter_scratch(kernel) + 63) / 64 * 64);
    knk_interpret(kernel, &l, scratch);
    for (int i = 0; i < N; i++) {
        assert_int_equal(x[i], 2 * i * i);
        assert_int_equal(y[i], 1000 + i - 2 * i * i);
    }
    free(scratch);
    knk_release(kernel);
}

/* A load whose other value is one for all lanes, and whose result may lie where that value was. */
static void a_single_other_value_lasts_for_all_lanes(void **state)
{
    (void)state;
    enum { N = 9 };
    float one = 3, x[N], y[N];
    knk_builder *b = knk_new(1);
    int scalar = knk_add_buffer(b, KN_ID_F32, false), in = knk_add_buffer(b, KN_ID_F32, false),
        out = knk_add_buffer(b, KN_ID_F32, true);
    knk_begin_stage(b, 0);
    int same = knk_add_map(b, (const uint8_t[]){KNK_STRIDE_ZERO}),
        lanes = knk_add_map(b, (const uint8_t[]){KNK_STRIDE_ONE});
    knk_node other = knk_unary(b, KNK_NEG, knk_load(b, scalar, same, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_node third = knk_binary(b, KNK_LT, knk_index(b, lanes), knk_const_int(b, KN_ID_I64, 1));
    knk_store(b, out, lanes, knk_load(b, in, lanes, KNK_NONE, third, other));
    knk_kernel *kernel;
    assert_null(knk_finish(b, &kernel));
    for (int i = 0; i < N; i++)
        x[i] = (float)(10 + i);
    int64_t n = N, zero = 0, unit = 1;
    knk_map_values maps[2] = {{0, &zero}, {0, &unit}};
    knk_launch l = {(void *[]){&one, x, y}, maps, &n, NULL};
    void *scratch = aligned_alloc(64, (interpreter_scratch(kernel) + 63) / 64 * 64);
    knk_interpret(kernel, &l, scratch);
    for (int i = 0; i < N; i++)
        assert_true(y[i] == (i < 1 ? x[i] : -3));
    free(scratch);
    knk_release(kernel);
}

/* Every form that the verifier accepts has a loop. */
static void every_legal_operation_has_its_loop(void **state)
{
    (void)state;
    for (int op = KNK_ADD; op < KNK_LOOP; op++)
        for (int d = 0; d < KN_ID_COUNT; d++) {
            knk_inst operand[3] = {{.op = KNK_CONST, .dtype = (uint8_t)d},
                                   {.op = KNK_CONST, .dtype = (uint8_t)d},
                                   {.op = KNK_CONST, .dtype = (uint8_t)d}};
            knk_inst n = {.op = (uint8_t)op,
                          .dtype = knk_op_table[op].result == 'B' ? KN_ID_BOOL : (uint8_t)d,
                          .buffer = KNK_NONE,
                          .map = KNK_NONE,
                          .a = 0,
                          .b = 1,
                          .c = 2};
            if (op == KNK_SELECT)
                operand[0].dtype = KN_ID_BOOL;
            for (int to = 0; to < KN_ID_COUNT && op == KNK_CAST; to++) {
                n.dtype = (uint8_t)to;
                if (!knk_form_error(&n, operand))
                    assert_non_null(knk_lane_loop(KNK_LOOP_OPS + d, to, 0));
            }
            if (op != KNK_CAST && op != KNK_BITCAST && !knk_form_error(&n, operand))
                assert_non_null(knk_lane_loop(op, d, 0));
        }
    for (int d = KN_ID_BOOL; d <= KN_ID_F64; d++)
        for (int how = 0; how < 7; how++) {
            knk_inst x = {.op = KNK_CONST, .dtype = (uint8_t)d},
                     n = {.op = KNK_REDUCE, .sub = (uint8_t)how, .dtype = (uint8_t)d, .a = 0};
            if (!knk_form_error(&n, &x)) {
                assert_non_null(knk_lane_loop(KNK_LOOP_ACC + how, d, 0));
                assert_non_null(knk_join(how, d));
            }
        }
}

KN_TEST_GROUP(test_interp_forms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_legal_operation_has_its_loop),
        cmocka_unit_test(edges_of_reductions),
        cmocka_unit_test(in_place_works),
        cmocka_unit_test(a_single_other_value_lasts_for_all_lanes),
        cmocka_unit_test(a_predicate_that_always_holds_reads_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
