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

ALWAYS V F(load)(const T *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ALWAYS void F(store)(T *p, V v) { memcpy(p, &v, sizeof v); }
ALWAYS V F(fill)(T x) { return x - (V){0}; } /* adding +0 would lose the sign of -0 */

/* --- chains ----------------------------------------------------------------------------------- */

/* Vectors at x (row 0) and below: those of row i. */
ALWAYS void F(chain)(const T *c, T *x, int64_t ld, int i, const int vectors)
{
    V acc[REAL_VECTORS];
    T *to = x + i * ld;
    UNROLL for (int v = 0; v < vectors; v++) acc[v] = F(load)(to + v * LANES);
    for (int k = 0; k < i; k++, x += ld) {
        V f = F(fill)(-c[k]);
        UNROLL for (int v = 0; v < vectors; v++) acc[v] = F(fma)(f, F(load)(x + v * LANES), acc[v]);
    }
    UNROLL for (int v = 0; v < vectors; v++) F(store)(to + v * LANES, acc[v]);
}

/* The same of complex numbers. A product is that of determinism.md, the coefficient on the left or on the right. */
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
    if (!im) {
        for (; j + REAL_VECTORS * LANES <= n; j += REAL_VECTORS * LANES)
            F(chain)(c_re, re + j, ld, i, REAL_VECTORS);
        for (; j < n; j += LANES)
            F(chain)(c_re, re + j, ld, i, 1);
        return;
    }
    for (; j + COMPLEX_VECTORS * LANES <= n; j += COMPLEX_VECTORS * LANES)
        F(chain2)(c_re, c_im, re + j, im + j, ld, i, COMPLEX_VECTORS, true);
    for (; j < n; j += LANES)
        F(chain2)(c_re, c_im, re + j, im + j, ld, i, 1, true);
}

/* --- quotients -------------------------------------------------------------------------------- */

/* x[0 .. n] / d. Complex ones as the primitive div: the larger part of d scales. */
static void F(divide)(T *re, T *im, int64_t n, T d_re, T d_im)
{
    T size = FABS(d_re), other = FABS(d_im);
    bool by_re = other <= size;
    T big = by_re ? d_re : d_im, small = by_re ? d_im : d_re, ratio = small / big;
    T scale = 1 / (big + small * ratio), p = by_re ? 1 : ratio, q = by_re ? ratio : 1;
    if (!im || (size == 0 && other == 0)) {
        T by = im ? size : d_re;
        for (int64_t j = 0; j < n; j++)
            re[j] /= by;
        for (int64_t j = 0; im && j < n; j++)
            im[j] /= by;
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        T x = re[j], y = im[j];
        re[j] = (x * p + y * q) * scale;
        im[j] = (y * p - x * q) * scale;
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

/* --- blocks ----------------------------------------------------------------------------------- */

static void F(solve)(const knr_planes *t, const knr_planes *x, int rows, int64_t n, knr_diagonal how)
{
    const T *t_re = t->re, *t_im = t->im;
    for (int64_t j = 0, step; j < n; j += step) {
        bool wide = j + (x->im ? COMPLEX_VECTORS : REAL_VECTORS) * LANES <= n;
        step = wide ? (x->im ? COMPLEX_VECTORS : REAL_VECTORS) * LANES : LANES;
        T *re = (T *)x->re + j, *im = x->im ? (T *)x->im + j : NULL;
        for (int i = 0; i < rows; i++) {
            const T *c = t_re + i * t->ld, *d = im ? t_im + i * t->ld : NULL;
            if (im && wide)
                F(chain2)(c, d, re, im, x->ld, i, COMPLEX_VECTORS, false);
            else if (im)
                F(chain2)(c, d, re, im, x->ld, i, 1, false);
            else if (wide)
                F(chain)(c, re, x->ld, i, REAL_VECTORS);
            else
                F(chain)(c, re, x->ld, i, 1);
            F(divide_row)(t, i, re + i * x->ld, im ? im + i * x->ld : NULL, step, how);
        }
    }
}

/* x[j][i] = L[i][j] for i >= j. The coefficients of row j are the numbers j of the rows above, conjugated. */
static bool F(cholesky)(const knr_planes *x, int n)
{
    T *re = x->re, *im = x->im, c_re[KNR_BLOCK], c_im[KNR_BLOCK];
    for (int j = 0; j < n; j++, re += x->ld, im += im ? x->ld : 0) {
        for (int k = 0; k < j; k++) {
            c_re[k] = ((const T *)x->re)[k * x->ld + j];
            c_im[k] = im ? -((const T *)x->im)[k * x->ld + j] : 0;
        }
        for (int i = j; i < n; i += LANES) {
            if (im)
                F(chain2)(c_re, c_im, (T *)x->re + i, (T *)x->im + i, x->ld, j, 1, false);
            else
                F(chain)(c_re, (T *)x->re + i, x->ld, j, 1);
        }
        T pivot = re[j];
        if (pivot <= 0)
            return false;
        re[j] = pivot = SQRT(pivot);
        F(divide)(re + j + 1, NULL, n - j - 1, pivot, 0);
        if (im) {
            im[j] = 0;
            F(divide)(im + j + 1, NULL, n - j - 1, pivot, 0);
        }
    }
    return true;
}

/* The largest |re| + |im| of numbers from .. n: the first of them, but `from` itself if that is NaN. */
static int64_t F(largest)(const T *re, const T *im, int64_t from, int64_t n)
{
    int64_t at = from;
    T most = FABS(re[from]) + (im ? FABS(im[from]) : 0);
    if (!im) {
        for (int64_t i = from + 1; i < n; i++)
            if (FABS(re[i]) > most) {
                most = FABS(re[i]);
                at = i;
            }
        return at;
    }
    for (int64_t i = from + 1; i < n; i++) {
        T size = FABS(re[i]) + FABS(im[i]);
        if (size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

/* Numbers 1 .. k of column k (a row of x here) become those of U: row i has had its chain of i steps. */
static void F(upper_part)(const knr_planes *x, int k)
{
    const T *l_re = x->re, *l_im = x->im;
    T *re = (T *)x->re + k * x->ld, *im = x->im ? (T *)x->im + k * x->ld : NULL;
    for (int i = 1; i < k; i++)
        for (int l = 0; l < i; l++) {
            T a = l_re[l * x->ld + i];
            re[i] = F(fma1)(-a, re[l], re[i]);
            if (im) {
                T b = l_im[l * x->ld + i];
                re[i] = F(fma1)(b, im[l], re[i]);
                im[i] = F(fma1)(-b, re[l], F(fma1)(-a, im[l], im[i]));
            }
        }
}

static void F(swap)(T *x, int64_t ld, int rows, int64_t a, int64_t b)
{
    for (int r = 0; r < rows; r++, x += ld) {
        T t = x[a];
        x[a] = x[b];
        x[b] = t;
    }
}

static bool F(lu)(const knr_planes *x, int columns, int64_t rows, int64_t *pivot)
{
    bool regular = true;
    for (int k = 0; k < columns; k++) {
        T *re = (T *)x->re + k * x->ld, *im = x->im ? (T *)x->im + k * x->ld : NULL;
        F(upper_part)(x, k);
        F(row)(re, im, x, k, k, rows);
        int64_t at = pivot[k] = F(largest)(re, im, k, rows);
        F(swap)(x->re, x->ld, columns, k, at);
        if (im)
            F(swap)(x->im, x->ld, columns, k, at);
        T p = re[k], q = im ? im[k] : 0;
        if (p == 0 && q == 0)
            regular = false;
        else
            F(divide)(re + k + 1, im ? im + k + 1 : NULL, rows - k - 1, p, q);
    }
    return regular;
}

/* --- in and out ------------------------------------------------------------------------------- */

static void F(take)(const knr_planes *x, int rows, int64_t n, const knr_place_in *from, const knr_place_in *minus)
{
    const T *a = from->at, *s = minus ? minus->at : NULL;
    int parts = x->im ? 2 : 1;
    int64_t end = (n + LANES - 1) / LANES * LANES + LANES;
    for (int part = 0; part < parts; part++) {
        T *to = part ? x->im : x->re;
        T sign = part && from->conjugate ? -1 : 1;
        for (int64_t j = 0; j < n; j += CHUNK)
            for (int r = 0; r < rows; r++) {
                const T *b = a + (r * from->row + j * from->column) * parts + part;
                const T *t = s ? s + (r * minus->row + j * minus->column) * parts + part : NULL;
                int64_t w = n - j < CHUNK ? n - j : CHUNK, step = from->column * parts;
                for (int64_t c = 0; c < w; c++)
                    to[r * x->ld + j + c] = sign * b[c * step];
                for (int64_t c = 0; t && c < w; c++)
                    to[r * x->ld + j + c] -= t[c * minus->column * parts];
            }
        for (int r = 0; r < rows; r++) /* numbers behind the last take part in vectors */
            for (int64_t j = n; j < end && j < x->ld; j++)
                to[r * x->ld + j] = 0;
    }
}

static void F(put)(const knr_planes *x, int rows, int64_t n, const knr_place_out *to)
{
    T *a = to->at;
    int parts = x->im ? 2 : 1;
    for (int part = 0; part < parts; part++) {
        const T *from = part ? x->im : x->re;
        T sign = part && to->conjugate ? -1 : 1;
        for (int64_t j = 0; j < n; j += CHUNK)
            for (int r = 0; r < rows; r++) {
                T *b = a + (r * to->row + j * to->column) * parts + part;
                for (int64_t c = 0; c < CHUNK && j + c < n; c++)
                    b[c * to->column * parts] = sign * from[r * x->ld + j + c];
            }
    }
}

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

/* out[k] = the sum of x[k][j] y[j]: 16 chains, number j in chain j % 16, joined by halves. */
static void F(dots)(double *out, const void *rows, int64_t ld, int64_t count, const void *column, int64_t n)
{
    enum { GROUPS = 16 / LANES };
    const T *x = rows, *y = column;
    for (int64_t k = 0; k < count; k++, x += ld) {
        V acc[GROUPS];
        T lane[16];
        int64_t j = 0;
        UNROLL for (int g = 0; g < GROUPS; g++) acc[g] = F(fill)(0);
        for (; j + 16 <= n; j += 16)
            UNROLL for (int g = 0; g < GROUPS; g++)
                acc[g] = F(fma)(F(load)(x + j + g * LANES), F(load)(y + j + g * LANES), acc[g]);
        UNROLL for (int g = 0; g < GROUPS; g++) F(store)(lane + g * LANES, acc[g]);
        for (; j < n; j++)
            lane[j & 15] = F(fma1)(x[j], y[j], lane[j & 15]);
        for (int h = 8; h; h /= 2)
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

#include "host/routine/linalg_lanes.h"

#undef LANES
#undef V
#undef U
#undef F
#undef NUM
#undef T
#undef BYTES
#undef FABS
#undef SQRT
