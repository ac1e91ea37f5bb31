/* SPDX-License-Identifier: Apache-2.0
 * product.c -- runs a product's step: the routine, and, as the functions that it calls, the kernels that are a part of
 * the step. */
#include "host/rect.h"
#include "host/tile.h"
#include "device/host/run.h"

typedef struct attached {
    const knc_attached *x;
    const knh_rect *const *rect; /* its own */
    void *const *at;             /* the step's references */
    char *scratch;               /* of the interpreter, `bytes` for each worker */
    size_t bytes;
} attached;

/* A range of the rows or columns, and where its elements are handed over. */
typedef struct range {
    int first, n_dim; /* dimensions of knc_attached */
    int64_t at, n, step;
} range;

typedef struct call {
    const attached *a;
    int n_dim, n_map;
    bool columns; /* lanes run along them */
    bool turned, asks;
    const knh_rect *rect;
    void *buffer[KNH_RECT_STREAMS];
    int64_t at[KNH_RECT_MAPS]; /* per map: the batch, and the current row but for the innermost dimension */
    char *scratch;
} call;

/* Moves every map by index number `i` of a flattened group of dimensions. */
static void move(const knc_attached *x, int n_dim, int first, int n, int64_t i, int64_t *at)
{
    for (int d = first + n - 1; d >= first; d--) {
        int64_t k = i % x->extent[d];
        i /= x->extent[d];
        for (int m = 0; k && m < x->kernel->n_map; m++)
            at[m] += k * x->stride[m * n_dim + d];
    }
}

/* Elements are at `handed`, `across` apart from row to row of the rectangle and adjacent along its lanes. */
static void run_rect(call *c, const range *row, const range *lane, const int64_t *at, char *handed, int64_t across)
{
    const knc_attached *x = c->a->x;
    int r = row->first + row->n_dim - 1, l = lane->first + lane->n_dim - 1;
    knh_rect_map map[KNH_RECT_MAPS];
    for (int m = 0; m < c->n_map; m++) {
        const int64_t *stride = x->stride + m * c->n_dim;
        map[m] = x->handed[m] ? (knh_rect_map){x->offset[m], across * x->parts, x->parts}
                              : (knh_rect_map){at[m], stride[r], stride[l]};
    }
    for (int b = 0; b < x->kernel->n_buffer; b++)
        if (x->ref[b] == KNC_NO)
            c->buffer[b] = handed;
    knh_rect_run(c->rect, c->buffer, map, row->n, lane->n, c->a->scratch ? c->scratch : NULL);
}

/* Elements are adjacent along the rows of the rectangle: they are turned before, those that are asked for after it. */
static void run_turned(call *c, const range *row, const range *lane, const int64_t *at, char *handed)
{
    const knc_attached *x = c->a->x;
    int r = row->first + row->n_dim - 1, l = lane->first + lane->n_dim - 1, size = x->element;
    int64_t apart = lane->step * size, line = KND_TILE * size;
    knh_turn_loop *turn = knh_transpose();
    char *tile = c->scratch + c->a->bytes - KND_TILE * KND_TILE * sizeof(uint64_t);
    for (int64_t i = 0; i < row->n; i += KND_TILE)
        for (int64_t j = 0; j < lane->n; j += KND_TILE) {
            range some = *row, lanes = *lane;
            int64_t from[KNH_RECT_MAPS] = {0};
            char *memory = handed + i * size + j * apart;
            some.n = row->n - i < KND_TILE ? row->n - i : KND_TILE;
            lanes.n = lane->n - j < KND_TILE ? lane->n - j : KND_TILE;
            for (int m = 0; m < c->n_map; m++)
                from[m] = at[m] + i * x->stride[m * c->n_dim + r] + j * x->stride[m * c->n_dim + l];
            if (!c->asks)
                turn(size, tile, line, memory, apart, lanes.n, some.n, false);
            run_rect(c, &some, &lanes, from, tile, KND_TILE);
            if (c->asks)
                turn(size, memory, apart, tile, line, some.n, lanes.n, false);
        }
}

static void run_piece(call *c, const range *row, const range *column, const int64_t *at, char *handed)
{
    const range *lane = c->columns ? column : row, *other = c->columns ? row : column;
    if (c->turned)
        run_turned(c, other, lane, at, handed);
    else
        run_rect(c, other, lane, at, handed, other->step);
}

/* What is left of the innermost dimension, at most `n`. */
static int64_t run_of(const knc_attached *x, const range *r, int64_t at, int64_t n)
{
    int64_t left = r->n_dim == 1 ? n : x->extent[r->first + r->n_dim - 1] - at % x->extent[r->first + r->n_dim - 1];
    return left < n ? left : n;
}

/* Pieces along which all maps step evenly. */
static void run_pieces(call *c, const range *row, const range *column, char *handed)
{
    const knc_attached *x = c->a->x;
    for (int64_t i = 0, rows; i < row->n; i += rows) {
        int64_t at_row[KNH_RECT_MAPS] = {0};
        range r = *row;
        r.n = rows = run_of(x, row, row->at + i, row->n - i);
        for (int m = 0; m < c->n_map; m++)
            at_row[m] = c->at[m];
        move(x, c->n_dim, row->first, row->n_dim, row->at + i, at_row);
        for (int64_t j = 0, columns; j < column->n; j += columns) {
            int64_t at[KNH_RECT_MAPS] = {0};
            range l = *column;
            l.n = columns = run_of(x, column, column->at + j, column->n - j);
            for (int m = 0; m < c->n_map; m++)
                at[m] = at_row[m];
            move(x, c->n_dim, column->first, column->n_dim, column->at + j, at);
            run_piece(c, &r, &l, at, handed + (i * row->step + j * column->step) * x->element);
        }
    }
}

static void run_attached(const attached *a, bool asks, int64_t batch, range row, range column, void *handed, int worker)
{
    const knc_attached *x = a->x;
    call c = {.a = a, .n_dim = x->n_batch + x->n_row + x->n_column, .n_map = x->kernel->n_map};
    int way = column.step != 1 || (column.n == 1 && row.step == 1);
    c.turned = x->across[way];
    c.asks = asks;
    c.columns = !way ^ c.turned;
    c.rect = a->rect[way];
    c.scratch = a->scratch ? a->scratch + (size_t)worker * a->bytes : NULL;
    for (int m = 0; m < c.n_map; m++)
        c.at[m] = x->offset[m];
    move(x, c.n_dim, 0, x->n_batch, batch, c.at);
    for (int b = 0; b < x->kernel->n_buffer; b++)
        if (x->ref[b] != KNC_NO)
            c.buffer[b] = a->at[x->ref[b]];
    row.first = x->n_batch, row.n_dim = x->n_row;
    column.first = x->n_batch + x->n_row, column.n_dim = x->n_column;
    run_pieces(&c, &row, &column, handed);
}

static void fill(void *env, int64_t batch, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to,
                 int64_t to_row, int64_t to_k, int worker)
{
    run_attached(env, true, batch, (range){.at = row, .n = rows, .step = to_row},
                 (range){.at = k, .n = steps, .step = to_k}, to, worker);
}

static void finish(void *env, int64_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns, void *from,
                   int64_t from_row, int64_t from_column, int worker)
{
    run_attached(env, false, batch, (range){.at = row, .n = rows, .step = from_row},
                 (range){.at = column, .n = columns, .step = from_column}, from, worker);
}

void knd_run_product(const knd_one_run *r, uint32_t number, void *const *at)
{
    const knc_step *s = &r->p->step[number];
    const knd_host_product *h = r->l->step[number].product;
    const knc_attached *x[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    attached env[3];
    if (h->narrow) {
        knd_run_narrow(h->narrow, at, r->threads);
        return;
    }
    size_t bytes = knd_attached_scratch(s, h);
    char *scratch = bytes ? r->scratch + knd_product_workspace(h, r->threads) : NULL;
    for (int i = 0; i < 3; i++)
        env[i] = (attached){x[i], h->rect[i], at, scratch, bytes};
    const knr_run run = {.a = s->u.p.a == KNC_NO ? NULL : at[s->u.p.a],
                         .b = s->u.p.b == KNC_NO ? NULL : at[s->u.p.b],
                         .c = s->u.p.c == KNC_NO ? NULL : at[s->u.p.c],
                         .fill_a = x[0] ? fill : NULL,
                         .fill_b = x[1] ? fill : NULL,
                         .finish = x[2] ? finish : NULL,
                         .env_a = &env[0],
                         .env_b = &env[1],
                         .env_finish = &env[2],
                         .workspace = r->scratch,
                         .threads = r->threads};
    knr_product_run(h->plan, &run);
}
