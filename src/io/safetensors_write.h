/* SPDX-License-Identifier: Apache-2.0
 * safetensors_write.h -- trees that are being written as files of safetensors: one (safetensors_write.c), or several
 * under an index (safetensors_sharded.c). */
#ifndef KN_IO_SAFETENSORS_WRITE_H
#define KN_IO_SAFETENSORS_WRITE_H
#include "io/arrays.h"
#include "io/safetensors.h"
#include "kiln/safetensors.h"
#include "tree/tree.h"

typedef struct knio_st_tensor {
    char *name;
    const knio_st_type *type;
    int shard; /* the file that it goes to */
    knio_saved saved;
    uint64_t elements, bytes;
} knio_st_tensor;

typedef struct knio_st_writer {
    const char *operation;
    int n;
    knio_st_tensor *tensor; /* in the order of the tree */
    int n_pair;
    knio_st_pair *pair; /* metadata, sorted by key */
} knio_st_writer;

/* Begins the operation with what is to be written; false: it has not begun, and an error is reported. The arrays
 * belong to the scope. */
bool knio_st_begin(knio_st_writer *w, kna_op *op, kn_tree tree, const kn_text_list *metadata, const char *separator);
void knio_st_drop(knio_st_writer *w);
/* The tensors of one file. */
knx_error *knio_st_write(const knio_st_writer *w, const char *path, FILE *stream, int shard, int n_pair,
                         const knio_st_pair *pair);
#endif
