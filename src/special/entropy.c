/* SPDX-License-Identifier: Apache-2.0
 * entropy.c -- functions of x log y, right at the zeros, and Bessel functions. Where a branch is not taken its argument
 * is 1, so that derivatives have no NaN from there. */
#include "array/formula.h"
#include "lib/formulas.h"
#include "special/internal.h"

/* x f(y), and 0 where x is 0 although f(y) is not finite. */
static kni_atom times_log(kns_call *c, const kni_atom *x, bool plus_one)
{
    kni_builder *b = c->b;
    kni_atom zero = kns_is(c, x[0], 0), v = x[1];
    kni_atom end = knb_or(b, knb_le(b, v, kns_number(c, plus_one ? -1 : 0)), kns_is(c, v, INFINITY));
    v = kns_choose(c, knb_and(b, zero, end), kns_number(c, 1), v);
    return knb_mul(b, x[0], plus_one ? knb_log1p(b, v) : knb_log(b, v));
}

static kni_atom xlogy_value(kns_call *c, const kni_atom *x) { return times_log(c, x, false); }
/* x[1], but 1 where x[0] is 0 and the logarithm is infinite: there the function is 0 along both axes */
static kni_atom beside_zero(kns_call *c, const kni_atom *x, double pole)
{
    kni_builder *b = c->b;
    kni_atom end = knb_or(b, kns_is(c, x[1], pole), kns_is(c, x[1], INFINITY));
    return kns_choose(c, knb_and(b, kns_is(c, x[0], 0), end), kns_number(c, pole + 1), x[1]);
}
/* x / v, and 0 at 0 / 0 */
static kni_atom ratio(kns_call *c, kni_atom x, kni_atom v)
{
    kni_atom both = knb_and(c->b, kns_is(c, x, 0), kns_is(c, v, 0)), safe = kns_choose(c, both, kns_number(c, 1), v);
    return kns_choose(c, both, kns_number(c, 0), knb_div(c->b, x, safe));
}
static kni_atom xlogy_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)y;
    return i == 0 ? knb_log(c->b, beside_zero(c, x, 0)) : ratio(c, x[0], x[1]);
}
static const kns_function xlogy = {"xlogy", 2, xlogy_value, xlogy_slope};

static kni_atom xlog1py_value(kns_call *c, const kni_atom *x) { return times_log(c, x, true); }
static kni_atom xlog1py_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)y;
    return i == 0 ? knb_log1p(c->b, beside_zero(c, x, -1)) : ratio(c, x[0], kns_plus(c, x[1], 1));
}
static const kns_function xlog1py = {"xlog1py", 2, xlog1py_value, xlog1py_slope};

static kn_array of_two(const char *name, kn_array x, kn_array y, const kns_function *f)
{
    kns_call c;
    kns_begin(&c, name, 2, (const kn_array[]){x, y});
    return kns_end(&c, kns_apply(&c, f, c.x));
}

kn_array kn_special_xlogy(kn_array x, kn_array y) { return of_two("special_xlogy", x, y, &xlogy); }

kn_array kn_special_xlog1py(kn_array x, kn_array y) { return of_two("special_xlog1py", x, y, &xlog1py); }

static kni_atom entr_value(kns_call *c, const kni_atom *x)
{
    kni_builder *b = c->b;
    kni_atom v = *x, inside = kns_above(c, v, 0), safe = kns_choose(c, inside, v, kns_number(c, 1));
    kni_atom y = kns_choose(c, kns_below(c, v, 0), kns_number(c, -INFINITY), v); /* 0, NaN */
    return kns_choose(c, inside, knb_neg(b, knb_mul(b, safe, knb_log(b, safe))), y);
}
static kni_atom entr_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)i, (void)y;
    kni_atom slope = knb_neg(c->b, kns_plus(c, knb_log(c->b, *x), 1));
    return kns_choose(c, kns_below(c, *x, 0), kns_number(c, NAN), slope);
}
static const kns_function entr = {"entr", 1, entr_value, entr_slope};

kn_array kn_special_entr(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_entr", 1, &x);
    return kns_end(&c, kns_apply(&c, &entr, c.x));
}

/* log(x / y), whose derivatives do not overflow on the way */
static kni_atom log_ratio_value(kns_call *c, const kni_atom *x) { return knb_log(c->b, knb_div(c->b, x[0], x[1])); }
static kni_atom log_ratio_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)y;
    return knb_div(c->b, kns_number(c, i == 0 ? 1 : -1), x[i]);
}
static const kns_function log_ratio = {"log_ratio", 2, log_ratio_value, log_ratio_slope};

/* Where both are positive; and where x is 0 and y is not negative. */
static void regions(kns_call *c, const kni_atom *x, kni_atom *inside, kni_atom *edge)
{
    kni_builder *b = c->b;
    *inside = knb_and(b, kns_above(c, x[0], 0), kns_above(c, x[1], 0));
    *edge = knb_and(b, kns_is(c, x[0], 0), knb_ge(b, x[1], kns_number(c, 0)));
}

static kni_atom rel_entr_value(kns_call *c, const kni_atom *x)
{
    kni_builder *b = c->b;
    kni_atom inside, edge, one = kns_number(c, 1);
    regions(c, x, &inside, &edge);
    kni_atom u = kns_choose(c, inside, x[0], one), v = kns_choose(c, inside, x[1], one);
    kni_atom value = knb_mul(b, u, knb_log(b, knb_div(b, u, v)));
    kni_atom other = kns_choose(c, edge, kns_number(c, 0), kns_number(c, INFINITY));
    kni_atom undefined = knb_or(b, knb_ne(b, x[0], x[0]), knb_ne(b, x[1], x[1]));
    return kns_choose(c, undefined, kns_number(c, NAN), kns_choose(c, inside, value, other));
}
/* log(x / y) + 1 and -x / y; 0 where the value is 0 or infinite throughout */
static kni_atom rel_entr_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    kni_builder *b = c->b;
    kni_atom inside, edge, one = kns_number(c, 1), v[2];
    (void)y;
    regions(c, x, &inside, &edge);
    for (int k = 0; k < 2; k++)
        v[k] = kns_choose(c, inside, x[k], one);
    kni_atom slope = i == 0 ? kns_plus(c, kns_apply(c, &log_ratio, v), 1) : knb_neg(b, knb_div(b, v[0], v[1]));
    return kns_choose(c, inside, slope, kns_number(c, 0));
}
static const kns_function rel_entr = {"rel_entr", 2, rel_entr_value, rel_entr_slope};

/* x log(x / y), less x, plus y; infinite where it is. */
static kni_atom kl_div_value(kns_call *c, const kni_atom *x)
{
    kni_builder *b = c->b;
    kni_atom inside, edge, r = rel_entr_value(c, x);
    regions(c, x, &inside, &edge);
    return kns_choose(c, knb_or(b, inside, edge), knb_add(b, knb_sub(b, r, x[0]), x[1]), r);
}
static kni_atom kl_div_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    return kns_plus(c, rel_entr_slope(c, i, x, y), i == 0 ? -1 : 1);
}
static const kns_function kl_div = {"kl_div", 2, kl_div_value, kl_div_slope};

kn_array kn_special_kl_div(kn_array x, kn_array y) { return of_two("special_kl_div", x, y, &kl_div); }

kn_array kn_special_rel_entr(kn_array x, kn_array y) { return of_two("special_rel_entr", x, y, &rel_entr); }

/* log(x / (1 - x)); near 1/2 by what it differs from there. */
kn_array kn_special_logit(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_logit", 1, &x);
    kni_builder *b = c.b;
    kni_atom v = c.x[0], s = kns_times(&c, kns_plus(&c, v, -0.5), 2);
    kni_atom near = knb_and(b, kns_above(&c, v, 0.3), kns_below(&c, v, 0.65)), half = kns_number(&c, 0);
    kni_atom safe_s = kns_choose(&c, near, s, half), safe_v = kns_choose(&c, near, kns_number(&c, 0.5), v);
    kni_atom y = knb_sub(b, knb_log1p(b, safe_s), knb_log1p(b, knb_neg(b, safe_s)));
    kni_atom far = knb_sub(b, knb_log(b, safe_v), knb_log1p(b, knb_neg(b, safe_v)));
    return kns_end(&c, kns_choose(&c, near, y, far));
}

/* log(1 / (1 + e^-x)); its steps have a kink at 0, it has none */
static kni_atom log_expit_value(kni_builder *b, const kni_atom *x)
{
    kni_atom least = knb_min(b, *x, knb_like(b, *x, 0)), far = knb_neg(b, knb_abs(b, *x));
    return knb_sub(b, least, knb_log1p(b, knb_exp(b, far)));
}
static kni_atom log_expit_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    (void)y;
    return knb_mul(b, *t, knb_logistic(b, knb_neg(b, *x)));
}
static const kna_formula log_expit_formula = {"log_expit", "log_expit_jvp", 1, log_expit_value, log_expit_tangent};

kn_array kn_special_log_expit(kn_array x)
{
    kns_call c;
    kns_begin(&c, "special_log_expit", 1, &x);
    return kns_end(&c, kna_formula_of(c.b, &log_expit_formula, c.x));
}

static kn_array bessel(const char *name, kn_array x, kni_atom (*f)(kni_builder *, kni_atom))
{
    kns_call c;
    kns_begin(&c, name, 1, &x);
    return kns_end(&c, f(c.b, c.x[0]));
}

kn_array kn_special_i0(kn_array x) { return bessel("special_i0", x, knl_i0); }

kn_array kn_special_i1(kn_array x) { return bessel("special_i1", x, knl_i1); }
