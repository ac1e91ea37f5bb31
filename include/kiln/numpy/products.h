/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/products.h -- products of matrices and vectors; what all chapters have in common is told in
 * kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/products.api. */
/* clang-format off */
#ifndef KILN_NUMPY_PRODUCTS_H
#define KILN_NUMPY_PRODUCTS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_tensordot_opts {
    size_t size_;
    int axes;       /* 2 */
    kn_axes a_axes;
    kn_axes b_axes;
} kn_tensordot_opts;
KN_API kn_tensordot_opts kn_tensordot_opts_default(void);
/* Of kn_einsum and kn_einsum_path. */
typedef struct kn_einsum_opts {
    size_t size_;
    /* "greedy": in which order operands are contracted: "greedy" (the default), "optimal", a path of kn_einsum_path,
     * or false, from left to right */
    const char *optimize;
    /* the most elements of a value between, for "greedy" and "optimal"; 0: as many as the largest operand or the
     * result has */
    int64_t memory_limit;
    kn_dtype dtype;       /* to calculate in (kn_einsum only); operands must fit by the rule 'safe'. */
} kn_einsum_opts;
#define KN_EINSUM_DEFAULTS (.optimize = "greedy", )
KN_API kn_einsum_opts kn_einsum_opts_default(void);

/* path: "['einsum_path', (0, 1), (0, 1)]", for .optimize; string_repr: the costs and the steps, to be printed. */
typedef struct kn_einsum_path_result { const char *path, *string_repr; } kn_einsum_path_result;
typedef struct kn_diagonal_opts { size_t size_; int64_t offset; int axis1; int axis2; } kn_diagonal_opts; /* axis2: 1 */
KN_API kn_diagonal_opts kn_diagonal_opts_default(void);
typedef struct kn_trace_opts {
    size_t size_;
    int64_t offset;
    int axis1;
    int axis2;      /* 1 */
    kn_dtype dtype;
} kn_trace_opts;
KN_API kn_trace_opts kn_trace_opts_default(void);

/* ---- Products. */
/* np.matmul: products of matrices, which are the last two axes; those in front broadcast. A vector is a row on the
 * left, a column on the right. ValueError if the axes are not aligned */
KN_API kn_array kn_matmul(kn_array x, kn_array y);
/* np.dot: sums of products over the last axis of x with the last but one of y: of vectors a number, of matrices
 * their product; a number multiplies */
KN_API kn_array kn_dot(kn_array x, kn_array y);
/* np.vdot: the sum of products of the flattened arrays, x conjugated */
KN_API kn_array kn_vdot(kn_array x, kn_array y);
KN_API kn_array kn_inner(kn_array x, kn_array y); /* np.inner: sums of products over the last axes, of all pairs */
KN_API kn_array kn_outer(kn_array x, kn_array y); /* np.outer: all products of the flattened arrays: a matrix */
/* np.vecdot: sums of products over the last axes, the others broadcast, x conjugated */
KN_API kn_array kn_vecdot(kn_array x, kn_array y);
/* np.tensordot: sums of products over the last `axes` axes of x with the first ones of y (2 unless given), or over
 * a_axes with b_axes */
KN_API kn_array kn_tensordot(kn_array x, kn_array y, const kn_tensordot_opts *opts);
/* np.matvec: matrices, the last two axes of x1, times vectors; the axes in front broadcast */
KN_API kn_array kn_matvec(kn_array x1, kn_array x2);
/* np.vecmat: conjugated vectors times matrices, the last two axes of x2; the others broadcast */
KN_API kn_array kn_vecmat(kn_array x1, kn_array x2);
/* np.kron: the Kronecker product: each element of a times all of b, axis by axis; leading axes that one lacks are 1. */
KN_API kn_array kn_kron(kn_array a, kn_array b);
/* np.einsum: products of the operands' elements, summed over the labels that the result does not have. Subscripts
 * are a letter per axis, operands apart by commas: "ij,jk->ik"; without "->" the result has, in alphabetical order,
 * the labels that stand once. A label twice in an operand is its diagonal, "..." the other axes, which broadcast.
 * The macro takes up to 31 arrays (numbers as kn_num(2)) and the options: kn_einsum("ij,jk,kl->il", a, b, c,
 * .optimize = "optimal") One operand without sums gives a view. Two operands are contracted at a time, each pair as
 * one product. NumPy's ValueErrors; KeyError for an unknown optimize. */
KN_API kn_array kn_einsum(const char *subscripts, int n, const kn_array *operands, const kn_einsum_opts *opts);
/* np.einsum_path: in which order kn_einsum would contract, and what that costs, from the operands' shapes alone. The
 * strings belong to the scope; after an error both are "". The search for the "optimal" one ends after some tenths
 * of a second (more than eight operands or so) with the best path seen, at worst the greedy one. */
KN_API kn_einsum_path_result kn_einsum_path(const char *subscripts, int n, const kn_array *operands,
    const kn_einsum_opts *opts);
/* np.trace: sum of the diagonal of two axes; integers add up in 64 bits */
KN_API kn_array kn_trace(kn_array x, const kn_trace_opts *opts);
/* np.diagonal of two axes, as the last axis: a read-only view */
KN_API kn_array kn_diagonal(kn_array x, const kn_diagonal_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* Arrays and options in one list: what is not named is an operand. */
typedef struct kn_einsum_word_ {
    size_t size_; kn_array operand; const char *optimize; int64_t memory_limit; kn_dtype dtype;
} kn_einsum_word_;
#define kn_einsum(subscripts, ...) KN_EINSUM_(__COUNTER__, kn_einsum, subscripts, __VA_ARGS__)
#define kn_einsum_path(subscripts, ...) KN_EINSUM_(__COUNTER__, kn_einsum_path, subscripts, __VA_ARGS__)
#define KN_EINSUM_(c, f, subscripts, ...)                                                                              \
    __extension__({ const char *const KN_V(fun, c) = (subscripts); kn_array KN_V(vec, c)[KN_COUNT(__VA_ARGS__) + 1];   \
        int KN_V(cnt, c) = 0; kn_einsum_word_ KN_V(arg, c) = {KN_MEMBERS(KN_EINSUM_DEFAULTS)};                         \
        KN_QUIET _Pragma("GCC diagnostic error \"-Wint-conversion\"") KN_EACH(KN_EINSUM_PUT_, c, __VA_ARGS__)          \
        KN_UNQUIET const kn_einsum_opts KN_V(opt, c) = {sizeof(kn_einsum_opts), KN_V(arg, c).optimize,                 \
        KN_V(arg, c).memory_limit, KN_V(arg, c).dtype};                                                                \
        KN_HERE(); (f)(KN_V(fun, c), KN_V(cnt, c), KN_V(vec, c), &KN_V(opt, c)); })
/* The vector's own address stands for no operand. */
#define KN_EINSUM_PUT_(c, a)                                                                                           \
    KN_V(arg, c) = (kn_einsum_word_){.optimize = KN_V(arg, c).optimize, .memory_limit = KN_V(arg, c).memory_limit,     \
        .dtype = KN_V(arg, c).dtype, .operand = (kn_array)(void *)KN_V(vec, c), .size_ = sizeof(kn_einsum_word_), a};  \
    if (KN_V(arg, c).operand != (kn_array)(void *)KN_V(vec, c)) KN_V(vec, c)[KN_V(cnt, c)++] = KN_V(arg, c).operand;
#define kn_matmul(x, y) KN_F2(kn_matmul, x, y)
#define kn_dot(x, y) KN_F2(kn_dot, x, y)
#define kn_vdot(x, y) KN_F2(kn_vdot, x, y)
#define kn_inner(x, y) KN_F2(kn_inner, x, y)
#define kn_outer(x, y) KN_F2(kn_outer, x, y)
#define kn_vecdot(x, y) KN_F2(kn_vecdot, x, y)
#define kn_tensordot(x, y, ...) KN_F2O(kn_tensordot, kn_tensordot_opts, (.axes = 2, ), x, y, __VA_ARGS__)
#define kn_matvec(x1, x2) KN_F2(kn_matvec, x1, x2)
#define kn_vecmat(x1, x2) KN_F2(kn_vecmat, x1, x2)
#define kn_kron(a, b) KN_F2(kn_kron, a, b)
#define kn_trace(x, ...) KN_F1O(kn_trace, kn_trace_opts, (.axis2 = 1, ), x, __VA_ARGS__)
#define kn_diagonal(x, ...) KN_F1O(kn_diagonal, kn_diagonal_opts, (.axis2 = 1, ), x, __VA_ARGS__)
#endif
#endif
