/* SPDX-License-Identifier: Apache-2.0
 * extreme_loops.h -- inner loops of extreme.c, one set for each instruction set. */
#ifndef KN_HOST_ROUTINE_EXTREME_LOOPS_H
#define KN_HOST_ROUTINE_EXTREME_LOOPS_H
#include <stdint.h>

/* How elements become such that the first largest one is looked for. */
typedef struct knr_extreme_code {
    uint64_t flip;     /* bits of each element that are turned over: the order of what is unsigned, or falls */
    uint64_t infinity; /* of floats */
} knr_extreme_code;

/* Lanes: best[c] is the largest so far, the first NaN where there is one; at[c] is its row. `rows` more rows of `width`
 * elements, `step` elements apart, the first of them number `first`. Row numbers have 64 bits if elements do, else 32;
 * so have the best ones, which are signed keys, of floats of 32 and 64 bits floats. */
typedef void knr_extreme_rows(const knr_extreme_code *code, const void *x, int64_t rows, int64_t step, int64_t width,
                              int64_t first, void *best, void *at);

/* The key of the best one of n elements, at least 1, and the position of the first that has it. Keys of NaN are above
 * all others, those of zeros are equal. */
typedef int64_t knr_extreme_line(const knr_extreme_code *code, const void *x, int64_t n, int64_t *key);

typedef struct knr_extreme_loops {
    knr_extreme_rows *rows;
    knr_extreme_line *line;
} knr_extreme_loops;
/* [0 .. 3] integers of 1, 2, 4, 8 bytes; [5 .. 7] floats of 2, 4, 8 bytes */
extern const knr_extreme_loops knr_extreme_loops_base[8], knr_extreme_loops_avx2[8], knr_extreme_loops_avx512[8];
#endif
