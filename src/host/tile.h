/* SPDX-License-Identifier: Apache-2.0
 * tile.h -- turning (transposing) and copying rectangles of memory. */
#ifndef KN_HOST_TILE_H
#define KN_HOST_TILE_H
#include <stdbool.h>
#include <stdint.h>

/* to[j * to_step + i * size] = from[i * from_step + j * size] for i < rows, j < columns; steps in bytes; size: 1, 2, 4
 * or 8. bypass: past the caches, if `to` and its step are multiples of 64; a store fence has to follow. */
typedef void knh_turn_loop(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t rows,
                           int64_t columns, bool bypass);
knh_turn_loop knh_transpose_base, knh_transpose_avx2, knh_transpose_avx512;
knh_turn_loop *knh_transpose(void); /* the best one for this processor */
/* Rows of so many bytes each; `to` and `from` are the same memory, or have nothing in common. */
typedef void knh_copy_loop(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows, int64_t bytes);
knh_copy_loop knh_copy_rows_base, knh_copy_rows_avx2, knh_copy_rows_avx512;
#endif
