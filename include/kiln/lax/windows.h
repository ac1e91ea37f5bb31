/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/windows.h -- jax.lax: what goes around the windows of an array. */
/* Made by scripts/make-api.py from api/lax/windows.api. */
/* clang-format off */
#ifndef KILN_LAX_WINDOWS_H
#define KILN_LAX_WINDOWS_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Padding of windows and convolutions: KN_SAME, KN_SAME_LOWER, KN_VALID, or so many elements in front of and
 * behind each axis, KN_PADS({1, 1}, {0, 2}); fewer than none cuts elements away. SAME: as many windows as there are
 * strides in the axis, the odd element more behind it; SAME_LOWER: in front; VALID: none. Upper and lower case are
 * one. */
typedef struct kn_lax_pad_pair { int64_t low, high; } kn_lax_pad_pair;

/* type: a name, or NULL and `pair`; neither: VALID */
typedef struct kn_lax_pads { const char *type; int n; const kn_lax_pad_pair *pair; } kn_lax_pads;
/* jax.lax.padtype_to_pads: the pairs that such a name stands for, written to `pads`, one for each extent of
 * in_shape. Returns how many, -1 after an error. RuntimeError for other names, ValueError if the shapes differ in
 * length. */
KN_API int kn_lax_padtype_to_pads(const kn_shape *in_shape, const kn_shape *window_shape,
    const kn_shape *window_strides, const char *padding, kn_lax_pad_pair *pads);

/* ---- Reductions over windows. A window is window_dimensions elements, window_dilation apart from each other;
 * windows begin window_strides elements apart, from the beginning of the padding on; base_dilation - 1 places
 * without an element are put between those of x first. What is not given is 1. Padding and such places are left out:
 * a window without an element is init_value, or the identity. TypeError in JAX's words for lists of other lengths
 * and numbers below 1. The order in which elements are joined: docs/determinism.md. */
typedef struct kn_lax_reduce_window_opts {
    size_t size_;
    const kn_shape *window_strides;
    kn_lax_pads padding;             /* VALID */
    const kn_shape *base_dilation;
    const kn_shape *window_dilation;
} kn_lax_reduce_window_opts;
KN_API kn_lax_reduce_window_opts kn_lax_reduce_window_opts_default(void);
/* jax.lax.reduce_window: by a function of two scalars, whose identity is init_value; both have the dtype of x. A
 * function that is one addition, maximum or minimum of its arguments with the right identity is one of the next
 * ones. The function captures no arrays (NotImplementedError). Windows of at most 16,384 elements.
 * kn_lax_reduce_window(x, -INFINITY, KN_FN(max2), KN_SHAPE(1, 2, 2, 1), .padding = KN_SAME) */
KN_API kn_array kn_lax_reduce_window(kn_array x, kn_array init_value, kn_fn computation,
    const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts);
/* The same for several arrays of one shape at once, as kn_lax_reduce_list. */
KN_API kn_list kn_lax_reduce_window_list(kn_list operands, kn_list init_values, kn_fn computation,
    const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts);
/* The sum of the numbers in each window. TypeError for booleans. */
KN_API kn_array kn_lax_reduce_window_sum(kn_array x, const kn_shape *window_dimensions,
    const kn_lax_reduce_window_opts *opts);
/* The product of the numbers in each window; in JAX's texts reduce_window by mul. TypeError for booleans. */
KN_API kn_array kn_lax_reduce_window_prod(kn_array x, const kn_shape *window_dimensions,
    const kn_lax_reduce_window_opts *opts);
/* The largest element of each window, NaN if one is; -inf, or the smallest integer, without elements. */
KN_API kn_array kn_lax_reduce_window_max(kn_array x, const kn_shape *window_dimensions,
    const kn_lax_reduce_window_opts *opts);
/* The smallest element of each window, NaN if one is; inf, or the largest integer, without elements. */
KN_API kn_array kn_lax_reduce_window_min(kn_array x, const kn_shape *window_dimensions,
    const kn_lax_reduce_window_opts *opts);
/* jax.lax.reduce_window_shape_tuple: how many windows there are along each axis; ndim is -1 after an error. */
KN_API kn_shape kn_lax_reduce_window_shape_tuple(const kn_shape *operand_shape, const kn_shape *window_dimensions,
    const kn_lax_reduce_window_opts *opts);

/* ---- One element of each window: the one that stays when they come one after the other and the one before stays
 * where before >= next (KN_LAX_SELECT_GE: the first of the largest) or before <= next holds. */
typedef enum kn_lax_select_prim { KN_LAX_SELECT_GE, KN_LAX_SELECT_LE } kn_lax_select_prim;
/* The elements of `tangents` at these places of `operand`, of the same shape; 0 where a window has no element, or
 * nothing better than the identity. Derivative of reduce_window_max and reduce_window_min. */
KN_API kn_array kn_lax_select_and_gather_add(kn_array tangents, kn_array operand, kn_lax_select_prim select_prim,
    const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts);
/* Zeros of operand's shape, and each element of `source`, one per window, added where the window's one is. Linear in
 * source. Without dilations: ValueError. */
KN_API kn_array kn_lax_select_and_scatter_add(kn_array source, kn_array operand, kn_lax_select_prim select_prim,
    const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts);
/* As kn_lax_select_and_scatter_add, by functions: select(before, next) says whether the one before stays, scatter
 * joins what is there, init_value at first, with an element of source. Not differentiable. */
KN_API kn_array kn_lax_select_and_scatter(kn_array operand, kn_array source, kn_array init_value, kn_fn select, kn_fn
    scatter, const kn_shape *window_dimensions, const kn_lax_reduce_window_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_SAME       ((kn_lax_pads){.type = "SAME"})
#define KN_SAME_LOWER ((kn_lax_pads){.type = "SAME_LOWER"})
#define KN_VALID      ((kn_lax_pads){.type = "VALID"})
#define KN_PADS(...)                                                                                                   \
    ((kn_lax_pads){NULL, (int)(sizeof((const kn_lax_pad_pair[]){__VA_ARGS__}) / sizeof(kn_lax_pad_pair)),              \
        (const kn_lax_pad_pair[]){__VA_ARGS__}})
#define kn_lax_padtype_to_pads(in_shape, window_shape, window_strides, padding, pads)                                  \
    KN_LAX_PADTYPE_TO_PADS_(__COUNTER__, in_shape, window_shape, window_strides, padding, pads)
#define KN_LAX_PADTYPE_TO_PADS_(c, in_shape, window_shape, window_strides, padding, pads)                              \
    __extension__({ KN_TAKE(kn_shape, 1, c, in_shape) KN_TAKE(kn_shape, 2, c, window_shape)                            \
    KN_TAKE(kn_shape, 3, c, window_strides) KN_TAKE(const char *, 4, c, padding)                                       \
    KN_TAKE(kn_lax_pad_pair *, 5, c, pads) KN_HERE(); (kn_lax_padtype_to_pads)(&KN_V(1, c), &KN_V(2, c), &KN_V(3, c),  \
    KN_V(4, c), KN_V(5, c)); })
#define kn_lax_reduce_window(x, init_value, computation, window_dimensions, ...)                                       \
    KN_LAX_REDUCE_WINDOW_(__COUNTER__, x, init_value, computation, window_dimensions, __VA_ARGS__)
#define KN_LAX_REDUCE_WINDOW_(c, x, init_value, computation, window_dimensions, ...)                                   \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); kn_array KN_V(2, c) = KN_LIKE(init_value);                       \
    KN_TAKE(kn_fn, 3, c, computation) KN_TAKE(kn_shape, 4, c, window_dimensions) KN_OPTS(c, kn_lax_reduce_window_opts, \
    (), __VA_ARGS__) KN_HERE(); (kn_lax_reduce_window)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); \
    })
#define kn_lax_reduce_window_list(operands, init_values, computation, window_dimensions, ...)                          \
    KN_LAX_REDUCE_WINDOW_LIST_(__COUNTER__, operands, init_values, computation, window_dimensions, __VA_ARGS__)
#define KN_LAX_REDUCE_WINDOW_LIST_(c, operands, init_values, computation, window_dimensions, ...)                      \
    __extension__({ KN_TAKE(kn_list, 1, c, operands) KN_TAKE(kn_list, 2, c, init_values)                               \
    KN_TAKE(kn_fn, 3, c, computation) KN_TAKE(kn_shape, 4, c, window_dimensions) KN_OPTS(c, kn_lax_reduce_window_opts, \
    (), __VA_ARGS__) KN_HERE(); (kn_lax_reduce_window_list)(KN_V(1, c), KN_V(2, c), KN_V(3, c), &KN_V(4, c),           \
    KN_V(opt, c)); })
#define kn_lax_reduce_window_sum(x, window_dimensions, ...)                                                            \
    KN_P1O(kn_lax_reduce_window_sum, kn_lax_reduce_window_opts, (), x, kn_shape, window_dimensions, __VA_ARGS__)
#define kn_lax_reduce_window_prod(x, window_dimensions, ...)                                                           \
    KN_P1O(kn_lax_reduce_window_prod, kn_lax_reduce_window_opts, (), x, kn_shape, window_dimensions, __VA_ARGS__)
#define kn_lax_reduce_window_max(x, window_dimensions, ...)                                                            \
    KN_P1O(kn_lax_reduce_window_max, kn_lax_reduce_window_opts, (), x, kn_shape, window_dimensions, __VA_ARGS__)
#define kn_lax_reduce_window_min(x, window_dimensions, ...)                                                            \
    KN_P1O(kn_lax_reduce_window_min, kn_lax_reduce_window_opts, (), x, kn_shape, window_dimensions, __VA_ARGS__)
#define kn_lax_reduce_window_shape_tuple(operand_shape, window_dimensions, ...)                                        \
    KN_LAX_REDUCE_WINDOW_SHAPE_TUPLE_(__COUNTER__, operand_shape, window_dimensions, __VA_ARGS__)
#define KN_LAX_REDUCE_WINDOW_SHAPE_TUPLE_(c, operand_shape, window_dimensions, ...)                                    \
    __extension__({ KN_TAKE(kn_shape, 1, c, operand_shape) KN_TAKE(kn_shape, 2, c, window_dimensions) KN_OPTS(c,       \
    kn_lax_reduce_window_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_reduce_window_shape_tuple)(&KN_V(1, c),             \
    &KN_V(2, c), KN_V(opt, c)); })
#define kn_lax_select_and_gather_add(tangents, operand, select_prim, window_dimensions, ...)                           \
    KN_LAX_SELECT_AND_GATHER_ADD_(__COUNTER__, tangents, operand, select_prim, window_dimensions, __VA_ARGS__)
#define KN_LAX_SELECT_AND_GATHER_ADD_(c, tangents, operand, select_prim, window_dimensions, ...)                       \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(tangents); kn_array KN_V(2, c) = KN_LIKE(operand);                   \
    KN_TAKE(kn_lax_select_prim, 3, c, select_prim) KN_TAKE(kn_shape, 4, c, window_dimensions) KN_OPTS(c,               \
    kn_lax_reduce_window_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_select_and_gather_add)(KN_V(1, c), KN_V(2, c),      \
    KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_select_and_scatter_add(source, operand, select_prim, window_dimensions, ...)                            \
    KN_LAX_SELECT_AND_SCATTER_ADD_(__COUNTER__, source, operand, select_prim, window_dimensions, __VA_ARGS__)
#define KN_LAX_SELECT_AND_SCATTER_ADD_(c, source, operand, select_prim, window_dimensions, ...)                        \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(source); kn_array KN_V(2, c) = KN_LIKE(operand);                     \
    KN_TAKE(kn_lax_select_prim, 3, c, select_prim) KN_TAKE(kn_shape, 4, c, window_dimensions) KN_OPTS(c,               \
    kn_lax_reduce_window_opts, (), __VA_ARGS__) KN_HERE(); (kn_lax_select_and_scatter_add)(KN_V(1, c), KN_V(2, c),     \
    KN_V(3, c), &KN_V(4, c), KN_V(opt, c)); })
#define kn_lax_select_and_scatter(operand, source, init_value, select, scatter, window_dimensions, ...)                \
    KN_LAX_SELECT_AND_SCATTER_(__COUNTER__, operand, source, init_value, select, scatter, window_dimensions,           \
    __VA_ARGS__)
#define KN_LAX_SELECT_AND_SCATTER_(c, operand, source, init_value, select, scatter, window_dimensions, ...)            \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(operand); kn_array KN_V(2, c) = KN_LIKE(source); kn_array            \
    KN_V(3, c) = KN_LIKE(init_value); KN_TAKE(kn_fn, 4, c, select) KN_TAKE(kn_fn, 5, c, scatter)                       \
    KN_TAKE(kn_shape, 6, c, window_dimensions) KN_OPTS(c, kn_lax_reduce_window_opts, (), __VA_ARGS__) KN_HERE();       \
    (kn_lax_select_and_scatter)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(5, c), &KN_V(6, c),               \
    KN_V(opt, c)); })
#endif
#endif
