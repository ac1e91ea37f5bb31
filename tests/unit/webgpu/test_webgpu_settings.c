/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_settings.c -- what environment variables say to WebGPU devices: files for shaders, times. */
#include "support/group.h"
#include "support/webgpu_run.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static kng_gpu *g;
static char folder[] = "/tmp/kiln-shaders-XXXXXX";

static const char text[] = "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                           "    y[id.x] = id.x * 3u;\n"
                           "}\n";

static knx_error *run_text(void)
{
    uint32_t y[64] = {0};
    knx_error *error = webgpu_run(g, text, 1, (webgpu_array[]){{y, sizeof y}}, NULL, 0, 1, 1);
    if (!error)
        assert_int_equal(y[63], 189);
    return error;
}

/* Another process has run the text. */
static int other_process(void)
{
    if (!(g = webgpu_first()))
        return 77;
    knd_lock();
    knx_error *error = kng_bring_facts(g);
    knd_unlock();
    return error || run_text() ? 1 : 0;
}

static void shaders_of_another_process_are_made_ahead(void **state)
{
    (void)state;
    knd_lock();
    assert_null(kng_bring_facts(g));
    int64_t made = g->counters.pipelines;
    knd_unlock();
    assert_true(made > 0);
    assert_null(run_text());
    assert_int_equal(g->counters.pipelines, made);
}

static void a_file_that_is_no_shader_does_no_harm(void **state)
{
    (void)state;
    knd_lock();
    kng_cache_warm(g); /* all of it once more */
    knd_unlock();
    assert_null(run_text());
}

/* An engine may round its clock, even so far that it stands still for what is short: times are never wrong, at least. */
static void times_are_taken(void **state)
{
    (void)state;
    assert_null(run_text());
    if (g->can_time)
        assert_true(g->counters.nanoseconds >= 0);
    else
        assert_int_equal(g->counters.nanoseconds, 0);
}

/* Each kernel has its own time, and theirs make up the device's. */
static kng_pipeline *run_for_long(uint32_t turns)
{
    static const char loop[] = "@group(0) @binding(0) var<uniform> w: array<vec4<u32>, 1>;\n"
                               "@group(0) @binding(1) var<storage, read_write> m: array<u32>;\n"
                               "@compute @workgroup_size(64)\n"
                               "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                               "    var x = id.x;\n    for (var i = 0u; i < w[0].x; i++) { x = x * 1664525u + %uu; }\n "
                               "   m[id.x %% 64u] = x;\n}\n";
    char source[sizeof loop + 16];
    uint32_t m[64] = {0}, words[4] = {turns};
    kng_pipeline *p = NULL;
    snprintf(source, sizeof source, loop, 2 * turns + 1);
    assert_null(webgpu_run(g, source, 1, (webgpu_array[]){{m, sizeof m}}, words, 4, 64, 1));
    knd_lock();
    assert_null(kng_pipeline_for(g, source, &p));
    kng_pipeline_release(g, p);
    knd_unlock();
    return p;
}

static void each_kernel_has_its_time(void **state)
{
    (void)state;
    if (!g->can_time) {
        print_message("the adapter has no timestamps\n");
        skip();
    }
    int64_t before = g->counters.nanoseconds;
    const kng_pipeline *few = run_for_long(1), *many = run_for_long(60000);
    print_message("%lld ns, %lld ns\n", (long long)few->nanoseconds, (long long)many->nanoseconds);
    assert_int_equal(few->dispatches, 1);
    assert_int_equal(many->dispatches, 1);
    assert_int_equal(g->counters.nanoseconds - before, few->nanoseconds + many->nanoseconds);
    assert_true(many->nanoseconds >= few->nanoseconds);
    assert_true(many->nanoseconds > 10000); /* 246 million turns */
}

static void write_bad_file(void)
{
    char command[400];
    snprintf(command, sizeof command, "for d in %s/*/; do echo 'fn main( {' >\"$d/bad.wgsl\"; done", folder);
    assert_int_equal(system(command), 0);
}

static int remove_folder(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

KN_TEST_GROUP(test_webgpu_settings)
{
    int status = 1;
    if (!mkdtemp(folder))
        return 1;
    setenv("KILN_WEBGPU_CACHE", folder, 1);
    setenv("KILN_WEBGPU_TIMES", "1", 1);
    pid_t child = fork();
    if (!child)
        _exit(other_process());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    status = WEXITSTATUS(status);
    if (!status)
        write_bad_file();
    if (status || !(g = webgpu_first())) {
        remove_folder(NULL);
        return status ? status : 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaders_of_another_process_are_made_ahead),
        cmocka_unit_test(a_file_that_is_no_shader_does_no_harm),
        cmocka_unit_test(times_are_taken),
        cmocka_unit_test(each_kernel_has_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
