/* SPDX-License-Identifier: Apache-2.0
 * product.c -- runs planned products: pieces of the operands are packed where they do not lie as the inner loops want
 * them, rectangles of the result are made piece by piece of k, and stored or handed to the caller. */
#include "host/routine/product.h"
#include "base/error.h"
#include "base/pool.h"
#include "host/routine/product_box.h"
#include "host/routine/product_pack.h"
#include "host/routine/product_rectangle.h"
#include "host/routine/product_share.h"
#include "host/routine/product_strip.h"
#include "host/routine/product_convert.h"
#include "host/routine/product_dot.h"
#include "host/routine/product_lanes.h"
#include "host/routine/product_small.h"
#include "host/tile.h"
#include <string.h>

/* What one worker works on. */
typedef struct job {
    const knr_plan *p;
    const knr_run *r;
    int worker;
    int64_t batch;
    knr_source left, right;
    char *c; /* element 0 of this batch */
    char *packed_left, *packed_right, *buffer;
    char *chain, *totals; /* of this batch; NULL without */
    bool own_chain;       /* not the caller's */
    int64_t chain_line;   /* numbers between its rows */
    knh_b_from from;      /* how a panel of right is read first */
    int64_t k0, k1;       /* the steps that are wanted */
} job;

/* One piece: rectangles `tile` .. of `tiles`, columns, steps. */
typedef struct piece {
    int64_t tile, tiles, column, columns, k, steps;
    knr_cuts rows; /* how the rows are cut; row 0 of it is `row0` of left */
    int64_t row0;
    char *c;       /* where (row0, column) is made */
    int64_t c_row; /* bytes */
    bool packed_right;
    struct {
        int64_t tile, tiles, k, steps;
    } left; /* what packed_left holds */
} piece;

/* --- one piece -------------------------------------------------------------------------------- */

/* Does c hold totals when step k begins? */
static bool has_totals(const knr_plan *p, int64_t k) { return k >= KNR_BLOCK_STEPS || p->into != KNR_SET; }

static void prepare_args(const job *j, const piece *x, knh_product_args *args)
{
    const knr_plan *p = j->p;
    memset(args, 0, sizeof *args);
    args->k = knr_round_up(x->steps, p->group);
    args->phase = x->k % KNR_BLOCK_STEPS;
    args->total_in = has_totals(p, x->k);
    args->c_row = x->c_row;
    args->chain_row = j->chain_line * p->size;
    args->b_k = (p->turned ? p->right.row.stride[0] : p->right.k.stride[0]) * p->right.dtype->size;
}

/* A rectangle of `rows` rows and the columns of a panel. Those of the plan were found ahead. */
static void run_rectangle(const knr_plan *p, int64_t rows, int64_t columns, knh_b_from from,
                          const knh_product_args *args)
{
    int64_t h = rows - p->height, last = columns != p->width;
    knh_product_function *f = NULL;
    if ((h == 0 || h == 1) && (!last || columns == p->rest))
        f = p->function[h][last][from];
    if (!f) {
        knh_product_request q = knr_request(p, rows, columns, from);
        f = p->maker ? knh_product_for(p->maker, &q) : NULL;
        if (!f) {
            knr_rectangle(&q, args, p->lanes);
            return;
        }
    }
    f(args);
}

static int64_t left_row_bytes(const knr_plan *p, int64_t steps)
{
    return knr_round_up(knr_round_up(steps, p->group) * p->left_step, 64) + 64;
}

/* Those of the caller are for the whole result, those of a stream for its columns. */
static char *chain_of(const job *j, const piece *x, int64_t row, int64_t column)
{
    if (j->own_chain)
        return j->chain + (row * j->chain_line + column - x->column) * j->p->size;
    return j->chain + ((x->row0 + row) * j->chain_line + column) * j->p->size;
}

/* The sums of a block that this piece does not begin, or does not end. */
static void set_chain(const job *j, const piece *x, knh_product_args *args, char *sums)
{
    int64_t end = x->k + x->steps;
    args->chain_in = x->k % KNR_BLOCK_STEPS ? sums : NULL;
    args->chain_out = end % KNR_BLOCK_STEPS && end < j->p->left.k.total ? sums : NULL;
}

/* All rectangles of the piece with one panel of right. `from`: of the first one; PACKING packs for the others. */
static void run_panel(const job *j, const piece *x, knh_product_args *args, int64_t column, int64_t columns,
                      knh_b_from from)
{
    const knr_plan *p = j->p;
    int64_t first = knr_row_of(&x->rows, x->tile), row = first;
    const char *left = args->a;
    for (int64_t t = x->tile; t < x->tile + x->tiles; t++) {
        int64_t rows = x->rows.height + (t < x->rows.extra);
        args->c = x->c + row * x->c_row + (column - x->column) * p->size;
        if (j->chain)
            set_chain(j, x, args, chain_of(j, x, row, column));
        run_rectangle(p, rows, columns, from, args);
        if (from == KNH_B_PACKING) {
            from = KNH_B_PACKED;
            args->b = args->packed;
        }
        row += rows;
        args->a = (const char *)args->a + rows * (p->left_across ? p->left_step : args->a_row);
    }
    args->a = left;
}

/* Is packed_left not yet what this piece needs? */
static bool wants_left(piece *x)
{
    bool there = x->left.tile == x->tile && x->left.tiles == x->tiles && x->left.k == x->k && x->left.steps == x->steps;
    x->left.tile = x->tile;
    x->left.tiles = x->tiles;
    x->left.k = x->k;
    x->left.steps = x->steps;
    return !there;
}

static void place_left(const job *j, piece *x, knh_product_args *args)
{
    const knr_plan *p = j->p;
    int64_t row = x->row0 + knr_row_of(&x->rows, x->tile);
    int64_t rows = x->row0 + knr_row_of(&x->rows, x->tile + x->tiles) - row, size = p->left_step;
    args->a_row = left_row_bytes(p, x->steps);
    args->a = j->packed_left;
    if (p->left_in_place) {
        int64_t k = p->left.k.total == 1 ? 0 : p->left.k.stride[0];
        args->a_row = p->left.row.stride[0] * size;
        args->a_k = k * size;
        args->a = j->left.at + row * args->a_row + x->k * args->a_k;
    } else if (p->left_across) {
        int64_t width = knr_round_up(rows, 32) + 16; /* at most 47 more, no power of two */
        args->a_k = width * size;
        if (wants_left(x))
            knr_pack_panel(&j->left, row, rows, x->k, x->steps, j->packed_left, width);
    } else if (wants_left(x)) {
        knr_pack_rows(&j->left, row, rows, x->k, x->steps, j->packed_left, args->a_row);
    }
}

/* --- a piece whose left is read by runs ------------------------------------------------------- */

/* One rectangle: rows of one line, a call for each run. left_row, left_rows: what the strips were made for. */
static void run_runs(const job *j, const piece *x, const knh_product_args *piece_args, int64_t row, int64_t rows,
                     int64_t columns, knh_b_from from, int64_t first)
{
    const knr_plan *p = j->p;
    _Alignas(64) char sums[KNR_STRIP_SUMS];
    knh_product_args args = *piece_args;
    int64_t width = knr_round_up(columns, p->lanes) * p->right_step, end = x->k + x->steps;
    char *chain = j->chain ? piece_args->chain_out : sums;
    args.chain_row = j->chain ? args.chain_row : columns * p->size;
    args.a_k = p->strip.step;
    for (int64_t k = x->k; k < end; k += args.k) {
        int64_t at = k - x->k;
        args.k = knr_least(p->strip.run - k % p->strip.run, end - k);
        args.a = p->strip.table ? knr_box_at(p, j->packed_left, row, &args.table, &args.a_row)
                                : knr_strip_at(p, j->packed_left, first, x->k, x->steps, row, k, &args.a_row);
        args.b = (const char *)piece_args->b + at * (from == KNH_B_PACKED ? width : args.b_k);
        args.packed = (char *)piece_args->packed + at * width;
        args.phase = k % KNR_BLOCK_STEPS;
        args.total_in = has_totals(p, k);
        args.chain_in = args.phase ? chain : NULL;
        args.chain_out = (k + args.k) % KNR_BLOCK_STEPS && k + args.k < p->left.k.total ? chain : NULL;
        run_rectangle(p, rows, columns, from, &args);
    }
}

/* Rows row .. end - 1 of left, which has its strips, with one panel of right. */
static void run_lines(const job *j, const piece *x, knh_product_args *args, int64_t row, int64_t end, int64_t column,
                      int64_t columns, knh_b_from from)
{
    const knr_plan *p = j->p;
    int64_t first = row;
    while (row < end) {
        int64_t n = knr_least(p->strip.line - row % p->strip.line, end - row), tiles = knr_divide_up(n, p->max_rows);
        for (int64_t t = 0; t < tiles; t++) {
            int64_t rows = n / tiles + (t < n % tiles);
            args->c = x->c + (row - x->row0) * x->c_row + (column - x->column) * p->size;
            if (j->chain)
                args->chain_out = chain_of(j, x, row - x->row0, column);
            run_runs(j, x, args, row, rows, columns, from, first);
            if (from == KNH_B_PACKING) {
                from = KNH_B_PACKED;
                args->b = args->packed;
            }
            row += rows;
        }
    }
}

/* Where a room that begins with that line ends. */
static int64_t last_line(const knr_plan *p, int64_t line)
{
    int64_t end = line + p->strip.most, chunk = p->strip.chunk;
    return p->strip.table ? knr_least(end, (line / chunk + 1) * chunk) : end;
}

static void run_strips(const job *j, piece *x)
{
    const knr_plan *p = j->p;
    knh_product_args args;
    int64_t row = x->row0 + knr_row_of(&x->rows, x->tile), end = x->row0 + knr_row_of(&x->rows, x->tile + x->tiles);
    prepare_args(j, x, &args);
    for (int64_t next; row < end; row = next) {
        next = knr_least(end, last_line(p, row / p->strip.line) * p->strip.line);
        if (p->strip.table)
            knr_make_box(&j->left, row, next - row, x->k, x->steps, x->column, x->columns, j->packed_left);
        else
            knr_make_strips(&j->left, row, next - row, x->k, x->steps, j->packed_left);
        char *panel = j->packed_right;
        for (int64_t column = x->column; column < x->column + x->columns; column += p->cut.panel) {
            int64_t columns = knr_least(p->cut.panel, x->column + x->columns - column);
            int64_t width = knr_round_up(columns, p->lanes);
            knh_b_from from = x->packed_right && !p->right_in_place ? KNH_B_PACKED : p->right_from;
            args.b = args.packed = panel;
            if (from != KNH_B_PACKED)
                args.b = j->right.at + x->k * args.b_k + column * p->right.dtype->size;
            else if (!x->packed_right)
                knr_pack_panel(&j->right, column, columns, x->k, x->steps, panel, width);
            run_lines(j, x, &args, row, next, column, columns, from);
            panel += width * x->steps * p->right_step;
        }
        x->packed_right = true;
    }
}

/* --- and one whose right is ------------------------------------------------------------------- */

/* Where column number `column` of c is. */
static int64_t column_offset(const knr_plan *p, int64_t column)
{
    knr_at at;
    if (p->c_column.n == 1)
        return column * p->c_column.stride[0];
    knr_seek(&p->c_column, 0, column, &at);
    return at.offset;
}

/* All rectangles of the piece with columns of one line. */
static void run_lane_panel(const job *j, const piece *x, knh_product_args *args, int64_t column, int64_t columns)
{
    const knr_plan *p = j->p;
    int64_t row = knr_row_of(&x->rows, x->tile);
    const char *left = args->a;
    char *c = p->direct ? j->c + (x->row0 * p->c_row.stride[0] + column_offset(p, column)) * p->size
                        : x->c + (column - x->column) * p->size;
    for (int64_t t = x->tile; t < x->tile + x->tiles; t++) {
        int64_t rows = x->rows.height + (t < x->rows.extra);
        args->c = c + row * x->c_row;
        if (j->chain)
            set_chain(j, x, args, chain_of(j, x, row, column));
        run_rectangle(p, rows, columns, KNH_B_TABLE, args);
        row += rows;
        args->a = (const char *)args->a + rows * (p->left_across ? p->left_step : args->a_row);
    }
    args->a = left;
}

static void run_lane_strips(const job *j, piece *x)
{
    const knr_plan *p = j->p;
    knh_product_args args;
    int64_t line = p->strip.line, column = x->column, end = x->column + x->columns, a_row;
    prepare_args(j, x, &args);
    place_left(j, x, &args);
    if (!x->packed_right)
        knr_make_box(&j->right, column, end - column, x->k, x->steps, 0, 0, j->packed_right);
    for (int64_t n; column < end; column += n) {
        n = knr_least(line - column % line, end - column);
        args.b = knr_box_at(p, j->packed_right, column, &args.table, &a_row);
        for (int64_t at = 0; at < n; at += p->width) {
            run_lane_panel(j, x, &args, column + at, knr_least(p->width, n - at));
            args.b = (const char *)args.b + p->width * p->size;
        }
    }
    x->packed_right = true;
}

static void run_piece(const job *j, piece *x)
{
    if (j->p->strip.used) {
        (j->p->strip.right ? run_lane_strips : run_strips)(j, x);
        return;
    }
    const knr_plan *p = j->p;
    knh_product_args args;
    prepare_args(j, x, &args);
    place_left(j, x, &args);
    char *panel = j->packed_right;
    int64_t padded = knr_round_up(x->steps, p->group);
    for (int64_t column = x->column; column < x->column + x->columns; column += p->cut.panel) {
        int64_t columns = knr_least(p->cut.panel, x->column + x->columns - column);
        int64_t width = knr_round_up(columns, p->lanes);
        knh_b_from from = x->packed_right && j->from == KNH_B_PACKING ? KNH_B_PACKED : j->from;
        args.b = panel;
        args.packed = panel;
        if (from == KNH_B_TURNED) {
            args.b = j->right.at + column * args.b_k + x->k * p->right.dtype->size;
            args.ahead = knr_ahead(p, columns, x->column + x->columns - column, x->steps, args.b_k);
        } else if (from != KNH_B_PACKED)
            args.b = j->right.at + x->k * args.b_k + column * p->right.dtype->size;
        else if (!x->packed_right)
            knr_pack_panel(&j->right, column, columns, x->k, x->steps, panel, width);
        run_panel(j, x, &args, column, columns, from);
        panel += width * padded * p->right_step;
    }
    x->packed_right = true;
}

/* --- a rectangle of the result, over all wanted steps ------------------------------------------ */

/* Each column is of a batch of its own, whose rows are neighbours. */
static void finish_lanes(const job *j, const char *from, int64_t row, int64_t rows, int64_t column, int64_t columns)
{
    const knr_plan *p = j->p;
    int64_t line = knr_turned_line(p, rows), batch = j->batch * p->right.row.total + column;
    char *turned = j->buffer + p->c_bytes - p->turned_bytes;
    knh_transpose()(p->size, turned, line, from, p->c_line * p->size, rows, columns, false);
    for (int64_t i = 0; i < columns; i++)
        j->r->finish(j->r->env_finish, batch + i, row, rows, 0, 1, turned + i * line, 1, rows, j->worker);
}

static void finish(const job *j, char *from, int64_t row, int64_t rows, int64_t column, int64_t columns)
{
    const knr_plan *p = j->p;
    const knr_run *r = j->r;
    if (p->view.lanewise) {
        finish_lanes(j, from, row, rows, column, columns);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        knr_narrow(p, from + i * p->c_line * p->size, from + i * p->c_line * p->size, columns);
    int64_t line = p->c_line * p->size / p->result->size;
    if (p->swapped)
        r->finish(r->env_finish, j->batch, column, columns, row, rows, from, 1, line, j->worker);
    else
        r->finish(r->env_finish, j->batch, row, rows, column, columns, from, line, 1, j->worker);
}

/* Totals that wait between parts of k, where c cannot hold them as they are. */
static void move_totals(const job *j, const piece *x, int64_t row, int64_t rows, bool out)
{
    const knr_plan *p = j->p;
    KN_KNOWN(x->c && j->totals);
    for (int64_t i = 0; i < rows; i++) {
        char *mine = x->c + i * x->c_row;
        char *there = j->totals + ((row + i) * p->right.row.total + x->column) * p->size;
        memcpy(out ? there : mine, out ? mine : there, (size_t)(x->columns * p->size));
    }
}

static bool is_last(const job *j) { return j->k1 == j->p->left.k.total; }

static void before_block(const job *j, const piece *x, int64_t row, int64_t rows)
{
    if (j->p->direct || j->k0 < KNR_BLOCK_STEPS)
        return;
    if (j->p->keeps_totals)
        move_totals(j, x, row, rows, false);
    else
        knr_load(j->p, x->c, j->p->c_line, row, rows, x->column, x->columns, j->c);
}

static void after_block(const job *j, const piece *x, int64_t row, int64_t rows)
{
    if (j->p->direct)
        return;
    bool totals = is_last(j) || j->k1 >= KNR_BLOCK_STEPS;
    if (j->p->finish && j->r->finish)
        finish(j, x->c, row, rows, x->column, x->columns);
    else if (j->p->keeps_totals && !is_last(j))
        move_totals(j, x, row, rows, true);
    else if (totals)
        knr_store(j->p, x->c, j->p->c_line, row, rows, x->column, x->columns, j->c);
}

static void clear_block(const piece *x, int64_t rows, int size)
{
    KN_KNOWN(x->c);
    for (int64_t i = 0; i < rows; i++)
        memset(x->c + i * x->c_row, 0, (size_t)(x->columns * size));
}

/* Some rectangles of some columns. packed_right: the only piece of k is there already. */
static bool run_block(const job *j, piece *x, int64_t tile, int64_t tiles, bool packed_right)
{
    const knr_plan *p = j->p;
    int64_t row = x->row0 + knr_row_of(&x->rows, tile), rows = x->row0 + knr_row_of(&x->rows, tile + tiles) - row;
    char *block = p->direct ? j->c + (row * p->c_row.stride[0] + column_offset(p, x->column)) * p->size : j->buffer;
    x->c_row = (p->direct ? p->c_row.stride[0] : p->c_line) * p->size;
    x->c = block;
    before_block(j, x, row, rows);
    if (j->k0 == j->k1)
        clear_block(x, rows, p->size);
    x->c = block - knr_row_of(&x->rows, tile) * x->c_row;
    for (x->k = j->k0; x->k < j->k1; x->k += x->steps) {
        int64_t whole = knr_least(KNR_BLOCK_STEPS, p->cut.k_piece), end = x->k / whole * whole + p->cut.k_piece;
        x->steps = knr_least(end, j->k1) - x->k;
        x->packed_right = packed_right;
        for (x->tile = tile; x->tile < tile + tiles; x->tile += x->tiles) {
            x->tiles = knr_least(p->cut.m_piece, tile + tiles - x->tile);
            run_piece(j, x);
        }
        packed_right = x->k == j->k0 && x->k + x->steps == j->k1;
    }
    x->c = block;
    after_block(j, x, row, rows);
    return packed_right;
}

/* A box of columns is one room, which all rectangles of the piece read. */
static int64_t columns_of_piece(const knr_plan *p, int64_t column, int64_t end)
{
    int64_t line = p->strip.line, room = p->strip.right ? last_line(p, column / line) * line : end;
    return knr_least(p->cut.n_piece, knr_least(room, end) - column);
}

/* Rectangles tile .. tile + tiles - 1 of `rows`, columns column .. end - 1. */
static void run_range(const job *j, const knr_cuts *rows, int64_t row0, int64_t tile, int64_t tiles, int64_t column,
                      int64_t end)
{
    const knr_cuts *c = &j->p->cut;
    piece x = {.rows = *rows, .row0 = row0};
    for (; column < end; column += x.columns) {
        x.column = column;
        x.columns = columns_of_piece(j->p, column, end);
        bool packed = false;
        for (int64_t t = tile; t < tile + tiles; t += c->m_block)
            packed = run_block(j, &x, t, knr_least(c->m_block, tile + tiles - t), packed);
    }
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void start_job(job *j, const knr_plan *p, const knr_run *r, int worker, char *workspace)
{
    *j = (job){.p = p, .r = r, .worker = worker, .k1 = p->left.k.total, .from = p->right_from};
    j->packed_left = workspace;
    j->packed_right = j->packed_left + p->left_bytes;
    j->buffer = j->packed_right + p->right_bytes;
    char *chain = j->buffer + p->c_bytes, *spare = chain + p->chain_bytes;
    if (p->stream) {
        j->chain = chain;
        j->own_chain = true;
        j->chain_line = p->cut.n_piece;
    }
    j->left = (knr_source){.plan = p, .side = &p->left, .worker = worker, .spare = spare};
    j->right = (knr_source){.plan = p, .side = &p->right, .worker = worker, .spare = spare};
    knr_source *a = p->swapped ? &j->right : &j->left, *b = p->swapped ? &j->left : &j->right;
    a->fill = a->side->fill ? r->fill_a : NULL;
    a->env = r->env_a;
    b->fill = b->side->fill ? r->fill_b : NULL;
    b->env = r->env_b;
}

static const char *element(const void *base, int64_t at, kn_dtype d)
{
    return base ? (const char *)base + at * d->size : NULL;
}

static void to_batch(job *j, int64_t batch)
{
    const knr_plan *p = j->p;
    int64_t a, b, c;
    knr_batch_at(p, batch, &a, &b, &c);
    j->batch = j->left.batch = j->right.batch = batch;
    const void *left = p->swapped ? j->r->b : j->r->a, *right = p->swapped ? j->r->a : j->r->b;
    j->left.at = element(left, (p->swapped ? b : a) + p->left.offset, p->left.dtype);
    j->right.at = element(right, (p->swapped ? a : b) + p->right.offset, p->right.dtype);
    j->c = j->r->c ? (char *)j->r->c + (c + p->c_offset) * p->result->size : NULL;
}

/* A run that is shared out. */
typedef struct share {
    const knr_plan *p;
    const knr_run *r;
    knr_share by;
} share;

/* --- everything in place ---------------------------------------------------------------------- */

/* One part: batches, rectangles, columns. */
typedef struct range {
    int64_t batch, batch_end, tile, tile_end, column, column_end;
} range;

/* All rectangles of one batch: everything that can be known is in the plan. */
static void run_rectangles(const knr_plan *p, const range *x, const char *a, const char *b, char *c)
{
    const knr_cuts *cut = &p->cut;
    const knr_call *k = &p->call;
    knh_product_args args = {.a_row = k->a_row, .a_k = k->a_k, .b_k = k->b_k, .c_row = k->c_row, .k = k->k};
    args.total_in = p->into != KNR_SET;
    int64_t row = knr_row_of(cut, x->tile);
    a += row * k->left_row;
    c += row * k->c_row;
    for (int64_t column = x->column; column < x->column_end; column += cut->panel) {
        int64_t columns = knr_least(cut->panel, k->columns - column), last = columns != cut->panel;
        args.b = b + column * k->right_row;
        args.ahead = p->turned ? knr_ahead(p, columns, x->column_end - column, k->k, k->b_k) : 0;
        args.a = a;
        args.c = c + column * p->size;
        for (int64_t t = x->tile; t < x->tile_end; t++) {
            bool higher = t < cut->extra;
            knh_product_function *f = p->function[higher][last][p->right_from];
            if (f)
                f(&args);
            else
                run_rectangle(p, cut->height + higher, columns, p->right_from, &args);
            args.a = (const char *)args.a + (cut->height + higher) * k->left_row;
            args.c = (char *)args.c + (cut->height + higher) * k->c_row;
        }
    }
}

static void run_simple(const knr_plan *p, const knr_run *r, const range *x)
{
    const knr_call *k = &p->call;
    const char *a = (const char *)(p->swapped ? r->b : r->a) + k->a,
               *b = (const char *)(p->swapped ? r->a : r->b) + k->b;
    char *c = (char *)r->c + k->c;
    if (k->at_once || p->batch.n == 0) {
        run_rectangles(p, x, a, b, c);
        return;
    }
    if (p->dots && x->batch_end - x->batch >= p->dot_columns) {
        knr_dots_run(p, a, b, c, x->batch, x->batch_end);
        return;
    }
    for (int64_t i = x->batch; i < x->batch_end; i++) {
        int64_t at_a, at_b, at_c;
        knr_batch_at(p, i, &at_a, &at_b, &at_c);
        run_rectangles(p, x, a + (p->swapped ? at_b : at_a) * p->left_step,
                       b + (p->swapped ? at_a : at_b) * p->right.dtype->size, c + at_c * p->size);
    }
}

/* --- shares ----------------------------------------------------------------------------------- */

static range range_of(const share *s, int64_t part)
{
    const knr_cuts *c = &s->p->cut;
    int64_t within = s->by.rows * s->by.columns, panels = knr_divide_up(s->p->right.row.total, c->panel);
    int64_t i = part % within / s->by.columns, k = part % within % s->by.columns;
    range x = {.batch = part / within * s->by.batches_of_a_part};
    x.batch_end = knr_least(s->p->batches, x.batch + s->by.batches_of_a_part);
    x.tile = c->tiles * i / s->by.rows;
    x.tile_end = c->tiles * (i + 1) / s->by.rows;
    x.column = panels * k / s->by.columns * c->panel;
    x.column_end = knr_least(panels * (k + 1) / s->by.columns * c->panel, s->p->right.row.total);
    return x;
}

/* Parts are rows of a. */
static void run_lanes(void *env, int64_t part, int worker)
{
    const share *s = env;
    const knr_plan *p = s->p;
    int64_t rows = p->left.is_a ? p->left.row.total : p->right.row.total;
    char *workspace = (char *)s->r->workspace + (size_t)worker * knr_worker_bytes(p);
    knr_lanes_run(p, s->r, rows * part / s->by.rows, rows * (part + 1) / s->by.rows,
                  workspace + knr_worker_bytes(p) - p->spare_bytes - p->chain_bytes);
}

static void run_share(void *env, int64_t part, int worker)
{
    const share *s = env;
    const knr_plan *p = s->p;
    range x = range_of(s, part);
    if (p->by_small) {
        char *workspace = (char *)s->r->workspace + (size_t)worker * knr_worker_bytes(p);
        knr_small_product_run(p, s->r, x.batch, x.batch_end,
                              workspace + knr_worker_bytes(p) - p->spare_bytes - p->chain_bytes);
        return;
    }
    if (p->simple && !p->dot) {
        run_simple(p, s->r, &x);
        return;
    }
    job j;
    start_job(&j, p, s->r, worker, (char *)s->r->workspace + (size_t)worker * knr_worker_bytes(p));
    for (int64_t b = x.batch; b < x.batch_end; b++) {
        to_batch(&j, b);
        if (p->dot)
            knr_dot_run(p, j.left.at, j.right.at, j.c, j.buffer + p->c_bytes, p->batches == 1 ? s->by.threads : 1);
        else
            run_range(&j, &p->cut, 0, x.tile, x.tile_end - x.tile, x.column, x.column_end);
    }
}

size_t knr_product_workspace(const knr_plan *p, int threads)
{
    return knr_worker_bytes(p) * (size_t)(threads < 1 ? 1 : threads);
}

void knr_product_run(const knr_plan *p, const knr_run *r)
{
    share s = {.p = p, .r = r};
    if (p->call.at_once) {
        run_simple(p, r, &(range){.batch_end = 1, .tile_end = p->cut.tiles, .column_end = p->call.columns});
        return;
    }
    if (!p->batches || !p->left.row.total || !p->right.row.total)
        return;
    s.by = knr_share_out(p, r->threads < 1 ? 1 : r->threads);
    if (s.by.parts == 1)
        (p->by_lanes ? run_lanes : run_share)(&s, 0, 0);
    else
        knx_parallel(s.by.threads, s.by.parts, p->by_lanes ? run_lanes : run_share, &s);
}

/* --- parts ------------------------------------------------------------------------------------ */

size_t knr_product_chain_bytes(const knr_plan *p)
{
    size_t one = (size_t)(p->left.row.total * p->right.row.total) * (size_t)p->size;
    return p->keeps_totals ? 2 * one : one;
}

size_t knr_part_workspace(const knr_plan *p) { return knr_worker_bytes(p); }

void knr_product_run_part(const knr_plan *p, const knr_run *r, const knr_part *part, int worker)
{
    job j;
    if (part->m0 >= part->m1 || !p->left.row.total || !p->right.row.total)
        return;
    int64_t lanes = p->view.lanewise ? p->right.row.total : 1, column = part->batch % lanes;
    start_job(&j, p, r, worker, r->workspace);
    to_batch(&j, part->batch / lanes);
    j.k0 = part->k0;
    j.k1 = part->k1;
    if (part->chain) {
        j.chain = part->chain;
        j.own_chain = false;
        j.chain_line = p->view.lanewise ? 1 : p->right.row.total;
        j.chain -= column * p->size;
    }
    if (part->chain && p->keeps_totals)
        j.totals = j.chain + p->left.row.total * p->right.row.total * p->size;
    if (p->swapped) {
        run_range(&j, &p->cut, 0, 0, p->cut.tiles, part->m0, part->m1);
        return;
    }
    knr_cuts rows = p->cut;
    int64_t n = part->m1 - part->m0;
    rows.tiles = knr_divide_up(n, p->max_rows);
    rows.height = n / rows.tiles;
    rows.extra = n % rows.tiles;
    if (rows.tiles <= p->cut.plain_tiles && p->right_from == KNH_B_PACKING)
        j.from = KNH_B_PLAIN;
    run_range(&j, &rows, part->m0, 0, rows.tiles, column, p->view.lanewise ? column + 1 : p->right.row.total);
}
