/* SPDX-License-Identifier: Apache-2.0
 * test_macros.c -- the conveniences of kiln/macros.h: what they make, and that arguments are evaluated once, from left to right. */
#include "support/expect.h"
#include "support/group.h"
#include <complex.h>

static int calls;
static int next(void) { return ++calls; }

/* ---- Numbers. */

static void every_number_of_c_goes_where_arrays_go(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int8_t, 1, 2);
    bool b = true;
    char c = 3;
    signed char sc = 4;
    unsigned char uc = 5;
    short s = 6;
    unsigned short us = 7;
    unsigned u = 8;
    long l = 9;
    unsigned long ul = 10;
    long long ll = 11;
    unsigned long long ull = 12;
    enum { SEVEN = 7 } e = SEVEN;
    struct {
        unsigned field : 3;
    } bits = {5};
    expect_values(kn_add(x, b), 2, 3);
    expect_values(kn_add(x, c), 4, 5);
    expect_values(kn_add(x, sc), 5, 6);
    expect_values(kn_add(x, uc), 6, 7);
    expect_values(kn_add(x, s), 7, 8);
    expect_values(kn_add(x, us), 8, 9);
    expect_values(kn_add(x, 20), 21, 22);
    expect_values(kn_add(x, u), 9, 10);
    expect_values(kn_add(x, l), 10, 11);
    expect_values(kn_add(x, ul), 11, 12);
    expect_values(kn_add(x, ll), 12, 13);
    expect_values(kn_add(x, ull), 13, 14);
    expect_values(kn_add(x, e), 8, 9);
    expect_values(kn_add(x, bits.field + 0), 6, 7);
    assert_ptr_equal(kn_dtype_of(kn_add(x, ull)), KN_I8);
    expect_values(kn_add(x, 1.5f), 2.5, 3.5);
    expect_values(kn_add(x, 2.5), 3.5, 4.5);
    assert_ptr_equal(kn_dtype_of(kn_add(x, 2.5)), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_add(x, 1.0f * I)), KN_C128);
    assert_ptr_equal(kn_dtype_of(kn_add(kn_of(float, 1), 2.0 * I)), KN_C64);
    expect_values(kn_imag(kn_add(x, 2.0 * I)), 2, 2);
    expect_values(kn_add(kn_of(uint64_t, 0), UINT64_MAX), 18446744073709551615.0);
}

static void numbers_by_name(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_ptr_equal(kn_dtype_of(kn_add(kn_of(float, 1), kn_num(2))), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_add(kn_of(float, 1), kn_scalar(2.0))), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_scalar(2)), KN_I32);
    assert_ptr_equal(kn_dtype_of(kn_scalar(2.0f)), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_scalar((uint16_t)2)), KN_U16);
    assert_ptr_equal(kn_dtype_of(kn_scalar(2L)), sizeof(long) == 8 ? KN_I64 : KN_I32);
    assert_ptr_equal(kn_dtype_of(kn_scalar((bool)1)), KN_BOOL);
    assert_ptr_equal(kn_dtype_of(kn_scalar(1.0f * I)), KN_C64);
    expect_values(kn_where(KN_TRUE, 1, 2), 1);
    expect_values(kn_where(KN_FALSE, 1, 2), 2);
    expect_values(kn_clip(kn_of(int, 1, 5), KN_NONE, 3), 1, 3);
}

static void memory_becomes_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    double plain[] = {1, 2, 3, 4, 5, 6};
    const int16_t constant[] = {7, 8};
    kn_c64 pairs[] = {{1, 2}, {3, 4}};
    kn_array x = kn_from(plain, KN_SHAPE(2, 3));
    expect_values(kn_at(x, "1"), 4, 5, 6);
    assert_ptr_equal(kn_dtype_of(x), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_from(constant, KN_SHAPE(2))), KN_I16);
    expect_values(kn_imag(kn_from(pairs, KN_SHAPE(2))), 2, 4);
    assert_true(kn_data(x, double)[4] == 5);
    assert_null(kn_data(x, float));
    expect_error_with("TypeError", "float64");
    assert_int_equal(kn_size(kn_of(float)), 0);
    assert_ptr_equal(kn_dtype_of(kn_of(bool, true, false)), KN_BOOL);
    double back[6];
    assert_int_equal(kn_copy_to(x, back, sizeof back), 0);
    assert_memory_equal(back, plain, sizeof back);
}

/* ---- Shapes, axes, options. */

static void shapes_and_axes_count_themselves(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(KN_SHAPE().ndim, 0);
    assert_int_equal(KN_SHAPE(2, -1).ndim, 2);
    assert_int_equal(KN_SHAPE(2, -1).dim[1], -1);
    assert_int_equal(KN_AXIS().n, 1);
    assert_int_equal(KN_AXIS(0, -1).n, 3);
    assert_int_equal(KN_AXIS_NONE.n, -1);
    assert_int_equal(KN_ARGNUMS(1, 0).n, 2);
    assert_int_equal(KN_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1)
                         .ndim,
                     64);
    assert_int_equal(kn_ndim(kn_zeros(KN_SHAPE())), 0);
    kn_array x = kn_ones(KN_SHAPE(2, 3));
    assert_int_equal(kn_ndim(kn_sum(x)), 0);
    assert_int_equal(kn_ndim(kn_sum(x, KN_AXIS())), 2);
    assert_int_equal(kn_ndim(kn_sum(x, KN_AXIS_NONE, .keepdims = true)), 2);
    assert_int_equal(kn_ndim(kn_sum(x, .axis = KN_AXIS(1))), 1);
    assert_int_equal(kn_ndim(kn_zeros(kn_shape_of(x))), 2);
}

static void zero_is_a_value_and_not_the_default(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_allclose(1.0, 1.000001));
    assert_false(kn_allclose(1.0, 1.000001, .rtol = 0));
    assert_false(kn_allclose(0.0, 1e-9, .atol = 0));
    expect_values(kn_linspace(0, 1, 2, .endpoint = false), 0, 0.5);
    expect_values(kn_linspace(0, 1, 2, .dtype = KN_F32), 0, 1);
    assert_int_equal(kn_dim(kn_eye(3, .M = 0), 1), 0);
}

static void the_functions_themselves_take_structs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3));
    kn_sum_opts o = kn_sum_opts_default();
    o.keepdims = true;
    assert_int_equal(o.size_, sizeof o);
    assert_int_equal(kn_ndim((kn_sum)(x, &o)), 2);
    o.size_ = offsetof(kn_sum_opts, keepdims); /* a caller that does not know keepdims yet */
    assert_int_equal(kn_ndim((kn_sum)(x, &o)), 0);
    expect_values((kn_add)(x, x), 2, 2, 2, 2, 2, 2);
}

/* ---- Order. */

static char order[64];
static kn_array mark(char c)
{
    size_t n = strlen(order);
    order[n] = c;
    order[n + 1] = 0;
    return kn_like_int(c - '0');
}
static int mark_int(char c)
{
    size_t n = strlen(order);
    order[n] = c;
    order[n + 1] = 0;
    return c - '0';
}
#define expect_order(text) (assert_string_equal(order, text), (void)(order[0] = '\0'))

static void arguments_are_evaluated_once_from_left_to_right(void **state)
{
    (void)state;
    KN_SCOPE;
    calls = 0;
    expect_values(kn_add(kn_of(int, 10), next()), 11);
    assert_int_equal(calls, 1);
    expect_values(kn_sub(mark('7'), mark('2')), 5);
    expect_order("72");
    expect_values(kn_add(mark('1'), mark('2'), mark('3'), mark('4'), mark('5'), mark('6'), mark('7'), mark('8')), 36);
    expect_order("12345678");
    expect_values(kn_where(mark('1'), mark('2'), mark('3')), 2);
    expect_order("123");
    expect_values(kn_sum(mark('4'), .initial = mark('5'), .where = mark('1')), 9);
    expect_order("451");
    expect_values(
        kn_at(kn_mul(kn_of(int, 0, 1, 2, 3, 4, 5), mark('2')), "%:%:%", mark_int('1'), mark_int('5'), mark_int('3')), 2,
        8);
    expect_order("2153");
    expect_values(kn_stack(KN_LIST(mark('1'), mark('2'), mark('3'))), 1, 2, 3);
    expect_order("123");
    assert_int_equal(KN_SHAPE(next(), next()).dim[1], 3);
    kn_reshape(mark('1'), KN_SHAPE(mark_int('1'), mark_int('1')));
    expect_order("111");
    {
        KN_SCOPE;
        kn_array slot = kn_num(1), *slots[] = {&slot};
        kn_assign(slots[mark_int('0')], mark('4'));
        expect_order("04");
        expect_values(slot, 4);
    }
    assert_int_equal(kn_printf("%s", ""), 0);
}

static void folds_go_from_the_left(void **state)
{
    (void)state;
    KN_SCOPE;
    double big = 1e16;
    expect_values(kn_add(kn_scalar(1.0), kn_scalar(big), kn_scalar(-big)), 0);
    expect_values(kn_add(kn_scalar(big), kn_scalar(-big), kn_scalar(1.0)), 1);
    expect_values(kn_mul(2, 3, 4, kn_of(int, 1, 2)), 24, 48);
    expect_values(kn_multiply(1, 2, 3, 4, 5), 120);
    expect_values(kn_add(1, 2, 3, 4, 5, 6), 21);
    expect_values(kn_mul(1, 2, 3, 4, 5, 6, 7), 5040);
}

static void calls_nest_twelve_deep(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1);
    expect_values(
        kn_add(
            1,
            kn_add(
                1,
                kn_add(
                    1,
                    kn_add(
                        1,
                        kn_add(1, kn_add(1, kn_add(1, kn_add(1, kn_add(1, kn_add(1, kn_add(1, kn_add(1, x)))))))))))),
        13);
    expect_values(
        kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(kn_sum(x, .keepdims = true),
                                                                                     .keepdims = true),
                                                                              .keepdims = true),
                                                                       .keepdims = true),
                                                                .keepdims = true),
                                                         .keepdims = true),
                                                  .keepdims = true),
                                           .keepdims = true),
                                    .keepdims = true),
                             .keepdims = true),
                      .keepdims = true),
               .keepdims = true),
        1);
    expect_values(
        kn_at(kn_at(kn_at(x, "%:", kn_item_int(kn_at(kn_of(int, 0), "%", 0))), "%", kn_at(kn_of(int64_t, 0), ":")),
              "0"),
        1);
    expect_values(
        kn_linspace(kn_sum(kn_linspace(0, 1, 2, .endpoint = false)), kn_sum(kn_linspace(0, 1, 3, .endpoint = true)), 2),
        0.5, 1.5);
    expect_values(kn_concatenate(KN_LIST(kn_concatenate(KN_LIST(x, x)), kn_stack(KN_LIST(1.0, kn_sum(x))))), 1, 1, 1,
                  1);
}

/* ---- Places and scopes. */

static void an_error_knows_the_line_of_the_call(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3));
    int line = __LINE__ + 1;
    kn_sum(kn_add(x, 1), KN_AXIS(4));
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_file(), "test_macros.c"));
    kn_error_clear();
    line = __LINE__ + 1;
    kn_array bad = kn_take(x, 7, KN_AXIS(0));
    assert_false(kn_ok(bad));
    assert_int_equal(kn_error_line(), line);
    expect_error("IndexError", "take: index 7 is out of bounds for axis 0 with size 2");
}

static int leave_early(int how)
{
    int64_t before = kn_live_count();
    for (int i = 0; i < 3; i++) {
        KN_SCOPE;
        kn_ones(KN_SHAPE(2));
        if (how == 0)
            continue;
        if (how == 1)
            break;
        if (how == 2)
            goto out;
        return (int)(kn_live_count() - before);
    }
out:
    return (int)(kn_live_count() - before);
}

static void scopes_end_however_a_block_is_left(void **state)
{
    (void)state;
    int64_t before = kn_live_count();
    for (int how = 0; how < 3; how++)
        assert_int_equal(leave_early(how), 0);
    assert_int_equal(leave_early(3), 1);
    assert_int_equal(kn_live_count(), before);
}

static kn_array kept(void)
{
    KN_SCOPE;
    KN_SCOPE; /* two in one block are fine */
    return kn_keep(kn_keep(kn_of(int, 1, 2)));
}

static void kept_values_live_on(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kept(), 1, 2);
}

/* ---- Functions. */

typedef struct {
    kn_array a, b;
} Two;
typedef struct {
    kn_array value;
    Two rest;
} Three;
static Three three(const Two *x, const kn_array *y) { return (Three){kn_mul(x->a, *y), {x->b, *y}}; }
KN_FUNCTION(three, Three, Two, kn_array)

typedef struct {
    int64_t power;
} Env;
static kn_array powered(const Env *env, const kn_array *x) { return kn_power(*x, env->power); }
KN_FUNCTION_ENV(powered, kn_array, Env, kn_array)

static kn_array scaled(const Two *captured, const kn_array *x) { return kn_add(kn_mul(captured->a, *x), captured->b); }
KN_CLOSURE(scaled, kn_array, Two, kn_array)

static kn_array eight(const kn_array *a, const kn_array *b, const kn_array *c, const kn_array *d, const kn_array *e,
                      const kn_array *f, const kn_array *g, const kn_array *h)
{
    return kn_sub(kn_add(*a, *b, *c, *d, *e, *f, *g), *h);
}
KN_FUNCTION(eight, kn_array, kn_array, kn_array, kn_array, kn_array, kn_array, kn_array, kn_array, kn_array)

static void calls_fill_structs_and_parts(void **state)
{
    (void)state;
    KN_SCOPE;
    Two in = {kn_scalar(2.0), kn_scalar(3.0)};
    kn_array y = kn_scalar(5.0), value;
    Three out;
    Two rest;
    assert_int_equal(kn_call(KN_FN(three), &out, &in, &y), 0);
    expect_values(out.value, 10);
    assert_int_equal(kn_call(KN_FN(three), KN_OUT(&value, &rest), &in, &(kn_array){kn_scalar(7.0)}), 0);
    expect_values(value, 14);
    expect_values(rest.a, 3);
    kn_call(KN_FN(three), KN_TREE(&out), KN_TREE(&in), &y);
    expect_values(out.rest.b, 5);
    kn_call(KN_FN(eight), &value, &y, &y, &y, &y, &y, &y, &y, &y);
    expect_values(value, 30);
    kn_call(KN_FN_ENV(powered, &(Env){3}), &value, &y);
    expect_values(value, 125);
    kn_call(KN_CLOSE(scaled, &in), &value, &y);
    expect_values(value, 13);
}

static void transformations_take_named_options(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), one = kn_scalar(1.0), y, dy;
    kn_fn cube = KN_FN_ENV(powered, &(Env){3});
    kn_call(kn_grad(cube), &y, &x);
    expect_values(y, 12);
    kn_call(kn_value_and_grad(cube, .argnums = KN_ARGNUMS(0)), KN_OUT(&y, &dy), &x);
    expect_values(y, 8);
    expect_values(dy, 12);
    kn_jvp(cube, KN_ARGS(&x), KN_ARGS(&(kn_array){kn_scalar(0.5)}), &y, &dy);
    expect_values(dy, 6);
    kn_fn pullback = kn_vjp(cube, KN_ARGS(&x), &y), linear = kn_linearize(cube, KN_ARGS(&x), &y);
    kn_call(pullback, &dy, &one);
    expect_values(dy, 12);
    kn_call(linear, &dy, &one);
    expect_values(dy, 12);
    kn_array a = kn_of(double, 1, 2), b = kn_ones(KN_SHAPE(3));
    Two pair = {a, a};
    Three out;
    kn_call(kn_vmap(KN_FN(three), .in_axes = {KN_MAPPED(-1), KN_UNMAPPED}), &out, &pair, &b);
    assert_int_equal(kn_ndim(out.value), 2);
    assert_int_equal(KN_MAPPED(0).code, 2);
    assert_int_equal(KN_MAPPED(-1).code, -1);
    kn_eval_shape(cube, KN_ARGS(&b), &y);
    assert_int_equal(kn_dim(y, 0), 3);
}

/* ---- Text. */

static void printf_checks_what_it_is_given(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_printf("%d %5.2f %s %x %%\n", 3, kn_scalar(2.5f), "abc", 255u), 17);
    assert_int_equal(kn_printf("%g %g %u %ld\n", 1, kn_scalar(2), UINT64_MAX, 7L), 27);
    assert_int_equal(kn_printf("none\n"), 5);
    kn_printf("%d\n", 1.5);
    expect_error("TypeError", "printf: conversion %d does not take argument 0, which is a floating-point number");
    kn_printf("%d %d\n", 1);
    expect_error("TypeError", "printf: the format has 2 conversions, but was given 1 argument");
    kn_printf("%n", 1);
    expect_error_with("ValueError", "cannot read the conversion");
    kn_printf("%g\n", kn_ones(KN_SHAPE(2)));
    expect_error("TypeError", "printf: only arrays with one element can be printed as numbers, not float64[2]");
    kn_printf("%s\n", 3);
    expect_error_with("TypeError", "which is an integer");
    kn_print(kn_scalar(1.0 / 3), .precision = 3);
}

KN_TEST_GROUP(test_macros)
{
    const struct CMUnitTest tests[] = {
        TEST(every_number_of_c_goes_where_arrays_go),
        TEST(numbers_by_name),
        TEST(memory_becomes_arrays),
        TEST(shapes_and_axes_count_themselves),
        TEST(zero_is_a_value_and_not_the_default),
        TEST(the_functions_themselves_take_structs),
        TEST(arguments_are_evaluated_once_from_left_to_right),
        TEST(folds_go_from_the_left),
        TEST(calls_nest_twelve_deep),
        TEST(an_error_knows_the_line_of_the_call),
        TEST(scopes_end_however_a_block_is_left),
        TEST(kept_values_live_on),
        TEST(calls_fill_structs_and_parts),
        TEST(transformations_take_named_options),
        TEST(printf_checks_what_it_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
