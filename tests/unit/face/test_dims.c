/* SPDX-License-Identifier: Apache-2.0
 * test_dims.c -- extents in C code: numbers, expressions, and what is none of both. */
#include "support/expect.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <string.h>

static void numbers_are_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_dim_add(2, 3), 5);
    assert_int_equal(kn_dim_sub(2, 3), -1);
    assert_int_equal(kn_dim_mul(-2, 3), -6);
    assert_int_equal(kn_dim_floordiv(-7, 2), -4);
    assert_int_equal(kn_dim_mod(-7, 2), 1);
    assert_int_equal(kn_dim_mod(7, -2), -1);
    assert_int_equal(kn_dim_max(2, 3), 3);
    assert_int_equal(kn_dim_min(2, 3), 2);
    assert_true(kn_dim_eq(2, 2) && !kn_dim_eq(2, 3) && kn_dim_le(2, 2) && kn_dim_lt(2, 3) && !kn_dim_lt(2, 2));
    assert_string_equal(kn_dim_text(-12), "-12");
    kn_array x = kn_dim_as_array(12);
    assert_true(kn_dtype_of(x) == KN_I64 && kn_ndim(x) == 0 && kn_item_int(x) == 12);
    expect_no_error();
}

static void what_is_no_number_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_dim_add(INT64_MAX, 1), -1);
    expect_error("OverflowError", "dim_add: an extent is too large");
    assert_int_equal(kn_dim_sub(INT64_MIN, 1), -1);
    expect_error("OverflowError", "dim_sub: an extent is too large");
    assert_int_equal(kn_dim_mul(INT64_MAX / 2, 3), -1);
    expect_error("OverflowError", "dim_mul: an extent is too large");
    assert_int_equal(kn_dim_floordiv(INT64_MIN, -1), -1);
    expect_error("OverflowError", "dim_floordiv: an extent is too large");
    assert_int_equal(kn_dim_floordiv(1, 0), -1);
    expect_error("ValueError", "dim_floordiv: division by zero");
    assert_int_equal(kn_dim_mod(1, 0), -1);
    expect_error("ValueError", "dim_mod: division by zero");
}

/* ---- In a function that is recorded with variables. */

static int64_t kept;
static char texts[400];

static kn_array asks(const kn_array *x)
{
    int64_t b = kn_dim(*x, 0), t = kn_dim(*x, 1);
    kept = kn_dim_mul(b, t);
    const int64_t all[] = {kn_dim_add(b, t),      kn_dim_sub(b, t), kept,
                           kn_dim_floordiv(b, 2), kn_dim_mod(b, t), kn_dim_max(b, t),
                           kn_dim_min(b, 4),      kn_dim_max(b, 0), kn_dim_add(kn_dim_mul(2, b), 1)};
    texts[0] = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        strcat(strcat(texts, kn_dim_text(all[i])), "; ");
    strcat(texts,
           kn_dim_le(1, b) && kn_dim_lt(0, kept) && kn_dim_eq(kn_dim_sub(kn_dim_add(b, t), t), b) ? "yes" : "no");
    strcat(texts, kn_dim_eq(b, t) ? ", yes" : ", no");
    return kn_add(kn_reshape(*x, KN_SHAPE(kept)), kn_dim_as_array(kn_dim_add(b, 1)));
}
KN_FUNCTION(asks, kn_array, kn_array)

static void expressions_are_handles(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(asks), .symbolic = "b t");
    for (int n = 1; n < 9; n++) {
        kn_array x = kn_zeros(KN_SHAPE(n, 3)), y;
        kn_call(f, &y, &x);
        expect_no_error();
        assert_true(kn_dim(y, 0) == 3 * n && kn_item(y, 0) == n + 1);
    }
    assert_int_equal(kn_fn_trace_count(f), 1);
    assert_string_equal(texts,
                        "t + b; - t + b; b*t; floordiv(b, 2); mod(b, t); max(b, t); min(b, 4); b; 2*b + 1; yes, no");
    /* the same function for extents that are numbers, and tried for all */
    kn_fn g[] = {kn_jit(KN_FN(asks)), kn_jit(KN_FN(asks), .symbolic = KN_ALL)};
    for (int k = 0; k < 2; k++)
        for (int n = 2; n < 5; n++) {
            kn_array x = kn_zeros(KN_SHAPE(n, 3)), y;
            kn_call(g[k], &y, &x);
            expect_no_error();
            assert_true(kn_dim(y, 0) == 3 * n && kn_item(y, 0) == n + 1);
        }
}

static kn_array compares(const kn_array *x) { return kn_dim_le(kn_dim(*x, 0), 4) ? *x : kn_neg(*x); }
KN_FUNCTION(compares, kn_array, kn_array)
static kn_array divides(const kn_array *x) { return kn_zeros(KN_SHAPE(kn_dim_floordiv(kn_dim(*x, 0), 0))); }
KN_FUNCTION(divides, kn_array, kn_array)

static void what_is_not_decided_is_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3)), large = kn_ones(KN_SHAPE(7)), y;
    kn_call(kn_jit(KN_FN(compares), .symbolic = "b"), &y, &x);
    expect_error_with("InconclusiveDimensionOperation",
                      "dim_le: Symbolic dimension comparison 'b' <= '4' is inconclusive");
    kn_call(kn_jit(KN_FN(compares), .symbolic = "b", .constraints = "b <= 4"), &y, &x);
    assert_true(kn_item(y, 0) == 1);
    kn_fn f = kn_jit(KN_FN(compares), .symbolic = "b", .checks = true);
    kn_call(f, &y, &x);
    expect_no_error();
    kn_call(f, &y, &large);
    expect_error_with("ValueError", "compares was recorded for b <= 4 (");
    kn_call(kn_jit(KN_FN(divides), .symbolic = "b"), &y, &x);
    expect_error_with("ValueError", "division by zero");
}

/* ---- Handles of functions that have ended, and numbers of the user's that lie among handles. */

static int64_t handle;
static kn_array keeps(const kn_array *x)
{
    handle = kn_size(*x);
    return *x;
}
KN_FUNCTION(keeps, kn_array, kn_array)

static void handles_of_no_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 3)), y;
    kn_call(kn_jit(KN_FN(keeps), .symbolic = "b t"), &y, &x);
    const int64_t first = INT64_C(1) << 61;
    const int64_t some[] = {
        handle, first, first + 1, first + (INT64_C(1) << 31), first + (INT64_C(1) << 59), 3 * (first / 2) - 1};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        int64_t d = some[i];
        assert_int_equal(kn_dim_add(d, 1), -1);
        expect_error_with("InconclusiveDimensionOperation", "dim_add: '");
        assert_int_equal(kn_dim_mod(7, d), -1);
        expect_error_with("InconclusiveDimensionOperation", "dim_mod: '");
        assert_false(kn_dim_eq(d, 3));
        expect_error_with("InconclusiveDimensionOperation", "dim_eq: '");
        kn_dim_as_array(d);
        expect_error_with("InconclusiveDimensionOperation", "has a meaning only while the function runs");
        assert_true(*kn_dim_text(d) != 0);
        expect_no_error();
        y = kn_zeros(KN_SHAPE(d));
        assert_true(kn_error_pending());
        kn_error_clear();
        y = kn_reshape(x, KN_SHAPE(d, -1));
        assert_true(kn_error_pending());
        kn_error_clear();
        y = kn_broadcast_to(kn_ones(KN_SHAPE(1)), KN_SHAPE(d));
        assert_true(kn_error_pending());
        kn_error_clear();
        assert_true(kn_item_int(kn_num(d)) == d); /* as a value it is one like others */
        expect_no_error();
    }
}

KN_TEST_GROUP(test_dims)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_numbers),     TEST(what_is_no_number_is_an_error),
        TEST(expressions_are_handles), TEST(what_is_not_decided_is_refused),
        TEST(handles_of_no_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
