/* SPDX-License-Identifier: Apache-2.0
 * trim.h -- removing content, and checking all of it. */
#ifndef KN_MODELS_CACHE_TRIM_H
#define KN_MODELS_CACHE_TRIM_H
#include "models/cache/cache.h"

/* Removes what is too much; how many bytes there are then, -1 with an error. */
int64_t kncache_trim(const char *operation, const kncache *c, int64_t most);
int64_t kncache_bytes(const char *operation, const kncache *c);
bool kncache_remove_blob(const char *path); /* unless somebody uses it */
/* Removes content whose sum is wrong; how many files, -1 with an error. */
int kncache_verify(const char *operation, const kncache *c);
#endif
