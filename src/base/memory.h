/* SPDX-License-Identifier: Apache-2.0
 * memory.h -- every allocation of Kiln goes through here: a replaceable system allocator that tests can make fail,
 * arenas, growing vectors, and the pooled, 64-byte aligned, reference-counted buffers that arrays live in. */
#ifndef KN_BASE_MEMORY_H
#define KN_BASE_MEMORY_H
#include "base/error.h"
#include <stdatomic.h>

/* Plain memory. NULL on failure (or when a test told the k-th allocation to fail). Size 0 gives a valid pointer. */
void *knx_alloc(size_t bytes);
void *knx_alloc_zero(size_t bytes);
void *knx_realloc(void *p, size_t bytes);
void knx_free(void *p);
/* The same for small things that come and go with each operation, by who knows at the end how many bytes it asked for.
 * Each thread keeps a few of each size that were given back for those who ask next. */
void *knx_piece(size_t bytes);
void *knx_piece_zero(size_t bytes);
void knx_piece_free(void *p, size_t bytes); /* NULL is fine */
void knx_memory_thread_ends(void);          /* of a thread that no system watches: what it counted goes to the others */
void knx_pieces_trim(void);                 /* gives what this thread keeps back to the system */
/* Test hooks: from now on k allocations succeed and the next one fails (and all after it while `sticky`); k < 0
 * turns it off. Buffers count too, pooled or not. */
void knx_fail_after(int64_t k, bool sticky);
void knx_fail_pieces(bool on);   /* also of arenas: new ones take each piece from the system, so that it can fail */
bool knx_alloc_must_fail(void);  /* for allocators: counts down; true when this allocation has to fail */
int64_t knx_alloc_count(void);   /* allocations asked for since start */
int64_t knx_alloc_live(void);    /* blocks not given back; cached free buffers do not count */
bool knx_mul_overflows(size_t a, size_t b, size_t *product);

/* Arenas: allocate, free all at once. Blocks grow geometrically. */
typedef struct knx_arena { struct knx_arena_block *block; char *next, *end; size_t total; } knx_arena;
#define KN_ARENA_INIT { 0 }
void *knx_arena_alloc(knx_arena *a, size_t bytes);         /* 16-byte aligned; NULL on failure */
bool knx_arena_begin(knx_arena *a, size_t bytes);          /* the first block of an empty one has so much room */
void *knx_arena_zero(knx_arena *a, size_t bytes);
void *knx_arena_copy(knx_arena *a, const void *p, size_t bytes);
char *knx_arena_string(knx_arena *a, const char *s);
void knx_arena_reset(knx_arena *a);                        /* keeps the largest block */
void knx_arena_free(knx_arena *a);

/* Vectors: `kn_vec(T)` fields; grow with knx_grow. */
#define KN_VEC(T) struct { T *at; size_t n, cap; }
/* Makes room for `more` elements of `size` bytes; false when there is no memory (the vector is unchanged then). */
bool knx_vec_reserve(void *vec, size_t more, size_t size);
#define KN_VEC_RESERVE(v, more) /* usually there is room: no call then */ \
    (__builtin_expect((v)->cap - (v)->n >= (size_t)(more), 1) || knx_vec_reserve((v), (more), sizeof *(v)->at))
#define KN_VEC_PUSH(v, x) (KN_VEC_RESERVE((v), 1) ? (KN_KNOWN((v)->at), (v)->at[(v)->n++] = (x), true) : false)
#define KN_VEC_FREE(v) (knx_free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

/* Buffers: what array elements live in. 64-byte aligned; freed ones are pooled by size class, so that a temporary
 * costs no page faults (glibc gives large freed blocks back to the kernel: the faults then cost four times the
 * arithmetic). Big ones ask for huge pages. */
typedef struct knx_buffer {
    atomic_int refs;
    uint32_t size_class;
    size_t bytes;                               /* usable */
    void *data;                                 /* NULL while the contents are elsewhere only: device/device.h */
    struct knx_away *away;                      /* where else they are; NULL: nowhere */
    void (*release)(void *data, void *env);     /* foreign memory: called once with env when the last reference goes */
    void *env;
} knx_buffer;
/* What a device has of a buffer, as far as this floor needs to know. */
typedef struct knx_away {
    void *data;                                 /* the buffer's own memory, for the time when its `data` is NULL */
    void (*drop)(struct knx_away *away);        /* the buffer goes */
} knx_away;
knx_buffer *knx_buffer_new(uint64_t bytes); /* contents undefined; NULL without memory, caches given back or not */
/* The same for a moment, as the workspace of a run: rather memory that the caches have than memory that fits best. */
knx_buffer *knx_buffer_scratch(uint64_t bytes);
/* Asks the context to give back what it only keeps to find it again, so that so many bytes may be had. True: something
 * went. Nothing may be half done with its caches. */
bool knx_give_back(size_t bytes);
/* Without memory: NULL, and `release` (NULL is fine) is not called: the memory stays the caller's. */
knx_buffer *knx_buffer_wrap(void *data, size_t bytes, void (*release)(void *, void *), void *env);
knx_buffer *knx_buffer_retain(knx_buffer *b);
void knx_buffer_release(knx_buffer *b);         /* NULL is fine */
void knx_buffer_trim(void);                     /* gives all pooled free buffers back to the system */
/* How many bytes of big freed buffers are kept; what is over goes back to the system. SIZE_MAX, which it begins with:
 * half of the bytes that are live, at least 256 MiB. 0: small ones are given back too, once. Returns the old number. */
size_t knx_buffer_limit(size_t bytes);
size_t knx_buffer_bytes_live(void);             /* in whole size classes; foreign memory does not count */
size_t knx_buffer_bytes_pooled(void);
void knx_buffer_counts(int64_t *asked, int64_t *live); /* buffers, for knx_alloc_count and knx_alloc_live */
#endif
