/* SPDX-License-Identifier: Apache-2.0
 * matrix_product.c -- products of matrices inside of factorisations. */
#include "host/routine/matrix_product.h"
#include "host/routine/product.h"

enum { PLAN_BYTES = 1 << 12 }; /* of a matrix */

static knk_product describe(kn_dtype d, knr_extents e, knr_operand a, knr_operand b, int64_t row, int64_t column)
{
    knk_product p;
    p.operand = p.result = d;
    p.a_offset = p.b_offset = p.c_offset = 0;
    p.n_window = 0;
    p.batch.n = 0;
    p.m.n = p.n.n = p.k.n = 1;
    p.m.extent[0] = e.m, p.m.a[0] = a.row, p.m.b[0] = 0, p.m.c[0] = row;
    p.k.extent[0] = e.k, p.k.a[0] = a.column, p.k.b[0] = b.row, p.k.c[0] = 0;
    p.n.extent[0] = e.n, p.n.a[0] = 0, p.n.b[0] = b.column, p.n.c[0] = column;
    return p;
}

static void plan_and_run(const knr_products *w, const knk_product *p, knr_run *run)
{
    _Alignas(64) char room[PLAN_BYTES];
    if (!p->m.extent[0] || !p->n.extent[0] || !p->k.extent[0])
        return;
    const knr_plan *plan = knr_product_make(room, p, false, false, run->finish != NULL);
    if (w->most) {
        size_t bytes = knr_product_workspace(plan, w->threads);
        *w->most = bytes > *w->most ? bytes : *w->most;
        return;
    }
    run->workspace = w->workspace;
    run->threads = w->threads;
    knr_product_run(plan, run);
}

void knr_matrix_multiply(const knr_products *w, knr_extents e, knr_operand a, knr_operand b, knr_result c)
{
    knk_product p = describe(w->dtype, e, a, b, c.row, c.column);
    plan_and_run(w, &p, &(knr_run){.a = a.at, .b = b.at, .c = c.at});
}

typedef struct loss {
    const knr_linalg_loops *f;
    kn_dtype dtype;
    knr_result c;
} loss;

/* Finished elements of a product: they are adjacent along one direction. */
static void lose(void *env, int64_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns, void *from,
                 int64_t from_row, int64_t from_column, int worker)
{
    const loss *x = env;
    const knr_result *c = &x->c;
    char *to = (char *)c->at + (row * c->row + column * c->column) * x->dtype->size;
    int parts = knx_is_complex(x->dtype) ? 2 : 1;
    (void)batch, (void)worker;
    if (from_column == 1)
        x->f->subtract(to, c->row, c->column, rows, columns, from, from_row, parts);
    else
        x->f->subtract(to, c->column, c->row, columns, rows, from, from_column, parts);
}

void knr_matrix_lose(const knr_products *w, knr_extents e, knr_operand a, knr_operand b, knr_result c)
{
    bool turned = c.row == 1 || c.row == -1;
    knk_product p = describe(w->dtype, e, a, b, turned ? 1 : e.n, turned ? e.m : 1);
    loss x = {knr_linalg_loops_of(w->dtype), w->dtype, c};
    plan_and_run(w, &p, &(knr_run){.a = a.at, .b = b.at, .finish = lose, .env_finish = &x});
}
