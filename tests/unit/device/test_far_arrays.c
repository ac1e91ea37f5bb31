/* SPDX-License-Identifier: Apache-2.0
 * test_far_arrays.c -- arrays whose programs run on the far device: wherever the user looks or writes, the elements are
 * the right ones; what a device does wrong comes out with the user's line. (Whole programs of users run there, too.) */
#include "devices/devices.h"
#include "support/expect.h"
#include "support/group.h"

static int setup(void **state)
{
    far_find_again();
    knd_set_default(&far_device);
    return expect_setup(state);
}

static int teardown(void **state)
{
    far_find_again();
    int failed = expect_teardown(state);
    knd_set_default(NULL);
    return failed;
}
#define FAR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static kn_array counted(int64_t n) { return kn_arange(0, n, 1, KN_F32); }

static void results_are_read_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(6), y = kn_add(kn_mul(x, x), 1);
    far_forget();
    expect_values(y, 1, 2, 5, 10, 17, 26);
    assert_true(far_count().launches > 0);
    assert_true(kn_item(kn_at(y, "3")) == 10);
}

static void views_are_written_to_and_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(6), 2);
    expect_values(x, 0, 2, 4, 6, 8, 10);
    kn_set_at(x, kn_negative(counted(3)), "::2");
    expect_values(x, 0, 2, -1, 6, -2, 10);
    kn_set_at(x, 7, "1");
    expect_values(kn_add(x, 1), 1, 8, 0, 7, -1, 11);
}

/* What comes often is computed at once on the host alone (scalars.h): here it would fetch what the device has. */
static void short_arrays_stay_on_the_device(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(6), 2), y = NULL;
    kn_eval(x);
    for (int k = 0; k < 100; k++) {
        KN_SCOPE;
        kn_eval(kn_add(x, x)), kn_eval(kn_sin(x));
    }
    far_forget();
    kn_eval(y = kn_add(x, x));
    assert_int_equal(far_count().launches, 1);
    assert_int_equal(far_count().copied_in, 0);
    expect_values(y, 0, 4, 8, 12, 16, 20);
}

/* The device has no gather: the host's runs, on the copy that it has. */
static void what_the_host_has_already_is_not_fetched_again(void **state)
{
    (void)state;
    KN_SCOPE;
    static float seen[10000];
    kn_array x = kn_mul(counted(10000), 2), at = kn_of(int64_t, 7, -1, 3);
    kn_copy_to(x, seen, sizeof seen), kn_eval(at);
    far_forget();
    expect_values(kn_at(x, "%", at), 14, 19998, 6);
    assert_true(far_count().copied_out < 1000);
}

static void memory_that_the_user_sees_is_sent_each_time(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(4), 1);
    float *p = kn_data_mut(x, float);
    assert_non_null(p);
    for (int i = 0; i < 3; i++) {
        p[0] = (float)(10 * i);
        expect_values(kn_add(x, 1), 10 * i + 1, 2, 3, 4);
    }
    kn_set_at(x, 5, "2");
    kn_eval(x);
    assert_true(p[2] == 5);
}

static kn_array energy(const kn_array *x) { return kn_sum(kn_mul(*x, kn_sub(*x, kn_mul(kn_sin(*x), 0.5)))); }
KN_FUNCTION(energy, kn_array, kn_array)

static void functions_give_the_hosts_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    float there[2][5];
    for (int i = 0; i < 2; i++) {
        knd_set_default(i ? &knd_host : &far_device);
        kn_array x = kn_mul(counted(5), 0.3), y;
        kn_call(kn_jit(kn_grad(KN_FN(energy))), &y, &x);
        const float *p = kn_data(y, float);
        assert_non_null(p);
        memcpy(there[i], p, sizeof there[i]);
    }
    assert_memory_equal(there[0], there[1], sizeof there[0]);
}

static void a_lost_device_is_an_error_with_the_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(4), 2), kept = kn_copy(x);
    expect_values(kept, 0, 2, 4, 6);
    far_fail((far_faults){-1, 0, -1});
    int line = __LINE__ + 1;
    kn_array y = kn_exp2(x);
    assert_false(kn_ok(y));
    assert_int_equal(kn_error_line(), line);
    expect_error_with("RuntimeError", "device 'far:0' is lost");
    far_find_again();
    expect_values(kept, 0, 2, 4, 6);
    expect_values(kn_add(kept, 1), 1, 3, 5, 7);
}

static void no_memory_there_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(4), 2);
    kn_eval(x);
    far_fail((far_faults){0, -1, -1});
    kn_array y = kn_exp2(x);
    assert_false(kn_ok(y));
    expect_error_with("MemoryError", "device 'far:0' has no memory for");
    far_find_again();
    expect_values(x, 0, 2, 4, 6);
}

KN_TEST_GROUP(test_far_arrays)
{
    const struct CMUnitTest tests[] = {
        FAR(results_are_read_back),
        FAR(views_are_written_to_and_seen),
        FAR(short_arrays_stay_on_the_device),
        FAR(what_the_host_has_already_is_not_fetched_again),
        FAR(memory_that_the_user_sees_is_sent_each_time),
        FAR(functions_give_the_hosts_bits),
        FAR(a_lost_device_is_an_error_with_the_line),
        FAR(no_memory_there_is_an_error),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
