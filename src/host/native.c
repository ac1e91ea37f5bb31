/* SPDX-License-Identifier: Apache-2.0
 * native.c -- the stage functions of a kernel: made when they are first needed, kept with the kernel in a list that
 * only grows at its head, and found there without a lock; which backend; the public ways to run a launch. */
#include "host/native.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/lock.h"
#include "base/log.h"
#include "host/drive.h"
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#define HAVE_LOWERING 1
#include "host/x86/code.h"
#include "host/x86/lower.h"
#endif

/* A stage function, or the fact that there is none. */
struct kng_made {
    const kng_made *next;
    kng_function *f; /* NULL: it can not be made */
    void *keep;
    void (*drop)(void *keep);
    uint8_t backend, mode;
    bool nontemporal;
    int stage, n_cls;
    uint8_t cls[];
};

static kn_global_lock lock = KN_GLOBAL_LOCK_INIT;
static atomic_uint_fast64_t n_fallbacks;
static _Atomic(const kng_maker *) maker;

void kng_set_maker(const kng_maker *m) { atomic_store(&maker, m); }

kng_counts kng_count(void)
{
    kng_made_count made = kng_all_made();
    return (kng_counts){made.functions, n_fallbacks, made.bytes, 1e-9 * (double)made.nanoseconds};
}

void kng_note_fallback(const knk_kernel *k)
{
    n_fallbacks++;
    KN_LOG(2, "kernel %016llx: the interpreter runs it", (unsigned long long)k->hash);
}

bool kng_backend_works(kng_backend b)
{
    switch (b) {
    case KNG_INTERPRETER: return true;
#ifdef HAVE_LOWERING
    case KNG_NATIVE_AVX2: return knx_cpu_best() >= KN_CPU_AVX2;
    case KNG_NATIVE_AVX512: return knx_cpu_best() >= KN_CPU_AVX512;
#else
    case KNG_NATIVE_AVX2:
    case KNG_NATIVE_AVX512: return false;
#endif
    case KNG_C_SOURCE: return atomic_load(&maker) != NULL;
    }
    return false;
}

kng_backend kng_backend_best(void)
{
    static atomic_int known; /* 1 + the answer */
    int answer = atomic_load_explicit(&known, memory_order_relaxed) - 1;
    if (answer < 0) {
        const char *wanted = knx_env()->backend;
        kng_backend best = knx_cpu_chosen() == KN_CPU_AVX512 ? KNG_NATIVE_AVX512
                           : knx_cpu_chosen() == KN_CPU_AVX2 ? KNG_NATIVE_AVX2
                                                             : KNG_INTERPRETER;
        if ((wanted && !strcmp(wanted, "interp")) || !kng_backend_works(best))
            best = KNG_INTERPRETER;
        answer = (int)best;
        atomic_store_explicit(&known, 1 + answer, memory_order_relaxed);
    }
    return (kng_backend)answer;
}

static void drop_made(kng_made *m)
{
    if (m->f && m->drop)
        m->drop(m->keep);
    knx_free(m);
}

static void drop(void *facts)
{
    kng_facts *f = facts;
    for (const kng_made *m = f->made, *next; m; m = next) {
        next = m->next;
        drop_made((kng_made *)(uintptr_t)m);
    }
    knx_arena_free(&f->arena);
    knx_free(f);
}

/* What two threads make at once, one of them throws away: nothing is made under the lock. */
kng_facts *kng_facts_of(const knk_kernel *k_)
{
    knk_kernel *k = (knk_kernel *)(uintptr_t)k_;
    kng_facts *f = atomic_load_explicit(&k->native, memory_order_acquire), *mine, *old;
    if (f || !(mine = kng_make_facts(k)))
        return f;
    knx_global_lock(&lock);
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

#ifdef HAVE_LOWERING
static void drop_code(void *code)
{
    kng_note_made(0, -(int64_t)kng_code_size(code), 0);
    kng_code_free(code);
}

static kn_error *make_native(const kng_request *r, kng_target target, kng_function **f, void **keep)
{
    kng_asm a;
    kng_lowered info = {0};
    kng_code *code = NULL;
    char name[80];
    kn_str listing = {0};
    kng_asm_init(&a);
    a.listing = kn_debug_level >= 2 ? &listing : NULL;
    kn_error *e = kng_lower(r, target, &a, &info);
    snprintf(name, sizeof name, "kiln_%016llx_s%d_m%d%s", (unsigned long long)r->kernel->hash, r->stage, (int)r->mode,
             r->nontemporal ? "_nt" : "");
    if (!e)
        e = kng_publish(a.code.at, a.code.n, name, &code);
    if (!e && a.listing)
        KN_LOG(2, "code of %s, %zu bytes:\n%s", name, a.code.n, listing.failed ? "(no memory to list it)" : listing.s);
    knx_str_free(&listing);
    kng_asm_free(&a);
    if (e)
        return e;
    *keep = code;
    *f = (kng_function *)(uintptr_t)kng_code_start(code);
    kng_note_made(0, (int64_t)kng_code_size(code), 0);
    return NULL;
}
#endif

static size_t made_bytes(const kng_made *m)
{
#ifdef HAVE_LOWERING
    return m->drop == drop_code ? kng_code_size(m->keep) : 0;
#else
    (void)m;
    return 0;
#endif
}

static kn_error *make(kng_backend b, const kng_request *r, kng_made *m)
{
    const kng_maker *own = atomic_load(&maker);
    if (b == KNG_C_SOURCE && own) {
        m->drop = own->drop;
        return own->make(r, &m->f, &m->keep);
    }
#ifdef HAVE_LOWERING
    m->drop = drop_code;
    if (b == KNG_NATIVE_AVX2 || b == KNG_NATIVE_AVX512)
        return make_native(r, b == KNG_NATIVE_AVX2 ? KNG_AVX2 : KNG_AVX512, &m->f, &m->keep);
#endif
    return knx_error(KN_ERROR_NOT_IMPLEMENTED, "there is no such backend here");
}

static bool same_request(const kng_made *m, kng_backend b, const kng_request *r, int n)
{
    return m->backend == b && m->stage == r->stage && m->mode == r->mode && m->nontemporal == r->nontemporal &&
           m->n_cls == n && !memcmp(m->cls, r->cls, (size_t)n);
}

static const kng_made *find(const kng_made *m, kng_backend b, const kng_request *r, int n)
{
    while (m && !same_request(m, b, r, n))
        m = m->next;
    return m;
}

static const char *reason(const kng_made *others, const kng_request *r, int n)
{
    for (const kng_made *m = others; m; m = m->next)
        if (m->stage == r->stage && r->nontemporal && !m->nontemporal && !memcmp(m->cls, r->cls, (size_t)n))
            return "results too large for the caches";
    for (const kng_made *m = others; m; m = m->next)
        if (m->stage == r->stage)
            return m->mode == r->mode ? "other strides" : "another mode";
    return "a new stage";
}

/* Adds it to the list, unless another thread was first. Returns what is in the list. */
static const kng_made *keep(kng_facts *f, kng_made *m, kng_backend b, const kng_request *r)
{
    const kng_made *first = atomic_load_explicit(&f->made, memory_order_acquire), *other;
    do {
        if ((other = find(first, b, r, m->n_cls))) {
            drop_made(m);
            return other;
        }
        m->next = first;
    } while (!atomic_compare_exchange_weak_explicit(&f->made, &first, m, memory_order_acq_rel, memory_order_acquire));
    return m;
}

static kn_error *make_and_keep(kng_backend b, const kng_request *r, kng_facts *f, kng_function **out)
{
    int n = f->stage[r->stage].n_stream;
    kng_made *m = knx_alloc_zero(sizeof *m + (size_t)n);
    if (!m)
        return knx_error_nomem();
    m->backend = (uint8_t)b;
    m->mode = (uint8_t)r->mode;
    m->nontemporal = r->nontemporal;
    m->stage = r->stage;
    m->n_cls = n;
    memcpy(m->cls, r->cls, (size_t)n);
    double start = knx_seconds();
    kn_error *e = make(b, r, m);
    kng_note_made(!e, 0, (uint64_t)(1e9 * (knx_seconds() - start)));
    if (e && e->kind == KN_ERROR_MEMORY) { /* it may be there the next time */
        knx_free(m);
        return e;
    }
    m->f = e ? NULL : m->f;
    size_t bytes = sizeof *m + (size_t)n + (m->f ? made_bytes(m) : 0);
    const kng_made *kept = keep(f, m, b, r);
    if (kept == m)
        knk_count_native(r->kernel, bytes);
    *out = kept->f;
    return e;
}

kng_function *kng_function_for(kng_backend b, const knk_kernel *k, kng_facts *f, const kng_request *r)
{
    static const char *const mode[] = {"points", "rows", "runs", "columns"};
    int n = f->stage[r->stage].n_stream;
    const kng_made *first = atomic_load_explicit(&f->made, memory_order_acquire), *m = find(first, b, r, n);
    if (m)
        return m->f;
    kng_function *out = NULL;
    kn_error *e = make_and_keep(b, r, f, &out);
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

size_t kng_plan_bytes(const knk_kernel *k)
{
    const kng_facts *f = kng_backend_best() == KNG_INTERPRETER ? NULL : kng_facts_of(k);
    return f ? f->plan_bytes : 0;
}

size_t kng_scratch_bytes(const knk_kernel *k, int threads)
{
    const kng_facts *f = kng_facts_of(k);
    size_t interpreter = knk_scratch_bytes(k),
           native = f ? f->plan_bytes + f->shared_bytes + (size_t)(threads < 1 ? 1 : threads) * f->part_bytes : 0;
    return interpreter > native ? interpreter : native;
}

const kng_prepared *kng_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch)
{
    kng_prepared *p = NULL;
    kng_backend b = kng_backend_best();
    if (b == KNG_INTERPRETER || !kng_facts_of(k))
        return NULL;
    bool fine = kng_plan(b, k, launch, room, &p);
    p->interpreted = !fine;
    return p;
}

kn_error *kng_prepare(const knk_kernel *k, const knk_launch *launch, int threads)
{
    (void)threads;
    if (kng_backend_best() == KNG_INTERPRETER || !kng_facts_of(k))
        return NULL;
    size_t bytes = kng_plan_bytes(k);
    void *room = bytes ? knx_alloc(bytes) : NULL;
    if (!room)
        return knx_error_nomem();
    kng_prepare_in(room, k, launch);
    knx_free(room);
    return NULL;
}

void kng_run_on(kng_backend b, const knk_kernel *k, const knk_launch *launch, void *scratch, int threads)
{
    kng_prepared *p = NULL;
    if (b == KNG_INTERPRETER) {
        knk_interpret(k, launch, scratch);
    } else if (!kng_facts_of(k) || !kng_plan(b, k, launch, scratch, &p)) {
        kng_note_fallback(k);
        knk_interpret(k, launch, scratch);
    } else {
        kng_run_prepared(p, launch, (char *)scratch + p->facts->plan_bytes, threads);
    }
}

void kng_run(const knk_kernel *k, const knk_launch *launch, void *scratch, int threads)
{
    kng_run_on(kng_backend_best(), k, launch, scratch, threads);
}
