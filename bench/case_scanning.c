/* SPDX-License-Identifier: Apache-2.0
 * case_scanning.c -- sums, products and largest ones of all elements so far, along each axis; recurrences. (Tolerances are
 * those of peers that add 10,000,000 float32 one after the other.) */
#include "plain.h"

static kn_array cumsum(const work_arrays *x) { return kn_cumsum(x->a); }
static kn_array cumprod(const work_arrays *x) { return kn_cumprod(x->a); }
static kn_array cummax(const work_arrays *x) { return kn_lax_cummax(x->a); }
static kn_array cummin(const work_arrays *x) { return kn_lax_cummin(x->a); }
static kn_array cumlogsumexp(const work_arrays *x) { return kn_lax_cumlogsumexp(x->a); }
static kn_array cumsum_reverse(const work_arrays *x) { return kn_lax_cumsum(x->a, .reverse = true); }
static kn_array cumsum_axis0(const work_arrays *x) { return kn_cumsum(x->a, .axis = KN_AXIS(0)); }
static kn_array cumsum_axis1(const work_arrays *x) { return kn_cumsum(x->a, .axis = KN_AXIS(1)); }
static kn_array cumprod_axis0(const work_arrays *x) { return kn_cumprod(x->a, .axis = KN_AXIS(0)); }
static kn_array cumprod_axis1(const work_arrays *x) { return kn_cumprod(x->a, .axis = KN_AXIS(1)); }
static kn_array cummax_axis0(const work_arrays *x) { return kn_lax_cummax(x->a, .axis = KN_AXIS(0)); }
static kn_array cummax_axis1(const work_arrays *x) { return kn_lax_cummax(x->a, .axis = KN_AXIS(1)); }
static kn_array cumlogsumexp_axis0(const work_arrays *x) { return kn_lax_cumlogsumexp(x->a, .axis = KN_AXIS(0)); }
static kn_array cumlogsumexp_axis1(const work_arrays *x) { return kn_lax_cumlogsumexp(x->a, .axis = KN_AXIS(1)); }
static kn_array cumsum_of_product(const work_arrays *x)
{
    return kn_mul(kn_cumsum(kn_mul(x->a, kn_add(x->a, 0.5f))), 2.0f);
}
static kn_array diff(const work_arrays *x) { return kn_diff(x->a); }

/* s = a s + b, from 0 on. */
typedef struct affine {
    kn_array a, b;
} affine;
static affine then(const affine *f, const affine *g)
{
    return (affine){kn_mul(f->a, g->a), kn_add(kn_mul(g->a, f->b), g->b)};
}
KN_FUNCTION(then, affine, affine, affine)
static kn_array recurrence(const work_arrays *x)
{
    affine f = {x->a, x->b}, y;
    kn_associative_scan(KN_FN(then), &y, &f);
    return y.b;
}

/* Products of matrices, as a chain of rotations or a hidden Markov model has them. */
static kn_array product(const kn_array *x, const kn_array *y) { return kn_matmul(*y, *x); }
KN_FUNCTION(product, kn_array, kn_array, kn_array)
static kn_array matrix_scan(const work_arrays *x)
{
    kn_array y;
    kn_associative_scan(KN_FN(product), &y, &x->a);
    return y;
}

/* The largest one so far that loses a thousandth with each step: of pairs (value, steps). */
static affine fading(const affine *f, const affine *g)
{
    return (affine){kn_maximum(kn_sub(f->a, kn_mul(0.001f, g->b)), g->a), kn_add(f->b, g->b)};
}
KN_FUNCTION(fading, affine, affine, affine)
static kn_array fading_scan(const work_arrays *x)
{
    affine f = {x->a, kn_ones_like(x->a)}, y;
    kn_associative_scan(KN_FN(fading), &y, &f);
    return y.a;
}

#define ROW(f, what, ...) WORK(f, what, "ms", ASK_WORK, 2e-2, __VA_ARGS__)
#define IN(...)           .in = {__VA_ARGS__}
const bench_case bench_scanning[] = {
    WORK(cumsum, f32_1e4, "us", ASK_WORK, 1e-3, .in = {"float32 1e4 uniform -1 1"}),
    ROW(cumsum, f32_1e7, IN("float32 1e7 uniform -1 1"), .c = plain_cumsum),
    ROW(cumsum, f64_1e7, IN("float64 1e7 uniform -1 1")),
    ROW(cumsum, i64_1e7, IN("int64 1e7 uniform 0 100")),
    ROW(cumsum, bool_1e7, IN("bool 1e7 true 0.5")),
    WORK(cumprod, f32_1e7, "ms", ASK_WORK, 1e-1, IN("float32 1e7 uniform 0.99999 1.00001"), .c = plain_cumprod),
    ROW(cummax, f32_1e7, IN("float32 1e7"), .c = plain_cummax),
    ROW(cummin, f32_1e7, IN("float32 1e7")),
    ROW(cummax, i32_1e7, IN("int32 1e7")),
    ROW(cumlogsumexp, f32_1e6, IN("float32 1e6 uniform -5 5")),
    ROW(cumsum_reverse, f32_1e7, IN("float32 1e7 uniform -1 1")),
    ROW(cumsum_of_product, f32_1e7, IN("float32 1e7 uniform -1 1")),
    ROW(cumsum_axis0, 4096x4096, IN("float32 4096x4096 uniform -1 1")),
    ROW(cumsum_axis1, 4096x4096, IN("float32 4096x4096 uniform -1 1"), .c = plain_cumsum_rows),
    ROW(cumsum_axis1, 1e6x8, IN("float32 1e6x8 uniform -1 1"), .c = plain_cumsum_rows),
    ROW(cumsum_axis1, 64x512x512, IN("float32 64x512x512 uniform -1 1")),
    ROW(cumprod_axis0, 4096x4096, IN("float32 4096x4096 uniform 0.999 1.001")),
    ROW(cumprod_axis1, 4096x4096, IN("float32 4096x4096 uniform 0.999 1.001")),
    ROW(cummax_axis0, 4096x4096, IN("float32 4096x4096")),
    ROW(cummax_axis1, 4096x4096, IN("float32 4096x4096")),
    ROW(cumlogsumexp_axis0, 1024x1024, IN("float32 1024x1024 uniform -5 5")),
    ROW(cumlogsumexp_axis1, 1024x1024, IN("float32 1024x1024 uniform -5 5")),
    ROW(diff, f32_1e7, IN("float32 1e7"), .c = plain_diff),
    ROW(recurrence, f32_1e6, IN("float32 1e6 uniform 0.9 1", "float32 1e6 uniform -1 1"), .c = plain_recurrence),
    ROW(recurrence, f64_1e6, IN("float64 1e6 uniform 0.9 1", "float64 1e6 uniform -1 1")),
    ROW(matrix_scan, f32_1e5x2x2, IN("float32 1e5x2x2 uniform -0.9 0.9")),
    ROW(matrix_scan, f32_1e4x8x8, IN("float32 1e4x8x8 uniform -0.3 0.3")),
    ROW(fading_scan, f32_1e6, IN("float32 1e6")),
    {0},
};
