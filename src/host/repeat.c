/* SPDX-License-Identifier: Apache-2.0
 * repeat.c -- short rows that lie one behind the other, beside operands that are the same for all of them (a scale per
 * channel, a bias): many rows become one long row. What is the same for all rows is written side by side into the
 * scratch, as often as there are rows in such a long one. */
#include "host/drive.h"
#include <string.h>

enum { PATTERN = KNH_TILE_BYTES / 8, EVEN = 16 }; /* elements of a pattern; rows in it are a multiple of EVEN */

static int64_t stride_of(const knh_pass *ps, int stream, int axis) { return ps->stride[stream * ps->n_axis + axis]; }

/* Has the stream one row of elements, for all rows? */
static bool is_same(const knh_pass *ps, int i, int lane, int row)
{
    const knh_stream *s = &ps->facts->stream[i];
    return !s->written && stride_of(ps, i, row) == 0 && (stride_of(ps, i, lane) == 0 || ps->facts->turnable[i]);
}

static bool is_repeated(const knh_pass *ps, int i, int lane, int row)
{
    return is_same(ps, i, lane, row) && stride_of(ps, i, lane) != 0;
}

static bool is_long(const knh_pass *ps, int i, int lane, int row)
{
    int64_t size = knk_size(ps->facts->stream[i].dtype);
    return stride_of(ps, i, lane) == size && stride_of(ps, i, row) == size * ps->extent[lane];
}

bool knh_can_repeat(const knh_pass *ps, int lane, int row)
{
    const knh_stage_facts *f = ps->facts;
    int n = 0;
    if (f->n_loop || f->n_reduction || ps->extent[lane] < 2 || ps->extent[lane] > PATTERN / EVEN)
        return false;
    for (int i = 0; i < f->n_stream; i++) {
        if (f->stream[i].kind != KNH_MEMORY || f->stream[i].indexed)
            return false;
        if (!is_same(ps, i, lane, row) && !is_long(ps, i, lane, row))
            return false;
        n += is_repeated(ps, i, lane, row);
    }
    return n && n <= KNH_MOST_TURNED;
}

int64_t knh_repeats(const knh_pass *ps, int lane) { return PATTERN / ps->extent[lane] / EVEN * EVEN; }

double knh_repeated_cost(const knh_pass *ps, int lane, int row)
{
    double n = (double)ps->extent[lane], rows = (double)ps->extent[row], each = (double)knh_repeats(ps, lane), cost = 0;
    each = each < rows ? each : rows;
    for (int i = 0; i < ps->facts->n_stream; i++) {
        double bytes = knk_size(ps->facts->stream[i].dtype);
        cost += stride_of(ps, i, lane) ? 0.02 * bytes : 0.01;
        if (is_repeated(ps, i, lane, row))
            cost += (20 + 0.02 * bytes * n * each) / (n * rows);
    }
    return cost;
}

void knh_mark_repeated(knh_pass *ps, uint8_t *turned)
{
    ps->repeats = knh_repeats(ps, ps->lane);
    for (int i = 0; i < ps->facts->n_stream; i++)
        turned[i] = is_repeated(ps, i, ps->lane, ps->row) ? KNH_REPEATED : KNH_PLAIN;
}

/* n elements, `each` times. */
static void write_pattern(char *to, const char *from, int64_t step, int64_t size, int64_t n, int64_t each)
{
    for (int64_t l = 0; l < n; l++)
        memcpy(to + l * size, from + l * step, (size_t)size);
    int64_t done = n * size, all = done * each;
    for (; done < all; done *= 2)
        memcpy(to + done, to, (size_t)(done < all - done ? done : all - done));
}

void knh_run_repeated(const knh_worker *w, const knh_pass *ps, knh_function *f, int64_t rows, int64_t n)
{
    int64_t each = n != ps->extent[ps->lane] ? 1 : ps->repeats < rows ? ps->repeats : rows;
    char *tile = w->part + w->p->facts->tiles_at;
    for (int pass = 0; pass < 2; pass++) { /* whole patterns, then a part of one */
        int64_t done = pass ? rows / each * each : 0, left = pass ? rows - done : each;
        char *t = tile;
        if (!left)
            return;
        for (int i = 0; i < ps->facts->n_stream; i++) {
            int64_t lane_step = stride_of(ps, i, ps->lane), row_step = stride_of(ps, i, ps->row);
            int64_t size = knk_size(ps->facts->stream[i].dtype);
            w->args->stream[i] = (knh_words){w->at[i] + done * row_step, each * row_step, lane_step};
            if (ps->turned[i] != KNH_REPEATED)
                continue;
            if (!pass)
                write_pattern(t, (const char *)(intptr_t)w->at[i], lane_step, size, n, each);
            w->args->stream[i] = (knh_words){(int64_t)(intptr_t)t, 0, size};
            t += KNH_TILE_BYTES;
        }
        w->args->rows = pass ? 1 : rows / each;
        w->args->n = n * left;
        f(w->args);
    }
}
