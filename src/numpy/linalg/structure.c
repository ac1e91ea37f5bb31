/* SPDX-License-Identifier: Apache-2.0
 * structure.c -- scipy.linalg: what can be seen of matrices (bands, symmetry), and factors and products that follow
 * from others at once: ldl, rq, orthogonal_procrustes, khatri_rao. */
#include "numpy/linalg/matrices.h"
#include "lib/compose.h"
#include <string.h>

static kn_array range(int64_t n) { return kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL); }
static kn_array with_axis(kn_array x, int axis)
{
    const kn_axes at = knl_one_axis(axis);
    return kn_expand_dims(x, &at);
}
static const kn_axes matrix_axes = {.n = 3, .axis = {-2, -1}};

kn_linalg_bandwidth_result kn_linalg_bandwidth(kn_array a)
{
    knl_body c;
    kn_array y[2] = {NULL, NULL};
    knl_begin(&c, "bandwidth");
    kni_type t = kna_type(&c.op, a);
    if (!kna_failed(&c.op) && t.ndim < 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "Input array has to be at least 2D, got %d dimensions", t.ndim);
    if (!kna_failed(&c.op)) {
        kn_array by = kn_subtract(with_axis(range(t.dim[t.ndim - 2]), 1), range(t.dim[t.ndim - 1]));
        kn_array there = kn_not_equal(a, kn_like_int(0)), zero = kn_like_int(0);
        const kn_max_opts o = {.size_ = sizeof o, .axis = matrix_axes, .initial = kn_like_int(0)};
        y[0] = kn_max(kn_where(there, by, zero), &o);
        y[1] = kn_max(kn_where(there, kn_negative(by), zero), &o);
    }
    knl_end_n(&c, 2, y);
    return (kn_linalg_bandwidth_result){y[0], y[1]};
}

/* Without tolerances: equality. As in SciPy, these say no to what is not square. */
static kn_array is_own(const char *name, kn_array a, const kn_linalg_issymmetric_opts *o, bool conjugate)
{
    knl_body c;
    kn_array y = NULL;
    knl_begin(&c, name);
    kni_type t = kna_type(&c.op, a);
    if (!kna_failed(&c.op) && t.ndim < 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "Input array must be at least 2D, got %d dimensions", t.ndim);
    else if (!kna_failed(&c.op) && !knx_dim_eq(t.dim[t.ndim - 1], t.dim[t.ndim - 2])) {
        kn_shape stack = {.ndim = t.ndim - 2};
        memcpy(stack.dim, t.dim, (size_t)stack.ndim * sizeof *t.dim);
        y = kn_zeros(&stack, KNL_WITH(kn_zeros_opts, .dtype = KN_BOOL));
    } else if (!kna_failed(&c.op)) {
        kn_array other = kn_matrix_transpose(conjugate ? kn_conj(a) : a), same;
        if (o->atol == 0 && o->rtol == 0)
            same = kn_equal(a, other);
        else {
            kn_array allowed =
                kn_add(kn_like_double(o->atol), kn_multiply(kn_like_double(o->rtol), kn_absolute(other)));
            same = kn_less_equal(kn_absolute(kn_subtract(a, other)), allowed);
        }
        const kn_any_opts over = {.size_ = sizeof over, .axis = matrix_axes};
        y = kn_all(same, &over);
    }
    return knl_end(&c, y);
}

kn_array kn_linalg_issymmetric(kn_array a, const kn_linalg_issymmetric_opts *opts)
{
    KNX_OPTS(kn_linalg_issymmetric_opts, o, opts);
    return is_own("issymmetric", a, &o, false);
}

kn_array kn_linalg_ishermitian(kn_array a, const kn_linalg_issymmetric_opts *opts)
{
    KNX_OPTS(kn_linalg_issymmetric_opts, o, opts);
    return is_own("ishermitian", a, &o, true);
}

/* ---- Factors. */

kn_linalg_ldl_result kn_linalg_ldl(kn_array a, const kn_linalg_ldl_opts *opts)
{
    KNX_OPTS(kn_linalg_ldl_opts, o, opts);
    knn_matrices m;
    kni_atom y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[3];
    if (knn_matrices_begin(&m, "ldl", KNN_SQUARE, 1, &a))
        knb_ldl(m.op.b, m.x[0], &(kni_p_ldl){.lower = o.lower, .hermitian = o.hermitian}, y);
    kna_end_n(&m.op, 3, y, result);
    return (kn_linalg_ldl_result){result[0], result[1], result[2]};
}

/* With j in reverse order, (j a)^H = q r gives a = (j r^H j) (j q^H): r^H is lower triangular, and upper after both
 * turns. */
kn_linalg_rq_result kn_linalg_rq(kn_array a, const kn_linalg_rq_opts *opts)
{
    KNX_OPTS(kn_linalg_rq_opts, o, opts);
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, f[2];
    kn_array result[2];
    if (knn_matrices_begin(&m, "rq", KNN_ANY_MATRIX, 1, &a)) {
        kni_builder *b = m.op.b;
        bool full = !o.mode || !strcmp(o.mode, "full");
        if (!full && strcmp(o.mode, "economic") && strcmp(o.mode, "r"))
            kna_fail(&m.op, KN_ERROR_VALUE, "Mode argument should be one of ['full', 'r', 'economic']");
        else {
            int64_t row = knb_type(b, m.x[0]).ndim - 2, both[] = {row, row + 1};
            knb_qr(b, knn_adjoint(b, knb_rev(b, m.x[0], 1, &row)), &(kni_p_qr){.full_matrices = full}, f);
            y[0] = knb_rev(b, knn_adjoint(b, f[1]), 2, both);
            y[1] = knb_rev(b, knn_adjoint(b, f[0]), 1, &row);
        }
    }
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_rq_result){result[0], result[1]};
}

kn_linalg_orthogonal_procrustes_result kn_linalg_orthogonal_procrustes(kn_array a, kn_array b)
{
    knl_body c;
    kn_array y[2] = {NULL, NULL};
    knl_begin(&c, "orthogonal_procrustes");
    kni_type t = kna_type(&c.op, a), u = kna_type(&c.op, b);
    if (!kna_failed(&c.op) && t.ndim != 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "expected ndim to be 2, but observed %d", t.ndim);
    else if (!kna_failed(&c.op) &&
             (u.ndim != 2 || !knx_dim_eq(t.dim[0], u.dim[0]) || !knx_dim_eq(t.dim[1], u.dim[1]))) {
        knx_text p = {0}, q = {0};
        kna_fail(&c.op, KN_ERROR_VALUE, "the shapes of A and B differ (%s vs %s)", knx_show_shape(&p, t.ndim, t.dim),
                 knx_show_shape(&q, u.ndim, u.dim));
    }
    if (!kna_failed(&c.op)) {
        kn_array product = kn_matmul(kn_conj(kn_matrix_transpose(a)), b);
        kn_linalg_svd_result s = kn_linalg_svd(product, KNL_WITH(kn_linalg_svd_opts, .compute_uv = true));
        y[0] = kn_matmul(s.u, s.vh);
        y[1] = kn_sum(s.s, NULL);
    }
    knl_end_n(&c, 2, y);
    return (kn_linalg_orthogonal_procrustes_result){y[0], y[1]};
}

/* ---- Products. */

/* Columns are Kronecker's products of columns. */
kn_array kn_linalg_khatri_rao(kn_array a, kn_array b)
{
    knl_body c;
    kn_array y = NULL;
    knl_begin(&c, "khatri_rao");
    kni_type t = kna_type(&c.op, a), u = kna_type(&c.op, b);
    if (!kna_failed(&c.op) && (t.ndim < 2 || u.ndim < 2))
        kna_fail(&c.op, KN_ERROR_VALUE, "The both arrays should be 2-dimensional.");
    else if (!kna_failed(&c.op) && !knx_dim_eq(t.dim[t.ndim - 1], u.dim[u.ndim - 1]))
        kna_fail(&c.op, KN_ERROR_VALUE, "The number of columns for both arrays should be equal.");
    if (!kna_failed(&c.op)) {
        kn_array product = kn_multiply(with_axis(a, -2), with_axis(b, -3));
        kni_type p = kna_type(&c.op, product);
        kn_shape shape = {.ndim = p.ndim - 1};
        if (!kna_failed(&c.op)) {
            memcpy(shape.dim, p.dim, (size_t)p.ndim * sizeof *p.dim);
            shape.dim[p.ndim - 3] = knx_dim_mul(p.dim[p.ndim - 3], p.dim[p.ndim - 2]);
            shape.dim[p.ndim - 2] = p.dim[p.ndim - 1];
            y = kn_reshape(product, &shape, NULL);
        }
    }
    return knl_end(&c, y);
}

/* The m x n matrix with s on its diagonal. */
kn_array kn_linalg_diagsvd(kn_array s, int64_t m, int64_t n)
{
    knl_body c;
    kn_array y = NULL;
    knl_begin(&c, "diagsvd");
    kni_type t = kna_type(&c.op, s);
    if (!kna_failed(&c.op) && (t.ndim != 1 || (!knx_dim_eq(t.dim[0], m) && !knx_dim_eq(t.dim[0], n)) ||
                               knx_dim_lt(m, t.dim[0]) || knx_dim_lt(n, t.dim[0])))
        kna_fail(&c.op, KN_ERROR_VALUE, "Length of s must be M or N.");
    if (!kna_failed(&c.op)) {
        kn_array on = kn_equal(with_axis(range(m), 1), range(n));
        kn_array place = kn_minimum(range(n), kn_like_int(knx_dim_max(knx_dim_sub(t.dim[0], 1), 0)));
        kn_array row = knx_dim_eq(t.dim[0], 0)
                           ? kn_zeros(&(kn_shape){1, {n}}, KNL_WITH(kn_zeros_opts, .dtype = t.dtype))
                           : kn_take(s, place, KNL_WITH(kn_take_opts, .mode = "clip"));
        y = kn_where(on, row, kn_like_int(0));
    }
    return knl_end(&c, y);
}
