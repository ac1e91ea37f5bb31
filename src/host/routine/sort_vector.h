/* SPDX-License-Identifier: Apache-2.0
 * sort_vector.h -- sorting of signed numbers of 32 and 64 bits by vectors: quicksort whose partitions move a vector
 * at a time, with networks of compare-and-exchange steps for what is short. Where pivots are bad too often a heap takes
 * over. */
#ifndef KN_HOST_ROUTINE_SORT_VECTOR_H
#define KN_HOST_ROUTINE_SORT_VECTOR_H
#include "host/routine/sort_image.h"
#include <stdbool.h>

enum { KNR_CLASSES = 4 };

/* What there is to know about numbers before they are sorted. */
typedef struct knr_facts {
    int64_t nan;
    bool minus_zero, falls; /* there are -0; one has a smaller one behind it */
} knr_facts;

typedef struct knr_sort_vector {
    /* What numbers begin .. end of x, and the one before, add to the facts. */
    void (*look)(const knr_image_code *code, const void *x, int64_t begin, int64_t end, knr_facts *facts);
    /* Images as signed numbers, and numbers of these; y may be x. Of NaN and -0 they are those of one NaN and of 0. */
    void (*sign)(const knr_image_code *code, const void *x, void *y, int64_t n);
    void (*unsign)(const knr_image_code *code, const void *x, void *y, int64_t n);
    void (*sort)(void *a, int64_t n, int64_t lines); /* lines of n numbers, one behind the other */
    int64_t (*halve)(void *a, int64_t n); /* no number before the place that it returns is above one behind it */
    /* The images of n numbers of x, as signed ones, that are not below *low nor above *high go to `to`, which has
     * room for a vector more; returns how many, and how many are below. */
    int64_t (*between)(const knr_image_code *code, const void *x, int64_t n, const void *low, const void *high,
                       void *to, int64_t *below);
    /* Three pivots, which do not fall, part images, as signed numbers, into classes: those up to the first one, other
     * ones up to the second, up to the third, all others. How many of n numbers are in each; and the numbers, or their
     * images, in the order of x from place[] of y on. What is behind end[] of each class stays as it is. */
    void (*count)(const knr_image_code *code, const void *x, int64_t n, const void *pivots, int64_t *count);
    void (*move)(const knr_image_code *code, const void *x, int64_t n, const void *pivots, void *y,
                 const int64_t *place, const int64_t *end, bool images);
} knr_sort_vector;

/* [0]: 32 bits, [1]: 64 bits; base: NULL, without vectors radix sorts are quicker */
extern const knr_sort_vector *const knr_sort_vector_base[2], *const knr_sort_vector_avx2[2],
                                                                 *const knr_sort_vector_avx512[2];
#endif
