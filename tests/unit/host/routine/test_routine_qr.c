/* SPDX-License-Identifier: Apache-2.0
 * test_routine_qr.c -- QR factors of real matrices: the same bits for every instruction set and number of threads,
 * residuals and orthogonality within the bounds of LAPACK's tests, and products of packed reflections. */
#include "host/routine/isa.h"
#include "host/routine/qr.h"
#include "support/group.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const knr_isa_kind isas[] = {KNR_ISA_AVX512, KNR_ISA_AVX2, KNR_ISA_BASE};
enum { RUNS = 3, BOUND = 30 };

static void *room(size_t bytes)
{
    void *p = aligned_alloc(64, ((bytes + 63) & ~(size_t)63) + 64);
    assert_non_null(p);
    memset(p, 0xff, bytes);
    return p;
}

static double get(kn_dtype d, const void *x, int64_t i)
{
    return d->size == 8 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}
static void set(kn_dtype d, void *x, int64_t i, double v)
{
    if (d->size == 8)
        ((double *)x)[i] = v;
    else
        ((float *)x)[i] = (float)v;
}

static uint64_t state_of_random;
static double random_number(void)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state_of_random >> 11) * 0x1p-52 - 1;
}

typedef struct factors {
    kn_dtype d;
    int64_t m, n, k;
    char *a, *packed, *tau, *q, *r;
} factors;

static factors begin(kn_dtype d, int64_t m, int64_t n, double scale)
{
    factors x = {.d = d, .m = m, .n = n, .k = m < n ? m : n};
    x.a = room((size_t)(m * n) * d->size);
    x.packed = room((size_t)(m * n) * d->size);
    x.tau = room((size_t)x.k * d->size);
    x.q = room((size_t)(m * x.k) * d->size);
    x.r = room((size_t)(x.k * n) * d->size);
    for (int64_t i = 0; i < m * n; i++)
        set(d, x.a, i, random_number() * scale);
    return x;
}

static void end(factors *x) { free(x->a), free(x->packed), free(x->tau), free(x->q), free(x->r); }

static void run(const factors *x, int threads, char *packed, char *tau, char *q, char *r)
{
    knr_qr s = {x->d, x->m, x->n, x->k, threads};
    void *w = room(knr_qr_workspace(&s, false));
    knr_qr_run(&s, x->a, &(knr_qr_results){.packed = packed, .tau = tau, .q = q, .r = r}, w);
    free(w);
}

/* The factors, and that they have the same bits with other instructions and threads. */
static void factor(factors *x)
{
    factors y = begin(x->d, x->m, x->n, 1);
    for (int i = 0; i < RUNS; i++) {
        knr_isa_limit(isas[i]);
        run(x, 1 + i, i ? y.packed : x->packed, i ? y.tau : x->tau, i ? y.q : x->q, i ? y.r : x->r);
        if (!i)
            continue;
        assert_memory_equal(y.packed, x->packed, (size_t)(x->m * x->n) * x->d->size);
        assert_memory_equal(y.tau, x->tau, (size_t)x->k * x->d->size);
        assert_memory_equal(y.q, x->q, (size_t)(x->m * x->k) * x->d->size);
        assert_memory_equal(y.r, x->r, (size_t)(x->k * x->n) * x->d->size);
    }
    knr_isa_limit(KNR_ISA_AVX512);
    end(&y);
}

/* The largest sum of a row of |a - q r| and of |1 - q^T q|, in units of rounding. */
static void is_accurate(const factors *x, double scale)
{
    double eps = x->d->size == 8 ? DBL_EPSILON : FLT_EPSILON, size = 0, wrong = 0, skew = 0;
    for (int64_t i = 0; i < x->m; i++) {
        double row = 0, error = 0;
        for (int64_t j = 0; j < x->n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < x->k && l <= j; l++)
                sum += get(x->d, x->q, i * x->k + l) * (get(x->d, x->r, l * x->n + j) / scale);
            row += fabs(get(x->d, x->a, i * x->n + j) / scale);
            error += fabs(get(x->d, x->a, i * x->n + j) / scale - sum);
        }
        size = row > size ? row : size;
        wrong = error > wrong ? error : wrong;
    }
    for (int64_t i = 0; i < x->k; i++) {
        double error = 0;
        for (int64_t j = 0; j < x->k; j++) {
            double sum = 0;
            for (int64_t l = 0; l < x->m; l++)
                sum += get(x->d, x->q, l * x->k + i) * get(x->d, x->q, l * x->k + j);
            error += fabs((i == j) - sum);
        }
        skew = error > skew ? error : skew;
    }
    if (wrong > BOUND * eps * (double)x->m * size || skew > BOUND * eps * (double)x->m)
        fail_msg("%s %lldx%lld: residual %g, orthogonality %g", x->d->name, (long long)x->m, (long long)x->n,
                 wrong / (eps * (double)x->m * size), skew / (eps * (double)x->m));
    for (int64_t i = 1; i < x->k; i++)
        for (int64_t j = 0; j < i && j < x->n; j++)
            assert_true(get(x->d, x->r, i * x->n + j) == 0);
}

static const int64_t shapes[][2] = {{17, 1},  {1, 17},  {17, 17}, {20, 16}, {16, 20}, {31, 33},   {32, 32},
                                    {33, 31}, {64, 64}, {65, 40}, {40, 65}, {97, 97}, {300, 100}, {100, 300}};
static const kn_dtype dtypes[] = {KN_DT(F64), KN_DT(F32)};

static void factors_are_accurate_and_the_same_everywhere(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            factors x = begin(dtypes[t], shapes[i][0], shapes[i][1], 1);
            factor(&x);
            is_accurate(&x, 1);
            end(&x);
        }
}

static void huge_and_tiny_numbers(void **state)
{
    (void)state;
    static const double scales[2][4] = {{0x1p-1040, 0x1p-700, 0x1p700, 0x1p1010},
                                        {0x1p-135, 0x1p-100, 0x1p100, 0x1p120}};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 4; i++) {
            factors x = begin(dtypes[t], 45, 38, scales[t][i]);
            factor(&x);
            if (i) /* subnormal numbers have fewer digits */
                is_accurate(&x, scales[t][i]);
            for (int64_t l = 0; l < 45 * 38; l++)
                assert_true(isfinite(get(x.d, x.q, l)));
            end(&x);
        }
}

static void columns_of_zeros_and_of_multiples(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        factors x = begin(dtypes[t], 50, 40, 1);
        for (int64_t i = 0; i < 50; i++)
            for (int64_t j = 0; j < 40; j++)
                if (j % 3)
                    set(x.d, x.a, i * 40 + j, j % 3 == 1 ? 0 : 2 * get(x.d, x.a, i * 40 + j - j % 3));
        factor(&x);
        is_accurate(&x, 1);
        end(&x);
    }
}

static void numbers_that_are_none_go_on(void **state)
{
    (void)state;
    factors x = begin(KN_DT(F32), 20, 20, 1);
    set(x.d, x.a, 5, NAN);
    set(x.d, x.a, 20 * 7 + 9, INFINITY);
    run(&x, 1, x.packed, x.tau, x.q, x.r);
    assert_true(isnan(get(x.d, x.r, 20 * 19 + 19)));
    assert_true(isfinite(get(x.d, x.r, 0)));
    end(&x);
}

static void multiply(const factors *x, const char *c, char *y, int64_t rows, int64_t n, bool from_right, bool adjoint)
{
    knr_reflections s = {x->d, x->m, x->n, x->k, rows, n, from_right, adjoint, 2};
    void *w = room(knr_reflections_workspace(&s));
    knr_reflections_run(&s, x->packed, x->tau, c, y, w);
    free(w);
}

static void products_of_packed_reflections(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        kn_dtype d = dtypes[t];
        double eps = d->size == 8 ? DBL_EPSILON : FLT_EPSILON;
        factors x = begin(d, 70, 45, 1), c = begin(d, 70, 70, 1), y = begin(d, 70, 70, 1);
        factor(&x);
        multiply(&x, NULL, y.a, 0, 45, false, false);
        assert_memory_equal(y.a, x.q, (size_t)(70 * 45) * d->size);
        multiply(&x, NULL, y.packed, 0, 70, false, false); /* all of q */
        for (int how = 0; how < 4; how++) {
            bool right = how & 1, adjoint = how & 2;
            multiply(&x, c.a, y.a, 70, 70, right, adjoint);
            for (int64_t i = 0; i < 70; i++)
                for (int64_t j = 0; j < 70; j++) {
                    double sum = 0;
                    for (int64_t l = 0; l < 70; l++) {
                        int64_t row = right ? l : i, column = right ? j : l;
                        double q = get(d, y.packed, adjoint ? column * 70 + row : row * 70 + column);
                        sum += q * get(d, c.a, right ? i * 70 + l : l * 70 + j);
                    }
                    assert_true(fabs(sum - get(d, y.a, i * 70 + j)) < 70 * eps);
                }
        }
        end(&x), end(&c), end(&y);
    }
}

KN_TEST_GROUP(test_routine_qr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_accurate_and_the_same_everywhere),
        cmocka_unit_test(huge_and_tiny_numbers),
        cmocka_unit_test(columns_of_zeros_and_of_multiples),
        cmocka_unit_test(numbers_that_are_none_go_on),
        cmocka_unit_test(products_of_packed_reflections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
