/* SPDX-License-Identifier: Apache-2.0
 * small.h -- small real matrices, side by side: as many at a time as a vector has lanes, each lane with one matrix.
 * What a lane does depends on its matrix alone, so the bits are those of any instruction set, stack and number of
 * threads. Of cholesky, lu, triangular systems and products they are those of the routines for one matrix of any size
 * (docs/determinism.md); qr, eigh and svd have algorithms of their own here (docs/linalg.md), which matrices alone use,
 * too. */
#ifndef KN_HOST_ROUTINE_SMALL_H
#define KN_HOST_ROUTINE_SMALL_H
#include "host/routine/linalg.h"

enum { KNR_SMALL = 16 /* rows and columns, at most */, KNR_SMALL_NUMBERS = 1024 /* of right-hand sides */ };

/* What is done with each of `count` matrices, of which x holds the operands and y the results one behind the other.
 * False if it went wrong for one of them. */
typedef enum knr_small_kind {
    KNR_SMALL_CHOLESKY,   /* a; l */
    KNR_SMALL_LU,         /* a; lu, pivots, permutation */
    KNR_SMALL_TRIANGULAR, /* t, b; x */
    KNR_SMALL_SOLVE,      /* a, b (NULL: the identity); x, lu, permutation (both NULL: no one asks) */
    KNR_SMALL_DET,        /* a; its determinant */
    KNR_SMALL_QR,         /* a; q, r */
    KNR_SMALL_EIGH,       /* a; values, vectors (NULL: no one asks) */
    KNR_SMALL_SVD,        /* a; values, u, v^H (NULL: no one asks) */
    KNR_SMALL_KINDS
} knr_small_kind;

/* How the matrices of a product lie: numbers from one to the next (0: all are the same), from row to row, from column
 * to column. They have no gaps inside. */
typedef struct knr_small_place {
    int64_t matrix, row, column;
} knr_small_place;

typedef struct knr_small {
    kn_dtype dtype;      /* float32, float64 */
    int m, n;            /* of a */
    int columns;         /* of b; of qr's q */
    bool lower;          /* eigh: the triangle that is read */
    bool full;           /* svd: all of the vectors */
    bool unit_diagonal;  /* triangular systems, */
    knr_solve_view view; /* and where their numbers are */
    knr_small_place a, b, c; /* of products */
} knr_small;

bool knr_fits_small(kn_dtype d, int64_t m, int64_t n); /* is a matrix small? */
/* and right-hand sides? */
bool knr_fits_small_with(kn_dtype d, int64_t n, int64_t columns);
/* Bytes of workspace, whatever is done: a vector for every number of the largest array, as often as there are such. */
static inline size_t knr_small_room(const knr_small *s)
{
    enum { VECTOR = 64, ARRAYS = 4, VECTORS = 3, APART = 64 };
    size_t side = (size_t)(s->m > s->n ? s->m : s->n), square = (side * side + 15) / 16 * 16;
    size_t right = (side * (size_t)(s->columns > s->n ? s->columns : s->n) + 15) / 16 * 16;
    return VECTOR * (ARRAYS * square + right + VECTORS * (size_t)KNR_SMALL + APART);
}
bool knr_small_run(knr_small_kind kind, const knr_small *s, int64_t count, const void *const *x, void *const *y,
                   void *workspace);
/* y[0] = x[0] x[1]: m x n times n x columns, as their places say */
void knr_small_multiply(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *workspace);

typedef bool knr_small_loop(const knr_small *s, int64_t count, const void *const *x, void *const *y, void *workspace);
/* [0]: float32, [1]: float64 */
extern knr_small_loop *const knr_small_base[2][KNR_SMALL_KINDS], *const knr_small_avx2[2][KNR_SMALL_KINDS],
    *const knr_small_avx512[2][KNR_SMALL_KINDS];
extern knr_small_loop *const knr_small_products_base[2], *const knr_small_products_avx2[2],
    *const knr_small_products_avx512[2];
#endif
