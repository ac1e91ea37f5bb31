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

kna_layout kna_layout_of(const kna_array *a); /* storage.c */
void kna_contiguous_strides(kni_type t, int64_t *stride);
/* Moves a layout through one view operation; false where NumPy would copy. */
bool kna_layout_step(kna_op *op, const kni_draft_eqn *e, kna_layout *l);
#endif
