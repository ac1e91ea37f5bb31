/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_lost.c -- a WebGPU device that is lost in the midst of a program: an error from each run, what the host has
 * survives, and all memory goes. */
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static kng_gpu *g;

static kn_array more(const kn_array *x) { return kn_add(*x, 5); }
KN_FUNCTION(more, kn_array, kn_array)

/* In the child the device is lost; what the host has is there, and the parent goes on. */
static int child_of_fork(kn_array x, kn_array kept)
{
    kn_array y = kn_add(x, 1);
    bool refused = !kn_ok(y) && strstr(kn_error_message(), "fork");
    kn_error_clear();
    knd_set_default(NULL);
    return refused && kn_item(kn_sum(kept)) == 6 ? 0 : 1;
}

static void a_fork_has_no_device(void **state)
{
    (void)state;
    KN_SCOPE;
    knd_set_default(&g->device);
    kn_array x = kn_mul(kn_arange(0, 4, 1, KN_F32), 2), kept = kn_of(float, 1, 2, 3);
    expect_values(x, 0, 2, 4, 6);
    pid_t child = fork();
    if (!child)
        _exit(child_of_fork(x, kept));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_values(kn_add(x, 1), 1, 3, 5, 7);
    knd_set_default(NULL);
}

static void a_lost_device_is_an_error_with_the_line(void **state)
{
    (void)state;
    KN_SCOPE;
    knd_set_default(&g->device);
    kn_array x = kn_mul(kn_arange(0, 4, 1, KN_F32), 2), kept = kn_copy(x), gone;
    assert_non_null(kn_data(kept, float));   /* from now on the host has it, too */
    kn_call(kn_jit(KN_FN(more)), &gone, &x); /* only the device has it */
    kng_lose(g);
    int line = __LINE__ + 1;
    kn_array y = kn_exp2(x);
    assert_false(kn_ok(y));
    assert_int_equal(kn_error_line(), line);
    expect_error_with("RuntimeError", "device 'webgpu:0' is lost");
    assert_null(kn_data(gone, float));
    expect_error_with("RuntimeError", "device 'webgpu:0' is lost");
    knd_set_default(NULL);
    expect_values(kept, 0, 2, 4, 6);
    expect_values(kn_add(kept, 1), 1, 3, 5, 7);
}

static int asked;
static void ask(WGPUInstance instance) { (void)instance, asked++; }

/* Also where nothing is to be waited for: nobody asks the engine about a device that is gone. */
static void nobody_waits_for_it(void **state)
{
    (void)state;
    const kng_api *engine = g->api;
    kng_api counting = *engine;
    counting.InstanceProcessEvents = ask;
    knd_lock();
    g->api = &counting;
    for (int waits = 0; waits < 2; waits++) {
        knx_error *error = waits ? kng_finish(g) : kng_wait_for(g, 0);
        assert_non_null(error);
        assert_non_null(strstr(error->message, "is lost"));
        knx_error_release(error);
    }
    g->api = engine;
    knd_unlock();
    assert_int_equal(asked, 0);
}

static void nothing_of_it_is_left(void **state)
{
    (void)state;
    assert_int_equal(kn_shutdown(), 0);
    assert_int_equal(g->heap.n_live, 0);
    assert_int_equal(g->heap.live, 0);
}

KN_TEST_GROUP(test_webgpu_lost)
{
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(a_fork_has_no_device),
        TEST(a_lost_device_is_an_error_with_the_line),
        TEST(nobody_waits_for_it),
        cmocka_unit_test(nothing_of_it_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
