/* SPDX-License-Identifier: Apache-2.0
 * found.h -- elements that are not zero, of arrays that are looked at. */
#ifndef KN_NUMPY_INDEXING_FOUND_H
#define KN_NUMPY_INDEXING_FOUND_H
#include "array/op.h"
#include "host/routine/find.h"

/* Looks at x. False, and the operation has failed: nothing is to be ended. */
bool knn_find(kna_op *op, kn_array x, kni_type *t, knr_found *f);
/* Their positions in an array of type t: t.ndim buffers of int64, one for each axis. False: the operation failed. */
bool knn_found_columns(kna_op *op, const knr_found *f, kni_type t, knx_buffer **buffer);
/* The same as one buffer of rows of t.ndim numbers; NULL: the operation failed. */
knx_buffer *knn_found_rows(kna_op *op, const knr_found *f, kni_type t);
/* An array of them; the buffer may be NULL after an error. */
kn_array knn_positions_of(int ndim, const int64_t *dim, knx_buffer *buffer);
/* x[mask], outside of traces: of the type *t; NULL: the operation failed. The mask speaks of x's first axes. */
knx_buffer *knn_found_elements(kna_op *op, kn_array x, kn_array mask, kni_type *t, int64_t dim[KN_MAX_NDIM]);
#endif
