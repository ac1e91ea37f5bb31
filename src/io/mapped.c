/* SPDX-License-Identifier: Apache-2.0
 * mapped.c -- whole files as memory that several arrays hold. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#endif
#include "io/mapped.h"
#include "io/file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { GIVEN, READ, MAPPED };

static knio_mapped *new_mapped(const char *path, int how)
{
    knio_mapped *m = knx_alloc_zero(sizeof *m + strlen(path) + 1);
    if (m) {
        atomic_init(&m->refs, 1);
        m->how = how;
        strcpy(m->path, path);
    }
    return m;
}

#if !defined _WIN32 && !defined __wasi__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void unmap(knio_mapped *m)
{
    if (m->bytes)
        munmap(m->base, m->bytes);
}

static knx_error *map(knio_mapped *m, int fd, bool writes)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return knio_file_error(m->path, errno);
    if (!S_ISREG(s.st_mode))
        return S_ISDIR(s.st_mode) ? knio_file_error(m->path, EISDIR)
                                  : knx_error_new(KN_ERROR_FILE, "%s: it is no regular file", m->path);
    if (s.st_size > 0 && (uint64_t)s.st_size <= SIZE_MAX) {
        void *base = mmap(NULL, (size_t)s.st_size, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_PRIVATE, fd, 0);
        if (base == MAP_FAILED)
            return knio_file_error(m->path, errno);
        m->base = base;
        m->bytes = (size_t)s.st_size;
    }
    return NULL;
}

knx_error *knio_map_whole(const char *path, bool writes, knio_mapped **out)
{
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return knio_file_error(path, errno);
    knio_mapped *m = new_mapped(path, MAPPED);
    knx_error *e = m ? map(m, fd, writes) : knx_error_nomem();
    close(fd);
    if (e) {
        knx_free(m);
        return e;
    }
    m->writes = writes;
    *out = m;
    return NULL;
}
bool knio_is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}
#else
static void unmap(knio_mapped *m) { (void)m; }

bool knio_is_folder(const char *path) { return (void)path, false; }

knx_error *knio_map_whole(const char *path, bool writes, knio_mapped **out)
{
    uint8_t *bytes;
    size_t n;
    *out = NULL;
    KN_TRY(knio_file_read(path, &bytes, &n));
    knio_mapped *m = new_mapped(path, READ);
    if (!m) {
        knx_free(bytes);
        return knx_error_nomem();
    }
    m->base = bytes;
    m->bytes = n;
    m->writes = writes;
    *out = m;
    return NULL;
}
#endif

knx_error *knio_map_memory(void *base, size_t bytes, void (*release)(void *, void *), void *env, knio_mapped **out)
{
    knio_mapped *m = *out = new_mapped("<memory>", GIVEN);
    if (!m) {
        if (release)
            release(base, env);
        return knx_error_nomem();
    }
    m->base = base;
    m->bytes = bytes;
    m->release = release;
    m->env = env;
    return NULL;
}

knio_mapped *knio_mapped_retain(knio_mapped *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void knio_mapped_release(knio_mapped *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (m->how == MAPPED)
        unmap(m);
    else if (m->how == READ)
        knx_free(m->base);
    else if (m->release)
        m->release(m->base, m->env);
    knx_free(m);
}

bool knio_is_there(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    return f != NULL;
}
