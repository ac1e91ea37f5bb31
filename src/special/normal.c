/* SPDX-License-Identifier: Apache-2.0
 * normal.c -- the distribution function of the normal distribution and its logarithm in float64; the inverse of
 * erfc. */
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

kn_array kn_special_erfcinv(kn_array y)
{
    kns_call c;
    kns_begin(&c, "special_erfcinv", 1, &y);
    return kns_end(&c, kns_times(&c, knb_ndtri(c.b, kns_times(&c, c.x[0], 0.5)), -0.70710678118654752));
}
