/* SPDX-License-Identifier: Apache-2.0
 * product_emit.h -- what the generators of the inner loops of products share: which registers a function has, and how
 * it reaches A, B and C. */
#ifndef KN_HOST_X86_PRODUCT_EMIT_H
#define KN_HOST_X86_PRODUCT_EMIT_H
#include "host/x86/product.h"

/* Of a kind of number: bytes of an element of c and of a step of a row of A; of what is broadcast from A at once; how
 * many of those there are in a step (complex: re, then im); steps that are taken at once (BYTES: 4). */
typedef struct knh_number_form {
    uint8_t c_bytes, a_bytes, parts, steps;
    bool wide; /* reals of 64 bits */
} knh_number_form;
extern const knh_number_form knh_number_forms[KNH_NUMBER_KINDS];

enum { KNH_LINES_PER_BASE = 7 };
/* Lines of memory at one distance from each other, a base for each 7 of them. */
typedef struct knh_lines {
    int n, n_base;
    int8_t base[5], by[3]; /* registers: of the bases; of 1, 3 and 5 times the distance */
} knh_lines;

typedef struct knh_tiler {
    knh_asm *a;
    const knh_product_request *r;
    knh_number_form f;
    int length, bytes; /* of a vector: 1 or 2 (x86.h); 32 or 64 */
    int rows, vectors, columns;
    bool partial; /* the last vector has fewer lanes */
    /* Vector registers. Accumulators are number 0 to rows * vectors - 1. */
    int b0, t0, a0, n_a; /* of B; temporaries; of A: n_a of them */
    int mask;            /* which lanes the last vector has: AVX2, -1: all. (AVX-512: k1) */
    /* General-purpose registers. */
    int used;
    knh_lines at_a, at_b, ahead; /* A: its rows, or steps (ACROSS); B: its steps, or columns (TURNED); and later ones */
    int packed;                  /* where PACKING stores */
    int next;                    /* TURNED: columns that are asked for; -1: no register is left */
    int table, origin;           /* TABLE: its next entry, and the operand; at_a or at_b are set for each step */
    int count, left;             /* steps of this loop, and after it */
} knh_tiler;

#define KNH_PRODUCT_ARG(field) knh_at(KNH_RDI, (int32_t)offsetof(knh_product_args, field))
static inline int knh_accumulator(const knh_tiler *t, int row, int vector) { return row * t->vectors + vector; }
/* An instruction for reals of this size. */
static inline knh_insn knh_either(const knh_tiler *t, knh_insn narrow, knh_insn wide)
{
    return t->f.wide ? wide : narrow;
}

/* product_lines.c */
void knh_tile_registers(knh_tiler *t); /* takes the general-purpose ones */
void knh_tile_save(knh_tiler *t);
void knh_tile_restore(knh_tiler *t);
void knh_tile_arguments(knh_tiler *t); /* loads them, and the mask */
knh_operand knh_line(const knh_lines *l, int i, int32_t disp);
void knh_lines_move(knh_tiler *t, const knh_lines *l, int32_t bytes); /* along themselves */
/* Row i, step s of the steps that are taken between two moves of the bases, part p. */
knh_operand knh_tile_a(const knh_tiler *t, int i, int s, int p);
/* Vector v of B; s: its step, or the row of packed B. */
knh_operand knh_tile_b(const knh_tiler *t, int s, int v);
void knh_tile_prefetch_b(knh_tiler *t, int s);
void knh_tile_find(knh_tiler *t, int s); /* step s of an operand that has a table */
/* Loads or stores vector v of a row of the rectangle (or of plain B): only its lanes, zeros beyond them. */
void knh_tile_load(knh_tiler *t, int v, int reg, knh_operand from);
void knh_tile_store(knh_tiler *t, int v, int reg, knh_operand to);
void knh_tile_advance(knh_tiler *t, int steps); /* after so many steps: 1 or 4 */

/* product_tile.c */
void knh_tile_function(knh_tiler *t);
/* As many times as there are so many steps. */
void knh_tile_loop(knh_tiler *t, int steps, void (*body)(knh_tiler *t, int n), int n);

/* product_float.c: a step; the vectors of step s to the registers b0 .., stored packed if they are to be; part 1 of
 * complex numbers is (-im, re), and so is what knh_tile_turn makes of (re, im). */
void knh_tile_step_float(knh_tiler *t, int s);
void knh_tile_take_b(knh_tiler *t, int s, int part);
void knh_tile_turn(knh_tiler *t, int reg);

/* product_int.c: a step. BYTES of one sign: before the accumulators are used, 128 times the sum of each row of A to 4
 * bytes per row at [rsp + stack]; and from there to the accumulators. */
void knh_tile_step_int(knh_tiler *t, int s);
void knh_tile_row_sums(knh_tiler *t, int stack);
void knh_tile_correct(knh_tiler *t, int stack);

/* product_turn.c: all steps, of columns of B that lie along k. */
void knh_tile_steps_turned(knh_tiler *t);
#endif
