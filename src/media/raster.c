/* SPDX-License-Identifier: Apache-2.0
 * raster.c -- a canvas of pixels. A shape is drawn in two steps: each of its edges adds to the pixels of the rows
 * that it
 * crosses the signed area that lies right of it there; sums along the rows are then how much of each pixel is covered,
 * exactly. What is made of several pieces that turn the same way round (a line of strokes and joints) is one shape. */
#include "media/markers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Edges. */

static void add_row(float *row, double xa, double xb, double d, int64_t w)
{
    xa = xa < 0 ? 0 : xa > (double)w ? (double)w : xa;
    xb = xb < 0 ? 0 : xb > (double)w ? (double)w : xb;
    int64_t first = (int64_t)xa, last = (int64_t)ceil(xb);
    if (last <= first + 1) {
        double right = (xa + xb) / 2 - (double)first;
        row[first] += (float)(d - d * right);
        row[first + 1] += (float)(d * right);
        return;
    }
    double slope = 1 / (xb - xa), in = 1 - (xa - (double)first), out = xb - (double)last + 1;
    double before = 0.5 * slope * in * in; /* the area of the first pixel, then what the sum grows to */
    double after = 0.5 * slope * out * out;
    row[first] += (float)(d * before);
    double sum = before;
    for (int64_t x = first + 1; x < last - 1; x++) {
        double covered = slope * ((double)x + 0.5 - xa);
        row[x] += (float)(d * (covered - sum));
        sum = covered;
    }
    row[last - 1] += (float)(d * (1 - after - sum));
    row[last] += (float)(d * after);
}

static void edge(knmedia_raster *r, knmedia_point a, knmedia_point b)
{
    double direction = 1;
    if (a.y > b.y) {
        knmedia_point t = a;
        a = b;
        b = t;
        direction = -1;
    }
    if (!(b.y > a.y) || b.y <= 0 || a.y >= (double)r->h)
        return;
    double slope = (b.x - a.x) / (b.y - a.y), y = a.y, x = a.x;
    if (y < 0) {
        x -= y * slope;
        y = 0;
    }
    double end = b.y < (double)r->h ? b.y : (double)r->h;
    int64_t row = (int64_t)y, last = (int64_t)ceil(end);
    r->top = row < r->top ? row : r->top;
    r->bottom = last > r->bottom ? last : r->bottom;
    r->left = fmin(r->left, fmin(a.x, b.x));
    r->right = fmax(r->right, fmax(a.x, b.x));
    for (; row < last; row++) {
        double to = (double)(row + 1) < end ? (double)(row + 1) : end, dy = to - y, next = x + slope * dy;
        add_row(r->cover + row * (r->w + 2), x < next ? x : next, x < next ? next : x, dy * direction, r->w);
        x = next;
        y = to;
    }
}

static void polygon(knmedia_raster *r, int64_t n, const knmedia_point *p)
{
    for (int64_t i = 0; i < n; i++)
        edge(r, p[i], p[i + 1 < n ? i + 1 : 0]);
}

static void no_edges(knmedia_raster *r)
{
    r->top = r->h;
    r->bottom = 0;
    r->left = (double)r->w;
    r->right = 0;
}

/* Puts the colour where edges say, and forgets these. */
static void paint(knmedia_raster *r, knmedia_rgba color)
{
    int64_t left = (int64_t)fmin(fmax(r->left, 0), (double)r->w);
    int64_t right = (int64_t)fmin(fmax(r->right, 0) + 1, (double)r->w);
    for (int64_t y = r->top; y < r->bottom; y++) {
        float *row = r->cover + y * (r->w + 2);
        float sum = 0;
        uint8_t *to = r->rgb + 3 * (y * r->w + left);
        for (int64_t x = left; x < right; x++, to += 3) {
            sum += row[x];
            float covered = fabsf(sum) < 1 ? fabsf(sum) : 1;
            if (covered < 1e-4f || x < r->x0 || x >= r->x1 || y < r->y0 || y >= r->y1)
                continue;
            float a = covered * (float)color.a / 255;
            to[0] = (uint8_t)((float)to[0] + ((float)color.r - (float)to[0]) * a + 0.5f);
            to[1] = (uint8_t)((float)to[1] + ((float)color.g - (float)to[1]) * a + 0.5f);
            to[2] = (uint8_t)((float)to[2] + ((float)color.b - (float)to[2]) * a + 0.5f);
        }
        memset(row + left, 0, (size_t)(right + 2 - left) * sizeof *row);
    }
    no_edges(r);
}

/* ---- Shapes. */

static knmedia_point scaled(const knmedia_raster *r, knmedia_point p)
{
    return (knmedia_point){p.x * r->scale, p.y * r->scale};
}

static void disc(knmedia_raster *r, knmedia_point c, double radius)
{
    static const knmedia_point unit[16] = {
        {1, 0},  {0.92387953, 0.38268343},   {0.70710678, 0.70710678},   {0.38268343, 0.92387953},
        {0, 1},  {-0.38268343, 0.92387953},  {-0.70710678, 0.70710678},  {-0.92387953, 0.38268343},
        {-1, 0}, {-0.92387953, -0.38268343}, {-0.70710678, -0.70710678}, {-0.38268343, -0.92387953},
        {0, -1}, {0.38268343, -0.92387953},  {0.70710678, -0.70710678},  {0.92387953, -0.38268343}};
    knmedia_point p[32];
    int n = 0;
    bool large = radius > 3;           /* then 32 corners */
    radius *= large ? 1.0016 : 1.0065; /* a polygon of the same area */
    for (int i = 0; i < 16; i++) {
        knmedia_point a = unit[i], b = unit[(i + 1) % 16];
        p[n++] = (knmedia_point){c.x + radius * a.x, c.y + radius * a.y};
        if (large) /* half way, moved out to the circle: divided by cos(pi / 16) */
            p[n++] = (knmedia_point){c.x + radius * (a.x + b.x) / 2 / 0.98078528,
                                     c.y + radius * (a.y + b.y) / 2 / 0.98078528};
    }
    polygon(r, n, p);
}

static void segment(knmedia_raster *r, knmedia_point a, knmedia_point b, double half)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    if (!(length > 0))
        return;
    double nx = -dy / length * half, ny = dx / length * half;
    const knmedia_point p[4] = {{a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}, {a.x + nx, a.y + ny}};
    polygon(r, 4, p);
}

static bool is_gap(knmedia_point p) { return p.x != p.x; }

/* In device pixels. Joints and ends are round. */
static void line(knmedia_raster *r, int64_t n, const knmedia_point *p, double half)
{
    for (int64_t i = 0; i < n; i++) {
        if (is_gap(p[i]))
            continue;
        disc(r, p[i], half);
        if (i + 1 < n && !is_gap(p[i + 1]))
            segment(r, p[i], p[i + 1], half);
    }
}

static void dashed(knmedia_raster *r, int64_t n, const knmedia_point *p, double half, int dashes, const double *dash)
{
    int k = 0;
    double left = dash[0];
    for (int64_t i = 0; i + 1 < n; i++) {
        if (is_gap(p[i]) || is_gap(p[i + 1])) {
            k = 0;
            left = dash[0];
            continue;
        }
        double dx = p[i + 1].x - p[i].x, dy = p[i + 1].y - p[i].y, length = sqrt(dx * dx + dy * dy), at = 0;
        while (at < length) {
            bool whole = at + left <= length;
            double to = whole ? at + left : length;
            if (k % 2 == 0)
                segment(r, (knmedia_point){p[i].x + dx * at / length, p[i].y + dy * at / length},
                        (knmedia_point){p[i].x + dx * to / length, p[i].y + dy * to / length}, half);
            if (!whole) {
                left -= length - at;
                break;
            }
            at = to;
            k = (k + 1) % dashes;
            left = dash[k];
        }
    }
}

static knmedia_point *scaled_points(knmedia_raster *r, int64_t n, const knmedia_point *p)
{
    knmedia_point *q = knbeside_alloc((uint64_t)n, sizeof *q);
    r->canvas.failed |= !q;
    for (int64_t i = 0; q && i < n; i++)
        q[i] = scaled(r, p[i]);
    return q;
}

static void stroke(knmedia_canvas *c, int64_t n, const knmedia_point *p, knmedia_pen pen)
{
    knmedia_raster *r = (knmedia_raster *)c;
    knmedia_point *q = scaled_points(r, n, p);
    double dash[4], half = pen.width * r->scale / 2;
    int dashes = knmedia_dashes(pen.style, pen.width, dash);
    if (!q)
        return;
    for (int i = 0; i < dashes; i++)
        dash[i] *= r->scale;
    if (dashes)
        dashed(r, n, q, half, dashes, dash);
    else if (n == 2 && (q[0].x == q[1].x || q[0].y == q[1].y)) /* a rule: ends as it says */
        segment(r, q[0], q[1], half);
    else
        line(r, n, q, half);
    free(q);
    paint(r, pen.color);
}

static void fill(knmedia_canvas *c, int64_t n, const knmedia_point *p, knmedia_rgba color)
{
    knmedia_raster *r = (knmedia_raster *)c;
    knmedia_point *q = scaled_points(r, n, p);
    if (q)
        polygon(r, n, q);
    free(q);
    paint(r, color);
}

static void marks(knmedia_canvas *c, int64_t n, const knmedia_point *p, char marker, double size,
                  const knmedia_rgba *color, int step)
{
    knmedia_raster *r = (knmedia_raster *)c;
    knmedia_point corner[KNMEDIA_MOST_CORNERS], at[KNMEDIA_MOST_CORNERS];
    double round = 0;
    bool lines;
    int corners = knmedia_marker(marker, size * r->scale, corner, &round, &lines);
    double half = knmedia_marker_width(size) * r->scale / 2;
    for (int64_t i = 0; i < n; i++) {
        knmedia_point o = scaled(r, p[i]);
        for (int k = 0; k < corners; k++)
            at[k] = (knmedia_point){o.x + corner[k].x, o.y + corner[k].y};
        if (!corners)
            disc(r, o, round);
        else if (!lines)
            polygon(r, corners, at);
        for (int k = 0; lines && k + 1 < corners; k += 2)
            segment(r, at[k], at[k + 1], half);
        paint(r, color[i * step]);
    }
}

/* ---- Images. */

static knmedia_rgba mean(const knmedia_pixels *im, double u, double v, double du, double dv)
{
    double sum[5] = {0};
    int64_t u0 = (int64_t)floor(u - du), u1 = (int64_t)ceil(u + du), v0 = (int64_t)floor(v - dv),
            v1 = (int64_t)ceil(v + dv);
    for (int64_t y = v0 < 0 ? 0 : v0; y < v1 && y < im->h; y++)
        for (int64_t x = u0 < 0 ? 0 : u0; x < u1 && x < im->w; x++) {
            double wx = fmin(u + du, (double)x + 1) - fmax(u - du, (double)x);
            double wy = fmin(v + dv, (double)y + 1) - fmax(v - dv, (double)y);
            knmedia_rgba c = im->at[y * im->w + x];
            double weight = wx * wy, a = weight * c.a;
            sum[0] += a * c.r;
            sum[1] += a * c.g;
            sum[2] += a * c.b;
            sum[3] += a;
            sum[4] += weight;
        }
    if (!(sum[3] > 0))
        return (knmedia_rgba){0, 0, 0, 0};
    return (knmedia_rgba){(uint8_t)(sum[0] / sum[3] + 0.5), (uint8_t)(sum[1] / sum[3] + 0.5),
                          (uint8_t)(sum[2] / sum[3] + 0.5), (uint8_t)(sum[3] / sum[4] + 0.5)};
}

static void image(knmedia_canvas *c, const knmedia_pixels *im)
{
    knmedia_raster *r = (knmedia_raster *)c;
    knmedia_point a = scaled(r, im->from), b = scaled(r, im->to);
    double du = fabs((double)im->w / (b.x - a.x)), dv = fabs((double)im->h / (b.y - a.y));
    double left = fmin(a.x, b.x), right = fmax(a.x, b.x), up = fmin(a.y, b.y), down = fmax(a.y, b.y);
    if (!isfinite(du) || !isfinite(dv))
        return;
    double least = im->smooth ? 1 : 0; /* a window of a whole pixel interpolates linearly */
    du = du > 1 || im->smooth ? fmax(du, least) : 0;
    dv = dv > 1 || im->smooth ? fmax(dv, least) : 0;
    int64_t y0 = (int64_t)fmax((double)r->y0, floor(up)), y1 = (int64_t)fmin((double)r->y1, ceil(down));
    int64_t x0 = (int64_t)fmax((double)r->x0, floor(left)), x1 = (int64_t)fmin((double)r->x1, ceil(right));
    for (int64_t y = y0; y < y1; y++)
        for (int64_t x = x0; x < x1; x++) {
            double px = (double)x + 0.5, py = (double)y + 0.5;
            if (px < left || px >= right || py < up || py >= down)
                continue;
            double u = (px - a.x) / (b.x - a.x) * (double)im->w, v = (py - a.y) / (b.y - a.y) * (double)im->h;
            u = fmin(fmax(u, 0), (double)im->w - 1e-6);
            v = fmin(fmax(v, 0), (double)im->h - 1e-6);
            knmedia_rgba p = du > 0 || dv > 0 ? mean(im, u, v, fmax(du, 1e-3) / 2, fmax(dv, 1e-3) / 2)
                                              : im->at[(int64_t)v * im->w + (int64_t)u];
            uint8_t *to = r->rgb + 3 * (y * r->w + x);
            to[0] = (uint8_t)((to[0] * (255 - p.a) + p.r * p.a + 127) / 255);
            to[1] = (uint8_t)((to[1] * (255 - p.a) + p.g * p.a + 127) / 255);
            to[2] = (uint8_t)((to[2] * (255 - p.a) + p.b * p.a + 127) / 255);
        }
}

/* ---- Words. */

static void words(knmedia_canvas *c, knmedia_point at, knmedia_words w)
{
    knmedia_raster *r = (knmedia_raster *)c;
    knmedia_point stroke_of[KNMEDIA_MOST_STROKES];
    double along = -w.anchor * knmedia_text_width(w.text, w.size), advance;
    const char *s = w.text;
    for (uint32_t letter; (letter = knmedia_next_letter(&s)) != 0; along += advance * w.size) {
        int n = knmedia_letter(letter, stroke_of, &advance);
        for (int i = 0; i < n; i++) {
            knmedia_point p = stroke_of[i];
            double x = along + p.x * w.size, y = p.y * w.size;
            if (p.x == p.x)
                stroke_of[i] =
                    scaled(r, w.upright ? (knmedia_point){at.x - y, at.y - x} : (knmedia_point){at.x + x, at.y - y});
        }
        line(r, n, stroke_of, w.size * 0.044 * r->scale);
    }
    paint(r, w.color);
}

static void clip(knmedia_canvas *c, bool on, knmedia_point from, knmedia_point to)
{
    knmedia_raster *r = (knmedia_raster *)c;
    from = scaled(r, from);
    to = scaled(r, to);
    r->x0 = on && from.x > 0 ? (int64_t)(from.x + 0.5) : 0;
    r->y0 = on && from.y > 0 ? (int64_t)(from.y + 0.5) : 0;
    r->x1 = on && to.x < (double)r->w ? (int64_t)(to.x + 0.5) : r->w;
    r->y1 = on && to.y < (double)r->h ? (int64_t)(to.y + 0.5) : r->h;
}

bool knmedia_raster_begin(knmedia_raster *r, double width, double height, double scale)
{
    *r = (knmedia_raster){
        .canvas = {.stroke = stroke, .fill = fill, .marks = marks, .image = image, .words = words, .clip = clip},
        .scale = scale};
    r->w = (int64_t)ceil(width * scale - 1e-9);
    r->h = (int64_t)ceil(height * scale - 1e-9);
    no_edges(r);
    r->rgb = knbeside_alloc((uint64_t)r->w * (uint64_t)r->h, 3);
    r->cover = knbeside_alloc((uint64_t)(r->w + 2) * (uint64_t)r->h, sizeof *r->cover);
    if (!r->rgb || !r->cover) {
        free(r->rgb);
        free(r->cover);
        return false;
    }
    memset(r->rgb, 255, (size_t)r->w * (size_t)r->h * 3);
    clip(&r->canvas, false, (knmedia_point){0, 0}, (knmedia_point){0, 0});
    return true;
}

void knmedia_raster_end(knmedia_raster *r)
{
    free(r->cover);
    r->cover = NULL;
}
