/* SPDX-License-Identifier: Apache-2.0
 * numbers.h -- what operators of numbers share: dtypes, constants, ONNX's old ways to broadcast. */
#ifndef KN_MODELS_ONNX_OPS_NUMBERS_H
#define KN_MODELS_ONNX_OPS_NUMBERS_H
#include "models/onnx/ops/layers.h"

/* An operator of one input that is one function of Kiln. */
#define KNONNX_UNARY(name, f)                                                                                          \
    static int name(knonnx_call *c) { return knonnx_set(c, 0, f(knonnx_in(c, 0))); }

/* float8, float6, float4, int4, int2: nothing computes with them. */
bool knonnx_is_stored(kn_dtype dtype);
bool knonnx_is_small_float(kn_dtype dtype); /* float8, float6, float4 */
/* x for calculations: what is only stored as float32 or int32, everything else as it is. */
kn_array knonnx_plain(kn_array x);
/* x, in which f is a function of real numbers: float16 and bfloat16 as float32, integers as float64, float32 and float64 as they are. */
kn_array knonnx_widened(kn_array x);
/* Cast's rules: x in a dtype, of floats beyond the range of a float8 the largest of it if `saturate`. round_mode ("up", "down",
 * "nearest") is that of float8e8m0. */
kn_array knonnx_converted(kn_array x, kn_dtype to, bool saturate, const char *round_mode);

/* Vectors of constants. */
kn_array knonnx_of_floats(const float *x, int64_t n);
kn_array knonnx_of_doubles(const double *x, int64_t n);
kn_array knonnx_of_ints(const int64_t *x, int64_t n);
/* The dtype that an attribute names by ONNX's number; NULL with an error. `otherwise` where it is not given. */
kn_dtype knonnx_dtype_of(knonnx_call *c, const char *name, kn_dtype otherwise);
kn_array knonnx_shaped(kn_array x, int ndim, const int64_t *dim);
/* The sum over an axis, in x's dtype. */
kn_array knonnx_total(kn_array x, int axis, bool keepdims);
#endif
