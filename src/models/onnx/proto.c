/* SPDX-License-Identifier: Apache-2.0
 * proto.c -- messages of protocol buffers into structs, by tables. A message is passed over twice: the first time
 * counts what is repeated, the second fills the arrays. */
#include "models/onnx/proto.h"
#include "models/onnx/onnx.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 100 };

typedef struct span {
    const char *at, *end;
} span;

void knonnx_report_read(const knonnx_reader *r, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    knbeside_report(r->operation, KN_ERROR_VALUE, "%s", message);
}

static bool varint(span *s, uint64_t *out)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 70 && s->at < s->end; shift += 7) {
        unsigned char c = (unsigned char)*s->at++;
        if (shift < 63 || c <= 1)
            v |= (uint64_t)(c & 0x7f) << (shift < 63 ? shift : 63);
        if (!(c & 0x80)) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* One field: its number, wire type, and the value, or the bytes that it has. */
typedef struct piece {
    uint32_t number, type;
    uint64_t v;
    span bytes;
} piece;

static bool next(span *s, piece *p)
{
    uint64_t tag;
    if (!varint(s, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return false;
    p->number = (uint32_t)(tag >> 3);
    p->type = tag & 7;
    p->bytes = (span){s->at, s->at};
    size_t left = (size_t)(s->end - s->at), n;
    switch (p->type) {
    case 0: return varint(s, &p->v);
    case 1: n = 8; break;
    case 2:
        if (!varint(s, &p->v))
            return false;
        left = (size_t)(s->end - s->at);
        if (p->v > left)
            return false;
        n = (size_t)p->v;
        p->bytes.at = s->at;
        break;
    case 5: n = 4; break;
    default: return false; /* groups are gone from the format */
    }
    if (n > left)
        return false;
    p->bytes.end = p->bytes.at + n;
    s->at = p->bytes.end;
    if (p->type == 1 || p->type == 5) {
        p->v = 0;
        for (size_t i = 0; i < n; i++)
            p->v |= (uint64_t)(unsigned char)p->bytes.at[i] << 8 * i;
    }
    return true;
}

static const knonnx_field *field_of(const knonnx_message *m, uint32_t number)
{
    for (const knonnx_field *f = m->fields; f->number; f++)
        if (f->number == number)
            return f;
    return NULL;
}

/* ---- Numbers: one, or many packed. */

static size_t fixed_size(knonnx_wire w) { return w == KNONNX_W_FLOATS ? 4 : w == KNONNX_W_DOUBLES ? 8 : 0; }

static bool is_numbers(knonnx_wire w) { return w >= KNONNX_W_INTS && w <= KNONNX_W_DOUBLES; }

static size_t element_size(const knonnx_field *f)
{
    switch (f->wire) {
    case KNONNX_W_INTS:
    case KNONNX_W_UINT64S:
    case KNONNX_W_DOUBLES: return 8;
    case KNONNX_W_INT32S:
    case KNONNX_W_FLOATS: return 4;
    case KNONNX_W_BYTES_LIST: return sizeof(knonnx_bytes);
    case KNONNX_W_MESSAGES: return f->message->size;
    default: return sizeof(void *);
    }
}

/* How many numbers a piece has; -1: it is not well formed. */
static int64_t numbers_in(const knonnx_field *f, const piece *p)
{
    size_t fixed = fixed_size(f->wire), n = (size_t)(p->bytes.end - p->bytes.at);
    if (p->type != 2)
        return p->type == (fixed == 4 ? 5u : fixed == 8 ? 1u : 0u) ? 1 : -1;
    if (fixed)
        return n % fixed ? -1 : (int64_t)(n / fixed);
    int64_t count = 0;
    for (const char *c = p->bytes.at; c < p->bytes.end; c++)
        count += !(*c & 0x80);
    return n && (p->bytes.end[-1] & 0x80) ? -1 : count;
}

static bool put_numbers(const knonnx_field *f, const piece *p, char *to, int64_t n)
{
    size_t size = element_size(f), fixed = fixed_size(f->wire);
    span s = p->bytes;
    for (int64_t i = 0; i < n; i++, to += size) {
        uint64_t v = p->v;
        if (p->type == 2 && fixed) {
            v = 0;
            for (size_t k = 0; k < fixed; k++)
                v |= (uint64_t)(unsigned char)*s.at++ << 8 * k;
        } else if (p->type == 2 && !varint(&s, &v)) {
            return false;
        }
        if (size == 4)
            memcpy(to, &(uint32_t){(uint32_t)v}, 4);
        else
            memcpy(to, &v, 8);
    }
    return true;
}

/* ---- Messages. */

static int malformed(const knonnx_reader *r, const knonnx_message *m, const char *at)
{
    return knonnx_read_failed(r, "the file is no model: a message %s is broken at byte %lld", m->name,
                              (long long)(at - r->begin));
}

static int no_memory(const knonnx_reader *r) { return knbeside_no_memory(r->operation); }

static int32_t *count_of(void *out, const knonnx_field *f) { return (int32_t *)((char *)out + f->count); }

static int count(knonnx_reader *r, const knonnx_message *m, span s, void *out)
{
    piece p;
    while (s.at < s.end) {
        const char *at = s.at;
        if (!next(&s, &p))
            return malformed(r, m, at);
        const knonnx_field *f = field_of(m, p.number);
        if (!f || f->wire < KNONNX_W_INTS)
            continue;
        int64_t n = is_numbers(f->wire) ? numbers_in(f, &p) : p.type == 2 ? 1 : -1;
        if (n < 0 || *count_of(out, f) > INT32_MAX - n)
            return malformed(r, m, at);
        *count_of(out, f) += (int32_t)n;
    }
    return 0;
}

static int submessage(knonnx_reader *r, const knonnx_field *f, const piece *p, void *to)
{
    if (r->depth >= DEEPEST)
        return knonnx_read_failed(r, "messages are nested more than %d deep", DEEPEST);
    r->depth++;
    int status = knonnx_read(r, f->message, p->bytes.at, (size_t)(p->bytes.end - p->bytes.at), to);
    r->depth--;
    return status;
}

static int put_one(knonnx_reader *r, const knonnx_message *m, const knonnx_field *f, const piece *p, char *to)
{
    size_t n = (size_t)(p->bytes.end - p->bytes.at);
    uint32_t wanted = f->wire == KNONNX_W_INT ? 0 : f->wire == KNONNX_W_FLOAT ? 5 : 2;
    if (p->type != wanted)
        return malformed(r, m, p->bytes.at);
    switch (f->wire) {
    case KNONNX_W_INT: memcpy(to, &p->v, 8); return 0;
    case KNONNX_W_FLOAT: memcpy(to, &(uint32_t){(uint32_t)p->v}, 4); return 0;
    case KNONNX_W_TEXT:
    case KNONNX_W_TEXTS: {
        const char *copy = knmodels_take_text(r->arena, p->bytes.at, n);
        memcpy(to, &copy, sizeof copy);
        return copy ? 0 : no_memory(r);
    }
    case KNONNX_W_BYTES:
    case KNONNX_W_BYTES_LIST: memcpy(to, &(knonnx_bytes){p->bytes.at, n}, sizeof(knonnx_bytes)); return 0;
    case KNONNX_W_MESSAGES: return submessage(r, f, p, to);
    default: {
        void *sub = knmodels_take(r->arena, 1, f->message->size);
        memcpy(to, &sub, sizeof sub);
        return sub ? submessage(r, f, p, sub) : no_memory(r);
    }
    }
}

static int fill(knonnx_reader *r, const knonnx_message *m, span s, char *out)
{
    piece p;
    while (s.at < s.end) {
        const char *at = s.at;
        if (!next(&s, &p))
            return malformed(r, m, at);
        const knonnx_field *f = field_of(m, p.number);
        if (!f)
            continue;
        char *to = out + f->at;
        int64_t n = 1;
        if (f->wire >= KNONNX_W_INTS) {
            char *array;
            memcpy(&array, to, sizeof array);
            to = array + (size_t)*count_of(out, f) * element_size(f);
            n = is_numbers(f->wire) ? numbers_in(f, &p) : 1;
        }
        int status =
            is_numbers(f->wire) ? put_numbers(f, &p, to, n) ? 0 : malformed(r, m, at) : put_one(r, m, f, &p, to);
        if (status)
            return status;
        if (f->wire >= KNONNX_W_INTS)
            *count_of(out, f) += (int32_t)n;
    }
    return 0;
}

int knonnx_read(knonnx_reader *r, const knonnx_message *m, const char *bytes, size_t n, void *out)
{
    span s = {bytes, bytes + n};
    if (count(r, m, s, out))
        return -1;
    for (const knonnx_field *f = m->fields; f->number; f++) {
        void *array = NULL;
        if (f->wire == KNONNX_W_TEXT) {
            static const char *const empty = "";
            if (!memcmp((char *)out + f->at, &array, sizeof array))
                memcpy((char *)out + f->at, &empty, sizeof empty);
        }
        if (f->wire < KNONNX_W_INTS)
            continue;
        array = knmodels_take(r->arena, (uint64_t)*count_of(out, f), element_size(f));
        if (!array)
            return no_memory(r);
        memcpy((char *)out + f->at, &array, sizeof array);
        *count_of(out, f) = 0;
    }
    if (fill(r, m, s, out))
        return -1;
    return m->finish ? m->finish(r, out) : 0;
}

/* ---- Writing. */

static void put_varint(knbeside_bytes *b, uint64_t v)
{
    uint8_t to[10];
    size_t n = 0;
    do {
        to[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v);
    knbeside_put(b, to, n);
}

static void put_tag(knbeside_bytes *b, uint32_t number, uint32_t type) { put_varint(b, (uint64_t)number << 3 | type); }

void knonnx_put_int(knbeside_bytes *b, uint32_t number, int64_t v)
{
    put_tag(b, number, 0);
    put_varint(b, (uint64_t)v);
}

void knonnx_put_float(knbeside_bytes *b, uint32_t number, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_tag(b, number, 5);
    knbeside_put_le(b, bits, 4);
}

void knonnx_put_bytes(knbeside_bytes *b, uint32_t number, const void *bytes, size_t n)
{
    put_tag(b, number, 2);
    put_varint(b, n);
    knbeside_put(b, bytes, n);
}

void knonnx_put_text(knbeside_bytes *b, uint32_t number, const char *text)
{
    knonnx_put_bytes(b, number, text, strlen(text));
}
