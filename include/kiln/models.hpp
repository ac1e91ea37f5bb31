/* SPDX-License-Identifier: Apache-2.0
 * kiln/models.hpp -- files of models, tokenizers and ONNX in C++: the functions of kiln/models.h, for programs that link kiln_models. */
/* Made by scripts/make-api.py. */
/* clang-format off */
#ifndef KILN_MODELS_HPP
#define KILN_MODELS_HPP
#include <kiln/models.h>
#include <kiln/kiln.hpp>
#include "kiln/cpp/models/cache.hpp"
#include "kiln/cpp/models/gguf.hpp"
#include "kiln/cpp/models/onnx.hpp"
#include "kiln/cpp/models/tokenizer.hpp"
#endif
