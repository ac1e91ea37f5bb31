/* SPDX-License-Identifier: Apache-2.0
 * test_first.c -- a context in which a batch axis is the first thing that is ever at a value. */
#include "kiln/kiln.h"
#include "support/expect.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void operations_keep_the_first_batch_axis(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array b = kn_batch_in(kn_reshape(kn_arange(0, 6, 1.0), KN_SHAPE(2, 3)), 0), y = kn_multiply(b, 0.5);
    assert_int_equal(kn_batch_dims_of(y), 1);
    expect_values(kn_batch_out(kn_sum(y), 0), 1.5, 6);
    assert_false(kn_error_pending());
}

KN_TEST_GROUP(test_first)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_keep_the_first_batch_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
