/* SPDX-License-Identifier: Apache-2.0
 * banded.c -- scipy.linalg: systems and eigenvalues of banded matrices, Toeplitz matrices and circulants. */
#include "numpy/linalg/matrices.h"
#include "kiln/fft.h"
#include "lib/compose.h"
#include <string.h>

/* ---- Systems. */

/* The operands are diagonals and right-hand sides. */
static bool begin(knn_matrices *m, const char *name, kn_array ab, kn_array b)
{
    if (!knn_matrices_begin(m, name, KNN_ANY_MATRIX, 2, (kn_array[]){ab, b}))
        return false;
    kni_type t = knb_type(m->op.b, m->x[1]);
    if (!t.ndim || !knx_dim_eq(t.dim[t.ndim == 1 ? 0 : t.ndim - 2], m->columns))
        kna_fail(&m->op, KN_ERROR_VALUE, "shapes of ab and b are not compatible.");
    return !kna_failed(&m->op);
}

static kni_atom solve(knn_matrices *m, kni_atom ab, const kni_p_banded_solve *p)
{
    knn_right_side r;
    if (kna_failed(&m->op) || !knn_right_side_begin(m, m->x[1], m->columns, &r))
        return KN_ATOM_NONE;
    return knn_right_side_end(m, &r, knb_banded_solve(m->op.b, knn_stacked(m, &r, ab, 2), r.y, p));
}

kn_array kn_linalg_solve_banded(int64_t l, int64_t u, kn_array ab, kn_array b)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (begin(&m, "solve_banded", ab, b)) {
        bool few = l >= 0 && u >= 0 && l < INT64_MAX / 4 && u < INT64_MAX / 4;
        if (!few || !knx_dim_eq(m.rows, l + u + 1)) {
            knx_text t = {0};
            kna_fail(&m.op, KN_ERROR_VALUE,
                     "invalid values for the number of lower and upper diagonals: l+u+1 (%lld) does not equal "
                     "ab.shape[0] (%s)",
                     (long long)((few ? l + u : -1) + 1), knx_dim_show(&t, m.rows));
        } else
            y = solve(&m, m.x[0], &(kni_p_banded_solve){.lower = l, .upper = u, .check = KN_CHECK_BANDED});
    }
    return knn_matrices_end(&m, y);
}

/* Row k of x, which stays an axis. */
static kni_atom row_of(kni_builder *b, kni_atom x, int64_t k) { return knn_cut(b, x, false, k, k + 1); }

/* All diagonals of a Hermitian matrix of which the upper (lower) ones are given: diagonal k on the other side is the
 * conjugate, k places on. */
static kni_atom completed(kni_builder *b, kni_atom ab, int64_t rows, bool lower)
{
    kni_atom all = KN_ATOM_NONE;
    int last = knb_type(b, ab).ndim - 1;
    for (int64_t i = 0; i < 2 * rows - 1 && !b->error; i++) { /* from the uppermost diagonal on */
        int64_t k = rows - 1 - i, from = lower ? (k < 0 ? -k : k) : rows - 1 - (k < 0 ? -k : k);
        kni_atom row = row_of(b, ab, from);
        if (lower ? k > 0 : k < 0)
            row = knb_moved(b, knb_conj(b, row), last, k);
        all = i ? knb_concatenate(b, 2, (kni_atom[]){all, row}, last - 1) : row;
    }
    return all;
}

kn_array kn_linalg_solveh_banded(kn_array ab, kn_array b, const kn_linalg_solveh_banded_opts *opts)
{
    KNX_OPTS(kn_linalg_solveh_banded_opts, o, opts);
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (begin(&m, "solveh_banded", ab, b)) {
        int64_t k = m.rows;
        if (knx_is_symbolic(k) || k < 1)
            kna_fail(&m.op, KN_ERROR_VALUE, "the number of diagonals must be a number above 0");
        else
            y = solve(&m, completed(m.op.b, m.x[0], k, o.lower),
                      &(kni_p_banded_solve){
                          .lower = k - 1, .upper = k - 1, .definite = true, .check = KN_CHECK_BANDED_HERMITIAN});
    }
    return knn_matrices_end(&m, y);
}

/* ---- Eigenvalues, of the matrix written out. */

static kn_array range(int64_t n) { return kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL); }
static kn_array with_axis(kn_array x, int axis)
{
    const kn_axes at = knl_one_axis(axis);
    return kn_expand_dims(x, &at);
}

/* The triangle that the diagonals fill: element (i, j) is row i - j of column j (lower), or rows - 1 + i - j. */
static kn_array written_out(knl_body *c, kn_array ab, bool lower)
{
    kni_type t = kna_type(&c->op, ab);
    if (!kna_failed(&c->op) && t.ndim < 2)
        kna_fail(&c->op, KN_ERROR_VALUE, "a_band must be a matrix of diagonals, got %d dimensions", t.ndim);
    if (kna_failed(&c->op))
        return NULL;
    int64_t rows = t.dim[t.ndim - 2], n = t.dim[t.ndim - 1];
    kn_array i = with_axis(range(n), 1), j = range(n), at = kn_subtract(i, j);
    at = lower ? at : kn_add(at, kn_like_int(knx_dim_sub(rows, 1)));
    kn_array in = kn_logical_and(kn_greater_equal(at, kn_like_int(0)), kn_less(at, kn_like_int(rows)));
    kn_shape shape = {.ndim = t.ndim};
    memcpy(shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    shape.dim[t.ndim - 2] = n;
    at = kn_broadcast_to(kn_where(in, at, kn_like_int(0)), &shape);
    kn_array all = kn_take_along_axis(ab, at, KNL_WITH(kn_squeeze_opts, .axis = knl_one_axis(-2)));
    return kn_where(in, all, kn_like_int(0));
}

kn_linalg_eigh_result kn_linalg_eig_banded(kn_array a_band, const kn_linalg_eig_banded_opts *opts)
{
    KNX_OPTS(kn_linalg_eig_banded_opts, o, opts);
    knl_body c;
    knl_begin(&c, "eig_banded");
    kn_linalg_eigh_opts e = kn_linalg_eigh_opts_default();
    e.uplo = o.lower ? "L" : "U";
    e.subset_by_index = o.subset_by_index;
    e.subset_by_value = o.subset_by_value;
    kn_array a = written_out(&c, a_band, o.lower);
    kn_linalg_eigh_result y = a ? kn_linalg_eigh(a, &e) : (kn_linalg_eigh_result){NULL, NULL};
    kn_array both[] = {y.eigenvalues, y.eigenvectors};
    knl_end_n(&c, 2, both);
    return (kn_linalg_eigh_result){both[0], both[1]};
}

kn_array kn_linalg_eigvals_banded(kn_array a_band, const kn_linalg_eig_banded_opts *opts)
{
    KNX_OPTS(kn_linalg_eig_banded_opts, o, opts);
    knl_body c;
    knl_begin(&c, "eigvals_banded");
    kn_linalg_eigvalsh_opts e = kn_linalg_eigvalsh_opts_default();
    e.uplo = o.lower ? "L" : "U";
    e.subset_by_index = o.subset_by_index;
    e.subset_by_value = o.subset_by_value;
    kn_array a = written_out(&c, a_band, o.lower);
    return knl_end(&c, a ? kn_linalg_eigvalsh(a, &e) : NULL);
}

/* ---- Toeplitz matrices and circulants. */

kn_array kn_linalg_solve_toeplitz(kn_array c, kn_array r, kn_array b)
{
    knl_body body;
    knl_begin(&body, "solve_toeplitz");
    return knl_end(&body, kn_linalg_solve(kn_linalg_toeplitz(c, r), b, NULL));
}

/* The number of rows of a right-hand side whose first axis these are. */
static bool rows_fit(knl_body *c, kn_array x, int64_t n)
{
    kni_type t = kna_type(&c->op, x);
    if (!kna_failed(&c->op) && (t.ndim < 1 || t.ndim > 2 || !knx_dim_eq(t.dim[0], n))) {
        knx_text p = {0}, q = {0};
        kna_fail(&c->op, KN_ERROR_VALUE, "Incompatible dimensions: %s columns and an array of shape %s",
                 knx_dim_show(&p, n), knx_show_shape(&q, t.ndim, t.dim));
    }
    return !kna_failed(&c->op);
}

/* A circulant that has the matrix in its corner multiplies as its first column's transform does. */
kn_array kn_linalg_matmul_toeplitz(kn_array c, kn_array r, kn_array x)
{
    knl_body body;
    knl_begin(&body, "matmul_toeplitz");
    kn_array v[] = {kn_ravel(c, NULL), kn_ravel(r ? r : kn_conj(c), NULL)}, y = NULL;
    kni_type t = kna_type(&body.op, v[0]), u = kna_type(&body.op, v[1]), s = kna_type(&body.op, x);
    if (!kna_failed(&body.op) && rows_fit(&body, x, u.dim[0])) {
        int64_t m = t.dim[0], n = u.dim[0], all = knx_dim_sub(knx_dim_add(m, n), 1);
        bool real = !knx_is_complex(t.dtype) && !knx_is_complex(u.dtype) && !knx_is_complex(s.dtype);
        if (knx_dim_lt(m, 1) || knx_dim_lt(n, 1))
            return knl_end(&body, kn_matmul(kn_linalg_toeplitz(c, r), x));
        kn_array back = kn_flip(knl_part("matmul_toeplitz", v[1], 0, 1, n), NULL);
        kn_array column = kn_concatenate(kn_list_from((kn_array[]){v[0], back}, 2),
                                         KNL_WITH(kn_concatenate_opts, .axis = knl_one_axis(0)));
        kn_fft_fft_opts o = kn_fft_fft_opts_default();
        o.n = all;
        o.axis = 0;
        kn_array p = kn_fft_fft(column, &o), q = kn_fft_fft(x, &o);
        kn_array product = kn_fft_ifft(kn_multiply(s.ndim == 2 ? with_axis(p, 1) : p, q), &o);
        y = knl_part("matmul_toeplitz", product, 0, 0, m);
        y = real ? kn_real(y) : y;
    }
    return knl_end(&body, y);
}

kn_array kn_linalg_solve_circulant(kn_array c, kn_array b)
{
    knl_body body;
    knl_begin(&body, "solve_circulant");
    kn_array y = NULL;
    kni_type t = kna_type(&body.op, c), s = kna_type(&body.op, b);
    if (!kna_failed(&body.op) && t.ndim != 1)
        kna_fail(&body.op, KN_ERROR_VALUE, "c must be a vector, got %d dimensions", t.ndim);
    if (!kna_failed(&body.op) && rows_fit(&body, b, t.dim[0])) {
        bool real = !knx_is_complex(t.dtype) && !knx_is_complex(s.dtype);
        kn_fft_fft_opts o = kn_fft_fft_opts_default();
        o.axis = 0;
        kn_array p = kn_fft_fft(c, &o), q = kn_fft_fft(b, &o);
        kn_array size = kn_absolute(p),
                 epsilon = kn_like_double(size && kn_dtype_of(size)->size == 4 ? 0x1p-23 : 0x1p-52);
        kn_array least = kn_multiply(kn_multiply(epsilon, kn_max(size, NULL)), kn_like_int(t.dim[0]));
        if (knl_may_look(size) && knl_any(&body, kn_less(size, least)))
            kna_fail(&body.op, KN_ERROR_LINALG, "singular circulant matrix.");
        y = kn_fft_ifft(kn_divide(q, s.ndim == 2 ? with_axis(p, 1) : p), &o);
        y = real ? kn_real(y) : y;
    }
    return knl_end(&body, y);
}
