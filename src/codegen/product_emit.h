/* SPDX-License-Identifier: Apache-2.0
 * product_emit.h -- what the generators of the inner loops of products share: which registers a function has, and how
 * it reaches A, B and C. */
#ifndef KN_CODEGEN_PRODUCT_EMIT_H
#define KN_CODEGEN_PRODUCT_EMIT_H
#include "codegen/product.h"

/* Of a kind of number: bytes of an element of c and of a step of a row of A; of what is broadcast from A at once; how
 * many of those there are in a step (complex: re, then im); steps that are taken at once (BYTES: 4). */
typedef struct kng_number_form {
    uint8_t c_bytes, a_bytes, parts, steps;
    bool wide; /* reals of 64 bits */
} kng_number_form;
extern const kng_number_form kng_number_forms[KNG_NUMBER_KINDS];

typedef struct kng_tiler {
    kng_asm *a;
    const kng_product_request *r;
    kng_number_form f;
    int length, bytes; /* of a vector: 1 or 2 (x86.h); 32 or 64 */
    int rows, vectors;
    bool partial;             /* the last vector has fewer lanes */
    int b0, a0, n_a, mask;    /* vector registers: of B, of elements of A; AVX2: which lanes the last vector has, -1:
                                  not kept. Accumulators are number 0 to rows * vectors - 1; AVX-512's mask is k1 */
    int t0, n_t;              /* temporaries */
    int used;                 /* general-purpose registers that are taken */
    int a_base[4], a_row[4];  /* ALONG: a base per 7 rows; distances of 1, 3, 5 rows. ACROSS: one base; 1, 3 steps */
    int b, b_k, b_k3, packed; /* B, the distances of 1 and 3 steps, where PACKING stores */
    int count, left;          /* steps of this loop, and after it */
} kng_tiler;

static inline int kng_accumulator(const kng_tiler *t, int row, int vector) { return row * t->vectors + vector; }
/* An instruction for reals of this size. */
static inline kng_insn kng_either(const kng_tiler *t, kng_insn narrow, kng_insn wide)
{
    return t->f.wide ? wide : narrow;
}

/* Row i, step s of the steps that are taken between two moves of the bases, part p. */
kng_operand kng_tile_a(const kng_tiler *t, int i, int s, int p);
/* Vector v of step s of B. `row`: of packed B, counted in rows of vectors. */
kng_operand kng_tile_b(const kng_tiler *t, int s, int v);
/* Loads or stores vector v of a row of the rectangle (or of plain B): only its lanes, zeros beyond them. */
void kng_tile_load(kng_tiler *t, int v, int reg, kng_operand from);
void kng_tile_store(kng_tiler *t, int v, int reg, kng_operand to);
void kng_tile_advance(kng_tiler *t, int steps); /* after so many steps: 1 or 4 */

/* The whole function, and the step in its middle for floats and for integers. */
void kng_tile_function(kng_tiler *t);
void kng_tile_step_float(kng_tiler *t, int s);
void kng_tile_step_int(kng_tiler *t, int s);
#endif
