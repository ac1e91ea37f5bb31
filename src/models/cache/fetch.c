/* SPDX-License-Identifier: Apache-2.0
 * fetch.c -- fetching: one process for each URL at a time, to a file beside the content, which the next try
 * continues. */
#include "models/cache/cache.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct kn_cache_sink {
    const char *operation, *path;
    int fd;
    kncache_hash *hash;
    int64_t bytes, total; /* total -1: not known */
    const kncache_request *request;
    bool failed;
};

static void tell(const kn_cache_sink *s)
{
    if (s->request->progress)
        s->request->progress(s->request->env, s->bytes, s->total);
}

int kn_cache_write(kn_cache_sink *s, const void *bytes, size_t n)
{
    if (!s || (!bytes && n))
        return knbeside_null("cache_write", s ? "bytes" : "sink"), -1;
    const char *p = bytes;
    for (size_t left = n; left > 0 && !s->failed;) {
        ssize_t done = write(s->fd, p, left);
        if (done < 0 && errno == EINTR)
            continue;
        s->failed = done <= 0;
        if (s->failed) {
            kncache_fail(s->operation, s->path);
            break;
        }
        kncache_hash_add(s->hash, p, (size_t)done);
        p += done;
        left -= (size_t)done;
        s->bytes += done;
    }
    if (!s->failed)
        tell(s);
    return s->failed ? -1 : 0;
}

int kn_cache_restart(kn_cache_sink *s)
{
    if (!s)
        return knbeside_null("cache_restart", "sink"), -1;
    kncache_hash *fresh = kncache_hash_begin();
    if (!fresh || ftruncate(s->fd, 0) != 0 || lseek(s->fd, 0, SEEK_SET) != 0) {
        s->failed = true;
        fresh ? (void)kncache_fail(s->operation, s->path) : (void)knbeside_no_memory(s->operation);
        kncache_hash_end(fresh, NULL);
        return -1;
    }
    kncache_hash_end(s->hash, NULL);
    s->hash = fresh;
    s->bytes = 0;
    return 0;
}

int kn_cache_expect(kn_cache_sink *s, int64_t bytes)
{
    if (!s)
        return knbeside_null("cache_expect", "sink"), -1;
    if (bytes < 0)
        return knbeside_fail("cache_expect", KN_ERROR_VALUE, "%lld bytes", (long long)bytes), -1;
    s->total = bytes;
    return 0;
}

/* ---- file: */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* file:///home/a%20b and file:a are paths; what stands for a host is left out. */
static char *path_of_url(const char *url)
{
    const char *s = url + strlen("file:");
    if (!strncmp(s, "//", 2)) {
        s = strchr(s + 2, '/');
        if (!s)
            s = "";
    }
    char *path = malloc(strlen(s) + 1), *to = path;
    for (; path && *s; s++) {
        int high = *s == '%' ? hex_digit(s[1]) : -1, low = high >= 0 ? hex_digit(s[2]) : -1;
        *to++ = low >= 0 ? (char)(high << 4 | low) : *s;
        s += low >= 0 ? 2 : 0;
    }
    if (path)
        *to = '\0';
    return path;
}

static int copy_from(int fd, const char *path, int64_t offset, kn_cache_sink *sink)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return knbeside_fail(sink->operation, KN_ERROR_FILE, "%s: it is no regular file", path), -1;
    if (offset > st.st_size && (offset = 0, kn_cache_restart(sink)))
        return -1;
    enum { PIECE = 1 << 18 };
    char *piece = malloc(PIECE);
    ssize_t n = piece && kn_cache_expect(sink, st.st_size) == 0 && lseek(fd, offset, SEEK_SET) == offset ? 1 : -1;
    while (n > 0) {
        n = read(fd, piece, PIECE);
        if (n > 0 && kn_cache_write(sink, piece, (size_t)n))
            break;
    }
    if (!piece)
        knbeside_no_memory(sink->operation);
    else if (n < 0)
        kncache_fail(sink->operation, path);
    free(piece);
    return n == 0 ? 0 : -1;
}

int kncache_fetch_file(void *env, const char *url, int64_t offset, kn_cache_sink *sink)
{
    (void)env;
    char *path = path_of_url(url);
    if (!path)
        return knbeside_no_memory(sink->operation), -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC),
        status = fd < 0 ? kncache_fail(sink->operation, path) : copy_from(fd, path, offset, sink);
    if (fd >= 0)
        close(fd);
    free(path);
    return status;
}

/* ---- */

static const kncache_scheme *scheme_of(const kncache *c, const char *url)
{
    size_t n = strcspn(url, ":");
    for (int i = 0; url[n] && i < c->n_scheme; i++)
        if (strlen(c->scheme[i].name) == n && !strncmp(c->scheme[i].name, url, n) && c->scheme[i].fetch)
            return &c->scheme[i];
    return NULL;
}

const char *kncache_there(const char *operation, kncache *c, const kncache_request *r, bool *failed)
{
    kncache_sum key;
    kncache_target t = {.name = NULL};
    *failed = !kncache_sum_of(r->name, strlen(r->name), &key);
    char *path = *failed ? NULL : kncache_path(c, "names", key.hex);
    int there = path ? kncache_read_name(operation, path, &t) : -1;
    free(path);
    *failed = there < 0;
    bool named = there == 1 && !strcmp(t.name, r->name) && (!r->sum || !strcmp(r->sum->hex, t.sum.hex));
    free(t.name);
    if (*failed || (!named && !r->sum))
        return NULL;
    const char *held = kncache_hold(operation, c, named ? &t.sum : r->sum, named ? t.size : -1);
    if (held && r->verify) {
        int right = kncache_is_right(operation, held, named ? &t.sum : r->sum);
        *failed = right < 0;
        if (right == 0)
            unlink(held); /* whoever uses it has it open */
        if (right != 1)
            return NULL;
    }
    struct stat s;
    if (held && !named) { /* content that was there under another name */
        *failed = stat(held, &s) != 0 || kncache_write_name(operation, c, r->name, r->sum, s.st_size);
        return *failed ? NULL : held;
    }
    return held;
}

/* Calls the function; what it has got is in the file at s->path. 0, or -1 with an error. */
static int call(kncache *c, kn_cache_sink *s, const kncache_request *r)
{
    const kncache_scheme *scheme = scheme_of(c, r->url);
    if (!scheme)
        return knbeside_fail(s->operation, KN_ERROR_KEY,
                             "%.200s: no function fetches URLs of this kind (kn_cache_register)", r->url),
               -1;
    int status = scheme->fetch(scheme->env, r->url, s->bytes, s);
    if (status && !s->failed && !kn_error_pending())
        knbeside_fail(s->operation, KN_ERROR_FILE, "%.200s: the function that fetches it failed with status %d", r->url,
                      status);
    if (status || s->failed)
        return -1;
    if (s->total >= 0 && s->bytes != s->total)
        return knbeside_fail(s->operation, KN_ERROR_FILE, "%.200s: %lld bytes came, but it has %lld", r->url,
                             (long long)s->bytes, (long long)s->total),
               -1;
    return 0;
}

/* What was being put into its place when its process was killed is content, and is not written to. */
static bool leave_content(const kn_cache_sink *s)
{
    struct stat st;
    if (stat(s->path, &st) != 0 || (st.st_nlink == 1 && st.st_mode & S_IWUSR))
        return true;
    return unlink(s->path) == 0 || errno == ENOENT || kncache_fail(s->operation, s->path) == 0;
}

/* With the lock of the URL: continues what is at s->path and makes it content. */
static const char *fetch_to(kncache *c, kn_cache_sink *s, const kncache_request *r)
{
    kncache_sum have;
    if (!leave_content(s))
        return NULL;
    s->fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    s->hash = kncache_hash_begin();
    bool ok = s->fd >= 0 && s->hash;
    if (!ok)
        s->hash ? (void)kncache_fail(s->operation, s->path) : (void)knbeside_no_memory(s->operation);
    ok = ok && kncache_sum_file(s->operation, s->path, s->fd, s->hash) == 0;
    if (ok)
        s->bytes = lseek(s->fd, 0, SEEK_END);
    ok = ok && s->bytes >= 0 && call(c, s, r) == 0;
    if (s->fd >= 0 && close(s->fd) != 0 && ok) {
        kncache_fail(s->operation, s->path);
        ok = false;
    }
    if (!kncache_hash_end(s->hash, &have) && ok) {
        knbeside_no_memory(s->operation);
        ok = false;
    }
    if (!ok)
        return NULL;
    if (r->sum && strcmp(r->sum->hex, have.hex) != 0) {
        unlink(s->path);
        knbeside_fail(s->operation, KN_ERROR_VALUE, "%.200s: its SHA-256 is %s, but %s is wanted", r->url, have.hex,
                      r->sum->hex);
        return NULL;
    }
    return kncache_adopt(s->operation, c, r->name, s->path, &have, s->bytes);
}

const char *kncache_fetch(const char *operation, kncache *c, const kncache_request *r)
{
    kncache_sum key;
    char lock_name[KNCACHE_DIGITS + 8];
    bool failed;
    if (!kncache_sum_of(r->url, strlen(r->url), &key)) { /* of two URLs no halves are put together */
        knbeside_no_memory(operation);
        return NULL;
    }
    snprintf(lock_name, sizeof lock_name, "%s.lock", key.hex);
    char *partial = kncache_path(c, "partial", key.hex), *lock_path = kncache_path(c, "partial", lock_name);
    int lock = partial && lock_path ? kncache_lock(operation, lock_path) : -1;
    const char *path = NULL;
    if (lock >= 0) {
        path = kncache_there(operation, c, r, &failed); /* another process may have fetched it while this one waited */
        kn_cache_sink s = {.operation = operation, .path = partial, .fd = -1, .total = -1, .request = r};
        if (!path && !failed)
            path = fetch_to(c, &s, r);
        close(lock); /* its file stays: others may wait for it */
    }
    free(partial);
    free(lock_path);
    return path;
}
