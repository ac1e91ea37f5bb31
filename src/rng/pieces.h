/* SPDX-License-Identifier: Apache-2.0
 * pieces.h -- fills of which each number takes just one word, or half of one, on several threads: where the words of a
 * piece begin is known, and the generator can go there at once. */
#ifndef KN_RNG_PIECES_H
#define KN_RNG_PIECES_H
#include "rng/reader.h"

/* n numbers of `size` bytes each. env: what a fill needs beside. */
typedef void knrng_fill(knrng_reader *r, size_t n, void *out, const void *env);
typedef struct knrng_task {
    knrng_fill *fill;
    const void *env;
    size_t size;
    bool halves; /* a number takes half of a word */
} knrng_task;
/* The whole fill. The state in the end is what one thread would have left. */
void knrng_fill_in_pieces(knrng_reader *r, const knrng_task *t, size_t n, void *out);
#endif
