/* SPDX-License-Identifier: Apache-2.0
 * piece.h -- a kernel of one stage as a function of another dispatch's text: what an operand or the result of a product
 * is put through. One of the kernel's buffers is not memory: its elements are arguments of the function or, if the
 * kernel stores them, what the function returns. Or all of its buffers are memory: then it is a whole kernel, of any
 * stages, for a text that runs several of them one after the other. */
#ifndef KN_WGSL_PIECE_H
#define KN_WGSL_PIECE_H
#include "wgsl/numbers.h"

/* What a text does with a memory. Whoever puts a text together adds what its other parts do. */
typedef struct knw_memory {
    bool used, written, atomic;
    uint32_t load, store, put; /* a bit per dtype: the function is there */
} knw_memory;

/* fn NAME(n0: u32, n1: u32, n2: u32, x0: T, x1: T): the kernel's point. Each n numbers the points of some of the
 * kernel's parallel loops, in C order; x are the parts of the element that is handed over, values of the IR as
 * numbers.h has them. Of an element that the kernel stores: fn NAME(n0, n1, n2) -> T, or -> vec2<f32> of its parts.
 * A whole kernel (handed -1): fn NAME(n0, n1, n2), n0 the point, n1 the number of a turn, n2 the invocation, which is
 * one of 64 that all call it (KNW_ROWS). */
typedef struct knw_piece {
    const char *name;
    const knk_kernel *kernel;
    int loops[3];          /* how many of its loops each n numbers, the outermost first */
    const uint8_t *memory; /* per buffer: in which memory it lies, whose text is "memory0" */
    int handed, parts;     /* the buffer whose elements are handed over; parts of one */
    const uint8_t *part;   /* per map of that buffer: which part it is, 0 or 1 */
    uint32_t begin;        /* the first of its words: where buffer b begins in its memory is word begin + b */
    /* Of a whole kernel: */
    uint8_t mode;          /* KNW_POINTS, KNW_ROWS */
    const uint32_t *moves; /* per buffer: the word of the elements that it moves by from turn to turn; 0: it stays */
} knw_piece;

/* The word behind the last one. */
knx_error *knw_piece_end(const knw_piece *p, uint32_t *out);
/* The words of the launch from p->begin on, but for where buffers begin. inner: of a whole kernel, else NULL. */
knx_error *knw_piece_words(const knw_piece *p, const int64_t *par, const knk_map_values *map,
                           const int64_t *const *inner, uint32_t *words);
/* Adds what it does with memories: memory[KNW_MOST_MEMORIES]. */
void knw_piece_memory(const knw_piece *p, knw_memory *memory);
/* Appends the function, and functions that it calls and that are not there yet. Memories must be as they are in the
 * whole text. */
knx_error *knw_piece_text(const knw_piece *p, knw_unit *unit, knw_memory *memory, knx_str *out);
#endif
