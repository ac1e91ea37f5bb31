/* SPDX-License-Identifier: Apache-2.0
 * gamma.c -- the incomplete gamma function: igamma is P(a, x), igammac is Q(a, x) = 1 - P(a, x), igamma_grad_a is
 * dP/da, random_gamma_grad is dx/da of a sample x of Gamma(a, 1), -(dP/da) / (dP/dx).
 *
 *     type       floats of one dtype
 *     jvp        dP/dx is the density x^(a-1) e^-x / Gamma(a), and dP/da is igamma_grad_a, whose own derivative by x is
 *                known; what else there is has no rule
 *     batch      as all elementwise primitives
 *     expand     a power series where x <= 1 or x <= a, else a continued fraction, as in JAX; for large a near x
 *                Temme's uniform expansion; 16-bit floats in float32
 */
#include "prim/iterate.h"

typedef enum { VALUE, DERIVATIVE, SAMPLE_DERIVATIVE } mode;

/* One expansion: the operands, of one shape, and what the two methods share. */
typedef struct gamma_ops {
    kni_builder *b;
    kn_dtype d;
    kni_type t;
    kni_atom a, x, ax; /* ax: x^a e^-x / Gamma(a) */
    mode how;
} gamma_ops;

static kni_atom num(const gamma_ops *g, double v) { return knb_number(g->b, g->d, v); }
static kni_atom full(const gamma_ops *g, double v)
{
    kni_type t = g->t;
    t.dtype = g->d;
    t.weak = false;
    return knb_full(g->b, t, v);
}

/* --- sum of x^n / ((a+1) ... (a+n)) ------------------------------------------------------------ */

enum { S_X, S_ON, S_R, S_C, S_SUM, S_DC, S_DSUM, S_COUNT };

static void series_round(const gamma_ops *g, knp_iteration *it)
{
    kni_builder *b = &it->body;
    const kni_atom *v = it->in;
    kni_atom next[S_COUNT - 1], eps = knb_number(b, g->d, knp_epsilon(g->d));
    kni_atom r = knb_add(b, v[S_R], knb_number(b, g->d, 1)), ratio = knb_div(b, v[S_X], r);
    kni_atom c = knb_mul(b, v[S_C], ratio), sum = knb_add(b, v[S_SUM], c);
    next[S_R - 1] = r, next[S_C - 1] = c, next[S_SUM - 1] = sum;
    next[0] = knb_gt(b, knb_div(b, c, sum), eps);
    if (g->how != VALUE) {
        kni_atom back = knb_div(b, knb_mul(b, v[S_C], v[S_X]), knb_mul(b, r, r));
        kni_atom dc = knb_sub(b, knb_mul(b, v[S_DC], ratio), back), dsum = knb_add(b, v[S_DSUM], dc);
        next[S_DC - 1] = dc, next[S_DSUM - 1] = dsum;
        next[0] = knb_gt(b, knb_abs(b, knb_div(b, dc, dsum)), eps);
    }
    knp_iterate_end(it, next, it->init); /* the results take the room of the beginnings */
}

static kni_atom gamma_series(const gamma_ops *g, kni_atom on)
{
    kni_builder *b = g->b;
    knp_iteration it;
    kni_atom one = full(g, 1), zero = full(g, 0);
    knp_iterate(&it, b, 1, g->how == VALUE ? S_SUM : S_DSUM, (const kni_atom[]){g->x, on, g->a, one, one, zero, zero});
    series_round(g, &it);
    kni_atom sum = it.init[S_SUM - 1], dsum = it.init[S_DSUM - 1];
    if (g->how == VALUE)
        return knb_div(b, knb_mul(b, sum, g->ax), g->a);
    kni_atom slope = knb_sub(b, knb_log(b, g->x), knb_digamma(b, knb_add(b, g->a, num(g, 1))));
    slope = knb_add(b, knb_mul(b, sum, slope), dsum);
    if (g->how == DERIVATIVE)
        return knb_div(b, knb_mul(b, g->ax, slope), g->a);
    return knb_div(b, knb_mul(b, knb_neg(b, slope), g->x), g->a);
}

/* --- continued fraction ----------------------------------------------------------------------- */

enum { F_ON, F_ANS, F_Y, F_Z, F_ROUND, F_P1, F_Q1, F_P2, F_Q2, F_DP1, F_DQ1, F_DP2, F_DQ2, F_DANS, F_COUNT };
enum { MOST_ROUNDS = 2000 };

/* The numerators (or denominators) of one round, scaled down together if they are large. */
static kni_atom scaled(kni_builder *b, kn_dtype d, kni_atom large, kni_atom v)
{
    return knb_select(b, large, knb_mul(b, v, knb_number(b, d, knp_epsilon(d))), v);
}

/* dp = dp1 z - p1 - dp2 y c + p2 c */
static kni_atom slope_of(kni_builder *b, kni_atom dp1, kni_atom p1, kni_atom dp2, kni_atom p2, kni_atom z, kni_atom yc,
                         kni_atom c)
{
    return knb_add(b, knb_sub(b, knb_sub(b, knb_mul(b, dp1, z), p1), knb_mul(b, dp2, yc)), knb_mul(b, p2, c));
}

static void fraction_round(const gamma_ops *g, knp_iteration *it)
{
    kni_builder *b = &it->body;
    kn_dtype d = g->d;
    const kni_atom *v = it->in;
    kni_atom next[F_COUNT], eps = knb_number(b, d, knp_epsilon(d)), one = knb_number(b, d, 1);
    kni_atom c = knb_add(b, v[F_ROUND], one), y = knb_add(b, v[F_Y], one), z = knb_add(b, v[F_Z], knb_number(b, d, 2)),
             yc = knb_mul(b, y, c);
    kni_atom p = knb_sub(b, knb_mul(b, v[F_P1], z), knb_mul(b, v[F_P2], yc));
    kni_atom q = knb_sub(b, knb_mul(b, v[F_Q1], z), knb_mul(b, v[F_Q2], yc));
    kni_atom real = knb_ne(b, q, knb_number(b, d, 0)), r = knb_div(b, p, q);
    kni_atom error = knb_select(b, real, knb_abs(b, knb_div(b, knb_sub(b, v[F_ANS], r), r)), one);
    kni_atom ans = knb_select(b, real, r, v[F_ANS]);
    kni_atom large = knb_gt(b, knb_abs(b, p), knb_number(b, d, 1 / knp_epsilon(d)));
    next[F_ANS] = ans, next[F_Y] = y, next[F_Z] = z, next[F_ROUND] = c;
    next[F_P1] = scaled(b, d, large, p), next[F_Q1] = scaled(b, d, large, q);
    next[F_P2] = scaled(b, d, large, v[F_P1]), next[F_Q2] = scaled(b, d, large, v[F_Q1]);
    if (g->how != VALUE) {
        kni_atom dp = slope_of(b, v[F_DP1], v[F_P1], v[F_DP2], v[F_P2], z, yc, c);
        kni_atom dq = slope_of(b, v[F_DQ1], v[F_Q1], v[F_DQ2], v[F_Q2], z, yc, c);
        kni_atom dans = knb_div(b, knb_sub(b, dp, knb_mul(b, ans, dq)), q);
        dans = knb_select(b, real, dans, v[F_DANS]);
        error = knb_select(b, real, knb_abs(b, knb_sub(b, dans, v[F_DANS])), one);
        next[F_DANS] = dans;
        next[F_DP1] = scaled(b, d, large, dp), next[F_DQ1] = scaled(b, d, large, dq);
        next[F_DP2] = scaled(b, d, large, v[F_DP1]), next[F_DQ2] = scaled(b, d, large, v[F_DQ1]);
    }
    kni_atom more = knb_lt(b, c, knb_number(b, d, MOST_ROUNDS));
    next[F_ON] = knb_and(b, knb_gt(b, error, eps), knb_broadcast_to(b, more, it->carry[0]));
    knp_iterate_end(it, next, it->init);
}

static kni_atom gamma_fraction(const gamma_ops *g, kni_atom on)
{
    kni_builder *b = g->b;
    knp_iteration it;
    kni_atom zero = full(g, 0), one = num(g, 1), init[F_COUNT];
    init[F_ON] = on;
    init[F_Y] = knb_sub(b, one, g->a);
    init[F_Z] = knb_add(b, knb_add(b, g->x, init[F_Y]), one);
    init[F_ROUND] = num(g, 0);
    init[F_P2] = full(g, 1), init[F_Q2] = g->x;
    init[F_P1] = knb_add(b, g->x, one), init[F_Q1] = knb_mul(b, init[F_Z], g->x);
    init[F_ANS] = knb_div(b, init[F_P1], init[F_Q1]);
    init[F_DP2] = init[F_DQ2] = init[F_DP1] = zero;
    init[F_DQ1] = knb_neg(b, g->x);
    init[F_DANS] = knb_div(b, knb_neg(b, knb_mul(b, init[F_ANS], init[F_DQ1])), init[F_Q1]);
    knp_iterate(&it, b, 0, g->how == VALUE ? F_DP1 : F_COUNT, init);
    fraction_round(g, &it);
    kni_atom ans = it.init[F_ANS], dans = it.init[F_DANS];
    if (g->how == VALUE)
        return knb_mul(b, ans, g->ax);
    kni_atom slope = knb_sub(b, knb_log(b, g->x), knb_digamma(b, g->a));
    slope = knb_add(b, knb_mul(b, ans, slope), dans);
    return g->how == DERIVATIVE ? knb_mul(b, g->ax, slope) : knb_neg(b, knb_mul(b, slope, g->x));
}

/* --- large a -------------------------------------------------------------------------------------- */

/* m - log(1 + m) for m = x / a - 1; near 0, with s = m / (2 + m) it is m s - 2 s^3 (1/3 + s^2 / 5 + s^4 / 7 + ...). */
static kni_atom excess(const gamma_ops *g, kni_atom a, kni_atom x)
{
    enum { TERMS = 18 };
    kni_builder *b = g->b;
    kni_atom m = knb_div(b, knb_sub(b, x, a), a), near = knb_lt(b, knb_abs(b, m), num(g, 0.5)),
             u = knb_select(b, near, m, full(g, 0));
    kni_atom s = knb_div(b, u, knb_add(b, u, num(g, 2))), square = knb_mul(b, s, s), sum = num(g, 0);
    for (int k = TERMS; k > 0; k--)
        sum = knb_add(b, knb_mul(b, sum, square), num(g, 1.0 / (2 * k + 1)));
    kni_atom series = knb_mul(b, s, knb_sub(b, u, knb_mul(b, knb_add(b, square, square), sum)));
    return knb_select(b, near, series, knb_sub(b, m, knb_log(b, knb_div(b, x, a))));
}

static kni_atom polynomial(const gamma_ops *g, kni_atom x, int n, const double *coefficient)
{
    kni_builder *b = g->b;
    kni_atom y = num(g, coefficient[n - 1]);
    for (int k = n - 2; k >= 0; k--)
        y = knb_add(b, knb_mul(b, y, x), num(g, coefficient[k]));
    return y;
}

/* log(x^a e^-x / Gamma(a)) without the large terms that cancel, for a >= 16 (more: their excess). */
static kni_atom log_density(const gamma_ops *g, kni_atom a, kni_atom more)
{
    static const double stirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188};
    kni_builder *b = g->b;
    kni_atom r = knb_div(b, num(g, 1), a), rest = knb_mul(b, r, polynomial(g, knb_mul(b, r, r), 5, stirling));
    kni_atom root = knb_mul(b, knb_log(b, knb_mul(b, a, num(g, 0.15915494309189535))), num(g, 0.5));
    return knb_sub(b, knb_sub(b, root, rest), knb_mul(b, a, more));
}

/* Where Temme's expansion holds, and there Q(a, x) (upper) or P(a, x): with e^2 / 2 = m - log(1 + m), m = (x - a) / a,
 * erfc(e sqrt(a / 2)) / 2 + e^(-a e^2 / 2) / sqrt(2 pi a) (c0(e) + c1(e) / a + c2(e) / a^2). */
static kni_atom uniform(const gamma_ops *g, bool upper, kni_atom *holds)
{
    static const double c0[] = {-0x1.5555555555555p-2, 0x1.5555555555555p-4,   -0x1.e573ac901e574p-7,
                                0x1.2f684bda12f68p-10, 0x1.71de3a556c734p-12,  -0x1.76e06fec7273bp-13,
                                0x1.48c5892f7cd83p-15, -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20,
                                0x1.bd6d21e4b4109p-21, -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28,
                                0x1.6097d55c37c1cp-27, -0x1.2d2197c7a2faap-28};
    static const double c1[] = {-0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015ac0p-9,
                                -0x1.0394f6f09e723p-10, 0x1.af83440e53dbcp-13, -0x1.af83440e53dbcp-22,
                                -0x1.2fa4ae89e5af0p-16, 0x1.00a9cabd6b83ep-17, -0x1.b0bdfcc629cbap-20,
                                0x1.3f59230a8357cp-28};
    static const double c2[] = {0x1.0ee643b990ee6p-8,  -0x1.5f7268edab4c8p-9,  0x1.948b0fcd6e9e0p-11,
                                0x1.0db20a88f4696p-19, -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15};
    kni_builder *b = g->b;
    kni_atom m = knb_div(b, knb_sub(b, g->x, g->a), g->a), most = num(g, 0.3);
    *holds = knb_and(b, knb_ge(b, g->a, num(g, 4096)), knb_lt(b, knb_abs(b, m), most));
    kni_atom a = knb_select(b, *holds, g->a, full(g, 4096)), x = knb_select(b, *holds, g->x, full(g, 4100));
    kni_atom half = excess(g, a, x), left = knb_lt(b, x, a), r = knb_div(b, num(g, 1), a);
    kni_atom root = knb_sqrt(b, knb_mul(b, a, half)), e = knb_sqrt(b, knb_add(b, half, half));
    e = knb_select(b, left, knb_neg(b, e), e), root = knb_select(b, left, knb_neg(b, root), root);
    kni_atom sum = knb_add(b, knb_mul(b, polynomial(g, e, 6, c2), r), polynomial(g, e, 10, c1));
    sum = knb_add(b, knb_mul(b, sum, r), polynomial(g, e, 14, c0));
    kni_atom rest = knb_mul(b, knb_exp(b, knb_neg(b, knb_mul(b, a, half))), sum);
    rest = knb_mul(b, rest, knb_sqrt(b, knb_mul(b, r, num(g, 0.15915494309189535)))); /* 1 / (2 pi) */
    kni_atom tail = knb_mul(b, knb_erfc(b, upper ? root : knb_neg(b, root)), num(g, 0.5));
    return upper ? knb_add(b, tail, rest) : knb_sub(b, tail, rest);
}

/* --- the rows --------------------------------------------------------------------------------- */

static kni_atom or2(kni_builder *b, kni_atom x, kni_atom y) { return knb_or(b, x, y); }

static kni_atom begin(gamma_ops *g, const kni_rule *r, mode how, kni_atom *underflow)
{
    kni_atom x[2];
    *g = (gamma_ops){.b = r->b, .d = knp_widen_operands(r, x), .t = r->yt[0], .how = how};
    kni_builder *b = r->b;
    g->a = x[0], g->x = x[1];
    kni_atom log_ax = knb_sub(b, knb_sub(b, knb_mul(b, g->a, knb_log(b, g->x)), g->x), knb_lgamma(b, g->a));
    kni_atom large = knb_and(b, knb_ge(b, g->a, num(g, 16)), knb_gt(b, g->x, num(g, 0)));
    large = knb_and(b, large, knb_and(b, knb_lt(b, g->a, num(g, 1e30)), knb_lt(b, g->x, num(g, 1e30))));
    kni_atom a = knb_select(b, large, g->a, full(g, 16)), v = knb_select(b, large, g->x, full(g, 16));
    log_ax = knb_select(b, large, log_density(g, a, excess(g, a, v)), log_ax);
    *underflow = knb_lt(b, log_ax, num(g, -knp_log_of_most(g->d)));
    g->ax = knb_exp(b, log_ax);
    return or2(b, knp_is_nan(b, g->a), knp_is_nan(b, g->x));
}

static kni_atom nan_of(const gamma_ops *g) { return full(g, NAN); }

static kni_atom outside(const gamma_ops *g, kni_atom is_nan)
{
    kni_builder *b = g->b;
    kni_atom zero = num(g, 0), both = knb_and(b, knb_eq(b, g->a, zero), knb_eq(b, g->x, zero));
    return or2(b, or2(b, knb_lt(b, g->x, zero), knb_lt(b, g->a, zero)), or2(b, both, is_nan));
}

static knx_error *igamma_expand(const kni_rule *r, kni_atom *y)
{
    gamma_ops g;
    kni_builder *b = r->b;
    kni_atom underflow, is_nan = begin(&g, r, VALUE, &underflow), wrong = outside(&g, is_nan);
    kni_atom none = knb_eq(b, g.x, num(&g, 0)), all = knb_eq(b, g.x, num(&g, INFINITY));
    kni_atom fraction = knb_and(b, knb_ge(b, g.x, num(&g, 1)), knb_gt(b, g.x, g.a));
    kni_atom large, middle = uniform(&g, false, &large);
    kni_atom on = knb_not(b, or2(b, or2(b, or2(b, none, wrong), or2(b, underflow, all)), large));
    kni_atom far = knb_sub(b, num(&g, 1), gamma_fraction(&g, knb_and(b, on, fraction)));
    kni_atom near = gamma_series(&g, knb_and(b, on, knb_not(b, fraction)));
    kni_atom v = knb_select(b, large, middle, knb_select(b, fraction, far, near));
    v = knb_select(b, none, full(&g, 0), v);
    v = knb_select(b, all, full(&g, 1), v);
    y[0] = knp_narrow_result(r, knb_select(b, wrong, nan_of(&g), v));
    return NULL;
}

static knx_error *igammac_expand(const kni_rule *r, kni_atom *y)
{
    gamma_ops g;
    kni_builder *b = r->b;
    kni_atom underflow, is_nan = begin(&g, r, VALUE, &underflow), wrong = outside(&g, is_nan);
    kni_atom none = or2(b, knb_eq(b, g.x, num(&g, INFINITY)), knb_eq(b, g.a, num(&g, 0)));
    kni_atom series = or2(b, knb_lt(b, g.x, num(&g, 1)), knb_lt(b, g.x, g.a));
    kni_atom large, middle = uniform(&g, true, &large);
    kni_atom on = knb_not(b, or2(b, or2(b, wrong, underflow), or2(b, none, large)));
    kni_atom near = knb_sub(b, num(&g, 1), gamma_series(&g, knb_and(b, on, series)));
    kni_atom far = gamma_fraction(&g, knb_and(b, on, knb_not(b, series)));
    kni_atom v = knb_select(b, large, middle, knb_select(b, series, near, far));
    v = knb_select(b, none, full(&g, 0), v);
    y[0] = knp_narrow_result(r, knb_select(b, wrong, nan_of(&g), v));
    return NULL;
}

static knx_error *slope_expand(const kni_rule *r, mode how, kni_atom *y)
{
    gamma_ops g;
    kni_builder *b = r->b;
    kni_atom underflow, is_nan = begin(&g, r, how, &underflow), zero = num(&g, 0);
    kni_atom none = knb_eq(b, g.x, zero);
    kni_atom wrong = or2(b, or2(b, knb_lt(b, g.x, zero), knb_le(b, g.a, zero)), is_nan);
    kni_atom fraction = knb_and(b, knb_gt(b, g.x, num(&g, 1)), knb_gt(b, g.x, g.a));
    kni_atom on = knb_not(b, or2(b, or2(b, none, wrong), underflow));
    kni_atom far = knb_neg(b, gamma_fraction(&g, knb_and(b, on, fraction)));
    kni_atom near = gamma_series(&g, knb_and(b, on, knb_not(b, fraction)));
    kni_atom v = knb_select(b, none, full(&g, 0), knb_select(b, fraction, far, near));
    y[0] = knp_narrow_result(r, knb_select(b, wrong, nan_of(&g), v));
    return NULL;
}

static knx_error *igamma_grad_a_expand(const kni_rule *r, kni_atom *y) { return slope_expand(r, DERIVATIVE, y); }
static knx_error *random_gamma_grad_expand(const kni_rule *r, kni_atom *y)
{
    return slope_expand(r, SAMPLE_DERIVATIVE, y);
}

/* x^(a-1) e^-x / Gamma(a) */
static kni_atom density(const kni_rule *r)
{
    kni_builder *b = r->b;
    kni_atom power = knb_mul(b, knb_sub(b, r->x[0], knb_like(b, r->x[0], 1)), knb_log(b, r->x[1]));
    return knb_exp(b, knb_sub(b, knb_sub(b, power, r->x[1]), knb_lgamma(b, r->x[0])));
}

static kni_atom part(kni_builder *b, kni_atom t, kni_atom slope) { return knb_mul(b, t, slope); }

static void igamma_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    if (tx[0] != KN_ATOM_ZERO)
        ty[0] = part(b, tx[0], knb_igamma_grad_a(b, r->x[0], r->x[1]));
    if (tx[1] != KN_ATOM_ZERO)
        ty[0] = knb_add_any(b, ty[0], part(b, tx[1], density(r)));
    ty[0] = knb_broadcast_to(b, ty[0], r->yt[0]);
}

static void igammac_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    igamma_jvp(r, tx, ty);
    ty[0] = knb_neg(r->b, ty[0]);
}

/* By x: the density times log x - digamma(a). */
static void igamma_grad_a_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    if (tx[0] != KN_ATOM_ZERO) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "igamma_grad_a gradient with respect to a is not supported"));
        return;
    }
    kni_atom slope = knb_sub(b, knb_log(b, r->x[1]), knb_digamma(b, r->x[0]));
    ty[0] = knb_broadcast_to(b, part(b, tx[1], knb_mul(b, density(r), slope)), r->yt[0]);
}

static void random_gamma_grad_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b, knx_error_new(KN_ERROR_VALUE, "random_gamma_grad has no derivative"));
}

#define TWO_FLOATS                                                                                        \
    .n_in = 2, .n_out = 1, .bits = KN_ELEMENTWISE, .factors = "..., ... -> ...", .type = knp_floats_type, \
    .batch = knp_batch_elementwise, .cost = knp_cost_function

const kni_prim knp_prim_igamma = {
    .name = "igamma",
    TWO_FLOATS,
    .jvp = igamma_jvp,
    .expand = igamma_expand,
    .doc = "regularized lower incomplete gamma function, elementwise (jax.lax.igamma)",
};

const kni_prim knp_prim_igammac = {
    .name = "igammac",
    TWO_FLOATS,
    .jvp = igammac_jvp,
    .expand = igammac_expand,
    .doc = "regularized upper incomplete gamma function, elementwise (jax.lax.igammac)",
};

const kni_prim knp_prim_igamma_grad_a = {
    .name = "igamma_grad_a",
    TWO_FLOATS,
    .jvp = igamma_grad_a_jvp,
    .expand = igamma_grad_a_expand,
    .doc = "derivative of igamma by its first operand, elementwise (jax.lax.igamma_grad_a)",
};

const kni_prim knp_prim_random_gamma_grad = {
    .name = "random_gamma_grad",
    TWO_FLOATS,
    .jvp = random_gamma_grad_jvp,
    .expand = random_gamma_grad_expand,
    .doc = "derivative of samples of Gamma(a, 1) by a, elementwise (jax.lax.random_gamma_grad)",
};
