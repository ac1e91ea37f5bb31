/* SPDX-License-Identifier: Apache-2.0
 * job.c -- which processes and devices there are, and how long they wait for each other. */
#include "base/lock.h"
#include "base/log.h"
#include "dist/remote.h"

enum { MOST = KNDIST_MOST_DEVICES, SECONDS = 300 };

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static kndist_job job = {.n_process = 1};
static bool fixed; /* there are meshes */
static _Atomic(double) timeout = -1;

static void read_environment(void)
{
    if (!job.n_local)
        job.n_local = knx_env()->devices ? knx_env()->devices : 1;
}

const kndist_job *kndist_job_now(void)
{
    knx_global_lock_take(&lock);
    read_environment();
    knx_global_unlock(&lock);
    return &job;
}

void kndist_job_fix(void)
{
    knx_global_lock_take(&lock);
    read_environment();
    fixed = true;
    knx_global_unlock(&lock);
}

knx_error *kndist_set_local(int n)
{
    knx_error *error = NULL;
    if (n < 1 || n > MOST)
        return knx_error_new(KN_ERROR_VALUE, "the number of devices must be 1 to %d, not %d", MOST, n);
    bool joined = kndist_is_joined(); /* the others have been told */
    knx_global_lock_take(&lock);
    read_environment();
    if ((fixed || joined) && n != job.n_local)
        error = knx_error_new(KN_ERROR_RUNTIME, "the number of devices cannot be changed from %d to %d once %s",
                              job.n_local, n, fixed ? "there are meshes" : "processes are joined");
    else
        job.n_local = n;
    knx_global_unlock(&lock);
    return error;
}

void kndist_job_set(int n_process, int process)
{
    knx_global_lock_take(&lock);
    job.n_process = n_process;
    job.process = process;
    knx_global_unlock(&lock);
}

bool kndist_job_is_fixed(void)
{
    knx_global_lock_take(&lock);
    bool is = fixed;
    knx_global_unlock(&lock);
    return is;
}

double kndist_timeout(void)
{
    double seconds = atomic_load_explicit(&timeout, memory_order_relaxed);
    if (seconds >= 0)
        return seconds;
    return knx_env()->dist_timeout >= 0 ? (double)knx_env()->dist_timeout : SECONDS;
}

void kndist_set_timeout(double seconds) { atomic_store(&timeout, seconds); }
