/* SPDX-License-Identifier: Apache-2.0
 * discrete.c -- Poisson, geometric, Zipf and logarithmic numbers, and the logarithm of the gamma function that
 * they use. */
#include "rng/continuous.h"
#include "rng/functions.h"
#include <math.h>

#define INT64_END 9.223372036854775808e18 /* 2^63 */

/* S. Zhang and J. Jin's series, from 7 on; below, by the recurrence. */
double knrng_log_gamma(double x)
{
    static const double term[10] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                    -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                    6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                    -1.39243221690590e+00};
    if (x == 1.0 || x == 2.0)
        return 0.0;
    int64_t n = x < 7.0 ? (int64_t)(7 - x) : 0;
    double at = x + (double)n, inverse_square = (1.0 / at) * (1.0 / at), sum = term[9];
    for (int k = 8; k >= 0; k--)
        sum = sum * inverse_square + term[k];
    double value = sum / at + 0.5 * 1.8378770664093453e+00 + (at - 0.5) * knrng_log(at) - at;
    for (int64_t k = 0; k < n; k++) {
        value -= knrng_log(at - 1.0);
        at -= 1.0;
    }
    return value;
}

/* ---- Poisson numbers: products of uniform ones below 10, W. Hörmann's transformed rejection from there on. */

static int64_t poisson_by_products(knrng_reader *r, double least)
{
    double product = 1.0;
    for (int64_t k = 0;; k++) {
        product *= knrng_unit(r);
        if (!(product > least))
            return k;
    }
}

enum { RATE_B, RATE_A, RATE_LOG_ALPHA, RATE_VR, RATE_LOG, RATE_VALUES };
_Static_assert((int)RATE_VALUES <= (int)KNRNG_MEMO_VALUES, "a memo has room");

static int64_t poisson_by_rejection(knrng_reader *r, double rate, knrng_memo *m)
{
    const double *of_rate = m->v;
    double b = of_rate[RATE_B], a = of_rate[RATE_A];
    for (;;) {
        double u = knrng_unit(r) - 0.5, v = knrng_unit(r), us = 0.5 - fabs(u);
        double place = floor((2 * a / us + b) * u + rate + 0.43);
        int64_t k = knx_to_i64(place);
        if (us >= 0.07 && v <= of_rate[RATE_VR])
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (isnan(m->v[RATE_LOG])) { /* one in ten numbers needs them */
            m->v[RATE_LOG_ALPHA] = knrng_log(1.1239 + 1.1328 / (b - 3.4));
            m->v[RATE_LOG] = knrng_log(rate);
        }
        if (knrng_log(v) + of_rate[RATE_LOG_ALPHA] - knrng_log(a / (us * us) + b) <=
            -rate + (double)k * of_rate[RATE_LOG] - knrng_log_gamma((double)k + 1))
            return k;
    }
}

int64_t knrng_poisson(knrng_reader *r, double rate)
{
    knrng_memo *m = &r->rate;
    knrng_number a = {.d = rate};
    if (!knrng_recall(m, 1, &a)) {
        double b = 0.931 + 2.53 * sqrt(rate);
        if (rate < 10)
            m->v[0] = knrng_exp(-rate);
        else {
            m->v[RATE_B] = b;
            m->v[RATE_A] = -0.059 + 0.02483 * b;
            m->v[RATE_VR] = 0.9277 - 3.6224 / (b - 2);
            m->v[RATE_LOG] = NAN; /* not computed */
        }
    }
    return rate >= 10 ? poisson_by_rejection(r, rate, m) : rate == 0 ? 0 : poisson_by_products(r, m->v[0]);
}

int64_t knrng_poisson_count(knrng_reader *r, const knrng_number *a) { return knrng_poisson(r, a[0].d); }

int64_t knrng_negative_binomial_count(knrng_reader *r, const knrng_number *a)
{
    double n = a[0].d, p = a[1].d, y = (1 - p) / p * knrng_gamma(r, n);
    return knrng_poisson(r, y);
}

/* ---- Geometric numbers: a search where p is large, the inverse of the distribution elsewhere. */

int64_t knrng_geometric_search(knrng_reader *r, double p)
{
    double sum = p, product = p, q = 1.0 - p, u = knrng_unit(r);
    int64_t k = 1;
    for (; u > sum && product > 0; k++) {
        product *= q;
        sum += product;
    }
    return k;
}

int64_t knrng_geometric_count(knrng_reader *r, const knrng_number *a)
{
    double p = a[0].d;
    if (p >= 0.333333333333333333333333)
        return knrng_geometric_search(r, p);
    if (!knrng_recall(&r->memo, 1, a))
        r->memo.v[0] = knrng_log1p(-p);
    double z = ceil(-knrng_exponential(r) / r->memo.v[0]);
    return z >= INT64_END ? INT64_MAX : knx_to_i64(z);
}

/* ---- Zipf's distribution, by L. Devroye's rejection; as if it ended at the largest integer. */

int64_t knrng_zipf_count(knrng_reader *r, const knrng_number *a)
{
    if (a[0].d >= 1025) /* anything above 1 comes once in 10^308 times */
        return 1;
    double am1 = a[0].d - 1.0;
    if (!knrng_recall(&r->memo, 1, a)) {
        r->memo.v[0] = knrng_pow(2.0, am1);
        r->memo.v[1] = knrng_pow(INT64_END, -am1);
    }
    double b = r->memo.v[0], least = r->memo.v[1];
    for (;;) {
        double u = knrng_unit(r);
        u = u * least + (1 - u);
        double v = knrng_unit(r), x = floor(knrng_pow(u, -1.0 / am1));
        if (x > INT64_END || x < 1.0)
            continue;
        double t = knrng_pow(1.0 + 1.0 / x, am1);
        if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
            return knx_to_i64(x);
    }
}

/* ---- The logarithmic distribution, by A. W. Kemp's way. */

int64_t knrng_logseries_count(knrng_reader *r, const knrng_number *a)
{
    double p = a[0].d;
    if (!knrng_recall(&r->memo, 1, a))
        r->memo.v[0] = knrng_log1p(-p);
    double log_q = r->memo.v[0];
    for (;;) {
        double v = knrng_unit(r);
        if (v >= p)
            return 1;
        double q = -knrng_expm1(log_q * knrng_unit(r));
        if (v > q * q)
            return v >= q ? 1 : 2;
        int64_t k = knx_to_i64(floor(1 + knrng_log(v) / knrng_log(q)));
        if (k >= 1 && v != 0.0)
            return k;
    }
}
