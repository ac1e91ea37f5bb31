/* SPDX-License-Identifier: Apache-2.0
 * case_convolve.c -- convolutions and what stands around them in networks, channels first and last, and signals. */
#include "plain.h"

static kn_array conv_of(const work_arrays *x, bool last, int64_t stride, int64_t groups)
{
    kn_shape strides = KN_SHAPE(stride, stride);
    kn_lax_conv_numbers first = {.lhs = "NCHW", .rhs = "OIHW", .out = "NCHW"};
    kn_lax_conv_numbers behind = {.lhs = "NHWC", .rhs = "HWIO", .out = "NHWC"};
    return kn_lax_conv_general_dilated(x->a, x->b, strides, KN_VALID, .dimension_numbers = last ? behind : first,
                                       .feature_group_count = groups);
}
static kn_array conv_nchw(const work_arrays *x) { return conv_of(x, false, 1, 1); }
static kn_array conv_nhwc(const work_arrays *x) { return conv_of(x, true, 1, 1); }
static kn_array conv_first_nchw(const work_arrays *x) { return conv_of(x, false, 2, 1); }
static kn_array conv_first_nhwc(const work_arrays *x) { return conv_of(x, true, 2, 1); }
static kn_array conv_depthwise_nchw(const work_arrays *x) { return conv_of(x, false, 1, 64); }
static kn_array conv_depthwise_nhwc(const work_arrays *x) { return conv_of(x, true, 1, 64); }
static kn_array conv_grouped_nchw(const work_arrays *x) { return conv_of(x, false, 1, 4); }
static kn_array conv_grouped_nhwc(const work_arrays *x) { return conv_of(x, true, 1, 4); }

/* By the image (0) or the weights (1), with the cotangent c. */
static kn_array loss_nchw(const kn_array *a, const kn_array *b, const kn_array *c)
{
    return kn_sum(kn_mul(conv_of(&(work_arrays){*a, *b, *c}, false, 1, 1), *c));
}
static kn_array loss_nhwc(const kn_array *a, const kn_array *b, const kn_array *c)
{
    return kn_sum(kn_mul(conv_of(&(work_arrays){*a, *b, *c}, true, 1, 1), *c));
}
static kn_array loss_first(const kn_array *a, const kn_array *b, const kn_array *c)
{
    return kn_sum(kn_mul(conv_of(&(work_arrays){*a, *b, *c}, false, 2, 1), *c));
}
static kn_array loss_depthwise(const kn_array *a, const kn_array *b, const kn_array *c)
{
    return kn_sum(kn_mul(conv_of(&(work_arrays){*a, *b, *c}, false, 1, 64), *c));
}
KN_FUNCTION(loss_nchw, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(loss_nhwc, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(loss_first, kn_array, kn_array, kn_array, kn_array)
KN_FUNCTION(loss_depthwise, kn_array, kn_array, kn_array, kn_array)
static kn_array gradient(kn_fn loss, int by, const work_arrays *x)
{
    kn_array d;
    kn_call(kn_grad(loss, .argnums = KN_ARGNUMS(by)), &d, &x->a, &x->b, &x->c);
    return d;
}
static kn_array conv_nchw_image(const work_arrays *x) { return gradient(KN_FN(loss_nchw), 0, x); }
static kn_array conv_nchw_weights(const work_arrays *x) { return gradient(KN_FN(loss_nchw), 1, x); }
static kn_array conv_nhwc_weights(const work_arrays *x) { return gradient(KN_FN(loss_nhwc), 1, x); }
static kn_array conv_first_weights(const work_arrays *x) { return gradient(KN_FN(loss_first), 1, x); }
static kn_array conv_depthwise_weights(const work_arrays *x) { return gradient(KN_FN(loss_depthwise), 1, x); }

static kn_array batch_norm_nchw(const work_arrays *x)
{
    kn_array d = kn_sub(x->a, kn_mean(x->a, KN_AXIS(0, 2, 3), .keepdims = true));
    kn_array v = kn_mean(kn_mul(d, d), KN_AXIS(0, 2, 3), .keepdims = true);
    return kn_mul(d, kn_lax_rsqrt(kn_add(v, 1e-5f)));
}
static kn_array max_pool_nchw(const work_arrays *x)
{
    kn_array rows = kn_maximum(kn_at(x->a, ":, :, ::2"), kn_at(x->a, ":, :, 1::2"));
    return kn_maximum(kn_at(rows, "..., ::2"), kn_at(rows, "..., 1::2"));
}
static kn_array convolve(const work_arrays *x) { return kn_convolve(x->a, x->b, .mode = "same"); }
static kn_array convolve_2d(const work_arrays *x) { return kn_signal_convolve2d(x->a, x->b, .mode = "same"); }

#define ROW(f, what, ...) WORK(f, what, "ms", ASK_WORK, 1e-3, __VA_ARGS__)
#define IN(...)           .in = {__VA_ARGS__}
#define NCHW              "float32 8x64x58x58 uniform -1 1"
#define NHWC              "float32 8x58x58x64 uniform -1 1"
const bench_case bench_convolve[] = {
    ROW(conv_nchw, 64x3x3, IN(NCHW, "float32 64x64x3x3 uniform -1 1")),
    ROW(conv_nhwc, 64x3x3, IN(NHWC, "float32 3x3x64x64 uniform -1 1")),
    ROW(conv_nchw, 1x1, IN("float32 8x64x56x56 uniform -1 1", "float32 256x64x1x1 uniform -1 1")),
    ROW(conv_first_nchw, 7x7, IN("float32 8x3x229x229", "float32 64x3x7x7 uniform -1 1")),
    ROW(conv_first_nhwc, 7x7, IN("float32 8x229x229x3", "float32 7x7x3x64 uniform -1 1")),
    ROW(conv_depthwise_nchw, 3x3, IN(NCHW, "float32 64x1x3x3 uniform -1 1")),
    ROW(conv_depthwise_nhwc, 3x3, IN(NHWC, "float32 3x3x1x64 uniform -1 1")),
    ROW(conv_grouped_nchw, 3x3, IN(NCHW, "float32 64x16x3x3 uniform -1 1")),
    ROW(conv_grouped_nhwc, 3x3, IN(NHWC, "float32 3x3x16x64 uniform -1 1")),
    ROW(conv_nchw_image, grad, IN(NCHW, "float32 64x64x3x3 uniform -1 1", "float32 8x64x56x56 uniform -1 1")),
    ROW(conv_nchw_weights, grad, IN(NCHW, "float32 64x64x3x3 uniform -1 1", "float32 8x64x56x56 uniform -1 1")),
    ROW(conv_nhwc_weights, grad, IN(NHWC, "float32 3x3x64x64 uniform -1 1", "float32 8x56x56x64 uniform -1 1")),
    ROW(conv_first_weights, grad,
        IN("float32 8x3x229x229", "float32 64x3x7x7 uniform -1 1", "float32 8x64x112x112 uniform -1 1")),
    ROW(conv_depthwise_weights, grad, IN(NCHW, "float32 64x1x3x3 uniform -1 1", "float32 8x64x56x56 uniform -1 1")),
    ROW(batch_norm_nchw, 8x64x56x56, IN("float32 8x64x56x56")),
    ROW(max_pool_nchw, 8x64x56x56, IN("float32 8x64x56x56")),
    ROW(convolve, 1e5_101, IN("float32 1e5", "float32 101")),
    ROW(convolve_2d, 1024_9x9, IN("float32 1024x1024", "float32 9x9"), .c = plain_convolve_2d),
    {0},
};
