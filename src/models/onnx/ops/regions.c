/* SPDX-License-Identifier: Apache-2.0
 * regions.c -- regions of images: RoiAlign, MaxRoiPool, NonMaxSuppression. */
#include "models/onnx/ops/sample.h"
#include <math.h>
#include <stdlib.h>

/* ---- RoiAlign. */

typedef struct roi_align {
    kn_array x, rois, batch; /* in a dtype to calculate in; rois (regions, 4) */
    bool half, average;
    int64_t height, width, ratio;
    double scale;
} roi_align;

/* One axis of all regions: two neighbours and their weights for each sample, (regions, bins x samples); zeros where it
 * lies outside. */
typedef struct roi_axis {
    int64_t samples;
    kn_array low, high, low_weight, high_weight, counts,
        used; /* counts: samples of each region; used: (regions, samples) */
} roi_axis;

static int roi_read(knonnx_call *c, roi_align *r)
{
    kn_array x = knonnx_in(c, 0), rois = knonnx_in(c, 1), batch = knonnx_in(c, 2);
    const char *mode = knonnx_string(c, "mode", "avg");
    const char *place =
        knonnx_string(c, "coordinate_transformation_mode", c->version < 16 ? "output_half_pixel" : "half_pixel");
    if (!x || !rois || !batch || !mode || !place)
        return -1;
    r->average = !strcmp(mode, "avg");
    r->half = !strcmp(place, "half_pixel");
    if ((!r->average && strcmp(mode, "max")) || (!r->half && strcmp(place, "output_half_pixel")))
        return knonnx_fail(c, KN_ERROR_VALUE, "mode \"%.40s\" at \"%.40s\"", mode, place);
    if (kn_ndim(x) != 4 || kn_ndim(rois) != 2 || kn_dim(rois, 1) != 4 || kn_ndim(batch) != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "X, rois and batch_indices have %d, %d and %d axes", kn_ndim(x),
                           kn_ndim(rois), kn_ndim(batch));
    r->height = knonnx_int(c, "output_height", 1);
    r->width = knonnx_int(c, "output_width", 1);
    r->ratio = knonnx_int(c, "sampling_ratio", 0);
    r->scale = knonnx_float(c, "spatial_scale", 1);
    if (r->height < 1 || r->width < 1 || r->ratio < 0 || r->height > INT32_MAX || r->width > INT32_MAX ||
        r->ratio > INT32_MAX)
        return knonnx_fail(c, KN_ERROR_VALUE, "a result of %lld by %lld, sampling_ratio %lld", (long long)r->height,
                           (long long)r->width, (long long)r->ratio);
    kn_dtype wide = knonnx_work_dtype(kn_dtype_of(x));
    r->x = knonnx_as(x, wide);
    r->rois = knonnx_as(rois, wide);
    r->batch = knonnx_as(batch, KN_I64);
    return 0;
}

/* Where a region begins along axis k (0: down, 1: across), and how long a bin is: (regions, 1). */
static void roi_bins(const roi_align *r, int k, int64_t bins, kn_array *start, kn_array *bin)
{
    kn_array offset = kn_like_double(r->half ? 0.5 : 0), scale = kn_like_double(r->scale);
    *start = kn_subtract(kn_multiply(knonnx_sliced(r->rois, 1, 1 - k, 2 - k, 1), scale), offset);
    kn_array end = kn_subtract(kn_multiply(knonnx_sliced(r->rois, 1, 3 - k, 4 - k, 1), scale), offset);
    kn_array size = kn_subtract(end, *start);
    size = r->half ? size : kn_maximum(size, kn_like_int(1));
    *bin = kn_divide(size, kn_like_double((double)bins));
}

/* So many samples a bin of the largest region takes; -1 with an error where regions are not known. */
static int64_t most_samples(knonnx_call *c, const roi_align *r, int k, int64_t bins)
{
    int n;
    double most = 0;
    if (r->ratio > 0)
        return r->ratio;
    if (!knonnx_known(c, 1))
        return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                           "sampling_ratio 0 takes as many samples as regions are large, which must be known");
    const double *v = knonnx_doubles_in(c, 1, &n);
    for (int i = 0; v && i + 3 < n; i += 4) {
        double size = (v[i + 3 - k] - v[i + 1 - k]) * r->scale;
        most = fmax(most, ceil((r->half ? size : fmax(size, 1)) / (double)bins - 1e-3));
    }
    if (v && most > 1 << 20)
        return knonnx_fail(c, KN_ERROR_VALUE, "a region of %g elements", most);
    return v ? (int64_t)most + 1 : -1; /* one more, for rounding; unused ones do not count */
}

static int roi_along(knonnx_call *c, const roi_align *r, int k, int64_t bins, roi_axis *a)
{
    kn_array start, bin, zero = kn_like_int(0);
    kn_dtype d = kn_dtype_of(r->x);
    int64_t n = kn_dim(r->x, 2 + k);
    a->samples = most_samples(c, r, k, bins);
    if (a->samples < 0)
        return -1;
    roi_bins(r, k, bins, &start, &bin);
    a->counts = r->ratio > 0 ? kn_full_like(bin, kn_like_double((double)r->ratio), NULL) : kn_ceil(bin);
    kn_array sample = knonnx_counted(a->samples, d),
             which = kn_reshape(knonnx_counted(bins, d), KNONNX_SHAPE(-1, 1), NULL);
    a->used = kn_less(sample, a->counts);
    /* (regions, bins, samples) */
    kn_array apart = kn_divide(kn_multiply(kn_add(sample, kn_like_double(0.5)), bin), a->counts);
    kn_array at = kn_multiply(which, kn_expand_dims(bin, &(kn_axes){{2}, {2}}));
    at = kn_add(kn_add(kn_expand_dims(start, &(kn_axes){{2}, {2}}), at), kn_expand_dims(apart, &(kn_axes){{2}, {1}}));
    at = kn_reshape(at, KNONNX_SHAPE(kn_dim(r->rois, 0), bins * a->samples), NULL);
    kn_array in = kn_logical_and(kn_greater_equal(at, kn_like_int(-1)), kn_less_equal(at, kn_like_int(n)));
    at = kn_clip(kn_nan_to_num(at, NULL), zero, kn_like_int(n - 1));
    kn_array low = kn_floor(at), part = kn_subtract(at, low);
    a->low = knonnx_as(low, KN_I64);
    a->high = kn_minimum(kn_add(a->low, kn_like_int(1)), kn_like_int(n - 1));
    a->high_weight = kn_where(in, part, zero);
    a->low_weight = kn_where(in, kn_subtract(kn_like_int(1), part), zero);
    return 0;
}

/* One of the four neighbours of all samples, times its weight: (regions, down, across, features). */
static kn_array corner(const roi_align *r, kn_array rows, const roi_axis a[2], bool lower, bool right)
{
    kn_array y = lower ? a[0].high : a[0].low, x = right ? a[1].high : a[1].low;
    kn_array w = kn_multiply(kn_expand_dims(lower ? a[0].high_weight : a[0].low_weight, &(kn_axes){{2}, {2}}),
                             kn_expand_dims(right ? a[1].high_weight : a[1].low_weight, &(kn_axes){{2}, {1}}));
    kn_array image = kn_reshape(kn_multiply(r->batch, kn_like_int(kn_dim(r->x, 2))), KNONNX_SHAPE(-1, 1), NULL);
    y = kn_multiply(kn_add(image, y), kn_like_int(kn_dim(r->x, 3)));
    kn_array at = kn_add(kn_expand_dims(y, &(kn_axes){{2}, {2}}), kn_expand_dims(x, &(kn_axes){{2}, {1}}));
    return kn_multiply(knonnx_taken(rows, 0, at), kn_expand_dims(w, &(kn_axes){{2}, {3}}));
}

static kn_array bin_samples(const roi_align *r, const roi_axis a[2], kn_array x)
{
    kn_shape s = {6, {kn_dim(r->rois, 0), r->height, a[0].samples, r->width, a[1].samples, kn_dim(r->x, 1)}};
    return knonnx_reshaped(x, &s);
}

/* Which samples of a region there are, (regions, 1, down, 1, across, 1), and how many. */
static kn_array bin_mask(const roi_axis a[2])
{
    kn_array down = kn_expand_dims(a[0].used, &(kn_axes){{5}, {1, 3, 4, 5}});
    return kn_logical_and(down, kn_expand_dims(a[1].used, &(kn_axes){{5}, {1, 2, 3, 5}}));
}

static int roi_align_op(knonnx_call *c)
{
    roi_align r;
    roi_axis a[2];
    if (roi_read(c, &r) || roi_along(c, &r, 0, r.height, &a[0]) || roi_along(c, &r, 1, r.width, &a[1]))
        return -1;
    kn_array rows = knonnx_rows_of_image(r.x), y = NULL, zero = kn_like_int(0);
    for (int k = 0; k < 4; k++) { /* `max` takes the largest of the weighted neighbours, as runtimes do */
        kn_array one = corner(&r, rows, a, k & 2, k & 1);
        y = !y ? one : r.average ? kn_add(y, one) : kn_maximum(y, one);
    }
    y = bin_samples(&r, a, y);
    kn_axes axes = {{3}, {2, 4}};
    kn_array mask = bin_mask(a);
    if (r.average) {
        kn_array count = kn_maximum(kn_multiply(a[0].counts, a[1].counts), kn_like_int(1));
        y = knonnx_summed(kn_where(mask, y, zero), &axes, false);
        y = kn_divide(y, kn_reshape(count, KNONNX_SHAPE(-1, 1, 1, 1), NULL));
    } else {
        y = knonnx_maximal(kn_where(mask, y, kn_like_double(-INFINITY)), &axes, false);
        y = kn_where(kn_isneginf(y), zero, y);
    }
    y = kn_moveaxis(y, &(kn_axes){{2}, {3}}, &(kn_axes){{2}, {1}});
    return knonnx_set(c, 0, knonnx_as(y, kn_dtype_of(knonnx_in(c, 0))));
}

/* ---- MaxRoiPool: regions of whole elements, in bins that may share elements. */

/* Which elements along axis k are in which bin: (regions, bins, elements). */
static kn_array bins_along(kn_array rois, int k, int64_t bins, int64_t n, double scale)
{
    kn_array half = kn_like_double(0.5), one = kn_like_int(1);
    kn_array start =
        kn_floor(kn_add(kn_multiply(knonnx_sliced(rois, 1, 2 - k, 3 - k, 1), kn_like_double(scale)), half));
    kn_array end = kn_floor(kn_add(kn_multiply(knonnx_sliced(rois, 1, 4 - k, 5 - k, 1), kn_like_double(scale)), half));
    kn_array size = kn_maximum(kn_add(kn_subtract(end, start), one), one);
    kn_array bin = kn_divide(size, kn_like_double((double)bins)), which = knonnx_counted(bins, kn_dtype_of(rois));
    kn_array first = kn_add(kn_floor(kn_multiply(which, bin)), start);
    kn_array last = kn_add(kn_ceil(kn_multiply(kn_add(which, one), bin)), start);
    kn_array at = knonnx_counted(n, kn_dtype_of(rois));
    return kn_logical_and(kn_greater_equal(at, kn_expand_dims(first, &(kn_axes){{2}, {2}})),
                          kn_less(at, kn_expand_dims(last, &(kn_axes){{2}, {2}})));
}

static int max_roi_pool(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), rois = knonnx_in(c, 1);
    int n;
    const int64_t *size = knonnx_ints(c, "pooled_shape", &n);
    double scale = knonnx_float(c, "spatial_scale", 1);
    if (!x || !rois)
        return -1;
    kn_shape s = kn_shape_of(x), t = kn_shape_of(rois);
    if (!size || n != 2 || size[0] < 1 || size[1] < 1 || s.ndim != 4 || t.ndim != 2 || t.dim[1] != 5)
        return knonnx_fail(c, KN_ERROR_VALUE, "pooled_shape has %d numbers, X %d axes and rois %d", n, s.ndim, t.ndim);
    kn_array least = knonnx_as(kn_like_double(-INFINITY), kn_dtype_of(x));
    kn_array down = bins_along(rois, 0, size[0], s.dim[2], scale),
             across = bins_along(rois, 1, size[1], s.dim[3], scale);
    kn_array batch = knonnx_as(
        kn_squeeze(knonnx_sliced(rois, 1, 0, 1, 1), KNONNX_O(kn_squeeze_opts, .axis = knonnx_one_axis(1))), KN_I64);
    kn_axes last = knonnx_one_axis(4);
    kn_array y = kn_expand_dims(knonnx_taken(x, 0, batch), &(kn_axes){{2}, {3}}); /* (regions, C, H, 1, W) */
    y = knonnx_maximal(kn_where(kn_expand_dims(across, &(kn_axes){{3}, {1, 2}}), y, least), &last, false);
    y = kn_expand_dims(kn_swapaxes(y, 2, 3), &(kn_axes){{2}, {2}}); /* (regions, C, 1, bins across, H) */
    down = kn_expand_dims(down, &(kn_axes){{3}, {1, 3}});
    y = knonnx_maximal(kn_where(down, y, least), &last, false);
    return knonnx_set(c, 0, kn_where(kn_isneginf(y), kn_like_int(0), y));
}

/* ---- NonMaxSuppression: one box after the other, by values. */

typedef struct candidate {
    double score;
    int64_t at;
} candidate;

static int by_score(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The corners of a box: two of them in any order, or its centre and its size. */
static void corners(const double *b, bool centre, double to[4])
{
    for (int k = 0; k < 2; k++) {
        double low = centre ? b[k] - b[2 + k] / 2 : fmin(b[k], b[2 + k]);
        double high = centre ? b[k] + b[2 + k] / 2 : fmax(b[k], b[2 + k]);
        to[k] = low;
        to[2 + k] = high;
    }
}

/* The area that two boxes share, of that which they have together. */
static double shared(const double *a, const double *b, bool centre)
{
    double p[4], q[4], common = 1, one = 1, other = 1;
    corners(a, centre, p);
    corners(b, centre, q);
    for (int k = 0; k < 2; k++) {
        common *= fmax(0, fmin(p[2 + k], q[2 + k]) - fmax(p[k], q[k]));
        one *= p[2 + k] - p[k];
        other *= q[2 + k] - q[k];
    }
    return one > 0 && other > 0 && common > 0 ? common / (one + other - common) : 0;
}

typedef struct suppression {
    int64_t batch, classes, boxes, most;
    double overlap, least;
    bool bounded, centre;
    const double *box, *score;
    candidate *room;
    int64_t *to, n;
} suppression;

static void suppress(suppression *s, int64_t batch, int64_t class)
{
    const double *score = s->score + (batch * s->classes + class) * s->boxes, *box = s->box + batch * s->boxes * 4;
    int64_t n = 0, first = s->n;
    for (int64_t i = 0; i < s->boxes; i++)
        if (!s->bounded || score[i] > s->least)
            s->room[n++] = (candidate){score[i], i};
    qsort(s->room, (size_t)n, sizeof *s->room, by_score);
    for (int64_t i = 0; i < n && s->n - first < s->most; i++) {
        bool keep = true;
        for (int64_t k = first; k < s->n && keep; k++)
            keep = shared(box + 4 * s->room[i].at, box + 4 * s->to[3 * k + 2], s->centre) <= s->overlap;
        if (!keep)
            continue;
        memcpy(s->to + 3 * s->n++, (int64_t[]){batch, class, s->room[i].at}, 3 * sizeof *s->to);
    }
}

static int number_in(knonnx_call *c, int i, double *to)
{
    int n;
    const double *v = knonnx_has(c, i) ? knonnx_doubles_in(c, i, &n) : NULL;
    if (!knonnx_has(c, i))
        return 0;
    if (!v || n != 1)
        return v ? knonnx_fail(c, KN_ERROR_VALUE, "input %d has %d elements, not one", i, n) : -1;
    *to = v[0];
    return 0;
}

static int non_max_suppression(knonnx_call *c)
{
    suppression s = {.centre = knonnx_int(c, "center_point_box", 0) != 0, .bounded = knonnx_has(c, 4)};
    kn_array boxes = knonnx_in(c, 0), scores = knonnx_in(c, 1);
    double most = 0;
    int n, m;
    if (!boxes || !scores)
        return -1;
    kn_shape b = kn_shape_of(boxes), t = kn_shape_of(scores);
    if (b.ndim != 3 || t.ndim != 3 || b.dim[2] != 4 || t.dim[0] != b.dim[0] || t.dim[2] != b.dim[1])
        return knonnx_fail(c, KN_ERROR_VALUE, "boxes are (batch, boxes, 4), scores (batch, classes, boxes)");
    if (!knonnx_known(c, 0) || !knonnx_known(c, 1))
        return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                           "how many boxes are left depends on their values, which must be known");
    s.batch = b.dim[0];
    s.boxes = b.dim[1];
    s.classes = t.dim[1];
    if (number_in(c, 2, &most) || number_in(c, 3, &s.overlap) || number_in(c, 4, &s.least) ||
        !(s.box = knonnx_doubles_in(c, 0, &n)) || !(s.score = knonnx_doubles_in(c, 1, &m)))
        return -1;
    s.most = most < 0 ? 0 : most > (double)s.boxes ? s.boxes : (int64_t)most;
    s.room = knonnx_take(c, (uint64_t)s.boxes + 1, sizeof *s.room);
    s.to = knonnx_take(c, (uint64_t)(s.batch * s.classes * s.most) + 1, 3 * sizeof *s.to);
    if (!s.room || !s.to)
        return -1;
    for (int64_t i = 0; i < s.batch; i++)
        for (int64_t k = 0; k < s.classes; k++)
            suppress(&s, i, k);
    return knonnx_set(c, 0, kn_from_memory(s.to, KNONNX_SHAPE(s.n, 3), KN_I64));
}

const knonnx_row knonnx_rows_regions[] = {
    {"RoiAlign", 10, roi_align_op, 3, 3, 1, 1},
    {"MaxRoiPool", 1, max_roi_pool, 2, 2, 1, 1},
    {"NonMaxSuppression", 10, non_max_suppression, 2, 5, 1, 1},
    {0},
};
