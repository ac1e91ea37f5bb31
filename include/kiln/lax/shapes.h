/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/shapes.h -- jax.lax: making arrays, their shapes, joining and cutting. Results are arrays of their own,
 * never views. */
/* Made by scripts/make-api.py from api/lax/shapes.api. */
/* clang-format off */
#ifndef KILN_LAX_SHAPES_H
#define KILN_LAX_SHAPES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making. */
/* jax.lax.iota: 0, 1, ... size - 1. TypeError for dtypes without numbers. */
KN_API kn_array kn_lax_iota(kn_dtype dtype, int64_t size);
/* jax.lax.broadcasted_iota: an array of a shape that counts 0, 1, ... along one dimension and repeats that along the
 * others. */
KN_API kn_array kn_lax_broadcasted_iota(kn_dtype dtype, const kn_shape *shape, int dimension);
typedef struct kn_lax_full_opts { size_t size_; kn_dtype dtype; } kn_lax_full_opts; /* that of the value */
KN_API kn_lax_full_opts kn_lax_full_opts_default(void);
/* jax.lax.full: a scalar everywhere. TypeError if fill_value is no scalar. */
KN_API kn_array kn_lax_full(const kn_shape *shape, kn_array fill_value, const kn_lax_full_opts *opts);
typedef struct kn_lax_full_like_opts {
    size_t size_;
    kn_dtype dtype;        /* NULL, that of x */
    const kn_shape *shape; /* NULL, that of x */
} kn_lax_full_like_opts;
KN_API kn_lax_full_like_opts kn_lax_full_like_opts_default(void);
/* jax.lax.full_like: a scalar everywhere, with the dtype and shape of x. */
KN_API kn_array kn_lax_full_like(kn_array x, kn_array fill_value, const kn_lax_full_like_opts *opts);
/* jax.lax.empty: an array whose elements do not matter; here they are zeros. */
KN_API kn_array kn_lax_empty(const kn_shape *shape, kn_dtype dtype);

/* ---- Broadcasting. Only to larger shapes: an axis of extent 1 may be repeated, and axes may be put in. */
/* jax.lax.broadcast: x repeated along new axes of these sizes in front. */
KN_API kn_array kn_lax_broadcast(kn_array x, const kn_shape *sizes);
/* jax.lax.broadcast_in_dim: x repeated to a shape: axis k of x becomes axis broadcast_dimensions[k] of the result,
 * in rising order. */
KN_API kn_array kn_lax_broadcast_in_dim(kn_array x, const kn_shape *shape, const kn_axes *broadcast_dimensions);
/* jax.lax.broadcast_like: x repeated to the shape of `like`, aligned at the last axis. ValueError if it does not
 * fit. */
KN_API kn_array kn_lax_broadcast_like(kn_array x, kn_array like);
/* jax.lax.broadcast_to_rank: x with axes of extent 1 in front until there are `rank`; x itself if there are. */
KN_API kn_array kn_lax_broadcast_to_rank(kn_array x, int rank);
/* jax.lax.broadcast_shapes: what shapes are together; ndim is -1 after an error ("Incompatible shapes for
 * broadcasting: shapes=[(2,), (3,)]", ValueError). kn_lax_broadcast_shapes(KN_SHAPE(2, 1), KN_SHAPE(3)). */
KN_API kn_shape kn_lax_broadcast_shapes(int n, const kn_shape *shapes);

/* ---- Shapes. */
typedef struct kn_lax_reshape_opts {
    size_t size_;
    kn_axes dimensions; /* the order in which x is read; not given: 0, 1, ... */
} kn_lax_reshape_opts;
KN_API kn_lax_reshape_opts kn_lax_reshape_opts_default(void);
/* jax.lax.reshape: the same elements in row-major order; with .dimensions those of the transpose. No extent can be
 * -1: TypeError "reshape new_sizes must all be positive". */
KN_API kn_array kn_lax_reshape(kn_array x, const kn_shape *new_sizes, const kn_lax_reshape_opts *opts);
typedef struct kn_lax_collapse_opts {
    size_t size_;
    int stop_dimension; /* KN_MAX_NDIM: not given: behind the last */
} kn_lax_collapse_opts;
KN_API kn_lax_collapse_opts kn_lax_collapse_opts_default(void);
/* jax.lax.collapse: the axes from start_dimension on, up to stop_dimension without it, as one. */
KN_API kn_array kn_lax_collapse(kn_array x, int start_dimension, const kn_lax_collapse_opts *opts);
/* jax.lax.expand_dims: x with axes of extent 1 put in where the result shall have them. ValueError for repeated
 * ones. */
KN_API kn_array kn_lax_expand_dims(kn_array x, const kn_axes *dimensions);
/* jax.lax.squeeze: x without these axes of extent 1. ValueError for others. */
KN_API kn_array kn_lax_squeeze(kn_array x, const kn_axes *dimensions);
/* jax.lax.transpose: x with its axes in another order: axis permutation[k] of x is axis k of the result. TypeError
 * if that is no permutation. */
KN_API kn_array kn_lax_transpose(kn_array x, const kn_axes *permutation);
/* jax.lax.rev: x backwards along these dimensions. */
KN_API kn_array kn_lax_rev(kn_array x, const kn_axes *dimensions);

/* ---- Joining and cutting. */

/* For each axis: elements before, behind (negative: taken away) and between its elements. */
typedef struct kn_lax_padding { int64_t low, high, interior; } kn_lax_padding;
typedef struct kn_lax_padding_config { int n; const kn_lax_padding *axis; } kn_lax_padding_config;
/* jax.lax.pad: x with a value put in front of, behind and between its elements, so many for each axis: kn_lax_pad(x,
 * 0, KN_PADDING({1, 1, 0}, {0, 0, 1})). The value is a scalar of x's dtype. ValueError unless there is one entry per
 * axis. */
KN_API kn_array kn_lax_pad(kn_array x, kn_array padding_value, kn_lax_padding_config config);
/* jax.lax.concatenate: arrays put behind each other along an axis; everything else is equal (TypeError). One array
 * comes back as it is. */
KN_API kn_array kn_lax_concatenate(kn_list operands, int dimension);
typedef struct kn_lax_stack_opts { size_t size_; kn_axes axis; } kn_lax_stack_opts; /* 0 */
KN_API kn_lax_stack_opts kn_lax_stack_opts_default(void);
/* jax.lax.stack: arrays put beside each other along a new axis, 0; all arrays have one shape and dtype. */
KN_API kn_array kn_lax_stack(kn_list operands, const kn_lax_stack_opts *opts);
/* jax.lax.unstack: the parts along an axis, 0, without it. */
KN_API kn_list kn_lax_unstack(kn_array x, const kn_lax_stack_opts *opts);
/* jax.lax.split: parts of these sizes along an axis, 0. ValueError if they are not the whole axis. */
KN_API kn_list kn_lax_split(kn_array x, const kn_shape *sizes, const kn_lax_stack_opts *opts);
/* jax.lax.tile: x repeated so many times along each axis, as a whole. TypeError unless there is a number per axis. */
KN_API kn_array kn_lax_tile(kn_array x, const kn_shape *reps);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_lax_broadcast_shapes(...)                                                                                   \
    (KN_HERE(), (kn_lax_broadcast_shapes)((int)(sizeof((const kn_shape[]){__VA_ARGS__}) / sizeof(kn_shape)),           \
                                          (const kn_shape[]){__VA_ARGS__}))
#define KN_PADDING(...)                                                                                                \
    ((kn_lax_padding_config){(int)(sizeof((const kn_lax_padding[]){__VA_ARGS__}) / sizeof(kn_lax_padding)),            \
        (const kn_lax_padding[]){__VA_ARGS__}})
#define kn_lax_pad(x, padding_value, ...) KN_LAX_PAD_(__COUNTER__, x, padding_value, (__VA_ARGS__))
#define KN_LAX_PAD_(c, x, value, config)                                                                               \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(value);                            \
        kn_lax_padding_config KN_V(3, c) = config; KN_HERE(); (kn_lax_pad)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_lax_iota(dtype, size) KN_G2(kn_lax_iota, kn_dtype, dtype, int64_t, size)
#define kn_lax_broadcasted_iota(dtype, shape, dimension) KN_LAX_BROADCASTED_IOTA_(__COUNTER__, dtype, shape, dimension)
#define KN_LAX_BROADCASTED_IOTA_(c, dtype, shape, dimension)                                                           \
    __extension__({ KN_TAKE(kn_dtype, 1, c, dtype) KN_TAKE(kn_shape, 2, c, shape) KN_TAKE(int, 3, c, dimension)        \
    KN_HERE(); (kn_lax_broadcasted_iota)(KN_V(1, c), &KN_V(2, c), KN_V(3, c)); })
#define kn_lax_full(shape, fill_value, ...) KN_LAX_FULL_(__COUNTER__, shape, fill_value, __VA_ARGS__)
#define KN_LAX_FULL_(c, shape, fill_value, ...)                                                                        \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) kn_array KN_V(2, c) = KN_LIKE(fill_value); KN_OPTS(c,               \
    kn_lax_full_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_full)(&KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_lax_full_like(x, fill_value, ...)                                                                           \
    KN_F2O(kn_lax_full_like, kn_lax_full_like_opts, (), x, fill_value, __VA_ARGS__)
#define kn_lax_empty(shape, dtype) KN_LAX_EMPTY_(__COUNTER__, shape, dtype)
#define KN_LAX_EMPTY_(c, shape, dtype)                                                                                 \
    __extension__({ KN_TAKE(kn_shape, 1, c, shape) KN_TAKE(kn_dtype, 2, c, dtype) KN_HERE();                           \
    (kn_lax_empty)(&KN_V(1, c), KN_V(2, c)); })
#define kn_lax_broadcast(x, sizes) KN_P1(kn_lax_broadcast, x, kn_shape, sizes)
#define kn_lax_broadcast_in_dim(x, shape, broadcast_dimensions)                                                        \
    KN_P2(kn_lax_broadcast_in_dim, x, kn_shape, shape, kn_axes, broadcast_dimensions)
#define kn_lax_broadcast_like(x, like) KN_F2(kn_lax_broadcast_like, x, like)
#define kn_lax_broadcast_to_rank(x, rank) KN_H1(kn_lax_broadcast_to_rank, x, int, rank)
#define kn_lax_reshape(x, new_sizes, ...)                                                                              \
    KN_P1O(kn_lax_reshape, kn_lax_reshape_opts, (), x, kn_shape, new_sizes, __VA_ARGS__)
#define kn_lax_collapse(x, start_dimension, ...)                                                                       \
    KN_H1O(kn_lax_collapse, kn_lax_collapse_opts, (.stop_dimension = KN_MAX_NDIM, ), x, int, start_dimension,          \
    __VA_ARGS__)
#define kn_lax_expand_dims(x, dimensions) KN_P1(kn_lax_expand_dims, x, kn_axes, dimensions)
#define kn_lax_squeeze(x, dimensions) KN_P1(kn_lax_squeeze, x, kn_axes, dimensions)
#define kn_lax_transpose(x, permutation) KN_P1(kn_lax_transpose, x, kn_axes, permutation)
#define kn_lax_rev(x, dimensions) KN_P1(kn_lax_rev, x, kn_axes, dimensions)
#define kn_lax_concatenate(operands, dimension) KN_G2(kn_lax_concatenate, kn_list, operands, int, dimension)
#define kn_lax_stack(operands, ...) KN_G1O(kn_lax_stack, kn_lax_stack_opts, (), kn_list, operands, __VA_ARGS__)
#define kn_lax_unstack(x, ...) KN_F1O(kn_lax_unstack, kn_lax_stack_opts, (), x, __VA_ARGS__)
#define kn_lax_split(x, sizes, ...) KN_P1O(kn_lax_split, kn_lax_stack_opts, (), x, kn_shape, sizes, __VA_ARGS__)
#define kn_lax_tile(x, reps) KN_P1(kn_lax_tile, x, kn_shape, reps)
#endif
#endif
