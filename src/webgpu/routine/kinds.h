/* SPDX-License-Identifier: Apache-2.0
 * kinds.h -- the kinds of steps that the files of this folder make. */
#ifndef KN_WEBGPU_ROUTINE_KINDS_H
#define KN_WEBGPU_ROUTINE_KINDS_H
#include "webgpu/routine/routine.h"

extern const kng_kind kng_cumsum, kng_cumprod, kng_cummax, kng_cummin;
extern const kng_kind kng_sort, kng_argsort, kng_top_k, kng_partition, kng_searchsorted, kng_argmax, kng_argmin;
extern const kng_kind kng_gather, kng_scatter, kng_scatter_add, kng_scatter_mul, kng_scatter_min, kng_scatter_max;
extern const kng_kind kng_update;
extern const kng_kind kng_window_sum, kng_window_max, kng_window_min;
extern const kng_kind kng_window_choice, kng_window_pick, kng_window_place;
extern const kng_kind kng_cholesky, kng_lu, kng_permutation, kng_triangular_solve;

extern const kng_kind kng_check_bounds;

/* check.c: numbers of indices that have to lie between 0 and `most`; negative ones count from `size` if it wraps. */
typedef struct kng_bounds {
    kn_dtype dtype;
    uint32_t ref; /* the indices, of which n lie side by side for each of so many points */
    uint64_t points;
    int n;
    const int64_t *most, *axis, *size;
    bool wraps;
} kng_bounds;
/* The dispatches that tell of the first one outside, axis by axis. */
void kng_check_dispatches(kng_maker *m, const kng_bounds *b);
const char *kng_check_refuses(const kng_bounds *b); /* NULL: it can be done */

/* Function NAME(i): number i of an array of integers, as an i32. */
void kng_fn_index(kng_code *c, const char *name, const char *array, kn_dtype d);
#endif
