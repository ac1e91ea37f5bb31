/* SPDX-License-Identifier: Apache-2.0
 * reduce.c -- reductions that are more than one call of a stage function: in the order of docs/determinism.md, by
 * blocks of 16,384 elements whose values a binary counter joins. */
#include "host/drive.h"
#include <string.h>

/* The values that wait to be joined: rows of a stack, `lanes` side by side. */
typedef struct counter {
    int n;
    uint8_t rank[KNK_RANKS];
} counter;

static char *stack_row(const knh_worker *w, const knh_pass *ps, const knh_reduction *r, int row)
{
    return w->part + r->stack_at + (size_t)row * (size_t)ps->facts->width * r->size;
}

/* A new value of this rank is in the top row of each reduction: equal ranks are joined, the older one on the left. */
static void count(const knh_worker *w, const knh_pass *ps, counter *c, int rank, size_t lanes)
{
    c->rank[c->n++] = (uint8_t)rank;
    for (; c->n > 1 && c->rank[c->n - 1] == c->rank[c->n - 2]; c->n--) {
        c->rank[c->n - 2]++;
        for (int i = 0; i < ps->facts->n_reduction; i++) {
            const knh_reduction *r = &ps->facts->reduction[i];
            char *left = stack_row(w, ps, r, c->n - 2);
            r->combine(left, left, stack_row(w, ps, r, c->n - 1), NULL, lanes);
        }
    }
}

/* Joins all that was counted. */
static const char *total_of(const knh_worker *w, const knh_pass *ps, const knh_reduction *r, const counter *c,
                            size_t lanes)
{
    for (int j = c->n - 1; j > 0; j--) {
        char *left = stack_row(w, ps, r, j - 1);
        r->combine(left, left, stack_row(w, ps, r, j), NULL, lanes);
    }
    return stack_row(w, ps, r, 0);
}

/* The result goes where the reduction's value is wanted. */
static void finish(const knh_worker *w, const knh_pass *ps, const counter *c, size_t lanes)
{
    for (int i = 0; i < ps->facts->n_reduction; i++) {
        const knh_reduction *r = &ps->facts->reduction[i];
        const char *total = total_of(w, ps, r, c, lanes);
        char *to = (char *)(intptr_t)w->at[r->stream];
        int64_t step = lanes > 1 ? ps->stride[r->stream * ps->n_axis + ps->lane] : 0;
        if (lanes == 1 || step == r->size)
            memcpy(to, total, lanes * r->size);
        else
            knk_lanes.copy_out(r->size, to, step / r->size, total, lanes);
    }
}

static void set_identity(const knh_worker *w, const knh_reduction *r, size_t n)
{
    knk_joins_best()->splat(r->size, w->part + r->ring_at, &r->identity, n);
}

/* Rows [right, end) of a ring, as far as they are used, joined to the rows from `left` on. */
static void join_rows(const knh_reduction *r, char *ring, int64_t left, int64_t right, int64_t end, int64_t used,
                      size_t lanes)
{
    size_t row = lanes * r->size;
    end = used < end ? used : end;
    if (end > right)
        r->combine(ring + (size_t)left * row, ring + (size_t)left * row, ring + (size_t)right * row, NULL,
                   (size_t)(end - right) * lanes);
}

/* Joins the rows of a ring of which `used` have elements; the others change nothing (docs/determinism.md). */
static void join_ring(const knh_worker *w, const knh_pass *ps, int64_t used, size_t lanes, int top)
{
    for (int i = 0; i < ps->facts->n_reduction; i++) {
        const knh_reduction *r = &ps->facts->reduction[i];
        char *ring = w->part + r->ring_at;
        join_rows(r, ring, 0, 16, 32, used, lanes);
        join_rows(r, ring, 32, 48, 64, used, lanes);
        join_rows(r, ring, 0, 32, 48, used, lanes);
        for (int h = 8; h; h /= 2)
            join_rows(r, ring, 0, h, 2 * h, used, lanes);
        if (!used)
            set_identity(w, r, lanes);
        memcpy(stack_row(w, ps, r, top), ring, lanes * r->size);
    }
}

/* A place in the inner loops: w->cursor, per stream. */
static void cursor_at(const knh_worker *w, const knh_pass *ps, int64_t element)
{
    int n_par = w->p->n_par;
    memcpy(w->cursor, w->at, (size_t)ps->facts->n_stream * sizeof *w->cursor);
    for (int a = ps->n_axis - 1; a >= n_par; a--) {
        int64_t at = ps->extent[a] ? element % ps->extent[a] : 0;
        element = ps->extent[a] ? element / ps->extent[a] : 0;
        w->inner_index[a - n_par] = at;
        for (int i = 0; at && i < ps->facts->n_stream; i++)
            w->cursor[i] += at * ps->stride[i * ps->n_axis + a];
    }
}

static int64_t cursor_left(const knh_worker *w, const knh_pass *ps)
{
    int last = ps->n_axis - 1;
    return ps->extent[last] - w->inner_index[last - w->p->n_par];
}

/* By so many elements, at most to the end of the innermost loop. */
static void cursor_move(const knh_worker *w, const knh_pass *ps, int64_t by)
{
    int n_par = w->p->n_par;
    for (int a = ps->n_axis - 1; a >= n_par; a--, by = 1) {
        int64_t *index = &w->inner_index[a - n_par];
        *index += by;
        bool end = *index == ps->extent[a] && a > n_par;
        int64_t move = end ? by - ps->extent[a] : by;
        for (int i = 0; i < ps->facts->n_stream; i++)
            w->cursor[i] += move * ps->stride[i * ps->n_axis + a];
        if (!end)
            return;
        *index = 0;
    }
}

/* Rows that lie behind each other, in all streams, are one row. */
static bool rows_join(const knh_pass *ps, int64_t lanes)
{
    int last = ps->n_axis - 1;
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const int64_t *stride = &ps->stride[i * ps->n_axis];
        bool reduction = ps->facts->stream[i].kind == KNH_EXPORT;
        if (!reduction && stride[last] != lanes * stride[ps->lane])
            return false;
    }
    return true;
}

static void call(const knh_worker *w, const knh_pass *ps, int64_t rows, int64_t n, int64_t phase, int64_t lanes)
{
    w->args->rows = rows;
    w->args->n = n;
    w->args->phase = ps->mode == KNH_RUNS ? phase : 0;
    for (int i = 0; i < ps->facts->n_stream; i++)
        w->args->stream[i].at = w->cursor[i];
    for (int i = 0; i < ps->facts->n_reduction; i++) {
        const knh_reduction *r = &ps->facts->reduction[i];
        int64_t at = ps->mode == KNH_COLUMNS ? phase * lanes * r->size : 0;
        w->args->stream[r->stream].at = (int64_t)(intptr_t)(w->part + r->ring_at) + at;
    }
    knh_function_of(w, ps)(w->args);
}

/* Steps of the calls; `row_axis`: what a row goes along, times `rows`. */
static void set_steps(const knh_worker *w, const knh_pass *ps, int row_axis, int64_t rows, int64_t lanes)
{
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const int64_t *stride = &ps->stride[i * ps->n_axis];
        w->args->stream[i].row_step = row_axis < 0 ? 0 : rows * stride[row_axis];
        w->args->stream[i].lane_step = stride[ps->lane];
    }
    for (int i = 0; i < ps->facts->n_reduction; i++) {
        const knh_reduction *r = &ps->facts->reduction[i];
        w->args->stream[r->stream].row_step = lanes * r->size;
        w->args->stream[r->stream].lane_step = r->size;
    }
}

/* A long block of columns along one loop: the rows that meet in the same accumulators one after the other, so that
 * these stay in the first cache. */
static bool run_residues(const knh_worker *w, const knh_pass *ps, int64_t n, int64_t lanes)
{
    enum { LONG = 512 };
    if (n < LONG || cursor_left(w, ps) < n || rows_join(ps, lanes))
        return false;
    set_steps(w, ps, ps->n_axis - 1, 64, lanes);
    for (int i = 0; i < ps->facts->n_reduction; i++)
        w->args->stream[ps->facts->reduction[i].stream].row_step = 0;
    for (int64_t r = 0; r < 64; r++) {
        call(w, ps, (n - r + 63) / 64, lanes, r, lanes);
        cursor_move(w, ps, 1);
    }
    set_steps(w, ps, ps->n_axis - 1, 1, lanes);
    return true;
}

/* One sum block, [first, end) elements, for the lanes at w->at: its value goes to row `top` of the stack. */
static void run_block(const knh_worker *w, const knh_pass *ps, int64_t first, int64_t end, int64_t lanes, int top)
{
    bool columns = ps->mode == KNH_COLUMNS, joined = columns && rows_join(ps, lanes);
    int64_t width = columns ? lanes : 1, used = end - first < 64 ? end - first : 64;
    for (int i = 0; i < ps->facts->n_reduction; i++)
        set_identity(w, &ps->facts->reduction[i], (size_t)((columns ? used : 64) * width));
    cursor_at(w, ps, first);
    if (columns && run_residues(w, ps, end - first, lanes))
        first = end;
    for (int64_t e = first; e < end;) {
        int64_t n = cursor_left(w, ps), phase = (e - first) & 63;
        n = n < end - e ? n : end - e;
        if (columns) {
            n = n < 64 - phase ? n : 64 - phase;
            call(w, ps, joined ? 1 : n, joined ? n * lanes : lanes, phase, lanes);
        } else {
            call(w, ps, 1, n, phase, 1);
        }
        cursor_move(w, ps, n);
        e += n;
    }
    join_ring(w, ps, columns ? used : 64, (size_t)width, top);
}

/* Does the value of a block decide, whatever comes behind it? */
static bool decides(const knh_pass *ps, const char *value)
{
    return ps->facts->ends && (uint64_t)(uint8_t)*value != ps->facts->reduction->identity;
}

static bool is_known(const knh_piece *piece)
{
    return piece->known && atomic_load_explicit(piece->known, memory_order_relaxed);
}

/* The blocks of one point, or of some lanes: in memory (RUNS, COLUMNS). */
static void run_in_memory(const knh_worker *w, const knh_pass *ps, const knh_piece *piece, int64_t lanes)
{
    counter c = {.n = 0};
    int64_t total = ps->inner_total, b = piece->first_block;
    size_t width = ps->mode == KNH_COLUMNS ? (size_t)lanes : 1;
    set_steps(w, ps, ps->mode == KNH_COLUMNS ? ps->n_axis - 1 : -1, 1, lanes);
    do {
        int64_t first = b * KNK_SUM_BLOCK, end = total - first < KNK_SUM_BLOCK ? total : first + KNK_SUM_BLOCK;
        run_block(w, ps, first, end, lanes, c.n);
        bool decided = width == 1 && decides(ps, stack_row(w, ps, ps->facts->reduction, c.n));
        count(w, ps, &c, 0, width);
        if (decided)
            break;
    } while (++b < piece->end_block && b * KNK_SUM_BLOCK < total);
    finish(w, ps, &c, width);
}

/* The blocks of one point, as rows of calls that keep the accumulators in registers. */
static void run_by_blocks(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    enum { MOST = 64 };
    counter c = {.n = 0};
    int64_t total = ps->inner_total, whole = total / KNK_SUM_BLOCK, blocks = whole + (total % KNK_SUM_BLOCK != 0),
            end = piece->end_block < blocks ? piece->end_block : blocks;
    set_steps(w, ps, ps->n_axis - 1, KNK_SUM_BLOCK, 1);
    int64_t most = ps->facts->ends ? 1 : MOST;
    for (int64_t b = piece->first_block; b < end; most = most < MOST ? 2 * most : MOST) {
        int64_t rows = whole - b < end - b ? whole - b : end - b, n = rows > 0 ? KNK_SUM_BLOCK : total % KNK_SUM_BLOCK;
        rows = rows > most ? most : rows < 1 ? 1 : rows;
        cursor_at(w, ps, b * KNK_SUM_BLOCK);
        call(w, ps, rows, n, 0, 1);
        for (int64_t i = 0; i < rows; i++) {
            for (int j = 0; j < ps->facts->n_reduction; j++) {
                const knh_reduction *r = &ps->facts->reduction[j];
                memcpy(stack_row(w, ps, r, c.n), w->part + r->ring_at + i * r->size, r->size);
            }
            count(w, ps, &c, 0, 1);
        }
        b += rows;
        /* Joined with what is known, the block that decides is the value of all. */
        for (int64_t i = 0; i < rows && ps->facts->ends; i++)
            if (decides(ps, w->part + ps->facts->reduction->ring_at + i)) {
                if (piece->known)
                    atomic_store_explicit(piece->known, true, memory_order_relaxed);
                b = end;
            }
        if (is_known(piece))
            b = end;
    }
    finish(w, ps, &c, 1);
}

/* Lanes in pieces of the ring's width. */
static void run_columns(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    int64_t n = piece->n[ps->lane], most = ps->facts->width, parts = (n + most - 1) / most,
            width = ((n + parts - 1) / parts + 15) / 16 * 16;
    for (int64_t done = 0; done < n;) {
        int64_t lanes = n - done < width ? n - done : width;
        run_in_memory(w, ps, piece, lanes);
        done += lanes;
        for (int i = 0; i < ps->facts->n_stream; i++)
            w->at[i] += lanes * ps->stride[i * ps->n_axis + ps->lane];
    }
    for (int i = 0; i < ps->facts->n_stream; i++)
        w->at[i] -= n * ps->stride[i * ps->n_axis + ps->lane];
}

void knh_run_reduction(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    knh_aim(w, ps, piece);
    for (int j = 0; j < ps->n_other; j++)
        w->index[ps->other[j]] = 0;
    do {
        if (ps->runner == KNH_BY_COLUMNS)
            run_columns(w, ps, piece);
        else if (ps->runner == KNH_BY_RUNS)
            run_in_memory(w, ps, piece, 1);
        else
            run_by_blocks(w, ps, piece);
    } while (knh_step_axes(w, ps, ps->other, ps->n_other, piece->n));
}

/* The values of groups of blocks, which lie in the shared area, all points side by side. All but the last have this
 * rank. The last may have fewer blocks: then its value joins nothing before the end; and if it has as many, the end
 * joins it just as the counter would. */
void knh_join_groups(const knh_worker *w, const knh_pass *ps, int64_t groups, int rank)
{
    int64_t points = w->p->points;
    for (int64_t done = 0, lanes; done < points; done += lanes) {
        counter c = {.n = 0};
        lanes = points - done < ps->facts->width ? points - done : ps->facts->width;
        for (int64_t g = 0; g < groups; g++) {
            for (int i = 0; i < ps->facts->n_reduction; i++) {
                const knh_reduction *r = &ps->facts->reduction[i];
                memcpy(stack_row(w, ps, r, c.n), w->shared + r->group_at + (g * points + done) * r->size,
                       (size_t)lanes * r->size);
            }
            if (g + 1 < groups)
                count(w, ps, &c, rank, (size_t)lanes);
            else
                c.n++;
        }
        for (int i = 0; i < ps->facts->n_reduction; i++) {
            const knh_reduction *r = &ps->facts->reduction[i];
            memcpy(w->values + ps->facts->place[r->stream] + done * r->size, total_of(w, ps, r, &c, (size_t)lanes),
                   (size_t)lanes * r->size);
        }
    }
}
