/* SPDX-License-Identifier: Apache-2.0
 * order.c -- NumPy's memory order of new arrays (order 'K'): that of the operands' strides. Only operands that are
 * views with their axes out of C order make a difference. */
#include "array/handle.h"
#include "array/layout.h"

typedef int64_t axis_strides[KN_MAX_NDIM];

/* Do the strides only get smaller? Axes of extent 1 say nothing; those of stride 0 do where zeros are sorted too. */
static bool in_c_order(const kna_array *a, bool zeros)
{
    int64_t last = 0;
    for (int d = 0, seen = 0; d < a->type.ndim; d++) {
        int64_t s = kna_stride_length(a->stride[d]);
        if (a->type.dim[d] == 1 || (!s && !zeros))
            continue;
        if (seen++ && kna_is_longer(s, last))
            return false;
        last = s;
    }
    return true;
}

static KNX_HOT const kna_array *view_of(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const void *object = kna_handle_peek(x, &kind);
    return kind == KN_H_VIEW ? object : NULL;
}

/* The strides of one operand along the axes of the result; 0 where it is repeated. */
static void strides_along(kni_type t, const int64_t *stride, int ndim, int64_t *along)
{
    for (int d = 0; d < ndim; d++) {
        int k = d - ndim + t.ndim;
        KN_KNOWN(k < 0 || t.dim);
        along[d] = k < 0 || t.dim[k] == 1 ? 0 : kna_stride_length(stride[k]);
    }
}

/* Must the axis p lie further out than q, which has been inside of it so far? 1: yes, -1: no, 0: no one says. As in
 * NumPy's iterator: one operand that says no wins. */
static int lies_inside(int n, const axis_strides *along, int64_t p, int64_t q)
{
    int verdict = 0;
    for (int i = 0; i < n; i++) {
        if (!along[i][p] || !along[i][q])
            continue;
        if (!kna_is_longer(along[i][q], along[i][p]))
            return -1;
        verdict = 1;
    }
    return verdict;
}

/* order[]: the axes from the outermost in memory to the innermost, as NumPy's iterator sorts them. */
static void sort_by_operands(int ndim, int n, const axis_strides *along, int64_t *order)
{
    for (int i = 0; i < ndim; i++)
        order[i] = i;
    for (int i = ndim - 2; i >= 0; i--) { /* insert axis i among those inside of it */
        int to = i;
        for (int k = i + 1; k < ndim; k++) {
            int verdict = lies_inside(n, along, i, order[k]);
            if (verdict < 0)
                break;
            if (verdict > 0)
                to = k;
        }
        for (int k = i; k < to; k++)
            order[k] = order[k + 1];
        order[to] = i;
    }
}

/* The same for a copy of one array: axes of stride 0 are the innermost. */
static void sort_by_strides(const kna_array *a, int64_t *order)
{
    for (int i = 0; i < a->type.ndim; i++) {
        int to = i;
        int64_t s = kna_stride_length(a->stride[i]);
        for (; to > 0 && kna_is_longer(s, kna_stride_length(a->stride[order[to - 1]])); to--)
            order[to] = order[to - 1];
        order[to] = i;
    }
}

/* Axes of extent 1 may lie anywhere: is the order C's but for them? */
static bool changes(kni_type t, const int64_t *order)
{
    int64_t last = -1;
    for (int i = 0; i < t.ndim; i++) {
        if (t.dim[order[i]] == 1)
            continue;
        if (order[i] < last)
            return true;
        last = order[i];
    }
    return false;
}

/* The same of an operand (NULL: of a scalar). False if it has more axes. */
static bool operand_along(kna_op *op, kn_array x, int ndim, int64_t *along)
{
    const kna_array *a = x ? view_of(x) : NULL;
    kni_type own = a ? a->type : x ? kna_type(op, x) : kni_scalar_type(KN_DT(F32));
    int64_t stride[KN_MAX_NDIM];
    if (own.ndim > ndim) /* not an elementwise function of this operand */
        return false;
    if (!a)
        kna_contiguous_strides(own, stride);
    strides_along(own, a ? a->stride : stride, ndim, along);
    return true;
}

void kna_walking_order(kna_op *op, const kna_array *a, kn_array beside, int64_t *order)
{
    axis_strides along[2];
    int ndim = a->type.ndim;
    strides_along(a->type, a->stride, ndim, along[0]);
    sort_by_operands(ndim, 1 + (beside && operand_along(op, beside, ndim, along[1])), (const axis_strides *)along,
                     order);
}

static kn_array end_ordered(kna_op *op, kni_atom result, int n, const kn_array *operands)
{
    kni_type t = knb_type(op->b, result);
    axis_strides *along = knx_arena_alloc(&op->b->arena, (size_t)n * sizeof *along);
    int64_t order[KN_MAX_NDIM];
    if (!along) {
        kna_fail_with(op, knx_error_nomem());
        return kna_end(op, KN_ATOM_NONE);
    }
    for (int i = 0; i < n; i++)
        if (!operand_along(op, operands[i], t.ndim, along[i]))
            return kna_end(op, result);
    sort_by_operands(t.ndim, n, (const axis_strides *)along, order);
    return changes(t, order) ? kna_end_permuted(op, result, order) : kna_end(op, result);
}

KNX_HOT kn_array kna_end_in_order(kna_op *op, kni_atom result, int n, const kn_array *operands)
{
    for (int i = 0; i < n; i++) {
        const kna_array *a = operands[i] ? view_of(operands[i]) : NULL;
        if (a && a->type.ndim > 1 && !in_c_order(a, false))
            return kna_failed(op) || !kni_type_size(knb_type(op->b, result)) ? kna_end(op, result)
                                                                             : end_ordered(op, result, n, operands);
    }
    return kna_end(op, result);
}

bool kna_order_like(kn_array x, int64_t *order)
{
    const kna_array *a = view_of(x);
    if (!a || a->type.ndim < 2 || in_c_order(a, true) || !kni_type_size(a->type))
        return false;
    sort_by_strides(a, order);
    return changes(a->type, order);
}

kn_array kna_end_like(kna_op *op, kni_atom result, kn_array x)
{
    int64_t order[KN_MAX_NDIM] = {0};
    bool ordered = !kna_failed(op) && kna_order_like(x, order) && knb_type(op->b, result).ndim == kna_type(op, x).ndim;
    return ordered ? kna_end_permuted(op, result, order) : kna_end(op, result);
}
