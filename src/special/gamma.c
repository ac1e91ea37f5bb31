/* SPDX-License-Identifier: Apache-2.0
 * gamma.c -- the gamma function and its kin. */
#include "special/internal.h"

/* -1 on every second interval below 0. */
kni_atom kns_gamma_sign(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom half = kns_times(c, knb_floor(b, x), 0.5), odd = knb_ne(b, half, knb_floor(b, half));
    kni_atom negative = knb_and(b, kns_below(c, x, 0), odd);
    return kns_choose(c, negative, kns_number(c, -1), kns_number(c, 1));
}

kn_array kn_special_gammasgn(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_gammasgn", 1, &x);
    kni_builder *b = c.b;
    kni_atom v = c.x[0], pole = knb_and(b, kns_below(&c, v, 0), kns_whole(&c, v));
    kni_atom y = kns_choose(&c, knb_or(b, pole, knb_ne(b, v, v)), kns_number(&c, NAN), kns_gamma_sign(&c, v));
    /* 1 / -0 tells it from 0 */
    kni_atom minus = knb_and(b, kns_is(&c, v, 0), kns_below(&c, knb_div(b, kns_number(&c, 1), v), 0));
    return kns_end(&c, kns_choose(&c, minus, kns_number(&c, -1), y));
}

static kni_atom rgamma_value(kns_call *c, const kni_atom *x)
{
    kni_builder *b = c->b;
    kni_atom v = *x, pole = knb_and(b, knb_le(b, v, kns_number(c, 0)), kns_whole(c, v));
    kni_atom safe = kns_choose(c, pole, kns_number(c, 1), v);
    return kns_choose(c, pole, kns_number(c, 0), knb_div(b, kns_number(c, 1), knb_gamma(c->b, safe)));
}
static kni_atom rgamma_slope(kns_call *c, int i, const kni_atom *x, kni_atom y);
static const kns_function rgamma_function = {"rgamma", 1, rgamma_value, rgamma_slope};

/* -digamma(x) / gamma(x); left of 1/2, where both have poles and this has none, the derivative of
 * gamma(1 - x) sin(pi x) / pi. */
static kni_atom rgamma_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    kni_builder *b = c->b;
    (void)i, (void)y;
    kni_atom left = kns_below(c, *x, 0.5), half = kns_number(c, 0.5), v = kns_choose(c, left, half, *x);
    kni_atom right = knb_neg(b, knb_mul(b, knb_digamma(b, v), kns_apply(c, &rgamma_function, &v)));
    kni_atom u = knb_sub(b, kns_number(c, 1), kns_choose(c, left, *x, half)), gamma = knb_gamma(c->b, u);
    kni_atom whole = knb_round(b, *x, true), angle = kns_times(c, knb_sub(b, *x, whole), M_PI);
    kni_atom halves = kns_times(c, whole, 0.5), odd = knb_ne(b, halves, knb_floor(b, halves));
    kni_atom wave =
        knb_sub(b, knb_cos(b, angle), kns_times(c, knb_mul(b, knb_sin(b, angle), knb_digamma(b, u)), M_1_PI));
    wave = kns_choose(c, odd, knb_neg(b, wave), wave);
    return kns_choose(c, left, knb_mul(b, gamma, wave), right);
}

kn_array kn_special_rgamma(kn_array x)
{
    kns_call c;
    kns_begin_wide(&c, "special_rgamma", 1, &x);
    return kns_end(&c, kns_apply(&c, &rgamma_function, c.x));
}

kn_array kn_special_factorial(kn_array n)
{
    kns_call c;
    kns_begin_wide(&c, "special_factorial", 1, &n);
    kni_atom y = knb_gamma(c.b, kns_plus(&c, c.x[0], 1));
    return kns_end(&c, kns_choose(&c, kns_below(&c, c.x[0], 0), kns_number(&c, 0), y));
}

kn_array kn_special_gammainc(kn_array a, kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_gammainc", 2, (const kn_array[]){a, x});
    return kns_end(&c, knb_igamma(c.b, c.x[0], c.x[1]));
}

kn_array kn_special_gammaincc(kn_array a, kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_gammaincc", 2, (const kn_array[]){a, x});
    return kns_end(&c, knb_igammac(c.b, c.x[0], c.x[1]));
}

kn_array kn_special_betainc(kn_array a, kn_array b, kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_betainc", 3, (const kn_array[]){a, b, x});
    return kns_end(&c, knb_regularized_incomplete_beta(c.b, c.x[0], c.x[1], c.x[2]));
}

kn_array kn_special_polygamma(kn_array n, kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_polygamma", 2, (const kn_array[]){n, x});
    return kns_end(&c, knb_polygamma(c.b, c.x[0], c.x[1]));
}

kn_array kn_special_zeta(kn_array x, kn_array q)
{
    kns_call c;
    kns_begin(&c, "special_zeta", 2, (const kn_array[]){x, q});
    return kns_end(&c, knb_zeta(c.b, c.x[0], c.x[1]));
}

/* The sum of lgamma(x - j / 2) over j < d, along an axis of its own: as many equations for every d. */
static kni_atom sum_of_lgammas(kni_builder *b, kni_atom x, int d)
{
    kni_type t = knb_type(b, x);
    int64_t n = kni_type_size(t), both[] = {n, d}, first = 0, last = 1;
    kni_atom half = knb_mul(b, knb_iota(b, t.dtype, 2, both, 1), knb_number(b, t.dtype, 0.5));
    kni_atom line = knb_broadcast_in_dim(b, knb_reshape(b, x, 1, &n), 2, both, &first);
    kni_atom y = knb_reduce_sum(b, knb_lgamma(b, knb_sub(b, line, half)), 1, &last);
    return knb_reshape(b, y, t.ndim, t.dim);
}

kn_array kn_special_multigammaln(kn_array a, int d)
{
    kns_call c;
    kns_begin(&c, "special_multigammaln", 1, &a);
    if (d < 1 && !kna_failed(&c.op))
        kna_fail(&c.op, KN_ERROR_VALUE, "d should be a positive integer (dimension)");
    kni_atom y = kna_failed(&c.op) ? KN_ATOM_NONE : sum_of_lgammas(c.b, c.x[0], d);
    return kns_end(&c, kns_plus(&c, y, 0.25 * d * (d - 1.0) * 1.1447298858494002)); /* log pi */
}

/* --- quotients -------------------------------------------------------------------------------- */

kni_atom kns_stirling(kns_call *c, kni_atom x)
{
    static const double coefficient[] = {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
    kni_builder *b = c->b;
    kni_atom r = knb_div(b, kns_number(c, 1), x), square = knb_mul(b, r, r), y = kns_number(c, 1.0 / 156);
    for (int k = 0; k < 6; k++)
        y = kns_plus(c, knb_mul(b, y, square), coefficient[k]);
    return knb_mul(b, y, r);
}

/* log gamma(b) - log gamma(a + b) for b >= 8. */
static kni_atom log_quotient(kns_call *c, kni_atom a, kni_atom v)
{
    kni_builder *b = c->b;
    kni_atom sum = knb_add(b, a, v), rest = knb_sub(b, kns_stirling(c, v), kns_stirling(c, sum));
    kni_atom power = knb_mul(b, kns_plus(c, sum, -0.5), knb_log1p(b, knb_div(b, a, v)));
    kni_atom scale = knb_mul(b, a, kns_plus(c, knb_log(b, v), -1));
    return knb_sub(b, knb_sub(b, rest, power), scale);
}

static kni_atom log_beta(kns_call *c, kni_atom x, kni_atom y)
{
    kni_builder *b = c->b;
    kni_atom first = knb_le(b, x, y); /* not min and max, whose derivatives at ties are not those of one branch */
    kni_atom less = kns_choose(c, first, x, y), more = kns_choose(c, first, y, x);
    kni_atom far = knb_ge(b, more, kns_number(c, 8));
    kni_atom large = kns_choose(c, far, more, kns_number(c, 8));
    kni_atom near = knb_sub(b, knb_lgamma(b, more), knb_lgamma(b, knb_add(b, less, more)));
    return knb_add(b, knb_lgamma(b, less), kns_choose(c, far, log_quotient(c, less, large), near));
}

kn_array kn_special_betaln(kn_array a, kn_array b)
{
    kns_call c;
    kns_begin(&c, "special_betaln", 2, (const kn_array[]){a, b});
    return kns_end(&c, log_beta(&c, c.x[0], c.x[1]));
}

/* gamma(p) gamma(q) / gamma(r) and gamma(p) / (gamma(q) gamma(r)) where the arguments are in the range of gamma, and
 * `far` elsewhere. lost: what argument 0 (or 2) lost to rounding. */
static kni_atom quotient(kns_call *c, kni_atom p, kni_atom q, kni_atom r, bool product, kni_atom lost, kni_atom far)
{
    kni_builder *b = c->b;
    kni_atom arg[3] = {p, q, r}, gamma[3], near = KN_ATOM_NONE, zero = KN_ATOM_NONE;
    for (int i = 0; i < 3; i++) {
        kni_atom pole = knb_and(b, knb_le(b, arg[i], kns_number(c, 0)), kns_whole(c, arg[i]));
        kni_atom fits = kns_below(c, knb_abs(b, arg[i]), 170);
        if (i == 2)
            zero = pole;
        else
            fits = knb_and(b, fits, knb_not(b, pole));
        near = i ? knb_and(b, near, fits) : fits;
    }
    for (int i = 0; i < 3; i++)
        gamma[i] = knb_gamma(
            c->b, kns_choose(c, i == 2 ? knb_and(b, near, knb_not(b, zero)) : near, arg[i], kns_number(c, 1)));
    kni_atom y = product ? knb_mul(b, knb_div(b, gamma[0], gamma[2]), gamma[1])
                         : knb_div(b, knb_div(b, gamma[0], gamma[1]), gamma[2]);
    if (lost != KN_ATOM_NONE) {
        kni_atom sum = product ? r : p,
                 safe = kns_choose(c, knb_and(b, near, kns_above(c, sum, 0)), sum, kns_number(c, 1));
        kni_atom more = knb_mul(b, kns_choose(c, near, lost, kns_number(c, 0)), knb_digamma(b, safe));
        more = knb_stop_gradient(b, product ? knb_neg(b, more) : more);
        y = knb_add(b, y, knb_mul(b, y, more));
    }
    y = kns_choose(c, zero, kns_number(c, 0), y);
    return kns_choose(c, near, y, far);
}

/* x + y less the sum as it was rounded. */
static kni_atom sum_error(kns_call *c, kni_atom x, kni_atom y, kni_atom sum)
{
    kni_builder *b = c->b;
    kni_atom back = knb_sub(b, sum, x);
    return knb_add(b, knb_sub(b, x, knb_sub(b, sum, back)), knb_sub(b, y, back));
}

kn_array kn_special_beta(kn_array a, kn_array b)
{
    kns_call c;
    kns_begin_wide(&c, "special_beta", 2, (const kn_array[]){a, b});
    kni_atom sign = knb_mul(c.b, kns_gamma_sign(&c, c.x[0]), kns_gamma_sign(&c, c.x[1]));
    sign = knb_mul(c.b, sign, kns_gamma_sign(&c, knb_add(c.b, c.x[0], c.x[1])));
    kni_atom far = knb_mul(c.b, sign, knb_exp(c.b, log_beta(&c, c.x[0], c.x[1]))), sum = knb_add(c.b, c.x[0], c.x[1]);
    kni_atom lost = sum_error(&c, c.x[0], c.x[1], sum);
    return kns_end(&c, quotient(&c, c.x[0], c.x[1], sum, true, lost, far));
}

kn_array kn_special_poch(kn_array z, kn_array m)
{
    kns_call c;
    kns_begin_wide(&c, "special_poch", 2, (const kn_array[]){z, m});
    kni_builder *b = c.b;
    kni_atom sum = knb_add(b, c.x[0], c.x[1]), sign = knb_mul(b, kns_gamma_sign(&c, c.x[0]), kns_gamma_sign(&c, sum));
    kni_atom y = knb_mul(b, sign, knb_exp(b, knb_sub(b, knb_lgamma(b, sum), knb_lgamma(b, c.x[0]))));
    y = quotient(&c, sum, kns_number(&c, 1), c.x[0], false, sum_error(&c, c.x[0], c.x[1], sum), y);
    kni_atom natural = knb_and(b, kns_whole(&c, c.x[0]), kns_whole(&c, c.x[1]));
    natural = knb_and(b, natural, knb_and(b, kns_above(&c, c.x[0], 0), kns_above(&c, c.x[1], 0)));
    y = kns_settle(&c, natural, y);
    /* 1 at m = 0, also where gamma(z) is not finite; elsewhere it comes out so, with its derivatives */
    kni_atom pole = knb_and(b, kns_whole(&c, c.x[0]), knb_le(b, c.x[0], kns_number(&c, 0)));
    pole = knb_or(b, pole, knb_not(b, kns_below(&c, knb_abs(b, c.x[0]), INFINITY)));
    return kns_end(&c, kns_choose(&c, knb_and(b, pole, kns_is(&c, c.x[1], 0)), kns_number(&c, 1), y));
}

kn_array kn_special_comb(kn_array n, kn_array k)
{
    kns_call c;
    kns_begin_wide(&c, "special_comb", 2, (const kn_array[]){n, k});
    kni_builder *b = c.b;
    kni_atom rest = knb_sub(b, c.x[0], c.x[1]),
             negative = knb_or(b, kns_below(&c, c.x[0], 0), kns_below(&c, c.x[1], 0));
    kni_atom none = knb_or(b, negative, kns_below(&c, rest, 0)), one = kns_number(&c, 1);
    kni_atom safe_k = kns_choose(&c, none, kns_number(&c, 0), c.x[1]),
             safe_rest = kns_choose(&c, none, kns_number(&c, 0), rest);
    /* 1 / ((n + 1) B(k + 1, n - k + 1)) */
    kni_atom log_y = log_beta(&c, knb_add(b, safe_k, one), knb_add(b, safe_rest, one));
    kni_atom y = knb_exp(b, knb_neg(b, knb_add(b, log_y, knb_log(b, knb_add(b, knb_add(b, safe_k, safe_rest), one)))));
    kni_atom up = knb_add(b, knb_add(b, safe_k, safe_rest), one);
    y = quotient(&c, up, knb_add(b, safe_k, one), knb_add(b, safe_rest, one), false, KN_ATOM_NONE, y);
    y = kns_settle(&c, knb_and(b, kns_whole(&c, c.x[0]), kns_whole(&c, c.x[1])), y);
    return kns_end(&c, kns_choose(&c, none, kns_number(&c, 0), y));
}
