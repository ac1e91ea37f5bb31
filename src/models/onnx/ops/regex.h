/* SPDX-License-Identifier: Apache-2.0
 * regex.h -- regular expressions in RE2's syntax. */
#ifndef KN_MODELS_ONNX_OPS_REGEX_H
#define KN_MODELS_ONNX_OPS_REGEX_H
#include "models/onnx/ops/call.h"

/* Which of n texts the pattern matches as a whole; 0, or -1 with an error. */
int knonnx_regex_full(knonnx_call *c, const char *pattern, size_t n, const char *const *text, bool *matches);
#endif
