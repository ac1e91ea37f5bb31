/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/iteration.h -- one element after the other: positions, flat iterators, iterators over operands that
 * broadcast, copies out as nested C arrays; what all chapters have in common is told in kiln/numpy.h.
 *
 * Iterators show memory: pointers are valid as those of kn_data are, and what is written through them is seen by
 * operations that are called later. So their operands have values; under a trace they are a ConcretizationError. */
/* Made by scripts/make-api.py from api/numpy/iteration.api. */
/* clang-format off */
#ifndef KILN_NUMPY_ITERATION_H
#define KILN_NUMPY_ITERATION_H
#include "kiln/numpy/creation.h"
#include "kiln/numpy/ufunc.h"
#include "kiln/print.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Handles of iterators. */
typedef struct kn_flatiter_s *kn_flatiter; /* x.flat */
typedef struct kn_broadcast_iter_s *kn_broadcast_iter; /* np.broadcast */
typedef struct kn_nditer_s *kn_nditer; /* np.nditer */
typedef struct kn_arrayterator_s *kn_arrayterator; /* np.lib.Arrayterator */

/* ---- Options. */
enum { KN_MAX_OPERANDS = 16, KN_MAX_NESTED = 8 };
typedef struct kn_nditer_opts {
    size_t size_;
    /* NumPy's words, with blanks between them: "external_loop buffered", "multi_index", "c_index", "f_index",
     * "common_dtype", "copy_if_overlap", "delay_bufalloc", "growinner", "ranged", "reduce_ok", "refs_ok",
     * "zerosize_ok" */
    const char *flags;
    /* of each operand, or of all if there is but one: "readonly", "readwrite" or "writeonly"; "allocate", "copy",
     * "updateifcopy", "contig", "no_broadcast", "arraymask", "writemasked", "virtual", "overlap_assume_elementwise";
     * "nbo", "aligned" and "no_subtype", which ask for what is so */
    const char *op_flags[KN_MAX_OPERANDS];
    kn_dtype op_dtypes[KN_MAX_OPERANDS];   /* as which dtype an operand is seen */
    const char *order;                     /* NULL, "K"; or "C", "F", "A" */
    const char *casting;                   /* NULL, "safe"; or "no", "equiv", "same_kind", "unsafe" */
    kn_axes op_axes[KN_MAX_OPERANDS];      /* which axis of an operand each axis of the iterator is; -1: none */
    const kn_shape *itershape;             /* -1: as the operands say */
    int64_t buffersize;                    /* elements; 0: 8192 */
} kn_nditer_opts;
KN_API kn_nditer_opts kn_nditer_opts_default(void);
typedef struct kn_arrayterator_opts {
    size_t size_;
    int64_t buf_size; /* elements of a block at most; 0: all */
} kn_arrayterator_opts;
KN_API kn_arrayterator_opts kn_arrayterator_opts_default(void);

/* ---- Positions. */
/* np.ndindex: the next position in C order: while (kn_ndindex(shape, &index)) with index.ndim = -1 at first; false
 * behind the last one */
KN_API bool kn_ndindex(const kn_shape *shape, kn_shape *index);
/* an axis counted from the start; -1 and an AxisError if there is none */
KN_API int kn_normalize_axis_index(int axis, int ndim);
/* axes counted from the start; ValueError for an axis that comes twice */
KN_API kn_axes kn_normalize_axis_tuple(const kn_axes *axis, int ndim, const char *argname, bool allow_duplicate);
typedef struct kn_byte_bounds_result { const void *low, *high; } kn_byte_bounds_result;
/* the first byte of the array, and the one behind its last one; both NULL for an error */
KN_API kn_byte_bounds_result kn_byte_bounds(kn_array a);

/* ---- Nested C arrays. */
/* x.tolist() of elements of that dtype, to which x may be cast by 'same_kind': for a vector (and a scalar) the
 * elements; for a matrix pointers to its rows, and so on: in C double **rows = kn_tolist(m, double). One block, of
 * the scope; NULL for an error */
KN_API void *kn_tolist_bytes(kn_array x, kn_dtype dtype);

/* ---- Flat iterators: each element in C order, whatever the array lies in. */
KN_API kn_flatiter kn_flat(kn_array x);             /* x.flat: an iterator over the elements of x */
/* next(x.flat): the address of an element, and on to the next; NULL at the end. In C kn_flatiter_next(it, float) */
KN_API const void *kn_flatiter_next_bytes(kn_flatiter it, kn_dtype dtype);
/* the address of an element and its position, and on to the next; NULL at the end. In C kn_ndenumerate(it, &index,
 * float) */
KN_API const void *kn_ndenumerate_bytes(kn_flatiter it, kn_shape *index, kn_dtype dtype);
KN_API kn_array kn_flatiter_base(kn_flatiter it);   /* the array that it goes over */
/* the index, in the flattened array, of the element that comes next */
KN_API int64_t kn_flatiter_index(kn_flatiter it);
KN_API kn_shape kn_flatiter_coords(kn_flatiter it); /* the position of the element that comes next */
KN_API kn_array kn_flatiter_copy(kn_flatiter it);   /* all elements, as a vector of its own */
/* x.flat[index], an array of its own; index as in kn_at: an integer, a slice, an array of integers or a mask */
KN_API kn_array kn_flatiter_at(kn_flatiter it, const char *index, int n, const kn_index_arg *args);
/* x.flat[index] = v, v again and again; 0 or -1 */
KN_API int kn_flatiter_set_at(kn_flatiter it, kn_array v, const char *index, int n, const kn_index_arg *args);

/* ---- Several operands, broadcast. */
/* np.broadcast as an iterator; kn_broadcast has its shape, size, ndim and numiter */
KN_API kn_broadcast_iter kn_broadcast_new(kn_list list);
/* the addresses of an element of each operand, and on to the next ones; NULL at the end */
KN_API const void *const *kn_broadcast_next(kn_broadcast_iter it);
KN_API int64_t kn_broadcast_index(kn_broadcast_iter it); /* the index of the elements that come next, in C order */
/* the flat iterator of an operand, with the position that it has now */
KN_API kn_flatiter kn_broadcast_iters(kn_broadcast_iter it, int i);
KN_API int kn_broadcast_reset(kn_broadcast_iter it);     /* back to the first elements; 0 or -1 */

/* ---- np.nditer: operands of any strides and dtypes, together, in the order in which they lie in memory.
 *
 * kn_nditer it = kn_nditer_new(KN_OPERANDS(x, y, KN_NONE), .flags = "external_loop"); for (;
 * !kn_nditer_finished(it); kn_nditer_iternext(it)) ... kn_nditer_data(it, 0, double), kn_nditer_stride(it, 0),
 * kn_nditer_inner_size(it) ... kn_array z = kn_nditer_operands(it, 2); */
/* np.nditer: an iterator over the operands together; an operand KN_NONE is allocated. ValueError, TypeError */
KN_API kn_nditer kn_nditer_new(int n, const kn_array *op, const kn_nditer_opts *opts);
typedef struct kn_nested_axes { int n; kn_axes axes[KN_MAX_NESTED]; } kn_nested_axes;
typedef struct kn_nested_iters_result { int n; kn_nditer iter[KN_MAX_NESTED]; } kn_nested_iters_result;
/* np.nested_iters: iterators inside each other, the outermost first: a step of one resets those inside of it;
 * op_axes and itershape are not for them */
KN_API kn_nested_iters_result kn_nested_iters(int n, const kn_array *op, const kn_nested_axes *axes,
    const kn_nditer_opts *opts);
/* on to the next element, or with external_loop the next elements; false at the end */
KN_API bool kn_nditer_iternext(kn_nditer it);
KN_API bool kn_nditer_finished(kn_nditer it); /* is it behind the last element? true for an error */
/* where an operand's element is now, or a buffered copy of it; NULL at the end. In C kn_nditer_data(it, 0, float) */
KN_API void *kn_nditer_data_bytes(kn_nditer it, int op, kn_dtype dtype);
/* with external_loop: how many elements there are from there; 1 without */
KN_API int64_t kn_nditer_inner_size(kn_nditer it);
/* with external_loop: the bytes from one to the next; 0 without */
KN_API int64_t kn_nditer_stride(kn_nditer it, int op);
KN_API kn_array kn_nditer_value(kn_nditer it, int op); /* it[op]: a copy of the element, or of the vector of elements */
KN_API int kn_nditer_reset(kn_nditer it);                                  /* back to the first element; 0 or -1 */
KN_API int kn_nditer_close(kn_nditer it); /* writes back what buffers and copies hold, and ends it; 0 or -1 */
KN_API kn_nditer kn_nditer_copy(kn_nditer it);                             /* another one at the same place */
/* takes an axis out: it stays at position 0 of it, and the caller goes along it; 0 or -1 */
KN_API int kn_nditer_remove_axis(kn_nditer it, int axis);
KN_API int kn_nditer_remove_multi_index(kn_nditer it); /* axes become one where that is possible; 0 or -1 */
KN_API int kn_nditer_enable_external_loop(kn_nditer it); /* as if "external_loop" had been among the flags; 0 or -1 */
KN_API int kn_nditer_ndim(kn_nditer it); /* how many axes it has, after those that could be joined were */
KN_API int kn_nditer_nop(kn_nditer it);                                    /* how many operands it has */
/* the shape of the operands when broadcast; with "multi_index" in the order of its axes */
KN_API kn_shape kn_nditer_shape(kn_nditer it);
KN_API int64_t kn_nditer_itersize(kn_nditer it);                           /* how many elements it goes over */
KN_API int64_t kn_nditer_iterindex(kn_nditer it); /* how many elements came before, in the order of the iteration */
KN_API int kn_nditer_set_iterindex(kn_nditer it, int64_t iterindex);       /* it.iterindex = iterindex; 0 or -1 */
KN_API int64_t kn_nditer_index(kn_nditer it); /* in C's or Fortran's order, as "c_index" and "f_index" say */
KN_API int kn_nditer_set_index(kn_nditer it, int64_t index);               /* it.index = index; 0 or -1 */
/* the position along each axis; "multi_index" is among the flags */
KN_API kn_shape kn_nditer_multi_index(kn_nditer it);
KN_API int kn_nditer_set_multi_index(kn_nditer it, const kn_shape *index); /* it.multi_index = index; 0 or -1 */
typedef struct kn_nditer_range { int64_t start, end; } kn_nditer_range;
KN_API kn_nditer_range kn_nditer_iterrange(kn_nditer it); /* from where to where it goes, as iterindex counts */
/* it.iterrange = start, end; 0 or -1; "ranged" is among the flags */
KN_API int kn_nditer_set_iterrange(kn_nditer it, int64_t start, int64_t end);
KN_API bool kn_nditer_has_index(kn_nditer it);            /* was "c_index" or "f_index" among the flags? */
KN_API bool kn_nditer_has_multi_index(kn_nditer it); /* was "multi_index" among the flags, and was it not removed? */
/* was "delay_bufalloc" among the flags, and was it not reset yet? */
KN_API bool kn_nditer_has_delayed_bufalloc(kn_nditer it);
KN_API kn_dtype kn_nditer_dtypes(kn_nditer it, int op);   /* as which dtype an operand is seen */
/* the array that was given, or the one that was allocated or copied for it */
KN_API kn_array kn_nditer_operands(kn_nditer it, int op);
KN_API kn_array kn_nditer_itviews(kn_nditer it, int op);  /* a view of it with the iterator's axes */

/* ---- np.lib.Arrayterator: an array as blocks. */
/* np.lib.Arrayterator: blocks of x, one after the other, for arrays that are too large to be worked on as one */
KN_API kn_arrayterator kn_arrayterator_new(kn_array x, const kn_arrayterator_opts *opts);
KN_API kn_array kn_arrayterator_next(kn_arrayterator it); /* a view of the next block, in C order; NULL at the end */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#include "kiln/numpy/indexing.h"
#define KN_NESTED(...) ((kn_nested_axes){KN_COUNT(__VA_ARGS__), {__VA_ARGS__}})
#define kn_nditer_new(operands, ...) KN_NDITER_NEW_(__COUNTER__, operands, __VA_ARGS__)
#define KN_NDITER_NEW_(c, operands, ...)                                                                               \
    __extension__({ const kn_operands KN_V(1, c) = (operands); KN_OPTS(c, kn_nditer_opts, (), __VA_ARGS__) KN_HERE();  \
        (kn_nditer_new)(KN_V(1, c).n, KN_V(1, c).v, KN_V(opt, c)); })
#define kn_nested_iters(operands, axes, ...) KN_NESTED_ITERS_(__COUNTER__, operands, axes, __VA_ARGS__)
#define KN_NESTED_ITERS_(c, operands, axes, ...)                                                                       \
    __extension__({ const kn_operands KN_V(1, c) = (operands); const kn_nested_axes KN_V(2, c) = axes;                 \
        KN_OPTS(c, kn_nditer_opts, (), __VA_ARGS__) KN_HERE();                                                         \
        (kn_nested_iters)(KN_V(1, c).n, KN_V(1, c).v, &KN_V(2, c), KN_V(opt, c)); })
#define kn_nditer_data(it, op, type)                                                                                   \
    ((type *)(kn_nditer_data_bytes)((it), (op), kn_dtype_builtin(KN_TYPE_ID((type *)0))))
#define kn_flatiter_next(it, type)                                                                                     \
    ((const type *)(kn_flatiter_next_bytes)((it), kn_dtype_builtin(KN_TYPE_ID((type *)0))))
#define kn_ndenumerate(it, index, type)                                                                                \
    ((const type *)(kn_ndenumerate_bytes)((it), (index), kn_dtype_builtin(KN_TYPE_ID((type *)0))))
#define kn_tolist(x, type) KN_TOLIST_(__COUNTER__, x, type)
#define KN_TOLIST_(c, x, type)                                                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_HERE();                                                       \
        (kn_tolist_bytes)(KN_V(1, c), kn_dtype_builtin(KN_TYPE_ID((type *)0))); })
#define kn_flatiter_at(it, index, ...) KN_FLATITER_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), it, index, __VA_ARGS__)
#define KN_FLATITER_AT_(c, count, it, index, ...)                                                                      \
    __extension__({ kn_flatiter KN_V(1, c) = (it); const char *const KN_V(idx, c) = (index); kn_index_arg              \
    KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_INDEX_PUT_, c, __VA_ARGS__) KN_HERE();                 \
    (kn_flatiter_at)(KN_V(1, c), KN_V(idx, c), KN_V(cnt, c), KN_V(vec, c)); })
#define kn_flatiter_set_at(it, v, index, ...)                                                                          \
    KN_FLATITER_SET_AT_(__COUNTER__, KN_COUNT(__VA_ARGS__), it, v, index, __VA_ARGS__)
#define KN_FLATITER_SET_AT_(c, count, it, v, index, ...)                                                               \
    __extension__({ kn_flatiter KN_V(1, c) = (it); kn_array KN_V(2, c) = KN_LIKE(v);                                   \
    const char *const KN_V(idx, c) = (index); kn_index_arg KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0;            \
    KN_EACH(KN_INDEX_PUT_, c, __VA_ARGS__) KN_HERE();                                                                  \
    (kn_flatiter_set_at)(KN_V(1, c), KN_V(2, c), KN_V(idx, c), KN_V(cnt, c), KN_V(vec, c)); })
#define kn_ndindex(shape, index) KN_NDINDEX_(__COUNTER__, shape, index)
#define KN_NDINDEX_(c, shape, index)                                                                                   \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_TAKE(kn_shape *, 2, c, index) KN_HERE();                         \
    (kn_ndindex)(&KN_V(1, c), KN_V(2, c)); })
#define kn_normalize_axis_index(axis, ndim) KN_G2(kn_normalize_axis_index, int, axis, int, ndim)
#define kn_normalize_axis_tuple(axis, ndim, argname, allow_duplicate)                                                  \
    KN_NORMALIZE_AXIS_TUPLE_(__COUNTER__, axis, ndim, argname, allow_duplicate)
#define KN_NORMALIZE_AXIS_TUPLE_(c, axis, ndim, argname, allow_duplicate)                                              \
    __extension__({ KN_TAKE(kn_axes, 1, c, axis) KN_TAKE(int, 2, c, ndim) KN_TAKE(const char *, 3, c, argname)         \
    KN_TAKE(bool, 4, c, allow_duplicate) KN_HERE(); (kn_normalize_axis_tuple)(&KN_V(1, c), KN_V(2, c), KN_V(3, c),     \
    KN_V(4, c)); })
#define kn_byte_bounds(a) KN_F1(kn_byte_bounds, a)
#define kn_flat(x) KN_F1(kn_flat, x)
#define kn_flatiter_base(it) KN_G1(kn_flatiter_base, kn_flatiter, it)
#define kn_flatiter_index(it) KN_G1(kn_flatiter_index, kn_flatiter, it)
#define kn_flatiter_coords(it) KN_G1(kn_flatiter_coords, kn_flatiter, it)
#define kn_flatiter_copy(it) KN_G1(kn_flatiter_copy, kn_flatiter, it)
#define kn_broadcast_new(list) KN_G1(kn_broadcast_new, kn_list, list)
#define kn_broadcast_next(it) KN_G1(kn_broadcast_next, kn_broadcast_iter, it)
#define kn_broadcast_index(it) KN_G1(kn_broadcast_index, kn_broadcast_iter, it)
#define kn_broadcast_iters(it, i) KN_G2(kn_broadcast_iters, kn_broadcast_iter, it, int, i)
#define kn_broadcast_reset(it) KN_G1(kn_broadcast_reset, kn_broadcast_iter, it)
#define kn_nditer_iternext(it) KN_G1(kn_nditer_iternext, kn_nditer, it)
#define kn_nditer_finished(it) KN_G1(kn_nditer_finished, kn_nditer, it)
#define kn_nditer_inner_size(it) KN_G1(kn_nditer_inner_size, kn_nditer, it)
#define kn_nditer_stride(it, op) KN_G2(kn_nditer_stride, kn_nditer, it, int, op)
#define kn_nditer_value(it, op) KN_G2(kn_nditer_value, kn_nditer, it, int, op)
#define kn_nditer_reset(it) KN_G1(kn_nditer_reset, kn_nditer, it)
#define kn_nditer_close(it) KN_G1(kn_nditer_close, kn_nditer, it)
#define kn_nditer_copy(it) KN_G1(kn_nditer_copy, kn_nditer, it)
#define kn_nditer_remove_axis(it, axis) KN_G2(kn_nditer_remove_axis, kn_nditer, it, int, axis)
#define kn_nditer_remove_multi_index(it) KN_G1(kn_nditer_remove_multi_index, kn_nditer, it)
#define kn_nditer_enable_external_loop(it) KN_G1(kn_nditer_enable_external_loop, kn_nditer, it)
#define kn_nditer_ndim(it) KN_G1(kn_nditer_ndim, kn_nditer, it)
#define kn_nditer_nop(it) KN_G1(kn_nditer_nop, kn_nditer, it)
#define kn_nditer_shape(it) KN_G1(kn_nditer_shape, kn_nditer, it)
#define kn_nditer_itersize(it) KN_G1(kn_nditer_itersize, kn_nditer, it)
#define kn_nditer_iterindex(it) KN_G1(kn_nditer_iterindex, kn_nditer, it)
#define kn_nditer_set_iterindex(it, iterindex) KN_G2(kn_nditer_set_iterindex, kn_nditer, it, int64_t, iterindex)
#define kn_nditer_index(it) KN_G1(kn_nditer_index, kn_nditer, it)
#define kn_nditer_set_index(it, index) KN_G2(kn_nditer_set_index, kn_nditer, it, int64_t, index)
#define kn_nditer_multi_index(it) KN_G1(kn_nditer_multi_index, kn_nditer, it)
#define kn_nditer_set_multi_index(it, index) KN_NDITER_SET_MULTI_INDEX_(__COUNTER__, it, index)
#define KN_NDITER_SET_MULTI_INDEX_(c, it, index)                                                                       \
    __extension__({ KN_TAKE(kn_nditer, 1, c, it) KN_TAKE(kn_shape, 2, c, index) KN_HERE();                             \
    (kn_nditer_set_multi_index)(KN_V(1, c), &KN_V(2, c)); })
#define kn_nditer_iterrange(it) KN_G1(kn_nditer_iterrange, kn_nditer, it)
#define kn_nditer_set_iterrange(it, start, end) KN_NDITER_SET_ITERRANGE_(__COUNTER__, it, start, end)
#define KN_NDITER_SET_ITERRANGE_(c, it, start, end)                                                                    \
    __extension__({ KN_TAKE(kn_nditer, 1, c, it) KN_TAKE(int64_t, 2, c, start) KN_TAKE(int64_t, 3, c, end) KN_HERE();  \
    (kn_nditer_set_iterrange)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_nditer_has_index(it) KN_G1(kn_nditer_has_index, kn_nditer, it)
#define kn_nditer_has_multi_index(it) KN_G1(kn_nditer_has_multi_index, kn_nditer, it)
#define kn_nditer_has_delayed_bufalloc(it) KN_G1(kn_nditer_has_delayed_bufalloc, kn_nditer, it)
#define kn_nditer_dtypes(it, op) KN_G2(kn_nditer_dtypes, kn_nditer, it, int, op)
#define kn_nditer_operands(it, op) KN_G2(kn_nditer_operands, kn_nditer, it, int, op)
#define kn_nditer_itviews(it, op) KN_G2(kn_nditer_itviews, kn_nditer, it, int, op)
#define kn_arrayterator_new(x, ...) KN_F1O(kn_arrayterator_new, kn_arrayterator_opts, (), x, __VA_ARGS__)
#define kn_arrayterator_next(it) KN_G1(kn_arrayterator_next, kn_arrayterator, it)
#endif
#endif
