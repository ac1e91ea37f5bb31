/* SPDX-License-Identifier: Apache-2.0
 * report.h -- one assertion: an operation with a scope of its own that ends with nothing, with a report, or with an
 * error that has nothing to do with what is asserted. */
#ifndef KN_TESTING_REPORT_H
#define KN_TESTING_REPORT_H
#include "base/str.h"
#include "kiln/testing.h"
#include "lib/compose.h"

typedef struct knv_assertion {
    kna_op op;
    kn_scope scope;
    kn_str report; /* what an AssertionError will say; empty: nothing */
    bool failed;   /* the assertion does not hold */
} knv_assertion;

void knv_begin(knv_assertion *a, const char *name);
int knv_end(knv_assertion *a); /* 0 or -1 */
void knv_add(kn_str *t, const char *format, ...) KN_PRINTF_LIKE(2, 3);

/* How the arrays of a report are shown. */
typedef struct knv_style {
    const char *header, *names[2];
    bool verbose;
    int precision;
} knv_style;
/* Fails the assertion with NumPy's report: header, text, and the two arrays. */
void knv_report(knv_assertion *a, const knv_style *s, const char *text, kn_array x, kn_array y);
/* The same, of two numbers as Python shows them. */
void knv_report_numbers(knv_assertion *a, const char *header, const char *text, bool verbose, kn_array x, kn_array y);

/* A truth value about whole arrays, looked at; false after an error. */
bool knv_true(knv_assertion *a, kn_array x);
/* str of a number as a scalar; element i of an array of them. */
void knv_show_element(kn_str *t, kn_dtype d, const void *data, int64_t i);

/* compare.c: NumPy's comparison of arrays. verdict gives the truth values of x against y. */
typedef kn_array (*knv_verdict)(const void *env, kn_array x, kn_array y);
typedef struct knv_rule {
    knv_verdict verdict;
    const void *env;
    knv_style style;
    const char *err_msg;
    bool equal_nan, equal_inf, strict;
} knv_rule;
bool knv_holds(const char *name, const knv_rule *rule, kn_array x, kn_array y); /* without a report */
int knv_compare(const char *name, const knv_rule *rule, kn_array x, kn_array y);
#endif
