/* SPDX-License-Identifier: Apache-2.0
 * tile.h -- turning (transposing) and copying rectangles of memory. */
#ifndef KN_HOST_TILE_H
#define KN_HOST_TILE_H
#include <stdbool.h>
#include <stdint.h>

/* to[j * to_step + i * size] = from[i * from_step + j * size] for i < rows, j < columns; steps in bytes; size: 1, 2, 4
 * or 8. bypass: past the caches, if `to` and its step are multiples of 64; a store fence has to follow. */
typedef void kng_turn_loop(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t rows,
                           int64_t columns, bool bypass);
kng_turn_loop kng_turn_base, kng_turn_avx2, kng_turn_avx512;
kng_turn_loop *kng_turn(void); /* the best one for this processor */
/* Rows of so many bytes each; `to` and `from` are the same memory, or have nothing in common. */
typedef void kng_copy_loop(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows, int64_t bytes);
kng_copy_loop kng_copy_rows_base, kng_copy_rows_avx2, kng_copy_rows_avx512;
#endif
