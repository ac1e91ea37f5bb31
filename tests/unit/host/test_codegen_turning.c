/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_turning.c -- rectangles of every size of element, turned, and rows backwards, in every instruction set:
 * each element is where it belongs, nothing between them is written, and nothing outside is read or written, not even
 * where the memory around them is not mapped. */
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
#include <sys/mman.h>

enum { PAGE = 4096, ROOM = 16 * PAGE };

typedef struct forms {
    knh_turn_loop *turn;
    knh_reverse_loop *reverse;
} forms;

static int list_forms(forms *f)
{
    int n = 1;
    f[0] = (forms){knh_transpose_base, knh_reverse_rows_base};
#ifdef KN_HAVE_ISA_VARIANTS
    if (knx_cpu_best() >= KN_CPU_AVX2)
        f[n++] = (forms){knh_transpose_avx2, knh_reverse_rows_avx2};
    if (knx_cpu_best() >= KN_CPU_AVX512)
        f[n++] = (forms){knh_transpose_avx512, knh_reverse_rows_avx512};
#endif
    return n;
}

/* Memory between two pages without access; it lives as long as the tests. */
static char *guarded(void)
{
    char *m = mmap(NULL, ROOM + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(m != MAP_FAILED && !mprotect(m + PAGE, ROOM, PROT_READ | PROT_WRITE));
    return m + PAGE;
}

/* Steps in elements; at_end: the last elements lie before the page behind them, else the first ones behind a page. */
typedef struct rectangle {
    int size;
    int64_t rows, columns, from_step, to_step;
    bool at_end, bypass;
} rectangle;

static void turn_and_look(const forms *f, const rectangle *r)
{
    static char *from, *to, want[ROOM];
    const int64_t size = r->size, from_step = r->from_step * size, to_step = r->to_step * size;
    const int64_t read = (r->rows - 1) * from_step + r->columns * size;
    const int64_t written = (r->columns - 1) * to_step + r->rows * size;
    from = from ? from : guarded();
    to = to ? to : guarded();
    assert_true(read <= ROOM && written <= ROOM);
    char *x = r->at_end ? from + ROOM - read : from, *y = r->at_end ? to + ROOM - written : to;
    for (int64_t i = 0; i < read; i++)
        x[i] = (char)(i * 37 + (i >> 8) + 11);
    memset(y, 0x77, (size_t)written);
    memset(want, 0x77, (size_t)written);
    for (int64_t j = 0; j < r->columns; j++)
        for (int64_t i = 0; i < r->rows; i++)
            memcpy(want + j * to_step + i * size, x + i * from_step + j * size, (size_t)size);
    f->turn(r->size, y, to_step, x, from_step, r->rows, r->columns, r->bypass);
    if (memcmp(y, want, (size_t)written))
        fail_msg("%lld x %lld elements of %d bytes, %lld and %lld apart", (long long)r->rows, (long long)r->columns,
                 r->size, (long long)r->from_step, (long long)r->to_step);
}

static void turn_in_all_ways(const forms *f, int size, int64_t rows, int64_t columns)
{
    for (int way = 0; way < 8; way++) {
        const int64_t more = way >> 2;
        turn_and_look(f, &(rectangle){size, rows, columns, columns + more, rows, way & 1, way & 2});
        turn_and_look(f, &(rectangle){size, rows, columns, columns, rows + more * 64 / size, way & 1, way & 2});
        turn_and_look(f, &(rectangle){size, rows, columns, columns + 3, rows + more, way & 1, way & 2});
    }
}

static void rectangles_of_all_sides_are_turned(void **state)
{
    static const int size[] = {1, 2, 4, 8, 16};
    forms form[3];
    (void)state;
    for (int f = list_forms(form) - 1; f >= 0; f--)
        for (int s = 0; s < 5; s++)
            for (int64_t side = 1; side < 19; side++)
                for (int64_t length = 1; length < 200; length += length < 70 ? 1 : 29) {
                    turn_in_all_ways(&form[f], size[s], side, length);
                    turn_in_all_ways(&form[f], size[s], length, side);
                }
}

static void rows_that_are_one_row_are_repeated(void **state)
{
    unsigned char x[300], y[8 * 300];
    forms form[3];
    (void)state;
    for (int i = 0; i < 300; i++)
        x[i] = (unsigned char)i;
    for (int f = list_forms(form) - 1; f >= 0; f--)
        for (int64_t n = 1; n <= 8; n++) {
            form[f].turn(1, y, n, x, 0, n, 300, false);
            for (int i = 0; i < 300 * n; i++)
                assert_int_equal(y[i], x[i / n]);
        }
}

static void reverse_and_look(const forms *f, int size, int64_t n, int64_t rows, int64_t more, bool bypass)
{
    static char *from, *to, want[ROOM];
    const int64_t bytes = n * size, step = bytes + more * size, all = (rows - 1) * step + bytes;
    from = from ? from : guarded();
    to = to ? to : guarded();
    char *x = from + ROOM - all, *y = to + ROOM - all;
    for (int64_t i = 0; i < all; i++)
        x[i] = (char)(i * 37 + (i >> 8) + 11);
    memset(y, 0x77, (size_t)all);
    memset(want, 0x77, (size_t)all);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++)
            memcpy(want + r * step + i * size, x + r * step + (n - 1 - i) * size, (size_t)size);
    f->reverse(y, step, x, step, rows, bytes, size, bypass);
    if (memcmp(y, want, (size_t)all))
        fail_msg("%lld rows of %lld elements of %d bytes, %lld more apart", (long long)rows, (long long)n, size,
                 (long long)more);
}

static void rows_are_turned_around(void **state)
{
    forms form[3];
    (void)state;
    for (int f = list_forms(form) - 1; f >= 0; f--)
        for (int size = 1; size <= 16; size *= 2)
            for (int64_t n = 1; n < 400; n += n < 140 ? 1 : 37)
                for (int way = 0; way < 4; way++)
                    reverse_and_look(&form[f], size, n, 1 + n % 2, way & 1, way & 2);
}

/* --- programs that are nothing but this --- */

static void expect_numbers(kn_array y, int64_t n, const int64_t *want)
{
    const int64_t *v = kn_data(kn_astype(y, KN_I64), int64_t);
    assert_non_null(v);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(v[i], want[i]);
}

/* (n, 4)[:, :c] -> (c, n), (c, n) -> (n, c), and each element c times; up to 127, for bytes. */
static void channels_come_and_go(void **state)
{
    const kn_dtype dtypes[] = {KN_I8, KN_I16, KN_F32, KN_F64, KN_C64, KN_C128};
    (void)state;
    for (int d = 0; d < 6; d++)
        for (int64_t c = 1; c <= 8; c++) {
            KN_SCOPE;
            enum { N = 700 };
            static int64_t first[8 * N], last[8 * N], each[8 * N];
            kn_array x = kn_remainder(kn_arange(0, N * 9, 1), 127);
            kn_array pixels = kn_astype(kn_reshape(x, KN_SHAPE(N, 9)), dtypes[d]);
            kn_array planes = kn_astype(kn_reshape(kn_at(x, ":%", c * N), KN_SHAPE(c, N)), dtypes[d]);
            for (int64_t i = 0; i < N; i++)
                for (int64_t k = 0; k < c; k++) {
                    first[k * N + i] = (i * 9 + k) % 127;
                    last[i * c + k] = (k * N + i) % 127;
                    each[i * c + k] = i % 127;
                }
            expect_numbers(kn_copy(kn_transpose(kn_at(pixels, ":, :%", c))), c * N, first);
            kn_array whole = kn_copy(kn_at(pixels, ":, :%", c));
            expect_numbers(kn_copy(kn_transpose(whole)), c * N, first);
            expect_numbers(kn_copy(kn_transpose(planes)), c * N, last);
            expect_numbers(kn_repeat(kn_at(planes, "0"), c), c * N, each);
        }
}

static void small_elements_a_few_apart_are_copied(void **state)
{
    const kn_dtype dtypes[] = {KN_I8, KN_I16, KN_F32, KN_C64};
    (void)state;
    for (int d = 0; d < 4; d++)
        for (int64_t step = -8; step <= 8; step++) {
            KN_SCOPE;
            enum { N = 333 };
            static int64_t want[2 * N];
            if (!step)
                continue;
            int64_t far = step < 0 ? -step : step, row = far * N;
            kn_array x = kn_remainder(kn_arange(0, 2 * row, 1), 127);
            x = kn_astype(kn_reshape(x, KN_SHAPE(2, row)), dtypes[d]);
            for (int64_t r = 0; r < 2; r++)
                for (int64_t i = 0; i < N; i++)
                    want[r * N + i] = (r * row + (step < 0 ? row - 1 - i * far : far - 1 + i * far)) % 127;
            expect_numbers(kn_copy(kn_at(x, ":, %::%", step < 0 ? row - 1 : far - 1, step)), 2 * N, want);
        }
}

KN_TEST_GROUP(test_codegen_turning)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_of_all_sides_are_turned),
        cmocka_unit_test(rows_that_are_one_row_are_repeated),
        cmocka_unit_test(rows_are_turned_around),
        cmocka_unit_test(channels_come_and_go),
        cmocka_unit_test(small_elements_a_few_apart_are_copied),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return kn_finish() || failed;
}
