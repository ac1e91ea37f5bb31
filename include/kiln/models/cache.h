/* SPDX-License-Identifier: Apache-2.0
 * kiln/models/cache.h -- a cache of files: what was fetched once is there the next time, for all programs of a user.
 *
 * Content is kept by its SHA-256, and names (URLs) lead to it. What is fetched is checked, continued where an
 * earlier try was interrupted, and fetched by one process while others wait. The fetching itself is a function that
 * the program registers for a scheme of URLs; file: is there. A folder may have a bound: then the files that were
 * not used for the longest time go, never one that is in use. POSIX systems, and OpenSSL's libcrypto for the sums
 * (KILN_CRYPTO); without them kn_cache_open is a NotImplementedError. */
/* Made by scripts/make-api.py from api/models/cache.api. */
/* clang-format off */
#ifndef KILN_MODELS_CACHE_H
#define KILN_MODELS_CACHE_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_file_cache_s *kn_file_cache; /* an open cache; a handle of the scope */
typedef struct kn_cache_sink kn_cache_sink; /* where a function that fetches puts what it gets */
/* Fetches what the URL names, from byte `offset` on, and gives it to kn_cache_write piece by piece; 0, or
 * something else for a failure, which it may tell by * kn_fail. One that cannot begin at `offset` calls
 * kn_cache_restart first. */
typedef int (*kn_cache_fetcher)(void *env, const char *url, int64_t offset, kn_cache_sink *sink);
/* How much is there, and of how much (-1: not known). */
typedef void (*kn_cache_progress)(void *env, int64_t bytes, int64_t total);

/* ---- Opening. */
typedef struct kn_cache_open_opts {
    size_t size_;
    int64_t max_bytes; /* of all content; 0: no bound */
} kn_cache_open_opts;
KN_API kn_cache_open_opts kn_cache_open_opts_default(void);
/* the cache in a folder, which is made if it is not there. Any number of processes may have it open. NULL with a
 * FileError if the folder cannot be used */
KN_API kn_file_cache kn_cache_open(const char *folder, const kn_cache_open_opts *opts);
KN_API const char *kn_cache_folder(kn_file_cache cache); /* its folder, as long as the cache lives */
/* from now on `fetch` is called for URLs of this scheme ("https"), in place of an older one; NULL: none is. 0, or -1
 * with an error */
KN_API int kn_cache_register(kn_file_cache cache, const char *scheme, kn_cache_fetcher fetch, void *env);

/* ---- Getting. Paths are good while the cache is open: their files are in use until then, so that no process
 * removes them. */
typedef struct kn_cache_get_opts {
    size_t size_;
    const char *sha256;         /* in hexadecimal digits: what the content has to have */
    const char *url;            /* NULL, the name: where it is fetched from */
    bool verify;                /* also what is there already is read, and fetched again if its sum is wrong */
    kn_cache_progress progress; /* hears of what was fetched */
    void *env;                  /* of it */
} kn_cache_get_opts;
KN_API kn_cache_get_opts kn_cache_get_opts_default(void);
/* loaders.opfs / cachedFetch: the path of the file of that name, which is fetched if it is not there, or if it has
 * another sum than .sha256. If content of that sum is there under another name, nothing is fetched. NULL with an
 * error: KeyError if there is no function for the scheme, ValueError if what came has another sum (it is thrown
 * away), FileError, or what the function told; what came before it failed is kept, and continued the next time. */
KN_API const char *kn_cache_get(kn_file_cache cache, const char *name, const kn_cache_get_opts *opts);
/* the path of what is there under that name; NULL, without an error, if nothing is */
KN_API const char *kn_cache_find(kn_file_cache cache, const char *name);
/* puts bytes into the cache under a name, in place of what it led to, and gives their path; NULL with an error */
KN_API const char *kn_cache_put(kn_file_cache cache, const char *name, const void *bytes, size_t n);

/* ---- For functions that fetch. */
/* more of the content; 0, or -1 with an error: then the function should end */
KN_API int kn_cache_write(kn_cache_sink *sink, const void *bytes, size_t n);
/* what came in earlier tries is thrown away: the content comes from its beginning. 0, or -1 with an error */
KN_API int kn_cache_restart(kn_cache_sink *sink);
/* how large the whole content is, for .progress, and to see that all of it has come (FileError if not). 0, or -1
 * with an error */
KN_API int kn_cache_expect(kn_cache_sink *sink, int64_t bytes);

/* ---- What is there. */
/* looks which names there are, and gives their number; -1 with an error */
KN_API int kn_cache_count(kn_file_cache cache);
/* name i in the order of their bytes, of those that kn_cache_count saw, until it is called again; NULL and an
 * IndexError if there is none */
KN_API const char *kn_cache_name(kn_file_cache cache, int i);
/* how many bytes all content has, without what was not fetched to its end; -1 with an error */
KN_API int64_t kn_cache_bytes(kn_file_cache cache);
/* the name is not there any more, and its content goes when nobody uses it and no other name leads to it. 1 if it
 * was there, 0 if not, -1 with an error */
KN_API int kn_cache_remove(kn_file_cache cache, const char *name);
/* removes the content that was not used for the longest time, but for what is in use, until there are at most so
 * many bytes; also what no name leads to, and what interrupted fetches left more than a week ago. Gives the number
 * of bytes that are there then; -1 with an error */
KN_API int64_t kn_cache_trim(kn_file_cache cache, int64_t max_bytes);
/* reads all content and removes what has another sum than it should have. The number of those files; -1 with an
 * error */
KN_API int kn_cache_verify(kn_file_cache cache);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_cache_open(folder, ...) KN_G1O(kn_cache_open, kn_cache_open_opts, (), const char *, folder, __VA_ARGS__)
#define kn_cache_folder(cache) KN_G1(kn_cache_folder, kn_file_cache, cache)
#define kn_cache_register(cache, scheme, fetch, env) KN_CACHE_REGISTER_(__COUNTER__, cache, scheme, fetch, env)
#define KN_CACHE_REGISTER_(c, cache, scheme, fetch, env)                                                               \
    __extension__({ KN_TAKE(kn_file_cache, 1, c, cache) KN_TAKE(const char *, 2, c, scheme)                            \
    KN_TAKE(kn_cache_fetcher, 3, c, fetch) KN_TAKE(void *, 4, c, env) KN_HERE(); (kn_cache_register)(KN_V(1, c),       \
    KN_V(2, c), KN_V(3, c), KN_V(4, c)); })
#define kn_cache_get(cache, name, ...)                                                                                 \
    KN_G2O(kn_cache_get, kn_cache_get_opts, (), kn_file_cache, cache, const char *, name, __VA_ARGS__)
#define kn_cache_find(cache, name) KN_G2(kn_cache_find, kn_file_cache, cache, const char *, name)
#define kn_cache_count(cache) KN_G1(kn_cache_count, kn_file_cache, cache)
#define kn_cache_name(cache, i) KN_G2(kn_cache_name, kn_file_cache, cache, int, i)
#define kn_cache_bytes(cache) KN_G1(kn_cache_bytes, kn_file_cache, cache)
#define kn_cache_remove(cache, name) KN_G2(kn_cache_remove, kn_file_cache, cache, const char *, name)
#define kn_cache_trim(cache, max_bytes) KN_G2(kn_cache_trim, kn_file_cache, cache, int64_t, max_bytes)
#define kn_cache_verify(cache) KN_G1(kn_cache_verify, kn_file_cache, cache)
#endif
#endif
