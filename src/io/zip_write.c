/* SPDX-License-Identifier: Apache-2.0
 * zip_write.c -- writing zip archives: for each member a local header and the bytes, then the directory, then the end
 * record. Every date is 1980-01-01, so that equal contents make equal files. */
#include "base/memory.h"
#include "base/str.h"
#include "io/output.h"
#include "io/zip.h"

#include <string.h>

enum { STORED = 0, DEFLATED = 8, UTF8 = 1 << 11, DATE_1980 = 0x21, LIMIT16 = 0xffff };
static const uint64_t limit32 = 0xffffffffu;

struct knio_zip_writer {
    knio_output output;
    uint64_t offset, count;
    knx_str directory;
    knx_error *error; /* the first one */
};

static void put(knx_str *t, uint64_t v, int bytes)
{
    char b[8];
    for (int i = 0; i < bytes; i++)
        b[i] = (char)(v >> (8 * i) & 0xff);
    knx_str_add(t, b, (size_t)bytes);
}

static knx_error *fail_writer(knio_zip_writer *w, knx_error *e)
{
    if (!w->error)
        w->error = knx_error_retain(e);
    return e;
}

static knx_error *write_bytes(knio_zip_writer *w, const void *bytes, size_t n)
{
    KN_TRY(knio_output_write(&w->output, bytes, n));
    w->offset += n;
    return NULL;
}

knx_error *knio_zip_writer_open(const char *path, FILE *stream, knio_zip_writer **out)
{
    *out = NULL;
    knio_zip_writer *w = knx_alloc_zero(sizeof *w);
    knx_error *e = w ? knio_output_open(path, stream, &w->output) : knx_error_nomem();
    if (e)
        knx_free(w);
    else
        *out = w;
    return e;
}

/* One member as its two headers need it. */
typedef struct entry {
    const char *name;
    size_t name_bytes;
    int method;
    uint32_t crc;
    uint64_t packed, size, offset;
} entry;

static uint64_t fit32(uint64_t v) { return v < limit32 ? v : limit32; }

/* What both headers share: from the version needed to the length of the name. */
static void put_common(knx_str *t, const entry *e, bool is64)
{
    put(t, is64 ? 45 : 20, 2);
    put(t, UTF8, 2);
    put(t, (uint64_t)e->method, 2);
    put(t, 0, 2);
    put(t, DATE_1980, 2);
    put(t, e->crc, 4);
    put(t, is64 ? limit32 : e->packed, 4);
    put(t, is64 ? limit32 : e->size, 4);
    put(t, e->name_bytes, 2);
}

static bool big_member(const entry *e) { return e->packed >= limit32 || e->size >= limit32; }

static void put_local(knx_str *t, const entry *e)
{
    bool is64 = big_member(e);
    knx_str_puts(t, "PK\3\4");
    put_common(t, e, is64);
    put(t, is64 ? 20 : 0, 2);
    knx_str_add(t, e->name, e->name_bytes);
    if (is64) {
        put(t, 1, 2);
        put(t, 16, 2);
        put(t, e->size, 8);
        put(t, e->packed, 8);
    }
}

static void put_entry(knx_str *t, const entry *e)
{
    bool is64 = big_member(e), far = e->offset >= limit32;
    int extra = 16 * is64 + 8 * far;
    knx_str_puts(t, "PK\1\2");
    put(t, 3 << 8 | (is64 || far ? 45 : 20), 2); /* made by: Unix */
    put_common(t, e, is64);
    put(t, extra ? (uint64_t)extra + 4 : 0, 2);
    put(t, 0, 6);                    /* comment, disk, internal attributes */
    put(t, (uint64_t)0600 << 16, 4); /* Unix permissions */
    put(t, fit32(e->offset), 4);
    knx_str_add(t, e->name, e->name_bytes);
    if (extra) {
        put(t, 1, 2);
        put(t, (uint64_t)extra, 2);
    }
    if (is64) {
        put(t, e->size, 8);
        put(t, e->packed, 8);
    }
    if (far)
        put(t, e->offset, 8);
}

static knx_error *add_packed(knio_zip_writer *w, const entry *e, const void *packed)
{
    knx_str header = {0};
    put_local(&header, e);
    size_t before = w->directory.n;
    put_entry(&w->directory, e);
    knx_error *error = header.failed || w->directory.failed ? knx_error_nomem() : write_bytes(w, header.s, header.n);
    if (!error)
        error = write_bytes(w, packed, (size_t)e->packed);
    if (error)
        w->directory.n = before;
    else
        w->count++;
    knx_str_free(&header);
    return error;
}

knx_error *knio_zip_writer_add(knio_zip_writer *w, const char *name, const void *bytes, size_t n, bool compress)
{
    if (w->error)
        return knx_error_retain(w->error);
    entry e = {.name = name,
               .name_bytes = strlen(name),
               .method = compress ? DEFLATED : STORED,
               .packed = n,
               .size = n,
               .offset = w->offset};
    uint8_t *packed = NULL;
    size_t packed_bytes = n;
    if (e.name_bytes > LIMIT16)
        return fail_writer(w, knx_error_new(KN_ERROR_VALUE, "%s: the name of a member is too long", w->output.path));
    e.crc = knio_crc32(0, bytes, n);
    knx_error *error = compress ? knio_deflate(bytes, n, &packed, &packed_bytes) : NULL;
    e.packed = packed_bytes;
    if (!error)
        error = add_packed(w, &e, packed ? packed : bytes);
    if (packed)
        knx_free(packed);
    return error ? fail_writer(w, error) : NULL;
}

static void put_end(knx_str *t, const knio_zip_writer *w)
{
    uint64_t bytes = t->n, offset = w->offset, count = w->count;
    if (bytes >= limit32 || offset >= limit32 || count >= LIMIT16) {
        knx_str_puts(t, "PK\6\6");
        put(t, 44, 8);
        put(t, 3 << 8 | 45, 2);
        put(t, 45, 2);
        put(t, 0, 8); /* disks */
        put(t, count, 8);
        put(t, count, 8);
        put(t, bytes, 8);
        put(t, offset, 8);
        knx_str_puts(t, "PK\6\7");
        put(t, 0, 4);
        put(t, offset + bytes, 8);
        put(t, 1, 4);
    }
    knx_str_puts(t, "PK\5\6");
    put(t, 0, 4);
    put(t, count < LIMIT16 ? count : LIMIT16, 2);
    put(t, count < LIMIT16 ? count : LIMIT16, 2);
    put(t, fit32(bytes), 4);
    put(t, fit32(offset), 4);
    put(t, 0, 2);
}

knx_error *knio_zip_writer_close(knio_zip_writer *w, knx_error *meanwhile)
{
    knx_error *e = w->error;
    if (e)
        knx_error_release(meanwhile);
    else
        e = meanwhile;
    if (!e) {
        put_end(&w->directory, w);
        e = w->directory.failed ? knx_error_nomem() : write_bytes(w, w->directory.s, w->directory.n);
    }
    e = knio_output_close(&w->output, e);
    knx_str_free(&w->directory);
    knx_free(w);
    return e;
}
