/* SPDX-License-Identifier: Apache-2.0
 * linalg.c -- jax.lax.linalg: orthogonal factorisations. As there, what cannot be computed is NaN, not an error. */
#include "kiln/lax.h"
#include "lax/internal.h"
#include "numpy/linalg/matrices.h"
#include <math.h>

/* One operand, of matrices. */
static kni_atom matrices(kna_op *op, const char *name, kn_array x)
{
    kna_begin(op, name);
    kni_atom a = kna_in(op, x);
    if (!kna_failed(op))
        knlax_accepts(op, knb_type(op->b, a).dtype, "fc", -1);
    return a;
}

kn_lax_linalg_qr_result kn_lax_linalg_qr(kn_array x, const kn_lax_linalg_qr_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_qr_opts, o, opts);
    kna_op op;
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, a = matrices(&op, "lax.linalg.qr", x);
    kn_array y[3];
    if (!kna_failed(&op))
        knb_qr(op.b, a, &(kni_p_qr){.full_matrices = o.full_matrices, .pivoting = o.pivoting}, out);
    kna_end_n(&op, o.pivoting ? 3 : 2, out, y);
    return (kn_lax_linalg_qr_result){y[0], y[1], o.pivoting ? y[2] : NULL};
}

kn_array kn_lax_linalg_householder_product(kn_array a, kn_array taus)
{
    kna_op op;
    kni_atom x[2];
    kna_begin(&op, "lax.linalg.householder_product");
    knlax_same_dtypes(&op, 2, (kn_array[]){a, taus}, x);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_householder_product(op.b, x[0], x[1]));
}

kn_array kn_lax_linalg_ormqr(kn_array a, kn_array taus, kn_array c, const kn_lax_linalg_ormqr_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_ormqr_opts, o, opts);
    kna_op op;
    kni_atom x[3];
    kna_begin(&op, "lax.linalg.ormqr");
    knlax_same_dtypes(&op, 3, (kn_array[]){a, taus, c}, x);
    const kni_p_ormqr p = {.left = o.left, .transpose = o.transpose};
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_ormqr(op.b, x[0], x[1], x[2], &p));
}

/* Of the values v; false: all of them are wanted, or there is an error. */
static bool is_subset(kna_op *op, kn_axes subset, kni_atom v)
{
    int n = knl_axis_count(op, subset);
    kni_type w = knb_type(op->b, v);
    int64_t first = subset.axis[0], end = subset.axis[1];
    if (kna_failed(op) || !n)
        return false;
    if (n != 2 || first < 0 || end < first || knx_dim_lt(w.dim[w.ndim - 1], end)) {
        knx_text t = {0};
        kna_fail(op, KN_ERROR_VALUE, "subset_by_index must be a pair of numbers between 0 and %s",
                 knx_dim_show(&t, w.dim[w.ndim - 1]));
        return false;
    }
    return true;
}

static void some_eigenvalues(kna_op *op, kn_axes subset, kni_atom y[2])
{
    if (is_subset(op, subset, y[1]))
        for (int i = 0; i < 2; i++)
            y[i] = knn_last(op->b, y[i], subset.axis[0], subset.axis[1]);
}

kn_lax_linalg_eigh_result kn_lax_linalg_eigh(kn_array x, const kn_lax_linalg_eigh_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_eigh_opts, o, opts);
    kna_op op;
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, a = matrices(&op, "lax.linalg.eigh", x);
    kn_array y[2];
    if (!kna_failed(&op)) {
        if (o.symmetrize_input) {
            kni_atom sum = knb_add(op.b, a, knb_conj(op.b, knb_swap_last(op.b, a)));
            a = knb_div(op.b, sum, knb_like(op.b, a, 2));
        }
        knb_eigh(op.b, a, &(kni_p_eigh){.lower = o.lower}, out);
        some_eigenvalues(&op, o.subset_by_index, out);
    }
    kna_end_n(&op, 2, out, y);
    return (kn_lax_linalg_eigh_result){y[0], y[1]};
}

kn_lax_linalg_svd_result kn_lax_linalg_svd(kn_array x, const kn_lax_linalg_svd_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_svd_opts, o, opts);
    kna_op op;
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, a = matrices(&op, "lax.linalg.svd", x);
    kn_array y[3];
    if (!kna_failed(&op))
        knb_svd(op.b, a, &(kni_p_svd){.compute_uv = o.compute_uv, .full_matrices = o.full_matrices}, out);
    if (!kna_failed(&op) && is_subset(&op, o.subset_by_index, out[0])) {
        int64_t first = o.subset_by_index.axis[0], end = o.subset_by_index.axis[1];
        if (o.full_matrices && o.compute_uv)
            kna_fail(&op, KN_ERROR_VALUE, "full_matrices and subset_by_index cannot both be set");
        out[0] = knn_last(op.b, out[0], first, end);
        out[1] = o.compute_uv ? knn_cut(op.b, out[1], true, first, end) : out[1];
        out[2] = o.compute_uv ? knn_cut(op.b, out[2], false, first, end) : out[2];
    }
    kna_end_n(&op, o.compute_uv ? 3 : 1, out, y);
    return (kn_lax_linalg_svd_result){o.compute_uv ? y[1] : NULL, y[0], o.compute_uv ? y[2] : NULL};
}

kn_lax_linalg_eig_result kn_lax_linalg_eig(kn_array x, const kn_lax_linalg_eig_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_eig_opts, o, opts);
    kna_op op;
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, a = matrices(&op, "lax.linalg.eig", x);
    kn_array y[3];
    bool left = o.compute_left_eigenvectors, right = o.compute_right_eigenvectors;
    if (!kna_failed(&op))
        knb_eig(op.b, a, &(kni_p_eig){.compute_left_eigenvectors = left, .compute_right_eigenvectors = right}, out);
    kna_end_n(&op, 1 + left + right, out, y);
    return (kn_lax_linalg_eig_result){y[0], left ? y[1] : NULL, right ? y[1 + left] : NULL};
}

kn_lax_linalg_schur_result kn_lax_linalg_schur(kn_array x, const kn_lax_linalg_schur_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_schur_opts, o, opts);
    kna_op op;
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, a = matrices(&op, "lax.linalg.schur", x);
    kn_array y[2];
    if (!kna_failed(&op))
        knb_schur(op.b, a, &(kni_p_schur){.compute_schur_vectors = o.compute_schur_vectors}, out);
    kna_end_n(&op, o.compute_schur_vectors ? 2 : 1, out, y);
    return (kn_lax_linalg_schur_result){y[0], o.compute_schur_vectors ? y[1] : NULL};
}

kn_lax_linalg_hessenberg_result kn_lax_linalg_hessenberg(kn_array a)
{
    kna_op op;
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, x = matrices(&op, "lax.linalg.hessenberg", a);
    kn_array y[2];
    if (!kna_failed(&op))
        knb_hessenberg(op.b, x, out);
    kna_end_n(&op, 2, out, y);
    return (kn_lax_linalg_hessenberg_result){y[0], y[1]};
}

kn_lax_linalg_tridiagonal_result kn_lax_linalg_tridiagonal(kn_array a, const kn_lax_linalg_tridiagonal_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_tridiagonal_opts, o, opts);
    kna_op op;
    kni_atom out[4] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kni_atom x = matrices(&op, "lax.linalg.tridiagonal", a);
    kn_array y[4];
    if (!kna_failed(&op))
        knb_tridiagonal(op.b, x, &(kni_p_tridiagonal){.lower = o.lower}, out);
    kna_end_n(&op, 4, out, y);
    return (kn_lax_linalg_tridiagonal_result){y[0], y[1], y[2], y[3]};
}

kn_array kn_lax_linalg_tridiagonal_solve(kn_array dl, kn_array d, kn_array du, kn_array b)
{
    kna_op op;
    kni_atom x[4];
    kna_begin(&op, "lax.linalg.tridiagonal_solve");
    knlax_same_dtypes(&op, 4, (kn_array[]){dl, d, du, b}, x);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_tridiagonal_solve(op.b, x));
}

kn_array kn_lax_linalg_cholesky_update(kn_array r_matrix, kn_array w_vector)
{
    kna_op op;
    kni_atom x[2];
    kna_begin(&op, "lax.linalg.cholesky_update");
    knlax_same_dtypes(&op, 2, (kn_array[]){r_matrix, w_vector}, x);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_cholesky_update(op.b, x[0], x[1]));
}

kn_lax_linalg_qdwh_result kn_lax_linalg_qdwh(kn_array x, const kn_lax_linalg_qdwh_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_qdwh_opts, o, opts);
    kna_op op;
    kni_atom out[4] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kni_atom a = matrices(&op, "lax.linalg.qdwh", x);
    kni_type t = knb_type(op.b, a);
    kn_array y[4];
    if (!kna_failed(&op) && (t.ndim < 2 || knx_dim_lt(t.dim[t.ndim - 2], t.dim[t.ndim - 1])))
        kna_fail(&op, KN_ERROR_VALUE, "The input matrix of shape M x N must have M >= N.");
    else if (!kna_failed(&op) && t.dtype->size < 4)
        kna_fail(&op, KN_ERROR_TYPE, "does not accept dtype %s", t.dtype->name);
    else if (!kna_failed(&op) && (o.eps <= 0 || o.max_iterations < 0))
        kna_fail(&op, KN_ERROR_VALUE, "eps must be positive, and max_iterations not negative");
    if (!kna_failed(&op))
        knn_qdwh(op.b, a, o.max_iterations, o.eps, out);
    kna_end_n(&op, 4, out, y);
    return (kn_lax_linalg_qdwh_result){y[0], y[1], y[2], y[3]};
}
