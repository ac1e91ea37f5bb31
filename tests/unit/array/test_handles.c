/* SPDX-License-Identifier: Apache-2.0
 * test_handles.c -- scopes own handles; dead and null ones are errors; values that live on. */
#include "support/expect.h"
#include "support/group.h"

static kn_array made_in_an_inner_scope(void)
{
    KN_SCOPE;
    return kn_ones(KN_SHAPE(2));
}

static void a_dead_handle_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array dead = made_in_an_inner_scope(), out = kn_sum(dead);
    assert_false(kn_ok(out));
    expect_error("ValueError", "sum: this array was released: the scope that owned it has ended");
    assert_true(isnan(kn_item(dead)));
    expect_error("ValueError", "item: this array was released: the scope that owned it has ended");
}

static void a_null_handle_is_a_type_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = NULL, out = kn_add(none, 1);
    assert_false(kn_ok(out));
    expect_error("TypeError", "add: null array");
    assert_int_equal(kn_ndim(none), -1);
    expect_error("TypeError", "ndim: null array");
}

static void an_error_sticks_to_what_is_computed_from_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bad = kn_add(kn_ones(KN_SHAPE(3, 4)), kn_ones(KN_SHAPE(3))), later = kn_sum(kn_sqrt(bad));
    assert_false(kn_ok(later));
    assert_string_equal(kn_error_of(later), "add: operands could not be broadcast together with shapes (3,4) (3,)");
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (3,4) (3,)");
    kn_sum(later); /* reported once */
    expect_no_error();
}

static void the_first_error_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    kn_sum(kn_ones(KN_SHAPE(3)), KN_AXIS(1));
    expect_error("ValueError", "reshape: cannot reshape array of size 3 into shape (2,)");
}

static kn_array kept_from_an_inner_scope(void)
{
    KN_SCOPE;
    return kn_keep(kn_add(kn_ones(KN_SHAPE(2)), 1));
}

static void kept_values_live_in_the_enclosing_scope(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kept_from_an_inner_scope(), 2, 2);
}

static void a_scope_ends_on_continue_and_break(void **state)
{
    (void)state;
    KN_SCOPE;
    int64_t before = kn_live_count();
    for (int i = 0; i < 5; i++) {
        KN_SCOPE;
        kn_ones(KN_SHAPE(2));
        if (i % 2)
            continue;
        if (i == 4)
            break;
        kn_zeros(KN_SHAPE(2));
    }
    assert_int_equal(kn_live_count(), before);
}

static void assigned_values_take_the_old_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array total = kn_scalar(0.0);
    int64_t before = kn_live_count();
    for (int i = 0; i < 1000; i++) {
        KN_SCOPE;
        kn_assign(&total, kn_add(total, i));
        kn_assign(&total, kn_add(total, 1));
    }
    expect_values(total, 500500);
    assert_int_equal(kn_live_count() - before, 1); /* one: what expect_values made in this scope */
}

static void assigning_to_an_empty_slot_keeps_the_value(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array slot = NULL;
    {
        KN_SCOPE;
        kn_assign(&slot, kn_ones(KN_SHAPE(1)));
    }
    expect_values(slot, 1);
}

static void assigning_a_value_that_lives_longer_leaves_it_where_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array outer = kn_of(double, 7), copy;
    {
        KN_SCOPE;
        kn_array slot = kn_scalar(0.0);
        kn_assign(&slot, outer);
        copy = outer;
    }
    expect_values(copy, 7);
}

static void retained_handles_outlive_their_scope(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x;
    {
        KN_SCOPE;
        x = kn_retain(kn_of(double, 3));
    }
    expect_values(x, 3);
    kn_release(x);
    kn_release(x);
    expect_error("ValueError", "release: this handle was released before");
}

static void scopes_closed_out_of_order_close_what_is_inside(void **state)
{
    (void)state;
    int64_t before = kn_live_count();
    kn_scope outer = kn_scope_begin();
    kn_scope inner = kn_scope_begin();
    kn_ones(KN_SHAPE(2));
    kn_scope_end(&outer);
    assert_int_equal(kn_live_count(), before);
    kn_scope_end(&inner); /* nothing left to do */
    assert_int_equal(kn_live_count(), before);
}

static void a_million_handles(void **state)
{
    (void)state;
    int64_t before = kn_live_count();
    {
        KN_SCOPE;
        kn_array last = NULL;
        const int n =
            sizeof(void *) < 8 ? 200000 : 1000000; /* 2^18 numbers of slots fit into 32 bits beside the rest */
        for (int i = 0; i < n; i++)
            last = kn_num(i);
        assert_int_equal(kn_item_int(last), n - 1);
    }
    assert_int_equal(kn_live_count(), before);
}

static void a_handle_of_another_kind_is_a_type_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_from(0, NULL);
    (kn_sum)((kn_array)(void *)t, NULL);
    expect_error("TypeError", "sum: a handle of a tree was given where a array is wanted");
}

static int heard;
static void hear(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    (void)env;
    heard += kind == KN_ERROR_VALUE && strstr(message, "reshape") && place && strstr(place->file, "test_handles.c");
}

static void the_hook_hears_of_every_error(void **state)
{
    (void)state;
    KN_SCOPE;
    heard = 0;
    kn_on_error(hear, NULL);
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(5));
    kn_on_error(NULL, NULL);
    assert_int_equal(heard, 2);
    kn_error_clear();
}

static void items_convert_and_check_sizes(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_item_int(kn_of(int64_t, INT64_MAX)), INT64_MAX);
    assert_true(kn_item_bool(kn_scalar(0.5)));
    assert_true(kn_item(kn_num(2)) == 2);
    kn_item(kn_ones(KN_SHAPE(3, 4)));
    expect_error("ValueError", "item: can only convert an array of size 1 to a scalar, not one of shape (3,4)");
}

static void memory_goes_in_and_out(void **state)
{
    (void)state;
    KN_SCOPE;
    float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    kn_array x = kn_from(in, KN_SHAPE(2, 3));
    in[0] = 100; /* it was copied */
    assert_int_equal(kn_copy_to(x, out, sizeof out), 0);
    assert_true(out[0] == 1 && out[5] == 6);
    assert_true(kn_data(x, float)[3] == 4);
    assert_null(kn_data(x, double));
    expect_error("TypeError", "data: the array has dtype float32, not float64");
    assert_int_equal(kn_copy_to(x, out, 4), -1);
    expect_error("ValueError", "copy_to: the array has 24 bytes, there is room for 4");
}

static void sizes_that_overflow_are_memory_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_zeros(KN_SHAPE(1000000000, 1000000000, 1000000000));
    expect_error("MemoryError",
                 "zeros: array of shape (1000000000,1000000000,1000000000) and dtype float64 is too large");
    kn_broadcast_to(kn_ones(KN_SHAPE(1)), KN_SHAPE(INT64_MAX, 2));
    assert_string_equal(kn_error_kind_name(), "MemoryError");
    kn_error_clear();
}

KN_TEST_GROUP(test_handles)
{
    const struct CMUnitTest tests[] = {
        TEST(a_dead_handle_is_an_error_and_not_a_crash),
        TEST(a_null_handle_is_a_type_error),
        TEST(an_error_sticks_to_what_is_computed_from_it),
        TEST(the_first_error_stays),
        TEST(kept_values_live_in_the_enclosing_scope),
        TEST(a_scope_ends_on_continue_and_break),
        TEST(assigned_values_take_the_old_place),
        TEST(assigning_to_an_empty_slot_keeps_the_value),
        TEST(assigning_a_value_that_lives_longer_leaves_it_where_it_is),
        TEST(retained_handles_outlive_their_scope),
        TEST(scopes_closed_out_of_order_close_what_is_inside),
        TEST(a_million_handles),
        TEST(a_handle_of_another_kind_is_a_type_error),
        TEST(the_hook_hears_of_every_error),
        TEST(items_convert_and_check_sizes),
        TEST(memory_goes_in_and_out),
        TEST(sizes_that_overflow_are_memory_errors),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
