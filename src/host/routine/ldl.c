/* SPDX-License-Identifier: Apache-2.0
 * ldl.c -- a = l d l^H by elimination with the pivots of Bunch and Kaufman, one or two rows at a time. The matrix is a
 * lower triangle of doubles; of an upper one rows and columns are in reverse order, and so are all results. */
#include "host/routine/ldl.h"
#include "host/routine/dense.h"
#include <math.h>
#include <string.h>

typedef knr_complex number;

typedef struct factor {
    int64_t n;
    bool hermitian, complex, upper;
    double *re, *im;        /* the lower triangle, rows one behind the other */
    double *c[4];           /* one or two columns, real and imaginary parts */
    int32_t *order, *block; /* which row of a is here; is this row the second one of a block? */
} factor;

static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static number conjugate(const factor *f, number a) { return (number){a.re, f->hermitian ? -a.im : a.im}; }

static number at(const factor *f, int64_t i, int64_t j)
{
    return (number){f->re[i * f->n + j], f->complex ? f->im[i * f->n + j] : 0};
}
static void put(const factor *f, int64_t i, int64_t j, number v)
{
    f->re[i * f->n + j] = v.re;
    if (f->complex)
        f->im[i * f->n + j] = v.im;
}
static void exchange(const factor *f, int64_t i, int64_t j, int64_t k, int64_t l)
{
    number v = at(f, i, j);
    put(f, i, j, at(f, k, l));
    put(f, k, l, v);
}

static number quotient(number x, number d)
{
    double s = knr_scale_for(fabs(d.re) + fabs(d.im));
    if (x.im == 0 && d.im == 0)
        return (number){x.re / d.re, 0};
    d = (number){d.re * s, d.im * s};
    double norm = d.re * d.re + d.im * d.im;
    number q = knr_times(x, (number){d.re / norm, -d.im / norm});
    return (number){q.re * s, q.im * s};
}

static double size_of(number v) { return fabs(v.re) + fabs(v.im); }
static double pivot_size(const factor *f, int64_t i)
{
    number v = at(f, i, i);
    return f->hermitian ? fabs(v.re) : size_of(v);
}

/* ---- Pivots. */

/* The largest element of column k below the diagonal; of several the one that is first in a. */
static double largest_below(const factor *f, int64_t k, int64_t *where)
{
    double most = 0;
    *where = k;
    for (int64_t i = k + 1; i < f->n; i++) {
        double size = size_of(at(f, i, k));
        if (size > most || (size == most && (*where == k || f->upper))) {
            most = size;
            *where = i;
        }
    }
    return most;
}

/* The largest element of row r of what is left, beside the diagonal. */
static double largest_beside(const factor *f, int64_t k, int64_t r)
{
    double most = 0;
    for (int64_t j = k; j < f->n; j++) {
        double size = j == r ? 0 : size_of(j < r ? at(f, r, j) : at(f, j, r));
        most = size > most ? size : most;
    }
    return most;
}

/* How many rows are next, and which one comes to the last of their places. */
static int choose(const factor *f, int64_t k, int64_t *from)
{
    const double alpha = 0.6403882032022076; /* (1 + sqrt(17)) / 8 */
    int64_t r;
    double here = pivot_size(f, k), column = largest_below(f, k, &r);
    *from = k;
    if (!(here < alpha * column))
        return 1;
    double row = largest_beside(f, k, r);
    if (here >= alpha * column * (column / row))
        return 1;
    *from = r;
    return pivot_size(f, r) >= alpha * row ? 1 : 2;
}

/* Rows and columns p < q of what is left change places, and the rows of l. */
static void interchange(factor *f, int64_t k, int64_t p, int64_t q)
{
    for (int64_t j = 0; j < k; j++)
        exchange(f, p, j, q, j);
    for (int64_t j = k; j < p; j++)
        exchange(f, p, j, q, j);
    for (int64_t j = p + 1; j < q; j++) {
        number v = at(f, j, p);
        put(f, j, p, conjugate(f, at(f, q, j)));
        put(f, q, j, conjugate(f, v));
    }
    put(f, q, p, conjugate(f, at(f, q, p)));
    for (int64_t i = q + 1; i < f->n; i++)
        exchange(f, i, p, i, q);
    exchange(f, p, p, q, q);
    int32_t held = f->order[p];
    f->order[p] = f->order[q];
    f->order[q] = held;
}

/* ---- Elimination. */

/* Column k as it is (c), of Hermitian matrices its conjugate. */
static void take_column(const factor *f, int64_t k, int64_t from, int which)
{
    for (int64_t i = from; i < f->n; i++) {
        number v = conjugate(f, at(f, i, k));
        f->c[2 * which][i] = v.re;
        f->c[2 * which + 1][i] = v.im;
    }
}

/* row i -= v c over columns from .. i */
static void subtract(const factor *f, int64_t i, int64_t from, number v, int which)
{
    double *re = f->re + i * f->n, *im = f->complex ? f->im + i * f->n : NULL;
    const double *c_re = f->c[2 * which], *c_im = f->c[2 * which + 1];
    for (int64_t j = from; j <= i && !im; j++)
        re[j] -= v.re * c_re[j];
    for (int64_t j = from; j <= i && im; j++) {
        re[j] -= v.re * c_re[j] - v.im * c_im[j];
        im[j] -= v.re * c_im[j] + v.im * c_re[j];
    }
    if (im && f->hermitian)
        im[i] = 0;
}

static void eliminate_one(factor *f, int64_t k)
{
    number d = at(f, k, k);
    if (d.re == 0 && d.im == 0) /* and nothing below it */
        return;
    take_column(f, k, k + 1, 0);
    for (int64_t i = k + 1; i < f->n; i++) {
        number v = quotient(at(f, i, k), d);
        subtract(f, i, k + 1, v, 0);
        put(f, i, k, v);
    }
}

/* With the block [a .; b c]: rows times its inverse, where everything is divided by b, or by its size. */
static void eliminate_two(factor *f, int64_t k)
{
    number a = at(f, k, k), b = at(f, k + 1, k), c = at(f, k + 1, k + 1), turn = {1, 0}, back = {1, 0}, by = b, t;
    if (f->hermitian && f->complex) {
        by = (number){knr_length(b.re, b.im), 0};
        turn = (number){b.re / by.re, b.im / by.re};
        back = (number){turn.re, -turn.im};
    }
    a = quotient(a, by);
    c = quotient(c, by);
    t = minus(knr_times(a, c), (number){1, 0});
    t = quotient(quotient((number){1, 0}, t), by);
    take_column(f, k, k + 2, 0);
    take_column(f, k + 1, k + 2, 1);
    for (int64_t i = k + 2; i < f->n; i++) {
        number p = at(f, i, k), q = at(f, i, k + 1);
        number u = knr_times(t, minus(knr_times(c, p), knr_times(turn, q)));
        number v = knr_times(t, minus(knr_times(a, q), knr_times(back, p)));
        subtract(f, i, k + 2, u, 0);
        subtract(f, i, k + 2, v, 1);
        put(f, i, k, u);
        put(f, i, k + 1, v);
    }
}

/* ---- The routine. */

static factor carve(int64_t n, void *workspace, size_t *bytes)
{
    factor f = {.n = n};
    knr_arena room = {workspace, 0};
    f.re = knr_take(&room, (size_t)n * (size_t)n, sizeof *f.re);
    f.im = knr_take(&room, (size_t)n * (size_t)n, sizeof *f.im);
    for (int i = 0; i < 4; i++)
        f.c[i] = knr_take(&room, (size_t)n, sizeof *f.c[i]);
    f.order = knr_take(&room, (size_t)n, sizeof *f.order);
    f.block = knr_take(&room, (size_t)n, sizeof *f.block);
    *bytes = room.used;
    return f;
}

size_t knr_ldl_workspace(int64_t n)
{
    size_t bytes;
    carve(n, NULL, &bytes);
    return bytes;
}

static int64_t place(const factor *f, int64_t i) { return f->upper ? f->n - 1 - i : i; }

static void load(factor *f, kn_dtype t, const void *a)
{
    for (int64_t i = 0; i < f->n; i++) {
        f->order[i] = (int32_t)i;
        f->block[i] = 0;
        for (int64_t j = 0; j <= i; j++) {
            number v = knr_element_at(t, a, place(f, i) * f->n + place(f, j));
            put(f, i, j, (number){v.re, f->hermitian && i == j ? 0 : v.im});
        }
    }
}

static void store(const factor *f, kn_dtype t, void *l, void *d, int32_t *order)
{
    int64_t n = f->n;
    memset(l, 0, (size_t)(n * n) * t->size);
    memset(d, 0, (size_t)(n * n) * t->size);
    for (int64_t i = 0; i < n; i++) {
        int64_t here = place(f, i), row = place(f, f->order[i]);
        int64_t in_l = i - (f->block[i] ? 1 : 0);
        order[here] = (int32_t)row;
        for (int64_t j = 0; j < in_l; j++)
            knr_element_put(t, l, row * n + place(f, j), at(f, i, j));
        knr_element_put(t, l, row * n + here, (number){1, 0});
        knr_element_put(t, d, here * n + here, at(f, i, i));
        if (f->block[i]) {
            int64_t before = place(f, i - 1);
            knr_element_put(t, d, here * n + before, at(f, i, i - 1));
            knr_element_put(t, d, before * n + here, conjugate(f, at(f, i, i - 1)));
        }
    }
}

void knr_ldl_run(kn_dtype t, int64_t n, knr_ldl_options o, const void *a, void *l, void *d, int32_t *order,
                 void *workspace)
{
    size_t bytes;
    factor f = carve(n, workspace, &bytes);
    f.complex = knx_is_complex(t);
    f.hermitian = o.hermitian && f.complex;
    f.upper = !o.lower;
    load(&f, t, a);
    for (int64_t k = 0, step; k < n; k += step) {
        int64_t from;
        step = choose(&f, k, &from);
        int64_t last = k + step - 1;
        if (from != last)
            interchange(&f, k, last, from);
        if (step == 2) {
            f.block[last] = 1;
            eliminate_two(&f, k);
        } else
            eliminate_one(&f, k);
    }
    store(&f, t, l, d, order);
}
