/* SPDX-License-Identifier: Apache-2.0
 * case_strides.c -- elements that lie apart: complex numbers, channels last, every second one, turned around, positions
 * of three; reductions over first, middle and short last axes. */
#include "plain.h"

static kn_array complex_mul(const work_arrays *x) { return kn_mul(x->a, x->b); }
static kn_array complex_magnitude(const work_arrays *x) { return kn_abs(x->a); }
static kn_array complex_exp(const work_arrays *x) { return kn_exp(x->a); }
static kn_array complex_real(const work_arrays *x) { return kn_add(kn_real(x->a), kn_imag(x->a)); }
static kn_array channels_first(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(2, 0, 1))); }
static kn_array channels_last3(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(1, 2, 0))); }
static kn_array nhwc_to_nchw(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(0, 3, 1, 2))); }
static kn_array gray(const work_arrays *x) /* of three channels */
{
    kn_array f = kn_astype(x->a, KN_F32);
    return kn_add(kn_add(kn_mul(kn_at(f, "..., 0"), 0.299f), kn_mul(kn_at(f, "..., 1"), 0.587f)),
                  kn_mul(kn_at(f, "..., 2"), 0.114f));
}
static kn_array stack_last(const work_arrays *x) { return kn_stack(KN_LIST(x->a, x->b, x->c), KN_AXIS(-1)); }
static kn_array stack_two(const work_arrays *x) { return kn_stack(KN_LIST(x->a, x->b), KN_AXIS(-1)); }
static kn_array flip_rows(const work_arrays *x) { return kn_copy(kn_flip(x->a, KN_AXIS(1))); }
static kn_array flip_all(const work_arrays *x) { return kn_copy(kn_flip(x->a)); }
static kn_array add_flipped(const work_arrays *x) { return kn_add(x->a, kn_flip(x->a)); }
static kn_array every_second(const work_arrays *x) { return kn_copy(kn_at(x->a, "::2, ::2")); }
static kn_array every_third(const work_arrays *x) { return kn_copy(kn_at(x->a, ":, ::3")); }
static kn_array even_times_odd(const work_arrays *x) { return kn_mul(kn_at(x->a, "::2"), kn_at(x->a, "1::2")); }
static kn_array halved(const work_arrays *x) /* the mean of 2 x 2 */
{
    kn_array rows = kn_add(kn_at(x->a, "::2"), kn_at(x->a, "1::2"));
    return kn_mul(kn_add(kn_at(rows, ":, ::2"), kn_at(rows, ":, 1::2")), 0.25f);
}
static kn_array unit_rows(const work_arrays *x)
{
    return kn_div(x->a, kn_sqrt(kn_sum(kn_mul(x->a, x->a), KN_AXIS(-1), .keepdims = true)));
}
static kn_array cross(const work_arrays *x) { return kn_cross(x->a, x->b); }
/* The pull of each of n bodies on each other; positions of shape (n, 3). */
static kn_array nbody(const work_arrays *x)
{
    kn_array d = kn_sub(kn_at(x->a, "None"), kn_at(x->a, ":, None"));
    kn_array r2 = kn_add(kn_sum(kn_mul(d, d), KN_AXIS(-1), .keepdims = true), 0.01f);
    return kn_sum(kn_div(d, kn_mul(r2, kn_sqrt(r2))), KN_AXIS(1));
}

static kn_array sum_last(const work_arrays *x) { return kn_sum(x->a, KN_AXIS(-1)); }
static kn_array sum_first(const work_arrays *x) { return kn_sum(x->a, KN_AXIS(0)); }
static kn_array sum_middle(const work_arrays *x) { return kn_sum(x->a, KN_AXIS(1)); }
static kn_array sum_outer(const work_arrays *x) { return kn_sum(x->a, KN_AXIS(0, 2)); }
static kn_array sum_leading(const work_arrays *x) { return kn_sum(x->a, KN_AXIS(0, 1)); }
static kn_array max_middle(const work_arrays *x) { return kn_max(x->a, KN_AXIS(1)); }
static kn_array mean_first(const work_arrays *x) { return kn_mean(x->a, KN_AXIS(0)); }
static kn_array sum_of_all(const work_arrays *x) { return kn_sum(x->a); }
static kn_array max_last(const work_arrays *x) { return kn_max(x->a, KN_AXIS(-1)); }
static kn_array max_first(const work_arrays *x) { return kn_max(x->a, KN_AXIS(0)); }
static kn_array prod_of_all(const work_arrays *x) { return kn_prod(x->a); }
static kn_array var_first(const work_arrays *x) { return kn_var(x->a, KN_AXIS(0)); }
static kn_array var_last(const work_arrays *x) { return kn_var(x->a, KN_AXIS(1)); }
static kn_array std_of_all(const work_arrays *x) { return kn_std(x->a); }
static kn_array norm(const work_arrays *x) { return kn_linalg_norm(x->a); }
static kn_array logsumexp_last(const work_arrays *x)
{
    kn_array most = kn_max(x->a, KN_AXIS(-1), .keepdims = true);
    return kn_add(kn_log(kn_sum(kn_exp(kn_sub(x->a, most)), KN_AXIS(-1))), kn_squeeze(most, KN_AXIS(-1)));
}

#define ROW(f, what, tolerance, ...) WORK(f, what, "ms", ASK_WORK, tolerance, __VA_ARGS__)
#define IN(...)                      .in = {__VA_ARGS__}
const bench_case bench_strides[] = {
    ROW(complex_mul, c64_1e7, 1e-6, IN("complex64 1e7 uniform -1 1", "complex64 1e7 uniform -1 1"), .c = plain_c64_mul),
    ROW(complex_mul, c128_1e6, 1e-6, IN("complex128 1e6 uniform -1 1", "complex128 1e6 uniform -1 1")),
    ROW(complex_magnitude, c64_1e7, 1e-6, IN("complex64 1e7 uniform -1 1"), .c = plain_c64_abs),
    ROW(complex_exp, c64_1e6, 1e-5, IN("complex64 1e6 uniform -1 1")),
    ROW(complex_real, c64_1e7, 1e-6, IN("complex64 1e7 uniform -1 1"), .c = plain_c64_real),
    ROW(channels_first, u8_4k, 0, IN("uint8 2160x3840x3"), .c = plain_hwc_chw_u8),
    ROW(channels_first, f32_1080p, 0, IN("float32 1080x1920x3"), .c = plain_hwc_chw_f32),
    ROW(channels_last3, u8_4k, 0, IN("uint8 3x2160x3840")),
    ROW(channels_last3, f32_1080p, 0, IN("float32 3x1080x1920")),
    ROW(nhwc_to_nchw, 32x224x224x3, 0, IN("float32 32x224x224x3")),
    ROW(gray, u8_4k, 1e-5, IN("uint8 2160x3840x3"), .c = plain_gray),
    ROW(stack_last, 3x4e6, 0, IN("float32 4e6", "float32 4e6", "float32 4e6"), .c = plain_stack_three),
    ROW(stack_two, 4e6, 0, IN("float32 4e6", "float32 4e6"), .c = plain_stack_two),
    ROW(flip_rows, 4096x4096, 0, IN("float32 4096x4096")),
    ROW(flip_all, 1e7, 0, IN("float32 1e7"), .c = plain_flip),
    ROW(flip_rows, u8_4096x4096, 0, IN("uint8 4096x4096")),
    ROW(add_flipped, 1e7, 0, IN("float32 1e7")),
    ROW(every_second, 4096x4096, 0, IN("float32 4096x4096"), .c = plain_every_second),
    ROW(every_third, 4096x4096, 0, IN("float32 4096x4096")),
    ROW(even_times_odd, 1e7, 0, IN("float32 1e7"), .c = plain_even_times_odd),
    ROW(halved, 4096x4096, 1e-6, IN("float32 4096x4096")),
    ROW(unit_rows, 1e6x3, 1e-6, IN("float32 1e6x3")),
    ROW(cross, 1e6x3, 1e-6, IN("float32 1e6x3", "float32 1e6x3")),
    ROW(nbody, 2000x3, 1e-3, IN("float32 2000x3 uniform -1 1"), .c = plain_nbody),
    ROW(sum_last, 3e6x3, 1e-6, IN("float32 3e6x3"), .c = plain_sum_last),
    ROW(sum_last, 2e6x8, 1e-6, IN("float32 2e6x8"), .c = plain_sum_last),
    ROW(sum_last, 1e5x100, 1e-6, IN("float32 1e5x100")),
    ROW(max_last, 3e6x3, 0, IN("float32 3e6x3")),
    ROW(sum_first, 3e6x3, 1e-3, IN("float32 3e6x3 uniform -1 1")),
    ROW(sum_first, 3x3e6, 1e-6, IN("float32 3x3e6")),
    ROW(sum_first, 4096x4096, 1e-4, IN("float32 4096x4096"), .c = plain_sum_first),
    ROW(max_first, 4096x4096, 0, IN("float32 4096x4096")),
    ROW(sum_middle, 64x512x512, 1e-5, IN("float32 64x512x512")),
    ROW(sum_middle, 256x1024x64, 1e-5, IN("float32 256x1024x64")),
    ROW(sum_outer, 64x512x512, 1e-4, IN("float32 64x512x512")),
    ROW(sum_leading, 64x512x512, 1e-4, IN("float32 64x512x512")),
    ROW(sum_first, 64x512x512, 1e-5, IN("float32 64x512x512")),
    ROW(sum_first, f64_64x512x512, 1e-5, IN("float64 64x512x512")),
    ROW(max_first, 64x512x512, 0, IN("float32 64x512x512")),
    ROW(max_middle, 64x512x512, 0, IN("float32 64x512x512")),
    ROW(sum_first, 1e5x100, 1e-4, IN("float32 1e5x100")),
    ROW(sum_first, 100x1e5, 1e-5, IN("float32 100x1e5")),
    ROW(mean_first, 1e6x3, 1e-3, IN("float32 1e6x3")),
    ROW(sum_first, i32_4096x4096, 0, IN("int32 4096x4096 uniform 0 1000")),
    ROW(sum_middle, 1e4x20x16, 1e-5, IN("float32 1e4x20x16")),
    ROW(sum_middle, 1e5x32x3, 1e-5, IN("float32 1e5x32x3")),
    ROW(sum_of_all, f32_1e7, 1e-4, IN("float32 1e7")),
    ROW(sum_of_all, u8_25e6, 0, IN("uint8 25e6")),
    ROW(prod_of_all, f64_1e7, 1e-3, IN("float64 1e7 uniform 0.9999 1.0001")),
    ROW(var_first, 4096x2048, 1e-3, IN("float32 4096x2048")),
    ROW(var_last, 4096x2048, 1e-3, IN("float32 4096x2048")),
    ROW(std_of_all, 1e7, 1e-3, IN("float32 1e7")),
    ROW(norm, 1e7, 1e-3, IN("float32 1e7")),
    ROW(logsumexp_last, 1e6x10, 1e-5, IN("float32 1e6x10")),
    {0},
};
