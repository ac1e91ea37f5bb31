/* SPDX-License-Identifier: Apache-2.0
 * lapack.c -- matrices to try factorisations on, and plain arithmetic to judge them with. */
#include "support/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory: a list of all that was taken. */

typedef struct taken {
    struct taken *next;
} taken;
static taken *all;

static void *take(size_t count)
{
    taken *t = calloc(1, sizeof *t + (count ? count : 1) * sizeof(double));
    if (!t)
        abort();
    t->next = all;
    all = t;
    return t + 1;
}

void lapack_forget(void)
{
    while (all) {
        taken *next = all->next;
        free(all);
        all = next;
    }
}

lapack_matrix lapack_zeros(int64_t m, int64_t n, bool complex)
{
    size_t count = (size_t)m * (size_t)n;
    return (lapack_matrix){m, n, take(count), complex ? take(count) : NULL};
}

/* ---- From arrays and to them. */

lapack_matrix lapack_take(kn_array x)
{
    int64_t m = kn_ndim(x) < 1 ? 1 : kn_dim(x, 0), n = kn_ndim(x) < 2 ? 1 : kn_dim(x, 1);
    lapack_matrix y = lapack_zeros(m, n, kn_iscomplexobj(x));
    kn_array re = kn_astype(kn_real(x), KN_F64), im = y.im ? kn_astype(kn_imag(x), KN_F64) : NULL;
    kn_copy_to(re, y.re, (size_t)(m * n) * sizeof *y.re);
    if (y.im)
        kn_copy_to(im, y.im, (size_t)(m * n) * sizeof *y.im);
    return y;
}

kn_array lapack_stack(int count, const lapack_matrix *x, kn_dtype d)
{
    int64_t size = x->m * x->n;
    lapack_matrix room = lapack_zeros(count, size, x->im);
    for (int k = 0; k < count && size; k++) {
        memcpy(room.re + k * size, x[k].re, (size_t)size * sizeof *room.re);
        if (x->im)
            memcpy(room.im + k * size, x[k].im, (size_t)size * sizeof *room.im);
    }
    kn_shape shape = KN_SHAPE(count, x->m, x->n);
    kn_array y = kn_from(room.re, shape);
    if (x->im)
        y = (kn_lax_complex)(y, kn_from(room.im, shape));
    return kn_astype(y, d);
}

kn_array lapack_give(const lapack_matrix *x, kn_dtype d)
{
    return kn_reshape(lapack_stack(1, x, d), KN_SHAPE(x->m, x->n));
}

/* ---- Arithmetic. */

static void add_product(int64_t m, int64_t k, int64_t n, const double *a, const double *b, double *c, double sign)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t l = 0; l < k; l++) {
            double v = sign * a[i * k + l];
            for (int64_t j = 0; j < n && v != 0; j++)
                c[i * n + j] += v * b[l * n + j];
        }
}

lapack_matrix lapack_times(lapack_matrix a, lapack_matrix b)
{
    lapack_matrix c = lapack_zeros(a.m, b.n, a.im || b.im);
    add_product(a.m, a.n, b.n, a.re, b.re, c.re, 1);
    if (a.im && b.im)
        add_product(a.m, a.n, b.n, a.im, b.im, c.re, -1);
    if (b.im)
        add_product(a.m, a.n, b.n, a.re, b.im, c.im, 1);
    if (a.im)
        add_product(a.m, a.n, b.n, a.im, b.re, c.im, 1);
    return c;
}

lapack_matrix lapack_adjoint(lapack_matrix a)
{
    lapack_matrix y = lapack_zeros(a.n, a.m, a.im);
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; j < a.n; j++) {
            y.re[j * a.m + i] = a.re[i * a.n + j];
            if (a.im)
                y.im[j * a.m + i] = -a.im[i * a.n + j];
        }
    return y;
}

lapack_matrix lapack_minus(lapack_matrix a, lapack_matrix b)
{
    lapack_matrix y = lapack_zeros(a.m, a.n, a.im || b.im);
    for (int64_t i = 0; i < a.m * a.n; i++) {
        y.re[i] = a.re[i] - b.re[i];
        if (y.im)
            y.im[i] = (a.im ? a.im[i] : 0) - (b.im ? b.im[i] : 0);
    }
    return y;
}

/* The elements that `wanted` says yes to, of the first m rows and n columns; `one`: ones on the diagonal. */
static lapack_matrix chosen(lapack_matrix a, int64_t m, int64_t n, bool upper, bool all_of_it, int64_t k, bool one)
{
    lapack_matrix y = lapack_zeros(m, n, a.im);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            bool in = all_of_it || (upper ? j - i >= k : j - i <= k);
            bool unit = one && i == j;
            y.re[i * n + j] = unit ? 1 : in ? a.re[i * a.n + j] : 0;
            if (a.im)
                y.im[i * n + j] = in && !unit ? a.im[i * a.n + j] : 0;
        }
    return y;
}
lapack_matrix lapack_part(lapack_matrix a, int64_t m, int64_t n) { return chosen(a, m, n, false, true, 0, false); }
lapack_matrix lapack_triangle(lapack_matrix a, bool upper, int64_t k, bool unit)
{
    return chosen(a, a.m, a.n, upper, false, k, unit);
}

lapack_matrix lapack_rows(lapack_matrix a, kn_array order)
{
    lapack_matrix at = lapack_take(order), y = lapack_zeros(a.m, a.n, a.im);
    for (int64_t i = 0; i < a.m; i++) {
        int64_t from = (int64_t)at.re[i];
        if (from < 0 || from >= a.m) /* no permutation: what is judged then is 0 */
            continue;
        memcpy(y.re + i * a.n, a.re + from * a.n, (size_t)a.n * sizeof *a.re);
        if (a.im)
            memcpy(y.im + i * a.n, a.im + from * a.n, (size_t)a.n * sizeof *a.im);
    }
    return y;
}

lapack_matrix lapack_columns_times(lapack_matrix a, lapack_matrix v)
{
    lapack_matrix y = lapack_zeros(a.m, a.n, a.im || v.im);
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; j < a.n; j++) {
            double p = a.re[i * a.n + j], q = a.im ? a.im[i * a.n + j] : 0, r = v.re[j], s = v.im ? v.im[j] : 0;
            y.re[i * a.n + j] = p * r - q * s;
            if (y.im)
                y.im[i * a.n + j] = p * s + q * r;
        }
    return y;
}

lapack_matrix lapack_scaled(lapack_matrix a, int exponent)
{
    lapack_matrix y = chosen(a, a.m, a.n, false, true, 0, false);
    for (int64_t i = 0; i < a.m * a.n; i++) {
        y.re[i] = ldexp(y.re[i], exponent);
        if (y.im)
            y.im[i] = ldexp(y.im[i], exponent);
    }
    return y;
}

static double size_of(lapack_matrix a, int64_t i) { return a.im ? hypot(a.re[i], a.im[i]) : fabs(a.re[i]); }

double lapack_norm(lapack_matrix a)
{
    double most = 0;
    for (int64_t j = 0; j < a.n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < a.m; i++)
            sum += size_of(a, i * a.n + j);
        most = sum > most || isnan(sum) ? sum : most;
    }
    return most;
}

int lapack_exponent(lapack_matrix a)
{
    double most = 0;
    int exponent = 0;
    for (int64_t i = 0; i < a.m * a.n; i++)
        most = fmax(most, fmax(fabs(a.re[i]), a.im ? fabs(a.im[i]) : 0));
    if (most > 0 && most < INFINITY)
        frexp(most, &exponent);
    return -exponent / 2 * 2;
}

/* ---- Ratios. */

static bool is_narrow(kn_dtype d) { return d == KN_F32 || d == KN_C64; }
double lapack_epsilon(kn_dtype d) { return is_narrow(d) ? 0x1p-24 : 0x1p-53; }

double lapack_ratio(lapack_matrix x, lapack_matrix y, lapack_matrix a, int64_t n, int exponent, kn_dtype d)
{
    double least = ldexp(1, (is_narrow(d) ? -149 : -1074) + exponent); /* what numbers are rounded to at the least */
    double off = lapack_norm(lapack_minus(x, y)), allowed = lapack_norm(a) * lapack_epsilon(d) + least * (double)x.m;
    return off == 0 ? 0 : off / ((double)(n > 1 ? n : 1) * allowed);
}

double lapack_orthogonality(lapack_matrix q, kn_dtype d)
{
    lapack_matrix p = lapack_times(lapack_adjoint(q), q), one = lapack_zeros(q.n, q.n, false);
    for (int64_t i = 0; i < q.n; i++)
        one.re[i * q.n + i] = 1;
    return lapack_norm(lapack_minus(p, one)) / ((double)(q.m > 1 ? q.m : 1) * lapack_epsilon(d));
}

/* ---- Matrices. */

static const char *const names[LAPACK_KINDS] = {"random",
                                                "identity",
                                                "diagonal",
                                                "upper triangular",
                                                "lower triangular",
                                                "poor condition",
                                                "nearly singular",
                                                "graded",
                                                "one small value",
                                                "clustered",
                                                "repeated",
                                                "graded rows",
                                                "graded columns",
                                                "Jordan block",
                                                "turned Jordan blocks",
                                                "cycle",
                                                "small",
                                                "subnormal",
                                                "huge",
                                                "rank deficient",
                                                "zero",
                                                "ones",
                                                "a zero column",
                                                "Hilbert's"};
const char *lapack_kind_name(int kind) { return names[kind]; }

static uint64_t state;
static double uniform(void) /* -1 ... 1 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}
static void fill(lapack_matrix a)
{
    for (int64_t i = 0; i < a.m * a.n; i++) {
        a.re[i] = uniform();
        if (a.im)
            a.im[i] = uniform();
    }
}

/* a = (I - 2 v v^H / v^H v) a for a random v: a rotation and a reflection. */
static lapack_matrix turned(lapack_matrix a)
{
    lapack_matrix v = lapack_zeros(a.m, 1, a.im);
    fill(v);
    double norm = 0;
    for (int64_t i = 0; i < a.m; i++)
        norm += v.re[i] * v.re[i] + (v.im ? v.im[i] * v.im[i] : 0);
    lapack_matrix inside = lapack_times(lapack_adjoint(v), a);
    for (int64_t j = 0; j < a.n; j++) {
        inside.re[j] *= 2 / norm;
        if (inside.im)
            inside.im[j] *= 2 / norm;
    }
    return lapack_minus(a, lapack_times(v, inside));
}
/* q a p^H with random unitary q and p (q once more if `same`), each a product of some reflections */
static lapack_matrix scrambled(lapack_matrix a, bool same)
{
    enum { REFLECTIONS = 4 };
    uint64_t first = state;
    for (int i = 0; i < REFLECTIONS && a.m; i++)
        a = turned(a);
    if (same)
        state = first;
    a = lapack_adjoint(a);
    for (int i = 0; i < REFLECTIONS && a.m; i++)
        a = turned(a);
    return lapack_adjoint(a);
}

/* Singular value number i of k. */
static double value(int kind, int64_t i, int64_t k, kn_dtype d)
{
    double eps = lapack_epsilon(d), at = k > 1 ? (double)i / (double)(k - 1) : 0;
    switch (kind) {
    case LAPACK_POOR: return pow(sqrt(10 * eps), at);
    case LAPACK_NEARLY_SINGULAR: return 1 - at * (1 - 10 * eps);
    case LAPACK_GRADED: return pow(10 * eps, at);
    case LAPACK_ONE_SMALL: return i == k - 1 && k > 1 ? 100 * eps : 1;
    case LAPACK_CLUSTERED: return 1 + (double)i * eps;
    case LAPACK_REPEATED: return (double)(1 + i / 3);
    case LAPACK_DEFICIENT: return i < (k + 1) / 2 ? 1 + at : 0;
    default: return 1 + at; /* well conditioned */
    }
}
static bool by_values(int kind)
{
    return (kind >= LAPACK_POOR && kind <= LAPACK_REPEATED) || (kind >= LAPACK_SMALL && kind <= LAPACK_DEFICIENT);
}

/* A matrix of numbers near 1, of the kinds that are about the range of numbers. */
static lapack_matrix in_range(int kind, lapack_matrix a, kn_dtype d)
{
    bool narrow = is_narrow(d);
    switch (kind) {
    case LAPACK_SMALL: return lapack_scaled(a, narrow ? -120 : -1015);
    case LAPACK_SUBNORMAL: return lapack_scaled(a, narrow ? -131 : -1028);
    case LAPACK_HUGE: return lapack_scaled(a, narrow ? 112 : 1006);
    default: return a;
    }
}

static lapack_matrix rounded(lapack_matrix a, kn_dtype d)
{
    for (int64_t i = 0; i < a.m * a.n && is_narrow(d); i++) {
        a.re[i] = (double)(float)a.re[i];
        if (a.im)
            a.im[i] = (double)(float)a.im[i];
    }
    return a;
}

/* Element (i, j) of the kinds that are no more than that. */
static double element(int kind, int64_t i, int64_t j, int64_t n)
{
    switch (kind) {
    case LAPACK_IDENTITY: return i == j;
    case LAPACK_ONES: return 1;
    case LAPACK_HILBERT: return 1 / (double)(i + j + 1);
    case LAPACK_DEFECTIVE: return i == j ? 2 : j == i + 1;
    case LAPACK_DEFECTIVE_TURNED: return i == j ? 2 - (double)(i / 4) : j == i + 1 && j % 4;
    case LAPACK_CYCLE: return (i + 1) % n == j;
    default: return 0;
    }
}

static lapack_matrix graded(lapack_matrix a, bool rows, bool columns)
{
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; j < a.n; j++) {
            int by = (rows ? -(int)(20 * i / a.m) : 0) + (columns ? -(int)(20 * j / a.n) : 0);
            a.re[i * a.n + j] = ldexp(a.re[i * a.n + j], by);
            if (a.im)
                a.im[i * a.n + j] = ldexp(a.im[i * a.n + j], by);
        }
    return a;
}

lapack_matrix lapack_general(int kind, int64_t m, int64_t n, kn_dtype d, uint64_t seed)
{
    lapack_matrix a = lapack_zeros(m, n, d == KN_C64 || d == KN_C128);
    state = seed * 0x2545f4914f6cdd1du + (uint64_t)kind;
    if (by_values(kind)) {
        int64_t k = m < n ? m : n;
        for (int64_t i = 0; i < k; i++)
            a.re[i * n + i] = value(kind, i, k, d);
        return rounded(in_range(kind, scrambled(a, false), d), d);
    }
    if (kind == LAPACK_RANDOM || kind == LAPACK_UPPER || kind == LAPACK_LOWER || kind == LAPACK_ROWS_GRADED ||
        kind == LAPACK_COLUMNS_GRADED || kind == LAPACK_DIAGONAL || kind == LAPACK_ZERO_COLUMN)
        fill(a);
    else
        for (int64_t i = 0; i < m * n; i++)
            a.re[i] = element(kind, i / n, i % n, n);
    if (kind == LAPACK_UPPER || kind == LAPACK_DIAGONAL)
        a = lapack_triangle(a, true, 0, false);
    if (kind == LAPACK_LOWER || kind == LAPACK_DIAGONAL)
        a = lapack_triangle(a, false, 0, false);
    if (kind == LAPACK_DEFECTIVE_TURNED && m == n)
        a = scrambled(a, true);
    for (int64_t i = 0; kind == LAPACK_ZERO_COLUMN && i < m; i++) {
        a.re[i * n + n / 2] = 0;
        if (a.im)
            a.im[i * n + n / 2] = 0;
    }
    return rounded(graded(a, kind == LAPACK_ROWS_GRADED, kind == LAPACK_COLUMNS_GRADED), d);
}

/* (a + a^H) / 2 */
static lapack_matrix symmetrised(lapack_matrix a)
{
    lapack_matrix h = lapack_scaled(lapack_adjoint(a), -1), y = lapack_scaled(a, -1);
    for (int64_t i = 0; i < a.m * a.n; i++) {
        y.re[i] += h.re[i];
        if (y.im)
            y.im[i] += h.im[i];
    }
    return y;
}

static lapack_matrix with_eigenvalues(int kind, int64_t n, kn_dtype d, bool signs)
{
    lapack_matrix a = lapack_zeros(n, n, d == KN_C64 || d == KN_C128);
    for (int64_t i = 0; i < n; i++)
        a.re[i * n + i] = value(kind, i, n, d) * (signs && i % 2 ? -1 : 1);
    return rounded(in_range(kind, symmetrised(scrambled(a, true)), d), d);
}

lapack_matrix lapack_hermitian(int kind, int64_t n, kn_dtype d, uint64_t seed)
{
    if (by_values(kind)) {
        state = seed * 0x2545f4914f6cdd1du + (uint64_t)kind;
        return with_eigenvalues(kind, n, d, kind != LAPACK_CLUSTERED);
    }
    lapack_matrix a = lapack_general(kind, n, n, d, seed);
    if (kind == LAPACK_ROWS_GRADED || kind == LAPACK_COLUMNS_GRADED)
        a = graded(a, true, true);
    return rounded(symmetrised(a), d);
}

lapack_matrix lapack_definite(int kind, int64_t n, kn_dtype d, uint64_t seed)
{
    if (kind >= LAPACK_DEFICIENT || (!by_values(kind) && kind != LAPACK_IDENTITY && kind != LAPACK_RANDOM))
        return (lapack_matrix){.m = -1};
    if (kind == LAPACK_NEARLY_SINGULAR || kind == LAPACK_GRADED || kind == LAPACK_ONE_SMALL)
        kind = LAPACK_POOR; /* rounding of their elements alone makes them indefinite */
    state = seed * 0x2545f4914f6cdd1du + (uint64_t)kind;
    return with_eigenvalues(kind, n, d, false);
}
