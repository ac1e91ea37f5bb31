/* SPDX-License-Identifier: Apache-2.0
 * worker.c -- the pool's threads by POSIX. */
#include "base/worker.h"
#include "base/lock.h"

#if KN_POSIX_THREADS
#include "base/float_env.h"
#include "base/memory.h"
#include "base/pool.h"
#include <fenv.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

static struct {
    pthread_t thread;
    void (*work)(int number);
} of[KNX_MAX_THREADS];

/* In a thread that has just begun. */
static void settle(void)
{
#if defined(__linux__)
    prctl(PR_SET_NAME, "kiln");
#endif
    fesetenv(FE_DFL_ENV);
    knx_float_enter(); /* what C knows nothing of: subnormals */
}

static bool start(pthread_t *thread, void *(*f)(void *arg), void *arg)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread inherits it */
    bool well = !pthread_create(thread, NULL, f, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return well;
}

static void *run(void *arg)
{
    int number = (int)(intptr_t)arg;
    settle();
    of[number].work(number);
    return NULL;
}

bool knx_worker_start(int number, void (*work)(int number))
{
    of[number].work = work;
    return start(&of[number].thread, run, (void *)(intptr_t)number);
}

void knx_worker_join(int number) { pthread_join(of[number].thread, NULL); }

typedef struct job {
    void (*f)(void *arg);
    void *arg;
} job;

static void *run_job(void *arg)
{
    job j = *(job *)arg;
    knx_free(arg);
    settle();
    j.f(j.arg);
    return NULL;
}

bool knx_thread_start(uintptr_t *thread, void (*f)(void *arg), void *arg)
{
    pthread_t made;
    job *j = knx_alloc(sizeof *j);
    if (!j)
        return false;
    *j = (job){f, arg};
    if (!start(&made, run_job, j)) {
        knx_free(j);
        return false;
    }
    *thread = (uintptr_t)made;
    return true;
}

void knx_thread_join(uintptr_t thread) { pthread_join((pthread_t)thread, NULL); }

#else

bool knx_thread_start(uintptr_t *thread, void (*f)(void *arg), void *arg)
{
    return (void)thread, (void)f, (void)arg, false;
}
void knx_thread_join(uintptr_t thread) { (void)thread; }

#endif
