/* SPDX-License-Identifier: Apache-2.0
 * test_eager_batch.c -- batch axes: in and out, counted up and down, operations beside kn_vmap, writes, indices, and with
 * tangents and tapes. The first test runs before any other of these functions is called. */
#include "support/group.h"
#include "unit/eager/same.h"

static kn_array numbers(int64_t a, int64_t b) /* a x b */
{
    return kn_reshape(kn_arange(0., (double)(a * b), 1), KN_SHAPE(a, b));
}

static void operations_see_batch_axes_from_the_first_one_on(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(2, 3), b = kn_batch_in(x, 0), y = kn_sum(b);
    assert_int_equal(kn_batch_dims_of(b), 1);
    assert_int_equal(kn_ndim(b), 1);
    assert_int_equal(kn_dim(b, 0), 3);
    assert_int_equal(kn_batch_dims_of(y), 1);
    assert_int_equal(kn_ndim(y), 0);
    expect_values(kn_batch_out(y, 0), 3, 12);
}

static void any_axis_goes_in_and_comes_out_anywhere(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0., 24., 1), KN_SHAPE(2, 3, 4));
    for (int in = -3; in < 3; in++)
        for (int out = -3; out < 3; out++) {
            kn_array b = kn_batch_in(x, in);
            kn_shape s = kn_physical_shape(b);
            assert_int_equal(s.ndim, 3);
            assert_int_equal(s.dim[0], kn_dim(x, in < 0 ? in + 3 : in));
            same(kn_batch_out(b, out), kn_moveaxis(x, KN_AXIS(in), KN_AXIS(out)));
            same(kn_batch_out(kn_mul(b, 2), out), kn_mul(2, kn_moveaxis(x, KN_AXIS(in), KN_AXIS(out))));
        }
    assert_int_equal(kn_batch_dims_of(x), 0);
}

static void nested_axes_come_out_by_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0., 24., 1), KN_SHAPE(2, 3, 4));
    kn_array b = kn_batch_in(kn_batch_in(x, 0), 0); /* physical 3, 2, 4: the last that went in is the first */
    kn_shape s = kn_physical_shape(b);
    assert_int_equal(kn_batch_dims_of(b), 2);
    assert_int_equal(kn_ndim(b), 1);
    assert_int_equal(s.dim[0], 3);
    assert_int_equal(s.dim[1], 2);
    assert_int_equal(s.dim[2], 4);
    kn_array y = kn_sum(b);
    same(kn_batch_out(kn_batch_out(y, 0), 0), kn_sum(x, KN_AXIS(2)));
    same(kn_batch_out(kn_batch_out(y, 0, .batch_axis = 1), 0), kn_transpose(kn_sum(x, KN_AXIS(2))));
    same(kn_batch_out(kn_batch_out(y, 0, .batch_axis = -1), 1), kn_sum(x, KN_AXIS(2)));
}

static void counting_moves_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0., 24., 1), KN_SHAPE(2, 3, 4)), b = kn_incr_batch_dims(kn_incr_batch_dims(x));
    kn_shape s = kn_physical_shape(b);
    assert_int_equal(kn_batch_dims_of(b), 2);
    assert_int_equal(s.dim[0] * 100 + s.dim[1] * 10 + s.dim[2], 234);
    assert_int_equal(kn_dim(b, 0), 4);
    kn_array y = kn_sum(b), back = kn_decr_batch_dims(y); /* the last batch axis is the first logical one */
    assert_int_equal(kn_batch_dims_of(back), 1);
    assert_int_equal(kn_dim(back, 0), 3);
    same(kn_decr_batch_dims(back), kn_sum(x, KN_AXIS(2)));
    same(kn_decr_batch_dims(kn_decr_batch_dims(b)), x);
}

/* ---- Beside kn_vmap. */

static kn_array layer(const kn_array *x, const kn_array *w)
{
    return kn_add(kn_tanh(kn_matmul(*w, *x)), kn_cumsum(kn_nn_softmax(kn_at(*x, ":2"))));
}
KN_FUNCTION(layer, kn_array, kn_array, kn_array)

static void code_that_knows_nothing_of_it_is_mapped(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_sin(numbers(5, 3)), w = kn_cos(numbers(2, 3)), ws = kn_stack(KN_LIST(w, w, kn_mul(w, 2), w, w)),
             want;
    kn_array x = kn_batch_in(xs, 0), m = kn_batch_in(ws, 0);
    kn_call(kn_vmap(KN_FN(layer), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &want, &xs, &w);
    same(kn_batch_out(layer(&x, &w), 0), want);
    kn_call(kn_vmap(KN_FN(layer)), &want, &xs, &ws);
    same(kn_batch_out(layer(&x, &m), 0), want);
    kn_call(kn_jit(KN_FN(layer)), &want, &x, &m);
    same(kn_batch_out(want, 0), kn_batch_out(layer(&x, &m), 0));
}

static void axes_of_operands_meet_from_the_last_one_on(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array two = kn_incr_batch_dims(kn_incr_batch_dims(kn_reshape(kn_arange(0., 12., 1), KN_SHAPE(2, 3, 2))));
    kn_array one = kn_incr_batch_dims(kn_reshape(kn_arange(0., 6., 1), KN_SHAPE(3, 2)));
    kn_array y = kn_add(two, one); /* 2 3 | 2 and 3 | 2 */
    assert_int_equal(kn_batch_dims_of(y), 2);
    same(kn_decr_batch_dims(kn_decr_batch_dims(y)),
         kn_add(kn_decr_batch_dims(kn_decr_batch_dims(two)), kn_decr_batch_dims(one)));
}

static kn_array body(const kn_array *i, const kn_array *x) { return kn_add(kn_mul(*x, 0.5), *i); }
KN_FUNCTION(body, kn_array, kn_array, kn_array)
static kn_array small(const kn_array *x) { return kn_less(*x, 100); }
static kn_array twice(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(small, kn_array, kn_array)
KN_FUNCTION(twice, kn_array, kn_array)
static kn_array recorded(const kn_array *x)
{
    kn_array a, b, c;
    kn_fori_loop(0, 4, KN_FN(body), &a, x);
    kn_while_loop(KN_FN(small), KN_FN(twice), &b, x);
    kn_cond(kn_greater(*x, 2), KN_FN(twice), KN_FN(twice), &c, x);
    return kn_add(kn_add(a, b), c);
}
KN_FUNCTION(recorded, kn_array, kn_array)

static void loops_and_branches_are_mapped(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2.5, 60), x = kn_batch_in(xs, 0), want;
    kn_call(kn_vmap(KN_FN(recorded)), &want, &xs);
    same(kn_batch_out(recorded(&x), 0), want);
}

/* ---- Indices, views and writes. */

static void indices_may_have_batch_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array table = kn_of(double, 10, 20, 30, 40), at = kn_batch_in(kn_of(int64_t, 3, 0, 2), 0);
    kn_array one = kn_take(table, at);
    assert_int_equal(kn_ndim(one), 0);
    expect_values(kn_batch_out(one, 0), 40, 10, 30);
    kn_array rows = kn_batch_in(numbers(3, 4), 0);
    expect_values(kn_batch_out(kn_take(rows, at), 0), 3, 4, 10);
    expect_values(kn_batch_out(kn_argmax(kn_mul(rows, kn_of(double, 1, -1, 1, -1))), 0), 2, 2, 2);
}

static kn_array powers(const kn_array *x) { return kn_power(*x, *x); }
static kn_array histogram(const kn_array *x) { return kn_histogram(*x, .bins = kn_scalar(4)).hist; }
static kn_array average(const kn_array *x) { return kn_average(*x, .weights = *x); }
static kn_array place(const kn_array *x) { return kn_digitize(2, *x); }
static kn_array largest(const kn_array *x) { return kn_nanargmax(kn_astype(*x, KN_F64), KN_AXIS(0)); }
KN_FUNCTION(powers, kn_array, kn_array)
KN_FUNCTION(histogram, kn_array, kn_array)
KN_FUNCTION(average, kn_array, kn_array)
KN_FUNCTION(place, kn_array, kn_array)
KN_FUNCTION(largest, kn_array, kn_array)

static void checks_of_values_are_left_out_as_in_recorded_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_add(1, kn_astype(numbers(3, 4), KN_I64)), x = kn_batch_in(xs, 0), want, got;
    const kn_fn each[] = {KN_FN(powers), KN_FN(histogram), KN_FN(average), KN_FN(place), KN_FN(largest)};
    for (int k = 0; k < 5; k++) {
        kn_call(kn_vmap(each[k]), &want, &xs);
        kn_call(each[k], &got, &x);
        same(kn_batch_out(got, 0), want);
    }
}

static void views_are_of_the_logical_shape(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0., 24., 1), KN_SHAPE(2, 3, 4)), b = kn_batch_in(x, 1); /* 3 | 2, 4 */
    same(kn_batch_out(kn_transpose(b), 0), kn_transpose(x, .axes = KN_AXIS(1, 2, 0)));
    same(kn_batch_out(kn_at(b, "1, ::2"), 0), kn_at(x, "1, :, ::2"));
    same(kn_batch_out(kn_reshape(b, KN_SHAPE(8)), 0),
         kn_reshape(kn_moveaxis(x, KN_AXIS(1), KN_AXIS(0)), KN_SHAPE(3, 8)));
    same(kn_batch_out(kn_expand_dims(b, KN_AXIS(0)), 0),
         kn_expand_dims(kn_moveaxis(x, KN_AXIS(1), KN_AXIS(0)), KN_AXIS(1)));
    same(kn_batch_out(kn_flip(b, KN_AXIS(0)), 1), kn_flip(x, KN_AXIS(0)));
    same(kn_batch_out(kn_broadcast_to(kn_at(b, "0"), KN_SHAPE(5, 4)), 0),
         kn_broadcast_to(kn_expand_dims(kn_at(x, "0"), KN_AXIS(1)), KN_SHAPE(3, 5, 4)));
}

static void writes_are_done_for_each_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(2, 3), b = kn_copy(kn_batch_in(x, 0)), row = kn_at(b, "1:");
    kn_set_at(b, 100.0, "0");
    expect_values(kn_batch_out(b, 0), 100, 1, 2, 100, 4, 5);
    kn_iadd(row, kn_batch_in(kn_of(double, 10, 20), 0)); /* another number for each lane */
    expect_values(kn_batch_out(b, 0), 100, 11, 12, 100, 24, 25);
    expect_values(x, 0, 1, 2, 3, 4, 5);
    kn_set_at(b, 7.0, "%", kn_batch_in(kn_of(int64_t, 2, 1), 0)); /* another place in each */
    expect_values(kn_batch_out(b, 0), 100, 11, 7, 100, 7, 25);
}

static void what_is_written_to_gets_batch_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_zeros(KN_SHAPE(3)), b = kn_batch_in(numbers(2, 3), 0);
    kn_set_at(z, kn_at(b, "1"), "0");
    assert_int_equal(kn_batch_dims_of(z), 1);
    expect_values(kn_batch_out(z, 0), 1, 0, 0, 4, 0, 0);
    kn_iadd(z, b);
    expect_values(kn_batch_out(z, 0), 1, 1, 2, 7, 4, 5);
}

/* ---- With tangents and tapes. */

static kn_array energy(const kn_array *x) { return kn_sum(kn_mul(kn_sin(*x), kn_square(*x))); }
KN_FUNCTION(energy, kn_array, kn_array)

static void gradients_for_each_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_sin(numbers(4, 3)), want, inside = kn_watch(kn_batch_in(kn_copy(xs), 0)),
             outside = kn_watch(kn_copy(xs));
    kn_call(kn_vmap(kn_grad(KN_FN(energy))), &want, &xs);
    kn_backward(energy(&inside)); /* one element a lane needs no seed */
    assert_int_equal(kn_batch_dims_of(kn_grad_of(inside)), 1);
    same(kn_batch_out(kn_grad_of(inside), 0), want);
    kn_array b = kn_batch_in(outside, 0);
    kn_backward(kn_sum(kn_batch_out(energy(&b), 0)));
    same(kn_grad_of(outside), want);
}

static void a_weight_without_lanes_has_the_sum_of_their_gradients(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_watch(kn_of(double, 1, 2)), b = kn_batch_in(numbers(3, 2), 0), y = kn_sum(kn_mul(w, b));
    kn_backward(kn_sum(kn_batch_out(y, 0)));
    expect_values(kn_grad_of(w), 0 + 2 + 4, 1 + 3 + 5);
    kn_clear_grad(w);
    kn_backward(kn_sum(kn_mul(w, b)));
    expect_values(kn_grad_of(w), 6, 9);
}

/* Marks stay where KN_NO_TAPE is; gradients have the axes that the array has then. */
static void watched_arrays_with_lanes_may_be_written_to(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_watch(kn_copy(kn_batch_in(numbers(2, 3), 0))), y = kn_watch(kn_mul(w, 2));
    {
        KN_NO_TAPE;
        kn_isub(y, 1);
    }
    kn_backward(kn_sum(kn_square(y)));
    expect_values(kn_batch_out(kn_grad_of(y), 0), -2, 2, 6, 10, 14, 18);
    assert_false(kn_has_grad(w));
}

static void a_watched_array_may_get_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_watch(kn_copy(kn_ones(KN_SHAPE(3))));
    kn_backward(kn_sum(w));
    {
        KN_NO_TAPE;
        kn_isub(w, kn_batch_in(numbers(2, 3), 0));
    }
    assert_false(kn_has_grad(w)); /* that was one without lanes */
    kn_backward(kn_sum(kn_square(w)));
    expect_values(kn_batch_out(kn_grad_of(w), 0), 2, 0, -2, -4, -6, -8);
}

static void tangents_for_each_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2, 3), ts = kn_of(double, 1, 10, 100);
    kn_array below = kn_batch_in(kn_with_tangent(xs, ts), 0);
    expect_values(kn_batch_out(kn_tangent_of(kn_square(below)), 0), 2, 40, 600);
    expect_values(kn_tangent_of(kn_batch_out(kn_square(below), 0)), 2, 40, 600);
    kn_array above = kn_with_tangent(kn_batch_in(xs, 0), kn_scalar(5.0)); /* one for all lanes */
    expect_values(kn_batch_out(kn_tangent_of(kn_square(above)), 0), 10, 20, 30);
    kn_array each = kn_with_tangent(kn_batch_in(xs, 0), kn_batch_in(ts, 0));
    expect_values(kn_batch_out(kn_tangent_of(kn_square(each)), 0), 2, 40, 600);
}

static kn_array in_and_out(const kn_array *x) { return kn_batch_out(kn_cumsum(kn_mul(kn_batch_in(*x, 0), 2)), 0); }
KN_FUNCTION(in_and_out, kn_array, kn_array)
static kn_array of_rows(const kn_array *x) { return kn_mul(2, kn_cumsum(*x, KN_AXIS(1))); }
KN_FUNCTION(of_rows, kn_array, kn_array)

static void inside_of_jit_vmap_and_grad(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = numbers(2, 3), many = kn_stack(KN_LIST(x, kn_mul(x, 3))), got, want, seed = kn_ones(KN_SHAPE(2, 3));
    kn_call(kn_jit(KN_FN(in_and_out)), &got, &x);
    same(got, of_rows(&x));
    kn_call(kn_jit(kn_vmap(KN_FN(in_and_out))), &got, &many);
    kn_call(kn_vmap(KN_FN(of_rows)), &want, &many);
    same(got, want);
    kn_call(kn_vjp(KN_FN(in_and_out), KN_ARGS(&x), &got), &got, &seed);
    expect_values(got, 6, 4, 2, 6, 4, 2);
}

static void extents_of_nothing_and_one_are_fine(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_sum(kn_batch_in(kn_zeros(KN_SHAPE(0, 3)), 0));
    assert_int_equal(kn_batch_dims_of(none), 1);
    assert_int_equal(kn_size(none), 1);
    assert_int_equal(kn_size(kn_batch_out(none, 0)), 0);
    expect_values(kn_batch_out(kn_sum(kn_batch_in(kn_ones(KN_SHAPE(1, 3)), 0)), 0), 3);
}

KN_TEST_GROUP(test_eager_batch)
{
    const struct CMUnitTest tests[] = {
        TEST(operations_see_batch_axes_from_the_first_one_on),
        TEST(any_axis_goes_in_and_comes_out_anywhere),
        TEST(nested_axes_come_out_by_number),
        TEST(counting_moves_nothing),
        TEST(code_that_knows_nothing_of_it_is_mapped),
        TEST(axes_of_operands_meet_from_the_last_one_on),
        TEST(loops_and_branches_are_mapped),
        TEST(indices_may_have_batch_axes),
        TEST(checks_of_values_are_left_out_as_in_recorded_functions),
        TEST(views_are_of_the_logical_shape),
        TEST(writes_are_done_for_each_lane),
        TEST(what_is_written_to_gets_batch_axes),
        TEST(gradients_for_each_lane),
        TEST(a_weight_without_lanes_has_the_sum_of_their_gradients),
        TEST(watched_arrays_with_lanes_may_be_written_to),
        TEST(a_watched_array_may_get_lanes),
        TEST(tangents_for_each_lane),
        TEST(inside_of_jit_vmap_and_grad),
        TEST(extents_of_nothing_and_one_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
