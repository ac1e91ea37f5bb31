/* SPDX-License-Identifier: Apache-2.0
 * product_small.c -- which products are stacks of small ones, and how their matrices lie. */
#include "host/routine/product_small.h"
#include "base/line.h"
#include "host/routine/isa.h"
#include "host/routine/small.h"

enum { LEAST_BATCHES = 16 };

static const knr_side *side_a(const knr_plan *p) { return p->left.is_a ? &p->left : &p->right; }
static const knr_side *side_b(const knr_plan *p) { return p->left.is_a ? &p->right : &p->left; }

static int64_t step_of(const knr_axis *x) { return x->total > 1 ? x->stride[0] : 0; }

/* Its numbers, row after row or column after column, are neighbours without gaps, and matrices do not overlap. */
static bool is_dense(const knr_axis *row, const knr_axis *column, int64_t step)
{
    int64_t r = step_of(row), c = step_of(column), count = row->total * column->total;
    if (row->n != 1 || column->n != 1 || row->total > KNR_SMALL || column->total > KNR_SMALL || r < 0 || c < 0)
        return false;
    bool by_rows = (column->total == 1 || c == 1) && (row->total == 1 || r == column->total);
    bool by_columns = (row->total == 1 || r == 1) && (column->total == 1 || c == row->total);
    return count > 0 && (by_rows || by_columns) && (step >= count || step == 0);
}

bool knr_small_product_fits(const knr_plan *p)
{
    const knr_side *a = side_a(p), *b = side_b(p);
    const knr_batches *d = &p->batch;
    if (d->n != 1 || d->extent[0] < LEAST_BATCHES || p->finish || p->into != KNR_SET || a->fill || b->fill ||
        !a->same || !b->same || p->n_window || p->parts != 1 || p->result->size != p->size)
        return false;
    if (p->number != KNH_NUMBER_F32 && p->number != KNH_NUMBER_F64)
        return false;
    return is_dense(&a->row, &a->k, d->a[0]) && is_dense(&b->k, &b->row, d->b[0]) && d->c[0] > 0 &&
           is_dense(&p->c_row, &p->c_column, d->c[0]);
}

static knr_small small_of(const knr_plan *p)
{
    const knr_side *a = side_a(p), *b = side_b(p);
    const knr_axis *c_row = p->swapped ? &p->c_column : &p->c_row, *c_column = p->swapped ? &p->c_row : &p->c_column;
    return (knr_small){.dtype = p->size == 8 ? KN_DT(F64) : KN_DT(F32),
                       .m = (int)a->row.total,
                       .n = (int)a->k.total,
                       .columns = (int)b->row.total,
                       .a = {p->batch.a[0], step_of(&a->row), step_of(&a->k)},
                       .b = {p->batch.b[0], step_of(&b->k), step_of(&b->row)},
                       .c = {p->batch.c[0], step_of(c_row), step_of(c_column)}};
}

size_t knr_small_product_bytes(const knr_plan *p)
{
    knr_small s = small_of(p);
    return knx_whole_lines(knr_small_room(&s)) + 64;
}

double knr_small_product_cost(const knr_plan *p)
{
    knr_small s = small_of(p);
    double numbers = s.m * s.n + s.n * s.columns + s.m * s.columns, steps = s.m * s.n * s.columns;
    return (double)p->batches * p->size * (numbers / 8 + steps / 128) + 100;
}

void knr_small_multiply(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    int wide = s->dtype->size == 8;
    KNR_BY_ISA(knr_small_products)[wide](s, count, x, y, workspace);
}

void knr_small_product_run(const knr_plan *p, const knr_run *r, int64_t batch, int64_t end, void *workspace)
{
    knr_small s = small_of(p);
    const knr_side *a = side_a(p), *b = side_b(p);
    const void *x[] = {(const char *)r->a + (a->offset + batch * s.a.matrix) * p->size,
                       (const char *)r->b + (b->offset + batch * s.b.matrix) * p->size};
    void *y[] = {(char *)r->c + (p->c_offset + batch * s.c.matrix) * p->size};
    void *room = (char *)workspace + (-(uintptr_t)workspace & 63);
    knr_small_multiply(&s, end - batch, x, y, room);
}
