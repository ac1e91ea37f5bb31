/* SPDX-License-Identifier: Apache-2.0
 * test_initializers.c -- initializers: JAX's numbers for the same key (tests/golden/nn.npz), shapes, wrong options. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef kn_array (*function)(kn_array key, kn_shape shape, kn_dtype d);
#define CASE(name, ...) \
    static kn_array name(kn_array key, kn_shape shape, kn_dtype d) { return kn_nn_init_##__VA_ARGS__; }
CASE(zeros, zeros(key, shape, .dtype = d))
CASE(ones, ones(key, shape, .dtype = d))
CASE(constant, constant(key, shape, 2.5, .dtype = d))
CASE(uniform, uniform(key, shape, .dtype = d))
CASE(uniform_3, uniform(key, shape, 3, .dtype = d))
CASE(normal, normal(key, shape, .dtype = d))
CASE(normal_2, normal(key, shape, .stddev = 2, .dtype = d))
CASE(truncated_normal, truncated_normal(key, shape, .dtype = d))
CASE(truncated_normal_2, truncated_normal(key, shape, 2, .lower = -1, .upper = 0.5, .dtype = d))
CASE(scaling, variance_scaling(key, shape, .dtype = d))
CASE(scaling_out, variance_scaling(key, shape, .scale = 3, .mode = "fan_out", .distribution = "normal", .dtype = d))
CASE(scaling_geo, variance_scaling(key, shape, KN_AXIS(0), KN_AXIS(1, 2), KN_AXIS(), .scale = 3, .mode = "fan_geo_avg",
                                   .distribution = "uniform", .dtype = d))
CASE(scaling_batch, variance_scaling(key, shape, KN_AXIS(1), KN_AXIS(2), KN_AXIS(0), .scale = 0.5, .mode = "fan_avg",
                                     .distribution = "normal", .dtype = d))
CASE(glorot_uniform, glorot_uniform(key, shape, .dtype = d))
CASE(glorot_normal, glorot_normal(key, shape, .dtype = d))
CASE(xavier_uniform, xavier_uniform(key, shape, .dtype = d))
CASE(xavier_normal, xavier_normal(key, shape, .dtype = d))
CASE(lecun_uniform, lecun_uniform(key, shape, .dtype = d))
CASE(lecun_normal, lecun_normal(key, shape, .dtype = d))
CASE(he_uniform, he_uniform(key, shape, .dtype = d))
CASE(he_normal, he_normal(key, shape, .dtype = d))
CASE(kaiming_uniform, kaiming_uniform(key, shape, .dtype = d))
CASE(kaiming_normal, kaiming_normal(key, shape, .dtype = d))

static const struct {
    const char *name;
    function f;
    bool real; /* not of complex numbers */
} cases[] = {
    {"zeros", zeros, false},
    {"ones", ones, false},
    {"constant", constant, false},
    {"uniform", uniform, true},
    {"uniform_3", uniform_3, true},
    {"normal", normal, false},
    {"normal_2", normal_2, false},
    {"truncated_normal", truncated_normal, true},
    {"truncated_normal_2", truncated_normal_2, true},
    {"variance_scaling", scaling, false},
    {"variance_scaling_out", scaling_out, false},
    {"variance_scaling_geo", scaling_geo, false},
    {"variance_scaling_batch", scaling_batch, false},
    {"glorot_uniform", glorot_uniform, false},
    {"glorot_normal", glorot_normal, false},
    {"xavier_uniform", xavier_uniform, false},
    {"xavier_normal", xavier_normal, false},
    {"lecun_uniform", lecun_uniform, false},
    {"lecun_normal", lecun_normal, false},
    {"he_uniform", he_uniform, false},
    {"he_normal", he_normal, false},
    {"kaiming_uniform", kaiming_uniform, false},
    {"kaiming_normal", kaiming_normal, false},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void expect_within(kn_array y, kn_array want, double bound)
{
    assert_true(kn_item(kn_max(kn_abs(kn_sub(y, want)))) < bound);
}
static double distance(kn_array y, kn_array want)
{
    return kn_item(kn_max(kn_div(kn_abs(kn_sub(y, want)), kn_add(kn_abs(want), 1e-30))));
}

static void check(const char *dtype, kn_dtype d, double tolerance)
{
    golden g = golden_read("nn.npz");
    bool complex = dtype[0] == 'c', half = d == KN_F16 || d == KN_BF16;
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char text[64];
        if (complex && cases[i].real)
            continue;
        snprintf(text, sizeof text, "init %s %s", cases[i].name, dtype);
        kn_array y = cases[i].f(kn_random_key(7), KN_SHAPE(3, 4, 5), d);
        assert_ptr_equal(kn_dtype_of(y), d);
        y = half ? kn_astype(y, KN_F32) : y;
        double far = distance(y, golden_array(golden_find(&g, text)));
        if (!(far <= tolerance))
            fail_msg("%s: off by %g", text, far);
    }
    golden_free(&g);
}

static void numbers_are_those_of_jax(void **state)
{
    (void)state;
    check("f32", KN_F32, 3e-6);
    check("f64", KN_F64, 1e-14);
    check("f16", KN_F16, 2e-3);
    check("bf16", KN_BF16, 1.6e-2);
    check("c64", KN_C64, 2e-6);
    check("c128", KN_C128, 1e-14);
}

static void defaults(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0);
    assert_ptr_equal(kn_dtype_of(kn_nn_init_he_normal(key, KN_SHAPE(3, 4))), KN_F64);
    expect_values((kn_nn_init_uniform)(key, &KN_SHAPE(0), NULL));
    assert_true(kn_array_equal((kn_nn_init_normal)(key, &KN_SHAPE(3), NULL), kn_nn_init_normal(key, KN_SHAPE(3))));
    assert_true(kn_array_equal((kn_nn_init_variance_scaling)(key, &KN_SHAPE(3, 2), NULL),
                               kn_nn_init_lecun_normal(key, KN_SHAPE(3, 2))));
    expect_values(kn_nn_init_zeros(KN_NONE, KN_SHAPE(2)), 0, 0); /* keys that are not looked at */
    expect_values(kn_nn_init_constant(KN_NONE, KN_SHAPE(2, 2), kn_of(double, 1, 2)), 1, 2, 1, 2);
    expect_values(kn_nn_init_ones(key, KN_SHAPE()), 1);
    assert_int_equal(kn_size(kn_nn_init_he_normal(key, KN_SHAPE(0, 3))), 0);
    expect_values(kn_nn_init_he_normal(key, KN_SHAPE(), KN_AXIS(), KN_AXIS(), .dtype = KN_F32),
                  kn_item(kn_mul(kn_random_truncated_normal(key, -2, 2, KN_SHAPE(), .dtype = KN_F32),
                                 kn_div(kn_sqrt(kn_of(float, 2)), kn_of(float, .87962566103423978f)))));
}

static kn_array start(const kn_array *key) { return kn_nn_init_glorot_normal(*key, KN_SHAPE(2, 3)); }
KN_FUNCTION(start, kn_array, kn_array)

static void keys_may_be_traced(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(3), keys = kn_random_split(key), y, both, first = kn_at(keys, "1");
    kn_call(kn_jit(KN_FN(start)), &y, &key);
    assert_true(kn_allclose(y, start(&key), .rtol = 1e-14));
    kn_call(kn_vmap(KN_FN(start)), &both, &keys);
    assert_true(kn_allclose(kn_at(both, "1"), start(&first), .rtol = 1e-14));
}

static void wrong_options_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0);
    kn_shape shape = KN_SHAPE(2, 3);
    kn_nn_init_variance_scaling(key, shape, .mode = "x");
    expect_error("ValueError", "nn_init_variance_scaling: invalid mode for variance scaling initializer: x");
    kn_nn_init_variance_scaling(key, shape, .distribution = "y");
    expect_error("ValueError", "nn_init_variance_scaling: invalid distribution for variance scaling initializer: y");
    kn_nn_init_he_normal(key, KN_SHAPE(3));
    expect_error("ValueError",
                 "nn_init_he_normal: Can't compute input and output sizes of a 1-dimensional weights tensor "
                 "with default in_axis. Must be at least 2D or specify in_axis explicitly.");
    kn_nn_init_lecun_uniform(key, shape, KN_AXIS(4));
    expect_error("AxisError", "nn_init_lecun_uniform: axis 4 is out of bounds for array of dimension 2");
    kn_nn_init_he_normal(key, shape, .dtype = KN_I32);
    expect_error("ValueError", "nn_init_he_normal: dtype argument must be a float or complex dtype, got int32");
    kn_nn_init_uniform(key, shape, .dtype = KN_C64);
    expect_error("ValueError", "nn_init_uniform: dtype argument to `uniform` must be a float dtype, got complex64");
    kn_nn_init_normal(kn_ones(KN_SHAPE(2)), shape);
    expect_error_with("TypeError", "nn_init_normal: ");
    kn_nn_init_zeros(key, KN_SHAPE(-1));
    expect_error_with("ValueError", "nn_init_zeros: ");
    kn_nn_init_constant(key, shape, kn_ones(KN_SHAPE(4)));
    expect_error_with("ValueError", "nn_init_constant: operands could not be broadcast together");
    kn_nn_init_constant(key, shape, KN_NONE);
    expect_error("TypeError", "nn_init_constant: null array");
}

/* The numbers of jax.nn.initializers, in float64. */
static void orthogonal_matrices_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(7);
    kn_array tall = kn_of(double, 0.39084797737298693, -0.5714857595573569, -0.29192083040651445, -0.8204039496574309,
                          -0.8729376193968361, 0.018476634153386073);
    expect_within(kn_nn_init_orthogonal(key, KN_SHAPE(3, 2)), kn_reshape(tall, KN_SHAPE(3, 2)), 1e-12);
    kn_array first = kn_of(double, 0.7816959547459739, -0.5838416608130289, -1.7458752387936722, -1.1429715191147138,
                           -1.6408078993148618, 0.03695326830677215);
    expect_within(kn_nn_init_orthogonal(key, KN_SHAPE(2, 3), .scale = 2, .column_axis = KN_AXIS(0)),
                  kn_reshape(first, KN_SHAPE(2, 3)), 1e-12);
    kn_array delta = kn_of(double, 0, 0, 0, 0, 0.8011940556673438, -0.5984046165959227, -0.5984046165959227,
                           -0.8011940556673438, 0, 0, 0, 0);
    expect_within(kn_nn_init_delta_orthogonal(key, KN_SHAPE(3, 2, 2)), kn_reshape(delta, KN_SHAPE(3, 2, 2)), 1e-12);
    kn_array wide = kn_nn_init_orthogonal(key, KN_SHAPE(2, 2, 3), .scale = 2, .column_axis = KN_AXIS(0));
    kn_array rows = kn_reshape(wide, KN_SHAPE(2, 6));
    expect_within(kn_matmul(rows, kn_transpose(rows)), kn_mul(4, kn_eye(2)), 1e-12);
    kn_array thin = kn_nn_init_delta_orthogonal(key, KN_SHAPE(4, 3, 2, 3));
    expect_within(kn_matmul(kn_at(thin, "1, 1"), kn_transpose(kn_at(thin, "1, 1"))), kn_eye(2), 1e-12);
    assert_true(kn_item(kn_sum(kn_square(thin))) - 2 < 1e-12);
    assert_string_equal(kn_dtype_name(kn_dtype_of(kn_nn_init_orthogonal(key, KN_SHAPE(2, 2), .dtype = KN_F32))),
                        "float32");
}

static void orthogonal_matrices_refuse_what_they_cannot(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0);
    kn_nn_init_orthogonal(key, KN_SHAPE(2));
    expect_error("ValueError", "nn_init_orthogonal: orthogonal initializer requires at least a 2D shape");
    kn_nn_init_delta_orthogonal(key, KN_SHAPE(2, 3));
    expect_error("ValueError", "nn_init_delta_orthogonal: Delta orthogonal initializer requires a 3D, 4D or 5D shape.");
    kn_nn_init_delta_orthogonal(key, KN_SHAPE(3, 4, 2));
    expect_error("ValueError", "nn_init_delta_orthogonal: `fan_in` must be less or equal than `fan_out`. ");
    kn_nn_init_orthogonal(key, KN_SHAPE(2, 3), .column_axis = KN_AXIS(2));
    expect_error("AxisError", "nn_init_orthogonal: axis 2 is out of bounds for array of dimension 2");
    kn_nn_init_orthogonal(key, KN_SHAPE(2, 3), .column_axis = KN_AXIS(0, 1));
    expect_error("TypeError", "nn_init_orthogonal: column_axis has to be one axis");
    kn_nn_init_orthogonal(kn_ones(KN_SHAPE(2)), KN_SHAPE(2, 3));
    expect_error_with("TypeError", "nn_init_orthogonal: ");
    assert_int_equal(kn_size(kn_nn_init_orthogonal(key, KN_SHAPE(2, 0))), 0);
}

KN_TEST_GROUP(test_initializers)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_those_of_jax),
        TEST(defaults),
        TEST(keys_may_be_traced),
        TEST(wrong_options_are_errors),
        TEST(orthogonal_matrices_are_those_of_jax),
        TEST(orthogonal_matrices_refuse_what_they_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
