/* SPDX-License-Identifier: Apache-2.0
 * test_memory_face.c -- memory that Kiln and others both see: pointers into arrays, wrapped memory, DLPack, strides. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <kiln/dlpack.h>
#include <pthread.h>

static kn_array same(const kn_array *x) { return *x; }
KN_FUNCTION(same, kn_array, kn_array)

static int released;
static void *released_data;
static void count_release(void *data, void *env)
{
    released++;
    released_data = data;
    if (env)
        ++*(int *)env;
}

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

/* ---- kn_wrap, kn_touch. */

static void writes_to_wrapped_memory_land_there(void **state)
{
    (void)state;
    double memory[6] = {1, 2, 3, 4, 5, 6};
    int mine = 0;
    released = 0;
    {
        KN_SCOPE;
        kn_array x = kn_wrap(memory, KN_SHAPE(2, 3), KN_F64, .release = count_release, .env = &mine);
        expect_values(x, 1, 2, 3, 4, 5, 6);
        assert_ptr_equal(kn_data(x, double), memory);
        kn_set_at(x, 20, "0, 1");
        kn_eval(x);
        assert_true(memory[1] == 20);
        kn_iadd(kn_at(x, "1"), 100);
        kn_array sum = kn_sum(x);
        expect_values(sum, 339);
        assert_true(memory[3] == 104);
        kn_set_at(x, kn_of(double, 7, 8, 9), "0");
        expect_values(kn_at(x, "0, :2"), 7, 8);
        assert_true(memory[2] == 9);
        kn_set_at(x, -1, "0, 0"); /* nobody looks */
        assert_int_equal(released, 0);
    }
    assert_true(memory[0] == -1);
    assert_int_equal(released, 1);
    assert_int_equal(mine, 1);
    assert_ptr_equal(released_data, memory);
}

static void wrapped_memory_is_given_back_when_its_last_user_goes(void **state)
{
    (void)state;
    KN_SCOPE;
    double memory[3] = {1, 2, 3};
    released = 0;
    kn_array copy, view, sum;
    {
        KN_SCOPE;
        kn_array x = kn_wrap(memory, KN_SHAPE(3), KN_F64, .release = count_release);
        copy = kn_keep(kn_copy(x));
        sum = kn_keep(kn_sum(x));
        view = kn_keep(kn_at(x, "1:"));
    }
    assert_int_equal(released, 0);
    expect_values(view, 2, 3);
    kn_set_at(view, 5, "0");
    kn_release(view);
    assert_true(memory[1] == 5);
    expect_values(sum, 6);
    expect_values(copy, 1, 2, 3);
    kn_set_at(copy, 9, "0");
    expect_values(copy, 9, 2, 3);
    assert_true(memory[0] == 1);
    assert_int_equal(released, 1);
}

static void an_error_gives_the_memory_back(void **state)
{
    (void)state;
    KN_SCOPE;
    char memory[64] __attribute__((aligned(16))) = {0};
    released = 0;
    assert_false(kn_ok(kn_wrap(memory, KN_SHAPE(2, -1), KN_F64, .release = count_release)));
    expect_error("ValueError", "wrap: negative dimensions are not allowed");
    assert_int_equal(released, 1);
    kn_wrap(memory + 4, KN_SHAPE(2), KN_F64, .release = count_release);
    expect_error("ValueError", "wrap: float64 wants memory aligned to 8 bytes");
    kn_wrap(NULL, KN_SHAPE(2), KN_F64, .release = count_release);
    expect_error("TypeError", "wrap: null memory");
    kn_wrap(memory, KN_SHAPE(2), NULL, .release = count_release);
    expect_error("TypeError", "wrap: null dtype");
    assert_int_equal(released, 4);
    kn_array empty = kn_wrap(NULL, KN_SHAPE(0, 3), KN_F64, .release = count_release);
    assert_int_equal(kn_size(empty), 0);
    assert_int_equal(released, 5);
}

static void wrapped_memory_can_be_read_only(void **state)
{
    (void)state;
    KN_SCOPE;
    static const float table[] = {1, 2, 3};
    kn_array x = kn_wrap(table, KN_SHAPE(3), KN_F32, .readonly = true), view = kn_at(x, "1:");
    assert_int_equal(kn_set_at(x, 5, "0"), -1);
    expect_error("ValueError", "set_at: assignment destination is read-only");
    kn_set_at(view, 5, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    assert_null(kn_data_mut(x, float));
    expect_error("ValueError", "data_mut: assignment destination is read-only");
    assert_ptr_equal(kn_data(x, float), table);
    kn_array copy = kn_copy(x);
    kn_set_at(copy, 5, "0");
    expect_values(copy, 5, 2, 3);
    expect_values(x, 1, 2, 3);
}

static void touched_memory_is_read_again(void **state)
{
    (void)state;
    KN_SCOPE;
    double memory[3] = {1, 2, 3};
    kn_array x = kn_wrap(memory, KN_SHAPE(3), KN_F64), view = kn_at(x, "1:"), copy = kn_copy(x);
    expect_values(view, 2, 3);
    kn_array before = kn_mul(x, 2), of_view = kn_add(view, 1);
    kn_set_at(x, 10, "0");
    assert_int_equal(kn_touch(x), 0);
    assert_true(memory[0] == 10);
    memory[2] = 30;
    expect_values(x, 10, 2, 30);
    expect_values(view, 2, 30);
    expect_values(before, 2, 4, 6);
    expect_values(of_view, 3, 4);
    expect_values(copy, 1, 2, 3);
    kn_touch(view);
    memory[1] = 20;
    expect_values(kn_sum(x), 60);
    expect_values(view, 20, 30);
    kn_array plain = kn_of(double, 1);
    assert_int_equal(kn_touch(plain), 0); /* nobody else sees it */
    assert_int_equal(kn_touch(KN_NONE), -1);
    expect_error("TypeError", "touch: null array");
}

static kn_array writes_wrapped(const kn_array *x)
{
    static double memory[2];
    kn_array w = kn_wrap(memory, KN_SHAPE(2), KN_F64);
    kn_set_at(w, *x, "...");
    return kn_sum(w);
}
KN_FUNCTION(writes_wrapped, kn_array, kn_array)

static void a_trace_does_not_write_to_wrapped_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, 3), r;
    kn_call(kn_jit(KN_FN(writes_wrapped)), &r, &x);
    expect_error_with("MutationError", "write to an array from outside (float64[2]) under jit");
}

static int copies;
static void count_copies(void *env, int level, const char *text)
{
    (void)env, (void)level;
    copies += strstr(text, "copy:") != NULL;
}

static void writes_to_wrapped_memory_make_no_copies(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 1000 };
    static double memory[N];
    kn_array x = kn_wrap(memory, KN_SHAPE(N), KN_F64);
    copies = 0;
    kn_set_log(count_copies, NULL);
    kn_set_debug(1);
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        kn_set_at(x, i, "%", i);
        if (i % 3 == 0)
            assert_true(kn_item(kn_at(x, "%", i)) == i);
    }
    kn_eval(x);
    assert_int_equal(copies, 0);
    kn_array old = kn_copy(x);
    kn_set_at(x, -1, "0");
    kn_eval(x);
    assert_int_equal(copies > 0, 1); /* the old elements are still wanted, and it is said */
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
    expect_values(kn_at(old, ":2"), 0, 1);
    assert_true(memory[0] == -1 && memory[N - 1] == N - 1);
}

static void updates_do_not_run_twice_when_something_fails(void **state)
{
    (void)state;
    KN_SCOPE;
    double memory[4] = {0, 2, 2, 1};
    kn_array x = kn_wrap(memory, KN_SHAPE(2, 2), KN_F64), y = kn_add(x, 0);
    kn_eval(y);
    kn_iadd(kn_at(x, "0, :1"), 1);
    kn_iadd(kn_at(y, "0, :1"), 1);
    kn_linalg_cholesky(x); /* not positive definite */
    kn_linalg_cholesky(y);
    expect_error("LinAlgError", "cholesky: Matrix is not positive definite");
    expect_values(x, 1, 2, 2, 1);
    expect_values(y, 1, 2, 2, 1);
    assert_true(memory[0] == 1);
}

/* ---- DLPack. */

static void a_round_trip_shares_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F32), KN_SHAPE(2, 3)), t = kn_transpose(x);
    DLManagedTensorVersioned *d = kn_to_dlpack(t);
    assert_non_null(d);
    assert_int_equal(d->version.major, 1);
    assert_int_equal(d->flags, 0);
    assert_int_equal(d->dl_tensor.device.device_type, kDLCPU);
    assert_int_equal(d->dl_tensor.ndim, 2);
    assert_int_equal(d->dl_tensor.dtype.code, kDLFloat);
    assert_int_equal(d->dl_tensor.dtype.bits, 32);
    assert_int_equal(d->dl_tensor.dtype.lanes, 1);
    assert_true(d->dl_tensor.shape[0] == 3 && d->dl_tensor.shape[1] == 2);
    assert_true(d->dl_tensor.strides[0] == 1 && d->dl_tensor.strides[1] == 3);
    assert_true(((float *)d->dl_tensor.data)[5] == 5);
    kn_array y = kn_from_dlpack(d);
    expect_values(y, 0, 3, 1, 4, 2, 5);
    assert_true(kn_shares_memory(x, y));
    kn_set_at(y, 50, "2, 0");
    expect_values(x, 0, 1, 50, 3, 4, 5);
    kn_set_at(x, 30, "1, 0");
    expect_values(y, 0, 30, 1, 4, 50, 5);
    kn_array whole = kn_from_dlpack(kn_to_dlpack_unversioned(x));
    assert_true(kn_flags_of(whole).c_contiguous);
    kn_set_at(whole, 7, "0, 0");
    expect_values(x, 7, 1, 50, 30, 4, 5);
}

static void a_consumer_sees_writes_and_is_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), copy = kn_copy(x);
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    double *p = d->dl_tensor.data;
    kn_set_at(x, 10, "0");
    kn_eval(x);
    assert_true(p[0] == 10);
    kn_touch(x);
    p[1] = 20;
    expect_values(x, 10, 20, 3);
    expect_values(copy, 1, 2, 3);
    kn_array late = kn_copy(x);
    kn_set_at(x, 30, "2");
    kn_release(x); /* the write lands all the same, and copies are nobody else's */
    assert_true(p[2] == 30);
    p[0] = -1;
    expect_values(late, 10, 20, 3);
    d->deleter(d);
}

static void *delete_elsewhere(void *tensor)
{
    DLManagedTensorVersioned *d = tensor;
    d->deleter(d);
    return NULL;
}

static void an_export_outlives_everything(void **state)
{
    (void)state;
    kn_shutdown();
    int64_t live = knx_alloc_live();
    kn_array x = kn_ones(KN_SHAPE(1000));
    kn_set_at(x, 5, "0");
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    const double *p = d->dl_tensor.data;
    kn_set_at(x, 6, "1");
    kn_shutdown();
    assert_true(p[0] == 5 && p[1] == 6 && p[999] == 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, delete_elsewhere, d), 0);
    pthread_join(thread, NULL);
    assert_int_equal(knx_alloc_live(), live);
}

static void read_only_arrays_say_so(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_broadcast_to(kn_of(double, 1, 2), KN_SHAPE(3, 2));
    assert_null(kn_to_dlpack_unversioned(x));
    expect_error("ValueError",
                 "to_dlpack: a read-only array cannot be exported without a version: the older form cannot "
                 "say that it is one");
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    assert_int_equal(d->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    assert_true(d->dl_tensor.strides[0] == 0 && d->dl_tensor.strides[1] == 1);
    kn_array y = kn_from_dlpack(d);
    expect_values(y, 1, 2, 1, 2, 1, 2);
    kn_set_at(y, 1, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
}

static void parts_of_complex_numbers_keep_their_strides(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_c128 z[] = {{1, 2}, {3, 4}};
    kn_shape two = KN_SHAPE(2);
    kn_array x = kn_from_memory(z, &two, KN_C128), im = kn_imag(x);
    DLManagedTensorVersioned *d = kn_to_dlpack(im);
    assert_int_equal(d->dl_tensor.strides[0], 2);
    assert_true(((double *)d->dl_tensor.data)[2] == 4);
    d->deleter(d);
    d = kn_to_dlpack(x);
    assert_int_equal(d->dl_tensor.dtype.code, kDLComplex);
    assert_int_equal(d->dl_tensor.dtype.bits, 128);
    kn_array back = kn_from_dlpack(d);
    assert_ptr_equal(kn_dtype_of(back), KN_C128);
    expect_values(kn_imag(back), 2, 4);
}

static void every_dtype_goes_round(void **state)
{
    (void)state;
    for (int id = 0; id < 15; id++) {
        KN_SCOPE;
        kn_array x = kn_ones(KN_SHAPE(2), .dtype = kn_dtype_builtin(id));
        DLManagedTensor *d = kn_to_dlpack_unversioned(x);
        kn_release(x);
        kn_array y = kn_from_dlpack(d);
        assert_ptr_equal(kn_dtype_of(y), kn_dtype_builtin(id));
        expect_values(y, 1, 1);
    }
    KN_SCOPE;
    assert_null(kn_to_dlpack(kn_random_key(1)));
    expect_error("TypeError", "to_dlpack: DLPack has no dtype key<fry>");
}

/* Somebody else's tensor. */
typedef struct {
    DLManagedTensorVersioned tensor;
    int deleted;
} Foreign;

static void delete_foreign(DLManagedTensorVersioned *self) { ((Foreign *)self)->deleted++; }

static Foreign foreign(void *data, int ndim, int64_t *shape, int64_t *strides)
{
    Foreign f = {0};
    f.tensor.version = (DLPackVersion){1, 1};
    f.tensor.deleter = delete_foreign;
    f.tensor.dl_tensor = (DLTensor){.data = data,
                                    .device = {kDLCPU, 0},
                                    .ndim = ndim,
                                    .shape = shape,
                                    .strides = strides,
                                    .dtype = {kDLFloat, 64, 1}};
    return f;
}

static void dense_tensors_are_used_where_they_are(void **state)
{
    (void)state;
    double m[6] = {0, 1, 2, 3, 4, 5};
    int64_t shape[] = {3, 1, 2}, turned[] = {1, 77, 3}, back[] = {-2, 5, 1}, plain[] = {2, 2, 1};
    int64_t *strides[] = {turned, back, plain, NULL};
    double want[][6] = {{0, 3, 1, 4, 2, 5}, {4, 5, 2, 3, 0, 1}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}};
    for (int i = 0; i < 4; i++) {
        Foreign f = foreign(i == 1 ? m + 4 : m, 3, shape, strides[i]);
        {
            KN_SCOPE;
            kn_array x = kn_from_dlpack(&f.tensor, .copy = -1);
            assert_int_equal(kn_live_count(), 1);
            expect_values_(x, want[i], 6, 0, "x", __FILE__, __LINE__);
            kn_set_at(x, 10 + i, "1, 0, 1");
            assert_int_equal(f.deleted, 0);
        }
        assert_int_equal(f.deleted, 1);
        int at = i == 0 ? 4 : 3;
        assert_true(m[at] == 10 + i);
        m[at] = at;
    }
}

static void tensors_with_gaps_are_copied(void **state)
{
    (void)state;
    KN_SCOPE;
    double m[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t shape[] = {2, 3}, gaps[] = {4, 1}, repeated[] = {0, 2}, lines[] = {-4, -1};
    Foreign f = foreign(m, 2, shape, gaps);
    kn_array x = kn_from_dlpack(&f.tensor);
    assert_int_equal(f.deleted, 1);
    expect_values(x, 0, 1, 2, 4, 5, 6);
    f = foreign(m, 2, shape, repeated);
    expect_values(kn_from_dlpack(&f.tensor), 0, 2, 4, 0, 2, 4);
    f = foreign(m, 2, shape, lines);
    f.tensor.dl_tensor.byte_offset = 7 * sizeof(double);
    expect_values(kn_from_dlpack(&f.tensor), 7, 6, 5, 3, 2, 1);
    f = foreign(m, 2, shape, gaps);
    f.deleted = 0;
    assert_false(kn_ok(kn_from_dlpack(&f.tensor, .copy = -1)));
    expect_error("ValueError",
                 "from_dlpack: the tensor cannot be used without a copy: its elements do not lie side by side");
    assert_int_equal(f.deleted, 1);
    char bytes[17] __attribute__((aligned(8))) = {0};
    double v[2] = {1.5, 2.5};
    memcpy(bytes + 1, v, sizeof v);
    int64_t two = 2;
    f = foreign(bytes, 1, &two, NULL);
    f.tensor.dl_tensor.byte_offset = 1;
    expect_values(kn_from_dlpack(&f.tensor), 1.5, 2.5);
    f = foreign(m, 1, &two, NULL);
    kn_array copy = kn_from_dlpack(&f.tensor, .copy = 1);
    m[0] = 99;
    expect_values(copy, 0, 1);
    f = foreign(NULL, 2, (int64_t[]){0, 3}, NULL);
    assert_int_equal(kn_dim(kn_from_dlpack(&f.tensor), 1), 3);
    assert_int_equal(f.deleted, 1);
    f = foreign(m + 1, 0, NULL, NULL);
    expect_values(kn_from_dlpack(&f.tensor), 1);
}

static void expect_refused(Foreign *f, const char *kind, const char *message)
{
    f->deleted = 0;
    assert_false(kn_ok(kn_from_dlpack(&f->tensor)));
    expect_error(kind, message);
    assert_int_equal(f->deleted, 1);
}

static void tensors_are_refused_with_a_reason(void **state)
{
    (void)state;
    KN_SCOPE;
    double m[4] = {0};
    int64_t shape[] = {2, 2}, far[] = {INT64_MAX / 2, 1}, bad[] = {2, -2};
    Foreign f = foreign(m, 2, shape, NULL);
    f.tensor.version.major = 2;
    expect_refused(&f, "ValueError", "from_dlpack: a tensor of DLPack 2.1; version 1 is known here");
    f = foreign(m, 2, shape, NULL);
    f.tensor.dl_tensor.device.device_type = kDLCUDA;
    expect_refused(&f, "ValueError",
                   "from_dlpack: the tensor is in the memory of device type 2; only the CPU's (1) can be imported");
    f = foreign(m, 2, shape, NULL);
    f.tensor.dl_tensor.dtype = (DLDataType){kDLFloat, 8, 1};
    expect_refused(&f, "TypeError", "from_dlpack: no dtype for DLPack's code 2 with 8 bits and 1 lanes");
    f.tensor.dl_tensor.dtype = (DLDataType){kDLFloat, 32, 4};
    expect_refused(&f, "TypeError", "from_dlpack: no dtype for DLPack's code 2 with 32 bits and 4 lanes");
    f = foreign(m, 2, bad, NULL);
    expect_refused(&f, "ValueError", "from_dlpack: negative dimensions are not allowed");
    f = foreign(m, 2, shape, far);
    expect_refused(&f, "ValueError", "from_dlpack: the tensor's strides are too large");
    f = foreign(m, 65, shape, NULL);
    expect_refused(&f, "ValueError", "from_dlpack: maximum supported dimension for an array is 64, found 65");
    f = foreign(NULL, 2, shape, NULL);
    expect_refused(&f, "ValueError", "from_dlpack: the tensor has no memory");
    kn_from_dlpack((DLManagedTensorVersioned *)NULL);
    expect_error("TypeError", "from_dlpack: null tensor");
}

static void read_only_tensors_stay_so(void **state)
{
    (void)state;
    KN_SCOPE;
    double m[4] = {1, 2, 3, 4};
    int64_t shape[] = {2, 2}, turned[] = {1, 2};
    Foreign f = foreign(m, 2, shape, turned);
    f.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    kn_array x = kn_from_dlpack(&f.tensor);
    assert_false(kn_flags_of(x).writeable);
    assert_true(kn_flags_of(x).f_contiguous);
    kn_set_at(x, 1, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    kn_release(x);
    assert_int_equal(f.deleted, 1);
}

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
    expect_error("ValueError", "iadd: assignment destination is read-only");
    assert_int_equal(kn_fill(x, 1), -1);
    expect_error_with("ValueError", "assignment destination is read-only");
    assert_int_equal(kn_put(x, 0, 1), -1);
    expect_error_with("ValueError", "assignment destination is read-only");
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

/* ---- Without memory. */

static double program(void)
{
    static double memory[6];
    static const double start[6] = {1, 2, 3, 4, 5, 6};
    memcpy(memory, start, sizeof memory);
    double result = 0;
    {
        KN_SCOPE;
        kn_array x = kn_wrap(memory, KN_SHAPE(2, 3), KN_F64, .release = count_release), old = kn_copy(x);
        kn_array reader = kn_sum(kn_mul(x, 2)), view = kn_at(x, ":, 1");
        kn_set_at(view, 20, "0");
        const double *p = kn_data(x, double), *q = kn_data(view, double);
        result += p && q ? p[1] + q[1] : NAN;
        kn_set_at(x, kn_at(old, "1"), "0");
        double *m = kn_data_mut(kn_at(x, "1"), double);
        if (m)
            m[2] = 60;
        DLManagedTensorVersioned *d = kn_to_dlpack(kn_transpose(x));
        kn_array y = d ? kn_from_dlpack(d) : kn_num(NAN);
        kn_set_at(y, 50, "1, 1");
        if (kn_touch(x) == 0)
            memory[3] = 40;
        kn_array again = kn_copy(x);
        kn_set_at(x, again, "...");
        kn_set_at(x, -1, "0, 0");
        result +=
            kn_item(reader) + kn_item(kn_sum(old)) + kn_item(kn_sum(kn_mul(x, y = kn_reshape(again, KN_SHAPE(2, 3)))));
        kn_set_at(x, -2, "0, 1");
    }
    return result + (kn_error_pending() ? 0 : memory[1]);
}

static double run_and_shut_down(bool *failed, bool *memory)
{
    double v = program();
    *failed = kn_error_pending();
    *memory = *failed && strcmp(kn_error_kind_name(), "MemoryError") == 0;
    kn_error_clear();
    kn_shutdown();
    return v;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool failed, memory;
    kn_shutdown();
    knx_buffer_trim();
    double right = run_and_shut_down(&failed, &memory);
    assert_false(failed);
    assert_true(right == right);
    int64_t live = knx_alloc_live(), start = knx_alloc_count();
    run_and_shut_down(&failed, &memory);
    int64_t n = knx_alloc_count() - start;
    for (int64_t i = 0; i < 2 * n; i++) {
        int64_t k = i / 2;
        knx_buffer_trim();
        knx_fail_after(k, i % 2);
        released = 0;
        double v = run_and_shut_down(&failed, &memory);
        knx_fail_after(-1, false);
        kn_error_clear();
        kn_shutdown();
        if (failed && !memory)
            fail_msg("allocation %lld of %lld: an error that is no MemoryError", (long long)k, (long long)n);
        if (!failed && v == v && v != right)
            fail_msg("allocation %lld of %lld: %.17g instead of %.17g", (long long)k, (long long)n, v, right);
        if (released != 1)
            fail_msg("allocation %lld of %lld: released %d times", (long long)k, (long long)n, released);
        if (knx_alloc_live() != live)
            fail_msg("allocation %lld of %lld: %lld blocks are alive, %lld were", (long long)k, (long long)n,
                     (long long)knx_alloc_live(), (long long)live);
    }
}

KN_TEST_GROUP(test_memory_face)
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
        TEST(writes_to_wrapped_memory_land_there),
        TEST(wrapped_memory_is_given_back_when_its_last_user_goes),
        TEST(an_error_gives_the_memory_back),
        TEST(wrapped_memory_can_be_read_only),
        TEST(touched_memory_is_read_again),
        TEST(a_trace_does_not_write_to_wrapped_memory),
        TEST(writes_to_wrapped_memory_make_no_copies),
        TEST(updates_do_not_run_twice_when_something_fails),
        TEST(a_round_trip_shares_memory),
        TEST(a_consumer_sees_writes_and_is_seen),
        TEST(an_export_outlives_everything),
        TEST(read_only_arrays_say_so),
        TEST(parts_of_complex_numbers_keep_their_strides),
        TEST(every_dtype_goes_round),
        TEST(dense_tensors_are_used_where_they_are),
        TEST(tensors_with_gaps_are_copied),
        TEST(tensors_are_refused_with_a_reason),
        TEST(read_only_tensors_stay_so),
        TEST(strides_and_flags_are_numpys),
        TEST(sizes_in_bytes),
        TEST(items_have_indices),
        TEST(read_only_arrays_refuse_writes),
        TEST(flags_that_cannot_be_set),
        TEST(flags_count_inside_of_traces),
        TEST(shared_memory_is_found_exactly),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
