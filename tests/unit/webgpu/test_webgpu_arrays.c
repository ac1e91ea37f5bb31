/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_arrays.c -- arrays whose programs run on a WebGPU device: wherever the user looks or writes, the elements
 * are the right ones; what goes wrong comes out with the user's line, and nothing is lost of it. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include "support/on_device.h"
#include "support/webgpu_run.h"
#include <stdlib.h>

static kng_gpu *g;

#define ON_DEVICE(f)                                                             \
    {                                                                            \
#f, f, on_device_setup, on_device_teardown, &g->device /* the default */ \
    }

static kn_array counted(int64_t n) { return kn_arange(0, n, 1, KN_F32); }

static void users_are_told_what_it_is(void **state)
{
    (void)state;
    kn_device d = kn_find_device("webgpu:0");
    kn_device_info info = {.size_ = sizeof info};
    assert_string_equal(kn_device_name(d), "webgpu:0");
    assert_int_equal(kn_device_get_info(d, &info), 0);
    assert_string_equal(info.description, g->label);
    assert_int_equal(info.most_buffers, g->target.max_buffers);
    assert_int_equal(info.index_bits, 32);
    assert_true(kn_device_has_dtype(d, KN_F32));
    assert_false(kn_device_has_dtype(d, KN_F64));
}

static kn_array step(const kn_array *x) { return kn_add(kn_mul(*x, *x), 0.1f); }
KN_FUNCTION(step, kn_array, kn_array)

static void nothing_moves_between_steps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(step));
    kn_array x = kn_mul(counted(1000), 0.001f);
    kn_call(f, &x, &x);
    kng_counters before = g->counters;
    for (int i = 0; i < 50; i++)
        kn_call(f, &x, &x);
    assert_int_equal(g->counters.bytes_down, before.bytes_down);
    assert_int_equal(g->counters.bytes_up, before.bytes_up);
    assert_int_equal(g->counters.dispatches - before.dispatches, 50);
    assert_int_equal(g->counters.waits, before.waits);
    assert_true(g->counters.submits - before.submits <= 1);
    assert_int_equal(g->counters.pipelines, before.pipelines);
}

static void too_much_memory_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(4), 2);
    kn_eval(x);
    kn_array y = kn_exp2(kn_broadcast_to(x, KN_SHAPE(1 << 30, 4)));
    assert_false(kn_ok(y));
    expect_error_with("MemoryError", sizeof(size_t) > 4 ? "device 'webgpu:0' has no memory for 17179869184 bytes"
                                                        : "is too large"); /* for the host, too */
    expect_values(x, 0, 2, 4, 6);
}

/* What others find behind a handle: by a copy of their own, on the same queue. */
static void expect_behind(const kn_device_handle *h, const float *expected)
{
    float found[8] = {0};
    knd_memory there = {.buffer = h->buffer, .bytes = h->offset + h->bytes};
    assert_true(h->bytes <= sizeof found);
    knx_error *error = kng_download(g, found, &there, h->offset, h->bytes);
    assert_null(error);
    assert_memory_equal(found, expected, h->bytes);
}

static void handles_lead_to_the_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_add(kn_mul(counted(4), 2), 1);
    kn_device_handle h = {.size_ = sizeof h};
    int64_t down = g->counters.bytes_down;
    assert_int_equal(kn_device_get_handle(x, &h), 0);
    assert_int_equal(g->counters.bytes_down, down); /* nothing was read back */
    assert_ptr_equal(h.device, g->handle);
    assert_ptr_equal(h.queue, g->commands);
    assert_int_equal(h.bytes, 16);
    expect_behind(&h, (const float[]){1, 3, 5, 7});
}

static void handles_of_views_and_of_arrays_that_were_written_to(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_device_handle h = {.size_ = sizeof h};
    kn_array x = kn_mul(counted(6), 2);
    kn_array odd = kn_at(x, "1::2");
    assert_int_equal(kn_device_get_handle(odd, &h), 0);
    expect_behind(&h, (const float[]){2, 6, 10});
    kn_set_at(x, -1, "3");
    assert_int_equal(kn_device_get_handle(odd, &h), 0);
    expect_behind(&h, (const float[]){2, -1, 10});
    assert_int_equal(kn_device_get_handle(x, &h), 0);
    assert_int_equal(h.bytes, 24);
    expect_behind(&h, (const float[]){0, 2, 4, -1, 8, 10});
}

static void handles_of_memory_that_the_host_sees_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_device_handle h = {.size_ = sizeof h};
    kn_array x = kn_mul(counted(3), 2);
    assert_non_null(kn_data(x, float));
    assert_int_equal(kn_device_get_handle(x, &h), -1);
    expect_error_with("ValueError", "device_get_handle: the memory of the array is seen on the host");
    assert_int_equal(kn_device_get_handle(kn_zeros(KN_SHAPE(0)), &h), -1);
    expect_error("ValueError", "device_get_handle: the array has no elements");
    assert_int_equal(kn_device_get_handle(kn_device_get(counted(3)), &h), -1);
    expect_error("ValueError", "device_get_handle: the array is on host, which has no handles");
    assert_int_equal(kn_device_get_handle(counted(3), &(kn_device_handle){0}), -1);
    expect_error("TypeError", "device_get_handle: the size_ of the handle is not set");
}

static double some_program(void)
{
    KN_SCOPE;
    knd_set_default(&g->device);
    kn_array x = kn_mul(counted(300), 0.01f);
    double sum = kn_item(kn_sum(kn_mul(kn_sin(x), kn_at(x, "::-1"))));
    knd_set_default(NULL);
    return sum;
}

/* ---- A device that can bind 4 KiB of a memory: the temporaries of a program, and the rows of a loop, lie in memories
 * that are larger. */

static kn_array of_many_temporaries(const kn_array *x)
{
    kn_array a = kn_cumsum(*x), b = kn_sort(kn_add(a, 1)), c = kn_cumsum(kn_add(b, 1)), d = kn_sort(kn_mul(c, *x));
    kn_array e = kn_astype(kn_cumsum(kn_less(a, c), .dtype = KN_I32), KN_I32);
    return kn_add(kn_add(kn_mul(a, b), kn_mul(c, d)), kn_add(e, kn_cumsum(kn_mul(a, d))));
}
KN_FUNCTION(of_many_temporaries, kn_array, kn_array)

typedef struct Turn {
    kn_array carry, flags;
} Turn;
static Turn of_rows(const kn_array *carry, const kn_array *row)
{
    kn_array next = kn_cumsum(kn_add(*carry, kn_sort(*row)), .dtype = KN_I32);
    return (Turn){next, kn_less(next, kn_flip(*row))};
}
KN_FUNCTION(of_rows, Turn, kn_array, kn_array)

static kn_array of_a_loop(const kn_array *x)
{
    Turn out;
    kn_array first = kn_at(*x, "0");
    kn_scan(KN_FN(of_rows), &out, &first, x);
    return kn_add(kn_sum(kn_mul(out.flags, *x), .axis = KN_AXIS(0)), out.carry);
}
KN_FUNCTION(of_a_loop, kn_array, kn_array)

static void memories_larger_than_what_can_be_bound(void **state)
{
    (void)state;
    KN_SCOPE;
    uint64_t before = g->limits.maxStorageBufferBindingSize;
    kn_array x = kn_remainder(kn_mul(kn_arange(0, 900, 1, KN_I32), 37), 101), rows = kn_reshape(x, KN_SHAPE(9, 100));
    kn_array want[2], y[2];
    rows = kn_tile(rows, KN_SHAPE(5, 1));
    knd_set_default(NULL);
    kn_call(kn_jit(KN_FN(of_many_temporaries)), &want[0], &x);
    kn_call(kn_jit(KN_FN(of_a_loop)), &want[1], &rows);
    kn_eval(want[0]);
    kn_eval(want[1]);
    g->limits.maxStorageBufferBindingSize = 4096;
    knd_set_default(&g->device);
    int64_t dispatches = g->counters.dispatches;
    kn_call(kn_jit(KN_FN(of_many_temporaries)), &y[0], &x);
    kn_call(kn_jit(KN_FN(of_a_loop)), &y[1], &rows);
    for (int i = 0; i < 2; i++)
        assert_true(kn_array_equal(kn_device_get(y[i]), kn_device_get(want[i])));
    assert_true(g->counters.dispatches > dispatches + 20);
    g->limits.maxStorageBufferBindingSize = before;
}

static void nothing_is_live(void)
{
    assert_int_equal(g->heap.n_live, 0);
    assert_int_equal(g->heap.live, 0);
}

static void allocations_that_fail(void **state)
{
    (void)state;
    assert_int_equal(kn_shutdown(), 0);
    no_memory_check(some_program, 0, nothing_is_live);
}

KN_TEST_GROUP(test_webgpu_arrays)
{
    setenv("KILN_WEBGPU_EXACT", "1", 1);
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        ON_DEVICE_TESTS(&g->device),
        ON_DEVICE(users_are_told_what_it_is),
        ON_DEVICE(nothing_moves_between_steps),
        ON_DEVICE(handles_lead_to_the_elements),
        ON_DEVICE(handles_of_views_and_of_arrays_that_were_written_to),
        ON_DEVICE(handles_of_memory_that_the_host_sees_are_refused),
        ON_DEVICE(too_much_memory_is_an_error),
        ON_DEVICE(memories_larger_than_what_can_be_bound),
        cmocka_unit_test(allocations_that_fail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed = failed ? failed : kn_shutdown();
    nothing_is_live();
    return failed;
}
