/* SPDX-License-Identifier: Apache-2.0
 * test_iteration.c -- positions, flat iterators, broadcasting, blocks, and what NumPy's iterator does that programs
 * (test_nditer.c) do not ask. */
#include "support/expect.h"
#include "support/group.h"

static kn_array grid(int64_t n, int64_t m) { return kn_copy(kn_reshape(kn_arange(0, n * m, 1), KN_SHAPE(n, m))); }

/* ---- Positions and axes. */

static void positions_come_in_c_order(void **state)
{
    (void)state;
    kn_shape at = {.ndim = -1};
    int n = 0;
    for (; kn_ndindex(KN_SHAPE(2, 3), &at); n++)
        assert_true(at.ndim == 2 && at.dim[0] == n / 3 && at.dim[1] == n % 3);
    assert_int_equal(n, 6);
    at.ndim = -1;
    assert_true(kn_ndindex(KN_SHAPE(), &at) && !kn_ndindex(KN_SHAPE(), &at));
    at.ndim = -1;
    assert_false(kn_ndindex(KN_SHAPE(2, 0), &at));
    assert_false(kn_ndindex(KN_SHAPE(2, -1), &at));
    expect_error("ValueError", "ndindex: negative dimensions are not allowed");
}

static void axes_are_normalized(void **state)
{
    (void)state;
    assert_int_equal(kn_normalize_axis_index(-1, 3), 2);
    assert_int_equal(kn_normalize_axis_index(3, 2), -1);
    expect_error("AxisError", "normalize_axis_index: axis 3 is out of bounds for array of dimension 2");
    kn_axes a = kn_normalize_axis_tuple(KN_AXIS(-1, 0), 3, NULL, false);
    assert_true(a.n == 3 && a.axis[0] == 2 && a.axis[1] == 0);
    kn_normalize_axis_tuple(KN_AXIS(0, -2), 2, "ax", false);
    expect_error("ValueError", "normalize_axis_tuple: repeated axis in `ax` argument");
    assert_int_equal(kn_normalize_axis_tuple(KN_AXIS(0, 0), 2, NULL, true).n, 3);
    kn_normalize_axis_tuple(KN_AXIS(3), 2, "ax", false);
    expect_error("AxisError", "normalize_axis_tuple: ax: axis 3 is out of bounds for array of dimension 2");
}

/* ---- Flat iterators. */

static void flat_iterators_go_in_c_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3), t = kn_transpose(x);
    kn_flatiter it = kn_flat(t);
    const int64_t want[] = {0, 3, 1, 4, 2, 5};
    for (int i = 0; i < 6; i++) {
        kn_shape at = kn_flatiter_coords(it), of = {.ndim = 0};
        assert_true(kn_flatiter_index(it) == i && at.dim[0] == i / 2 && at.dim[1] == i % 2);
        assert_true(*kn_ndenumerate(it, &of, int64_t) == want[i] && of.dim[0] == i / 2 && of.dim[1] == i % 2);
    }
    assert_null(kn_flatiter_next(it, int64_t));
    kn_shape end = kn_flatiter_coords(it);
    assert_true(end.dim[0] == 3 && end.dim[1] == 0 && kn_flatiter_index(it) == 6);
    expect_values(kn_flatiter_copy(it), 0, 3, 1, 4, 2, 5);
    assert_true(kn_shares_memory(kn_flatiter_base(it), x));
    assert_null(kn_flatiter_next(kn_flat(x), double));
    expect_error("TypeError", "flatiter_next: the array has dtype int64, not float64");
    kn_flatiter number = kn_flat(kn_num(2.5));
    assert_true(*kn_flatiter_next(number, double) == 2.5 && !kn_flatiter_next(number, double));
    kn_flatiter none = kn_flat(kn_zeros(KN_SHAPE(0, 3)));
    assert_null(kn_flatiter_next(none, double));
    expect_no_error();
}

static void flat_elements_are_read_and_written(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3);
    kn_flatiter it = kn_flat(kn_transpose(x)); /* 0 3 1 4 2 5 */
    expect_values(kn_flatiter_at(it, "1:4"), 3, 1, 4);
    expect_values(kn_flatiter_at(it, "-1"), 5);
    expect_values(kn_flatiter_at(it, "%", kn_of(int64_t, 0, -2)), 0, 2);
    kn_array copy = kn_flatiter_at(it, "...");
    kn_fill(copy, 9);
    expect_values(x, 0, 1, 2, 3, 4, 5);
    assert_int_equal(kn_flatiter_set_at(it, kn_of(double, 7.5, 8), "1:4"), 0);
    expect_values(x, 0, 8, 2, 7, 7, 5);
    assert_int_equal(kn_flatiter_set_at(it, 6, "0"), 0);
    assert_int_equal(kn_flatiter_set_at(it, kn_zeros(KN_SHAPE(0)), "1:1"), 0);
    expect_values(x, 6, 8, 2, 7, 7, 5);
    kn_flatiter_at(it, "7");
    expect_error("IndexError", "flatiter_at: index 7 is out of bounds for size 6");
    assert_int_equal(kn_flatiter_set_at(it, 1, "-7"), -1);
    expect_error("IndexError", "flatiter_set_at: index -7 is out of bounds for size 6");
    kn_flatiter_at(it, "0, 1");
    expect_error("IndexError",
                 "flatiter_at: too many indices for flat iterator: flat iterator is 1-dimensional, but 2 were "
                 "indexed");
    kn_flatiter_at(it, "None");
    expect_error("IndexError",
                 "flatiter_at: only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are "
                 "valid indices");
    kn_setflags(x, .write = false);
    assert_int_equal(kn_flatiter_set_at(kn_flat(x), 1, "0"), -1);
    expect_error("ValueError", "flatiter_set_at: underlying array is read-only");
}

static kn_array through_flat(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2), t = kn_transpose(y);
    kn_flatiter_set_at(kn_flat(t), kn_of(double, -1, -2), "1:4");
    return kn_concatenate(KN_LIST(kn_ravel(y), kn_flatiter_at(kn_flat(t), "::2")));
}
KN_FUNCTION(through_flat, kn_array, kn_array)
static kn_array walks(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2);
    kn_flatiter_next(kn_flat(y), double);
    return y;
}
KN_FUNCTION(walks, kn_array, kn_array)
static kn_array iterates(const kn_array *x)
{
    kn_nditer_new(KN_OPERANDS(kn_mul(*x, 2)));
    return *x;
}
KN_FUNCTION(iterates, kn_array, kn_array)

static void traces_know_flat_indices_and_no_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(grid(2, 3), KN_F64), y = NULL;
    kn_call(kn_jit(KN_FN(through_flat)), &y, &x);
    expect_values(y, 0, -2, 4, -1, -1, 10, 0, -2, 4);
    kn_call(kn_jit(KN_FN(walks)), &y, &x);
    expect_error_with("ConcretizationError", "walks");
    kn_call(kn_jit(KN_FN(iterates)), &y, &x);
    expect_error_with("ConcretizationError", "iterates");
}

/* ---- Several operands. */

static void broadcast_operands_go_together(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3), y = kn_of(int64_t, 10, 20, 30);
    kn_broadcast_iter it = kn_broadcast_new(KN_LIST(x, y));
    int64_t sum = 0, n = 0;
    for (const void *const *p; (p = kn_broadcast_next(it)); n++)
        sum += *(const int64_t *)p[0] * *(const int64_t *)p[1];
    assert_true(n == 6 && sum == 0 * 10 + 1 * 20 + 2 * 30 + 3 * 10 + 4 * 20 + 5 * 30);
    assert_int_equal(kn_broadcast_index(it), 6);
    assert_int_equal(kn_broadcast_reset(it), 0);
    kn_broadcast_next(it);
    kn_flatiter second = kn_broadcast_iters(it, 1);
    assert_true(kn_flatiter_index(second) == 1 && *kn_flatiter_next(second, int64_t) == 20);
    expect_values(kn_flatiter_at(second, "2:5"), 30, 10, 20);
    assert_int_equal(kn_broadcast_index(it), 1);
    assert_null(kn_broadcast_iters(it, 2));
    expect_error("IndexError", "broadcast_iters: tuple index out of range");
    assert_null(kn_broadcast_new(KN_LIST(x, kn_of(int64_t, 1, 2))));
    expect_error_with("ValueError", "shape mismatch: objects cannot be broadcast to a single shape.");
}

static void blocks_cover_an_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(4, 3);
    kn_arrayterator it = kn_arrayterator_new(x, .buf_size = 5), all = kn_arrayterator_new(x);
    int64_t sizes[8], n = 0, sum = 0;
    for (kn_array b; (b = kn_arrayterator_next(it)); n++) {
        sizes[n] = kn_size(b);
        sum += kn_item_int(kn_sum(b));
        assert_true(kn_shares_memory(b, x));
    }
    assert_true(n == 4 && sizes[0] == 3 && sum == 66);
    assert_int_equal(kn_size(kn_arrayterator_next(all)), 12);
    assert_null(kn_arrayterator_next(all));
    assert_null(kn_arrayterator_next(kn_arrayterator_new(kn_zeros(KN_SHAPE(0, 3)))));
    expect_no_error();
}

/* ---- np.nditer. */

static int64_t sum_of(kn_nditer it)
{
    int64_t sum = 0;
    for (; !kn_nditer_finished(it); kn_nditer_iternext(it))
        sum += *kn_nditer_data(it, 0, int64_t);
    return sum;
}

static void iterators_are_copied_and_moved(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3);
    kn_nditer it = kn_nditer_new(KN_OPERANDS(kn_at(x, "::-1")), .flags = "multi_index ranged");
    kn_nditer_iternext(it);
    kn_nditer other = kn_nditer_copy(it);
    kn_nditer_iternext(it);
    assert_true(kn_nditer_iterindex(it) == 2 && kn_nditer_iterindex(other) == 1);
    assert_int_equal(kn_nditer_set_multi_index(it, KN_SHAPE(0, 2)), 0);
    assert_int_equal(*kn_nditer_data(it, 0, int64_t), 5);
    assert_int_equal(kn_nditer_multi_index(it).dim[1], 2);
    assert_int_equal(kn_nditer_set_iterrange(it, 1, 3), 0);
    assert_int_equal(sum_of(it), 1 + 2); /* in the order of memory */
    assert_int_equal(kn_nditer_set_iterindex(it, 4), -1);
    expect_error("IndexError",
                 "nditer_set_iterindex: Iterator GotoIterIndex called with an iterindex outside the iteration "
                 "range.");
    assert_int_equal(kn_nditer_set_iterrange(it, 1, 9), -1);
    expect_error("ValueError", "nditer_set_iterrange: Out-of-bounds range [1, 9) passed to ResetToIterIndexRange");
    kn_nditer c = kn_nditer_new(KN_OPERANDS(kn_transpose(x)), .flags = "c_index");
    assert_int_equal(kn_nditer_set_index(c, 3), 0);
    assert_int_equal(*kn_nditer_data(c, 0, int64_t), 4);
    assert_int_equal(kn_nditer_set_index(c, 6), -1);
    expect_error("IndexError", "nditer_set_index: Iterator GotoIndex called with an out-of-bounds index");
    kn_nditer_multi_index(c);
    expect_error("ValueError", "nditer_multi_index: Iterator is not tracking a multi-index");
    assert_null(kn_nditer_data(c, 2, int64_t));
    expect_error("IndexError", "nditer_data: Iterator operand index 2 is out of bounds");
    assert_null(kn_nditer_data(c, 0, double));
    expect_error("TypeError", "nditer_data: the operand has dtype int64, not float64");
}

static void axes_are_removed(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3);
    kn_nditer it = kn_nditer_new(KN_OPERANDS(kn_at(x, "::-1, ::-1")), .flags = "multi_index");
    assert_int_equal(kn_nditer_remove_axis(it, 1), 0);
    assert_true(kn_nditer_ndim(it) == 1 && kn_nditer_itersize(it) == 2);
    assert_int_equal(sum_of(it), 2 + 5);
    kn_nditer_reset(it);
    assert_int_equal(kn_nditer_remove_multi_index(it), 0);
    assert_int_equal(kn_nditer_enable_external_loop(it), 0);
    assert_int_equal(kn_nditer_inner_size(it), 2);
    assert_int_equal(kn_nditer_remove_axis(it, 0), -1);
    expect_error("RuntimeError", "nditer_remove_axis: Iterator RemoveAxis may only be called if a multi-index is being "
                                 "tracked");
}

static void what_is_written_is_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3), half = kn_mul(x, 0.5);
    kn_nditer it = kn_nditer_new(KN_OPERANDS(x), .op_flags = {"readwrite"});
    for (; !kn_nditer_finished(it); kn_nditer_iternext(it))
        *kn_nditer_data(it, 0, int64_t) += 10;
    expect_values(x, 10, 11, 12, 13, 14, 15);
    expect_values(half, 0, 0.5, 1, 1.5, 2, 2.5); /* recorded before */
    kn_iadd(x, 1);
    kn_nditer_reset(it);
    assert_int_equal(*kn_nditer_data(it, 0, int64_t), 11);
    kn_nditer copies = kn_nditer_new(KN_OPERANDS(x), .op_flags = {"readwrite updateifcopy"}, .op_dtypes = {KN_F32},
                                     .casting = "unsafe");
    for (; !kn_nditer_finished(copies); kn_nditer_iternext(copies))
        *kn_nditer_data(copies, 0, float) *= 2;
    expect_values(x, 11, 12, 13, 14, 15, 16);
    assert_int_equal(kn_nditer_close(copies), 0);
    expect_values(x, 22, 24, 26, 28, 30, 32);
    assert_int_equal(kn_nditer_ndim(copies), -1);
    expect_error("ValueError", "nditer_ndim: Iterator is invalid");
}

static void operands_live_as_long_as_the_iterator(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_nditer it;
    {
        KN_SCOPE;
        kn_array x = grid(2, 3);
        it = kn_nditer_new(KN_OPERANDS(x, kn_num(2)));
        kn_keep_handle(it);
    }
    assert_int_equal(sum_of(it), 15);
    kn_nditer_reset(it);
    expect_values(kn_nditer_operands(it, 0), 0, 1, 2, 3, 4, 5);
    expect_values(kn_nditer_operands(it, 1), 2);
}

static void iterators_inside_each_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 12, 1), KN_SHAPE(2, 3, 2));
    kn_nested_iters_result n =
        kn_nested_iters(KN_OPERANDS(x), KN_NESTED(KN_AXIS(1), KN_AXIS(0, 2)), .flags = "multi_index");
    const int64_t want[] = {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
    int i = 0;
    assert_int_equal(n.n, 2);
    for (; !kn_nditer_finished(n.iter[0]); kn_nditer_iternext(n.iter[0]))
        for (; !kn_nditer_finished(n.iter[1]); kn_nditer_iternext(n.iter[1]))
            assert_int_equal(*kn_nditer_data(n.iter[1], 0, int64_t), want[i++]);
    assert_int_equal(i, 12);
    kn_nditer_reset(n.iter[0]);
    assert_false(kn_nditer_finished(n.iter[1]));
    assert_int_equal(kn_nested_iters(KN_OPERANDS(x), KN_NESTED(KN_AXIS(1), KN_AXIS(1))).n, -1);
    expect_error("ValueError", "nested_iters: An axis is used more than once");
    assert_int_equal(kn_nested_iters(KN_OPERANDS(x), KN_NESTED(KN_AXIS(1))).n, -1);
    expect_error("ValueError", "nested_iters: axes must have at least 2 entries for nested iteration");
}

KN_TEST_GROUP(test_iteration)
{
    const struct CMUnitTest tests[] = {
        TEST(positions_come_in_c_order),
        TEST(axes_are_normalized),
        TEST(flat_iterators_go_in_c_order),
        TEST(flat_elements_are_read_and_written),
        TEST(traces_know_flat_indices_and_no_memory),
        TEST(broadcast_operands_go_together),
        TEST(blocks_cover_an_array),
        TEST(iterators_are_copied_and_moved),
        TEST(axes_are_removed),
        TEST(what_is_written_is_seen),
        TEST(operands_live_as_long_as_the_iterator),
        TEST(iterators_inside_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
