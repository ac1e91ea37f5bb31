/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy.h -- NumPy's functions, by chapter: one declaration and one line each.
 *
 * In C the macros of kiln/macros.h take numbers where arrays go, shapes and axes by value, and options by name:
 * `kn_sum(x, KN_AXIS(0), .keepdims = true)`. Here are the functions themselves: options are NULL or what
 * kn_X_opts_default() gives, changed. Options without a word below are NumPy's of the same name: `dtype` of the result,
 * `keepdims` leaves reduced axes with extent 1, `where` takes only these elements, `initial` joins the result. An array
 * option that is NULL, or a dtype that is NULL, is not given. Arrays of different dtypes are promoted as in NumPy 2,
 * shapes broadcast; an error is carried by the result. */
/* clang-format off */
#ifndef KILN_NUMPY_H
#define KILN_NUMPY_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_zeros_opts { size_t size_; kn_dtype dtype; } kn_zeros_opts;
typedef struct kn_linspace_opts { size_t size_; bool endpoint; kn_dtype dtype; } kn_linspace_opts; /* endpoint: true */
/* M: -1, as many columns as rows */
typedef struct kn_eye_opts { size_t size_; int64_t M; int64_t k; kn_dtype dtype; } kn_eye_opts;
/* casting: NULL, "unsafe"; copy: true */
typedef struct kn_astype_opts { size_t size_; const char *casting; bool copy; } kn_astype_opts;
typedef struct kn_copyto_opts { size_t size_; const char *casting; kn_array where; } kn_copyto_opts; /* "same_kind" */
/* 1e-5, 1e-8, false */
typedef struct kn_isclose_opts { size_t size_; double rtol, atol; bool equal_nan; } kn_isclose_opts;
typedef struct kn_array_equal_opts { size_t size_; bool equal_nan; } kn_array_equal_opts;
typedef struct kn_sum_opts {
    size_t size_; kn_axes axis; kn_dtype dtype; bool keepdims; kn_array initial; kn_array where;
} kn_sum_opts;
typedef struct kn_mean_opts { size_t size_; kn_axes axis; kn_dtype dtype; bool keepdims; kn_array where; } kn_mean_opts;
typedef struct kn_var_opts {
    size_t size_; kn_axes axis; kn_dtype dtype; double ddof; bool keepdims; kn_array where;
} kn_var_opts;
typedef struct kn_max_opts { size_t size_; kn_axes axis; bool keepdims; kn_array initial; kn_array where; } kn_max_opts;
typedef struct kn_any_opts { size_t size_; kn_axes axis; bool keepdims; kn_array where; } kn_any_opts;
typedef struct kn_argmax_opts { size_t size_; kn_axes axis; bool keepdims; } kn_argmax_opts;
typedef struct kn_transpose_opts { size_t size_; kn_axes axes; } kn_transpose_opts;
typedef struct kn_squeeze_opts { size_t size_; kn_axes axis; } kn_squeeze_opts;
typedef struct kn_concatenate_opts { size_t size_; kn_axes axis; kn_dtype dtype; } kn_concatenate_opts;
typedef struct kn_split_opts { size_t size_; kn_axes axis; } kn_split_opts;
/* mode: NULL, "raise", or "clip" */
typedef struct kn_take_opts { size_t size_; kn_axes axis; const char *mode; } kn_take_opts;
typedef struct kn_tensordot_opts { size_t size_; int axes; kn_axes a_axes, b_axes; } kn_tensordot_opts; /* axes: 2 */
typedef struct kn_sort_opts { size_t size_; kn_axes axis; bool stable; } kn_sort_opts; /* sorting is always stable */
KN_API kn_zeros_opts kn_zeros_opts_default(void);
KN_API kn_linspace_opts kn_linspace_opts_default(void);
KN_API kn_eye_opts kn_eye_opts_default(void);
KN_API kn_astype_opts kn_astype_opts_default(void);
KN_API kn_copyto_opts kn_copyto_opts_default(void);
KN_API kn_isclose_opts kn_isclose_opts_default(void);
KN_API kn_array_equal_opts kn_array_equal_opts_default(void);
KN_API kn_sum_opts kn_sum_opts_default(void);
KN_API kn_mean_opts kn_mean_opts_default(void);
KN_API kn_var_opts kn_var_opts_default(void);
KN_API kn_max_opts kn_max_opts_default(void);
KN_API kn_any_opts kn_any_opts_default(void);
KN_API kn_argmax_opts kn_argmax_opts_default(void);
KN_API kn_transpose_opts kn_transpose_opts_default(void);
KN_API kn_squeeze_opts kn_squeeze_opts_default(void);
KN_API kn_concatenate_opts kn_concatenate_opts_default(void);
KN_API kn_split_opts kn_split_opts_default(void);
KN_API kn_take_opts kn_take_opts_default(void);
KN_API kn_tensordot_opts kn_tensordot_opts_default(void);
KN_API kn_sort_opts kn_sort_opts_default(void);

/* ---- Creation. The dtype is the context's default float (float64) unless said otherwise. */
KN_API kn_array kn_zeros(const kn_shape *shape,
    const kn_zeros_opts *opts); /* np.zeros; MemoryError if it is too large */
KN_API kn_array kn_ones(const kn_shape *shape, const kn_zeros_opts *opts);  /* np.ones */
KN_API kn_array kn_empty(const kn_shape *shape, const kn_zeros_opts *opts); /* np.empty: zeros here */
KN_API kn_array kn_full(const kn_shape *shape, kn_array value,
    const kn_zeros_opts *opts); /* np.full; value's dtype unless given */
KN_API kn_array kn_zeros_like(kn_array x, const kn_zeros_opts *opts);       /* np.zeros_like */
KN_API kn_array kn_ones_like(kn_array x, const kn_zeros_opts *opts);        /* np.ones_like */
KN_API kn_array kn_empty_like(kn_array x, const kn_zeros_opts *opts);       /* np.empty_like: zeros here */
KN_API kn_array kn_full_like(kn_array x, kn_array value, const kn_zeros_opts *opts); /* np.full_like */
KN_API kn_array kn_arange(kn_array start, kn_array stop, kn_array step,
    const kn_zeros_opts *opts); /* np.arange; integers give int64 */
KN_API kn_array kn_linspace(kn_array start, kn_array stop, int64_t num,
    const kn_linspace_opts *opts); /* np.linspace, first axis */
KN_API kn_array kn_eye(int64_t n, const kn_eye_opts *opts);                 /* np.eye: ones on the diagonal k */
KN_API kn_array kn_identity(int64_t n, const kn_zeros_opts *opts);          /* np.identity */
KN_API kn_array kn_asarray(kn_array x,
    const kn_zeros_opts *opts); /* np.asarray: a number becomes a 0-d array; x itself where it has that dtype */
KN_API kn_array kn_copy(kn_array x);                                        /* np.copy */
KN_API kn_array kn_astype(kn_array x, kn_dtype dtype,
    const kn_astype_opts *opts); /* x.astype(dtype); TypeError by `casting` */
KN_API kn_array kn_shape_array(kn_array x);                                 /* np.array(x.shape): int64 */

/* ---- Elementwise, one argument. Integers become floats where the function is one of real numbers: 8 bits and bool
 * float16, 16 bits float32, wider ones float64. */
KN_API kn_array kn_negative(kn_array x);        /* np.negative; TypeError for bool */
KN_API kn_array kn_neg(kn_array x);             /* kn_negative */
KN_API kn_array kn_positive(kn_array x);        /* np.positive; TypeError for bool */
KN_API kn_array kn_absolute(kn_array x);        /* np.absolute; of complex numbers the modulus */
KN_API kn_array kn_abs(kn_array x);             /* kn_absolute */
KN_API kn_array kn_sign(kn_array x);            /* np.sign: -1, 0 or 1, NaN of NaN; complex x / |x| */
KN_API kn_array kn_square(kn_array x);          /* np.square */
KN_API kn_array kn_reciprocal(kn_array x);      /* np.reciprocal; of integers with truncation */
KN_API kn_array kn_sqrt(kn_array x);            /* np.sqrt */
KN_API kn_array kn_exp(kn_array x);             /* np.exp */
KN_API kn_array kn_log(kn_array x);             /* np.log */
KN_API kn_array kn_sin(kn_array x);             /* np.sin */
KN_API kn_array kn_cos(kn_array x);             /* np.cos */
KN_API kn_array kn_tanh(kn_array x);            /* np.tanh */
KN_API kn_array kn_special_expit(kn_array x);   /* scipy.special.expit: 1 / (1 + e^-x) */
KN_API kn_array kn_special_erfinv(kn_array x);  /* scipy.special.erfinv; TypeError for complex */
KN_API kn_array kn_real(kn_array x);            /* np.real: a view; of real numbers x itself */
KN_API kn_array kn_imag(kn_array x);            /* np.imag: a view; of real numbers zeros, read-only */
KN_API kn_array kn_conjugate(kn_array x);       /* np.conjugate */
KN_API kn_array kn_conj(kn_array x);            /* kn_conjugate */

/* ---- Elementwise, two or three arguments. ValueError if the shapes do not broadcast. */
KN_API kn_array kn_add(kn_array x, kn_array y);         /* np.add; bool: or */
KN_API kn_array kn_subtract(kn_array x, kn_array y);    /* np.subtract; TypeError for bool */
KN_API kn_array kn_sub(kn_array x, kn_array y);         /* kn_subtract */
KN_API kn_array kn_multiply(kn_array x, kn_array y);    /* np.multiply; bool: and */
KN_API kn_array kn_mul(kn_array x, kn_array y);         /* kn_multiply */
KN_API kn_array kn_divide(kn_array x, kn_array y);      /* np.divide: true division, integers give float64 */
KN_API kn_array kn_true_divide(kn_array x, kn_array y); /* kn_divide */
KN_API kn_array kn_div(kn_array x, kn_array y);         /* kn_divide */
KN_API kn_array kn_power(kn_array x, kn_array y); /* np.power; ValueError for integers to negative integer powers */
KN_API kn_array kn_maximum(kn_array x, kn_array y);     /* np.maximum; NaN if either is */
KN_API kn_array kn_minimum(kn_array x, kn_array y);     /* np.minimum */
KN_API kn_array kn_clip(kn_array x, kn_array lo, kn_array hi); /* np.clip; a bound may be KN_NONE */

/* ---- Comparisons and logic: results are bool. Integers compare exactly, whatever their dtypes. */
KN_API kn_array kn_equal(kn_array x, kn_array y);         /* np.equal */
KN_API kn_array kn_not_equal(kn_array x, kn_array y);     /* np.not_equal */
KN_API kn_array kn_less(kn_array x, kn_array y); /* np.less; complex numbers by real part, then imaginary part */
KN_API kn_array kn_less_equal(kn_array x, kn_array y);    /* np.less_equal */
KN_API kn_array kn_greater(kn_array x, kn_array y);       /* np.greater */
KN_API kn_array kn_greater_equal(kn_array x, kn_array y); /* np.greater_equal */
KN_API kn_array kn_isnan(kn_array x);                     /* np.isnan */
KN_API kn_array kn_isinf(kn_array x);                     /* np.isinf */
KN_API kn_array kn_isfinite(kn_array x);                  /* np.isfinite */
KN_API kn_array kn_logical_and(kn_array x, kn_array y);   /* np.logical_and of x != 0 and y != 0 */
KN_API kn_array kn_logical_or(kn_array x, kn_array y);    /* np.logical_or */
KN_API kn_array kn_logical_xor(kn_array x, kn_array y);   /* np.logical_xor */
KN_API kn_array kn_logical_not(kn_array x);               /* np.logical_not */
KN_API kn_array kn_bitwise_and(kn_array x, kn_array y);   /* np.bitwise_and of integers or bool; TypeError for others */
KN_API kn_array kn_bitwise_or(kn_array x, kn_array y);    /* np.bitwise_or */
KN_API kn_array kn_bitwise_xor(kn_array x, kn_array y);   /* np.bitwise_xor */
KN_API kn_array kn_bitwise_not(kn_array x);               /* np.bitwise_not */
KN_API kn_array kn_invert(kn_array x);                    /* kn_bitwise_not */
KN_API kn_array kn_where(kn_array condition, kn_array x, kn_array y); /* np.where with three arguments */
KN_API kn_array kn_isclose(kn_array a, kn_array b,
    const kn_isclose_opts *opts); /* np.isclose: |a - b| <= atol + rtol |b| */
KN_API bool kn_allclose(kn_array a, kn_array b, const kn_isclose_opts *opts); /* np.allclose; false for an error */
KN_API bool kn_array_equal(kn_array a, kn_array b,
    const kn_array_equal_opts *opts); /* np.array_equal; false for an error */

/* ---- Reductions: over all axes unless some are given. */
KN_API kn_array kn_sum(kn_array x, const kn_sum_opts *opts);    /* np.sum; small integers and bool add up in 64 bits */
KN_API kn_array kn_mean(kn_array x, const kn_mean_opts *opts);  /* np.mean; float16 in float32; integers give float64 */
KN_API kn_array kn_var(kn_array x, const kn_var_opts *opts);    /* np.var: mean of |x - mean|^2, divided by n - ddof */
KN_API kn_array kn_std(kn_array x, const kn_var_opts *opts);    /* np.std */
KN_API kn_array kn_max(kn_array x, const kn_max_opts *opts); /* np.max; ValueError for no elements without `initial` */
KN_API kn_array kn_min(kn_array x, const kn_max_opts *opts);    /* np.min */
KN_API kn_array kn_amax(kn_array x, const kn_max_opts *opts);   /* kn_max */
KN_API kn_array kn_amin(kn_array x, const kn_max_opts *opts);   /* kn_min */
KN_API kn_array kn_ptp(kn_array x, const kn_argmax_opts *opts); /* np.ptp: max - min */
KN_API kn_array kn_any(kn_array x, const kn_any_opts *opts);    /* np.any */
KN_API kn_array kn_all(kn_array x, const kn_any_opts *opts);    /* np.all */
KN_API kn_array kn_argmax(kn_array x,
    const kn_argmax_opts *opts); /* np.argmax: int64; the first NaN, else the first maximum */
KN_API kn_array kn_argmin(kn_array x, const kn_argmax_opts *opts); /* np.argmin */
KN_API kn_array kn_count_nonzero(kn_array x, const kn_argmax_opts *opts); /* np.count_nonzero: int64 */

/* ---- Shapes: views wherever NumPy's are. */
KN_API kn_array kn_reshape(kn_array x, const kn_shape *shape);          /* np.reshape; one extent may be -1 */
KN_API kn_array kn_ravel(kn_array x);                                   /* np.ravel: a view of a contiguous x */
KN_API kn_array kn_flatten(kn_array x);                                 /* x.flatten(): always a copy */
KN_API kn_array kn_transpose(kn_array x,
    const kn_transpose_opts *opts); /* np.transpose; reverses the axes unless they are given */
KN_API kn_array kn_swapaxes(kn_array x, int axis1, int axis2);          /* np.swapaxes */
KN_API kn_array kn_moveaxis(kn_array x, const kn_axes *source, const kn_axes *destination); /* np.moveaxis */
KN_API kn_array kn_expand_dims(kn_array x, const kn_axes *axis); /* np.expand_dims; axes are those of the result */
KN_API kn_array kn_squeeze(kn_array x, const kn_squeeze_opts *opts); /* np.squeeze; all axes of extent 1 unless given */
KN_API kn_array kn_broadcast_to(kn_array x, const kn_shape *shape);     /* np.broadcast_to: read-only */
KN_API kn_array kn_flip(kn_array x, const kn_squeeze_opts *opts);       /* np.flip; all axes unless given */

KN_API kn_array kn_view(kn_array x, kn_dtype dtype);   /* x.view(dtype): the same bytes; another size: last axis */
/* np.lib.stride_tricks.as_strided, strides in bytes; ValueError where they lead out of x's memory */
KN_API kn_array kn_as_strided(kn_array x, const kn_shape *shape, const kn_shape *strides);

/* ---- Joining and splitting. */
KN_API kn_array kn_concatenate(kn_list list,
    const kn_concatenate_opts *opts); /* np.concatenate; axis 0, KN_AXIS_NONE: flattened */
KN_API kn_array kn_stack(kn_list list, const kn_concatenate_opts *opts); /* np.stack; axis 0 */
KN_API kn_array kn_vstack(kn_list list);                                /* np.vstack */
KN_API kn_array kn_hstack(kn_list list);                                /* np.hstack */
KN_API kn_list kn_array_split(kn_array x, int64_t sections, const kn_split_opts *opts); /* np.array_split; axis 0 */
KN_API kn_list kn_split(kn_array x, int64_t sections, const kn_split_opts *opts); /* np.split; ValueError if unequal */
KN_API kn_array kn_tile(kn_array x, const kn_shape *reps);              /* np.tile */
KN_API kn_array kn_repeat(kn_array x, int64_t repeats,
    const kn_squeeze_opts *opts); /* np.repeat; flattened unless an axis is given */

/* ---- Indexing. Each % of an index takes the next argument. */
enum { KN_ARG_INT, KN_ARG_UINT, KN_ARG_BOOL, KN_ARG_DOUBLE, KN_ARG_ARRAY, KN_ARG_TEXT };
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
KN_API kn_array kn_trace(kn_array x);                   /* np.trace: sum of the diagonal of the first two axes */
KN_API kn_array kn_diagonal(kn_array x);                /* np.diagonal of the first two axes: read-only */

/* ---- Sorting: stable, NaN last. */
KN_API kn_array kn_sort(kn_array x, const kn_sort_opts *opts);    /* np.sort; last axis, KN_AXIS_NONE: flattened */
KN_API kn_array kn_argsort(kn_array x, const kn_sort_opts *opts); /* np.argsort: int64 */

/* ---- Text: printf of numbers, 0-d arrays and strings to standard output. */
typedef struct kn_printf_arg {
    int kind; int64_t integer; double number; kn_array array; const char *text;
} kn_printf_arg;
KN_API int kn_printf_args(const char *format, int n,
    const kn_printf_arg *args); /* characters written; -1 with a TypeError */

#ifdef __cplusplus
}
#endif
#endif
