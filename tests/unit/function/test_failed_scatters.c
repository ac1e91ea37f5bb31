/* SPDX-License-Identifier: Apache-2.0
 * test_failed_scatters.c -- writes of many elements of which one is out of bounds. A scatter sees that on the way, when
 * it has written others. Nobody ever sees those: a donated array is an error, every other one is as it was. */
#include "support/expect.h"
#include "support/group.h"
#include "array/state.h"
#include <string.h>

enum { SIZE = 3000, POINTS = 100000, ROWS = 3 };

typedef struct Turn {
    kn_array x, other;
} Turn;
KN_FIELDS(Turn, x, other)

/* What is written to a copy of x: alone, beside a result that reads x, and as the carry of a scan. */
#define WRITE(name, statement)                                                           \
    static kn_array name(const kn_array *x, const kn_array *i, const kn_array *v)        \
    {                                                                                    \
        kn_array y = kn_copy(*x);                                                        \
        statement;                                                                       \
        return y;                                                                        \
    }                                                                                    \
    static Turn name##_turn(const kn_array *x, const kn_array *i, const kn_array *v)     \
    {                                                                                    \
        kn_array y = name(x, i, v);                                                      \
        return (Turn){y, kn_sum(kn_mul(*x, 2))};                                         \
    }                                                                                    \
    KN_FUNCTION(name, kn_array, kn_array, kn_array, kn_array)                            \
    KN_FUNCTION(name##_turn, Turn, kn_array, kn_array, kn_array)                         \
    static kn_array name##_scan(const kn_array *x, const kn_array *i, const kn_array *v) \
    {                                                                                    \
        Turn last;                                                                       \
        kn_scan(KN_FN(name##_turn), &last, x, KN_ARGS(i, v));                            \
        return last.x;                                                                   \
    }                                                                                    \
    KN_FUNCTION(name##_scan, kn_array, kn_array, kn_array, kn_array)
WRITE(set, kn_set_at(y, *v, "%", *i))
WRITE(add, kn_ufunc_at(kn_ufunc_add, y, *v, "%", *i))
WRITE(largest, kn_ufunc_at(kn_ufunc_maximum, y, *v, "%", *i))
WRITE(add_once, kn_iadd_at(y, *v, "%", *i))

enum { WRITES = 4 };
static kn_fn alone(int write)
{
    const kn_fn f[WRITES] = {KN_FN(set), KN_FN(add), KN_FN(largest), KN_FN(add_once)};
    return f[write];
}
static kn_fn with_reader(int write)
{
    const kn_fn f[WRITES] = {KN_FN(set_turn), KN_FN(add_turn), KN_FN(largest_turn), KN_FN(add_once_turn)};
    return f[write];
}
static kn_fn as_carry(int write)
{
    const kn_fn f[WRITES] = {KN_FN(set_scan), KN_FN(add_scan), KN_FN(largest_scan), KN_FN(add_once_scan)};
    return f[write];
}

/* Every kind of write, by one thread and by two. */
#define EACH_WRITE                                                          \
    for (int threads = 1, threads_before = kn_set_threads(1); threads <= 2; \
         kn_set_threads(++threads <= 2 ? threads : threads_before))         \
        for (int write = 0; write < WRITES; write++)

/* What there is before: in each row the numbers from 1 on. */
static kn_array numbers(int rows)
{
    kn_array x = kn_add(kn_mod(kn_arange(0, (double)rows * SIZE, 1, .dtype = KN_F64), SIZE), 1);
    x = kn_copy(rows == 1 ? x : kn_reshape(x, KN_SHAPE(rows, SIZE))); /* no view */
    kn_eval(x);
    return x;
}

/* Positions all over an array; one near the end of the last row is out of bounds. */
static kn_array positions(int rows)
{
    kn_array i = kn_mod(kn_mul(kn_arange(0, (double)rows * POINTS, 1, .dtype = KN_I64), 7), SIZE);
    i = kn_copy(rows == 1 ? i : kn_reshape(i, KN_SHAPE(rows, POINTS)));
    if (rows == 1)
        kn_set_at(i, SIZE, "-10");
    else
        kn_set_at(i, SIZE, "-1, -10");
    kn_eval(i);
    return i;
}

static kn_array values(int rows)
{
    kn_array v = rows == 1 ? kn_full(KN_SHAPE(POINTS), 1e4) : kn_full(KN_SHAPE(rows, POINTS), 1e4);
    kn_eval(v);
    return v;
}

/* Is x what `numbers` made, in the same memory? */
static bool as_it_was(kn_array x, const double *memory)
{
    const double *p = kn_data(x, double);
    bool same = p == memory;
    for (int64_t k = 0; same && k < kn_size(x); k++)
        same = p[k] == (double)(k % SIZE + 1);
    return same;
}

#define EXPECT_OUT_OF_BOUNDS(result)                                                              \
    do {                                                                                          \
        assert_false(kn_ok(result));                                                              \
        expect_error_with("IndexError", "index 3000 is out of bounds for axis 0 with size 3000"); \
    } while (0)
#define EXPECT_GONE(x)                                                           \
    do {                                                                         \
        assert_false(kn_ok(kn_add(x, 1)));                                       \
        expect_error_with("RuntimeError", "Array has been deleted with shape="); \
    } while (0)
#define EXPECT_AS_IT_WAS(x, memory) assert_true(as_it_was(x, memory))

/* ---- Jitted functions. */

static kn_fn donating(kn_fn f) { return kn_jit(f, .donate_argnums = KN_ARGNUMS(0)); }

static void a_donated_array_is_an_error(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(1), i = positions(1), v = values(1), y;
        Turn t;
        kn_call(donating(alone(write)), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_GONE(x);
        x = numbers(1);
        kn_call(donating(with_reader(write)), &t, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(t.x);
        assert_false(kn_ok(t.other));
        EXPECT_GONE(x);
    }
}

static void views_and_other_names_of_a_donated_array_are_errors(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(1), view = kn_at(x, "::2"), other = NULL, before = kn_add(x, 10), i = positions(1),
                 v = values(1), y;
        kn_assign(&other, x);
        kn_call(donating(alone(write)), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_GONE(view);
        EXPECT_GONE(other);
        kn_release(other);
        expect_values(kn_at(before, "::2999"), 11, 3010); /* recorded before the call */
    }
}

static void a_carry_of_a_scan_that_is_donated_is_an_error(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(1), i = positions(ROWS), v = values(ROWS), y;
        kn_call(donating(as_carry(write)), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_GONE(x);
    }
}

static void lanes_that_are_donated_are_an_error(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(ROWS), i = positions(ROWS), v = values(ROWS), y;
        kn_call(donating(kn_vmap(alone(write))), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_GONE(x);
    }
}

static void a_view_that_is_donated_leaves_its_array_alone(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array all = numbers(ROWS), x = kn_at(all, "1"), i = positions(1), v = values(1), y;
        const double *memory = kn_data(all, double);
        kn_call(donating(alone(write)), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_AS_IT_WAS(all, memory);
        expect_values(kn_at(x, "::2999"), 1, 3000);
    }
}

static void memory_of_the_user_is_not_written(void **state)
{
    (void)state;
    static double memory[SIZE];
    EACH_WRITE
    {
        KN_SCOPE;
        for (int k = 0; k < SIZE; k++)
            memory[k] = k + 1;
        kn_array x = kn_wrap(memory, KN_SHAPE(SIZE), KN_F64), i = positions(1), v = values(1), y;
        kn_call(donating(alone(write)), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_AS_IT_WAS(x, memory); /* the program had a copy */
    }
}

static void an_array_that_is_not_donated_is_as_it_was(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(1), rows = numbers(ROWS), i = positions(1), is = positions(ROWS), v = values(1),
                 vs = values(ROWS), y;
        const double *memory = kn_data(x, double), *memories = kn_data(rows, double);
        Turn t;
        kn_call(kn_jit(alone(write)), &y, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(y);
        kn_call(kn_jit(with_reader(write)), &t, &x, &i, &v);
        EXPECT_OUT_OF_BOUNDS(t.x);
        kn_call(kn_jit(as_carry(write)), &y, &x, &is, &vs);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_AS_IT_WAS(x, memory);
        kn_call(kn_jit(kn_vmap(alone(write))), &y, &rows, &is, &vs);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_AS_IT_WAS(rows, memories);
    }
}

/* ---- Without jit. */

static void transformations_leave_their_arguments_alone(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(1), rows = numbers(ROWS), is = positions(ROWS), vs = values(ROWS), y;
        const double *memory = kn_data(x, double), *memories = kn_data(rows, double);
        kn_call(as_carry(write), &y, &x, &is, &vs);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_AS_IT_WAS(x, memory);
        kn_call(kn_vmap(alone(write)), &y, &rows, &is, &vs);
        EXPECT_OUT_OF_BOUNDS(y);
        EXPECT_AS_IT_WAS(rows, memories);
    }
}

/* x[...] and its kin, at once: -1, because the positions are looked at. */
static int write_now(int write, kn_array x, kn_array i, kn_array v)
{
    return write == 0   ? kn_set_at(x, v, "%", i)
           : write == 1 ? kn_ufunc_at(kn_ufunc_add, x, v, "%", i)
           : write == 2 ? kn_ufunc_at(kn_ufunc_maximum, x, v, "%", i)
                        : kn_iadd_at(x, v, "%", i);
}

static void writes_at_once_leave_the_array_alone(void **state)
{
    (void)state;
    for (int lazy = 0; lazy < 2; lazy++)
        EACH_WRITE
        {
            KN_SCOPE;
            bool lazy_before = kn_set_lazy(lazy);
            kn_array x = numbers(1), i = positions(1), v = values(1), waiting = kn_mul(i, 1);
            const double *memory = kn_data(x, double);
            write_now(write, x, i, v);
            expect_error_with("IndexError", "index 3000 is out of bounds for axis 0 with size 3000");
            write_now(write, x, waiting, v);
            expect_error_with("IndexError", "index 3000 is out of bounds for axis 0 with size 3000");
            EXPECT_AS_IT_WAS(x, memory);
            kn_set_lazy(lazy_before);
        }
}

static void writes_through_views_leave_the_array_alone(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array all = numbers(ROWS), i = positions(1), v = values(1), view = kn_at(all, "1, ::-1"),
                 half = kn_at(kn_transpose(all), "::2, 2");
        const double *memory = kn_data(all, double);
        write_now(write, view, i, v);
        expect_error_with("IndexError", "index 3000 is out of bounds for axis 0 with size 3000");
        write_now(write, half, i, v);
        expect_error_with("IndexError", "is out of bounds for axis 0 with size 1500");
        EXPECT_AS_IT_WAS(all, memory);
    }
}

static void writes_that_wait_go_where_they_would(void **state)
{
    (void)state;
    EACH_WRITE
    {
        KN_SCOPE;
        kn_array x = numbers(1), i = positions(1), v = values(1);
        kn_set_at(x, 7.0, ":2");
        write_now(write, x, i, v);
        expect_error_with("IndexError", "index 3000 is out of bounds for axis 0 with size 3000");
        kn_set_at(x, 8.0, "-1");
        expect_values(kn_at(x, ":4"), 7, 7, 3, 4);
        expect_values(kn_at(x, "-2:"), 2999, 8);
        expect_values(kn_sum(x), SIZE * (SIZE + 1) / 2 + 11 - 2992);
    }
}

KN_TEST_GROUP(test_failed_scatters)
{
    const struct CMUnitTest tests[] = {
        TEST(a_donated_array_is_an_error),
        TEST(views_and_other_names_of_a_donated_array_are_errors),
        TEST(a_carry_of_a_scan_that_is_donated_is_an_error),
        TEST(lanes_that_are_donated_are_an_error),
        TEST(a_view_that_is_donated_leaves_its_array_alone),
        TEST(memory_of_the_user_is_not_written),
        TEST(an_array_that_is_not_donated_is_as_it_was),
        TEST(transformations_leave_their_arguments_alone),
        TEST(writes_at_once_leave_the_array_alone),
        TEST(writes_through_views_leave_the_array_alone),
        TEST(writes_that_wait_go_where_they_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
