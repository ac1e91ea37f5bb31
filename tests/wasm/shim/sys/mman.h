/* SPDX-License-Identifier: Apache-2.0
 * mman.h -- memory of WebAssembly has no pages that are watched: what tests ask for is memory. */
#ifndef KN_TESTS_MMAN_H
#define KN_TESTS_MMAN_H
#include <stdlib.h>
#include <string.h>

enum { PROT_NONE, PROT_READ, PROT_WRITE, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32, MAP_NORESERVE = 16384 };
#define MAP_FAILED ((void *)-1)

static inline void *mmap(void *at, size_t bytes, int how, int what, int file, long offset)
{
    (void)at, (void)how, (void)file, (void)offset;
    bytes = (bytes + 4095) / 4096 * 4096;
    void *p = aligned_alloc(4096, bytes);
    if (!p)
        return MAP_FAILED;
    return what & MAP_NORESERVE ? p : memset(p, 0, bytes);
}
static inline int mprotect(void *at, size_t bytes, int how) { return (void)at, (void)bytes, (void)how, 0; }
static inline int munmap(void *at, size_t bytes) { return (void)bytes, free(at), 0; }
#endif
