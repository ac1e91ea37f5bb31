/* SPDX-License-Identifier: Apache-2.0
 * worker.c -- the pool's threads by POSIX. */
#include "base/worker.h"
#include "base/lock.h"

#if KN_POSIX_THREADS
#include "base/float_env.h"
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

static void *run(void *arg)
{
    int number = (int)(intptr_t)arg;
#if defined(__linux__)
    prctl(PR_SET_NAME, "kiln");
#endif
    fesetenv(FE_DFL_ENV);
    knx_float_enter(); /* what C knows nothing of: subnormals */
    of[number].work(number);
    return NULL;
}

bool knx_worker_start(int number, void (*work)(int number))
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread inherits it */
    of[number].work = work;
    bool well = !pthread_create(&of[number].thread, NULL, run, (void *)(intptr_t)number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return well;
}

void knx_worker_join(int number) { pthread_join(of[number].thread, NULL); }

#endif
