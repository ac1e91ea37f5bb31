/* SPDX-License-Identifier: Apache-2.0
 * fields.h -- the rows of a text as np.loadtxt divides them: at a delimiter or at white space, up to a comment, with
 * quoted fields. */
#ifndef KN_IO_FIELDS_H
#define KN_IO_FIELDS_H
#include "base/memory.h"
#include "io/text_in.h"

/* A control character: up to 4 bytes of UTF-8; n = 0: none. */
typedef struct knio_control {
    char text[4];
    uint8_t n;
} knio_control;

typedef struct knio_field {
    size_t start, end; /* while a row is read; then s and stop are set */
    const char *s, *stop;
    bool quoted, rewritten; /* rewritten: it lies in the scratch memory */
} knio_field;

typedef struct knio_fields {
    knio_control delimiter, comment, quote; /* no delimiter: white space */
    int n_comments;                         /* texts that begin comments; then neither `comment` nor `quote` is set */
    const char *const *comments;
    uint8_t kind[256];
    KN_VEC(knio_field) row;
    KN_VEC(char) scratch;
    bool ended; /* the text ended with this row */
} knio_fields;

void knio_fields_init(knio_fields *f); /* after the control characters are set */
knx_error *knio_fields_skip_line(knio_fields *f, knio_text *t);
/* The next row: none of its fields if it is empty. They stay until the next call. */
knx_error *knio_fields_next(knio_fields *f, knio_text *t);
void knio_fields_free(knio_fields *f);
#endif
