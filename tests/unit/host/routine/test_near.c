/* SPDX-License-Identifier: Apache-2.0
 * test_near.c -- parts that have a thread of their own: each runs once, whatever the number of threads. */
#include "host/routine/near.h"
#include "support/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, URGENT = 1000 };

typedef struct record {
    atomic_int runs[MOST], urgent, begun;
    int threads;
} record;

static void note(void *arg, int64_t part, int worker)
{
    record *r = arg;
    assert_in_range(worker, 0, r->threads - 1);
    atomic_fetch_add(part == URGENT ? &r->urgent : &r->runs[part], 1);
    atomic_fetch_add(&r->begun, 1);
}

static void check(int threads, int64_t first, int64_t end, int64_t urgent)
{
    record r;
    memset(&r, 0, sizeof r);
    r.threads = threads > 1 ? threads : 1;
    knr_parallel_near(threads, first, end, urgent, note, &r);
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&r.runs[i]) != (i >= first && i < end))
            fail_msg("threads %d, first %d, end %d: part %d runs %d times", threads, (int)first, (int)end, i,
                     atomic_load(&r.runs[i]));
    assert_int_equal(atomic_load(&r.urgent), urgent >= 0);
}

static void every_part_runs_once(void **state)
{
    (void)state;
    for (int threads = 0; threads < 40; threads += threads < 5 ? 1 : 7)
        for (int64_t first = 0; first < 9; first++)
            for (int64_t n = 0; n < 50; n += n < 4 ? 1 : 13) {
                check(threads, first, first + n, -1);
                check(threads, first, first + n, URGENT);
            }
}

static void note_first(void *arg, int64_t part, int worker)
{
    int64_t *seen = arg;
    (void)worker;
    if (*seen < 0)
        *seen = part;
}

static void the_urgent_part_is_begun_first(void **state)
{
    (void)state;
    int64_t seen = -1;
    knr_parallel_near(1, 3, 20, URGENT, note_first, &seen);
    assert_int_equal(seen, URGENT);
}

KN_TEST_GROUP(test_near)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_runs_once),
        cmocka_unit_test(the_urgent_part_is_begun_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
