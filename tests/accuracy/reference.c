/* SPDX-License-Identifier: Apache-2.0
 * reference.c -- exact values by MPFR, and the distance of a result from one. */
#include "accuracy.h"
#include <math.h>
#include <string.h>

static int logistic(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how)
{
    mpfr_neg(y, x, how);
    mpfr_exp(y, y, how);
    mpfr_add_ui(y, y, 1, how);
    return mpfr_ui_div(y, 1, y, how);
}

static int rsqrt(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how) /* of -0: -inf, as 1 / sqrt(x) */
{
    mpfr_sqrt(y, x, how);
    return mpfr_ui_div(y, 1, y, how);
}

static int log_gamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how)
{
    int sign;
    return mpfr_lgamma(y, &sign, x, how);
}

static double logistic_libm(double x) { return 1 / (1 + exp(-x)); }
static double rsqrt_libm(double x) { return 1 / sqrt(x); }
static double square_libm(double x) { return x * x; }

#define EACH(name)     {#name, mpfr_##name, NULL, name, false, false},
#define CIRCULAR(name) {#name, mpfr_##name, NULL, name, true, false},
static const reference table[] = {
    /* clang-format off */
    CIRCULAR(sin) CIRCULAR(cos) CIRCULAR(tan) EACH(asin) EACH(acos) EACH(atan) EACH(sinh) EACH(cosh) EACH(tanh)
    EACH(asinh) EACH(acosh) EACH(atanh) EACH(exp) EACH(exp2) EACH(expm1) EACH(log) EACH(log2) EACH(log10) EACH(log1p) EACH(sqrt)
    EACH(cbrt) EACH(erf) EACH(erfc)
    {"neg", mpfr_neg, NULL, NULL, false, false}, {"abs", mpfr_abs, NULL, fabs, false, false},
    {"square", mpfr_sqr, NULL, square_libm, false, false}, {"rsqrt", rsqrt, NULL, rsqrt_libm, false, false},
    {"logistic", logistic, NULL, logistic_libm, false, false}, {"lgamma", log_gamma, NULL, NULL, false, true},
    {"digamma", mpfr_digamma, NULL, NULL, false, true}, {"bessel_i0e", bessel_i0e, NULL, NULL, false, false},
    {"bessel_i1e", bessel_i1e, NULL, NULL, false, false},
    {"pow", NULL, mpfr_pow, NULL, false, false}, {"atan2", NULL, mpfr_atan2, NULL, false, false},
    {"hypot", NULL, mpfr_hypot, NULL, false, false},
    /* clang-format on */
};

const reference *reference_of(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}

double distance(double got, mpfr_srcptr want, bool f32)
{
    double narrow = f32 ? (double)mpfr_get_flt(want, MPFR_RNDN) : mpfr_get_d(want, MPFR_RNDN);
    double top = f32 ? 0x1p128 : 0;
    if (isnan(got) || isnan(narrow))
        return isnan(got) && isnan(narrow) ? 0 : INFINITY;
    if (isinf(got) && isinf(narrow))
        return !signbit(got) == !signbit(narrow) ? 0 : INFINITY;
    if (mpfr_zero_p(want) || mpfr_inf_p(want))
        return got == narrow && !signbit(got) == !signbit(narrow) ? 0 : INFINITY;
    static mpfr_t d;
    static bool ready;
    if (!ready)
        mpfr_init2(d, PRECISION), ready = true;
    if (isinf(got) && f32)
        mpfr_set_d(d, copysign(top, got), MPFR_RNDN);
    else if (isinf(got))
        mpfr_set_si_2exp(d, got < 0 ? -1 : 1, 1024, MPFR_RNDN);
    else
        mpfr_set_d(d, got, MPFR_RNDN);
    mpfr_sub(d, d, want, MPFR_RNDN);
    long place = (long)mpfr_get_exp(want) - (f32 ? 24 : 53), least = f32 ? -149 : -1074;
    mpfr_mul_2si(d, d, -(place > least ? place : least), MPFR_RNDN);
    return fabs(mpfr_get_d(d, MPFR_RNDN));
}
