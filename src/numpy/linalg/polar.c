/* SPDX-License-Identifier: Apache-2.0
 * polar.c -- scipy.linalg: polar factors, by singular values or by Halley's iteration with weights. */
#include "numpy/linalg/matrices.h"
#include "array/formula.h"
#include <math.h>
#include <string.h>

/* ---- Halley's iteration with weights (Nakatsukasa, Bai and Gygi): u (a + b u^H u) (1 + c u^H u)^-1, where a, b and c
 * follow from a lower bound of the singular values alone. Large c take the factors of a QR, others those of a Cholesky
 * decomposition. When the bound has come to 1 the weights are Halley's own, until u stays. */

enum { MORE = 6 /* steps behind those of the bound, at most: one is enough for matrices of full rank */ };

typedef struct weights {
    double a, b, c;
} weights;

/* By Newton's iteration from above, with the same bits everywhere. */
static double cube_root(double x)
{
    double y = x > 1 ? x : 1;
    for (int i = 0; i < 400; i++) {
        double next = (2 * y + x / (y * y)) / 3;
        if (!(next < y))
            break;
        y = next;
    }
    return y;
}

static weights weights_for(double *l)
{
    double l2 = *l * *l, d = cube_root(4 * (1 / l2 - 1) / l2), s = sqrt(1 + d);
    double a = s + sqrt(2 - d + 2 * (2 - l2) / (l2 * s)), b = (a - 1) * (a - 1) / 4, c = a + b - 1;
    *l = *l * (a + b * l2) / (1 + c * l2);
    return (weights){a, b, c};
}

static kni_atom times(kni_builder *b, kni_atom x, double v) { return knb_mul(b, x, knb_like(b, x, v)); }

static kni_atom plus_identity(kni_builder *b, kni_atom x)
{
    return knb_on_diagonal(b, x, knb_add(b, x, knb_like(b, x, 1)), x);
}

/* (b / c) u + (a - b / c) / sqrt(c) q1 q2^H, where q1 and q2 are the orthonormal factor of [sqrt(c) u; 1] */
static kni_atom step_by_qr(kni_builder *b, kni_atom u, weights w)
{
    kni_type t = knb_type(b, u);
    if (b->error)
        return KN_ATOM_NONE;
    int64_t m = t.dim[t.ndim - 2], n = t.dim[t.ndim - 1], dim[KN_MAX_NDIM];
    memcpy(dim, t.dim, (size_t)t.ndim * sizeof *dim);
    dim[t.ndim - 2] = n;
    kni_atom one = plus_identity(b, knb_zeros(b, kni_type_of(t.dtype, t.ndim, dim))), out[2];
    kni_atom tall = knb_concatenate(b, 2, (kni_atom[]){times(b, u, sqrt(w.c)), one}, t.ndim - 2);
    knb_qr(b, tall, &(kni_p_qr){0}, out);
    kni_atom q1 = knn_cut(b, out[0], false, 0, m), q2 = knn_cut(b, out[0], false, m, knx_dim_add(m, n));
    kni_atom part = times(b, knb_matrix_product(b, q1, knn_adjoint(b, q2)), (w.a - w.b / w.c) / sqrt(w.c));
    return knb_add(b, times(b, u, w.b / w.c), part);
}

/* (b / c) u + (a - b / c) u (1 + c u^H u)^-1 */
static kni_atom step_by_cholesky(kni_builder *b, kni_atom u, weights w)
{
    kni_atom z = plus_identity(b, times(b, knb_matrix_product(b, knn_adjoint(b, u), u), w.c));
    kni_atom l = knb_cholesky(b, z, KN_CHECK_NONE), y = u;
    if (b->error)
        return KN_ATOM_NONE;
    kni_p_triangular_solve p = {
        .lower = true, .transpose_a = true, .conjugate_a = knx_is_complex(knb_type(b, u).dtype)};
    y = knb_triangular_solve(b, l, y, &p);
    p.transpose_a = p.conjugate_a = false;
    y = knb_triangular_solve(b, l, y, &p);
    return knb_add(b, times(b, u, w.b / w.c), times(b, y, w.a - w.b / w.c));
}

/* The root of the sum of squares of each matrix. */
static kni_atom length(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom squares = knx_is_complex(t.dtype) ? knb_real(b, knb_mul(b, x, knb_conj(b, x))) : knb_mul(b, x, x);
    return knb_sqrt(b, knb_reduce_sum(b, squares, 2, (const int64_t[]){t.ndim - 2, t.ndim - 1}));
}

/* A value of each matrix, for all of its elements. */
static kni_atom for_elements(kni_builder *b, kni_atom v, kni_type like)
{
    int64_t axes[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < like.ndim - 2; i++)
        axes[i] = i;
    return like.ndim == 2 ? v : knb_broadcast_in_dim(b, v, like.ndim, like.dim, axes);
}

/* x over a number that is not below its largest singular value: the root of the product of two norms. */
static kni_atom scaled(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    if (b->error || knx_dim_eq(kni_type_size(t), 0))
        return x;
    int64_t row = t.ndim - 2, column = t.ndim - 1;
    kni_atom size = knb_abs(b, x), norm[2];
    norm[0] = knb_reduce_max(b, knb_reduce_sum(b, size, 1, &row), 1, &row);
    norm[1] = knb_reduce_max(b, knb_reduce_sum(b, size, 1, &column), 1, &row);
    kni_atom bound = knb_mul(b, knb_sqrt(b, norm[0]), knb_sqrt(b, norm[1]));
    bound =
        knb_select(b, knb_eq(b, bound, knb_full(b, knb_type(b, bound), 0)), knb_full(b, knb_type(b, bound), 1), bound);
    return knb_div(b, x, knb_convert(b, for_elements(b, bound, t), t.dtype));
}

/* du: with p = u^H a and the skew k: p k + k p = u^H da - da^H u, du = u k + (1 - u u^H) da p^-1, for matrices that are
 * not wide. The operands are a and its unitary factor, whose own tangent does not count. */
static kni_atom polar_value(kni_builder *b, const kni_atom *x) { return knb_copy(b, x[1]); }
static kni_atom polar_tangent(kni_builder *b, const kni_atom *x, kni_atom u, const kni_atom *t)
{
    kni_type s = knb_type(b, x[0]);
    kni_atom h = knn_adjoint(b, u), p = knb_matrix_product(b, h, x[0]), c = knb_matrix_product(b, h, t[0]);
    kni_atom k = knb_sylvester(b, p, p, knb_sub(b, c, knn_adjoint(b, c)));
    kni_atom y = knb_matrix_product(b, u, k), lu[3];
    if (b->error || knx_dim_eq(s.dim[s.ndim - 1], s.dim[s.ndim - 2]))
        return y;
    kni_atom outside = knn_adjoint(b, knb_sub(b, t[0], knb_matrix_product(b, u, c)));
    knb_lu(b, knn_adjoint(b, p), KN_CHECK_NONE, lu);
    outside = knn_solve_lu(b, lu[0], knb_permute_rows(b, outside, lu[2]));
    return knb_add(b, y, knn_adjoint(b, outside));
}
static const kna_formula polar_formula = {"polar", "polar_jvp", 2, polar_value, polar_tangent};

static kni_atom hermitian_part(kni_builder *b, kni_atom x) { return times(b, knb_add(b, x, knn_adjoint(b, x)), 0.5); }

void knn_qdwh(kni_builder *b, kni_atom x, int max_iterations, double eps, kni_atom out[4])
{
    kni_type t = knb_type(b, x);
    if (b->error)
        return;
    double size = knx_component(t.dtype)->size == 8 ? 0x1p-52 : 0x1p-23, l = isnan(eps) ? size : eps;
    double tolerance = 5 * l, near = cube_root(tolerance);
    int64_t dim[KN_MAX_NDIM];
    memcpy(dim, t.dim, (size_t)t.ndim * sizeof *dim);
    const kni_type each = kni_type_of(KN_DT(I32), t.ndim - 2, dim);
    kni_atom u = scaled(b, knb_stop_gradient(b, x)), before = u, count, moves;
    int k = 0;
    for (; l + tolerance < 1 && k < max_iterations; k++) {
        weights w = weights_for(&l);
        before = u;
        u = w.c > 100 ? step_by_qr(b, u, w) : step_by_cholesky(b, u, w);
    }
    count = knb_full(b, each, k);
    moves = knb_gt(b, length(b, knb_sub(b, u, before)), knb_number(b, knx_component(t.dtype), near));
    for (int i = 0; i < MORE && k + i < max_iterations; i++) {
        kni_atom next = step_by_cholesky(b, u, (weights){3, 1, 3});
        kni_atom moved = knb_gt(b, length(b, knb_sub(b, next, u)), knb_number(b, knx_component(t.dtype), near));
        if (b->error)
            return;
        u = knb_select(b, for_elements(b, moves, t), next, u);
        count = knb_add(b, count, knb_convert(b, moves, KN_DT(I32)));
        moves = knb_and(b, moves, moved);
    }
    kni_atom cube = knb_matrix_product(b, u, knb_matrix_product(b, knn_adjoint(b, u), u)); /* Newton and Schulz */
    u = knb_sub(b, times(b, u, 1.5), times(b, cube, 0.5));
    out[0] = kna_formula_of(b, &polar_formula, (kni_atom[]){x, u});
    out[1] = hermitian_part(b, knb_matrix_product(b, knn_adjoint(b, out[0]), x));
    out[2] = count;
    out[3] = knb_not(b, moves);
}

/* ---- polar. */

static kni_atom by_svd(kni_builder *b, kni_atom x)
{
    kni_atom out[3];
    knb_svd(b, knb_stop_gradient(b, x), &(kni_p_svd){.compute_uv = true, .check = KN_CHECK_SVD}, out);
    return kna_formula_of(b, &polar_formula, (kni_atom[]){x, knb_matrix_product(b, out[1], out[2])});
}

kn_linalg_polar_result kn_linalg_polar(kn_array a, const kn_linalg_polar_opts *opts)
{
    KNX_OPTS(kn_linalg_polar_opts, o, opts);
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE}, out[4];
    kn_array result[2];
    if (knn_matrices_begin(&m, "polar", KNN_ANY_MATRIX, 1, &a)) {
        kni_builder *b = m.op.b;
        bool left = o.side && !strcmp(o.side, "left"), halley = o.method && !strcmp(o.method, "qdwh");
        if (o.side && !left && strcmp(o.side, "right"))
            kna_fail(&m.op, KN_ERROR_VALUE, "`side` must be either 'right' or 'left'");
        else if (o.method && !halley && strcmp(o.method, "svd"))
            kna_fail(&m.op, KN_ERROR_VALUE, "Unknown polar decomposition method %s.", o.method);
        else {
            bool wide = knx_dim_lt(m.rows, m.columns); /* then of the adjoint */
            kni_atom x = wide ? knn_adjoint(b, m.x[0]) : m.x[0], u;
            if (halley)
                knn_qdwh(b, x, 10, NAN, out);
            u = halley ? out[0] : by_svd(b, x);
            u = wide ? knn_adjoint(b, u) : u;
            kni_atom h = knn_adjoint(b, u);
            y[0] = u;
            y[1] = hermitian_part(b, left ? knb_matrix_product(b, m.x[0], h) : knb_matrix_product(b, h, m.x[0]));
        }
    }
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_polar_result){result[0], result[1]};
}
