/* SPDX-License-Identifier: Apache-2.0
 * test_pointers.c -- pointers into arrays: what readers, copies and writers see, and how they are refused. */
#include "support/expect.h"
#include "support/group.h"

static kn_array same(const kn_array *x) { return *x; }
KN_FUNCTION(same, kn_array, kn_array)

/* ---- kn_data. */

static void a_pointer_sees_later_writes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    const double *p = kn_data(x, double);
    kn_set_at(x, 10, "0");
    kn_eval(x);
    assert_true(p[0] == 10 && p[2] == 3);
    kn_set_at(x, 20, "1");
    assert_ptr_equal(kn_data(x, double), p);
    assert_true(p[1] == 20);
    kn_set_at(x, 7, "...");
    expect_values(x, 7, 7, 7);
    assert_true(p[0] == 7);
}

static void readers_recorded_before_a_write_keep_the_old_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    const double *p = kn_data(x, double);
    kn_array before = kn_mul(x, 2), sum = kn_sum(x);
    kn_set_at(x, 10, "0");
    kn_array after = kn_mul(x, 2);
    kn_eval(x);
    assert_true(p[0] == 10);
    expect_values(before, 2, 4, 6);
    expect_values(sum, 6);
    expect_values(after, 20, 4, 6);
}

static void those_who_share_the_elements_keep_the_old_ones(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), through;
    const double *p = kn_data(x, double);
    kn_array copy = kn_copy(x), flat = kn_copy(kn_reshape(x, KN_SHAPE(3, 1)));
    kn_call(kn_jit(KN_FN(same)), &through, &x);
    kn_eval(flat);
    for (int i = 0; i < 3; i++) {
        kn_set_at(x, 100 + i, "0");
        kn_eval(x);
        assert_true(p[0] == 100 + i);
    }
    expect_values(copy, 1, 2, 3);
    expect_values(flat, 1, 2, 3);
    expect_values(through, 1, 2, 3);
    expect_values(x, 102, 2, 3);
}

static void a_copy_never_writes_to_the_memory_it_came_from(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    const double *p = kn_data(x, double);
    kn_array copy = kn_copy(x);
    kn_set_at(x, 10, "0"); /* not run yet */
    kn_set_at(copy, 50, "1");
    expect_values(copy, 1, 50, 3);
    assert_true(p[1] == 2);
    kn_array middle = kn_copy(x);
    kn_set_at(x, 20, "2");
    kn_set_at(middle, 60, "1");
    expect_values(middle, 10, 60, 3);
    assert_true(p[1] == 2);
    expect_values(x, 10, 2, 20);
    expect_values(middle, 10, 60, 3);
    expect_values(copy, 1, 50, 3);
    assert_true(p[0] == 10 && p[1] == 2 && p[2] == 20);
}

static void results_that_alias_the_new_value_are_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3, 4);
    const double *p = kn_data(x, double);
    kn_set_at(x, 10, "0");
    kn_array square = kn_keep(kn_copy(kn_reshape(x, KN_SHAPE(2, 2)))), again = kn_copy(x);
    kn_eval(x);
    kn_eval(square);
    kn_set_at(x, 20, "0");
    kn_eval(x);
    assert_true(p[0] == 20);
    expect_values(square, 10, 2, 3, 4);
    expect_values(again, 10, 2, 3, 4);
    kn_release(square);
}

static void assigning_another_array_copies_its_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y = kn_of(double, 4, 5, 6), z = kn_mul(y, 2);
    const double *p = kn_data(x, double), *q = kn_data(y, double);
    kn_set_at(x, y, "...");
    assert_ptr_equal(kn_data(x, double), p);
    assert_true(p[2] == 6);
    kn_set_at(y, 50, "1");
    kn_set_at(x, y, "...");
    kn_set_at(y, 60, "1");
    expect_values(x, 4, 50, 6);
    expect_values(y, 4, 60, 6);
    assert_true(p[1] == 50 && q[1] == 60);
    kn_set_at(x, z, "..."); /* pending, and somebody else's */
    kn_set_at(z, 0, "0");
    expect_values(x, 8, 10, 12);
    expect_values(z, 0, 10, 12);
    kn_set_at(x, x, "...");
    kn_set_at(x, -1, "0");
    kn_set_at(x, x, "...");
    expect_values(x, -1, 10, 12);
    assert_true(p[0] == -1);
}

static void an_old_copy_can_be_assigned_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    const double *p = kn_data(x, double);
    kn_array old = kn_copy(x);
    kn_set_at(x, 10, "0");
    kn_set_at(x, old, "...");
    expect_values(x, 1, 2, 3);
    kn_set_at(x, 10, "0");
    kn_eval(x);
    kn_set_at(x, old, "...");
    expect_values(x, 1, 2, 3);
    expect_values(old, 1, 2, 3);
    assert_true(p[0] == 1);
}

static void the_pointer_of_a_contiguous_view_is_into_its_base(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3)), row = kn_at(x, "1");
    const double *p = kn_data(row, double);
    assert_ptr_equal(kn_data(x, double) + 3, p);
    kn_set_at(x, 9, "1, 0");
    kn_eval(x);
    assert_true(p[0] == 9);
    kn_set_at(row, 8, "2");
    expect_values(x, 0, 1, 2, 9, 4, 8);
    assert_true(p[2] == 8);
}

static void other_views_have_a_copy_that_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3)), column = kn_at(x, ":, 1");
    const double *p = kn_data(column, double);
    assert_true(p[0] == 1 && p[1] == 4);
    kn_set_at(x, 40, "1, 1");
    assert_ptr_equal(kn_data(column, double), p);
    assert_true(p[1] == 40);
}

static void a_number_has_a_pointer_and_stays_a_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array two = kn_num(2);
    assert_true(*kn_data(two, int64_t) == 2);
    assert_ptr_equal(kn_dtype_of(kn_add(two, kn_of(float, 1))), KN_F32);
    kn_array half = kn_scalar(0.5f);
    assert_true(*kn_data(half, float) == 0.5f);
}

static void a_pointer_survives_its_copies_and_readers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array copy, later;
    {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2, 3);
        kn_data(x, double);
        copy = kn_keep(kn_copy(x));
        later = kn_keep(kn_add(x, 1));
    } /* the storage goes first, then the value */
    kn_set_at(copy, 5, "0");
    expect_values(copy, 5, 2, 3);
    expect_values(later, 2, 3, 4);
}

static kn_array with_outer(const kn_array *captured, const kn_array *y) { return kn_add(*captured, *y); }
KN_CLOSURE(with_outer, kn_array, kn_array, kn_array)

static kn_array *outer;
static kn_array uses_outer(const kn_array *y) { return kn_add(*outer, *y); }
KN_FUNCTION(uses_outer, kn_array, kn_array)

static void constants_of_a_trace_keep_what_they_had(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_of(double, 0, 0), r, s;
    outer = &x;
    const double *p = kn_data(x, double);
    kn_fn f = kn_jit(KN_FN(uses_outer));
    kn_call(f, &r, &y);
    kn_set_at(x, 10, "0");
    kn_eval(x);
    assert_true(p[0] == 10);
    kn_call(f, &s, &y);
    expect_values(r, 1, 2);
    expect_values(s, 1, 2);
    kn_call(kn_jit(KN_CLOSE(with_outer, &x)), &s, &y);
    expect_values(s, 10, 2);
}

/* ---- kn_data_mut, kn_copy_from. */

static void what_is_written_through_a_pointer_is_seen_later(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), copy = kn_copy(x), view = kn_at(x, "1:"), before = kn_mul(x, 2);
    expect_values(view, 2, 3);
    double *p = kn_data_mut(x, double);
    p[1] = 20;
    expect_values(x, 1, 20, 3);
    expect_values(view, 20, 3);
    expect_values(copy, 1, 2, 3);
    expect_values(before, 2, 4, 6);
    kn_array second = kn_copy(x), reader = kn_add(x, 1);
    assert_ptr_equal(kn_data_mut(x, double), p);
    p[1] = 200;
    expect_values(second, 1, 20, 3);
    expect_values(reader, 2, 21, 4);
    expect_values(kn_add(x, 1), 2, 201, 4);
    kn_set_at(view, 5, "0");
    assert_ptr_equal(kn_data(x, double), p);
    assert_true(p[1] == 5);
}

static void a_row_can_be_written_through_a_pointer(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 2)), row = kn_at(x, "1");
    kn_data_mut(row, double)[1] = 3;
    expect_values(x, 0, 0, 0, 3);
}

static void elements_can_be_copied_in(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 2)), column = kn_at(x, ":, 0");
    const double two[] = {5, 6};
    assert_int_equal(kn_copy_from(column, two, sizeof two), 0);
    expect_values(x, 5, 0, 6, 0);
    const double *p = kn_data(x, double);
    assert_int_equal(kn_copy_from(kn_at(x, "1"), two, sizeof two), 0);
    expect_values(x, 5, 0, 5, 6);
    assert_true(p[3] == 6);
    assert_int_equal(kn_copy_from(x, two, sizeof two), -1);
    expect_error("ValueError", "copy_from: the array has 32 bytes, 16 were given");
    assert_int_equal(kn_copy_from(column, NULL, sizeof two), -1);
    expect_error("TypeError", "copy_from: null memory");
}

static void pointers_are_refused_with_a_reason(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 2));
    assert_null(kn_data(x, float));
    expect_error("TypeError", "data: the array has dtype float64, not float32");
    assert_null(kn_data_mut(x, float));
    expect_error("TypeError", "data_mut: the array has dtype float64, not float32");
    assert_null(kn_data_mut(kn_at(x, ":, 0"), double));
    expect_error("ValueError", "data_mut: the array is not C-contiguous; copy it, or write with kn_copy_from");
    assert_null(kn_data_mut(kn_broadcast_to(x, KN_SHAPE(2, 2, 2)), double));
    expect_error("ValueError", "data_mut: assignment destination is read-only");
    assert_null(kn_data(KN_NONE, double));
    expect_error("TypeError", "data: null array");
}

static kn_array points(const kn_array *x)
{
    if (kn_data_mut(*x, double))
        return kn_num(0);
    return kn_sum(*x);
}
KN_FUNCTION(points, kn_array, kn_array)

static kn_array looks(const kn_array *x)
{
    const double *p = kn_data(*x, double);
    return p && p[0] > 1 ? kn_square(*x) : *x;
}
KN_FUNCTION(looks, kn_array, kn_array)

static kn_array looks_at_two(const kn_array *x)
{
    kn_array y = kn_copy(*x);
    kn_set_at(y, 3, "0");
    const double *p = kn_data(y, double);
    bool three = p && p[0] == 3;
    kn_set_at(y, 4, "0");
    return three && kn_data(y, double) == p && p[0] == 4 ? kn_sum(kn_mul(*x, y)) : kn_sum(*x);
}
KN_FUNCTION(looks_at_two, kn_array, kn_array)

/* Whoever clears the error knows that there is no value, and goes on without it. */
static kn_array does_without(const kn_array *x)
{
    bool known = kn_data(*x, double);
    kn_error_clear();
    return known ? kn_mul(*x, 100) : kn_mul(*x, 2);
}
KN_FUNCTION(does_without, kn_array, kn_array)

static void a_look_that_was_refused_can_be_forgiven(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, 3), r;
    kn_call(kn_jit(KN_FN(does_without)), &r, &x);
    expect_values(r, 4, 6);
    assert_true(kn_ok(r));
}

static void traced_arrays_have_no_memory_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, 3), r;
    kn_call(kn_jit(KN_FN(points)), &r, &x);
    expect_error_with("MutationError", "write to argument 0 (float64[2]) under jit");
    kn_call(kn_jit(KN_FN(looks)), &r, &x);
    expect_error_with("ConcretizationError", "the value of float64[2] is not known while looks is traced by jit");
    kn_call(kn_grad(KN_FN(looks_at_two)), &r, &x); /* values are known under grad */
    expect_values(r, 4, 6);
}

KN_TEST_GROUP(test_pointers)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pointer_sees_later_writes),
        TEST(readers_recorded_before_a_write_keep_the_old_elements),
        TEST(those_who_share_the_elements_keep_the_old_ones),
        TEST(a_copy_never_writes_to_the_memory_it_came_from),
        TEST(results_that_alias_the_new_value_are_their_own),
        TEST(assigning_another_array_copies_its_elements),
        TEST(an_old_copy_can_be_assigned_back),
        TEST(the_pointer_of_a_contiguous_view_is_into_its_base),
        TEST(other_views_have_a_copy_that_stays),
        TEST(a_number_has_a_pointer_and_stays_a_number),
        TEST(a_pointer_survives_its_copies_and_readers),
        TEST(constants_of_a_trace_keep_what_they_had),
        TEST(what_is_written_through_a_pointer_is_seen_later),
        TEST(a_row_can_be_written_through_a_pointer),
        TEST(elements_can_be_copied_in),
        TEST(pointers_are_refused_with_a_reason),
        TEST(traced_arrays_have_no_memory_of_their_own),
        TEST(a_look_that_was_refused_can_be_forgiven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
