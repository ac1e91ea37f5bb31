/* SPDX-License-Identifier: Apache-2.0
 * order.h -- slices of arrays in random order. */
#ifndef KN_RNG_ORDER_H
#define KN_RNG_ORDER_H
#include "rng/draw.h"

/* Shuffles n elements of `size` bytes that lie `stride` bytes apart, by R. A. Fisher and F. Yates' way. */
void knrng_shuffle(knrng_reader *r, int64_t n, size_t size, int64_t stride, char *data);
/* The same of integers, down to position `first`, as choices draw. */
void knrng_shuffle_last(knrng_reader *r, int64_t *v, int64_t n, int64_t first);
/* 0 .. n-1 shuffled, to be freed by knx_free; NULL with the op failed. */
int64_t *knrng_order(knrng_call *c, int64_t n);
/* The slices of x along an axis at these positions, whose shape takes the axis's place; ends the call. */
kn_array knrng_take_slices(knrng_call *c, kn_array x, int axis, const int64_t *position, int64_t n,
                           const kn_shape *shape);
/* The elements of an array in C order, and its type; NULL with the op failed. A number has its default dtype. */
const char *knrng_elements(knrng_call *c, kn_array x, kni_type *t, knx_scalar_bits *number);
#endif
