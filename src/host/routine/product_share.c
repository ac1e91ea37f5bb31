/* SPDX-License-Identifier: Apache-2.0
 * product_share.c -- how a product is shared out. A part packs the rows of left and the columns of right that it reads:
 * rows that are cut pack right more often, columns left; so the shape of parts is chosen by what they take together. */
#include "host/routine/product_share.h"

enum {
    PACKED_BYTES = 3,  /* in a nanosecond: windows, and what is turned */
    PACKING_BYTES = 24 /* by the first function that reads a panel */
};

/* Bytes of one packing of all of left for so many columns, of a part with 1/parts of its rows. Lines of a strip that
 * lies across share it: each part makes the whole of it. */
static double left_bytes(const knr_plan *p, double share, int64_t columns)
{
    const knr_strip *s = &p->strip;
    double k = (double)p->left.k.total, pieces = (double)knr_divide_up(columns, p->cut.n_piece);
    if (p->left_in_place)
        return 0;
    if (s->used && !s->right && s->across)
        return (double)s->line * k * p->left_step * pieces;
    return (double)p->left.row.total * share * k * p->left_step * pieces;
}

static double right_bytes(const knr_plan *p, int64_t columns)
{
    return p->right_in_place ? 0 : (double)p->left.k.total * (double)columns * p->right_step;
}

/* The largest part's share of the rows, its columns. */
static double rows_of(const knr_plan *p, int64_t rows)
{
    return (double)knr_divide_up(p->cut.tiles, rows) / (double)p->cut.tiles;
}

static int64_t columns_of(const knr_plan *p, int64_t columns)
{
    int64_t panels = knr_divide_up(p->right.row.total, p->cut.panel);
    return knr_least(knr_divide_up(panels, columns) * p->cut.panel, p->right.row.total);
}

double knr_packed_bytes(const knr_plan *p, int64_t rows, int64_t columns)
{
    int64_t each = columns_of(p, columns);
    return (double)(rows * columns) * (left_bytes(p, rows_of(p, rows), each) + right_bytes(p, each));
}

/* Nanoseconds of all batches, about. */
static double time_of(const knr_plan *p, int64_t rows, int64_t columns, int threads)
{
    int64_t each = columns_of(p, columns), turns = knr_divide_up(p->batches * rows * columns, threads);
    double share = rows_of(p, rows), part = share * (double)each / (double)p->right.row.total;
    double left = left_bytes(p, share, each), right = right_bytes(p, each);
    double packing = left / PACKED_BYTES + right / (p->right_from == KNH_B_PACKING ? PACKING_BYTES : PACKED_BYTES);
    return (double)turns * (p->cost / (double)p->batches * part + packing);
}

/* About `parts` parts of a batch: of its columns alone, or of columns and rows. */
static void cut_batch(const knr_plan *p, int64_t parts, knr_share *s)
{
    int64_t panels = knr_divide_up(p->right.row.total, p->cut.panel);
    double least = 0;
    for (int64_t c = knr_least(parts, panels); c > 0; c /= 2) {
        int64_t r = knr_least(p->cut.tiles, knr_divide_up(parts, c));
        double time = time_of(p, r, c, s->threads);
        if (least == 0 || time < least * .98) {
            least = time;
            s->rows = r;
            s->columns = c;
        }
    }
}

/* Fewer parts, if what is packed more than once takes more than more parts help. */
static void cut_batches(const knr_plan *p, int64_t most, knr_share *s)
{
    double least = 0;
    for (int64_t parts = most; parts >= s->threads; parts /= 2) {
        knr_share x = *s;
        cut_batch(p, knr_divide_up(parts, p->batches), &x);
        double time = time_of(p, x.rows, x.columns, s->threads);
        if (least > 0 && time >= least * .97)
            continue;
        least = time;
        *s = x;
    }
    s->parts = p->batches * s->rows * s->columns;
}

knr_share knr_share_out(const knr_plan *p, int threads)
{
    double worth = p->cost / KNR_PART_NANOSECONDS;
    int64_t want = worth < threads ? (int64_t)worth : threads;
    knr_share s = {
        .rows = 1, .columns = 1, .batches_of_a_part = p->batches, .threads = want < 1 ? 1 : (int)want, .parts = 1};
    if (want < 2 || (p->dot && p->batches == 1)) /* a dot is shared inside */
        return s;
    int64_t most = worth > 32 * want ? 4 * want : worth > 8 * want ? 2 * want : want;
    if (p->stream) /* right comes from memory by rows: long runs of them */
        most = want;
    if (p->by_lanes) {
        s.parts = s.rows = knr_least(most, p->left.is_a ? p->left.row.total : p->right.row.total);
    } else if (p->batches >= want) {
        s.batches_of_a_part = knr_divide_up(p->batches, knr_least(p->batches, most));
        s.parts = knr_divide_up(p->batches, s.batches_of_a_part);
    } else {
        s.batches_of_a_part = 1;
        cut_batches(p, most, &s);
    }
    return s;
}
