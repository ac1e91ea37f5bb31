/* SPDX-License-Identifier: Apache-2.0
 * decompositions.c -- np.linalg: QR, singular values, and what follows from these at once. */
#include "numpy/linalg/matrices.h"
#include "array/formula.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

/* ---- QR. */

typedef enum { REDUCED, COMPLETE, ONLY_R, RAW } qr_mode;

static qr_mode read_mode(kna_op *op, const char *mode)
{
    static const char *const names[] = {[REDUCED] = "reduced", [COMPLETE] = "complete", [ONLY_R] = "r", [RAW] = "raw"};
    for (int i = 0; i <= RAW; i++)
        if (!mode || strcmp(mode, names[i]) == 0)
            return (qr_mode)i;
    if (strcmp(mode, "full") == 0 || strcmp(mode, "f") == 0 || strcmp(mode, "economic") == 0 || strcmp(mode, "e") == 0)
        kna_fail(op, KN_ERROR_VALUE,
                 "The '%s' option was deprecated in NumPy 1.8 and has been removed. Use 'reduced' instead of "
                 "'full'/'f', and 'raw' instead of 'economic'/'e'.",
                 mode);
    else
        kna_fail(op, KN_ERROR_VALUE, "Unrecognized mode '%s'", mode);
    return REDUCED;
}

kn_linalg_qr_result kn_linalg_qr(kn_array a, const kn_linalg_qr_opts *opts)
{
    KNX_OPTS(kn_linalg_qr_opts, o, opts);
    knn_matrices m;
    kni_atom y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[3];
    qr_mode mode = REDUCED;
    if (knn_matrices_begin(&m, "qr", KNN_ANY_MATRIX, 1, &a)) {
        mode = read_mode(&m.op, o.mode);
        if (!kna_failed(&m.op) && mode == RAW && o.pivoting)
            kna_fail(&m.op, KN_ERROR_NOT_IMPLEMENTED, "mode 'raw' with pivoting");
    }
    if (!kna_failed(&m.op) && mode == RAW) {
        knb_geqrf(m.op.b, m.x[0], y);
        y[0] = knb_swap_last(m.op.b, y[0]);
    } else if (!kna_failed(&m.op))
        knb_qr(m.op.b, m.x[0], &(kni_p_qr){.full_matrices = mode == COMPLETE, .pivoting = o.pivoting}, y);
    kna_end_n(&m.op, o.pivoting ? 3 : 2, y, result);
    return (kn_linalg_qr_result){result[0], result[1], o.pivoting ? result[2] : NULL};
}

kn_linalg_qr_multiply_result kn_linalg_qr_multiply(kn_array a, kn_array c, const kn_linalg_qr_multiply_opts *opts)
{
    KNX_OPTS(kn_linalg_qr_multiply_opts, o, opts);
    knn_matrices m;
    kni_atom y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[3];
    if (knn_matrices_begin(&m, "qr_multiply", KNN_ANY_MATRIX, 2, (kn_array[]){a, c})) {
        kni_builder *b = m.op.b;
        kni_type t = knb_type(b, m.x[0]), u = knb_type(b, m.x[1]);
        bool left = o.mode && !strcmp(o.mode, "left"), vector = u.ndim == 1;
        int64_t wanted = left ? knx_dim_min(m.rows, m.columns) : m.rows;
        int axis = vector ? 0 : u.ndim - (left ? 2 : 1);
        bool fits = vector ? t.ndim == 2 : u.ndim == t.ndim;
        for (int i = 0; fits && i < t.ndim - 2; i++)
            fits = knx_dim_eq(t.dim[i], u.dim[i]);
        if (o.mode && !left && strcmp(o.mode, "right"))
            kna_fail(&m.op, KN_ERROR_VALUE, "Mode argument should be one of ['left', 'right']");
        else if (!kna_failed(&m.op) && (!fits || !knx_dim_eq(u.dim[axis], wanted))) {
            knx_text p = {0}, q = {0};
            kna_fail(&m.op, KN_ERROR_VALUE, "objects are not aligned: factors of shape %s and an array of shape %s",
                     knx_show_shape(&p, t.ndim, t.dim), knx_show_shape(&q, u.ndim, u.dim));
        } else if (!kna_failed(&m.op)) {
            kni_atom other = vector ? knb_expand_dims(b, m.x[1], left ? 1 : 0) : m.x[1];
            knb_qr(b, m.x[0], &(kni_p_qr){.pivoting = o.pivoting}, y);
            kni_atom q = o.conjugate ? knb_conj(b, y[0]) : y[0];
            y[0] = left ? knb_matrix_product(b, q, other) : knb_matrix_product(b, other, q);
            y[0] = vector ? knb_squeeze(b, y[0], 1, (int64_t[]){left ? 1 : 0}) : y[0];
        }
    }
    kna_end_n(&m.op, o.pivoting ? 3 : 2, y, result);
    return (kn_linalg_qr_multiply_result){result[0], result[1], o.pivoting ? result[2] : NULL};
}

/* ---- Singular values. */

/* Of Hermitian matrices by their eigenvalues: |w| falling, u the vectors, vh theirs with the signs of w. */
static void hermitian_svd(knn_matrices *m, kni_atom y[3])
{
    kni_builder *b = m->op.b;
    kni_atom e[2], out[2];
    knb_eigh(b, m->x[0], &(kni_p_eigh){.lower = true, .check = KN_CHECK_EIGH}, e);
    kni_type t = knb_type(b, e[1]);
    if (b->error)
        return;
    kni_atom place = knb_iota(b, KN_DT(I32), t.ndim, t.dim, t.ndim - 1);
    knb_sort(b, 2, (kni_atom[]){knb_neg(b, knb_abs(b, e[1])), place}, t.ndim - 1, 1, out);
    kni_atom rows = knb_permute_rows(b, knb_swap_last(b, e[0]), out[1]); /* of the transposed vectors */
    kni_atom w = knb_permute_rows(b, knb_expand_dims(b, e[1], t.ndim), out[1]);
    kni_atom sign =
        knb_select(b, knb_lt(b, w, knb_like(b, w, 0)), knb_full(b, knb_type(b, w), -1), knb_full(b, knb_type(b, w), 1));
    y[0] = knb_swap_last(b, rows);
    y[1] = knb_squeeze(b, knb_abs(b, w), 1, (int64_t[]){t.ndim});
    sign = knb_convert(b, knb_broadcast_to(b, sign, knb_type(b, rows)), m->dtype);
    y[2] = knb_mul(b, knb_conj(b, rows), sign);
}

kn_linalg_svd_result kn_linalg_svd(kn_array a, const kn_linalg_svd_opts *opts)
{
    KNX_OPTS(kn_linalg_svd_opts, o, opts);
    knn_matrices m;
    kni_atom y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, out[3];
    kn_array result[3];
    if (knn_matrices_begin(&m, "svd", o.hermitian ? KNN_SQUARE : KNN_ANY_MATRIX, 1, &a)) {
        const kni_p_svd p = {.compute_uv = o.compute_uv, .full_matrices = o.full_matrices, .check = KN_CHECK_SVD};
        if (o.hermitian)
            hermitian_svd(&m, y);
        else {
            knb_svd(m.op.b, m.x[0], &p, out);
            y[1] = out[0];
            y[0] = o.compute_uv ? out[1] : out[0];
            y[2] = o.compute_uv ? out[2] : out[0];
        }
    }
    if (!o.compute_uv) {
        kna_end_n(&m.op, 1, &y[1], &result[1]);
        return (kn_linalg_svd_result){NULL, result[1], NULL};
    }
    kna_end_n(&m.op, 3, y, result);
    return (kn_linalg_svd_result){result[0], result[1], result[2]};
}

static kni_atom values_of(knn_matrices *m, kni_atom x)
{
    kni_atom s = KN_ATOM_NONE;
    if (!kna_failed(&m->op))
        knb_svd(m->op.b, x, &(kni_p_svd){.check = KN_CHECK_SVD}, &s);
    return s;
}

kn_array kn_linalg_svdvals(kn_array x)
{
    knn_matrices m;
    kni_atom s = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "svdvals", KNN_ANY_MATRIX, 1, &x))
        s = values_of(&m, m.x[0]);
    return knn_matrices_end(&m, s);
}

/* ---- Rank. */

static double epsilon_of(kn_dtype d) { return knx_component(d)->size == 8 ? 0x1p-52 : 0x1p-23; }

/* max(rows, columns) as a number of the dtype, times a factor */
static kni_atom larger_extent(knn_matrices *m, kn_dtype d, double factor)
{
    kni_atom n = knb_dimension(m->op.b, d, knx_dim_max(m->rows, m->columns));
    return knb_mul(m->op.b, n, knb_number(m->op.b, d, factor));
}

/* The largest of the last axis, which stays with extent 1; 0 of nothing. */
static kni_atom largest(kni_builder *b, kni_atom s)
{
    kni_type t = knb_type(b, s);
    int64_t last = t.ndim - 1;
    if (b->error)
        return KN_ATOM_NONE;
    if (knx_dim_eq(t.dim[last], 0)) {
        t.ndim--;
        return knb_expand_dims(b, knb_full(b, t, 0), (int)last);
    }
    kni_atom most = knb_reduce_max(b, s, 1, &last);
    most = knb_max(b, most, knb_like(b, most, 0));
    return knb_expand_dims(b, most, (int)last);
}

/* Which singular values count: s > cutoff, where cutoff is `relative` times the largest one. */
static kni_atom that_count(kni_builder *b, kni_atom s, kni_atom relative)
{
    return knb_gt(b, s, knb_broadcast_to(b, knb_mul(b, largest(b, s), relative), knb_type(b, s)));
}

static kni_atom count(kni_builder *b, kni_atom truth)
{
    int64_t last = knb_type(b, truth).ndim - 1;
    return knb_reduce_sum(b, knb_convert(b, truth, KN_DT(I64)), 1, &last);
}

static kni_atom hermitian_values(knn_matrices *m)
{
    kni_atom w = KN_ATOM_NONE;
    knb_eigh(m->op.b, m->x[0], &(kni_p_eigh){.lower = true, .values_only = true, .check = KN_CHECK_EIGH}, &w);
    return knb_abs(m->op.b, w);
}

static kn_array rank_of_vector(kn_array a)
{
    knl_body c;
    knl_begin(&c, "matrix_rank");
    return knl_end(&c, kn_astype(kn_any(kn_not_equal(a, kn_like_double(0)), NULL), KN_I64, NULL));
}

kn_array kn_linalg_matrix_rank(kn_array a, const kn_linalg_matrix_rank_opts *opts)
{
    KNX_OPTS(kn_linalg_matrix_rank_opts, o, opts);
    if (a && kn_ndim(a) >= 0 && kn_ndim(a) < 2)
        return rank_of_vector(a);
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "matrix_rank", o.hermitian ? KNN_SQUARE : KNN_ANY_MATRIX, 1, &a)) {
        kni_builder *b = m.op.b;
        if (!isnan(o.tol) && !isnan(o.rtol))
            kna_fail(&m.op, KN_ERROR_VALUE, "`tol` and `rtol` can't be both set.");
        kni_atom s = o.hermitian ? hermitian_values(&m) : values_of(&m, m.x[0]);
        kn_dtype real = knx_component(m.dtype);
        if (kna_failed(&m.op))
            return kna_end(&m.op, KN_ATOM_NONE);
        kni_atom relative = isnan(o.rtol) ? larger_extent(&m, real, epsilon_of(m.dtype)) : knb_number(b, real, o.rtol);
        y = count(b, isnan(o.tol) ? that_count(b, s, relative) : knb_gt(b, s, knb_number(b, real, o.tol)));
    }
    return knn_matrices_end(&m, y);
}

/* ---- The pseudoinverse. */

/* Its adjoint, p^H, which has a's shape; of s those elements count that are larger than cutoff. */
static kni_atom pseudoinverse(kni_builder *b, kn_dtype d, kni_atom u, kni_atom s, kni_atom vh, kni_atom counts)
{
    kni_type t = knb_type(b, s);
    kni_atom one = knb_full(b, t, 1), inverse = knb_div(b, one, knb_select(b, counts, s, one));
    inverse = knb_convert(b, knb_select(b, counts, inverse, knb_full(b, t, 0)), d);
    kni_type shape = knb_type(b, u);
    int64_t axes[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        axes[i] = i;
    axes[t.ndim - 1] = t.ndim;
    return knb_matrix_product(b, knb_mul(b, u, knb_broadcast_in_dim(b, inverse, shape.ndim, shape.dim, axes)), vh);
}

/* The operands are a and p^H, whose own tangent does not count. Where the rank does not change,
 * dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P (Golub and Pereyra); here are the adjoints. */
static kni_atom pinv_value(kni_builder *b, const kni_atom *x) { return knb_copy(b, x[1]); }
static kni_atom pinv_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    kni_atom a = x[0], q = y, p = knn_adjoint(b, q), ta = knn_adjoint(b, t[0]); /* y, not x[1]: it has derivatives */
    kni_atom first = knb_matrix_product(b, knb_matrix_product(b, q, ta), q);
    kni_atom second = knb_matrix_product(b, t[0], knb_matrix_product(b, p, q));
    second = knb_sub(b, second, knb_matrix_product(b, q, knb_matrix_product(b, knn_adjoint(b, a), second)));
    kni_atom third = knb_matrix_product(b, knb_matrix_product(b, q, p), t[0]);
    third = knb_sub(b, third, knb_matrix_product(b, knb_matrix_product(b, third, knn_adjoint(b, a)), q));
    return knb_add(b, knb_sub(b, second, first), third);
}
static const kna_formula pinv_formula = {"pinv", "pinv_jvp", 2, pinv_value, pinv_tangent};

static kni_atom frobenius(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    kni_atom squares = knb_mul(b, x, knb_conj(b, x));
    if (b->error)
        return KN_ATOM_NONE;
    squares = knx_is_complex(t.dtype) ? knb_real(b, squares) : squares;
    return knb_sqrt(b, knb_reduce_sum(b, squares, 2, (int64_t[]){t.ndim - 2, t.ndim - 1}));
}

/* p^H by singular values. */
static kni_atom by_values(kni_builder *b, kn_dtype d, kni_atom a, kni_atom relative, kni_atom *s, kni_atom *counts)
{
    kni_atom y[3];
    knb_svd(b, a, &(kni_p_svd){.compute_uv = true, .check = KN_CHECK_SVD}, y);
    if (b->error)
        return KN_ATOM_NONE;
    *s = y[0];
    *counts = that_count(b, y[0], relative);
    return pseudoinverse(b, d, y[1], y[0], y[2], *counts);
}

/* A branch that has the operands p^H and a, `relative`: what is there, or p^H by singular values. */
static kni_jaxpr *branch_of(kni_builder *outer, kn_dtype d, const kni_atom *x, bool there)
{
    kni_builder b;
    kni_atom in[3], s, counts;
    knb_init(&b);
    for (int i = 0; i < 3; i++)
        in[i] = knb_invar(&b, knb_type(outer, x[i]));
    kni_atom y = there ? knb_copy(&b, in[0]) : by_values(&b, d, in[1], in[2], &s, &counts);
    return knb_finish_for(outer, &b, 1, &y);
}

/* p^H of matrices that have rows and columns. By QR factors where no singular value can be one of those that do not
 * count: |r| |p| bounds the condition number from above. Else by singular values. */
static kni_atom by_factors(knn_matrices *m, kni_atom a, kni_atom relative)
{
    kni_builder *b = m->op.b;
    bool wide = m->rows < m->columns;
    kni_atom y[2], x[4], below;
    knb_qr(b, wide ? knn_adjoint(b, a) : a, &(kni_p_qr){.full_matrices = false}, y);
    kni_atom q =
        knb_triangular_solve(b, y[1], y[0], &(kni_p_triangular_solve){.transpose_a = true, .conjugate_a = true});
    kni_atom least = knb_max(b, relative, larger_extent(m, knx_component(m->dtype), epsilon_of(m->dtype)));
    kni_atom bound = knb_mul(b, frobenius(b, y[1]), frobenius(b, q));
    if (b->error)
        return KN_ATOM_NONE;
    bound = knb_mul(b, bound, knb_broadcast_to(b, least, knb_type(b, bound)));
    below = knb_lt(b, bound, knb_like(b, bound, 0.5));
    kni_type t = knb_type(b, below);
    int64_t axes[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        axes[i] = i;
    x[0] = knb_convert(b, t.ndim ? knb_reduce_and(b, below, t.ndim, axes) : below, KN_DT(I32));
    x[1] = wide ? knn_adjoint(b, q) : q;
    x[2] = a;
    x[3] = relative;
    kni_jaxpr *branch[2] = {branch_of(b, m->dtype, x + 1, false), branch_of(b, m->dtype, x + 1, true)};
    kni_atom result = KN_ATOM_NONE;
    if (branch[0] && branch[1])
        knb_cond(b, &(kni_p_cond){.branches = {2, branch}}, x, &result);
    kni_release(branch[0]);
    kni_release(branch[1]);
    return result;
}

/* p of a, with the rank's mask if wanted. relative: the part of the largest singular value that still counts as 0 */
static kni_atom pinv_of(knn_matrices *m, bool hermitian, kni_atom relative, kni_atom *s, kni_atom *counts)
{
    kni_builder *b = m->op.b;
    kni_atom a = m->x[0], still = knb_stop_gradient(b, a), y[3], q;
    bool extents = !knx_any_symbolic(m->rows, m->columns) && m->rows && m->columns;
    if (hermitian) {
        m->x[0] = still;
        hermitian_svd(m, y);
        m->x[0] = a;
        *s = y[1];
        *counts = kna_failed(&m->op) ? KN_ATOM_NONE : that_count(b, y[1], relative);
        q = kna_failed(&m->op) ? KN_ATOM_NONE : pseudoinverse(b, m->dtype, y[0], y[1], y[2], *counts);
    } else if (extents) {
        knb_svd(b, still, &(kni_p_svd){.check = KN_CHECK_NONE}, s); /* the branch fails where this would */
        *counts = that_count(b, *s, relative);
        q = by_factors(m, still, relative);
    } else
        q = by_values(b, m->dtype, still, relative, s, counts);
    if (kna_failed(&m->op))
        return KN_ATOM_NONE;
    return knn_adjoint(b, kna_formula_of(b, &pinv_formula, (kni_atom[]){a, q}));
}

kn_array kn_linalg_pinv(kn_array a, const kn_linalg_pinv_opts *opts)
{
    KNX_OPTS(kn_linalg_pinv_opts, o, opts);
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE, s, counts;
    if (knn_matrices_begin(&m, "pinv", o.hermitian ? KNN_SQUARE : KNN_ANY_MATRIX, 1, &a)) {
        if (!isnan(o.rcond) && !isnan(o.rtol))
            kna_fail(&m.op, KN_ERROR_VALUE, "`rtol` and `rcond` can't be both set.");
        double relative = !isnan(o.rcond) ? o.rcond : isnan(o.rtol) ? 1e-15 : o.rtol;
        if (!kna_failed(&m.op))
            y = pinv_of(&m, o.hermitian, knb_number(m.op.b, knx_component(m.dtype), relative), &s, &counts);
    }
    return knn_matrices_end(&m, y);
}

/* ---- Least squares. */

static kni_atom squares(kni_builder *b, kni_atom x, kni_type like)
{
    if (b->error)
        return KN_ATOM_NONE;
    int64_t row = knb_type(b, x).ndim - 2;
    kni_atom y = knx_is_complex(like.dtype) ? knb_real(b, knb_mul(b, x, knb_conj(b, x))) : knb_mul(b, x, x);
    return knb_reduce_sum(b, y, 1, &row);
}

/* A power of two that brings the largest element of each matrix near 1, so that no inverse is out of range: (..., 1,
 * 1). */
static kni_atom scale_of(kni_builder *b, kni_atom a)
{
    kni_type t = knb_type(b, a);
    const int64_t last[] = {t.ndim - 2, t.ndim - 1};
    double most = knx_component(t.dtype)->size == 8 ? 1000 : 120;
    kni_atom size, by;
    if (b->error)
        return KN_ATOM_NONE;
    if (knx_dim_eq(kni_type_size(t), 0))
        return knb_expand_dims(
            b, knb_expand_dims(b, knb_full(b, knb_type(b, knb_reduce_sum(b, knb_abs(b, a), 2, last)), 1), t.ndim - 2),
            t.ndim - 1);
    size = knb_reduce_max(b, knb_abs(b, knb_stop_gradient(b, a)), 2, last);
    by = knb_neg(b, knb_floor(b, knb_log2(b, size)));
    by = knb_max(b, knb_min(b, by, knb_like(b, by, most)), knb_like(b, by, -most));
    return knb_expand_dims(b, knb_expand_dims(b, knb_exp2(b, by), t.ndim - 2), t.ndim - 1);
}
static kni_atom times_scale(kni_builder *b, kni_atom x, kni_atom scale)
{
    kni_type t = knb_type(b, x);
    return knb_mul(b, x, knb_broadcast_to(b, knb_convert(b, scale, t.dtype), t));
}

kn_linalg_lstsq_result kn_linalg_lstsq(kn_array a, kn_array b, const kn_linalg_lstsq_opts *opts)
{
    KNX_OPTS(kn_linalg_lstsq_opts, o, opts);
    knn_matrices m;
    knn_right_side r;
    kni_atom y[4] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, counts;
    kn_array result[4];
    if (knn_matrices_begin(&m, "lstsq", KNN_ANY_MATRIX, 2, (kn_array[]){a, b})) {
        kni_type t = knb_type(m.op.b, m.x[1]);
        if (t.ndim && !knx_dim_eq(t.dim[t.ndim == 1 ? 0 : t.ndim - 2], m.rows))
            kna_fail(&m.op, KN_ERROR_LINALG, "Incompatible dimensions");
        if (!kna_failed(&m.op) && knn_right_side_begin(&m, m.x[1], m.rows, &r)) {
            kni_builder *k = m.op.b;
            kn_dtype real = knx_component(m.dtype);
            kni_atom relative = isnan(o.rcond) ? larger_extent(&m, real, epsilon_of(m.dtype))
                                               : knb_number(k, real, o.rcond < 0 ? epsilon_of(m.dtype) : o.rcond);
            kni_atom whole = m.x[0], scale = scale_of(k, whole);
            m.x[0] = times_scale(k, whole, scale);
            kni_atom p = pinv_of(&m, false, relative, &y[3], &counts), right = r.y;
            m.x[0] = whole;
            right = times_scale(k, right, knn_stacked(&m, &r, scale, 2));
            kni_atom x = knb_matrix_product(k, knn_stacked(&m, &r, p, 2), right);
            kni_atom left = knb_sub(k, r.y, knb_matrix_product(k, knn_stacked(&m, &r, whole, 2), x));
            kni_type values = knb_type(k, y[3]);
            y[3] = knb_div(k, y[3], knb_broadcast_to(k, knb_squeeze(k, scale, 1, (int64_t[]){values.ndim}), values));
            y[0] = knn_right_side_end(&m, &r, x);
            y[1] = squares(k, left, knb_type(k, left));
            y[2] = count(k, counts);
        }
    }
    kna_end_n(&m.op, 4, y, result);
    return (kn_linalg_lstsq_result){result[0], result[1], result[2], result[3]};
}
