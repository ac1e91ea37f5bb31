/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/reductions.h -- jax.lax: reductions, cumulative ones, scans by an associative function, sorting. */
/* Made by scripts/make-api.py from api/lax/reductions.api. */
/* clang-format off */
#ifndef KILN_LAX_REDUCTIONS_H
#define KILN_LAX_REDUCTIONS_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Over some axes, which the results do not have: kn_lax_reduce_sum(x, KN_AXIS(0, 1)). The dtype stays. Axes are
 * not negative: "reduction axes (-1,) contains out-of-bounds indices for float32[2,3].", ValueError. */
/* jax.lax.reduce_sum: the sum over these axes; numbers */
KN_API kn_array kn_lax_reduce_sum(kn_array x, const kn_axes *axes);
/* jax.lax.reduce_prod: the product over these axes; numbers */
KN_API kn_array kn_lax_reduce_prod(kn_array x, const kn_axes *axes);
/* jax.lax.reduce_max: the largest element over these axes; NaN if one is; -inf, or the smallest integer, of nothing */
KN_API kn_array kn_lax_reduce_max(kn_array x, const kn_axes *axes);
/* jax.lax.reduce_min: the smallest element over these axes; NaN if one is; inf, or the largest integer, of nothing */
KN_API kn_array kn_lax_reduce_min(kn_array x, const kn_axes *axes);
/* jax.lax.reduce_and: the bits that all elements over these axes have; of bool: are all true? integers, bool */
KN_API kn_array kn_lax_reduce_and(kn_array x, const kn_axes *axes);
/* jax.lax.reduce_or: the bits that any element over these axes has; of bool: is any true? integers, bool */
KN_API kn_array kn_lax_reduce_or(kn_array x, const kn_axes *axes);
/* jax.lax.reduce_xor: the bits that an odd number of elements over these axes have; integers, bool */
KN_API kn_array kn_lax_reduce_xor(kn_array x, const kn_axes *axes);
/* jax.lax.reduce: by an associative function of two scalars, of which init_value is the identity; both have the
 * dtype of x. A function that is one addition, product, maximum, ... of its arguments with the right identity is
 * that reduction. kn_lax_reduce(x, 0, KN_FN(add), KN_AXIS(0)); the function captures no arrays
 * (NotImplementedError). */
KN_API kn_array kn_lax_reduce(kn_array x, kn_array init_value, kn_fn computation, const kn_axes *dimensions);
/* The same for several arrays of one shape at once: the function takes one scalar of each array, then another of
 * each, in two arguments or 2 n, and returns n. */
KN_API kn_list kn_lax_reduce_list(kn_list operands, kn_list init_values, kn_fn computation, const kn_axes *dimensions);
/* jax.lax.argmax: where the largest element of an axis is, the first of them; NaN is the largest. index_dtype: an
 * integer dtype. */
KN_API kn_array kn_lax_argmax(kn_array x, int axis, kn_dtype index_dtype);
/* jax.lax.argmin: where the smallest element of an axis is, the first of them; NaN is the smallest. index_dtype: an
 * integer dtype. */
KN_API kn_array kn_lax_argmin(kn_array x, int axis, kn_dtype index_dtype);

/* ---- Cumulative, along an axis, 0, that is not negative ("XLA operations do not allow negative axes", ValueError);
 * .reverse: from its end. */
typedef struct kn_lax_cumulative_opts { size_t size_; kn_axes axis; bool reverse; } kn_lax_cumulative_opts;
KN_API kn_lax_cumulative_opts kn_lax_cumulative_opts_default(void);
/* jax.lax.cumsum: sums of the elements up to each one along an axis */
KN_API kn_array kn_lax_cumsum(kn_array x, const kn_lax_cumulative_opts *opts);
/* jax.lax.cumprod: products of the elements up to each one along an axis */
KN_API kn_array kn_lax_cumprod(kn_array x, const kn_lax_cumulative_opts *opts);
/* jax.lax.cummax: the largest of the elements up to each one along an axis; NaN from the first one on */
KN_API kn_array kn_lax_cummax(kn_array x, const kn_lax_cumulative_opts *opts);
/* jax.lax.cummin: the smallest of the elements up to each one along an axis; NaN from the first one on */
KN_API kn_array kn_lax_cummin(kn_array x, const kn_lax_cumulative_opts *opts);
/* jax.lax.cumlogsumexp: log of the sums of e^x up to each element along an axis, without overflow; floats */
KN_API kn_array kn_lax_cumlogsumexp(kn_array x, const kn_lax_cumulative_opts *opts);
/* jax.lax.associative_scan: kn_associative_scan(KN_FN(f), &out, &elems, .reverse = true). f takes two structs of
 * arrays like `elems` and returns one; it must be associative and works on many elements of the axis, 0, at once.
 * Element k of the result is f of the first k + 1 elements. All arrays have one extent there: ValueError. Returns 0,
 * or -1 with an error (then the outputs carry it). */
KN_API int kn_associative_scan(kn_fn fn, const kn_outs *outs, const kn_args *elems, const kn_lax_cumulative_opts *opts);

/* ---- Sorting, along an axis, the last. NaN is the largest, -0 equals 0. */
typedef struct kn_lax_sort_opts {
    size_t size_;
    kn_axes dimension;
    bool is_stable;    /* true: equal elements keep their order (true) */
    int num_keys;      /* 1: so many arrays are compared, one after the other (1) */
} kn_lax_sort_opts;
KN_API kn_lax_sort_opts kn_lax_sort_opts_default(void);
/* jax.lax.sort: the elements of an axis, the last unless .dimension says otherwise, from the smallest to the largest */
KN_API kn_array kn_lax_sort(kn_array x, const kn_lax_sort_opts *opts);
/* jax.lax.sort of several arrays of one shape, put into the order of the first .num_keys ones. */
KN_API kn_list kn_lax_sort_list(kn_list operands, const kn_lax_sort_opts *opts);
typedef struct kn_lax_sort_key_val_result { kn_array keys, values; } kn_lax_sort_key_val_result;
/* jax.lax.sort_key_val: the keys sorted, and the values in the order of the keys. */
KN_API kn_lax_sort_key_val_result kn_lax_sort_key_val(kn_array keys, kn_array values, const kn_lax_sort_opts *opts);
typedef struct kn_lax_top_k_opts { size_t size_; kn_axes axis; } kn_lax_top_k_opts; /* the last */
KN_API kn_lax_top_k_opts kn_lax_top_k_opts_default(void);
typedef struct kn_lax_top_k_result { kn_array values, indices; } kn_lax_top_k_result;
/* jax.lax.top_k: the k largest elements of an axis, largest first, and where they were (int32). */
KN_API kn_lax_top_k_result kn_lax_top_k(kn_array x, int64_t k, const kn_lax_top_k_opts *opts);
/* jax.lax.approx_max_k and approx_min_k, which are exact here: the k largest or smallest elements. */
KN_API kn_lax_top_k_result kn_lax_approx_max_k(kn_array x, int64_t k, const kn_lax_top_k_opts *opts);
/* jax.lax.approx_min_k: the k smallest elements of an axis, smallest first, and where they were; exact here */
KN_API kn_lax_top_k_result kn_lax_approx_min_k(kn_array x, int64_t k, const kn_lax_top_k_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_associative_scan(fn, out, elems, ...) KN_ASSOCIATIVE_SCAN_(__COUNTER__, fn, out, elems, __VA_ARGS__)
#define KN_ASSOCIATIVE_SCAN_(c, fn, out, elems, ...)                                                                   \
    __extension__({ kn_fn KN_V(fun, c) = (fn); __auto_type KN_V(res, c) = (out); KN_ARGS_OF_(c, elems)                 \
        KN_OPTS(c, kn_lax_cumulative_opts, (), __VA_ARGS__) KN_HERE();                                                 \
        (kn_associative_scan)(KN_V(fun, c), KN_OUTS_OF(KN_V(res, c)), &KN_V(arg, c), KN_V(opt, c)); })
#define kn_lax_reduce_sum(x, axes) KN_P1(kn_lax_reduce_sum, x, kn_axes, axes)
#define kn_lax_reduce_prod(x, axes) KN_P1(kn_lax_reduce_prod, x, kn_axes, axes)
#define kn_lax_reduce_max(x, axes) KN_P1(kn_lax_reduce_max, x, kn_axes, axes)
#define kn_lax_reduce_min(x, axes) KN_P1(kn_lax_reduce_min, x, kn_axes, axes)
#define kn_lax_reduce_and(x, axes) KN_P1(kn_lax_reduce_and, x, kn_axes, axes)
#define kn_lax_reduce_or(x, axes) KN_P1(kn_lax_reduce_or, x, kn_axes, axes)
#define kn_lax_reduce_xor(x, axes) KN_P1(kn_lax_reduce_xor, x, kn_axes, axes)
#define kn_lax_reduce(x, init_value, computation, dimensions)                                                          \
    KN_LAX_REDUCE_(__COUNTER__, x, init_value, computation, dimensions)
#define KN_LAX_REDUCE_(c, x, init_value, computation, dimensions)                                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(init_value);                       \
    KN_TAKE(kn_fn, 3, c, computation) KN_TAKE(kn_axes, 4, c, dimensions) KN_HERE(); (kn_lax_reduce)(KN_V(1, c),        \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_lax_reduce_list(operands, init_values, computation, dimensions)                                             \
    KN_LAX_REDUCE_LIST_(__COUNTER__, operands, init_values, computation, dimensions)
#define KN_LAX_REDUCE_LIST_(c, operands, init_values, computation, dimensions)                                         \
    __extension__({ KN_TAKE(kn_list, 1, c, operands) KN_TAKE(kn_list, 2, c, init_values)                               \
    KN_TAKE(kn_fn, 3, c, computation) KN_TAKE(kn_axes, 4, c, dimensions) KN_HERE(); (kn_lax_reduce_list)(KN_V(1, c),   \
    KN_V(2, c), KN_V(3, c), &KN_V(4, c)); })
#define kn_lax_argmax(x, axis, index_dtype) KN_H2(kn_lax_argmax, x, int, axis, kn_dtype, index_dtype)
#define kn_lax_argmin(x, axis, index_dtype) KN_H2(kn_lax_argmin, x, int, axis, kn_dtype, index_dtype)
#define kn_lax_cumsum(x, ...) KN_F1O(kn_lax_cumsum, kn_lax_cumulative_opts, (), x, __VA_ARGS__)
#define kn_lax_cumprod(x, ...) KN_F1O(kn_lax_cumprod, kn_lax_cumulative_opts, (), x, __VA_ARGS__)
#define kn_lax_cummax(x, ...) KN_F1O(kn_lax_cummax, kn_lax_cumulative_opts, (), x, __VA_ARGS__)
#define kn_lax_cummin(x, ...) KN_F1O(kn_lax_cummin, kn_lax_cumulative_opts, (), x, __VA_ARGS__)
#define kn_lax_cumlogsumexp(x, ...) KN_F1O(kn_lax_cumlogsumexp, kn_lax_cumulative_opts, (), x, __VA_ARGS__)
#define kn_lax_sort(x, ...) KN_F1O(kn_lax_sort, kn_lax_sort_opts, (.is_stable = true, .num_keys = 1, ), x, __VA_ARGS__)
#define kn_lax_sort_list(operands, ...)                                                                                \
    KN_G1O(kn_lax_sort_list, kn_lax_sort_opts, (.is_stable = true, .num_keys = 1, ), kn_list, operands, __VA_ARGS__)
#define kn_lax_sort_key_val(keys, values, ...)                                                                         \
    KN_F2O(kn_lax_sort_key_val, kn_lax_sort_opts, (.is_stable = true, .num_keys = 1, ), keys, values, __VA_ARGS__)
#define kn_lax_top_k(x, k, ...) KN_H1O(kn_lax_top_k, kn_lax_top_k_opts, (), x, int64_t, k, __VA_ARGS__)
#define kn_lax_approx_max_k(x, k, ...) KN_H1O(kn_lax_approx_max_k, kn_lax_top_k_opts, (), x, int64_t, k, __VA_ARGS__)
#define kn_lax_approx_min_k(x, k, ...) KN_H1O(kn_lax_approx_min_k, kn_lax_top_k_opts, (), x, int64_t, k, __VA_ARGS__)
#endif
#endif
