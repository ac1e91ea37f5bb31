/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_dump.c -- kernels written by KILN_DUMP_KERNELS are read back, and data for them is large enough. */
#include "host/dump.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/kernel_case.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* y[i] = x[3 - table[i]] and its row sum, z in place of y */
static const char *const sample = "kernel 1\n"
                                  "buffer 0 i32 read\n"
                                  "buffer 1 f32 read\n"
                                  "buffer 2 f32 read\n"
                                  "buffer 3 f32 write\n"
                                  "stage 0 inner 1\n"
                                  "map 0 * 1\n"
                                  "map 1 0 0\n"
                                  "  %0 = load i32 b0 m0\n"
                                  "  %1 = cast i64 %0\n"
                                  "  %2 = const i64 0xfffffffffffffff6\n"
                                  "  %3 = mul i64 %1 %2\n"
                                  "  %4 = load f32 b1 m1 index %3\n"
                                  "  %5 = reduce.add f32 %4\n"
                                  "stage 1 inner 0\n"
                                  "map 2 1\n"
                                  "  %6 = load f32 b2 m2\n"
                                  "  %7 = add f32 %5 %6\n"
                                  "  store b3 m2 %7\n"
                                  "launch\n"
                                  "par 3\n"
                                  "inner 0 5\n"
                                  "map 0 2 7 1\n"
                                  "map 1 4 0 0\n"
                                  "map 2 -1 1\n"
                                  "alias 3 2\n";

/* In 6 turns, in each of which a while may run: y[t] = x[t] + table[...]; 0x7fff...: no limit. */
static const char *const looped = "kernel 1\n"
                                  "buffer 0 f32 read\n"
                                  "buffer 1 f32 write\n"
                                  "stage 0 inner 0 loops 2\n"
                                  "map 0 0 * 0\n"
                                  "map 1 0 0 0\n"
                                  "map 2 1 * 0\n"
                                  "  %0 = const i64 0xf\n"
                                  "  %1 = const f32 0x41200000\n"
                                  "  loop.0\n"
                                  "    %3 = load f32 b0 m0\n"
                                  "    loop.1\n"
                                  "      %5 = carry.1 f32 %3\n"
                                  "      %6 = lt bool %5 %1\n"
                                  "      while.1 %6\n"
                                  "      %8 = cast i64 %5\n"
                                  "      %9 = and i64 %0 %8\n"
                                  "      %10 = load f32 b0 m1 index %9\n"
                                  "      %11 = add f32 %1 %10\n"
                                  "      next.1 %5 %11\n"
                                  "    end.1\n"
                                  "    %14 = last.1 f32 %5\n"
                                  "    store b1 m2 %14\n"
                                  "  end.0\n"
                                  "launch\n"
                                  "par 3\n"
                                  "inner 0 6 9223372036854775807\n"
                                  "map 0 0 0 -2 0\n"
                                  "map 1 4 0 0 0\n"
                                  "map 2 0 1 3 0\n";

/* The data of the case, whose dump is the text again. */
static kernel_data *read_back(kernel_case *c, const char *want)
{
    knx_error *e = kernel_case_parse(want, c);
    if (e)
        fail_msg("%s", e->message);
    kernel_data *d = kernel_data_new(c, 1);
    assert_non_null(d);
    knk_launch l = c->l;
    l.buffer = d->base;
    char *text = NULL;
    assert_null(knh_dump_text(c->k, &l, &text));
    assert_string_equal(text, want);
    knx_free(text);
    return d;
}

static void a_dump_is_read_back(void **state)
{
    (void)state;
    kernel_case c;
    kernel_data *d = read_back(&c, sample);
    assert_ptr_equal(d->base[2], d->base[3]);
    kernel_data_free(d);
    kernel_case_free(&c);
}

/* Memory reaches where the turns and the form of an index lead. */
static void a_dump_with_loops_is_read_back(void **state)
{
    (void)state;
    kernel_case c;
    kernel_data *d = read_back(&c, looped);
    assert_int_equal(c.low[0], -10);
    assert_int_equal(c.high[0], 4 + 16);
    assert_int_equal(c.low[1], 0);
    assert_int_equal(c.high[1], 18);
    kernel_data_free(d);
    kernel_case_free(&c);
}

static void memory_reaches_where_indices_lead(void **state)
{
    (void)state;
    kernel_case c;
    int64_t least = INT64_MAX;
    assert_null(kernel_case_parse(sample, &c));
    kernel_data *d = kernel_data_new(&c, 7);
    assert_non_null(d);
    assert_int_equal(c.low[0], 2);
    assert_int_equal(c.high[0], 2 + 2 * 7 + 5);
    assert_int_equal(c.low[2], -1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++) {
            int64_t at = 4 - 10 * (int64_t)((const int32_t *)d->base[0])[2 + 7 * i + j];
            least = at < least ? at : least;
            assert_true(at >= c.low[1] && at < c.high[1]);
        }
    assert_int_equal(least, c.low[1]);
    kernel_data_free(d);
    kernel_case_free(&c);
}

static void equal_seeds_give_equal_data(void **state)
{
    (void)state;
    kernel_case c;
    int64_t words = 0;
    assert_null(kernel_case_parse(sample, &c));
    kernel_data *a = kernel_data_new(&c, 3), *b = kernel_data_new(&c, 3), *copy = kernel_data_copy(&c, a);
    assert_true(a && b && copy);
    assert_int_equal(kernel_data_differences(&c, a, b, &words, NULL, 0), 0);
    assert_true(words > 0);
    *(uint32_t *)copy->base[2] ^= 1;
    assert_int_equal(kernel_data_differences(&c, a, copy, &words, NULL, 0), 1);
    kernel_data_free(a);
    kernel_data_free(b);
    kernel_data_free(copy);
    kernel_case_free(&c);
}

static void a_kernel_is_written_once(void **state)
{
    (void)state;
    kernel_case c;
    char path[300], text[2000];
    assert_null(kernel_case_parse(sample, &c));
    kernel_data *d = kernel_data_new(&c, 1);
    assert_non_null(d);
    knk_launch l = c.l;
    l.buffer = d->base;
    knh_dump(c.k, &l);
    snprintf(path, sizeof path, "%s/%016" PRIx64 ".kernel", getenv("KILN_DUMP_KERNELS"), c.k->hash);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_string_equal(text, sample);
    unlink(path);
    knh_dump(c.k, &l);
    assert_int_not_equal(access(path, F_OK), 0);
    kernel_data_free(d);
    kernel_case_free(&c);
}

KN_TEST_GROUP(test_codegen_dump)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dump_is_read_back),
        cmocka_unit_test(a_dump_with_loops_is_read_back),
        cmocka_unit_test(memory_reaches_where_indices_lead),
        cmocka_unit_test(equal_seeds_give_equal_data),
        cmocka_unit_test(a_kernel_is_written_once),
    };
    char folder[] = P_tmpdir "/kiln-dump-XXXXXX";
    if (!mkdtemp(folder) || setenv("KILN_DUMP_KERNELS", folder, 1))
        return 1;
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return result;
}
