/* SPDX-License-Identifier: Apache-2.0
 * reduce.c -- reductions that are more than one call of a stage function: in the order of docs/determinism.md, by
 * blocks of 16,384 elements whose values a binary counter joins. */
#include "host/drive.h"
#include <string.h>

enum { FIRST_CACHE = 32 * 1024 };

/* The values that wait to be joined: rows of a stack, `lanes` side by side. */
typedef struct counter {
    int n;
    uint8_t rank[KNK_RANKS];
} counter;

/* Lanes of a block of columns at most: few blocks leave room for twice as many, so that whole pages are read. */
static int64_t most_lanes(const knh_pass *ps)
{
    return ps->inner_total <= (int64_t)KNK_SUM_BLOCK << 16 ? 2 * ps->facts->width : ps->facts->width;
}

static char *stack_row(const knh_worker *w, const knh_pass *ps, const knh_reduction *r, int row)
{
    return w->part + r->stack_at + (size_t)row * (size_t)most_lanes(ps) * r->size;
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

/* The accumulators [first, first + n) of a ring. */
static void set_identity(const knh_worker *w, const knh_reduction *r, int64_t first, int64_t n)
{
    knk_joins_best()->splat(r->size, w->part + r->ring_at + first * r->size, &r->identity, (size_t)n);
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
            set_identity(w, r, 0, (int64_t)lanes);
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

/* Columns along one loop, an accumulator at a time: all rows that meet in it, one after the other. So few rows of
 * accumulators stay in the first cache, and lanes can be many. */
typedef struct residues {
    const knh_worker *w;
    const knh_pass *ps;
    int64_t n, lanes, at; /* rows of the block; the row at w->cursor */
    bool bare;            /* rows are what is joined, without any operation: there is no call for them */
} residues;

static char *slot_row(const residues *s, int slot)
{
    const knh_reduction *r = s->ps->facts->reduction;
    return s->w->part + r->ring_at + (size_t)slot * (size_t)s->lanes * r->size;
}

/* A bare accumulator begins with its first row: what the identity would make of it is done once, at the end. */
static const char *accumulate_bare(const residues *s, int64_t first, int slot)
{
    const knh_reduction *r = s->ps->facts->reduction;
    const char *x = (const char *)(intptr_t)s->w->cursor[0], *sum = x + first * s->ps->stride[s->ps->n_axis - 1];
    for (int64_t row = first + 64; row < s->n; row += 64) {
        r->combine(slot_row(s, slot), sum, x + row * s->ps->stride[s->ps->n_axis - 1], NULL, (size_t)s->lanes);
        sum = slot_row(s, slot);
    }
    return sum;
}

static const char *accumulate(residues *s, int64_t first, int slot)
{
    const knh_pass *ps = s->ps;
    if (s->bare)
        return accumulate_bare(s, first, slot);
    for (int i = 0; i < ps->facts->n_stream; i++)
        s->w->cursor[i] += (first - s->at) * ps->stride[i * ps->n_axis + ps->n_axis - 1];
    s->at = first;
    for (int i = 0; i < ps->facts->n_reduction; i++)
        set_identity(s->w, &ps->facts->reduction[i], slot * s->lanes, s->lanes);
    call(s->w, ps, (s->n - first + 63) / 64, s->lanes, slot, s->lanes);
    return slot_row(s, slot);
}

/* To `slot`: what is there, or at `left`, and in the slot behind it, or at `right`. */
static const char *join(const residues *s, int slot, const char *left, const char *right)
{
    const knh_stage_facts *f = s->ps->facts;
    f->reduction->combine(slot_row(s, slot), left, right, NULL, (size_t)s->lanes);
    for (int i = 1; i < f->n_reduction; i++) {
        const knh_reduction *r = &f->reduction[i];
        size_t row = (size_t)s->lanes * r->size;
        char *to = s->w->part + r->ring_at + (size_t)slot * row;
        r->combine(to, to, to + row, NULL, (size_t)s->lanes);
    }
    return slot_row(s, slot);
}

/* What the accumulators lane, lane + step, ... of the four groups give, of two groups (step 16) or of one (32): in a
 * slot or, bare, where it is; slots behind it are free. */
static const char *join_residues(residues *s, int64_t lane, int step, int slot)
{
    if (step == 64)
        return accumulate(s, lane, slot);
    int64_t right = lane + (step < 16 ? step : step == 16 ? 32 : 16);
    const char *value = join_residues(s, lane, 2 * step, slot);
    return right < s->n ? join(s, slot, value, join_residues(s, right, 2 * step, slot + 1)) : value;
}

static int64_t ring_bytes(const knh_pass *ps, int64_t lanes)
{
    int64_t row = 0;
    for (int i = 0; i < ps->facts->n_reduction; i++)
        row += ps->facts->reduction[i].size;
    return 64 * row * lanes;
}

/* Is that the way for n rows of a block? More lanes than a ring has room for have no other. */
static bool by_residues(const knh_pass *ps, int64_t n, int64_t lanes)
{
    enum { LONG = 512 };
    bool small = ring_bytes(ps, lanes) <= FIRST_CACHE;
    if (lanes > ps->facts->width || n < 1 || lanes < 64 || n > ps->extent[ps->n_axis - 1])
        return lanes > ps->facts->width;
    return rows_join(ps, lanes) ? !small && n < LONG : !small || n >= LONG;
}

static void run_residues(const knh_worker *w, const knh_pass *ps, int64_t n, int64_t lanes, int top)
{
    enum { FEW = 512 };
    bool bare = n <= FEW && ps->facts->bare && ps->stride[ps->lane] == ps->facts->reduction->size;
    residues s = {w, ps, n, lanes, 0, bare};
    set_steps(w, ps, ps->n_axis - 1, 64, lanes);
    for (int i = 0; i < ps->facts->n_reduction; i++)
        w->args->stream[ps->facts->reduction[i].stream].row_step = 0;
    const char *value = join_residues(&s, 0, 1, 0);
    for (int i = 0; i < ps->facts->n_reduction; i++) {
        const knh_reduction *r = &ps->facts->reduction[i];
        char *to = stack_row(w, ps, r, top);
        if (s.bare) { /* +0 of -0 */
            knk_joins_best()->splat(r->size, to, &r->identity, (size_t)lanes);
            r->combine(to, to, value, NULL, (size_t)lanes);
        } else {
            memcpy(to, w->part + r->ring_at, (size_t)lanes * r->size);
        }
    }
    set_steps(w, ps, ps->n_axis - 1, 1, lanes);
}

/* Rows that lie behind each other, from the first accumulator on: a part of the ring that stays in the first cache, for
 * all of them, then the next part. The number of rows that were joined. */
static int64_t run_rings(const knh_worker *w, const knh_pass *ps, int64_t n, int64_t lanes)
{
    int64_t rings = n / 64, part = 64, last = ps->n_axis - 1;
    if (rings < 2)
        return 0;
    for (; part > 1 && ring_bytes(ps, lanes) / 64 * part > FIRST_CACHE; part /= 2) {}
    set_steps(w, ps, ps->n_axis - 1, 64, lanes);
    for (int i = 0; i < ps->facts->n_reduction; i++)
        w->args->stream[ps->facts->reduction[i].stream].row_step = 0;
    for (int64_t phase = 0; phase < 64; phase += part) {
        call(w, ps, rings, part * lanes, phase, lanes);
        for (int i = 0; i < ps->facts->n_stream; i++)
            w->cursor[i] += part * ps->stride[i * ps->n_axis + last];
    }
    for (int i = 0; i < ps->facts->n_stream; i++)
        w->cursor[i] -= 64 * ps->stride[i * ps->n_axis + last];
    set_steps(w, ps, ps->n_axis - 1, 1, lanes);
    return 64 * rings;
}

/* One sum block, [first, end) elements, for the lanes at w->at: its value goes to row `top` of the stack. */
static void run_block(const knh_worker *w, const knh_pass *ps, int64_t first, int64_t end, int64_t lanes, int top)
{
    bool columns = ps->mode == KNH_COLUMNS, joined = columns && rows_join(ps, lanes);
    int64_t width = columns ? lanes : 1, used = end - first < 64 ? end - first : 64;
    cursor_at(w, ps, first);
    if (columns && cursor_left(w, ps) >= end - first && by_residues(ps, end - first, lanes)) {
        run_residues(w, ps, end - first, lanes, top);
        return;
    }
    for (int i = 0; i < ps->facts->n_reduction; i++)
        set_identity(w, &ps->facts->reduction[i], 0, (columns ? used : 64) * width);
    for (int64_t e = first; e < end;) {
        int64_t n = cursor_left(w, ps), phase = (e - first) & 63, done = 0;
        n = n < end - e ? n : end - e;
        if (joined && !phase)
            done = run_rings(w, ps, n, lanes);
        if (done) {
            n = done;
        } else if (columns) {
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

/* Lanes in pieces of the ring's width, or wider ones where rings are small. */
static void run_columns(const knh_worker *w, const knh_pass *ps, const knh_piece *piece)
{
    int64_t n = piece->n[ps->lane], most = ps->facts->width,
            rows = ps->inner_total < KNK_SUM_BLOCK ? ps->inner_total : KNK_SUM_BLOCK;
    if (ps->n_axis == w->p->n_par + 1 && n > most && by_residues(ps, rows, most))
        most = most_lanes(ps);
    int64_t parts = (n + most - 1) / most, width = ((n + parts - 1) / parts + 15) / 16 * 16;
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
