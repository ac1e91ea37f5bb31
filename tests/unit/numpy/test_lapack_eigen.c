/* SPDX-License-Identifier: Apache-2.0
 * test_lapack_eigen.c -- eigenvalues, singular values, Schur and Hessenberg forms by the ratios of LAPACK's own tests
 * (support/lapack.h), for sizes up to 40 and some larger ones (KILN_TEST_LONG=1: all of these, and up to above 1,000), all dtypes,
 * easy and hard matrices, alone and in stacks. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include "support/lapack_subject.h"

enum { SEED = 23 };

static bool rises(lapack_matrix v, double sign)
{
    for (int64_t i = 1; i < v.m; i++)
        if (!(sign * (v.re[i] - v.re[i - 1]) >= 0))
            return false;
    return true;
}

/* Values found with and without vectors: |v - w| / (|a| eps), by their 1-norms' largest elements. */
static double apart(lapack_matrix v, lapack_matrix w, int exponent, kn_dtype d)
{
    double most = 0, size = 0;
    for (int64_t i = 0; i < v.m; i++) {
        double off = fabs(v.re[i] - w.re[i]), one = fabs(v.re[i]);
        most = off > most || isnan(off) ? off : most;
        size = one > size ? one : size;
    }
    double least = ldexp(1, (d == KN_F32 || d == KN_C64 ? -149 : -1074) + exponent);
    return most == 0 ? 0 : most / ((size * lapack_epsilon(d) + least) * (double)(v.m > 1 ? v.m : 1));
}

/* ---- Hermitian matrices, from either triangle. */

static void eigh(kn_array a, kn_array *result)
{
    kn_linalg_eigh_result low = kn_linalg_eigh(a), up = kn_linalg_eigh(a, .uplo = "U");
    kn_array of[] = {low.eigenvalues, low.eigenvectors, up.eigenvalues, up.eigenvectors, kn_linalg_eigvalsh(a)};
    memcpy(result, of, sizeof of);
}
static void judge_eigh(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    a = lapack_scaled(a, up);
    lapack_matrix alone = lapack_scaled(lapack_take(result[4]), up);
    for (int i = 0; i < 2; i++) {
        lapack_matrix w = lapack_scaled(lapack_take(result[2 * i]), up), v = lapack_take(result[2 * i + 1]);
        assert_true(rises(w, 1));
        lapack_judge("the vectors of eigh", kind, a, d, lapack_orthogonality(v, d));
        lapack_matrix whole = lapack_times(lapack_columns_times(v, w), lapack_adjoint(v));
        lapack_judge("eigh", kind, a, d, lapack_ratio(whole, a, a, a.n, up, d));
        lapack_judge("eigvalsh beside eigh", kind, a, d, apart(w, alone, up, d));
    }
}

/* ---- Singular values. */

static void svd(kn_array a, kn_array *result)
{
    kn_linalg_svd_result thin = kn_linalg_svd(a, .full_matrices = false), full = kn_linalg_svd(a);
    kn_array of[] = {thin.u, thin.s, thin.vh, full.u, full.s, full.vh, kn_linalg_svdvals(a)};
    memcpy(result, of, sizeof of);
}
static void judge_svd(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    int64_t k = a.m < a.n ? a.m : a.n;
    a = lapack_scaled(a, up);
    lapack_matrix alone = lapack_scaled(lapack_take(result[6]), up);
    for (int i = 0; i < 2; i++) {
        lapack_matrix u = lapack_take(result[3 * i]), s = lapack_scaled(lapack_take(result[3 * i + 1]), up),
                      vh = lapack_take(result[3 * i + 2]);
        assert_true(u.n == (i ? a.m : k) && vh.m == (i ? a.n : k));
        assert_true(rises(s, -1) && (k == 0 || s.re[k - 1] >= 0));
        lapack_judge("the u of svd", kind, a, d, lapack_orthogonality(u, d));
        lapack_judge("the v of svd", kind, a, d, lapack_orthogonality(lapack_adjoint(vh), d));
        u = lapack_part(u, u.m, k), vh = lapack_part(vh, k, vh.n);
        lapack_matrix whole = lapack_times(lapack_columns_times(u, s), vh);
        lapack_judge("svd", kind, a, d, lapack_ratio(whole, a, a, a.m > a.n ? a.m : a.n, up, d));
        lapack_judge("svdvals beside svd", kind, a, d, apart(s, alone, up, d));
    }
}

/* ---- General matrices: forms by unitary similarity. */

static void forms(kn_array a, kn_array *result)
{
    kn_linalg_schur_result s = kn_linalg_schur(a), c = kn_linalg_schur(a, .output = "complex");
    kn_linalg_hessenberg_result h = kn_linalg_hessenberg(a);
    kn_array of[] = {h.h, h.q, s.t, s.z, c.t, c.z};
    memcpy(result, of, sizeof of);
}
/* Blocks of 2 of a real form do not touch, and have conjugate eigenvalues. */
static void judge_blocks(lapack_matrix t)
{
    for (int64_t i = 0; i + 1 < t.n; i++) {
        double below = t.re[(i + 1) * t.n + i];
        if (below == 0)
            continue;
        assert_true(i + 2 >= t.n || t.re[(i + 2) * t.n + i + 1] == 0);
        double p = t.re[i * t.n + i], q = t.re[i * t.n + i + 1], r = t.re[(i + 1) * t.n + i + 1];
        double half = (p - r) / 2;
        assert_true(half * half + q * below < 0);
    }
}
static void judge_forms(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    static const char *const name[] = {"hessenberg", "schur", "complex schur"};
    int up = lapack_exponent(a);
    a = lapack_scaled(a, up);
    for (int i = 0; i < 3; i++) {
        lapack_matrix t = lapack_scaled(lapack_take(result[2 * i]), up), z = lapack_take(result[2 * i + 1]);
        int64_t below = i == 0 || (i == 1 && !a.im) ? -2 : -1;
        assert_true(lapack_norm(lapack_triangle(t, false, below, false)) == 0);
        if (i == 1 && !a.im)
            judge_blocks(t);
        lapack_judge(name[i], kind, a, d, lapack_orthogonality(z, d));
        lapack_matrix whole = lapack_times(lapack_times(z, t), lapack_adjoint(z));
        lapack_judge(name[i], kind, a, d, lapack_ratio(whole, a, a, a.n, up, d));
    }
}

/* ---- General matrices: eigenvectors. */

static void eig(kn_array a, kn_array *result)
{
    kn_lax_linalg_eig_result y = kn_lax_linalg_eig(a);
    kn_array of[] = {y.w, y.vr, y.vl};
    memcpy(result, of, sizeof of);
}
/* |a e - e w| / (|a| |e| eps), and lengths of 1, of right and left vectors. */
static void judge_eig(int kind, lapack_matrix a, kn_array x, kn_array *result)
{
    kn_dtype d = kn_dtype_of(x);
    int up = lapack_exponent(a);
    a = lapack_scaled(a, up);
    lapack_matrix w = lapack_scaled(lapack_take(result[0]), up);
    double least = ldexp(1, (d == KN_F32 || d == KN_C64 ? -149 : -1074) + up) * (double)a.n;
    for (int i = 0; i < 2 && a.n; i++) {
        lapack_matrix e = lapack_take(result[1 + i]), b = i ? lapack_adjoint(a) : a, v = w;
        if (i) {
            v = lapack_zeros(w.m, 1, true);
            for (int64_t k = 0; k < w.m; k++)
                v.re[k] = w.re[k], v.im[k] = -w.im[k];
        }
        for (int64_t j = 0; j < e.n; j++) {
            double length = 0;
            for (int64_t k = 0; k < e.m; k++)
                length += e.re[k * e.n + j] * e.re[k * e.n + j] + e.im[k * e.n + j] * e.im[k * e.n + j];
            lapack_judge("the length of a vector of eig", kind, a, d,
                         fabs(sqrt(length) - 1) / (double)a.n / lapack_epsilon(d));
        }
        double off = lapack_norm(lapack_minus(lapack_times(b, e), lapack_columns_times(e, v)));
        double size = lapack_norm(b) * lapack_norm(e) * 2 * lapack_epsilon(d) + least;
        lapack_judge(i ? "left vectors" : "eig", kind, a, d, off == 0 ? 0 : off / size);
    }
}

static const lapack_subject subjects[] = {
    {"eigh", LAPACK_HERMITIAN, true, false, 5, eigh, judge_eigh, SEED},
    {"svd", LAPACK_ANY, false, false, 7, svd, judge_svd, SEED},
    {"schur and hessenberg", LAPACK_ANY, true, false, 6, forms, judge_forms, SEED},
    {"eig", LAPACK_ANY, true, false, 3, eig, judge_eig, SEED},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void all_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        lapack_check_sizes(&subjects[i], 5);
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
    static const int64_t sizes[] = {64, 65, 100, 130, 200, 256, 300, 515, 1030};
    static const int kinds[] = {LAPACK_RANDOM, LAPACK_CLUSTERED, LAPACK_DEFECTIVE_TURNED, LAPACK_DEFICIENT};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int i = 0; i < SUBJECTS; i++)
        for (int j = 0; j < SIZES && sizes[j] <= (lapack_thorough() ? 1030 : 100); j++)
            for (int k = 0; k < LAPACK_DTYPES && (k < 2 || sizes[j] < 400); k++)
                for (int l = 0; l < (sizes[j] < 200 ? 4 : 1); l++)
                    lapack_check_one(&subjects[i], kinds[l], sizes[j], sizes[j], golden_dtype(lapack_dtypes[k]));
    for (int i = 0; i < SUBJECTS; i++) {
        lapack_check_one(&subjects[i], LAPACK_RANDOM, 200, 200, KN_F64);
        lapack_check_one(&subjects[i], LAPACK_RANDOM, 270, 270, KN_F32); /* a panel, and the rest at once */
    }
    expect_no_error();
}

KN_TEST_GROUP(test_lapack_eigen)
{
    const struct CMUnitTest tests[] = {
        TEST(all_sizes),
        TEST(tall_and_wide),
        TEST(large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
