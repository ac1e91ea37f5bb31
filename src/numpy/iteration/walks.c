/* SPDX-License-Identifier: Apache-2.0
 * walks.c -- positions, axes as NumPy's own functions read them, arrays as blocks and as nested C arrays. */
#include "array/handle.h"
#include "kiln/memory.h"
#include "lib/compose.h"
#include "numpy/iteration/operand.h"
#include <string.h>

/* ---- Positions and axes. */

bool kn_ndindex(const kn_shape *shape, kn_shape *index)
{
    kna_op op;
    bool any = true;
    kna_begin(&op, "ndindex");
    shape = kna_shape(&op, shape);
    if (!kna_failed(&op) && !index)
        kna_fail(&op, KN_ERROR_TYPE, "null index");
    for (int d = 0; d < shape->ndim && !kna_failed(&op); d++)
        if (kna_need_number(&op, shape->dim[d], "positions") && shape->dim[d] < 0)
            kna_fail(&op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (!kna_failed(&op) && index->ndim >= 0 && index->ndim != shape->ndim)
        kna_fail(&op, KN_ERROR_VALUE, "the position has %d axes, the shape %d", index->ndim, shape->ndim);
    if (!kna_end_plain(&op))
        return false;
    if (index->ndim < 0) { /* before the first one */
        memset(index->dim, 0, sizeof index->dim);
        index->ndim = shape->ndim;
        for (int d = 0; d < shape->ndim; d++)
            any = any && shape->dim[d] > 0;
        return any;
    }
    for (int d = shape->ndim; d-- > 0;) {
        if (index->dim[d] < shape->dim[d] - 1) {
            index->dim[d]++;
            return true;
        }
        index->dim[d] = 0;
    }
    return false;
}

static int normal_axis(kna_op *op, int axis, int ndim, const char *prefix)
{
    if (!kna_failed(op) && (axis < -ndim || axis >= ndim))
        kna_fail(op, KN_ERROR_AXIS, "%s%saxis %d is out of bounds for array of dimension %d", prefix ? prefix : "",
                 prefix ? ": " : "", axis, ndim);
    return axis < 0 ? axis + ndim : axis;
}

int kn_normalize_axis_index(int axis, int ndim)
{
    kna_op op;
    kna_begin(&op, "normalize_axis_index");
    axis = normal_axis(&op, axis, ndim < 0 ? 0 : ndim, NULL);
    return kna_end_plain(&op) ? axis : -1;
}

kn_axes kn_normalize_axis_tuple(const kn_axes *axis, int ndim, const char *argname, bool allow_duplicate)
{
    kna_op op;
    kn_axes all = {.n = 1};
    kna_begin(&op, "normalize_axis_tuple");
    if (!axis || axis->n <= 0)
        kna_fail(&op, KN_ERROR_TYPE, "null axis");
    else
        kna_axes_fit(&op, *axis, argname ? argname : "axis");
    for (int i = 0; !kna_failed(&op) && i < axis->n - 1; i++) {
        int32_t a = normal_axis(&op, axis->axis[i], ndim < 0 ? 0 : ndim, argname);
        for (int k = 0; k < i && !allow_duplicate && !kna_failed(&op); k++)
            if (all.axis[k] == a)
                kna_fail(&op, KN_ERROR_VALUE, argname ? "repeated axis in `%s` argument" : "repeated axis", argname);
        all.axis[all.n++ - 1] = a;
    }
    return kna_end_plain(&op) ? all : (kn_axes){.n = 0};
}

kn_byte_bounds_result kn_byte_bounds(kn_array a)
{
    knl_body c;
    knn_operand o;
    kn_byte_bounds_result r = {NULL, NULL};
    knl_begin(&c, "byte_bounds");
    if (knn_operand_open(&c.op, a, false, &o)) {
        const char *low = o.data, *high = o.data;
        for (int d = 0; d < o.ndim; d++)
            *(o.stride[d] < 0 ? &low : &high) += o.stride[d] * (o.dim[d] - 1);
        r = (kn_byte_bounds_result){low, high + o.dtype->size};
        knn_operand_close(&o);
    }
    return knl_end_plain(&c) ? r : (kn_byte_bounds_result){NULL, NULL};
}

/* ---- Nested C arrays. */

/* How many bytes pointers of all but the last axis take, rounded up to the dtype's alignment. -1: too many. */
static int64_t bytes_of_pointers(kni_type t)
{
    int64_t rows = 1, bytes = 0;
    for (int d = 0; d < t.ndim - 1; d++) {
        int64_t more;
        if (__builtin_mul_overflow(rows, t.dim[d], &rows) ||
            __builtin_mul_overflow(rows, (int64_t)sizeof(void *), &more) || __builtin_add_overflow(bytes, more, &bytes))
            return -1;
    }
    return (bytes + 15) / 16 * 16;
}

/* The pointers of each level lead to those of the next one, the last ones to elements. */
static void link_rows(kni_type t, void **block, char *elements)
{
    int64_t rows = 1;
    for (int d = 0; d < t.ndim - 1; d++) {
        rows *= t.dim[d];
        bool last = d == t.ndim - 2;
        void **below = block + rows;
        for (int64_t i = 0; i < rows; i++)
            block[i] = last ? (void *)(elements + (size_t)(i * t.dim[d + 1]) * t.dtype->size)
                            : (void *)(below + i * t.dim[d + 1]);
        block = below;
    }
}

void *kn_tolist_bytes(kn_array x, kn_dtype dtype)
{
    knl_body c;
    void *block = NULL;
    knl_begin(&c, "tolist");
    kni_type t = kna_type(&c.op, x);
    kn_astype_opts same_kind = {.size_ = sizeof same_kind, .casting = "same_kind", .copy = false};
    kn_array y = kna_failed(&c.op) ? NULL : kn_astype(x, dtype ? dtype : kna_strong_dtype(t), &same_kind);
    const char *from = y ? kna_look(&c.op, y, &t) : NULL;
    int64_t before = from ? bytes_of_pointers(t) : 0, bytes = from ? (int64_t)kni_type_bytes(t) : 0;
    if (from && (before < 0 || !(block = knx_alloc_zero((size_t)(before + bytes) + 1))))
        kna_fail_with(&c.op, knx_error_nomem());
    if (block) {
        if (bytes)
            memcpy((char *)block + before, from, (size_t)bytes);
        link_rows(t, block, (char *)block + before);
    }
    if (!knl_end_plain(&c)) {
        knx_free(block);
        return NULL;
    }
    return block && kna_handle_new(KN_H_TEXT, block, knx_free) ? block : NULL;
}

/* ---- Blocks. */

typedef struct blocks {
    kn_array x; /* retained */
    int64_t most;
    int ndim;
    int64_t dim[KN_MAX_NDIM], at[KN_MAX_NDIM];
    bool done;
} blocks;

static void drop_blocks(void *p)
{
    kn_release(((blocks *)p)->x);
    knx_free(p);
}

kn_arrayterator kn_arrayterator_new(kn_array x, const kn_arrayterator_opts *opts)
{
    KNX_OPTS(kn_arrayterator_opts, o, opts);
    kna_op op;
    kna_begin(&op, "Arrayterator");
    kni_type t = kna_type(&op, x);
    blocks *b = kna_failed(&op) ? NULL : knx_alloc_zero(sizeof *b);
    if (!b && !kna_failed(&op))
        kna_fail_with(&op, knx_error_nomem());
    if (!kna_failed(&op) && !t.ndim)
        kna_fail(&op, KN_ERROR_VALUE, "zero-dimensional arrays have no blocks");
    if (!kna_failed(&op) && knx_has_symbolic(t.ndim, t.dim))
        kna_fail(&op, KN_ERROR_DIMENSION, "blocks of an array whose extents are dimension expressions");
    for (int d = 0; b && d < t.ndim; d++) { /* a type lives as long as its operation */
        b->dim[d] = t.dim[d];
        b->done = b->done || !t.dim[d];
    }
    if (!kna_end_plain(&op)) {
        knx_free(b);
        return NULL;
    }
    b->x = kn_retain(x);
    b->most = o.buf_size;
    b->ndim = t.ndim;
    return kna_handle_new(KN_H_ARRAYTERATOR, b, drop_blocks);
}

/* The block at b->at, and on to the one behind it: whole inner axes as far as there is room for them, a part of the
 * next one, one position of the others. */
static kn_array next_block(blocks *b)
{
    kna_op op;
    kna_begin(&op, "arrayterator_next");
    int64_t count = b->most > 0 ? b->most : INT64_MAX, from[KN_MAX_NDIM], to[KN_MAX_NDIM];
    int running = 0; /* the axis of which there is a part */
    to[0] = 0;
    for (int d = b->ndim; d-- > 0; count /= b->dim[d]) {
        from[d] = b->at[d];
        to[d] = count == 0 ? from[d] + 1 : count <= b->dim[d] ? from[d] + count : b->dim[d];
        to[d] = to[d] < b->dim[d] ? to[d] : b->dim[d];
        if (count && count <= b->dim[d])
            running = d;
    }
    kni_atom a = kna_in(&op, b->x);
    kn_array y = kna_end_view(&op, b->x, a, kna_failed(&op) ? a : knb_slice(op.b, a, from, to, NULL));
    b->at[running] = to[running];
    for (int d = b->ndim - 1; d > 0; d--)
        if (b->at[d] >= b->dim[d]) {
            b->at[d] = 0;
            b->at[d - 1]++;
        }
    b->done = b->at[0] >= b->dim[0];
    return y;
}

kn_array kn_arrayterator_next(kn_arrayterator it)
{
    kna_op op;
    kna_begin(&op, "arrayterator_next");
    blocks *b = kna_handle_in(&op, KN_H_ARRAYTERATOR, it);
    return kna_end_plain(&op) && !b->done ? next_block(b) : NULL;
}
