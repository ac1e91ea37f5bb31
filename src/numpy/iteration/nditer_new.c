/* SPDX-License-Identifier: Apache-2.0
 * nditer_new.c -- NumPy's iterator is made: operands are checked and broadcast, loops get the order in which memory
 * lies (that of array/order.c), outputs and copies are allocated in that order. */
#include "numpy/iteration/nditer.h"
#include "kiln/memory.h"
#include <stdlib.h>
#include <string.h>

int knn_nditer_axis(const knn_nditer *it, int a, int ndim, bool *backwards)
{
    int p = it->perm[a];
    *backwards = p < 0;
    p = ndim - 1 - (p < 0 ? -1 - p : p);
    return p < 0 ? -1 : p;
}

int knn_nditer_op_axis(int axis, bool *reduced)
{
    *reduced = axis >= KNN_REDUCTION_AXIS - 1;
    return *reduced ? axis - KNN_REDUCTION_AXIS : axis;
}

void knn_nditer_free(knn_nditer *it)
{
    if (!it || --it->refs > 0)
        return;
    knn_nditer_close(NULL, it);
    for (int i = 0; it->op && i < it->nop; i++) {
        knn_operand_close(&it->op[i].o);
        knn_operand_close(&it->op[i].target);
        knx_free(it->op[i].buffer);
    }
    knn_nditer_free(it->child);
    knx_free(it->op);
    knx_free(it->stride);
    knx_free(it);
}

void knn_nditer_abandon(knn_nditer *it)
{
    if (it)
        it->closed = true;
    knn_nditer_free(it);
}

static knn_nditer *new_iterator(kna_op *op, const knn_nditer_wish *w)
{
    knn_nditer *it = knx_alloc_zero(sizeof *it);
    int ndim = w->oa_ndim;
    for (int i = 0; i < w->nop && w->oa_ndim < 0; i++) {
        int own = w->op[i] ? kna_type(op, w->op[i]).ndim : 0;
        ndim = own > ndim ? own : ndim;
    }
    if (it) {
        it->refs = 1;
        it->flags = w->flags;
        it->nop = w->nop;
        it->ndim = ndim < 0 ? 0 : ndim;
        it->maskop = -1;
        it->op = knx_alloc_zero((size_t)w->nop * sizeof *it->op);
        it->stride = knx_alloc_zero((size_t)(it->ndim + 1) * (size_t)(w->nop + 1) * sizeof *it->stride);
    }
    if (it && it->op && it->stride)
        return it;
    kna_fail_with(op, knx_error_nomem());
    knn_nditer_abandon(it);
    return NULL;
}

/* ---- Operands. */

/* One that is to be allocated. */
static void check_missing(kna_op *op, const knn_nditer_wish *w, int i)
{
    uint32_t flags = w->op_flags[i];
    bool write = flags & (KNN_READWRITE | KNN_WRITEONLY), read = flags & KNN_READWRITE;
    if (!(flags & (KNN_ALLOCATE | KNN_VIRTUAL)))
        kna_fail(op, KN_ERROR_VALUE,
                 "Iterator operand was NULL, but neither the ALLOCATE nor the VIRTUAL flag was specified");
    else if ((flags & KNN_ALLOCATE) && !write)
        kna_fail(op, KN_ERROR_VALUE,
                 "Automatic allocation was requested for an iterator operand, but it wasn't flagged for writing");
    else if ((flags & KNN_ALLOCATE) && read && (w->flags & (KNN_BUFFERED | KNN_DELAY_BUFALLOC)) == KNN_BUFFERED)
        kna_fail(op, KN_ERROR_VALUE,
                 "Automatic allocation was requested for an iterator operand, and it was flagged as readable, but "
                 "buffering  without delayed allocation was enabled");
}

static void open_operand(kna_op *op, const knn_nditer_wish *w, int i, knn_nditer_op *x)
{
    kni_type t = kna_type(op, w->op[i]);
    if (kna_failed(op))
        return;
    if (w->op_flags[i] & KNN_VIRTUAL) {
        kna_fail(op, KN_ERROR_VALUE, "Iterator operand flag VIRTUAL was specified, but the operand was not NULL");
        return;
    }
    if (x->write && (kna_is_number(op, w->op[i]) || !kn_flags_of(w->op[i]).writeable)) {
        kna_fail(op, KN_ERROR_VALUE, "operand array with iterator write flag set is read-only");
        return;
    }
    if (!(w->flags & KNN_ZEROSIZE_OK) && !kni_type_size(t)) {
        kna_fail(op, KN_ERROR_VALUE, "Iteration of zero-sized operands is not enabled");
        return;
    }
    if (knn_operand_open(op, w->op[i], x->write, &x->o)) {
        x->first = x->now = x->o.data;
        x->dtype = w->dtype[i] ? w->dtype[i] : x->o.dtype;
    }
}

static void open_operands(kna_op *op, const knn_nditer_wish *w, knn_nditer *it)
{
    bool masked = false;
    for (int i = 0; i < it->nop && !kna_failed(op); i++) {
        knn_nditer_op *x = &it->op[i];
        x->flags = w->op_flags[i];
        knn_nditer_check_op_flags(op, x->flags);
        x->write = x->flags & (KNN_READWRITE | KNN_WRITEONLY);
        x->read = x->flags & (KNN_READWRITE | KNN_READONLY);
        masked = masked || (x->flags & KNN_WRITEMASKED);
        if (!kna_failed(op) && (x->flags & KNN_ARRAYMASK) && it->maskop >= 0)
            kna_fail(op, KN_ERROR_VALUE, "Only one iterator operand may receive an ARRAYMASK flag");
        it->maskop = x->flags & KNN_ARRAYMASK ? i : it->maskop;
        if (kna_failed(op))
            return;
        if (w->op[i]) {
            open_operand(op, w, i, x);
        } else {
            check_missing(op, w, i);
            x->dtype = w->dtype[i] ? w->dtype[i] : x->flags & KNN_ARRAYMASK ? KN_DT(BOOL) : NULL;
        }
    }
    if (!kna_failed(op) && masked && it->maskop < 0)
        kna_fail(
            op, KN_ERROR_VALUE,
            "An iterator operand was flagged as WRITEMASKED, but no ARRAYMASK operand was given to supply the mask");
    else if (!kna_failed(op) && !masked && it->maskop >= 0)
        kna_fail(op, KN_ERROR_VALUE,
                 "An iterator operand was flagged as the ARRAYMASK, but no WRITEMASKED operands were given to use the "
                 "mask");
}

/* ---- Shapes. */

/* "(2,3)", where an axis that is not there is "newaxis", and left out at the beginning. */
static void add_shape(knx_text *t, int ndim, const int64_t *dim, const char *end)
{
    int from = 0;
    while (from < ndim && dim[from] < 0)
        from++;
    knx_text_add(t, "(");
    for (int d = from; d < ndim; d++) {
        knx_text_add(t, d > from ? "," : "");
        if (dim[d] < 0)
            knx_text_add(t, "newaxis");
        else
            knx_text_add(t, "%lld", (long long)dim[d]);
    }
    knx_text_add(t, "%s)%s", ndim - from == 1 ? "," : "", end);
}

/* The extents of operand i along the iterator's axes. */
static void remapped(const knn_nditer_wish *w, const knn_nditer *it, int i, int64_t *dim)
{
    bool reduced;
    const knn_operand *o = &it->op[i].o;
    for (int d = 0; d < it->ndim; d++) {
        int axis = knn_nditer_op_axis(w->axis[i][d], &reduced);
        dim[d] = axis >= 0 && axis < o->ndim ? o->dim[axis] : -1;
    }
}

static void shapes_differ(kna_op *op, const knn_nditer_wish *w, const knn_nditer *it)
{
    knx_text t = {0}, wanted = {0};
    int64_t dim[KN_MAX_NDIM];
    const char *apart = "";
    for (int i = 0; i < it->nop; i++) {
        const knn_operand *o = &it->op[i].o;
        if (!o->array)
            continue;
        knx_text_add(&t, "%s", apart);
        add_shape(&t, o->ndim, o->dim, w->mapped[i] ? "->" : "");
        if (w->mapped[i]) {
            remapped(w, it, i, dim);
            add_shape(&t, it->ndim, dim, "");
        }
        apart = " ";
    }
    if (w->itershape)
        add_shape(&wanted, it->ndim, w->itershape->dim, "");
    kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with %s%s%s%s",
             w->oa_ndim >= 0 ? "remapped shapes [original->remapped]: " : "shapes ", t.s,
             w->itershape ? "  and requested shape " : "", wanted.s);
}

/* The shape of all, in the user's order of axes. */
static bool broadcast(kna_op *op, const knn_nditer_wish *w, const knn_nditer *it, int64_t *shape)
{
    bool fits = true, reduced;
    for (int d = 0; d < it->ndim; d++)
        shape[d] = w->itershape && w->itershape->dim[d] >= 0 ? w->itershape->dim[d] : 1;
    for (int i = 0; i < it->nop && fits; i++) {
        const knn_operand *o = &it->op[i].o;
        if (!o->array)
            continue;
        if (!w->mapped[i] && o->ndim > it->ndim) {
            kna_fail(op, KN_ERROR_VALUE, "input operand has more dimensions than allowed by the axis remapping");
            return false;
        }
        for (int d = 0; d < it->ndim && fits; d++) {
            int axis = w->mapped[i] ? knn_nditer_op_axis(w->axis[i][d], &reduced) : d - (it->ndim - o->ndim);
            if (axis >= o->ndim) {
                kna_fail(op, KN_ERROR_VALUE,
                         "Iterator input op_axes[%d][%d] (==%d) is not a valid axis of op[%d], which has %d dimensions",
                         i, it->ndim - d - 1, axis, i, o->ndim);
                return false;
            }
            int64_t n = axis < 0 ? 1 : o->dim[axis];
            fits = shape[d] == 1 || n == 1 || n == shape[d];
            shape[d] = shape[d] == 1 ? n : shape[d];
        }
    }
    for (int d = 0; d < it->ndim && w->itershape; d++)
        fits = fits && (w->itershape->dim[d] != 1 || shape[d] == 1);
    if (!fits)
        shapes_differ(op, w, it);
    return fits;
}

static void not_broadcastable(kna_op *op, const knn_nditer_wish *w, const knn_nditer *it, int i, const int64_t *shape)
{
    knx_text own = {0}, all = {0}, other = {0};
    int64_t dim[KN_MAX_NDIM];
    const knn_operand *o = &it->op[i].o;
    const char *what = it->op[i].flags & KNN_READONLY ? "" : "output ";
    add_shape(&own, o->ndim, o->dim, "");
    add_shape(&all, it->ndim, shape, "");
    if (!w->mapped[i]) {
        kna_fail(op, KN_ERROR_VALUE, "non-broadcastable %soperand with shape %s doesn't match the broadcast shape %s",
                 what, own.s, all.s);
        return;
    }
    remapped(w, it, i, dim);
    add_shape(&other, it->ndim, dim, "");
    kna_fail(op, KN_ERROR_VALUE,
             "non-broadcastable %soperand with shape %s [remapped to %s] doesn't match the broadcast shape %s", what,
             own.s, other.s, all.s);
}

/* Operand i is repeated along an axis: if it is written to, it is reduced along it. */
static void repeated(kna_op *op, knn_nditer *it, int i, int axis)
{
    knn_nditer_op *x = &it->op[i];
    if (!x->write)
        return;
    if (!(it->flags & KNN_REDUCE_OK))
        kna_fail(op, KN_ERROR_VALUE,
                 "output operand requires a reduction along dimension %d, but the reduction is not enabled. The "
                 "dimension size of 1 does not match the expected output shape.",
                 axis);
    else if (!x->read)
        kna_fail(op, KN_ERROR_VALUE,
                 "output operand requires a reduction, but is flagged as write-only, not read-write");
    else if (i == it->maskop)
        kna_fail(op, KN_ERROR_VALUE,
                 "output operand requires a reduction, but is flagged as the ARRAYMASK operand which is not permitted "
                 "to be the result of a reduction");
    x->reduce = it->reduce = true;
}

/* The stride of operand i along axis d of the user's, whose extent is n. */
static int64_t stride_along(kna_op *op, const knn_nditer_wish *w, knn_nditer *it, int i, int d, const int64_t *shape)
{
    const knn_operand *o = &it->op[i].o;
    bool reduced = false, no_broadcast = it->op[i].flags & KNN_NO_BROADCAST;
    int axis = w->mapped[i] ? knn_nditer_op_axis(w->axis[i][d], &reduced) : d - (it->ndim - o->ndim);
    int told = w->mapped[i] ? axis : it->ndim - 1 - d;
    if (reduced) {
        it->op[i].reduce = it->reduce = true;
        if (axis >= 0 && o->array && o->dim[axis] != 1)
            kna_fail(
                op, KN_ERROR_VALUE,
                "operand was set up as a reduction along axis %d, but the length of the axis is %lld (it has to be "
                "1)",
                axis, (long long)o->dim[axis]);
        return 0;
    }
    if (shape[d] == 1) {
        if (!w->mapped[i] && o->array && axis < 0 && no_broadcast)
            not_broadcastable(op, w, it, i, shape);
        return 0;
    }
    if (!o->array) { /* its stride is set later */
        if (w->mapped[i] && axis < 0)
            repeated(op, it, i, axis);
        return 0;
    }
    if (axis >= 0 && o->dim[axis] != 1)
        return o->stride[axis];
    if (no_broadcast && (axis >= 0 || !w->mapped[i]))
        not_broadcastable(op, w, it, i, shape);
    if (!kna_failed(op))
        repeated(op, it, i, told);
    return 0;
}

static void lay_loops(kna_op *op, const knn_nditer_wish *w, knn_nditer *it)
{
    int64_t shape[KN_MAX_NDIM] = {0};
    if (!broadcast(op, w, it, shape))
        return;
    it->shape[0] = 1;
    it->itersize = 1;
    for (int a = 0; a < it->ndim && !kna_failed(op); a++) {
        int d = it->ndim - 1 - a;
        it->shape[a] = shape[d];
        it->perm[a] = a;
        for (int i = 0; i < it->nop && !kna_failed(op); i++)
            knn_nditer_strides(it, a)[i] = stride_along(op, w, it, i, d, shape);
    }
    for (int d = 0; d < it->ndim && it->itersize >= 0; d++)
        if (__builtin_mul_overflow(it->itersize, shape[d], &it->itersize))
            it->itersize = -1;
    bool later = (it->flags & KNN_MULTI_INDEX) && !(it->flags & (KNN_C_INDEX | KNN_F_INDEX | KNN_BUFFERED));
    if (it->itersize < 0 && !later && !kna_failed(op)) /* else an axis may be removed */
        kna_fail(op, KN_ERROR_VALUE, "iterator is too large");
    it->end = it->itersize;
    int64_t step = 1;
    for (int k = 0; k < it->ndim && it->itersize != 1 && (it->flags & (KNN_C_INDEX | KNN_F_INDEX)); k++) {
        int a = it->flags & KNN_C_INDEX ? k : it->ndim - 1 - k;
        knn_nditer_strides(it, a)[it->nop] = it->shape[a] == 1 ? 0 : step;
        step *= it->shape[a];
    }
}

/* ---- The order of loops. */

static void swap_axes(knn_nditer *it, int a, int b)
{
    int64_t n = it->shape[a];
    int p = it->perm[a];
    it->shape[a] = it->shape[b];
    it->shape[b] = n;
    it->perm[a] = it->perm[b];
    it->perm[b] = p;
    for (int i = 0; i <= it->nop; i++) {
        int64_t s = knn_nditer_strides(it, a)[i];
        knn_nditer_strides(it, a)[i] = knn_nditer_strides(it, b)[i];
        knn_nditer_strides(it, b)[i] = s;
    }
}

/* Must axis b, which is outside of a, be inside of it? 1: yes, -1: no, 0: no operand says; one that says no wins. */
static int goes_inside(const knn_nditer *it, int b, int a)
{
    int verdict = 0;
    for (int i = 0; i < it->nop; i++) {
        int64_t sb = knn_nditer_strides(it, b)[i], sa = knn_nditer_strides(it, a)[i];
        if (!sa || !sb)
            continue;
        if (llabs(sa) <= llabs(sb))
            return -1;
        verdict = 1;
    }
    return verdict;
}

static void sort_axes(knn_nditer *it)
{
    for (int b = 1; b < it->ndim; b++) {
        int to = b;
        for (int a = b - 1; a >= 0; a--) {
            int verdict = goes_inside(it, b, a);
            if (verdict < 0)
                break;
            to = verdict > 0 ? a : to;
        }
        for (int k = b; k > to; k--)
            swap_axes(it, k, k - 1);
    }
}

/* Axes that no operand goes along forwards are gone along backwards. */
static void turn_axes(knn_nditer *it)
{
    for (int a = 0; a < it->ndim; a++) {
        int64_t *s = knn_nditer_strides(it, a);
        bool backwards = false, forwards = false;
        for (int i = 0; i < it->nop; i++) {
            backwards = backwards || s[i] < 0;
            forwards = forwards || s[i] > 0;
        }
        if (!backwards || forwards)
            continue;
        for (int i = 0; i < it->nop; i++) {
            it->op[i].offset += (it->shape[a] - 1) * s[i];
            s[i] = -s[i];
        }
        it->first_index += (it->shape[a] - 1) * s[it->nop];
        s[it->nop] = -s[it->nop];
        it->perm[a] = -1 - it->perm[a];
    }
    for (int i = 0; i < it->nop; i++)
        if (it->op[i].first)
            it->op[i].now = it->op[i].first += it->op[i].offset;
}

static void order_loops(const knn_nditer_wish *w, knn_nditer *it)
{
    bool allocates = false, fortran = w->order == 'F';
    for (int i = 0; i < it->nop; i++)
        allocates = allocates || !it->op[i].o.array;
    if (w->order == 'A') {
        fortran = true;
        for (int i = 0; i < it->nop; i++)
            fortran = fortran && (!it->op[i].o.array || kn_flags_of(it->op[i].o.array).f_contiguous);
    }
    it->forced = w->order != 'K';
    for (int a = 0; fortran && a < it->ndim / 2; a++)
        swap_axes(it, a, it->ndim - 1 - a);
    if (it->forced)
        return;
    sort_axes(it);
    if (!allocates)
        turn_axes(it);
}

/* ---- Dtypes. */

static void settle_dtypes(kna_op *op, const knn_nditer_wish *w, knn_nditer *it)
{
    bool missing = false, common = it->flags & KNN_COMMON_DTYPE;
    kn_dtype all = NULL;
    for (int i = 0; i < it->nop; i++) {
        const knn_nditer_op *x = &it->op[i];
        missing = missing || !x->dtype;
        if (!x->dtype || (!common && !x->read))
            continue;
        all = all ? knx_promote(all, x->dtype) : x->dtype;
        if (!all) {
            kna_fail(op, KN_ERROR_TYPE, "the operands' dtypes have no common one");
            return;
        }
    }
    if ((missing || common) && !all)
        kna_fail(op, KN_ERROR_TYPE, "no arrays or types available to calculate result type");
    for (int i = 0; i < it->nop && !kna_failed(op); i++) {
        knn_nditer_op *x = &it->op[i];
        if (common || !x->dtype)
            x->dtype = all;
        x->cast = x->o.array && x->o.dtype != x->dtype;
        static const char *const rules[] = {"'no'", "'equiv'", "'safe'", "'same_kind'", "'unsafe'"};
        if (x->cast && x->read && !knx_can_cast(x->o.dtype, x->dtype, w->casting))
            kna_fail(
                op, KN_ERROR_TYPE,
                "Iterator operand %d dtype could not be cast from dtype('%s') to dtype('%s') according to the rule "
                "%s",
                i, x->o.dtype->name, x->dtype->name, rules[w->casting]);
        else if (x->cast && x->write && !knx_can_cast(x->dtype, x->o.dtype, w->casting))
            kna_fail(
                op, KN_ERROR_TYPE,
                "Iterator requested dtype could not be cast from dtype('%s') to dtype('%s'), the operand %d dtype, "
                "according to the rule %s",
                x->dtype->name, x->o.dtype->name, i, rules[w->casting]);
    }
}

/* ---- Outputs and copies. */

/* Zeros, with the axes in memory in this order, the outermost first. NULL with the op failed. */
static kn_array new_array(kna_op *op, kn_dtype d, int ndim, const int64_t *dim, const int64_t *order)
{
    kna_op part;
    bool moved = false;
    kni_type t = kni_type_of(d, ndim, dim);
    knx_error *error = kni_type_check_size(t);
    if (error) {
        kna_fail_with(op, error);
        return NULL;
    }
    for (int i = 1; i < ndim; i++)
        moved = moved || order[i] < order[i - 1];
    kna_begin(&part, "nditer");
    kni_atom zeros = knb_full(part.b, t, 0);
    kn_array y = moved && kni_type_size(t) ? kna_end_permuted(&part, zeros, order) : kna_end(&part, zeros);
    return y;
}

/* The axes of operand i in the order of the loops, the outermost first, and those that no loop goes along behind them;
 * dim: its extents if they are not known yet. Their number, or -1 with the op failed. */
static int axes_in_order(kna_op *op, const knn_nditer_wish *w, const knn_nditer *it, int i, int ndim, int64_t *dim,
                         int64_t *order)
{
    bool seen[KN_MAX_NDIM] = {false}, backwards, reduced = false;
    int n = 0;
    for (int a = it->ndim; a-- > 0;) {
        int axis = knn_nditer_axis(it, a, w->mapped[i] ? it->ndim : ndim, &backwards);
        if (w->mapped[i])
            axis = knn_nditer_op_axis(w->axis[i][axis], &reduced);
        if (axis >= KN_MAX_NDIM || (axis >= it->ndim && dim)) {
            kna_fail(op, KN_ERROR_VALUE,
                     "automatically allocated output array specified with an inconsistent axis mapping; the axis "
                     "mapping cannot include dimension %d which is too large for the iterator dimension of %d.",
                     axis, it->ndim);
            return -1;
        }
        if (axis < 0)
            continue;
        seen[axis] = true;
        order[n++] = axis;
        if (dim)
            dim[axis] = reduced ? 1 : it->shape[a];
    }
    for (int axis = 0; axis < (dim ? n : ndim); axis++) {
        if (seen[axis])
            continue;
        if (dim) {
            kna_fail(op, KN_ERROR_VALUE,
                     "automatically allocated output array specified with an inconsistent axis mapping; the axis "
                     "mapping is missing an entry for dimension %d.",
                     axis);
            return -1;
        }
        order[n++] = axis;
    }
    return n;
}

/* The loops go over x's memory from now on, whose axes are the operand's. */
static void use_memory(const knn_nditer_wish *w, knn_nditer *it, int i)
{
    knn_nditer_op *x = &it->op[i];
    bool backwards, reduced;
    x->offset = 0;
    for (int a = 0; a < it->ndim; a++) {
        int axis = knn_nditer_axis(it, a, w->mapped[i] ? it->ndim : x->o.ndim, &backwards);
        if (w->mapped[i])
            axis = knn_nditer_op_axis(w->axis[i][axis], &reduced);
        if (axis < 0 || x->o.dim[axis] == 1)
            continue;
        int64_t s = x->o.stride[axis];
        knn_nditer_strides(it, a)[i] = backwards ? -s : s;
        x->offset += backwards ? s * (x->o.dim[axis] - 1) : 0;
    }
    x->first = x->now = x->o.data + x->offset;
}

static void allocate(kna_op *op, const knn_nditer_wish *w, knn_nditer *it, int i)
{
    knn_nditer_op *x = &it->op[i];
    int64_t dim[KN_MAX_NDIM] = {0}, order[KN_MAX_NDIM] = {0};
    int ndim = axes_in_order(op, w, it, i, it->ndim, dim, order);
    kn_array y = ndim < 0 ? NULL : new_array(op, x->dtype, ndim, dim, order);
    if (y && knn_operand_open(op, y, true, &x->o))
        use_memory(w, it, i);
    x->cast = false;
    x->made = true;
}

/* A copy of the operand, of the dtype that is asked for, which is written back at the end. */
static void copy_operand(kna_op *op, const knn_nditer_wish *w, knn_nditer *it, int i)
{
    knn_nditer_op *x = &it->op[i];
    int64_t order[KN_MAX_NDIM] = {0};
    knn_operand own;
    axes_in_order(op, w, it, i, x->o.ndim, NULL, order);
    kn_array y = new_array(op, x->dtype, x->o.ndim, x->o.dim, order);
    if (!y || !knn_operand_open(op, y, true, &own))
        return;
    if (x->read)
        knn_copy_elements(&own, &x->o);
    if (x->write)
        x->target = x->o;
    else
        knn_operand_close(&x->o);
    x->o = own;
    x->made = true;
    x->cast = false;
    use_memory(w, it, i);
}

static bool same_memory(const knn_operand *a, const knn_operand *b)
{
    bool same = a->data == b->data && a->ndim == b->ndim && a->dtype == b->dtype;
    for (int d = 0; d < a->ndim && same; d++)
        same = a->dim[d] == b->dim[d] && a->stride[d] == b->stride[d] && (a->stride[d] || a->dim[d] <= 1);
    return same;
}

/* Operands that are written to while others that share their memory are read. */
static void find_overlaps(knn_nditer *it)
{
    for (int i = 0; i < it->nop; i++) {
        knn_nditer_op *x = &it->op[i];
        for (int k = 0; x->o.array && x->write && !x->copied && k < it->nop; k++) {
            const knn_nditer_op *y = &it->op[k];
            if (k == i || !y->o.array || !y->read || y->copied)
                continue;
            if ((x->flags & y->flags & KNN_ELEMENTWISE) && same_memory(&x->o, &y->o))
                continue;
            x->copied = kn_shares_memory(x->o.array, y->o.array);
        }
    }
}

static void make_memory(kna_op *op, const knn_nditer_wish *w, knn_nditer *it)
{
    if (it->flags & KNN_COPY_IF_OVERLAP)
        find_overlaps(it);
    for (int i = 0; i < it->nop && !kna_failed(op); i++) {
        knn_nditer_op *x = &it->op[i];
        bool scalar = x->read && !x->write && !x->o.ndim; /* is copied whether that is allowed or not */
        if (!x->o.array)
            allocate(op, w, it, i);
        else if (x->copied || (x->cast && (scalar || (x->flags & (KNN_COPY | KNN_UPDATEIFCOPY)))))
            copy_operand(op, w, it, i);
        else if (x->cast && !(it->flags & KNN_BUFFERED))
            kna_fail(op, KN_ERROR_TYPE,
                     "Iterator operand required copying or buffering, but neither copying nor buffering was enabled");
        if (!kna_failed(op) && (x->flags & KNN_CONTIG) && knn_nditer_strides(it, 0)[i] != x->dtype->size) {
            x->cast = true; /* it goes through a buffer */
            if (!(it->flags & KNN_BUFFERED))
                kna_fail(op, KN_ERROR_TYPE,
                         "Iterator operand required buffering, to be contiguous as requested, but buffering is not "
                         "enabled");
        }
    }
    for (int i = 0; i < it->nop && !kna_failed(op); i++)
        for (int a = 0; a < it->ndim && it->op[i].reduce && (it->op[i].flags & KNN_WRITEMASKED); a++)
            if (knn_nditer_strides(it, a)[it->maskop] && !knn_nditer_strides(it, a)[i]) {
                kna_fail(op, KN_ERROR_VALUE,
                         "Iterator reduction operand is WRITEMASKED, but also broadcasts to multiple mask values. "
                         "There can be only one mask value per WRITEMASKED element.");
                break;
            }
}

/* ---- All of it. */

knn_nditer *knn_nditer_make(kna_op *op, const knn_nditer_wish *w)
{
    knn_nditer_check_flags(op, w->flags);
    knn_nditer *it = kna_failed(op) ? NULL : new_iterator(op, w);
    if (!it)
        return NULL;
    open_operands(op, w, it);
    if (!kna_failed(op))
        lay_loops(op, w, it);
    if (!kna_failed(op)) {
        order_loops(w, it);
        settle_dtypes(op, w, it);
    }
    if (!kna_failed(op))
        make_memory(op, w, it);
    if (kna_failed(op)) {
        knn_nditer_abandon(it);
        return NULL;
    }
    if (it->ndim > 1 && !(it->flags & KNN_MULTI_INDEX))
        knn_nditer_coalesce(it);
    it->finished = it->itersize == 0;
    if (it->flags & KNN_BUFFERED) {
        knn_nditer_plan_buffers(it, w->buffersize);
        it->delayed = it->flags & KNN_DELAY_BUFALLOC;
        if (!it->delayed && knn_nditer_allocate_buffers(op, it))
            knn_nditer_fill(it);
    } else {
        knn_nditer_show(it);
    }
    if (kna_failed(op)) {
        knn_nditer_abandon(it);
        return NULL;
    }
    return it;
}
