/* SPDX-License-Identifier: Apache-2.0
 * test_routine_linalg.c -- factorisations and triangular systems against docs/determinism.md, written out plainly: the
 * same bits for every size, instruction set and layout. */
#include "host/routine/isa.h"
#include "host/routine/linalg.h"
#include "support/group.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NARROW_STEPS = 512, NARROW_CHOLESKY = 256, PANEL = 64, WIDE_PANEL = 128, MOST = 300 };
typedef struct number {
    double re, im;
} number;

/* Numbers of a dtype are kept in doubles: those of float32 are rounded after every step. */
static bool narrow, complex_numbers;
static double near(double v)
{
    volatile float rounded = (float)v; /* gcc 12 loses the rounding where it vectorises pairs of these */
    return narrow ? (double)rounded : v;
}
static double fma_of(double a, double b, double c)
{
    return narrow ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}
static number conjugate(number x) { return (number){x.re, -x.im}; }

static number step(number l, number r, number v, double sign)
{
    v.re = fma_of(sign * l.re, r.re, v.re);
    if (!complex_numbers)
        return v;
    v.re = fma_of(-sign * l.im, r.im, v.re);
    v.im = fma_of(sign * l.re, r.im, v.im);
    v.im = fma_of(sign * l.im, r.re, v.im);
    return v;
}

/* Columns of a panel where there are so many steps. */
static int64_t panel_of(int64_t steps, int64_t narrow_steps)
{
    return complex_numbers || steps <= narrow_steps ? PANEL : WIDE_PANEL;
}

/* The chain; left[k * ls], right[k * rs]. from_end: products take the steps of a panel from its end. */
static number chain(number v, const number *left, int64_t ls, bool conj_left, const number *right, int64_t rs,
                    int64_t n, int64_t panel, bool from_end)
{
    int64_t k = 0;
    for (; k + panel <= n; k += panel) {
        number acc = {0, 0};
        for (int64_t i = 0; i < panel; i++) {
            int64_t at = from_end ? k + panel - 1 - i : k + i;
            number l = left[at * ls];
            acc = step(conj_left ? conjugate(l) : l, right[at * rs], acc, 1);
        }
        v = (number){near(v.re - acc.re), near(v.im - acc.im)};
    }
    for (; k < n; k++) {
        number l = left[k * ls];
        v = step(conj_left ? conjugate(l) : l, right[k * rs], v, -1);
    }
    return v;
}

static number quotient(number x, number d)
{
    if (!complex_numbers)
        return (number){near(x.re / d.re), 0};
    if (d.re == 0 && d.im == 0)
        return (number){near(x.re / 0.0), near(x.im / 0.0)};
    bool by_re = fabs(d.im) <= fabs(d.re);
    double big = by_re ? d.re : d.im, small = by_re ? d.im : d.re, ratio = near(small / big);
    double scale = near(1 / near(big + near(small * ratio))), a = near(x.re * ratio), b = near(x.im * ratio);
    double re = by_re ? near(x.re + b) : near(a + x.im), im = by_re ? near(x.im - a) : near(b - x.re);
    return (number){near(re * scale), near(im * scale)};
}

static bool plain_cholesky(int64_t n, const number *a, number *l)
{
    memset(l, 0, (size_t)(n * n) * sizeof *l);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            number v = chain(a[i * n + j], l + j * n, 1, true, l + i * n, 1, j, panel_of(n, NARROW_CHOLESKY), false);
            if (i == j && v.re <= 0)
                return false;
            double d = l[j * n + j].re;
            l[i * n + j] = i == j ? (number){near(sqrt(v.re)), 0} : (number){near(v.re / d), near(v.im / d)};
        }
    return true;
}

static void plain_lu(int64_t m, int64_t n, const number *a, number *lu, int32_t *pivots)
{
    memcpy(lu, a, (size_t)(m * n) * sizeof *lu);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) /* rows above j are U's already */
            lu[i * n + j] = chain(lu[i * n + j], lu + i * n, 1, false, lu + j, n, i < j ? i : j,
                                  panel_of(m < n ? m : n, NARROW_STEPS), false);
        if (j >= m)
            continue;
        int64_t at = j;
        double most = near(fabs(lu[j * n + j].re) + fabs(lu[j * n + j].im));
        for (int64_t i = j + 1; i < m; i++) {
            double size = near(fabs(lu[i * n + j].re) + fabs(lu[i * n + j].im));
            if (size > most) {
                most = size;
                at = i;
            }
        }
        pivots[j] = (int32_t)at;
        for (int64_t c = 0; c < n && at != j; c++) {
            number t = lu[j * n + c];
            lu[j * n + c] = lu[at * n + c];
            lu[at * n + c] = t;
        }
        number d = lu[j * n + j];
        for (int64_t i = j + 1; i < m && (d.re != 0 || d.im != 0); i++)
            lu[i * n + j] = quotient(lu[i * n + j], d);
    }
}

/* t x = b for the lower triangle t. */
static void plain_lower(int64_t m, int64_t n, const number *t, bool unit, bool from_end, number *x)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            number v = chain(x[i * n + j], t + i * m, 1, false, x + j, n, i, panel_of(m, NARROW_STEPS), from_end);
            x[i * n + j] = unit ? v : quotient(v, t[i * m + i]);
        }
}

static void plain_solve(const knr_triangular *s, const number *a, const number *b, number *x)
{
    int64_t m = s->m, n = s->n;
    number *t = calloc((size_t)(m * m) + 1, sizeof *t), *y = calloc((size_t)(m * n) + 1, sizeof *y);
    bool turned = s->transpose_a == s->left_side, lower = s->lower != turned;
    for (int64_t i = 0; i < m; i++) {
        int64_t r = lower ? i : m - 1 - i;
        for (int64_t k = 0; k < m; k++) {
            int64_t c = lower ? k : m - 1 - k;
            t[i * m + k] = turned ? a[c * m + r] : a[r * m + c];
        }
        for (int64_t j = 0; j < n; j++) {
            y[i * n + j] = s->left_side ? b[r * n + j] : b[j * m + r];
            if (s->conjugate_a)
                y[i * n + j] = conjugate(y[i * n + j]);
        }
    }
    plain_lower(m, n, t, s->unit_diagonal, !lower, y);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t r = lower ? i : m - 1 - i;
            x[s->left_side ? r * n + j : j * m + r] = s->conjugate_a ? conjugate(y[i * n + j]) : y[i * n + j];
        }
    free(t);
    free(y);
}

/* --- in the dtype ----------------------------------------------------------------------------- */

static void store(kn_dtype d, const number *x, int64_t n, void *to)
{
    for (int64_t i = 0; i < n; i++) {
        if (d == KN_DT(F32))
            ((float *)to)[i] = (float)x[i].re;
        else if (d == KN_DT(F64))
            ((double *)to)[i] = x[i].re;
        else if (d == KN_DT(C64))
            ((kn_c64 *)to)[i] = (kn_c64){(float)x[i].re, (float)x[i].im};
        else
            ((kn_c128 *)to)[i] = (kn_c128){x[i].re, x[i].im};
    }
}

static void *stored(kn_dtype d, const number *x, int64_t n)
{
    void *p = calloc((size_t)n + 1, d->size);
    assert_non_null(p);
    store(d, x, n, p);
    return p;
}

static void *room_for(size_t bytes)
{
    void *p = aligned_alloc(64, ((bytes + 63) & ~(size_t)63) + 64);
    assert_non_null(p);
    memset(p, 0xff, bytes); /* NaN */
    return p;
}

static uint64_t state_of_random;
static double random_number(void)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return near((double)(int64_t)(state_of_random >> 11) * 0x1p-52 - 1);
}

static number *random_numbers(int64_t n)
{
    number *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        x[i].re = random_number();
        x[i].im = complex_numbers ? random_number() : 0;
    }
    return x;
}

static void same(const char *what, kn_dtype d, int64_t m, int64_t n, const void *got, const number *want)
{
    char *bytes = stored(d, want, m * n);
    for (int64_t i = 0; i < m * n; i++)
        if (memcmp((const char *)got + (size_t)i * d->size, bytes + (size_t)i * d->size, d->size) != 0)
            fail_msg("%s %s %lldx%lld: element %lld,%lld differs (instruction set %d)", what, d->name, (long long)m,
                     (long long)n, (long long)(i / n), (long long)(i % n), (int)knr_isa());
    free(bytes);
}

static const kn_dtype dtypes[] = {KN_DT(F64), KN_DT(F32), KN_DT(C128), KN_DT(C64)};
static const knr_isa_kind isas[] = {KNR_ISA_BASE, KNR_ISA_AVX2, KNR_ISA_AVX512};
static const int64_t sizes[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 70, 97, 130};
#define N_SIZES ((int)(sizeof sizes / sizeof *sizes))

static void set_dtype(kn_dtype d)
{
    narrow = knx_component(d) == KN_DT(F32);
    complex_numbers = knx_is_complex(d);
}

static void cholesky_of(kn_dtype d, int64_t n)
{
    number *a = random_numbers(n * n), *want = calloc((size_t)(n * n) + 1, sizeof *want);
    for (int64_t i = 0; i < n; i++)
        a[i * n + i].re += (double)n;
    for (int64_t i = 0; i < n * n; i++)
        a[i].re = near(a[i].re);
    assert_true(plain_cholesky(n, a, want));
    void *x = stored(d, a, n * n), *l = room_for((size_t)(n * n) * d->size);
    for (int i = 0; i < 3; i++) {
        int threads = 1 + i;
        knr_isa_limit(isas[i]);
        void *w = room_for(knr_cholesky_workspace(d, n, threads));
        assert_true(knr_cholesky(d, n, x, l, w, threads));
        same("cholesky", d, n, n, l, want);
        free(w);
    }
    free(a), free(want), free(x), free(l);
}

static void lu_of(kn_dtype d, int64_t m, int64_t n)
{
    int64_t least = m < n ? m : n;
    number *a = random_numbers(m * n), *want = calloc((size_t)(m * n) + 1, sizeof *want);
    int32_t *pivots = calloc((size_t)least + 1, sizeof *pivots), *p = calloc((size_t)least + 1, sizeof *p);
    int32_t *permutation = calloc((size_t)m + 1, sizeof *permutation);
    plain_lu(m, n, a, want, pivots);
    void *x = stored(d, a, m * n), *lu = room_for((size_t)(m * n) * d->size);
    for (int i = 0; i < 3; i++) {
        int threads = 1 + i;
        knr_isa_limit(isas[i]);
        void *w = room_for(knr_lu_workspace(d, m, n, threads));
        assert_true(knr_lu(d, m, n, x, lu, p, permutation, w, threads));
        same("lu", d, m, n, lu, want);
        assert_memory_equal(p, pivots, (size_t)least * sizeof *p);
        free(w);
    }
    int64_t sum = 0;
    for (int64_t i = 0; i < m; i++)
        sum += permutation[i];
    assert_int_equal(sum, m * (m - 1) / 2);
    free(a), free(want), free(x), free(lu), free(pivots), free(p), free(permutation);
}

static void solve_of(kn_dtype d, int64_t m, int64_t n, unsigned how)
{
    knr_triangular s = {d, m, n, how & 1, how & 2, how & 4, how & 8, how & 16};
    number *a = random_numbers(m * m), *b = random_numbers(m * n), *want = calloc((size_t)(m * n) + 1, sizeof *want);
    for (int64_t i = 0; i < m * m; i++) /* small beside the diagonal, or solutions grow without bounds */
        a[i] = i % (m + 1) ? (number){near(a[i].re / 16), near(a[i].im / 16)} : (number){near(a[i].re + 2), a[i].im};
    plain_solve(&s, a, b, want);
    void *x = stored(d, a, m * m), *y = stored(d, b, m * n), *z = room_for((size_t)(m * n) * d->size);
    for (int i = 0; i < 3; i++) {
        int threads = 1 + i;
        knr_isa_limit(isas[i]);
        void *w = room_for(knr_triangular_workspace(&s, threads));
        knr_triangular_run(&s, x, y, z, w, threads);
        same("triangular_solve", d, s.left_side ? m : n, s.left_side ? n : m, z, want);
        free(w);
    }
    free(a), free(b), free(want), free(x), free(y), free(z);
}

/* Columns of the systems with both factors, at their places. */
static void plain_inverse(int64_t n, const number *lu, const int32_t *permutation, number *want)
{
    knr_triangular l = {.m = n, .n = n, .left_side = true, .lower = true, .unit_diagonal = true}, u = l;
    number *one = calloc((size_t)(n * n) + 1, sizeof *one), *y = calloc((size_t)(n * n) + 1, sizeof *y);
    for (int64_t i = 0; i < n; i++)
        one[i * n + i].re = 1;
    u.lower = u.unit_diagonal = false;
    plain_solve(&l, lu, one, y);
    plain_solve(&u, lu, y, one);
    for (int64_t i = 0; i < n * n; i++)
        want[i / n * n + permutation[i % n]] = one[i];
    free(one);
    free(y);
}

static void inverse_of(kn_dtype d, int64_t n)
{
    number *a = random_numbers(n * n), *want = calloc((size_t)(n * n) + 1, sizeof *want);
    int32_t *pivots = calloc((size_t)n + 1, sizeof *pivots), *permutation = calloc((size_t)n + 1, sizeof *pivots);
    for (int64_t i = 0; i < n; i++)
        permutation[i] = (int32_t)i;
    plain_lu(n, n, a, want, pivots);
    for (int64_t i = 0; i < n; i++) {
        int32_t row = permutation[i];
        permutation[i] = permutation[pivots[i]];
        permutation[pivots[i]] = row;
    }
    void *lu = stored(d, want, n * n), *y = room_for((size_t)(n * n) * d->size);
    plain_inverse(n, memcpy(a, want, (size_t)(n * n) * sizeof *a), permutation, want);
    for (int i = 0; i < 3; i++) {
        int threads = 1 + i;
        knr_isa_limit(isas[i]);
        void *w = room_for(knr_inverse_workspace(d, n, threads));
        knr_inverse(d, n, lu, permutation, y, w, threads);
        same("inverse", d, n, n, y, want);
        free(w);
    }
    free(a), free(want), free(lu), free(y), free(pivots), free(permutation);
}

static void cholesky_is_the_documented_one(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        set_dtype(dtypes[t]);
        for (int i = 0; i < N_SIZES; i++)
            cholesky_of(dtypes[t], sizes[i]);
        cholesky_of(dtypes[t], MOST);
    }
    set_dtype(KN_DT(F32));
    cholesky_of(KN_DT(F32), 4 * WIDE_PANEL + 70);
}

static void lu_is_the_documented_one(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        set_dtype(dtypes[t]);
        for (int i = 0; i < N_SIZES; i++) {
            lu_of(dtypes[t], sizes[i], sizes[i]);
            lu_of(dtypes[t], sizes[i], sizes[N_SIZES - 1 - i]);
        }
        lu_of(dtypes[t], MOST, MOST - 3);
        lu_of(dtypes[t], 70, MOST + 100);
        lu_of(dtypes[t], MOST + 100, 70);
    }
    set_dtype(KN_DT(F32));
    lu_of(KN_DT(F32), 4 * WIDE_PANEL + 1, 4 * WIDE_PANEL + 70);
    lu_of(KN_DT(F32), 4 * WIDE_PANEL + 70, 3 * WIDE_PANEL + 1);
}

static void triangular_solve_is_the_documented_one(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 2, 5, 33, 0, 70, 8, 129};
    for (int t = 0; t < 4; t++) {
        set_dtype(dtypes[t]);
        for (unsigned how = 0; how < 32; how++)
            for (int i = (int)how % 3; i < N_SIZES; i += 3)
                solve_of(dtypes[t], sizes[i], columns[(i + (int)how) % 8], how);
        for (unsigned how = 0; how < 16; how += 5)
            solve_of(dtypes[t], MOST, 3, how);
    }
    set_dtype(KN_DT(F32));
    solve_of(KN_DT(F32), 4 * WIDE_PANEL + 70, 150, 3);
}

static void inverse_is_the_documented_one(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        set_dtype(dtypes[t]);
        for (int i = 0; i < N_SIZES; i++)
            inverse_of(dtypes[t], sizes[i]);
        inverse_of(dtypes[t], MOST);
    }
}

/* --- quotients ---------------------------------------------------------------------------------- */

/* Numbers of all sizes, those between halves of which quotients lie among them. */
static double any_number(int i)
{
    static const double hard[] = {0,
                                  -0.0,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  0x1p-1074,
                                  0x1.fffffffffffffp-1023,
                                  0x1p-1022,
                                  0x1p-900,
                                  0x1p-60,
                                  0x1p60,
                                  0x1p900,
                                  0x1.8p-899,
                                  0x1.fffffffffffffp899,
                                  0x1p1023,
                                  0x1.fffffffffffffp1023,
                                  1,
                                  -3,
                                  0x1.fffffffffffffp0};
    enum { HARD = sizeof hard / sizeof *hard };
    uint64_t bits = 0;
    if (i % 4 == 0)
        return hard[i / 4 % HARD];
    double v = random_number();
    memcpy(&bits, &v, sizeof bits);
    if (i % 4 == 1) /* a mantissa of few bits, from one end or the other */
        bits = (bits & 0xfff0000000000000u) | (i % 8 == 1 ? (bits & 7) : 0xffffffffffff8u + (bits & 7));
    if (i % 4 == 2)
        bits = (bits & 0x800fffffffffffffu) | (uint64_t)(23 + i * 37 % 2000) << 52;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* A system of one unknown is a division. */
static void quotients_are_those_of_division(void **state)
{
    enum { N = 96, DIVISORS = 400 };
    (void)state;
    set_dtype(KN_DT(F64));
    knr_triangular s = {KN_DT(F64), 1, N, true, true, false, false, false};
    double b[N], x[N];
    for (int i = 0; i < 3; i++) {
        knr_isa_limit(isas[i]);
        void *w = room_for(knr_triangular_workspace(&s, 1));
        for (int k = 0; k < DIVISORS; k++) {
            double d = any_number(k);
            for (int j = 0; j < N; j++)
                b[j] = k % 3 ? random_number() * (k % 3 == 1 ? 1 : d) : any_number(k * N + j);
            knr_triangular_run(&s, &d, b, x, w, 1);
            for (int j = 0; j < N; j++) {
                double want = b[j] / d;
                if (memcmp(&want, &x[j], sizeof want) != 0 && !(isnan(want) && isnan(x[j])))
                    fail_msg("%a / %a is %a, not %a (instruction set %d)", b[j], d, want, x[j], (int)knr_isa());
            }
        }
        free(w);
    }
}

/* --- where there is no result ----------------------------------------------------------------- */

static void failures(void **state)
{
    (void)state;
    double x[9] = {4, 9, 9, 2, 1, 9, 0, 0, 3}, l[9];
    int32_t pivots[3], permutation[3];
    kn_dtype d = KN_DT(F64);
    void *w = room_for(knr_cholesky_workspace(d, 3, 1) + knr_lu_workspace(d, 3, 3, 1));
    assert_false(knr_cholesky(d, 3, x, l, w, 1));
    for (int i = 0; i < 9; i++)
        assert_true(i % 3 <= i / 3 ? isnan(l[i]) : l[i] == 0);
    x[4] = NAN; /* goes on */
    assert_true(knr_cholesky(d, 3, x, l, w, 1));
    assert_true(l[0] == 2 && isnan(l[4]));
    const double zeros[9] = {0, 1, 2, 0, 3, 4, 0, 5, 6};
    assert_false(knr_lu(d, 3, 3, zeros, l, pivots, permutation, w, 1));
    assert_true(l[0] == 0 && l[3] == 0 && l[4] == 5);
    const double nan_first[4] = {NAN, 1, 5, 2}, nan_second[4] = {1, 1, NAN, 2};
    assert_true(knr_lu(d, 2, 2, nan_first, l, pivots, permutation, w, 1));
    assert_int_equal(pivots[0], 0);
    assert_true(knr_lu(d, 2, 2, nan_second, l, pivots, permutation, w, 1));
    assert_int_equal(pivots[0], 0);
    free(w);
}

static int widest(void **state)
{
    (void)state;
    knr_isa_limit(KNR_ISA_AVX512);
    return 0;
}

KN_TEST_GROUP(test_routine_linalg)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(cholesky_is_the_documented_one, widest),
        cmocka_unit_test_teardown(lu_is_the_documented_one, widest),
        cmocka_unit_test_teardown(triangular_solve_is_the_documented_one, widest),
        cmocka_unit_test_teardown(inverse_is_the_documented_one, widest),
        cmocka_unit_test_teardown(quotients_are_those_of_division, widest),
        cmocka_unit_test_teardown(failures, widest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
