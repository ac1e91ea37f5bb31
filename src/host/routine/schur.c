/* SPDX-License-Identifier: Apache-2.0
 * schur.c -- Schur forms: reflections from both sides make the matrix upper Hessenberg, francis.c goes on in float64.
 * Eigenvectors are those of the (quasi-)triangular matrix, by substitution, turned back; before that the rows and
 * columns of the matrix are scaled by powers of two to like sizes. */
#include "host/routine/schur.h"
#include "base/pool.h"
#include "host/routine/condensed.h"
#include "host/routine/matrix_product.h"
#include "host/routine/francis.h"
#include <math.h>
#include <string.h>

typedef knr_complex number;
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static double size(number a) { return fabs(a.re) + fabs(a.im); }

/* --- Hessenberg ------------------------------------------------------------------------------- */

enum {
    PANEL = KNR_REFLECTIONS,
    PART = 64 /* rows that a thread takes at a time */,
    BLOCK = 32, /* numbers of vectors */
    FEW = 128   /* rows whose reflections are applied one by one */
};

typedef struct room {
    kn_dtype dtype;
    int64_t n;
    int threads;
    knr_dense a, q;
    knr_dense transpose; /* of small real matrices */
    void *whole;
    knr_dense v, y, turned; /* rows: vectors of a panel; the columns of A V T; one more of these */
    knr_dense column, t;
    knr_doubles vector, sums, h, z;
    double *coefficient[3];
    knr_multiplier multiplier;
    knr_block_reflection block;
    const knr_francis_room *many;
    knr_complex *tau;
} room;

static room room_of(kn_dtype d, int64_t n, int threads, knr_arena *arena)
{
    bool complex = knx_is_complex(d);
    room r = {.dtype = d, .n = n, .threads = threads};
    r.a = knr_dense_take(arena, d, n, n);
    r.transpose = knr_dense_take(arena, d, n, complex || n > KNR_WHOLE ? 0 : n);
    r.whole = knr_take(arena, KNR_WHOLE_ROOM, 1);
    r.v = knr_dense_take(arena, d, PANEL, n);
    r.y = knr_dense_take(arena, d, PANEL, n);
    r.turned = knr_dense_take(arena, d, PANEL, n);
    r.column = knr_dense_take(arena, d, 1, n);
    r.t = knr_dense_take(arena, d, PANEL, PANEL);
    r.vector = knr_doubles_take(arena, complex, 1, n);
    r.sums = knr_doubles_take(arena, complex, 3, n);
    for (int i = 0; i < 3; i++)
        r.coefficient[i] = knr_take(arena, PANEL, 8);
    r.multiplier = knr_multiplier_take(arena, knx_component(d), n, n, n, threads);
    r.tau = knr_take(arena, (size_t)n, sizeof *r.tau);
    return r;
}

/* --- a panel of the Hessenberg form ----------------------------------------------------------- */

/* y = x c for the `count` rows of x: a combination of them, with the coefficients c or -c. */
static void add_rows(room *r, const knr_dense *y, int64_t from, const knr_dense *x, int count, const number *c,
                     double sign)
{
    for (int i = 0; i < count; i++) {
        r->coefficient[0][i] = sign * c[i].re;
        r->coefficient[1][i] = sign * c[i].im;
    }
    knr_combine(y, from, x, count, r->coefficient[0], r->coefficient[1], r->coefficient[2]);
}

/* c = V^H x, from number `from` on */
static void inner_products(room *r, const knr_dense *x, int64_t from, int count, number *c)
{
    int64_t n = r->n - from;
    knr_dense v = knr_dense_part(&r->v, 0, from, count, n), row = knr_dense_part(x, 0, from, 1, n);
    for (int64_t j = 0; x->p.im && j < n; j++)
        knr_set(&row, row.p.im, j, -knr_get(&row, row.p.im, j));
    knr_dots(&v, &row, r->coefficient[0], r->coefficient[1], r->coefficient[2]);
    for (int64_t j = 0; x->p.im && j < n; j++)
        knr_set(&row, row.p.im, j, -knr_get(&row, row.p.im, j));
    for (int i = 0; i < count; i++)
        c[i] = (number){r->coefficient[0][i], x->p.im ? -r->coefficient[1][i] : 0};
}

/* x = T x or T^H x */
static void times_t(const room *r, int count, bool adjoint, number *x)
{
    number y[PANEL];
    for (int i = 0; i < count; i++) {
        y[i] = (number){0, 0};
        for (int k = adjoint ? 0 : i; k < (adjoint ? i + 1 : count); k++) {
            number t = adjoint ? knr_at(&r->t, k, i) : knr_at(&r->t, i, k);
            number p = knr_times((number){t.re, adjoint ? -t.im : t.im}, x[k]);
            y[i] = (number){y[i].re + p.re, y[i].im + p.im};
        }
    }
    memcpy(x, y, (size_t)count * sizeof *x);
}

typedef struct product {
    const room *r;
    const knr_dense *a, *x;
} product;

static void some_rows(void *arg, int64_t part, int worker)
{
    const product *p = arg;
    const room *r = p->r;
    int64_t from = part * PART, rows = p->a->rows - from < PART ? p->a->rows - from : PART;
    knr_dense a = knr_dense_part(p->a, from, 0, rows, p->a->columns);
    double *im = r->sums.im ? r->sums.im : r->sums.re;
    (void)worker;
    knr_dots(&a, p->x, r->sums.re + from, im + from, r->sums.re + r->sums.ld + from);
}

/* The sums become a x for the rows and columns of a from `row` and `column` on. */
static void times_vector(room *r, int64_t row, int64_t column)
{
    knr_dense a = knr_dense_part(&r->a, row, column, r->n - row, r->n - column);
    knr_dense x = knr_dense_part(&r->column, 0, column, 1, r->n - column);
    product p = {r, &a, &x};
    int64_t parts = (a.rows + PART - 1) / PART;
    knx_parallel(a.rows * a.columns < 20000 ? 1 : r->threads, parts, some_rows, &p);
}

/* The reflection of column j, number i of the panel that begins with column `top`; what the reflections before it make
 * of the column. Row i of y becomes A V T's column. */
static void reflect(room *r, int64_t top, int i)
{
    int64_t j = top + i, first = j + 1, n = r->n, m = n - first;
    knr_dense x = r->column, y = knr_dense_part(&r->y, i, 0, 1, n), v = knr_dense_part(&r->v, i, 0, 1, n);
    number c[PANEL];
    double beta;
    for (int64_t k = top + 1; k < n; k++)
        knr_put(&x, 0, k, knr_at(&r->a, k, j));
    if (i) {
        for (int k = 0; k < i; k++) {
            c[k] = knr_at(&r->v, k, j);
            c[k].im = -c[k].im;
        }
        add_rows(r, &x, top + 1, &r->y, i, c, -1);
        inner_products(r, &x, top + 1, i, c);
        times_t(r, i, true, c);
        add_rows(r, &x, top + 1, &r->v, i, c, -1);
    }
    for (int64_t k = 0; k < m; k++) {
        number e = knr_at(&x, 0, first + k);
        r->vector.re[k] = e.re;
        if (r->vector.im)
            r->vector.im[k] = e.im;
    }
    number tau = r->tau[j] = knr_reflection(m, r->vector.re, r->vector.im, &beta);
    for (int64_t k = top + 1; k < n; k++) {
        number e =
            k < first ? (number){0, 0} : (number){r->vector.re[k - first], r->vector.im ? r->vector.im[k - first] : 0};
        knr_put(&r->a, k, j, k < first ? knr_at(&x, 0, k) : k == first ? (number){beta, 0} : e);
        knr_put(&v, 0, k, e);
        knr_put(&x, 0, k, e);
    }
    times_vector(r, top + 1, first);
    for (int64_t k = top + 1; k < n; k++) {
        int64_t at = k - top - 1;
        knr_put(&y, 0, k, knr_times(tau, (number){r->sums.re[at], r->sums.im ? r->sums.im[at] : 0}));
    }
    inner_products(r, &x, first, i, c);
    for (int k = 0; k < i; k++)
        c[k] = knr_times(tau, c[k]);
    if (i)
        add_rows(r, &y, top + 1, &r->y, i, c, -1);
    times_t(r, i, false, c);
    for (int k = 0; k < i; k++) {
        knr_put(&r->t, k, i, (number){-c[k].re, -c[k].im});
        knr_put(&r->t, i, k, (number){0, 0});
    }
    knr_put(&r->t, i, i, tau);
}

/* What a panel's reflections do to all that it has not worked on: the rows above, and the columns behind it. */
static void update(room *r, int64_t top, int count)
{
    int64_t first = top + 1, behind = top + count, n = r->n;
    knr_dense v = knr_dense_part(&r->v, 0, first, count, n - first), t = knr_dense_part(&r->t, 0, 0, count, count);
    knr_dense above = knr_dense_part(&r->a, 0, first, first, n - first);
    knr_dense w = knr_dense_part(&r->turned, 0, 0, count, first), y = knr_dense_part(&r->y, 0, 0, count, first);
    knr_dense_product(&r->multiplier, &w, KNR_SET, &v, KNR_PLAIN, &above, KNR_TRANSPOSED); /* (A V)^T */
    knr_dense_product(&r->multiplier, &y, KNR_SET, &t, KNR_TRANSPOSED, &w, KNR_PLAIN);
    knr_dense_product(&r->multiplier, &above, KNR_MINUS, &y, KNR_TRANSPOSED, &v, KNR_CONJUGATED);
    if (behind >= n)
        return;
    knr_dense rest = knr_dense_part(&r->a, first, behind, n - first, n - behind);
    knr_dense v_behind = knr_dense_part(&r->v, 0, behind, count, n - behind);
    w = knr_dense_part(&r->turned, 0, 0, count, n - behind);
    y = knr_dense_part(&r->y, 0, first, count, n - first);
    knr_dense_product(&r->multiplier, &rest, KNR_MINUS, &y, KNR_TRANSPOSED, &v_behind, KNR_CONJUGATED);
    knr_dense_product(&r->multiplier, &w, KNR_SET, &v, KNR_CONJUGATED, &rest, KNR_PLAIN);
    y = knr_dense_part(&r->y, 0, 0, count, n - behind);
    knr_dense_product(&r->multiplier, &y, KNR_SET, &t, KNR_ADJOINT, &w, KNR_PLAIN);
    knr_dense_product(&r->multiplier, &rest, KNR_MINUS, &v, KNR_TRANSPOSED, &y, KNR_PLAIN);
}

/* A small real matrix at once. */
static void reduce_whole(room *r)
{
    const knr_dense *a = &r->a, *b = &r->transpose;
    double tau[KNR_WHOLE];
    knr_dense_transpose(a, b);
    knr_condensed()->hessenberg[a->f->size == 8](a->p.re, a->p.ld, b->p.re, b->p.ld, r->n, tau, r->whole);
    knr_dense_transpose(b, a);
    for (int64_t i = 0; i + 1 < r->n; i++)
        r->tau[i] = (number){tau[i], 0};
}

static void reduce(room *r)
{
    if (!r->a.p.im && r->n <= KNR_WHOLE) {
        reduce_whole(r);
        return;
    }
    for (int64_t top = 0; top < r->n - 1; top += PANEL) {
        int count = (int)(r->n - 1 - top < PANEL ? r->n - 1 - top : PANEL);
        for (int i = 0; i < count; i++)
            reflect(r, top, i);
        update(r, top, count);
    }
}

size_t knr_hessenberg_workspace(kn_dtype d, int64_t n, int threads)
{
    knr_arena arena = {NULL, 0};
    room_of(d, n, threads, &arena);
    return arena.used;
}

void knr_hessenberg_run(kn_dtype d, int64_t n, const void *a, void *packed, void *tau, void *workspace, int threads)
{
    knr_arena arena = {workspace, 0};
    room r = room_of(d, n, threads, &arena);
    knr_dense_load(&r.a, a, n, 1, false);
    reduce(&r);
    knr_dense_store(&r.a, packed, n, 1, false);
    for (int64_t i = 0; i < n - 1; i++)
        knr_element_put(d, tau, i, r.tau[i]);
}

/* --- Schur ------------------------------------------------------------------------------------ */

static room schur_room(kn_dtype d, int64_t n, int threads, knr_arena *arena)
{
    bool complex = knx_is_complex(d);
    room r = room_of(d, n, threads, arena);
    r.q = knr_dense_take(arena, d, n, n);
    r.block = knr_block_take(arena, d, n, n, threads);
    r.many = complex ? NULL : knr_francis_take(arena, n, n, threads);
    r.h = knr_doubles_take(arena, complex, n, n);
    r.z = knr_doubles_take(arena, complex, n, n);
    return r;
}

static void widen(const knr_dense *x, const knr_doubles *to, int64_t below)
{
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++) {
            number v = i - j > below ? (number){0, 0} : knr_at(x, i, j);
            to->re[i * to->ld + j] = v.re;
            if (to->im)
                to->im[i * to->ld + j] = v.im;
        }
}

/* h, and z transposed, of a, which is finite */
static bool decompose(room *r, bool vectors)
{
    int64_t n = r->n;
    reduce(r);
    widen(&r->a, &r->h, 1);
    if (vectors) {
        knr_dense_identity(&r->q);
        if (n > 1) {
            knr_dense packed = knr_dense_part(&r->a, 1, 0, n - 1, n - 1),
                      below = knr_dense_part(&r->q, 1, 1, n - 1, n - 1);
            knr_dense rows = knr_dense_part(&r->transpose, 0, 1, n - 1, n - 1),
                      all = knr_dense_part(&r->q, 1, 0, n - 1, n);
            if (r->transpose.columns && n <= FEW)
                knr_block_apply_rows(&r->block, &rows, r->tau, n - 1, &all, false);
            else
                knr_block_apply_packed(&r->block, &packed, r->tau, n - 1, &below, false, true);
        }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                number v = knr_at(&r->q, i, j);
                r->z.re[j * r->z.ld + i] = v.re;
                if (r->z.im)
                    r->z.im[j * r->z.ld + i] = v.im;
            }
    }
    return knr_francis(&r->h, n, &r->z, vectors ? n : 0, knr_epsilon(&r->a), r->many);
}

static number element(const knr_doubles *x, int64_t i, int64_t j)
{
    return (number){x->re[i * x->ld + j], x->im ? x->im[i * x->ld + j] : 0};
}

size_t knr_schur_workspace(kn_dtype d, int64_t n, int threads)
{
    knr_arena arena = {NULL, 0};
    schur_room(d, n, threads, &arena);
    return arena.used;
}

bool knr_schur_run(kn_dtype d, int64_t n, const void *a, void *t, void *z, void *workspace, int threads)
{
    knr_arena arena = {workspace, 0};
    room r = schur_room(d, n, threads, &arena);
    knr_dense_load(&r.a, a, n, 1, false);
    double scale = knr_scale_for(knr_largest(&r.a));
    bool well = knr_is_finite(&r.a);
    if (well) {
        knr_scale(&r.a, scale);
        well = decompose(&r, z != NULL);
    }
    if (!well) {
        knr_fill_nan(d, t, n * n);
        if (z)
            knr_fill_nan(d, z, n * n);
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            number v = element(&r.h, i, j);
            knr_element_put(d, t, i * n + j, (number){v.re / scale, v.im / scale});
            if (z)
                knr_element_put(d, z, i * n + j, element(&r.z, j, i));
        }
    return true;
}

/* --- eigenvectors ----------------------------------------------------------------------------- */

typedef struct eig_room {
    room r;
    knr_dense x, sums; /* rows: vectors of the triangular matrix, and sums for BLOCK numbers of each. float64, as are */
    knr_dense v;       /* rows: vectors of the matrix */
    knr_dense z;       /* of the adjoint matrix: z transposed, */
    knr_doubles turned; /* and the triangular matrix */
    knr_multiplier multiplier;
    double *scale;
    number *w;
    size_t bytes;
} eig_room;

static eig_room eig_room_of(kn_dtype d, int64_t n, int threads, void *workspace)
{
    knr_arena arena = {workspace, 0};
    eig_room e = {.r = schur_room(d, n, threads, &arena)};
    e.x = knr_dense_take(&arena, KN_DT(C128), n, n);
    e.sums = knr_dense_take(&arena, KN_DT(C128), n, BLOCK);
    e.z = knr_dense_take(&arena, knx_is_complex(d) ? KN_DT(C128) : KN_DT(F64), n, n);
    e.v = knr_dense_take(&arena, KN_DT(C128), n, n);
    e.turned = knr_doubles_take(&arena, knx_is_complex(d), n, n);
    e.scale = knr_take(&arena, (size_t)n, 8);
    e.multiplier = knr_multiplier_take(&arena, KN_DT(F64), n, n, n, threads);
    e.w = knr_take(&arena, (size_t)n, sizeof *e.w);
    e.bytes = arena.used;
    return e;
}

size_t knr_eig_workspace(kn_dtype d, int64_t n, int threads) { return eig_room_of(d, n, threads, NULL).bytes; }

/* a becomes D^-1 a D. */
static void balance(eig_room *e)
{
    const knr_dense *a = &e->r.a;
    int64_t n = a->rows;
    for (int64_t i = 0; i < n; i++)
        e->scale[i] = 1;
    bool changed = true;
    for (int round = 0; changed && round < 50; round++) {
        changed = false;
        for (int64_t i = 0; i < n; i++) {
            double c = 0, r = 0, f = 1;
            for (int64_t j = 0; j < n; j++) {
                number x = j == i ? (number){0, 0} : knr_at(a, j, i), y = j == i ? x : knr_at(a, i, j);
                c += x.re * x.re + x.im * x.im;
                r += y.re * y.re + y.im * y.im;
            }
            c = sqrt(c), r = sqrt(r);
            if (c == 0 || r == 0)
                continue;
            double before = c + r;
            for (; c < r / 2 && f < 0x1p60; f *= 2, c *= 2, r /= 2)
                continue;
            for (; c >= r * 2 && f > 0x1p-60; f /= 2, c /= 2, r *= 2)
                continue;
            double total = e->scale[i] * f;
            if (f == 1 || c + r >= 0.95 * before || total > 0x1p100 || total < 0x1p-100)
                continue;
            e->scale[i] = total;
            changed = true;
            for (int64_t j = 0; j < n; j++) {
                number x = knr_at(a, i, j);
                knr_put(a, i, j, (number){x.re / f, x.im / f});
                x = knr_at(a, j, i);
                knr_put(a, j, i, (number){x.re * f, x.im * f});
            }
        }
    }
}

/* x / d, where |d| is at least `least` */
static number quotient(number x, number d, double least)
{
    if (size(d) < least)
        d = (number){least, 0};
    double s = knr_scale_for(size(d));
    d = (number){d.re * s, d.im * s};
    double norm = d.re * d.re + d.im * d.im;
    number q = knr_times(x, (number){d.re / norm, -d.im / norm});
    return (number){q.re * s, q.im * s};
}

static bool ends_pair(const knr_doubles *t, int64_t k) { return !t->im && k > 0 && t->re[k * t->ld + k - 1] != 0; }

/* The end of vector k: 1, or of a pair's (in its second row) the numbers of its block. The others are zero so far. */
static void begin_vector(const knr_doubles *t, int64_t k, number w, const knr_dense *out)
{
    double *x = (double *)out->p.re + k * out->p.ld, *y = (double *)out->p.im + k * out->p.ld;
    x[k] = 1;
    if (ends_pair(t, k)) {
        double b = element(t, k - 1, k).re, c = element(t, k, k - 1).re;
        x[k - 1] = fabs(b) >= fabs(c) ? 1 : -w.im / c;
        x[k] = 0;
        y[k] = fabs(b) >= fabs(c) ? w.im / b : 1;
    }
}

/* Numbers from .. to of vector k, with (t - w) x = 0, where row k of `sums` holds what the ones behind `to` add, and of
 * the last `own` numbers of the vector the values are known. */
static void vector_part(const knr_doubles *t, int64_t k, number w, const knr_dense *out, const knr_dense *sums,
                        int64_t from, int64_t to)
{
    double *x = (double *)out->p.re + k * out->p.ld, *y = (double *)out->p.im + k * out->p.ld;
    double least = 0x1p-52 * size(w) > 0x1p-400 ? 0x1p-52 * size(w) : 0x1p-400; /* the matrix is near 1 in size */
    int64_t known = k - ends_pair(t, k), end = k + 1 < to ? k + 1 : to;
    bool real = !t->im && w.im == 0;
    double scale = 1;
    for (int64_t j = (known < to ? known : to) - 1; j >= from; j--) {
        int rows = !t->im && j > from && t->re[j * t->ld + j - 1] != 0 ? 2 : 1;
        number s[2] = {{0, 0}, {0, 0}};
        for (int i = 0; i < rows; i++) {
            if (k >= to)
                s[i] = knr_at(sums, k, j - i - from);
            s[i] = (number){-s[i].re * scale, -s[i].im * scale};
            const double *row = t->re + (j - i) * t->ld;
            if (real)
                for (int64_t l = j + 1; l < end; l++)
                    s[i].re -= row[l] * x[l];
            else
                for (int64_t l = j + 1; l < end; l++)
                    s[i] = minus(s[i], knr_times(element(t, j - i, l), (number){x[l], y[l]}));
        }
        number v = {0, 0}, u = {0, 0}, d = minus(element(t, j, j), w);
        if (rows == 2) { /* [a - w, b; c, d - w] [u; v] = [s1; s0] */
            number a = minus(element(t, j - 1, j - 1), w), b = element(t, j - 1, j), c = element(t, j, j - 1);
            number det = minus(knr_times(a, d), knr_times(b, c));
            v = quotient(minus(knr_times(a, s[0]), knr_times(c, s[1])), det, least * least);
            u = quotient(minus(knr_times(d, s[1]), knr_times(b, s[0])), det, least * least);
            x[j - 1] = u.re, y[j - 1] = u.im;
        } else
            v = quotient(s[0], d, least);
        x[j] = v.re, y[j] = v.im;
        j -= rows - 1;
        double most = size(v) > size(u) ? size(v) : size(u);
        if (most > 0x1p200) {
            scale /= most;
            for (int64_t l = j; l <= k; l++) {
                x[l] /= most;
                y[l] /= most;
            }
        }
    }
}

typedef struct substitution {
    const eig_room *e;
    const knr_doubles *t;
    bool left;
    int64_t from, to;
} substitution;

/* A pair's vector is in its second row; the first one stays zero. */
static bool begins_pair(const knr_doubles *t, int64_t n, int64_t k)
{
    return !t->im && k + 1 < n && t->re[(k + 1) * t->ld + k] != 0;
}

static number value_of(const eig_room *e, const knr_doubles *t, bool left, int64_t k)
{
    number w = e->w[left ? e->r.n - 1 - k : k];
    w.im = t->im && left ? -w.im : !t->im ? fabs(w.im) : w.im;
    return w;
}

static void some_vectors(void *arg, int64_t part, int worker)
{
    const substitution *s = arg;
    int64_t n = s->e->r.n, end = (part + 1) * PART < n ? (part + 1) * PART : n;
    (void)worker;
    for (int64_t k = part * PART > s->from ? part * PART : s->from; k < end; k++)
        if (!begins_pair(s->t, n, k))
            vector_part(s->t, k, value_of(s->e, s->t, s->left, k), &s->e->x, &s->e->sums, s->from, s->to);
}

/* Rows of x: the vectors of t, by substitution; what known numbers add to a block of others comes from products. */
static void substitute(eig_room *e, const knr_doubles *t, bool left)
{
    int64_t n = e->r.n;
    knr_dense_clear(&e->x);
    for (int64_t k = 0; k < n; k++)
        if (!begins_pair(t, n, k))
            begin_vector(t, k, value_of(e, t, left, k), &e->x);
    for (int64_t to = n, from; to > 0; to = from) {
        from = to > BLOCK ? to - BLOCK : 0;
        from -= from > 0 && ends_pair(t, from);
        if (to < n) {
            knr_dense known = knr_dense_part(&e->x, to, to, n - to, n - to);
            knr_dense sums = knr_dense_part(&e->sums, to, 0, n - to, to - from);
            knr_dense rows = {e->x.f,
                              {t->re + from * t->ld + to, t->im ? t->im + from * t->ld + to : NULL, t->ld},
                              to - from,
                              n - to};
            knr_dense_product(&e->multiplier, &sums, KNR_SET, &known, KNR_PLAIN, &rows, KNR_TRANSPOSED);
        }
        substitution s = {e, t, left, from, to};
        knx_parallel(n < 2 * PART ? 1 : e->r.threads, (n + PART - 1) / PART, some_vectors, &s);
    }
}

/* x + i y, n numbers, becomes one of length 1 whose largest element is real. */
static void normalize(double *x, double *y, int64_t n, bool real)
{
    double most = 0, sum = 0, largest = -1;
    int64_t best = 0;
    for (int64_t i = 0; i < n; i++) {
        double one = fabs(x[i]) + fabs(y[i]);
        most = one > most ? one : most;
    }
    double s = knr_scale_for(most);
    for (int64_t i = 0; i < n; i++) {
        double square = x[i] * s * (x[i] * s) + y[i] * s * (y[i] * s);
        sum += square;
        if (square > largest) {
            largest = square;
            best = i;
        }
    }
    double by = s / sqrt(sum), length = real ? 1 : knr_length(x[best], y[best]);
    number phase = real ? (number){by, 0} : (number){by * (x[best] / length), -by * (y[best] / length)};
    for (int64_t i = 0; i < n; i++) {
        number z = knr_times((number){x[i], y[i]}, phase);
        x[i] = z.re;
        y[i] = z.im;
    }
    if (!real)
        y[best] = 0;
}

/* The vectors of t, turned by the rows of z and scaled back, as columns of the result. `left`: t and z are those of the
 * adjoint matrix, in reverse order. */
static void store_vectors(eig_room *e, const knr_doubles *t, const knr_dense *z, bool left, kn_dtype d, void *to)
{
    int64_t n = e->r.n;
    substitute(e, t, left);
    knr_dense_product(&e->multiplier, &e->v, KNR_SET, &e->x, KNR_PLAIN, z, KNR_PLAIN);
    knr_dense out = {knr_linalg_loops_of(d), e->x.p, n, n}; /* the vectors in their dtype, as rows */
    for (int64_t k = 0; k < n; k++) {
        int64_t own = left ? n - 1 - k : k;
        bool first = begins_pair(t, n, k);
        int64_t row = first ? k + 1 : k; /* a pair's vector is in its second row */
        double *x = (double *)e->v.p.re + row * e->v.p.ld, *y = (double *)e->v.p.im + row * e->v.p.ld;
        if (first || t->im || e->w[own].im == 0) {
            for (int64_t i = 0; i < n; i++) {
                double s = left ? 1 / e->scale[i] : e->scale[i];
                x[i] *= s;
                y[i] *= s;
            }
            normalize(x, y, n, !t->im && e->w[own].im == 0);
        }
        double sign = !t->im && (left ? e->w[own].im > 0 : e->w[own].im < 0) ? -1 : 1;
        for (int64_t i = 0; i < n; i++)
            knr_put(&out, own, i, (number){x[i], sign * y[i]});
    }
    knr_dense_store(&out, to, 1, n, false);
}

static void set_values(eig_room *e)
{
    const knr_doubles *t = &e->r.h;
    for (int64_t k = 0; k < e->r.n; k++) {
        e->w[k] = element(t, k, k);
        if (t->im || k + 1 == e->r.n || t->re[(k + 1) * t->ld + k] == 0)
            continue;
        double w = sqrt(fabs(element(t, k, k + 1).re)) * sqrt(fabs(element(t, k + 1, k).re));
        e->w[k].im = w;
        e->w[k + 1] = (number){e->w[k].re, -w};
        k++;
    }
}

bool knr_eig_run(kn_dtype d, int64_t n, const void *a, void *w, void *left, void *right, void *workspace, int threads)
{
    eig_room e = eig_room_of(d, n, threads, workspace);
    room *r = &e.r;
    bool complex = knx_is_complex(d);
    kn_dtype out = complex ? d : d->size == 4 ? KN_DT(C64) : KN_DT(C128);
    knr_dense_load(&r->a, a, n, 1, false);
    double scale = knr_scale_for(knr_largest(&r->a));
    bool well = knr_is_finite(&r->a);
    if (well) {
        knr_scale(&r->a, scale);
        balance(&e);
        well = decompose(r, left || right);
    }
    if (!well) {
        knr_fill_nan(out, w, n);
        if (left)
            knr_fill_nan(out, left, n * n);
        if (right)
            knr_fill_nan(out, right, n * n);
        return false;
    }
    set_values(&e);
    for (int64_t k = 0; k < n; k++)
        knr_element_put(out, w, k, (number){e.w[k].re / scale, e.w[k].im / scale});
    knr_dense z = {e.z.f, {r->z.re, r->z.im, r->z.ld}, n, n};
    if (right)
        store_vectors(&e, &r->h, &z, false, out, right);
    for (int64_t i = 0; left && i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            knr_put(&e.z, i, j, element(&r->z, n - 1 - i, j));
            number t = element(&r->h, n - 1 - j, n - 1 - i);
            e.turned.re[i * e.turned.ld + j] = t.re;
            if (complex)
                e.turned.im[i * e.turned.ld + j] = -t.im;
        }
    if (left)
        store_vectors(&e, &e.turned, &e.z, true, out, left);
    return true;
}
