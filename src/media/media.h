/* SPDX-License-Identifier: Apache-2.0
 * media.h -- what the files of kiln_media share: errors, growing bytes, whole files. This library stands on Kiln's
 * public functions alone. */
#ifndef KN_MEDIA_MEDIA_H
#define KN_MEDIA_MEDIA_H
#ifndef KN_BUILD
#define KN_BUILD /* the functions, not the macros of the same names */
#endif
#include "base/options.h"
#include "kiln/kiln.h"

/* An error of the operation; -1. Public functions open a scope, in which arrays and errors of theirs go. */
int knmedia_fail(const char *operation, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
kn_array knmedia_failed(void); /* the array that carries this thread's last one */
int knmedia_null(const char *operation, const char *what);
int knmedia_no_memory(const char *operation);

/* Memory of n elements of so many bytes, zeroed; NULL also where that is no number. knmedia_free it. */
void *knmedia_alloc(uint64_t n, size_t size);
char *knmedia_copy_text(const char *s); /* NULL: none, or no memory */

/* Bytes that grow. After a failure nothing is added any more. */
typedef struct knmedia_bytes {
    uint8_t *at;
    size_t n, room;
    bool failed;
} knmedia_bytes;
void knmedia_put(knmedia_bytes *b, const void *bytes, size_t n);
void knmedia_puts(knmedia_bytes *b, const char *text);
void knmedia_put_le(knmedia_bytes *b, uint64_t v, int bytes); /* the lowest first */
void knmedia_put_be(knmedia_bytes *b, uint64_t v, int bytes);
void knmedia_put_int(knmedia_bytes *b, int64_t v);
/* With a point in every locale, and no zeros at the end: 2.5, 10, -0.25; at most 9 decimals. */
void knmedia_put_number(knmedia_bytes *b, double v, int decimals);
void knmedia_bytes_free(knmedia_bytes *b);

/* A whole file, or the rest of a stream; 0, or -1 with an error. */
int knmedia_read(const char *operation, const char *path, FILE *file, knmedia_bytes *out);
/* Writes what there is and frees it. `status` is that of what came before: not 0: nothing is written. */
int knmedia_write(const char *operation, const char *path, FILE *file, knmedia_bytes *b, int status);
/* One of a path and a stream; 0, or -1 with an error. */
int knmedia_check_target(const char *operation, const char *path, FILE *file);
/* What the path ends with ("png"), in lower case; "" for nothing. */
void knmedia_ending(const char *path, char ending[8]);

/* The elements of x as float64, C-contiguous, alive while the scope is; NULL with an error. n: their number. */
const double *knmedia_doubles(const char *operation, const char *name, kn_array x, int64_t *n);
/* An array of the shape that begins with `data`, which is given away (freed at the end); carries an error. */
kn_array knmedia_array(const char *operation, void *data, int ndim, const int64_t *dim, kn_dtype dtype);
#endif
