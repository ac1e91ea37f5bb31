/* SPDX-License-Identifier: Apache-2.0
 * layout.h -- NumPy's offsets and strides of views, computed from the view operations themselves. */
#ifndef KN_ARRAY_LAYOUT_H
#define KN_ARRAY_LAYOUT_H
#include "array/storage.h"

typedef struct kna_layout {
    kni_type type;
    int64_t offset;                /* bytes */
    int64_t stride[KN_MAX_NDIM];   /* bytes */
    bool writeable, unplaced;      /* see kna_array */
} kna_layout;

void kna_layout_of(const kna_array *a, kna_layout *l); /* storage.c */
void kna_contiguous_strides(kni_type t, int64_t *stride);
/* Strides of traced arrays may be expressions of dimension variables. How far a stride leads; is it known that one
 * leads at least as far as another one, and is not the same? */
int64_t kna_stride_length(int64_t stride);
bool kna_is_longer(int64_t stride, int64_t than);
/* Moves a layout through one view operation; false where NumPy would copy. */
bool kna_layout_step(kna_op *op, const kni_draft_eqn *e, kna_layout *l);
/* The same with the type of its result; e's operands after the first are in the builder. */
bool kna_layout_through(kna_op *op, const kni_draft_eqn *e, kni_type y, kna_layout *l);
#endif
