/* SPDX-License-Identifier: Apache-2.0
 * banded.c -- tridiagonal systems by elimination with exchanged rows, rank-1 updates of Cholesky factors by
 * rotations. */
#include "host/routine/banded.h"
#include "host/routine/dense.h"
#include <math.h>

typedef knr_complex number;
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }

static number quotient(number x, number d)
{
    double s = knr_scale_for(fabs(d.re) + fabs(d.im));
    d = (number){d.re * s, d.im * s};
    double norm = d.re * d.re + d.im * d.im;
    if (x.im == 0 && d.im == 0)
        return (number){x.re / d.re * s, 0};
    number q = knr_times(x, (number){d.re / norm, -d.im / norm});
    return (number){q.re * s, q.im * s};
}

size_t knr_tridiagonal_solve_workspace(int64_t n) { return 5 * (size_t)n * sizeof(number); }

void knr_tridiagonal_solve(kn_dtype t, int64_t n, int64_t columns, const void *low, const void *d, const void *up,
                           const void *b, void *x, void *workspace)
{
    number *l = workspace, *a = l + n, *u = a + n, *second = u + n, *y = second + n;
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t i = 0; i < n; i++) {
            l[i] = i ? knr_element_at(t, low, i) : (number){0, 0};
            a[i] = knr_element_at(t, d, i);
            u[i] = i < n - 1 ? knr_element_at(t, up, i) : (number){0, 0};
            second[i] = (number){0, 0};
            y[i] = knr_element_at(t, b, i * columns + j);
        }
        for (int64_t i = 0; i < n - 1; i++) {
            if (fabs(l[i + 1].re) + fabs(l[i + 1].im) > fabs(a[i].re) + fabs(a[i].im)) { /* rows i and i + 1 */
                number p = a[i], q = u[i], r = y[i];
                a[i] = l[i + 1], u[i] = a[i + 1], second[i] = u[i + 1], y[i] = y[i + 1];
                l[i + 1] = p, a[i + 1] = q, u[i + 1] = (number){0, 0}, y[i + 1] = r;
            }
            if (l[i + 1].re == 0 && l[i + 1].im == 0)
                continue;
            number f = quotient(l[i + 1], a[i]);
            a[i + 1] = minus(a[i + 1], knr_times(f, u[i]));
            u[i + 1] = minus(u[i + 1], knr_times(f, second[i]));
            y[i + 1] = minus(y[i + 1], knr_times(f, y[i]));
        }
        for (int64_t i = n - 1; i >= 0; i--) {
            number s = y[i];
            s = i + 1 < n ? minus(s, knr_times(u[i], y[i + 1])) : s;
            s = i + 2 < n ? minus(s, knr_times(second[i], y[i + 2])) : s;
            y[i] = quotient(s, a[i]);
        }
        for (int64_t i = 0; i < n; i++)
            knr_element_put(t, x, i * columns + j, y[i]);
    }
}

size_t knr_cholesky_update_workspace(int64_t n) { return (size_t)n * sizeof(double) + 64; }

/* Row k of r and w are turned so that the first element of w is gone. */
void knr_cholesky_update(kn_dtype t, int64_t n, const void *r, const void *w, void *y, void *workspace)
{
    double *v = workspace;
    for (int64_t i = 0; i < n; i++)
        v[i] = knr_element_at(t, w, i).re;
    for (int64_t k = 0; k < n; k++) {
        double a = knr_element_at(t, r, k * n + k).re, length = knr_length(a, v[k]);
        double c = length == 0 ? 1 : a / length, s = length == 0 ? 0 : v[k] / length;
        for (int64_t j = 0; j < n; j++) {
            double p = j < k ? 0 : knr_element_at(t, r, k * n + j).re, q = v[j];
            knr_element_put(t, y, k * n + j, (number){j < k ? 0 : c * p + s * q, 0});
            v[j] = j <= k ? q : c * q - s * p;
        }
    }
}
