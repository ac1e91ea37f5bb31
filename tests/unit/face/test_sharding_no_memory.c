/* SPDX-License-Identifier: Apache-2.0
 * test_sharding_no_memory.c -- every allocation of a small program over a mesh fails once: what comes out is a MemoryError or
 * the right answer, and nothing is lost or leaked. */
#include "dist/dist.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"

static kn_array step(const kn_array *x)
{
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(2), "x"), "x");
    return kn_sum(kn_with_sharding_constraint(kn_mul(*x, 2), s), KN_AXIS(0));
}
KN_FUNCTION(step, kn_array, kn_array)

static double program(void)
{
    KN_SCOPE;
    kn_shard_info part[2] = {{0}};
    kn_mesh m = kn_make_mesh(KN_SHAPE(2), "x");
    kn_sharding s = kn_named_sharding(m, "x, None");
    kn_array x = kn_shard(kn_reshape(kn_arange(0., 15., 1.), KN_SHAPE(5, 3)), s), y = NULL;
    kn_iadd(x, 1);
    kn_call(kn_jit(KN_FN(step)), &y, &x);
    if (kn_addressable_shards(x, 2, part) != 2 || !kn_visualize_array_sharding(x))
        return NAN;
    double sum = kn_item(kn_sum(y)) + kn_item(kn_sum(part[1].data)) + kn_item(kn_at(x, "4, 2"));
    return kn_error_pending() ? NAN : sum;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    no_memory_check(program, 1, NULL);
}

static int two_devices(void **state)
{
    (void)state;
    return kndist_set_local(2) != NULL;
}

KN_TEST_GROUP(test_sharding_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, two_devices, NULL);
}
