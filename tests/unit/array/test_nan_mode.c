/* SPDX-License-Identifier: Apache-2.0
 * test_nan_mode.c -- kn_check_nans: the first operation that makes a NaN or infinity is named with its line, in
 * recorded operations, jitted functions and derivatives; results do not change. */
#include "support/expect.h"
#include "support/group.h"

static void expect_found(const char *message, int line)
{
    assert_true(kn_error_pending());
    assert_string_equal(kn_error_kind_name(), "ValueError");
    assert_string_equal(kn_error_message(), message);
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_file(), "test_nan_mode.c"));
    kn_error_clear();
}

static void the_line_that_makes_a_nan_is_named(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, -1, 4);
    assert_false(kn_check_nans(true));
    int line = __LINE__ + 1;
    kn_array y = kn_log(x);
    kn_array z = kn_add(kn_sqrt(y), 1);
    expect_values(z, NAN, sqrt(log(4)) + 1);
    expect_found("log: nan encountered in log", line);
    kn_sum(z); /* what comes of it is no news */
    expect_no_error();
    assert_true(kn_check_nans(false));
    expect_values(kn_log(x), NAN, log(4));
    expect_no_error();
}

static void infinities_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_of(double, 1, 2), zero = kn_of(double, 0, 1);
    kn_check_nans(true);
    int line = __LINE__ + 1;
    kn_array y = kn_divide(one, zero);
    expect_values(y, INFINITY, 2);
    expect_found("divide: inf encountered in div", line);
    kn_check_nans(false);
}

static void operands_may_have_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_check_nans(true);
    kn_array x = kn_of(double, NAN, INFINITY, 1), full = kn_full(KN_SHAPE(2), INFINITY);
    expect_values(kn_add(kn_mul(x, 2), 1), NAN, INFINITY, 3);
    expect_values(kn_negative(full), -INFINITY, -INFINITY);
    expect_no_error();
    kn_check_nans(false);
}

static void one_plan_and_two_lines(void **state)
{
    for (int lazy = 1; lazy >= 0; lazy--) {
        (void)state;
        KN_SCOPE;
        bool old = kn_set_lazy(lazy);
        kn_array good = kn_of(double, 1, 2), bad = kn_of(double, -1, 2);
        kn_check_nans(true);
        expect_values(kn_log(good), 0, log(2));
        expect_no_error();
        int first = __LINE__ + 1;
        kn_eval(kn_log(bad));
        expect_found("log: nan encountered in log", first);
        int second = __LINE__ + 1;
        kn_eval(kn_log(bad));
        expect_found("log: nan encountered in log", second);
        kn_check_nans(false);
        kn_set_lazy(old);
    }
}

static int loss_line;
static kn_array loss(const kn_array *x)
{
    loss_line = __LINE__ + 1;
    kn_array r = kn_sqrt(*x);
    return kn_sum(kn_mul(r, 3));
}
KN_FUNCTION(loss, kn_array, kn_array)

static void inside_of_jitted_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(loss));
    kn_array x = kn_of(double, -4, 4), y, z;
    kn_call(f, &y, &x);
    expect_no_error();
    kn_check_nans(true);
    kn_call(f, &z, &x);
    expect_found("loss: nan encountered in sqrt", loss_line);
    assert_true(isnan(kn_item(y)) && isnan(kn_item(z)));
    kn_check_nans(false);
    kn_call(f, &z, &x);
    expect_no_error();
}

static void backward_passes_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 4), g;
    for (int jit = 0; jit < 2; jit++) {
        kn_fn f = kn_grad(KN_FN(loss));
        if (jit)
            f = kn_jit(f);
        kn_check_nans(true);
        kn_call(f, &g, &x);
        kn_eval(g);
        assert_true(kn_error_pending());
        assert_non_null(strstr(kn_error_message(), "inf encountered in"));
        assert_int_equal(kn_error_line(), loss_line);
        kn_error_clear();
        kn_check_nans(false);
        expect_values(g, INFINITY, 0.75);
        kn_call(f, &g, &x);
        expect_values(g, INFINITY, 0.75);
        expect_no_error();
    }
}

static kn_array network(kn_array x, kn_array w)
{
    kn_array h = kn_tanh(kn_matmul(x, w));
    return kn_sum(kn_mul(h, kn_exp(kn_negative(kn_square(h)))), KN_AXIS(0));
}

static void results_are_the_same_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(1), x = kn_random_normal(key, KN_SHAPE(13, 7));
    kn_array w = kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(7, 5));
    double want[5], have[5];
    kn_copy_to(network(x, w), want, sizeof want);
    kn_check_nans(true);
    kn_copy_to(network(x, w), have, sizeof have);
    kn_check_nans(false);
    assert_memory_equal(want, have, sizeof want);
    expect_no_error();
}

static void writes_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(4));
    kn_check_nans(true);
    kn_set_at(x, 1, "1");
    int line = __LINE__ + 1;
    kn_idiv(x, kn_of(double, 1, 0, 1, 1));
    kn_iadd_at(x, 2, "0");
    expect_values(x, 2, INFINITY, 0, 0);
    expect_found("idiv: inf encountered in div", line);
    kn_check_nans(false);
}

KN_TEST_GROUP(test_nan_mode)
{
    const struct CMUnitTest tests[] = {
        TEST(the_line_that_makes_a_nan_is_named),
        TEST(infinities_too),
        TEST(operands_may_have_them),
        TEST(one_plan_and_two_lines),
        TEST(inside_of_jitted_functions),
        TEST(backward_passes_too),
        TEST(results_are_the_same_bits),
        TEST(writes_too),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
