/* SPDX-License-Identifier: Apache-2.0
 * test_nn_pooling.c -- pooling as flax.linen has it: values and gradients (tests/golden/windows.npz), integers,
 * channels in front, wrong options. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

static kn_array product(const kn_array *x, const kn_array *y) { return kn_mul(*x, *y); }
KN_FUNCTION(product, kn_array, kn_array, kn_array)

#define TWO .strides = &KN_SHAPE(2, 2)
static kn_array pool(const char *name, kn_array x)
{
    static const struct {
        const char *name;
        int number;
    } cases[] = {{"max", 0},      {"max same", 1}, {"max lower", 2}, {"max pads", 3},
                 {"min", 4},      {"avg", 5},      {"avg same", 6},  {"avg without", 7},
                 {"avg pads", 8}, {"one", 9},      {"one axis", 10}, {"product", 11}};
    int number = -1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, name))
            number = cases[i].number;
    switch (number) {
    case 0: return kn_nn_max_pool(x, KN_SHAPE(2, 2), TWO);
    case 1: return kn_nn_max_pool(x, KN_SHAPE(3, 2), .strides = &KN_SHAPE(2, 1), .padding = KN_SAME);
    case 2: return kn_nn_max_pool(x, KN_SHAPE(3, 2), .strides = &KN_SHAPE(2, 3), .padding = KN_SAME_LOWER);
    case 3: return kn_nn_max_pool(x, KN_SHAPE(3, 3), TWO, .padding = KN_PADS({1, 1}, {0, 2}));
    case 4: return kn_nn_min_pool(x, KN_SHAPE(2, 3));
    case 5: return kn_nn_avg_pool(x, KN_SHAPE(2, 2), TWO);
    case 6: return kn_nn_avg_pool(x, KN_SHAPE(3, 3), TWO, .padding = KN_SAME);
    case 7: return kn_nn_avg_pool(x, KN_SHAPE(3, 3), TWO, .padding = KN_SAME, .count_include_pad = false);
    case 8:
        return kn_nn_avg_pool(x, KN_SHAPE(3, 3), .strides = &KN_SHAPE(2, 1), .padding = KN_PADS({2, 1}, {0, 1}),
                              .count_include_pad = false);
    case 9: return kn_nn_max_pool(kn_at(x, "0"), KN_SHAPE(2, 2), TWO);
    case 10:
        return kn_nn_avg_pool(x, KN_SHAPE(3), .strides = &KN_SHAPE(2), .padding = KN_SAME, .count_include_pad = false);
    case 11: return kn_nn_pool(x, 1, KN_FN(product), KN_SHAPE(2, 2), TWO);
    default: return NULL;
    }
}

typedef struct which {
    const char *name;
} which;
static kn_array total(const which *w, const kn_array *x) { return kn_sum(kn_cos(pool(w->name, *x))); }
KN_FUNCTION_ENV(total, kn_array, which, kn_array)

static void values_and_gradients_are_those_of_flax(void **state)
{
    (void)state;
    golden g = golden_read("windows.npz");
    int n = 0;
    for (int i = 0; i < g.n; i++) {
        KN_SCOPE;
        kn_array x = golden_array(golden_find(&g, "pool x")), slope;
        const char *name = g.name[i] + 5;
        if (strncmp(g.name[i], "pool ", 5) || !strcmp(name, "x"))
            continue;
        n++;
        if (strncmp(name, "grad ", 5)) {
            golden_close(g.name[i], pool(name, x), &g.array[i], 1e-6, 1e-6);
            continue;
        }
        which w = {name + 5};
        kn_call(kn_jit(kn_grad(KN_FN_ENV(total, &w))), &slope, &x);
        golden_close(g.name[i], slope, &g.array[i], 2e-6, 2e-6);
    }
    assert_int_equal(n, 23);
    golden_free(&g);
}

static void the_gradient_of_a_product_is_the_product_of_the_others(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2, 1)), slope;
    which w = {"product"};
    kn_call(kn_grad(KN_FN_ENV(total, &w)), &slope, &x);
    expect_near(kn_divide(slope, -sin(24)), 1e-14, 24, 12, 8, 6);
}

static void channels_may_come_first(void **state)
{
    (void)state;
    golden g = golden_read("windows.npz");
    {
        KN_SCOPE;
        kn_array x = kn_moveaxis(golden_array(golden_find(&g, "pool x")), KN_AXIS(-1), KN_AXIS(1));
        kn_array y = kn_nn_max_pool(x, KN_SHAPE(3, 3), TWO, .padding = KN_PADS({1, 1}, {0, 2}), .channels_first = true);
        golden_close("NCHW", kn_moveaxis(y, KN_AXIS(1), KN_AXIS(-1)), golden_find(&g, "pool max pads"), 0, 0);
    }
    golden_free(&g);
}

static void integers_keep_their_dtype_but_for_means(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(int, 1, 2, 3, 5), KN_SHAPE(4, 1));
    assert_ptr_equal(kn_dtype_of(kn_nn_max_pool(x, KN_SHAPE(2))), KN_I32);
    expect_values(kn_nn_max_pool(x, KN_SHAPE(2), .padding = KN_PADS({2, 0})), -2147483648.0, 1, 2, 3, 5);
    expect_values(kn_nn_avg_pool(x, KN_SHAPE(2), .strides = &KN_SHAPE(2)), 1.5, 4);
}

static void nan_is_the_largest_and_the_smallest(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(float, 1, NAN, 3, 5, -INFINITY), KN_SHAPE(5, 1));
    expect_values(kn_nn_max_pool(x, KN_SHAPE(2)), NAN, NAN, 5, 5);
    expect_values(kn_nn_min_pool(x, KN_SHAPE(2)), NAN, NAN, 3, -INFINITY);
}

static void wrong_options_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 4, 4, 3));
    kn_nn_max_pool(x, KN_SHAPE(2, 2), .strides = &KN_SHAPE(2));
    expect_error("AssertionError", "nn_max_pool: len((2, 2)) must equal len((2,))");
    kn_nn_max_pool(x, KN_SHAPE(2, 2), .padding = KN_PADS({1, 1}));
    expect_error("AssertionError",
                 "nn_max_pool: padding must specify pads for same number of dims as window_shape (2, 2), but has 1");
    kn_nn_avg_pool(kn_ones(KN_SHAPE(4)), KN_SHAPE(2));
    expect_error("AssertionError", "nn_avg_pool: windows of 1 dimensions need an operand of 2 at least, got 1");
    kn_nn_avg_pool(x, KN_SHAPE(2, 2), .padding = ((kn_lax_pads){.type = "FULL"}));
    expect_error("RuntimeError", "nn_avg_pool: Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', "
                                 "got FULL.");
    kn_nn_max_pool(x, KN_SHAPE(0, 2));
    expect_error("TypeError", "nn_max_pool: window_dimensions must have every element be strictly positive, got (1, 0, "
                              "2, 1).");
    kn_nn_max_pool(kn_astype(x, KN_C128), KN_SHAPE(2, 2));
    expect_error_with("TypeError", "does not accept dtype complex128");
}

static const struct CMUnitTest tests[] = {
    TEST(values_and_gradients_are_those_of_flax),
    TEST(the_gradient_of_a_product_is_the_product_of_the_others),
    TEST(channels_may_come_first),
    TEST(integers_keep_their_dtype_but_for_means),
    TEST(nan_is_the_largest_and_the_smallest),
    TEST(wrong_options_are_errors),
};

KN_TEST_GROUP(test_nn_pooling) { return cmocka_run_group_tests(tests, NULL, NULL); }
