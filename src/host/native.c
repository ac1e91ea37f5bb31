/* SPDX-License-Identifier: Apache-2.0
 * native.c -- the stage functions of a kernel: made when they are first needed, kept with the kernel in a list that
 * only grows at its head, and found there without a lock; the public ways to run a launch. */
#include "host/native.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "host/drive.h"
#include <stdio.h>
#include <string.h>

/* A stage function, or the fact that there is none. */
struct knh_made {
    const knh_made *next;
    const knh_generator *by;
    knh_function *f; /* NULL: it cannot be made */
    void *keep;
    _Atomic(const knh_batch *) batch; /* not NULL: it is not finished, and only plans of this batch may have it */
    uint8_t mode;
    bool nontemporal;
    int stage, n_cls; /* stage -1: it is gone */
    uint8_t cls[];
};

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static atomic_uint_fast64_t n_fallbacks;

knh_counts knh_count(void)
{
    knh_made_count made = knh_all_made();
    return (knh_counts){made.functions, n_fallbacks, made.bytes, 1e-9 * (double)made.nanoseconds};
}

void knh_note_fallback(const knk_kernel *k)
{
    n_fallbacks++;
    KN_LOG(2, "kernel %016llx: the interpreter runs it", (unsigned long long)k->hash);
}

static size_t made_bytes(const knh_made *m) { return m->f && m->by->bytes ? m->by->bytes(m->keep) : 0; }

static void drop_made(knh_made *m)
{
    if (m->f) {
        knh_note_made(0, -(int64_t)made_bytes(m), 0);
        if (m->by->drop)
            m->by->drop(m->keep);
    }
    knx_free(m);
}

static void drop(void *facts)
{
    knh_facts *f = facts;
    for (const knh_made *m = f->made, *next; m; m = next) {
        next = m->next;
        drop_made((knh_made *)(uintptr_t)m);
    }
    knx_arena_free(&f->arena);
    knx_free(f);
}

/* What two threads make at once, one of them throws away: nothing is made under the lock. */
knh_facts *knh_facts_of(const knk_kernel *k_)
{
    knk_kernel *k = (knk_kernel *)(uintptr_t)k_;
    knh_facts *f = atomic_load_explicit(&k->native, memory_order_acquire), *mine, *old;
    if (f || !(mine = knh_make_facts(k)))
        return f;
    knx_global_lock_take(&lock);
    old = atomic_load_explicit(&k->native, memory_order_relaxed);
    if (!old) {
        k->drop_native = drop;
        atomic_store_explicit(&k->native, mine, memory_order_release);
    }
    knx_global_unlock(&lock);
    if (!old) {
        knk_count_native(k, sizeof *mine + mine->arena.total);
        return mine;
    }
    drop(mine);
    return old;
}

/* Making. */

static bool is_for(const knh_made *m, const knh_batch *batch)
{
    const knh_batch *b = atomic_load_explicit(&m->batch, memory_order_acquire);
    return !b || b == batch;
}

static bool same_request(const knh_made *m, const knh_generator *g, const knh_request *r, int n)
{
    return m->by == g && m->stage == r->stage && m->mode == r->mode && m->nontemporal == r->nontemporal &&
           m->n_cls == n && !memcmp(m->cls, r->cls, (size_t)n);
}

static const knh_made *find(const knh_made *m, const knh_generator *g, const knh_request *r, int n,
                            const knh_batch *batch)
{
    while (m && !(same_request(m, g, r, n) && is_for(m, batch)))
        m = m->next;
    return m;
}

static const char *reason(const knh_made *others, const knh_request *r, int n)
{
    for (const knh_made *m = others; m; m = m->next)
        if (m->stage == r->stage && r->nontemporal && !m->nontemporal && !memcmp(m->cls, r->cls, (size_t)n))
            return "results too large for the caches";
    for (const knh_made *m = others; m; m = m->next)
        if (m->stage == r->stage)
            return m->mode == r->mode ? "other strides" : "another mode";
    return "a new stage";
}

/* Adds it to the list, unless another thread was first. Returns what is in the list. */
static const knh_made *keep(knh_facts *f, knh_made *m, const knh_request *r, const knh_batch *batch)
{
    const knh_made *first = atomic_load_explicit(&f->made, memory_order_acquire), *other;
    do {
        if ((other = find(first, m->by, r, m->n_cls, batch))) {
            drop_made(m);
            return other;
        }
        m->next = first;
    } while (!atomic_compare_exchange_weak_explicit(&f->made, &first, m, memory_order_acq_rel, memory_order_acquire));
    return m;
}

static bool has_room(knh_batch *b)
{
    if (b->n < b->room)
        return true;
    int room = b->room ? 2 * b->room : 16;
    knh_made **made = knx_realloc(b->made, (size_t)room * sizeof *made);
    if (made) {
        b->made = made;
        b->room = room;
    }
    return made != NULL;
}

static knx_error *make_and_keep(const knh_generator *g, const knh_request *asked, knh_facts *f, knh_batch *batch,
                                knh_function **out)
{
    knh_request request = *asked, *r = &request;
    request.later = batch && g->finish && has_room(batch);
    int n = f->stage[r->stage].n_stream;
    knh_made *m = knx_alloc_zero(sizeof *m + (size_t)n);
    if (!m)
        return knx_error_nomem();
    m->by = g;
    m->mode = (uint8_t)r->mode;
    m->nontemporal = r->nontemporal;
    m->stage = r->stage;
    m->n_cls = n;
    memcpy(m->cls, r->cls, (size_t)n);
    double start = knx_seconds();
    knx_error *e = g->make(g, r, &m->f, &m->keep);
    uint64_t nanoseconds = (uint64_t)(1e9 * (knx_seconds() - start));
    if (e && e->kind == KN_ERROR_MEMORY) { /* it may be there the next time */
        knh_note_made(0, 0, nanoseconds);
        knx_free(m);
        return e;
    }
    m->f = e ? NULL : m->f;
    size_t bytes = made_bytes(m);
    knh_note_made(!e, (int64_t)bytes, nanoseconds);
    bool later = r->later && m->f;
    atomic_init(&m->batch, later ? batch : NULL);
    const knh_made *kept = keep(f, m, r, batch);
    if (kept == m) {
        knk_count_native(r->kernel, sizeof *m + (size_t)n + bytes);
        if (later)
            batch->made[batch->n++] = m;
    }
    *out = kept->f;
    return e;
}

/* The functions from m[0] on that one generator made; their number in *n. */
static bool finish_some(knh_made *const *m, int end, int *n)
{
    const knh_generator *by = m[0]->by;
    void **keeps = knx_alloc((size_t)end * sizeof *keeps);
    for (*n = 0; *n < end && m[*n]->by == by; ++*n)
        if (keeps)
            keeps[*n] = m[*n]->keep;
    bool fine = keeps && by->finish(keeps, *n);
    knx_free(keeps);
    return fine;
}

/* It stays in the list, but nobody asks for it. */
static void give_up(knh_made *m)
{
    knh_note_made(0, -(int64_t)made_bytes(m), 0);
    if (m->by->drop)
        m->by->drop(m->keep);
    m->f = NULL;
    m->stage = -1;
}

bool knh_finish_batch(knh_batch *b)
{
    double start = knx_seconds();
    bool all = true;
    for (int i = 0, n; i < b->n; i += n) {
        bool fine = finish_some(&b->made[i], b->n - i, &n);
        for (int j = i; j < i + n; j++) {
            if (!fine)
                give_up(b->made[j]);
            atomic_store_explicit(&b->made[j]->batch, NULL, memory_order_release);
        }
        all &= fine;
    }
    if (b->n)
        knh_note_made(0, 0, (uint64_t)(1e9 * (knx_seconds() - start)));
    knx_free(b->made);
    *b = (knh_batch){0};
    return all;
}

knh_function *knh_function_for(const knh_generator *g, const knk_kernel *k, knh_facts *f, const knh_request *r,
                               knh_batch *batch)
{
    static const char *const mode[] = {"points", "rows", "runs", "columns"};
    int n = f->stage[r->stage].n_stream;
    const knh_made *first = atomic_load_explicit(&f->made, memory_order_acquire), *m = find(first, g, r, n, batch);
    if (m)
        return m->f;
    knh_function *out = NULL;
    knx_error *e = make_and_keep(g, r, f, batch, &out);
    if (e)
        KN_LOG(2, "kernel %016llx, stage %d, %s is not compiled: %s", (unsigned long long)k->hash, r->stage,
               mode[r->mode], e->message ? e->message : "no memory");
    else
        KN_LOG(2, "compiled kernel %016llx, stage %d, %s: %s", (unsigned long long)k->hash, r->stage, mode[r->mode],
               reason(first, r, n));
    knx_error_release(e);
    return out;
}

/* Running. */

size_t knh_plan_bytes(const knk_kernel *k)
{
    const knh_facts *f = knh_generator_best()->make ? knh_facts_of(k) : NULL;
    return f ? f->plan_bytes : 0;
}

size_t knh_scratch_bytes(const knk_kernel *k, int threads)
{
    const knh_facts *f = knh_facts_of(k);
    size_t interpreter = knk_scratch_bytes(k),
           native = f ? f->plan_bytes + f->shared_bytes + (size_t)(threads < 1 ? 1 : threads) * f->part_bytes : 0;
    return interpreter > native ? interpreter : native;
}

double knh_operations(const knk_kernel *k)
{
    const knh_facts *f = knh_facts_of(k);
    return f ? f->operations : knk_cost(k);
}

knx_error *knh_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch, knh_batch *batch,
                          const knh_prepared **out)
{
    knh_prepared *p = NULL;
    const knh_generator *g = knh_generator_best();
    bool fine = room && g->make && knh_facts_of(k) && knh_plan(g, k, launch, batch, room, &p);
    if (p)
        p->interpreted = !fine;
    *out = p;
    return fine ? NULL : knk_prepare(k);
}

KNX_HOT bool knh_prepare_again(const knh_prepared *p, const knk_launch *launch)
{
    bool fine =
        p->n_segment || (p->plain && knh_plan_again(knh_generator_best(), launch, (knh_prepared *)(uintptr_t)p));
    for (int i = 0; fine && i < p->n_segment; i++)
        fine = knh_prepare_again(p->segment[i].prepared, &p->segment[i].launch);
    return fine;
}

knx_error *knh_run_on(const knh_generator *g, const knk_kernel *k, const knk_launch *launch, void *scratch, int threads)
{
    knh_prepared *p = NULL;
    if (g->make && knh_facts_of(k) && knh_plan(g, k, launch, NULL, scratch, &p))
        return knh_run_prepared(p, launch, (char *)scratch + p->facts->plan_bytes, threads);
    if (g->make)
        knh_note_fallback(k);
    return knk_interpret(k, launch, scratch);
}
