/* SPDX-License-Identifier: Apache-2.0
 * gamma.c -- gamma numbers (G. Marsaglia and W. W. Tsang; below shape 1 J. H. Ahrens and U. Dieter), and beta
 * numbers. */
#include "rng/functions.h"
#include "rng/reader.h"
#include <math.h>

static double small_gamma(knrng_reader *r, double shape)
{
    for (;;) {
        double u = knrng_unit(r), v = knrng_exponential(r);
        if (u <= 1.0 - shape) {
            double x = knrng_pow(u, 1. / shape);
            if (x <= v)
                return x;
        } else {
            double y = -knrng_log((1 - u) / shape);
            double x = knrng_pow(1.0 - shape + shape * y, 1. / shape);
            if (x <= v + y)
                return x;
        }
    }
}

double knrng_gamma(knrng_reader *r, double shape)
{
    if (shape == 1.0)
        return knrng_exponential(r);
    if (shape == 0.0 || isnan(shape))
        return shape;
    if (shape < 1.0)
        return small_gamma(r, shape);
    double b = shape - 1. / 3., c = 1. / sqrt(9 * b);
    for (;;) {
        double x, v;
        do {
            x = knrng_normal(r);
            v = 1.0 + c * x;
        } while (v <= 0.0);
        v = v * v * v;
        double u = knrng_unit(r);
        if (u < 1.0 - 0.0331 * (x * x) * (x * x) || knrng_log(u) < 0.5 * x * x + b * (1. - v + knrng_log(v)))
            return b * v;
    }
}

static float small_gamma32(knrng_reader *r, float shape)
{
    for (;;) {
        float u = knrng_unit32(r), v = knrng_exponential32(r);
        if (u <= 1.0f - shape) {
            float x = knrng_powf(u, 1.0f / shape);
            if (x <= v)
                return x;
        } else {
            float y = -knrng_logf((1.0f - u) / shape);
            float x = knrng_powf(1.0f - shape + shape * y, 1.0f / shape);
            if (x <= v + y)
                return x;
        }
    }
}

float knrng_gamma32(knrng_reader *r, float shape)
{
    if (shape == 1.0f)
        return knrng_exponential32(r);
    if (shape == 0.0f || isnan(shape))
        return shape;
    if (shape < 1.0f)
        return small_gamma32(r, shape);
    float b = shape - 1.0f / 3.0f, c = 1.0f / sqrtf(9.0f * b);
    for (;;) {
        float x, v;
        do {
            x = knrng_normal32(r);
            v = 1.0f + c * x;
        } while (v <= 0.0f);
        v = v * v * v;
        float u = knrng_unit32(r);
        if (u < 1.0f - 0.0331f * (x * x) * (x * x) || knrng_logf(u) < 0.5f * x * x + b * (1.0f - v + knrng_logf(v)))
            return b * v;
    }
}

/* M. D. Jöhnk's way for two small parameters, in logarithms where the powers are lost. */
static double small_beta(knrng_reader *r, double a, double b)
{
    if (a < 3e-103 && b < 3e-103) /* zero or one but for one time in 10^100 */
        return (a + b) * knrng_unit(r) < a;
    for (;;) {
        double u = knrng_unit(r), v = knrng_unit(r);
        double x = knrng_pow(u, 1.0 / a), y = knrng_pow(v, 1.0 / b), sum = x + y;
        if (!(sum <= 1.0 && u + v > 0.0))
            continue;
        if (x > 0 && y > 0)
            return x / sum;
        double log_x = knrng_log(u) / a, log_y = knrng_log(v) / b, delta = log_x - log_y;
        return delta > 0 ? knrng_exp(-knrng_log1p(knrng_exp(-delta)))
                         : knrng_exp(delta - knrng_log1p(knrng_exp(delta)));
    }
}

double knrng_beta(knrng_reader *r, double a, double b)
{
    if (a <= 1.0 && b <= 1.0)
        return small_beta(r, a, b);
    double x = knrng_gamma(r, a), y = knrng_gamma(r, b);
    return x / (x + y);
}

double knrng_chisquare(knrng_reader *r, double df) { return 2.0 * knrng_gamma(r, df / 2.0); }
