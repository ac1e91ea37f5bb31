/* SPDX-License-Identifier: Apache-2.0
 * test_levels_end.c -- levels that end in another order than they began, and with their context. */
#include "kiln/kiln.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void an_outer_level_closes_the_inner_ones(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_level outer = kn_tape_begin(), inner = kn_tangents_begin(), off = kn_no_tape_begin();
    kn_array x = kn_with_tangent(2.0, 1.0);
    kn_level_end(&outer);
    assert_false(kn_has_tangent(x));
    kn_level_end(&inner);
    kn_level_end(&off);
    assert_null(inner);
    assert_true(kn_is_watched(kn_watch(kn_copy(kn_of(double, 1, 2)))));
    assert_false(kn_error_pending());
}

/* Memory of a level that is gone may be another one's. */
static void ending_once_more_ends_no_other_level(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 8 };
    kn_level old[N], fresh[N];
    for (int i = 0; i < N; i++)
        old[i] = kn_tangents_begin();
    kn_level_end(&old[0]);
    for (int i = 0; i < N; i++)
        fresh[i] = kn_tangents_begin();
    kn_array x = kn_with_tangent(2.0, 1.0);
    for (int i = 1; i < N; i++)
        kn_level_end(&old[i]);
    assert_true(kn_has_tangent(x));
    kn_level_end(&fresh[0]);
    assert_false(kn_has_tangent(x));
    assert_false(kn_error_pending());
}

static void levels_of_a_context_that_was_freed_are_gone(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    int pushed = kn_context_push(c);
    kn_level level = kn_tape_begin(), off = kn_no_tape_begin();
    kn_context_leave(&pushed);
    kn_context_free(c);
    kn_level_end(&off);
    kn_level_end(&level);
    assert_null(level);
    assert_false(kn_error_pending());
}

static void levels_end_after_the_library_has_ended(void **state)
{
    (void)state;
    kn_level level = kn_tape_begin(), off = kn_no_tape_begin();
    {
        KN_SCOPE;
        kn_print(kn_add(kn_watch(kn_copy(kn_of(double, 1, 2))), 1));
    }
    assert_int_equal(kn_shutdown(), 0);
    kn_level_end(&off);
    kn_level_end(&level);
    assert_null(level);
    assert_false(kn_error_pending());
}

KN_TEST_GROUP(test_levels_end)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outer_level_closes_the_inner_ones),
        cmocka_unit_test(ending_once_more_ends_no_other_level),
        cmocka_unit_test(levels_of_a_context_that_was_freed_are_gone),
        cmocka_unit_test(levels_end_after_the_library_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
