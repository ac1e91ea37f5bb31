/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_missing.c -- an engine that is not there, or is none: errors that say how to get one. Each in a process of
 * its own, since the environment is read once. */
#include "support/group.h"
#include "webgpu/gpu.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* With this library opening fails, again and again, with such words. */
static int open_with(const char *library, const char *words)
{
    setenv("KILN_WEBGPU_LIBRARY", library, 1);
    for (int i = 0; i < 2; i++) {
        knx_error *error = kng_open();
        if (!error || error->kind != KN_ERROR_RUNTIME || !strstr(error->message, words) ||
            !strstr(error->message, "pip install wgpu") || kng_n_gpus())
            return 1;
        knx_error_release(error);
    }
    return 0;
}

static void refused(const char *library, const char *words)
{
    int status = -1;
    pid_t child = fork();
    if (!child)
        _exit(open_with(library, words));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_library_that_is_not_there(void **state)
{
    (void)state;
    refused("/nowhere/libengine.so", "KILN_WEBGPU_LIBRARY cannot be loaded: /nowhere/libengine.so");
}

static void a_file_that_is_no_library(void **state)
{
    (void)state;
    refused("/etc/passwd", "KILN_WEBGPU_LIBRARY cannot be loaded: /etc/passwd");
}

static void a_library_that_is_no_engine(void **state)
{
    (void)state;
    refused("libm.so.6", "'libm.so.6' is no WebGPU engine of the version that is needed: it has no function wgpu");
}

KN_TEST_GROUP(test_webgpu_missing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_not_there),
        cmocka_unit_test(a_file_that_is_no_library),
        cmocka_unit_test(a_library_that_is_no_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
