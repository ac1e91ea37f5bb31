/* SPDX-License-Identifier: Apache-2.0
 * binomial.c -- binomial numbers: V. Kachitvichyanukul and B. W. Schmeiser's algorithm BTPE where n p is large, a
 * search elsewhere. What depends on n and p alone is kept from one number to the next. */
#include "rng/continuous.h"
#include "rng/functions.h"
#include <math.h>

static bool known(const knrng_binomial *b, int64_t n, double p) { return b->known && b->n == n && b->p == p; }

static void prepare(knrng_binomial *b, int64_t n, double p)
{
    double count = (double)n, r = p < 1.0 - p ? p : 1.0 - p, q = 1.0 - r;
    b->known = true;
    b->n = n;
    b->p = p;
    b->r = r;
    b->q = q;
    b->log_q = NAN; /* not computed */
    b->fm = count * r + r;
    b->m = (int64_t)floor(b->fm);
    b->p1 = floor(2.195 * sqrt(count * r * q) - 4.6 * q) + 0.5;
    b->xm = (double)b->m + 0.5;
    b->xl = b->xm - b->p1;
    b->xr = b->xm + b->p1;
    b->c = 0.134 + 20.5 / (15.3 + (double)b->m);
    double a = (b->fm - b->xl) / (b->fm - b->xl * r);
    b->laml = a * (1.0 + a / 2.0);
    a = (b->xr - b->fm) / (b->xr * q);
    b->lamr = a * (1.0 + a / 2.0);
    b->p2 = b->p1 * (1.0 + 2.0 * b->c);
    b->p3 = b->p2 + b->c / b->laml;
    b->p4 = b->p3 + b->c / b->lamr;
}

/* A proposal: a triangle, two parallelograms, two exponential tails. *sure: it is accepted (the triangle). False:
 * draw again. */
static bool propose(knrng_reader *reader, const knrng_binomial *b, int64_t n, double *v, int64_t *y, bool *sure)
{
    double u = knrng_unit(reader) * b->p4;
    *v = knrng_unit(reader);
    *sure = u <= b->p1;
    if (*sure) {
        *y = (int64_t)floor(b->xm - b->p1 * *v + u);
        return true;
    }
    if (u <= b->p2) {
        double x = b->xl + (u - b->p1) / b->c;
        *v = *v * b->c + 1.0 - fabs((double)b->m - x + 0.5) / b->p1;
        *y = (int64_t)floor(x);
        return !(*v > 1.0);
    }
    bool left = u <= b->p3;
    double x = left ? b->xl + knrng_log(*v) / b->laml : b->xr - knrng_log(*v) / b->lamr;
    *y = knx_to_i64(floor(x));
    if (*v == 0.0 || (left ? *y < 0 : *y > n))
        return false;
    *v = left ? *v * (u - b->p2) * b->laml : *v * (u - b->p3) * b->lamr;
    return true;
}

/* A term of Stirling's series with NumPy's coefficients (13680 and the signs are those of the paper and of NumPy
 * 2.4). */
static double correction(double x)
{
    double s = x * x;
    return (13680. - (462. - (132. - (99. - 140. / s) / s) / s) / s) / x / 166320.;
}

static bool accept(const knrng_binomial *b, int64_t n, int64_t y, double v)
{
    double r = b->r, q = b->q, spread = (double)n * r * q;
    int64_t k = y > b->m ? y - b->m : b->m - y, m = b->m;
    if (!(k > 20 && (double)k < spread / 2.0 - 1)) { /* the ratio of probabilities, step by step */
        double s = r / q, a = s * (double)(n + 1), f = 1.0;
        for (int64_t i = m + 1; i <= y; i++)
            f *= a / (double)i - s;
        for (int64_t i = y + 1; i <= m; i++)
            f /= a / (double)i - s;
        return !(v > f);
    }
    double d = (double)k;
    double rho = d / spread * ((d * (d / 3.0 + 0.625) + 0.16666666666666666) / spread + 0.5);
    double t = (double)(-k * k) / (2 * spread), log_v = knrng_log(v);
    if (log_v < t - rho)
        return true;
    if (log_v > t + rho)
        return false;
    double x1 = (double)y + 1, f1 = (double)m + 1, z = (double)n + 1 - (double)m, w = (double)n - (double)y + 1;
    double bound = b->xm * knrng_log(f1 / x1) + ((double)(n - m) + 0.5) * knrng_log(z / w) +
                   (double)(y - m) * knrng_log(w * r / (x1 * q)) + correction(f1) + correction(z) + correction(x1) +
                   correction(w);
    return !(log_v > bound);
}

static int64_t by_rejection(knrng_reader *reader, knrng_binomial *b, int64_t n, double p)
{
    if (!known(b, n, p))
        prepare(b, n, p);
    double v;
    int64_t y;
    bool sure;
    while (!propose(reader, b, n, &v, &y, &sure) || !(sure || accept(b, n, y, v)))
        ;
    return p > 0.5 ? n - y : y;
}

/* The first x for which the sum of probabilities exceeds a uniform number. */
static int64_t by_search(knrng_reader *reader, knrng_binomial *b, int64_t n, double p, bool legacy)
{
    double count = (double)n;
    if (!known(b, n, p)) {
        double q = 1.0 - p, np = count * p, most = np + 10.0 * sqrt(np * q + 1);
        if (!(b->p == p) || isnan(b->log_q))
            b->log_q = legacy ? knrng_log(q) : knrng_log1p(-p);
        b->known = true;
        b->n = n;
        b->p = p;
        b->q = q;
        b->r = knrng_exp(count * b->log_q);
        b->m = (int64_t)(count < most ? count : most);
    }
    double px = b->r, u = knrng_unit(reader);
    int64_t x = 0;
    while (u > px) {
        if (++x > b->m) {
            x = 0;
            px = b->r;
            u = knrng_unit(reader);
        } else {
            u -= px;
            px = ((double)(n - x + 1) * p * px) / ((double)x * b->q);
        }
    }
    return x;
}

static int64_t binomial(knrng_reader *r, knrng_binomial *b, int64_t n, double p, bool legacy)
{
    double least = p <= 0.5 ? p : 1.0 - p;
    int64_t y = least * (double)n <= 30.0 ? by_search(r, b, n, least, legacy) : by_rejection(r, b, n, least);
    return p <= 0.5 ? y : n - y;
}

int64_t knrng_binomial_of(knrng_reader *r, knrng_binomial *b, int64_t n, double p)
{
    return n == 0 || p == 0.0 ? 0 : binomial(r, b, n, p, false);
}

int64_t knrng_binomial_count(knrng_reader *r, const knrng_number *a)
{
    return knrng_binomial_of(r, &r->binomial, a[0].i, a[1].d);
}

int64_t knrng_legacy_binomial_count(knrng_reader *r, const knrng_number *a)
{
    return binomial(r, &r->binomial, a[0].i, a[1].d, true);
}
