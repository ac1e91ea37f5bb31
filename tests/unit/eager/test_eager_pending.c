/* SPDX-License-Identifier: Apache-2.0
 * test_eager_pending.c -- what waits for an array: as a jaxpr, its operations and their operands, step by step, and the memory
 * that it holds. */
#include "support/group.h"
#include "unit/eager/same.h"

static kn_array value_of(kn_jaxpr j)
{
    kn_array y = NULL;
    kn_call(kn_fn_from_jaxpr(j), &y);
    return y;
}

static void what_waits_is_a_jaxpr_without_inputs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), s = kn_add(x, x), y = kn_mul(s, kn_exp(s));
    kn_jaxpr j = kn_pending_jaxpr(y);
    kn_jaxpr_counts n = kn_jaxpr_count(j);
    assert_int_equal(n.invars, 0);
    assert_int_equal(n.equations, 3); /* the sum is there once */
    assert_int_equal(n.outvars, 1);
    const char *order[] = {"add", "exp", "mul"};
    for (int i = 0; i < 3; i++) {
        kn_equation e = {.size_ = sizeof e};
        assert_int_equal(kn_jaxpr_equation(j, i, &e), 0);
        assert_string_equal(e.primitive, order[i]);
    }
    assert_non_null(strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "exp"));
    assert_non_null(strstr(kn_jaxpr_graphviz(j), "digraph"));
    same(value_of(j), y); /* it computes what waits; and to look at the jaxpr ran nothing before */
    assert_int_equal(kn_jaxpr_count(kn_pending_jaxpr(y)).equations, 0);
    same(value_of(kn_pending_jaxpr(y)), y);
}

static void results_of_one_operation_are_siblings(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_lax_top_k_result top = kn_lax_top_k(kn_of(double, 4, 1, 3), 2);
    kn_list all = kn_siblings_of(top.indices);
    assert_int_equal(kn_list_count(all), 2);
    expect_values(kn_list_get(all, 0), 4, 3);
    expect_values(kn_list_get(all, 1), 0, 2);
}

static void operands_are_parents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_of(double, 3, 4), s = kn_add(x, y), p = kn_mul(s, y);
    assert_string_equal(kn_operation_of(p), "mul");
    assert_string_equal(kn_operation_of(s), "add");
    assert_string_equal(kn_operation_of(x), "");
    kn_list parents = kn_parents_of(p);
    assert_int_equal(kn_list_count(parents), 2);
    same(kn_list_get(parents, 1), y);
    assert_string_equal(kn_operation_of(kn_list_get(parents, 0)), "add"); /* it waits still */
    assert_int_equal(kn_list_count(kn_parents_of(x)), 0);
    assert_int_equal(kn_list_count(kn_siblings_of(x)), 0);
    kn_list siblings = kn_siblings_of(p);
    assert_int_equal(kn_list_count(siblings), 1);
    expect_values(kn_list_get(siblings, 0), 12, 24);
    expect_values(p, 12, 24);
    assert_string_equal(kn_operation_of(p), ""); /* it is there */
    assert_int_equal(kn_list_count(kn_parents_of(p)), 0);
}

static void steps_run_one_operation_each(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), a = kn_add(x, x), b = kn_exp(a), y = kn_mul(b, a);
    assert_int_equal(kn_pending_memory_of(y).operations, 3);
    assert_int_equal(kn_pending_step(y), 2);
    assert_string_equal(kn_operation_of(a), "");
    assert_string_equal(kn_operation_of(b), "exp");
    assert_int_equal(kn_pending_step(y), 1);
    assert_string_equal(kn_operation_of(b), "");
    assert_int_equal(kn_pending_step(y), 0);
    assert_int_equal(kn_pending_step(y), 0);
    expect_near(y, 1e-12, 2 * exp(2), 4 * exp(4));
    assert_int_equal(kn_pending_step(x), 0);
}

static void memory_is_counted(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_ones(KN_SHAPE(1000)));
    kn_sum(x);
    kn_item(x, 0);
    kn_array s = kn_sum(kn_sin(kn_add(x, x)));
    kn_pending_memory m = kn_pending_memory_of(s);
    assert_int_equal(m.operations, 3);
    assert_int_equal(m.operands, 8000); /* x, once */
    assert_int_equal(m.results, 8);
    kn_item(s);
    m = kn_pending_memory_of(s);
    assert_int_equal(m.operations, 0);
    assert_int_equal(m.results, 8);
}

static void at_once_nothing_waits(void **state)
{
    (void)state;
    KN_SCOPE;
    bool was = kn_set_lazy(false);
    kn_array y = kn_exp(kn_of(double, 0, 1));
    assert_string_equal(kn_operation_of(y), "");
    assert_int_equal(kn_jaxpr_count(kn_pending_jaxpr(y)).equations, 0);
    assert_int_equal(kn_pending_step(y), 0);
    kn_set_lazy(was);
}

static void what_is_on_a_tape_tells_what_made_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_watch(kn_of(double, 1, 2)), e = kn_exp(w), s = kn_sin(w);
    kn_item(e, 0);
    kn_item(s, 0);
    assert_string_equal(kn_operation_of(e), "exp");
    assert_string_equal(kn_operation_of(s), "sin");
    kn_list parents = kn_parents_of(s); /* the derivative needs the operand */
    assert_int_equal(kn_list_count(parents), 1);
    expect_values(kn_list_get(parents, 0), 1, 2);
}

static void values_with_tangents_and_batch_axes_wait_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), t = kn_square(kn_with_tangent(x, x)), b = kn_square(kn_batch_in(x, 0));
    assert_true(kn_jaxpr_count(kn_pending_jaxpr(t)).equations >= 1);
    assert_true(kn_jaxpr_count(kn_pending_jaxpr(b)).equations >= 1);
    while (kn_pending_step(t) > 0 || kn_pending_step(b) > 0)
        ;
    assert_int_equal(kn_pending_memory_of(b).operations, 0);
    expect_values(kn_primal_of(t), 1, 4, 9);
    expect_values(kn_batch_out(b, 0), 1, 4, 9);
}

static kn_array looks_inside(const kn_array *x)
{
    kn_array y = kn_exp(*x);
    kn_pending_step(y);
    kn_pending_jaxpr(y);
    kn_error_clear();
    return y;
}
KN_FUNCTION(looks_inside, kn_array, kn_array)

static void inside_of_recorded_functions_nothing_breaks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.0), y = NULL;
    kn_call(kn_jit(KN_FN(looks_inside)), &y, &x);
    kn_error_clear();
}

KN_TEST_GROUP(test_eager_pending)
{
    const struct CMUnitTest tests[] = {
        TEST(what_waits_is_a_jaxpr_without_inputs),
        TEST(results_of_one_operation_are_siblings),
        TEST(operands_are_parents),
        TEST(steps_run_one_operation_each),
        TEST(memory_is_counted),
        TEST(at_once_nothing_waits),
        TEST(what_is_on_a_tape_tells_what_made_it),
        TEST(values_with_tangents_and_batch_axes_wait_too),
        TEST(inside_of_recorded_functions_nothing_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
