/* SPDX-License-Identifier: Apache-2.0
 * format.h -- Python's str.format for arrays: "{} {1:.3f} {0!r} {{}}". Scalars are formatted as Python's numbers of
 * their value, as NumPy's scalars are; arrays as str(a). */
#ifndef KN_BASE_FORMAT_H
#define KN_BASE_FORMAT_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/str.h"

typedef struct knx_format_arg {
    kn_dtype dtype;
    int ndim;
    const int64_t *dim;
    const void *data; /* C-contiguous; NULL where only the format is checked */
} knx_format_arg;

/* Reads the format with arguments whose dtypes and shapes are known: ValueError, IndexError, KeyError or TypeError as
 * str.format would raise, and a ValueError for an argument that is not used. *placeholders: are there any? */
knx_error *knx_format_check(const char *format, int n, const knx_format_arg *args, bool *placeholders);
knx_error *knx_format(knx_str *out, const char *format, int n, const knx_format_arg *args);

/* One number by a format specification ("8.3f"), `length` bytes of it. */
knx_error *knx_format_scalar(knx_str *out, kn_dtype dtype, const void *data, const char *spec, size_t length);
#endif
