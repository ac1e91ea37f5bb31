/* SPDX-License-Identifier: Apache-2.0
 * integrals.c -- exponential integrals, sine and cosine integrals, the dilogarithm. Series and fractions of fixed
 * length, so that derivatives of every kind go through them. */
#include "lib/formulas.h"
#include "special/internal.h"

enum { EXP1_TERMS = 24, EXP1_DEPTH = 60, EXPI_TERMS = 130, EXPI_FAR = 30, SICI_TERMS = 20 };
static const double euler = 0.57721566490153287;

/* --- E1 --------------------------------------------------------------------------------------- */

/* -gamma - log x + x - x^2 / (2 2!) + x^3 / (3 3!) - ..., for x <= 1.5 */
static kni_atom exp1_series(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom y = kns_number(c, 0), minus = knb_neg(b, x);
    for (int k = EXP1_TERMS; k > 0; k--) /* sum = -x (1/1 + (-x)/2 (1/2 + (-x)/3 (1/3 + ...))) */
        y = knb_mul(b, kns_plus(c, y, 1.0 / k), kns_times(c, minus, 1.0 / k));
    return knb_sub(b, knb_neg(b, kns_plus(c, knb_log(b, x), euler)), y);
}

/* e^-x / (x + 1 / (1 + 1 / (x + 2 / (1 + 2 / (x + ...))))), for x >= 1.5 */
static kni_atom exp1_fraction(kns_call *c, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom y = x;
    for (int k = EXP1_DEPTH; k > 0; k--) {
        kni_atom inner = kns_plus(c, knb_div(b, kns_number(c, k), y), 1);
        y = knb_add(b, x, knb_div(b, kns_number(c, k), inner));
    }
    return knb_div(b, knb_exp(b, knb_neg(b, x)), y);
}

static kni_atom exp1(kns_call *c, kni_atom v)
{
    kni_builder *b = c->b;
    kni_atom near = kns_below(c, v, 1.5), wrong = knb_not(b, knb_ge(b, v, kns_number(c, 0)));
    kni_atom far = knb_and(b, knb_not(b, near), kns_below(c, v, INFINITY));
    kni_atom y = exp1_fraction(c, kns_choose(c, far, v, kns_number(c, 2)));
    y = kns_choose(c, far, y, kns_number(c, 0));
    kni_atom safe = kns_choose(c, knb_and(b, near, knb_not(b, wrong)), v, kns_number(c, 1));
    y = kns_choose(c, near, exp1_series(c, safe), y);
    return kns_choose(c, wrong, kns_number(c, NAN), y);
}

static kni_atom exp1_value(kns_call *c, const kni_atom *x) { return exp1(c, *x); }
/* -e^-x / x; NaN where the value is */
static kni_atom exp1_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    kni_builder *b = c->b;
    (void)i, (void)y;
    kni_atom slope = knb_neg(b, knb_div(b, knb_exp(b, knb_neg(b, *x)), *x));
    return kns_choose(c, kns_below(c, *x, 0), kns_number(c, NAN), slope);
}
static const kns_function exp1_function = {"exp1", 1, exp1_value, exp1_slope};

/* A function of one array. */
static kn_array of_one(const char *name, kn_array x, const kns_function *f)
{
    kns_call c;
    kns_begin(&c, name, 1, &x);
    return kns_end(&c, kns_apply(&c, f, c.x));
}

kn_array kn_special_exp1(kn_array x) { return of_one("special_exp1", x, &exp1_function); }

/* --- Ei: -E1(-x) below 0; gamma + log x + x + x^2 / (2 2!) + ...; e^x / x (1 + 1!/x + 2!/x^2 + ...) far out --- */

static kni_atom expi_value(kns_call *c, const kni_atom *x)
{
    kni_builder *b = c->b;
    kni_atom v = *x, one = kns_number(c, 1), left = kns_below(c, v, 0), far = kns_above(c, v, 40);
    kni_atom near = knb_and(b, kns_above(c, v, 0), knb_not(b, far)), finite = knb_lt(b, v, kns_number(c, INFINITY));
    kni_atom p = kns_choose(c, near, v, one), q = kns_choose(c, knb_and(b, far, finite), v, kns_number(c, 50));
    kni_atom sum = kns_number(c, 0), tail = one, r = knb_div(b, one, q);
    for (int k = EXPI_TERMS; k > 0; k--)
        sum = knb_mul(b, kns_plus(c, sum, 1.0 / k), kns_times(c, p, 1.0 / k));
    for (int k = EXPI_FAR; k > 0; k--)
        tail = kns_plus(c, knb_mul(b, kns_times(c, r, k), tail), 1);
    kni_atom y = knb_add(b, sum, kns_plus(c, knb_log(b, p), euler));
    kni_atom large = knb_mul(b, knb_mul(b, knb_exp(b, q), r), tail);
    y = kns_choose(c, far, kns_choose(c, finite, large, v), y);
    y = kns_choose(c, kns_is(c, v, 0), kns_number(c, -INFINITY), y);
    y = kns_choose(c, left, knb_neg(b, exp1(c, kns_choose(c, left, knb_neg(b, v), one))), y);
    return kns_choose(c, knb_ne(b, v, v), v, y);
}
static kni_atom expi_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i, (void)y;
    return knb_div(c->b, knb_exp(c->b, *x), *x);
}
static const kns_function expi = {"expi", 1, expi_value, expi_slope};

kn_array kn_special_expi(kn_array x) { return of_one("special_expi", x, &expi); }

/* --- E_n -------------------------------------------------------------------------------------- */

/* For n >= 1 and x < 1.5: (-x)^(n-1) / (n-1)! (digamma(n) - log x) less the sum of (-x)^m / ((m - n + 1) m!) over
 * m != n - 1. */
static kni_atom expn_series(kns_call *c, kni_atom n, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom sum = kns_number(c, 0), term = kns_number(c, 1), minus = knb_neg(b, x), last = kns_plus(c, n, -1);
    kni_atom log_x = knb_log(b, x), half = kns_times(c, last, 0.5), even = knb_eq(b, half, knb_floor(b, half));
    for (int m = 0; m <= EXP1_TERMS; m++) {
        kni_atom rest = knb_sub(b, kns_number(c, m), last), skip = kns_is(c, rest, 0);
        kni_atom part = knb_div(b, term, kns_choose(c, skip, kns_number(c, 1), rest));
        sum = knb_add(b, sum, kns_choose(c, skip, kns_number(c, 0), part));
        term = knb_mul(b, term, kns_times(c, minus, 1.0 / (m + 1)));
    }
    kni_atom power = knb_exp(b, knb_sub(b, knb_mul(b, last, log_x), knb_lgamma(b, n)));
    power = kns_choose(c, even, power, knb_neg(b, power));
    return knb_sub(b, knb_mul(b, power, knb_sub(b, knb_digamma(b, n), log_x)), sum);
}

static kni_atom expn_fraction(kns_call *c, kni_atom n, kni_atom x)
{
    kni_builder *b = c->b;
    kni_atom y = x;
    for (int k = EXP1_DEPTH; k > 0; k--) {
        kni_atom inner = kns_plus(c, knb_div(b, kns_number(c, k), y), 1);
        y = knb_add(b, x, knb_div(b, kns_plus(c, n, k - 1), inner));
    }
    return knb_div(b, knb_exp(b, knb_neg(b, x)), y);
}

kn_array kn_special_expn(kn_array n, kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_expn", 2, (const kn_array[]){n, x});
    kni_builder *b = c.b;
    kni_atom order = c.x[0], v = c.x[1], one = kns_number(&c, 1), zero = kns_number(&c, 0);
    kni_atom fits = knb_and(b, kns_whole(&c, order), knb_and(b, knb_ge(b, order, zero), knb_ge(b, v, zero)));
    kni_atom first = kns_is(&c, order, 0), at_0 = kns_is(&c, v, 0);
    kni_atom near = knb_and(b, kns_below(&c, v, 1.5), kns_above(&c, v, 0));
    kni_atom far = knb_and(b, knb_ge(b, v, kns_number(&c, 1.5)), kns_below(&c, v, INFINITY));
    kni_atom m = knb_max(b, order, one), p = kns_choose(&c, near, v, one),
             q = kns_choose(&c, far, v, kns_number(&c, 2));
    kni_atom y = kns_choose(&c, far, expn_fraction(&c, m, q), zero);
    y = kns_choose(&c, near, expn_series(&c, m, p), y);
    kni_atom above = kns_above(&c, order, 1), less = kns_plus(&c, kns_choose(&c, above, order, kns_number(&c, 2)), -1);
    kni_atom beginning = kns_choose(&c, above, knb_div(b, one, less), kns_number(&c, INFINITY));
    y = kns_choose(&c, at_0, beginning, y);
    kni_atom safe = kns_choose(&c, knb_or(b, near, far), v, one);
    kni_atom plain = kns_choose(&c, knb_or(b, near, far), knb_div(b, knb_exp(b, knb_neg(b, safe)), safe), y);
    y = kns_choose(&c, first, plain, y);
    return kns_end(&c, kns_choose(&c, fits, y, kns_number(&c, NAN)));
}

/* --- Si, Ci ----------------------------------------------------------------------------------- */

/* E1(i x) = -Ci(x) + i (Si(x) - pi / 2) by the fraction of E1, for x >= 4. */
static void sici_fraction(kns_call *c, kni_atom x, kni_atom *si, kni_atom *ci)
{
    kni_builder *b = c->b;
    kn_dtype wide = c->d->size == 4 ? KN_DT(C64) : KN_DT(C128);
    kni_atom zero = knb_mul(b, x, kns_number(c, 0)), z = knb_complex(b, zero, x), y = z;
    for (int k = EXP1_DEPTH; k > 0; k--) {
        kni_atom n = knb_number(b, wide, k), inner = knb_add(b, knb_div(b, n, y), knb_number(b, wide, 1));
        y = knb_add(b, z, knb_div(b, n, inner));
    }
    y = knb_div(b, knb_complex(b, knb_cos(b, x), knb_neg(b, knb_sin(b, x))), y);
    *ci = knb_neg(b, knb_real(b, y));
    *si = kns_plus(c, knb_imag(b, y), 1.5707963267948966);
}

static void sici_series(kns_call *c, kni_atom x, kni_atom *si, kni_atom *ci)
{
    kni_builder *b = c->b;
    kni_atom minus = knb_neg(b, knb_mul(b, x, x)), s = kns_number(c, 0), t = kns_number(c, 0);
    for (int k = SICI_TERMS; k > 0; k--) {
        s = knb_mul(b, kns_plus(c, s, 1.0 / (2 * k + 1)), kns_times(c, minus, 1.0 / (2 * k * (2 * k + 1))));
        t = knb_mul(b, kns_plus(c, t, 1.0 / (2 * k)), kns_times(c, minus, 1.0 / (2 * k * (2 * k - 1))));
    }
    *si = knb_mul(b, kns_plus(c, s, 1), x);
    *ci = knb_add(b, t, kns_plus(c, knb_log(b, x), euler));
}

static void sici(kns_call *c, kni_atom v, kni_atom *y)
{
    kni_builder *b = c->b;
    kni_atom size = knb_abs(b, v), zero = kns_number(c, 0), far = knb_ge(b, size, kns_number(c, 4));
    kni_atom finite = kns_below(c, size, INFINITY), near = knb_and(b, kns_above(c, size, 0), kns_below(c, size, 4));
    kni_atom s[2], t[2];
    sici_series(c, kns_choose(c, near, size, kns_number(c, 1)), &s[0], &t[0]);
    sici_fraction(c, kns_choose(c, knb_and(b, far, finite), size, kns_number(c, 8)), &s[1], &t[1]);
    kni_atom si = kns_choose(c, far, kns_choose(c, finite, s[1], kns_number(c, 1.5707963267948966)), s[0]);
    si = kns_choose(c, kns_below(c, v, 0), knb_neg(b, si), si);
    kni_atom ci = kns_choose(c, far, kns_choose(c, finite, t[1], zero), t[0]);
    ci = kns_choose(c, kns_is(c, v, 0), kns_number(c, -INFINITY), ci);
    y[0] = kns_choose(c, kns_is(c, v, 0), v, si);
    y[1] = ci;
    for (int i = 0; i < 2; i++)
        y[i] = kns_choose(c, knb_ne(b, v, v), v, y[i]);
}

static kni_atom si_value(kns_call *c, const kni_atom *x)
{
    kni_atom y[2];
    sici(c, *x, y);
    return y[0];
}
static kni_atom si_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i, (void)y;
    return knl_sinc(c->b, *x);
}
static const kns_function si = {"si", 1, si_value, si_slope};

static kni_atom ci_value(kns_call *c, const kni_atom *x)
{
    kni_atom y[2];
    sici(c, *x, y);
    return y[1];
}
static kni_atom ci_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i, (void)y;
    return knb_div(c->b, knb_cos(c->b, *x), *x);
}
static const kns_function ci = {"ci", 1, ci_value, ci_slope};

kn_special_sici_result kn_special_sici(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_sici", 1, &x);
    kn_array out[2];
    kns_end_n(&c, 2, (kni_atom[]){kns_apply(&c, &si, c.x), kns_apply(&c, &ci, c.x)}, out);
    return (kn_special_sici_result){.si = out[0], .ci = out[1]};
}

/* --- the dilogarithm -------------------------------------------------------------------------- */

/* Li2(z) for -1 <= z <= 1/2: the sum of B_k u^(k+1) / (k+1)! with u = -log(1 - z). */
static kni_atom dilogarithm(kns_call *c, kni_atom z)
{
    static const double coefficient[] = {/* B_2k / (2k+1)! */
                                         1.0 / 36,
                                         -1.0 / 3600,
                                         1.0 / 211680,
                                         -1.0 / 10886400,
                                         1.0 / 526901760,
                                         -691.0 / 16999766784000,
                                         1.0 / 1120863744000,
                                         -3617.0 / 181400588328960000,
                                         43867.0 / 97072790126247936000.0};
    kni_builder *b = c->b;
    kni_atom u = knb_neg(b, knb_log1p(b, knb_neg(b, z))), square = knb_mul(b, u, u), y = kns_number(c, 0);
    for (int k = 8; k >= 0; k--)
        y = knb_mul(b, kns_plus(c, y, coefficient[k]), square);
    return knb_mul(b, u, knb_add(b, knb_sub(b, kns_number(c, 1), kns_times(c, u, 0.25)), y));
}

/* Li2(1 - x) from where the series converges: by 1 - z, and by 1 / z. */
kn_array kn_special_spence(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_spence", 1, &x);
    kni_builder *b = c.b;
    const double sixth = 1.6449340668482264; /* pi^2 / 6 */
    kni_atom v = c.x[0], one = kns_number(&c, 1), small = kns_below(&c, v, 0.5), large = kns_above(&c, v, 2);
    kni_atom inside = knb_and(b, kns_above(&c, v, 0), small);
    kni_atom p = kns_choose(&c, inside, v, kns_number(&c, 0.25)), q = kns_choose(&c, large, v, kns_number(&c, 3));
    kni_atom z = kns_choose(&c, knb_or(b, small, large), kns_number(&c, 0), knb_sub(b, one, v));
    z = kns_choose(&c, small, p, z);
    z = kns_choose(&c, large, knb_div(b, one, knb_sub(b, one, q)), z);
    kni_atom li = dilogarithm(&c, z), log_q = knb_log(b, kns_plus(&c, q, -1));
    kni_atom left = knb_mul(b, knb_log(b, p), knb_log1p(b, knb_neg(b, p)));
    kni_atom y = kns_choose(&c, small, knb_sub(b, knb_sub(b, kns_number(&c, sixth), left), li), li);
    kni_atom right = knb_add(b, kns_times(&c, knb_mul(b, log_q, log_q), 0.5), kns_number(&c, sixth));
    y = kns_choose(&c, large, knb_neg(b, knb_add(b, right, li)), y);
    y = kns_choose(&c, kns_is(&c, v, 0), kns_number(&c, sixth), y);
    return kns_end(&c, kns_choose(&c, knb_ge(b, v, kns_number(&c, 0)), y, kns_number(&c, NAN)));
}
