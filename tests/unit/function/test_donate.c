/* SPDX-License-Identifier: Apache-2.0
 * test_donate.c -- donate_argnums: the array's memory becomes a result's, the array is an error afterwards that says
 * where it was donated; what cannot be used stays as it is, as in JAX. */
#include "support/expect.h"
#include "support/group.h"
#include "array/state.h"

typedef struct Pair {
    kn_array a, b;
} Pair;
KN_FIELDS(Pair, a, b)
static kn_array step(const kn_array *w, const kn_array *g) { return kn_sub(*w, kn_mul(.5, *g)); }
static kn_array total(const kn_array *w) { return kn_sum(*w); }
static kn_array second(const kn_array *w, const kn_array *g) { return kn_add(*g, kn_at(*w, "0")); }
static kn_array itself(const kn_array *w) { return *w; }
static Pair swap_add(const Pair *p) { return (Pair){kn_add(p->b, 1), kn_add(p->a, 2)}; }
static kn_array row(const kn_array *w) { return kn_sum(kn_mul(*w, *w)); }
KN_FUNCTION(step, kn_array, kn_array, kn_array)
KN_FUNCTION(total, kn_array, kn_array)
KN_FUNCTION(second, kn_array, kn_array, kn_array)
KN_FUNCTION(itself, kn_array, kn_array)
KN_FUNCTION(swap_add, Pair, Pair)
KN_FUNCTION(row, kn_array, kn_array)

enum { N = 1000 };

static kn_array ones(void)
{
    kn_array x = kn_copy(kn_ones(KN_SHAPE(N)));
    kn_eval(x);
    return x;
}

static kn_fn donating_step(void) { return kn_jit(KN_FN(step), .donate_argnums = KN_ARGNUMS(0)); }

#define EXPECT_GONE(x)                                                                                            \
    do {                                                                                                          \
        (void)kn_item(kn_sum(x));                                                                                 \
        expect_error_with("RuntimeError", "Array has been deleted with shape=float64[1000]. It was donated to "); \
    } while (0)

static void the_result_has_the_memory_of_the_donated_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y;
    const double *p = kn_data(w, double);
    size_t live = kn_cache_stats().memory_live;
    kn_call(donating_step(), &y, &w, &g);
    assert_ptr_equal(kn_data(y, double), p);
    assert_true(kn_cache_stats().memory_live <= live);
    expect_values(kn_at(y, "::999"), 0.5, 0.5);
    EXPECT_GONE(w);
    expect_values(kn_at(g, "::999"), 1, 1);
}

static void the_error_has_both_lines(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y;
    char want[64];
    snprintf(want, sizeof want, "test_donate.c:%d", __LINE__ + 1);
    kn_call(donating_step(), &y, &w, &g);
    int line = __LINE__ + 1;
    kn_array z = kn_add(w, 1);
    kn_eval(z);
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_message(), want));
    assert_string_equal(kn_error_kind_name(), "RuntimeError");
    kn_error_clear();
    line = __LINE__ + 1; /* and each use is one */
    kn_call(donating_step(), &y, &w, &g);
    assert_int_equal(kn_error_line(), line);
    kn_error_clear();
}

static void a_chain_of_steps_needs_one_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones();
    const double *p = kn_data(w, double);
    kn_fn f = donating_step();
    for (int i = 0; i < 10; i++)
        kn_call(f, &w, &w, &g);
    assert_ptr_equal(kn_data(w, double), p);
    expect_values(kn_at(w, "::999"), -4, -4);
}

/* ---- Who else has it. */

static void views_of_it_are_errors_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y, view = kn_at(w, "10:20"), seen = kn_at(w, "5:8");
    expect_values(seen, 1, 1, 1);
    kn_call(donating_step(), &y, &w, &g);
    kn_eval(kn_add(view, 1));
    expect_error_with("RuntimeError", "It was donated to step");
    kn_eval(kn_add(seen, 1));
    expect_error_with("RuntimeError", "It was donated to step");
}

static void what_was_recorded_before_sees_the_old_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y, before = kn_add(w, 10);
    kn_call(donating_step(), &y, &w, &g);
    expect_values(kn_at(before, "::999"), 11, 11);
    expect_values(kn_at(y, "::999"), 0.5, 0.5);
}

static void another_name_of_it_is_an_error_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y, other = NULL;
    kn_assign(&other, w);
    kn_call(donating_step(), &y, &w, &g);
    expect_values(kn_at(y, "::999"), 0.5, 0.5);
    EXPECT_GONE(other);
    kn_release(other);
}

static void the_users_memory_is_not_written(void **state)
{
    (void)state;
    KN_SCOPE;
    static double memory[N];
    kn_array w = kn_wrap(memory, KN_SHAPE(N), KN_F64), g = ones(), y;
    kn_call(donating_step(), &y, &w, &g);
    expect_values(kn_at(y, "::999"), -0.5, -0.5);
    assert_true(memory[0] == 0 && memory[N - 1] == 0);
    EXPECT_GONE(w);
}

static void a_view_is_not_given(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_ones(KN_SHAPE(2, N))), g = ones(), y;
    kn_array w = kn_at(x, "1");
    kn_call(donating_step(), &y, &w, &g);
    expect_values(kn_at(y, "::999"), 0.5, 0.5);
    expect_values(kn_at(x, ":, 0"), 1, 1);
    expect_values(kn_at(w, "::999"), 1, 1);
}

/* ---- What cannot be used. */

static void what_no_result_can_use_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), y;
    kn_call(kn_jit(KN_FN(total), .donate_argnums = KN_ARGNUMS(0)), &y, &w);
    expect_values(y, 1000);
    expect_values(kn_sum(w), 1000);
}

static void the_same_array_twice_is_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), y;
    kn_call(donating_step(), &y, &w, &w);
    expect_error_with("ValueError",
                      "step was given an array for good that it is also given as another argument: f(donate(a), a)");
    expect_values(kn_sum(w), 1000);
    Pair p = {w, w}, q;
    kn_call(kn_jit(KN_FN(swap_add), .donate_argnums = KN_ARGNUMS(0)), &q, &p);
    expect_error_with("ValueError", "swap_add was given the same array for good twice: f(donate(a), donate(a))");
    expect_values(kn_sum(w), 1000);
}

/* What is worked out together and equal may share memory. */
static void two_arrays_that_are_equal_are_two(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int together = 0; together < 2; together++) {
        Pair p = {kn_zeros(KN_SHAPE(1000)), kn_zeros(KN_SHAPE(1000))}, q;
        if (together)
            kn_eval(kn_add(p.a, p.b));
        kn_call(kn_jit(KN_FN(swap_add), .donate_argnums = KN_ARGNUMS(0)), &q, &p);
        expect_values(kn_at(q.a, ":2"), 1, 1);
        expect_values(kn_at(q.b, ":2"), 2, 2);
        expect_no_error();
        assert_false(kn_ok(kn_add(p.a, 1)));
        assert_false(kn_ok(kn_add(p.b, 1)));
        kn_error_clear();
    }
}

static void numbers_are_not_given(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_num(1.0), two = kn_num(2.0), y;
    kn_call(donating_step(), &y, &one, &two);
    expect_values(y, 0);
    expect_values(kn_add(one, two), 3);
}

static void an_argument_out_of_range_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_jit(KN_FN(step), .donate_argnums = KN_ARGNUMS(2));
    expect_error_with("ValueError", "donate_argnums 2 is out of range: step has 2 arguments");
}

/* ---- Elsewhere. */

static void trees_are_given_array_by_array(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {ones(), ones()}, q;
    const double *a = kn_data(p.a, double), *b = kn_data(p.b, double);
    kn_call(kn_jit(KN_FN(swap_add), .donate_argnums = KN_ARGNUMS(0)), &q, &p);
    const double *c = kn_data(q.a, double), *d = kn_data(q.b, double);
    assert_true((c == a && d == b) || (c == b && d == a));
    expect_values(kn_at(q.a, "::999"), 2, 2);
    expect_values(kn_at(q.b, "::999"), 3, 3);
    EXPECT_GONE(p.a);
    EXPECT_GONE(p.b);
}

static void a_result_that_is_the_argument_keeps_its_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), y;
    kn_call(kn_jit(KN_FN(itself), .donate_argnums = KN_ARGNUMS(0)), &y, &w);
    expect_values(kn_at(y, "::999"), 1, 1);
    EXPECT_GONE(w);
}

static kn_array inside(const kn_array *w, const kn_array *g)
{
    kn_array y;
    kn_call(donating_step(), &y, w, g);
    return kn_sum(kn_add(y, *w));
}
KN_FUNCTION(inside, kn_array, kn_array, kn_array)

static void nothing_is_given_inside_of_what_is_recorded(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y, dw;
    kn_call(kn_jit(KN_FN(inside)), &y, &w, &g);
    expect_values(y, 1500);
    kn_call(kn_grad(KN_FN(inside)), &dw, &w, &g);
    expect_values(kn_at(dw, "::999"), 2, 2);
    kn_call(kn_vmap(donating_step()), &y, &w, &g);
    expect_values(kn_at(y, "::999"), 0.5, 0.5);
    expect_values(kn_sum(w), 1000);
}

static void a_jitted_gradient_takes_its_argument(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g;
    const double *p = kn_data(w, double);
    kn_call(kn_jit(kn_grad(KN_FN(row)), .donate_argnums = KN_ARGNUMS(0)), &g, &w);
    expect_values(kn_at(g, "::999"), 2, 2);
    assert_ptr_equal(kn_data(g, double), p);
    EXPECT_GONE(w);
}

static void what_a_recording_captured_is_an_error_there(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y, z;
    kn_call(kn_jit(KN_FN(second), .donate_argnums = KN_ARGNUMS(1)), &y, &w, &g);
    expect_values(kn_at(y, "::999"), 2, 2);
    EXPECT_GONE(g);
    kn_call(kn_jit(KN_FN(second)), &z, &w, &g);
    expect_error_with("RuntimeError", "It was donated to second");
}

static void the_peak_counts_it_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones();
    size_t plain = kn_fn_peak_bytes(kn_jit(KN_FN(step)), KN_ARGS(&w, &g), 1);
    size_t donating = kn_fn_peak_bytes(donating_step(), KN_ARGS(&w, &g), 1);
    assert_int_equal(plain - donating, N * sizeof(double));
}

static void with_and_without_fusion_it_is_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = ones(), g = ones(), y;
    bool lazy = kn_set_lazy(false);
    kn_call(donating_step(), &y, &w, &g);
    kn_set_lazy(lazy);
    expect_values(kn_at(y, "::999"), 0.5, 0.5);
    EXPECT_GONE(w);
}

KN_TEST_GROUP(test_donate)
{
    const struct CMUnitTest tests[] = {
        TEST(the_result_has_the_memory_of_the_donated_array),
        TEST(the_error_has_both_lines),
        TEST(a_chain_of_steps_needs_one_array),
        TEST(views_of_it_are_errors_too),
        TEST(what_was_recorded_before_sees_the_old_elements),
        TEST(another_name_of_it_is_an_error_too),
        TEST(the_users_memory_is_not_written),
        TEST(a_view_is_not_given),
        TEST(what_no_result_can_use_stays),
        TEST(the_same_array_twice_is_refused),
        TEST(two_arrays_that_are_equal_are_two),
        TEST(numbers_are_not_given),
        TEST(an_argument_out_of_range_is_an_error),
        TEST(trees_are_given_array_by_array),
        TEST(a_result_that_is_the_argument_keeps_its_memory),
        TEST(nothing_is_given_inside_of_what_is_recorded),
        TEST(a_jitted_gradient_takes_its_argument),
        TEST(what_a_recording_captured_is_an_error_there),
        TEST(the_peak_counts_it_once),
        TEST(with_and_without_fusion_it_is_the_same),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
