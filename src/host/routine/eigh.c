/* SPDX-License-Identifier: Apache-2.0
 * eigh.c -- Hermitian eigenvalues: reflections from both sides make the matrix tridiagonal, tridiagonal.c finds its
 * eigenvalues and eigenvectors, and the reflections turn these back. Of a panel of PANEL rows only these are updated
 * at once; what lies behind gets V W^H + W V^H when the panel is done. Of the matrix the upper triangle is worked on,
 * so each row's numbers are adjacent; its product with a vector reads it once, in parts, on all threads. */
#include "host/routine/eigh.h"
#include "base/line.h"
#include "host/routine/condensed.h"
#include "host/routine/matrix_product.h"
#include "host/routine/near.h"
#include "host/routine/tridiagonal.h"
#include <math.h>

enum {
    PANEL = KNR_REFLECTIONS,
    PARTS = 8,    /* of the product with a vector, */
    LARGE = 256,  /* if it has so many rows; else it is one */
    DOTS = 2,     /* parts of the panel's products with it */
    UPDATED = 64, /* rows of the triangle that are updated together */
};

typedef struct room {
    kn_dtype dtype;
    int threads;
    knr_dense a;               /* the matrix; of which the upper triangle becomes the packed form */
    knr_dense vw, turned;      /* rows v, w of a panel, in turn; rows conj(w), conj(v) */
    knr_dense sums;            /* parts of a product with a vector, a row each */
    knr_dense minus;           /* one row: the vector's imaginary part, negated */
    knr_doubles v, p;          /* one vector */
    knr_multiplier multiplier; /* `bytes` for each thread */
    double *inner[3];
    knr_complex *tau;
    double *d, *e;
    void *rest; /* of the last rows */
} room;

static room room_of(const knr_eigh *s, knr_arena *arena)
{
    kn_dtype d = s->dtype;
    bool complex = knx_is_complex(d);
    size_t n = (size_t)s->n;
    room r = {.dtype = d, .threads = s->threads};
    r.a = knr_dense_take(arena, d, s->n, s->n);
    r.vw = knr_dense_take(arena, d, 2 * PANEL, s->n);
    r.turned = knr_dense_take(arena, d, 2 * PANEL, s->n);
    r.sums = knr_dense_take(arena, d, PARTS, s->n);
    r.minus = knr_dense_take(arena, knx_component(d), 1, s->n);
    r.v = knr_doubles_take(arena, complex, 1, s->n);
    r.p = knr_doubles_take(arena, complex, 1, s->n);
    knr_arena counted = {NULL, 0};
    r.multiplier = knr_multiplier_take(&counted, knx_component(d), s->n < UPDATED ? s->n : UPDATED, s->n, 2 * PANEL, 1);
    r.multiplier.bytes = knx_whole_lines(r.multiplier.bytes);
    r.multiplier.room = knr_take(arena, r.multiplier.bytes * (size_t)(s->threads > 1 ? s->threads : 1), 1);
    for (int i = 0; i < 3; i++)
        r.inner[i] = knr_take(arena, KNR_WHOLE > 2 * PANEL ? KNR_WHOLE : 2 * PANEL, 8);
    r.tau = knr_take(arena, n, sizeof *r.tau);
    r.d = knr_take(arena, n, 8);
    r.e = knr_take(arena, n, 8);
    r.rest = knr_take(arena, KNR_WHOLE_ROOM, 1);
    return r;
}

/* The triangle that is given, as an upper one. */
static void load(room *r, const knr_eigh *s, const void *a)
{
    int64_t n = s->n;
    knr_dense_load(&r->a, a, s->lower ? 1 : n, s->lower ? n : 1, s->lower);
    for (int64_t i = 0; i < n; i++) {
        knr_dense below = knr_dense_part(&r->a, i, 0, 1, i);
        knr_put(&r->a, i, i, (knr_complex){knr_at(&r->a, i, i).re, 0});
        knr_dense_clear(&below);
    }
}

static knr_complex plus(knr_complex a, knr_complex b) { return (knr_complex){a.re + b.re, a.im + b.im}; }
static knr_complex conjugate(knr_complex a) { return (knr_complex){a.re, -a.im}; }
static knr_complex get(const knr_doubles *v, int64_t i) { return (knr_complex){v->re[i], v->im ? v->im[i] : 0}; }

/* n numbers of a row, or their negatives, from and to memory of the dtype. */
static void numbers_of(const knr_dense *x, const void *plane, int64_t at, int64_t n, double sign, double *to)
{
    const double *wide = (const double *)plane + at;
    const float *narrow = (const float *)plane + at;
    for (int64_t i = 0; x->f->size == 8 && i < n; i++)
        to[i] = sign * wide[i];
    for (int64_t i = 0; x->f->size == 4 && i < n; i++)
        to[i] = sign * (double)narrow[i];
}
static void put_numbers(const knr_dense *x, void *plane, int64_t at, int64_t n, double sign, const double *from)
{
    double *wide = (double *)plane + at;
    float *narrow = (float *)plane + at;
    for (int64_t i = 0; x->f->size == 8 && i < n; i++)
        wide[i] = sign * from[i];
    for (int64_t i = 0; x->f->size == 4 && i < n; i++)
        narrow[i] = (float)(sign * from[i]);
}

/* v = a row of x from column `from` on, or the other way, n numbers; sign: of the imaginary part. */
static void take_row(const knr_dense *x, int64_t row, int64_t from, int64_t n, double sign, const knr_doubles *v)
{
    numbers_of(x, x->p.re, row * x->p.ld + from, n, 1, v->re);
    if (v->im)
        numbers_of(x, x->p.im, row * x->p.ld + from, n, sign, v->im);
}
static void put_row(const knr_dense *x, int64_t row, int64_t from, int64_t n, double sign, const knr_doubles *v)
{
    put_numbers(x, x->p.re, row * x->p.ld + from, n, 1, v->re);
    if (v->im)
        put_numbers(x, x->p.im, row * x->p.ld + from, n, sign, v->im);
}

/* Row j from its diagonal on, less what `count` pairs of the panel say. */
static void update_row(room *r, int64_t j, int count)
{
    knr_dense row = knr_dense_part(&r->a, j, 0, 1, r->a.columns);
    for (int k = 0; k < 2 * count; k++) {
        knr_complex c = knr_at(&r->vw, k, j);
        r->inner[0][k] = -c.re;
        r->inner[1][k] = -c.im;
    }
    if (count)
        knr_combine(&row, j, &r->turned, 2 * count, r->inner[0], r->inner[1], r->inner[2]);
}

/* --- the product with a vector ---------------------------------------------------------------- */

typedef struct half {
    const room *r;
    int64_t first, step;  /* rows from `first` on; of a part */
    int64_t parts, pairs; /* of the matrix; then rows of `turned`, DOTS parts of them */
    knr_dense x, minus;   /* the vector, and its imaginary part negated */
} half;

/* The products of the panel's rows with the vector: part of them. */
static void pair_products(const half *h, int64_t part)
{
    const room *r = h->r;
    int64_t from = h->pairs * part / DOTS, to = h->pairs * (part + 1) / DOTS, m = r->a.columns - h->first;
    knr_dense turned = knr_dense_part(&r->turned, from, h->first, to - from, m);
    knr_dense x = knr_dense_part(&h->x, 0, h->first, 1, m);
    knr_dots(&turned, &x, r->inner[0] + from, r->inner[1] + from, r->inner[2] + from);
}

/* Row `part` of the sums becomes what rows of the matrix add. */
static void half_product(void *arg, int64_t part, int worker)
{
    const half *h = arg;
    const knr_dense *a = &h->r->a, *y = &h->r->sums;
    int64_t n = a->columns, from = h->first + part * h->step, to = from + h->step < n ? from + h->step : n;
    knr_dense own = knr_dense_part(y, part < h->parts ? part : 0, 0, 1, n);
    void (*times)(void *, const void *, int64_t, int64_t, int64_t, int64_t, const void *, double) =
        knr_condensed()->half_times[a->f->size == 8];
    (void)worker;
    if (part >= h->parts) {
        pair_products(h, part - h->parts);
        return;
    }
    knr_dense_clear(&own);
    if (from >= to)
        return;
    times(own.p.re, a->p.re, a->p.ld, n, from, to, h->x.p.re, 1);
    if (!a->p.im)
        return;
    times(own.p.im, a->p.re, a->p.ld, n, from, to, h->x.p.im, 1); /* the imaginary part's mirror image is negative */
    times(own.p.im, a->p.im, a->p.ld, n, from, to, h->x.p.re, -1);
    times(own.p.re, a->p.im, a->p.ld, n, from, to, h->minus.p.re, -1);
}

/* p = (A - V W^H - W V^H) v for the rows and columns from `first` on; v, in row 2 count of vw, counts from 0, p from
 * `first`. */
static void times_vector(room *r, int64_t first, int count)
{
    int64_t n = r->a.columns, m = n - first;
    bool large = m >= LARGE;
    half h = {r,
              first,
              large ? ((m + PARTS - 1) / PARTS + 3) / 4 * 4 : m,
              large ? PARTS : 1,
              2 * count,
              knr_dense_part(&r->vw, 2 * count, 0, 1, n),
              r->minus};
    knr_dense y = knr_dense_part(&r->sums, 0, 0, 1, n);
    knr_parallel_near(large ? r->threads : 1, 0, h.parts + (count ? DOTS : 0), -1, half_product, &h);
    double ones[PARTS] = {1, 1, 1, 1, 1, 1, 1, 1}, none[PARTS] = {0};
    knr_dense others = knr_dense_part(&r->sums, 1, 0, PARTS - 1, n);
    if (large)
        knr_combine(&y, first, &others, PARTS - 1, ones, none, r->inner[2]);
    for (int k = 0; k < 2 * count; k++) {
        r->inner[0][k] = -r->inner[0][k];
        r->inner[1][k] = -r->inner[1][k];
    }
    if (count)
        knr_combine(&y, first, &r->vw, 2 * count, r->inner[0], r->inner[1], r->inner[2]);
    take_row(&y, 0, first, m, 1, &r->p);
}

/* The reflection of row j, and its v and w as pair number k of the panel. */
static void reflect(room *r, int64_t j, int k)
{
    int64_t first = j + 1, m = r->a.rows - first;
    take_row(&r->a, j, first, m, -1, &r->v);
    knr_complex tau = r->tau[j] = knr_reflection(m, r->v.re, r->v.im, &r->e[j]), alpha = {0, 0};
    put_row(&r->a, j, first, m, 1, &r->v);
    knr_put(&r->a, j, first, (knr_complex){r->e[j], 0});
    put_row(&r->vw, 2 * k, first, m, 1, &r->v);
    put_row(&r->turned, 2 * k + 1, first, m, -1, &r->v);
    if (r->v.im)
        put_numbers(&r->minus, r->minus.p.re, first, m, -1, r->v.im);
    times_vector(r, first, k);
    for (int64_t i = 0; r->v.im && i < m; i++) {
        knr_complex x = knr_times(tau, get(&r->p, i));
        r->p.re[i] = x.re;
        r->p.im[i] = x.im;
        alpha = plus(alpha, knr_times(conjugate(x), get(&r->v, i)));
    }
    for (int64_t i = 0; !r->v.im && i < m; i++) {
        r->p.re[i] *= tau.re;
        alpha.re += r->p.re[i] * r->v.re[i];
    }
    alpha = knr_times(tau, alpha);
    alpha = (knr_complex){-0.5 * alpha.re, -0.5 * alpha.im};
    for (int64_t i = 0; r->v.im && i < m; i++) {
        knr_complex w = plus(get(&r->p, i), knr_times(alpha, get(&r->v, i)));
        r->p.re[i] = w.re;
        r->p.im[i] = w.im;
    }
    for (int64_t i = 0; !r->v.im && i < m; i++)
        r->p.re[i] += alpha.re * r->v.re[i];
    put_row(&r->vw, 2 * k + 1, first, m, 1, &r->p);
    put_row(&r->turned, 2 * k, first, m, -1, &r->p);
}

/* The triangle behind a panel, by rows of rectangles, which begin at multiples of UPDATED. */
typedef struct behind {
    const room *r;
    int64_t next; /* its first row */
} behind;

static void update_part(void *arg, int64_t part, int worker)
{
    const behind *x = arg;
    const room *r = x->r;
    int64_t n = r->a.rows, top = part * UPDATED, end = top + UPDATED < n ? top + UPDATED : n;
    top = top < x->next ? x->next : top;
    knr_dense rest = knr_dense_part(&r->a, top, top, end - top, n - top);
    knr_dense vw = knr_dense_part(&r->vw, 0, top, 2 * PANEL, end - top);
    knr_dense turned = knr_dense_part(&r->turned, 0, top, 2 * PANEL, n - top);
    knr_multiplier own = r->multiplier;
    own.room = (char *)own.room + (size_t)worker * own.bytes;
    knr_dense_product(&own, &rest, KNR_MINUS, &vw, KNR_TRANSPOSED, &turned, KNR_PLAIN);
}

static void update_behind(room *r, int64_t next)
{
    int64_t n = r->a.rows;
    if (next < n)
        knr_parallel_near(n - next < LARGE ? 1 : r->threads, next / UPDATED, (n + UPDATED - 1) / UPDATED, -1,
                          update_part, &(behind){r, next});
}

/* The last rows of a real matrix at once. */
static void tridiagonalize_rest(room *r, int64_t top)
{
    knr_dense rest = knr_dense_part(&r->a, top, top, r->a.rows - top, r->a.rows - top);
    double *tau = r->inner[0];
    knr_condensed()->tridiagonalize[rest.f->size == 8](rest.p.re, rest.p.ld, rest.rows, r->d + top, r->e + top, tau,
                                                       r->rest);
    for (int64_t i = 0; i + 1 < rest.rows; i++)
        r->tau[top + i] = (knr_complex){tau[i], 0};
}

static void tridiagonalize(room *r)
{
    int64_t n = r->a.rows;
    for (int64_t top = 0; top < n; top += PANEL) {
        int count = 0;
        if (!r->a.p.im && n - top <= KNR_WHOLE) {
            tridiagonalize_rest(r, top);
            return;
        }
        for (int64_t j = top; j < n && j < top + PANEL; j++) {
            update_row(r, j, count);
            r->d[j] = knr_at(&r->a, j, j).re;
            if (j < n - 1)
                reflect(r, j, count++);
        }
        update_behind(r, top + PANEL);
    }
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

typedef struct eigen_room {
    room r;
    knr_tridiagonal t;
    knr_block_reflection block;
    knr_dense x;
    size_t bytes;
} eigen_room;

static eigen_room eigen_room_of(const knr_eigh *s, void *workspace)
{
    knr_arena arena = {workspace, 0};
    eigen_room r = {.r = room_of(s, &arena)};
    int64_t n = s->vectors ? s->n : 0;
    r.x = knr_dense_take(&arena, s->dtype, n, n);
    r.t = knr_tridiagonal_take(&arena, knx_component(s->dtype), s->n, s->vectors, &r.x, s->threads);
    r.block = knr_block_take(&arena, s->dtype, s->n, n, s->threads);
    r.bytes = arena.used;
    return r;
}

size_t knr_eigh_workspace(const knr_eigh *s) { return eigen_room_of(s, NULL).bytes; }

bool knr_eigh_run(const knr_eigh *s, const void *a, void *w, void *v, void *workspace)
{
    eigen_room e = eigen_room_of(s, workspace);
    room *r = &e.r;
    int64_t n = s->n;
    kn_dtype real = knx_component(s->dtype);
    load(r, s, a);
    bool well = knr_is_finite(&r->a);
    double scale = knr_scale_for(knr_largest(&r->a));
    if (well) {
        knr_scale(&r->a, scale);
        tridiagonalize(r);
        for (int64_t i = 0; i < n; i++) {
            e.t.d[i] = r->d[i];
            e.t.e[i] = i < n - 1 ? r->e[i] : 0;
        }
        well = knr_tridiagonal_run(&e.t);
    }
    if (!well) {
        knr_fill_nan(real, w, n);
        if (s->vectors)
            knr_fill_nan(s->dtype, v, n * n);
        return false;
    }
    for (int64_t i = 0; i < n; i++)
        knr_element_put(real, w, i, (knr_complex){e.t.d[i] / scale, 0});
    if (!s->vectors || !n)
        return true;
    knr_dense_transpose(&e.t.q, &e.x);
    knr_dense packed = knr_dense_part(&r->a, 0, 1, n - 1, n - 1), below = knr_dense_part(&e.x, 1, 0, n - 1, n);
    knr_block_apply_rows(&e.block, &packed, r->tau, n - 1, &below, false);
    knr_dense_store(&e.x, v, n, 1, false);
    return true;
}

/* --- the tridiagonal form --------------------------------------------------------------------- */

size_t knr_tridiagonalize_workspace(const knr_eigh *s)
{
    knr_arena arena = {NULL, 0};
    room_of(s, &arena);
    return arena.used;
}

void knr_tridiagonalize_run(const knr_eigh *s, const void *a, void *packed, void *d, void *e, void *tau,
                            void *workspace)
{
    knr_arena arena = {workspace, 0};
    room r = room_of(s, &arena);
    int64_t n = s->n;
    load(&r, s, a);
    tridiagonalize(&r);
    for (int64_t i = 0; i < n; i++) {
        knr_put(&r.a, i, i, (knr_complex){r.d[i], 0});
        knr_element_put(knx_component(s->dtype), d, i, (knr_complex){r.d[i], 0});
        if (i < n - 1) {
            knr_element_put(knx_component(s->dtype), e, i, (knr_complex){r.e[i], 0});
            knr_element_put(s->dtype, tau, i, r.tau[i]);
        }
    }
    knr_dense_store(&r.a, packed, s->lower ? 1 : n, s->lower ? n : 1, !s->lower);
}
