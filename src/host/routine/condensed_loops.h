/* SPDX-License-Identifier: Apache-2.0
 * condensed_loops.h -- the loops of condensed.h for one type of number; included by condensed_isa.c with NUM, T, U (an
 * integer of its size) and BYTES defined. It has no include guard: that is the point. */
// clang-format off
#define F(name) PASTE(name##_, NUM)
#define V       PASTE(v, NUM)
#define LANES   ((int)(VECTOR_BYTES / BYTES))
#define CHAINS  (64 / BYTES)
#define GROUPS  (CHAINS / LANES)
// clang-format on

#include "host/routine/vector_loops.h"

ALWAYS T F(join)(T *lane)
{
    for (int h = CHAINS / 2; h; h /= 2)
        for (int l = 0; l < h; l++)
            lane[l] += lane[l + h];
    return lane[0];
}

/* `rows` rows from number i on. */
ALWAYS void F(half_rows)(T *y, const T *a, int64_t ld, int64_t n, int64_t i, const int rows, const T *x, T sign)
{
    V acc[4][GROUPS], f[4];
    T lane[4][CHAINS];
    for (int r = 0; r < rows; r++) {
        const T *row = a + (i + r) * ld;
        if (sign > 0)
            y[i + r] = F(fma1)(row[i + r], x[i + r], y[i + r]);
        for (int64_t j = i + r + 1; j < i + rows; j++) {
            y[i + r] = F(fma1)(row[j], x[j], y[i + r]);
            y[j] = F(fma1)(row[j], sign * x[i + r], y[j]);
        }
        memset(lane[r], 0, sizeof lane[r]);
        f[r] = F(fill)(sign * x[i + r]);
        UNROLL for (int g = 0; g < GROUPS; g++) acc[r][g] = F(fill)(0);
    }
    int64_t j = i + rows, even = (j + CHAINS - 1) / CHAINS * CHAINS;
    for (; j < even && j < n; j++)
        for (int r = 0; r < rows; r++) {
            T v = a[(i + r) * ld + j];
            y[j] = F(fma1)(v, sign * x[i + r], y[j]);
            lane[r][j % CHAINS] = F(fma1)(v, x[j], lane[r][j % CHAINS]);
        }
    if (j + CHAINS <= n)
        for (int r = 0; r < rows; r++)
            UNROLL for (int g = 0; g < GROUPS; g++) acc[r][g] = F(load)(lane[r] + g * LANES);
    const T *p[4] = {a + i * ld, a + (i + (rows > 1)) * ld, a + (i + (rows > 2) * 2) * ld,
                     a + (i + (rows > 3) * 3) * ld};
    int64_t start = j;
    for (; j + CHAINS <= n; j += CHAINS)
        UNROLL for (int g = 0; g < GROUPS; g++)
        {
            int64_t k = j + g * LANES;
            V sum = F(load)(y + k), other = F(load)(x + k);
            UNROLL for (int r = 0; r < rows; r++)
            {
                V v = F(load)(p[r] + k);
                sum = F(fma)(v, f[r], sum);
                acc[r][g] = F(fma)(v, other, acc[r][g]);
            }
            F(store)(y + k, sum);
        }
    if (j > start)
        for (int r = 0; r < rows; r++)
            UNROLL for (int g = 0; g < GROUPS; g++) F(store)(lane[r] + g * LANES, acc[r][g]);
    for (; j < n; j++)
        for (int r = 0; r < rows; r++) {
            T v = p[r][j];
            y[j] = F(fma1)(v, sign * x[i + r], y[j]);
            lane[r][j % CHAINS] = F(fma1)(v, x[j], lane[r][j % CHAINS]);
        }
    for (int r = 0; r < rows; r++)
        y[i + r] += F(join)(lane[r]);
}

static void F(half_times)(void *to, const void *matrix, int64_t ld, int64_t n, int64_t from, int64_t end,
                          const void *vector, double sign)
{
    T *y = to;
    const T *a = matrix, *x = vector;
    int64_t i = from;
    for (; i + 4 <= end; i += 4)
        F(half_rows)(y, a, ld, n, i, 4, x, (T)sign);
    for (; i < end; i++)
        F(half_rows)(y, a, ld, n, i, 1, x, (T)sign);
}

static void F(add)(void *to, const void *from, int64_t n)
{
    T *restrict y = to;
    const T *restrict x = from;
    for (int64_t j = 0; j < n; j++)
        y[j] += x[j];
}

static void F(scale)(void *numbers, int64_t n, double by)
{
    T *x = numbers;
    for (int64_t j = 0; j < n; j++) /* a scale of subnormal float32 may be too large for float32 */
        x[j] = (T)((double)x[j] * by);
}

/* As integers; NaN is above infinity. */
static double F(largest)(const void *from, int64_t n)
{
    const char *x = from;
    U most = 0;
    T value;
    for (int64_t j = 0; j < n; j++) {
        U bits;
        memcpy(&bits, x + j * BYTES, BYTES);
        bits &= (U)-1 >> 1;
        most = bits > most ? bits : most;
    }
    memcpy(&value, &most, BYTES);
    return (double)value;
}

#include "host/routine/reflection.h"
#include "host/routine/reduce_loops.h"

#undef GROUPS
#undef CHAINS
#undef LANES
#undef V
#undef F
#undef NUM
#undef T
#undef U
#undef BYTES
