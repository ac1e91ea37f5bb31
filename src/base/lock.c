/* SPDX-License-Identifier: Apache-2.0
 * lock.c -- the process's own locks, and what becomes of them in a fork: it waits until no one holds one, so the child
 * finds all of them free. */
#include "base/lock.h"

#if !KN_POSIX_THREADS

#if !KN_SINGLE_THREADED
#include "base/park.h"

void knx_mutex_lock(knx_mutex *m)
{
    unsigned word = 0;
    if (atomic_compare_exchange_strong_explicit(&m->word, &word, 1, memory_order_acquire, memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&m->word, 2, memory_order_acquire))
        knx_wait_at(&m->word, 2, 0);
}

void knx_mutex_unlock(knx_mutex *m)
{
    if (atomic_exchange_explicit(&m->word, 0, memory_order_release) == 2)
        knx_wake_at(&m->word, 1);
}
#endif

void knx_global_lock_take(knx_global_lock *l) { knx_mutex_lock(&l->mutex); }
void knx_global_unlock(knx_global_lock *l) { knx_mutex_unlock(&l->mutex); }
void knx_watch_forks(knx_fork_watch *w) { (void)w; }

#else

static knx_mutex list_lock = KN_MUTEX_INIT;
static knx_global_lock *list;
static knx_fork_watch *watches;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Those before `end`; NULL: all. */
static void unlock_until(const knx_global_lock *end)
{
    for (knx_global_lock *l = list; l != end; l = l->next)
        knx_mutex_unlock(&l->mutex);
}

/* Some locks are taken inside of others, in an order that is not known here: so nothing is held while one is waited
 * for. */
static void before(void)
{
    knx_mutex_lock(&list_lock);
    for (knx_global_lock *l = list; l;) {
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
    for (const knx_fork_watch *w = watches; w; w = w->next)
        if (w->before)
            w->before();
}

static void in_parent(void)
{
    for (const knx_fork_watch *w = watches; w; w = w->next)
        if (w->in_parent)
            w->in_parent();
    unlock_until(NULL);
    knx_mutex_unlock(&list_lock);
}

static void in_child(void)
{
    for (const knx_fork_watch *w = watches; w; w = w->next)
        if (w->in_child)
            w->in_child();
    unlock_until(NULL);
    knx_mutex_unlock(&list_lock);
}

static void watch_forks(void) { pthread_atfork(before, in_parent, in_child); }

void knx_watch_forks(knx_fork_watch *w)
{
    pthread_once(&once, watch_forks);
    knx_mutex_lock(&list_lock);
    w->next = watches;
    watches = w;
    knx_mutex_unlock(&list_lock);
}

static void watch(knx_global_lock *l)
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

void knx_global_lock_take(knx_global_lock *l)
{
    if (!atomic_load_explicit(&l->watched, memory_order_acquire))
        watch(l);
    knx_mutex_lock(&l->mutex);
}

void knx_global_unlock(knx_global_lock *l) { knx_mutex_unlock(&l->mutex); }

#endif
