/* SPDX-License-Identifier: Apache-2.0
 * sort_columns.h -- columns of an array, which lie side by side, as rows one behind the other. */
#ifndef KN_HOST_ROUTINE_SORT_COLUMNS_H
#define KN_HOST_ROUTINE_SORT_COLUMNS_H
#include "host/tile.h"

enum { KNR_SIDE_BY_SIDE = 16 /* columns that are read and written together */ };

/* `lines` columns of n elements of 1, 2, 4 or 8 bytes, neighbours of a column `inner` elements apart. */
static inline void knr_columns_to_rows(int size, const void *columns, void *rows, int64_t n, int64_t lines,
                                       int64_t inner)
{
    knh_transpose()(size, rows, n * size, columns, inner * size, n, lines, false);
}
static inline void knr_rows_to_columns(int size, const void *rows, void *columns, int64_t n, int64_t lines,
                                       int64_t inner)
{
    knh_transpose()(size, columns, inner * size, rows, n * size, lines, n, false);
}
#endif
