/* SPDX-License-Identifier: Apache-2.0
 * lapack.h -- factorisations of one square matrix by the LAPACK of OpenBLAS and of MKL, where libraries.h has them. */
#ifndef KN_BENCH_LAPACK_H
#define KN_BENCH_LAPACK_H
#include "libraries.h"

typedef enum lapack_job {
    LAPACK_CHOLESKY,
    LAPACK_LU,
    LAPACK_SOLVE,
    LAPACK_QR, /* with the matrix q */
    LAPACK_EIGH,
    LAPACK_SVD,
    LAPACK_EIG,
    LAPACK_LSTSQ, /* the left half of the columns, and the one behind them */
} lapack_job;

/* Seconds for `times` factorisations of copies of the n x n matrix (float32 or, `wide`, float64), workspace made
 * before; negative: it cannot. sides: right-hand sides of LAPACK_SOLVE, the first columns of the matrix's transpose. */
double lapack_run(bench_library l, lapack_job job, bool wide, int n, int sides, const void *matrix, int times);
#endif
