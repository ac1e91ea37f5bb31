/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/convolutions.h -- jax.lax: a kernel that is moved over an array. */
/* Made by scripts/make-api.py from api/lax/convolutions.api. */
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
 * features, spatial ones; of rhs: output features, input features, spatial ones. Or nothing: batch, features,
 * spatial axes; output features, input features, spatial axes ("NCHW", "OIHW", "NCHW"). */
typedef struct kn_lax_conv_numbers {
    const char *lhs, *rhs, *out; kn_axes lhs_spec, rhs_spec, out_spec;
} kn_lax_conv_numbers;
/* jax.lax.conv_dimension_numbers: the lists for arrays of these shapes. TypeError if the words do not fit the shapes
 * or each other; then all is empty. */
KN_API kn_lax_conv_numbers kn_lax_conv_dimension_numbers(const kn_shape *lhs_shape, const kn_shape *rhs_shape,
    const kn_lax_conv_numbers *dimension_numbers);
/* One number for each spatial axis in all of the following; those that are not given are 1. Padding: KN_SAME,
 * KN_VALID, KN_PADS({1, 1}, {0, 2}), or the name "SAME", "SAME_LOWER", "VALID". */
typedef struct kn_lax_conv_general_dilated_opts {
    size_t size_;
    const kn_shape *lhs_dilation;          /* so far apart are neighbours in lhs; zeros lie between them */
    const kn_shape *rhs_dilation;          /* so far apart are neighbours in rhs; zeros lie between them */
    kn_lax_conv_numbers dimension_numbers;
    /* 1: 1; the features of lhs and of the result in so many groups, each with the rhs features that make it */
    int64_t feature_group_count;
    /* 1: 1; the batch of lhs and the features of the result in so many groups. One of the two is 1 */
    int64_t batch_group_count;
    kn_dtype preferred_element_type;       /* of the result; NULL: that of the operands. */
} kn_lax_conv_general_dilated_opts;
KN_API kn_lax_conv_general_dilated_opts kn_lax_conv_general_dilated_opts_default(void);
/* jax.lax.conv_general_dilated: out[n, o, y...] = sum over i, k... of lhs[n, i, y strides + k - padding...] rhs[o,
 * i, k ...], zeros being outside of lhs. lhs and rhs have one dtype, any but keys. ValueError and TypeError as in
 * JAX for shapes and numbers that do not fit; RuntimeError for an unknown name of padding. */
KN_API kn_array kn_lax_conv_general_dilated(kn_array lhs, kn_array rhs, const kn_shape *window_strides, kn_lax_pads
    padding, const kn_lax_conv_general_dilated_opts *opts);
/* jax.lax.conv: the convolution of kn_lax_conv_general_dilated without dilations and groups, of axes in the default
 * order (batch, features, spatial ones). */
KN_API kn_array kn_lax_conv(kn_array lhs, kn_array rhs, const kn_shape *window_strides, kn_lax_pads padding,
    const kn_lax_dot_opts *opts);
typedef struct kn_lax_conv_with_general_padding_opts {
    size_t size_; const kn_shape *lhs_dilation; const kn_shape *rhs_dilation; kn_dtype preferred_element_type;
} kn_lax_conv_with_general_padding_opts;
KN_API kn_lax_conv_with_general_padding_opts kn_lax_conv_with_general_padding_opts_default(void);
/* jax.lax.conv_with_general_padding: the convolution of kn_lax_conv_general_dilated without groups, of axes in the
 * default order. */
KN_API kn_array kn_lax_conv_with_general_padding(kn_array lhs, kn_array rhs, const kn_shape *window_strides, kn_lax_pads
    padding, const kn_lax_conv_with_general_padding_opts *opts);
typedef struct kn_lax_conv_transpose_opts {
    size_t size_;
    const kn_shape *rhs_dilation;
    kn_lax_conv_numbers dimension_numbers; /* {"NHWC", "HWIO", "NHWC"} and the like for one to three spatial axes */
    /* rhs with its spatial axes reversed and its features exchanged, as the gradient of a convolution has it */
    bool transpose_kernel;
    kn_dtype preferred_element_type;
    /* pairs, too, are the padding of the convolution of which this is the transpose, not of this one. */
    bool use_consistent_padding;
} kn_lax_conv_transpose_opts;
KN_API kn_lax_conv_transpose_opts kn_lax_conv_transpose_opts_default(void);
/* jax.lax.conv_transpose: lhs with its elements `strides` apart under rhs; KN_SAME makes it `strides` times as
 * large. ValueError for more than three spatial axes without dimension_numbers. */
KN_API kn_array kn_lax_conv_transpose(kn_array lhs, kn_array rhs, const kn_shape *strides, kn_lax_pads padding,
    const kn_lax_conv_transpose_opts *opts);
typedef struct kn_lax_conv_general_dilated_patches_opts {
    size_t size_; const kn_shape *lhs_dilation; const kn_shape *rhs_dilation; kn_lax_conv_numbers dimension_numbers;
    kn_dtype preferred_element_type;
} kn_lax_conv_general_dilated_patches_opts;
KN_API kn_lax_conv_general_dilated_patches_opts kn_lax_conv_general_dilated_patches_opts_default(void);
/* jax.lax.conv_general_dilated_patches: what a window of filter_shape (in the order of rhs) covers at each position,
 * in the features of the result: the features of lhs, then the elements of the window. */
KN_API kn_array kn_lax_conv_general_dilated_patches(kn_array lhs, const kn_shape *filter_shape,
    const kn_shape *window_strides, kn_lax_pads padding, const kn_lax_conv_general_dilated_patches_opts *opts);
/* jax.lax.conv_general_dilated_local: a convolution in which each position of the result has a kernel of its own.
 * The spatial axes of rhs are those of the result, its input features are those of the patches (above).
 * preferred_element_type is not used. */
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
#define kn_lax_conv_general_dilated(lhs, rhs, window_strides, padding, ...)                                            \
    KN_LAX_CONV_GENERAL_DILATED_(__COUNTER__, lhs, rhs, window_strides, padding, __VA_ARGS__)
#define KN_LAX_CONV_GENERAL_DILATED_(c, lhs, rhs, window_strides, padding, ...)                                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
    KN_TAKE(kn_shape, 3, c, window_strides) kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding); KN_OPTS(c,                   \
    kn_lax_conv_general_dilated_opts, (.feature_group_count = 1, .batch_group_count = 1, ), __VA_ARGS__) KN_HERE();    \
    (kn_lax_conv_general_dilated)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv(lhs, rhs, window_strides, padding, ...)                                                            \
    KN_LAX_CONV_(__COUNTER__, lhs, rhs, window_strides, padding, __VA_ARGS__)
#define KN_LAX_CONV_(c, lhs, rhs, window_strides, padding, ...)                                                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
    KN_TAKE(kn_shape, 3, c, window_strides) kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding); KN_OPTS(c, kn_lax_dot_opts,  \
    (), __VA_ARGS__) KN_HERE(); (kn_lax_conv)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv_with_general_padding(lhs, rhs, window_strides, padding, ...)                                       \
    KN_LAX_CONV_WITH_GENERAL_PADDING_(__COUNTER__, lhs, rhs, window_strides, padding, __VA_ARGS__)
#define KN_LAX_CONV_WITH_GENERAL_PADDING_(c, lhs, rhs, window_strides, padding, ...)                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
    KN_TAKE(kn_shape, 3, c, window_strides) kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding); KN_OPTS(c,                   \
    kn_lax_conv_with_general_padding_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_conv_with_general_padding)(KN_V(1, c),  \
    KN_V(2, c), &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv_transpose(lhs, rhs, strides, padding, ...)                                                         \
    KN_LAX_CONV_TRANSPOSE_(__COUNTER__, lhs, rhs, strides, padding, __VA_ARGS__)
#define KN_LAX_CONV_TRANSPOSE_(c, lhs, rhs, strides, padding, ...)                                                     \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
    KN_TAKE(kn_shape, 3, c, strides) kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding); KN_OPTS(c,                          \
    kn_lax_conv_transpose_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_conv_transpose)(KN_V(1, c), KN_V(2, c),            \
    &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, ...)                           \
    KN_LAX_CONV_GENERAL_DILATED_PATCHES_(__COUNTER__, lhs, filter_shape, window_strides, padding, __VA_ARGS__)
#define KN_LAX_CONV_GENERAL_DILATED_PATCHES_(c, lhs, filter_shape, window_strides, padding, ...)                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); KN_TAKE(kn_shape, 2, c, filter_shape)                          \
    KN_TAKE(kn_shape, 3, c, window_strides) kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding); KN_OPTS(c,                   \
    kn_lax_conv_general_dilated_patches_opts, (), __VA_ARGS__) KN_HERE();                                              \
    (kn_lax_conv_general_dilated_patches)(KN_V(1, c), &KN_V(2, c), &KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_conv_general_dilated_local(lhs, rhs, window_strides, padding, filter_shape, ...)                        \
    KN_LAX_CONV_GENERAL_DILATED_LOCAL_(__COUNTER__, lhs, rhs, window_strides, padding, filter_shape, __VA_ARGS__)
#define KN_LAX_CONV_GENERAL_DILATED_LOCAL_(c, lhs, rhs, window_strides, padding, filter_shape, ...)                    \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(lhs); kn_array KN_V(2, c) = KN_LIKE(rhs);                            \
    KN_TAKE(kn_shape, 3, c, window_strides) kn_lax_pads KN_V(4, c) = KN_PADS_OF(padding);                              \
    KN_TAKE(kn_shape, 5, c, filter_shape) KN_OPTS(c, kn_lax_conv_general_dilated_patches_opts, (), __VA_ARGS__)        \
    KN_HERE(); (kn_lax_conv_general_dilated_local)(KN_V(1, c), KN_V(2, c), &KN_V(3, c), KN_V(4, c), &KN_V(5, c),       \
    KN_V(opt, c)); })
#endif
#endif
