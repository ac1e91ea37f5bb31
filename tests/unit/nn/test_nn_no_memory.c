/* SPDX-License-Identifier: Apache-2.0
 * test_nn_no_memory.c -- every allocation of a small program of neural networks fails once: what comes out is a
 * MemoryError or the right answer, and nothing is lost. */
#include "base/memory.h"
#include "support/expect.h"
#include "support/group.h"
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

static char first[256]; /* the first error of the last run */

static double run_and_shut_down(bool *failed, bool *memory)
{
    double v = program();
    *failed = kn_error_pending();
    *memory = *failed && strcmp(kn_error_kind_name(), "MemoryError") == 0;
    snprintf(first, sizeof first, "%s %s", kn_error_kind_name(), kn_error_message());
    kn_error_clear();
    kn_shutdown();
    return v;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool failed, memory;
    knx_buffer_trim();
    double right = run_and_shut_down(&failed, &memory);
    assert_false(failed);
    assert_false(isnan(right));
    int64_t live = knx_alloc_live(), start = knx_alloc_count();
    run_and_shut_down(&failed, &memory);
    int64_t n = knx_alloc_count() - start;
    for (int64_t k = 0; k < n; k++) {
        knx_fail_after(k, k % 2);
        double v = run_and_shut_down(&failed, &memory);
        knx_fail_after(-1, false);
        kn_error_clear();
        if (failed && !memory)
            fail_msg("allocation %lld of %lld: an error that is no MemoryError: %s", (long long)k, (long long)n, first);
        if (!failed && !isnan(v) && v != right)
            fail_msg("allocation %lld of %lld: %.17g instead of %.17g", (long long)k, (long long)n, v, right);
        kn_shutdown();
        if (knx_alloc_live() != live)
            fail_msg("allocation %lld of %lld: %lld blocks are alive, %lld were", (long long)k, (long long)n,
                     (long long)knx_alloc_live(), (long long)live);
    }
}

KN_TEST_GROUP(test_nn_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
