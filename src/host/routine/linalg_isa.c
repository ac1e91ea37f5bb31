/* SPDX-License-Identifier: Apache-2.0
 * linalg_isa.c -- the inner loops of the matrix factorisations, compiled once per instruction set; linalg_loops.h holds
 * them for one type of number and is included for each. */
#include "host/routine/linalg_tile.h"
#include "host/routine/product_vector.h"

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
enum {
    REAL_VECTORS = 4,    /* chains in flight */
    COMPLEX_VECTORS = 2, /* two each */
    TILE_VECTORS =
        VECTOR_BYTES == 64 ? 4 : 2, /* of a row of a tile: 4 rows of them, and of what is read, are registers */
    CHUNK = 16,                     /* columns that are copied together: their lines stay in the first cache */
};

/* A power of two up to 2^most that brings a positive number near 1. */
static double scale_for(double size, int most)
{
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    int exponent = 1022 - (int)(bits >> 52 & 0x7ff);
    exponent = exponent > most ? most : exponent < -1000 ? -1000 : exponent;
    bits = (uint64_t)(1023 + exponent) << 52;
    memcpy(&size, &bits, sizeof size);
    return size;
}

/* As many numbers as float64's vector has, widened. */
#if VECTOR_BYTES == 64
ALWAYS vf64 wide_f32(const float *p) { return (vf64)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }
#elif VECTOR_BYTES == 32
ALWAYS vf64 wide_f32(const float *p) { return (vf64)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
#else
ALWAYS vf64 wide_f32(const float *p) { return (vf64){(double)p[0], (double)p[1]}; }
#endif
ALWAYS vf64 wide_f64(const double *p)
{
    vf64 v;
    memcpy(&v, p, sizeof v);
    return v;
}

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

#define TABLE(num, bytes)                                                                                     \
    {                                                                                                         \
        bytes, take_##num, take_part_##num, put_##num, solve_##num, cholesky_##num, lu_##num, subtract_##num, \
            exchange_##num, reflect_panel_##num, block_factor_##num, combine_##num, spread_##num, dots_##num, \
            rotate_##num                                                                                      \
    }
const knr_linalg_loops PASTE(knr_linalg_, KN_ISA)[2] = {TABLE(f32, 4), TABLE(f64, 8)};
