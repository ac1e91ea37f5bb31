/* SPDX-License-Identifier: Apache-2.0
 * panels.c -- panels of columns, one after the other, each factored while what is behind it loses the one before. */
#include "host/routine/panels.h"
#include "base/line.h"
#include "host/routine/near.h"
#include <string.h>

enum {
    /* Columns of a strip: with the rows of a panel beside them they stay in the second cache. */
    STRIP = 128,
    LEAST_STRIP = 64,
    STRIPS = 8, /* that are to be there for threads to share */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t knr_panel_width(kn_dtype d, int64_t steps)
{
    return knx_is_complex(d) || steps <= KNR_NARROW_STEPS ? KNR_PANEL : KNR_WIDE_PANEL;
}

int64_t knr_row_length(int64_t length, int64_t size)
{
    int64_t line = 64 / size;
    return ((length + line - 1) / line | 1) * line;
}

knr_planes knr_planes_take(knr_arena *a, kn_dtype d, int64_t rows, int64_t length)
{
    int64_t size = (int64_t)knx_component(d)->size;
    knr_planes p = {.ld = knr_row_length(length + KNR_ROW_PAD, size)};
    p.re = knr_take(a, (size_t)(rows * p.ld), (size_t)size);
    p.im = knx_is_complex(d) ? knr_take(a, (size_t)(rows * p.ld), (size_t)size) : NULL;
    return p;
}

knr_planes knr_panels_part(const knr_panels *p, knr_planes x, int64_t from)
{
    int64_t at = from * p->f->size;
    return (knr_planes){x.re ? (char *)x.re + at : NULL, x.im ? (char *)x.im + at : NULL, x.ld};
}

size_t knr_panels_take(knr_panels *p, void *workspace, kn_dtype d, int64_t rows, int64_t steps, int64_t columns,
                       int threads, size_t product)
{
    knr_arena a = {workspace, 0};
    int64_t width = least(knr_panel_width(d, steps), steps);
    *p = (knr_panels){.dtype = d, .f = knr_linalg_loops_of(d), .threads = threads > 1 ? threads : 1};
    p->steps = steps, p->columns = columns, p->width = width ? width : 1;
    p->strip = most(least(columns / STRIPS / KNR_BLOCK * KNR_BLOCK, STRIP), LEAST_STRIP);
    bool alone = steps <= width && columns <= steps;
    p->rows_ld = knr_row_length(width, (int64_t)d->size);
    for (int i = 0; i < (alone ? 1 : 2); i++) {
        int64_t before = steps > width ? width : 0;
        p->plane[i] = knr_panels_part(p, knr_planes_take(&a, d, width, before + rows), before);
        p->rows[i] = knr_take(&a, (size_t)(rows * p->rows_ld), d->size);
        if (knx_is_complex(d))
            p->triangle[i] = knr_planes_take(&a, d, width, width);
        else
            p->triangle[i] = (knr_planes){p->rows[i], NULL, p->rows_ld};
    }
    size_t before = a.used;
    p->own = knr_planes_take(&a, d, width, alone ? width : most(p->strip, width));
    p->own_bytes = a.used - before;
    knr_take(&a, p->own_bytes, (size_t)p->threads - 1);
    p->product_bytes = knx_whole_lines(product);
    p->product = knr_take(&a, p->product_bytes, (size_t)p->threads);
    return a.used;
}

knr_planes knr_panels_own(const knr_panels *p, int worker)
{
    knr_planes x = p->own;
    size_t at = (size_t)worker * p->own_bytes;
    return (knr_planes){(char *)x.re + at, x.im ? (char *)x.im + at : NULL, x.ld};
}

knr_products knr_panels_products(const knr_panels *p, int worker, size_t *most_bytes)
{
    return (knr_products){p->dtype, 1, p->product ? p->product + (size_t)worker * p->product_bytes : NULL, most_bytes};
}

void knr_panels_put(const knr_panels *p, int64_t first, int64_t rows, char *to, int64_t n)
{
    enum { ROWS = 32 /* that stay in the first cache in between */ };
    int64_t w = least(p->width, p->steps - first), size = (int64_t)p->dtype->size;
    int odd = (int)(first / p->width % 2);
    for (int64_t i = 0; i < rows; i += ROWS) {
        knr_planes part = knr_panels_part(p, p->plane[odd], i);
        char *at = p->rows[odd] + i * p->rows_ld * size;
        p->f->put(&part, (int)w, least(ROWS, rows - i), &(knr_place_out){at, 1, p->rows_ld, false});
        for (int64_t r = i; r < least(i + ROWS, rows); r++, at += p->rows_ld * size)
            memcpy(to + r * n * size, at, (size_t)(w * size));
    }
}

/* --- one panel after the other ---------------------------------------------------------------- */

typedef struct turn {
    const knr_panels *p;
    const knr_panel_steps *f;
    void *x;
    int64_t first, end, next; /* columns of the panel, and of the next one */
} turn;
static const int64_t NEXT = INT64_MAX; /* the part that is the next panel */

static void run_part(void *arg, int64_t part, int worker)
{
    turn *t = arg;
    int64_t strip = t->p->strip;
    if (part != NEXT)
        t->f->update(t->x, t->first, most(part * strip, t->next), least((part + 1) * strip, t->p->columns), worker);
    else
        t->f->factor(t->x, t->end, worker);
}

void knr_panels_run(const knr_panels *p, const knr_panel_steps *f, void *x)
{
    enum { WORTH = 1 << 20 /* numbers times steps */ };
    turn t = {.p = p, .f = f, .x = x};
    if (!p->steps)
        return;
    f->factor(x, 0, 0);
    for (; t.first < p->steps; t.first = t.end) {
        t.end = least(t.first + p->width, p->steps);
        t.next = least(t.end + p->width, p->steps);
        int64_t left = p->columns - t.end;
        bool more = t.next < p->columns;
        if (!left)
            break;
        knr_parallel_near(left * left * p->width < WORTH ? 1 : p->threads, more ? t.next / p->strip : 0,
                          more ? (p->columns - 1) / p->strip + 1 : 0, t.next > t.end ? NEXT : -1, run_part, &t);
    }
}
