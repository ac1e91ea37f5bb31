/* SPDX-License-Identifier: Apache-2.0
 * worker.h -- the threads of the pool as the system has them: POSIX threads, or the workers of JavaScript. */
#ifndef KN_BASE_WORKER_H
#define KN_BASE_WORKER_H
#include <stdbool.h>
#include <stdint.h>

/* Has a thread run work(number) with no signals but those of its own mistakes and the default floating-point
 * environment, number 0 .. KNX_MAX_THREADS - 1. false: there are no more threads. In WebAssembly it runs as soon as
 * whatever page or program Kiln is in lets it begin, which may be never. */
bool knx_worker_start(int number, void (*work)(int number));
void knx_worker_join(int number); /* waits until work has returned; of one that has not begun, it never will */
/* Any other thread, in the same state, which somebody joins. false: there are no more, or there never are any
 * (WebAssembly). */
bool knx_thread_start(uintptr_t *thread, void (*f)(void *arg), void *arg);
void knx_thread_join(uintptr_t thread);
/* In WebAssembly: throws in this thread what ended a part on another one. */
#if defined(__wasm__)
void knx_worker_pass_failure(void);
int knx_worker_cpus(void);
#else
static inline void knx_worker_pass_failure(void) {}
#endif
#endif
