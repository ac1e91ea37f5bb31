/* SPDX-License-Identifier: Apache-2.0
 * product_pack.h -- operands of a product brought into the form that the inner loops read, and results out of it. */
#ifndef KN_HOST_ROUTINE_PRODUCT_PACK_H
#define KN_HOST_ROUTINE_PRODUCT_PACK_H
#include "host/routine/product_plan.h"

/* What packing reads: an operand of a run, for one batch. */
typedef struct knr_source {
    const knr_plan *plan;
    const knr_side *side;
    const char *at; /* element 0 of this batch, the plan's offset included */
    knr_fill *fill;
    void *env;
    int64_t batch;
    int worker;
    char *spare; /* KNR_SPARE bytes */
} knr_source;
enum { KNR_SPARE = 32768 };

/* Rows row .. row + rows - 1 and steps k .. k + steps - 1 as numbers of the plan. Rows format (`left`): each row's
 * steps adjacent, rows `row_bytes` apart, padded with zeros to whole groups of steps. */
void knr_pack_rows(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to,
                   int64_t row_bytes);
/* Panel format (`right`): for each step (or group) `width` numbers, a multiple of the lanes; zeros behind `rows`. */
void knr_pack_panel(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, void *to, int64_t width);

/* Numbers of the buffer, `line` apart from row to row, to elements of the result at c (of the batch), and back;
 * storing spoils the buffer.
 * Rows and columns are those of left and right. */
void knr_store(const knr_plan *p, char *from, int64_t line, int64_t row, int64_t rows, int64_t column, int64_t columns,
               char *c);
void knr_load(const knr_plan *p, char *to, int64_t line, int64_t row, int64_t rows, int64_t column, int64_t columns,
              const char *c);
#endif
