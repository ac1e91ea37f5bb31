/* SPDX-License-Identifier: Apache-2.0
 * text_format.h -- how the elements of one array are written so that they line up: text.c walks, text_format.c looks
 * and writes. */
#ifndef KN_BASE_TEXT_FORMAT_H
#define KN_BASE_TEXT_FORMAT_H
#include "base/digits.h"
#include "kiln/print.h"

typedef enum { KN_FLOAT_UNIQUE, KN_FLOAT_FIXED, KN_FLOAT_MAXPREC, KN_FLOAT_MAXPREC_EQUAL } knx_float_mode;

/* One column of floats: the elements, or the real or imaginary parts of complex ones. */
typedef struct knx_float_format {
    kn_dtype dtype;
    knx_float_mode mode;
    int precision;
    bool suppress;
    char sign;
    const char *nan, *inf;
    /* seen in the first look */
    double least, greatest; /* of the finite magnitudes but zero; greatest < 0 if there are none */
    bool negative, special, negative_inf, finite;
    /* seen in the second */
    int whole, fraction, exponent; /* longest parts */
    knx_float_style style;
} knx_float_format;

typedef struct knx_text_format {
    kn_dtype dtype;
    bool scalar; /* a 0-d array */
    char sign;
    knx_float_format part[2]; /* floats: the first; complex numbers: both */
    bool any;                /* integers: something seen */
    int64_t least, greatest; /* signed integers */
    uint64_t uleast, ugreatest;
    int width;
    knx_str scratch; /* free it with knx_str_free */
} knx_text_format;

/* The options are complete. */
void knx_text_format_init(knx_text_format *f, kn_dtype dtype, bool scalar, const kn_print_opts *opts);
bool knx_text_format_lines_up(kn_dtype d); /* elements are floats that stand in columns, with a precision */
/* Every shown element is looked at twice, first with pass 0, then with pass 1; knx_text_format_end comes after each
 * pass. */
void knx_text_format_look(knx_text_format *f, const void *element, int pass);
void knx_text_format_end(knx_text_format *f, int pass);
void knx_text_format_write(knx_text_format *f, knx_str *out, const void *element);
/* str of the element as a scalar */
void knx_text_format_scalar(kn_dtype dtype, knx_str *out, const void *element);
int knx_text_width(const char *s, size_t n); /* in characters (UTF-8) */
#endif
