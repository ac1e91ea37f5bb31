/* SPDX-License-Identifier: Apache-2.0
 * linalg_loops.h -- the loops of linalg_tile.h for one type of number; included by linalg_isa.c with NUM (its short
 * name), T, U (its vector as integers), BYTES (of a number), FABS and SQRT defined. It has no include guard: that is
 * the point.
 *
 * One chain makes everything: the numbers of row i of a block lose those of the rows k < i before it, each times a
 * coefficient, x[i][j] = fma(-c[k], x[k][j], x[i][j]) with k rising. */
// clang-format off
#define F(name) PASTE(name##_, NUM)
#define V       PASTE(v, NUM)
#define LANES   ((int)(VECTOR_BYTES / BYTES))
// clang-format on

#include "host/routine/vector_loops.h"

/* --- chains ----------------------------------------------------------------------------------- */

/* Vectors at re, im (row 0) and below: those of row i. A product is that of determinism.md, the coefficient on the left
 * or on the right. Real numbers have tiles: linalg_blocks.h. */
ALWAYS void F(chain2)(const T *c_re, const T *c_im, T *re, T *im, int64_t ld, int i, const int vectors,
                      const bool on_the_right)
{
    V r[COMPLEX_VECTORS], s[COMPLEX_VECTORS];
    T *to_re = re + i * ld, *to_im = im + i * ld;
    UNROLL for (int v = 0; v < vectors; v++)
    {
        r[v] = F(load)(to_re + v * LANES);
        s[v] = F(load)(to_im + v * LANES);
    }
    for (int k = 0; k < i; k++, re += ld, im += ld) {
        V minus_re = F(fill)(-c_re[k]), minus_im = F(fill)(-c_im[k]), plus_im = F(fill)(c_im[k]);
        UNROLL for (int v = 0; v < vectors; v++)
        {
            V x = F(load)(re + v * LANES), y = F(load)(im + v * LANES);
            r[v] = F(fma)(plus_im, y, F(fma)(minus_re, x, r[v]));
            s[v] = on_the_right ? F(fma)(minus_re, y, F(fma)(minus_im, x, s[v]))
                                : F(fma)(minus_im, x, F(fma)(minus_re, y, s[v]));
        }
    }
    UNROLL for (int v = 0; v < vectors; v++)
    {
        F(store)(to_re + v * LANES, r[v]);
        F(store)(to_im + v * LANES, s[v]);
    }
}

/* Numbers from .. n of row i; up to a vector behind the last is written, too. */
static void F(row)(const T *c_re, const T *c_im, const knr_planes *x, int i, int64_t from, int64_t n)
{
    T *re = x->re, *im = x->im;
    int64_t j = from, ld = x->ld;
    for (; j + COMPLEX_VECTORS * LANES <= n; j += COMPLEX_VECTORS * LANES)
        F(chain2)(c_re, c_im, re + j, im + j, ld, i, COMPLEX_VECTORS, true);
    for (; j < n; j += LANES)
        F(chain2)(c_re, c_im, re + j, im + j, ld, i, 1, true);
}

/* --- quotients -------------------------------------------------------------------------------- */

/* x[0 .. n] / d. Complex ones as the primitive div: the larger part of d scales; where 1 over the scale is out of
 * range, for d below the normal numbers, it divides. */
static void F(divide)(T *re, T *im, int64_t n, T d_re, T d_im)
{
    T size = FABS(d_re), other = FABS(d_im);
    bool by_re = other <= size;
    T big = by_re ? d_re : d_im, small = by_re ? d_im : d_re, ratio = small / big;
    T sum = big + small * ratio, scale = 1 / sum, p = by_re ? 1 : ratio, q = by_re ? ratio : 1;
    if (!im || (size == 0 && other == 0)) {
        T by = im ? size : d_re;
        for (int64_t j = 0; j < n; j++)
            re[j] /= by;
        for (int64_t j = 0; im && j < n; j++)
            im[j] /= by;
        return;
    }
    bool in_range = scale - scale == 0;
    for (int64_t j = 0; j < n; j++) {
        T x = re[j], y = im[j], u = x * p + y * q, v = y * p - x * q;
        re[j] = in_range ? u * scale : u / sum;
        im[j] = in_range ? v * scale : v / sum;
    }
}

static void F(divide_row)(const knr_planes *t, int i, T *re, T *im, int64_t n, knr_diagonal how)
{
    T d_re = ((const T *)t->re)[i * t->ld + i];
    if (how == KNR_DIAGONAL_ONE)
        return;
    if (!im || how == KNR_DIAGONAL_FULL) {
        F(divide)(re, im, n, d_re, im ? ((const T *)t->im)[i * t->ld + i] : 0);
        return;
    }
    F(divide)(re, NULL, n, d_re, 0);
    F(divide)(im, NULL, n, d_re, 0);
}

#include "host/routine/linalg_divide.h"
#include "host/routine/linalg_blocks.h"
#include "host/routine/linalg_panel.h"

/* --- rows of whole matrices ------------------------------------------------------------------- */

/* y[j] += c[k] x[k][j] with k rising. */
static void F(combine)(void *to, int64_t n, const void *from, int64_t ld, int64_t count, const double *c)
{
    T *y = to;
    const T *x = from;
    int64_t j = 0;
    for (; j + REAL_VECTORS * LANES <= n; j += REAL_VECTORS * LANES) {
        V acc[REAL_VECTORS];
        UNROLL for (int v = 0; v < REAL_VECTORS; v++) acc[v] = F(load)(y + j + v * LANES);
        for (int64_t k = 0; k < count; k++) {
            V f = F(fill)((T)c[k]);
            const T *row = x + k * ld + j;
            UNROLL for (int v = 0; v < REAL_VECTORS; v++) acc[v] = F(fma)(f, F(load)(row + v * LANES), acc[v]);
        }
        UNROLL for (int v = 0; v < REAL_VECTORS; v++) F(store)(y + j + v * LANES, acc[v]);
    }
    for (; j + LANES <= n; j += LANES) {
        V acc = F(load)(y + j);
        for (int64_t k = 0; k < count; k++)
            acc = F(fma)(F(fill)((T)c[k]), F(load)(x + k * ld + j), acc);
        F(store)(y + j, acc);
    }
    for (; j < n; j++)
        for (int64_t k = 0; k < count; k++)
            y[j] = F(fma1)((T)c[k], x[k * ld + j], y[j]);
}

/* x[k][j] += c[k] y[j] */
static void F(spread)(void *to, int64_t ld, int64_t count, const double *c, const void *from, int64_t n)
{
    T *x = to;
    const T *y = from;
    for (int64_t k = 0; k < count; k++, x += ld) {
        T f = (T)c[k];
        int64_t j = 0;
        for (; j + LANES <= n; j += LANES)
            F(store)(x + j, F(fma)(F(fill)(f), F(load)(y + j), F(load)(x + j)));
        for (; j < n; j++)
            x[j] = F(fma1)(f, y[j], x[j]);
    }
}

/* The first `n` numbers, at most LANES, then zeros. */
ALWAYS V F(load_some)(const T *p, int64_t n)
{
    return n <= 0 ? (V){0} : n >= LANES ? F(load)(p) : (V)(BYTES == 8 ? load8(p, (int)n) : load4(p, (int)n));
}

/* out[k] = the sum of x[k][j] y[j]: 16 chains, number j in chain j % 16, joined by halves. */
static void F(dots)(double *out, const void *rows, int64_t ld, int64_t count, const void *column, int64_t n)
{
    enum { GROUPS = 16 / LANES };
    const T *x = rows, *y = column;
    for (int64_t k = 0; k < count; k++, x += ld) {
        V acc[GROUPS];
        T lane[LANES];
        int64_t j = 0;
        UNROLL for (int g = 0; g < GROUPS; g++) acc[g] = F(fill)(0);
        for (; j + 16 <= n; j += 16)
            UNROLL for (int g = 0; g < GROUPS; g++)
                acc[g] = F(fma)(F(load)(x + j + g * LANES), F(load)(y + j + g * LANES), acc[g]);
        if (j < n)
            UNROLL for (int g = 0; g < GROUPS; g++)
                acc[g] = F(fma)(F(load_some)(x + j + g * LANES, n - j - g * LANES),
                                F(load_some)(y + j + g * LANES, n - j - g * LANES), acc[g]);
        UNROLL for (int h = GROUPS / 2; h; h /= 2)
            UNROLL for (int g = 0; g < h; g++) acc[g] += acc[g + h];
        F(store)(lane, acc[0]);
        for (int h = LANES / 2; h; h /= 2)
            for (int l = 0; l < h; l++)
                lane[l] += lane[l + h];
        out[k] = (double)lane[0];
    }
}

/* x, y = c x + s y, c y - s x */
static void F(rotate)(void *first, void *second, int64_t n, double cosine, double sine)
{
    T *x = first, *y = second, c = (T)cosine, s = (T)sine;
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        V a = F(load)(x + j), b = F(load)(y + j), f = F(fill)(c), g = F(fill)(s);
        F(store)(x + j, F(fma)(f, a, g * b));
        F(store)(y + j, F(fma)(f, b, -(g * a)));
    }
    for (; j < n; j++) {
        T a = x[j], b = y[j];
        x[j] = F(fma1)(c, a, s * b);
        y[j] = F(fma1)(c, b, -(s * a));
    }
}

#undef LANES
#undef V
#undef U
#undef F
#undef NUM
#undef T
#undef BYTES
#undef FABS
#undef SQRT
