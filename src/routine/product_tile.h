/* SPDX-License-Identifier: Apache-2.0
 * product_tile.h -- the inner loops of the matrix product, one table of them per number type and instruction set. The
 * contract of all of them is docs/determinism.md's: along k in blocks, in a block acc = fma(a, b, acc) from +0, block
 * results added in order. */
#ifndef KN_ROUTINE_PRODUCT_TILE_H
#define KN_ROUTINE_PRODUCT_TILE_H
#include <stdbool.h>
#include <stdint.h>

enum { KNR_K_BLOCK = 256, KNR_TILE_MAX_ROWS = 14, KNR_TILE_VECTORS = 2 };

/* One tile of C: `rows` x (up to two vectors) over all of k. Distances are in elements. The columns of B and C are
 * neighbours. */
typedef struct knr_tile_args {
    const void *a, *b;
    void *c;
    int64_t a_row, a_k, b_k, c_row;
    int64_t k, block; /* block: KNR_K_BLOCK; twice that where a complex number is two steps of k */
    int lanes;        /* of the last vector, 1 .. vl */
    bool add;         /* C holds the total of the blocks before; else it is written without being read */
} knr_tile_args;
typedef void (*knr_tile_fn)(const knr_tile_args *t);

typedef struct knr_tiles {
    int size, vl, max_rows; /* bytes of a number, numbers of a vector, rows of the largest tile */
    knr_tile_fn tile[2][KNR_TILE_VECTORS][KNR_TILE_MAX_ROWS]; /* [is the last vector full][vectors - 1][rows - 1] */
    /* dst[k * width + j] = src[j * step + k], j < columns; the columns up to width become 0. */
    void (*pack_transposed)(const void *src, int64_t step, int64_t k, int columns, int width, void *dst);
    /* One row of A with all of a wide B, read row by row. */
    void (*row)(const knr_tile_args *t, int64_t n);
    /* One number: a and b are contiguous. Blocks run in lanes. */
    void (*dot)(const void *a, const void *b, int64_t k, int64_t block, void *c);
} knr_tiles;

typedef enum { KNR_F32, KNR_F64, KNR_U32, KNR_U64, KNR_NUMBER_KINDS } knr_number;
extern const knr_tiles knr_tiles_base[KNR_NUMBER_KINDS], knr_tiles_avx2[KNR_NUMBER_KINDS],
    knr_tiles_avx512[KNR_NUMBER_KINDS];
#endif
