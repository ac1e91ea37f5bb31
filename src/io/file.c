/* SPDX-License-Identifier: Apache-2.0
 * file.c -- reading and writing files, with errors as values. */
#define _FILE_OFFSET_BITS 64
#include "io/file.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#ifdef _WIN32
#define seek_to(f, offset, whence) _fseeki64((f), (int64_t)(offset), (whence))
#define tell(f)                    ((int64_t)_ftelli64(f))
#else
#define seek_to(f, offset, whence) fseeko((f), (off_t)(offset), (whence))
#define tell(f)                    ((int64_t)ftello(f))
#endif

knx_error *knio_file_error(const char *path, int error_number)
{
    return knx_error_new(KN_ERROR_FILE, "%s: %s", path, error_number ? strerror(error_number) : "Input/output error");
}

static char *copy_string(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = knx_alloc(n);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}

knx_error *knio_source_open(const char *path, knio_source *s)
{
    *s = (knio_source){.path = copy_string(path)};
    if (!s->path)
        return knx_error_nomem();
    errno = 0;
    s->file = fopen(path, "rb");
    int64_t size = -1;
    char probe;
    if (s->file && seek_to(s->file, 0, SEEK_END) == 0)
        size = tell(s->file);
    bool readable = size >= 0 && seek_to(s->file, 0, SEEK_SET) == 0;
    if (readable && size > 0)
        readable = fread(&probe, 1, 1, s->file) == 1; /* a directory opens, but does not read */
    if (!readable) {
        knx_error *e = knio_file_error(path, errno);
        knio_source_close(s);
        return e;
    }
    s->size = (uint64_t)size;
    return NULL;
}

knx_error *knio_source_stream(FILE *file, knio_source *s)
{
    *s = (knio_source){.path = copy_string("<stream>"), .file = file, .borrowed = true, .size = UINT64_MAX};
    if (!s->path)
        return knx_error_nomem();
    int64_t at = tell(file), end = -1;
    if (at >= 0 && seek_to(file, 0, SEEK_END) == 0)
        end = tell(file);
    s->forward = at < 0 || end < at || seek_to(file, at, SEEK_SET) != 0;
    if (!s->forward) {
        s->base = (uint64_t)at;
        s->size = (uint64_t)(end - at);
    }
    return NULL;
}

knx_error *knio_source_memory(const void *bytes, size_t n, const char *name, knio_source *s)
{
    *s = (knio_source){.bytes = bytes, .size = n, .path = copy_string(name)};
    return s->path ? NULL : knx_error_nomem();
}

static bool go_to(knio_source *s, uint64_t offset)
{
    uint8_t skipped[512];
    if (!s->forward)
        return seek_to(s->file, s->base + offset, SEEK_SET) == 0;
    while (s->at < offset) {
        size_t n = offset - s->at < sizeof skipped ? (size_t)(offset - s->at) : sizeof skipped;
        if (fread(skipped, 1, n, s->file) != n)
            return false;
        s->at += n;
    }
    return s->at == offset;
}

knx_error *knio_source_read_some(knio_source *s, uint64_t offset, void *to, size_t n, size_t *got)
{
    *got = 0;
    uint64_t left = offset < s->size ? s->size - offset : 0;
    if (n > left)
        n = (size_t)left;
    if (n == 0)
        return NULL;
    if (!s->file) {
        memcpy(to, s->bytes + offset, n);
        *got = n;
        return NULL;
    }
    errno = 0;
    if (!go_to(s, offset))
        return s->forward && !ferror(s->file) ? NULL : knio_file_error(s->path, errno);
    *got = fread(to, 1, n, s->file);
    s->at += *got;
    return *got < n && ferror(s->file) ? knio_file_error(s->path, errno) : NULL;
}

knx_error *knio_source_read(knio_source *s, uint64_t offset, void *to, size_t n)
{
    size_t got = 0;
    if (offset > s->size || n > s->size - offset)
        return knx_error_new(KN_ERROR_VALUE,
                             "%s: the file is truncated: %" PRIu64 " bytes at %" PRIu64
                             " expected, the file has %" PRIu64,
                             s->path, (uint64_t)n, offset, s->size);
    KN_TRY(knio_source_read_some(s, offset, to, n, &got));
    if (got < n)
        return s->forward ? knx_error_new(KN_ERROR_VALUE, "%s: the file is truncated: %zu bytes expected, got %zu",
                                          s->path, n, got)
                          : knio_file_error(s->path, errno);
    return NULL;
}

void knio_source_leave(knio_source *s, uint64_t offset)
{
    if (s->borrowed && !s->forward)
        (void)seek_to(s->file, s->base + offset, SEEK_SET);
}

void knio_source_close(knio_source *s)
{
    if (s->file && !s->borrowed)
        fclose(s->file);
    if (s->path)
        knx_free(s->path);
    *s = (knio_source){0};
}

knx_error *knio_file_read(const char *path, uint8_t **bytes, size_t *n)
{
    knio_source s;
    *bytes = NULL;
    *n = 0;
    KN_TRY(knio_source_open(path, &s));
    knx_error *e = NULL;
    uint8_t *p = s.size < SIZE_MAX ? knx_alloc((size_t)s.size + 1) : NULL;
    if (!p)
        e = knx_error_nomem();
    if (!e)
        e = knio_source_read(&s, 0, p, (size_t)s.size);
    if (!e) {
        p[s.size] = 0;
        *bytes = p;
        *n = (size_t)s.size;
    } else if (p) {
        knx_free(p);
    }
    knio_source_close(&s);
    return e;
}
