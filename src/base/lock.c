/* SPDX-License-Identifier: Apache-2.0
 * lock.c -- the process's own locks, and what becomes of them in a fork: it waits until nobody holds one, so the child
 * finds all of them free. */
#include "base/lock.h"

#if KN_SINGLE_THREADED

void knx_global_lock(kn_global_lock *l) { (void)l; }
void knx_global_unlock(kn_global_lock *l) { (void)l; }

#else

static kn_mutex list_lock = KN_MUTEX_INIT;
static kn_global_lock *list;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Those before `end`; NULL: all. */
static void unlock_until(const kn_global_lock *end)
{
    for (kn_global_lock *l = list; l != end; l = l->next)
        knx_mutex_unlock(&l->mutex);
}

/* Some locks are taken inside of others, in an order that is not known here: so nothing is held while one is waited
 * for. */
static void lock_all(void)
{
    knx_mutex_lock(&list_lock);
    for (kn_global_lock *l = list; l;) {
        if (pthread_mutex_trylock(&l->mutex.m) == 0) {
            l = l->next;
            continue;
        }
        unlock_until(l);
        knx_mutex_unlock(&list_lock);
        sched_yield();
        knx_mutex_lock(&list_lock);
        l = list;
    }
}

static void unlock_all(void)
{
    unlock_until(NULL);
    knx_mutex_unlock(&list_lock);
}

static void watch_forks(void) { pthread_atfork(lock_all, unlock_all, unlock_all); }

static void watch(kn_global_lock *l)
{
    pthread_once(&once, watch_forks);
    knx_mutex_lock(&list_lock);
    if (!atomic_load_explicit(&l->watched, memory_order_relaxed)) {
        l->next = list;
        list = l;
        atomic_store_explicit(&l->watched, 1, memory_order_release);
    }
    knx_mutex_unlock(&list_lock);
}

void knx_global_lock(kn_global_lock *l)
{
    if (!atomic_load_explicit(&l->watched, memory_order_acquire))
        watch(l);
    knx_mutex_lock(&l->mutex);
}

void knx_global_unlock(kn_global_lock *l) { knx_mutex_unlock(&l->mutex); }

#endif
