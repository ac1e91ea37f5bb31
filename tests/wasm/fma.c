/* SPDX-License-Identifier: Apache-2.0
 * fma.c -- the multiply-adds of base/fma.h round once: random bit patterns, numbers of like
 * exponents, sums that cancel or lie half between two numbers, zeros of both signs, and what is at the ends of the range. */
#include "base/fma.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 1;
static uint64_t any(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static const double special[] = {0,         -0.0,       1,         -1,       0.5,      INFINITY, -INFINITY, NAN,
                                 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p1023, 0x1p-537, 0x1p-480, 0x1p480,   -0x1p481,
                                 0x1p-481,  0x1p1000,   0x1p-149,  0x1p-126, 0x1p127,  3,        1.0 / 3.0, 0x1.8p-538};
enum { SPECIALS = sizeof special / sizeof *special, ROUNDS = 2000000 };

static double number(int kind)
{
    uint64_t u = any();
    double x;
    if (kind == 1) /* of like exponents */
        u = (u & 0x800fffffffffffffu) | (1013 + any() % 20) << 52;
    else if (kind == 2) /* of few digits: exact results, and halves */
        u = (u & 0x800ff00000000000u) | (1000 + any() % 60) << 52;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ---- The referees: the C library for float64, integers for float32. */

static double fma8(double a, double b, double c)
{
    return c == 0 && a != 0 && b != 0 ? a * b : fma(a, b, c); /* musl forgets the sign of what is too small */
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

static float fma4(float a, float b, float c)
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

static long differs8(double a, double b, double c)
{
    double x = wasm_f64x2_extract_lane(knx_exact_fma8(wasm_f64x2_splat(a), wasm_f64x2_splat(b), wasm_f64x2_splat(c)),
                                       0),
           y = fma8(a, b, c), z = knx_fma(a, b, c);
    bool same = x != x ? y != y && z != z : !memcmp(&x, &y, sizeof x) && !memcmp(&z, &y, sizeof x);
    if (!same)
        printf("fma(%a, %a, %a) is %a, not %a, %a\n", a, b, c, y, x, z);
    return !same;
}

static long differs4(float a, float b, float c)
{
    float x = wasm_f32x4_extract_lane(knx_exact_fma4(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)), 3),
          y = fma4(a, b, c), z = knx_fmaf(a, b, c);
    bool same = x != x ? y != y && z != z : !memcmp(&x, &y, sizeof x) && !memcmp(&z, &y, sizeof x);
    if (!same)
        printf("fmaf(%a, %a, %a) is %a, not %a, %a\n", a, b, c, y, x, z);
    return !same;
}

static long differs(double a, double b, double c) { return differs8(a, b, c) + differs4((float)a, (float)b, (float)c); }

int main(void)
{
    long wrong = 0;
    for (int i = 0; i < SPECIALS; i++)
        for (int j = 0; j < SPECIALS; j++)
            for (int k = 0; k < SPECIALS; k++)
                wrong += differs(special[i], special[j], special[k]);
    for (int i = 0; i < ROUNDS && wrong < 20; i++) {
        int kind = i % 3;
        double a = number(kind), b = number(kind), c = number(kind);
        wrong += differs(a, b, c);
        wrong += differs(a, b, -a * b);
        wrong += differs(a, b, a * b * 0x1p-53 * (double)(any() % 4));
        wrong += differs(a, b, ldexp(a * b, (int)(any() % 120) - 60));
        float f; /* all bit patterns of float32 */
        uint32_t u = (uint32_t)any();
        memcpy(&f, &u, sizeof f);
        wrong += differs4(f, (float)a, (float)c);
        wrong += differs4(f, (float)b, -f * (float)b);
    }
    printf("%ld of some 10 million are wrong\n", wrong);
    return wrong != 0;
}
