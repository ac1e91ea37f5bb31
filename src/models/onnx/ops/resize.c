/* SPDX-License-Identifier: Apache-2.0
 * resize.c -- Resize and Upsample. Sizes and scales are known, so which elements each element of the result is made
 * of, and with which weights, is worked out here, axis by axis; arrays do the rest. */
#include "models/onnx/ops/layers.h"
#include <math.h>

typedef enum mode { NEAREST, LINEAR, CUBIC } mode;
/* How a place of the result is one of the input. */
typedef enum where { HALF_PIXEL, SYMMETRIC, PYTORCH, ALIGN, ASYMMETRIC, CROP, HALF_PIXEL_FOR_NN } where;
/* Rounding of NEAREST; SIMPLE is that of version 10: up where the result is smaller, else down. */
typedef enum nearest { PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL, SIMPLE } nearest;

typedef struct axis_plan {
    int64_t in, out;
    double scale, start, end; /* start, end: the region of interest */
} axis_plan;

typedef struct resize {
    mode mode;
    where where;
    nearest nearest;
    bool antialias, exclude;
    double cubic, outside; /* outside: the value beyond the array, with CROP */
    int ndim, n;           /* so many axes are resized */
    int axis[KN_MAX_NDIM];
    axis_plan plan[KN_MAX_NDIM]; /* of the axes in that order */
} resize;

/* ---- Weights. */

/* A step of the nearest element's place is rounded to float32, so that 4 / 0.8 is 5, whatever 0.8 is in binary. */
static double step(const resize *r, double x) { return r->mode == NEAREST ? (double)(float)x : x; }

static double place(const resize *r, const axis_plan *p, int64_t at)
{
    double x = (double)at, width = step(r, p->scale * (double)p->in), in = (double)p->in,
           half = step(r, (x + 0.5) / p->scale);
    switch (r->where) {
    case ALIGN: return width == 1 ? 0 : step(r, x * (in - 1) / (width - 1));
    case ASYMMETRIC: return step(r, x / p->scale);
    case PYTORCH: return width == 1 ? -0.5 : step(r, half - 0.5);
    case SYMMETRIC: return step(r, step(r, step(r, in / 2 * step(r, 1 - (double)p->out / width)) + half) - 0.5);
    case CROP:
        if (p->out == 1)
            return (p->start + p->end) * (in - 1) / 2;
        width = step(r, step(r, x * step(r, p->end - p->start)) * (in - 1));
        return step(r, step(r, p->start * (in - 1)) + step(r, width / ((double)p->out - 1)));
    case HALF_PIXEL_FOR_NN: return half;
    default: return step(r, half - 0.5);
    }
}

static int64_t rounded(const resize *r, const axis_plan *p, double place)
{
    float x = (float)place;
    switch (r->nearest) {
    case PREFER_CEIL: return (int64_t)floorf(x + 0.5F);
    case FLOOR: return (int64_t)floorf(x);
    case CEIL: return (int64_t)ceilf(x);
    case SIMPLE: return (int64_t)(p->scale < 1 ? ceilf(x) : floorf(x));
    default: return (int64_t)ceilf(x - 0.5F);
    }
}

static double weight(const resize *r, double t)
{
    double a = r->cubic;
    t = fabs(t);
    if (r->mode == LINEAR)
        return t < 1 ? 1 - t : 0;
    if (t <= 1)
        return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

static int64_t inside(int64_t at, int64_t n) { return at < 0 ? 0 : at >= n ? n - 1 : at; }

/* How many elements of the input one of the result is made of, and where the first stands from the element in front of
 * its place. */
static int taps(const resize *r, const axis_plan *p, int64_t *first)
{
    double squeeze = r->antialias && p->scale < 1 ? p->scale : 1;
    *first = (int64_t)floor((r->mode == CUBIC ? -2 : -1) / squeeze) + 1;
    return (int)(2 - 2 * *first);
}

/* The places (out x n) and weights of one axis. Beyond the ends stand the first and the last element, or, with
 * `exclude`, nothing. */
static void weigh(const resize *r, const axis_plan *p, int64_t first, int n, int64_t *at, double *w)
{
    double squeeze = r->antialias && p->scale < 1 ? p->scale : 1;
    for (int64_t i = 0; i < p->out; i++, at += n, w += n) {
        double x = place(r, p, i), base = floor(x), ratio = x - base, sum = 0;
        if (ratio == 0) {
            base -= 1;
            ratio = 1;
        }
        for (int t = 0; t < n; t++) {
            int64_t k = (int64_t)base + first + t;
            bool out = k < 0 || k >= p->in;
            at[t] = inside(k, p->in);
            w[t] = r->exclude && out ? 0 : weight(r, squeeze * ((double)(first + t) - ratio));
            sum += w[t];
        }
        for (int t = 0; t < n && (r->antialias || r->exclude) && sum != 0; t++)
            w[t] /= sum;
    }
}

/* ---- One axis. */

static kn_array column(const int64_t *at, const double *w, int n, int t, int64_t out, void *room)
{
    for (int64_t i = 0; i < out; i++)
        if (at)
            ((int64_t *)room)[i] = at[i * n + t];
        else
            ((double *)room)[i] = w[i * n + t];
    return kn_from_memory(room, KNONNX_SHAPE(out), at ? KN_I64 : KN_F64);
}

/* Each element so many times: no places need be looked up. */
static kn_array repeated(kn_array x, int axis, int64_t times)
{
    kn_shape s = kn_shape_of(x), more = {0}, whole = s;
    for (int d = 0; d < s.ndim; d++) {
        more.dim[more.ndim++] = s.dim[d];
        if (d == axis)
            more.dim[more.ndim++] = times;
    }
    whole.dim[axis] *= times;
    return knonnx_reshaped(kn_broadcast_to(kn_expand_dims(x, &(kn_axes){{2}, {axis + 1}}), &more), &whole);
}

static kn_array nearest_axis(knonnx_call *c, const resize *r, kn_array x, int axis, const axis_plan *p)
{
    int64_t *at = knonnx_take(c, (uint64_t)p->out + 1, sizeof *at), times = p->in ? p->out / p->in : 0;
    if (!at)
        return NULL;
    bool even = times > 0 && times * p->in == p->out && kn_ndim(x) < KN_MAX_NDIM;
    for (int64_t i = 0; i < p->out; i++) {
        at[i] = inside(rounded(r, p, place(r, p, i)), p->in);
        even = even && at[i] == i / times;
    }
    if (even)
        return times == 1 ? x : repeated(x, axis, times);
    return knonnx_taken(x, axis, kn_from_memory(at, KNONNX_SHAPE(p->out), KN_I64));
}

/* Many weights: a product with a matrix of them. */
static kn_array by_matrix(knonnx_call *c, kn_array x, int axis, const axis_plan *p, int n, const int64_t *at,
                          const double *w)
{
    double *m = knonnx_take(c, (uint64_t)(p->out * p->in), sizeof *m);
    if (!m)
        return NULL;
    for (int64_t i = 0; i < p->out; i++)
        for (int t = 0; t < n; t++)
            m[i * p->in + at[i * n + t]] += w[i * n + t];
    kn_array matrix = knonnx_as(kn_from_memory(m, KNONNX_SHAPE(p->out, p->in), KN_F64), kn_dtype_of(x));
    kn_lax_dot_dimension_numbers numbers = {.lhs_contract = knonnx_one_axis(axis), .rhs_contract = knonnx_one_axis(1)};
    kn_array y = kn_lax_dot_general(x, matrix, &numbers, NULL);
    return kn_moveaxis(y, &(kn_axes){{2}, {-1}}, &(kn_axes){{2}, {axis}});
}

enum { FEW = 16 };

static kn_array weighted_axis(knonnx_call *c, const resize *r, kn_array x, int axis, const axis_plan *p)
{
    int64_t first;
    int n = taps(r, p, &first);
    uint64_t size = (uint64_t)p->out * (uint64_t)n;
    int64_t *at = knonnx_take(c, size + 1, sizeof *at);
    double *w = knonnx_take(c, size + 1, sizeof *w);
    void *room = knonnx_take(c, (uint64_t)p->out + 1, sizeof *w);
    if (!at || !w || !room)
        return NULL;
    weigh(r, p, first, n, at, w);
    if (n > FEW)
        return by_matrix(c, x, axis, p, n, at, w);
    kn_array y = NULL;
    for (int t = 0; t < n; t++) {
        kn_array part = knonnx_taken(x, axis, column(at, NULL, n, t, p->out, room));
        kn_array by = knonnx_along(knonnx_as(column(NULL, w, n, t, p->out, room), kn_dtype_of(x)), axis, r->ndim);
        part = kn_multiply(part, by);
        y = y ? kn_add(y, part) : part;
    }
    return y;
}

/* What lies beyond the array has a value of its own. */
static kn_array bounded(knonnx_call *c, const resize *r, kn_array y, int axis, const axis_plan *p)
{
    bool *beyond = knonnx_take(c, (uint64_t)p->out + 1, sizeof *beyond), any = false;
    if (!beyond)
        return NULL;
    for (int64_t i = 0; i < p->out; i++) {
        double x = place(r, p, i);
        any |= beyond[i] = x < 0 || x > (double)(p->in - 1);
    }
    if (!any)
        return y;
    kn_array which = kn_from_memory(beyond, KNONNX_SHAPE(p->out), KN_BOOL);
    return kn_where(knonnx_along(which, axis, r->ndim), knonnx_as(kn_like_double(r->outside), kn_dtype_of(y)), y);
}

static int run(knonnx_call *c, const resize *r, kn_array x)
{
    kn_dtype d = kn_dtype_of(x), wide = r->mode == NEAREST ? d : knonnx_float_dtype(d) ? knonnx_work_dtype(d) : KN_F64;
    kn_array y = knonnx_as(x, wide);
    for (int i = 0; i < r->n && y; i++) {
        const axis_plan *p = &r->plan[i];
        bool whole = r->where != CROP || (p->start == 0 && p->end == 1);
        if (fabs(p->scale - 1) < 1e-9 && p->in == p->out && whole)
            continue;
        y = r->mode == NEAREST ? nearest_axis(c, r, y, r->axis[i], p) : weighted_axis(c, r, y, r->axis[i], p);
        y = y && r->where == CROP ? bounded(c, r, y, r->axis[i], p) : y;
    }
    if (!y)
        return -1;
    return knonnx_set(c, 0, wide == d || knonnx_float_dtype(d) ? knonnx_as(y, d) : knonnx_saturated(y, d));
}

/* ---- What the node says. */

/* Which of the names a text is; -1 with an error. */
static int choice(knonnx_call *c, const char *name, const char *otherwise, int n, const char *const *names)
{
    const char *s = knonnx_string(c, name, otherwise);
    for (int i = 0; s && i < n; i++)
        if (!strcmp(s, names[i]))
            return i;
    return s ? knonnx_fail(c, KN_ERROR_VALUE, "%s is \"%.40s\"", name, s) : -1;
}

static int read_modes(knonnx_call *c, resize *r, bool upsample)
{
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const char *const old_modes[] = {"nearest", "linear", "bilinear"};
    static const char *const places[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
                                         "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
    static const char *const ways[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    int m = choice(c, "mode", "nearest", 3, c->version < 11 ? old_modes : modes), w = ASYMMETRIC, n = SIMPLE;
    if (m < 0)
        return -1;
    r->mode = c->version < 11 && m == 2 ? LINEAR : (mode)m;
    n = upsample ? FLOOR : n;
    if (c->version >= 11 && !upsample) {
        w = choice(c, "coordinate_transformation_mode", "half_pixel", c->version < 13 ? 7 : 6, places);
        n = choice(c, "nearest_mode", "round_prefer_floor", 4, ways);
    }
    if (w < 0 || n < 0)
        return -1;
    r->where = (where)w;
    r->nearest = (nearest)n;
    r->antialias = c->version >= 18 && r->mode != NEAREST && knonnx_int(c, "antialias", 0);
    r->exclude = r->mode != NEAREST && knonnx_int(c, "exclude_outside", 0);
    r->cubic = knonnx_float(c, "cubic_coeff_a", -0.75);
    r->outside = knonnx_float(c, "extrapolation_value", 0);
    return 0;
}

static int read_axes(knonnx_call *c, resize *r, kn_array x)
{
    int n;
    const int64_t *axes = knonnx_ints(c, "axes", &n);
    kn_shape s = kn_shape_of(x);
    r->ndim = s.ndim;
    r->n = axes ? n : s.ndim;
    if (r->n > s.ndim)
        return knonnx_fail(c, KN_ERROR_VALUE, "axes has %d numbers for %d axes", n, s.ndim);
    for (int i = 0; i < r->n; i++) {
        r->axis[i] = knonnx_axis(c, axes ? axes[i] : i, s.ndim);
        if (r->axis[i] < 0)
            return -1;
        r->plan[i] = (axis_plan){.in = s.dim[r->axis[i]], .scale = 1, .start = 0, .end = 1};
    }
    return 0;
}

static int read_region(knonnx_call *c, resize *r)
{
    int n = 0;
    if (r->where != CROP)
        return 0;
    const double *roi = knonnx_doubles_in(c, 1, &n);
    if (!roi || n != 2 * r->n)
        return roi ? knonnx_fail(c, KN_ERROR_VALUE, "roi has %d numbers for %d axes", n, r->n) : -1;
    for (int i = 0; i < r->n; i++) {
        r->plan[i].start = roi[i];
        r->plan[i].end = roi[r->n + i];
    }
    return 0;
}

static int apply_scales(knonnx_call *c, resize *r, int n, const double *scale)
{
    if (n != r->n)
        return knonnx_fail(c, KN_ERROR_VALUE, "scales has %d numbers for %d axes", n, r->n);
    for (int i = 0; i < n; i++) {
        axis_plan *p = &r->plan[i];
        double out = floorf((float)p->in * (float)scale[i]); /* as shapes are inferred, whatever the region */
        if (!(scale[i] > 0) || !(out >= 0 && out < 0x1p40))
            return knonnx_fail(c, KN_ERROR_VALUE, "a scale is %g", scale[i]);
        p->scale = scale[i];
        p->out = (int64_t)out;
    }
    return 0;
}

static int apply_sizes(knonnx_call *c, resize *r, int n, const int64_t *size)
{
    static const char *const policies[] = {"stretch", "not_larger", "not_smaller"};
    int policy = choice(c, "keep_aspect_ratio_policy", "stretch", 3, policies);
    double scale = policy == 1 ? INFINITY : 0;
    if (policy < 0)
        return -1;
    if (n != r->n)
        return knonnx_fail(c, KN_ERROR_VALUE, "sizes has %d numbers for %d axes", n, r->n);
    for (int i = 0; i < n; i++) {
        axis_plan *p = &r->plan[i];
        if (size[i] < 0 || size[i] > INT64_C(1) << 40 || (size[i] && p->in < 1))
            return knonnx_fail(c, KN_ERROR_VALUE, "%lld elements become %lld", (long long)p->in, (long long)size[i]);
        p->out = size[i];
        p->scale = p->in ? (double)size[i] / (double)p->in : 1;
        scale = policy == 1 ? fmin(scale, p->scale) : fmax(scale, p->scale);
    }
    for (int i = 0; i < n && policy; i++) {
        r->plan[i].scale = scale;
        r->plan[i].out = (int64_t)(scale * (double)r->plan[i].in + 0.5);
    }
    return 0;
}

static int resize_op(knonnx_call *c)
{
    resize r = {0};
    kn_array x = knonnx_in(c, 0);
    int at = c->version < 11 ? 1 : 2, n = 0;
    if (!x || read_modes(c, &r, false) || read_axes(c, &r, x) || (at == 2 && read_region(c, &r)))
        return -1;
    const double *scales = knonnx_has(c, at) ? knonnx_doubles_in(c, at, &n) : NULL;
    if (knonnx_has(c, at) && !scales)
        return -1;
    bool sizes = knonnx_has(c, 3);
    if ((scales && n > 0) == sizes && r.n > 0)
        return knonnx_fail(c, KN_ERROR_VALUE, "one of scales and sizes is given");
    if (!sizes)
        return apply_scales(c, &r, n, scales) ? -1 : run(c, &r, x);
    const int64_t *size = knonnx_ints_in(c, 3, &n);
    return !size || apply_sizes(c, &r, n, size) ? -1 : run(c, &r, x);
}

/* Version 1 names the scales of height and width, 7 has a list, 9 an input. */
static int upsample(knonnx_call *c)
{
    resize r = {0};
    kn_array x = knonnx_in(c, 0);
    double scale[KN_MAX_NDIM] = {1, 1, knonnx_float(c, "height_scale", 1), knonnx_float(c, "width_scale", 1)};
    const double *scales = scale;
    int n = 4;
    if (!x || read_modes(c, &r, true) || read_axes(c, &r, x))
        return -1;
    if (c->version >= 9)
        scales = knonnx_doubles_in(c, 1, &n);
    else if (c->version >= 7) {
        const float *list = knonnx_floats(c, "scales", &n);
        for (int i = 0; i < n && i < KN_MAX_NDIM; i++)
            scale[i] = list[i];
    }
    return !scales || apply_scales(c, &r, n, scales) ? -1 : run(c, &r, x);
}

const knonnx_row knonnx_rows_resize[] = {
    {"Resize", 10, resize_op, 2, 2, 1, 1},
    {"Resize", 11, resize_op, 1, 4, 1, 1},
    {"Upsample", 1, upsample, 1, 1, 1, 1},
    {"Upsample", 9, upsample, 2, 2, 1, 1},
    {0},
};
