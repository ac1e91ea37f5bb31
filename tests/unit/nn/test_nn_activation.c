/* SPDX-License-Identifier: Apache-2.0
 * test_nn_activation.c -- activation functions: JAX's values, first and second derivatives at kinks, far away, at
 * infinities and NaN (tests/golden/nn.npz), the same under jit and vmap, dtypes, wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef kn_array (*function)(const kn_array *);
#define EACH(name, ...) \
    static kn_array name##_(const kn_array *x) { return kn_nn_##name(*x __VA_OPT__(, ) __VA_ARGS__); }
EACH(identity)
EACH(relu)
EACH(relu6)
EACH(sigmoid)
EACH(softplus)
EACH(sparse_plus)
EACH(sparse_sigmoid)
EACH(soft_sign)
EACH(silu)
EACH(swish)
EACH(log_sigmoid)
EACH(leaky_relu)
EACH(hard_sigmoid)
EACH(hard_silu)
EACH(hard_swish)
EACH(hard_tanh)
EACH(tanh)
EACH(elu)
EACH(celu)
EACH(selu)
EACH(gelu)
EACH(squareplus)
EACH(mish)
EACH(log1mexp)
static kn_array gelu_exact(const kn_array *x) { return kn_nn_gelu(*x, .approximate = false); }
static kn_array leaky_relu_3(const kn_array *x) { return kn_nn_leaky_relu(*x, .negative_slope = kn_num(0.3)); }
static kn_array elu_2(const kn_array *x) { return kn_nn_elu(*x, .alpha = kn_num(2)); }
static kn_array celu_2(const kn_array *x) { return kn_nn_celu(*x, .alpha = kn_num(2)); }
static kn_array squareplus_1(const kn_array *x) { return kn_nn_squareplus(*x, .b = kn_num(1)); }

static const struct {
    const char *name;
    function f;
} cases[] = {
    {"identity", identity_},
    {"relu", relu_},
    {"relu6", relu6_},
    {"sigmoid", sigmoid_},
    {"softplus", softplus_},
    {"sparse_plus", sparse_plus_},
    {"sparse_sigmoid", sparse_sigmoid_},
    {"soft_sign", soft_sign_},
    {"silu", silu_},
    {"swish", swish_},
    {"log_sigmoid", log_sigmoid_},
    {"leaky_relu", leaky_relu_},
    {"hard_sigmoid", hard_sigmoid_},
    {"hard_silu", hard_silu_},
    {"hard_swish", hard_swish_},
    {"hard_tanh", hard_tanh_},
    {"tanh", tanh_},
    {"elu", elu_},
    {"celu", celu_},
    {"selu", selu_},
    {"gelu", gelu_},
    {"squareplus", squareplus_},
    {"mish", mish_},
    {"log1mexp", log1mexp_},
    {"gelu_exact", gelu_exact},
    {"leaky_relu_3", leaky_relu_3},
    {"elu_2", elu_2},
    {"celu_2", celu_2},
    {"squareplus_1", squareplus_1},
};
enum { N_CASES = sizeof cases / sizeof *cases };

typedef struct which {
    int i;
} which;
static kn_array one(const which *w, const kn_array *x) { return cases[w->i].f(x); }
KN_FUNCTION_ENV(one, kn_array, which, kn_array)

/* Values, first and, if asked for, second derivatives, one row each. */
static kn_array rows_of(int i, kn_array x, bool twice)
{
    which w = {i};
    kn_fn slope = kn_grad(KN_FN_ENV(one, &w));
    kn_array value = cases[i].f(&x), first, second;
    kn_call(kn_vmap(slope), &first, &x);
    if (!twice)
        return kn_stack(KN_LIST(value, first));
    kn_call(kn_jit(kn_vmap(kn_grad(slope))), &second, &x);
    return kn_stack(KN_LIST(value, first, second));
}

static void check(const golden *g, const char *dtype, kn_dtype d, double rtol, double atol)
{
    bool wide = d == KN_F32 || d == KN_F64;
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char text[128];
        kn_array x = kn_astype(golden_array(golden_find(g, wide ? "grid f64" : "short grid f64")), d);
        snprintf(text, sizeof text, "each %s %s", cases[i].name, dtype);
        kn_array y = rows_of(i, x, wide);
        assert_ptr_equal(kn_dtype_of(y), d);
        kn_array want = golden_array(golden_find(g, text));
        for (int row = 0; row < kn_dim(want, 0);
             row++) { /* second derivatives are differences of much larger numbers */
            /* JAX's cancels left of 0, and is NaN far to the right: test_derivatives.c has the right ones */
            bool loses = row == 2 && !strcmp(cases[i].name, "log1mexp");
            double most = row < 2 ? atol : loses ? fmax(30 * atol, rtol) : 30 * atol;
            kn_array got = kn_at(y, "%", row), other = kn_at(want, "%", row);
            if (loses)
                other = kn_where(kn_isnan(other), got, other);
            if (!kn_allclose(got, other, .rtol = loses ? sqrt(rtol) : rtol, .atol = most, .equal_nan = true)) {
                kn_print(kn_stack(KN_LIST(got, other), KN_AXIS(1)));
                fail_msg("%s: derivative number %d", text, row);
            }
        }
    }
}

static void float64_is_that_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    check(&g, "f64", KN_F64, 1e-12, 1e-14);
    golden_free(&g);
}

static void float32_is_that_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    check(&g, "f32", KN_F32, 4e-6, 1e-6);
    golden_free(&g);
}

static void short_floats_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    check(&g, "f16", KN_F16, 4e-3, 2e-3);
    check(&g, "bf16", KN_BF16, 3e-2, 2e-2);
    golden_free(&g);
}

static void jit_and_vmap_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        which w = {i};
        kn_fn f = KN_FN_ENV(one, &w);
        kn_array x = kn_reshape(kn_linspace(0.1, 5.3, 12), KN_SHAPE(3, 4)), want = cases[i].f(&x), jitted, mapped;
        kn_call(kn_jit(f), &jitted, &x);
        kn_call(kn_jit(kn_vmap(f, .in_axes = {KN_MAPPED(1)})), &mapped, &x);
        assert_true(kn_allclose(jitted, want, .rtol = 1e-14));
        assert_true(kn_allclose(mapped, kn_transpose(want), .rtol = 1e-14));
    }
}

static void gradients_are_differences(void **state)
{
    (void)state;
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        which w = {i};
        kn_array x = kn_of(double, 0.3, 0.8, 1.3, 2.2, 4.4), slope;
        kn_array above = kn_add(x, 1e-6), below = kn_sub(x, 1e-6);
        kn_call(kn_vmap(kn_grad(KN_FN_ENV(one, &w))), &slope, &x);
        kn_array difference = kn_div(kn_sub(cases[i].f(&above), cases[i].f(&below)), 2e-6);
        assert_true(kn_allclose(slope, difference, .rtol = 1e-6, .atol = 1e-8));
    }
}

static void integers_become_floats(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int i = 0; i < N_CASES; i++) {
        function f = cases[i].f;
        kn_array x = kn_of(int8_t, -3, 0, 5), y = f(&x), none = kn_zeros(KN_SHAPE(0, 2)), number = kn_scalar(0.5);
        bool keeps = f == identity_ || f == relu_ || f == hard_tanh_;
        assert_ptr_equal(kn_dtype_of(y), keeps ? KN_I8 : KN_F64);
        assert_int_equal(kn_size(f(&none)), 0);
        assert_int_equal(kn_ndim(f(&number)), 0);
    }
    expect_values(kn_nn_hard_tanh(kn_of(int8_t, -3, 0, 5)), -1, 0, 1);
    expect_values(kn_nn_hard_tanh(kn_of(uint8_t, 0, 1, 5)), 0, 1, 1);
    expect_values(kn_nn_relu6(kn_of(int, -3, 2, 50)), 0, 2, 6);
    kn_array yes = kn_nn_relu(kn_of(bool, true, false)); /* as JAX: the number 0 is an integer */
    assert_ptr_equal(kn_dtype_of(yes), KN_I64);
    expect_values(yes, 1, 0);
    expect_values(kn_nn_relu(-3), 0);
}

static void parameters_broadcast_and_promote(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, -1, 2), slopes = kn_reshape(kn_of(float, 0, 10), KN_SHAPE(2, 1));
    kn_array y = kn_nn_leaky_relu(x, .negative_slope = slopes);
    assert_int_equal(kn_ndim(y), 2);
    expect_values(y, 0, 2, -10, 2);
    assert_ptr_equal(kn_dtype_of(kn_nn_elu(x)), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_nn_elu(x, .alpha = kn_num(3))), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_nn_elu(x, .alpha = kn_scalar(3.0))), KN_F64);
    expect_values(kn_nn_squareplus(kn_of(double, 3, -3), .b = kn_num(16)), 4, 1);
    kn_nn_celu(x, .alpha = kn_ones(KN_SHAPE(3)));
    expect_error("ValueError", "nn_celu: operands could not be broadcast together with shapes (2,) (3,)");
}

static void glu_halves_an_axis(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 1, 2, 0, 0), KN_SHAPE(2, 2));
    expect_values(kn_nn_glu(x, KN_AXIS(0)), 0.5, 1);
    assert_int_equal(kn_size(kn_nn_glu(kn_zeros(KN_SHAPE(3, 0)))), 0);
    kn_nn_glu(kn_ones(KN_SHAPE(2, 3)));
    expect_error("AssertionError", "nn_glu: axis size must be divisible by 2");
    kn_nn_glu(x, KN_AXIS(2));
    expect_error("AxisError", "nn_glu: axis 2 is out of bounds for array of dimension 2");
    kn_nn_glu(kn_scalar(1.0));
    expect_error_with("AxisError", "nn_glu: axis -1 is out of bounds for array of dimension 0");
}

static void wrong_operands_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0);
    for (int i = 0; i < N_CASES; i++)
        if (cases[i].f != identity_) {
            cases[i].f(&key);
            expect_error_with("TypeError", "nn_");
        }
    kn_nn_softplus(KN_NONE);
    expect_error("TypeError", "nn_softplus: null array");
    kn_nn_elu(KN_NONE, .alpha = kn_num(1));
    expect_error("TypeError", "nn_elu: null array");
}

static kn_array of_a_number(const kn_array *x) { return kn_mul(*x, kn_nn_softplus(0.0)); }
KN_FUNCTION(of_a_number, kn_array, kn_array)

static void numbers_in_recordings(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), y, slope;
    kn_call(kn_jit(KN_FN(of_a_number)), &y, &x);
    kn_call(kn_grad(KN_FN(of_a_number)), &slope, &x);
    expect_near(y, 1e-15, 1.3862943611198906);
    expect_near(slope, 1e-15, 0.6931471805599453);
}

static void a_recorded_softplus_shows_its_rule(void **state)
{
    (void)state;
    KN_SCOPE;
    which w = {4};
    kn_array x = kn_ones(KN_SHAPE(2)), dx = kn_ones(KN_SHAPE(2)), y, dy;
    kn_jaxpr j = kn_make_jaxpr(KN_FN_ENV(one, &w), KN_ARGS(&x));
    assert_non_null(strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "jvp=logaddexp_jvp"));
    kn_jvp(KN_FN_ENV(one, &w), KN_ARGS(&x), KN_ARGS(&dx), &y, &dy);
    expect_near(dy, 1e-15, 0.7310585786300049, 0.7310585786300049);
}

KN_TEST_GROUP(test_nn_activation)
{
    const struct CMUnitTest tests[] = {
        TEST(float64_is_that_of_jax),
        TEST(float32_is_that_of_jax),
        TEST(short_floats_are_those_of_jax),
        TEST(jit_and_vmap_change_nothing),
        TEST(gradients_are_differences),
        TEST(integers_become_floats),
        TEST(parameters_broadcast_and_promote),
        TEST(glu_halves_an_axis),
        TEST(wrong_operands_are_errors),
        TEST(numbers_in_recordings),
        TEST(a_recorded_softplus_shows_its_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
