/* SPDX-License-Identifier: Apache-2.0
 * product_strip.h -- rows of left that are read by runs: steps of k that lie one behind the other, for rows at one
 * distance. They are lines of the array itself; or, where a window may leave it, strips: copies of lines with zeros at
 * both ends, which all positions of the window share. So no element is copied once for each position. */
#ifndef KN_HOST_ROUTINE_PRODUCT_STRIP_H
#define KN_HOST_ROUTINE_PRODUCT_STRIP_H
#include "host/routine/product_pack.h"

/* Decides whether left is read so, and sets the cuts of rows (a tile is a line then), p->strip and the bytes. After the
 * rectangle and the places are chosen. */
void knr_choose_strips(knr_plan *p);
/* Lines of rows row .. row + rows - 1 (at most strip.most of them) for steps k .. k + steps - 1, in `room`
 * (strip.room bytes). */
void knr_make_strips(const knr_source *s, int64_t row, int64_t rows, int64_t k, int64_t steps, char *room);
/* Where row `row` is at step k, of those made from (first_row, first_k) for `steps` steps; *a_row: bytes from row to
 * row in this line. */
const char *knr_strip_at(const knr_plan *p, const char *room, int64_t first_row, int64_t first_k, int64_t steps,
                         int64_t row, int64_t k, int64_t *a_row);
#endif
