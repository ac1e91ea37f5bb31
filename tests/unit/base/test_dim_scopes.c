/* SPDX-License-Identifier: Apache-2.0
 * test_dim_scopes.c -- scopes of dimensions: bounds, comparisons, constraints, guards; bounds and answers are those of
 * jax.export (JAX 0.10), noted down; what is better than there says so. */
#include "base/dim.h"
#include "support/dim_scope.h"
#include "support/group.h"

static void bounds(const char *d, int64_t lower, int64_t upper)
{
    int64_t l, u;
    knx_dim_bounds(dim(d), &l, &u);
    if (l != lower || u != upper)
        fail_msg("%s lies within %lld and %lld, not within %lld and %lld", d, (long long)l, (long long)u,
                 (long long)lower, (long long)upper);
}

/* --- bounds and comparisons ------------------------------------------------------------------- */

static void bounds_of_sums(void **state)
{
    (void)state;
    bounds("a", 1, HIGH);
    bounds("a - 1", 0, HIGH);
    bounds("2*a + 3", 5, HIGH);
    bounds("-a", LOW, -1);
    bounds("5 - a", LOW, 4);
    bounds("a + b", 2, HIGH);
    bounds("a - b", LOW, HIGH);
    bounds("a*b", 1, HIGH);
}

static void bounds_of_operations(void **state)
{
    (void)state;
    bounds("floordiv(a, 2)", 0, HIGH);
    bounds("floordiv(a + 7, 8)", 1, HIGH);
    bounds("floordiv(7, a)", 0, 7);
    bounds("floordiv(-7, a)", -7, -1);
    bounds("mod(a, 8)", 0, 7);
    bounds("mod(a, -8)", -7, 0);
    bounds("mod(a, b)", 0, HIGH);
    bounds("max(a, 5)", 5, HIGH);
    bounds("min(a, 5)", 1, 5);
    bounds("max(a - 5, 0)", 0, HIGH);
}

static void bounds_of_sums_of_operations(void **state)
{
    (void)state;
    bounds("min(a, b) - a", LOW, 0);
    bounds("max(a, b) - b", 0, HIGH);
    bounds("a - floordiv(a, 2)", 1, HIGH);
    bounds("a - 2*floordiv(a, 2)", 0, 1);
    bounds("a - 4*floordiv(a, 4)", 0, 3);
    bounds("8*floordiv(a + 7, 8) - a", 0, 7);
    bounds("a - min(a, 3)", 0, HIGH);
}

static void comparisons_that_bounds_decide(void **state)
{
    (void)state;
    assert_true(knx_dim_le(1, dim("b")));
    assert_true(knx_dim_lt(0, dim("b")));
    assert_true(knx_dim_lt(dim("b"), dim("b + 1")));
    assert_false(knx_dim_le(dim("b + 1"), dim("b")));
    assert_true(knx_dim_le(dim("floordiv(b, 2)"), dim("b")));
    assert_false(knx_dim_eq(dim("b"), dim("b + 1")));
    assert_false(knx_dim_eq(dim("b"), 0));
    assert_null(scope.error);
}

static void an_order_that_is_not_known_is_refused(void **state)
{
    (void)state;
    assert_false(knx_dim_le(dim("a"), dim("b")));
    refused(KN_ERROR_DIMENSION, "Symbolic dimension comparison 'a' <= 'b' is inconclusive");
    assert_false(knx_dim_le(5, dim("a")));
    refused(KN_ERROR_DIMENSION, "Symbolic dimension comparison '5' <= 'a' is inconclusive");
}

static void only_the_first_refusal_is_kept(void **state)
{
    (void)state;
    knx_dim_le(dim("a"), 3);
    knx_dim_le(dim("a"), 4);
    refused(KN_ERROR_DIMENSION, "Symbolic dimension comparison 'a' <= '3' is inconclusive");
    assert_null(scope.error);
}

static void an_equality_that_is_not_known_is_none(void **state)
{
    (void)state;
    assert_false(knx_dim_eq(dim("a"), dim("b")));
    assert_false(knx_dim_eq(dim("a"), 1));
    assert_false(knx_dim_same(dim("a"), 1));
    assert_true(knx_dim_eq(dim("a"), dim("a")));
    assert_null(scope.error);
}

static void without_a_scope_nobody_hears_of_a_refusal(void **state)
{
    (void)state;
    knx_dim_leave(&scope);
    assert_null(knx_dim_now());
    assert_false(knx_dim_le(dim("a"), dim("b")));
    assert_true(knx_dim_le(0, dim("a")));
    knx_dim_enter(&scope);
    assert_null(scope.error);
}

static void scopes_nest(void **state)
{
    (void)state;
    knx_dim_scope inner;
    knx_dim_scope_init(&inner);
    inner.least = 0;
    bounds("b", 1, HIGH);
    knx_dim_enter(&inner);
    assert_ptr_equal(knx_dim_now(), &inner);
    bounds("b", 0, HIGH);
    knx_dim_leave(&inner);
    assert_ptr_equal(knx_dim_now(), &scope);
    bounds("b", 1, HIGH);
    knx_dim_scope_free(&inner);
}

/* --- constraints ------------------------------------------------------------------------------ */

static void a_multiple_of_8(void **state)
{
    (void)state;
    given("mod(t, 8) == 0");
    prints("8*floordiv(t, 8)", "t");
    prints("16*floordiv(t, 8)", "2*t");
    prints("mod(t, 8)", "0");
    prints("t - 8*floordiv(t, 8)", "0");
    bounds("floordiv(t, 8)", 1, HIGH);
}

static void at_least_5(void **state)
{
    (void)state;
    given("b >= 5");
    bounds("b - 5", 0, HIGH);
    bounds("b - 6", -1, HIGH);
    bounds("floordiv(b, 5)", 1, HIGH);
    prints("max(b, 5)", "b");
    prints("min(b, 5)", "5");
    assert_true(knx_dim_le(3, dim("b")));
}

static void one_below_another(void **state)
{
    (void)state;
    given("a <= b");
    assert_true(knx_dim_le(dim("a"), dim("b")));
    bounds("b - a", 0, HIGH);
    bounds("a - b", LOW, 0);
    bounds("b - a + 1", 1, HIGH);
}

static void between_two_numbers(void **state)
{
    (void)state;
    given("a >= 2");
    given("a <= 10");
    bounds("a", 2, 10);
    bounds("a*a", 4, 100);
    bounds("floordiv(a, 3)", 0, 3);
    bounds("2*a - 3", 1, 17);
    bounds("a - 11", -9, -1);
}

static void a_variable_made_of_another(void **state)
{
    (void)state;
    given("t == 8*u");
    prints("t", "8*u");
    prints("2*t", "16*u");
    prints("floordiv(t, 8)", "u");
    prints("t - 8*u", "0");
    prints("mod(t, 8)", "0");
}

static void a_sum_with_a_limit(void **state)
{
    (void)state;
    given("a + b <= 10");
    bounds("a", 1, 9);
    bounds("b", 1, 9);
    bounds("a + b", 2, 10);
}

static void refusals_name_the_constraints(void **state)
{
    (void)state;
    given("a >= 3");
    knx_dim_le(dim("a"), dim("b"));
    refused(KN_ERROR_DIMENSION, "Symbolic dimension comparison 'a' <= 'b' is inconclusive; constraints: a >= 3");
}

static void constraint_fails(const char *text, kn_error_kind kind, const char *message)
{
    knx_error *e = knx_dim_constrain(&scope, text);
    assert_non_null(e);
    assert_string_equal(e->message, message);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
    assert_null(scope.error);
}

static void constraints_that_are_none(void **state)
{
    (void)state;
    constraint_fails("a", KN_ERROR_VALUE, "a constraint of dimensions has ==, >= or <=, got 'a'");
    constraint_fails("a > 3", KN_ERROR_VALUE, "a constraint of dimensions has ==, >= or <=, got 'a > 3'");
    constraint_fails("a >= ", KN_ERROR_VALUE, "a dimension has its end where a number, a name or ( is expected");
    constraint_fails("a >= 2.5", KN_ERROR_VALUE, "unexpected text behind a constraint of dimensions: '.5'");
    constraint_fails("a == b == c", KN_ERROR_VALUE, "unexpected text behind a constraint of dimensions: '== c'");
    constraint_fails("3 == a", KN_ERROR_VALUE,
                     "the left side of an equality of dimensions is one term times a number, as in 8*t == b");
}

static void constraints_that_cannot_hold(void **state)
{
    (void)state;
    constraint_fails("0 >= 1", KN_ERROR_VALUE, "Unsatisfiable explicit constraint: 0 >= 1");
    constraint_fails("a + 1 <= a", KN_ERROR_VALUE, "Unsatisfiable explicit constraint: a + 1 <= a");
    constraint_fails("a <= 0", KN_ERROR_VALUE, "Unsatisfiable constraint: a <= 0"); /* JAX takes it */
}

/* --- guards ----------------------------------------------------------------------------------- */

/* What a guard says is known from then on, in whatever words. */
static void what_is_assumed_equal_is_the_same(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("a", 2);
    sample("b", 5);
    assert_false(knx_dim_same(dim("a - 1"), 1));
    assert_true(knx_dim_eq(dim("a"), 2));
    assert_true(knx_dim_same(dim("a - 1"), 1) && knx_dim_same(1, dim("a - 1")));
    assert_false(knx_dim_eq(dim("b"), 4));
    assert_false(knx_dim_same(dim("b"), 4));
    assert_int_equal(scope.guard.n, 2);
}

static void a_sample_decides_and_leaves_a_guard(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("a", 5);
    sample("b", 5);
    assert_true(knx_dim_eq(dim("a"), dim("b")));
    assert_true(knx_dim_le(dim("a"), 7));
    assert_false(knx_dim_le(dim("a"), 4));
    assert_null(scope.error);
    assert_int_equal(scope.guard.n, 3);
    assert_true(scope.guard.at[0].equal && scope.guard.at[0].holds);
    text_is(scope.guard.at[0].e, "- b + a");
    assert_true(!scope.guard.at[1].equal && scope.guard.at[1].holds);
    text_is(scope.guard.at[1].e, "- a + 7");
    assert_true(!scope.guard.at[2].equal && !scope.guard.at[2].holds);
    text_is(scope.guard.at[2].e, "- a + 4");
}

static void the_same_question_is_one_guard(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("a", 5);
    for (int i = 0; i < 3; i++)
        assert_true(knx_dim_le(dim("a"), 7));
    assert_int_equal(scope.guard.n, 1);
}

static void what_bounds_decide_leaves_no_guard(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("a", 5);
    assert_true(knx_dim_le(0, dim("a")));
    assert_true(knx_dim_eq(dim("a"), dim("a")));
    assert_false(knx_dim_eq(dim("a"), dim("a + 1")));
    assert_false(knx_dim_same(dim("a"), 5));
    assert_int_equal(scope.guard.n, 0);
}

static void a_variable_without_a_sample_is_refused(void **state)
{
    (void)state;
    scope.assumes = true;
    assert_false(knx_dim_le(dim("a"), 7));
    refused(KN_ERROR_DIMENSION, "Symbolic dimension comparison 'a' <= '7' is inconclusive");
}

KN_TEST_GROUP(test_dim_scopes)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(bounds_of_sums),
        TEST(bounds_of_operations),
        TEST(bounds_of_sums_of_operations),
        TEST(comparisons_that_bounds_decide),
        TEST(an_order_that_is_not_known_is_refused),
        TEST(only_the_first_refusal_is_kept),
        TEST(an_equality_that_is_not_known_is_none),
        TEST(without_a_scope_nobody_hears_of_a_refusal),
        TEST(scopes_nest),
        TEST(a_multiple_of_8),
        TEST(at_least_5),
        TEST(one_below_another),
        TEST(between_two_numbers),
        TEST(a_variable_made_of_another),
        TEST(a_sum_with_a_limit),
        TEST(refusals_name_the_constraints),
        TEST(constraints_that_are_none),
        TEST(constraints_that_cannot_hold),
        TEST(a_sample_decides_and_leaves_a_guard),
        TEST(what_is_assumed_equal_is_the_same),
        TEST(the_same_question_is_one_guard),
        TEST(what_bounds_decide_leaves_no_guard),
        TEST(a_variable_without_a_sample_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
