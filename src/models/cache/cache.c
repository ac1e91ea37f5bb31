/* SPDX-License-Identifier: Apache-2.0
 * cache.c -- the cache of files as the user has it. */
#include "kiln/extend.h"
#include "models/cache/system.h"
#include "models/cache/trim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char type_name[] = "cache";

static void drop_names(kncache *c)
{
    for (int i = 0; i < c->n_name; i++)
        free(c->name[i]);
    free(c->name);
    c->name = NULL;
    c->n_name = 0;
}

static void drop(void *object)
{
    kncache *c = object;
    for (int i = 0; i < c->n_held; i++) {
        close(c->held[i].fd); /* not in use any more */
        free(c->held[i].path);
    }
    for (int i = 0; i < c->n_scheme; i++)
        free(c->scheme[i].name);
    drop_names(c);
    free(c->held);
    free(c->scheme);
    free(c->folder);
    free(c);
}

static kncache *get(const char *operation, kn_file_cache cache) { return kn_object_get(operation, type_name, cache); }

static kncache *get_named(const char *operation, kn_file_cache cache, const char *name)
{
    kncache *c = get(operation, cache);
    if (c && !name)
        knbeside_null(operation, "name");
    else if (c && !*name)
        knbeside_fail(operation, KN_ERROR_VALUE, "the name is empty");
    return c && name && *name ? c : NULL;
}

/* ---- Opening. */

static int make_folders(const char *operation, const kncache *c)
{
    static const char *const parts[] = {"blobs", "names", "partial"};
    int status = 0;
    for (int i = 0; i < 3 && status == 0; i++) {
        char *path = kncache_path(c, parts[i], "");
        status = path ? kncache_make_folder(operation, path) : -1;
        free(path);
    }
    return status;
}

static int check_system(const char *operation)
{
#ifdef __wasi__
    return knbeside_fail(operation, KN_ERROR_NOT_IMPLEMENTED, "there is no cache of files on this system"), -1;
#else
    if (!kncache_can_hash())
        return knbeside_fail(operation, KN_ERROR_NOT_IMPLEMENTED,
                             "Kiln was built without OpenSSL's libcrypto (KILN_CRYPTO)"),
               -1;
    return 0;
#endif
}

kn_file_cache kn_cache_open(const char *folder, const kn_cache_open_opts *opts)
{
    static const char operation[] = "cache_open";
    KNX_OPTS(kn_cache_open_opts, o, opts);
    if (check_system(operation))
        return NULL;
    if (o.max_bytes < 0) {
        knbeside_fail(operation, KN_ERROR_VALUE, "a bound of %lld bytes", (long long)o.max_bytes);
        return NULL;
    }
    kncache *c = knbeside_alloc(1, sizeof *c);
    if (c)
        c->folder = kncache_find_folder(folder);
    if (!c || !c->folder)
        knbeside_no_memory(operation);
    else if (!*c->folder)
        knbeside_fail(operation, KN_ERROR_FILE, "the folder is not given, and neither KILN_CACHE nor HOME says one");
    else if (make_folders(operation, c) == 0) {
        c->max_bytes = o.max_bytes;
        kn_file_cache cache = kn_object_new(type_name, c, drop);
        return !cache || kn_cache_register(cache, "file", kncache_fetch_file, NULL) ? NULL : cache;
    }
    if (c)
        drop(c);
    return NULL;
}

const char *kn_cache_folder(kn_file_cache cache)
{
    kncache *c = get("cache_folder", cache);
    return c ? c->folder : NULL;
}

int kn_cache_register(kn_file_cache cache, const char *scheme, kn_cache_fetcher fetch, void *env)
{
    static const char operation[] = "cache_register";
    kncache *c = get(operation, cache);
    if (!c || !scheme)
        return c ? knbeside_null(operation, "scheme") : -1;
    if (!*scheme || strchr(scheme, ':'))
        return knbeside_fail(operation, KN_ERROR_VALUE, "\"%.60s\" is no scheme, as https is one", scheme);
    int i = 0;
    while (i < c->n_scheme && strcmp(c->scheme[i].name, scheme) != 0)
        i++;
    if (i == c->n_scheme) {
        kncache_scheme *more = realloc(c->scheme, ((size_t)i + 1) * sizeof *more);
        c->scheme = more ? more : c->scheme;
        char *name = more ? knbeside_copy_text(scheme) : NULL;
        if (!name)
            return knbeside_no_memory(operation);
        c->scheme[c->n_scheme++] = (kncache_scheme){.name = name};
    }
    c->scheme[i].fetch = fetch;
    c->scheme[i].env = env;
    return 0;
}

/* ---- Getting. */

const char *kn_cache_get(kn_file_cache cache, const char *name, const kn_cache_get_opts *opts)
{
    static const char operation[] = "cache_get";
    KNX_OPTS(kn_cache_get_opts, o, opts);
    kncache *c = get_named(operation, cache, name);
    kncache_sum sum;
    bool failed = !c;
    if (c && o.sha256 && !kncache_read_sum(o.sha256, &sum)) {
        knbeside_fail(operation, KN_ERROR_VALUE, "a SHA-256 has 64 hexadecimal digits, got %.80s", o.sha256);
        failed = true;
    }
    if (failed)
        return NULL;
    const kncache_request r = {name, o.url ? o.url : name, o.sha256 ? &sum : NULL, o.verify, o.progress, o.env};
    const char *path = kncache_there(operation, c, &r, &failed);
    return path || failed ? path : kncache_fetch(operation, c, &r);
}

const char *kn_cache_find(kn_file_cache cache, const char *name)
{
    static const char operation[] = "cache_find";
    bool failed;
    kncache *c = get_named(operation, cache, name);
    const kncache_request r = {.name = name};
    return c ? kncache_there(operation, c, &r, &failed) : NULL;
}

const char *kn_cache_put(kn_file_cache cache, const char *name, const void *bytes, size_t n)
{
    static const char operation[] = "cache_put";
    kncache *c = get_named(operation, cache, name);
    kncache_sum sum;
    char *path = NULL;
    if (c && !bytes && n)
        knbeside_null(operation, "bytes");
    if (!c || (!bytes && n))
        return NULL;
    if (!kncache_sum_of(bytes ? bytes : "", n, &sum)) {
        knbeside_no_memory(operation);
        return NULL;
    }
    FILE *f = kncache_new_file(operation, c, "put", &path);
    bool ok = f && (!n || fwrite(bytes, 1, n, f) == n);
    if (f && !ok)
        kncache_fail(operation, path);
    if (f && fclose(f) != 0 && ok)
        ok = kncache_fail(operation, path) == 0;
    const char *held = ok ? kncache_adopt(operation, c, name, path, &sum, (int64_t)n) : NULL;
    if (path && !held)
        unlink(path);
    free(path);
    return held;
}

/* ---- What is there. */

typedef struct listing {
    const char *operation;
    kncache *c;
} listing;

static int add_name(void *env, const char *path, const char *file)
{
    listing *l = env;
    kncache_target t = {.name = NULL};
    (void)file;
    int there = kncache_read_name(l->operation, path, &t);
    if (there != 1)
        return there;
    char **more = realloc(l->c->name, ((size_t)l->c->n_name + 1) * sizeof *more);
    if (!more) {
        free(t.name);
        return knbeside_no_memory(l->operation), -1;
    }
    l->c->name = more;
    more[l->c->n_name++] = t.name;
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

int kn_cache_count(kn_file_cache cache)
{
    static const char operation[] = "cache_count";
    kncache *c = get(operation, cache);
    char *names = c ? kncache_path(c, "names", "") : NULL;
    if (!names)
        return -1;
    drop_names(c);
    listing l = {operation, c};
    int status = kncache_each(operation, names, add_name, &l);
    free(names);
    if (c->n_name)
        qsort(c->name, (size_t)c->n_name, sizeof *c->name, by_text);
    return status ? -1 : c->n_name;
}

const char *kn_cache_name(kn_file_cache cache, int i)
{
    kncache *c = get("cache_name", cache);
    if (!c || (i >= 0 && i < c->n_name))
        return c ? c->name[i] : NULL;
    knbeside_fail("cache_name", KN_ERROR_INDEX, "index %d is out of bounds for %d names", i, c->n_name);
    return NULL;
}

int64_t kn_cache_bytes(kn_file_cache cache)
{
    kncache *c = get("cache_bytes", cache);
    return c ? kncache_bytes("cache_bytes", c) : -1;
}

int kn_cache_remove(kn_file_cache cache, const char *name)
{
    static const char operation[] = "cache_remove";
    kncache *c = get_named(operation, cache, name);
    kncache_sum key;
    if (!c)
        return -1;
    char *path = kncache_sum_of(name, strlen(name), &key) ? kncache_path(c, "names", key.hex) : NULL;
    if (!path)
        return knbeside_no_memory(operation);
    int status = unlink(path) == 0 ? 1 : errno == ENOENT ? 0 : kncache_fail(operation, path);
    free(path);
    return status == 1 && kncache_trim(operation, c, INT64_MAX) < 0 ? -1
                                                                    : status; /* content that no name leads to goes */
}

int64_t kn_cache_trim(kn_file_cache cache, int64_t max_bytes)
{
    kncache *c = get("cache_trim", cache);
    if (c && max_bytes < 0)
        return knbeside_fail("cache_trim", KN_ERROR_VALUE, "a bound of %lld bytes", (long long)max_bytes);
    return c ? kncache_trim("cache_trim", c, max_bytes) : -1;
}

int kn_cache_verify(kn_file_cache cache)
{
    kncache *c = get("cache_verify", cache);
    return c ? kncache_verify("cache_verify", c) : -1;
}
