/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- stable sorting. One array of real numbers is sorted by itself (sort_keys.h); otherwise positions are sorted
 * by the keys (sort_order.h) and rearrange the arrays, so that equal keys keep their bits. */
#include "host/routine/sort.h"
#include "base/pool.h"
#include "host/routine/sort_keys.h"
#include "host/routine/sort_lines.h"
#include "host/routine/sort_order.h"
#include <string.h>

enum { MOVED = 1 << 15 /* elements for each thread, at least */ };

/* --- lines ------------------------------------------------------------------------------------ */

static bool is_alone(const knr_sort *s) { return s->n == 1 && !s->positions && !knx_is_complex(s->dtype[0]); }

/* y[i] = x[position i], `step` elements apart */
typedef struct moving {
    const uint64_t *order;
    uint64_t mask;
    int64_t n, step;
    int size, parts; /* of an element; 0: y gets the positions themselves */
    const char *x;
    char *y;
} moving;

static void move_part(void *arg, int64_t part, int worker)
{
    const moving *m = arg;
    const uint64_t *order = m->order, mask = m->mask;
    const char *x = m->x;
    char *y = m->y;
    int64_t from = m->n * part / m->parts, to = m->n * (part + 1) / m->parts, step = m->step;
    (void)worker;
#define MOVE(bytes)                                                                             \
    for (int64_t i = from; i < to; i++)                                                         \
        memcpy(y + i * step * (bytes), x + (int64_t)(order[i] & mask) * step * (bytes), bytes); \
    break
    switch (m->size) { /* constant sizes: each becomes one move */
    case 0:
        for (int64_t i = from; i < to; i++)
            ((int64_t *)y)[i * step] = (int64_t)(order[i] & mask);
        break;
    case 1: MOVE(1);
    case 2: MOVE(2);
    case 4: MOVE(4);
    case 8: MOVE(8);
    default: MOVE((size_t)m->size);
    }
#undef MOVE
}

typedef struct task {
    const knr_sort *s;
    const void *const *x;
    void *const *y;
} task;

static void line_by_order(const task *t, int64_t first, void *workspace, int threads)
{
    const knr_sort *s = t->s;
    int64_t n = s->length, parts = n / MOVED < threads ? n / MOVED : threads;
    knr_keys keys = {.n = s->n_key, .dtype = s->dtype, .x = t->x, .first = first, .step = s->inner};
    moving m = {.n = n, .step = s->inner, .parts = parts < 1 ? 1 : (int)parts};
    m.order = knr_order(&keys, n, workspace, threads);
    m.mask = ((uint64_t)1 << knr_position_bits(n)) - 1;
    for (int i = 0; i < (s->positions ? 1 : s->n); i++) {
        int size = s->positions ? (int)sizeof(int64_t) : s->dtype[i]->size;
        m.size = s->positions ? 0 : size;
        m.x = s->positions ? NULL : (const char *)t->x[i] + first * size, m.y = (char *)t->y[i] + first * size;
        knx_parallel(threads, m.parts, move_part, &m);
    }
}

static size_t order_bytes(const void *what, int64_t n, int64_t m, int threads)
{
    (void)what, (void)m;
    return knr_order_workspace(n, threads);
}

static void sort_by_order(const void *what, const knr_some_lines *lines)
{
    const task *t = what;
    for (int64_t l = 0; l < lines->many; l++) {
        int64_t first = t->s->inner == 1 ? (lines->outer + l) * t->s->length
                                         : lines->outer * t->s->length * t->s->inner + lines->inner + l;
        line_by_order(t, first, lines->workspace, lines->threads);
    }
}

/* A multiple of 8, then columns as rows again. */
static size_t alone_bytes(const void *what, int64_t n, int64_t m, int threads)
{
    const knr_sort *s = ((const task *)what)->s;
    (void)m;
    return knr_sort_keys_workspace(s->dtype[0], n, threads) +
           (s->inner == 1 ? 0 : (size_t)KNR_SIDE_BY_SIDE * (size_t)n * s->dtype[0]->size);
}

static void sort_alone(const void *what, const knr_some_lines *lines)
{
    const task *t = what;
    const knr_sort *s = t->s;
    kn_dtype d = s->dtype[0];
    int64_t n = s->length;
    char *y = (char *)t->y[0] + (lines->outer * n * s->inner + lines->inner) * d->size;
    char *rows = s->inner == 1 ? y : (char *)lines->workspace + knr_sort_keys_workspace(d, n, lines->threads);
    knr_sort_keys(d, lines->x, rows, n, lines->many, lines->workspace, lines->threads);
    if (s->inner != 1)
        knr_rows_to_columns(d->size, rows, y, n, lines->many, s->inner);
}

static knr_lines lines_of(const task *t)
{
    const knr_sort *s = t->s;
    bool alone = is_alone(s);
    return (knr_lines){.outer = s->outer,
                       .length = s->length,
                       .inner = s->inner,
                       .size = s->dtype[0]->size,
                       .threads = s->threads,
                       .run = alone ? sort_alone : sort_by_order,
                       .bytes = alone ? alone_bytes : order_bytes,
                       .what = t,
                       .as_they_lie = !alone};
}

int64_t knr_sort_workspace(const knr_sort *s)
{
    const task t = {.s = s};
    const knr_lines l = lines_of(&t);
    return knr_lines_workspace(&l, 0);
}

void knr_sort_run(const knr_sort *s, const void *const *x, void *const *y, void *workspace)
{
    const task t = {s, x, y};
    const knr_lines l = lines_of(&t);
    knr_lines_run(&l, x[0], 0, workspace);
}
