/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_kernels.c -- every stored kernel that the device can have, in exact mode, each as its points are shared out
 * and in one way more: bit for bit beside the interpreter. A second number of the command line: only every n-th
 * kernel; a file's name: that one. */
#include "support/group.h"
#include "support/wgsl_device.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double MOST_POINTS = 20000;
static kng_gpu *g;
static int argument_count;
static char **argument;
static int n_run, n_refused, n_wrong;

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 22) - 1, f) > 0);
    fclose(f);
    return text;
}

static void check(const char *path, const wgsl_case *c, knw_mode mode)
{
    n_run++;
    n_wrong += !wgsl_device_check(g, &g->facts, c, mode, path);
}

static bool reduces(const knk_kernel *k)
{
    for (int i = 0; i < k->n_node; i++)
        if (k->node[i].op == KNK_REDUCE)
            return true;
    return false;
}

static void check_file(const char *path, uint64_t seed)
{
    kernel_case from;
    wgsl_case c;
    char *text = read_text(path);
    knx_error *error = kernel_case_parse(text, &from);
    free(text);
    assert_null(error);
    kernel_case_shrink(&from, MOST_POINTS);
    if (knw_refuses(from.k) || !wgsl_case_of_kernel(&from, seed, seed % 3 == 0, &c)) {
        n_refused++;
        kernel_case_free(&from);
        return;
    }
    if (c.n_memory + 1 > KNG_SLOTS || knw_too_large(c.k, &g->facts, &c.l)) {
        n_refused++;
    } else {
        knw_mode chosen = knw_choose(c.k, &g->facts, &c.l), other = (knw_mode)(seed % (KNW_COLUMNS + 1));
        check(path, &c, chosen);
        if (reduces(c.k) && other != chosen && knw_fits(c.k, &g->facts, &c.l, other))
            check(path, &c, other);
    }
    wgsl_case_free(&c);
    kernel_case_free(&from);
}

static void stored_kernels_have_the_hosts_bits(void **state)
{
    (void)state;
    glob_t all;
    size_t step = argument_count > 1 && atoi(argument[1]) > 0 ? (size_t)atoi(argument[1]) : 1;
    knd_lock();
    assert_null(kng_bring_facts(g));
    knd_unlock();
    if (argument_count > 1 && strchr(argument[1], '/')) {
        check_file(argument[1], argument_count > 2 ? strtoull(argument[2], NULL, 10) : 1);
    } else {
        assert_int_equal(glob(KN_TEST_DIR "/data/kernels/*.kernel", 0, NULL, &all), 0);
        for (size_t i = 0; i < all.gl_pathc; i += step)
            check_file(all.gl_pathv[i], i);
        globfree(&all);
    }
    print_message("%d runs, %d kernels refused, %d wrong\n", n_run, n_refused, n_wrong);
    assert_int_equal(n_wrong, 0);
}

KN_TEST_GROUP(test_webgpu_kernels)
{
    if (!(g = webgpu_first()))
        return 77;
    argument_count = argc;
    argument = argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_kernels_have_the_hosts_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
