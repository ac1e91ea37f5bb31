/* SPDX-License-Identifier: Apache-2.0
 * francis.c -- the QR iteration on Hessenberg matrices: implicit steps with one shift for complex ones, with two for
 * real ones. An element of the subdiagonal is nothing if it is so beside its neighbours, by Ahues' and Tisseur's
 * criterion. */
#include "host/routine/francis.h"
#include "host/routine/condensed.h"
#include "host/routine/francis_sweep.h"
#include <math.h>

static const double TINY = 0x1p-1000;
enum { ROUNDS = 40 }; /* for each eigenvalue, on average */

typedef knr_francis_work work;

static double *re(const knr_doubles *x, int64_t i, int64_t j) { return &x->re[i * x->ld + j]; }
static double *im(const knr_doubles *x, int64_t i, int64_t j) { return &x->im[i * x->ld + j]; }
static double size(const knr_doubles *x, int64_t i, int64_t j)
{
    return fabs(*re(x, i, j)) + (x->im ? fabs(*im(x, i, j)) : 0);
}

/* The first row of the block that ends with row `last`: the element before it is nothing, and made 0. */
static int64_t first_row(const work *w, int64_t last)
{
    const knr_doubles *h = w->h;
    for (int64_t k = last; k > 0; k--) {
        double below = size(h, k, k - 1), around = size(h, k - 1, k - 1) + size(h, k, k);
        if (below <= TINY)
            goto found;
        if (around == 0) {
            around += k >= 2 ? size(h, k - 1, k - 2) : 0;
            around += k + 1 < w->n ? size(h, k + 1, k) : 0;
        }
        if (below > w->epsilon * around)
            continue;
        double above = size(h, k - 1, k),
               gap = h->im ? fabs(*re(h, k - 1, k - 1) - *re(h, k, k)) + fabs(*im(h, k - 1, k - 1) - *im(h, k, k))
                           : fabs(*re(h, k - 1, k - 1) - *re(h, k, k));
        double most = fmax(below, above), least = fmin(below, above), a = fmax(size(h, k, k), gap),
               b = fmin(size(h, k, k), gap), s = a + most;
        if (least * (most / s) <= fmax(TINY, w->epsilon * (b * (a / s))))
            goto found;
        continue;
    found:
        *re(h, k, k - 1) = 0;
        if (h->im)
            *im(h, k, k - 1) = 0;
        return k;
    }
    return 0;
}

/* --- real: two shifts ------------------------------------------------------------------------- */

/* Rows (columns) k .. k + count of x become those of (I - tau v v^T) x, x (I - tau v v^T). */
void knr_francis_rows(const knr_doubles *x, int64_t k, int count, const double *v, double tau, int64_t from, int64_t to)
{
    if (from < to)
        knr_condensed()->reflect(re(x, k, from), re(x, k + 1, from), count == 3 ? re(x, k + 2, from) : NULL, v[1],
                                 count == 3 ? v[2] : 0, tau, to - from);
}
void knr_francis_columns(const knr_doubles *x, int64_t k, int count, const double *v, double tau, int64_t from,
                         int64_t to)
{
    if (from < to)
        knr_condensed()->reflect_columns(re(x, from, k), x->ld, to - from, v[1], count == 3 ? v[2] : 0, tau,
                                         count == 3);
}

double knr_francis_reflection(int count, double *v, double *beta)
{
    double a = v[0], b = v[1], c = count == 3 ? v[2] : 0, most = fmax(fabs(a), fmax(fabs(b), fabs(c)));
    if (!(most > 0x1p-300 && most < 0x1p300) || (b == 0 && c == 0))
        return knr_reflection(count, v, NULL, beta).re;
    double length = sqrt(a * a + (b * b + c * c)), to = a < 0 ? length : -length, by = 1 / (a - to);
    v[0] = 1;
    v[1] = b * by;
    if (count == 3)
        v[2] = c * by;
    *beta = to;
    return (to - a) / to;
}

/* The first column of (h - s1)(h - s2) for the shifts with this trace and product, scaled. */
void knr_francis_first(const knr_doubles *h, int64_t m, double r1, double i1, double r2, double i2, double *v)
{
    double a = *re(h, m, m), b = *re(h, m, m + 1), c = *re(h, m + 1, m), d = *re(h, m + 1, m + 1);
    double s = fabs(a - r2) + fabs(i2) + fabs(c), q = c / s;
    v[0] = q * b + (a - r1) * ((a - r2) / s) - i1 * (i2 / s);
    v[1] = q * (a + d - r1 - r2);
    v[2] = q * *re(h, m + 2, m + 1);
    s = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    for (int i = 0; s > 0 && i < 3; i++)
        v[i] /= s;
}

static void double_step(const work *w, int64_t first, int64_t last, int round)
{
    const knr_doubles *h = w->h;
    double a, b, c, d, r1 = 0, i1 = 0, r2 = 0, i2 = 0, v[3];
    if (round % 10 == 0 && round) { /* exceptional shifts */
        bool at_first = round % 20 == 10;
        double s = at_first ? fabs(*re(h, first + 1, first)) : fabs(*re(h, last, last - 1));
        if (at_first)
            s += first + 2 <= last ? fabs(*re(h, first + 2, first + 1)) : 0;
        else
            s += last - 2 >= first ? fabs(*re(h, last - 1, last - 2)) : 0;
        a = d = 0.75 * s + (at_first ? *re(h, first, first) : *re(h, last, last));
        b = -0.4375 * s;
        c = s;
    } else {
        a = *re(h, last - 1, last - 1), b = *re(h, last - 1, last);
        c = *re(h, last, last - 1), d = *re(h, last, last);
    }
    double s = fabs(a) + fabs(b) + fabs(c) + fabs(d);
    if (s > 0) {
        a /= s, b /= s, c /= s, d /= s;
        double trace = (a + d) / 2, det = (a - trace) * (d - trace) - b * c, root = sqrt(fabs(det));
        if (det >= 0) { /* conjugate shifts */
            r1 = r2 = trace * s;
            i1 = root * s;
            i2 = -i1;
        } else { /* the one nearer to the last element, twice */
            r1 = trace + root, r2 = trace - root;
            r1 = r2 = (fabs(r1 - d) <= fabs(r2 - d) ? r1 : r2) * s;
        }
    }
    int64_t m = last - 2;
    for (;; m--) {
        knr_francis_first(h, m, r1, i1, r2, i2, v);
        if (m == first)
            break;
        double x = fabs(*re(h, m - 1, m - 1)), y = fabs(*re(h, m, m)), z = fabs(*re(h, m + 1, m + 1));
        if (fabs(*re(h, m, m - 1)) * (fabs(v[1]) + fabs(v[2])) <= w->epsilon * fabs(v[0]) * (x + y + z))
            break;
    }
    for (int64_t k = m; k < last; k++) {
        int count = last - k + 1 < 3 ? 2 : 3;
        double beta, tau;
        for (int i = 0; k > m && i < count; i++)
            v[i] = *re(h, k + i, k - 1);
        tau = knr_francis_reflection(count, v, &beta);
        if (k > m) {
            *re(h, k, k - 1) = beta;
            *re(h, k + 1, k - 1) = 0;
            if (count == 3)
                *re(h, k + 2, k - 1) = 0;
        } else if (m > first)
            *re(h, k, k - 1) *= 1 - tau; /* what a sum of small elements would lose */
        knr_francis_rows(h, k, count, v, tau, k, w->n);
        knr_francis_columns(h, k, count, v, tau, 0, k + 3 < last ? k + 4 : last + 1);
        knr_francis_rows(w->z, k, count, v, tau, 0, w->z_rows);
    }
}

/* The block of rows k and k + 1 in standard form: real eigenvalues on its diagonal, or equal elements there and others
 * of different signs. */
void knr_francis_standardize(const work *w, int64_t k)
{
    const knr_doubles *h = w->h;
    double a = *re(h, k, k), b = *re(h, k, k + 1), c = *re(h, k + 1, k), d = *re(h, k + 1, k + 1), cosine = 1, sine = 0;
    if (c == 0)
        return;
    if (b == 0) { /* exchanged */
        cosine = 0, sine = 1;
        double t = a;
        a = d, d = t, b = -c, c = 0;
    } else if (a - d != 0 || (b > 0) == (c > 0)) {
        double p = (a - d) / 2, most = fmax(fabs(b), fabs(c)), least = fmin(fabs(b), fabs(c));
        least = (b > 0) == (c > 0) ? least : -least;
        double scale = fmax(fabs(p), most), z = p / scale * p + most / scale * least;
        if (z >= 0x1p-50) { /* real eigenvalues */
            z = p + copysign(sqrt(scale) * sqrt(z), p);
            a = d + z;
            d -= most / z * least;
            double tau = knr_length(c, z);
            cosine = z / tau, sine = c / tau;
            b -= c;
            c = 0;
        } else { /* complex, or nearly equal: equal diagonal elements */
            double sigma = b + c, t = a - d, tau = knr_length(sigma, t);
            cosine = sqrt((1 + fabs(sigma) / tau) / 2);
            sine = -(t / 2 / (tau * cosine)) * copysign(1, sigma);
            double aa = a * cosine + b * sine, bb = -a * sine + b * cosine, cc = c * cosine + d * sine,
                   dd = -c * sine + d * cosine;
            a = aa * cosine + cc * sine, b = bb * cosine + dd * sine;
            c = -aa * sine + cc * cosine, d = -bb * sine + dd * cosine;
            a = d = (a + d) / 2;
            if (c != 0 && b == 0) {
                b = -c, c = 0;
                double t2 = cosine;
                cosine = -sine, sine = t2;
            } else if (c != 0 && (b > 0) == (c > 0)) { /* real after all */
                double sb = sqrt(fabs(b)), sc = sqrt(fabs(c)), q = copysign(sb * sc, c), r = 1 / sqrt(fabs(b + c));
                double c1 = sb * r, s1 = sc * r, t2 = cosine * c1 - sine * s1;
                a += q, d -= q, b -= c, c = 0;
                sine = cosine * s1 + sine * c1;
                cosine = t2;
            }
        }
    }
    *re(h, k, k) = a, *re(h, k, k + 1) = b, *re(h, k + 1, k) = c, *re(h, k + 1, k + 1) = d;
    const knr_linalg_loops *f = knr_linalg_loops_of(KN_DT(F64));
    if (k + 2 < w->n)
        f->rotate(re(h, k, k + 2), re(h, k + 1, k + 2), w->n - k - 2, cosine, sine);
    for (int64_t i = 0; i < k; i++) {
        double *x = re(h, i, k), p = x[0], q = x[1];
        x[0] = cosine * p + sine * q;
        x[1] = cosine * q - sine * p;
    }
    if (w->z_rows)
        f->rotate(re(w->z, k, 0), re(w->z, k + 1, 0), w->z_rows, cosine, sine);
}

/* --- complex: one shift ----------------------------------------------------------------------- */

typedef knr_complex number;
static number at(const knr_doubles *x, int64_t i, int64_t j) { return (number){*re(x, i, j), *im(x, i, j)}; }
static void put(const knr_doubles *x, int64_t i, int64_t j, number v)
{
    *re(x, i, j) = v.re;
    *im(x, i, j) = v.im;
}
static number minus(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static number plus(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }
static number conjugate(number a) { return (number){a.re, -a.im}; }
static double length(number a) { return knr_length(a.re, a.im); }

static number square_root(number x)
{
    double r = length(x), p = sqrt((r + fabs(x.re)) / 2);
    if (p == 0)
        return (number){0, 0};
    return x.re >= 0 ? (number){p, x.im / (2 * p)} : (number){fabs(x.im) / (2 * p), copysign(p, x.im)};
}

/* The eigenvalue of the last two rows that is nearer to the last element. */
static number shift_of(const knr_doubles *h, int64_t last)
{
    number a = at(h, last - 1, last - 1), d = at(h, last, last);
    number p = minus(a, d), bc = knr_times(at(h, last - 1, last), at(h, last, last - 1));
    p = (number){p.re / 2, p.im / 2};
    number root = square_root(plus(knr_times(p, p), bc));
    if (p.re * root.re + p.im * root.im > 0)
        root = (number){-root.re, -root.im};
    /* d + p + root, the smaller one: -bc / (p - root) */
    number q = minus(p, root);
    double size = length(q), s = knr_scale_for(size);
    if (size == 0)
        return d;
    q = (number){q.re * s, q.im * s};
    double norm = q.re * q.re + q.im * q.im;
    number quotient = knr_times((number){bc.re * s, bc.im * s}, (number){q.re / norm, -q.im / norm});
    return minus(d, quotient);
}

static void single_step(const work *w, int64_t first, int64_t last, int round)
{
    const knr_doubles *h = w->h;
    number shift;
    if (round && round % 10 == 0) {
        int64_t k = round % 20 == 10 ? first : last, below = round % 20 == 10 ? first + 1 : last;
        shift = at(h, k, k);
        shift.re += 0.75 * size(h, below, below - 1);
    } else
        shift = shift_of(h, last);
    int64_t m = last - 1;
    number x, y;
    for (;; m--) {
        x = minus(at(h, m, m), shift);
        y = at(h, m + 1, m);
        if (m == first)
            break;
        double s = fabs(x.re) + fabs(x.im) + fabs(y.re) + fabs(y.im);
        double u = (fabs(x.re) + fabs(x.im)) / s, v = (fabs(y.re) + fabs(y.im)) / s;
        if (size(h, m, m - 1) * v <= w->epsilon * u * (size(h, m, m) + size(h, m + 1, m + 1)))
            break;
    }
    for (int64_t k = m; k < last; k++) {
        if (k > m) {
            x = at(h, k, k - 1);
            y = at(h, k + 1, k - 1);
        }
        double v_re[2] = {x.re, y.re}, v_im[2] = {x.im, y.im}, beta;
        number tau = knr_reflection(2, v_re, v_im, &beta), v = {v_re[1], v_im[1]}, left = conjugate(tau);
        if (k > m) {
            put(h, k, k - 1, (number){beta, 0});
            put(h, k + 1, k - 1, (number){0, 0});
        } else if (m > first) /* the reflection's first element is 1 - conj(tau); the other one is nothing */
            put(h, k, k - 1, knr_times(at(h, k, k - 1), (number){1 - left.re, -left.im}));
        for (int64_t j = k; j < w->n; j++) {
            number a = at(h, k, j), b = at(h, k + 1, j), s = knr_times(left, plus(a, knr_times(conjugate(v), b)));
            put(h, k, j, minus(a, s));
            put(h, k + 1, j, minus(b, knr_times(s, v)));
        }
        int64_t end = k + 2 < last ? k + 3 : last + 1;
        for (int64_t i = 0; i < end; i++) {
            number a = at(h, i, k), b = at(h, i, k + 1), s = knr_times(tau, plus(a, knr_times(b, v)));
            put(h, i, k, minus(a, s));
            put(h, i, k + 1, minus(b, knr_times(s, conjugate(v))));
        }
        for (int64_t i = 0; i < w->z_rows; i++) {
            number a = at(w->z, k, i), b = at(w->z, k + 1, i), s = knr_times(tau, plus(a, knr_times(b, v)));
            put(w->z, k, i, minus(a, s));
            put(w->z, k + 1, i, minus(b, knr_times(s, conjugate(v))));
        }
    }
}

bool knr_francis(const knr_doubles *h, int64_t n, const knr_doubles *z, int64_t z_rows, double epsilon,
                 const knr_francis_room *many)
{
    work w = {h, z, n, z_rows, epsilon};
    int64_t last = n - 1, left = ROUNDS * (n > 10 ? n : 10);
    for (int round = 0; last > 0;) {
        int64_t first = first_row(&w, last), gone = 0;
        if (first == last || (!h->im && first == last - 1)) {
            if (first < last)
                knr_francis_standardize(&w, first);
            last = first - 1;
            round = 0;
            continue;
        }
        if (!left--)
            return false;
        bool stuck = round % 6 == 5;
        if (many && !stuck && knr_francis_sweep(&w, many, first, last, &gone)) {
            last -= gone;
            round = gone ? 0 : round + 1;
        } else if (h->im)
            single_step(&w, first, last, round++);
        else
            double_step(&w, first, last, stuck && many ? 10 * (round++ / 6 + 1) : round++);
    }
    return true;
}
