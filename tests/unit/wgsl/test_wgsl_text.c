/* SPDX-License-Identifier: Apache-2.0
 * test_wgsl_text.c -- kernels as WGSL without a device: each has a text or a reason, the same request gives the same
 * text, what is refused, which way of sharing points out is chosen, what a grid looks like. */
#include "kernel/internal.h"
#include "support/group.h"
#include "support/kernel_case.h"
#include "wgsl/wgsl.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const knw_facts facts = {.lanes = 256, .workgroup_bytes = 16384, .most_groups = 65535, .joins = true};
enum { MOST_BUFFERS = 64 };

static char *text_with(const knw_facts *of, const knk_kernel *k, bool exact, knw_mode mode, int part)
{
    uint8_t memory[MOST_BUFFERS];
    uint32_t memories, twice;
    char *text = NULL, *again = NULL;
    int n = k->n_buffer < 16 ? k->n_buffer : 16;
    for (int i = 0; i < k->n_buffer; i++)
        memory[i] = (uint8_t)(i % 16);
    const knw_request r = {k, of, exact, (uint8_t)mode, part, memory, n};
    assert_null(knw_text(&r, &text, &memories));
    assert_null(knw_text(&r, &again, &twice));
    assert_string_equal(text, again);
    assert_int_equal(memories, twice);
    knx_free(again);
    return text;
}

static char *text_of(const knk_kernel *k, bool exact, knw_mode mode, int part)
{
    return text_with(&facts, k, exact, mode, part);
}

static knk_kernel *parsed(const char *text)
{
    knk_kernel *k = NULL;
    assert_null(knk_parse(text, &k));
    return k;
}

/* ---- texts ---- */

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static bool has_float64(const knk_kernel *k)
{
    for (int i = 0; i < k->n_node; i++)
        if (k->node[i].dtype == KN_ID_F64)
            return true;
    return false;
}

static void all_texts(const knk_kernel *k)
{
    for (int exact = 0; exact < 2; exact++) {
        knx_free(text_of(k, exact, KNW_POINTS, 0));
        knx_free(text_of(k, exact, KNW_ROWS, 0));
        knx_free(text_of(k, exact, KNW_COLUMNS, 0));
        for (int part = 0; part < knw_parts(k); part++)
            knx_free(text_of(k, exact, KNW_PARTS, part));
    }
}

static void stored_kernels_have_texts_or_reasons(void **state)
{
    glob_t all;
    int texts = 0, refused = 0;
    (void)state;
    assert_int_equal(glob(KN_TEST_DIR "/data/kernels/*.kernel", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++) {
        char *text = read_text(all.gl_pathv[i]);
        kernel_case c;
        assert_null(kernel_case_parse(text, &c));
        free(text);
        const char *why = knw_refuses(c.k);
        assert_int_equal(why != NULL, has_float64(c.k));
        if (!why)
            all_texts(c.k);
        texts += !why;
        refused += why != NULL;
        kernel_case_free(&c);
    }
    globfree(&all);
    print_message("%d kernels, %d refused\n", texts, refused);
    assert_true(texts > 400);
}

/* Uses of an index that need its lower half alone are arithmetic of 32 bits. */
static void indices_of_loads_have_32_bits(void **state)
{
    (void)state;
    knk_kernel *k =
        parsed("kernel 1\nbuffer 0 f32 read\nbuffer 1 f32 write\nstage 0 inner 0\nmap 0 0\nmap 1 *\nmap 2 1\n"
               "  %0 = index i64 m1\n  %1 = const i64 0x5\n  %2 = add i64 %0 %1\n"
               "  %3 = load f32 b0 m0 index %2\n  store b1 m2 %3\n");
    char *text = text_of(k, true, KNW_POINTS, 0);
    assert_null(strstr(text, "vec2<u32>"));
    knx_free(text);
    knk_release(k);
}

static void cold_sides_stand_in_an_if(void **state)
{
    (void)state;
    knk_kernel *k = parsed("kernel 1\nbuffer 0 i32 read\nbuffer 1 i32 write\nstage 0 inner 0\nmap 0 1\n"
                           "  %0 = load i32 b0 m0\n  %1 = const i32 0x5\n  %2 = lt bool %0 %1\n  %3 = mul i32 %0 %0\n"
                           "  %4 = select.cold i32 %2 %3 %0\n  store b1 m0 %4\n");
    char *text = text_of(k, true, KNW_POINTS, 0);
    const char *test = strstr(text, "if (v2) {");
    assert_non_null(test);
    assert_non_null(strstr(test, "v3 = "));
    assert_non_null(strstr(text, "var v3: i32 = "));
    knx_free(text);
    knk_release(k);
}

/* An invocation that has all bytes of a word writes it at once; bytes that are not adjacent are set one by one. */
static void adjacent_bytes_are_written_as_words(void **state)
{
    static const char *const maps[] = {"1", "*"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char source[300];
        snprintf(source, sizeof source,
                 "kernel 1\nbuffer 0 u8 read\nbuffer 1 u8 write\nstage 0 inner 0\nmap 0 1\nmap 1 %s\n"
                 "  %%0 = load u8 b0 m0\n  %%1 = not u8 %%0\n  store b1 m1 %%1\n",
                 maps[i]);
        knk_kernel *k = parsed(source);
        char *text = text_of(k, true, KNW_POINTS, 0);
        assert_int_equal(strstr(text, "atomicStore(&memory1[first >> 2u]") != NULL, i == 0);
        assert_non_null(strstr(text, "atomicOr(&memory1["));
        knx_free(text);
        knk_release(k);
    }
}

/* ---- what is refused ---- */

static const char sum_of_rows[] = "kernel 1\nbuffer 0 f32 read\nbuffer 1 f32 write\nstage 0 inner 1\nmap 0 * 1\n"
                                  "  %0 = load f32 b0 m0\n  %1 = reduce.add f32 %0\nstage 1 inner 0\nmap 1 1\n"
                                  "  store b1 m1 %1\n";

static void float64_is_refused(void **state)
{
    (void)state;
    knk_kernel *k = parsed("kernel 1\nbuffer 0 f64 read\nbuffer 1 f32 write\nstage 0 inner 0\nmap 0 1\n"
                           "  %0 = load f64 b0 m0\n  %1 = cast f32 %0\n  store b1 m0 %1\n");
    const knw_request r = {k, &facts, true, KNW_POINTS, 0, (uint8_t[]){0, 1}, 2};
    char *text;
    uint32_t memories;
    assert_string_equal(knw_refuses(k), "64-bit floats");
    knx_error *e = knw_text(&r, &text, &memories);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_NOT_IMPLEMENTED);
    assert_non_null(strstr(e->message, "64-bit floats"));
    assert_null(text);
    knx_error_release(e);
    knk_release(k);
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

/* Six levels of the tree; those within a subgroup are shuffles, and of 64 no memory is shared. */
static void levels_within_a_subgroup_are_shuffles(void **state)
{
    static const struct {
        uint32_t size;
        int shuffles, memory;
    } of[] = {{0, 0, 1}, {4, 2, 1}, {8, 3, 1}, {16, 4, 1}, {32, 5, 1}, {64, 6, 0}};
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        knw_facts f = facts;
        f.subgroup = of[i].size;
        char *text = text_with(&f, k, true, KNW_ROWS, 0);
        assert_int_equal(count_of(text, "subgroupShuffleXor("), of[i].shuffles);
        assert_int_equal(count_of(text, "enable subgroups;"), of[i].size != 0);
        assert_int_equal(count_of(text, "var<workgroup>"), of[i].memory);
        knx_free(text);
        char *alone = text_with(&f, k, true, KNW_POINTS, 0);
        assert_int_equal(count_of(alone, "subgroup"), 0);
        knx_free(alone);
    }
    knk_release(k);
}

static void a_dispatch_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    char *text;
    uint32_t memories;
    assert_int_equal(knw_parts(k), 2);
    for (int part = -1; part < 3; part += 3) {
        const knw_request r = {k, &facts, true, KNW_PARTS, part, (uint8_t[]){0, 1}, 2};
        knx_error *e = knw_text(&r, &text, &memories);
        assert_non_null(e);
        knx_error_release(e);
    }
    knk_release(k);
}

static void without_memory_there_is_an_error_and_no_leak(void **state)
{
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    const knw_request r = {k, &facts, true, KNW_PARTS, 0, (uint8_t[]){0, 1}, 2};
    bool done = false;
    for (int64_t n = 0; !done; n++) {
        char *text;
        uint32_t memories;
        int64_t live = knx_alloc_live();
        knx_fail_after(n, true);
        knx_error *e = knw_text(&r, &text, &memories);
        knx_fail_after(-1, false);
        done = !e;
        assert_int_equal(text != NULL, done);
        knx_free(text);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
    knk_release(k);
}

/* ---- launches ---- */

typedef struct row_launch {
    knw_launch l;
    knk_map_values map[2];
    int64_t stride[2][2], par[1], inner[1];
    const int64_t *inner_at[2];
    uint32_t at[3];
} row_launch;

/* Of sum_of_rows: so many rows; step: from row to row, 1: rows are columns of memory. */
static const knw_launch *rows(row_launch *r, int64_t points, int64_t length, bool across)
{
    *r = (row_launch){.par = {points}, .inner = {length}};
    r->stride[0][0] = across ? 1 : length;
    r->stride[0][1] = across ? points : 1;
    r->stride[1][0] = 1;
    for (int i = 0; i < 2; i++)
        r->map[i].stride = r->stride[i];
    r->inner_at[0] = r->inner;
    r->inner_at[1] = r->inner + 1;
    r->l = (knw_launch){r->map, r->par, r->inner_at, r->at};
    return &r->l;
}

static void the_way_follows_from_the_shape(void **state)
{
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    row_launch r;
    knw_facts limited = facts;
    assert_int_equal(knw_choose(k, &facts, rows(&r, 100000, 8, false)), KNW_POINTS);
    assert_int_equal(knw_choose(k, &facts, rows(&r, 100000, 1000, true)), KNW_POINTS);
    assert_int_equal(knw_choose(k, &facts, rows(&r, 100000, 1000, false)), KNW_ROWS);
    assert_int_equal(knw_choose(k, &facts, rows(&r, 5000, 1000, true)), KNW_COLUMNS);
    assert_int_equal(knw_choose(k, &facts, rows(&r, 10, 1000, true)), KNW_ROWS);
    assert_int_equal(knw_choose(k, &facts, rows(&r, 1, 10000000, false)), KNW_PARTS);
    limited.most_turns = 65535;
    assert_int_equal(knw_choose(k, &limited, rows(&r, 100000, 65536, true)), KNW_COLUMNS);
    assert_int_equal(knw_choose(k, &limited, rows(&r, 100000, 1000000, true)), KNW_ROWS);
    assert_int_equal(knw_choose(k, &limited, rows(&r, 100000, 10000000, true)), KNW_PARTS);
    knk_release(k);
}

/* What the host has goes with the numbers: the text has no binding for it. */
static void small_values_are_words(void **state)
{
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    const knw_request q = {k, &facts, true, KNW_POINTS, 0, (uint8_t[]){KNW_GIVEN, 0}, 1},
                      far = {k, &facts, true, KNW_POINTS, 0, (uint8_t[]){0, 1}, 2};
    char *text = NULL;
    uint32_t memories, n, other;
    assert_null(knw_n_words(&q, &n));
    assert_null(knw_n_words(&far, &other));
    assert_int_equal(n, other + 4);
    assert_int_equal(knw_given_word(&q, n, 0), other);
    assert_null(knw_text(&q, &text, &memories));
    assert_int_equal(memories, 1);
    assert_non_null(strstr(text, "fn given0_f32("));
    assert_null(strstr(text, "@binding(2)"));
    knx_free(text);
    knk_release(k);
}

static void what_32_bits_do_not_count_is_too_large(void **state)
{
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    row_launch r;
    assert_null(knw_too_large(k, &facts, rows(&r, 1000, 1000, false)));
    assert_non_null(knw_too_large(k, &facts, rows(&r, (int64_t)1 << 32, 1, false)));
    assert_non_null(knw_too_large(k, &facts, rows(&r, 1, (int64_t)1 << 32, false)));
    assert_non_null(knw_too_large(k, &facts, rows(&r, (int64_t)1 << 20, (int64_t)1 << 27, false)));
    knk_release(k);
}

/* Where an invocation can make so many turns only, a loop needs a limit below them. */
static void loops_have_to_end_in_time(void **state)
{
    (void)state;
    knk_kernel *k = parsed("kernel 1\nbuffer 0 i32 write\nstage 0 inner 0 loops 1\nmap 0 1 0\n"
                           "  %0 = const i32 0x0\n  %1 = const i32 0x1\n  loop.0\n  %3 = carry.0 i32 %0\n"
                           "  %4 = add i32 %3 %1\n  next.0 %3 %4\n  end.0\n  %7 = last.0 i32 %3\n  store b0 m0 %7\n");
    const int64_t par[] = {10}, stride[] = {1, 0}, turns[] = {1000, 100000, KNK_NO_LIMIT};
    const knk_map_values map = {0, stride};
    knw_facts limited = facts;
    limited.most_turns = 65535;
    for (int i = 0; i < 3; i++) {
        const int64_t *inner = &turns[i];
        const knw_launch l = {&map, par, &inner, (uint32_t[]){0}};
        assert_null(knw_too_large(k, &facts, &l));
        assert_int_equal(knw_too_large(k, &limited, &l) != NULL, i > 0);
    }
    knk_release(k);
}

static void a_grid_holds_all_groups(void **state)
{
    static const int64_t points[] = {0, 1, 64, 65, 65535 * 64, 65535 * 64 + 1, 4000000000};
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    const knw_request r = {k, &facts, true, KNW_POINTS, 0, (uint8_t[]){0, 1}, 2};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        row_launch l;
        uint32_t words[64], n, grid[2];
        uint64_t groups = ((uint64_t)points[i] + 63) / 64;
        assert_null(knw_n_words(&r, &n));
        assert_true(n <= 64 && n % 4 == 0);
        assert_null(knw_words(&r, rows(&l, points[i], 5, false), words, grid));
        assert_true((uint64_t)grid[0] * grid[1] >= groups);
        assert_true(grid[0] <= 65535 && grid[1] <= 65535);
        assert_int_equal(grid[0] * grid[1] == 0, points[i] == 0);
        assert_int_equal(words[KNW_COUNT], points[i]);
        assert_int_equal(words[KNW_HIDDEN], 0);
    }
    knk_release(k);
}

/* The number of an invocation has 32 bits: no two have the same one. */
static void the_largest_grid_counts_in_32_bits(void **state)
{
    (void)state;
    knk_kernel *k = parsed(sum_of_rows);
    for (int mode = KNW_POINTS; mode <= KNW_COLUMNS; mode++)
        for (int64_t points = UINT32_MAX; points > UINT32_MAX - (1 << 18); points -= 4001) {
            const uint64_t each = mode == KNW_ROWS ? 1 : mode == KNW_COLUMNS ? 16 : 64;
            const knw_request r = {k, &facts, true, (uint8_t)mode, mode == KNW_PARTS, (uint8_t[]){0, 1}, 2};
            row_launch l;
            uint32_t words[64], grid[2];
            if (knw_too_large(k, &facts, rows(&l, points, 5, false)))
                continue;
            assert_null(knw_words(&r, &l.l, words, grid));
            assert_in_range(grid[1], 1, 65535);
            assert_true(grid[0] * (uint64_t)grid[1] * (mode == KNW_PARTS ? 1 : each) <= (uint64_t)1 << 32);
        }
    knk_release(k);
}

KN_TEST_GROUP(test_wgsl_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_kernels_have_texts_or_reasons),
        cmocka_unit_test(indices_of_loads_have_32_bits),
        cmocka_unit_test(cold_sides_stand_in_an_if),
        cmocka_unit_test(adjacent_bytes_are_written_as_words),
        cmocka_unit_test(levels_within_a_subgroup_are_shuffles),
        cmocka_unit_test(float64_is_refused),
        cmocka_unit_test(a_dispatch_that_is_not_there_is_an_error),
        cmocka_unit_test(without_memory_there_is_an_error_and_no_leak),
        cmocka_unit_test(the_way_follows_from_the_shape),
        cmocka_unit_test(small_values_are_words),
        cmocka_unit_test(what_32_bits_do_not_count_is_too_large),
        cmocka_unit_test(loops_have_to_end_in_time),
        cmocka_unit_test(a_grid_holds_all_groups),
        cmocka_unit_test(the_largest_grid_counts_in_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
