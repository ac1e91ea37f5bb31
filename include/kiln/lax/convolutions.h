/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/convolutions.h -- jax.lax: a kernel that is moved over an array. */
/* clang-format off */
#ifndef KILN_LAX_CONVOLUTIONS_H
#define KILN_LAX_CONVOLUTIONS_H
#include "kiln/lax/products.h"
#include "kiln/lax/windows.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which axis is what. Either three words with a letter an axis: N (batch) and C (features) in lhs and out, O and I
 * (output and input features) in rhs, and any other letters for the spatial axes, the same ones in all three; their
 * order is that in rhs: {"NHWC", "HWIO", "NHWC"}. Or, as jax.lax.ConvDimensionNumbers, three lists of axes: batch,
 * features, spatial ones; of rhs: output features, input features, spatial ones. Or nothing: batch, features, spatial
 * axes; output features, input features, spatial axes ("NCHW", "OIHW", "NCHW"). */
typedef struct kn_lax_conv_numbers {
    const char *lhs, *rhs, *out; kn_axes lhs_spec, rhs_spec, out_spec;
} kn_lax_conv_numbers;
/* jax.lax.conv_dimension_numbers: the lists for arrays of these shapes. TypeError if the words do not fit the shapes or
 * each other; then all is empty. */
KN_API kn_lax_conv_numbers kn_lax_conv_dimension_numbers(const kn_shape *lhs_shape, const kn_shape *rhs_shape,
    const kn_lax_conv_numbers *dimension_numbers);

/* One number for each spatial axis in all of the following; those that are not given are 1. Padding: KN_SAME, KN_VALID,
 * KN_PADS({1, 1}, {0, 2}), or the name "SAME", "SAME_LOWER", "VALID".
 * lhs_dilation, rhs_dilation: so far apart are neighbours in lhs, in rhs; zeros lie between them. feature_group_count:
 * the features of lhs and of the result in so many groups, each with the rhs features that make it.
 * batch_group_count: the batch of lhs and the features of the result in so many groups. One of the two is 1.
 * preferred_element_type: of the result; NULL: that of the operands. */
typedef struct kn_lax_conv_general_dilated_opts {
    size_t size_; const kn_shape *lhs_dilation, *rhs_dilation; kn_lax_conv_numbers dimension_numbers;
    int64_t feature_group_count, batch_group_count; /* 1, 1 */
    kn_dtype preferred_element_type;
} kn_lax_conv_general_dilated_opts;
KN_API kn_lax_conv_general_dilated_opts kn_lax_conv_general_dilated_opts_default(void);
/* jax.lax.conv_general_dilated: out[n, o, y...] = sum over i, k... of lhs[n, i, y strides + k - padding...] rhs[o, i, k
 * ...], zeros being outside of lhs. lhs and rhs have one dtype, any but keys. ValueError and TypeError as in JAX for
 * shapes and numbers that do not fit; RuntimeError for an unknown name of padding. */
KN_API kn_array kn_lax_conv_general_dilated(kn_array lhs, kn_array rhs, const kn_shape *window_strides,
    kn_lax_pads padding, const kn_lax_conv_general_dilated_opts *opts);
/* jax.lax.conv: the same without dilations and groups, of axes in the default order. */
KN_API kn_array kn_lax_conv(kn_array lhs, kn_array rhs, const kn_shape *window_strides, kn_lax_pads padding,
    const kn_lax_dot_opts *opts);

typedef struct kn_lax_conv_with_general_padding_opts {
    size_t size_; const kn_shape *lhs_dilation, *rhs_dilation; kn_dtype preferred_element_type;
} kn_lax_conv_with_general_padding_opts;
KN_API kn_lax_conv_with_general_padding_opts kn_lax_conv_with_general_padding_opts_default(void);
/* jax.lax.conv_with_general_padding: the same without groups, of axes in the default order. */
KN_API kn_array kn_lax_conv_with_general_padding(kn_array lhs, kn_array rhs, const kn_shape *window_strides,
    kn_lax_pads padding, const kn_lax_conv_with_general_padding_opts *opts);

/* dimension_numbers: {"NHWC", "HWIO", "NHWC"} and the like for one to three spatial axes. transpose_kernel: rhs with
 * its spatial axes reversed and its features exchanged, as the gradient of a convolution has it.
 * use_consistent_padding: pairs, too, are the padding of the convolution of which this is the transpose, not of this
 * one. */
typedef struct kn_lax_conv_transpose_opts {
    size_t size_; const kn_shape *rhs_dilation; kn_lax_conv_numbers dimension_numbers; bool transpose_kernel;
    kn_dtype preferred_element_type; bool use_consistent_padding;
} kn_lax_conv_transpose_opts;
KN_API kn_lax_conv_transpose_opts kn_lax_conv_transpose_opts_default(void);
/* jax.lax.conv_transpose: lhs with its elements `strides` apart under rhs; KN_SAME makes it `strides` times as large.
 * ValueError for more than three spatial axes without dimension_numbers. */
KN_API kn_array kn_lax_conv_transpose(kn_array lhs, kn_array rhs, const kn_shape *strides, kn_lax_pads padding,
    const kn_lax_conv_transpose_opts *opts);

typedef struct kn_lax_conv_general_dilated_patches_opts {
    size_t size_; const kn_shape *lhs_dilation, *rhs_dilation; kn_lax_conv_numbers dimension_numbers;
    kn_dtype preferred_element_type;
} kn_lax_conv_general_dilated_patches_opts;
KN_API kn_lax_conv_general_dilated_patches_opts kn_lax_conv_general_dilated_patches_opts_default(void);
/* jax.lax.conv_general_dilated_patches: what a window of filter_shape (in the order of rhs) covers at each position, in
 * the features of the result: the features of lhs, then the elements of the window. */
KN_API kn_array kn_lax_conv_general_dilated_patches(kn_array lhs, const kn_shape *filter_shape,
    const kn_shape *window_strides, kn_lax_pads padding, const kn_lax_conv_general_dilated_patches_opts *opts);
/* jax.lax.conv_general_dilated_local: each position of the result has a kernel of its own. The spatial axes of rhs are
 * those of the result, its input features are those of the patches (above). preferred_element_type is not used. */
KN_API kn_array kn_lax_conv_general_dilated_local(kn_array lhs, kn_array rhs, const kn_shape *window_strides,
    kn_lax_pads padding, const kn_shape *filter_shape, const kn_lax_conv_general_dilated_patches_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
/* A name or what KN_SAME and its kin make. */
#define KN_PADS_OF(x)                                                                                                  \
    _Generic((x), kn_lax_pads: kn_pads_same_, char *: kn_pads_named_, const char *: kn_pads_named_)(x)
static inline kn_lax_pads kn_pads_same_(kn_lax_pads pads) { return pads; }
static inline kn_lax_pads kn_pads_named_(const char *name) { return (kn_lax_pads){.type = name}; }
#define kn_lax_conv_dimension_numbers(lhs_shape, rhs_shape, ...)                                                       \
    KN_CONV_NUMBERS_(__COUNTER__, lhs_shape, rhs_shape, __VA_ARGS__)
#define KN_CONV_NUMBERS_(c, lhs, rhs, ...)                                                                             \
    __extension__({ const kn_shape KN_V(1, c) = (lhs); const kn_shape KN_V(2, c) = (rhs); KN_QUIET                     \
        const kn_lax_conv_general_dilated_opts KN_V(3, c) = {.dimension_numbers = {__VA_ARGS__}}; KN_UNQUIET           \
        KN_HERE(); (kn_lax_conv_dimension_numbers)(&KN_V(1, c), &KN_V(2, c), &KN_V(3, c).dimension_numbers); })
#define KN_CONV_(c, f, T, D, lhs, rhs, strides, padding, ...)                                                          \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
        const kn_shape KN_V(3, c) = (strides); const kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding);                     \
        KN_OPTS(c, T, D, __VA_ARGS__) KN_HERE();                                                                       \
        (f)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv_general_dilated(lhs, rhs, window_strides, padding, ...)                                            \
    KN_CONV_(__COUNTER__, kn_lax_conv_general_dilated, kn_lax_conv_general_dilated_opts,                               \
        (.feature_group_count = 1, .batch_group_count = 1, ), lhs, rhs, window_strides, padding, __VA_ARGS__)
#define kn_lax_conv(lhs, rhs, window_strides, padding, ...)                                                            \
    KN_CONV_(__COUNTER__, kn_lax_conv, kn_lax_dot_opts, (), lhs, rhs, window_strides, padding, __VA_ARGS__)
#define kn_lax_conv_with_general_padding(lhs, rhs, window_strides, padding, ...)                                       \
    KN_CONV_(__COUNTER__, kn_lax_conv_with_general_padding, kn_lax_conv_with_general_padding_opts, (), lhs, rhs,       \
        window_strides, padding, __VA_ARGS__)
#define kn_lax_conv_transpose(lhs, rhs, strides, padding, ...)                                                         \
    KN_CONV_(__COUNTER__, kn_lax_conv_transpose, kn_lax_conv_transpose_opts, (), lhs, rhs, strides, padding,           \
        __VA_ARGS__)
#define kn_lax_conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, ...)                           \
    KN_CONV_PATCHES_(__COUNTER__, lhs, filter_shape, window_strides, padding, __VA_ARGS__)
#define KN_CONV_PATCHES_(c, lhs, filter, strides, padding, ...)                                                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); const kn_shape KN_V(2, c) = (filter);                          \
        const kn_shape KN_V(3, c) = (strides); const kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding);                     \
        KN_OPTS(c, kn_lax_conv_general_dilated_patches_opts, (), __VA_ARGS__) KN_HERE();                               \
        (kn_lax_conv_general_dilated_patches)(KN_V(1, c), &KN_V(2, c), &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv_general_dilated_local(lhs, rhs, window_strides, padding, filter_shape, ...)                        \
    KN_CONV_LOCAL_(__COUNTER__, lhs, rhs, window_strides, padding, filter_shape, __VA_ARGS__)
#define KN_CONV_LOCAL_(c, lhs, rhs, strides, padding, filter, ...)                                                     \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
        const kn_shape KN_V(3, c) = (strides); const kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding);                     \
        const kn_shape KN_V(5, c) = (filter);                                                                          \
        KN_OPTS(c, kn_lax_conv_general_dilated_patches_opts, (), __VA_ARGS__) KN_HERE();                               \
        (kn_lax_conv_general_dilated_local)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(4, c), &KN_V(5, c),              \
            KN_V(opt, c)); })
#endif
#endif
