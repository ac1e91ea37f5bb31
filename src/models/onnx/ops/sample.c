/* SPDX-License-Identifier: Apache-2.0
 * sample.c -- values of images between their elements: GridSample, AffineGrid, DeformConv. */
#include "models/onnx/ops/sample.h"

kn_array knonnx_rows_of_image(kn_array x)
{
    int64_t features = kn_dim(x, 1);
    kn_array last = features == 1 ? x : kn_moveaxis(x, &(kn_axes){{2}, {1}}, &(kn_axes){{2}, {-1}});
    return kn_reshape(last, KNONNX_SHAPE(-1, features), NULL);
}

/* v mirrored at the borders until it is between them. */
static kn_array mirrored(kn_array v, double low, double high)
{
    double range = high - low;
    kn_array zero = kn_like_int(0);
    if (range <= 0)
        return kn_zeros_like(v, NULL);
    kn_array below = kn_less(v, kn_like_double(low)), above = kn_greater(v, kn_like_double(high));
    kn_array far = kn_where(below, kn_subtract(kn_like_double(low), v), kn_subtract(v, kn_like_double(high)));
    kn_array times = kn_floor(kn_divide(far, kn_like_double(range)));
    kn_array rest = kn_subtract(far, kn_multiply(times, kn_like_double(range)));
    kn_array even = kn_equal(kn_remainder(times, kn_like_int(2)), zero);
    kn_array up = kn_add(kn_like_double(low), rest), down = kn_subtract(kn_like_double(high), rest);
    kn_array inside = kn_where(kn_equal(even, below), up, down);
    return kn_where(kn_logical_or(below, above), inside, v);
}

/* Cubic weights of the four elements around, at `t` behind the second one; a = -0.75. */
static kn_array cubic(kn_array t, int tap)
{
    const double a = -0.75;
    kn_array x = tap == 0   ? kn_add(t, kn_like_int(1))
                 : tap == 1 ? t
                 : tap == 2 ? kn_subtract(kn_like_int(1), t)
                            : kn_subtract(kn_like_int(2), t);
    if (tap == 1 || tap == 2) {
        kn_array y = kn_subtract(kn_multiply(kn_like_double(a + 2), x), kn_like_double(a + 3));
        return kn_add(kn_multiply(kn_multiply(y, x), x), kn_like_int(1));
    }
    kn_array y = kn_subtract(kn_multiply(kn_like_double(a), x), kn_like_double(5 * a));
    y = kn_add(kn_multiply(y, x), kn_like_double(8 * a));
    return kn_subtract(kn_multiply(y, x), kn_like_double(4 * a));
}

/* One axis: for each tap where it stands, its weight, and whether it is there at all (zeros beyond the borders). */
typedef struct axis_taps {
    kn_array place[4], weight[4];
} axis_taps;

static axis_taps taps_along(kn_array v, int64_t n, int taps, knonnx_border border, bool aligned, kn_dtype dtype)
{
    axis_taps r = {{NULL}, {NULL}};
    double low = aligned ? 0 : -0.5, high = (double)n - (aligned ? 1 : 0.5);
    v = taps == 1 ? kn_rint(v) : v;
    if (border == KNONNX_CLAMP && taps < 4) { /* cubic: elements are brought inside, not places, as in PyTorch */
        kn_array out = kn_logical_or(kn_less(v, kn_like_double(low)), kn_greater(v, kn_like_double(high)));
        v = kn_where(out, kn_clip(v, kn_like_int(0), kn_like_int(n - 1)), v);
    } else if (border == KNONNX_REFLECT)
        v = mirrored(v, low, high);
    kn_array base = taps == 1 ? v : kn_floor(v), t = kn_subtract(v, base);
    for (int k = 0; k < taps; k++) {
        kn_array at = kn_add(base, kn_like_int(taps == 4 ? k - 1 : k));
        kn_array in = NULL;
        if (border == KNONNX_ZEROS)
            in = kn_logical_and(kn_greater_equal(at, kn_like_int(0)), kn_less_equal(at, kn_like_int(n - 1)));
        else if (border == KNONNX_REFLECT)
            at = mirrored(at, low, high);
        at = kn_clip(kn_nan_to_num(at, NULL), kn_like_int(0), kn_like_int(n - 1));
        r.place[k] = knonnx_as(kn_trunc(at), KN_I64);
        kn_array w = taps == 4   ? cubic(t, k)
                     : taps == 1 ? kn_ones_like(v, NULL)
                     : k         ? t
                                 : kn_subtract(kn_like_int(1), t);
        w = knonnx_as(w, dtype);
        r.weight[k] = in ? kn_where(in, w, kn_like_int(0)) : w;
    }
    return r;
}

kn_array knonnx_sampled(kn_array x, const kn_array *at, int taps, knonnx_border border, bool aligned)
{
    kn_shape s = kn_shape_of(x);
    int n = s.ndim - 2, k[KNONNX_MOST_SPACE] = {0};
    int64_t size = 1;
    kn_dtype d = kn_dtype_of(x), wide = knonnx_float_dtype(d) ? knonnx_work_dtype(d) : taps == 1 ? d : KN_F64;
    axis_taps axis[KNONNX_MOST_SPACE];
    for (int i = 0; i < n; i++) {
        axis[i] = taps_along(at[i], s.dim[2 + i], taps, border, aligned, wide);
        size *= s.dim[2 + i];
    }
    kn_array rows = knonnx_rows_of_image(x), y = NULL;
    kn_array image =
        kn_reshape(kn_multiply(knonnx_counted(s.dim[0], KN_I64), kn_like_int(size)), KNONNX_SHAPE(-1, 1), NULL);
    for (int i = n; i >= 0;) {
        kn_array place = NULL, weight = NULL;
        for (int j = 0; j < n; j++) {
            kn_array one = axis[j].place[k[j]], w = axis[j].weight[k[j]];
            place = place ? kn_add(kn_multiply(place, kn_like_int(s.dim[2 + j])), one) : one;
            weight = weight ? kn_multiply(weight, w) : w;
        }
        kn_array part = knonnx_as(knonnx_taken(rows, 0, kn_add(place, image)), wide);
        if (taps > 1 || border == KNONNX_ZEROS)
            part = kn_multiply(part, kn_expand_dims(weight, &(kn_axes){{2}, {-1}}));
        y = y ? kn_add(y, part) : part;
        for (i = n - 1; i >= 0 && ++k[i] == taps; i--)
            k[i] = 0;
    }
    return knonnx_as(y, d);
}

/* ---- GridSample. */

typedef struct grid_sample {
    int taps;
    knonnx_border border;
    bool aligned;
} grid_sample;

static int grid_modes(knonnx_call *c, grid_sample *g)
{
    const char *mode = knonnx_string(c, "mode", c->version < 20 ? "bilinear" : "linear");
    const char *padding = knonnx_string(c, "padding_mode", "zeros");
    if (!mode || !padding)
        return -1;
    g->aligned = knonnx_int(c, "align_corners", 0) != 0;
    g->taps = !strcmp(mode, "nearest")                                 ? 1
              : !strcmp(mode, c->version < 20 ? "bilinear" : "linear") ? 2
              : !strcmp(mode, c->version < 20 ? "bicubic" : "cubic")   ? 4
                                                                       : 0;
    g->border = !strcmp(padding, "border")       ? KNONNX_CLAMP
                : !strcmp(padding, "reflection") ? KNONNX_REFLECT
                                                 : KNONNX_ZEROS;
    if (!g->taps || (g->border == KNONNX_ZEROS && strcmp(padding, "zeros")))
        return knonnx_fail(c, KN_ERROR_VALUE, "mode is \"%.40s\", and padding_mode \"%.40s\"", mode, padding);
    return 0;
}

static int grid_sample_op(knonnx_call *c)
{
    grid_sample g;
    kn_array x = knonnx_in(c, 0), grid = knonnx_in(c, 1), at[KNONNX_MOST_SPACE];
    if (!x || !grid || grid_modes(c, &g))
        return -1;
    kn_shape s = kn_shape_of(x), t = kn_shape_of(grid), y = {s.ndim, {s.dim[0]}};
    int n = s.ndim - 2;
    if (n < 1 || n > KNONNX_MOST_SPACE || t.ndim != s.ndim || t.dim[s.ndim - 1] != n || !kn_dim_eq(t.dim[0], s.dim[0]))
        return knonnx_fail(c, KN_ERROR_VALUE, "a grid with %d axes for an image with %d (of at most %d dimensions)",
                           t.ndim, s.ndim, KNONNX_MOST_SPACE);
    grid = knonnx_as(grid, knonnx_work_dtype(kn_dtype_of(grid)));
    for (int i = 0; i < n; i++) { /* the last number of a place counts along the first axis */
        kn_array v = kn_reshape(knonnx_sliced(grid, s.ndim - 1, n - 1 - i, n - i, 1), KNONNX_SHAPE(t.dim[0], -1), NULL);
        double d = (double)s.dim[2 + i];
        v = kn_add(v, kn_like_int(1));
        at[i] = g.aligned
                    ? kn_multiply(kn_divide(v, kn_like_double(2)), kn_like_double(d - 1))
                    : kn_divide(kn_subtract(kn_multiply(v, kn_like_double(d)), kn_like_int(1)), kn_like_double(2));
        y.dim[1 + i] = t.dim[1 + i];
    }
    y.dim[s.ndim - 1] = s.dim[1];
    kn_array all = knonnx_reshaped(knonnx_sampled(x, at, g.taps, g.border, g.aligned), &y);
    return knonnx_set(c, 0, kn_moveaxis(all, &(kn_axes){{2}, {-1}}, &(kn_axes){{2}, {1}}));
}

/* ---- AffineGrid: the places of a grid from -1 to 1, turned and moved. */

static kn_array steps_along(int64_t n, bool aligned, kn_dtype dtype, int axis, int ndim)
{
    kn_array i = knonnx_counted(n, dtype), x;
    if (aligned)
        x = n > 1 ? kn_subtract(kn_multiply(i, kn_like_double(2.0 / (double)(n - 1))), kn_like_int(1)) : i;
    else
        x = kn_multiply(kn_add(kn_multiply(i, kn_like_int(2)), kn_like_int(1 - n)), kn_like_double(1.0 / (double)n));
    return knonnx_along(x, axis, ndim);
}

static int affine_grid(knonnx_call *c)
{
    kn_array theta = knonnx_in(c, 0), y = NULL;
    int n;
    const int64_t *size = theta ? knonnx_ints_in(c, 1, &n) : NULL;
    if (!size)
        return -1;
    kn_shape s = kn_shape_of(theta), part = {0}, whole = {0};
    int space = n - 2;
    if (space < 2 || space > 3 || s.ndim != 3 || s.dim[1] != space || s.dim[2] != space + 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "theta has %d axes, and size %d numbers", s.ndim, n);
    bool aligned = knonnx_int(c, "align_corners", 0) != 0;
    part.ndim = whole.ndim = space + 2; /* (batch, d1, ..., numbers) */
    whole.dim[0] = part.dim[0] = s.dim[0];
    whole.dim[space + 1] = part.dim[space + 1] = space;
    for (int i = 0; i < space; i++) {
        if (size[2 + i] < 1 || size[2 + i] > INT32_MAX)
            return knonnx_fail(c, KN_ERROR_VALUE, "size has the number %lld", (long long)size[2 + i]);
        part.dim[1 + i] = 1;
        whole.dim[1 + i] = size[2 + i];
    }
    kn_array last = knonnx_reshaped(knonnx_sliced(theta, 2, space, space + 1, 1), &part);
    for (int j = 0; j < space; j++) { /* number j counts along the axis that is j-th from behind */
        kn_array by = knonnx_reshaped(knonnx_sliced(theta, 2, j, j + 1, 1), &part);
        kn_array along = steps_along(size[n - 1 - j], aligned, kn_dtype_of(theta), space - j, space + 2);
        kn_array one = kn_multiply(along, by);
        y = y ? kn_add(y, one) : one;
    }
    return knonnx_set(c, 0, kn_broadcast_to(kn_add(y, last), &whole));
}

/* ---- DeformConv: each element of a window stands where an offset moves it, and has a weight of its own. */

typedef struct deform {
    kn_array x, w, offset, mask;
    int64_t groups, parts, batch, kernel, places; /* parts: groups of offsets */
    knonnx_windows windows;
} deform;

static int deform_read(knonnx_call *c, deform *v)
{
    knonnx_windows *w = &v->windows;
    v->x = knonnx_in(c, 0);
    v->w = knonnx_in(c, 1);
    v->offset = knonnx_in(c, 2);
    v->mask = knonnx_in_or(c, 4, NULL);
    if (!v->x || !v->w || !v->offset)
        return -1;
    kn_shape s = kn_shape_of(v->x), k = kn_shape_of(v->w), o = kn_shape_of(v->offset);
    w->n = s.ndim - 2;
    if (w->n < 1 || w->n > KNONNX_MOST_SPACE || k.ndim != s.ndim || o.ndim != s.ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "X, W and offset have %d, %d and %d axes", s.ndim, k.ndim, o.ndim);
    v->groups = knonnx_int(c, "group", 1);
    v->parts = knonnx_int(c, "offset_group", 1);
    v->batch = s.dim[0];
    v->kernel = v->places = 1;
    if (knonnx_windows_read(c, w))
        return -1;
    for (int i = 0; i < w->n; i++) {
        w->in[i] = s.dim[2 + i];
        v->kernel *= w->kernel[i] = k.dim[2 + i];
        v->places *= o.dim[2 + i];
    }
    if (knonnx_windows_place(c, w, false))
        return -1;
    for (int i = 0; i < w->n; i++)
        if (w->out[i] != o.dim[2 + i])
            return knonnx_fail(c, KN_ERROR_VALUE, "offsets for %lld places of %lld", (long long)o.dim[2 + i],
                               (long long)w->out[i]);
    if (v->groups < 1 || v->parts < 1 || s.dim[1] != k.dim[1] * v->groups || k.dim[0] % v->groups ||
        s.dim[1] % v->parts || o.dim[1] != v->parts * v->kernel * w->n)
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld features, a kernel for %lld in %lld groups, and %lld offsets",
                           (long long)s.dim[1], (long long)k.dim[1], (long long)v->groups, (long long)o.dim[1]);
    return 0;
}

/* Where the elements of the windows stand along axis i: (batch x parts, kernel x places). */
static kn_array deform_places(const deform *v, int i, kn_array offset)
{
    const knonnx_windows *w = &v->windows;
    int n = w->n;
    kn_shape all = {2 * n + 1, {-1}}, kernel = {2 * n + 1, {0}}, out = {2 * n + 1, {0}};
    for (int j = 0; j < n; j++) {
        all.dim[1 + j] = w->kernel[j];
        all.dim[1 + n + j] = w->out[j];
    }
    for (int d = 0; d < 2 * n + 1; d++)
        kernel.dim[d] = out.dim[d] = 1;
    kernel.dim[1 + i] = w->kernel[i];
    out.dim[1 + n + i] = w->out[i];
    kn_dtype d = kn_dtype_of(offset);
    kn_array in_kernel = kn_multiply(knonnx_counted(w->kernel[i], d), kn_like_int(w->dilation[i]));
    kn_array first = kn_multiply(knonnx_counted(w->out[i], d), kn_like_int(w->stride[i]));
    first = kn_subtract(first, kn_like_int(w->low[i]));
    /* offsets: (batch x parts, kernel, dimension, places) */
    kn_array moved = knonnx_reshaped(knonnx_sliced(offset, 2, i, i + 1, 1), &all);
    kn_array at = kn_add(kn_add(knonnx_reshaped(in_kernel, &kernel), knonnx_reshaped(first, &out)), moved);
    return kn_reshape(at, KNONNX_SHAPE(-1, v->kernel * v->places), NULL);
}

static int deform_conv(knonnx_call *c)
{
    deform v;
    kn_array bias = knonnx_in_or(c, 3, NULL), at[KNONNX_MOST_SPACE] = {0};
    if (deform_read(c, &v))
        return -1;
    int n = v.windows.n;
    kn_dtype d = kn_dtype_of(v.x), wide = knonnx_work_dtype(d);
    int64_t features = kn_dim(v.x, 1), of_part = features / v.parts, of_group = features / v.groups;
    int64_t results = kn_dim(v.w, 0);
    kn_array offset = knonnx_as(kn_reshape(v.offset, KNONNX_SHAPE(-1, v.kernel, n, v.places), NULL), wide);
    for (int i = 0; i < n; i++)
        at[i] = deform_places(&v, i, offset);
    kn_shape image = {n + 2, {-1, of_part}}, whole = {n + 2, {v.batch, results}};
    for (int i = 0; i < n; i++) {
        image.dim[2 + i] = v.windows.in[i];
        whole.dim[2 + i] = v.windows.out[i];
    }
    kn_array x = knonnx_sampled(knonnx_as(knonnx_reshaped(v.x, &image), wide), at, 2, KNONNX_ZEROS, true);
    if (v.mask)
        x = kn_multiply(x, knonnx_as(kn_reshape(v.mask, KNONNX_SHAPE(-1, v.kernel * v.places, 1), NULL), wide));
    x = knonnx_reshaped(x, &(kn_shape){4, {v.batch, v.parts, v.kernel * v.places, of_part}});
    x = knonnx_reshaped(kn_swapaxes(x, 2, 3), &(kn_shape){4, {v.batch, v.groups, of_group * v.kernel, v.places}});
    kn_array w =
        kn_reshape(knonnx_as(v.w, wide), KNONNX_SHAPE(v.groups, results / v.groups, of_group * v.kernel), NULL);
    kn_array y = knonnx_reshaped(kn_matmul(w, x), &whole);
    y = bias ? kn_add(y, knonnx_along(knonnx_as(bias, wide), 1, n + 2)) : y;
    return knonnx_set(c, 0, knonnx_as(y, d));
}

const knonnx_row knonnx_rows_sample[] = {
    {"GridSample", 16, grid_sample_op, 2, 2, 1, 1},
    {"AffineGrid", 20, affine_grid, 2, 2, 1, 1},
    {"DeformConv", 19, deform_conv, 3, 5, 1, 1},
    {0},
};
