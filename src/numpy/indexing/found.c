/* SPDX-License-Identifier: Apache-2.0
 * found.c -- where elements are not zero, as buffers. */
#include "numpy/indexing/found.h"
#include "base/context.h"
#include "base/pool.h"
#include "kiln/types.h"

bool knn_find(kna_op *op, kn_array x, kni_type *t, knr_found *f)
{
    const void *data = kna_failed(op) ? NULL : kna_look(op, x, t);
    int threads = knx_context()->threads;
    if (!data)
        return false;
    if (!knr_find(f, t->dtype, data, kni_type_size(*t), threads > 0 ? threads : knx_threads_available()))
        kna_fail_with(op, knx_error_nomem());
    return !kna_failed(op);
}

static knx_buffer *room(kna_op *op, kni_type t)
{
    knx_buffer *b = kna_failed(op) ? NULL : knx_buffer_new(kni_type_bytes(t));
    if (!b && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem_for(kni_type_bytes(t), t.ndim, t.dim, t.dtype->name));
    return b;
}

bool knn_found_columns(kna_op *op, const knr_found *f, kni_type t, knx_buffer **buffer)
{
    int64_t *to[KN_MAX_NDIM];
    for (int d = 0; d < t.ndim; d++) {
        buffer[d] = room(op, kni_type_of(KN_DT(I64), 1, &f->count));
        to[d] = buffer[d] ? buffer[d]->data : NULL;
    }
    if (!kna_failed(op))
        knr_found_positions(f, t.ndim, t.dim, to, 1);
    for (int d = 0; kna_failed(op) && d < t.ndim; d++)
        knx_buffer_release(buffer[d]);
    return !kna_failed(op);
}

knx_buffer *knn_found_rows(kna_op *op, const knr_found *f, kni_type t)
{
    int64_t *to[KN_MAX_NDIM], dim[] = {f->count, t.ndim};
    knx_buffer *b = room(op, kni_type_of(KN_DT(I64), 2, dim));
    for (int d = 0; b && d < t.ndim; d++)
        to[d] = (int64_t *)b->data + d;
    if (b)
        knr_found_positions(f, t.ndim, t.dim, to, t.ndim);
    return b;
}

kn_array knn_positions_of(int ndim, const int64_t *dim, knx_buffer *buffer)
{
    kna_op op;
    kna_begin(&op, "from");
    return kna_from_buffer(&op, kni_type_of(KN_DT(I64), ndim, dim), buffer);
}

knx_buffer *knn_found_elements(kna_op *op, kn_array x, kn_array mask, kni_type *t, int64_t dim[KN_MAX_NDIM])
{
    knr_found f;
    kni_type m;
    const void *from = kna_look(op, x, t);
    if (!from || !knn_find(op, mask, &m, &f))
        return NULL;
    int64_t bytes = t->dtype->size;
    dim[0] = f.count;
    for (int d = m.ndim; d < t->ndim; d++) {
        dim[1 + d - m.ndim] = t->dim[d];
        bytes *= t->dim[d];
    }
    *t = kni_type_of(t->dtype, 1 + t->ndim - m.ndim, dim);
    knx_buffer *b = room(op, *t);
    if (b)
        knr_found_elements(&f, bytes, from, b->data);
    knr_found_end(&f);
    return b;
}
