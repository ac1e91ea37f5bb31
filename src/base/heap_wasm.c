/* SPDX-License-Identifier: Apache-2.0
 * heap_wasm.c -- a lock around the heap of a C library without threads, whose functions the linker calls by these names
 * (--wrap, cmake/KilnLibrary.cmake). Parts that run on workers may allocate. */
#include "base/lock.h"

#if defined(__wasm__) && !KN_SINGLE_THREADED
#include <stddef.h>

static knx_mutex heap = KN_MUTEX_INIT;

/* For JavaScript, too, under their own names: a worker may be at the heap whatever the first thread does. */
#define EXPORT(name) __attribute__((export_name(#name)))
#define LOCKED(type, name, parameters, ...)       \
    type __real_##name parameters;                \
    EXPORT(name) type __wrap_##name parameters;   \
    type __wrap_##name parameters                 \
    {                                             \
        knx_mutex_lock(&heap);                    \
        type result = __real_##name(__VA_ARGS__); \
        knx_mutex_unlock(&heap);                  \
        return result;                            \
    }
LOCKED(void *, malloc, (size_t bytes), bytes)
LOCKED(void *, calloc, (size_t n, size_t bytes), n, bytes)
LOCKED(void *, realloc, (void *p, size_t bytes), p, bytes)
LOCKED(void *, aligned_alloc, (size_t align, size_t bytes), align, bytes)
LOCKED(int, posix_memalign, (void **out, size_t align, size_t bytes), out, align, bytes)

void __real_free(void *p);
EXPORT(free) void __wrap_free(void *p);
void __wrap_free(void *p)
{
    knx_mutex_lock(&heap);
    __real_free(p);
    knx_mutex_unlock(&heap);
}

#endif
