/* SPDX-License-Identifier: Apache-2.0
 * legacy.c -- distributions as RandomState has them since NumPy 1.16 and before: normal numbers two by two by the
 * polar method, logarithms of uniform numbers where the Generator has ziggurats. */
#include "rng/continuous.h"
#include "rng/functions.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

double knrng_legacy_gauss(knrng_reader *r)
{
    if (r->gauss->has) {
        double value = r->gauss->value;
        *r->gauss = (knrng_gauss){false, 0.0};
        return value;
    }
    double x, y, square;
    do {
        x = 2.0 * knrng_unit(r) - 1.0;
        y = 2.0 * knrng_unit(r) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    double f = sqrt(-2.0 * knrng_log(square) / square);
    *r->gauss = (knrng_gauss){true, f * x};
    return f * y;
}

static double exponential(knrng_reader *r) { return -knrng_log(1.0 - knrng_unit(r)); }

#define T           double
#define F(name)     name
#define GAMMA       knrng_legacy_gamma
#define BELOW_ONE   small_gamma
#define UNIT        knrng_unit
#define EXPONENTIAL exponential
#define NORMAL      knrng_legacy_gauss
#include "rng/gamma_loops.h"

static double chisquare(knrng_reader *r, double df) { return 2.0 * knrng_legacy_gamma(r, df / 2.0); }

double knrng_legacy_standard_normal_real(knrng_reader *r, const knrng_number *a)
{
    (void)a;
    return knrng_legacy_gauss(r);
}

double knrng_legacy_normal_real(knrng_reader *r, const knrng_number *a)
{
    return a[0].d + a[1].d * knrng_legacy_gauss(r);
}

double knrng_legacy_lognormal_real(knrng_reader *r, const knrng_number *a)
{
    return knrng_exp(knrng_legacy_normal_real(r, a));
}

double knrng_legacy_standard_exponential_real(knrng_reader *r, const knrng_number *a)
{
    (void)a;
    return exponential(r);
}

double knrng_legacy_exponential_real(knrng_reader *r, const knrng_number *a) { return a[0].d * exponential(r); }

double knrng_legacy_standard_gamma_real(knrng_reader *r, const knrng_number *a)
{
    return knrng_legacy_gamma(r, a[0].d);
}

double knrng_legacy_gamma_real(knrng_reader *r, const knrng_number *a)
{
    return a[1].d * knrng_legacy_gamma(r, a[0].d);
}

double knrng_legacy_pareto_real(knrng_reader *r, const knrng_number *a)
{
    return knrng_exp(exponential(r) / a[0].d) - 1;
}

double knrng_legacy_weibull_real(knrng_reader *r, const knrng_number *a)
{
    return a[0].d == 0.0 ? 0.0 : knrng_pow(exponential(r), 1. / a[0].d);
}

double knrng_legacy_power_real(knrng_reader *r, const knrng_number *a)
{
    return knrng_pow(1 - knrng_exp(-exponential(r)), 1. / a[0].d);
}

double knrng_legacy_rayleigh_real(knrng_reader *r, const knrng_number *a)
{
    return a[0].d * sqrt(-2.0 * knrng_log1p(-knrng_unit(r)));
}

double knrng_legacy_chisquare_real(knrng_reader *r, const knrng_number *a) { return chisquare(r, a[0].d); }

static double noncentral_chisquare(knrng_reader *r, double df, double nonc)
{
    if (nonc == 0)
        return chisquare(r, df);
    if (df > 1) {
        double central = chisquare(r, df - 1), n = knrng_legacy_gauss(r) + sqrt(nonc);
        return central + n * n;
    }
    int64_t i = knrng_poisson(r, nonc / 2.0);
    double x = chisquare(r, df + 2.0 * (double)i);
    return isnan(nonc) ? NAN : x;
}

double knrng_legacy_noncentral_chisquare_real(knrng_reader *r, const knrng_number *a)
{
    return noncentral_chisquare(r, a[0].d, a[1].d);
}

double knrng_legacy_noncentral_f_real(knrng_reader *r, const knrng_number *a)
{
    double above = noncentral_chisquare(r, a[0].d, a[2].d) * a[1].d;
    return above / (chisquare(r, a[1].d) * a[0].d);
}

double knrng_legacy_f_real(knrng_reader *r, const knrng_number *a)
{
    double above = chisquare(r, a[0].d) * a[1].d, below = chisquare(r, a[1].d) * a[0].d;
    return above / below;
}

double knrng_legacy_wald_real(knrng_reader *r, const knrng_number *a)
{
    double mean = a[0].d, scale = a[1].d, half = mean / (2 * scale), y = knrng_legacy_gauss(r);
    y = mean * y * y;
    double x = mean + half * (y - sqrt(4 * scale * y + y * y)), u = knrng_unit(r);
    return u <= mean / (mean + x) ? x : mean * mean / x;
}

double knrng_legacy_standard_t_real(knrng_reader *r, const knrng_number *a)
{
    double above = knrng_legacy_gauss(r), below = knrng_legacy_gamma(r, a[0].d / 2);
    return sqrt(a[0].d / 2) * above / sqrt(below);
}

double knrng_legacy_standard_cauchy_real(knrng_reader *r, const knrng_number *a)
{
    (void)a;
    double above = knrng_legacy_gauss(r), below = knrng_legacy_gauss(r);
    return above / below;
}

double knrng_legacy_beta_real(knrng_reader *r, const knrng_number *p)
{
    double a = p[0].d, b = p[1].d;
    if (!(a <= 1.0 && b <= 1.0)) {
        double x = knrng_legacy_gamma(r, a), y = knrng_legacy_gamma(r, b);
        return x / (x + y);
    }
    for (;;) {
        double u = knrng_unit(r), v = knrng_unit(r), x = knrng_pow(u, 1.0 / a), y = knrng_pow(v, 1.0 / b);
        if (!(x + y <= 1.0))
            continue;
        if (x + y > 0)
            return x / (x + y);
        double log_x = knrng_log(u) / a, log_y = knrng_log(v) / b, most = log_x > log_y ? log_x : log_y;
        log_x -= most;
        log_y -= most;
        return knrng_exp(log_x - knrng_log(knrng_exp(log_x) + knrng_exp(log_y)));
    }
}

double knrng_legacy_vonmises_real(knrng_reader *r, const knrng_number *a)
{
    double mu = a[0].d, kappa = a[1].d;
    if (isnan(kappa))
        return NAN;
    if (kappa < 1e-8)
        return pi * (2 * knrng_unit(r) - 1);
    if (!knrng_recall(&r->memo, 2, a))
        r->memo.v[0] = knrng_vonmises_spread(kappa);
    return knrng_vonmises_angle(r, mu, kappa, r->memo.v[0]);
}

/* ---- Integers. */

int64_t knrng_legacy_negative_binomial_count(knrng_reader *r, const knrng_number *a)
{
    double n = a[0].d, p = a[1].d, y = (1 - p) / p * knrng_legacy_gamma(r, n);
    return knrng_poisson(r, y);
}

int64_t knrng_legacy_zipf_count(knrng_reader *r, const knrng_number *a)
{
    double am1 = a[0].d - 1.0;
    if (!knrng_recall(&r->memo, 1, a))
        r->memo.v[0] = knrng_pow(2.0, am1);
    double b = r->memo.v[0];
    if (isinf(b)) /* no number would be accepted */
        return 1;
    for (;;) {
        double u = 1.0 - knrng_unit(r), v = knrng_unit(r), x = floor(knrng_pow(u, -1.0 / am1));
        if (x > 0x1p63 || x < 1.0)
            continue;
        double t = knrng_pow(1.0 + 1.0 / x, am1);
        if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
            return knx_to_i64(x);
    }
}

int64_t knrng_legacy_geometric_count(knrng_reader *r, const knrng_number *a)
{
    double p = a[0].d;
    if (p >= 0.333333333333333333333333)
        return knrng_geometric_search(r, p);
    if (!knrng_recall(&r->memo, 1, a))
        r->memo.v[0] = knrng_log(1 - p);
    return knx_to_i64(ceil(knrng_log1p(-knrng_unit(r)) / r->memo.v[0]));
}

int64_t knrng_legacy_logseries_count(knrng_reader *r, const knrng_number *a)
{
    double p = a[0].d;
    if (!knrng_recall(&r->memo, 1, a))
        r->memo.v[0] = knrng_log(1.0 - p);
    double log_q = r->memo.v[0];
    for (;;) {
        double v = knrng_unit(r);
        if (v >= p)
            return 1;
        double q = 1.0 - knrng_exp(log_q * knrng_unit(r));
        if (v > q * q)
            return v >= q ? 1 : 2;
        int64_t k = knx_to_i64(floor(1 + knrng_log(v) / knrng_log(q)));
        if (k >= 1 && v != 0.0)
            return k;
    }
}
