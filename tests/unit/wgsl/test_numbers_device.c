/* SPDX-License-Identifier: Apache-2.0
 * test_numbers_device.c -- what operations compute on a device of WebGPU, bit for bit beside the interpreter's loops:
 * every operation and dtype on all tuples of special values and on random ones, and chains that compilers like to
 * change. Once as the device is, once as if it had no operation of float32 exactly. */
#include "support/group.h"
#include "support/number_case.h"
#include "support/webgpu_run.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 1000, RANDOM = 4000 };
static number_case all[MOST];
static int n_all;
static kng_gpu *gpu;

/* The case's results on the device; NULL and a message if it failed. */
static uint32_t *run(const number_case *c, const knw_facts *f, bool exact, int n, uint32_t *operands)
{
    char *text;
    assert_true(number_case_text(c, f, exact, &text));
    uint32_t *got = calloc((size_t)n, 8), words[4] = {0, (uint32_t)n}, groups = ((uint32_t)n + 63) / 64;
    assert_non_null(got);
    const webgpu_array memory[] = {{operands, 24 * (uint64_t)n}, {got, 8 * (uint64_t)n}};
    uint32_t across = groups < 4096 ? groups : 4096;
    knx_error *e = webgpu_run(gpu, text, 2, memory, words, 4, across, (groups + across - 1) / across);
    if (e) {
        print_error("%s: %s\n%s", c->name, e->message, text);
        knx_error_release(e);
        free(got);
        got = NULL;
    }
    knx_free(text);
    return got;
}

/* Prints the first element that differs. */
static bool differs(const number_case *c, const knw_facts *f, bool exact, uint64_t seed)
{
    int n = number_case_count(c, RANDOM), at = 0;
    uint32_t *operands = calloc((size_t)n, 24), *want = calloc((size_t)n, 8);
    assert_true(operands && want);
    number_case_fill(c, n, seed, operands, want);
    uint32_t *got = run(c, f, exact, n, operands);
    if (got)
        at = number_case_differs(c, n, got, want);
    if (got && at >= 0) {
        const uint32_t *o = &operands[6 * at];
        print_error("%s: of %08x%08x, %08x%08x, %08x%08x got %08x%08x, not %08x%08x\n", c->name, o[1], o[0], o[3], o[2],
                    o[5], o[4], got[2 * at + 1], got[2 * at], want[2 * at + 1], want[2 * at]);
    }
    free(operands);
    free(want);
    free(got);
    return at >= 0;
}

static void all_agree(const knw_facts *f, bool exact, bool integers, bool floats)
{
    int bad = 0;
    for (int i = 0; i < n_all; i += webgpu_every())
        if (number_case_floats(&all[i]) ? floats : integers)
            bad += differs(&all[i], f, exact, 1 + (uint64_t)i);
    assert_int_equal(bad, 0);
}

static void integers_are_the_hosts(void **state)
{
    (void)state;
    all_agree(&gpu->facts, false, true, false);
}

static void exact_floats_are_the_hosts(void **state)
{
    (void)state;
    all_agree(&gpu->facts, true, false, true);
}

static void floats_by_integers_are_the_hosts(void **state)
{
    (void)state;
    knw_facts none = gpu->facts;
    none.exact = 0;
    all_agree(&none, true, false, true);
}

/* (a + b) - a, and a whole number by adding a large one and taking it away: the IR's functions count on them. */
static void fast_sums_leave_what_was_rounded_away(void **state)
{
    (void)state;
    int bad = 0;
    if (!(gpu->facts.exact >> KNW_ADD & 1))
        skip();
    for (int i = 0; i < n_all; i++)
        if (strcmp(all[i].name, "+01 -30") == 0 || strcmp(all[i].name, "=12582912 +03 -43") == 0)
            bad += differs(&all[i], &gpu->facts, false, 1 + (uint64_t)i);
    assert_int_equal(bad, 0);
}

static void fast_texts_are_accepted(void **state)
{
    (void)state;
    uint32_t operands[6 * 64] = {0};
    for (int i = 0; i < n_all; i += webgpu_every()) {
        uint32_t *got = run(&all[i], &gpu->facts, false, 64, operands);
        assert_non_null(got);
        free(got);
    }
}

KN_TEST_GROUP(test_numbers_device)
{
    gpu = webgpu_first();
    if (!gpu)
        return 77;
    knx_error *e = kng_bring_facts(gpu);
    if (e) {
        print_error("%s\n", e->message);
        knx_error_release(e);
        return 1;
    }
    n_all = number_cases(all, MOST);
    if (n_all > MOST)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_the_hosts),           cmocka_unit_test(exact_floats_are_the_hosts),
        cmocka_unit_test(floats_by_integers_are_the_hosts), cmocka_unit_test(fast_sums_leave_what_was_rounded_away),
        cmocka_unit_test(fast_texts_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
