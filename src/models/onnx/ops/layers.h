/* SPDX-License-Identifier: Apache-2.0
 * layers.h -- what the operators of layers share: short forms of Kiln's functions, and the geometry of windows
 * (kernel, strides, pads, dilations) with the rules of auto_pad. */
#ifndef KN_MODELS_ONNX_LAYERS_H
#define KN_MODELS_ONNX_LAYERS_H
#include "models/onnx/ops/numbers.h"

/* A struct of options with some fields set: KNONNX_O(kn_sum_opts, .keepdims = true). Its other fields are 0, so only
 * for options whose defaults are zeros. */
#define KNONNX_O(T, ...) (&(T){.size_ = sizeof(T), __VA_ARGS__})
#define KNONNX_SHAPE(...) (&(kn_shape){(int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}})

/* ---- Short forms. */
kn_array knonnx_zeros(const kn_shape *shape, kn_dtype dtype);
kn_array knonnx_filled(const kn_shape *shape, double v, kn_dtype dtype);
kn_array knonnx_reshaped(kn_array x, const kn_shape *shape);
/* Axis k of the result is axis order[k] of x. */
kn_array knonnx_permuted(kn_array x, int n, const int32_t *order);
kn_array knonnx_sliced(kn_array x, int axis, int64_t start, int64_t stop, int64_t step);
kn_array knonnx_joined(int axis, int n, const kn_array *x);
kn_array knonnx_taken(kn_array x, int axis, kn_array positions); /* all of them are there */
kn_array knonnx_counted(int64_t n, kn_dtype dtype);              /* 0, 1, ... n - 1 */
kn_axes knonnx_one_axis(int axis);
kn_axes knonnx_axes_from(int first, int ndim); /* first ... ndim - 1 */
kn_array knonnx_summed(kn_array x, const kn_axes *axes, bool keepdims);
kn_array knonnx_averaged(kn_array x, const kn_axes *axes, bool keepdims);
kn_array knonnx_maximal(kn_array x, const kn_axes *axes, bool keepdims);
/* x rounded to even and brought into the range of an integer dtype. */
kn_array knonnx_saturated(kn_array x, kn_dtype dtype);
/* x, of 8 bits, as int8, with the zero point that belongs to it (input `zero`, if there is one): numbers without sign
 * are moved by 128. NULL in *p: it is known to be 0; else int32. */
kn_array knonnx_int8(knonnx_call *c, kn_array x, int zero, kn_array *p);
/* The dtype that sums of such numbers are made in: float32 for shorter floats, else its own. */
kn_dtype knonnx_work_dtype(kn_dtype dtype);
bool knonnx_float_dtype(kn_dtype dtype);

/* ---- Windows. */
typedef struct knonnx_windows {
    int n;
    int64_t kernel[KN_MAX_NDIM], stride[KN_MAX_NDIM], dilation[KN_MAX_NDIM], low[KN_MAX_NDIM], high[KN_MAX_NDIM];
    int64_t in[KN_MAX_NDIM], out[KN_MAX_NDIM];
} knonnx_windows;
/* Reads strides, dilations and pads (checked) for n spatial axes; the kernel is there already. 0, or -1: an error. */
int knonnx_windows_read(knonnx_call *c, knonnx_windows *w);
/* A list of n numbers that an attribute gives, each at least `least`; `otherwise` where it is not given. */
int knonnx_window_list(knonnx_call *c, const char *name, int n, int64_t least, int64_t otherwise, int64_t *out);
/* Applies auto_pad and finds the extents of the result; ceil_mode lets the last window begin inside of the array and
 * end beyond. */
int knonnx_windows_place(knonnx_call *c, knonnx_windows *w, bool ceil_mode);
/* Pairs of pads for so many leading axes without windows and the windows' own. */
kn_lax_pads knonnx_windows_pads(const knonnx_windows *w, int leading, kn_lax_pad_pair pair[KN_MAX_NDIM]);
/* Leading extents 1 and `list`. */
kn_shape knonnx_windows_shape(int leading, int n, const int64_t *list);
#endif
