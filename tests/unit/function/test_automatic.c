/* SPDX-License-Identifier: Apache-2.0
 * test_automatic.c -- .symbolic = KN_ALL: which axes become variables, what is recorded for each shape, and what is said
 * of it. */
#include "support/expect.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <setjmp.h>
#include <string.h>

static kn_array wave(int rows, int columns)
{
    return kn_mul(kn_reshape(kn_arange(0, (double)rows * columns, 1, .dtype = KN_F32), KN_SHAPE(rows, columns)), 0.01f);
}

static kn_array layer(const kn_array *x, const kn_array *w)
{
    return kn_add(kn_exp(kn_mul(*x, 2)), kn_mean(kn_tanh(kn_matmul(*x, *w)), KN_AXIS(-1), .keepdims = true));
}
KN_FUNCTION(layer, kn_array, kn_array, kn_array)

static kn_array sum_of(const kn_array *x, const kn_array *y) { return kn_add(*x, *y); }
KN_FUNCTION(sum_of, kn_array, kn_array, kn_array)

static kn_array loss(const kn_array *x, const kn_array *w)
{
    kn_array y = kn_tanh(kn_matmul(kn_at(*x, "1:"), *w));
    return kn_sum(kn_mul(y, kn_at(y, "::-1")));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

/* The same bits as a function that is recorded for each shape. */
static void expect_same(kn_fn f, kn_fn g, kn_array x, kn_array w)
{
    kn_array y, z;
    assert_int_equal(kn_call(f, &y, &x, &w), 0);
    assert_int_equal(kn_call(g, &z, &x, &w), 0);
    assert_true(kn_array_equal(y, z));
    assert_false(kn_error_pending());
}

static void axes_that_change_become_variables(void **state)
{
    (void)state;
    KN_SCOPE;
    static const int extents[] = {5, 7, 31, 2, 100, 5, 257, 1000};
    kn_fn f = kn_jit(KN_FN(layer), .symbolic = KN_ALL), g = kn_jit(KN_FN(layer));
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        expect_same(f, g, wave(extents[i], 8), wave(8, 8));
    assert_int_equal(kn_fn_trace_count(f), 2);
    assert_string_equal(kn_fn_explain(f), "f32[5,8] f32[8,8]\nf32[b,8] f32[8,8], 1 program\n");
    /* nothing, and one row that is broadcast */
    expect_same(f, g, wave(0, 8), wave(8, 8));
    expect_same(f, g, wave(1, 8), wave(8, 8));
    assert_int_equal(kn_fn_trace_count(f), 4);
    expect_same(f, g, wave(11, 8), wave(8, 8));
    assert_int_equal(kn_fn_trace_count(f), 4);
}

static void gradients_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(kn_grad(KN_FN(loss)), .symbolic = KN_ALL), g = kn_jit(kn_grad(KN_FN(loss)));
    for (int n = 3; n < 60; n += 7)
        expect_same(f, g, wave(n, 8), wave(8, 8));
    assert_int_equal(kn_fn_trace_count(f), 2);
}

static void equal_extents_are_one_variable(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(sum_of), .symbolic = KN_ALL), g = kn_jit(KN_FN(sum_of));
    for (int n = 3; n < 60; n += 7)
        expect_same(f, g, wave(n, 8), wave(n, 8));
    assert_int_equal(kn_fn_trace_count(f), 2);
    for (int n = 3; n < 60; n += 7)
        expect_same(f, g, wave(n, 8), wave(1, 8));
    assert_non_null(strstr(kn_fn_explain(f), "f32[b,8] f32[b,8], 1 program\n"));
    assert_non_null(strstr(kn_fn_explain(f), "f32[b,8] f32[1,8], 1 program\n"));
    assert_int_equal(kn_fn_trace_count(f), 3);
}

/* C's own loops and ifs see numbers. */
static kn_array adds_rows(const kn_array *x, const kn_array *y)
{
    kn_array sum = kn_zeros(KN_SHAPE(8), .dtype = KN_F32);
    for (int64_t i = 0; i < kn_dim(*x, 0); i++)
        sum = kn_add(sum, kn_at(*x, "%", i));
    return kn_add(*y, sum);
}
KN_FUNCTION(adds_rows, kn_array, kn_array, kn_array)

static void extents_that_c_asks_for_are_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(adds_rows), .symbolic = KN_ALL), g = kn_jit(KN_FN(adds_rows));
    for (int n = 2; n < 6; n++)
        expect_same(f, g, wave(n, 8), wave(n + 20, 8));
    const char *why = kn_fn_explain(f);
    assert_non_null(strstr(why, "axis 0 of argument 0 stays a number, which adds_rows asks for ("));
    assert_non_null(strstr(why, "test_automatic.c:"));
    int before = kn_fn_trace_count(f);
    for (int n = 50; n < 90; n++) /* the other argument is free */
        expect_same(f, g, wave(4, 8), wave(n, 8));
    assert_int_equal(kn_fn_trace_count(f), before);
}

static kn_array begins(const kn_array *x, const kn_array *y)
{
    return kn_add(kn_sum(kn_at(*x, ":16"), KN_AXIS(0)), *y);
}
KN_FUNCTION(begins, kn_array, kn_array, kn_array)

/* What was decided by a call's numbers holds for the calls that decide it alike. */
static void decisions_are_conditions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(begins), .symbolic = KN_ALL), g = kn_jit(KN_FN(begins));
    for (int n = 2; n < 50; n++)
        expect_same(f, g, wave(n, 8), wave(1, 8));
    assert_in_range(kn_fn_trace_count(f), 2, 3);
}

/* The same inside of a function that is jitted itself: its conditions are those of what calls it. */
static kn_array calls_begins(const kn_array *x, const kn_array *y)
{
    kn_array z;
    kn_fn f = kn_jit(KN_FN(begins));
    kn_call(f, &z, x, y);
    return z;
}
KN_FUNCTION(calls_begins, kn_array, kn_array, kn_array)
static kn_array calls_begins_too(const kn_array *x, const kn_array *y) { return kn_mul(calls_begins(x, y), 2); }
KN_FUNCTION(calls_begins_too, kn_array, kn_array, kn_array)

static void conditions_of_inner_functions_are_not_lost(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f[] = {kn_jit(KN_FN(calls_begins), .symbolic = KN_ALL), kn_jit(KN_FN(calls_begins_too), .symbolic = KN_ALL)};
    kn_fn g[] = {kn_jit(KN_FN(calls_begins)), kn_jit(KN_FN(calls_begins_too))};
    static const int extents[] = {20, 30, 10, 40, 15, 16, 17, 8};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
            expect_same(f[k], g[k], wave(extents[i], 8), wave(1, 8));
}

static int heard;
static void hears(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    (void)env, (void)kind, (void)message, (void)place;
    heard++;
}

static void wrong_calls_are_told_once_and_forgotten(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(sum_of), .symbolic = KN_ALL), g = kn_jit(KN_FN(sum_of));
    expect_same(f, g, wave(3, 8), wave(3, 8));
    expect_same(f, g, wave(4, 8), wave(4, 8));
    kn_array x = wave(5, 8), y = wave(6, 8), z;
    heard = 0;
    kn_on_error(hears, NULL);
    assert_int_equal(kn_call(f, &z, &x, &y), -1);
    kn_on_error(NULL, NULL);
    assert_int_equal(heard, 1);
    expect_error_with("ValueError", "(5,8) (6,8)");
    int before = kn_fn_trace_count(f);
    expect_same(f, g, wave(7, 8), wave(7, 8));
    assert_int_equal(kn_fn_trace_count(f), before);
    assert_null(strstr(kn_fn_explain(f), "recorded for each shape"));
}

static kn_array unstacks(const kn_array *x, const kn_array *y)
{
    kn_list all = kn_unstack(*x);
    return kn_add(kn_list_get(all, 1), *y);
}
KN_FUNCTION(unstacks, kn_array, kn_array, kn_array)

static void refusals_are_recorded_for_each_shape(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(unstacks), .symbolic = KN_ALL), g = kn_jit(KN_FN(unstacks));
    for (int n = 2; n < 9; n++)
        expect_same(f, g, wave(n, 8), wave(1, 8));
    const char *why = kn_fn_explain(f);
    assert_non_null(strstr(why, "f32[2,8] f32[1,8] and its like: recorded for each shape: "));
    assert_non_null(strstr(why, "test_automatic.c:"));
    assert_int_equal(kn_fn_trace_count(f), 8); /* one on trial */
}

/* What is recorded well and cannot be compiled for all extents. */
typedef struct Both {
    kn_array carry, y;
} Both;
static Both step(const kn_array *carry, const kn_array *x)
{
    kn_array z = kn_add(kn_mul(*carry, 0.5f), *x);
    return (Both){z, z};
}
KN_FUNCTION(step, Both, kn_array, kn_array)
static kn_array compiled_scan(const kn_array *x, const kn_array *y)
{
    Both all;
    kn_scan(KN_FN(step), &all, y, x, .accept = KN_SCAN_COMPILED_LOOP);
    return all.y;
}
KN_FUNCTION(compiled_scan, kn_array, kn_array, kn_array)

static void programs_that_need_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(compiled_scan), .symbolic = KN_ALL), g = kn_jit(KN_FN(compiled_scan));
    for (int n = 2; n < 9; n++)
        expect_same(f, g, kn_at(wave(n, 8), ":, 0"), kn_sum(wave(2, 2)));
}

static void a_context_may_have_it_for_all(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        KN_SCOPE;
        assert_false(kn_set_symbolic(true));
        kn_fn f = kn_jit(KN_FN(layer));
        for (int n = 2; n < 20; n++) {
            kn_array x = wave(n, 8), w = wave(8, 8), y;
            kn_call(f, &y, &x, &w);
        }
        assert_int_equal(kn_fn_trace_count(f), 2);
        assert_true(kn_set_symbolic(false));
        kn_array x = wave(30, 8), w = wave(8, 8), y;
        kn_call(f, &y, &x, &w);
        assert_int_equal(kn_fn_trace_count(f), 3);
        assert_false(kn_error_pending());
    }
    assert_int_equal(kn_context_free(c), 0);
}

static jmp_buf out;
static bool leaves;
static kn_array leaves_by_jump(const kn_array *x, const kn_array *y)
{
    if (leaves)
        longjmp(out, 1);
    return kn_add(*x, *y);
}
KN_FUNCTION(leaves_by_jump, kn_array, kn_array, kn_array)

/* A jump loses some blocks that are being recorded with. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static void a_jump_out_of_a_trial(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(leaves_by_jump), .symbolic = KN_ALL);
    {
        KN_SCOPE;
        kn_array x = wave(3, 8), y;
        kn_call(f, &y, &x, &x);
        leaves = true;
        if (__lsan_disable)
            __lsan_disable();
        if (!setjmp(out)) {
            kn_array z = wave(4, 8);
            kn_call(f, &y, &z, &z);
            fail();
        }
        if (__lsan_enable)
            __lsan_enable();
    }
    leaves = false;
    heard = 0;
    kn_on_error(hears, NULL);
    kn_add(wave(2, 3), wave(3, 2)); /* errors are told again */
    kn_on_error(NULL, NULL);
    assert_int_equal(heard, 1);
    expect_error_with("ValueError", "(2,3) (3,2)");
}

static void what_says_nothing_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_jit(KN_FN(layer), .symbolic = KN_ALL, .constraints = "b >= 2"));
    expect_error_with("ValueError", ".constraints are of dimension variables, which .symbolic names");
    assert_string_equal(kn_fn_explain(kn_jit(KN_FN(sum_of), .symbolic = "b, b")), "");
    assert_string_equal((kn_fn_explain)(NULL), "");
    assert_true(kn_error_pending());
    kn_error_clear();
}

KN_TEST_GROUP(test_automatic)
{
    const struct CMUnitTest tests[] = {
        TEST(axes_that_change_become_variables),
        TEST(gradients_too),
        TEST(equal_extents_are_one_variable),
        TEST(extents_that_c_asks_for_are_numbers),
        TEST(decisions_are_conditions),
        TEST(conditions_of_inner_functions_are_not_lost),
        TEST(wrong_calls_are_told_once_and_forgotten),
        TEST(refusals_are_recorded_for_each_shape),
        TEST(programs_that_need_numbers),
        TEST(a_context_may_have_it_for_all),
        TEST(a_jump_out_of_a_trial),
        TEST(what_says_nothing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
