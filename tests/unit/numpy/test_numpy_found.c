/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_found.c -- what running NumPy beside Kiln has found (tests/differential): texts of errors, and which of two
 * errors is told; corners of values; what is a view. */
#include "support/expect.h"
#include "support/group.h"
#include <math.h>

static void a_product_tells_which_core_dimension_differs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(1, 1, 2)), v = kn_ones(KN_SHAPE(3));
    (void)kn_ok(kn_matmul(m, m));
    expect_error("ValueError", "matmul: shapes (1,1,2) and (1,1,2) not aligned: 2 (dim 2) != 1 (dim 1)");
    (void)kn_ok(kn_vecdot(v, kn_ones(KN_SHAPE(2))));
    expect_error("ValueError", "vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                               "(n),(n)->() (size 2 is different from 3)");
}

static void tensordot_compares_pair_after_pair(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_tensordot(kn_ones(KN_SHAPE(1, 1)), kn_zeros(KN_SHAPE(0)))); /* its second axis is not there either */
    expect_error("ValueError", "tensordot: shape-mismatch for sum");
    (void)kn_ok(kn_tensordot(kn_ones(KN_SHAPE(2, 1)), kn_ones(KN_SHAPE(2))));
    expect_error("IndexError", "tensordot: tuple index out of range");
    (void)kn_ok(kn_tensordot(kn_ones(KN_SHAPE(2)), kn_ones(KN_SHAPE(2, 2)), .axes = 2));
    expect_error("IndexError", "tensordot: tuple index out of range");
}

static void casts_of_one_element_are_of_a_scalar(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_astype(kn_scalar(1.5), KN_C128), x = kn_zeros(KN_SHAPE(2)), i = kn_scalar(1.5);
    (void)kn_ok(kn_astype(z, KN_F64, .casting = "safe"));
    expect_error("TypeError",
                 "astype: Cannot cast scalar from dtype('complex128') to dtype('float64') according to the "
                 "rule 'safe'");
    kn_putmask(x, kn_of(bool, true, false), z);
    expect_error("TypeError", "putmask: Cannot cast scalar from dtype('complex128') to dtype('float64') according to "
                              "the rule 'safe'");
    kn_put(x, i, 1);
    expect_error("TypeError", "put: Cannot cast scalar from dtype('float64') to dtype('int64') according to the rule "
                              "'safe'");
    kn_copyto(x, 1, .where = kn_scalar((int64_t)1));
    expect_error("TypeError", "copyto: Cannot cast scalar from dtype('int64') to dtype('bool') according to the rule "
                              "'safe'");
}

static void axes_are_told_as_numpy_does(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(2, 2));
    (void)kn_ok(kn_flip(m, KN_AXIS(1, -1)));
    expect_error("ValueError", "flip: repeated axis");
    (void)kn_ok(kn_median(m, KN_AXIS(0, 0)));
    expect_error("ValueError", "median: repeated axis");
    (void)kn_ok(kn_nanquantile(m, 0.5, KN_AXIS(0, 2)));
    expect_error("AxisError", "nanquantile: axis 2 is out of bounds for array of dimension 2");
    (void)kn_ok(kn_average(m, KN_AXIS(2)));
    expect_error("AxisError", "average: axis: axis 2 is out of bounds for array of dimension 2");
    (void)kn_ok(kn_average(m, KN_AXIS(0, 0), .weights = m));
    expect_error("ValueError", "average: repeated axis in `axis` argument");
    (void)kn_ok(kn_average(kn_scalar(1), KN_AXIS(0), .weights = kn_scalar(1)));
    expect_error("AxisError", "average: axis: axis 0 is out of bounds for array of dimension 0");
    (void)kn_ok(kn_trim_zeros(m, KN_AXIS(1, 1)));
    expect_error("ValueError", "trim_zeros: repeated axis in `axis` argument");
}

static void a_write_in_place_names_the_result_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3));
    kn_iadd(x, kn_ones(KN_SHAPE(2)));
    expect_error("ValueError", "iadd: operands could not be broadcast together with shapes (3,) (2,) (3,)");
}

static void select_compares_conditions_and_choices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array two = kn_zeros(KN_SHAPE(2, 1), .dtype = KN_BOOL), one = kn_zeros(KN_SHAPE(1), .dtype = KN_BOOL);
    kn_array x = kn_ones(KN_SHAPE(3, 1));
    (void)kn_ok(kn_select(KN_LIST(two, one), KN_LIST(kn_ones(KN_SHAPE(1, 1)), x)));
    expect_error_with("ValueError", "Mismatch is between arg 0 with shape (2, 1) and arg 1 with shape (3, 1).");
    (void)kn_ok(kn_select(KN_LIST(one, one), KN_LIST(kn_ones(KN_SHAPE(2, 1)), x)));
    expect_error_with("ValueError", "Mismatch is between arg 0 with shape (2, 1) and arg 1 with shape (3, 1).");
}

static void ends_are_looked_at_before_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_ediff1d(KN_FALSE, .to_begin = kn_num(5)));
    expect_error("TypeError",
                 "ediff1d: dtype of `to_begin` must be compatible with input `ary` under the `same_kind` rule.");
}

static void names_of_ufuncs_and_arguments(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_fix(kn_zeros(KN_SHAPE(1), .dtype = KN_C128)));
    expect_error_with("TypeError", "ufunc 'trunc' not supported for the input types");
    (void)kn_ok(kn_correlate(kn_zeros(KN_SHAPE(0)), kn_ones(KN_SHAPE(1))));
    expect_error("ValueError", "correlate: first array argument cannot be empty");
    (void)kn_ok(kn_correlate(kn_ones(KN_SHAPE(1)), kn_zeros(KN_SHAPE(0))));
    expect_error("ValueError", "correlate: second array argument cannot be empty");
}

static void a_mean_of_nothing_as_integer_is_the_smallest(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int, 3, 4, 2), none = kn_zeros(KN_SHAPE(3), .dtype = KN_BOOL);
    assert_true(kn_item_int(kn_mean(x, .dtype = KN_I64, .where = none)) == INT64_MIN);
    assert_true(kn_item_int(kn_mean(kn_negative(kn_of(int, 3, 4)), .dtype = KN_I64)) == -3);
}

static void reciprocals_of_whole_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_item_int(kn_reciprocal(kn_zeros(KN_SHAPE(), .dtype = KN_I32))) == INT32_MIN);
    assert_true(kn_item_int(kn_reciprocal(kn_zeros(KN_SHAPE(), .dtype = KN_I64))) == INT64_MIN);
    expect_values(kn_reciprocal(kn_of(uint8_t, 0, 1, 2)), 0, 1, 0);
    expect_values(kn_reciprocal(kn_of(int16_t, 0, -1, 2)), 0, -1, 0);
}

static void what_has_the_order_stays_what_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(1, 1)), y = kn_ones(KN_SHAPE(3));
    assert_true(kn_shares_memory(x, kn_asarray(x, .order = "F")));
    assert_true(kn_shares_memory(x, kn_asfortranarray(x)));
    kn_list both = kn_broadcast_arrays(KN_LIST(y, kn_ones(KN_SHAPE(1))));
    kn_array first = kn_list_get(both, 0), second = kn_list_get(both, 1);
    assert_true(kn_flags_of(first).writeable && kn_shares_memory(first, y));
    assert_false(kn_flags_of(second).writeable);
}

static void leading_axes_of_one_are_left_out(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array wide = kn_reshape(kn_of(int, 1, 2), KN_SHAPE(1, 2)), x = kn_zeros(KN_SHAPE(1));
    expect_values(kn_full(KN_SHAPE(2), wide), 1, 2);
    (void)kn_ok(kn_full(KN_SHAPE(1), wide));
    expect_error("ValueError", "full: could not broadcast input array from shape (2,) into shape (1,)");
    kn_copyto(x, wide);
    expect_error("ValueError", "copyto: could not broadcast input array from shape (2,) into shape (1,)");
    kn_set_at(x, wide, "...");
    expect_error("ValueError", "set_at: could not broadcast input array from shape (2,) into shape (1,)");
}

static void a_trace_of_truth_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array t = kn_trace(kn_eye(2), .dtype = KN_BOOL);
    assert_true(kn_dtype_of(t) == KN_BOOL && kn_item_bool(t));
}

static void a_mask_broadcasts_to_what_is_reduced(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(1, 3)), all = kn_ones(KN_SHAPE(2, 3), .dtype = KN_BOOL);
    (void)kn_ok(kn_sum(x, .where = all));
    expect_error("ValueError",
                 "sum: non-broadcastable operand with shape (1,3) doesn't match the broadcast shape (2,3)");
    (void)kn_ok(kn_nanvar(x, .where = all));
    expect_error("ValueError",
                 "nanvar: non-broadcastable operand with shape (1,3) doesn't match the broadcast shape (2,3)");
    (void)kn_ok(kn_any(kn_ones(KN_SHAPE(3)), .where = all));
    expect_error("ValueError", "any: input operand has more dimensions than allowed by the axis remapping");
    (void)kn_ok(kn_max(kn_ones(KN_SHAPE(2)), .where = kn_at(all, "0"), .initial = kn_num(0)));
    expect_error("ValueError", "max: operands could not be broadcast together with remapped shapes "
                               "[original->remapped]: (2,) (3,)");
    (void)kn_ok(kn_mean(kn_ones(KN_SHAPE(2)), .where = kn_at(all, "0")));
    expect_error("ValueError", "mean: operands could not be broadcast together with remapped shapes "
                               "[original->remapped]: (3,)  and requested shape (2,)");
    (void)kn_ok(kn_var(kn_scalar(1.0), .where = kn_at(all, "0")));
    expect_error("ValueError", "var: cannot broadcast a non-scalar to a scalar array");
}

static void nothing_has_no_largest_element_even_if_none_is_wanted(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_max(kn_zeros(KN_SHAPE(0, 0)), KN_AXIS(0)));
    expect_error("ValueError", "max: zero-size array to reduction operation maximum which has no identity");
    assert_int_equal(kn_size(kn_max(kn_zeros(KN_SHAPE(0, 3)), KN_AXIS(1))), 0);
}

static void positions_are_looked_at_before_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0)), m = kn_zeros(KN_SHAPE(2, 1));
    (void)kn_ok(kn_insert(none, -2, none));
    expect_error("IndexError", "insert: index -2 is out of bounds for axis 0 with size 0");
    (void)kn_ok(kn_insert(m, 3, m));
    expect_error("IndexError", "insert: index 3 is out of bounds for axis 0 with size 2");
    kn_unravel_index(kn_zeros(KN_SHAPE(1, 0), .dtype = KN_I64), KN_SHAPE());
    expect_error("ValueError", "unravel_index: multiple indices are not supported for 0d arrays");
}

static void empty_indices_keep_their_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_list both = kn_ix_(KN_LIST(kn_zeros(KN_SHAPE(0), .dtype = KN_I32), kn_of(int, 1)));
    assert_true(kn_dtype_of(kn_list_get(both, 0)) == KN_I32);
}

static void any_order_is_the_one_that_is_there(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_at(kn_of(double, 1, 2, 3), "::-1");
    assert_true(kn_strides_of(kn_asarray(x, .order = "A")).stride[0] == -8);
    assert_true(kn_strides_of(kn_asarray(x, .order = "A", .copy = 1)).stride[0] == 8);
}

static void axes_of_linear_algebra(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_linalg_vector_norm(kn_scalar(5.0), KN_AXIS(-1)));
    expect_error("AxisError", "vector_norm: axis -1 is out of bounds for array of dimension 0");
    (void)kn_ok(kn_linalg_vector_norm(kn_ones(KN_SHAPE(1, 1)), KN_AXIS(-2, 0)));
    expect_error("ValueError", "vector_norm: repeated axis");
    (void)kn_ok(kn_linalg_vecdot(kn_scalar(1.0), kn_scalar(1.0), .axis = 0));
    expect_error("ValueError", "vecdot: Input operand 0 does not have enough dimensions (has 0, gufunc core with "
                               "signature (n),(n)->() requires 1)");
    assert_int_equal(kn_size(kn_linalg_cond(kn_zeros(KN_SHAPE(0, 2, 2)))), 0);
    (void)kn_ok(kn_linalg_cond(kn_zeros(KN_SHAPE(2, 0, 2))));
    expect_error("LinAlgError", "cond: cond is not defined on empty arrays");
    (void)kn_ok(kn_linalg_cond(kn_zeros(KN_SHAPE(0)))); /* before it is said that there are too few axes */
    expect_error("LinAlgError", "cond: cond is not defined on empty arrays");
    (void)kn_ok(kn_ptp(kn_zeros(KN_SHAPE(0), .dtype = KN_BOOL)));
    expect_error("ValueError", "ptp: zero-size array to reduction operation maximum which has no identity");
}

/* NumPy fills up the digits of a number that has fewer than were asked for, and counts the 0 before the point. */
static void numbers_that_end_have_few_digits(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array quarter = kn_scalar(0.25), three = kn_scalar(-3.0), tenth = kn_scalar(0.1);
    assert_string_equal(kn_format_float_positional(quarter, .precision = 10, .unique = false, .fractional = false),
                        "0.250000000");
    assert_string_equal(kn_format_float_positional(tenth, .precision = 10, .unique = false, .fractional = false),
                        "0.1000000000");
    assert_string_equal(kn_format_float_scientific(three, .precision = 9, .unique = false, .trim = '-'), "-3e+00");
    assert_string_equal(kn_format_float_scientific(tenth, .precision = 9, .unique = false, .trim = '-'), "1.e-01");
    assert_string_equal(kn_format_float_positional(kn_scalar(100.0), .precision = 4, .unique = false), "100.0000");
}

static void a_missing_loop_is_told_before_shapes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array two = kn_ones(KN_SHAPE(2)), three = kn_ones(KN_SHAPE(3), .dtype = KN_BOOL);
    (void)kn_ok(kn_gcd(two, three));
    expect_error("TypeError", "gcd: ufunc 'gcd' did not contain a loop with signature matching types (<class "
                              "'numpy.dtypes.Float64DType'>, <class 'numpy.dtypes.BoolDType'>) -> None");
    (void)kn_ok(kn_subtract(kn_ones(KN_SHAPE(2), .dtype = KN_BOOL), three));
    expect_error("TypeError",
                 "subtract: numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
                 "operator, or the logical_xor function instead.");
    (void)kn_ok(kn_add(two, three));
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (3,)");
}

static void what_is_read_only_is_told_before_the_index_and_the_value(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_broadcast_to(kn_zeros(KN_SHAPE(), .dtype = KN_I32), KN_SHAPE(2));
    kn_set_at(x, 1, "5");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    kn_set_at(x, (double)NAN, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    kn_set_at(x, UINT64_MAX, "0:0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
}

static void axes_are_told_before_masks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(1, 1)), m = kn_ones(KN_SHAPE(1, 2), .dtype = KN_BOOL);
    (void)kn_ok(kn_sum(x, KN_AXIS(2), .where = m));
    expect_error("AxisError", "sum: axis 2 is out of bounds for array of dimension 2");
    (void)kn_ok(kn_nansum(x, KN_AXIS(2), .where = m));
    expect_error("AxisError", "nansum: axis 2 is out of bounds for array of dimension 2");
    (void)kn_ok(kn_nanmax(x, KN_AXIS(2), .where = m, .initial = kn_num(0)));
    expect_error("AxisError", "nanmax: axis 2 is out of bounds for array of dimension 2");
    (void)kn_ok(kn_mean(x, KN_AXIS(2), .where = m)); /* whose function counts the elements first */
    expect_error("ValueError", "mean: operands could not be broadcast together with remapped shapes "
                               "[original->remapped]: (1,2)  and requested shape (1,1)");
}

static void axes_of_scalars_are_looked_at(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_scalar(1.0), yes = kn_scalar(true);
    (void)kn_ok(kn_lexsort(KN_LIST(one, one), .axis = {{2}, {2}}));
    expect_error("AxisError", "lexsort: axis 2 is out of bounds for array of dimension 0");
    expect_values(kn_lexsort(KN_LIST(one, one), .axis = {{2}, {-1}}), 0);
    (void)kn_ok(kn_packbits(yes, KN_AXIS(2)));
    expect_error("AxisError", "packbits: axis 2 is out of bounds for array of dimension 1");
    expect_values(kn_packbits(yes, KN_AXIS(0)), 128);
}

static void positions_are_looked_at_before_numbers_that_do_not_fit(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_insert(kn_zeros(KN_SHAPE(0), .dtype = KN_U16), kn_of(int, 3, -5), -1));
    expect_error("IndexError", "insert: index 3 is out of bounds for axis 0 with size 0");
}

static void nothing_is_taken_from_an_empty_axis(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array at = kn_of(int, -2), none = kn_zeros(KN_SHAPE(0, 0));
    (void)kn_ok(kn_take(none, at, .axis = {{2}, {0}})); /* the result has no elements */
    expect_error("IndexError", "take: index -2 is out of bounds for axis 0 with size 0");
    (void)kn_ok(kn_take(kn_zeros(KN_SHAPE(0, 1)), at, .axis = {{2}, {0}}));
    expect_error("IndexError", "take: cannot do a non-empty take from an empty axes.");
}

static void no_elements_have_negative_powers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_power(kn_zeros(KN_SHAPE(0), .dtype = KN_I8), -3);
    assert_true(kn_ok(none) && kn_dtype_of(none) == KN_I8);
    (void)kn_ok(kn_power(kn_ones(KN_SHAPE(1), .dtype = KN_I8), -3));
    expect_error("ValueError", "power: Integers to negative integer powers are not allowed.");
}

static void a_power_that_does_not_fit_is_told_before_its_sign(void **state)
{
    (void)state;
    KN_SCOPE;
    const struct {
        kn_dtype dtype;
        int64_t power;
        const char *said;
    } cases[] = {
        {KN_I8, -300, "integer -300 out of bounds for int8"},
        {KN_I8, -(INT64_C(1) << 60), "integer -1152921504606846976 out of bounds for int8"},
        {KN_U64, -(INT64_C(1) << 60), "integer -1152921504606846976 out of bounds for uint64"},
        {KN_I32, INT64_MIN, "integer -9223372036854775808 out of bounds for int32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        kn_array x = kn_ones(KN_SHAPE(2), .dtype = cases[i].dtype);
        (void)kn_ok(kn_power(x, cases[i].power));
        snprintf(text, sizeof text, "power: %s", cases[i].said);
        expect_error("OverflowError", text);
        (void)kn_ipow(x, cases[i].power);
        snprintf(text, sizeof text, "ipow: %s", cases[i].said);
        expect_error("OverflowError", text);
    }
    (void)kn_ok(kn_power(kn_ones(KN_SHAPE(1), .dtype = KN_I64), INT64_MIN));
    expect_error("ValueError", "power: Integers to negative integer powers are not allowed.");
}

static void the_last_of_equal_knots_has_the_value(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array infinite = kn_full(KN_SHAPE(3), -INFINITY), fp = kn_of(double, 0, 4, 9);
    expect_values(kn_interp(kn_of(double, -INFINITY), infinite, fp), 9);
    expect_values(kn_interp(kn_of(double, 1), kn_ones(KN_SHAPE(3)), fp), 9);
}

static void a_c_number_is_compared_beyond_the_dtype_of_the_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array half = kn_astype(kn_of(double, 4.5), KN_F16);
    expect_values(kn_isclose(half, 1e10), 1); /* the bound is infinite in float16, as in NumPy */
    expect_values(kn_isclose(half, (double)INFINITY), 0);
    expect_values(kn_isclose(half, 4.5), 1);
    expect_values(kn_isclose(kn_astype(half, KN_C128), 4.5), 1);
    expect_values(kn_isclose(half, 4.6), 0);
}

static void true_and_false_are_of_dtype_bool(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_dtype_of(kn_sqrt((bool)true)) == KN_F16);
    assert_true(kn_dtype_of(kn_sqrt(1)) == KN_F64);
}

static void bounds_that_no_element_is_beyond_are_none(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(kn_of(int, 7), KN_I8);
    expect_values(kn_clip(x, 1e10, 128), 1e10);
    expect_values(kn_clip(x, 1e10, 127), 1e10);
    expect_values(kn_clip(x, 1e10, 126), 126);
    expect_values(kn_clip(x, -128, -1e10), -1e10);
    (void)kn_ok(kn_clip(x, 300, 5));
    expect_error("OverflowError", "clip: integer 300 out of bounds for int8");
}

static void joined_scalars_are_told_as_such(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(kn_concatenate(KN_LIST(kn_scalar(1.0)), .axis = KN_AXIS_NONE, .dtype = KN_BOOL));
    expect_error("TypeError", "concatenate: Cannot cast scalar from dtype('float64') to dtype('bool') according to the "
                              "rule 'same_kind'");
}

static void a_mask_of_no_axes_is_a_mask(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_set_at(kn_scalar(1.0), kn_ones(KN_SHAPE(2)), "%", (bool)false);
    expect_error("ValueError", "set_at: NumPy boolean array indexing assignment cannot assign 2 input values to the 0 "
                               "output values where the mask is true");
}

static void edges_of_a_given_range_are_worked_out_in_float64(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array edges = kn_histogram_bin_edges(kn_ones(KN_SHAPE(1), .dtype = KN_F32), .range = {-4, 4});
    assert_true(kn_dtype_of(edges) == KN_F32);
    expect_values(edges, -4, -3.2F, -2.4F, -1.6F, -0.8F, 0, 0.8F, 1.6F, 2.4F, 3.2F, 4);
}

static void a_number_that_does_not_fit_is_told_before_the_cast(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(1), .dtype = KN_BOOL), y = kn_ones(KN_SHAPE(1), .dtype = KN_BOOL);
    kn_iadd(x, UINT64_MAX);
    expect_error("OverflowError", "iadd: integer 18446744073709551615 out of bounds for int64");
    kn_iadd(y, 5);
    expect_error("TypeError", "iadd: Cannot cast ufunc 'add' output from dtype('int64') to dtype('bool') with casting "
                              "rule 'same_kind'");
}

static void float16_stays_at_its_zero(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zero = kn_zeros(KN_SHAPE(1)), below = kn_nextafter(zero, -0.0);
    assert_true(kn_item_bool(kn_signbit(below)));
    assert_false(kn_item_bool(kn_signbit(kn_nextafter(kn_astype(zero, KN_F16), -0.0))));
}

static void transforms_back_of_float16_are_float16(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3), .dtype = KN_F16);
    assert_true(kn_dtype_of(kn_fft_irfft(x)) == KN_F16);
    assert_true(kn_dtype_of(kn_fft_hfft(x)) == KN_F16);
    assert_true(kn_dtype_of(kn_fft_irfftn(x)) == KN_F32);
    assert_true(kn_dtype_of(kn_fft_irfftn(x, .axes = {{2}, {0}})) == KN_F16);
}

static void a_mask_without_elements_goes_with_any_extent(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3, 2)), none = kn_zeros(KN_SHAPE(0, 2), .dtype = KN_BOOL);
    kn_array taken = kn_at(x, "%", none);
    assert_true(kn_ndim(taken) == 1 && kn_dim(taken, 0) == 0);
    kn_set_at(x, 5, "%", none);
    assert_true(kn_item_bool(kn_all(kn_equal(x, 1))));
    (void)kn_ok(kn_at(x, "%", kn_zeros(KN_SHAPE(0, 3), .dtype = KN_BOOL)));
    expect_error("IndexError",
                 "at: boolean index did not match indexed array along axis 1; size of axis is 2 but size of "
                 "corresponding boolean axis is 3");
}

static void one_element_under_a_mask_is_joined_with_the_identity(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, -9), on = kn_astype(kn_ones(KN_SHAPE(1)), KN_BOOL);
    expect_values(kn_ufunc_reduce(kn_ufunc_gcd, x), 9);
    expect_values(kn_ufunc_reduce(kn_ufunc_gcd, x, .where = on), 9);
    expect_values(kn_ufunc_reduce(kn_ufunc_gcd, x, .where = kn_logical_not(on)), 0);
}

KN_TEST_GROUP(test_numpy_found)
{
    const struct CMUnitTest tests[] = {
        TEST(a_product_tells_which_core_dimension_differs),
        TEST(tensordot_compares_pair_after_pair),
        TEST(casts_of_one_element_are_of_a_scalar),
        TEST(axes_are_told_as_numpy_does),
        TEST(a_write_in_place_names_the_result_too),
        TEST(select_compares_conditions_and_choices),
        TEST(ends_are_looked_at_before_differences),
        TEST(names_of_ufuncs_and_arguments),
        TEST(a_mean_of_nothing_as_integer_is_the_smallest),
        TEST(reciprocals_of_whole_numbers),
        TEST(what_has_the_order_stays_what_it_is),
        TEST(leading_axes_of_one_are_left_out),
        TEST(a_trace_of_truth_values),
        TEST(a_mask_broadcasts_to_what_is_reduced),
        TEST(nothing_has_no_largest_element_even_if_none_is_wanted),
        TEST(positions_are_looked_at_before_values),
        TEST(empty_indices_keep_their_dtype),
        TEST(any_order_is_the_one_that_is_there),
        TEST(axes_of_linear_algebra),
        TEST(numbers_that_end_have_few_digits),
        TEST(a_missing_loop_is_told_before_shapes),
        TEST(what_is_read_only_is_told_before_the_index_and_the_value),
        TEST(axes_are_told_before_masks),
        TEST(axes_of_scalars_are_looked_at),
        TEST(positions_are_looked_at_before_numbers_that_do_not_fit),
        TEST(nothing_is_taken_from_an_empty_axis),
        TEST(no_elements_have_negative_powers),
        TEST(a_power_that_does_not_fit_is_told_before_its_sign),
        TEST(the_last_of_equal_knots_has_the_value),
        TEST(a_c_number_is_compared_beyond_the_dtype_of_the_other),
        TEST(true_and_false_are_of_dtype_bool),
        TEST(bounds_that_no_element_is_beyond_are_none),
        TEST(joined_scalars_are_told_as_such),
        TEST(a_mask_of_no_axes_is_a_mask),
        TEST(edges_of_a_given_range_are_worked_out_in_float64),
        TEST(a_number_that_does_not_fit_is_told_before_the_cast),
        TEST(float16_stays_at_its_zero),
        TEST(transforms_back_of_float16_are_float16),
        TEST(a_mask_without_elements_goes_with_any_extent),
        TEST(one_element_under_a_mask_is_joined_with_the_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
