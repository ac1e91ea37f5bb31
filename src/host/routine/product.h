/* SPDX-License-Identifier: Apache-2.0
 * product.h -- products of two arrays, summed over contracted dimensions: what dot_general and convolutions run
 * (docs/products.md). A product is described once (knk_product), planned once (knr_product_make), and run many times,
 * whole or in parts. The order of its additions is docs/determinism.md's ("Products"), whatever the layout, blocking,
 * threads and instruction set. */
#ifndef KN_HOST_ROUTINE_PRODUCT_H
#define KN_HOST_ROUTINE_PRODUCT_H
#include "kernel/product.h"

/* Elements of an operand (in its dtype) that are computed rather than loaded: rows row .. row + rows - 1 (of the
 * flattened group m for a, n for b) and steps k .. k + steps - 1 of batch number `batch` (flattened) go to
 * to[i * to_row + p * to_k]; one of the two distances (in elements) is 1. Called by any worker, again and again. */
typedef void knr_fill(void *env, int64_t batch, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to,
                      int64_t to_row, int64_t to_k, int worker);
/* Takes finished elements (of the dtype `result`) instead of c: rows x columns of them (indices of the flattened groups
 * m and n), element (i, j) at from[i * from_row + j * from_column]; one of the distances is 1. Each element once. It
 * may write over `from`. */
typedef void knr_finish(void *env, int64_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns,
                        void *from, int64_t from_row, int64_t from_column, int worker);

/* A product thought through, in `room` (knr_plan_bytes(p) bytes, at a multiple of 64). It keeps nothing of *p. fill_a,
 * fill_b, finish: will runs bring such functions? */
typedef struct knr_plan knr_plan;
size_t knr_plan_bytes(const knk_product *p);
const knr_plan *knr_product_make(void *room, const knk_product *p, bool fill_a, bool fill_b, bool finish);
/* Of floats: c += product or c -= product, block of 256 steps after block, as each is done. NULL if the result does not
 * lie so that the inner loops can write it (rows of adjacent elements, or columns). Runs bring no functions. */
typedef enum { KNR_SET, KNR_PLUS, KNR_MINUS } knr_into;
const knr_plan *knr_product_make_into(void *room, const knk_product *p, knr_into into);
size_t knr_product_workspace(const knr_plan *p, int threads); /* bytes, 64-byte aligned; 0 if none is needed */
double knr_product_cost(const knr_plan *p);                   /* nanoseconds on one thread, estimated */

/* A run. Bases are those of the whole arrays, also for parts. */
typedef struct knr_run {
    const void *a, *b;
    void *c;
    knr_fill *fill_a, *fill_b;
    knr_finish *finish;
    void *env_a, *env_b, *env_finish;
    void *workspace;
    int threads; /* at most so many; 1: this thread alone */
} knr_run;
void knr_product_run(const knr_plan *p, const knr_run *r);

/* A part: one batch, rows m0 .. m1 - 1 of the flattened group m, all columns, and steps k0 .. k1 - 1. Parts of the same
 * elements come in the order of their steps, from 0 to the end without gaps; all but the last one end at a multiple of
 * 8. `chain`: where parts stop inside of a block of 256 steps, the sums of that block wait here between parts:
 * knr_product_chain_bytes(p) bytes per batch that is being worked on; NULL if all parts end at blocks (not for parts of
 * k of a float16 or bfloat16 result: its totals wait there too). c holds the totals meanwhile (no `finish` with parts
 * of k). `workspace`: knr_part_workspace(p) bytes. `worker` is what the callbacks get. On this thread alone. */
typedef struct knr_part {
    int64_t batch, m0, m1, k0, k1;
    void *chain;
} knr_part;
size_t knr_product_chain_bytes(const knr_plan *p);
size_t knr_part_workspace(const knr_plan *p);
void knr_product_run_part(const knr_plan *p, const knr_run *r, const knr_part *part, int worker);
#endif
