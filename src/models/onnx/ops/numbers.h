/* SPDX-License-Identifier: Apache-2.0
 * numbers.h -- what operators of numbers share: dtypes, constants, ONNX's old ways to broadcast. */
#ifndef KN_MODELS_ONNX_OPS_NUMBERS_H
#define KN_MODELS_ONNX_OPS_NUMBERS_H
#include "models/onnx/ops/call.h"

/* An operator of one input that is one function of Kiln. */
#define KNONNX_UNARY(name, f)                                                                                          \
    static int name(knonnx_call *c) { return knonnx_set(c, 0, f(knonnx_in(c, 0))); }

static inline bool knonnx_is_float(kn_array x) { return kn_dtype_kind(kn_dtype_of(x)) == 'f'; }
/* float8, float6, float4, int4, int2: nothing computes with them. */
bool knonnx_is_stored(kn_dtype dtype);
bool knonnx_is_small_float(kn_dtype dtype); /* float8, float6, float4 */
/* x in another dtype; x itself if it has it already. */
kn_array knonnx_as(kn_array x, kn_dtype dtype);
/* x for calculations: what is only stored as float32 or int32, everything else as it is. */
kn_array knonnx_plain(kn_array x);
/* x, in which f is a function of real numbers: float16 and bfloat16 as float32, integers as float64, float32 and
 * float64 as they are. */
kn_array knonnx_wide(kn_array x);
/* Cast's rules: x in a dtype, of floats beyond the range of a float8 the largest of it if `saturate`. round_mode
 * ("up", "down", "nearest") is that of float8e8m0. */
kn_array knonnx_cast(kn_array x, kn_dtype to, bool saturate, const char *round_mode);

/* Vectors of constants. */
kn_array knonnx_of_floats(const float *x, int64_t n);
kn_array knonnx_of_doubles(const double *x, int64_t n);
kn_array knonnx_of_ints(const int64_t *x, int64_t n);
/* The dtype that an attribute names by ONNX's number; NULL with an error. `otherwise` where it is not given. */
kn_dtype knonnx_dtype_of(knonnx_call *c, const char *name, kn_dtype otherwise);
/* x in another shape, along one axis only: extents are 1 elsewhere, in an array of ndim axes. */
kn_array knonnx_along(kn_array x, int axis, int ndim);
kn_array knonnx_shaped(kn_array x, int ndim, const int64_t *dim);
/* x[start : stop] of an axis, and all of the others. */
kn_array knonnx_part(kn_array x, int axis, int64_t start, int64_t stop);
kn_array knonnx_join(kn_array a, kn_array b, int axis);
/* The sum over all axes from `first` on, in x's dtype, or float32 for less precise ones. */
kn_array knonnx_total(kn_array x, int axis, bool keepdims);
#endif
