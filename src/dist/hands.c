/* SPDX-License-Identifier: Apache-2.0
 * hands.c -- the threads that devices run on. Not the pool's: devices wait for each other, so each has to have a thread
 * for as long as it runs. Threads that are free stay, parked; a forked child has none. */
#include "base/lock.h"
#include "base/park.h"
#include "base/worker.h"
#include "dist/crew.h"

#if KN_POSIX_THREADS

enum { FREE, WORK, END };

struct kndist_hand {
    atomic_uint word;
    uintptr_t thread;
    void (*f)(void *arg);
    void *arg;
    kndist_hand *next; /* that is free */
};

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static kndist_hand *list; /* the free ones */
static bool watched;

static void put(kndist_hand *h)
{
    knx_global_lock_take(&lock);
    h->next = list;
    list = h;
    knx_global_unlock(&lock);
}

static void forget(void) { list = NULL; }

static void watch_forks(void)
{
    static knx_fork_watch watch = {.in_child = forget};
    if (!watched)
        knx_watch_forks(&watch);
    watched = true;
}

static void begin(void *arg)
{
    kndist_hand *h = arg;
    for (;;) {
        unsigned word = atomic_load(&h->word);
        if (word == END)
            return;
        if (word == FREE) {
            knx_wait_at(&h->word, FREE, 0);
            continue;
        }
        h->f(h->arg);
    }
}

static kndist_hand *new_hand(void)
{
    kndist_hand *h = knx_alloc_zero(sizeof *h);
    if (h && !knx_thread_start(&h->thread, begin, h)) {
        knx_free(h);
        h = NULL;
    }
    return h;
}

bool kndist_hands_take(int n, kndist_hand **out)
{
    int have = 0;
    knx_global_lock_take(&lock);
    watch_forks();
    for (; have < n && list; list = list->next)
        out[have++] = list;
    knx_global_unlock(&lock);
    while (have < n && (out[have] = new_hand()))
        have++;
    for (int i = 0; have < n && i < have; i++)
        put(out[i]);
    return have == n;
}

void kndist_hand_run(kndist_hand *h, void (*f)(void *arg), void *arg)
{
    h->f = f;
    h->arg = arg;
    atomic_store(&h->word, WORK);
    knx_wake_at(&h->word, 1);
}

void kndist_hand_free(kndist_hand *h)
{
    atomic_store(&h->word, FREE);
    put(h);
}

/* The library goes, or the process ends. */
__attribute__((destructor)) static void stop_at_exit(void)
{
    knx_global_lock_take(&lock);
    kndist_hand *h = list;
    list = NULL;
    knx_global_unlock(&lock);
    while (h) {
        kndist_hand *next = h->next;
        atomic_store(&h->word, END);
        knx_wake_at(&h->word, 1);
        knx_thread_join(h->thread);
        knx_free(h);
        h = next;
    }
}

#else

bool kndist_hands_take(int n, kndist_hand **out) { return (void)n, (void)out, false; }
void kndist_hand_run(kndist_hand *h, void (*f)(void *arg), void *arg) { (void)h, (void)f, (void)arg; }
void kndist_hand_free(kndist_hand *h) { (void)h; }

#endif
