/* SPDX-License-Identifier: Apache-2.0
 * fields.c -- histograms, images and contours as marks of a panel. */
#include "media/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Histograms. */

static int histogram_mark(const char *op, knmedia_panel *panel, const double *count, const double *edge, int64_t bins,
                          const kn_plot_histogram_opts *o)
{
    knmedia_rgba color;
    if (knmedia_pen_color(op, panel, o->color, o->alpha, &color))
        return -1;
    knmedia_mark *m = o->outline ? knmedia_mark_new(op, KNMEDIA_LINE, 2 * bins + 2, 2, o->label)
                                 : knmedia_mark_new(op, KNMEDIA_RECTS, bins, 4, o->label);
    if (!m)
        return -1;
    for (int64_t i = 0; i < bins && !o->outline; i++) {
        m->x[i] = edge[i];
        m->x2[i] = edge[i + 1];
        m->y[i] = 0;
        m->y2[i] = count[i];
    }
    for (int64_t i = 0; i <= bins && o->outline; i++) {
        m->x[2 * i] = m->x[2 * i + 1] = edge[i];
        m->y[2 * i] = i ? count[i - 1] : 0;
        m->y[2 * i + 1] = i < bins ? count[i] : 0;
    }
    m->color = m->pen.color = color;
    m->pen.width = 1.7;
    m->line = m->outline = o->outline;
    return knmedia_mark_add(op, panel, m);
}

static int histogram(const char *op, knmedia_panel *panel, kn_array x, const kn_plot_histogram_opts *o)
{
    kn_histogram_opts h = kn_histogram_opts_default();
    int64_t n, edges;
    if (!x)
        return knbeside_null(op, "x");
    h.bins = o->bins;
    h.estimator = o->estimator;
    h.range[0] = o->range[0];
    h.range[1] = o->range[1];
    h.density = o->density;
    h.weights = o->weights;
    kn_histogram_result r = kn_histogram(x, &h);
    const double *count = knmedia_doubles(op, "hist", r.hist, &n);
    const double *edge = count ? knmedia_doubles(op, "edges", r.bin_edges, &edges) : NULL;
    return edge ? histogram_mark(op, panel, count, edge, n, o) : -1;
}

int kn_plot_histogram(kn_plot p, kn_array x, const kn_plot_histogram_opts *opts)
{
    KNX_OPTS(kn_plot_histogram_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_histogram", p);
    int status = plot ? histogram("plot_histogram", plot->panel, x, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

/* ---- Images. */

static uint8_t shade(double v, bool whole) { return (uint8_t)(whole ? v : v <= 0 ? 0 : v >= 1 ? 255 : 255 * v + 0.5); }

/* The colours of a picture with 3 or 4 channels; numbers that are no colour are white. */
static void picture_colors(int64_t n, int64_t channels, bool whole, const double *v, knmedia_rgba *to)
{
    for (int64_t i = 0; i < n; i++, v += channels) {
        bool none = v[0] != v[0] || v[1] != v[1] || v[2] != v[2] || (channels == 4 && v[3] != v[3]);
        to[i] = none ? (knmedia_rgba){255, 255, 255, 255}
                     : (knmedia_rgba){shade(v[0], whole), shade(v[1], whole), shade(v[2], whole),
                                      channels == 4 ? shade(v[3], whole) : 255};
    }
}

static int image_colors(const char *op, knmedia_panel *panel, kn_array image, const kn_plot_image_opts *o,
                        knmedia_mark *m)
{
    int64_t n;
    kn_shape s = kn_shape_of(image);
    kn_dtype d = kn_dtype_of(image);
    bool picture = s.ndim == 3;
    int map = o->colormap ? knmedia_map_named(o->colormap) : -1;
    if (picture && d != KN_U8 && kn_dtype_kind(d) != 'f')
        return knbeside_fail(op, KN_ERROR_TYPE, "a picture with colours is uint8, or floats from 0 to 1, not %s",
                             kn_dtype_name(d));
    if (map < 0)
        return knbeside_fail(op, KN_ERROR_VALUE, "there is no colour map \"%.40s\"", o->colormap ? o->colormap : "");
    const double *v = knmedia_doubles(op, "image", image, &n);
    if (!v)
        return -1;
    m->colors = knbeside_alloc((uint64_t)(m->w * m->h), sizeof *m->colors);
    if (!m->colors)
        return knbeside_no_memory(op);
    double low = o->vmin, high = o->vmax;
    if (picture)
        picture_colors(m->w * m->h, s.dim[2], d == KN_U8, v, m->colors);
    else
        knmedia_map_values(map, n, v, &low, &high, m->colors);
    return o->colorbar && !picture ? knmedia_put_bar(op, panel, map, low, high == low ? low + 1 : high) : 0;
}

static int image(const char *op, knmedia_panel *panel, kn_array x, const kn_plot_image_opts *o)
{
    static const char *const origins[] = {"upper", "lower", NULL};
    if (!x)
        return knbeside_null(op, "image");
    kn_shape s = kn_shape_of(x);
    const double *e = o->extent;
    bool given = e[0] != 0 || e[1] != 0 || e[2] != 0 || e[3] != 0;
    if (s.ndim < 0 || knmedia_check_choice(op, "origin", o->origin, origins))
        return -1;
    if ((s.ndim != 2 && (s.ndim != 3 || (s.dim[2] != 3 && s.dim[2] != 4))) || !s.dim[0] || !s.dim[1])
        return knbeside_fail(op, KN_ERROR_VALUE,
                             "an image has the shape (height, width), or (height, width, 3 or 4), and pixels");
    if (s.dim[0] > KNBESIDE_MOST_PIXELS / s.dim[1])
        return knbeside_fail(op, KN_ERROR_VALUE, "an image has at most %d pixels", KNBESIDE_MOST_PIXELS);
    if (given &&
        (!isfinite(e[0]) || !isfinite(e[1]) || !isfinite(e[2]) || !isfinite(e[3]) || e[0] == e[1] || e[2] == e[3]))
        return knbeside_fail(op, KN_ERROR_VALUE, "an image cannot lie in %g to %g by %g to %g", e[0], e[1], e[2], e[3]);
    knmedia_mark *m = knmedia_mark_new(op, KNMEDIA_IMAGE, 1, 4, NULL);
    if (!m)
        return -1;
    bool upper = !strcmp(o->origin, "upper");
    m->h = s.dim[0];
    m->w = s.dim[1];
    m->smooth = o->smooth;
    m->x[0] = given ? e[0] : -0.5;
    m->x2[0] = given ? e[1] : (double)m->w - 0.5;
    double bottom = given   ? e[2]
                    : upper ? (double)m->h - 0.5
                            : -0.5,
           top = given   ? e[3]
                 : upper ? -0.5
                         : (double)m->h - 0.5;
    m->y[0] = upper ? top : bottom;
    m->y2[0] = upper ? bottom : top;
    if (image_colors(op, panel, x, o, m)) {
        knmedia_mark_free(m);
        return -1;
    }
    panel->has_image = true;
    if (!given) { /* pixels are squares, and rows count from the top */
        panel->equal = true;
        if (upper && panel->y.limit[0] == 0 && panel->y.limit[1] == 0) {
            panel->y.limit[0] = bottom;
            panel->y.limit[1] = top;
        }
    }
    return knmedia_mark_add(op, panel, m);
}

int kn_plot_image(kn_plot p, kn_array x, const kn_plot_image_opts *opts)
{
    KNX_OPTS(kn_plot_image_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_image", p);
    int status = plot ? image("plot_image", plot->panel, x, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

/* ---- Contours. */

static int level_mark(const char *op, knmedia_panel *panel, const double *x, const double *y, const double *z,
                      int64_t columns, int64_t rows, double level, knmedia_rgba color, double width)
{
    int64_t n;
    knmedia_point *p = knmedia_contour(x, y, z, columns, rows, level, &n);
    knmedia_mark *m = p ? knmedia_mark_new(op, KNMEDIA_LINE, n, 2, NULL) : NULL;
    for (int64_t i = 0; m && i < n; i++) {
        m->x[i] = p[i].x;
        m->y[i] = p[i].y;
    }
    free(p);
    if (!m)
        return p ? -1 : knbeside_no_memory(op);
    m->color = m->pen.color = color;
    m->pen.width = width;
    return knmedia_mark_add(op, panel, m);
}

static double *coordinates(const char *op, const char *name, kn_array x, int64_t n)
{
    int64_t given = n;
    const double *from = x ? knmedia_doubles(op, name, x, &given) : NULL;
    if (x && !from)
        return NULL;
    if (x && (kn_ndim(x) != 1 || given != n)) {
        knbeside_fail(op, KN_ERROR_VALUE, "%s is a vector of %lld elements, as z has them", name, (long long)n);
        return NULL;
    }
    double *to = knbeside_alloc((uint64_t)n, sizeof *to);
    if (!to)
        knbeside_no_memory(op);
    for (int64_t i = 0; to && i < n; i++)
        to[i] = from ? from[i] : (double)i;
    return to;
}

static int levels(const char *op, knmedia_panel *panel, const double *x, const double *y, kn_array z,
                  const kn_plot_contour_opts *o)
{
    double own[KNMEDIA_MOST_TICKS], low = NAN, high = NAN;
    int64_t n, n_levels = 0;
    const double *v = knmedia_doubles(op, "z", z, &n), *level = own;
    int map = o->colormap ? knmedia_map_named(o->colormap) : -1;
    if (!v || (o->levels && !(level = knmedia_doubles(op, "levels", o->levels, &n_levels))))
        return -1;
    if (map < 0)
        return knbeside_fail(op, KN_ERROR_VALUE, "there is no colour map \"%.40s\"", o->colormap ? o->colormap : "");
    if (!o->levels && (o->count < 1 || o->count > KNMEDIA_MOST_TICKS / 2))
        return knbeside_fail(op, KN_ERROR_VALUE, "count is from 1 to %d, not %d", KNMEDIA_MOST_TICKS / 2, o->count);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(v[i])) {
            low = fmin(low, v[i]);
            high = fmax(high, v[i]);
        }
    if (!o->levels && low < high)
        n_levels = knmedia_round_numbers(low, high, o->count, own);
    double first = n_levels ? level[0] : 0, last = n_levels ? level[n_levels - 1] : 1;
    for (int64_t i = 0; i < n_levels; i++) {
        knmedia_rgba color = knmedia_map_color(map, n_levels > 1 ? (level[i] - first) / (last - first) : 0.5);
        if ((o->color && knmedia_pen_color(op, panel, o->color, 1, &color)) ||
            level_mark(op, panel, x, y, v, kn_dim(z, 1), kn_dim(z, 0), level[i], color, o->width))
            return -1;
    }
    return o->colorbar && !o->color ? knmedia_put_bar(op, panel, map, first, last) : 0;
}

static int contour(const char *op, knmedia_panel *panel, kn_array x, kn_array y, kn_array z,
                   const kn_plot_contour_opts *o)
{
    if (!z)
        return knbeside_null(op, "z");
    kn_shape s = kn_shape_of(z);
    if (s.ndim < 0 || knmedia_check_size(op, "width", o->width))
        return -1;
    if (s.ndim != 2)
        return knbeside_fail(op, KN_ERROR_VALUE, "z has two axes, not %d", s.ndim);
    double *columns = coordinates(op, "x", x, s.dim[1]), *rows = columns ? coordinates(op, "y", y, s.dim[0]) : NULL;
    int status = rows ? levels(op, panel, columns, rows, z, o) : -1;
    free(columns);
    free(rows);
    return status;
}

int kn_plot_contour(kn_plot p, kn_array x, kn_array y, kn_array z, const kn_plot_contour_opts *opts)
{
    KNX_OPTS(kn_plot_contour_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_contour", p);
    int status = plot ? contour("plot_contour", plot->panel, x, y, z, &o) : -1;
    kn_scope_end(&scope);
    return status;
}
