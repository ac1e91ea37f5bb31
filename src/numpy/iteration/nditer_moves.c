/* SPDX-License-Identifier: Apache-2.0
 * nditer_moves.c -- NumPy's iterator is moved, reset, copied, and given fewer axes. */
#include "numpy/iteration/nditer.h"
#include <string.h>

bool kn_nditer_iternext(kn_nditer handle)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_iternext", handle);
    if (it && it->delayed)
        kna_fail(&op, KN_ERROR_VALUE,
                 "Iterator construction used delayed buffer allocation, and no reset has been done yet");
    if (it && it->itersize < 0)
        kna_fail(&op, KN_ERROR_VALUE, "iterator is too large");
    bool more = it && !kna_failed(&op) && knn_nditer_next(it);
    if (more && it->child)
        knn_nditer_rebase(&op, it->child, it);
    return kna_end_plain(&op) && more;
}

int kn_nditer_reset(kn_nditer handle)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_reset", handle);
    if (it)
        knn_nditer_reset(&op, it);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_nditer_close(kn_nditer handle)
{
    kna_op op;
    kna_begin(&op, "nditer_close");
    knn_nditer *it = kna_handle_in(&op, KN_H_NDITER, handle);
    if (it)
        knn_nditer_close(&op, it);
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- Another place. */

/* To this place, which is in its range. */
static void go_to(kna_op *op, knn_nditer *it, int64_t iterindex)
{
    int64_t first = it->chunk_end - it->chunk;
    bool buffered = (it->flags & KNN_BUFFERED) && !it->delayed;
    it->finished = false;
    if (buffered && !it->reduce && iterindex >= first && iterindex < it->chunk_end) {
        for (int i = 0; i < it->nop; i++)
            it->op[i].user += (iterindex - it->iterindex) * it->op[i].inner;
        it->iterindex = iterindex;
    } else if (buffered) {
        knn_nditer_write_back(it);
        knn_nditer_goto(it, iterindex);
        knn_nditer_fill(it);
    } else {
        knn_nditer_goto(it, iterindex);
        if (!(it->flags & KNN_BUFFERED))
            knn_nditer_show(it);
    }
    if (it->child)
        knn_nditer_rebase(op, it->child, it);
}

int kn_nditer_set_iterindex(kn_nditer handle, int64_t iterindex)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_set_iterindex", handle);
    if (it && (it->flags & KNN_EXTERNAL_LOOP))
        kna_fail(&op, KN_ERROR_VALUE, "Cannot call GotoIterIndex on an iterator which has the flag EXTERNAL_LOOP");
    else if (it && it->itersize < 0)
        kna_fail(&op, KN_ERROR_VALUE, "iterator is too large");
    else if (it && (iterindex < it->start || iterindex >= it->end))
        kna_fail(&op, KN_ERROR_INDEX, "Iterator GotoIterIndex called with an iterindex outside the iteration range.");
    if (!kna_failed(&op))
        go_to(&op, it, iterindex);
    return kna_end_plain(&op) ? 0 : -1;
}

/* GotoIndex and GotoMultiIndex are not for all iterators. */
static void check_movable(kna_op *op, const knn_nditer *it, const char *what)
{
    if (it && (it->flags & KNN_BUFFERED))
        kna_fail(op, KN_ERROR_VALUE, "Cannot call %s on an iterator which is buffered", what);
    else if (it && (it->flags & KNN_EXTERNAL_LOOP))
        kna_fail(op, KN_ERROR_VALUE, "Cannot call %s on an iterator which has the flag EXTERNAL_LOOP", what);
}

int kn_nditer_set_index(kn_nditer handle, int64_t index)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_set_index", handle);
    int64_t at = 0, factor = 1;
    if (it && !(it->flags & (KNN_C_INDEX | KNN_F_INDEX)))
        kna_fail(&op, KN_ERROR_VALUE, "Iterator does not have an index");
    check_movable(&op, kna_failed(&op) ? NULL : it, "GotoIndex");
    if (!kna_failed(&op) && (index < 0 || index >= it->itersize))
        kna_fail(&op, KN_ERROR_INDEX, "Iterator GotoIndex called with an out-of-bounds index");
    for (int a = 0; !kna_failed(&op) && a < it->ndim; a++) {
        int64_t s = knn_nditer_strides(it, a)[it->nop], n = it->shape[a];
        int64_t along = s ? index / (s < 0 ? -s : s) % n : 0;
        at += factor * (s < 0 ? n - 1 - along : along);
        factor *= n;
    }
    if (!kna_failed(&op) && (at < it->start || at >= it->end))
        kna_fail(&op, KN_ERROR_INDEX,
                 "Iterator GotoIndex called with an index outside the restricted iteration range.");
    if (!kna_failed(&op))
        go_to(&op, it, at);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_nditer_set_multi_index(kn_nditer handle, const kn_shape *index)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_set_multi_index", handle);
    int64_t at = 0, factor = 1;
    if (it && !(it->flags & KNN_MULTI_INDEX))
        kna_fail(&op, KN_ERROR_VALUE, "Iterator is not tracking a multi-index");
    else if (it && !index)
        kna_fail(&op, KN_ERROR_TYPE, "null index");
    else if (it && index->ndim != it->ndim)
        kna_fail(&op, KN_ERROR_VALUE, "Wrong number of indices");
    check_movable(&op, kna_failed(&op) ? NULL : it, "GotoMultiIndex");
    for (int a = 0; !kna_failed(&op) && a < it->ndim; a++) {
        bool backwards;
        int d = knn_nditer_axis(it, a, it->ndim, &backwards);
        int64_t i = backwards ? it->shape[a] - 1 - index->dim[d] : index->dim[d];
        if (index->dim[d] < 0 || index->dim[d] >= it->shape[a])
            kna_fail(&op, KN_ERROR_INDEX, "Iterator GotoMultiIndex called with an out-of-bounds multi-index");
        else if (it->itersize < 0)
            kna_fail(&op, KN_ERROR_VALUE, "iterator is too large");
        else
            at += factor * i;
        factor = it->itersize < 0 ? 0 : factor * it->shape[a];
    }
    if (!kna_failed(&op) && (at < it->start || at >= it->end))
        kna_fail(&op, KN_ERROR_INDEX,
                 "Iterator GotoMultiIndex called with a multi-index outside the restricted iteration range");
    if (!kna_failed(&op))
        go_to(&op, it, at);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_nditer_set_iterrange(kn_nditer handle, int64_t start, int64_t end)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_set_iterrange", handle);
    if (it && !(it->flags & KNN_RANGED))
        kna_fail(&op, KN_ERROR_VALUE,
                 "Cannot call ResetToIterIndexRange on an iterator without requesting ranged iteration support in the "
                 "constructor");
    else if (it && it->itersize < 0)
        kna_fail(&op, KN_ERROR_VALUE, "iterator is too large");
    else if (it && (start < 0 || end > it->itersize))
        kna_fail(&op, KN_ERROR_VALUE, "Out-of-bounds range [%lld, %lld) passed to ResetToIterIndexRange",
                 (long long)start, (long long)end);
    else if (it && end < start)
        kna_fail(&op, KN_ERROR_VALUE, "Invalid range [%lld, %lld) passed to ResetToIterIndexRange", (long long)start,
                 (long long)end);
    if (!kna_failed(&op)) {
        it->start = start;
        it->end = end;
        knn_nditer_reset(&op, it);
    }
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- Other loops. */

/* What the user sees of axis a is its position 0 from now on. */
static void remove_axis(knn_nditer *it, int axis)
{
    int gone = 0;
    while (it->perm[gone] != axis && it->perm[gone] != -1 - axis)
        gone++;
    for (int i = 0; i < it->nop && it->perm[gone] < 0; i++) { /* back to its first position */
        int64_t way = (it->shape[gone] - 1) * knn_nditer_strides(it, gone)[i];
        it->op[i].offset += way;
        it->op[i].first += way;
    }
    for (int a = 0; a < it->ndim - 1; a++) {
        int from = a < gone ? a : a + 1, p = it->perm[from];
        it->perm[a] = p >= 0 ? p - (p > axis) : p + (p < -1 - axis);
        it->shape[a] = it->shape[from];
        memmove(knn_nditer_strides(it, a), knn_nditer_strides(it, from), (size_t)(it->nop + 1) * sizeof(int64_t));
    }
    it->ndim--;
    it->itersize = 1;
    for (int a = 0; a < it->ndim && it->itersize >= 0; a++)
        if (__builtin_mul_overflow(it->itersize, it->shape[a], &it->itersize))
            it->itersize = -1;
    it->end = it->itersize;
    if (!it->ndim) {
        it->shape[0] = 1;
        memset(it->stride, 0, (size_t)(it->nop + 1) * sizeof *it->stride);
    }
}

int kn_nditer_remove_axis(kn_nditer handle, int axis)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_remove_axis", handle);
    if (it && !(it->flags & KNN_MULTI_INDEX))
        kna_fail(&op, KN_ERROR_RUNTIME, "Iterator RemoveAxis may only be called if a multi-index is being tracked");
    else if (it && (it->flags & (KNN_C_INDEX | KNN_F_INDEX)))
        kna_fail(&op, KN_ERROR_RUNTIME, "Iterator RemoveAxis may not be called on an index is being tracked");
    else if (it && (it->flags & KNN_BUFFERED))
        kna_fail(&op, KN_ERROR_RUNTIME, "Iterator RemoveAxis may not be called on a buffered iterator");
    else if (it && (axis < 0 || axis >= it->ndim))
        kna_fail(&op, KN_ERROR_VALUE, "axis out of bounds in iterator RemoveAxis");
    if (!kna_failed(&op)) {
        remove_axis(it, it->ndim - 1 - axis);
        knn_nditer_reset(&op, it);
    }
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_nditer_remove_multi_index(kn_nditer handle)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_remove_multi_index", handle);
    if (it && (it->flags & KNN_MULTI_INDEX) && it->itersize < 0)
        kna_fail(&op, KN_ERROR_VALUE, "iterator is too large");
    if (!kna_failed(&op) && knn_nditer_reset(&op, it) && (it->flags & KNN_MULTI_INDEX)) {
        knn_nditer_coalesce(it);
        if (!(it->flags & KNN_BUFFERED))
            knn_nditer_reset(&op, it);
    }
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_nditer_enable_external_loop(kn_nditer handle)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_enable_external_loop", handle);
    if (it && (it->flags & (KNN_C_INDEX | KNN_F_INDEX | KNN_MULTI_INDEX)))
        kna_fail(&op, KN_ERROR_VALUE,
                 "Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being tracked");
    else if (it && (it->flags & KNN_RANGED) && !(it->flags & KNN_BUFFERED))
        kna_fail(&op, KN_ERROR_VALUE,
                 "Iterator flag EXTERNAL_LOOP cannot be used with ranged iteration unless buffering is also enabled");
    if (!kna_failed(&op)) {
        it->flags |= KNN_EXTERNAL_LOOP;
        knn_nditer_reset(&op, it);
    }
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- Copies. */

static knn_nditer *copied(kna_op *op, const knn_nditer *from)
{
    knn_nditer *it = knx_alloc(sizeof *it);
    size_t strides = (size_t)(from->ndim + 1) * (size_t)(from->nop + 1) * sizeof *from->stride;
    if (it) {
        *it = *from;
        it->refs = 1;
        it->child = NULL;
        it->op = knx_alloc((size_t)from->nop * sizeof *it->op);
        it->stride = knx_alloc(strides);
    }
    if (!it || !it->op || !it->stride) {
        kna_fail_with(op, knx_error_nomem());
        if (it) {
            knx_free(it->op);
            knx_free(it->stride);
        }
        knx_free(it);
        return NULL;
    }
    memcpy(it->stride, from->stride, strides);
    memcpy(it->op, from->op, (size_t)from->nop * sizeof *it->op);
    for (int i = 0; i < it->nop; i++) {
        knn_operand_keep(&it->op[i].o);
        it->op[i].target = (knn_operand){0}; /* the first one writes back */
        it->op[i].buffer = NULL;
    }
    if ((it->flags & KNN_BUFFERED) && !it->delayed && knn_nditer_allocate_buffers(op, it) && it->chunk > 0) {
        knn_nditer_goto(it, it->iterindex);
        knn_nditer_fill(it);
    }
    return it;
}

kn_nditer kn_nditer_copy(kn_nditer handle)
{
    kna_op op;
    knn_nditer *from = knn_nditer_in(&op, "nditer_copy", handle);
    knn_nditer *it = from ? copied(&op, from) : NULL;
    if (kna_end_plain(&op))
        return knn_nditer_handle(it);
    if (it)
        knn_nditer_abandon(it);
    return NULL;
}
