/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_windows.c -- np.hanning and its kin: NumPy's weights, few samples, dtypes, errors, unknown numbers. */
#include "support/expect.h"
#include "support/group.h"
#include "support/symbolic.h"

static void weights_are_those_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_near(kn_bartlett(5), 0, 0, 0.5, 1, 0.5, 0);
    expect_near(kn_bartlett(4), 2e-16, 0, 0.6666666666666667, 0.6666666666666667, 0);
    expect_near(kn_blackman(5), 2e-16, 0, 0.34, 1, 0.34, 0);
    expect_near(kn_blackman(4), 2e-16, 0, 0.63, 0.63, 0);
    expect_near(kn_hamming(5), 2e-16, 0.08, 0.54, 1, 0.54, 0.08);
    expect_near(kn_hamming(4), 2e-16, 0.08, 0.77, 0.77, 0.08);
    expect_near(kn_hanning(5), 2e-16, 0, 0.5, 1, 0.5, 0);
    expect_near(kn_hanning(4), 2e-16, 0, 0.75, 0.75, 0);
    expect_near(kn_kaiser(6, 5), 1e-15, 0.036710892271286676, 0.4149036392433668, 0.9138124838692001,
                0.9138124838692001, 0.4149036392433668, 0.036710892271286676);
    expect_near(kn_kaiser(5, 14.0), 1e-15, 7.726866835270368e-06, 0.16493218754795197, 1, 0.16493218754795197,
                7.726866835270368e-06);
    expect_values(kn_kaiser(3, 0), 1, 1, 1);
}

static void one_sample_has_weight_1_and_fewer_are_none(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(
        kn_concatenate(KN_LIST(kn_bartlett(1), kn_blackman(1), kn_hamming(1), kn_hanning(1), kn_kaiser(1, 5))), 1, 1, 1,
        1, 1);
    assert_int_equal(kn_size(kn_bartlett(0)) + kn_size(kn_blackman(-1)) + kn_size(kn_hamming(-7)), 0);
    assert_int_equal(kn_size(kn_hanning(INT64_MIN)) + kn_size(kn_kaiser(0, 5)), 0);
    assert_ptr_equal(kn_dtype_of(kn_hanning(0)), KN_F64);
}

static void weights_have_the_default_float(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array exact = kn_astype(kn_kaiser(9, 8.6), KN_F32);
    kn_set_default_float(KN_F32);
    kn_array single = kn_kaiser(9, 8.6);
    assert_ptr_equal(kn_dtype_of(single), KN_F32);
    assert_true(kn_item_bool(kn_all(kn_equal(single, exact))));
    kn_set_default_float(KN_F64);
}

static void errors_say_what_is_wrong(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_kaiser(5, kn_ones(KN_SHAPE(3)));
    expect_error("ValueError", "kaiser: beta must be a scalar, not of 1 axes");
    kn_kaiser(5, kn_astype(kn_scalar(1.0), KN_C128));
    expect_error("TypeError", "kaiser: kaiser not supported for complex values");
    kn_hanning(INT64_MAX);
    expect_error_with("MemoryError", "array of shape (9223372036854775807,)");
}

static kn_array shaped(const kn_array *beta) { return kn_kaiser(6, *beta); }
KN_FUNCTION(shaped, kn_array, kn_array)

static void slopes_by_beta_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array beta = kn_scalar(5.0), y;
    kn_call(kn_jit(kn_jacfwd(KN_FN(shaped))), &y, &beta);
    expect_near(y, 1e-15, -0.032796892101009556, -0.08404497569183031, -0.018640153814618574, -0.018640153814618574,
                -0.08404497569183031, -0.032796892101009556);
    kn_array betas = kn_of(double, 5, 5), z;
    kn_call(kn_vmap(KN_FN(shaped)), &z, &betas);
    assert_true(kn_item_bool(kn_all(kn_equal(z, kn_kaiser(6, 5)))));
}

#define B kn_dim(x[0], 0)
#define WINDOWS(CASE)                                  \
    CASE(bartlett, "f32[b]", "f64[b]", kn_bartlett(B)) \
    CASE(blackman, "f32[b]", "f64[b]", kn_blackman(B)) \
    CASE(hamming, "f32[b]", "f64[b]", kn_hamming(B))   \
    CASE(hanning, "f32[b]", "f64[b]", kn_hanning(B))   \
    CASE(kaiser, "f32[b]", "f64[b]", kn_kaiser(B, 8.6))

WINDOWS(SYMBOLIC_FUNCTION)
static const symbolic_case windows[] = {WINDOWS(SYMBOLIC_ROW)};

static void numbers_of_samples_may_be_unknown(void **state)
{
    (void)state;
    symbolic_check(windows, sizeof windows / sizeof *windows);
    symbolic_check_values(windows, sizeof windows / sizeof *windows);
}

KN_TEST_GROUP(test_numpy_windows)
{
    const struct CMUnitTest tests[] = {
        TEST(weights_are_those_of_numpy),      TEST(one_sample_has_weight_1_and_fewer_are_none),
        TEST(weights_have_the_default_float),  TEST(errors_say_what_is_wrong),
        TEST(slopes_by_beta_are_those_of_jax), TEST(numbers_of_samples_may_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
