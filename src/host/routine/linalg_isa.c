/* SPDX-License-Identifier: Apache-2.0
 * linalg_isa.c -- the inner loops of the matrix factorisations, compiled once per instruction set; linalg_loops.h holds
 * them for one type of number and is included for each. */
#include "base/isa_name.h"
#include "host/routine/linalg_tile.h"
#include "host/routine/product_vector.h"

enum {
    REAL_VECTORS = 4,    /* chains in flight */
    COMPLEX_VECTORS = 2, /* two each */
    TILE_VECTORS =
        VECTOR_BYTES == 64 ? 4 : 2, /* of a row of a tile: 4 rows of them, and of what is read, are registers */
    CHUNK = 16,                     /* columns that are copied together: their lines stay in the first cache */
};

#define NUM   f32
#define T     float
#define U     vu32
#define BYTES 4
#define FABS  __builtin_fabsf
#define SQRT  __builtin_sqrtf
#include "host/routine/linalg_loops.h"

#define NUM   f64
#define T     double
#define U     vu64
#define BYTES 8
#define FABS  __builtin_fabs
#define SQRT  __builtin_sqrt
#include "host/routine/linalg_loops.h"

#define TABLE(num, bytes)                                                                                         \
    {                                                                                                             \
        bytes, take_##num, take_part_##num, put_##num, solve_##num, cholesky_##num, lu_##num, swap_rows_##num,    \
            subtract_##num, exchange_##num, reflect_panel_##num, block_factor_##num, combine_##num, spread_##num, \
            dots_##num, rotate_##num                                                                              \
    }
const knr_linalg_loops KN_ISA_NAME(knr_linalg)[2] = {TABLE(f32, 4), TABLE(f64, 8)};
