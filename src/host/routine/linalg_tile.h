/* SPDX-License-Identifier: Apache-2.0
 * linalg_tile.h -- the inner loops of the matrix factorisations, one table of them per number type and instruction set.
 * They work on copies of a few rows: complex numbers lie there as two planes of real ones, and behind each row is room
 * for a vector. The contract of all of them is docs/determinism.md's. */
#ifndef KN_HOST_ROUTINE_LINALG_TILE_H
#define KN_HOST_ROUTINE_LINALG_TILE_H
#include "base/dtype.h"

enum {
    KNR_BLOCK = 32,
    KNR_PANEL = 64,         /* columns of a panel, */
    KNR_WIDE_PANEL = 128,   /* of real matrices with more than KNR_NARROW_STEPS steps, of Cholesky factors fewer, */
    KNR_NARROW_STEPS = 512,
    KNR_NARROW_CHOLESKY = 256,
    KNR_ROW_PAD = 32         /* numbers behind a row; more than two vectors are never touched */
};

typedef struct knr_planes {
    void *re, *im; /* im: NULL for real numbers */
    int64_t ld;    /* numbers from row to row */
} knr_planes;

/* A matrix in memory: strides in elements. */
typedef struct knr_place_in {
    const void *at;
    int64_t row, column;
    bool conjugate;
} knr_place_in;
typedef struct knr_place_out {
    void *at;
    int64_t row, column;
    bool conjugate;
} knr_place_out;

typedef enum {
    KNR_DIAGONAL_FULL,
    KNR_DIAGONAL_ONE /* not read, counts as 1 */,
    KNR_DIAGONAL_REAL /* the imaginary parts count as 0 */
} knr_diagonal;

typedef struct knr_linalg_loops {
    int size; /* bytes of a number */
    /* x = from - minus (may be NULL), with zeros in the room behind the rows; or (a part of rows) without */
    void (*take)(const knr_planes *x, int rows, int64_t n, const knr_place_in *from, const knr_place_in *minus);
    void (*take_part)(const knr_planes *x, int rows, int64_t n, const knr_place_in *from, const knr_place_in *minus);
    void (*put)(const knr_planes *x, int rows, int64_t n, const knr_place_out *to);
    /* x = t^-1 x with the lower triangle t of `rows` rows; x has n columns */
    void (*solve)(const knr_planes *t, const knr_planes *x, int rows, int64_t n, knr_diagonal how);
    /* x: n columns of a matrix, each a row here, become those of its Cholesky factor, from the diagonal on; false if a
     * pivot is <= 0 */
    bool (*cholesky)(const knr_planes *x, int n);
    /* x: columns of a matrix, each a row here, become L and U. pivot[k]: the row that was swapped with row k. False
     * if a pivot is 0 (its column is left as it is). spare: of as many rows as half of the columns, at least 4, and as
     * long */
    bool (*lu)(const knr_planes *x, int columns, int64_t rows, int64_t *pivot, const knr_planes *spare);
    /* Numbers k and pivot[k] of each row change places, for k = 0 .. count - 1 in order; of real numbers. */
    void (*swap)(const knr_planes *x, int rows, const int64_t *pivot, int count);
    /* to[i][j] -= from[i][j] for rows x n numbers of `parts` real ones each. Strides in numbers; from's along j is
     * 1. */
    void (*subtract)(void *to, int64_t to_row, int64_t to_step, int64_t rows, int64_t n, const void *from,
                     int64_t from_row, int parts);
    /* Rows k and pivot[k] change places, for k from `first` on in order: `bytes` of each, rows ld bytes apart. */
    void (*exchange)(void *rows, int64_t ld, int64_t bytes, const int32_t *pivot, int64_t first, int64_t count);
    /* Of real numbers. x: `count` columns of n numbers, each a row here, become r (up to number i of row i) and behind
     * that the vectors of reflections I - tau v v^T, whose first number 1 is not stored. Then T of their product
     * I - V T V^T, with the products of vectors g[i * KNR_BLOCK + k] for i < k: t[k * KNR_BLOCK + i] = T[i][k]. */
    void (*reflect_panel)(const knr_planes *x, int count, int64_t n, double *tau);
    void (*block_factor)(const void *g, int count, const double *tau, void *t);
    /* Rows of real numbers, ld numbers apart, as many as they are. In order: y[j] += the sum of c[k] x[k][j];
     * x[k][j] += c[k] y[j]; out[k] = the sum of x[k][j] y[j]; x, y = c x + s y, c y - s x. The c are rounded first. */
    void (*combine)(void *y, int64_t n, const void *x, int64_t ld, int64_t count, const double *c);
    void (*spread)(void *x, int64_t ld, int64_t count, const double *c, const void *y, int64_t n);
    void (*dots)(double *out, const void *x, int64_t ld, int64_t count, const void *y, int64_t n);
    void (*rotate)(void *x, void *y, int64_t n, double c, double s);
} knr_linalg_loops;
/* those of the dtype's real numbers for this processor */
const knr_linalg_loops *knr_linalg_loops_of(kn_dtype d);
/* [0]: float32, [1]: float64 */
extern const knr_linalg_loops knr_linalg_base[2], knr_linalg_avx2[2], knr_linalg_avx512[2];
#endif
