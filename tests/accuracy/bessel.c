/* SPDX-License-Identifier: Apache-2.0
 * bessel.c -- e^-|x| I(x) of the orders 0 and 1; MPFR has no such function. The series in x^2 / 4 up to 60, the
 * asymptotic one beyond. */
#include "accuracy.h"

enum { GUARDED = PRECISION + 60, EDGE = 60, TERMS = 260, FAR_TERMS = 110 };

static void near_zero(mpfr_ptr sum, mpfr_srcptr a, int order)
{
    mpfr_t term, square;
    mpfr_inits2(GUARDED, term, square, (mpfr_ptr)0);
    mpfr_sqr(square, a, MPFR_RNDN);
    mpfr_div_2ui(square, square, 2, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    if (order)
        mpfr_div_2ui(term, a, 1, MPFR_RNDN);
    mpfr_set(sum, term, MPFR_RNDN);
    for (int k = 1; k < TERMS; k++) {
        mpfr_mul(term, term, square, MPFR_RNDN);
        mpfr_div_ui(term, term, (unsigned long)k * (unsigned long)(k + order), MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_neg(term, a, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_mul(sum, sum, term, MPFR_RNDN);
    mpfr_clears(term, square, (mpfr_ptr)0);
}

static void far_out(mpfr_ptr sum, mpfr_srcptr a, int order)
{
    mpfr_t term;
    mpfr_init2(term, GUARDED);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set(sum, term, MPFR_RNDN);
    for (int k = 1; k < FAR_TERMS; k++) {
        mpfr_mul_si(term, term, (2 * k - 1) * (2 * k - 1) - 4 * order, MPFR_RNDN);
        mpfr_div_ui(term, term, 8 * (unsigned long)k, MPFR_RNDN);
        mpfr_div(term, term, a, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_const_pi(term, MPFR_RNDN);
    mpfr_mul_2ui(term, term, 1, MPFR_RNDN);
    mpfr_sqrt(term, term, MPFR_RNDN);
    mpfr_div(sum, sum, term, MPFR_RNDN);
    mpfr_sqrt(term, a, MPFR_RNDN);
    mpfr_div(sum, sum, term, MPFR_RNDN);
    mpfr_clear(term);
}

static int scaled(mpfr_ptr y, mpfr_srcptr x, int order)
{
    if (mpfr_nan_p(x))
        return mpfr_set(y, x, MPFR_RNDN);
    mpfr_t a, sum;
    mpfr_inits2(GUARDED, a, sum, (mpfr_ptr)0);
    mpfr_abs(a, x, MPFR_RNDN);
    if (mpfr_inf_p(x))
        mpfr_set_zero(sum, 1);
    else if (mpfr_cmp_ui(a, EDGE) < 0)
        near_zero(sum, a, order);
    else
        far_out(sum, a, order);
    if (order)
        mpfr_copysign(sum, sum, x, MPFR_RNDN);
    int rounded = mpfr_set(y, sum, MPFR_RNDN);
    mpfr_clears(a, sum, (mpfr_ptr)0);
    return rounded;
}

int bessel_i0e(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how) { return (void)how, scaled(y, x, 0); }
int bessel_i1e(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how) { return (void)how, scaled(y, x, 1); }
