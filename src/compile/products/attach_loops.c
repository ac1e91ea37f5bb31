/* SPDX-License-Identifier: Apache-2.0
 * attach_loops.c -- the dimensions of a product and the loops of a kernel that walk the same array. The elements lie in
 * order, so each dimension is an interval of strides: [1, 4), [4, 24) ... Each loop is such an interval, too. Both are
 * cut where an interval of either kind ends. */
#include "compile/products/attach.h"
#include <string.h>

enum { WINDOWS = 4 };

static const knk_dims *group_of(const knk_product *q, int group)
{
    return group == 0 ? &q->batch : group == 1 ? &q->m : group == 2 ? &q->n : &q->k;
}

static const int64_t *strides_of(const knk_dims *d, knc_side side)
{
    return side == KNC_SIDE_A ? d->a : side == KNC_SIDE_B ? d->b : d->c;
}

typedef struct interval {
    int64_t extent, stride;
    int group, number; /* of a dimension; a loop has a number alone */
    bool back;
} interval;
typedef struct intervals {
    int n;
    interval at[KNC_MAX_PIECES];
} intervals;

/* Adds an interval. Extents of 1 are left out. False: it cannot be one of the intervals, or it is not known to be. */
static bool add(intervals *l, interval x)
{
    if (x.extent == 1)
        return true;
    if (l->n == KNC_MAX_PIECES || !knx_dim_known_le(1, x.stride) || !knx_dim_rely_le(1, x.extent))
        return false;
    l->at[l->n++] = x;
    return true;
}

/* Does each interval begin where another one ends, and one at 1? They are put into that order; *size: the end of the
 * last one. (Which of two strides is the smaller one need not be known: of `w` and `h*w` it is not.) */
static bool is_whole(intervals *l, int64_t *size)
{
    *size = 1;
    for (int i = 0; i < l->n; i++) {
        int next = i;
        while (next < l->n && !knx_dim_same(l->at[next].stride, *size))
            next++;
        if (next == l->n)
            return false;
        interval x = l->at[next];
        l->at[next] = l->at[i];
        l->at[i] = x;
        *size = knx_dim_mul(*size, x.extent);
    }
    return true;
}

/* Lists the dimensions that the array `side` has; a windowed one of m or k counts as its window. */
static bool list_dims(const knk_product *q, knc_side side, intervals *l)
{
    for (int g = 0; g < WINDOWS; g++) {
        const knk_dims *d = group_of(q, g);
        bool here = g == 0 || (g == 1 && side != KNC_SIDE_B) || (g == 2 && side != KNC_SIDE_A) ||
                    (g == 3 && side != KNC_SIDE_C);
        for (int i = 0; i < d->n && here; i++) {
            bool windowed = false;
            for (int w = 0; w < q->n_window && side == KNC_SIDE_A; w++)
                windowed |= (g == 1 && q->window[w].m == i) || (g == 3 && q->window[w].k == i);
            if (!windowed && !add(l, (interval){d->extent[i], strides_of(d, side)[i], g, i, false}))
                return false;
        }
    }
    for (int w = 0; w < q->n_window && side == KNC_SIDE_A; w++)
        if (!add(l, (interval){q->window[w].extent, q->window[w].stride, WINDOWS, w, false}))
            return false;
    return true;
}

static bool is_back(int64_t stride) { return knx_dim_known_le(stride, -1); }

static bool list_loops(int n, const int64_t *extent, const int64_t *stride, intervals *l)
{
    for (int i = 0; i < n; i++) {
        bool back = is_back(stride[i]);
        if (!add(l, (interval){extent[i], back ? knx_dim_mul(stride[i], -1) : stride[i], 0, i, back}))
            return false;
    }
    return true;
}

static bool cut(const intervals *dims, const intervals *loops, knc_fit *out)
{
    int64_t dim = 0, loop = 0, times = 1, turns = 1; /* extents left of the two; times and turns of the next part */
    for (int i = 0, k = 0; i < dims->n || k < loops->n;) {
        if (i == dims->n || k == loops->n || out->n == KNC_MAX_PIECES)
            return false;
        dim = times == 1 ? dims->at[i].extent : dim;
        loop = turns == 1 ? loops->at[k].extent : loop;
        int64_t extent = knc_divides(loop, dim) ? loop : dim;
        if (!knc_divides(extent, loop))
            return false;
        out->piece[out->n++] = (knc_piece){.group = (uint8_t)dims->at[i].group,
                                           .dim = dims->at[i].number,
                                           .loop = loops->at[k].number,
                                           .extent = extent,
                                           .times = times,
                                           .turns = loops->at[k].back ? knx_dim_mul(turns, -1) : turns};
        dim = knx_dim_floordiv(dim, extent);
        loop = knx_dim_floordiv(loop, extent);
        times = dim == 1 ? 1 : knx_dim_mul(times, extent);
        turns = loop == 1 ? 1 : knx_dim_mul(turns, extent);
        i += dim == 1;
        k += loop == 1;
    }
    return true;
}

bool knc_fit_loops(const knk_product *q, knc_side side, int n_loop, const int64_t *extent, const int64_t *stride,
                   knc_fit *out)
{
    intervals dims = {0}, loops = {0};
    int64_t size, looped;
    out->n = 0;
    out->back = 0;
    if (!list_dims(q, side, &dims) || !list_loops(n_loop, extent, stride, &loops) || !is_whole(&dims, &size) ||
        !is_whole(&loops, &looped) || !knx_dim_same(size, looped))
        return false;
    for (int i = 0; i < n_loop; i++)
        out->back |= (uint64_t)(is_back(stride[i]) && extent[i] != 1) << i;
    return cut(&dims, &loops, out);
}

/* Splits dimension i of a group into its parts; in the array `side` they get the strides of the loops. Returns the
 * number of parts, 0: the group would have too many dimensions. */
static int split(knk_dims *d, int group, int i, knc_side side, const knc_fit *fit, const int64_t *stride)
{
    const knc_piece *piece[KNC_MAX_PIECES];
    int n = 0;
    for (int k = fit->n - 1; k >= 0; k--) /* the outermost first */
        if (fit->piece[k].group == group && fit->piece[k].dim == i)
            piece[n++] = &fit->piece[k];
    if (!n)
        return 1;
    if (d->n + n - 1 > KN_MAX_NDIM)
        return 0;
    int64_t *all[] = {d->a, d->b, d->c}, old[3];
    for (int x = 0; x < 3; x++) {
        old[x] = all[x][i];
        memmove(all[x] + i + n, all[x] + i + 1, (size_t)(d->n - i - 1) * sizeof **all);
    }
    memmove(d->extent + i + n, d->extent + i + 1, (size_t)(d->n - i - 1) * sizeof *d->extent);
    d->n += n - 1;
    for (int k = 0; k < n; k++) {
        d->extent[i + k] = piece[k]->extent;
        for (int x = 0; x < 3; x++)
            all[x][i + k] = x == (int)side ? knx_dim_mul(stride[piece[k]->loop], piece[k]->turns)
                                           : knx_dim_mul(old[x], piece[k]->times);
    }
    return n;
}

/* Dimension i of the group is n dimensions now: windows of the dimensions after it get their new numbers. False: the
 * dimension that was split has a window. */
static bool renumber(knk_product *q, int group, int i, int n)
{
    for (int w = 0; w < q->n_window && n > 1; w++) {
        int *number = group == 1 ? &q->window[w].m : group == 3 ? &q->window[w].k : NULL;
        if (number && *number == i)
            return false;
        if (number && *number > i)
            *number += n - 1;
    }
    return true;
}

bool knc_restride(knk_product *q_, knc_side side, const knc_fit *fit, const int64_t *extent, const int64_t *stride,
                  int64_t offset)
{
    knk_product q = *q_;
    knk_dims *group[] = {&q.batch, &q.m, &q.n, &q.k};
    for (int g = 0; g < WINDOWS; g++)
        for (int i = group[g]->n - 1; i >= 0; i--) { /* from the last one, so that numbers in `fit` stay right */
            int n = split(group[g], g, i, side, fit, stride);
            if (!n || !renumber(&q, g, i, n))
                return false;
        }
    bool seen[KNK_MAX_WINDOWS] = {false};
    for (int k = 0; k < fit->n; k++)
        if (fit->piece[k].group == WINDOWS) {
            if (seen[fit->piece[k].dim])
                return false;
            seen[fit->piece[k].dim] = true;
            q.window[fit->piece[k].dim].stride = knx_dim_mul(stride[fit->piece[k].loop], fit->piece[k].turns);
        }
    for (int l = 0; fit->back >> l; l++)
        if (fit->back >> l & 1)
            offset = knx_dim_add(offset, knx_dim_mul(extent[l] - 1, stride[l]));
    *(side == KNC_SIDE_A ? &q.a_offset : side == KNC_SIDE_B ? &q.b_offset : &q.c_offset) = offset;
    *q_ = q;
    return true;
}
