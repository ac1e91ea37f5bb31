/* SPDX-License-Identifier: Apache-2.0
 * test_numbers_fit.c -- numbers that an integer dtype does not hold are NumPy's OverflowError, wherever they come in. */
#include "support/expect.h"
#include "support/group.h"

static kn_array small(void) { return kn_astype(kn_arange(1, 4, 1), KN_I8); }

static void ranges_begin_where_the_dtype_is(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_arange(300, 303, 1, .dtype = KN_I8);
    expect_error("OverflowError", "arange: integer 300 out of bounds for int8");
    kn_arange(0, 900, 300, .dtype = KN_I8);
    expect_error("OverflowError", "arange: integer 300 out of bounds for int8");
    kn_arange(-1, 2, 1, .dtype = KN_U8);
    expect_error("OverflowError", "arange: integer -1 out of bounds for uint8");
    kn_arange(300.5, 302, 1, .dtype = KN_I8);
    expect_error("OverflowError", "arange: integer 300 out of bounds for int8");
    kn_array x = kn_arange(120, 140, 5, .dtype = KN_I8), y = kn_arange(300, 300, 1, .dtype = KN_I8);
    assert_int_equal(kn_item_int(x, 2), -126); /* only the first two are numbers */
    assert_int_equal(kn_size(y), 0);
    assert_int_equal(kn_item_int(kn_arange(0, 3, 300, .dtype = KN_I8), 0), 0);
    assert_int_equal(kn_item_int(kn_arange(INT64_MAX - 1, INT64_MAX, 1, .dtype = KN_I64), 0), INT64_MAX - 1);
}

static void padding_is_of_the_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_pad(small(), 1, .constant_values = kn_num(300));
    expect_error("OverflowError", "pad: integer 300 out of bounds for int8");
    assert_int_equal(kn_item_int(kn_pad(small(), 1, .constant_values = kn_num(-128)), 0), -128);
    kn_array u = kn_zeros(KN_SHAPE(1), .dtype = KN_U8); /* NumPy refuses them of signed dtypes alone */
    assert_int_equal(kn_item_int(kn_pad(u, 1, .constant_values = kn_num(-3)), 0), 253);
}

static void fractions_are_cut_off_before_they_have_to_fit(void **state)
{
    (void)state;
    KN_SCOPE;
    static const double inside[] = {127.9, -128.9, 0.5}, outside[] = {128, 300.5, -129, 1e30};
    for (int i = 0; i < 3; i++) {
        kn_array x = small();
        assert_int_equal(kn_set_at(x, inside[i], "0"), 0);
        assert_int_equal(kn_item_int(x, 0), (int64_t)inside[i]);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kn_set_at(small(), outside[i], "0"), -1);
        expect_error_with("OverflowError", "out of bounds for int8");
        assert_int_equal(kn_fill(small(), outside[i]), -1);
        expect_error_with("OverflowError", "out of bounds for int8");
        assert_int_equal(kn_set_at(small(), outside[i], "%", kn_of(int, 0, 2)), -1);
        expect_error_with("OverflowError", "out of bounds for int8");
    }
    kn_array u = kn_zeros(KN_SHAPE(2), .dtype = KN_U64);
    assert_int_equal(kn_set_at(u, 1.8e19, "0"), 0);
    assert_int_equal(kn_set_at(u, -1.0, "0"), -1);
    expect_error("OverflowError", "set_at: integer -1 out of bounds for uint64");
    assert_int_equal(kn_set_at(u, -0.5, "0"), 0);
}

KN_TEST_GROUP(test_numbers_fit)
{
    const struct CMUnitTest tests[] = {
        TEST(ranges_begin_where_the_dtype_is),
        TEST(padding_is_of_the_dtype),
        TEST(fractions_are_cut_off_before_they_have_to_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
