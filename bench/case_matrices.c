/* SPDX-License-Identifier: Apache-2.0
 * case_matrices.c -- products of other shapes and dtypes than case_products.c has, einsum, and what is made of them. */
#include "plain.h"

static kn_array matmul(const work_arrays *x) { return kn_matmul(x->a, x->b); }
static kn_array gram(const work_arrays *x) { return kn_matmul(kn_matrix_transpose(x->a), x->a); }
static kn_array covariance(const work_arrays *x) { return kn_cov(x->a); }
static kn_array correlation(const work_arrays *x) { return kn_corrcoef(x->a); }
static kn_array distances(const work_arrays *x) /* of all rows to all */
{
    kn_array d = kn_sub(kn_at(x->a, "None"), kn_at(x->a, ":, None"));
    return kn_sqrt(kn_sum(kn_mul(d, d), KN_AXIS(-1)));
}
static kn_array inverse(const work_arrays *x) { return kn_linalg_inv(x->a); }
static kn_array determinant(const work_arrays *x) { return kn_linalg_det(x->a); }
static kn_array row_products(const work_arrays *x) { return kn_einsum("ij,ij->i", x->a, x->b); }
static kn_array scores_heads_first(const work_arrays *x) { return kn_einsum("bhqd,bhkd->bhqk", x->a, x->b); }
static kn_array scores_heads_inside(const work_arrays *x) { return kn_einsum("bqhd,bkhd->bhqk", x->a, x->b); }
static kn_array over_two(const work_arrays *x) { return kn_einsum("ijk,jil->kl", x->a, x->b); }
static kn_array batched(const work_arrays *x) { return kn_einsum("ijk,ikl->ijl", x->a, x->b); }
static kn_array over_last_two(const work_arrays *x) { return kn_einsum("abcd,cd->ab", x->a, x->b); }
static kn_array over_middle(const work_arrays *x) { return kn_einsum("abc,bd->adc", x->a, x->b); }
static kn_array bilinear(const work_arrays *x) { return kn_einsum("bi,ij,bj->b", x->a, x->b, x->c); }

#define ROW(f, what, unit, tolerance, ...) WORK(f, what, unit, ASK_WORK, tolerance, .in = {__VA_ARGS__})
const bench_case bench_matrix_products[] = {
    ROW(matmul, f64_512, "ms", 1e-9, "float64 512x512", "float64 512x512"),
    ROW(matmul, c64_512, "ms", 1e-4, "complex64 512x512", "complex64 512x512"),
    ROW(matmul, i32_512, "ms", 0, "int32 512x512 uniform -100 100", "int32 512x512 uniform -100 100"),
    ROW(matmul, bf16_512, "ms", 2e-2, "bfloat16 512x512", "bfloat16 512x512"),
    ROW(matmul, f32_333x777x555, "ms", 1e-4, "float32 333x777", "float32 777x555"),
    ROW(matmul, f32_1e5x32x32, "ms", 1e-4, "float32 1e5x32", "float32 32x32"),
    ROW(matmul, f32_1000_of_32, "ms", 1e-4, "float32 1000x32x32", "float32 1000x32x32"),
    ROW(matmul, f32_1x4096x4096, "ms", 1e-4, "float32 1x4096", "float32 4096x4096"),
    ROW(matmul, f32_4096x4096x1, "ms", 1e-4, "float32 4096x4096", "float32 4096x1"),
    ROW(matmul, f64_2048x2048x1, "ms", 1e-9, "float64 2048x2048", "float64 2048x1"),
    ROW(gram, 1e5x64, "ms", 1e-4, "float32 1e5x64"),
    ROW(covariance, 64x1e5, "ms", 1e-9, "float64 64x1e5"),
    ROW(correlation, 64x1e4, "ms", 1e-9, "float64 64x1e4"),
    ROW(distances, 2000x16, "ms", 1e-4, "float32 2000x16"),
    ROW(inverse, f64_64, "us", 1e-6, "float64 64x64 uniform -1 1"),
    ROW(inverse, f64_256, "us", 1e-6, "float64 256x256 uniform -1 1"),
    ROW(inverse, f64_1024, "ms", 1e-6, "float64 1024x1024 uniform -1 1"),
    ROW(determinant, f64_64, "us", 1e-6, "float64 64x64 uniform -1 1"),
    ROW(determinant, f64_256, "us", 1e-6, "float64 256x256 uniform -0.2 0.2"),
    ROW(determinant, f64_1024, "ms", 1e-6, "float64 1024x1024 uniform -0.09 0.09"),
    ROW(row_products, 1e5x64, "ms", 1e-4, "float32 1e5x64", "float32 1e5x64"),
    ROW(scores_heads_first, 4x8x256x64, "ms", 1e-4, "float32 4x8x256x64", "float32 4x8x256x64"),
    ROW(scores_heads_inside, 4x256x8x64, "ms", 1e-4, "float32 4x256x8x64", "float32 4x256x8x64"),
    ROW(over_two, 64x64x64, "ms", 1e-4, "float32 64x64x128", "float32 64x64x128"),
    ROW(batched, 32x64x64, "us", 1e-4, "float32 32x64x64", "float32 32x64x64"),
    ROW(over_last_two, 64x64x32x32, "ms", 1e-4, "float32 64x64x32x32", "float32 32x32"),
    ROW(over_middle, 64x128x64, "ms", 1e-4, "float32 64x128x64", "float32 128x128"),
    ROW(bilinear, 1000x300, "ms", 1e-4, "float32 1000x300", "float32 300x300", "float32 1000x300"),
    {0},
};
