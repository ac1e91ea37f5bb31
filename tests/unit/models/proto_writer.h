/* SPDX-License-Identifier: Apache-2.0
 * proto_writer.h -- messages of protocol buffers, made byte by byte: a message is a list of fields. */
#ifndef KN_TEST_PROTO_WRITER_H
#define KN_TEST_PROTO_WRITER_H
#include "support/expect.h"
#include <string.h>

typedef struct message {
    size_t n;
    unsigned char at[4096];
} message;

static void put(message *m, const void *bytes, size_t n)
{
    assert_true(m->n + n <= sizeof m->at);
    memcpy(m->at + m->n, bytes, n);
    m->n += n;
}

static void put_varint(message *m, uint64_t v)
{
    do {
        unsigned char c = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        put(m, &c, 1);
        v >>= 7;
    } while (v);
}

static void number(message *m, unsigned field, int64_t v)
{
    put_varint(m, (uint64_t)field << 3);
    put_varint(m, (uint64_t)v);
}

static void bytes_of(message *m, unsigned field, const void *bytes, size_t n)
{
    put_varint(m, (uint64_t)field << 3 | 2);
    put_varint(m, n);
    put(m, bytes, n);
}

/* Numbers as files have them: the lowest byte first. */
static inline void floats_of(message *m, unsigned field, int n, const float *v)
{
    unsigned char bytes[64];
    assert_true(n <= 16);
    for (int i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &v[i], 4);
        for (int k = 0; k < 4; k++)
            bytes[4 * i + k] = (unsigned char)(bits >> 8 * k);
    }
    bytes_of(m, field, bytes, 4 * (size_t)n);
}

static void text(message *m, unsigned field, const char *s) { bytes_of(m, field, s, strlen(s)); }
static void sub(message *m, unsigned field, const message *of) { bytes_of(m, field, of->at, of->n); }
#endif
