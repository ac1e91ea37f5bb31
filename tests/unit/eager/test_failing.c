/* SPDX-License-Identifier: Apache-2.0
 * test_failing.c -- operations that fail when they run, over values with something at them. */
#include "kiln/kiln.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* What such an operation leaves is let go once: often enough that memory would tell. */
static void expect_failures(kn_array x)
{
    for (int i = 0; i < 20; i++) {
        KN_SCOPE;
        assert_false(kn_ok(kn_linalg_cholesky(x)));
        assert_non_null(strstr(kn_error_message(), "not positive definite"));
        kn_error_clear();
    }
    assert_true(kn_ok(kn_linalg_cholesky(kn_eye(3))));
}

static kn_array negative(void) { return kn_copy(kn_negative(kn_ones(KN_SHAPE(2, 3, 3)))); }

static void a_failing_operation_over_batch_axes_lets_go_once(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_failures(kn_batch_in(negative(), 0));
}

static void a_failing_operation_with_tangents_lets_go_once(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_failures(kn_with_tangent(negative(), kn_ones(KN_SHAPE(2, 3, 3))));
}

static void a_failing_operation_on_a_tape_lets_go_once(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_failures(kn_watch(negative()));
}

KN_TEST_GROUP(test_failing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_operation_over_batch_axes_lets_go_once),
        cmocka_unit_test(a_failing_operation_with_tangents_lets_go_once),
        cmocka_unit_test(a_failing_operation_on_a_tape_lets_go_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
