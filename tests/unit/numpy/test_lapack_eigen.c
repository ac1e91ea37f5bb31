/* SPDX-License-Identifier: Apache-2.0
 * test_lapack_eigen.c -- eigenvalues, singular values, Schur and Hessenberg forms by the ratios of LAPACK's own tests
 * (support/lapack.h), for sizes up to 40 and some larger ones (KILN_TEST_LONG=1: all of these, and up to above 1,000), all dtypes,
 * easy and hard matrices, alone and in stacks. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include "support/lapack.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
enum { DTYPES = 4, SEED = 23 };
static bool thorough(void) { return getenv("KILN_TEST_LONG") != NULL; }

static void judge(const char *what, int kind, lapack_matrix a, kn_dtype d, double ratio)
{
    if (!(ratio < LAPACK_THRESHOLD)) {
        fprintf(stderr, "%s of %s, %s, %lld x %lld: ratio %.3g, %.3g allowed\n", what, lapack_kind_name(kind),
                kn_dtype_name(d), (long long)a.m, (long long)a.n, ratio, LAPACK_THRESHOLD);
        fail();
    }
}

typedef struct subject {
    const char *name;
    bool hermitian, square;
    int n_results;
    void (*compute)(kn_array a, kn_array *result);
    void (*one)(int kind, lapack_matrix a, kn_array *result, kn_dtype d);
} subject;

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
static void judge_eigh(int kind, lapack_matrix a, kn_array *result, kn_dtype d)
{
    int up = lapack_exponent(a);
    a = lapack_scaled(a, up);
    lapack_matrix alone = lapack_scaled(lapack_take(result[4]), up);
    for (int i = 0; i < 2; i++) {
        lapack_matrix w = lapack_scaled(lapack_take(result[2 * i]), up), v = lapack_take(result[2 * i + 1]);
        assert_true(rises(w, 1));
        judge("the vectors of eigh", kind, a, d, lapack_orthogonality(v, d));
        lapack_matrix whole = lapack_times(lapack_columns_times(v, w), lapack_adjoint(v));
        judge("eigh", kind, a, d, lapack_ratio(whole, a, a, a.n, up, d));
        judge("eigvalsh beside eigh", kind, a, d, apart(w, alone, up, d));
    }
}

/* ---- Singular values. */

static void svd(kn_array a, kn_array *result)
{
    kn_linalg_svd_result thin = kn_linalg_svd(a, .full_matrices = false), full = kn_linalg_svd(a);
    kn_array of[] = {thin.u, thin.s, thin.vh, full.u, full.s, full.vh, kn_linalg_svdvals(a)};
    memcpy(result, of, sizeof of);
}
static void judge_svd(int kind, lapack_matrix a, kn_array *result, kn_dtype d)
{
    int up = lapack_exponent(a);
    int64_t k = a.m < a.n ? a.m : a.n;
    a = lapack_scaled(a, up);
    lapack_matrix alone = lapack_scaled(lapack_take(result[6]), up);
    for (int i = 0; i < 2; i++) {
        lapack_matrix u = lapack_take(result[3 * i]), s = lapack_scaled(lapack_take(result[3 * i + 1]), up),
                      vh = lapack_take(result[3 * i + 2]);
        assert_true(u.n == (i ? a.m : k) && vh.m == (i ? a.n : k));
        assert_true(rises(s, -1) && (k == 0 || s.re[k - 1] >= 0));
        judge("the u of svd", kind, a, d, lapack_orthogonality(u, d));
        judge("the v of svd", kind, a, d, lapack_orthogonality(lapack_adjoint(vh), d));
        u = lapack_part(u, u.m, k), vh = lapack_part(vh, k, vh.n);
        lapack_matrix whole = lapack_times(lapack_columns_times(u, s), vh);
        judge("svd", kind, a, d, lapack_ratio(whole, a, a, a.m > a.n ? a.m : a.n, up, d));
        judge("svdvals beside svd", kind, a, d, apart(s, alone, up, d));
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
static void judge_forms(int kind, lapack_matrix a, kn_array *result, kn_dtype d)
{
    static const char *const name[] = {"hessenberg", "schur", "complex schur"};
    int up = lapack_exponent(a);
    a = lapack_scaled(a, up);
    for (int i = 0; i < 3; i++) {
        lapack_matrix t = lapack_scaled(lapack_take(result[2 * i]), up), z = lapack_take(result[2 * i + 1]);
        int64_t below = i == 0 || (i == 1 && !a.im) ? -2 : -1;
        assert_true(lapack_norm(lapack_triangle(t, false, below, false)) == 0);
        if (i == 1 && !a.im)
            judge_blocks(t);
        judge(name[i], kind, a, d, lapack_orthogonality(z, d));
        lapack_matrix whole = lapack_times(lapack_times(z, t), lapack_adjoint(z));
        judge(name[i], kind, a, d, lapack_ratio(whole, a, a, a.n, up, d));
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
static void judge_eig(int kind, lapack_matrix a, kn_array *result, kn_dtype d)
{
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
            judge("the length of a vector of eig", kind, a, d,
                  fabs(sqrt(length) - 1) / (double)a.n / lapack_epsilon(d));
        }
        double off = lapack_norm(lapack_minus(lapack_times(b, e), lapack_columns_times(e, v)));
        double size = lapack_norm(b) * lapack_norm(e) * 2 * lapack_epsilon(d) + least;
        judge(i ? "left vectors" : "eig", kind, a, d, off == 0 ? 0 : off / size);
    }
}

static const subject subjects[] = {
    {"eigh", true, true, 5, eigh, judge_eigh},
    {"svd", false, false, 7, svd, judge_svd},
    {"schur and hessenberg", false, true, 6, forms, judge_forms},
    {"eig", false, true, 3, eig, judge_eig},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, RESULTS = 7 };

/* ---- The sweep. */

static lapack_matrix matrix_of(const subject *s, int kind, int64_t m, int64_t n, kn_dtype d)
{
    return s->hermitian ? lapack_hermitian(kind, n, d, SEED) : lapack_general(kind, m, n, d, SEED);
}

/* All kinds in a stack, and some of them alone, which are the same bits. */
static void check(const subject *s, int64_t m, int64_t n, kn_dtype d)
{
    KN_SCOPE;
    int kind[LAPACK_KINDS], count = 0;
    lapack_matrix a[LAPACK_KINDS];
    for (int k = 0; k < LAPACK_KINDS; k++)
        if (k != LAPACK_DEFECTIVE_TURNED || m == n) {
            kind[count] = k;
            a[count++] = matrix_of(s, k, m, n, d);
        }
    kn_array stack = lapack_stack(count, a, d), result[RESULTS];
    s->compute(stack, result);
    for (int i = 0; i < count; i++) {
        KN_SCOPE;
        kn_array of[RESULTS], x = kn_at(stack, "%", i);
        for (int k = 0; k < s->n_results; k++)
            of[k] = kn_at(result[k], "%", i);
        if (kn_error_pending())
            fail_msg("%s, %s, %lld x %lld: %s", s->name, kn_dtype_name(d), (long long)m, (long long)n,
                     kn_error_message());
        s->one(kind[i], lapack_take(x), of, d);
        if (i % 7 == 3) {
            kn_array alone[RESULTS];
            s->compute(x, alone);
            for (int k = 0; k < s->n_results; k++)
                if (!kn_array_equal(alone[k], of[k], .equal_nan = true))
                    fail_msg("%s, %s, %lld x %lld, %s: a stack has other bits", s->name, kn_dtype_name(d), (long long)m,
                             (long long)n, lapack_kind_name(kind[i]));
        }
    }
    lapack_forget();
}

static void all_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < DTYPES; k++)
            for (int64_t n = 0; n <= 40; n += n < 18 || thorough() ? 1 : 5)
                check(&subjects[i], n, n, golden_dtype(dtypes[k]));
    expect_no_error();
}

static void tall_and_wide(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{1, 2},   {2, 1},   {3, 5},   {5, 3}, {17, 9}, {9, 17},
                                        {33, 40}, {40, 33}, {70, 20}, {0, 3}, {3, 0}};
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < DTYPES && !subjects[i].square; k++)
            for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
                check(&subjects[i], shapes[j][0], shapes[j][1], golden_dtype(dtypes[k]));
    expect_no_error();
}

/* One matrix of a kind, of a size at which blocks, panels and threads matter. */
static void check_large(const subject *s, int kind, int64_t m, int64_t n, kn_dtype d)
{
    KN_SCOPE;
    lapack_matrix a = matrix_of(s, kind, m, n, d);
    kn_array x = lapack_give(&a, d), result[RESULTS];
    s->compute(x, result);
    s->one(kind, lapack_take(x), result, d);
    lapack_forget();
}

static void large_ones(void **state)
{
    (void)state;
    static const int64_t sizes[] = {64, 65, 100, 130, 200, 300, 515, 1030};
    static const int kinds[] = {LAPACK_RANDOM, LAPACK_CLUSTERED, LAPACK_DEFECTIVE_TURNED, LAPACK_DEFICIENT};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int i = 0; i < SUBJECTS; i++)
        for (int j = 0; j < SIZES && sizes[j] <= (thorough() ? 1030 : 100); j++)
            for (int k = 0; k < DTYPES && (k < 2 || sizes[j] < 400); k++)
                for (int l = 0; l < (sizes[j] < 200 ? 4 : 1); l++)
                    check_large(&subjects[i], kinds[l], sizes[j], sizes[j], golden_dtype(dtypes[k]));
    for (int i = 0; i < SUBJECTS; i++)
        check_large(&subjects[i], LAPACK_RANDOM, 200, 200, KN_F64);
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
