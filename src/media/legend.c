/* SPDX-License-Identifier: Apache-2.0
 * legend.c -- the list of labels in a panel: what a label's line or marker looks like, in the corner where least is
 * drawn. */
#include "media/legend.h"
#include <math.h>
#include <string.h>

enum { SIZE = 11, ROW = 17, SWATCH = 22, PAD = 7, OFF = 8 };

typedef struct box {
    double left, top, width, height;
} box;

static bool has_entry(const knmedia_mark *m) { return m->label && m->kind != KNMEDIA_WORDS; }

static bool in_box(const box *b, double x, double y)
{
    return x >= b->left - 3 && x <= b->left + b->width + 3 && y >= b->top - 3 && y <= b->top + b->height + 3;
}

/* How many points of a line from a to b, one in some pixels, lie in the box. */
static int64_t hits(const box *b, knmedia_point from, knmedia_point to)
{
    double length = fmax(fabs(to.x - from.x), fabs(to.y - from.y));
    int64_t n = 0;
    int pieces = length > 4 && length < 4000 ? (int)(length / 4) : 1;
    for (int i = 0; i <= pieces; i++)
        n += in_box(b, from.x + (to.x - from.x) * i / pieces, from.y + (to.y - from.y) * i / pieces);
    return n;
}

static int64_t hits_of_mark(const box *b, const knmedia_frame *f, const knmedia_mark *m)
{
    int64_t n = 0, every = m->n > 4000 ? m->n / 4000 : 1;
    bool line = m->kind == KNMEDIA_LINE, four = m->kind == KNMEDIA_RECTS || m->kind == KNMEDIA_AREA;
    knmedia_point last = {NAN, NAN};
    if (!line && !four && m->kind != KNMEDIA_MARKS && m->kind != KNMEDIA_WORDS)
        return 0;
    for (int64_t i = 0; i < m->n; i += every) {
        knmedia_point p = {knmedia_place(&f->x, m->x[i]), knmedia_place(&f->y, m->y[i])};
        knmedia_point q = four ? (knmedia_point){knmedia_place(&f->x, m->x2[i]), knmedia_place(&f->y, m->y2[i])} : p;
        if (four && p.x == p.x && q.y == q.y)
            n += hits(b, (knmedia_point){(p.x + q.x) / 2, p.y == p.y ? p.y : f->bottom},
                      (knmedia_point){(p.x + q.x) / 2, q.y});
        else if (line && last.x == last.x && p.x == p.x)
            n += hits(b, last, p);
        else if (p.x == p.x)
            n += in_box(b, p.x, p.y);
        last = p.y == p.y ? p : (knmedia_point){NAN, NAN};
    }
    return n;
}

static void put_corner(box *b, const knmedia_frame *f, bool right, bool lower)
{
    b->left = right ? f->right - b->width - OFF : f->left + OFF;
    b->top = lower ? f->bottom - b->height - OFF : f->top + OFF;
}

static void put_best(box *b, const knmedia_panel *p, const knmedia_frame *f)
{
    static const bool corner[4][2] = {{true, false}, {false, false}, {false, true}, {true, true}};
    int64_t least = INT64_MAX;
    box best = *b;
    for (int i = 0; i < 4; i++) {
        int64_t n = 0;
        put_corner(b, f, corner[i][0], corner[i][1]);
        for (int k = 0; k < p->n; k++)
            n += hits_of_mark(b, f, &p->mark[k]);
        if (n < least) {
            least = n;
            best = *b;
        }
    }
    *b = best;
}

static void draw_swatch(knmedia_canvas *c, const knmedia_mark *m, double left, double y)
{
    if (m->kind == KNMEDIA_RECTS || m->kind == KNMEDIA_AREA) {
        const knmedia_point p[4] = {{left, y - 5}, {left + SWATCH, y - 5}, {left + SWATCH, y + 4}, {left, y + 4}};
        c->fill(c, 4, p, m->color);
        return;
    }
    if (m->kind != KNMEDIA_MARKS && m->pen.width > 0)
        c->stroke(c, 2, (const knmedia_point[]){{left, y}, {left + SWATCH, y}}, m->pen);
    if (m->marker)
        c->marks(c, 1, &(const knmedia_point){left + SWATCH / 2.0, y}, m->marker, fmin(m->size, 10), &m->color, 0);
}

void knmedia_draw_legend(knmedia_canvas *c, const knmedia_panel *p, const knmedia_frame *f)
{
    static const knmedia_rgba ink = {38, 38, 38, 255}, paper = {255, 255, 255, 215}, edge = {214, 214, 214, 255};
    int n = 0;
    double width = 0;
    for (int i = 0; i < p->n; i++)
        if (has_entry(&p->mark[i])) {
            n++;
            width = fmax(width, knmedia_text_width(p->mark[i].label, SIZE));
        }
    if (!n || !strcmp(p->legend, "none"))
        return;
    box b = {0, 0, width + SWATCH + 3 * PAD, n * ROW + 2 * PAD - 4};
    if (!strcmp(p->legend, "best"))
        put_best(&b, p, f);
    else
        put_corner(&b, f, strstr(p->legend, "right") != NULL, strstr(p->legend, "lower") != NULL);
    double right = b.left + b.width, bottom = b.top + b.height;
    const knmedia_point corner[5] = {
        {b.left, b.top}, {right, b.top}, {right, bottom}, {b.left, bottom}, {b.left, b.top}};
    c->fill(c, 4, corner, paper);
    c->stroke(c, 5, corner, (knmedia_pen){edge, 0.8, "-"});
    double y = b.top + PAD + ROW / 2.0 - 2;
    for (int i = 0; i < p->n; i++)
        if (has_entry(&p->mark[i])) {
            draw_swatch(c, &p->mark[i], b.left + PAD, y);
            c->words(c, (knmedia_point){b.left + 2 * PAD + SWATCH, y + 0.35 * SIZE},
                     (knmedia_words){p->mark[i].label, SIZE, 0, false, ink});
            y += ROW;
        }
}
