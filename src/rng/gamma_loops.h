/* SPDX-License-Identifier: Apache-2.0
 * gamma_loops.h -- gamma numbers of one dtype T and of one kind of generator: GAMMA(r, shape) and its BELOW_ONE, by
 * UNIT, EXPONENTIAL and NORMAL, which draw, and F(name), the dtype's name of a function of C's (G. Marsaglia and
 * W. W. Tsang; below shape 1 J. H. Ahrens and U. Dieter). */

static T BELOW_ONE(knrng_reader *r, T shape)
{
    for (;;) {
        T u = UNIT(r), v = EXPONENTIAL(r);
        if (u <= 1 - shape) {
            T x = F(knrng_pow)(u, 1 / shape);
            if (x <= v)
                return x;
        } else {
            T y = -F(knrng_log)((1 - u) / shape);
            T x = F(knrng_pow)(1 - shape + shape * y, 1 / shape);
            if (x <= v + y)
                return x;
        }
    }
}

T GAMMA(knrng_reader *r, T shape)
{
    if (shape == 1)
        return EXPONENTIAL(r);
    if (shape == 0 || isnan(shape))
        return shape;
    if (shape < 1)
        return BELOW_ONE(r, shape);
    T b = shape - (T)1 / 3, c = 1 / F(sqrt)(9 * b);
    for (;;) {
        T x, v;
        do {
            x = NORMAL(r);
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        T u = UNIT(r);
        if (u < 1 - (T)0.0331 * (x * x) * (x * x) || F(knrng_log)(u) < (T)0.5 * x * x + b * (1 - v + F(knrng_log)(v)))
            return b * v;
    }
}
#undef T
#undef F
#undef GAMMA
#undef BELOW_ONE
#undef UNIT
#undef EXPONENTIAL
#undef NORMAL
