/* SPDX-License-Identifier: Apache-2.0
 * test_microbatch.c -- functions of batches in parts, and maps over an optimizer's state, with the numbers that optax
 * 0.2 printed for the same calls. */
#include "support/expect.h"
#include "support/group.h"
#include <limits.h>

typedef struct {
    kn_array each, sum, mean, running, first;
} All;
static All all_of(const kn_array *w, const kn_array *x, const kn_array *y)
{
    kn_array r = kn_sub(kn_matmul(*x, *w), *y);
    return (All){r, kn_sum(kn_mul(r, r)), kn_mean(r), kn_sum(*x, .axis = KN_AXIS(0)), kn_at(r, "0")};
}
KN_FUNCTION(all_of, All, kn_array, kn_array, kn_array)
static All all_of_columns(const kn_array *w, const kn_array *x, const kn_array *y)
{
    kn_array rows = kn_transpose(*x);
    return all_of(w, &rows, y);
}
KN_FUNCTION(all_of_columns, All, kn_array, kn_array, kn_array)
static kn_array squares(const kn_array *w, const kn_array *x, const kn_array *y) { return all_of(w, x, y).sum; }
KN_FUNCTION(squares, kn_array, kn_array, kn_array, kn_array)
static kn_array total(const kn_array *x) { return kn_sum(*x); }
KN_FUNCTION(total, kn_array, kn_array)

static kn_tree how(void)
{
    return kn_tree_tuple(KN_OPTIM_CONCAT, KN_OPTIM_SUM, KN_OPTIM_MEAN, KN_OPTIM_RUNNING_MEAN, KN_OPTIM_CONCAT);
}
static kn_array rows(void) { return kn_reshape(kn_sin(kn_arange(0.0, 36.0, 1.0)), KN_SHAPE(12, 3)); }
static kn_array right(void) { return kn_cos(kn_arange(0.0, 12.0, 1.0)); }
static kn_array weights(void) { return kn_of(double, 0.5, -1, 2); }
static bool same(kn_array a, kn_array b) { return kn_item_bool(kn_all(kn_equal(a, b))); }

static void accumulators_are_those_of_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = weights(), x = rows(), y = right();
    kn_fn f = kn_optim_microbatch(KN_FN(all_of), KN_ARGNUMS(1, 2), 4, .accumulators = how());
    All a, whole = all_of(&w, &x, &y), jitted;
    kn_call(f, &a, &w, &x, &y);
    assert_true(same(a.each, whole.each));
    expect_near(a.sum, 1e-13, 21.890263301786426);
    expect_near(a.mean, 1e-15, 0.038510865712137);
    expect_near(a.running, 1e-15, 0.178628037145348, 0.244840892290189, 0.085948160205056);
    expect_near(a.first, 1e-14, -0.0228761311565331, -1.6307883558565548, 1.5981689819756539);
    kn_call(kn_jit(f), &jitted, &w, &x, &y);
    assert_true(same(a.each, jitted.each) && same(a.sum, jitted.sum) && same(a.running, jitted.running));
}

static void only_some_parts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = weights(), x = rows(), y = right();
    All a;
    for (int k = 2; k < 6; k += 3) { /* two of four; more than there are is all of them */
        kn_array n = kn_scalar(k);
        kn_fn f =
            kn_optim_microbatch(KN_FN(all_of), KN_ARGNUMS(1, 2), 3, .accumulators = how(), .num_real_microbatches = n);
        kn_call(kn_jit(f), &a, &w, &x, &y);
        expect_near(a.sum, 1e-13, k == 2 ? 10.854046220949698 : 21.890263301786426);
    }
}

static void rows_that_were_not_worked_out_are_zero(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = weights(), x = rows(), y = right(), n = kn_scalar(1);
    All a;
    kn_call(kn_optim_microbatch(KN_FN(all_of), KN_ARGNUMS(1, 2), 3, .accumulators = how(), .num_real_microbatches = n),
            &a, &w, &x, &y);
    expect_values(kn_not_equal(a.each, 0), 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
}

static void batches_along_other_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = weights(), x = rows(), columns = kn_transpose(x), y = right();
    All a, b;
    kn_call(kn_optim_microbatch(KN_FN(all_of), KN_ARGNUMS(1, 2), 4, .accumulators = how()), &a, &w, &x, &y);
    kn_call(kn_optim_microbatch(KN_FN(all_of_columns), KN_ARGNUMS(1, 2), 4, .accumulators = how(),
                                .in_axes = KN_AXIS(1, 0)),
            &b, &w, &columns, &y);
    assert_true(same(a.each, b.each) && same(a.sum, b.sum) && same(a.mean, b.mean));
}

static void gradients_and_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = weights(), x = rows(), y = right(), slope, jitted, values, both = kn_stack(KN_LIST(w, kn_mul(w, 2)));
    kn_fn f = kn_optim_microbatch(KN_FN(squares), KN_ARGNUMS(1, 2), 4);
    kn_call(kn_grad(f), &slope, &w, &x, &y);
    expect_near(slope, 1e-13, -17.902735523319723, 4.594753779382259, 22.867847647112892);
    kn_call(kn_jit(kn_grad(f)), &jitted, &w, &x, &y);
    assert_true(same(slope, jitted));
    kn_call(kn_vmap(f, .in_axes = {KN_MAPPED(0), KN_UNMAPPED, KN_UNMAPPED}), &values, &both, &x, &y);
    kn_array second = kn_at(both, "1"), one, two;
    kn_call(f, &one, &w, &x, &y);
    kn_call(f, &two, &second, &x, &y);
    assert_true(same(values, kn_stack(KN_LIST(one, two))));
}

static void a_size_of_zero_is_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y;
    kn_call(kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(0), 0), &y, &x);
    expect_values(y, 6);
}

static kn_array dot_of_neighbours(const kn_array *x) { return kn_sum(kn_mul(kn_at(*x, ":-1"), kn_at(*x, "1:"))); }
KN_FUNCTION(dot_of_neighbours, kn_array, kn_array)

static void parts_have_elements_that_are_apart(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0.0, 6.0, 1.0), y; /* 0, 2, 4 and 1, 3, 5 */
    kn_call(kn_optim_microbatch(KN_FN(dot_of_neighbours), KN_ARGNUMS(0), 3), &y, &x);
    expect_values(y, 0 * 2 + 2 * 4 + 1 * 3 + 3 * 5);
}

static void wrong_microbatches(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = weights(), x = rows(), y = right(), eight = kn_at(y, ":8"), n = kn_of(int, 1, 2, 3, 4), v;
    assert_int_equal(kn_call(kn_optim_microbatch(KN_FN(squares), KN_ARGNUMS(1, 2), 5), &v, &w, &x, &y), -1);
    expect_error("ValueError", "optim_microbatch: batch_size=12 must be divisible by microbatch_size=5.");
    assert_int_equal(kn_call(kn_optim_microbatch(KN_FN(squares), KN_ARGNUMS(1, 2), 4), &v, &w, &x, &eight), -1);
    expect_error("ValueError", "optim_microbatch: Batch Arguments must have equal-size batch axes, found [12, 8].");
    kn_fn mean = kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(0), 2, .accumulator = KN_OPTIM_MEAN);
    assert_int_equal(kn_call(mean, &v, &n), -1);
    expect_error("ValueError", "optim_microbatch: MEAN and RUNNING_MEAN Accumulators require floating-point values.");
    kn_array none = kn_zeros(KN_SHAPE(0));
    assert_int_equal(kn_call(mean, &v, &none), -1);
    expect_error("ValueError", "optim_microbatch: num_microbatches=0 must be positive.");
    assert_null(kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(1), 2));
    expect_error("ValueError", "optim_microbatch: argnums 1 is out of range: total has 1 argument");
    assert_null(kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(0), -2));
    expect_error("ValueError", "optim_microbatch: microbatch_size must not be negative, but is -2");
    assert_null(kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(0), 2, .accumulator = 9));
    expect_error("ValueError", "optim_microbatch: Unknown accumulator: 9");
    assert_null(kn_optim_microbatch(KN_FN(squares), KN_ARGNUMS(1, 1), 2));
    expect_error("ValueError", "optim_microbatch: argnums has 1 twice");
    kn_axes few = {.n = INT_MIN}, many = {.n = INT_MAX};
    assert_null(kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(0), 2, .in_axes = few));
    expect_error_with("ValueError", "optim_microbatch: in_axes: an array has at most");
    assert_null(kn_optim_microbatch(KN_FN(total), KN_ARGNUMS(0), 2, .in_axes = many));
    expect_error_with("ValueError", "optim_microbatch: in_axes: an array has at most");
    assert_null(kn_optim_microbatch(NULL, KN_ARGNUMS(0), 2));
    expect_error("TypeError", "optim_microbatch: null function");
}

/* ---- Maps over a state. */

static kn_array filled(const kn_array *a, const kn_array *with) { return kn_full_like(*a, *with); }
KN_FUNCTION(filled, kn_array, kn_array, kn_array)
static kn_array minus_one(const kn_array *a) { return kn_full_like(*a, -1); }
KN_FUNCTION(minus_one, kn_array, kn_array)

/* The first elements of the leaves, in their order. */
static kn_array mapped(kn_optimizer o)
{
    kn_tree p = kn_tree_dict("w", kn_ones(KN_SHAPE(2, 2)), "b", 3.0), with = kn_tree_dict("w", 10.0, "b", 20.0);
    kn_tree t = kn_optim_tree_map_params(o, KN_FN(filled), kn_optim_init(o, p), p, 1, &with,
                                         .transform_non_params = KN_FN(minus_one));
    kn_array first[16];
    for (int i = 0; i < kn_tree_count(t); i++)
        first[i] = kn_at(kn_ravel(kn_astype(kn_tree_get(t, i), KN_F64)), "0");
    return kn_stack((kn_list_from)(first, kn_tree_count(t)));
}

static void states_are_mapped_as_by_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree only_w = kn_tree_dict("w", KN_TRUE, "b", KN_FALSE);
    expect_values(mapped(kn_optim_masked(kn_optim_adam(.learning_rate = 0.1), only_w)), -1, 10, 10);
    expect_values(mapped(kn_optim_multi_steps(kn_optim_sgd(.learning_rate = 0.1, .momentum = 0.9), 2)), -1, -1, 20, 10,
                  20, 10);
    expect_values(mapped(kn_optim_rmsprop(.learning_rate = 0.1, .momentum = 0.5, .centered = true)), 20, 10, 20, 10, 20,
                  10);
    expect_values(
        mapped(kn_optim_chain(kn_optim_clip(1), kn_optim_zero_nans(),
                              kn_optim_scale_by_schedule(kn_optim_constant_schedule(1)), kn_optim_trace(0.9))),
        1, 1, -1, 20, 10); /* found_nan: 20 and 10 as bools */
}

static void what_belongs_to_no_parameter_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_of(double, 1, 2);
    kn_optimizer o = kn_optim_adam(.learning_rate = 0.1);
    kn_tree s = kn_optim_init(o, KN_TREE(&p)),
            t = kn_optim_tree_map_params(o, KN_FN(minus_one), s, KN_TREE(&p), 0, NULL);
    expect_values(kn_tree_at(t, "[0].count"), 0);
    expect_values(kn_tree_at(t, "[0].nu"), -1, -1);
}

static void wrong_maps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_of(double, 1, 2);
    kn_optimizer o = kn_optim_adam(.learning_rate = 0.1);
    kn_tree s = kn_optim_init(o, KN_TREE(&p)), two = kn_tree_list(1.0, 2.0);
    assert_null(kn_optim_tree_map_params(o, KN_FN(filled), s, KN_TREE(&p), 1, &two));
    expect_error("ValueError", "optim_tree_map_params: tree 0 of the rest has 2 leaves, but there are 1 parameters");
    assert_null(kn_optim_tree_map_params(o, KN_FN(minus_one), two, KN_TREE(&p), 0, NULL));
    expect_error("ValueError", "optim_tree_map_params: the state: 2 arrays where 3 are wanted for the 1 parameters");
    assert_null(kn_optim_tree_map_params(o, NULL, s, KN_TREE(&p), 0, NULL));
    expect_error("TypeError", "optim_tree_map_params: null function");
    assert_null(kn_optim_tree_map_params(o, KN_FN(filled), s, KN_TREE(&p), 0, NULL));
    expect_error_with("TypeError", "takes 2 arguments, but was given 1");
}

KN_TEST_GROUP(test_microbatch)
{
    const struct CMUnitTest tests[] = {
        TEST(accumulators_are_those_of_optax),
        TEST(only_some_parts),
        TEST(rows_that_were_not_worked_out_are_zero),
        TEST(batches_along_other_axes),
        TEST(gradients_and_vmap),
        TEST(a_size_of_zero_is_the_function),
        TEST(parts_have_elements_that_are_apart),
        TEST(wrong_microbatches),
        TEST(states_are_mapped_as_by_optax),
        TEST(what_belongs_to_no_parameter_stays),
        TEST(wrong_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
