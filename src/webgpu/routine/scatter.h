/* SPDX-License-Identifier: Apache-2.0
 * scatter.h -- what the plans of scatters share: gather.c, which sorts the updates, and tally.c, which need not. */
#ifndef KN_WEBGPU_ROUTINE_SCATTER_H
#define KN_WEBGPU_ROUTINE_SCATTER_H
#include "prim/index/index.h"
#include "webgpu/routine/routine.h"

typedef struct kng_scattering {
    kng_maker *m;
    knr_windows w;
    knr_combine how;
    bool elements;           /* each element of the updates is a point of its own, in the order of the updates */
    uint64_t points, window; /* how many; elements of a window */
    /* Of a point: its place in the updates, in the table, the number of its first index; of an element of a window. */
    int n_point, n_window;
    int64_t extent[2 * KN_MAX_NDIM], dense[2 * KN_MAX_NDIM], table[2 * KN_MAX_NDIM], index[2 * KN_MAX_NDIM];
    int64_t inside[KN_MAX_NDIM], inside_dense[KN_MAX_NDIM], inside_table[KN_MAX_NDIM];
} kng_scattering;

/* Function start(at): where the window begins in the table, by the numbers of the indices from `at` on; 0xffffffff:
 * it is left out. */
void kng_start_function(kng_code *c, const knr_windows *w, uint32_t ref);
/* Function point(i): of a point its place in the updates, in the table, the number of its first index. */
void kng_point_places(kng_code *c, const kng_scattering *x);

/* tally.c: does no order of the updates matter, and has the device an operation for it? */
bool kng_tallies(knr_combine how, kn_dtype d);
void kng_tally(const kng_scattering *x);
#endif
