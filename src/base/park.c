/* SPDX-License-Identifier: Apache-2.0
 * park.c -- waiting for a word: by the system's futexes, by WebAssembly's instructions, or by a mutex and a
 * condition. */
#include "base/park.h"
#include "base/attributes.h"
#include "base/lock.h"
#include <time.h>

#if !KN_SINGLE_THREADED

#if defined(__linux__) && !defined(KNX_NO_FUTEX)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_futex
typedef long futex_number; /* of its times, whatever C's are */
#else
#define SYS_futex SYS_futex_time64
typedef int64_t futex_number;
#endif

void knx_wait_at(atomic_uint *word, unsigned seen, long nanoseconds)
{
    const futex_number most[] = {0, nanoseconds};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, nanoseconds ? most : NULL, NULL, 0);
}
bool knx_wake_at(atomic_uint *word, int n)
{
    return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0) > 0;
}
void knx_parking_in_child(void) {}

#elif defined(__wasm__)

/* The thread of a page may not sleep: it spins. */
__attribute__((import_module("kiln_threads"), import_name("may_wait"))) int knx_wasm_may_wait(void);

void knx_wait_at(atomic_uint *word, unsigned seen, long nanoseconds)
{
    enum { SPINS = 10000, NO, YES };
    static KNX_TLS int known;
    if (!known)
        known = knx_wasm_may_wait() ? YES : NO;
    if (known == YES)
        __builtin_wasm_memory_atomic_wait32((int *)word, (int)seen, nanoseconds ? nanoseconds : -1);
    for (int i = 0; known == NO && i < SPINS && atomic_load(word) == seen; i++)
        continue;
}
bool knx_wake_at(atomic_uint *word, int n) { return __builtin_wasm_memory_atomic_notify((int *)word, (unsigned)n) > 0; }
void knx_parking_in_child(void) {}

#else

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
} parking = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

void knx_wait_at(atomic_uint *word, unsigned seen, long nanoseconds)
{
    struct timespec end = {0};
    if (nanoseconds) {
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += (end.tv_nsec + nanoseconds) / 1000000000;
        end.tv_nsec = (end.tv_nsec + nanoseconds) % 1000000000;
    }
    pthread_mutex_lock(&parking.lock);
    if (atomic_load(word) == seen && nanoseconds)
        pthread_cond_timedwait(&parking.changed, &parking.lock, &end);
    else if (atomic_load(word) == seen)
        pthread_cond_wait(&parking.changed, &parking.lock);
    pthread_mutex_unlock(&parking.lock);
}

bool knx_wake_at(atomic_uint *word, int n)
{
    (void)word, (void)n;
    pthread_mutex_lock(&parking.lock);
    pthread_cond_broadcast(&parking.changed);
    pthread_mutex_unlock(&parking.lock);
    return true;
}

void knx_parking_in_child(void)
{
    parking.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    parking.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

#endif
#else /* there is nobody to wait for */

void knx_wait_at(atomic_uint *word, unsigned seen, long nanoseconds) { (void)word, (void)seen, (void)nanoseconds; }
bool knx_wake_at(atomic_uint *word, int n)
{
    (void)word, (void)n;
    return false;
}

#endif
