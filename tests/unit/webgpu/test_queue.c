/* SPDX-License-Identifier: Apache-2.0
 * test_queue.c -- memory, copies and dispatches of a WebGPU adapter, beside the same done by the host. */
#include "support/group.h"
#include "support/webgpu_run.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kng_gpu *g;

static void fine(knx_error *error)
{
    if (error)
        print_message("%s\n", error->message);
    assert_null(error);
}

/* memory 1 = memory 0 + the word, for so many elements */
static const char add_word[] = "@group(0) @binding(0) var<uniform> w: vec4<u32>;\n"
                               "@group(0) @binding(1) var<storage, read> x: array<u32>;\n"
                               "@group(0) @binding(2) var<storage, read_write> y: array<u32>;\n"
                               "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                               "    if (id.x < w.y) { y[id.x] = x[id.x] + w.x; }\n"
                               "}\n";

static void a_text_computes(void **state)
{
    uint32_t x[1000], y[1000], word[] = {7, 1000};
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        x[i] = i * i;
    memset(y, 0, sizeof y);
    fine(webgpu_run(g, add_word, 2, (webgpu_array[]){{x, sizeof x}, {y, sizeof y}}, word, 2, 16, 1));
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(y[i], i * i + 7);
}

static void adapter_has_name_and_limits(void **state)
{
    (void)state;
    assert_string_equal(g->device.name, "webgpu:0");
    assert_true(g->label[0] != 0);
    assert_true(g->limits.maxComputeInvocationsPerWorkgroup >= 64);
    assert_ptr_equal(knd_find("webgpu:0"), &g->device);
}

static void opening_again_does_nothing(void **state)
{
    (void)state;
    int n = kng_n_gpus();
    fine(kng_open());
    assert_int_equal(kng_n_gpus(), n);
}

/* x + 1 + 1 + ...: dispatches see what those before them wrote, also across submissions. */
static void dispatches_run_in_order(void **state)
{
    knd_memory *m[2];
    uint32_t x[64] = {0};
    kng_pipeline *p;
    (void)state;
    knd_lock();
    for (int i = 0; i < 2; i++)
        fine(kng_alloc(g, sizeof x, &m[i]));
    fine(kng_upload(g, m[0], 0, x, sizeof x));
    fine(kng_pipeline_for(g, add_word, &p));
    kng_counters before = g->counters;
    for (uint32_t i = 0; i < 1000; i++) {
        const kng_bound slot[KNG_SLOTS] = {{.memory = m[i % 2]}, {.memory = m[1 - i % 2]}};
        fine(kng_dispatch_text(g, p, slot, (uint32_t[]){i, 64}, 2, (uint32_t[]){1, 1, 1}, NULL, 0));
    }
    fine(kng_download(g, x, m[0], 0, sizeof x));
    assert_int_equal(x[0], 999 * 1000 / 2);
    assert_int_equal(g->counters.dispatches - before.dispatches, 1000);
    assert_true(g->counters.submits - before.submits < 8);
    assert_true(g->counters.groups - before.groups <= 2);
    kng_pipeline_release(g, p);
    for (int i = 0; i < 2; i++)
        kng_free(g, m[i]);
    knd_unlock();
}

/* An upload between two dispatches is seen by the second alone. */
static void uploads_keep_their_place(void **state)
{
    knd_memory *m[3];
    uint32_t x[64] = {1}, y[64], z[64];
    kng_pipeline *p;
    (void)state;
    knd_lock();
    for (int i = 0; i < 3; i++)
        fine(kng_alloc(g, sizeof x, &m[i]));
    fine(kng_pipeline_for(g, add_word, &p));
    for (uint32_t i = 0; i < 2; i++) {
        const kng_bound slot[KNG_SLOTS] = {{.memory = m[0]}, {.memory = m[1 + i]}};
        x[0] = 10 + i;
        fine(kng_upload(g, m[0], 0, x, sizeof x));
        fine(kng_dispatch_text(g, p, slot, (uint32_t[]){5, 64}, 2, (uint32_t[]){1, 1, 1}, NULL, 0));
    }
    fine(kng_download(g, y, m[1], 0, sizeof y));
    fine(kng_download(g, z, m[2], 0, sizeof z));
    assert_int_equal(y[0], 15);
    assert_int_equal(z[0], 16);
    kng_pipeline_release(g, p);
    for (int i = 0; i < 3; i++)
        kng_free(g, m[i]);
    knd_unlock();
}

/* Uploads, copies and downloads at any byte, beside memmove. */
static void copies_of_any_bytes(void **state)
{
    enum { N = 600 };
    knd_memory *m[2];
    uint8_t here[2][N], back[N], some[N];
    uint32_t seed = 1;
    (void)state;
#define NEXT(n) (seed = seed * 1664525 + 1013904223, (seed >> 8) % (n))
    knd_lock();
    for (int i = 0; i < 2; i++) {
        fine(kng_alloc(g, N, &m[i]));
        memset(here[i], 17 + i, N);
        fine(kng_upload(g, m[i], 0, here[i], N));
    }
    for (int i = 0; i < 400; i++) {
        int a = (int)NEXT(2), b = (int)NEXT(2);
        size_t bytes = NEXT(3) ? NEXT(20) : NEXT(N), at = NEXT(N - bytes + 1), from = NEXT(N - bytes + 1);
        if (NEXT(2)) {
            for (size_t k = 0; k < bytes; k++)
                some[k] = (uint8_t)NEXT(256);
            memcpy(here[a] + at, some, bytes);
            fine(kng_upload(g, m[a], at, some, bytes));
        } else {
            memmove(here[a] + at, here[b] + from, bytes);
            fine(kng_copy(g, m[a], at, m[b], from, bytes));
        }
        if (NEXT(8) == 0) {
            fine(kng_download(g, back, m[b], from, bytes));
            assert_memory_equal(back, here[b] + from, bytes);
        }
    }
    for (int i = 0; i < 2; i++) {
        fine(kng_download(g, back, m[i], 0, N));
        assert_memory_equal(back, here[i], N);
        kng_free(g, m[i]);
    }
    knd_unlock();
}

static void large_downloads_come_in_parts(void **state)
{
    size_t bytes = ((size_t)1 << 26) + 1001;
    uint8_t *x = malloc(bytes), *y = malloc(bytes);
    knd_memory *m;
    (void)state;
    for (size_t i = 0; i < bytes; i++)
        x[i] = (uint8_t)(i * 2654435761u >> 13);
    knd_lock();
    fine(kng_alloc(g, bytes, &m));
    fine(kng_upload(g, m, 0, x, bytes));
    fine(kng_download(g, y, m, 0, bytes));
    assert_memory_equal(x, y, bytes);
    kng_free(g, m);
    kng_trim(g, 0);
    knd_unlock();
    free(x);
    free(y);
}

static void memory_is_used_again(void **state)
{
    knd_memory *m, *n;
    (void)state;
    knd_lock();
    uint64_t live = g->heap.live;
    fine(kng_alloc(g, 5000, &m));
    uint64_t id = m->id;
    kng_free(g, m);
    fine(kng_alloc(g, 4900, &n));
    assert_int_equal(n->id, id);
    kng_free(g, n);
    assert_int_equal(g->heap.live, live);
    knd_unlock();
}

static void too_much_memory_is_an_error(void **state)
{
    knd_memory *m;
    (void)state;
    knd_lock();
    knx_error *error = kng_alloc(g, UINT64_C(1) << 50, &m);
    knd_unlock();
    assert_non_null(error);
    assert_int_equal(error->kind, KN_ERROR_MEMORY);
    assert_non_null(strstr(error->message, "webgpu:0"));
    assert_null(m);
    knx_error_release(error);
}

static void a_refused_shader_is_an_error(void **state)
{
    const char *text = "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                       "@compute @workgroup_size(64) fn main() { y[0] = nothing_of_this_name; }\n";
    uint32_t y[64] = {0};
    (void)state;
    knx_error *error = webgpu_run(g, text, 1, (webgpu_array[]){{y, sizeof y}}, NULL, 0, 1, 1);
    assert_non_null(error);
    assert_int_equal(error->kind, KN_ERROR_RUNTIME);
    assert_non_null(strstr(error->message, "nothing_of_this_name"));
    knx_error_release(error);
    a_text_computes(state); /* and the device goes on */
}

static kng_api watched;
static WGPUBool (*poll_of_engine)(WGPUDevice, WGPUBool, const void *);
static int polls, waits;

static WGPUBool count_poll(WGPUDevice device, WGPUBool wait, const void *index)
{
    polls++;
    waits += wait != 0;
    return poll_of_engine(device, wait, index);
}

/* Its wait has no end: work that never ends, or a wake-up that gets lost, would hold the program. */
static void no_wait_is_inside_of_the_engine(void **state)
{
    const kng_api *api = g->api;
    watched = *api;
    poll_of_engine = api->DevicePoll;
    if (!poll_of_engine)
        skip(); /* it is wgpu-native's */
    watched.DevicePoll = count_poll;
    g->api = &watched;
    a_text_computes(state);
    knd_lock();
    knx_error *error = kng_finish(g);
    knd_unlock();
    g->api = api;
    fine(error);
    assert_true(polls > 0);
    assert_int_equal(waits, 0);
}

/* A text of so many bytes that no other number has; its pipeline is made, and nobody holds it. */
static void make_idle(int number, size_t bytes)
{
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, bytes, "%s// %d ", add_word, number);
    memset(text + n, '-', bytes - n);
    text[bytes] = 0;
    kng_pipeline *p = NULL;
    knd_lock();
    fine(kng_pipeline_for(g, text, &p));
    kng_pipeline_release(g, p);
    knd_unlock();
    free(text);
}

static bool is_kept(int number, size_t bytes)
{
    int64_t made = g->counters.pipelines;
    make_idle(number, bytes);
    return g->counters.pipelines == made;
}

static void idle_pipelines_are_few(void **state)
{
    (void)state;
    for (int i = 0; i < KNG_IDLE + 2; i++)
        make_idle(i, 1000);
    assert_int_equal(g->pipelines.n_idle, KNG_IDLE);
    assert_true(is_kept(KNG_IDLE + 1, 1000));
    assert_true(is_kept(2, 1000));
    assert_false(is_kept(1, 1000));
}

static void texts_of_idle_pipelines_are_few(void **state)
{
    enum { BYTES = KNG_IDLE_TEXT / 8 };
    (void)state;
    for (int i = 0; i < 9; i++)
        make_idle(i, BYTES);
    assert_int_equal(g->pipelines.n_idle, 8);
    assert_int_equal(g->pipelines.idle_text, 8 * BYTES);
    assert_true(is_kept(8, BYTES));
    assert_true(is_kept(1, BYTES));
    assert_false(is_kept(0, BYTES));
}

static void one_that_is_used_stays(void **state)
{
    enum { BYTES = KNG_IDLE_TEXT / 8 };
    (void)state;
    for (int i = 0; i < 24; i++) {
        make_idle(100 + i, BYTES);
        assert_true(is_kept(100, BYTES));
    }
}

static void nothing_stays(void **state)
{
    (void)state;
    assert_int_equal(g->heap.live, 0);
    assert_int_equal(g->heap.n_live, 0);
}

KN_TEST_GROUP(test_queue)
{
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adapter_has_name_and_limits),
        cmocka_unit_test(opening_again_does_nothing),
        cmocka_unit_test(a_text_computes),
        cmocka_unit_test(dispatches_run_in_order),
        cmocka_unit_test(uploads_keep_their_place),
        cmocka_unit_test(copies_of_any_bytes),
        cmocka_unit_test(large_downloads_come_in_parts),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(too_much_memory_is_an_error),
        cmocka_unit_test(a_refused_shader_is_an_error),
        cmocka_unit_test(no_wait_is_inside_of_the_engine),
        cmocka_unit_test(idle_pipelines_are_few),
        cmocka_unit_test(texts_of_idle_pipelines_are_few),
        cmocka_unit_test(one_that_is_used_stays),
        cmocka_unit_test(nothing_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
