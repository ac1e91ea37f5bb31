/* SPDX-License-Identifier: Apache-2.0
 * memory.c -- plain memory with counts and failure on demand; arenas; growing vectors. */
#include "base/memory.h"
#include "base/lock.h"
#include <stdlib.h>
#include <string.h>

/* Blocks alive are asked - failed - given_back. Each thread counts its own: an atomic addition would take as long as
 * the rest of an allocation. */
typedef struct counts {
    _Atomic int64_t asked, failed, given_back; /* one thread writes, all read */
    bool begun;                                /* it is among those that count; the thread's own */
    struct counts *next, **link;               /* among all threads that count; neighbours write them, too */
} counts;
static KNX_TLS counts mine;
static counts *counting, ended; /* under its lock, as are the links */
static knx_global_lock counting_lock = KN_GLOBAL_LOCK_INIT;

static void add(_Atomic int64_t *to, int64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

/* What other ends of the thread count after this one makes them begin anew, and this comes again. */
static void end_counting(void *arg)
{
    counts *c = arg;
    knx_global_lock_take(&counting_lock);
    add(&ended.asked, atomic_exchange(&c->asked, 0));
    add(&ended.failed, atomic_exchange(&c->failed, 0));
    add(&ended.given_back, atomic_exchange(&c->given_back, 0));
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    c->begun = false;
    knx_global_unlock(&counting_lock);
    knx_pieces_trim();
}

#if KN_POSIX_THREADS
static pthread_key_t at_exit;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { has_key = pthread_key_create(&at_exit, end_counting) == 0; }
#else
void knx_memory_thread_ends(void)
{
    if (mine.begun)
        end_counting(&mine);
}
#endif

/* Where the system refuses, the next count tries again; what was counted is seen then. */
static KNX_COLD void begin_counting(void)
{
#if KN_POSIX_THREADS
    pthread_once(&once, make_key);
    if (!has_key || pthread_setspecific(at_exit, &mine) != 0)
        return;
#endif
    knx_global_lock_take(&counting_lock);
    mine.next = counting;
    mine.link = &counting;
    if (counting)
        counting->link = &mine.next;
    counting = &mine;
    mine.begun = true;
    knx_global_unlock(&counting_lock);
}

static inline void count(_Atomic int64_t *counter)
{
    if (__builtin_expect(!mine.begun, 0))
        begin_counting();
    add(counter, 1);
}

static int64_t counted_all(int64_t *live)
{
    knx_global_lock_take(&counting_lock);
    int64_t asked = ended.asked, gone = ended.failed + ended.given_back;
    for (const counts *c = counting; c; c = c->next) {
        asked += c->asked;
        gone += c->failed + c->given_back;
    }
    knx_global_unlock(&counting_lock);
    *live = asked - gone;
    return asked;
}

static atomic_bool fail_armed;    /* false: nothing below is read */
static _Atomic int64_t fail_left; /* this many succeed first */
static atomic_bool fail_sticky;
static atomic_bool fail_pieces; /* arenas take each piece from the system */

KNX_HOT bool knx_alloc_must_fail(void)
{
    if (__builtin_expect(!atomic_load_explicit(&fail_armed, memory_order_relaxed), 1))
        return false;
    int64_t left = atomic_fetch_sub(&fail_left, 1);
    return left == 0 || (left < 0 && atomic_load(&fail_sticky));
}

void knx_fail_after(int64_t k, bool sticky)
{
    atomic_store(&fail_armed, false);
    atomic_store(&fail_left, k);
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_armed, k >= 0);
}

void knx_fail_pieces(bool on) { atomic_store(&fail_pieces, on); }

static inline void *counted(void *p)
{
    count(&mine.asked);
    if (__builtin_expect(!p, 0))
        count(&mine.failed);
    return p;
}

KNX_HOT void *knx_alloc(size_t bytes) { return counted(knx_alloc_must_fail() ? NULL : malloc(bytes ? bytes : 1)); }

/* The calloc of some systems takes the long way for small pieces, too, past the lists of those that were freed last. */
KNX_HOT void *knx_alloc_zero(size_t bytes)
{
    enum { SMALL = 1024 };
    if (bytes > SMALL)
        return counted(knx_alloc_must_fail() ? NULL : calloc(bytes, 1));
    void *p = knx_alloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *knx_realloc(void *p, size_t bytes)
{
    void *q = counted(knx_alloc_must_fail() ? NULL : realloc(p, bytes ? bytes : 1));
    if (p && q)
        count(&mine.given_back);
    return q;
}

KNX_HOT void knx_free(void *p)
{
    if (!p)
        return;
    count(&mine.given_back);
    free(p);
}

/* ---- Pieces. A list for each size, in whole lines of a cache; the first one of a list knows how many there are. */

typedef struct piece {
    struct piece *next;
    uint32_t n; /* with those behind it */
} piece;
enum { PIECE_UNIT = 64, PIECE_SIZES = 8, MOST_PIECES = 32 };
#ifdef KNX_POISONS /* AddressSanitizer sees the use of a piece that was given back only if the system has it */
static piece **list_of(size_t bytes) { return (void)bytes, NULL; }
void knx_pieces_trim(void) {}
#else
static KNX_TLS piece *kept[PIECE_SIZES];
static piece **list_of(size_t bytes) /* NULL: there is none for so many; bytes > 0 */
{
    size_t size = (bytes - 1) / PIECE_UNIT;
    return size < PIECE_SIZES ? &kept[size] : NULL;
}

void knx_pieces_trim(void)
{
    for (int i = 0; i < PIECE_SIZES; i++)
        for (piece *p = kept[i], *next; p; p = next) {
            next = p->next;
            kept[i] = next;
            free(p);
        }
}
#endif

KNX_HOT void *knx_piece(size_t bytes)
{
    piece **list = list_of(bytes), *p = list ? *list : NULL;
    if (__builtin_expect(!p, 0))
        return knx_alloc(list ? (bytes + PIECE_UNIT - 1) & ~(size_t)(PIECE_UNIT - 1) : bytes);
    if (__builtin_expect(knx_alloc_must_fail(), 0))
        return counted(NULL);
    *list = p->next;
    return counted(p);
}

KNX_HOT void *knx_piece_zero(size_t bytes)
{
    void *p = knx_piece(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

KNX_HOT void knx_piece_free(void *at, size_t bytes)
{
    piece **list = at ? list_of(bytes) : NULL, *p = at;
    uint32_t n = list && *list ? (*list)->n : 0;
    if (!list || n == MOST_PIECES) {
        knx_free(at);
        return;
    }
    count(&mine.given_back);
    *p = (piece){*list, n + 1};
    *list = p;
}

int64_t knx_alloc_count(void)
{
    int64_t buffers, live;
    knx_buffer_counts(&buffers, &live);
    return counted_all(&live) + buffers;
}

int64_t knx_alloc_live(void)
{
    int64_t buffers, live, blocks;
    knx_buffer_counts(&buffers, &live);
    counted_all(&blocks);
    return blocks + live;
}

bool knx_mul_overflows(size_t a, size_t b, size_t *product) { return __builtin_mul_overflow(a, b, product); }

/* Arenas. */

enum { ARENA_ALIGN = 16, ARENA_FIRST = 1024, ARENA_GROWTH_LIMIT = 1 << 20 };

struct knx_arena_block {
    struct knx_arena_block *older;
    size_t bytes; /* with this header */
};

static char *block_start(struct knx_arena_block *b)
{
    uintptr_t first = (uintptr_t)(b + 1);
    return (char *)(b + 1) + (-first & (ARENA_ALIGN - 1));
}

static void block_use(knx_arena *a, struct knx_arena_block *b)
{
    a->block = b;
    a->next = b ? block_start(b) : NULL;
    a->end = b ? (char *)b + b->bytes : NULL;
}

static KNX_HOT bool add_block(knx_arena *a, size_t size)
{
    struct knx_arena_block *b = knx_alloc(size);
    if (!b)
        return false;
    *b = (struct knx_arena_block){a->block, size};
    a->total += size;
    block_use(a, b);
    return true;
}

enum { OVERHEAD = sizeof(struct knx_arena_block) + ARENA_ALIGN };

static bool arena_grow(knx_arena *a, size_t bytes)
{
    size_t size = a->block ? a->block->bytes : ARENA_FIRST / 2;
    bool alone = atomic_load_explicit(&fail_pieces, memory_order_relaxed);
    size = size < ARENA_GROWTH_LIMIT ? 2 * size : size;
    if (bytes > SIZE_MAX - OVERHEAD)
        return false;
    if (size < bytes + OVERHEAD || alone)
        size = bytes + OVERHEAD;
    if (!add_block(a, size))
        return false;
    if (alone) /* the next piece may be the one to fail */
        a->end = a->next + bytes;
    return true;
}

KNX_HOT bool knx_arena_begin(knx_arena *a, size_t bytes)
{
    if (a->block || atomic_load_explicit(&fail_pieces, memory_order_relaxed))
        return true;
    return bytes <= SIZE_MAX - OVERHEAD && add_block(a, bytes + OVERHEAD);
}

/* Of no bytes, of too many, or of more than the block has. */
static void *alloc_other(knx_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX - ARENA_ALIGN)
        return NULL;
    bytes = bytes ? (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1) : ARENA_ALIGN;
    if ((size_t)(a->end - a->next) < bytes && !arena_grow(a, bytes))
        return NULL;
    char *p = a->next;
    a->next = p + bytes;
    return p;
}

KNX_HOT void *knx_arena_alloc(knx_arena *a, size_t bytes)
{
    size_t whole = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1); /* 0: none, or too many for a size_t */
    if (__builtin_expect(whole - 1 >= (size_t)(a->end - a->next), 0))
        return alloc_other(a, bytes);
    char *p = a->next;
    a->next = p + whole;
    return p;
}

KNX_HOT void *knx_arena_zero(knx_arena *a, size_t bytes)
{
    void *p = knx_arena_alloc(a, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

KNX_HOT void *knx_arena_copy(knx_arena *a, const void *p, size_t bytes)
{
    void *q = knx_arena_alloc(a, bytes);
    if (q && bytes)
        memcpy(q, p, bytes);
    return q;
}

char *knx_arena_string(knx_arena *a, const char *s) { return knx_arena_copy(a, s, strlen(s) + 1); }

KNX_HOT void knx_arena_reset(knx_arena *a)
{
    if (!a->block || !a->block->older) { /* most have one block */
        block_use(a, a->block);
        return;
    }
    struct knx_arena_block *largest = a->block;
    for (struct knx_arena_block *b = a->block; b; b = b->older)
        if (b->bytes > largest->bytes)
            largest = b;
    for (struct knx_arena_block *b = a->block, *older; b; b = older) {
        older = b->older;
        if (b != largest)
            knx_free(b);
    }
    if (largest)
        largest->older = NULL;
    a->total = largest ? largest->bytes : 0;
    block_use(a, largest);
}

KNX_HOT void knx_arena_free(knx_arena *a)
{
    knx_arena_reset(a);
    knx_free(a->block);
    *a = (knx_arena)KN_ARENA_INIT;
}

/* Vectors. The struct is copied in and out: its pointer has another type than ours. */

bool knx_vec_reserve(void *vec, size_t more, size_t size)
{
    KN_VEC(void) v;
    memcpy(&v, vec, sizeof v);
    if (more <= v.cap - v.n)
        return true;
    size_t cap, bytes;
    if (__builtin_add_overflow(v.n, more, &cap))
        return false;
    if (cap < v.cap + v.cap / 2)
        cap = v.cap + v.cap / 2;
    if (cap < 8)
        cap = 8;
    if (knx_mul_overflows(cap, size, &bytes))
        return false;
    void *at = knx_realloc(v.at, bytes);
    if (!at)
        return false;
    v.at = at;
    v.cap = cap;
    memcpy(vec, &v, sizeof v);
    return true;
}
