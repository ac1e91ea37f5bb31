/* SPDX-License-Identifier: Apache-2.0
 * entropy.c -- functions of x log y, right at the zeros, and Bessel functions. Where a branch is not taken its argument
 * is 1, so that derivatives have no NaN from there. */
#include "special/internal.h"

/* x f(y), and 0 where x is 0 although f(y) is not finite. */
static kn_array x_log(const char *name, kn_array x, kn_array y, bool plus_one)
{
    kns_call c;
    kns_begin(&c, name, 2, (const kn_array[]){x, y});
    kn_builder *b = c.b;
    kn_atom zero = kns_is(&c, c.x[0], 0), v = c.x[1];
    kn_atom end = knb_or(b, knb_le(b, v, kns_number(&c, plus_one ? -1 : 0)), kns_is(&c, v, INFINITY));
    v = kns_choose(&c, knb_and(b, zero, end), kns_number(&c, 1), v);
    return kns_end(&c, knb_mul(b, c.x[0], plus_one ? knb_log1p(b, v) : knb_log(b, v)));
}

kn_array kn_special_xlogy(kn_array x, kn_array y) { return x_log("special_xlogy", x, y, false); }

kn_array kn_special_xlog1py(kn_array x, kn_array y) { return x_log("special_xlog1py", x, y, true); }

kn_array kn_special_entr(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_entr", 1, &x);
    kn_builder *b = c.b;
    kn_atom v = c.x[0], inside = kns_above(&c, v, 0), safe = kns_choose(&c, inside, v, kns_number(&c, 1));
    kn_atom y = kns_choose(&c, kns_below(&c, v, 0), kns_number(&c, -INFINITY), v); /* 0, NaN */
    return kns_end(&c, kns_choose(&c, inside, knb_neg(b, knb_mul(b, safe, knb_log(b, safe))), y));
}

/* x log(x / y), less x, plus y. */
static kn_array divergence(const char *name, kn_array x, kn_array y, bool balanced)
{
    kns_call c;
    kns_begin(&c, name, 2, (const kn_array[]){x, y});
    kn_builder *b = c.b;
    kn_atom p = c.x[0], q = c.x[1], inside = knb_and(b, kns_above(&c, p, 0), kns_above(&c, q, 0));
    kn_atom edge = knb_and(b, kns_is(&c, p, 0), knb_ge(b, q, kns_number(&c, 0)));
    kn_atom u = kns_choose(&c, inside, p, kns_number(&c, 1)), v = kns_choose(&c, inside, q, kns_number(&c, 1));
    kn_atom value = knb_mul(b, u, knb_log(b, knb_div(b, u, v))), zero = kns_number(&c, 0);
    if (balanced)
        value = knb_add(b, knb_sub(b, value, u), v);
    kn_atom other = kns_choose(&c, edge, balanced ? q : zero, kns_number(&c, INFINITY));
    kn_atom undefined = knb_or(b, knb_ne(b, p, p), knb_ne(b, q, q));
    value = kns_choose(&c, inside, value, other);
    return kns_end(&c, kns_choose(&c, undefined, kns_number(&c, NAN), value));
}

kn_array kn_special_kl_div(kn_array x, kn_array y) { return divergence("special_kl_div", x, y, true); }

kn_array kn_special_rel_entr(kn_array x, kn_array y) { return divergence("special_rel_entr", x, y, false); }

/* log(x / (1 - x)); near 1/2 by what it differs from there. */
kn_array kn_special_logit(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_logit", 1, &x);
    kn_builder *b = c.b;
    kn_atom v = c.x[0], s = kns_times(&c, kns_plus(&c, v, -0.5), 2);
    kn_atom near = knb_and(b, kns_above(&c, v, 0.3), kns_below(&c, v, 0.65)), half = kns_number(&c, 0);
    kn_atom safe_s = kns_choose(&c, near, s, half), safe_v = kns_choose(&c, near, kns_number(&c, 0.5), v);
    kn_atom y = knb_sub(b, knb_log1p(b, safe_s), knb_log1p(b, knb_neg(b, safe_s)));
    kn_atom far = knb_sub(b, knb_log(b, safe_v), knb_log1p(b, knb_neg(b, safe_v)));
    return kns_end(&c, kns_choose(&c, near, y, far));
}

/* log(1 / (1 + e^-x)) */
kn_array kn_special_log_expit(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_log_expit", 1, &x);
    kn_builder *b = c.b;
    kn_atom least = knb_min(b, c.x[0], kns_number(&c, 0)), far = knb_neg(b, knb_abs(b, c.x[0]));
    return kns_end(&c, knb_sub(b, least, knb_log1p(b, knb_exp(b, far))));
}

static kn_array bessel(const char *name, kn_array x, kn_atom (*scaled)(kn_builder *, kn_atom))
{
    kns_call c;
    kns_begin(&c, name, 1, &x);
    return kns_end(&c, knb_mul(c.b, scaled(c.b, c.x[0]), knb_exp(c.b, knb_abs(c.b, c.x[0]))));
}

kn_array kn_special_i0(kn_array x) { return bessel("special_i0", x, knb_bessel_i0e); }

kn_array kn_special_i1(kn_array x) { return bessel("special_i1", x, knb_bessel_i1e); }
