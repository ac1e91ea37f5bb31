/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/linalg.hpp -- the functions of kiln/linalg.h in C++. */
/* Made by scripts/make-api.py from api/linalg.api. */
/* clang-format off */
#ifndef KILN_CPP_LINALG_HPP
#define KILN_CPP_LINALG_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/products.hpp"

namespace kiln {
namespace linalg {
struct cholesky_opts {
    KILN_OPTION((bool), upper, {}) /* false */
    kn_linalg_cholesky_opts c() const {
        kn_linalg_cholesky_opts to_ = {}; to_.size_ = sizeof to_; to_.upper = detail::c_of(upper); return to_; }
};
struct solve_triangular_opts {
    KILN_OPTION((int), trans, {}) /* 0: a x = b; 1: a^T x = b; 2: a^H x = b */
    KILN_OPTION((bool), lower, {})
    KILN_OPTION((bool), unit_diagonal, {})
    kn_linalg_solve_triangular_opts c() const {
        kn_linalg_solve_triangular_opts to_ = {}; to_.size_ = sizeof to_; to_.trans = detail::c_of(trans);
        to_.lower = detail::c_of(lower); to_.unit_diagonal = detail::c_of(unit_diagonal); return to_; }
};
struct lu_opts {
    KILN_OPTION((bool), permute_l, {})
    KILN_OPTION((bool), p_indices, {}) /* p as a vector: a = l[p] u */
    kn_linalg_lu_opts c() const {
        kn_linalg_lu_opts to_ = {}; to_.size_ = sizeof to_; to_.permute_l = detail::c_of(permute_l);
        to_.p_indices = detail::c_of(p_indices); return to_; }
};
struct lu_solve_opts {
    KILN_OPTION((int), trans, {}) /* 0: a x = b; 1: a^T x = b; 2: a^H x = b */
    kn_linalg_lu_solve_opts c() const {
        kn_linalg_lu_solve_opts to_ = {}; to_.size_ = sizeof to_; to_.trans = detail::c_of(trans); return to_; }
};
struct cho_factor_opts {
    KILN_OPTION((bool), lower, {})
    kn_linalg_cho_factor_opts c() const {
        kn_linalg_cho_factor_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower); return to_; }
};
struct cho_solve_opts {
    KILN_OPTION((bool), lower, {}) /* as it was for kn_linalg_cho_factor */
    kn_linalg_cho_solve_opts c() const {
        kn_linalg_cho_solve_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower); return to_; }
};
struct solve_opts {
    KILN_OPTION((::kiln::text), assume_a, {}) /* "gen" */
    KILN_OPTION((bool), lower, {}) /* which triangle of a symmetric, Hermitian or positive definite matrix is read */
    KILN_OPTION((bool), transposed, {}) /* a^T x = b */
    kn_linalg_solve_opts c() const {
        kn_linalg_solve_opts to_ = {}; to_.size_ = sizeof to_; to_.assume_a = detail::c_of(assume_a);
        to_.lower = detail::c_of(lower); to_.transposed = detail::c_of(transposed); return to_; }
};
struct solveh_banded_opts {
    KILN_OPTION((bool), lower, {}) /* ab has the diagonals from the main one down */
    kn_linalg_solveh_banded_opts c() const {
        kn_linalg_solveh_banded_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower); return to_; }
};
struct eig_banded_opts {
    KILN_OPTION((bool), lower, {}) /* a_band has the diagonals from the main one down */
    KILN_OPTION((::kiln::axes), subset_by_index, {}) /* the first and the last eigenvalue that are wanted, from 0 on */
    KILN_OPTION((::kiln::array), subset_by_value, {})
    kn_linalg_eig_banded_opts c() const {
        kn_linalg_eig_banded_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower);
        to_.subset_by_index = detail::c_of(subset_by_index); to_.subset_by_value = detail::c_of(subset_by_value); return
        to_; }
};
struct are_opts {
    KILN_OPTION((::kiln::array), s, {}) /* a weight between state and input; zeros if not given */
    kn_linalg_are_opts c() const {
        kn_linalg_are_opts to_ = {}; to_.size_ = sizeof to_; to_.s = detail::c_of(s); return to_; }
};
struct ldl_opts {
    KILN_OPTION((bool), lower, true) /* which triangle of a is read */
    KILN_OPTION((bool), hermitian, true) /* a = l d l^H, else a = l d l^T */
    kn_linalg_ldl_opts c() const {
        kn_linalg_ldl_opts to_ = {}; to_.size_ = sizeof to_; to_.lower = detail::c_of(lower);
        to_.hermitian = detail::c_of(hermitian); return to_; }
};
struct rq_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "full" */
    kn_linalg_rq_opts c() const {
        kn_linalg_rq_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
struct issymmetric_opts {
    KILN_OPTION((double), atol, {})
    KILN_OPTION((double), rtol, {})
    kn_linalg_issymmetric_opts c() const {
        kn_linalg_issymmetric_opts to_ = {}; to_.size_ = sizeof to_; to_.atol = detail::c_of(atol);
        to_.rtol = detail::c_of(rtol); return to_; }
};
struct qr_multiply_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "right" */
    KILN_OPTION((bool), pivoting, {})
    KILN_OPTION((bool), conjugate, {})
    kn_linalg_qr_multiply_opts c() const {
        kn_linalg_qr_multiply_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.pivoting = detail::c_of(pivoting); to_.conjugate = detail::c_of(conjugate); return to_; }
};
struct qr_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "reduced" */
    KILN_OPTION((bool), pivoting, {})
    kn_linalg_qr_opts c() const {
        kn_linalg_qr_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.pivoting = detail::c_of(pivoting); return to_; }
};
struct eigh_opts {
    KILN_OPTION((::kiln::text), uplo, {}) /* "L" */
    KILN_OPTION((::kiln::array), b, {}) /* a second matrix, positive definite */
    KILN_OPTION((int), type, 1) /* of the problem with b. 1: a v = b v w; 2: a b v = v w; 3: b a v = v w */
    KILN_OPTION((::kiln::axes), subset_by_index, {}) /* the first and the last eigenvalue that are wanted, from 0 on */
    KILN_OPTION((::kiln::array), subset_by_value, {})
    kn_linalg_eigh_opts c() const {
        kn_linalg_eigh_opts to_ = {}; to_.size_ = sizeof to_; to_.uplo = detail::c_of(uplo); to_.b = detail::c_of(b);
        to_.type = detail::c_of(type); to_.subset_by_index = detail::c_of(subset_by_index);
        to_.subset_by_value = detail::c_of(subset_by_value); return to_; }
};
struct eigvalsh_opts {
    KILN_OPTION((::kiln::text), uplo, {}) /* "L" */
    KILN_OPTION((::kiln::array), b, {}) /* a second matrix, positive definite */
    KILN_OPTION((int), type, 1) /* of the problem with b. 1: a v = b v w; 2: a b v = v w; 3: b a v = v w */
    KILN_OPTION((::kiln::axes), subset_by_index, {}) /* the first and the last eigenvalue that are wanted, from 0 on */
    KILN_OPTION((::kiln::array), subset_by_value, {})
    kn_linalg_eigvalsh_opts c() const {
        kn_linalg_eigvalsh_opts to_ = {}; to_.size_ = sizeof to_; to_.uplo = detail::c_of(uplo);
        to_.b = detail::c_of(b); to_.type = detail::c_of(type); to_.subset_by_index = detail::c_of(subset_by_index);
        to_.subset_by_value = detail::c_of(subset_by_value); return to_; }
};
struct eigh_tridiagonal_opts {
    KILN_OPTION((::kiln::axes), subset_by_index, {}) /* the first and the last eigenvalue that are wanted, from 0 on */
    KILN_OPTION((::kiln::array), subset_by_value, {})
    kn_linalg_eigh_tridiagonal_opts c() const {
        kn_linalg_eigh_tridiagonal_opts to_ = {}; to_.size_ = sizeof to_;
        to_.subset_by_index = detail::c_of(subset_by_index); to_.subset_by_value = detail::c_of(subset_by_value); return
        to_; }
};
struct svd_opts {
    KILN_OPTION((bool), full_matrices, true)
    KILN_OPTION((bool), compute_uv, true)
    KILN_OPTION((bool), hermitian, {})
    kn_linalg_svd_opts c() const {
        kn_linalg_svd_opts to_ = {}; to_.size_ = sizeof to_; to_.full_matrices = detail::c_of(full_matrices);
        to_.compute_uv = detail::c_of(compute_uv); to_.hermitian = detail::c_of(hermitian); return to_; }
};
struct matrix_rank_opts {
    KILN_OPTION((double), tol, __builtin_nan("")) /* NaN (the default) for None */
    KILN_OPTION((double), rtol, __builtin_nan(""))
    KILN_OPTION((bool), hermitian, {})
    kn_linalg_matrix_rank_opts c() const {
        kn_linalg_matrix_rank_opts to_ = {}; to_.size_ = sizeof to_; to_.tol = detail::c_of(tol);
        to_.rtol = detail::c_of(rtol); to_.hermitian = detail::c_of(hermitian); return to_; }
};
struct pinv_opts {
    KILN_OPTION((double), rcond, __builtin_nan("")) /* NaN (the default) for None */
    KILN_OPTION((double), rtol, __builtin_nan(""))
    KILN_OPTION((bool), hermitian, {})
    kn_linalg_pinv_opts c() const {
        kn_linalg_pinv_opts to_ = {}; to_.size_ = sizeof to_; to_.rcond = detail::c_of(rcond);
        to_.rtol = detail::c_of(rtol); to_.hermitian = detail::c_of(hermitian); return to_; }
};
struct lstsq_opts {
    KILN_OPTION((double), rcond, __builtin_nan("")) /* NaN (the default) for None */
    kn_linalg_lstsq_opts c() const {
        kn_linalg_lstsq_opts to_ = {}; to_.size_ = sizeof to_; to_.rcond = detail::c_of(rcond); return to_; }
};
struct cond_opts {
    KILN_OPTION((double), p, __builtin_nan("")) /* NaN (the default) for None, which is 2 */
    KILN_OPTION((::kiln::text), named, {}) /* "fro" or "nuc" instead of a number. */
    kn_linalg_cond_opts c() const {
        kn_linalg_cond_opts to_ = {}; to_.size_ = sizeof to_; to_.p = detail::c_of(p); to_.named = detail::c_of(named);
        return to_; }
};
struct schur_opts {
    KILN_OPTION((::kiln::text), output, {}) /* "real" */
    kn_linalg_schur_opts c() const {
        kn_linalg_schur_opts to_ = {}; to_.size_ = sizeof to_; to_.output = detail::c_of(output); return to_; }
};
struct polar_opts {
    KILN_OPTION((::kiln::text), side, {}) /* "right" */
    KILN_OPTION((::kiln::text), method, {}) /* "svd" */
    kn_linalg_polar_opts c() const {
        kn_linalg_polar_opts to_ = {}; to_.size_ = sizeof to_; to_.side = detail::c_of(side);
        to_.method = detail::c_of(method); return to_; }
};
struct null_space_opts {
    KILN_OPTION((double), rcond, __builtin_nan("")) /* NaN (the default) for None */
    kn_linalg_null_space_opts c() const {
        kn_linalg_null_space_opts to_ = {}; to_.size_ = sizeof to_; to_.rcond = detail::c_of(rcond); return to_; }
};
struct orth_opts {
    KILN_OPTION((double), rcond, __builtin_nan("")) /* NaN (the default) for None */
    kn_linalg_orth_opts c() const {
        kn_linalg_orth_opts to_ = {}; to_.size_ = sizeof to_; to_.rcond = detail::c_of(rcond); return to_; }
};
struct convolution_matrix_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "full" */
    kn_linalg_convolution_matrix_opts c() const {
        kn_linalg_convolution_matrix_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
struct pascal_opts {
    KILN_OPTION((::kiln::text), kind, {}) /* "symmetric" */
    kn_linalg_pascal_opts c() const {
        kn_linalg_pascal_opts to_ = {}; to_.size_ = sizeof to_; to_.kind = detail::c_of(kind); return to_; }
};
struct helmert_opts {
    KILN_OPTION((bool), full, {})
    kn_linalg_helmert_opts c() const {
        kn_linalg_helmert_opts to_ = {}; to_.size_ = sizeof to_; to_.full = detail::c_of(full); return to_; }
};
struct dft_opts {
    KILN_OPTION((::kiln::text), scale, {})
    kn_linalg_dft_opts c() const {
        kn_linalg_dft_opts to_ = {}; to_.size_ = sizeof to_; to_.scale = detail::c_of(scale); return to_; }
};
struct cross_opts {
    KILN_OPTION((int), axis, -1)
    kn_linalg_cross_opts c() const {
        kn_linalg_cross_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct vecdot_opts {
    KILN_OPTION((int), axis, -1)
    kn_linalg_vecdot_opts c() const {
        kn_linalg_vecdot_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct diagonal_opts {
    KILN_OPTION((int64_t), offset, {})
    kn_linalg_diagonal_opts c() const {
        kn_linalg_diagonal_opts to_ = {}; to_.size_ = sizeof to_; to_.offset = detail::c_of(offset); return to_; }
};
struct trace_opts {
    KILN_OPTION((int64_t), offset, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    kn_linalg_trace_opts c() const {
        kn_linalg_trace_opts to_ = {}; to_.size_ = sizeof to_; to_.offset = detail::c_of(offset);
        to_.dtype = detail::c_of(dtype); return to_; }
};
struct norm_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((double), ord, __builtin_nan("")) /* NaN (the default) for None */
    KILN_OPTION((::kiln::text), named, {}) /* "fro" or "nuc" instead of a number. */
    KILN_OPTION((bool), keepdims, {})
    kn_linalg_norm_opts c() const {
        kn_linalg_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.ord = detail::c_of(ord); to_.named = detail::c_of(named); to_.keepdims = detail::c_of(keepdims); return to_;
        }
};
struct vector_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((double), ord, 2)
    KILN_OPTION((bool), keepdims, {}) /* ord: 2 */
    kn_linalg_vector_norm_opts c() const {
        kn_linalg_vector_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.ord = detail::c_of(ord); to_.keepdims = detail::c_of(keepdims); return to_; }
};
struct matrix_norm_opts {
    KILN_OPTION((double), ord, __builtin_nan(""))
    KILN_OPTION((::kiln::text), named, {})
    KILN_OPTION((bool), keepdims, {}) /* "fro" if neither is given (ord: NaN) */
    kn_linalg_matrix_norm_opts c() const {
        kn_linalg_matrix_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.ord = detail::c_of(ord);
        to_.named = detail::c_of(named); to_.keepdims = detail::c_of(keepdims); return to_; }
};
struct tensorinv_opts {
    KILN_OPTION((int), ind, 2)
    kn_linalg_tensorinv_opts c() const {
        kn_linalg_tensorinv_opts to_ = {}; to_.size_ = sizeof to_; to_.ind = detail::c_of(ind); return to_; }
};
struct tensorsolve_opts {
    KILN_OPTION((::kiln::axes), axes, {})
    kn_linalg_tensorsolve_opts c() const {
        kn_linalg_tensorsolve_opts to_ = {}; to_.size_ = sizeof to_; to_.axes = detail::c_of(axes); return to_; }
};
/* np.linalg.cholesky: the triangular factor of Hermitian positive definite matrices: l with a = l l^H (upper: u with
 * a = u^H u). Only that triangle of a is read, zeros stand in the other one. LinAlgError if a is not positive
 * definite */
inline array cholesky(const ::kiln::operand &a, const ::kiln::linalg::cholesky_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_cholesky_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_cholesky(a_h, &opts_c))); }
struct lu_result { array p; array l; array u; };
/* scipy.linalg.lu: LU factors with exchanged rows: a = p l u with a permutation p, l with ones on its diagonal, u
 * upper triangular, for matrices of any shape. permute_l: l is p l, and p the identity (p_indices: the numbers of
 * rows). */
inline ::kiln::linalg::lu_result lu(const ::kiln::operand &a, const ::kiln::linalg::lu_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_lu_opts opts_c = opts.c(); c_.here(); kn_linalg_lu_result
    r_ = c_.value(kn_linalg_lu(a_h, &opts_c)); return ::kiln::linalg::lu_result{array::share(r_.p), array::share(r_.l),
    array::share(r_.u)}; }
struct lu_factor_result { array lu; array piv; };
/* scipy.linalg.lu_factor: LU factors for kn_linalg_lu_solve: l without its ones and u in one matrix, and the row
 * that each row was swapped with, int32. */
inline ::kiln::linalg::lu_factor_result lu_factor(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_linalg_lu_factor_result
    r_ = c_.value(kn_linalg_lu_factor(a_h)); return ::kiln::linalg::lu_factor_result{array::share(r_.lu),
    array::share(r_.piv)}; }
/* scipy.linalg.lu_solve: x with a x = b, from what kn_linalg_lu_factor gave of a, for one right side after the
 * other; b is a vector if it has one axis. A zero on the diagonal gives infinities, not an error. */
inline array lu_solve(const ::kiln::operand &lu, const ::kiln::operand &piv, const ::kiln::operand &b, const
    ::kiln::linalg::lu_solve_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array lu_h = lu.c(); kn_array piv_h = piv.c(); kn_array b_h = b.c();
    kn_linalg_lu_solve_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_linalg_lu_solve(lu_h, piv_h,
    b_h, &opts_c))); }
/* scipy.linalg.cho_factor: Cholesky's factor for kn_linalg_cho_solve: the upper factor u with a = u^H u, or the
 * lower one; only that triangle of a counts. LinAlgError if a is not positive definite */
inline array cho_factor(const ::kiln::operand &a, const ::kiln::linalg::cho_factor_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_cho_factor_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_cho_factor(a_h, &opts_c))); }
/* scipy.linalg.cho_solve: x with a x = b, from what kn_linalg_cho_factor gave of a; b is a vector if it has one axis */
inline array cho_solve(const ::kiln::operand &c, const ::kiln::operand &b, const ::kiln::linalg::cho_solve_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array c_h = c.c(); kn_array b_h = b.c(); kn_linalg_cho_solve_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_cho_solve(c_h, b_h, &opts_c))); }
struct qr_result { array q; array r; array p; };
/* np.linalg.qr: QR factors: a = q r with orthonormal columns of q and r upper triangular. "reduced" (k = min(m, n)
 * columns of q), "complete" (m), "r" (as "reduced", of which q need not be read), "raw": q is the matrix of packed
 * reflections, transposed, and r their factors. pivoting: q r is a with its columns in the order p, int32, chosen so
 * that the diagonal of r falls; p is NULL without. */
inline ::kiln::linalg::qr_result qr(const ::kiln::operand &a, const ::kiln::linalg::qr_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_qr_opts opts_c = opts.c(); c_.here(); kn_linalg_qr_result
    r_ = c_.value(kn_linalg_qr(a_h, &opts_c)); return ::kiln::linalg::qr_result{array::share(r_.q), array::share(r_.r),
    array::share(r_.p)}; }
struct qr_multiply_result { array cq; array r; array p; };
/* scipy.linalg.qr_multiply: the product of a matrix with the q of a's QR factors, which is not made: c q ("right")
 * or q c ("left") with the reduced q, or its conjugate; a vector c is a row (a column), and so is its product. r and
 * p are those of kn_linalg_qr. */
inline ::kiln::linalg::qr_multiply_result qr_multiply(const ::kiln::operand &a, const ::kiln::operand &c, const
    ::kiln::linalg::qr_multiply_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array c_h = c.c(); kn_linalg_qr_multiply_opts opts_c = opts.c();
    c_.here(); kn_linalg_qr_multiply_result r_ = c_.value(kn_linalg_qr_multiply(a_h, c_h, &opts_c)); return
    ::kiln::linalg::qr_multiply_result{array::share(r_.cq), array::share(r_.r), array::share(r_.p)}; }
struct rq_result { array r; array q; };
/* scipy.linalg.rq: RQ factors: a = r q with orthonormal rows of q and r upper triangular, its diagonal in the last
 * columns. "full" (n rows of q), "economic" (min(m, n)), "r" (as "economic", of which q need not be read). */
inline ::kiln::linalg::rq_result rq(const ::kiln::operand &a, const ::kiln::linalg::rq_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_rq_opts opts_c = opts.c(); c_.here(); kn_linalg_rq_result
    r_ = c_.value(kn_linalg_rq(a_h, &opts_c)); return ::kiln::linalg::rq_result{array::share(r_.r), array::share(r_.q)};
    }
struct ldl_result { array lu; array d; array perm; };
/* scipy.linalg.ldl: factors of symmetric or Hermitian matrices, definite or not, of which one triangle is read: a =
 * lu d lu^H, where lu[perm] is triangular with ones on its diagonal and d has blocks of 1 and 2 rows; perm int32.
 * The pivots are those of Bunch and Kaufman. Derivatives hold them. */
inline ::kiln::linalg::ldl_result ldl(const ::kiln::operand &a, const ::kiln::linalg::ldl_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_ldl_opts opts_c = opts.c(); c_.here(); kn_linalg_ldl_result
    r_ = c_.value(kn_linalg_ldl(a_h, &opts_c)); return ::kiln::linalg::ldl_result{array::share(r_.lu),
    array::share(r_.d), array::share(r_.perm)}; }
struct eigh_result { array eigenvalues; array eigenvectors; };
/* np.linalg.eigh: eigenvalues and eigenvectors of Hermitian matrices, of which the lower (upper) triangle is read:
 * real eigenvalues, rising, and eigenvectors as columns of length 1. Derivatives of eigenvectors take those of equal
 * eigenvalues as free: they are right for what does not depend on their choice. With b, whose same triangle is read,
 * v^H b v is 1 (of type 3 v^H b^-1 v); LinAlgError if b is not positive definite. How many columns subset_by_value
 * gives depends on values: of one matrix, not inside of kn_jit. */
inline ::kiln::linalg::eigh_result eigh(const ::kiln::operand &a, const ::kiln::linalg::eigh_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_eigh_opts opts_c = opts.c(); c_.here(); kn_linalg_eigh_result
    r_ = c_.value(kn_linalg_eigh(a_h, &opts_c)); return ::kiln::linalg::eigh_result{array::share(r_.eigenvalues),
    array::share(r_.eigenvectors)}; }
/* np.linalg.eigvalsh: the eigenvalues alone of Hermitian matrices, as kn_linalg_eigh gives them: real, rising */
inline array eigvalsh(const ::kiln::operand &a, const ::kiln::linalg::eigvalsh_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_eigvalsh_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_eigvalsh(a_h, &opts_c))); }
/* scipy.linalg.eigh_tridiagonal: eigenvalues and eigenvectors of the symmetric (Hermitian) matrix with the real
 * diagonal d and e below it, as kn_linalg_eigh; stacks of them, too. */
inline ::kiln::linalg::eigh_result eigh_tridiagonal(const ::kiln::operand &d, const ::kiln::operand &e, const
    ::kiln::linalg::eigh_tridiagonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array d_h = d.c(); kn_array e_h = e.c(); kn_linalg_eigh_tridiagonal_opts opts_c = opts.c();
    c_.here(); kn_linalg_eigh_result r_ = c_.value(kn_linalg_eigh_tridiagonal(d_h, e_h, &opts_c)); return
    ::kiln::linalg::eigh_result{array::share(r_.eigenvalues), array::share(r_.eigenvectors)}; }
using eigvalsh_tridiagonal_opts = ::kiln::linalg::eigh_tridiagonal_opts;
/* scipy.linalg.eigvalsh_tridiagonal: the eigenvalues alone of the matrix that kn_linalg_eigh_tridiagonal takes */
inline array eigvalsh_tridiagonal(const ::kiln::operand &d, const ::kiln::operand &e, const
    ::kiln::linalg::eigh_tridiagonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array d_h = d.c(); kn_array e_h = e.c(); kn_linalg_eigh_tridiagonal_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_eigvalsh_tridiagonal(d_h, e_h, &opts_c))); }
/* scipy.linalg.eig_banded: eigenvalues and eigenvectors of the Hermitian matrix whose diagonals are the rows of
 * a_band, as for kn_linalg_solveh_banded. The matrix is written out. */
inline ::kiln::linalg::eigh_result eig_banded(const ::kiln::operand &a_band, const ::kiln::linalg::eig_banded_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_band_h = a_band.c(); kn_linalg_eig_banded_opts opts_c = opts.c(); c_.here();
    kn_linalg_eigh_result r_ = c_.value(kn_linalg_eig_banded(a_band_h, &opts_c)); return
    ::kiln::linalg::eigh_result{array::share(r_.eigenvalues), array::share(r_.eigenvectors)}; }
using eigvals_banded_opts = ::kiln::linalg::eig_banded_opts;
/* scipy.linalg.eigvals_banded: the eigenvalues alone of the matrix that kn_linalg_eig_banded takes */
inline array eigvals_banded(const ::kiln::operand &a_band, const ::kiln::linalg::eig_banded_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_band_h = a_band.c(); kn_linalg_eig_banded_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_eigvals_banded(a_band_h, &opts_c))); }
struct eig_result { array eigenvalues; array eigenvectors; };
/* np.linalg.eig: eigenvalues and eigenvectors of square matrices: a v = v w, columns of length 1 whose largest
 * element is real. Both are complex. Derivatives are those of simple eigenvalues. */
inline ::kiln::linalg::eig_result eig(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_linalg_eig_result r_ = c_.value(kn_linalg_eig(a_h));
    return ::kiln::linalg::eig_result{array::share(r_.eigenvalues), array::share(r_.eigenvectors)}; }
/* np.linalg.eigvals: the eigenvalues alone of square matrices, complex, in no order */
inline array eigvals(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_eigvals(a_h))); }
struct schur_result { array t; array z; };
/* scipy.linalg.schur: Schur's form: a = z t z^H with unitary z and upper triangular t; of real matrices t has 2 x 2
 * blocks for conjugate eigenvalues, unless output is "complex". NaN where a is not finite. It has no derivative. */
inline ::kiln::linalg::schur_result schur(const ::kiln::operand &a, const ::kiln::linalg::schur_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_schur_opts opts_c = opts.c(); c_.here();
    kn_linalg_schur_result r_ = c_.value(kn_linalg_schur(a_h, &opts_c)); return
    ::kiln::linalg::schur_result{array::share(r_.t), array::share(r_.z)}; }
/* scipy.linalg.rsf2csf: the complex Schur form, with a triangular t, of the real form that kn_linalg_schur gave */
inline ::kiln::linalg::schur_result rsf2csf(const ::kiln::operand &t, const ::kiln::operand &z, place where = here())
{ detail::call c_(where); kn_array t_h = t.c(); kn_array z_h = z.c(); c_.here(); kn_linalg_schur_result
    r_ = c_.value(kn_linalg_rsf2csf(t_h, z_h)); return ::kiln::linalg::schur_result{array::share(r_.t),
    array::share(r_.z)}; }
struct hessenberg_result { array h; array q; };
/* scipy.linalg.hessenberg: Hessenberg's form: a = q h q^H with unitary q and h zero below the subdiagonal. It has no
 * derivative. */
inline ::kiln::linalg::hessenberg_result hessenberg(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_linalg_hessenberg_result
    r_ = c_.value(kn_linalg_hessenberg(a_h)); return ::kiln::linalg::hessenberg_result{array::share(r_.h),
    array::share(r_.q)}; }
struct svd_result { array u; array s; array vh; };
/* np.linalg.svd: singular values and vectors: a = u diag(s) vh with orthonormal columns of u and rows of vh; s real,
 * falling. full_matrices: u is m x m and vh n x n, else m x k and k x n with k = min(m, n). Without compute_uv u and
 * vh are NULL. hermitian: by eigenvalues; only the lower triangle is read. */
inline ::kiln::linalg::svd_result svd(const ::kiln::operand &a, const ::kiln::linalg::svd_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_svd_opts opts_c = opts.c(); c_.here(); kn_linalg_svd_result
    r_ = c_.value(kn_linalg_svd(a_h, &opts_c)); return ::kiln::linalg::svd_result{array::share(r_.u),
    array::share(r_.s), array::share(r_.vh)}; }
/* np.linalg.svdvals: the singular values alone of matrices, real, falling. */
inline array svdvals(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_linalg_svdvals(x_h))); }
/* np.linalg.solve: x with a x = b, for square matrices a; b is a vector if it has one axis, else its columns are
 * right sides. assume_a says what is known of a: "pos" solves by Cholesky's factors (LinAlgError if there are none),
 * "diagonal", "tridiagonal" and the triangular ones read these elements alone. */
inline array solve(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::linalg::solve_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_linalg_solve_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_linalg_solve(a_h, b_h, &opts_c))); }
/* scipy.linalg.solve_triangular: x with a x = b for a triangular matrix a: reads one triangle of a, the upper one
 * unless `lower`. A zero on its diagonal gives infinities, as in JAX. */
inline array solve_triangular(const ::kiln::operand &a, const ::kiln::operand &b, const
    ::kiln::linalg::solve_triangular_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_linalg_solve_triangular_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_solve_triangular(a_h, b_h, &opts_c))); }
/* scipy.linalg.solve_banded: x with a x = b, where the matrix a is given by its diagonals: l of them below the main
 * one and u above; its element (i, j) is ab[u + i - j, j]. Rows are exchanged where that is more exact. */
inline array solve_banded(int64_t l, int64_t u, const ::kiln::operand &ab, const ::kiln::operand &b, place
    where = here())
{ detail::call c_(where); kn_array ab_h = ab.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_linalg_solve_banded(l, u, ab_h, b_h))); }
/* scipy.linalg.solveh_banded: x with a x = b for a positive definite matrix that is given by its diagonals on one
 * side: its element (i, j) is ab[i - j, j] (lower) or ab[u + i - j, j], where u + 1 is the number of rows of ab.
 * LinAlgError if it is not positive definite */
inline array solveh_banded(const ::kiln::operand &ab, const ::kiln::operand &b, const ::kiln::linalg::solveh_banded_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array ab_h = ab.c(); kn_array b_h = b.c(); kn_linalg_solveh_banded_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_solveh_banded(ab_h, b_h, &opts_c))); }
/* scipy.linalg.solve_toeplitz: x with t x = b, where t is kn_linalg_toeplitz(c, r): by LU factors, which are stable
 * for every matrix. */
inline array solve_toeplitz(const ::kiln::operand &c, const ::kiln::operand &r, const ::kiln::operand &b, place
    where = here())
{ detail::call c_(where); kn_array c_h = c.c(); kn_array r_h = r.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_linalg_solve_toeplitz(c_h, r_h, b_h))); }
/* scipy.linalg.matmul_toeplitz: kn_linalg_toeplitz(c, r) times a vector or a matrix, by Fourier transforms: the
 * matrix is not made */
inline array matmul_toeplitz(const ::kiln::operand &c, const ::kiln::operand &r, const ::kiln::operand &x, place
    where = here())
{ detail::call c_(where); kn_array c_h = c.c(); kn_array r_h = r.c(); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_linalg_matmul_toeplitz(c_h, r_h, x_h))); }
/* scipy.linalg.solve_circulant: x with kn_linalg_circulant(c) x = b, a vector or a matrix, by Fourier transforms.
 * LinAlgError for singular matrices where values can be looked at, else infinities. */
inline array solve_circulant(const ::kiln::operand &c, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array c_h = c.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_linalg_solve_circulant(c_h, b_h))); }
/* np.linalg.inv: the inverse of square matrices. To solve equations kn_linalg_solve is faster and more exact.
 * LinAlgError for singular matrices */
inline array inv(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_inv(a_h))); }
/* np.linalg.tensorinv: the inverse of a as a matrix whose rows are its first `ind` axes: tensordot(result, y, ind)
 * solves tensordot(a, x, ...) = y. The result has the other axes in front. ValueError unless ind > 0 */
inline array tensorinv(const ::kiln::operand &a, const ::kiln::linalg::tensorinv_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_tensorinv_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_tensorinv(a_h, &opts_c))); }
/* np.linalg.tensorsolve: x with tensordot(a, x, its number of axes) = b; `axes` of a go to its end first.
 * LinAlgError unless a is square as a matrix whose rows are b's elements. */
inline array tensorsolve(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::linalg::tensorsolve_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_linalg_tensorsolve_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_tensorsolve(a_h, b_h, &opts_c))); }
/* np.linalg.pinv: the Moore-Penrose inverse of matrices of any shape and rank; singular values up to rcond (or rtol;
 * 1e-15 if neither is given) times the largest one count as 0. Its derivative is that of matrices of the same rank. */
inline array pinv(const ::kiln::operand &a, const ::kiln::linalg::pinv_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_pinv_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_pinv(a_h, &opts_c))); }
struct lstsq_result { array x; array residuals; array rank; array s; };
/* np.linalg.lstsq: the least squares solution: x of least length with the least |a x - b|; the sums of squares of
 * what is left, for each column of b; the rank, int64; the singular values. Those up to rcond (the dtype's epsilon
 * times the larger extent, if not given) times the largest one count as 0. Stacks of matrices, too. LinAlgError if
 * the rows differ */
inline ::kiln::linalg::lstsq_result lstsq(const ::kiln::operand &a, const ::kiln::operand &b, const
    ::kiln::linalg::lstsq_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_linalg_lstsq_opts opts_c = opts.c(); c_.here();
    kn_linalg_lstsq_result r_ = c_.value(kn_linalg_lstsq(a_h, b_h, &opts_c)); return
    ::kiln::linalg::lstsq_result{array::share(r_.x), array::share(r_.residuals), array::share(r_.rank),
    array::share(r_.s)}; }
/* scipy.linalg.solve_sylvester: x with a x + x b = q, by Schur forms; stacks, too. Infinite or NaN where a and -b
 * have an eigenvalue in common. */
inline array solve_sylvester(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &q, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array q_h = q.c(); c_.here(); return
    array::share(c_.take(kn_linalg_solve_sylvester(a_h, b_h, q_h))); }
/* scipy.linalg.solve_continuous_lyapunov: x with a x + x a^H = q, Lyapunov's equation of a continuous system;
 * stacks, too. */
inline array solve_continuous_lyapunov(const ::kiln::operand &a, const ::kiln::operand &q, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array q_h = q.c(); c_.here(); return
    array::share(c_.take(kn_linalg_solve_continuous_lyapunov(a_h, q_h))); }
/* scipy.linalg.solve_discrete_lyapunov: x with a x a^H - x + q = 0, Lyapunov's equation of a discrete system;
 * stacks, too. By a bilinear transformation: infinite or NaN if -1 is an eigenvalue of a. */
inline array solve_discrete_lyapunov(const ::kiln::operand &a, const ::kiln::operand &q, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array q_h = q.c(); c_.here(); return
    array::share(c_.take(kn_linalg_solve_discrete_lyapunov(a_h, q_h))); }
using solve_continuous_are_opts = ::kiln::linalg::are_opts;
/* scipy.linalg.solve_continuous_are: Riccati's equation of a continuous system: the solution x of a^H x + x a - (x b
 * + s) r^-1 (b^H x + s^H) + q = 0 that makes a - b r^-1 (b^H x + s^H) stable. */
inline array solve_continuous_are(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &q, const
    ::kiln::operand &r, const ::kiln::linalg::are_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array q_h = q.c(); kn_array r_h = r.c();
    kn_linalg_are_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_linalg_solve_continuous_are(a_h,
    b_h, q_h, r_h, &opts_c))); }
using solve_discrete_are_opts = ::kiln::linalg::are_opts;
/* scipy.linalg.solve_discrete_are: Riccati's equation of a discrete system: the stabilising solution x of a^H x a -
 * x - (a^H x b + s) (r + b^H x b)^-1 (b^H x a + s^H) + q = 0; r has an inverse. */
inline array solve_discrete_are(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::operand &q, const
    ::kiln::operand &r, const ::kiln::linalg::are_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array q_h = q.c(); kn_array r_h = r.c();
    kn_linalg_are_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_linalg_solve_discrete_are(a_h, b_h,
    q_h, r_h, &opts_c))); }
struct orthogonal_procrustes_result { array r; array scale; };
/* scipy.linalg.orthogonal_procrustes: the unitary r that turns a nearest to b, with the least |a r - b|, and the sum
 * of the singular values of a^H b. */
inline ::kiln::linalg::orthogonal_procrustes_result orthogonal_procrustes(const ::kiln::operand &a, const
    ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); kn_linalg_orthogonal_procrustes_result
    r_ = c_.value(kn_linalg_orthogonal_procrustes(a_h, b_h)); return
    ::kiln::linalg::orthogonal_procrustes_result{array::share(r_.r), array::share(r_.scale)}; }
/* scipy.linalg.expm: the exponential of a matrix, the sum of a^k / k!, which is not that of its elements. NaN for
 * norms above 352,000. */
inline array expm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_expm(a_h))); }
struct expm_frechet_result { array expm; array derivative; };
/* scipy.linalg.expm_frechet: the exponential of a, and its derivative at a along e. */
inline ::kiln::linalg::expm_frechet_result expm_frechet(const ::kiln::operand &a, const ::kiln::operand &e, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array e_h = e.c(); c_.here(); kn_linalg_expm_frechet_result
    r_ = c_.value(kn_linalg_expm_frechet(a_h, e_h)); return ::kiln::linalg::expm_frechet_result{array::share(r_.expm),
    array::share(r_.derivative)}; }
/* scipy.linalg.sqrtm: the principal square root of a matrix, whose product with itself is a; complex. Infinite or
 * NaN where there is none. */
inline array sqrtm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_sqrtm(a_h))); }
/* scipy.linalg.logm: the principal logarithm of a matrix, whose exponential is a; complex. */
inline array logm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_logm(a_h))); }
/* scipy.linalg.fractional_matrix_power: the principal power of a matrix, complex; of integers t that of
 * kn_linalg_matrix_power. */
inline array fractional_matrix_power(const ::kiln::operand &a, double t, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return
    array::share(c_.take(kn_linalg_fractional_matrix_power(a_h, t))); }
/* scipy.linalg.cosm: the cosine of a matrix, (e^ia + e^-ia) / 2; real of real ones, as those that follow. */
inline array cosm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_cosm(a_h))); }
/* scipy.linalg.sinm: the sine of a matrix, (e^ia - e^-ia) / 2i */
inline array sinm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_sinm(a_h))); }
/* scipy.linalg.tanm: the tangent of a matrix, the inverse of its cosine times its sine */
inline array tanm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_tanm(a_h))); }
/* scipy.linalg.coshm: the hyperbolic cosine of a matrix, (e^a + e^-a) / 2 */
inline array coshm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_coshm(a_h))); }
/* scipy.linalg.sinhm: the hyperbolic sine of a matrix, (e^a - e^-a) / 2 */
inline array sinhm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_sinhm(a_h))); }
/* scipy.linalg.tanhm: the hyperbolic tangent of a matrix, the inverse of its hyperbolic cosine times its hyperbolic
 * sine */
inline array tanhm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_tanhm(a_h))); }
/* scipy.linalg.signm: the matrix with the same eigenvectors and the eigenvalues' signs (of their real parts).
 * LinAlgError for singular matrices. */
inline array signm(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_signm(a_h))); }
struct funm_result { array f; array errest; };
/* scipy.linalg.funm: func, which takes the eigenvalues (complex, along the last axis) and gives an array of that
 * shape, of a matrix: by its Schur form and Parlett's recurrence, which loses accuracy where eigenvalues are close;
 * errest says how much, between the dtype's epsilon and 1. It has no derivative with respect to a. */
inline ::kiln::linalg::funm_result funm(const ::kiln::operand &a, const ::kiln::fn &func, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_linalg_funm_result r_ = c_.value(kn_linalg_funm(a_h,
    func.c())); return ::kiln::linalg::funm_result{array::share(r_.f), array::share(r_.errest)}; }
struct polar_result { array u; array p; };
/* scipy.linalg.polar: polar factors: a = u p ("right") or p u with orthonormal columns or rows of u and Hermitian p
 * without negative eigenvalues. "qdwh": by kn_lax_linalg_qdwh, for matrices of full rank. */
inline ::kiln::linalg::polar_result polar(const ::kiln::operand &a, const ::kiln::linalg::polar_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_polar_opts opts_c = opts.c(); c_.here();
    kn_linalg_polar_result r_ = c_.value(kn_linalg_polar(a_h, &opts_c)); return
    ::kiln::linalg::polar_result{array::share(r_.u), array::share(r_.p)}; }
/* scipy.linalg.null_space: an orthonormal basis, as columns, of the vectors x with a x = 0; singular values up to
 * rcond (max(m, n) times the dtype's epsilon, if not given) times the largest one count as 0. */
inline array null_space(const ::kiln::operand &a, const ::kiln::linalg::null_space_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_null_space_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_null_space(a_h, &opts_c))); }
/* scipy.linalg.orth: an orthonormal basis, as columns, of the vectors a x; rcond as for kn_linalg_null_space */
inline array orth(const ::kiln::operand &a, const ::kiln::linalg::orth_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_orth_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_orth(a_h, &opts_c))); }
/* scipy.linalg.subspace_angles: the angles between the spaces of a's and b's columns, falling, in radians. */
inline array subspace_angles(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_linalg_subspace_angles(a_h, b_h))); }
/* scipy.linalg.block_diag: the matrix with the arrays (vectors are rows) along its diagonal, at most 256, and zeros
 * elsewhere */
inline array block_diag(const ::kiln::operands &arrays, place where = here())
{ detail::call c_(where); kn_list arrays_h = arrays.list(); c_.here(); return
    array::share(c_.take(kn_linalg_block_diag(arrays_h))); }
/* scipy.linalg.toeplitz: the matrix with the same number along each diagonal: its first column is c and its first
 * row r (but for the first element); both are flattened. */
inline array toeplitz(const ::kiln::operand &c, const ::kiln::operand &r, place where = here())
{ detail::call c_(where); kn_array c_h = c.c(); kn_array r_h = r.c(); c_.here(); return
    array::share(c_.take(kn_linalg_toeplitz(c_h, r_h))); }
/* scipy.linalg.circulant: the matrix whose column j is c, turned by j; c is flattened. */
inline array circulant(const ::kiln::operand &c, place where = here())
{ detail::call c_(where); kn_array c_h = c.c(); c_.here(); return array::share(c_.take(kn_linalg_circulant(c_h))); }
/* scipy.linalg.hankel: the matrix with the same number along each diagonal from below left to above right: its first
 * column is c and its last row r (but for the first element) */
inline array hankel(const ::kiln::operand &c, const ::kiln::operand &r, place where = here())
{ detail::call c_(where); kn_array c_h = c.c(); kn_array r_h = r.c(); c_.here(); return
    array::share(c_.take(kn_linalg_hankel(c_h, r_h))); }
/* scipy.linalg.companion: the matrix whose eigenvalues are the roots of the polynomial with these coefficients, the
 * highest first. */
inline array companion(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_companion(a_h))); }
/* scipy.linalg.leslie: Leslie's matrix of a population in age groups: f, how many are born of each, in the first
 * row, and s, how many survive, below the diagonal. */
inline array leslie(const ::kiln::operand &f, const ::kiln::operand &s, place where = here())
{ detail::call c_(where); kn_array f_h = f.c(); kn_array s_h = s.c(); c_.here(); return
    array::share(c_.take(kn_linalg_leslie(f_h, s_h))); }
/* scipy.linalg.fiedler: the symmetric matrix of |a_i - a_j| */
inline array fiedler(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_fiedler(a_h))); }
/* scipy.linalg.fiedler_companion: a matrix of five diagonals with the eigenvalues of the companion matrix: the roots
 * of the polynomial with these coefficients */
inline array fiedler_companion(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return
    array::share(c_.take(kn_linalg_fiedler_companion(a_h))); }
/* scipy.linalg.convolution_matrix: the matrix whose product with a vector of n elements is its convolution with a,
 * in the mode of kn_convolve */
inline array convolution_matrix(const ::kiln::operand &a, int64_t n, const ::kiln::linalg::convolution_matrix_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_convolution_matrix_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_convolution_matrix(a_h, n, &opts_c))); }
/* scipy.linalg.hilbert: Hilbert's n x n matrix of 1 / (i + j + 1), the standard example of an ill-conditioned one */
inline array hilbert(int64_t n, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_linalg_hilbert(n))); }
/* scipy.linalg.invhilbert: the inverse of Hilbert's matrix, float64; integers up to n = 14. */
inline array invhilbert(int64_t n, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_linalg_invhilbert(n))); }
/* scipy.linalg.hadamard: Hadamard's n x n matrix of 1 and -1 with orthogonal rows, float64. ValueError unless n is a
 * power of two. */
inline array hadamard(int64_t n, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_linalg_hadamard(n))); }
/* scipy.linalg.pascal: the n x n matrix of binomial coefficients: (i + j over i), or Pascal's triangle ("lower",
 * "upper"); float64. */
inline array pascal(int64_t n, const ::kiln::linalg::pascal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_linalg_pascal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_pascal(n, &opts_c))); }
using invpascal_opts = ::kiln::linalg::pascal_opts;
/* scipy.linalg.invpascal: the inverse of Pascal's matrix, float64; integers below 2^53. */
inline array invpascal(int64_t n, const ::kiln::linalg::pascal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_linalg_pascal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_invpascal(n, &opts_c))); }
/* scipy.linalg.helmert: Helmert's (n - 1) x n matrix of orthonormal contrasts, rows that sum to 0, float64; full:
 * with the row of equal elements in front. */
inline array helmert(int64_t n, const ::kiln::linalg::helmert_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_linalg_helmert_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_helmert(n, &opts_c))); }
/* scipy.linalg.dft: the n x n matrix of the discrete Fourier transform, complex, over sqrt(n) or n as `scale` says:
 * its product with x is kn_fft_fft(x) */
inline array dft(int64_t n, const ::kiln::linalg::dft_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_linalg_dft_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_linalg_dft(n,
    &opts_c))); }
/* scipy.linalg.khatri_rao: the matrix whose columns are Kronecker's products of the columns of a and b. */
inline array khatri_rao(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_linalg_khatri_rao(a_h, b_h))); }
/* scipy.linalg.diagsvd: the m x n matrix with s on its diagonal and zeros elsewhere, as kn_linalg_svd needs it in
 * the middle */
inline array diagsvd(const ::kiln::operand &s, int64_t m, int64_t n, place where = here())
{ detail::call c_(where); kn_array s_h = s.c(); c_.here(); return array::share(c_.take(kn_linalg_diagsvd(s_h, m, n))); }
struct bandwidth_result { array lower; array upper; };
/* scipy.linalg.bandwidth: how many diagonals below and above the main one reach, up to the farthest that is not
 * zero; int64. */
inline ::kiln::linalg::bandwidth_result bandwidth(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_linalg_bandwidth_result
    r_ = c_.value(kn_linalg_bandwidth(a_h)); return ::kiln::linalg::bandwidth_result{array::share(r_.lower),
    array::share(r_.upper)}; }
/* scipy.linalg.issymmetric: whether a is its own transpose. With tolerances |a - a^T| <= atol + rtol |a^T|. False of
 * what is not square. */
inline array issymmetric(const ::kiln::operand &a, const ::kiln::linalg::issymmetric_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_issymmetric_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_issymmetric(a_h, &opts_c))); }
using ishermitian_opts = ::kiln::linalg::issymmetric_opts;
/* scipy.linalg.ishermitian: whether a is its own adjoint, the conjugate of its transpose; tolerances as for
 * kn_linalg_issymmetric */
inline array ishermitian(const ::kiln::operand &a, const ::kiln::linalg::issymmetric_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_issymmetric_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_ishermitian(a_h, &opts_c))); }
/* np.linalg.matrix_rank: the rank of matrices: the number of singular values larger than tol, or than rtol (max(m,
 * n) times the dtype's epsilon, if not given) times the largest one; int64. Of a vector: is an element not 0? */
inline array matrix_rank(const ::kiln::operand &a, const ::kiln::linalg::matrix_rank_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_linalg_matrix_rank_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_matrix_rank(a_h, &opts_c))); }
/* np.linalg.cond: the condition of matrices, by which relative errors may grow where equations are solved: the
 * quotient of the largest and the least singular value (p 2), its inverse (-2), else the norm of x times that of its
 * inverse. Infinite where there is none. LinAlgError for empty matrices */
inline array cond(const ::kiln::operand &x, const ::kiln::linalg::cond_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_linalg_cond_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_cond(x_h, &opts_c))); }
/* np.linalg.det: the determinant of square matrices */
inline array det(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_det(a_h))); }
struct slogdet_result { array sign; array logabsdet; };
/* np.linalg.slogdet: the sign of the determinant (0 of singular matrices) and the logarithm of its absolute value,
 * which is there where the determinant itself would overflow */
inline ::kiln::linalg::slogdet_result slogdet(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); kn_linalg_slogdet_result
    r_ = c_.value(kn_linalg_slogdet(a_h)); return ::kiln::linalg::slogdet_result{array::share(r_.sign),
    array::share(r_.logabsdet)}; }
/* np.linalg.norm: the norm of vectors along one axis, of matrices along two, by default of all of x (as one vector
 * if ord is None). Vectors: the number of elements that are not 0 (ord 0), the largest and the least absolute value
 * (infinity, -infinity), else (sum |x|^ord)^(1/ord). Matrices: "fro"; the largest and the least sum of absolute
 * values of a column (1, -1) or a row (infinity, -infinity); the largest and the least singular value (2, -2) and
 * the sum of all of them ("nuc"). ValueError for other orders and numbers of axes. */
inline array norm(const ::kiln::operand &x, const ::kiln::linalg::norm_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_linalg_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_norm(x_h, &opts_c))); }
/* np.linalg.vector_norm: the norm along any axes (all of them if not given) as one vector; orders as kn_linalg_norm
 * has them for vectors */
inline array vector_norm(const ::kiln::operand &x, const ::kiln::linalg::vector_norm_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_linalg_vector_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_vector_norm(x_h, &opts_c))); }
/* np.linalg.matrix_norm: the norm of each matrix of a stack: kn_linalg_norm of the last two axes, "fro" unless ord
 * or a name is given */
inline array matrix_norm(const ::kiln::operand &x, const ::kiln::linalg::matrix_norm_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_linalg_matrix_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_matrix_norm(x_h, &opts_c))); }
/* np.linalg.multi_dot: the product of two matrices or more in the cheapest order; the first and the last may be
 * vectors. LinAlgError for other numbers of axes, ValueError if shapes are not aligned. */
inline array multi_dot(const ::kiln::operands &arrays, place where = here())
{ detail::call c_(where); kn_list arrays_h = arrays.list(); c_.here(); return
    array::share(c_.take(kn_linalg_multi_dot(arrays_h))); }
/* np.linalg.matrix_power: square matrices to an integer power: products, by squaring; n = 0: identities; n < 0: of
 * the inverse. */
inline array matrix_power(const ::kiln::operand &a, int64_t n, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_linalg_matrix_power(a_h, n)));
    }
/* kn_matmul: the product of matrices, the last two axes of both, or of vectors: kn_matmul */
inline array matmul(const ::kiln::operand &x1, const ::kiln::operand &x2, place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); c_.here(); return
    array::share(c_.take(kn_linalg_matmul(x1_h, x2_h))); }
using tensordot_opts = ::kiln::tensordot_opts;
/* kn_tensordot: sums of products over the last `axes` axes of x1 with the first ones of x2: kn_tensordot */
inline array tensordot(const ::kiln::operand &x1, const ::kiln::operand &x2, const ::kiln::tensordot_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); kn_tensordot_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_tensordot(x1_h, x2_h, &opts_c))); }
/* np.linalg.vecdot: sums of products of vectors along an axis of both, the last one unless given; x1 is conjugated,
 * the other axes are broadcast */
inline array vecdot(const ::kiln::operand &x1, const ::kiln::operand &x2, const ::kiln::linalg::vecdot_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); kn_linalg_vecdot_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_vecdot(x1_h, x2_h, &opts_c))); }
/* all products of the elements of two vectors, a matrix: kn_outer, of vectors only. ValueError for other arrays */
inline array outer(const ::kiln::operand &x1, const ::kiln::operand &x2, place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); c_.here(); return
    array::share(c_.take(kn_linalg_outer(x1_h, x2_h))); }
/* the cross product of vectors of 3 along an axis: kn_cross, of such vectors only. ValueError for other lengths */
inline array cross(const ::kiln::operand &x1, const ::kiln::operand &x2, const ::kiln::linalg::cross_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x1_h = x1.c(); kn_array x2_h = x2.c(); kn_linalg_cross_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_linalg_cross(x1_h, x2_h, &opts_c))); }
/* a diagonal of each matrix, a view: kn_diagonal of the last two axes; `offset` counts to the right */
inline array diagonal(const ::kiln::operand &x, const ::kiln::linalg::diagonal_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_linalg_diagonal_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_diagonal(x_h, &opts_c))); }
/* the sum of each matrix' diagonal: kn_trace of the last two axes */
inline array trace(const ::kiln::operand &x, const ::kiln::linalg::trace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_linalg_trace_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_linalg_trace(x_h, &opts_c))); }
/* kn_matrix_transpose: each matrix of a stack with its rows as columns, a view: kn_matrix_transpose */
inline array matrix_transpose(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_linalg_matrix_transpose(x_h))); }
} // namespace linalg
} // namespace kiln
#endif
