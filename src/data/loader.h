/* SPDX-License-Identifier: Apache-2.0
 * loader.h -- inside of loaders: which example comes when (order.c), batches as bytes (batch.c), the threads that make
 * them beforehand (ring.c). A batch is bytes until its reader makes arrays of it, in a context of its own. */
#ifndef KN_DATA_LOADER_H
#define KN_DATA_LOADER_H
#include "array/op.h"
#include "kiln/data.h"
#include "tree/structure.h"

/* Where example i of an order of n lies: a permutation of 0 .. n - 1 for each key and epoch, without a table. */
int64_t kndata_shuffled(int64_t n, const uint32_t key[2], int64_t epoch, int64_t i);

/* Rows of an array. */
typedef struct kndata_rows {
    kna_value *value; /* of the reader's context, which releases it */
    const char *from;
    size_t bytes; /* of a row */
} kndata_rows;

/* What a loader is made of; does not change while threads look at it. */
typedef struct kndata_source {
    int64_t n, batch_size, epochs, shards, shard, per_epoch; /* per_epoch: batches */
    bool drop_remainder, has_key;
    uint32_t key[2];
    kn_batch_function map;
    void *map_env;
    kn_example_function example; /* NULL: arrays */
    void *env;
    int n_leaf; /* of the arrays */
    kndata_rows *rows;
    kni_type *type; /* of the arrays, as they are */
    kntree_structure *structure;
    knx_arena arena;
} kndata_source;

typedef struct kndata_batch {
    knx_error *error; /* then there is nothing else */
    int n;
    kni_type *type;
    knx_buffer **buffer;
    kntree_structure *structure;
    knx_arena arena;
} kndata_batch;

/* Batch number `at`, counted from the first epoch on. An error is in the batch. */
void kndata_make(const kndata_source *s, int64_t at, kndata_batch *out);
/* In the context that is current; the buffers are taken over. NULL after an error. */
kn_tree kndata_tree(kndata_batch *b);
void kndata_batch_free(kndata_batch *b); /* fine when zeroed */
int64_t kndata_batches(const kndata_source *s); /* all there are; INT64_MAX: without end */

/* ---- Threads. */

typedef struct kndata_ring kndata_ring;
/* Batches from `at` on; NULL: there are no threads, or no memory for one. */
kndata_ring *kndata_ring_new(const kndata_source *s, int64_t at, int workers, int prefetch);
bool kndata_ring_take(kndata_ring *r, kndata_batch *out); /* false: the threads are not in this process, after a fork */
void kndata_ring_free(kndata_ring *r); /* waits for the threads; NULL is fine */
#endif
