/* SPDX-License-Identifier: Apache-2.0
 * copies.h -- copies of few elements that lie at any strides: straight loops, without a plan. */
#ifndef KN_NUMPY_CREATION_COPIES_H
#define KN_NUMPY_CREATION_COPIES_H
#include "lib/internal.h"

/* Ends the operation with a copy of x, whose elements are in memory, as kn_copy's order says; NULL: the ordinary path
 * has to make it, nothing was done. */
kn_array knn_copy_few(kna_op *op, kn_array x, const char *order);
#endif
