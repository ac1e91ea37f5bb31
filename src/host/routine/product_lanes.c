/* SPDX-License-Identifier: Apache-2.0
 * product_lanes.c -- walks the rows of a product whose lanes are a batch dimension: for each run of rows a table of
 * where the steps of k are, which moves along while no step enters or leaves the array. Steps outside of a window read
 * zeros. */
#include "host/routine/product_lanes.h"
#include "base/line.h"
#include "base/cpu.h"
#include "host/routine/isa.h"
#include <string.h>

enum { LEAST_LANES = 8, MOST_LANES = 1 << 12, MOST_STEPS = 1 << 17 };
/* Nobody writes them. Const, they would be 32 KB of the file. */
static _Alignas(64) char zeros[MOST_LANES * 8];

static const knr_lanes_loops *loops(void) { return &KNR_BY_ISA(knr_lanes); }

static const knr_side *side_a(const knr_plan *p) { return p->left.is_a ? &p->left : &p->right; }
static const knr_side *side_b(const knr_plan *p) { return p->left.is_a ? &p->right : &p->left; }

static bool apart(const knr_axis *x)
{
    for (int i = 0; i < x->n; i++)
        if (x->stride[i] == 1 && x->extent[i] > 1)
            return false;
    return true;
}

bool knr_lanes_fit(const knr_plan *p)
{
    const knr_side *a = side_a(p), *b = side_b(p);
    const knr_batches *d = &p->batch;
    int last = d->n - 1;
    if (last < 0 || p->finish || a->fill || b->fill || !a->same || !b->same || p->parts != 1)
        return false;
    if ((p->number != KNH_NUMBER_F32 && p->number != KNH_NUMBER_F64) || p->result->size != p->size)
        return false;
    if (d->a[last] != 1 || d->c[last] != 1 || d->b[last] != 1 || d->extent[last] < LEAST_LANES)
        return false;
    for (int w = 0; w < p->n_window; w++)
        if (p->window[w].stride == 1)
            return false;
    return p->left.k.total > 0 && p->left.k.total <= MOST_STEPS && apart(&a->row) && apart(&a->k) &&
           (apart(&b->row) || b->row.total == 1) && apart(&b->k);
}

/* Two tables of addresses, a table of distances, and the positions of all steps. */
size_t knr_lanes_bytes(const knr_plan *p)
{
    size_t k = (size_t)p->left.k.total;
    return knx_whole_lines(k * (2 * sizeof(char *) + sizeof(int64_t))) + 64;
}

typedef struct walk {
    const knr_plan *p;
    const knr_side *a, *b;
    const char *a_at, *b_at; /* of the batches */
    char *c;
    const char **a_step_at, **b_step_at;
    int64_t *distance;
    int64_t lanes;
} walk;

static bool inside(const knk_window *w, int64_t position, int64_t *offset)
{
    if (position < 0 || position % w->base || position / w->base >= w->extent)
        return false;
    *offset += position / w->base * w->stride;
    return true;
}

/* Where the steps of the row at `r` are, and for how many rows, at most n, they all move on alike. */
static int64_t make_table(const walk *x, const knr_at *r, int64_t n)
{
    const knr_axis *row = &x->a->row, *k = &x->a->k;
    int mine = row->window[row->n - 1];
    int64_t by = row->stride[row->n - 1], walk_by = row->walk[row->n - 1], size = x->p->size;
    knr_at at;
    knr_seek(k, x->a->n_window, 0, &at);
    for (int64_t i = 0; i < k->total; i++, knr_advance(k, 1, &at)) {
        int64_t offset = r->offset + at.offset, move = by;
        bool there = true;
        for (int w = 0; w < x->a->n_window; w++) {
            const knk_window *v = &x->p->window[w];
            int64_t position = r->position[w] + at.position[w] - v->low;
            bool in = inside(v, position, &offset);
            there = there && in;
            if (w != mine)
                continue;
            if (v->base != 1 || walk_by < 1) {
                n = 1;
                continue;
            }
            int64_t end = position < 0 ? knr_divide_up(-position, walk_by)
                          : in         ? knr_divide_up(v->extent - position, walk_by)
                                       : n;
            n = knr_least(n, end);
            move += walk_by * v->stride;
        }
        x->a_step_at[i] = there ? x->a_at + offset * size : zeros;
        x->distance[i] = there ? move * size : 0;
    }
    return n;
}

static void point_b(const walk *x, int64_t row)
{
    knr_at r, k;
    knr_seek(&x->b->row, 0, row, &r);
    knr_seek(&x->b->k, 0, 0, &k);
    for (int64_t i = 0; i < x->b->k.total; i++, knr_advance(&x->b->k, 1, &k))
        x->b_step_at[i] = x->b_at + (r.offset + k.offset) * x->p->size;
}

static void run_rows(const walk *x, int64_t row, int64_t end, int64_t column)
{
    const knr_plan *p = x->p;
    const knr_axis *c_m = p->swapped ? &p->c_column : &p->c_row, *c_n = p->swapped ? &p->c_row : &p->c_column;
    knr_at r, m, n;
    knr_seek(&x->a->row, x->a->n_window, row, &r);
    knr_seek(c_n, 0, column, &n);
    for (int64_t i = row, points; i < end; i += points, knr_advance(&x->a->row, points, &r)) {
        knr_seek(c_m, 0, i, &m);
        points = knr_least(end - i, knr_least(knr_run_length(&x->a->row, &r), knr_run_length(c_m, &m)));
        points = make_table(x, &r, points);
        knr_lanes_args args = {.a = x->a_step_at,
                               .b = x->b_step_at,
                               .a_step = x->distance,
                               .c = x->c + (m.offset + n.offset) * p->size,
                               .c_step = c_m->stride[c_m->n - 1] * p->size,
                               .points = points,
                               .steps = p->left.k.total,
                               .lanes = x->lanes};
        if (p->size == 4)
            loops()->f32(&args);
        else
            loops()->f64(&args);
    }
}

void knr_lanes_run(const knr_plan *p, const knr_run *r, int64_t row, int64_t end, void *workspace)
{
    const knr_batches *d = &p->batch;
    int64_t all = d->extent[d->n - 1], k = p->left.k.total;
    walk x = {.p = p, .a = side_a(p), .b = side_b(p)};
    x.a_step_at = workspace;
    x.b_step_at = x.a_step_at + k;
    x.distance = (int64_t *)(x.b_step_at + k);
    for (int64_t batch = 0; batch < p->batches; batch += x.lanes) {
        int64_t a, b, c;
        x.lanes = knr_least(MOST_LANES, all - batch % all);
        knr_batch_at(p, batch, &a, &b, &c);
        x.a_at = (const char *)r->a + (a + x.a->offset) * p->size;
        x.b_at = (const char *)r->b + (b + x.b->offset) * p->size;
        x.c = (char *)r->c + (c + p->c_offset) * p->size;
        for (int64_t column = 0; column < x.b->row.total; column++) {
            point_b(&x, column);
            run_rows(&x, row, end, column);
        }
    }
}
