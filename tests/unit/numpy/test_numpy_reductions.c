/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_reductions.c -- calls whose results and errors NumPy gave. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

static void reductions_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check(KN_TEST_DIR "/golden/numpy_reductions.txt");
}

KN_TEST_GROUP(test_numpy_reductions)
{
    const struct CMUnitTest tests[] = {TEST(reductions_are_those_of_numpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
