/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/manipulation.h -- shapes, joining and splitting; what all chapters have in common is told in
 * kiln/numpy.h. */
/* Made by scripts/make-api.py from api/numpy/manipulation.api. */
/* clang-format off */
#ifndef KILN_NUMPY_MANIPULATION_H
#define KILN_NUMPY_MANIPULATION_H
#include "kiln/numpy/creation.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_reshape_opts {
    size_t size_;
    /* NULL, "C"; or "F", "A": "F": the first axis fastest; "A": "F" for arrays that lie so in memory */
    const char *order;
    int copy;          /* -1: only where the strides do not allow a view; 1: always; 0: never (ValueError) */
} kn_reshape_opts;
KN_API kn_reshape_opts kn_reshape_opts_default(void);
typedef struct kn_ravel_opts {
    size_t size_;
    const char *order; /* NULL, "C"; or "F", "A", "K": as kn_reshape_opts */
} kn_ravel_opts;
KN_API kn_ravel_opts kn_ravel_opts_default(void);
typedef struct kn_transpose_opts { size_t size_; kn_axes axes; } kn_transpose_opts;
KN_API kn_transpose_opts kn_transpose_opts_default(void);
typedef struct kn_squeeze_opts { size_t size_; kn_axes axis; } kn_squeeze_opts;
KN_API kn_squeeze_opts kn_squeeze_opts_default(void);
typedef struct kn_rollaxis_opts { size_t size_; int start; } kn_rollaxis_opts;
KN_API kn_rollaxis_opts kn_rollaxis_opts_default(void);
typedef struct kn_rot90_opts {
    size_t size_;
    int64_t k;    /* 1 */
    kn_axes axes; /* not given, (0, 1) */
} kn_rot90_opts;
KN_API kn_rot90_opts kn_rot90_opts_default(void);
typedef struct kn_concatenate_opts {
    size_t size_;
    kn_axes axis;
    kn_dtype dtype;
    const char *casting; /* NULL, "same_kind"; or "no", "equiv", "safe", "unsafe" */
} kn_concatenate_opts;
KN_API kn_concatenate_opts kn_concatenate_opts_default(void);
typedef struct kn_vstack_opts {
    size_t size_;
    kn_dtype dtype;
    const char *casting; /* NULL, "same_kind"; or "no", "equiv", "safe", "unsafe" */
} kn_vstack_opts;
KN_API kn_vstack_opts kn_vstack_opts_default(void);
typedef struct kn_split_opts { size_t size_; kn_axes axis; } kn_split_opts;
KN_API kn_split_opts kn_split_opts_default(void);
typedef struct kn_trim_zeros_opts {
    size_t size_;
    kn_axes axis;     /* all unless given */
    const char *trim; /* NULL, "fb"; or "f", "b" */
} kn_trim_zeros_opts;
KN_API kn_trim_zeros_opts kn_trim_zeros_opts_default(void);
typedef struct kn_pad_opts {
    size_t size_;
    /* NULL, "constant"; or "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric",
     * "wrap", "empty" */
    const char *mode;
    kn_array constant_values; /* NULL, 0 */
    kn_array end_values;      /* NULL, 0 */
    kn_array stat_length;     /* NULL, the whole axis */
    const char *reflect_type; /* NULL, "even"; or "odd" */
} kn_pad_opts;
KN_API kn_pad_opts kn_pad_opts_default(void);
/* Further results go where the pointers lead, if they are given: an array is put there. */
typedef struct kn_unique_opts {
    size_t size_;
    kn_axes axis;
    kn_array *return_index;
    kn_array *return_inverse;
    kn_array *return_counts;
    bool equal_nan;           /* true */
    bool sorted;              /* true */
} kn_unique_opts;
KN_API kn_unique_opts kn_unique_opts_default(void);
typedef struct kn_require_opts {
    size_t size_;
    kn_dtype dtype;
    /* letters of "C" (contiguous), "F" (Fortran-contiguous), "A" (aligned), "W" (writeable), "O" (owns its data),
     * "E" (is a plain array) */
    const char *requirements;
} kn_require_opts;
KN_API kn_require_opts kn_require_opts_default(void);
typedef struct kn_as_strided_opts { size_t size_; bool writeable; } kn_as_strided_opts; /* true */
KN_API kn_as_strided_opts kn_as_strided_opts_default(void);
typedef struct kn_sliding_window_view_opts {
    size_t size_;
    kn_axes axis;   /* which axes the windows slide along; all unless given */
    bool writeable;
} kn_sliding_window_view_opts;
KN_API kn_sliding_window_view_opts kn_sliding_window_view_opts_default(void);
typedef struct kn_resize_in_place_opts {
    size_t size_;
    bool refcheck; /* true: ValueError while other arrays show its memory */
} kn_resize_in_place_opts;
KN_API kn_resize_in_place_opts kn_resize_in_place_opts_default(void);
typedef struct kn_byteswap_opts { size_t size_; bool inplace; } kn_byteswap_opts;
KN_API kn_byteswap_opts kn_byteswap_opts_default(void);
typedef struct kn_getfield_opts { size_t size_; int64_t offset; } kn_getfield_opts;
KN_API kn_getfield_opts kn_getfield_opts_default(void);
typedef struct kn_isin_opts { size_t size_; bool assume_unique; bool invert; } kn_isin_opts;
KN_API kn_isin_opts kn_isin_opts_default(void);
typedef struct kn_intersect1d_opts {
    size_t size_;
    bool assume_unique;
    /* if given, the positions of the common elements in the flattened ar1 and ar2 are put there */
    kn_array *return_indices[2];
} kn_intersect1d_opts;
KN_API kn_intersect1d_opts kn_intersect1d_opts_default(void);
typedef struct kn_setdiff1d_opts { size_t size_; bool assume_unique; } kn_setdiff1d_opts;
KN_API kn_setdiff1d_opts kn_setdiff1d_opts_default(void);

/* ---- Shapes: views wherever NumPy's are. */
/* np.reshape: the same elements in another shape, in C order unless .order says otherwise; one extent may be -1 */
KN_API kn_array kn_reshape(kn_array x, const kn_shape *shape, const kn_reshape_opts *opts);
/* np.ravel: the elements as a vector; a view of a contiguous x */
KN_API kn_array kn_ravel(kn_array x, const kn_ravel_opts *opts);
KN_API kn_array kn_flatten(kn_array x, const kn_ravel_opts *opts);          /* x.flatten(): always a copy */
/* np.transpose: reverses the axes unless they are given */
KN_API kn_array kn_transpose(kn_array x, const kn_transpose_opts *opts);
KN_API kn_array kn_permute_dims(kn_array x, const kn_transpose_opts *opts); /* kn_transpose */
KN_API kn_array kn_matrix_transpose(kn_array x); /* np.matrix_transpose: a view with the last two axes exchanged */
KN_API kn_array kn_swapaxes(kn_array x, int axis1, int axis2); /* np.swapaxes: a view with two axes exchanged */
/* np.moveaxis: a view, in which the axes `source` are at `destination`; the other axes keep their order */
KN_API kn_array kn_moveaxis(kn_array x, const kn_axes *source, const kn_axes *destination);
/* np.rollaxis: a view; the axis goes before axis `start` */
KN_API kn_array kn_rollaxis(kn_array x, int axis, const kn_rollaxis_opts *opts);
/* np.expand_dims: a view with new axes of extent 1; axes are those of the result */
KN_API kn_array kn_expand_dims(kn_array x, const kn_axes *axis);
/* np.squeeze: a view without axes of extent 1: all of them unless some are given. ValueError for an axis of another
 * extent */
KN_API kn_array kn_squeeze(kn_array x, const kn_squeeze_opts *opts);
KN_API kn_array kn_atleast_1d(kn_array x); /* np.atleast_1d: a number becomes a vector of one element */
KN_API kn_array kn_atleast_2d(kn_array x);                                  /* np.atleast_2d: new axes in front */
KN_API kn_array kn_atleast_3d(kn_array x); /* np.atleast_3d: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1) */
/* np.broadcast_to: a read-only view of x in that shape, whose new or longer axes repeat it. ValueError where x does
 * not fit */
KN_API kn_array kn_broadcast_to(kn_array x, const kn_shape *shape);
/* np.broadcast_arrays: read-only views of the arrays in their common shape; ValueError if they do not fit */
KN_API kn_list kn_broadcast_arrays(kn_list list);
/* np.broadcast_shapes: the shape that operands of these shapes have together; ndim -1 for an error */
KN_API kn_shape kn_broadcast_shapes(int n, const kn_shape *shapes);
typedef struct kn_broadcast_result { kn_shape shape; int64_t size; int ndim, numiter; } kn_broadcast_result;
/* np.broadcast: the shape, size, ndim and number of arrays when broadcast, as facts; numiter -1 for an error. The
 * iterator is kn_broadcast_new */
KN_API kn_broadcast_result kn_broadcast(kn_list list);

/* ---- Elements in another order. */
/* np.flip: a view: the elements the other way round along axes, all unless some are given */
KN_API kn_array kn_flip(kn_array x, const kn_squeeze_opts *opts);
KN_API kn_array kn_fliplr(kn_array x);               /* np.fliplr: kn_flip along the second axis */
KN_API kn_array kn_flipud(kn_array x);               /* np.flipud: kn_flip along the first axis */
/* np.rot90: a view, turned by .k quarter turns, from the first of the axes towards the second */
KN_API kn_array kn_rot90(kn_array x, const kn_rot90_opts *opts);
/* np.roll: a copy, moved by shift positions; what leaves at one end comes in at the other; flattened unless axes are
 * given; looks at shift: one, or one an axis */
KN_API kn_array kn_roll(kn_array x, kn_array shift, const kn_squeeze_opts *opts);
KN_API kn_array kn_view(kn_array x, kn_dtype dtype); /* x.view(dtype): the same bytes; another size: last axis */
/* np.lib.stride_tricks.as_strided: a view of any shape and strides, in bytes; ValueError where they lead out of x's
 * memory */
KN_API kn_array kn_as_strided(kn_array x, const kn_shape *shape, const kn_shape *strides,
    const kn_as_strided_opts *opts);
/* np.lib.stride_tricks.sliding_window_view: a view of all windows of that shape; their axes are the last ones of the
 * result. Read-only unless .writeable */
KN_API kn_array kn_sliding_window_view(kn_array x, const kn_shape *window_shape,
    const kn_sliding_window_view_opts *opts);

/* ---- The array itself, and its bytes. 0, or -1 with an error. */
/* x.resize(shape): zeros behind its elements, or fewer of them; ValueError unless it has its data alone */
KN_API int kn_resize_in_place(kn_array x, const kn_shape *shape, const kn_resize_in_place_opts *opts);
/* the bytes of each element the other way round */
KN_API kn_array kn_byteswap(kn_array x, const kn_byteswap_opts *opts);
/* a view of a part of each element's bytes, from .offset on */
KN_API kn_array kn_getfield(kn_array x, kn_dtype dtype, const kn_getfield_opts *opts);
/* x.getfield(dtype, offset)[...] = v */
KN_API int kn_setfield(kn_array x, kn_array v, kn_dtype dtype, const kn_getfield_opts *opts);
KN_API bool kn_contains(kn_array x, kn_array value); /* value in x: is any element equal? */
KN_API int64_t kn_as_index(kn_array x); /* the number x as an index: TypeError unless it is an integer scalar */

/* ---- Kinds of arrays. */
/* np.require: the same array as .requirements and .dtype ask for it, a copy of x where it is not so; ValueError for
 * other letters */
KN_API kn_array kn_require(kn_array x, const kn_require_opts *opts);
/* np.asfortranarray: the same array with the first axis fastest in memory, a copy of x where it is not */
KN_API kn_array kn_asfortranarray(kn_array x, const kn_zeros_opts *opts);

/* ---- Joining. */
/* np.concatenate: arrays one behind the other along axis 0, or another; KN_AXIS_NONE: flattened. ValueError unless
 * all other extents are equal */
KN_API kn_array kn_concatenate(kn_list list, const kn_concatenate_opts *opts);
KN_API kn_array kn_concat(kn_list list, const kn_concatenate_opts *opts); /* kn_concatenate */
/* np.stack: arrays of one shape side by side, along a new axis: 0, or another */
KN_API kn_array kn_stack(kn_list list, const kn_concatenate_opts *opts);
/* np.vstack: along the first axis; vectors are rows */
KN_API kn_array kn_vstack(kn_list list, const kn_vstack_opts *opts);
/* np.hstack: along the second axis, or the only one of vectors */
KN_API kn_array kn_hstack(kn_list list, const kn_vstack_opts *opts);
KN_API kn_array kn_dstack(kn_list list);                                  /* np.dstack: along the third axis */
KN_API kn_array kn_column_stack(kn_list list);                            /* np.column_stack: vectors as columns */
/* np.block: one list is joined along the last axis; several are the rows of a matrix of blocks */
KN_API kn_array kn_block(int n, const kn_list *rows);

/* ---- Splitting: parts are views. */
/* np.array_split: the parts along axis 0, or another. indices_or_sections, which is looked at: a number of parts, or
 * the positions of the cuts */
KN_API kn_list kn_array_split(kn_array x, kn_array indices_or_sections, const kn_split_opts *opts);
/* np.split: as kn_array_split. ValueError if the parts are unequal */
KN_API kn_list kn_split(kn_array x, kn_array indices_or_sections, const kn_split_opts *opts);
/* np.hsplit: kn_split along the second axis, or the only one */
KN_API kn_list kn_hsplit(kn_array x, kn_array indices_or_sections);
/* np.vsplit: kn_split along the first axis of two or more */
KN_API kn_list kn_vsplit(kn_array x, kn_array indices_or_sections);
KN_API kn_list kn_dsplit(kn_array x, kn_array indices_or_sections); /* np.dsplit: kn_split along the third axis */
/* np.unstack: the parts x[0], x[1], ... along axis 0, or another, without that axis */
KN_API kn_list kn_unstack(kn_array x, const kn_split_opts *opts);

/* ---- Repeating. */
/* np.tile: the array x again and again: reps[i] times along axis i */
KN_API kn_array kn_tile(kn_array x, const kn_shape *reps);
/* np.repeat: each element so many times; flattened unless an axis is given; looks at repeats: one or many */
KN_API kn_array kn_repeat(kn_array x, kn_array repeats, const kn_squeeze_opts *opts);

/* ---- Adding and taking away. Positions (obj) are integers or a mask, and are looked at. */
/* np.append: the array x with values behind it; both flattened unless an axis is given */
KN_API kn_array kn_append(kn_array x, kn_array values, const kn_squeeze_opts *opts);
/* np.delete: the array x without what stands at these positions. IndexError if out of bounds; flattened unless an
 * axis is given */
KN_API kn_array kn_delete(kn_array x, kn_array obj, const kn_squeeze_opts *opts);
/* np.insert: the array x with values put in before these positions of it; flattened unless an axis is given */
KN_API kn_array kn_insert(kn_array x, kn_array obj, kn_array values, const kn_squeeze_opts *opts);
/* np.resize: the elements of x again and again, until the shape is full; kn_resize_in_place fills with zeros */
KN_API kn_array kn_resize(kn_array x, const kn_shape *new_shape);
/* np.trim_zeros: a view without the zeros at the ends; looks at x */
KN_API kn_array kn_trim_zeros(kn_array x, const kn_trim_zeros_opts *opts);
/* np.pad: the array x with so many elements around it: pad_width, which is looked at, is n, {before, after} or one
 * such pair an axis. Modes: constant, edge, linear_ramp, maximum, mean, median, minimum, reflect, symmetric, wrap,
 * empty (zeros here) */
KN_API kn_array kn_pad(kn_array x, kn_array pad_width, const kn_pad_opts *opts);

/* ---- Unique elements. Their number depends on the values, which are looked at: ConcretizationError under jit. */
/* np.unique: each element once, ascending; of the flattened x unless an axis is given */
KN_API kn_array kn_unique(kn_array x, const kn_unique_opts *opts);
typedef struct kn_unique_all_result { kn_array values, indices, inverse_indices, counts; } kn_unique_all_result;
typedef struct kn_unique_counts_result { kn_array values, counts; } kn_unique_counts_result;
typedef struct kn_unique_inverse_result { kn_array values, inverse_indices; } kn_unique_inverse_result;
/* np.unique_all and its kin: of the flattened x; each NaN is another value */
KN_API kn_unique_all_result kn_unique_all(kn_array x);
/* np.unique_counts: values and how often each is there; each NaN is another value */
KN_API kn_unique_counts_result kn_unique_counts(kn_array x);
KN_API kn_unique_inverse_result kn_unique_inverse(kn_array x); /* np.unique_inverse: values[inverse_indices] is x */
KN_API kn_array kn_unique_values(kn_array x);                  /* np.unique_values: each element once, ascending here */

/* ---- Sets: sorted vectors of unique elements; all but isin look at values. */
/* np.isin: for each element, is it among the others? */
KN_API kn_array kn_isin(kn_array element, kn_array test_elements, const kn_isin_opts *opts);
KN_API kn_array kn_union1d(kn_array ar1, kn_array ar2); /* np.union1d: what is in one of them, ascending */
/* np.intersect1d: what is in both, ascending */
KN_API kn_array kn_intersect1d(kn_array ar1, kn_array ar2, const kn_intersect1d_opts *opts);
/* np.setdiff1d: what is in ar1 and not in ar2, ascending */
KN_API kn_array kn_setdiff1d(kn_array ar1, kn_array ar2, const kn_setdiff1d_opts *opts);
/* np.setxor1d: what is in just one of them, ascending */
KN_API kn_array kn_setxor1d(kn_array ar1, kn_array ar2, const kn_setdiff1d_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* of shapes, as arguments: kn_broadcast_shapes(KN_SHAPE(2, 1), KN_SHAPE(3)) */
#define kn_broadcast_shapes(...) KN_BROADCAST_SHAPES_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_BROADCAST_SHAPES_(c, count, ...)                                                                            \
    __extension__({ kn_shape KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_ITEM_PUT_, c, __VA_ARGS__)    \
    KN_HERE(); (kn_broadcast_shapes)(KN_V(cnt, c), KN_V(vec, c)); })
#define kn_block(...) KN_BLOCK_(__COUNTER__, KN_COUNT(__VA_ARGS__), __VA_ARGS__)
#define KN_BLOCK_(c, count, ...)                                                                                       \
    __extension__({ kn_list KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0; KN_EACH(KN_ITEM_PUT_, c, __VA_ARGS__)     \
    KN_HERE(); (kn_block)(KN_V(cnt, c), KN_V(vec, c)); })
#define kn_reshape(x, shape, ...) KN_P1O(kn_reshape, kn_reshape_opts, (.copy = -1, ), x, kn_shape, shape, __VA_ARGS__)
#define kn_ravel(x, ...) KN_F1O(kn_ravel, kn_ravel_opts, (), x, __VA_ARGS__)
#define kn_flatten(x, ...) KN_F1O(kn_flatten, kn_ravel_opts, (), x, __VA_ARGS__)
#define kn_transpose(x, ...) KN_F1O(kn_transpose, kn_transpose_opts, (), x, __VA_ARGS__)
#define kn_permute_dims(x, ...) KN_F1O(kn_permute_dims, kn_transpose_opts, (), x, __VA_ARGS__)
#define kn_matrix_transpose(x) KN_F1(kn_matrix_transpose, x)
#define kn_swapaxes(x, axis1, axis2) KN_H2(kn_swapaxes, x, int, axis1, int, axis2)
#define kn_moveaxis(x, source, destination) KN_P2(kn_moveaxis, x, kn_axes, source, kn_axes, destination)
#define kn_rollaxis(x, axis, ...) KN_H1O(kn_rollaxis, kn_rollaxis_opts, (), x, int, axis, __VA_ARGS__)
#define kn_expand_dims(x, axis) KN_P1(kn_expand_dims, x, kn_axes, axis)
#define kn_squeeze(x, ...) KN_F1O(kn_squeeze, kn_squeeze_opts, (), x, __VA_ARGS__)
#define kn_atleast_1d(x) KN_F1(kn_atleast_1d, x)
#define kn_atleast_2d(x) KN_F1(kn_atleast_2d, x)
#define kn_atleast_3d(x) KN_F1(kn_atleast_3d, x)
#define kn_broadcast_to(x, shape) KN_P1(kn_broadcast_to, x, kn_shape, shape)
#define kn_broadcast_arrays(list) KN_G1(kn_broadcast_arrays, kn_list, list)
#define kn_broadcast(list) KN_G1(kn_broadcast, kn_list, list)
#define kn_flip(x, ...) KN_F1O(kn_flip, kn_squeeze_opts, (), x, __VA_ARGS__)
#define kn_fliplr(x) KN_F1(kn_fliplr, x)
#define kn_flipud(x) KN_F1(kn_flipud, x)
#define kn_rot90(x, ...) KN_F1O(kn_rot90, kn_rot90_opts, (.k = 1, ), x, __VA_ARGS__)
#define kn_roll(x, shift, ...) KN_F2O(kn_roll, kn_squeeze_opts, (), x, shift, __VA_ARGS__)
#define kn_view(x, dtype) KN_H1(kn_view, x, kn_dtype, dtype)
#define kn_as_strided(x, shape, strides, ...) KN_AS_STRIDED_(__COUNTER__, x, shape, strides, __VA_ARGS__)
#define KN_AS_STRIDED_(c, x, shape, strides, ...)                                                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(kn_shape, 2, c, shape) KN_TAKE(kn_shape, 3, c, strides)  \
    KN_OPTS(c, kn_as_strided_opts, (.writeable = true, ), __VA_ARGS__) KN_HERE(); (kn_as_strided)(KN_V(1, c),          \
    &KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_sliding_window_view(x, window_shape, ...)                                                                   \
    KN_P1O(kn_sliding_window_view, kn_sliding_window_view_opts, (), x, kn_shape, window_shape, __VA_ARGS__)
#define kn_resize_in_place(x, shape, ...)                                                                              \
    KN_P1O(kn_resize_in_place, kn_resize_in_place_opts, (.refcheck = true, ), x, kn_shape, shape, __VA_ARGS__)
#define kn_byteswap(x, ...) KN_F1O(kn_byteswap, kn_byteswap_opts, (), x, __VA_ARGS__)
#define kn_getfield(x, dtype, ...) KN_H1O(kn_getfield, kn_getfield_opts, (), x, kn_dtype, dtype, __VA_ARGS__)
#define kn_setfield(x, v, dtype, ...) KN_SETFIELD_(__COUNTER__, x, v, dtype, __VA_ARGS__)
#define KN_SETFIELD_(c, x, v, dtype, ...)                                                                              \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(v); KN_TAKE(kn_dtype, 3, c, dtype) \
    KN_OPTS(c, kn_getfield_opts, (), __VA_ARGS__) KN_HERE(); (kn_setfield)(KN_V(1, c), KN_V(2, c), KN_V(3, c),         \
    KN_V(opt, c)); })
#define kn_contains(x, value) KN_F2(kn_contains, x, value)
#define kn_as_index(x) KN_F1(kn_as_index, x)
#define kn_require(x, ...) KN_F1O(kn_require, kn_require_opts, (), x, __VA_ARGS__)
#define kn_asfortranarray(x, ...) KN_F1O(kn_asfortranarray, kn_zeros_opts, (), x, __VA_ARGS__)
#define kn_concatenate(list, ...) KN_G1O(kn_concatenate, kn_concatenate_opts, (), kn_list, list, __VA_ARGS__)
#define kn_concat(list, ...) KN_G1O(kn_concat, kn_concatenate_opts, (), kn_list, list, __VA_ARGS__)
#define kn_stack(list, ...) KN_G1O(kn_stack, kn_concatenate_opts, (), kn_list, list, __VA_ARGS__)
#define kn_vstack(list, ...) KN_G1O(kn_vstack, kn_vstack_opts, (), kn_list, list, __VA_ARGS__)
#define kn_hstack(list, ...) KN_G1O(kn_hstack, kn_vstack_opts, (), kn_list, list, __VA_ARGS__)
#define kn_dstack(list) KN_G1(kn_dstack, kn_list, list)
#define kn_column_stack(list) KN_G1(kn_column_stack, kn_list, list)
#define kn_array_split(x, indices_or_sections, ...)                                                                    \
    KN_F2O(kn_array_split, kn_split_opts, (), x, indices_or_sections, __VA_ARGS__)
#define kn_split(x, indices_or_sections, ...) KN_F2O(kn_split, kn_split_opts, (), x, indices_or_sections, __VA_ARGS__)
#define kn_hsplit(x, indices_or_sections) KN_F2(kn_hsplit, x, indices_or_sections)
#define kn_vsplit(x, indices_or_sections) KN_F2(kn_vsplit, x, indices_or_sections)
#define kn_dsplit(x, indices_or_sections) KN_F2(kn_dsplit, x, indices_or_sections)
#define kn_unstack(x, ...) KN_F1O(kn_unstack, kn_split_opts, (), x, __VA_ARGS__)
#define kn_tile(x, reps) KN_P1(kn_tile, x, kn_shape, reps)
#define kn_repeat(x, repeats, ...) KN_F2O(kn_repeat, kn_squeeze_opts, (), x, repeats, __VA_ARGS__)
#define kn_append(x, values, ...) KN_F2O(kn_append, kn_squeeze_opts, (), x, values, __VA_ARGS__)
#define kn_delete(x, obj, ...) KN_F2O(kn_delete, kn_squeeze_opts, (), x, obj, __VA_ARGS__)
#define kn_insert(x, obj, values, ...) KN_F3O(kn_insert, kn_squeeze_opts, (), x, obj, values, __VA_ARGS__)
#define kn_resize(x, new_shape) KN_P1(kn_resize, x, kn_shape, new_shape)
#define kn_trim_zeros(x, ...) KN_F1O(kn_trim_zeros, kn_trim_zeros_opts, (), x, __VA_ARGS__)
#define kn_pad(x, pad_width, ...) KN_F2O(kn_pad, kn_pad_opts, (), x, pad_width, __VA_ARGS__)
#define kn_unique(x, ...) KN_F1O(kn_unique, kn_unique_opts, (.equal_nan = true, .sorted = true, ), x, __VA_ARGS__)
#define kn_unique_all(x) KN_F1(kn_unique_all, x)
#define kn_unique_counts(x) KN_F1(kn_unique_counts, x)
#define kn_unique_inverse(x) KN_F1(kn_unique_inverse, x)
#define kn_unique_values(x) KN_F1(kn_unique_values, x)
#define kn_isin(element, test_elements, ...) KN_F2O(kn_isin, kn_isin_opts, (), element, test_elements, __VA_ARGS__)
#define kn_union1d(ar1, ar2) KN_F2(kn_union1d, ar1, ar2)
#define kn_intersect1d(ar1, ar2, ...) KN_F2O(kn_intersect1d, kn_intersect1d_opts, (), ar1, ar2, __VA_ARGS__)
#define kn_setdiff1d(ar1, ar2, ...) KN_F2O(kn_setdiff1d, kn_setdiff1d_opts, (), ar1, ar2, __VA_ARGS__)
#define kn_setxor1d(ar1, ar2, ...) KN_F2O(kn_setxor1d, kn_setdiff1d_opts, (), ar1, ar2, __VA_ARGS__)
#endif
#endif
