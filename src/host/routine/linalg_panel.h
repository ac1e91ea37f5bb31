/* SPDX-License-Identifier: Apache-2.0
 * linalg_panel.h -- panels of reflections of real numbers: columns are rows here, so that they are adjacent. Included
 * by linalg_loops.h for each type of number. */

/* Rows have 16 zeros behind their numbers: chains go on through them. */
enum { F(GROUPS) = 16 / LANES, F(WIDE) = VECTOR_BYTES / 8 /* numbers of float64 in a vector */ };

/* The sums of 16 chains, number l in chain l, joined by halves. */
ALWAYS T F(joined)(V *chain)
{
    UNROLL for (int h = F(GROUPS) / 2; h; h /= 2) UNROLL for (int g = 0; g < h; g++) chain[g] += chain[g + h];
    V v = chain[0];
#if VECTOR_BYTES / BYTES == 16
    v += __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif VECTOR_BYTES / BYTES == 8
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
#elif VECTOR_BYTES / BYTES == 4
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
    v += __builtin_shufflevector(v, v, 1, 0, 3, 2);
#else
    v += __builtin_shufflevector(v, v, 1, 0);
#endif
    return v[0];
}

/* The sum of squares of n numbers in float64: number j in chain j % 16, joined by halves. */
static double F(squares)(const T *x, int64_t n)
{
    vf64 acc[16 / F(WIDE)];
    double lane[16];
    UNROLL for (int g = 0; g < 16 / F(WIDE); g++) acc[g] = (vf64){0};
    for (int64_t j = 0; j < n; j += 16)
        UNROLL for (int g = 0; g < 16 / F(WIDE); g++)
        {
            vf64 v = PASTE(wide_, NUM)(x + j + g * F(WIDE));
            acc[g] = fma_f64(v, v, acc[g]);
        }
    memcpy(lane, acc, sizeof lane);
    for (int h = 8; h; h /= 2)
        for (int l = 0; l < h; l++)
            lane[l] += lane[l + h];
    return lane[0];
}

static void F(scale_by)(T *x, int64_t n, T by)
{
    for (int64_t j = 0; j < n; j++)
        x[j] *= by;
}

/* Makes (I - tau v v^T) x = beta e_0 of x = x[0 .. n]: v[0] = 1 is not stored, beta is. Numbers so large or small that
 * squares or quotients of them leave float64's or T's range are scaled by a power of two. */
static double F(reflection)(T *x, int64_t n)
{
    const double small = BYTES == 8 ? 0x1p-900 : 0x1p-200, large = BYTES == 8 ? 0x1p900 : 0x1p300;
    double rest = F(squares)(x + 1, n - 1), a = (double)x[0], all = rest + a * a, by = 1;
    if (!(all > small && all < large)) {
        T most = 0;
        for (int64_t j = 0; j < n; j++)
            most = FABS(x[j]) > most ? FABS(x[j]) : most;
        if (most > 0 && most <= (T)(BYTES == 8 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127)) {
            by = scale_for((double)most, BYTES == 4 ? 100 : 1000);
            F(scale_by)(x, n, (T)by);
            rest = F(squares)(x + 1, n - 1);
            a = (double)x[0];
        }
    }
    if (rest == 0) {
        x[0] = (T)(a / by);
        return 0;
    }
    double length = __builtin_sqrt(a * a + rest), beta = a < 0 ? length : -length;
    F(scale_by)(x + 1, n - 1, (T)(1 / (a - beta)));
    x[0] = (T)(beta / by);
    return (beta - a) / beta;
}

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
