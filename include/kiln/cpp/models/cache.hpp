/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/models/cache.hpp -- the functions of kiln/models/cache.h in C++. */
/* Made by scripts/make-api.py from api/models/cache.api. */
/* clang-format off */
#ifndef KILN_CPP_MODELS_CACHE_HPP
#define KILN_CPP_MODELS_CACHE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct cache_open_opts {
    KILN_OPTION((int64_t), max_bytes, {}) /* of all content; 0: no bound */
    kn_cache_open_opts c() const {
        kn_cache_open_opts to_ = {}; to_.size_ = sizeof to_; to_.max_bytes = detail::c_of(max_bytes); return to_; }
};
/* the cache in a folder, which is made if it is not there. Any number of processes may have it open. NULL with a
 * FileError if the folder cannot be used */
inline handle<kn_file_cache> cache_open(const ::kiln::text &folder, const ::kiln::cache_open_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_cache_open_opts opts_c = opts.c(); c_.here(); return
    handle<kn_file_cache>(c_.take(kn_cache_open(folder.c(), &opts_c))); }
/* its folder, as long as the cache lives */
inline std::string cache_folder(const ::kiln::handle<kn_file_cache> &cache, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_cache_folder(cache.c())); }
/* from now on `fetch` is called for URLs of this scheme ("https"), in place of an older one; NULL: none is. 0, or -1
 * with an error */
inline int cache_register(const ::kiln::handle<kn_file_cache> &cache, const ::kiln::text &scheme, kn_cache_fetcher
    fetch, void *env, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_register(cache.c(), scheme.c(), fetch, env)); }
struct cache_get_opts {
    KILN_OPTION((::kiln::text), sha256, {}) /* in hexadecimal digits: what the content has to have */
    KILN_OPTION((::kiln::text), url, {}) /* where it is fetched from */
    KILN_OPTION((bool), verify, {}) /* also what is there already is read, and fetched again if its sum is wrong */
    KILN_OPTION((kn_cache_progress), progress, {}) /* hears of what was fetched */
    KILN_OPTION((void *), env, {}) /* of it */
    kn_cache_get_opts c() const {
        kn_cache_get_opts to_ = {}; to_.size_ = sizeof to_; to_.sha256 = detail::c_of(sha256);
        to_.url = detail::c_of(url); to_.verify = detail::c_of(verify); to_.progress = detail::c_of(progress);
        to_.env = detail::c_of(env); return to_; }
};
/* loaders.opfs / cachedFetch: the path of the file of that name, which is fetched if it is not there, or if it has
 * another sum than .sha256. If content of that sum is there under another name, nothing is fetched. NULL with an
 * error: KeyError if there is no function for the scheme, ValueError if what came has another sum (it is thrown
 * away), FileError, or what the function told; what came before it failed is kept, and continued the next time. */
inline std::string cache_get(const ::kiln::handle<kn_file_cache> &cache, const ::kiln::text &name, const
    ::kiln::cache_get_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_cache_get_opts opts_c = opts.c(); c_.here(); return c_.text(kn_cache_get(cache.c(),
    name.c(), &opts_c)); }
/* the path of what is there under that name; NULL, without an error, if nothing is */
inline std::string cache_find(const ::kiln::handle<kn_file_cache> &cache, const ::kiln::text &name, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_cache_find(cache.c(), name.c())); }
/* puts bytes into the cache under a name, in place of what it led to, and gives their path; NULL with an error */
inline std::string cache_put(const ::kiln::handle<kn_file_cache> &cache, const ::kiln::text &name, const void *bytes,
    size_t n, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_cache_put(cache.c(), name.c(), bytes, n)); }
/* more of the content; 0, or -1 with an error: then the function should end */
inline int cache_write(kn_cache_sink *sink, const void *bytes, size_t n, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_write(sink, bytes, n)); }
/* what came in earlier tries is thrown away: the content comes from its beginning. 0, or -1 with an error */
inline int cache_restart(kn_cache_sink *sink, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_restart(sink)); }
/* how large the whole content is, for .progress, and to see that all of it has come (FileError if not). 0, or -1
 * with an error */
inline int cache_expect(kn_cache_sink *sink, int64_t bytes, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_expect(sink, bytes)); }
/* looks which names there are, and gives their number; -1 with an error */
inline int cache_count(const ::kiln::handle<kn_file_cache> &cache, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_count(cache.c())); }
/* name i in the order of their bytes, of those that kn_cache_count saw, until it is called again; NULL and an
 * IndexError if there is none */
inline std::string cache_name(const ::kiln::handle<kn_file_cache> &cache, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_cache_name(cache.c(), i)); }
/* how many bytes all content has, without what was not fetched to its end; -1 with an error */
inline int64_t cache_bytes(const ::kiln::handle<kn_file_cache> &cache, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_bytes(cache.c())); }
/* the name is not there any more, and its content goes when nobody uses it and no other name leads to it. 1 if it
 * was there, 0 if not, -1 with an error */
inline int cache_remove(const ::kiln::handle<kn_file_cache> &cache, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_remove(cache.c(), name.c())); }
/* removes the content that was not used for the longest time, but for what is in use, until there are at most so
 * many bytes; also what no name leads to, and what interrupted fetches left more than a week ago. Gives the number
 * of bytes that are there then; -1 with an error */
inline int64_t cache_trim(const ::kiln::handle<kn_file_cache> &cache, int64_t max_bytes, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_trim(cache.c(), max_bytes)); }
/* reads all content and removes what has another sum than it should have. The number of those files; -1 with an
 * error */
inline int cache_verify(const ::kiln::handle<kn_file_cache> &cache, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_cache_verify(cache.c())); }
} // namespace kiln
#endif
