/* SPDX-License-Identifier: Apache-2.0
 * count.c -- numbers are counted in tables of each thread's own, of 32 bits, which are added up. Where bins are few a
 * thread has several, so that equal numbers one after the other do not wait for each other. */
#include "host/routine/count.h"
#include "base/memory.h"
#include "base/pool.h"
#include <string.h>

enum {
    FEW = 4096,     /* bins, at most, of several tables */
    TABLES = 4,     /* of a thread then */
    SHARE = 1 << 16 /* numbers, at least, of a part */
};
static const int64_t AT_A_TIME = INT32_MAX; /* numbers, which a table can count */

typedef struct counting {
    const int64_t *x;
    int64_t n, n_bin, step; /* numbers of a part */
    uint32_t *table;
    int tables;
} counting;

static void count_part(void *arg, int64_t part, int worker)
{
    const counting *c = arg;
    int64_t i = part * c->step, end = i + c->step < c->n ? i + c->step : c->n;
    const int64_t *x = c->x;
    uint64_t n_bin = (uint64_t)c->n_bin;
    uint32_t *table[TABLES];
    (void)worker; /* parts are as many as threads */
    for (int t = 0; t < TABLES; t++)
        table[t] = c->table + (part * c->tables + t % c->tables) * c->n_bin;
#define ONE(t)                        \
    if ((uint64_t)x[i + (t)] < n_bin) \
    table[t][x[i + (t)]]++
    for (; i + TABLES <= end; i += TABLES) {
        ONE(0);
        ONE(1);
        ONE(2);
        ONE(3);
    }
    for (; i < end; i++)
        ONE(0);
}

bool knr_count(const int64_t *x, int64_t n, int64_t n_bin, int64_t *count, int threads)
{
    counting c = {.n_bin = n_bin, .tables = n_bin <= FEW ? TABLES : 1};
    int64_t parts = n / (n_bin > SHARE ? n_bin : SHARE), most = parts < threads ? parts : threads;
    memset(count, 0, (size_t)n_bin * sizeof *count);
    if (n / TABLES < n_bin) { /* tables would take longer */
        for (int64_t i = 0; i < n; i++)
            if ((uint64_t)x[i] < (uint64_t)n_bin)
                count[x[i]]++;
        return true;
    }
    parts = most > 1 ? most : 1;
    int64_t room = parts * c.tables * n_bin;
    c.table = knx_alloc_zero((size_t)(room + 1) * sizeof *c.table);
    for (int64_t done = 0; c.table && done < n; done += c.n) {
        c.x = x + done;
        c.n = n - done < AT_A_TIME ? n - done : AT_A_TIME;
        c.step = (c.n + parts - 1) / parts;
        if (done)
            memset(c.table, 0, (size_t)room * sizeof *c.table);
        knx_parallel((int)parts, parts, count_part, &c);
        for (int64_t i = 0; i < room; i += n_bin)
            for (int64_t b = 0; b < n_bin; b++)
                count[b] += c.table[i + b];
    }
    bool good = c.table != NULL;
    knx_free(c.table);
    return good;
}
