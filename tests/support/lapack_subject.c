/* SPDX-License-Identifier: Apache-2.0
 * lapack_subject.c -- matrices of all kinds for functions of matrices, and what all of these keep to. */
#include "support/lapack_subject.h"
#include "support/expect.h"
#include "support/golden.h"
#include <stdio.h>
#include <stdlib.h>

const char *const lapack_dtypes[LAPACK_DTYPES] = {"f32", "f64", "c64", "c128"};

bool lapack_thorough(void) { return getenv("KILN_TEST_LONG") != NULL; }

void lapack_judge(const char *what, int kind, lapack_matrix a, kn_dtype d, double ratio)
{
    if (!(ratio < LAPACK_THRESHOLD)) {
        fprintf(stderr, "%s of %s, %s, %lld x %lld: ratio %.3g, %.3g allowed\n", what, lapack_kind_name(kind),
                kn_dtype_name(d), (long long)a.m, (long long)a.n, ratio, LAPACK_THRESHOLD);
        fail();
    }
}

static lapack_matrix matrix_of(const lapack_subject *s, int kind, int64_t m, int64_t n, kn_dtype d)
{
    return s->of == LAPACK_DEFINITE    ? lapack_definite(kind, n, d, s->seed)
           : s->of == LAPACK_HERMITIAN ? lapack_hermitian(kind, n, d, s->seed)
                                       : lapack_general(kind, m, n, d, s->seed);
}

/* The matrices of all kinds that the subject is for; their number. */
static int matrices(const lapack_subject *s, int64_t m, int64_t n, kn_dtype d, int *kind, lapack_matrix *a)
{
    int count = 0;
    for (int k = 0; k < LAPACK_KINDS; k++) {
        bool jordan = k == LAPACK_DEFECTIVE_TURNED;
        if ((s->regular && k >= LAPACK_DEFICIENT) || (jordan && m != n))
            continue;
        if (s->regular && (k == LAPACK_NEARLY_SINGULAR || jordan) && n > 40) /* their values reach 0 */
            continue;
        lapack_matrix one = matrix_of(s, k, m, n, d);
        if (one.m < 0)
            continue;
        kind[count] = k;
        a[count++] = one;
    }
    return count;
}

/* All kinds in a stack, and some of them alone, which are the same bits. */
static void check(const lapack_subject *s, int64_t m, int64_t n, kn_dtype d)
{
    KN_SCOPE;
    int kind[LAPACK_KINDS];
    lapack_matrix a[LAPACK_KINDS];
    int count = matrices(s, m, n, d, kind, a);
    kn_array stack = lapack_stack(count, a, d), result[LAPACK_RESULTS];
    s->compute(stack, result);
    for (int i = 0; i < count; i++) {
        KN_SCOPE;
        kn_array x = kn_at(stack, "%", i), of[LAPACK_RESULTS];
        for (int k = 0; k < s->n_results; k++)
            of[k] = kn_at(result[k], "%", i);
        if (kn_error_pending())
            fail_msg("%s, %s, %lld x %lld: %s", s->name, kn_dtype_name(d), (long long)m, (long long)n,
                     kn_error_message());
        s->one(kind[i], lapack_take(x), x, of);
        if (i % 7 == 3) {
            kn_array alone[LAPACK_RESULTS];
            s->compute(x, alone);
            for (int k = 0; k < s->n_results; k++)
                if (!kn_array_equal(alone[k], of[k], .equal_nan = true))
                    fail_msg("%s, %s, %lld x %lld, %s: a stack has other bits", s->name, kn_dtype_name(d), (long long)m,
                             (long long)n, lapack_kind_name(kind[i]));
        }
    }
    lapack_forget();
}

void lapack_check_sizes(const lapack_subject *s, int64_t step)
{
    for (int k = 0; k < LAPACK_DTYPES; k++)
        for (int64_t n = 0; n <= 40; n += n < 18 || lapack_thorough() ? 1 : step)
            check(s, n, n, golden_dtype(lapack_dtypes[k]));
}

void lapack_check_shapes(const lapack_subject *s)
{
    static const int64_t shapes[][2] = {{1, 2},   {2, 1},   {3, 5},   {5, 3}, {17, 9}, {9, 17},
                                        {33, 40}, {40, 33}, {70, 20}, {0, 3}, {3, 0}};
    for (int k = 0; k < LAPACK_DTYPES && !s->square; k++)
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
            check(s, shapes[j][0], shapes[j][1], golden_dtype(lapack_dtypes[k]));
}

void lapack_check_one(const lapack_subject *s, int kind, int64_t m, int64_t n, kn_dtype d)
{
    KN_SCOPE;
    lapack_matrix a = matrix_of(s, kind, m, n, d);
    kn_array x = lapack_give(&a, d), result[LAPACK_RESULTS];
    s->compute(x, result);
    s->one(kind, lapack_take(x), x, result);
    lapack_forget();
}
