/* SPDX-License-Identifier: Apache-2.0
 * model.h -- the models behind handles. */
#ifndef KN_MODELS_ONNX_MODEL_H
#define KN_MODELS_ONNX_MODEL_H
#include "models/onnx/names.h"
#include "models/onnx/run.h"

knonnx_model *knonnx_model_get(const char *operation, kn_onnx model); /* NULL with an error */
#endif
