/* SPDX-License-Identifier: Apache-2.0
 * small_peers.c -- the functions of small_peers.h, for each type and size from small_peers_loops.h. */
#include "small_peers.h"
#include <math.h>
#include <string.h>

#define PASTE_(a, b, c) a##_##b##_##c
#define PASTE(a, b, c)  PASTE_(a, b, c)
#define F(name)         PASTE(name, T, N)

#define T               float
#define EPS             0x1p-24f
#define N               3
#include "small_peers_loops.h"
#undef N
#define N 4
#include "small_peers_loops.h"
#undef N
#define N 8
#include "small_peers_loops.h"
#undef N
#undef T
#undef EPS
#define T   double
#define EPS 0x1p-53
#define N   3
#include "small_peers_loops.h"
#undef N
#define N 4
#include "small_peers_loops.h"
#undef N
#define N 8
#include "small_peers_loops.h"

#define ALL(op)                                                                                     \
    {                                                                                               \
        {op##_float_3, op##_float_4, op##_float_8}, { op##_double_3, op##_double_4, op##_double_8 } \
    }
small_peer *const small_peers[SMALL_OPERATIONS][2][3] = {ALL(matmul),   ALL(matvec), ALL(inv), ALL(det),  ALL(solve),
                                                         ALL(cholesky), ALL(lu),     ALL(qr),  ALL(eigh), ALL(svd)};
