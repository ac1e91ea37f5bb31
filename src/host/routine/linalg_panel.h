/* SPDX-License-Identifier: Apache-2.0
 * linalg_panel.h -- panels of reflections of real numbers: columns are rows here, so that they are adjacent; they
 * have 16 zeros behind their numbers. Included by linalg_loops.h for each type of number. */

#include "host/routine/reflection.h"

/* R rows lose their part along v: x = x - (tau x v) v, n numbers each. Dots are 16 chains. */
ALWAYS void F(reflect)(T *x, int64_t ld, const int R, const T *v, int64_t n, T tau)
{
    V acc[4][F(GROUPS)];
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int g = 0; g < F(GROUPS); g++) acc[r][g] = F(fill)(0);
    for (int64_t j = 0; j < n; j += 16)
        UNROLL for (int g = 0; g < F(GROUPS); g++)
        {
            V f = F(load)(v + j + g * LANES);
            UNROLL for (int r = 0; r < R; r++) acc[r][g] = F(fma)(F(load)(x + r * ld + j + g * LANES), f, acc[r][g]);
        }
    UNROLL for (int r = 0; r < R; r++) acc[r][0] = F(fill)(tau * F(joined)(acc[r]));
    for (int64_t j = 0; j < n; j += LANES) {
        V f = F(load)(v + j);
        UNROLL for (int r = 0; r < R; r++)
        {
            T *to = x + r * ld + j;
            F(store)(to, F(fnma)(acc[r][0], f, F(load)(to)));
        }
    }
}

/* x: `count` columns of n numbers, each a row here, become r (up to number i of row i) and, behind that, the vectors of
 * reflections; tau: their factors. */
static void F(reflect_panel)(const knr_planes *p, int count, int64_t n, double *tau)
{
    T *x = p->re;
    int64_t ld = p->ld;
    for (int i = 0; i < count; i++)
        memset(x + i * ld + n, 0, 16 * sizeof(T));
    for (int i = 0; i < count; i++) {
        T *v = x + i * ld + i, beta;
        int64_t m = n - i;
        int k = i + 1;
        tau[i] = F(reflection)(v, m);
        beta = v[0];
        v[0] = 1;
        for (; k + 4 <= count && tau[i] != 0; k += 4)
            F(reflect)(x + k * ld + i, ld, 4, v, m, (T)tau[i]);
        for (; k < count && tau[i] != 0; k++)
            F(reflect)(x + k * ld + i, ld, 1, v, m, (T)tau[i]);
        v[0] = beta;
    }
}

/* T of I - V T V^T as t[k * KNR_BLOCK + i] = T[i][k], of the products v_i v_k = g[i * KNR_BLOCK + k] for i < k:
 * column k is -tau_k T (V^T v_k) above its diagonal, tau_k on it. */
static void F(block_factor)(const void *products, int count, const double *tau, void *factor)
{
    enum { VECTORS = KNR_BLOCK / LANES };
    const T *g = products;
    T *t = factor;
    for (int k = 0; k < count; k++) {
        V acc[VECTORS];
        UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = F(fill)(0);
        for (int i = 0; i < k; i++) {
            V z = F(fill)(g[i * KNR_BLOCK + k]);
            UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = F(fma)(z, F(load)(t + i * KNR_BLOCK + v * LANES), acc[v]);
        }
        V f = F(fill)((T)-tau[k]);
        UNROLL for (int v = 0; v < VECTORS; v++) F(store)(t + k * KNR_BLOCK + v * LANES, f * acc[v]);
        for (int i = k; i < KNR_BLOCK; i++)
            t[k * KNR_BLOCK + i] = i == k ? (T)tau[k] : 0;
    }
}
