/* SPDX-License-Identifier: Apache-2.0
 * test_routine_eigen.c -- singular values, eigenvalues and Schur forms of single matrices, easy and hard ones: residuals
 * and orthogonality as LAPACK's own tests bound them, and the same bits for any number of threads and instruction
 * set. */
#include "host/routine/eigh.h"
#include "host/routine/isa.h"
#include "host/routine/schur.h"
#include "host/routine/svd.h"
#include "support/group.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BOUND = 30 /* LAPACK's thresholds of residuals over n epsilon */ };

typedef enum {
    RANDOM,
    GRADED,
    IDENTITY,
    ZERO,
    RANK_ONE,
    SECOND_DIFFERENCE,
    JORDAN,
    HILBERT,
    BLOCKS,
    CLUSTERED,
    WILKINSON,
    CYCLIC,
    HUGE_ONES,
    TINY_ONES,
    KINDS
} kind;

static uint64_t seed;
static double random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53 - 0.5;
}

static double element(kind k, int i, int j, int m, int n)
{
    double x = random_number();
    switch (k) {
    case RANDOM: return x;
    case GRADED: return x * pow(10, -12.0 * (i + j) / (m + n));
    case IDENTITY: return i == j;
    case ZERO: return 0;
    case RANK_ONE: return 1;
    case SECOND_DIFFERENCE: return i == j ? 2 : abs(i - j) == 1 ? -1 : 0;
    case JORDAN: return j == i + 1;
    case HILBERT: return 1.0 / (i + j + 1);
    case BLOCKS: return i / (m / 4 + 1) == j / (n / 4 + 1) ? x : 0;
    case CLUSTERED: return i == j ? 1 : 1e-9 * x;
    case WILKINSON: return i == j ? abs(i - m / 2) : abs(i - j) == 1;
    case CYCLIC: return (i + 1) % m == j;
    case HUGE_ONES: return ldexp(x, 900);
    case TINY_ONES: return ldexp(x, -900);
    case KINDS: break;
    }
    return 0;
}

/* Real parts in float64; of complex matrices imaginary parts are other random numbers, and conjugated. */
static double *matrix(kind k, int m, int n, bool complex, bool hermitian)
{
    int parts = complex ? 2 : 1;
    double *a = calloc((size_t)(m * n * parts) + 1, sizeof *a);
    seed = 88172645463325252u;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < parts; p++)
                a[(i * n + j) * parts + p] = p && k != RANDOM && k != GRADED ? 0 : element(k, i, j, m, n);
    for (int i = 0; hermitian && i < m; i++)
        for (int j = 0; j <= i; j++)
            for (int p = 0; p < parts; p++) {
                double *x = &a[(i * n + j) * parts + p];
                *x = i == j && p ? 0 : *x;
                a[(j * n + i) * parts + p] = p ? -*x : *x;
            }
    return a;
}

static double largest(const double *a, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = !(fabs(a[i]) <= most) ? fabs(a[i]) : most;
    return most;
}

typedef struct view {
    const double *at;
    int row, column, parts; /* strides in elements */
    bool conjugate;
} view;
static void get(const view *x, int i, int j, double *re, double *im)
{
    const double *at = x->at + (i * x->row + j * x->column) * x->parts;
    *re = at[0];
    *im = x->parts == 1 ? 0 : x->conjugate ? -at[1] : at[1];
}

/* The largest element of a b - c d diag(scale) where d is m x n (NULL: of a b - c diag(scale)). */
static double difference(view a, view b, int k, view c, const view *d, int l, const double *scale, int m, int n)
{
    double most = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum[2] = {0, 0}, x, y, u, v;
            for (int p = 0; p < k; p++) {
                get(&a, i, p, &x, &y), get(&b, p, j, &u, &v);
                sum[0] += x * u - y * v, sum[1] += x * v + y * u;
            }
            for (int p = 0; d && p < l; p++) {
                double s = scale ? scale[p] : 1;
                get(&c, i, p, &x, &y), get(d, p, j, &u, &v);
                sum[0] -= s * (x * u - y * v), sum[1] -= s * (x * v + y * u);
            }
            if (!d) {
                get(&c, i, j, &x, &y);
                sum[0] -= scale[j] * x, sum[1] -= scale[j] * y;
            }
            double now = fabs(sum[0]) + fabs(sum[1]);
            most = !(now <= most) ? now : most;
        }
    return most;
}

static view plain(const double *at, int columns, int parts) { return (view){at, columns, 1, parts, false}; }
static view adjoint(const double *at, int columns, int parts) { return (view){at, 1, columns, parts, true}; }

/* Columns of length 1 at right angles. */
static void check_orthogonal(const double *x, int rows, int columns, int parts)
{
    double *identity = calloc((size_t)(columns * columns * parts) + 1, 8), *ones = calloc((size_t)columns + 1, 8);
    for (int i = 0; i < columns; i++) {
        identity[(i * columns + i) * parts] = 1;
        ones[i] = 1;
    }
    double error = difference(adjoint(x, columns, parts), plain(x, columns, parts), rows,
                              plain(identity, columns, parts), NULL, 0, ones, columns, columns);
    assert_true(error <= BOUND * 0x1p-52 * (rows + 10));
    free(identity);
    free(ones);
}

static void *room_for(size_t bytes)
{
    void *at = aligned_alloc(64, (bytes + 64) / 64 * 64);
    memset(at, 0xff, bytes);
    return at;
}

static kn_dtype dtype_of(bool complex) { return complex ? KN_DT(C128) : KN_DT(F64); }

static double *numbers(int64_t count) { return calloc((size_t)count + 1, sizeof(double)); }

typedef struct factors {
    double *w, *u, *v;
    size_t bytes[3];
} factors;

static factors factors_of(int64_t w, int64_t u, int64_t v)
{
    return (factors){numbers(w), numbers(u), numbers(v), {(size_t)w * 8, (size_t)u * 8, (size_t)v * 8}};
}
static void free_factors(factors *f)
{
    free(f->w);
    free(f->u);
    free(f->v);
}
static void check_same(const factors *x, const factors *y)
{
    assert_memory_equal(x->w, y->w, x->bytes[0]);
    assert_memory_equal(x->u, y->u, x->bytes[1]);
    assert_memory_equal(x->v, y->v, x->bytes[2]);
}

/* --- the routines ----------------------------------------------------------------------------- */

static factors run_svd(const double *a, int m, int n, bool complex, int threads)
{
    int k = m < n ? m : n, parts = complex ? 2 : 1;
    factors f = factors_of(k, (int64_t)m * k * parts, (int64_t)k * n * parts);
    knr_svd s = {.dtype = dtype_of(complex), .m = m, .n = n, .vectors = true, .threads = threads};
    void *room = room_for(knr_svd_workspace(&s));
    assert_true(knr_svd_run(&s, a, f.w, f.u, f.v, room));
    free(room);
    return f;
}

static factors run_eigh(const double *a, int m, int n, bool complex, int threads)
{
    int parts = complex ? 2 : 1;
    factors f = factors_of(n, (int64_t)n * n * parts, 0);
    knr_eigh s = {.dtype = dtype_of(complex), .n = n, .lower = true, .vectors = true, .threads = threads};
    void *room = room_for(knr_eigh_workspace(&s));
    assert_int_equal(m, n);
    assert_true(knr_eigh_run(&s, a, f.w, f.u, room));
    free(room);
    return f;
}

static factors run_schur(const double *a, int m, int n, bool complex, int threads)
{
    int parts = complex ? 2 : 1;
    factors f = factors_of(0, (int64_t)n * n * parts, (int64_t)n * n * parts);
    void *room = room_for(knr_schur_workspace(dtype_of(complex), n, threads));
    assert_int_equal(m, n);
    assert_true(knr_schur_run(dtype_of(complex), n, a, f.u, f.v, room, threads));
    free(room);
    return f;
}

static factors run_eig(const double *a, int m, int n, bool complex, int threads)
{
    factors f = factors_of(2 * n, 2 * (int64_t)n * n, 2 * (int64_t)n * n);
    void *room = room_for(knr_eig_workspace(dtype_of(complex), n, threads));
    assert_int_equal(m, n);
    assert_true(knr_eig_run(dtype_of(complex), n, a, f.w, f.u, f.v, room, threads));
    free(room);
    return f;
}

typedef factors run(const double *a, int m, int n, bool complex, int threads);

/* --- residuals -------------------------------------------------------------------------------- */

static void check_svd(const double *a, int m, int n, bool complex, double bound)
{
    int k = m < n ? m : n, parts = complex ? 2 : 1;
    factors f = run_svd(a, m, n, complex, 1);
    view vh = plain(f.v, n, parts);
    double *scaled = numbers((int64_t)m * k * parts);
    for (int64_t i = 0; i < (int64_t)m * k * parts; i++)
        scaled[i] = f.u[i] * f.w[i / parts % k];
    for (int i = 0; i + 1 < k; i++)
        assert_true(f.w[i] >= f.w[i + 1]);
    /* u s vh - a 1 */
    double *ones = numbers(n);
    for (int j = 0; j < n; j++)
        ones[j] = 1;
    assert_true(difference(plain(scaled, k, parts), vh, k, plain(a, n, parts), NULL, 0, ones, m, n) <= bound);
    check_orthogonal(f.u, m, k, parts);
    double *v = numbers((int64_t)n * k * parts);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < parts; p++)
                v[(j * k + i) * parts + p] = f.v[(i * n + j) * parts + p];
    check_orthogonal(v, n, k, parts);
    free(v);
    free(ones);
    free(scaled);
    free_factors(&f);
}

static void check_eigh(const double *a, int n, bool complex, double bound)
{
    int parts = complex ? 2 : 1;
    factors f = run_eigh(a, n, n, complex, 1);
    view v = plain(f.u, n, parts);
    assert_true(difference(plain(a, n, parts), v, n, v, NULL, 0, f.w, n, n) <= bound);
    check_orthogonal(f.u, n, n, parts);
    for (int i = 0; i + 1 < n; i++)
        assert_true(f.w[i] <= f.w[i + 1]);
    free_factors(&f);
}

static void check_schur(const double *a, int n, bool complex, double bound)
{
    int parts = complex ? 2 : 1;
    factors f = run_schur(a, n, n, complex, 1);
    view t = plain(f.u, n, parts), z = plain(f.v, n, parts);
    assert_true(difference(plain(a, n, parts), z, n, z, &t, n, NULL, n, n) <= bound);
    check_orthogonal(f.v, n, n, parts);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i - !complex; j++)
            assert_true(f.u[(i * n + j) * parts] == 0);
    for (int i = 0; !complex && i + 2 < n; i++)
        assert_true(f.u[(i + 1) * n + i] == 0 || f.u[(i + 2) * n + i + 1] == 0);
    free_factors(&f);
}

static const int sizes[] = {1, 2, 17, 33, 70, 131};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Matrices that cost more are random. */
static bool is_wanted(kind k, int n, bool complex) { return k == RANDOM || (complex ? n <= 33 : n <= 131); }

static void hard_matrices(void **state)
{
    (void)state;
    for (kind k = RANDOM; k < KINDS; k++)
        for (int s = 0; s < SIZES; s++)
            for (int complex = 0; complex < 2; complex++) {
                int n = sizes[s], parts = complex + 1;
                if (!is_wanted(k, n, complex))
                    continue;
                double *a = matrix(k, n, n, complex, true), least = BOUND * 0x1p-52 * (n + 10) * n;
                check_eigh(a, n, complex, least * largest(a, (int64_t)n * n * parts));
                free(a);
                a = matrix(k, n, n, complex, false);
                double bound = least * largest(a, (int64_t)n * n * parts);
                check_schur(a, n, complex, bound);
                check_svd(a, n, n, complex, bound);
                free(a);
            }
}

static void tall_and_wide_matrices(void **state)
{
    static const int shapes[][2] = {{90, 30}, {30, 90}, {70, 60}, {60, 70}, {300, 40}, {1, 9}, {9, 1}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int complex = 0; complex < 2; complex++)
            for (kind k = RANDOM; k < IDENTITY; k++) {
                int m = shapes[s][0], n = shapes[s][1];
                double *a = matrix(k, m, n, complex, false);
                check_svd(a, m, n, complex, BOUND * 0x1p-52 * (m + n) * largest(a, (int64_t)m * n * (complex + 1)));
                free(a);
            }
}

/* A block large enough for windows, chains of bulges and parts on threads. */
static void large_matrices(void **state)
{
    (void)state;
    int n = 270;
    double *a = matrix(RANDOM, n, n, false, true), bound = BOUND * 0x1p-52 * n * sqrt(n);
    check_eigh(a, n, false, bound);
    check_svd(a, n, n, false, bound);
    free(a);
    a = matrix(RANDOM, n, n, false, false);
    check_schur(a, n, false, bound);
    free(a);
}

static void the_same_bits(void **state)
{
    static run *const runs[] = {run_svd, run_eigh, run_schur, run_eig};
    (void)state;
    for (int r = 0; r < 4; r++)
        for (int complex = 0; complex < 2; complex++) {
            int n = complex ? 70 : r == 1 ? 270 : 131;
            double *a = matrix(RANDOM, n, n, complex, r == 1);
            knr_isa_limit(KNR_ISA_AVX512);
            factors one = runs[r](a, n, n, complex, 1);
            for (int threads = 1; threads <= 3; threads++)
                for (int isa = threads == 1 ? KNR_ISA_BASE : KNR_ISA_AVX512; isa <= KNR_ISA_AVX512; isa++) {
                    knr_isa_limit((knr_isa_kind)isa);
                    factors other = runs[r](a, n, n, complex, threads);
                    check_same(&one, &other);
                    free_factors(&other);
                }
            free_factors(&one);
            free(a);
        }
}

static int widest(void **state)
{
    (void)state;
    knr_isa_limit(KNR_ISA_AVX512);
    return 0;
}

KN_TEST_GROUP(test_routine_eigen)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_matrices),
        cmocka_unit_test(tall_and_wide_matrices),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test_teardown(the_same_bits, widest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
