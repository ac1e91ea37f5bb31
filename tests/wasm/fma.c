/* SPDX-License-Identifier: Apache-2.0
 * fma.c -- the multiply-adds of base/fma.h round once: random bit patterns, numbers of like
 * exponents, sums that cancel or lie half between two numbers, zeros of both signs, and what is at the ends of the range. */
#include "base/fma.h"
#include "referee.h"
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

static long differs8(double a, double b, double c)
{
    double x = wasm_f64x2_extract_lane(knx_exact_fma8(wasm_f64x2_splat(a), wasm_f64x2_splat(b), wasm_f64x2_splat(c)),
                                       0),
           y = referee_fma(a, b, c), z = knx_fma(a, b, c);
    bool same = x != x ? y != y && z != z : !memcmp(&x, &y, sizeof x) && !memcmp(&z, &y, sizeof x);
    if (!same)
        printf("fma(%a, %a, %a) is %a, not %a, %a\n", a, b, c, y, x, z);
    return !same;
}

static long differs4(float a, float b, float c)
{
    float x = wasm_f32x4_extract_lane(knx_exact_fma4(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)), 3),
          y = referee_fmaf(a, b, c), z = knx_fmaf(a, b, c);
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
