/* SPDX-License-Identifier: Apache-2.0
 * sylvester.c -- a x + x b = c by the Schur forms a = p s p^H, b = q t q^H: with y = p^H x q that is s y + y t =
 * p^H c q, solved from the last row and the first column on (Bartels and Stewart). The square root of a triangular
 * matrix follows column by column (Bjorck and Hammarling). */
#include "host/routine/sylvester.h"
#include "host/routine/dense.h"
#include "host/routine/schur.h"
#include <math.h>

typedef knr_complex number;
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static number plus(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }
static number conjugate(number a) { return (number){a.re, -a.im}; }

static number quotient(number x, number d)
{
    double s = knr_scale_for(fabs(d.re) + fabs(d.im));
    d = (number){d.re * s, d.im * s};
    double norm = d.re * d.re + d.im * d.im;
    number q = knr_times(x, (number){d.re / norm, -d.im / norm});
    return (number){q.re * s, q.im * s};
}

/* A Schur form in the making: a, its t and z. */
typedef struct form {
    number *a, *t, *z;
    void *workspace;
} form;

static form form_take(knr_arena *arena, int64_t n)
{
    size_t count = (size_t)(n * n);
    form f = {knr_take(arena, count, sizeof(number)), knr_take(arena, count, sizeof(number)),
              knr_take(arena, count, sizeof(number)), NULL};
    f.workspace = knr_take(arena, knr_schur_workspace(KN_DT(C128), n, 1), 1);
    return f;
}

static void decompose(const form *f, kn_dtype d, int64_t n, const void *a)
{
    for (int64_t i = 0; i < n * n; i++)
        f->a[i] = knr_element_at(d, a, i);
    knr_schur_run(KN_DT(C128), n, f->a, f->t, f->z, f->workspace, 1);
}

/* out = op(p) x op(q), with spare of the size of x (m x n) */
static void turn(const number *p, bool adjoint_p, const number *x, const number *q, bool adjoint_q, int64_t m,
                 int64_t n, number *spare, number *out)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            number s = {0, 0};
            for (int64_t k = 0; k < m; k++)
                s = plus(s, knr_times(adjoint_p ? conjugate(p[k * m + i]) : p[i * m + k], x[k * n + j]));
            spare[i * n + j] = s;
        }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            number s = {0, 0};
            for (int64_t k = 0; k < n; k++)
                s = plus(s, knr_times(spare[i * n + k], adjoint_q ? conjugate(q[j * n + k]) : q[k * n + j]));
            out[i * n + j] = s;
        }
}

typedef struct room {
    form a, b;
    number *c, *spare;
    size_t bytes;
} room;

static room room_of(int64_t m, int64_t n, void *workspace)
{
    knr_arena arena = {workspace, 0};
    room r = {.a = form_take(&arena, m), .b = form_take(&arena, n)};
    r.c = knr_take(&arena, (size_t)(m * n), sizeof(number));
    r.spare = knr_take(&arena, (size_t)(m * n), sizeof(number));
    r.bytes = arena.used;
    return r;
}

size_t knr_sylvester_workspace(int64_t m, int64_t n) { return room_of(m, n, NULL).bytes; }

void knr_sylvester_run(kn_dtype d, int64_t m, int64_t n, const void *a, const void *b, const void *c, void *x,
                       void *workspace)
{
    room r = room_of(m, n, workspace);
    number *y = r.c;
    decompose(&r.a, d, m, a);
    decompose(&r.b, d, n, b);
    for (int64_t i = 0; i < m * n; i++)
        y[i] = knr_element_at(d, c, i);
    turn(r.a.z, true, y, r.b.z, false, m, n, r.spare, y);
    for (int64_t i = m - 1; i >= 0; i--)
        for (int64_t j = 0; j < n; j++) {
            number s = y[i * n + j];
            for (int64_t k = i + 1; k < m; k++)
                s = minus(s, knr_times(r.a.t[i * m + k], y[k * n + j]));
            for (int64_t k = 0; k < j; k++)
                s = minus(s, knr_times(y[i * n + k], r.b.t[k * n + j]));
            y[i * n + j] = quotient(s, plus(r.a.t[i * m + i], r.b.t[j * n + j]));
        }
    turn(r.a.z, false, y, r.b.z, true, m, n, r.spare, y);
    for (int64_t i = 0; i < m * n; i++)
        knr_element_put(d, x, i, y[i]);
}

/* --- square roots ----------------------------------------------------------------------------- */

static number root(number x)
{
    double r = knr_length(x.re, x.im), p = sqrt((r + fabs(x.re)) / 2);
    if (p == 0)
        return (number){0, 0};
    return x.re >= 0 ? (number){p, x.im / (2 * p)} : (number){fabs(x.im) / (2 * p), copysign(p, x.im)};
}

size_t knr_square_root_workspace(int64_t n)
{
    return room_of(n, 0, NULL).bytes + (size_t)(n * n) * 2 * sizeof(number) + 256;
}

void knr_square_root_run(kn_dtype d, int64_t n, const void *a, void *y, void *workspace)
{
    knr_arena arena = {workspace, 0};
    form f = form_take(&arena, n);
    number *r = knr_take(&arena, (size_t)(n * n), sizeof(number)),
           *spare = knr_take(&arena, (size_t)(n * n), sizeof(number));
    decompose(&f, d, n, a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = n - 1; i >= 0; i--) {
            number s = f.t[i * n + j];
            for (int64_t k = i + 1; k < j; k++)
                s = minus(s, knr_times(r[i * n + k], r[k * n + j]));
            number sum = i < j ? plus(r[i * n + i], r[j * n + j]) : (number){1, 0};
            bool nothing = s.re == 0 && s.im == 0; /* 0 over 0 of singular matrices: the least root */
            r[i * n + j] = i > j || (i < j && nothing) ? (number){0, 0} : i == j ? root(s) : quotient(s, sum);
        }
    turn(f.z, false, r, f.z, true, n, n, spare, r);
    for (int64_t i = 0; i < n * n; i++)
        knr_element_put(d, y, i, r[i]);
}
