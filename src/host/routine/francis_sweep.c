/* SPDX-License-Identifier: Apache-2.0
 * francis_sweep.c -- aggressive early deflation and small bulges in chains (Braman, Byers and Mathias), for real
 * matrices. The Schur form of the last rows of a block shows which of its eigenvalues are those of the whole: where the
 * spike, which the element before these rows becomes, is nothing. The others are shifts of the next sweep: a chain of
 * bulges, three rows apart, goes down the block from window to window. What windows do is gathered in a matrix and
 * applied to all that is beside, above and in the vectors by products, on all threads. */
#include "host/routine/francis_sweep.h"
#include "host/routine/matrix_product.h"
#include <math.h>
#include <string.h>

enum {
    LEAST = 100, /* rows of a matrix that is worth it */
    WHOLE = 72,  /* a block of so many rows is one window */
    SPACE = 3,   /* rows between bulges */
    MOST = 32,   /* bulges */
};
static const double TINY = 0x1p-1000;

struct knr_francis_room {
    int bulges;
    int64_t last_rows, window; /* rows of the window for deflation, and of those for bulges */
    knr_dense t, v, u, beside, above;
    knr_multiplier multiplier;
    knr_spare spare;
    double *vector;
};

const knr_francis_room *knr_francis_take(knr_arena *a, int64_t n, int64_t z_rows, int threads)
{
    if (n < LEAST)
        return NULL;
    struct knr_francis_room r = {.bulges = n < 200 ? 6 : n < 400 ? 12 : n < 800 ? 20 : MOST}, *at;
    int64_t rows = n > z_rows ? n : z_rows;
    r.last_rows = n < 200 ? 18 : 3 * r.bulges;
    r.window = 2 * SPACE * r.bulges + 4;
    int64_t most = r.window > WHOLE ? r.window : WHOLE;
    most = most > r.last_rows ? most : r.last_rows;
    kn_dtype d = KN_DT(F64);
    at = knr_take(a, 1, sizeof *at);
    r.t = knr_dense_take(a, d, most, most);
    r.v = knr_dense_take(a, d, most, most);
    r.u = knr_dense_take(a, d, most, most);
    r.beside = knr_dense_take(a, d, most, rows);
    r.above = knr_dense_take(a, d, n, most);
    r.multiplier = knr_multiplier_take(a, d, rows, most, most, threads);
    knr_multiplier other = knr_multiplier_take(a, d, most, rows, most, threads);
    r.multiplier = other.bytes > r.multiplier.bytes ? other : r.multiplier;
    r.spare = knr_spare_take(a, d, most);
    r.vector = knr_take(a, (size_t)most, 8);
    if (!a->at)
        return NULL;
    *at = r;
    return at;
}

static double *at(const knr_doubles *x, int64_t i, int64_t j) { return &x->re[i * x->ld + j]; }
static knr_doubles doubles_of(const knr_dense *x) { return (knr_doubles){x->p.re, NULL, x->p.ld}; }
static knr_dense dense_of(const knr_dense *like, const knr_doubles *x, int64_t i, int64_t j, int64_t rows,
                          int64_t columns)
{
    return (knr_dense){like->f, {at(x, i, j), NULL, x->ld}, rows, columns};
}

static void copy(const knr_dense *to, const knr_dense *from)
{
    for (int64_t i = 0; i < to->rows; i++)
        memcpy((double *)to->p.re + i * to->p.ld, (double *)from->p.re + i * from->p.ld, (size_t)to->columns * 8);
}

/* Rows and columns from .. from + m of h have been turned by a matrix (m x m, u is transposed) inside of the window;
 * now all that is beside and above them, and the vectors. */
static void turn_outside(const knr_francis_work *w, const knr_francis_room *r, int64_t from, int64_t m,
                         const knr_dense *u)
{
    int64_t behind = from + m;
    knr_dense beside = dense_of(u, w->h, from, behind, m, w->n - behind);
    knr_dense result = knr_dense_part(&r->beside, 0, 0, m, w->n - behind);
    knr_dense_product(&r->multiplier, &result, KNR_SET, u, KNR_PLAIN, &beside, KNR_PLAIN);
    copy(&beside, &result);
    knr_dense above = dense_of(u, w->h, 0, from, from, m);
    result = knr_dense_part(&r->above, 0, 0, from, m);
    knr_dense_product(&r->multiplier, &result, KNR_SET, &above, KNR_PLAIN, u, KNR_TRANSPOSED);
    copy(&above, &result);
    if (!w->z_rows)
        return;
    knr_dense z = dense_of(u, w->z, from, 0, m, w->z_rows);
    result = knr_dense_part(&r->beside, 0, 0, m, w->z_rows);
    knr_dense_product(&r->multiplier, &result, KNR_SET, u, KNR_PLAIN, &z, KNR_PLAIN);
    copy(&z, &result);
}

/* --- deflation -------------------------------------------------------------------------------- */

typedef struct shift {
    double re, im;
} shift;

/* Those of the first `rows` rows of t which is quasi-triangular: pairs in a row, a single one, if there is an odd
 * number of real ones, left out. The largest come first. */
static int shifts_of(const knr_doubles *t, int64_t rows, shift *s)
{
    int count = 0;
    shift waiting = {0, 0};
    bool waits = false;
    for (int64_t k = 0; k < rows; k++) {
        if (k + 1 < rows && *at(t, k + 1, k) != 0) {
            double im = sqrt(fabs(*at(t, k, k + 1))) * sqrt(fabs(*at(t, k + 1, k)));
            s[count++] = (shift){*at(t, k, k), im};
            s[count++] = (shift){*at(t, k, k), -im};
            k++;
        } else if (waits) {
            s[count++] = waiting;
            s[count++] = (shift){*at(t, k, k), 0};
            waits = false;
        } else {
            waiting = (shift){*at(t, k, k), 0};
            waits = true;
        }
    }
    if (!count && waits) {
        s[count++] = waiting;
        s[count++] = waiting;
    }
    for (int i = 2; i < count; i += 2) { /* pairs, by insertion */
        shift p = s[i], q = s[i + 1];
        int k = i;
        for (; k > 0 && fabs(s[k - 2].re) + fabs(s[k - 2].im) < fabs(p.re) + fabs(p.im); k -= 2) {
            s[k] = s[k - 2];
            s[k + 1] = s[k - 1];
        }
        s[k] = p;
        s[k + 1] = q;
    }
    return count;
}

/* How many of the m rows of the window are left: eigenvalues whose part of the spike is nothing go. */
static int64_t deflate(const knr_francis_work *w, double spike, int64_t m)
{
    const knr_doubles *t = w->h, *v = w->z;
    int64_t left = m, moved = 0;
    while (moved < left) {
        int64_t k = left - 1;
        bool pair = k > 0 && *at(t, k, k - 1) != 0;
        double size = fabs(*at(t, k, k)), part = fabs(spike * *at(v, k, 0));
        if (pair) {
            size += sqrt(fabs(*at(t, k, k - 1))) * sqrt(fabs(*at(t, k - 1, k)));
            double other = fabs(spike * *at(v, k - 1, 0));
            part = other > part ? other : part;
        }
        size = size == 0 ? fabs(spike) : size;
        if (part <= (w->epsilon * size > TINY ? w->epsilon * size : TINY)) {
            left -= pair ? 2 : 1;
        } else {
            knr_francis_move(w, k, moved);
            moved += pair ? 2 : 1;
        }
    }
    return left;
}

/* The first `left` rows of the window become a Hessenberg matrix again, with the spike on its first row. */
static void restore(const knr_francis_room *r, const knr_dense *t, const knr_dense *v, int64_t left)
{
    int64_t m = t->rows;
    for (int64_t j = -1; j < left - 2; j++) { /* column -1 is the spike */
        int64_t first = j + 1, n = left - first;
        double beta;
        for (int64_t i = 0; i < n; i++)
            r->vector[i] = j < 0 ? knr_at(v, i, 0).re : knr_at(t, first + i, j).re;
        knr_complex tau = knr_reflection(n, r->vector, NULL, &beta);
        for (int64_t i = 0; j >= 0 && i < n; i++)
            knr_put(t, first + i, j, (knr_complex){i ? 0 : beta, 0});
        knr_doubles vector = {r->vector, NULL, n};
        knr_dense rows = knr_dense_part(t, first, first, n, m - first);
        knr_dense columns = knr_dense_part(t, 0, first, left, n), vectors = knr_dense_part(v, first, 0, n, m);
        knr_reflect_left(&rows, &vector, tau, &r->spare);
        knr_reflect_right(&columns, &vector, tau, &r->spare);
        knr_reflect_left(&vectors, &vector, tau, &r->spare);
    }
}

/* The window's last m rows of the block. False if its own iteration failed. */
static bool deflate_window(const knr_francis_work *w, const knr_francis_room *r, int64_t first, int64_t last, int64_t m,
                           int64_t *left, shift *shifts, int *count)
{
    int64_t top = last - m + 1;
    double spike = top == first ? 0 : *at(w->h, top, top - 1);
    knr_dense t = knr_dense_part(&r->t, 0, 0, m, m), v = knr_dense_part(&r->v, 0, 0, m, m);
    knr_dense window = dense_of(&t, w->h, top, top, m, m);
    knr_doubles h = doubles_of(&t), z = doubles_of(&v);
    knr_francis_work inside = {&h, &z, m, m, w->epsilon};
    copy(&t, &window);
    knr_dense_identity(&v);
    if (!knr_francis(&h, m, &z, m, w->epsilon, NULL))
        return false;
    *left = spike == 0 ? 0 : deflate(&inside, spike, m);
    *count = shifts_of(&h, *left, shifts);
    if (*left == m)
        return true;
    if (*left > 1)
        restore(r, &t, &v, *left);
    if (top > first)
        *at(w->h, top, top - 1) = *left ? spike * *at(&z, 0, 0) : 0;
    copy(&window, &t);
    turn_outside(w, r, top, m, &v);
    return true;
}

/* --- chains of bulges ------------------------------------------------------------------------- */

/* Reflection number k (of rows k .. k + 2) of the bulge with shifts s[0], s[1], inside of the window of rows from ..
 * end - 1; `u` holds the transposed matrix of what the window does. */
static void chase(const knr_francis_work *w, const knr_doubles *u, int64_t first, int64_t last, int64_t from,
                  int64_t end, int64_t k, const shift *s)
{
    const knr_doubles *h = w->h;
    int count = last - k + 1 < 3 ? 2 : 3;
    double v[3], beta, tau;
    if (k == first)
        knr_francis_first(h, k, s[0].re, s[0].im, s[1].re, s[1].im, v);
    else
        for (int i = 0; i < count; i++)
            v[i] = *at(h, k + i, k - 1);
    tau = knr_francis_reflection(count, v, &beta);
    if (k > first) {
        *at(h, k, k - 1) = beta;
        for (int i = 1; i < count; i++)
            *at(h, k + i, k - 1) = 0;
    }
    if (tau == 0)
        return;
    knr_francis_rows(h, k, count, v, tau, k, end);
    knr_francis_columns(h, k, count, v, tau, from, k + 4 < end ? k + 4 : end);
    knr_francis_rows(u, k - from, count, v, tau, 0, end - from);
}

/* Bulges for `count` shifts, of which the pairs go down one behind the other. place[b]: the number of the last
 * reflection of bulge b. */
static void sweep(const knr_francis_work *w, const knr_francis_room *r, int64_t first, int64_t last, const shift *s,
                  int count)
{
    int bulges = count / 2, done = 0;
    int64_t place[MOST];
    for (int b = 0; b < bulges; b++)
        place[b] = first - 1;
    while (done < bulges) {
        int64_t from = place[bulges - 1] + 1, end = from + r->window <= last ? from + r->window : last + 1;
        knr_dense u = knr_dense_part(&r->u, 0, 0, end - from, end - from);
        knr_doubles turned = doubles_of(&u);
        knr_dense_identity(&u);
        for (int b = done; b < bulges; b++) {
            int64_t limit = end > last ? last - 1 : end - 4;
            if (b > done && place[b - 1] - SPACE < limit)
                limit = place[b - 1] - SPACE;
            while (place[b] < limit)
                chase(w, &turned, first, last, from, end, ++place[b], s + 2 * b);
            if (place[b] == last - 1)
                done = b + 1;
        }
        turn_outside(w, r, from, end - from, &u);
    }
}

bool knr_francis_sweep(const knr_francis_work *w, const knr_francis_room *r, int64_t first, int64_t last, int64_t *gone)
{
    int64_t rows = last - first + 1, m = rows <= WHOLE ? rows : r->last_rows < rows ? r->last_rows : rows, left;
    shift shifts[3 * MOST + 4];
    int count;
    if (!deflate_window(w, r, first, last, m, &left, shifts, &count))
        return false;
    *gone = m - left;
    if (100 * *gone > 14 * m || rows - *gone < WHOLE)
        return *gone > 0;
    if (count < 2)
        return *gone > 0;
    count = count < 2 * r->bulges ? count : 2 * r->bulges;
    sweep(w, r, first, last - *gone, shifts, count);
    return true;
}
