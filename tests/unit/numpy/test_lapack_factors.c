/* SPDX-License-Identifier: Apache-2.0
 * test_lapack_factors.c -- Cholesky, LU, QR, solving, inverting and least squares by the ratios of LAPACK's own tests
 * (support/lapack.h), for sizes up to 40 and some larger ones (KILN_TEST_LONG=1: all of these, and up to above 1,000), all dtypes,
 * easy and hard matrices, alone and in stacks. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include "support/lapack_subject.h"

enum { SEED = 17 };

/* ---- The subjects. */

static void cholesky(kn_array a, kn_array *result)
{
    result[0] = kn_linalg_cholesky(a);
    result[1] = kn_linalg_cholesky(a, .upper = true);
}
static void judge_cholesky(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    lapack_matrix l = lapack_take(result[0]), u = lapack_take(result[1]);
    assert_true(lapack_norm(lapack_triangle(l, true, 1, false)) == 0);
    assert_true(lapack_norm(lapack_minus(lapack_adjoint(u), l)) == 0); /* the same factor, of the other triangle */
    l = lapack_scaled(l, up / 2), a = lapack_scaled(a, up);
    lapack_judge("cholesky", kind, a, d, lapack_ratio(lapack_times(l, lapack_adjoint(l)), a, a, a.n, up, d));
}

static void lu(kn_array a, kn_array *result)
{
    kn_lax_linalg_lu_result y = kn_lax_linalg_lu(a);
    result[0] = y.lu;
    result[1] = y.permutation;
}
static void judge_lu(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    int64_t k = a.m < a.n ? a.m : a.n;
    lapack_matrix both = lapack_take(result[0]), l = lapack_part(lapack_triangle(both, false, -1, true), a.m, k);
    lapack_matrix u = lapack_scaled(lapack_part(lapack_triangle(both, true, 0, false), k, a.n), up);
    double most = lapack_norm(lapack_triangle(both, false, -1, false));
    if (!(most <= (double)a.m * 1.5)) /* no element of l is larger than 1, or sqrt(2) of complex ones */
        fail_msg("l of %s, %s, %lld x %lld: %g", lapack_kind_name(kind), kn_dtype_name(d), (long long)a.m,
                 (long long)a.n, most);
    a = lapack_rows(lapack_scaled(a, up), result[1]);
    lapack_judge("lu", kind, a, d, lapack_ratio(lapack_times(l, u), a, a, a.n, up, d));
}

static void qr(kn_array a, kn_array *result)
{
    kn_linalg_qr_result y = kn_linalg_qr(a), all = kn_linalg_qr(a, .mode = "complete"),
                        p = kn_linalg_qr(a, .pivoting = true);
    kn_array of[] = {y.q, y.r, all.q, all.r, p.q, p.r, p.p};
    memcpy(result, of, sizeof of);
}
static void judge_qr(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    a = lapack_scaled(a, up);
    for (int i = 0; i < 3; i++) {
        lapack_matrix q = lapack_take(result[2 * i]), r = lapack_scaled(lapack_take(result[2 * i + 1]), up), b = a;
        assert_true(lapack_norm(lapack_triangle(r, false, -1, false)) == 0);
        if (i == 2) /* columns in the order of p: rows of the adjoint */
            b = lapack_adjoint(lapack_rows(lapack_adjoint(a), result[6]));
        lapack_judge("the q of qr", kind, a, d, lapack_orthogonality(q, d));
        lapack_judge("qr", kind, a, d, lapack_ratio(lapack_times(q, r), b, a, a.m, up, d));
    }
}

/* b = a x for a known x, so that numbers stay in range. */
static kn_array right_side(kn_array a)
{
    kn_dtype d = kn_dtype_of(a), real = d == KN_F32 || d == KN_C64 ? KN_F32 : KN_F64;
    int64_t n = kn_dim(a, -1);
    kn_array i = kn_arange(0, 3 * n, 1, .dtype = KN_F64);
    kn_array x = kn_astype(kn_astype(kn_reshape(kn_div(kn_remainder(i, 7), 8), KN_SHAPE(n, 3)), real), d);
    return kn_matmul(a, x);
}

static void solve(kn_array a, kn_array *result)
{
    result[1] = right_side(a);
    result[0] = kn_linalg_solve(a, result[1]);
}
static void judge_solution(const char *what, int kind, lapack_matrix a, kn_dtype d, kn_array *result)
{
    int up = lapack_exponent(a);
    lapack_matrix x = lapack_take(result[0]), b = lapack_scaled(lapack_take(result[1]), up), left;
    a = lapack_scaled(a, up);
    left = lapack_times(a, x);
    for (int64_t j = 0; j < x.n; j++) { /* the worst column, over |a| |x| */
        lapack_matrix e = lapack_zeros(x.n, 1, false), off, column;
        e.re[j] = 1;
        off = lapack_minus(lapack_times(left, e), lapack_times(b, e));
        column = lapack_times(x, e);
        double least = ldexp(lapack_epsilon(d), up + (d == KN_F32 || d == KN_C64 ? -126 : -1022)) * (double)a.n;
        double allowed = lapack_norm(a) * lapack_norm(column) * lapack_epsilon(d) + least;
        double left_over = lapack_norm(off);
        lapack_judge(what, kind, a, d, left_over == 0 ? 0 : left_over / allowed);
    }
}
static void judge_solve(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    judge_solution("solve", kind, a, kn_dtype_of(x), result);
}

static void solve_definite(kn_array a, kn_array *result)
{
    result[1] = right_side(a);
    result[0] = kn_linalg_solve(a, result[1], .assume_a = "pos", .lower = true);
}
static void judge_definite(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    judge_solution("solve with a definite matrix", kind, a, kn_dtype_of(x), result);
}

static void invert(kn_array a, kn_array *result) { result[0] = kn_linalg_inv(a); }
static void judge_inverse(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    if (kind == LAPACK_SMALL || kind == LAPACK_SUBNORMAL || kind == LAPACK_HUGE) /* the inverse is out of range */
        return;
    lapack_matrix y = lapack_take(result[0]), one = lapack_zeros(a.n, a.n, false), p = lapack_times(y, a);
    for (int64_t i = 0; i < a.n; i++)
        one.re[i * a.n + i] = 1;
    double off = lapack_norm(lapack_minus(p, one)), size = lapack_norm(a) * lapack_norm(y);
    lapack_judge("inv", kind, a, d, a.n ? off / ((double)a.n * size * lapack_epsilon(d)) : 0);
}

/* Right-hand sides of which no combination of columns is one. */
static kn_array far_side(kn_array a)
{
    kn_dtype d = kn_dtype_of(a), real = d == KN_F32 || d == KN_C64 ? KN_F32 : KN_F64;
    int64_t m = kn_dim(a, -2);
    kn_array i = kn_arange(0, 2 * m, 1, .dtype = KN_F64), size = kn_max(kn_abs(a), .initial = kn_num(0.0));
    kn_array b = kn_reshape(kn_sub(kn_div(kn_remainder(kn_mul(i, 5), 11), 8), 0.5), KN_SHAPE(m, 2));
    b = kn_mul(kn_astype(b, real), kn_astype(size, real));
    return kn_astype(b, d);
}

static void least_squares(kn_array a, kn_array *result)
{
    result[1] = far_side(a);
    kn_linalg_lstsq_result y = kn_linalg_lstsq(a, result[1]);
    result[0] = y.x;
    result[2] = y.rank;
}
/* The residual is orthogonal to the columns of a. */
static void judge_least_squares(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    int64_t k = a.m < a.n ? a.m : a.n, most = a.m > a.n ? a.m : a.n;
    lapack_matrix y = lapack_take(result[0]), b = lapack_scaled(lapack_take(result[1]), up),
                  rank = lapack_take(result[2]);
    a = lapack_scaled(a, up);
    lapack_matrix r = lapack_minus(lapack_times(a, y), b);
    double size = lapack_norm(a), allowed = size * (size * lapack_norm(y) + lapack_norm(b)) * lapack_epsilon(d);
    double off = lapack_norm(lapack_times(lapack_adjoint(a), r));
    lapack_judge("lstsq", kind, a, d, k && size > 0 ? off / ((double)most * allowed) : 0);
    if (kind == LAPACK_DEFICIENT && k)
        assert_true(rank.re[0] == (double)((k + 1) / 2));
    else if (kind == LAPACK_ZERO)
        assert_true(rank.re[0] == 0);
    else if (kind == LAPACK_CLUSTERED || kind == LAPACK_REPEATED || kind == LAPACK_HUGE || kind == LAPACK_SMALL)
        assert_true(rank.re[0] == (double)k);
}

static const lapack_subject subjects[] = {
    {"cholesky", LAPACK_DEFINITE, true, true, 2, cholesky, judge_cholesky, SEED},
    {"lu", LAPACK_ANY, false, false, 2, lu, judge_lu, SEED},
    {"qr", LAPACK_ANY, false, false, 7, qr, judge_qr, SEED},
    {"solve", LAPACK_ANY, true, true, 2, solve, judge_solve, SEED},
    {"solve, definite", LAPACK_DEFINITE, true, true, 2, solve_definite, judge_definite, SEED},
    {"inv", LAPACK_ANY, true, true, 1, invert, judge_inverse, SEED},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void all_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        lapack_check_sizes(&subjects[i], 4);
    expect_no_error();
}

static void tall_and_wide(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        lapack_check_shapes(&subjects[i]);
    expect_no_error();
}

static void large_ones(void **state)
{
    (void)state;
    static const int64_t sizes[] = {64, 65, 100, 130, 200, 257, 300, 515, 1030};
    for (int i = 0; i < SUBJECTS; i++)
        for (int j = 0; sizes[j] <= (lapack_thorough() ? 1030 : 130); j++) {
            int64_t n = sizes[j];
            for (int k = 0; k < LAPACK_DTYPES && (k < 2 || n < 400); k++) {
                lapack_check_one(&subjects[i], LAPACK_RANDOM, n, n, golden_dtype(lapack_dtypes[k]));
                lapack_check_one(&subjects[i], LAPACK_POOR, n, n, golden_dtype(lapack_dtypes[k]));
                if (!subjects[i].square) {
                    lapack_check_one(&subjects[i], LAPACK_DEFICIENT, n, n / 2, golden_dtype(lapack_dtypes[k]));
                    lapack_check_one(&subjects[i], LAPACK_GRADED, n / 2, n, golden_dtype(lapack_dtypes[k]));
                }
            }
            if (sizes[j] == 1030)
                break;
        }
    for (int i = 0; i < SUBJECTS; i++)
        lapack_check_one(&subjects[i], LAPACK_RANDOM, 300, 300, KN_F64);
    expect_no_error();
}

/* Each kind alone: whether singular values count depends on the largest one of all. */
static void least_squares_of_all_kinds(void **state)
{
    (void)state;
    static const lapack_subject s = {"lstsq", LAPACK_ANY, false, false, 3, least_squares, judge_least_squares, SEED};
    static const int64_t shapes[][2] = {{1, 1}, {2, 1},   {1, 2},   {5, 5}, {9, 4},
                                        {4, 9}, {33, 20}, {20, 33}, {0, 2}, {2, 0}};
    for (int k = 0; k < LAPACK_DTYPES; k++)
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
            for (int kind = 0; kind < LAPACK_KINDS; kind++)
                if (kind != LAPACK_DEFECTIVE_TURNED || shapes[j][0] == shapes[j][1])
                    lapack_check_one(&s, kind, shapes[j][0], shapes[j][1], golden_dtype(lapack_dtypes[k]));
    for (int64_t n = 60; n <= (lapack_thorough() ? 300 : 60); n += 80)
        lapack_check_one(&s, LAPACK_DEFICIENT, n, n - 20, KN_F64);
    expect_no_error();
}

KN_TEST_GROUP(test_lapack_factors)
{
    const struct CMUnitTest tests[] = {
        TEST(all_sizes),
        TEST(tall_and_wide),
        TEST(large_ones),
        TEST(least_squares_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
