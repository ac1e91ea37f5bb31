/* SPDX-License-Identifier: Apache-2.0
 * svd.c -- singular values: reflections from both sides make the matrix (or its adjoint, if it is wide) upper
 * bidiagonal, implicit QR steps with and without shift (Demmel and Kahan) make that diagonal, and the reflections turn
 * its vectors back. Small singular values of the bidiagonal matrix are right to most of their digits. */
#include "host/routine/svd.h"
#include "host/routine/dense.h"
#include <math.h>

static const double EPSILON = 0x1p-53, TOLERANCE = 98 * 0x1p-53;

typedef struct room {
    int64_t m, n; /* m >= n */
    bool wide;
    knr_dense a, right; /* vectors of the reflections from the right are columns of this one */
    knr_dense u, v;     /* rows: singular vectors of the bidiagonal matrix, float64 */
    knr_dense x, y;     /* the left ones, the right ones */
    knr_doubles vector;
    knr_spare spare;
    knr_block_reflection left_block, right_block;
    knr_complex *left_tau, *right_tau;
    double *d, *e;
    size_t bytes;
} room;

static room room_of(const knr_svd *s, void *workspace)
{
    knr_arena arena = {workspace, 0};
    kn_dtype d = s->dtype;
    room r = {.wide = s->m < s->n};
    r.m = r.wide ? s->n : s->m;
    r.n = r.wide ? s->m : s->n;
    int64_t n = r.n, some = s->vectors ? n : 0, columns = !s->vectors ? 0 : s->full ? r.m : n;
    r.a = knr_dense_take(&arena, d, r.m, n);
    r.right = knr_dense_take(&arena, d, n, n);
    r.u = knr_dense_take(&arena, KN_DT(F64), some, n);
    r.v = knr_dense_take(&arena, KN_DT(F64), some, n);
    r.x = knr_dense_take(&arena, d, r.m, columns);
    r.y = knr_dense_take(&arena, d, n, some);
    r.vector = knr_doubles_take(&arena, knx_is_complex(d), 1, r.m);
    r.spare = knr_spare_take(&arena, d, r.m);
    r.left_block = knr_block_take(&arena, d, r.m, columns, 1);
    r.right_block = knr_block_take(&arena, d, n, some, 1);
    r.left_tau = knr_take(&arena, (size_t)n, sizeof *r.left_tau);
    r.right_tau = knr_take(&arena, (size_t)n, sizeof *r.right_tau);
    r.d = knr_take(&arena, (size_t)n, 8);
    r.e = knr_take(&arena, (size_t)n, 8);
    r.bytes = arena.used;
    return r;
}

/* --- the bidiagonal form ---------------------------------------------------------------------- */

static void set(const knr_doubles *v, int64_t i, double re, double im)
{
    v->re[i] = re;
    if (v->im)
        v->im[i] = im;
}

static void reflect_column(room *r, int64_t j)
{
    knr_dense rest = knr_dense_part(&r->a, j, j + 1, r->m - j, r->n - j - 1);
    for (int64_t i = j; i < r->m; i++) {
        knr_complex x = knr_at(&r->a, i, j);
        set(&r->vector, i - j, x.re, x.im);
    }
    knr_complex tau = r->left_tau[j] = knr_reflection(r->m - j, r->vector.re, r->vector.im, &r->d[j]);
    for (int64_t i = j; i < r->m; i++)
        knr_put(&r->a, i, j, (knr_complex){r->vector.re[i - j], r->vector.im ? r->vector.im[i - j] : 0});
    knr_reflect_left(&rest, &r->vector, (knr_complex){tau.re, -tau.im}, &r->spare);
}

static void reflect_row(room *r, int64_t i)
{
    int64_t first = i + 1, n = r->n - first;
    knr_dense rest = knr_dense_part(&r->a, first, first, r->m - first, n);
    for (int64_t j = 0; j < n; j++) {
        knr_complex x = knr_at(&r->a, i, first + j);
        set(&r->vector, j, x.re, -x.im);
    }
    r->right_tau[i] = knr_reflection(n, r->vector.re, r->vector.im, &r->e[i]);
    for (int64_t j = 0; j < n; j++)
        knr_put(&r->right, first + j, i, (knr_complex){r->vector.re[j], r->vector.im ? r->vector.im[j] : 0});
    knr_reflect_right(&rest, &r->vector, r->right_tau[i], &r->spare);
}

/* --- the bidiagonal matrix -------------------------------------------------------------------- */

/* Rows first .. last of it, or these from the last to the first of the transposed matrix, which is upper bidiagonal in
 * that order, too. */
typedef struct block {
    double *d, *e;
    int64_t n, row, step; /* number i is row + i step of u and v */
    const knr_dense *u, *v;
} block;

static double *d_at(const block *b, int64_t i) { return &b->d[b->row + i * b->step]; }
static double *e_at(const block *b, int64_t i) { return &b->e[b->row + i * b->step - (b->step < 0)]; }

/* c f + s g = r, c g = s f */
static double rotation(double f, double g, double *c, double *s)
{
    double r = knr_length(f, g);
    if (g == 0) {
        *c = 1, *s = 0;
        return f;
    }
    if (f == 0) {
        *c = 0, *s = 1;
        return g;
    }
    r = copysign(r, f);
    *c = f / r;
    *s = g / r;
    return r;
}

static void rotate(const knr_dense *x, const block *b, int64_t i, double c, double s)
{
    if (!x->rows)
        return;
    int64_t k = b->row + i * b->step;
    double *rows = x->p.re;
    x->f->rotate(rows + k * x->p.ld, rows + (k + b->step) * x->p.ld, x->columns, c, s);
}

static void shifted_step(const block *b, double shift)
{
    double c, s, d = *d_at(b, 0), f = (fabs(d) - shift) * (copysign(1, d) + shift / d), g = *e_at(b, 0);
    for (int64_t i = 0; i < b->n - 1; i++) {
        double r = rotation(f, g, &c, &s), *p = d_at(b, i), *q = d_at(b, i + 1), *e = e_at(b, i);
        if (i)
            *e_at(b, i - 1) = r;
        f = c * *p + s * *e;
        *e = c * *e - s * *p;
        g = s * *q;
        *q = c * *q;
        rotate(b->v, b, i, c, s);
        *p = rotation(f, g, &c, &s);
        f = c * *e + s * *q;
        *q = c * *q - s * *e;
        if (i < b->n - 2) {
            g = s * *e_at(b, i + 1);
            *e_at(b, i + 1) *= c;
        }
        rotate(b->u, b, i, c, s);
    }
    *e_at(b, b->n - 2) = f;
}

static void plain_step(const block *b)
{
    double c = 1, s = 0, old_c = 1, old_s = 0;
    for (int64_t i = 0; i < b->n - 1; i++) {
        double r = rotation(*d_at(b, i) * c, *e_at(b, i), &c, &s);
        if (i)
            *e_at(b, i - 1) = old_s * r;
        *d_at(b, i) = rotation(old_c * r, *d_at(b, i + 1) * s, &old_c, &old_s);
        rotate(b->v, b, i, c, s);
        rotate(b->u, b, i, old_c, old_s);
    }
    double h = *d_at(b, b->n - 1) * c;
    *d_at(b, b->n - 1) = h * old_c;
    *e_at(b, b->n - 2) = h * old_s;
}

/* The smaller singular value of [f g; 0 h]. */
static double smaller(double f, double g, double h)
{
    f = fabs(f), g = fabs(g), h = fabs(h);
    double low = f < h ? f : h, high = f < h ? h : f;
    if (low == 0)
        return 0;
    double p = 1 + low / high, q = (high - low) / high;
    if (g < high) {
        double t = g / high * (g / high);
        return low * (2 / (sqrt(p * p + t) + sqrt(q * q + t)));
    }
    double t = high / g;
    if (t == 0)
        return low * high / g;
    return 2 * (low / (sqrt(1 + p * t * (p * t)) + sqrt(1 + q * t * (q * t))) * t);
}

/* Zeros elements of e that do no harm; false if there was none. `least`: a bound of the least singular value. */
static bool split(const block *b, double *least)
{
    double mu = *least = fabs(*d_at(b, 0));
    if (fabs(*e_at(b, b->n - 2)) <= TOLERANCE * fabs(*d_at(b, b->n - 1))) {
        *e_at(b, b->n - 2) = 0;
        return true;
    }
    for (int64_t i = 0; i < b->n - 1; i++) {
        double e = fabs(*e_at(b, i));
        if (e <= TOLERANCE * mu) {
            *e_at(b, i) = 0;
            return true;
        }
        mu = fabs(*d_at(b, i + 1)) * (mu / (mu + e));
        *least = mu < *least ? mu : *least;
    }
    return false;
}

static void step(const block *b)
{
    double least, most = 0, shift = 0;
    if (split(b, &least))
        return;
    for (int64_t i = 0; i < b->n; i++) {
        most = fabs(*d_at(b, i)) > most ? fabs(*d_at(b, i)) : most;
        most = i < b->n - 1 && fabs(*e_at(b, i)) > most ? fabs(*e_at(b, i)) : most;
    }
    if ((double)b->n * TOLERANCE * (least / most) > 0.01 * TOLERANCE) {
        shift = smaller(*d_at(b, b->n - 2), *e_at(b, b->n - 2), *d_at(b, b->n - 1));
        double ratio = shift / fabs(*d_at(b, 0));
        shift = ratio * ratio < EPSILON ? 0 : shift;
    }
    if (shift != 0)
        shifted_step(b, shift);
    else
        plain_step(b);
}

static bool diagonalize(room *r)
{
    int64_t n = r->n, end = n;
    double *d = r->d, *e = r->e, mu, least;
    if (!n)
        return true;
    mu = least = fabs(d[0]);
    for (int64_t i = 1; i < n && least > 0; i++) {
        mu = fabs(d[i]) * (mu / (mu + fabs(e[i - 1])));
        least = mu < least ? mu : least;
    }
    double nothing = TOLERANCE * least / sqrt((double)n);
    nothing = nothing > 0x1p-1000 ? nothing : 0x1p-1000;
    int64_t old_first = -1, old_last = -1;
    bool turned = false;
    for (double left = 40.0 * (double)n + 200; end > 1; left--) {
        int64_t first = end - 1;
        while (first > 0 && fabs(e[first - 1]) > nothing)
            first--;
        if (first > 0)
            e[first - 1] = 0;
        if (first == end - 1) {
            end--;
            continue;
        }
        if (left < 0)
            return false;
        if (first > old_last || end - 1 < old_first) /* another block: chased from its larger end */
            turned = fabs(d[first]) < fabs(d[end - 1]);
        old_first = first;
        old_last = end - 1;
        block b = {d,
                   e,
                   end - first,
                   turned ? end - 1 : first,
                   turned ? -1 : 1,
                   turned ? &r->v : &r->u,
                   turned ? &r->u : &r->v};
        step(&b);
    }
    return true;
}

static void swap_rows(const knr_dense *x, int64_t i, int64_t j)
{
    double *p = (double *)x->p.re + i * x->p.ld, *q = (double *)x->p.re + j * x->p.ld;
    for (int64_t k = 0; x->rows && k < x->columns; k++) {
        double t = p[k];
        p[k] = q[k];
        q[k] = t;
    }
}

static void sort(room *r)
{
    for (int64_t i = 0; i < r->n; i++)
        if (signbit(r->d[i])) {
            double *row = (double *)r->v.p.re + i * r->v.p.ld;
            r->d[i] = -r->d[i];
            for (int64_t k = 0; r->v.rows && k < r->n; k++)
                row[k] = -row[k];
        }
    for (int64_t i = 0; i < r->n; i++) {
        int64_t best = i;
        for (int64_t j = i + 1; j < r->n; j++)
            best = r->d[j] > r->d[best] ? j : best;
        if (best == i)
            continue;
        double t = r->d[i];
        r->d[i] = r->d[best];
        r->d[best] = t;
        swap_rows(&r->u, i, best);
        swap_rows(&r->v, i, best);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

size_t knr_svd_workspace(const knr_svd *s) { return room_of(s, NULL).bytes; }

/* The transposed rows as columns of x, which goes on like the identity. */
static void turn(const knr_dense *rows, const knr_dense *x)
{
    knr_dense_identity(x);
    for (int64_t i = 0; i < rows->columns; i++)
        for (int64_t j = 0; j < rows->rows; j++)
            knr_put(x, i, j, (knr_complex){((const double *)rows->p.re)[j * rows->p.ld + i], 0});
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
    knr_dense_load(&r.a, a, r.wide ? 1 : s->n, r.wide ? s->n : 1, r.wide);
    bool well = knr_is_finite(&r.a);
    double scale = knr_scale_for(knr_largest(&r.a));
    if (well) {
        knr_scale(&r.a, scale);
        for (int64_t i = 0; i < n; i++) {
            reflect_column(&r, i);
            r.e[i] = 0;
            if (i < n - 1)
                reflect_row(&r, i);
        }
        knr_dense_identity(&r.u);
        knr_dense_identity(&r.v);
        well = diagonalize(&r);
    }
    if (!well) {
        knr_fill_nan(real, values, n);
        if (s->vectors) {
            int64_t columns = s->full ? r.m : n;
            knr_fill_nan(s->dtype, u, s->m * (r.wide ? n : columns));
            knr_fill_nan(s->dtype, vh, s->n * (r.wide ? columns : n));
        }
        return false;
    }
    sort(&r);
    for (int64_t i = 0; i < n; i++)
        knr_element_put(real, values, i, (knr_complex){r.d[i] / scale, 0});
    if (!s->vectors)
        return true;
    turn(&r.u, &r.x);
    knr_block_apply_packed(&r.left_block, &r.a, r.left_tau, n, &r.x, false, false);
    store(&r.x, r.wide ? vh : u, r.wide);
    turn(&r.v, &r.y);
    if (n > 1) {
        knr_dense packed = knr_dense_part(&r.right, 1, 0, n - 1, n - 1), below = knr_dense_part(&r.y, 1, 0, n - 1, n);
        knr_block_apply_packed(&r.right_block, &packed, r.right_tau, n - 1, &below, false, false);
    }
    store(&r.y, r.wide ? u : vh, !r.wide);
    return true;
}
