/* SPDX-License-Identifier: Apache-2.0
 * trim.c -- what goes: content that was not used for the longest time, never what somebody uses; what no name leads
 * to; what interrupted fetches left long ago. */
#include "models/cache/trim.h"
#include "models/cache/system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct blob {
    kncache_sum sum;
    int64_t size, used_at, used_ns;
    bool named;
    char *path;
} blob;

typedef struct look {
    const char *operation;
    blob *at;
    size_t n, room;
} look;

static int add_blob(void *env, const char *path, const char *file)
{
    look *l = env;
    struct stat s;
    size_t n = strlen(path);
    if (strlen(file) != KNCACHE_DIGITS - 2 || stat(path, &s) != 0)
        return 0;
    if (l->n == l->room) {
        blob *more = realloc(l->at, (l->room = 2 * l->room + 64) * sizeof *more);
        if (!more)
            return knbeside_no_memory(l->operation), -1;
        l->at = more;
    }
    blob b = {
        .size = s.st_size, .used_at = s.st_mtim.tv_sec, .used_ns = s.st_mtim.tv_nsec, .path = knbeside_copy_text(path)};
    if (!b.path)
        return knbeside_no_memory(l->operation), -1;
    snprintf(b.sum.hex, sizeof b.sum.hex, "%.2s%.62s", path + n - KNCACHE_DIGITS - 1, file);
    l->at[l->n++] = b;
    return 0;
}

static int by_sum(const void *a, const void *b)
{
    return strcmp(((const blob *)a)->sum.hex, ((const blob *)b)->sum.hex);
}

static int by_use(const void *a, const void *b)
{
    const blob *x = a, *y = b;
    if (x->named != y->named)
        return x->named - y->named;
    return x->used_at != y->used_at   ? (x->used_at > y->used_at) - (x->used_at < y->used_at)
           : x->used_ns != y->used_ns ? (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns)
                                      : by_sum(a, b);
}

/* Names that lead to nothing go. */
static int mark_name(void *env, const char *path, const char *file)
{
    look *l = env;
    kncache_target t = {.name = NULL};
    (void)file;
    int there = kncache_read_name(l->operation, path, &t);
    free(t.name);
    blob key = {.sum = t.sum}, *b = there == 1 && l->n ? bsearch(&key, l->at, l->n, sizeof *l->at, by_sum) : NULL;
    if (b)
        b->named = true;
    else if (there >= 0)
        unlink(path);
    return there < 0 ? -1 : 0;
}

static void drop(look *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i].path);
    free(l->at);
}

static int look_around(look *l, const kncache *c)
{
    char *blobs = kncache_path(c, "blobs", "");
    int status = blobs ? kncache_each(l->operation, blobs, add_blob, l) : -1;
    free(blobs);
    if (l->n)
        qsort(l->at, l->n, sizeof *l->at, by_sum);
    return status;
}

int64_t kncache_bytes(const char *operation, const kncache *c)
{
    look l = {.operation = operation};
    int64_t bytes = look_around(&l, c) ? -1 : 0;
    for (size_t i = 0; bytes >= 0 && i < l.n; i++)
        bytes += l.at[i].size;
    drop(&l);
    return bytes;
}

bool kncache_remove_blob(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool gone = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlink(path) == 0;
    if (fd >= 0)
        close(fd);
    return gone;
}

enum { A_WEEK = 7 * 24 * 3600 };

static int drop_old(void *env, const char *path, const char *file)
{
    struct stat s;
    (void)env, (void)file;
    if (stat(path, &s) == 0 && (int64_t)time(NULL) - (int64_t)s.st_mtime > A_WEEK)
        unlink(path);
    return 0;
}

static int drop_partial(const char *operation, const kncache *c)
{
    char *partial = kncache_path(c, "partial", "");
    int status = partial ? kncache_each(operation, partial, drop_old, NULL) : -1;
    free(partial);
    return status;
}

/* What there is, and which of it names lead to; names that lead to nothing go. */
static int look_at_all(look *l, const kncache *c)
{
    char *names = kncache_path(c, "names", "");
    int status = !names || look_around(l, c) || kncache_each(l->operation, names, mark_name, l) ? -1 : 0;
    free(names);
    return status;
}

/* Another process may be about to give a name to content that it has made: that is in use. */
static int64_t trim(const char *operation, const kncache *c, int64_t most)
{
    look l = {.operation = operation}, after = l;
    int64_t bytes = look_at_all(&l, c) || drop_partial(operation, c) ? -1 : 0;
    int removed = 0;
    for (size_t i = 0; bytes >= 0 && i < l.n; i++)
        bytes += l.at[i].size;
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, by_use);
    for (size_t i = 0; bytes >= 0 && i < l.n && (bytes > most || !l.at[i].named); i++)
        if (kncache_remove_blob(l.at[i].path)) {
            bytes -= l.at[i].size;
            removed++;
        }
    drop(&l);
    if (removed && look_at_all(&after, c))
        bytes = -1;
    drop(&after);
    return bytes;
}

int64_t kncache_trim(const char *operation, const kncache *c, int64_t most)
{
    char *path = kncache_path(c, "", "lock");
    int lock = path ? kncache_lock(operation, path) : -1;
    int64_t bytes = lock >= 0 ? trim(operation, c, most) : -1;
    if (lock >= 0)
        close(lock);
    free(path);
    return bytes;
}

void kncache_bound(const char *operation, kncache *c)
{
    if (c->max_bytes > 0)
        kncache_trim(operation, c, c->max_bytes);
}

/* ---- Sums. */

typedef struct check {
    const char *operation;
    int wrong;
} check;

static int check_blob(void *env, const char *path, const char *file)
{
    check *k = env;
    kncache_sum sum;
    size_t n = strlen(path);
    if (strlen(file) != KNCACHE_DIGITS - 2)
        return 0;
    snprintf(sum.hex, sizeof sum.hex, "%.2s%.62s", path + n - KNCACHE_DIGITS - 1, file);
    int right = access(path, F_OK) == 0 ? kncache_is_right(k->operation, path, &sum) : 1;
    if (right == 0) {
        unlink(path);
        k->wrong++;
    }
    return right < 0 ? -1 : 0;
}

int kncache_verify(const char *operation, const kncache *c)
{
    check k = {.operation = operation};
    char *blobs = kncache_path(c, "blobs", "");
    int status = blobs ? kncache_each(operation, blobs, check_blob, &k) : -1;
    free(blobs);
    return status ? -1 : k.wrong;
}
