/* SPDX-License-Identifier: Apache-2.0
 * count.c -- numbers are counted in tables of each thread's own, of 32 bits, which are added up. Where bins are few a
 * thread has several, so that equal numbers one after the other do not wait for each other. Numbers of a histogram's
 * bins are made some at a time, in the first cache. */
#include "host/routine/count.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/sort_search.h"
#include <math.h>
#include <string.h>

enum {
    FEW = 4096,     /* bins, at most, of several tables */
    TABLES = 4,     /* of a thread then */
    SHARE = 1 << 16 /* numbers, at least, of a part */
};
static const int64_t AT_A_TIME = INT32_MAX; /* numbers, which a table can count */

typedef struct counting {
    const knr_counting *c;
    int64_t begin, end, step; /* numbers; step: those of a part */
    uint32_t *table;
    int tables;
} counting;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Numbers i .. i + n - 1. */
static const int64_t *numbers(const knr_counting *c, int64_t i, int64_t n, int64_t *room)
{
    if (c->x)
        return c->x + i;
    c->number(c->of, i, n, room);
    return room;
}

static void count_part(void *arg, int64_t part, int worker)
{
    const counting *t = arg;
    const knr_counting *c = t->c;
    int64_t first = t->begin + part * t->step, end = least(first + t->step, t->end), room[KNR_COUNT_STRIP];
    uint64_t n_bin = (uint64_t)c->n_bin;
    uint32_t *table[TABLES];
    (void)worker; /* parts are as many as threads */
    for (int k = 0; k < TABLES; k++)
        table[k] = t->table + (part * t->tables + k % t->tables) * c->n_bin;
    for (; first < end; first += KNR_COUNT_STRIP) {
        int64_t n = least(end - first, KNR_COUNT_STRIP), i = 0;
        const int64_t *x = numbers(c, first, n, room);
#define ONE(t)                        \
    if ((uint64_t)x[i + (t)] < n_bin) \
    table[t][x[i + (t)]]++
        for (; i + TABLES <= n; i += TABLES) {
            ONE(0);
            ONE(1);
            ONE(2);
            ONE(3);
        }
        for (; i < n; i++)
            ONE(0);
    }
}

static int64_t parts_of(const knr_counting *c)
{
    int64_t parts = least(c->n / (c->n_bin > SHARE ? c->n_bin : SHARE), c->threads);
    return parts > 1 ? parts : 1;
}

static int64_t room_of(const knr_counting *c)
{
    return c->n / TABLES < c->n_bin ? 0 : parts_of(c) * (c->n_bin <= FEW ? TABLES : 1) * c->n_bin;
}

int64_t knr_count_workspace(const knr_counting *c) { return room_of(c) * (int64_t)sizeof(uint32_t); }

void knr_count(const knr_counting *c, int64_t *count, void *workspace)
{
    counting t = {.c = c, .tables = c->n_bin <= FEW ? TABLES : 1, .table = workspace};
    int64_t parts = parts_of(c), room = room_of(c);
    memset(count, 0, (size_t)c->n_bin * sizeof *count);
    if (!room) { /* tables would take longer */
        int64_t strip[KNR_COUNT_STRIP];
        for (int64_t first = 0; first < c->n; first += KNR_COUNT_STRIP) {
            int64_t n = least(c->n - first, KNR_COUNT_STRIP);
            const int64_t *x = numbers(c, first, n, strip);
            for (int64_t i = 0; i < n; i++)
                if ((uint64_t)x[i] < (uint64_t)c->n_bin)
                    count[x[i]]++;
        }
        return;
    }
    for (; t.begin < c->n; t.begin = t.end) {
        t.end = t.begin + least(c->n - t.begin, AT_A_TIME);
        t.step = (t.end - t.begin + parts - 1) / parts;
        memset(t.table, 0, (size_t)room * sizeof *t.table);
        knx_parallel((int)parts, parts, count_part, &t);
        for (int64_t i = 0; i < room; i += c->n_bin)
            for (int64_t b = 0; b < c->n_bin; b++)
                count[b] += t.table[i + b];
    }
}

/* --- histograms ------------------------------------------------------------------------------------ */

typedef struct bins {
    const knr_histogram *h;
    const char *x, *edges;
    knr_equal_bins equal;
} bins;

/* Bins that are about equally wide: the number as the composition by_width of numpy/statistics has it. */
#define EQUAL(T)                                                                                             \
    static T place_##T(const knr_equal_bins *e, T v) { return (v - (T)e->low) / (T)e->width * (T)e->n_bin; } \
    static int64_t number_##T(const knr_equal_bins *e, const T *edge, T v)                                   \
    {                                                                                                        \
        const int64_t last = e->n_bin - 1;                                                                   \
        T place = place_##T(e, v);                                                                           \
        if (!(v >= edge[0] && v <= edge[last + 1]))                                                          \
            return -1;                                                                                       \
        int64_t at = place >= (T)e->n_bin ? last : place >= 1 ? (int64_t)place : 0;                          \
        at -= v < edge[at];                                                                                  \
        return at + (at != last && v >= edge[at + 1]);                                                       \
    }                                                                                                        \
    static void mend_##T(const knr_equal_bins *e, const T *edge, const T *x, int64_t n, int64_t *number)     \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                                      \
            if (number[i] == e->n_bin)                                                                       \
                number[i] = number_##T(e, edge, x[i]);                                                       \
    }                                                                                                        \
    /* How far the places of edges are from their numbers. Places rise as numbers do: one that is     \
     * farther than this from all whole numbers is between the edges that it seems to be between. */      \
    static double doubt_##T(const knr_equal_bins *e, const T *edge)                                          \
    {                                                                                                        \
        double doubt = 0;                                                                                    \
        for (int64_t k = 0; k <= e->n_bin; k++) {                                                            \
            double off = fabs((double)(place_##T(e, edge[k]) - (T)k));                                       \
            doubt = off <= doubt ? doubt : off; /* NaN stays */                                              \
        }                                                                                                    \
        return doubt;                                                                                        \
    }
EQUAL(float)
EQUAL(double)

static void equal_numbers(const void *of, int64_t first, int64_t n, int64_t *number)
{
    const bins *b = of;
    const knr_equal_bins *e = &b->equal;
    const knr_count_loops *loops = &KNR_BY_ISA(knr_count_loops);
    if (b->h->dtype->size == 4) {
        const float *x = (const float *)b->x + first;
        if (loops->equal_f32(e, x, n, number))
            mend_float(e, (const float *)b->edges, x, n, number);
    } else {
        const double *x = (const double *)b->x + first;
        if (loops->equal_f64(e, x, n, number))
            mend_double(e, (const double *)b->edges, x, n, number);
    }
}

/* The last edge belongs to the last bin. */
static void searched_numbers(const void *of, int64_t first, int64_t n, int64_t *number)
{
    const bins *b = of;
    const knr_histogram *h = b->h;
    const knr_search s = {
        .dtype = h->dtype, .outer = 1, .length = h->n_bin + 1, .many = n, .right = true, .threads = 1};
    const char *x = b->x + first * h->dtype->size;
    knr_search_run(&s, b->edges, x, number);
    if (h->dtype->size == 4) {
        const float last = ((const float *)b->edges)[h->n_bin], *v = (const float *)x;
        for (int64_t i = 0; i < n; i++)
            number[i] = v[i] == last ? h->n_bin - 1 : number[i] - 1;
    } else {
        const double last = ((const double *)b->edges)[h->n_bin], *v = (const double *)x;
        for (int64_t i = 0; i < n; i++)
            number[i] = v[i] == last ? h->n_bin - 1 : number[i] - 1;
    }
}

static knr_counting counting_of(const knr_histogram *h, const bins *b)
{
    return (knr_counting){.n = h->n,
                          .n_bin = h->n_bin,
                          .number = h->equal ? equal_numbers : searched_numbers,
                          .of = b,
                          .threads = h->threads};
}

int64_t knr_histogram_workspace(const knr_histogram *h)
{
    knr_counting c = counting_of(h, NULL);
    return knr_count_workspace(&c);
}

void knr_histogram_run(const knr_histogram *h, const void *x, const void *edges, int64_t *count, void *workspace)
{
    bins b = {.h = h, .x = x, .edges = edges, .equal = {.n_bin = h->n_bin}};
    knr_equal_bins *e = &b.equal;
    if (h->dtype->size == 4) {
        const float *edge = edges;
        e->low = edge[0], e->high = edge[h->n_bin], e->width = edge[h->n_bin] - edge[0];
    } else {
        const double *edge = edges;
        e->low = edge[0], e->high = edge[h->n_bin], e->width = edge[h->n_bin] - edge[0];
    }
    /* In doubt about all where so many bins are not worth a look, or rounding is too coarse for them. */
    e->doubt = 1;
    if (h->equal && h->n_bin <= KNR_MOST_EQUAL_BINS && h->n_bin <= h->n && isfinite(e->width) && e->width > 0)
        e->doubt = 2 * (h->dtype->size == 4 ? doubt_float(e, edges) : doubt_double(e, edges)) + 1e-6;
    const knr_counting c = counting_of(h, &b);
    knr_count(&c, count, workspace);
}
