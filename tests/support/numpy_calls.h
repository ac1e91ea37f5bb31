/* SPDX-License-Identifier: Apache-2.0
 * numpy_calls.h -- runs the calls that scripts/golden/make_numpy*.py stored, and compares results, dtypes, shapes and
 * errors. The functions are those of a table here, or of the test program's own. */
#ifndef KN_TESTS_NUMPY_CALLS_H
#define KN_TESTS_NUMPY_CALLS_H
#include <kiln/kiln.h>

enum { NUMPY_MAX_ARGS = 16, NUMPY_MAX_OPTIONS = 8 };

/* One line of a file, read. */
typedef struct numpy_call {
    char *line; /* the text, cut into words */
    const char *name;
    int n, n_option, n_list, n_index, n_text;
    kn_array array[NUMPY_MAX_ARGS];
    kn_index_arg index[NUMPY_MAX_ARGS];
    const char *text;                 /* the last quoted word */
    const char *texts[4];             /* all of them */
    kn_shape list[NUMPY_MAX_ARGS];    /* i: words */
    const char *key[NUMPY_MAX_OPTIONS], *value[NUMPY_MAX_OPTIONS];
    const char *result;
} numpy_call;

const char *numpy_option(const numpy_call *c, const char *key); /* its text, or NULL */
kn_axes numpy_axes(const numpy_call *c, const char *key);       /* not given if it is not there */
kn_axes numpy_axes_of(kn_shape s);
kn_dtype numpy_dtype(const numpy_call *c);                      /* option dtype, or NULL */
kn_array numpy_array(const numpy_call *c, const char *key);     /* or NULL */
bool numpy_flag(const numpy_call *c, const char *key, bool otherwise);
double numpy_number(const numpy_call *c, const char *key, double otherwise);

/* What a call returned: one array, or several. */
typedef struct numpy_result { int n; kn_array x[NUMPY_MAX_ARGS]; } numpy_result;
numpy_result numpy_one(kn_array x);
numpy_result numpy_list(kn_list list);
typedef struct numpy_entry {
    const char *name;
    numpy_result (*f)(const numpy_call *c);
    double tolerance; /* in ulps; negative: in those of the result's largest element */
} numpy_entry;

/* Every line of the file; fails the test if any differs, after printing the first ones. */
void numpy_calls_check(const char *path);
/* Visits every line with a scope around it; returns for how many it said false. */
int numpy_calls_visit(const char *path, bool (*visit)(const numpy_call *c));
void numpy_calls_check_with(const char *path, const numpy_entry *table, size_t n);
#endif
