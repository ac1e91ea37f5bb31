/* SPDX-License-Identifier: Apache-2.0
 * reflection.h -- a reflection of real numbers, I - tau v v^T, for one type of number; included with NUM, T, BYTES,
 * F, V and LANES defined. It has no include guard: that is the point. Vectors have 16 zeros behind their numbers:
 * chains go on through them. */
#ifndef KN_HOST_ROUTINE_REFLECTION_H
#define KN_HOST_ROUTINE_REFLECTION_H
/* A power of two up to 2^most that brings a positive number near 1. */
static double scale_for(double size, int most)
{
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    int exponent = 1022 - (int)(bits >> 52 & 0x7ff);
    exponent = exponent > most ? most : exponent < -1000 ? -1000 : exponent;
    bits = (uint64_t)(1023 + exponent) << 52;
    memcpy(&size, &bits, sizeof size);
    return size;
}

/* As many numbers as float64's vector has, widened. */
#if VECTOR_BYTES == 64
ALWAYS vf64 wide_f32(const float *p) { return (vf64)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }
#elif VECTOR_BYTES == 32
ALWAYS vf64 wide_f32(const float *p) { return (vf64)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
#else
ALWAYS vf64 wide_f32(const float *p) { return (vf64){(double)p[0], (double)p[1]}; }
#endif
ALWAYS vf64 wide_f64(const double *p)
{
    vf64 v;
    memcpy(&v, p, sizeof v);
    return v;
}
#endif

enum { F(GROUPS) = 16 / LANES, F(WIDE) = VECTOR_BYTES / 8 /* numbers of float64 in a vector */ };

/* The sums of 16 chains, number l in chain l, joined by halves. */
ALWAYS T F(joined)(V *chain)
{
    UNROLL for (int h = F(GROUPS) / 2; h; h /= 2) UNROLL for (int g = 0; g < h; g++) chain[g] += chain[g + h];
    V v = chain[0];
#if VECTOR_BYTES / BYTES == 16
    v += __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif VECTOR_BYTES / BYTES == 8
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
#elif VECTOR_BYTES / BYTES == 4
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2);
#else
    v += __builtin_shufflevector(v, v, 1, 0);
#endif
    return v[0];
}

/* The sum of squares of n numbers in float64: number j in chain j % 16, joined by halves. */
static double F(squares)(const T *x, int64_t n)
{
    vf64 acc[16 / F(WIDE)];
    double lane[16];
    UNROLL for (int g = 0; g < 16 / F(WIDE); g++) acc[g] = (vf64){0};
    for (int64_t j = 0; j < n; j += 16)
        UNROLL for (int g = 0; g < 16 / F(WIDE); g++)
        {
            vf64 v = PASTE(wide_, NUM)(x + j + g * F(WIDE));
            acc[g] = fma_f64(v, v, acc[g]);
        }
    memcpy(lane, acc, sizeof lane);
    for (int h = 8; h; h /= 2)
        for (int l = 0; l < h; l++)
            lane[l] += lane[l + h];
    return lane[0];
}

ALWAYS T F(size_of)(T x) { return x < 0 ? -x : x; }

static void F(scale_by)(T *x, int64_t n, T by)
{
    for (int64_t j = 0; j < n; j++)
        x[j] *= by;
}

/* Makes (I - tau v v^T) x = beta e_0 of x = x[0 .. n]: v[0] = 1 is not stored, beta is. Numbers so large or small that
 * squares or quotients of them leave float64's or T's range are scaled by a power of two. */
static double F(reflection)(T *x, int64_t n)
{
    const double small = BYTES == 8 ? 0x1p-900 : 0x1p-200, large = BYTES == 8 ? 0x1p900 : 0x1p300;
    double rest = F(squares)(x + 1, n - 1), a = (double)x[0], all = rest + a * a, by = 1;
    if (!(all > small && all < large)) {
        T most = 0;
        for (int64_t j = 0; j < n; j++)
            most = F(size_of)(x[j]) > most ? F(size_of)(x[j]) : most;
        if (most > 0 && most <= (T)(BYTES == 8 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127)) {
            by = scale_for((double)most, BYTES == 4 ? 100 : 1000);
            F(scale_by)(x, n, (T)by);
            rest = F(squares)(x + 1, n - 1);
            a = (double)x[0];
        }
    }
    if (rest == 0) {
        x[0] = (T)(a / by);
        return 0;
    }
    double length = __builtin_sqrt(a * a + rest), beta = a < 0 ? length : -length;
    F(scale_by)(x + 1, n - 1, (T)(1 / (a - beta)));
    x[0] = (T)(beta / by);
    return (beta - a) / beta;
}
