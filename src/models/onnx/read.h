/* SPDX-License-Identifier: Apache-2.0
 * read.h -- files of ONNX into the structs of onnx.h. */
#ifndef KN_MODELS_ONNX_READ_H
#define KN_MODELS_ONNX_READ_H
#include "models/onnx/onnx.h"

/* The bytes have to live as long as the result, which is in the arena. */
typedef struct knonnx_source {
    const char *operation;
    const char *bytes;
    size_t n;
    const char *folder; /* where external data lie; NULL: nowhere */
    /* The bytes of a file there; 0, or -1 with an error. */
    int (*external)(void *env, const char *path, knonnx_bytes *out);
    void *env;
} knonnx_source;
int knonnx_read_proto(const knonnx_source *s, knmodels_arena *arena, knonnx_proto *out);

extern const struct knonnx_message knonnx_tensor_message; /* for readers of single tensors: proto.h */
#endif
