/* SPDX-License-Identifier: Apache-2.0
 * test_spectra.c -- convolutions by transforms, windows and spectra as in scipy.signal: calls whose results and errors SciPy gave, and
 * what they do under transformations. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include "support/symbolic.h"
#include <math.h>

#define OPTION(name)       numpy_option(c, name)
#define NUMBER(name, none) (int64_t) numpy_number(c, name, none)
#define TAKEN(name, ...) \
    static numpy_result call_##name(const numpy_call *c) { return __VA_ARGS__; }
static numpy_result spectra(kn_signal_spectra s) { return (numpy_result){3, {s.frequencies, s.times, s.values}}; }
static numpy_result spectrum(kn_signal_spectrum s) { return (numpy_result){2, {s.frequencies, s.values}}; }
static numpy_result samples(kn_signal_samples s) { return (numpy_result){2, {s.times, s.values}}; }
static kn_shape points(const numpy_call *c)
{
    kn_axes s = numpy_axes(c, "bp");
    kn_shape shape = {.ndim = s.n ? s.n - 1 : 0};
    for (int i = 0; i < shape.ndim; i++)
        shape.dim[i] = s.axis[i];
    return shape;
}

TAKEN(fftconvolve,
      numpy_one(kn_signal_fftconvolve(c->array[0], c->array[1], .mode = OPTION("mode"), .axes = numpy_axes(c, "axes"))))
TAKEN(signal_convolve,
      numpy_one(kn_signal_convolve(c->array[0], c->array[1], .mode = OPTION("mode"), .method = OPTION("method"))))
TAKEN(signal_correlate,
      numpy_one(kn_signal_correlate(c->array[0], c->array[1], .mode = OPTION("mode"), .method = OPTION("method"))))
#define SEGMENTS                                                                                  \
    .fs = numpy_number(c, "fs", 1), .window = OPTION("window"), .nperseg = NUMBER("nperseg", -1), \
    .noverlap = NUMBER("noverlap", -1), .nfft = NUMBER("nfft", -1), .scaling = OPTION("scaling")
TAKEN(stft, spectra(kn_signal_stft(c->array[0], SEGMENTS, .detrend = OPTION("detrend"), .boundary = OPTION("boundary"),
                                   .padded = numpy_flag(c, "padded", true), .axis = (int)NUMBER("axis", -1),
                                   .onesided = numpy_flag(c, "onesided", true))))
TAKEN(csd, spectrum(kn_signal_csd(c->array[0], c->array[1], SEGMENTS, .detrend = OPTION("detrend"),
                                  .average = OPTION("average"), .axis = (int)NUMBER("axis", -1),
                                  .onesided = numpy_flag(c, "onesided", true))))
TAKEN(welch, spectrum(kn_signal_welch(c->array[0], SEGMENTS, .detrend = OPTION("detrend"), .average = OPTION("average"),
                                      .axis = (int)NUMBER("axis", -1), .onesided = numpy_flag(c, "onesided", true))))
TAKEN(periodogram,
      spectrum(kn_signal_periodogram(c->array[0], SEGMENTS, .detrend = OPTION("detrend"),
                                     .axis = (int)NUMBER("axis", -1), .onesided = numpy_flag(c, "onesided", true))))
TAKEN(istft,
      samples(kn_signal_istft(c->array[0], SEGMENTS, .boundary = numpy_flag(c, "boundary", true),
                              .input_onesided = numpy_flag(c, "input_onesided", true),
                              .time_axis = (int)NUMBER("time_axis", -1), .freq_axis = (int)NUMBER("freq_axis", -2))))
TAKEN(detrend, numpy_one(kn_signal_detrend(c->array[0], .axis = (int)NUMBER("axis", -1), .type = OPTION("type"),
                                           .bp = points(c))))
TAKEN(get_window, numpy_one(kn_signal_get_window(c->text, c->list[0].dim[0], .fftbins = numpy_flag(c, "fftbins", true),
                                                 .beta = numpy_number(c, "beta", NAN))))

#define CALL(name)              \
    {                           \
#name, call_##name, -12 \
    }

static void results_are_those_of_scipy(void **state)
{
    (void)state;
    static const numpy_entry table[] = {CALL(fftconvolve), CALL(signal_convolve), CALL(signal_correlate), CALL(stft),
                                        CALL(csd),         CALL(welch),           CALL(periodogram),      CALL(istft),
                                        CALL(detrend),     CALL(get_window)};
    numpy_calls_check_with(KN_TEST_DIR "/golden/spectra.txt", table, sizeof table / sizeof *table);
}

/* SciPy has as many times as the first axis is long. */
static void there_is_a_time_for_each_sample(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_reshape(kn_arange(0, 60, 1), KN_SHAPE(3, 20)));
    kn_signal_spectra z = kn_signal_stft(x, .nperseg = 8);
    kn_signal_samples y = kn_signal_istft(z.values, .fs = 2);
    assert_true(kn_item(kn_max(kn_abs(kn_sub(kn_at(y.values, ":, :20"), x)))) < 1e-14);
    assert_int_equal(kn_size(y.times), kn_dim(y.values, 1));
    expect_values(kn_at(y.times, ":3"), 0, 0.5, 1);
    assert_int_equal(kn_dim(z.values, 2), kn_size(z.times));
}

/* ---- Methods. */

static bool same(kn_array x, kn_array y) { return kn_item_bool(kn_all(kn_equal(x, y))); }

static void the_default_method_is_direct(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_arange(0, 3000, 1)), k = kn_cos(kn_arange(0, 700, 1));
    kn_array direct = kn_signal_convolve(x, k, .method = "direct"), fft = kn_signal_convolve(x, k, .method = "fft");
    assert_true(same(kn_signal_convolve(x, k), direct));
    assert_true(same(kn_signal_convolve(x, k, .method = "auto"), fft));
    assert_false(same(direct, fft));
    assert_true(kn_item(kn_max(kn_abs(kn_sub(direct, fft)))) < 1e-12);
    kn_array few = kn_at(k, ":3");
    assert_true(same(kn_signal_convolve(x, few, .method = "auto"), kn_signal_convolve(x, few)));
    kn_array n = kn_arange(0, 3000, 1), m = kn_arange(0, 700, 1); /* integers are exact */
    assert_true(same(kn_signal_convolve(n, m, .method = "auto"), kn_signal_convolve(n, m)));
    assert_true(same(kn_signal_correlate(x, k, .method = "auto"), kn_signal_correlate(x, k, .method = "fft")));
}

static void errors_say_what_is_wrong(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(5));
    kn_signal_convolve(x, x, .method = "slow");
    expect_error("ValueError", "signal_convolve: Acceptable method flags are 'auto', 'direct', or 'fft'.");
    kn_signal_fftconvolve(x, kn_zeros(KN_SHAPE(0)));
    expect_error("ValueError", "fftconvolve: in1 and in2 cannot be empty");
    kn_signal_fftconvolve(kn_ones(KN_SHAPE(2, 5)), kn_ones(KN_SHAPE(3, 5)), .axes = KN_AXIS(1));
    expect_error("ValueError", "fftconvolve: incompatible shapes for in1 and in2 along axis 0");
    kn_signal_stft(x, .window = "round");
    expect_error("ValueError", "stft: Invalid window name 'round' in parameter window='round'!");
    kn_signal_stft(x, .win = kn_ones(KN_SHAPE(3)), .nperseg = 4);
    expect_error("ValueError", "stft: value specified for nperseg is different from length of window");
    kn_signal_stft(x, .boundary = "round");
    expect_error("ValueError", "stft: Unknown boundary option, must be one of: even, odd, constant, zeros, none");
    kn_signal_stft(kn_zeros(KN_SHAPE(0)));
    expect_error("ValueError", "stft: the signal has no elements");
    kn_signal_csd(x, kn_ones(KN_SHAPE(4)));
    expect_error("ValueError", "csd: operands could not be broadcast together with shapes (5,) (4,)");
    kn_array none = NULL;
    kn_signal_csd(x, none);
    expect_error_with("TypeError", "csd: ");
    kn_signal_istft(kn_zeros(KN_SHAPE(0, 3, 5)), .noverlap = INT64_MIN);
    expect_error("ValueError", "istft: noverlap must not be negative");
    kn_signal_get_window("hann", INT64_MAX);
    expect_error_with("MemoryError", "(9223372036854775807,)");
    kn_signal_get_window(NULL, 5);
    expect_error("TypeError", "get_window: null window");
}

/* ---- Blocks. */

static kn_array wave(kn_shape shape, double by)
{
    int64_t n = 1;
    for (int d = 0; d < shape.ndim; d++)
        n *= shape.dim[d];
    return kn_reshape(kn_sin(kn_mul(kn_square(kn_arange(0, (double)n, 1)), by)), shape);
}

static double norm(kn_array x) { return sqrt(kn_item(kn_sum(kn_square(kn_abs(x))))); }

/* The error, in units of the last place of the product of both norms */
static double error_of(kn_array y, kn_array x, kn_array k, const char *mode, double unit)
{
    kn_array exact = kn_signal_convolve(x, k, .mode = mode);
    assert_int_equal(kn_size(exact), kn_size(y));
    return kn_item(kn_max(kn_abs(kn_sub(exact, y)))) / (unit * norm(x) * norm(k));
}

/* 6,000 and 40: blocks; of the other way around, too; 600 and 599: none */
static void blocks_of_a_long_signal_have_the_errors_of_one_transform(void **state)
{
    (void)state;
    static const char *const modes[] = {"full", "same", "valid"};
    static const int64_t sizes[][2] = {{6000, 40}, {40, 6000}, {6001, 2}, {9000, 257}, {600, 599}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int m = 0; m < 3; m++) {
            KN_SCOPE;
            kn_array x = wave(KN_SHAPE(sizes[i][0]), 0.013), k = wave(KN_SHAPE(sizes[i][1]), 0.37);
            kn_array z = kn_lax_complex(x, kn_flip(x));
            kn_array single = kn_signal_fftconvolve(kn_astype(x, KN_F32), kn_astype(k, KN_F32), .mode = modes[m]);
            assert_true(error_of(kn_signal_fftconvolve(x, k, .mode = modes[m]), x, k, modes[m], 0x1p-53) < 6);
            assert_true(error_of(kn_signal_fftconvolve(z, k, .mode = modes[m]), z, k, modes[m], 0x1p-53) < 6);
            assert_true(error_of(kn_astype(single, KN_F64), kn_astype(kn_astype(x, KN_F32), KN_F64),
                                 kn_astype(kn_astype(k, KN_F32), KN_F64), modes[m], 0x1p-24) < 6);
        }
}

static void blocks_lie_along_any_axis_of_a_stack(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(KN_SHAPE(3, 5000, 2), 0.021), k = wave(KN_SHAPE(1, 30, 2), 0.11);
    kn_array y = kn_signal_fftconvolve(x, k, .axes = KN_AXIS(1));
    assert_int_equal(kn_dim(y, 1), 5029);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 2; j++) {
            kn_array line = kn_at(x, "%,:,%", i, j), taps = kn_at(k, "0,:,%", j);
            kn_array one = kn_at(y, "%,:,%", i, j);
            assert_true(error_of(one, line, taps, "full", 0x1p-53) < 6);
        }
}

/* ---- Transformations. */

static kn_array weighted(const kn_array *x)
{
    kn_array y = kn_signal_fftconvolve(*x, wave(KN_SHAPE(30), 0.11));
    return kn_sum(kn_mul(y, wave(KN_SHAPE(5029), 0.17)));
}
KN_FUNCTION(weighted, kn_array, kn_array)

static void the_gradient_of_blocks_is_a_correlation(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = wave(KN_SHAPE(5000), 0.021), k = wave(KN_SHAPE(30), 0.11), w = wave(KN_SHAPE(5029), 0.17), y;
    kn_call(kn_jit(kn_grad(KN_FN(weighted))), &y, &x);
    assert_true(error_of(y, w, kn_flip(k), "valid", 0x1p-53) < 6);
}

static kn_array filtered(const kn_array *x)
{
    return kn_signal_fftconvolve(*x, kn_of(double, 1, 2, -1), .mode = "same");
}
KN_FUNCTION(filtered, kn_array, kn_array)
static kn_array there(const kn_array *x) { return kn_sum(kn_square(kn_abs(kn_signal_stft(*x, .nperseg = 4).values))); }
KN_FUNCTION(there, kn_array, kn_array)
static kn_array and_back(const kn_array *x)
{
    return kn_signal_istft(kn_signal_stft(*x, .nperseg = 6, .noverlap = 4).values, .nperseg = 6, .noverlap = 4).values;
}
KN_FUNCTION(and_back, kn_array, kn_array)

static void derivatives_are_those_of_sums(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, -1, 2, 0.25, 1.5, -0.75, 1, 3), j, y;
    kn_call(kn_jacrev(KN_FN(filtered)), &j, &x); /* a band of the window's numbers */
    expect_near(kn_at(j, "3"), 1e-14, 0, 0, -1, 2, 1, 0, 0, 0);
    kn_call(kn_jit(KN_FN(and_back)), &y, &x);
    assert_true(kn_item(kn_max(kn_abs(kn_sub(y, x)))) < 1e-14);
    kn_call(kn_jacfwd(KN_FN(and_back)), &j, &x);
    assert_true(kn_item(kn_max(kn_abs(kn_sub(j, kn_eye(8))))) < 1e-14);
    kn_call(kn_jit(kn_grad(KN_FN(there))), &y, &x);
    expect_near(y, 1e-12, 0.75, -0.71875, 3.0, -0.03125, 2.25, -0.15625, 1.5, 2.15625);
    kn_array rows = kn_stack(KN_LIST(x, kn_neg(x))), z;
    kn_call(kn_vmap(KN_FN(filtered)), &z, &rows);
    assert_true(kn_item(kn_max(kn_abs(kn_sub(kn_at(z, "1"), kn_neg(filtered(&x)))))) < 1e-14);
}

#define FUNCTIONS(CASE)                                                                                        \
    CASE(fftconvolve, "f32[b] f32[3]", "f32[b + 2]", kn_signal_fftconvolve(x[0], x[1]))                        \
    CASE(fftconvolve_same, "f32[b,t] f32[3,3]", "f32[b,t]", kn_signal_fftconvolve(x[0], x[1], .mode = "same")) \
    CASE(by_method, "f32[b] f32[t]", "f32[t + b - 1]", kn_signal_convolve(x[0], x[1], .method = "auto"))       \
    CASE(stft, "f32[b] | b >= 4", "c64[3,floordiv(b + 3, 2)]", kn_signal_stft(x[0], .nperseg = 4).values)      \
    CASE(welch, "f32[b,t] | t >= 4", "f32[b,3]", kn_signal_welch(x[0], .nperseg = 4).values)                   \
    CASE(istft, "c64[3,t]", "f32[2*t - 2]", kn_signal_istft(x[0]).values)                                      \
    CASE(detrend, "f32[b,t]", "f32[b,t]", kn_signal_detrend(x[0]))

FUNCTIONS(SYMBOLIC_FUNCTION)
static const symbolic_case functions[] = {FUNCTIONS(SYMBOLIC_ROW)};

static void extents_may_be_unknown(void **state)
{
    (void)state;
    symbolic_check(functions, sizeof functions / sizeof *functions);
    symbolic_check_values(functions, sizeof functions / sizeof *functions);
}

KN_TEST_GROUP(test_spectra)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_scipy),
        TEST(there_is_a_time_for_each_sample),
        TEST(the_default_method_is_direct),
        TEST(errors_say_what_is_wrong),
        TEST(blocks_of_a_long_signal_have_the_errors_of_one_transform),
        TEST(blocks_lie_along_any_axis_of_a_stack),
        TEST(the_gradient_of_blocks_is_a_correlation),
        TEST(derivatives_are_those_of_sums),
        TEST(extents_may_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
