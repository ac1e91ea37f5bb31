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

/* A part of a product: some batches, of each some rows or (sums) some steps, with its operands and its result in the
 * scratch or at references of the step that the part belongs to. Sums in parts are those of the whole if each part but
 * the last has whole blocks of steps, and they follow one another: the totals so far wait in the scratch. */
typedef struct kng_part {
    bool sums;
    uint64_t batch, batches, first, n; /* first, n: rows or steps; they begin anew with each launch */
    bool in_room[3];                   /* a, b, c: are they in the scratch? */
    uint64_t at[3];                    /* where in the scratch; at references: elements from there on */
    uint32_t ref[3];
    uint64_t totals;                   /* sums: their place in the scratch */
    bool continues, goes_on;           /* sums: of parts before, behind */
} kng_part;

/* The words of a part that are others in each block of rows, by their numbers. */
typedef struct kng_part_words {
    uint32_t begin[3], batch, first, continues, goes_on;
} kng_part_words;

typedef struct kng_product {
    const knk_product *p;
    const kng_part *part;      /* NULL: all of the product */
    kng_part_words words;
    bool waits;                /* sums of blocks become totals in a dispatch of their own */
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

/* product.c: why not; adds the dispatches of a part to m's plan. */
const char *kng_part_refused(const knw_facts *f, const knc_program *p, const knc_step *s, const kng_part *part);
void kng_plan_part(kng_maker *m, const knc_step *s, const kng_part *part, kng_part_words *words);

void kng_product_tiles(kng_maker *m, kng_product *x);
void kng_product_elements(kng_maker *m, kng_product *x);
void kng_product_totals(kng_maker *m, kng_product *x);
#endif
