/* SPDX-License-Identifier: Apache-2.0
 * numpy_calls.h -- runs the calls that scripts/golden/make_numpy.py stored, and compares results, dtypes, shapes and errors. */
#ifndef KN_TESTS_NUMPY_CALLS_H
#define KN_TESTS_NUMPY_CALLS_H

/* Every line of the file; fails the test if any differs, after printing the first ones. */
void numpy_calls_check(const char *path);
#endif
