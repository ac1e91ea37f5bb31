/* SPDX-License-Identifier: Apache-2.0
 * small_isa.c -- small matrices in lanes, compiled once per instruction set; the headers hold the loops for one type of
 * number and are included for each. */
#include "host/routine/small.h"
#include "host/routine/small_vector.h"

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b)    a##b
#define PASTE(a, b)     PASTE_(a, b)
#define NOINLINE        __attribute__((noinline))

#define NUM             f32
#define T               float
#define U               vu32
#define BYTES           4
#define ZIP_LO          zip_lo4
#define ZIP_HI          zip_hi4
#define MANTISSA        23
#define EXPONENT        0xffu
#define ROUNDOFF        0x1p-24f /* half of the distance between 1 and the next number */
#define NOTHING         0x1p-60f /* beside 1, also squared */
#define LARGEST         0x1.fffffep127f
#define SEED_OF_ROOT    0x5f3759dfu
#define SEED_OF_INVERSE 0x7ef311c7u
#include "host/routine/small_loops.h"

#define NUM             f64
#define T               double
#define U               vu64
#define BYTES           8
#define ZIP_LO          zip_lo8
#define ZIP_HI          zip_hi8
#define MANTISSA        52
#define EXPONENT        0x7ffu
#define ROUNDOFF        0x1p-53
#define NOTHING         0x1p-500
#define LARGEST         0x1.fffffffffffffp1023
#define SEED_OF_ROOT    0x5fe6eb50c7b537a9u
#define SEED_OF_INVERSE 0x7fde623822fc16e6u
#include "host/routine/small_loops.h"

#define TABLE(num)                                                                                            \
    {                                                                                                         \
        run_cholesky_##num, run_lu_##num, run_triangular_##num, run_solve_##num, run_det_##num, run_qr_##num, \
            run_eigh_##num, run_svd_##num, run_product_##num                                                  \
    }
knr_small_loop *const PASTE(knr_small_, KN_ISA)[2][KNR_SMALL_KINDS] = {TABLE(f32), TABLE(f64)};
