/* SPDX-License-Identifier: Apache-2.0
 * referee.c -- multiply-adds that tests compare with: the C library's for float64, integers for float32. (musl's fmaf wants
 * rounding modes, which WebAssembly has none of.) Programs that are linked with --wrap=fma,--wrap=fmaf have these. */
#include "referee.h"
#include <math.h>
#include <stdint.h>
#include <stdbool.h>

double __real_fma(double a, double b, double c);
double referee_fma(double a, double b, double c)
{
    return c == 0 && a != 0 && b != 0 ? a * b : __real_fma(a, b, c); /* musl forgets the sign of what is too small */
}

typedef struct exact {
    __int128 m; /* m 2^e */
    int e;
} exact;

static exact of(float x)
{
    int e;
    double m = frexp(x, &e);
    return (exact){(__int128)ldexp(m, 24), e - 24};
}

/* x 2^-by, one bit more, which is 1 where something is lost. */
static __int128 less(__int128 x, int by)
{
    __int128 m = x < 0 ? -x : x, kept = by > 120 ? 0 : m >> by;
    kept = kept << 1 | (by > 120 ? m != 0 : kept << by != m);
    return x < 0 ? -kept : kept;
}

static float rounded(exact x)
{
    unsigned __int128 m = (unsigned __int128)(x.m < 0 ? -x.m : x.m), q = m;
    int top = -1;
    for (unsigned __int128 rest = m; rest; rest >>= 1)
        top++;
    int last = top + x.e - 23 < -149 ? -149 : top + x.e - 23, shift = last - x.e;
    if (shift > 0) {
        q = shift > 126 ? 0 : m >> shift;
        unsigned __int128 rest = shift > 126 ? 1 : m - (q << shift),
                          half = (unsigned __int128)1 << (shift > 126 ? 126 : shift - 1);
        q += rest > half || (rest == half && q % 2);
    }
    double magnitude = ldexp((double)q, shift > 0 ? last : x.e);
    return (float)(x.m < 0 ? -magnitude : magnitude);
}

float referee_fmaf(float a, float b, float c)
{
    if (!isfinite(a) || !isfinite(b) || !isfinite(c) || a == 0 || b == 0)
        return (float)((double)a * b + c);
    exact x = of(a), y = of(b), p = {x.m * y.m, x.e + y.e}, z = of(c);
    int d = p.e - z.e, far = 60;
    exact sum = {0, (d > far ? p.e - far : d < -far ? z.e - far : d > 0 ? z.e : p.e) - 1};
    sum.m = less(p.m * ((__int128)1 << (d > far || d < 0 ? d < 0 ? 0 : far : d)), d < -far ? -d - far : 0) +
            less(z.m * ((__int128)1 << (d < -far ? far
                                        : d < 0  ? -d
                                                 : 0)),
                 d > far ? d - far : 0);
    return c == 0 ? rounded((exact){p.m, p.e}) : rounded(sum);
}

double __wrap_fma(double a, double b, double c) { return referee_fma(a, b, c); }
float __wrap_fmaf(float a, float b, float c) { return referee_fmaf(a, b, c); }
