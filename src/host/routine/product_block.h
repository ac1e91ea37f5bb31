/* SPDX-License-Identifier: Apache-2.0
 * product_block.h -- one row of a rectangle in plain loops: a vector of columns, a block of k. Those that multiply and
 * add at once are compiled for processors that can and for those that cannot. */
#ifndef KN_HOST_ROUTINE_PRODUCT_BLOCK_H
#define KN_HOST_ROUTINE_PRODUCT_BLOCK_H
#include <stdbool.h>
#include <stdint.h>

typedef struct knr_block {
    const char *a, *b;
    int64_t a_step, b_step; /* bytes from step to step */
    int64_t steps;
    int columns;
    bool a_signed, b_signed;
} knr_block;
typedef void knr_block_loop(const knr_block *x, void *sums);

typedef struct knr_block_loops {
    knr_block_loop *f32, *f64, *c64, *c128;
} knr_block_loops;
extern const knr_block_loops knr_block_base, knr_block_avx2;
#endif
