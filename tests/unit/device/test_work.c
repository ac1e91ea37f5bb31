/* SPDX-License-Identifier: Apache-2.0
 * test_work.c -- counters of devices are what a device saw; a step that runs says on which device. */
#include "devices/devices.h"
#include "device/steps/steps.h"
#include "kiln/offload.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/programs.h"

enum { N = 1024 };

static int setup(void **state)
{
    far_find_again();
    far_forget();
    far_take(0);
    return expect_setup(state);
}

static int teardown(void **state)
{
    far_take(FAR_ALL);
    return expect_teardown(state);
}
#define FAR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* neg(sort(x + 1)): the device, the host, the device */
static knd_loaded *sandwich(kni_jaxpr **j)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_add(&b, knb_invar(&b, F32(N)), knb_number(&b, KN_DT(F32), 1)), y;
    knb_sort(&b, 1, &x, 0, 1, &y);
    *j = FINISH(&b, knb_neg(&b, y));
    knd_loaded *l = NULL;
    test_ok(knd_compile(&far_device, *j, &(knc_compile_options){.fuse = true}, &l));
    return l;
}

static kn_device_counts count(void)
{
    kn_device_counts c = {.size_ = sizeof c};
    assert_int_equal(kn_device_count("far:0", &c), 0);
    return c;
}

static void counters_are_what_the_device_saw(void **state)
{
    (void)state;
    kni_jaxpr *j;
    knd_loaded *l = sandwich(&j);
    knx_buffer *x = knx_buffer_new(N * sizeof(float)), *y = NULL;
    memset(x->data, 0, N * sizeof(float));
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL)); /* now it is known */
    knx_buffer_release(y);
    knx_buffer_release(x);
    x = knx_buffer_new(N * sizeof(float));
    memset(x->data, 0, N * sizeof(float));
    far_forget();
    assert_int_equal(kn_device_forget_counts("far:0"), 0);
    assert_int_equal(count().memory_live, 0);
    test_ok(knd_run(l, &(knd_operand){.buffer = x}, &y, NULL));
    kn_device_counts c = count();
    assert_int_equal(c.launches, far_count().launches);
    assert_int_equal(c.launches, 2);
    assert_int_equal(c.bytes_up, far_count().copied_in);
    assert_int_equal(c.bytes_down, far_count().copied_out);
    assert_int_equal(c.uploads, 2);
    assert_int_equal(c.downloads, 1);
    assert_int_equal(c.allocations, far_count().allocations);
    assert_int_equal(c.memory_live, 2 * N * sizeof(float)); /* operand, result */
    assert_true(c.memory_peak > c.memory_live);
    assert_true(c.launch_seconds > 0 && c.copy_seconds > 0);
    knx_buffer_release(x);
    knx_buffer_release(y);
    assert_int_equal(count().memory_live, 0);
    knd_release(l);
    kni_release(j);
}

static void an_unknown_device_has_no_counters(void **state)
{
    (void)state;
    kn_device_counts c = {.size_ = sizeof c};
    assert_int_equal(kn_device_count("moon:1", &c), -1);
    expect_error_with("ValueError", "there is no device 'moon:1'");
    assert_int_equal(kn_device_count(NULL, &c), -1);
    expect_error_with("TypeError", "the name is null");
    assert_int_equal(kn_device_count("host", NULL), -1);
    expect_error_with("TypeError", "the result is null");
    assert_int_equal(kn_device_count("host", &(kn_device_counts){0}), -1);
    expect_error_with("TypeError", "size_ is not set");
    assert_int_equal(kn_device_forget_counts("moon:1"), -1);
    expect_error_with("ValueError", "there is no device 'moon:1'");
}

typedef struct heard {
    char text[256];
} heard;
static void hear(void *env, const kn_step *step)
{
    heard *h = env;
    strcat(strcat(strcat(strcat(h->text, step->operations), "@"), step->device), " ");
}

static void a_step_says_where_it_ran(void **state)
{
    (void)state;
    kni_jaxpr *j;
    knd_loaded *l = sandwich(&j);
    knx_buffer *y = NULL;
    heard h = {""};
    static const float x[N];
    const knd_options o = {.threads = 1, .on_step = hear, .on_step_env = &h};
    test_ok(knd_run_with(l, &(knd_operand){.data = x}, &y, &o));
    assert_string_equal(h.text, "add@far:0 sort@host neg@far:0 ");
    knx_buffer_release(y);
    knd_release(l);
    kni_release(j);
}

KN_TEST_GROUP(test_work)
{
    const struct CMUnitTest tests[] = {
        FAR(counters_are_what_the_device_saw),
        FAR(an_unknown_device_has_no_counters),
        FAR(a_step_says_where_it_ran),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
