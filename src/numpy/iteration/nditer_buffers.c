/* SPDX-License-Identifier: Apache-2.0
 * nditer_buffers.c -- chunks of NumPy's iterator: how long they are, which operands are seen through a buffer, and the
 * copies there and back.
 *
 * A chunk consists of cores, one behind the other along one axis (`outer`); a core is all of the axes inside of it.
 * Along a chunk each operand has one stride, or goes through a buffer. An operand that is written to and repeated
 * cannot: it may be repeated inside of a core, or from core to core. Then a chunk is one core, and its elements are
 * copied once a core. Which axis is best is NumPy's estimate: how many operands are copied, times how many chunks there
 * are. */
#include "numpy/iteration/nditer.h"

/* What is known of an operand while axes are joined. */
typedef struct joining {
    int single, reduce_at; /* so many inner axes have one stride; where it changes between being repeated or not */
} joining;

/* Joins axis a. True: the operand is repeated on one side of it alone, and written to. */
static bool join_axis(const knn_nditer *it, int a, joining *j, int *cost)
{
    bool reduced = false;
    const int64_t *inside = knn_nditer_strides(it, a - 1), *s = knn_nditer_strides(it, a);
    for (int i = 0; i < it->nop; i++) {
        if (j[i].single == a) {
            if (inside[i] * it->shape[a - 1] == s[i]) {
                j[i].single++;
                continue;
            }
            *cost += !it->op[i].cast;
        }
        if (it->op[i].reduce && (s[i] == 0 || inside[i] == 0)) {
            j[i].reduce_at = a;
            reduced = true;
        }
    }
    return reduced;
}

/* Is an operand that is not written to copied even where it is repeated? */
static bool wants_all(const knn_nditer_op *x) { return (x->flags & KNN_CONTIG) && !x->write; }

/* Operand i, whose chunks consist of cores along axis `best`: by_core if a core is a chunk. */
static bool plan_operand(knn_nditer *it, int i, const joining *j, int best, bool by_core)
{
    knn_nditer_op *x = &it->op[i];
    int64_t outside = knn_nditer_strides(it, best)[i], inside = knn_nditer_strides(it, 0)[i];
    bool alone = by_core && (j->reduce_at == best || (j->single == best && !x->cast) ||
                             (outside == 0 && j->single <= best && !wants_all(x)));
    x->single_stride = j->single + alone > best;
    x->buffered = x->cast || !x->single_stride;
    if (!x->buffered)
        x->inner = inside;
    else if (alone)
        x->inner = outside == 0 ? x->dtype->size : 0;
    else
        x->inner = x->single_stride && inside == 0 && !wants_all(x) ? 0 : x->dtype->size;
    return x->buffered;
}

void knn_nditer_plan_buffers(knn_nditer *it, int64_t buffersize)
{
    enum { USUAL = 8192 };
    int64_t most = buffersize <= 0 ? USUAL : buffersize, size = it->shape[0], best_size = size;
    joining j[KN_MAX_OPERANDS];
    int cost = 1, best = 0, reduced_at = 0;
    bool grows = it->flags & KNN_GROWINNER, buffers = false;
    it->coresize = 1;
    for (int i = 0; i < it->nop; i++) {
        j[i] = (joining){1, 0};
        cost += it->op[i].cast;
    }
    int best_cost = cost;
    for (int a = 1; a < it->ndim && !reduced_at && (size < most || (cost == 1 && grows)); a++) {
        reduced_at = join_axis(it, a, j, &cost) ? a : 0;
        int64_t core = size;
        size *= it->shape[a];
        if (!size)
            break;
        double bounded = size > most && (cost > 1 || !grows) ? (double)most : (double)size;
        if (cost * (double)best_size <= best_cost * bounded) {
            best_cost = cost;
            it->coresize = core;
            best_size = size;
            best = a;
        }
    }
    it->outer = best;
    it->reduce = reduced_at && best == reduced_at;
    it->coresize = it->coresize ? it->coresize : 1;
    for (int i = 0; i < it->nop; i++)
        buffers = plan_operand(it, i, &j[i], best, it->reduce) || buffers;
    if ((buffers || !grows) && most < best_size)
        best_size = it->coresize * (most / it->coresize);
    it->buffersize = best_size > 0 ? best_size : 1;
    it->coreoffset = 0;
}

bool knn_nditer_allocate_buffers(kna_op *op, knn_nditer *it)
{
    for (int i = 0; i < it->nop; i++) {
        knn_nditer_op *x = &it->op[i];
        int64_t bytes;
        if (!x->buffered || x->buffer)
            continue;
        if (!__builtin_mul_overflow(it->buffersize, (int64_t)x->dtype->size, &bytes))
            x->buffer = knx_alloc_zero((size_t)bytes);
        if (!x->buffer) {
            kna_fail_with(op, knx_error_nomem());
            return false;
        }
    }
    return true;
}

/* ---- Copies. */

/* Where the elements of operand i are, one after the other from the present one. */
typedef struct place {
    const knn_nditer *it;
    int i;
    char *now;
    int64_t at[KN_MAX_NDIM];
} place;

static place first_place(const knn_nditer *it, int i)
{
    place p = {.it = it, .i = i, .now = it->op[i].now};
    for (int a = 0; a < it->ndim; a++)
        p.at[a] = it->at[a];
    return p;
}

static void next_place(place *p)
{
    const knn_nditer *it = p->it;
    for (int a = 0; a < it->ndim; a++) {
        int64_t s = knn_nditer_strides(it, a)[p->i];
        p->now += s;
        if (++p->at[a] < it->shape[a])
            return;
        p->now -= s * it->shape[a];
        p->at[a] = 0;
    }
}

/* How many elements of a chunk the buffer holds: one if all are the same. */
static int64_t held(const knn_nditer *it, const knn_nditer_op *x) { return x->inner ? it->chunk : 1; }

void knn_nditer_fill(knn_nditer *it)
{
    int64_t cores = it->ndim ? it->shape[it->outer] - it->at[it->outer] : 1, n = it->buffersize,
            rest = it->end - it->iterindex;
    if (it->coreoffset)
        n = it->coresize - it->coreoffset;
    else if (it->reduce)
        n = it->coresize;
    else if (n / it->coresize > cores)
        n = it->coresize * cores;
    it->chunk = n < rest ? n : rest;
    it->chunk_end = it->iterindex + it->chunk;
    for (int i = 0; i < it->nop; i++) {
        knn_nditer_op *x = &it->op[i];
        x->user = x->buffered ? x->buffer : x->now;
        if (!x->buffered || !x->read || it->chunk <= 0)
            continue;
        place p = first_place(it, i);
        char *to = x->buffer;
        for (int64_t k = held(it, x); k > 0; k--, to += x->dtype->size, next_place(&p))
            knx_convert(x->o.dtype, p.now, x->dtype, to);
    }
}

/* Is element k of the chunk written, as the mask says? */
static bool is_written(const knn_nditer *it, const knn_nditer_op *x, int64_t k)
{
    if (!(x->flags & KNN_WRITEMASKED) || it->maskop < 0)
        return true;
    const knn_nditer_op *mask = &it->op[it->maskop];
    return *((mask->buffered ? mask->buffer : mask->now) + k * mask->inner) != 0;
}

void knn_nditer_write_back(knn_nditer *it)
{
    for (int i = 0; i < it->nop && it->chunk > 0; i++) {
        const knn_nditer_op *x = &it->op[i];
        if (!x->buffered || !x->write)
            continue;
        place p = first_place(it, i);
        int64_t n = held(it, x);
        for (int64_t k = 0; k < n; k++, next_place(&p))
            if (is_written(it, x, k))
                knx_convert(x->dtype, x->buffer + (size_t)k * x->dtype->size, x->o.dtype, p.now);
    }
}

void knn_copy_elements(const knn_operand *to, const knn_operand *from)
{
    int64_t at[KN_MAX_NDIM] = {0};
    const char *source = from->data;
    char *target = to->data;
    for (int64_t n = knn_operand_size(to); n > 0; n--) {
        knx_convert(from->dtype, source, to->dtype, target);
        for (int d = to->ndim; d-- > 0;) {
            source += from->stride[d];
            target += to->stride[d];
            if (++at[d] < to->dim[d])
                break;
            source -= from->stride[d] * to->dim[d];
            target -= to->stride[d] * to->dim[d];
            at[d] = 0;
        }
    }
}
