/* SPDX-License-Identifier: Apache-2.0
 * draw.c -- lines, points, bars, areas, texts and rules: what the user gives becomes marks of a panel. */
#include "media/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const knmedia_line_styles[] = {"-", "--", ":", "-.", NULL};
static const char *const line_styles[] = {"-", "--", ":", "-.", "none", NULL};
static const char *const markers[] = {"o", ".", "s", "^", "v", "d", "x", "+", NULL};

/* ---- What is checked. */

int knmedia_check_size(const char *op, const char *what, double v)
{
    return v >= 0 && v <= 1000 ? 0 : knbeside_fail(op, KN_ERROR_VALUE, "%s is from 0 to 1000 pixels, not %g", what, v);
}

int knmedia_pen_color(const char *op, knmedia_panel *panel, const char *text, double alpha, knmedia_rgba *out)
{
    if (!(alpha >= 0 && alpha <= 1))
        return knbeside_fail(op, KN_ERROR_VALUE, "alpha is from 0 to 1, not %g", alpha);
    if (!text)
        *out = knmedia_turn(panel->turn++);
    else if (!knmedia_color(text, out))
        return knbeside_fail(op, KN_ERROR_VALUE, "there is no colour \"%.40s\"", text);
    out->a = (uint8_t)(out->a * alpha + 0.5);
    return 0;
}

/* A vector's numbers; NULL with an error. */
static const double *vector(const char *op, const char *name, kn_array x, int64_t *n)
{
    const double *v = knmedia_doubles(op, name, x, n);
    if (v && kn_ndim(x) != 1) {
        knbeside_fail(op, KN_ERROR_VALUE, "%s is a vector, not an array with %d axes", name, kn_ndim(x));
        return NULL;
    }
    return v;
}

int knmedia_vectors(const char *op, kn_array x, kn_array y, const char *y_name, const double **from_x,
                    const double **from_y, int64_t *n)
{
    int64_t nx;
    *from_x = NULL;
    *from_y = vector(op, y_name, y, n);
    if (!*from_y)
        return -1;
    if (!x)
        return 0;
    *from_x = vector(op, "x", x, &nx);
    if (*from_x && nx != *n)
        return knbeside_fail(op, KN_ERROR_VALUE, "x has %lld elements and %s %lld", (long long)nx, y_name,
                             (long long)*n);
    return *from_x ? 0 : -1;
}

static void put_vector(double *to, const double *from, int64_t n, int64_t stride)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from ? from[i * stride] : (double)i;
}

/* ---- Lines and points. */

static int add_line(const char *op, knmedia_panel *panel, const double *x, const double *y, int64_t n, int64_t stride,
                    const char *label, knmedia_rgba color, const kn_plot_line_opts *o)
{
    bool has_line = strcmp(o->style, "none") != 0;
    for (int marks = 0; marks < 2; marks++) {
        if (marks ? !o->marker : !has_line)
            continue;
        knmedia_mark *m =
            knmedia_mark_new(op, marks ? KNMEDIA_MARKS : KNMEDIA_LINE, n, 2, marks && has_line ? NULL : label);
        if (!m)
            return -1;
        put_vector(m->x, x, n, 1);
        put_vector(m->y, y, n, stride);
        m->color = m->pen.color = color;
        m->pen.width = o->width;
        m->size = o->size;
        m->marker = o->marker ? o->marker[0] : 0;
        m->line = has_line;
        if (has_line)
            snprintf(m->pen.style, sizeof m->pen.style, "%s", o->style);
        if (knmedia_mark_add(op, panel, m))
            return -1;
    }
    return 0;
}

static int lines(const char *op, knmedia_panel *panel, kn_array x, kn_array y, const kn_plot_line_opts *o)
{
    int64_t n, nx;
    if (knmedia_check_choice(op, "style", o->style, line_styles) || knmedia_check_size(op, "width", o->width) ||
        knmedia_check_size(op, "size", o->size) ||
        (o->marker && knmedia_check_choice(op, "marker", o->marker, markers)))
        return -1;
    const double *from_y = knmedia_doubles(op, "y", y, &n);
    int axes = from_y ? kn_ndim(y) : 0;
    if (!from_y)
        return -1;
    if (axes != 1 && axes != 2)
        return knbeside_fail(op, KN_ERROR_VALUE, "y has one axis, or two for several lines, not %d", axes);
    int64_t columns = axes == 2 ? kn_dim(y, 1) : 1, rows = kn_dim(y, 0);
    const double *from_x = x ? vector(op, "x", x, &nx) : NULL;
    if (x && !from_x)
        return -1;
    if (x && nx != rows)
        return knbeside_fail(op, KN_ERROR_VALUE, "x has %lld elements and y %lld", (long long)nx, (long long)rows);
    for (int64_t k = 0; k < columns; k++) {
        knmedia_rgba color;
        if (knmedia_pen_color(op, panel, o->color, o->alpha, &color) ||
            add_line(op, panel, from_x, from_y + k, rows, columns, k == 0 ? o->label : NULL, color, o))
            return -1;
    }
    return 0;
}

int kn_plot_line(kn_plot p, kn_array x, kn_array y, const kn_plot_line_opts *opts)
{
    KNX_OPTS(kn_plot_line_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_line", p);
    int status = plot ? lines("plot_line", plot->panel, x, y, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

int knmedia_put_bar(const char *op, knmedia_panel *panel, int map, double vmin, double vmax)
{
    if (!(vmin < vmax) || !isfinite(vmin) || !isfinite(vmax))
        return knbeside_fail(op, KN_ERROR_VALUE, "a colour bar needs two limits, not %g and %g", vmin, vmax);
    panel->has_bar = true;
    panel->map = map;
    panel->vmin = vmin;
    panel->vmax = vmax;
    return 0;
}

static int value_colors(const char *op, knmedia_panel *panel, knmedia_mark *m, const kn_plot_points_opts *o)
{
    int64_t n;
    double low = o->vmin, high = o->vmax;
    int map = o->colormap ? knmedia_map_named(o->colormap) : -1;
    const double *v = vector(op, "values", o->values, &n);
    if (!v)
        return -1;
    if (map < 0)
        return knbeside_fail(op, KN_ERROR_VALUE, "there is no colour map \"%.40s\"", o->colormap ? o->colormap : "");
    if (n != m->n)
        return knbeside_fail(op, KN_ERROR_VALUE, "%lld values for %lld points", (long long)n, (long long)m->n);
    m->colors = knbeside_alloc((uint64_t)n, sizeof *m->colors);
    if (!m->colors)
        return knbeside_no_memory(op);
    knmedia_map_values(map, n, v, &low, &high, m->colors);
    for (int64_t i = 0; i < n; i++)
        m->colors[i].a = (uint8_t)(v[i] == v[i] ? 255 * o->alpha + 0.5 : 0);
    m->color = knmedia_map_color(map, 0.5);
    return o->colorbar ? knmedia_put_bar(op, panel, map, low, high) : 0;
}

static int points(const char *op, knmedia_panel *panel, kn_array x, kn_array y, const kn_plot_points_opts *o)
{
    int64_t n;
    const double *from_x, *from_y;
    knmedia_rgba color = {0, 0, 0, 255};
    if (knmedia_check_choice(op, "marker", o->marker, markers) || knmedia_check_size(op, "size", o->size) ||
        knmedia_vectors(op, x, y, "y", &from_x, &from_y, &n) ||
        knmedia_pen_color(op, panel, o->values && !o->color ? "black" : o->color, o->alpha, &color))
        return -1;
    knmedia_mark *m = knmedia_mark_new(op, KNMEDIA_MARKS, n, 2, o->label);
    if (!m)
        return -1;
    put_vector(m->x, from_x, n, 1);
    put_vector(m->y, from_y, n, 1);
    m->color = color;
    m->marker = o->marker[0];
    m->size = o->size;
    if (o->values && value_colors(op, panel, m, o)) {
        knmedia_mark_free(m);
        return -1;
    }
    return knmedia_mark_add(op, panel, m);
}

int kn_plot_points(kn_plot p, kn_array x, kn_array y, const kn_plot_points_opts *opts)
{
    KNX_OPTS(kn_plot_points_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_points", p);
    int status = plot ? points("plot_points", plot->panel, x, y, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

/* ---- Bars and areas. */

static int bars(const char *op, knmedia_panel *panel, kn_array x, kn_array height, const kn_plot_bars_opts *o)
{
    int64_t n, nb = 0;
    const double *from_x, *from_y, *bottom = NULL;
    knmedia_rgba color;
    if (knmedia_vectors(op, x, height, "height", &from_x, &from_y, &n))
        return -1;
    if (o->bottom && !(bottom = knmedia_doubles(op, "bottom", o->bottom, &nb)))
        return -1;
    if (bottom && nb != n && nb != 1)
        return knbeside_fail(op, KN_ERROR_VALUE, "bottom has %lld elements and height %lld", (long long)nb,
                             (long long)n);
    if (!(o->width > 0) || isinf(o->width))
        return knbeside_fail(op, KN_ERROR_VALUE, "a bar's width is a positive number, not %g", o->width);
    if (knmedia_pen_color(op, panel, o->color, o->alpha, &color))
        return -1;
    knmedia_mark *m = knmedia_mark_new(op, KNMEDIA_RECTS, n, 4, o->label);
    if (!m)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        double at = from_x ? from_x[i] : (double)i;
        m->x[i] = at - o->width / 2;
        m->x2[i] = at + o->width / 2;
        m->y[i] = bottom ? bottom[nb == 1 ? 0 : i] : 0;
        m->y2[i] = m->y[i] + from_y[i];
    }
    m->color = color;
    return knmedia_mark_add(op, panel, m);
}

int kn_plot_bars(kn_plot p, kn_array x, kn_array height, const kn_plot_bars_opts *opts)
{
    KNX_OPTS(kn_plot_bars_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_bars", p);
    int status = plot ? bars("plot_bars", plot->panel, x, height, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

static int area(const char *op, knmedia_panel *panel, kn_array x, kn_array low, kn_array high,
                const kn_plot_area_opts *o)
{
    int64_t n, nl = 0;
    const double *from_x, *from_y, *from_low = NULL;
    knmedia_rgba color;
    if (knmedia_vectors(op, x, high, "high", &from_x, &from_y, &n))
        return -1;
    if (low && !(from_low = knmedia_doubles(op, "low", low, &nl)))
        return -1;
    if (low && nl != n && nl != 1)
        return knbeside_fail(op, KN_ERROR_VALUE, "low has %lld elements and high %lld", (long long)nl, (long long)n);
    if (knmedia_pen_color(op, panel, o->color, o->alpha, &color))
        return -1;
    knmedia_mark *m = knmedia_mark_new(op, KNMEDIA_AREA, n, 4, o->label);
    if (!m)
        return -1;
    put_vector(m->x, from_x, n, 1);
    put_vector(m->x2, m->x, n, 1);
    put_vector(m->y2, from_y, n, 1);
    for (int64_t i = 0; i < n; i++)
        m->y[i] = from_low ? from_low[nl == 1 ? 0 : i] : 0;
    m->color = color;
    return knmedia_mark_add(op, panel, m);
}

int kn_plot_area(kn_plot p, kn_array x, kn_array low, kn_array high, const kn_plot_area_opts *opts)
{
    KNX_OPTS(kn_plot_area_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_area", p);
    int status = plot ? area("plot_area", plot->panel, x, low, high, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

/* ---- Texts and rules. */

static int check_place(const char *op, double x, double y)
{
    return isfinite(x) && isfinite(y) ? 0 : knbeside_fail(op, KN_ERROR_VALUE, "there is no place (%g, %g)", x, y);
}

static int put_text(const char *op, knmedia_panel *panel, double x, double y, const char *text,
                    const kn_plot_text_opts *o)
{
    static const char *const anchors[] = {"left", "center", "right", NULL};
    knmedia_rgba color;
    if (!text || !o->color)
        return knbeside_null(op, text ? "color" : "text");
    if (check_place(op, x, y) || knmedia_check_size(op, "size", o->size) ||
        knmedia_check_choice(op, "anchor", o->anchor, anchors) || knmedia_pen_color(op, panel, o->color, 1, &color))
        return -1;
    knmedia_mark *m = knmedia_mark_new(op, KNMEDIA_WORDS, 1, 2, text);
    if (!m)
        return -1;
    m->x[0] = x;
    m->y[0] = y;
    m->size = o->size;
    m->color = color;
    m->anchor = o->anchor[0] == 'l' ? 0 : o->anchor[0] == 'r' ? 1 : 0.5;
    return knmedia_mark_add(op, panel, m);
}

int kn_plot_text(kn_plot p, double x, double y, const char *text, const kn_plot_text_opts *opts)
{
    KNX_OPTS(kn_plot_text_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get("plot_text", p);
    int status = plot ? put_text("plot_text", plot->panel, x, y, text, &o) : -1;
    kn_scope_end(&scope);
    return status;
}

static int rule(const char *op, kn_plot p, knmedia_kind kind, double at, const kn_plot_rule_opts *opts)
{
    KNX_OPTS(kn_plot_rule_opts, o, opts);
    const knmedia_plot *plot = knmedia_plot_get(op, p);
    knmedia_rgba color;
    if (!plot)
        return -1;
    if (!o.color)
        return knbeside_null(op, "color");
    if (check_place(op, at, at) || knmedia_check_size(op, "width", o.width) ||
        knmedia_check_choice(op, "style", o.style, knmedia_line_styles) ||
        knmedia_pen_color(op, plot->panel, o.color, 1, &color))
        return -1;
    knmedia_mark *m = knmedia_mark_new(op, kind, 1, 2, o.label);
    if (!m)
        return -1;
    m->x[0] = m->y[0] = at;
    m->color = m->pen.color = color;
    m->pen.width = o.width;
    m->line = true;
    snprintf(m->pen.style, sizeof m->pen.style, "%s", o.style);
    return knmedia_mark_add(op, plot->panel, m);
}

int kn_plot_hline(kn_plot p, double y, const kn_plot_rule_opts *opts)
{
    kn_scope scope = kn_scope_begin();
    int status = rule("plot_hline", p, KNMEDIA_RULE_Y, y, opts);
    kn_scope_end(&scope);
    return status;
}

int kn_plot_vline(kn_plot p, double x, const kn_plot_rule_opts *opts)
{
    kn_scope scope = kn_scope_begin();
    int status = rule("plot_vline", p, KNMEDIA_RULE_X, x, opts);
    kn_scope_end(&scope);
    return status;
}
