/* SPDX-License-Identifier: Apache-2.0
 * element.h -- one element from its text. */
#ifndef KN_IO_ELEMENT_H
#define KN_IO_ELEMENT_H
#include "base/dtype.h"
#include "base/str.h"

/* As np.loadtxt reads it, white space around it or not: integers must fit, a boolean is an integer that is not 0.
 * False if s[..end] is no element of that dtype. A character that belongs to no number, or NUL, stands at `end`. */
bool knio_read_element(kn_dtype dtype, const char *s, const char *end, void *element);
/* A number as Python's float() reads it, but for white space and underscores. */
bool knio_read_double(const char *s, const char *end, double *v);
bool knio_read_complex(const char *s, const char *end, kn_c128 *v);
/* Python's repr of a string. */
void knio_add_repr(knx_str *out, const char *s, size_t n);
#endif
