/* SPDX-License-Identifier: Apache-2.0
 * beside.h -- what the libraries beside kiln share (kiln_media, kiln_models): errors, growing bytes, whole files. They
 * stand on Kiln's public functions alone; these are compiled into each of them. */
#ifndef KN_BESIDE_BESIDE_H
#define KN_BESIDE_BESIDE_H
#ifndef KN_BUILD
#define KN_BUILD /* the functions, not the macros of the same names */
#endif
#include "base/options.h"
#include "kiln/kiln.h"

/* An error of the operation. Public functions open a scope, in which arrays and errors of theirs go. */
void knbeside_report(const char *operation, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
/* The same as an expression that is -1, which compilers and analysers of callers see. */
static inline int knbeside_minus_one(void) { return -1; }
#define knbeside_fail(...) (knbeside_report(__VA_ARGS__), knbeside_minus_one())
#define knbeside_null(operation, what) knbeside_fail(operation, KN_ERROR_TYPE, "null %s", what)
#define knbeside_no_memory(operation) knbeside_fail(operation, KN_ERROR_MEMORY, "no memory")
kn_array knbeside_failed(void); /* the array that carries this thread's last one */

/* Memory of n elements of so many bytes, zeroed; NULL also where that is no number. free() it. */
void *knbeside_alloc(uint64_t n, size_t size);
char *knbeside_copy_text(const char *s); /* NULL: none, or no memory */

/* Bytes that grow. After a failure nothing is added any more. */
typedef struct knbeside_bytes {
    uint8_t *at;
    size_t n, room;
    bool failed;
} knbeside_bytes;
void knbeside_put(knbeside_bytes *b, const void *bytes, size_t n);
void knbeside_puts(knbeside_bytes *b, const char *text);
void knbeside_put_le(knbeside_bytes *b, uint64_t v, int bytes); /* the lowest first */
void knbeside_put_be(knbeside_bytes *b, uint64_t v, int bytes);
void knbeside_put_int(knbeside_bytes *b, int64_t v);
/* With a point in every locale, and no zeros at the end: 2.5, 10, -0.25; at most 9 decimals. */
void knbeside_put_number(knbeside_bytes *b, double v, int decimals);
void knbeside_bytes_free(knbeside_bytes *b);

/* A whole file, or the rest of a stream; 0, or -1 with an error. */
int knbeside_read(const char *operation, const char *path, FILE *file, knbeside_bytes *out);
/* Writes what there is and frees it. `status` is that of what came before: not 0: nothing is written. */
int knbeside_write(const char *operation, const char *path, FILE *file, knbeside_bytes *b, int status);
/* One of a path and a stream; 0, or -1 with an error. */
int knbeside_check_target(const char *operation, const char *path, FILE *file);
/* What the path ends with ("png"), in lower case; "" for nothing. */
void knbeside_ending(const char *path, char ending[8]);
#endif
