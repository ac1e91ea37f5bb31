/* SPDX-License-Identifier: Apache-2.0
 * proto.h -- the wire format of protocol buffers, read and written by tables of fields. A message is decoded into a
 * struct: optional fields are its members, repeated ones an array and its length. Nothing is taken that the bytes do
 * not honestly have. */
#ifndef KN_MODELS_ONNX_PROTO_H
#define KN_MODELS_ONNX_PROTO_H
#include "models/models.h"
#include <stddef.h>

typedef enum knonnx_wire {
    KNONNX_W_INT,    /* int64_t */
    KNONNX_W_FLOAT,  /* float */
    KNONNX_W_TEXT,   /* const char *, zero-terminated; "" where there is none */
    KNONNX_W_BYTES,  /* knonnx_bytes into the file */
    KNONNX_W_MESSAGE, /* const struct *; NULL where there is none */
    KNONNX_W_INTS, KNONNX_W_INT32S, KNONNX_W_UINT64S, KNONNX_W_FLOATS, KNONNX_W_DOUBLES, /* arrays and int lengths */
    KNONNX_W_TEXTS, KNONNX_W_BYTES_LIST, KNONNX_W_MESSAGES, KNONNX_W_POINTERS /* to messages */
} knonnx_wire;

typedef struct knonnx_reader {
    const char *operation;
    knmodels_arena *arena;
    const char *begin; /* of the file */
    int depth;
    void *env; /* for `finish` */
} knonnx_reader;

typedef struct knonnx_field {
    uint32_t number;
    knonnx_wire wire;
    size_t at, count; /* offsets of the member and of its length */
    const struct knonnx_message *message;
} knonnx_field;

typedef struct knonnx_message {
    const char *name;
    size_t size;
    const knonnx_field *fields; /* ends with number 0 */
    int (*finish)(knonnx_reader *r, void *message); /* NULL: nothing to do; 0, or -1 with an error */
} knonnx_message;

/* Decodes a message into *out, a struct of m->size bytes, zeroed before; 0, or -1 with an error. */
int knonnx_read(knonnx_reader *r, const knonnx_message *m, const char *bytes, size_t n, void *out);
void knonnx_report_read(const knonnx_reader *r, const char *format, ...) KN_PRINTF_LIKE(2, 3); /* ValueError */
#define knonnx_read_failed(...) (knonnx_report_read(__VA_ARGS__), knbeside_minus_one())

/* ---- Writing. */
void knonnx_put_int(knbeside_bytes *b, uint32_t number, int64_t v);
void knonnx_put_float(knbeside_bytes *b, uint32_t number, float v);
void knonnx_put_text(knbeside_bytes *b, uint32_t number, const char *text);
void knonnx_put_bytes(knbeside_bytes *b, uint32_t number, const void *bytes, size_t n); /* a message, too */
#endif
