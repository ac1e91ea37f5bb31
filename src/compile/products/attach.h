/* SPDX-License-Identifier: Apache-2.0
 * attach.h -- kernels before and after products: between attach.c, attach_loops.c and attach_kernel.c. */
#ifndef KN_COMPILE_PRODUCTS_ATTACH_H
#define KN_COMPILE_PRODUCTS_ATTACH_H
#include "compile/plan.h"

extern atomic_uint_fast64_t knc_attach_looked; /* for tests: readers and steps that were looked at */

/* Which array of a product. */
typedef enum knc_side { KNC_SIDE_A, KNC_SIDE_B, KNC_SIDE_C } knc_side;
enum { KNC_MAX_PIECES = 64 };

/* A part of a dimension of a product that is a part of a loop of a kernel, too. A step along it is `times` in the
 * dimension's index and `turns` in the loop's. */
typedef struct knc_piece {
    uint8_t group; /* 0 batch, 1 m, 2 n, 3 k, 4 windows */
    int dim, loop;
    int64_t extent, times, turns; /* turns < 0: the loop is run backwards */
} knc_piece;
/* All of an array, cut so that dimensions and loops agree; innermost first. */
typedef struct knc_fit {
    int n;
    uint64_t back; /* loops that are run backwards, from their ends */
    knc_piece piece[KNC_MAX_PIECES];
} knc_fit;

/* attach_loops.c. Do the loops, with these strides in the elements of an array (which are in order, without gaps), take
 * each of them once? And can dimensions and loops be cut into common parts? */
bool knc_fit_loops(const knk_product *q, knc_side side, int n_loop, const int64_t *extent, const int64_t *stride,
                   knc_fit *out);
/* The array lies elsewhere: as these strides of the loops say, in elements, from `offset` on. False: *q is as it was;
 * there would be too many dimensions, or a window in parts. */
bool knc_restride(knk_product *q, knc_side side, const knc_fit *fit, const int64_t *extent, const int64_t *stride,
                  int64_t offset);

/* attach_kernel.c: how a kernel meets one value. The maps of its loads or stores there, one per part. */
typedef struct knc_meeting {
    uint32_t slot;
    size_t ref_offset; /* bytes at which it begins in the slot */
    int n_loop, parts, map[2];
    const int64_t *extent;
    int64_t offset, stride[KNK_MAX_LOOPS]; /* in elements; of part 0 */
} knc_meeting;
/* Does the kernel read (write) the slot at one position, plainly, as elements of this dtype? */
bool knc_meets(const knc_step *s, uint32_t slot, kn_dtype d, bool written, knc_meeting *out);
/* It only moves elements from one value to another: these. */
bool knc_only_moves(const knc_step *s, kn_dtype d, knc_meeting *from, knc_meeting *to);
/* The kernel of step s as a part of a product's step, meeting the value of that side. ref: which of the product step's
 * references those of its buffers are, in order, without the one that it meets; keep: one that gets the elements
 * that are handed over, too, or KNC_NO. NULL in *out: it has too many buffers and maps, or a part is not there to be
 * kept. */
knx_error *knc_attach_kernel(knc_plan *p, const knc_step *s, knc_side side, const knc_meeting *m, const knc_fit *fit,
                            const uint32_t *ref, uint32_t keep, const knc_attached **out);
#endif
