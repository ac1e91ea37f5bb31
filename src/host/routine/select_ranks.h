/* SPDX-License-Identifier: Apache-2.0
 * select_ranks.h -- which numbers stand at given ranks of a line. */
#ifndef KN_HOST_ROUTINE_SELECT_RANKS_H
#define KN_HOST_ROUTINE_SELECT_RANKS_H
#include "base/dtype.h"

enum { KNR_FEW_RANKS = 8 /* for more of them a line is sorted */ };

/* The image of the number at a rank, as a signed number, and how many numbers of the line have smaller ones. */
typedef struct knr_found {
    int64_t image, below;
} knr_found;

/* ranks: m of them, each larger than the one before. few: m <= KNR_FEW_RANKS always */
size_t knr_find_workspace(kn_dtype d, int64_t n, bool few, int threads);
void knr_find_ranks(kn_dtype d, const void *x, int64_t n, const int64_t *rank, int64_t m, knr_found *found,
                    void *workspace, int threads);

/* The number with this image: element k of those that have it. */
int64_t knr_position_of(kn_dtype d, const void *x, int64_t n, int64_t image, int64_t k);
void knr_number_of(kn_dtype d, const void *x, int64_t n, int64_t image, int64_t k, void *y);

/* The numbers of x in the order of their classes: below the first of m images, equal to it, between it and the second
 * one, and so on; y: numbers, or their positions (int64). count: (2 m + 1) * KNR_CLASS_PARTS */
enum { KNR_CLASS_PARTS = 16 };
void knr_part_by(kn_dtype d, const void *x, int64_t n, const int64_t *image, int64_t m, bool positions, void *y,
                 int64_t *count, int threads);
/* Positions of the numbers that are larger than `image`, and of the first `equal` that have it; returns how many. */
int64_t knr_positions_from(kn_dtype d, const void *x, int64_t n, int64_t image, int64_t equal, uint64_t *to);
/* How many are larger. */
int64_t knr_count_above(kn_dtype d, const void *x, int64_t n, int64_t image);
#endif
