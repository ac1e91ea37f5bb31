/* SPDX-License-Identifier: Apache-2.0
 * product_share.h -- how a product is shared out to threads: batches, and parts of the rows and columns of each. No
 * result depends on it. */
#ifndef KN_HOST_ROUTINE_PRODUCT_SHARE_H
#define KN_HOST_ROUTINE_PRODUCT_SHARE_H
#include "host/routine/product_plan.h"

typedef struct knr_share {
    int64_t rows, columns; /* parts of a batch in each direction: rectangles of left, panels of right */
    int64_t batches_of_a_part;
    int threads; /* that are worth it */
    int64_t parts;
} knr_share;

/* More parts than threads, where they are long: a thread may come late. parts is 1: not shared. */
knr_share knr_share_out(const knr_plan *p, int threads);
/* Bytes of both operands that one batch, shared so, copies into packed pieces: each part packs what it reads. */
double knr_packed_bytes(const knr_plan *p, int64_t rows, int64_t columns);
#endif
