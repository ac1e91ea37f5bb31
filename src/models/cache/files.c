/* SPDX-License-Identifier: Apache-2.0
 * files.c -- folders, locks and sums of files. */
#include "models/cache/cache.h"
#include "models/cache/system.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int kncache_fail(const char *operation, const char *path)
{
    return knbeside_fail(operation, KN_ERROR_FILE, "%s: %s", path, strerror(errno)), -1;
}

char *kncache_path(const kncache *c, const char *folder, const char *file)
{
    size_t n = strlen(c->folder) + strlen(folder) + strlen(file) + 3;
    char *path = malloc(n);
    if (path)
        snprintf(path, n, "%s/%s%s%s", c->folder, folder, *folder && *file ? "/" : "", file);
    else
        knbeside_no_memory("cache");
    return path;
}

char *kncache_blob_path(const kncache *c, const kncache_sum *sum)
{
    char file[KNCACHE_DIGITS + 2];
    snprintf(file, sizeof file, "%.2s/%s", sum->hex, sum->hex + 2);
    return kncache_path(c, "blobs", file);
}

int kncache_make_folder(const char *operation, const char *path)
{
    char *part = knbeside_copy_text(path);
    int status = part ? 0 : (knbeside_no_memory(operation), -1);
    for (char *s = part; s && status == 0;) {
        s = strchr(s + 1, '/');
        if (s)
            *s = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST && (!s || errno != EACCES))
            status = kncache_fail(operation, part);
        if (s)
            *s = '/';
    }
    free(part);
    return status;
}

int kncache_lock(const char *operation, const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), status = -1;
    while (fd >= 0 && (status = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
        ;
    if (fd >= 0 && status == 0)
        return fd;
    kncache_fail(operation, path);
    if (fd >= 0)
        close(fd);
    return -1;
}

int kncache_sum_file(const char *operation, const char *path, int fd, kncache_hash *h)
{
    enum { PIECE = 1 << 20 };
    char *piece = malloc(PIECE);
    ssize_t n = piece && lseek(fd, 0, SEEK_SET) == 0 ? 1 : -1;
    while (n > 0) {
        n = read(fd, piece, PIECE);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            kncache_hash_add(h, piece, (size_t)n);
    }
    if (!piece)
        knbeside_no_memory(operation);
    else if (n < 0)
        kncache_fail(operation, path);
    free(piece);
    return n < 0 ? -1 : 0;
}

FILE *kncache_new_file(const char *operation, const kncache *c, const char *what, char **path)
{
    static atomic_uint counter;
    char own[80];
    for (int i = 0; i < 1 << 16;
         i++) { /* numbers of processes are the same in other containers and on other machines */
        snprintf(own, sizeof own, "%s-%ld-%u", what, kncache_process(), atomic_fetch_add(&counter, 1));
        *path = kncache_path(c, "partial", own);
        if (!*path)
            return NULL;
        int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
        if (f)
            return f;
        bool taken = fd < 0 && errno == EEXIST;
        if (!taken)
            kncache_fail(operation, *path);
        if (fd >= 0) {
            close(fd);
            unlink(*path);
        }
        free(*path);
        *path = NULL;
        if (!taken)
            return NULL;
    }
    knbeside_fail(operation, KN_ERROR_FILE, "%s/partial is full of files that were left there", c->folder);
    return NULL;
}

/* What kncache_new_file made. */
static bool is_new(const char *s) { return !strncmp(s, "put-", 4) || !strncmp(s, "new-", 4); }

static bool is_sum(const char *s, size_t digits)
{
    return strlen(s) == digits && strspn(s, "0123456789abcdef") == digits;
}

/* blobs/ has folders of two digits each, in which the rest is the file's name. */
static int each_in(const char *operation, const char *folder, bool two, kncache_visit *visit, void *env)
{
    DIR *d = opendir(folder);
    int status = 0;
    if (!d)
        return errno == ENOENT ? 0 : kncache_fail(operation, folder);
    for (struct dirent *f; status == 0 && (f = readdir(d));) {
        size_t n = strlen(folder) + strlen(f->d_name) + 2;
        bool deeper = two && is_sum(f->d_name, 2);
        if (!deeper && !is_sum(f->d_name, KNCACHE_DIGITS) && !is_sum(f->d_name, KNCACHE_DIGITS - 2) &&
            !is_new(f->d_name))
            continue;
        char *path = malloc(n);
        if (path)
            snprintf(path, n, "%s/%s", folder, f->d_name);
        status = !path    ? (knbeside_no_memory(operation), -1)
                 : deeper ? each_in(operation, path, false, visit, env)
                          : visit(env, path, f->d_name);
        free(path);
    }
    closedir(d);
    return status;
}

int kncache_each(const char *operation, const char *folder, kncache_visit *visit, void *env)
{
    return each_in(operation, folder, true, visit, env);
}
