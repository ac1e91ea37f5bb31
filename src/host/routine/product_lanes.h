/* SPDX-License-Identifier: Apache-2.0
 * product_lanes.h -- products whose only adjacent dimension is a batch dimension, such as convolutions of each channel
 * by a kernel of its own: the batch runs along the lanes. */
#ifndef KN_HOST_ROUTINE_PRODUCT_LANES_H
#define KN_HOST_ROUTINE_PRODUCT_LANES_H
#include "host/routine/product_plan.h"

bool knr_lanes_fit(const knr_plan *p);     /* is this product of that kind? */
size_t knr_lanes_bytes(const knr_plan *p); /* of a worker's workspace */
/* Rows row .. end - 1 of a, all rows of b, all batches. */
void knr_lanes_run(const knr_plan *p, const knr_run *r, int64_t row, int64_t end, void *workspace);

/* The loops. For each of `points`: c[l] = sum over k of a[k][l] * b[k][l], l < lanes, summed as docs/determinism.md
 * says; then a[k] moves on by a_step[k] bytes and c by c_step. */
typedef struct knr_lanes_args {
    const char **a, *const *b;
    const int64_t *a_step;
    char *c;
    int64_t c_step, points, steps, lanes;
} knr_lanes_args;
typedef struct knr_lanes_loops {
    void (*f32)(const knr_lanes_args *x);
    void (*f64)(const knr_lanes_args *x);
} knr_lanes_loops;
extern const knr_lanes_loops knr_lanes_base, knr_lanes_avx2, knr_lanes_avx512;
#endif
