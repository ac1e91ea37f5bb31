/* SPDX-License-Identifier: Apache-2.0
 * product_store.c -- results of a product from the buffer that they are made in to where they belong, and back. */
#include "host/routine/product_convert.h"
#include "host/routine/product_pack.h"
#include "host/tile.h"
#include <string.h>

/* `rows` and n of them are neighbours in the result instead of the columns: only if turns() says so. */
typedef void mover(const knr_plan *p, char *buffer, int64_t line, int64_t rows, int64_t n, char *c, int64_t step);

/* Numbers as they are, whose rows are neighbours in the result: rows and columns change places. */
static bool turns(const knr_plan *p)
{
    return p->result->size == p->size && p->result->kind != 'b' && p->c_row.stride[p->c_row.n - 1] == 1 &&
           p->c_column.stride[p->c_column.n - 1] > 1 && p->size <= 8;
}

static void put(const knr_plan *p, char *buffer, int64_t line, int64_t rows, int64_t n, char *c, int64_t step)
{
    int size = p->result->size;
    if (rows > 1) {
        knh_transpose()(size, c, step * size, buffer, line * size, rows, n, false);
        return;
    }
    knr_narrow(p, buffer, buffer, n);
    if (step == 1) {
        memcpy(c, buffer, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(c + i * step * size, buffer + i * size, (size_t)size);
}

static void get(const knr_plan *p, char *buffer, int64_t line, int64_t rows, int64_t n, char *c, int64_t step)
{
    int size = p->result->size;
    if (rows > 1) {
        knh_transpose()(size, buffer, line * size, c, step * size, n, rows, false);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(buffer + i * size, c + i * step * size, (size_t)size);
    knr_widen_result(p, buffer, n);
}

typedef struct box {
    int64_t row, rows, column, columns;
} box;

static void walk_result(const knr_plan *p, char *buffer, int64_t line, const box *x, char *c, mover *move)
{
    const knr_axis *rx = &p->c_row, *cx = &p->c_column;
    knr_at ra, ca;
    knr_seek(rx, 0, x->row, &ra);
    for (int64_t i = 0, rows; i < x->rows; i += rows, knr_advance(rx, rows, &ra)) {
        rows = turns(p) ? knr_least(x->rows - i, knr_run_length(rx, &ra)) : 1;
        knr_seek(cx, 0, x->column, &ca);
        for (int64_t j = 0, n; j < x->columns; j += n, knr_advance(cx, n, &ca)) {
            n = knr_least(x->columns - j, knr_run_length(cx, &ca));
            move(p, buffer + (i * line + j) * p->size, line, rows, n, c + (ra.offset + ca.offset) * p->result->size,
                 cx->stride[cx->n - 1]);
        }
    }
}

void knr_store(const knr_plan *p, char *from, int64_t line, int64_t row, int64_t rows, int64_t column, int64_t columns,
               char *c)
{
    walk_result(p, from, line, &(box){row, rows, column, columns}, c, put);
}

void knr_load(const knr_plan *p, char *to, int64_t line, int64_t row, int64_t rows, int64_t column, int64_t columns,
              const char *c)
{
    walk_result(p, to, line, &(box){row, rows, column, columns}, (char *)(uintptr_t)c, get);
}
