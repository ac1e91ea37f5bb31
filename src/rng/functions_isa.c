/* SPDX-License-Identifier: Apache-2.0
 * functions_isa.c -- exp, expm1, log, pow, cos, acos of one number.
 *
 * exp, log and pow go the ways of S. Nagy's functions in Arm's optimized routines and in glibc: a table and a
 * polynomial, with the roundings in the same places; log1p and expm1 those of W. Kahan and K. C. Ng (fdlibm).
 * Their results are a half and some hundredths of a unit in the last place away at most, so nearly all are those
 * of correct rounding, and all are those that NumPy has. */
#include "base/fma.h"
#include "base/half.h"
#include "base/isa_name.h"
#include "rng/function_tables.h"
#include "rng/functions.h"
#include <math.h>
#include <string.h>

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ---- exp(x + tail), |x| below 1024. */

static inline double scaled(double tmp, uint64_t sbits, uint64_t k)
{
    if (!(k & 0x80000000)) { /* the scale itself might overflow */
        double scale = double_of(sbits - (1009ull << 52));
        return 0x1p1009 * knx_fma(scale, tmp, scale);
    }
    double scale = double_of(sbits + (1022ull << 52)), more = scale * tmp, y = scale + more;
    if (y < 1.0) { /* a subnormal result is rounded once */
        double low = scale - y + more, high = 1.0 + y;
        low = 1.0 - high + y + low;
        y = (high + low) - 1.0;
    }
    return 0x1p-1022 * y;
}

static inline double exp_of(double x, double tail)
{
    unsigned exponent = bits_of(x) >> 52 & 0x7ff;
    if (exponent < 0x3c9) /* below 2^-54 */
        return 1.0 + x;
    double shifted = knx_fma(0x1.71547652b82fep0 * 128, x, 0x1.8p52);
    uint64_t k = bits_of(shifted);
    double n = shifted - 0x1.8p52;
    double r = knx_fma(n, -0x1.cf79abc9e3b3ap-47, knx_fma(n, -0x1.62e42fefa0000p-8, x)) + tail;
    const knrng_power_of_two *t = &knrng_powers_of_two[k % 128];
    uint64_t sbits = t->bits + (k << 45);
    double r2 = r * r, low = knx_fma(r, 0x1.555555555543cp-3, 0x1.ffffffffffdbdp-2);
    double high = knx_fma(r, 0x1.1111167a4d017p-7, 0x1.55555cf172b91p-5);
    double tmp = knx_fma(r2 * r2, high, knx_fma(r2, low, t->tail + r));
    if (exponent >= 0x408) /* from 512 on */
        return scaled(tmp, sbits, k);
    double scale = double_of(sbits);
    return knx_fma(scale, tmp, scale);
}

static double exp_(double x)
{
    if (!(fabs(x) < 1024))
        return isnan(x) ? x : x > 0 ? INFINITY : 0;
    return exp_of(x, 0);
}

/* ---- Logarithms. */

/* Between 1 - 2^-4 and 1 + 1.035 2^-4 */
static inline double log_near_one(double x)
{
    double r = x - 1.0, r2 = r * r, r3 = r * r2;
    double third = knx_fma(r3, -0x1.5521375d145cdp-4,
                           knx_fma(r2, 0x1.78182f7afd085p-4, knx_fma(r, -0x1.999eb43b068ffp-4, 0x1.c7184282ad6cap-4)));
    double second =
        knx_fma(r3, third, knx_fma(r2, -0x1.fffffa4423d65p-4, knx_fma(r, 0x1.24924a344de3p-3, -0x1.55555556745a7p-3)));
    double first =
        knx_fma(r3, second, knx_fma(r2, 0x1.999999995dd0cp-3, knx_fma(r, -0x1.ffffffffffdcbp-3, 0x1.5555555555577p-2)));
    double high_r = knx_fma(r, 0x1p27, r) - r * 0x1p27, low_r = r - high_r, w = high_r * high_r * -0.5;
    double high = r + w, low = r - high + w;
    low = knx_fma(-0.5 * low_r, high_r + r, low);
    return knx_fma(r3, first, low) + high;
}

static double log_(double x)
{
    uint64_t ix = bits_of(x);
    if (ix - bits_of(1.0 - 0x1p-4) < bits_of(1.0 + 0x1.09p-4) - bits_of(1.0 - 0x1p-4))
        return x == 1.0 ? 0.0 : log_near_one(x);
    if (!(x >= 0x1p-1022 && x < INFINITY)) {
        if (!(x > 0) || x == INFINITY)
            return x == 0 ? -INFINITY : x < 0 ? NAN : x;
        ix = bits_of(x * 0x1p52) - (52ull << 52);
    }
    uint64_t part = ix - 0x3fe6000000000000u;
    const knrng_near_log *t = &knrng_near_logs[part >> 45 & 127];
    double k = (double)((int64_t)part >> 52), z = double_of(ix - (part & 0xfffull << 52));
    double r = knx_fma(z, t->inverse, -1.0), w = knx_fma(k, 0x1.62e42fefa3800p-1, t->log), high = w + r;
    double low = knx_fma(k, 0x1.ef35793c76730p-45, w - high + r), r2 = r * r;
    double p = knx_fma(r2, knx_fma(r, -0x1.55575e506c89fp-3, 0x1.999b324f10111p-3),
                       knx_fma(r, -0x1.fffffffeb459p-3, 0x1.555555551305bp-2));
    return knx_fma(r * r2, p, knx_fma(r2, -0x1.0000000000001p-1, low)) + high;
}

/* With about 68 bits. */
static inline double log_with_tail(uint64_t ix, double *tail)
{
    uint64_t part = ix - 0x3fe6955500000000u;
    const knrng_close_log *t = &knrng_close_logs[part >> 45 & 127];
    double k = (double)((int64_t)part >> 52), z = double_of(ix - (part & 0xfffull << 52));
    double r = knx_fma(z, t->inverse, -1.0), t1 = knx_fma(k, 0x1.62e42fefa3800p-1, t->log), t2 = t1 + r;
    double low1 = knx_fma(k, 0x1.ef35793c76730p-45, t->tail), low2 = t1 - t2 + r;
    double ar = -0.5 * r, ar2 = r * ar, ar3 = r * ar2, high = t2 + ar2;
    double low3 = knx_fma(ar, r, -ar2), low4 = t2 - high + ar2;
    double inner = knx_fma(ar2, knx_fma(r, -0x1.0002b8b263fc3p-3 * -8, 0x1.2495b9b4845e9p-3 * -8),
                           knx_fma(r, -0x1.555555529a47ap-3 * 4, 0x1.999999959554ep-3 * 4));
    double p = ar3 * knx_fma(ar2, inner, knx_fma(r, -0x1.0000000000006p-2 * -2, 0x1.555555555556p-2 * -2));
    double low = low1 + low2 + low3 + low4 + p, y = high + low;
    *tail = high - y + low;
    return y;
}

static double pow_special(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y) || x < 0)
        return NAN;
    bool grows = isinf(y) ? (x > 1) == (y > 0) : (x > 0) == (y > 0);
    return grows ? INFINITY : 0;
}

static double pow_(double x, double y)
{
    uint64_t ix = bits_of(x), exponent = bits_of(y) >> 52 & 0x7ff;
    if (!(x > 0 && x < INFINITY) || !(y < INFINITY && y > -INFINITY) || y == 0)
        return pow_special(x, y);
    if (x < 0x1p-1022)
        ix = bits_of(x * 0x1p52) - (52ull << 52);
    if (exponent - 0x3be >= 0x43e - 0x3be) { /* |y| beyond 2^63 or below 2^-65 */
        if (ix == bits_of(1.0))
            return 1;
        if (exponent < 0x3be)
            return 1;
        return (x > 1) == (y > 0) ? INFINITY : 0;
    }
    double tail, log_x = log_with_tail(ix, &tail), high = y * log_x, low = knx_fma(y, tail, knx_fma(y, log_x, -high));
    if (!(fabs(high) < 1024))
        return high > 0 ? INFINITY : 0;
    return exp_of(high, low);
}

/* ---- log1p and expm1. */

static double log1p_(double x)
{
    static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    static const double p[8] = {0,
                                6.666666666666735130e-01,
                                3.999999999940941908e-01,
                                2.857142874366239149e-01,
                                2.222219843214978396e-01,
                                1.818357216161805012e-01,
                                1.531383769920937332e-01,
                                1.479819860511658591e-01};
    uint64_t bits = bits_of(x);
    int32_t top = (int32_t)(bits >> 32), magnitude = top & 0x7fffffff, k = 1, hu = 1;
    double f = x, c = 0;
    if (!(x > -1))
        return x == -1 ? -INFINITY : NAN;
    if (x == INFINITY)
        return x;
    if (magnitude < 0x3e200000) /* 2^-29 */
        return magnitude < 0x3c900000 ? x : knx_fma(-(x * x), 0.5, x);
    if (top < 0x3fda827a && (top > 0 || top <= (int32_t)0xbfd2bec3)) /* between -0.2929 and 0.41422 */
        k = 0;
    if (k) {
        double u = top < 0x43400000 ? 1.0 + x : x;
        bits = bits_of(u);
        hu = (int32_t)(bits >> 32);
        k = (hu >> 20) - 1023;
        if (top < 0x43400000)
            c = (k > 0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
        hu &= 0x000fffff;
        bool below = hu < 0x6a09e; /* the root of 2 */
        bits = (bits & 0xffffffff) | (uint64_t)(uint32_t)(hu | (below ? 0x3ff00000 : 0x3fe00000)) << 32;
        k += !below;
        hu = below ? hu : (0x00100000 - hu) >> 2;
        f = double_of(bits) - 1.0;
    }
    double half = 0.5 * f * f, n = k;
    if (hu == 0) { /* |f| below 2^-20 */
        if (f == 0)
            return k == 0 ? 0 : knx_fma(n, ln2_high, knx_fma(n, ln2_low, c));
        double r = half * knx_fma(-0.66666666666666666, f, 1.0);
        return k == 0 ? f - r : knx_fma(n, ln2_high, -((r - knx_fma(n, ln2_low, c)) - f));
    }
    double s = f / (2.0 + f), z = s * s, z2 = z * z, z4 = z2 * z2, z6 = z4 * z2;
    double r = knx_fma(z, p[1], z2 * knx_fma(z, p[3], p[2]));
    r = knx_fma(z6, knx_fma(z, p[7], p[6]), knx_fma(z4, knx_fma(z, p[5], p[4]), r));
    double product = s * (half + r);
    if (k == 0)
        return f - (half - product);
    return knx_fma(n, ln2_high, -((half - (product + knx_fma(n, ln2_low, c))) - f));
}

static double expm1_(double x)
{
    static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    uint32_t top = (uint32_t)(bits_of(x) >> 32) & 0x7fffffff;
    double c = 0;
    int k = 0;
    if (isnan(x) || x > 7.09782712893383973096e+02)
        return isnan(x) ? x : INFINITY;
    if (top >= 0x4043687a && x < 0) /* 56 log 2 */
        return -1.0;
    if (top > 0x3fd62e42) { /* half of log 2 */
        double high, low;
        if (top < 0x3ff0a2b2) {
            k = x > 0 ? 1 : -1;
            high = x - k * ln2_high;
            low = k * ln2_low;
        } else {
            k = (int)knx_fma(1.44269504088896338700e+00, x, x < 0 ? -0.5 : 0.5);
            high = knx_fma(-k, ln2_high, x);
            low = k * ln2_low;
        }
        x = high - low;
        c = (high - x) - low;
    } else if (top < 0x3c900000) {
        return x;
    }
    double half = 0.5 * x, square = x * half, h2 = square * square;
    double r1 = knx_fma(square, -3.33333333333331316428e-02, 1.0),
           r2 = knx_fma(square, -7.93650757867487942473e-05, 1.58730158725481460165e-03);
    double r3 = knx_fma(square, -2.01099218183624371326e-07, 4.00821782732936239552e-06);
    r1 = knx_fma(h2 * h2, r3, knx_fma(h2, r2, r1));
    double t = knx_fma(-r1, half, 3.0), e = square * ((r1 - t) / knx_fma(-x, t, 6.0));
    if (k == 0)
        return x - knx_fma(x, e, -square);
    e = knx_fma(x, e - c, -c) - square;
    if (k == -1)
        return 0.5 * (x - e) - 0.5;
    if (k == 1)
        return x < -0.25 ? -2.0 * (e - (x + 0.5)) : 1.0 + 2.0 * (x - e);
    if (k <= -2 || k > 56) {
        double y = 1.0 - (e - x);
        return (k == 1024 ? y * 2 * 0x1p1023 : double_of(bits_of(y) + ((uint64_t)k << 52))) - 1.0;
    }
    double y = k < 20 ? double_of((0x3ff00000ull - (0x200000 >> k)) << 32) - (e - x)
                      : (x - (e + double_of((uint64_t)(0x3ff - k) << 52))) + 1.0;
    return double_of(bits_of(y) + ((uint64_t)k << 52));
}

/* ---- Float32. */

/* 2^(k/32 + f/32), k from its last bits. */
static inline double power32(uint64_t k, double f, double c0, double c1, double c2)
{
    double scale = double_of(knrng_powers_of_two32[k % 32] + (k << 47));
    return knx_fma(knx_fma(c0, f, c1), f * f, knx_fma(c2, f, 1)) * scale;
}

static float expf_(float x)
{
    static const double factor = 0x1.71547652b82fep+0 * 32;
    if (!(fabsf(x) < 150))
        return isnan(x) ? x : x > 0 ? INFINITY : 0;
    double shifted = knx_fma(factor, (double)x, 0x1.8p52);
    return (float)power32(bits_of(shifted), knx_fma(factor, (double)x, -(shifted - 0x1.8p52)),
                          0x1.c6af84b912394p-5 / 32768, 0x1.ebfce50fac4f3p-3 / 1024, 0x1.62e42ff0c52d6p-1 / 32);
}

static float logf_(float x)
{
    uint32_t ix = knx_f32_bits(x);
    if (!(x >= 0x1p-126f && x < INFINITY)) {
        if (!(x > 0) || x == INFINITY)
            return x == 0 ? -INFINITY : x < 0 ? NAN : x;
        ix = knx_f32_bits(x * 0x1p23f) - (23u << 23);
    }
    uint32_t part = ix - 0x3f330000;
    const knrng_near_log *t = &knrng_near_logs32[part >> 19 & 15];
    double z = knx_f32_from_bits(ix - (part & 0xff800000)), r = knx_fma(z, t->inverse, -1);
    double y0 = knx_fma((double)((int32_t)part >> 23), 0x1.62e42fefa39efp-1, t->log), r2 = r * r;
    double y = knx_fma(-0x1.00ea348b88334p-2, r2, knx_fma(0x1.5575b0be00b6ap-2, r, -0x1.ffffef20a4123p-2));
    return (float)knx_fma(y, r2, y0 + r);
}

static float powf_(float x, float y)
{
    uint32_t ix = knx_f32_bits(x);
    if (!(x > 0 && x < INFINITY) || !(y < INFINITY && y > -INFINITY) || y == 0)
        return (float)pow_special(x, y);
    if (x < 0x1p-126f)
        ix = knx_f32_bits(x * 0x1p23f) - (23u << 23);
    uint32_t part = ix - 0x3f330000;
    const knrng_near_log *t = &knrng_near_binary_logs32[part >> 19 & 15];
    double z = knx_f32_from_bits(ix - (part & 0xff800000)), r = knx_fma(z, t->inverse, -1),
           y0 = t->log + (double)((int32_t)part >> 23);
    double r2 = r * r, a = knx_fma(0x1.27616c9496e0bp-2, r, -0x1.71969a075c67ap-2),
           p = knx_fma(0x1.ec70a6ca7baddp-2, r, -0x1.7154748bef6c8p-1);
    double log2 = knx_fma(a, r2 * r2, knx_fma(p, r2, knx_fma(0x1.71547652ab82bp0, r, y0))), product = (double)y * log2;
    if (!(fabs(product) < 150))
        return product > 0 ? INFINITY : 0;
    double shifted = product + 0x1.8p52 / 32;
    return (float)power32(bits_of(shifted), product - (shifted - 0x1.8p52 / 32), 0x1.c6af84b912394p-5,
                          0x1.ebfce50fac4f3p-3, 0x1.62e42ff0c52d6p-1);
}

/* ---- Cosine, as the IBM Accurate Mathematical Library has it in glibc: cosine and sine at a multiple of 1/128, and
 * short series of what is left. */

/* Where a number lies: the multiple, and the rest. */
static inline const knrng_sine *sine_at(double x, double *rest)
{
    double shifted = fabs(x) + 0x1.8p45;
    *rest = fabs(x) - (shifted - 0x1.8p45);
    return &knrng_sines[(uint32_t)bits_of(shifted)];
}

static inline double less_one(double square) /* 1 - cos */
{
    return square *
           knx_fma(square,
                   knx_fma(square, 1.38888874007937613028114285595617E-03, -4.16666666666664434524222570944589E-02),
                   0.5);
}

static inline double cube_of_sine(double square)
{
    return knx_fma(square, 8.33333214285722277379541354343671E-03, -1.66666666666664880952546298448555E-01);
}

static double cos_near(double x, double tail)
{
    double r;
    const knrng_sine *t = sine_at(x, &r);
    r += x < 0 ? -tail : tail;
    double square = r * r, s = knx_fma(r * square, cube_of_sine(square), r);
    return t->cosine +
           knx_fma(-t->sine, s, knx_fma(-t->cosine, less_one(square), knx_fma(-s, t->sine_tail, t->cosine_tail)));
}

static double sin_near(double x, double tail)
{
    if (fabs(x) < 0.126) {
        double z = x * x, p = knx_fma(z, -0x1.addffc2fcdf59p-26, 0x1.71de27b9a7ed9p-19);
        p = knx_fma(knx_fma(knx_fma(p, z, -0x1.a01a019db08b8p-13), z, 0x1.1111111110ecep-7), z, -0x1.5555555555555p-3);
        return x + knx_fma(knx_fma(p, x, -(0.5 * tail)), z, tail);
    }
    double r;
    const knrng_sine *t = sine_at(x, &r);
    tail = x <= 0 ? -tail : tail;
    double square = r * r, s = r + knx_fma(r * square, cube_of_sine(square), tail),
           c = knx_fma(r, tail, less_one(square));
    return copysign(t->sine + knx_fma(t->cosine, s, knx_fma(-t->sine, c, knx_fma(s, t->cosine_tail, t->sine_tail))), x);
}

static double cos_(double x)
{
    static const double half_high = 0x1.921fb54442d18p0, half_low = 0x1.1a62633145c07p-54; /* of pi */
    uint32_t top = (uint32_t)(bits_of(x) >> 32) & 0x7fffffff;
    x = fabs(x);
    if (top < 0x3e400000)
        return 1;
    if (top < 0x3feb6000) /* 0.855469 */
        return cos_near(x, 0);
    if (top < 0x400368fd) { /* 2.426265 */
        double y = half_high - x, a = y + half_low;
        return sin_near(a, y - a + half_low);
    }
    /* less half a turn, in 140 bits */
    double first = knx_fma(-2, -0x1.dde973c000000p-27, knx_fma(-2, 0x1.921fb58000000p0, x)),
           third = 2 * -0x1.cb3b398000000p-55;
    double y = first - third, tail = first - y - third, fourth = 2 * -0x1.d747f23e32ed7p-83, a = y - fourth;
    return -cos_near(a, tail + (y - a - fourth));
}

/* ---- Arc cosine: a rational function of fdlibm, and one step of Newton's with cosine and sine in 70 bits. */

/* The sine (or cosine) of x in [0, 1.05], less y, which is next to it. */
static double sine_less(double x, double y, bool cosine)
{
    double r;
    const knrng_sine *t = sine_at(x, &r);
    double value = cosine ? t->cosine : t->sine, tail = cosine ? t->cosine_tail : t->sine_tail;
    double slope = cosine ? -t->sine : t->cosine, slope_tail = cosine ? -t->sine_tail : t->cosine_tail;
    double square = r * r, product = slope * r, lost = knx_fma(slope, r, -product);
    double first = value - y, back = first - value, lost_too = (value - (first - back)) - (y + back);
    double small = slope * (r * square * cube_of_sine(square)) - value * less_one(square) + slope_tail * r + tail;
    return (first + product) + (small + lost + lost_too);
}

static double acos_(double x)
{
    static const double half_high = 0x1.921fb54442d18p0, half_low = 0x1.1a62633145c07p-54; /* of pi */
    double a = fabs(x);
    if (!(a < 1))
        return x == 1 ? 0 : x == -1 ? 2 * half_high : NAN;
    bool sine = a < 0.5; /* of a: the arc sine of it, or the arc cosine, twice that of the root */
    double z = sine ? x * x : 0.5 * (1 - a), s = sine ? a : sqrt(z);
    double above = z * (1.66666666666666657415e-01 +
                        z * (-3.25565818622400915405e-01 +
                             z * (2.01212532134862925881e-01 +
                                  z * (-4.00555345006794114027e-02 +
                                       z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    double below =
        1 + z * (-2.40339491173441421878e+00 +
                 z * (2.02094576023350569471e+00 + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    double more = s * (above / below), high, low;
    if (sine) {
        double arc = a + more, rest = -sine_less(arc, a, false) / sqrt((1 - a) * (1 + a));
        high = x < 0 ? half_high + arc : half_high - arc;
        low = x < 0 ? half_high - high + arc + (half_low + rest) : half_high - high - arc + (half_low - rest);
        return high + low;
    }
    high = 2 * (s + more);
    if (z < 0.0029) { /* the root's own error counts most */
        high = 2 * s;
        low = knx_fma(-s, s, z) / s + 2 * more;
    } else {
        low = sine_less(high, a, true) / sqrt((1 - a) * (1 + a));
    }
    if (x > 0)
        return high + low;
    double rest = 2 * half_high - high;
    return rest + (2 * half_high - rest - high + (2 * half_low - low));
}

const knrng_functions KN_ISA_NAME(knrng_functions) = {
    exp_, expm1_, log_, log1p_, pow_, cos_, acos_, expf_, logf_, powf_, &KN_ISA_NAME(knrng_fills)};
