/* SPDX-License-Identifier: Apache-2.0
 * values.h -- values in files of their own, as ONNX's test cases have them, and how they are compared. */
#ifndef KN_TESTS_ONNX_VALUES_H
#define KN_TESTS_ONNX_VALUES_H
#include "models/onnx/run.h"

/* The value of a file: its type says what it is. 0, or -1 with an error. */
int read_value(knonnx_run *run, const knonnx_type *type, const char *path, knonnx_value *out);
/* Whether a value is what is wanted, |a - b| <= atol + rtol |b|; else a text that says what differs. */
bool same_value(const knonnx_value *a, const knonnx_value *wanted, double rtol, double atol, char *text, size_t room);
#endif
