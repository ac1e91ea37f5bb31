/* SPDX-License-Identifier: Apache-2.0
 * pool.c -- the worker threads.
 *
 * One call at a time has the pool; it is published in one word: a number that changes with each call, how many workers
 * may join, how many have, and whether it is closed. A worker joins by adding one to it, takes parts until there are
 * none, and counts itself as done. The caller takes parts too, closes the call when there are none left, and waits for
 * those who joined: a worker that wakes up late finds the call closed and is waited for by no one.
 *
 * Where other processes want the CPUs, waking a worker takes milliseconds, and a woken one is often put on the CPU
 * of the thread that wakes it, which then has to wait for its own help. So a worker spins, after its last part, for
 * as long as waking it has taken lately before it parks; and one that finds itself on the CPU of another of us
 * moves to one that none of us is on. */
#include "base/pool.h"
#include "base/clock.h"
#include "base/context.h"
#include "base/cpus.h"
#include "base/float_env.h"
#include "base/log.h"
#include "base/poll.h"

static atomic_int available;

int knx_threads_available(void)
{
    int n = atomic_load_explicit(&available, memory_order_relaxed);
    if (n)
        return n;
    n = knx_env()->num_threads;
    if (!n)
        n = knx_cpus();
    n = n > KNX_MAX_THREADS ? KNX_MAX_THREADS : n;
    atomic_store_explicit(&available, n, memory_order_relaxed);
    return n;
}

static KNX_TLS bool inside; /* of a part */

static void run_here(int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    bool before = inside;
    inside = true;
    for (int64_t i = 0; i < parts; i++)
        f(arg, i, 0);
    inside = before;
}

#if KN_SINGLE_THREADED

KNX_HOT void knx_parallel(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    (void)threads;
    run_here(parts, f, arg);
}
void knx_parallel_asking(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    (void)threads;
    run_here(parts, f, arg);
}
bool knx_is_worker(void) { return false; }
bool knx_parts_stopped(void) { return false; }
void knx_stop_parts(void) {}
void knx_pool_stop(void) {}
knx_pool_state knx_pool_look(void) { return (knx_pool_state){0}; }

#else

#include "base/park.h"
#include "base/worker.h"
#include <limits.h>

enum {
    JOINED = 0xff,    /* the word: how many workers have joined, */
    LIMIT_SHIFT = 8,  /* how many may, */
    LIMIT = 0xff,     /* */
    CLOSED = 1 << 16, /* no one joins any more, */
    CALL = 1 << 17,   /* and the call's number */
    /* Of a worker's own time after its last part: it answers 7 to 55 microseconds late when it was parked, on a busy
     * machine many milliseconds. */
    LEAST_SPIN = 30000,
    MOST_SPIN = 100000,
    AWAY = 20000,             /* nanoseconds between two looks at the clock: another process had the CPU */
    SPINS = 512,              /* of a caller that waits for the last parts, of some 40 ns each */
    ASKING = 20 * 1000 * 1000 /* nanoseconds until a caller that waits asks whether to go on */
};

static struct {
    _Alignas(64) atomic_uint word;
    atomic_int parked;
    _Atomic(int64_t) woken; /* when parked workers were last woken */
    /* The call. */
    _Alignas(64) void (*f)(void *arg, int64_t part, int worker);
    void *arg;
    int64_t parts;
    _Alignas(64) _Atomic(int64_t) next;
    _Alignas(64) atomic_uint done; /* of those who joined */
    atomic_bool waits;             /* the caller, parked at `done` */
    atomic_bool stopped;           /* the parts are to end */
    /* The workers. Whoever set `busy` may change them. */
    _Alignas(64) atomic_uint busy; /* a word, as locks are */
    atomic_bool stop;
    bool full; /* the system has no more threads for us */
    atomic_int started;
    atomic_int there;                    /* of those: has begun, has not ended */
    atomic_int cpu[KNX_MAX_THREADS + 1]; /* that the caller (0) and the workers were seen on, plus 1; 0: parked */
} pool = {.word = CLOSED};

static KNX_TLS bool works, calls; /* this thread is a worker; the call is its own */

bool knx_is_worker(void) { return works; }
bool knx_parts_stopped(void) { return atomic_load_explicit(&pool.stopped, memory_order_relaxed); }
void knx_stop_parts(void)
{
    if (calls)
        atomic_store_explicit(&pool.stopped, true, memory_order_relaxed);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- A worker. */

static bool open_to_join(unsigned word) { return !(word & CLOSED) && (word & JOINED) < (word >> LIMIT_SHIFT & LIMIT); }

/* In WebAssembly a worker has to learn of code that others made (knx_pool_prepare). */
#if defined(__wasm__)
static _Atomic(knx_worker_ready) is_ready;

void knx_pool_prepare(knx_worker_ready f) { atomic_store(&is_ready, f); }

static bool ready(int worker)
{
    knx_worker_ready f = worker ? atomic_load_explicit(&is_ready, memory_order_acquire) : NULL;
    return !f || f();
}
#else
static bool ready(int worker) { return (void)worker, true; }
#endif

static void take_parts(int worker)
{
    int64_t i;
    while (ready(worker) && (i = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed)) < pool.parts)
        pool.f(pool.arg, i, worker);
    atomic_fetch_or_explicit(&pool.word, CLOSED, memory_order_relaxed);
}

typedef struct worker {
    int number; /* 1 is the first */
    bool spins; /* with more threads than CPUs no one does */
    int64_t spin;
} worker;

/* Off the CPU of another of us. */
static void spread(const worker *w)
{
    int here = knx_cpu_now() + 1, used[KNX_MAX_THREADS + 1], n = 0, started = atomic_load(&pool.started);
    bool shared = false;
    atomic_store(&pool.cpu[w->number], here);
    for (int i = 0; i <= started && here > 0; i++) {
        int other = i == w->number ? 0 : atomic_load_explicit(&pool.cpu[i], memory_order_relaxed);
        if (other)
            used[n++] = other - 1;
        shared |= other == here;
    }
    if (shared && knx_leave_cpus(used, n))
        atomic_store(&pool.cpu[w->number], knx_cpu_now() + 1);
}

static void park(worker *w)
{
    int64_t before = knx_nanoseconds();
    atomic_store(&pool.cpu[w->number], 0);
    atomic_fetch_add(&pool.parked, 1); /* before the word is looked at again: a caller looks in the other order */
    unsigned word = atomic_load(&pool.word);
    if (!open_to_join(word) && !atomic_load(&pool.stop))
        knx_wait_at(&pool.word, word, 0);
    atomic_fetch_sub(&pool.parked, 1);
    if (!w->spins)
        return;
    spread(w);
    int64_t woken = atomic_load(&pool.woken), late = knx_nanoseconds() - woken;
    if (woken < before)
        return;
    w->spin += (late - w->spin) / 4;
    w->spin = w->spin < LEAST_SPIN ? LEAST_SPIN : w->spin > MOST_SPIN ? MOST_SPIN : w->spin;
}

/* The word of a call that can be joined; any word if the pool stops. */
static unsigned next_call(worker *w)
{
    int64_t before = 0, left = w->spin;
    w->spins = atomic_load_explicit(&pool.started, memory_order_relaxed) < knx_threads_available();
    for (;;) {
        for (int i = 0; i < 16; i++) {
            unsigned word = atomic_load_explicit(&pool.word, memory_order_acquire);
            if (open_to_join(word) || atomic_load_explicit(&pool.stop, memory_order_relaxed))
                return word;
            relax();
        }
        int64_t now = w->spins ? knx_nanoseconds() : 0, passed = before ? now - before : 0;
        before = now;
        if (passed > AWAY)
            spread(w);
        else
            left -= passed;
        if (left > 0 && w->spins)
            continue;
        park(w);
        left = w->spin;
        before = 0;
    }
}

static KNX_TLS bool takes_part; /* from joining a call to being counted as done */

static void leave_call(void)
{
    takes_part = false;
    atomic_fetch_add(&pool.done, 1); /* before `waits` is looked at; the caller in the other order */
    if (atomic_load(&pool.waits))
        knx_wake_at(&pool.done, 1);
}

static void work(int number)
{
    worker w = {.number = number + 1, .spin = LEAST_SPIN};
    inside = works = true;
    atomic_fetch_add(&pool.there, 1);
    for (;;) {
        unsigned word = next_call(&w);
        if (atomic_load(&pool.stop))
            break;
        (void)ready(w.number); /* before the caller has to wait for it */
        if (!open_to_join(word) || !atomic_compare_exchange_strong(&pool.word, &word, word + 1))
            continue;
        takes_part = true;
        take_parts((int)(word & JOINED) + 1);
        leave_call();
    }
    atomic_fetch_sub(&pool.there, 1);
    atomic_store(&pool.cpu[w.number], 0);
}

#if defined(__wasm__)
bool knx_pool_abandon(void)
{
    atomic_fetch_sub(&pool.there, 1);
    if (!takes_part)
        return false;
    atomic_fetch_or(&pool.word, CLOSED);
    leave_call();
    return true;
}
#endif

/* ---- Starting and stopping, by whoever has the pool. */

/* A forked child has no workers, and whoever had the pool is gone. */
static void forget_workers(void)
{
    atomic_store(&pool.word, CLOSED);
    atomic_store(&pool.parked, 0);
    atomic_store(&pool.done, 0);
    atomic_store(&pool.waits, false);
    atomic_store(&pool.stop, false);
    atomic_store(&pool.started, 0);
    atomic_store(&pool.there, 0);
    for (int i = 0; i <= KNX_MAX_THREADS; i++)
        atomic_store_explicit(&pool.cpu[i], 0, memory_order_relaxed);
    pool.full = false;
    knx_parking_in_child();
    atomic_store(&pool.busy, 0);
}

static void watch_forks(void)
{
    static knx_fork_watch watch = {.in_child = forget_workers};
    knx_watch_forks(&watch);
}

static bool take_pool(void)
{
    return !atomic_load_explicit(&pool.busy, memory_order_relaxed) &&
           !atomic_exchange_explicit(&pool.busy, 1, memory_order_acquire);
}
static void leave_pool(void) { atomic_store_explicit(&pool.busy, 0, memory_order_release); }

static void start(int workers)
{
    static bool watched; /* of whoever has the pool */
    if (!watched)
        watch_forks();
    watched = true;
    int n = atomic_load(&pool.started);
    while (n < workers && knx_worker_start(n, work))
        n++;
    atomic_store(&pool.started, n);
    pool.full = n < workers; /* and is not asked again at each call */
    KN_LOG(1, "threads: %d workers", n);
}

static void stop(void)
{
    int n = atomic_load(&pool.started);
    atomic_store(&pool.stop, true);
    atomic_fetch_add(&pool.word, CALL);
    if (n)
        knx_wake_at(&pool.word, INT_MAX);
    for (int i = 0; i < n; i++)
        knx_worker_join(i);
    atomic_store(&pool.stop, false);
    atomic_store(&pool.started, 0);
    pool.full = false;
}

#if defined(__wasm__)
void knx_pool_start(int workers)
{
    (void)knx_threads_available(); /* workers have no environment */
    if (inside || !take_pool())
        return;
    start(workers);
    leave_pool();
}
#endif

void knx_pool_stop(void)
{
    if (inside)
        return;
    while (!take_pool())
        sched_yield();
    stop();
    leave_pool();
}

/* The library goes, or the process ends, which may interrupt a call: then the workers stay. */
__attribute__((destructor)) static void stop_at_exit(void)
{
    if (!inside && take_pool()) {
        stop();
        leave_pool();
    }
}

knx_pool_state knx_pool_look(void)
{
    return (knx_pool_state){.workers = atomic_load(&pool.started), .parked = atomic_load(&pool.parked)};
}

/* ---- A call. */

/* `woken` is when: for a worker that was woken before and has not come yet it stays. */
static void wake_workers(int n)
{
    int64_t before = atomic_exchange(&pool.woken, knx_nanoseconds());
    if (!knx_wake_at(&pool.word, n))
        atomic_store(&pool.woken, before);
}

static void publish(int workers, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    pool.f = f;
    pool.arg = arg;
    pool.parts = parts;
    atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.stopped, false, memory_order_relaxed);
    unsigned last = atomic_load_explicit(&pool.word, memory_order_relaxed);
    atomic_store_explicit(&pool.cpu[0], knx_cpu_now() + 1, memory_order_relaxed);
    atomic_store(&pool.word, (last & ~(CALL - 1u)) + CALL + ((unsigned)workers << LIMIT_SHIFT));
    int parked = atomic_load(&pool.parked), awake = atomic_load(&pool.there) - parked;
    int wanted = workers - (awake > 0 ? awake : 0);
    if (parked > 0 && wanted > 0)
        wake_workers(wanted);
}

/* Until all who joined are done. asks: the parts ask, and so does who waits for them. */
static void wait_for(unsigned joined, bool asks)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool.done, memory_order_acquire) >= joined)
            return;
        relax();
    }
    atomic_store(&pool.waits, true);
    for (unsigned done; (done = atomic_load(&pool.done)) < joined;) {
        knx_wait_at(&pool.done, done, asks ? ASKING : 0);
        if (asks)
            knx_must_stop();
    }
    atomic_store(&pool.waits, false);
}

static inline void parallel(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg,
                            bool asks)
{
    int most = threads < KNX_MAX_THREADS ? threads : KNX_MAX_THREADS;
    int workers = (int)(parts < most ? parts : most) - 1;
    if (workers < 1 || inside || !take_pool()) {
        run_here(parts, f, arg);
        return;
    }
    if (workers > atomic_load_explicit(&pool.started, memory_order_relaxed) && !pool.full)
        start(workers);
    int there = atomic_load_explicit(&pool.started, memory_order_relaxed);
    publish(workers < there ? workers : there, parts, f, arg);
    inside = calls = true;
    take_parts(0);
    inside = false;
    wait_for(atomic_load_explicit(&pool.word, memory_order_relaxed) & JOINED, asks);
    calls = false;
    leave_pool();
    knx_worker_pass_failure();
}

KNX_HOT void knx_parallel(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    parallel(threads, parts, f, arg, false);
}

void knx_parallel_asking(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    parallel(threads, parts, f, arg, true);
}

#endif
