/* SPDX-License-Identifier: Apache-2.0
 * eigenvalues.c -- np.linalg and scipy.linalg: eigenvalues of general matrices, their Schur and Hessenberg forms. */
#include "numpy/linalg/matrices.h"
#include "lib/compose.h"
#include <string.h>

/* ---- Eigenvalues. */

kn_linalg_eig_result kn_linalg_eig(kn_array a)
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[2];
    if (knn_matrices_begin(&m, "eig", KNN_SQUARE, 1, &a))
        knb_eig(m.op.b, m.x[0], &(kni_p_eig){.compute_right_eigenvectors = true, .check = KN_CHECK_EIG}, y);
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_eig_result){result[0], result[1]};
}

kn_array kn_linalg_eigvals(kn_array a)
{
    knn_matrices m;
    kni_atom w = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "eigvals", KNN_SQUARE, 1, &a))
        knb_eig(m.op.b, m.x[0], &(kni_p_eig){.check = KN_CHECK_EIG}, &w);
    return knn_matrices_end(&m, w);
}

/* ---- The Schur form. */

static kn_dtype complex_of(kn_dtype d) { return knx_is_complex(d) ? d : d->size == 4 ? KN_DT(C64) : KN_DT(C128); }

kn_linalg_schur_result kn_linalg_schur(kn_array a, const kn_linalg_schur_opts *opts)
{
    KNX_OPTS(kn_linalg_schur_opts, o, opts);
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[2];
    if (knn_matrices_begin(&m, "schur", KNN_SQUARE, 1, &a)) {
        bool real = !o.output || !strcmp(o.output, "real") || !strcmp(o.output, "r");
        if (!real && strcmp(o.output, "complex") && strcmp(o.output, "c"))
            kna_fail(&m.op, KN_ERROR_VALUE, "Expected 'output' to be either 'real' or 'complex', got output=%s.",
                     o.output);
        else
            knb_schur(m.op.b, real ? m.x[0] : knb_convert(m.op.b, m.x[0], complex_of(m.dtype)),
                      &(kni_p_schur){.compute_schur_vectors = true}, y);
    }
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_schur_result){result[0], result[1]};
}

/* Of t = z s z^H in complex numbers: what is left of the 2 x 2 blocks is turned once more. */
kn_linalg_schur_result kn_linalg_rsf2csf(kn_array t, kn_array z)
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[2];
    if (knn_matrices_begin(&m, "rsf2csf", KNN_SQUARE, 2, (kn_array[]){t, z})) {
        kni_builder *b = m.op.b;
        kn_dtype d = complex_of(m.dtype);
        kni_type s = knb_type(b, m.x[0]), u = knb_type(b, m.x[1]);
        bool fits = s.ndim == u.ndim;
        for (int i = 0; fits && i < s.ndim; i++)
            fits = knx_dim_eq(s.dim[i], u.dim[i]);
        if (!fits) {
            knx_text p = {0}, q = {0};
            kna_fail(&m.op, KN_ERROR_VALUE, "Input array shapes must match: Z: %s vs. T: %s",
                     knx_show_shape(&q, u.ndim, u.dim), knx_show_shape(&p, s.ndim, s.dim));
        } else {
            knb_schur(b, knb_convert(b, m.x[0], d), &(kni_p_schur){.compute_schur_vectors = true}, y);
            y[1] = knb_matrix_product(b, knb_convert(b, m.x[1], d), y[1]);
        }
    }
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_schur_result){result[0], result[1]};
}

/* ---- The Hessenberg form. */

kn_linalg_hessenberg_result kn_linalg_hessenberg(kn_array a)
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, out[2];
    kn_array result[2];
    if (knn_matrices_begin(&m, "hessenberg", KNN_SQUARE, 1, &a)) {
        kni_builder *b = m.op.b;
        int64_t n = m.rows;
        knb_hessenberg(b, m.x[0], out);
        y[0] = knb_triangle(b, out[0], false, -1);
        y[1] = knn_identity(&m, n);
        if (!knx_dim_lt(n, 2)) { /* reflections act behind the first row and column */
            kni_atom packed = knn_cut(b, knn_cut(b, out[0], false, 1, n), true, 0, knx_dim_sub(n, 1));
            kni_atom q = knb_householder_product(b, packed, out[1]);
            kni_type t = knb_type(b, q);
            int64_t low[KN_MAX_NDIM] = {0}, high[KN_MAX_NDIM] = {0};
            if (!kna_failed(&m.op)) {
                low[t.ndim - 1] = low[t.ndim - 2] = 1;
                y[1] = knb_pad(b, q, knb_like(b, q, 0), low, high, NULL);
                kni_type whole = knb_type(b, y[1]);
                kni_atom row = knb_iota(b, KN_DT(I64), whole.ndim, whole.dim, whole.ndim - 2);
                kni_atom column = knb_iota(b, KN_DT(I64), whole.ndim, whole.dim, whole.ndim - 1);
                kni_atom first = knb_eq(b, knb_add(b, row, column), knb_integer(b, KN_DT(I64), 0));
                y[1] = knb_select(b, first, knb_full(b, whole, 1), y[1]);
            }
        }
    }
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_hessenberg_result){result[0], result[1]};
}
