/* SPDX-License-Identifier: Apache-2.0
 * heap_wasm.c -- around the heap of the C library, whose functions the linker calls by these names (--wrap,
 * cmake/KilnLibrary.cmake): how many bytes are in use, which the collector of JavaScript knows nothing of
 * (bindings/javascript/kiln/handles.js), and a lock where parts that run on workers may allocate. */
#include "base/lock.h"

#if defined(__wasm__)
#include <malloc.h>
#include <stddef.h>

static knx_mutex heap = KN_MUTEX_INIT;
static size_t used;

/* For JavaScript, too, under their own names: a worker may be at the heap whatever the first thread does. */
#define EXPORT(name) __attribute__((export_name(#name)))
EXPORT(kiln_heap_used) size_t knx_heap_used(void);
size_t knx_heap_used(void) { return used; }

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
int __real_posix_memalign(void **out, size_t align, size_t bytes);
void __real_free(void *p);

EXPORT(malloc) void *__wrap_malloc(size_t bytes);
EXPORT(calloc) void *__wrap_calloc(size_t n, size_t bytes);
EXPORT(realloc) void *__wrap_realloc(void *p, size_t bytes);
EXPORT(aligned_alloc) void *__wrap_aligned_alloc(size_t align, size_t bytes);
EXPORT(posix_memalign) int __wrap_posix_memalign(void **out, size_t align, size_t bytes);
EXPORT(free) void __wrap_free(void *p);

static void *given(void *p)
{
    used += malloc_usable_size(p); /* 0 of NULL */
    knx_mutex_unlock(&heap);
    return p;
}

void *__wrap_malloc(size_t bytes)
{
    knx_mutex_lock(&heap);
    return given(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    knx_mutex_lock(&heap);
    return given(__real_calloc(n, bytes));
}

void *__wrap_realloc(void *p, size_t bytes)
{
    knx_mutex_lock(&heap);
    size_t before = malloc_usable_size(p);
    void *q = __real_realloc(p, bytes);
    used -= q ? before : 0;
    return given(q);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
    knx_mutex_lock(&heap);
    return given(__real_aligned_alloc(align, bytes));
}

int __wrap_posix_memalign(void **out, size_t align, size_t bytes)
{
    knx_mutex_lock(&heap);
    int failed = __real_posix_memalign(out, align, bytes);
    given(failed ? NULL : *out);
    return failed;
}

void __wrap_free(void *p)
{
    knx_mutex_lock(&heap);
    used -= malloc_usable_size(p);
    __real_free(p);
    knx_mutex_unlock(&heap);
}

#endif
