/* SPDX-License-Identifier: Apache-2.0
 * test_fft_cosines.c -- scipy.fft: cosine and sine transforms as SciPy has them, long ones against their definition, derivatives
 * against JAX's numbers, vmap, jit, unknown extents; Hermitian transforms of several axes; lengths with small factors. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include "support/symbolic.h"

/* --- values ----------------------------------------------------------------------------------- */

static int flag(const numpy_call *c)
{
    const char *text = numpy_option(c, "orthogonalize");
    return !text || !strcmp(text, "none") ? -1 : (int)numpy_number(c, "orthogonalize", 0);
}

static kn_shape extents(const numpy_call *c)
{
    kn_axes s = numpy_axes(c, "s");
    kn_shape shape = {.ndim = s.n ? s.n - 1 : 0};
    for (int i = 0; i < shape.ndim; i++)
        shape.dim[i] = s.axis[i];
    return shape;
}

#define LINE(name)                                                                                                 \
    static numpy_result call_##name(const numpy_call *c)                                                           \
    {                                                                                                              \
        return numpy_one(kn_fft_##name(                                                                            \
            c->array[0], .type = (int)numpy_number(c, "type", 2), .n = (int64_t)numpy_number(c, "n", -1),          \
            .axis = (int)numpy_number(c, "axis", -1), .norm = numpy_option(c, "norm"), .orthogonalize = flag(c))); \
    }
#define ALL(name)                                                                                             \
    static numpy_result call_##name(const numpy_call *c)                                                      \
    {                                                                                                         \
        return numpy_one(kn_fft_##name(c->array[0], .type = (int)numpy_number(c, "type", 2), .s = extents(c), \
                                       .axes = numpy_axes(c, "axes"), .norm = numpy_option(c, "norm"),        \
                                       .orthogonalize = flag(c)));                                            \
    }
#define HERMITIAN(name)                                                                             \
    static numpy_result call_##name(const numpy_call *c)                                            \
    {                                                                                               \
        return numpy_one(kn_fft_##name(c->array[0], .s = extents(c), .axes = numpy_axes(c, "axes"), \
                                       .norm = numpy_option(c, "norm")));                           \
    }
LINE(dct)
LINE(idct)
LINE(dst)
LINE(idst)
ALL(dctn)
ALL(idctn)
ALL(dstn)
ALL(idstn)
HERMITIAN(hfft2)
HERMITIAN(ihfft2)
HERMITIAN(hfftn)
HERMITIAN(ihfftn)

#define CALL(name)             \
    {                          \
#name, call_##name, -8 \
    }

static void results_and_errors_are_those_of_scipy(void **state)
{
    (void)state;
    static const numpy_entry table[] = {CALL(dct),  CALL(idct),  CALL(dst),   CALL(idst),   CALL(dctn),  CALL(idctn),
                                        CALL(dstn), CALL(idstn), CALL(hfft2), CALL(ihfft2), CALL(hfftn), CALL(ihfftn)};
    numpy_calls_check_with(KN_TEST_DIR "/golden/fft.txt", table, sizeof table / sizeof *table);
}

/* The definitions, in long double. */
static long double defined(const double *x, int n, int type, bool sine, int k)
{
    static const long double pi = 3.14159265358979323846264338327950288L;
    long double sum = 0;
    for (int j = 0; j < n; j++) {
        long double a = type == 1 ? (sine ? j + 1 : j) : type == 3 ? (sine ? j + 1 : j) : j + 0.5L;
        long double c = type == 1 || type == 2 ? (sine ? k + 1 : k) : k + 0.5L;
        long double period = type == 1 ? (sine ? n + 1 : n - 1) : n, angle = pi * a * c / period;
        bool once = (type == 1 && !sine && (j == 0 || j == n - 1)) || (type == 3 && j == (sine ? n - 1 : 0));
        sum += x[j] * (sine ? sinl(angle) : cosl(angle)) * (once ? 1 : 2);
    }
    return sum;
}

static kn_array transform(kn_array x, int type, bool sine)
{
    return sine ? kn_fft_dst(x, .type = type) : kn_fft_dct(x, .type = type);
}

static void long_ones_are_their_definitions(void **state)
{
    (void)state;
    static const int lengths[] = {64, 81, 97, 128, 211, 360};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = 0; kind < 8; kind++) {
            KN_SCOPE;
            int n = lengths[i], type = kind / 2 + 1;
            double x[360], square = 0, error[2] = {0, 0};
            for (int j = 0; j < n; j++)
                x[j] = (float)sin(1.7 * (j + 1));
            kn_array given = kn_from(x, KN_SHAPE(n)), y = transform(given, type, kind & 1),
                     single = kn_astype(transform(kn_astype(given, KN_F32), type, kind & 1), KN_F64);
            const double *got = kn_data(y, double), *rough = kn_data(single, double);
            for (int k = 0; k < n; k++) {
                long double want = defined(x, n, type, kind & 1, k);
                square += (double)(want * want);
                error[0] += (double)((got[k] - want) * (got[k] - want));
                error[1] += (double)((rough[k] - want) * (rough[k] - want));
            }
            double bound = 2 * (1 + 0.35 * log2(2 * n + 3));
            assert_true(sqrt(error[0] / square) <= bound * 0x1p-53);
            assert_true(sqrt(error[1] / square) <= bound * 0x1p-24);
        }
}

static void inverses_give_back_what_was_transformed(void **state)
{
    (void)state;
    for (int n = 2; n < 40; n++) {
        KN_SCOPE;
        kn_array x = kn_sin(kn_reshape(kn_arange(0, 3 * n, 1), KN_SHAPE(3, n)));
        for (int type = 1; type <= 4; type++) {
            static const char *const norms[] = {NULL, "ortho", "forward"};
            const char *norm = norms[n % 3];
            kn_array y = kn_fft_idct(kn_fft_dct(x, .type = type, .norm = norm), .type = type, .norm = norm);
            kn_array z = kn_fft_idst(kn_fft_dst(x, .type = type, .norm = norm), .type = type, .norm = norm);
            assert_true(kn_item(kn_max(kn_abs(kn_sub(y, x)))) < 2e-15);
            assert_true(kn_item(kn_max(kn_abs(kn_sub(z, x)))) < 2e-15);
        }
        kn_array y = kn_fft_dct(x, .norm = "ortho"); /* lengths stay what they are */
        assert_true(fabs(kn_item(kn_sum(kn_square(y))) - kn_item(kn_sum(kn_square(x)))) < 1e-13 * n);
    }
}

static void axes_lie_anywhere(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_reshape(kn_arange(0, 60, 1), KN_SHAPE(3, 4, 5)));
    for (int type = 1; type <= 4; type++) {
        kn_array y = kn_fft_dct(x, .type = type, .axis = 0),
                 z = kn_moveaxis(kn_fft_dct(kn_moveaxis(x, KN_AXIS(0), KN_AXIS(-1)), .type = type), KN_AXIS(-1),
                                 KN_AXIS(0));
        assert_true(kn_item_bool(kn_all(kn_equal(y, z))));
        z = kn_fft_dst(kn_at(x, "::-1, :, ::2"), .type = type, .axis = 1);
        assert_true(kn_item_bool(kn_all(kn_equal(z, kn_at(kn_fft_dst(x, .type = type, .axis = 1), "::-1, :, ::2")))));
    }
    kn_array counts = kn_arange(0, 4, 1), same = kn_fft_dctn(counts, .axes = KN_AXIS());
    assert_ptr_equal(kn_dtype_of(kn_fft_dctn(x, .s = KN_SHAPE(2))), KN_F64);
    assert_int_equal(kn_dim(kn_fft_dctn(x, .s = KN_SHAPE(2)), 2), 2);
    assert_int_equal(kn_size(same), 4);
}

static void errors_say_what_is_wrong(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fft_dct(kn_ones(KN_SHAPE(1)), .type = 1);
    expect_error("RuntimeError", "dct: zero-length FFT requested");
    kn_fft_dct(kn_ones(KN_SHAPE(3)), .axis = 1);
    expect_error("AxisError", "dct: axis 1 is out of bounds for array of dimension 1");
    kn_fft_dst(kn_zeros(KN_SHAPE(0, 4)), .n = INT64_MAX, .type = 1);
    expect_error("ValueError", "dst: invalid number of data points (9223372036854775807) specified");
    kn_fft_dct(kn_ones(KN_SHAPE(3)), .n = INT64_MAX / 8);
    expect_error_with("MemoryError", "too large");
    kn_fft_dctn(kn_ones(KN_SHAPE(3, 4)), .s = KN_SHAPE(3, 0));
    expect_error("ValueError", "dctn: invalid number of data points (0) specified");
}

/* --- functions -------------------------------------------------------------------------------- */

static kn_array wave(const kn_array *x) { return kn_sum(kn_sin(kn_fft_dct(*x, .norm = "ortho"))); }
KN_FUNCTION(wave, kn_array, kn_array)
static kn_array back(const kn_array *x) { return kn_sum(kn_sin(kn_fft_idct(*x))); }
KN_FUNCTION(back, kn_array, kn_array)
static kn_array planes(const kn_array *x) { return kn_sum(kn_sin(kn_fft_dctn(*x))); }
KN_FUNCTION(planes, kn_array, kn_array)

static void derivatives_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, -1, 2, 0.25, 1.5), y;
    kn_call(kn_grad(KN_FN(wave)), &y, &x);
    expect_near(y, 1e-14, 1.1094454394142896, -0.2898795699945445, -0.8629649094211047, 0.46779321624590564,
                -0.16258868773971277);
    kn_call(kn_jit(kn_grad(KN_FN(back))), &y, &x);
    expect_near(y, 1e-14, 0.46370909294727897, 0.015367368577123145, -0.030300860331382008, 0.03637641468335075,
                0.0053651769188221244);
    kn_array m = kn_reshape(kn_of(double, 0.5, -1, 2, 0.25, 1.5, -0.75), KN_SHAPE(2, 3));
    kn_call(kn_grad(KN_FN(planes)), &y, &m);
    expect_near(kn_ravel(y), 1e-13, -1.4429166129154711, -2.13534109096606, -5.167374516413322, -8.04661129507975,
                -1.2480564492684136, -2.0974167331918414);
    kn_call(kn_jit(kn_hessian(KN_FN(wave))), &y, &x);
    expect_near(kn_at(y, "0"), 1e-13, 0.057565004610033346, 0.15980785073221582, -0.33959396189537844,
                -0.39760025571273894, -0.4733007738471824);
}

static int which;
static kn_array linear(const kn_array *x) { return transform(*x, which / 2 + 1, which & 1); }
KN_FUNCTION(linear, kn_array, kn_array)
static kn_array by_columns(const kn_array *x) { return transform(*x, 4, false); }
KN_FUNCTION(by_columns, kn_array, kn_array)

static void jacobians_are_the_matrices(void **state)
{
    (void)state;
    for (which = 0; which < 8; which++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 0.5, -1, 2, 0.25, 1.5), forward, reverse;
        kn_array columns = kn_transpose(kn_stack(KN_LIST(
            linear((kn_array[]){kn_of(double, 1, 0, 0, 0, 0)}), linear((kn_array[]){kn_of(double, 0, 1, 0, 0, 0)}),
            linear((kn_array[]){kn_of(double, 0, 0, 1, 0, 0)}), linear((kn_array[]){kn_of(double, 0, 0, 0, 1, 0)}),
            linear((kn_array[]){kn_of(double, 0, 0, 0, 0, 1)}))));
        kn_call(kn_jacfwd(KN_FN(linear)), &forward, &x);
        kn_call(kn_jacrev(KN_FN(linear)), &reverse, &x);
        assert_true(kn_item(kn_max(kn_abs(kn_sub(forward, columns)))) < 1e-14);
        assert_true(kn_item(kn_max(kn_abs(kn_sub(reverse, columns)))) < 1e-14);
    }
}

static void mapped_and_compiled_ones_have_the_same_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_sin(kn_reshape(kn_arange(0, 66, 1), KN_SHAPE(6, 11))), y, z, rows = kn_fft_dct(x, .type = 4);
    kn_call(kn_vmap(KN_FN(by_columns)), &y, &x);
    kn_call(kn_jit(KN_FN(by_columns)), &z, &x);
    assert_true(kn_item_bool(kn_all(kn_equal(y, rows))));
    assert_true(kn_item_bool(kn_all(kn_equal(z, rows))));
}

/* --- unknown extents -------------------------------------------------------------------------- */

#define TRANSFORMED(CASE)                                                             \
    CASE(dct_1, "f32[b,t] | t >= 2", "f32[b,t]", kn_fft_dct(x[0], .type = 1))         \
    CASE(dct_2, "f32[b,t]", "f32[b,t]", kn_fft_dct(x[0]))                             \
    CASE(dct_3, "f32[b,t]", "f32[b,t]", kn_fft_dct(x[0], .type = 3, .norm = "ortho")) \
    CASE(dct_4, "f32[b,t]", "f32[b,t]", kn_fft_dct(x[0], .type = 4))                  \
    CASE(dst_1, "f32[b,t]", "f32[b,t]", kn_fft_dst(x[0], .type = 1, .axis = 0))       \
    CASE(dst_2, "f32[b,t]", "f32[b,t]", kn_fft_dst(x[0], .norm = "ortho"))            \
    CASE(dst_3, "f32[b,t]", "f32[b,t]", kn_fft_idst(x[0]))                            \
    CASE(dst_4, "c64[b,t]", "c64[b,t]", kn_fft_dst(x[0], .type = 4))                  \
    CASE(dct_of_5, "f32[b,t]", "f32[b,5]", kn_fft_dct(x[0], .n = 5))                  \
    CASE(dctn, "f32[b,t]", "f32[b,t]", kn_fft_dctn(x[0], .norm = "forward"))          \
    CASE(hfft2, "c64[b,t] | t >= 2", "f32[b,2*t - 2]", kn_fft_hfft2(x[0]))            \
    CASE(ihfftn, "f32[b,t]", "c64[b,floordiv(t, 2) + 1]", kn_fft_ihfftn(x[0]))

TRANSFORMED(SYMBOLIC_FUNCTION)
static const symbolic_case transformed[] = {TRANSFORMED(SYMBOLIC_ROW)};

static void lengths_may_be_unknown(void **state)
{
    (void)state;
    symbolic_check(transformed, sizeof transformed / sizeof *transformed);
    symbolic_check_values(transformed, sizeof transformed / sizeof *transformed);
}

/* --- lengths ---------------------------------------------------------------------------------- */

static bool is_fast(int64_t n, bool real)
{
    static const int factors[] = {2, 3, 5, 7, 11};
    for (int i = 0; i < (real ? 3 : 5) && n > 0; i++)
        while (n % factors[i] == 0)
            n /= factors[i];
    return n <= 1;
}

static void lengths_have_small_factors(void **state)
{
    (void)state;
    for (int real = 0; real < 2; real++)
        for (int64_t n = 0; n < 3000; n++) {
            int64_t next = n, prev = n;
            while (!is_fast(next, real))
                next++;
            while (!is_fast(prev, real))
                prev--;
            assert_int_equal(kn_fft_next_fast_len(n, .real = real), next);
            assert_int_equal(kn_fft_prev_fast_len(n, .real = real), prev);
        }
    assert_int_equal(kn_fft_next_fast_len(1000001, .real = 0), 1000188);
    assert_int_equal(kn_fft_prev_fast_len(1000001, .real = 0), 1000000);
    assert_int_equal(kn_fft_next_fast_len(1000001, .real = 1), 1012500);
    assert_int_equal(kn_fft_prev_fast_len(1000001, .real = 1), 1000000);
    assert_int_equal(kn_fft_next_fast_len(1099511627777, .real = 0), 1099535990784);
    assert_int_equal(kn_fft_prev_fast_len(1099511627777, .real = 0), 1099511627776);
    assert_int_equal(kn_fft_next_fast_len(1099511627777, .real = 1), 1100753141760);
    assert_int_equal(kn_fft_prev_fast_len(1099511627777, .real = 1), 1099511627776);
    assert_int_equal(kn_fft_next_fast_len(1000000000000007, .real = 0), 1000010753280000);
    assert_int_equal(kn_fft_prev_fast_len(1000000000000007, .real = 0), 1000000000000000);
    assert_int_equal(kn_fft_next_fast_len(1000000000000007, .real = 1), 1001129150390625);
    assert_int_equal(kn_fft_prev_fast_len(1000000000000007, .real = 1), 1000000000000000);
    assert_int_equal(kn_fft_next_fast_len(576460752303423491, .real = 0), 576465961229928000);
    assert_int_equal(kn_fft_prev_fast_len(576460752303423491, .real = 0), 576460752303423488);
    assert_int_equal(kn_fft_next_fast_len(576460752303423491, .real = 1), 576650390625000000);
    assert_int_equal(kn_fft_prev_fast_len(576460752303423491, .real = 1), 576460752303423488);
    assert_int_equal(kn_fft_next_fast_len(-1), -1);
    expect_error("ValueError", "next_fast_len: Target length must be positive");
    assert_int_equal(kn_fft_prev_fast_len(INT64_MAX), -1);
    expect_error("ValueError", "prev_fast_len: Target length is too large to perform an FFT: 9223372036854775807");
}

KN_TEST_GROUP(test_fft_cosines)
{
    const struct CMUnitTest tests[] = {
        TEST(results_and_errors_are_those_of_scipy),
        TEST(long_ones_are_their_definitions),
        TEST(inverses_give_back_what_was_transformed),
        TEST(axes_lie_anywhere),
        TEST(errors_say_what_is_wrong),
        TEST(derivatives_are_those_of_jax),
        TEST(jacobians_are_the_matrices),
        TEST(mapped_and_compiled_ones_have_the_same_bits),
        TEST(lengths_may_be_unknown),
        TEST(lengths_have_small_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
