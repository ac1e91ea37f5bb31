/* SPDX-License-Identifier: Apache-2.0
 * tile.h -- turning (transposing) and copying rectangles of memory. */
#ifndef KN_HOST_TILE_H
#define KN_HOST_TILE_H
#include <stdbool.h>
#include <stdint.h>

/* to[j * to_step + i * size] = from[i * from_step + j * size] for i < rows, j < columns; steps in bytes; size: 1, 2, 4,
 * 8 or 16. bypass: past the caches, if `to` and its step are multiples of 64; a store fence has to follow. */
typedef void knh_turn_loop(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t rows,
                           int64_t columns, bool bypass);
knh_turn_loop knh_transpose_base, knh_transpose_avx2, knh_transpose_avx512;
knh_turn_loop *knh_transpose(void); /* the best one for this processor */

/* The same for rectangles with a side of at most KNH_MOST_WOVEN, as far as whole registers go: elements `from` that
 * lie at most so many elements apart (along the rows) become rows, or rows become elements `to` that lie together
 * (along the columns). Returns how many elements of the long side are done: 0 where it is no such rectangle. size:
 * 16, too */
enum { KNH_MOST_WOVEN = 8 };
typedef int64_t knh_weave_loop(int size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                               int64_t columns, bool bypass);
knh_weave_loop knh_weave_base, knh_weave_avx2, knh_weave_avx512;
static inline bool knh_weaves_rows(int size, int64_t to_step, int64_t rows)
{
    return rows <= KNH_MOST_WOVEN && to_step == rows * size;
}

/* Rows of so many bytes each; `to` and `from` are the same memory, or have nothing in common. bypass: whole lines past
 * the caches where rows are long; a store fence has to follow. */
typedef void knh_copy_loop(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows, int64_t bytes,
                           bool bypass);
knh_copy_loop knh_copy_rows_base, knh_copy_rows_avx2, knh_copy_rows_avx512;
/* Rows backwards, element by element (1 to 16 bytes); nothing in common. */
typedef void knh_reverse_loop(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                              int64_t bytes, int size, bool bypass);
knh_reverse_loop knh_reverse_rows_base, knh_reverse_rows_avx2, knh_reverse_rows_avx512;
#endif
