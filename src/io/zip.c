/* SPDX-License-Identifier: Apache-2.0
 * zip.c -- reading zip archives: the end record says where the directory lies, the directory where the members lie. */
#include "io/zip.h"
#include "base/memory.h"
#include "io/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_RECORD = 22,
    END64_LOCATOR = 20,
    END64_RECORD = 56,
    ENTRY = 46,
    LOCAL = 30,
    MAX_COMMENT = 65535,
    MAX_RATIO = 1032
};

typedef struct member {
    char *name;
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed, size, offset; /* offset: of the local header */
    uint64_t end;                  /* where the next member begins, or the directory */
} member;

struct knio_zip {
    knio_source source;
    uint64_t shift; /* bytes in front of the archive (self-extracting ones have a program there) */
    KN_VEC(member) members;
};

/* Where the directory is. */
typedef struct directory {
    uint64_t end, offset, bytes, count;
    bool is64;
} directory;

static uint64_t get(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static bool is_record(const uint8_t *p, uint8_t a, uint8_t b)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == a && p[3] == b;
}

static knx_error *damaged(const knio_zip *z, const char *what)
{
    return knx_error_new(KN_ERROR_VALUE, "%s: %s", z->source.path, what);
}

/* The end record: the last one whose comment reaches exactly to the end of the file. */
static knx_error *find_end(knio_zip *z, directory *d)
{
    uint64_t size = z->source.size;
    size_t n = size < END_RECORD + MAX_COMMENT ? (size_t)size : END_RECORD + MAX_COMMENT;
    uint8_t *tail = knx_alloc(n + 1);
    if (!tail)
        return knx_error_nomem();
    knx_error *e = knio_source_read(&z->source, size - n, tail, n);
    bool found = false;
    for (size_t i = n < END_RECORD ? 0 : n - END_RECORD + 1; !e && !found && i-- > 0;) {
        const uint8_t *p = tail + i;
        found = is_record(p, 5, 6) && get(p + 20, 2) == n - i - END_RECORD;
        if (found)
            *d = (directory){
                .end = size - n + i, .count = get(p + 10, 2), .bytes = get(p + 12, 4), .offset = get(p + 16, 4)};
    }
    knx_free(tail);
    return e || found ? e : damaged(z, "File is not a zip file");
}

static knx_error *find_end64(knio_zip *z, directory *d)
{
    uint8_t locator[END64_LOCATOR], record[END64_RECORD];
    if (d->end < END64_LOCATOR)
        return NULL;
    KN_TRY(knio_source_read(&z->source, d->end - END64_LOCATOR, locator, END64_LOCATOR));
    if (!is_record(locator, 6, 7))
        return NULL;
    uint64_t at = get(locator + 8, 8), latest = d->end - END64_LOCATOR;
    if (latest < END64_RECORD || at > latest - END64_RECORD)
        return damaged(z, "the zip64 end record is missing");
    KN_TRY(knio_source_read(&z->source, at, record, END64_RECORD));
    if (!is_record(record, 6, 6)) { /* something stands in front of the archive */
        at = latest - END64_RECORD;
        KN_TRY(knio_source_read(&z->source, at, record, END64_RECORD));
    }
    if (!is_record(record, 6, 6))
        return damaged(z, "the zip64 end record is missing");
    *d = (directory){.end = at,
                     .count = get(record + 32, 8),
                     .bytes = get(record + 40, 8),
                     .offset = get(record + 48, 8),
                     .is64 = true};
    return NULL;
}

/* The zip64 extra field holds those of size, packed size and offset that do not fit into the entry, in this order. */
static bool read_extra64(member *m, const uint8_t *p, size_t n)
{
    uint64_t *const field[] = {&m->size, &m->packed, &m->offset};
    while (n >= 4) {
        size_t bytes = (size_t)get(p + 2, 2);
        if (bytes > n - 4)
            return false;
        const uint8_t *value = p + 4, *end = p + 4 + bytes;
        for (int i = 0; get(p, 2) == 1 && i < 3; i++) {
            if (*field[i] != 0xffffffffu)
                continue;
            if (end - value < 8)
                return false;
            *field[i] = get(value, 8);
            value += 8;
        }
        p += 4 + bytes;
        n -= 4 + bytes;
    }
    return true;
}

static knx_error *read_entry(knio_zip *z, const uint8_t *p, size_t n, size_t *length)
{
    if (n < ENTRY || !is_record(p, 1, 2))
        return damaged(z, "the directory of the zip file is damaged");
    size_t name = (size_t)get(p + 28, 2), extra = (size_t)get(p + 30, 2);
    *length = ENTRY + name + extra + (size_t)get(p + 32, 2);
    if (*length > n || memchr(p + ENTRY, 0, name))
        return damaged(z, "the directory of the zip file is damaged");
    member m = {.flags = (uint16_t)get(p + 8, 2),
                .method = (uint16_t)get(p + 10, 2),
                .crc = (uint32_t)get(p + 16, 4),
                .packed = get(p + 20, 4),
                .size = get(p + 24, 4),
                .offset = get(p + 42, 4)};
    if (!read_extra64(&m, p + ENTRY + name, extra))
        return damaged(z, "the directory of the zip file is damaged");
    m.name = knx_alloc(name + 1);
    if (!m.name)
        return knx_error_nomem();
    memcpy(m.name, p + ENTRY, name);
    m.name[name] = '\0';
    if (KN_VEC_PUSH(&z->members, m))
        return NULL;
    knx_free(m.name);
    return knx_error_nomem();
}

static knx_error *read_entries(knio_zip *z, const uint8_t *p, size_t n, const directory *d)
{
    for (size_t at = 0, length = 0; at < n; at += length)
        KN_TRY(read_entry(z, p + at, n - at, &length));
    if (d->is64 ? z->members.n != d->count : (z->members.n & 0xffff) != d->count)
        return damaged(z, "the directory of the zip file is damaged");
    return NULL;
}

static int by_offset(const void *a, const void *b)
{
    uint64_t x = (*(member *const *)a)->offset, y = (*(member *const *)b)->offset;
    return (x > y) - (x < y);
}

/* Of two members that begin at the same place one has no room at all. */
static knx_error *find_ends(knio_zip *z, uint64_t last)
{
    size_t n = z->members.n;
    member **order = knx_alloc(n * sizeof(member *) + 1);
    if (!order)
        return knx_error_nomem();
    for (size_t i = 0; i < n; i++)
        order[i] = &z->members.at[i];
    qsort(order, n, sizeof(member *), by_offset);
    for (size_t i = 0; i < n; i++)
        order[i]->end = i + 1 < n ? order[i + 1]->offset : last;
    knx_free(order);
    return NULL;
}

static knx_error *read_directory(knio_zip *z)
{
    directory d = {0};
    KN_TRY(find_end(z, &d));
    KN_TRY(find_end64(z, &d));
    if (d.bytes > d.end || d.offset > d.end - d.bytes || d.bytes >= SIZE_MAX)
        return damaged(z, "the directory of the zip file is damaged");
    z->shift = d.end - d.bytes - d.offset;
    uint8_t *p = knx_alloc((size_t)d.bytes + 1);
    if (!p)
        return knx_error_nomem();
    knx_error *e = knio_source_read(&z->source, d.end - d.bytes, p, (size_t)d.bytes);
    if (!e)
        e = read_entries(z, p, (size_t)d.bytes, &d);
    knx_free(p);
    if (!e)
        e = find_ends(z, d.offset);
    return e;
}

static knx_error *open_source(knio_zip *z, knx_error *e, knio_zip **out)
{
    if (!e)
        e = read_directory(z);
    if (e)
        knio_zip_close(z);
    else
        *out = z;
    return e;
}

knx_error *knio_zip_open(const char *path, knio_zip **out)
{
    *out = NULL;
    knio_zip *z = knx_alloc_zero(sizeof *z);
    return z ? open_source(z, knio_source_open(path, &z->source), out) : knx_error_nomem();
}

knx_error *knio_zip_open_memory(const void *bytes, size_t n, knio_zip **out)
{
    *out = NULL;
    knio_zip *z = knx_alloc_zero(sizeof *z);
    return z ? open_source(z, knio_source_memory(bytes, n, "<memory>", &z->source), out) : knx_error_nomem();
}

void knio_zip_close(knio_zip *z)
{
    if (!z)
        return;
    for (size_t i = 0; i < z->members.n; i++)
        knx_free(z->members.at[i].name);
    if (z->members.at)
        KN_VEC_FREE(&z->members);
    knio_source_close(&z->source);
    knx_free(z);
}

size_t knio_zip_count(const knio_zip *z) { return z->members.n; }

const char *knio_zip_name(const knio_zip *z, size_t i) { return z->members.at[i].name; }

uint64_t knio_zip_size(const knio_zip *z, size_t i) { return z->members.at[i].size; }

int64_t knio_zip_find(const knio_zip *z, const char *name)
{
    for (size_t i = z->members.n; i-- > 0;)
        if (strcmp(z->members.at[i].name, name) == 0)
            return (int64_t)i;
    return -1;
}

/* ---- members ---- */

static knx_error *member_error(const knio_zip *z, const member *m, kn_error_kind kind, const char *what)
{
    return knx_error_new(kind, "%s: %s: %s", z->source.path, m->name, what);
}

static knx_error *check_member(const knio_zip *z, const member *m)
{
    if (m->flags & 1)
        return member_error(z, m, KN_ERROR_NOT_IMPLEMENTED, "the member is encrypted");
    if (m->method != 0 && m->method != 8)
        return member_error(z, m, KN_ERROR_NOT_IMPLEMENTED, "the compression method is not supported");
    if (m->method == 8 && !knio_zip_can_compress())
        return member_error(z, m, KN_ERROR_NOT_IMPLEMENTED,
                            "compressed members need zlib, and this build of Kiln has none");
    bool plausible =
        m->method == 0 ? m->packed == m->size : m->size / MAX_RATIO <= m->packed; /* deflate cannot do better */
    if (!plausible || m->packed > z->source.size || m->packed >= SIZE_MAX / 2 || m->size >= SIZE_MAX / 2)
        return member_error(z, m, KN_ERROR_VALUE, "the size of the member is wrong");
    return NULL;
}

/* The local header has to say the same name as the directory. */
static knx_error *check_local_name(knio_zip *z, const member *m, uint64_t at, size_t n)
{
    char *name = knx_alloc(n + 1);
    if (!name)
        return knx_error_nomem();
    knx_error *e = knio_source_read(&z->source, at, name, n);
    if (!e && (n != strlen(m->name) || memcmp(name, m->name, n) != 0))
        e = knx_error_new(KN_ERROR_VALUE, "%s: File name in directory '%s' and header '%.*s' differ.", z->source.path,
                          m->name, n > 200 ? 200 : (int)n, name);
    knx_free(name);
    return e;
}

/* Reads the packed bytes into the new *p. */
static knx_error *read_packed(knio_zip *z, const member *m, uint8_t **p)
{
    uint8_t local[LOCAL];
    uint64_t at = m->offset + z->shift;
    if (at < m->offset)
        return member_error(z, m, KN_ERROR_VALUE, "the local header is missing");
    KN_TRY(knio_source_read(&z->source, at, local, LOCAL));
    if (!is_record(local, 3, 4))
        return member_error(z, m, KN_ERROR_VALUE, "the local header is missing");
    size_t name = (size_t)get(local + 26, 2);
    KN_TRY(check_local_name(z, m, at + LOCAL, name));
    at += LOCAL + name + get(local + 28, 2);
    if (at - z->shift + m->packed > m->end)
        return knx_error_new(KN_ERROR_VALUE, "%s: Overlapped entries: '%s' (possible zip bomb)", z->source.path,
                             m->name);
    *p = knx_alloc((size_t)m->packed + 1);
    if (!*p)
        return knx_error_nomem();
    knx_error *e = knio_source_read(&z->source, at, *p, (size_t)m->packed);
    if (e) {
        knx_free(*p);
        *p = NULL;
    }
    return e;
}

/* Replaces the packed bytes by the unpacked ones. */
static knx_error *unpack(const knio_zip *z, const member *m, uint8_t **p)
{
    uint8_t *unpacked = knx_alloc((size_t)m->size + 1);
    knx_error *e = unpacked ? knio_inflate(*p, (size_t)m->packed, unpacked, (size_t)m->size) : knx_error_nomem();
    if (e && e->kind == KN_ERROR_VALUE) {
        knx_error_release(e);
        e = member_error(z, m, KN_ERROR_VALUE, "the compressed data is damaged");
    }
    if (e) {
        if (unpacked)
            knx_free(unpacked);
        return e;
    }
    knx_free(*p);
    *p = unpacked;
    return NULL;
}

knx_error *knio_zip_read(knio_zip *z, size_t i, uint8_t **bytes, size_t *n)
{
    const member *m = &z->members.at[i];
    uint8_t *p = NULL;
    *bytes = NULL;
    *n = 0;
    KN_TRY(check_member(z, m));
    KN_TRY(read_packed(z, m, &p));
    knx_error *e = m->method == 8 ? unpack(z, m, &p) : NULL;
    if (!e && knio_crc32(0, p, (size_t)m->size) != m->crc)
        e = knx_error_new(KN_ERROR_VALUE, "%s: Bad CRC-32 for file '%s'", z->source.path, m->name);
    if (e) {
        knx_free(p);
        return e;
    }
    p[m->size] = 0;
    *bytes = p;
    *n = (size_t)m->size;
    return NULL;
}
