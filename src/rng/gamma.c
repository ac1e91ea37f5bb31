/* SPDX-License-Identifier: Apache-2.0
 * gamma.c -- gamma numbers of the Generator, and beta numbers. */
#include "rng/functions.h"
#include "rng/reader.h"
#include <math.h>

#define T           double
#define F(name)     name
#define GAMMA       knrng_gamma
#define BELOW_ONE   small_gamma
#define UNIT        knrng_unit
#define EXPONENTIAL knrng_exponential
#define NORMAL      knrng_normal
#include "rng/gamma_loops.h"

#define T           float
#define F(name)     name##f
#define GAMMA       knrng_gamma32
#define BELOW_ONE   small_gamma32
#define UNIT        knrng_unit32
#define EXPONENTIAL knrng_exponential32
#define NORMAL      knrng_normal32
#include "rng/gamma_loops.h"

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
