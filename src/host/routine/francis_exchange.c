/* SPDX-License-Identifier: Apache-2.0
 * francis_exchange.c -- neighbouring diagonal blocks (of one or two rows) of a quasi-triangular matrix change places:
 * with T11 X - X T22 = T12 the columns of [-X; I] span what belongs to T22, and their QR factors' reflections bring it
 * to the front (Bai and Demmel). */
#include "host/routine/francis_sweep.h"
#include <math.h>

static const double EPSILON = 0x1p-52, TINY = 0x1p-1000;

static double *at(const knr_doubles *x, int64_t i, int64_t j) { return &x->re[i * x->ld + j]; }
static bool is_pair(const knr_doubles *h, int64_t n, int64_t k) { return k + 1 < n && *at(h, k + 1, k) != 0; }

/* a x = b of n <= 4 unknowns, by elimination with complete pivoting; pivots are not below `least`. */
static void solve(int n, double a[4][4], double *b, double least, double *x)
{
    int order[4] = {0, 1, 2, 3};
    for (int k = 0; k < n; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i][j]) > fabs(a[p][q]))
                    p = i, q = j;
        for (int j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[p][j], a[p][j] = t;
        }
        double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = 0; i < n; i++) {
            t = a[i][k];
            a[i][k] = a[i][q], a[i][q] = t;
        }
        int o = order[k];
        order[k] = order[q], order[q] = o;
        if (fabs(a[k][k]) < least)
            a[k][k] = least;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    for (int k = 0; k < n; k++)
        x[order[k]] = b[k];
}

typedef struct reflections {
    int count, rows;
    double v[2][4], tau[2];
} reflections;

/* x: p x q. The QR factors of [-x; I]. */
static void factor(int p, int q, const double *x, reflections *r)
{
    double c[2][4];
    r->count = q;
    r->rows = p + q;
    for (int j = 0; j < q; j++)
        for (int i = 0; i < p + q; i++)
            c[j][i] = i < p ? -x[i * q + j] : i - p == j;
    for (int j = 0; j < q; j++) {
        double beta;
        for (int i = 0; i < p + q; i++)
            r->v[j][i] = i < j ? 0 : c[j][i];
        r->tau[j] = knr_reflection(p + q - j, r->v[j] + j, NULL, &beta).re;
        for (int k = j + 1; k < q; k++) {
            double s = 0;
            for (int i = j; i < p + q; i++)
                s += r->v[j][i] * c[k][i];
            for (int i = j; i < p + q; i++)
                c[k][i] -= r->tau[j] * s * r->v[j][i];
        }
    }
}

/* Rows k .. of x, in columns from .. to. */
static void from_left(const knr_doubles *x, int64_t k, const reflections *r, int64_t from, int64_t to)
{
    for (int j = 0; j < r->count; j++) {
        if (r->rows - j < 4) {
            knr_francis_rows(x, k + j, r->rows - j, r->v[j] + j, r->tau[j], from, to);
            continue;
        }
        for (int64_t c = from; c < to; c++) {
            double s = 0;
            for (int i = 0; i < 4; i++)
                s += r->v[j][i] * *at(x, k + i, c);
            s *= r->tau[j];
            for (int i = 0; i < 4; i++)
                *at(x, k + i, c) -= s * r->v[j][i];
        }
    }
}
static void from_right(const knr_doubles *x, int64_t k, const reflections *r, int64_t from, int64_t to)
{
    for (int j = 0; j < r->count; j++) {
        if (r->rows - j < 4) {
            knr_francis_columns(x, k + j, r->rows - j, r->v[j] + j, r->tau[j], from, to);
            continue;
        }
        for (int64_t i = from; i < to; i++) {
            double s = 0, *row = at(x, i, k);
            for (int c = 0; c < 4; c++)
                s += r->v[j][c] * row[c];
            s *= r->tau[j];
            for (int c = 0; c < 4; c++)
                row[c] -= s * r->v[j][c];
        }
    }
}

/* Blocks of p rows, from row k on, and of q rows below it. False: it would not be stable. */
static bool exchange(const knr_francis_work *w, int64_t k, int p, int q)
{
    const knr_doubles *h = w->h;
    double a[4][4] = {{0}}, b[4] = {0}, x[4], d[16] = {0}, most = 0;
    int n = p + q;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            d[4 * i + j] = *at(h, k + i, k + j);
            most = fabs(d[4 * i + j]) > most ? fabs(d[4 * i + j]) : most;
        }
    for (int i = 0; i < p; i++)
        for (int j = 0; j < q; j++) {
            int e = i * q + j;
            b[e] = d[4 * i + p + j];
            for (int l = 0; l < p; l++)
                a[e][l * q + j] += d[4 * i + l];
            for (int l = 0; l < q; l++)
                a[e][i * q + l] -= d[4 * (p + l) + p + j];
        }
    reflections r;
    solve(p * q, a, b, EPSILON * most > TINY ? EPSILON * most : TINY, x);
    factor(p, q, x, &r);
    knr_doubles copy = {d, NULL, 4};
    from_left(&copy, 0, &r, 0, n);
    from_right(&copy, 0, &r, 0, n);
    for (int i = q; i < n; i++)
        for (int j = 0; j < q; j++)
            if (!(fabs(d[4 * i + j]) <= 10 * EPSILON * most))
                return false;
    from_left(h, k, &r, k, w->n);
    from_right(h, k, &r, 0, k + n);
    from_left(w->z, k, &r, 0, w->z_rows);
    for (int i = q; i < n; i++)
        for (int j = 0; j < q; j++)
            *at(h, k + i, k + j) = 0;
    if (q == 2)
        knr_francis_standardize(w, k);
    if (p == 2)
        knr_francis_standardize(w, k + q);
    return true;
}

void knr_francis_move(const knr_francis_work *w, int64_t from, int64_t to)
{
    int64_t k = from > 0 && *at(w->h, from, from - 1) != 0 ? from - 1 : from;
    int q = (int)(from - k) + 1;
    while (k > to) {
        int p = k > 1 && is_pair(w->h, w->n, k - 2) ? 2 : 1;
        if (!exchange(w, k - p, p, q))
            return;
        k -= p;
        if (q == 2 && !is_pair(w->h, w->n, k)) /* its eigenvalues turned out to be real */
            q = 1;
    }
}
