/* SPDX-License-Identifier: Apache-2.0
 * test_flags.c -- strides, flags, sizes, shared memory and read-only arrays. */
#include "support/expect.h"
#include "support/group.h"

/* ---- Strides, flags, shared memory. */

static void strides_and_flags_are_numpys(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 24, 1, .dtype = KN_F32), KN_SHAPE(2, 3, 4));
    kn_strides s = kn_strides_of(kn_transpose(x));
    assert_true(s.ndim == 3 && s.stride[0] == 4 && s.stride[1] == 16 && s.stride[2] == 48);
    s = kn_strides_of(kn_at(x, "1, ::-2"));
    assert_true(s.ndim == 2 && s.stride[0] == -32 && s.stride[1] == 4);
    kn_flags f = kn_flags_of(kn_copy(x));
    assert_true(f.c_contiguous && !f.f_contiguous && f.owndata && f.writeable);
    f = kn_flags_of(kn_transpose(x));
    assert_true(!f.c_contiguous && f.f_contiguous && !f.owndata && f.writeable);
    f = kn_flags_of(kn_broadcast_to(kn_num(1), KN_SHAPE(2, 2)));
    assert_true(!f.c_contiguous && !f.f_contiguous && !f.owndata && !f.writeable);
    f = kn_flags_of(kn_scalar(1));
    assert_true(f.c_contiguous && f.f_contiguous && f.owndata);
    double memory[2] = {0};
    f = kn_flags_of(kn_wrap(memory, KN_SHAPE(2), KN_F64));
    assert_true(f.c_contiguous && !f.owndata && f.writeable);
    assert_int_equal(kn_strides_of(KN_NONE).ndim, -1);
    expect_error("TypeError", "strides: null array");
}

static void sizes_in_bytes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(3, 5), .dtype = KN_F16);
    assert_int_equal(kn_itemsize(x), 2);
    assert_int_equal(kn_nbytes(x), 30);
    assert_int_equal(kn_nbytes(kn_broadcast_to(kn_at(x, "0, 0"), KN_SHAPE(4, 4))), 32);
    assert_int_equal(kn_nbytes(kn_zeros(KN_SHAPE(0, 3))), 0);
    assert_int_equal(kn_itemsize(kn_zeros(KN_SHAPE(2), .dtype = KN_C128)), 16);
    assert_int_equal(kn_nbytes(7), 8);
    assert_int_equal(kn_nbytes(KN_NONE), -1);
    expect_error("TypeError", "nbytes: null array");
}

static void items_have_indices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), t = kn_transpose(x);
    assert_true(kn_item(x, 1, 2) == 5 && kn_item(x, -1, 0) == 3 && kn_item(x, 4) == 4 && kn_item(x, -6) == 0);
    assert_true(kn_item(t, 2, 1) == 5 && kn_item(t, 1) == 3 && kn_item_int(t, 0, 1) == 3 && kn_item_bool(x, 0, 1));
    assert_true(kn_item_complex(kn_mul(x, kn_num(__extension__ 1.0i)), 5).im == 5);
    assert_true(kn_item(kn_scalar(7), 0) == 7 && kn_item(kn_at(x, "0, 1")) == 1);
    assert_true(isnan(kn_item(x, 6)));
    expect_error("IndexError", "item: index 6 is out of bounds for size 6");
    assert_true(isnan(kn_item(x, 0, 3)));
    expect_error("IndexError", "item: index 3 is out of bounds for axis 1 with size 3");
    assert_int_equal(kn_item_int(kn_at(x, "0"), -4), 0);
    expect_error("IndexError", "item_int: index -4 is out of bounds for axis 0 with size 3");
    assert_true(isnan(kn_item(x, 0, 0, 0)));
    expect_error("ValueError", "item: incorrect number of indices for array");
}

/* ---- Read-only arrays. */

static void read_only_arrays_refuse_writes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 6, 1), before = kn_at(x, "1:3");
    assert_int_equal(kn_setflags(x, .write = false), 0);
    assert_false(kn_flags_of(x).writeable);
    kn_array later = kn_at(x, "2:");
    assert_false(kn_flags_of(later).writeable);
    assert_true(kn_flags_of(before).writeable); /* as in NumPy */
    assert_int_equal(kn_set_at(x, 1, "0"), -1);
    expect_error("ValueError", "set_at: assignment destination is read-only");
    assert_int_equal(kn_iadd(later, 1), -1);
    expect_error("ValueError", "iadd: output array is read-only");
    assert_int_equal(kn_fill(x, 1), -1);
    expect_error_with("ValueError", "assignment destination is read-only");
    assert_int_equal(kn_put(x, 0, 1), -1);
    expect_error_with("ValueError", "put: output array is read-only");
    assert_null(kn_data_mut(x, int64_t));
    expect_error("ValueError", "data_mut: assignment destination is read-only");
    kn_imul(before, 2);
    expect_values(x, 0, 2, 4, 3, 4, 5);
    assert_int_equal(kn_setflags(later, .write = true), -1);
    expect_error("ValueError", "setflags: cannot set WRITEABLE flag to True of this array");
    assert_int_equal(kn_setflags(x, .write = true), 0);
    kn_set_at(x, 9, "0");
    assert_int_equal(kn_setflags(later, .write = true), 0);
    kn_set_at(later, 8, "-1");
    expect_values(x, 9, 2, 4, 3, 4, 8);
    assert_int_equal(kn_setflags(x), 0); /* nothing is asked for */
    assert_true(kn_flags_of(x).writeable);
}

static void flags_that_cannot_be_set(void **state)
{
    (void)state;
    KN_SCOPE;
    double memory[2] = {1, 2};
    kn_array w = kn_wrap(memory, KN_SHAPE(2), KN_F64, .readonly = true), d = kn_diagonal(kn_eye(2));
    assert_int_equal(kn_setflags(w, .write = true), -1);
    expect_error("ValueError", "setflags: cannot set WRITEABLE flag to True of this array");
    assert_int_equal(kn_setflags(kn_broadcast_to(kn_ones(KN_SHAPE(1)), KN_SHAPE(3)), .write = true), -1);
    expect_error("ValueError", "setflags: cannot set WRITEABLE flag to True of this array");
    assert_int_equal(kn_setflags(kn_num(1), .write = false), -1);
    expect_error("TypeError", "setflags: a C number has no flags");
    assert_int_equal(kn_setflags(d, .write = true), 0); /* of an array that is writeable */
    kn_fill(d, 7);
    expect_values(d, 7, 7);
}

static kn_array locks(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2);
    kn_setflags(y, .write = false);
    kn_set_at(y, 0, "0");
    return y;
}
KN_FUNCTION(locks, kn_array, kn_array)
static kn_array unlocks(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2);
    kn_setflags(y, .write = false);
    kn_setflags(y, .write = true);
    kn_set_at(y, 0, "0");
    return y;
}
KN_FUNCTION(unlocks, kn_array, kn_array)

static void flags_count_inside_of_traces(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = NULL;
    kn_call(kn_jit(KN_FN(locks)), &y, &x);
    expect_error_with("ValueError", "assignment destination is read-only");
    kn_call(kn_jit(KN_FN(unlocks)), &y, &x);
    expect_values(y, 0, 4);
    kn_call(kn_vmap(KN_FN(unlocks)), &y, &(kn_array){kn_ones(KN_SHAPE(2, 2))});
    expect_values(y, 0, 2, 0, 2);
}

static void shared_memory_is_found_exactly(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 24, 1), KN_SHAPE(4, 6)), even = kn_at(x, ":, ::2"), odd = kn_at(x, ":, 1::2");
    assert_true(kn_shares_memory(x, x));
    assert_true(kn_shares_memory(x, odd));
    assert_false(kn_shares_memory(even, odd));
    assert_true(kn_may_share_memory(even, odd));
    assert_false(kn_may_share_memory(kn_at(x, ":2"), kn_at(x, "2:")));
    assert_false(kn_shares_memory(x, kn_copy(x)));
    assert_false(kn_shares_memory(x, kn_at(x, ":0")));
    assert_true(kn_shares_memory(kn_at(x, "::-1, ::3"), kn_at(x, "1:, 3")));
    double memory[8] = {0};
    kn_array a = kn_wrap(memory, KN_SHAPE(6), KN_F64), b = kn_wrap(memory + 4, KN_SHAPE(4), KN_F64);
    assert_true(kn_shares_memory(a, b));
    assert_false(kn_shares_memory(kn_at(a, ":4"), b));
    assert_false(kn_shares_memory(kn_at(a, "::2"), kn_at(b, "1::2")));
    kn_shares_memory(x, KN_NONE);
    expect_error("TypeError", "shares_memory: null array");
}

static void base_is_the_array_whose_memory_is_shown(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3))), view = kn_transpose(kn_at(x, ":, 1:"));
    assert_null(kn_base(x));
    expect_values(kn_base(view), 0, 1, 2, 3, 4, 5);
    assert_true(kn_flags_of(kn_base(view)).owndata && kn_shares_memory(kn_base(view), x));
    kn_set_at(kn_base(view), 9, "1, 2");
    expect_values(x, 0, 1, 2, 3, 4, 9);
    kn_array f = kn_copy(x, .order = "F"), row = kn_at(f, "1");
    kn_strides s = kn_strides_of(kn_base(row));
    assert_true(s.ndim == 2 && s.stride[0] == 8 && s.stride[1] == 16);
    expect_values(kn_base(row), 0, 1, 2, 3, 4, 9);
    assert_null(kn_base(f));
    double memory[2] = {1, 2};
    kn_array w = kn_wrap(memory, KN_SHAPE(2), KN_F64);
    assert_null(kn_base(w));
    expect_values(kn_base(kn_at(w, "1:")), 1, 2);
    assert_false(kn_flags_of(kn_base(kn_at(w, "1:"))).owndata);
    assert_null(kn_base(kn_num(3)));
    expect_no_error();
    assert_null(kn_base(KN_NONE));
    expect_error("TypeError", "base: null array");
}

static void alignment_is_a_flag_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 3, 1);
    assert_true(kn_flags_of(x).aligned);
    assert_int_equal(kn_setflags(x, .align = 0), 0);
    assert_false(kn_flags_of(x).aligned);
    assert_int_equal(kn_setflags(x, .align = 1, .uic = 0), 0);
    assert_true(kn_flags_of(x).aligned);
    assert_int_equal(kn_setflags(x, .uic = 1), -1);
    expect_error("ValueError", "setflags: cannot set WRITEBACKIFCOPY flag to True");
}

KN_TEST_GROUP(test_flags)
{
    const struct CMUnitTest tests[] = {
        TEST(strides_and_flags_are_numpys),
        TEST(sizes_in_bytes),
        TEST(items_have_indices),
        TEST(read_only_arrays_refuse_writes),
        TEST(flags_that_cannot_be_set),
        TEST(flags_count_inside_of_traces),
        TEST(shared_memory_is_found_exactly),
        TEST(base_is_the_array_whose_memory_is_shown),
        TEST(alignment_is_a_flag_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
