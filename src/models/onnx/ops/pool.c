/* SPDX-License-Identifier: Apache-2.0
 * pool.c -- the mean, the largest element and norms of windows and of whole images, and MaxUnpool. */
#include "models/onnx/ops/layers.h"

/* Reads what all pools have: x (N, C, ...) and its windows; NULL with an error. */
static kn_array pool_read(knonnx_call *c, knonnx_windows *w)
{
    kn_array x = knonnx_in(c, 0);
    int n;
    const int64_t *kernel = knonnx_ints(c, "kernel_shape", &n);
    if (!x)
        return NULL;
    kn_shape s = kn_shape_of(x);
    if (!kernel || s.ndim != n + 2) {
        knonnx_fail(c, KN_ERROR_VALUE, "kernel_shape has %d numbers, and the image %d axes", n, s.ndim);
        return NULL;
    }
    w->n = n;
    if (knonnx_windows_read(c, w))
        return NULL;
    for (int i = 0; i < n; i++) {
        w->kernel[i] = kernel[i];
        w->in[i] = s.dim[2 + i];
        if (kernel[i] < 1 || kernel[i] > INT32_MAX) {
            knonnx_fail(c, KN_ERROR_VALUE, "kernel_shape has the number %lld", (long long)kernel[i]);
            return NULL;
        }
    }
    return knonnx_windows_place(c, w, knonnx_int(c, "ceil_mode", 0) != 0) ? NULL : x;
}

/* The pads with which the windows cover just what they see: the last one may end beyond the pads (ceil_mode) or
 * before. */
static knonnx_windows covering(const knonnx_windows *w)
{
    knonnx_windows v = *w;
    for (int i = 0; i < w->n; i++)
        v.high[i] = (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->in[i] - w->low[i];
    return v;
}

typedef kn_array reduce(kn_array, const kn_shape *, const kn_lax_reduce_window_opts *);

/* One dimension after the other, the first one first: fewer elements are left for the last one, which is slower. */
static kn_array reduced(kn_array x, const knonnx_windows *w, reduce *by)
{
    knonnx_windows v = covering(w);
    for (int i = 0; i < w->n; i++) {
        kn_lax_pad_pair pair[KN_MAX_NDIM] = {0};
        kn_shape window = {w->n + 2, {0}}, stride, dilation;
        for (int d = 0; d < w->n + 2; d++)
            window.dim[d] = 1;
        stride = dilation = window;
        window.dim[2 + i] = w->kernel[i];
        stride.dim[2 + i] = w->stride[i];
        dilation.dim[2 + i] = w->dilation[i];
        pair[2 + i] = (kn_lax_pad_pair){v.low[i], v.high[i]};
        kn_lax_reduce_window_opts o = kn_lax_reduce_window_opts_default();
        o.window_strides = &stride;
        o.window_dilation = &dilation;
        o.padding = (kn_lax_pads){NULL, w->n + 2, pair};
        if (w->kernel[i] > 1 || w->stride[i] > 1 || v.low[i] || v.high[i])
            x = by(x, &window, &o);
    }
    return x;
}

/* ---- Means. */

/* How many elements the windows along dimension i count: those of the array, or also those of the pads. */
static kn_array counts(knonnx_call *c, const knonnx_windows *w, int i, bool pads, kn_dtype dtype)
{
    int64_t first = pads ? 0 : w->low[i], last = w->low[i] + w->in[i] + (pads ? w->high[i] : 0);
    double *count = knonnx_take(c, (uint64_t)w->out[i] + 1, sizeof *count);
    if (!count)
        return NULL;
    for (int64_t at = 0; at < w->out[i]; at++)
        for (int64_t k = 0; k < w->kernel[i]; k++) {
            int64_t place = at * w->stride[i] + k * w->dilation[i];
            count[at] += place >= first && place < last;
        }
    kn_array all = kn_from_memory(count, &(kn_shape){1, {w->out[i]}}, KN_F64);
    return knonnx_along(knonnx_as(all, dtype), 2 + i, w->n + 2);
}

static int average_pool(knonnx_call *c)
{
    knonnx_windows w;
    kn_array x = pool_read(c, &w), count = NULL;
    if (!x)
        return -1;
    kn_dtype d = kn_dtype_of(x), wide = knonnx_work_dtype(d);
    bool pads = knonnx_int(c, "count_include_pad", 0) != 0, all = true;
    double whole = 1;
    knonnx_windows v = covering(&w);
    for (int i = 0; i < w.n; i++) {
        all = all && (pads || (w.low[i] == 0 && w.high[i] == 0)) && v.high[i] <= w.high[i];
        whole *= (double)w.kernel[i];
    }
    for (int i = 0; i < w.n && !all; i++) {
        kn_array one = counts(c, &w, i, pads, wide);
        if (!one)
            return -1;
        count = count ? kn_multiply(count, one) : one;
    }
    kn_array y = reduced(knonnx_as(x, wide), &w, kn_lax_reduce_window_sum);
    return knonnx_set(c, 0, knonnx_as(kn_divide(y, count ? count : kn_like_double(whole)), d));
}

/* ---- Norms. */

static kn_array norm_begin(kn_array x, double p)
{
    if (p == 1)
        return kn_abs(x);
    return p == 2 ? kn_square(x) : kn_power(kn_abs(x), kn_like_double(p));
}

static kn_array norm_end(kn_array y, double p)
{
    if (p == 1)
        return y;
    return p == 2 ? kn_sqrt(y) : kn_power(y, kn_like_double(1 / p));
}

/* p is a float in version 1, later an integer. */
static double norm_of(knonnx_call *c)
{
    return c->version < 2 ? knonnx_float(c, "p", 2) : (double)knonnx_int(c, "p", 2);
}

static int lp_pool(knonnx_call *c)
{
    knonnx_windows w;
    kn_array x = pool_read(c, &w);
    if (!x)
        return -1;
    kn_dtype d = kn_dtype_of(x);
    double p = norm_of(c);
    kn_array y = reduced(norm_begin(knonnx_as(x, knonnx_work_dtype(d)), p), &w, kn_lax_reduce_window_sum);
    return knonnx_set(c, 0, knonnx_as(norm_end(y, p), d));
}

/* ---- Whole images. */

static kn_array image_of(knonnx_call *c, kn_axes *axes)
{
    kn_array x = knonnx_in(c, 0);
    int ndim = x ? kn_ndim(x) : -1;
    if (ndim >= 2)
        *axes = knonnx_axes_from(2, ndim);
    else if (ndim >= 0)
        knonnx_fail(c, KN_ERROR_VALUE, "an image has at least two axes, not %d", ndim);
    return ndim >= 2 ? x : NULL;
}

static int global_average(knonnx_call *c)
{
    kn_axes axes;
    kn_array x = image_of(c, &axes);
    return x ? knonnx_set(c, 0, knonnx_averaged(x, &axes, true)) : -1;
}

static int global_max(knonnx_call *c)
{
    kn_axes axes;
    kn_array x = image_of(c, &axes);
    return x ? knonnx_set(c, 0, knonnx_maximal(x, &axes, true)) : -1;
}

static int global_lp(knonnx_call *c)
{
    kn_axes axes;
    kn_array x = image_of(c, &axes);
    double p = norm_of(c);
    if (!x)
        return -1;
    kn_array y = norm_begin(knonnx_as(x, knonnx_work_dtype(kn_dtype_of(x))), p);
    return knonnx_set(c, 0, knonnx_as(norm_end(knonnx_summed(y, &axes, true), p), kn_dtype_of(x)));
}

/* ---- The largest element, and where it is. */

/* Where each element of one image stands in it: the last axis fastest, or the first one. */
static kn_array places(const knonnx_windows *w, bool columns)
{
    kn_array at = NULL;
    int64_t step = 1;
    for (int k = 0; k < w->n; k++) {
        int i = columns ? k : w->n - 1 - k;
        kn_array one = kn_multiply(knonnx_counted(w->in[i], KN_I64), kn_like_int(step));
        one = knonnx_along(one, 2 + i, w->n + 2);
        at = at ? kn_add(at, one) : one;
        step *= w->in[i];
    }
    return at;
}

/* What stands at one place of all windows. */
static kn_array window_part(kn_array padded, const knonnx_windows *w, const int64_t *k)
{
    for (int i = 0; i < w->n; i++) {
        int64_t start = k[i] * w->dilation[i];
        padded = knonnx_sliced(padded, 2 + i, start, start + (w->out[i] - 1) * w->stride[i] + 1, w->stride[i]);
    }
    return padded;
}

static kn_array padded_by(kn_array x, const knonnx_windows *w, kn_array value)
{
    kn_lax_padding pad[KN_MAX_NDIM] = {0};
    knonnx_windows v = covering(w);
    for (int i = 0; i < w->n; i++)
        pad[2 + i] = (kn_lax_padding){v.low[i], v.high[i], 0};
    return kn_lax_pad(x, value, (kn_lax_padding_config){w->n + 2, pad});
}

static kn_array least(kn_dtype d)
{
    double low = kn_dtype_kind(d) == 'u' ? 0 : -__builtin_ldexp(1, 8 * (int)kn_dtype_size(d) - 1);
    return knonnx_filled(&(kn_shape){0, {0}}, knonnx_float_dtype(d) ? -__builtin_inf() : low, d);
}

/* The place of the first of the largest elements of each window: all its places are looked at in turn. */
static kn_array argmax_of_windows(kn_array x, const knonnx_windows *w, bool columns)
{
    kn_array values = padded_by(x, w, least(kn_dtype_of(x)));
    kn_array at = padded_by(places(w, columns), w, knonnx_filled(&(kn_shape){0, {0}}, -1, KN_I64));
    kn_array best = NULL, where = NULL;
    int64_t k[KN_MAX_NDIM] = {0};
    for (int i = w->n; i >= 0;) {
        kn_array value = window_part(values, w, k), place = window_part(at, w, k);
        if (best) {
            kn_array inside = kn_greater_equal(place, kn_like_int(0)), none = kn_less(where, kn_like_int(0));
            kn_array better = kn_logical_and(inside, kn_logical_or(kn_greater(value, best), none));
            where = kn_where(better, place, where);
            best = kn_where(better, value, best);
        } else {
            where = place;
            best = value;
        }
        for (i = w->n - 1; i >= 0 && ++k[i] == w->kernel[i]; i--)
            k[i] = 0;
    }
    return where;
}

static int max_pool(knonnx_call *c)
{
    knonnx_windows w;
    kn_array x = pool_read(c, &w);
    if (!x || knonnx_set(c, 0, reduced(x, &w, kn_lax_reduce_window_max)))
        return -1;
    if (!knonnx_wants(c, 1))
        return 0;
    kn_shape s = kn_shape_of(x);
    int64_t image = 1;
    for (int i = 0; i < w.n; i++)
        image *= w.in[i];
    kn_array where = argmax_of_windows(x, &w, knonnx_int(c, "storage_order", 0) != 0);
    kn_array first = kn_multiply(knonnx_counted(s.dim[0] * s.dim[1], KN_I64), kn_like_int(image));
    kn_shape leading = {w.n + 2, {s.dim[0], s.dim[1]}};
    for (int i = 0; i < w.n; i++)
        leading.dim[2 + i] = 1;
    return knonnx_set(c, 1, kn_add(where, knonnx_reshaped(first, &leading)));
}

/* ---- MaxUnpool: places count in the tensor that kernel, strides and pads say; output_shape may be larger. */

static int max_unpool(knonnx_call *c)
{
    knonnx_windows w;
    kn_array x = knonnx_in(c, 0), at = knonnx_in(c, 1);
    int n, given = 0;
    const int64_t *kernel = knonnx_ints(c, "kernel_shape", &n), *wanted = NULL;
    if (!x || !at)
        return -1;
    kn_shape s = kn_shape_of(x);
    if (!kernel || s.ndim != n + 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "kernel_shape has %d numbers, and the image %d axes", n, s.ndim);
    w.n = n;
    if (knonnx_windows_read(c, &w))
        return -1;
    if (knonnx_has(c, 2) && (!(wanted = knonnx_ints_in(c, 2, &given)) || given != s.ndim))
        return wanted ? knonnx_fail(c, KN_ERROR_VALUE, "output_shape has %d numbers for %d axes", given, s.ndim) : -1;
    kn_shape whole = s;
    int64_t size = s.dim[0] * s.dim[1];
    kn_lax_padding pad[KN_MAX_NDIM] = {0};
    for (int i = 0; i < n; i++) {
        whole.dim[2 + i] = (s.dim[2 + i] - 1) * w.stride[i] - w.low[i] - w.high[i] + kernel[i];
        if (kernel[i] < 1 || kernel[i] > INT32_MAX || whole.dim[2 + i] < 1)
            return knonnx_fail(c, KN_ERROR_VALUE, "kernel_shape has the number %lld", (long long)kernel[i]);
        size *= whole.dim[2 + i];
    }
    kn_lax_scatter_dimension_numbers numbers = {.update_window_dims = {{1}, {0}},
                                                .inserted_window_dims = knonnx_one_axis(0),
                                                .scatter_dims_to_operand_dims = knonnx_one_axis(0)};
    kn_array y = kn_lax_scatter(knonnx_zeros(KNONNX_SHAPE(size), kn_dtype_of(x)),
                                kn_reshape(at, KNONNX_SHAPE(-1, 1), NULL), kn_ravel(x, NULL), &numbers, NULL);
    y = knonnx_reshaped(y, &whole);
    for (int i = 0; i < s.ndim && wanted; i++) {
        if (wanted[i] < 0 || wanted[i] > INT32_MAX)
            return knonnx_fail(c, KN_ERROR_VALUE, "output_shape has the number %lld", (long long)wanted[i]);
        pad[i].high = wanted[i] - whole.dim[i];
    }
    if (wanted)
        y = kn_lax_pad(y, knonnx_zeros(&(kn_shape){0, {0}}, kn_dtype_of(x)), (kn_lax_padding_config){s.ndim, pad});
    return knonnx_set(c, 0, y);
}

const knonnx_row knonnx_rows_pool[] = {
    {"AveragePool", 1, average_pool, 1, 1, 1, 1},
    {"MaxPool", 1, max_pool, 1, 1, 1, 1},
    {"MaxPool", 8, max_pool, 1, 1, 1, 2},
    {"LpPool", 1, lp_pool, 1, 1, 1, 1},
    {"GlobalAveragePool", 1, global_average, 1, 1, 1, 1},
    {"GlobalMaxPool", 1, global_max, 1, 1, 1, 1},
    {"GlobalLpPool", 1, global_lp, 1, 1, 1, 1},
    {"MaxUnpool", 9, max_unpool, 2, 3, 1, 1},
    {0},
};
