/* SPDX-License-Identifier: Apache-2.0
 * bidiagonal_divide.c -- singular vectors of bidiagonal matrices by divide and conquer (Gu and Eisenstat). A row is
 * taken out; what is above it has a column more than rows, and so may what is below. In the vectors of both the
 * matrix is a row z, where that row was, on top of a diagonal. Singular values for which z is nothing, and all but
 * one of those that agree, are left out (deflation); the squares of the others are roots of a secular equation, and
 * the vectors follow from those z for which the roots are exact, so they are orthogonal however close the roots are. */
#include "base/pool.h"
#include "host/routine/bidiagonal.h"
#include "host/routine/condensed.h"
#include "host/routine/matrix_product.h"
#include "host/routine/secular.h"
#include <math.h>
#include <string.h>

enum { SMALL = KNR_BIDIAGONAL_SMALL, PART = 16 /* vectors that a thread takes at a time */ };
enum { LEFT = 1, RIGHT = 2 }; /* the halves in which a vector is not zero */

knr_bidiagonal knr_bidiagonal_take(knr_arena *a, kn_dtype real, int64_t n, bool vectors, const knr_dense *left,
                                   const knr_dense *right, int threads)
{
    knr_bidiagonal b = {.n = n, .vectors = vectors, .threads = threads, .epsilon = knr_rounding(real)};
    int64_t rows = vectors ? n : 0, joined = rows > SMALL ? n : 0;
    size_t count = (size_t)n + 1;
    b.d = knr_take(a, count, 8);
    b.e = knr_take(a, count, 8);
    b.u = knr_dense_take(a, real, rows, n);
    b.v = knr_dense_take(a, real, rows, n);
    b.copy_u = knr_dense_take(a, real, joined, n);
    b.copy_v = knr_dense_take(a, real, joined, n);
    b.left = *left;
    b.right = *right;
    b.left.p.im = b.right.p.im = NULL;
    knr_doubles delta = knr_doubles_take(a, false, joined, n);
    b.delta = delta.re;
    b.ld = delta.ld;
    for (int i = 0; i < 4; i++)
        b.spare[i] = knr_take(a, count, 8);
    b.z = knr_take(a, count, 8);
    b.order = knr_take(a, count, 8);
    b.kept = knr_take(a, count, 8);
    b.side = knr_take(a, count, 1);
    b.multiplier = knr_multiplier_take(a, real, joined, joined - joined / 2, joined, threads);
    return b;
}

/* Row i of vectors from number j on. */
static void *row(const knr_dense *x, int64_t i, int64_t j) { return (char *)x->p.re + (i * x->p.ld + j) * x->f->size; }

static double number(const knr_dense *x, int64_t i, int64_t j) { return knr_get(x, x->p.re, i * x->p.ld + j); }

static void copy_row(const knr_dense *to, int64_t i, const knr_dense *from, int64_t j, int64_t at, int64_t end)
{
    memcpy(row(to, i, at), row(from, j, at), (size_t)((end - at) * to->f->size));
}

static void rotate_rows(const knr_dense *x, int64_t i, int64_t j, int64_t from, int64_t to, double c, double s)
{
    x->f->rotate(row(x, i, from), row(x, j, from), to - from, c, s);
}

/* --- small blocks ----------------------------------------------------------------------------- */

static double rotation(double f, double g, double *c, double *s)
{
    double r = knr_length(f, g);
    *c = r == 0 ? 1 : f / r;
    *s = r == 0 ? 0 : g / r;
    return r;
}

/* Rows from .. to with column `to` beside them: rotations from the right make that zero and the matrix lower
 * bidiagonal, others from the left make it an upper one again. */
static void drop_column(const knr_bidiagonal *b, int64_t from, int64_t to)
{
    double *d = b->d, *e = b->e, c, s;
    for (int64_t i = from; i < to; i++) {
        d[i] = rotation(d[i], e[i], &c, &s);
        rotate_rows(&b->v, i, i + 1, from, to + 1, c, s);
        if (i + 1 < to) {
            e[i] = s * d[i + 1];
            d[i + 1] *= c;
        }
    }
    for (int64_t i = from; i + 1 < to; i++) {
        d[i] = rotation(d[i], e[i], &c, &s);
        e[i] = s * d[i + 1];
        d[i + 1] *= c;
        rotate_rows(&b->u, i, i + 1, from, to, c, s);
    }
}

static void reverse(const knr_dense *x, int64_t i, int64_t j, int64_t from, int64_t to)
{
    knr_exchange_rows(x, i, j, from, to - from);
}

/* Rows from .. to, with a column more than these if `beside`. Values rise. */
static bool small(const knr_bidiagonal *b, int64_t from, int64_t to, bool beside)
{
    int64_t n = to - from;
    knr_bidiagonal part = {.n = n, .vectors = true, .epsilon = b->epsilon, .d = b->d + from, .e = b->e + from};
    if (beside)
        drop_column(b, from, to);
    part.u = knr_dense_part(&b->u, from, from, n, n);
    part.v = knr_dense_part(&b->v, from, from, n, n + beside);
    if (!knr_bidiagonal_steps(&part))
        return false;
    knr_bidiagonal_sort(&part);
    for (int64_t i = from, j = to - 1; i < j; i++, j--) {
        double t = b->d[i];
        b->d[i] = b->d[j];
        b->d[j] = t;
        reverse(&b->u, i, j, from, to);
        reverse(&b->v, i, j, from, to + beside);
    }
    return true;
}

/* --- joining two blocks ----------------------------------------------------------------------- */

typedef struct joint {
    int64_t from, middle, to, end, kept; /* rows; columns from .. end; kept: of b->kept */
} joint;

/* Fills b->kept with those that take part, the middle row first, then in order. */
static void deflate(const knr_bidiagonal *b, joint *h, double small)
{
    double *d = b->d, *z = b->z;
    int64_t before = -1, *kept = b->kept + h->from;
    kept[h->kept++] = h->middle;
    for (int64_t k = h->from; k < h->to - 1; k++) {
        int64_t i = b->order[k];
        if (fabs(z[i]) <= small)
            continue;
        if (before >= 0) {
            if (d[i] - d[before] <= small) {
                double s = z[before], c = z[i], r = knr_length(c, s);
                c /= r;
                s = -s / r;
                z[i] = r;
                rotate_rows(&b->u, before, i, h->from, h->to, c, s);
                rotate_rows(&b->v, before, i, h->from, h->end, c, s);
                b->side[i] |= b->side[before];
                b->side[before] = b->side[i];
            } else
                kept[h->kept++] = before;
        }
        before = i;
    }
    if (before >= 0)
        kept[h->kept++] = before;
}

typedef struct vectors {
    const knr_bidiagonal *b;
    const joint *h;
    const int64_t *places;
    const double *near, *d;
} vectors;

/* Rows of `left` and `right`: coefficients of the new vectors, at places[]. */
static void make_vectors(void *arg, int64_t part, int worker)
{
    const vectors *x = arg;
    const joint *h = x->h;
    int64_t n = h->kept, end = (part + 1) * PART < n ? (part + 1) * PART : n;
    const knr_condensed_loops *f = knr_condensed();
    (void)worker;
    for (int64_t j = part * PART; j < end; j++) {
        double *w = x->b->delta + (h->from + j) * x->b->ld;
        knr_put_at(&x->b->right, h->from + j, h->from, w, 1 / sqrt(f->divide(w, x->near, w, n)), x->places, n);
        double sum = f->times(w, w, x->d, n); /* d[0] is 0 */
        w[0] = -1;
        knr_put_at(&x->b->left, h->from + j, h->from, w, 1 / sqrt(1 + sum), x->places, n);
    }
}

/* Columns c .. c + columns of the new vectors in the first rows of x: of `count` rows of the copy. */
static void turn(const knr_bidiagonal *b, const joint *h, const knr_dense *x, const knr_dense *by,
                 const knr_dense *copy, int64_t c, int64_t columns, int64_t first, int64_t count)
{
    knr_dense y = knr_dense_part(x, h->from, c, h->kept, columns);
    knr_dense p = knr_dense_part(by, h->from, h->from + first, h->kept, count);
    knr_dense q = knr_dense_part(copy, h->from + first, c, count, columns);
    knr_dense_product(&b->multiplier, &y, KNR_SET, &p, KNR_PLAIN, &q, KNR_PLAIN);
}

/* z, and the vector of what is left of both spaces without values: that of the whole block is row `to` of v. */
static void make_z(const knr_bidiagonal *b, const joint *h, double alpha, double beta)
{
    double *z = b->z, c, s;
    int64_t middle = h->middle;
    bool beside = h->end > h->to;
    for (int64_t i = h->from; i < h->end; i++) {
        z[i] = i <= middle ? alpha * number(&b->v, i, middle) : beta * number(&b->v, i, middle + 1);
        b->side[i] = i < middle ? LEFT : i == middle ? LEFT | RIGHT : RIGHT;
    }
    if (beside) {
        z[middle] = rotation(z[middle], z[h->to], &c, &s);
        rotate_rows(&b->v, middle, h->to, h->from, h->end, c, s);
    }
}

/* Values other than the middle one's in order. */
static void order_by(const double *d, int64_t *order, const joint *h)
{
    int64_t i = h->from, j = h->middle + 1;
    for (int64_t k = h->from; k < h->to - 1; k++)
        order[k] = j == h->to || (i < h->middle && d[i] <= d[j]) ? i++ : j++;
}

static int64_t class_of(uint8_t side) { return side == LEFT ? 0 : side == RIGHT ? 2 : 1; }

static void copy_rows(const knr_bidiagonal *b, const joint *h, int64_t to, int64_t from)
{
    copy_row(&b->copy_u, to, &b->u, from, h->from, h->to);
    copy_row(&b->copy_v, to, &b->v, from, h->from, h->end);
}

/* values: of the copies, those of kept rows first. The order in which all of them rise. */
static void merge(const double *values, int64_t kept, int64_t n, int64_t *order)
{
    for (int64_t i = kept; i < n; i++) { /* the others lie in order but for turned pairs: by insertion */
        int64_t k = i - kept;
        for (; k > 0 && values[order[k - 1]] > values[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    int64_t root = kept - 1, other = n - kept - 1;
    for (int64_t i = n - 1; i >= 0; i--)
        order[i] = other < 0 || (root >= 0 && values[root] >= values[order[other]]) ? root-- : order[other--];
}

static void move(const knr_bidiagonal *b, const joint *h, const double *values, const int64_t *order)
{
    for (int64_t i = h->to - h->from - 1; i >= 0; i--) { /* the vectors lie in order; they move on to make room */
        int64_t to = h->from + i, from = h->from + order[i];
        bool is_copy = order[i] >= h->kept;
        b->d[to] = values[order[i]];
        if (!is_copy && from == to)
            continue;
        copy_row(&b->u, to, is_copy ? &b->copy_u : &b->u, from, h->from, h->to);
        copy_row(&b->v, to, is_copy ? &b->copy_v : &b->v, from, h->from, h->end);
    }
}

static void join(const knr_bidiagonal *b, joint *h, double small)
{
    int64_t from = h->from, middle = h->middle, *places = b->order + from, *kept = b->kept + from;
    int64_t at[3], count[3] = {0, 0, 0};
    double *d = b->spare[0] + from, *z = b->spare[1] + from, *near = b->spare[2] + from, *values = b->spare[3] + from;
    order_by(b->d, b->order, h);
    if (fabs(b->z[middle]) <= small)
        b->z[middle] = small;
    deflate(b, h, small);
    int64_t n = h->kept, copied = from + n;
    for (int64_t i = 0; i < n; i++)
        count[class_of(b->side[kept[i]])]++;
    at[0] = 0, at[1] = count[0], at[2] = count[0] + count[1];
    for (int64_t i = 0; i < n; i++) {
        places[i] = at[class_of(b->side[kept[i]])]++;
        copy_rows(b, h, from + places[i], kept[i]);
        d[i] = i ? b->d[kept[i]] : 0;
        z[i] = b->z[kept[i]];
        b->side[kept[i]] = 0;
    }
    if (n > 1 && d[1] <= small / 2)
        d[1] = small / 2;
    for (int64_t i = from; i < h->to; i++)
        if (b->side[i])
            copy_rows(b, h, copied++, i);
    knr_secular s = {n, d, z, 1, b->epsilon, true, b->delta + from * b->ld, b->ld};
    knr_secular_solve(&s, values, near, b->threads);
    knx_parallel(n < 4 * PART ? 1 : b->threads, (n + PART - 1) / PART, make_vectors, &(vectors){b, h, places, near, d});
    copied = n;
    for (int64_t i = from; i < h->to; i++)
        if (b->side[i])
            values[copied++] = b->d[i];
    int64_t own = places[0], left = count[0] + count[1], right = count[1] + count[2];
    turn(b, h, &b->u, &b->left, &b->copy_u, from, middle - from, 0, left);
    turn(b, h, &b->u, &b->left, &b->copy_u, middle + 1, h->to - middle - 1, count[0], right);
    turn(b, h, &b->v, &b->right, &b->copy_v, from, middle + 1 - from, 0, left);
    turn(b, h, &b->v, &b->right, &b->copy_v, middle + 1, h->end - middle - 1, count[0], right);
    for (int64_t i = 0; i < n; i++) /* the middle row was a vector of its own */
        memcpy(row(&b->u, from + i, middle), row(&b->left, from + i, from + own), (size_t)b->u.f->size);
    merge(values, n, h->to - from, b->order + from);
    move(b, h, values, b->order + from);
}

static bool divide(const knr_bidiagonal *b, int64_t from, int64_t to, bool beside)
{
    if (to - from <= SMALL)
        return small(b, from, to, beside);
    int64_t middle = from + (to - from) / 2;
    joint h = {from, middle, to, to + beside, 0};
    double alpha = b->d[middle], beta = b->e[middle], most = fabs(alpha) > fabs(beta) ? fabs(alpha) : fabs(beta);
    if (!divide(b, from, middle, true) || !divide(b, middle + 1, to, beside))
        return false;
    for (int64_t i = from; i < to; i++)
        most = i != middle && b->d[i] > most ? b->d[i] : most;
    double s = knr_scale_for(most);
    for (int64_t i = from; i < to; i++)
        b->d[i] *= s;
    make_z(b, &h, alpha * s, beta * s);
    join(b, &h, most == 0 ? 0x1p-1000 : 8 * b->epsilon * most * s);
    for (int64_t i = from; i < to; i++)
        b->d[i] /= s;
    return true;
}

bool knr_bidiagonal_divide(const knr_bidiagonal *b)
{
    int64_t n = b->n;
    knr_dense_identity(&b->u);
    knr_dense_identity(&b->v);
    if (!divide(b, 0, n, false))
        return false;
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        double t = b->d[i];
        b->d[i] = b->d[j];
        b->d[j] = t;
        reverse(&b->u, i, j, 0, n);
        reverse(&b->v, i, j, 0, n);
    }
    return true;
}
