/* SPDX-License-Identifier: Apache-2.0
 * sort_lines.c -- lines of arrays, shared among threads. */
#include "host/routine/sort_lines.h"
#include "base/dim.h"
#include "base/pool.h"
#include "host/tile.h"

enum { AT_ONCE = 1 << 12 /* elements of short rows that a thread takes */ };

static bool are_turned(const knr_lines *l) { return l->inner != 1 && !l->as_they_lie; }

/* Of columns as rows: bytes for each element of a line. */
static int64_t turned_bytes(const knr_lines *l) { return are_turned(l) ? (int64_t)KNR_SIDE_BY_SIDE * l->size : 0; }

int64_t knr_lines_workspace(const knr_lines *l, int64_t m)
{
    int64_t one = (int64_t)l->bytes(l->what, 0, 0, 1), all = (int64_t)l->bytes(l->what, 0, 0, l->threads);
    int64_t each = (int64_t)l->bytes(l->what, 1, 0, 1) - one + turned_bytes(l);
    int64_t of_one = (int64_t)l->bytes(l->what, 0, 1, 1) - one;
    int64_t of_all = (int64_t)l->bytes(l->what, 0, 1, l->threads) - all;
    int64_t own = knx_dim_add(one + 64, knx_dim_mul(each, knx_dim_min(l->length, KNR_SORT_SHARE)));
    int64_t shared = knx_dim_add(all + 64, knx_dim_mul(each, l->length));
    own = knx_dim_mul(knx_dim_add(own, knx_dim_mul(of_one, m)), l->threads);
    return knx_dim_max(own, knx_dim_add(shared, knx_dim_mul(of_all, m)));
}

typedef struct job {
    const knr_lines *l;
    const char *x;
    char *workspace;
    int64_t at_once, blocks; /* lines of a block; blocks of each outer position, or, of rows, of all of them */
    int64_t bytes, each;     /* of one worker, without and with columns as rows */
    int threads;
} job;

static void run_block(void *arg, int64_t part, int worker)
{
    const job *j = arg;
    const knr_lines *l = j->l;
    char *own = j->workspace + worker * j->each;
    knr_some_lines s = {.workspace = own, .threads = j->threads};
    int64_t from = part % j->blocks * j->at_once, all = l->inner == 1 ? l->outer : l->inner;
    s.many = all - from < j->at_once ? all - from : j->at_once;
    s.outer = l->inner == 1 ? from : part / j->blocks;
    s.inner = l->inner == 1 ? 0 : from;
    if (!l->as_they_lie)
        s.x = j->x + (s.outer * l->length * l->inner + s.inner) * l->size;
    if (are_turned(l)) {
        knh_transpose()(l->size, own + j->bytes, l->length * l->size, s.x, l->inner * l->size, l->length, s.many,
                        false);
        s.x = own + j->bytes;
    }
    if (!l->one_by_one) {
        l->run(l->what, &s);
        return;
    }
    const char *x = s.x;
    for (int64_t n = s.many; n > 0; n--, x += l->length * l->size) {
        s.x = x, s.many = 1;
        l->run(l->what, &s);
        s.outer += l->inner == 1;
        s.inner += l->inner != 1;
    }
}

void knr_lines_run(const knr_lines *l, const void *x, int64_t m, void *workspace)
{
    if (!l->length || !l->outer || !l->inner)
        return;
    job j = {.l = l, .x = x, .workspace = workspace, .threads = 1};
    bool is_short = l->length <= KNR_SORT_SHARE;
    j.at_once = l->inner != 1 ? KNR_SIDE_BY_SIDE : l->length < AT_ONCE ? AT_ONCE / l->length : 1;
    j.blocks = ((l->inner == 1 ? l->outer : l->inner) + j.at_once - 1) / j.at_once;
    j.bytes = (int64_t)l->bytes(l->what, l->length, m, is_short ? 1 : l->threads);
    int64_t parts = l->inner == 1 ? j.blocks : l->outer * j.blocks;
    j.each = (j.bytes + turned_bytes(l) * l->length + 63) / 64 * 64;
    if (is_short) {
        knx_parallel(l->threads, parts, run_block, &j);
        return;
    }
    j.threads = l->threads;
    for (int64_t part = 0; part < parts; part++)
        run_block(&j, part, 0);
}

void knr_rows_to_columns(int size, const void *rows, void *y, int64_t length, int64_t many, int64_t inner)
{
    knh_transpose()(size, y, inner * size, rows, length * size, many, length, false);
}
