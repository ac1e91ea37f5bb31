/* SPDX-License-Identifier: Apache-2.0
 * narrow.h -- kernels whose points ask where they lie: a box of the points on which conditions are known, and the
 * kernel that is left of it there. */
#ifndef KN_KERNEL_NARROW_H
#define KN_KERNEL_NARROW_H
#include "kernel/kernel.h"

/* A parallel loop is cut before this turn. */
typedef struct knk_cut {
    int loop;
    int64_t at;
} knk_cut;
/* Where the predicates of loads change, as far as these are comparisons of numbers that are affine in the loops; by
 * loop and turn, each once. Their number; 0 also if there are more than `most`, or the kernel has loops in its
 * stages. known: some comparison has one result at all points. */
int knk_cuts(const knk_kernel *k, const knk_launch *l, knk_cut *out, int most, bool *known);

typedef struct knk_box {
    const int64_t *low, *extent; /* per parallel loop */
} knk_box;
/* The kernel that gives the same results on a box: what is known there is a constant, and what nothing needs is gone,
 * buffers and maps, too. buffer, map: for each of the new kernel's which one it was; room for n_buffer of k, and for
 * knk_narrow_maps(k). */
int knk_narrow_maps(const knk_kernel *k);
knx_error *knk_narrow(const knk_kernel *k, const knk_launch *l, const knk_box *box, knk_kernel **out, int16_t *buffer,
                     int16_t *map);

/* One kernel that does the work of several, point by point, each of one stage without loops. buffer, map: per one of
 * the part's, what it is called; equal names are one, of maps if they are for the same buffer. In the results: the
 * names of the new kernel's; room for all of the parts'. */
typedef struct knk_part {
    const knk_kernel *kernel;
    const int16_t *buffer;
    const int32_t *map;
} knk_part;
knx_error *knk_together(int n, const knk_part *part, knk_kernel **out, int16_t *buffer, int32_t *map);
#endif
