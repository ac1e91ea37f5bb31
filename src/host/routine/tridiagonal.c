/* SPDX-License-Identifier: Apache-2.0
 * tridiagonal.c -- eigenvalues and eigenvectors of symmetric tridiagonal matrices: implicit QL for up to SMALL rows and
 * where no vectors are wanted, else Cuppen's divide and conquer. The two halves, each less a part of the element that
 * joins them, are D + rho z z^T in their eigenvectors. Elements of z that are nothing beside the matrix, and all but
 * one of those whose eigenvalues agree, are left out (deflation); the other eigenvalues are roots of the secular
 * equation, each found as its distance from the nearer pole. The vectors follow from those z for which the roots are
 * exact (Gu and Eisenstat), so they are orthogonal however close the roots are. */
#include "host/routine/tridiagonal.h"
#include "base/pool.h"
#include "host/routine/condensed.h"
#include "host/routine/matrix_product.h"
#include "host/routine/secular.h"
#include <math.h>
#include <string.h>

enum { SMALL = 24, PART = 16 /* vectors that a thread takes at a time */ };
knr_tridiagonal knr_tridiagonal_take(knr_arena *a, kn_dtype real, int64_t n, bool vectors, const knr_dense *by,
                                     int threads)
{
    knr_tridiagonal t = {.n = n, .epsilon = knr_rounding(real), .vectors = vectors, .threads = threads, .by = *by};
    int64_t rows = vectors ? n : 0, joined = rows > SMALL ? n : 0;
    size_t count = (size_t)n;
    t.d = knr_take(a, count, 8);
    t.e = knr_take(a, count, 8);
    t.q = knr_dense_take(a, real, rows, n);
    t.copy = knr_dense_take(a, real, joined, n);
    t.by.p.im = NULL;
    knr_doubles u = knr_doubles_take(a, false, joined, n);
    t.u = u.re;
    t.ld = u.ld;
    t.z = knr_take(a, count, 8);
    for (int i = 0; i < 4; i++)
        t.spare[i] = knr_take(a, count, 8);
    t.order = knr_take(a, count, 8);
    t.kept = knr_take(a, count, 8);
    t.side = knr_take(a, count, 1);
    t.multiplier = knr_multiplier_take(a, real, joined, n - n / 2, n, threads);
    return t;
}

/* Row i of vectors from number j on. */
static void *row(const knr_dense *x, int64_t i, int64_t j) { return (char *)x->p.re + (i * x->p.ld + j) * x->f->size; }

static double number(const knr_dense *x, int64_t i, int64_t j) { return knr_get(x, x->p.re, i * x->p.ld + j); }

static void copy_row(const knr_dense *to, int64_t i, const knr_dense *from, int64_t j, int64_t at, int64_t n)
{
    memcpy(row(to, i, at), row(from, j, at), (size_t)(n * to->f->size));
}

/* --- QL --------------------------------------------------------------------------------------- */

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

static bool is_nothing(const knr_tridiagonal *t, int64_t i)
{
    double e = fabs(t->e[i]), a = fabs(t->d[i]), b = fabs(t->d[i + 1]);
    return e <= t->epsilon * sqrt(a) * sqrt(b) + 0x1p-1000;
}

/* One implicit step over rows l .. m. */
static void ql_step(knr_tridiagonal *t, int64_t l, int64_t m, int64_t from, int64_t n)
{
    double *d = t->d, *e = t->e, g = (d[l + 1] - d[l]) / (2 * e[l]), r = knr_length(g, 1), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + copysign(r, g));
    for (int64_t i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = knr_length(f, g);
        if (i + 1 < m)
            e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (t->vectors)
            t->q.f->rotate(row(&t->q, i + 1, from), row(&t->q, i, from), n, c, s);
    }
    d[l] -= p;
    e[l] = g;
}

/* Rows from .. to in the other order: QL goes well where the large elements come last. */
static void reverse(knr_tridiagonal *t, int64_t from, int64_t to)
{
    int64_t n = to - from;
    for (int64_t i = 0; i < n / 2; i++) {
        swap(&t->d[from + i], &t->d[to - 1 - i]);
        if (t->vectors)
            knr_exchange_rows(&t->q, from + i, to - 1 - i, from, n);
    }
    for (int64_t i = 0; i < (n - 1) / 2; i++)
        swap(&t->e[from + i], &t->e[to - 2 - i]);
}

/* Rows from .. to of the matrix; those of q must hold the identity there. */
static bool ql(knr_tridiagonal *t, int64_t from, int64_t to)
{
    int64_t left = 60 * (to - from) + 60;
    if (fabs(t->d[from]) > fabs(t->d[to - 1]))
        reverse(t, from, to);
    for (int64_t l = from; l < to; l++)
        for (;;) {
            int64_t m = l;
            while (m < to - 1 && !is_nothing(t, m))
                m++;
            if (m < to - 1)
                t->e[m] = 0;
            if (m == l)
                break;
            if (!left--)
                return false;
            ql_step(t, l, m, from, to - from);
        }
    for (int64_t i = from; i < to && t->vectors; i++) { /* few: by selection */
        int64_t best = i;
        for (int64_t j = i + 1; j < to; j++)
            best = t->d[j] < t->d[best] ? j : best;
        if (best != i) {
            swap(&t->d[i], &t->d[best]);
            knr_exchange_rows(&t->q, i, best, from, to - from);
        }
    }
    return true;
}

static void sort(double *d, int64_t n) /* by heaps */
{
    for (int64_t end = n, start = n / 2; end > 1;) {
        if (start > 0)
            start--;
        else
            swap(&d[--end], &d[0]);
        for (int64_t i = start, child; (child = 2 * i + 1) < end; i = child) {
            child += child + 1 < end && d[child + 1] > d[child];
            if (d[i] >= d[child])
                break;
            swap(&d[i], &d[child]);
        }
    }
}

/* --- joining two halves ----------------------------------------------------------------------- */

enum { LEFT = 1, RIGHT = 2 }; /* the halves in which a vector is not zero */

static void order_by(const double *d, int64_t *order, int64_t from, int64_t middle, int64_t to)
{
    int64_t i = from, j = middle;
    for (int64_t k = from; k < to; k++)
        order[k] = j == to || (i < middle && d[i] <= d[j]) ? i++ : j++;
}

typedef struct joint {
    int64_t from, middle, to, kept; /* kept: of t->kept */
    double rho;
} joint;

/* Fills t->kept with those that take part, in order; the others keep their d and q. */
static void deflate(knr_tridiagonal *t, joint *h)
{
    double *d = t->d, *z = t->z, most = 0, most_z = 0;
    int64_t before = -1;
    for (int64_t i = h->from; i < h->to; i++) {
        most = fabs(d[i]) > most ? fabs(d[i]) : most;
        most_z = fabs(z[i]) > most_z ? fabs(z[i]) : most_z;
    }
    double small = 8 * t->epsilon * (most > most_z ? most : most_z);
    for (int64_t k = h->from; k < h->to; k++) {
        int64_t i = t->order[k];
        if (h->rho * fabs(z[i]) <= small)
            continue;
        if (before >= 0) {
            double s = z[before], c = z[i], r = knr_length(c, s), gap = d[i] - d[before];
            c /= r;
            s = -s / r;
            if (fabs(gap * c * s) <= small) {
                z[i] = r;
                t->q.f->rotate(row(&t->q, before, h->from), row(&t->q, i, h->from), h->to - h->from, c, s);
                double a = d[before], b = d[i];
                d[before] = a * c * c + b * s * s;
                d[i] = a * s * s + b * c * c;
                t->side[i] |= t->side[before];
            } else
                t->kept[h->from + h->kept++] = before;
        }
        before = i;
    }
    if (before >= 0)
        t->kept[h->from + h->kept++] = before;
}

/* In the rows of `by`, the vectors of D + rho z z^T, with the elements at places[]. */
typedef struct vectors {
    knr_tridiagonal *t;
    const joint *h;
    const int64_t *places;
    const double *near;
} vectors;

static void make_vectors(void *arg, int64_t part, int worker)
{
    const vectors *x = arg;
    const joint *h = x->h;
    int64_t end = (part + 1) * PART < h->kept ? (part + 1) * PART : h->kept;
    (void)worker;
    for (int64_t j = part * PART; j < end; j++) {
        double *u = x->t->u + (h->from + j) * x->t->ld, length = sqrt(knr_condensed()->divide(u, x->near, u, h->kept));
        knr_put_at(&x->t->by, h->from + j, h->from, u, 1 / length, x->places, h->kept);
    }
}

static void solve_joint(knr_tridiagonal *t, const joint *h, const int64_t *places, double *roots)
{
    int64_t n = h->kept;
    double *d = t->spare[0] + h->from, *z = t->spare[1] + h->from, *near = t->spare[2] + h->from;
    const int64_t *kept = t->kept + h->from;
    for (int64_t i = 0; i < n; i++) {
        d[i] = t->d[kept[i]];
        z[i] = t->z[kept[i]];
    }
    knr_secular s = {n, d, z, h->rho, t->epsilon, false, t->u + h->from * t->ld, t->ld};
    knr_secular_solve(&s, roots, near, t->threads);
    knx_parallel(n < 4 * PART ? 1 : t->threads, (n + PART - 1) / PART, make_vectors, &(vectors){t, h, places, near});
}

/* Columns of q of one half, from column `c` on: `n` rows of them become u times `count` rows of the copy. */
static void turn_half(knr_tridiagonal *t, const joint *h, int64_t c, int64_t columns, int64_t first, int64_t count)
{
    knr_dense y = knr_dense_part(&t->q, h->from, c, h->kept, columns);
    knr_dense u = knr_dense_part(&t->by, h->from, h->from + first, h->kept, count);
    knr_dense x = knr_dense_part(&t->copy, h->from + first, c, count, columns);
    knr_dense_product(&t->multiplier, &y, KNR_SET, &u, KNR_PLAIN, &x, KNR_PLAIN);
}

static void join(knr_tridiagonal *t, joint *h)
{
    int64_t from = h->from, n = h->to - from, at[3], count[3] = {0, 0, 0}, *places = t->order + from, copied = from;
    double *roots = t->spare[3] + from;
    order_by(t->d, t->order, from, h->middle, h->to);
    deflate(t, h);
    /* copies: vectors of the left half, of both, of the right half, then those that stay */
    int64_t *kept = t->kept + from;
    uint8_t *side = t->side;
    for (int64_t i = 0; i < h->kept; i++)
        count[side[kept[i]] == LEFT ? 0 : side[kept[i]] == RIGHT ? 2 : 1]++;
    at[0] = 0, at[1] = count[0], at[2] = count[0] + count[1];
    for (int64_t i = 0; i < h->kept; i++)
        places[i] = at[side[kept[i]] == LEFT ? 0 : side[kept[i]] == RIGHT ? 2 : 1]++;
    for (int64_t i = 0; i < h->kept; i++)
        copy_row(&t->copy, from + places[i], &t->q, kept[i], from, n);
    for (int64_t i = 0; i < h->kept; i++)
        side[kept[i]] = 0;
    copied += h->kept;
    for (int64_t i = from; i < h->to; i++)
        if (side[i])
            copy_row(&t->copy, copied++, &t->q, i, from, n);
    solve_joint(t, h, places, roots);
    double *values = t->spare[0] + from; /* of the copies */
    copied = h->kept;
    for (int64_t i = from; i < h->to; i++)
        if (side[i])
            values[copied++] = t->d[i];
    memcpy(values, roots, (size_t)h->kept * 8);
    /* the roots rise; the others are put between them */
    int64_t *order = t->order + from;
    for (int64_t i = h->kept; i < n; i++) { /* they lie in order but for turned pairs: by insertion */
        int64_t k = i - h->kept;
        for (; k > 0 && values[order[k - 1]] > values[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    int64_t stay = n - h->kept, next_root = h->kept - 1, next = stay - 1;
    for (int64_t i = n - 1; i >= 0; i--)
        order[i] =
            next < 0 || (next_root >= 0 && values[next_root] >= values[order[next]]) ? next_root-- : order[next--];
    turn_half(t, h, from, h->middle - from, 0, count[0] + count[1]);
    turn_half(t, h, h->middle, h->to - h->middle, count[0], count[1] + count[2]);
    for (int64_t i = n - 1; i >= 0; i--) { /* the vectors lie in order; they move on to make room */
        t->d[from + i] = values[order[i]];
        if (order[i] >= h->kept)
            copy_row(&t->q, from + i, &t->copy, from + order[i], from, n);
        else if (order[i] != i)
            copy_row(&t->q, from + i, &t->q, from + order[i], from, n);
    }
}

static bool divide(knr_tridiagonal *t, int64_t from, int64_t to)
{
    if (to - from <= SMALL)
        return ql(t, from, to);
    int64_t middle = from + (to - from) / 2;
    double e = t->e[middle - 1];
    joint h = {from, middle, to, 0, 2 * fabs(e)};
    t->d[middle - 1] -= fabs(e);
    t->d[middle] -= fabs(e);
    if (!divide(t, from, middle) || !divide(t, middle, to))
        return false;
    for (int64_t i = from; i < to; i++) {
        double z = i < middle ? number(&t->q, i, middle - 1) : copysign(1, e) * number(&t->q, i, middle);
        t->z[i] = z * 0x1.6a09e667f3bcdp-1; /* 1 / sqrt(2) */
        t->side[i] = i < middle ? LEFT : RIGHT;
    }
    join(t, &h);
    return true;
}

bool knr_tridiagonal_run(knr_tridiagonal *t)
{
    if (!t->n)
        return true;
    double most = 0;
    for (int64_t i = 0; i < t->n; i++) {
        most = fabs(t->d[i]) > most ? fabs(t->d[i]) : most;
        most = i < t->n - 1 && fabs(t->e[i]) > most ? fabs(t->e[i]) : most;
    }
    double s = knr_scale_for(most);
    for (int64_t i = 0; i < t->n; i++) {
        t->d[i] *= s;
        t->e[i] *= i < t->n - 1 ? s : 0;
    }
    if (t->vectors)
        knr_dense_identity(&t->q);
    bool well = t->vectors ? divide(t, 0, t->n) : ql(t, 0, t->n);
    if (!t->vectors)
        sort(t->d, t->n);
    for (int64_t i = 0; i < t->n; i++)
        t->d[i] /= s;
    return well;
}
