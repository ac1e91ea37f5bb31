/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_kernels.c -- every stored kernel that the device can have, in exact mode, each in every way in which its
 * points can be shared out: bit for bit beside the interpreter. A second number of the command line: only every n-th
 * kernel; a file's name: that one. */
#include "support/group.h"
#include "support/webgpu_run.h"
#include "support/wgsl_case.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double MOST_POINTS = 20000;
static kng_gpu *g;
static int argument_count;
static char **argument;
static int n_run, n_refused, n_wrong;

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 22) - 1, f) > 0);
    fclose(f);
    return text;
}

/* One dispatch with memory that is there already. */
static knx_error *dispatch(const wgsl_case *c, knw_request *r, knd_memory *const *memory)
{
    char *text = NULL;
    uint32_t memories, n = 0, grid[3] = {0, 0, 1};
    kng_pipeline *p = NULL;
    kng_bound slot[KNG_SLOTS] = {0};
    for (int i = 0; i <= r->n_memory; i++)
        slot[i].memory = memory[i];
    KN_TRY(knw_text(r, &text, &memories));
    knx_error *error = knw_n_words(r, &n);
    uint32_t *words = calloc(n + 4, sizeof *words);
    if (!error)
        error = knw_words(r, &c->l, words, grid);
    if (!error)
        error = kng_pipeline_for(g, text, &p);
    if (!error) {
        assert_int_equal(p->layout->slots, memories);
        error = kng_dispatch_text(g, p, slot, words, n, grid, NULL, 0);
    }
    kng_pipeline_release(g, p);
    free(words);
    knx_free(text);
    return error;
}

static knx_error *run(const wgsl_case *c, knw_mode mode, char **got)
{
    knd_memory *memory[WGSL_MEMORIES + 1] = {0};
    knw_request r = {.kernel = c->k,
                     .facts = &g->facts,
                     .exact = true,
                     .mode = (uint8_t)mode,
                     .memory = c->memory,
                     .n_memory = c->n_memory};
    knx_error *error = NULL;
    uint64_t scratch = mode == KNW_PARTS ? knw_scratch_bytes(c->k, &c->l) : 0;
    for (int i = 0; !error && i <= c->n_memory; i++)
        error = kng_alloc(g, i < c->n_memory ? c->bytes[i] : scratch, &memory[i]);
    for (int i = 0; !error && i < c->n_memory; i++) {
        wgsl_case_fill(c, i, got[i]);
        error = kng_upload(g, memory[i], 0, got[i], c->bytes[i]);
    }
    int parts = mode == KNW_PARTS ? knw_parts(c->k) : 1;
    for (r.part = 0; !error && r.part < parts; r.part++)
        error = dispatch(c, &r, memory);
    for (int i = 0; !error && i < c->n_memory; i++)
        error = kng_download(g, got[i], memory[i], 0, c->bytes[i]);
    for (int i = 0; i <= c->n_memory; i++)
        if (memory[i])
            kng_free(g, memory[i]);
    return error;
}

static void check(const char *path, const wgsl_case *c, knw_mode mode)
{
    static const char *const names[] = {"points", "rows", "parts"};
    char *got[WGSL_MEMORIES], where[200];
    for (int i = 0; i < c->n_memory; i++)
        got[i] = calloc(1, c->bytes[i] + 4);
    knd_lock();
    knx_error *error = run(c, mode, got);
    knd_unlock();
    bool wrong = error != NULL;
    if (error)
        print_message("%s (%s): %s\n", path, names[mode], error->message);
    knx_error_release(error);
    for (int i = 0; i < c->n_memory; i++) {
        if (!wrong && wgsl_case_differences(c, i, got[i], where, sizeof where)) {
            print_message("%s (%s): %s\n", path, names[mode], where);
            wrong = true;
        }
        free(got[i]);
    }
    n_run++;
    n_wrong += wrong;
}

static bool reduces(const knk_kernel *k)
{
    for (int i = 0; i < k->n_node; i++)
        if (k->node[i].op == KNK_REDUCE)
            return true;
    return false;
}

static void check_file(const char *path, uint64_t seed)
{
    kernel_case from;
    wgsl_case c;
    char *text = read_text(path);
    knx_error *error = kernel_case_parse(text, &from);
    free(text);
    assert_null(error);
    kernel_case_shrink(&from, MOST_POINTS);
    if (knw_refuses(from.k) || !wgsl_case_of_kernel(&from, seed, seed % 3 == 0, &c)) {
        n_refused++;
        kernel_case_free(&from);
        return;
    }
    if (c.n_memory + 1 > KNG_SLOTS || knw_too_large(c.k, &g->facts, &c.l)) {
        n_refused++;
    } else {
        check(path, &c, knw_choose(c.k, &g->facts, &c.l));
        if (reduces(c.k) && knw_choose(c.k, &g->facts, &c.l) != (knw_mode)(seed % 3))
            check(path, &c, (knw_mode)(seed % 3));
    }
    wgsl_case_free(&c);
    kernel_case_free(&from);
}

static void stored_kernels_have_the_hosts_bits(void **state)
{
    (void)state;
    glob_t all;
    size_t step = argument_count > 1 && atoi(argument[1]) > 0 ? (size_t)atoi(argument[1]) : 1;
    knd_lock();
    assert_null(kng_bring_facts(g));
    knd_unlock();
    if (argument_count > 1 && strchr(argument[1], '/')) {
        check_file(argument[1], argument_count > 2 ? strtoull(argument[2], NULL, 10) : 1);
    } else {
        assert_int_equal(glob(KN_TEST_DIR "/data/kernels/*.kernel", 0, NULL, &all), 0);
        for (size_t i = 0; i < all.gl_pathc; i += step)
            check_file(all.gl_pathv[i], i);
        globfree(&all);
    }
    print_message("%d runs, %d kernels refused, %d wrong\n", n_run, n_refused, n_wrong);
    assert_int_equal(n_wrong, 0);
}

KN_TEST_GROUP(test_webgpu_kernels)
{
    if (!(g = webgpu_first()))
        return 77;
    argument_count = argc;
    argument = argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_kernels_have_the_hosts_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
