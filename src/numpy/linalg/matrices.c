/* SPDX-License-Identifier: Apache-2.0
 * matrices.c -- operands of linear algebra: their dtypes, their shapes, NumPy's errors for others. */
#include "numpy/linalg/matrices.h"
#include <string.h>

static bool is_matrix(kna_op *op, kn_array a, bool square)
{
    kni_type t = kna_type(op, a);
    if (kna_failed(op))
        return false;
    if (t.ndim < 2)
        kna_fail(op, KN_ERROR_LINALG, "%d-dimensional array given. Array must be at least two-dimensional", t.ndim);
    else if (square && !knx_dim_eq(t.dim[t.ndim - 1], t.dim[t.ndim - 2]))
        kna_fail(op, KN_ERROR_LINALG, "Last 2 dimensions of the array must be square");
    return !kna_failed(op);
}

/* float16 is refused even beside wider arrays. */
static kn_dtype one_dtype(kna_op *op, const char *name, kn_array x)
{
    kni_type t = kna_type(op, x);
    kn_dtype d = t.weak ? kna_strong_dtype(t) : t.dtype;
    if (kna_failed(op) || knl_not_a_number(op, name, d))
        return NULL;
    if (knx_is_inexact(d) && d->size == 2)
        kna_fail(op, KN_ERROR_TYPE, "array type %s is unsupported in linalg", d->name);
    return knl_inexact_for(d);
}

bool knn_matrices_begin(knn_matrices *m, const char *name, knn_matrix_kind kind, int n, const kn_array *x)
{
    kna_begin(&m->op, name);
    for (int i = 0; i < KNN_MAX_MATRICES; i++)
        m->x[i] = KN_ATOM_NONE;
    if (!is_matrix(&m->op, x[0], kind == KNN_SQUARE))
        return false;
    for (int i = 0; i < n; i++) {
        kn_dtype d = one_dtype(&m->op, name, x[i]);
        if (kna_failed(&m->op))
            return false;
        m->dtype = i ? knx_promote(m->dtype, d) : d;
    }
    for (int i = 0; i < n; i++)
        m->x[i] = kna_in_as(&m->op, x[i], m->dtype);
    kni_type t = knb_type(m->op.b, m->x[0]);
    if (kna_failed(&m->op))
        return false;
    m->rows = t.dim[t.ndim - 2];
    m->columns = t.dim[t.ndim - 1];
    return true;
}

kn_array knn_matrices_end(knn_matrices *m, kni_atom y)
{
    return kna_end(&m->op, kna_failed(&m->op) ? KN_ATOM_NONE : y);
}

/* ---- Right-hand sides. */

static void refuse_rows(knn_matrices *m, bool vector, int64_t rows, int64_t wanted)
{
    knx_text s = {0}, u = {0};
    kna_fail(&m->op, KN_ERROR_VALUE,
             "Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s (size %s is different "
             "from %s)",
             vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)", knx_dim_show(&s, rows), knx_dim_show(&u, wanted));
}

/* The axes in front of the matrices, broadcast. */
static void common_batch(knn_matrices *m, kni_type x, kni_type y, int y_tail, kn_shape *batch)
{
    int nx = x.ndim - 2, ny = y.ndim - y_tail, n = nx > ny ? nx : ny;
    *batch = (kn_shape){.ndim = n};
    for (int i = 0; i < n; i++) {
        int64_t a = i < n - nx ? 1 : x.dim[i - (n - nx)], b = i < n - ny ? 1 : y.dim[i - (n - ny)];
        if (a != 1 && b != 1 && !knx_dim_eq(a, b)) {
            knx_text s = {0}, t = {0};
            kna_fail(&m->op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                     knx_show_shape(&s, x.ndim, x.dim), knx_show_shape(&t, y.ndim, y.dim));
            return;
        }
        batch->dim[i] = a == 1 ? b : a;
    }
}

bool knn_right_side_begin(knn_matrices *m, kni_atom y, int64_t rows, knn_right_side *r)
{
    kni_builder *b = m->op.b;
    kni_type t = knb_type(b, y);
    *r = (knn_right_side){.vector = t.ndim == 1, .y = y};
    if (kna_failed(&m->op))
        return false;
    if (t.ndim == 0)
        kna_fail(&m->op, KN_ERROR_VALUE,
                 "Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
                 "(m,m),(m,n)->(m,n) requires 2)");
    else if (!knx_dim_eq(t.dim[r->vector ? 0 : t.ndim - 2], rows))
        refuse_rows(m, r->vector, t.dim[r->vector ? 0 : t.ndim - 2], rows);
    else
        common_batch(m, knb_type(b, m->x[0]), t, r->vector ? 1 : 2, &r->batch);
    if (kna_failed(&m->op))
        return false;
    r->y = knn_stacked(m, r, r->vector ? knb_expand_dims(b, y, 1) : y, 2);
    return !kna_failed(&m->op);
}

kni_atom knn_stacked(knn_matrices *m, const knn_right_side *r, kni_atom x, int tail)
{
    kni_type t = knb_type(m->op.b, x);
    kn_shape s = r->batch;
    if (kna_failed(&m->op))
        return KN_ATOM_NONE;
    for (int i = t.ndim - tail; i < t.ndim; i++)
        s.dim[s.ndim++] = t.dim[i];
    return knb_broadcast_to(m->op.b, x, knl_shaped(t.dtype, &s));
}

kni_atom knn_right_side_end(knn_matrices *m, const knn_right_side *r, kni_atom x)
{
    if (kna_failed(&m->op) || !r->vector)
        return x;
    return knb_squeeze(m->op.b, x, 1, (int64_t[]){r->batch.ndim + 1});
}

/* ---- Matrices. */

kni_atom knn_identity(knn_matrices *m, int64_t n)
{
    kni_type t = knb_type(m->op.b, m->x[0]);
    kn_shape s = {.ndim = t.ndim};
    if (kna_failed(&m->op))
        return KN_ATOM_NONE;
    memcpy(s.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    s.dim[t.ndim - 2] = s.dim[t.ndim - 1] = n;
    kni_atom x = knb_zeros(m->op.b, knl_shaped(m->dtype, &s));
    return knb_on_diagonal(m->op.b, x, knb_like(m->op.b, x, 1), x);
}

static kni_atom cut(kni_builder *b, kni_atom x, int from_last, int64_t from, int64_t to)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        limit[i] = t.dim[i];
    int axis = t.ndim - from_last;
    if (from == 0 && knx_dim_eq(t.dim[axis], to))
        return x;
    start[axis] = from;
    limit[axis] = to;
    return knb_slice(b, x, start, limit, NULL);
}

kni_atom knn_cut(kni_builder *b, kni_atom x, bool columns, int64_t from, int64_t to)
{
    return cut(b, x, columns ? 1 : 2, from, to);
}
kni_atom knn_last(kni_builder *b, kni_atom x, int64_t from, int64_t to) { return cut(b, x, 1, from, to); }

kni_atom knn_adjoint(kni_builder *b, kni_atom x) { return knb_swap_last(b, knb_conj(b, x)); }

int64_t knn_count(kna_op *op, kn_array truth)
{
    kni_type t;
    const int64_t *at = kna_failed(op) ? NULL : kna_look(op, kn_count_nonzero(truth, NULL), &t);
    return at ? *at : 0;
}

kni_atom knn_solve_lu(kni_builder *b, kni_atom lu, kni_atom y)
{
    y = knb_triangular_solve(b, lu, y,
                             &(kni_p_triangular_solve){.left_side = true, .lower = true, .unit_diagonal = true});
    return knb_triangular_solve(b, lu, y, &(kni_p_triangular_solve){.left_side = true});
}
