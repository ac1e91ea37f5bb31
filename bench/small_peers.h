/* SPDX-License-Identifier: Apache-2.0
 * small_peers.h -- stacks of small matrices as one writes them in C, without Kiln: the sizes are constants, and the
 * compiler is told to do its best with them. */
#ifndef KN_BENCH_SMALL_PEERS_H
#define KN_BENCH_SMALL_PEERS_H
#include <stdint.h>

/* Results of `count` matrices, one behind the other; of two results the first one lies in front of the other. */
typedef void small_peer(int64_t count, const void *a, void *out);
typedef enum {
    SMALL_MATMUL, /* a a */
    SMALL_MATVEC, /* a times its first row */
    SMALL_INV,
    SMALL_DET,
    SMALL_SOLVE, /* a x = its first row, or of 8 x 8 a x = a^T */
    SMALL_CHOLESKY,
    SMALL_LU,
    SMALL_QR,
    SMALL_EIGH,
    SMALL_SVD,
    SMALL_OPERATIONS
} small_operation;
/* [operation][0: float, 1: double][0: 3 x 3, 1: 4 x 4, 2: 8 x 8] */
extern small_peer *const small_peers[SMALL_OPERATIONS][2][3];
#endif
