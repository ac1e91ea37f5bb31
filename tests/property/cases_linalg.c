/* SPDX-License-Identifier: Apache-2.0
 * cases_linalg.c -- samples of the factorisations and of triangular systems. */
#include "cases.h"

/* Of x with its diagonal raised, so that there is a factor. Only the lower triangle matters. */
static int build_cholesky(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type t = knb_type(b, x[0]);
    int64_t n = t.ndim ? t.dim[t.ndim - 1] : 0;
    kni_atom raised = knb_add(b, x[0], knb_like(b, x[0], (double)(2 * n + 2)));
    y[0] = knb_cholesky(b, knb_on_diagonal(b, x[0], raised, x[0]), n % 2 ? KN_CHECK_CHOLESKY : KN_CHECK_NONE);
    return 1;
}

/* Of x with its diagonal raised and the rows in reverse order: the pivots stay the same when elements move a little. */
static int build_lu(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom raised = knb_on_diagonal(b, x[0], knb_add(b, x[0], knb_like(b, x[0], (double)LU_RAISED)), x[0]);
    kni_type t = knb_type(b, raised);
    int64_t rows = t.ndim - 2;
    knb_lu(b, knb_rev(b, raised, 1, &rows), KN_CHECK_NONE, y);
    return 3;
}

static kni_atom adjoint(kni_builder *b, kni_atom x) { return knb_conj(b, knb_swap_last(b, x)); }
/* x diag(v) */
static kni_atom scaled(kni_builder *b, kni_atom x, kni_atom v)
{
    kni_type t = knb_type(b, x);
    int64_t axes[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim - 1; i++)
        axes[i] = i < t.ndim - 2 ? i : t.ndim - 1;
    return knb_mul(b, x, knb_broadcast_in_dim(b, knb_convert(b, v, t.dtype), t.ndim, t.dim, axes));
}
static kni_atom sum_of(kni_builder *b, kni_atom x, int n)
{
    int64_t axes[] = {knb_type(b, x).ndim - n, knb_type(b, x).ndim - 1};
    return knb_reduce_sum(b, x, n, axes);
}

/* What factors say of the matrix, whatever signs and phases their vectors have: q r and r^H r. */
static int build_qr(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2];
    knb_qr(b, x[0], &(kni_p_qr){.full_matrices = false}, out);
    y[0] = knb_matrix_product(b, out[0], out[1]);
    y[1] = knb_matrix_product(b, adjoint(b, out[1]), out[1]);
    return 2;
}

/* With its columns in the order of p, q r has the same sums of rows. */
static int build_pivoted_qr(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[3];
    knb_qr(b, x[0], &(kni_p_qr){.full_matrices = true, .pivoting = true}, out);
    y[0] = sum_of(b, knb_matrix_product(b, out[0], out[1]), 1);
    return 1;
}

static int build_geqrf(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2];
    knb_geqrf(b, x[0], out);
    kni_atom r = knb_triangle(b, out[0], false, 0);
    y[0] = knb_matrix_product(b, adjoint(b, r), r);
    return 1;
}

static int build_householder(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2];
    knb_geqrf(b, x[0], out);
    kni_atom q = knb_householder_product(b, out[0], out[1]);
    y[0] = knb_matrix_product(b, q, knb_matrix_product(b, adjoint(b, q), x[0]));
    return 1;
}

/* q r from the left, and (r^H q^H)^H from the right */
static int build_ormqr(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2];
    knb_geqrf(b, x[0], out);
    kni_atom r = knb_triangle(b, out[0], false, 0);
    y[0] = knb_ormqr(b, out[0], out[1], r, &(kni_p_ormqr){.left = true});
    y[1] = adjoint(b, knb_ormqr(b, out[0], out[1], adjoint(b, r), &(kni_p_ormqr){.transpose = true}));
    return 2;
}

/* v w v^H and v w^2 v^H, of the eigenvalues and vectors of the lower triangle */
static int build_eigh(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2], w;
    knb_eigh(b, x[0], &(kni_p_eigh){.lower = true}, out);
    knb_eigh(b, x[0], &(kni_p_eigh){.lower = true, .values_only = true}, &w);
    kni_atom v = out[0], h = adjoint(b, v);
    y[0] = knb_matrix_product(b, scaled(b, v, w), h);
    y[1] = knb_matrix_product(b, scaled(b, v, knb_square(b, out[1])), h);
    return 2;
}

/* l d l^H and its square, of either triangle; the upper one is that of the transposed matrix, so its product is. */
static int ldl_of(kni_builder *b, kni_atom x, bool lower, kni_atom *y)
{
    kni_atom out[3];
    knb_ldl(b, lower ? x : adjoint(b, x), &(kni_p_ldl){.lower = lower, .hermitian = true}, out);
    y[0] = knb_matrix_product(b, knb_matrix_product(b, out[0], out[1]), adjoint(b, out[0]));
    y[1] = knb_matrix_product(b, y[0], y[0]);
    return 2;
}
static int build_ldl(kni_builder *b, const kni_atom *x, kni_atom *y) { return ldl_of(b, x[0], true, y); }
static int build_upper_ldl(kni_builder *b, const kni_atom *x, kni_atom *y) { return ldl_of(b, x[0], false, y); }

/* The trace, and the sum of squares. */
static int build_tridiagonal(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[4];
    knb_tridiagonal(b, x[0], &(kni_p_tridiagonal){.lower = true}, out);
    y[0] = sum_of(b, out[1], 1);
    kni_atom e = sum_of(b, knb_square(b, out[2]), 1);
    y[1] = knb_add(b, sum_of(b, knb_square(b, out[1]), 1), knb_add(b, e, e));
    return 2;
}

/* u s vh and u s^2 u^H */
static int build_svd(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[3], s;
    knb_svd(b, x[0], &(kni_p_svd){.compute_uv = true}, out);
    knb_svd(b, x[0], &(kni_p_svd){.compute_uv = false}, &s);
    y[0] = knb_matrix_product(b, scaled(b, out[1], s), out[2]);
    y[1] = knb_matrix_product(b, scaled(b, out[1], knb_square(b, out[0])), adjoint(b, out[1]));
    return 2;
}

/* u s vh of full square factors of a matrix that is no square one. */
static int build_full_svd(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[3];
    kni_type t = knb_type(b, x[0]);
    knb_svd(b, x[0], &(kni_p_svd){.compute_uv = true, .full_matrices = true}, out);
    kni_atom inside = knb_matrix_product(b, adjoint(b, out[1]), x[0]);
    y[0] =
        knb_matrix_product(b, out[1], knb_matrix_product(b, knb_matrix_product(b, inside, adjoint(b, out[2])), out[2]));
    (void)t;
    return 1;
}

/* The sums of the eigenvalues and of their squares. */
static int build_eig(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom w, out[3];
    knb_eig(b, x[0], &(kni_p_eig){.compute_left_eigenvectors = false}, &w);
    knb_eig(b, x[0], &(kni_p_eig){.compute_left_eigenvectors = true, .compute_right_eigenvectors = true}, out);
    y[0] = sum_of(b, w, 1);
    y[1] = sum_of(b, knb_square(b, out[0]), 1);
    return 2;
}

static int build_schur(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2];
    knb_schur(b, x[0], &(kni_p_schur){.compute_schur_vectors = true}, out);
    y[0] = knb_matrix_product(b, knb_matrix_product(b, out[1], out[0]), adjoint(b, out[1]));
    return 1;
}

/* The trace, and that of the square, of what is above the subdiagonal and on it. */
static int build_hessenberg(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[2];
    knb_hessenberg(b, x[0], out);
    kni_atom h = knb_triangle(b, out[0], false, -1), square = knb_matrix_product(b, h, h);
    y[0] = sum_of(b, knb_on_diagonal(b, h, h, knb_like(b, h, 0)), 2);
    y[1] = sum_of(b, knb_on_diagonal(b, h, square, knb_like(b, h, 0)), 2);
    return 2;
}

static int build_update(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom u = knb_cholesky_update(b, knb_triangle(b, x[0], false, 0), x[1]);
    y[0] = knb_matrix_product(b, knb_swap_last(b, u), u);
    return 1;
}

/* Of a matrix with 2 diagonals below its own one, which is raised, and 1 above. */
static kni_atom raised_band(kni_builder *b, kni_atom ab, int64_t row)
{
    kni_type t = knb_type(b, ab);
    kni_atom at = knb_iota(b, KN_DT(I64), t.ndim, t.dim, t.ndim - 2);
    kni_atom there = knb_eq(b, at, knb_like(b, at, (double)row));
    return knb_add(b, ab, knb_select(b, there, knb_full(b, t, BAND_RAISED), knb_full(b, t, 0)));
}
static int build_banded(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = knb_banded_solve(b, raised_band(b, x[0], 1), x[1], &(kni_p_banded_solve){.lower = 2, .upper = 1});
    return 1;
}

static int build_sqrtm(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type t = knb_type(b, x[0]);
    kni_atom raised = knb_add(b, x[0], knb_like(b, x[0], (double)(2 * t.dim[t.ndim - 1] + 2)));
    kni_atom s = knb_sqrtm(b, knb_on_diagonal(b, x[0], raised, x[0]));
    y[0] = knb_matrix_product(b, s, s);
    return 1;
}

/* Of x with its diagonal raised. */
static kni_atom raised(kni_builder *b, kni_atom x)
{
    int64_t n = knb_type(b, x).dim[knb_type(b, x).ndim - 1];
    return knb_on_diagonal(b, x, knb_add(b, x, knb_like(b, x, (double)(2 * n + 2))), x);
}
static int build_inv(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    knb_inv(b, raised(b, x[0]), &(kni_p_solve){.factors = false, .check = KN_CHECK_INV}, y);
    return 1;
}
/* The factors have a say, too: l and u of the inverse times nothing. */
static int build_factored_inv(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom out[3];
    knb_inv(b, raised(b, x[0]), &(kni_p_solve){.factors = true}, out);
    y[0] = knb_add(b, out[0], knb_mul(b, out[1], knb_like(b, out[1], 0)));
    return 1;
}
static int build_solve(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    knb_solve(b, (kni_atom[]){raised(b, x[0]), x[1]}, &(kni_p_solve){.factors = false, .check = KN_CHECK_SOLVE}, y);
    return 1;
}
static int build_det(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = knb_det(b, raised(b, x[0]));
    return 1;
}

#define INEXACT "f32 f64 c64 c128"
#define CHOLESKY(from)           \
    {.prim = &knp_prim_cholesky, \
     .dtypes = INEXACT,          \
     .operands = from,           \
     .whole = ref_cholesky,      \
     .build = build_cholesky,    \
     .lo = -1,                   \
     .hi = 1,                    \
     .ulp = 32},
#define RAISED_LU(name, from) \
    {.prim = &knp_prim_lu,    \
     .label = name,           \
     .dtypes = INEXACT,       \
     .operands = from,        \
     .whole = ref_raised_lu,  \
     .build = build_lu,       \
     .flags = ANY_ZERO,       \
     .ulp = 64},
#define LU(name, which, from)             \
    {.prim = &knp_prim_lu,                \
     .label = name,                       \
     .dtypes = INEXACT,                   \
     .operands = from,                    \
     .whole = ref_lu,                     \
     .params = &(kni_p_factorize){which}, \
     .flags = NO_SLOPE | ANY_ZERO,        \
     .ulp = 64},
#define PERMUTATION(name, size, from)            \
    {.prim = &knp_prim_lu_pivots_to_permutation, \
     .label = name,                              \
     .operands = from,                           \
     .whole = ref_lu_pivots_to_permutation,      \
     .params = &(kni_p_lu_pivots_to_permutation){size}},
/* left_side, lower, transpose_a, conjugate_a, unit_diagonal */
#define SOLVE(name, left, from, ...)                         \
    {.prim = &knp_prim_triangular_solve,                     \
     .label = name,                                          \
     .dtypes = INEXACT,                                      \
     .operands = from,                                       \
     .whole = ref_triangular_solve,                          \
     .params = &(kni_p_triangular_solve){left, __VA_ARGS__}, \
     .ulp = 64},
#define LEFT(name, ...) \
    SOLVE(name, true, "T[3,3]{2,3} T[3,2]; T[2,2,2]{2,3} T[2,2,1]; T[0,0] T[0,2]; T[2,2]{2,3} T[2,0]", __VA_ARGS__)
#define RIGHT(name, ...) \
    SOLVE(name, false, "T[3,3]{2,3} T[2,3]; T[2,2,2]{2,3} T[2,1,2]; T[0,0] T[2,0]; T[2,2]{2,3} T[0,2]", __VA_ARGS__)

#define FACTORS(row, name, builder, reference, shapes, ...) \
    {.prim = &knp_prim_##row,                               \
     .label = name,                                         \
     .dtypes = INEXACT,                                     \
     .operands = shapes,                                    \
     .whole = reference,                                    \
     .build = builder,                                      \
     .lo = -1,                                              \
     .hi = 1,                                               \
     .ulp = 128,                                            \
     __VA_ARGS__},

#define SOLVES(row, reference, shapes) \
    {.prim = &knp_prim_##row, .dtypes = INEXACT, .operands = shapes, .whole = reference, .lo = -1, .hi = 1, .ulp = 256},

#define SMALL(row, name, builder, reference, shapes, ...) \
    {.prim = &knp_prim_##row,                             \
     .label = name,                                       \
     .dtypes = "f32 f64",                                 \
     .operands = shapes,                                  \
     .whole = reference,                                  \
     .build = builder,                                    \
     .lo = -1,                                            \
     .hi = 1,                                             \
     .ulp = 64,                                           \
     __VA_ARGS__},

const sample samples_linalg[] = {
#include "linalg.def"
    {.prim = NULL},
};
