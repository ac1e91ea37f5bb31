/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/products.h -- products of matrices and vectors; what all chapters have in common
 * is told in kiln/numpy.h. */
/* clang-format off */
#ifndef KILN_NUMPY_PRODUCTS_H
#define KILN_NUMPY_PRODUCTS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_tensordot_opts { size_t size_; int axes; kn_axes a_axes, b_axes; } kn_tensordot_opts; /* axes: 2 */
/* 0, 0, 1 */
typedef struct kn_diagonal_opts { size_t size_; int64_t offset; int axis1, axis2; } kn_diagonal_opts;
typedef struct kn_trace_opts { size_t size_; int64_t offset; int axis1, axis2; kn_dtype dtype; } kn_trace_opts;
KN_API kn_tensordot_opts kn_tensordot_opts_default(void);
KN_API kn_diagonal_opts kn_diagonal_opts_default(void);
KN_API kn_trace_opts kn_trace_opts_default(void);

/* ---- Products. */
KN_API kn_array kn_matmul(kn_array x, kn_array y);      /* np.matmul; ValueError if the axes are not aligned */
KN_API kn_array kn_dot(kn_array x, kn_array y);         /* np.dot: last axis of x with the last but one of y */
KN_API kn_array kn_vdot(kn_array x, kn_array y);        /* np.vdot: of the flattened arrays, x conjugated */
KN_API kn_array kn_inner(kn_array x, kn_array y);       /* np.inner: over the last axes */
KN_API kn_array kn_outer(kn_array x, kn_array y);       /* np.outer: of the flattened arrays */
KN_API kn_array kn_vecdot(kn_array x,
    kn_array y); /* np.vecdot: over the last axes, the others broadcast, x conjugated */
KN_API kn_array kn_tensordot(kn_array x, kn_array y,
    const kn_tensordot_opts *opts); /* np.tensordot; `axes` of them, or a_axes with b_axes */
KN_API kn_array kn_trace(kn_array x,
    const kn_trace_opts *opts); /* np.trace: sum of the diagonal of two axes; integers add up in 64 bits */
KN_API kn_array kn_diagonal(kn_array x,
    const kn_diagonal_opts *opts); /* np.diagonal of two axes, as the last axis: a read-only view */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_matmul(x, y) KN_F2(kn_matmul, x, y)
#define kn_dot(x, y) KN_F2(kn_dot, x, y)
#define kn_vdot(x, y) KN_F2(kn_vdot, x, y)
#define kn_inner(x, y) KN_F2(kn_inner, x, y)
#define kn_outer(x, y) KN_F2(kn_outer, x, y)
#define kn_vecdot(x, y) KN_F2(kn_vecdot, x, y)
#define kn_tensordot(x, y, ...) KN_F2O(kn_tensordot, kn_tensordot_opts, (.axes = 2, ), x, y, __VA_ARGS__)
#define kn_trace(x, ...) KN_F1O(kn_trace, kn_trace_opts, (.axis2 = 1, ), x, __VA_ARGS__)
#define kn_diagonal(x, ...) KN_F1O(kn_diagonal, kn_diagonal_opts, (.axis2 = 1, ), x, __VA_ARGS__)
#endif
#endif
