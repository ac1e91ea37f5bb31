/* SPDX-License-Identifier: Apache-2.0
 * test_testing.c -- kn_testing: NumPy's reports, word for word, and the checks of derivatives. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <stdio.h>
#include <stdlib.h>

#define CHECK(name, call) \
    static int call_##name(const numpy_call *c) { return kn_testing_##name call; }
#define X      c->array[0], c->array[1]
#define TEXT   .err_msg = numpy_option(c, "err_msg"), .verbose = numpy_flag(c, "verbose", true)
#define STRICT .strict = numpy_flag(c, "strict", false)

CHECK(assert_allclose, (X, .rtol = numpy_number(c, "rtol", 1e-7), .atol = numpy_number(c, "atol", 0),
                        .equal_nan = numpy_flag(c, "equal_nan", true), TEXT, STRICT))
CHECK(assert_array_equal, (X, TEXT, STRICT))
CHECK(assert_equal, (X, TEXT, STRICT))
CHECK(assert_array_less, (X, TEXT, STRICT))
CHECK(assert_array_almost_equal, (X, .decimal = (int)numpy_number(c, "decimal", 6), TEXT))
CHECK(assert_almost_equal, (X, .decimal = (int)numpy_number(c, "decimal", 7), TEXT))
CHECK(assert_approx_equal, (X, .significant = (int)numpy_number(c, "significant", 7), TEXT))
CHECK(assert_array_almost_equal_nulp, (X, .nulp = numpy_number(c, "nulp", 1)))
CHECK(assert_array_max_ulp, (X, .maxulp = numpy_number(c, "maxulp", 1), .dtype = numpy_dtype(c)))
CHECK(assert_array_compare, ((kn_less_equal), X, .header = "not below", TEXT, STRICT))
CHECK(assert_string_equal, (c->texts[0], c->texts[1]))

static const struct {
    const char *name;
    int (*f)(const numpy_call *c);
} table[] = {
#define CALL(name) {#name, call_##name},
    CALL(assert_allclose) CALL(assert_array_equal) CALL(assert_equal) CALL(assert_array_less)
        CALL(assert_array_almost_equal) CALL(assert_almost_equal) CALL(assert_approx_equal)
            CALL(assert_array_almost_equal_nulp) CALL(assert_array_max_ulp) CALL(assert_string_equal)
                CALL(assert_array_compare)};

/* The report as the golden file has it: \n and \\ for line ends and backslashes. */
static void escape(char *to, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 3 < room; text++) {
        if (*text == '\n' || *text == '\\') {
            to[n++] = '\\';
            to[n++] = *text == '\n' ? 'n' : '\\';
        } else
            to[n++] = *text;
    }
    to[n] = '\0';
}

static bool is_as_stored(const numpy_call *c)
{
    char got[4096] = "no such assertion", prefix[64];
    int status = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, c->name)) {
            status = table[i].f(c);
            const char *message = kn_error_message();
            bool assertion = !strcmp(kn_error_kind_name(), "AssertionError");
            int n = snprintf(prefix, sizeof prefix, "testing_%s: ", c->name);
            if (!assertion && !strncmp(message, prefix, (size_t)n))
                message += n;
            char text[4096];
            snprintf(text, sizeof text, "%s%s%s", assertion ? "" : kn_error_kind_name(), assertion ? "" : " ", message);
            escape(got, sizeof got, status ? text : "passes");
        }
    bool same = !strcmp(got, c->result) && (status == -1) == kn_error_pending();
    if (!same)
        print_error("%s: %s\nnot %s\n", c->name, got, c->result);
    kn_error_clear();
    return same;
}

static void reports_are_those_of_numpy(void **state)
{
    (void)state;
    assert_int_equal(numpy_calls_visit(KN_TEST_DIR "/golden/testing.txt", is_as_stored), 0);
}

static void the_report_is_the_whole_message(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_testing_assert_equal(1, 2), -1);
    int line = __LINE__ - 1;
    assert_int_equal(kn_error_line(), line);
    expect_error("AssertionError", "\nItems are not equal:\n ACTUAL: 1\n DESIRED: 2");
    assert_int_equal(kn_testing_assert_array_equal(KN_NONE, kn_ones(KN_SHAPE(1))), -1);
    expect_error("TypeError", "testing_assert_array_equal: null array");
}

static void errors_can_be_expected(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    assert_int_equal(kn_testing_assert_error(KN_ERROR_VALUE), 0);
    expect_no_error();
    assert_int_equal(kn_testing_assert_error(KN_ERROR_VALUE), -1);
    expect_error("AssertionError", "ValueError not raised");
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    assert_int_equal(kn_testing_assert_error_with(KN_ERROR_VALUE, "of size 3"), 0);
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    assert_int_equal(kn_testing_assert_error(KN_ERROR_TYPE), -1);
    expect_error_with("ValueError", "cannot reshape");
    assert_int_equal(kn_testing_assert_(1 > 2, "one is small"), -1);
    expect_error("AssertionError", "one is small");
}

/* ---- Derivatives. */

typedef struct two {
    kn_array p, q;
} two;
static two smooth(const kn_array *x, const two *w)
{
    kn_array y = kn_sin(kn_mul(*x, w->p));
    return (two){kn_sum(kn_mul(y, w->q)), kn_exp(kn_sub(y, w->q))};
}
KN_FUNCTION(smooth, two, kn_array, two)
static kn_array detached(const kn_array *x) /* a staircase, whose derivative is zero */
{
    return kn_sum(kn_astype(kn_astype(kn_mul(*x, 1e6), KN_I64), KN_F64));
}
KN_FUNCTION(detached, kn_array, kn_array)

/* The defaults of a function are those that it has without options: numbers that are equal to 6 decimals and not to 7. */
static void the_defaults_of_an_assertion_are_its_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_num(1.0), y = kn_num(1.000001);
    const kn_testing_array_almost_opts six = kn_testing_array_almost_opts_default();
    const kn_testing_almost_opts seven = kn_testing_almost_opts_default();
    assert_int_equal(six.decimal, 6);
    assert_int_equal(seven.decimal, 7);
    assert_int_equal((kn_testing_assert_array_almost_equal)(x, y, &six), 0);
    assert_int_equal((kn_testing_assert_array_almost_equal)(x, y, NULL), 0);
    assert_int_equal((kn_testing_assert_almost_equal)(x, y, &seven), -1);
    kn_error_clear();
    assert_int_equal((kn_testing_assert_almost_equal)(x, y, NULL), -1);
    kn_error_clear();
}

static void right_derivatives_pass(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.3, -0.7, 1.1);
    two w = {kn_of(double, 1, 2, -1), kn_of(double, 0.5, 0.25, 1)};
    assert_int_equal(kn_testing_check_grads(KN_FN(smooth), KN_ARGS(&x, &w), 2), 0);
    assert_int_equal(kn_testing_check_jvp(KN_FN(smooth), KN_ARGS(&x, &w)), 0);
    assert_int_equal(kn_testing_check_vjp(KN_FN(smooth), KN_ARGS(&x, &w), .rtol = 1e-4, .atol = 1e-4), 0);
    kn_array f = kn_astype(x, KN_F32);
    two v = {kn_astype(w.p, KN_F32), kn_astype(w.q, KN_F32)};
    assert_int_equal(kn_testing_check_grads(KN_FN(smooth), KN_ARGS(&f, &v), 1, .eps = 1e-2), 0);
}

static void wrong_derivatives_do_not(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.3, -0.7, 1.1);
    assert_int_equal(kn_testing_check_grads(KN_FN(detached), KN_ARGS(&x), 1), -1);
    expect_error_with("AssertionError", "Not equal to tolerance rtol=1e-05, atol=1e-05\nJVP tangent");
    assert_int_equal(kn_testing_check_grads(KN_FN(detached), KN_ARGS(&x), 1, .modes = "rev"), -1);
    expect_error_with("AssertionError", "VJP cotangent projection");
    assert_int_equal(kn_testing_check_grads(KN_FN(detached), KN_ARGS(&x), 1, .modes = "up"), -1);
    expect_error("ValueError", "testing_check_grads: modes must be one of 'fwd', 'rev', 'fwd,rev' (got 'up')");
}

KN_TEST_GROUP(test_testing)
{
    const struct CMUnitTest tests[] = {
        TEST(reports_are_those_of_numpy), TEST(the_report_is_the_whole_message),
        TEST(errors_can_be_expected),     TEST(the_defaults_of_an_assertion_are_its_own),
        TEST(right_derivatives_pass),     TEST(wrong_derivatives_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
