/* SPDX-License-Identifier: Apache-2.0
 * product_box.h -- operands of convolutions whose steps a table tells: what some lines of rows and some steps see of
 * the array, as it lies there, or copied once with zeros beside it. No element is copied for each position of a
 * window. */
#ifndef KN_HOST_ROUTINE_PRODUCT_BOX_H
#define KN_HOST_ROUTINE_PRODUCT_BOX_H
#include "host/routine/product_pack.h"

/* Can that operand be read so, and does it pay? Sets s->line, lines, chunk and in_place. */
bool knr_box_fits(const knr_plan *p, const knr_side *side, knr_strip *s);
/* Bytes of a room for so many lines (of a chunk) and steps. */
int64_t knr_box_bytes(const knr_plan *p, const knr_strip *s, int64_t lines, int64_t steps);
/* Rows row .. row + rows - 1, of lines of one chunk, for steps k .. k + steps - 1; lanewise: of a panel's columns. */
void knr_make_box(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, int64_t column,
                  int64_t columns, char *room);
/* Where row `row` begins; *table: where its steps are, from the first one that was
 * made; *a_row: bytes from row to row of a line. */
const char *knr_box_at(const knr_plan *p, const char *room, int64_t row, const int64_t **table, int64_t *a_row);
#endif
