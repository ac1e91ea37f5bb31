/* SPDX-License-Identifier: Apache-2.0
 * pool.h -- the process's worker threads. They are started when first needed, wait for work spinning (for as long
 * as waking them has taken lately: 30 to 100 microseconds) and then parked, stay
 * off each other's CPUs, run in the default floating-point environment, and are forgotten by a forked child, which
 * starts its own. Sized by the CPUs that the process may use (affinity, cgroup quota) and KILN_NUM_THREADS. */
#ifndef KN_BASE_POOL_H
#define KN_BASE_POOL_H
#include <stdbool.h>
#include <stdint.h>

enum { KNX_MAX_THREADS = 256 };
/* As many threads as there are, this one included: KILN_NUM_THREADS, else the CPUs. At least 1. Asked for once. */
int knx_threads_available(void);
/* Runs f(arg, part, worker) for every part in 0 .. parts - 1 on at most `threads` threads, the calling one among them,
 * and returns when all are done. worker: 0 .. threads - 1, no two parts at a time have the same. Parts are handed out
 * in order; which thread gets which is not defined. threads <= 1, parts <= 1, a call from inside of a part, or a pool
 * that is busy with another thread's call: all run here, one after the other, worker 0. More threads than there are
 * CPUs are had if they are asked for, up to KNX_MAX_THREADS. No allocation; no system call but to start workers, to
 * wake parked ones, and to wait where the last part takes long. A part must not fork. */
void knx_parallel(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg);
/* The same for parts that ask now and then whether to go on (knx_must_stop, base/poll.h): so does the calling thread
 * while it waits for the last ones. */
void knx_parallel_asking(int threads, int64_t parts, void (*f)(void *arg, int64_t part, int worker), void *arg);
bool knx_is_worker(void);     /* is this thread one of the pool's? */
bool knx_parts_stopped(void); /* on a worker: are the parts to end? */
void knx_stop_parts(void);    /* by the thread whose call they are; by others, nothing */
void knx_pool_stop(void);     /* joins the workers; the next call starts new ones. Nothing from inside of a part */
/* What there is now: workers that were started, and how many of them are parked. */
typedef struct knx_pool_state {
    int workers, parked;
} knx_pool_state;
knx_pool_state knx_pool_look(void);
#if defined(__wasm__)
/* Asked on a worker before each part: does it have the code that was made so far? If not, it takes no more parts of
 * this call. */
typedef bool (*knx_worker_ready)(void);
void knx_pool_prepare(knx_worker_ready f);
void knx_pool_start(int workers); /* ahead of the first call */
/* On a worker that was thrown out of its work: its call goes on without it. false: it was in none. */
bool knx_pool_abandon(void);
#endif
#endif
