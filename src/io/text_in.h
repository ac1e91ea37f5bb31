/* SPDX-License-Identifier: Apache-2.0
 * text_in.h -- texts to read, in pieces: of a file (gzip, too), of an open stream, of memory; whatever their encoding,
 * what comes out is UTF-8. */
#ifndef KN_IO_TEXT_IN_H
#define KN_IO_TEXT_IN_H
#include "base/error.h"
#include "io/zip.h"

typedef struct knio_text {
    char *at, *end; /* what was read and is not used yet; a NUL stands at the end */
    bool ended;     /* nothing comes behind that */
    char *room;
    size_t size;       /* of the room */
    size_t pending;    /* bytes behind `end`: a character that is not complete */
    const char *rest;  /* of memory */
    FILE *file;        /* NULL: memory */
    knio_gzip *gzip;   /* what the file is read through; NULL: nothing */
    bool borrowed;     /* the file is the caller's, and is read by lines: it goes on behind the last one used */
    bool mark;         /* a byte order mark may come */
    uint8_t encoding;
    uint64_t position; /* of `end`, in bytes of what is read */
    char *name;        /* for messages */
} knio_text;

/* One of the three; the text ends with NUL. Encodings: utf-8 (NULL), utf-8-sig, ascii, latin1. */
knx_error *knio_text_open(knio_text *t, const char *path, const char *text, FILE *stream, const char *encoding);
/* Puts more behind `end`; where `at` was is another place then. */
knx_error *knio_text_more(knio_text *t);
void knio_text_close(knio_text *t); /* fine when zeroed */
knx_error *knio_highest_character(const char *encoding, int *most); /* that it has; ValueError if it is not known */

/* Python's white space: how many bytes of it stand at s, 0 if none. */
size_t knio_space(const char *s, const char *end);
/* s[..end] without white space around it. */
void knio_strip(const char **s, const char **end);
#endif
