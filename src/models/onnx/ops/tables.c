/* SPDX-License-Identifier: Apache-2.0
 * tables.c -- the families of operators. */
#include "models/onnx/ops/call.h"
#include <string.h>

const knonnx_family knonnx_families[] = {
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
