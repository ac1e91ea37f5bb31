/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy/manipulation.h -- shapes, joining and splitting; what all chapters have in common
 * is told in kiln/numpy.h. */
/* clang-format off */
#ifndef KILN_NUMPY_MANIPULATION_H
#define KILN_NUMPY_MANIPULATION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_transpose_opts { size_t size_; kn_axes axes; } kn_transpose_opts;
typedef struct kn_squeeze_opts { size_t size_; kn_axes axis; } kn_squeeze_opts;
typedef struct kn_concatenate_opts { size_t size_; kn_axes axis; kn_dtype dtype; } kn_concatenate_opts;
typedef struct kn_split_opts { size_t size_; kn_axes axis; } kn_split_opts;
KN_API kn_transpose_opts kn_transpose_opts_default(void);
KN_API kn_squeeze_opts kn_squeeze_opts_default(void);
KN_API kn_concatenate_opts kn_concatenate_opts_default(void);
KN_API kn_split_opts kn_split_opts_default(void);

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

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_reshape(x, shape) KN_P1(kn_reshape, x, kn_shape, shape)
#define kn_ravel(x) KN_F1(kn_ravel, x)
#define kn_flatten(x) KN_F1(kn_flatten, x)
#define kn_view(x, dtype) KN_H1(kn_view, x, kn_dtype, dtype)
#define kn_as_strided(x, shape, strides) KN_P2(kn_as_strided, x, kn_shape, shape, kn_shape, strides)
#define kn_transpose(x, ...) KN_F1O(kn_transpose, kn_transpose_opts, (), x, __VA_ARGS__)
#define kn_swapaxes(x, axis1, axis2) KN_H2(kn_swapaxes, x, int, axis1, int, axis2)
#define kn_moveaxis(x, source, destination) KN_P2(kn_moveaxis, x, kn_axes, source, kn_axes, destination)
#define kn_expand_dims(x, axis) KN_P1(kn_expand_dims, x, kn_axes, axis)
#define kn_squeeze(x, ...) KN_F1O(kn_squeeze, kn_squeeze_opts, (), x, __VA_ARGS__)
#define kn_broadcast_to(x, shape) KN_P1(kn_broadcast_to, x, kn_shape, shape)
#define kn_flip(x, ...) KN_F1O(kn_flip, kn_squeeze_opts, (), x, __VA_ARGS__)
#define kn_concatenate(list, ...) KN_G1O(kn_concatenate, kn_concatenate_opts, (), kn_list, list, __VA_ARGS__)
#define kn_stack(list, ...) KN_G1O(kn_stack, kn_concatenate_opts, (), kn_list, list, __VA_ARGS__)
#define kn_vstack(list) KN_G1(kn_vstack, kn_list, list)
#define kn_hstack(list) KN_G1(kn_hstack, kn_list, list)
#define kn_array_split(x, sections, ...)                                                                               \
    KN_H1O(kn_array_split, kn_split_opts, (), x, int64_t, sections, __VA_ARGS__)
#define kn_split(x, sections, ...) KN_H1O(kn_split, kn_split_opts, (), x, int64_t, sections, __VA_ARGS__)
#define kn_tile(x, reps) KN_P1(kn_tile, x, kn_shape, reps)
#define kn_repeat(x, repeats, ...) KN_H1O(kn_repeat, kn_squeeze_opts, (), x, int64_t, repeats, __VA_ARGS__)
#endif
#endif
