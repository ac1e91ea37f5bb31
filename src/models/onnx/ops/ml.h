/* SPDX-License-Identifier: Apache-2.0
 * ml.h -- what the models of ai.onnx.ml share: rows of features, scores and labels. */
#ifndef KN_MODELS_ONNX_OPS_ML_H
#define KN_MODELS_ONNX_OPS_ML_H
#include "models/onnx/ops/numbers.h"

/* Input 0 as rows of features, a vector as one row: float64 where it is that, else float32. NULL with an error. */
kn_array knonnx_ml_rows(knonnx_call *c);
/* An attribute of floats as a vector of the dtype; NULL without an error where it is not given or empty. */
kn_array knonnx_ml_vector(knonnx_call *c, const char *name, kn_dtype dtype);
/* What post_transform says of scores, row by row; "NONE" leaves them. NULL with an error. */
kn_array knonnx_ml_post(knonnx_call *c, kn_array scores, const char *how);
/* Sets output i to the labels at these positions (int64, a vector): those of an attribute of integers or of one of
 * texts, which need values that are known; the positions themselves where neither is given. */
int knonnx_ml_labels(knonnx_call *c, int i, kn_array at, const char *ints, const char *texts);
/* How many labels there are. */
int knonnx_ml_label_count(knonnx_call *c, const char *ints, const char *texts);
kn_array knonnx_ml_columns(kn_array a, kn_array b); /* two vectors as the columns of a matrix */
kn_array knonnx_ml_column(kn_array x, int64_t i);   /* column i of a matrix, a vector */
/* The position of the largest score of each row. */
kn_array knonnx_ml_best(kn_array scores);
#endif
