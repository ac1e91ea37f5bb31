/* SPDX-License-Identifier: Apache-2.0
 * file.h -- files whose failures are errors: "no-such-file.npz: No such file or directory". */
#ifndef KN_IO_FILE_H
#define KN_IO_FILE_H
#include "base/error.h"

/* Bytes to read at any place: of a file, of memory that somebody else owns, or of an open stream, from where it stands;
 * a stream that cannot seek is read from the front to the back. */
typedef struct knio_source {
    FILE *file; /* NULL: memory */
    const uint8_t *bytes;
    char *path;    /* for messages */
    uint64_t size; /* UINT64_MAX: not known */
    bool borrowed; /* the file is the caller's */
    bool forward;  /* it cannot seek */
    uint64_t base; /* where the first byte is, in the file */
    uint64_t at;   /* of a stream that cannot seek: the next byte */
} knio_source;

knx_error *knio_source_open(const char *path, knio_source *s);
knx_error *knio_source_stream(FILE *file, knio_source *s);
/* the bytes are borrowed */
knx_error *knio_source_memory(const void *bytes, size_t n, const char *name, knio_source *s);
knx_error *knio_source_read(knio_source *s, uint64_t offset, void *to, size_t n); /* ValueError behind the end */
/* The same for what may end early: how much there was. */
knx_error *knio_source_read_some(knio_source *s, uint64_t offset, void *to, size_t n, size_t *got);
void knio_source_leave(knio_source *s, uint64_t offset);                       /* the caller's stream goes on there */
void knio_source_close(knio_source *s);                                        /* fine when zeroed or closed already */

knx_error *knio_file_error(const char *path, int error_number);
knx_error *knio_file_read(const char *path, uint8_t **bytes, size_t *n); /* the whole file, knx_alloc'ed */
#endif
