/* SPDX-License-Identifier: Apache-2.0
 * test_eager_meshes.c -- arrays over virtual devices that have something at them. */
#include "dist/dist.h"
#include "support/expect.h"
#include "support/group.h"

static int two_devices(void **state)
{
    (void)state;
    return kndist_set_local(2) != NULL;
}

static kn_sharding halves(void) { return kn_named_sharding(kn_make_mesh(KN_SHAPE(2), "x"), "x"); }

static kn_array constrained(const kn_array *x)
{
    return kn_sum(kn_square(kn_with_sharding_constraint(kn_mul(*x, 2), halves())));
}

static kn_array inner_gradient(const kn_array *x)
{
    kn_array w = kn_watch(kn_copy(*x));
    kn_backward(constrained(&w));
    return kn_grad_of(w);
}
KN_FUNCTION(inner_gradient, kn_array, kn_array)

static void constraints_are_gone_through(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), spread = kn_shard(x, halves()), w = kn_watch(kn_copy(spread)), inside;
    kn_backward(constrained(&w));
    expect_values(kn_grad_of(w), 8, 16);
    kn_array t = kn_with_tangent(spread, kn_ones(KN_SHAPE(2)));
    expect_values(kn_tangent_of(constrained(&t)), 24);
    kn_call(kn_jit(KN_FN(inner_gradient)), &inside, &x);
    expect_values(inside, 8, 16);
    kn_shard(kn_watch(kn_copy(x)), halves());
    expect_error_with("ValueError", "spread it first");
}

static kn_array part(void *env, const kn_shape *start, const kn_shape *shape)
{
    kn_array all = env;
    (void)shape;
    return kn_at(all, "%:%", (int)start->dim[0], (int)start->dim[0] + 1);
}

static void parts_are_elements_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 5, 6), w = kn_watch(kn_copy(x)), t = kn_with_tangent(x, x),
             b = kn_batch_in(kn_ones(KN_SHAPE(3, 2)), 0);
    expect_values(kn_make_array_from_process_local_data(halves(), w), 5, 6);
    expect_values(kn_make_array_from_process_local_data(halves(), t), 5, 6);
    kn_make_array_from_process_local_data(halves(), b);
    expect_error_with("ValueError", "an array with batch axes cannot be looked at");
    expect_values(kn_make_array_from_callback(KN_SHAPE(2), KN_F64, halves(), part, w), 5, 6);
    expect_values(kn_make_array_from_callback(KN_SHAPE(2), KN_F64, halves(), part, t), 5, 6);
    kn_make_array_from_callback(KN_SHAPE(2), KN_F64, halves(), part, b);
    expect_error_with("ValueError", "an array with batch axes cannot be looked at");
}

KN_TEST_GROUP(test_eager_meshes)
{
    const struct CMUnitTest tests[] = {
        TEST(constraints_are_gone_through),
        TEST(parts_are_elements_alone),
    };
    return cmocka_run_group_tests(tests, two_devices, NULL);
}
