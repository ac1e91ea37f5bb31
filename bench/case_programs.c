/* SPDX-License-Identifier: Apache-2.0
 * case_programs.c -- small programs: option prices, a fractal, heat that spreads, fifty operations in a row. */
#include "plain.h"

static kn_array phi(kn_array x) { return kn_mul(0.5, kn_add(1, kn_special_erf(kn_mul(x, 0.7071067811865476)))); }
/* Calls of a: spot, b: strike, c: years, at 2% and 30%. */
static kn_array black_scholes(const work_arrays *x)
{
    kn_array root = kn_mul(0.3, kn_sqrt(x->c));
    kn_array d1 = kn_div(kn_add(kn_log(kn_div(x->a, x->b)), kn_mul(0.065, x->c)), root), d2 = kn_sub(d1, root);
    return kn_sub(kn_mul(x->a, phi(d1)), kn_mul(kn_mul(x->b, kn_exp(kn_mul(-0.02, x->c))), phi(d2)));
}

/* z = z z + c, fifty times; how often |z| was below 2. */
typedef struct orbit {
    kn_array re, im, a, b, many;
} orbit;
static orbit orbit_step(const kn_array *i, const orbit *o)
{
    (void)i;
    kn_array re2 = kn_mul(o->re, o->re), im2 = kn_mul(o->im, o->im);
    kn_array inside = kn_less(kn_add(re2, im2), 4.0f);
    kn_array re = kn_add(kn_sub(re2, im2), o->a), im = kn_add(kn_mul(kn_mul(2.0f, o->re), o->im), o->b);
    return (orbit){kn_where(inside, re, o->re), kn_where(inside, im, o->im), o->a, o->b,
                   kn_add(o->many, kn_astype(inside, KN_I32))};
}
KN_FUNCTION(orbit_step, orbit, kn_array, orbit)
static kn_array mandelbrot(const work_arrays *x)
{
    kn_array zero = kn_zeros_like(x->a);
    orbit end, start = {zero, zero, x->a, x->b, kn_zeros_like(x->a, .dtype = KN_I32)};
    kn_fori_loop(0, 50, KN_FN(orbit_step), &end, &start);
    return end.many;
}

static kn_array heat_step(const kn_array *i, const kn_array *x)
{
    (void)i;
    kn_array y = kn_pad(*x, 1, .mode = "edge");
    kn_array around = kn_add(kn_add(kn_at(y, ":-2, 1:-1"), kn_at(y, "2:, 1:-1")),
                             kn_add(kn_at(y, "1:-1, :-2"), kn_at(y, "1:-1, 2:")));
    return kn_add(kn_mul(*x, 0.5f), kn_mul(around, 0.125f));
}
KN_FUNCTION(heat_step, kn_array, kn_array, kn_array)
static kn_array heat(const work_arrays *x)
{
    kn_array y;
    kn_fori_loop(0, 100, KN_FN(heat_step), &y, &x->a);
    return y;
}

static kn_array fifty(const work_arrays *x)
{
    kn_array y = x->a;
    for (int i = 0; i < 25; i++)
        y = kn_add(kn_mul(y, 0.99f), 0.01f);
    return y;
}

#define OPTIONS(dtype) .in = {dtype " 1e7 uniform 50 150", dtype " 1e7 uniform 50 150", dtype " 1e7 uniform 0.1 2"}
const bench_case bench_programs[] = {
    WORK(black_scholes, f32_1e7, "ms", ASK_WORK, 1e-4, OPTIONS("float32")),
    WORK(black_scholes, eager_f32_1e7, "ms", ASK_WORK, 1e-4, OPTIONS("float32"), .eager = true),
    WORK(black_scholes, f64_1e7, "ms", ASK_WORK, 1e-9, OPTIONS("float64")),
    WORK(mandelbrot, 1000x1000, "ms", ASK_WORK, 2e-1,
         .in = {"float32 1000x1000 uniform -2 0.5", "float32 1000x1000 uniform -1 1"}),
    WORK(heat, 1024x1024, "ms", ASK_WORK, 1e-4, .in = {"float32 1024x1024"}),
    WORK(fifty, 1e2, "us", ASK_WORK, 1e-5, .in = {"float32 1e2"}),
    WORK(fifty, 1e4, "us", ASK_WORK, 1e-5, .in = {"float32 1e4"}),
    WORK(fifty, eager_1e2, "us", ASK_WORK, 1e-5, .in = {"float32 1e2"}, .eager = true),
    WORK(fifty, eager_1e4, "us", ASK_WORK, 1e-5, .in = {"float32 1e4"}, .eager = true),
    {0},
};
