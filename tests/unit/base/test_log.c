/* SPDX-License-Identifier: Apache-2.0
 * test_log.c -- what each debug level shows: code from level 2 on, each operation that is traced at level 5. */
#include "support/expect.h"
#include "support/group.h"
#include "host/native.h"
#include <stdlib.h>

/* ---- What was logged. */

static char *text;
static size_t length, room;

static void keep(void *env, int level, const char *line)
{
    (void)env, (void)level;
    size_t n = strlen(line);
    if (length + n + 2 > room)
        assert_non_null(text = realloc(text, room = 2 * (room + n + 2)));
    memcpy(text + length, line, n);
    length += n;
    text[length++] = '\n';
    text[length] = '\0';
}

static void listen(int level)
{
    length = 0;
    keep(NULL, 0, "");
    kn_set_log(keep, NULL);
    kn_set_debug(level);
}

static int log_teardown(void **state)
{
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
    return expect_teardown(state);
}
#define LOGS(f) cmocka_unit_test_setup_teardown(f, expect_setup, log_teardown)

static bool said(const char *part) { return strstr(text, part) != NULL; }

/* How many lines have this in them. */
static int lines_with(const char *part)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, part)); s += strlen(part))
        n++;
    return n;
}

static kn_array line_of(const kn_array *x, const kn_array *y) { return kn_sub(kn_div(*x, kn_sqrt(*y)), *y); }
KN_FUNCTION(line_of, kn_array, kn_array, kn_array)

/* In a context of its own, so that nothing has been compiled. */
static void run_at(int level, int64_t n)
{
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_array x = kn_ones(KN_SHAPE(n)), y = kn_add(kn_ones(KN_SHAPE(n)), 3), z;
        kn_eval(x), kn_eval(y);
        listen(level);
        kn_call(kn_jit(KN_FN(line_of)), &z, &x, &y);
        kn_eval(z);
        kn_set_debug(0);
        assert_true(kn_item(kn_max(z)) == -3.5);
    }
    assert_int_equal(kn_context_free(own), 0);
}

/* ---- Levels. */

static void level_1_shows_no_code(void **state)
{
    (void)state;
    run_at(1, 1001);
    assert_true(said("line_of is recorded: first call"));
    assert_false(said("kernel "));
    assert_false(said("trace: "));
}

static void level_2_shows_the_kernel(void **state)
{
    (void)state;
    run_at(2, 1002);
    assert_true(said("kernel "));
    assert_true(said("sqrt"));
    assert_true(said("div"));
}

static void level_2_shows_the_machine_code(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    run_at(2, 1003);
    assert_true(said("code of kiln_"));
    assert_true(said("    vsqrtpd "));
    assert_true(said("    vdivpd "));
    assert_true(said("    ret\n"));
    assert_true(said("L0:\n"));
}

static kn_array product_of(const kn_array *x) { return kn_matmul(*x, *x); }
KN_FUNCTION(product_of, kn_array, kn_array)
static void level_2_shows_the_code_of_products(void **state)
{
    (void)state;
    KN_SCOPE;
    if (knh_generator_best() == &knh_interpreter)
        skip();
    kn_array x = kn_ones(KN_SHAPE(67, 67), .dtype = KN_F32), y;
    kn_eval(x);
    listen(2);
    kn_call(kn_jit(KN_FN(product_of)), &y, &x);
    kn_eval(y);
    kn_set_debug(0);
    assert_true(said("code of kiln_product_f32_"));
    assert_true(said("    vfmadd231ps "));
}

static void level_2_says_what_is_recorded_by_whom(void **state)
{
    (void)state;
    run_at(2, 1004);
    assert_true(said("trace: line_of begins to be recorded by jit"));
    assert_true(said("trace: line_of was recorded by jit: 3 equations"));
    assert_false(said("line_of: c:"));
}

static void level_5_shows_each_operation_as_it_is_traced(void **state)
{
    (void)state;
    run_at(5, 1005);
    assert_true(said("test_log.c:"));
    assert_true(said("line_of: c:f64[1005] = sqrt b:f64[1005]\n"));
    assert_true(said("line_of: d:f64[1005] = div a:f64[1005] c:f64[1005]\n"));
    assert_true(said("line_of: e:f64[1005] = sub d:f64[1005] b:f64[1005]\n"));
    assert_int_equal(lines_with(": line_of: "), 3);
    run_at(4, 1006);
    assert_false(said("line_of: c:"));
}

static void level_5_shows_operations_outside_of_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3));
    listen(5);
    kn_array y = kn_sum(kn_mul(x, 2), KN_AXIS(1));
    kn_set_debug(0);
    assert_true(said(": f64[2,3] = mul f64[2,3] f64[]\n"));
    assert_true(said(": f64[2] = reduce_sum[axes=(1,)] f64[2,3]\n"));
    expect_values(y, 6, 6);
}

KN_TEST_GROUP(test_log)
{
    const struct CMUnitTest tests[] = {
        LOGS(level_1_shows_no_code),
        LOGS(level_2_shows_the_kernel),
        LOGS(level_2_shows_the_machine_code),
        LOGS(level_2_shows_the_code_of_products),
        LOGS(level_2_says_what_is_recorded_by_whom),
        LOGS(level_5_shows_each_operation_as_it_is_traced),
        LOGS(level_5_shows_operations_outside_of_functions),
    };
    int failed = cmocka_run_group_tests_name("log", tests, NULL, NULL);
    free(text);
    return failed;
}
