/* SPDX-License-Identifier: Apache-2.0
 * orders.c -- NumPy's memory order of results that have other axes than their operands: reductions keep the order of
 * the axes that are left, joined arrays have an order that suits all of them. See also array/order.c. */
#include "array/handle.h"
#include "array/layout.h"
#include "lib/compose.h"

static KNX_HOT const kna_array *view_of(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const void *object = kna_handle_peek(x, &kind);
    return kind == KN_H_VIEW ? object : NULL;
}

static bool is_sorted(int n, const int64_t *order)
{
    for (int i = 1; i < n; i++)
        if (order[i] < order[i - 1])
            return false;
    return true;
}

static kn_array end_in(kna_op *op, kni_atom y, int n, const int64_t *order)
{
    return is_sorted(n, order) || !kni_type_size(knb_type(op->b, y)) ? kna_end(op, y) : kna_end_permuted(op, y, order);
}

KNX_HOT kn_array knl_end_reduced(kna_op *op, kni_atom y, kn_array x, kn_array where, int n, const int64_t *axes,
                                 bool kept)
{
    const kna_array *a = kna_failed(op) ? NULL : view_of(x);
    if (!a || a->type.ndim < 2 || knb_type(op->b, y).ndim != a->type.ndim - (kept ? 0 : n))
        return kna_end(op, y);
    int64_t walk[KN_MAX_NDIM], order[KN_MAX_NDIM], place[KN_MAX_NDIM];
    int left = 0, next = 0, count = 0;
    for (int d = 0; d < a->type.ndim; d++) { /* where axis d of x is in the result; -1: nowhere */
        bool gone = next < n && axes[next] == d;
        next += gone;
        place[d] = gone && !kept ? -1 : left++;
    }
    kna_walking_order(op, a, where, walk);
    for (int i = 0; i < a->type.ndim; i++)
        if (place[walk[i]] >= 0)
            order[count++] = place[walk[i]];
    return end_in(op, y, count, order);
}

/* Must axis p lie further out than q, which has been outside of it so far? 1: yes, -1: no, 0: no operand says. The
 * axis `fresh` is one that the operands do not have. */
static int lies_outside(int n, const kn_array *x, int fresh, int p, int q)
{
    int verdict = 0;
    if (p == fresh || q == fresh)
        return 0;
    p -= fresh >= 0 && p > fresh;
    q -= fresh >= 0 && q > fresh;
    for (int i = 0; i < n; i++) {
        const kna_array *a = view_of(x[i]);
        kni_type t = a ? a->type : kni_scalar_type(KN_DT(F32));
        if (a && (t.dim[p] == 1 || t.dim[q] == 1))
            continue;
        if (!a || !kna_is_longer(kna_stride_length(a->stride[p]), kna_stride_length(a->stride[q])))
            return -1; /* a bare array lies in C order; one operand that says no wins */
        verdict = 1;
    }
    return verdict;
}

kn_array knl_end_joined(kna_op *op, kni_atom y, int n, const kn_array *x, int fresh)
{
    bool any = false;
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, y).ndim;
    int64_t order[KN_MAX_NDIM];
    for (int i = 0; i < n && ndim > 1; i++) {
        const kna_array *a = view_of(x[i]);
        if (a && a->type.ndim != ndim - (fresh >= 0))
            return kna_end(op, y);
        any = any || a;
    }
    if (!any)
        return kna_end(op, y);
    for (int i = 0; i < ndim; i++) {
        int to = i;
        for (int k = i - 1; k >= 0; k--) {
            int verdict = lies_outside(n, x, fresh, i, (int)order[k]);
            if (verdict < 0)
                break;
            if (verdict > 0)
                to = k;
        }
        for (int k = i; k > to; k--)
            order[k] = order[k - 1];
        order[to] = i;
    }
    return end_in(op, y, ndim, order);
}

void knl_end_two(kna_op *op, const kni_atom parts[2], kn_array y[2], int n, const kn_array *operands)
{
    bool views = false;
    for (int i = 0; i < n && !kna_failed(op); i++)
        views = views || view_of(operands[i]);
    if (!views) {
        kna_end_n(op, 2, parts, y);
        return;
    }
    kna_op part;
    kna_begin(&part, "");
    y[0] = kna_end_in_order(&part, parts[0], n, operands);
    y[1] = kna_end_in_order(op, parts[1], n, operands);
}

kn_array knl_made_like(knl_body *c, kni_atom a, kn_array x)
{
    int64_t order[KN_MAX_NDIM];
    int ndim = kna_failed(&c->op) ? 0 : knb_type(c->op.b, a).ndim;
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    if (ndim < 2 || !knl_is_fortran(&c->op, x) || !kni_type_size(knb_type(c->op.b, a)))
        return knl_made(c, a);
    kna_op op;
    kna_begin(&op, "");
    return kna_end_permuted(&op, a, order);
}
