/* SPDX-License-Identifier: Apache-2.0
 * kiln/linalg.h -- linear algebra, as np.linalg. Matrices are the last two axes; the axes in front are a stack of
 * them.
 *
 * Integers become the context's default float; float16 and bfloat16 are a TypeError. As in NumPy the work is done in
 * float64 or complex128, and the result is rounded to the arguments' dtype. Errors that depend on values (a singular
 * matrix) come while the function runs, inside of jit, too. Products (the last chapter) keep the arguments' dtypes. */
/* Made by scripts/make-api.py from api/linalg.api. */
/* clang-format off */
#ifndef KILN_LINALG_H
#define KILN_LINALG_H
#include "kiln/numpy/products.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options and results. */
typedef struct kn_linalg_cholesky_opts { size_t size_; bool upper; } kn_linalg_cholesky_opts; /* false */
KN_API kn_linalg_cholesky_opts kn_linalg_cholesky_opts_default(void);
typedef struct kn_linalg_slogdet_result { kn_array sign, logabsdet; } kn_linalg_slogdet_result;
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
/* np.linalg.cholesky: LinAlgError if not positive definite */
KN_API kn_array kn_linalg_cholesky(kn_array a, const kn_linalg_cholesky_opts *opts);

/* ---- Equations and inverses. LinAlgError for singular matrices. */
KN_API kn_array kn_linalg_solve(kn_array a, kn_array b); /* np.linalg.solve: b is a vector if it has one axis */
KN_API kn_array kn_linalg_inv(kn_array a);               /* np.linalg.inv */
/* np.linalg.tensorinv: tensordot(result, y, ind) solves tensordot(a, x, ...) = y. ValueError unless ind > 0 */
KN_API kn_array kn_linalg_tensorinv(kn_array a, const kn_linalg_tensorinv_opts *opts);
/* np.linalg.tensorsolve: x with tensordot(a, x, its number of axes) = b; `axes` of a go to its end first.
 * LinAlgError unless a is square as a matrix whose rows are b's elements. */
KN_API kn_array kn_linalg_tensorsolve(kn_array a, kn_array b, const kn_linalg_tensorsolve_opts *opts);

/* ---- Numbers. */
KN_API kn_array kn_linalg_det(kn_array a);                     /* np.linalg.det */
KN_API kn_linalg_slogdet_result kn_linalg_slogdet(kn_array a); /* np.linalg.slogdet: sign and log of |det| */

/* ---- Norms. Of integers in the context's default float, of floats in their own dtype. */
/* np.linalg.norm: of vectors along one axis, of matrices along two, by default of all of x (as one vector if ord is
 * None). Vectors: the number of elements that are not 0 (ord 0), the largest and the least absolute value (infinity,
 * -infinity), else (sum |x|^ord)^(1/ord). Matrices: "fro"; the largest and the least sum of absolute values of a
 * column (1, -1) or a row (infinity, -infinity). NotImplementedError for 2, -2 and "nuc" of matrices, which want
 * singular values; ValueError for other orders and numbers of axes. */
KN_API kn_array kn_linalg_norm(kn_array x, const kn_linalg_norm_opts *opts);
/* np.linalg.vector_norm: along any axes (all of them if not given) as one vector. */
KN_API kn_array kn_linalg_vector_norm(kn_array x, const kn_linalg_vector_norm_opts *opts);
/* np.linalg.matrix_norm: kn_linalg_norm of the last two axes. */
KN_API kn_array kn_linalg_matrix_norm(kn_array x, const kn_linalg_matrix_norm_opts *opts);

/* ---- Products. */
/* np.linalg.multi_dot: the product of two matrices or more in the cheapest order; the first and the last may be
 * vectors. LinAlgError for other numbers of axes, ValueError if shapes are not aligned. */
KN_API kn_array kn_linalg_multi_dot(kn_list arrays);
/* np.linalg.matrix_power: products of square matrices, by squaring; n = 0: identities; n < 0: of the inverse. */
KN_API kn_array kn_linalg_matrix_power(kn_array a, int64_t n);
KN_API kn_array kn_linalg_matmul(kn_array x1, kn_array x2); /* kn_matmul */
KN_API kn_array kn_linalg_tensordot(kn_array x1, kn_array x2, const kn_tensordot_opts *opts); /* kn_tensordot */
/* np.linalg.vecdot: kn_vecdot along an axis of both */
KN_API kn_array kn_linalg_vecdot(kn_array x1, kn_array x2, const kn_linalg_vecdot_opts *opts);
KN_API kn_array kn_linalg_outer(kn_array x1, kn_array x2);  /* kn_outer, of vectors only */
/* kn_cross, of vectors of 3 only */
KN_API kn_array kn_linalg_cross(kn_array x1, kn_array x2, const kn_linalg_cross_opts *opts);
/* kn_diagonal of the last two axes */
KN_API kn_array kn_linalg_diagonal(kn_array x, const kn_linalg_diagonal_opts *opts);
KN_API kn_array kn_linalg_trace(kn_array x, const kn_linalg_trace_opts *opts); /* kn_trace of the last two axes */
KN_API kn_array kn_linalg_matrix_transpose(kn_array x);     /* kn_matrix_transpose */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_linalg_cholesky(a, ...) KN_F1O(kn_linalg_cholesky, kn_linalg_cholesky_opts, (), a, __VA_ARGS__)
#define kn_linalg_solve(a, b) KN_F2(kn_linalg_solve, a, b)
#define kn_linalg_inv(a) KN_F1(kn_linalg_inv, a)
#define kn_linalg_tensorinv(a, ...) KN_F1O(kn_linalg_tensorinv, kn_linalg_tensorinv_opts, (.ind = 2, ), a, __VA_ARGS__)
#define kn_linalg_tensorsolve(a, b, ...)                                                                               \
    KN_F2O(kn_linalg_tensorsolve, kn_linalg_tensorsolve_opts, (), a, b, __VA_ARGS__)
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
