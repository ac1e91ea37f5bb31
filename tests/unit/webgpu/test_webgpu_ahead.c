/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_ahead.c -- copies to the host that begin before somebody looks (kn_copy_to_host_async): nobody waits when
 * they begin, what is looked at is what the array is then, and what nobody looks at goes away. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>

static kng_gpu *g;

static kn_array numbers(int n) { return kn_device_put(kn_arange(0, n, 1, KN_F32), kn_find_device("webgpu:0")); }

static void it_begins_without_a_wait(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(numbers(4), 2);
    kng_counters before = g->counters;
    kn_copy_to_host_async(x);
    kn_copy_to_host_async(x); /* it has begun */
    assert_int_equal(g->counters.waits, before.waits);
    assert_int_equal(g->counters.bytes_down, before.bytes_down);
    assert_int_equal(g->counters.submits, before.submits + 1);
    expect_values(x, 0, 2, 4, 6);
    assert_int_equal(g->counters.waits, before.waits + 1);
    assert_int_equal(g->counters.bytes_down, before.bytes_down + 16);
    assert_int_equal(g->counters.submits, before.submits + 1);
}

static void several_come_in_any_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x[6];
    for (int i = 0; i < 6; i++) {
        x[i] = kn_add(numbers(3), i);
        kn_copy_to_host_async(x[i]);
    }
    for (int i = 5; i >= 0; i--)
        expect_values(x[i], i, i + 1, i + 2);
}

static void who_waits_has_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(numbers(4), 2);
    kn_copy_to_host_async(x);
    kng_counters before = g->counters;
    kn_block_until_ready(x);
    assert_int_equal(g->counters.waits, before.waits + 1);
    expect_values(x, 0, 2, 4, 6);
    assert_int_equal(g->counters.waits, before.waits + 1);
}

static void what_goes_on_with_it_stays_there(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(numbers(4), 2);
    kn_copy_to_host_async(x);
    kng_counters before = g->counters;
    kn_array y = kn_add(x, 1);
    kn_eval(y);
    assert_int_equal(g->counters.bytes_up, before.bytes_up);
    assert_int_equal(g->counters.waits, before.waits);
    expect_values(y, 1, 3, 5, 7);
    expect_values(x, 0, 2, 4, 6);
}

/* The memory may be written to in place. */
static void a_write_after_it_is_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_mul(numbers(4), 2));
    kn_copy_to_host_async(x);
    kn_set_at(x, kn_add(x, 1), "...");
    expect_values(x, 1, 3, 5, 7);
    kn_copy_to_host_async(x);
    kn_set_at(x, 9, "1");
    expect_values(x, 1, 9, 5, 7);
}

static void what_nobody_wants_goes_away(void **state)
{
    (void)state;
    uint64_t live = g->heap.n_live;
    for (int i = 0; i < 50; i++) {
        KN_SCOPE;
        kn_copy_to_host_async(kn_add(numbers(1000), i));
    }
    assert_int_equal(g->heap.n_live, live);
    KN_SCOPE;
    expect_values(kn_add(numbers(2), 1), 1, 2);
}

static void failures_come_with_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_device_put(kn_of(int32_t, 1, 99), kn_find_device("webgpu:0"));
    kn_array y = kn_take(numbers(12), i), z = kn_add(numbers(2), 1);
    kn_copy_to_host_async(y);
    kn_copy_to_host_async(z);
    expect_no_error();
    expect_values(z, 1, 2);
    (void)kn_data(y, float);
    expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
    kn_copy_to_host_async(y); /* it is known by now */
    expect_error_with("IndexError", "take: index 99 is out of bounds for axis 0 with size 12");
}

static void of_the_hosts_there_is_nothing_to_do(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 3, 1);
    kng_counters before = g->counters;
    kn_copy_to_host_async(x);
    kn_copy_to_host_async(kn_zeros(KN_SHAPE(0)));
    assert_int_equal(g->counters.submits, before.submits);
    expect_values(x, 0, 1, 2);
}

/* The facts of a device, too, are begun before they are waited for. */
/* What small copies come through is kept for the next ones, a large one's memory is not. */
static void memory_of_large_copies_is_given_back(void **state)
{
    (void)state;
    enum { BYTES = 144 << 20, KEPT = 1 << 27 };
    knd_memory *from = NULL;
    kng_reading *r = NULL;
    uint32_t *to = malloc(BYTES);
    assert_non_null(to);
    knd_lock();
    assert_null(kng_alloc(g, BYTES, &from));
    assert_null(kng_upload(g, from, BYTES - 4, &(uint32_t){7}, 4));
    assert_null(kng_reading_begin(g, from, 0, BYTES, &r));
    assert_null(kng_reading_end(g, r, to));
    assert_int_equal(to[BYTES / 4 - 1], 7);
    for (int i = 0; i < KNG_LANDINGS; i++)
        assert_true(!g->heap.landing[i] || g->heap.landing_room[i] <= KEPT);
    kng_free(g, from);
    knd_unlock();
    free(to);
}

static void a_flush_brings_what_a_wait_would_wait_for(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_device_put(kn_of(int32_t, 1, 9), kn_find_device("webgpu:0")), y = kn_take(numbers(12), i);
    kn_eval(y);
    knd_lock();
    int64_t waits = g->counters.waits;
    assert_null(kng_flush(g));
    assert_null(kng_flush(g));
    assert_int_equal(g->counters.waits, waits);
    assert_non_null(g->checks.coming);
    assert_null(kng_finish(g));
    assert_null(g->checks.coming);
    assert_int_equal(g->checks.known, g->checks.last);
    knd_unlock();
    expect_values(y, 1, 9);
}

KN_TEST_GROUP(test_webgpu_ahead)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(it_begins_without_a_wait),
        TEST(several_come_in_any_order),
        TEST(who_waits_has_them),
        TEST(what_goes_on_with_it_stays_there),
        TEST(a_write_after_it_is_seen),
        TEST(what_nobody_wants_goes_away),
        TEST(failures_come_with_it),
        TEST(of_the_hosts_there_is_nothing_to_do),
        TEST(memory_of_large_copies_is_given_back),
        TEST(a_flush_brings_what_a_wait_would_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
