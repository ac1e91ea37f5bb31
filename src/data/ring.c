/* SPDX-License-Identifier: Apache-2.0
 * ring.c -- threads that make batches beforehand. A thread takes the number of the next batch, makes it, and puts it
 * where the reader waits for that number; it begins none that has no place. So the order is that of the numbers,
 * whichever thread is done first. */
#include "base/context.h"
#include "base/lock.h"
#include "base/worker.h"
#include "data/loader.h"

#if KN_POSIX_THREADS
#include <unistd.h>

typedef struct place {
    kndata_batch batch;
    bool full;
} place;

struct kndata_ring {
    pthread_mutex_t lock;
    pthread_cond_t made, taken;
    const kndata_source *source;
    kn_dtype default_float;
    int64_t next, read, end; /* to make; to read; behind the last */
    int rooms, threads;
    bool stop;
    pid_t process;
    uintptr_t *thread;
    place *at;
};

/* The batches are at most as many ahead as there are places. */
static bool may_make(const kndata_ring *r) { return r->next < r->end && r->next - r->read < r->rooms; }

static void put(kndata_ring *r, int64_t number, const kndata_batch *b)
{
    place *p = &r->at[number % r->rooms];
    p->batch = *b;
    p->full = true;
    if (b->error && r->end > number + 1) /* nobody reads what comes behind it */
        r->end = number + 1;
    pthread_cond_broadcast(&r->made);
}

static void work(void *arg)
{
    kndata_ring *r = arg;
    if (r->source->example || r->source->map) {
        kn_context c = knx_context();
        c->default_float = r->default_float;
        c->threads = 1;
    }
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (!r->stop && r->next < r->end && !may_make(r))
            pthread_cond_wait(&r->taken, &r->lock);
        if (r->stop || r->next >= r->end)
            break;
        int64_t number = r->next++;
        kndata_batch b;
        pthread_mutex_unlock(&r->lock);
        kndata_make(r->source, number, &b);
        if (b.error && (r->source->example || r->source->map))
            kn_error_clear(); /* it is the reader's now */
        pthread_mutex_lock(&r->lock);
        put(r, number, &b);
    }
    pthread_mutex_unlock(&r->lock);
}

kndata_ring *kndata_ring_new(const kndata_source *s, int64_t at, int workers, int prefetch)
{
    kndata_ring *r = knx_alloc_zero(sizeof *r);
    if (!r)
        return NULL;
    *r = (kndata_ring){.source = s, .next = at, .read = at, .end = kndata_batches(s), .rooms = prefetch};
    r->at = knx_alloc_zero((size_t)prefetch * sizeof *r->at);
    r->thread = knx_alloc_zero((size_t)workers * sizeof *r->thread);
    r->process = getpid();
    r->default_float = knx_context()->default_float;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->made, NULL);
    pthread_cond_init(&r->taken, NULL);
    while (r->at && r->thread && r->threads < workers && knx_thread_start(&r->thread[r->threads], work, r))
        r->threads++;
    if (r->threads)
        return r;
    kndata_ring_free(r);
    return NULL;
}

bool kndata_ring_take(kndata_ring *r, kndata_batch *out)
{
    if (r->process != getpid())
        return false;
    pthread_mutex_lock(&r->lock);
    place *p = &r->at[r->read % r->rooms];
    while (!p->full)
        pthread_cond_wait(&r->made, &r->lock);
    *out = p->batch;
    *p = (place){0};
    r->read++;
    pthread_cond_broadcast(&r->taken);
    pthread_mutex_unlock(&r->lock);
    return true;
}

void kndata_ring_free(kndata_ring *r)
{
    if (!r || r->process != getpid()) /* a child has a copy of all of it, in whichever state, and none of the threads */
        return;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->taken);
    pthread_mutex_unlock(&r->lock);
    for (int i = 0; i < r->threads; i++)
        knx_thread_join(r->thread[i]);
    for (int i = 0; r->at && i < r->rooms; i++)
        kndata_batch_free(&r->at[i].batch);
    pthread_cond_destroy(&r->made);
    pthread_cond_destroy(&r->taken);
    pthread_mutex_destroy(&r->lock);
    knx_free(r->thread);
    knx_free(r->at);
    knx_free(r);
}

#else

kndata_ring *kndata_ring_new(const kndata_source *s, int64_t at, int workers, int prefetch)
{
    return (void)s, (void)at, (void)workers, (void)prefetch, NULL;
}
bool kndata_ring_take(kndata_ring *r, kndata_batch *out) { return (void)r, (void)out, false; }
void kndata_ring_free(kndata_ring *r) { (void)r; }

#endif
