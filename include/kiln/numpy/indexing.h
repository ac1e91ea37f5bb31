/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/indexing.h -- reading and writing elements by index; what all chapters have in common
 * is told in kiln/numpy.h. */
/* clang-format off */
#ifndef KILN_NUMPY_INDEXING_H
#define KILN_NUMPY_INDEXING_H
#include "kiln/numpy/manipulation.h"
#include "kiln/print.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
/* mode: NULL, "raise", or "clip" */
typedef struct kn_take_opts { size_t size_; kn_axes axis; const char *mode; } kn_take_opts;
typedef struct kn_copyto_opts { size_t size_; const char *casting; kn_array where; } kn_copyto_opts; /* "same_kind" */
KN_API kn_take_opts kn_take_opts_default(void);
KN_API kn_copyto_opts kn_copyto_opts_default(void);

/* ---- Indexing. Each % of an index takes the next argument. */
typedef struct kn_index_arg { int kind; int64_t integer; kn_array array; } kn_index_arg; /* kind: INT, BOOL or ARRAY */
KN_API kn_array kn_at(kn_array x, const char *index, int n,
    const kn_index_arg *args); /* x[index]: IndexError, ValueError; a view unless arrays or integers alone index it */
KN_API kn_array kn_take(kn_array x, kn_array indices,
    const kn_take_opts *opts); /* np.take; of the flattened x unless an axis is given */
KN_API kn_array kn_take_along_axis(kn_array x, kn_array indices,
    const kn_squeeze_opts *opts); /* np.take_along_axis; last axis */

/* ---- Writing. 0, or -1 with an error: ValueError for arrays that are read-only and shapes that do not fit,
 * MutationError under a transformation for arrays from outside of the traced function. Values are cast as they are
 * (unsafe), a C integer that does not fit is an OverflowError. */
KN_API int kn_set_at(kn_array x, kn_array v, const char *index, int n,
    const kn_index_arg *args); /* x[index] = v; the last one wins where indices repeat */
KN_API int kn_fill(kn_array x, kn_array v);                 /* x.fill(v) */
KN_API int kn_copyto(kn_array to, kn_array from, const kn_copyto_opts *opts); /* np.copyto */
/* x += y and its kin: TypeError where the result is not of x's kind. */
KN_API int kn_iadd(kn_array x, kn_array y);                 /* x += y */
KN_API int kn_isub(kn_array x, kn_array y);                 /* x -= y */
KN_API int kn_imul(kn_array x, kn_array y);                 /* x *= y */
KN_API int kn_idiv(kn_array x, kn_array y);                 /* x /= y; TypeError for integers */
KN_API int kn_ipow(kn_array x, kn_array y);                 /* x **= y */
KN_API int kn_iand(kn_array x, kn_array y);                 /* x &= y */
KN_API int kn_ior(kn_array x, kn_array y);                  /* x |= y */
KN_API int kn_ixor(kn_array x, kn_array y);                 /* x ^= y */
/* x[index] += v and its kin: once for each place, however often the indices name it. */
KN_API int kn_iadd_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_isub_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_imul_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_idiv_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_ipow_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_iand_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_ior_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_ixor_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
typedef enum kn_ufunc {
    kn_ufunc_add, kn_ufunc_subtract, kn_ufunc_multiply, kn_ufunc_divide, kn_ufunc_power, kn_ufunc_maximum,
    kn_ufunc_minimum, kn_ufunc_bitwise_and, kn_ufunc_bitwise_or, kn_ufunc_bitwise_xor
} kn_ufunc;
/* np.add.at and its kin: where indices repeat, again and again. NotImplementedError for functions that have no scatter
 * where indices may repeat: all but add, subtract, multiply, maximum, minimum. */
KN_API int kn_ufunc_at(kn_ufunc ufunc, kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
static inline kn_index_arg kn_index_int_(int64_t i) { return (kn_index_arg){.kind = KN_ARG_INT, .integer = i}; }
static inline kn_index_arg kn_index_uint_(uint64_t i)
{
    return (kn_index_arg){.kind = KN_ARG_INT, .integer = i > INT64_MAX ? INT64_MAX : (int64_t)i};
}
static inline kn_index_arg kn_index_bool_(bool b) { return (kn_index_arg){.kind = KN_ARG_BOOL, .integer = b}; }
static inline kn_index_arg kn_index_array_(kn_array x) { return (kn_index_arg){.kind = KN_ARG_ARRAY, .array = x}; }
#define kn_at(x, index, ...) KN_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), x, index, __VA_ARGS__)
#define KN_AT_(c, count, x, index, ...)                                                                                \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); const char *const KN_V(idx, c) = (index); kn_index_arg           \
    KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_INDEX_PUT_, c, __VA_ARGS__) KN_HERE();                 \
    (kn_at)(KN_V(1, c), KN_V(idx, c), KN_V(cnt, c), KN_V(vec, c)); })
#define kn_set_at(x, v, index, ...)                                                                                    \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_set_at, x, v, index, __VA_ARGS__)
#define kn_iadd_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_iadd_at, x, v, index, __VA_ARGS__)
#define kn_isub_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_isub_at, x, v, index, __VA_ARGS__)
#define kn_imul_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_imul_at, x, v, index, __VA_ARGS__)
#define kn_idiv_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_idiv_at, x, v, index, __VA_ARGS__)
#define kn_ipow_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_ipow_at, x, v, index, __VA_ARGS__)
#define kn_iand_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_iand_at, x, v, index, __VA_ARGS__)
#define kn_ior_at(x, v, index, ...)                                                                                    \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_ior_at, x, v, index, __VA_ARGS__)
#define kn_ixor_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_ixor_at, x, v, index, __VA_ARGS__)
#define KN_WRITE_AT_(c, count, f, x, v, index, ...)                                                                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(v); const char *const KN_V(idx,    \
    c) = (index); kn_index_arg KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_INDEX_PUT_, c,              \
    __VA_ARGS__) KN_HERE(); (f)(KN_V(1, c), KN_V(2, c), KN_V(idx, c), KN_V(cnt, c), KN_V(vec, c)); })
#define kn_ufunc_at(ufunc, x, v, index, ...)                                                                           \
    KN_UFUNC_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), ufunc, x, v, index, __VA_ARGS__)
#define KN_UFUNC_AT_(c, count, ufunc, x, v, index, ...)                                                                \
    __extension__({ const kn_ufunc KN_V(fun, c) = (ufunc); kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) =     \
    KN_LIKE(v); const char *const KN_V(idx, c) = (index); kn_index_arg KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) =   \
    0; KN_EACH(KN_INDEX_PUT_, c, __VA_ARGS__) KN_HERE(); (kn_ufunc_at)(KN_V(fun, c), KN_V(1, c), KN_V(2, c),           \
    KN_V(idx, c), KN_V(cnt, c), KN_V(vec, c)); })
#define KN_INDEX_PUT_(c, a) KN_V(vec, c)[KN_V(cnt, c)++] = KN_INDEX_ARG(a);
#define KN_INDEX_ARG(x) KN_INDEX_ARG_(__COUNTER__, x)
#define KN_INDEX_ARG_(c, x)                                                                                            \
    __extension__({ __auto_type KN_V(val, c) = (x); _Generic(KN_V(val, c), kn_array: kn_index_array_, bool:            \
    kn_index_bool_, KN_SIGNED(kn_index_int_), KN_UNSIGNED(kn_index_uint_))(KN_V(val, c)); })
#define kn_fill(x, v) KN_F2(kn_fill, x, v)
#define kn_copyto(to, from, ...) KN_F2O(kn_copyto, kn_copyto_opts, (.casting = "same_kind", ), to, from, __VA_ARGS__)
#define kn_iadd(x, y) KN_F2(kn_iadd, x, y)
#define kn_isub(x, y) KN_F2(kn_isub, x, y)
#define kn_imul(x, y) KN_F2(kn_imul, x, y)
#define kn_idiv(x, y) KN_F2(kn_idiv, x, y)
#define kn_ipow(x, y) KN_F2(kn_ipow, x, y)
#define kn_iand(x, y) KN_F2(kn_iand, x, y)
#define kn_ior(x, y) KN_F2(kn_ior, x, y)
#define kn_ixor(x, y) KN_F2(kn_ixor, x, y)
#define kn_take(x, indices, ...) KN_F2O(kn_take, kn_take_opts, (), x, indices, __VA_ARGS__)
#define kn_take_along_axis(x, indices, ...)                                                                            \
    KN_F2O(kn_take_along_axis, kn_squeeze_opts, (), x, indices, __VA_ARGS__)
#endif
#endif
