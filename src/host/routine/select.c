/* SPDX-License-Identifier: Apache-2.0
 * select.c -- partitions and the largest elements of lines, by the numbers at ranks. */
#include "host/routine/select.h"
#include "base/dim.h"
#include "host/routine/select_ranks.h"
#include "host/routine/sort_keys.h"
#include "host/routine/sort_lines.h"
#include "host/routine/sort_order.h"
#include <string.h>

/* --- partitions ------------------------------------------------------------------------------------ */

typedef struct partition {
    const knr_partition *p;
    const int64_t *ranks;
    char *y;
    bool few;
} partition;

static size_t room_of_ranks(int64_t m, int threads)
{
    size_t classes = 2 * (size_t)m + 1, parts = threads < KNR_CLASS_PARTS ? (size_t)threads : KNR_CLASS_PARTS;
    return (size_t)m * (2 * sizeof(int64_t) + sizeof(knr_found)) + classes * parts * sizeof(int64_t) +
           knr_sort_keys_workspace(KN_DT(I64), m, 1);
}

/* A result as a row; words, so that what is behind begins at one. */
static size_t room_of_result(const knr_partition *p, int64_t n)
{
    return p->whole && p->inner != 1 ? (size_t)n * sizeof(int64_t) : 0;
}

static size_t partition_bytes(const void *what, int64_t n, int64_t m, int threads)
{
    const partition *t = what;
    const knr_partition *p = t->p;
    return room_of_ranks(m, threads) + room_of_result(p, n) + knr_find_workspace(p->dtype, n, t->few, threads);
}

static bool are_few(int64_t ranks) { return ranks <= KNR_FEW_RANKS; }

/* Ranks of a line that there are, rising, each once. Returns how many. */
static int64_t read_ranks(const int64_t *ranks, int64_t m, int64_t step, int64_t n, int64_t *taken, int64_t *sorted,
                          void *sorting)
{
    int64_t different = 0;
    for (int64_t i = 0; i < m; i++) {
        int64_t r = ranks[i * step];
        taken[i] = r < 0 ? 0 : r < n ? r : n - 1;
    }
    knr_sort_keys(KN_DT(I64), taken, sorted, m, 1, sorting, 1);
    for (int64_t i = 0; i < m; i++)
        if (!i || sorted[i] != sorted[different - 1])
            sorted[different++] = sorted[i];
    return different;
}

static void write_at_ranks(const knr_partition *p, const char *x, const int64_t *taken, const int64_t *sorted,
                           int64_t different, const knr_found *found, char *y)
{
    int size = p->positions ? 8 : p->dtype->size;
    for (int64_t i = 0; i < p->ranks; i++) {
        int64_t k = 0, many = different;
        while (many > 1) { /* the last one up to the rank */
            int64_t half = many / 2;
            k = sorted[k + half] <= taken[i] ? k + half : k;
            many -= half;
        }
        char *to = y + i * p->inner * size;
        int64_t image = found[k].image, nth = taken[i] - found[k].below;
        if (p->positions)
            *(int64_t *)to = knr_position_of(p->dtype, x, p->length, image, nth);
        else
            knr_number_of(p->dtype, x, p->length, image, nth, to);
    }
}

static void partition_line(const void *what, const knr_some_lines *line)
{
    const partition *t = what;
    const char *x = line->x;
    char *workspace = line->workspace;
    int64_t outer = line->outer, inner = line->inner;
    int threads = line->threads;
    const knr_partition *p = t->p;
    int64_t n = p->length, m = p->ranks, *taken = (int64_t *)workspace, *sorted = taken + m;
    knr_found *found = (knr_found *)(sorted + m);
    int64_t *count = (int64_t *)(found + m);
    char *result = workspace + room_of_ranks(m, threads), *finding = result + room_of_result(p, n);
    void *sorting = result - knr_sort_keys_workspace(KN_DT(I64), m, 1);
    int64_t different = read_ranks(t->ranks + outer * m * p->inner + inner, m, p->inner, n, taken, sorted, sorting);
    knr_find_ranks(p->dtype, x, n, sorted, different, found, finding, threads);
    int size = p->positions ? 8 : p->dtype->size;
    if (!p->whole) {
        write_at_ranks(p, x, taken, sorted, different, found, t->y + (outer * m * p->inner + inner) * size);
        return;
    }
    int64_t images = 0;
    for (int64_t k = 0; k < different; k++)
        if (!images || found[k].image != sorted[images - 1])
            sorted[images++] = found[k].image;
    char *y = t->y + (outer * n * p->inner + inner) * size;
    char *row = p->inner == 1 ? y : result;
    knr_part_by(p->dtype, x, n, sorted, images, p->positions, row, count, threads);
    if (p->inner != 1)
        knr_rows_to_columns(size, row, y, n, 1, p->inner);
}

static knr_lines lines_of(const partition *t)
{
    const knr_partition *p = t->p;
    return (knr_lines){.outer = p->outer,
                       .length = p->length,
                       .inner = p->inner,
                       .size = p->dtype->size,
                       .threads = p->threads,
                       .run = partition_line,
                       .one_by_one = true,
                       .bytes = partition_bytes,
                       .what = t};
}

int64_t knr_partition_workspace(const knr_partition *p)
{
    if (knx_is_symbolic(p->ranks)) /* few ranks take less: the program asks again */
        return 0;
    const partition t = {.p = p, .few = are_few(p->ranks)};
    const knr_lines l = lines_of(&t);
    return knr_lines_workspace(&l, p->ranks);
}

void knr_partition_run(const knr_partition *p, const void *x, const int64_t *ranks, void *y, void *workspace)
{
    const partition t = {.p = p, .ranks = ranks, .y = y, .few = are_few(p->ranks)};
    const knr_lines l = lines_of(&t);
    knr_lines_run(&l, x, p->ranks, workspace);
}

/* --- the largest ----------------------------------------------------------------------------------- */

enum { FEW_LARGEST = 16 /* are kept in order while a line is read */, SHORT = 2048 /* lines are sorted */ };

typedef struct top {
    const knr_top *t;
    char *values;
    int32_t *positions;
} top;

/* A line is sorted, or k positions are; k may be unknown, and n then. */
static size_t top_bytes(const void *what, int64_t n, int64_t m, int threads)
{
    const knr_top *t = ((const top *)what)->t;
    (void)m;
    return knr_order_workspace(n, threads) + knr_find_workspace(t->dtype, n, true, threads);
}

static void top_line(const void *what, const knr_some_lines *line)
{
    const top *p = what;
    const knr_top *t = p->t;
    const char *x = line->x;
    char *workspace = line->workspace;
    int64_t n = t->length, k = t->k, to = line->outer * k * t->inner + line->inner;
    int size = t->dtype->size;
    uint64_t mask = ((uint64_t)1 << knr_position_bits(n)) - 1, few[FEW_LARGEST];
    const void *const keys_of[] = {x};
    const knr_keys keys = {.n = 1, .dtype = &t->dtype, .x = keys_of, .step = 1, .falls = true};
    const uint64_t *order = few;
    if (k <= FEW_LARGEST) {
        knr_first_few(&keys, n, few, k);
    } else if (n <= SHORT || k > n / 4) {
        order = knr_order(&keys, n, workspace, line->threads);
    } else {
        knr_found found;
        const int64_t rank = n - k;
        knr_find_ranks(t->dtype, x, n, &rank, 1, &found, workspace, line->threads);
        uint64_t *some = (uint64_t *)(workspace + knr_order_workspace(0, line->threads));
        knr_positions_from(t->dtype, x, n, found.image, k - knr_count_above(t->dtype, x, n, found.image), some);
        order = knr_order_some(&keys, n, k, some, workspace);
    }
    for (int64_t i = 0; i < k; i++) {
        int64_t at = (int64_t)(order[i] & mask);
        memcpy(p->values + (to + i * t->inner) * size, x + at * size, (size_t)size);
        p->positions[to + i * t->inner] = (int32_t)at;
    }
}

static knr_lines lines_of_top(const top *p)
{
    const knr_top *t = p->t;
    return (knr_lines){.outer = t->outer,
                       .length = t->length,
                       .inner = t->inner,
                       .size = t->dtype->size,
                       .threads = t->threads,
                       .run = top_line,
                       .one_by_one = true,
                       .bytes = top_bytes,
                       .what = p};
}

int64_t knr_top_workspace(const knr_top *t)
{
    const top p = {.t = t};
    const knr_lines l = lines_of_top(&p);
    return knr_lines_workspace(&l, 0);
}

void knr_top_run(const knr_top *t, const void *x, void *values, int32_t *positions, void *workspace)
{
    const top p = {t, values, positions};
    const knr_lines l = lines_of_top(&p);
    if (t->k)
        knr_lines_run(&l, x, 0, workspace);
}
