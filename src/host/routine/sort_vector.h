/* SPDX-License-Identifier: Apache-2.0
 * sort_vector.h -- sorting of signed numbers of 32 and 64 bits by vectors: quicksort whose partitions move a vector
 * at a time, with networks of compare-and-exchange steps for what is short. Where pivots are bad too often a heap takes
 * over. */
#ifndef KN_HOST_ROUTINE_SORT_VECTOR_H
#define KN_HOST_ROUTINE_SORT_VECTOR_H
#include "host/routine/sort_image.h"

enum { KNR_SORT_SPECIAL = 1 /* there are NaN or -0 */, KNR_SORT_FALLS = 2 /* the numbers do not rise */ };

typedef struct knr_sort_vector {
    /* Numbers as signed ones in the same order; what there is to know about them. And back. */
    int (*sign)(const knr_image_code *code, const void *x, void *y, int64_t n);
    void (*unsign)(const knr_image_code *code, const void *x, void *y, int64_t n); /* y may be x */
    void (*sort)(void *a, int64_t n, void *spare); /* n numbers; spare: room for as many */
    /* Numbers up to the first of n pivots, which rise, go to the front, then those up to the second, and so on, those
     * above all to the end. Part i of n + 1 begins at begin[i]; begin[n + 1] is count. */
    void (*part)(void *a, int64_t count, void *spare, const void *pivots, int n, int64_t *begin);
    /* The images of n numbers of x, as signed ones, that are not below *low nor above *high go to `to`, which has
     * room for a vector more; returns how many, and how many are below. */
    int64_t (*between)(const knr_image_code *code, const void *x, int64_t n, const void *low, const void *high,
                       void *to, int64_t *below);
    /* How many of n numbers have images below, equal to and above `image`; they go to places of their own, which move
     * on; numbers behind end[] stay as they are. */
    void (*count)(const knr_image_code *code, const void *x, int64_t n, int64_t image, int64_t count[3]);
    void (*move)(const knr_image_code *code, const void *x, int64_t n, int64_t image, void *y, int64_t place[3],
                 const int64_t end[3]);
} knr_sort_vector;

/* [0]: 32 bits, [1]: 64 bits; base: NULL, without vectors radix sorts are quicker */
extern const knr_sort_vector *const knr_sort_vector_base[2], *const knr_sort_vector_avx2[2],
    *const knr_sort_vector_avx512[2];
#endif
