/* SPDX-License-Identifier: Apache-2.0
 * test_routine_count.c -- counts of numbers against one look at each: bins few and many, numbers that are none, threads. */
#include "base/memory.h"
#include "host/routine/count.h"
#include "support/group.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

static void test_counts(void **unused)
{
    (void)unused;
    enum { MOST = 300000 };
    const int64_t lengths[] = {0, 1, 5, 1000, MOST}, bins[] = {0, 1, 3, 256, 4096, 4097, 70000};
    int64_t *x = malloc(MOST * sizeof *x), *want = malloc(70001 * sizeof *want), *got = malloc(70001 * sizeof *got);
    uint64_t state = 88172645463325252u;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
            for (int threads = 1; threads <= 3; threads++) {
                memset(want, 0, 70001 * sizeof *want);
                memset(got, 0xff, 70001 * sizeof *got);
                for (int64_t i = 0; i < lengths[l]; i++) {
                    state = state * 6364136223846793005u + 1442695040888963407u;
                    x[i] =
                        i % 97 == 5 ? (i % 2 ? -1 : INT64_MIN + i) : (int64_t)((state >> 33) % (uint64_t)(bins[b] + 2));
                    if (x[i] >= 0 && x[i] < bins[b])
                        want[x[i]]++;
                }
                assert_true(knr_count(x, lengths[l], bins[b], got, threads));
                assert_int_equal(got[bins[b]], -1);
                got[bins[b]] = 0;
                if (bins[b])
                    assert_memory_equal(got, want, (size_t)bins[b] * sizeof *got);
            }
    free(x), free(want), free(got);
}

KN_TEST_GROUP(test_routine_count)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
