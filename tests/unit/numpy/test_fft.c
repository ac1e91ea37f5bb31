/* SPDX-License-Identifier: Apache-2.0
 * test_fft.c -- np.fft: dtypes, numbers of points, norms, axes and errors as NumPy has them (values by tests/coverage), jaxprs
 * as JAX has them, derivatives against JAX's numbers, vmap, jit, unknown extents. */
#include "support/expect.h"
#include "support/group.h"
#include "support/symbolic.h"

#include <complex.h>
#include <stdio.h>

static kn_array some(int64_t n) { return kn_sin(kn_mul(kn_arange(1, n + 1, 1), 1.7)); }
static kn_array table(void) { return kn_reshape(some(24), KN_SHAPE(2, 3, 4)); }

static void expect_same(kn_array got, kn_array want, double tolerance)
{
    assert_ptr_equal(kn_dtype_of(got), kn_dtype_of(want));
    assert_int_equal(kn_ndim(got), kn_ndim(want));
    assert_true(kn_item(kn_max(kn_abs(kn_sub(got, want)))) <= tolerance);
}

/* --- values ----------------------------------------------------------------------------------- */

static void dtypes_are_those_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    static const struct {
        const char *from, *transform, *inverse;
    } rows[] = {{"bool", "complex128", "float64"},     {"int8", "complex128", "float64"},
                {"float16", "complex64", "float16"},   {"bfloat16", "complex64", "float32"},
                {"float32", "complex64", "float32"},   {"float64", "complex128", "float64"},
                {"complex64", "complex64", "float32"}, {"complex128", "complex128", "float64"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kn_array x = kn_astype(kn_ones(KN_SHAPE(4)), kn_dtype_named(rows[i].from));
        assert_string_equal(kn_dtype_name(kn_dtype_of(kn_fft_fft(x))), rows[i].transform);
        assert_string_equal(kn_dtype_name(kn_dtype_of(kn_fft_irfft(x))), rows[i].inverse);
        expect_values(kn_abs(kn_fft_fft(x)), 4, 0, 0, 0);
    }
    expect_values(kn_fft_irfft(kn_of(double, 1, 2, 3)), 2, -0.5, 0, -0.5);
}

static void arrays_are_cut_or_padded(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3, 4), y = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3));
    expect_same(kn_fft_fft(x, .n = 2), kn_fft_fft(kn_of(double, 1, 2)), 0);
    expect_same(kn_fft_fft(x, .n = 6), kn_fft_fft(kn_of(double, 1, 2, 3, 4, 0, 0)), 0);
    expect_same(kn_fft_rfft(x, .n = 3), kn_fft_rfft(kn_of(double, 1, 2, 3)), 0);
    expect_same(kn_fft_irfft(x, .n = 4), kn_fft_irfft(kn_of(double, 1, 2, 3)), 0);
    expect_same(kn_fft_irfft(x, .n = 9), kn_fft_irfft(kn_of(double, 1, 2, 3, 4, 0), .n = 9), 0);
    expect_same(kn_fft_fftn(y, .s = KN_SHAPE(1, 4)),
                kn_fft_fftn(kn_concatenate(KN_LIST(kn_at(y, ":1"), kn_zeros(KN_SHAPE(1, 1))), .axis = KN_AXIS(1))), 0);
    expect_same(kn_fft_fftn(y, .s = KN_SHAPE(-1, 2)), kn_fft_fftn(kn_at(y, ":, :2")), 0);
    expect_same(kn_fft_fftn(y, .s = KN_SHAPE(2)), kn_fft_fft(y, .n = 2), 0);
}

static void norms_divide_as_they_say(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(), y = kn_fft_fftn(x);
    expect_same(kn_fft_fftn(x, .norm = "forward"), kn_div(y, 24.0), 1e-15);
    expect_same(kn_fft_fftn(x, .norm = "ortho"), kn_div(y, sqrt(24.0)), 1e-14);
    expect_same(kn_fft_fftn(x, .norm = "backward"), y, 0);
    expect_same(kn_fft_ifftn(x, .norm = "forward"), kn_mul(kn_fft_ifftn(x), 24.0), 1e-14);
    const char *const norms[] = {"backward", "ortho", "forward"};
    for (int i = 0; i < 3; i++) {
        kn_array z = kn_astype(x, KN_C128);
        expect_same(kn_fft_ifft(kn_fft_fft(x, .norm = norms[i]), .norm = norms[i]), z, 1e-15);
        expect_same(kn_fft_irfftn(kn_fft_rfftn(x, .norm = norms[i]), .norm = norms[i]), x, 1e-15);
        expect_same(kn_fft_hfft(kn_fft_ihfft(x, .norm = norms[i]), .norm = norms[i]), x, 1e-15);
        expect_same(kn_fft_irfft2(kn_fft_rfft2(x, .norm = norms[i]), .norm = norms[i]), x, 1e-15);
    }
    kn_array huge = kn_of(double, 1, INFINITY); /* part by part: no NaN comes in */
    expect_values(kn_real(kn_fft_rfft(huge, .norm = "ortho")), INFINITY, -INFINITY);
}

static void axes_may_be_any(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table();
    expect_same(kn_fft_fft(x, .axis = 0),
                kn_moveaxis(kn_fft_fft(kn_moveaxis(x, KN_AXIS(0), KN_AXIS(-1))), KN_AXIS(-1), KN_AXIS(0)), 0);
    expect_same(kn_fft_rfft(x, .axis = 1), kn_swapaxes(kn_fft_rfft(kn_swapaxes(x, 1, 2)), 1, 2), 0);
    expect_same(kn_fft_fftn(x, .axes = KN_AXIS(2, 0)), kn_fft_fft(kn_fft_fft(x, .axis = 0), .axis = 2), 1e-14);
    expect_same(kn_fft_fftn(x, .axes = KN_AXIS(1, 1)), kn_fft_fft(kn_fft_fft(x, .axis = 1), .axis = 1), 1e-14);
    expect_same(kn_fft_fft(kn_at(x, "::-1, :, ::2"), .axis = 1), kn_at(kn_fft_fft(x, .axis = 1), "::-1, :, ::2"), 0);
    expect_same(kn_fft_fft(kn_transpose(x)), kn_transpose(kn_fft_fft(x, .axis = 0)), 0);
    kn_array none = kn_fft_fft(kn_zeros(KN_SHAPE(0, 4)));
    assert_int_equal(kn_size(none), 0);
    expect_values(kn_fft_fftshift(kn_of(double, 0, 1, 2, -2, -1)), -2, -1, 0, 1, 2);
    expect_values(kn_fft_ifftshift(kn_of(double, -2, -1, 0, 1, 2)), 0, 1, 2, -2, -1);
}

static void an_axis_may_come_again_and_again(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_axes eight = KN_AXIS(0, 0, 0, 0, 0, 0, 0, 0); /* 1000 to the power of 8 is more than integers hold */
    expect_same(kn_fft_fftn(kn_ones(KN_SHAPE(1000)), .axes = eight, .norm = "forward"),
                kn_astype(kn_full(KN_SHAPE(1000), 1e-12), kn_dtype_named("complex128")), 1e-26);
    kn_fft_rfftn(kn_ones(KN_SHAPE(4)), .axes = KN_AXIS(0, 0), .s = KN_SHAPE(3, INT64_MAX / 2));
    expect_error("MemoryError", "rfftn: array of shape (4611686018427387903,) and dtype float64 is too large");
}

static void without_axes_an_array_stays_what_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), one = kn_reshape(kn_of(int64_t, 3), (kn_shape){0});
    expect_same(kn_fft_fftn(x, .axes = KN_AXIS()), x, 0);
    expect_same(kn_fft_ifftn(one, .norm = "forward"), one, 0);
}

static void a_negative_number_has_no_frequencies_of_a_half(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_size(kn_fft_rfftfreq(-1)), 0);
    assert_int_equal(kn_size(kn_fft_rfftfreq(-8)), 0);
}

static void errors_are_those_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(4, 4));
    kn_fft_fft(x, .n = 0);
    expect_error("ValueError", "fft: Invalid number of FFT data points (0) specified.");
    kn_fft_fftfreq(INT64_MAX);
    expect_error("MemoryError", "fftfreq: array of shape (9223372036854775807,) and dtype int64 is too large");
    kn_fft_fft(kn_zeros(KN_SHAPE(0)));
    expect_error("ValueError", "fft: Invalid number of FFT data points (0) specified.");
    kn_fft_irfft(kn_ones(KN_SHAPE(1)));
    expect_error("ValueError", "irfft: Invalid number of FFT data points (0) specified.");
    kn_fft_fft(x, .axis = 2);
    expect_error("AxisError", "fft: axis 2 is out of bounds for array of dimension 2");
    kn_fft_ifft(x, .norm = "both");
    expect_error("ValueError", "ifft: Invalid norm value both; should be \"backward\", \"ortho\" or \"forward\".");
    kn_fft_fft(x, .norm = "both");
    expect_error("ValueError", "fft: Invalid norm value both; should be \"backward\",\"ortho\" or \"forward\".");
    kn_fft_fftn(x, .s = KN_SHAPE(2, 2), .axes = KN_AXIS(0));
    expect_error("ValueError", "fftn: Shape and axes have different lengths.");
    kn_fft_rfft(kn_astype(x, KN_C64));
    expect_error_with("TypeError", "rfft: ufunc 'rfft_n_even' not supported for the input types");
    kn_fft_rfft(kn_astype(x, KN_C64), .n = 3);
    expect_error_with("TypeError", "rfft: ufunc 'rfft_n_odd' not supported for the input types");
    kn_fft_rfft(kn_astype(x, KN_C64), .n = 0);
    expect_error("ValueError", "rfft: Invalid number of FFT data points (0) specified.");
    kn_fft_hfft(x, .norm = "both");
    expect_error("ValueError", "hfft: Invalid norm value both; should be \"backward\", \"ortho\" or \"forward\".");
    kn_fft_rfftn(x, .axes = KN_AXIS());
    expect_error("IndexError", "rfftn: list index out of range");
    kn_fft_fftfreq(-1);
    expect_error_with("ValueError", "fftfreq: negative dimensions are not allowed");
    kn_fft_fftfreq(0);
    expect_error("ZeroDivisionError", "fftfreq: float division by zero");
    kn_lax_fft(x, "DCT", KN_SHAPE(4));
    expect_error("ValueError", "fft: Unknown FFT type 'DCT'");
    kn_lax_fft(x, "RFFT", KN_SHAPE(5));
    expect_error("ValueError", "fft: RFFT input shape (4,4) does not fit fft_lengths (5,)");
}

/* --- functions -------------------------------------------------------------------------------- */

static kn_array wave(const kn_array *x)
{
    kn_array y = kn_fft_rfft(*x);
    return kn_sum(kn_mul(kn_real(y), kn_cos(kn_imag(y))));
}
KN_FUNCTION(wave, kn_array, kn_array)
static kn_array cubes_of_5(const kn_array *z) { return kn_sum(kn_power(kn_fft_irfft(*z, .n = 5), 3)); }
KN_FUNCTION(cubes_of_5, kn_array, kn_array)
static kn_array cubes(const kn_array *z) { return kn_sum(kn_power(kn_fft_irfft(*z), 3)); }
KN_FUNCTION(cubes, kn_array, kn_array)
static kn_array sines(const kn_array *z) { return kn_sum(kn_sin(kn_abs(kn_fft_fft(*z)))); }
KN_FUNCTION(sines, kn_array, kn_array)
static kn_array squared(const kn_array *x) { return kn_sum(kn_sin(kn_fft_irfft(kn_square(kn_fft_rfft(*x)), .n = 5))); }
KN_FUNCTION(squared, kn_array, kn_array)
static kn_array energy(const kn_array *x) { return kn_sum(kn_square(kn_abs(kn_fft_fftn(*x)))); }
KN_FUNCTION(energy, kn_array, kn_array)
static kn_array first_axis(const kn_array *x) { return kn_abs(kn_fft_fft(*x, .axis = 0)); }
KN_FUNCTION(first_axis, kn_array, kn_array)

static void derivatives_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, -1, 2, 0.25, 1.5), x6 = kn_of(double, 0.5, -1, 2, 0.25, 1.5, -0.75), y;
    kn_array z = kn_of(double complex, 1 + 2 * I, -0.5 + 0.25 * I, 0.75 - 1 * I);
    kn_call(kn_grad(KN_FN(wave)), &y, &x);
    expect_near(y, 1e-13, 0.2199958892576487, 0.7990149111958207, -0.1612603995825493, 1.1873332678704345,
                2.9549163312586453);
    kn_call(kn_grad(KN_FN(wave)), &y, &x6);
    expect_near(y, 1e-13, 3.7730286789537235, 0.4665093159947244, 1.620799196683909, -0.1802791406520897,
                0.6061721243623672, -0.2862301753426348);
    kn_call(kn_grad(KN_FN(cubes_of_5)), &y, &z);
    expect_near(kn_real(y), 1e-13, 0.57, -0.645, 0.345);
    expect_near(kn_imag(y), 1e-13, 0, -0.63, 0.87);
    kn_call(kn_grad(KN_FN(cubes)), &y, &z);
    expect_near(kn_real(y), 1e-13, 0.41015625, -0.65625, 0.3515625);
    expect_near(kn_imag(y), 1e-13, 0, -0.046875, 0);
    kn_call(kn_grad(KN_FN(sines)), &y, &z);
    expect_near(kn_real(y), 1e-13, -0.5113171073977869, 0.7770727949560255, -0.680896881712732);
    expect_near(kn_imag(y), 1e-13, 0.4690996786189677, 0.224929344741421, -0.2788878292058955);
    kn_call(kn_jit(kn_hessian(KN_FN(squared))), &y, &x);
    expect_near(kn_at(y, "0"), 1e-12, 22.40950570877464, 0.6201785868129797, 6.010708011026438, 4.742021222386745,
                -3.3991866908470887);
}

static void second_derivatives_of_an_energy_are_constant(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(some(6), KN_SHAPE(2, 3)), h; /* Parseval: the sum of squares times their number */
    kn_call(kn_hessian(KN_FN(energy)), &h, &x);
    expect_same(kn_reshape(h, KN_SHAPE(6, 6)), kn_mul(kn_eye(6), 12.0), 1e-12);
}

static void a_mapped_axis_stays_where_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_at(table(), "0"), y, z;
    kn_call(kn_vmap(KN_FN(first_axis), .in_axes = {KN_MAPPED(1)}, .out_axes = {KN_MAPPED(1)}), &y, &x);
    kn_call(kn_jit(KN_FN(first_axis)), &z, &x);
    expect_same(y, z, 0);
    kn_jaxpr j =
        kn_make_jaxpr(kn_vmap(KN_FN(first_axis), .in_axes = {KN_MAPPED(1)}, .out_axes = {KN_MAPPED(1)}), KN_ARGS(&x));
    assert_non_null(strstr(kn_jaxpr_text(j, KN_JAXPR_TYPED), "fft[fft_lengths=(3,) fft_type=0 axes=(0,)] b"));
}

/* --- unknown extents -------------------------------------------------------------------------- */

#define TRANSFORMED(CASE)                                                                        \
    CASE(fft, "f32[b,t]", "c64[b,t]", kn_fft_fft(x[0]))                                          \
    CASE(fft_of_5, "f32[b,t]", "c64[b,5]", kn_fft_fft(x[0], .n = 5))                             \
    CASE(fft_first, "c64[b,t]", "c64[b,t]", kn_fft_ifft(x[0], .axis = 0, .norm = "ortho"))       \
    CASE(rfft, "f32[b,t]", "c64[b,floordiv(t, 2) + 1]", kn_fft_rfft(x[0]))                       \
    CASE(irfft, "c64[b,t] | t >= 2", "f32[b,2*t - 2]", kn_fft_irfft(x[0]))                       \
    CASE(rfftn, "f32[b,t]", "c64[b,floordiv(t, 2) + 1]", kn_fft_rfftn(x[0], .norm = "forward"))  \
    CASE(freq, "f32[b]", "f64[b]", kn_fft_fftfreq(kn_dim(x[0], 0)))                              \
    CASE(rfreq, "f32[b]", "f64[floordiv(b, 2) + 1]", kn_fft_rfftfreq(kn_dim(x[0], 0), .d = 0.5)) \
    CASE(shift, "f32[b,t]", "f32[b,t]", kn_fft_fftshift(x[0]))                                   \
    CASE(unshift, "f32[b,t]", "f32[b,t]", kn_fft_ifftshift(x[0], .axes = KN_AXIS(1)))

TRANSFORMED(SYMBOLIC_FUNCTION)
static const symbolic_case transformed[] = {TRANSFORMED(SYMBOLIC_ROW)};

static void lengths_may_be_unknown(void **state)
{
    (void)state;
    symbolic_check(transformed, sizeof transformed / sizeof *transformed);
    symbolic_check_values(transformed, sizeof transformed / sizeof *transformed);
}

KN_TEST_GROUP(test_fft)
{
    const struct CMUnitTest tests[] = {
        TEST(dtypes_are_those_of_numpy),
        TEST(arrays_are_cut_or_padded),
        TEST(norms_divide_as_they_say),
        TEST(axes_may_be_any),
        TEST(an_axis_may_come_again_and_again),
        TEST(without_axes_an_array_stays_what_it_is),
        TEST(a_negative_number_has_no_frequencies_of_a_half),
        TEST(errors_are_those_of_numpy),
        TEST(derivatives_are_those_of_jax),
        TEST(second_derivatives_of_an_energy_are_constant),
        TEST(a_mapped_axis_stays_where_it_is),
        TEST(lengths_may_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
