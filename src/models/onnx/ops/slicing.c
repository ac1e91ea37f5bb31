/* SPDX-License-Identifier: Apache-2.0
 * slicing.c -- operators that cut parts out of an array and put edges around it. */
#include "models/onnx/ops/slicing.h"
#include <stdio.h>

/* ---- Slice. */

typedef struct cut {
    bool is, end;
    int64_t start, stop, step;
} cut;

static kn_array cut_out(kn_array x, int ndim, const cut *cuts)
{
    char text[KN_MAX_NDIM * 72];
    size_t n = 0;
    for (int k = 0; k < ndim; k++) {
        const cut *a = &cuts[k];
        n += (size_t)snprintf(text + n, sizeof text - n, k ? "," : "");
        if (!a->is)
            n += (size_t)snprintf(text + n, sizeof text - n, ":");
        else if (a->end)
            n += (size_t)snprintf(text + n, sizeof text - n, "%lld::%lld", (long long)a->start, (long long)a->step);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%lld:%lld:%lld", (long long)a->start, (long long)a->stop,
                                  (long long)a->step);
    }
    return ndim ? kn_at(x, text, 0, NULL) : x;
}

kn_array knonnx_cut(kn_array x, int axis, int64_t start, int64_t stop)
{
    cut cuts[KN_MAX_NDIM] = {0};
    int ndim = kn_ndim(x);
    if (ndim < 0 || axis >= ndim)
        return x;
    cuts[axis] = (cut){true, false, start, stop, 1};
    return cut_out(x, ndim, cuts);
}

static int64_t clamp(int64_t v, int64_t lower, int64_t upper) { return v < lower ? lower : v > upper ? upper : v; }

/* ONNX's bounds as those of an index: counted from the end where they are negative, then moved inside. */
static cut cut_of(int64_t start, int64_t stop, int64_t step, int64_t extent)
{
    start = clamp(start, -extent - 1, extent);
    stop = clamp(stop, -extent - 1, extent);
    start += start < 0 ? extent : 0;
    stop += stop < 0 ? extent : 0;
    if (step > 0)
        return (cut){true, false, clamp(start, 0, extent), clamp(stop, 0, extent), step};
    start = clamp(start, 0, extent - 1);
    stop = clamp(stop, -1, extent - 1);
    if (stop < 0)
        return (cut){true, true, start, 0, step};
    return (cut){true, false, start, stop, step};
}

typedef struct bounds {
    const int64_t *start, *stop, *axis, *step;
    int n;
} bounds;

static int slice_by(knonnx_call *c, const bounds *b)
{
    knonnx_pool pool = {0};
    cut cuts[KN_MAX_NDIM] = {0};
    kn_array x = knonnx_movable(c, &pool, 0);
    if (!x)
        return -1;
    kn_shape shape = kn_shape_of(x);
    for (int k = 0; k < b->n; k++) {
        int axis = knonnx_axis(c, b->axis ? b->axis[k] : k, shape.ndim);
        int64_t step = b->step ? b->step[k] : 1;
        if (axis < 0)
            return -1;
        if (step == 0)
            return knonnx_fail(c, KN_ERROR_VALUE, "steps[%d] is 0", k);
        if (shape.dim[axis] > 0)
            cuts[axis] = cut_of(b->start[k], b->stop[k], step, shape.dim[axis]);
    }
    return knonnx_set_moved(c, &pool, 0, cut_out(x, shape.ndim, cuts));
}

static int slice_1(knonnx_call *c)
{
    int starts = 0, stops = 0, axes = 0;
    bounds b = {.start = knonnx_ints(c, "starts", &starts),
                .stop = knonnx_ints(c, "ends", &stops),
                .axis = knonnx_ints(c, "axes", &axes)};
    if (!b.start || !b.stop || starts != stops || (b.axis && axes != starts))
        return knonnx_fail(c, KN_ERROR_VALUE, "starts, ends and axes have %d, %d and %d numbers", starts, stops, axes);
    b.n = starts;
    return slice_by(c, &b);
}

/* A part whose bounds depend on data, but whose length does not: both are the same number plus a constant. That cannot
 * be seen here, so bounds have to be known. */
static int slice(knonnx_call *c)
{
    int n[5] = {0};
    bounds b = {0};
    if (knonnx_look(c, 1, "starts") < 0 || knonnx_look(c, 2, "ends") < 0)
        return -1;
    b.start = knonnx_ints_in(c, 1, &n[1]);
    b.stop = b.start ? knonnx_ints_in(c, 2, &n[2]) : NULL;
    if (!b.stop || (knonnx_has(c, 3) && !(b.axis = knonnx_ints_in(c, 3, &n[3]))) ||
        (knonnx_has(c, 4) && !(b.step = knonnx_ints_in(c, 4, &n[4]))))
        return -1;
    if (n[1] != n[2] || (b.axis && n[3] != n[1]) || (b.step && n[4] != n[1]))
        return knonnx_fail(c, KN_ERROR_VALUE, "starts, ends, axes and steps have %d, %d, %d and %d numbers", n[1], n[2],
                           n[3], n[4]);
    b.n = n[1];
    return slice_by(c, &b);
}

/* ---- Split. */

int knonnx_split_sizes(knonnx_call *c, int64_t extent, int n, int64_t *to)
{
    int64_t each = n ? (extent + n - 1) / n : 0, left = extent;
    if (n < 1 || (c->version < 18 && extent % n))
        return knonnx_fail(c, KN_ERROR_VALUE, "an axis of %lld elements cannot be split into %d equal parts",
                           (long long)extent, n);
    for (int k = 0; k < n; k++) {
        to[k] = left < each ? left : each;
        left -= to[k];
    }
    return 0;
}

int knonnx_split_check(knonnx_call *c, int64_t extent, int n, const int64_t *size)
{
    int64_t sum = 0;
    for (int k = 0; k < n; k++) {
        if (size[k] < 0 || size[k] > extent)
            return knonnx_fail(c, KN_ERROR_VALUE, "split[%d] is %lld, of an axis of %lld elements", k,
                               (long long)size[k], (long long)extent);
        sum += size[k];
    }
    return sum == extent ? 0
                         : knonnx_fail(c, KN_ERROR_VALUE, "split has %lld elements together, the axis %lld",
                                       (long long)sum, (long long)extent);
}

static int split_parts(knonnx_call *c, const int64_t *size, int n)
{
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0);
    int axis = x ? knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x)) : -1;
    if (axis < 0)
        return -1;
    int64_t extent = kn_dim(x, axis), *own = NULL, parts = knonnx_int(c, "num_outputs", c->n_out);
    if (!size) {
        own = knonnx_take(c, (uint64_t)c->n_out + 1, sizeof *own);
        if (parts != c->n_out)
            return knonnx_fail(c, KN_ERROR_VALUE, "num_outputs is %lld, and the node has %d", (long long)parts,
                               c->n_out);
        if (!own || knonnx_split_sizes(c, extent, c->n_out, own) < 0)
            return -1;
    } else if (n != c->n_out) {
        return knonnx_fail(c, KN_ERROR_VALUE, "split has %d numbers, and the node %d outputs", n, c->n_out);
    }
    size = size ? size : own;
    if (knonnx_split_check(c, extent, c->n_out, size) < 0)
        return -1;
    int64_t at = 0;
    for (int k = 0; k < c->n_out; at += size[k++])
        if (knonnx_set_moved(c, &pool, k, knonnx_cut(x, axis, at, at + size[k])) < 0)
            return -1;
    return 0;
}

static int split(knonnx_call *c)
{
    int n = 0;
    const int64_t *size = NULL;
    if (c->n_in > 1 && knonnx_has(c, 1)) {
        if (knonnx_look(c, 1, "split") < 0 || !(size = knonnx_ints_in(c, 1, &n)))
            return -1;
    } else if (c->version < 13) {
        size = knonnx_ints(c, "split", &n);
    }
    return split_parts(c, size, n);
}

/* ---- Pad. */

static kn_array pad_fill(knonnx_call *c, kn_array x, kn_array fill)
{
    kn_zeros_opts o = kn_zeros_opts_default();
    o.dtype = kn_dtype_of(x);
    if (fill) /* scalars of one element of any shape */
        return kn_reshape(fill, &(kn_shape){0}, NULL);
    if (c->version < 11) {
        kn_array value = kn_like_double(knonnx_float(c, "value", 0));
        return kn_astype(kn_asarray(value, NULL), o.dtype, NULL);
    }
    return kn_zeros(&(kn_shape){0}, &o);
}

/* Negative pads take elements away; then the others go around what is left. */
static kn_array padded(kn_array x, int ndim, const int64_t (*pads)[2], const char *mode, kn_array fill)
{
    cut cuts[KN_MAX_NDIM] = {0};
    int64_t width[KN_MAX_NDIM][2] = {0};
    bool any = false, crops = false;
    for (int k = 0; k < ndim; k++) {
        int64_t extent = kn_dim(x, k), low = pads[k][0], high = pads[k][1];
        if (low < 0 || high < 0) {
            int64_t start = -clamp(low, -extent, 0), stop = extent + clamp(high, -extent, 0);
            cuts[k] = (cut){true, false, start, stop < start ? start : stop, 1};
            crops = true;
        }
        width[k][0] = low > 0 ? low : 0;
        width[k][1] = high > 0 ? high : 0;
        any |= width[k][0] || width[k][1];
    }
    x = crops ? cut_out(x, ndim, cuts) : x;
    if (!any)
        return x;
    kn_pad_opts o = kn_pad_opts_default();
    o.mode = mode;
    o.constant_values = fill;
    return kn_pad(x, kn_from_memory(width, &(kn_shape){2, {ndim, 2}}, KN_I64), &o);
}

static int pad_by(knonnx_call *c, const int64_t *pad, int n, kn_axes *axes, kn_array x, knonnx_pool *pool,
                  kn_array fill)
{
    int64_t pads[KN_MAX_NDIM][2] = {0};
    const char *mode = knonnx_string(c, "mode", "constant");
    int ndim = kn_ndim(x), count = axes->n ? axes->n - 1 : ndim;
    if (!mode || ndim < 0)
        return -1;
    bool constant = !strcmp(mode, "constant");
    if (!constant && strcmp(mode, "reflect") && strcmp(mode, "edge") && (strcmp(mode, "wrap") || c->version < 19))
        return knonnx_fail(c, KN_ERROR_VALUE, "mode \"%s\"", mode);
    if (n != 2 * count)
        return knonnx_fail(c, KN_ERROR_VALUE, "pads has %d numbers, for %d axes", n, count);
    for (int k = 0; k < count; k++) {
        int axis = axes->n ? axes->axis[k] : k;
        pads[axis][0] = pad[k];
        pads[axis][1] = pad[count + k];
    }
    return knonnx_set_moved(c, pool, 0, padded(x, ndim, (const int64_t(*)[2])pads, mode, constant ? fill : NULL));
}

static int pad_1(knonnx_call *c) /* and 2, where paddings is called pads */
{
    int n = 0;
    kn_axes axes = {0};
    knonnx_pool pool = {0};
    const int64_t *pad = knonnx_ints(c, c->version < 2 ? "paddings" : "pads", &n);
    kn_array x = knonnx_in(c, 0);
    if (!x)
        return -1;
    if (!pad)
        return knonnx_fail(c, KN_ERROR_VALUE, "the attribute %s is missing", c->version < 2 ? "paddings" : "pads");
    return pad_by(c, pad, n, &axes, x, &pool, pad_fill(c, x, NULL));
}

static int pad(knonnx_call *c)
{
    int n = 0;
    kn_axes axes = {0};
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0), fill = NULL;
    if (!x || knonnx_look(c, 1, "pads") < 0)
        return -1;
    const int64_t *pad = knonnx_ints_in(c, 1, &n);
    if (!pad || (c->n_in > 3 && knonnx_has(c, 3) && knonnx_axes(c, "axes", 1, 3, kn_ndim(x), &axes) < 0))
        return -1;
    if (knonnx_has(c, 2) && !(fill = knonnx_movable(c, &pool, 2)))
        return -1;
    if (!fill && pool.kind == KNONNX_POOL_TEXTS) {
        int64_t empty = knonnx_pool_add(c, &pool, "");
        return empty < 0 ? -1 : pad_by(c, pad, n, &axes, x, &pool, kn_strong(&empty, KN_I64));
    }
    return pad_by(c, pad, n, &axes, x, &pool, pad_fill(c, x, fill));
}

const knonnx_row knonnx_rows_slicing[] = {
    {"Slice", 1, slice_1, 1, 1, 1, 1}, {"Slice", 10, slice, 3, 5, 1, 1}, {"Split", 1, split, 1, 2, 1, -1},
    {"Pad", 1, pad_1, 1, 1, 1, 1},     {"Pad", 11, pad, 2, 4, 1, 1},     {0},
};
