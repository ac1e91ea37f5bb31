/* SPDX-License-Identifier: Apache-2.0
 * distributed.c -- the processes of a job, and devices of meshes, as the user sees them. */
#include "base/context.h"
#include "base/options.h"
#include "dist/dist.h"
#include "kiln/distributed.h"
#include <math.h>

static bool done(const char *operation, knx_error *error)
{
    if (error && atomic_load(&error->refs) > 0)
        error->operation = operation;
    knx_report(error);
    bool well = !error;
    knx_error_release(error);
    return well;
}

bool kn_distributed_init(const kn_distributed_init_opts *opts)
{
    KNX_OPTS(kn_distributed_init_opts, o, opts);
    if (isnan(o.timeout) || (o.timeout < 0 && o.timeout != -1))
        return done("distributed_init",
                    knx_error_new(KN_ERROR_VALUE, "timeout must not be negative, but is %g", o.timeout));
    kndist_set_timeout(o.timeout);
    return done("distributed_init", kndist_join(o.communicator));
}

bool kn_distributed_shutdown(void) { return done("distributed_shutdown", kndist_leave_job()); }
bool kn_distributed_is_initialized(void) { return kndist_is_joined(); }
int kn_process_index(void) { return kndist_job_now()->process; }
int kn_process_count(void) { return kndist_job_now()->n_process; }
int kn_local_device_count(void) { return kndist_job_now()->n_local; }
bool kn_set_local_device_count(int n) { return done("set_local_device_count", kndist_set_local(n)); }

int kn_global_device_count(void)
{
    const kndist_job *job = kndist_job_now();
    return job->n_process * job->n_local;
}
