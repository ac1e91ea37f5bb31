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

/* Newton's method on log(erfc(x / sqrt 2) / 2) right of 0, in double first. */
static int ndtri(mpfr_ptr y, mpfr_srcptr p, mpfr_rnd_t how)
{
    if (mpfr_nan_p(p) || mpfr_sgn(p) <= 0 || mpfr_cmp_ui(p, 1) >= 0) {
        mpfr_set_nan(y);
        if (!mpfr_nan_p(p) && (mpfr_zero_p(p) || mpfr_cmp_ui(p, 1) == 0))
            mpfr_set_inf(y, mpfr_zero_p(p) ? -1 : 1);
        return 0;
    }
    mpfr_t t, x, u, v;
    mpfr_inits2(3 * PRECISION / 2, t, x, u, v, (mpfr_ptr)0);
    bool right = mpfr_cmp_d(p, 0.5) > 0;
    right ? mpfr_ui_sub(t, 1, p, MPFR_RNDN) : mpfr_set(t, p, MPFR_RNDN);
    mpfr_log(u, t, MPFR_RNDN);
    double goal = mpfr_get_d(u, MPFR_RNDN), r = sqrt(-2 * goal), s = r > 3 ? r - log(r * r * 2 * M_PI) / (2 * r) : 0;
    for (int i = 0; i < 8 && s < 37; i++) /* the slope of the logarithm is -density over erfc / 2 */
        s += (log(erfc(s * M_SQRT1_2) / 2) - goal) * erfc(s * M_SQRT1_2) / 2 * 2.5066282746310002 * exp(s * s / 2);
    mpfr_set_d(x, s < 0 ? 0 : s, MPFR_RNDN);
    for (int i = s < 37 ? 3 : 8; i > 0; i--) {
        mpfr_sqrt_ui(u, 2, MPFR_RNDN);
        mpfr_div(u, x, u, MPFR_RNDN);
        mpfr_erfc(v, u, MPFR_RNDN);
        mpfr_sqr(u, u, MPFR_RNDN);
        mpfr_exp(u, u, MPFR_RNDN); /* 1 / density is this times sqrt(2 pi) */
        mpfr_div_2ui(v, v, 1, MPFR_RNDN);
        mpfr_mul(u, u, v, MPFR_RNDN);
        mpfr_div(v, v, t, MPFR_RNDN);
        mpfr_log(v, v, MPFR_RNDN);
        mpfr_mul(u, u, v, MPFR_RNDN);
        mpfr_const_pi(v, MPFR_RNDN);
        mpfr_mul_2ui(v, v, 1, MPFR_RNDN);
        mpfr_sqrt(v, v, MPFR_RNDN);
        mpfr_fma(x, u, v, x, MPFR_RNDN);
    }
    if (mpfr_cmp_d(p, 0.5) == 0)
        mpfr_set_zero(x, 1);
    right ? mpfr_set(y, x, how) : mpfr_neg(y, x, how);
    if (mpfr_zero_p(y))
        mpfr_set_zero(y, 1);
    mpfr_clears(t, x, u, v, (mpfr_ptr)0);
    return 0;
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
    {"gamma", mpfr_gamma, NULL, NULL, false, false}, {"ndtri", ndtri, NULL, NULL, false, false},
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
