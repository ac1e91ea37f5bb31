/* SPDX-License-Identifier: Apache-2.0
 * banded.c -- tridiagonal and banded systems by elimination with exchanged rows, rank-1 updates of Cholesky factors by
 * rotations. */
#include "host/routine/banded.h"
#include "host/routine/dense.h"
#include <math.h>

typedef knr_complex number;
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }

static number quotient(number x, number d)
{
    double s = knr_scale_for(fabs(d.re) + fabs(d.im));
    d = (number){d.re * s, d.im * s};
    double norm = d.re * d.re + d.im * d.im;
    if (x.im == 0 && d.im == 0)
        return (number){x.re / d.re * s, 0};
    number q = knr_times(x, (number){d.re / norm, -d.im / norm});
    return (number){q.re * s, q.im * s};
}

size_t knr_tridiagonal_solve_workspace(int64_t n) { return 5 * (size_t)n * sizeof(number); }

void knr_tridiagonal_solve(kn_dtype t, int64_t n, int64_t columns, const void *low, const void *d, const void *up,
                           const void *b, void *x, void *workspace)
{
    number *l = workspace, *a = l + n, *u = a + n, *second = u + n, *y = second + n;
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t i = 0; i < n; i++) {
            l[i] = i ? knr_element_at(t, low, i) : (number){0, 0};
            a[i] = knr_element_at(t, d, i);
            u[i] = i < n - 1 ? knr_element_at(t, up, i) : (number){0, 0};
            second[i] = (number){0, 0};
            y[i] = knr_element_at(t, b, i * columns + j);
        }
        for (int64_t i = 0; i < n - 1; i++) {
            if (fabs(l[i + 1].re) + fabs(l[i + 1].im) > fabs(a[i].re) + fabs(a[i].im)) { /* rows i and i + 1 */
                number p = a[i], q = u[i], r = y[i];
                a[i] = l[i + 1], u[i] = a[i + 1], second[i] = u[i + 1], y[i] = y[i + 1];
                l[i + 1] = p, a[i + 1] = q, u[i + 1] = (number){0, 0}, y[i + 1] = r;
            }
            if (l[i + 1].re == 0 && l[i + 1].im == 0)
                continue;
            number f = quotient(l[i + 1], a[i]);
            a[i + 1] = minus(a[i + 1], knr_times(f, u[i]));
            u[i + 1] = minus(u[i + 1], knr_times(f, second[i]));
            y[i + 1] = minus(y[i + 1], knr_times(f, y[i]));
        }
        for (int64_t i = n - 1; i >= 0; i--) {
            number s = y[i];
            s = i + 1 < n ? minus(s, knr_times(u[i], y[i + 1])) : s;
            s = i + 2 < n ? minus(s, knr_times(second[i], y[i + 2])) : s;
            y[i] = quotient(s, a[i]);
        }
        for (int64_t i = 0; i < n; i++)
            knr_element_put(t, x, i * columns + j, y[i]);
    }
}

/* ---- Banded systems. */

/* Rows of a matrix, or of right-hand sides, as two planes. */
typedef struct planes {
    double *re, *im;
    int64_t width;
} planes;
static number get(const planes *p, int64_t i, int64_t j)
{
    return (number){p->re[i * p->width + j], p->im ? p->im[i * p->width + j] : 0};
}
static void set(const planes *p, int64_t i, int64_t j, number v)
{
    p->re[i * p->width + j] = v.re;
    if (p->im)
        p->im[i * p->width + j] = v.im;
}

/* count elements of row i from column `from` on -= f times those of row k from column `at` on */
static void subtract(const planes *p, int64_t i, int64_t from, number f, int64_t k, int64_t at, int64_t count)
{
    double *re = p->re + i * p->width + from, *im = p->im ? p->im + i * p->width + from : NULL;
    const double *x = p->re + k * p->width + at, *y = p->im ? p->im + k * p->width + at : NULL;
    for (int64_t j = 0; j < count && !im; j++)
        re[j] -= f.re * x[j];
    for (int64_t j = 0; j < count && im; j++) {
        re[j] -= f.re * x[j] - f.im * y[j];
        im[j] -= f.re * y[j] + f.im * x[j];
    }
}

static void exchange(const planes *p, int64_t i, int64_t from, int64_t k, int64_t at, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        number v = get(p, i, from + j);
        set(p, i, from + j, get(p, k, at + j));
        set(p, k, at + j, v);
    }
}

/* Row i of a has column j at j - i + lower; exchanged rows reach `lower` columns beyond `upper`. */
typedef struct band {
    int64_t n, columns, lower, reach;
    planes a, y;
} band;

static band carve(int64_t n, int64_t columns, int64_t lower, int64_t upper, bool complex, void *workspace, size_t *used)
{
    band s = {.n = n, .columns = columns, .lower = lower, .reach = lower + upper};
    knr_arena room = {workspace, 0};
    s.a.width = 2 * lower + upper + 1;
    s.y.width = columns;
    for (int i = 0; i < (complex ? 2 : 1); i++) {
        *(i ? &s.a.im : &s.a.re) = knr_take(&room, (size_t)n * (size_t)s.a.width, sizeof(double));
        *(i ? &s.y.im : &s.y.re) = knr_take(&room, (size_t)n * (size_t)columns, sizeof(double));
    }
    *used = room.used;
    return s;
}

size_t knr_banded_solve_workspace(int64_t n, int64_t columns, int64_t lower, int64_t upper)
{
    size_t bytes;
    carve(n, columns, lower, upper, true, NULL, &bytes);
    return bytes;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static bool eliminate(const band *s, bool definite)
{
    bool well = true;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t end = least(s->n - 1, k + s->lower), row = k, reach = least(s->n - 1, k + s->reach) - k;
        double most = -1;
        for (int64_t i = k; i <= (definite ? k : end); i++) {
            number v = get(&s->a, i, k - i + s->lower);
            double size = fabs(v.re) + fabs(v.im);
            if (size > most) {
                most = size;
                row = i;
            }
        }
        if (row != k) {
            exchange(&s->a, k, s->lower, row, k - row + s->lower, reach + 1);
            exchange(&s->y, k, 0, row, 0, s->columns);
        }
        number d = get(&s->a, k, s->lower);
        well = well && (definite ? d.re > 0 : d.re != 0 || d.im != 0);
        for (int64_t i = k + 1; i <= end; i++) {
            number v = get(&s->a, i, k - i + s->lower);
            if (v.re == 0 && v.im == 0)
                continue;
            number f = quotient(v, d);
            subtract(&s->a, i, k + 1 - i + s->lower, f, k, s->lower + 1, reach);
            subtract(&s->y, i, 0, f, k, 0, s->columns);
        }
    }
    return well;
}

bool knr_banded_solve(kn_dtype t, int64_t n, int64_t columns, int64_t lower, int64_t upper, bool definite,
                      const void *ab, const void *b, void *x, void *workspace)
{
    size_t used;
    band s = carve(n, columns, lower, upper, knx_is_complex(t), workspace, &used);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < s.a.width; j++) {
            int64_t column = i + j - lower;
            bool stored = column >= 0 && column < n && j - lower <= upper;
            set(&s.a, i, j, stored ? knr_element_at(t, ab, (upper + lower - j) * n + column) : (number){0, 0});
        }
        for (int64_t j = 0; j < columns; j++)
            set(&s.y, i, j, knr_element_at(t, b, i * columns + j));
    }
    s.reach = definite ? upper : s.reach;
    bool well = eliminate(&s, definite);
    for (int64_t i = n - 1; i >= 0; i--) {
        number d = get(&s.a, i, lower);
        for (int64_t k = i + 1; k <= least(n - 1, i + s.reach); k++)
            subtract(&s.y, i, 0, get(&s.a, i, k - i + lower), k, 0, columns);
        for (int64_t j = 0; j < columns; j++) {
            number v = quotient(get(&s.y, i, j), d);
            set(&s.y, i, j, v);
            knr_element_put(t, x, i * columns + j, v);
        }
    }
    return well;
}

size_t knr_cholesky_update_workspace(int64_t n) { return (size_t)n * sizeof(double) + 64; }

/* Row k of r and w are turned so that the first element of w is gone. */
void knr_cholesky_update(kn_dtype t, int64_t n, const void *r, const void *w, void *y, void *workspace)
{
    double *v = workspace;
    for (int64_t i = 0; i < n; i++)
        v[i] = knr_element_at(t, w, i).re;
    for (int64_t k = 0; k < n; k++) {
        double a = knr_element_at(t, r, k * n + k).re, length = knr_length(a, v[k]);
        double c = length == 0 ? 1 : a / length, s = length == 0 ? 0 : v[k] / length;
        for (int64_t j = 0; j < n; j++) {
            double p = j < k ? 0 : knr_element_at(t, r, k * n + j).re, q = v[j];
            knr_element_put(t, y, k * n + j, (number){j < k ? 0 : c * p + s * q, 0});
            v[j] = j <= k ? q : c * q - s * p;
        }
    }
}
