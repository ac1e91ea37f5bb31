/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/lax/products.hpp -- the functions of kiln/lax/products.h in C++. */
/* Made by scripts/make-api.py from api/lax/products.api. */
/* clang-format off */
#ifndef KILN_CPP_LAX_PRODUCTS_HPP
#define KILN_CPP_LAX_PRODUCTS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace lax {
struct dot_opts {
    KILN_OPTION((::kiln::dtype), preferred_element_type, {}) /* of the result; NULL: theirs */
    kn_lax_dot_opts c() const {
        kn_lax_dot_opts to_ = {}; to_.size_ = sizeof to_;
        to_.preferred_element_type = detail::c_of(preferred_element_type); return to_; }
};
using dot_general_opts = ::kiln::lax::dot_opts;
/* jax.lax.dot_general: the product of two arrays summed over pairs of axes: the result has the batch axes, the other
 * axes of lhs, those of rhs. kn_lax_dot_general(x, y, ((kn_lax_dot_dimension_numbers){.lhs_contract = KN_AXIS(1),
 * .rhs_contract = KN_AXIS(0)})) */
inline array dot_general(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const kn_lax_dot_dimension_numbers
    &dimension_numbers, const ::kiln::lax::dot_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_dot_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_lax_dot_general(lhs_h, rhs_h, &dimension_numbers, &opts_c))); }
/* jax.lax.dot: the product of vectors and matrices: the last axis of lhs with the first of rhs. ValueError for more
 * dimensions or extents that differ. */
inline array dot(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::lax::dot_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_lax_dot_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_lax_dot(lhs_h, rhs_h, &opts_c))); }
/* jax.lax.batch_matmul: the products of the matrices in the last two axes; the axes in front are equal. */
inline array batch_matmul(const ::kiln::operand &lhs, const ::kiln::operand &rhs, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); c_.here(); return
    array::share(c_.take(kn_lax_batch_matmul(lhs_h, rhs_h))); }
using ragged_dot_opts = ::kiln::lax::dot_opts;
/* jax.lax.ragged_dot: groups of rows times a matrix for each group: lhs (m, k), rhs (groups, k, n), group_sizes
 * (groups): the first group_sizes[0] rows of lhs times rhs[0], the next ones times rhs[1], ...; rows behind the last
 * group are zeros. */
inline array ragged_dot(const ::kiln::operand &lhs, const ::kiln::operand &rhs, const ::kiln::operand &group_sizes,
    const ::kiln::lax::dot_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lhs_h = lhs.c(); kn_array rhs_h = rhs.c(); kn_array group_sizes_h = group_sizes.c();
    kn_lax_dot_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_ragged_dot(lhs_h, rhs_h,
    group_sizes_h, &opts_c))); }
/* jax.lax.fft: the discrete Fourier transform over the last axes, as many as there are lengths, which are those of
 * the axes (of IRFFT's last one those of the result); inverse ones are divided by their product. Without lengths x
 * as complex (RFFT: floating) numbers. ValueError for other types, for lengths below 1, and for RFFT of complex
 * numbers. */
inline array fft(const ::kiln::operand &x, const ::kiln::text &fft_type, const ::kiln::shape &fft_lengths, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_lax_fft(x_h, fft_type.c(),
    &fft_lengths))); }
} // namespace lax
namespace lax::linalg {
struct cholesky_opts {
    KILN_OPTION((bool), symmetrize_input, true)
    kn_lax_linalg_cholesky_opts c() const {
        kn_lax_linalg_cholesky_opts to_ = {}; to_.size_ = sizeof to_;
        to_.symmetrize_input = detail::c_of(symmetrize_input); return to_; }
};
/* jax.lax.linalg.cholesky: the Cholesky factor l of positive definite matrices: lower triangular, with x = l l^H;
 * NaN where there is none. symmetrize_input: of (x + x^H) / 2; otherwise only the lower triangle of x counts. */
inline array cholesky(const ::kiln::operand &x, const ::kiln::lax::linalg::cholesky_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_cholesky_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_lax_linalg_cholesky(x_h, &opts_c))); }
struct lu_result { array lu; array pivots; array permutation; };
/* jax.lax.linalg.lu: the factorization into triangular matrices with rows exchanged: lu has u, and below its
 * diagonal l without its ones; x[permutation] = l u; row k was swapped with row pivots[k]. int32. */
inline ::kiln::lax::linalg::lu_result lu(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_lax_linalg_lu_result r_ = c_.value(kn_lax_linalg_lu(x_h));
    return ::kiln::lax::linalg::lu_result{array::share(r_.lu), array::share(r_.pivots), array::share(r_.permutation)}; }
/* jax.lax.linalg.lu_pivots_to_permutation: the permutation of so many rows that swapping row k with row pivots[k]
 * makes, for k = 0, 1, ... pivots: int32 in the last axis; those outside of the rows swap nothing. */
inline array lu_pivots_to_permutation(const ::kiln::operand &pivots, int64_t permutation_size, place where = here())
{ detail::call c_(where); kn_array pivots_h = pivots.c(); c_.here(); return
    array::share(c_.take(kn_lax_linalg_lu_pivots_to_permutation(pivots_h, permutation_size))); }
struct triangular_solve_opts {
    KILN_OPTION((bool), left_side, {})
    KILN_OPTION((bool), lower, {})
    KILN_OPTION((bool), transpose_a, {})
    KILN_OPTION((bool), conjugate_a, {})
    KILN_OPTION((bool), unit_diagonal, {})
    kn_lax_linalg_triangular_solve_opts c() const {
        kn_lax_linalg_triangular_solve_opts to_ = {}; to_.size_ = sizeof to_; to_.left_side = detail::c_of(left_side);
        to_.lower = detail::c_of(lower); to_.transpose_a = detail::c_of(transpose_a);
        to_.conjugate_a = detail::c_of(conjugate_a); to_.unit_diagonal = detail::c_of(unit_diagonal); return to_; }
};
/* jax.lax.linalg.triangular_solve: the solution of equations with a triangular matrix: y with y op(a) = b, or op(a)
 * y = b (left_side); a is upper triangular unless .lower. b may have one dimension less than a: one row, or column. */
inline array triangular_solve(const ::kiln::operand &a, const ::kiln::operand &b, const
    ::kiln::lax::linalg::triangular_solve_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_lax_linalg_triangular_solve_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_linalg_triangular_solve(a_h, b_h, &opts_c))); }
struct symmetric_product_opts {
    KILN_OPTION((double), alpha, 1)
    KILN_OPTION((double), beta, {})
    KILN_OPTION((bool), symmetrize_output, {}) /* 1, 0; the result is symmetric anyway */
    kn_lax_linalg_symmetric_product_opts c() const {
        kn_lax_linalg_symmetric_product_opts to_ = {}; to_.size_ = sizeof to_; to_.alpha = detail::c_of(alpha);
        to_.beta = detail::c_of(beta); to_.symmetrize_output = detail::c_of(symmetrize_output); return to_; }
};
/* jax.lax.linalg.symmetric_product: alpha a a^T + beta c, a symmetric matrix. */
inline array symmetric_product(const ::kiln::operand &a, const ::kiln::operand &c, const
    ::kiln::lax::linalg::symmetric_product_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array c_h = c.c(); kn_lax_linalg_symmetric_product_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_linalg_symmetric_product(a_h, c_h, &opts_c))); }
struct qr_opts {
    KILN_OPTION((bool), pivoting, {})
    KILN_OPTION((bool), full_matrices, true)
    kn_lax_linalg_qr_opts c() const {
        kn_lax_linalg_qr_opts to_ = {}; to_.size_ = sizeof to_; to_.pivoting = detail::c_of(pivoting);
        to_.full_matrices = detail::c_of(full_matrices); return to_; }
};
struct qr_result { array q; array r; array p; };
/* jax.lax.linalg.qr: x = q r, with orthonormal columns of q and upper triangular r; with pivoting x's columns in the
 * order p (int32; else NULL). */
inline ::kiln::lax::linalg::qr_result qr(const ::kiln::operand &x, const ::kiln::lax::linalg::qr_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_qr_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_qr_result r_ = c_.value(kn_lax_linalg_qr(x_h, &opts_c)); return
    ::kiln::lax::linalg::qr_result{array::share(r_.q), array::share(r_.r), array::share(r_.p)}; }
/* jax.lax.linalg.householder_product: the first columns of the product of reflections whose vectors are the columns
 * of a below its diagonal. */
inline array householder_product(const ::kiln::operand &a, const ::kiln::operand &taus, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array taus_h = taus.c(); c_.here(); return
    array::share(c_.take(kn_lax_linalg_householder_product(a_h, taus_h))); }
struct ormqr_opts {
    KILN_OPTION((bool), left, true)
    KILN_OPTION((bool), transpose, {})
    kn_lax_linalg_ormqr_opts c() const {
        kn_lax_linalg_ormqr_opts to_ = {}; to_.size_ = sizeof to_; to_.left = detail::c_of(left);
        to_.transpose = detail::c_of(transpose); return to_; }
};
/* jax.lax.linalg.ormqr: a matrix times reflections: q c, or c q unless left, for the product q of reflections whose
 * vectors are the columns of a below its diagonal; transpose: of its adjoint. */
inline array ormqr(const ::kiln::operand &a, const ::kiln::operand &taus, const ::kiln::operand &c, const
    ::kiln::lax::linalg::ormqr_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array taus_h = taus.c(); kn_array c_h = c.c();
    kn_lax_linalg_ormqr_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_lax_linalg_ormqr(a_h, taus_h,
    c_h, &opts_c))); }
struct eigh_opts {
    KILN_OPTION((bool), lower, true)
    KILN_OPTION((bool), symmetrize_input, true)
    KILN_OPTION((bool), sort_eigenvalues, true) /* false promises no order; they rise all the same */
    KILN_OPTION((::kiln::axes), subset_by_index, {})
    kn_lax_linalg_eigh_opts c() const {
        kn_lax_linalg_eigh_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower);
        to_.symmetrize_input = detail::c_of(symmetrize_input); to_.sort_eigenvalues = detail::c_of(sort_eigenvalues);
        to_.subset_by_index = detail::c_of(subset_by_index); return to_; }
};
struct eigh_result { array v; array w; };
/* jax.lax.linalg.eigh: eigenvectors v and eigenvalues w of Hermitian matrices; NaN where x is not finite. */
inline ::kiln::lax::linalg::eigh_result eigh(const ::kiln::operand &x, const ::kiln::lax::linalg::eigh_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_eigh_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_eigh_result r_ = c_.value(kn_lax_linalg_eigh(x_h, &opts_c)); return
    ::kiln::lax::linalg::eigh_result{array::share(r_.v), array::share(r_.w)}; }
struct svd_opts {
    KILN_OPTION((bool), full_matrices, true)
    KILN_OPTION((bool), compute_uv, true)
    KILN_OPTION((::kiln::axes), subset_by_index, {})
    kn_lax_linalg_svd_opts c() const {
        kn_lax_linalg_svd_opts to_ = {}; to_.size_ = sizeof to_; to_.full_matrices = detail::c_of(full_matrices);
        to_.compute_uv = detail::c_of(compute_uv); to_.subset_by_index = detail::c_of(subset_by_index); return to_; }
};
struct svd_result { array u; array s; array vh; };
/* jax.lax.linalg.svd: the singular value decomposition x = u diag(s) vh; u and vh are NULL without compute_uv. NaN
 * where x is not finite. subset_by_index: these values and their vectors alone, without full_matrices. */
inline ::kiln::lax::linalg::svd_result svd(const ::kiln::operand &x, const ::kiln::lax::linalg::svd_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_svd_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_svd_result r_ = c_.value(kn_lax_linalg_svd(x_h, &opts_c)); return
    ::kiln::lax::linalg::svd_result{array::share(r_.u), array::share(r_.s), array::share(r_.vh)}; }
struct eig_opts {
    KILN_OPTION((bool), compute_left_eigenvectors, true)
    KILN_OPTION((bool), compute_right_eigenvectors, true)
    kn_lax_linalg_eig_opts c() const {
        kn_lax_linalg_eig_opts to_ = {}; to_.size_ = sizeof to_;
        to_.compute_left_eigenvectors = detail::c_of(compute_left_eigenvectors);
        to_.compute_right_eigenvectors = detail::c_of(compute_right_eigenvectors); return to_; }
};
struct eig_result { array w; array vl; array vr; };
/* jax.lax.linalg.eig: eigenvalues w and eigenvectors of square matrices: x vr = vr w, vl^H x = w vl^H; complex. What
 * is not wanted is NULL. NaN where x is not finite. */
inline ::kiln::lax::linalg::eig_result eig(const ::kiln::operand &x, const ::kiln::lax::linalg::eig_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_eig_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_eig_result r_ = c_.value(kn_lax_linalg_eig(x_h, &opts_c)); return
    ::kiln::lax::linalg::eig_result{array::share(r_.w), array::share(r_.vl), array::share(r_.vr)}; }
struct schur_opts {
    KILN_OPTION((bool), compute_schur_vectors, true)
    kn_lax_linalg_schur_opts c() const {
        kn_lax_linalg_schur_opts to_ = {}; to_.size_ = sizeof to_;
        to_.compute_schur_vectors = detail::c_of(compute_schur_vectors); return to_; }
};
struct schur_result { array t; array z; };
/* jax.lax.linalg.schur: the Schur form x = z t z^H with orthonormal z and t triangular (of real x: with blocks of 2
 * by 2 for pairs of complex eigenvalues); z is NULL if it is not wanted. */
inline ::kiln::lax::linalg::schur_result schur(const ::kiln::operand &x, const ::kiln::lax::linalg::schur_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_schur_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_schur_result r_ = c_.value(kn_lax_linalg_schur(x_h, &opts_c)); return
    ::kiln::lax::linalg::schur_result{array::share(r_.t), array::share(r_.z)}; }
struct hessenberg_result { array a; array taus; };
/* jax.lax.linalg.hessenberg: the Hessenberg form, with the vectors of reflections below its subdiagonal, and their
 * factors. */
inline ::kiln::lax::linalg::hessenberg_result hessenberg(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_lax_linalg_hessenberg_result
    r_ = c_.value(kn_lax_linalg_hessenberg(a_h)); return ::kiln::lax::linalg::hessenberg_result{array::share(r_.a),
    array::share(r_.taus)}; }
struct tridiagonal_opts {
    KILN_OPTION((bool), lower, true)
    kn_lax_linalg_tridiagonal_opts c() const {
        kn_lax_linalg_tridiagonal_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower); return to_; }
};
struct tridiagonal_result { array a; array d; array e; array taus; };
/* jax.lax.linalg.tridiagonal: the tridiagonal form of Hermitian matrices with the vectors of reflections, its
 * diagonals d and e, factors. */
inline ::kiln::lax::linalg::tridiagonal_result tridiagonal(const ::kiln::operand &a, const
    ::kiln::lax::linalg::tridiagonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_lax_linalg_tridiagonal_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_tridiagonal_result r_ = c_.value(kn_lax_linalg_tridiagonal(a_h, &opts_c)); return
    ::kiln::lax::linalg::tridiagonal_result{array::share(r_.a), array::share(r_.d), array::share(r_.e),
    array::share(r_.taus)}; }
/* jax.lax.linalg.tridiagonal_solve: x of the tridiagonal matrix with the diagonals dl (from the second element on),
 * d, du (but for the last one) times x = b, (..., n, columns). Rows are exchanged where that is more exact. */
inline array tridiagonal_solve(const ::kiln::operand &dl, const ::kiln::operand &d, const ::kiln::operand &du, const
    ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array dl_h = dl.c(); kn_array d_h = d.c(); kn_array du_h = du.c(); kn_array b_h = b.c();
    c_.here(); return array::share(c_.take(kn_lax_linalg_tridiagonal_solve(dl_h, d_h, du_h, b_h))); }
/* jax.lax.linalg.cholesky_update: upper triangular y with y^T y = r^T r + w w^T for upper triangular r; real. */
inline array cholesky_update(const ::kiln::operand &r_matrix, const ::kiln::operand &w_vector, place where = here())
{ detail::call c_(where); kn_array r_matrix_h = r_matrix.c(); kn_array w_vector_h = w_vector.c(); c_.here(); return
    array::share(c_.take(kn_lax_linalg_cholesky_update(r_matrix_h, w_vector_h))); }
struct qdwh_opts {
    KILN_OPTION((bool), is_hermitian, {}) /* no more than a hint: the result is the same */
    KILN_OPTION((int), max_iterations, 10)
    KILN_OPTION((double), eps, __builtin_nan("")) /* NaN (the default) for the dtype's epsilon */
    kn_lax_linalg_qdwh_opts c() const {
        kn_lax_linalg_qdwh_opts to_ = {}; to_.size_ = sizeof to_; to_.is_hermitian = detail::c_of(is_hermitian);
        to_.max_iterations = detail::c_of(max_iterations); to_.eps = detail::c_of(eps); return to_; }
};
struct qdwh_result { array u; array h; array num_iters; array is_converged; };
/* jax.lax.linalg.qdwh: the polar decomposition x = u h with orthonormal columns of u and Hermitian h without
 * negative eigenvalues, for matrices with at least as many rows as columns, by Halley's iteration with weights for
 * the dtype's condition; the number of iterations (int32) until two of them differ by less than the cube root of eps
 * in the norm, and whether they did. */
inline ::kiln::lax::linalg::qdwh_result qdwh(const ::kiln::operand &x, const ::kiln::lax::linalg::qdwh_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_lax_linalg_qdwh_opts opts_c = opts.c(); c_.here();
    kn_lax_linalg_qdwh_result r_ = c_.value(kn_lax_linalg_qdwh(x_h, &opts_c)); return
    ::kiln::lax::linalg::qdwh_result{array::share(r_.u), array::share(r_.h), array::share(r_.num_iters),
    array::share(r_.is_converged)}; }
} // namespace lax::linalg
namespace lax {
struct rng_bit_generator_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((int), algorithm, {}) /* uint32; KN_LAX_RNG_DEFAULT */
    kn_lax_rng_bit_generator_opts c() const {
        kn_lax_rng_bit_generator_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.algorithm = detail::c_of(algorithm); return to_; }
};
struct rng_bit_generator_result { array key; array bits; };
/* jax.lax.rng_bit_generator: random bits of an unsigned dtype from a state uint32[4] or uint64[2], and the next
 * state. */
inline ::kiln::lax::rng_bit_generator_result rng_bit_generator(const ::kiln::operand &key, const ::kiln::shape &shape,
    const ::kiln::lax::rng_bit_generator_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); kn_lax_rng_bit_generator_opts opts_c = opts.c(); c_.here();
    kn_lax_rng_bit_generator_result r_ = c_.value(kn_lax_rng_bit_generator(key_h, &shape, &opts_c)); return
    ::kiln::lax::rng_bit_generator_result{array::share(r_.key), array::share(r_.bits)}; }
} // namespace lax
} // namespace kiln
#endif
