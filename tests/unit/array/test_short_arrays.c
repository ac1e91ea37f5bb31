/* SPDX-License-Identifier: Apache-2.0
 * test_short_arrays.c -- elementwise functions of short arrays that come often: computed at once, with the bits and the
 * errors of the ordinary path. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/steps.h"
#include "kiln/fft.h"
#include "host/native.h"
#include <stdlib.h>

enum { OFTEN = 80 }; /* and more */

typedef kn_array (*two)(kn_array, kn_array);
typedef kn_array (*one)(kn_array);

/* Values of each dtype, NaNs and infinities among those that have them, n of them. */
static kn_array interesting(kn_dtype d, kn_shape shape, int from)
{
    static const double values[] = {1.5, -3, 0, -0.0, INFINITY, -INFINITY, NAN, 0.5, 2, 100, -7, 3};
    static const int64_t whole[] = {0, 1, 2, 3, 7, 100, -1, -3, INT64_MIN, INT64_MAX, 5, 64};
    enum { N = 12 };
    bool integer = d == KN_BOOL || kn_can_cast(d, KN_I64, "safe") || d == KN_U64;
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    double *f = calloc((size_t)n + 1, sizeof *f);
    int64_t *k = calloc((size_t)n + 1, sizeof *k);
    assert_true(f && k);
    for (int64_t i = 0; i < n; i++) {
        f[i] = values[(i * 5 + from) % N];
        k[i] = whole[(i * 7 + from) % N];
    }
    kn_array x = kn_from_memory(integer ? (const void *)k : f, &shape, integer ? KN_I64 : KN_F64);
    x = kn_copy(kn_astype(x, d));
    kn_eval(x);
    free(f);
    free(k);
    return x;
}

static void expect_same_bits(kn_array z, kn_array want)
{
    assert_true(kn_dtype_of(z) == kn_dtype_of(want));
    assert_int_equal(kn_ndim(z), kn_ndim(want));
    assert_int_equal(kn_size(z), kn_size(want));
    z = kn_copy(z), want = kn_copy(want);
    assert_memory_equal(kn_data_bytes(z, kn_dtype_of(z)), kn_data_bytes(want, kn_dtype_of(want)),
                        (size_t)kn_nbytes(want));
}

/* The result of the path that runs each operation by a plan of its own. */
static kn_array by_plan(two f, one g, kn_array x, kn_array y)
{
    kn_set_lazy(false);
    kn_array z = f ? f(x, y) : g(x);
    kn_set_lazy(true);
    return z;
}

enum { DTYPES = 15 };
static kn_dtype dtype(int i)
{
    const kn_dtype all[DTYPES] = {KN_BOOL, KN_I8,  KN_I16,  KN_I32, KN_I64, KN_U8,  KN_U16, KN_U32,
                                  KN_U64,  KN_F16, KN_BF16, KN_F32, KN_F64, KN_C64, KN_C128};
    return all[i];
}

static void check(two f, one g, kn_array x, kn_array y)
{
    KN_SCOPE;
    kn_array want = by_plan(f, g, x, y);
    if (kn_error_pending()) {
        kn_error_clear();
        return;
    }
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        kn_array z = f ? f(x, y) : g(x);
        kn_eval(z);
        if (k == 0 || k == OFTEN - 1)
            expect_same_bits(z, want);
    }
}

static void functions_of_two_have_the_bits_of_plans(void **state)
{
    (void)state;
    const two functions[] = {kn_add,     kn_subtract,     kn_multiply, kn_divide,        kn_power,       kn_maximum,
                             kn_minimum, kn_floor_divide, kn_fmax,     kn_remainder,     kn_copysign,    kn_logaddexp,
                             kn_arctan2, kn_hypot,        kn_gcd,      kn_left_shift,    kn_equal,       kn_not_equal,
                             kn_less,    kn_less_equal,   kn_greater,  kn_greater_equal, kn_bitwise_and, kn_nextafter};
    for (int d = 0; d < DTYPES; d++) {
        KN_SCOPE;
        kn_array x = interesting(dtype(d), KN_SHAPE(2, 7), 0), y = interesting(dtype(d), KN_SHAPE(2, 7), 5);
        kn_array s = interesting(dtype(d), KN_SHAPE(), 1);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            check(functions[i], NULL, x, y);
            check(functions[i], NULL, x, d % 2 ? s : x);
        }
    }
}

static void functions_of_one_have_the_bits_of_plans(void **state)
{
    (void)state;
    const one functions[] = {kn_negative, kn_absolute, kn_sqrt, kn_exp,      kn_log,         kn_sin,
                             kn_tanh,     kn_floor,    kn_sign, kn_rint,     kn_square,      kn_conj,
                             kn_isnan,    kn_isfinite, kn_real, kn_invert,   kn_logical_not, kn_cbrt,
                             kn_expm1,    kn_log1p,    kn_imag, kn_positive, kn_reciprocal};
    for (int d = 0; d < DTYPES; d++) {
        KN_SCOPE;
        kn_array x = interesting(dtype(d), KN_SHAPE(3, 1, 5), 0);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            check(NULL, functions[i], x, NULL);
    }
}

static void lengths_around_the_longest_have_the_bits_of_plans(void **state)
{
    (void)state;
    const int64_t lengths[] = {1, 2, 8, 15, 16, 17, 63, 1023, 1024, 1025};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        KN_SCOPE;
        kn_array x = interesting(KN_F32, KN_SHAPE(lengths[i]), 0), y = interesting(KN_F32, KN_SHAPE(lengths[i]), 3);
        check(kn_hypot, NULL, x, y);
        check(NULL, kn_exp, x, NULL);
    }
}

static kn_array plus_seven(kn_array x) { return kn_add(x, 7); }
static kn_array half(kn_array x) { return kn_mul(x, 0.5); }
static kn_array over_three(kn_array x) { return kn_floor_divide(x, 3); }
static kn_array squared(kn_array x) { return kn_power(x, 2); }
static kn_array rooted(kn_array x) { return kn_power(x, 0.5); }
static kn_array above_two(kn_array x) { return kn_greater(x, 2); }

static void c_numbers_beside_short_arrays_have_the_bits_of_plans(void **state)
{
    (void)state;
    const one functions[] = {plus_seven, half, over_three, squared, rooted, above_two};
    for (int d = 0; d < DTYPES; d++) {
        KN_SCOPE;
        kn_array x = interesting(dtype(d), KN_SHAPE(9), 2);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            check(NULL, functions[i], x, NULL);
    }
}

static void c_numbers_are_looked_at_each_time(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array u = kn_of(uint8_t, 100, 50);
    kn_eval(u);
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        expect_values(kn_add(u, k), 100 + k, 50 + k);
        kn_add(u, 256 + k);
        char error[80];
        snprintf(error, sizeof error, "add: integer %d out of bounds for uint8", 256 + k);
        expect_error("OverflowError", error);
        expect_values(kn_less(u, 1000 + k), 1, 1);
    }
}

static void what_comes_often_runs_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 6, 1, .dtype = KN_F64), s = kn_scalar(2.0);
    kn_eval(x), kn_eval(s);
    int run = -1;
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        run = STEPS(kn_eval(kn_add(x, x)), kn_eval(kn_mul(x, s)), kn_eval(kn_sub(x, k)), kn_eval(kn_sin(x)),
                    kn_eval(kn_less(x, x)));
    }
    assert_int_equal(run, knh_generator_best() == &knh_interpreter ? 5 : 0); /* without machine code each is a step */
}

static void other_layouts_have_the_same_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 12, 1, .dtype = KN_F64), KN_SHAPE(3, 4)), t = kn_transpose(m);
    kn_array part = kn_at(m, "1:, ::2"), back = kn_at(m, "::-1"), row = kn_at(m, "1"), column = kn_at(m, ":, :1");
    kn_array known = kn_transpose(m);
    kn_eval(m), kn_eval(known);
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        expect_values(kn_at(kn_add(t, t), "1"), 2, 10, 18);
        assert_true(kn_strides_of(kn_add(known, known)).stride[0] == 8);
        expect_values(kn_at(kn_add(part, part), "1"), 16, 20);
        expect_values(kn_at(kn_add(back, m), "0"), 8, 10, 12, 14);
        expect_values(kn_at(kn_add(m, row), "2"), 12, 14, 16, 18);
        expect_values(kn_at(kn_add(m, column), ":, 3"), 3, 11, 19);
        expect_values(kn_add(row, row), 8, 10, 12, 14);
        assert_true(kn_strides_of(kn_add(t, t)).stride[0] == 8);
    }
}

static kn_array forward(kn_array x) { return kn_fft_fft(x); }
static kn_array backward(kn_array x) { return kn_fft_ifft(x); }
static kn_array real(kn_array x) { return kn_fft_rfft(x); }
static kn_array to_real(kn_array x) { return kn_fft_irfft(x); }
static kn_array hermitian(kn_array x) { return kn_fft_hfft(x); }
static kn_array first_axis(kn_array x) { return kn_fft_fft(x, .axis = 0); }
static kn_array padded(kn_array x) { return kn_fft_fft(x, .n = 40); }
static kn_array divided(kn_array x) { return kn_fft_fft(x, .norm = "ortho"); }
static kn_array all_axes(kn_array x) { return kn_fft_fftn(x); }

static void fourier_transforms_have_the_bits_of_plans(void **state)
{
    (void)state;
    const one functions[] = {forward, backward, real, to_real, hermitian, first_axis, padded, divided, all_axes};
    const kn_shape shapes[] = {KN_SHAPE(1),     KN_SHAPE(2),     KN_SHAPE(31),   KN_SHAPE(64),   KN_SHAPE(1024),
                               KN_SHAPE(1, 64), KN_SHAPE(64, 1), KN_SHAPE(4, 6), KN_SHAPE(4096), KN_SHAPE(4097)};
    const kn_dtype dtypes[] = {KN_F32, KN_F64, KN_C64, KN_C128, KN_I32};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
                KN_SCOPE;
                int64_t n = shapes[s].dim[0] * (shapes[s].ndim > 1 ? shapes[s].dim[1] : 1);
                kn_array x =
                    kn_astype(kn_reshape(kn_sin(kn_mul(kn_arange(0, n, 1, .dtype = KN_F64), 9)), shapes[s]), dtypes[d]);
                kn_eval(x);
                check(NULL, functions[i], x, NULL);
            }
}

static void fourier_transforms_that_come_often_run_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_arange(0, 24, 1, .dtype = KN_F64)), z = kn_fft_fft(x), m = kn_reshape(z, KN_SHAPE(4, 6));
    m = kn_copy(m);
    kn_eval(x), kn_eval(z), kn_eval(m);
    int run = -1;
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        run = STEPS(kn_eval(kn_fft_fft(z)), kn_eval(kn_fft_irfft(z)), kn_eval(kn_fft_rfft(x)), kn_eval(kn_fft_fft(m)),
                    kn_eval(kn_fft_fft2(m)));
    }
    assert_int_equal(run, 0);
}

static void fourier_transforms_of_short_arrays_say_what_is_wrong(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(kn_of(double, 1, 2), KN_C128), one_number = kn_astype(kn_of(double, 3), KN_C128);
    kn_eval(x), kn_eval(one_number);
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        kn_fft_irfft(one_number);
        expect_error("ValueError", "irfft: Invalid number of FFT data points (0) specified.");
        kn_fft_fft(x, .norm = "none");
        expect_error("ValueError", "fft: Invalid norm value none; should be \"backward\",\"ortho\" or \"forward\".");
        kn_fft_rfft(x);
        assert_true(kn_error_pending());
        kn_error_clear();
        kn_fft_fft((kn_array)NULL);
        assert_true(kn_error_pending());
        kn_error_clear();
    }
}

static void results_are_arrays_like_any_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), z = NULL, same;
    kn_eval(x);
    for (int k = 0; k < OFTEN; k++)
        z = kn_add(x, x);
    same = z;
    kn_iadd(z, 1);
    expect_values(same, 3, 5);
    kn_set_at(x, 9, "0");
    expect_values(kn_add(x, x), 18, 4);
    expect_values(same, 3, 5);
    *kn_data_mut(z, double) = 7;
    kn_touch(z);
    expect_values(kn_add(z, x), 16, 7);
    kn_array none = kn_zeros(KN_SHAPE(0, 3));
    for (int k = 0; k < OFTEN; k++)
        assert_int_equal(kn_size(kn_add(none, none)), 0);
}

KN_TEST_GROUP(test_short_arrays)
{
    const struct CMUnitTest tests[] = {
        TEST(functions_of_two_have_the_bits_of_plans),
        TEST(functions_of_one_have_the_bits_of_plans),
        TEST(lengths_around_the_longest_have_the_bits_of_plans),
        TEST(c_numbers_beside_short_arrays_have_the_bits_of_plans),
        TEST(c_numbers_are_looked_at_each_time),
        TEST(what_comes_often_runs_nothing),
        TEST(other_layouts_have_the_same_elements),
        TEST(fourier_transforms_have_the_bits_of_plans),
        TEST(fourier_transforms_that_come_often_run_nothing),
        TEST(fourier_transforms_of_short_arrays_say_what_is_wrong),
        TEST(results_are_arrays_like_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
