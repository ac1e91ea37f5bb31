/* SPDX-License-Identifier: Apache-2.0
 * band.h -- a band (docs/products.md) as the device runs it: block after block, some rows of all of its steps. How many
 * rows is the device's own choice: the compiler's blocks fit into a cache of a core. */
#ifndef KN_WEBGPU_BAND_H
#define KN_WEBGPU_BAND_H
#include "webgpu/routine/product.h"

/* Bytes of a block of the widest value, unless one row has more; 0: the device's shared_cache. For tests. */
extern uint64_t kng_band_bytes;

/* How a band is cut: into blocks of `height` rows, the last one of a batch may have fewer; or of several batches. */
typedef struct kng_blocks {
    const knc_step *s;
    const knc_band *band;
    knc_block *block; /* with their places in the scratch */
    int64_t height;
    uint64_t kept; /* bytes of the blocks */
} kng_blocks;

/* Rows [row, row + n), counted through all batches. */
typedef struct kng_rows {
    int64_t row, n;
} kng_rows;

/* False: no cut suits all steps, or there is no memory (then failed is true). */
bool kng_cut_band(const knw_facts *f, const knc_step *s, knx_arena *arena, kng_blocks *out, bool *failed);
kng_rows kng_rows_at(const kng_blocks *b, int64_t row); /* the block that begins there */
static inline int64_t kng_rows_of(const kng_blocks *b) { return b->band->batches * b->band->rows; }

/* Step i for these rows: the turns of a kernel's parallel loops; the part of a product, but for its arrays. False:
 * these rows are none of its parts. */
bool kng_turns_of(const kng_blocks *b, uint32_t i, kng_rows r, int64_t *first, int64_t *par);
bool kng_part_of(const kng_blocks *b, uint32_t i, kng_rows r, kng_part *out);
#endif
