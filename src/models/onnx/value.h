/* SPDX-License-Identifier: Apache-2.0
 * value.h -- what flows along the edges of a graph: tensors are arrays; strings, sequences, optionals and maps are made
 * while the graph is recorded or run and live in the run's arena. Values never change: an operator makes new ones. */
#ifndef KN_MODELS_ONNX_VALUE_H
#define KN_MODELS_ONNX_VALUE_H
#include "models/onnx/onnx.h"

typedef enum knonnx_kind {
    KNONNX_ABSENT,
    KNONNX_TENSOR_VALUE,
    KNONNX_STRINGS_VALUE,
    KNONNX_SEQUENCE_VALUE,
    KNONNX_OPTIONAL_VALUE,
    KNONNX_MAP_VALUE
} knonnx_kind;

typedef struct knonnx_strings {
    int ndim;
    int64_t dim[KN_MAX_NDIM];
    size_t n;
    const char *const *text; /* UTF-8, zero-terminated */
} knonnx_strings;

typedef struct knonnx_value {
    knonnx_kind kind;
    kn_array array; /* of a tensor */
    const knonnx_strings *strings;
    size_t n;                        /* of a sequence's items; of an optional's: 0 or 1; of a map's pairs */
    const struct knonnx_value *item; /* of a sequence and an optional; a map's values, tensors without axes */
    const knonnx_strings *keys;      /* of a map: texts ... */
    const int64_t *key_ints;         /* ... or integers */
    const knonnx_type *type;         /* of what an empty sequence or optional would have; NULL: not known */
} knonnx_value;

static inline knonnx_value knonnx_of_array(kn_array x)
{
    return (knonnx_value){.kind = KNONNX_TENSOR_VALUE, .array = x};
}
#endif
