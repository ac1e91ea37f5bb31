/* SPDX-License-Identifier: Apache-2.0
 * sort_keys.h -- one array sorted by its own numbers, which need no positions beside them: equal numbers look alike but
 * for zeros and NaN, and those are put back in the order in which they came. */
#ifndef KN_HOST_ROUTINE_SORT_KEYS_H
#define KN_HOST_ROUTINE_SORT_KEYS_H
#include "base/dtype.h"

enum { KNR_DIGITS_LARGEST = 2048 /* of a pass of the radix sort */ };

/* Real numbers and bool of any size. The order and the bits are those of the stable sort of sort.h. x and y, of
 * `lines` lines of n numbers each, do not overlap. Any number of threads gives the same: they share each line. */
size_t knr_sort_keys_workspace(kn_dtype d, int64_t n, int threads);
void knr_sort_keys(kn_dtype d, const void *x, void *y, int64_t n, int64_t lines, void *workspace, int threads);

/* n words, as signed numbers no two of which are equal, by their bits from `low` to `high`: those above are the same in
 * all, and words whose bits are equal rise already. Returns where they are: one of the arrays, which have room for n
 * each. place: of knr_sort_keys_workspace(a dtype of 8 bytes, 0, threads) bytes */
uint64_t *knr_sort_words(uint64_t *const array[2], int64_t n, int low, int high, void *place, int threads);
#endif
