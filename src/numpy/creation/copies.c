/* SPDX-License-Identifier: Apache-2.0
 * copies.c -- copies of few elements: see copies.h. Views alone: the copy of a whole array costs nothing. */
#include "numpy/creation/copies.h"
#include "array/element.h"
#include "array/handle.h"
#include "array/state.h"
#include "array/storage.h"
#include <string.h>

enum { FEW = 4096 }; /* elements: what has more is worth a plan, which may join it with what it is used for */

#define LINE(T)                     \
    for (int64_t i = 0; i < n; i++) \
    memcpy(to + i * (int64_t)sizeof(T), from + i * stride, sizeof(T))
typedef struct pair_of_words {
    uint64_t word[2];
} pair_of_words;

/* n elements, a stride in bytes apart. */
static void copy_line(char *to, const char *from, int64_t stride, int64_t n, size_t size)
{
    if (stride == (int64_t)size)
        memcpy(to, from, (size_t)n * size);
    else if (size == 8)
        LINE(uint64_t);
    else if (size == 4)
        LINE(uint32_t);
    else if (size == 2)
        LINE(uint16_t);
    else if (size == 1)
        LINE(uint8_t);
    else if (size == 16)
        LINE(pair_of_words);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * (int64_t)size, from + i * stride, size);
}

/* The elements of x, the axes from the outermost to the innermost in this order. NULL without memory. */
static knx_buffer *copy_of(const kna_lying *x, const int64_t *order)
{
    int ndim = x->type.ndim;
    int64_t size = x->type.dtype->size, n = kni_type_size(x->type), at[KN_MAX_NDIM] = {0};
    int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM];
    knx_buffer *b = knx_buffer_new((size_t)(n ? n * size : 1));
    char *to = b ? b->data : NULL;
    const char *from = x->first;
    for (int i = 0; i < ndim; i++) {
        dim[i] = x->type.dim[order[i]];
        stride[i] = x->stride[order[i]] * size;
    }
    int64_t line = ndim ? dim[ndim - 1] : 1, step = ndim ? stride[ndim - 1] : size;
    for (int64_t left = to ? n : 0; left; left -= line, to += line * size) {
        copy_line(to, from, step, line, (size_t)size);
        for (int d = ndim - 2; d >= 0; d--) {
            from += stride[d];
            if (++at[d] < dim[d])
                break;
            from -= at[d] * stride[d];
            at[d] = 0;
        }
    }
    return b;
}

/* The axes of a copy of x in memory; true: they are not in C order. */
static bool order_of_copy(kna_op *op, kn_array x, kni_type t, char order, int64_t *axes)
{
    bool fortran = t.ndim > 1 && (order == 'F' || (order == 'K' && knl_is_fortran(op, x)));
    if (order == 'K' && !fortran && kna_order_like(x, axes))
        return true;
    for (int i = 0; i < t.ndim; i++)
        axes[i] = fortran ? t.ndim - 1 - i : i;
    return fortran;
}

/* Is it an array as it is stored? Its copy shares the buffer until somebody writes. */
static bool is_whole(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const void *object = kna_handle_peek(x, &kind);
    return kind != KN_H_VIEW || !((const kna_array *)object)->step;
}

static bool is_few(const kna_lying *x)
{
    int64_t n = 1;
    for (int d = 0; d < x->type.ndim; d++) {
        if (knx_is_symbolic(x->type.dim[d]) || x->type.dim[d] > FEW)
            return false;
        n *= x->type.dim[d];
        if (n > FEW)
            return false;
    }
    return n > 0;
}

kn_array knn_copy_few(kna_op *op, kn_array x, const char *order)
{
    kna_lying l;
    int64_t axes[KN_MAX_NDIM], plain[KN_MAX_NDIM];
    kn_context c = knx_context();
    if (kna_failed(op) || !op->b->hook || !c->lazy || kna_default_site() || is_whole(x) || !kna_lies(x, &l) ||
        !is_few(&l))
        return NULL;
    char how = order ? knl_read_order(op, order, x, true) : 'K';
    if (kna_failed(op))
        return NULL;
    bool ordered = order_of_copy(op, x, l.type, how, axes);
    int64_t dim[KN_MAX_NDIM];
    kni_type t = kni_type_of(l.type.dtype, l.type.ndim, dim); /* the view's own, whatever happens to x */
    for (int i = 0; i < t.ndim; i++) {
        dim[i] = l.type.dim[i];
        plain[i] = i;
    }
    knx_buffer *stored = copy_of(&l, axes), *b = ordered && stored ? copy_of(&l, plain) : NULL;
    return ordered ? kna_from_permuted(op, t, axes, stored, b) : kna_from_buffer(op, t, stored);
}
