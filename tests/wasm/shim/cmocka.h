/* SPDX-License-Identifier: Apache-2.0
 * cmocka.h -- as much of cmocka as unit tests need that are compiled for WebAssembly, where it is not packaged: a check
 * that fails ends the program. */
#ifndef KN_TEST_SHIM_CMOCKA_H
#define KN_TEST_SHIM_CMOCKA_H
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state), (*teardown)(void **state);
    void *initial_state;
};
#define cmocka_unit_test(f)                      {#f, f, NULL, NULL, NULL}
#define cmocka_unit_test_setup_teardown(f, s, t) {#f, f, s, t, NULL}
#define cmocka_unit_test_setup(f, s)             {#f, f, s, NULL, NULL}
#define cmocka_unit_test_teardown(f, t)          {#f, f, NULL, t, NULL}

static inline void kn_shim_fail(const char *file, int line, const char *what)
{
    printf("FAILED: %s:%d: %s\n", file, line, what);
    exit(1);
}
__attribute__((noreturn)) static inline void _fail(const char *file, int line)
{
    kn_shim_fail(file, line, "the check");
    abort();
}
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), fail())
#define print_message printf
#define print_error   printf
#define skip() (printf("skipped\n"), exit(77))
#define assert_true(c)       ((c) ? (void)0 : kn_shim_fail(__FILE__, __LINE__, #c))
#define assert_false(c)      assert_true(!(c))
#define assert_null(p)       assert_true(!(p))
#define assert_non_null(p)   assert_true((p))
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_not_equal(a, b) assert_true((long long)(a) != (long long)(b))
#define assert_in_range(x, low, high) assert_true((long long)(x) >= (long long)(low) && (long long)(x) <= (long long)(high))
#define assert_string_equal(a, b) kn_shim_texts(a, b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)

static inline void kn_shim_texts(const char *a, const char *b, const char *file, int line)
{
    if (!strcmp(a, b))
        return;
    printf("\"%s\"\nis not \"%s\"\n", a, b);
    kn_shim_fail(file, line, "texts");
}

static inline int kn_shim_run(const struct CMUnitTest *tests, size_t n, int (*setup)(void **state),
                              int (*teardown)(void **state))
{
    void *group = NULL;
    if (setup && setup(&group))
        return 1;
    for (size_t i = 0; i < n; i++) {
        void *state = setup ? group : tests[i].initial_state;
        printf("%s\n", tests[i].name);
        fflush(stdout);
        if (tests[i].setup && tests[i].setup(&state))
            return 1;
        tests[i].test(&state);
        if (tests[i].teardown && tests[i].teardown(&state)) {
            printf("FAILED: %s left something\n", tests[i].name);
            return 1;
        }
    }
    printf("%zu tests passed\n", n);
    return teardown ? teardown(&group) : 0;
}
#define cmocka_run_group_tests(tests, setup, teardown) kn_shim_run(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#endif
