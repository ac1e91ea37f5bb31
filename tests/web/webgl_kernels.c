/* SPDX-License-Identifier: Apache-2.0
 * webgl_kernels.c -- stored and random kernels on the device webgl:0, in exact mode: bit for bit beside the
 * interpreter, as unit/webgpu/test_webgpu_kernels.c does it. Arguments: only every n-th kernel; or a file's name. */
#include "device/provider/provider.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/wgsl_case.h"
#include "webgl.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double MOST_POINTS = 2000;
static int n_run, n_refused, n_wrong, argument_count;
static char **argument;

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

static bool launch(const wgsl_case *c, const kn_provider_step *step, void **memory)
{
    kn_provider_place at[WGSL_MEMORIES];
    void *prepared = NULL;
    for (int b = 0; b < step->n; b++) {
        size_t element = (size_t)knk_size(knk_memory_dtype(c->k->buffer[b].dtype));
        at[b] = (kn_provider_place){.memory = memory[c->memory[b]], .offset = c->at[b] * element};
    }
    if (kjs_webgl.prepare(NULL, step, &prepared))
        return false;
    bool fine = !kjs_webgl.launch(NULL, step, prepared, at);
    kjs_webgl.discard(NULL, prepared);
    return fine;
}

static int64_t differences(const wgsl_case *c, void **memory, char *where, size_t room)
{
    int64_t n = 0;
    for (int m = 0; m < c->n_memory; m++) {
        char *got = malloc(c->bytes[m]);
        assert_non_null(got);
        if (kjs_webgl.copy_out(NULL, got, memory[m], 0, c->bytes[m])) {
            snprintf(where, room, "it cannot be read: %s", kjs_webgl.error(NULL));
            n++;
        } else if (!n) {
            n += wgsl_case_differences(c, m, got, where, room);
        }
        free(got);
    }
    return n;
}

static bool run(const wgsl_case *c, const kn_provider_step *step, const char *what)
{
    void *memory[WGSL_MEMORIES];
    char where[256] = "";
    for (int m = 0; m < c->n_memory; m++) {
        char *data = calloc(1, c->bytes[m]);
        assert_non_null(data);
        wgsl_case_fill(c, m, data);
        assert_int_equal(kjs_webgl.alloc(NULL, c->bytes[m], &memory[m]), 0);
        assert_int_equal(kjs_webgl.copy_in(NULL, memory[m], 0, data, c->bytes[m]), 0);
        free(data);
    }
    bool fine = launch(c, step, memory);
    int64_t n = fine ? differences(c, memory, where, sizeof where) : 1;
    if (n)
        print_error("%s: %s\n", what, fine ? where : kjs_webgl.error(NULL));
    for (int m = 0; m < c->n_memory; m++)
        kjs_webgl.free(NULL, memory[m]);
    return !n;
}

/* A buffer that begins before its memory (indices lead back into it) has no place: those of programs begin in
 * theirs. */
static bool begins_before(const wgsl_case *c)
{
    for (int b = 0; b < c->k->n_buffer; b++)
        if (c->at[b] > INT32_MAX)
            return true;
    return false;
}

/* As a step of a program that is only this. */
static void check(const wgsl_case *c, const char *what)
{
    const knc_step s = {.kind = KNC_KERNEL,
                        .u.k = {.kernel = c->k, .map = c->l.map, .par = c->l.par, .inner = c->l.inner}};
    const knd_described own = {.s = &s};
    const kn_provider_step step = {.size_ = sizeof step, .kind = KN_STEP_KERNEL, .n = c->k->n_buffer, .own = &own};
    const char *why = begins_before(c) ? "it begins before its memory" : kjs_webgl.refuses(NULL, &step);
    if (why) {
        n_refused++;
        if (strcmp(why, "64-bit floats") != 0)
            print_message("%s is refused: %s\n", what, why);
        return;
    }
    n_run++;
    n_wrong += !run(c, &step, what);
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
    } else {
        check(&c, path);
        wgsl_case_free(&c);
    }
    kernel_case_free(&from);
}

static void finish(void)
{
    print_message("%d runs, %d refused, %d wrong\n", n_run, n_refused, n_wrong);
    int run = n_run, wrong = n_wrong;
    n_run = n_refused = n_wrong = 0;
    assert_true(run > 0);
    assert_int_equal(wrong, 0);
}

static void stored_kernels_have_the_hosts_bits(void **state)
{
    (void)state;
    glob_t all;
    size_t step = argument_count > 1 && atoi(argument[1]) > 0 ? (size_t)atoi(argument[1]) : 1;
    if (argument_count > 1 && strchr(argument[1], '/')) {
        check_file(argument[1], 1);
    } else {
        assert_int_equal(glob(KN_TEST_DIR "/data/kernels/*.kernel", 0, NULL, &all), 0);
        for (size_t i = 0; i < all.gl_pathc; i += step)
            check_file(all.gl_pathv[i], i);
        globfree(&all);
    }
    finish();
}

static void random_kernels(void (*make)(scene *, uint64_t), const char *name)
{
    int step = argument_count > 1 && atoi(argument[1]) > 0 ? atoi(argument[1]) : 1;
    for (int seed = 1; seed <= 150; seed += step) {
        scene s;
        wgsl_case c;
        char what[60];
        make(&s, (uint64_t)seed);
        snprintf(what, sizeof what, "%s %d", name, seed);
        if (!knw_refuses(s.k)) {
            wgsl_case_of_scene(&s, seed % 2 == 0, &c);
            check(&c, what);
            wgsl_case_free(&c);
        }
        scene_free(&s);
    }
    finish();
}

static void random_stages(void **state)
{
    (void)state;
    random_kernels(scene_random, "random stages");
}

static void random_loops(void **state)
{
    (void)state;
    random_kernels(scene_random_loops, "random loops");
}

KN_TEST_GROUP(webgl_kernels)
{
    setenv("KILN_WEBGL_EXACT", "1", 1);
    if (!kjs_webgl_begin())
        return 77;
    argument_count = argc;
    argument = argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_kernels_have_the_hosts_bits),
        cmocka_unit_test(random_stages),
        cmocka_unit_test(random_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
