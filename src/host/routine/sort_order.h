/* SPDX-License-Identifier: Apache-2.0
 * sort_order.h -- the order of the elements of a line by their keys, which are compared one after the other; equal ones
 * stay in the order of their positions. */
#ifndef KN_HOST_ROUTINE_SORT_ORDER_H
#define KN_HOST_ROUTINE_SORT_ORDER_H
#include "base/dtype.h"

typedef struct knr_keys {
    int n;
    const kn_dtype *dtype;
    const void *const *x;
    int64_t first, step; /* elements */
    bool falls;          /* the largest first */
} knr_keys;

/* The number of positions' bits: an element of an order is a key's window above them. */
int knr_position_bits(int64_t n);
/* n words whose low bits are the positions in order; they lie in the workspace. Any number of threads gives the same */
size_t knr_order_workspace(int64_t n, int threads);
const uint64_t *knr_order(const knr_keys *keys, int64_t n, void *workspace, int threads);
/* For a part of a line: only the elements at n positions, which rise, of a line of `length`. a has room for 2 * n
 * words, of which the first n are the positions; `place`: knr_order_workspace(0, 1) bytes */
const uint64_t *knr_order_some(const knr_keys *keys, int64_t length, int64_t n, uint64_t *a, void *place);
/* The positions of the first k elements by the first word of the first key; k is at most 16. */
void knr_first_few(const knr_keys *keys, int64_t n, uint64_t *position, int64_t k);
#endif
