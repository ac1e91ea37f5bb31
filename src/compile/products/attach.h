/* SPDX-License-Identifier: Apache-2.0
 * attach.h -- kernels that become a part of a product's step: what attach.c (which kernels), attach_loops.c (their
 * loops and the product's dimensions) and attach_kernel.c (the kernel for rectangles) share. */
#ifndef KN_COMPILE_PRODUCTS_ATTACH_H
#define KN_COMPILE_PRODUCTS_ATTACH_H
#include "compile/plan.h"

extern atomic_uint_fast64_t knc_attach_looked; /* for tests: readers and steps that the pass visited */

/* An array of a product: its operands, its result. */
typedef enum knc_side { KNC_SIDE_A, KNC_SIDE_B, KNC_SIDE_C } knc_side;
enum { KNC_MAX_PIECES = 64 };

/* A part that a dimension of a product and a loop of a kernel have in common. One position further along it is `times`
 * positions of the dimension and `turns` turns of the loop. */
typedef struct knc_piece {
    uint8_t group; /* of the dimension: 0 batch, 1 m, 2 n, 3 k, 4 windows */
    int dim, loop;
    int64_t extent, times, turns; /* turns < 0: the loop runs backwards */
} knc_piece;
/* The common parts of all dimensions and loops that walk one array; innermost first. */
typedef struct knc_fit {
    int n;
    uint64_t back; /* bit l: loop l has a negative stride, so it runs from its last turn to its first */
    knc_piece piece[KNC_MAX_PIECES];
} knc_fit;

/* attach_loops.c. The array's elements lie in order, without gaps; stride: how many of them each loop moves by. Do the
 * loops visit each element once, and can dimensions and loops be cut into common parts (*out)? */
bool knc_fit_loops(const knk_product *q, knc_side side, int n_loop, const int64_t *extent, const int64_t *stride,
                   knc_fit *out);
/* Makes the product read or write its array elsewhere: from element `offset` on, where loop l moves by stride[l]
 * elements. False, with *q unchanged: the product would have too many dimensions, or a window in several parts. */
bool knc_restride(knk_product *q, knc_side side, const knc_fit *fit, const int64_t *extent, const int64_t *stride,
                  int64_t offset);

/* attach_kernel.c: how a kernel reads or writes one value of a product: its parallel loops, and the map of its loads or
 * stores of that value, one for each part of a complex number. */
typedef struct knc_meeting {
    uint32_t slot;
    knx_bytes ref_offset; /* bytes of the slot before the value */
    int n_loop, parts, map[2];
    const int64_t *extent;
    int64_t offset, stride[KNK_MAX_LOOPS]; /* in elements; of part 0 */
} knc_meeting;
/* Does the kernel read (`written`: write) one element of the slot per point, of this dtype, without computed positions
 * and predicates? */
bool knc_meets(const knc_step *s, uint32_t slot, kn_dtype d, bool written, knc_meeting *out);
/* Does the kernel do nothing but move elements of one value to another one? *from, *to: these values. */
bool knc_only_moves(const knc_step *s, kn_dtype d, knc_meeting *from, knc_meeting *to);
/* Makes the kernel of step s again as a part of a product's step, which meets the product at the array `side`. ref: for
 * each buffer of the kernel but that array's, in order, the number of its reference in the product's step; keep: the
 * reference where the kernel also stores the elements that the product hands over, or KNC_NO. *out is NULL if the
 * kernel has too many maps, if the target attaches no such kernel, or if it does not read a part that is to be kept. */
knx_error *knc_attach_kernel(knc_plan *p, const knc_step *s, knc_side side, const knc_meeting *m, const knc_fit *fit,
                            const uint32_t *ref, uint32_t keep, const knc_attached **out);
#endif
