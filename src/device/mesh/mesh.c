/* SPDX-License-Identifier: Apache-2.0
 * mesh.c -- each mesh as a device. Its memory lies in buffers of the host, and its programs run there, so its facts are
 * those of the host. */
#include "base/lock.h"
#include "device/mesh/mesh.h"
#include "dist/dist.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;

static const knc_target *target(const knd_device *d)
{
    (void)d;
    return knd_host.target(&knd_host);
}

static void free_parts(const knd_device *d, knd_memory *m)
{
    (void)d;
    knd_parts_free((knd_parts *)(void *)m);
}

static knx_error *copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes)
{
    (void)at;
    (void)bytes; /* whole arrays are asked for */
    return knd_join_parts(knd_mesh_of(d), (const knd_parts *)(void *)from, to);
}

static knx_error *wait(const knd_device *d)
{
    (void)d;
    return NULL;
}

static const kn_device_info *info(const knd_device *d) { return knd_mesh_of(d)->info; }

/* What stays belongs to the system: a test that makes allocations fail meets it, too. */
static void *kept(size_t bytes) { return knx_alloc_must_fail() ? NULL : calloc(1, bytes); }

static int local_devices(const kni_mesh *m, int32_t *device, int64_t *in_mesh)
{
    const kndist_job *job = kndist_job_now();
    int n = 0;
    for (int64_t i = 0; i < m->n_device; i++) {
        if (m->device[i] / job->n_local != job->process)
            continue;
        if (device) {
            device[n] = m->device[i];
            in_mesh[n] = i;
        }
        n++;
    }
    return n;
}

/* One block: the record, what is known of it, numbers, texts. */
static knd_mesh *new_mesh(const kni_mesh *m)
{
    enum { NAME = 24 };
    knx_text t = {0};
    size_t n = (size_t)local_devices(m, NULL, NULL);
    kni_mesh_text(&t, m);
    knd_mesh *d = kept(sizeof *d + sizeof *d->info + n * (sizeof *d->in_mesh + sizeof *d->device) + NAME + sizeof t.s);
    if (!d)
        return NULL;
    d->info = (kn_device_info *)(d + 1);
    d->in_mesh = (int64_t *)(d->info + 1);
    d->device = (int32_t *)(d->in_mesh + n);
    char *name = (char *)(d->device + n), *text = name + NAME;
    snprintf(name, NAME, "mesh:%" PRIu32, m->number);
    memcpy(text, t.s, t.length + 1);
    d->mesh = m;
    d->n_local = local_devices(m, d->device, d->in_mesh);
    d->head = (knd_device){.name = name,
                           .target = target,
                           .free = free_parts,
                           .copy_out = copy_out,
                           .wait = wait,
                           .compile = knd_mesh_compile,
                           .mesh = m,
                           .unload = knd_mesh_unload,
                           .run = knd_mesh_run,
                           .info = info};
    *d->info = (kn_device_info){.size_ = sizeof *d->info, .description = text};
    return d;
}

/* Are all its devices there? Those of a mesh that was made for plans alone need not be. */
static knx_error *check_devices(const kni_mesh *m)
{
    const kndist_job *job = kndist_job_now();
    int64_t all = (int64_t)job->n_process * job->n_local;
    knx_text t = {0};
    for (int64_t i = 0; i < m->n_device; i++)
        if (m->device[i] >= all)
            return knx_error_new(KN_ERROR_VALUE, "%s has no devices for arrays: it needs number %d, there %s %" PRId64,
                                 kni_mesh_text(&t, m), (int)m->device[i], all == 1 ? "is" : "are", all);
    return NULL;
}

static knx_error *open(const kni_mesh *m, const knd_mesh **out)
{
    char name[24];
    snprintf(name, sizeof name, "mesh:%" PRIu32, m->number);
    const knd_device *known = knd_find(name);
    if (known) {
        *out = knd_mesh_of(known);
        return NULL;
    }
    KN_TRY(check_devices(m));
    kndist_job_fix();
    knd_mesh *d = new_mesh(m);
    if (!d)
        return knx_error_nomem();
    knx_error *error = knd_register(&d->head);
    if (error)
        free(d);
    *out = error ? NULL : d;
    return error;
}

knx_error *knd_mesh_open(const kni_mesh *m, const knd_mesh **out)
{
    *out = NULL;
    knx_global_lock_take(&lock);
    knx_error *error = open(m, out);
    knx_global_unlock(&lock);
    return error;
}
