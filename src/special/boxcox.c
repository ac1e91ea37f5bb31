/* SPDX-License-Identifier: Apache-2.0
 * boxcox.c -- the transformation (x^p - 1) / p, which is log x at p = 0. */
#include "special/internal.h"

/* (e^u - 1) / u for |u| <= 1/4: a series, so that derivatives at 0 are right, too. */
static kni_atom growth(kns_call *c, kni_atom u)
{
    enum { TERMS = 12 };
    kni_atom y = kns_number(c, 1);
    for (int k = TERMS; k > 0; k--)
        y = kns_plus(c, knb_mul(c->b, kns_times(c, u, 1.0 / (k + 1)), y), 1);
    return y;
}

/* Of v, which is known as v (1 + rest) and by its logarithm. */
static kni_atom boxcox(kns_call *c, kni_atom v, kni_atom rest, kni_atom log_v, kni_atom power)
{
    kni_builder *b = c->b;
    kni_atom zero = kns_number(c, 0), one = kns_number(c, 1), none = kns_is(c, power, 0);
    kni_atom finite = kns_below(c, knb_abs(b, log_v), INFINITY);
    kni_atom known = knb_or(b, finite, knb_not(b, none)); /* else the product has no value */
    kni_atom u = knb_mul(b, kns_choose(c, known, power, one), kns_choose(c, known, log_v, zero));
    kni_atom near = knb_and(b, finite, knb_le(b, knb_abs(b, u), kns_number(c, 0.25)));
    kni_atom small = kns_choose(c, near, u, zero), factor = kns_choose(c, finite, log_v, one);
    kni_atom y = knb_mul(b, factor, growth(c, small));
    kni_atom far_v = kns_choose(c, near, one, v), far_p = kns_choose(c, near, one, power);
    kni_atom raised = knb_pow(b, far_v, kns_choose(c, none, one, far_p));
    if (rest != KN_ATOM_NONE) {
        kni_atom more = knb_mul(b, knb_mul(b, raised, far_p), kns_choose(c, near, zero, rest));
        raised = kns_choose(c, kns_below(c, knb_abs(b, raised), INFINITY), knb_add(b, raised, more), raised);
    }
    kni_atom far = knb_div(b, kns_plus(c, raised, -1), kns_choose(c, none, one, far_p));
    y = kns_choose(c, near, y, kns_choose(c, none, log_v, far));
    return kns_choose(c, knb_ne(b, log_v, log_v), log_v, y);
}

kn_array kn_special_boxcox(kn_array x, kn_array lmbda)
{
    kns_call c;
    kns_begin(&c, "special_boxcox", 2, (const kn_array[]){x, lmbda});
    return kns_end(&c, boxcox(&c, c.x[0], KN_ATOM_NONE, knb_log(c.b, c.x[0]), c.x[1]));
}

kn_array kn_special_boxcox1p(kn_array x, kn_array lmbda)
{
    kns_call c;
    kns_begin(&c, "special_boxcox1p", 2, (const kn_array[]){x, lmbda});
    kni_builder *b = c.b;
    kni_atom v = kns_plus(&c, c.x[0], 1), back = kns_plus(&c, v, -1), large = kns_above(&c, knb_abs(b, c.x[0]), 1);
    /* what 1 + x lost to rounding, over 1 + x: a constant for derivatives */
    kni_atom from_one = knb_sub(b, c.x[0], back), from_x = knb_sub(b, kns_number(&c, 1), knb_sub(b, v, c.x[0]));
    kni_atom lost = kns_choose(&c, large, from_x, from_one), plain = kns_above(&c, v, 0);
    plain = knb_and(b, plain, kns_below(&c, v, INFINITY));
    lost = knb_div(b, kns_choose(&c, plain, lost, kns_number(&c, 0)), kns_choose(&c, plain, v, kns_number(&c, 1)));
    return kns_end(&c, boxcox(&c, v, knb_stop_gradient(b, lost), knb_log1p(b, c.x[0]), c.x[1]));
}
