/* SPDX-License-Identifier: Apache-2.0
 * layout.c -- where everything of a picture is: panels in rows and columns whose frames stand in line, titles, axes
 * with their ticks, colour bars; and the order in which it is drawn. */
#include "media/legend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_SIZE = 11, LABEL_SIZE = 12, TITLE_SIZE = 14, TICK = 4, GAP = 4, EDGE = 10, BAR = 13, BAR_GAP = 10 };
static const knmedia_rgba ink = {38, 38, 38, 255}, grid = {232, 232, 232, 255};

/* What a panel needs around its frame. */
typedef struct around {
    double left, top, right, bottom;
} around;

typedef struct place {
    knmedia_frame frame;
    knmedia_ticks x, y, bar;
} place;

/* ---- Limits. */

typedef struct range {
    double low, high;
} range;

static void widen(range *r, const double *v, int64_t n, bool log)
{
    for (int64_t i = 0; i < n; i++)
        if (isfinite(v[i]) && (!log || v[i] > 0)) {
            r->low = fmin(r->low, v[i]);
            r->high = fmax(r->high, v[i]);
        }
}

static bool has_area(const knmedia_mark *m) { return m->kind == KNMEDIA_RECTS || m->kind == KNMEDIA_AREA; }

/* Scales of a panel. Bars and areas stand on their end without room below, and images fill their panel. */
static void set_limits(const knmedia_panel *p, knmedia_frame *f)
{
    range x = {NAN, NAN}, y = {NAN, NAN}, base = {NAN, NAN};
    for (int i = 0; i < p->n; i++) {
        const knmedia_mark *m = &p->mark[i];
        bool four = has_area(m) || m->kind == KNMEDIA_IMAGE;
        if (m->kind != KNMEDIA_RULE_Y)
            widen(&x, m->x, m->n, p->x.log);
        if (m->kind != KNMEDIA_RULE_X)
            widen(&y, m->y, m->n, p->y.log);
        if (four) {
            widen(&x, m->x2, m->n, p->x.log);
            widen(&y, m->y2, m->n, p->y.log);
        }
        if (m->kind == KNMEDIA_RECTS)
            widen(&base, m->y, m->n, p->y.log);
    }
    bool on_low = base.low == base.high && base.low == y.low, on_high = base.low == base.high && base.low == y.high;
    const bool padded_x[2] = {!p->has_image, !p->has_image};
    const bool padded_y[2] = {!p->has_image && !on_low, !p->has_image && !on_high};
    bool none_x = x.low != x.low, none_y = y.low != y.low;
    knmedia_limits(&p->x, none_x ? 1 : x.low, none_x ? 0 : x.high, padded_x, &f->x);
    knmedia_limits(&p->y, none_y ? 1 : y.low, none_y ? 0 : y.high, padded_y, &f->y);
}

/* ---- Sizes. */

static double widest(const knmedia_ticks *t)
{
    double width = 0;
    for (int i = 0; i < t->n; i++)
        width = fmax(width, knmedia_text_width(t->text[i], TICK_SIZE));
    return width;
}

static knmedia_scale bar_scale(const knmedia_panel *p, double from, double to)
{
    return (knmedia_scale){false, p->vmin, p->vmax, from, to};
}

static void set_ticks(const knmedia_panel *p, place *at)
{
    static const knmedia_axis plain;
    const knmedia_frame *f = &at->frame;
    knmedia_scale bar = bar_scale(p, f->bottom, f->top);
    knmedia_ticks_of(&p->y, &f->y, 42, &at->y);
    double every = 70;
    for (int i = 0; i < 3; i++) { /* long numbers need more room */
        knmedia_ticks_of(&p->x, &f->x, every, &at->x);
        double width = widest(&at->x) + 12;
        if (width <= every)
            break;
        every = width;
    }
    if (p->has_bar)
        knmedia_ticks_of(&plain, &bar, 42, &at->bar);
    else
        at->bar.n = 0;
}

static around needs(const knmedia_panel *p, const place *at)
{
    around a = {EDGE, EDGE, EDGE, EDGE};
    if (p->title)
        a.top += TITLE_SIZE + 8;
    if (p->has_bar)
        a.right += BAR_GAP + BAR + TICK + GAP + widest(&at->bar);
    if ((p->has_bar && *at->bar.factor) || (!p->no_axes && *at->y.factor))
        a.top += p->title ? 6 : TICK_SIZE + 4;
    if (p->no_axes)
        return a;
    a.left += TICK + GAP + widest(&at->y) + (p->y.label ? LABEL_SIZE + 8 : 0);
    a.bottom += TICK + GAP + TICK_SIZE + (p->x.label || *at->x.factor ? LABEL_SIZE + 8 : 0);
    if (at->x.n) { /* the last number stands out on the right */
        double over = knmedia_place(&at->frame.x, at->x.at[at->x.n - 1]) - at->frame.right +
                      knmedia_text_width(at->x.text[at->x.n - 1], TICK_SIZE) / 2;
        a.right = fmax(a.right, over + 2);
    }
    return a;
}

static void set_frame(const knmedia_panel *p, knmedia_frame *f, double left, double top, double right, double bottom)
{
    right = fmax(right, left + 8);
    bottom = fmax(bottom, top + 8);
    if (p->equal) { /* a unit is as long in both directions: the frame is made smaller in one */
        double units_x = fabs(f->x.high - f->x.low), units_y = fabs(f->y.high - f->y.low);
        double unit = fmin((right - left) / units_x, (bottom - top) / units_y);
        double dx = (right - left - unit * units_x) / 2, dy = (bottom - top - unit * units_y) / 2;
        if (isfinite(dx) && isfinite(dy) && unit * units_x >= 2 && unit * units_y >= 2) {
            left += dx;
            right -= dx;
            top += dy;
            bottom -= dy;
        }
    }
    f->left = floor(left) + 0.5;
    f->top = floor(top) + 0.5;
    f->right = floor(right) + 0.5;
    f->bottom = floor(bottom) + 0.5;
    f->x.from = f->left;
    f->x.to = f->right;
    f->y.from = f->bottom;
    f->y.to = f->top;
}

/* Frames of one column begin and end at one x, those of one row at one y. */
static void arrange(const knmedia_picture *p, place *at, const around *need, double top)
{
    double width = p->width / p->columns, height = (p->height - top) / p->rows;
    for (int i = 0; i < p->rows * p->columns; i++) {
        int row = i / p->columns, column = i % p->columns;
        around most = {0};
        for (int k = 0; k < p->rows; k++) {
            most.left = fmax(most.left, need[k * p->columns + column].left);
            most.right = fmax(most.right, need[k * p->columns + column].right);
        }
        for (int k = 0; k < p->columns; k++) {
            most.top = fmax(most.top, need[row * p->columns + k].top);
            most.bottom = fmax(most.bottom, need[row * p->columns + k].bottom);
        }
        set_frame(&p->panel[i], &at[i].frame, column * width + most.left, top + row * height + most.top,
                  (column + 1) * width - most.right, top + (row + 1) * height - most.bottom);
    }
}

/* ---- Drawing. */

static void line(knmedia_canvas *c, double x0, double y0, double x1, double y1, knmedia_rgba color, double width)
{
    c->stroke(c, 2, (const knmedia_point[]){{x0, y0}, {x1, y1}}, (knmedia_pen){color, width, "-"});
}

static void write(knmedia_canvas *c, double x, double y, const char *text, double size, double anchor, bool upright)
{
    if (text && *text)
        c->words(c, (knmedia_point){x, y}, (knmedia_words){text, size, anchor, upright, ink});
}

static void draw_grid(knmedia_canvas *c, const knmedia_panel *p, const place *at)
{
    const knmedia_frame *f = &at->frame;
    for (int i = 0; i < at->x.n && !p->x.n_names; i++) {
        double x = knmedia_place(&f->x, at->x.at[i]);
        line(c, x, f->bottom, x, f->top, grid, 0.8);
    }
    for (int i = 0; i < at->y.n && !p->y.n_names; i++) {
        double y = knmedia_place(&f->y, at->y.at[i]);
        line(c, f->left, y, f->right, y, grid, 0.8);
    }
}

static void draw_x_axis(knmedia_canvas *c, const knmedia_panel *p, const place *at)
{
    const knmedia_frame *f = &at->frame;
    double text = f->bottom + TICK + GAP + 0.75 * TICK_SIZE, label = text + LABEL_SIZE + 8;
    for (int i = 0; i < at->x.n; i++) {
        double x = knmedia_place(&f->x, at->x.at[i]);
        line(c, x, f->bottom, x, f->bottom + TICK, ink, 0.8);
        write(c, x, text, at->x.text[i], TICK_SIZE, 0.5, false);
    }
    for (int i = 0; i < at->x.n_minor; i++) {
        double x = knmedia_place(&f->x, at->x.minor[i]);
        line(c, x, f->bottom, x, f->bottom + 2.0, ink, 0.6);
    }
    write(c, (f->left + f->right) / 2, label, p->x.label, LABEL_SIZE, 0.5, false);
    write(c, f->right, label, at->x.factor, TICK_SIZE, 1, false);
}

static void draw_y_axis(knmedia_canvas *c, const knmedia_panel *p, const place *at)
{
    const knmedia_frame *f = &at->frame;
    for (int i = 0; i < at->y.n; i++) {
        double y = knmedia_place(&f->y, at->y.at[i]);
        line(c, f->left - TICK, y, f->left, y, ink, 0.8);
        write(c, f->left - TICK - GAP, y + 0.35 * TICK_SIZE, at->y.text[i], TICK_SIZE, 1, false);
    }
    for (int i = 0; i < at->y.n_minor; i++) {
        double y = knmedia_place(&f->y, at->y.minor[i]);
        line(c, f->left - 2.0, y, f->left, y, ink, 0.6);
    }
    double label = f->left - TICK - 2 * GAP - widest(&at->y) - 4;
    write(c, label, (f->top + f->bottom) / 2, p->y.label, LABEL_SIZE, 0.5, true);
    write(c, f->left, f->top - 5, at->y.factor, TICK_SIZE, 0, false);
}

static void draw_box(knmedia_canvas *c, double left, double top, double right, double bottom)
{
    line(c, left, bottom, right, bottom, ink, 0.8);
    line(c, right, bottom, right, top, ink, 0.8);
    line(c, right, top, left, top, ink, 0.8);
    line(c, left, top, left, bottom, ink, 0.8);
}

static void draw_bar(knmedia_canvas *c, const knmedia_panel *p, const place *at)
{
    enum { PIECES = 128 };
    const knmedia_frame *f = &at->frame;
    double left = f->right + BAR_GAP, right = left + BAR, height = f->bottom - f->top;
    for (int i = 0; i < PIECES; i++) { /* each one reaches under the next, so that nothing shines through */
        double from = f->bottom - height * i / PIECES, to = fmax(f->bottom - height * (i + 2) / PIECES, f->top);
        c->fill(c, 4, (const knmedia_point[]){{left, from}, {right, from}, {right, to}, {left, to}},
                knmedia_map_color(p->map, (i + 0.5) / PIECES));
    }
    draw_box(c, left, f->top, right, f->bottom);
    knmedia_scale s = bar_scale(p, f->bottom, f->top);
    for (int i = 0; i < at->bar.n; i++) {
        double y = knmedia_place(&s, at->bar.at[i]);
        line(c, right, y, right + TICK - 1, y, ink, 0.8);
        write(c, right + TICK + GAP - 1, y + 0.35 * TICK_SIZE, at->bar.text[i], TICK_SIZE, 0, false);
    }
    write(c, left, f->top - 5, at->bar.factor, TICK_SIZE, 0, false);
}

static void draw_panel(knmedia_canvas *c, const knmedia_panel *p, const place *at)
{
    const knmedia_frame *f = &at->frame;
    if (!p->no_grid && !p->no_axes && !p->has_image)
        draw_grid(c, p, at);
    c->clip(c, true, (knmedia_point){f->left, f->top}, (knmedia_point){f->right, f->bottom});
    for (int i = 0; i < p->n; i++)
        if (p->mark[i].kind != KNMEDIA_WORDS)
            knmedia_draw_mark(c, f, &p->mark[i]);
    c->clip(c, false, (knmedia_point){0, 0}, (knmedia_point){0, 0});
    if (!p->no_axes) {
        line(c, f->left - 0.4, f->bottom, f->right + 0.4, f->bottom, ink, 0.8);
        line(c, f->left, f->bottom, f->left, f->top - 0.4, ink, 0.8);
        if (p->has_image)
            draw_box(c, f->left, f->top, f->right, f->bottom);
        draw_x_axis(c, p, at);
        draw_y_axis(c, p, at);
    }
    for (int i = 0; i < p->n; i++) /* texts are read, whatever is under them */
        if (p->mark[i].kind == KNMEDIA_WORDS)
            knmedia_draw_mark(c, f, &p->mark[i]);
    if (p->has_bar)
        draw_bar(c, p, at);
    double above = *at->y.factor && !p->no_axes ? TICK_SIZE + 8 : 9;
    write(c, (f->left + f->right) / 2, f->top - above, p->title, TITLE_SIZE, 0.5, false);
    knmedia_draw_legend(c, p, f);
}

void knmedia_draw_picture(const knmedia_picture *p, knmedia_canvas *c)
{
    int n = p->rows * p->columns;
    place *at = knbeside_alloc((uint64_t)n, sizeof *at);
    around *need = knbeside_alloc((uint64_t)n, sizeof *need);
    double top = p->title ? TITLE_SIZE + 22 : 0;
    c->failed |= !at || !need;
    for (int i = 0; !c->failed && i < n; i++) {
        set_limits(&p->panel[i], &at[i].frame);
        need[i] = (around){60, 30, 20, 40};
    }
    for (int round = 0; !c->failed && round < 2;
         round++) { /* ticks depend on the frame, which depends on their texts */
        arrange(p, at, need, top);
        for (int i = 0; i < n; i++) {
            set_ticks(&p->panel[i], &at[i]);
            need[i] = needs(&p->panel[i], &at[i]);
        }
    }
    if (!c->failed)
        arrange(p, at, need, top);
    write(c, p->width / 2, TITLE_SIZE + 12, p->title, TITLE_SIZE + 2, 0.5, false);
    for (int i = 0; !c->failed && i < n; i++)
        draw_panel(c, &p->panel[i], &at[i]);
    free(at);
    free(need);
}
