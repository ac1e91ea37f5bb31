/* SPDX-License-Identifier: Apache-2.0
 * hypergeometric.c -- hypergeometric numbers: E. Stadlober's algorithm HRUA, or one draw after the other. */
#include "rng/continuous.h"
#include "rng/functions.h"
#include "rng/tables.h"
#include <math.h>

#define D1 1.7155277699214135 /* 2 sqrt(2/e) */
#define D2 0.8989161620588988 /* 3 - 2 sqrt(3/e) */

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* log(k!): a table, then Stirling's series. */
static double log_factorial(int64_t k)
{
    if (k < KNRNG_LOG_FACTORIALS)
        return knrng_log_factorials[k];
    double x = (double)k;
    return (x + 0.5) * knrng_log(x) - x + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

/* RandomState has the logarithm of the gamma function here. */
static double log_factorial_of(int64_t k, bool legacy)
{
    return legacy ? knrng_log_gamma((double)(k + 1)) : log_factorial(k);
}

typedef struct urn {
    int64_t few, many, all, drawn; /* drawn: at most half of all */
    bool legacy;
} urn;

static double log_weight(const urn *u, int64_t k)
{
    return log_factorial_of(k, u->legacy) + log_factorial_of(u->few - k, u->legacy) +
           log_factorial_of(u->drawn - k, u->legacy) + log_factorial_of(u->many - u->drawn + k, u->legacy);
}

enum { URN_A, URN_H, URN_G, URN_BOUND };

static void prepare(const urn *w, int64_t sample, double *v)
{
    int64_t all = w->all;
    double few = (double)w->few, size = (double)all, drawn = (double)w->drawn;
    double p = few / size, q = w->legacy ? 1.0 - p : (double)w->many / size;
    double a = drawn * p + 0.5;
    double c = sqrt((double)(all - w->drawn) * (w->legacy ? (double)sample : drawn) * p * q / (double)(all - 1) + 0.5);
    int64_t m = (int64_t)floor((double)(w->drawn + 1) * (double)(w->few + 1) / (double)(all + 2));
    double far = floor(a + 16 * c), end = (double)(least_of(w->drawn, w->few) + 1);
    v[URN_A] = a;
    v[URN_H] = D1 * c + D2;
    v[URN_G] = log_weight(w, m);
    v[URN_BOUND] = end < far ? end : far;
}

static int64_t by_ratio(knrng_reader *r, int64_t good, int64_t bad, int64_t sample, bool legacy)
{
    int64_t all = good + bad, k;
    urn w = {least_of(good, bad), most_of(good, bad), all, least_of(sample, all - sample), legacy};
    if (!knrng_recall(&r->memo, 3, (const knrng_number[]){{.i = good}, {.i = bad}, {.i = sample}}))
        prepare(&w, sample, r->memo.v);
    double a = r->memo.v[URN_A], h = r->memo.v[URN_H], g = r->memo.v[URN_G], bound = r->memo.v[URN_BOUND];
    for (;;) {
        double u = knrng_unit(r), v = knrng_unit(r), x = a + h * (v - 0.5) / u;
        if (x < 0.0 || x >= bound)
            continue;
        k = knx_to_i64(floor(x));
        double t = g - log_weight(&w, k);
        if (u * (4.0 - u) - 3.0 <= t)
            break;
        if (u * (u - t) >= 1)
            continue;
        if (2.0 * knrng_log(u) <= t)
            break;
    }
    if (good > bad)
        k = w.drawn - k;
    return w.drawn < sample ? good - k : k;
}

static int64_t one_by_one(knrng_reader *r, int64_t good, int64_t bad, int64_t sample)
{
    int64_t all = good + bad, left = sample > all / 2 ? all - sample : sample, good_left = good;
    while (left > 0 && good_left > 0 && all > good_left) {
        all--;
        if ((int64_t)knrng_interval(r, (uint64_t)all) < good_left)
            good_left--;
        left--;
    }
    if (all == good_left) /* nothing else is left */
        good_left -= left;
    return sample > (good + bad) / 2 ? good_left : good - good_left;
}

int64_t knrng_hypergeometric(knrng_reader *r, int64_t good, int64_t bad, int64_t sample)
{
    return sample >= 10 && sample <= good + bad - 10 ? by_ratio(r, good, bad, sample, false)
                                                     : one_by_one(r, good, bad, sample);
}

int64_t knrng_hypergeometric_count(knrng_reader *r, const knrng_number *a)
{
    return knrng_hypergeometric(r, a[0].i, a[1].i, a[2].i);
}

/* ---- RandomState. */

static int64_t legacy_one_by_one(knrng_reader *r, int64_t good, int64_t bad, int64_t sample)
{
    int64_t others = bad + good - sample, k = sample;
    double few = (double)least_of(bad, good), y = few;
    while (y > 0.0) {
        double u = knrng_unit(r);
        y -= (double)knx_to_i64(floor(u + y / (double)(others + k)));
        if (--k == 0)
            break;
    }
    int64_t z = knx_to_i64(few - y);
    return good > bad ? sample - z : z;
}

int64_t knrng_legacy_hypergeometric_count(knrng_reader *r, const knrng_number *a)
{
    int64_t good = a[0].i, bad = a[1].i, sample = a[2].i;
    return sample > 10  ? by_ratio(r, good, bad, sample, true)
           : sample > 0 ? legacy_one_by_one(r, good, bad, sample)
                        : 0;
}
