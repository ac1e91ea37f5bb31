/* SPDX-License-Identifier: Apache-2.0
 * file.h -- what a gguf file says of itself. */
#ifndef KN_MODELS_GGUF_FILE_H
#define KN_MODELS_GGUF_FILE_H
#include "models/gguf/quant.h"

enum { KNGGUF_MAX_NDIM = 8 };

typedef struct kngguf_tensor {
    const char *name;
    kn_gguf_kind kind;
    int ndim;
    int64_t dim[KNGGUF_MAX_NDIM]; /* NumPy's order */
    uint64_t at;                  /* in the file, once it is known where tensors begin */
} kngguf_tensor;

typedef struct kngguf_entry {
    const char *name;
    kn_gguf_type type; /* of an array: of its elements */
    bool is_array;
    uint64_t n;
    const char *at;    /* of numbers: in the file, aligned or not */
    const char **text; /* of texts */
} kngguf_entry;

typedef struct kngguf_file {
    knmodels_map *map;
    knmodels_arena arena;
    int n_tensor, n_entry;
    kngguf_tensor *tensor; /* in the file's order */
    kngguf_entry *entry;
    const kngguf_tensor **by_name; /* sorted */
    const kngguf_entry **entry_by_name;
    uint64_t alignment;
} kngguf_file;

/* Reads the file that f->map has; 0, or -1 with an error that names the path. */
int kngguf_read(const char *operation, const char *path, kngguf_file *f);
kn_dtype kngguf_type_dtype(kn_gguf_type t); /* NULL: texts and arrays */
#endif
