/* SPDX-License-Identifier: Apache-2.0
 * tables.c -- the families of operators. */
#include "models/onnx/ops/call.h"
#include <string.h>

/* Domain, and the table knonnx_rows_NAME of a file here. */
#define FAMILIES(X)                         \
    X("", activations)                      \
    X("", attention)                        \
    X("", binary)                           \
    X("", blocks)                           \
    X("", cast)                             \
    X("", constants)                        \
    X("", control)                          \
    X("", conv)                             \
    X("", image_decoder)                    \
    X("", indexing)                         \
    X("", loops)                            \
    X("", losses)                           \
    X("", matmul)                           \
    X("", ngrams)                           \
    X("", normal)                           \
    X("", pool)                             \
    X("", quantize)                         \
    X("", random)                           \
    X("", reductions)                       \
    X("", regions)                          \
    X("", resize)                           \
    X("", rnn)                              \
    X("", sample)                           \
    X("", selecting)                        \
    X("", sequence_layers)                  \
    X("", sequences)                        \
    X("", shapes)                           \
    X("", signal)                           \
    X("", slicing)                          \
    X("", strings)                          \
    X("", unary)                            \
    X("ai.onnx.ml", maps)                   \
    X("ai.onnx.ml", ml_linear)              \
    X("ai.onnx.ml", ml_svm)                 \
    X("ai.onnx.ml", ml_trees)               \
    X("ai.onnx.preview", attention_preview) \
    X("ai.onnx.preview.training", gradient) \
    X("ai.onnx.preview.training", training)

#define DECLARE(domain, name) extern const knonnx_row knonnx_rows_##name[];
FAMILIES(DECLARE)
#define ENTRY(domain, name) {domain, knonnx_rows_##name},
const knonnx_family knonnx_families[] = {FAMILIES(ENTRY){NULL, NULL}};

const knonnx_row *knonnx_row_of(const char *domain, const char *name, int64_t version)
{
    const knonnx_row *best = NULL;
    for (const knonnx_family *f = knonnx_families; f->rows; f++) {
        if (strcmp(f->domain, domain))
            continue;
        for (const knonnx_row *r = f->rows; r->name; r++)
            if (!strcmp(r->name, name) && r->since <= version && (!best || r->since > best->since))
                best = r;
    }
    return best;
}
