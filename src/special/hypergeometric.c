/* SPDX-License-Identifier: Apache-2.0
 * hypergeometric.c -- Kummer's function 1F1 and Gauss' function 2F1.
 *
 * 1F1: its series, after Kummer's transformation where that makes the terms positive; far out the asymptotic series.
 * 2F1: its series up to x = 1/2 and for polynomials; left of 0 by Pfaff's transformation x / (x - 1), which lies
 * between 0 and 1; from 1/2 towards 1 in steps that halve the distance from 1, each a Taylor series whose coefficients
 * come from the differential equation. No case is degenerate that way.
 *
 * Derivatives by x are functions of the neighbouring parameters; those by parameters are the series', in forward
 * mode. */
#include "prim/iterate.h"
#include "special/internal.h"

enum { MOST_TERMS = 20000 };
static const double tolerance = 0x1p-58; /* so that series of derivatives are complete, too */

/* c, speaking to the builder of a loop's body. */
static kns_call inside(const kns_call *c, kni_builder *b)
{
    kns_call in = *c;
    in.op = (kna_op){.b = b};
    in.b = b;
    return in;
}

static kni_atom full(kns_call *c, double v)
{
    return knb_broadcast_to(c->b, kns_number(c, v), knl_shaped(c->d, &c->shape));
}

/* No positive whole number: where gamma has a pole and a series ends. */
static kni_atom ends(kns_call *c, kni_atom x)
{
    return knb_and(c->b, knb_le(c->b, x, kns_number(c, 0)), kns_whole(c, x));
}

/* --- the series ----------------------------------------------------------------------------------- */

enum { P_A, P_B, P_C, P_X, P_ON, P_K, P_TERM, P_LEFT, P_SUM, P_WEIGHTED, P_COUNT };

/* The sum of t[k], t[0] = first, t[k+1] / t[k] = (a + k) (b + k) x / ((c + k) (k + 1)); *weighted: that of k t[k].
 * Without b (KN_ATOM_NONE) there is no factor b + k. Where a factor is 0 the terms end, but not their derivatives by
 * a and b: the loop goes on until those, the terms without that factor, are small. They do not become small where the
 * series converges for polynomials alone, |x| >= 1 with b. */
static kni_atom series(kns_call *c, kni_atom on, kni_atom first, const kni_atom *parameter, kni_atom x,
                       kni_atom *weighted)
{
    knp_iteration it;
    bool two = parameter[1] != KN_ATOM_NONE;
    kni_atom zero = full(c, 0);
    knp_iterate(&it, c->b, P_ON, P_COUNT - P_ON,
                (const kni_atom[]){parameter[0], two ? parameter[1] : zero, parameter[2], x,
                                   knb_broadcast_to(c->b, on, knl_shaped(KN_DT(BOOL), &c->shape)), kns_number(c, 0),
                                   first, first, first, zero});
    kns_call in = inside(c, &it.body);
    kni_builder *b = in.b;
    const kni_atom *v = it.in;
    kni_atom k = v[P_K], next = kns_plus(&in, k, 1), a = knb_add(b, v[P_A], k), down = knb_add(b, v[P_C], k);
    kni_atom none = kns_is(&in, down, 0), safe = kns_choose(&in, none, kns_number(&in, 1), down);
    kni_atom second = two ? knb_add(b, v[P_B], k) : a, up = two ? knb_mul(b, a, second) : a;
    kni_atom ratio = knb_div(b, knb_mul(b, up, v[P_X]), knb_mul(b, safe, next));
    kni_atom one = kns_number(&in, 1), most = kns_choose(&in, kns_is(&in, a, 0), one, a);
    if (two)
        most = knb_mul(b, most, kns_choose(&in, kns_is(&in, second, 0), one, second));
    kni_atom least = two ? kns_choose(&in, kns_below(&in, knb_abs(b, v[P_X]), 1), most, up) : most;
    kni_atom left = knb_mul(b, v[P_LEFT], knb_div(b, knb_mul(b, least, v[P_X]), knb_mul(b, safe, next)));
    kni_atom term = knb_mul(b, v[P_TERM], ratio), sum = knb_add(b, v[P_SUM], term), part = knb_mul(b, term, next);
    kni_atom sum_of_weighted = knb_add(b, v[P_WEIGHTED], part);
    kni_atom size = knb_add(b, knb_abs(b, sum), knb_abs(b, sum_of_weighted));
    kni_atom little = knb_le(b, knb_abs(b, knb_mul(b, left, next)), kns_times(&in, size, tolerance));
    kni_atom falls = knb_and(b, kns_below(&in, knb_abs(b, ratio), 0.75), kns_above(&in, down, 0));
    kni_atom done = knb_or(b, kns_is(&in, left, 0), knb_and(b, little, falls));
    kni_atom more = knb_lt(b, next, kns_number(&in, MOST_TERMS));
    kni_atom out[P_COUNT - P_ON] = {
        knb_and(b, knb_not(b, done), knb_broadcast_to(b, more, it.carry[0])), next, term, left, sum, sum_of_weighted};
    knp_iterate_end(&it, out, it.init);
    if (weighted)
        *weighted = it.init[P_WEIGHTED - P_ON];
    return it.init[P_SUM - P_ON];
}

/* --- 1F1 ------------------------------------------------------------------------------------------ */

/* Gamma(b) / Gamma(a) e^z z^(a - b) (1 + (b - a) (1 - a) / z + ...), less z in the exponent where `flipped`. */
static kni_atom kummer_far(kns_call *c, kni_atom a, kni_atom v, kni_atom z, kni_atom flipped)
{
    enum { TERMS = 60 };
    kni_builder *b = c->b;
    kni_atom log_z = knb_log(b, z), sum = kns_number(c, 1), p = knb_sub(b, v, a), q = kns_plus(c, knb_neg(b, a), 1);
    kni_atom r = knb_div(b, kns_number(c, 1), z);
    for (int k = TERMS - 1; k >= 0; k--) { /* 1 + p q / z (1 + (p+1) (q+1) / (2 z) (1 + ...)) */
        kni_atom ratio = knb_mul(b, kns_times(c, r, 1.0 / (k + 1)), knb_mul(b, kns_plus(c, p, k), kns_plus(c, q, k)));
        kni_atom counts = kns_below(c, knb_abs(b, ratio), 1);
        sum = kns_plus(c, knb_mul(b, kns_choose(c, counts, ratio, kns_number(c, 0)), sum), 1);
    }
    kni_atom exponent = knb_sub(b, knb_sub(b, knb_lgamma(b, v), knb_lgamma(b, a)), knb_mul(b, p, log_z));
    exponent = knb_add(b, exponent, kns_choose(c, flipped, kns_number(c, 0), z));
    kni_atom sign = knb_mul(b, kns_gamma_sign(c, v), kns_gamma_sign(c, a));
    return knb_mul(b, knb_mul(b, sign, sum), knb_exp(b, exponent));
}

static kni_atom kummer(kns_call *c, const kni_atom *in)
{
    kni_builder *b = c->b;
    kni_atom a = in[0], v = in[1], x = in[2], rest = knb_sub(b, v, a), one = full(c, 1), zero = full(c, 0);
    kni_atom left = kns_below(c, x, 0), polynomial = ends(c, a), other = ends(c, rest);
    kni_atom flipped = knb_or(b, knb_and(b, left, knb_not(b, polynomial)), knb_and(b, other, knb_not(b, left)));
    kni_atom pole = knb_and(b, ends(c, v), knb_not(b, knb_and(b, polynomial, knb_ge(b, a, v))));
    flipped = knb_and(b, flipped, knb_not(b, ends(c, v)));
    kni_atom p = kns_choose(c, flipped, rest, a), z = kns_choose(c, flipped, knb_neg(b, x), x);
    /* the terms of the far series fall to nothing before they grow */
    kni_atom bend = knb_mul(b, kns_plus(c, knb_abs(b, knb_sub(b, v, p)), 1), kns_plus(c, knb_abs(b, p), 2));
    kni_atom far = knb_and(b, kns_above(c, z, 100), knb_gt(b, z, kns_times(c, bend, 2)));
    far = knb_and(b, far, knb_not(b, knb_or(b, ends(c, p), ends(c, v))));
    kni_atom good = knb_not(b, knb_or(b, far, pole)), huge = kns_above(c, z, 600);
    kni_atom half = kns_times(c, kns_choose(c, huge, z, zero), 0.5);
    kni_atom y = series(c, knb_and(b, good, kns_below(c, knb_abs(b, z), INFINITY)), knb_exp(b, knb_neg(b, half)),
                        (const kni_atom[]){p, KN_ATOM_NONE, v}, kns_choose(c, good, z, zero), NULL);
    y = knb_mul(b, y, knb_exp(b, kns_choose(c, flipped, knb_sub(b, half, kns_choose(c, far, zero, z)), half)));
    kni_atom beyond = kummer_far(c, kns_choose(c, far, p, one), kns_choose(c, far, v, one),
                                 kns_choose(c, far, z, kns_number(c, 200)), flipped);
    y = kns_choose(c, far, beyond, y);
    y = kns_choose(c, pole, kns_number(c, INFINITY), y);
    y = kns_choose(c, kns_is(c, a, 0), one, y);
    kni_atom unknown = knb_or(b, knb_ne(b, a, a), knb_or(b, knb_ne(b, v, v), knb_ne(b, x, x)));
    return kns_choose(c, unknown, kns_number(c, NAN), y);
}

static kni_atom kummer_slope(kns_call *c, int i, const kni_atom *x, kni_atom y);
static const kns_function function_1f1 = {"special_hyp1f1", 3, kummer, kummer_slope};

static kni_atom kummer_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)y;
    if (i < 2)
        return KN_ATOM_NONE;
    kni_atom next[3] = {kns_plus(c, x[0], 1), kns_plus(c, x[1], 1), x[2]};
    return knb_mul(c->b, knb_div(c->b, x[0], x[1]), kns_apply(c, &function_1f1, next));
}

kn_array kn_special_hyp1f1(kn_array a, kn_array b, kn_array x)
{
    kns_call c;
    kns_begin_wide(&c, "special_hyp1f1", 3, (const kn_array[]){a, b, x});
    return kns_end(&c, kns_apply(&c, &function_1f1, c.x));
}

/* --- 2F1 from 1/2 towards 1 ----------------------------------------------------------------------- */

enum { T_A, T_B, T_DELTA, T_D, T_T, T_ON, T_N, T_LAST, T_NEXT, T_SUM, T_WEIGHTED, T_COUNT };

/* One step: *f and *g (the derivative times the distance d from 1) at 1 - d become those at 1 - d (1 - t). p[n] is the
 * coefficient of the Taylor series times its power:
 * x0 (n+2) (n+1) p[n+2] = d t^2 (n+a) (n+b) p[n] - t (n+1) ((2d-1) n + delta - 1 + (a+b+1) d) p[n+1] */
static void taylor_step(kns_call *c, kni_atom on, const kni_atom *parameter, kni_atom d, kni_atom t, kni_atom *f,
                        kni_atom *g)
{
    knp_iteration it;
    kni_atom second = knb_mul(c->b, *g, t);
    knp_iterate(&it, c->b, T_ON, T_COUNT - T_ON,
                (const kni_atom[]){parameter[0], parameter[1], parameter[2], d, t, on, kns_number(c, 0), *f, second,
                                   knb_add(c->b, *f, second), second});
    kns_call in = inside(c, &it.body);
    kni_builder *b = in.b;
    const kni_atom *v = it.in;
    kni_atom n = v[T_N], n1 = kns_plus(&in, n, 1), n2 = kns_plus(&in, n, 2), u = v[T_D], s = v[T_T];
    kni_atom x0 = knb_sub(b, kns_number(&in, 1), u), sum_ab = kns_plus(&in, knb_add(b, v[T_A], v[T_B]), 1);
    kni_atom first =
        knb_mul(b, knb_mul(b, u, knb_mul(b, s, s)), knb_mul(b, knb_add(b, v[T_A], n), knb_add(b, v[T_B], n)));
    kni_atom back = knb_mul(b, kns_plus(&in, kns_times(&in, u, 2), -1), n);
    back = knb_add(b, back, knb_add(b, kns_plus(&in, v[T_DELTA], -1), knb_mul(b, sum_ab, u)));
    kni_atom p = knb_sub(b, knb_div(b, knb_mul(b, first, v[T_LAST]), n1), knb_mul(b, knb_mul(b, s, back), v[T_NEXT]));
    p = knb_div(b, p, knb_mul(b, x0, n2));
    kni_atom part = knb_mul(b, p, n2), sum = knb_add(b, v[T_SUM], p), weighted = knb_add(b, v[T_WEIGHTED], part);
    kni_atom size = knb_add(b, knb_abs(b, sum), knb_abs(b, weighted));
    kni_atom before = knb_mul(b, knb_abs(b, v[T_NEXT]), n1), both = knb_add(b, knb_abs(b, part), before);
    kni_atom counts = knb_gt(b, both, kns_times(&in, size, tolerance));
    kni_atom few = knb_lt(b, n, kns_number(&in, 600)), begins = knb_lt(b, n, kns_number(&in, 6));
    kni_atom more = knb_or(b, counts, knb_broadcast_to(b, begins, it.carry[0]));
    kni_atom out[T_COUNT - T_ON] = {
        knb_and(b, more, knb_broadcast_to(b, few, it.carry[0])), n1, v[T_NEXT], p, sum, weighted};
    knp_iterate_end(&it, out, it.init);
    *f = it.init[T_SUM - T_ON];
    kni_atom left = knb_sub(c->b, kns_number(c, 1), t);
    *g = knb_div(c->b, knb_mul(c->b, it.init[T_WEIGHTED - T_ON], left), t);
}

enum { W_A, W_B, W_DELTA, W_END, W_ON, W_D, W_F, W_G, W_COUNT };

/* 2F1 at 1 - end from its value f and its derivative (times 1/2) g at 1/2. */
static kni_atom towards_1(kns_call *c, kni_atom on, const kni_atom *parameter, kni_atom end, kni_atom f, kni_atom g)
{
    knp_iteration it;
    knp_iterate(&it, c->b, W_ON, W_COUNT - W_ON,
                (const kni_atom[]){parameter[0], parameter[1], parameter[2], end,
                                   knb_broadcast_to(c->b, on, knl_shaped(KN_DT(BOOL), &c->shape)), full(c, 0.5), f, g});
    kns_call in = inside(c, &it.body);
    kni_builder *b = in.b;
    const kni_atom *v = it.in;
    kni_atom next = knb_max(b, v[W_END], kns_times(&in, v[W_D], 0.5)), t = knb_div(b, knb_sub(b, v[W_D], next), v[W_D]);
    t = kns_choose(&in, v[W_ON], t, kns_number(&in, 0.5));
    kni_atom value = v[W_F], slope = v[W_G];
    taylor_step(&in, v[W_ON], v + W_A, v[W_D], t, &value, &slope);
    kni_atom out[W_COUNT - W_ON] = {knb_gt(b, next, v[W_END]), next, value, slope};
    knp_iterate_end(&it, out, it.init);
    return it.init[W_F - W_ON];
}

/* --- 2F1 ------------------------------------------------------------------------------------------ */

/* Gamma(c) Gamma(c-a-b) / (Gamma(c-a) Gamma(c-b)), at x = 1. */
static kni_atom gauss_sum(kns_call *c, kni_atom v, kni_atom delta, kni_atom ca, kni_atom cb)
{
    kni_builder *b = c->b;
    kni_atom none = knb_or(b, ends(c, ca), ends(c, cb)), one = kns_number(c, 1), arg[4] = {v, delta, ca, cb};
    kni_atom size = kns_number(c, 0), gamma[4], log_gamma[4], sign = one;
    for (int i = 0; i < 4; i++) {
        arg[i] = kns_choose(c, none, one, arg[i]);
        size = knb_max(b, size, knb_abs(b, arg[i]));
    }
    kni_atom large = kns_above(c, size, 80);
    for (int i = 0; i < 4; i++) {
        gamma[i] = knb_gamma(c->b, kns_choose(c, large, one, arg[i]));
        log_gamma[i] = knb_lgamma(b, kns_choose(c, large, arg[i], one));
        sign = knb_mul(b, sign, kns_gamma_sign(c, arg[i]));
    }
    kni_atom small = knb_mul(b, knb_div(b, gamma[0], gamma[2]), knb_div(b, gamma[1], gamma[3]));
    kni_atom sum = knb_add(b, knb_sub(b, log_gamma[0], log_gamma[2]), knb_sub(b, log_gamma[1], log_gamma[3]));
    kni_atom y = kns_choose(c, large, knb_mul(b, sign, knb_exp(b, sum)), small);
    y = kns_choose(c, none, kns_number(c, 0), y);
    return kns_choose(c, kns_above(c, delta, 0), y, kns_number(c, INFINITY));
}

/* What 2F1(a, b; c; x) is made of: (1-x)^power times 2F1 of other parameters at u = 1 - end. */
typedef struct gauss_case {
    kni_atom parameter[3], power, u, end, delta, polynomial;
} gauss_case;

static gauss_case transformed(kns_call *c, kni_atom a, kni_atom p, kni_atom v, kni_atom x)
{
    kni_builder *b = c->b;
    gauss_case g;
    kni_atom low = knb_min(b, a, p), high = knb_max(b, a, p), zero = full(c, 0), down = knb_sub(b, kns_number(c, 1), x);
    kni_atom direct = knb_or(b, ends(c, a), ends(c, p));
    kni_atom pfaff = knb_and(b, kns_below(c, x, 0), knb_not(b, direct));
    kni_atom ca = knb_sub(b, v, a), cb = knb_sub(b, v, p), least = knb_min(b, ca, cb);
    kni_atom euler = knb_and(b, kns_below(c, low, 0), knb_gt(b, least, low));
    euler = knb_or(b, euler, knb_or(b, ends(c, ca), ends(c, cb)));
    euler = knb_and(b, knb_and(b, euler, kns_above(c, x, 0)), knb_and(b, kns_below(c, x, 1), knb_not(b, direct)));
    kni_atom by_low = knb_ge(b, knb_sub(b, v, high), kns_number(c, 0));
    kni_atom first = kns_choose(c, by_low, low, high), rest = kns_choose(c, by_low, high, low);
    kni_atom safe = kns_choose(c, pfaff, down, kns_number(c, 1));
    g.parameter[0] = kns_choose(c, pfaff, first, kns_choose(c, euler, ca, a));
    g.parameter[1] = kns_choose(c, pfaff, knb_sub(b, v, rest), kns_choose(c, euler, cb, p));
    g.parameter[2] = v;
    kni_atom delta = knb_sub(b, ca, p);
    g.power = kns_choose(c, pfaff, knb_neg(b, first), kns_choose(c, euler, delta, zero));
    g.delta = kns_choose(c, pfaff, knb_sub(b, rest, first), kns_choose(c, euler, knb_neg(b, delta), delta));
    g.u = kns_choose(c, pfaff, knb_div(b, knb_neg(b, x), safe), x);
    g.end = kns_choose(c, pfaff, knb_div(b, kns_number(c, 1), safe), down);
    g.polynomial = knb_or(b, ends(c, g.parameter[0]), ends(c, g.parameter[1]));
    return g;
}

static kni_atom gauss(kns_call *c, const kni_atom *in)
{
    kni_builder *b = c->b;
    kni_atom a = in[0], p = in[1], v = in[2], x = in[3], one = kns_number(c, 1), zero = full(c, 0), weighted;
    gauss_case g = transformed(c, a, p, v, x);
    kni_atom inside_1 = kns_below(c, x, 1), at_1 = kns_is(c, x, 1), finite = kns_below(c, knb_abs(b, x), INFINITY);
    kni_atom ends_a = knb_and(b, ends(c, a), knb_ge(b, a, v)), ends_p = knb_and(b, ends(c, p), knb_ge(b, p, v));
    kni_atom pole = knb_and(b, ends(c, v), knb_not(b, knb_or(b, ends_a, ends_p)));
    kni_atom on = knb_and(b, knb_and(b, knb_or(b, inside_1, g.polynomial), finite), knb_not(b, pole));
    kni_atom far = knb_and(b, knb_and(b, on, kns_above(c, g.u, 0.5)), knb_not(b, g.polynomial));
    kni_atom near_u = kns_choose(c, far, kns_number(c, 0.5), kns_choose(c, on, g.u, zero));
    kni_atom f = series(c, on, full(c, 1), g.parameter, near_u, &weighted);
    kni_atom parameter[3] = {g.parameter[0], g.parameter[1], g.delta};
    kni_atom y = towards_1(c, far, parameter, kns_choose(c, far, g.end, kns_number(c, 0.5)), f, weighted);
    kni_atom power = knb_pow(b, kns_choose(c, inside_1, knb_sub(b, one, x), one), g.power);
    y = knb_mul(b, y, kns_choose(c, kns_is(c, g.power, 0), one, power));
    kni_atom open = knb_and(b, at_1, knb_not(b, g.polynomial)), delta = knb_sub(b, knb_sub(b, v, a), p);
    kni_atom sum = gauss_sum(c, kns_choose(c, open, v, one), kns_choose(c, open, delta, one),
                             kns_choose(c, open, knb_sub(b, v, a), one), kns_choose(c, open, knb_sub(b, v, p), one));
    y = kns_choose(c, open, sum, y);
    kni_atom outside = knb_and(b, kns_above(c, x, 1), knb_not(b, g.polynomial));
    y = kns_choose(c, knb_or(b, pole, outside), kns_number(c, INFINITY), y);
    kni_atom unknown =
        knb_or(b, knb_or(b, knb_ne(b, a, a), knb_ne(b, p, p)), knb_or(b, knb_ne(b, v, v), knb_ne(b, x, x)));
    unknown = knb_or(b, unknown, kns_is(c, x, -INFINITY));
    return kns_choose(c, unknown, kns_number(c, NAN), y);
}

static kni_atom gauss_slope(kns_call *c, int i, const kni_atom *x, kni_atom y);
static const kns_function function_2f1 = {"special_hyp2f1", 4, gauss, gauss_slope};

static kni_atom gauss_slope(kns_call *c, int i, const kni_atom *x, kni_atom y)
{
    (void)y;
    if (i < 3)
        return KN_ATOM_NONE;
    kni_atom next[4] = {kns_plus(c, x[0], 1), kns_plus(c, x[1], 1), kns_plus(c, x[2], 1), x[3]};
    kni_atom factor = knb_div(c->b, knb_mul(c->b, x[0], x[1]), x[2]);
    return knb_mul(c->b, factor, kns_apply(c, &function_2f1, next));
}

kn_array kn_special_hyp2f1(kn_array a, kn_array b, kn_array c, kn_array x)
{
    kns_call call;
    kns_begin_wide(&call, "special_hyp2f1", 4, (const kn_array[]){a, b, c, x});
    return kns_end(&call, kns_apply(&call, &function_2f1, call.x));
}
