/* SPDX-License-Identifier: Apache-2.0
 * cases_special.c -- incomplete gamma and beta functions and zeta functions: samples, and references by integrating and
 * summing the definitions in long double. */
#include "cases.h"

#include <math.h>

/* --- integrals -------------------------------------------------------------------------------- */

typedef long double integrand(const long double *env, long double from_lo, long double to_hi);

/* Over an interval of this length, by tanh-sinh: singular ends do no harm. */
static long double integral(integrand *f, const long double *env, long double length)
{
    long double sum = 0, half_pi = acosl(-1) / 2, step = 1.0L / 32;
    for (int k = -200; k <= 200; k++) {
        long double u = k * step, s = half_pi * sinhl(u), c = coshl(s);
        long double lo = length / (1 + expl(-2 * s)), hi = length / (1 + expl(2 * s));
        long double w = length * half_pi * coshl(u) / (2 * c * c);
        long double v = w > 0 && lo > 0 && hi > 0 ? w * f(env, lo, hi) : 0;
        sum += isfinite(v) ? v : 0;
    }
    return sum * step;
}

/* From 0 to infinity, of what falls off exponentially. */
static long double tail(integrand *f, const long double *env)
{
    long double sum = 0, half_pi = acosl(-1) / 2, step = 1.0L / 64;
    for (int k = -320; k <= 320; k++) {
        long double u = k * step, x = expl(half_pi * sinhl(u));
        long double v = x * half_pi * coshl(u) * f(env, x, 0);
        sum += isfinite(v) ? v : 0;
    }
    return sum * step;
}

static long double digammal(long double x)
{
    static const long double over[] = {12, -120, 252, -240, 132, -32760 / 691.0L, 12};
    long double y = 0, power;
    for (; x < 30; x++)
        y -= 1 / x;
    y += logl(x) - 1 / (2 * x), power = x * x;
    for (int k = 0; k < 7; k++, power *= x * x)
        y -= 1 / (over[k] * power);
    return y;
}

/* --- the incomplete gamma function; env: a, x ------------------------------------------------- */

static long double gamma_density(long double a, long double t) { return expl((a - 1) * logl(t) - t - lgammal(a)); }

static long double below_x(const long double *env, long double t, long double hi)
{
    (void)hi;
    return gamma_density(env[0], t);
}
static long double above_x(const long double *env, long double u, long double hi)
{
    (void)hi;
    return gamma_density(env[0], env[1] + u);
}
static long double slope_below(const long double *env, long double t, long double hi)
{
    (void)hi;
    return gamma_density(env[0], t) * (logl(t) - env[2]);
}
static long double slope_above(const long double *env, long double u, long double hi)
{
    return slope_below(env, env[1] + u, hi);
}

static num real_result(long double v) { return (num){.re = v}; }
static bool out_of_range(const num *x) { return !(x[0].re > 0) || !(x[1].re >= 0) || isinf(x[0].re); }

static num ref_igamma(const call *c, const num *x)
{
    const long double env[] = {x[0].re, x[1].re};
    (void)c;
    if (out_of_range(x))
        return real_result(x[0].re == 0 && x[1].re > 0 ? 1 : NAN);
    return real_result(isinf(env[1]) ? 1 : env[1] == 0 ? 0 : integral(below_x, env, env[1]));
}

static num ref_igammac(const call *c, const num *x)
{
    const long double env[] = {x[0].re, x[1].re};
    (void)c;
    if (out_of_range(x))
        return real_result(x[0].re == 0 && x[1].re > 0 ? 0 : NAN);
    return real_result(isinf(env[1]) ? 0 : env[1] == 0 ? 1 : tail(above_x, env));
}

static num ref_igamma_grad_a(const call *c, const num *x)
{
    const long double env[] = {x[0].re, x[1].re, digammal(x[0].re)};
    (void)c;
    if (out_of_range(x))
        return real_result(NAN);
    long double v = env[1] == 0 ? 0 : env[1] > env[0] ? -tail(slope_above, env) : integral(slope_below, env, env[1]);
    return (num){.re = v, .scale = fmaxl(fabsl(v), 0.1L)}; /* the series cancels */
}

static num ref_random_gamma_grad(const call *c, const num *x)
{
    num v = ref_igamma_grad_a(c, x);
    if (out_of_range(x) || x[1].re == 0)
        return v;
    long double density = gamma_density(x[0].re, x[1].re);
    return (num){.re = -v.re / density, .scale = fabsl(v.scale / density)};
}

/* --- zeta functions --------------------------------------------------------------------------- */

static long double zetal(long double x, long double q)
{
    static const long double over[] = {12, -720, 30240, -1209600, 47900160, -1892437580.3183791606L, 74724249600};
    long double sum = 0, base = q;
    for (int i = 0; i < 60 || base <= 60; i++, base++)
        sum += powl(base, -x);
    long double t = x * powl(base, -x - 1);
    sum += powl(base, 1 - x) / (x - 1) + powl(base, -x) / 2;
    for (int k = 0; k < 7; k++) {
        sum += t / over[k];
        t *= (x + 2 * k + 1) * (x + 2 * k + 2) / (base * base);
    }
    return sum;
}

static num ref_zeta(const call *c, const num *x)
{
    (void)c;
    return real_result(x[0].re > 1 ? zetal(x[0].re, x[1].re) : x[0].re == 1 ? INFINITY : NAN);
}

static num ref_polygamma(const call *c, const num *x)
{
    long double m = x[0].re;
    (void)c;
    if (m != floorl(m))
        return real_result(NAN);
    if (m == 0)
        return (num){.re = digammal(x[1].re), .scale = 1};
    return real_result((fmodl(m, 2) == 0 ? -1 : 1) * tgammal(m + 1) * zetal(m + 1, x[1].re));
}

/* --- the incomplete beta function; env: a, b, 1 - x ------------------------------------------- */

static long double beta_density(const long double *env, long double t, long double hi)
{
    long double log_beta = lgammal(env[0]) + lgammal(env[1]) - lgammal(env[0] + env[1]);
    return expl((env[0] - 1) * logl(t) + (env[1] - 1) * logl(env[2] + hi) - log_beta);
}

static num ref_regularized_incomplete_beta(const call *c, const num *x)
{
    const long double env[] = {x[0].re, x[1].re, 1 - x[2].re};
    (void)c;
    long double v = integral(beta_density, env, x[2].re);
    return (num){.re = v, .scale = fmaxl(v, 0.05L)}; /* 1 - the other tail cancels */
}

/* Their derivatives by one operand only have rules: the other one is a literal there. */
#define GAMMA(name, error, low, how)                                                                            \
    {                                                                                                           \
        .prim = &knp_prim_##name, .dtypes = FLOATS,                                                             \
        .operands = "T[] T[]; T[0] T[0]; T[3,4] T[3,4]; T[5] T[]; T[] T[2,3]; T[40] T[40]", .each = ref_##name, \
        .lo = low, .hi = 9, .ulp = error, .flags = how                                                          \
    }

const sample samples_special[] = {
    GAMMA(igamma, 40, 0.2, NO_SLOPE),
    GAMMA(igammac, 40, 0.2, NO_SLOPE),
    GAMMA(igamma_grad_a, 40, 0.2, NO_RULE),
    GAMMA(random_gamma_grad, 40, 0.2, NO_RULE),
    {.prim = &knp_prim_igamma,
     .label = "in_x",
     .dtypes = "f32 f64",
     .operands = "T=2.5 T[6]; T=0.75 T[6]; T=1 T[]",
     .each = ref_igamma,
     .lo = 0.3,
     .hi = 6,
     .ulp = 40},
    {.prim = &knp_prim_igammac,
     .label = "in_x",
     .dtypes = "f32 f64",
     .operands = "T=2.5 T[6]; T=0.75 T[6]; T=1 T[]",
     .each = ref_igammac,
     .lo = 0.3,
     .hi = 6,
     .ulp = 40},
    {.prim = &knp_prim_igamma_grad_a,
     .label = "in_x",
     .dtypes = "f32 f64",
     .operands = "T=2.5 T[6]; T=1 T[]",
     .each = ref_igamma_grad_a,
     .lo = 0.3,
     .hi = 6,
     .ulp = 40},
    {.prim = &knp_prim_igamma,
     .label = "limits",
     .dtypes = "f32 f64",
     .operands = "T[40]{0,2} T=0; T=0 T[8]; T=1.5 T=inf",
     .each = ref_igamma,
     .lo = 0.3,
     .hi = 6,
     .ulp = 40,
     .flags = NO_SLOPE},
    {.prim = &knp_prim_zeta,
     .dtypes = FLOATS,
     .operands = "T[] T[]; T[0] T[0]; T[3,4] T[3,4]; T[5] T[]; T[60] T[60]",
     .each = ref_zeta,
     .lo = 1.1,
     .hi = 12,
     .ulp = 8,
     .flags = NO_RULE},
    {.prim = &knp_prim_zeta,
     .label = "in_q",
     .dtypes = "f32 f64",
     .operands = "T=2.5 T[6]; T=2 T[40]; T=7 T[2,3]",
     .each = ref_zeta,
     .lo = 0.3,
     .hi = 12,
     .ulp = 8},
    {.prim = &knp_prim_zeta,
     .label = "negative",
     .dtypes = "f64",
     .operands = "T=2 T[40]; T=3 T[40]; T=2.5 T[4]{0.5,1}",
     .each = ref_zeta,
     .lo = -30.6,
     .hi = -0.1,
     .ulp = 64,
     .flags = NO_SLOPE},
    {.prim = &knp_prim_polygamma,
     .dtypes = FLOATS,
     .operands = "T=0 T[]; T=1 T[3,4]; T=2 T[40]; T=5 T[40]; T=3 T[0]",
     .each = ref_polygamma,
     .lo = 0.5,
     .hi = 9,
     .ulp = 16},
    {.prim = &knp_prim_polygamma,
     .label = "in_both",
     .dtypes = "f64",
     .operands = "T[3] T[3]; T[] T[4]",
     .each = ref_polygamma,
     .lo = 0.5,
     .hi = 9,
     .ulp = 16,
     .flags = NO_RULE},
    {.prim = &knp_prim_regularized_incomplete_beta,
     .dtypes = FLOATS,
     .operands = "T[] T[] T[]{0.02,0.98}; T[0] T[0] T[0]; T[3,4] T[3,4] T[3,4]{0.02,0.98}; T[] T[40] T[]{0.02,0.98}",
     .each = ref_regularized_incomplete_beta,
     .lo = 0.2,
     .hi = 9,
     .ulp = 120,
     .flags = NO_RULE},
    {.prim = &knp_prim_regularized_incomplete_beta,
     .label = "in_x",
     .dtypes = "f32 f64",
     .operands = "T=2.5 T=0.75 T[6]; T=0.5 T=4 T[40]; T=1 T=1 T[]",
     .each = ref_regularized_incomplete_beta,
     .lo = 0.05,
     .hi = 0.95,
     .ulp = 120},
    {.prim = NULL},
};
