/* SPDX-License-Identifier: Apache-2.0
 * threads.c -- the pool's workers in WebAssembly: threads TEST [N], with N threads there (all tests are sized for any N).
 *
 *   many     10,000 calls of a few parts each: every part runs once, and workers do take parts
 *   kernels  functions that are made while the workers sleep are known to them: the bits of one thread
 *   heap     parts allocate, write and free at the same time
 *   again    the pool stops and begins anew
 *   trap     a part on a worker traps: the program ends with that, and does not hang */
#include "base/park.h"
#include "base/pool.h"
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static void sleep_for(long nanoseconds)
{
    atomic_uint word = 0;
    knx_wait_at(&word, 0, nanoseconds);
}

static int fail(const char *what, int64_t at)
{
    fprintf(stderr, "%s (at %lld)\n", what, (long long)at);
    return 1;
}

/* ---- many */

typedef struct parts {
    int seen[MOST];
    atomic_int bad, by_workers;
    _Atomic(int64_t) sum;
} parts;

static void count_part(void *arg, int64_t part, int worker)
{
    parts *p = arg;
    p->seen[part]++;
    int64_t x = part;
    for (int i = 0; i < 2000; i++)
        x = x * 6364136223846793005 + 1442695040888963407;
    atomic_fetch_add(&p->sum, x);
    atomic_fetch_add(&p->by_workers, knx_is_worker());
    if (knx_is_worker() != (worker > 0))
        atomic_fetch_add(&p->bad, 1);
}

static int many(int threads)
{
    int by_workers = 0;
    for (int i = 0; i < 10000; i++) {
        parts p = {0};
        int n = 2 + i % 30;
        knx_parallel(threads, n, count_part, &p);
        for (int k = 0; k < MOST; k++)
            if (p.seen[k] != (k < n) || p.bad)
                return fail("a part did not run once", i);
        by_workers += p.by_workers;
        if (i % 1000 == 0)
            sleep_for(2000000); /* they park */
    }
    if (threads > 1 && !by_workers)
        return fail("no part ran on a worker", by_workers);
    if (threads < 2 && by_workers)
        return fail("parts ran on workers", by_workers);
    return 0;
}

/* ---- kernels */

static kn_array make_kernel(kn_array x, int number)
{
    kn_array y = x;
    for (int bit = 0; bit < 8; bit++)
        y = number >> bit & 1 ? kn_sin(kn_add(y, x)) : kn_exp(kn_neg(kn_abs(kn_mul(y, x))));
    return kn_add(y, kn_sum(y));
}

static void drop_all(kn_cache which) { kn_set_cache_limit(which, kn_set_cache_limit(which, 0)); }

static int kernels(int threads)
{
    enum { SIZE = 200000, KERNELS = 200 };
    kn_array x = kn_keep(kn_linspace(-3, 3, SIZE, .dtype = KN_F32));
    for (int i = 0; i < KERNELS; i++) {
        {
            KN_SCOPE;
            int before = kn_set_threads(1 + i % 2 * (threads - 1)); /* made for one or for all, seen by all */
            kn_array a = make_kernel(x, i);
            float *first = malloc(SIZE * sizeof *first);
            memcpy(first, kn_data(a, float), SIZE * sizeof *first);
            if (i % 7 == 0)
                sleep_for(1000000);
            kn_set_threads(i % 2 ? 1 : threads);
            kn_array b = make_kernel(x, i);
            if (memcmp(first, kn_data(b, float), SIZE * sizeof *first))
                return fail("other bits with more threads", i);
            free(first);
            kn_set_threads(before);
        }
        if (i % 20 == 19) { /* others get the places in the table */
            drop_all(KN_CACHE_PLANS);
            drop_all(KN_CACHE_KERNELS);
        }
    }
    if (kn_cache_stats().kernels.evicted < KERNELS / 2)
        return fail("kernels were kept", (int64_t)kn_cache_stats().kernels.evicted);
    kn_release(x);
    return 0;
}

/* ---- heap */

static void use_heap(void *arg, int64_t part, int worker)
{
    (void)worker;
    atomic_int *bad = arg;
    enum { HELD = 16 };
    unsigned char *held[HELD] = {0};
    uint64_t random = (uint64_t)part * 2 + 1;
    for (int i = 0; i < 3000; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        unsigned char **at = &held[random >> 60];
        size_t size = 1 + (random >> 40) % 5000;
        if (*at && (*at)[0] != (unsigned char)part)
            atomic_fetch_add(bad, 1);
        *at = realloc(*at, size);
        if (!*at)
            abort();
        memset(*at, (int)part, size);
    }
    for (int i = 0; i < HELD; i++)
        free(held[i]);
}

static int heap(int threads)
{
    atomic_int bad = 0;
    knx_parallel(threads, 64, use_heap, &bad);
    return bad ? fail("a block was written by another thread", bad) : 0;
}

/* ---- again */

static int again(int threads)
{
    for (int round = 0; round < 5; round++) {
        int by_workers = 0;
        for (int i = 0; i < 2000 && !by_workers && threads > 1; i++) { /* new workers come when they can */
            parts p = {0};
            knx_parallel(threads, MOST, count_part, &p);
            by_workers = p.by_workers;
            if (i)
                sleep_for(1000000);
        }
        if (threads > 1 && !by_workers)
            return fail("no worker came back", round);
        if (knx_pool_look().workers != threads - 1)
            return fail("not as many workers", knx_pool_look().workers);
        knx_pool_stop();
        if (knx_pool_look().workers || knx_pool_look().parked)
            return fail("workers are left", round);
    }
    return 0;
}

/* ---- trap */

static void trap_on_worker(void *arg, int64_t part, int worker)
{
    (void)part;
    atomic_int *here = arg;
    atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2) /* somebody else is there, too */
        continue;
    if (worker)
        __builtin_trap();
}

static int trap(int threads)
{
    atomic_int here = 0;
    if (threads < 2)
        return fail("there is no worker to trap", threads);
    knx_parallel(threads, 2, trap_on_worker, &here);
    return fail("the trap was not passed on", here);
}

int main(int n, char **arg)
{
    static const struct {
        const char *name;
        int (*run)(int threads);
    } tests[] = {{"many", many}, {"kernels", kernels}, {"heap", heap}, {"again", again}, {"trap", trap}};
    int threads = knx_threads_available();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (n > 1 && !strcmp(arg[1], tests[i].name)) {
            int failed = tests[i].run(threads);
            printf("%s with %d threads: %s\n", arg[1], threads, failed ? "failed" : "fine");
            return failed;
        }
    fprintf(stderr, "threads many|kernels|heap|again|trap\n");
    return 2;
}
