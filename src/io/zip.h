/* SPDX-License-Identifier: Apache-2.0
 * zip.h -- zip archives, which npz files are: stored and (with zlib) deflated members, zip64. Members are read when
 * asked for. */
#ifndef KN_IO_ZIP_H
#define KN_IO_ZIP_H
#include "base/error.h"

typedef struct knio_zip knio_zip;
typedef struct knio_zip_writer knio_zip_writer;

/* Reads the directory. The bytes of an archive in memory are borrowed until knio_zip_close. */
knx_error *knio_zip_open(const char *path, knio_zip **out);
knx_error *knio_zip_open_memory(const void *bytes, size_t n, knio_zip **out);
size_t knio_zip_count(const knio_zip *z);
const char *knio_zip_name(const knio_zip *z, size_t i);   /* "m.npy"; lives as long as z */
uint64_t knio_zip_size(const knio_zip *z, size_t i);      /* bytes, unpacked; what the archive says */
int64_t knio_zip_find(const knio_zip *z, const char *name); /* the last member of that name, -1 if none */
/* Unpacks a member and checks its CRC. *bytes is knx_alloc'ed, with a NUL behind. One archive serves one thread at a
 * time. */
knx_error *knio_zip_read(knio_zip *z, size_t i, uint8_t **bytes, size_t *n);
void knio_zip_close(knio_zip *z); /* NULL is fine */

/* Writing, to a path or to the caller's stream. The file takes the place of an older one only when
 * knio_zip_writer_close has succeeded; that always frees w, takes over what failed meanwhile (NULL: nothing), and
 * reports an earlier failure again. */
knx_error *knio_zip_writer_open(const char *path, FILE *stream, knio_zip_writer **out);
knx_error *knio_zip_writer_add(knio_zip_writer *w, const char *name, const void *bytes, size_t n, bool compress);
knx_error *knio_zip_writer_close(knio_zip_writer *w, knx_error *meanwhile);

bool knio_zip_can_compress(void);                               /* built with zlib? */
uint32_t knio_crc32(uint32_t crc, const void *bytes, size_t n); /* start with 0 */
/* Raw deflate streams; NotImplementedError without zlib. inflate wants exactly n_out bytes; deflate's *out is
 * knx_alloc'ed. */
knx_error *knio_inflate(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out);
knx_error *knio_deflate(const uint8_t *in, size_t n_in, uint8_t **out, size_t *n_out);
/* Gzip files, read and written in pieces, through an open file. */
typedef struct knio_gzip knio_gzip;
knx_error *knio_gzip_new(FILE *file, const char *path, bool write, knio_gzip **out); /* the file is borrowed */
knx_error *knio_gzip_read(knio_gzip *g, void *to, size_t n, size_t *got);           /* 0 bytes: the end */
knx_error *knio_gzip_write(knio_gzip *g, const void *bytes, size_t n);
knx_error *knio_gzip_finish(knio_gzip *g); /* writes what is left */
void knio_gzip_free(knio_gzip *g);         /* NULL is fine */
#endif
