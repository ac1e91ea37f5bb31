/* SPDX-License-Identifier: Apache-2.0
 * percent.h -- Python's "..." % (numbers): formats of numbers beside literal text, read once and used for many rows. */
#ifndef KN_IO_PERCENT_H
#define KN_IO_PERCENT_H
#include "base/dtype.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

typedef struct knio_conversion {
    size_t literal, literal_end; /* the text before it, in `text` */
    char type;                   /* 0: only text */
    bool left, zero, alternate;
    char sign;            /* '+', ' ' or 0 */
    int width, precision; /* -1: not given */
    char spec[40];        /* the same for knx_format_scalar, for floats */
    uint8_t spec_length;
} knio_conversion;

typedef struct knio_percent {
    char *text; /* with "%%" as "%" */
    KN_VEC(knio_conversion) part;
    int count;        /* of numbers that it takes */
    knx_error *error; /* what is wrong behind the last part, which Python sees when it comes there; NULL: nothing */
} knio_percent;

/* Fails without memory alone. A wrong format is a ValueError when it is used; what takes no number ("%(name)d", "%*d")
 * a TypeError. */
knx_error *knio_percent_read(const char *format, knio_percent *p);
void knio_percent_free(knio_percent *p);
/* Appends `count` numbers, which lie `stride` bytes apart, in the format. *mismatch: the type of a conversion that its
 * number is none for (Python's TypeError); 0: none. */
knx_error *knio_percent_write(const knio_percent *p, knx_str *out, kn_dtype dtype, const char *numbers, size_t stride,
                              char *mismatch);
#endif
