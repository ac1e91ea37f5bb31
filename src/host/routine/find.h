/* SPDX-License-Identifier: Apache-2.0
 * find.h -- where elements are not zero: their positions, and the elements of other arrays there. The elements are
 * looked at once and become bits, which all that is asked for is made of. */
#ifndef KN_HOST_ROUTINE_FIND_H
#define KN_HOST_ROUTINE_FIND_H
#include "base/dtype.h"

typedef struct knr_found {
    int64_t size, count; /* of the elements; how many are not zero */
    int64_t n_block;
    uint64_t *bits;  /* element i: bit i % 64 of word i / 64. Owned */
    int64_t *before; /* n_block + 1: how many are found before each block */
    int threads;     /* at most; nothing depends on their number */
} knr_found;

/* n elements of a number's dtype. False: no memory. */
bool knr_find(knr_found *f, kn_dtype d, const void *x, int64_t n, int threads);
void knr_found_end(knr_found *f);
/* In the array of these extents: number d of the positions found, one after the other, at y[d], y[d] + step, ... */
void knr_found_positions(const knr_found *f, int ndim, const int64_t *dim, int64_t *const *y, int64_t step);
/* x's elements of so many bytes, those found, side by side. */
void knr_found_elements(const knr_found *f, int64_t bytes, const void *x, void *y);
#endif
