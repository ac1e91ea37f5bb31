/* SPDX-License-Identifier: Apache-2.0
 * test_nn_sampling.c -- what is left out of logits (tests/golden/layers.npz), and what is drawn of the rest. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef kn_array (*function)(kn_array x, const golden *g);
static kn_array top_k(kn_array x, const golden *g) { return (void)g, kn_nn_filter_logits(x, .top_k = 5); }
static kn_array top_p(kn_array x, const golden *g) { return (void)g, kn_nn_filter_logits(x, .top_p = kn_num(0.9)); }
static kn_array min_p(kn_array x, const golden *g) { return (void)g, kn_nn_filter_logits(x, .min_p = kn_num(0.05)); }
static kn_array warm(kn_array x, const golden *g)
{
    return (void)g, kn_nn_filter_logits(x, .temperature = kn_num(0.7), .top_k = 12, .top_p = kn_num(0.8));
}
static kn_array all(kn_array x, const golden *g)
{
    (void)g;
    return kn_nn_filter_logits(x, .temperature = kn_num(1.5), .top_k = 20, .top_p = kn_num(0.95),
                               .min_p = kn_num(0.02));
}
static kn_array penalized(kn_array x, const golden *g)
{
    return kn_nn_penalize_logits(x, golden_array(golden_find(g, "seen")), .repetition = kn_num(1.3));
}
static kn_array counted(kn_array x, const golden *g)
{
    return kn_nn_penalize_logits(x, golden_array(golden_find(g, "seen")), .frequency = kn_num(0.2),
                                 .presence = kn_num(0.7));
}

static const struct {
    const char *name;
    function f;
} cases[] = {{"filter top_k", top_k}, {"filter top_p", top_p},  {"filter min_p", min_p}, {"filter warm", warm},
             {"filter all", all},     {"penalized", penalized}, {"counted", counted}};
enum { N_CASES = sizeof cases / sizeof *cases };

static void logits_are_those_of_the_usual_programs(void **state)
{
    (void)state;
    golden g = golden_read("layers.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        kn_array x = golden_array(golden_find(&g, "logits")), y = cases[i].f(x, &g);
        golden_close(cases[i].name, y, golden_find(&g, cases[i].name), 1e-13, 1e-13);
        kn_array one = cases[i].f(kn_astype(x, KN_F32), &g);
        assert_ptr_equal(kn_dtype_of(one), KN_F32);
        golden_close(cases[i].name, kn_astype(one, KN_F64), golden_find(&g, cases[i].name), 1e-6, 1e-6);
        assert_ptr_equal(kn_dtype_of(cases[i].f(kn_astype(x, KN_BF16), &g)), KN_BF16);
    }
    golden_free(&g);
}

/* Options that are operands: a number for each row, under jit and vmap. */
static kn_array step(const kn_array *x, const kn_array *temperature, const kn_array *p)
{
    return kn_nn_filter_logits(*x, .temperature = *temperature, .top_p = *p, .min_p = kn_div(*p, 100));
}
KN_FUNCTION(step, kn_array, kn_array, kn_array, kn_array)

static void each_row_has_options_of_its_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(4), KN_SHAPE(3, 50)), t = kn_of(double, 0.5, 0, 2), y, z;
    kn_array p = kn_of(double, 0.9, 0.3, 0.7);
    kn_call(kn_jit(KN_FN(step)), &y, &x, &t, &p);
    kn_call(kn_vmap(KN_FN(step)), &z, &x, &t, &p);
    assert_true(kn_allclose(y, z));
    for (int i = 0; i < 3; i++) {
        kn_array row = kn_at(x, "%", i), ti = kn_at(t, "%", i), pi = kn_at(p, "%", i);
        assert_true(kn_allclose(kn_at(y, "%", i), step(&row, &ti, &pi)));
    }
    assert_true(kn_item(kn_sum(kn_isfinite(kn_at(y, "1")))) == 1); /* temperature 0 */
}

static kn_array draw(const kn_array *key, const kn_array *x, const kn_array *temperature)
{
    return kn_nn_sample(*key, *x, .temperature = *temperature, .top_k = 3);
}
KN_FUNCTION(draw, kn_array, kn_array, kn_array, kn_array)

static void temperature_zero_is_the_first_of_the_largest(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 1, 7, 7, 0, 5, 5, 2, 1), KN_SHAPE(2, 4)), zero = kn_scalar(0.0), y;
    for (int seed = 0; seed < 5; seed++) {
        kn_array key = kn_random_key(seed);
        kn_call(kn_jit(KN_FN(draw)), &y, &key, &x, &zero);
        assert_ptr_equal(kn_dtype_of(y), KN_I64);
        expect_values(y, 1, 0);
    }
}

static void without_options_it_is_categorical(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(4), KN_SHAPE(7, 50)), key = kn_random_key(9);
    assert_true(kn_array_equal(kn_nn_sample(key, x), kn_random_categorical(key, x)));
}

static void how_often_each_is_drawn_fits_its_probability(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { DRAWS = 40000 };
    kn_array p = kn_of(double, 0.5, 0.02, 0.3, 0.18), rows = kn_broadcast_to(kn_log(p), KN_SHAPE(DRAWS, 4));
    kn_array y = kn_nn_sample(kn_random_key(2), rows, .top_p = kn_num(0.9));
    kn_array n = kn_div(kn_astype(kn_bincount(y, .minlength = 4), KN_F64), DRAWS);
    kn_array want = kn_div(kn_of(double, 0.5, 0, 0.3, 0.18), 0.98); /* 0.02 is left out */
    assert_true(kn_item(kn_max(kn_abs(kn_sub(n, want)))) < 0.01);
}

static void ties_at_the_border_stay_together(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 3, 1, 2, 2);
    expect_values(kn_nn_filter_logits(x, .top_k = 2), 3, -INFINITY, 2, 2);
    expect_values(kn_nn_filter_logits(x, .top_k = 9), 3, 1, 2, 2);
    expect_values(kn_nn_filter_logits(x, .top_p = kn_num(0)), 3, -INFINITY, -INFINITY, -INFINITY);
    expect_values(kn_nn_filter_logits(x, .top_p = kn_num(1)), 3, 1, 2, 2);
    expect_values(kn_nn_filter_logits(x, .min_p = kn_num(0)), 3, 1, 2, 2);
    expect_values(kn_nn_filter_logits(x, .min_p = kn_num(2)), 3, -INFINITY, -INFINITY,
                  -INFINITY); /* the largest stays */
    expect_values(kn_nn_filter_logits(x, .min_p = kn_num(NAN)), 3, -INFINITY, -INFINITY, -INFINITY);
    expect_values(kn_nn_filter_logits(x, .min_p = kn_num(-1)), 3, 1, 2, 2);
    expect_values(kn_nn_filter_logits(kn_of(double, 5), .top_p = kn_num(0.5), .top_k = 1), 5);
}

static void wrong_operands_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 4)), key = kn_random_key(0);
    kn_nn_sample(key, kn_scalar(1.0));
    expect_error("ValueError", "nn_sample: logits must have a last axis with at least one element");
    kn_nn_sample(key, kn_ones(KN_SHAPE(2, 0)));
    expect_error("ValueError", "nn_sample: logits must have a last axis with at least one element");
    kn_nn_sample(key, x, .top_k = -1);
    expect_error("ValueError", "nn_sample: top_k must not be negative, but is -1");
    kn_nn_sample(key, x, .temperature = kn_of(double, 1, 2, 3));
    expect_error("ValueError", "nn_sample: temperature must be a number or have the shape (2,), but has (3,)");
    kn_nn_penalize_logits(x, kn_of(int, 1, 2));
    expect_error(
        "ValueError",
        "nn_penalize_logits: ids must have the axes of the logits but for the last, but got (2,) beside (2,4)");
    kn_nn_penalize_logits(x, x);
    expect_error("TypeError", "nn_penalize_logits: ids must be integers, but got float64");
    assert_int_equal(kn_size(kn_nn_sample(key, kn_ones(KN_SHAPE(0, 4)), .top_k = 2)), 0);
    assert_int_equal(kn_size(kn_nn_penalize_logits(kn_ones(KN_SHAPE(0, 4)), kn_zeros(KN_SHAPE(0, 2), .dtype = KN_I32))),
                     0);
    expect_no_error();
}

KN_TEST_GROUP(test_nn_sampling)
{
    const struct CMUnitTest tests[] = {
        TEST(logits_are_those_of_the_usual_programs),
        TEST(each_row_has_options_of_its_own),
        TEST(temperature_zero_is_the_first_of_the_largest),
        TEST(without_options_it_is_categorical),
        TEST(how_often_each_is_drawn_fits_its_probability),
        TEST(ties_at_the_border_stay_together),
        TEST(wrong_operands_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
