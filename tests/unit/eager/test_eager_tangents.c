/* SPDX-License-Identifier: Apache-2.0
 * test_eager_tangents.c -- arrays with tangents: rules by formulas, levels, directions, trees, writes, views, loops in C and
 * recorded ones, beside kn_jvp. */
#include "support/group.h"
#include "unit/eager/same.h"

typedef struct {
    kn_array a, b;
} Pair;
KN_FIELDS(Pair, a, b)

/* ---- Formulas. */

static void a_product_has_the_rule_of_products(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(kn_of(double, 1, 2, 3), kn_of(double, 1, 10, 100));
    kn_array y = kn_with_tangent(kn_of(double, 4, 5, 6), kn_of(double, 2, 0, -1));
    kn_array p = kn_mul(x, y);
    expect_values(p, 4, 10, 18);
    expect_values(kn_primal_of(p), 4, 10, 18);
    expect_values(kn_tangent_of(p), 4 + 2, 50, 600 - 3);
    expect_values(kn_tangent_of(kn_sum(p)), 6 + 50 + 597);
    assert_true(kn_has_tangent(p));
    assert_false(kn_has_tangent(kn_primal_of(p)));
    expect_values(kn_tangent_of(kn_primal_of(p)), 0, 0, 0);
}

static void what_depends_on_none_has_zeros(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(kn_of(double, 1, 2), kn_of(double, 1, 1));
    assert_false(kn_has_tangent(kn_of(double, 1)));
    assert_false(kn_has_tangent(kn_stop_gradient(x)));
    expect_values(kn_tangent_of(kn_stop_gradient(x)), 0, 0);
    expect_values(kn_tangent_of(kn_floor(x)), 0, 0);
    expect_values(kn_greater(x, 1), 0, 1); /* integers and truths are plain values */
    assert_false(kn_has_tangent(kn_greater(x, 1)));
    expect_values(kn_astype(x, KN_I32), 1, 2);
}

static void the_array_itself_stays_as_it_was(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), t = kn_with_tangent(x, kn_of(double, 3, 4));
    assert_false(kn_has_tangent(x));
    kn_iadd(x, 10);
    expect_values(t, 1, 2);
    expect_values(kn_tangent_of(t), 3, 4);
    kn_iadd(t, 1);
    expect_values(x, 11, 12);
    kn_array again = kn_with_tangent(t, kn_of(double, 7, 8)); /* in place of the one that is there */
    expect_values(kn_tangent_of(kn_mul(2, again)), 14, 16);
}

static void dtypes_of_floats_have_tangents_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(kn_of(float, 2, 3), kn_of(float, 1, 1)), z = kn_of(double, 1, 2);
    assert_ptr_equal(kn_dtype_of(kn_tangent_of(kn_square(x))), KN_F32);
    kn_array both = kn_mul(x, kn_with_tangent(z, z));
    assert_ptr_equal(kn_dtype_of(kn_tangent_of(both)), KN_F64);
    expect_values(kn_tangent_of(both), 1 + 2, 2 + 6);
    kn_array c = kn_astype(z, KN_C128), i = kn_mul(kn_with_tangent(c, c), c); /* d(c c0) = dc c0 */
    expect_values(kn_real(kn_tangent_of(i)), 1, 4);
}

static void a_number_in_c_is_a_tangent_of_a_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(3.0, 1);
    expect_values(kn_tangent_of(kn_power(x, 3)), 27);
}

/* ---- Levels. */

static void perturbations_are_not_confused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array outer = kn_num(1.0); /* d/dx [x * d/dy (x + y)] = 1, at x = y = 1 */
    {
        KN_TANGENTS;
        kn_array x = kn_with_tangent(1.0, 1.0), slope;
        {
            KN_TANGENTS;
            kn_array y = kn_with_tangent(1.0, 1.0);
            slope = kn_tangent_of(kn_add(x, y));
            expect_values(slope, 1);
        }
        outer = kn_tangent_of(kn_mul(x, slope));
    }
    expect_values(outer, 1);
}

static void second_derivatives_are_those_of_nested_levels(void **state)
{
    (void)state;
    KN_SCOPE;
    KN_TANGENTS;
    kn_array x = kn_with_tangent(kn_of(double, 0.5, 2), kn_of(double, 1, 1)), first, second;
    {
        KN_TANGENTS;
        kn_array y =
            kn_sin(kn_mul(kn_with_tangent(x, kn_of(double, 1, 1)), x)); /* sin(y x): y is x with another tangent */
        first = kn_tangent_of(y);                                       /* x cos(x x) */
    }
    second = kn_tangent_of(first); /* cos(x^2) - 2 x^2 sin(x^2) */
    expect_near(first, 1e-15, 0.5 * cos(0.25), 2 * cos(4.0));
    expect_near(second, 1e-14, cos(0.25) - 0.5 * sin(0.25), cos(4.0) - 8 * sin(4.0));
}

static void what_has_left_its_level_has_no_tangent(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y, x = kn_of(double, 1, 2);
    {
        KN_TANGENTS;
        y = kn_square(kn_with_tangent(x, x));
        assert_true(kn_has_tangent(y));
    }
    assert_false(kn_has_tangent(y));
    expect_values(y, 1, 4);
    expect_values(kn_tangent_of(kn_add(y, 1)), 0, 0);
    {
        KN_TANGENTS;
        assert_false(kn_has_tangent(y)); /* another level */
        expect_values(kn_tangent_of(kn_mul(y, kn_with_tangent(x, x))), 1, 8);
    }
}

static void the_lowest_level_is_seen_again_behind_an_inner_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(kn_of(double, 3), kn_of(double, 1)), y;
    {
        KN_TANGENTS;
        assert_false(kn_has_tangent(x));
        y = kn_mul(x, kn_with_tangent(kn_of(double, 5), kn_of(double, 7)));
        expect_values(kn_tangent_of(y), 21);
        expect_values(kn_primal_of(y), 15);
    }
    expect_values(kn_tangent_of(y), 5);
}

static void levels_end_with_those_inside_of_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_level outer = kn_tangents_begin(), inner = kn_tape_begin();
    kn_array x = kn_with_tangent(kn_of(double, 1), kn_of(double, 1));
    kn_level_end(&outer);
    assert_null(outer);
    assert_false(kn_has_tangent(x));
    kn_level_end(&inner); /* it has closed with the outer one */
    assert_null(inner);
    kn_level none = NULL;
    kn_level_end(&none);
    kn_level_end(NULL);
}

/* ---- Directions. */

static void several_directions_are_those_of_one_each(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), all = kn_with_tangent(x, kn_eye(3));
    kn_array y = kn_sum(kn_mul(kn_sin(all), kn_roll(all, 1))), d = kn_tangent_of(y);
    assert_int_equal(kn_ndim(y), 0);
    assert_int_equal(kn_ndim(d), 1);
    for (int k = 0; k < 3; k++) {
        kn_array one = kn_with_tangent(x, kn_at(kn_eye(3), "%", k));
        same(kn_tangent_of(kn_sum(kn_mul(kn_sin(one), kn_roll(one, 1)))), kn_at(d, "%", k));
    }
}

static void one_direction_has_an_axis_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_tangent_of(kn_square(kn_with_tangent(kn_of(double, 1, 2), kn_ones(KN_SHAPE(1, 2)))));
    assert_int_equal(kn_ndim(one), 2);
    expect_values(one, 2, 4);
}

/* ---- Trees. */

static void a_tree_has_a_tree_of_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {kn_of(double, 1, 2), kn_scalar(3.0)}, t = {kn_of(double, 1, 0), kn_scalar(2.0)};
    kn_tree with = kn_tree_with_tangents(KN_TREE(&p, Pair), KN_TREE(&t, Pair));
    expect_values(kn_tangent_of(kn_mul(kn_tree_get(with, 0), kn_tree_get(with, 1))), 3 + 2, 4);
    kn_tree back = kn_tree_tangents_of(with);
    expect_values(kn_tree_at(back, "a"), 1, 0);
    expect_values(kn_tree_at(back, "b"), 2);
}

/* ---- Writes and views. */

static void a_write_brings_its_tangent(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(kn_of(double, 1, 2, 3), kn_of(double, 10, 20, 30)), z = kn_zeros(KN_SHAPE(3));
    kn_set_at(z, kn_at(x, "1"), "0");
    expect_values(z, 2, 0, 0);
    expect_values(kn_tangent_of(z), 20, 0, 0);
    kn_iadd(z, x);
    expect_values(kn_tangent_of(z), 30, 20, 30);
    kn_set_at(z, 5.0, "1");
    expect_values(z, 3, 5, 3);
    expect_values(kn_tangent_of(z), 30, 0, 30);
    kn_imul(z, z);
    expect_values(kn_tangent_of(z), 2 * 3 * 30, 0, 2 * 3 * 30);
}

static void a_view_sees_what_is_written_to_its_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_with_tangent(kn_of(double, 7), kn_of(double, 1)), z = kn_zeros(KN_SHAPE(2, 3));
    kn_array row = kn_at(z, "1"), flipped = kn_transpose(z);
    kn_set_at(z, x, "1, 2");
    expect_values(row, 0, 0, 7);
    expect_values(kn_tangent_of(row), 0, 0, 1);
    expect_values(kn_tangent_of(flipped), 0, 0, 0, 0, 0, 1);
    kn_imul(row, 3); /* through the view */
    expect_values(kn_tangent_of(z), 0, 0, 0, 0, 0, 3);
    kn_copyto(row, kn_of(double, 1, 1, 1));
    expect_values(kn_tangent_of(kn_sum(z)), 0);
}

/* ---- Loops. */

static kn_array logistic(kn_array x)
{
    for (int k = 0; k < 20; k++)
        x = kn_mul(kn_mul(x, 3.7), kn_sub(1, x));
    return x;
}

static kn_array logistic_of(const kn_array *x) { return logistic(*x); }
KN_FUNCTION(logistic_of, kn_array, kn_array)

static void a_loop_in_c_is_what_kn_jvp_makes_of_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.1, 0.2, 0.3), t = kn_of(double, 1, -2, 0.5), y, dy;
    kn_jvp(KN_FN(logistic_of), KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
    kn_array got = logistic(kn_with_tangent(x, t));
    same(kn_primal_of(got), y);
    same(kn_tangent_of(got), dy);
}

static Pair step(const kn_array *c, const kn_array *x)
{
    kn_array n = kn_sin(kn_mul(*c, *x));
    return (Pair){n, kn_square(n)};
}
KN_FUNCTION(step, Pair, kn_array, kn_array)
static kn_array scanned(const kn_array *c, const kn_array *xs)
{
    Pair out;
    kn_scan(KN_FN(step), &out, c, xs);
    return kn_add(out.a, kn_sum(out.b));
}
KN_FUNCTION(scanned, kn_array, kn_array, kn_array)

static kn_array twice(const kn_array *x) { return kn_mul(*x, 2); }
static kn_array squared(const kn_array *x) { return kn_square(*x); }
KN_FUNCTION(twice, kn_array, kn_array)
KN_FUNCTION(squared, kn_array, kn_array)
static kn_array chosen(const kn_array *x)
{
    kn_array y;
    kn_cond(kn_greater(kn_sum(*x), 3), KN_FN(twice), KN_FN(squared), &y, x);
    return y;
}
KN_FUNCTION(chosen, kn_array, kn_array)

static kn_array small(const kn_array *x) { return kn_less(kn_max(*x), 50); }
KN_FUNCTION(small, kn_array, kn_array)
static kn_array grown(const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN(small), KN_FN(squared), &y, x);
    return y;
}
KN_FUNCTION(grown, kn_array, kn_array)

static void recorded_loops_and_branches_are_as_in_kn_jvp(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array c = kn_scalar(0.7), xs = kn_of(double, 1, 2, 3, 4), dc = kn_scalar(1.0), dxs = kn_of(double, 0, 1, -1, 2),
             y, dy;
    kn_jvp(KN_FN(scanned), KN_ARGS(&c, &xs), KN_ARGS(&dc, &dxs), &y, &dy);
    kn_array tc = kn_with_tangent(c, dc), txs = kn_with_tangent(xs, dxs), got = scanned(&tc, &txs);
    same(kn_primal_of(got), y);
    same(kn_tangent_of(got), dy);
    const kn_fn each[] = {KN_FN(chosen), KN_FN(grown)};
    for (int k = 0; k < 2; k++)
        for (int m = 1; m < 3; m++) {
            kn_array x = kn_mul(m, kn_of(double, 1, 1.5)), t = kn_of(double, 3, -1), in = kn_with_tangent(x, t);
            kn_jvp(each[k], KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
            kn_call(each[k], &got, &in);
            same(kn_primal_of(got), y);
            same(kn_tangent_of(got), dy);
        }
}

static void jitted_functions_take_arguments_with_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.1, 0.2), t = kn_of(double, 1, 2), in = kn_with_tangent(x, t), y, dy, got;
    kn_fn jitted = kn_jit(KN_FN(logistic_of));
    kn_call(jitted, &got, &in);
    kn_jvp(KN_FN(logistic_of), KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
    same(kn_tangent_of(got), dy);
    kn_call(jitted, &got, &x);
    assert_false(kn_has_tangent(got));
}

static kn_array with_own_tangent(const kn_array *x)
{
    KN_TANGENTS;
    kn_array t = kn_with_tangent(*x, kn_ones_like(*x));
    return kn_tangent_of(kn_mul(kn_sin(t), t)); /* x cos x + sin x */
}
KN_FUNCTION(with_own_tangent, kn_array, kn_array)

static void inside_of_jit_grad_and_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.5), xs = kn_of(double, 0.5, 1), y;
    double first = 0.5 * cos(0.5) + sin(0.5), second = 2 * cos(0.5) - 0.5 * sin(0.5);
    kn_call(kn_jit(KN_FN(with_own_tangent)), &y, &x);
    expect_near(y, 1e-15, first);
    kn_call(kn_grad(KN_FN(with_own_tangent)), &y, &x);
    expect_near(y, 1e-15, second);
    kn_call(kn_jit(kn_grad(KN_FN(with_own_tangent))), &y, &x);
    expect_near(y, 1e-15, second);
    kn_call(kn_vmap(KN_FN(with_own_tangent)), &y, &xs);
    expect_near(y, 1e-15, first, cos(1) + sin(1));
    {
        KN_TANGENTS; /* of the function that takes one itself */
        kn_array in = kn_with_tangent(x, 1.0);
        kn_call(kn_jit(KN_FN(with_own_tangent)), &y, &in);
        expect_near(kn_tangent_of(y), 1e-15, second);
    }
}

static void lazily_and_at_once_it_is_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.1, 0.7), t = kn_of(double, 1, 2), y[2];
    for (int lazy = 0; lazy < 2; lazy++) {
        bool was = kn_set_lazy(lazy);
        y[lazy] = kn_tangent_of(logistic(kn_with_tangent(x, t)));
        kn_set_lazy(was);
    }
    same(y[0], y[1]);
}

KN_TEST_GROUP(test_eager_tangents)
{
    const struct CMUnitTest tests[] = {
        TEST(a_product_has_the_rule_of_products),
        TEST(what_depends_on_none_has_zeros),
        TEST(the_array_itself_stays_as_it_was),
        TEST(dtypes_of_floats_have_tangents_of_their_own),
        TEST(a_number_in_c_is_a_tangent_of_a_number),
        TEST(perturbations_are_not_confused),
        TEST(second_derivatives_are_those_of_nested_levels),
        TEST(what_has_left_its_level_has_no_tangent),
        TEST(the_lowest_level_is_seen_again_behind_an_inner_one),
        TEST(levels_end_with_those_inside_of_them),
        TEST(several_directions_are_those_of_one_each),
        TEST(one_direction_has_an_axis_too),
        TEST(a_tree_has_a_tree_of_tangents),
        TEST(a_write_brings_its_tangent),
        TEST(a_view_sees_what_is_written_to_its_array),
        TEST(a_loop_in_c_is_what_kn_jvp_makes_of_it),
        TEST(recorded_loops_and_branches_are_as_in_kn_jvp),
        TEST(jitted_functions_take_arguments_with_tangents),
        TEST(inside_of_jit_grad_and_vmap),
        TEST(lazily_and_at_once_it_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
