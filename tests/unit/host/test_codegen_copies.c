/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_copies.c -- rows of bytes from memory to memory, in every instruction set; and arrays whose lanes are
 * every second element, alone and as complex numbers, of every length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "host/tile.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <string.h>

/* --- rows of bytes ---------------------------------------------------------------------------- */

enum { ROOM = 8192, EDGE = 64 };

static void copy_and_look(knh_copy_loop *copy, int64_t rows, int64_t bytes, int64_t to_step, int64_t from_step,
                          int skew, bool bypass)
{
    static unsigned char from[ROOM], to[ROOM], want[ROOM];
    for (int i = 0; i < ROOM; i++) {
        from[i] = (unsigned char)(i * 37 + 11);
        to[i] = want[i] = 0xee;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < bytes; i++)
            want[EDGE + r * to_step + i] = from[EDGE + skew + r * from_step + i];
    copy((char *)to + EDGE, to_step, (char *)from + EDGE + skew, from_step, rows, bytes, bypass);
    for (int i = 0; i < ROOM; i++)
        if (to[i] != want[i])
            fail_msg("%lld rows of %lld bytes, %lld and %lld apart: byte %d", (long long)rows, (long long)bytes,
                     (long long)to_step, (long long)from_step, i - EDGE);
}

static void rows_of_all_lengths_are_copied_and_nothing_else(void **state)
{
    knh_copy_loop *form[3] = {knh_copy_rows_base};
    int forms = 1;
    (void)state;
#ifdef KN_HAVE_ISA_VARIANTS
    if (knx_cpu_best() >= KN_CPU_AVX2)
        form[forms++] = knh_copy_rows_avx2;
    if (knx_cpu_best() >= KN_CPU_AVX512)
        form[forms++] = knh_copy_rows_avx512;
#endif
    for (int f = 0; f < forms; f++)
        for (int64_t bytes = 0; bytes < 1200; bytes += bytes < 300 ? 1 : 37)
            for (int64_t rows = 0; rows < 4; rows++) {
                copy_and_look(form[f], rows, bytes, bytes, bytes, (int)(bytes % 9), rows % 2);
                copy_and_look(form[f], rows, bytes, bytes + 13, bytes + 5, 3, bytes % 2);
                copy_and_look(form[f], rows, bytes, 1400, 0, 1, bytes % 2);
                copy_and_look(form[f], rows, bytes, 1408, 0, 1, true);
            }
}

static void a_row_is_copied_over_itself(void **state)
{
    char x[500], y[500];
    (void)state;
    for (int i = 0; i < 500; i++)
        x[i] = y[i] = (char)i;
    for (int64_t bytes = 1; bytes < 500; bytes++)
        knh_copy_rows_base(x, bytes, x, bytes, 1, bytes, false);
    assert_memory_equal(x, y, sizeof x);
}

/* --- every second element --------------------------------------------------------------------- */

enum { LONGEST = 150 };

static void expect_seconds(int n, kn_dtype d)
{
    KN_SCOPE;
    kn_array x = kn_astype(kn_arange(0, 2 * n, 1), d);
    kn_array even = kn_add(kn_astype(kn_mul(kn_at(x, "::2"), 3), KN_F64), 0.0),
             odd = kn_add(kn_astype(kn_at(x, "1::2"), KN_F64), 1.0);
    const double *a = kn_data(even, double), *b = kn_data(odd, double);
    assert_true(a && b);
    for (int i = 0; i < n; i++) {
        assert_true(a[i] == 3 * (2 * i));
        assert_true(b[i] == 2 * i + 2);
    }
}

static void every_second_element_of_any_number_is_read(void **state)
{
    (void)state;
    for (int n = 1; n < LONGEST; n++) {
        expect_seconds(n, KN_F64);
        expect_seconds(n, KN_F32);
        expect_seconds(n, KN_I32);
        expect_seconds(n, KN_I64);
        expect_seconds(n, KN_I16);
    }
}

static void expect_complex(int n, kn_dtype d)
{
    KN_SCOPE;
    kn_array x = kn_arange(0.0, n, 1), z = kn_astype(kn_lax_complex(x, kn_sub(x, 7.0)), d);
    kn_array y = kn_add(kn_mul(z, z), z);
    kn_array two = kn_astype(kn_stack(KN_LIST(kn_real(y), kn_imag(y))), KN_F64);
    const double *v = kn_data(two, double);
    assert_non_null(v);
    for (int i = 0; i < n; i++) {
        double re = i, im = i - 7;
        assert_true(v[i] == re * re - im * im + re);
        assert_true(v[n + i] == 2 * re * im + im);
    }
}

static void complex_numbers_of_any_number_are_read_and_written(void **state)
{
    (void)state;
    for (int n = 1; n < LONGEST; n++) {
        expect_complex(n, KN_C64);
        expect_complex(n, KN_C128);
    }
}

/* Rows that are written into a larger array: what lies between them stays. */
static void what_lies_between_stays(void **state)
{
    (void)state;
    for (int n = 1; n < LONGEST; n++) {
        KN_SCOPE;
        kn_array y = kn_full(KN_SHAPE(2 * n + 1), -1.0);
        kn_set_at(y, kn_add(kn_arange(0, n, 1), 0.5), "1::2");
        const double *v = kn_data(y, double);
        assert_non_null(v);
        for (int i = 0; i < n; i++)
            assert_true(v[2 * i] == -1 && v[2 * i + 1] == i + 0.5);
        assert_true(v[2 * n] == -1);
    }
}

/* --- other near steps ------------------------------------------------------------------------- */

static void expect_step(int n, int64_t step, kn_dtype d)
{
    KN_SCOPE;
    const int64_t far = step < 0 ? -step : step, all = far * n;
    kn_array x = kn_astype(kn_arange(0, all, 1), d);
    kn_array y = kn_add(kn_astype(kn_mul(kn_at(x, "%::%", step < 0 ? all - 1 : far - 1, step), 3), KN_F64), 1.0);
    const double *v = kn_data(y, double);
    assert_non_null(v);
    for (int i = 0; i < n; i++)
        assert_true(v[i] == 3 * (double)(step < 0 ? all - 1 - i * far : far - 1 + i * far) + 1);
}

static void elements_a_few_elements_apart_are_read(void **state)
{
    (void)state;
    for (int n = 1; n < LONGEST; n += n < 70 ? 1 : 13)
        for (int64_t step = -2; step < 11; step++) {
            if (!step)
                continue;
            expect_step(n, step, KN_F64);
            expect_step(n, step, KN_F32);
            expect_step(n, step, KN_I32);
            expect_step(n, step, KN_I64);
            expect_step(n, step, KN_I16);
        }
}

static void expect_written_step(int n, int64_t step, kn_dtype d)
{
    KN_SCOPE;
    const int64_t far = step < 0 ? -step : step, all = far * n;
    kn_array y = kn_full(KN_SHAPE(all), -1.0, .dtype = d);
    kn_set_at(y, kn_astype(kn_add(kn_arange(0, n, 1), 2), d), "%::%", step < 0 ? all - 1 : far - 1, step);
    kn_array z = kn_astype(y, KN_F64);
    const double *v = kn_data(z, double);
    assert_non_null(v);
    for (int64_t i = 0; i < all; i++) {
        const int64_t from = step < 0 ? all - 1 - i : i - (far - 1);
        assert_true(v[i] == (from % far ? -1.0 : (double)(from / far) + 2));
    }
}

static void elements_a_few_elements_apart_are_written(void **state)
{
    (void)state;
    for (int n = 1; n < LONGEST; n += n < 70 ? 1 : 13)
        for (int64_t step = -2; step < 11; step++) {
            if (!step)
                continue;
            expect_written_step(n, step, KN_F64);
            expect_written_step(n, step, KN_F32);
            expect_written_step(n, step, KN_I64);
            expect_written_step(n, step, KN_I16);
        }
}

KN_TEST_GROUP(test_codegen_copies)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_lengths_are_copied_and_nothing_else),
        cmocka_unit_test(a_row_is_copied_over_itself),
        cmocka_unit_test(every_second_element_of_any_number_is_read),
        cmocka_unit_test(complex_numbers_of_any_number_are_read_and_written),
        cmocka_unit_test(what_lies_between_stays),
        cmocka_unit_test(elements_a_few_elements_apart_are_read),
        cmocka_unit_test(elements_a_few_elements_apart_are_written),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return kn_finish() || failed;
}
