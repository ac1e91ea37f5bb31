/* SPDX-License-Identifier: Apache-2.0
 * test_writes.c -- writes: to whom they show, what overlapping ones do, in place without copies, and under
 * transformations. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

static kn_array grid(int64_t n, int64_t m) { return kn_reshape(kn_arange(0, n * m, 1), KN_SHAPE(n, m)); }

/* ---- Indices. */

static void through_every_kind_of_view(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = grid(2, 3);
    kn_set_at(kn_transpose(a), kn_of(int64_t, 10, 11), "1");
    expect_values(a, 0, 10, 2, 3, 11, 5);
    kn_set_at(kn_flip(a), 20, "0, 0");
    expect_values(a, 0, 10, 2, 3, 11, 20);
    kn_set_at(kn_at(a, ":, ::2"), grid(2, 2), "::-1, ::-1");
    expect_values(a, 3, 10, 2, 1, 11, 0);
    kn_set_at(kn_ravel(a), kn_arange(30, 36, 1), "...");
    expect_values(a, 30, 31, 32, 33, 34, 35);
    kn_set_at(kn_reshape(a, KN_SHAPE(3, 2)), 0, "1");
    expect_values(a, 30, 31, 0, 0, 34, 35);
    kn_set_at(kn_reshape(kn_at(a, ":, :2"), KN_SHAPE(2, 1, 2, 1)), 7, "%, ...", 1);
    expect_values(a, 30, 31, 0, 7, 7, 35);
    kn_set_at(kn_moveaxis(kn_expand_dims(a, KN_AXIS(0)), KN_AXIS(2), KN_AXIS(0)), kn_of(int64_t, 1, 2), "-1, 0");
    expect_values(a, 30, 31, 1, 7, 7, 2);
}

static void values_are_cast_and_spread(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(2, 2), .dtype = KN_I64), b = kn_zeros(KN_SHAPE(2), .dtype = KN_U8);
    kn_set_at(a, 2.9, "0");
    kn_set_at(a, kn_of(double, -3.5, 4.5), "1");
    expect_values(a, 2, 2, -3, 4);
    kn_set_at(a, kn_reshape(kn_of(int64_t, 5, 6), KN_SHAPE(1, 1, 2)), "...");
    expect_values(a, 5, 6, 5, 6);
    kn_set_at(a, INT64_MAX, "0, 0");
    assert_true(kn_item_int(kn_at(a, "0, 0")) == INT64_MAX);
    kn_iadd_at(a, -1, "0, 0");
    assert_true(kn_item_int(kn_at(a, "0, 0")) == INT64_MAX - 1);
    assert_int_equal(kn_set_at(b, 300, "0"), -1);
    expect_error("OverflowError", "set_at: integer 300 out of bounds for uint8");
    kn_set_at(b, kn_of(int64_t, 300), "0");
    expect_values(b, 44, 0);
    kn_set_at(b, NAN, "0");
    expect_error("ValueError", "set_at: cannot convert float NaN to integer");
    kn_set_at(kn_zeros(KN_SHAPE(1)), kn_like_complex(1, 1), "0");
    expect_error("TypeError", "set_at: float() argument must be a string or a real number, not 'complex'");
    kn_set_at(a, kn_of(int64_t, 1, 2, 3), "0");
    expect_error("ValueError", "set_at: could not broadcast input array from shape (3,) into shape (2,)");
    kn_set_at(a, kn_of(int64_t, 1, 2), "0, 0");
    expect_error("ValueError", "set_at: setting an array element with a sequence.");
    kn_set_at(a, kn_of(int64_t, 1, 2, 3), "%", kn_of(int64_t, 0, 1));
    expect_error("ValueError",
                 "set_at: shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape "
                 "(2,2)");
    kn_set_at(a, 1, "2");
    expect_error("IndexError", "set_at: index 2 is out of bounds for axis 0 with size 2");
    kn_set_at(a, 1, "0, %", kn_of(int64_t, 1, -3));
    expect_error("IndexError", "set_at: index -3 is out of bounds for axis 1 with size 2");
}

static void masks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = grid(2, 3), odd = kn_not_equal(kn_bitwise_and(a, 1), 0);
    kn_set_at(a, -1, "%", odd);
    expect_values(a, 0, -1, 2, -1, 4, -1);
    kn_set_at(a, kn_of(int64_t, 7, 8, 9), "%", odd);
    expect_values(a, 0, 7, 2, 8, 4, 9);
    kn_imul_at(a, 2, "%", kn_greater(a, 4));
    expect_values(a, 0, 14, 2, 16, 4, 18);
    kn_isub_at(a, kn_of(int64_t, 1, 2), "%", kn_equal(a, 0));
    expect_error_with("ValueError", "isub_at: non-broadcastable output operand with shape (1,)");
    kn_set_at(a, 5, "%, 1:", kn_of(bool, false, true));
    expect_values(a, 0, 14, 2, 16, 5, 5);
    kn_set_at(a, kn_of(int64_t, 1, 2), "%", odd);
    expect_error("ValueError", "set_at: NumPy boolean array indexing assignment cannot assign 2 input values to the 3 "
                               "output values where the mask is true");
    kn_set_at(a, 6, "%", kn_of(bool, true));
    expect_error_with("IndexError", "boolean index did not match indexed array along axis 0");
    kn_set_at(a, 6, "%", KN_FALSE);
    expect_values(a, 0, 14, 2, 16, 5, 5);
    kn_set_at(a, 6, "%", KN_TRUE);
    expect_values(a, 6, 6, 6, 6, 6, 6);
}

/* The index's result has one axis: NumPy takes more of an assignment beside an ellipsis, and of nothing else. */
static void a_number_with_more_axes_than_a_mask_gives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = grid(2, 3), odd = kn_not_equal(kn_bitwise_and(a, 1), 0),
             one = kn_ones(KN_SHAPE(1, 1), .dtype = KN_I64);
    kn_set_at(a, one, "%", odd);
    expect_error("TypeError", "set_at: NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                              "input has 2 dimensions");
    kn_set_at(a, kn_ones(KN_SHAPE(1, 3), .dtype = KN_I64), "%", odd);
    expect_error("TypeError", "set_at: NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                              "input has 2 dimensions");
    kn_iadd_at(a, one, "%", odd);
    expect_error("ValueError", "iadd_at: non-broadcastable output operand with shape (3,) doesn't match the broadcast "
                               "shape (1,3)");
    kn_iadd_at(a, one, "%, ...", odd);
    expect_error_with("ValueError", "non-broadcastable output operand with shape (3,)");
    kn_ufunc_at(kn_ufunc_add, a, one, "%", odd);
    expect_error("ValueError", "ufunc_at: array is not broadcastable to correct shape");
    expect_values(a, 0, 1, 2, 3, 4, 5);
    kn_set_at(a, kn_negative(one), "%, ...", odd);
    expect_values(a, 0, -1, 2, -1, 4, -1);
    kn_iadd_at(a, kn_of(int64_t, 9), "%", odd);
    expect_values(a, 0, 8, 2, 8, 4, 8);
}

static void index_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(3, 4), .dtype = KN_I64);
    kn_array last_wins = kn_of(int64_t, -1, 0, 3);
    kn_set_at(a, kn_of(int64_t, 1, 2, 3), "%, %", kn_of(int64_t, 0, 2, 0), last_wins);
    expect_values(a, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0);
    kn_set_at(a, kn_of(int64_t, 5, 6), "1:, %", kn_of(int64_t, 1, 2));
    expect_values(a, 0, 0, 0, 3, 0, 5, 6, 0, 2, 5, 6, 0);
    kn_set_at(kn_transpose(a), 9, "%, 0", kn_of(int64_t, 1, 2));
    expect_values(a, 0, 9, 9, 3, 0, 5, 6, 0, 2, 5, 6, 0);
    kn_set_at(a, kn_reshape(kn_of(int64_t, 7, 8), KN_SHAPE(2, 1, 1)), "%, None, ::3", kn_of(int64_t, 0, 1));
    expect_values(a, 7, 9, 9, 7, 8, 5, 6, 8, 2, 5, 6, 0);
    kn_set_at(a, 1, "%", kn_zeros(KN_SHAPE(0), .dtype = KN_I64));
    kn_set_at(a, kn_scalar((int64_t)3), "%, %", kn_scalar((int64_t)2), 3);
    expect_values(kn_at(a, "2"), 2, 5, 6, 3);
}

/* ---- In place. */

static void operators_in_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(int64_t, 7, 8), f = kn_of(float, 2, 3), b = kn_of(bool, true, false);
    kn_iadd(a, 1), kn_isub(a, kn_of(int64_t, 1, 2)), kn_imul(a, 3), kn_ipow(a, 2);
    expect_values(a, 441, 441);
    kn_iand(a, 0xff), kn_ior(a, 0x100), kn_ixor(a, 1);
    expect_values(a, (441 & 0xff) ^ 0x101, (441 & 0xff) ^ 0x101);
    kn_idiv(f, 2), kn_iadd(f, kn_of(double, 0.25, 0.5));
    expect_values(f, 1.25, 2);
    assert_true(kn_dtype_of(f) == KN_F32);
    kn_ior(b, KN_TRUE);
    expect_values(b, 1, 1);
    kn_idiv(a, 2);
    expect_error("TypeError", "idiv: Cannot cast ufunc 'divide' output from dtype('float64') to dtype('int64') with "
                              "casting rule 'same_kind'");
    kn_iadd(b, 1);
    expect_error("TypeError", "iadd: Cannot cast ufunc 'add' output from dtype('int64') to dtype('bool') with casting "
                              "rule 'same_kind'");
    kn_iadd(kn_of(int64_t, 1, 2, 3), grid(2, 3));
    expect_error("ValueError",
                 "iadd: non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)");
    kn_iadd(kn_of(int64_t, 1, 2, 3), a);
    expect_error("ValueError", "iadd: operands could not be broadcast together with shapes (3,) (2,) (3,)");
    kn_ipow(a, -1);
    expect_error("ValueError", "ipow: Integers to negative integer powers are not allowed.");
    kn_iadd(kn_of(uint8_t, 1), 300);
    expect_error("OverflowError", "iadd: integer 300 out of bounds for uint8");
    expect_values(a, (441 & 0xff) ^ 0x101, (441 & 0xff) ^ 0x101);
}

static void once_for_each_place_or_again_and_again(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(3), .dtype = KN_I64), i = kn_of(int64_t, 0, 2, 0, -1);
    kn_iadd_at(a, 5, "%", i);
    expect_values(a, 5, 0, 5);
    kn_ufunc_at(kn_ufunc_add, a, kn_of(int64_t, 1, 2, 3, 4), "%", i);
    expect_values(a, 9, 0, 11);
    kn_ufunc_at(kn_ufunc_subtract, a, 1, "%", i);
    expect_values(a, 7, 0, 9);
    kn_ufunc_at(kn_ufunc_multiply, a, 2, "%", i);
    expect_values(a, 28, 0, 36);
    kn_ufunc_at(kn_ufunc_maximum, a, kn_of(int64_t, 30, 1, 29, 2), "%", i);
    kn_ufunc_at(kn_ufunc_minimum, a, kn_of(int64_t, 99, 40, 98, 35), "%", i);
    expect_values(a, 30, 0, 35);
    kn_ufunc_at(kn_ufunc_power, a, 2, "1:");
    kn_ufunc_at(kn_ufunc_bitwise_xor, a, 1, "%", kn_equal(a, 0));
    expect_values(a, 30, 1, 1225);
    kn_ufunc_at(kn_ufunc_power, a, kn_of(int64_t, 1, 2, 2, 1), "%", i);
    expect_values(a, 900, 1, 1225 * 1225);
    kn_ufunc_at(kn_ufunc_power, a, kn_of(int64_t, 1, 2, -2, 1), "%", i);
    expect_error("ValueError", "ufunc_at: Integers to negative integer powers are not allowed.");
    kn_ufunc_at(kn_ufunc_floor_divide, a, kn_of(int64_t, 7, 1000, 10, 2), "%", i);
    expect_values(a, 12, 1, 750);
    kn_ufunc_at(kn_ufunc_add, a, 0.5, "%", i); /* each sum is converted, as in NumPy */
    expect_values(a, 12, 1, 750);
    kn_ufunc_at(kn_ufunc_add, a, 1.75, "%", kn_of(int64_t, 1, 1, 1));
    expect_values(a, 12, 4, 750);
    kn_array x = kn_zeros(KN_SHAPE(2, 2));
    kn_ufunc_at(kn_ufunc_add, kn_transpose(x), kn_of(double, 1, 2), "%", kn_of(int64_t, 1, 1));
    expect_values(x, 0, 2, 0, 4);
}

/* Every result is converted to the array's dtype before the next one. Source: NumPy 2.4. */
static void results_are_rounded_one_by_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1.1f, 2.3f), v = kn_of(double, 1.1, 2.3, .7, .13, 1 / 3.0, 2 / 3.0);
    kn_ufunc_at(kn_ufunc_multiply, x, v, "%", kn_zeros(KN_SHAPE(6), .dtype = KN_I64));
    expect_values(x, 0x1.cd0872p-5, 2.3f);
    kn_array sum = kn_of(float, 1e8f, 0);
    kn_ufunc_at(kn_ufunc_subtract, sum, kn_of(double, 1, 1, 1, 1, -5), "%", kn_of(int64_t, 0, 0, 0, 0, 1));
    expect_values(sum, 1e8f, 5);
    kn_array small = kn_of(int8_t, 3, 7);
    kn_ufunc_at(kn_ufunc_maximum, small, kn_of(int64_t, 200, 5, 4), "%", kn_of(int64_t, 0, 0, 1));
    expect_values(small, 5, 7);
    kn_ufunc_at(kn_ufunc_add, small, kn_of(int64_t, 200, 100, 4), "%", kn_of(int64_t, 0, 0, 1));
    expect_values(small, 49, 11);
}

/* Rows, columns, and axes between the points' and behind them. */
static void rows_that_repeat_are_rounded_one_by_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_full(KN_SHAPE(2, 3), 1e8, .dtype = KN_F32), two = kn_of(int64_t, 1, 1);
    kn_ufunc_at(kn_ufunc_add, x, kn_full(KN_SHAPE(2, 3), 3., .dtype = KN_F64), "%", two);
    expect_values(x, 1e8, 1e8, 1e8, 1e8, 1e8, 1e8);
    kn_ufunc_at(kn_ufunc_add, x, kn_full(KN_SHAPE(2, 2), 5., .dtype = KN_F64), ":, %", two);
    expect_values(x, 1e8, 1e8 + 16, 1e8, 1e8, 1e8 + 16, 1e8);
    kn_array v = kn_mul(kn_sub(kn_mod(kn_arange(0, 24, 1, .dtype = KN_F64), 7), 2), 2.5);
    kn_array y = kn_full(KN_SHAPE(2, 3, 2), 1e8, .dtype = KN_F32), i = kn_of(int64_t, 0, 0, 2, 1, 1, 0);
    kn_ufunc_at(kn_ufunc_add, y, kn_reshape(v, KN_SHAPE(2, 1, 2, 3, 2)), ":, None, %", kn_reshape(i, KN_SHAPE(2, 3)));
    expect_values(kn_sub(y, 1e8), -8, 8, 8, -8, 8, 8, 0, 8, 16, 0, 0, 0);
    y = kn_full(KN_SHAPE(2, 3, 2), 1e8, .dtype = KN_F32);
    kn_ufunc_at(kn_ufunc_add, y, kn_reshape(kn_at(v, ":12"), KN_SHAPE(4, 3)), "%, :, %", kn_of(int64_t, 0, 0, 1, 0),
                kn_of(int64_t, 1, 1, 0, 1));
    expect_values(kn_sub(y, 1e8), 0, -8, 0, 8, 0, 16, 8, 0, -8, 0, 0, 0);
    const char *const index[] = {"%", "%, :2", ":1, %", "..., %"};
    for (int k = 0; k < 4; k++) {
        kn_ufunc_at(kn_ufunc_add, y, kn_ones(KN_SHAPE(3)), index[k], kn_of(int64_t, 0, 1));
        expect_error("ValueError", "ufunc_at: array is not broadcastable to correct shape");
    }
    kn_ufunc_at(kn_ufunc_add, y, kn_of(double, 1), "%", kn_of(int64_t, 0, 2));
    expect_error("IndexError", "ufunc_at: index 2 is out of bounds for axis 0 with size 2");
    kn_ufunc_at(kn_ufunc_add, y, kn_of(double, 1), "%", kn_zeros(KN_SHAPE(0), .dtype = KN_I64));
    expect_values(kn_sub(y, 1e8), 0, -8, 0, 8, 0, 16, 8, 0, -8, 0, 0, 0);
}

static void fill_and_copyto(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(2, 2));
    kn_fill(a, 3);
    kn_copyto(a, kn_of(int64_t, 1, 2), .where = kn_of(bool, true, false));
    expect_values(a, 1, 3, 1, 3);
    kn_copyto(kn_of(int64_t, 1), kn_of(double, 1));
    expect_error("TypeError", "copyto: Cannot cast array data from dtype('float64') to dtype('int64') according to the "
                              "rule 'same_kind'");
    kn_copyto(kn_of(int64_t, 1), kn_of(double, 1), .casting = "unsafe");
    kn_copyto(a, kn_of(int64_t, 1, 2, 3));
    expect_error("ValueError", "copyto: could not broadcast input array from shape (3,) into shape (2,2)");
}

/* ---- Order. */

static void right_sides_are_as_if_copied_first(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 5, 1);
    kn_set_at(a, kn_at(a, ":-1"), "1:");
    expect_values(a, 0, 0, 1, 2, 3);
    kn_set_at(a, kn_at(a, "::-1"), "...");
    expect_values(a, 3, 2, 1, 0, 0);
    kn_iadd(kn_at(a, "1:"), kn_at(a, ":-1"));
    expect_values(a, 3, 5, 3, 1, 0);
    kn_array m = grid(3, 3);
    kn_iadd(m, kn_transpose(m));
    expect_values(m, 0, 4, 8, 4, 8, 12, 8, 12, 16);
    kn_set_at(m, m, "%", kn_of(int64_t, 2, 0, 1));
    expect_values(m, 4, 8, 12, 8, 12, 16, 0, 4, 8);
}

static void readers_of_the_old_value_keep_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 4, 1), waits = kn_mul(a, 10), copy = kn_copy(a), element = kn_at(a, "1");
    kn_array view = kn_at(a, "2:"), of_view = kn_add(view, 100);
    kn_set_at(a, 7, "1:3");
    kn_array later = kn_mul(a, 10);
    kn_set_at(view, 8, "1");
    expect_values(later, 0, 70, 70, 30);
    expect_values(a, 0, 7, 7, 8);
    expect_values(waits, 0, 10, 20, 30);
    expect_values(copy, 0, 1, 2, 3);
    expect_values(element, 1);
    expect_values(of_view, 102, 103);
    expect_values(view, 7, 8);
}

static void what_shares_a_value_does_not_share_writes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 3, 1), b = kn_zeros(KN_SHAPE(3), .dtype = KN_I64);
    kn_set_at(b, a, "..."); /* the same immutable value in two storages */
    kn_set_at(a, 9, "0");
    kn_set_at(b, 8, "1");
    expect_values(a, 9, 1, 2);
    expect_values(b, 0, 8, 2);
    kn_array list = kn_stack(KN_LIST(a, b));
    kn_fill(a, 0);
    expect_values(list, 9, 1, 2, 0, 8, 2);
}

/* ---- No copies. */

static int copies;
static void hear_copies(void *env, int level, const char *text)
{
    (void)env, (void)level;
    copies += !strncmp(text, "copy", 4);
}
static void listen_to_copies(void)
{
    copies = 0;
    kn_set_log(hear_copies, NULL);
    kn_set_debug(1);
}
static void stop_listening(void)
{
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
}

static void many_writes_make_no_copy(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 10000000, WRITES = 10000 };
    kn_array a = kn_zeros(KN_SHAPE(N)), t = kn_transpose(kn_reshape(a, KN_SHAPE(1000, N / 1000)));
    kn_eval(a);
    listen_to_copies();
    double sum = 0;
    uint64_t plans = 0;
    for (int i = 0; i < WRITES; i++) {
        KN_SCOPE;
        if (i == 16)
            plans = kn_cache_stats().plans.misses;
        switch (i % 4) {
        case 0: kn_set_at(a, i, "%", (int64_t)i * 997); break;
        case 1: kn_iadd_at(a, i, "%", (int64_t)(i - 1) * 997); break;
        case 2: kn_set_at(t, i, "%, %", i % 1000, i % 500); break;
        case 3: kn_ufunc_at(kn_ufunc_add, a, 1, "%", kn_of(int64_t, (int64_t)(i - 3) * 997)); break;
        }
        sum += kn_item(kn_at(a, "%", (int64_t)(i - i % 4) * 997));
        sum += kn_item(kn_at(t, "%, %", i % 1000, i % 500));
        sum += kn_item(kn_sum(kn_at(t, "%:%, %", i % 900, i % 900 + 10, i % 500)));
    }
    stop_listening();
    assert_int_equal(kn_cache_stats().plans.misses, plans);
    assert_int_equal(copies, 0);
    assert_true(sum > 0);
}

static void writes_that_wait_make_no_copy_either(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 1000, 1), t = kn_at(a, "::-1"), seen[20];
    kn_eval(a);
    listen_to_copies();
    for (int i = 0; i < 20; i++) { /* each reader reads its own version */
        kn_set_at(t, -i, "%", i);
        seen[i] = kn_sum(kn_at(t, ":%", i + 1));
    }
    expect_values(kn_at(a, "999"), 0);
    stop_listening();
    for (int i = 0; i < 20; i++)
        assert_int_equal(kn_item_int(seen[i]), -i * (i + 1) / 2);
    assert_int_equal(copies, 0);
}

/* ---- Under transformations. */

static kn_array mixed(const kn_array *x)
{
    kn_array y = kn_copy(*x), t = kn_transpose(y), own = kn_of(double, 1, 2, 3);
    kn_set_at(t, kn_mul(kn_at(y, "0"), 2), "::-1, 1");
    kn_imul(kn_at(y, ":, ::2"), kn_at(y, ":, 1:2"));
    kn_set_at(own, kn_sum(y), "1");
    kn_iadd_at(y, kn_at(own, "1"), "%", kn_greater(y, 4));
    kn_ufunc_at(kn_ufunc_add, y, own, "%", kn_of(int64_t, 1, 1));
    kn_array zero = kn_scalar(0.0);
    kn_iadd(zero, kn_sum(kn_mul(y, y)));
    return kn_add(kn_sum(kn_ravel(t)), zero);
}
KN_FUNCTION(mixed, kn_array, kn_array)

static void transformations_are_as_eager(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_from(((double[]){0.5, 1.5, -2, 1, 3, 0.25}), KN_SHAPE(2, 3)), y, g, h, jit_y;
    kn_array eager = mixed(&x);
    kn_call(kn_jit(KN_FN(mixed)), &jit_y, &x);
    assert_true(kn_item(eager) == kn_item(jit_y));
    kn_call(kn_value_and_grad(KN_FN(mixed)), KN_OUT(&y, &g), &x);
    kn_call(kn_jit(kn_grad(KN_FN(mixed))), &h, &x);
    assert_true(kn_array_equal(g, h));
    for (int i = 0; i < 6; i++) { /* against differences */
        kn_array up = kn_copy(x), down = kn_copy(x);
        kn_iadd_at(up, 1e-5, "%, %", i / 3, i % 3);
        kn_isub_at(down, 1e-5, "%, %", i / 3, i % 3);
        double slope = (kn_item(mixed(&up)) - kn_item(mixed(&down))) / 2e-5;
        assert_true(fabs(slope - kn_item(kn_at(g, "%, %", i / 3, i % 3))) < 1e-3 * (1 + fabs(slope)));
    }
    kn_array batch = kn_stack(KN_LIST(x, kn_mul(x, 2), kn_neg(x))), all, all_g;
    kn_call(kn_vmap(KN_FN(mixed)), &all, &batch);
    kn_call(kn_vmap(kn_grad(KN_FN(mixed))), &all_g, &batch);
    for (int i = 0; i < 3; i++) {
        kn_array one = kn_at(batch, "%", i), one_g;
        assert_true(kn_allclose(kn_at(all, "%", i), mixed(&one), .rtol = 1e-14));
        kn_call(kn_grad(KN_FN(mixed)), &one_g, &one);
        assert_true(kn_allclose(kn_at(all_g, "%", i), one_g, .rtol = 1e-13));
    }
}

static kn_array by_index(const kn_array *x, const kn_array *i)
{
    kn_array y = kn_copy(*x);
    kn_set_at(y, 5, "%", *i);
    kn_iadd_at(y, 1, "%", *i);
    return y;
}
KN_FUNCTION(by_index, kn_array, kn_array, kn_array)

static void traced_positions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = grid(2, 3), i = kn_of(int64_t, 2, -3), y;
    kn_call(kn_jit(kn_vmap(KN_FN(by_index))), &y, &x, &i);
    expect_values(y, 0, 1, 6, 6, 4, 5);
    kn_array one = kn_at(x, "0"), far = kn_scalar((int64_t)3);
    kn_call(kn_jit(KN_FN(by_index)), &y, &one, &far);
    assert_false(kn_ok(y));
    expect_error("IndexError", "by_index: index 3 is out of bounds for axis 0 with size 3");
}

static kn_array outer_array;
static kn_array writes_outside(const kn_array *x)
{
    kn_set_at(outer_array, kn_at(*x, "0"), "0");
    return kn_sum(outer_array);
}
KN_FUNCTION(writes_outside, kn_array, kn_array)
static kn_array writes_argument(const kn_array *x, const kn_array *y)
{
    kn_iadd(kn_at(*y, "1:"), 1);
    return kn_add(*x, *y);
}
KN_FUNCTION(writes_argument, kn_array, kn_array, kn_array)
static kn_array writes_result_of_positive(const kn_array *x)
{
    kn_array y = kn_positive(*x); /* a copy, though nothing is computed */
    kn_set_at(y, 9, "0");
    return kn_sum(y);
}
KN_FUNCTION(writes_result_of_positive, kn_array, kn_array)

static kn_array writes_view_of_number(const kn_array *x)
{
    kn_array y = kn_expand_dims(2.5, KN_AXIS(0)), z = kn_broadcast_to(y, KN_SHAPE(2));
    kn_fill(y, 4);
    return kn_add(kn_add(*x, z), y);
}
KN_FUNCTION(writes_view_of_number, kn_array, kn_array)

static void what_is_made_of_a_number_is_the_functions_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(writes_view_of_number), &y, &x);
    expect_values(y, 9, 10);
    kn_call(kn_jit(KN_FN(writes_view_of_number)), &y, &x);
    expect_values(y, 9, 10);
}

static void arrays_of_the_caller_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    outer_array = kn_of(double, 3, 4);
    kn_call(kn_jit(KN_FN(writes_outside)), &y, &x);
    assert_false(kn_ok(y));
    expect_error("MutationError", "writes_outside: write to an array from outside (float64[2]) under jit: the caller "
                                  "would see it; copy it first with kn_copy");
    kn_call(kn_grad(KN_FN(writes_outside)), &y, &x);
    expect_error_with("MutationError", "write to an array from outside (float64[2]) under grad");
    expect_values(outer_array, 3, 4);
    kn_call(kn_vmap(KN_FN(writes_argument)), &y, &x, &x);
    expect_error_with("IndexError", "too many indices");
    kn_array rows = grid(2, 2);
    kn_call(kn_vmap(KN_FN(writes_argument)), &y, &rows, &rows);
    expect_error("MutationError", "writes_argument: write to argument 1 (int64[2]) under vmap: the caller would see "
                                  "it; copy it first with kn_copy");
    expect_values(rows, 0, 1, 2, 3);
    kn_call(KN_FN(writes_argument), &y, &x, &x); /* no transformation: an ordinary call */
    expect_values(x, 1, 3);
    kn_call(kn_jit(KN_FN(writes_result_of_positive)), &y, &x);
    expect_values(y, 12);
}

static void errors_leave_the_array_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_arange(0, 3, 1), bad = kn_reshape(a, KN_SHAPE(2));
    kn_error_clear();
    assert_int_equal(kn_set_at(a, bad, "0"), -1);
    assert_false(kn_error_pending()); /* it was reported when it happened */
    expect_values(a, 0, 1, 2);
    assert_int_equal(kn_set_at(bad, 1, "0"), -1);
    assert_int_equal(kn_iadd(a, KN_NONE), -1);
    expect_error_with("TypeError", "iadd: ");
    expect_values(a, 0, 1, 2);
}

static void without_laziness_it_is_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(100000));
    bool lazy = kn_set_lazy(false);
    kn_array view = kn_at(a, "1:5");
    listen_to_copies();
    kn_iadd(view, 1);
    kn_set_at(a, 7, "%", kn_of(int64_t, 0, 3));
    stop_listening();
    kn_set_lazy(lazy);
    expect_values(kn_at(a, ":6"), 7, 1, 1, 7, 1, 0);
}

static void positions_of_every_integer_dtype_are_checked(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_I8, KN_I16, KN_I32, KN_I64, KN_U8, KN_U16, KN_U32, KN_U64};
    for (int i = 0; i < 8; i++) {
        KN_SCOPE;
        kn_array a = kn_zeros(KN_SHAPE(100));
        kn_set_at(a, 1, "%", kn_astype(kn_of(int64_t, 0, 99), dtypes[i]));
        expect_values(kn_sum(a), 2);
        kn_set_at(a, 5, "%", kn_astype(kn_of(int64_t, 0, 100, 7), dtypes[i]));
        expect_error("IndexError", "set_at: index 100 is out of bounds for axis 0 with size 100");
        if (i < 4) {
            kn_set_at(a, 1, "%", kn_astype(kn_of(int64_t, -100, -99), dtypes[i]));
            expect_values(kn_sum(a), 3);
            kn_set_at(a, 5, "%", kn_astype(kn_of(int64_t, -101, 3), dtypes[i]));
            expect_error("IndexError", "set_at: index -101 is out of bounds for axis 0 with size 100");
        }
    }
}

KN_TEST_GROUP(test_writes)
{
    const struct CMUnitTest tests[] = {
        TEST(through_every_kind_of_view),
        TEST(values_are_cast_and_spread),
        TEST(masks),
        TEST(a_number_with_more_axes_than_a_mask_gives),
        TEST(index_arrays),
        TEST(operators_in_place),
        TEST(once_for_each_place_or_again_and_again),
        TEST(results_are_rounded_one_by_one),
        TEST(rows_that_repeat_are_rounded_one_by_one),
        TEST(fill_and_copyto),
        TEST(right_sides_are_as_if_copied_first),
        TEST(readers_of_the_old_value_keep_it),
        TEST(what_shares_a_value_does_not_share_writes),
        TEST(many_writes_make_no_copy),
        TEST(writes_that_wait_make_no_copy_either),
        TEST(transformations_are_as_eager),
        TEST(traced_positions),
        TEST(what_is_made_of_a_number_is_the_functions_own),
        TEST(arrays_of_the_caller_are_refused),
        TEST(errors_leave_the_array_alone),
        TEST(without_laziness_it_is_the_same),
        TEST(positions_of_every_integer_dtype_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
