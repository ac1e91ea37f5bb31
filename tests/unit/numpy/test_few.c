/* SPDX-License-Identifier: Apache-2.0
 * test_few.c -- few elements by positions that are there: read and written without a plan, with what a plan gives. */
#include "support/expect.h"
#include "support/group.h"
#include "support/steps.h"
#include <stdio.h>
#include <string.h>

#define NUMBERS(...) kn_from_memory(((int64_t[]){__VA_ARGS__}), &KN_SHAPE(sizeof((int64_t[]){__VA_ARGS__}) / 8), KN_I64)

static uint64_t seed;
static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

static void what_is_there_runs_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 24, 1, .dtype = KN_F64), m = kn_reshape(x, KN_SHAPE(4, 6)), v = kn_ones(KN_SHAPE(2));
    kn_array i = NUMBERS(1, -1), j = NUMBERS(5, 0);
    kn_eval(x), kn_eval(v), kn_eval(i), kn_eval(j);
    assert_int_equal(STEPS(kn_eval(kn_at(x, "%", i)), kn_eval(kn_take(x, i)), kn_eval(kn_at(m, "%, %", i, j)),
                           kn_eval(kn_at(m, "%, ::-2", i)), kn_eval(kn_at(kn_transpose(m), "1:, %", i)),
                           kn_eval(kn_take(m, j, KN_AXIS(1)))),
                     0);
    assert_int_equal(STEPS(kn_set_at(x, 2.0, "%", i), kn_set_at(m, v, "%, %", i, j), kn_set_at(m, v, "%, 1", i),
                           kn_ufunc_at(kn_ufunc_add, x, v, "%", j), kn_eval(x)),
                     0);
}

/* ---- The same in both ways: where NaNs are looked for, everything goes through plans. */

typedef struct outcome {
    char error[256];
    kn_array y;
} outcome;

enum {
    READ,
    TAKE,
    WRITE,
    NUMBER,
    PUT,
    ADD,
    MULTIPLY,
    SMALLER,
    LARGER,
    ADD_ONCE,
    SUBTRACT_ONCE,
    MULTIPLY_ONCE,
    OR_ONCE,
    WAYS
};

/* *x is all or a view of what is returned, so that what lies around it is seen, too. */
static kn_array fresh(kn_dtype d, int layout, kn_array *x)
{
    kn_array all = kn_reshape(kn_mod(kn_mul(kn_arange(0, 120, 1), 7), 11), KN_SHAPE(4, 5, 6));
    all = kn_astype(all, d);
    kn_eval(all);
    *x = layout == 0   ? all
         : layout == 1 ? kn_at(all, "::-1, 1:, ::2")
         : layout == 2 ? kn_transpose(all)
         : layout == 3 ? kn_at(all, "1, ::-1")
                       : kn_at(all, "2, 3");
    return all;
}

/* What is written: of the shape of what is read there, or one number. */
static kn_array value_for(kn_array x, const char *index, int n, const kn_index_arg *arg, bool one)
{
    kn_shape shape = kn_shape_of((kn_at)(kn_zeros_like(x), index, n, arg));
    kn_error_clear();
    if (one || shape.ndim < 0)
        return kn_astype(kn_full(KN_SHAPE(), 3), kn_dtype_of(x));
    kn_array v = kn_mod(kn_arange(3, 3 + (double)kn_size(kn_zeros(shape)), 1), 7);
    return kn_astype(kn_reshape(v, shape), kn_dtype_of(x));
}

static outcome one_way(bool plans, int what, kn_dtype d, int layout, const char *index, int n, const kn_index_arg *arg,
                       bool one)
{
    outcome o = {.error = ""};
    kn_array x, all = fresh(d, layout, &x),
                v = what > NUMBER || what == WRITE ? value_for(x, index, n, arg, one) : NULL;
    if (v)
        kn_eval(v);
    bool before = kn_check_nans(plans);
    o.y = all;
    switch (what) {
    case READ: o.y = (kn_at)(x, index, n, arg); break;
    case TAKE: o.y = kn_take(x, arg[0].array, KN_AXIS(-1)); break;
    case WRITE: (kn_set_at)(x, v, index, n, arg); break;
    case NUMBER: (kn_set_at)(x, KN_LIKE(2), index, n, arg); break;
    case PUT: kn_put(x, arg[0].array, v); break;
    case ADD_ONCE: (kn_iadd_at)(x, v, index, n, arg); break;
    case SUBTRACT_ONCE: (kn_isub_at)(x, v, index, n, arg); break;
    case MULTIPLY_ONCE: (kn_imul_at)(x, v, index, n, arg); break;
    case OR_ONCE: (kn_ior_at)(x, v, index, n, arg); break;
    default: {
        const kn_ufunc f[] = {kn_ufunc_add, kn_ufunc_multiply, kn_ufunc_minimum, kn_ufunc_maximum};
        (kn_ufunc_at)(f[what - ADD], x, v, index, n, arg);
    }
    }
    bool good = kn_ok(o.y);
    if (kn_error_pending())
        snprintf(o.error, sizeof o.error, "%s", kn_error_message());
    kn_error_clear();
    kn_check_nans(before);
    o.y = good ? o.y : NULL;
    return o;
}

/* Positions of an axis of `extent`, now and then one that is outside, of some integer dtype. */
static kn_array positions(int ndim, const int64_t *dim, int64_t extent)
{
    const kn_dtype d[] = {KN_I64, KN_I64, KN_I32, KN_I16, KN_I8, KN_U8, KN_U64};
    int64_t at[64], n = 1;
    kn_shape shape = {.ndim = ndim};
    for (int i = 0; i < ndim; i++)
        n *= shape.dim[i] = dim[i];
    kn_dtype chosen = d[below(7)];
    bool natural = kn_dtype_kind(chosen) == 'u', wrong = below(12) == 0;
    for (int64_t i = 0; i < n; i++)
        at[i] = natural ? below(extent + wrong) : below(2 * extent + wrong) - extent;
    kn_array x = kn_astype(kn_from_memory(at, &shape, KN_I64), chosen);
    kn_eval(x);
    return x;
}

/* An index with arrays for an array of up to 3 axes; how many arguments it has. */
static int random_index(int ndim, const kn_shape *x, char text[64], kn_index_arg arg[3])
{
    static const char *const slices[] = {":", "1:", "::-1", "::2", "-2:", "5:", "-1:0:-2"};
    static const int64_t dims[][2] = {{2, 3}, {1, 3}, {2, 1}, {1, 1}};
    int n = 0, items = 1 + (int)below(ndim), array = (int)below(items), points = (int)below(3);
    *text = 0;
    for (int d = 0; d < items; d++) {
        int64_t kind = d == array ? 0 : below(4);
        strcat(text, d ? ", " : "");
        if (kind == 0) {
            const int64_t *dim = below(2) ? dims[below(4)] : dims[0];
            strcat(text, "%");
            arg[n++] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = positions(points, dim + 2 - points, x->dim[d])};
        } else if (kind == 1) {
            strcat(text, "%");
            arg[n++] = (kn_index_arg){.kind = KN_ARG_INT, .integer = below(2) - 1};
        } else
            strcat(text, slices[below(7)]);
    }
    if (below(6) == 0)
        strcat(text, ", None");
    if (below(6) == 0)
        strcat(text, ", ...");
    return n;
}

static bool same(const outcome *a, const outcome *b)
{
    if (strcmp(a->error, b->error) != 0 || !a->y != !b->y)
        return false;
    return !a->y || (kn_dtype_of(a->y) == kn_dtype_of(b->y) && kn_array_equal(a->y, b->y));
}

static void as_through_plans(void **state)
{
    (void)state;
    const kn_dtype d[] = {KN_F64, KN_F32, KN_I64, KN_I32, KN_U8, KN_F16, KN_C128, KN_C64};
    for (int k = 0; k < 9000; k++) {
        KN_SCOPE;
        seed = (uint64_t)k * 0x9e3779b97f4a7c15u;
        below(2);
        int layout = (int)below(5), what = (int)below(WAYS), n;
        kn_dtype of = d[below(8)];
        char text[64];
        kn_index_arg arg[3];
        kn_array x;
        fresh(of, layout, &x);
        kn_shape shape = kn_shape_of(x);
        n = random_index(shape.ndim, &shape, text, arg);
        if (what == TAKE || what == PUT) {
            arg[0].kind = KN_ARG_ARRAY;
            arg[0].array = positions(1, (int64_t[]){5}, shape.dim[shape.ndim - 1]);
        }
        bool one = below(4) == 0;
        outcome got = one_way(false, what, of, layout, text, n, arg, one);
        outcome want = one_way(true, what, of, layout, text, n, arg, one);
        if (!same(&got, &want))
            print_error("%d: way %d of %s, layout %d, \"%s\": \"%s\" and \"%s\"\n", k, what, kn_dtype_name(of), layout,
                        text, got.error, want.error);
        assert_true(same(&got, &want));
    }
}

/* ---- What is written is not what is read on the way. */

static void what_is_read_is_as_it_was(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = NUMBERS(1, 2, 3, 0);
    kn_eval(x);
    kn_set_at(x, kn_at(x, "::-1"), "%", x);
    assert_true(kn_array_equal(x, NUMBERS(1, 0, 3, 2)));
    kn_iadd_at(x, kn_at(x, "::-1"), "%", x);
    assert_true(kn_array_equal(x, NUMBERS(4, 2, 4, 2)));
}

/* x[index] += v is one read and one write: the last one of a place stays. */
static void an_operator_in_place_reads_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = NUMBERS(1, 2, 3), i = NUMBERS(2, 0, 2), v = NUMBERS(10, 20, 30);
    kn_eval(x), kn_eval(i), kn_eval(v);
    assert_int_equal(STEPS(kn_iadd_at(x, v, "%", i)), 1);
    assert_true(kn_array_equal(x, NUMBERS(21, 2, 33)));
    kn_imul_at(x, 2, "%", i);
    assert_true(kn_array_equal(x, NUMBERS(42, 2, 66)));
}

/* Flat positions, masks: values from the first on, again and again. */
static void puts_and_masks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3))), flat = kn_reshape(x, KN_SHAPE(6)),
             v = NUMBERS(10, 20, 30, 40), mask = kn_greater(x, 3);
    kn_eval(x), kn_eval(v), kn_eval(mask);
    kn_put(x, NUMBERS(0, -2, 1), v);
    assert_true(kn_array_equal(flat, NUMBERS(10, 30, 2, 3, 20, 5)));
    kn_place_mask(x, mask, v);
    assert_true(kn_array_equal(flat, NUMBERS(10, 30, 2, 3, 10, 20)));
    kn_place_mask(x, kn_ones(KN_SHAPE(3, 2)), NUMBERS(1, 2));
    assert_true(kn_array_equal(flat, NUMBERS(1, 2, 1, 2, 1, 2)));
    kn_putmask(x, kn_reshape(mask, KN_SHAPE(6)), v);
    assert_true(kn_array_equal(flat, NUMBERS(1, 2, 1, 2, 10, 20)));
    kn_putmask(x, NUMBERS(0, 2, 0, 0, 0, 1), kn_reshape(kn_arange(50, 56, 1), KN_SHAPE(2, 3)));
    assert_true(kn_array_equal(flat, NUMBERS(1, 51, 1, 2, 10, 55)));
    assert_true(kn_array_equal(v, NUMBERS(10, 20, 30, 40)));
}

/* Who has the value before keeps it; views see what is written. */
static void others_are_as_ever(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 4, 1), before = kn_copy(x), view = kn_at(x, "::2"), i = NUMBERS(0, 2);
    kn_eval(x), kn_eval(i);
    kn_array waits = kn_add(x, 1);
    kn_set_at(x, 9, "%", i);
    assert_true(kn_array_equal(view, NUMBERS(9, 9)));
    assert_true(kn_array_equal(waits, NUMBERS(1, 2, 3, 4)));
    assert_true(kn_array_equal(before, NUMBERS(0, 1, 2, 3)));
}

/* A view that was looked at has elements of its own until the array is written to. */
static void what_a_view_remembers_is_read_before_it_is_forgotten(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(kn_of(int, 0, 41), KN_U16), last = kn_at(x, "1:"), same = kn_at(x, "1:");
    expect_values(last, 41);
    kn_set_at(last, last, "%", kn_of(int64_t, 0));
    expect_values(x, 0, 41);
    expect_values(last, 41);
    kn_set_at(same, last, "%", kn_of(int64_t, 0));
    expect_values(x, 0, 41);
    expect_values(last, 41);
    kn_put(last, 0, last);
    expect_values(x, 0, 41);
    kn_array y = kn_of(int64_t, 0, 2, 1, 3), at = kn_at(y, "1:2");
    expect_values(at, 2);
    kn_set_at(y, kn_of(int64_t, 9), "%", at);
    expect_values(y, 0, 2, 9, 3);
    expect_values(at, 2);
    kn_ufunc_at(kn_ufunc_add, y, at, "%", at);
    expect_values(y, 0, 2, 11, 3);
}

KN_TEST_GROUP(test_few)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_there_runs_nothing),
        TEST(as_through_plans),
        TEST(what_is_read_is_as_it_was),
        TEST(an_operator_in_place_reads_once),
        TEST(puts_and_masks),
        TEST(others_are_as_ever),
        TEST(what_a_view_remembers_is_read_before_it_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
