/* SPDX-License-Identifier: Apache-2.0
 * product.h -- a product as the plan (product.c) and its texts (product_text.c) see it. */
#ifndef KN_WEBGPU_ROUTINE_PRODUCT_H
#define KN_WEBGPU_ROUTINE_PRODUCT_H
#include "kernel/product.h"
#include "webgpu/routine/routine.h"

/* Rows and columns of a workgroup's tile of c, and of one invocation's. */
typedef struct kng_tile {
    uint32_t rows, columns, mine, across;
} kng_tile;
enum { KNG_STEPS = 16, KNG_BLOCK = 256 };

typedef struct kng_product {
    const knk_product *p;
    uint32_t a, b, c;          /* references; KNC_NO: none, since a kernel gives the elements, or takes them */
    const knc_attached *fill_a, *fill_b, *finish; /* these kernels; NULL: none */
    uint64_t batch, m, n, k;   /* numbers of all */
    kn_dtype sum;              /* of the sums, as the text has them */
    kng_tile tile;             /* rows 0: an invocation for each element */
    bool a_steps, b_steps;     /* neighbours in memory are steps, of a, of b */
    bool holes;                /* some windows have elements apart */
    uint64_t blocks;           /* each workgroup makes the sum of one; 1: it makes the total */
    uint64_t place;            /* blocks > 1: of the sums, in the scratch */
} kng_product;

void kng_product_tiles(kng_maker *m, const kng_product *x);
void kng_product_elements(kng_maker *m, const kng_product *x);
void kng_product_totals(kng_maker *m, const kng_product *x);
#endif
