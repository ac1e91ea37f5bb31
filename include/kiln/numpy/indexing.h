/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/indexing.h -- reading and writing elements by index; what all chapters have in common is told in
 * kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/indexing.api. */
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
typedef struct kn_take_opts {
    size_t size_;
    kn_axes axis;
    const char *mode; /* NULL, "raise"; or "wrap", "clip" */
} kn_take_opts;
KN_API kn_take_opts kn_take_opts_default(void);
typedef struct kn_copyto_opts {
    size_t size_;
    const char *casting; /* "same_kind"; or "no", "equiv", "safe", "unsafe" */
    kn_array where;
} kn_copyto_opts;
KN_API kn_copyto_opts kn_copyto_opts_default(void);
typedef struct kn_mode_opts { size_t size_; const char *mode; } kn_mode_opts; /* NULL, "raise"; or "wrap", "clip" */
KN_API kn_mode_opts kn_mode_opts_default(void);
typedef struct kn_indices_opts { size_t size_; kn_dtype dtype; } kn_indices_opts; /* int64 */
KN_API kn_indices_opts kn_indices_opts_default(void);
typedef struct kn_select_opts { size_t size_; kn_array default_; } kn_select_opts; /* NULL, 0 */
KN_API kn_select_opts kn_select_opts_default(void);
typedef struct kn_fill_diagonal_opts { size_t size_; bool wrap; } kn_fill_diagonal_opts;
KN_API kn_fill_diagonal_opts kn_fill_diagonal_opts_default(void);
typedef struct kn_diag_indices_opts { size_t size_; int ndim; } kn_diag_indices_opts; /* 2 */
KN_API kn_diag_indices_opts kn_diag_indices_opts_default(void);
typedef struct kn_tril_indices_opts { size_t size_; int64_t k; int64_t m; } kn_tril_indices_opts; /* m: -1: as n */
KN_API kn_tril_indices_opts kn_tril_indices_opts_default(void);
typedef struct kn_unravel_index_opts { size_t size_; const char *order; } kn_unravel_index_opts; /* NULL, "C": or "F" */
KN_API kn_unravel_index_opts kn_unravel_index_opts_default(void);
typedef struct kn_ravel_multi_index_opts {
    size_t size_;
    const char *mode;  /* NULL, "raise"; or "wrap", "clip" */
    const char *order;
} kn_ravel_multi_index_opts;
KN_API kn_ravel_multi_index_opts kn_ravel_multi_index_opts_default(void);

/* ---- Indexing. Each % of an index takes the next argument. */
typedef struct kn_index_arg { int kind; int64_t integer; kn_array array; } kn_index_arg; /* kind: INT, BOOL or ARRAY */
/* x[index]: IndexError, ValueError; a view unless arrays or integers alone index it. The index is Python's text:
 * integers, slices, "...", "None"; each % takes an argument: an integer, an array of integers or a mask */
KN_API kn_array kn_at(kn_array x, const char *index, int n, const kn_index_arg *args);
/* np.take: the elements at these positions, of the flattened x unless an axis is given. IndexError for positions out
 * of bounds, unless .mode says what they become */
KN_API kn_array kn_take(kn_array x, kn_array indices, const kn_take_opts *opts);
/* np.take_along_axis: elements of each line along the axis (the last one unless given) at positions of its own */
KN_API kn_array kn_take_along_axis(kn_array x, kn_array indices, const kn_squeeze_opts *opts);
/* np.choose: element by element from the array of the list whose number is a's element. With .mode "raise" a is
 * looked at */
KN_API kn_array kn_choose(kn_array a, kn_list choices, const kn_mode_opts *opts);
/* np.select: elements of the choice whose condition is the first that holds; else the default. Conditions are bool */
KN_API kn_array kn_select(kn_list condlist, kn_list choicelist, const kn_select_opts *opts);

/* ---- Indices. Their number depends on values here, which are looked at: ConcretizationError under jit. */
/* np.nonzero: where a is not 0: one array of indices an axis, for NumPy's where of one argument, too */
KN_API kn_list kn_nonzero(kn_array a);
KN_API kn_array kn_argwhere(kn_array a); /* np.argwhere: where a is not 0: one row of indices for each such element */
KN_API kn_array kn_flatnonzero(kn_array a); /* np.flatnonzero: the positions in the flattened array where a is not 0 */
/* np.compress: what stands where the condition, a vector, holds along the axis; a is flattened unless an axis is
 * given */
KN_API kn_array kn_compress(kn_array condition, kn_array a, const kn_squeeze_opts *opts);
/* np.extract: the elements of arr where the condition holds; both flattened */
KN_API kn_array kn_extract(kn_array condition, kn_array arr);
/* np.ix_: vectors of positions along axes of their own, for an index of all combinations; masks (looked at) become
 * positions */
KN_API kn_list kn_ix_(kn_list list);
/* np.ravel_multi_index: positions in the flattened array of shape dims, of those along each axis. ValueError if out
 * of bounds, unless .mode says what they become; .order "F" has the first axis fastest */
KN_API kn_array kn_ravel_multi_index(kn_list multi_index, const kn_shape *dims, const kn_ravel_multi_index_opts *opts);
/* np.unravel_index: positions along each axis, of those in the flattened array. ValueError if out of bounds */
KN_API kn_list kn_unravel_index(kn_array indices, const kn_shape *shape, const kn_unravel_index_opts *opts);

/* ---- Indices whose number is known. */
/* np.indices: for each axis an array of the positions along it; stacked in front */
KN_API kn_array kn_indices(const kn_shape *dimensions, const kn_indices_opts *opts);
/* np.indices with sparse=True: each along its own axis */
KN_API kn_list kn_indices_sparse(const kn_shape *dimensions, const kn_indices_opts *opts);
/* np.diag_indices: the indices of the main diagonal of n by n (by n ...) elements */
KN_API kn_list kn_diag_indices(int64_t n, const kn_diag_indices_opts *opts);
/* np.diag_indices_from: the indices of the main diagonal; ValueError unless all axes are equal */
KN_API kn_list kn_diag_indices_from(kn_array arr);
/* np.tril_indices: the indices of what kn_tril keeps of a matrix of n rows */
KN_API kn_list kn_tril_indices(int64_t n, const kn_tril_indices_opts *opts);
/* np.triu_indices: the indices of what kn_triu keeps of a matrix of n rows */
KN_API kn_list kn_triu_indices(int64_t n, const kn_tril_indices_opts *opts);
/* np.tril_indices_from: the indices of what kn_tril keeps of this matrix */
KN_API kn_list kn_tril_indices_from(kn_array arr, const kn_diag_opts *opts);
/* np.triu_indices_from: the indices of what kn_triu keeps of this matrix */
KN_API kn_list kn_triu_indices_from(kn_array arr, const kn_diag_opts *opts);
typedef kn_array (*kn_mask_func)(kn_array m, const kn_diag_opts *opts);
/* np.mask_indices: the indices where mask_func(ones, k) is not zero; kn_triu and kn_tril are such functions with
 * their options */
KN_API kn_list kn_mask_indices(int64_t n, kn_mask_func mask_func, const kn_diag_opts *opts);

/* ---- Writing. 0, or -1 with an error: ValueError for arrays that are read-only and shapes that do not fit,
 * MutationError under a transformation for arrays from outside of the traced function. Values are cast as they are
 * (unsafe), a C integer that does not fit is an OverflowError. */
/* x[index] = v; the last one wins where indices repeat */
KN_API int kn_set_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_fill(kn_array x, kn_array v);      /* x.fill(v); every element becomes v */
/* np.copyto: the values of `from`, broadcast, go into `to`, with .where there alone */
KN_API int kn_copyto(kn_array to, kn_array from, const kn_copyto_opts *opts);
/* np.put: a.flat[ind] = v, v again and again; looks at ind */
KN_API int kn_put(kn_array a, kn_array ind, kn_array v, const kn_mode_opts *opts);
/* np.putmask: where the mask holds, element i becomes values[i % size] */
KN_API int kn_putmask(kn_array a, kn_array mask, kn_array values);
/* np.place (kn_place is a type): vals one after the other where mask holds; looks at mask */
KN_API int kn_place_mask(kn_array arr, kn_array mask, kn_array vals);
/* np.put_along_axis: elements of each line along the axis at positions of its own become `values`; KN_AXIS_NONE: of
 * the flattened arr */
KN_API int kn_put_along_axis(kn_array arr, kn_array indices, kn_array values, const kn_axes *axis);
/* np.fill_diagonal: the main diagonal becomes val, a number or a vector; wrap: goes on below a square */
KN_API int kn_fill_diagonal(kn_array a, kn_array val, const kn_fill_diagonal_opts *opts);
/* x += y. TypeError where the result is not of x's kind, here and in the functions below */
KN_API int kn_iadd(kn_array x, kn_array y);
KN_API int kn_isub(kn_array x, kn_array y);      /* x -= y */
KN_API int kn_imul(kn_array x, kn_array y);      /* x *= y */
KN_API int kn_idiv(kn_array x, kn_array y);      /* x /= y; TypeError for integers */
KN_API int kn_ipow(kn_array x, kn_array y);      /* x **= y */
KN_API int kn_iand(kn_array x, kn_array y);      /* x &= y */
KN_API int kn_ior(kn_array x, kn_array y);       /* x |= y */
KN_API int kn_ixor(kn_array x, kn_array y);      /* x ^= y */
KN_API int kn_ifloordiv(kn_array x, kn_array y); /* x //= y */
KN_API int kn_imod(kn_array x, kn_array y);      /* x %= y */
KN_API int kn_ilshift(kn_array x, kn_array y);   /* x <<= y */
KN_API int kn_irshift(kn_array x, kn_array y);   /* x >>= y */
KN_API int kn_imatmul(kn_array x, kn_array y);   /* x @= y; ValueError where the product has another shape */
/* x[index] += v and its kin: once for each place, however often the indices name it. kn_ufunc_at does it again for
 * each index */
KN_API int kn_iadd_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_isub_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] -= v */
KN_API int kn_imul_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] *= v */
KN_API int kn_idiv_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] /= v */
KN_API int kn_ipow_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] **= v */
KN_API int kn_iand_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] &= v */
KN_API int kn_ior_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] |= v */
KN_API int kn_ixor_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] ^= v */
/* x[index] //= v */
KN_API int kn_ifloordiv_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
KN_API int kn_imod_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args); /* x[index] %= v */
/* x[index] <<= v */
KN_API int kn_ilshift_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);
/* x[index] >>= v */
KN_API int kn_irshift_at(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);

/* A ufunc by its number: NumPy's, and from kn_ufunc_own_ on those of kn_ufunc_new. kiln/numpy/ufunc.h says what can
 * be done with them. */
typedef enum kn_ufunc {
    kn_ufunc_none = -1,
    kn_ufunc_add, kn_ufunc_subtract, kn_ufunc_multiply, kn_ufunc_divide, kn_ufunc_power, kn_ufunc_maximum,
    kn_ufunc_minimum, kn_ufunc_bitwise_and, kn_ufunc_bitwise_or, kn_ufunc_bitwise_xor, kn_ufunc_floor_divide,
    kn_ufunc_remainder, kn_ufunc_fmod, kn_ufunc_float_power, kn_ufunc_fmax, kn_ufunc_fmin, kn_ufunc_arctan2,
    kn_ufunc_hypot, kn_ufunc_copysign, kn_ufunc_nextafter, kn_ufunc_heaviside, kn_ufunc_logaddexp,
    kn_ufunc_logaddexp2, kn_ufunc_gcd, kn_ufunc_lcm, kn_ufunc_left_shift, kn_ufunc_right_shift, kn_ufunc_equal,
    kn_ufunc_not_equal, kn_ufunc_less, kn_ufunc_less_equal, kn_ufunc_greater, kn_ufunc_greater_equal,
    kn_ufunc_logical_and, kn_ufunc_logical_or, kn_ufunc_logical_xor, kn_ufunc_ldexp, kn_ufunc_clip,
    kn_ufunc_negative, kn_ufunc_positive, kn_ufunc_absolute, kn_ufunc_sign, kn_ufunc_conjugate, kn_ufunc_square,
    kn_ufunc_reciprocal, kn_ufunc_invert, kn_ufunc_bitwise_count, kn_ufunc_logical_not, kn_ufunc_isnan,
    kn_ufunc_isinf, kn_ufunc_isfinite, kn_ufunc_signbit, kn_ufunc_spacing, kn_ufunc_degrees, kn_ufunc_rad2deg,
    kn_ufunc_radians, kn_ufunc_deg2rad, kn_ufunc_sin, kn_ufunc_cos, kn_ufunc_tan, kn_ufunc_arcsin,
    kn_ufunc_arccos, kn_ufunc_arctan, kn_ufunc_sinh, kn_ufunc_cosh, kn_ufunc_tanh, kn_ufunc_arcsinh,
    kn_ufunc_arccosh, kn_ufunc_arctanh, kn_ufunc_exp, kn_ufunc_exp2, kn_ufunc_expm1, kn_ufunc_log, kn_ufunc_log2,
    kn_ufunc_log10, kn_ufunc_log1p, kn_ufunc_sqrt, kn_ufunc_cbrt, kn_ufunc_fabs, kn_ufunc_rint, kn_ufunc_floor,
    kn_ufunc_ceil, kn_ufunc_trunc, kn_ufunc_modf, kn_ufunc_frexp, kn_ufunc_divmod, kn_ufunc_matmul, kn_ufunc_vecdot,
    kn_ufunc_matvec, kn_ufunc_vecmat,
    kn_ufunc_own_ = 4096
} kn_ufunc;
/* np.add.at and its kin: where indices repeat, again and again, each result converted to x's dtype. v is KN_NONE for
 * a ufunc of one argument: np.negative.at(x, i) */
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
#define kn_ifloordiv_at(x, v, index, ...)                                                                              \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_ifloordiv_at, x, v, index, __VA_ARGS__)
#define kn_imod_at(x, v, index, ...)                                                                                   \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_imod_at, x, v, index, __VA_ARGS__)
#define kn_ilshift_at(x, v, index, ...)                                                                                \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_ilshift_at, x, v, index, __VA_ARGS__)
#define kn_irshift_at(x, v, index, ...)                                                                                \
    KN_WRITE_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), kn_irshift_at, x, v, index, __VA_ARGS__)
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
#define kn_take(x, indices, ...) KN_F2O(kn_take, kn_take_opts, (), x, indices, __VA_ARGS__)
#define kn_take_along_axis(x, indices, ...) KN_F2O(kn_take_along_axis, kn_squeeze_opts, (), x, indices, __VA_ARGS__)
#define kn_choose(a, choices, ...) KN_H1O(kn_choose, kn_mode_opts, (), a, kn_list, choices, __VA_ARGS__)
#define kn_select(condlist, choicelist, ...)                                                                           \
    KN_G2O(kn_select, kn_select_opts, (), kn_list, condlist, kn_list, choicelist, __VA_ARGS__)
#define kn_nonzero(a) KN_F1(kn_nonzero, a)
#define kn_argwhere(a) KN_F1(kn_argwhere, a)
#define kn_flatnonzero(a) KN_F1(kn_flatnonzero, a)
#define kn_compress(condition, a, ...) KN_F2O(kn_compress, kn_squeeze_opts, (), condition, a, __VA_ARGS__)
#define kn_extract(condition, arr) KN_F2(kn_extract, condition, arr)
#define kn_ix_(list) KN_G1(kn_ix_, kn_list, list)
#define kn_ravel_multi_index(multi_index, dims, ...) KN_RAVEL_MULTI_INDEX_(__COUNTER__, multi_index, dims, __VA_ARGS__)
#define KN_RAVEL_MULTI_INDEX_(c, multi_index, dims, ...)                                                               \
    __extension__({ KN_TAKE(kn_list, 1, c, multi_index) KN_TAKE(kn_shape, 2, c, dims) KN_OPTS(c,                       \
    kn_ravel_multi_index_opts, (), __VA_ARGS__) KN_HERE(); (kn_ravel_multi_index)(KN_V(1, c), &KN_V(2, c),             \
    KN_V(opt, c)); })
#define kn_unravel_index(indices, shape, ...)                                                                          \
    KN_P1O(kn_unravel_index, kn_unravel_index_opts, (), indices, kn_shape, shape, __VA_ARGS__)
#define kn_indices(dimensions, ...) KN_INDICES_(__COUNTER__, dimensions, __VA_ARGS__)
#define KN_INDICES_(c, dimensions, ...)                                                                                \
    __extension__({ KN_TAKE(kn_shape, 1, c, dimensions) KN_OPTS(c, kn_indices_opts, (), __VA_ARGS__) KN_HERE();        \
    (kn_indices)(&KN_V(1, c), KN_V(opt, c)); })
#define kn_indices_sparse(dimensions, ...) KN_INDICES_SPARSE_(__COUNTER__, dimensions, __VA_ARGS__)
#define KN_INDICES_SPARSE_(c, dimensions, ...)                                                                         \
    __extension__({ KN_TAKE(kn_shape, 1, c, dimensions) KN_OPTS(c, kn_indices_opts, (), __VA_ARGS__) KN_HERE();        \
    (kn_indices_sparse)(&KN_V(1, c), KN_V(opt, c)); })
#define kn_diag_indices(n, ...) KN_G1O(kn_diag_indices, kn_diag_indices_opts, (.ndim = 2, ), int64_t, n, __VA_ARGS__)
#define kn_diag_indices_from(arr) KN_F1(kn_diag_indices_from, arr)
#define kn_tril_indices(n, ...) KN_G1O(kn_tril_indices, kn_tril_indices_opts, (.m = -1, ), int64_t, n, __VA_ARGS__)
#define kn_triu_indices(n, ...) KN_G1O(kn_triu_indices, kn_tril_indices_opts, (.m = -1, ), int64_t, n, __VA_ARGS__)
#define kn_tril_indices_from(arr, ...) KN_F1O(kn_tril_indices_from, kn_diag_opts, (), arr, __VA_ARGS__)
#define kn_triu_indices_from(arr, ...) KN_F1O(kn_triu_indices_from, kn_diag_opts, (), arr, __VA_ARGS__)
#define kn_mask_indices(n, mask_func, ...)                                                                             \
    KN_G2O(kn_mask_indices, kn_diag_opts, (), int64_t, n, kn_mask_func, mask_func, __VA_ARGS__)
#define kn_fill(x, v) KN_F2(kn_fill, x, v)
#define kn_copyto(to, from, ...) KN_F2O(kn_copyto, kn_copyto_opts, (.casting = "same_kind", ), to, from, __VA_ARGS__)
#define kn_put(a, ind, v, ...) KN_F3O(kn_put, kn_mode_opts, (), a, ind, v, __VA_ARGS__)
#define kn_putmask(a, mask, values) KN_F3(kn_putmask, a, mask, values)
#define kn_place_mask(arr, mask, vals) KN_F3(kn_place_mask, arr, mask, vals)
#define kn_put_along_axis(arr, indices, values, axis) KN_PUT_ALONG_AXIS_(__COUNTER__, arr, indices, values, axis)
#define KN_PUT_ALONG_AXIS_(c, arr, indices, values, axis)                                                              \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(arr); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array               \
    KN_V(3, c) = KN_LIKE(values); KN_TAKE(kn_axes, 4, c, axis) KN_HERE(); (kn_put_along_axis)(KN_V(1, c), KN_V(2, c),  \
    KN_V(3, c), &KN_V(4, c)); })
#define kn_fill_diagonal(a, val, ...) KN_F2O(kn_fill_diagonal, kn_fill_diagonal_opts, (), a, val, __VA_ARGS__)
#define kn_iadd(x, y) KN_F2(kn_iadd, x, y)
#define kn_isub(x, y) KN_F2(kn_isub, x, y)
#define kn_imul(x, y) KN_F2(kn_imul, x, y)
#define kn_idiv(x, y) KN_F2(kn_idiv, x, y)
#define kn_ipow(x, y) KN_F2(kn_ipow, x, y)
#define kn_iand(x, y) KN_F2(kn_iand, x, y)
#define kn_ior(x, y) KN_F2(kn_ior, x, y)
#define kn_ixor(x, y) KN_F2(kn_ixor, x, y)
#define kn_ifloordiv(x, y) KN_F2(kn_ifloordiv, x, y)
#define kn_imod(x, y) KN_F2(kn_imod, x, y)
#define kn_ilshift(x, y) KN_F2(kn_ilshift, x, y)
#define kn_irshift(x, y) KN_F2(kn_irshift, x, y)
#define kn_imatmul(x, y) KN_F2(kn_imatmul, x, y)
#endif
#endif
