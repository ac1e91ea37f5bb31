/* SPDX-License-Identifier: Apache-2.0
 * test_routine_small.c -- small matrices in lanes: the same bits for every instruction set and number of neighbours, and
 * results within the bounds of LAPACK's tests for hard matrices, too. */
#include "base/memory.h"
#include "host/routine/isa.h"
#include "host/routine/small.h"
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

enum { MANY = 40, SIDE = KNR_SMALL, NUMBERS = SIDE * SIDE };

static uint64_t seed;
static double next(void) /* between -1 and 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) * 0x1p-52 - 1;
}

static void put(kn_dtype d, void *to, int64_t i, double v)
{
    if (d->size == 8)
        ((double *)to)[i] = v;
    else
        ((float *)to)[i] = (float)v;
}
static double get(kn_dtype d, const void *from, int64_t i)
{
    return d->size == 8 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

enum { PRODUCT = KNR_SMALL_KINDS }; /* a kind beside the others */

/* --- the same bits ---------------------------------------------------------------------------- */

typedef struct shape {
    int kind;
    int results;
} shape;
static const shape shapes[] = {{KNR_SMALL_CHOLESKY, 1}, {KNR_SMALL_LU, 3},  {KNR_SMALL_TRIANGULAR, 1},
                               {KNR_SMALL_SOLVE, 3},    {KNR_SMALL_DET, 1}, {KNR_SMALL_QR, 2},
                               {KNR_SMALL_EIGH, 2},     {KNR_SMALL_SVD, 3}, {PRODUCT, 1}};

/* Numbers of one matrix of result k. */
static int64_t numbers(const shape *of, const knr_small *s, int k)
{
    int64_t n = s->n, least = s->m < s->n ? s->m : s->n;
    switch (of->kind) {
    case KNR_SMALL_LU: return k ? n : n * n;
    case KNR_SMALL_TRIANGULAR: return n * s->columns;
    case KNR_SMALL_SOLVE: return k == 0 ? n * s->columns : k == 1 ? n * n : n;
    case KNR_SMALL_DET: return 1;
    case KNR_SMALL_QR: return k ? s->columns * n : s->m * s->columns;
    case KNR_SMALL_EIGH: return k ? n * n : n;
    case KNR_SMALL_SVD: return k == 0 ? least : k == 1 ? s->m * least : least * n;
    case PRODUCT: return s->m * s->columns;
    default: return n * n;
    }
}
static size_t bytes_of(const shape *of, const knr_small *s, int k)
{
    bool integers = (of->kind == KNR_SMALL_LU && k) || (of->kind == KNR_SMALL_SOLVE && k == 2);
    return (size_t)numbers(of, s, k) * (integers ? 4 : s->dtype->size);
}

static void *room_for(const knr_small *s) { return knx_alloc(knr_small_room(s)); }

static void run(const shape *of, const knr_small *s, int count, const void *a, const void *b, void *const *y)
{
    void *room = room_for(s);
    const void *x[] = {a, b};
    if (of->kind == PRODUCT)
        knr_small_multiply(s, count, x, y, room);
    else
        knr_small_run((knr_small_kind)of->kind, s, count, x, y, room);
    knx_free(room);
}

/* Among 40 matrices some that are zero, tiny, huge, diagonal, or have something that is no number. */
static void fill(const knr_small *s, void *a, int64_t count, int64_t each)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < each; i++) {
            double v = next() + (i % (s->n + 1) == 0 ? 3 : 0), tiny = s->dtype->size == 8 ? 1e-300 : 1e-36;
            v = k % 11 == 4 ? 0 : k % 11 == 5 ? v * tiny : k % 11 == 6 ? v / tiny : v;
            v = k % 11 == 7 && i % (s->n + 1) ? 0 : k % 11 == 8 && i == each / 2 ? (k % 2 ? NAN : INFINITY) : v;
            put(s->dtype, a, k * each + i, v);
        }
}

static bool same(kn_dtype d, bool integers, const void *x, const void *y, size_t bytes)
{
    size_t size = integers ? 4 : d->size;
    for (size_t i = 0; i < bytes / size; i++) {
        const char *p = (const char *)x + i * size, *q = (const char *)y + i * size;
        if (memcmp(p, q, size) && (integers || !isnan(get(d, x, (int64_t)i)) || !isnan(get(d, y, (int64_t)i))))
            return false;
    }
    return true;
}

/* One by one with the base instruction set, then all together. */
static void compare(const shape *of, const knr_small *s)
{
    static _Alignas(8) char a[MANY * NUMBERS * 8], b[MANY * NUMBERS * 8], want[3][MANY * NUMBERS * 8],
        got[3][MANY * NUMBERS * 8];
    int64_t a_each = s->m * s->n, b_each = s->n * s->columns;
    fill(s, a, MANY, a_each);
    fill(s, b, MANY, b_each);
    knr_isa_limit(KNR_ISA_BASE);
    for (int i = 0; i < MANY; i++) {
        void *y[3];
        for (int k = 0; k < of->results; k++)
            y[k] = want[k] + i * bytes_of(of, s, k);
        run(of, s, 1, a + (size_t)(i * a_each) * s->dtype->size, b + (size_t)(i * b_each) * s->dtype->size, y);
    }
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++) {
        knr_isa_limit((knr_isa_kind)isa);
        for (int count = isa == KNR_ISA_BASE ? MANY - 1 : 1; count <= MANY; count++) {
            void *y[] = {got[0], got[1], got[2]};
            memset(got, 0x55, sizeof got);
            run(of, s, count, a, b, y);
            for (int k = 0; k < of->results; k++) {
                size_t bytes = bytes_of(of, s, k);
                bool integers = bytes != (size_t)numbers(of, s, k) * s->dtype->size;
                if (!same(s->dtype, integers, got[k], want[k], bytes * (size_t)count))
                    fail_msg("kind %d, %s, %d x %d, instruction set %d: result %d of %d matrices differs", of->kind,
                             s->dtype->name, s->m, s->n, isa, k, count);
                for (size_t i = bytes * (size_t)count; i < bytes * MANY && i < bytes * (size_t)count + 64; i++)
                    assert_int_equal(got[k][i], 0x55); /* nothing is written behind the last matrix */
            }
        }
    }
    knr_isa_limit(KNR_ISA_AVX512);
}

static void bits_are_those_of_a_matrix_alone(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 11, 16};
    for (int wide = 0; wide < 2; wide++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                int n = sizes[i], columns = shapes[k].kind == KNR_SMALL_QR || n % 2 ? n : 1;
                knr_small s = {.dtype = wide ? KN_DT(F64) : KN_DT(F32),
                               .m = n,
                               .n = n,
                               .columns = columns,
                               .lower = n % 3 != 0,
                               .a = {n * n, n, 1},
                               .b = {n * columns, columns, 1},
                               .c = {n * columns, columns, 1}};
                s.view = (knr_solve_view){.t_row = n, .t_column = 1, .x_row = columns, .x_column = 1};
                seed = (uint64_t)n;
                compare(&shapes[k], &s);
            }
}

static void bits_of_rectangles_are_those_of_one_alone(void **state)
{
    (void)state;
    static const int sizes[][2] = {{3, 2}, {2, 3}, {8, 3}, {1, 5}, {16, 9}, {4, 16}};
    for (int wide = 0; wide < 2; wide++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                int m = sizes[i][0], n = sizes[i][1];
                if (shapes[k].kind != KNR_SMALL_QR && shapes[k].kind != KNR_SMALL_SVD && shapes[k].kind != PRODUCT)
                    continue;
                int columns = shapes[k].kind == KNR_SMALL_QR ? (m < n ? m : n) : 5;
                knr_small s = {.dtype = wide ? KN_DT(F64) : KN_DT(F32),
                               .m = m,
                               .n = n,
                               .columns = columns,
                               .a = {m * n, 1, m},
                               .b = {n * columns, 1, n},
                               .c = {m * columns, 1, m}};
                seed = (uint64_t)(m * 100 + n);
                compare(&shapes[k], &s);
            }
}

/* --- accuracy --------------------------------------------------------------------------------- */

typedef enum { RANDOM, GRADED, RANK_ONE, CLUSTERED, ZERO, TINY, HUGE_ONE, REPEATED, HARD_KINDS } hard;

static void make(hard how, kn_dtype d, int m, int n, bool symmetric, double *a)
{
    double u[SIDE], v[SIDE], unit = d->size == 8 ? DBL_EPSILON : (double)FLT_EPSILON;
    double scale = how == TINY ? (d->size == 8 ? 1e-305 : 1e-35) : how == HUGE_ONE ? (d->size == 8 ? 1e300 : 1e36) : 1;
    for (int i = 0; i < SIDE; i++) {
        u[i] = next();
        v[i] = symmetric ? u[i] : next();
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double x = next(), at = how == GRADED ? pow(unit, (double)(i + j) / (m + n)) : 1;
            x = how == RANK_ONE ? u[i] * v[j] : how == CLUSTERED ? (i == j) + x * 8 * unit : how == ZERO ? 0 : x;
            x = how == REPEATED ? (i == j ? 1 : 0) - (i < 2 && j < 2) : x;
            a[i * n + j] = x * at * scale;
        }
    for (int i = 0; symmetric && i < n; i++)
        for (int j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
}

typedef struct errors {
    double residual, left, right; /* in units of the last place of 1, beside the largest number of the matrix */
} errors;

static errors measure(kn_dtype d, int m, int n, int k, const double *a, const void *s, const void *u, const void *v,
                      bool v_rows)
{
    double unit = d->size == 8 ? DBL_EPSILON : (double)FLT_EPSILON, most = 0;
    errors e = {0, 0, 0};
    for (int i = 0; i < m * n; i++)
        most = fmax(most, fabs(a[i]));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double x = 0;
            for (int l = 0; l < k; l++)
                x += get(d, u, i * k + l) * (get(d, s, l) / (most > 0 ? most : 1)) *
                     get(d, v, v_rows ? l * n + j : j * k + l);
            e.residual = fmax(e.residual, fabs(x - a[i * n + j] / (most > 0 ? most : 1)) / unit);
        }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double x = 0, y = 0;
            for (int l = 0; l < m; l++)
                x += get(d, u, l * k + i) * get(d, u, l * k + j);
            for (int l = 0; l < n; l++)
                y += v_rows ? get(d, v, i * n + l) * get(d, v, j * n + l) : get(d, v, l * k + i) * get(d, v, l * k + j);
            e.left = fmax(e.left, fabs(x - (i == j)) / unit);
            e.right = fmax(e.right, fabs(y - (i == j)) / unit);
        }
    return e;
}

static void expect_small(const char *what, errors e, hard how, kn_dtype d, int m, int n)
{
    double bound = 4 + 2.0 * (m > n ? m : n);
    if (!(e.residual <= bound && e.left <= bound && e.right <= bound))
        fail_msg("%s of %s, %d x %d, kind %d: residual %g, vectors %g and %g units", what, d->name, m, n, how,
                 e.residual, e.left, e.right);
}

static void eigenvalues_are_within_their_bounds(void **state)
{
    (void)state;
    for (int n = 1; n <= SIDE; n++)
        for (int how = 0; how < HARD_KINDS * 2; how++) {
            kn_dtype d = how % 2 ? KN_DT(F64) : KN_DT(F32);
            double a[NUMBERS], in[NUMBERS], w[SIDE], v[NUMBERS], rounded[NUMBERS];
            knr_small s = {.dtype = d, .m = n, .n = n, .lower = n % 2};
            make((hard)(how / 2), d, n, n, true, a);
            for (int i = 0; i < n * n; i++)
                put(d, in, i, a[i]);
            for (int i = 0; i < n * n; i++)
                rounded[i] = get(d, in, i);
            void *room = room_for(&s);
            assert_true(knr_small_run(KNR_SMALL_EIGH, &s, 1, (const void *[]){in}, (void *[]){w, v}, room));
            knx_free(room);
            expect_small("eigh", measure(d, n, n, n, rounded, w, v, v, false), (hard)(how / 2), d, n, n);
            for (int i = 1; i < n; i++)
                assert_true(get(d, w, i - 1) <= get(d, w, i));
        }
}

static void singular_values_are_within_their_bounds(void **state)
{
    (void)state;
    for (int m = 1; m <= SIDE; m++)
        for (int how = 0; how < HARD_KINDS * 2; how++) {
            int n = how % 3 == 0 ? m : how % 3 == 1 ? (m + 1) / 2 : SIDE - m / 2, k = m < n ? m : n;
            kn_dtype d = how % 2 ? KN_DT(F64) : KN_DT(F32);
            double a[NUMBERS], in[NUMBERS], w[SIDE], u[NUMBERS], v[NUMBERS], rounded[NUMBERS];
            knr_small s = {.dtype = d, .m = m, .n = n};
            make((hard)(how / 2), d, m, n, false, a);
            for (int i = 0; i < m * n; i++)
                put(d, in, i, a[i]);
            for (int i = 0; i < m * n; i++)
                rounded[i] = get(d, in, i);
            void *room = room_for(&s);
            assert_true(knr_small_run(KNR_SMALL_SVD, &s, 1, (const void *[]){in}, (void *[]){w, u, v}, room));
            knx_free(room);
            expect_small("svd", measure(d, m, n, k, rounded, w, u, v, true), (hard)(how / 2), d, m, n);
            for (int i = 0; i < k; i++)
                assert_true(get(d, w, i) >= 0 && (!i || get(d, w, i - 1) >= get(d, w, i)));
        }
}

/* Without vectors there are the same values. */
static void values_do_not_depend_on_vectors(void **state)
{
    (void)state;
    double a[NUMBERS], w[SIDE], again[SIDE], u[NUMBERS], v[NUMBERS];
    for (int n = 1; n <= SIDE; n++) {
        knr_small s = {.dtype = KN_DT(F64), .m = n, .n = n, .lower = true};
        void *room = room_for(&s);
        make(RANDOM, s.dtype, n, n, true, a);
        knr_small_run(KNR_SMALL_EIGH, &s, 1, (const void *[]){a}, (void *[]){w, v}, room);
        knr_small_run(KNR_SMALL_EIGH, &s, 1, (const void *[]){a}, (void *[]){again, NULL}, room);
        assert_memory_equal(w, again, (size_t)n * 8);
        knr_small_run(KNR_SMALL_SVD, &s, 1, (const void *[]){a}, (void *[]){w, u, v}, room);
        knr_small_run(KNR_SMALL_SVD, &s, 1, (const void *[]){a}, (void *[]){again, NULL, NULL}, room);
        assert_memory_equal(w, again, (size_t)n * 8);
        knx_free(room);
    }
}

/* --- where there is no result ----------------------------------------------------------------- */

static void failures_stay_in_their_lane(void **state)
{
    (void)state;
    double a[] = {2, 1, 1, 2, NAN, 0, 0, 1, 1, 0, 0, -1, 3, 1, 1, 3}, w[8], v[16], l[16];
    knr_small s = {.dtype = KN_DT(F64), .m = 2, .n = 2, .lower = true};
    void *room = room_for(&s);
    assert_false(knr_small_run(KNR_SMALL_EIGH, &s, 4, (const void *[]){a}, (void *[]){w, v}, room));
    for (int i = 0; i < 8; i++)
        assert_int_equal(isnan(w[i]), i / 2 == 1);
    assert_true(knr_small_run(KNR_SMALL_EIGH, &s, 1, (const void *[]){a}, (void *[]){w, v}, room));
    assert_false(knr_small_run(KNR_SMALL_CHOLESKY, &s, 4, (const void *[]){a}, (void *[]){l}, room));
    assert_true(isnan(l[8]) && isnan(l[10]) && isnan(l[11]) && l[9] == 0 && l[12] == sqrt(3.0));
    assert_true(knr_small_run(KNR_SMALL_CHOLESKY, &s, 2, (const void *[]){a}, (void *[]){l}, room)); /* NaN goes on */
    knx_free(room);
}

static int widest(void **state)
{
    (void)state;
    knr_isa_limit(KNR_ISA_AVX512);
    return 0;
}

KN_TEST_GROUP(test_routine_small)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bits_are_those_of_a_matrix_alone, widest),
        cmocka_unit_test_teardown(bits_of_rectangles_are_those_of_one_alone, widest),
        cmocka_unit_test(eigenvalues_are_within_their_bounds),
        cmocka_unit_test(singular_values_are_within_their_bounds),
        cmocka_unit_test(values_do_not_depend_on_vectors),
        cmocka_unit_test(failures_stay_in_their_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
