/* SPDX-License-Identifier: Apache-2.0
 * nditer.c -- NumPy's iterator as the user calls it: options, handles, where it is, what it shows. */
#include "numpy/iteration/nditer.h"
#include "kiln/memory.h"
#include <string.h>

/* ---- What is asked for. */

static void read_op_axes(kna_op *op, const kn_nditer_opts *o, knn_nditer_wish *w)
{
    for (int i = 0; i < w->nop && !kna_failed(op); i++) {
        const kn_axes *axes = &o->op_axes[i];
        bool reduced;
        if (axes->n <= 0)
            continue;
        if (!kna_axes_fit(op, *axes, "op_axes"))
            return;
        if (w->oa_ndim >= 0 && w->oa_ndim != axes->n - 1) {
            kna_fail(op, KN_ERROR_VALUE, "Each entry of op_axes must have the same size");
            return;
        }
        w->oa_ndim = axes->n - 1;
        w->mapped[i] = true;
        for (int d = 0; d < w->oa_ndim; d++) {
            int axis = knn_nditer_op_axis(axes->axis[d], &reduced);
            w->axis[i][d] = axes->axis[d];
            if (axis >= KN_MAX_NDIM)
                kna_fail(
                    op, KN_ERROR_VALUE,
                    "The 'op_axes' provided to the iterator constructor for operand %d contained invalid values %d", i,
                    axis);
            for (int k = 0; k < d && axis >= 0; k++)
                if (knn_nditer_op_axis(axes->axis[k], &reduced) == axis)
                    kna_fail(op, KN_ERROR_VALUE,
                             "The 'op_axes' provided to the iterator constructor for operand %d contained duplicate "
                             "value %d",
                             i, axis);
        }
    }
}

static void read_itershape(kna_op *op, const kn_nditer_opts *o, knn_nditer_wish *w)
{
    if (!o->itershape || kna_failed(op))
        return;
    w->itershape = kna_given_shape(op, o->itershape, "itershape");
    if (kna_failed(op))
        return;
    if (w->oa_ndim >= 0 && w->oa_ndim != o->itershape->ndim)
        kna_fail(op, KN_ERROR_VALUE,
                 "'op_axes' and 'itershape' must have the same number of entries equal to the iterator ndim");
    w->oa_ndim = o->itershape->ndim;
}

static void read_wish(kna_op *op, int n, const kn_array *x, const kn_nditer_opts *o, knn_nditer_wish *w)
{
    *w = (knn_nditer_wish){.nop = n, .oa_ndim = -1, .order = 'K'};
    if (!kna_given_list(op, n, x, KN_MAX_OPERANDS, "operands"))
        return;
    if (!n) {
        kna_fail(op, KN_ERROR_VALUE, "Must provide at least one operand");
        return;
    }
    bool one = o->op_flags[0] != NULL; /* its words are those of all */
    for (int i = 1; i < KN_MAX_OPERANDS; i++)
        one = one && !o->op_flags[i];
    w->flags = knn_nditer_read_flags(op, o->flags);
    for (int i = 0; i < n && !kna_failed(op); i++) {
        const char *words = one ? o->op_flags[0] : o->op_flags[i];
        w->op[i] = x[i];
        w->dtype[i] = o->op_dtypes[i];
        w->op_flags[i] = words  ? knn_nditer_read_op_flags(op, words)
                         : x[i] ? KNN_READONLY
                                : KNN_WRITEONLY | KNN_ALLOCATE;
    }
    w->casting = knl_casting(op, o->casting, KN_CAST_SAFE, KN_CAST_UNSAFE);
    w->buffersize = o->buffersize;
    if (o->order && !kna_failed(op)) {
        w->order = knl_order(op, o->order);
    }
}

static void drop_iterator(void *p) { knn_nditer_free(p); }

kn_nditer knn_nditer_handle(knn_nditer *it) { return kna_handle_new(KN_H_NDITER, it, drop_iterator); }

kn_nditer kn_nditer_new(int n, const kn_array *op, const kn_nditer_opts *opts)
{
    KNX_OPTS(kn_nditer_opts, o, opts);
    knl_body c;
    knn_nditer_wish w;
    knl_begin(&c, "nditer");
    read_wish(&c.op, n, op, &o, &w);
    if (!kna_failed(&c.op))
        read_op_axes(&c.op, &o, &w);
    read_itershape(&c.op, &o, &w);
    knn_nditer *it = kna_failed(&c.op) ? NULL : knn_nditer_make(&c.op, &w);
    return knl_end_plain(&c) ? knn_nditer_handle(it) : NULL;
}

/* ---- Iterators inside each other. */

static void check_nested(kna_op *op, const kn_nested_axes *axes)
{
    bool used[KN_MAX_NDIM] = {false};
    if (!axes)
        kna_fail(op, KN_ERROR_TYPE, "null axes");
    else if (axes->n < 2)
        kna_fail(op, KN_ERROR_VALUE, "axes must have at least 2 entries for nested iteration");
    else if (axes->n > KN_MAX_NESTED)
        kna_fail(op, KN_ERROR_VALUE, "Too many axes given");
    for (int k = 0; !kna_failed(op) && k < axes->n; k++) {
        if (axes->axes[k].n <= 0)
            kna_fail(op, KN_ERROR_VALUE, "Each item in axes must be an integer tuple");
        else
            kna_axes_fit(op, axes->axes[k], "axes");
        for (int d = 0; !kna_failed(op) && d < axes->axes[k].n - 1; d++) {
            int axis = axes->axes[k].axis[d];
            if (axis < 0 || axis >= KN_MAX_NDIM)
                kna_fail(op, KN_ERROR_VALUE, "An axis is out of bounds");
            else if (used[axis])
                kna_fail(op, KN_ERROR_VALUE, "An axis is used more than once");
            else
                used[axis] = true;
        }
    }
}

/* The axes of level k: outputs are allocated by the outermost iterator and have no other axes. */
static void map_level(knn_nditer_wish *w, const kn_nested_axes *axes, int k, const bool *allocated)
{
    w->oa_ndim = axes->axes[k].n - 1;
    for (int i = 0; i < w->nop; i++) {
        w->mapped[i] = !allocated[i] || k > 0;
        for (int d = 0; d < w->oa_ndim; d++)
            w->axis[i][d] = allocated[i] ? -1 : axes->axes[k].axis[d];
    }
}

/* Only the innermost iterator buffers and leaves a loop to the user; only the outermost one copies and allocates. */
static void prepare_levels(knn_nditer_wish *outside, knn_nditer_wish *inside, bool *allocated)
{
    const uint32_t copies = KNN_COPY | KNN_UPDATEIFCOPY;
    *inside = *outside;
    inside->flags &= ~(uint32_t)KNN_COMMON_DTYPE;
    for (int i = 0; i < outside->nop; i++) {
        if (outside->op[i])
            outside->op_flags[i] &= ~(uint32_t)KNN_ALLOCATE;
        allocated[i] = outside->op_flags[i] & KNN_ALLOCATE;
        inside->op_flags[i] = outside->op_flags[i] & ~(copies | KNN_ALLOCATE);
        inside->dtype[i] = NULL;
        if ((outside->flags & KNN_BUFFERED) && !(outside->op_flags[i] & (copies | KNN_ALLOCATE))) {
            outside->op_flags[i] &= ~(uint32_t)(KNN_NBO | KNN_ALIGNED | KNN_CONTIG);
            inside->dtype[i] = outside->dtype[i];
            outside->dtype[i] = NULL;
        }
    }
    outside->flags &= ~(uint32_t)(KNN_EXTERNAL_LOOP | KNN_BUFFERED);
    outside->buffersize = 0;
}

/* What the iterators inside of the outermost one go over is what that one made. */
static void hand_on(const knn_nditer *first, knn_nditer_wish *w)
{
    w->flags &= ~(uint32_t)KNN_COMMON_DTYPE;
    for (int i = 0; i < w->nop; i++) {
        w->op[i] = first->op[i].o.array;
        w->op_flags[i] &= ~(uint32_t)(KNN_COPY | KNN_UPDATEIFCOPY);
    }
}

static int make_levels(kna_op *op, knn_nditer_wish *w, const kn_nested_axes *axes, knn_nditer **it)
{
    knn_nditer_wish *inside = knx_alloc(sizeof *inside);
    bool allocated[KN_MAX_OPERANDS];
    int n = 0;
    if (!inside) {
        kna_fail_with(op, knx_error_nomem());
        return 0;
    }
    prepare_levels(w, inside, allocated);
    for (int k = 0; k < axes->n && !kna_failed(op); k++) {
        knn_nditer_wish *level = k < axes->n - 1 ? w : inside;
        map_level(level, axes, k, allocated);
        if ((it[k] = knn_nditer_make(op, level)))
            n++;
        if (k == 0 && it[0]) {
            hand_on(it[0], w);
            hand_on(it[0], inside);
        }
    }
    for (int k = 0; k + 1 < n && n == axes->n; k++) {
        it[k]->child = it[k + 1];
        it[k + 1]->refs++;
    }
    if (n == axes->n)
        knn_nditer_rebase(op, it[1], it[0]);
    knx_free(inside);
    return n;
}

kn_nested_iters_result kn_nested_iters(int n, const kn_array *op, const kn_nested_axes *axes,
                                       const kn_nditer_opts *opts)
{
    KNX_OPTS(kn_nditer_opts, o, opts);
    kn_nested_iters_result r = {.n = -1};
    knl_body c;
    knn_nditer_wish *w = knx_alloc(sizeof *w);
    knn_nditer *it[KN_MAX_NESTED] = {NULL};
    int made = 0;
    knl_begin(&c, "nested_iters");
    if (!w)
        kna_fail_with(&c.op, knx_error_nomem());
    check_nested(&c.op, axes);
    if (!kna_failed(&c.op))
        read_wish(&c.op, n, op, &o, w);
    if (!kna_failed(&c.op))
        made = make_levels(&c.op, w, axes, it);
    bool ok = knl_end_plain(&c);
    for (int k = 0; k < made; k++)
        if (ok)
            r.iter[k] = knn_nditer_handle(it[k]);
        else
            knn_nditer_abandon(it[k]);
    r.n = ok ? made : -1;
    knx_free(w);
    return r;
}

/* ---- Looking at one. */

knn_nditer *knn_nditer_in(kna_op *op, const char *name, kn_nditer handle)
{
    kna_begin(op, name);
    knn_nditer *it = kna_handle_in(op, KN_H_NDITER, handle);
    if (it && it->closed)
        kna_fail(op, KN_ERROR_VALUE, "Iterator is invalid");
    return kna_failed(op) ? NULL : it;
}

/* The same where it must not be at its end. */
static knn_nditer *present(kna_op *op, const char *name, kn_nditer handle)
{
    knn_nditer *it = knn_nditer_in(op, name, handle);
    if (it && it->finished)
        kna_fail(op, KN_ERROR_VALUE, "Iterator is past the end");
    return kna_failed(op) ? NULL : it;
}

static knn_nditer_op *operand_of(kna_op *op, knn_nditer *it, int i)
{
    if (it && (i < -it->nop || i >= it->nop))
        kna_fail(op, KN_ERROR_INDEX, "Iterator operand index %d is out of bounds", i);
    return !it || kna_failed(op) ? NULL : &it->op[i < 0 ? i + it->nop : i];
}

/* An operand whose elements can be seen now. */
static knn_nditer_op *shown(kna_op *op, const char *name, kn_nditer handle, int i, knn_nditer **it)
{
    *it = present(op, name, handle);
    if (*it && (*it)->delayed)
        kna_fail(op, KN_ERROR_VALUE,
                 "Iterator construction used delayed buffer allocation, and no reset has been done yet");
    return operand_of(op, kna_failed(op) ? NULL : *it, i);
}

void *kn_nditer_data_bytes(kn_nditer handle, int i, kn_dtype dtype)
{
    kna_op op;
    knn_nditer *it;
    knn_nditer_op *x = shown(&op, "nditer_data", handle, i, &it);
    if (x && dtype && dtype != x->dtype)
        kna_fail(&op, KN_ERROR_TYPE, "the operand has dtype %s, not %s", x->dtype->name, dtype->name);
    void *data = x ? x->user : NULL;
    return kna_end_plain(&op) ? data : NULL;
}

int64_t kn_nditer_inner_size(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = present(&op, "nditer_inner_size", handle);
    int64_t n = !it ? -1 : it->flags & KNN_EXTERNAL_LOOP ? it->chunk : 1;
    return kna_end_plain(&op) ? n : -1;
}

int64_t kn_nditer_stride(kn_nditer handle, int i)
{
    kna_op op;
    knn_nditer *it;
    const knn_nditer_op *x = shown(&op, "nditer_stride", handle, i, &it);
    int64_t stride = x && (it->flags & KNN_EXTERNAL_LOOP) ? x->inner : 0;
    return kna_end_plain(&op) ? stride : 0;
}

kn_array kn_nditer_value(kn_nditer handle, int i)
{
    kna_op op;
    knn_nditer *it;
    const knn_nditer_op *x = shown(&op, "nditer_value", handle, i, &it);
    if (!x)
        return kna_end(&op, KN_ATOM_NONE);
    bool many = it->flags & KNN_EXTERNAL_LOOP;
    int64_t n = many ? it->chunk : 1;
    knx_buffer *b = knx_buffer_new((size_t)n * x->dtype->size);
    for (int64_t k = 0; b && k < n; k++)
        memcpy((char *)b->data + (size_t)k * x->dtype->size, x->user + k * x->inner, x->dtype->size);
    return kna_from_buffer(&op, kni_type_of(x->dtype, many ? 1 : 0, &n), b);
}

kn_dtype kn_nditer_dtypes(kn_nditer handle, int i)
{
    kna_op op;
    const knn_nditer_op *x = operand_of(&op, knn_nditer_in(&op, "nditer_dtypes", handle), i);
    kn_dtype d = x ? x->dtype : NULL;
    return kna_end_plain(&op) ? d : NULL;
}

kn_array kn_nditer_operands(kn_nditer handle, int i)
{
    kna_op op;
    const knn_nditer_op *x = operand_of(&op, knn_nditer_in(&op, "nditer_operands", handle), i);
    kni_atom a = x ? kna_in(&op, x->o.array) : KN_ATOM_NONE;
    if (!x)
        return kna_end(&op, KN_ATOM_NONE);
    bool made = x->made;
    kn_array y = kna_end_view(&op, x->o.array, a, a);
    kn_array base = made && y ? kn_base(y) : NULL; /* what the iterator made owns its memory */
    if (base)
        kn_release(y);
    return base ? base : y;
}

kn_array kn_nditer_itviews(kn_nditer handle, int i)
{
    kna_op op;
    knn_nditer *it = knn_nditer_in(&op, "nditer_itviews", handle);
    const knn_nditer_op *x = operand_of(&op, it, i);
    if (x && (it->flags & KNN_BUFFERED)) {
        kna_fail(&op, KN_ERROR_VALUE, "cannot provide an iterator view when buffering is enabled");
        x = NULL;
    }
    const kna_array *a = x ? kna_array_of(&op, x->o.array) : NULL;
    if (!a)
        return kna_end(&op, KN_ATOM_NONE);
    int64_t dim[KN_MAX_NDIM];
    kna_layout l;
    kna_layout_of(a, &l);
    for (int d = 0; d < it->ndim; d++) {
        dim[d] = it->shape[it->ndim - 1 - d];
        l.stride[d] = knn_nditer_strides(it, it->ndim - 1 - d)[i < 0 ? i + it->nop : i];
    }
    l.type = kni_type_of(x->o.dtype, it->ndim, dim);
    l.offset += x->first - x->o.data;
    l.writeable = l.writeable && x->write;
    return kna_end_strided(&op, x->o.array, &l);
}

int kn_nditer_ndim(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_ndim", handle);
    int ndim = it ? it->ndim : -1;
    return kna_end_plain(&op) ? ndim : -1;
}

int kn_nditer_nop(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_nop", handle);
    int nop = it ? it->nop : -1;
    return kna_end_plain(&op) ? nop : -1;
}

int64_t kn_nditer_itersize(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_itersize", handle);
    int64_t n = it ? it->itersize : -1;
    return kna_end_plain(&op) ? n : -1;
}

/* For each of the user's axes what a list has for those of the loops; `turned`: of positions along the axis. Without a
 * multi-index the axes are the loops, the innermost first, as in NumPy. */
static kn_shape by_axis(const knn_nditer *it, const int64_t *of, bool turned)
{
    kn_shape s = {.ndim = it->ndim};
    for (int a = 0; a < it->ndim; a++) {
        bool backwards;
        int d = it->flags & KNN_MULTI_INDEX ? knn_nditer_axis(it, a, it->ndim, &backwards) : a;
        backwards = (it->flags & KNN_MULTI_INDEX) && backwards;
        s.dim[d] = turned && backwards ? it->shape[a] - 1 - of[a] : of[a];
    }
    return s;
}

kn_shape kn_nditer_shape(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = present(&op, "nditer_shape", handle);
    kn_shape s = it ? by_axis(it, it->shape, false) : (kn_shape){.ndim = -1};
    return kna_end_plain(&op) ? s : (kn_shape){.ndim = -1};
}

bool kn_nditer_finished(kn_nditer handle)
{
    kna_op op;
    kna_begin(&op, "nditer_finished");
    const knn_nditer *it = kna_handle_in(&op, KN_H_NDITER, handle);
    bool finished = !it || it->finished || it->closed;
    return kna_end_plain(&op) ? finished : true;
}

bool kn_nditer_has_index(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_has_index", handle);
    bool has = it && (it->flags & (KNN_C_INDEX | KNN_F_INDEX));
    return kna_end_plain(&op) && has;
}

bool kn_nditer_has_multi_index(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_has_multi_index", handle);
    bool has = it && (it->flags & KNN_MULTI_INDEX);
    return kna_end_plain(&op) && has;
}

bool kn_nditer_has_delayed_bufalloc(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_has_delayed_bufalloc", handle);
    bool delayed = it && it->delayed;
    return kna_end_plain(&op) && delayed;
}

/* ---- Where it is. */

/* The positions along the loops, and the index; those in the iterator are the ones at the beginning of a chunk. */
static int64_t positions(const knn_nditer *it, int64_t *at)
{
    int64_t rest = it->iterindex, index = it->first_index;
    for (int a = 0; a < it->ndim; a++) {
        at[a] = rest % it->shape[a];
        rest /= it->shape[a];
        index += at[a] * knn_nditer_strides(it, a)[it->nop];
    }
    return index;
}

int64_t kn_nditer_iterindex(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = present(&op, "nditer_iterindex", handle);
    int64_t at = it ? it->iterindex : -1;
    return kna_end_plain(&op) ? at : -1;
}

int64_t kn_nditer_index(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = present(&op, "nditer_index", handle);
    if (it && !(it->flags & (KNN_C_INDEX | KNN_F_INDEX)))
        kna_fail(&op, KN_ERROR_VALUE, "Iterator does not have an index");
    int64_t along[KN_MAX_NDIM], at = it ? positions(it, along) : -1;
    return kna_end_plain(&op) ? at : -1;
}

kn_shape kn_nditer_multi_index(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = present(&op, "nditer_multi_index", handle);
    if (it && !(it->flags & KNN_MULTI_INDEX))
        kna_fail(&op, KN_ERROR_VALUE, "Iterator is not tracking a multi-index");
    int64_t along[KN_MAX_NDIM];
    if (it && !kna_failed(&op))
        positions(it, along);
    kn_shape s = it && !kna_failed(&op) ? by_axis(it, along, true) : (kn_shape){.ndim = -1};
    return kna_end_plain(&op) ? s : (kn_shape){.ndim = -1};
}

kn_nditer_range kn_nditer_iterrange(kn_nditer handle)
{
    kna_op op;
    const knn_nditer *it = knn_nditer_in(&op, "nditer_iterrange", handle);
    kn_nditer_range r = it ? (kn_nditer_range){it->start, it->end} : (kn_nditer_range){-1, -1};
    return kna_end_plain(&op) ? r : (kn_nditer_range){-1, -1};
}
