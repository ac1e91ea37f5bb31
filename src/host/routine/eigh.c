/* SPDX-License-Identifier: Apache-2.0
 * eigh.c -- Hermitian eigenvalues: reflections from both sides make the matrix tridiagonal, tridiagonal.c finds its
 * eigenvalues and eigenvectors, and the reflections turn these back. Of a panel of PANEL columns only these are updated
 * at once; what lies behind gets V W^H + W V^H when the panel is done. */
#include "host/routine/eigh.h"
#include "host/routine/tridiagonal.h"
#include <math.h>

enum { PANEL = KNR_REFLECTIONS };

typedef struct room {
    kn_dtype dtype;
    knr_dense a, x;   /* the matrix, of which both triangles are there; the vectors */
    knr_dense turned; /* rows conj(w), conj(v) of a panel: W V^H + V W^H is vw times it */
    knr_doubles vw;   /* columns v, w of a panel, in turn */
    knr_doubles v, p; /* one vector */
    knr_spare spare;
    knr_complex *tau;
    double *d, *e, *multiply;
    size_t bytes;
} room;

static room room_of(const knr_eigh *s, knr_arena *arena)
{
    kn_dtype d = s->dtype;
    bool complex = knx_is_complex(d);
    size_t n = (size_t)s->n;
    room r = {.dtype = d};
    r.a = knr_dense_take(arena, d, s->n, s->n);
    r.turned = knr_dense_take(arena, d, 2 * PANEL, s->n);
    r.vw = knr_doubles_take(arena, complex, s->n, 2 * PANEL);
    r.v = knr_doubles_take(arena, complex, 1, s->n);
    r.p = knr_doubles_take(arena, complex, 1, s->n);
    r.spare = knr_spare_take(arena, d, s->n);
    r.tau = knr_take(arena, n, sizeof *r.tau);
    r.d = knr_take(arena, n, 8);
    r.e = knr_take(arena, n, 8);
    r.multiply = knr_take(arena, 6 * PANEL, 8);
    return r;
}

/* The triangle that is given, as a lower one, and its mirror image. */
static void load(room *r, const knr_eigh *s, const void *a)
{
    int64_t n = s->n;
    knr_dense_load(&r->a, a, s->lower ? n : 1, s->lower ? 1 : n, !s->lower);
    for (int64_t i = 0; i < n; i++) {
        knr_complex x = knr_at(&r->a, i, i);
        knr_put(&r->a, i, i, (knr_complex){x.re, 0});
        for (int64_t j = 0; j < i; j++) {
            x = knr_at(&r->a, i, j);
            knr_put(&r->a, j, i, (knr_complex){x.re, -x.im});
        }
    }
}

static knr_complex vw_at(const room *r, int64_t i, int k)
{
    int64_t at = i * r->vw.ld + k;
    return (knr_complex){r->vw.re[at], r->vw.im ? r->vw.im[at] : 0};
}

static knr_complex plus(knr_complex a, knr_complex b) { return (knr_complex){a.re + b.re, a.im + b.im}; }
static knr_complex minus(knr_complex a, knr_complex b) { return (knr_complex){a.re - b.re, a.im - b.im}; }
static knr_complex conjugate(knr_complex a) { return (knr_complex){a.re, -a.im}; }

/* Column j from its diagonal on, less what `count` pairs of the panel say. */
static void update_column(room *r, int64_t j, int count)
{
    for (int64_t i = j; i < r->a.rows; i++) {
        knr_complex x = knr_at(&r->a, i, j);
        for (int k = 0; k < count; k++) {
            x = minus(x, knr_times(vw_at(r, i, 2 * k), conjugate(vw_at(r, j, 2 * k + 1))));
            x = minus(x, knr_times(vw_at(r, i, 2 * k + 1), conjugate(vw_at(r, j, 2 * k))));
        }
        knr_put(&r->a, i, j, x);
    }
}

static knr_complex get(const knr_doubles *v, int64_t i) { return (knr_complex){v->re[i], v->im ? v->im[i] : 0}; }
static void set(const knr_doubles *v, int64_t i, knr_complex x)
{
    v->re[i] = x.re;
    if (v->im)
        v->im[i] = x.im;
}

/* p = (A - V W^H - W V^H) v for the rows and columns from `first` on; v, p count from there. */
static void times_vector(room *r, int64_t first, int count)
{
    int64_t n = r->a.rows - first;
    knr_dense a = knr_dense_part(&r->a, first, first, n, n), row = knr_dense_part(&r->spare.row, 0, 0, 1, n);
    double *spare = r->spare.c[0];
    for (int64_t i = 0; i < n; i++)
        knr_put(&row, 0, i, get(&r->v, i));
    a.f->dots(r->p.re, a.p.re, a.p.ld, n, row.p.re, n);
    if (a.p.im) {
        a.f->dots(spare, a.p.im, a.p.ld, n, row.p.im, n);
        a.f->dots(r->p.im, a.p.re, a.p.ld, n, row.p.im, n);
        for (int64_t i = 0; i < n; i++)
            r->p.re[i] -= spare[i];
        a.f->dots(spare, a.p.im, a.p.ld, n, row.p.re, n);
        for (int64_t i = 0; i < n; i++)
            r->p.im[i] += spare[i];
    }
    knr_complex inner[2 * PANEL] = {{0, 0}};
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2 * count; k++)
            inner[k] = plus(inner[k], knr_times(conjugate(vw_at(r, first + i, k)), get(&r->v, i)));
    for (int64_t i = 0; i < n; i++) {
        knr_complex x = get(&r->p, i);
        for (int k = 0; k < 2 * count; k++)
            x = minus(x, knr_times(vw_at(r, first + i, k), inner[k ^ 1]));
        set(&r->p, i, x);
    }
}

/* The reflection of column j, and its v and w as pair number k of the panel. */
static void reflect(room *r, int64_t j, int k)
{
    int64_t n = r->a.rows, first = j + 1, m = n - first;
    for (int64_t i = 0; i < m; i++)
        set(&r->v, i, knr_at(&r->a, first + i, j));
    knr_complex tau = r->tau[j] = knr_reflection(m, r->v.re, r->v.im, &r->e[j]), alpha = {0, 0};
    knr_put(&r->a, first, j, (knr_complex){r->e[j], 0});
    for (int64_t i = 1; i < m; i++)
        knr_put(&r->a, first + i, j, get(&r->v, i));
    times_vector(r, first, k);
    for (int64_t i = 0; i < m; i++) {
        knr_complex x = knr_times(tau, get(&r->p, i));
        set(&r->p, i, x);
        alpha = plus(alpha, knr_times(conjugate(x), get(&r->v, i)));
    }
    alpha = knr_times(tau, alpha);
    alpha = (knr_complex){-0.5 * alpha.re, -0.5 * alpha.im};
    for (int64_t i = 0; i < n; i++) {
        knr_complex v = {0, 0}, w = {0, 0};
        if (i >= first) {
            v = get(&r->v, i - first);
            w = plus(get(&r->p, i - first), knr_times(alpha, v));
        }
        int64_t at = i * r->vw.ld + 2 * k;
        r->vw.re[at] = v.re, r->vw.re[at + 1] = w.re;
        if (r->vw.im)
            r->vw.im[at] = v.im, r->vw.im[at + 1] = w.im;
        knr_put(&r->turned, 2 * k, i, conjugate(w));
        knr_put(&r->turned, 2 * k + 1, i, conjugate(v));
    }
}

static void tridiagonalize(room *r)
{
    int64_t n = r->a.rows;
    for (int64_t top = 0; top < n; top += PANEL) {
        int count = 0;
        for (int64_t j = top; j < n && j < top + PANEL; j++) {
            update_column(r, j, count);
            r->d[j] = knr_at(&r->a, j, j).re;
            if (j < n - 1)
                reflect(r, j, count++);
        }
        int64_t next = top + PANEL;
        if (next < n) {
            knr_dense rest = knr_dense_part(&r->a, next, next, n - next, n - next);
            knr_dense turned = knr_dense_part(&r->turned, 0, next, 2 * count, n - next);
            knr_doubles vw = {r->vw.re + next * r->vw.ld, r->vw.im ? r->vw.im + next * r->vw.ld : NULL, r->vw.ld};
            knr_multiply(&rest, &vw, &turned, true, r->multiply);
        }
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
    r.t = knr_tridiagonal_take(&arena, s->n, s->vectors);
    r.x = knr_dense_take(&arena, s->dtype, n, n);
    r.block = knr_block_take(&arena, s->dtype, s->n, n);
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
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            knr_put(&e.x, i, j, (knr_complex){knr_get(&e.t.q, e.t.q.p.re, j * e.t.q.p.ld + i), 0});
    knr_dense packed = knr_dense_part(&r->a, 1, 0, n - 1, n - 1), below = knr_dense_part(&e.x, 1, 0, n - 1, n);
    knr_block_apply_packed(&e.block, &packed, r->tau, n - 1, &below, false, false);
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
    knr_dense_store(&r.a, packed, s->lower ? n : 1, s->lower ? 1 : n, !s->lower);
}
