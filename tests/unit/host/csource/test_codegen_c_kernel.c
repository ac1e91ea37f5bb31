/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_c_kernel.c -- whole kernels from C source against the interpreter, bit for bit: some of those that the
 * test suite runs (tests/data/kernels), and reductions over several inner loops and blocks. KN_TEST_COUNT: how many of
 * the former. What takes the time is the compiler. */
#include "host/csource/c_kernel.h"
#include "kernel/internal.h"
#include "support/c_maker.h"
#include "support/group.h"
#include "support/kernel_case.h"
#include "support/scratch.h"
#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 1024, POINTS = 40000, TEXT = 1 << 18 };
typedef void kernel_function(void *const *buffer, const int64_t *par, const int64_t *const *inner,
                             const knk_map_values *map);

static kernel_case at[MOST];
static char *text[MOST];
static int n;

static void take(const kernel_case *c)
{
    char name[16];
    snprintf(name, sizeof name, "kernel%d", n);
    knx_error *error = knh_c_kernel(c->k, name, &text[n]);
    if (error)
        fail_msg("%s", error->message);
    at[n++] = *c;
}

/* Both over equal memory. */
static void check(const kernel_case *c, kernel_function *f, int i)
{
    char where[200];
    kernel_case *mine = (kernel_case *)(uintptr_t)c;
    kernel_data *x = kernel_data_new(mine, (uint64_t)i + 1), *y = x ? kernel_data_copy(c, x) : NULL;
    assert_non_null(y);
    void *scratch = aligned_alloc(64, (interpreter_scratch(c->k) + 127) / 64 * 64);
    knk_launch l = c->l;
    l.buffer = x->base;
    assert_null(knk_interpret(c->k, &l, scratch));
    f(y->base, c->l.par, c->l.inner, c->l.map);
    int64_t words;
    if (kernel_data_differences(c, x, y, &words, where, sizeof where))
        fail_msg("kernel %d: %s", i, where);
    free(scratch);
    kernel_data_free(x);
    kernel_data_free(y);
}

static void check_all(const char *flags)
{
    void *library = c_maker_load((const char *const *)text, n, flags);
    assert_non_null(library);
    for (int i = 0; i < n; i++) {
        char name[24];
        kernel_function *f;
        snprintf(name, sizeof name, "kernel%d", i);
        void *symbol = dlsym(library, name);
        assert_non_null(symbol);
        memcpy(&f, &symbol, sizeof f);
        check(&at[i], f, i);
    }
    dlclose(library);
    print_message("%d kernels, %s\n", n, flags);
}

static void forget_all(void)
{
    for (int i = 0; i < n; i++) {
        knx_free(text[i]);
        kernel_case_free(&at[i]);
    }
    n = 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void take_file(const char *folder, const char *name)
{
    static char source[TEXT];
    char path[512];
    kernel_case c;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(source, 1, TEXT - 1, f);
    fclose(f);
    assert_true(length < TEXT - 1);
    source[length] = '\0';
    assert_null(kernel_case_parse(source, &c));
    kernel_case_shrink(&c, POINTS);
    take(&c);
}

static void kernels_of_the_test_suite(void **state)
{
    (void)state;
    const char *count = getenv("KN_TEST_COUNT"), *folder = KN_TEST_DIR "/data/kernels";
    int want = count ? atoi(count) : 24, n_file = 0;
    char *file[MOST];
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; n_file < MOST && (e = readdir(d));)
        if (strstr(e->d_name, ".kernel"))
            file[n_file++] = strdup(e->d_name);
    closedir(d);
    qsort(file, (size_t)n_file, sizeof *file, by_name);
    want = want < n_file ? want : n_file;
    for (int i = 0; i < want; i++)
        take_file(folder, file[(int64_t)i * n_file / want]);
    for (int i = 0; i < n_file; i++)
        free(file[i]);
    check_all(C_MAKER_QUICK);
    forget_all();
}

/* Elements less their mean, over two inner loops, and the largest of what is left. */
static knk_kernel *two_loops(knx_dtype_id dtype)
{
    static const uint8_t any[3] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY, KNK_STRIDE_ONE};
    knk_builder *b = knk_new(1);
    int in = knk_add_buffer(b, dtype, false), out = knk_add_buffer(b, dtype, true);
    knk_begin_stage(b, 2);
    knk_node x = knk_load(b, in, knk_add_map(b, any), KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node sum = knk_reduce(b, KNK_RED_ADD, x), product = knk_reduce(b, KNK_RED_MUL, x);
    knk_begin_stage(b, 2);
    x = knk_load(b, in, knk_add_map(b, any), KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node most = knk_reduce(b, KNK_RED_MAX, knk_binary(b, KNK_SUB, x, sum));
    knk_begin_stage(b, 0);
    knk_store(b, out, knk_add_map(b, any), knk_binary(b, KNK_ADD, most, product));
    knk_kernel *k = NULL;
    assert_null(knk_finish(b, &k));
    return k;
}

static void reductions_over_several_loops_and_blocks(void **state)
{
    (void)state;
    static const int64_t extent[][3] = {{2, 3, 5}, {3, 5, 64}, {2, 130, 127}, {2, 7, 9000}, {1, 50000, 3}, {2, 0, 4}};
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
        for (int d = 0; d < 2; d++) {
            kernel_case c;
            const int64_t inner[] = {extent[i][1], extent[i][2], extent[i][1], extent[i][2]};
            assert_null(kernel_case_dense(two_loops(d ? KN_ID_F32 : KN_ID_I64), extent[i], inner, &c));
            take(&c);
        }
    check_all(C_MAKER_QUICK);
    check_all(C_MAKER_PLAIN);
    forget_all();
}

static void wrong_names_are_refused(void **state)
{
    (void)state;
    knk_kernel *k = two_loops(KN_ID_F32);
    char name[80], *out;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    knx_error *error = knh_c_kernel(k, name, &out);
    assert_non_null(error);
    assert_null(out);
    knx_error_release(error);
    knk_release(k);
}

KN_TEST_GROUP(test_codegen_c_kernel)
{
    if (!c_maker_works())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_the_test_suite),
        cmocka_unit_test(reductions_over_several_loops_and_blocks),
        cmocka_unit_test(wrong_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
