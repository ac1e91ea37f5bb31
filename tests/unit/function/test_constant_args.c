/* SPDX-License-Identifier: Apache-2.0
 * test_constant_args.c -- kn_jit(.constant_argnums): arrays that are constants of the program, found again by where they
 * lie. What depends on them alone is worked out when it is recorded. */
#include "support/expect.h"
#include "support/group.h"

static int n_recorded;

static kn_array apply(const kn_tree *weights, const kn_array *x)
{
    n_recorded++;
    return kn_matmul(*x, kn_add(kn_transpose(kn_tree_at(*weights, "w")), kn_tree_at(*weights, "b")));
}
KN_FUNCTION(apply, kn_array, kn_tree, kn_array)

static kn_array run(kn_array w, double b, kn_array x)
{
    kn_tree weights = kn_tree_dict("w", w, "b", kn_scalar(b));
    kn_array y = NULL;
    kn_call(kn_jit(KN_FN(apply), .constant_argnums = KN_ARGNUMS(0)), &y, weights, &x);
    return y;
}

static void are_recorded_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_reshape(kn_arange(0.0, 6.0, 1.0), KN_SHAPE(2, 3)), x = kn_ones(KN_SHAPE(1, 3));
    kn_tree weights = kn_tree_dict("w", w, "b", kn_scalar(1.0));
    kn_fn f = kn_jit(KN_FN(apply), .constant_argnums = KN_ARGNUMS(0));
    n_recorded = 0;
    for (int i = 0; i < 5; i++) {
        KN_SCOPE;
        kn_array y;
        kn_call(f, &y, weights, &x);
        expect_values(y, 6, 15);
    }
    assert_int_equal(n_recorded, 1);
}

static void others_are_another_program(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(1, 3));
    expect_values(run(kn_zeros(KN_SHAPE(2, 3)), 0, x), 0, 0);
    expect_values(run(kn_ones(KN_SHAPE(2, 3)), 0, x), 3, 3);
    expect_values(run(kn_ones(KN_SHAPE(2, 3)), 1, x), 6, 6);
}

static void writing_makes_another_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_zeros(KN_SHAPE(2, 3)), x = kn_ones(KN_SHAPE(1, 3));
    expect_values(run(w, 0, x), 0, 0);
    kn_set_at(w, 2.0, "0");
    expect_values(run(w, 0, x), 6, 0);
}

static void memory_that_comes_back_is_not_taken_for_the_old(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        KN_SCOPE;
        kn_array w = kn_full(KN_SHAPE(2, 3), (double)i);
        kn_eval(w);
        expect_values(run(w, 0, kn_ones(KN_SHAPE(1, 3))), 3.0 * i, 3.0 * i);
    }
}

static void count_elements(void *env, const kn_step *step) { *(int64_t *)env += step->elements; }

static void what_depends_on_them_alone_is_worked_out_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree weights = kn_tree_dict("w", kn_ones(KN_SHAPE(200, 30)), "b", kn_scalar(1.0));
    kn_array x = kn_ones(KN_SHAPE(1, 30)), y;
    kn_fn f = kn_jit(KN_FN(apply), .constant_argnums = KN_ARGNUMS(0));
    int64_t elements = 0;
    kn_call(f, &y, weights, &x);
    kn_eval(y);
    kn_on_step(count_elements, &elements);
    kn_call(f, &y, weights, &x);
    kn_eval(y);
    kn_on_step(NULL, NULL);
    assert_true(elements < 200 * 30 / 2); /* the product's results, and no sum of the weights */
}

static void those_that_only_programs_hold_are_let_go(void **state)
{
    (void)state;
    enum { BYTES = 200 * 300 * 8 };
    size_t before = kn_set_cache_limit(KN_CACHE_TRACES, 64 * BYTES), least = kn_cache_stats().memory_live, live = 0;
    for (int i = 0; i < 200; i++) {
        KN_SCOPE;
        run(kn_full(KN_SHAPE(200, 300), (double)i), 0, kn_ones(KN_SHAPE(1, 300)));
        live = kn_cache_stats().memory_live;
    }
    assert_true(live - least < (size_t)150 * BYTES); /* of each the array and what is made of it: 64 and a few */
    kn_set_cache_limit(KN_CACHE_TRACES, before);
}

static kn_array powers(const kn_array *x, const kn_array *n) { return kn_sum(kn_pow(*x, *n)); }
KN_FUNCTION(powers, kn_array, kn_array, kn_array)

/* JAX refuses it too: a value that is a part of the program is none that a derivative could move. */
static void a_derivative_by_one_is_an_error_and_not_0(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), n = kn_scalar(3.0), y = NULL;
    kn_call(kn_grad(kn_jit(KN_FN(powers), .constant_argnums = KN_ARGNUMS(0))), &y, &x, &n);
    expect_error("ValueError", "grad: derivative by argument 0 of powers, which is a constant");
    kn_call(kn_grad(kn_jit(KN_FN(powers), .static_argnums = KN_ARGNUMS(0))), &y, &x, &n);
    expect_error("ValueError", "grad: derivative by argument 0 of powers, which is static");
    kn_call(kn_jacfwd(kn_jit(KN_FN(powers), .static_argnums = KN_ARGNUMS(1)), .argnums = KN_ARGNUMS(1)), &y, &x, &n);
    expect_error("ValueError", "jacfwd: derivative by argument 1 of powers, which is static");
    kn_call(kn_grad(kn_jit(KN_FN(powers), .static_argnums = KN_ARGNUMS(1))), &y, &x, &n);
    expect_values(y, 3, 12, 27);
}

static kn_array repeated(const kn_array *w, const kn_array *x)
{
    return kn_mul(kn_add(kn_zeros(KN_SHAPE(1000, 100)), *w), *x);
}
KN_FUNCTION(repeated, kn_array, kn_array, kn_array)

/* A kernel repeats a row without memory. */
static void constants_are_not_repeated_in_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_arange(0.0, 100.0, 1.0), x = kn_ones(KN_SHAPE(1000, 100)), y;
    kn_fn f = kn_jit(KN_FN(repeated), .constant_argnums = KN_ARGNUMS(0));
    kn_eval(x);
    kn_call(f, &y, &w, &x);
    kn_eval(y);
    size_t before = kn_cache_stats().memory_live;
    kn_array other = kn_arange(1.0, 101.0, 1.0);
    kn_call(f, &y, &other, &x);
    kn_eval(y);
    assert_true(kn_cache_stats().memory_live < before + 1200000); /* the other result, and no other copy of it */
}

static void what_cannot_be_constant(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_jit(KN_FN(apply), .constant_argnums = KN_ARGNUMS(2));
    expect_error_with("ValueError", "constant_argnums 2 is out of range");
    kn_jit(KN_FN(apply), .constant_argnums = KN_ARGNUMS(0), .donate_argnums = KN_ARGNUMS(0));
    expect_error_with("TypeError", "cannot be constant and donated");
}

KN_TEST_GROUP(test_constant_args)
{
    const struct CMUnitTest tests[] = {
        TEST(are_recorded_once),
        TEST(others_are_another_program),
        TEST(writing_makes_another_array),
        TEST(memory_that_comes_back_is_not_taken_for_the_old),
        TEST(what_depends_on_them_alone_is_worked_out_once),
        TEST(those_that_only_programs_hold_are_let_go),
        TEST(a_derivative_by_one_is_an_error_and_not_0),
        TEST(constants_are_not_repeated_in_memory),
        TEST(what_cannot_be_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
