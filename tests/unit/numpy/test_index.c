/* SPDX-License-Identifier: Apache-2.0
 * test_index.c -- reading with kn_at: 1500 random indices against NumPy's results, the grammar, and what errors say. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

static void random_indices_read_what_numpy_reads(void **state)
{
    (void)state;
    numpy_calls_check(KN_TEST_DIR "/golden/numpy_indexing.txt");
}

static kn_array counting(kn_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    return kn_reshape(kn_arange(0, n, 1), shape);
}

static void blanks_and_a_last_comma_do_not_matter(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(2, 3));
    expect_values(kn_at(x, " 1 ,\t: "), 3, 4, 5);
    expect_values(kn_at(x, "1,"), 3, 4, 5);
    expect_values(kn_at(x, "- 1 , +2"), 5);
    expect_values(kn_at(x, ""), 0, 1, 2, 3, 4, 5);
    expect_values(kn_at(x, "None:None:None, 0"), 0, 3);
}

static void placeholders_take_integers_of_every_c_type(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(6));
    expect_values(kn_at(x, "%", (unsigned char)2), 2);
    expect_values(kn_at(x, "%", (short)-1), 5);
    expect_values(kn_at(x, "%:%:%", 5L, 1ULL, -2), 5, 3);
    expect_values(kn_at(x, "% : %", (int8_t)1, (size_t)3), 1, 2);
    expect_values(kn_at(x, "%", kn_scalar(3)), 3);
    expect_values(kn_at(x, "%:", kn_scalar(4)), 4, 5);
    kn_at(x, "%", UINT64_MAX);
    expect_error_with("IndexError", "is out of bounds for axis 0 with size 6");
}

static void a_c_bool_is_a_mask(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(2));
    bool yes = true, no = false;
    assert_int_equal(kn_ndim(kn_at(x, "%", yes)), 2);
    expect_values(kn_at(x, "%", yes), 0, 1);
    assert_int_equal(kn_dim(kn_at(x, "%", no), 0), 0);
}

static void starts_that_are_operands_slice_alike(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(10));
    for (int i = 0; i < 8; i++)
        expect_values(kn_at(x, "%:%", i, i + 3), i, i + 1, i + 2 < 10 ? i + 2 : 9);
    expect_values(kn_at(x, "%:%", -3, 100), 7, 8, 9);
    assert_int_equal(kn_size(kn_at(x, "%:%", 5, 2)), 0);
}

static void errors_say_where_reading_stopped(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(3, 4));
    kn_at(x, "1:, oops");
    expect_error("ValueError", "at: cannot read index \"1:, oops\": expected a number, a slice, \"...\", \"None\" or a "
                               "placeholder at column 5");
    kn_at(x, "1 2");
    expect_error_with("ValueError", "at column 3");
    kn_at(x, ",");
    expect_error_with("ValueError", "at column 1");
    kn_at(x, "1:2:3:4");
    expect_error_with("ValueError", "at column 6");
    kn_at(x, "Nonesense");
    expect_error_with("ValueError", "at column 1");
    kn_at(x, "%, :");
    expect_error("TypeError", "at: index \"%, :\" has 1 placeholder, but was given 0 arguments");
    kn_at(x, ":", 1, 2);
    expect_error("TypeError", "at: index \":\" has 0 placeholders, but was given 2 arguments");
    kn_at(x, "..., ...");
    expect_error("IndexError", "at: an index can only have a single ellipsis ('...')");
    kn_at(x, "%", kn_of(double, 1));
    expect_error("IndexError", "at: arrays used as indices must be of integer (or boolean) type");
    kn_at(x, "%:", kn_of(double, 1));
    expect_error("TypeError", "at: slice indices must be integers or None or have an __index__ method");
    kn_at(x, "99999999999999999999999");
    expect_error_with("IndexError", "is out of bounds for axis 0 with size 3");
    (kn_at)(x, NULL, 0, NULL);
    expect_error("TypeError", "at: the index is missing");
}

static void every_text_up_to_four_letters_is_read_or_refused(void **state)
{
    static const char letters[] = "1-:%,.N ";
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(2, 2));
    char text[5] = {0};
    for (int code = 0; code < 8 * 8 * 8 * 8; code++) {
        KN_SCOPE;
        for (int i = 0, c = code; i < 4; i++, c /= 8)
            text[i] = letters[c % 8];
        int n = 0;
        kn_index_arg args[4];
        for (int i = 0; i < 4; i++)
            if (text[i] == '%')
                args[n++] = (kn_index_arg){.kind = KN_ARG_INT, .integer = 1};
        kn_array y = (kn_at)(x, text, n, args);
        assert_true(kn_ok(y) || kn_error_pending());
        kn_error_clear();
    }
}

static kn_array first_row(const kn_array *x) { return kn_at(*x, "%, 1:", 0); }
KN_FUNCTION(first_row, kn_array, kn_array)
static kn_array by_mask(const kn_array *x) { return kn_at(*x, "%", kn_greater(*x, 0)); }
KN_FUNCTION(by_mask, kn_array, kn_array)

static void traces_have_static_slices_and_refuse_masks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(counting(KN_SHAPE(2, 3)), KN_F64), y;
    kn_call(kn_jit(KN_FN(first_row)), &y, &x);
    expect_values(y, 1, 2);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(first_row), KN_ARGS(&x));
    assert_non_null(
        strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "slice[limit_indices=(1, 3) start_indices=(0, 1) strides=None]"));
    kn_call(kn_jit(KN_FN(by_mask)), &y, &x);
    expect_error_with("ConcretizationError", "by_mask");
}

/* Positions that are in memory are looked at; those that are still to be computed are not. Both read the same. */
static void positions_in_memory_read_like_computed_ones(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_I8, KN_I16, KN_I32, KN_I64, KN_U8, KN_U16, KN_U32, KN_U64};
    for (int d = 0; d < 8; d++)
        for (int waits = 0; waits < 2; waits++) {
            KN_SCOPE;
            bool negative = d < 4;
            kn_array x = counting(KN_SHAPE(3, 4)), at = kn_remainder(kn_arange(1, 6, 2), 4); /* 1, 3, 1 */
            at = kn_astype(negative ? kn_sub(at, 2) : at, dtypes[d]);                        /* -1, 1, -1 */
            if (!waits)
                kn_eval(at);
            if (negative) {
                expect_values(kn_at(x, "0, %", at), 3, 1, 3);
                expect_values(kn_take(x, at, KN_AXIS(1)), 3, 1, 3, 7, 5, 7, 11, 9, 11);
                expect_values(kn_take(x, at), 11, 1, 11);
            } else {
                expect_values(kn_at(x, "0, %", at), 1, 3, 1);
                expect_values(kn_take(x, at, KN_AXIS(1)), 1, 3, 1, 5, 7, 5, 9, 11, 9);
                expect_values(kn_take(x, at), 1, 3, 1);
            }
            kn_array far = kn_astype(kn_add(at, 100), dtypes[d]); /* 99, 101, 99 or 101, 103, 101 */
            if (!waits)
                kn_eval(far);
            kn_eval(kn_take(x, far));
            expect_error_with("IndexError", negative ? "index 99 is out of bounds" : "index 101 is out of bounds");
            kn_eval(kn_at(x, "%", far));
            expect_error_with("IndexError", negative ? "index 99 is out of bounds" : "index 101 is out of bounds");
        }
}

static void masks_over_the_first_axes_keep_the_others(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(KN_SHAPE(2, 3, 2)), rows = kn_not_equal(kn_at(x, ":, :, 0"), 2);
    expect_values(kn_at(x, "%", rows), 0, 1, 4, 5, 6, 7, 8, 9, 10, 11);
    expect_values(kn_at(x, "%, ...", kn_not_equal(kn_arange(0, 2, 1), 0)), 6, 7, 8, 9, 10, 11);
    expect_values(kn_at(kn_transpose(x), "%", kn_equal(kn_arange(0, 2, 1), 1)), 1, 7, 3, 9, 5, 11);
    assert_int_equal(kn_dim(kn_at(x, "%", kn_zeros(KN_SHAPE(2, 3), .dtype = KN_BOOL)), 0), 0);
}

KN_TEST_GROUP(test_index)
{
    const struct CMUnitTest tests[] = {
        TEST(random_indices_read_what_numpy_reads),
        TEST(blanks_and_a_last_comma_do_not_matter),
        TEST(placeholders_take_integers_of_every_c_type),
        TEST(a_c_bool_is_a_mask),
        TEST(starts_that_are_operands_slice_alike),
        TEST(errors_say_where_reading_stopped),
        TEST(every_text_up_to_four_letters_is_read_or_refused),
        TEST(traces_have_static_slices_and_refuse_masks),
        TEST(positions_in_memory_read_like_computed_ones),
        TEST(masks_over_the_first_axes_keep_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
