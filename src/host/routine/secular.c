/* SPDX-License-Identifier: Apache-2.0
 * secular.c -- roots of the secular equation, by interpolation with two poles inside of a bracket. */
#include "host/routine/secular.h"
#include "base/pool.h"
#include "host/routine/condensed.h"
#include <math.h>

enum { ROUNDS = 60, PART = 16 /* roots, or numbers of z, that a thread takes at a time */ };

/* f(x) = 1/rho + the sum of z2[i] / (pole[i] - x), rising between poles. x is origin + mu; delta[i] = pole[i] - x. */
typedef struct secular {
    int64_t n;
    const double *d, *z2;
    double inverse_rho, epsilon, *delta;
    bool squares;
} secular;

/* Pole i less pole j. */
static double gap_of(const secular *s, int64_t i, int64_t j)
{
    return (s->d[i] - s->d[j]) * (s->squares ? s->d[i] + s->d[j] : 1);
}

typedef struct sums {
    double value, size, left, right; /* f; of absolute values; derivatives of the terms up to number p, and behind */
} sums;

static sums evaluate(const secular *s, double origin, double mu, int64_t p)
{
    knr_secular_sums x = knr_condensed()->secular(s->delta, s->d, s->z2, s->n, p + 1, origin, mu, s->squares);
    return (sums){s->inverse_rho + x.value, fabs(s->inverse_rho) + x.size, x.slope[0], x.slope[1]};
}

/* Where f is taken for c + a / (delta_p - x) + b / (delta_q - x) with its value and derivatives here: the step to its
 * root. */
static double step_of(const sums *f, double p, double q, bool last)
{
    double c = f->value - p * f->left - q * f->right, a = (p + q) * f->value - p * q * (f->left + f->right);
    double b = p * q * f->value, eta;
    if (last) {
        c = fabs(c);
        double r = sqrt(fabs(a * a - 4 * b * c));
        eta = c == 0 ? b / a : a >= 0 ? (a + r) / (2 * c) : 2 * b / (a - r);
    } else {
        double r = sqrt(fabs(a * a - 4 * b * c));
        eta = c == 0 ? b / a : a <= 0 ? (a - r) / (2 * c) : 2 * b / (a + r);
    }
    return f->value * eta < 0 ? eta : -f->value / (f->left + f->right);
}

static double between(double low, double high)
{
    if (low == 0 || high == 0)
        return (low + high) / 16;
    return low * high > 0 && (low / high > 4 || high / low > 4) ? copysign(sqrt(low * high), low) : (low + high) / 2;
}

/* Root number j; delta is left for it. */
static double root(const secular *s, int64_t j)
{
    bool last = j == s->n - 1;
    int64_t p = last ? j - 1 : j, o = j;
    double low = 0, high, gap = 0, total = 0;
    if (last) {
        for (int64_t i = 0; i < s->n; i++)
            total += s->z2[i];
        high = total / s->inverse_rho;
    } else
        high = gap = gap_of(s, j + 1, j);
    double mu = high / 2;
    sums f = evaluate(s, s->d[j], mu, p);
    if (!last && f.value < 0) {
        o = j + 1;
        low = -mu;
        high = 0;
    } else if (f.value < 0)
        low = mu;
    else
        high = mu;
    if (!last) { /* a first guess from the two poles beside it, with the other terms as in the middle */
        double u = s->z2[j], v = s->z2[j + 1], c = f.value - u / s->delta[j] - v / s->delta[j + 1];
        double a = o == j ? c * gap + u + v : -c * gap + u + v, b = o == j ? u * gap : -v * gap;
        double r = sqrt(fabs(a * a - 4 * b * c)), guess;
        if (o == j)
            guess = a > 0 ? 2 * b / (a + r) : (a - r) / (2 * c);
        else
            guess = a < 0 ? 2 * b / (a - r) : (a + r) / (2 * c);
        mu = guess > low && guess < high ? guess : between(low, high);
    }
    bool exact = false; /* is delta that of mu? */
    for (int i = 0; i < ROUNDS && !exact; i++) {
        f = evaluate(s, s->d[o], mu, p);
        exact = fabs(f.value) <= 8 * s->epsilon * f.size;
        *(f.value < 0 ? &low : &high) = mu;
        double next = mu + step_of(&f, s->delta[p], s->delta[p + 1], last);
        if (!(next > low && next < high))
            next = between(low, high);
        if (!(next > low && next < high)) /* neighbours */
            exact = true;
        mu = exact ? mu : next;
    }
    if (!exact)
        evaluate(s, s->d[o], mu, p);
    double d = s->d[o];
    return s->squares ? d + mu / (d + sqrt(d * d + mu)) : d + mu;
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef struct work {
    const knr_secular *s;
    double *roots, *near;
} work;

static int64_t end_of_part(int64_t part, int64_t n) { return (part + 1) * PART < n ? (part + 1) * PART : n; }

/* near holds the squares of z */
static void find_roots(void *arg, int64_t part, int worker)
{
    const work *w = arg;
    const knr_secular *s = w->s;
    (void)worker;
    for (int64_t j = part * PART; j < end_of_part(part, s->n); j++) {
        secular e = {s->n, s->d, w->near, 1 / s->rho, s->epsilon, s->rows + j * s->ld, s->squares};
        w->roots[j] = root(&e, j);
    }
}

static void find_z(void *arg, int64_t part, int worker)
{
    const work *w = arg;
    const knr_secular *s = w->s;
    const knr_condensed_loops *f = knr_condensed();
    int64_t first = part * PART, end = end_of_part(part, s->n);
    (void)worker;
    for (int64_t i = first; i < end; i++)
        w->near[i] = -s->rows[i * s->ld + i];
    for (int64_t j = 0; j < s->n; j++) {
        const double *x = s->rows + j * s->ld;
        int64_t before = j < first ? first : j < end ? j : end, behind = j < first ? first : j < end ? j + 1 : end;
        f->quotients(w->near + first, x + first, s->d + first, s->d[j], before - first, s->squares);
        f->quotients(w->near + behind, x + behind, s->d + behind, s->d[j], end - behind, s->squares);
    }
    for (int64_t i = first; i < end; i++)
        w->near[i] = copysign(sqrt(fabs(w->near[i]) / s->rho), s->z[i]);
}

void knr_secular_solve(const knr_secular *s, double *roots, double *near, int threads)
{
    int64_t n = s->n, parts = (n + PART - 1) / PART;
    work w = {s, roots, near};
    if (n == 1) {
        double x = s->rho * (s->z[0] * s->z[0]), d = s->d[0];
        roots[0] = s->squares ? sqrt(d * d + x) : d + x;
        near[0] = copysign(1, s->z[0]);
        s->rows[0] = -1;
        return;
    }
    threads = n < 4 * PART ? 1 : threads;
    for (int64_t i = 0; i < n; i++)
        near[i] = s->z[i] * s->z[i];
    knx_parallel(threads, parts, find_roots, &w);
    knx_parallel(threads, parts, find_z, &w);
}
