/* SPDX-License-Identifier: Apache-2.0
 * element.h -- few elements of arrays whose elements are in memory: read and written where they lie, without a plan.
 *
 * Outside of traces only. What either function does is what the ordinary path does, which it leaves everything to that
 * is not plain: values that wait, places that others see, casts that are no memory. */
#ifndef KN_ARRAY_ELEMENT_H
#define KN_ARRAY_ELEMENT_H
#include "array/op.h"

/* Where the element of x at these positions (one for each axis, in bounds) lies now; NULL: the ordinary path has to
 * read it. An array into which elements were written is computed for it. */
const void *kna_element(kn_array x, const int64_t *at);
/* Where the elements of an array lie; strides in elements. */
typedef struct kna_lying {
    kni_type type;
    const knx_buffer *buffer;
    char *first;
    int64_t stride[KN_MAX_NDIM];
    bool in_c_order; /* as the array says it: its elements may lie elsewhere in another order, too */
} kna_lying;
/* Where those of x lie now, to be read at once; false: as kna_element. */
bool kna_lies(kn_array x, kna_lying *l);
bool kna_lies_in_order(const kna_lying *l); /* one after the other, in C order */
/* Calls `write` to write over elements of x where they lie: a leaf, which knows of no arrays. False: the ordinary path
 * has to do it, because it may not be done here, or `write` has said so, and nothing was done. */
typedef bool (*kna_writer)(const void *env, const kna_lying *to);
bool kna_write_here(kna_op *op, kn_array x, kna_writer write, const void *env);
/* Are x's elements in memory of Kiln's, one after the other, so that looking at them costs nothing? */
bool kna_is_there(kn_array x);
/* Are they on a device, or will they be, that tells of checks late? Then to look at them is to wait. */
bool kna_is_away(kn_array x);
bool kna_has_lift(kn_array x); /* a tangent, a place on a tape or batch axes: results made of its elements have, too */
bool kna_has_batch_axes(kn_array x); /* its elements cannot be looked at */
/* A scalar value that holds a copy of this element; NULL without memory. */
kna_value *kna_element_value(kn_dtype dtype, const void *element);
/* Ends an operation with a 0-d array of its own that holds this element. */
kn_array kna_end_element(kna_op *op, kn_dtype dtype, const void *element);
/* Writes v, a scalar of x's dtype, over the element of x at these positions; false: the ordinary path has to do it, and
 * nothing was done. A v that waits for a few scalars alone is computed for it. */
bool kna_put_element(kna_op *op, kn_array x, const int64_t *at, kni_atom v);
/* The same with the bits of an element of x's dtype. */
bool kna_put_bits(kna_op *op, kn_array x, const int64_t *at, const void *bits);
#endif
