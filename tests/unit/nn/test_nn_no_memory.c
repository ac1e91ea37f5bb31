/* SPDX-License-Identifier: Apache-2.0
 * test_nn_no_memory.c -- every allocation of a small program of neural networks fails once: what comes out is a
 * MemoryError or the right answer, and nothing is lost. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <stdio.h>

static kn_array loss(const kn_array *x, const kn_array *ids)
{
    kn_array y = kn_nn_softplus(kn_nn_relu6(kn_nn_standardize(*x)));
    return kn_sum(kn_segment_sum(kn_nn_mish(y), *ids, .num_segments = 2));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

/* NaN where something failed. */
static double program(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(1), ids = kn_of(int, 1, 0, 1), slope, mask = kn_of(bool, true, false, true);
    kn_array x = kn_nn_init_glorot_normal(key, KN_SHAPE(3, 2)), heads = kn_reshape(x, KN_SHAPE(3, 2, 1));
    kn_call(kn_jit(kn_grad(KN_FN(loss))), &slope, &x, &ids);
    kn_array y = kn_nn_dot_product_attention(heads, kn_at(heads, ":, :1"), kn_at(heads, ":, :1"), .mask = mask);
    return kn_item(kn_sum(slope)) + 2 * kn_item(kn_sum(y)) + kn_item(kn_sum(kn_segment_max(x, ids)));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    no_memory_check(program, 1, NULL);
}

KN_TEST_GROUP(test_nn_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
