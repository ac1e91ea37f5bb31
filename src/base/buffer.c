/* SPDX-License-Identifier: Apache-2.0
 * buffer.c -- the memory of arrays: 64-byte aligned, counted, pooled by size class when free.
 *
 * A block is a 64-byte header followed by the data. Classes are multiples of 64 bytes, four to each doubling, so at
 * most a fifth of a block is unused. The free blocks of a class form a list: the one freed last is handed out
 * first, the oldest goes back to the system first. Small classes have a lock and a bound each, so that the common
 * case is one uncontended lock; big ones share a lock and one bound, half of the live bytes (so that y = f(x)
 * finds its memory again, however large x is) but at least 256 MiB. */
#include "base/context.h"
#include "base/lock.h"
#include "base/memory.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#ifdef KNX_POISONS /* AddressSanitizer then sees the use of a pooled buffer as it sees the use of a freed one */
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum {
    UNIT = 64,
    SMALL_CLASSES = 32,           /* up to 32 KiB */
    CLASSES = 4 * 42,             /* up to MAX_BYTES */
    SMALL_POOL_BYTES = 512 << 10, /* per class */
    BIG_POOL_BYTES = 256 << 20,
    CACHED_BYTES = 16 << 20,
    HUGE_FROM = 4 << 20, /* ask for huge pages */
    HUGE_PAGE = 2 << 20,
};
static const uint32_t FOREIGN = UINT32_MAX, CUSTOM = UINT32_MAX - 1;
static const size_t MAX_BYTES =
    sizeof(size_t) > 4 ? SIZE_MAX >> 16 : PTRDIFF_MAX - UNIT; /* more than there are addresses */

typedef union block {
    knx_buffer buffer;
    struct { /* while it is free: what a block never has, the fields of foreign memory, makes room for the lists */
        char used[offsetof(knx_buffer, release)];
        union block *newer, *older;
        uint64_t freed_at; /* big ones: the clock when it was freed */
    };
} block;
_Static_assert(sizeof(block) <= UNIT, "the header must not push the data off its alignment");

typedef struct pool {
    _Alignas(64) knx_spin lock; /* of small classes, each on a cache line of its own; the big ones are under big.lock */
    block *newest, *oldest;
    size_t pooled, live; /* blocks */
    int64_t asked;
} pool;

static pool pools[CLASSES];
static struct {
    knx_spin lock;
    size_t pooled, live; /* bytes of all big classes */
    size_t keep;         /* pooled ones at most; SIZE_MAX: see above */
    uint64_t clock;
} big = {.keep = SIZE_MAX};

static uint32_t class_of(size_t bytes)
{
    size_t units = bytes ? (bytes - 1) / UNIT : 0; /* less one */
    if (units < 4)
        return (uint32_t)units;
    uint32_t top = 63u - (uint32_t)__builtin_clzll(units);
    return 4 * (top - 1) + (units >> (top - 2) & 3);
}

static size_t class_bytes(uint32_t c)
{
    if (c < 4)
        return (c + 1) * (size_t)UNIT;
    return ((size_t)(c % 4 + 5) << (c / 4 - 1)) * UNIT;
}

static knx_spin *lock_of(uint32_t c) { return c < SMALL_CLASSES ? &pools[c].lock : &big.lock; }

/* A fork while another thread holds a lock must not leave it taken in the child: fork waits for them all. */
#if KN_POSIX_THREADS
static void lock_all(void)
{
    for (uint32_t c = 0; c < SMALL_CLASSES; c++)
        knx_spin_lock(&pools[c].lock);
    knx_spin_lock(&big.lock);
}

static void unlock_all(void)
{
    knx_spin_unlock(&big.lock);
    for (uint32_t c = 0; c < SMALL_CLASSES; c++)
        knx_spin_unlock(&pools[c].lock);
}

static void watch_forks(void)
{
    static knx_fork_watch watch = {.before = lock_all, .in_parent = unlock_all, .in_child = unlock_all};
    knx_watch_forks(&watch);
}
static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;
#endif

static block *system_block(uint32_t c)
{
    size_t bytes = UNIT + class_bytes(c);
    void *p;
    if (posix_memalign(&p, bytes >= HUGE_FROM ? HUGE_PAGE : UNIT, bytes))
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (bytes >= HUGE_FROM)
        (void)!madvise(p, bytes & ~(size_t)(HUGE_PAGE - 1),
                       MADV_HUGEPAGE); /* a wish: nothing is lost if it is refused */
#endif
#if KN_POSIX_THREADS
    pthread_once(&forks_watched, watch_forks);
#endif
    block *b = p;
    *b = (block){.buffer = {.size_class = c, .bytes = bytes - UNIT, .data = (char *)p + UNIT}};
    return b;
}

static void system_free(block *list)
{
    for (block *older; list; list = older) {
        older = list->older;
        ASAN_UNPOISON_MEMORY_REGION(list->buffer.data, list->buffer.bytes);
        free(list);
    }
}

/* The next four run under the class's lock. */

static block *take_newest(pool *p)
{
    block *b = p->newest;
    if (!b)
        return NULL;
    p->newest = b->older;
    *(b->older ? &b->older->newer : &p->oldest) = NULL;
    p->pooled--;
    return b;
}

static block *take_oldest(pool *p)
{
    block *b = p->oldest;
    p->oldest = b->newer;
    *(b->newer ? &b->newer->older : &p->newest) = NULL;
    p->pooled--;
    return b;
}

static void put(pool *p, block *b)
{
    b->newer = NULL;
    b->older = p->newest;
    *(p->newest ? &p->newest->newer : &p->oldest) = b;
    p->newest = b;
    p->pooled++;
}

/* Of the big blocks that are free and not much larger than those of class c the one that was freed last: the caches
 * have it. What is larger than caches is left to those who need so much. */
static block *take_warmest(uint32_t c)
{
    enum { FARTHEST = 12 }; /* classes: eight times as large */
    pool *warmest = &pools[c];
    for (uint32_t k = c + 1; k < CLASSES && k <= c + FARTHEST && class_bytes(k) <= CACHED_BYTES; k++) {
        pool *p = &pools[k];
        if (p->newest && (!warmest->newest || p->newest->freed_at > warmest->newest->freed_at))
            warmest = p;
    }
    return take_newest(warmest);
}

/* Takes the oldest big blocks out of the pools until they hold no more than `limit` bytes; returns them as a list. */
static KNX_HOT block *evict_big(size_t limit)
{
    block *out = NULL;
    while (big.pooled > limit) {
        pool *oldest = NULL;
        for (pool *p = pools + SMALL_CLASSES; p < pools + CLASSES; p++)
            if (p->oldest && (!oldest || p->oldest->freed_at < oldest->oldest->freed_at))
                oldest = p;
        if (!oldest)
            break;
        block *b = take_oldest(oldest);
        big.pooled -= b->buffer.bytes;
        b->older = out;
        out = b;
    }
    return out;
}

/* From the context's own allocator, which the block remembers. */
typedef struct custom {
    knx_buffer buffer;
    kn_allocator from;
} custom;

static knx_buffer *custom_block(const kn_allocator *from, size_t bytes)
{
    custom *b = knx_alloc(sizeof *b);
    if (!b)
        return NULL;
    size_t room = bytes ? bytes : 1;
    *b = (custom){.buffer = {.refs = 1, .size_class = CUSTOM, .bytes = room}, .from = *from};
    kn_context c = knx_context_aside();
    b->buffer.data = from->alloc(from->env, room, UNIT);
    bool misaligned = (uintptr_t)b->buffer.data % UNIT;
    if (misaligned) /* kernels count on the alignment */
        from->free(from->env, b->buffer.data, room);
    knx_context_back(c);
    knx_note_misaligned(misaligned); /* after all that the allocator did */
    if (b->buffer.data && !misaligned)
        return &b->buffer;
    knx_free(b);
    return NULL;
}

static void release_custom(knx_buffer *b)
{
    custom *c = (custom *)b;
    kn_context before = knx_context_aside();
    c->from.free(c->from.env, b->data, b->bytes);
    knx_context_back(before);
    knx_free(c);
}

static KNX_HOT knx_buffer *new_buffer(size_t bytes, bool scratch)
{
    if (knx_current && knx_current->allocator.alloc)
        return custom_block(&knx_current->allocator, bytes);
    uint32_t c = class_of(bytes);
    bool refuse = knx_alloc_must_fail();
    knx_spin_lock(lock_of(c));
    block *b = refuse ? NULL : scratch && c >= SMALL_CLASSES ? take_warmest(c) : take_newest(&pools[c]);
    c = b ? b->buffer.size_class : c;
    pool *p = &pools[c];
    p->asked++;
    p->live += !refuse;
    if (c >= SMALL_CLASSES) {
        big.pooled -= b ? b->buffer.bytes : 0;
        big.live += refuse ? 0 : class_bytes(c);
    }
    knx_spin_unlock(lock_of(c));
    if (b) {
        ASAN_UNPOISON_MEMORY_REGION(b->buffer.data, b->buffer.bytes);
    } else if (!refuse && !(b = system_block(c))) {
        knx_note_misaligned(false);
        knx_buffer_trim(); /* what other classes hold may be what is missing */
        if (!(b = system_block(c))) {
            knx_spin_lock(lock_of(c));
            p->live--;
            if (c >= SMALL_CLASSES)
                big.live -= class_bytes(c);
            knx_spin_unlock(lock_of(c));
        }
    }
    if (b)
        atomic_store_explicit(&b->buffer.refs, 1, memory_order_relaxed);
    return b ? &b->buffer : NULL;
}

bool knx_give_back(size_t bytes)
{
    kn_context c = knx_current;
    if (!c || !c->give_back || c->giving_back)
        return false;
    c->giving_back = true; /* releasing may ask for memory */
    bool went = c->give_back(bytes);
    c->giving_back = false;
    return went;
}

static knx_buffer *new_or_given_back(uint64_t bytes, bool scratch)
{
    knx_buffer *b = bytes > MAX_BYTES ? NULL : new_buffer(bytes, scratch);
    return b || bytes > MAX_BYTES || !knx_give_back(bytes) ? b : new_buffer(bytes, scratch);
}

KNX_HOT knx_buffer *knx_buffer_new(uint64_t bytes) { return new_or_given_back(bytes, false); }
KNX_HOT knx_buffer *knx_buffer_scratch(uint64_t bytes) { return new_or_given_back(bytes, true); }

knx_buffer *knx_buffer_wrap(void *data, size_t bytes, void (*release)(void *, void *), void *env)
{
    knx_buffer *b = knx_alloc(sizeof *b);
    if (b)
        *b = (knx_buffer){
            .refs = 1, .size_class = FOREIGN, .bytes = bytes, .data = data, .release = release, .env = env};
    return b;
}

knx_buffer *knx_buffer_retain(knx_buffer *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

/* Of big freed buffers, under their lock. */
static size_t kept_bytes(void)
{
    if (big.keep != SIZE_MAX)
        return big.keep;
    return big.live / 2 > BIG_POOL_BYTES ? big.live / 2 : BIG_POOL_BYTES;
}

static void recycle(block *b)
{
    uint32_t c = b->buffer.size_class;
    size_t bytes = b->buffer.bytes;
    pool *p = &pools[c];
    block *out = NULL;
    ASAN_POISON_MEMORY_REGION(b->buffer.data, bytes);
    knx_spin_lock(lock_of(c));
    p->live--;
    if (c < SMALL_CLASSES) {
        put(p, b);
        if (p->pooled * bytes > SMALL_POOL_BYTES) {
            out = take_oldest(p);
            out->older = NULL;
        }
    } else {
        size_t limit = kept_bytes(); /* live still counts b */
        big.live -= bytes;
        if (bytes > limit) {
            out = b;
            out->older = NULL;
        } else {
            b->freed_at = big.clock++;
            put(p, b);
            big.pooled += bytes;
            out = evict_big(limit);
        }
    }
    knx_spin_unlock(lock_of(c));
    system_free(out);
}

static void come_home(knx_buffer *b)
{
    knx_away *away = b->away;
    b->data = b->data ? b->data : away->data;
    b->away = NULL;
    away->drop(away);
}

KNX_HOT void knx_buffer_release(knx_buffer *b)
{
    if (!b)
        return;
    /* The only owner needs no atomic subtraction: no one else has a reference to make another one from. */
    if (atomic_load_explicit(&b->refs, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (__builtin_expect(b->away != NULL, 0))
        come_home(b);
    if (b->size_class == CUSTOM) {
        release_custom(b);
        return;
    }
    if (b->size_class != FOREIGN) {
        recycle((block *)b);
        return;
    }
    if (b->release)
        b->release(b->data, b->env);
    knx_free(b);
}

size_t knx_buffer_limit(size_t bytes)
{
    knx_spin_lock(&big.lock);
    size_t before = big.keep;
    big.keep = bytes;
    block *out = evict_big(kept_bytes());
    knx_spin_unlock(&big.lock);
    system_free(out);
    if (!bytes)
        knx_buffer_trim();
    return before;
}

void knx_buffer_trim(void)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        pool *p = &pools[c];
        knx_spin_lock(lock_of(c));
        block *all = p->newest;
        if (c >= SMALL_CLASSES)
            big.pooled -= p->pooled * class_bytes(c);
        p->newest = p->oldest = NULL;
        p->pooled = 0;
        knx_spin_unlock(lock_of(c));
        system_free(all);
    }
}

/* Sums over the classes: seldom asked for, so the fast path keeps no totals. Exact when no other thread is at it. */
static void tally(size_t *live, size_t *pooled, int64_t *blocks_asked, int64_t *blocks_live)
{
    *live = *pooled = 0;
    *blocks_asked = *blocks_live = 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        pool *p = &pools[c];
        knx_spin_lock(lock_of(c));
        *live += p->live * class_bytes(c);
        *pooled += p->pooled * class_bytes(c);
        *blocks_asked += p->asked;
        *blocks_live += (int64_t)p->live;
        knx_spin_unlock(lock_of(c));
    }
}

void knx_buffer_counts(int64_t *asked, int64_t *live)
{
    size_t live_bytes, pooled_bytes;
    tally(&live_bytes, &pooled_bytes, asked, live);
}

size_t knx_buffer_bytes_live(void)
{
    size_t live, pooled;
    int64_t asked, blocks;
    tally(&live, &pooled, &asked, &blocks);
    return live;
}

size_t knx_buffer_bytes_pooled(void)
{
    size_t live, pooled;
    int64_t asked, blocks;
    tally(&live, &pooled, &asked, &blocks);
    return pooled;
}
