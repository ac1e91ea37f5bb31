/* SPDX-License-Identifier: Apache-2.0
 * schur.c -- Schur forms: reflections from both sides make the matrix upper Hessenberg, francis.c goes on in float64.
 * Eigenvectors are those of the (quasi-)triangular matrix, by substitution, turned back; before that the rows and
 * columns of the matrix are scaled by powers of two to like sizes. */
#include "host/routine/schur.h"
#include "host/routine/francis.h"
#include <math.h>

typedef knr_complex number;
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static double size(number a) { return fabs(a.re) + fabs(a.im); }

/* --- Hessenberg ------------------------------------------------------------------------------- */

typedef struct room {
    kn_dtype dtype;
    int64_t n;
    knr_dense a, q;
    knr_doubles vector, h, z;
    knr_spare spare;
    knr_block_reflection block;
    knr_complex *tau;
} room;

static room room_of(kn_dtype d, int64_t n, knr_arena *arena)
{
    room r = {.dtype = d, .n = n};
    r.a = knr_dense_take(arena, d, n, n);
    r.vector = knr_doubles_take(arena, knx_is_complex(d), 1, n);
    r.spare = knr_spare_take(arena, d, n);
    r.tau = knr_take(arena, (size_t)n, sizeof *r.tau);
    return r;
}

static void reduce(room *r)
{
    int64_t n = r->n;
    for (int64_t j = 0; j < n - 1; j++) {
        int64_t first = j + 1, m = n - first;
        double beta;
        for (int64_t i = 0; i < m; i++) {
            number x = knr_at(&r->a, first + i, j);
            r->vector.re[i] = x.re;
            if (r->vector.im)
                r->vector.im[i] = x.im;
        }
        number tau = r->tau[j] = knr_reflection(m, r->vector.re, r->vector.im, &beta);
        knr_put(&r->a, first, j, (number){beta, 0});
        for (int64_t i = 1; i < m; i++)
            knr_put(&r->a, first + i, j, (number){r->vector.re[i], r->vector.im ? r->vector.im[i] : 0});
        knr_dense right = knr_dense_part(&r->a, 0, first, n, m), below = knr_dense_part(&r->a, first, first, m, m);
        knr_reflect_right(&right, &r->vector, tau, &r->spare);
        knr_reflect_left(&below, &r->vector, (number){tau.re, -tau.im}, &r->spare);
    }
}

size_t knr_hessenberg_workspace(kn_dtype d, int64_t n)
{
    knr_arena arena = {NULL, 0};
    room_of(d, n, &arena);
    return arena.used;
}

void knr_hessenberg_run(kn_dtype d, int64_t n, const void *a, void *packed, void *tau, void *workspace)
{
    knr_arena arena = {workspace, 0};
    room r = room_of(d, n, &arena);
    knr_dense_load(&r.a, a, n, 1, false);
    reduce(&r);
    knr_dense_store(&r.a, packed, n, 1, false);
    for (int64_t i = 0; i < n - 1; i++)
        knr_element_put(d, tau, i, r.tau[i]);
}

/* --- Schur ------------------------------------------------------------------------------------ */

static room schur_room(kn_dtype d, int64_t n, knr_arena *arena)
{
    bool complex = knx_is_complex(d);
    room r = room_of(d, n, arena);
    r.q = knr_dense_take(arena, d, n, n);
    r.block = knr_block_take(arena, d, n, n, 1);
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

/* h and z of a, which is finite */
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
            knr_block_apply_packed(&r->block, &packed, r->tau, n - 1, &below, false, true);
        }
        widen(&r->q, &r->z, n);
    }
    return knr_francis(&r->h, n, &r->z, vectors ? n : 0);
}

static number element(const knr_doubles *x, int64_t i, int64_t j)
{
    return (number){x->re[i * x->ld + j], x->im ? x->im[i * x->ld + j] : 0};
}

size_t knr_schur_workspace(kn_dtype d, int64_t n)
{
    knr_arena arena = {NULL, 0};
    schur_room(d, n, &arena);
    return arena.used;
}

bool knr_schur_run(kn_dtype d, int64_t n, const void *a, void *t, void *z, void *workspace)
{
    knr_arena arena = {workspace, 0};
    room r = schur_room(d, n, &arena);
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
                knr_element_put(d, z, i * n + j, element(&r.z, i, j));
        }
    return true;
}

/* --- eigenvectors ----------------------------------------------------------------------------- */

typedef struct eig_room {
    room r;
    knr_doubles x;      /* rows: vectors of the triangular matrix */
    knr_dense z, v;     /* z transposed; rows: vectors of the matrix. float64 */
    knr_doubles turned; /* the triangular matrix of the adjoint one */
    double *scale, *spare;
    number *w;
    size_t bytes;
} eig_room;

static eig_room eig_room_of(kn_dtype d, int64_t n, void *workspace)
{
    knr_arena arena = {workspace, 0};
    eig_room e = {.r = schur_room(d, n, &arena)};
    e.x = knr_doubles_take(&arena, true, n, n);
    e.z = knr_dense_take(&arena, knx_is_complex(d) ? KN_DT(C128) : KN_DT(F64), n, n);
    e.v = knr_dense_take(&arena, KN_DT(C128), n, n);
    e.turned = knr_doubles_take(&arena, knx_is_complex(d), n, n);
    e.scale = knr_take(&arena, (size_t)n, 8);
    e.spare = knr_take(&arena, 3 * (size_t)n, 8);
    e.w = knr_take(&arena, (size_t)n, sizeof *e.w);
    e.bytes = arena.used;
    return e;
}

size_t knr_eig_workspace(kn_dtype d, int64_t n) { return eig_room_of(d, n, NULL).bytes; }

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
                c += j == i ? 0 : size(knr_at(a, j, i));
                r += j == i ? 0 : size(knr_at(a, i, j));
            }
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

/* Row k of x: a vector with (t - w) x = 0 for the eigenvalue w of the block that ends with row k; imaginary parts not
 * negative, if that has two rows. */
static void vector_of(const knr_doubles *t, int64_t k, number w, const knr_doubles *out)
{
    double *x = out->re + k * out->ld, *y = out->im + k * out->ld;
    bool pair = !t->im && k > 0 && t->re[k * t->ld + k - 1] != 0;
    double least = 0x1p-52 * size(w) > 0x1p-400 ? 0x1p-52 * size(w) : 0x1p-400; /* the matrix is near 1 in size */
    x[k] = 1, y[k] = 0;
    if (pair) {
        double b = element(t, k - 1, k).re, c = element(t, k, k - 1).re;
        x[k - 1] = fabs(b) >= fabs(c) ? 1 : -w.im / c;
        y[k - 1] = 0;
        x[k] = 0;
        y[k] = fabs(b) >= fabs(c) ? w.im / b : 1;
    }
    for (int64_t j = k - 1 - pair; j >= 0; j--) {
        int rows = !t->im && j > 0 && t->re[j * t->ld + j - 1] != 0 ? 2 : 1;
        number s[2] = {{0, 0}, {0, 0}};
        for (int i = 0; i < rows; i++)
            for (int64_t l = j + 1; l <= k; l++)
                s[i] = minus(s[i], knr_times(element(t, j - i, l), (number){x[l], y[l]}));
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
        if (most > 0x1p200)
            for (int64_t l = j; l <= k; l++) {
                x[l] /= most;
                y[l] /= most;
            }
    }
    for (int64_t i = k + 1; i < out->ld; i++)
        x[i] = y[i] = 0;
}

/* Length 1; the largest element real. */
static void normalize(const knr_dense *v, int64_t k, bool real)
{
    double most = 0, sum = 0;
    int64_t best = 0;
    for (int64_t i = 0; i < v->columns; i++)
        most = size(knr_at(v, k, i)) > most ? size(knr_at(v, k, i)) : most;
    double s = knr_scale_for(most), largest = -1;
    for (int64_t i = 0; i < v->columns; i++) {
        number x = knr_at(v, k, i);
        double square = x.re * s * (x.re * s) + x.im * s * (x.im * s);
        sum += square;
        if (square > largest) {
            largest = square;
            best = i;
        }
    }
    double by = s / sqrt(sum);
    number top = knr_at(v, k, best), phase = {by, 0};
    if (!real) {
        double length = knr_length(top.re, top.im);
        phase = (number){by * (top.re / length), -by * (top.im / length)};
    }
    for (int64_t i = 0; i < v->columns; i++)
        knr_put(v, k, i, knr_times(knr_at(v, k, i), phase));
    if (!real)
        knr_put(v, k, best, (number){knr_at(v, k, best).re, 0});
}

/* The vectors of t, turned by the rows of z and scaled back, as columns of the result. `left`: t and z are those of the
 * adjoint matrix, in reverse order. */
static void store_vectors(eig_room *e, const knr_doubles *t, bool left, kn_dtype d, void *to)
{
    int64_t n = e->r.n;
    for (int64_t k = 0; k < n; k++) {
        int64_t own = left ? n - 1 - k : k;
        bool first = !t->im && k + 1 < n && t->re[(k + 1) * t->ld + k] != 0;
        number w = e->w[own];
        w.im = t->im && left ? -w.im : !t->im ? fabs(w.im) : w.im;
        if (!first)
            vector_of(t, k, w, &e->x);
        else
            for (int64_t i = 0; i < n; i++)
                e->x.re[k * e->x.ld + i] = e->x.im[k * e->x.ld + i] = 0;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            knr_put(&e->v, i, j, (number){0, 0});
    knr_multiply(&e->v, &e->x, &e->z, false, e->spare);
    for (int64_t k = 0; k < n; k++) {
        int64_t own = left ? n - 1 - k : k;
        bool first = !t->im && k + 1 < n && t->re[(k + 1) * t->ld + k] != 0;
        int64_t row = first ? k + 1 : k; /* a pair's vector is in its second row */
        if (first || t->im || e->w[own].im == 0) {
            for (int64_t i = 0; i < n; i++) {
                number x = knr_at(&e->v, row, i);
                double s = left ? 1 / e->scale[i] : e->scale[i];
                knr_put(&e->v, row, i, (number){x.re * s, x.im * s});
            }
            normalize(&e->v, row, !t->im && e->w[own].im == 0);
        }
        bool turned = !t->im && (left ? e->w[own].im > 0 : e->w[own].im < 0);
        for (int64_t i = 0; i < n; i++) {
            number x = knr_at(&e->v, row, i);
            knr_element_put(d, to, i * n + own, (number){x.re, turned ? -x.im : x.im});
        }
    }
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

bool knr_eig_run(kn_dtype d, int64_t n, const void *a, void *w, void *left, void *right, void *workspace)
{
    eig_room e = eig_room_of(d, n, workspace);
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
    for (int side = 0; side < 2; side++) {
        bool from_left = side == 1;
        if (!(from_left ? left : right))
            continue;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                int64_t p = from_left ? n - 1 - i : i;
                knr_put(&e.z, i, j, element(&r->z, j, p)); /* row i: a column of z */
                number t = element(&r->h, n - 1 - j, n - 1 - i);
                e.turned.re[i * e.turned.ld + j] = t.re;
                if (complex)
                    e.turned.im[i * e.turned.ld + j] = -t.im;
            }
        store_vectors(&e, from_left ? &e.turned : &r->h, from_left, out, from_left ? left : right);
    }
    return true;
}
