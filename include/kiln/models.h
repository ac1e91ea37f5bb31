/* SPDX-License-Identifier: Apache-2.0
 * kiln/models.h -- trained models: ONNX in and out, tokenizers, files of models, a cache of files: the library
 * kiln_models, which a program links beside kiln. docs/models.md tells about it; safetensors are in the core
 * (kiln/safetensors.h). */
#ifndef KILN_MODELS_H
#define KILN_MODELS_H
#include "kiln/kiln.h"
#include "kiln/models/cache.h"
#include "kiln/models/gguf.h"
#include "kiln/models/onnx.h"
#include "kiln/models/tokenizer.h"
#endif
