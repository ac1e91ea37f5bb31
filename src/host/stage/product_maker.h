/* SPDX-License-Identifier: Apache-2.0
 * product_maker.h -- the inner loops of products, as host/routine/ asks a generator for them: a rectangle of C in
 * registers over a run of k (docs/products.md). */
#ifndef KN_HOST_STAGE_PRODUCT_MAKER_H
#define KN_HOST_STAGE_PRODUCT_MAKER_H
#include "base/cpu.h"
#include <stdbool.h>
#include <stdint.h>

/* What is multiplied and added, from packed or plain memory. Complex numbers lie as (re, im) everywhere; a step of
 * packed B is a row of numbers as they lie, and after it the same row as (-im, re). BYTES: products of 8-bit integers
 * (signs below), four steps of k of one column side by side in packed B, sums modulo 2^32; some makers only. SHORTS: of
 * signed 16-bit ones, two steps side by side. Bytes of either sign can be widened to them. */
typedef enum knh_number {
    KNH_NUMBER_F32, KNH_NUMBER_F64, KNH_NUMBER_C64, KNH_NUMBER_C128, KNH_NUMBER_I32, KNH_NUMBER_I64,
    KNH_NUMBER_SHORTS, KNH_NUMBER_BYTES, KNH_NUMBER_KINDS
} knh_number;

/* B. PACKED: a row of a step is `vectors` whole vectors, and the steps follow one another; what lies beyond `lanes` is
 * read but does not matter. PLAIN: where the array has it, a row of a step is adjacent; nothing beyond `lanes` is
 * touched. PACKING: plain, and stored packed (zeros of any sign beyond `lanes`). TURNED (floats): the steps of a column
 * are adjacent, columns b_k bytes apart; rows and columns change places in registers. TABLE: as PLAIN, but the row of
 * step k is table[k] bytes behind b. SHORTS and BYTES: only PACKED. */
typedef enum knh_b_from {
    KNH_B_PACKED, KNH_B_PLAIN, KNH_B_PACKING, KNH_B_TURNED, KNH_B_TABLE, KNH_B_KINDS
} knh_b_from;
/* A. ALONG: the steps of a row are adjacent, rows a_row bytes apart. ACROSS: the rows of a step are adjacent, steps
 * a_k bytes apart (not SHORTS, BYTES, nor TURNED). LANES (with TURNED): one row, which has steps for each
 * column, as B: a_row bytes apart. So the sums of the blocks of one long product of two vectors are its columns. TABLE
 * (not SHORTS, BYTES, nor with a TURNED or TABLE B; KNH_TABLE_ROWS at most): rows are a_row bytes apart, step k begins
 * table[k] bytes behind a. VECTORS (reals): as TABLE, but a step of a row has a number for each column, in whole
 * vectors. */
typedef enum knh_a_from { KNH_A_ALONG, KNH_A_ACROSS, KNH_A_LANES, KNH_A_TABLE, KNH_A_VECTORS } knh_a_from;
enum { KNH_TABLE_ROWS = 14 };

/* Which function. */
typedef struct knh_product_request {
    uint8_t number;          /* knh_number */
    uint8_t rows, vectors;   /* of the rectangle; vectors of the maker's length, of c's numbers */
    uint8_t lanes;           /* of the last vector: 1 .. all */
    uint8_t b_from, a_from;  /* knh_b_from, knh_a_from */
    uint8_t a_signed : 1, b_signed : 1; /* BYTES; else of no importance */
    uint8_t minus : 1;                  /* floats: blocks are taken from the totals that c holds (total_in is not 0) */
} knh_product_request;
/* Distances in bytes. SHORTS, BYTES: k is a multiple of 2, 4: both operands are padded with zeros. Columns of c and of
 * the chains are adjacent, `lanes` of the last vector. Blocks are 256 steps, counted from the first one of the product;
 * a call begins and ends anywhere in a block. All these are numbers of the call, so that one function does for all
 * pieces of k. */
typedef struct knh_product_args {
    const void *a, *b;
    void *c;
    void *packed;         /* PACKING: where to */
    const int64_t *table; /* of a or b, for each step of the call */
    int64_t a_row, a_k, b_k, c_row;
    int64_t k;            /* steps, at least 1 */
    int64_t phase;        /* steps of the first block that are done already: 0 .. 255 */
    int64_t total_in;     /* not 0: c holds the totals of the blocks before; else the first block begins them */
    const void *chain_in; /* the first block goes on from these sums; NULL: from zero */
    void *chain_out;      /* the last block is not finished: its sums go here and not to the totals; NULL: it is */
    int64_t chain_row;    /* of both */
    int64_t ahead;        /* TURNED: so far in front of itself B is asked for; 0: no need */
} knh_product_args;
typedef void knh_product_function(const knh_product_args *args);

/* How a maker likes its rectangles. */
typedef struct knh_product_shape {
    uint8_t lanes;             /* numbers of c in a vector */
    uint8_t max_rows, vectors; /* the best rectangle: rows x vectors; any smaller number of either works */
} knh_product_shape;

/* Who makes them. */
typedef struct knh_product_maker knh_product_maker;
struct knh_product_maker {
    knh_product_shape (*best)(const knh_product_maker *m, knh_number number);
    /* The most rows that fit beside so many vectors, 0: none, or this CPU has no such instructions. (10 accumulators
     * hide the time that an addition takes: few rows want more vectors than the best shape has. Where B comes from
     * memory, few rows wait for it: wide rectangles over pieces of 16 to 64 steps read it as fast as it comes.) */
    int (*rows)(const knh_product_maker *m, knh_number number, int vectors);
    /* The same for B TURNED, with A ALONG or in LANES; 0: B is never TURNED. 16 columns are best. */
    int (*rows_turned)(const knh_product_maker *m, knh_number number, int vectors, knh_a_from a);
    /* Found without a lock after the first time, made otherwise; kept for the process. NULL: use the loops in C: no
     * memory for code, or a rectangle that does not fit. */
    knh_product_function *(*function)(const knh_product_maker *m, const knh_product_request *r);
    const knh_product_maker *shorter; /* for vectors of half the length, on the same CPUs; NULL: there is none */
    knx_cpu cpu;                      /* what the processor must be allowed for (knx_cpu_chosen) */
};

static inline knh_product_shape knh_product_best(const knh_product_maker *m, knh_number number)
{
    return m->best(m, number);
}
static inline int knh_product_rows(const knh_product_maker *m, knh_number number, int vectors)
{
    return m->rows(m, number, vectors);
}
static inline int knh_product_rows_turned(const knh_product_maker *m, knh_number number, int vectors, knh_a_from a)
{
    return m->rows_turned(m, number, vectors, a);
}
static inline knh_product_function *knh_product_for(const knh_product_maker *m, const knh_product_request *r)
{
    return m->function(m, r);
}
#endif
