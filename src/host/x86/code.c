/* SPDX-License-Identifier: Apache-2.0
 * code.c -- executable memory in chunks.
 *
 * A chunk is a piece of anonymous shared memory that is mapped twice: readable and executable for as long as it lives,
 * readable and writable while it is the current one, which is the only one that is written to. Freed pieces become
 * spans of their chunk. When the current chunk has no room, it loses its writable mapping, and a chunk of which a
 * quarter is free gets one again, or there is a new chunk. A chunk without pieces is unmapped. A large piece has a
 * chunk of its own. Where memory cannot be mapped twice, every piece has private memory of its own whose protection is
 * switched once, from writable to executable.
 *
 * A fork: shared memory stays shared. The child never writes to a chunk that it inherited, and the parent never
 * writes again where a piece was at the time of a fork, because the child may run it. */
#define _GNU_SOURCE
#include "host/x86/code.h"

#if defined(__x86_64__) && defined(__linux__)
#include "host/x86/code_debug.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/memory.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { UNIT = 64, PAGE = 4096, CHUNK = 1 << 20, LARGE = CHUNK / 4, INT3 = 0xCC };

typedef struct span {
    size_t at, size;
} span;

typedef struct chunk {
    struct chunk *next;
    uint8_t *run, *write; /* write: only of the current chunk */
    size_t size, pieces, free_bytes;
    KN_VEC(span) free; /* by address, never adjacent; with room for one more from each piece, so that none fails */
    bool closed;       /* never written again: private, large or inherited */
} chunk;

struct knh_code {
    chunk *chunk;
    size_t at, bytes, taken;
    uint64_t forks; /* of the process before it was made */
    knh_gdb_entry *gdb;
};

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT; /* all of the following; held while the process forks */
static chunk *chunks, *current;
static size_t bytes_in_use, bytes_mapped;
static uint64_t forks;
static bool never_twice; /* the system does not let memory be mapped twice */
static knh_code_way forced;

/* ---- Forks. */

static void in_parent(void) { forks++; }

static void in_child(void)
{
    forks++;
    for (chunk *c = chunks; c; c = c->next)
        c->closed = true;
    if (current) {
        munmap(current->write, current->size);
        current->write = NULL;
        current = NULL;
    }
}

static void watch_forks(void)
{
    static knx_fork_watch watch = {.in_parent = in_parent, .in_child = in_child};
    knx_watch_forks(&watch);
}

/* ---- Mappings. */

static void *map(size_t size, int protection, int sharing)
{
    void *p = mmap(NULL, size, protection, sharing | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Is it forbidden, or only too much at the moment? */
static void note_refusal(void)
{
    never_twice |= errno == EPERM || errno == EACCES || errno == ENOSYS || errno == EINVAL;
}

/* The writable mapping: a second mapping of the same pages (what mremap makes of an old size of 0). */
static bool make_writable(chunk *c)
{
    void *p = mremap(c->run, 0, c->size, MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        return false;
    if (mprotect(p, c->size, PROT_READ | PROT_WRITE) != 0) {
        munmap(p, c->size);
        return false;
    }
    c->write = p;
    return true;
}

/* Memory without a file: no limit of the size of files holds for it, no descriptor is needed, and perf looks for the
 * names of what lies there in its map. */
static bool map_twice(chunk *c)
{
    c->run = map(c->size, PROT_READ | PROT_EXEC, MAP_SHARED);
    if (c->run && make_writable(c))
        return true;
    note_refusal();
    if (c->run)
        munmap(c->run, c->size);
    c->run = NULL;
    return false;
}

static void stop_writing(chunk *c)
{
    if (c && c->write)
        munmap(c->write, c->size);
    if (c)
        c->write = NULL;
}

/* ---- Chunks. */

static chunk *new_chunk(size_t size)
{
    chunk *c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    return c;
}

static void link_chunk(chunk *c)
{
    c->next = chunks;
    chunks = c;
    bytes_mapped += c->size;
}

static void drop_chunk(chunk *c)
{
    chunk **at = &chunks;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    bytes_mapped -= c->size;
    if (current == c)
        current = NULL;
    stop_writing(c);
    munmap(c->run, c->size);
    KN_VEC_FREE(&c->free);
    knx_free(c);
}

static void discard(chunk *c) /* that was never linked */
{
    if (c->run)
        munmap(c->run, c->size);
    stop_writing(c);
    KN_VEC_FREE(&c->free);
    knx_free(c);
}

/* The bytes in a chunk of their own. NULL: no memory. */
static chunk *chunk_for_one(const void *bytes, size_t n, bool twice)
{
    chunk *c = new_chunk(n);
    bool works = c && !knx_alloc_must_fail() && forced != KNH_CODE_NONE;
    if (works && twice)
        works = map_twice(c);
    else if (works)
        works = (c->write = map(c->size, PROT_READ | PROT_WRITE, MAP_PRIVATE)) != NULL;
    if (works) {
        memcpy(c->write, bytes, n);
        memset(c->write + n, INT3, c->size - n);
        if (twice)
            stop_writing(c);
        else if ((works = mprotect(c->write, c->size, PROT_READ | PROT_EXEC) == 0))
            c->run = c->write, c->write = NULL;
    }
    if (!works) {
        if (c)
            discard(c);
        return NULL;
    }
    c->closed = true;
    c->pieces = 1;
    link_chunk(c);
    return c;
}

static chunk *shared_chunk(void)
{
    chunk *c = new_chunk(CHUNK);
    if (!c)
        return NULL;
    if (!KN_VEC_RESERVE(&c->free, 8) || knx_alloc_must_fail() || !map_twice(c)) {
        discard(c);
        return NULL;
    }
    c->free_bytes = c->size;
    c->free.at[c->free.n++] = (span){0, c->size};
    link_chunk(c);
    return c;
}

/* ---- Spans. */

/* The first one with room, -1: none. */
static ptrdiff_t find_span(const chunk *c, size_t size)
{
    for (size_t i = 0; i < c->free.n; i++)
        if (c->free.at[i].size >= size)
            return (ptrdiff_t)i;
    return -1;
}

static size_t take(chunk *c, size_t i, size_t size)
{
    span *s = &c->free.at[i];
    size_t at = s->at;
    s->at += size;
    s->size -= size;
    if (!s->size)
        memmove(s, s + 1, (--c->free.n - i) * sizeof *s);
    c->free_bytes -= size;
    c->pieces++;
    return at;
}

static void give(chunk *c, size_t at, size_t size)
{
    size_t low = 0, high = c->free.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        *(c->free.at[middle].at < at ? &low : &high) = c->free.at[middle].at < at ? middle + 1 : middle;
    }
    span *s = c->free.at + low;
    bool joins_left = low > 0 && s[-1].at + s[-1].size == at, joins_right = low < c->free.n && at + size == s->at;
    c->free_bytes += size;
    if (joins_left && joins_right) {
        s[-1].size += size + s->size;
        memmove(s, s + 1, (--c->free.n - low) * sizeof *s);
    } else if (joins_left)
        s[-1].size += size;
    else if (joins_right)
        *s = (span){at, size + s->size};
    else { /* publishing made room for it */
        memmove(s + 1, s, (c->free.n++ - low) * sizeof *s);
        *s = (span){at, size};
    }
}

/* ---- Pieces. */

/* Makes a chunk with room for `size` bytes the current one. */
static bool find_room(size_t size)
{
    if (current && find_span(current, size) >= 0)
        return true;
    chunk *c = chunks;
    while (c && (c->closed || c == current || c->free_bytes < c->size / 4 || find_span(c, size) < 0))
        c = c->next;
    if (c && !make_writable(c)) {
        c->closed = true; /* not this one again */
        c = NULL;
    }
    if (!c && !(c = shared_chunk()))
        return false;
    stop_writing(current);
    current = c;
    return true;
}

static bool place_in_shared(knh_code *p, const void *bytes)
{
    if (!find_room(p->taken))
        return false;
    chunk *c = current;
    if (!KN_VEC_RESERVE(&c->free, c->pieces + 1))
        return false;
    p->chunk = c;
    p->at = take(c, (size_t)find_span(c, p->taken), p->taken);
    memcpy(c->write + p->at, bytes, p->bytes);
    memset(c->write + p->at + p->bytes, INT3, p->taken - p->bytes);
    return true;
}

static bool place(knh_code *p, const void *bytes)
{
    bool twice = !never_twice && forced == KNH_CODE_ANY;
    if (twice && p->taken < LARGE && place_in_shared(p, bytes))
        return true;
    p->at = 0;
    if (twice && p->taken >= LARGE && (p->chunk = chunk_for_one(bytes, p->bytes, true)))
        return true;
    return (p->chunk = chunk_for_one(bytes, p->bytes, false)) != NULL;
}

knx_error *knh_publish(const void *bytes, size_t n, const char *name, knh_code **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const kn_env *env = knx_env(); /* has a lock of its own */
    knh_code *p = knx_alloc_zero(sizeof *p);
    *out = NULL;
    if (!p || n > SIZE_MAX / 2)
        return knx_free(p), knx_error_nomem();
    pthread_once(&once, watch_forks);
    p->bytes = n;
    p->taken = n ? (n + UNIT - 1) & ~(size_t)(UNIT - 1) : UNIT;
    knx_global_lock_take(&lock);
    bool placed = place(p, bytes);
    if (placed) {
        bytes_in_use += p->taken;
        p->forks = forks;
        p->gdb = knh_gdb_add(knh_code_start(p), n, name);
        if (env->perf)
            knh_perf_note(knh_code_start(p), n, name);
    }
    knx_global_unlock(&lock);
    if (!placed) {
        knx_free(p);
        return knx_error_new(KN_ERROR_MEMORY, "the system gives no executable memory (%zu bytes for %s)", n, name);
    }
    *out = p;
    return NULL;
}

const void *knh_code_start(const knh_code *c) { return c->chunk->run + c->at; }
size_t knh_code_size(const knh_code *c) { return c->bytes; }

void knh_code_free(knh_code *p)
{
    if (!p)
        return;
    knx_global_lock_take(&lock);
    chunk *c = p->chunk;
    knh_gdb_remove(p->gdb);
    bytes_in_use -= p->taken;
    if (!c->closed && p->forks == forks)
        give(c, p->at, p->taken);
    if (--c->pieces == 0 && (c != current || c->free_bytes < c->size))
        drop_chunk(c);
    knx_global_unlock(&lock);
    knx_free(p);
}

size_t knh_code_bytes(void)
{
    knx_global_lock_take(&lock);
    size_t n = bytes_in_use;
    knx_global_unlock(&lock);
    return n;
}

size_t knh_code_mapped(void)
{
    knx_global_lock_take(&lock);
    size_t n = bytes_mapped;
    knx_global_unlock(&lock);
    return n;
}

void knh_code_force(knh_code_way way)
{
    knx_global_lock_take(&lock);
    forced = way;
    knx_global_unlock(&lock);
}

#else

knx_error *knh_publish(const void *bytes, size_t n, const char *name, knh_code **out)
{
    (void)bytes, (void)n, (void)name;
    *out = NULL;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "there is no generated code on this machine");
}
const void *knh_code_start(const knh_code *c) { return c; }
size_t knh_code_size(const knh_code *c) { return (void)c, 0; }
void knh_code_free(knh_code *c) { (void)c; }
size_t knh_code_bytes(void) { return 0; }
size_t knh_code_mapped(void) { return 0; }
void knh_code_force(knh_code_way way) { (void)way; }

#endif
