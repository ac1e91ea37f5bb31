/* SPDX-License-Identifier: Apache-2.0
 * text_out.h -- texts that are written: gathered as UTF-8, written in the encoding that is wanted, through gzip where
 * the path ends in .gz. */
#ifndef KN_IO_TEXT_OUT_H
#define KN_IO_TEXT_OUT_H
#include "base/str.h"
#include "io/output.h"
#include "io/zip.h"

typedef struct knio_text_out {
    knx_str text; /* add to this, then call knio_text_out_more */
    knio_output output;
    knio_gzip *gzip;
    int most; /* the highest character of the encoding */
} knio_text_out;

knx_error *knio_text_out_open(knio_text_out *t, const char *path, FILE *stream, const char *encoding);
knx_error *knio_text_out_more(knio_text_out *t); /* writes what has gathered if it is much */
/* e as in knio_output_close */
knx_error *knio_text_out_close(knio_text_out *t, knx_error *e);
#endif
