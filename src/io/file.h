/* SPDX-License-Identifier: Apache-2.0
 * file.h -- files whose failures are errors: "no-such-file.npz: No such file or directory". */
#ifndef KN_IO_FILE_H
#define KN_IO_FILE_H
#include "base/error.h"

/* Bytes to read at any place: of an open file or of memory that somebody else owns. */
typedef struct knio_source {
    FILE *file; /* NULL: memory */
    const uint8_t *bytes;
    char *path; /* for messages */
    uint64_t size;
} knio_source;

knx_error *knio_source_open(const char *path, knio_source *s);
/* the bytes are borrowed */
knx_error *knio_source_memory(const void *bytes, size_t n, const char *name, knio_source *s);
knx_error *knio_source_read(knio_source *s, uint64_t offset, void *to, size_t n); /* ValueError behind the end */
void knio_source_close(knio_source *s);                                        /* fine when zeroed or closed already */

knx_error *knio_file_error(const char *path, int error_number);
knx_error *knio_file_read(const char *path, uint8_t **bytes, size_t *n); /* the whole file, knx_alloc'ed */
/* Writes two pieces, one behind the other; the second may be empty. */
knx_error *knio_file_write(const char *path, const void *a, size_t a_bytes, const void *b, size_t b_bytes);
#endif
