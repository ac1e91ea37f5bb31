/* SPDX-License-Identifier: Apache-2.0
 * product_block.h -- one real matrix product in the numbers of a tile table: blocking and packing around the inner
 * loops. */
#ifndef KN_ROUTINE_PRODUCT_BLOCK_H
#define KN_ROUTINE_PRODUCT_BLOCK_H
#include "routine/product_tile.h"
#include <stddef.h>

/* c[i * n + j] = sum over k of a[i * a_m + k * a_k] * b[k * b_k + j * b_n]; strides in numbers. One of b_k, b_n must
 * be 1 unless n is 1; for m = n = 1 also a_k = 1. */
typedef struct knr_matrices {
    const knr_tiles *tiles;
    int64_t m, n, k, block, a_m, a_k, b_k, b_n;
} knr_matrices;

size_t knr_matrices_workspace(const knr_matrices *x);
void knr_matrices_run(const knr_matrices *x, const void *a, const void *b, void *c, void *workspace);
#endif
