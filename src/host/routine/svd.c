/* SPDX-License-Identifier: Apache-2.0
 * svd.c -- singular values: reflections from both sides make the matrix (or its adjoint, if it is wide) upper
 * bidiagonal, bidiagonal.c finds the values and vectors of that, and the reflections turn its vectors back. Of a panel
 * of PANEL columns only these, and as many rows, are updated at once; what lies behind gets all that belongs to the
 * panel as a product. */
#include "host/routine/svd.h"
#include "base/pool.h"
#include "host/routine/bidiagonal.h"
#include "host/routine/condensed.h"
#include "host/routine/matrix_product.h"
#include <math.h>

enum {
    PANEL = KNR_REFLECTIONS,
    FEW = 16,   /* columns: so many are not factorised first */
    PART = 128, /* rows, or columns, of a product with a vector that a thread takes at a time */
    ROWS = 16,  /* that are read together */
};

typedef struct room {
    int64_t m, n; /* m >= n, of what becomes bidiagonal */
    bool wide;
    int threads;
    knr_dense a, left; /* vectors of the reflections from the left are rows of this one, those from the right of a */
    /* rows of a panel, u, x and conj(y), conj(v) in turn: what lies behind loses U Y^H + X V^H */
    knr_dense ux, yv;
    knr_dense x, y; /* the left vectors, the right ones */
    knr_doubles vector, sums;
    double *coefficient[3];
    knr_multiplier multiplier;
    knr_block_reflection left_block, right_block;
    knr_complex *left_tau, *right_tau;
    void *whole; /* for the last rows */
    knr_bidiagonal b;
    bool is_tall; /* then `tall` is the matrix, and a becomes the triangle of its QR factors */
    knr_dense tall;
    knr_spare spare;
    knr_block_reflection tall_block;
    knr_complex *tall_tau;
    size_t bytes;
} room;

static room room_of(const knr_svd *s, void *workspace)
{
    knr_arena arena = {workspace, 0};
    kn_dtype d = s->dtype;
    bool complex = knx_is_complex(d);
    room r = {.wide = s->m < s->n, .threads = s->threads};
    r.m = r.wide ? s->n : s->m;
    r.n = r.wide ? s->m : s->n;
    r.is_tall = 5 * r.m >= 8 * r.n && r.n > FEW;
    int64_t n = r.n, some = s->vectors ? n : 0, columns = !s->vectors ? 0 : s->full ? r.m : n;
    r.x = knr_dense_take(&arena, d, r.m, columns);
    if (r.is_tall) {
        r.tall = knr_dense_take(&arena, d, r.m, n);
        r.spare = knr_spare_take(&arena, d, r.m);
        r.tall_block = knr_block_take(&arena, d, r.m, columns > n ? columns : n, s->threads);
        r.tall_tau = knr_take(&arena, (size_t)n, sizeof *r.tall_tau);
        r.m = n;
    }
    r.a = knr_dense_take(&arena, d, r.m, n);
    r.left = knr_dense_take(&arena, d, n, r.m);
    r.whole = knr_take(&arena, KNR_WHOLE_ROOM, 1);
    r.ux = knr_dense_take(&arena, d, 2 * PANEL, r.m);
    r.yv = knr_dense_take(&arena, d, 2 * PANEL, n);
    r.y = knr_dense_take(&arena, d, n, some);
    r.vector = knr_doubles_take(&arena, complex, 1, r.m);
    r.sums = knr_doubles_take(&arena, complex, 3, r.m);
    for (int i = 0; i < 3; i++)
        r.coefficient[i] = knr_take(&arena, (size_t)r.m + 2 * PANEL, 8);
    r.multiplier = knr_multiplier_take(&arena, knx_component(d), r.m, n, 2 * PANEL, s->threads);
    r.left_block = knr_block_take(&arena, d, r.m, r.is_tall && columns ? n : columns, s->threads);
    r.right_block = knr_block_take(&arena, d, n, some, s->threads);
    r.left_tau = knr_take(&arena, (size_t)n, sizeof *r.left_tau);
    r.right_tau = knr_take(&arena, (size_t)n, sizeof *r.right_tau);
    r.b = knr_bidiagonal_take(&arena, knx_component(d), n, s->vectors, &r.x, &r.y, s->threads);
    r.bytes = arena.used;
    return r;
}

/* --- products with vectors -------------------------------------------------------------------- */

typedef struct product {
    room *r;
    const knr_dense *a, *x, *y;
} product;

/* y = the sum of c[k] a[k] for part of the columns; c are the coefficients. */
static void some_columns(void *arg, int64_t part, int worker)
{
    const product *p = arg;
    const room *r = p->r;
    int64_t from = part * PART, n = p->a->columns - from < PART ? p->a->columns - from : PART;
    knr_dense y = knr_dense_part(p->y, 0, from, 1, n);
    (void)worker;
    knr_dense_clear(&y);
    for (int64_t i = 0; i < p->a->rows; i += ROWS) {
        int64_t rows = p->a->rows - i < ROWS ? p->a->rows - i : ROWS;
        knr_dense a = knr_dense_part(p->a, i, from, rows, n);
        double spare[ROWS];
        knr_combine(&y, 0, &a, rows, r->coefficient[0] + i, r->coefficient[1] + i, spare);
    }
}

/* The sums become a x for part of the rows. */
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

static void in_parts(room *r, const product *p, int64_t extent, void (*f)(void *, int64_t, int))
{
    bool few = p->a->rows * p->a->columns < 20000;
    knx_parallel(few ? 1 : r->threads, (extent + PART - 1) / PART, f, (void *)(uintptr_t)p);
}

/* Numbers of row `at` of x from `from` on: those of the panel's rows `with` lose what column (row) `of` of the others
 * says. */
static void lose(room *r, const knr_dense *y, int64_t from, const knr_dense *with, const knr_dense *others, int count,
                 int64_t of)
{
    for (int k = 0; k < count; k++) {
        knr_complex c = knr_at(others, k, of);
        r->coefficient[0][k] = -c.re;
        r->coefficient[1][k] = -c.im;
    }
    if (count)
        knr_combine(y, from, with, count, r->coefficient[0], r->coefficient[1], r->coefficient[2]);
}

/* Row y, from `from` on, loses `rows` times the inner products of the rows of `with` and x, from `first` on. */
static void lose_inner(room *r, const knr_dense *y, int64_t from, const knr_dense *rows, const knr_dense *with,
                       const knr_dense *x, int64_t first, int count)
{
    if (!count)
        return;
    knr_dense part = knr_dense_part(with, 0, first, count, with->columns - first);
    knr_dense row = knr_dense_part(x, 0, first, 1, with->columns - first);
    double *re = r->coefficient[0], *im = r->coefficient[1];
    knr_dots(&part, &row, re, im, r->coefficient[2]);
    for (int k = 0; k < count; k++) {
        re[k] = -re[k];
        im[k] = -im[k];
    }
    knr_combine(y, from, rows, count, re, im, r->coefficient[2]);
}

/* --- the bidiagonal form ---------------------------------------------------------------------- */

static void set(const knr_doubles *v, int64_t i, knr_complex x)
{
    v->re[i] = x.re;
    if (v->im)
        v->im[i] = x.im;
}
static knr_complex get(const knr_doubles *v, int64_t i) { return (knr_complex){v->re[i], v->im ? v->im[i] : 0}; }
static knr_complex conjugate(knr_complex x) { return (knr_complex){x.re, -x.im}; }

/* The reflection of column j, and its u and conj(y) as pair number k of the panel. */
static void reflect_column(room *r, int64_t j, int k)
{
    int64_t m = r->m - j, n = r->n;
    knr_dense u = knr_dense_part(&r->ux, 2 * k, 0, 1, r->m), y = knr_dense_part(&r->yv, 2 * k, 0, 1, n);
    for (int64_t i = j; i < r->m; i++)
        knr_put(&u, 0, i, knr_at(&r->a, i, j));
    lose(r, &u, j, &r->ux, &r->yv, 2 * k, j);
    for (int64_t i = 0; i < m; i++)
        set(&r->vector, i, knr_at(&u, 0, j + i));
    knr_complex tau = r->left_tau[j] = knr_reflection(m, r->vector.re, r->vector.im, &r->b.d[j]);
    for (int64_t i = 0; i < m; i++) {
        knr_complex x = get(&r->vector, i);
        knr_put(&r->left, j, j + i, x);
        knr_put(&u, 0, j + i, conjugate(x)); /* until the product below is made */
    }
    if (j + 1 == n)
        return;
    /* conj(y) = conj(tau) (u^H A - u^H U Y^H - u^H X V^H) */
    knr_dense a = knr_dense_part(&r->a, j, j + 1, m, n - j - 1), beside = knr_dense_part(&y, 0, j + 1, 1, n - j - 1);
    for (int64_t i = 0; i < m; i++) {
        r->coefficient[0][i] = r->vector.re[i];
        r->coefficient[1][i] = r->vector.im ? -r->vector.im[i] : 0;
    }
    in_parts(r, &(product){r, &a, NULL, &beside}, a.columns, some_columns);
    lose_inner(r, &y, j + 1, &r->yv, &r->ux, &u, j, 2 * k);
    for (int64_t i = j + 1; i < n; i++)
        knr_put(&y, 0, i, knr_times(conjugate(tau), knr_at(&y, 0, i)));
    for (int64_t i = 0; u.p.im && i < m; i++)
        knr_put(&u, 0, j + i, get(&r->vector, i));
}

/* The same of row i: conj(v) and x. */
static void reflect_row(room *r, int64_t i, int k)
{
    int64_t first = i + 1, n = r->n - first, m = r->m - first;
    knr_dense v = knr_dense_part(&r->yv, 2 * k + 1, 0, 1, r->n), x = knr_dense_part(&r->ux, 2 * k + 1, 0, 1, r->m);
    for (int64_t j = first; j < r->n; j++)
        knr_put(&v, 0, j, knr_at(&r->a, i, j));
    lose(r, &v, first, &r->yv, &r->ux, 2 * k + 1, i);
    for (int64_t j = 0; j < n; j++)
        set(&r->vector, j, conjugate(knr_at(&v, 0, first + j)));
    knr_complex tau = r->right_tau[i] = knr_reflection(n, r->vector.re, r->vector.im, &r->b.e[i]);
    for (int64_t j = 0; j < n; j++) {
        knr_put(&r->a, i, first + j, get(&r->vector, j));
        knr_put(&v, 0, first + j, get(&r->vector, j)); /* conjugated at the end */
    }
    /* x = tau (A v - U Y^H v - X V^H v) */
    knr_dense a = knr_dense_part(&r->a, first, first, m, n), row = knr_dense_part(&v, 0, first, 1, n);
    in_parts(r, &(product){r, &a, &row, NULL}, a.rows, some_rows);
    for (int64_t j = 0; j < m; j++)
        knr_put(&x, 0, first + j, get(&r->sums, j));
    lose_inner(r, &x, first, &r->ux, &r->yv, &v, first, 2 * k + 1);
    for (int64_t j = first; j < r->m; j++)
        knr_put(&x, 0, j, knr_times(tau, knr_at(&x, 0, j)));
    for (int64_t j = 0; v.p.im && j < n; j++)
        knr_put(&v, 0, first + j, conjugate(get(&r->vector, j)));
}

/* The last rows of a real matrix at once. */
static void bidiagonalize_rest(room *r, int64_t top)
{
    int64_t m = r->m - top, n = r->n - top;
    knr_dense rest = knr_dense_part(&r->a, top, top, m, n), left = knr_dense_part(&r->left, top, top, n, m);
    double *left_tau = r->coefficient[0], *right_tau = r->coefficient[1];
    knr_dense_transpose(&rest, &left);
    knr_condensed()->bidiagonalize[rest.f->size == 8](rest.p.re, rest.p.ld, left.p.re, left.p.ld, m, n, r->b.d + top,
                                                      r->b.e + top, left_tau, right_tau, r->whole);
    for (int64_t i = 0; i < n; i++) {
        r->left_tau[top + i] = (knr_complex){left_tau[i], 0};
        r->right_tau[top + i] = (knr_complex){right_tau[i], 0};
    }
}

static void bidiagonalize(room *r)
{
    for (int64_t top = 0; top < r->n; top += PANEL) {
        int64_t behind = top + PANEL;
        if (!r->a.p.im && r->m - top <= KNR_WHOLE) {
            bidiagonalize_rest(r, top);
            return;
        }
        for (int64_t j = top; j < r->n && j < behind; j++) {
            reflect_column(r, j, (int)(j - top));
            r->b.e[j] = 0;
            if (j < r->n - 1)
                reflect_row(r, j, (int)(j - top));
        }
        if (behind >= r->n)
            break;
        knr_dense rest = knr_dense_part(&r->a, behind, behind, r->m - behind, r->n - behind);
        knr_dense ux = knr_dense_part(&r->ux, 0, behind, 2 * PANEL, r->m - behind);
        knr_dense yv = knr_dense_part(&r->yv, 0, behind, 2 * PANEL, r->n - behind);
        knr_dense_product(&r->multiplier, &rest, KNR_MINUS, &ux, KNR_TRANSPOSED, &yv, KNR_PLAIN);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

size_t knr_svd_workspace(const knr_svd *s) { return room_of(s, NULL).bytes; }

/* The transposed rows as columns of x, which goes on like the identity. */
static void turn(const knr_dense *rows, const knr_dense *x)
{
    knr_dense_identity(x);
    knr_dense corner = knr_dense_part(x, 0, 0, rows->columns, rows->rows);
    knr_dense_transpose(rows, &corner);
}

/* --- tall matrices ---------------------------------------------------------------------------- */

/* The square matrix is its upper triangle. */
static void take_triangle(room *r)
{
    knr_block_factor(&r->tall_block, &r->tall, r->tall_tau, &r->spare);
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t j = 0; j < r->n; j++)
            knr_put(&r->a, i, j, j < i ? (knr_complex){0, 0} : knr_at(&r->tall, i, j));
}

static void store(const knr_dense *x, void *to, bool adjoint)
{
    knr_dense_store(x, to, adjoint ? 1 : x->columns, adjoint ? x->rows : 1, adjoint);
}

bool knr_svd_run(const knr_svd *s, const void *a, void *values, void *u, void *vh, void *workspace)
{
    room r = room_of(s, workspace);
    int64_t n = r.n;
    kn_dtype real = knx_component(s->dtype);
    const knr_dense *matrix = r.is_tall ? &r.tall : &r.a;
    int64_t rows = matrix->rows;
    knr_dense_load(matrix, a, r.wide ? 1 : s->n, r.wide ? s->n : 1, r.wide);
    double largest = knr_largest(matrix), scale = knr_scale_for(largest);
    bool well = largest <= 0x1.fffffffffffffp1023;
    if (well) {
        knr_scale(matrix, scale);
        if (r.is_tall)
            take_triangle(&r);
        bidiagonalize(&r);
        well = knr_bidiagonal_run(&r.b);
    }
    if (!well) {
        knr_fill_nan(real, values, n);
        if (s->vectors) {
            int64_t columns = s->full ? rows : n;
            knr_fill_nan(s->dtype, u, s->m * (r.wide ? n : columns));
            knr_fill_nan(s->dtype, vh, s->n * (r.wide ? columns : n));
        }
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        knr_element_put(real, values, i, (knr_complex){r.b.d[i] / scale, 0});
    if (!s->vectors)
        return true;
    turn(&r.b.u, &r.x);
    knr_dense square = knr_dense_part(&r.x, 0, 0, r.m, r.is_tall ? n : r.x.columns);
    knr_block_apply_rows(&r.left_block, &r.left, r.left_tau, n, &square, false);
    if (r.is_tall)
        knr_block_apply_packed(&r.tall_block, &r.tall, r.tall_tau, n, &r.x, false, false);
    store(&r.x, r.wide ? vh : u, r.wide);
    turn(&r.b.v, &r.y);
    if (n > 1) {
        knr_dense packed = knr_dense_part(&r.a, 0, 1, n - 1, n - 1), below = knr_dense_part(&r.y, 1, 0, n - 1, n);
        knr_block_apply_rows(&r.right_block, &packed, r.right_tau, n - 1, &below, false);
    }
    store(&r.y, r.wide ? u : vh, !r.wide);
    return true;
}
