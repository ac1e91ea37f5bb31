/* SPDX-License-Identifier: Apache-2.0
 * products.c -- the products of np.linalg: chains of matrices, powers, and the functions that np has too. */
#include "base/memory.h"
#include "kiln/linalg.h"
#include "lib/compose.h"
#include <string.h>

/* --- chains ----------------------------------------------------------------------------------- */

typedef struct chain {
    kn_list arrays;
    int n;
    const double *extent; /* n + 1: matrix i is extent[i] times extent[i + 1] */
    double *cost;         /* n times n: of the product from i to j */
    int *split;           /* n times n: its left factor ends here */
} chain;

static void find_splits(chain *c)
{
    int n = c->n;
    const double *p = c->extent;
    for (int i = 0; i < n; i++)
        c->cost[i * n + i] = 0;
    for (int length = 1; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            int j = i + length, at = i * n + j;
            for (int k = i; k < j; k++) {
                double cost = c->cost[i * n + k] + c->cost[(k + 1) * n + j] + p[i] * p[k + 1] * p[j + 1];
                if (k == i || cost < c->cost[at]) {
                    c->cost[at] = cost;
                    c->split[at] = k;
                }
            }
        }
}

static kn_array multiply(const chain *c, int i, int j)
{
    if (i == j)
        return kn_list_get(c->arrays, i);
    int k = c->split[i * c->n + j];
    kn_array left = multiply(c, i, k), right = multiply(c, k + 1, j);
    return kn_dot(left, right);
}

/* One that is an expression counts as 8, as in JAX. */
static double extent_number(int64_t extent) { return knx_is_symbolic(extent) ? 8 : (double)extent; }

/* Matrices, but for vectors at the ends, which are one row and one column. */
static void read_extents(knl_body *b, chain *c, double *extent)
{
    for (int i = 0; i < c->n && !kna_failed(&b->op); i++) {
        kni_type t = kna_type(&b->op, kn_list_get(c->arrays, i));
        bool vector = t.ndim == 1 && (i == 0 || i == c->n - 1);
        if (kna_failed(&b->op))
            return;
        if (t.ndim != 2 && !vector) {
            kna_fail(&b->op, KN_ERROR_LINALG, "%d-dimensional array given. Array must be two-dimensional", t.ndim);
            return;
        }
        extent[i] = vector && !i ? 1 : extent_number(t.dim[0]);
        extent[i + 1] = vector && i ? 1 : extent_number(t.dim[t.ndim - 1]);
    }
}

kn_array kn_linalg_multi_dot(kn_list arrays)
{
    knl_body b;
    knl_begin(&b, "multi_dot");
    chain c = {.arrays = arrays, .n = kn_list_count(arrays)};
    if (!kna_failed(&b.op) && c.n < 2)
        kna_fail(&b.op, KN_ERROR_VALUE, "Expecting at least two arrays.");
    if (kna_failed(&b.op))
        return knl_end(&b, NULL);
    if (c.n == 2)
        return knl_end(&b, kn_dot(kn_list_get(arrays, 0), kn_list_get(arrays, 1)));
    size_t n = (size_t)c.n;
    double *extent = knx_alloc_zero((n + 1) * sizeof *extent);
    c.extent = extent;
    c.cost = knx_alloc_zero(n * n * sizeof *c.cost);
    c.split = knx_alloc_zero(n * n * sizeof *c.split);
    kn_array y = NULL;
    if (!extent || !c.cost || !c.split)
        kna_fail_with(&b.op, knx_error_nomem());
    else
        read_extents(&b, &c, extent);
    if (!kna_failed(&b.op)) {
        find_splits(&c);
        y = multiply(&c, 0, c.n - 1);
    }
    knx_free(extent);
    knx_free(c.cost);
    knx_free(c.split);
    return knl_end(&b, y);
}

/* --- powers ----------------------------------------------------------------------------------- */

static kn_array identities(kni_type t)
{
    kn_shape shape = {.ndim = t.ndim};
    memcpy(shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    kn_dtype d = t.weak ? kna_strong_dtype(t) : t.dtype;
    return kn_copy(kn_broadcast_to(kn_eye(t.dim[t.ndim - 1], KNL_WITH(kn_eye_opts, .M = -1, .dtype = d)), &shape),
                   NULL);
}

kn_array kn_linalg_matrix_power(kn_array a, int64_t n)
{
    knl_body b;
    knl_begin(&b, "matrix_power");
    kni_type t = kna_type(&b.op, a);
    if (!kna_failed(&b.op) && t.ndim < 2)
        kna_fail(&b.op, KN_ERROR_LINALG, "%d-dimensional array given. Array must be at least two-dimensional", t.ndim);
    else if (!kna_failed(&b.op) && !knx_dim_eq(t.dim[t.ndim - 1], t.dim[t.ndim - 2]))
        kna_fail(&b.op, KN_ERROR_LINALG, "Last 2 dimensions of the array must be square");
    if (kna_failed(&b.op))
        return knl_end(&b, NULL);
    if (n == 0)
        return knl_end(&b, identities(t));
    kn_array square = n < 0 ? kn_linalg_inv(a) : kn_asarray(a, NULL), y = NULL;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    if (left == 3) /* as NumPy orders it */
        return knl_end(&b, kn_matmul(kn_matmul(square, square), square));
    for (;; square = kn_matmul(square, square)) {
        if (left & 1)
            y = y ? kn_matmul(y, square) : square;
        left >>= 1;
        if (!left)
            return knl_end(&b, y);
    }
}

/* --- what np has too -------------------------------------------------------------------------- */

kn_array kn_linalg_matmul(kn_array x1, kn_array x2) { return kn_matmul(x1, x2); }

kn_array kn_linalg_tensordot(kn_array x1, kn_array x2, const kn_tensordot_opts *opts)
{
    return kn_tensordot(x1, x2, opts);
}

kn_array kn_linalg_vecdot(kn_array x1, kn_array x2, const kn_linalg_vecdot_opts *opts)
{
    KNX_OPTS(kn_linalg_vecdot_opts, o, opts);
    return knl_vecdot(x1, x2, o.axis);
}

kn_array kn_linalg_outer(kn_array x1, kn_array x2)
{
    knl_body b;
    knl_begin(&b, "outer");
    kni_type x = kna_type(&b.op, x1), y = kna_type(&b.op, x2);
    if (!kna_failed(&b.op) && (x.ndim != 1 || y.ndim != 1))
        kna_fail(&b.op, KN_ERROR_VALUE, "Input arrays must be one-dimensional, but they are x1.ndim=%d and x2.ndim=%d.",
                 x.ndim, y.ndim);
    return knl_end(&b, kna_failed(&b.op) ? NULL : kn_outer(x1, x2));
}

/* The extent of an axis, as x.shape[axis] has it. */
static int64_t extent_of(kna_op *op, kni_type t, int axis)
{
    if (kna_failed(op) || axis < -t.ndim || axis >= t.ndim) {
        if (!kna_failed(op))
            kna_fail(op, KN_ERROR_INDEX, "tuple index out of range");
        return 0;
    }
    return t.dim[axis < 0 ? axis + t.ndim : axis];
}

kn_array kn_linalg_cross(kn_array x1, kn_array x2, const kn_linalg_cross_opts *opts)
{
    KNX_OPTS(kn_linalg_cross_opts, o, opts);
    knl_body b;
    knl_begin(&b, "cross");
    kni_type x = kna_type(&b.op, x1), y = kna_type(&b.op, x2);
    int64_t n = extent_of(&b.op, x, o.axis), m = extent_of(&b.op, y, o.axis);
    if (!kna_failed(&b.op) && (!knx_dim_eq(n, 3) || !knx_dim_eq(m, 3))) {
        knx_text s = {0}, t = {0};
        kna_fail(&b.op, KN_ERROR_VALUE,
                 "Both input arrays must be (arrays of) 3-dimensional vectors, but they are %s and %s dimensional "
                 "instead.",
                 knx_dim_show(&s, n), knx_dim_show(&t, m));
    }
    kn_cross_opts c = kn_cross_opts_default();
    c.axis = knl_one_axis(o.axis);
    return knl_end(&b, kna_failed(&b.op) ? NULL : kn_cross(x1, x2, &c));
}

kn_array kn_linalg_diagonal(kn_array x, const kn_linalg_diagonal_opts *opts)
{
    KNX_OPTS(kn_linalg_diagonal_opts, o, opts);
    return kn_diagonal(x, KNL_WITH(kn_diagonal_opts, .offset = o.offset, .axis1 = -2, .axis2 = -1));
}

kn_array kn_linalg_trace(kn_array x, const kn_linalg_trace_opts *opts)
{
    KNX_OPTS(kn_linalg_trace_opts, o, opts);
    return kn_trace(x, KNL_WITH(kn_trace_opts, .offset = o.offset, .axis1 = -2, .axis2 = -1, .dtype = o.dtype));
}

kn_array kn_linalg_matrix_transpose(kn_array x) { return kn_matrix_transpose(x); }
