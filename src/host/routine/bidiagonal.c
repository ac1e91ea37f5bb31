/* SPDX-License-Identifier: Apache-2.0
 * bidiagonal.c -- implicit QR steps with and without shift (Demmel and Kahan) make an upper bidiagonal matrix diagonal.
 * Without vectors, and of small ones; bidiagonal_divide.c puts these together. */
#include "host/routine/bidiagonal.h"
#include <math.h>

/* Rows first .. last of it, or these from the last to the first of the transposed matrix, which is upper bidiagonal in
 * that order, too. */
typedef struct block {
    double *d, *e;
    int64_t n, row, step; /* number i is row + i step of u and v */
    const knr_dense *u, *v;
    double epsilon, tolerance; /* of rounding; beside which elements of e are nothing */
} block;

static double *d_at(const block *b, int64_t i) { return &b->d[b->row + i * b->step]; }
static double *e_at(const block *b, int64_t i) { return &b->e[b->row + i * b->step - (b->step < 0)]; }

/* c f + s g = r, c g = s f */
static double rotation(double f, double g, double *c, double *s)
{
    double r = knr_length(f, g);
    if (g == 0) {
        *c = 1, *s = 0;
        return f;
    }
    if (f == 0) {
        *c = 0, *s = 1;
        return g;
    }
    r = copysign(r, f);
    *c = f / r;
    *s = g / r;
    return r;
}

static void rotate(const knr_dense *x, const block *b, int64_t i, double c, double s)
{
    if (!x->rows)
        return;
    int64_t k = b->row + i * b->step;
    char *rows = x->p.re;
    int64_t ld = x->p.ld * x->f->size;
    x->f->rotate(rows + k * ld, rows + (k + b->step) * ld, x->columns, c, s);
}

static void shifted_step(const block *b, double shift)
{
    double c, s, d = *d_at(b, 0), f = (fabs(d) - shift) * (copysign(1, d) + shift / d), g = *e_at(b, 0);
    for (int64_t i = 0; i < b->n - 1; i++) {
        double r = rotation(f, g, &c, &s), *p = d_at(b, i), *q = d_at(b, i + 1), *e = e_at(b, i);
        if (i)
            *e_at(b, i - 1) = r;
        f = c * *p + s * *e;
        *e = c * *e - s * *p;
        g = s * *q;
        *q = c * *q;
        rotate(b->v, b, i, c, s);
        *p = rotation(f, g, &c, &s);
        f = c * *e + s * *q;
        *q = c * *q - s * *e;
        if (i < b->n - 2) {
            g = s * *e_at(b, i + 1);
            *e_at(b, i + 1) *= c;
        }
        rotate(b->u, b, i, c, s);
    }
    *e_at(b, b->n - 2) = f;
}

static void plain_step(const block *b)
{
    double c = 1, s = 0, old_c = 1, old_s = 0;
    for (int64_t i = 0; i < b->n - 1; i++) {
        double r = rotation(*d_at(b, i) * c, *e_at(b, i), &c, &s);
        if (i)
            *e_at(b, i - 1) = old_s * r;
        *d_at(b, i) = rotation(old_c * r, *d_at(b, i + 1) * s, &old_c, &old_s);
        rotate(b->v, b, i, c, s);
        rotate(b->u, b, i, old_c, old_s);
    }
    double h = *d_at(b, b->n - 1) * c;
    *d_at(b, b->n - 1) = h * old_c;
    *e_at(b, b->n - 2) = h * old_s;
}

/* The smaller singular value of [f g; 0 h]. */
static double smaller(double f, double g, double h)
{
    f = fabs(f), g = fabs(g), h = fabs(h);
    double low = f < h ? f : h, high = f < h ? h : f;
    if (low == 0)
        return 0;
    double p = 1 + low / high, q = (high - low) / high;
    if (g < high) {
        double t = g / high * (g / high);
        return low * (2 / (sqrt(p * p + t) + sqrt(q * q + t)));
    }
    double t = high / g;
    if (t == 0)
        return low * high / g;
    return 2 * (low / (sqrt(1 + p * t * (p * t)) + sqrt(1 + q * t * (q * t))) * t);
}

/* Zeros elements of e that do no harm; false if there was none. `least`: a bound of the least singular value. */
static bool split(const block *b, double *least)
{
    double mu = *least = fabs(*d_at(b, 0));
    if (fabs(*e_at(b, b->n - 2)) <= b->tolerance * fabs(*d_at(b, b->n - 1))) {
        *e_at(b, b->n - 2) = 0;
        return true;
    }
    for (int64_t i = 0; i < b->n - 1; i++) {
        double e = fabs(*e_at(b, i));
        if (e <= b->tolerance * mu) {
            *e_at(b, i) = 0;
            return true;
        }
        mu = fabs(*d_at(b, i + 1)) * (mu / (mu + e));
        *least = mu < *least ? mu : *least;
    }
    return false;
}

static void step(const block *b)
{
    double least, most = 0, shift = 0;
    if (split(b, &least))
        return;
    for (int64_t i = 0; i < b->n; i++) {
        most = fabs(*d_at(b, i)) > most ? fabs(*d_at(b, i)) : most;
        most = i < b->n - 1 && fabs(*e_at(b, i)) > most ? fabs(*e_at(b, i)) : most;
    }
    if ((double)b->n * (least / most) > 0.01) {
        shift = smaller(*d_at(b, b->n - 2), *e_at(b, b->n - 2), *d_at(b, b->n - 1));
        double ratio = shift / fabs(*d_at(b, 0));
        shift = ratio * ratio < b->epsilon ? 0 : shift;
    }
    if (shift != 0)
        shifted_step(b, shift);
    else
        plain_step(b);
}

bool knr_bidiagonal_steps(const knr_bidiagonal *r)
{
    int64_t n = r->n, end = n;
    double *d = r->d, *e = r->e, mu, least;
    if (!n)
        return true;
    mu = least = fabs(d[0]);
    for (int64_t i = 1; i < n && least > 0; i++) {
        mu = fabs(d[i]) * (mu / (mu + fabs(e[i - 1])));
        least = mu < least ? mu : least;
    }
    double tolerance = r->epsilon * (r->epsilon < 0x1p-40 ? 98 : 10), nothing = tolerance * least / sqrt((double)n);
    nothing = nothing > 0x1p-1000 ? nothing : 0x1p-1000;
    int64_t old_first = -1, old_last = -1;
    bool turned = false;
    for (double left = 40.0 * (double)n + 200; end > 1; left--) {
        int64_t first = end - 1;
        while (first > 0 && fabs(e[first - 1]) > nothing)
            first--;
        if (first > 0)
            e[first - 1] = 0;
        if (first == end - 1) {
            end--;
            continue;
        }
        if (left < 0)
            return false;
        if (first > old_last || end - 1 < old_first) /* another block: chased from its larger end */
            turned = fabs(d[first]) < fabs(d[end - 1]);
        old_first = first;
        old_last = end - 1;
        block b = {d,
                   e,
                   end - first,
                   turned ? end - 1 : first,
                   turned ? -1 : 1,
                   turned ? &r->v : &r->u,
                   turned ? &r->u : &r->v,
                   r->epsilon,
                   tolerance};
        step(&b);
    }
    return true;
}

void knr_bidiagonal_sort(const knr_bidiagonal *r)
{
    for (int64_t i = 0; i < r->n; i++)
        if (signbit(r->d[i])) {
            r->d[i] = -r->d[i];
            knr_dense v = knr_dense_part(&r->v, i, 0, r->v.rows ? 1 : 0, r->v.columns);
            knr_scale(&v, -1);
        }
    for (int64_t i = 0; i < r->n; i++) {
        int64_t best = i;
        for (int64_t j = i + 1; j < r->n; j++)
            best = r->d[j] > r->d[best] ? j : best;
        if (best == i)
            continue;
        double t = r->d[i];
        r->d[i] = r->d[best];
        r->d[best] = t;
        if (r->u.rows) {
            knr_exchange_rows(&r->u, i, best, 0, r->u.columns);
            knr_exchange_rows(&r->v, i, best, 0, r->v.columns);
        }
    }
}

bool knr_bidiagonal_run(const knr_bidiagonal *b)
{
    if (b->vectors && b->n > KNR_BIDIAGONAL_SMALL)
        return knr_bidiagonal_divide(b);
    if (b->vectors) {
        knr_dense_identity(&b->u);
        knr_dense_identity(&b->v);
    }
    if (!knr_bidiagonal_steps(b))
        return false;
    knr_bidiagonal_sort(b);
    return true;
}
