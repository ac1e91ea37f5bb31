/* SPDX-License-Identifier: Apache-2.0
 * worker_wasm.c -- the pool's threads in WebAssembly: JavaScript makes workers (bindings/javascript/threads.mjs), each
 * with an instance of this module that has the same memory, a stack and thread-local variables of its own.
 *
 * A word says who a number belongs to: nobody, somebody who was asked for, a worker that runs. Only the worker that
 * gets from "asked" to "runs" may touch the stack, and it is JavaScript that does both, and ends it. */
#include "base/worker.h"
#include "base/lock.h"

#if defined(__wasm__) && !KN_SINGLE_THREADED
#include "base/context.h"
#include "base/memory.h"
#include "base/park.h"
#include "base/pool.h"
#include <stdlib.h>
#include <string.h>

#define IMPORT(name) __attribute__((import_module("kiln_threads"), import_name(#name)))
/* Asks for a worker, which is to begin later. false: there are none. */
IMPORT(start) int knx_wasm_start(int number, atomic_uint *state, char *stack_end, char *tls);
IMPORT(cpus) int knx_wasm_cpus(void);
IMPORT(fail) _Noreturn void knx_wasm_fail(const char *why);

enum { NOBODY, ASKED, RUNS, STACK = 1 << 20, WHY = 512 };

static struct {
    atomic_uint state;
    char *block; /* the stack, then what is thread-local; stays for the next one */
} of[KNX_MAX_THREADS];
static void (*work)(int number);
/* The first worker that fails takes the place for the reason, writes it, and only then says that there is one. */
static atomic_bool taken, failed;
static KNX_TLS bool writes;
static char why[WHY]; /* ends with a 0 */

int knx_worker_cpus(void)
{
    int n = knx_wasm_cpus();
    return n < 1 ? 1 : n;
}

static char *block(int number)
{
    size_t align = __builtin_wasm_tls_align() > 16 ? __builtin_wasm_tls_align() : 16;
    void *p;
    if (!of[number].block && posix_memalign(&p, align, STACK + __builtin_wasm_tls_size()) == 0)
        of[number].block = p;
    return of[number].block;
}

bool knx_worker_start(int number, void (*f)(int number))
{
    char *b = block(number);
    if (!b)
        return false;
    work = f;
    atomic_store(&of[number].state, ASKED);
    if (knx_wasm_start(number, &of[number].state, b + STACK, b + STACK))
        return true;
    atomic_store(&of[number].state, NOBODY);
    return false;
}

void knx_worker_join(int number)
{
    unsigned asked = ASKED;
    if (atomic_compare_exchange_strong(&of[number].state, &asked, NOBODY))
        return;
    while (atomic_load(&of[number].state) == RUNS)
        knx_wait_at(&of[number].state, RUNS, 0);
}

void knx_worker_pass_failure(void)
{
    if (!atomic_load(&failed))
        return;
    static char text[WHY];
    memcpy(text, why, WHY);
    atomic_store(&failed, false);
    atomic_store(&taken, false);
    knx_wasm_fail(text);
}

/* ---- What JavaScript calls: functions of the table, whose places it finds in this structure. (Around exported
 * functions the linker puts constructors and destructors of the whole program.) */

static void worker(int number)
{
    work(number);
    knx_context_close();
    knx_memory_thread_ends();
}

static char *reason(void)
{
    writes = !atomic_exchange(&taken, true);
    return writes ? why : NULL;
}

/* The caller of the parts waits for all who joined, so for the one that writes, too. */
static bool has_failed(void)
{
    if (writes)
        atomic_store(&failed, true);
    writes = false;
    return knx_pool_abandon();
}

void __wasm_init_tls(void *memory); /* the linker makes it */
extern const struct knx_wasm_entries {
    void (*start)(int workers); /* on the first thread: so many, ahead of the first call */
    /* On a worker: its thread-local variables, then its work. */
    void (*variables)(void *memory);
    void (*worker)(int number);
    /* On a worker that was thrown out of that, with a stack that is empty again: the place for the reason, of 511
     * bytes; NULL: another one has given a reason. Then `failed`; true: the worker may begin again. */
    char *(*reason)(void);
    bool (*failed)(void);
} kiln_threads;
const struct knx_wasm_entries kiln_threads = {knx_pool_start, __wasm_init_tls, worker, reason, has_failed};

#endif
