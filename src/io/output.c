/* SPDX-License-Identifier: Apache-2.0
 * output.c -- writing files: a new one beside the old one, which it replaces when it is complete. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#endif
#include "io/output.h"
#include "base/memory.h"
#include "base/str.h"
#include "io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if !defined _WIN32 && !defined __wasi__
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

/* The name of a file in the folder of `path` that no one else has. */
static char *neighbour(const char *path)
{
    static atomic_uint counter;
    const char *slash = strrchr(path, '/');
    knx_str s = {0};
    knx_str_add(&s, path, slash ? (size_t)(slash + 1 - path) : 0);
    knx_str_printf(&s, ".kiln-%ld-%u", (long)getpid(), atomic_fetch_add(&counter, 1));
    return knx_str_take(&s);
}

/* Opens such a file; NULL where the folder takes none. */
static FILE *open_neighbour(const char *path, char **name)
{
    int fd = -1;
    for (int i = 0; fd < 0 && i < TRIES; i++) {
        knx_free(*name);
        *name = neighbour(path);
        fd = *name ? open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
        if (fd < 0 && (!*name || errno != EEXIST))
            break;
    }
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (fd >= 0 && !file) {
        close(fd);
        unlink(*name);
    }
    if (!file) {
        knx_free(*name);
        *name = NULL;
    }
    return file;
}

/* May a new file stand in for this one without anybody noticing? */
static bool is_replaceable(const struct stat *s)
{
    return S_ISREG(s->st_mode) && s->st_nlink == 1 && s->st_uid == geteuid();
}

static void open_replacement(knio_output *o)
{
    struct stat s;
    bool there = lstat(o->path, &s) == 0;
    if (there && S_ISLNK(s.st_mode)) { /* it stays one; what it points to is replaced */
        char real[PATH_MAX];
        if (!realpath(o->path, real))
            return;
        char *path = knx_alloc(strlen(real) + 1);
        if (!path)
            return;
        knx_free(o->path);
        o->path = strcpy(path, real);
        there = stat(o->path, &s) == 0;
    }
    if (there && (!is_replaceable(&s) || access(o->path, W_OK) != 0))
        return;
    o->file = open_neighbour(o->path, &o->temporary);
    if (o->file && there && fchmod(fileno(o->file), s.st_mode & 07777) != 0)
        errno = 0; /* a file system without modes */
}

static int put_in_place(const knio_output *o) { return rename(o->temporary, o->path); }
#else
static void open_replacement(knio_output *o) { (void)o; }
static int put_in_place(const knio_output *o) { return (void)o, 0; }
#endif

knx_error *knio_output_open(const char *path, FILE *stream, knio_output *o)
{
    *o = (knio_output){.file = stream, .borrowed = stream != NULL};
    knx_str name = {0};
    knx_str_puts(&name, stream ? "<stream>" : path);
    o->path = knx_str_take(&name);
    if (!o->path)
        return knx_error_nomem();
    if (!stream)
        open_replacement(o);
    errno = 0;
    if (!o->file)
        o->file = fopen(o->path, "wb");
    if (o->file)
        return NULL;
    knx_error *e = knio_file_error(o->path, errno);
    knx_free(o->path);
    o->path = NULL;
    return e;
}

knx_error *knio_output_write(knio_output *o, const void *bytes, size_t n)
{
    errno = 0;
    return n && fwrite(bytes, 1, n, o->file) != n ? knio_file_error(o->path, errno) : NULL;
}

knx_error *knio_output_close(knio_output *o, knx_error *e)
{
    errno = 0;
    if (o->file && (fflush(o->file) != 0 || ferror(o->file)) && !e)
        e = knio_file_error(o->path, errno);
    if (o->file && !o->borrowed && fclose(o->file) != 0 && !e)
        e = knio_file_error(o->path, errno);
    if (o->temporary && !e && put_in_place(o) != 0)
        e = knio_file_error(o->path, errno);
    if (o->temporary && e)
        remove(o->temporary);
    knx_free(o->temporary);
    knx_free(o->path);
    *o = (knio_output){0};
    return e;
}

knx_error *knio_file_write(const char *path, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    knio_output o;
    KN_TRY(knio_output_open(path, NULL, &o));
    knx_error *e = knio_output_write(&o, a, a_bytes);
    if (!e)
        e = knio_output_write(&o, b, b_bytes);
    return knio_output_close(&o, e);
}
