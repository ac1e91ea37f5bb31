/* SPDX-License-Identifier: Apache-2.0
 * test_methods.c -- methods of ndarray: in place, by bytes, windows; nested C arrays. Expected numbers are NumPy's. */
#include "support/expect.h"
#include "support/group.h"

static kn_array grid(int64_t n, int64_t m) { return kn_copy(kn_reshape(kn_arange(0, n * m, 1), KN_SHAPE(n, m))); }

static void sorted_and_partitioned_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(int64_t, 3, 1, 2, 0, 5, 4), KN_SHAPE(2, 3)), view = kn_at(x, "::-1, 1:");
    assert_int_equal(kn_sort_in_place(x), 0);
    expect_values(x, 1, 2, 3, 0, 4, 5);
    assert_int_equal(kn_sort_in_place(view, KN_AXIS(0)), 0); /* x as it is seen through a view */
    expect_values(x, 1, 4, 5, 0, 2, 3);
    kn_array v = kn_of(double, 3, 1, 2);
    assert_int_equal(kn_partition_in_place(v, 1), 0);
    expect_values(kn_at(v, "1:2"), 2);
    assert_int_equal(kn_sort_in_place(x, KN_AXIS_NONE), -1);
    expect_error("TypeError", "sort_in_place: 'NoneType' object cannot be interpreted as an integer");
    kn_setflags(x, .write = false);
    assert_int_equal(kn_sort_in_place(x), -1);
    expect_error("ValueError", "sort_in_place: sort array is read-only");
    assert_int_equal(kn_partition_in_place(x, 0), -1);
    expect_error("ValueError", "partition_in_place: partition array is read-only");
}

static void products_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 2);
    assert_int_equal(kn_imatmul(x, kn_of(int64_t, 1, 1)), -1);
    expect_error("ValueError", "imatmul: inplace matrix multiplication requires the first operand to have at least one "
                               "and the second at least two dimensions.");
    assert_int_equal(kn_imatmul(x, grid(2, 2)), 0);
    expect_values(x, 2, 3, 6, 11);
    assert_int_equal(kn_imatmul(x, kn_eye(2)), -1);
    expect_error("TypeError", "imatmul: Cannot cast ufunc 'matmul' output from dtype('float64') to dtype('int64') with "
                              "casting rule 'same_kind'");
    assert_int_equal(kn_imatmul(x, grid(2, 3)), -1);
    expect_error("ValueError", "imatmul: matmul: Output operand 0 has a mismatch in its core dimension 1, with gufunc "
                               "signature (n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)");
}

static void another_size_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 2), f = kn_copy(grid(2, 2), .order = "F");
    assert_int_equal(kn_resize_in_place(x, KN_SHAPE(2, 3)), 0);
    expect_values(x, 0, 1, 2, 3, 0, 0);
    assert_int_equal(kn_dim(x, 1), 3);
    assert_int_equal(kn_resize_in_place(x, KN_SHAPE(3)), 0);
    expect_values(x, 0, 1, 2);
    assert_int_equal(kn_resize_in_place(f, KN_SHAPE(1, 3)), 0); /* as it lies in memory */
    expect_values(f, 0, 2, 1);
    kn_array view = kn_at(x, "1:");
    assert_int_equal(kn_resize_in_place(x, KN_SHAPE(5)), -1);
    expect_error("ValueError", "resize_in_place: cannot resize an array that references or is referenced\nby another "
                               "array in this way.\nUse the np.resize function or refcheck=False");
    assert_int_equal(kn_resize_in_place(view, KN_SHAPE(5)), -1);
    expect_error("ValueError", "resize_in_place: cannot resize this array: it does not own its data");
    assert_int_equal(kn_resize_in_place(x, KN_SHAPE(4), .refcheck = false), 0);
    expect_values(x, 0, 1, 2, 0);
    expect_values(view, 1, 2);
    assert_int_equal(kn_resize_in_place(kn_at(kn_arange(0, 6, 1), "::2"), KN_SHAPE(2)), -1);
    expect_error("ValueError", "resize_in_place: resize only works on single-segment arrays");
    assert_int_equal(kn_resize_in_place(x, KN_SHAPE(-1)), -1);
    expect_error("ValueError", "resize_in_place: negative dimensions not allowed");
}

static kn_array swapped(const kn_array *x) { return kn_byteswap(*x); }
KN_FUNCTION(swapped, kn_array, kn_array)

static void bytes_the_other_way_round(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_byteswap(kn_of(int16_t, 1, 256, -2)), 256, 1, -257);
    expect_values(kn_byteswap(kn_of(uint32_t, 1, 0x01020304)), 16777216, 67305985);
    kn_array x = kn_of(int64_t, 1, 0x0102030405060708), y = NULL;
    assert_true(kn_item_int(kn_byteswap(x), 0) == 0x0100000000000000 &&
                kn_item_int(kn_byteswap(x), 1) == 0x0807060504030201);
    expect_values(kn_byteswap(kn_of(int8_t, 1, -2)), 1, -2);
    kn_array z = kn_of(double _Complex, 1.5 + 2.5 * __extension__ 1.0i);
    expect_values(kn_view(kn_byteswap(z), KN_U64), 0xf83f, 0x440);
    assert_true(kn_array_equal(kn_byteswap(kn_byteswap(z)), z));
    kn_call(kn_jit(KN_FN(swapped)), &y, &x);
    assert_true(kn_array_equal(y, kn_byteswap(x)));
    kn_array same = kn_byteswap(x, .inplace = true);
    assert_true(kn_shares_memory(same, x) && kn_item_int(x, 0) == 0x0100000000000000);
    kn_setflags(x, .write = false);
    assert_false(kn_ok(kn_byteswap(x, .inplace = true)));
    expect_error("ValueError", "byteswap: array to be byte-swapped is read-only");
}

static kn_array low_half(const kn_array *x)
{
    kn_array y = kn_mul(*x, 1);
    kn_setfield(y, 7, KN_I32);
    return kn_add(kn_getfield(y, KN_I32), y);
}
KN_FUNCTION(low_half, kn_array, kn_array)

static void fields_are_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, 0x100000002, 3), low = kn_getfield(x, KN_I32),
             high = kn_getfield(x, KN_I32, .offset = 4);
    expect_values(low, 2, 3);
    expect_values(high, 1, 0);
    assert_true(kn_shares_memory(low, x) && !kn_shares_memory(low, high) && kn_strides_of(low).stride[0] == 8);
    kn_set_at(low, 9, "1");
    expect_values(x, 4294967298, 9);
    assert_int_equal(kn_setfield(x, kn_of(double, 1.5, 2), KN_I32, .offset = 4), 0);
    expect_values(high, 1, 2);
    kn_array z = kn_reshape(kn_of(double _Complex, 1, 2, 3, 4), KN_SHAPE(2, 2)),
             im = kn_getfield(z, KN_F64, .offset = 8);
    kn_fill(im, 5);
    assert_true(kn_item_complex(z, 3).im == 5 && kn_item_complex(z, 3).re == 4);
    expect_values(kn_getfield(kn_transpose(z), KN_F64), 1, 3, 2, 4);
    kn_array y = NULL, ones = kn_of(int64_t, 1, 2);
    kn_call(kn_jit(KN_FN(low_half)), &y, &ones);
    expect_values(y, 14, 14);
    kn_getfield(x, KN_I32, .offset = 6);
    expect_error("ValueError", "getfield: new type plus offset is larger than original type");
    kn_getfield(x, KN_I32, .offset = -1);
    expect_error("ValueError", "getfield: offset is negative");
    kn_getfield(x, KN_C128);
    expect_error("ValueError", "getfield: new type is larger than original type");
    kn_getfield(x, KN_I32, .offset = 2);
    expect_error_with("NotImplementedError", "which it is not aligned to");
}

static void windows_slide(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3), w = kn_sliding_window_view(x, KN_SHAPE(2), KN_AXIS(1));
    expect_values(w, 0, 1, 1, 2, 3, 4, 4, 5);
    assert_true(kn_shares_memory(w, x) && !kn_flags_of(w).writeable);
    expect_values(kn_sliding_window_view(x, KN_SHAPE(2, 2)), 0, 1, 3, 4, 1, 2, 4, 5);
    expect_values(kn_sliding_window_view(kn_transpose(x), KN_SHAPE(2), KN_AXIS(-1)), 0, 3, 1, 4, 2, 5);
    expect_values(kn_sliding_window_view(kn_at(x, "0"), KN_SHAPE(2, 2), KN_AXIS(0, 0)), 0, 1, 1, 2);
    assert_int_equal(kn_size(kn_sliding_window_view(x, KN_SHAPE(0), KN_AXIS(1))), 0);
    kn_set_at(kn_sliding_window_view(x, KN_SHAPE(2), KN_AXIS(1), .writeable = true), 9, "1, 1, 0");
    expect_values(x, 0, 1, 2, 3, 9, 5);
    kn_sliding_window_view(x, KN_SHAPE(3));
    expect_error("ValueError",
                 "sliding_window_view: Since axis is `None`, must provide window_shape for all dimensions of "
                 "`x`; got 1 window_shape elements and `x.ndim` is 2.");
    kn_sliding_window_view(x, KN_SHAPE(2), KN_AXIS(0, 1));
    expect_error("ValueError", "sliding_window_view: Must provide matching length window_shape and axis; got 1 "
                               "window_shape elements and 2 axes elements.");
    kn_sliding_window_view(x, KN_SHAPE(4), KN_AXIS(1));
    expect_error("ValueError", "sliding_window_view: window shape cannot be larger than input array shape");
    kn_sliding_window_view(x, KN_SHAPE(-1), KN_AXIS(1));
    expect_error("ValueError", "sliding_window_view: `window_shape` cannot contain negative values");
    kn_sliding_window_view(x, KN_SHAPE(2), KN_AXIS(5));
    expect_error("AxisError", "sliding_window_view: axis 5 is out of bounds for array of dimension 2");
    kn_set_at(kn_as_strided(x, KN_SHAPE(2), KN_SHAPE(8), .writeable = false), 0, "0");
    expect_error_with("ValueError", "assignment destination is read-only");
}

static void questions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3);
    assert_true(kn_contains(x, 4) && !kn_contains(x, 7) && !kn_contains(kn_of(double, NAN), NAN));
    assert_true(kn_contains(x, kn_of(int64_t, 9, 9, 5)));
    assert_false(kn_contains(x, kn_of(int64_t, 1, 2)));
    expect_error_with("ValueError", "could not be broadcast together");
    assert_int_equal(kn_as_index(kn_at(x, "1, 2")), 5);
    assert_int_equal(kn_as_index(x), 0);
    expect_error("TypeError", "as_index: only integer scalar arrays can be converted to a scalar index");
    assert_int_equal(kn_as_index(kn_scalar(2.0)), 0);
    expect_error("TypeError", "as_index: only integer scalar arrays can be converted to a scalar index");
}

static void nested_arrays_come_out(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 24, 1), KN_SHAPE(2, 3, 4));
    int64_t ***deep = kn_tolist(kn_transpose(x), int64_t);
    assert_true(deep[3][2][1] == 23 && deep[0][0][1] == 12 && deep[1][2][0] == 9);
    double **rows = kn_tolist(kn_at(x, "0"), double);
    assert_true(rows[2][3] == 11 && rows[0][0] == 0);
    float *row = kn_tolist(kn_of(float, 1.5, 2), float);
    assert_true(row[0] == 1.5f && row[1] == 2);
    bool *one = kn_tolist(kn_greater(kn_scalar(2), 1), bool);
    assert_true(*one);
    assert_non_null(kn_tolist(kn_zeros(KN_SHAPE(0, 3)), double));
    assert_null(kn_tolist(kn_of(double, 1.5), int64_t));
    expect_error("TypeError",
                 "tolist: Cannot cast array data from dtype('float64') to dtype('int64') according to the rule "
                 "'same_kind'");
}

KN_TEST_GROUP(test_methods)
{
    const struct CMUnitTest tests[] = {
        TEST(sorted_and_partitioned_in_place),
        TEST(products_in_place),
        TEST(another_size_in_place),
        TEST(bytes_the_other_way_round),
        TEST(fields_are_views),
        TEST(windows_slide),
        TEST(questions),
        TEST(nested_arrays_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
