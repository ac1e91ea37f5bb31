/* SPDX-License-Identifier: Apache-2.0
 * test_pending.c -- work that waits to be looked at is bounded, in operations and in the memory that it holds. */
#include "support/expect.h"
#include "support/group.h"
#include <stdlib.h>

enum { MIB = 1 << 20, SIDE = MIB / 8 };
static double megabyte[SIDE];

static kn_pending_limits before;

static int bounds_setup(void **state)
{
    before = kn_pending_get_limits();
    for (int i = 0; i < SIDE; i++)
        megabyte[i] = 1;
    return expect_setup(state);
}
static int bounds_teardown(void **state)
{
    kn_pending_set_limits(before.operations, before.bytes);
    return expect_teardown(state);
}
#define BOUNDS(f) cmocka_unit_test_setup_teardown(f, bounds_setup, bounds_teardown)

static int64_t waiting(void) { return kn_cache_stats().pending_operations; }
static size_t live(void) { return kn_cache_stats().memory_live; }

/* ---- Operations. */

static void operations_wait_up_to_the_bound(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 1);
    int64_t most = 0, first = waiting();
    kn_pending_set_limits(10, SIZE_MAX);
    for (int i = 0; i < 100; i++) {
        kn_assign(&x, kn_add(x, 1));
        most = waiting() - first > most ? waiting() - first : most;
    }
    assert_in_range(most, 10, 11);
    expect_values(x, 100, 101);
}

static void none_wait_if_the_bound_is_zero(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_pending_set_limits(0, SIZE_MAX);
    kn_array x = kn_add(kn_of(double, 1, 2), 1);
    assert_int_equal(waiting(), 0);
    expect_values(x, 2, 3);
}

/* ---- Bytes. */

/* A loss that is summed up over batches and never looked at: each batch of 1 MiB would wait for it. */
static size_t summed_up(int batches)
{
    KN_SCOPE;
    size_t first = live(), most = 0;
    kn_array sum = kn_scalar(0.0);
    for (int i = 0; i < batches; i++) {
        KN_SCOPE;
        kn_array batch = kn_from(megabyte, KN_SHAPE(SIDE));
        kn_assign(&sum, kn_add(sum, kn_sum(kn_square(batch))));
        size_t now = live() - first;
        most = now > most ? now : most;
    }
    assert_true(kn_item(sum) == (double)batches * SIDE);
    return most;
}

static void what_waiting_work_holds_stays_under_the_bound(void **state)
{
    (void)state;
    kn_pending_set_limits(1 << 20, SIZE_MAX);
    assert_true(summed_up(200) > (size_t)190 * MIB); /* unbounded: all of them */
    kn_pending_set_limits(1 << 20, (size_t)32 * MIB);
    assert_true(summed_up(200) < (size_t)44 * MIB);
    kn_pending_set_limits(1 << 20, (size_t)8 * MIB);
    assert_true(summed_up(200) < (size_t)12 * MIB);
}

static void the_bound_begins_at_a_quarter_of_a_gibibyte(void **state)
{
    (void)state;
    assert_true(before.bytes == (size_t)256 * MIB);
    assert_int_equal(before.operations, 4096);
    assert_true(summed_up(600) < (size_t)330 * MIB);
}

/* What an array that somebody has is used for costs nothing. */
static void arrays_of_the_user_do_not_count(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_pending_set_limits(1000, (size_t)4 * MIB);
    kn_array weights[16], y[16];
    for (int i = 0; i < 16; i++)
        weights[i] = kn_from(megabyte, KN_SHAPE(SIDE));
    int64_t first = waiting();
    for (int i = 0; i < 16; i++)
        y[i] = kn_sum(kn_square(weights[i]));
    assert_int_equal(waiting() - first, 32);
    for (int i = 0; i < 16; i++)
        assert_true(kn_item(y[i]) == SIDE);
}

/* A chain over one large array holds what its result will take: running it would free nothing, and lose the fusion. */
static void a_chain_over_a_large_array_waits(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_pending_set_limits(1000, MIB / 2);
    kn_array x = kn_from(megabyte, KN_SHAPE(SIDE));
    int64_t first = waiting();
    for (int i = 0; i < 20; i++)
        kn_assign(&x, kn_add(x, 1));
    assert_int_equal(waiting() - first, 20);
    assert_true(kn_item(x, 0) == 21);
}

/* Each waits for an array of its own, and none for the others. */
static void past_the_bound_operations_run_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 64 };
    kn_pending_set_limits(1000, (size_t)16 * MIB);
    kn_array y[N];
    size_t first = live();
    for (int i = 0; i < N; i++) {
        kn_array x = kn_from(megabyte, KN_SHAPE(SIDE));
        y[i] = kn_sum(x);
        kn_release(x);
    }
    assert_true(live() - first < (size_t)24 * MIB);
    for (int i = 0; i < N; i++)
        assert_true(kn_item(y[i]) == SIDE);
}

static void values_do_not_depend_on_the_bound(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array all[3];
    for (int way = 0; way < 3; way++) {
        kn_pending_set_limits(way == 1 ? 3 : 4096, way == 2 ? 0 : SIZE_MAX);
        kn_array x = kn_linspace(0, 1, 1000), m = kn_outer(x, x);
        for (int i = 0; i < 5; i++) {
            kn_iadd_at(m, kn_sin(x), "%", i);
            kn_assign(&m, kn_mul(m, kn_add(kn_transpose(m), 1)));
        }
        all[way] = kn_sum(m, KN_AXIS(0));
    }
    assert_true(kn_item_bool(kn_array_equal(all[0], all[1])));
    assert_true(kn_item_bool(kn_array_equal(all[0], all[2])));
}

/* ---- Settings. */

static void each_context_has_its_bounds(void **state)
{
    (void)state;
    kn_pending_set_limits(7, 8);
    kn_context other = kn_context_new();
    {
        KN_CONTEXT(other);
        assert_int_equal(kn_pending_get_limits().operations, before.operations);
    }
    assert_int_equal(kn_context_free(other), 0);
    assert_int_equal(kn_pending_get_limits().operations, 7);
    assert_int_equal(kn_pending_get_limits().bytes, 8);
}

static void negative_bounds_are_errors(void **state)
{
    (void)state;
    assert_int_equal(kn_pending_set_limits(-1, 8), -1);
    expect_error("ValueError", "pending_set_limits: -1 operations");
    assert_int_equal(kn_pending_get_limits().operations, before.operations);
}

/* With KILN_PENDING_OPERATIONS=5 and KILN_PENDING_BYTES=1000. */
static void the_environment_sets_the_first_bounds(void **state)
{
    (void)state;
    assert_int_equal(before.operations, 5);
    assert_int_equal(before.bytes, 1000);
}

KN_TEST_GROUP(test_pending)
{
    if (argc > 1 && !strcmp(argv[1], "environment")) {
        const struct CMUnitTest test[] = {BOUNDS(the_environment_sets_the_first_bounds)};
        return cmocka_run_group_tests_name("pending, environment", test, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        BOUNDS(operations_wait_up_to_the_bound),
        BOUNDS(none_wait_if_the_bound_is_zero),
        BOUNDS(what_waiting_work_holds_stays_under_the_bound),
        BOUNDS(the_bound_begins_at_a_quarter_of_a_gibibyte),
        BOUNDS(arrays_of_the_user_do_not_count),
        BOUNDS(a_chain_over_a_large_array_waits),
        BOUNDS(past_the_bound_operations_run_at_once),
        BOUNDS(values_do_not_depend_on_the_bound),
        BOUNDS(each_context_has_its_bounds),
        BOUNDS(negative_bounds_are_errors),
    };
    return cmocka_run_group_tests_name("pending", tests, NULL, NULL);
}
