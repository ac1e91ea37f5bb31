/* SPDX-License-Identifier: Apache-2.0
 * inputs.c -- the arguments at which functions are measured. */
#include "accuracy.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double special[] = {0,        -0.0,      1,        -1,       2,         -2,         0.5,     -0.5,
                                 3,        -3,        10,       100,      1000,      1e5,        1e10,    1e22,
                                 0x1p-149, -0x1p-149, 0x1p-126, 0x1p-127, 0x1p-1074, -0x1p-1074, DBL_MIN, FLT_MAX,
                                 -FLT_MAX, DBL_MAX,   -DBL_MAX, INFINITY, -INFINITY, NAN,        8,       27,
                                 64,       125,       0x1p24,   0x1p53};
/* Where programs change their way, or functions their behaviour. */
static const double points[] = {0,
                                1,
                                -1,
                                0.5,
                                -0.5,
                                2,
                                0.25,
                                1.0 / 3,
                                0.41421356237309503,
                                2.414213562373095,
                                M_SQRT1_2,
                                M_SQRT2,
                                M_PI_4,
                                M_PI_2,
                                M_PI,
                                3 * M_PI_4,
                                2 * M_PI,
                                M_LN2,
                                M_LN2 / 2,
                                -M_LN2 / 2,
                                88.72284,
                                88.3762627,
                                89.41599,
                                103.97208,
                                -87.33654,
                                -103.97208,
                                709.782712893384,
                                710.4758600739439,
                                -708.396418532264,
                                -745.1332191019411,
                                128,
                                -126,
                                -149,
                                1024,
                                -1022,
                                -1074,
                                9.01,
                                19.06,
                                22,
                                17.3,
                                36.7,
                                0x1p-12,
                                0x1p-24,
                                0x1p-27,
                                0x1p-53,
                                0x1p16,
                                0x1p20,
                                0x1p28,
                                0x1p60,
                                0x1p64,
                                0x1p100,
                                0x1p500,
                                0x1p-500,
                                1e300,
                                1e-300};
enum { N_SPECIAL = sizeof special / sizeof *special, N_POINT = sizeof points / sizeof *points };

static uint64_t bits(inputs *in)
{
    in->state = in->state * 6364136223846793005u + 1442695040888963407u;
    return in->state ^ in->state >> 29;
}

static double unit(inputs *in) { return (double)(bits(in) >> 11) * 0x1p-53; }

static double any_bits(inputs *in)
{
    double d;
    float f;
    uint64_t b = bits(in);
    uint32_t half = (uint32_t)(b >> 32);
    memcpy(&d, &b, 8);
    memcpy(&f, &half, 4);
    return in->f32 ? (double)f : d;
}

static double near_point(inputs *in)
{
    double p = points[bits(in) % N_POINT], step = ldexp(unit(in) - 0.5, -(int)(bits(in) % 60));
    return p == 0 ? step : p + p * step;
}

static double argument(inputs *in, int operand)
{
    switch (bits(in) % 5) {
    case 0: return any_bits(in);
    case 1: return near_point(in);
    case 2: return ldexp(unit(in) - 0.5, (int)(bits(in) % 24) - 8);
    case 3: return in->n_hard ? in->hard[bits(in) % in->n_hard] : ldexp(unit(in) - 0.5, (int)(bits(in) % 120) - 60);
    default: return in->f->lo + (in->f->hi - in->f->lo) * unit(in) * (operand ? 1.25 : 1);
    }
}

/* Whole numbers q below 2^digits for which q 2^e is near a multiple of pi/2: denominators of the continued fraction of
 * 2^e / (pi/2). */
static size_t hard_of_exponent(long e, int digits, mpfr_srcptr half_pi, double *out)
{
    mpfr_t a, whole;
    mpfr_init2(a, 1400);
    mpfr_init2(whole, 1400);
    mpfr_ui_div(a, 1, half_pi, MPFR_RNDN);
    mpfr_mul_2si(a, a, e, MPFR_RNDN);
    mpfr_frac(a, a, MPFR_RNDN);
    double before = 0, q = 1;
    size_t n = 0;
    for (int i = 0; i < 60 && mpfr_sgn(a) > 0 && q < ldexp(1, digits); i++) {
        if (q >= ldexp(1, digits - 8))
            out[n++] = ldexp(q, (int)e);
        mpfr_ui_div(a, 1, a, MPFR_RNDN);
        mpfr_floor(whole, a);
        double next = mpfr_get_d(whole, MPFR_RNDN) * q + before;
        mpfr_sub(a, a, whole, MPFR_RNDN);
        before = q, q = next;
    }
    mpfr_clears(a, whole, (mpfr_ptr)0);
    return n;
}

static bool hard_arguments(inputs *in)
{
    int digits = in->f32 ? 24 : 53, top = in->f32 ? 104 : 971;
    mpfr_t half_pi;
    in->hard = malloc((size_t)(top + digits + 1) * 64 * sizeof *in->hard);
    if (!in->hard)
        return false;
    mpfr_init2(half_pi, 1400);
    mpfr_const_pi(half_pi, MPFR_RNDN);
    mpfr_div_ui(half_pi, half_pi, 2, MPFR_RNDN);
    for (long e = -digits; e < top; e++)
        in->n_hard += hard_of_exponent(e, digits, half_pi, in->hard + in->n_hard);
    mpfr_clear(half_pi);
    return true;
}

bool inputs_begin(inputs *in, const function *f, const reference *r, bool f32, uint64_t seed)
{
    *in = (inputs){.f = f, .r = r, .f32 = f32, .state = seed};
    return !r->circular || hard_arguments(in);
}

static bool whole_numbers(inputs *in, double x[2]) /* where results may be exact */
{
    uint64_t i = in->n - (uint64_t)N_SPECIAL * N_SPECIAL;
    if (i >= 2200 + 400 + 1000)
        return false;
    x[0] = i < 2200 ? ldexp(1, (int)i - 1100) : i < 2600 ? pow(10, (double)i - 2250) : (double)(i - 2600);
    x[1] = i < 2200 ? 2 : i < 2600 ? x[0] : (double)(i % 7);
    return true;
}

void inputs_next(inputs *in, double x[2])
{
    if (in->n < (uint64_t)N_SPECIAL * N_SPECIAL) {
        x[0] = special[in->n % N_SPECIAL];
        x[1] = special[in->n / N_SPECIAL];
    } else if (!whole_numbers(in, x)) {
        x[0] = argument(in, 0);
        x[1] = bits(in) % 4 ? argument(in, 1) : x[0] * (0.5 + unit(in));
        if (bits(in) % 2)
            x[bits(in) % 2] *= -1;
    }
    in->n++;
}

void inputs_end(inputs *in) { free(in->hard); }
