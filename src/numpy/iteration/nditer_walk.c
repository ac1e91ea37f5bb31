/* SPDX-License-Identifier: Apache-2.0
 * nditer_walk.c -- going along the loops of NumPy's iterator. */
#include "numpy/iteration/nditer.h"

/* Axes of which all operands go on where the one inside ends become one. */
void knn_nditer_coalesce(knn_nditer *it)
{
    int to = 0, n = it->nop + 1;
    it->flags &= ~(uint32_t)KNN_MULTI_INDEX;
    for (int a = 1; a < it->ndim; a++) {
        int64_t *s = knn_nditer_strides(it, to), *t = knn_nditer_strides(it, a);
        bool one = true;
        for (int i = 0; i < n && one; i++)
            one = (it->shape[to] == 1 && s[i] == 0) || (it->shape[a] == 1 && t[i] == 0) || s[i] * it->shape[to] == t[i];
        if (one) {
            it->shape[to] *= it->shape[a];
            for (int i = 0; i < n; i++)
                s[i] = s[i] ? s[i] : t[i];
        } else {
            it->shape[++to] = it->shape[a];
            for (int i = 0; i < n; i++)
                knn_nditer_strides(it, to)[i] = t[i];
        }
    }
    if (it->ndim && to + 1 < it->ndim) {
        it->ndim = to + 1;
        for (int a = 0; a < it->ndim; a++)
            it->perm[a] = a;
    }
}

static int loops(const knn_nditer *it) { return it->ndim ? it->ndim : 1; }

void knn_nditer_goto(knn_nditer *it, int64_t iterindex)
{
    it->iterindex = iterindex;
    for (int i = 0; i < it->nop; i++)
        it->op[i].now = it->op[i].first;
    for (int a = 0; a < loops(it); a++) {
        const int64_t *s = knn_nditer_strides(it, a);
        int64_t n = it->shape[a] ? it->shape[a] : 1, at = iterindex % n;
        iterindex /= n;
        it->at[a] = at;
        for (int i = 0; i < it->nop; i++)
            it->op[i].now += at * s[i];
    }
    if (it->flags & KNN_BUFFERED)
        it->coreoffset = it->iterindex % it->coresize;
}

void knn_nditer_show(knn_nditer *it)
{
    const int64_t *s = knn_nditer_strides(it, 0);
    bool outside = it->flags & KNN_EXTERNAL_LOOP;
    it->chunk = outside ? it->shape[0] : 1;
    for (int i = 0; i < it->nop; i++) {
        it->op[i].user = it->op[i].now;
        it->op[i].inner = outside ? s[i] : 0;
    }
}

/* The next elements of an iterator without buffers. */
static bool next_point(knn_nditer *it)
{
    int from = it->flags & KNN_EXTERNAL_LOOP ? 1 : 0;
    it->iterindex += from ? it->shape[0] : 1;
    if (it->iterindex >= it->end)
        return false;
    for (int a = from; a < it->ndim; a++) {
        const int64_t *s = knn_nditer_strides(it, a);
        int64_t back = ++it->at[a] < it->shape[a] ? 0 : it->shape[a]; /* the axis begins again */
        for (int i = 0; i < it->nop; i++)
            it->op[i].now += (1 - back) * s[i];
        if (!back)
            break;
        it->at[a] = 0;
    }
    knn_nditer_show(it);
    return true;
}

static bool next_buffered(knn_nditer *it)
{
    if (it->flags & KNN_EXTERNAL_LOOP) {
        it->iterindex += it->chunk;
    } else if (++it->iterindex < it->chunk_end) {
        for (int i = 0; i < it->nop; i++)
            it->op[i].user += it->op[i].inner;
        return true;
    }
    int64_t next = it->iterindex;
    knn_nditer_write_back(it);
    if (next >= it->end) {
        it->chunk = 0;
        return false;
    }
    knn_nditer_goto(it, next);
    knn_nditer_fill(it);
    return true;
}

bool knn_nditer_next(knn_nditer *it)
{
    if (it->finished || it->closed || it->delayed || it->itersize < 0)
        return false;
    it->finished = !(it->flags & KNN_BUFFERED ? next_buffered(it) : next_point(it));
    return !it->finished;
}

static bool restart(kna_op *op, knn_nditer *it)
{
    if (it->delayed) {
        if (!knn_nditer_allocate_buffers(op, it))
            return false;
        it->delayed = false;
    } else if (it->flags & KNN_BUFFERED) {
        knn_nditer_write_back(it);
    }
    it->finished = it->start >= it->end;
    knn_nditer_goto(it, it->start);
    if (!(it->flags & KNN_BUFFERED))
        knn_nditer_show(it);
    else
        knn_nditer_fill(it);
    return true;
}

bool knn_nditer_rebase(kna_op *op, knn_nditer *it, const knn_nditer *outside)
{
    for (; it; outside = it, it = it->child) {
        if ((it->flags & KNN_BUFFERED) && !it->delayed) {
            knn_nditer_write_back(it);
            it->chunk = 0;
        }
        for (int i = 0; i < it->nop; i++)
            it->op[i].first = outside->op[i].user + it->op[i].offset;
        if (!restart(op, it))
            return false;
    }
    return true;
}

bool knn_nditer_reset(kna_op *op, knn_nditer *it)
{
    for (int i = 0; i < it->nop; i++)
        if (!knn_operand_refresh(op, &it->op[i].o))
            return false;
    return restart(op, it) && (!it->child || it->finished || knn_nditer_rebase(op, it->child, it));
}

bool knn_nditer_close(kna_op *op, knn_nditer *it)
{
    if (it->closed)
        return true;
    if ((it->flags & KNN_BUFFERED) && !it->delayed)
        knn_nditer_write_back(it);
    it->closed = true;
    for (int i = 0; i < it->nop; i++) {
        knn_nditer_op *x = &it->op[i];
        if (!x->target.array)
            continue;
        if (op && !knn_operand_refresh(op, &x->target))
            return false;
        knn_copy_elements(&x->target, &x->o);
        knn_operand_close(&x->target);
    }
    return true;
}
