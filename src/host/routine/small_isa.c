/* SPDX-License-Identifier: Apache-2.0
 * small_isa.c -- factors, systems, eigenvalues and singular values of small matrices in lanes, compiled once per
 * instruction set. */
#include "base/isa_name.h"
#include "host/routine/small.h"
#include "host/routine/small_vector.h"

// clang-format off
#define BYTES 4
#include "host/routine/small_loops.h"

#include "host/routine/small_factors.h"
#include "host/routine/small_jacobi.h"
#include "host/routine/small_qr.h"
#include "host/routine/small_svd.h"

#include "host/routine/small_end.h"

#define BYTES 8
#include "host/routine/small_loops.h"

#include "host/routine/small_factors.h"
#include "host/routine/small_jacobi.h"
#include "host/routine/small_qr.h"
#include "host/routine/small_svd.h"

#include "host/routine/small_end.h"

// clang-format on
#define TABLE(num)                                                                                            \
    {                                                                                                         \
        run_cholesky_##num, run_lu_##num, run_triangular_##num, run_solve_##num, run_det_##num, run_qr_##num, \
            run_eigh_##num, run_svd_##num                                                                     \
    }
knr_small_loop *const KN_ISA_NAME(knr_small)[2][KNR_SMALL_KINDS] = {TABLE(f32), TABLE(f64)};
