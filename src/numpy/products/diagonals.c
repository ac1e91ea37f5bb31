/* SPDX-License-Identifier: Apache-2.0
 * diagonals.c -- diagonals of matrices, and their sums. */
#include "array/handle.h"
#include "array/layout.h"
#include "lib/internal.h"
#include <string.h>

/* ---- The diagonal: one gather along two axes. It goes behind the other axes, as in NumPy. */

typedef struct diagonal {
    int axis[2];
    int64_t start[2], n; /* its first element, and how many */
} diagonal;

static int matrix_axis(kna_op *op, const char *name, int axis, int ndim)
{
    if (!kna_failed(op) && (axis < -ndim || axis >= ndim))
        kna_fail(op, KN_ERROR_AXIS, "%s: axis %d is out of bounds for array of dimension %d", name, axis, ndim);
    return axis < 0 ? axis + ndim : axis;
}

static diagonal find_diagonal(kna_op *op, kni_type t, int64_t offset, int axis1, int axis2)
{
    diagonal d = {.n = 0};
    if (!kna_failed(op) && t.ndim < 2)
        kna_fail(op, KN_ERROR_VALUE, "diag requires an array of at least two dimensions");
    d.axis[0] = matrix_axis(op, "axis1", axis1, t.ndim);
    d.axis[1] = matrix_axis(op, "axis2", axis2, t.ndim);
    if (!kna_failed(op) && d.axis[0] == d.axis[1])
        kna_fail(op, KN_ERROR_VALUE, "axis1 and axis2 cannot be the same");
    if (kna_failed(op))
        return d;
    int64_t rows = t.dim[d.axis[0]], columns = t.dim[d.axis[1]];
    if (knl_is_extent(offset) && !kna_need_number(op, offset, "the number of a diagonal"))
        return d;
    if (knx_any_symbolic(rows, columns)) {
        d.start[0] = offset < 0 ? -offset : 0;
        d.start[1] = offset > 0 ? offset : 0;
        d.n = knx_dim_max(0, knx_dim_min(rows - d.start[0], columns - d.start[1]));
        return d;
    }
    if (offset > columns || offset < -rows)
        return d;
    d.start[0] = offset < 0 ? -offset : 0;
    d.start[1] = offset > 0 ? offset : 0;
    rows -= d.start[0];
    columns -= d.start[1];
    d.n = rows < columns ? rows : columns;
    return d;
}

static kni_atom read_diagonal(kna_op *op, kni_atom a, const diagonal *d)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, a);
    int64_t offset[KN_MAX_NDIM], size[KN_MAX_NDIM], column[] = {d->n, 1}, map[] = {d->axis[0], d->axis[1]};
    int64_t gone[] = {map[0] < map[1] ? map[0] : map[1], map[0] < map[1] ? map[1] : map[0]};
    int rest = 0;
    kni_atom i = knb_iota(b, KN_DT(I64), 2, column, 0), at[2];
    for (int k = 0; k < 2; k++)
        at[k] = d->start[k] ? knb_add(b, i, knb_integer(b, KN_DT(I64), d->start[k])) : i;
    for (int k = 0; k < t.ndim; k++) {
        bool here = k == d->axis[0] || k == d->axis[1];
        size[k] = here ? (t.dim[k] ? 1 : 0) : t.dim[k];
        if (!here) {
            offset[rest] = rest;
            rest++;
        }
    }
    kni_p_gather g = {.offset_dims = {rest, offset},
                      .collapsed_slice_dims = {2, gone},
                      .start_index_map = {2, map},
                      .slice_sizes = {t.ndim, size},
                      .mode = KN_GATHER_PROMISE};
    return knb_gather(b, a, knb_concatenate(b, 2, at, 1), &g);
}

kn_array knl_diagonal(const char *name, kn_array x, int64_t offset, int axis1, int axis2)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    kni_type t = kna_failed(&op) ? kni_scalar_type(KN_DT(F32)) : knb_type(op.b, a);
    diagonal d = find_diagonal(&op, t, offset, axis1, axis2);
    kni_atom y = read_diagonal(&op, a, &d);
    bool other = !kna_failed(&op) && kna_handle_is_foreign(x); /* of another context: a copy */
    const kna_array *base = kna_failed(&op) || other ? NULL : kna_array_of(&op, x);
    if (!base)
        return kna_end(&op, other ? y : KN_ATOM_NONE);
    kna_layout l;
    kna_layout_of(base, &l);
    l.type = knb_type(op.b, y);
    l.writeable = false; /* as in NumPy */
    int rest = 0;
    for (int k = 0; k < base->type.ndim; k++)
        if (k != d.axis[0] && k != d.axis[1])
            l.stride[rest++] = base->stride[k];
    l.stride[rest] = knx_dim_add(base->stride[d.axis[0]], base->stride[d.axis[1]]);
    for (int k = 0; k < 2 && d.n; k++)
        l.offset = knx_dim_add(l.offset, knx_dim_mul(d.start[k], base->stride[d.axis[k]]));
    return kna_end_view_as(&op, x, a, y, &l, false);
}

kn_array kn_diagonal(kn_array x, const kn_diagonal_opts *opts)
{
    KNX_OPTS(kn_diagonal_opts, o, opts);
    return knl_diagonal("diagonal", x, o.offset, o.axis1, o.axis2);
}

kn_array kn_trace(kn_array x, const kn_trace_opts *opts)
{
    KNX_OPTS(kn_trace_opts, o, opts);
    kna_op op;
    kna_begin(&op, "trace");
    kni_atom a = kna_in(&op, x);
    kni_type t = kna_failed(&op) ? kni_scalar_type(KN_DT(F32)) : knb_type(op.b, a);
    diagonal found = find_diagonal(&op, t, o.offset, o.axis1, o.axis2);
    kni_atom d = read_diagonal(&op, a, &found);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    char kind = t.dtype->kind;
    int64_t last = t.ndim - 2;
    if (o.dtype)
        d = knb_astype(op.b, d, o.dtype);
    else if (kind == KN_KIND_BOOL || kind == KN_KIND_INT || kind == KN_KIND_UINT)
        d = knb_astype(op.b, d, kind == KN_KIND_UINT ? KN_DT(U64) : KN_DT(I64));
    bool truth = o.dtype && o.dtype->kind == KN_KIND_BOOL; /* a bool sum is "any" */
    d = truth ? knb_reduce_or(op.b, d, 1, &last) : knb_reduce_sum(op.b, d, 1, &last);
    const int p = found.axis[0], q = found.axis[1];
    return knl_end_reduced(&op, d, x, NULL, 2, (const int64_t[]){p < q ? p : q, p < q ? q : p}, false);
}
