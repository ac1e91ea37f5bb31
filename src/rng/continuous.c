/* SPDX-License-Identifier: Apache-2.0
 * continuous.c -- distributions of real numbers. Where a value would be infinite or not a number, another word is
 * drawn. */
#include "rng/continuous.h"
#include "rng/functions.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

double knrng_beta_real(knrng_reader *r, const knrng_number *a) { return knrng_beta(r, a[0].d, a[1].d); }

double knrng_standard_exponential_real(knrng_reader *r, const knrng_number *a)
{
    (void)a;
    return knrng_exponential(r);
}

double knrng_exponential_real(knrng_reader *r, const knrng_number *a) { return a[0].d * knrng_exponential(r); }

double knrng_uniform_real(knrng_reader *r, const knrng_number *a) { return a[0].d + a[1].d * knrng_unit(r); }

double knrng_standard_normal_real(knrng_reader *r, const knrng_number *a)
{
    (void)a;
    return knrng_normal(r);
}

double knrng_normal_real(knrng_reader *r, const knrng_number *a) { return a[0].d + a[1].d * knrng_normal(r); }

double knrng_standard_gamma_real(knrng_reader *r, const knrng_number *a) { return knrng_gamma(r, a[0].d); }

double knrng_gamma_real(knrng_reader *r, const knrng_number *a) { return a[1].d * knrng_gamma(r, a[0].d); }

double knrng_f_real(knrng_reader *r, const knrng_number *a)
{
    double above = knrng_chisquare(r, a[0].d) * a[1].d, below = knrng_chisquare(r, a[1].d) * a[0].d;
    return above / below;
}

double knrng_chisquare_real(knrng_reader *r, const knrng_number *a) { return knrng_chisquare(r, a[0].d); }

static double noncentral_chisquare(knrng_reader *r, double df, double nonc)
{
    if (isnan(nonc))
        return NAN;
    if (nonc == 0)
        return knrng_chisquare(r, df);
    if (df > 1) {
        double central = knrng_chisquare(r, df - 1), n = knrng_normal(r) + sqrt(nonc);
        return central + n * n;
    }
    int64_t i = knrng_poisson(r, nonc / 2.0);
    return knrng_chisquare(r, df + 2.0 * (double)i);
}

double knrng_noncentral_chisquare_real(knrng_reader *r, const knrng_number *a)
{
    return noncentral_chisquare(r, a[0].d, a[1].d);
}

double knrng_noncentral_f_real(knrng_reader *r, const knrng_number *a)
{
    double above = noncentral_chisquare(r, a[0].d, a[2].d) * a[1].d;
    return above / (knrng_chisquare(r, a[1].d) * a[0].d);
}

double knrng_standard_cauchy_real(knrng_reader *r, const knrng_number *a)
{
    (void)a;
    double above = knrng_normal(r), below = knrng_normal(r);
    return above / below;
}

double knrng_standard_t_real(knrng_reader *r, const knrng_number *a)
{
    double above = knrng_normal(r), below = knrng_gamma(r, a[0].d / 2);
    return sqrt(a[0].d / 2) * above / sqrt(below);
}

/* ---- D. J. Best and N. I. Fisher's way to the von Mises distribution. */

double knrng_vonmises_spread(double kappa)
{
    if (kappa < 1e-5) /* to the second order */
        return 1. / kappa + kappa;
    double root = 1 + sqrt(1 + 4 * kappa * kappa);
    double rho = (root - sqrt(2 * root)) / (2 * kappa);
    return (1 + rho * rho) / (2 * rho);
}

double knrng_vonmises_angle(knrng_reader *r, double mu, double kappa, double s)
{
    double w = 1;
    while (s > 1) { /* else kappa is so large that no proposal would be accepted: the angle is mu */
        double u = knrng_unit(r), z = knrng_cos(pi * u);
        w = (1 + s * z) / (s + z);
        double y = kappa * (s - w), v = knrng_unit(r);
        if (y * (2 - y) - v >= 0 || knrng_log(y / v) + 1 - y >= 0)
            break;
    }
    double u = knrng_unit(r), angle = knrng_acos(w);
    angle = (u < 0.5 ? -angle : angle) + mu;
    double turned = fmod(fabs(angle) + pi, 2 * pi) - pi;
    return angle < 0 ? -turned : turned;
}

double knrng_vonmises_real(knrng_reader *r, const knrng_number *a)
{
    double mu = a[0].d, kappa = a[1].d;
    if (isnan(kappa))
        return NAN;
    if (kappa < 1e-8)
        return pi * (2 * knrng_unit(r) - 1);
    if (kappa <= 1e6) {
        if (!knrng_recall(&r->memo, 2, a))
            r->memo.v[0] = knrng_vonmises_spread(kappa);
        return knrng_vonmises_angle(r, mu, kappa, r->memo.v[0]);
    }
    double angle = mu + sqrt(1. / kappa) * knrng_normal(r); /* as good as normal, and wrapped once */
    if (angle < -pi)
        angle += 2 * pi;
    if (angle > pi)
        angle -= 2 * pi;
    return angle;
}

/* ---- Functions of one number. */

double knrng_pareto_real(knrng_reader *r, const knrng_number *a) { return knrng_expm1(knrng_exponential(r) / a[0].d); }

double knrng_weibull_real(knrng_reader *r, const knrng_number *a)
{
    return a[0].d == 0.0 ? 0.0 : knrng_pow(knrng_exponential(r), 1. / a[0].d);
}

double knrng_power_real(knrng_reader *r, const knrng_number *a)
{
    return knrng_pow(-knrng_expm1(-knrng_exponential(r)), 1. / a[0].d);
}

double knrng_laplace_real(knrng_reader *r, const knrng_number *a)
{
    double u;
    do
        u = knrng_unit(r);
    while (u == 0.0);
    return u >= 0.5 ? a[0].d - a[1].d * knrng_log(2.0 - u - u) : a[0].d + a[1].d * knrng_log(u + u);
}

double knrng_gumbel_real(knrng_reader *r, const knrng_number *a)
{
    double u;
    do
        u = 1.0 - knrng_unit(r);
    while (u == 1.0);
    return a[0].d - a[1].d * knrng_log(-knrng_log(u));
}

double knrng_logistic_real(knrng_reader *r, const knrng_number *a)
{
    double u;
    do
        u = knrng_unit(r);
    while (u == 0.0);
    return a[0].d + a[1].d * knrng_log(u / (1.0 - u));
}

double knrng_lognormal_real(knrng_reader *r, const knrng_number *a)
{
    return knrng_exp(a[0].d + a[1].d * knrng_normal(r));
}

double knrng_rayleigh_real(knrng_reader *r, const knrng_number *a) { return a[0].d * sqrt(2.0 * knrng_exponential(r)); }

double knrng_wald_real(knrng_reader *r, const knrng_number *a)
{
    double mean = a[0].d, scale = a[1].d, y = knrng_normal(r);
    y = mean * y * y;
    double x = mean * (1 - 2 / (1 + sqrt(1 + 4 * scale / y)));
    double u = knrng_unit(r);
    return u <= mean / (mean + x) ? x : mean * mean / x;
}

double knrng_triangular_real(knrng_reader *r, const knrng_number *a)
{
    double left = a[0].d, mode = a[1].d, right = a[2].d;
    double base = right - left, left_base = mode - left;
    double left_product = left_base * base, right_product = (right - mode) * base, u = knrng_unit(r);
    return u <= left_base / base ? left + sqrt(u * left_product) : right - sqrt((1.0 - u) * right_product);
}
