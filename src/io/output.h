/* SPDX-License-Identifier: Apache-2.0
 * output.h -- files that are written as a whole or not at all: what is written goes to a new file beside the old one,
 * which takes its place in the end. Written in place are devices and pipes, files with several names or another owner,
 * files in folders that take no new ones, and the caller's streams. */
#ifndef KN_IO_OUTPUT_H
#define KN_IO_OUTPUT_H
#include "base/error.h"

typedef struct knio_output {
    FILE *file;
    char *path;      /* what is to be there in the end; for messages */
    char *temporary; /* where it is until then; NULL: written in place */
    bool borrowed;   /* the file is the caller's */
} knio_output;

/* One of both: a path, or the caller's stream, which is written to from where it stands. */
knx_error *knio_output_open(const char *path, FILE *stream, knio_output *o);
knx_error *knio_output_write(knio_output *o, const void *bytes, size_t n);
/* e: what failed meanwhile (taken over), NULL if all is well: only then the new file takes the old one's place. Gives
 * e, or what failed now. Nothing is forced onto the disk (docs/files.md). */
knx_error *knio_output_close(knio_output *o, knx_error *e);
/* Writes two pieces, one behind the other; the second may be empty. */
knx_error *knio_file_write(const char *path, const void *a, size_t a_bytes, const void *b, size_t b_bytes);
#endif
