/* SPDX-License-Identifier: Apache-2.0
 * tables.c -- the families of operators. */
#include "models/onnx/ops/call.h"
#include <string.h>

extern const knonnx_row knonnx_rows_ml_linear[], knonnx_rows_ml_svm[], knonnx_rows_ml_trees[], knonnx_rows_training[],
    knonnx_rows_gradient[];
extern const knonnx_row knonnx_rows_activations[], knonnx_rows_binary[], knonnx_rows_cast[], knonnx_rows_constants[], knonnx_rows_losses[], knonnx_rows_quantize[], knonnx_rows_random[], knonnx_rows_reductions[], knonnx_rows_signal[], knonnx_rows_unary[];

const knonnx_family knonnx_families[] = {
    {"", knonnx_rows_activations},
    {"", knonnx_rows_binary},
    {"", knonnx_rows_cast},
    {"", knonnx_rows_constants},
    {"", knonnx_rows_losses},
    {"", knonnx_rows_quantize},
    {"", knonnx_rows_random},
    {"", knonnx_rows_reductions},
    {"", knonnx_rows_signal},
    {"", knonnx_rows_unary},
    {"ai.onnx.ml", knonnx_rows_ml_linear},
    {"ai.onnx.ml", knonnx_rows_ml_svm},
    {"ai.onnx.ml", knonnx_rows_ml_trees},
    {"ai.onnx.preview.training", knonnx_rows_training},
    {"ai.onnx.preview.training", knonnx_rows_gradient},
    {NULL, NULL},
};

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
