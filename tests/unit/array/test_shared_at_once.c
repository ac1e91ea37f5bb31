/* SPDX-License-Identifier: Apache-2.0
 * test_shared_at_once.c -- kn_run_shared_at_once: memory that others write to whenever they like. */
#include "support/expect.h"
#include "support/group.h"
#include <kiln/dlpack.h>

static void reads_and_writes_do_not_wait(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_false(kn_run_shared_at_once(true));
    kn_array x = kn_of(double, 1, 2, 3), before = kn_mul(x, 2);
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    double *p = d->dl_tensor.data;
    kn_array twice = kn_mul(x, 2), copy = kn_copy(x), part = kn_at(x, "1:"), sum = kn_sum(part);
    p[0] = 10;
    p[2] = 30;
    expect_values(before, 2, 4, 6);
    expect_values(twice, 2, 4, 6);
    expect_values(copy, 1, 2, 3);
    expect_values(sum, 5);
    expect_values(part, 2, 30);
    kn_iadd(x, 1);
    assert_true(p[0] == 11 && p[1] == 3 && p[2] == 31);
    kn_set_at(part, 7, "0");
    assert_true(p[1] == 7);
    kn_fill(x, 5);
    assert_true(p[0] == 5 && p[1] == 5 && p[2] == 5);
    d->deleter(d);
    assert_true(kn_run_shared_at_once(false));
}

static void views_are_read_anew(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_run_shared_at_once(true);
    kn_array x = kn_of(double, 1, 2, 3, 4), part = kn_at(x, "1:"), t = kn_transpose(kn_reshape(x, KN_SHAPE(2, 2)));
    expect_values(part, 2, 3, 4);
    expect_values(t, 1, 3, 2, 4);
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    double *p = d->dl_tensor.data;
    p[1] = 20;
    expect_values(part, 20, 3, 4);
    expect_values(t, 1, 3, 20, 4);
    kn_array sum = kn_sum(part), twice = kn_mul(t, 2);
    p[1] = 0;
    expect_values(sum, 27);
    expect_values(twice, 2, 6, 40, 8);
    assert_true(kn_item(kn_at(part, "0")) == 0);
    kn_imul(part, 10);
    assert_true(p[0] == 1 && p[1] == 0 && p[2] == 30 && p[3] == 40);
    d->deleter(d);
    kn_run_shared_at_once(false);
}

static void other_arrays_still_wait(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_run_shared_at_once(true);
    kn_array x = kn_of(double, 1, 2, 3);
    int64_t before = kn_cache_stats().pending_operations;
    kn_array y = kn_add(kn_exp(x), 1);
    assert_true(kn_cache_stats().pending_operations > before);
    kn_run_shared_at_once(false);
    assert_true(kn_item(kn_at(y, "0")) > 3.7);
}

static void wrapped_memory_is_copied_out(void **state)
{
    (void)state;
    KN_SCOPE;
    double memory[2] = {1, 2};
    kn_run_shared_at_once(true);
    kn_array x = kn_wrap(memory, KN_SHAPE(2), KN_F64), y = kn_copy(x), z = kn_copy(y);
    memory[0] = 9;
    expect_values(y, 1, 2);
    expect_values(z, 1, 2);
    expect_values(x, 9, 2);
    kn_run_shared_at_once(false);
}

static kn_array twice(const kn_array *x) { return kn_mul(*x, 2); }
static kn_array twice_at(const kn_array *i, const kn_array *x) { return kn_mul(*x, kn_add(*i, 0.)); }
KN_FUNCTION(twice, kn_array, kn_array)
KN_FUNCTION(twice_at, kn_array, kn_array, kn_array)

static bool says_singular(void)
{
    bool says = kn_error_pending() && strstr(kn_error_message(), "Singular");
    kn_error_clear();
    return says;
}

/* As an exception, which clears it, does. */
static void each_use_of_a_failed_array_has_its_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_run_shared_at_once(true);
    kn_array bad = kn_linalg_inv(kn_zeros(KN_SHAPE(2, 2)));
    assert_true(says_singular());
    for (int round = 0; round < 2; round++) {
        kn_item(bad);
        assert_true(says_singular());
        kn_dtype_of(bad);
        assert_true(says_singular());
        kn_array more = kn_add(bad, 1), y;
        assert_true(says_singular());
        assert_null(kn_data(more, double));
        assert_true(says_singular());
        kn_call(KN_FN(twice), &y, &bad);
        assert_true(says_singular());
        kn_fori_loop(0, 3, KN_FN(twice_at), &y, &bad);
        assert_true(says_singular());
    }
    kn_run_shared_at_once(false);
    kn_item(bad);
    assert_false(kn_error_pending());
}

KN_TEST_GROUP(test_shared_at_once)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_and_writes_do_not_wait),
        TEST(views_are_read_anew),
        TEST(other_arrays_still_wait),
        TEST(wrapped_memory_is_copied_out),
        TEST(each_use_of_a_failed_array_has_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
