/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/products.h -- jax.lax: products of arrays, factorizations (jax.lax.linalg), random bits. */
/* Made by scripts/make-api.py from api/lax/products.api. */
/* clang-format off */
#ifndef KILN_LAX_PRODUCTS_H
#define KILN_LAX_PRODUCTS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Products. */

/* jax.lax.DotDimensionNumbers: pairs of axes that are summed over, and pairs that stay, in front; lists that are not
 * given are empty */
typedef struct kn_lax_dot_dimension_numbers {
    kn_axes lhs_contract, rhs_contract, lhs_batch, rhs_batch;
} kn_lax_dot_dimension_numbers;
typedef struct kn_lax_dot_opts {
    size_t size_;
    kn_dtype preferred_element_type; /* of the result; NULL: theirs */
} kn_lax_dot_opts;
KN_API kn_lax_dot_opts kn_lax_dot_opts_default(void);
/* jax.lax.dot_general: the product of two arrays summed over pairs of axes: the result has the batch axes, the other
 * axes of lhs, those of rhs. kn_lax_dot_general(x, y, ((kn_lax_dot_dimension_numbers){.lhs_contract = KN_AXIS(1),
 * .rhs_contract = KN_AXIS(0)})) */
KN_API kn_array kn_lax_dot_general(kn_array lhs, kn_array rhs, const kn_lax_dot_dimension_numbers *dimension_numbers,
    const kn_lax_dot_opts *opts);
/* jax.lax.dot: the product of vectors and matrices: the last axis of lhs with the first of rhs. ValueError for more
 * dimensions or extents that differ. */
KN_API kn_array kn_lax_dot(kn_array lhs, kn_array rhs, const kn_lax_dot_opts *opts);
/* jax.lax.batch_matmul: the products of the matrices in the last two axes; the axes in front are equal. */
KN_API kn_array kn_lax_batch_matmul(kn_array lhs, kn_array rhs);
/* jax.lax.ragged_dot: groups of rows times a matrix for each group: lhs (m, k), rhs (groups, k, n), group_sizes
 * (groups): the first group_sizes[0] rows of lhs times rhs[0], the next ones times rhs[1], ...; rows behind the last
 * group are zeros. */
KN_API kn_array kn_lax_ragged_dot(kn_array lhs, kn_array rhs, kn_array group_sizes, const kn_lax_dot_opts *opts);
/* jax.lax.fft: the discrete Fourier transform over the last axes, as many as there are lengths, which are those of
 * the axes (of IRFFT's last one those of the result); inverse ones are divided by their product. Without lengths x
 * as complex (RFFT: floating) numbers. ValueError for other types, for lengths below 1, and for RFFT of complex
 * numbers. */
KN_API kn_array kn_lax_fft(kn_array x, const char *fft_type, const kn_shape *fft_lengths);

/* ---- Matrices, in the last two axes. */
typedef struct kn_lax_linalg_cholesky_opts {
    size_t size_;
    bool symmetrize_input; /* true */
} kn_lax_linalg_cholesky_opts;
KN_API kn_lax_linalg_cholesky_opts kn_lax_linalg_cholesky_opts_default(void);
/* jax.lax.linalg.cholesky: the Cholesky factor l of positive definite matrices: lower triangular, with x = l l^H;
 * NaN where there is none. symmetrize_input: of (x + x^H) / 2; otherwise only the lower triangle of x counts. */
KN_API kn_array kn_lax_linalg_cholesky(kn_array x, const kn_lax_linalg_cholesky_opts *opts);
typedef struct kn_lax_linalg_lu_result { kn_array lu, pivots, permutation; } kn_lax_linalg_lu_result;
/* jax.lax.linalg.lu: the factorization into triangular matrices with rows exchanged: lu has u, and below its
 * diagonal l without its ones; x[permutation] = l u; row k was swapped with row pivots[k]. int32. */
KN_API kn_lax_linalg_lu_result kn_lax_linalg_lu(kn_array x);
/* jax.lax.linalg.lu_pivots_to_permutation: the permutation of so many rows that swapping row k with row pivots[k]
 * makes, for k = 0, 1, ... pivots: int32 in the last axis; those outside of the rows swap nothing. */
KN_API kn_array kn_lax_linalg_lu_pivots_to_permutation(kn_array pivots, int64_t permutation_size);
typedef struct kn_lax_linalg_triangular_solve_opts {
    size_t size_; bool left_side; bool lower; bool transpose_a; bool conjugate_a; bool unit_diagonal;
} kn_lax_linalg_triangular_solve_opts;
KN_API kn_lax_linalg_triangular_solve_opts kn_lax_linalg_triangular_solve_opts_default(void);
/* jax.lax.linalg.triangular_solve: the solution of equations with a triangular matrix: y with y op(a) = b, or op(a)
 * y = b (left_side); a is upper triangular unless .lower. b may have one dimension less than a: one row, or column. */
KN_API kn_array kn_lax_linalg_triangular_solve(kn_array a, kn_array b, const kn_lax_linalg_triangular_solve_opts *opts);
typedef struct kn_lax_linalg_symmetric_product_opts {
    size_t size_;
    double alpha;           /* 1 */
    double beta;
    bool symmetrize_output; /* 1, 0; the result is symmetric anyway */
} kn_lax_linalg_symmetric_product_opts;
KN_API kn_lax_linalg_symmetric_product_opts kn_lax_linalg_symmetric_product_opts_default(void);
/* jax.lax.linalg.symmetric_product: alpha a a^T + beta c, a symmetric matrix. */
KN_API kn_array kn_lax_linalg_symmetric_product(kn_array a, kn_array c,
    const kn_lax_linalg_symmetric_product_opts *opts);
typedef struct kn_lax_linalg_qr_result { kn_array q, r, p; } kn_lax_linalg_qr_result;
typedef struct kn_lax_linalg_eigh_result { kn_array v, w; } kn_lax_linalg_eigh_result;
typedef struct kn_lax_linalg_svd_result { kn_array u, s, vh; } kn_lax_linalg_svd_result;
typedef struct kn_lax_linalg_eig_result { kn_array w, vl, vr; } kn_lax_linalg_eig_result;
typedef struct kn_lax_linalg_schur_result { kn_array t, z; } kn_lax_linalg_schur_result;
typedef struct kn_lax_linalg_hessenberg_result { kn_array a, taus; } kn_lax_linalg_hessenberg_result;
typedef struct kn_lax_linalg_tridiagonal_result { kn_array a, d, e, taus; } kn_lax_linalg_tridiagonal_result;
typedef struct kn_lax_linalg_qr_opts {
    size_t size_;
    bool pivoting;
    bool full_matrices; /* true */
} kn_lax_linalg_qr_opts;
KN_API kn_lax_linalg_qr_opts kn_lax_linalg_qr_opts_default(void);
/* jax.lax.linalg.qr: x = q r, with orthonormal columns of q and upper triangular r; with pivoting x's columns in the
 * order p (int32; else NULL). */
KN_API kn_lax_linalg_qr_result kn_lax_linalg_qr(kn_array x, const kn_lax_linalg_qr_opts *opts);
/* jax.lax.linalg.householder_product: the first columns of the product of reflections whose vectors are the columns
 * of a below its diagonal. */
KN_API kn_array kn_lax_linalg_householder_product(kn_array a, kn_array taus);
typedef struct kn_lax_linalg_ormqr_opts {
    size_t size_;
    bool left;      /* true */
    bool transpose;
} kn_lax_linalg_ormqr_opts;
KN_API kn_lax_linalg_ormqr_opts kn_lax_linalg_ormqr_opts_default(void);
/* jax.lax.linalg.ormqr: a matrix times reflections: q c, or c q unless left, for the product q of reflections whose
 * vectors are the columns of a below its diagonal; transpose: of its adjoint. */
KN_API kn_array kn_lax_linalg_ormqr(kn_array a, kn_array taus, kn_array c, const kn_lax_linalg_ormqr_opts *opts);
typedef struct kn_lax_linalg_eigh_opts {
    size_t size_;
    bool lower;              /* true */
    bool symmetrize_input;   /* true */
    bool sort_eigenvalues;   /* true: false promises no order; they rise all the same */
    kn_axes subset_by_index; /* the first eigenvalue that is wanted, from 0 on, and the one behind the last */
} kn_lax_linalg_eigh_opts;
KN_API kn_lax_linalg_eigh_opts kn_lax_linalg_eigh_opts_default(void);
/* jax.lax.linalg.eigh: eigenvectors v and eigenvalues w of Hermitian matrices; NaN where x is not finite. */
KN_API kn_lax_linalg_eigh_result kn_lax_linalg_eigh(kn_array x, const kn_lax_linalg_eigh_opts *opts);
typedef struct kn_lax_linalg_svd_opts {
    size_t size_;
    bool full_matrices;      /* true */
    bool compute_uv;         /* true */
    kn_axes subset_by_index; /* the first singular value that is wanted, from 0 on, and the one behind the last */
} kn_lax_linalg_svd_opts;
KN_API kn_lax_linalg_svd_opts kn_lax_linalg_svd_opts_default(void);
/* jax.lax.linalg.svd: the singular value decomposition x = u diag(s) vh; u and vh are NULL without compute_uv. NaN
 * where x is not finite. subset_by_index: these values and their vectors alone, without full_matrices. */
KN_API kn_lax_linalg_svd_result kn_lax_linalg_svd(kn_array x, const kn_lax_linalg_svd_opts *opts);
typedef struct kn_lax_linalg_eig_opts {
    size_t size_;
    bool compute_left_eigenvectors;  /* true */
    bool compute_right_eigenvectors; /* true */
} kn_lax_linalg_eig_opts;
KN_API kn_lax_linalg_eig_opts kn_lax_linalg_eig_opts_default(void);
/* jax.lax.linalg.eig: eigenvalues w and eigenvectors of square matrices: x vr = vr w, vl^H x = w vl^H; complex. What
 * is not wanted is NULL. NaN where x is not finite. */
KN_API kn_lax_linalg_eig_result kn_lax_linalg_eig(kn_array x, const kn_lax_linalg_eig_opts *opts);
typedef struct kn_lax_linalg_schur_opts {
    size_t size_;
    bool compute_schur_vectors; /* true */
} kn_lax_linalg_schur_opts;
KN_API kn_lax_linalg_schur_opts kn_lax_linalg_schur_opts_default(void);
/* jax.lax.linalg.schur: the Schur form x = z t z^H with orthonormal z and t triangular (of real x: with blocks of 2
 * by 2 for pairs of complex eigenvalues); z is NULL if it is not wanted. */
KN_API kn_lax_linalg_schur_result kn_lax_linalg_schur(kn_array x, const kn_lax_linalg_schur_opts *opts);
/* jax.lax.linalg.hessenberg: the Hessenberg form, with the vectors of reflections below its subdiagonal, and their
 * factors. */
KN_API kn_lax_linalg_hessenberg_result kn_lax_linalg_hessenberg(kn_array a);
typedef struct kn_lax_linalg_tridiagonal_opts { size_t size_; bool lower; } kn_lax_linalg_tridiagonal_opts; /* true */
KN_API kn_lax_linalg_tridiagonal_opts kn_lax_linalg_tridiagonal_opts_default(void);
/* jax.lax.linalg.tridiagonal: the tridiagonal form of Hermitian matrices with the vectors of reflections, its
 * diagonals d and e, factors. */
KN_API kn_lax_linalg_tridiagonal_result kn_lax_linalg_tridiagonal(kn_array a,
    const kn_lax_linalg_tridiagonal_opts *opts);
/* jax.lax.linalg.tridiagonal_solve: x of the tridiagonal matrix with the diagonals dl (from the second element on),
 * d, du (but for the last one) times x = b, (..., n, columns). Rows are exchanged where that is more exact. */
KN_API kn_array kn_lax_linalg_tridiagonal_solve(kn_array dl, kn_array d, kn_array du, kn_array b);
/* jax.lax.linalg.cholesky_update: upper triangular y with y^T y = r^T r + w w^T for upper triangular r; real. */
KN_API kn_array kn_lax_linalg_cholesky_update(kn_array r_matrix, kn_array w_vector);
typedef struct kn_lax_linalg_qdwh_opts {
    size_t size_;
    bool is_hermitian;  /* no more than a hint: the result is the same */
    int max_iterations; /* 10 */
    double eps;         /* NAN: NaN (the default) for the dtype's epsilon */
} kn_lax_linalg_qdwh_opts;
KN_API kn_lax_linalg_qdwh_opts kn_lax_linalg_qdwh_opts_default(void);
typedef struct kn_lax_linalg_qdwh_result { kn_array u, h, num_iters, is_converged; } kn_lax_linalg_qdwh_result;
/* jax.lax.linalg.qdwh: the polar decomposition x = u h with orthonormal columns of u and Hermitian h without
 * negative eigenvalues, for matrices with at least as many rows as columns, by Halley's iteration with weights for
 * the dtype's condition; the number of iterations (int32) until two of them differ by less than the cube root of eps
 * in the norm, and whether they did. */
KN_API kn_lax_linalg_qdwh_result kn_lax_linalg_qdwh(kn_array x, const kn_lax_linalg_qdwh_opts *opts);

/* ---- Random bits. */
enum { KN_LAX_RNG_DEFAULT, KN_LAX_RNG_THREE_FRY, KN_LAX_RNG_PHILOX }; /* jax.lax.RandomAlgorithm */
typedef struct kn_lax_rng_bit_generator_opts {
    size_t size_;
    kn_dtype dtype;
    int algorithm;  /* uint32; KN_LAX_RNG_DEFAULT */
} kn_lax_rng_bit_generator_opts;
KN_API kn_lax_rng_bit_generator_opts kn_lax_rng_bit_generator_opts_default(void);
typedef struct kn_lax_rng_bit_generator_result { kn_array key, bits; } kn_lax_rng_bit_generator_result;
/* jax.lax.rng_bit_generator: random bits of an unsigned dtype from a state uint32[4] or uint64[2], and the next
 * state. */
KN_API kn_lax_rng_bit_generator_result kn_lax_rng_bit_generator(kn_array key, const kn_shape *shape,
    const kn_lax_rng_bit_generator_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_lax_dot_general(lhs, rhs, dimension_numbers, ...)                                                           \
    KN_LAX_DOT_GENERAL_(__COUNTER__, lhs, rhs, dimension_numbers, __VA_ARGS__)
#define KN_LAX_DOT_GENERAL_(c, lhs, rhs, dimension_numbers, ...)                                                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
    KN_TAKE(kn_lax_dot_dimension_numbers, 3, c, dimension_numbers) KN_OPTS(c, kn_lax_dot_opts, (), __VA_ARGS__)        \
    KN_HERE(); (kn_lax_dot_general)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_lax_dot(lhs, rhs, ...) KN_F2O(kn_lax_dot, kn_lax_dot_opts, (), lhs, rhs, __VA_ARGS__)
#define kn_lax_batch_matmul(lhs, rhs) KN_F2(kn_lax_batch_matmul, lhs, rhs)
#define kn_lax_ragged_dot(lhs, rhs, group_sizes, ...)                                                                  \
    KN_F3O(kn_lax_ragged_dot, kn_lax_dot_opts, (), lhs, rhs, group_sizes, __VA_ARGS__)
#define kn_lax_fft(x, fft_type, fft_lengths) KN_LAX_FFT_(__COUNTER__, x, fft_type, fft_lengths)
#define KN_LAX_FFT_(c, x, fft_type, fft_lengths)                                                                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(const char *, 2, c, fft_type)                            \
    KN_TAKE(kn_shape, 3, c, fft_lengths) KN_HERE(); (kn_lax_fft)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_lax_linalg_cholesky(x, ...)                                                                                 \
    KN_F1O(kn_lax_linalg_cholesky, kn_lax_linalg_cholesky_opts, (.symmetrize_input = true, ), x, __VA_ARGS__)
#define kn_lax_linalg_lu(x) KN_F1(kn_lax_linalg_lu, x)
#define kn_lax_linalg_lu_pivots_to_permutation(pivots, permutation_size)                                               \
    KN_H1(kn_lax_linalg_lu_pivots_to_permutation, pivots, int64_t, permutation_size)
#define kn_lax_linalg_triangular_solve(a, b, ...)                                                                      \
    KN_F2O(kn_lax_linalg_triangular_solve, kn_lax_linalg_triangular_solve_opts, (), a, b, __VA_ARGS__)
#define kn_lax_linalg_symmetric_product(a, c, ...)                                                                     \
    KN_F2O(kn_lax_linalg_symmetric_product, kn_lax_linalg_symmetric_product_opts, (.alpha = 1, ), a, c, __VA_ARGS__)
#define kn_lax_linalg_qr(x, ...)                                                                                       \
    KN_F1O(kn_lax_linalg_qr, kn_lax_linalg_qr_opts, (.full_matrices = true, ), x, __VA_ARGS__)
#define kn_lax_linalg_householder_product(a, taus) KN_F2(kn_lax_linalg_householder_product, a, taus)
#define kn_lax_linalg_ormqr(a, taus, c, ...)                                                                           \
    KN_F3O(kn_lax_linalg_ormqr, kn_lax_linalg_ormqr_opts, (.left = true, ), a, taus, c, __VA_ARGS__)
#define kn_lax_linalg_eigh(x, ...)                                                                                     \
    KN_F1O(kn_lax_linalg_eigh, kn_lax_linalg_eigh_opts, (.lower = true, .symmetrize_input = true,                      \
    .sort_eigenvalues = true, ), x, __VA_ARGS__)
#define kn_lax_linalg_svd(x, ...)                                                                                      \
    KN_F1O(kn_lax_linalg_svd, kn_lax_linalg_svd_opts, (.full_matrices = true, .compute_uv = true, ), x, __VA_ARGS__)
#define kn_lax_linalg_eig(x, ...)                                                                                      \
    KN_F1O(kn_lax_linalg_eig, kn_lax_linalg_eig_opts, (.compute_left_eigenvectors = true,                              \
    .compute_right_eigenvectors = true, ), x, __VA_ARGS__)
#define kn_lax_linalg_schur(x, ...)                                                                                    \
    KN_F1O(kn_lax_linalg_schur, kn_lax_linalg_schur_opts, (.compute_schur_vectors = true, ), x, __VA_ARGS__)
#define kn_lax_linalg_hessenberg(a) KN_F1(kn_lax_linalg_hessenberg, a)
#define kn_lax_linalg_tridiagonal(a, ...)                                                                              \
    KN_F1O(kn_lax_linalg_tridiagonal, kn_lax_linalg_tridiagonal_opts, (.lower = true, ), a, __VA_ARGS__)
#define kn_lax_linalg_tridiagonal_solve(dl, d, du, b) KN_F4(kn_lax_linalg_tridiagonal_solve, dl, d, du, b)
#define kn_lax_linalg_cholesky_update(r_matrix, w_vector) KN_F2(kn_lax_linalg_cholesky_update, r_matrix, w_vector)
#define kn_lax_linalg_qdwh(x, ...)                                                                                     \
    KN_F1O(kn_lax_linalg_qdwh, kn_lax_linalg_qdwh_opts, (.max_iterations = 10, .eps = __builtin_nan(""), ), x,         \
    __VA_ARGS__)
#define kn_lax_rng_bit_generator(key, shape, ...)                                                                      \
    KN_P1O(kn_lax_rng_bit_generator, kn_lax_rng_bit_generator_opts, (), key, kn_shape, shape, __VA_ARGS__)
#endif
#endif
