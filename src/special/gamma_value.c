/* SPDX-License-Identifier: Apache-2.0
 * gamma_value.c -- the gamma function in float64 to some units in the last place: from 2 to 3 a polynomial
 * (scripts/fit/special.py), products below 12, Stirling's formula above, reflection below 0. */
#include "special/internal.h"

enum { FACTORS = 9 };
static const double pi = 3.1415926535897931;

/* gamma(2.5 + v), |v| <= 1/2 */
static const double gamma_middle[] = {0x1.544fa6d47b390p+0,   0x1.de9585f1a7093p-1,   0x1.4f224d4b7e013p-1,
                                      0x1.03f6d2fa4f56ep-2,   0x1.c138b894946a1p-4,   0x1.d0a9bc491b3e7p-6,
                                      0x1.5489cc69bc940p-7,   0x1.a55ed2382d9bfp-10,  0x1.8b8fcffb71bf7p-11,
                                      0x1.088517510754ep-18,  0x1.013bc571250d3p-14,  -0x1.ad84271671467p-17,
                                      0x1.e71e162f58900p-18,  -0x1.5853b68aec8c6p-19, 0x1.1db9955641054p-20,
                                      -0x1.b91b1f4ea1aefp-22, 0x1.bc76ea62e55bcp-23,  -0x1.80d5b5036a4d9p-24};

/* For 0 < x < 12: gamma(2 + fraction) (x - 1) (x - 2) ... or over x (x + 1). */
static kni_atom gamma_near(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom v = kns_plus(c, knb_sub(b, x, knb_floor(b, x)), -0.5);
    kni_atom y = kns_polynomial(c, v, (int)(sizeof gamma_middle / sizeof *gamma_middle), gamma_middle);
    kni_atom one = kns_number(c, 1), product = one;
    for (int k = 1; k <= FACTORS; k++) {
        kni_atom counts = knb_ge(b, x, kns_number(c, k + 2));
        product = knb_mul(b, product, kns_choose(c, counts, kns_plus(c, x, -k), one));
    }
    kni_atom below = kns_choose(c, kns_below(c, x, 2), x, one);
    below = knb_mul(b, below, kns_choose(c, kns_below(c, x, 1), kns_plus(c, x, 1), one));
    return knb_div(b, knb_mul(b, y, product), below);
}

/* For 12 <= x: gamma(x) is first times second, each of them in range up to x = 185. */
static void gamma_far(kns_call *c, kni_atom x, kni_atom *first, kni_atom *second)
{
    kni_builder *b = c->b;
    kni_atom half = kns_times(c, x, 0.5), y = kns_plus(c, half, -0.25);
    kni_atom rounded = kns_plus(c, knb_sub(b, half, y), -0.25); /* x^(x/2 - 1/4) has a rounded exponent */
    kni_atom power = knb_pow(b, x, y), log_x = knb_log(b, x);
    kni_atom more = knb_mul(b, power, knb_mul(b, rounded, log_x));
    power = knb_add(b, power, more);
    kni_atom series = knb_exp(b, kns_stirling(c, x));
    *first = knb_mul(b, knb_mul(b, power, knb_exp(b, knb_neg(b, x))), kns_times(c, series, 2.5066282746310005));
    *second = power;
}

/* Everything right of 0, as a product. */
static void gamma_of_size(kns_call *c, kni_atom x, kni_atom *first, kni_atom *second)
{
    kni_builder *b = c->b;
    kni_atom far = knb_ge(b, x, kns_number(c, 12)),
             safe = knb_min(b, kns_choose(c, far, x, kns_number(c, 12)), kns_number(c, 190));
    kni_atom near = gamma_near(c, kns_choose(c, far, kns_number(c, 1), x));
    gamma_far(c, safe, first, second);
    *first = kns_choose(c, far, *first, near);
    *second = kns_choose(c, far, *second, kns_number(c, 1));
}

static kni_atom value(kns_call *c, const kni_atom *operand)
{
    kni_builder *b = c->b;
    kni_atom x = operand[0], a = knb_abs(b, x), first, second, none = kns_is(c, x, 0);
    kni_atom left = kns_below(c, x, 0), pole = knb_and(b, left, kns_whole(c, x));
    gamma_of_size(c, kns_choose(c, none, kns_number(c, 1), a), &first, &second);
    kni_atom right = kns_settle(c, kns_whole(c, x), knb_mul(b, first, second));
    kni_atom r = knb_sub(b, a, knb_round(b, a, true)), sine = knb_sin(b, kns_times(c, r, pi));
    kni_atom odd = kns_is(c, knb_rem(b, knb_round(b, a, true), kns_number(c, 2)), 1);
    sine = kns_choose(c, odd, sine, knb_neg(b, sine)); /* -sin(pi a) */
    kni_atom down = knb_mul(b, knb_mul(b, kns_choose(c, left, a, kns_number(c, 1)), sine), first);
    kni_atom reflected = knb_div(b, knb_div(b, kns_number(c, pi), down), second);
    kni_atom y = kns_choose(c, left, reflected, right);
    y = kns_choose(c, none, knb_div(b, kns_number(c, 1), x), y);
    return kns_choose(c, knb_or(b, pole, knb_ne(b, x, x)), kns_number(c, NAN), y);
}

static kni_atom slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i;
    return knb_mul(c->b, y, knb_digamma(c->b, x[0]));
}

kni_atom kns_gamma(kns_call *c, kni_atom x)
{
    static const kns_function gamma = {"special_gamma", 1, value, slope};
    return kns_apply(c, &gamma, &x);
}
