/* SPDX-License-Identifier: Apache-2.0
 * weave.c -- streams that lie woven in memory: parts of complex numbers, channels of pixels, coordinates. Streams of
 * one buffer that go by one near step, each an element or a few behind the first, are a group. Some thousand bytes of
 * each at a time are brought to the scratch, a row for each stream, or from there to memory (tile.h); so the stage
 * function has adjacent lanes, and what it writes goes to memory in whole lines. */
#include "host/drive.h"
#include <string.h>

enum {
    ROW_BYTES = 4096,          /* of a stream, at a time */
    ROW_STEP = ROW_BYTES + 64, /* rows in different lines of the first cache */
    MOST_STREAMS = 8,          /* that are woven; there are at most twice as many rows */
    LEAST_LANES = 1024
};

static const knh_stream *stream_of(const knh_pass *ps, int i) { return &ps->facts->stream[i]; }
static int64_t lane_step(const knh_pass *ps, int i) { return ps->stride[i * ps->n_axis + ps->lane]; }

static int64_t row_step(const knh_pass *ps, int i) { return ps->row < 0 ? 0 : ps->stride[i * ps->n_axis + ps->row]; }

static bool can_weave(const knh_pass *ps, int i)
{
    const knh_stream *s = stream_of(ps, i);
    int64_t size = knk_size(s->dtype), step = lane_step(ps, i);
    return s->kind == KNH_MEMORY && ps->facts->turnable[i] && step > size && step <= KNH_MOST_WOVEN * size &&
           step % size == 0;
}

/* May two streams be of one group, if they lie near each other? */
static bool are_alike(const knh_pass *ps, int i, int j)
{
    const knh_stream *a = stream_of(ps, i), *b = stream_of(ps, j);
    return a->buffer == b->buffer && knk_size(a->dtype) == knk_size(b->dtype) && a->read == b->read &&
           a->written == b->written &&
           !memcmp(&ps->stride[i * ps->n_axis], &ps->stride[j * ps->n_axis], (size_t)ps->n_axis * sizeof *ps->stride);
}

/* Streams that are read or written together. */
typedef struct group {
    int64_t first, size, step; /* address of its first element; bytes */
    int n, columns;            /* streams; elements from the first one's to the last one's */
    bool whole;                /* one for each element */
} group;

/* The group that stream i is in, and *members, a bit for each stream of `among`. */
static group group_of(const knh_pass *ps, const int64_t *at, int i, uint64_t among, uint64_t *members)
{
    group g = {.first = at[i], .size = knk_size(stream_of(ps, i)->dtype), .step = lane_step(ps, i)};
    unsigned columns = 0;
    for (int j = i; j < ps->facts->n_stream; j++) /* the first element is one of the period before stream i's */
        if (among >> j & 1 && are_alike(ps, i, j) && at[j] < g.first && at[j] > at[i] - g.step)
            g.first = at[j];
    *members = 0;
    for (int j = i; j < ps->facts->n_stream; j++) {
        int64_t far = at[j] - g.first;
        if (!(among >> j & 1) || !are_alike(ps, i, j) || far < 0 || far >= g.step || far % g.size)
            continue;
        *members |= (uint64_t)1 << j;
        columns |= 1u << far / g.size;
        g.n++;
    }
    while (columns >> g.columns)
        g.columns++;
    g.whole = columns + 1 == 1u << g.step / g.size && g.n == g.columns;
    return g;
}

/* Is what the pass writes better kept out of the caches? */
static bool is_large(const knh_pass *ps)
{
    double bytes = ps->facts->point_bytes;
    for (int a = 0; a < ps->n_axis; a++)
        bytes *= (double)ps->extent[a];
    return ps->generator->flush && bytes >= (double)knh_tune.bypass_bytes;
}

/* Is the group worth it? Machine code with near steps reads larger elements as fast as memory gives them. */
static bool is_worth_it(const knh_pass *ps, const group *g, const knh_stream *s)
{
    bool fine = g->columns <= 2 * g->n && (!s->written || g->whole);
    bool near = g->size >= 4 && ps->generator->near_steps;
    return fine && (knh_tune.weave == 1 || !near || (s->written && !s->read && is_large(ps)));
}

bool knh_mark_woven(const knh_pass *ps, uint8_t *turned)
{
    const knh_stage_facts *f = ps->facts;
    uint64_t among = 0, members;
    int n = 0;
    if (!knh_tune.weave || ps->lane < 0 || f->n_stream > 64 || f->copies_pairs ||
        (knh_tune.weave != 1 && ps->extent[ps->lane] < LEAST_LANES))
        return false;
    for (int i = 0; i < f->n_stream; i++)
        among |= (uint64_t)can_weave(ps, i) << i;
    for (int i = 0; i < f->n_stream; i++) {
        if (!(among >> i & 1))
            continue;
        group g = group_of(ps, ps->offset, i, among, &members);
        among &= ~members;
        if (!is_worth_it(ps, &g, stream_of(ps, i)) || n + g.n > MOST_STREAMS)
            continue;
        n += g.n;
        for (int j = i; j < f->n_stream; j++)
            if (members >> j & 1)
                turned[j] = KNH_WOVEN;
    }
    return n > 0;
}

typedef struct woven {
    group group[MOST_STREAMS];
    char *row[MOST_STREAMS]; /* of the group, the first one */
    int stream[MOST_STREAMS], n;
    int64_t lanes; /* at a time */
} woven;

/* The groups as the addresses are now: a launch may have moved its maps since it was planned. Where the rows of streams
 * are goes to at[]. */
static woven find_groups(const knh_worker *w, const knh_pass *ps, int64_t *at)
{
    woven x = {.lanes = ROW_BYTES};
    char *row = (char *)(((uintptr_t)(w->part + w->p->facts->tiles_at) + 63) & ~(uintptr_t)63);
    uint64_t among = 0, members;
    for (int i = 0; i < ps->facts->n_stream; i++)
        among |= (uint64_t)(ps->turned[i] == KNH_WOVEN) << i;
    for (int i = 0; i < ps->facts->n_stream; i++) {
        const knh_stream *s = stream_of(ps, i);
        if (!(among >> i & 1))
            continue;
        group g = group_of(ps, w->at, i, among, &members);
        if (g.columns > 2 * g.n || (s->written && !g.whole)) { /* it was another one: alone */
            g = (group){w->at[i], g.size, g.step, 1, 1, false};
            members = (uint64_t)1 << i;
        }
        among &= ~members;
        for (int j = i; j < ps->facts->n_stream; j++)
            if (members >> j & 1)
                at[j] = (int64_t)(intptr_t)row + (w->at[j] - g.first) / g.size * ROW_STEP;
        x.group[x.n] = g;
        x.stream[x.n] = i;
        x.row[x.n++] = row;
        row += g.columns * ROW_STEP;
        x.lanes = ROW_BYTES / g.size < x.lanes ? ROW_BYTES / g.size : x.lanes;
    }
    return x;
}

/* Lanes l .. l + m - 1 of row r: brings what is read to the scratch, or what is written from there. */
static void move_groups(const knh_pass *ps, const woven *x, int64_t r, int64_t l, int64_t m, bool out, bool bypass)
{
    knh_turn_loop *turn = knh_transpose();
    for (int i = 0; i < x->n; i++) {
        const group *g = &x->group[i];
        const knh_stream *s = stream_of(ps, x->stream[i]);
        void *at = (void *)(intptr_t)(g->first + l * g->step + r * row_step(ps, x->stream[i]));
        if (!out && s->read)
            turn((int)g->size, x->row[i], ROW_STEP, at, g->step, m, g->columns, false);
        if (out && s->written)
            turn((int)g->size, at, g->step, x->row[i], ROW_STEP, g->columns, m, bypass);
    }
}

void knh_run_woven(const knh_worker *w, const knh_pass *ps, knh_function *f, int64_t rows, int64_t n)
{
    const bool bypass = w->bypass >> (ps - w->p->pass) & 1;
    int64_t row_at[64];
    const woven x = find_groups(w, ps, row_at);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t l = 0, m; l < n; l += m) {
            m = n - l < x.lanes ? n - l : x.lanes;
            move_groups(ps, &x, r, l, m, false, bypass);
            for (int i = 0; i < ps->facts->n_stream; i++)
                w->args->stream[i].at =
                    ps->turned[i] ? row_at[i] : w->at[i] + l * lane_step(ps, i) + r * row_step(ps, i);
            w->args->rows = 1;
            w->args->n = m;
            f(w->args);
            move_groups(ps, &x, r, l, m, true, bypass);
        }
}
