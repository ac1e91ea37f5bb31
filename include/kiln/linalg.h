/* SPDX-License-Identifier: Apache-2.0
 * kiln/linalg.h -- linear algebra, as np.linalg. Matrices are the last two axes; the axes in front are a stack of
 * them.
 *
 * Integers become the context's default float; float16 and bfloat16 are a TypeError. The work is done in the dtype
 * of the arguments (NumPy does it in float64 for float32). Errors that depend on values (a singular matrix) come
 * while the function runs, inside of jit, too. docs/linalg.md says which algorithms are used. */
/* Made by scripts/make-api.py from api/linalg.api. */
/* clang-format off */
#ifndef KILN_LINALG_H
#define KILN_LINALG_H
#include "kiln/function.h"
#include "kiln/numpy/products.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options and results. */
typedef struct kn_linalg_cholesky_opts { size_t size_; bool upper; } kn_linalg_cholesky_opts; /* false */
KN_API kn_linalg_cholesky_opts kn_linalg_cholesky_opts_default(void);
typedef struct kn_linalg_slogdet_result { kn_array sign, logabsdet; } kn_linalg_slogdet_result;
typedef struct kn_linalg_solve_triangular_opts {
    size_t size_;
    int trans;          /* 0: a x = b; 1: a^T x = b; 2: a^H x = b */
    bool lower;
    bool unit_diagonal;
} kn_linalg_solve_triangular_opts;
KN_API kn_linalg_solve_triangular_opts kn_linalg_solve_triangular_opts_default(void);
typedef struct kn_linalg_lu_result { kn_array p, l, u; } kn_linalg_lu_result;
typedef struct kn_linalg_lu_factor_result { kn_array lu, piv; } kn_linalg_lu_factor_result;
typedef struct kn_linalg_lu_opts {
    size_t size_;
    bool permute_l;
    bool p_indices; /* p as a vector: a = l[p] u */
} kn_linalg_lu_opts;
KN_API kn_linalg_lu_opts kn_linalg_lu_opts_default(void);
typedef struct kn_linalg_lu_solve_opts {
    size_t size_;
    int trans;    /* 0: a x = b; 1: a^T x = b; 2: a^H x = b */
} kn_linalg_lu_solve_opts;
KN_API kn_linalg_lu_solve_opts kn_linalg_lu_solve_opts_default(void);
typedef struct kn_linalg_cho_factor_opts { size_t size_; bool lower; } kn_linalg_cho_factor_opts;
KN_API kn_linalg_cho_factor_opts kn_linalg_cho_factor_opts_default(void);
typedef struct kn_linalg_cho_solve_opts {
    size_t size_;
    bool lower;   /* as it was for kn_linalg_cho_factor */
} kn_linalg_cho_solve_opts;
KN_API kn_linalg_cho_solve_opts kn_linalg_cho_solve_opts_default(void);
typedef struct kn_linalg_solve_opts {
    size_t size_;
    /* NULL, "gen"; or "sym", "her", "pos", "diagonal", "tridiagonal", "upper triangular", "lower triangular" */
    const char *assume_a;
    bool lower;           /* which triangle of a symmetric, Hermitian or positive definite matrix is read */
    bool transposed;      /* a^T x = b */
} kn_linalg_solve_opts;
KN_API kn_linalg_solve_opts kn_linalg_solve_opts_default(void);
typedef struct kn_linalg_solveh_banded_opts {
    size_t size_;
    bool lower;   /* ab has the diagonals from the main one down */
} kn_linalg_solveh_banded_opts;
KN_API kn_linalg_solveh_banded_opts kn_linalg_solveh_banded_opts_default(void);
typedef struct kn_linalg_eig_banded_opts {
    size_t size_;
    bool lower;               /* a_band has the diagonals from the main one down */
    kn_axes subset_by_index;  /* the first and the last eigenvalue that are wanted, from 0 on */
    kn_array subset_by_value; /* two numbers: eigenvalues above the first, up to the second one */
} kn_linalg_eig_banded_opts;
KN_API kn_linalg_eig_banded_opts kn_linalg_eig_banded_opts_default(void);
typedef struct kn_linalg_are_opts {
    size_t size_;
    kn_array s;   /* a weight between state and input; zeros if not given */
} kn_linalg_are_opts;
KN_API kn_linalg_are_opts kn_linalg_are_opts_default(void);
typedef struct kn_linalg_ldl_opts {
    size_t size_;
    bool lower;     /* true: which triangle of a is read */
    bool hermitian; /* true: a = l d l^H, else a = l d l^T */
} kn_linalg_ldl_opts;
KN_API kn_linalg_ldl_opts kn_linalg_ldl_opts_default(void);
typedef struct kn_linalg_rq_opts {
    size_t size_;
    const char *mode; /* NULL, "full"; or "economic", "r" */
} kn_linalg_rq_opts;
KN_API kn_linalg_rq_opts kn_linalg_rq_opts_default(void);
typedef struct kn_linalg_issymmetric_opts { size_t size_; double atol; double rtol; } kn_linalg_issymmetric_opts;
KN_API kn_linalg_issymmetric_opts kn_linalg_issymmetric_opts_default(void);
typedef struct kn_linalg_qr_multiply_opts {
    size_t size_;
    const char *mode; /* NULL, "right"; or "left" */
    bool pivoting;
    bool conjugate;
} kn_linalg_qr_multiply_opts;
KN_API kn_linalg_qr_multiply_opts kn_linalg_qr_multiply_opts_default(void);
typedef struct kn_linalg_qr_opts {
    size_t size_;
    const char *mode; /* NULL, "reduced"; or "complete", "r", "raw" */
    bool pivoting;
} kn_linalg_qr_opts;
KN_API kn_linalg_qr_opts kn_linalg_qr_opts_default(void);
typedef struct kn_linalg_qr_result { kn_array q, r, p; } kn_linalg_qr_result;
typedef struct kn_linalg_qr_multiply_result { kn_array cq, r, p; } kn_linalg_qr_multiply_result;
typedef struct kn_linalg_rq_result { kn_array r, q; } kn_linalg_rq_result;
typedef struct kn_linalg_ldl_result { kn_array lu, d, perm; } kn_linalg_ldl_result;
typedef struct kn_linalg_bandwidth_result { kn_array lower, upper; } kn_linalg_bandwidth_result;
typedef struct kn_linalg_orthogonal_procrustes_result { kn_array r, scale; } kn_linalg_orthogonal_procrustes_result;
typedef struct kn_linalg_eigh_result { kn_array eigenvalues, eigenvectors; } kn_linalg_eigh_result;
typedef struct kn_linalg_svd_result { kn_array u, s, vh; } kn_linalg_svd_result;
typedef struct kn_linalg_lstsq_result { kn_array x, residuals, rank, s; } kn_linalg_lstsq_result;
typedef struct kn_linalg_eigh_opts {
    size_t size_;
    const char *uplo;         /* NULL, "L"; or "U" */
    kn_array b;               /* a second matrix, positive definite */
    int type;                 /* 1: of the problem with b. 1: a v = b v w; 2: a b v = v w; 3: b a v = v w */
    kn_axes subset_by_index;  /* the first and the last eigenvalue that are wanted, from 0 on */
    kn_array subset_by_value; /* two numbers: eigenvalues above the first, up to the second one */
} kn_linalg_eigh_opts;
KN_API kn_linalg_eigh_opts kn_linalg_eigh_opts_default(void);
typedef struct kn_linalg_eigvalsh_opts {
    size_t size_;
    const char *uplo;         /* NULL, "L"; or "U" */
    kn_array b;               /* a second matrix, positive definite */
    int type;                 /* 1: of the problem with b. 1: a v = b v w; 2: a b v = v w; 3: b a v = v w */
    kn_axes subset_by_index;  /* the first and the last eigenvalue that are wanted, from 0 on */
    kn_array subset_by_value; /* two numbers: eigenvalues above the first, up to the second one */
} kn_linalg_eigvalsh_opts;
KN_API kn_linalg_eigvalsh_opts kn_linalg_eigvalsh_opts_default(void);
typedef struct kn_linalg_eigh_tridiagonal_opts {
    size_t size_;
    kn_axes subset_by_index;  /* the first and the last eigenvalue that are wanted, from 0 on */
    kn_array subset_by_value; /* two numbers: eigenvalues above the first, up to the second one */
} kn_linalg_eigh_tridiagonal_opts;
KN_API kn_linalg_eigh_tridiagonal_opts kn_linalg_eigh_tridiagonal_opts_default(void);
typedef struct kn_linalg_svd_opts {
    size_t size_;
    bool full_matrices; /* true */
    bool compute_uv;    /* true */
    bool hermitian;
} kn_linalg_svd_opts;
KN_API kn_linalg_svd_opts kn_linalg_svd_opts_default(void);
typedef struct kn_linalg_matrix_rank_opts {
    size_t size_;
    double tol;     /* NAN: NaN (the default) for None */
    double rtol;    /* NAN */
    bool hermitian;
} kn_linalg_matrix_rank_opts;
KN_API kn_linalg_matrix_rank_opts kn_linalg_matrix_rank_opts_default(void);
typedef struct kn_linalg_pinv_opts {
    size_t size_;
    double rcond;   /* NAN: NaN (the default) for None */
    double rtol;    /* NAN */
    bool hermitian;
} kn_linalg_pinv_opts;
KN_API kn_linalg_pinv_opts kn_linalg_pinv_opts_default(void);
typedef struct kn_linalg_lstsq_opts {
    size_t size_;
    double rcond; /* NAN: NaN (the default) for None */
} kn_linalg_lstsq_opts;
KN_API kn_linalg_lstsq_opts kn_linalg_lstsq_opts_default(void);
typedef struct kn_linalg_cond_opts {
    size_t size_;
    double p;          /* NAN: NaN (the default) for None, which is 2 */
    const char *named; /* "fro" or "nuc" instead of a number. */
} kn_linalg_cond_opts;
KN_API kn_linalg_cond_opts kn_linalg_cond_opts_default(void);
typedef struct kn_linalg_eig_result { kn_array eigenvalues, eigenvectors; } kn_linalg_eig_result;
typedef struct kn_linalg_schur_result { kn_array t, z; } kn_linalg_schur_result;
typedef struct kn_linalg_hessenberg_result { kn_array h, q; } kn_linalg_hessenberg_result;
typedef struct kn_linalg_schur_opts {
    size_t size_;
    const char *output; /* NULL, "real"; or "complex", "r", "c" */
} kn_linalg_schur_opts;
KN_API kn_linalg_schur_opts kn_linalg_schur_opts_default(void);
typedef struct kn_linalg_expm_frechet_result { kn_array expm, derivative; } kn_linalg_expm_frechet_result;
typedef struct kn_linalg_polar_result { kn_array u, p; } kn_linalg_polar_result;
typedef struct kn_linalg_funm_result { kn_array f, errest; } kn_linalg_funm_result;
typedef struct kn_linalg_polar_opts {
    size_t size_;
    const char *side;   /* NULL, "right"; or "left" */
    const char *method; /* NULL, "svd"; or "qdwh" */
} kn_linalg_polar_opts;
KN_API kn_linalg_polar_opts kn_linalg_polar_opts_default(void);
typedef struct kn_linalg_null_space_opts {
    size_t size_;
    double rcond; /* NAN: NaN (the default) for None */
} kn_linalg_null_space_opts;
KN_API kn_linalg_null_space_opts kn_linalg_null_space_opts_default(void);
typedef struct kn_linalg_orth_opts {
    size_t size_;
    double rcond; /* NAN: NaN (the default) for None */
} kn_linalg_orth_opts;
KN_API kn_linalg_orth_opts kn_linalg_orth_opts_default(void);
typedef struct kn_linalg_convolution_matrix_opts {
    size_t size_;
    const char *mode; /* NULL, "full"; or "same", "valid" */
} kn_linalg_convolution_matrix_opts;
KN_API kn_linalg_convolution_matrix_opts kn_linalg_convolution_matrix_opts_default(void);
typedef struct kn_linalg_pascal_opts {
    size_t size_;
    const char *kind; /* NULL, "symmetric"; or "lower", "upper" */
} kn_linalg_pascal_opts;
KN_API kn_linalg_pascal_opts kn_linalg_pascal_opts_default(void);
typedef struct kn_linalg_helmert_opts { size_t size_; bool full; } kn_linalg_helmert_opts;
KN_API kn_linalg_helmert_opts kn_linalg_helmert_opts_default(void);
typedef struct kn_linalg_dft_opts { size_t size_; const char *scale; } kn_linalg_dft_opts; /* "sqrtn", "n" */
KN_API kn_linalg_dft_opts kn_linalg_dft_opts_default(void);
typedef struct kn_linalg_cross_opts { size_t size_; int axis; } kn_linalg_cross_opts; /* -1 */
KN_API kn_linalg_cross_opts kn_linalg_cross_opts_default(void);
typedef struct kn_linalg_vecdot_opts { size_t size_; int axis; } kn_linalg_vecdot_opts; /* -1 */
KN_API kn_linalg_vecdot_opts kn_linalg_vecdot_opts_default(void);
typedef struct kn_linalg_diagonal_opts { size_t size_; int64_t offset; } kn_linalg_diagonal_opts;
KN_API kn_linalg_diagonal_opts kn_linalg_diagonal_opts_default(void);
typedef struct kn_linalg_trace_opts { size_t size_; int64_t offset; kn_dtype dtype; } kn_linalg_trace_opts;
KN_API kn_linalg_trace_opts kn_linalg_trace_opts_default(void);
typedef struct kn_linalg_norm_opts {
    size_t size_;
    kn_axes axis;
    double ord;        /* NAN: NaN (the default) for None */
    const char *named; /* "fro" or "nuc" instead of a number. */
    bool keepdims;
} kn_linalg_norm_opts;
KN_API kn_linalg_norm_opts kn_linalg_norm_opts_default(void);
typedef struct kn_linalg_vector_norm_opts {
    size_t size_;
    kn_axes axis;
    double ord;    /* 2 */
    bool keepdims; /* ord: 2 */
} kn_linalg_vector_norm_opts;
KN_API kn_linalg_vector_norm_opts kn_linalg_vector_norm_opts_default(void);
typedef struct kn_linalg_matrix_norm_opts {
    size_t size_;
    double ord;        /* NAN */
    const char *named;
    bool keepdims;     /* "fro" if neither is given (ord: NaN) */
} kn_linalg_matrix_norm_opts;
KN_API kn_linalg_matrix_norm_opts kn_linalg_matrix_norm_opts_default(void);
typedef struct kn_linalg_tensorinv_opts { size_t size_; int ind; } kn_linalg_tensorinv_opts; /* 2 */
KN_API kn_linalg_tensorinv_opts kn_linalg_tensorinv_opts_default(void);
typedef struct kn_linalg_tensorsolve_opts { size_t size_; kn_axes axes; } kn_linalg_tensorsolve_opts;
KN_API kn_linalg_tensorsolve_opts kn_linalg_tensorsolve_opts_default(void);

/* ---- Factorisations. LinAlgError unless matrices are square. */
/* np.linalg.cholesky: the triangular factor of Hermitian positive definite matrices: l with a = l l^H (upper: u with
 * a = u^H u). Only that triangle of a is read, zeros stand in the other one. LinAlgError if a is not positive
 * definite */
KN_API kn_array kn_linalg_cholesky(kn_array a, const kn_linalg_cholesky_opts *opts);
/* scipy.linalg.lu: LU factors with exchanged rows: a = p l u with a permutation p, l with ones on its diagonal, u
 * upper triangular, for matrices of any shape. permute_l: l is p l, and p the identity (p_indices: the numbers of
 * rows). */
KN_API kn_linalg_lu_result kn_linalg_lu(kn_array a, const kn_linalg_lu_opts *opts);
/* scipy.linalg.lu_factor: LU factors for kn_linalg_lu_solve: l without its ones and u in one matrix, and the row
 * that each row was swapped with, int32. */
KN_API kn_linalg_lu_factor_result kn_linalg_lu_factor(kn_array a);
/* scipy.linalg.lu_solve: x with a x = b, from what kn_linalg_lu_factor gave of a, for one right side after the
 * other; b is a vector if it has one axis. A zero on the diagonal gives infinities, not an error. */
KN_API kn_array kn_linalg_lu_solve(kn_array lu, kn_array piv, kn_array b, const kn_linalg_lu_solve_opts *opts);
/* scipy.linalg.cho_factor: Cholesky's factor for kn_linalg_cho_solve: the upper factor u with a = u^H u, or the
 * lower one; only that triangle of a counts. LinAlgError if a is not positive definite */
KN_API kn_array kn_linalg_cho_factor(kn_array a, const kn_linalg_cho_factor_opts *opts);
/* scipy.linalg.cho_solve: x with a x = b, from what kn_linalg_cho_factor gave of a; b is a vector if it has one axis */
KN_API kn_array kn_linalg_cho_solve(kn_array c, kn_array b, const kn_linalg_cho_solve_opts *opts);
/* np.linalg.qr: QR factors: a = q r with orthonormal columns of q and r upper triangular. "reduced" (k = min(m, n)
 * columns of q), "complete" (m), "r" (as "reduced", of which q need not be read), "raw": q is the matrix of packed
 * reflections, transposed, and r their factors. pivoting: q r is a with its columns in the order p, int32, chosen so
 * that the diagonal of r falls; p is NULL without. */
KN_API kn_linalg_qr_result kn_linalg_qr(kn_array a, const kn_linalg_qr_opts *opts);
/* scipy.linalg.qr_multiply: the product of a matrix with the q of a's QR factors, which is not made: c q ("right")
 * or q c ("left") with the reduced q, or its conjugate; a vector c is a row (a column), and so is its product. r and
 * p are those of kn_linalg_qr. */
KN_API kn_linalg_qr_multiply_result kn_linalg_qr_multiply(kn_array a, kn_array c,
    const kn_linalg_qr_multiply_opts *opts);
/* scipy.linalg.rq: RQ factors: a = r q with orthonormal rows of q and r upper triangular, its diagonal in the last
 * columns. "full" (n rows of q), "economic" (min(m, n)), "r" (as "economic", of which q need not be read). */
KN_API kn_linalg_rq_result kn_linalg_rq(kn_array a, const kn_linalg_rq_opts *opts);
/* scipy.linalg.ldl: factors of symmetric or Hermitian matrices, definite or not, of which one triangle is read: a =
 * lu d lu^H, where lu[perm] is triangular with ones on its diagonal and d has blocks of 1 and 2 rows; perm int32.
 * The pivots are those of Bunch and Kaufman. Derivatives hold them. */
KN_API kn_linalg_ldl_result kn_linalg_ldl(kn_array a, const kn_linalg_ldl_opts *opts);

/* ---- Eigenvalues and singular values. LinAlgError for infinities and NaN. */
/* np.linalg.eigh: eigenvalues and eigenvectors of Hermitian matrices, of which the lower (upper) triangle is read:
 * real eigenvalues, rising, and eigenvectors as columns of length 1. Derivatives of eigenvectors take those of equal
 * eigenvalues as free: they are right for what does not depend on their choice. With b, whose same triangle is read,
 * v^H b v is 1 (of type 3 v^H b^-1 v); LinAlgError if b is not positive definite. How many columns subset_by_value
 * gives depends on values: of one matrix, not inside of kn_jit. */
KN_API kn_linalg_eigh_result kn_linalg_eigh(kn_array a, const kn_linalg_eigh_opts *opts);
/* np.linalg.eigvalsh: the eigenvalues alone of Hermitian matrices, as kn_linalg_eigh gives them: real, rising */
KN_API kn_array kn_linalg_eigvalsh(kn_array a, const kn_linalg_eigvalsh_opts *opts);
/* scipy.linalg.eigh_tridiagonal: eigenvalues and eigenvectors of the symmetric (Hermitian) matrix with the real
 * diagonal d and e below it, as kn_linalg_eigh; stacks of them, too. */
KN_API kn_linalg_eigh_result kn_linalg_eigh_tridiagonal(kn_array d, kn_array e,
    const kn_linalg_eigh_tridiagonal_opts *opts);
/* scipy.linalg.eigvalsh_tridiagonal: the eigenvalues alone of the matrix that kn_linalg_eigh_tridiagonal takes */
KN_API kn_array kn_linalg_eigvalsh_tridiagonal(kn_array d, kn_array e, const kn_linalg_eigh_tridiagonal_opts *opts);
/* scipy.linalg.eig_banded: eigenvalues and eigenvectors of the Hermitian matrix whose diagonals are the rows of
 * a_band, as for kn_linalg_solveh_banded. The matrix is written out. */
KN_API kn_linalg_eigh_result kn_linalg_eig_banded(kn_array a_band, const kn_linalg_eig_banded_opts *opts);
/* scipy.linalg.eigvals_banded: the eigenvalues alone of the matrix that kn_linalg_eig_banded takes */
KN_API kn_array kn_linalg_eigvals_banded(kn_array a_band, const kn_linalg_eig_banded_opts *opts);
/* np.linalg.eig: eigenvalues and eigenvectors of square matrices: a v = v w, columns of length 1 whose largest
 * element is real. Both are complex. Derivatives are those of simple eigenvalues. */
KN_API kn_linalg_eig_result kn_linalg_eig(kn_array a);
/* np.linalg.eigvals: the eigenvalues alone of square matrices, complex, in no order */
KN_API kn_array kn_linalg_eigvals(kn_array a);
/* scipy.linalg.schur: Schur's form: a = z t z^H with unitary z and upper triangular t; of real matrices t has 2 x 2
 * blocks for conjugate eigenvalues, unless output is "complex". NaN where a is not finite. It has no derivative. */
KN_API kn_linalg_schur_result kn_linalg_schur(kn_array a, const kn_linalg_schur_opts *opts);
/* scipy.linalg.rsf2csf: the complex Schur form, with a triangular t, of the real form that kn_linalg_schur gave */
KN_API kn_linalg_schur_result kn_linalg_rsf2csf(kn_array t, kn_array z);
/* scipy.linalg.hessenberg: Hessenberg's form: a = q h q^H with unitary q and h zero below the subdiagonal. It has no
 * derivative. */
KN_API kn_linalg_hessenberg_result kn_linalg_hessenberg(kn_array a);
/* np.linalg.svd: singular values and vectors: a = u diag(s) vh with orthonormal columns of u and rows of vh; s real,
 * falling. full_matrices: u is m x m and vh n x n, else m x k and k x n with k = min(m, n). Without compute_uv u and
 * vh are NULL. hermitian: by eigenvalues; only the lower triangle is read. */
KN_API kn_linalg_svd_result kn_linalg_svd(kn_array a, const kn_linalg_svd_opts *opts);
/* np.linalg.svdvals: the singular values alone of matrices, real, falling. */
KN_API kn_array kn_linalg_svdvals(kn_array x);

/* ---- Equations and inverses. LinAlgError for singular matrices. */
/* np.linalg.solve: x with a x = b, for square matrices a; b is a vector if it has one axis, else its columns are
 * right sides. assume_a says what is known of a: "pos" solves by Cholesky's factors (LinAlgError if there are none),
 * "diagonal", "tridiagonal" and the triangular ones read these elements alone. */
KN_API kn_array kn_linalg_solve(kn_array a, kn_array b, const kn_linalg_solve_opts *opts);
/* scipy.linalg.solve_triangular: x with a x = b for a triangular matrix a: reads one triangle of a, the upper one
 * unless `lower`. A zero on its diagonal gives infinities, as in JAX. */
KN_API kn_array kn_linalg_solve_triangular(kn_array a, kn_array b, const kn_linalg_solve_triangular_opts *opts);
/* scipy.linalg.solve_banded: x with a x = b, where the matrix a is given by its diagonals: l of them below the main
 * one and u above; its element (i, j) is ab[u + i - j, j]. Rows are exchanged where that is more exact. */
KN_API kn_array kn_linalg_solve_banded(int64_t l, int64_t u, kn_array ab, kn_array b);
/* scipy.linalg.solveh_banded: x with a x = b for a positive definite matrix that is given by its diagonals on one
 * side: its element (i, j) is ab[i - j, j] (lower) or ab[u + i - j, j], where u + 1 is the number of rows of ab.
 * LinAlgError if it is not positive definite */
KN_API kn_array kn_linalg_solveh_banded(kn_array ab, kn_array b, const kn_linalg_solveh_banded_opts *opts);
/* scipy.linalg.solve_toeplitz: x with t x = b, where t is kn_linalg_toeplitz(c, r): by LU factors, which are stable
 * for every matrix. */
KN_API kn_array kn_linalg_solve_toeplitz(kn_array c, kn_array r, kn_array b);
/* scipy.linalg.matmul_toeplitz: kn_linalg_toeplitz(c, r) times a vector or a matrix, by Fourier transforms: the
 * matrix is not made */
KN_API kn_array kn_linalg_matmul_toeplitz(kn_array c, kn_array r, kn_array x);
/* scipy.linalg.solve_circulant: x with kn_linalg_circulant(c) x = b, a vector or a matrix, by Fourier transforms.
 * LinAlgError for singular matrices where values can be looked at, else infinities. */
KN_API kn_array kn_linalg_solve_circulant(kn_array c, kn_array b);
/* np.linalg.inv: the inverse of square matrices. To solve equations kn_linalg_solve is faster and more exact.
 * LinAlgError for singular matrices */
KN_API kn_array kn_linalg_inv(kn_array a);
/* np.linalg.tensorinv: the inverse of a as a matrix whose rows are its first `ind` axes: tensordot(result, y, ind)
 * solves tensordot(a, x, ...) = y. The result has the other axes in front. ValueError unless ind > 0 */
KN_API kn_array kn_linalg_tensorinv(kn_array a, const kn_linalg_tensorinv_opts *opts);
/* np.linalg.tensorsolve: x with tensordot(a, x, its number of axes) = b; `axes` of a go to its end first.
 * LinAlgError unless a is square as a matrix whose rows are b's elements. */
KN_API kn_array kn_linalg_tensorsolve(kn_array a, kn_array b, const kn_linalg_tensorsolve_opts *opts);
/* np.linalg.pinv: the Moore-Penrose inverse of matrices of any shape and rank; singular values up to rcond (or rtol;
 * 1e-15 if neither is given) times the largest one count as 0. Its derivative is that of matrices of the same rank. */
KN_API kn_array kn_linalg_pinv(kn_array a, const kn_linalg_pinv_opts *opts);
/* np.linalg.lstsq: the least squares solution: x of least length with the least |a x - b|; the sums of squares of
 * what is left, for each column of b; the rank, int64; the singular values. Those up to rcond (the dtype's epsilon
 * times the larger extent, if not given) times the largest one count as 0. Stacks of matrices, too. LinAlgError if
 * the rows differ */
KN_API kn_linalg_lstsq_result kn_linalg_lstsq(kn_array a, kn_array b, const kn_linalg_lstsq_opts *opts);
/* scipy.linalg.solve_sylvester: x with a x + x b = q, by Schur forms; stacks, too. Infinite or NaN where a and -b
 * have an eigenvalue in common. */
KN_API kn_array kn_linalg_solve_sylvester(kn_array a, kn_array b, kn_array q);
/* scipy.linalg.solve_continuous_lyapunov: x with a x + x a^H = q, Lyapunov's equation of a continuous system;
 * stacks, too. */
KN_API kn_array kn_linalg_solve_continuous_lyapunov(kn_array a, kn_array q);
/* scipy.linalg.solve_discrete_lyapunov: x with a x a^H - x + q = 0, Lyapunov's equation of a discrete system;
 * stacks, too. By a bilinear transformation: infinite or NaN if -1 is an eigenvalue of a. */
KN_API kn_array kn_linalg_solve_discrete_lyapunov(kn_array a, kn_array q);
/* scipy.linalg.solve_continuous_are: Riccati's equation of a continuous system: the solution x of a^H x + x a - (x b
 * + s) r^-1 (b^H x + s^H) + q = 0 that makes a - b r^-1 (b^H x + s^H) stable. */
KN_API kn_array kn_linalg_solve_continuous_are(kn_array a, kn_array b, kn_array q, kn_array r,
    const kn_linalg_are_opts *opts);
/* scipy.linalg.solve_discrete_are: Riccati's equation of a discrete system: the stabilising solution x of a^H x a -
 * x - (a^H x b + s) (r + b^H x b)^-1 (b^H x a + s^H) + q = 0; r has an inverse. */
KN_API kn_array kn_linalg_solve_discrete_are(kn_array a, kn_array b, kn_array q, kn_array r,
    const kn_linalg_are_opts *opts);
/* scipy.linalg.orthogonal_procrustes: the unitary r that turns a nearest to b, with the least |a r - b|, and the sum
 * of the singular values of a^H b. */
KN_API kn_linalg_orthogonal_procrustes_result kn_linalg_orthogonal_procrustes(kn_array a, kn_array b);

/* ---- Functions of square matrices. */
/* scipy.linalg.expm: the exponential of a matrix, the sum of a^k / k!, which is not that of its elements. NaN for
 * norms above 352,000. */
KN_API kn_array kn_linalg_expm(kn_array a);
/* scipy.linalg.expm_frechet: the exponential of a, and its derivative at a along e. */
KN_API kn_linalg_expm_frechet_result kn_linalg_expm_frechet(kn_array a, kn_array e);
/* scipy.linalg.sqrtm: the principal square root of a matrix, whose product with itself is a; complex. Infinite or
 * NaN where there is none. */
KN_API kn_array kn_linalg_sqrtm(kn_array a);
/* scipy.linalg.logm: the principal logarithm of a matrix, whose exponential is a; complex. */
KN_API kn_array kn_linalg_logm(kn_array a);
/* scipy.linalg.fractional_matrix_power: the principal power of a matrix, complex; of integers t that of
 * kn_linalg_matrix_power. */
KN_API kn_array kn_linalg_fractional_matrix_power(kn_array a, double t);
/* scipy.linalg.cosm: the cosine of a matrix, (e^ia + e^-ia) / 2; real of real ones, as those that follow. */
KN_API kn_array kn_linalg_cosm(kn_array a);
KN_API kn_array kn_linalg_sinm(kn_array a);  /* scipy.linalg.sinm: the sine of a matrix, (e^ia - e^-ia) / 2i */
/* scipy.linalg.tanm: the tangent of a matrix, the inverse of its cosine times its sine */
KN_API kn_array kn_linalg_tanm(kn_array a);
/* scipy.linalg.coshm: the hyperbolic cosine of a matrix, (e^a + e^-a) / 2 */
KN_API kn_array kn_linalg_coshm(kn_array a);
KN_API kn_array kn_linalg_sinhm(kn_array a); /* scipy.linalg.sinhm: the hyperbolic sine of a matrix, (e^a - e^-a) / 2 */
/* scipy.linalg.tanhm: the hyperbolic tangent of a matrix, the inverse of its hyperbolic cosine times its hyperbolic
 * sine */
KN_API kn_array kn_linalg_tanhm(kn_array a);
/* scipy.linalg.signm: the matrix with the same eigenvectors and the eigenvalues' signs (of their real parts).
 * LinAlgError for singular matrices. */
KN_API kn_array kn_linalg_signm(kn_array a);
/* scipy.linalg.funm: func, which takes the eigenvalues (complex, along the last axis) and gives an array of that
 * shape, of a matrix: by its Schur form and Parlett's recurrence, which loses accuracy where eigenvalues are close;
 * errest says how much, between the dtype's epsilon and 1. It has no derivative with respect to a. */
KN_API kn_linalg_funm_result kn_linalg_funm(kn_array a, kn_fn func);
/* scipy.linalg.polar: polar factors: a = u p ("right") or p u with orthonormal columns or rows of u and Hermitian p
 * without negative eigenvalues. "qdwh": by kn_lax_linalg_qdwh, for matrices of full rank. */
KN_API kn_linalg_polar_result kn_linalg_polar(kn_array a, const kn_linalg_polar_opts *opts);

/* ---- Spaces. How many columns there are depends on values: not inside of kn_jit. */
/* scipy.linalg.null_space: an orthonormal basis, as columns, of the vectors x with a x = 0; singular values up to
 * rcond (max(m, n) times the dtype's epsilon, if not given) times the largest one count as 0. */
KN_API kn_array kn_linalg_null_space(kn_array a, const kn_linalg_null_space_opts *opts);
/* scipy.linalg.orth: an orthonormal basis, as columns, of the vectors a x; rcond as for kn_linalg_null_space */
KN_API kn_array kn_linalg_orth(kn_array a, const kn_linalg_orth_opts *opts);
/* scipy.linalg.subspace_angles: the angles between the spaces of a's and b's columns, falling, in radians. */
KN_API kn_array kn_linalg_subspace_angles(kn_array a, kn_array b);

/* ---- Special matrices. */
/* scipy.linalg.block_diag: the matrix with the arrays (vectors are rows) along its diagonal, at most 256, and zeros
 * elsewhere */
KN_API kn_array kn_linalg_block_diag(kn_list arrays);
/* scipy.linalg.toeplitz: the matrix with the same number along each diagonal: its first column is c and its first
 * row r (but for the first element); both are flattened. */
KN_API kn_array kn_linalg_toeplitz(kn_array c, kn_array r);
/* scipy.linalg.circulant: the matrix whose column j is c, turned by j; c is flattened. */
KN_API kn_array kn_linalg_circulant(kn_array c);
/* scipy.linalg.hankel: the matrix with the same number along each diagonal from below left to above right: its first
 * column is c and its last row r (but for the first element) */
KN_API kn_array kn_linalg_hankel(kn_array c, kn_array r);
/* scipy.linalg.companion: the matrix whose eigenvalues are the roots of the polynomial with these coefficients, the
 * highest first. */
KN_API kn_array kn_linalg_companion(kn_array a);
/* scipy.linalg.leslie: Leslie's matrix of a population in age groups: f, how many are born of each, in the first
 * row, and s, how many survive, below the diagonal. */
KN_API kn_array kn_linalg_leslie(kn_array f, kn_array s);
KN_API kn_array kn_linalg_fiedler(kn_array a); /* scipy.linalg.fiedler: the symmetric matrix of |a_i - a_j| */
/* scipy.linalg.fiedler_companion: a matrix of five diagonals with the eigenvalues of the companion matrix: the roots
 * of the polynomial with these coefficients */
KN_API kn_array kn_linalg_fiedler_companion(kn_array a);
/* scipy.linalg.convolution_matrix: the matrix whose product with a vector of n elements is its convolution with a,
 * in the mode of kn_convolve */
KN_API kn_array kn_linalg_convolution_matrix(kn_array a, int64_t n, const kn_linalg_convolution_matrix_opts *opts);
/* scipy.linalg.hilbert: Hilbert's n x n matrix of 1 / (i + j + 1), the standard example of an ill-conditioned one */
KN_API kn_array kn_linalg_hilbert(int64_t n);
/* scipy.linalg.invhilbert: the inverse of Hilbert's matrix, float64; integers up to n = 14. */
KN_API kn_array kn_linalg_invhilbert(int64_t n);
/* scipy.linalg.hadamard: Hadamard's n x n matrix of 1 and -1 with orthogonal rows, float64. ValueError unless n is a
 * power of two. */
KN_API kn_array kn_linalg_hadamard(int64_t n);
/* scipy.linalg.pascal: the n x n matrix of binomial coefficients: (i + j over i), or Pascal's triangle ("lower",
 * "upper"); float64. */
KN_API kn_array kn_linalg_pascal(int64_t n, const kn_linalg_pascal_opts *opts);
/* scipy.linalg.invpascal: the inverse of Pascal's matrix, float64; integers below 2^53. */
KN_API kn_array kn_linalg_invpascal(int64_t n, const kn_linalg_pascal_opts *opts);
/* scipy.linalg.helmert: Helmert's (n - 1) x n matrix of orthonormal contrasts, rows that sum to 0, float64; full:
 * with the row of equal elements in front. */
KN_API kn_array kn_linalg_helmert(int64_t n, const kn_linalg_helmert_opts *opts);
/* scipy.linalg.dft: the n x n matrix of the discrete Fourier transform, complex, over sqrt(n) or n as `scale` says:
 * its product with x is kn_fft_fft(x) */
KN_API kn_array kn_linalg_dft(int64_t n, const kn_linalg_dft_opts *opts);
/* scipy.linalg.khatri_rao: the matrix whose columns are Kronecker's products of the columns of a and b. */
KN_API kn_array kn_linalg_khatri_rao(kn_array a, kn_array b);
/* scipy.linalg.diagsvd: the m x n matrix with s on its diagonal and zeros elsewhere, as kn_linalg_svd needs it in
 * the middle */
KN_API kn_array kn_linalg_diagsvd(kn_array s, int64_t m, int64_t n);

/* ---- What can be seen of matrices. */
/* scipy.linalg.bandwidth: how many diagonals below and above the main one reach, up to the farthest that is not
 * zero; int64. */
KN_API kn_linalg_bandwidth_result kn_linalg_bandwidth(kn_array a);
/* scipy.linalg.issymmetric: whether a is its own transpose. With tolerances |a - a^T| <= atol + rtol |a^T|. False of
 * what is not square. */
KN_API kn_array kn_linalg_issymmetric(kn_array a, const kn_linalg_issymmetric_opts *opts);
/* scipy.linalg.ishermitian: whether a is its own adjoint, the conjugate of its transpose; tolerances as for
 * kn_linalg_issymmetric */
KN_API kn_array kn_linalg_ishermitian(kn_array a, const kn_linalg_issymmetric_opts *opts);

/* ---- Numbers. */
/* np.linalg.matrix_rank: the rank of matrices: the number of singular values larger than tol, or than rtol (max(m,
 * n) times the dtype's epsilon, if not given) times the largest one; int64. Of a vector: is an element not 0? */
KN_API kn_array kn_linalg_matrix_rank(kn_array a, const kn_linalg_matrix_rank_opts *opts);
/* np.linalg.cond: the condition of matrices, by which relative errors may grow where equations are solved: the
 * quotient of the largest and the least singular value (p 2), its inverse (-2), else the norm of x times that of its
 * inverse. Infinite where there is none. LinAlgError for empty matrices */
KN_API kn_array kn_linalg_cond(kn_array x, const kn_linalg_cond_opts *opts);
KN_API kn_array kn_linalg_det(kn_array a); /* np.linalg.det: the determinant of square matrices */
/* np.linalg.slogdet: the sign of the determinant (0 of singular matrices) and the logarithm of its absolute value,
 * which is there where the determinant itself would overflow */
KN_API kn_linalg_slogdet_result kn_linalg_slogdet(kn_array a);

/* ---- Norms. Of integers in the context's default float, of floats in their own dtype. */
/* np.linalg.norm: the norm of vectors along one axis, of matrices along two, by default of all of x (as one vector
 * if ord is None). Vectors: the number of elements that are not 0 (ord 0), the largest and the least absolute value
 * (infinity, -infinity), else (sum |x|^ord)^(1/ord). Matrices: "fro"; the largest and the least sum of absolute
 * values of a column (1, -1) or a row (infinity, -infinity); the largest and the least singular value (2, -2) and
 * the sum of all of them ("nuc"). ValueError for other orders and numbers of axes. */
KN_API kn_array kn_linalg_norm(kn_array x, const kn_linalg_norm_opts *opts);
/* np.linalg.vector_norm: the norm along any axes (all of them if not given) as one vector; orders as kn_linalg_norm
 * has them for vectors */
KN_API kn_array kn_linalg_vector_norm(kn_array x, const kn_linalg_vector_norm_opts *opts);
/* np.linalg.matrix_norm: the norm of each matrix of a stack: kn_linalg_norm of the last two axes, "fro" unless ord
 * or a name is given */
KN_API kn_array kn_linalg_matrix_norm(kn_array x, const kn_linalg_matrix_norm_opts *opts);

/* ---- Products. */
/* np.linalg.multi_dot: the product of two matrices or more in the cheapest order; the first and the last may be
 * vectors. LinAlgError for other numbers of axes, ValueError if shapes are not aligned. */
KN_API kn_array kn_linalg_multi_dot(kn_list arrays);
/* np.linalg.matrix_power: square matrices to an integer power: products, by squaring; n = 0: identities; n < 0: of
 * the inverse. */
KN_API kn_array kn_linalg_matrix_power(kn_array a, int64_t n);
/* kn_matmul: the product of matrices, the last two axes of both, or of vectors: kn_matmul */
KN_API kn_array kn_linalg_matmul(kn_array x1, kn_array x2);
/* kn_tensordot: sums of products over the last `axes` axes of x1 with the first ones of x2: kn_tensordot */
KN_API kn_array kn_linalg_tensordot(kn_array x1, kn_array x2, const kn_tensordot_opts *opts);
/* np.linalg.vecdot: sums of products of vectors along an axis of both, the last one unless given; x1 is conjugated,
 * the other axes are broadcast */
KN_API kn_array kn_linalg_vecdot(kn_array x1, kn_array x2, const kn_linalg_vecdot_opts *opts);
/* all products of the elements of two vectors, a matrix: kn_outer, of vectors only. ValueError for other arrays */
KN_API kn_array kn_linalg_outer(kn_array x1, kn_array x2);
/* the cross product of vectors of 3 along an axis: kn_cross, of such vectors only. ValueError for other lengths */
KN_API kn_array kn_linalg_cross(kn_array x1, kn_array x2, const kn_linalg_cross_opts *opts);
/* a diagonal of each matrix, a view: kn_diagonal of the last two axes; `offset` counts to the right */
KN_API kn_array kn_linalg_diagonal(kn_array x, const kn_linalg_diagonal_opts *opts);
/* the sum of each matrix' diagonal: kn_trace of the last two axes */
KN_API kn_array kn_linalg_trace(kn_array x, const kn_linalg_trace_opts *opts);
/* kn_matrix_transpose: each matrix of a stack with its rows as columns, a view: kn_matrix_transpose */
KN_API kn_array kn_linalg_matrix_transpose(kn_array x);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_linalg_cholesky(a, ...) KN_F1O(kn_linalg_cholesky, kn_linalg_cholesky_opts, (), a, __VA_ARGS__)
#define kn_linalg_lu(a, ...) KN_F1O(kn_linalg_lu, kn_linalg_lu_opts, (), a, __VA_ARGS__)
#define kn_linalg_lu_factor(a) KN_F1(kn_linalg_lu_factor, a)
#define kn_linalg_lu_solve(lu, piv, b, ...)                                                                            \
    KN_F3O(kn_linalg_lu_solve, kn_linalg_lu_solve_opts, (), lu, piv, b, __VA_ARGS__)
#define kn_linalg_cho_factor(a, ...) KN_F1O(kn_linalg_cho_factor, kn_linalg_cho_factor_opts, (), a, __VA_ARGS__)
#define kn_linalg_cho_solve(c, b, ...) KN_F2O(kn_linalg_cho_solve, kn_linalg_cho_solve_opts, (), c, b, __VA_ARGS__)
#define kn_linalg_qr(a, ...) KN_F1O(kn_linalg_qr, kn_linalg_qr_opts, (), a, __VA_ARGS__)
#define kn_linalg_qr_multiply(a, c, ...)                                                                               \
    KN_F2O(kn_linalg_qr_multiply, kn_linalg_qr_multiply_opts, (), a, c, __VA_ARGS__)
#define kn_linalg_rq(a, ...) KN_F1O(kn_linalg_rq, kn_linalg_rq_opts, (), a, __VA_ARGS__)
#define kn_linalg_ldl(a, ...)                                                                                          \
    KN_F1O(kn_linalg_ldl, kn_linalg_ldl_opts, (.lower = true, .hermitian = true, ), a, __VA_ARGS__)
#define kn_linalg_eigh(a, ...) KN_F1O(kn_linalg_eigh, kn_linalg_eigh_opts, (.type = 1, ), a, __VA_ARGS__)
#define kn_linalg_eigvalsh(a, ...) KN_F1O(kn_linalg_eigvalsh, kn_linalg_eigvalsh_opts, (.type = 1, ), a, __VA_ARGS__)
#define kn_linalg_eigh_tridiagonal(d, e, ...)                                                                          \
    KN_F2O(kn_linalg_eigh_tridiagonal, kn_linalg_eigh_tridiagonal_opts, (), d, e, __VA_ARGS__)
#define kn_linalg_eigvalsh_tridiagonal(d, e, ...)                                                                      \
    KN_F2O(kn_linalg_eigvalsh_tridiagonal, kn_linalg_eigh_tridiagonal_opts, (), d, e, __VA_ARGS__)
#define kn_linalg_eig_banded(a_band, ...)                                                                              \
    KN_F1O(kn_linalg_eig_banded, kn_linalg_eig_banded_opts, (), a_band, __VA_ARGS__)
#define kn_linalg_eigvals_banded(a_band, ...)                                                                          \
    KN_F1O(kn_linalg_eigvals_banded, kn_linalg_eig_banded_opts, (), a_band, __VA_ARGS__)
#define kn_linalg_eig(a) KN_F1(kn_linalg_eig, a)
#define kn_linalg_eigvals(a) KN_F1(kn_linalg_eigvals, a)
#define kn_linalg_schur(a, ...) KN_F1O(kn_linalg_schur, kn_linalg_schur_opts, (), a, __VA_ARGS__)
#define kn_linalg_rsf2csf(t, z) KN_F2(kn_linalg_rsf2csf, t, z)
#define kn_linalg_hessenberg(a) KN_F1(kn_linalg_hessenberg, a)
#define kn_linalg_svd(a, ...)                                                                                          \
    KN_F1O(kn_linalg_svd, kn_linalg_svd_opts, (.full_matrices = true, .compute_uv = true, ), a, __VA_ARGS__)
#define kn_linalg_svdvals(x) KN_F1(kn_linalg_svdvals, x)
#define kn_linalg_solve(a, b, ...) KN_F2O(kn_linalg_solve, kn_linalg_solve_opts, (), a, b, __VA_ARGS__)
#define kn_linalg_solve_triangular(a, b, ...)                                                                          \
    KN_F2O(kn_linalg_solve_triangular, kn_linalg_solve_triangular_opts, (), a, b, __VA_ARGS__)
#define kn_linalg_solve_banded(l, u, ab, b) KN_LINALG_SOLVE_BANDED_(__COUNTER__, l, u, ab, b)
#define KN_LINALG_SOLVE_BANDED_(c, l, u, ab, b)                                                                        \
    __extension__({ KN_TAKE(int64_t, 1, c, l) KN_TAKE(int64_t, 2, c, u) kn_array KN_V(3, c) = KN_LIKE(ab); kn_array    \
    KN_V(4, c) = KN_LIKE(b); KN_HERE(); (kn_linalg_solve_banded)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#define kn_linalg_solveh_banded(ab, b, ...)                                                                            \
    KN_F2O(kn_linalg_solveh_banded, kn_linalg_solveh_banded_opts, (), ab, b, __VA_ARGS__)
#define kn_linalg_solve_toeplitz(c, r, b) KN_F3(kn_linalg_solve_toeplitz, c, r, b)
#define kn_linalg_matmul_toeplitz(c, r, x) KN_F3(kn_linalg_matmul_toeplitz, c, r, x)
#define kn_linalg_solve_circulant(c, b) KN_F2(kn_linalg_solve_circulant, c, b)
#define kn_linalg_inv(a) KN_F1(kn_linalg_inv, a)
#define kn_linalg_tensorinv(a, ...) KN_F1O(kn_linalg_tensorinv, kn_linalg_tensorinv_opts, (.ind = 2, ), a, __VA_ARGS__)
#define kn_linalg_tensorsolve(a, b, ...)                                                                               \
    KN_F2O(kn_linalg_tensorsolve, kn_linalg_tensorsolve_opts, (), a, b, __VA_ARGS__)
#define kn_linalg_pinv(a, ...)                                                                                         \
    KN_F1O(kn_linalg_pinv, kn_linalg_pinv_opts, (.rcond = __builtin_nan(""), .rtol = __builtin_nan(""), ), a,          \
    __VA_ARGS__)
#define kn_linalg_lstsq(a, b, ...)                                                                                     \
    KN_F2O(kn_linalg_lstsq, kn_linalg_lstsq_opts, (.rcond = __builtin_nan(""), ), a, b, __VA_ARGS__)
#define kn_linalg_solve_sylvester(a, b, q) KN_F3(kn_linalg_solve_sylvester, a, b, q)
#define kn_linalg_solve_continuous_lyapunov(a, q) KN_F2(kn_linalg_solve_continuous_lyapunov, a, q)
#define kn_linalg_solve_discrete_lyapunov(a, q) KN_F2(kn_linalg_solve_discrete_lyapunov, a, q)
#define kn_linalg_solve_continuous_are(a, b, q, r, ...)                                                                \
    KN_F4O(kn_linalg_solve_continuous_are, kn_linalg_are_opts, (), a, b, q, r, __VA_ARGS__)
#define kn_linalg_solve_discrete_are(a, b, q, r, ...)                                                                  \
    KN_F4O(kn_linalg_solve_discrete_are, kn_linalg_are_opts, (), a, b, q, r, __VA_ARGS__)
#define kn_linalg_orthogonal_procrustes(a, b) KN_F2(kn_linalg_orthogonal_procrustes, a, b)
#define kn_linalg_expm(a) KN_F1(kn_linalg_expm, a)
#define kn_linalg_expm_frechet(a, e) KN_F2(kn_linalg_expm_frechet, a, e)
#define kn_linalg_sqrtm(a) KN_F1(kn_linalg_sqrtm, a)
#define kn_linalg_logm(a) KN_F1(kn_linalg_logm, a)
#define kn_linalg_fractional_matrix_power(a, t) KN_H1(kn_linalg_fractional_matrix_power, a, double, t)
#define kn_linalg_cosm(a) KN_F1(kn_linalg_cosm, a)
#define kn_linalg_sinm(a) KN_F1(kn_linalg_sinm, a)
#define kn_linalg_tanm(a) KN_F1(kn_linalg_tanm, a)
#define kn_linalg_coshm(a) KN_F1(kn_linalg_coshm, a)
#define kn_linalg_sinhm(a) KN_F1(kn_linalg_sinhm, a)
#define kn_linalg_tanhm(a) KN_F1(kn_linalg_tanhm, a)
#define kn_linalg_signm(a) KN_F1(kn_linalg_signm, a)
#define kn_linalg_funm(a, func) KN_H1(kn_linalg_funm, a, kn_fn, func)
#define kn_linalg_polar(a, ...) KN_F1O(kn_linalg_polar, kn_linalg_polar_opts, (), a, __VA_ARGS__)
#define kn_linalg_null_space(a, ...)                                                                                   \
    KN_F1O(kn_linalg_null_space, kn_linalg_null_space_opts, (.rcond = __builtin_nan(""), ), a, __VA_ARGS__)
#define kn_linalg_orth(a, ...)                                                                                         \
    KN_F1O(kn_linalg_orth, kn_linalg_orth_opts, (.rcond = __builtin_nan(""), ), a, __VA_ARGS__)
#define kn_linalg_subspace_angles(a, b) KN_F2(kn_linalg_subspace_angles, a, b)
#define kn_linalg_block_diag(arrays) KN_G1(kn_linalg_block_diag, kn_list, arrays)
#define kn_linalg_toeplitz(c, r) KN_F2(kn_linalg_toeplitz, c, r)
#define kn_linalg_circulant(c) KN_F1(kn_linalg_circulant, c)
#define kn_linalg_hankel(c, r) KN_F2(kn_linalg_hankel, c, r)
#define kn_linalg_companion(a) KN_F1(kn_linalg_companion, a)
#define kn_linalg_leslie(f, s) KN_F2(kn_linalg_leslie, f, s)
#define kn_linalg_fiedler(a) KN_F1(kn_linalg_fiedler, a)
#define kn_linalg_fiedler_companion(a) KN_F1(kn_linalg_fiedler_companion, a)
#define kn_linalg_convolution_matrix(a, n, ...)                                                                        \
    KN_H1O(kn_linalg_convolution_matrix, kn_linalg_convolution_matrix_opts, (), a, int64_t, n, __VA_ARGS__)
#define kn_linalg_hilbert(n) KN_G1(kn_linalg_hilbert, int64_t, n)
#define kn_linalg_invhilbert(n) KN_G1(kn_linalg_invhilbert, int64_t, n)
#define kn_linalg_hadamard(n) KN_G1(kn_linalg_hadamard, int64_t, n)
#define kn_linalg_pascal(n, ...) KN_G1O(kn_linalg_pascal, kn_linalg_pascal_opts, (), int64_t, n, __VA_ARGS__)
#define kn_linalg_invpascal(n, ...) KN_G1O(kn_linalg_invpascal, kn_linalg_pascal_opts, (), int64_t, n, __VA_ARGS__)
#define kn_linalg_helmert(n, ...) KN_G1O(kn_linalg_helmert, kn_linalg_helmert_opts, (), int64_t, n, __VA_ARGS__)
#define kn_linalg_dft(n, ...) KN_G1O(kn_linalg_dft, kn_linalg_dft_opts, (), int64_t, n, __VA_ARGS__)
#define kn_linalg_khatri_rao(a, b) KN_F2(kn_linalg_khatri_rao, a, b)
#define kn_linalg_diagsvd(s, m, n) KN_H2(kn_linalg_diagsvd, s, int64_t, m, int64_t, n)
#define kn_linalg_bandwidth(a) KN_F1(kn_linalg_bandwidth, a)
#define kn_linalg_issymmetric(a, ...) KN_F1O(kn_linalg_issymmetric, kn_linalg_issymmetric_opts, (), a, __VA_ARGS__)
#define kn_linalg_ishermitian(a, ...) KN_F1O(kn_linalg_ishermitian, kn_linalg_issymmetric_opts, (), a, __VA_ARGS__)
#define kn_linalg_matrix_rank(a, ...)                                                                                  \
    KN_F1O(kn_linalg_matrix_rank, kn_linalg_matrix_rank_opts, (.tol = __builtin_nan(""), .rtol = __builtin_nan(""), ), \
    a, __VA_ARGS__)
#define kn_linalg_cond(x, ...) KN_F1O(kn_linalg_cond, kn_linalg_cond_opts, (.p = __builtin_nan(""), ), x, __VA_ARGS__)
#define kn_linalg_det(a) KN_F1(kn_linalg_det, a)
#define kn_linalg_slogdet(a) KN_F1(kn_linalg_slogdet, a)
#define kn_linalg_norm(x, ...) KN_F1O(kn_linalg_norm, kn_linalg_norm_opts, (.ord = __builtin_nan(""), ), x, __VA_ARGS__)
#define kn_linalg_vector_norm(x, ...)                                                                                  \
    KN_F1O(kn_linalg_vector_norm, kn_linalg_vector_norm_opts, (.ord = 2, ), x, __VA_ARGS__)
#define kn_linalg_matrix_norm(x, ...)                                                                                  \
    KN_F1O(kn_linalg_matrix_norm, kn_linalg_matrix_norm_opts, (.ord = __builtin_nan(""), ), x, __VA_ARGS__)
#define kn_linalg_multi_dot(arrays) KN_G1(kn_linalg_multi_dot, kn_list, arrays)
#define kn_linalg_matrix_power(a, n) KN_H1(kn_linalg_matrix_power, a, int64_t, n)
#define kn_linalg_matmul(x1, x2) KN_F2(kn_linalg_matmul, x1, x2)
#define kn_linalg_tensordot(x1, x2, ...)                                                                               \
    KN_F2O(kn_linalg_tensordot, kn_tensordot_opts, (.axes = 2, ), x1, x2, __VA_ARGS__)
#define kn_linalg_vecdot(x1, x2, ...)                                                                                  \
    KN_F2O(kn_linalg_vecdot, kn_linalg_vecdot_opts, (.axis = -1, ), x1, x2, __VA_ARGS__)
#define kn_linalg_outer(x1, x2) KN_F2(kn_linalg_outer, x1, x2)
#define kn_linalg_cross(x1, x2, ...) KN_F2O(kn_linalg_cross, kn_linalg_cross_opts, (.axis = -1, ), x1, x2, __VA_ARGS__)
#define kn_linalg_diagonal(x, ...) KN_F1O(kn_linalg_diagonal, kn_linalg_diagonal_opts, (), x, __VA_ARGS__)
#define kn_linalg_trace(x, ...) KN_F1O(kn_linalg_trace, kn_linalg_trace_opts, (), x, __VA_ARGS__)
#define kn_linalg_matrix_transpose(x) KN_F1(kn_linalg_matrix_transpose, x)
#endif
#endif
