/* SPDX-License-Identifier: Apache-2.0
 * normal.c -- the distribution function of the normal distribution, its logarithm and its inverse, in float64. */
#include "special/internal.h"

/* erfc(t + e) / 2, t + e = -x / sqrt(2), where e is what t lost to rounding. */
kni_atom kns_ndtr(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    const double hi = 0x1.6a09e667f3bcdp-1, lo = -0x1.bdd3413b26456p-55;
    kni_atom t = kns_times(c, x, -hi), near = kns_below(c, knb_abs(b, x), 64);
    kni_atom safe = kns_choose(c, near, x, kns_number(c, 0)), u = kns_times(c, safe, -hi);
    kni_atom e = knb_add(b, kns_product_error(c, safe, kns_number(c, -hi), u), kns_times(c, safe, -lo));
    kni_atom slope = kns_times(c, knb_exp(b, knb_neg(b, knb_mul(b, u, u))), 0.56418958354775629); /* 1 / sqrt(pi) */
    return knb_sub(b, kns_times(c, knb_erfc(b, t), 0.5), knb_mul(b, slope, knb_stop_gradient(b, e)));
}

kn_array kn_special_ndtr(kn_array x)
{
    kns_call c;
    kns_begin_wide(&c, "special_ndtr", 1, &x);
    return kns_end(&c, kns_ndtr(&c, c.x[0]));
}

/* log of the sum of (-1)^k (2k - 1)!! / x^2k, times the density over -x: far to the left. */
static kni_atom log_tail(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom square = knb_mul(b, x, x), step = knb_div(b, kns_number(c, -1), square), y = kns_number(c, 1);
    for (int k = 14; k > 0; k--)
        y = kns_plus(c, knb_mul(b, kns_times(c, step, 2 * k - 1), y), 1);
    kni_atom density = knb_add(b, kns_times(c, square, 0.5), knb_log(b, knb_neg(b, x)));
    return knb_sub(b, knb_sub(b, knb_log(b, y), density), kns_number(c, 0.91893853320467274)); /* log sqrt(2 pi) */
}

static kni_atom log_ndtr(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    const double from = -20;
    kni_atom low = kns_below(c, x, from), high = kns_above(c, x, 1);
    kni_atom left = kns_choose(c, low, x, kns_number(c, from)), right = kns_choose(c, high, x, kns_number(c, 1));
    kni_atom middle = kns_choose(c, knb_or(b, low, high), kns_number(c, 0), x);
    kni_atom y = knb_log1p(b, knb_neg(b, kns_ndtr(c, knb_neg(b, right))));
    y = kns_choose(c, high, y, knb_log(b, kns_ndtr(c, middle)));
    return kns_choose(c, low, log_tail(c, left), y);
}

kn_array kn_special_log_ndtr(kn_array x)
{
    kns_call c;
    kns_begin_wide(&c, "special_log_ndtr", 1, &x);
    return kns_end(&c, log_ndtr(&c, c.x[0]));
}

/* One step of Halley's method for log ndtr(x) = log p, whose first derivative is r = density / ndtr(x) and whose second
 * one is -r (x + r). */
static kni_atom refine(kns_call *c, kni_atom x, kni_atom log_p)
{
    kni_builder *b = c->b;
    kni_atom value = log_ndtr(c, x), f = knb_sub(b, value, log_p);
    kni_atom r = knb_sub(b, kns_times(c, knb_mul(b, x, x), -0.5), kns_plus(c, value, 0.91893853320467274));
    r = knb_exp(b, r);
    kni_atom newton = knb_div(b, f, r), bend = kns_times(c, knb_mul(b, newton, knb_add(b, x, r)), 0.5);
    return knb_sub(b, x, knb_div(b, newton, kns_plus(c, bend, 1)));
}

/* Of p <= 0.1: Hastings' approximation, made exact. */
static kni_atom lower_quantile(kns_call *c, kni_atom p)
{
    kni_builder *b = c->b;
    kni_atom log_p = knb_log(b, p), t = knb_sqrt(b, kns_times(c, log_p, -2));
    kni_atom up = kns_plus(c, knb_mul(b, kns_plus(c, kns_times(c, t, 0.010328), 0.802853), t), 2.515517);
    kni_atom down = kns_plus(c, knb_mul(b, kns_plus(c, kns_times(c, t, 0.001308), 0.189269), t), 1.432788);
    down = kns_plus(c, knb_mul(b, down, t), 1);
    kni_atom x = knb_sub(b, knb_div(b, up, down), t);
    return refine(c, refine(c, x, log_p), log_p);
}

/* The quantile of p. */
static kni_atom quantile(kns_call *c, kni_atom v)
{
    kni_builder *b = c->b;
    kni_atom one = kns_number(c, 1), right = kns_above(c, v, 0.5);
    kni_atom tail = kns_choose(c, right, knb_sub(b, one, v), v), far = kns_below(c, tail, 0.1);
    kni_atom inside = knb_and(b, kns_above(c, tail, 0), far);
    kni_atom t = lower_quantile(c, kns_choose(c, inside, tail, kns_number(c, 0.05)));
    kni_atom ends = kns_choose(c, kns_is(c, tail, 0), kns_number(c, -INFINITY), kns_number(c, NAN));
    t = kns_choose(c, inside, t, ends);
    t = kns_choose(c, right, knb_neg(b, t), t);
    kni_atom middle = kns_plus(c, kns_times(c, kns_choose(c, far, kns_number(c, 0.5), v), 2), -1);
    middle = kns_times(c, knb_erf_inv(b, middle), 1.4142135623730951);
    return kns_choose(c, far, t, middle);
}

kn_array kn_special_ndtri(kn_array p)
{
    kns_call c;
    kns_begin_wide(&c, "special_ndtri", 1, &p);
    return kns_end(&c, quantile(&c, c.x[0]));
}

kn_array kn_special_erfcinv(kn_array y)
{
    kns_call c;
    kns_begin_wide(&c, "special_erfcinv", 1, &y);
    return kns_end(&c, kns_times(&c, quantile(&c, kns_times(&c, c.x[0], 0.5)), -0.70710678118654752));
}
