/* SPDX-License-Identifier: Apache-2.0
 * kiln/linalg.h -- linear algebra, as np.linalg. Matrices are the last two axes; the axes in front are a stack of them.
 *
 * Integers become the context's default float; float16 and bfloat16 are a TypeError. As in NumPy the work is done in
 * float64 or complex128, and the result is rounded to the arguments' dtype. Errors that depend on values (a singular
 * matrix) come while the function runs, inside of jit, too. */
/* clang-format off */
#ifndef KILN_LINALG_H
#define KILN_LINALG_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options and results. */
typedef struct kn_linalg_cholesky_opts { size_t size_; bool upper; } kn_linalg_cholesky_opts; /* upper: false */
typedef struct kn_linalg_slogdet_result { kn_array sign, logabsdet; } kn_linalg_slogdet_result;
KN_API kn_linalg_cholesky_opts kn_linalg_cholesky_opts_default(void);

/* ---- Factorisations. LinAlgError unless matrices are square. */
KN_API kn_array kn_linalg_cholesky(kn_array a,
    const kn_linalg_cholesky_opts *opts); /* np.linalg.cholesky; LinAlgError if not positive definite */

/* ---- Equations and inverses. LinAlgError for singular matrices. */
KN_API kn_array kn_linalg_solve(kn_array a, kn_array b); /* np.linalg.solve: b is a vector if it has one axis */
KN_API kn_array kn_linalg_inv(kn_array a);               /* np.linalg.inv */

/* ---- Numbers. */
KN_API kn_array kn_linalg_det(kn_array a);               /* np.linalg.det */
KN_API kn_linalg_slogdet_result kn_linalg_slogdet(kn_array a); /* np.linalg.slogdet: sign and log of |det| */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_linalg_cholesky(a, ...) KN_F1O(kn_linalg_cholesky, kn_linalg_cholesky_opts, (), a, __VA_ARGS__)
#define kn_linalg_solve(a, b) KN_F2(kn_linalg_solve, a, b)
#define kn_linalg_inv(a) KN_F1(kn_linalg_inv, a)
#define kn_linalg_det(a) KN_F1(kn_linalg_det, a)
#define kn_linalg_slogdet(a) KN_F1(kn_linalg_slogdet, a)
#endif
#endif
