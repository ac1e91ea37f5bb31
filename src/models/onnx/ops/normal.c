/* SPDX-License-Identifier: Apache-2.0
 * normal.c -- normalisations: over the batch, images, groups of features, the last axes, neighbouring features. */
#include "models/onnx/ops/layers.h"

/* x less its mean, over the square root of its variance (both over the axes, kept) plus epsilon. */
typedef struct normal {
    kn_array mean, inverse, y;
} normal;

static normal normalised(kn_array x, const kn_axes *axes, double epsilon)
{
    normal r;
    r.mean = knonnx_averaged(x, axes, true);
    kn_array rest = kn_subtract(x, r.mean);
    kn_array variance = knonnx_averaged(kn_square(rest), axes, true);
    r.inverse = kn_lax_rsqrt(kn_add(variance, kn_like_double(epsilon)));
    r.y = kn_multiply(rest, r.inverse);
    return r;
}

/* ---- BatchNormalization. */

/* x with the numbers of each feature. Scale and shift are made of them first, as there are few of them. */
static kn_array by_feature(kn_array x, kn_array scale, kn_array shift, kn_array mean, kn_array variance, double epsilon)
{
    int n = kn_ndim(x);
    kn_dtype d = kn_dtype_of(x), wide = knonnx_work_dtype(d);
    kn_array by =
        kn_divide(knonnx_as(scale, wide), kn_sqrt(kn_add(knonnx_as(variance, wide), kn_like_double(epsilon))));
    kn_array plus = kn_subtract(knonnx_as(shift, wide), kn_multiply(knonnx_as(mean, wide), by));
    kn_array y = kn_add(kn_multiply(knonnx_as(x, wide), knonnx_along(by, 1, n)), knonnx_along(plus, 1, n));
    return knonnx_as(y, d);
}

static kn_array mixed(kn_array old, kn_array now, double momentum)
{
    kn_dtype d = kn_dtype_of(old);
    kn_array y = kn_add(kn_multiply(old, kn_like_double(momentum)), kn_multiply(now, kn_like_double(1 - momentum)));
    return knonnx_as(y, d);
}

/* All axes of x but those of the features. */
static kn_axes but_features(int ndim)
{
    kn_axes axes = knonnx_axes_from(1, ndim);
    axes.axis[0] = 0;
    return axes;
}

/* Training by version: before 7 the attribute is_test, before 14 that more than one output is wanted, then the
 * attribute training_mode. Before 9 `spatial` 0 means numbers of their own for each element of an image. */
static int batch_normalization(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1), shift = knonnx_in(c, 2), mean = knonnx_in(c, 3);
    kn_array variance = knonnx_in(c, 4);
    double epsilon = knonnx_float(c, "epsilon", 1e-5), momentum = knonnx_float(c, "momentum", 0.9);
    if (!x || !scale || !shift || !mean || !variance)
        return -1;
    int ndim = kn_ndim(x);
    bool training = c->version < 7    ? !knonnx_int(c, "is_test", 0)
                    : c->version < 14 ? knonnx_wants(c, 1)
                                      : knonnx_int(c, "training_mode", 0) != 0;
    if (c->version < 9 && !knonnx_int(c, "spatial", 1) && ndim > 2) {
        kn_shape s = kn_shape_of(x), flat = {2, {s.dim[0], -1}}, one = {1, {-1}};
        if (training)
            return knonnx_cannot(c, "training with spatial = 0");
        kn_array y = by_feature(knonnx_reshaped(x, &flat), knonnx_reshaped(scale, &one), knonnx_reshaped(shift, &one),
                                knonnx_reshaped(mean, &one), knonnx_reshaped(variance, &one), epsilon);
        return knonnx_set(c, 0, knonnx_reshaped(y, &s));
    }
    if (ndim < 1 || !training)
        return knonnx_set(c, 0,
                          by_feature(ndim == 1 ? kn_reshape(x, KNONNX_SHAPE(-1, 1), NULL) : x, scale, shift, mean,
                                     variance, epsilon));
    kn_axes axes = but_features(ndim);
    kn_array wide = knonnx_as(x, knonnx_work_dtype(kn_dtype_of(x))), now = knonnx_averaged(wide, &axes, false);
    kn_array spread = knonnx_averaged(kn_square(kn_subtract(wide, knonnx_along(now, 1, ndim))), &axes, false);
    if (knonnx_set(c, 0, by_feature(x, scale, shift, now, spread, epsilon)) ||
        (knonnx_wants(c, 1) && knonnx_set(c, 1, mixed(mean, now, momentum))) ||
        (knonnx_wants(c, 2) && knonnx_set(c, 2, mixed(variance, spread, momentum))))
        return -1;
    if (knonnx_wants(c, 3) && knonnx_set(c, 3, now))
        return -1;
    return knonnx_wants(c, 4) ? knonnx_set(c, 4, spread) : 0;
}

/* ---- Of images and groups. */

static int instance_normalization(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1), shift = knonnx_in(c, 2);
    if (!x || !scale || !shift)
        return -1;
    int n = kn_ndim(x);
    kn_dtype d = kn_dtype_of(x), wide = knonnx_work_dtype(d);
    kn_axes axes = knonnx_axes_from(2, n);
    kn_array y = normalised(knonnx_as(x, wide), &axes, knonnx_float(c, "epsilon", 1e-5)).y;
    y = kn_add(kn_multiply(y, knonnx_along(knonnx_as(scale, wide), 1, n)), knonnx_along(knonnx_as(shift, wide), 1, n));
    return knonnx_set(c, 0, knonnx_as(y, d));
}

/* Version 18 has scale and bias of groups, 21 of features; the dtype of the work is that of stash_type. */
static int group_normalization(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1), shift = knonnx_in(c, 2);
    int64_t groups = knonnx_int(c, "num_groups", 0);
    if (!x || !scale || !shift)
        return -1;
    kn_shape s = kn_shape_of(x), parts = {3, {s.dim[0], groups, -1}};
    if (s.ndim < 2 || groups < 1 || s.dim[1] % groups)
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld groups of %lld features", (long long)groups,
                           (long long)(s.ndim < 2 ? 0 : s.dim[1]));
    kn_dtype d = kn_dtype_of(x), wide = knonnx_work_dtype(d);
    kn_axes axes = knonnx_one_axis(2);
    bool of_groups = c->version < 21;
    scale = knonnx_as(scale, wide);
    shift = knonnx_as(shift, wide);
    kn_array y = normalised(knonnx_reshaped(knonnx_as(x, wide), &parts), &axes, knonnx_float(c, "epsilon", 1e-5)).y;
    y = of_groups ? y : knonnx_reshaped(y, &s);
    y = kn_add(kn_multiply(y, knonnx_along(scale, 1, kn_ndim(y))), knonnx_along(shift, 1, kn_ndim(y)));
    return knonnx_set(c, 0, knonnx_as(of_groups ? knonnx_reshaped(y, &s) : y, d));
}

/* ---- Over the last axes. */

static kn_dtype stash(knonnx_call *c)
{
    int64_t type = knonnx_int(c, "stash_type", KNONNX_FLOAT);
    kn_dtype d = type > 0 && type < KNONNX_ELEM_COUNT ? knonnx_dtype((knonnx_elem)type) : NULL;
    if (!knonnx_float_dtype(d))
        knonnx_fail(c, KN_ERROR_VALUE, "stash_type is %lld", (long long)type);
    return knonnx_float_dtype(d) ? d : NULL;
}

/* x is normalised in the dtype of stash_type; scale and bias are of x's. */
static int last_axes(knonnx_call *c, bool centre, kn_array x, kn_array scale, kn_array shift)
{
    kn_dtype d = kn_dtype_of(x), wide = stash(c);
    int axis = knonnx_axis(c, knonnx_int(c, "axis", -1), kn_ndim(x));
    double epsilon = knonnx_float(c, "epsilon", 1e-5);
    if (!wide || axis < 0)
        return -1;
    wide = d == KN_F64 ? d : wide;
    kn_axes axes = knonnx_axes_from(axis, kn_ndim(x));
    normal r = {0};
    kn_array in = knonnx_as(x, wide);
    if (centre)
        r = normalised(in, &axes, epsilon);
    else
        r.y =
            kn_multiply(in, kn_lax_rsqrt(kn_add(knonnx_averaged(kn_square(in), &axes, true), kn_like_double(epsilon))));
    kn_array y = kn_multiply(knonnx_as(r.y, d), scale);
    if (knonnx_set(c, 0, knonnx_as(shift ? kn_add(y, shift) : y, kn_dtype_of(centre ? x : scale))))
        return -1;
    if (knonnx_wants(c, 1) && knonnx_set(c, 1, r.mean))
        return -1;
    return knonnx_wants(c, 2) ? knonnx_set(c, 2, r.inverse) : 0;
}

static int layer_normalization(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1);
    return x && scale ? last_axes(c, true, x, scale, knonnx_in_or(c, 2, NULL)) : -1;
}

static int rms_normalization(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1);
    return x && scale ? last_axes(c, false, x, scale, NULL) : -1;
}

/* ---- Without parameters. */

static int mean_variance(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    if (!x)
        return -1;
    int n, ndim = kn_ndim(x);
    const int64_t *given = knonnx_ints(c, "axes", &n);
    static const int64_t usual[] = {0, 2, 3};
    kn_axes axes = {{1}, {0}};
    n = given ? n : 3;
    for (int i = 0; i < n && i < KN_MAX_NDIM; i++) {
        int axis = knonnx_axis(c, given ? given[i] : usual[i], ndim);
        if (axis < 0)
            return -1;
        axes.axis[axes.n++ - 1] = axis;
    }
    kn_dtype d = kn_dtype_of(x);
    kn_array in = knonnx_as(x, knonnx_work_dtype(d)), rest = kn_subtract(in, knonnx_averaged(in, &axes, true));
    kn_array spread = kn_sqrt(knonnx_averaged(kn_square(rest), &axes, true));
    return knonnx_set(c, 0, knonnx_as(kn_divide(rest, kn_add(spread, kn_like_double(1e-9))), d));
}

/* A vector of zeros stays one. */
static int lp_normalization(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    int64_t p = knonnx_int(c, "p", 2);
    int axis = x ? knonnx_axis(c, knonnx_int(c, "axis", -1), kn_ndim(x)) : -1;
    if (axis < 0)
        return -1;
    if (p != 1 && p != 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "p is %lld, and only 1 and 2 are defined", (long long)p);
    kn_dtype d = kn_dtype_of(x);
    kn_axes axes = knonnx_one_axis(axis);
    kn_array in = knonnx_as(x, knonnx_work_dtype(d));
    kn_array norm =
        p == 1 ? knonnx_summed(kn_abs(in), &axes, true) : kn_sqrt(knonnx_summed(kn_square(in), &axes, true));
    kn_array none = kn_equal(norm, kn_like_double(0));
    return knonnx_set(c, 0, knonnx_as(kn_divide(in, kn_where(none, kn_like_double(1), norm)), d));
}

/* LRN: x / (bias + alpha / size * sum of squares of `size` features around)^beta. */
static int lrn(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    double alpha = knonnx_float(c, "alpha", 1e-4), beta = knonnx_float(c, "beta", 0.75),
           bias = knonnx_float(c, "bias", 1);
    int64_t size = knonnx_int(c, "size", 0);
    if (!x)
        return -1;
    int ndim = kn_ndim(x);
    if (ndim < 2 || size < 1 || size > 1 << 20) /* more features than any image has */
        return knonnx_fail(c, KN_ERROR_VALUE, "size is %lld, and x has %d axes", (long long)size, ndim);
    kn_dtype d = kn_dtype_of(x);
    kn_lax_pad_pair pair[KN_MAX_NDIM] = {0};
    kn_shape window = {ndim, {0}};
    for (int i = 0; i < ndim; i++)
        window.dim[i] = i == 1 ? size : 1;
    pair[1] = (kn_lax_pad_pair){(size - 1) / 2, size - 1 - (size - 1) / 2};
    kn_lax_reduce_window_opts o = kn_lax_reduce_window_opts_default();
    o.padding = (kn_lax_pads){NULL, ndim, pair};
    kn_array in = knonnx_as(x, knonnx_work_dtype(d)), sum = kn_lax_reduce_window_sum(kn_square(in), &window, &o);
    kn_array by = kn_add(kn_like_double(bias), kn_multiply(sum, kn_like_double(alpha / (double)size)));
    return knonnx_set(c, 0, knonnx_as(kn_divide(in, kn_power(by, kn_like_double(beta))), d));
}

const knonnx_row knonnx_rows_normal[] = {
    {"BatchNormalization", 1, batch_normalization, 5, 5, 1, 5},
    {"InstanceNormalization", 1, instance_normalization, 3, 3, 1, 1},
    {"GroupNormalization", 18, group_normalization, 3, 3, 1, 1},
    {"LayerNormalization", 17, layer_normalization, 2, 3, 1, 3},
    {"RMSNormalization", 23, rms_normalization, 2, 2, 1, 1},
    {"MeanVarianceNormalization", 9, mean_variance, 1, 1, 1, 1},
    {"LpNormalization", 1, lp_normalization, 1, 1, 1, 1},
    {"LRN", 1, lrn, 1, 1, 1, 1},
    {0},
};
