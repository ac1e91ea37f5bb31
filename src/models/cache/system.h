/* SPDX-License-Identifier: Apache-2.0
 * system.h -- locks and processes, and what stands for them where there are none: kn_cache_open refuses there. */
#ifndef KN_MODELS_CACHE_SYSTEM_H
#define KN_MODELS_CACHE_SYSTEM_H
#include <sys/stat.h>
#include <unistd.h>

#ifndef __wasi__
#include <sys/file.h>
static inline long kncache_process(void) { return (long)getpid(); }
static inline int kncache_make_readonly(const char *path) { return chmod(path, 0444); }
#else
enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4 };
static inline int flock(int fd, int how) { return (void)fd, (void)how, 0; }
static inline long kncache_process(void) { return 0; }
static inline int kncache_make_readonly(const char *path) { return (void)path, 0; }
#endif
#endif
