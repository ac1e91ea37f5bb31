/* SPDX-License-Identifier: Apache-2.0
 * marks.c -- what was drawn, in the pixels of its panel: placed, and cut where it leaves the panel, so that no
 * canvas meets points far away. */
#include "media/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 16 }; /* how far behind the frame lines go on */

static knmedia_point place(const knmedia_frame *f, double x, double y)
{
    knmedia_point p = {knmedia_place(&f->x, x), knmedia_place(&f->y, y)};
    return p.x != p.x || p.y != p.y ? (knmedia_point){NAN, NAN} : p;
}

/* ---- Lines. */

/* The part of a line from a to b inside of the frame and its margin (Liang and Barsky); false: none. */
static bool cut(const knmedia_frame *f, double margin, knmedia_point *a, knmedia_point *b)
{
    double dx = b->x - a->x, dy = b->y - a->y, from = 0, to = 1;
    const double p[4] = {-dx, dx, -dy, dy};
    const double q[4] = {a->x - f->left + margin, f->right + margin - a->x, a->y - f->top + margin,
                         f->bottom + margin - a->y};
    for (int i = 0; i < 4; i++) {
        if (p[i] == 0 && q[i] < 0)
            return false;
        if (p[i] < 0)
            from = fmax(from, q[i] / p[i]);
        else if (p[i] > 0)
            to = fmin(to, q[i] / p[i]);
    }
    if (from > to)
        return false;
    knmedia_point start = *a;
    *a = from > 0 ? (knmedia_point){start.x + from * dx, start.y + from * dy} : start;
    *b = to < 1 ? (knmedia_point){start.x + to * dx, start.y + to * dy} : *b;
    return true;
}

/* Points in pixels, cut, without those that nobody can see apart; m of them in `to` (room: 3 n + 3). */
static int64_t cut_line(const knmedia_frame *f, int64_t n, const double *x, const double *y, knmedia_point *to)
{
    int64_t m = 0;
    knmedia_point last = {NAN, NAN};
    for (int64_t i = 0; i < n; i++) {
        knmedia_point p = place(f, x[i], y[i]);
        if (last.x == last.x && p.x == p.x) {
            bool near = fabs(p.x - last.x) < 0.12 && fabs(p.y - last.y) < 0.12;
            if (near && i + 1 < n)
                continue;
            knmedia_point a = last, b = p;
            if (cut(f, MARGIN, &a, &b)) {
                if (!m || to[m - 1].x != a.x || to[m - 1].y != a.y) {
                    if (m)
                        to[m++] = (knmedia_point){NAN, NAN};
                    to[m++] = a;
                }
                to[m++] = b;
            }
        }
        last = p;
    }
    return m;
}

static void draw_line(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    knmedia_point *p = knbeside_alloc((uint64_t)m->n * 3 + 3, sizeof *p);
    c->failed |= !p;
    int64_t n = p ? cut_line(f, m->n, m->x, m->y, p) : 0;
    if (n && m->pen.width > 0)
        c->stroke(c, n, p, m->pen);
    free(p);
}

static void draw_rule(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    double at = m->kind == KNMEDIA_RULE_X ? knmedia_place(&f->x, m->x[0]) : knmedia_place(&f->y, m->y[0]);
    knmedia_point a = {at, f->bottom}, b = {at, f->top};
    if (m->kind == KNMEDIA_RULE_Y) {
        a = (knmedia_point){f->left, at};
        b = (knmedia_point){f->right, at};
    }
    if (at == at && cut(f, 0, &a, &b))
        c->stroke(c, 2, (const knmedia_point[]){a, b}, m->pen);
}

static void draw_marks(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    knmedia_point *p = knbeside_alloc((uint64_t)m->n, sizeof *p);
    knmedia_rgba *color = m->colors ? knbeside_alloc((uint64_t)m->n, sizeof *color) : NULL;
    int64_t n = 0;
    double most = m->size;
    c->failed |= !p || (m->colors && !color);
    for (int64_t i = 0; !c->failed && i < m->n; i++) {
        knmedia_point at = place(f, m->x[i], m->y[i]);
        bool inside =
            at.x >= f->left - most && at.x <= f->right + most && at.y >= f->top - most && at.y <= f->bottom + most;
        if (!inside)
            continue;
        if (color)
            color[n] = m->colors[i];
        p[n++] = at;
    }
    if (n)
        c->marks(c, n, p, m->marker, m->size, color ? color : &m->color, color != NULL);
    free(p);
    free(color);
}

/* ---- Areas. */

static double between(double v, double low, double high) { return v < low ? low : v > high ? high : v; }

/* The place of an end of a bar; what an axis has no place for lies before its beginning (a bar on an axis of logarithms
 * begins at 0). */
static double end_of(const knmedia_scale *s, double v)
{
    double p = knmedia_place(s, v);
    return p == p ? p : v <= 0 ? (s->from < s->to ? -1e7 : 1e7) : NAN;
}

static double half(double v) { return floor(2 * v + 0.5) / 2; }

static void draw_rects(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    for (int64_t i = 0; i < m->n; i++) {
        double x0 = end_of(&f->x, m->x[i]), x1 = end_of(&f->x, m->x2[i]), y0 = end_of(&f->y, m->y[i]),
               y1 = end_of(&f->y, m->y2[i]);
        if (x0 != x0 || x1 != x1 || y0 != y0 || y1 != y1)
            continue;
        /* At halves of pixels, so that bars that touch have neither a gap nor a seam between them. */
        x0 = half(between(x0, f->left - MARGIN, f->right + MARGIN));
        x1 = half(between(x1, f->left - MARGIN, f->right + MARGIN));
        y0 = between(y0, f->top - MARGIN, f->bottom + MARGIN);
        y1 = between(y1, f->top - MARGIN, f->bottom + MARGIN);
        if (x0 != x1 && y0 != y1)
            c->fill(c, 4, (const knmedia_point[]){{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, m->color);
    }
}

/* Keeps what lies on one side of a line (Sutherland and Hodgman): axis 0 or 1, sign 1: what is above the bound. */
static int64_t keep_side(int64_t n, const knmedia_point *p, knmedia_point *to, int axis, double sign, double bound)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        knmedia_point a = p[i], b = p[i + 1 < n ? i + 1 : 0];
        double da = sign * ((axis ? a.y : a.x) - bound), db = sign * ((axis ? b.y : b.x) - bound);
        if (da >= 0)
            to[m++] = a;
        if ((da < 0) != (db < 0)) {
            double t = da / (da - db);
            to[m++] = (knmedia_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        }
    }
    return m;
}

/* A polygon of n points in p, which has room for 16 times as many, as `other` has. */
static void fill_cut(knmedia_canvas *c, const knmedia_frame *f, int64_t n, knmedia_point *p, knmedia_point *other,
                     knmedia_rgba color)
{
    n = keep_side(n, p, other, 0, 1, f->left - MARGIN);
    n = keep_side(n, other, p, 0, -1, f->right + MARGIN);
    n = keep_side(n, p, other, 1, 1, f->top - MARGIN);
    n = keep_side(n, other, p, 1, -1, f->bottom + MARGIN);
    if (n > 2)
        c->fill(c, n, p, color);
}

static void draw_area(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    knmedia_point *p = knbeside_alloc((uint64_t)m->n * 32 + 32, sizeof *p);
    knmedia_point *other = knbeside_alloc((uint64_t)m->n * 32 + 32, sizeof *other);
    c->failed |= !p || !other;
    for (int64_t i = 0, from; !c->failed && i < m->n; i++) {
        int64_t k = 0;
        for (from = i; i < m->n; i++) { /* up to the next gap */
            double x = knmedia_place(&f->x, m->x[i]), low = end_of(&f->y, m->y[i]), high = end_of(&f->y, m->y2[i]);
            if (x != x || low != low || high != high)
                break;
            p[k++] = (knmedia_point){x, low};
        }
        for (int64_t j = i; j-- > from;)
            p[k++] = (knmedia_point){knmedia_place(&f->x, m->x[j]), end_of(&f->y, m->y2[j])};
        if (k > 2)
            fill_cut(c, f, k, p, other, m->color);
    }
    free(p);
    free(other);
}

static void draw_image(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    knmedia_point from = place(f, m->x[0], m->y[0]), to = place(f, m->x2[0], m->y2[0]);
    if (from.x == from.x && to.x == to.x && from.x != to.x && from.y != to.y)
        c->image(c, &(knmedia_pixels){m->w, m->h, m->colors, from, to, m->smooth});
}

void knmedia_draw_mark(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m)
{
    if (m->hidden)
        return;
    switch (m->kind) {
    case KNMEDIA_LINE: draw_line(c, f, m); break;
    case KNMEDIA_MARKS: draw_marks(c, f, m); break;
    case KNMEDIA_RECTS: draw_rects(c, f, m); break;
    case KNMEDIA_AREA: draw_area(c, f, m); break;
    case KNMEDIA_IMAGE: draw_image(c, f, m); break;
    case KNMEDIA_RULE_X:
    case KNMEDIA_RULE_Y: draw_rule(c, f, m); break;
    case KNMEDIA_WORDS: {
        knmedia_point at = place(f, m->x[0], m->y[0]);
        if (at.x == at.x && fabs(at.x) < 1e5 && fabs(at.y) < 1e5)
            c->words(c, at, (knmedia_words){m->label, m->size, m->anchor, false, m->color});
    }
    }
}
