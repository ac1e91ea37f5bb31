/* SPDX-License-Identifier: Apache-2.0
 * product_isa.c -- the inner loops of the matrix product, compiled once per instruction set; product_loops.h holds
 * them for one type of number and is included for each. */
#include "routine/product_tile.h"
#include "routine/product_vector.h"

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#if VECTOR_BYTES == 64
#define FLOAT_ROWS 14 /* 28 accumulators, 2 vectors of B, a broadcast element of A: 31 of 32 registers */
#elif VECTOR_BYTES == 32
#define FLOAT_ROWS 6 /* 12 accumulators and those three: 15 of 16 */
#else
#define FLOAT_ROWS 4
#endif

#define NUM   f32
#define T     float
#define BYTES 4
#define ROWS  FLOAT_ROWS
#include "routine/product_loops.h"

#define NUM   f64
#define T     double
#define BYTES 8
#define ROWS  FLOAT_ROWS
#include "routine/product_loops.h"

#define NUM   u32
#define T     uint32_t
#define BYTES 4
#define ROWS  4
#include "routine/product_loops.h"

#define NUM   u64
#define T     uint64_t
#define BYTES 8
#define ROWS  4
#include "routine/product_loops.h"

/* TILES_OF(f32, 14): knr_tiles' `tile`, {{{part1_f32_1, ...}, {part2_f32_1, ...}}, {{full1_f32_1, ...}, ...}}. */
// clang-format off
#define HEIGHTS4(n) n##_1, n##_2, n##_3, n##_4
#define HEIGHTS6(n) HEIGHTS4(n), n##_5, n##_6
#define HEIGHTS14(n) HEIGHTS6(n), n##_7, n##_8, n##_9, n##_10, n##_11, n##_12, n##_13, n##_14
#define TILES_OF(num, rows) TILES_OF_(num, PASTE(HEIGHTS, rows))
#define TILES_OF_(num, heights)                                                                               \
    {{{heights(part1_##num)}, {heights(part2_##num)}}, {{heights(full1_##num)}, {heights(full2_##num)}}}
#define TABLE(num, bytes, rows)                                                                               \
    {.size = bytes, .vl = VECTOR_BYTES / bytes, .max_rows = rows, .tile = TILES_OF(num, rows),                \
     .pack_transposed = pack_transposed_##num, .row = row_##num, .dot = dot_##num}
// clang-format on

const knr_tiles PASTE(knr_tiles_, KN_ISA)[KNR_NUMBER_KINDS] = {
    TABLE(f32, 4, FLOAT_ROWS),
    TABLE(f64, 8, FLOAT_ROWS),
    TABLE(u32, 4, 4),
    TABLE(u64, 8, 4),
};
