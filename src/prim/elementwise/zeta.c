/* SPDX-License-Identifier: Apache-2.0
 * zeta.c -- zeta is Hurwitz' function, the sum of (q + k)^-x over k >= 0; polygamma(m, x) is the m-th derivative of
 * digamma at x; regularized_incomplete_beta is I_x(a, b).
 *
 *     type       floats of one dtype
 *     jvp        zeta: by q; polygamma: by x, the next one; the beta function: by x, the density; by the others there
 *                is no rule
 *     batch      as all elementwise primitives
 *     expand     zeta: terms until they are small or their base is large, then the formula of Euler and Maclaurin;
 *                polygamma is a zeta function times m!; the beta function is a continued fraction, as in JAX;
 *                16-bit floats in float32
 */
#include "prim/iterate.h"

static kni_atom number(kni_builder *b, kni_atom like, double v) { return knb_like(b, like, v); }

static kni_atom full_like(kni_builder *b, kni_atom like, double v) { return knb_full(b, knb_type(b, like), v); }

/* --- zeta ------------------------------------------------------------------------------------- */

enum { Z_X, Z_ON, Z_I, Z_BASE, Z_TERM, Z_SUM, Z_FAR, Z_COUNT };
enum { DIRECT_TERMS = 9, CORRECTIONS = 12 };

/* Terms are added one by one. An element is done when a term does not count any more (then the sum is the result), or
 * when there are enough of them and their base is so large that the rest can be corrected for (Z_FAR). */
static void zeta_round(knp_iteration *it, kn_dtype d)
{
    kni_builder *b = &it->body;
    const kni_atom *v = it->in;
    kni_atom next[Z_COUNT - 1], enough = knb_number(b, d, DIRECT_TERMS);
    kni_atom i = knb_add(b, v[Z_I], knb_number(b, d, 1)), base = knb_add(b, v[Z_BASE], knb_number(b, d, 1));
    kni_atom term = knb_pow(b, base, knb_neg(b, v[Z_X])), sum = knb_add(b, v[Z_SUM], term);
    kni_atom eps = knb_number(b, d, knp_epsilon(d) / 2);
    kni_atom counts = knb_gt(b, knb_abs(b, term), knb_mul(b, knb_abs(b, sum), eps));
    kni_atom early = knb_lt(b, i, enough);
    kni_atom more = knb_or(b, knb_le(b, base, enough), knb_broadcast_to(b, early, it->carry[0]));
    counts = knb_or(b, counts, knb_le(b, base, knb_number(b, d, 0)));
    next[Z_ON - 1] = knb_and(b, counts, more);
    next[Z_I - 1] = i, next[Z_BASE - 1] = base, next[Z_TERM - 1] = term, next[Z_SUM - 1] = sum;
    next[Z_FAR - 1] = counts;
    knp_iterate_end(it, next, it->init);
}

/* What is left of the sum after the term of `base`: base^(1-x)/(x-1) - term/2 + the corrections
 * term * B2k/(2k)! x (x+1) ... (x+2k-2) / base^(2k-1). */
static kni_atom zeta_rest(kni_builder *b, kni_atom x, kni_atom base, kni_atom term)
{
    static const double bernoulli[CORRECTIONS] = {/* (2k)! / B2k */
                                                  12,
                                                  -720,
                                                  30240,
                                                  -1209600,
                                                  47900160,
                                                  -1892437580.3183791606,
                                                  74724249600,
                                                  -2950130727918.1642241,
                                                  116467828143500.67249,
                                                  -4597978722407472.6105,
                                                  181521054019435467.73,
                                                  -7166165256175667011.3};
    kni_atom one = number(b, x, 1), square = knb_mul(b, base, base);
    kni_atom rest = knb_div(b, knb_mul(b, term, base), knb_sub(b, x, one));
    rest = knb_sub(b, rest, knb_mul(b, term, number(b, x, 0.5)));
    kni_atom t = knb_div(b, knb_mul(b, term, x), base), corrections = knb_mul(b, t, number(b, x, 1 / bernoulli[0]));
    for (int k = 1; k < CORRECTIONS; k++) {
        kni_atom u = knb_add(b, x, number(b, x, 2 * k - 1)), w = knb_add(b, x, number(b, x, 2 * k));
        double ratio = bernoulli[k - 1] / bernoulli[k];
        t = knb_div(b, knb_mul(b, knb_mul(b, t, number(b, x, k == 1 ? 1 / bernoulli[1] : ratio)), knb_mul(b, u, w)),
                    square);
        corrections = knb_add(b, corrections, t);
    }
    return knb_add(b, rest, corrections);
}

static kni_atom is_integer(kni_builder *b, kni_atom x) { return knb_eq(b, x, knb_floor(b, x)); }

static kni_atom is_even(kni_builder *b, kni_atom x) { return is_integer(b, knb_mul(b, x, number(b, x, 0.5))); }

/* Where there is no series: x <= 1, q not positive, q infinite. */
static kni_atom zeta_limits(kni_builder *b, kni_atom x, kni_atom q, kni_atom y)
{
    kni_atom zero = number(b, x, 0), one = number(b, x, 1), infinite = full_like(b, x, INFINITY),
             undefined = full_like(b, x, NAN);
    kni_atom pole = knb_and(b, knb_le(b, q, zero), is_integer(b, q));
    kni_atom no_power = knb_and(b, knb_lt(b, q, zero), knb_not(b, is_integer(b, x)));
    y = knb_select(b, knb_eq(b, q, infinite), full_like(b, x, 0), y);
    y = knb_select(b, no_power, undefined, y);
    y = knb_select(b, pole, knb_select(b, is_even(b, x), infinite, undefined), y);
    y = knb_select(b, knb_lt(b, x, one), undefined, y);
    y = knb_select(b, knb_eq(b, x, one), infinite, y);
    return knb_select(b, knb_or(b, knp_is_nan(b, x), knp_is_nan(b, q)), undefined, y);
}

/* The series where `on` is true. */
static kni_atom zeta_series(kni_builder *b, kn_dtype d, kni_atom x, kni_atom q, kni_atom on)
{
    knp_iteration it;
    kni_atom first = knb_pow(b, q, knb_neg(b, x));
    knp_iterate(&it, b, 1, Z_COUNT - 1, (const kni_atom[]){x, on, number(b, x, 0), q, first, first, on});
    zeta_round(&it, d);
    kni_atom base = it.init[Z_BASE - 1], sum = it.init[Z_SUM - 1], far = it.init[Z_FAR - 1];
    return knb_select(b, far, knb_add(b, sum, zeta_rest(b, x, base, it.init[Z_TERM - 1])), sum);
}

/* Far left, where the series begins with many terms, by the sum over all whole numbers, which does not change when q
 * does by one: zeta(x, q) + (-1)^x zeta(x, 1 - q) is the same for q and its fraction. */
static kni_atom zeta(kni_builder *b, kn_dtype d, kni_atom x, kni_atom q)
{
    kni_atom zero = number(b, x, 0), one = full_like(b, x, 1), fraction = knb_sub(b, q, knb_floor(b, q));
    kni_atom pole = knb_and(b, knb_le(b, q, zero), is_integer(b, q));
    kni_atom on = knb_and(b, knb_gt(b, x, number(b, x, 1)), knb_not(b, pole));
    kni_atom real = knb_or(b, knb_gt(b, q, zero), is_integer(b, x));
    on = knb_and(b, on, knb_and(b, real, knb_lt(b, knb_abs(b, q), number(b, x, INFINITY))));
    kni_atom far = knb_and(b, on, knb_lt(b, q, number(b, x, -64)));
    kni_atom y = zeta_series(b, d, x, knb_select(b, far, fraction, q), on);
    kni_atom right = zeta_series(b, d, x, knb_select(b, far, knb_sub(b, one, fraction), one), far);
    kni_atom left = zeta_series(b, d, x, knb_select(b, far, knb_sub(b, one, q), one), far), even = is_even(b, x);
    kni_atom all = knb_add(b, y, knb_select(b, even, right, knb_neg(b, right)));
    all = knb_add(b, all, knb_select(b, even, knb_neg(b, left), left));
    return zeta_limits(b, x, q, knb_select(b, far, all, y));
}

static knx_error *zeta_expand(const kni_rule *r, kni_atom *y)
{
    kni_atom x[2];
    kn_dtype d = knp_widen_operands(r, x);
    y[0] = knp_narrow_result(r, zeta(r->b, d, x[0], x[1]));
    return NULL;
}

static void refuse(const kni_rule *r, const char *what)
{
    knb_fail(r->b, knx_error_new(KN_ERROR_VALUE, "%s not supported", what));
}

/* -x zeta(x + 1, q) by q */
static void zeta_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    if (tx[0] != KN_ATOM_ZERO) {
        refuse(r, "zeta gradient with respect to x is");
        return;
    }
    kni_atom next = knb_zeta(b, knb_add(b, r->x[0], knb_like(b, r->x[0], 1)), r->x[1]);
    ty[0] = knb_broadcast_to(b, knb_mul(b, tx[1], knb_neg(b, knb_mul(b, r->x[0], next))), r->yt[0]);
}

/* --- polygamma -------------------------------------------------------------------------------- */

static knx_error *polygamma_expand(const kni_rule *r, kni_atom *y)
{
    kni_builder *b = r->b;
    kni_atom x[2];
    kn_dtype d = knp_widen_operands(r, x);
    kni_atom m = x[0], one = knb_number(b, d, 1), next = knb_add(b, m, one);
    kni_atom sign = knb_select(b, is_even(b, m), full_like(b, m, -1), full_like(b, m, 1));
    kni_atom v = knb_mul(b, knb_mul(b, sign, knb_exp(b, knb_lgamma(b, next))), zeta(b, d, next, x[1]));
    kni_atom first = knb_eq(b, m, knb_number(b, d, 0));
    v = knb_select(b, first, knb_digamma(b, x[1]), v);
    kni_atom natural = knb_and(b, is_integer(b, m), knb_ge(b, m, knb_number(b, d, 0)));
    y[0] = knp_narrow_result(r, knb_select(b, natural, v, full_like(b, m, NAN)));
    return NULL;
}

static void polygamma_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    if (tx[0] != KN_ATOM_ZERO) {
        refuse(r, "polygamma gradient with respect to m is");
        return;
    }
    kni_atom next = knb_polygamma(b, knb_add(b, r->x[0], knb_like(b, r->x[0], 1)), r->x[1]);
    ty[0] = knb_broadcast_to(b, knb_mul(b, tx[1], next), r->yt[0]);
}

/* --- the incomplete beta function ------------------------------------------------------------- */

enum { B_A, B_B, B_X, B_ON, B_I, B_C, B_D, B_H, B_COUNT };

/* The numerator of round i >= 2, with m = (i - 1) / 2. */
static kni_atom beta_numerator(kni_builder *b, kn_dtype d, const kni_atom *v, kni_atom i)
{
    kni_atom a = v[B_A], c = v[B_B], x = v[B_X], one = knb_number(b, d, 1), two = knb_number(b, d, 2);
    kni_atom m = knb_floor(b, knb_mul(b, knb_sub(b, i, one), knb_number(b, d, 0.5)));
    kni_atom am = knb_add(b, a, m), a2m = knb_add(b, am, m), ac = knb_add(b, a, c);
    kni_atom first = knb_neg(b, knb_div(b, knb_mul(b, ac, x), knb_add(b, a, one)));
    kni_atom even = knb_mul(b, knb_mul(b, am, knb_add(b, ac, m)), x);
    even = knb_neg(b, knb_div(b, even, knb_mul(b, a2m, knb_add(b, a2m, one))));
    kni_atom odd = knb_mul(b, knb_mul(b, knb_sub(b, c, m), m), x);
    odd = knb_div(b, odd, knb_mul(b, knb_sub(b, a2m, one), a2m));
    even = knb_select(b, knb_eq(b, i, two), first, even);
    kni_atom numerator = knb_select(b, is_even(b, i), even, odd);
    return knb_select(b, knb_eq(b, i, one), full_like(b, x, 1), numerator);
}

static kni_atom not_small(kni_builder *b, kni_atom v, kni_atom small)
{
    return knb_select(b, knb_lt(b, knb_abs(b, v), small), small, v);
}

/* Lentz' method, until a factor is 1. */
static kni_atom beta_fraction(kni_builder *outer, kn_dtype d, kni_atom a, kni_atom c, kni_atom x, kni_atom on)
{
    knp_iteration it;
    double half = knp_epsilon(d) / 2;
    kni_atom begin = full_like(outer, x, half), next[B_COUNT];
    knp_iterate(&it, outer, 3, B_COUNT - 3,
                (const kni_atom[]){a, c, x, on, knb_number(outer, d, 1), begin, full_like(outer, x, 0), begin});
    kni_builder *b = &it.body;
    const kni_atom *v = it.in;
    kni_atom small = knb_number(b, d, half), one = knb_number(b, d, 1), n = beta_numerator(b, d, v, v[B_I]);
    kni_atom up = not_small(b, knb_add(b, one, knb_div(b, n, v[B_C])), small);
    kni_atom down = knb_div(b, one, not_small(b, knb_add(b, one, knb_mul(b, n, v[B_D])), small));
    kni_atom factor = knb_mul(b, up, down), i = knb_add(b, v[B_I], one);
    kni_atom more = knb_lt(b, i, knb_number(b, d, d->size == 4 ? 200 : 600));
    kni_atom moves = knb_ge(b, knb_abs(b, knb_sub(b, factor, one)), small);
    next[B_ON - 3] = knb_and(b, moves, knb_broadcast_to(b, more, it.carry[0]));
    next[B_I - 3] = i, next[B_C - 3] = up, next[B_D - 3] = down;
    next[B_H - 3] = knb_mul(b, v[B_H], factor);
    knp_iterate_end(&it, next, it.init);
    return it.init[B_H - 3];
}

/* x^a (1-x)^c / (a B(a, c)), also where a is so small that Gamma(a) overflows. */
static kni_atom beta_factor(kni_builder *b, kn_dtype d, kni_atom a, kni_atom c, kni_atom x)
{
    kni_atom rest = knb_sub(b, knb_lgamma(b, c), knb_lgamma(b, knb_add(b, a, c)));
    kni_atom power = knb_mul(b, knb_log1p(b, knb_neg(b, x)), c);
    kni_atom tiny = knb_number(b, d, d->size == 4 ? 0x1p-125 : 0x1p-1021);
    kni_atom usual = knb_add(b, knb_mul(b, knb_log(b, x), a), power);
    usual = knb_div(b, knb_exp(b, knb_sub(b, usual, knb_add(b, knb_lgamma(b, a), rest))), a);
    return knb_select(b, knb_lt(b, a, tiny), knb_exp(b, knb_sub(b, power, rest)), usual);
}

/* Where a or b is 0 or infinite all of the distribution is at an end. */
static kni_atom beta_limits(kni_builder *b, kni_atom a, kni_atom c, kni_atom x, kni_atom y)
{
    kni_atom zero = number(b, x, 0), one = number(b, x, 1), infinite = number(b, x, INFINITY);
    kni_atom left = knb_or(b, knb_eq(b, a, zero), knb_eq(b, c, infinite));
    kni_atom right = knb_or(b, knb_eq(b, c, zero), knb_eq(b, a, infinite));
    kni_atom at_0 = knb_eq(b, x, zero), at_1 = knb_eq(b, x, one);
    kni_atom none = knb_or(b, knb_and(b, right, knb_not(b, at_1)), knb_and(b, left, at_0));
    kni_atom all = knb_or(b, knb_and(b, left, knb_not(b, at_0)), knb_and(b, right, at_1));
    kni_atom wrong = knb_or(b, knb_lt(b, a, zero), knb_lt(b, c, zero));
    wrong = knb_or(b, wrong, knb_or(b, knb_lt(b, x, zero), knb_gt(b, x, one)));
    wrong = knb_or(b, wrong, knb_and(b, left, right));
    wrong = knb_or(b, wrong, knb_or(b, knp_is_nan(b, a), knb_or(b, knp_is_nan(b, c), knp_is_nan(b, x))));
    y = knb_select(b, none, full_like(b, x, 0), y);
    y = knb_select(b, all, full_like(b, x, 1), y);
    return knb_select(b, wrong, full_like(b, x, NAN), y);
}

static knx_error *beta_expand(const kni_rule *r, kni_atom *y)
{
    kni_builder *b = r->b;
    kni_atom in[3];
    kn_dtype d = knp_widen_operands(r, in);
    kni_atom one = knb_number(b, d, 1);
    kni_atom mean = knb_div(b, knb_add(b, in[0], one), knb_add(b, knb_add(b, in[0], in[1]), knb_number(b, d, 2)));
    kni_atom fast = knb_lt(b, in[2], mean); /* else by the other tail */
    kni_atom a = knb_select(b, fast, in[0], in[1]), c = knb_select(b, fast, in[1], in[0]);
    kni_atom x = knb_select(b, fast, in[2], knb_sub(b, one, in[2]));
    kni_atom zero = knb_number(b, d, 0), infinite = knb_number(b, d, INFINITY);
    kni_atom on = knb_and(b, knb_and(b, knb_ge(b, a, zero), knb_ge(b, c, zero)), knb_ge(b, x, zero));
    on = knb_and(b, on, knb_and(b, knb_lt(b, a, infinite), knb_lt(b, c, infinite)));
    kni_atom v = knb_mul(b, beta_fraction(b, d, a, c, x, on), beta_factor(b, d, a, c, x));
    v = knb_select(b, fast, v, knb_sub(b, one, v));
    y[0] = knp_narrow_result(r, beta_limits(b, in[0], in[1], in[2], v));
    return NULL;
}

static void beta_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom a = r->x[0], c = r->x[1], x = r->x[2], one = knb_like(b, x, 1);
    if (tx[0] != KN_ATOM_ZERO || tx[1] != KN_ATOM_ZERO) {
        refuse(r, "Betainc gradient with respect to a and b");
        return;
    }
    kni_atom log_beta = knb_sub(b, knb_add(b, knb_lgamma(b, a), knb_lgamma(b, c)), knb_lgamma(b, knb_add(b, a, c)));
    kni_atom power = knb_add(b, knb_mul(b, knb_sub(b, c, one), knb_log1p(b, knb_neg(b, x))),
                             knb_mul(b, knb_sub(b, a, one), knb_log(b, x)));
    ty[0] = knb_mul(b, tx[2], knb_exp(b, knb_sub(b, power, log_beta)));
    ty[0] = knb_broadcast_to(b, ty[0], r->yt[0]);
}

/* --- the rows --------------------------------------------------------------------------------- */

#define FLOATS                                                                                   \
    .n_out = 1, .bits = KN_ELEMENTWISE, .type = knp_floats_type, .batch = knp_batch_elementwise, \
    .cost = knp_cost_function

const kni_prim knp_prim_zeta = {
    .name = "zeta",
    .n_in = 2,
    FLOATS,
    .factors = "..., ... -> ...",
    .jvp = zeta_jvp,
    .expand = zeta_expand,
    .doc = "Hurwitz' zeta function, elementwise (jax.lax.zeta)",
};

const kni_prim knp_prim_polygamma = {
    .name = "polygamma",
    .n_in = 2,
    FLOATS,
    .factors = "..., ... -> ...",
    .jvp = polygamma_jvp,
    .expand = polygamma_expand,
    .doc = "derivative number m of digamma, elementwise (jax.lax.polygamma)",
};

const kni_prim knp_prim_regularized_incomplete_beta = {
    .name = "regularized_incomplete_beta",
    .n_in = 3,
    FLOATS,
    .factors = "..., ..., ... -> ...",
    .jvp = beta_jvp,
    .expand = beta_expand,
    .doc = "regularized incomplete beta function, elementwise (jax.lax.betainc)",
};
