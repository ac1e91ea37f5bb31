/* SPDX-License-Identifier: Apache-2.0
 * json.h -- JSON as manifests and headers of files have it: UTF-8, numbers are integers of 64 bits where they are
 * asked for, texts have no NUL inside. All errors are ValueErrors "JSON: ... at byte N". */
#ifndef KN_IO_JSON_H
#define KN_IO_JSON_H
#include "base/memory.h"
#include "base/str.h"

enum { KNIO_JSON_DEPTH = 16 };

/* ---- Piece by piece: nothing but texts takes memory, and no more than they have in the file. */

typedef struct knio_json_reader {
    knx_arena *a; /* of texts */
    const char *begin, *s, *end;
} knio_json_reader;

knx_error *knio_json_wrong(const knio_json_reader *r, const char *what);
void knio_json_blanks(knio_json_reader *r);            /* skips them */
bool knio_json_take(knio_json_reader *r, char c);      /* the character is next, and is behind us now */
bool knio_json_null(knio_json_reader *r);              /* so is null */
knx_error *knio_json_text(knio_json_reader *r, const char **out);
knx_error *knio_json_integer(knio_json_reader *r, int64_t *out);
knx_error *knio_json_skip(knio_json_reader *r, int depth); /* whatever value there is */
/* Inside of brackets that close with ] or }: is there a member number i (above 0: any later one)? Of an object its
 * key. */
knx_error *knio_json_next(knio_json_reader *r, char close, int i, const char **key, bool *more);
knx_error *knio_json_end(knio_json_reader *r);         /* nothing but blanks is left */

/* ---- The whole as a tree. */

typedef enum knio_json_kind {
    KNIO_JSON_NULL,
    KNIO_JSON_BOOL,
    KNIO_JSON_NUMBER,
    KNIO_JSON_TEXT,
    KNIO_JSON_LIST,
    KNIO_JSON_OBJECT
} knio_json_kind;
typedef struct knio_json {
    knio_json_kind kind;
    int64_t number;   /* an integer; of a list or an object: how many there are in it */
    const char *text; /* UTF-8, no NUL inside */
    const char *key;  /* in an object */
    struct knio_json *first, *next;
} knio_json;
/* The arena has what it points to. */
knx_error *knio_json_read(knx_arena *a, const char *s, size_t n, const knio_json **out);
/* NULL: there is none, or j is no object, or NULL */
const knio_json *knio_json_member(const knio_json *j, const char *key);

void knio_json_add_text(knx_str *out, const char *text); /* with its quotes, as serde and json.dumps write it */
#endif
