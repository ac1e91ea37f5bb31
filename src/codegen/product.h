/* SPDX-License-Identifier: Apache-2.0
 * product.h -- machine code for the inner loops of products: a rectangle of C in registers over a run of k. A function
 * is generated for what it is asked for and kept for the process (docs/products.md). */
#ifndef KN_CODEGEN_PRODUCT_H
#define KN_CODEGEN_PRODUCT_H
#include "codegen/emit.h"

/* What is multiplied and added, from packed or plain memory. Complex numbers lie as (re, im) in A and C, and as a
 * vector of re followed by one of im in packed B. BYTES: products of 8-bit integers (signs below), four steps of k of
 * one column side by side in packed B, sums modulo 2^32; SHORTS: of 16-bit ones, two steps side by side. */
typedef enum kng_number {
    KNG_NUMBER_F32, KNG_NUMBER_F64, KNG_NUMBER_C64, KNG_NUMBER_C128, KNG_NUMBER_I32, KNG_NUMBER_I64,
    KNG_NUMBER_SHORTS, KNG_NUMBER_BYTES, KNG_NUMBER_KINDS
} kng_number;

/* Where the accumulators begin and end. Blocks are 256 steps, counted from the first one of the product. A run of k
 * that a call works on may begin and end anywhere in a block; `phase` says where. */
typedef enum kng_b_from { KNG_B_PACKED, KNG_B_PLAIN, KNG_B_PACKING } kng_b_from; /* PACKING: plain, and stored packed */

/* Equal bytes, equal function: clear it before filling it in. */
typedef struct kng_product_request {
    uint8_t number, target;    /* kng_number, kng_target */
    uint8_t rows, vectors;     /* of the rectangle; vectors of 512 or 256 bits of c's numbers */
    uint8_t lanes;             /* of the last vector: 1 .. all */
    uint8_t b_from;            /* kng_b_from */
    uint8_t chain_in;          /* the first block goes on from the sums at `chain`; else from zero */
    uint8_t chain_out;         /* the last block is not finished: its sums go to `chain`, not to the totals */
    uint8_t total_in;          /* c holds the totals of the blocks before; else the first block begins them */
    uint8_t a_signed, b_signed; /* BYTES, SHORTS */
} kng_product_request;
/* Distances in bytes. a: rows a_row apart, steps of k adjacent (BYTES, SHORTS: k is padded with zeros to a multiple of
 * 4, 2). b: packed, or rows of k b_k apart. c, chain: rows c_row, chain_row apart, columns adjacent. */
typedef struct kng_product_args {
    const void *a, *b;
    void *c, *chain, *packed;
    int64_t a_row, b_k, c_row, chain_row;
    int64_t k;     /* steps, at least 1 */
    int64_t phase; /* steps of the first block that are done already: 0 .. 255 */
} kng_product_args;
typedef void kng_product_function(const kng_product_args *args);

/* How a machine likes its rectangles. */
typedef struct kng_product_shape {
    uint8_t lanes;      /* numbers of c in a vector */
    uint8_t max_rows, vectors; /* the largest rectangle: rows x vectors; any smaller number of either works */
} kng_product_shape;
kng_product_shape kng_product_best(kng_number number, kng_target target);
/* Found without a lock after the first time, made otherwise. NULL: no memory for code: use the loops in C. */
kng_product_function *kng_product_for(const kng_product_request *r);
#endif
