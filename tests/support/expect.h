/* SPDX-License-Identifier: Apache-2.0
 * expect.h -- what tests of arrays say: each test runs in a scope of its own and must end with no live handle and no unread error. */
#ifndef KN_TESTS_EXPECT_H
#define KN_TESTS_EXPECT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka comes after these */
#include <cmocka.h>
#include <kiln/kiln.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int expect_setup(void **state);    /* notes how many handles and blocks are alive */
int expect_teardown(void **state); /* fails if there are more now, or an error was left */
#define TEST(f) cmocka_unit_test_setup_teardown(f, expect_setup, expect_teardown)

/* The elements of x, converted to double, equal these (NaN equals NaN). */
#define expect_values(x, ...) expect_values_(x, (const double[]){__VA_ARGS__}, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), 0, #x, __FILE__, __LINE__)
#define expect_near(x, tolerance, ...) expect_values_(x, (const double[]){__VA_ARGS__}, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), tolerance, #x, __FILE__, __LINE__)
void expect_values_(kn_array x, const double *want, int64_t n, double tolerance, const char *text, const char *file, int line);

/* An error of this kind and message (whole text) is pending; clears it. */
#define expect_error(kind, message) expect_error_(kind, message, __FILE__, __LINE__)
void expect_error_(const char *kind, const char *message, const char *file, int line);
/* The same, but the message contains this. */
#define expect_error_with(kind, part) expect_error_with_(kind, part, __FILE__, __LINE__)
void expect_error_with_(const char *kind, const char *part, const char *file, int line);
/* The test speaks of all devices as this process's own, or of files that it changes: it is left out where several processes run the tests
 * (mpi/looks.c), and in the run that these are compared with. */
#define FOR_ONE_PROCESS() \
    do { \
        if (getenv("KILN_TEST_LOOKS")) \
            skip(); \
    } while (0)
#define expect_no_error() expect_no_error_(__FILE__, __LINE__)
void expect_no_error_(const char *file, int line);
#endif
