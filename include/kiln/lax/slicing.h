/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/slicing.h -- jax.lax: slices at fixed and at computed places, gather and scatter. Lists of numbers are
 * shapes (KN_SHAPE) or axes (KN_AXIS); computed indices are integer scalars. Results are never views. */
/* Made by scripts/make-api.py from api/lax/slicing.api. */
/* clang-format off */
#ifndef KILN_LAX_SLICING_H
#define KILN_LAX_SLICING_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- At fixed places. */
typedef struct kn_lax_slice_opts { size_t size_; const kn_shape *strides; } kn_lax_slice_opts; /* NULL, 1 */
KN_API kn_lax_slice_opts kn_lax_slice_opts_default(void);
/* jax.lax.slice: the part of x from start_indices up to limit_indices without them, one for each axis. TypeError
 * unless 0 <= start <= limit <= extent. kn_lax_slice(x, KN_SHAPE(0, 1), KN_SHAPE(2, 3), .strides = &KN_SHAPE(1, 2)) */
KN_API kn_array kn_lax_slice(kn_array x, const kn_shape *start_indices, const kn_shape *limit_indices,
    const kn_lax_slice_opts *opts);
#define KN_END INT64_MAX /* a limit: the end of the axis */
typedef struct kn_lax_slice_in_dim_opts {
    size_t size_;
    kn_axes axis;
    int64_t stride; /* 1: 0; 1 */
} kn_lax_slice_in_dim_opts;
KN_API kn_lax_slice_in_dim_opts kn_lax_slice_in_dim_opts_default(void);
/* jax.lax.slice_in_dim: a part of one axis, 0, and all of the others. Negative bounds count from its end; KN_END is
 * None. */
KN_API kn_array kn_lax_slice_in_dim(kn_array x, int64_t start_index, int64_t limit_index,
    const kn_lax_slice_in_dim_opts *opts);
typedef struct kn_lax_index_in_dim_opts {
    size_t size_;
    kn_axes axis;
    bool keepdims; /* true: 0; true */
} kn_lax_index_in_dim_opts;
KN_API kn_lax_index_in_dim_opts kn_lax_index_in_dim_opts_default(void);
/* jax.lax.index_in_dim: one element of an axis, 0, which stays with extent 1. IndexError. */
KN_API kn_array kn_lax_index_in_dim(kn_array x, int64_t index, const kn_lax_index_in_dim_opts *opts);

/* ---- At computed places. Indices are integers; what would reach beyond the array is moved inside. Negative ones
 * count from the end (unsigned ones are not asked). C numbers take the dtype of the indices beside them, or int64. */
typedef struct kn_lax_dynamic_opts { size_t size_; bool allow_negative_indices; } kn_lax_dynamic_opts; /* true */
KN_API kn_lax_dynamic_opts kn_lax_dynamic_opts_default(void);
/* jax.lax.dynamic_slice: a part of x of fixed sizes from computed start indices on: kn_lax_dynamic_slice(x,
 * KN_LIST(i, 0), KN_SHAPE(1, 2)). ValueError unless there is an index for each axis; TypeError for sizes beyond the
 * extents. */
KN_API kn_array kn_lax_dynamic_slice(kn_array x, kn_list start_indices, const kn_shape *slice_sizes,
    const kn_lax_dynamic_opts *opts);
typedef struct kn_lax_dynamic_in_dim_opts {
    size_t size_;
    kn_axes axis;
    bool allow_negative_indices; /* true: 0; true */
} kn_lax_dynamic_in_dim_opts;
KN_API kn_lax_dynamic_in_dim_opts kn_lax_dynamic_in_dim_opts_default(void);
/* jax.lax.dynamic_slice_in_dim: slice_size elements of one axis, 0, from a computed index on; all of the others. */
KN_API kn_array kn_lax_dynamic_slice_in_dim(kn_array x, kn_array start_index, int64_t slice_size,
    const kn_lax_dynamic_in_dim_opts *opts);
typedef struct kn_lax_dynamic_index_in_dim_opts {
    size_t size_;
    kn_axes axis;
    bool keepdims;               /* true */
    bool allow_negative_indices; /* true */
} kn_lax_dynamic_index_in_dim_opts;
KN_API kn_lax_dynamic_index_in_dim_opts kn_lax_dynamic_index_in_dim_opts_default(void);
/* jax.lax.dynamic_index_in_dim: one element, at a computed index, of an axis, 0, which stays with extent 1. */
KN_API kn_array kn_lax_dynamic_index_in_dim(kn_array x, kn_array index, const kn_lax_dynamic_index_in_dim_opts *opts);
/* jax.lax.dynamic_update_slice: x with `update`, of its dtype, written from computed start indices on; a new array. */
KN_API kn_array kn_lax_dynamic_update_slice(kn_array x, kn_array update, kn_list start_indices,
    const kn_lax_dynamic_opts *opts);
/* jax.lax.dynamic_update_slice_in_dim: x with `update` written from a computed index on along one axis; elsewhere
 * from 0 on. */
KN_API kn_array kn_lax_dynamic_update_slice_in_dim(kn_array x, kn_array update, kn_array start_index, int axis,
    const kn_lax_dynamic_opts *opts);
/* jax.lax.dynamic_update_index_in_dim: x with one element of an axis, at a computed index, replaced; update may
 * leave that axis out. */
KN_API kn_array kn_lax_dynamic_update_index_in_dim(kn_array x, kn_array update, kn_array index, int axis,
    const kn_lax_dynamic_opts *opts);
/* jax.lax.index_take: for each place in the index arrays (one-dimensional integers, one array per axis) the part of
 * x there, stacked in front. Negative indices count from the end. */
KN_API kn_array kn_lax_index_take(kn_array x, kn_list indices, const kn_axes *axes);

/* ---- gather and scatter. What to do with indices that are out of bounds: jax.lax.GatherScatterMode. */
enum {
    KN_LAX_MODE_DEFAULT,       /* gather: promise_in_bounds; scatter: fill_or_drop */
    KN_LAX_CLIP,               /* they are moved inside */
    KN_LAX_FILL_OR_DROP,       /* gather: NaN or the smallest integer (unsigned: the largest); scatter: nothing */
    KN_LAX_PROMISE_IN_BOUNDS   /* there are none */
};

/* jax.lax.GatherDimensionNumbers; lists that are not given are empty */
typedef struct kn_lax_gather_dimension_numbers {
    kn_axes offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims;
} kn_lax_gather_dimension_numbers;

/* jax.lax.ScatterDimensionNumbers */
typedef struct kn_lax_scatter_dimension_numbers {
    kn_axes update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims,
        scatter_indices_batching_dims;
} kn_lax_scatter_dimension_numbers;
typedef struct kn_lax_gather_opts {
    size_t size_; int mode; bool indices_are_sorted; bool unique_indices;
} kn_lax_gather_opts;
KN_API kn_lax_gather_opts kn_lax_gather_opts_default(void);
/* jax.lax.gather: slices of x of these sizes from the places that the vectors along the last axis of `indices` name:
 * kn_lax_gather(x, i, ((kn_lax_gather_dimension_numbers){.offset_dims = KN_AXIS(1), ...}), KN_SHAPE(1, 3)) */
KN_API kn_array kn_lax_gather(kn_array x, kn_array indices, const kn_lax_gather_dimension_numbers *dimension_numbers,
    const kn_shape *slice_sizes, const kn_lax_gather_opts *opts);
/* jax.lax.scatter: x with the updates (of its dtype) written at those places, in their order. */
KN_API kn_array kn_lax_scatter(kn_array x, kn_array indices, kn_array updates,
    const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts);
/* x with the updates added at those places (jax.lax.scatter_add); equal places add up. The next functions subtract,
 * multiply, or keep what is smaller or larger. */
KN_API kn_array kn_lax_scatter_add(kn_array x, kn_array indices, kn_array updates,
    const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts);
/* x less the updates at those places (jax.lax.scatter_sub) */
KN_API kn_array kn_lax_scatter_sub(kn_array x, kn_array indices, kn_array updates,
    const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts);
/* x times the updates at those places (jax.lax.scatter_mul) */
KN_API kn_array kn_lax_scatter_mul(kn_array x, kn_array indices, kn_array updates,
    const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts);
/* x with the smaller one of the element and the update at those places (jax.lax.scatter_min) */
KN_API kn_array kn_lax_scatter_min(kn_array x, kn_array indices, kn_array updates,
    const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts);
/* x with the larger one of the element and the update at those places (jax.lax.scatter_max) */
KN_API kn_array kn_lax_scatter_max(kn_array x, kn_array indices, kn_array updates,
    const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_lax_slice(x, start_indices, limit_indices, ...)                                                             \
    KN_LAX_SLICE_(__COUNTER__, x, start_indices, limit_indices, __VA_ARGS__)
#define KN_LAX_SLICE_(c, x, start_indices, limit_indices, ...)                                                         \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(kn_shape, 2, c, start_indices)                           \
    KN_TAKE(kn_shape, 3, c, limit_indices) KN_OPTS(c, kn_lax_slice_opts, (), __VA_ARGS__) KN_HERE();                   \
    (kn_lax_slice)(KN_V(1, c), &KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_lax_slice_in_dim(x, start_index, limit_index, ...)                                                          \
    KN_LAX_SLICE_IN_DIM_(__COUNTER__, x, start_index, limit_index, __VA_ARGS__)
#define KN_LAX_SLICE_IN_DIM_(c, x, start_index, limit_index, ...)                                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(int64_t, 2, c, start_index)                              \
    KN_TAKE(int64_t, 3, c, limit_index) KN_OPTS(c, kn_lax_slice_in_dim_opts, (.stride = 1, ), __VA_ARGS__) KN_HERE();  \
    (kn_lax_slice_in_dim)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_lax_index_in_dim(x, index, ...)                                                                             \
    KN_H1O(kn_lax_index_in_dim, kn_lax_index_in_dim_opts, (.keepdims = true, ), x, int64_t, index, __VA_ARGS__)
#define kn_lax_dynamic_slice(x, start_indices, slice_sizes, ...)                                                       \
    KN_LAX_DYNAMIC_SLICE_(__COUNTER__, x, start_indices, slice_sizes, __VA_ARGS__)
#define KN_LAX_DYNAMIC_SLICE_(c, x, start_indices, slice_sizes, ...)                                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(kn_list, 2, c, start_indices)                            \
    KN_TAKE(kn_shape, 3, c, slice_sizes) KN_OPTS(c, kn_lax_dynamic_opts, (.allow_negative_indices = true, ),           \
    __VA_ARGS__) KN_HERE(); (kn_lax_dynamic_slice)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(opt, c)); })
#define kn_lax_dynamic_slice_in_dim(x, start_index, slice_size, ...)                                                   \
    KN_LAX_DYNAMIC_SLICE_IN_DIM_(__COUNTER__, x, start_index, slice_size, __VA_ARGS__)
#define KN_LAX_DYNAMIC_SLICE_IN_DIM_(c, x, start_index, slice_size, ...)                                               \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(start_index);                      \
    KN_TAKE(int64_t, 3, c, slice_size) KN_OPTS(c, kn_lax_dynamic_in_dim_opts, (.allow_negative_indices = true, ),      \
    __VA_ARGS__) KN_HERE(); (kn_lax_dynamic_slice_in_dim)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_lax_dynamic_index_in_dim(x, index, ...)                                                                     \
    KN_F2O(kn_lax_dynamic_index_in_dim, kn_lax_dynamic_index_in_dim_opts, (.keepdims = true,                           \
    .allow_negative_indices = true, ), x, index, __VA_ARGS__)
#define kn_lax_dynamic_update_slice(x, update, start_indices, ...)                                                     \
    KN_LAX_DYNAMIC_UPDATE_SLICE_(__COUNTER__, x, update, start_indices, __VA_ARGS__)
#define KN_LAX_DYNAMIC_UPDATE_SLICE_(c, x, update, start_indices, ...)                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(update);                           \
    KN_TAKE(kn_list, 3, c, start_indices) KN_OPTS(c, kn_lax_dynamic_opts, (.allow_negative_indices = true, ),          \
    __VA_ARGS__) KN_HERE(); (kn_lax_dynamic_update_slice)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_lax_dynamic_update_slice_in_dim(x, update, start_index, axis, ...)                                          \
    KN_LAX_DYNAMIC_UPDATE_SLICE_IN_DIM_(__COUNTER__, x, update, start_index, axis, __VA_ARGS__)
#define KN_LAX_DYNAMIC_UPDATE_SLICE_IN_DIM_(c, x, update, start_index, axis, ...)                                      \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(update); kn_array                  \
    KN_V(3, c) = KN_LIKE(start_index); KN_TAKE(int, 4, c, axis) KN_OPTS(c, kn_lax_dynamic_opts,                        \
    (.allow_negative_indices = true, ), __VA_ARGS__) KN_HERE(); (kn_lax_dynamic_update_slice_in_dim)(KN_V(1, c),       \
    KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_dynamic_update_index_in_dim(x, update, index, axis, ...)                                                \
    KN_LAX_DYNAMIC_UPDATE_INDEX_IN_DIM_(__COUNTER__, x, update, index, axis, __VA_ARGS__)
#define KN_LAX_DYNAMIC_UPDATE_INDEX_IN_DIM_(c, x, update, index, axis, ...)                                            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(update); kn_array                  \
    KN_V(3, c) = KN_LIKE(index); KN_TAKE(int, 4, c, axis) KN_OPTS(c, kn_lax_dynamic_opts,                              \
    (.allow_negative_indices = true, ), __VA_ARGS__) KN_HERE(); (kn_lax_dynamic_update_index_in_dim)(KN_V(1, c),       \
    KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_index_take(x, indices, axes) KN_LAX_INDEX_TAKE_(__COUNTER__, x, indices, axes)
#define KN_LAX_INDEX_TAKE_(c, x, indices, axes)                                                                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(kn_list, 2, c, indices) KN_TAKE(kn_axes, 3, c, axes)     \
    KN_HERE(); (kn_lax_index_take)(KN_V(1, c), KN_V(2, c), &KN_V(3, c)); })
#define kn_lax_gather(x, indices, dimension_numbers, slice_sizes, ...)                                                 \
    KN_LAX_GATHER_(__COUNTER__, x, indices, dimension_numbers, slice_sizes, __VA_ARGS__)
#define KN_LAX_GATHER_(c, x, indices, dimension_numbers, slice_sizes, ...)                                             \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices);                          \
    KN_TAKE(kn_lax_gather_dimension_numbers, 3, c, dimension_numbers) KN_TAKE(kn_shape, 4, c, slice_sizes) KN_OPTS(c,  \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_gather)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), &KN_V(4, c),  \
    KN_V(opt, c)); })
#define kn_lax_scatter(x, indices, updates, dimension_numbers, ...)                                                    \
    KN_LAX_SCATTER_(__COUNTER__, x, indices, updates, dimension_numbers, __VA_ARGS__)
#define KN_LAX_SCATTER_(c, x, indices, updates, dimension_numbers, ...)                                                \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array                 \
    KN_V(3, c) = KN_LIKE(updates); KN_TAKE(kn_lax_scatter_dimension_numbers, 4, c, dimension_numbers) KN_OPTS(c,       \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_scatter)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c),  \
    KN_V(opt, c)); })
#define kn_lax_scatter_add(x, indices, updates, dimension_numbers, ...)                                                \
    KN_LAX_SCATTER_ADD_(__COUNTER__, x, indices, updates, dimension_numbers, __VA_ARGS__)
#define KN_LAX_SCATTER_ADD_(c, x, indices, updates, dimension_numbers, ...)                                            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array                 \
    KN_V(3, c) = KN_LIKE(updates); KN_TAKE(kn_lax_scatter_dimension_numbers, 4, c, dimension_numbers) KN_OPTS(c,       \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_scatter_add)(KN_V(1, c), KN_V(2, c), KN_V(3, c),           \
    &KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_scatter_sub(x, indices, updates, dimension_numbers, ...)                                                \
    KN_LAX_SCATTER_SUB_(__COUNTER__, x, indices, updates, dimension_numbers, __VA_ARGS__)
#define KN_LAX_SCATTER_SUB_(c, x, indices, updates, dimension_numbers, ...)                                            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array                 \
    KN_V(3, c) = KN_LIKE(updates); KN_TAKE(kn_lax_scatter_dimension_numbers, 4, c, dimension_numbers) KN_OPTS(c,       \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_scatter_sub)(KN_V(1, c), KN_V(2, c), KN_V(3, c),           \
    &KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_scatter_mul(x, indices, updates, dimension_numbers, ...)                                                \
    KN_LAX_SCATTER_MUL_(__COUNTER__, x, indices, updates, dimension_numbers, __VA_ARGS__)
#define KN_LAX_SCATTER_MUL_(c, x, indices, updates, dimension_numbers, ...)                                            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array                 \
    KN_V(3, c) = KN_LIKE(updates); KN_TAKE(kn_lax_scatter_dimension_numbers, 4, c, dimension_numbers) KN_OPTS(c,       \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_scatter_mul)(KN_V(1, c), KN_V(2, c), KN_V(3, c),           \
    &KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_scatter_min(x, indices, updates, dimension_numbers, ...)                                                \
    KN_LAX_SCATTER_MIN_(__COUNTER__, x, indices, updates, dimension_numbers, __VA_ARGS__)
#define KN_LAX_SCATTER_MIN_(c, x, indices, updates, dimension_numbers, ...)                                            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array                 \
    KN_V(3, c) = KN_LIKE(updates); KN_TAKE(kn_lax_scatter_dimension_numbers, 4, c, dimension_numbers) KN_OPTS(c,       \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_scatter_min)(KN_V(1, c), KN_V(2, c), KN_V(3, c),           \
    &KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_scatter_max(x, indices, updates, dimension_numbers, ...)                                                \
    KN_LAX_SCATTER_MAX_(__COUNTER__, x, indices, updates, dimension_numbers, __VA_ARGS__)
#define KN_LAX_SCATTER_MAX_(c, x, indices, updates, dimension_numbers, ...)                                            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(indices); kn_array                 \
    KN_V(3, c) = KN_LIKE(updates); KN_TAKE(kn_lax_scatter_dimension_numbers, 4, c, dimension_numbers) KN_OPTS(c,       \
    kn_lax_gather_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_scatter_max)(KN_V(1, c), KN_V(2, c), KN_V(3, c),           \
    &KN_V(4, c), KN_V(opt, c)); })
#endif
#endif
