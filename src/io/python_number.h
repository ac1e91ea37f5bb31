/* SPDX-License-Identifier: Apache-2.0
 * python_number.h -- texts as Python's bool-like words, int(), float() and complex() take them, for np.genfromtxt:
 * white space around them and underscores between digits are fine. */
#ifndef KN_IO_PYTHON_NUMBER_H
#define KN_IO_PYTHON_NUMBER_H
#include "base/dtype.h"

/* NO is Python's ValueError, TOO_LARGE an integer beyond 64 bits. */
typedef enum { KNIO_NO, KNIO_YES, KNIO_TOO_LARGE } knio_read;

knio_read knio_python_bool(const char *s, const char *end, bool *v); /* "true" and "false", in any case */
/* *is_unsigned: the bits are those of a number above INT64_MAX */
knio_read knio_python_int(const char *s, const char *end, uint64_t *bits, bool *is_unsigned);
knio_read knio_python_float(const char *s, const char *end, double *v);
knio_read knio_python_complex(const char *s, const char *end, kn_c128 *v);
#endif
