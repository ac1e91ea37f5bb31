/* SPDX-License-Identifier: Apache-2.0
 * reference_special.c -- special functions in long double, slowly, from their series. */
#include "cases.h"
#include <math.h>

#define PI 3.141592653589793238462643383279502884L

/* e^-|x| I(x) of order 0 or 1: the series in x^2 / 4, or the asymptotic one. */
static long double bessel(long double x, int order)
{
    long double a = fabsl(x), sum, term;
    if (isinf(x))
        return order ? copysignl(0, x) : 0;
    if (a < 50) {
        sum = term = order ? a / 2 : 1;
        for (int k = 1; k < 200; k++)
            sum += term *= a * a / 4 / ((long double)k * (k + order));
        sum *= expl(-a);
    } else {
        sum = term = 1;
        for (int k = 1; k < 30; k++)
            sum += term *= -(4.0L * order - (2.0L * k - 1) * (2 * k - 1)) / (8 * k) / a;
        sum /= sqrtl(2 * PI) * sqrtl(a);
    }
    return order ? copysignl(sum, x) : sum;
}

long double wide_i0e(long double x) { return bessel(x, 0); }
long double wide_i1e(long double x) { return bessel(x, 1); }

/* Moved up to 30 and more, then the asymptotic series; below 0 by reflection. */
long double wide_digamma(long double x)
{
    static const long double bernoulli[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                            1.0L / 132, -691.0L / 32760, 1.0L / 12};
    if (x == 0)
        return -1 / x;
    if (x < 0)
        return x == floorl(x) ? NAN : wide_digamma(1 - x) - PI / tanl(PI * (x - roundl(x)));
    long double below = 0, sum, power = 1;
    for (; x < 30; x++)
        below += 1 / x;
    sum = logl(x) - 1 / (2 * x);
    for (int k = 0; k < 7; k++)
        sum -= bernoulli[k] * (power /= x * x);
    return sum - below;
}
