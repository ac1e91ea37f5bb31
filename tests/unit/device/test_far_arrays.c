/* SPDX-License-Identifier: Apache-2.0
 * test_far_arrays.c -- arrays whose programs run on the far device: wherever the user looks or writes, the elements are
 * the right ones; what a device does wrong comes out with the user's line. (Whole programs of users run there, too.) */
#include "devices/devices.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/on_device.h"
#include "support/programs.h"

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
    test_ok(knd_register(&far_device));
    const struct CMUnitTest tests[] = {
        ON_DEVICE_TESTS(&far_device),
        ON_DEVICE_TESTS(mine_device()),
        FAR(short_arrays_stay_on_the_device),
        FAR(what_the_host_has_already_is_not_fetched_again),
        FAR(a_lost_device_is_an_error_with_the_line),
        FAR(no_memory_there_is_an_error),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
