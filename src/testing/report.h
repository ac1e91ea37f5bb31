/* SPDX-License-Identifier: Apache-2.0
 * report.h -- one assertion: an operation with a scope of its own that ends with nothing, with a report, or with an
 * error that has nothing to do with what is asserted. */
#ifndef KN_TESTING_REPORT_H
#define KN_TESTING_REPORT_H
#include "base/str.h"
#include "kiln/testing.h"
#include "lib/compose.h"

typedef struct kntesting_assertion {
    kna_op op;
    kn_scope scope;
    knx_str report; /* what an AssertionError will say; empty: nothing */
    bool failed;   /* the assertion does not hold */
} kntesting_assertion;

void kntesting_begin(kntesting_assertion *a, const char *name);
int kntesting_end(kntesting_assertion *a); /* 0 or -1 */
void kntesting_add(knx_str *t, const char *format, ...) KN_PRINTF_LIKE(2, 3);

/* How the arrays of a report are shown. */
typedef struct kntesting_style {
    const char *header, *names[2];
    bool verbose;
    int precision;
} kntesting_style;
/* Fails the assertion with NumPy's report: header, text, and the two arrays. */
void kntesting_report(kntesting_assertion *a, const kntesting_style *s, const char *text, kn_array x, kn_array y);
/* The same, of two numbers as Python shows them. */
void kntesting_report_numbers(kntesting_assertion *a, const char *header, const char *text, bool verbose, kn_array x,
                              kn_array y);

/* A truth value about whole arrays, looked at; false after an error. */
bool kntesting_true(kntesting_assertion *a, kn_array x);
/* str of a number as a scalar; element i of an array of them. */
void kntesting_show_element(knx_str *t, kn_dtype d, const void *data, int64_t i);

/* compare.c: NumPy's comparison of arrays. verdict gives the truth values of x against y. */
typedef kn_array (*kntesting_verdict)(const void *env, kn_array x, kn_array y);
typedef struct kntesting_rule {
    kntesting_verdict verdict;
    const void *env;
    kntesting_style style;
    const char *err_msg;
    bool equal_nan, equal_inf, strict;
} kntesting_rule;
bool kntesting_holds(const char *name, const kntesting_rule *rule, kn_array x, kn_array y); /* without a report */
int kntesting_compare(const char *name, const kntesting_rule *rule, kn_array x, kn_array y);
#endif
