/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic.c -- kn_jit(.symbolic): recorded once, the bits of recordings for each shape; what is refused, and where. */
#include "support/expect.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <stdio.h>
#include <string.h>

static kn_array layer(const kn_array *x, const kn_array *w)
{
    return kn_add(kn_exp(kn_mul(*x, 2)), kn_mean(kn_tanh(kn_matmul(*x, *w)), KN_AXIS(-1), .keepdims = true));
}
KN_FUNCTION(layer, kn_array, kn_array, kn_array)

static kn_array loss(const kn_array *x, const kn_array *w)
{
    kn_array y = kn_tanh(kn_matmul(kn_at(*x, "1:"), *w));
    return kn_sum(kn_mul(y, kn_at(y, "::-1")));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

static kn_array wave(int rows, int columns)
{
    return kn_mul(kn_reshape(kn_arange(0, (double)rows * columns, 1, .dtype = KN_F32), KN_SHAPE(rows, columns)), 0.01f);
}

static const int extents[] = {0, 1, 2, 3, 7, 16, 31, 100, 257, 1000};
enum { N = sizeof extents / sizeof extents[0] };

static void one_recording_has_the_bits_of_many(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn one = kn_jit(KN_FN(layer), .symbolic = "b 8, 8 8"), each = kn_jit(KN_FN(layer));
    kn_array w = wave(8, 8);
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        kn_array x = wave(extents[i], 8), y, z;
        kn_call(one, &y, &x, &w);
        kn_call(each, &z, &x, &w);
        assert_int_equal(kn_dim(y, 0), extents[i]);
        assert_true(kn_array_equal(y, z));
    }
    assert_false(kn_error_pending());
    /* once with a variable, and for the extent 0 */
    assert_int_equal(kn_fn_trace_count(one), 2);
}

static void gradients_of_unknown_lengths(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn one = kn_jit(kn_grad(KN_FN(loss)), .symbolic = "b 8, 8 8", .constraints = "b >= 2");
    kn_fn each = kn_jit(kn_grad(KN_FN(loss)));
    kn_array w = wave(8, 8);
    for (int i = 2; i < N; i++) {
        KN_SCOPE;
        kn_array x = wave(extents[i], 8), y, z;
        kn_call(one, &y, &x, &w);
        kn_call(each, &z, &x, &w);
        assert_true(kn_array_equal(y, z));
    }
    assert_int_equal(kn_fn_trace_count(one), 1);
    assert_false(kn_error_pending());
}

static void expect_message(const char *message)
{
    assert_true(kn_error_pending());
    assert_non_null(strstr(kn_error_message(), message));
    kn_error_clear();
}

static void shapes_that_do_not_match(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(layer), .symbolic = "2*b 8, 8 8", .constraints = "b <= 4");
    kn_array w = wave(8, 8), x = wave(3, 8), y;
    kn_error_clear();
    kn_call(f, &y, &x, &w);
    expect_message("axis 0 of array 0, of shape (3,8), is not 2*b = 2 as .symbolic has it");
    x = wave(10, 8);
    kn_call(f, &y, &x, &w);
    expect_message("a constraint of dimensions does not hold: - b + 4 >= 0");
    x = kn_zeros(KN_SHAPE(8));
    kn_call(f, &y, &x, &w);
    expect_message("array 0 of shape (8,) has not the 2 dimensions that .symbolic has");
    kn_fn wrong = kn_jit(KN_FN(layer), .symbolic = "b 8");
    x = wave(2, 8);
    kn_call(wrong, &y, &x, &w);
    expect_message(".symbolic has 1 shape, the function takes 2 arrays");
}

/* Equalities among the constraints say numbers as the axes do, and are asked as they were written. */
static kn_array plus(const kn_array *x, const kn_array *y) { return kn_add(kn_sum(*x), *y); }
KN_FUNCTION(plus, kn_array, kn_array, kn_array)

static void equalities_give_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *symbolic, *constraints;
        int n, m;
        const char *error; /* NULL: it runs */
    } row[] = {
        {"b, 2*c", "b == 2*c", 6, 6, NULL},
        {"b, 2*c", "b == 2*c", 6, 4, "axis 0 of array 1, of shape (4,), is not 2*c = 6 as .symbolic has it"},
        {"b, 2*c", "b == 2*c", 3, 3, "axis 0 of array 0, of shape (3,), is not 2*c = 2 as .symbolic has it"},
        {"b, c", "b == 2*c", 6, 3, NULL},
        {"b, c", "b == 2*c", 6, 4, "axis 0 of array 0, of shape (6,), is not 2*c = 8 as .symbolic has it"},
        {"b, t", "8*t == b", 16, 2, NULL},
        {"b, t", "8*t == b", 16, 3, "a constraint of dimensions does not hold: 8*t - b == 0"},
        {"b, k", "8*t == b", 16, 3, NULL},
        {"b, k", "8*t == b", 12, 3, "a constraint of dimensions does not hold: 8*t - b == 0"},
        {"t, floordiv(b,2)", "8*t == b", 2, 8, NULL},
        {"t, floordiv(b,2)", "8*t == b", 2, 9, "axis 0 of array 1, of shape (9,), is not floordiv(b, 2) = 8"},
        {"b, k", "b <= 4*c; c <= 2", 4, 8, "the shapes of a call do not say what the dimension variable c is"},
        {"b, k", "b == 2*c; c <= 2", 6, 8, "a constraint of dimensions does not hold: - c + 2 >= 0"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        KN_SCOPE;
        kn_array x = kn_ones(KN_SHAPE(row[i].n)), y = kn_ones(KN_SHAPE(row[i].m)), z;
        kn_fn f = kn_jit(KN_FN(plus), .symbolic = row[i].symbolic, .constraints = row[i].constraints);
        for (int again = 0; again < 2; again++) {
            int failed = kn_call(f, &z, &x, &y);
            assert_int_equal(failed, row[i].error ? -1 : 0);
            if (row[i].error)
                expect_message(row[i].error);
            else
                assert_true(kn_item(kn_at(z, "0")) == row[i].n + 1);
        }
    }
    assert_false(kn_error_pending());
}

/* What one function's constraints decided is not taken over by another one, whose variables have the same names. */
static kn_array largest(const kn_array *x) { return kn_max(kn_at(*x, "1:")); }
KN_FUNCTION(largest, kn_array, kn_array)
static kn_array calls_largest(const kn_array *x)
{
    kn_array y;
    kn_fn f = kn_jit(KN_FN(largest));
    kn_call(f, &y, x);
    return y;
}
KN_FUNCTION(calls_largest, kn_array, kn_array)

static void constraints_are_a_functions_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 3, 1, 2), y;
    kn_fn longer = kn_jit(KN_FN(calls_largest), .symbolic = "b", .constraints = "b >= 2");
    kn_fn any = kn_jit(KN_FN(calls_largest), .symbolic = "b");
    kn_call(longer, &y, &x);
    assert_true(kn_item(y) == 2);
    assert_false(kn_error_pending());
    kn_call(any, &y, &x);
    expect_message("'b - 1' <= '0' is inconclusive");
}

/* .checks: what is not decided comes out as for the first call, and each later call is asked. */
static void comparisons_may_be_checks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(calls_largest), .symbolic = "b", .checks = true);
    kn_array x = kn_of(float, 3, 1, 2), one = kn_of(float, 3), y;
    for (int n = 2; n < 40; n++) {
        kn_array z = kn_arange(0, n, 1, .dtype = KN_F32);
        kn_call(f, &y, &z);
        assert_true(kn_item(y) == n - 1);
    }
    assert_int_equal(kn_fn_trace_count(f), 1);
    kn_call(f, &y, &one);
    assert_string_equal(kn_error_kind_name(), "ValueError");
    expect_message("calls_largest was recorded for b > 1 (");
    kn_call(f, &y, &one);
    expect_message("test_symbolic.c:");
    kn_call(f, &y, &one);
    expect_message("), which does not hold for b = 1");
    kn_call(f, &y, &x);
    assert_true(kn_item(y) == 2);
    assert_non_null(strstr(kn_fn_explain(f), "f32[b], 1 program where b > 1 ("));
    assert_null(kn_jit(KN_FN(largest), .checks = true));
    expect_message(".checks are of dimension variables, which .symbolic names");
}

static kn_array joined(const kn_array *x, const kn_array *y) { return kn_add(*x, *y); }
KN_FUNCTION(joined, kn_array, kn_array, kn_array)

static void equalities_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(joined), .symbolic = "b, t", .checks = true), g = kn_jit(KN_FN(joined), .symbolic = "b, t");
    kn_array x = kn_of(float, 3, 1, 2), y = kn_of(float, 3, 1), z;
    kn_call(f, &z, &x, &x);
    assert_false(kn_error_pending());
    kn_call(f, &z, &y, &y);
    assert_false(kn_error_pending());
    kn_call(f, &z, &x, &y);
    expect_message("joined was recorded for t == b (");
    kn_call(g, &z, &x, &x);
    assert_true(kn_error_pending());
    kn_error_clear();
}

/* A tree of unknown structure comes out: seen once, with the variables; where no one names them, also for the first
 * two shapes. */
static int times_recorded;
static kn_tree two_of(const kn_array *x)
{
    times_recorded++;
    return kn_tree_tuple(kn_mul(*x, 2), kn_sum(*x));
}
KN_FUNCTION(two_of, kn_tree, kn_array)

static void check_trees(kn_fn f, int dims, int most)
{
    times_recorded = 0;
    for (int n = 2; n < 40; n++) {
        KN_SCOPE;
        kn_array x = kn_arange(0, n, 1, .dtype = KN_F32);
        kn_tree y = NULL;
        if (dims == 2)
            x = kn_reshape(x, KN_SHAPE(n, 1));
        kn_call(f, &y, &x);
        assert_false(kn_error_pending());
        assert_int_equal(kn_tree_count(y), 2);
        assert_true(kn_item(kn_sum(kn_tree_get(y, 1))) == n * (n - 1) / 2);
    }
    assert_true(times_recorded <= most);
}

static void trees_that_come_out(void **state)
{
    (void)state;
    KN_SCOPE;
    check_trees(kn_jit(KN_FN(two_of), .symbolic = "b"), 1, 1);
    kn_fn f = kn_jit(KN_FN(two_of), .symbolic = KN_ALL);
    check_trees(f, 1, 3);
    assert_string_equal(kn_fn_explain(f), "f32[2]\nf32[b], 1 program\n");
    check_trees(kn_jit(KN_FN(two_of), .symbolic = "b", .checks = true), 1, 2);
    check_trees(kn_jit(kn_vmap(KN_FN(two_of)), .symbolic = KN_ALL), 2, 3);
    check_trees(kn_jit(kn_checkpoint(KN_FN(two_of)), .symbolic = KN_ALL), 1, 3);
    bool before = kn_set_symbolic(true);
    check_trees(kn_jit(KN_FN(two_of)), 1, 3);
    kn_set_symbolic(before);
}

/* Nothing is guessed of a function whose tree depends on the extent. */
static kn_tree as_many_as(const kn_array *x)
{
    kn_tree two = kn_tree_tuple(kn_mul(*x, 2), kn_sum(*x));
    return kn_dim(*x, 0) % 2 ? two : kn_tree_tuple(two, kn_max(*x));
}
KN_FUNCTION(as_many_as, kn_tree, kn_array)

static void trees_that_depend_on_extents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(as_many_as), .symbolic = KN_ALL);
    for (int i = 0; i < 60; i++) {
        KN_SCOPE;
        int n = 2 + i % 13;
        kn_array x = kn_arange(0, n, 1, .dtype = KN_F32);
        kn_tree y = NULL;
        kn_call(f, &y, &x);
        assert_false(kn_error_pending());
        assert_int_equal(kn_tree_count(y), n % 2 ? 2 : 3);
        assert_true(kn_item(kn_tree_get(y, 1)) == n * (n - 1) / 2);
    }
}

/* A number made of an extent: where it does not fit, or lies beyond all values, it is what it is of a number. */
#define OF_EXTENTS(F)                                            \
    F(added, kn_add(kn_dim_sub(n, 150), *x))                     \
    F(larger, kn_maximum(n, *x))                                 \
    F(cut, kn_clip(*x, 3, kn_dim_sub(n, 100)))                   \
    F(cut_below, kn_clip(*x, kn_dim_sub(50, n), 100))            \
    F(less, kn_less(*x, kn_dim_sub(100, n)))                     \
    F(differs, kn_not_equal(kn_dim_sub(n, 300), *x))             \
    F(equals, kn_equal(*x, n))                                   \
    F(filled, kn_full(KN_SHAPE(3), n, .dtype = kn_dtype_of(*x))) \
    F(chosen, kn_where(kn_greater(*x, 1), *x, n))
#define F(name, call)                       \
    static kn_array name(const kn_array *x) \
    {                                       \
        int64_t n = kn_dim(*x, 0);          \
        return call;                        \
    }                                       \
    KN_FUNCTION(name, kn_array, kn_array)
OF_EXTENTS(F)
#undef F

/* What it gives; NULL: an error, of which the text is behind the functions' names. */
static kn_array called(kn_fn f, kn_array x, char text[200])
{
    kn_array y = NULL;
    kn_call(f, &y, &x);
    kn_eval(y);
    const char *colon = kn_error_pending() ? strrchr(kn_error_message(), ':') : NULL;
    snprintf(text, 200, "%s", colon ? colon : "");
    kn_error_clear();
    return colon ? NULL : y;
}

static void numbers_of_extents_fit_or_not(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_dtype d[] = {KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64, KN_F16, KN_F32};
    kn_fn f[] = {
#define F(name, call) KN_FN(name),
        OF_EXTENTS(F)
#undef F
    };
    int errors = 0;
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        for (size_t k = 0; k < sizeof d / sizeof *d; k++) {
            kn_fn each = kn_jit(f[i]), one[] = {kn_jit(f[i], .symbolic = "b"), kn_jit(f[i], .symbolic = KN_ALL)};
            for (int n = 50; n < 400; n += 50) {
                KN_SCOPE;
                char want[200], text[200];
                kn_array x = kn_arange(0, n, 1, .dtype = d[k]), y = called(each, x, want);
                errors += *want != 0;
                for (int v = 0; v < 2; v++) {
                    kn_array z = called(one[v], x, text);
                    assert_string_equal(text, want);
                    assert_true(!y || kn_array_equal(y, z));
                }
            }
        }
    assert_true(errors > 20);
    kn_array x = kn_arange(0, 200, 1, .dtype = KN_I8), y;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(added), KN_ARGS(&x), .symbolic = "b");
    assert_null(strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "fits"));
    j = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    x = kn_arange(0, 400, 1, .dtype = KN_I8);
    assert_int_equal(kn_call(kn_fn_from_jaxpr(j), &y, &x), -1);
    expect_message("integer 250 out of bounds for int8");
}

KN_TEST_GROUP(test_symbolic)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_recording_has_the_bits_of_many),
        cmocka_unit_test(gradients_of_unknown_lengths),
        cmocka_unit_test(shapes_that_do_not_match),
        cmocka_unit_test(equalities_give_numbers),
        cmocka_unit_test(constraints_are_a_functions_own),
        cmocka_unit_test(comparisons_may_be_checks),
        cmocka_unit_test(equalities_too),
        cmocka_unit_test(trees_that_come_out),
        cmocka_unit_test(trees_that_depend_on_extents),
        cmocka_unit_test(numbers_of_extents_fit_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
