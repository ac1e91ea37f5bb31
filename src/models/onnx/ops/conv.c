/* SPDX-License-Identifier: Apache-2.0
 * conv.c -- convolutions: Conv, ConvTranspose, those of quantised numbers, and the causal one with a state. Images and
 * kernels stay in ONNX's order, (N, C, ...) and (M, C / group, ...), which Kiln's products read as it is. */
#include "models/onnx/ops/layers.h"
#include <stdio.h>

typedef struct conv {
    kn_array x, w;
    int64_t groups;
    knonnx_windows windows;
} conv;

/* Shapes and attributes; `from` is the axis of w's kernel sizes, 2. */
static int conv_read(knonnx_call *c, int x, int w, conv *v)
{
    knonnx_windows *win = &v->windows;
    v->x = knonnx_in(c, x);
    v->w = knonnx_in(c, w);
    if (!v->x || !v->w)
        return -1;
    kn_shape s = kn_shape_of(v->x), t = kn_shape_of(v->w);
    if (s.ndim < 2 || t.ndim != s.ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "an image with %d axes and a kernel with %d", s.ndim, t.ndim);
    v->groups = knonnx_int(c, "group", 1);
    win->n = s.ndim - 2;
    if (v->groups < 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "group is %lld", (long long)v->groups);
    if (knonnx_windows_read(c, win))
        return -1;
    int64_t kernel[KN_MAX_NDIM];
    if (knonnx_window_list(c, "kernel_shape", win->n, 1, 1, kernel))
        return -1;
    for (int i = 0; i < win->n; i++) {
        win->in[i] = s.dim[2 + i];
        win->kernel[i] = t.dim[2 + i];
        if (knonnx_given(c, "kernel_shape") && kernel[i] != win->kernel[i])
            return knonnx_fail(c, KN_ERROR_VALUE, "kernel_shape says %lld where the kernel has %lld",
                               (long long)kernel[i], (long long)win->kernel[i]);
    }
    return 0;
}

/* A kernel whose values are known has its output features last, as products read it, so that it is turned once and not
 * at each call: the names of its axes then are in `text`. */
static kn_array features_last(const conv *v, kn_lax_conv_numbers *numbers, char text[3][KN_MAX_NDIM + 1])
{
    static const char letters[] = "HWDABEFGJKLMPQRSTUVXYZ";
    int n = v->windows.n;
    int32_t order[KN_MAX_NDIM];
    if (n < 1 || n >= (int)sizeof letters || !kn_is_concrete(v->w))
        return v->w;
    snprintf(text[0], sizeof text[0], "NC%.*s", n, letters);
    snprintf(text[1], sizeof text[1], "%.*sIO", n, letters);
    snprintf(text[2], sizeof text[2], "NC%.*s", n, letters);
    numbers->lhs = text[0];
    numbers->rhs = text[1];
    numbers->out = text[2];
    for (int i = 0; i < n; i++)
        order[i] = 2 + i;
    order[n] = 1;
    order[n + 1] = 0;
    return knonnx_permuted(v->w, n + 2, order);
}

static kn_array convolve(const conv *v, kn_dtype dtype)
{
    char text[3][KN_MAX_NDIM + 1];
    kn_lax_pad_pair pair[KN_MAX_NDIM];
    const knonnx_windows *w = &v->windows;
    kn_shape stride = knonnx_windows_shape(0, w->n, w->stride), dilation = knonnx_windows_shape(0, w->n, w->dilation);
    kn_lax_conv_general_dilated_opts o = kn_lax_conv_general_dilated_opts_default();
    o.rhs_dilation = &dilation;
    o.feature_group_count = v->groups;
    o.preferred_element_type = dtype;
    kn_array kernel = features_last(v, &o.dimension_numbers, text);
    return kn_lax_conv_general_dilated(v->x, kernel, &stride, knonnx_windows_pads(w, 0, pair), &o);
}

static int conv_op(knonnx_call *c)
{
    conv v;
    kn_array bias = knonnx_in_or(c, 2, NULL);
    if (conv_read(c, 0, 1, &v) || knonnx_windows_place(c, &v.windows, false))
        return -1;
    kn_array y = convolve(&v, NULL);
    return knonnx_set(c, 0, bias ? kn_add(y, knonnx_along(bias, 1, v.windows.n + 2)) : y);
}

/* ---- Integers: int8, as in matmul.c. Pads are zero points. */

/* A zero point or a scale: a number, or one for each output feature along `axis`. */
static kn_array zero_of(kn_array zero, kn_dtype dtype, int axis, int ndim)
{
    if (kn_size(zero) == 1)
        return knonnx_as(kn_reshape(zero, &(kn_shape){0, {0}}, NULL), dtype);
    return knonnx_along(knonnx_as(zero, dtype), axis, ndim);
}

/* With the features last: sums of integers are fastest so. */
static kn_array convolve_last(const conv *v, kn_dtype dtype)
{
    int n = v->windows.n;
    kn_lax_pad_pair pair[KN_MAX_NDIM];
    const knonnx_windows *w = &v->windows;
    kn_shape stride = knonnx_windows_shape(0, n, w->stride), dilation = knonnx_windows_shape(0, n, w->dilation);
    kn_lax_conv_general_dilated_opts o = kn_lax_conv_general_dilated_opts_default();
    o.rhs_dilation = &dilation;
    o.feature_group_count = v->groups;
    o.preferred_element_type = dtype;
    o.dimension_numbers.lhs_spec = o.dimension_numbers.rhs_spec = knonnx_axes_from(0, n + 2);
    o.dimension_numbers.out_spec = knonnx_axes_from(0, n + 2);
    o.dimension_numbers.out_spec.axis[1] = n + 1;
    for (int i = 0; i < n; i++)
        o.dimension_numbers.out_spec.axis[2 + i] = 1 + i;
    return kn_lax_conv_general_dilated(v->x, v->w, &stride, knonnx_windows_pads(w, 0, pair), &o);
}

/* The image with its pads. */
static void put_pads(conv *v, kn_array value)
{
    kn_lax_padding pad[KN_MAX_NDIM] = {0};
    bool any = false;
    for (int i = 0; i < v->windows.n; i++) {
        pad[2 + i] = (kn_lax_padding){v->windows.low[i], v->windows.high[i], 0};
        any = any || v->windows.low[i] || v->windows.high[i];
        v->windows.low[i] = v->windows.high[i] = 0;
    }
    if (any)
        v->x = kn_lax_pad(v->x, value, (kn_lax_padding_config){v->windows.n + 2, pad});
}

/* (x - p) * (w - q), features last: x * w less p times the sums of w, or, where the kernel has a zero point, of 16
 * bits. */
static kn_array integer_conv(knonnx_call *c, conv *v, int ix_zero, int iw_zero)
{
    int n = v->windows.n;
    kn_array p, q;
    v->x = knonnx_int8(c, v->x, ix_zero, &p);
    v->w = knonnx_int8(c, v->w, iw_zero, &q);
    if (p && kn_size(p) != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "the zero point of an image has %lld elements", (long long)kn_size(p)),
               NULL;
    p = p ? kn_reshape(p, &(kn_shape){0, {0}}, NULL) : NULL;
    if (q) {
        v->x = knonnx_as(v->x, KN_I16);
        v->x = p ? kn_subtract(v->x, knonnx_as(p, KN_I16)) : v->x;
        v->w = kn_subtract(knonnx_as(v->w, KN_I16), zero_of(q, KN_I16, 0, n + 2));
        return convolve_last(v, KN_I32);
    }
    if (!p)
        return convolve_last(v, KN_I32);
    kn_axes axes = knonnx_axes_from(1, n + 2);
    put_pads(v, knonnx_as(p, KN_I8));
    return kn_subtract(convolve_last(v, KN_I32), kn_multiply(p, knonnx_summed(knonnx_as(v->w, KN_I32), &axes, false)));
}

static kn_array features_first(kn_array x, int n)
{
    int32_t order[KN_MAX_NDIM] = {0, n + 1};
    for (int i = 0; i < n; i++)
        order[2 + i] = 1 + i;
    return knonnx_permuted(x, n + 2, order);
}

static int conv_integer(knonnx_call *c)
{
    conv v;
    if (conv_read(c, 0, 1, &v) || knonnx_windows_place(c, &v.windows, false))
        return -1;
    kn_array y = integer_conv(c, &v, 2, 3);
    return y ? knonnx_set(c, 0, features_first(y, v.windows.n)) : -1;
}

static int qlinear_conv(knonnx_call *c)
{
    conv v;
    kn_array in[8], bias = knonnx_in_or(c, 8, NULL);
    for (int i = 0; i < 8; i++)
        if (!(in[i] = knonnx_in(c, i)))
            return -1;
    if (conv_read(c, 0, 3, &v) || knonnx_windows_place(c, &v.windows, false))
        return -1;
    int n = v.windows.n, last = n + 1;
    kn_array y = integer_conv(c, &v, 2, 5);
    if (!y)
        return -1;
    y = bias ? kn_add(y, knonnx_as(bias, KN_I32)) : y;
    kn_array scale = kn_multiply(zero_of(in[1], KN_F32, last, n + 2), zero_of(in[4], KN_F32, last, n + 2));
    y = kn_multiply(knonnx_as(y, KN_F32), kn_divide(scale, zero_of(in[6], KN_F32, last, n + 2)));
    y = kn_add(kn_rint(y), zero_of(in[7], KN_F32, last, n + 2));
    return knonnx_set(c, 0, features_first(knonnx_saturated(y, kn_dtype_of(in[7])), n));
}

/* ---- ConvTranspose: the gradient of a convolution by its image, as a convolution of x with holes. */

/* The kernel (C, M / group, ...) as (M, C / group, ...), backwards along its windows. */
static kn_array turned(kn_array w, int64_t groups, int n)
{
    kn_shape s = kn_shape_of(w), parts = {n + 3, {groups, s.dim[0] / groups, s.dim[1]}};
    kn_shape whole = {n + 2, {groups * s.dim[1], s.dim[0] / groups}};
    kn_axes back = knonnx_axes_from(2, n + 2);
    for (int i = 0; i < n; i++)
        parts.dim[3 + i] = whole.dim[2 + i] = s.dim[2 + i];
    w = n ? kn_lax_rev(w, &back) : w;
    return knonnx_reshaped(kn_swapaxes(knonnx_reshaped(w, &parts), 1, 2), &whole);
}

/* How much of the whole result is cut off at both ends. */
static int transpose_pads(knonnx_call *c, knonnx_windows *w, const int64_t *more)
{
    int64_t wanted[KN_MAX_NDIM];
    const char *pad = knonnx_string(c, "auto_pad", "NOTSET");
    int given;
    const int64_t *list = knonnx_ints(c, "output_shape", &given);
    if (!pad)
        return -1;
    bool same = !strncmp(pad, "SAME_", 5);
    list = list && given == w->n + 2 ? list + 2 : list; /* batch and features may stand in front */
    if (list && given != w->n && given != w->n + 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "output_shape has %d numbers for %d dimensions", given, w->n);
    for (int i = 0; i < w->n; i++) {
        int64_t whole = w->stride[i] * (w->in[i] - 1) + more[i] + (w->kernel[i] - 1) * w->dilation[i] + 1;
        if (list || same) {
            if (list && (list[i] < 0 || list[i] > INT32_MAX))
                return knonnx_fail(c, KN_ERROR_VALUE, "output_shape has the number %lld", (long long)list[i]);
            wanted[i] = list ? list[i] : w->in[i] * w->stride[i];
            int64_t total = whole - wanted[i];
            int64_t half = total > 0 ? total / 2 : 0;
            if (total < 0) { /* more than there is: zeros at the end */
                w->low[i] = 0;
                w->high[i] = total;
                continue;
            }
            w->low[i] = !strcmp(pad, "SAME_UPPER") ? half : total - half;
            w->high[i] = total - w->low[i];
        } else if (!strcmp(pad, "VALID"))
            w->low[i] = w->high[i] = 0;
    }
    return 0;
}

static int conv_transpose(knonnx_call *c)
{
    conv v;
    int64_t more[KN_MAX_NDIM];
    kn_array bias = knonnx_in_or(c, 2, NULL);
    knonnx_windows *w = &v.windows;
    if (conv_read(c, 0, 1, &v) || knonnx_window_list(c, "output_padding", w->n, 0, 0, more) ||
        transpose_pads(c, w, more))
        return -1;
    if (kn_dim(v.x, 1) != kn_dim(v.w, 0) || kn_dim(v.w, 0) % v.groups)
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld features in %lld groups and a kernel for %lld",
                           (long long)kn_dim(v.x, 1), (long long)v.groups, (long long)kn_dim(v.w, 0));
    kn_shape ones = {w->n, {0}}, holes = knonnx_windows_shape(0, w->n, w->stride);
    kn_shape dilation = knonnx_windows_shape(0, w->n, w->dilation);
    kn_lax_pad_pair pair[KN_MAX_NDIM];
    for (int i = 0; i < w->n; i++) {
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i];
        ones.dim[i] = 1;
        pair[i] = (kn_lax_pad_pair){reach - w->low[i], reach - w->high[i] + more[i]};
    }
    kn_lax_conv_general_dilated_opts o = kn_lax_conv_general_dilated_opts_default();
    o.lhs_dilation = &holes;
    o.rhs_dilation = &dilation;
    o.feature_group_count = v.groups;
    kn_array y =
        kn_lax_conv_general_dilated(v.x, turned(v.w, v.groups, w->n), &ones, (kn_lax_pads){NULL, w->n, pair}, &o);
    return knonnx_set(c, 0, bias ? kn_add(y, knonnx_along(bias, 1, w->n + 2)) : y);
}

/* ---- Col2Im: sums of columns where their windows lie, the transpose of taking windows. */

/* Windows over an image as a scatter of sums: positions of each element of each window, flat in the padded image. */
static kn_array window_positions(const knonnx_windows *w, const int64_t *padded)
{
    int n = w->n;
    kn_array at = NULL;
    int64_t step = 1;
    kn_shape s = {2 * n, {0}};
    for (int i = n; i-- > 0; step *= padded[i]) {
        for (int d = 0; d < 2 * n; d++)
            s.dim[d] = 1;
        s.dim[i] = w->kernel[i];
        kn_array inner =
            kn_reshape(kn_multiply(knonnx_counted(w->kernel[i], KN_I64), kn_like_int(w->dilation[i] * step)), &s, NULL);
        s.dim[i] = 1;
        s.dim[n + i] = w->out[i];
        kn_array outer =
            kn_reshape(kn_multiply(knonnx_counted(w->out[i], KN_I64), kn_like_int(w->stride[i] * step)), &s, NULL);
        kn_array both = kn_add(inner, outer);
        at = at ? kn_add(at, both) : both;
    }
    return kn_reshape(at, KNONNX_SHAPE(-1, 1), NULL);
}

static int col2im_read(knonnx_call *c, kn_array x, knonnx_windows *w)
{
    int n, blocks;
    const int64_t *image = knonnx_ints_in(c, 1, &n), *block = image ? knonnx_ints_in(c, 2, &blocks) : NULL;
    if (!block)
        return -1;
    if (n != blocks || n < 1 || kn_ndim(x) != 3)
        return knonnx_fail(c, KN_ERROR_VALUE, "an image of %d dimensions, blocks of %d and columns with %d axes", n,
                           blocks, kn_ndim(x));
    w->n = n;
    if (knonnx_windows_read(c, w))
        return -1;
    for (int i = 0; i < n; i++) {
        w->in[i] = image[i];
        w->kernel[i] = block[i];
        if (image[i] < 1 || block[i] < 1 || image[i] > INT32_MAX || block[i] > INT32_MAX)
            return knonnx_fail(c, KN_ERROR_VALUE, "an image or a block with an extent below 1");
    }
    return knonnx_windows_place(c, w, false);
}

static int col2im(knonnx_call *c)
{
    knonnx_windows w;
    kn_array x = knonnx_in(c, 0);
    if (!x || col2im_read(c, x, &w))
        return -1;
    int64_t padded[KN_MAX_NDIM], size = 1, kernel = 1, windows = 1;
    for (int i = 0; i < w.n; i++) {
        padded[i] = w.in[i] + w.low[i] + w.high[i];
        if (__builtin_mul_overflow(size, padded[i], &size) || __builtin_mul_overflow(kernel, w.kernel[i], &kernel) ||
            __builtin_mul_overflow(windows, w.out[i], &windows))
            return knonnx_fail(c, KN_ERROR_VALUE, "the image or its windows have too many elements");
    }
    kn_shape s = kn_shape_of(x), image = {w.n + 1, {0}};
    if (s.dim[1] % kernel || s.dim[2] != windows)
        return knonnx_fail(c, KN_ERROR_VALUE, "columns of shape (%lld, %lld, %lld) for %lld windows of %lld elements",
                           (long long)s.dim[0], (long long)s.dim[1], (long long)s.dim[2], (long long)windows,
                           (long long)kernel);
    int64_t batch = s.dim[0], features = s.dim[1] / kernel;
    kn_array rows = kn_reshape(x, KNONNX_SHAPE(batch * features, kernel * windows), NULL);
    kn_lax_scatter_dimension_numbers numbers = {.update_window_dims = knonnx_one_axis(0),
                                                .inserted_window_dims = knonnx_one_axis(1),
                                                .scatter_dims_to_operand_dims = knonnx_one_axis(1)};
    kn_array y = kn_lax_scatter_add(knonnx_zeros(KNONNX_SHAPE(batch * features, size), kn_dtype_of(x)),
                                    window_positions(&w, padded), rows, &numbers, NULL);
    image.dim[0] = batch * features;
    for (int i = 0; i < w.n; i++)
        image.dim[i + 1] = padded[i];
    y = knonnx_reshaped(y, &image);
    kn_shape whole = {w.n + 2, {batch, features}};
    for (int i = 0; i < w.n; i++) {
        y = knonnx_sliced(y, i + 1, w.low[i], w.low[i] + w.in[i], 1);
        whole.dim[2 + i] = w.in[i];
    }
    return knonnx_set(c, 0, knonnx_reshaped(y, &whole));
}

/* ---- CausalConvWithState: each feature by its own kernel, over what came before and what comes. */

static int causal_conv(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), w = knonnx_in(c, 1), bias = knonnx_in_or(c, 2, NULL);
    const char *act = knonnx_string(c, "activation", "none");
    if (!x || !w || !act)
        return -1;
    kn_shape s = kn_shape_of(x), t = kn_shape_of(w);
    if (s.ndim != 3 || t.ndim != 3 || t.dim[0] != s.dim[1] || t.dim[1] != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "an input with %d axes and a kernel that is not (channels, 1, k)",
                           s.ndim);
    bool silu = !strcmp(act, "silu") || !strcmp(act, "swish");
    if (!silu && strcmp(act, "none"))
        return knonnx_fail(c, KN_ERROR_VALUE, "activation \"%.40s\" is none of silu, swish and none", act);
    int64_t before = t.dim[2] - 1;
    kn_array past = knonnx_in_or(c, 3, NULL);
    past = past ? past : knonnx_zeros(KNONNX_SHAPE(s.dim[0], s.dim[1], before), kn_dtype_of(x));
    kn_array all = knonnx_joined(2, 2, (kn_array[]){past, x});
    conv v = {.x = all, .w = w, .groups = s.dim[1], .windows = {.n = 1, .stride = {1}, .dilation = {1}}};
    kn_array y = convolve(&v, NULL);
    y = bias ? kn_add(y, knonnx_along(bias, 1, 3)) : y;
    y = silu ? knonnx_as(kn_nn_silu(knonnx_as(y, knonnx_work_dtype(kn_dtype_of(y)))), kn_dtype_of(x)) : y;
    if (knonnx_set(c, 0, y))
        return -1;
    int64_t length = kn_dim(all, 2);
    return knonnx_wants(c, 1) ? knonnx_set(c, 1, knonnx_sliced(all, 2, length - before, length, 1)) : 0;
}

const knonnx_row knonnx_rows_conv[] = {
    {"Conv", 1, conv_op, 2, 3, 1, 1},
    {"ConvInteger", 10, conv_integer, 2, 4, 1, 1},
    {"QLinearConv", 10, qlinear_conv, 8, 9, 1, 1},
    {"ConvTranspose", 1, conv_transpose, 2, 3, 1, 1},
    {"Col2Im", 18, col2im, 3, 3, 1, 1},
    {"CausalConvWithState", 27, causal_conv, 2, 4, 1, 2},
    {0},
};
