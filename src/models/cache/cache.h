/* SPDX-License-Identifier: Apache-2.0
 * cache.h -- inside of the cache of files. A folder has
 *     blobs/ab/cdef...    content, named by its SHA-256; who uses it holds a shared lock on it
 *     names/0123...       a name, in a file that is called by its sum: version, sum and size of the content, the name
 *     partial/0123...     what has come of a URL, called by its sum; 0123....lock is locked by who fetches it
 *     partial/put-..., new-...   what is written, until it has its place
 *     lock                locked by who removes content, or puts a name into its place
 * Files come into their places by rename, so nobody sees half of one. */
#ifndef KN_MODELS_CACHE_CACHE_H
#define KN_MODELS_CACHE_CACHE_H
#include "kiln/models/cache.h"
#include "models/models.h"
#include <stdio.h>

enum { KNCACHE_DIGITS = 64 };

typedef struct kncache_sum { char hex[KNCACHE_DIGITS + 1]; } kncache_sum;

/* ---- SHA-256 (sum.c). */

typedef struct kncache_hash kncache_hash;
bool kncache_can_hash(void);
kncache_hash *kncache_hash_begin(void); /* NULL: no memory */
void kncache_hash_add(kncache_hash *h, const void *bytes, size_t n);
/* Frees it; false: it failed somewhere. sum may be NULL. */
bool kncache_hash_end(kncache_hash *h, kncache_sum *sum);
bool kncache_sum_of(const void *bytes, size_t n, kncache_sum *sum);

/* ---- What is open. */

typedef struct kncache_held { int fd; kncache_sum sum; char *path; } kncache_held;
typedef struct kncache_scheme { char *name; kn_cache_fetcher fetch; void *env; } kncache_scheme;

typedef struct kncache {
    char *folder;
    int64_t max_bytes;
    int n_held, n_scheme, n_name;
    kncache_held *held;
    kncache_scheme *scheme;
    char **name; /* that kn_cache_count saw */
} kncache;

/* Where a name leads. */
typedef struct kncache_target { kncache_sum sum; int64_t size; char *name; } kncache_target;

/* The folder without slashes at its end, or the one that is meant without one (folder.c): "" if nothing says one, NULL
 * without memory; the caller's to free. */
char *kncache_find_folder(const char *given);

/* ---- Files (files.c). All errors name the path. */

char *kncache_path(const kncache *c, const char *folder, const char *file); /* NULL: no memory, and there is an error */
char *kncache_blob_path(const kncache *c, const kncache_sum *sum);
int kncache_make_folder(const char *operation, const char *path);           /* and those that it is in */
int kncache_fail(const char *operation, const char *path);                  /* errno tells; -1 */
int kncache_lock(const char *operation, const char *path);                  /* waits for it; a file to close, or -1 */
/* A new file in partial/ that nobody else writes to, "put-..." or "new-..."; its path is the caller's to free. */
FILE *kncache_new_file(const char *operation, const kncache *c, const char *what, char **path);
/* Sum and size of what is open, from its beginning. */
int kncache_sum_file(const char *operation, const char *path, int fd, kncache_hash *h);
/* Each file of a folder that is called by a sum, or is of kncache_new_file; visit gives 0, or something else to end. */
typedef int kncache_visit(void *env, const char *path, const char *file);
int kncache_each(const char *operation, const char *folder, kncache_visit *visit, void *env);

/* ---- Names and content (store.c). */

bool kncache_read_sum(const char *text, kncache_sum *sum); /* 64 hexadecimal digits */
/* 1: there it is; 0: there is no such name, or nothing that it leads to; -1 with an error. t->name is the caller's
 * to free. */
int kncache_read_name(const char *operation, const char *path, kncache_target *t);
int kncache_write_name(const char *operation, const kncache *c, const char *name, const kncache_sum *sum, int64_t size);
/* The path of content, from now on in use; NULL if it is not there (no error), or has another size (-1: any). */
const char *kncache_hold(const char *operation, kncache *c, const kncache_sum *sum, int64_t size);
/* A complete file becomes content, and the name leads to it. The path, in use; NULL with an error. */
const char *kncache_adopt(const char *operation, kncache *c, const char *name, const char *file,
                          const kncache_sum *sum, int64_t size);
/* Is the sum of what is at this path right? 1, 0, -1 with an error. */
int kncache_is_right(const char *operation, const char *path, const kncache_sum *sum);
void kncache_bound(const char *operation, kncache *c);

/* ---- Fetching (fetch.c). */

typedef struct kncache_request {
    const char *name, *url;
    const kncache_sum *sum; /* NULL: any */
    bool verify;
    kn_cache_progress progress;
    void *env;
} kncache_request;
const char *kncache_fetch(const char *operation, kncache *c, const kncache_request *r);
/* What is there of the name already, if it is what is wanted. NULL without an error: nothing is. */
const char *kncache_there(const char *operation, kncache *c, const kncache_request *r, bool *failed);
int kncache_fetch_file(void *env, const char *url, int64_t offset, kn_cache_sink *sink); /* of file: */
#endif
