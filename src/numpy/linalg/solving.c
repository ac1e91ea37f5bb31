/* SPDX-License-Identifier: Apache-2.0
 * solving.c -- np.linalg: compositions of cholesky, lu and triangular_solve, in the dtype of the arguments. */
#include "numpy/linalg/matrices.h"

/* --- factorisations --------------------------------------------------------------------------- */

kn_array kn_linalg_cholesky(kn_array a, const kn_linalg_cholesky_opts *opts)
{
    KNX_OPTS(kn_linalg_cholesky_opts, o, opts);
    knn_matrices m;
    if (!knn_matrices_begin(&m, "cholesky", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_builder *b = m.op.b;
    kni_atom l = knb_cholesky(b, o.upper ? knn_adjoint(b, m.x[0]) : m.x[0], KN_CHECK_CHOLESKY);
    return knn_matrices_end(&m, o.upper ? knn_adjoint(b, l) : l);
}

/* --- equations -------------------------------------------------------------------------------- */

static kni_atom solve(knn_matrices *m)
{
    kni_builder *b = m->op.b;
    kni_atom out[3];
    knn_right_side r;
    if (!knn_right_side_begin(m, m->x[1], m->rows, &r))
        return KN_ATOM_NONE;
    knb_lu(b, m->x[0], KN_CHECK_SOLVE, out);
    kni_atom y = knb_permute_rows(b, r.y, knn_stacked(m, &r, out[2], 1));
    return knn_right_side_end(m, &r, knn_solve_lu(b, knn_stacked(m, &r, out[0], 2), y));
}

kn_array kn_linalg_solve(kn_array a, kn_array b)
{
    knn_matrices m;
    if (!knn_matrices_begin(&m, "solve", KNN_SQUARE, 2, (kn_array[]){a, b}))
        return kna_end(&m.op, KN_ATOM_NONE);
    return knn_matrices_end(&m, solve(&m));
}

kn_array kn_linalg_inv(kn_array a)
{
    knn_matrices m;
    kni_atom out[3];
    if (!knn_matrices_begin(&m, "inv", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    knb_lu(m.op.b, m.x[0], KN_CHECK_INV, out);
    return knn_matrices_end(
        &m, knn_solve_lu(m.op.b, out[0], knl_permuted_identity(m.op.b, knb_type(m.op.b, m.x[0]), out[2])));
}

/* --- determinants ----------------------------------------------------------------------------- */

kn_array kn_linalg_det(kn_array a)
{
    knn_matrices m;
    if (!knn_matrices_begin(&m, "det", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    return knn_matrices_end(&m, knl_determinant(m.op.b, m.x[0]));
}

kn_linalg_slogdet_result kn_linalg_slogdet(kn_array a)
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array out[2];
    if (knn_matrices_begin(&m, "slogdet", KNN_SQUARE, 1, &a)) {
        knl_log_determinant(m.op.b, m.x[0], &y[0], &y[1]);
    }
    kna_end_n(&m.op, 2, y, out);
    return (kn_linalg_slogdet_result){out[0], out[1]};
}
