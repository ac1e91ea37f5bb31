/* SPDX-License-Identifier: Apache-2.0
 * test_complex_math.c -- functions of complex numbers at the ends of the range, on branch cuts and at poles. */
#include "support/expect.h"
#include "support/group.h"
#include <complex.h>
#include <float.h>
#include <math.h>

typedef kn_array function(kn_array);
typedef double _Complex number;

static number of(double re, double im) { return __builtin_complex(re, im); }

static kn_array array_of(const number *x) { return (kn_from_memory)(x, &KN_SHAPE(1), KN_C128); }

static void expect_part(double got, double want, const char *what)
{
    bool same = want != want ? got != got : got == want || fabs(got - want) <= 4 * DBL_EPSILON * fabs(want);
    if (!same || (want == 0 && signbit(got) != signbit(want)))
        fail_msg("%s is %g where %g is expected", what, got, want);
}

static void expect_number(number got, number want)
{
    expect_part(creal(got), creal(want), "the real part");
    expect_part(cimag(got), cimag(want), "the imaginary part");
}

static number value_of(kn_array y)
{
    number v;
    assert_int_equal(kn_copy_to(y, &v, sizeof v), 0);
    return v;
}

static number call(function *f, double re, double im)
{
    number x = of(re, im);
    return value_of(f(array_of(&x)));
}

static number quotient(number x, number y) { return value_of((kn_divide)(array_of(&x), array_of(&y))); }

static void quotients_of_huge_numbers_do_not_overflow_on_the_way(void **state)
{
    KN_SCOPE;
    (void)state;
    expect_number(quotient(of(1e308, 1e308), of(1e308, 1e308)), of(1, 0));
    expect_number(quotient(of(DBL_MAX, 0), of(DBL_MAX, DBL_MAX)), of(0.5, -0.5));
}

static void quotients_of_subnormals_are_numbers(void **state)
{
    KN_SCOPE;
    (void)state;
    expect_number(quotient(of(0x1p-1040, 0), of(0x1p-1040, 0)), of(1, 0));
    expect_number(quotient(of(0x1p-1000, 0), of(0x1p-1060, 0x1p-1060)), of(0x1p59, -0x1p59));
}

static void directions_of_huge_and_tiny_numbers_are_known(void **state)
{
    KN_SCOPE;
    (void)state;
    expect_number(call(kn_sign, DBL_MAX, DBL_MAX), of(M_SQRT1_2, M_SQRT1_2));
    expect_number(call(kn_sign, 0x1p-1070, -0x1p-1070), of(M_SQRT1_2, -M_SQRT1_2));
}

/* On a cut the sign of the zero part says from which side. */
static void branch_cuts_have_two_sides(void **state)
{
    KN_SCOPE;
    (void)state;
    static const struct {
        function *f;
        double re, im, want_re, want_im;
    } table[] = {
        {kn_arcsin, 2, 0.0, M_PI_2, 1.3169578969248167},
        {kn_arcsin, 2, -0.0, M_PI_2, -1.3169578969248167},
        {kn_arccos, -2, 0.0, M_PI, -1.3169578969248167},
        {kn_arccos, -2, -0.0, M_PI, 1.3169578969248167},
        {kn_arctan, 0.0, 2, M_PI_2, 0.54930614433405484},
        {kn_arctan, -0.0, 2, -M_PI_2, 0.54930614433405484},
        {kn_arcsinh, 0.0, 2, 1.3169578969248167, M_PI_2},
        {kn_arcsinh, -0.0, 2, -1.3169578969248167, M_PI_2},
        {kn_arccosh, 0.5, 0.0, 0, 1.0471975511965979},
        {kn_arccosh, 0.5, -0.0, 0, -1.0471975511965979},
        {kn_arctanh, 2, 0.0, 0.54930614433405484, M_PI_2},
        {kn_arctanh, 2, -0.0, 0.54930614433405484, -M_PI_2},
        {kn_log1p, -2, 0.0, 0, M_PI},
        {kn_log1p, -2, -0.0, 0, -M_PI},
        {kn_log2, -8, -0.0, 3, -4.5323601418271942},
        {kn_log10, -1000, 0.0, 3, 1.3643763538418414},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_number(call(table[i].f, table[i].re, table[i].im), of(table[i].want_re, table[i].want_im));
}

static void small_parts_survive_large_ones(void **state)
{
    KN_SCOPE;
    (void)state;
    expect_number(call(kn_log1p, 1e-300, 1e-200), of(1e-300, 1e-200));
    expect_number(call(kn_expm1, 1e-300, 1e-200), of(1e-300, 1e-200));
    expect_number(call(kn_arcsin, 1e-300, 1e-310), of(1e-300, 1e-310));
    expect_number(call(kn_arctanh, 1e-320, 1), of(0x1.fap-1065, M_PI_4));
    expect_number(call(kn_log, 1, 1e-170), of(0, 1e-170));
}

static void poles_and_infinities_are_those_of_c(void **state)
{
    KN_SCOPE;
    (void)state;
    expect_number(call(kn_arctanh, 1, 0.0), of(INFINITY, 0));
    expect_number(call(kn_arcsinh, INFINITY, INFINITY), of(INFINITY, M_PI_4));
    expect_number(call(kn_arccosh, -INFINITY, INFINITY), of(INFINITY, 3 * M_PI_4));
    expect_number(call(kn_tan, 0.5, INFINITY), of(0, 1));
    expect_number(call(kn_sinh, INFINITY, 0.0), of(INFINITY, 0));
    expect_number(call(kn_cosh, 0.0, INFINITY), of(NAN, 0));
    expect_number(call(kn_expm1, -INFINITY, INFINITY), of(-1, 0));
    expect_number(call(kn_exp2, INFINITY, 0.0), of(INFINITY, 0));
}

static double nan_with_sign(bool minus)
{
    uint64_t bits = (uint64_t)(minus ? 0xfff8 : 0x7ff8) << 48;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Found by the programs fuzzer: cosh(nan + 0i) was nan + 0i or nan - 0i, as the bits of the NaN were. */
static void the_sign_of_a_nan_decides_nothing(void **state)
{
    static function *const functions[] = {kn_sin,    kn_cos,    kn_tan,    kn_sinh,          kn_cosh,      kn_tanh,
                                          kn_exp,    kn_expm1,  kn_sqrt,   kn_lax_rsqrt,     kn_log,       kn_log1p,
                                          kn_arcsin, kn_arccos, kn_arctan, kn_arcsinh,       kn_arccosh,   kn_arctanh,
                                          kn_sign,   kn_square, kn_exp2,   kn_special_expit, kn_reciprocal};
    static const double other[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, 0.5};
    KN_SCOPE;
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            double plus = nan_with_sign(false), minus = nan_with_sign(true);
            expect_number(call(functions[f], minus, other[i]), call(functions[f], plus, other[i]));
            expect_number(call(functions[f], other[i], minus), call(functions[f], other[i], plus));
        }
}

static void powers_of_two_turn_far(void **state)
{
    KN_SCOPE;
    (void)state;
    expect_number(call(kn_exp2, 1, 1e9), of(2 * 0.88719380982789562, 2 * 0.46139694819435443));
}

/* The formula 1 / sqrt(x^2 - 1) is on the other branch left of the imaginary axis. */
static kn_array arccosh(const kn_array *x) { return kn_arccosh(*x); }
KN_FUNCTION(arccosh, kn_array, kn_array)
static void the_slope_of_arccosh_has_the_branch_of_arccosh(void **state)
{
    KN_SCOPE;
    (void)state;
    static const number at[] = {2.0 + 1.0i, -2.0 + 1.0i, -2.0 - 1.0i, -0.5 + 0.25i};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        number h = 1e-6, lower = at[i] - h, upper = at[i] + h, one = 1;
        number slope = (value_of(kn_arccosh(array_of(&upper))) - value_of(kn_arccosh(array_of(&lower)))) / (2 * h);
        kn_array x = array_of(&at[i]), dx = array_of(&one), y, dy;
        kn_jvp(KN_FN(arccosh), KN_ARGS(&x), KN_ARGS(&dx), &y, &dy);
        assert_true(cabs(value_of(dy) - slope) < 1e-8);
    }
}

/* |2^z| is 2^Re z, whatever the angle; up to 2^50 the angle is right too. */
static void powers_of_two_keep_their_modulus(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = kn_of(double, 1e6, 1e12, -1e15, 1e20, 4.78e190, 1.7e308, 0x1p-1070), one = kn_ones_like(y);
    expect_near(kn_abs(kn_exp2(kn_lax_complex(one, y))), 1e-15, 2, 2, 2, 2, 2, 2, 2);
    kn_array z = kn_of(float, 1e6f, 1.7e7f, 1e8f, 1e10f, -1e12f, 3e38f);
    expect_near(kn_abs(kn_exp2(kn_lax_complex(kn_ones_like(z), z))), 5e-7, 2, 2, 2, 2, 2, 2);
    /* cos and sin of y ln 2, by mpmath */
    kn_array far = kn_of(double, 1e8, 1e15), at = kn_exp2(kn_lax_complex(kn_zeros_like(far), far));
    expect_near(kn_real(at), 1e-15, 0.998850287648724, 0.289221634478344);
    expect_near(kn_imag(at), 1e-15, 0.04793853214337448, -0.9572621616619322);
}

/* As NumPy has it: the real part of the exponent says it, unless the exponent is 0. */
static void powers_of_zero_go_by_the_real_part_of_the_exponent(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array re = kn_of(double, 1, 4, 0.5, INFINITY, 2, 0, 0, -1, NAN),
             im = kn_of(double, 1, -1, INFINITY, NAN, 0, 0, 1, 0, 0);
    for (int i = 0; i < 2; i++) {
        kn_array zero = kn_full_like(re, i ? -0.0 : 0.0);
        kn_array z = kn_power(kn_lax_complex(zero, zero), kn_lax_complex(re, im));
        expect_values(kn_real(z), 0, 0, 0, 0, 0, 1, NAN, NAN, NAN);
        expect_values(kn_imag(z), 0, 0, 0, 0, 0, 0, NAN, NAN, NAN);
    }
}

/* C's annex G: no angle, no number, unless the real part is infinite. */
static void hyperbolic_tangents_without_an_angle_are_nan(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array re = kn_of(double, 30, -700, 1, INFINITY), im = kn_of(double, INFINITY, NAN, -INFINITY, INFINITY);
    expect_values(kn_real(kn_tanh(kn_lax_complex(re, im))), NAN, NAN, NAN, 1);
    expect_values(kn_imag(kn_tan(kn_lax_complex(im, re))), NAN, NAN, NAN, 1);
}

KN_TEST_GROUP(test_complex_math)
{
    const struct CMUnitTest tests[] = {
        TEST(powers_of_two_keep_their_modulus),
        TEST(powers_of_zero_go_by_the_real_part_of_the_exponent),
        TEST(hyperbolic_tangents_without_an_angle_are_nan),
        TEST(quotients_of_huge_numbers_do_not_overflow_on_the_way),
        TEST(quotients_of_subnormals_are_numbers),
        TEST(directions_of_huge_and_tiny_numbers_are_known),
        TEST(branch_cuts_have_two_sides),
        TEST(small_parts_survive_large_ones),
        TEST(poles_and_infinities_are_those_of_c),
        TEST(the_sign_of_a_nan_decides_nothing),
        TEST(powers_of_two_turn_far),
        TEST(the_slope_of_arccosh_has_the_branch_of_arccosh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
