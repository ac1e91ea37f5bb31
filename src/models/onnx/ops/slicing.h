/* SPDX-License-Identifier: Apache-2.0
 * slicing.h -- parts of arrays, for the operators that cut. */
#ifndef KN_MODELS_ONNX_OPS_SLICING_H
#define KN_MODELS_ONNX_OPS_SLICING_H
#include "models/onnx/ops/move.h"

/* The part from start to stop of one axis, and all of the others. */
kn_array knonnx_cut(kn_array x, int axis, int64_t start, int64_t stop);
/* n parts of an axis, as equal as the version of the operator has it; 0, or -1 with an error. */
int knonnx_split_sizes(knonnx_call *c, int64_t extent, int n, int64_t *to);
int knonnx_split_check(knonnx_call *c, int64_t extent, int n, const int64_t *size);
#endif
