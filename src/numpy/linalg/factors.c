/* SPDX-License-Identifier: Apache-2.0
 * factors.c -- scipy.linalg: triangular, LU and Cholesky factors by themselves, and systems that are solved with them.
 */
#include "numpy/linalg/matrices.h"

typedef kni_p_triangular_solve triangular;

/* ---- Triangular systems. */

kn_array kn_linalg_solve_triangular(kn_array a, kn_array b, const kn_linalg_solve_triangular_opts *opts)
{
    KNX_OPTS(kn_linalg_solve_triangular_opts, o, opts);
    knn_matrices m;
    knn_right_side r;
    if (knn_matrices_begin(&m, "solve_triangular", KNN_SQUARE, 2, (kn_array[]){a, b}) && (o.trans < 0 || o.trans > 2))
        kna_fail(&m.op, KN_ERROR_VALUE, "trans must be 0, 1 or 2, got %d", o.trans);
    if (kna_failed(&m.op) || !knn_right_side_begin(&m, m.x[1], m.rows, &r))
        return kna_end(&m.op, KN_ATOM_NONE);
    const triangular p = {.left_side = true,
                          .lower = o.lower,
                          .transpose_a = o.trans != 0,
                          .conjugate_a = o.trans == 2 && knx_is_complex(m.dtype),
                          .unit_diagonal = o.unit_diagonal};
    kni_atom y = knb_triangular_solve(m.op.b, knn_stacked(&m, &r, m.x[0], 2), r.y, &p);
    return knn_matrices_end(&m, knn_right_side_end(&m, &r, y));
}

/* ---- LU. */

/* The inverse of a permutation sorts it. */
static kni_atom inverse(kni_builder *b, kni_atom permutation)
{
    kni_type t = knb_type(b, permutation);
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom place = knb_iota(b, KN_DT(I32), t.ndim, t.dim, t.ndim - 1), sorted[2];
    knb_sort(b, 2, (kni_atom[]){permutation, place}, t.ndim - 1, 1, sorted);
    return sorted[1];
}

kn_linalg_lu_result kn_linalg_lu(kn_array a, const kn_linalg_lu_opts *opts)
{
    KNX_OPTS(kn_linalg_lu_opts, o, opts);
    knn_matrices m;
    kni_atom out[3], y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[3];
    if (knn_matrices_begin(&m, "lu", KNN_ANY_MATRIX, 1, &a)) {
        kni_builder *b = m.op.b;
        int64_t k = knx_dim_min(m.rows, m.columns);
        knb_lu(b, m.x[0], KN_CHECK_NONE, out);
        kni_atom square = knn_identity(&m, m.rows), l = knn_cut(b, out[0], true, 0, k);
        y[0] = knb_swap_last(b, knl_permuted_identity(b, knb_type(b, square), out[2]));
        y[1] = knb_on_diagonal(b, l, knb_like(b, l, 1), knb_triangle(b, l, true, -1));
        y[2] = knb_triangle(b, knn_cut(b, out[0], false, 0, k), false, 0);
        if (o.permute_l) {
            y[1] = knb_matrix_product(b, y[0], y[1]);
            y[0] = square;
        }
        if (o.p_indices) {
            kni_type t = knb_type(b, out[2]);
            kni_atom place = b->error ? KN_ATOM_NONE : knb_iota(b, KN_DT(I32), t.ndim, t.dim, t.ndim - 1);
            y[0] = o.permute_l ? place : inverse(b, out[2]);
        }
    }
    kna_end_n(&m.op, 3, y, result);
    return (kn_linalg_lu_result){result[0], result[1], result[2]};
}

kn_linalg_lu_factor_result kn_linalg_lu_factor(kn_array a)
{
    knn_matrices m;
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array y[2];
    if (knn_matrices_begin(&m, "lu_factor", KNN_ANY_MATRIX, 1, &a))
        knb_lu(m.op.b, m.x[0], KN_CHECK_NONE, out);
    kna_end_n(&m.op, 2, out, y);
    return (kn_linalg_lu_factor_result){y[0], y[1]};
}

/* op(P^T L U) x = y */
static kni_atom solve_factored(kni_builder *b, kni_atom lu, kni_atom permutation, kni_atom y, int trans)
{
    if (!trans)
        return knn_solve_lu(b, lu, knb_permute_rows(b, y, permutation));
    triangular p = {.left_side = true, .transpose_a = true, .conjugate_a = trans == 2};
    y = knb_triangular_solve(b, lu, y, &p);
    p.lower = p.unit_diagonal = true;
    y = knb_triangular_solve(b, lu, y, &p);
    return knb_permute_rows(b, y, inverse(b, permutation)); /* back to the rows' places */
}

kn_array kn_linalg_lu_solve(kn_array lu, kn_array piv, kn_array b, const kn_linalg_lu_solve_opts *opts)
{
    KNX_OPTS(kn_linalg_lu_solve_opts, o, opts);
    knn_matrices m;
    knn_right_side r;
    if (!knn_matrices_begin(&m, "lu_solve", KNN_SQUARE, 2, (kn_array[]){lu, b}))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_type t = kna_type(&m.op, piv), a = knb_type(m.op.b, m.x[0]);
    bool fits = t.ndim == a.ndim - 1 && knx_dim_eq(t.dim[t.ndim - 1], m.rows);
    for (int i = 0; fits && i < t.ndim - 1; i++)
        fits = knx_dim_eq(t.dim[i], a.dim[i]);
    if (!kna_failed(&m.op) && o.trans != 0 && o.trans != 1 && o.trans != 2)
        kna_fail(&m.op, KN_ERROR_VALUE, "trans must be 0, 1 or 2, got %d", o.trans);
    else if (!kna_failed(&m.op) && (!fits || !knx_is_integer(t.dtype)))
        kna_fail(&m.op, KN_ERROR_VALUE, "The pivots must be integers, one for each row of the matrices");
    kni_atom pivots = kna_in_as(&m.op, piv, KN_DT(I32));
    if (kna_failed(&m.op) || !knn_right_side_begin(&m, m.x[1], m.rows, &r))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_atom permutation = knb_lu_pivots_to_permutation(m.op.b, pivots, &(kni_p_lu_pivots_to_permutation){m.rows});
    int trans = o.trans == 2 && !knx_is_complex(m.dtype) ? 1 : o.trans;
    kni_atom y =
        solve_factored(m.op.b, knn_stacked(&m, &r, m.x[0], 2), knn_stacked(&m, &r, permutation, 1), r.y, trans);
    return knn_matrices_end(&m, knn_right_side_end(&m, &r, y));
}

/* ---- Cholesky. */

kn_array kn_linalg_cho_factor(kn_array a, const kn_linalg_cho_factor_opts *opts)
{
    KNX_OPTS(kn_linalg_cho_factor_opts, o, opts);
    knn_matrices m;
    if (!knn_matrices_begin(&m, "cho_factor", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_builder *b = m.op.b;
    kni_atom l = knb_cholesky(b, o.lower ? m.x[0] : knn_adjoint(b, m.x[0]), KN_CHECK_CHOLESKY);
    return knn_matrices_end(&m, o.lower ? l : knn_adjoint(b, l));
}

kn_array kn_linalg_cho_solve(kn_array c, kn_array b, const kn_linalg_cho_solve_opts *opts)
{
    KNX_OPTS(kn_linalg_cho_solve_opts, o, opts);
    knn_matrices m;
    knn_right_side r;
    if (!knn_matrices_begin(&m, "cho_solve", KNN_SQUARE, 2, (kn_array[]){c, b}) ||
        !knn_right_side_begin(&m, m.x[1], m.rows, &r))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_atom factor = knn_stacked(&m, &r, m.x[0], 2), y = r.y;
    triangular p = {.left_side = true, .lower = o.lower};
    for (int step = 0; step < 2; step++) { /* L y, L^H y; or U^H y, U y */
        p.transpose_a = (step == 1) == o.lower;
        p.conjugate_a = p.transpose_a && knx_is_complex(m.dtype);
        y = knb_triangular_solve(m.op.b, factor, y, &p);
    }
    return knn_matrices_end(&m, knn_right_side_end(&m, &r, y));
}
