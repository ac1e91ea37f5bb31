/* SPDX-License-Identifier: Apache-2.0
 * sort.c -- stable sorting. One array of real numbers is sorted by itself (sort_keys.h); otherwise positions are sorted
 * by the keys (sort_order.h) and rearrange the arrays, so that equal keys keep their bits. Threads take lines; where
 * there are few, parts of them. */
#include "host/routine/sort.h"
#include "base/dim.h"
#include "base/pool.h"
#include "host/routine/sort_columns.h"
#include "host/routine/sort_keys.h"
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

static void line_by_order(const knr_sort *s, const void *const *x, void *const *y, int64_t first, void *workspace,
                          int threads)
{
    int64_t n = s->length, parts = n / MOVED < threads ? n / MOVED : threads;
    knr_keys keys = {.n = s->n_key, .dtype = s->dtype, .x = x, .first = first, .step = s->inner};
    moving m = {.n = n, .step = s->inner, .parts = parts < 1 ? 1 : (int)parts};
    m.order = knr_order(&keys, n, workspace, threads);
    m.mask = ((uint64_t)1 << knr_position_bits(n)) - 1;
    for (int i = 0; i < (s->positions ? 1 : s->n); i++) {
        int size = s->positions ? (int)sizeof(int64_t) : s->dtype[i]->size;
        m.size = s->positions ? 0 : size;
        m.x = s->positions ? NULL : (const char *)x[i] + first * size, m.y = (char *)y[i] + first * size;
        knx_parallel(threads, m.parts, move_part, &m);
    }
}

/* Lines first .. first + lines of block `o`, which lie side by side. */
static void lines_of_keys(const knr_sort *s, const char *x, char *y, int64_t lines, char *workspace, int threads)
{
    kn_dtype d = s->dtype[0];
    int64_t n = s->length;
    if (s->inner == 1) {
        knr_sort_keys(d, x, y, n, workspace, threads);
        return;
    }
    char *in = workspace + knr_sort_keys_workspace(d, n, threads);
    char *out = in + KNR_SIDE_BY_SIDE * n * d->size;
    knr_columns_to_rows(d->size, x, in, n, lines, s->inner);
    for (int64_t l = 0; l < lines; l++)
        knr_sort_keys(d, in + l * n * d->size, out + l * n * d->size, n, workspace, threads);
    knr_rows_to_columns(d->size, out, y, n, lines, s->inner);
}

/* The memory that threads need for one line together: some, and as much more for each element, a multiple of 8. */
static size_t workspace_of_line(const knr_sort *s, int threads)
{
    size_t n = (size_t)s->length;
    if (!is_alone(s))
        return knr_order_workspace(s->length, threads);
    return knr_sort_keys_workspace(s->dtype[0], s->length, threads) +
           (s->inner == 1 ? 0 : 2 * KNR_SIDE_BY_SIDE * n * s->dtype[0]->size);
}

int64_t knr_sort_workspace(const knr_sort *s)
{
    knr_sort none = *s, one = *s;
    none.length = 0, one.length = 1;
    int64_t some = (int64_t)workspace_of_line(&none, 1), each = (int64_t)workspace_of_line(&one, 1) - some;
    int64_t own = knx_dim_add(some, knx_dim_mul(each, knx_dim_min(s->length, KNR_SORT_SHARE)));
    int64_t shared = knx_dim_add((int64_t)workspace_of_line(&none, s->threads), knx_dim_mul(each, s->length));
    return knx_dim_max(knx_dim_mul(own, s->threads), shared);
}

typedef struct job {
    const knr_sort *s;
    const void *const *x;
    void *const *y;
    char *workspace;
    size_t each;    /* of each worker */
    int64_t blocks; /* of lines in each of `outer` */
    int threads;    /* that share a line */
} job;

static void run_block(void *arg, int64_t part, int worker)
{
    const job *j = arg;
    const knr_sort *s = j->s;
    int64_t o = part / j->blocks, from = part % j->blocks * KNR_SIDE_BY_SIDE;
    int64_t lines = s->inner - from < KNR_SIDE_BY_SIDE ? s->inner - from : KNR_SIDE_BY_SIDE;
    int64_t first = o * s->length * s->inner + from;
    char *workspace = j->workspace + (size_t)worker * j->each;
    if (is_alone(s)) {
        int size = s->dtype[0]->size;
        lines_of_keys(s, (const char *)j->x[0] + first * size, (char *)j->y[0] + first * size, lines, workspace,
                      j->threads);
        return;
    }
    for (int64_t l = 0; l < lines; l++)
        line_by_order(s, j->x, j->y, first + l, workspace, j->threads);
}

void knr_sort_run(const knr_sort *s, const void *const *x, void *const *y, void *workspace)
{
    if (!s->length || !s->outer || !s->inner)
        return;
    job j = {.s = s, .x = x, .y = y, .workspace = workspace, .threads = 1};
    j.blocks = (s->inner + KNR_SIDE_BY_SIDE - 1) / KNR_SIDE_BY_SIDE;
    int64_t parts = s->outer * j.blocks;
    if (s->length <= KNR_SORT_SHARE) {
        j.each = workspace_of_line(s, 1);
        knx_parallel(s->threads, parts, run_block, &j);
        return;
    }
    j.threads = s->threads;
    for (int64_t part = 0; part < parts; part++)
        run_block(&j, part, 0);
}
