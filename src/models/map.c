/* SPDX-License-Identifier: Apache-2.0
 * map.c -- files as memory that arrays can be views of. */
#include "models/models.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef __wasi__
#include <sys/mman.h>
#endif

typedef struct whole {
    knmodels_map map;
    atomic_int held;
    bool mapped;
} whole;

static knmodels_map *new_map(const char *operation, void *at, size_t n, bool mapped)
{
    whole *w = at ? malloc(sizeof *w) : NULL;
    if (!w) {
        knbeside_no_memory(operation);
        return NULL;
    }
    w->map = (knmodels_map){at, n};
    w->held = 1;
    w->mapped = mapped;
    return &w->map;
}

knmodels_map *knmodels_map_copy(const char *operation, const void *bytes, size_t n)
{
    void *copy = aligned_alloc(64, (n + 64) & ~(size_t)63);
    if (copy && n)
        memcpy(copy, bytes, n);
    knmodels_map *m = new_map(operation, copy, n, false);
    if (!m)
        free(copy);
    return m;
}

static void cannot_open(const char *operation, const char *path)
{
    knbeside_fail(operation, KN_ERROR_FILE, "%s: %s", path, strerror(errno));
}

#ifdef __wasi__
static void *map_bytes(int fd, size_t n)
{
    char *at = aligned_alloc(64, (n + 64) & ~(size_t)63);
    for (size_t have = 0; at && have < n;) {
        ssize_t got = read(fd, at + have, n - have);
        if (got <= 0) {
            free(at);
            return NULL;
        }
        have += (size_t)got;
    }
    return at;
}
enum { MAPS = 0 };
#else
static void *map_bytes(int fd, size_t n)
{
    void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}
enum { MAPS = 1 };
#endif

static void unmap(void *at, size_t n, bool mapped)
{
#ifndef __wasi__
    if (mapped) {
        munmap(at, n);
        return;
    }
#endif
    (void)n, (void)mapped;
    free(at);
}

knmodels_map *knmodels_map_file(const char *operation, const char *path)
{
    struct stat s;
    if (!path) {
        knbeside_null(operation, "path");
        return NULL;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s)) {
        cannot_open(operation, path);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    knmodels_map *m = NULL;
    if (!S_ISREG(s.st_mode)) {
        knbeside_fail(operation, KN_ERROR_FILE, "%s: no regular file", path);
    } else if (!s.st_size) {
        m = knmodels_map_copy(operation, "", 0);
    } else if ((uint64_t)s.st_size > SIZE_MAX / 2) {
        knbeside_no_memory(operation);
    } else {
        void *at = map_bytes(fd, (size_t)s.st_size);
        if (!at)
            cannot_open(operation, path);
        else if (!(m = new_map(operation, at, (size_t)s.st_size, MAPS)))
            unmap(at, (size_t)s.st_size, MAPS);
    }
    close(fd);
    return m;
}

knmodels_map *knmodels_map_hold(knmodels_map *m)
{
    atomic_fetch_add(&((whole *)m)->held, 1);
    return m;
}

void knmodels_map_drop(knmodels_map *m)
{
    whole *w = (whole *)m;
    if (!w || atomic_fetch_sub(&w->held, 1) > 1)
        return;
    unmap((void *)(uintptr_t)w->map.at, w->map.n, w->mapped);
    free(w);
}

static void release(void *data, void *env)
{
    (void)data;
    knmodels_map_drop(env);
}

enum { TURNS = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

kn_array knmodels_array(const void *at, const kn_shape *shape, kn_dtype dtype)
{
    kn_array x = kn_from_memory(at, shape, dtype);
    return TURNS && kn_dtype_size(dtype) > 1 ? kn_byteswap(x, NULL) : x;
}

kn_array knmodels_map_array(knmodels_map *m, const void *at, const kn_shape *shape, kn_dtype dtype)
{
    if ((uintptr_t)at % kn_dtype_alignment(dtype) || (TURNS && kn_dtype_size(dtype) > 1))
        return knmodels_array(at, shape, dtype);
    kn_wrap_opts o = kn_wrap_opts_default();
    o.release = release;
    o.env = knmodels_map_hold(m);
    return kn_wrap((void *)(uintptr_t)at, shape, dtype, &o);
}
