/* SPDX-License-Identifier: Apache-2.0
 * test_wrapped_memory.c -- memory of somebody else's in an array: reads, writes, and when it is given back, also where
 * allocations fail. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <kiln/dlpack.h>

static int released;
static void *released_data;
static void count_release(void *data, void *env)
{
    released++;
    released_data = data;
    if (env)
        ++*(int *)env;
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

/* ---- Without memory. */

static double program(void)
{
    static double memory[6];
    static const double start[6] = {1, 2, 3, 4, 5, 6};
    memcpy(memory, start, sizeof memory);
    released = 0;
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

static void it_is_given_back_once(void) { assert_int_equal(released, 1); }

static void every_allocation_may_fail(void **state)
{
    (void)state;
    no_memory_check(program, 0, it_is_given_back_once);
}

KN_TEST_GROUP(test_wrapped_memory)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_to_wrapped_memory_land_there),
        TEST(wrapped_memory_is_given_back_when_its_last_user_goes),
        TEST(an_error_gives_the_memory_back),
        TEST(wrapped_memory_can_be_read_only),
        TEST(touched_memory_is_read_again),
        TEST(a_trace_does_not_write_to_wrapped_memory),
        TEST(writes_to_wrapped_memory_make_no_copies),
        TEST(updates_do_not_run_twice_when_something_fails),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
