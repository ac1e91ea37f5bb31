/* SPDX-License-Identifier: Apache-2.0
 * test_determinants.c -- derivatives of determinants are the cofactors, which Laplace's expansion gives exactly for
 * small whole numbers: of regular and of singular matrices of every rank, stacks, complex numbers, 1x1 and 0x0. */
#include "support/expect.h"
#include "support/group.h"
#include <complex.h>
#include <stdio.h>

enum { MOST = 9 };
typedef double _Complex z;

/* The determinant of the rows and columns that the masks leave. */
static z minor_of(const z *a, int n, unsigned rows, unsigned columns)
{
    int first = 0;
    z sum = 0, sign = 1;
    if (!rows)
        return 1;
    while (!(rows >> first & 1))
        first++;
    for (int j = 0; j < n; j++)
        if (columns >> j & 1) {
            if (a[first * n + j] != 0)
                sum += sign * a[first * n + j] * minor_of(a, n, rows & ~(1u << first), columns & ~(1u << j));
            sign = -sign;
        }
    return sum;
}

static z cofactor(const z *a, int n, int i, int j)
{
    unsigned all = (1u << n) - 1;
    return ((i + j) % 2 ? -1 : 1) * minor_of(a, n, all & ~(1u << i), all & ~(1u << j));
}

/* Small whole numbers; row k is the sum of the k - 1 rows before it from `rank` on. */
static void matrix_of_rank(z *a, int n, int rank, unsigned seed, bool is_complex)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            seed = seed * 1664525u + 1013904223u;
            int re = (int)(seed >> 24) % 7 - 3, im = is_complex ? (int)(seed >> 16 & 255) % 5 - 2 : 0;
            z sum = 0;
            for (int k = 0; k < rank; k++)
                sum += a[k * n + j];
            a[i * n + j] = i < rank ? re + im * 1.0i : sum;
        }
}

static kn_array as_array(const z *a, int n, bool is_complex)
{
    kn_shape shape = KN_SHAPE(n, n);
    kn_array x = (kn_from_memory)(a, &shape, KN_C128);
    return is_complex ? x : kn_copy(kn_real(x));
}

static kn_array det(const kn_array *a) { return kn_linalg_det(*a); }
KN_FUNCTION(det, kn_array, kn_array)
static kn_array total(const kn_array *a) { return kn_sum(kn_linalg_det(*a)); }
KN_FUNCTION(total, kn_array, kn_array)

static void compare(const char *name, const z *a, int n, bool is_complex)
{
    KN_SCOPE;
    kn_array x = as_array(a, n, is_complex), g;
    z want[MOST * MOST], p[MOST * MOST];
    double largest = 1;
    for (int i = 0; i < n * n; i++) {
        want[i] = cofactor(a, n, i / n, i % n);
        largest = fmax(largest, cabs(want[i]));
    }
    if (is_complex) { /* along each element */
        kn_array y, units = kn_reshape(kn_astype(kn_eye(n * n), KN_C128), KN_SHAPE(n * n, n, n));
        kn_call(kn_vmap(kn_linearize(KN_FN(det), KN_ARGS(&x), &y)), &g, &units);
    } else
        kn_call(kn_grad(KN_FN(det)), &g, &x);
    kn_array got = kn_astype(g, KN_C128);
    assert_non_null(kn_data(got, kn_c128));
    memcpy(p, kn_data(got, kn_c128), (size_t)(n * n) * sizeof *p);
    for (int i = 0; i < n * n; i++)
        if (!(cabs(p[i] - want[i]) <= 1e-12 * largest))
            fail_msg("%s, %dx%d, cofactor %d %d: %.17g %+.17gi, not %g %+gi", name, n, n, i / n, i % n, creal(p[i]),
                     cimag(p[i]), creal(want[i]), cimag(want[i]));
}

static void gradients_are_cofactors_at_every_rank(void **state)
{
    (void)state;
    z a[MOST * MOST];
    char name[40];
    for (int n = 1; n <= 6; n++)
        for (int rank = 0; rank <= n; rank++)
            for (int is_complex = 0; is_complex < 2; is_complex++) {
                matrix_of_rank(a, n, rank, 7u * (unsigned)n + (unsigned)rank, is_complex);
                snprintf(name, sizeof name, "rank %d%s", rank, is_complex ? ", complex" : "");
                compare(name, a, n, is_complex);
            }
}

/* Pivots of 0 that are not the last, and many of them, say nothing of the rank. */
static void zero_pivots_may_be_anywhere(void **state)
{
    (void)state;
    for (int n = 2; n <= MOST; n++) {
        z shift[MOST * MOST] = {0}, hole[MOST * MOST] = {0}, lost[MOST * MOST] = {0};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                shift[i * n + j] = j == i + 1 ? i + 2 : 0;
                hole[i * n + j] = j == 0 ? 0 : (i * 3 + j * j) % 5 + (i == j);
                lost[i * n + j] = j <= 1 ? 0 : (i * 3 + j * j) % 5 + (i == j);
            }
        compare("a shift", shift, n, false);
        compare("a column of zeros", hole, n, false);
        compare("two columns of zeros", lost, n, false);
    }
}

static void stacks_mix_regular_and_singular_matrices(void **state)
{
    (void)state;
    for (int n = 0; n <= 5; n++) {
        KN_SCOPE;
        z a[3][MOST * MOST];
        kn_array one[3], each[3], g;
        for (int k = 0; k < 3; k++) {
            matrix_of_rank(a[k], n, n > k ? n - k : 0, 3u + (unsigned)k, false);
            one[k] = as_array(a[k], n, false);
            kn_call(kn_grad(KN_FN(det)), &each[k], &one[k]);
        }
        kn_array stack = kn_stack(KN_LIST(one[0], one[1], one[2])), by_vmap;
        kn_array deep = kn_reshape(stack, KN_SHAPE(3, 1, n, n));
        kn_call(kn_jit(kn_grad(KN_FN(total))), &g, &deep);
        kn_call(kn_vmap(kn_grad(KN_FN(det))), &by_vmap, &stack);
        assert_true(kn_array_equal(g, kn_reshape(kn_stack(KN_LIST(each[0], each[1], each[2])), KN_SHAPE(3, 1, n, n))));
        assert_true(kn_array_equal(by_vmap, kn_reshape(g, KN_SHAPE(3, n, n))));
    }
}

/* Of d2 det / da[i][j] da[k][l]: the determinant without both rows and columns, with the sign of their places. */
static z second_cofactor(const z *a, int n, int i, int j, int k, int l)
{
    unsigned all = (1u << n) - 1;
    if (i == k || j == l)
        return 0;
    int swaps = i + j + (k - (k > i)) + (l - (l > j));
    return (swaps % 2 ? -1 : 1) * minor_of(a, n, all & ~(1u << i | 1u << k), all & ~(1u << j | 1u << l));
}

static void expect_hessian(const z *a, int n)
{
    KN_SCOPE;
    kn_array x = as_array(a, n, false), h, h2;
    kn_call(kn_hessian(KN_FN(det)), &h, &x);
    kn_call(kn_jacrev(kn_jacrev(KN_FN(det))), &h2, &x);
    for (int way = 0; way < 2; way++) {
        const double *p = kn_data(way ? h2 : h, double);
        for (int e = 0; e < n * n * n * n; e++) {
            int l = e % n, k = e / n % n, j = e / n / n % n, i = e / n / n / n;
            double want = creal(second_cofactor(a, n, i, j, k, l));
            if (!(fabs(p[e] - want) <= 1e-11 * fmax(1, fabs(want))))
                fail_msg("%dx%d, %d%d %d%d: %.17g, not %g", n, n, i, j, k, l, p[e], want);
        }
    }
}

/* As far as JAX has them, and where it has none (more than three rows, singular) they are not promised. */
static void second_derivatives_are_second_cofactors(void **state)
{
    (void)state;
    z a[MOST * MOST];
    for (int n = 1; n <= 5; n++)
        for (int rank = n <= 3 ? 0 : n; rank <= n; rank++) {
            matrix_of_rank(a, n, rank, 50u + (unsigned)n, false);
            expect_hessian(a, n);
        }
}

static void nothing_to_join_is_one_with_an_empty_gradient(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, 0)), rows = kn_zeros(KN_SHAPE(2, 0, 0)), empty = kn_zeros(KN_SHAPE(0, 4, 4)),
             g;
    kn_call(kn_grad(KN_FN(det)), &g, &none);
    assert_int_equal(kn_size(g), 0);
    kn_call(kn_grad(KN_FN(total)), &g, &rows);
    assert_int_equal(kn_dim(g, 0), 2);
    kn_call(kn_grad(KN_FN(total)), &g, &empty);
    assert_int_equal(kn_dim(g, 1), 4);
}

/* det(a) a^-T, of the size of the identity's multiples: no product of pivots may overflow on the way. */
static void parts_of_a_determinant_do_not_overflow(void **state)
{
    (void)state;
    KN_SCOPE;
    int n = 8;
    kn_array scale = kn_of(double, 1e150, 1e150, 1e150, 1e150, 1e-150, 1e-150, 1e-150, 1e-150), g;
    kn_array a = kn_mul(kn_eye(n), scale);
    kn_call(kn_grad(KN_FN(det)), &g, &a);
    kn_array want = kn_div(1.0, scale);
    assert_true(kn_allclose(kn_diagonal(g), want, .rtol = 1e-14, .atol = 0));
    assert_true(kn_item(kn_count_nonzero(g)) == n);
}

KN_TEST_GROUP(test_determinants)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_are_cofactors_at_every_rank),         TEST(zero_pivots_may_be_anywhere),
        TEST(stacks_mix_regular_and_singular_matrices),      TEST(second_derivatives_are_second_cofactors),
        TEST(nothing_to_join_is_one_with_an_empty_gradient), TEST(parts_of_a_determinant_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
