/* SPDX-License-Identifier: Apache-2.0
 * test_nn.c -- functions of neural networks: JAX's values and gradients (tests/golden/nn.npz), infinities and NaN,
 * wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef struct {
    kn_array x, mask, b;
} Operands;
typedef kn_array (*function)(const Operands *);

static kn_array relu(const Operands *o) { return kn_nn_relu(o->x); }
static kn_array sigmoid(const Operands *o) { return kn_nn_sigmoid(o->x); }
static kn_array silu(const Operands *o) { return kn_nn_silu(o->x); }
static kn_array softmax(const Operands *o) { return kn_nn_softmax(o->x); }
static kn_array softmax_0(const Operands *o) { return kn_nn_softmax(o->x, KN_AXIS(0)); }
static kn_array softmax_02(const Operands *o) { return kn_nn_softmax(o->x, KN_AXIS(0, 2)); }
static kn_array softmax_all(const Operands *o) { return kn_nn_softmax(o->x, KN_AXIS_NONE); }
static kn_array softmax_where(const Operands *o) { return kn_nn_softmax(o->x, .where = o->mask); }
static kn_array log_softmax(const Operands *o) { return kn_nn_log_softmax(o->x); }
static kn_array log_softmax_1(const Operands *o) { return kn_nn_log_softmax(o->x, KN_AXIS(1)); }
static kn_array logsumexp(const Operands *o) { return kn_nn_logsumexp(o->x); }
static kn_array logsumexp_1(const Operands *o) { return kn_special_logsumexp(o->x, KN_AXIS(1)); }
static kn_array logsumexp_20_keep(const Operands *o) { return kn_nn_logsumexp(o->x, KN_AXIS(2, 0), .keepdims = true); }
static kn_array logsumexp_b(const Operands *o) { return kn_nn_logsumexp(o->x, KN_AXIS(-1), .b = o->b); }
static kn_array logsumexp_where(const Operands *o) { return kn_nn_logsumexp(o->x, KN_AXIS(0), .where = o->mask); }
static kn_array logmeanexp(const Operands *o) { return kn_nn_logmeanexp(o->x); }
static kn_array logmeanexp_1_keep(const Operands *o) { return kn_nn_logmeanexp(o->x, KN_AXIS(1), .keepdims = true); }
static kn_array logmeanexp_where(const Operands *o) { return kn_nn_logmeanexp(o->x, KN_AXIS(0, 2), .where = o->mask); }
static kn_array standardize(const Operands *o) { return kn_nn_standardize(o->x); }
static kn_array standardize_0(const Operands *o) { return kn_nn_standardize(o->x, KN_AXIS(0), .epsilon = kn_num(0.1)); }
static kn_array standardize_all(const Operands *o)
{
    return kn_nn_standardize(o->x, KN_AXIS_NONE, .algorithm = "stable");
}
static kn_array standardize_where(const Operands *o)
{
    return kn_nn_standardize(o->x, KN_AXIS(0, 2), .where = o->mask);
}
static kn_array standardize_given(const Operands *o)
{
    return kn_nn_standardize(o->x, .mean = o->b, .variance = kn_mul(o->b, o->b));
}
static kn_array elu_array(const Operands *o) { return kn_nn_elu(o->x, .alpha = o->b); }
static kn_array leaky_relu_array(const Operands *o) { return kn_nn_leaky_relu(o->x, .negative_slope = o->b); }
static kn_array squareplus_array(const Operands *o) { return kn_nn_squareplus(o->x, .b = kn_mul(o->b, o->b)); }
static kn_array glu(const Operands *o) { return kn_nn_glu(o->x, KN_AXIS(1)); }

static const struct {
    const char *name;
    function f;
} cases[] = {
    {"relu", relu},
    {"sigmoid", sigmoid},
    {"silu", silu},
    {"softmax", softmax},
    {"softmax_0", softmax_0},
    {"softmax_02", softmax_02},
    {"softmax_all", softmax_all},
    {"softmax_where", softmax_where},
    {"log_softmax", log_softmax},
    {"log_softmax_1", log_softmax_1},
    {"logsumexp", logsumexp},
    {"logsumexp_1", logsumexp_1},
    {"logsumexp_20_keep", logsumexp_20_keep},
    {"logsumexp_b", logsumexp_b},
    {"logsumexp_where", logsumexp_where},
    {"logmeanexp", logmeanexp},
    {"logmeanexp_1_keep", logmeanexp_1_keep},
    {"logmeanexp_where", logmeanexp_where},
    {"standardize", standardize},
    {"standardize_0", standardize_0},
    {"standardize_all", standardize_all},
    {"standardize_where", standardize_where},
    {"standardize_given", standardize_given},
    {"elu_array", elu_array},
    {"leaky_relu_array", leaky_relu_array},
    {"squareplus_array", squareplus_array},
    {"glu", glu},
};
enum { N_CASES = sizeof cases / sizeof *cases };

typedef struct which {
    int i;
} which;
typedef struct {
    kn_array mask, b;
} Others;
static kn_array total(const which *w, const kn_array *x, const Others *o)
{
    return kn_sum(kn_cos(cases[w->i].f(&(Operands){*x, o->mask, o->b})));
}
KN_FUNCTION_ENV(total, kn_array, which, kn_array, Others)

static const knio_npy *stored(const golden *g, const char *what, const char *name, const char *dtype)
{
    char text[128];
    snprintf(text, sizeof text, "%s %s %s", what, name, dtype);
    return golden_find(g, text);
}

static void check_case(const golden *g, int i, const char *dtype)
{
    KN_SCOPE;
    double tolerance = dtype[1] == '3' ? 4e-6 : 1e-14;
    kn_array x = golden_array(golden_find(g, dtype[1] == '3' ? "x f32" : "x f64"));
    kn_array b = golden_array(golden_find(g, dtype[1] == '3' ? "b f32" : "b f64")), slope;
    Operands o = {x, golden_array(golden_find(g, "m")), b};
    golden_close(cases[i].name, cases[i].f(&o), stored(g, "value", cases[i].name, dtype), tolerance, tolerance);
    if (cases[i].f == logsumexp_b)
        return;
    which w = {i};
    Others others = {o.mask, b};
    kn_call(kn_jit(kn_grad(KN_FN_ENV(total, &w))), &slope, &x, &others);
    if (cases[i].f == standardize_given) /* cosines of large numbers */
        tolerance *= 100;
    golden_close(cases[i].name, slope, stored(g, "grad", cases[i].name, dtype), tolerance, tolerance);
}

static void values_and_gradients_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    for (int i = 0; i < N_CASES; i++) {
        check_case(&g, i, "f32");
        check_case(&g, i, "f64");
    }
    golden_free(&g);
}

static void infinities_and_nan_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        function f = cases[i].f;
        Operands o = {golden_array(golden_find(&g, "edge f64")), NULL, NULL};
        if (f == relu || f == sigmoid || f == silu || f == softmax || f == log_softmax || f == logsumexp_1)
            golden_close(cases[i].name, f(&o), stored(&g, "edge", cases[i].name, "f64"), 1e-14, 1e-300);
    }
    golden_free(&g);
}

static void one_hot_marks_numbers(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    {
        KN_SCOPE;
        kn_array labels = kn_reshape(kn_of(int64_t, 0, 3, -1, 4, 5, 2), KN_SHAPE(2, 3));
        golden_same_bits("one_hot", kn_nn_one_hot(labels, 5), golden_find(&g, "one_hot"));
        golden_same_bits("one_hot_0", kn_nn_one_hot(labels, 5, KN_AXIS(0), .dtype = KN_I32),
                         golden_find(&g, "one_hot_0"));
        golden_same_bits("one_hot_1", kn_nn_one_hot(labels, 5, KN_AXIS(1), .dtype = KN_F32),
                         golden_find(&g, "one_hot_1"));
        kn_array few = kn_nn_one_hot(kn_of(uint8_t, 1), 300, .dtype = KN_BOOL); /* 257 is not 1 */
        expect_values(kn_sum(few), 1);
        expect_values(kn_nn_one_hot(2, 3), 0, 0, 1);
        assert_int_equal(kn_size(kn_nn_one_hot(labels, 0)), 0);
    }
    golden_free(&g);
}

static kn_array sum_relu(const kn_array *x) { return kn_sum(kn_nn_relu(*x)); }
KN_FUNCTION(sum_relu, kn_array, kn_array)

static void relu_keeps_dtype_and_is_flat_at_zero(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_nn_relu(kn_of(int8_t, -3, 0, 5)), slope, x = kn_of(double, -1, -0.0, 0, 1);
    assert_ptr_equal(kn_dtype_of(i), KN_I8);
    expect_values(i, 0, 0, 5);
    kn_call(kn_grad(KN_FN(sum_relu)), &slope, &x);
    expect_values(slope, 0, 0, 0, 1);
    expect_values(kn_nn_relu(kn_of(double, NAN, INFINITY, -INFINITY)), NAN, INFINITY, 0);
}

static void dtypes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array ints = kn_of(int, 1, 2, 3), half = kn_astype(kn_of(float, 1, 2, 3), KN_BF16);
    assert_ptr_equal(kn_dtype_of(kn_nn_softmax(ints)), KN_F64);
    expect_near(kn_sum(kn_nn_softmax(ints)), 1e-15, 1);
    assert_ptr_equal(kn_dtype_of(kn_nn_softmax(half)), KN_BF16);
    assert_ptr_equal(kn_dtype_of(kn_nn_logsumexp(half)), KN_BF16);
    assert_ptr_equal(kn_dtype_of(kn_nn_sigmoid(1)), KN_F64);
    expect_near(kn_nn_logsumexp(kn_of(float, 1, 2), .b = kn_of(float, 2, 0)), 1e-6, 1.6931472);
    expect_near(kn_nn_logsumexp(kn_of(double, 1000, 1000)), 1e-12, 1000.6931471805599);
    expect_values(kn_nn_logsumexp(kn_of(double, 0, 0), .b = kn_of(double, 1, -2)), NAN);
}

static void standardized_rows(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int, 1, 2, 3), slope;
    kn_array y = kn_nn_standardize(x, .epsilon = kn_num(0));
    assert_ptr_equal(kn_dtype_of(y), KN_F64);
    expect_near(y, 1e-15, -1.2247448713915890, 0, 1.2247448713915890);
    assert_ptr_equal(kn_dtype_of(kn_nn_standardize(kn_astype(x, KN_BF16))), KN_BF16);
    kn_array same = kn_full(KN_SHAPE(4), 1e8 + 1); /* the rounded variance is not below 0 */
    expect_values(kn_nn_standardize(same), 0, 0, 0, 0);
    expect_values(kn_nn_standardize(3.0, .mean = kn_num(1), .variance = kn_num(4), .epsilon = kn_num(0)), 1);
    which w = {18}; /* standardize: no 1 / sqrt(0) */
    Others others = {kn_of(bool, true), same};
    kn_call(kn_grad(KN_FN_ENV(total, &w)), &slope, &same, &others);
    assert_true(kn_item_bool(kn_all(kn_isfinite(slope))));
    kn_nn_standardize(x, .algorithm = "quick");
    expect_error("ValueError", "nn_standardize: Unknown algorithm 'quick'. Expected 'fast' or 'stable'.");
    kn_nn_standardize(x, KN_AXIS(1));
    expect_error("AxisError", "nn_standardize: axis 1 is out of bounds for array of dimension 1");
    kn_nn_standardize(2.0);
    expect_error("AxisError", "nn_standardize: axis -1 is out of bounds for array of dimension 0");
    kn_nn_standardize(KN_NONE);
    expect_error("TypeError", "nn_standardize: null array");
    kn_nn_standardize(kn_random_split(kn_random_key(0)));
    expect_error_with("TypeError", "nn_standardize: ");
}

static void signs_of_sums(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 1000, 1000, 0), b = kn_of(double, 1, -1, 0.5, 0);
    kn_nn_logsumexp_result r = kn_nn_logsumexp_sign(x, .b = b, .keepdims = true);
    expect_near(r.value, 1e-12, 1000 - 0.6931471805599453);
    expect_values(r.sign, -1);
    assert_int_equal(kn_ndim(r.sign), 1);
    r = kn_nn_logsumexp_sign(kn_of(double, 2, 2), .b = kn_of(double, 1, -1));
    expect_values(r.value, -INFINITY);
    expect_values(r.sign, 0);
    kn_array z = kn_of(double _Complex, 3.141592653589793i);
    r = kn_nn_logsumexp_sign(z);
    assert_ptr_equal(kn_dtype_of(r.value), KN_F64);
    expect_near(r.value, 1e-15, 0);
    expect_near(kn_real(r.sign), 1e-15, -1);
    kn_nn_logsumexp_sign(x, KN_AXIS(1));
    expect_error("AxisError", "nn_logsumexp: axis 1 is out of bounds for array of dimension 1");
}

static void small_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_nn_softmax(kn_of(double, 7)), 1);
    assert_int_equal(kn_size(kn_nn_softmax(kn_zeros(KN_SHAPE(3, 0)))), 0);
    assert_int_equal(kn_size(kn_nn_log_softmax(kn_zeros(KN_SHAPE(0, 3)))), 0);
    expect_values(kn_nn_logsumexp(kn_zeros(KN_SHAPE(0))), -INFINITY);
    expect_values(kn_nn_logsumexp(3.0), 3);
    expect_values(kn_nn_logmeanexp(3.0), 3);
    expect_values(kn_nn_logmeanexp(kn_zeros(KN_SHAPE(0))), NAN);
}

static void wrong_operands_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3)), key = kn_random_key(0);
    kn_nn_softmax(x, KN_AXIS(2));
    expect_error("AxisError", "nn_softmax: axis 2 is out of bounds for array of dimension 2");
    kn_nn_softmax(kn_scalar(1.0));
    expect_error("AxisError", "nn_softmax: axis -1 is out of bounds for array of dimension 0");
    kn_nn_log_softmax(x, .where = kn_ones(KN_SHAPE(4)));
    expect_error("ValueError", "nn_log_softmax: operands could not be broadcast together with shapes (4,) (2,3)");
    kn_nn_one_hot(x, -1);
    expect_error("ValueError", "nn_one_hot: num_classes must be non-negative, but is -1");
    kn_nn_one_hot(x, 3, KN_AXIS(3));
    expect_error("AxisError", "nn_one_hot: axis 3 is out of bounds for array of dimension 3");
    kn_nn_sigmoid(key);
    expect_error_with("TypeError", "nn_sigmoid: ");
    kn_nn_relu(key);
    expect_error_with("TypeError", "nn_relu: ");
    kn_nn_silu(KN_NONE);
    expect_error("TypeError", "nn_silu: null array");
}

KN_TEST_GROUP(test_nn)
{
    const struct CMUnitTest tests[] = {
        TEST(values_and_gradients_are_those_of_jax),
        TEST(infinities_and_nan_are_those_of_jax),
        TEST(one_hot_marks_numbers),
        TEST(relu_keeps_dtype_and_is_flat_at_zero),
        TEST(dtypes),
        TEST(standardized_rows),
        TEST(signs_of_sums),
        TEST(small_arrays),
        TEST(wrong_operands_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
