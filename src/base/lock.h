/* SPDX-License-Identifier: Apache-2.0
 * lock.h -- the locks of the base floor: a spin lock for a handful of instructions, a mutex for more, and a mutex for
 * what the whole process has, which no fork leaves taken in the child. All are nothing at all on a target without
 * threads. */
#ifndef KN_BASE_LOCK_H
#define KN_BASE_LOCK_H

#if defined(__wasm__) && !defined(__wasm_atomics__)
#define KN_SINGLE_THREADED 1
#else
#define KN_SINGLE_THREADED 0
#endif
/* Are there POSIX threads, which begin and end as they like, and forks? In WebAssembly the pool has all the threads. */
#if defined(__wasm__)
#define KN_POSIX_THREADS 0
#else
#define KN_POSIX_THREADS 1
#endif

#if KN_SINGLE_THREADED

typedef struct knx_spin {
    char unused;
} knx_spin;
typedef struct knx_mutex {
    char unused;
} knx_mutex;
#define KN_SPIN_INIT \
    {                \
        0            \
    }
#define KN_MUTEX_INIT \
    {                 \
        0             \
    }
static inline void knx_spin_lock(knx_spin *l) { (void)l; }
static inline void knx_spin_unlock(knx_spin *l) { (void)l; }
static inline void knx_mutex_lock(knx_mutex *m) { (void)m; }
static inline void knx_mutex_unlock(knx_mutex *m) { (void)m; }

#else

#include <sched.h>
#include <stdatomic.h>
#if KN_POSIX_THREADS
#include <pthread.h>
#endif

typedef struct knx_spin {
    atomic_uint taken; /* a word: not every machine exchanges bytes without a library */
} knx_spin;
#define KN_SPIN_INIT \
    {                \
        0            \
    }

static inline void knx_spin_lock(knx_spin *l)
{
    for (int tries = 0; atomic_exchange_explicit(&l->taken, 1, memory_order_acquire);) {
        while (atomic_load_explicit(&l->taken, memory_order_relaxed)) {
            if (++tries > 64) /* the holder may not be running at all */
                sched_yield();
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
    }
}
static inline void knx_spin_unlock(knx_spin *l) { atomic_store_explicit(&l->taken, 0, memory_order_release); }

#if KN_POSIX_THREADS
typedef struct knx_mutex {
    pthread_mutex_t m;
} knx_mutex;
#define KN_MUTEX_INIT             \
    {                             \
        PTHREAD_MUTEX_INITIALIZER \
    }
static inline void knx_mutex_lock(knx_mutex *m) { pthread_mutex_lock(&m->m); }
static inline void knx_mutex_unlock(knx_mutex *m) { pthread_mutex_unlock(&m->m); }
#else
typedef struct knx_mutex {
    atomic_uint word; /* 0: free, 1: taken, 2: taken, and others may wait */
} knx_mutex;
#define KN_MUTEX_INIT \
    {                 \
        0             \
    }
void knx_mutex_lock(knx_mutex *m);
void knx_mutex_unlock(knx_mutex *m);
#endif

#endif

/* Static. A fork takes them all (lock.c), whatever the order in which some are taken inside of others. */
typedef struct knx_global_lock {
    knx_mutex mutex;
    _Atomic(_Bool) watched;
    struct knx_global_lock *next;
} knx_global_lock;
#define KN_GLOBAL_LOCK_INIT       \
    {                             \
        .mutex = KN_MUTEX_INIT    \
    }
/* What else a fork has to do, while all of those locks are held; each may be NULL. Static; joined in once. */
typedef struct knx_fork_watch {
    void (*before)(void), (*in_parent)(void), (*in_child)(void);
    struct knx_fork_watch *next;
} knx_fork_watch;
void knx_watch_forks(knx_fork_watch *w);
void knx_global_lock_take(knx_global_lock *l);
void knx_global_unlock(knx_global_lock *l);
#endif
