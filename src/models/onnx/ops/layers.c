/* SPDX-License-Identifier: Apache-2.0
 * layers.c -- short forms of Kiln's functions, and the geometry of windows. */
#include "models/onnx/ops/layers.h"

kn_array knonnx_zeros(const kn_shape *shape, kn_dtype dtype)
{
    return kn_zeros(shape, KNONNX_O(kn_zeros_opts, .dtype = dtype));
}

kn_array knonnx_filled(const kn_shape *shape, double v, kn_dtype dtype)
{
    return kn_full(shape, kn_like_double(v), KNONNX_O(kn_zeros_opts, .dtype = dtype));
}

kn_array knonnx_reshaped(kn_array x, const kn_shape *shape) { return kn_reshape(x, shape, NULL); }

kn_array knonnx_permuted(kn_array x, int n, const int32_t *order)
{
    kn_axes axes = {{n + 1}, {0}};
    for (int i = 0; i < n; i++)
        axes.axis[i] = order[i];
    return kn_transpose(x, KNONNX_O(kn_transpose_opts, .axes = axes));
}

kn_array knonnx_sliced(kn_array x, int axis, int64_t start, int64_t stop, int64_t step)
{
    return kn_lax_slice_in_dim(x, start, stop,
                               KNONNX_O(kn_lax_slice_in_dim_opts, .axis = knonnx_one_axis(axis), .stride = step));
}

kn_array knonnx_joined(int axis, int n, const kn_array *x)
{
    return kn_concatenate(kn_list_from(x, n), KNONNX_O(kn_concatenate_opts, .axis = knonnx_one_axis(axis)));
}

kn_array knonnx_taken(kn_array x, int axis, kn_array positions)
{
    return kn_take(x, positions, KNONNX_O(kn_take_opts, .axis = knonnx_one_axis(axis), .mode = "clip"));
}

kn_array knonnx_counted(int64_t n, kn_dtype dtype) { return kn_lax_iota(dtype, n); }

kn_axes knonnx_one_axis(int axis) { return (kn_axes){{2}, {axis}}; }

kn_axes knonnx_axes_from(int first, int ndim)
{
    kn_axes axes = {{1}, {0}};
    for (int d = first; d < ndim; d++)
        axes.axis[axes.n++ - 1] = d;
    return axes;
}

kn_array knonnx_summed(kn_array x, const kn_axes *axes, bool keepdims)
{
    return kn_sum(x, KNONNX_O(kn_sum_opts, .axis = *axes, .keepdims = keepdims, .dtype = kn_dtype_of(x)));
}

kn_array knonnx_averaged(kn_array x, const kn_axes *axes, bool keepdims)
{
    return kn_mean(x, KNONNX_O(kn_mean_opts, .axis = *axes, .keepdims = keepdims));
}

kn_array knonnx_maximal(kn_array x, const kn_axes *axes, bool keepdims)
{
    return kn_max(x, KNONNX_O(kn_max_opts, .axis = *axes, .keepdims = keepdims));
}

kn_array knonnx_saturated(kn_array x, kn_dtype dtype)
{
    int bits = (int)kn_dtype_size(dtype) * 8;
    bool sign = kn_dtype_kind(dtype) == 'i';
    x = knonnx_float_dtype(kn_dtype_of(x)) ? kn_rint(x) : x;
    if (bits >= 64)
        return knonnx_as(x, dtype);
    double low = sign ? -__builtin_ldexp(1, bits - 1) : 0, high = __builtin_ldexp(1, sign ? bits - 1 : bits) - 1;
    if (knonnx_float_dtype(kn_dtype_of(x)))
        x = kn_clip(x, kn_like_double(low), kn_like_double(high));
    else
        x = kn_clip(x, kn_like_int((int64_t)low), kn_like_int((int64_t)high));
    return knonnx_as(x, dtype);
}

/* Whether all elements of an input are known to be one number. */
static bool all_are(knonnx_call *c, int i, int64_t number)
{
    int n;
    const int64_t *v = knonnx_known(c, i) ? knonnx_ints_in(c, i, &n) : NULL;
    for (int k = 0; v && k < n; k++)
        if (v[k] != number)
            return false;
    return v;
}

kn_array knonnx_int8(knonnx_call *c, kn_array x, int zero, kn_array *p)
{
    bool unsign = kn_dtype_of(x) == KN_U8, has = knonnx_has(c, zero);
    kn_array z = has ? knonnx_as(knonnx_in(c, zero), KN_I32) : NULL;
    const int8_t top = -128;
    if (unsign)
        x = kn_bitwise_xor(kn_lax_bitcast_convert_type(x, KN_I8), kn_strong(&top, KN_I8));
    *p = !has ? (unsign ? knonnx_as(kn_like_int(-128), KN_I32) : NULL)
              : (all_are(c, zero, unsign ? 128 : 0) ? NULL
                 : unsign                           ? kn_subtract(z, kn_like_int(128))
                                                    : z);
    return x;
}

bool knonnx_float_dtype(kn_dtype dtype) { return dtype && kn_dtype_kind(dtype) == 'f'; }

kn_dtype knonnx_work_dtype(kn_dtype dtype)
{
    return knonnx_float_dtype(dtype) && kn_dtype_size(dtype) < 4 ? KN_F32 : dtype;
}

/* ---- Windows. */

int knonnx_window_list(knonnx_call *c, const char *name, int n, int64_t least, int64_t otherwise, int64_t *out)
{
    int given;
    const int64_t *list = knonnx_ints(c, name, &given);
    if (list && given != n)
        return knonnx_fail(c, KN_ERROR_VALUE, "%s has %d numbers, and there are %d", name, given, n);
    for (int i = 0; i < n; i++) {
        out[i] = list ? list[i] : otherwise;
        if (out[i] < least || out[i] > INT32_MAX)
            return knonnx_fail(c, KN_ERROR_VALUE, "%s has the number %lld", name, (long long)out[i]);
    }
    return 0;
}

int knonnx_windows_read(knonnx_call *c, knonnx_windows *w)
{
    int64_t pads[2 * KN_MAX_NDIM];
    if (w->n > KN_MAX_NDIM / 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "windows of %d dimensions are too many", w->n);
    if (knonnx_window_list(c, "strides", w->n, 1, 1, w->stride) ||
        knonnx_window_list(c, "dilations", w->n, 1, 1, w->dilation) ||
        knonnx_window_list(c, "pads", 2 * w->n, 0, 0, pads))
        return -1;
    for (int i = 0; i < w->n; i++) {
        w->low[i] = pads[i];
        w->high[i] = pads[w->n + i];
    }
    return 0;
}

int knonnx_windows_place(knonnx_call *c, knonnx_windows *w, bool ceil_mode)
{
    const char *pad = knonnx_string(c, "auto_pad", "NOTSET");
    bool same = pad && (!strcmp(pad, "SAME_UPPER") || !strcmp(pad, "SAME_LOWER"));
    bool valid = pad && !strcmp(pad, "VALID");
    if (!pad || (!same && !valid && strcmp(pad, "NOTSET")))
        return pad ? knonnx_fail(c, KN_ERROR_VALUE, "auto_pad \"%.40s\" is none", pad) : -1;
    for (int i = 0; i < w->n; i++) {
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1, stride = w->stride[i];
        if (same) {
            int64_t need = (kn_dim_max(1, (w->in[i] + stride - 1) / stride) - 1) * stride + reach - w->in[i];
            need = need > 0 ? need : 0;
            w->low[i] = !strcmp(pad, "SAME_UPPER") ? need / 2 : need - need / 2;
            w->high[i] = need - w->low[i];
        } else if (valid)
            w->low[i] = w->high[i] = 0;
        int64_t room = w->in[i] + w->low[i] + w->high[i] - reach;
        if (room < 0)
            return knonnx_fail(c, KN_ERROR_VALUE, "a window over %lld elements does not fit into %lld",
                               (long long)reach, (long long)room + reach);
        w->out[i] = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
        if (ceil_mode && (w->out[i] - 1) * stride >= w->in[i] + w->low[i])
            w->out[i]--;
    }
    return 0;
}

kn_lax_pads knonnx_windows_pads(const knonnx_windows *w, int leading, kn_lax_pad_pair pair[KN_MAX_NDIM])
{
    for (int i = 0; i < leading; i++)
        pair[i] = (kn_lax_pad_pair){0, 0};
    for (int i = 0; i < w->n; i++)
        pair[leading + i] = (kn_lax_pad_pair){w->low[i], w->high[i]};
    return (kn_lax_pads){NULL, leading + w->n, pair};
}

kn_shape knonnx_windows_shape(int leading, int n, const int64_t *list)
{
    kn_shape s = {leading + n, {0}};
    for (int i = 0; i < leading; i++)
        s.dim[i] = 1;
    for (int i = 0; i < n; i++)
        s.dim[leading + i] = list[i];
    return s;
}
